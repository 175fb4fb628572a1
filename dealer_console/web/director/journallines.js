// Lines of the journal: their time, their words, and whether they are looked for. Pure.

const two = (number) => String(number).padStart(2, "0");

/** Say when a line happened, to the second. */
export function lineTime(line) {
  const at = new Date(line.at);
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** Say what happened. */
export function lineWhat(line) {
  return line.text || line.what || "";
}

/** What dealers do hand after hand. */
const TAPS = /^(action\.(?!ruling)|hand\.|street\.|collect\.|called\.stop|dealer\.push|h4h\.(done|all_in))/;

/** Say whether a line is about what is looked for. */
export function matches(line, { table, seat, who, words, calm = false }) {
  if (calm && line.kind === "command" && TAPS.test(line.what ?? "")) return false;
  const places = line.places ?? [[line.table, line.seat]];
  if (table && !places.some(([at]) => at === Number(table))) return false;
  if (seat && !places.some(([, at]) => at === Number(seat))) return false;
  if (who && !`${line.who ?? ""} ${line.device ?? ""}`.toLowerCase().includes(who.toLowerCase())) return false;
  return !words || lineWhat(line).toLowerCase().includes(words.toLowerCase());
}
