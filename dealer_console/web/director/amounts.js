// Reading and writing lengths of time, as people type them. Pure.

const SECOND = 1_000;

/** Read a length: "12:30" is minutes and seconds, "1:02:03" has hours, "12" is minutes; else null. */
export function readLength(text) {
  const said = text.trim().replace(/[.,\s]/g, ":");
  if (!/^\d{1,3}(:\d{1,2}){0,2}$/.test(said)) return null;
  const parts = said.split(":").map(Number);
  if (parts.slice(1).some((part) => part > 59)) return null;
  if (parts.length === 1) return parts[0] * 60 * SECOND;
  return parts.reduce((sum, part) => sum * 60 + part, 0) * SECOND;
}

/** Write a change of a clock: +1:00, −0:30. */
export function change(ms) {
  const total = Math.round(Math.abs(ms) / SECOND);
  const rest = String(total % 60).padStart(2, "0");
  return `${ms < 0 ? "−" : "+"}${Math.floor(total / 60)}:${rest}`;
}

/** Write for how long something has been so: 0:48, and hours from an hour on. Begun seconds do not count. */
export function age(ms) {
  const total = Math.max(0, Math.floor(ms / SECOND));
  const two = (number) => String(number).padStart(2, "0");
  const hours = Math.floor(total / 3_600);
  const minutes = Math.floor(total / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(total % 60)}` : `${minutes}:${two(total % 60)}`;
}

/** Write a length of minutes in words: 4 h 05, 35 min. */
export function spell(minutes) {
  const hours = Math.floor(minutes / 60);
  return hours > 0 ? `${hours} h ${String(minutes % 60).padStart(2, "0")}` : `${minutes} min`;
}

/** Write how long a decision takes in the mean; nothing where none was timed. */
export function paceWords(ms) {
  return ms === null || ms === undefined ? "" : `${Math.round(ms / SECOND)} s a decision`;
}

/** Write a number with its sign, as an offset between clocks: +2, −4. */
export function signed(number) {
  return number < 0 ? `−${-number}` : `+${number}`;
}
