// The wall: from an event's document and an instant to everything that is written on a screen.
//
// The twin of display/scenes.py; both are held to tests/vectors/wall.json, so its fields have the same
// names here and there. Nothing here reads a clock, knows a rule of poker or touches a page; what the
// hub does not say stays empty.

import { ahead, digits, nextFlip, remaining } from "./clock.js";
import {
  actionClock, ante, blinds, counted, dayAndTime, divided, fact, fromTheMoney, grouped, handForHand, HELD_BY_RULES, joined,
  noticeWords, place, shortAnte, timeOfDay, UNKNOWN, utc,
} from "./words.js";

const MINUTE = 60_000;
const HOUR = 3_600_000;

/** So long after its end a running clock is believed to have ended, though the hub says nothing. */
export const OVERDUE = 400;

/** From here on a hard stop is worth a place on the wall. */
const HARD_STOP_SHOWN = 2 * HOUR;

/** From here on a suspended event counts down to its return. */
const BACK_SHOWN = 24 * HOUR;

/** The band when the time of the last level is over: nothing stands still, nothing follows. */
const ENDLESS = ["LAST LEVEL", "it goes on without end"];

/** Names under the winner's: more cannot be read from afar. */
const PLACED = 3;

// ── the clock while the hub is away ─────────────────────────────────────────────────────────────

/** Give the clock of an event as it must stand at an instant, whether or not the hub has said so. */
export function standing(event, now, away = false) {
  let clock = event.clock;
  if (now === null) return clock;
  const due = (instant) => instant !== null && now >= instant + (away ? 0 : OVERDUE);
  if (clock.status === "waiting" && due(clock.starts_at) && clock.remaining_ms !== null) {
    clock = { ...clock, status: "running", starts_at: null, ends_at: clock.starts_at + clock.remaining_ms };
  }
  if (clock.status !== "running") return clock;
  const stop = clock.hard_stop_at;
  if (due(stop) && (clock.ends_at === null || stop < clock.ends_at)) return stopped(clock, stop);
  // In hand-for-hand what is due may wait for a table, or for the cap: only the hub knows.
  if (due(clock.ends_at) && event.h4h.status === "off") {
    clock = ahead(clock, now);
    if (due(stop)) return stopped(clock, stop);
  }
  return clock;
}

function stopped(clock, stop) {
  const left = clock.ends_at === null ? clock.remaining_ms : Math.max(0, clock.ends_at - stop);
  return { ...clock, status: "paused", reason: "hard_stop", ends_at: null, remaining_ms: left };
}

/** Name the one state that the whole room must recognise. */
export function stateOf(clock, h4h, left) {
  if (["finished", "suspended", "waiting"].includes(clock.status)) return clock.status;
  if (clock.status === "paused") {
    if (clock.reason === "hard_stop") return "hard-stop";
    return Object.hasOwn(HELD_BY_RULES, clock.reason ?? "") ? "hand-for-hand" : "paused";
  }
  if (clock.phase === "break") return "break";
  if (h4h.status !== "off") return "hand-for-hand";
  return left !== null && left <= MINUTE ? "last-minute" : "playing";
}

// ── everything that is written ──────────────────────────────────────────────────────────────────

