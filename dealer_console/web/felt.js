// The felt: the seats with their time-bank chips, and the clock in the middle.

import { el, mark, put, show } from "/web/scenes/parts.js";

import { form, places, rows } from "./places.js";
import { press } from "./press.js";

/** Chips that are drawn one by one; more are written as a number. */
const DRAWN = 8;

/** Set an attribute that is there or not. */
function flag(node, name, on) {
  if (on) node.dataset[name] ??= "";
  else delete node.dataset[name];
}

/** The upper half of the console. */
export class Felt {
  _laid = ""; // how many seats are laid out, and in which form

  /** `tap` and `hold` are called with a seat's number and our own time of the touch. */
  constructor({ tap, hold }) {
    this._tap = tap;
    this._hold = hold;
    const digits = document.createElement("rb-digits");
    this.at = {
      word: el("p", "word"),
      whose: el("p", "whose"),
      digits,
      time: el("div", "time", el("i", "horn"), digits, el("i", "horn")),
      outcome: el("p", "outcome"),
      bar: el("div", "bar", el("div", "fill")),
      burn: el("p", "burn", el("i"), el("span")),
      detail: el("p", "detail"),
    };
    const { word, whose, time, outcome, bar, burn, detail } = this.at;
    this.seats = el("div", "seats");
    this.centre = el("div", "centre", word, whose, outcome, time, bar, burn, detail);
    this.root = el("section", "felt", this.seats, this.centre);
  }

  /** Lay out the seats again where the table or the screen has another size. */
  _lay(seats) {
    const { clientWidth, clientHeight } = this.root;
    const as = form(clientWidth, clientHeight);
    const laid = `${seats.length} ${as}`;
    if (laid === this._laid) return;
    this._laid = laid;
    this.seats.replaceChildren(...places(seats.length, as).map(({ x, y }, index) => this._made(index, x, y)));
    const across = as === "narrow" ? seats.length % 2 || (seats.length > 8 ? 1 : 0) : 1;
    this.root.style.setProperty("--across", String(across));
    document.documentElement.style.setProperty("--rows", String(rows(seats.length)));
  }

  _made(index, x, y) {
    const line = el("span", "line", el("span", "number"), el("span", "name"), el("span", "dealer", "D"));
    const made = el("button", "seat", line, el("span", "chips"));
    made.style.setProperty("--x", x.toFixed(4));
    made.style.setProperty("--y", y.toFixed(4));
    made.dataset.seat = String(index + 1);
    press(made, { tap: (own) => this._tap(index + 1, own), hold: (own) => this._hold(index + 1, own) });
    return made;
  }

  /** Paint the seats; `picked` is the one whose sheet is open, `stage` says how a seat's tap stands. */
  paintSeats(seats, picked, stage) {
    this._lay(seats);
    for (const [index, seat] of seats.entries()) {
      const node = this.seats.children[index];
      const [line, chips] = node.children;
      const [number, name, dealer] = line.children;
      put(number, String(seat.seat));
      put(name, seat.empty ? "empty" : seat.name);
      show(dealer, Boolean(seat.button));
      flag(node, "turn", seat.turn);
      flag(node, "next", seat.next);
      flag(node, "folded", seat.folded);
      flag(node, "empty", seat.empty);
      flag(node, "owes", seat.owes);
      flag(node, "picked", seat.seat === picked);
      mark(node, "stage", stage(seat.seat));
      this._chips(chips, seat);
    }
  }

  _chips(host, { empty, folded, chips = 0, spent = 0, burning = 0, part = 1, limit = "", owes = "" }) {
    const drawn = `${empty} ${folded} ${chips} ${spent} ${burning} ${limit} ${owes}`;
    if (host.dataset.drawn !== drawn) {
      host.dataset.drawn = drawn;
      const dot = (kind) => { const made = el("i", "chip"); made.dataset.kind = kind; return made; };
      const few = chips + spent + burning <= DRAWN;
      const dots = few
        ? [...Array(chips).fill("left"), ...Array(burning).fill("burning"), ...Array(spent).fill("spent")].map(dot)
        : [...Array(Math.min(burning, 1)).fill("burning"), "left"].map(dot).concat(el("b", "", String(chips)));
      const tag = folded ? [el("span", "tag", "folded")] : [];
      const most = limit ? [el("span", "limit", limit)] : [];
      host.replaceChildren(...(empty ? [] : [...tag, ...(folded && !owes ? [] : dots), ...most]));
      host.setAttribute("aria-label", empty ? "" : `${chips} chips`);
    }
    if (burning > 0) host.style.setProperty("--part", part.toFixed(3));
  }

  /** Paint the middle: one thing is the largest, and it is what the table needs to know now. */
  paintCentre({ word, whose, digits, outcome, progress, burn, detail }) {
    const { at } = this;
    put(at.word, word);
    show(at.word, word !== "");
    put(at.whose, whose);
    show(at.whose, whose !== "");
    at.digits.text = digits;
    show(at.time, digits !== "");
    put(at.outcome, outcome);
    show(at.outcome, outcome !== "");
    show(at.bar, progress !== null);
    if (progress !== null) at.bar.firstChild.style.setProperty("--part", progress.toFixed(4));
    show(at.burn, burn !== null);
    if (burn !== null) {
      put(at.burn.lastChild, burn.words);
      at.burn.firstChild.style.setProperty("--part", burn.part.toFixed(3));
    }
    put(at.detail, detail);
    show(at.detail, detail !== "");
  }
}
