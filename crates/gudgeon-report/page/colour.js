// Colours: Okabe and Ito's for kinds, viridis for sizes, one that diverges about 0 for signed values.

export const KIND = { blue: '#0072b2', sky: '#56b4e9', green: '#009e73', orange: '#e69f00', red: '#d55e00', pink: '#cc79a7' };

const VIRIDIS = ['#440154', '#482878', '#3e4989', '#31688e', '#26828e', '#1f9e89', '#35b779', '#6ece58', '#b5de2b', '#fde725'];
const DIVERGING = ['#2166ac', '#67a9cf', '#d1e5f0', '#f7f7f7', '#fddbc7', '#ef8a62', '#b2182b'];

function along(list, share) {
  const place = Math.max(0, Math.min(1, share)) * (list.length - 1);
  const i = Math.min(list.length - 2, Math.floor(place));
  const part = (hex, k) => parseInt(hex.slice(1 + 2 * k, 3 + 2 * k), 16);
  const mix = [0, 1, 2].map((k) => Math.round(part(list[i], k) + (place - i) * (part(list[i + 1], k) - part(list[i], k))));
  return `rgb(${mix.join(',')})`;
}

export const viridis = (share) => along(VIRIDIS, share);
// −1 … 1.
export const diverging = (value) => along(DIVERGING, 0.5 + 0.5 * value);

const dark = window.matchMedia('(prefers-color-scheme: dark)');

// The colours of the theme, as the style sheet has them.
export function theme() {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(name).trim();
  return {
    dark: dark.matches,
    text: read('--text'), muted: read('--muted'), line: read('--line'), grid: read('--grid'), panel: read('--panel'),
    main: read('--main'), ideal: read('--ideal'), body: read('--body'), edge: read('--edge'), ground: read('--ground'),
    force: read('--force'), touch: read('--touch'), free: read('--free'),
  };
}

export function onTheme(action) {
  dark.addEventListener('change', action);
}
