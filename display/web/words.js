// Words and figures of the screens: small functions from plain values to what is written.
//
// The twin of display/words.py; both are held to tests/vectors/wall.json. No locale, no calendar: the
// same room reads the same on every screen. `zone` says how many minutes an instant is east of UTC.
// Labels are lower case; a style sheet may raise them.

import { digits } from "./clock.js";

const MINUTE = 60_000;
const DAY_MINUTES = 1_440;

/** Shown where a running clock cannot be counted down: hub time is not known yet. */
export const UNKNOWN = "–:––";

/** An action clock that has not heard from the hub for so long must say so. */
export const ACTION_TRUSTED = 2_000;

/** Reasons of the engine's own, in words. Any other reason is somebody's words already. */
export const HELD_BY_RULES = {
  hand_for_hand: "waiting for the hand to finish",
  break_waits: "the break comes after this hand",
  hard_stop: "time is up: this is the last hand",
};

/** What the engine gives notice of, in words for the room; any other is not for a wall. */
export const NOTICES = {
  hold_push: "Dealers: hold the push until the level has changed",
  prepare_decks: "Dealers: prepare your decks",
  registration_closing: "Entry closes soon",
  hard_stop: "A hard stop is near",
  last_level: "Last level",
  last_level_over: "Time is up: the last level goes on without end",
  round_for_round: "Close to the money: round for round may come",
};

export const utc = () => 0;

/** One figure: what it is, how much, and a word more. */
export const fact = (label, value, note = "") => ({ label, value, note });

/** Write a whole number in groups of three: 1,234,567. */
export function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Write a number with its noun. */
export const counted = (number, word) => `${grouped(number)} ${word}${number === 1 ? "" : "s"}`;

/** Put parts in a row, without those that are empty. */
export const joined = (...parts) => parts.filter(Boolean).join(" · ");

/** Divide whole numbers, a half upwards. */
export const divided = (total, parts) => Math.floor((2 * total + parts) / (2 * parts));

/** Write blinds: 400 / 800; nothing where there are none. */
export function blinds({ small, big }) {
  return small === null || big === null ? "" : `${grouped(small)} / ${grouped(big)}`;
}

/** Write the ante: one as large as the big blind is paid by the big blind. */
export function ante({ ante: amount, big }) {
  return amount ? `${amount === big ? "big blind ante" : "ante"} ${grouped(amount)}` : "";
}

/** Write the ante where there is little room. */
export const shortAnte = ({ ante: amount }) => (amount ? `ante ${grouped(amount)}` : "");

const local = (instant, zone) => Math.floor(instant / MINUTE) + zone(instant);

/** Write the time of day of an instant, by the zone of the screen: 18:42. */
export function timeOfDay(instant, zone = utc) {
  const two = (number) => String(number).padStart(2, "0");
  const minutes = ((local(instant, zone) % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES;
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** Write an instant with its day, as people say it today: "tomorrow at 12:30". */
export function dayAndTime(instant, now, zone = utc) {
  const day = (at) => Math.floor(local(at, zone) / DAY_MINUTES);
  const days = day(instant) - day(now);
  const at = `at ${timeOfDay(instant, zone)}`;
  if (days <= 0) return at;
  return days === 1 ? `tomorrow ${at}` : `in ${days} days ${at}`;
}

/** Write how far the money is; nothing where nobody knows. */
export function fromTheMoney(left) {
  if (left === null) return "";
  return left ? `${grouped(left)} from the money` : "in the money";
}

/** Write a place: 1st, 2nd, 3rd, 11th. */
export function place(number) {
  const teen = Math.floor(number / 10) % 10 === 1;
  const ending = teen ? "th" : ["th", "st", "nd", "rd"][number % 10] ?? "th";
  return `${grouped(number)}${ending}`;
}

/** Write the notices that hold; that the last level has no end says that it is the last. */
export function noticeWords(names) {
  const over = names.includes("last_level_over");
  return joined(...names.filter((name) => !(over && name === "last_level")).map((name) => NOTICES[name]));
}

/** Write the time to act on each street, where they differ; nothing where they do not. */
export function streetTimes(streets) {
  const runs = [];
  for (const [name, time] of Object.entries(streets)) {
    if (runs.at(-1)?.time === time) runs.at(-1).names.push(name);
    else runs.push({ time, names: [name] });
  }
  const listed = (names) => (names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0]);
  return runs.length === 1 ? "" : runs.map(({ time, names }) => `${listed(names)} ${time} s`).join(", ");
}

/** Write the rule of the action clock, once it is in play. */
export function actionClock(rule) {
  if (!rule) return "";
  const said = `Action clock: ${streetTimes(rule.streets) || counted(rule.streets.preflop, "second")}`;
  if (!rule.chips) return said;
  return `${said} · ${counted(rule.chips, "time-bank chip")} of ${counted(rule.chip_seconds, "second")}`;
}

/** Write what everybody does now; nothing outside hand-for-hand, or where tables may lead. */
export function handForHand({ status, unit, soft }) {
  if (soft) return "";
  return {
    announced: "Finish this hand, then wait.",
    playing: `Finish your ${unit}, then wait. All-in and called: cards stay face down.`,
    holding: `Every table is done. Wait for the next ${unit}.`,
  }[status] ?? "";
}

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
  const detail = joined("the hub is not heard", time && `for ${time}`, "ask the floor");
  return { freshness, badge: joined("stale", time), title: "DO NOT TRUST THIS CLOCK", detail };
}
