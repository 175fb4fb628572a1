// What a screen says: pure functions from a document and an instant to words and digits.
//
// Nothing here reads a clock or touches a page. `now` is hub time in milliseconds; `zone` says how
// many minutes an instant is east of UTC on this screen. What a document does not say is left out.

import { ahead, digits, nextFlip, remaining, seconds } from "./clock.js";

const MINUTE = 60_000;
const HOUR = 3_600_000;

/** So long after its end a running clock is believed to have ended, though the hub says nothing. */
export const OVERDUE = 400;

/** From here on a hard stop is worth a place on the wall. */
const HARD_STOP_SHOWN = 2 * HOUR;

/** Shown where a running clock cannot be counted down: hub time is not known yet. */
export const UNKNOWN = "–:––";

export const utc = () => 0;

// ── small words ─────────────────────────────────────────────────────────────────────────────────

/** Write a whole number in groups of three: 1,234,567. */
export function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Write blinds: 400 / 800. */
export function blinds({ small, big }) {
  return small === null || big === null ? "" : `${grouped(small)} / ${grouped(big)}`;
}

/** Write an ante, where there is one. */
export function ante(step) {
  return step.ante ? `ante ${grouped(step.ante)}` : "";
}

/** Write the time of day of an instant, by the zone of the screen: 18:42. */
export function timeOfDay(instant, zone = utc) {
  const minutes = Math.floor(instant / MINUTE) + zone(instant);
  const two = (number) => String(number).padStart(2, "0");
  const day = ((minutes % 1_440) + 1_440) % 1_440;
  return `${two(Math.floor(day / 60))}:${two(day % 60)}`;
}

/** Say how many days an instant is after another, by the calendar of the screen. */
function daysAfter(instant, now, zone) {
  const day = (at) => Math.floor((Math.floor(at / MINUTE) + zone(at)) / 1_440);
  return day(instant) - day(now);
}

/** Write an instant with its day, unless it is today: "tomorrow 12:30". */
export function when(instant, now, zone = utc) {
  const days = daysAfter(instant, now, zone);
  const time = timeOfDay(instant, zone);
  if (days === 0) return time;
  if (days === 1) return `tomorrow ${time}`;
  return days > 1 ? `in ${days} days, ${time}` : time;
}

const one = (number, word) => `${grouped(number)} ${word}${number === 1 ? "" : "s"}`;
const joined = (...parts) => parts.filter(Boolean).join(" · ");

/** Write a place: 1st, 2nd, 3rd, 11th. */
export function ordinal(place) {
  const teen = Math.floor(place / 10) % 10 === 1;
  const ending = teen ? "th" : ["th", "st", "nd", "rd"][place % 10] ?? "th";
  return `${grouped(place)}${ending}`;
}

/** Divide whole numbers, a half upwards: the same in Python. */
function divided(total, parts) {
  return Math.floor((2 * total + parts) / (2 * parts));
}

// ── the clock while the hub is away ─────────────────────────────────────────────────────────────

/** Give the clock of an event as it must stand at an instant, whether or not the hub has said so. */
export function standing(doc, now, away = false) {
  let clock = doc.clock;
  if (now === null) return clock;
  const late = (instant) => instant !== null && now >= instant + (away ? 0 : OVERDUE);
  if (clock.status === "waiting" && late(clock.starts_at) && clock.remaining_ms !== null) {
    clock = { ...clock, status: "running", ends_at: clock.starts_at + clock.remaining_ms };
  }
  if (clock.status !== "running") return clock;
  const stop = clock.hard_stop_at ?? null;
  if (late(stop) && (clock.ends_at === null || stop < clock.ends_at)) return stopped(clock, stop);
  // A break waits for a hand-for-hand hand to end, which nobody here can know.
  const waits = doc.h4h.status !== "off" && clock.next?.phase === "break";
  if (late(clock.ends_at) && !waits) {
    clock = ahead(clock, now);
    if (late(stop)) return stopped(clock, stop);
  }
  return clock;
}

function stopped(clock, stop) {
  const left = clock.ends_at === null ? clock.remaining_ms : Math.max(0, clock.ends_at - stop);
  return { ...clock, status: "paused", reason: "hard_stop", ends_at: null, remaining_ms: left };
}

