// The page: what stands where, the time line, keys, and the view in the address.

import { el, button, select } from './dom.js';
import { quantity, digits, ticks, scale, plotScale, plain } from './units.js';
import { index, record } from './data.js';
import { theme, onTheme } from './colour.js';
import { clock, driveAngle } from './clock.js';
import { canvas } from './dom.js';
import { motion } from './mechanism.js';
import { viewer } from './viewer.js';
import { clearanceView, journals } from './clearance.js';
import { plots } from './plots.js';
import { pressures } from './pressure.js';
import { header, extremes, impacts, energy, warnings, solver, parameters, modelText, modes, points, bearings, angleText } from './tables.js';

const quiet = window.matchMedia('(prefers-reduced-motion: reduce)').matches;

const state = {
  journal: 0, both: true, whole: false, rest: true, forces: true, arrows: 1, traces: false, ghost: false, names: false, magnify: 1, over: 'time', ideal: true,
  joint: () => (journals.length ? (journals[state.journal] || journals[0]).joint : null),
  choose: (j) => { views.clearance?.choose(j); views.mechanism?.paint(); keep(); },
  moved: () => keep(),
};
const views = {};
const go = (t) => { clock.play(false); clock.set(t); keep(); };

// What the address keeps of the view.
function keep() {
  clearTimeout(keep.later);
  keep.later = setTimeout(() => {
    const parts = [`t=${plain(clock.t)}`];
    if (journals.length) parts.push(`joint=${encodeURIComponent((journals[state.journal] || journals[0]).name)}`);
    if (state.over !== 'time') parts.push(`over=${state.over}`);
    const camera = views.mechanism?.camera;
    if (camera?.moved) parts.push(`view=${[...camera.q, ...camera.centre, camera.scale].map((x) => Number(x.toPrecision(6))).join(',')}`);
    history.replaceState(null, '', `#${parts.join('&')}`);
  }, 250);
}

function restore() {
  const parts = new Map(location.hash.slice(1).split('&').map((one) => one.split('=')));
  const t = Number(parts.get('t'));
  const name = decodeURIComponent(parts.get('joint') ?? '');
  const found = journals.findIndex((one) => one.name === name);
  if (found >= 0) state.journal = found;
  if (parts.get('over') === 'angle') state.over = 'angle';
  const view = (parts.get('view') ?? '').split(',').map(Number);
  if (view.length === 8 && view.every(Number.isFinite)) {
    state.camera = (camera) => { camera.q = view.slice(0, 4); camera.centre = view.slice(4, 7); camera.scale = view[7]; camera.moved = true; };
  }
  return parts.has('t') && Number.isFinite(t) ? t : null;
}

