// Hand-for-hand in words: what releasing the next hand costs, and how each table stands. Pure.

import { digits, remaining } from "/web/clock.js";

import { age, change } from "./amounts.js";

const POLICIES = { run_to_cap: "clock runs to the cap", deduct: "clock stands, time taken off", run_on: "clock runs on" };

/** Say the house's way with the clock. */
export const policyWords = (policy) => POLICIES[policy] ?? "";

const padded = (ms) => {
  const said = digits(ms);
  return said.length < 5 ? said.padStart(5, "0") : said;
};

/** Say what the clock will read: the hub's own word, or what is left where it says nothing. */
function afterWords(after, clock, left) {
  if (!after) return left < 0 ? "next level" : padded(left);
  const where = after.phase === "break" ? "break " : after.level === clock.level ? "" : `L${after.level} `;
  return after.remaining_ms === null ? `${where}open` : `${where}${padded(after.remaining_ms)}`;
}

/** Say what releasing the next hand costs, before it is done: "Release hand 5 (−3:00 → 03:18)". */
export function releaseWords(doc, now) {
  const { h4h, clock } = doc;
  const unit = h4h.unit === "round" ? "round" : "hand";
  const words = `Release ${unit} ${h4h.hand + 1}`;
  const cost = h4h.policy === "run_on" ? 0 : h4h.next_cost_ms ?? h4h.cost_ms;
  const left = now === null && clock.ends_at !== null ? null : remaining(clock, now);
  if (cost === 0) return { words, cost: "no time is taken off" };
  if (left === null) return { words, cost: change(-cost) };
  return { words, cost: `${change(-cost)} → ${afterWords(h4h.after, clock, left - cost)}` };
}

const WORDS = {
  playing: "… playing", done: "✓ done", all_in: "ALL-IN · held", runout: "running out", ahead: "… a hand ahead", ahead_done: "✓ a hand ahead",
};

/** Say how a table stands in the hand, with for how long where that is known. */
export function tableHand(row, now) {
  const words = WORDS[row.h4h] ?? "";
  const since = row.h4h_since ?? null;
  const long = ["playing", "all_in", "runout"].includes(row.h4h) && since !== null && now !== null;
  return long ? `${words} ${age(now - since)}` : words;
}

/** Sum hand-for-hand up in one line. */
export function bubbleLine(doc) {
  const { h4h, field } = doc;
  const all = Object.values(h4h.tables);
  const done = all.filter((status) => !["playing", "all_in", "runout"].includes(status)).length;
  const held = all.filter((status) => status === "all_in").length;
  const unit = h4h.unit === "round" ? "round" : "hand";
  const away = h4h.to_money ?? field.to_money;
  return [
    h4h.hand > 0 ? `${unit} ${h4h.hand}` : "finish this hand, then hold",
    `${done} of ${all.length} done`,
    held > 0 && `${held} all-in held`,
    away === 0 ? "in the money" : away > 0 && `${away} from the money`,
    h4h.soft && "soft",
  ].filter(Boolean).join(" · ");
}
