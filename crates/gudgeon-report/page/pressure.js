// Pressure of films all around: maps of one scale, and another colour where there is none.

import { el, select, canvas, button, savePicture, fileName } from './dom.js';
import { quantity, digits, ticks } from './units.js';
import { index, record, parted } from './data.js';
import { viridis, theme, onTheme } from './colour.js';

export function pressures() {
  const all = (index.pressures ?? []).map((one) => ({ ...one, values: parted(one.pressure) })).filter((one) => one.around > 1);
  if (!all.length) return null;
  const most = Math.max(...all.map((one) => one.pressure[1][1]));
  let chosen = 0;
  let colours = theme();
  const picture = canvas('', (context, width, height) => {
    const { values, around, ends } = all[chosen];
    const along = values.length / around;
    const [left, top, right, bottom] = [52, 8, width - 70, height - 34];
    const [w, h] = [(right - left) / (around - 1), (bottom - top) / (along - 1)];
    for (let j = 0; j < along; j++) {
      for (let i = 0; i < around; i++) {
        const p = values[j * around + i];
        context.fillStyle = p > 1e-4 * most ? viridis(p / most) : colours.grid;
        const [x, y] = [left + (i - 0.5) * w, bottom - (j + 0.5) * h];
        context.fillRect(Math.max(left, x), Math.max(top, y), Math.min(w + 1, right - x), Math.min(h + 1, bottom - y));
      }
    }
    context.strokeStyle = colours.line; context.strokeRect(left, top, right - left, bottom - top);
    context.font = '11px system-ui, sans-serif'; context.fillStyle = colours.muted; context.textAlign = 'center'; context.textBaseline = 'top';
    for (let a = 0; a <= 360; a += width < 500 ? 90 : 45) context.fillText(`${a}°`, left + (a / 360) * (right - left), bottom + 4);
    context.fillText('angle in axes of the bearing', (left + right) / 2, bottom + 18);
    context.textAlign = 'right'; context.textBaseline = 'middle';
    for (const mark of ticks(ends[0] * 1e3, ends[1] * 1e3, 4)) context.fillText(`${digits(mark)} mm`, left - 5, bottom - ((mark / 1e3 - ends[0]) / (ends[1] - ends[0])) * (bottom - top));
    context.textAlign = 'left';
    for (let k = 0; k <= 40; k++) { context.fillStyle = viridis(k / 40); context.fillRect(right + 10, bottom - ((k + 1) / 41) * (bottom - top), 10, (bottom - top) / 41 + 1); }
    context.fillStyle = colours.muted;
    context.fillText(quantity(most, 'Pa', 3), right + 8, top + 2 - 0); context.fillText('0', right + 24, bottom - 4);
  });
  const name = (one) => `${one.joint} at ${quantity(one.t, 's', 5)}`;
  const words = el('p', { class: 'note' });
  const change = () => {
    const one = all[chosen];
    const fact = (record.fields ?? []).find((field) => field.joint === one.joint && field.t === one.t);
    words.textContent = fact ? `peak ${quantity(fact.peak.pressure, 'Pa')} at ${digits((fact.peak.angle * 180) / Math.PI)}° · thinnest film ${quantity(fact.film.thickness, 'm')} at ${digits((fact.film.angle * 180) / Math.PI)}° · grey: no pressure, oil cavitates` : 'grey: no pressure, oil cavitates';
    picture.node.setAttribute('aria-label', `Pressure of the film of ${name(one)}, unrolled. ${words.textContent}`);
    picture.paint();
  };
  onTheme(() => { colours = theme(); picture.paint(); });
  const node = el('section', { class: 'block', 'aria-label': 'Film pressure' }, el('h2', { text: 'Film pressure' }),
    el('div', { class: 'panel view' }, el('div', { class: 'tools' }, select('Film and time', all.map((one, k) => [String(k), name(one)]), '0', (value) => { chosen = Number(value); change(); }),
      button('PNG', 'Save this map as a picture', () => savePicture(`${fileName(record.model.name)}_pressure.png`, picture.node))), el('div', { class: 'stage low' }, picture.node), words));
  change();
  return node;
}