function timeLine() {
  let colours = theme();
  const all = record.impacts ?? [];
  const biggest = all.reduce((most, one) => Math.max(most, one.peak_force || 0), 0) || 1;
  const place = (t, width) => 10 + ((t - clock.from) / (clock.to - clock.from || 1)) * (width - 20);
  const base = canvas('', (context, width, height) => {
    const { factor, unit } = scale(clock.to, 's');
    const x = (t) => place(t, width);
    const y = height - 20;
    context.fillStyle = colours.grid;
    context.fillRect(x(record.window.from), y - 22, Math.max(1, x(record.window.to) - x(record.window.from)), 22);
    context.strokeStyle = colours.muted; context.lineWidth = 1;
    context.beginPath(); context.moveTo(10, y); context.lineTo(width - 10, y); context.stroke();
    context.strokeStyle = colours.touch;
    for (const one of all) {
      const h = 3 + 17 * Math.sqrt((one.peak_force || 0) / biggest);
      context.beginPath(); context.moveTo(x(one.t), y); context.lineTo(x(one.t), y - h); context.stroke();
    }
    context.font = '11px system-ui, sans-serif'; context.textAlign = 'center'; context.textBaseline = 'top'; context.fillStyle = colours.muted; context.strokeStyle = colours.muted;
    const marks = ticks(clock.from / factor, clock.to / factor, width / 90);
    marks.forEach((mark, k) => {
      const at = x(mark * factor);
      context.beginPath(); context.moveTo(at, y); context.lineTo(at, y + 4); context.stroke();
      const text = `${digits(mark)}${k === marks.length - 1 ? ` ${unit}` : ''}`;
      context.textAlign = at < 20 ? 'left' : at > width - 30 ? 'right' : 'center';
      context.fillText(text, at, y + 6);
    });
    context.strokeStyle = colours.force; context.lineWidth = 2;
    context.beginPath(); context.moveTo(x(clock.t), y - 26); context.lineTo(x(clock.t), y + 4); context.stroke();
    context.fillStyle = colours.force;
    context.beginPath(); context.arc(x(clock.t), y - 26, 4, 0, 7); context.fill();
  });
  const line = base.node;
  line.setAttribute('role', 'slider');
  line.setAttribute('aria-label', `Time; ticks are impacts, ${index.impacts} of them`);
  const seek = (event) => clock.set(clock.from + ((event.offsetX - 10) / (line.clientWidth - 20)) * (clock.to - clock.from));
  line.addEventListener('pointerdown', (event) => { line.setPointerCapture(event.pointerId); clock.play(false); seek(event); });
  line.addEventListener('pointermove', (event) => { if (event.buttons & 1) seek(event); });
  line.addEventListener('pointerup', keep);
  const play = button('Play', 'Play or pause (space)', () => { clock.play(!clock.playing); keep(); }, { class: 'play' });
  const field = el('input', { type: 'text', class: 'time', 'aria-label': 'Time in seconds; type one to go there', inputmode: 'decimal', size: '11', spellcheck: 'false' });
  field.addEventListener('change', () => {
    const found = /^\s*([\d.eE+-]+)\s*(s|ms|µs|us)?\s*$/.exec(field.value.replace('−', '-'));
    const value = found ? Number(found[1]) * ({ ms: 1e-3, us: 1e-6, 'µs': 1e-6 }[found[2]] ?? 1) : NaN;
    if (Number.isFinite(value)) go(value); else clock.tell();
    field.blur();
  });
  const angle = el('output', { class: 'angle' });
  const speeds = [0.1, 0.2, 0.5, 1, 2, 5, 10].map((m) => m * clock.speed);
  const speedText = (s) => (s >= 1 ? `× ${digits(s, 2)}` : `1/${digits(1 / s, 3)} speed`);
  const speed = select('Speed', speeds.map((s) => [String(s), speedText(s)]), String(clock.speed), (value) => { clock.speed = Number(value); });
  clock.on((t) => {
    base.paint();
    play.textContent = clock.playing ? 'Pause' : 'Play';
    if (document.activeElement !== field) field.value = quantity(t, 's', 6).replace(' ', ' ');
    angle.textContent = angleText(t);
    line.setAttribute('aria-valuemin', plain(clock.from));
    line.setAttribute('aria-valuemax', plain(clock.to));
    line.setAttribute('aria-valuenow', plain(t));
    line.setAttribute('aria-valuetext', `${quantity(t, 's', 6)}${driveAngle(t) === null ? '' : `, drive at ${angleText(t)}`}`);
  });
  onTheme(() => { colours = theme(); base.paint(); });
  return el('section', { class: 'panel timeline', 'aria-label': 'Time line' }, el('div', { class: 'tools' }, play, speed, field, angle,
    index.impacts ? button('Next impact', 'Next impact (N)', next) : null, button('?', 'Keys', () => keys.showModal())), line);
}

// The next of the impacts that are listed.
function next() {
  const found = (record.impacts ?? []).find((one) => one.t > clock.t * (1 + 1e-12) + 1e-15) ?? record.impacts?.[0];
  if (found) go(found.t);
}

const KEYS = [['space', 'play, pause'], ['← →', 'one key instant back, on'], ['shift + ← →', 'ten key instants'], ['N', 'next impact'], ['home, end', 'start, end'], ['1 … 9', 'journal of that number'], ['F', 'fit'], ['R', 'reset the view'], ['V', 'isometric view'], ['?', 'this list'],
  ['drag', 'rotate; in the plane pan'], ['shift + drag, middle', 'pan'], ['wheel', 'zoom'], ['drag in a plot', 'zoom in time; double click shows all']];
const keys = el('dialog', { 'aria-label': 'Keys' }, el('h2', { text: 'Keys and mouse' }), el('dl', {}, KEYS.map(([key, what]) => [el('dt', { text: key }), el('dd', { text: what })])), el('form', { method: 'dialog' }, el('button', { text: 'Close' })));

function step(count) {
  clock.play(false);
  const instants = motion?.t;
  if (!instants?.length) { clock.set(clock.t + (count * (clock.to - clock.from)) / 1000); return; }
  let k = 0;
  while (k < instants.length - 1 && instants[k + 1] <= clock.t + 1e-15) k++;
  clock.set(instants[Math.max(0, Math.min(instants.length - 1, k + count))]);
  keep();
}

document.addEventListener('keydown', (event) => {
  if (event.target.closest('input[type=text], textarea, select, dialog') || event.ctrlKey || event.metaKey || event.altKey) return;
  const range = event.target.closest('input[type=range]');
  const actions = {
    ' ': () => { if (event.target.closest('button, summary, input, a')) return false; clock.play(!clock.playing); return true; },
    ArrowLeft: () => !range && (step(event.shiftKey ? -10 : -1), true), ArrowRight: () => !range && (step(event.shiftKey ? 10 : 1), true),
    Home: () => !range && (go(clock.from), true), End: () => !range && (go(clock.to), true),
    n: () => (next(), true), f: () => (views.mechanism?.fit(), true), r: () => (views.mechanism?.home(), true), v: () => (views.mechanism?.home(), true), '?': () => (keys.showModal(), true),
  };
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (/^[1-9]$/.test(key) && journals[Number(key) - 1]) {
    state.journal = Number(key) - 1;
    views.clearance?.change();
    views.mechanism?.paint();
    keep();
  } else if (!(clock.to > clock.from ? actions[key]?.() : key === '?' && actions[key]())) return;
  event.preventDefault();
});

