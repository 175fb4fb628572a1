// The words of a dealer's console; the twin of dealer_console/phrases.py.

import { digits } from "/web/clock.js";

export const SECOND = 1_000;

export const STREETS = ["preflop", "flop", "turn", "river"];
export const HELD_BY_RULES = ["hand_for_hand", "break_waits", "hard_stop"];
export const BADGES = { fresh: "live", coasting: "hub away", stale: "NOT LIVE" };

const DEEDS = {
  "action.all_in": "all-in",
  "action.bank": "time bank",
  "action.fold": "fold",
  "action.hold": "count",
  "action.next": "next player",
  "action.release": "go on",
  "action.start": "start",
  "action.stop": "stop",
  "button.set": "button here",
  "called.start": "clock called",
  "called.stop": "player acted",
  "collect.done": "collected",
  "dealer.push": "push",
  "floor.call": "call floor",
  "h4h.all_in": "all-in",
  "h4h.done": "hand done",
  "hand.end": "hand over",
  "hand.level": "level of this hand",
  "hand.misdeal": "misdeal",
  "hand.start": "new hand",
  "hand.sync": "re-sync",
  "street.next": "street",
  "table.pause": "pause table",
};

/** Why a dealer calls the floor, most common first, where the house has no list of its own. */
export const REASONS = [
  "Ruling", "Dispute", "Clock on a player", "Misdeal", "Seat open", "Player away", "Colour up", "New setup",
];

export const NOTICES = {
  hold_push: "HOLD THE PUSH",
  prepare_decks: "PREPARE YOUR DECKS",
  last_level: "LAST LEVEL",
  hard_stop: "PLAY ENDS SOON",
};

export const OUTCOMES = {
  dead: ["DEAD HAND", "time ran out facing a bet"],
  check: ["CHECK", "time ran out, no bet to face"],
  time: ["TIME", "dead if facing a bet, else check; a chip: tap the seat"],
  needs_ruling: ["FLOOR RULES", "time ran out while this table could not be heard"],
};

export const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");
export const counted = (number, one, many) => `${grouped(number)} ${number === 1 ? one : many}`;
export const joined = (...parts) => parts.filter((part) => part !== "").join(" · ");
export const ago = (ms) => `${digits(Math.floor(Math.max(0, ms) / SECOND) * SECOND)} ago`;

export function blindsWords(level) {
  if (level.small === null) return "";
  const ante = level.ante ? ` (${grouped(level.ante)})` : "";
  return `${grouped(level.small)} / ${grouped(level.big)}${ante}`;
}

export function seatWords(number, seats) {
  const taken = seats[number];
  return taken === undefined ? `seat ${number}` : `seat ${number} · ${taken.name}`;
}

/** Whether somebody has bet on a street; before the flop the blinds are no bet. */
export function betWords(street, bet) {
  if (street === STREETS[0]) return bet ? "raised" : "blinds only";
  return bet ? "bet" : "no bet";
}

export function undoWords(undo) {
  if (undo === null) return ["UNDO", ""];
  const deed = DEEDS[undo.do] ?? undo.do;
  const many = undo.do === "action.bank" ? ` +${undo.chips ?? 1}` : "";
  const whose = undo.seat === null ? "" : `, seat ${undo.seat}`;
  return [undo.again ? "REDO" : "UNDO", `${deed}${many}${whose}`];
}

export function handForHandWords({ h4h }) {
  if (h4h.status === "off") return "";
  const { unit } = h4h;
  const total = Object.keys(h4h.tables).length;
  const name = `${unit} for ${unit}`.toUpperCase();
  if (h4h.status === "announced") return joined(name, "finish this hand, then hold");
  const done = `${total - h4h.pending} of ${counted(total, "table", "tables")} done`;
  return joined(name, h4h.hand ? `${unit} ${h4h.hand}` : "", done);
}