// ── the state of an event ───────────────────────────────────────────────────────────────────────

/** Name the one state that the whole room must recognise. */
export function stateOf(clock, h4h, left) {
  if (["finished", "suspended", "waiting"].includes(clock.status)) return clock.status;
  if (clock.status === "paused") {
    if (clock.reason === "hard_stop") return "hard-stop";
    const held = clock.reason === "hand_for_hand" || clock.reason === "break_waits";
    return held ? "hand-for-hand" : "paused";
  }
  if (clock.phase === "break") return "break";
  if (h4h.status !== "off") return "hand-for-hand";
  return left !== null && left <= MINUTE ? "last-minute" : "playing";
}

const PENDING = new Set(["playing", "all_in", "runout"]);

/** Say how hand-for-hand stands. */
export function handForHand(h4h) {
  const tables = Object.values(h4h.tables);
  const done = tables.filter((status) => !PENDING.has(status)).length;
  const unit = h4h.unit === "round" ? "round" : "hand";
  const count = h4h.hand > 0 ? `${unit} ${grouped(h4h.hand)}` : "after this hand";
  const away = h4h.to_money;
  return {
    title: unit === "round" ? "ROUND FOR ROUND" : "HAND FOR HAND",
    detail: joined(
      count,
      tables.length > 0 && `${done} of ${one(tables.length, "table")} done`,
      away > 0 && `${grouped(away)} from the money`,
      away === 0 && "in the money",
    ),
    done,
    tables: tables.length,
    foot: h4h.status === "holding"
      ? "All tables are done. Wait for the floor to release the next hand."
      : "Finish your hand, then wait. All-in and called: cards stay face down.",
  };
}

/** Say who has won, where that is known: by the places, or as the last one who has a seat. */
export function winners(doc, last = null) {
  const first = doc.field.finishes.filter(({ place }) => place === 1);
  if (first.length > 0) return first.map(({ name, player }) => name || player);
  return doc.field.left === 1 && last !== null ? [last] : [];
}

function band(state, clock, doc, now, zone) {
  switch (state) {
    case "waiting": {
      const at = clock.starts_at;
      if (at === null) return ["NOT STARTED", ""];
      if (now !== null && at <= now) return ["STARTING", ""];
      const day = now === null ? 0 : daysAfter(at, now, zone);
      return [`STARTS ${day > 0 ? when(at, now, zone).toUpperCase() : `AT ${timeOfDay(at, zone)}`}`, ""];
    }
    case "last-minute":
      return ["LAST MINUTE", `level ${clock.level}`];
    case "paused":
      return ["PAUSED", joined(clock.reason, clock.phase === "break" && "on break")];
    case "hard-stop":
      return ["HARD STOP", "the clock stands"];
    case "break": {
      const level = clock.next?.phase === "level" && `level ${clock.next.level}`;
      const back = clock.ends_at === null ? "until the director calls" : `play resumes at ${timeOfDay(clock.ends_at, zone)}`;
      return ["BREAK", joined(back, level)];
    }
    case "hand-for-hand": {
      const { title, detail } = handForHand(doc.h4h);
      return [title, joined(detail, clock.reason === "break_waits" && "break after this hand")];
    }
    case "suspended":
      return ["SUSPENDED", clock.resumes_at === null ? "to be continued" : `back ${when(clock.resumes_at, now ?? clock.resumes_at, zone)}`];
    case "finished":
      return ["FINISHED", joined(doc.field.entries > 0 && one(doc.field.entries, "player"))];
    default:
      return ["", ""];
  }
}

/** Count down something that the document gave as a length at its own instant. */
function counted(ms, doc, runs, now) {
  if (ms === null || ms === undefined) return null;
  return runs && now !== null ? Math.max(0, ms - Math.max(0, now - doc.now)) : ms;
}