// Curves over a parameter or a frequency.
function overParameter(x, curves) {
  const area = el('div', { class: 'plots' });
  const make = (one, colours) => {
    const body = el('div', { class: 'chart' });
    const many = one.many ?? [one.points];
    const dashes = [[], [6, 3], [2, 3], [8, 3, 2, 3]];
    const most = Math.max(...many.flat().map(([, y]) => (Number.isFinite(y) ? Math.abs(y) : 0)));
    const { factor, unit } = plotScale(most, one.unit);
    const xs = [...new Set(many.flat().map(([a]) => a))].sort((a, b) => a - b);
    const widest = scale(Math.max(...xs.map(Math.abs)), x.unit);
    const font = '11px system-ui, sans-serif';
    const axis = { stroke: colours.muted, font, labelFont: font, labelSize: 16, grid: { stroke: colours.grid, width: 1 }, ticks: { stroke: colours.grid, width: 1, size: 4 } };
    const data = [xs.map((a) => a / widest.factor), ...many.map((list) => { const found = new Map(list); return xs.map((a) => (Number.isFinite(found.get(a)) ? found.get(a) / factor : null)); })];
    const figure = el('figure', { class: 'panel plot' }, el('figcaption', {}, el('b', { text: one.name }), el('span', { class: 'note', text: many.length > 1 ? (one.names ?? many.map((_, k) => `mode ${k + 1}`)).join(', ') : '' })), body);
    body.setAttribute('role', 'img');
    body.setAttribute('aria-label', `${one.name} over ${x.name}`);
    area.append(figure);
    const tints = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9'];
    new globalThis.uPlot({ width: Math.max(240, body.clientWidth || 420), height: body.clientHeight || 172, legend: { show: false }, cursor: { sync: { key: 'parameter' } },
      scales: { x: { time: false } }, axes: [{ ...axis, label: `${x.name}${widest.unit ? `, ${widest.unit}` : ''}`, size: 30, values: (u, marks) => marks.map((mark) => digits(mark, 6)) }, { ...axis, label: unit || '1', size: 56, values: (u, marks) => marks.map((mark) => digits(mark, 6)) }],
      series: [{}, ...many.map((_, k) => ({ stroke: tints[k % 6], width: 1.4, dash: dashes[Math.floor(k / 6) % 4], spanGaps: true, points: { show: xs.length < 60, size: 4 } }))] }, data, body);
  };
  const node = el('section', { class: 'block', 'aria-label': 'Plots' }, el('h2', { text: `Over ${x.name}` }), area);
  queueMicrotask(() => curves.forEach((one) => make(one, theme())));
  return node;
}

function build() {
  const start = restore();
  const main = el('main', {});
  document.body.append(header(), main, keys);
  const moves = clock.to > clock.from;
  const found = extremes(go);
  if (motion) {
    views.mechanism = viewer(state);
    const row = el('div', { class: journals.length ? 'grid wide' : 'grid' }, views.mechanism.node);
    main.append(row);
    if (journals.length) {
      views.clearance = clearanceView(state);
      row.append(views.clearance.node);
    } else if (found) row.append(found);
    if (moves) main.append(timeLine());
    if (journals.length && found) main.append(found);
  } else {
    const shapes = modes();
    if (shapes) main.append(shapes);
    else if (index.outputs) main.append(el('p', { class: 'panel note', text: 'This result has no motion (motion.parquet), so nothing is animated; run the model again for that.' }));
    if (moves) main.append(timeLine());
    if (found) main.append(found);
  }
  if (index.outputs) { views.plots = plots(state); main.append(views.plots.node); }
  for (const node of [pressures(), points(overParameter), bearings(), impacts(go), energy(), warnings(), solver(), parameters(), modelText()]) if (node) main.append(node);
  main.append(el('footer', {}, el('p', { text: `gudgeon ${record.gudgeon ?? ''} · everything on this page is in it: no network is used` }),
    el('details', {}, el('summary', { text: 'Licences of the libraries in this page' }), el('pre', { text: document.getElementById('licences')?.textContent ?? '' }))));
  if (moves) {
    clock.set(start ?? (record.window && record.window.to > record.window.from ? record.window.from : clock.from));
    if (!quiet && motion && start === null) clock.play(true);
  }
  // For those who want to look closer, and for tests.
  globalThis.gudgeon = { clock, record, index, views, state };
}

build();
