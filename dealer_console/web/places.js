// Where the seats are on the felt, as the dealer sees them: seat 1 at the left hand, then clockwise.

/** How many seats each form of the felt takes at a side; the rest sits across the table. */
const FORMS = {
  wide: (size) => Math.min(2, Math.floor(size / 3)),
  tall: (size) => Math.min(size > 10 ? 4 : 3, Math.floor(size / 3)),
  narrow: (size) => Math.min(size > 10 ? 5 : 4, Math.floor(size / 2)),
};

/** How far the ends of the row across the table come down, and a side's ends come in. */
const ARC = { wide: 0.12, tall: 0.07, narrow: 0 };
const INSET = { wide: 0.045, tall: 0.02, narrow: 0 };

/** How far from the sides the row across begins, by how many sit there. */
const EDGE = {
  wide: (across) => (across > 6 ? 0 : across > 4 ? 0.13 : 0.2),
  tall: (across) => (across > 3 ? 0 : 0.12),
  narrow: () => 1 / 3, // two fit between the columns
};

/** Which form suits a felt of a width and a height. */
export function form(wide, high) {
  if (wide < 560) return "narrow";
  return wide > 2.1 * high ? "wide" : "tall";
}

/** How many rows of seats a narrow felt must have room for. */
export function rows(size) {
  return Math.max(3, FORMS.narrow(size));
}

/** Give every seat's place, from 0 to 1 of the room that the felt has for it. */
export function places(size, as) {
  const side = FORMS[as](size);
  const across = size - 2 * side;
  const step = as === "narrow" ? 1 / Math.max(1, side - 1) : 1 / (side + 0.5);
  // A narrow felt has no row of its own across: its top seats stand between the columns.
  const up = (row) => (as === "narrow" && side === 1 ? 0.5 : 1 - row * step);
  const inset = (row) => (row === 0 ? INSET[as] : 0);
  const left = Array.from({ length: side }, (_, row) => ({ x: inset(row), y: up(row) }));
  const right = left.map(({ x, y }) => ({ x: 1 - x, y })).reverse();
  const edge = EDGE[as](across);
  const top = Array.from({ length: across }, (_, index) => {
    const part = across === 1 ? 0.5 : index / (across - 1);
    return { x: edge + part * (1 - 2 * edge), y: ARC[as] * (2 * part - 1) ** 2 };
  });
  return [...left, ...top, ...right];
}
