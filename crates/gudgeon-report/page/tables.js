// Extremes, impacts, energy, solver, warnings, the model; and results that do not move: paths, modes, responses, bearings.

import { el, button, table, canvas, savePicture, fileName } from './dom.js';
import { quantity, digits, scale } from './units.js';
import { index, record } from './data.js';
import { KIND, theme, onTheme } from './colour.js';
import { clock, driveAngle } from './clock.js';
import { add, times } from './vector.js';
import { Camera, drawAxes, drawScale } from './canvas.js';
import { pointers } from './viewer.js';

const STATUS = { ok: 'completed', failed: 'failed', interrupted: 'interrupted', killed: 'killed', running: 'not finished' };

// Whether the run got into its measuring window.
const measured = Boolean(record.window && record.window.to > record.window.from);

export function header() {
  const name = record.model?.name ?? 'Gudgeon';
  const facts = [];
  if (record.window && record.final) facts.push(measured ? `0 … ${quantity(record.final.t, 's', 5)}, measured from ${quantity(record.window.from, 's', 5)}` : `0 … ${quantity(record.final.t, 's', 5)}, ended before its measuring window`);
  if (record.analysis) facts.push(`${record.analysis} analysis about ${record.about ?? 'the rest of the journals'}`);
  if (record.solver?.method) facts.push(`${record.solver.method}, ${record.solver.steps} steps`);
  if (record.energy && Number.isFinite(record.energy.residual_relative)) facts.push(`energy balance closes to ${digits(record.energy.residual_relative, 2)} of the peak kinetic energy`);
  const certified = record.certificate && Object.values(record.certificate.outputs ?? {});
  if (certified?.length) facts.push(`${Math.min(...certified.map((one) => Math.floor(one.digits ?? 0)))} digits or more certified`);
  const warnings = record.warnings ?? [];
  const badge = el('span', { class: `badge ${record.status}`, text: STATUS[record.status] ?? record.status ?? '' });
  const jump = warnings.length ? el('a', { href: '#warnings', class: 'badge warn', text: `${warnings.length} ${warnings.length === 1 ? 'warning' : 'warnings'}` }) : null;
  const node = el('header', { class: 'top' }, el('div', { class: 'title' }, el('h1', { text: name }), badge, jump), el('p', { class: 'facts', text: facts.join(' · ') }));
  const error = record.error;
  if (error) node.append(el('p', { class: 'error', role: 'alert' }, el('b', { text: error.message }), error.help ? el('span', { text: ` ${error.help}` }) : null));
  return node;
}

// Extremes beside those of ideal joints; a click goes there.
export function extremes(go) {
  const all = Object.entries(record.extremes ?? {});
  if (!all.length) return null;
  if (record.window && !measured) {
    return el('section', { class: 'panel', 'aria-label': 'Extremes' }, el('h2', { text: 'Extremes' }), el('p', { class: 'note', text: 'The run ended before its measuring window, so there are none.' }));
  }
  const ideal = record.baseline?.extremes;
  const certified = record.certificate?.outputs;
  const small = (name) => /film_thickness/.test(name);
  const jump = (value, unit, t) => (clock.to > clock.from
    ? button(quantity(value, unit), `Go to ${quantity(t, 's', 6)}`, () => go(t), { class: 'link', 'data-time': String(t) }) : quantity(value, unit));
  const head = ['output', { text: 'min', class: 'number' }, { text: 'at', class: 'number' }, { text: 'max', class: 'number' }, { text: 'at', class: 'number' }, { text: 'rms', class: 'number' }];
  if (ideal) head.push({ text: 'ideal joints', class: 'number' }, { text: 'ratio', class: 'number' });
  if (certified) head.push({ text: 'digits', class: 'number' });
  const time = (t) => (record.vary ? digits(t) : quantity(t, 's'));
  const rows = all.map(([name, one]) => {
    const least = small(name);
    // Rounding is no value.
    const most = Math.max(Math.abs(one.min), Math.abs(one.max));
    const shown = (value) => (Math.abs(value) < 1e-12 * most ? 0 : value);
    const cells = [{ text: name, class: 'name' }, wrap(jump(shown(one.min), one.unit, one.t_min), least || -one.min > one.max), { text: time(one.t_min), class: 'number muted' },
      wrap(jump(shown(one.max), one.unit, one.t_max), !least && one.max >= -one.min), { text: time(one.t_max), class: 'number muted' }, { text: quantity(one.rms, one.unit), class: 'number' }];
    const other = ideal?.[name];
    if (ideal) {
      const value = other ? other.abs_max : null;
      // What ideal joints do not have, such as a film, is not among their rows.
      const real = index.ideal && !index.ideal.outputs.some((output) => output.name === name);
      const known = other && !real && other.unique !== false;
      cells.push({ text: known && value > 0 ? quantity(value, one.unit) : '–', class: 'number ideal' }, { text: known && value > 0 ? `× ${digits(one.abs_max / value, 3)}` : '', class: 'number' });
    }
    if (certified) cells.push({ text: certified[name] ? String(Math.max(0, Math.floor(certified[name].extreme_digits ?? 0))) : '–', class: 'number' });
    return cells;
  });
  return el('section', { class: 'panel', 'aria-label': 'Extremes' }, el('h2', { text: record.vary ? 'Extremes over the path' : 'Extremes in the measuring window' }), el('div', { class: 'scroll' }, table(head, rows, { class: 'extremes' })));
}

