// The lower half: buttons that never change their places, only what they say.

import { el, mark, put, show } from "/web/scenes/parts.js";

import { press } from "./press.js";

/** Every button in the order in which a reader meets it; dealer.css says where it is. */
export const KEYS = ["big", "fold", "next", "count", "all_in", "bank", "floor", "street", "over", "undo", "menu"];

/** The buttons. */
export class Controls {
  _buttons = new Map();

  /** `tap` and `hold` are called with a button's key; `holds` lists those that can be held. */
  constructor({ tap, hold, holds = [] }) {
    this.root = el("section", "controls");
    for (const key of KEYS) {
      const made = el("button", key, el("span", "label"), el("span", "note"));
      made.dataset.key = key;
      made.style.gridArea = key;
      press(made, { tap: (own) => tap(key, own), hold: holds.includes(key) ? (own) => hold(key, own) : null });
      this._buttons.set(key, made);
      this.root.append(made);
    }
  }

  /** Paint one button; what it cannot do now is seen, and it stays where it is. */
  paint(key, { label, note = "", on = false, off = false, tone = "" }, stage) {
    const node = this._buttons.get(key);
    put(node.children[0], label);
    put(node.children[1], note);
    show(node.children[1], note !== "");
    if (off) node.dataset.off ??= ""; else delete node.dataset.off;
    if (on) node.dataset.on ??= ""; else delete node.dataset.on;
    mark(node, "tone", tone);
    mark(node, "stage", stage);
    node.setAttribute("aria-disabled", String(off));
  }
}
