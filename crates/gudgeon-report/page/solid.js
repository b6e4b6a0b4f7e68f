// Mechanisms in space, by three.js where there is WebGL.

import { add, cross, mix, norm, rotate, sub, times, unit } from './vector.js';
import { KIND } from './colour.js';

// Whether three.js is in the page and can draw.
export function solidCanvas() {
  if (!globalThis.THREE) return null;
  try {
    const node = document.createElement('canvas');
    const renderer = new globalThis.THREE.WebGLRenderer({ canvas: node, antialias: true, alpha: true, preserveDrawingBuffer: true });
    return { node, renderer };
  } catch {
    return null;
  }
}

export class Solid {
  constructor({ node, renderer }, size) {
    const T = globalThis.THREE;
    Object.assign(this, { node, renderer, size, T });
    this.scene = new T.Scene();
    this.camera = new T.OrthographicCamera(-1, 1, 1, -1, 0.001, 1000);
    this.scene.add(new T.HemisphereLight('#ffffff', '#8c8c8c', 2.2));
    const sun = new T.DirectionalLight('#ffffff', 1.6);
    sun.position.set(0.4, 0.7, 1);
    this.camera.add(sun);
    this.scene.add(this.camera);
    this.unitCylinder = new T.CylinderGeometry(1, 1, 1, 20, 1);
    this.unitCone = new T.ConeGeometry(1, 1, 20);
    this.unitSphere = new T.SphereGeometry(1, 20, 14);
    this.unitBox = new T.BoxGeometry(1, 1, 1);
    this.materials = new Map();
    this.pool = [];
    this.used = 0;
  }

  material(colour, opacity = 1) {
    const key = `${colour} ${opacity}`;
    if (!this.materials.has(key)) {
      const Kind = opacity < 1 ? this.T.MeshBasicMaterial : this.T.MeshLambertMaterial;
      this.materials.set(key, new Kind({ color: colour, transparent: opacity < 1, opacity, depthWrite: opacity === 1 }));
    }
    return this.materials.get(key);
  }

  mesh(geometry, colour, opacity) {
    let mesh = this.pool[this.used];
    if (!mesh) {
      mesh = new this.T.Mesh(geometry, this.material(colour, opacity));
      this.pool.push(mesh);
      this.scene.add(mesh);
    }
    mesh.geometry = geometry;
    mesh.material = this.material(colour, opacity);
    mesh.visible = true;
    this.used += 1;
    return mesh;
  }

  // A round bar between two points.
  bar(a, b, radius, colour, opacity = 1, geometry = this.unitCylinder) {
    const along = sub(b, a);
    const length = norm(along);
    if (!(length > 0)) return;
    const mesh = this.mesh(geometry, colour, opacity);
    mesh.position.set(...mix(a, b, 0.5));
    mesh.scale.set(radius, length, radius);
    mesh.quaternion.setFromUnitVectors(new this.T.Vector3(0, 1, 0), new this.T.Vector3(...times(along, 1 / length)));
  }

  ball(p, radius, colour, opacity = 1) {
    const mesh = this.mesh(this.unitSphere, colour, opacity);
    mesh.position.set(...p);
    mesh.quaternion.set(0, 0, 0, 1);
    mesh.scale.set(radius, radius, radius);
  }

  box(p, [w, x, y, z], sizes, colour) {
    const mesh = this.mesh(this.unitBox, colour, 1);
    mesh.position.set(...p);
    mesh.quaternion.set(x, y, z, w);
    mesh.scale.set(...sizes);
  }

  arrow(from, to, colour) {
    const length = norm(sub(to, from));
    if (!(length > 0.02 * this.size)) return;
    const head = Math.min(0.35 * length, 0.09 * this.size);
    const neck = mix(to, from, head / length);
    this.bar(from, neck, 0.008 * this.size, colour);
    this.bar(neck, to, 0.025 * this.size, colour, 1, this.unitCone);
  }

  path(points, colour) {
    const step = Math.max(1, Math.ceil(points.length / 400));
    for (let k = 0; k + step < points.length; k += step) this.bar(points[k], points[k + step], 0.003 * this.size, colour, 0.8);
  }

