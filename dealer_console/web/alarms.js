// Which alarm is due at the table: ten seconds, five, zero, a chip that burns. Pure.
//
// Only time that passes before this console's eyes makes a sound: a reload starts with nothing to
// compare, and an undo or a reconnect brings back instants that were heard already.

const SECOND = 1_000;

/** A console that has not looked for longer slept: what happened meanwhile is over. */
const GAP = 3_000;

/**
 * Each alarm: its sound, of those that a wall knows, and the vibration that is felt through a glove,
 * in milliseconds on and off.
 */
export const ALARMS = {
  ten: { sound: "ten", buzz: [90] },
  five: { sound: "tick", buzz: [160] },
  tick: { sound: "tick", buzz: [60] },
  burn: { sound: "minute", buzz: [200, 80, 200] },
  zero: { sound: "zero", buzz: [400, 120, 400] },
  refused: { sound: null, buzz: [60, 50, 60] },
  nudge: { sound: "ten", buzz: [120, 80, 120] },
};

/** Take from a table's document what alarms are decided by. */
export function glance(table, now) {
  const called = table.called.status !== "off";
  const clock = called ? table.called : table.action;
  return {
    now,
    seat: clock.seat,
    called,
    over: clock.status === "expired",
    endsAt: clock.ends_at,
    used: clock.used ?? 0,
    hand: table.hand.number,
  };
}

const crossed = (ms, was, is) => was.endsAt - was.now > ms && was.endsAt - is.now <= ms;

/** So long after zero a clock that still runs here has not been ruled on: the hub is away. */
const UNRULED = 700;

/** Name the alarm that is due between two glances at one table, or null. */
export function alarm(was, is) {
  if (was === null || is.now < was.now || is.now - was.now > GAP) return null;
  const same = was.seat !== null && was.seat === is.seat && was.called === is.called && was.hand === is.hand;
  if (!same || was.over || was.endsAt === null) return null;
  if (is.over) return was.now - was.endsAt >= UNRULED ? null : "zero";
  // A chip went by itself at zero. One that was pushed forward in time is no alarm.
  if (is.used > was.used && is.now >= was.endsAt) return "burn";
  if (is.endsAt !== was.endsAt) return null;
  if (crossed(10 * SECOND, was, is)) return "ten";
  if (crossed(5 * SECOND, was, is)) return "five";
  if (crossed(-UNRULED, was, is)) return "zero";
  return [4, 3, 2, 1].some((second) => crossed(second * SECOND, was, is)) ? "tick" : null;
}
