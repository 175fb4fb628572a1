// What a form would change: only what somebody has touched. Pure.

const DAY = 86_400_000;

/** So long after the house's start time an event is meant for the next day, as the hub reckons. */
const LONG_AGO = 6 * 3_600_000;

/** Give what differs from how the form was opened; null where nothing does. */
export function changes(before, after) {
  const found = Object.entries(after).filter(([name, value]) => value !== before[name]);
  return found.length > 0 ? Object.fromEntries(found) : null;
}

/** Give options that have the present value among them, so that a form shows it and keeps it. */
export function offering(options, value) {
  return value === "" || options.some(([each]) => each === value) ? options : [...options, [value, value]];
}

/**
 * Say when a house that starts at "12:30" would start, as a local time for a form; empty where it has
 * no start time, or where today's was missed and the director starts by hand.
 */
export function houseStart(start, now) {
  if (!start) return "";
  const [hours, minutes] = start.split(":").map(Number);
  const at = new Date(now);
  at.setHours(hours, minutes, 0, 0);
  if (now - at.getTime() > LONG_AGO) at.setDate(at.getDate() + 1);
  if (at.getTime() <= now || at.getTime() > now + 2 * DAY) return "";
  const two = (number) => String(number).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** Give what `event.create` is told of the start: nothing for the house's own, null for by hand. */
export function startArgs(shown, typed) {
  if (typed === shown) return {};
  return { starts_at: typed === "" ? null : new Date(typed).getTime() };
}

/** Give the hands that a bust may be of: in hand-for-hand this one, and the one before it. */
export function bustHands(h4h) {
  if (!h4h || h4h.status === "off" || h4h.hand < 1) return [];
  const before = h4h.hand - 1;
  return [["", `this hand (${h4h.hand})`], [String(before), before === 0 ? "previous hand (the announced one)" : `previous hand (${before})`]];
}
