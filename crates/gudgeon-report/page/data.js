// The data of the page: an index, and arrays in one block.

export const index = JSON.parse(document.getElementById('index').textContent);
export const record = index.record;

const bytes = (() => {
  const text = atob(document.getElementById('block').textContent);
  const out = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) out[i] = text.charCodeAt(i);
  return out.buffer;
})();

const KINDS = { f4: Float32Array, f8: Float64Array, u2: Uint16Array };

export function array({ at, n, kind }) {
  return new KINDS[kind](bytes, at, n);
}

// Values that were kept in 65535 parts of their range.
export function parted([reference, [low, high]]) {
  const width = (high - low) / 65535;
  return Float64Array.from(array(reference), (part) => low + width * part);
}

// Index of the last of rising values that is not beyond t.
export function before(times, t) {
  let [low, high] = [0, times.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t) low = middle; else high = middle - 1;
  }
  return low;
}
