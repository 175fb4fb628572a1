// The seats: who sits there, what is marked, and what a touch may do; the twin of dealer_console/seats.py.

import { acting, BANKS, CLOSED, DEALS } from "./buttons.js";

/** Every seat; `following` is the one that is next. */
export function seatsOf(sight, found, following, mine) {
  return Array.from({ length: sight.table.size }, (_, index) => seatOf(sight, found, index + 1, following, mine));
}

function blindOf({ in_progress: dealt, blinds, straddle }, number) {
  if (!dealt || !blinds) return "";
  if (blinds.small === number) return "SB";
  if (blinds.big === number) return "BB";
  return straddle === number ? "STR" : "";
}

function seatOf(sight, found, number, following, mine) {
  const { table, hand, event, look } = sight;
  const { state } = found;
  const taken = table.seats[number];
  const button = hand.button === number;
  const stuck = CLOSED.includes(state) || ["paused", "room_paused", "needs_ruling"].includes(state);
  const may = mine && !stuck;
  const deals = may && DEALS.includes(state);
  const moves = deals || (may && state === "to_start" && sight.untouched);
  const empty = {
    seat: number, name: "", chips: 0, spent: 0, owes: 0, button, blind: "", turn: "", folded: false, all_in: false,
    burning: false, limit: "", tap: null, bank: null, most: 0,
    here: moves && !button ? sight.to("button.set", { seat: number }) : null, straddle: null, fold: null,
  };
  if (taken === undefined) return empty;
  const rule = event.action_clock;
  const chips = taken.bank;
  const now = found.seat === number && state !== "to_start" && state !== "held";
  const allIn = hand.all_in.includes(number);
  // Where seats are not followed a clock may run without a hand, and a full console names it.
  const inPlay = hand.in_progress ? taken.in_hand : table.action.status !== "idle";
  const asked = may && inPlay && !allIn;
  const clocked = sight.base(number) !== null && !look.simple && !DEALS.includes(state);
  const spends = BANKS.includes(state) && (table.action.seat === null || table.action.seat === number);
  const banks = may && spends && chips > 0 && taken.limit_s === null && rule !== null;
  return {
    ...empty,
    name: taken.name,
    chips,
    spent: rule === null ? 0 : Math.max(0, rule.chips - chips),
    owes: table.collect.filter((owed) => owed.seat === number).reduce((sum, owed) => sum + owed.chips, 0),
    blind: blindOf(hand, number),
    turn: now ? "now" : following === number ? "next" : "",
    folded: hand.in_progress && !taken.in_hand,
    all_in: allIn,
    burning: table.action.seat === number && table.action.on_bank > 0,
    limit: taken.limit_s === null ? "" : `${taken.limit_s} s`,
    tap: asked && clocked && !now ? sight.to("action.start", { seat: number }) : null,
    bank: banks ? sight.to("action.bank", { seat: number, chips: 1 }) : null,
    most: banks ? chips : 0,
    straddle: deals ? sight.to("hand.start", { straddle: number }) : null,
    fold: asked && hand.in_progress ? foldOf(sight, found, number) : null,
  };
}

/** In turn it is the button's own command, which ends the player's time. */
function foldOf(sight, found, number) {
  return acting(sight, found) === number ? sight.to("action.fold") : sight.to("action.fold", { seat: number });
}
