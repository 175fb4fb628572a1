// One table, and the board of all: from documents and an instant to what screens write of them.
//
// The twin of display/table.py; both are held to tests/vectors/table.json. Clients never compute
// rules: whose turn it is, what is owed and what was ruled is the hub's word.

import { digits, nextFlip, remaining, seconds } from "./clock.js";
import { blinds, counted, grouped, joined, shortAnte, UNKNOWN } from "./words.js";

/** What became of a player whose time ran out. */
const OUTCOMES = { dead: "DEAD HAND", check: "CHECK", needs_ruling: "FLOOR RULES", void: "VOID" };

const IDLE = new Set(["idle", "off"]);
const STANDING = { held: "HELD", paused: "PAUSED", expiring: "TIME" };

/** How much a clock presses, from so many seconds on. */
const URGENT = [[0, "zero"], [5, "five"], [10, "ten"]];

/** How a table stands in hand-for-hand. */
const STATES = {
  playing: "playing", done: "done", all_in: "ALL-IN", runout: "runout", ahead: "ahead", ahead_done: "done",
};
const PENDING = new Set(["playing", "all_in", "runout"]);

/** Say everything that a feature table's screen shows; `rule` is the event's action clock. */
export function tableWords(doc, now, rule = null) {
  const called = doc.called.status !== "off";
  const acting = called ? doc.called : doc.action;
  const clock = IDLE.has(acting.status) ? null : actionWords(acting, now, called);
  const turn = clock ? clock.seat : doc.hand.turn;
  const given = rule?.chips ?? 0;
  const seats = Array.from({ length: doc.size }, (_, index) => seatWords(doc, index + 1, turn, given));
  const who = seats.find((each) => each.turn);
  const left = now === null || acting.ends_at === null ? null : remaining(acting, now);
  return {
    title: `TABLE ${doc.table}`,
    band: bandOf(doc),
    blinds: joined(blinds(doc), shortAnte(doc)),
    next: doc.next_hand ? joined(`next hand ${blinds(doc.next_hand)}`, shortAnte(doc.next_hand)) : "",
    hand: doc.hand.in_progress ? joined(`hand ${grouped(doc.hand.number)}`, doc.hand.street) : "between hands",
    seats,
    clock,
    whose: who ? joined(`seat ${who.seat}`, who.name) : "",
    bank: who && rule ? bankOf(doc, who, rule, clock === null) : "",
    collect: joined(...doc.collect.map(({ seat, chips }) => `collect ${counted(chips, "chip")} from seat ${seat}`)),
    repaint_in: left === null ? null : nextFlip(left),
  };
}

/** Say what a player has: the chips, and before the clock runs the time of this street. */
function bankOf(doc, who, rule, idle) {
  const chips = counted(who.bank, "time-bank chip");
  if (!idle) return chips;
  const time = Math.min(doc.seats[who.seat].limit_s ?? Infinity, rule.streets[doc.hand.street]);
  return joined(`${counted(time, "second")} to act`, chips);
}

function bandOf({ paused, floor }) {
  if (paused !== null) return joined("TABLE PAUSED", paused !== "paused" && paused); // its word for no reason
  return floor !== null ? "FLOOR CALLED" : "";
}

function seatWords(doc, seat, turn, given) {
  const taken = doc.seats[seat];
  return {
    seat,
    name: taken ? taken.name || taken.player : "",
    empty: !taken,
    bank: taken?.bank ?? 0,
    spent: taken ? Math.max(0, given - taken.bank) : 0,
    turn: Boolean(taken) && seat === turn,
    button: Boolean(taken) && seat === doc.hand.button,
    folded: Boolean(taken) && doc.hand.in_progress && !taken.in_hand,
    limit: taken && taken.limit_s !== null ? `${taken.limit_s} s` : "",
  };
}

/** Say how an action clock or a called clock stands. */
function actionWords(clock, now, called) {
  const runs = clock.ends_at !== null;
  const left = now === null && runs ? null : remaining(clock, now);
  const outcome = clock.status === "expired" ? OUTCOMES[clock.outcome] ?? "TIME" : "";
  const count = left === null ? null : seconds(left);
  const stands = clock.interrupted ? "INTERRUPTED" : STANDING[clock.status] ?? "";
  const word = outcome || (runs && count === 0 ? "TIME" : stands);
  const plain = called ? "CLOCK CALLED" : clock.on_bank ? "TIME BANK" : "";
  const pressing = outcome ? 0 : count;
  return {
    seat: clock.seat,
    digits: outcome ? "" : left === null ? UNKNOWN : digits(left),
    word: word || plain,
    outcome,
    urgent: pressing === null ? "" : URGENT.find(([at]) => pressing <= at)?.[1] ?? "",
    runs,
  };
}

/** Say how each table of the board stands, in the order of their numbers. */
export function boardWords(doc) {
  return Object.entries(doc.tables)
    .map(([number, row]) => rowWords(Number(number), row))
    .sort((a, b) => a.table - b.table);
}

function rowWords(table, row) {
  const free = row.size - row.players;
  const [word, mark] = row.floor !== null ? ["FLOOR", "floor"]
    : row.paused !== null ? ["PAUSED", "paused"]
      : [STATES[row.h4h] ?? "", row.h4h === null ? "" : PENDING.has(row.h4h) ? "pending" : "done"];
  return {
    table, players: `${row.players} of ${row.size}`, free: free > 0 ? `${counted(free, "seat")} free` : "full", word, mark,
  };
}
