// Small parts that all scenes are made of. Text is only ever set as text.

const SVG = "http://www.w3.org/2000/svg";

/** Make an element with a class and children. */
export function el(tag, name = "", ...children) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  made.append(...children);
  return made;
}

/** Make an SVG element with attributes. */
export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Set a text, if it is another one. */
export function put(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Set data, if it is another one. */
export function mark(node, name, value) {
  if (node.dataset[name] !== String(value)) node.dataset[name] = value;
}

/** Show a node or not. */
export function show(node, shown) {
  if (node.hidden === shown) node.hidden = !shown;
}

const fitted = new WeakMap();
const SMALLEST = 0.3;

/** Set a text in one line and make its letters as small as it takes to fit. */
export function fit(node, text) {
  put(node, text);
  const before = fitted.get(node);
  const width = node.clientWidth;
  // Tabular digits: the same number of letters is as wide, up to what kinds of letters they are.
  const form = text.replace(/\d/g, "0");
  if (before && before.form === form && before.width === width) return;
  fitted.set(node, { form, width });
  node.style.setProperty("--fit", "1");
  if (width === 0) return;
  const needed = node.scrollWidth;
  if (needed > width) node.style.setProperty("--fit", String(Math.max(SMALLEST, (width / needed) * 0.98)));
}

/** Forget what fitted: the screen has another size, or another font. */
export function refit(root) {
  for (const node of root.querySelectorAll("*")) fitted.delete(node);
  widths.clear();
  for (const digits of root.querySelectorAll("rb-digits")) digits.measure();
}

// ── digits that never move sideways ─────────────────────────────────────────────────────────────

const widths = new Map();

/** Measure what a font's signs take, in ems: all digits get the room of the widest. */
function measured(family) {
  if (!widths.has(family)) {
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = `800 100px ${family}`;
    const wide = (signs) => Math.max(...[...signs].map((sign) => pen.measureText(sign).width)) / 100;
    const digit = wide("0123456789–");
    widths.set(family, { digit, colon: Math.max(0.28, wide(":") * 0.86), gap: digit / 2, letter: (sign) => wide(sign) + 0.02 });
  }
  return widths.get(family);
}

const kind = (sign) => (sign === ":" ? "colon" : /[\d–]/.test(sign) ? "digit" : sign === " " ? "gap" : "letter");

/** Large digits, each in a cell of its own, so that no font can make them jump. */
export class Digits extends HTMLElement {
  _text = "";

  set text(text) {
    if (text === this._text) return;
    const same = this._text.replace(/\d/g, "0") === text.replace(/\d/g, "0");
    this._text = text;
    this.setAttribute("aria-label", text);
    while (this.childElementCount > text.length) this.lastElementChild.remove();
    while (this.childElementCount < text.length) this.append(el("span"));
    for (const [index, sign] of [...text].entries()) put(this.children[index], sign);
    if (!same) this.measure();
  }

  /** Give every sign its room, by the font that is used now. */
  measure() {
    const font = measured(getComputedStyle(this).fontFamily);
    let whole = 0;
    for (const cell of this.children) {
      const name = kind(cell.textContent);
      const width = name === "letter" ? font.letter(cell.textContent) : font[name];
      if (cell.className !== name) cell.className = name;
      cell.style.width = `${width.toFixed(3)}em`;
      whole += width;
    }
    this.style.setProperty("--em", (whole || 1).toFixed(3));
  }
}

customElements.define("rb-digits", Digits);

// ── shapes ──────────────────────────────────────────────────────────────────────────────────────

const SHAPES = {
  playing: "M4 2l17 10L4 22z",
  spade: "M12 2C9 7 3 10 3 15a4.5 4.5 0 0 0 7.6 3.2C10.400 20 9.600 21.400 8 22h8c-1.600-.6-2.400-2-2.600-3.800A4.500 4.500 0 0 0 21 15C21 10 15 7 12 2z",
  paused: "M5 3h5v18H5zM14 3h5v18h-5z",
  "last-minute": "M12 1 24 22H0zM11 8v7h2V8zM11 17v2.500h2V17z",
  break: "M3 8h14v3h1.500a3.500 3.500 0 0 1 0 7H16a6 6 0 0 1-5 3H9a6 6 0 0 1-6-6zM17 13v3h1.500a1.500 1.500 0 0 0 0-3zM6 1h2v5H6zM11 1h2v5h-2z",
  "hand-for-hand": "M2 5l8-3 5 14-8 3zM14 4h8v15h-6l1-2z",
  waiting: "M5 1h14v3c0 4-3 6-5 8 2 2 5 4 5 8v3H5v-3c0-4 3-6 5-8-2-2-5-4-5-8zM8 4c0 2 2 4 4 5.500C14 8 16 6 16 4z",
  suspended: "M14 2a10 10 0 1 0 8 15A9 9 0 0 1 14 2z",
  "hard-stop": "M7 1h10l6 6v10l-6 6H7l-6-6V7zM6 10v4h12v-4z",
  finished: "M6 2h12v2h4v3a5 5 0 0 1-5 5 6 6 0 0 1-4 3v3h4v4H7v-4h4v-3a6 6 0 0 1-4-3 5 5 0 0 1-5-5V4h4zM4 6v1a3 3 0 0 0 2 2.800V6zM18 6v3.800A3 3 0 0 0 20 7V6z",
  stale: "M12 1 24 22H0zM11 8v7h2V8zM11 17v2.500h2V17z",
};

/** Draw a shape; `redraw` changes which. */
export function shape(name = "spade") {
  const path = svg("path", { d: SHAPES[name] ?? "", "fill-rule": "evenodd" });
  const made = svg("svg", { viewBox: "0 0 24 24", class: "shape", "aria-hidden": "true" }, path);
  made.redraw = (other) => path.setAttribute("d", SHAPES[other] ?? "");
  return made;
}

/** The colours that most rooms give to their chips; a theme may set --rb-chip-<n> otherwise. */
const CHIPS = {
  1: "#e9edf5", 5: "#d23b3b", 25: "#1f9d57", 100: "#23262d", 500: "#7b4fd6", 1000: "#f0c22e",
  5000: "#e8792b", 25000: "#3aa7c9", 100000: "#d9608f",
};

/** Draw a tournament chip with its value. */
export function chip(value, words) {
  const made = svg("svg", { viewBox: "0 0 100 100", class: "chip", role: "img", "aria-label": words });
  made.style.setProperty("--chip", `var(--rb-chip-${value}, ${CHIPS[value] ?? "#56709c"})`);
  made.append(
    svg("circle", { cx: 50, cy: 50, r: 48, class: "chip-body" }),
    svg("circle", { cx: 50, cy: 50, r: 42, class: "chip-edge", "stroke-dasharray": "14.66 18.33" }),
    svg("circle", { cx: 50, cy: 50, r: 32, class: "chip-face" }),
  );
  const text = svg("text", { x: 50, y: 50, class: "chip-value", "text-anchor": "middle", "dominant-baseline": "central" });
  text.textContent = words;
  text.setAttribute("font-size", words.length > 5 ? 12 : words.length > 3 ? 16 : 24);
  made.append(text);
  return made;
}

// ── facts ───────────────────────────────────────────────────────────────────────────────────────

/** A value that needs a line of its own on a narrow screen. */
const LONG_VALUE = 18;

/** Paint a list of facts, each a label, a value and a note. */
export function paintFacts(host, facts, name = "fact") {
  while (host.childElementCount > facts.length) host.lastElementChild.remove();
  while (host.childElementCount < facts.length) {
    host.append(el("div", name, el("p", "label"), el("p", "value"), el("p", "note")));
  }
  for (const [index, { label, value, note }] of facts.entries()) {
    mark(host.children[index], "long", value.length > LONG_VALUE);
    const [first, second, third] = host.children[index].children;
    put(first, label);
    fit(second, value);
    fit(third, note);
    show(third, note !== "");
  }
}
