// A sheet: more choices in the place of the buttons. The felt and its clock stay in sight.

import { el, mark, put, show } from "/web/scenes/parts.js";

import { press } from "./press.js";

/** A finger that bounces on the button that opened a sheet must not hit what came under it. */
const DEAF_FOR = 400;

/** Untouched for so long a sheet goes away: the buttons are what a dealer's hand looks for. */
export const CLOSES_AFTER = 20_000;

/** Set data that is there or not. */
function flag(node, name, on) {
  if (on) node.dataset[name] ??= "";
  else delete node.dataset[name];
}

const now = () => Math.round(performance.now());

/**
 * One sheet at a time. What is on it is asked for at every paint, as data:
 * {title, note, columns, narrow, stays, items: [{key, label, note, tone, off, act}]}.
 * An item may also be a setting with its choices, the dots of what was typed, or a form.
 */
export class Sheet {
  _content = null; // () => data
  _items = new Map(); // key -> item, as last asked for
  _form = "";
  _openedAt = 0;
  _touchedAt = 0;

  constructor(onchange) {
    this._onchange = onchange;
    this.root = el("section", "sheet");
    this.at = { title: el("h2"), note: el("p"), close: el("button", "close", "BACK"), body: el("div", "body") };
    this.at.body.dataset.scrolls = "";
    this.root.append(el("div", "head", this.at.title, this.at.note), this.at.close, this.at.body);
    this.root.addEventListener("pointerdown", () => { this._touchedAt = now(); }, { capture: true });
    press(this.at.close, { tap: () => this.close(), can: () => this._hears() });
    show(this.root, false);
  }

  get isOpen() {
    return this._content !== null;
  }

  /** Which sheet is open, by the name that it was opened with. */
  name = "";

  open(name, content) {
    this.name = name;
    this._content = content;
    this._form = "";
    this._openedAt = this._touchedAt = now();
    mark(this.root, "name", name);
    mark(this.root, "hears", false);
    setTimeout(() => { if (this._hears()) mark(this.root, "hears", true); }, DEAF_FOR + 10);
    this._onchange();
  }

  close() {
    this._content = null;
    this.name = "";
    this._onchange();
  }

  _hears() {
    return now() - this._openedAt >= DEAF_FOR;
  }

  /** Paint what is on the sheet now; returns in how many milliseconds it goes away by itself. */
  paint() {
    const content = this._content?.() ?? null;
    if (content === null) this._content = null;
    const left = this._touchedAt + CLOSES_AFTER - now();
    if (this._content !== null && !content.stays && left <= 0) this._content = null;
    show(this.root, this._content !== null);
    if (this._content === null) {
      this.name = "";
      return null;
    }
    put(this.at.title, content.title);
    put(this.at.note, content.note ?? "");
    this._items = new Map(content.items.map((item) => [item.key, item]));
    // What stays is changed in place: a finger may be on it.
    const form = JSON.stringify(content.items.map(({ key }) => key));
    if (form !== this._form) this._build(content);
    this._form = form;
    for (const [index, item] of content.items.entries()) this._dress(this.at.body.children[index], item);
    return content.stays ? null : left;
  }

  _build({ items, columns = 4, narrow = 2 }) {
    const { body } = this.at;
    body.style.setProperty("--wide", String(columns));
    body.style.setProperty("--narrow", String(narrow));
    // Few items are not made as high as the sheet: a target that large is no easier to hit.
    body.style.setProperty("--rows", String(Math.ceil(items.length / columns) + 1));
    mark(body, "rows", items.some(({ choices }) => choices) ? "choices" : "items");
    body.replaceChildren(...items.map((item) => this._made(item)));
  }

  _made(item) {
    if (item.choices) return this._setting(item);
    if (item.dots) return el("p", "typed");
    if (item.asks) return this._typing(item);
    const made = el("button", "", el("span", "label"), el("span", "note"));
    made.dataset.key = item.key;
    // What it does is looked up when it is touched: the table may have moved on since it was drawn.
    this._target(made, () => this._items.get(item.key), (found, own) => found.act(own));
    return made;
  }

  /** Let something on the sheet be touched; what it changes is seen at once. */
  _target(node, find, act) {
    const can = () => this._hears() && find() !== undefined && !find().off;
    press(node, { tap: (own) => { act(find(), own); this._onchange(); }, release: true, can });
  }

  /** Give a node the words and marks that its item has now. */
  _dress(node, item) {
    if (item.choices) {
      for (const button of node.lastChild.children) flag(button, "chosen", button.dataset.key === `${item.key}-${item.chosen}`);
    } else if (item.dots) {
      const drawn = `${item.typed} of ${item.dots}`;
      if (node.dataset.drawn === drawn) return;
      node.dataset.drawn = drawn;
      node.replaceChildren(...Array.from({ length: item.dots }, (_, index) => this._dot(index < item.typed)));
    } else if (!item.asks) {
      put(node.firstChild, item.label);
      mark(node, "tone", item.tone ?? "");
      put(node.lastChild, item.note ?? "");
      show(node.lastChild, Boolean(item.note));
      flag(node, "off", item.off);
      node.setAttribute("aria-disabled", String(Boolean(item.off)));
    }
  }

  _dot(full) {
    const made = el("i");
    flag(made, "full", full);
    return made;
  }

  _setting({ key, label, choices }) {
    const buttons = choices.map(([value, words]) => {
      const made = el("button", "", words);
      made.dataset.key = `${key}-${value}`;
      this._target(made, () => this._items.get(key), (found) => found.choose(value));
      return made;
    });
    return el("div", "setting", el("span", "", label), el("div", "choices", ...buttons));
  }

  _typing({ key, asks, label, most }) {
    const input = el("input");
    input.placeholder = asks;
    input.maxLength = most;
    input.autocomplete = "off";
    input.enterKeyHint = "send";
    input.addEventListener("input", () => { this._touchedAt = now(); });
    const send = el("button", "", label);
    send.type = "button";
    const form = el("form", "", input, send);
    const act = (own) => { if (input.value.trim()) this._items.get(key)?.act?.(own, input.value.trim()); };
    press(send, { tap: act, can: () => this._hears() });
    form.addEventListener("submit", (event) => { event.preventDefault(); act(now()); });
    return form;
  }
}