function main(state, clock, left, now) {
  if (state === "finished") return { caption: "", big: "" }; // the winner's name is the largest
  if (state === "waiting") {
    if (clock.starts_at === null || now === null) return { caption: "", big: "" };
    return { caption: "starts in", ms: Math.max(0, clock.starts_at - now), runs: true };
  }
  if (state === "suspended" && clock.resumes_at !== null && now !== null) {
    const ms = clock.resumes_at - now;
    if (ms > 0 && ms <= 24 * HOUR) return { caption: "back in", ms, runs: true };
  }
  if (clock.hands) {
    const tables = clock.hands.tables_left;
    const rest = tables === null || tables === undefined ? "" : `${one(tables, "table")} still playing`;
    return { caption: joined("counted in hands", rest), big: one(clock.hands.each, "hand") };
  }
  if (left === null && clock.ends_at !== null) return { caption: "", big: UNKNOWN };
  if (left === null) return { caption: "", big: clock.phase === "break" ? "BREAK" : "" };
  const held = state === "hand-for-hand" && clock.status === "paused";
  return { caption: held ? "clock held" : state === "suspended" ? "clock stands at" : "", ms: left, runs: clock.ends_at !== null };
}

function fact(label, value, note = "") {
  return { label, value, note };
}

function nextCard(clock) {
  const next = clock.next;
  if (next === null || next === undefined) return null;
  if (next.phase === "break") {
    const chips = next.colour_up ?? [];
    const removed = chips.length > 0 ? `remove ${chips.map(grouped).join(", ")}` : "";
    return fact("next", "Break", joined(next.minutes !== null && `${next.minutes} min`, removed));
  }
  const same = clock.phase === "break" && next.level === clock.level;
  return fact(same ? `back to level ${next.level}` : `next · level ${next.level}`, blinds(next), ante(next));
}

function hardStop(clock, now, zone) {
  const at = clock.hard_stop_at ?? null;
  if (at === null || now === null || clock.status === "finished") return null;
  const left = at - now;
  if (left > HARD_STOP_SHOWN) return null;
  return fact("hard stop", timeOfDay(at, zone), left > 0 ? `in ${digits(left)}` : "reached");
}

function money({ to_money: away }) {
  if (away === null || away === undefined) return null;
  return away === 0 ? fact("the money", "reached") : fact("from the money", grouped(away), away === 1 ? "player" : "players");
}

/** Say the rule of the action clock in short. */
export function actionRule(rule) {
  if (!rule) return "";
  const chips = rule.chips > 0 ? ` · ${one(rule.chips, "time-bank chip")} of ${one(rule.chip_seconds, "second")}` : "";
  return `Action clock: ${one(rule.seconds, "second")}${chips}`;
}

const NOTICES = {
  hold_push: "Dealers: hold the push until the level has changed",
  prepare_decks: "Dealers: prepare your decks",
  registration_closing: "Entry closes soon",
  hard_stop: "A hard stop is near",
  last_level: "Last level",
  round_for_round: "Close to the money: round for round may come",
};

function foot(doc, state) {
  if (doc.announcement) return { text: doc.announcement, announced: true };
  if (state === "finished") return { text: "", announced: false };
  if (state === "hand-for-hand") return { text: handForHand(doc.h4h).foot, announced: false };
  const notices = (doc.notices ?? []).map((name) => NOTICES[name]).filter(Boolean);
  return { text: notices.length > 0 ? joined(...notices) : actionRule(doc.action_clock), announced: false };
}

/**
 * Say everything that a clock wall shows of an event's document at an instant.
 *
 * `now` is null while hub time is not known; `away` says that the hub is not heard.
 */