  shapes(shapes, { theme, ghost, chosen }) {
    const s = this.size;
    for (const shape of shapes) {
      const colour = ghost ? theme.ideal : theme.body;
      const opacity = ghost ? 0.3 : 1;
      if (shape.kind === 'body' && shape.points.length > 1) {
        const [first, ...rest] = shape.points.length > 2 ? [middle(shape.points), ...shape.points] : shape.points;
        for (const p of rest) this.bar(first, p, 0.022 * s, colour, opacity);
        for (const p of shape.points) this.ball(p, 0.022 * s, colour, opacity);
      } else if (shape.kind === 'body' && shape.points.length === 1) {
        this.ball(shape.points[0], 0.035 * s, colour, opacity);
      } else if (shape.kind === 'line' || shape.kind === 'bar') {
        for (let k = 0; k + 1 < shape.points.length; k++) this.bar(shape.points[k], shape.points[k + 1], 0.018 * s, colour, opacity);
        if (!ghost) for (const p of shape.points) this.ball(p, 0.018 * s, colour);
      }
      if (ghost) continue;
      if (shape.kind === 'pin') {
        const tint = shape.clearance ? KIND.red : theme.edge;
        const radius = (chosen === shape.j ? 0.042 : 0.034) * s;
        if (shape.type === 'spherical' || shape.type === 'universal') this.ball(shape.p, radius, tint);
        else {
          const axis = rotate(shape.q, [0, 0, 1]);
          const half = times(axis, 0.05 * s);
          this.bar(sub(shape.p, half), add(shape.p, half), radius, tint);
        }
        if (shape.ground) this.box(sub(shape.p, [0, 0, 0.06 * s]), [1, 0, 0, 0], [0.14 * s, 0.14 * s, 0.02 * s], theme.ground);
      } else if (shape.kind === 'block') {
        this.box(shape.p, shape.q, [0.14 * s, 0.09 * s, 0.09 * s], shape.clearance ? KIND.red : theme.edge);
      } else if (shape.kind === 'rail') {
        this.bar(shape.points[0], shape.points[1], 0.006 * s, theme.ground);
      } else if (shape.kind === 'spring') {
        this.coil(shape.points[0], shape.points[1], theme.main);
      } else if (shape.kind === 'bushing' || shape.kind === 'weld') {
        this.box(shape.p, [1, 0, 0, 0], [0.05 * s, 0.05 * s, 0.05 * s], theme.main);
      }
    }
  }

  coil(a, b, colour) {
    const along = sub(b, a);
    const x = unit(Math.abs(along[0]) < 0.9 * norm(along) ? cross(along, [1, 0, 0]) : cross(along, [0, 1, 0]));
    const y = cross(unit(along), x);
    const points = [];
    for (let k = 0; k <= 60; k++) {
      const angle = (k / 60) * 12 * Math.PI;
      const r = k === 0 || k === 60 ? 0 : 0.035 * this.size;
      points.push(add(mix(a, b, k / 60), add(times(x, r * Math.cos(angle)), times(y, r * Math.sin(angle)))));
    }
    for (let k = 0; k < 60; k++) this.bar(points[k], points[k + 1], 0.006 * this.size, colour);
  }

  begin() { this.used = 0; }

  // Draws what was made since `begin` as the camera of the drawing sees it.
  end(camera, width, height) {
    for (let k = this.used; k < this.pool.length; k++) this.pool[k].visible = false;
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    if (this.width !== width || this.height !== height || this.ratio !== ratio) {
      this.renderer.setPixelRatio(ratio);
      this.renderer.setSize(width, height, false);
      Object.assign(this, { width, height, ratio });
    }
    const eye = this.camera;
    const [half, up] = [width / (2 * camera.scale), height / (2 * camera.scale)];
    const far = 40 * this.size + 4 * half;
    Object.assign(eye, { left: -half, right: half, top: up, bottom: -up, near: 0, far: 2 * far });
    const [w, x, y, z] = camera.q;
    eye.quaternion.set(-x, -y, -z, w);
    eye.position.set(...add(camera.centre, times(camera.axes()[2], far)));
    eye.updateProjectionMatrix();
    this.renderer.render(this.scene, eye);
  }
}

function middle(points) {
  return times(points.reduce(add, [0, 0, 0]), 1 / points.length);
}
