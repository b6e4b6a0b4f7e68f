// The mechanism at an instant: poses between key instants, and what is drawn of it.

import { index, array, parted, before } from './data.js';
import { add, sub, times, norm, mix, rotate, slerp, about, product, conjugate } from './vector.js';

// A motion: poses and forces at any time.
export class Motion {
  constructor(data) {
    this.mechanism = data.mechanism;
    this.t = array(data.t);
    this.impacts = array(data.impacts);
    this.poses = data.poses.map(parted);
    this.forces = data.forces.map(parted);
    this.deflections = (data.deflections || []).map(parted);
    this.planar = this.mechanism.planar;
    this.size = this.planar ? 3 : 7;
    this.first = [];
    // By pose: the first column of its deflection, where it has one.
    this.bent = [];
    let [at, column] = [0, 0];
    for (const one of this.mechanism.drawn) {
      this.first.push(at);
      const count = Math.max(1, (one.stations || []).length);
      for (let k = 1; k < count - 1; k++, column += this.planar ? 2 : 3) this.bent[at + k] = column;
      at += count;
    }
    this.count = at;
  }

  place(t) {
    const i = Math.min(before(this.t, t), Math.max(0, this.t.length - 2));
    const j = Math.min(i + 1, this.t.length - 1);
    const width = this.t[j] - this.t[i];
    return [i, j, width > 0 ? Math.max(0, Math.min(1, (t - this.t[i]) / width)) : 0];
  }

  // All poses: { p, q }.
  at(t) {
    const [i, j, s] = this.place(t);
    const value = (column, k) => this.poses[column][k];
    const out = [];
    for (let n = 0; n < this.count; n++) {
      const c = n * this.size;
      if (this.planar) {
        const [x, y, angle] = [0, 1, 2].map((k) => value(c + k, i) + s * (value(c + k, j) - value(c + k, i)));
        out.push({ p: [x, y, 0], q: about([0, 0, 1], angle), angle });
      } else {
        const read = (k) => [0, 1, 2, 3, 4, 5, 6].map((n) => value(c + n, k));
        const [a, b] = [read(i), read(j)];
        out.push({ p: mix(a, b, s), q: slerp(a.slice(3), b.slice(3), s) });
      }
      const first = this.bent[n];
      if (first !== undefined) {
        const bend = (k) => { const column = this.deflections[first + k]; return column[i] + s * (column[j] - column[i]); };
        out[n].bend = [bend(0), bend(1), this.planar ? 0 : bend(2)];
      }
    }
    return out;
  }

  // Force on the second side of every joint.
  forcesAt(t) {
    const [i, j, s] = this.place(t);
    const axes = this.planar ? 2 : 3;
    return this.mechanism.joints.map((_, n) => {
      const f = [0, 0, 0];
      for (let k = 0; k < axes; k++) {
        const column = this.forces[n * axes + k];
        f[k] = column[i] + s * (column[j] - column[i]);
      }
      return f;
    });
  }

  // Largest force of a joint at any key from a time on.
  largestForce(from) {
    const axes = this.planar ? 2 : 3;
    let most = 0;
    for (let n = 0; n < this.mechanism.joints.length; n++) {
      for (let k = before(this.t, from); k < this.t.length; k++) {
        let sum = 0;
        for (let a = 0; a < axes; a++) sum += this.forces[n * axes + a][k] ** 2;
        if (sum > most && Number.isFinite(sum)) most = sum;
      }
    }
    return Math.sqrt(most);
  }
}

// Points of a line, with what they deviate from its chord magnified.
function line(motion, poses, n, magnify) {
  const first = motion.first[n];
  const count = motion.mechanism.drawn[n].stations.length;
  const [a, b] = [poses[first].p, poses[first + count - 1].p];
  return poses.slice(first, first + count).map(({ p, bend }, k) => (
    bend ? add(mix(a, b, motion.mechanism.drawn[n].stations[k]), times(bend, magnify)) : p));
}