export function eventWords(doc, now, { zone = utc, away = false, last = null } = {}) {
  const clock = standing(doc, now, away);
  const left = now === null && clock.ends_at !== null ? null : remaining(clock, now);
  const state = stateOf(clock, doc.h4h, left);
  const [title, detail] = band(state, clock, doc, now, zone);
  const shown = main(state, clock, left, now);
  const runs = clock.status === "running" && clock.ends_at !== null;
  const known = clock === doc.clock && state !== "waiting";
  const over = state === "finished";
  const whole = clock.length_ms ?? null;
  const breakIn = known ? counted(clock.next_break_ms, doc, runs && clock.phase === "level", now) : null;
  const closes = doc.registration.open && state !== "waiting" ? counted(doc.registration.closes_in_ms, doc, doc.clock.ends_at !== null, now) : null;
  const { entries, left: players, average_stack: average, tables } = doc.field;
  const onBreak = clock.phase === "break";
  const deep = average === null || !clock.big ? 0 : divided(average, clock.big);
  const inBlinds = deep > 0 ? one(deep, "big blind") : "";
  const flips = shown.ms !== undefined && shown.runs ? [nextFlip(shown.ms)] : [];
  if (runs && now !== null) flips.push(...[breakIn, closes].map((ms) => (ms === null ? null : nextFlip(ms))));
  return {
    state,
    name: doc.name,
    house: doc.house,
    title,
    detail,
    phase: clock.phase,
    level: clock.level,
    digits: shown.ms === undefined ? shown.big : digits(shown.ms),
    counts: shown.ms !== undefined,
    caption: shown.caption,
    held: clock.status === "paused",
    blinds: over || onBreak ? "" : blinds(clock),
    ante: over || onBreak ? "" : ante(clock),
    progress: whole && left !== null && !over && state !== "waiting" ? Math.min(1, left / whole) : null,
    tablesDone: state === "hand-for-hand" ? handForHand(doc.h4h) : null,
    winners: over ? winners(doc, last) : [],
    chips: onBreak && !over ? clock.colour_up ?? [] : [],
    next: over ? null : nextCard(clock),
    left: over ? [] : [
      onBreak && clock.next?.phase === "level" && fact(clock.next.level === clock.level ? "back to level" : "next level", grouped(clock.next.level)),
      clock.level !== null && !onBreak && fact("level", grouped(clock.level)),
      breakIn !== null && !onBreak && fact("break in", digits(breakIn)),
      closes !== null ? fact("entry closes", digits(closes)) : doc.registration.open && fact("entry", "open"),
    ].filter(Boolean),
    right: over ? [] : [
      entries > 0 && fact("players", grouped(players), `of ${grouped(entries)}`),
      average !== null && fact("average", grouped(average), inBlinds),
      tables > 0 && fact("tables", grouped(tables)),
    ].filter(Boolean),
    cards: over ? podium(doc) : [
      !onBreak && nextCard(clock),
      hardStop(clock, now, zone),
      onBreak && entries > 0 && (clock.colour_up ?? []).length > 0 && fact("players", grouped(players), `of ${grouped(entries)}`),
      money(doc.field),
    ].filter(Boolean),
    foot: foot(doc, state),
    flip: soonest(flips),
  };
}

/** List the best places that are known, after the first. */
function podium(doc) {
  return doc.field.finishes
    .filter(({ place }) => place > 1 && place <= 4)
    .sort((a, b) => a.place - b.place)
    .slice(0, 3)
    .map(({ place, name, player }) => fact(ordinal(place), name || player));
}

function soonest(flips) {
  const known = flips.filter((flip) => flip !== null);
  return known.length > 0 ? Math.min(...known) : null;
}

/** Say an event in one line of a list. */
export function lobbyWords(doc, now, options = {}) {
  const words = eventWords(doc, now, options);
  const level = words.phase === "break" ? "" : joined(`level ${words.level}`, words.blinds, words.ante);
  return {
    ...words,
    status: joined(words.title || "PLAYING", words.state === "last-minute" ? "" : words.detail),
    line: words.state === "finished" ? words.winners.join(", ") : level,
    players: doc.field.entries > 0 ? `${grouped(doc.field.left)} of ${grouped(doc.field.entries)}` : "",
  };
}

// ── one table ───────────────────────────────────────────────────────────────────────────────────

const OUTCOMES = { dead: "DEAD HAND", check: "CHECK", needs_ruling: "FLOOR RULES", void: "VOID" };

/** An action clock that has not heard from the hub for so long must say so. */
export const ACTION_TRUSTED = 2_000;

/** Say how an action clock or a called clock stands. */
function timeWords(clock, now, called) {
  const left = now === null && clock.ends_at !== null ? null : remaining(clock, now);
  const runs = clock.ends_at !== null;
  const outcome = clock.status === "expired" ? OUTCOMES[clock.outcome] ?? "TIME" : "";
  const standing = {
    held: clock.interrupted ? "INTERRUPTED" : "HELD", paused: "PAUSED", expiring: "TIME",
  }[clock.status] ?? "";
  const count = left === null ? null : seconds(left);
  const urgent = outcome || count === 0 ? "zero" : count <= 5 ? "five" : count <= 10 ? "ten" : "";
  return {
    seat: clock.seat,
    digits: outcome ? "" : left === null ? UNKNOWN : digits(left),
    outcome,
    word: outcome || (runs && count === 0 ? "TIME" : standing) || (called ? "CLOCK CALLED" : clock.on_bank > 0 ? "TIME BANK" : ""),
    urgent: count === null && !outcome ? "" : urgent,
    runs,
    left,
    flip: runs && left !== null ? nextFlip(left) : null,
  };
}