/** Say what a wall shows at an instant; `now` is null while hub time is not known. */
export function wallWords(event, now, { zone = utc, away = false } = {}) {
  const clock = standing(event, now, away);
  const left = now === null && clock.ends_at !== null ? null : remaining(clock, now);
  const endless = isEndless(event, clock, left);
  const state = stateOf(clock, event.h4h, endless ? null : left);
  const goesOn = endless && state === "playing";
  const [band, bandDetail] = goesOn ? ENDLESS : bandOf(event, clock, state, now, zone);
  const shown = shownOf(clock, state, left, now);
  const [hero, heroKind, heroLabel, under] = heroOf(event, clock, state, shown, now);
  const stepped = clock !== event.clock;
  const over = state === "finished";
  const idle = over || state === "waiting" || state === "suspended";
  const onBreak = clock.phase === "break";
  const breakMs = stepped || onBreak ? null : countedDown(event, clock.next_break_ms, now);
  const closesMs = closesIn(event, clock, state, now, stepped);
  const { field } = event;
  const playing = !over && !onBreak;
  const total = state === "hand-for-hand" ? Object.keys(event.h4h.tables).length : 0;
  return {
    state,
    title: event.name,
    house: event.house,
    time: now === null ? "" : timeOfDay(now, zone),
    phase: clock.phase,
    level: clock.level,
    band,
    band_detail: bandDetail,
    hero,
    hero_kind: heroKind,
    hero_label: goesOn ? "time is up" : heroLabel,
    under,
    digits: timeOf(clock, shown, now),
    held: clock.status === "paused",
    progress: progressOf(clock, state, left),
    blinds: playing ? blinds(clock) : "",
    ante: playing ? ante(clock) : "",
    stage: over ? null : stageOf(clock),
    next: over ? null : nextOf(event, clock, stepped),
    break_in: breakMs === null || idle ? null : fact("break in", digits(breakMs)),
    entry: over ? null : entryOf(event, closesMs, stepped),
    players: field.entries ? fact("players", grouped(field.left), `of ${grouped(field.entries)}`) : null,
    average: over ? null : averageOf(field.average_stack, clock.big),
    tables: field.tables && !over ? fact("tables", grouped(field.tables)) : null,
    money: over ? null : moneyOf(event, state),
    hard_stop: idle ? null : hardStopOf(clock, now, zone),
    chips: onBreak && !idle ? clock.colour_up : [],
    done: total ? total - event.h4h.pending : 0,
    total,
    winners: over ? winnersOf(event) : [],
    placed: over ? placedOf(event) : [],
    announcement: event.announcement ?? "",
    footer: over ? "" : footerOf(event, state),
    repaint_in: repaintIn(event, clock, shown, [breakMs, closesMs], now, away),
  };
}

/** Say whether the time of the last level is over, and so the level goes on. */
function isEndless(event, clock, left) {
  return event.notices.includes("last_level") && clock === event.clock && left === 0 && clock.phase === "level";
}

/** Say what is being counted: the level, the break, or the time until play begins. */
function shownOf(clock, state, left, now) {
  if (state === "finished") return null;
  if (state === "waiting") return clock.starts_at === null || now === null ? null : Math.max(0, clock.starts_at - now);
  return (state === "suspended" ? backIn(clock, now) : null) ?? left;
}

/** Say how long until a suspended event goes on, once that is worth counting. */
function backIn({ resumes_at: at }, now) {
  if (at === null || now === null) return null;
  return at > now && at - now <= BACK_SHOWN ? at - now : null;
}

/** Write what is being counted; that it runs is known before the time is. */
function timeOf(clock, shown, now) {
  if (shown !== null) return digits(shown);
  return now === null && clock.ends_at !== null ? UNKNOWN : "";
}

/** Choose what is biggest: it, its kind, a label above and a line below. */
function heroOf(event, clock, state, shown, now) {
  const time = timeOf(clock, shown, now);
  const onBreak = clock.phase === "break";
  const timed = (label, word) => (time ? [time, "time", label, ""] : [word, "word", "", ""]);
  if (state === "finished") {
    const winners = winnersOf(event);
    if (winners.length === 0) return ["FINISHED", "word", "", ""];
    return [winners.join(" · "), "name", winners.length > 1 ? "winners" : "winner", ""];
  }
  if (state === "waiting") return timed("starts in", "WELCOME");
  if (state === "suspended") return timed(backIn(clock, now) === null ? "clock held at" : "back in", "SUSPENDED");
  if (state === "hand-for-hand") return handForHandHero(event.h4h, clock, time);
  if (!time && clock.hands !== null && !onBreak) {
    return [String(clock.hands.each), "count", "hands at each table", `${counted(clock.hands.tables_left, "table")} to go`];
  }
  if (clock.status === "paused") return timed(onBreak ? "break held at" : "clock held at", "PAUSED");
  if (onBreak) return timed("play resumes in", "BREAK");
  return timed("time left in level", `LEVEL ${clock.level}`);
}

