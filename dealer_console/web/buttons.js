// The buttons beside the big one; the twin of dealer_console/buttons.py.

import { ago, betWords, blindsWords, joined, STREETS, undoWords } from "./phrases.js";
import { tap } from "./sight.js";

/** States in which there is nothing to do at a table. */
export const CLOSED = ["no_table", "waiting", "suspended", "finished"];

/** States in which somebody may fold or bet: on the clock, or to be. */
const ACTS = [
  "running", "on_bank", "expiring", "held", "clock_held", "interrupted", "to_start", "called", "called_countdown",
];

/** States in which a chip may be pushed forward; also after zero, if none went by itself (SL-42). */
export const BANKS = [
  "running", "on_bank", "expiring", "held", "clock_held", "interrupted", "expired_dead", "expired_check", "expired_time",
];

/** States in which the next hand can be dealt. */
export const DEALS = ["between_hands", "replay", "h4h_deal"];

/** Who may fold or bet now: on the clock, or to be, or the one the clock is called on. */
export function acting(sight, found) {
  return ACTS.includes(found.state) && !sight.look.simple ? found.seat : null;
}

/** All buttons, each in its place; one that cannot be tapped now has no command. */
export function buttonsOf(sight, found, mine) {
  const all = allButtons(sight, found);
  return mine && !CLOSED.includes(found.state) ? all : all.map((button) => ({ ...button, command: null }));
}

function allButtons(sight, found) {
  const { look, table, hand, h4h } = sight;
  const { state } = found;
  const given = (is, name, args) => (is ? sight.to(name, args) : null);
  const whose = acting(sight, found);
  const acts = whose === null ? "" : `seat ${whose}`;
  const rules = state === "needs_ruling";
  const playing = hand.in_progress && !rules && h4h !== "all_in";
  const street = playing ? sight.nextStreet : "";
  const reports = ["playing", "runout", "ahead"].includes(h4h) && !rules;
  const [undo, undone] = undoWords(table.undo);
  const holds = state === "running" || state === "on_bank";
  const stops = holds || ["held", "clock_held", "interrupted"].includes(state);
  return [
    tap("fold", "FOLD", acts, given(acts, "action.fold")),
    countButton(sight, found, acts),
    bankButton(sight, found),
    floorButton(sight),
    tap("street", "STREET", street, given(street, "street.next")),
    ...allIns(sight, acts),
    h4h
      ? tap("over", "HAND DONE", "", given(reports, "h4h.done"))
      : tap("over", "HAND OVER", "", given(playing, "hand.end")),
    newHand(sight, found),
    tap("push", "PUSH", "new dealer", sight.to("dealer.push")),
    tap("undo", undo, undone, given(table.undo !== null, "undo")),
    tap("hold", "HOLD CLOCK", "same player goes on after", given(holds, "action.hold", { acted: false })),
    nextButton(sight, found, acts),
    tap("stop", "STOP", "nobody's time runs", given(stops, "action.stop")),
    tap("misdeal", "MISDEAL", "same button, same level again", given(playing, "hand.misdeal")),
    table.paused === null
      ? tap("pause", "PAUSE TABLE", "the floor resumes play", sight.to("table.pause"))
      : tap("pause", "TABLE PAUSED", table.paused, given(look.role !== "dealer", "table.resume")),
  ];
}

/** COUNT, also while a bet is counted: the next player has raised at once. */
function countButton(sight, found, acts) {
  const counting = found.state === "held";
  if (counting && sight.comes !== "act") return tap("count", "COUNT", "tap NEXT to continue");
  return tap("count", "COUNT", counting ? `${acts} raises` : "holds the clock", acts ? sight.to("action.hold") : null);
}

/** CHECK or CALL: one tap whether or not the player's clock was started. */
function nextButton(sight, found, acts) {
  const facing = sight.facing(found.seat);
  if (facing && acts && !found.state.startsWith("called")) {
    return tap("next", facing === "to call" ? "CALL" : "CHECK", acts, sight.to("action.next", { acted: true }));
  }
  const passes = found.state === "clock_held" || found.state === "interrupted";
  const following = passes ? sight.name(sight.after(found.seat)) : "";
  return tap("next", passes ? "NEXT PLAYER" : "CHECK / CALL", following, passes ? sight.to("action.next") : null);
}