// Place and axes of a marker.
export function marker(motion, poses, m, magnify = 1) {
  const { on, position, axes, along } = motion.mechanism.markers[m];
  if (on === null || on === undefined) return { p: position, q: axes };
  if (along !== undefined && along !== null) {
    const points = line(motion, poses, on, magnify);
    const stations = motion.mechanism.drawn[on].stations;
    let k = 0;
    while (k < stations.length - 2 && stations[k + 1] <= along) k++;
    const width = stations[k + 1] - stations[k];
    return { p: mix(points[k], points[k + 1], width > 0 ? (along - stations[k]) / width : 0), q: poses[motion.first[on] + k].q };
  }
  const pose = poses[motion.first[on]];
  return { p: add(pose.p, rotate(pose.q, position)), q: product(pose.q, axes) };
}

// What the bodies look like, in their own axes: found once.
export class Figure {
  constructor(motion) {
    this.motion = motion;
    const { mechanism } = motion;
    this.size = mechanism.size;
    this.parts = [];
    const used = new Set();
    for (const { a, b } of [...mechanism.joints, ...mechanism.elements]) { used.add(a); used.add(b); }
    mechanism.drawn.forEach((one, n) => {
      if (one.stations && one.stations.length) {
        this.parts.push({ kind: 'line', n, name: one.name });
        return;
      }
      const points = [];
      const near = (p) => points.some((other) => norm(sub(p, other)) < 1e-3 * this.size);
      mechanism.markers.forEach((m, k) => {
        if (m.on === n && (used.has(k) || m.name) && !near(m.position)) points.push(m.position);
      });
      if (points.length < 2 && !near(one.centre)) points.push(one.centre);
      this.parts.push({ kind: 'body', n, name: one.name, points: points.length > 2 ? ordered(points, motion.planar) : points, centre: one.centre });
    });
    mechanism.joints.forEach((joint, j) => this.parts.push({ kind: 'joint', j, joint, name: joint.name }));
    mechanism.elements.forEach((element) => this.parts.push({ kind: element.kind, element, name: element.name }));
    this.rails = mechanism.joints.map((joint) => (joint.kind === 'prismatic' || joint.kind === 'cylindrical' || joint.kind === 'point-on-line' ? this.rail(joint) : null));
    this.box = this.bounds();
  }

  // How far a slider goes along the x axis of its guide (z of a cylindrical joint).
  rail(joint) {
    let [low, high] = [Infinity, -Infinity];
    const { motion } = this;
    const step = Math.max(1, Math.floor(motion.t.length / 200));
    for (let k = 0; k < motion.t.length; k += step) {
      const poses = motion.at(motion.t[k]);
      const [a, b] = [marker(motion, poses, joint.a), marker(motion, poses, joint.b)];
      const along = rotate(conjugate(a.q), sub(b.p, a.p));
      const x = joint.kind === 'cylindrical' ? along[2] : along[0];
      [low, high] = [Math.min(low, x), Math.max(high, x)];
    }
    const margin = 0.1 * this.size;
    return [low - margin, high + margin];
  }

  // Points that shapes go through, to fit them into a view.
  bounds() {
    const out = [];
    const take = (p) => { if (p.every(Number.isFinite)) out.push(p); };
    const { motion } = this;
    const step = Math.max(1, Math.floor(motion.t.length / 120));
    for (let k = 0; k < motion.t.length; k += step) {
      for (const shape of this.at(motion.t[k])) {
        if (shape.points) shape.points.forEach(take);
        if (shape.p) take(shape.p);
        const radius = motion.planar && shape.clearance ? shape.clearance.bearing_radius : 0;
        if (radius > 0) { take(add(shape.p, [radius, radius, 0])); take(sub(shape.p, [radius, radius, 0])); }
      }
    }
    return out.length ? out : [[-1, -1, -1], [1, 1, 1]];
  }

