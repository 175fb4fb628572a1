// The event's clock exactly as the wall shows it: the only module here that knows the wall's words.

import { digits, nextFlip, remaining } from "/web/clock.js";
import { lobbyWords, wallWords as wall } from "/web/scenes.js";
import { blinds, dayAndTime, grouped, place as ordinal, shortAnte as ante, timeOfDay } from "/web/words.js";

export { ante, blinds, digits, grouped, nextFlip, ordinal, remaining };

const zone = (instant) => -new Date(instant).getTimezoneOffset();

/** Say the time of day of an instant, by this machine's calendar. */
export const clockTime = (instant) => timeOfDay(instant, zone);

/** Say an instant with its day, unless it is today: "tomorrow at 12:30". */
export const clockDay = (instant, now) => dayAndTime(instant, now, zone);

/** Say everything that a wall would say of an event at an instant. */
export function wallWords(doc, now, away) {
  const words = wall(doc, now, { zone, away });
  const counted = words.hero_kind === "count" && words.state === "playing"; // a level of hands has no digits
  return { ...words, digits: words.digits || (counted ? `${words.hero} hands` : "") };
}

/** Say an event in one line. */
export function lineWords(doc, now, away) {
  return lobbyWords(doc, now, { zone, away });
}

const LABELS = {
  waiting: "not started", paused: "paused", break: "break", "hand-for-hand": "hand for hand", "hard-stop": "hard stop",
  suspended: "suspended", finished: "finished", "last-minute": "last minute",
};

/** Say in a few words what the digits are: "level 7 · held (hand for hand)". */
export function label(words) {
  const level = words.phase === "break" || words.state === "waiting" ? "" : `level ${words.level}`;
  const state = LABELS[words.state] ?? "";
  const held = words.held && words.state === "hand-for-hand" ? `held (${state})` : state;
  return [level, held].filter(Boolean).join(" · ");
}

/** Say how an action clock or a called clock of the board stands: its digits, or its outcome. */
export function actionWords(clock, now) {
  const outcome = { dead: "DEAD HAND", check: "CHECK", needs_ruling: "RULING", void: "VOID" }[clock.outcome];
  if (clock.status === "expired") return outcome ?? "TIME";
  const left = now === null && clock.ends_at !== null ? null : remaining(clock, now);
  const time = left === null ? "–:––" : digits(left);
  const stands = { held: clock.interrupted ? "interrupted" : "held", paused: "paused" }[clock.status];
  return stands ? `${time} ${stands}` : time;
}