/** Say everything that a feature table's screen shows; `rule` is the event's action clock. */
export function tableWords(doc, now, rule = null) {
  const called = doc.called.status !== "off";
  const acting = called ? doc.called : doc.action;
  const clock = acting.seat === null ? null : timeWords(acting, now, called);
  const turn = clock?.seat ?? doc.hand.turn;
  const most = rule?.chips ?? 0;
  const seats = Array.from({ length: doc.size }, (_, index) => {
    const seat = index + 1;
    const taken = doc.seats[seat];
    if (!taken) return { seat, name: "", empty: true };
    return {
      seat,
      name: taken.name || taken.player,
      empty: false,
      bank: taken.bank,
      spent: Math.max(0, most - taken.bank),
      turn: seat === turn,
      button: seat === doc.hand.button,
      folded: doc.hand.in_progress && !taken.in_hand,
      limit: taken.limit_s === null ? "" : `${taken.limit_s} s`,
    };
  });
  const who = seats.find(({ seat }) => seat === turn && doc.seats[seat]);
  const whose = who ? joined(`seat ${who.seat}`, who.name) : "";
  const hand = doc.hand.in_progress ? joined(`hand ${grouped(doc.hand.number)}`, doc.hand.street) : "between hands";
  return {
    title: `TABLE ${doc.table}`,
    blinds: joined(blinds(doc), ante(doc)),
    next: doc.next_hand ? joined(`next hand ${blinds(doc.next_hand)}`, ante(doc.next_hand)) : "",
    hand,
    seats,
    clock,
    whose,
    bank: who && rule ? one(who.bank, "time-bank chip") : "",
    band: doc.paused ? "TABLE PAUSED" : doc.floor ? "FLOOR CALLED" : "",
    collect: doc.collect.map(({ seat, chips }) => `collect ${one(chips, "chip")} from seat ${seat}`).join(" · "),
    flip: clock?.flip ?? null,
  };
}

const TABLE_STATES = {
  playing: "playing", done: "done", all_in: "ALL-IN", runout: "runout", ahead: "ahead", ahead_done: "done",
};

/** Say how each table of the board stands, in the order of their numbers. */
export function boardWords(doc) {
  return Object.entries(doc.tables)
    .map(([number, row]) => {
      const free = row.size - row.players;
      const word = row.floor !== null ? "FLOOR" : row.paused ? "PAUSED" : TABLE_STATES[row.h4h] ?? "";
      return {
        table: Number(number),
        players: `${row.players} of ${row.size}`,
        free: free > 0 ? `${one(free, "seat")} free` : "full",
        word,
        mark: row.floor !== null ? "floor" : row.paused ? "paused" : row.h4h === null ? "" : PENDING.has(row.h4h) ? "pending" : "done",
      };
    })
    .sort((a, b) => a.table - b.table);
}

// ── the link ────────────────────────────────────────────────────────────────────────────────────

/** Say how far a screen can be trusted. `since` is for how long the hub has not been heard. */
export function linkWords(freshness, since, { closed = null, reached = true, action = false } = {}) {
  if (closed !== null) return { freshness: "stale", badge: "hub closed", title: "NOT CONNECTED", detail: closed };
  if (freshness === "fresh") return { freshness, badge: "live", title: "", detail: "" };
  const time = since === null ? "" : digits(Math.floor(since / 1_000) * 1_000);
  if (freshness === "coasting") {
    const doubted = action && since !== null && since >= ACTION_TRUSTED;
    return {
      freshness,
      badge: joined("hub away", time),
      title: doubted ? "HUB NOT HEARD" : "",
      detail: doubted ? "ask the dealer: this clock may be wrong" : "",
    };
  }
  if (!reached) return { freshness, badge: "no hub", title: "NO HUB", detail: "waiting for the hub to answer" };
  return { freshness, badge: joined("stale", time), title: "DO NOT TRUST THIS CLOCK", detail: joined("the hub is not heard", time && `for ${time}`, "ask the floor") };
}
