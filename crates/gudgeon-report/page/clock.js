// The time that everything shows, and whether it runs.

import { index, record } from './data.js';

const range = (() => {
  const times = index.motion ? index.motion : null;
  const outputs = index.outputs;
  const from = outputs ? outputs.from : 0;
  const to = outputs ? outputs.to : record.final?.t ?? 1;
  return times || outputs ? { from, to: Math.max(to, from) } : { from: 0, to: 0 };
})();

export const clock = {
  ...range,
  t: range.from,
  playing: false,
  speed: 1,
  listeners: [],
  period: index.motion?.mechanism.period ?? null,
  on(action) { this.listeners.push(action); },
  tell() { this.listeners.forEach((action) => action(this.t)); },
  set(t) {
    this.t = Math.min(this.to, Math.max(this.from, t));
    this.tell();
  },
  play(on = true) {
    this.playing = on && this.to > this.from;
    if (this.playing) {
      if (this.t >= this.to) this.t = this.from;
      this.last = null;
      requestAnimationFrame((now) => this.frame(now));
    }
    this.tell();
  },
  frame(now) {
    if (!this.playing) return;
    if (this.last !== null) {
      let t = this.t + this.speed * Math.min(0.1, (now - this.last) / 1000);
      if (t > this.to) t = this.from + ((t - this.from) % (this.to - this.from));
      this.t = t;
      this.tell();
    }
    this.last = now;
    requestAnimationFrame((next) => this.frame(next));
  },
};

// Such that a turn of the drive takes three seconds, or the run twelve; a round number.
export function naturalSpeed() {
  const raw = clock.period ? clock.period / 3 : (clock.to - clock.from) / 12;
  if (!(raw > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((m) => m * power).reduce((a, b) => (Math.abs(Math.log(b / raw)) < Math.abs(Math.log(a / raw)) ? b : a));
}
clock.speed = naturalSpeed();

// The angle of the drive since the start, degrees; none where nothing turns evenly.
export function driveAngle(t) {
  return clock.period ? (360 * t) / clock.period : null;
}
