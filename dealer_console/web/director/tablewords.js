// Words and digits of one table's clocks, for the drawer.

import { digits, remaining } from "/web/clock.js";

export { actionWords, ante, blinds } from "./clockface.js";
export { remaining };

/** Give the digits of what is left; a clock that is not known has none. */
export function seconds(left) {
  return left === null ? "–:––" : digits(left);
}