function handForHandHero(h4h, clock, time) {
  const held = clock.status === "paused";
  const at = time ? (held ? `clock held at ${time}` : `clock runs: ${time}`) : "";
  const verb = h4h.policy === "run_to_cap" ? "costs" : "takes";
  const cost = h4h.cost_ms && h4h.policy !== "run_on" ? `each ${h4h.unit} ${verb} ${digits(h4h.cost_ms)}` : "";
  if (h4h.to_money) return [String(h4h.to_money), "count", "from the money", joined(at, cost)];
  if (!time) return [held ? "HOLD" : "PLAY", "word", "", cost];
  return [time, "time", held ? "clock held at" : "time left in level", cost];
}

/** Write the band across the screen: what the state is, and why or until when. */
function bandOf(event, clock, state, now, zone) {
  switch (state) {
    case "waiting":
      return waitingBand(clock.starts_at, now, zone);
    case "last-minute":
      return ["LAST MINUTE", `of level ${clock.level}`];
    case "paused":
      return ["PAUSED", joined(clock.reason, clock.phase === "break" && "on break")];
    case "hard-stop":
      return ["HARD STOP", HELD_BY_RULES.hard_stop];
    case "break":
      return ["BREAK", backAt(clock, zone)];
    case "hand-for-hand":
      return handForHandBand(event.h4h, clock);
    case "suspended": {
      const at = clock.resumes_at;
      return ["SUSPENDED", at === null ? clock.reason || "to be continued" : `back ${dayAndTime(at, now ?? at, zone)}`];
    }
    case "finished":
      return ["FINISHED", joined(event.field.entries && counted(event.field.entries, "player"), "thank you for playing")];
    default:
      return ["", ""];
  }
}

function waitingBand(at, now, zone) {
  if (at === null) return ["NOT STARTED", ""];
  if (now !== null && at <= now) return ["STARTS ANY MOMENT", `was due at ${timeOfDay(at, zone)}`];
  return [`STARTS ${dayAndTime(at, now ?? at, zone).toUpperCase()}`, ""];
}

function backAt(clock, zone) {
  const back = clock.ends_at === null ? "the director will call you back" : `play resumes at ${timeOfDay(clock.ends_at, zone)}`;
  return joined(back, clock.next?.phase === "level" && `level ${clock.next.level}`);
}

function handForHandBand({ unit, hand, tables, pending, to_money: away }, clock) {
  const total = Object.keys(tables).length;
  return [`${unit} for ${unit}`.toUpperCase(), joined(
    hand ? `${unit} ${grouped(hand)}` : "after this hand",
    total && `${total - pending} of ${counted(total, "table")} done`,
    fromTheMoney(away),
    clock.reason === "break_waits" && HELD_BY_RULES.break_waits,
  )];
}

// ── facts ───────────────────────────────────────────────────────────────────────────────────────

function stageOf({ phase, level, next }) {
  if (phase === "level") return fact("level", grouped(level));
  if (next?.phase !== "level") return null;
  return fact(next.level === level ? "back to level" : "next level", grouped(next.level));
}

function nextOf(event, clock, stepped) {
  const { next } = clock;
  if (next === null) {
    const last = event.notices.includes("last_level") && !stepped && clock.phase === "level";
    return last ? fact("now playing", "Last level") : null;
  }
  if (next.phase === "break") {
    const length = next.minutes === null ? "" : counted(next.minutes, "minute");
    const removed = next.colour_up.length > 0 && `remove ${next.colour_up.map(grouped).join(", ")}`;
    return fact("next", "Break", joined(length, removed));
  }
  const same = clock.phase === "break" && next.level === clock.level;
  return fact(`${same ? "back to" : "next ·"} level ${next.level}`, blinds(next), shortAnte(next));
}

/** Say what is counted down until entry closes: only while a clock runs towards it. */
function closesIn(event, clock, state, now, stepped) {
  const lost = stepped && (clock.ends_at === null || now === null || now >= clock.ends_at);
  if (!event.registration.open || lost || state === "waiting" || state === "suspended") return null;
  return countedDown(event, event.registration.closes_in_ms, now);
}