/** ALL-IN; where it matters, whether it raises or calls; in hand-for-hand the report (SB-30). */
function allIns(sight, acts) {
  const { hand, h4h } = sight;
  const asks = acts && hand.asks_all_in;
  let first = tap("all_in", "ALL-IN", acts, acts ? sight.to("action.all_in") : null);
  if (["playing", "runout", "all_in"].includes(h4h)) {
    first = tap("all_in", "ALL-IN", "cards face down", h4h === "playing" ? sight.to("h4h.all_in") : null);
  } else if (asks) first = tap("all_in", "ALL-IN", "raises or calls?");
  // ALL-IN CALLS also with no bet to face: a big blind may be all-in by the blind alone.
  return [
    first,
    tap("all_in_raise", "ALL-IN RAISES", acts, acts ? sight.to("action.all_in", { raises: true }) : null),
    tap("all_in_call", "ALL-IN CALLS", acts, acts ? sight.to("action.all_in", { raises: false }) : null),
  ];
}

function bankButton(sight, found) {
  const { table, event } = sight;
  const { seat, status, outcome } = table.action;
  const label = "TIME BANK +1";
  if (event.action_clock === null || status === "idle" || outcome === "needs_ruling") return tap("bank", label);
  if (seat === null) return tap("bank", label, "tap the seat");
  const taken = table.seats[seat];
  if (taken === undefined || taken.limit_s !== null) return tap("bank", label, "limited: no time bank");
  const chips = taken.bank;
  if (chips === 0 || !BANKS.includes(found.state)) return tap("bank", label, chips === 0 ? "no chips" : "");
  const note = chips > 1 ? `${chips} left · hold for more` : "last chip";
  return tap("bank", label, note, sight.to("action.bank", { seat, chips: 1 }));
}

function floorButton(sight) {
  const { floor } = sight.table;
  if (floor === null) return tap("floor", "CALL FLOOR", "", sight.to("floor.call"));
  if (sight.look.role !== "dealer") return tap("floor", "FLOOR IS HERE", "", sight.to("floor.clear"));
  return tap("floor", "FLOOR CALLED", ago(sight.look.now - floor.since));
}

const NO_NEW_HAND = ["paused", "room_paused", "break", "hard_stop", "needs_ruling", "h4h_hold", "h4h_all_in"];

function newHand(sight, found) {
  const deals = found.big.command?.do === "hand.start";
  if (NO_NEW_HAND.includes(found.state) || (sight.h4h !== "" && !deals)) return tap("new", "NEW HAND");
  return tap("new", "NEW HAND", sight.hand.in_progress ? "ends this hand" : "as the hand begins", sight.to("hand.start"));
}

/** The levels at which this hand may really have been dealt (AP-23m). */
export function levelsOf(sight, found, mine) {
  const { table, event: { clock } } = sight;
  if (!sight.hand.in_progress || !mine || CLOSED.includes(found.state)) return [];
  const known = [clock.next, table.next_hand, clock, table].filter((level) => level?.level);
  const blinds = Object.fromEntries(known.map((level) => [level.level, blindsWords(level)]));
  const now = clock.level;
  return [now - 1, now, now + 1].filter((level) => level >= 1 && (level <= now || level in blinds)).map((level) => {
    const own = level === table.level;
    const note = joined(blinds[level] ?? "", own ? "this hand" : "");
    return tap(`level-${level}`, `LEVEL ${level}`, note, own ? null : sight.to("hand.level", { level }));
  });
}

const NO_SYNC = [...CLOSED, "paused", "room_paused", "needs_ruling", "h4h_all_in"];

/**
 * What a re-sync may say first: every street without and with a bet. The page adds who is to act, and
 * the live seats; then it is one `hand.sync`.
 */
export function syncsOf(sight, found, mine) {
  const { hand, look } = sight;
  if (!hand.in_progress || !mine || NO_SYNC.includes(found.state) || look.simple) return [];
  const hasBet = (hand.bettor ?? null) !== null;
  return [false, true].flatMap((bet) => STREETS.map((street) => {
    const same = street === hand.street && bet === hasBet;
    const note = joined(betWords(street, bet), same ? "now" : "");
    const command = sight.to("hand.sync", { street, bet });
    return tap(`sync-${street}-${bet ? "bet" : "none"}`, street.toUpperCase(), note, command);
  }));
}

/** What the floor may rule after time ran out; a dealer has nothing to rule. */
export function rulingsOf(sight, { state }) {
  const out = ["expired_", "called_dead", "called_check"].some((name) => state.startsWith(name));
  if (sight.look.role === "dealer" || !(out || state === "needs_ruling")) return [];
  const rule = (outcome, label, note = "") => tap(outcome, label, note, sight.to("action.ruling", { outcome }));
  return [rule("dead", "DEAD HAND"), rule("check", "CHECK"), rule("void", "VOID", "the player's time is given back")];
}
