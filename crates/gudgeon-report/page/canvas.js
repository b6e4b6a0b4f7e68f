// The mechanism as a drawing: planar mechanisms, and those in space where there is no WebGL.

import { add, cross, rotate, sub, times, unit } from './vector.js';
import { KIND } from './colour.js';

// Where the eye is: `q` turns world axes into those of the view (x right, y up, z towards the eye), `centre` lies in the middle,
// `scale` is pixels per metre.
export class Camera {
  constructor(planar) {
    this.planar = planar;
    this.centre = [0, 0, 0];
    this.scale = 100;
    this.reset();
  }
  reset() {
    this.q = this.planar ? [1, 0, 0, 0] : isometric();
  }
  view(p) { return rotate(this.q, sub(p, this.centre)); }
  project(p, width, height) {
    const [x, y, z] = this.view(p);
    return [width / 2 + this.scale * x, height / 2 - this.scale * y, z];
  }
  // Around points as they are seen from here, but no nearer than to things of some size.
  fit(points, width, height, least = 0) {
    const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
    for (const p of points) {
      rotate(this.q, p).forEach((x, k) => { low[k] = Math.min(low[k], x); high[k] = Math.max(high[k], x); });
    }
    const [right, up, to] = this.axes();
    const [x, y, z] = times(add(low, high), 0.5);
    this.centre = add(add(times(right, x), times(up, y)), times(to, z));
    const [w, h] = [Math.max(high[0] - low[0], least, 1e-9), Math.max(high[1] - low[1], 0.5 * least, 1e-9)];
    this.scale = 0.8 * Math.min(width / w, height / h);
    if (!Number.isFinite(this.scale) || this.scale <= 0) this.scale = 100;
  }
  // Axes of the screen in the world.
  axes() {
    const [w, x, y, z] = this.q;
    const back = [w, -x, -y, -z];
    return [rotate(back, [1, 0, 0]), rotate(back, [0, 1, 0]), rotate(back, [0, 0, 1])];
  }
}

export function isometric() {
  // Seen from x, −y and z alike, with z up.
  const [right, up] = [unit([1, 1, 0]), unit([-1, 1, 2])];
  const to = cross(right, up);
  return fromRows(right, up, to);
}

function fromRows(x, y, z) {
  const m = [x, y, z];
  const trace = m[0][0] + m[1][1] + m[2][2];
  if (trace > 0) {
    const s = Math.sqrt(trace + 1) * 2;
    return [s / 4, (m[2][1] - m[1][2]) / s, (m[0][2] - m[2][0]) / s, (m[1][0] - m[0][1]) / s];
  }
  const i = m[0][0] > m[1][1] ? (m[0][0] > m[2][2] ? 0 : 2) : (m[1][1] > m[2][2] ? 1 : 2);
  const [j, k] = [(i + 1) % 3, (i + 2) % 3];
  const s = Math.sqrt(1 + m[i][i] - m[j][j] - m[k][k]) * 2;
  const q = [0, 0, 0, 0];
  q[0] = (m[k][j] - m[j][k]) / s;
  q[1 + i] = s / 4;
  q[1 + j] = (m[j][i] + m[i][j]) / s;
  q[1 + k] = (m[k][i] + m[i][k]) / s;
  return q;
}

export function arrow(context, from, to, colour, width = 2) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy);
  if (length < 3) return;
  const head = Math.min(10, 0.45 * length);
  const [ux, uy] = [dx / length, dy / length];
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.lineWidth = width;
  context.beginPath();
  context.moveTo(from[0], from[1]);
  context.lineTo(to[0] - 0.8 * head * ux, to[1] - 0.8 * head * uy);
  context.stroke();
  context.beginPath();
  context.moveTo(to[0], to[1]);
  context.lineTo(to[0] - head * ux - 0.4 * head * uy, to[1] - head * uy + 0.4 * head * ux);
  context.lineTo(to[0] - head * ux + 0.4 * head * uy, to[1] - head * uy - 0.4 * head * ux);
  context.fill();
}