function entryOf({ registration }, left, stepped) {
  // At zero in a step that the hub has not confirmed, it is the announced level that closes entry.
  if (!registration.open || (stepped && left === 0)) return fact("entry", "closed");
  if (left !== null) return fact("entry closes", digits(left));
  const level = registration.closes_at_level;
  return level === null ? fact("entry", "open") : fact("entry closes", `level ${level}`);
}

/** Count down what the document gave as a length at its own instant. */
function countedDown(event, ms, now) {
  if (ms === null || now === null || event.clock.ends_at === null) return ms;
  return Math.max(0, ms - Math.max(0, now - event.now));
}

function averageOf(average, big) {
  if (average === null) return null;
  const deep = big ? divided(average, big) : 0;
  return fact("average", grouped(average), deep ? counted(deep, "big blind") : "");
}

function moneyOf(event, state) {
  const away = event.field.to_money;
  // Who may still come makes the money another one; in hand-for-hand the band says it already.
  if (away === null || event.registration.open || state === "hand-for-hand") return null;
  return away ? fact("from the money", grouped(away), away === 1 ? "player" : "players") : fact("the money", "reached");
}

function hardStopOf({ hard_stop_at: at }, now, zone) {
  if (at === null || now === null || at - now > HARD_STOP_SHOWN) return null;
  return fact("hard stop", timeOfDay(at, zone), at > now ? `in ${digits(at - now)}` : "reached");
}

function progressOf({ length_ms: length }, state, left) {
  if (left === null || !length || ["waiting", "suspended", "finished"].includes(state)) return null;
  return Math.min(1_000, Math.ceil((left * 1_000) / length));
}

const winnersOf = ({ field }) => field.finishes.filter((each) => each.place === 1).map((each) => each.name || each.player);

function placedOf({ field }) {
  return field.finishes
    .filter((each) => each.place > 1)
    .sort((a, b) => a.place - b.place)
    .slice(0, PLACED)
    .map((each) => fact(place(each.place), each.name || each.player));
}

function footerOf(event, state) {
  if (state === "hard-stop") return "";
  const h4h = state === "hand-for-hand" ? handForHand(event.h4h) : "";
  return h4h || noticeWords(event.notices) || actionClock(event.action_clock);
}

/** Say when the next digit changes; the time of day changes with the minute. */
function repaintIn(event, clock, shown, others, now, away) {
  if (now === null) return null;
  const counts = clock.ends_at !== null || clock.status === "waiting" || clock.status === "suspended";
  const stop = clock.hard_stop_at;
  const counting = [
    counts ? shown : null,
    ...(event.clock.ends_at === null ? [] : others),
    stop !== null && stop - now <= HARD_STOP_SHOWN ? stop - now : null,
  ];
  const flips = counting.map((ms) => (ms === null ? null : nextFlip(ms))).filter((flip) => flip !== null);
  const wait = away ? 0 : OVERDUE;
  // Instants at which a step is taken, or at which something begins to be shown.
  const instants = [
    [clock.ends_at, wait], [clock.starts_at, wait], [stop, wait], [stop, -HARD_STOP_SHOWN], [clock.resumes_at, -BACK_SHOWN],
  ];
  const at = instants.filter(([instant]) => instant !== null).map(([instant, later]) => instant + later - now);
  return Math.min(MINUTE - (now % MINUTE), ...flips, ...at.filter((ms) => ms > 0));
}

/** Say an event in one line of a list. */
export function lobbyWords(event, now, options = {}) {
  const wall = wallWords(event, now, options);
  const { state, winners, phase, level } = wall;
  return {
    ...wall,
    status: wall.band || "PLAYING",
    detail: state === "finished" ? winners.join(", ") : state === "last-minute" ? "" : wall.band_detail,
    line: state === "finished" || phase === "break" ? "" : joined(`level ${level}`, wall.blinds),
    count: wall.players ? `${wall.players.value} ${wall.players.note}` : "",
  };
}
