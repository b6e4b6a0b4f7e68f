// The view of the mechanism: camera, forces, traces, ghost, magnification.

import { el, clear, button, select, check, canvas, savePicture, fileName, table } from './dom.js';
import { quantity, digits, scale } from './units.js';
import { index, record } from './data.js';
import { theme, onTheme } from './colour.js';
import { clock } from './clock.js';
import { add, about, product, times, norm } from './vector.js';
import { motion, ghost, Figure, marker, path } from './mechanism.js';
import { Camera, drawShapes, drawAxes, drawScale, arrow } from './canvas.js';
import { Solid, solidCanvas } from './solid.js';

export function viewer(state) {
  const figure = new Figure(motion);
  const ideal = ghost ? new Figure(ghost) : null;
  const camera = new Camera(motion.planar);
  const bends = motion.mechanism.drawn.some((one) => (one.stations || []).length);
  const moving = motion.mechanism.joints.map((_, j) => j).filter((j) => motion.mechanism.joints[j].kind !== 'fixed');
  let colours = theme();
  let solid = null;
  const largest = motion.largestForce(record.window?.from ?? clock.from);
  const traces = new Map();
  const sentence = `${record.model.name}: ${motion.mechanism.drawn.length} moving bodies and ${motion.mechanism.joints.length} joints${motion.planar ? ' in the plane' : ' in space'}. The table below has positions and forces at the time shown.`;

  const over = canvas(sentence, draw);
  const stage = el('div', { class: 'stage' });
  const found = motion.planar ? null : solidCanvas();
  if (found) {
    solid = new Solid(found, figure.size);
    found.node.setAttribute('aria-hidden', 'true');
    found.node.className = 'under';
    stage.append(found.node);
  }
  stage.append(over.node);
  let fitted = '';

  function draw(context, width, height) {
    // Fitted anew to another size until somebody has moved it.
    if (fitted !== `${width} ${height}` && !camera.moved) {
      camera.fit(figure.box, width, height, 1.2 * figure.size);
      state.camera?.(camera);
    }
    fitted = `${width} ${height}`;
    const options = { magnify: state.magnify };
    const shapes = figure.at(clock.t, options);
    const chosen = state.joint();
    const look = { theme: colours, chosen };
    if (solid) {
      solid.begin();
      if (state.ghost && ideal) solid.shapes(ideal.at(clock.t, options), { ...look, ghost: true });
      solid.shapes(shapes, look);
    } else {
      if (state.ghost && ideal) drawShapes(context, ideal.at(clock.t, options), camera, width, height, { ...look, ghost: true });
    }
    if (state.traces) drawTraces(context, width, height);
    if (!solid) drawShapes(context, shapes, camera, width, height, look);
    if (state.forces) drawForces(context, width, height);
    solid?.end(camera, width, height);
    if (state.names) drawNames(context, shapes, width, height);
    drawAxes(context, camera, height, colours);
    drawScale(context, camera, width, height, colours, (length) => quantity(length, 'm', 2));
  }

  function drawTraces(context, width, height) {
    for (const j of moving) {
      const key = `${j} ${state.magnify}`;
      if (!traces.has(key)) traces.set(key, path(motion, j, state.magnify));
      const points = traces.get(key);
      context.strokeStyle = colours.main;
      context.globalAlpha = 0.55;
      context.lineWidth = 1;
      context.beginPath();
      points.forEach((p, k) => {
        const [x, y] = camera.project(p, width, height);
        if (k) context.lineTo(x, y); else context.moveTo(x, y);
      });
      context.stroke();
      context.globalAlpha = 1;
    }
  }

  function forceScale(width, height) {
    // Metres per newton: the largest force of the run is a third of the view.
    return (state.arrows * 0.33 * Math.min(width, height)) / camera.scale / (largest || 1);
  }

  function drawForces(context, width, height) {
    const poses = motion.at(clock.t);
    const forces = motion.forcesAt(clock.t);
    const per = forceScale(width, height);
    motion.mechanism.joints.forEach((joint, j) => {
      const size = norm(forces[j]);
      if (!(size > 1e-3 * largest)) return;
      const from = marker(motion, poses, joint.b, state.magnify).p;
      const to = add(from, times(forces[j], per));
      if (solid) solid.arrow(from, to, colours.force);
      else arrow(context, camera.project(from, width, height), camera.project(to, width, height), colours.force);
    });
    const legend = scaleOf(largest, 'N');
    context.fillStyle = colours.force;
    context.font = '11px system-ui, sans-serif';
    context.textAlign = 'left'; context.textBaseline = 'top';
    context.fillText(`forces of joints: ${legend} is ${Math.round(per * largest * camera.scale)} px`, 12, 10);
  }

  function drawNames(context, shapes, width, height) {
    context.font = '11px system-ui, sans-serif';
    context.textAlign = 'left'; context.textBaseline = 'bottom';
    const taken = [];
    for (const shape of shapes) {
      if (!['body', 'line', 'pin', 'block'].includes(shape.kind)) continue;
      const at = shape.p || times(shape.points.reduce(add, [0, 0, 0]), 1 / shape.points.length);
      let [x, y] = camera.project(at, width, height);
      x += 9; y -= 8;
      const w = context.measureText(shape.name).width;
      for (let k = 0; k < 12 && taken.some((o) => x < o[0] + o[2] && x + w > o[0] && Math.abs(y - o[1]) < 12); k++) y += 12;
      taken.push([x, y, w]);
      context.lineWidth = 3;
      context.strokeStyle = colours.panel;
      context.strokeText(shape.name, x, y);
      context.fillStyle = shape.kind === 'pin' || shape.kind === 'block' ? colours.muted : colours.text;
      context.fillText(shape.name, x, y);
    }
  }

  const paint = () => over.paint();
  const fit = () => { camera.moved = false; camera.fit(figure.box, over.node.clientWidth, over.node.clientHeight, 1.2 * figure.size); paint(); state.moved?.(); };
  const home = () => { camera.reset(); fit(); };
  pointers(over.node, camera, paint, state, pick);

  // The joint nearest to a click.
  function pick(x, y) {
    let best = [18, null];
    for (const shape of figure.at(clock.t, { magnify: state.magnify })) {
      if (shape.j === undefined || !shape.p) continue;
      const [px, py] = camera.project(shape.p, over.node.clientWidth, over.node.clientHeight);
      const d = Math.hypot(px - x, py - y);
      if (d < best[0]) best = [d, shape.j];
    }
    if (best[1] !== null) state.choose(best[1]);
  }

  const magnifier = el('output', { class: 'value' });
  const showMagnify = () => { magnifier.textContent = `deformation × ${digits(state.magnify, 3)}`; };
  const tools = el('div', { class: 'tools' },
    button('Fit', 'Fit the mechanism into the view (F)', fit),
    button('Reset', 'Look from where the view began (R)', home),
    motion.planar ? null : button('Isometric', 'Isometric view (V)', home),
    check('Forces', state.forces, (on) => { state.forces = on; paint(); state.moved?.(); }),
    state.forces === undefined ? null : select('Length of force arrows', [['0.3', '× 0.3'], ['1', '× 1'], ['3', '× 3'], ['10', '× 10']], String(state.arrows), (v) => { state.arrows = Number(v); paint(); }),
    check('Traces', state.traces, (on) => { state.traces = on; paint(); }),
    ideal ? check('Ideal joints', state.ghost, (on) => { state.ghost = on; paint(); }) : null,
    check('Names', state.names, (on) => { state.names = on; paint(); }),
    bends ? el('label', { class: 'slider' }, magnifier,
      el('input', { type: 'range', min: '0', max: '3', step: '0.05', value: String(Math.log10(state.magnify)), 'aria-label': 'Magnification of the deformation',
        oninput: (event) => { state.magnify = 10 ** Number(event.target.value); showMagnify(); paint(); } })) : null,
    button('PNG', 'Save this view as a picture', () => savePicture(`${fileName(record.model.name)}.png`, both(found?.node, over.node))));
  showMagnify();

  const values = el('div', { class: 'values' });
  const details = el('details', {}, el('summary', { text: 'Positions and forces at this time' }), values);
  const list = () => {
    if (!details.open) return;
    const poses = motion.at(clock.t);
    const forces = motion.forcesAt(clock.t);
    const bodies = motion.mechanism.drawn.filter((one) => !(one.stations || []).length);
    const rows = motion.mechanism.drawn.map((one, n) => [one, poses[motion.first[n]]]).filter(([one]) => bodies.includes(one))
      .map(([one, pose]) => [one.name, quantity(pose.p[0], 'm'), quantity(pose.p[1], 'm'), motion.planar ? `${digits((pose.angle * 180) / Math.PI)}°` : quantity(pose.p[2], 'm')]);
    clear(values).append(
      table(['body', 'x', 'y', motion.planar ? 'angle' : 'z'], rows),
      table(['joint', 'force'], motion.mechanism.joints.map((joint, j) => [joint.name, quantity(norm(forces[j]), 'N')])));
  };
  details.addEventListener('toggle', list);
  clock.on(() => { paint(); list(); });
  onTheme(() => { colours = theme(); paint(); });

  const note = `Drawn to within ${quantity(motion.mechanism.error * index.motion.every ** 2, 'm', 2)}.`;
  const node = el('section', { class: 'panel view', 'aria-label': 'Mechanism' },
    el('h2', { text: 'Mechanism' }), tools, stage, el('p', { class: 'note', text: note }), details);
  return { node, paint, fit, home, camera, figure };
}

