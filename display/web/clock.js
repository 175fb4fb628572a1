// Time, as pure mathematics: agreeing with the hub on what time it is, and counting down.
//
// Mirrors server/protocol/sync.py and server/protocol/countdown.py, and is held to the same
// vectors (tests/vectors/). Nothing here reads a clock: `own` is this device's own clock in whole
// milliseconds, `now` is hub time.

// ── agreeing on the time ────────────────────────────────────────────────────────────────────────

const PROBES_KEPT = 16;

/** Milliseconds of correction in a second: a digit is at most so much too long or too short. */
const SLEW_PER_SECOND = 50;

/** Farther off than this the estimate jumps: slewing would be wrong for too long. */
const STEP_BEYOND = 2_000;

/** Milliseconds by which two good clocks may drift apart while samples are kept. */
const DRIFT = 10;

/**
 * Work out what a probe says: hub time minus our own, give or take half the round trip. It was sent
 * at our `sent`, received and answered at hub times, and its answer was `back` on our own clock.
 */
export function sample(sent, received, answered, back) {
  const roundTrip = back - sent - (answered - received);
  return { offset: (received - sent + (answered - back)) / 2, roundTrip: Math.max(0, roundTrip) };
}

/** Say whether two samples cannot be true of the same two clocks, a little drift allowed. */
function contradict(one, other) {
  const allowed = (one.roundTrip + other.roundTrip) / 2 + DRIFT;
  return Math.abs(one.offset - other.offset) > allowed;
}

/** Round a half to the even neighbour, as Python does: both must send the same instant of a tap. */
function round(number) {
  const below = Math.floor(number);
  const over = number - below;
  if (over !== 0.5) return over < 0.5 ? below : below + 1;
  return below % 2 === 0 ? below : below + 1;
}

/**
 * A client's idea of hub time: the first answer is taken at once, later ones are slewed to. One that
 * contradicts the quickest means that a clock was moved or stood still: then only the new one counts.
 */
export class HubClock {
  _samples = [];
  _offset = 0;
  _setAt = 0;

  /** Whether any probe has been answered. */
  get known() {
    return this._samples.length > 0;
  }

  /** The sample of the quickest round trip; of equally quick ones, the newest. */
  get best() {
    return this._samples.reduce((best, each) => (each.roundTrip <= best.roundTrip ? each : best));
  }

  /** Say how far off the estimate can be, in milliseconds either way, slewing included. */
  uncertainty(own) {
    return this.best.roundTrip / 2 + Math.abs(this.best.offset - this.offset(own));
  }

  /** Take in the answer to a probe. */
  answered(sent, received, answered, back) {
    const first = !this.known;
    this._offset = first ? 0 : this.offset(back);
    const latest = sample(sent, received, answered, back);
    if (!first && contradict(latest, this.best)) this._samples = [];
    this._samples.push(latest);
    if (this._samples.length > PROBES_KEPT) this._samples.shift();
    if (first || Math.abs(this.best.offset - this._offset) > STEP_BEYOND) {
      this._offset = this.best.offset;
    }
    this._setAt = back;
  }

  /** Say how far hub time is ahead of our own clock, slewing towards the best. */
  offset(own) {
    const wanted = this.best.offset - this._offset;
    const most = (SLEW_PER_SECOND * Math.max(0, own - this._setAt)) / 1_000;
    return this._offset + Math.max(-most, Math.min(most, wanted));
  }

  /** Say what hub time it is by our own clock. */
  now(own) {
    return round(own + this.offset(own));
  }
}

// ── counting down ───────────────────────────────────────────────────────────────────────────────

const SECOND = 1_000;
const MINUTE = 60_000;

/**
 * Say how many milliseconds are left on the `clock` of an event's document, or the `action` or
 * `called` of a table's; null where nothing is being counted.
 */
export function remaining(clock, now) {
  return clock.ends_at !== null ? Math.max(0, clock.ends_at - now) : clock.remaining_ms;
}

/** Give the seconds to show: begun ones count, so that zero is shown only when time is up. */
export function seconds(ms) {
  return Math.ceil(ms / SECOND);
}

/** Give the digits to show: M:SS below an hour, H:MM:SS from an hour on. */
export function digits(ms) {
  const total = seconds(ms);
  const two = (number) => String(number).padStart(2, "0");
  const hours = Math.floor(total / 3_600);
  const minutes = Math.floor(total / 60) % 60;
  const rest = two(total % 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}

/**
 * Say in how many milliseconds the shown second changes; null at zero, where it stays. Never hand
 * the null to setTimeout, which would take it for "at once".
 */
export function nextFlip(ms) {
  return ms > 0 ? ((ms - 1) % SECOND) + 1 : null;
}

/**
 * Give the clock to show while the hub is away: the announced step once this one is over.
 *
 * This one step and no more: what comes after it was never announced, and a screen that guesses is
 * worse than one that stands at zero. What cannot be known from here is null.
 */
export function ahead(clock, now) {
  const following = clock.next;
  if (clock.ends_at === null || following === null || now < clock.ends_at) return clock;
  // A break is shown with the level just played; its own entry carries no blinds.
  const { level, small, big, ante } = following.phase === "break" ? clock : following;
  const whole = following.minutes === null ? null : following.minutes * MINUTE;
  // The rest of a level that a called break interrupted, or less where time is owed.
  const length = following.length_ms === undefined ? whole : following.length_ms;
  // From the scheduled end, not from when it was noticed: so the screen agrees with the hub.
  const end = length === null ? null : clock.ends_at + length;
  return {
    ...clock,
    phase: following.phase,
    level,
    small,
    big,
    ante,
    ends_at: end,
    remaining_ms: end === null ? null : Math.max(0, end - now),
    length_ms: whole,
    next: null,
    next_break_ms: null,
    colour_up: following.colour_up,
    hands: null,
  };
}
