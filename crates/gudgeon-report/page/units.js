// Numbers and units as people read them.

const PREFIXES = { '-12': 'p', '-9': 'n', '-6': 'µ', '-3': 'm', 0: '', 3: 'k', 6: 'M', 9: 'G' };
const PREFIXED = ['s', 'm', 'N', 'W', 'J', 'Pa', 'Hz'];
const SUPERSCRIPT = { 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹', '-': '⁻', '.': '·' };

// `m/s^2` as m/s².
export function typeset(unit) {
  return (unit || '').replace(/\^(-?[\d.]+)/g, (_, digits) => [...digits].map((d) => SUPERSCRIPT[d]).join(''))
    .replace(/\*/g, '·');
}

// Power of ten and unit in which numbers of this size read well.
export function scale(size, unit) {
  if (!PREFIXED.includes(unit) || !(size > 0) || !Number.isFinite(size)) return { factor: 1, unit: typeset(unit) };
  let power = 3 * Math.floor(Math.log10(size) / 3 + 1e-9);
  power = Math.max(-12, Math.min(unit === 's' || unit === 'm' ? 0 : 9, power));
  if (power === 0 || (size >= 1 && size < 1e4)) power = 0;
  return { factor: 10 ** power, unit: PREFIXES[power] + typeset(unit) };
}

// As `scale`, with a power of ten in front of units that take no prefix.
export function plotScale(size, unit) {
  const found = scale(size, unit);
  if (found.factor !== 1 || !(size >= 1e4 || (size > 0 && size < 1e-2))) return found;
  const power = 3 * Math.floor(Math.log10(size) / 3 + 1e-9);
  const raised = [...String(power)].map((d) => SUPERSCRIPT[d]).join('');
  return { factor: 10 ** power, unit: `10${raised}${found.unit ? ` ${found.unit}` : ''}` };
}

export function digits(value, significant = 4) {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) {
    const [mantissa, power] = value.toExponential(significant - 1).split('e');
    return `${mantissa.replace('-', '−')} × 10${[...String(Number(power))].map((d) => SUPERSCRIPT[d]).join('')}`;
  }
  const places = Math.max(0, significant - 1 - Math.floor(Math.log10(size)));
  return Number(value.toFixed(Math.min(places, 12))).toString().replace('-', '−');
}

export function quantity(value, unit, significant = 4) {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  const { factor, unit: shown } = scale(Math.abs(value), unit);
  return `${digits(value / factor, significant)}${shown ? ' ' + shown : ''}`;
}

// As the command line reads it.
export function plain(value) {
  return Number(value.toPrecision(9)).toString();
}

// Round ticks within [from, to], some `count`.
export function ticks(from, to, count) {
  const raw = (to - from) / Math.max(1, count);
  if (!(raw > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((one) => one >= raw * 0.999);
  const out = [];
  for (let k = Math.ceil(from / step - 1e-9); k * step <= to + 1e-9 * step; k++) out.push(k * step);
  return out;
}