function wrap(content, strong) {
  const node = el('span', { class: strong ? 'number strong' : 'number' }, content);
  return { text: undefined, node }.node;
}

export function impacts(go) {
  const all = record.impacts ?? [];
  if (!all.length) return null;
  const total = index.impacts;
  const head = ['joint', ...['#', 'at', 'speed in', 'peak force', 'peak indentation', 'restitution', 'energy lost'].map((text) => ({ text, class: 'number' }))];
  const rows = all.map((one) => [
    { text: one.spot ? `${one.joint}.${one.spot}` : one.joint, class: 'name' }, { text: String(one.number), class: 'number' },
    el('span', { class: 'number' }, button(quantity(one.t, 's', 5), `Go to ${quantity(one.t, 's', 6)}`, () => go(one.t), { class: 'link' })),
    { text: quantity(one.speed_in, 'm/s'), class: 'number' }, { text: quantity(one.peak_force, 'N'), class: 'number' }, { text: quantity(one.peak_depth, 'm'), class: 'number' },
    { text: one.restitution === null || one.restitution === undefined ? 'still touching' : digits(one.restitution, 3), class: 'number' }, { text: quantity(one.loss, 'J'), class: 'number' }]);
  const note = total > all.length ? `The ${all.length} largest of ${total}; all are in run.json.` : `${total} in the whole run.`;
  return el('section', { class: 'block', 'aria-label': 'Impacts' }, el('h2', { text: 'Impacts' }), el('p', { class: 'note', text: note }), el('div', { class: 'panel scroll tall' }, table(head, rows)));
}

// The ledger as bars about zero: what came in, what went out, what is stored.
export function energy() {
  const ledger = record.energy;
  if (!ledger?.lines?.length) return null;
  const lines = ledger.lines.filter((one) => Number.isFinite(one.value));
  const most = Math.max(...lines.map((one) => Math.abs(one.value)), 1e-300);
  const { factor, unit } = scale(most, 'J');
  const rows = lines.map((one) => {
    const bar = el('i', { class: one.value < 0 ? 'bar out' : 'bar in' });
    bar.style.width = `${(50 * Math.abs(one.value)) / most}%`;
    bar.style[one.value < 0 ? 'right' : 'left'] = '50%';
    return el('tr', {}, el('td', { text: one.kind }), el('td', { class: 'name', text: one.name }), el('td', { class: 'number', text: `${digits(one.value / factor)} ${unit}` }), el('td', { class: 'bars' }, el('span', {}, bar)));
  });
  return el('section', { class: 'block', 'aria-label': 'Energy' }, el('h2', { text: 'Where the energy went' }),
    el('p', { class: 'note', text: `Over the measuring window; the balance closes to ${digits(ledger.residual_relative, 2)} of the peak kinetic energy of ${quantity(ledger.peak_kinetic, 'J')}.` }),
    el('div', { class: 'panel scroll' }, table(['kind', 'of', { text: 'energy', class: 'number' }, 'out of the mechanism · into it'], rows, { class: 'ledger' })));
}

