// Small parts that all views are made of. Text is only ever set as text.

import { el, mark, put, show } from "/web/scenes/parts.js";

export { el, mark, put, show };

/** So long a dangerous button must be held. */
export const HOLD = 700;

/** Make a button; `kind` is how it looks, `key` the letter that does the same. */
export function button(words, press, { kind = "", key = "", hint = "", hold = false } = {}) {
  const made = el("button", kind, el("span", "words"));
  made.type = "button";
  put(made.firstChild, words);
  if (key) made.append(keycap(key));
  if (hint) made.title = hint;
  if (hold) holdToPress(made, press);
  else made.addEventListener("click", press);
  return made;
}

/** Give a button other words. */
export function relabel(made, words) {
  put(made.querySelector(".words"), words);
}

/** Show a key as it is on the keyboard. */
export function keycap(key) {
  const made = el("kbd");
  put(made, KEYS[key] ?? key);
  return made;
}

const KEYS = { " ": "space", Escape: "esc", Enter: "enter", ArrowRight: "→", ArrowLeft: "←" };

/** Let a button do its thing only when it was held: by finger, mouse, or the space bar. */
function holdToPress(made, press) {
  let timer = 0;
  made.classList.add("hold");
  made.title = "Hold to confirm";
  const stop = () => {
    clearTimeout(timer);
    timer = 0;
    made.classList.remove("held");
  };
  const start = () => {
    if (timer || made.disabled) return;
    made.classList.add("held");
    timer = setTimeout(() => { stop(); press(); }, HOLD);
  };
  made.addEventListener("pointerdown", start);
  made.addEventListener("keydown", (event) => {
    if (event.key !== " " && event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    start();
  });
  for (const end of ["pointerup", "pointerleave", "pointercancel", "keyup", "blur"]) made.addEventListener(end, stop);
  made.addEventListener("contextmenu", (event) => event.preventDefault());
}

const kept = new WeakMap(); // host -> Map of key -> node

/** Keep one node for each item, in their order: made once, painted again whenever it changed. */
export function rows(host, items, keyOf, make, paint) {
  const nodes = kept.get(host) ?? new Map();
  kept.set(host, nodes);
  const wanted = new Set();
  let before = null;
  for (const item of items) {
    const key = String(keyOf(item));
    wanted.add(key);
    let node = nodes.get(key);
    if (!node) {
      node = make(item);
      nodes.set(key, node);
    }
    paint(node, item);
    const place = before === null ? host.firstChild : before.nextSibling;
    if (place !== node) host.insertBefore(node, place);
    before = node;
  }
  for (const [key, node] of nodes) {
    if (wanted.has(key)) continue;
    node.remove();
    nodes.delete(key);
  }
}

/** Make a labelled field of a form. */
export function field(words, control) {
  const label = el("label", "field", el("span", "label", words), control);
  return label;
}

/** Make an input. */
export function input(value = "", { type = "text", placeholder = "", wide = false, most = 80 } = {}) {
  const made = el("input", wide ? "wide" : "");
  made.type = type;
  made.value = value;
  made.placeholder = placeholder;
  made.maxLength = most;
  made.autocomplete = "off";
  made.spellcheck = false;
  if (type === "number") made.inputMode = "numeric";
  return made;
}

/** Make a choice of one of several; each is [value, words]. */
export function choice(options, value = "") {
  const made = el("select");
  setOptions(made, options);
  made.value = value;
  return made;
}

/** Give a choice other options, and keep what was chosen where it still exists. */
export function setOptions(made, options) {
  const before = made.value;
  const said = JSON.stringify(options);
  if (made.dataset.options === said) return;
  made.dataset.options = said;
  made.replaceChildren(...options.map(([value, words]) => {
    const option = el("option", "", words);
    option.value = value;
    return option;
  }));
  if (options.some(([value]) => value === before)) made.value = before;
}

/** Make a card with a title. */
export function card(title, name = "", ...children) {
  return el("section", `card ${name}`, el("h2", "label", title), ...children);
}
