// Plots of outputs: over time or the angle of the drive, portraits, spectra, sections, loops.

import { el, clear, button, select, check, save, savePicture, fileName } from './dom.js';
import { quantity, digits, scale, plotScale, plain } from './units.js';
import { index, record, array } from './data.js';
import { KIND, theme, onTheme } from './colour.js';
import { clock, driveAngle } from './clock.js';

const outputs = index.outputs?.outputs ?? [];
const ideals = new Map((index.ideal?.outputs ?? []).map((one) => [one.name, one]));
const common = (set) => (set?.t ? array(set.t) : null);
const [shared, sharedIdeal] = [common(index.outputs), common(index.ideal)];

export function rows(output, ideal = false) {
  return [output.t ? array(output.t) : ideal ? sharedIdeal : shared, array(output.v)];
}

const list = (values, factor = 1) => Array.from(values, (value) => (Number.isFinite(value) ? value / factor : null));
const largest = (values) => values.reduce((most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most), 0);

const VIEWS = [['time', 'Over time'], ['phase', 'Phase portraits'], ['spectrum', 'Spectra'], ['section', 'Poincaré sections'], ['loops', 'Force–indentation loops']];

export function plots(state) {
  const area = el('div', { class: 'plots' });
  const made = [];
  let view = 'time';
  let zoom = record.window && record.window.to > record.window.from ? [record.window.from, record.window.to] : null;
  let busy = false;
  const has = { time: outputs.length, phase: outputs.some((o) => o.phase), spectrum: outputs.some((o) => o.spectrum), section: outputs.some((o) => o.section), loops: index.outputs?.loops?.length };
  const over = () => (state.over === 'angle' && clock.period ? 'angle' : 'time');
  const across = (t) => (over() === 'angle' ? driveAngle(t) : t);
  const back = (x) => (over() === 'angle' ? (x * clock.period) / 360 : x);
  const xScale = () => (over() === 'angle' ? { factor: 1, unit: '°' } : scale(clock.to, 's'));
  const tabs = el('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Kind of plot' }, VIEWS.filter(([key]) => has[key]).map(([key, text]) =>
    el('button', { type: 'button', role: 'tab', 'data-view': key, text, onclick: () => { view = key; zoom = null; build(); } })));
  const range = el('output', { class: 'note' });
  const tools = el('div', { class: 'tools' }, tabs,
    clock.period ? select('Abscissa', [['time', 'over time'], ['angle', 'over the angle of the drive']], state.over, (value) => { state.over = value; zoom = null; build(); state.moved?.(); }) : null,
    ideals.size ? check('Ideal joints', state.ideal, (on) => { state.ideal = on; build(); }) : null,
    button('Measuring window', 'Show the measuring window', () => set([record.window.from, record.window.to])),
    button('Whole run', 'Show all of the run', () => set(null)), range);

  // All panels show the same stretch of time.
  function set(stretch) {
    zoom = stretch && stretch[1] > stretch[0] ? stretch : null;
    const { factor } = xScale();
    const [from, to] = zoom ?? [clock.from, clock.to];
    busy = true;
    for (const one of made) one.plot.setScale('x', { min: across(from) / factor, max: across(to) / factor });
    busy = false;
    tell();
  }
  function tell() {
    const [from, to] = zoom ?? [clock.from, clock.to];
    if (view !== 'time') { range.textContent = ''; return; }
    range.textContent = `${quantity(from, 's', 5)} … ${quantity(to, 's', 5)}`;
  }

  function build() {
    made.splice(0).forEach((one) => one.plot.destroy());
    clear(area);
    for (const tab of tabs.children) tab.setAttribute('aria-selected', String(tab.dataset.view === view));
    const colours = theme();
    if (view === 'loops') loops(colours);
    else {
      const chosen = outputs.filter((output) => view === 'time' || output[view]);
      for (const output of chosen) lazily(output, colours);
    }
    area.classList.toggle('small', view !== 'time');
    tell();
  }

  // Panels are drawn when they come into sight.
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) { seen.unobserve(entry.target); entry.target.fill?.(); }
  }, { rootMargin: '300px' });

  function lazily(output, colours) {
    const body = el('div', { class: 'chart' });
    const figure = el('figure', { class: 'panel plot tall', 'data-output': output.name });
    const words = describe(output);
    figure.append(el('figcaption', {}, el('b', { text: output.name }), el('span', { class: 'note', text: output.about }), el('span', { class: 'grow' }), buttons(output, figure)), body,
      el('p', { class: 'note per', text: per(output) }));
    body.setAttribute('role', 'img');
    body.setAttribute('aria-label', words);
    figure.fill = () => {
      const plot = view === 'time' ? overTime(output, body, colours) : curve(output, body, colours);
      if (plot) { made.push({ plot, output, figure }); figure.plot = plot; }
    };
    area.append(figure);
    seen.observe(figure);
  }

  function describe(output) {
    const extreme = record.extremes?.[output.name];
    if (!extreme) return output.name;
    return `${output.name}: from ${quantity(extreme.min, output.unit)} at ${quantity(extreme.t_min, 's')} to ${quantity(extreme.max, output.unit)} at ${quantity(extreme.t_max, 's')} in the measuring window.`;
  }

  // What a column of pixels stands for.
  function per(output) {
    if (view === 'phase') return 'value and rate over the measuring window, from all rows';
    if (view === 'spectrum') return 'amplitude over the measuring window, Hann window, from all rows';
    if (view === 'section') return `once per turn of ${index.motion?.mechanism.drive ?? 'the drive'}, from all rows`;
    const total = index.outputs.rows;
    return output.t ? `${array(output.t).length} of ${total} rows: smallest and largest of each part at their own times, all rows around extremes and the largest impacts, the last turn in full` : `all ${total} rows`;
  }

  function size(body) { return { width: Math.max(200, body.clientWidth), height: body.clientHeight || 170 }; }

  function axes(colours, label, unit) {
    const font = '11px system-ui, sans-serif';
    const base = { stroke: colours.muted, font, grid: { stroke: colours.grid, width: 1 }, ticks: { stroke: colours.grid, width: 1, size: 4 } };
    return [{ ...base, label, labelFont: font, labelSize: 16, size: 30, values: (u, marks) => marks.map((mark) => digits(mark, 6)) }, { ...base, label: unit || '1', labelFont: font, labelSize: 16, size: 52, values: (u, marks) => marks.map((mark) => digits(mark, 6)) }];
  }

  function overTime(output, body, colours) {
    const [t, v] = rows(output);
    const ideal = state.ideal ? ideals.get(output.name) : null;
    const shown = xScale();
    const other = ideal ? rows(ideal, true) : null;
    const { factor, unit } = plotScale(largest(v), output.unit);
    const x = (times) => Float64Array.from(times, (one) => across(one) / shown.factor);
    const data = [[x(t), list(v, factor)]];
    if (other) data.push([x(other[0]), list(other[1], factor)]);
    const joined = other ? uPlot.join(data) : [Array.from(data[0][0]), data[0][1]];
    const series = [{}, { label: output.name, stroke: colours.main, width: 1.25, points: { show: false }, spanGaps: false }];
    if (other) {
      // Two sets of instants in one: what is missing is no gap.
      series[1].spanGaps = true;
      series.push({ label: 'ideal joints', stroke: colours.ideal, width: 1.25, dash: [5, 3], points: { show: false }, spanGaps: true });
    }
    const [from, to] = zoom ?? [clock.from, clock.to];
    const plot = new uPlot({
      ...size(body), series, axes: axes(colours, over() === 'angle' ? 'angle of the drive, °' : `time, ${shown.unit}`, unit),
      scales: { x: { time: false, min: across(from) / shown.factor, max: across(to) / shown.factor } },
      legend: { show: false },
      cursor: { sync: { key: 'time' }, drag: { x: true, y: false, setScale: true }, points: { size: 6 } },
      hooks: {
        setScale: [(u, key) => {
          if (key !== 'x' || busy || !u.ready) return;
          const { min, max } = u.scales.x;
          set([back(min * shown.factor), back(max * shown.factor)]);
        }],
        draw: [(u) => {
          const at = u.valToPos(across(clock.t) / shown.factor, 'x', true);
          const { left, width, top, height } = u.bbox;
          const [a, b] = [record.window.from, record.window.to].map((one) => u.valToPos(across(one) / shown.factor, 'x', true));
          u.ctx.save();
          u.ctx.fillStyle = colours.grid;
          u.ctx.globalAlpha = 0.35;
          if (a > left) u.ctx.fillRect(left, top, Math.min(a, left + width) - left, height);
          if (b < left + width) u.ctx.fillRect(b, top, left + width - b, height);
          u.ctx.globalAlpha = 1;
          if (at >= left && at <= left + width) {
            u.ctx.strokeStyle = colours.force;
            u.ctx.lineWidth = window.devicePixelRatio || 1;
            u.ctx.beginPath(); u.ctx.moveTo(at, top); u.ctx.lineTo(at, top + height); u.ctx.stroke();
          }
          u.ctx.restore();
        }],
        ready: [(u) => { u.ready = true; }],
      },
    }, joined, body);
    plot.over.addEventListener('click', () => {
      if (plot.cursor.left >= 0) clock.set(back(plot.posToVal(plot.cursor.left, 'x') * shown.factor));
    });
    plot.over.addEventListener('dblclick', () => set(null));
    plot.over.addEventListener('wheel', (event) => {
      if (!event.ctrlKey && !event.shiftKey) return;
      event.preventDefault();
      const at = back(plot.posToVal(event.offsetX, 'x') * shown.factor);
      const [p, q] = zoom ?? [clock.from, clock.to];
      const f = Math.exp(0.002 * (event.deltaY || event.deltaX));
      set([Math.max(clock.from, at + (p - at) * f), Math.min(clock.to, at + (q - at) * f)]);
    }, { passive: false });
    return plot;
  }

  function curve(output, body, colours) {
    const [xs, ys] = output[view].map(array);
    const spectrum = view === 'spectrum';
    const x = spectrum ? { factor: scale(xs[xs.length - 1], 'Hz').factor, unit: scale(xs[xs.length - 1], 'Hz').unit } : plotScale(largest(xs), output.unit);
    const rate = spectrum ? output.unit : output.unit ? `${output.unit}/s` : '1/s';
    const y = plotScale(largest(ys), rate);
    const label = spectrum ? `frequency, ${x.unit}` : `${output.name}${x.unit ? ', ' + x.unit : ''}`;
    const dots = view === 'section';
    return path2(body, colours, [{ x: list(xs, x.factor), y: list(ys, y.factor), colour: colours.main, dots }], label, y.unit);
  }

  // Curves that may go back: uPlot's second mode.
  function path2(body, colours, curves, xLabel, yLabel) {
    const draw = (u, k) => {
      const { x, y, dots } = curves[k - 1];
      const ratio = window.devicePixelRatio || 1;
      u.ctx.save();
      u.ctx.beginPath();
      u.ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
      u.ctx.clip();
      u.ctx.strokeStyle = u.ctx.fillStyle = curves[k - 1].colour;
      u.ctx.lineWidth = 1.2 * ratio;
      u.ctx.setLineDash((curves[k - 1].dash || []).map((one) => one * ratio));
      u.ctx.beginPath();
      let on = false;
      for (let i = 0; i < x.length; i++) {
        if (x[i] === null || y[i] === null) { on = false; continue; }
        const [px, py] = [u.valToPos(x[i], 'x', true), u.valToPos(y[i], 'y', true)];
        if (dots) { u.ctx.moveTo(px + 2.5 * ratio, py); u.ctx.arc(px, py, 2.5 * ratio, 0, 2 * Math.PI); } else if (on) u.ctx.lineTo(px, py); else u.ctx.moveTo(px, py);
        on = true;
      }
      if (dots) u.ctx.fill(); else u.ctx.stroke();
      u.ctx.restore();
      return null;
    };
    const ends = (key) => {
      let [low, high] = [Infinity, -Infinity];
      for (const one of curves) for (const v of one[key]) if (v !== null) { low = Math.min(low, v); high = Math.max(high, v); }
      const margin = 0.04 * (high - low) || Math.abs(high) * 0.1 || 1;
      return [low - margin, high + margin];
    };
    return new uPlot({
      mode: 2, ...size(body), axes: axes(colours, xLabel, yLabel), legend: { show: false }, cursor: { show: false },
      scales: { x: { time: false, auto: false, range: () => ends('x') }, y: { auto: false, range: () => ends('y') } },
      series: [null, ...curves.map(() => ({ stroke: colours.main, paths: draw, facets: [{ scale: 'x', auto: false }, { scale: 'y', auto: false }] }))],
    }, [null, ...curves.map(({ x, y }) => [x, y])], body);
  }

  function loops(colours) {
    const body = el('div', { class: 'chart' });
    const all = index.outputs.loops;
    const tints = [KIND.blue, KIND.red, KIND.green, KIND.orange, KIND.pink, KIND.sky];
    const figure = el('figure', { class: 'panel plot wide' }, el('figcaption', {}, el('b', { text: 'Force over indentation' }),
      el('span', { class: 'note', text: 'of the largest impacts, from all rows' })), body,
    el('p', { class: 'legend' }, all.map((one, k) => el('span', { text: `— ${one.joint}, impact ${one.impact}, ${quantity(one.t, 's')}`, 'data-tint': k }))));
    area.append(figure);
    const depth = scale(Math.max(...all.map((one) => largest(array(one.depth)))), 'm');
    const force = scale(Math.max(...all.map((one) => largest(array(one.force)))), 'N');
    figure.querySelectorAll('[data-tint]').forEach((node, k) => { node.style.color = tints[k % 6]; });
    made.push({ plot: path2(body, colours, all.map((one, k) => ({ x: list(array(one.depth), depth.factor), y: list(array(one.force), force.factor), colour: tints[k % 6], dash: k >= 6 ? [5, 3] : [] })), `indentation, ${depth.unit}`, force.unit), figure });
  }

  function buttons(output, figure) {
    const name = `${fileName(record.model.name)}_${fileName(output.name)}`;
    return el('span', { class: 'buttons' },
      button('PNG', `Save ${output.name} as a picture`, () => figure.plot && savePicture(`${name}.png`, figure.plot.ctx.canvas)),
      button('CSV', `Save the rows of ${output.name} that the page has`, () => save(`${name}.csv`, new Blob([csv(output)], { type: 'text/csv' }))),
      button('Command', 'Copy the command that draws this view from all rows', (event) => copy(event.target, command(output))));
  }

  // Rows of the stretch that is shown, as the tables of results have them.
  function csv(output) {
    const [t, v] = rows(output);
    const [from, to] = zoom ?? [clock.from, clock.to];
    const lines = [`t [s],${output.name}${output.unit ? ` [${output.unit}]` : ''}`];
    for (let k = 0; k < t.length; k++) if (t[k] >= from && t[k] <= to) lines.push(`${t[k]},${Number.isFinite(v[k]) ? v[k] : ''}`);
    return lines.join('\n') + '\n';
  }

  function command(output) {
    const folder = location.protocol === 'file:' ? decodeURIComponent(location.pathname).replace(/\/[^/]*$/, '') : 'results/NAME';
    const quoted = (text) => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
    const stretch = zoom ? ` --range "${plain(zoom[0])} s .. ${plain(zoom[1])} s"` : ' --range all';
    const angle = over() === 'angle' && outputs.some((o) => o.unit === 'rad' && o.name.endsWith('.angle'))
      ? ` --over ${quoted(outputs.find((o) => o.unit === 'rad' && o.name.endsWith('.angle')).name)}` : '';
    return `gudgeon plot ${quoted(folder)} --output ${quoted(output.name)}${stretch}${angle} --svg ${quoted(`${fileName(output.name)}.svg`)}`;
  }

  function copy(target, text) {
    const shown = el('textarea', { class: 'command', readonly: true, rows: '2', 'aria-label': 'Command' });
    shown.value = text;
    const figure = target.closest('figure');
    figure.querySelector('textarea.command')?.remove();
    figure.append(shown);
    shown.focus();
    shown.select();
    navigator.clipboard?.writeText(text).catch(() => {});
  }

  new ResizeObserver(() => made.forEach((one) => one.plot.setSize(size(one.plot.root.parentElement)))).observe(area);
  let pending = false;
  clock.on(() => {
    if (view !== 'time' || pending) return;
    pending = true;
    requestAnimationFrame(() => { pending = false; made.forEach((one) => visible(one.figure) && one.plot.redraw(false, false)); });
  });
  onTheme(build);
  const legendItems = [el('span', { class: 'key main', text: `— ${wordOfRun()}` }), ideals.size ? el('span', { class: 'key ideal', text: '- - ideal joints' }) : null];
  const node = el('section', { class: 'block', 'aria-label': 'Plots' }, el('h2', { text: 'Plots' }), tools, el('p', { class: 'legend' }, legendItems), area);
  build();
  return { node, set, build, get zoom() { return zoom; }, command, csv, outputs };
}

function visible(node) {
  const { top, bottom } = node.getBoundingClientRect();
  return bottom > 0 && top < window.innerHeight;
}

// What a run has that the one with ideal joints has not.
function wordOfRun() {
  const joints = index.motion?.mechanism.joints ?? [];
  const loose = joints.filter((one) => one.clearance);
  return loose.length ? (loose.every((one) => one.clearance.film) ? 'with film' : 'with clearance') : 'this run';
}
