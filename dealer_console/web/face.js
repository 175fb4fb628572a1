// The dealer's console: from documents and an instant to everything that a dealer sees and can tap.
//
// The twin of dealer_console/face.py, held to the same vectors (tests/vectors/dealer.json, and for the
// betting round dealer_round.json); its other parts are the twins of phrases, sight, rounds, scene,
// buttons and seats. Nothing here reads a clock or touches a page, and nothing decides anything: the
// hub does. A look is
//   { number, table, event, lease, now, freshness, away, me, role, simple, was_open }
// `table`, `event` and `lease` are documents or null, `now` is hub time, `away` for how long the hub
// has not been heard (or null), `me` the hub's name for this device (welcome.device), `was_open`
// whether the table was open while this page looked.

import { digits, nextFlip } from "/web/clock.js";

import { buttonsOf, levelsOf, rulingsOf, syncsOf } from "./buttons.js";
import {
  ago, BADGES, blindsWords, handForHandWords, joined, NOTICES, REASONS, SECOND, STREETS,
} from "./phrases.js";
import { sceneOf } from "./scene.js";
import { seatsOf } from "./seats.js";
import { big, Sight } from "./sight.js";

const TEN = 10_000;
const FIVE = 5_000;
const NOT_HEARD = 2_000;
const SLOWEST = 60_000;

const COUNTS = ["running", "on_bank", "expiring", "called", "called_countdown"];

// ── who works the table ─────────────────────────────────────────────────────────────────────────

function takenWords({ role, lease, me, number }) {
  if (role !== "dealer" || lease === null || me === "" || lease.device === me) return "";
  return `${joined(lease.name, lease.dealer)} works table ${number}`;
}

function askButton({ lease, me }) {
  if (lease.waiting.some((other) => other.device === me && other.asks)) return big("ASKED", "the floor decides");
  return big("ASK FOR THE TABLE", "the floor decides", { do: "lease.ask", args: {}, to: "hub" });
}

function askedWords({ lease, me }) {
  if (lease === null || lease.device !== me) return "";
  const asks = lease.waiting.find((other) => other.asks);
  return asks === undefined ? "" : `${asks.name} asks for this table`;
}

// ── words beside the clock ──────────────────────────────────────────────────────────────────────

function handBlinds(sight) {
  const { table, hand } = sight;
  const following = table.next_hand;
  if (!hand.in_progress) return ["", blindsWords(following ?? table), following !== null];
  return [blindsWords(table), following === null ? "" : blindsWords(following), following !== null];
}

function nudgeWords(sight, found) {
  const at = sight.table.nudge_at;
  if (found.state !== "to_start" || at === null) return ["", null];
  const left = at - sight.look.now;
  return left > 0 ? ["", left] : ["START THE CLOCK", null];
}

function floorWords(sight) {
  const { floor } = sight.table;
  if (floor === null) return ["", null];
  const passed = Math.max(0, sight.look.now - floor.since);
  return [joined(`floor called ${ago(passed)}`, floor.reason ?? ""), SECOND - (passed % SECOND)];
}

function linkWords({ freshness, away }, found) {
  if (freshness === "fresh") return "";
  if (freshness === "stale") return "NO HUB · do not trust this clock";
  if (!COUNTS.includes(found.state) || (away ?? 0) < NOT_HEARD) return "";
  return "HUB NOT HEARD · the clock goes on here, taps are kept";
}

function alarmOf({ state, left, stands }) {
  if (["expired", "called_dead", "called_check", "needs_ruling"].some((name) => state.startsWith(name))) return "zero";
  if (!COUNTS.includes(state) || left === null || stands || left > TEN) return "none";
  if (left === 0) return "zero";
  return left <= FIVE ? "five" : "ten";
}

function nextSeat(sight, found) {
  if (found.state === "to_start" || found.state === "held") return found.seat;
  return found.state === "round_over" ? sight.leftOf(sight.hand.button) : sight.after(found.seat);
}

/** The street; nothing where nobody taps the play, and it would stay at the first. */
function streetOf({ hand, comes }) {
  const followed = comes !== null || hand.street !== STREETS[0];
  return hand.in_progress && followed ? hand.street : "";
}

/** Why the floor is called: the house's own reasons, or the usual ones. */
function reasonsOf(event) {
  const own = event?.floor_reasons ?? [];
  if (own.length === 0) return REASONS.map((reason) => ({ reason, note: "" }));
  return own.map(({ reason, holds }) => ({ reason, note: holds ? "holds the clock" : "" }));
}

// ── all of it ───────────────────────────────────────────────────────────────────────────────────

const LOOK = {
  table: null, event: null, lease: null, freshness: "fresh", away: null, me: "", role: "dealer", simple: false,
  was_open: false,
};

/** Say what a dealer's console shows at an instant. */
export function face(given) {
  const look = { ...LOOK, ...given };
  const sight = look.table === null || look.event === null ? null : new Sight(look);
  const found = sceneOf(look, sight);
  const taken = takenWords(look);
  const mine = taken === "";
  if (!mine) found.big = askButton(look);
  const { left } = found;
  const none = ["", null];
  const [thisHand, next, changes] = sight === null ? ["", "", false] : handBlinds(sight);
  const [nudge, nudgeIn] = sight === null ? none : nudgeWords(sight, found);
  const [floor, floorIn] = sight === null ? none : floorWords(sight);
  const counts = found.stands || left === null ? null : nextFlip(left);
  const following = sight === null ? null : nextSeat(sight, found);
  const collect = sight === null ? [] : look.table.collect;
  return {
    state: mine ? found.state : "taken",
    play: found.state,
    table: `TABLE ${look.number}`,
    title: sight === null ? "" : sight.title(found.seat),
    word: found.word,
    detail: found.detail,
    digits: left === null ? "" : digits(left),
    progress: left === null || !found.span ? 0 : Math.min(1_000, Math.floor((left * 1_000) / found.span)),
    stands: found.stands,
    alarm: alarmOf(found),
    seat: found.seat,
    next_seat: following,
    big: found.big,
    buttons: sight === null ? [] : buttonsOf(sight, found, mine),
    seats: sight === null ? [] : seatsOf(sight, found, following, mine),
    collect: collect.map(({ seat, chips }) => ({
      seat, chips, words: `collect ${chips} from seat ${seat}`, command: mine ? sight.to("collect.done", { seat }) : null,
    })),
    rulings: sight === null ? [] : rulingsOf(sight, found),
    levels: sight === null ? [] : levelsOf(sight, found, mine),
    sync: sight === null ? [] : syncsOf(sight, found, mine),
    reasons: reasonsOf(look.event),
    this_hand: thisHand,
    next_hand: next,
    level_changes: changes,
    street: sight === null ? "" : streetOf(sight),
    facing: sight === null ? "" : sight.facing(found.seat),
    notices: look.event === null ? [] : look.event.notices.filter((name) => name in NOTICES).map((name) => NOTICES[name]),
    h4h: look.event === null ? "" : handForHandWords(look.event),
    nudge,
    floor,
    taken,
    asked: askedWords(look),
    dealer: look.lease === null ? "" : look.lease.dealer,
    badge: BADGES[look.freshness],
    freshness: look.freshness,
    link: linkWords(look, found),
    repaint_in: Math.min(SLOWEST, ...[counts, nudgeIn, floorIn].filter((flip) => flip)),
  };
}
