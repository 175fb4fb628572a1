// Offline: the table as it will be when the taps that wait for an answer have been carried out.
//
// The hub decides; but while it is away the cards are dealt on, and a console that stands still is in
// the dealer's way. `assumed` is what a dealer would say happened: a seat folds, the next player's
// time runs from the instant of the tap, a bet is counted (see play.js). It is marked, and it is gone
// as soon as the hub has answered.
//
// Pure: nothing here reads a clock. Mirrors dealer_console/offline.py; both are held to
// tests/vectors/offline.json.

import { Play, turnOf } from "./play.js";

/**
 * Milliseconds that a tap must wait before it is shown as done: what the hub answers sooner never
 * flickers. So long, too, a document is not mixed with taps that it may contain already.
 */
export const AT_LEAST = 150;

/** Taps that were sent within so many milliseconds of each other are answered together. */
const BURST = 20;

export const NOT_CONFIRMED = "not confirmed by the hub";

/** Say of a table that is assumed what is said of the link, in few words, and that it is assumed. */
export function unconfirmed(link) {
  return [link.split(" · ")[0], NOT_CONFIRMED].filter(Boolean).join(" · ");
}

/**
 * Give the table's document as it will be; the hub's own where no tap changes it. A tap is a command
 * with its instant in hub time: {do, args, at}.
 */
export function assumed(table, event, taps, now) {
  if (table === null || event === null) return table;
  const waiting = notUndone(taps.filter(({ args }) => args.table === table.table));
  if (waiting.length === 0) return table;
  const play = new Play(JSON.parse(JSON.stringify(table)), event);
  const changed = waiting.filter(({ do: what, args, at }) => play.carryOut(what, args, at ?? now));
  return changed.length > 0 ? { ...play.table, assumed: true } : table;
}

/** Leave out what was taken back by an undo that waits, too; an undo of that puts it back. */
export function notUndone(taps) {
  const left = [];
  let undone = [];
  let undoes = false;
  for (const tap of taps) {
    if (tap.do !== "undo") left.push(tap);
    else if (undoes) left.push(...undone);
    else undone = left.splice(-1); // before that: only the hub knows
    undoes = tap.do === "undo" && !undoes;
  }
  return left;
}

/** Buttons that nobody means for two players in a breath: a bet takes longer to count. */
const COUNTED = ["count", "all_in", "all_in_raise", "all_in_call"];

/** Say what a button asks: another tap on it is a second one only if this has changed. */
export function question(button, table) {
  if (table === null) return button;
  const { hand, undo } = table;
  if (button === "undo") return undo === null ? "undo" : `undo/${undo.do}/${undo.seat ?? "-"}`;
  if (COUNTED.includes(button)) return `${button}/${hand.number}/${hand.street}`;
  const about = /-(\d+)$/.exec(button)?.[1] ?? turnOf(table) ?? "-";
  return `${button}/${hand.number}/${hand.street}/${about}`;
}

/**
 * Decides which taps are shown as done before the hub has answered them.
 *
 * The hub publishes what a tap has changed before it answers the tap. So a document that comes while
 * taps wait may contain some of them: it is taken for the new beginning when one of them was
 * answered, or when nothing was for a while. What was sent together with a tap that is answered, as
 * everything is that was kept while the hub was away, is in that document, too.
 */
export class Unanswered {
  _since = new Map(); // tap -> when it was first seen
  _sent = new Map(); // tap -> when, where the hub can have it
  _begins = null; // the document before the first waiting tap: {rev, doc}
  _newer = null; // a later revision, and since when it is there: {rev, own}
  _answered = null; // when a tap was, and when it had been sent: {own, sent}

  /** Give the document to begin with, and the taps to show as done on it: {table, taps}. */
  look(own, shown, taps, fresh) {
    const found = this.afterAll(own, shown, taps, fresh);
    const late = found.taps.some(({ id }) => own - this._since.get(id) >= AT_LEAST);
    return found.taps.length > 0 && (late || !fresh) ? found : { table: shown.doc, taps: [] };
  }

  /** Give the same for what a button asks: the question changes with the tap itself. */
  afterAll(own, shown, taps, fresh) {
    const ids = taps.map(({ id }) => id);
    const gone = [...this._since.keys()].filter((id) => !ids.includes(id));
    const answered = gone.map((id) => this._sent.get(id) ?? own);
    this._since = new Map(ids.map((id) => [id, this._since.get(id) ?? own]));
    this._sent = new Map(fresh ? ids.map((id) => [id, this._sent.get(id) ?? own]) : []);
    if (taps.length === 0 || this._begins === null || answered.length > 0) {
      this._begins = shown;
      this._newer = null;
      this._answered = answered.length > 0 && taps.length > 0 ? { own, sent: Math.max(...answered) } : null;
    } else if (shown.rev === this._begins.rev) this._newer = null;
    else if (this._newer?.rev !== shown.rev) this._newer = { rev: shown.rev, own };
    else if (own - this._newer.own >= AT_LEAST) {
      this._begins = shown;
      this._newer = null;
    }
    if (this._answered !== null && own - this._answered.own >= AT_LEAST) this._answered = null;
    if (this._answered === null) return { table: this._begins.doc, taps };
    const withIt = this._answered.sent + BURST;
    return { table: shown.doc, taps: taps.filter(({ id }) => (this._sent.get(id) ?? own) > withIt) };
  }

  /** Say in how many milliseconds something may look different by itself; null where nothing will. */
  changesIn(own) {
    const edges = [...this._since.values(), this._newer?.own ?? null, this._answered?.own ?? null];
    const coming = edges.filter((at) => at !== null && at + AT_LEAST > own);
    return coming.length > 0 ? Math.min(...coming) + AT_LEAST - own : null;
  }
}
