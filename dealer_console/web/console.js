// One table's console: paints the face, and sends what is tapped.

import { el, mark, put, show } from "/web/scenes/parts.js";

import { alarm, glance } from "./alarms.js";
import { Controls, KEYS } from "./controls.js";
import { face } from "./face.js";
import { Felt } from "./felt.js";
import { floorSheet, PinPad, seatSheet, settingsSheet } from "./menus.js";
import { press } from "./press.js";
import { Sheet } from "./sheet.js";
import { Taps } from "./taps.js";

/** A table being worked. */
export class Console {
  constructor(root, { link, session, event, table, settings, house, awake, repaint }) {
    Object.assign(this, { root, link, session, event, table, settings, house, awake, repaint });
    const of = `t/${event}`;
    this.topics = [of, `${of}/table/${table}`, `${of}/lease/${table}`];
    this.taps = new Taps();
    this._was = null; // the last glance, for alarms
    this._build();
  }

  /** Whether nothing runs and no tap waits: a moment at which the page may be loaded anew. */
  get isCalm() {
    return this.taps.waiting(this.link.now()).count === 0 && !this._face?.runs;
  }

  /** The link is closed for good. */
  abandoned() {
    this.taps.abandoned(this.link.now());
  }

  _build() {
    this.felt = new Felt({ tap: (seat, own) => this._tapSeat(seat, own), hold: (seat) => this._openSeat(seat) });
    this.controls = new Controls({
      tap: (key, own) => this._tapButton(key, own), hold: () => this._openTurn(), holds: ["bank"],
    });
    this.sheet = new Sheet(this.repaint);
    this.at = {
      title: el("h1", "title"), blinds: el("p", "blinds", el("span", "when"), el("b"), el("span", "ante")),
      nexthand: el("p", "pill nexthand"), notice: el("p", "pill notice"), gap: el("span", "gap"), mini: el("p", "mini"),
      collect: el("button", "collect", el("span"), el("span", "more")),
      who: el("div", "who", el("span", "name"), el("span", "sleep")), badge: el("p", "badge"),
    };
    this.words = el("div");
    this.words.id = "words";
    press(this.words, { tap: () => { this.taps.hush(); this.repaint(); } });
    press(this.at.collect, { tap: (own) => this._collect(own) });
    this.root.replaceChildren(el("header", "top", ...Object.values(this.at)), this.felt.root, this.controls.root, this.sheet.root, this.words);
  }
}
