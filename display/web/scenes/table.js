// The scene `table`: one feature table, for the rail and, transparent, over a live stream.

import { wallWords } from "../scenes.js";
import { tableWords } from "../table.js";
import { head } from "./lobby.js";
import { el, fit, mark, put, show } from "./parts.js";

/** The dealer sits at the bottom; so many degrees are theirs. */
const DEALER = 56;

/** Time-bank chips that are drawn one by one; more are written as a number. */
const DRAWN = 8;

/** Give where a seat is around the felt, from -1 to 1 either way. Seat 1 is at the dealer's left. */
export function place(index, size) {
  const step = (360 - DEALER) / size;
  const angle = ((90 + DEALER / 2 + step * (index + 0.5)) * Math.PI) / 180;
  // A little squarer than an ellipse, as real tables are: more room at the corners.
  const squared = (value) => Math.sign(value) * Math.abs(value) ** 0.8;
  return { x: squared(Math.cos(angle)), y: squared(Math.sin(angle)) };
}

/**
 * Give where a seat is on a screen that is higher than wide: in two columns, with the middle left
 * free for the clock. `end` is 1 at the bottom; `row` counts from there, or from the top.
 */
export function placeUpright(index, size) {
  const column = Math.floor(size / 2);
  if (size % 2 === 1 && index === column) return { side: 0, end: -1, row: 0 };
  const left = index < column;
  const up = left ? index : size - 1 - index; // how many of the column sit below
  const below = Math.floor(column / 2);
  const [end, row] = up < below ? [1, up] : [-1, column - 1 - up];
  return { side: left ? -1 : 1, end, row };
}

/** Show one table. */
export function tableScene(host, { event, table }) {
  const top = head("");
  const at = {
    root: el("section", "table"),
    band: el("p", "band"),
    felt: el("div", "felt"),
    seats: el("div", "seats"),
    centre: el("div", "centre"),
    word: el("p", "word"),
    digits: document.createElement("rb-digits"),
    whose: el("p", "whose"),
    bank: el("p", "bank"),
    hand: el("p", "hand"),
    blinds: el("p", "blinds"),
    foot: el("p", "foot"),
    empty: el("p", "empty"),
  };
  at.centre.append(at.word, at.digits, at.whose, at.bank, at.blinds, at.hand);
  at.felt.append(at.seats, at.centre);
  at.root.append(top.root, at.band, at.felt, at.foot, at.empty);
  host.append(at.root);
  const [own, whole] = [`t/${event}/table/${table}`, `t/${event}`];
  return {
    topics: [whole, own],
    badge: top.badge,
    sounds: { event: whole, table: own },
    action: true,
    paint(seen) {
      const { read, now, zone, away, time } = seen;
      put(top.clock, time);
      const doc = read(own);
      const room = read(whole);
      put(top.title, doc ? `TABLE ${doc.table}` : `TABLE ${table}`);
      put(top.note, room ? room.name : "");
      show(at.felt, Boolean(doc));
      put(at.empty, `Table ${table} is not open.`);
      show(at.empty, !doc && seen.heard(own));
      show(at.foot, Boolean(doc));
      show(at.band, false);
      if (!doc) return null;
      const words = tableWords(doc, now, room?.action_clock ?? null);
      const state = room ? wallWords(room, now, { zone, away }) : null;
      paintBand(at, words, state);
      paintSeats(at.seats, words.seats);
      paintCentre(at, words);
      put(at.foot, words.collect || words.next);
      return words.repaint_in;
    },
  };
}

const ROOM_SPEAKS = new Set(["paused", "break", "hand-for-hand", "hard-stop", "suspended", "finished", "waiting"]);

function paintBand(at, words, state) {
  const room = state && ROOM_SPEAKS.has(state.state) ? [state.band, state.band_detail].filter(Boolean).join(" · ") : "";
  const text = words.band || room;
  fit(at.band, text);
  show(at.band, text !== "");
  mark(at.root, "state", words.band ? "paused" : state?.state ?? "");
}

function paintCentre(at, { clock, word, whose, bank, blinds, hand }) {
  mark(at.root, "urgent", clock?.urgent ?? "");
  mark(at.root, "runs", clock?.runs ?? false);
  mark(at.root, "clock", clock !== null);
  fit(at.word, clock?.word ?? word ?? "");
  show(at.word, at.word.textContent !== "");
  mark(at.word, "outcome", Boolean(clock?.outcome));
  mark(at.word, "stands", clock !== null && !clock.runs);
  at.digits.text = clock?.digits ?? "";
  show(at.digits, Boolean(clock?.digits));
  fit(at.whose, whose);
  put(at.bank, bank);
  show(at.bank, bank !== "");
  fit(at.blinds, blinds);
  put(at.hand, hand);
}

function paintSeats(host, seats) {
  if (host.childElementCount !== seats.length) {
    host.replaceChildren(...seats.map((_, index) => seat(index, seats.length)));
    mark(host, "crowded", seats.length > 10);
  }
  for (const [index, each] of seats.entries()) paintSeat(host.children[index], each);
}

function seat(index, size) {
  const made = el("article", "seat", el("span", "number"), el("span", "name"), el("span", "chips"), el("span", "tag"));
  const { x, y } = place(index, size);
  made.style.setProperty("--x", x.toFixed(4));
  made.style.setProperty("--y", y.toFixed(4));
  for (const [name, value] of Object.entries(placeUpright(index, size))) made.style.setProperty(`--${name}`, String(value));
  return made;
}

function paintSeat(made, { seat: number, name, empty, bank = 0, spent = 0, turn, button, folded, limit = "" }) {
  const [first, second, chips, tag] = made.children;
  mark(made, "turn", Boolean(turn));
  mark(made, "folded", Boolean(folded));
  mark(made, "empty", empty);
  put(first, String(number));
  mark(first, "button", Boolean(button));
  put(second, empty ? "empty" : name);
  mark(second, "long", name.length > 30 ? "very" : name.length > 16 ? "yes" : "no");
  const drawn = bank + spent <= DRAWN ? "●".repeat(bank) + "○".repeat(spent) : `● ${bank}`;
  put(chips, empty ? "" : drawn);
  put(tag, [button && "D", folded && "folded", limit].filter(Boolean).join(" · "));
  show(tag, tag.textContent !== "");
}