  // Shapes in world axes. Their number and order do not change over time.
  at(t, { magnify = 1 } = {}) {
    const { motion } = this;
    const poses = motion.at(t);
    const out = [];
    for (const part of this.parts) {
      if (part.kind === 'line') {
        out.push({ kind: 'line', points: line(motion, poses, part.n, magnify), n: part.n, name: part.name });
      } else if (part.kind === 'body') {
        const pose = poses[motion.first[part.n]];
        const points = part.points.map((p) => add(pose.p, rotate(pose.q, p)));
        out.push({ kind: 'body', points, n: part.n, name: part.name, q: pose.q });
      } else if (part.kind === 'joint') {
        out.push(...this.joint(part, poses, magnify));
      } else {
        const { element } = part;
        const [a, b] = [marker(motion, poses, element.a, magnify).p, marker(motion, poses, element.b, magnify).p];
        if (part.kind === 'spring') out.push({ kind: 'spring', points: [a, b], name: part.name });
        else if (part.kind === 'bushing' || part.kind === 'torsion-spring') out.push({ kind: 'bushing', p: b, name: part.name });
        else out.push({ kind: 'load', p: b, name: part.name });
      }
    }
    return out;
  }

  joint({ j, joint }, poses, magnify) {
    const { motion } = this;
    const grounded = (m) => motion.mechanism.markers[m].on === null || motion.mechanism.markers[m].on === undefined;
    const a = marker(motion, poses, joint.a, magnify);
    const b = marker(motion, poses, joint.b, magnify);
    const out = [];
    const rail = this.rails[j];
    if (rail) {
      const axis = rotate(a.q, joint.kind === 'cylindrical' ? [0, 0, 1] : [1, 0, 0]);
      out.push({ kind: 'rail', points: rail.map((x) => add(a.p, times(axis, x))), ground: grounded(joint.a), q: a.q });
    }
    if (joint.kind === 'prismatic' || joint.kind === 'point-on-line') {
      out.push({ kind: 'block', p: b.p, q: a.q, j, name: joint.name, clearance: joint.clearance });
    } else if (joint.kind === 'distance') {
      out.push({ kind: 'bar', points: [a.p, b.p], j, name: joint.name });
    } else if (joint.kind === 'fixed') {
      out.push({ kind: 'weld', p: b.p, j, name: joint.name, ground: grounded(joint.a) || grounded(joint.b) });
    } else {
      const ground = grounded(joint.a) || grounded(joint.b);
      const side = grounded(joint.b) ? b : a;
      out.push({ kind: 'pin', journal: b.p, p: side.p, q: side.q, j, name: joint.name, type: joint.kind, ground, clearance: joint.clearance, driven: joint.driven });
    }
    return out;
  }
}

// Points of a plane around their middle; of space as they are.
function ordered(points, planar) {
  if (!planar) return points;
  const middle = times(points.reduce(add, [0, 0, 0]), 1 / points.length);
  const turned = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  // The hull, so that bodies are areas and not stars.
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (list) => list.reduce((hull, p) => {
    while (hull.length > 1 && turned(hull[hull.length - 2], hull[hull.length - 1], p) <= 1e-12) hull.pop();
    return [...hull, p];
  }, []);
  const [lower, upper] = [half(sorted), half([...sorted].reverse())];
  const hull = [...lower.slice(0, -1), ...upper.slice(0, -1)];
  return hull.length > 2 ? hull : [...points].sort((a, b) => Math.atan2(a[1] - middle[1], a[0] - middle[0]) - Math.atan2(b[1] - middle[1], b[0] - middle[0]));
}

export const motion = index.motion ? new Motion(index.motion) : null;
export const ghost = index.ghost ? new Motion(index.ghost) : null;

// The path of a joint or body over the run.
export function path(of, j, magnify = 1) {
  const out = [];
  const step = Math.max(1, Math.floor(of.t.length / 1500));
  for (let k = 0; k < of.t.length; k += step) out.push(marker(of, of.at(of.t[k]), of.mechanism.joints[j].b, magnify).p);
  return out;
}