// Draws shapes; `look` is { theme, ghost, chosen }.
export function drawShapes(context, shapes, camera, width, height, look) {
  const place = (p) => camera.project(p, width, height);
  const { theme, ghost, chosen } = look;
  const line = (points, colour, lineWidth, dash = []) => {
    context.strokeStyle = colour;
    context.lineWidth = lineWidth;
    context.setLineDash(dash);
    context.beginPath();
    points.forEach((p, k) => (k ? context.lineTo(p[0], p[1]) : context.moveTo(p[0], p[1])));
    context.stroke();
    context.setLineDash([]);
  };
  context.lineCap = 'round';
  context.lineJoin = 'round';
  if (ghost) {
    for (const shape of shapes) {
      if (!shape.points || shape.kind === 'rail') continue;
      const points = shape.points.map(place);
      if (shape.kind === 'body' && points.length > 2 && camera.planar) points.push(points[0]);
      line(points, theme.ideal, 1.5, [5, 4]);
    }
    return;
  }
  const bar = Math.max(5, Math.min(13, 0.035 * Math.min(width, height)));
  const order = camera.planar ? shapes : [...shapes].sort((a, b) => depth(a, camera) - depth(b, camera));
  for (const shape of order.filter((one) => one.kind === 'rail')) rail(context, shape, place, theme, line);
  for (const shape of order) {
    if (shape.kind === 'pin' && shape.ground && camera.planar) pivot(context, place(shape.p), bar, theme);
  }
  for (const shape of order) {
    const points = (shape.points || []).map(place);
    if (shape.kind === 'body' || shape.kind === 'bar') {
      if (points.length > 2 && camera.planar) {
        context.beginPath();
        points.forEach((p, k) => (k ? context.lineTo(p[0], p[1]) : context.moveTo(p[0], p[1])));
        context.closePath();
        context.strokeStyle = theme.edge; context.lineWidth = bar + 2; context.stroke();
        context.strokeStyle = theme.body; context.lineWidth = bar; context.stroke();
        context.fillStyle = theme.body; context.fill();
      } else if (points.length > 1) {
        const list = points.length > 2 ? points.map((p) => [points[0], p]) : [points];
        for (const pair of list) line(pair, theme.edge, bar + 2);
        for (const pair of list) line(pair, theme.body, bar);
      } else if (points.length === 1) {
        disc(context, points[0], 0.9 * bar, theme.body, theme.edge);
      }
    } else if (shape.kind === 'line') {
      line(points, theme.edge, 0.8 * bar + 2);
      line(points, theme.body, 0.8 * bar);
      line(points, theme.edge, 0.75);
    } else if (shape.kind === 'spring') {
      line(coil(points[0], points[1], bar), theme.main, 1.6);
    } else if (shape.kind === 'block') {
      block(context, shape, place, bar, theme, chosen);
    } else if (shape.kind === 'bushing') {
      const p = place(shape.p);
      context.strokeStyle = theme.main; context.lineWidth = 2;
      context.strokeRect(p[0] - 0.6 * bar, p[1] - 0.6 * bar, 1.2 * bar, 1.2 * bar);
    }
  }
  for (const shape of order) {
    if (shape.kind === 'weld') {
      const p = place(shape.p);
      context.fillStyle = theme.edge;
      context.fillRect(p[0] - 0.35 * bar, p[1] - 0.35 * bar, 0.7 * bar, 0.7 * bar);
    } else if (shape.kind === 'pin') {
      const p = place(shape.p);
      const on = chosen === shape.j;
      const colour = shape.clearance ? KIND.red : theme.edge;
      const radius = (shape.clearance?.bearing_radius ?? 0) * camera.scale;
      if (camera.planar && radius > 5 * bar) {
        // Large enough to be seen as they are: the bore, and the journal in it.
        disc(context, p, radius, theme.panel, colour, on ? 3 : 2);
        const journal = (shape.clearance.bearing_radius - shape.clearance.radial) * camera.scale;
        disc(context, place(shape.journal), journal, theme.body, theme.edge);
        disc(context, place(shape.journal), 2, theme.edge, theme.edge);
        continue;
      }
      disc(context, p, shape.clearance ? 0.42 * bar : 0.34 * bar, theme.panel, colour, on ? 3 : 2);
      if (shape.driven) disc(context, p, 0.14 * bar, theme.main, theme.main);
    }
  }
}

const depth = (shape, camera) => camera.view(shape.p || shape.points[0] || [0, 0, 0])[2];

