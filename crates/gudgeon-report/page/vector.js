// Vectors of three, quaternions (w, x, y, z).

export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const times = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const norm = (a) => Math.hypot(a[0], a[1], a[2]);
export const unit = (a) => { const n = norm(a); return n > 0 ? times(a, 1 / n) : [1, 0, 0]; };
export const mix = (a, b, s) => [a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1]), a[2] + s * (b[2] - a[2])];

export function rotate([w, x, y, z], v) {
  const t = times(cross([x, y, z], v), 2);
  return add(add(v, times(t, w)), cross([x, y, z], t));
}
export const conjugate = ([w, x, y, z]) => [w, -x, -y, -z];
export function product([a, b, c, d], [w, x, y, z]) {
  return [a * w - b * x - c * y - d * z, a * x + b * w + c * z - d * y, a * y - b * z + c * w + d * x, a * z + b * y - c * x + d * w];
}
export const about = (axis, angle) => [Math.cos(angle / 2), ...times(axis, Math.sin(angle / 2))];

export function slerp(a, b, s) {
  let along = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const sign = along < 0 ? -1 : 1;
  along = Math.min(1, Math.abs(along));
  const angle = Math.acos(along);
  const [x, y] = angle < 1e-4 ? [1 - s, s] : [Math.sin((1 - s) * angle) / Math.sin(angle), Math.sin(s * angle) / Math.sin(angle)];
  const q = a.map((one, i) => x * one + sign * y * b[i]);
  const n = Math.hypot(...q) || 1;
  return q.map((one) => one / n);
}
