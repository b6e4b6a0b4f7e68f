// Where a journal is in its bearing: the clearance fills the view.

import { el, clear, select, check, canvas, button, savePicture, fileName, table } from './dom.js';
import { quantity, digits } from './units.js';
import { index, record, array, parted, before } from './data.js';
import { KIND, viridis, theme, onTheme } from './colour.js';
import { clock, driveAngle } from './clock.js';
import { motion } from './mechanism.js';
import { arrow } from './canvas.js';

export const journals = (index.journals || []).map((one) => ({
  ...one, t: array(one.t), x: parted(one.columns[0]), y: parted(one.columns[1]),
  fx: parted(one.columns[2]), fy: parted(one.columns[3]), touches: parted(one.columns[4]),
})).filter((one) => one.t.length > 0);

// The journal at a time.
export function journalAt(journal, t) {
  const i = before(journal.t, t);
  const j = Math.min(i + 1, journal.t.length - 1);
  const width = journal.t[j] - journal.t[i];
  const s = width > 0 ? Math.max(0, Math.min(1, (t - journal.t[i]) / width)) : 0;
  const mix = (column) => column[i] + s * (column[j] - column[i]);
  return { x: mix(journal.x), y: mix(journal.y), fx: mix(journal.fx), fy: mix(journal.fy), touches: journal.touches[i] > 0.5, i };
}

