// The theme of this page, chosen by who looks at it and remembered here.

import { dress } from "/web/dress.js";
import { remember, store } from "/web/identity.js";

import { choice, setOptions } from "./parts.js";

const KEY = "railbird-director-theme";
const BUILT_IN = [["midnight", "Midnight"], ["classic", "Classic"], ["broadcast", "Broadcast"], ["daylight", "Daylight"], ["high-contrast", "High contrast"]];

/** The choice of a theme. */
export class Themes {
  constructor() {
    this._doc = null;
    this._known = BUILT_IN;
    this.control = choice(BUILT_IN, "midnight");
    this.control.className = "theme";
    this.control.title = "Theme";
    this.control.addEventListener("change", () => { this.use(this.control.value); this.control.blur(); });
    let before = null;
    try {
      before = store()?.getItem(KEY) ?? null;
    } catch { /* then the first one */ }
    if (before && /^[A-Za-z0-9_-]+$/.test(before)) this.use(before);
  }

  /** The themes that can be chosen, each as [id, name]. */
  get known() {
    return this._known;
  }

  use(name) {
    dress(name, this._doc);
    this.control.value = name;
    remember(KEY, name);
  }

  /** Take the next one. */
  next() {
    const at = this._known.findIndex(([name]) => name === this.control.value);
    this.use(this._known[(at + 1) % this._known.length][0]);
  }

  /** Offer the venue's own themes as well, where the hub lists them. */
  paint(doc) {
    if (doc === null || doc === this._doc) return;
    this._doc = doc;
    this._known = doc.themes.map(({ id, name }) => [id, name]);
    setOptions(this.control, this._known);
    dress(this.control.value, doc); // its file may have been edited
  }
}
