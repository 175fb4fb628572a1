// A structure that is being edited: the steps from the current one on, and when each would begin. Pure.

const MINUTE = 60_000;

/** Take the editable steps out of the hub's document, each with a number of its own to be known by. */
export function draft(doc) {
  return doc.steps.slice(doc.editable_from ?? doc.step).map((step, at) => ({
    id: at,
    phase: step.phase,
    small: step.small,
    big: step.big,
    ante: step.ante ?? 0,
    minutes: step.minutes,
    hands: step.hands ?? null,
    colour_up: step.colour_up ?? [],
  }));
}

/** Take steps that were read from a file. */
export function imported(steps) {
  return steps.map((step, at) => ({ id: 1_000 + at, phase: "level", small: null, big: null, ante: 0, minutes: null, hands: null, colour_up: [], ...step }));
}

/** Give the steps as the hub takes them: nothing that a step does not have. */
export function command(steps) {
  return steps.map((step) => {
    const made = step.phase === "break" ? { phase: "break" } : { small: step.small, big: step.big };
    if (step.phase !== "break" && step.ante) made.ante = step.ante;
    if (step.phase === "break" && step.colour_up.length > 0) made.colour_up = step.colour_up;
    // A level that counts hands keeps its minutes in the draft, for when hands are not counted.
    if (step.phase !== "break" && step.hands !== null) made.hands = step.hands;
    else if (step.minutes !== null) made.minutes = step.minutes;
    return made;
  });
}

/** Say whether two drafts would be the same structure. */
export const same = (one, other) => JSON.stringify(command(one)) === JSON.stringify(command(other));

const nextId = (steps) => Math.max(-1, ...steps.map(({ id }) => id)) + 1;

/** Move a step; the current one, which is first, stays where it is. */
export function moved(steps, from, to) {
  if (from < 1 || to < 1 || from >= steps.length || to >= steps.length || from === to) return steps;
  const rest = steps.filter((_, at) => at !== from);
  return [...rest.slice(0, to), steps[from], ...rest.slice(to)];
}

/** Take a step out; the current one cannot be. */
export function removed(steps, at) {
  return at < 1 || steps.length < 2 ? steps : steps.filter((_, index) => index !== at);
}

/** Round an amount of chips to two figures that a dealer can say. */
function rounded(amount) {
  const unit = 10 ** Math.max(0, String(Math.round(amount)).length - 2);
  return Math.max(1, Math.round(amount / unit) * unit);
}

/** Put a level after a step: between its neighbours, or half as high again as the last. */
export function levelAfter(steps, at) {
  const levels = (list) => list.filter(({ phase }) => phase === "level");
  const before = levels(steps.slice(0, at + 1)).at(-1) ?? levels(steps)[0];
  const after = levels(steps.slice(at + 1))[0];
  const between = (key) => rounded(after ? (before[key] + after[key]) / 2 : before[key] * 1.5);
  const big = between("big");
  const made = {
    id: nextId(steps), phase: "level", small: Math.min(big, between("small")), big, ante: before.ante ? big : 0, minutes: before.minutes ?? 20, hands: before.hands, colour_up: [],
  };
  return [...steps.slice(0, at + 1), made, ...steps.slice(at + 1)];
}

/** Put a break after a step. */
export function breakAfter(steps, at, minutes = 15) {
  const made = { id: nextId(steps), phase: "break", small: null, big: null, ante: 0, minutes, hands: null, colour_up: [] };
  return [...steps.slice(0, at + 1), made, ...steps.slice(at + 1)];
}

/** Change one thing of a step. */
export function changed(steps, at, what) {
  return steps.map((step, index) => (index === at ? { ...step, ...what } : step));
}

/** Give a step another length; a level that is given minutes does not count hands any more. */
export function withMinutes(steps, at, minutes) {
  const counted = minutes === null ? {} : { hands: null };
  return changed(steps, at, { minutes, ...(steps[at].phase === "level" ? counted : {}) });
}

/** Let a level count hands, or minutes again: those that it had are kept. */
export function withHands(steps, at, hands) {
  return changed(steps, at, { hands });
}

/** Say what is wrong with a draft, in words; empty where nothing is. */
export function wrong(steps) {
  for (const [at, step] of steps.entries()) {
    const where = step.phase === "break" ? `the break in line ${at + 1}` : `the level in line ${at + 1}`;
    const whole = (value, least) => Number.isInteger(value) && value >= least;
    if (step.phase === "level") {
      if (!whole(step.small, 0) || !whole(step.big, 1)) return `${where} needs blinds`;
      if (step.small > step.big) return `${where}: the small blind is more than the big one`;
      if (step.hands !== null && !whole(step.hands, 1)) return `${where}: hands are counted from 1`;
      if (step.hands === null && !whole(step.minutes, 1)) return `${where} needs minutes or hands`;
    } else if (step.minutes !== null && !whole(step.minutes, 1)) return `${where} needs minutes`;
  }
  return steps.some(({ phase }) => phase === "level") ? "" : "there is no level any more";
}

/**
 * Say when each step of a draft would begin, and when the last would end, if play went on from now.
 *
 * `elapsed` is how much of the current step has been played; `now` is hub time. Where a step has no
 * length (hands are counted, or the director ends the break) nothing after it is known.
 */
export function timeline(steps, first, elapsed, now) {
  let at = now;
  let level = first;
  const rows = steps.map((step, index) => {
    const own = step.phase === "level" ? level : null;
    if (step.phase === "level") level += 1;
    const starts = index === 0 ? null : at;
    const length = step.phase === "level" && step.hands !== null ? null : step.minutes === null ? null : step.minutes * MINUTE;
    const left = length === null ? null : index === 0 ? Math.max(0, length - elapsed) : length;
    at = at === null || left === null ? null : at + left;
    return { level: own, starts_at: starts };
  });
  return { rows, ends_at: at };
}
