// An event's clock in a line or two: for the front page, and for a screen that has no scene yet.

const number = new Intl.NumberFormat("en");

/** Write blinds, with the ante behind them. */
export const blinds = (o) => `${number.format(o.small)} / ${number.format(o.big)}` + (o.ante ? ` (${number.format(o.ante)})` : "");

/** Say what is played. */
export function phase(clock) {
  if (clock.status === "waiting") return "Not started";
  if (clock.status === "finished") return "Finished";
  const what = clock.phase === "break" ? "Break" : `Level ${clock.level}: ${blinds(clock)}`;
  const why = { paused: "PAUSED", suspended: "SUSPENDED" }[clock.status];
  return why ? `${why} · ${what}` : what;
}

/** Say what comes next. */
export function next(clock) {
  if (!clock.next || clock.status === "finished") return "";
  return clock.next.phase === "break" ? "Next: break" : `Next: level ${clock.next.level}, ${blinds(clock.next)}`;
}