export function warnings() {
  const all = record.warnings ?? [];
  if (!all.length) return null;
  return el('section', { class: 'block', id: 'warnings', 'aria-label': 'Warnings' }, el('h2', { text: 'Warnings' }),
    el('ul', { class: 'panel warnings' }, all.map((one) => el('li', {}, el('b', { text: one.code ?? '' }), ' ', one.joint ? el('code', { text: one.joint }) : null, ' ', el('span', { text: one.message }), one.help ? el('span', { class: 'note', text: ` ${one.help}` }) : null))));
}

export function solver() {
  const one = record.solver;
  if (!one?.method) return null;
  const rows = [['method', `${one.method}${one.reason ? ` (${one.reason})` : ''}`], ['relative tolerance', digits(one.rtol, 2)], ['steps', String(one.steps)], ['rejected', String(one.rejected)], ['evaluations', String(one.evaluations)], ['events', String(one.events)], ['rows', String(one.rows)],
    ['constraint drift', `${digits(record.drift?.position, 2)} of the size, ${digits(record.drift?.velocity, 2)} of the speed`],
    ['degrees of freedom', String(record.assembly?.mobility ?? '–')], ['program', `gudgeon ${record.gudgeon ?? ''}`]];
  if (one.newton) rows.push(['Newton iterations', String(one.newton.iterations)], ['factorisations', String(one.newton.factorisations?.total ?? '')]);
  return el('section', { class: 'block half', 'aria-label': 'Solver' }, el('h2', { text: 'Solver' }), el('div', { class: 'panel scroll' }, table(['', ''], rows, { class: 'facts-table' })));
}

export function parameters() {
  const all = Object.entries(record.parameters ?? {});
  if (!all.length) return null;
  const rows = all.map(([name, one]) => [{ text: name, class: 'name' }, { text: quantity(one.value, one.unit), class: 'number' }, one.about ?? '']);
  return el('section', { class: 'block half', 'aria-label': 'Parameters' }, el('h2', { text: 'Parameters' }), el('div', { class: 'panel scroll' }, table(['name', { text: 'value', class: 'number' }, 'meaning'], rows)));
}

export function modelText() {
  const files = record.model?.files ?? [];
  if (!files.length) return null;
  const changes = Object.entries(record.overrides?.set ?? {}).map(([key, value]) => `--set "${key}=${value}"`);
  return el('section', { class: 'block', 'aria-label': 'Model' }, el('h2', { text: 'Model' }), changes.length ? el('p', {}, el('code', { text: changes.join(' ') })) : null,
    files.map((file) => el('details', { class: 'panel' }, el('summary', { text: file.name }), el('pre', { text: file.text }))));
}