const scaleOf = (value, unit) => { const { factor, unit: shown } = scale(value, unit); return `${digits(value / factor, 3)} ${shown}`; };

// One picture of two canvases on top of one another.
function both(under, over) {
  if (!under) return over;
  const copy = document.createElement('canvas');
  [copy.width, copy.height] = [over.width, over.height];
  const context = copy.getContext('2d');
  context.drawImage(under, 0, 0, copy.width, copy.height);
  context.drawImage(over, 0, 0);
  return copy;
}

// Left rotates (in the plane pans), shift and left or middle pans, the wheel zooms; two fingers zoom and pan.
export function pointers(node, camera, paint, state, pick) {
  const held = new Map();
  let travelled = 0;
  node.addEventListener('pointerdown', (event) => {
    node.setPointerCapture(event.pointerId);
    held.set(event.pointerId, [event.offsetX, event.offsetY]);
    travelled = 0;
  });
  node.addEventListener('pointermove', (event) => {
    const last = held.get(event.pointerId);
    if (!last) return;
    const now = [event.offsetX, event.offsetY];
    const [dx, dy] = [now[0] - last[0], now[1] - last[1]];
    travelled += Math.abs(dx) + Math.abs(dy);
    camera.moved = true;
    if (held.size === 2) {
      const [id, other] = [...held].find(([key]) => key !== event.pointerId);
      const apart = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]);
      camera.scale *= apart(now) / Math.max(1, apart(last));
      held.set(id, other);
      pan(camera, dx / 2, dy / 2);
    } else if (camera.planar || event.shiftKey || event.buttons & 4) {
      pan(camera, dx, dy);
    } else {
      // About the vertical of the world, then about the horizontal of the screen.
      camera.q = product(camera.q, about([0, 0, 1], 0.008 * dx));
      camera.q = product(about([1, 0, 0], 0.008 * dy), camera.q);
    }
    held.set(event.pointerId, now);
    paint();
    state.moved?.();
  });
  const release = (event) => {
    if (held.delete(event.pointerId) && travelled < 4 && event.type === 'pointerup') pick?.(event.offsetX, event.offsetY);
  };
  node.addEventListener('pointerup', release);
  node.addEventListener('pointercancel', release);
  node.addEventListener('wheel', (event) => {
    event.preventDefault();
    camera.moved = true;
    const factor = Math.exp(-0.0012 * event.deltaY);
    const [x, y] = [event.offsetX - node.clientWidth / 2, event.offsetY - node.clientHeight / 2];
    const [right, up] = camera.axes();
    const at = add(times(right, x / camera.scale), times(up, -y / camera.scale));
    camera.centre = add(camera.centre, times(at, 1 - 1 / factor));
    camera.scale *= factor;
    paint();
    state.moved?.();
  }, { passive: false });
}

function pan(camera, dx, dy) {
  const [right, up] = camera.axes();
  camera.centre = add(camera.centre, add(times(right, -dx / camera.scale), times(up, dy / camera.scale)));
}
