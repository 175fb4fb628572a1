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
      street: el("p", "street"),
      facing: el("p", "facing"),
      word: el("p", "word"),
      whose: el("p", "whose"),
      digits,
      burn: el("i", "burn"),
      bar: el("div", "bar", el("div", "fill")),
      detail: el("p", "detail"),
      said: el("p", "said"),
    };
    const { street, facing, word, whose, burn, bar, detail, said } = this.at;
    this.at.time = el("div", "time", burn, el("i", "horn"), digits, el("i", "horn"));
    this.seats = el("div", "seats");
    this.centre = el("div", "centre", said, el("div", "head", word, whose), el("div", "marks", street, facing), this.at.time, bar, detail);
    this.root = el("section", "felt", this.seats, this.centre);
    this._listen();
  }

  // ── sliding over seats ────────────────────────────────────────────────────────────────────────

  _slides = null; // {moved, ended}, while a finger may slide over the seats
  _path = null; // {finger, seats}

  /** Let one touch go over several seats; null lets a seat be a seat again. */
  slide(handlers) {
    this._slides = handlers;
    this._path = null;
    flag(this.root, "slides", handlers !== null);
    for (const seat of this.seats.children) flag(seat, "slid", false);
  }

  _listen() {
    const on = (type, act) => this.seats.addEventListener(type, (event) => {
      if (this._slides === null) return;
      event.stopPropagation(); // a seat is no target of its own meanwhile
      event.preventDefault();
      act(event);
    }, { capture: true });
    const ours = (event) => this._path !== null && event.pointerId === this._path.finger;
    on("pointerdown", (event) => {
      if (event.button !== 0 || this._path !== null) return;
      this._path = { finger: event.pointerId, seats: [] };
      this._over(event);
    });
    on("pointermove", (event) => { if (ours(event)) this._over(event); });
    on("pointerup", (event) => {
      if (!ours(event)) return;
      const last = this._over(event);
      const { seats } = this._path;
      this._path = null;
      // Lifted beside the seats it is taken back.
      if (last === null) this._slid([]);
      else this._slides.ended([...seats.filter((seat) => seat !== last), last], Math.round(performance.now()));
    });
    on("pointercancel", () => { this._path = null; this._slid([]); });
    on("click", () => {});
  }

  /** Take down the seat that a finger is over; gives it, or null. */
  _over(event) {
    const node = document.elementFromPoint(event.clientX, event.clientY)?.closest(".seat:not([data-empty])") ?? null;
    if (node === null || !this.seats.contains(node)) return null;
    const seat = Number(node.dataset.seat);
    if (!this._path.seats.includes(seat)) {
      this._path.seats.push(seat);
      this._slid(this._path.seats);
    }
    return seat;
  }

  _slid(seats) {
    for (const node of this.seats.children) flag(node, "slid", seats.includes(Number(node.dataset.seat)));
    this._slides.moved([...seats]);
  }

  // ── laying out ────────────────────────────────────────────────────────────────────────────────

  /** Lay out the seats again where the table or the screen has another size. */
  _lay(seats) {
    const { clientWidth, clientHeight } = this.root;
    const as = form(clientWidth, clientHeight);
    const laid = `${seats.length} ${as}`;
    if (laid === this._laid) return;
    this._laid = laid;
    this.seats.replaceChildren(...places(seats.length, as).map(({ x, y }, index) => this._made(index, x, y)));
    const across = as === "narrow" ? seats.length % 2 || (seats.length > 8 ? 1 : 0) : 1;
    document.documentElement.style.setProperty("--across", String(across));
    document.documentElement.style.setProperty("--rows", String(rows(seats.length)));
  }

  _made(index, x, y) {
    const line = el("span", "line", el("span", "number"), el("span", "name"), el("span", "dealer", "D"), el("span", "blind"));
    const made = el("button", "seat", line, el("span", "chips"));
    made.style.setProperty("--x", x.toFixed(4));
    made.style.setProperty("--y", y.toFixed(4));
    made.dataset.seat = String(index + 1);
    press(made, { tap: (own) => this._tap(index + 1, own), hold: (own) => this._hold(index + 1, own) });
    return made;
  }

  /**
   * Paint the seats. `picked` is the one whose sheet is open, `part` what is left of a burning chip's
   * time, `stage` says how a seat's tap stands.
   */
  paintSeats(seats, { picked, part, stage }) {
    this._lay(seats);
    for (const [index, seat] of seats.entries()) {
      const node = this.seats.children[index];
      const [line, chips] = node.children;
      const [number, name, dealer, blind] = line.children;
      const empty = seat.name === "";
      put(number, String(seat.seat));
      put(name, empty ? "empty" : seat.name);
      show(dealer, seat.button);
      put(blind, seat.blind);
      show(blind, seat.blind !== "");
      flag(node, "turn", seat.turn === "now");
      flag(node, "next", seat.turn === "next");
      flag(node, "folded", seat.folded);
      flag(node, "empty", empty);
      flag(node, "owes", seat.owes > 0);
      flag(node, "picked", seat.seat === picked);
      mark(node, "stage", stage(seat.seat));
      this._chips(chips, empty, seat);
      if (seat.burning) chips.style.setProperty("--part", part.toFixed(3));
    }
  }

  _chips(host, empty, { folded, all_in: allIn, chips, spent, burning, limit, owes }) {
    const drawn = JSON.stringify([empty, folded, allIn, chips, spent, burning, limit, owes]);
    if (host.dataset.drawn === drawn) return;
    host.dataset.drawn = drawn;
    const dot = (kind) => {
      const made = el("i", "chip");
      made.dataset.kind = kind;
      return made;
    };
    const row = (kind, count) => Array.from({ length: count }, () => dot(kind));
    // The chip that burns is spent already: its time is running down.
    const gone = Math.max(0, spent - (burning ? 1 : 0));
    const few = chips + spent <= DRAWN && limit === "" && !folded && !allIn; // words need the room
    const left = few ? row("left", chips) : [dot(chips > 0 ? "left" : "spent"), el("b", "", String(chips))];
    const dots = [...left, ...row("burning", burning ? 1 : 0), ...(few ? row("spent", gone) : [])];
    const tags = [folded && "folded", allIn && "all-in"].filter(Boolean).map((word) => el("span", "tag", word));
    const most = limit === "" ? [] : [el("span", "limit", limit)];
    host.replaceChildren(...(empty ? [] : [...tags, ...dots, ...most]));
    host.setAttribute("aria-label", empty ? "" : `${chips} time-bank chips`);
  }

  /** Paint the middle: one thing is the largest, and it is what the table needs to know now. */
  paintCentre({ word, title, street, facing, digits, progress, runs, burning, detail, said }) {
    const { at } = this;
    mark(at.facing, "faces", facing === "to call" ? "call" : "check");
    const lines = [[at.street, street], [at.facing, facing], [at.word, word], [at.whose, title], [at.detail, detail], [at.said, said]];
    for (const [node, text] of lines) {
      put(node, text);
      show(node, text !== "");
    }
    at.word.style.setProperty("--letters", String(word.length));
    // The digits have what the words leave.
    this.centre.style.setProperty("--lines", String([said, detail].filter(Boolean).length));
    this.centre.style.setProperty("--marks", street || facing ? "1" : "0");
    at.digits.text = digits;
    show(at.time, digits !== "");
    show(at.bar, runs);
    at.bar.firstChild.style.setProperty("--part", progress.toFixed(4));
    show(at.burn, burning);
    at.burn.style.setProperty("--part", progress.toFixed(4));
  }
}