// Results by value of a parameter or by frequency, as panels of curves.
export function points(draw) {
  const all = record.points ?? [];
  if (!all.length) return null;
  const curves = [];
  const value = (one) => one.frequency ?? one.value;
  const unit = record.analysis === 'response' ? 'Hz' : record.vary?.unit ?? '';
  const x = { name: record.analysis === 'response' ? 'frequency' : record.vary?.parameter ?? 'value', unit };
  const add = (name, unitOf, list) => curves.push({ name, unit: unitOf, points: list });
  if (all.some((one) => one.response)) {
    for (const name of Object.keys(all.find((one) => one.response).response)) {
      add(`${name}, amplitude`, '', all.filter((one) => one.response).map((one) => [value(one), one.response[name][0]]));
      add(`${name}, phase`, 'rad', all.filter((one) => one.response).map((one) => [value(one), one.response[name][1]]));
    }
  } else if (all.some((one) => one.outputs)) {
    for (const name of Object.keys(all.find((one) => one.outputs).outputs)) add(name, record.extremes?.[name]?.unit ?? '', all.filter((one) => one.outputs).map((one) => [value(one), one.outputs[name]]));
  } else if (all.some((one) => one.modes)) {
    const tracks = (of) => {
      const found = new Map();
      for (const one of all) for (const mode of one.modes ?? []) { if (!found.has(mode.track)) found.set(mode.track, []); found.get(mode.track).push([value(one), of(mode)]); }
      return [...found.values()];
    };
    curves.push({ name: 'frequency', unit: 'Hz', many: tracks((mode) => mode.frequency) }, { name: 'damping ratio', unit: '', many: tracks((mode) => mode.damping_ratio) });
  } else if (all.some((one) => one.bearings)) {
    const names = all.find((one) => one.bearings).bearings.map((one) => one.joint);
    const UNITS = { load: 'N', attitude: 'rad', film_thickness: 'm', peak_pressure: 'Pa', power_loss: 'W', oil_flow: 'm^3/s', film_torque: 'N m', critical_mass: 'kg', K_xx: 'N/m', K_xy: 'N/m', K_yx: 'N/m', K_yy: 'N/m', C_xx: 'N s/m', C_xy: 'N s/m', C_yx: 'N s/m', C_yy: 'N s/m' };
    for (const key of ['eccentricity_ratio', 'attitude', 'film_thickness', 'peak_pressure', 'power_loss', 'oil_flow', 'critical_mass', 'K_xx', 'K_xy', 'K_yx', 'K_yy', 'C_xx', 'C_xy', 'C_yx', 'C_yy']) {
      const many = names.map((name) => all.filter((one) => one.bearings).map((one) => [value(one), one.bearings.find((b) => b.joint === name)?.[key] ?? null]));
      if (many.flat().some(([, y]) => y !== null)) curves.push({ name: key, unit: UNITS[key] ?? '', many, names });
    }
  }
  if (value(all[0]) === undefined || all.length < 2) return curves.length ? null : null;
  return draw(x, curves);
}

export function bearings() {
  const all = (record.points ?? []).filter((one) => one.bearings);
  if (all.length !== 1) return null;
  const rows = all[0].bearings.flatMap((one) => Object.entries(one).filter(([, v]) => typeof v === 'number').map(([key, v]) => [{ text: one.joint, class: 'name' }, key, { text: digits(v), class: 'number' }]));
  return el('section', { class: 'block', 'aria-label': 'Bearings' }, el('h2', { text: 'Bearings at rest' }), el('div', { class: 'panel scroll' }, table(['bearing', 'quantity', { text: 'value (SI)', class: 'number' }], rows)));
}

