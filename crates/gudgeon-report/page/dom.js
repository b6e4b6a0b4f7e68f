// Elements of the page. Texts are texts: nothing is ever read as markup.

export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (key === 'text') node.textContent = value;
    else node.setAttribute(key, value === true ? '' : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

export function clear(node) {
  node.replaceChildren();
  return node;
}

// Rows of cells; a cell is a text, a number of a class, or a node.
export function table(head, rows, attributes = {}) {
  const cell = (tag) => (content) =>
    content instanceof Node ? el(tag, {}, content)
      : content && content.text !== undefined ? el(tag, content) : el(tag, { text: content ?? '' });
  const heading = el('tr', {}, head.map((one) => {
    const node = cell('th')(one);
    node.setAttribute('scope', 'col');
    return node;
  }));
  const body = rows.map((row) => {
    if (row instanceof Node) return row;
    return el('tr', {}, row.map(cell('td')));
  });
  return el('table', attributes, el('thead', {}, heading), el('tbody', {}, body));
}

export function button(text, label, action, attributes = {}) {
  return el('button', { type: 'button', title: label, 'aria-label': label, onclick: action, text, ...attributes });
}

// A choice of words; `change` gets the value.
export function select(label, options, value, change) {
  const node = el('select', { 'aria-label': label, title: label },
    options.map(([key, text]) => el('option', { value: key, text, selected: key === value })));
  node.addEventListener('change', () => change(node.value));
  return node;
}

export function check(text, value, change) {
  const box = el('input', { type: 'checkbox' });
  box.checked = value;
  box.addEventListener('change', () => change(box.checked));
  const node = el('label', { class: 'check' }, box, text);
  node.box = box;
  return node;
}

// A sharp canvas that fills its parent; `draw(context, width, height)` in CSS pixels.
export function canvas(label, draw) {
  const node = el('canvas', { role: 'img', 'aria-label': label, tabindex: '0' });
  const context = node.getContext('2d');
  const paint = () => {
    const { clientWidth: width, clientHeight: height } = node;
    if (!width || !height) return;
    const ratio = window.devicePixelRatio || 1;
    const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (node.width !== w || node.height !== h) [node.width, node.height] = [w, h];
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    draw(context, width, height);
  };
  new ResizeObserver(paint).observe(node);
  return { node, paint, context };
}

export function save(name, blob) {
  const url = URL.createObjectURL(blob);
  const link = el('a', { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// A picture of canvases on the ground of the page.
export function savePicture(name, source) {
  const copy = document.createElement('canvas');
  [copy.width, copy.height] = [source.width, source.height];
  const context = copy.getContext('2d');
  context.fillStyle = getComputedStyle(document.body).getPropertyValue('--panel') || '#ffffff';
  context.fillRect(0, 0, copy.width, copy.height);
  context.drawImage(source, 0, 0);
  copy.toBlob((blob) => blob && save(name, blob), 'image/png');
}

export function fileName(text) {
  return text.replace(/[^\p{L}\p{N}._-]+/gu, '_').replace(/^[._]+/, '').slice(0, 80) || 'gudgeon';
}