export function clearanceView(state) {
  let colours = theme();
  const joint = (journal) => motion.mechanism.joints[journal.joint];
  const hasFilm = (journal) => joint(journal).clearance?.film;
  const beside = (journal) => journals.filter((one) => one.joint === journal.joint);
  // In the measuring window, where the run got there.
  const from = record.window && record.window.to > record.window.from ? record.window.from : 0;
  const largest = (journal) => {
    journal.largest ??= journal.fx.reduce((most, fx, k) => (journal.t[k] < from ? most : Math.max(most, Math.hypot(fx, journal.fy[k]))), 0);
    return journal.largest;
  };
  const current = () => journals[state.journal] || journals[0];
  const picture = canvas('', draw);

  // From a place in the clearance to the view.
  function draw(context, width, height) {
    const journal = current();
    const all = state.both ? beside(journal) : [journal];
    const radius = 0.44 * Math.min(width, height - 10);
    const [cx, cy] = [width / 2, height / 2];
    // The clearance is drawn as so much of the radius of the bearing, whatever it is in truth.
    const gap = radius * 0.62;
    const c = journal.clearance || 1e-9;
    const place = (x, y) => [cx + (gap * x) / c, cy - (gap * y) / c];
    context.lineWidth = 10;
    circle(context, cx, cy, radius + 5, colours.line);
    context.lineWidth = 1.5;
    circle(context, cx, cy, radius, colours.edge);
    context.setLineDash([2, 4]);
    circle(context, cx, cy, gap, colours.muted);
    context.setLineDash([]);
    context.lineWidth = 1;
    crossHair(context, cx, cy, colours.grid, radius);
    all.forEach((one, k) => {
      const now = journalAt(one, clock.t);
      const [x, y] = place(now.x, now.y);
      context.globalAlpha = 0.16;
      context.fillStyle = colours.main;
      context.beginPath(); context.arc(x, y, radius - gap, 0, 2 * Math.PI); context.fill();
      context.globalAlpha = 1;
      context.lineWidth = 1.5;
      context.setLineDash(k ? [5, 3] : []);
      circle(context, x, y, radius - gap, colours.main);
      context.setLineDash([]);
      trail(context, one, place, c);
      const force = Math.hypot(now.fx, now.fy);
      const length = (0.8 * radius * force) / (largest(one) || 1);
      if (force > 0) arrow(context, [x, y], [x + (length * now.fx) / force, y - (length * now.fy) / force], colours.force, 2.5);
      context.fillStyle = colours.text;
      context.beginPath(); context.arc(x, y, 4, 0, 2 * Math.PI); context.fill();
    });
    label(context, journal, width, height);
  }

  // The orbit, all of it faintly and the last turn in colour.
  function trail(context, journal, place, c) {
    const { t, x, y, touches } = journal;
    const film = hasFilm(journal);
    const recent = clock.period || (clock.to - clock.from) / 6;
    const [begin, end] = state.whole ? [0, t.length - 1] : [before(t, clock.t - recent), before(t, clock.t)];
    context.lineWidth = 1;
    context.strokeStyle = colours.grid;
    context.beginPath();
    for (let k = 0; k < t.length; k++) { const p = place(x[k], y[k]); if (k) context.lineTo(p[0], p[1]); else context.moveTo(p[0], p[1]); }
    if (state.rest) context.stroke();
    context.lineWidth = 1.6;
    for (let k = begin; k < end; k++) {
      const share = 1 - Math.hypot(x[k], y[k]) / c;
      context.strokeStyle = film ? viridis(0.12 + 0.88 * Math.max(0, share)) : touches[k] > 0.5 ? colours.touch : colours.free;
      const [a, b] = [place(x[k], y[k]), place(x[k + 1], y[k + 1])];
      context.beginPath(); context.moveTo(a[0], a[1]); context.lineTo(b[0], b[1]); context.stroke();
    }
  }

  function label(context, journal, width, height) {
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'bottom';
    context.fillStyle = colours.muted;
    context.textAlign = 'left';
    context.fillText(`clearance ${quantity(journal.clearance, 'm', 3)}`, 10, height - 8);
    context.textAlign = 'right';
    context.fillStyle = colours.force;
    context.fillText(`largest force ${quantity(largest(journal), 'N', 3)}`, width - 10, height - 8);
  }

  const words = el('p', { class: 'note' });
  const legend = el('p', { class: 'legend' });
  const bothBox = check('Both bases', state.both, (on) => { state.both = on; picture.paint(); });
  const tools = el('div', { class: 'tools' },
    select('Joint', journals.map((one, k) => [String(k), one.name]), String(state.journal), (value) => { state.journal = Number(value); change(); state.moved?.(); }),
    bothBox,
    check('Whole run', state.whole, (on) => { state.whole = on; picture.paint(); }),
    button('PNG', 'Save this view as a picture', () => savePicture(`${fileName(record.model.name)}_${fileName(current().name)}.png`, picture.node)));
  const values = el('div', {});
  const details = el('details', {}, el('summary', { text: 'The journal at this time' }), values);

  function tell() {
    const journal = current();
    const now = journalAt(journal, clock.t);
    const e = Math.hypot(now.x, now.y);
    words.textContent = `e/c = ${digits(e / journal.clearance, 3)} · ${now.touches ? 'in contact' : hasFilm(journal) ? `film ${quantity(journal.clearance - e, 'm', 3)}` : 'free'} · ${quantity(Math.hypot(now.fx, now.fy), 'N', 3)}`;
    if (details.open) {
      clear(values).append(table(['quantity', 'value'], [
        ['time', quantity(clock.t, 's', 6)], ['angle of the drive', driveAngle(clock.t) === null ? '–' : `${digits(driveAngle(clock.t), 5)}°`],
        ['eccentricity x', quantity(now.x, 'm')], ['eccentricity y', quantity(now.y, 'm')], ['e/c', digits(e / journal.clearance)],
        ['force x', quantity(now.fx, 'N')], ['force y', quantity(now.fy, 'N')], ['touches', now.touches ? 'yes' : 'no'],
      ]));
    }
  }
  function change() {
    const journal = current();
    const several = beside(journal).length > 1;
    bothBox.hidden = !several;
    if (!several) state.both = false;
    picture.node.setAttribute('aria-label', `Journal of ${journal.name} in its bearing, magnified so that the clearance of ${quantity(journal.clearance, 'm', 3)} fills the view. The table below has its place and force.`);
    clear(legend).append(...(hasFilm(journal)
      ? [swatch(viridis(0.12)), 'thin film', swatch(viridis(1)), 'centred']
      : [swatch(colours.touch), 'contact', swatch(colours.free), 'free']), swatch(colours.force), 'force on the journal');
    tell();
    picture.paint();
    node.querySelector('select').value = String(state.journal);
  }
  const node = el('section', { class: 'panel view', 'aria-label': 'Journal in its bearing' },
    el('h2', { text: 'Journal in its bearing' }), tools, el('div', { class: 'stage' }, picture.node), legend, words, details);
  details.addEventListener('toggle', tell);
  clock.on(() => { picture.paint(); tell(); });
  onTheme(() => { colours = theme(); change(); });
  change();
  return { node, change, choose(j) {
    const found = journals.findIndex((one) => one.joint === j);
    if (found >= 0) { state.journal = found; change(); }
  } };
}

export function swatch(colour) {
  const node = el('i', { class: 'swatch' });
  node.style.background = colour;
  return node;
}

function circle(context, x, y, radius, colour) {
  context.strokeStyle = colour;
  context.beginPath(); context.arc(x, y, Math.max(0.5, radius), 0, 2 * Math.PI); context.stroke();
}

function crossHair(context, x, y, colour, radius) {
  context.strokeStyle = colour;
  context.beginPath(); context.moveTo(x - radius, y); context.lineTo(x + radius, y); context.moveTo(x, y - radius); context.lineTo(x, y + radius); context.stroke();
}