// Shapes of modes that move.
export function modes() {
  const all = record.modes ?? [];
  const shapes = index.shapes;
  if (!all.length) return null;
  let chosen = 0;
  const select = (k) => { chosen = k; body.querySelectorAll('tr').forEach((row, n) => row.setAttribute('aria-selected', String(n === k))); };
  const shares = (named) => Object.entries(named ?? {}).slice(0, 3).map(([name, share]) => `${name} ${Math.round(100 * share)}\u00a0%`).join(', ');
  const rows = all.map((mode, k) => el('tr', { 'aria-selected': String(k === 0) }, el('td', {}, button(`mode ${k + 1}`, `Show mode ${k + 1}`, () => select(k), { class: 'link' })),
    el('td', { class: 'number', text: quantity(mode.frequency, 'Hz') }), el('td', { class: 'number', text: digits(mode.damping_ratio, 3) }), el('td', { text: shares(mode.kinetic) }), el('td', { text: shares(mode.strain) })));
  const grid = table(['', { text: 'frequency', class: 'number' }, { text: 'damping ratio', class: 'number' }, 'kinetic energy', 'energy of deformation'], rows, { class: 'modes' });
  const body = grid.querySelector('tbody');
  const list = el('section', { class: 'panel', 'aria-label': 'Modes' }, el('h2', { text: 'Modes' }), el('div', { class: 'scroll' }, grid));
  if (!shapes) return el('div', { class: 'grid' }, list);
  const camera = new Camera(shapes.planar);
  let [playing, phase, fitted, size, colours, last] = [!matchMedia('(prefers-reduced-motion: reduce)').matches, 0.25, false, 1, theme(), null];
  const box = shapes.bodies.flatMap((one) => [...one.points, one.centre]);
  const extent = Math.max(...[0, 1, 2].map((k) => Math.max(...box.map((p) => p[k])) - Math.min(...box.map((p) => p[k])))) || 1;
  const farthest = (mode) => Math.max(1e-300, ...mode.flat().map((p) => Math.hypot(...p.map(([re, im]) => Math.hypot(re, im)))));
  const picture = canvas('Shape of the chosen mode, moving; the table beside it has frequencies and shares of energy.', (context, width, height) => {
    if (!fitted) { camera.fit(box, width, height); camera.scale *= 0.85; fitted = true; }
    const [c, s] = [Math.cos(2 * Math.PI * phase), Math.sin(2 * Math.PI * phase)];
    const mode = shapes.modes[chosen] ?? [];
    const amplitude = (0.12 * size * extent) / farthest(mode);
    const line = (points, colour, w, dash) => {
      context.strokeStyle = colour; context.lineWidth = w; context.setLineDash(dash); context.beginPath();
      points.forEach((p, k) => { const [x, y] = camera.project(p, width, height); if (k) context.lineTo(x, y); else context.moveTo(x, y); });
      context.stroke(); context.setLineDash([]);
    };
    context.lineCap = 'round';
    shapes.bodies.forEach((one, b) => {
      const at = (k) => {
        const p = k < 0 ? one.centre : one.points[k];
        const u = mode[b]?.[k + 1];
        return u ? add(p, times(u.map(([re, im]) => re * c - im * s), amplitude)) : p;
      };
      const chains = one.line ? [one.points.map((_, k) => k)] : one.points.map((_, k) => [-1, k]);
      for (const chain of chains) line(chain.map((k) => (k < 0 ? one.centre : one.points[k])), colours.line, 1.5, [4, 3]);
      for (const chain of chains) line(chain.map(at), KIND.blue, 4, []);
      const [x, y] = camera.project(at(-1), width, height);
      context.fillStyle = KIND.red; context.beginPath(); context.arc(x, y, 3, 0, 7); context.fill();
    });
    drawAxes(context, camera, height, colours);
    drawScale(context, camera, width, height, colours, (length) => quantity(length, 'm', 2));
  });
  const state = {};
  pointers(picture.node, camera, picture.paint, state, null);
  onTheme(() => { colours = theme(); picture.paint(); });
  const frame = (now) => {
    if (playing && last !== null) { phase = (phase + Math.min(0.1, (now - last) / 1000) / 1.6) % 1; picture.paint(); }
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  const play = button(playing ? 'Pause' : 'Play', 'Play or pause', () => { playing = !playing; play.textContent = playing ? 'Pause' : 'Play'; });
  const tools = el('div', { class: 'tools' }, play, el('label', { class: 'slider' }, 'amplitude', el('input', { type: 'range', min: '0.1', max: '3', step: '0.1', value: '1', 'aria-label': 'Amplitude', oninput: (event) => { size = Number(event.target.value); picture.paint(); } })),
    button('PNG', 'Save this view as a picture', () => savePicture(`${fileName(record.model.name)}_mode_${chosen + 1}.png`, picture.node)));
  const view = el('section', { class: 'panel view', 'aria-label': 'Shape of the mode' }, el('h2', { text: 'Shape, not to scale' }), tools, el('div', { class: 'stage' }, picture.node), el('p', { class: 'note', text: 'dashed: at rest · red: mass centres' }));
  return el('div', { class: 'grid' }, view, list);
}

// The angle within its turn.
export function angleText(t) {
  const angle = driveAngle(t);
  if (angle === null) return '';
  const turn = Math.floor(angle / 360 + 1e-9);
  return `${digits(Math.max(0, angle - 360 * turn), 4)}° of turn ${turn + 1}`;
}