function disc(context, p, radius, fill, stroke, width = 1.5) {
  context.beginPath();
  context.arc(p[0], p[1], Math.max(1, radius), 0, 2 * Math.PI);
  context.fillStyle = fill; context.fill();
  context.strokeStyle = stroke; context.lineWidth = width; context.stroke();
}

function pivot(context, [x, y], bar, theme) {
  const [w, h] = [1.1 * bar, 1.5 * bar];
  context.beginPath();
  context.moveTo(x, y); context.lineTo(x - w, y + h); context.lineTo(x + w, y + h); context.closePath();
  context.fillStyle = theme.panel; context.fill();
  context.strokeStyle = theme.ground; context.lineWidth = 1.5; context.stroke();
  hatch(context, [x - 1.5 * w, y + h], [x + 1.5 * w, y + h], theme);
}

function hatch(context, a, b, theme) {
  const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
  const [ux, uy] = [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
  context.strokeStyle = theme.ground; context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(a[0], a[1]); context.lineTo(b[0], b[1]);
  for (let s = 4; s < length; s += 6) {
    const [x, y] = [a[0] + s * ux, a[1] + s * uy];
    context.moveTo(x, y); context.lineTo(x - 4 * ux - 4 * uy, y - 4 * uy + 4 * ux);
  }
  context.lineWidth = 1; context.stroke();
}

function rail(context, shape, place, theme, line) {
  const points = shape.points.map(place);
  line(points, theme.ground, 1, shape.ground ? [8, 4, 2, 4] : [3, 4]);
}

function block(context, shape, place, bar, theme, chosen) {
  const p = place(shape.p);
  const ahead = place(add(shape.p, rotate(shape.q, [1, 0, 0])));
  const angle = Math.atan2(ahead[1] - p[1], ahead[0] - p[0]);
  context.save();
  context.translate(p[0], p[1]); context.rotate(angle);
  const [w, h] = [3.2 * bar, 2 * bar];
  context.fillStyle = theme.body; context.strokeStyle = shape.clearance ? KIND.red : theme.edge; context.lineWidth = chosen === shape.j ? 3 : 1.5;
  context.beginPath(); context.roundRect(-w / 2, -h / 2, w, h, 3); context.fill(); context.stroke();
  context.restore();
}

function coil(a, b, bar) {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  const out = [a];
  const turns = 12;
  for (let k = 1; k < turns; k++) {
    const s = 0.12 + (0.76 * k) / turns;
    const off = (k % 2 ? 1 : -1) * 0.6 * bar;
    out.push([a[0] + s * dx - off * uy, a[1] + s * dy + off * ux]);
  }
  out.push(b);
  return out;
}

// Axes of the world, in a corner.
export function drawAxes(context, camera, height, theme) {
  const origin = [34, height - 34];
  const all = [['x', [1, 0, 0], KIND.red], ['y', [0, 1, 0], KIND.green], ['z', [0, 0, 1], KIND.blue]];
  for (const [name, axis, colour] of camera.planar ? all.slice(0, 2) : all) {
    const [x, y] = rotate(camera.q, axis);
    const to = [origin[0] + 24 * x, origin[1] - 24 * y];
    arrow(context, origin, to, colour, 1.5);
    context.fillStyle = theme.muted; context.font = '11px system-ui, sans-serif';
    context.textAlign = 'center'; context.textBaseline = 'middle';
    context.fillText(name, origin[0] + 32 * x, origin[1] - 32 * y);
  }
}

// A length to read sizes by.
export function drawScale(context, camera, width, height, theme, text) {
  const raw = 90 / camera.scale;
  const power = 10 ** Math.floor(Math.log10(raw));
  const length = [1, 2, 5, 10].map((m) => m * power).filter((one) => one <= raw * 1.2).pop();
  const [x, y] = [width - 16, height - 18];
  const from = x - length * camera.scale;
  context.strokeStyle = theme.muted; context.lineWidth = 1.5; context.beginPath();
  context.moveTo(from, y - 4); context.lineTo(from, y); context.lineTo(x, y); context.lineTo(x, y - 4); context.stroke();
  context.fillStyle = theme.muted; context.font = '11px system-ui, sans-serif';
  context.textAlign = 'right'; context.textBaseline = 'bottom';
  context.fillText(text(length), x, y - 6);
}
