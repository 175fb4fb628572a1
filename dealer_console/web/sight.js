// What a dealer's console knows when it looks at a table; the twin of dealer_console/sight.py.
//
// The betting round is the hub's: who is to act, and what comes next, stand in the document. A hub
// of the version before says nothing of a round; then the console says what it always said.

import { SECOND, seatWords, STREETS } from "./phrases.js";

export const tap = (id, label, note = "", command = null) => ({ id, label, note, command });
export const big = (label, note = "", command = null) => tap("big", label, note, command);

const SCENE = { seat: null, word: "", detail: "", left: null, stands: true, span: 0, big: big("") };
export const made = (state, rest) => ({ ...SCENE, state, ...rest });

/** A look at an open table of a known event. */
export class Sight {
  constructor(look) {
    this.look = look;
    this.table = look.table;
    this.event = look.event;
    this.hand = look.table.hand;
    this.h4h = look.table.h4h ?? "";
    const dealt = this.hand.in_progress;
    this.inHand = Object.entries(look.table.seats)
      .filter(([, seat]) => seat.in_hand || !dealt)
      .map(([number]) => Number(number));
  }

  /** Make a command to this table. */
  to(name, args = {}) {
    return { do: name, args: { table: this.look.number, ...args }, to: "event" };
  }

  /**
   * What comes next in the hand; null where no round is known, or none is followed. Where no action
   * clock is in play nobody taps every action, so the hub's list of who is to act stands still, and
   * only an end that somebody has tapped is worth saying.
   */
  get comes() {
    const { hand, event, look } = this;
    if (!hand.in_progress || look.simple) return null;
    const said = hand.next ?? null;
    if (said === null) return this._guessed();
    const followed = event.action_clock !== null;
    return followed || ["run_out", "showdown", "over"].includes(said) ? said : null;
  }

  /** What comes next in a hand that knows no round: only what the seats give away. */
  _guessed() {
    const { hand } = this;
    if (hand.turn !== null) return null;
    if (this.inHand.length <= 1) return "over";
    if (hand.all_in.length === 0 || this.asked().length > 1) return null;
    return hand.street === STREETS.at(-1) ? "showdown" : "run_out";
  }

  /** The seats that are still to act, the one whose turn it is first. */
  get toAct() {
    return this.comes === "act" ? this.hand.to_act ?? [] : [];
  }

  /** The street that is dealt next; nothing after the river. */
  get nextStreet() {
    return STREETS[STREETS.indexOf(this.hand.street) + 1] ?? "";
  }

  /** Whether the hand is dealt and nobody has acted yet. */
  get untouched() {
    const waits = this.toAct;
    if (this.hand.street !== "preflop" || waits.length === 0) return false;
    return waits.length === this.inHand.length && this.inHand.every((seat) => waits.includes(seat));
  }

  /** List the seats that can still be asked to act. */
  asked() {
    return this.inHand.filter((seat) => !this.hand.all_in.includes(seat));
  }

  /** Find the next seat to be asked. */
  after(seat) {
    if (seat === null) return null;
    if (this.comes === "act") return this.toAct.find((other) => other !== seat) ?? null;
    return this.comes === null ? this.leftOf(seat) : null;
  }

  /** Find the first seat to the left of one that can still be asked to act. */
  leftOf(seat) {
    if (seat === null) return null;
    const others = this.asked().filter((other) => other !== seat);
    const order = (other) => (other < seat ? 1_000 : 0) + other;
    return others.sort((one, two) => order(one) - order(two))[0] ?? null;
  }

  /** What the one whose turn it is faces; nothing of anybody else. */
  facing(seat) {
    const { called } = this.table;
    const onThem = ["running", "countdown"].includes(called.status) && called.seat === seat;
    const known = onThem && (this.hand.next ?? null) !== null;
    if (seat === null || !(known || this.toAct[0] === seat)) return "";
    return this.hand.facing_bet ? "to call" : "may check";
  }

  /** Say how long a seat has; null where no clock is in play for it. */
  base(seat) {
    const limit = (seat === null ? undefined : this.table.seats[seat])?.limit_s ?? null;
    const times = [limit, this._seconds()].filter((time) => time !== null);
    return times.length > 0 ? Math.min(...times) * SECOND : null;
  }

  /** How long everybody has on this street. */
  _seconds() {
    const rule = this.event.action_clock;
    if (rule === null) return null;
    const street = this.hand.in_progress ? this.hand.street : STREETS[0];
    return (rule.streets ?? { [street]: rule.seconds })[street];
  }

  /** Name a seat; nothing where there is none. */
  name(seat) {
    return seat === null ? "" : seatWords(seat, this.table.seats);
  }

  title(seat) {
    return seat === null ? "" : `SEAT${seatWords(seat, this.table.seats).slice(4)}`;
  }
}
