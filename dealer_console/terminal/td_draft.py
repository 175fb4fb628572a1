"""A draft of the structure: what a director edits before it is sent, pure and on paper.

The past is frozen. The step that is played may get another length; everything after it may be
changed, removed, or have something put beside it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

ASSUMED_BREAK = 10
"""Minutes that the hub assumes for a break without a length."""

MINUTE = 60_000
NEW_BREAK = 15

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Draft:
    """An edited structure; `start` is its first step that may be edited."""

    rows: tuple[Row, ...]
    start: int
    changed: bool = False

    @classmethod
    def of(cls, structure: Row) -> "Draft | None":
        """Begin with what is; None where nothing may be edited."""
        start = structure["editable_from"]
        return None if start is None else cls(tuple(structure["steps"]), start)

    def _with(self, rows: list[Row]) -> "Draft":
        return replace(self, rows=tuple(rows), changed=True)

    def longer(self, index: int, minutes: int) -> "Draft":
        """Make a step longer or shorter, a minute at least; hands are counted one by one."""
        if not self.start <= index < len(self.rows):
            return self
        row = self.rows[index]
        if row["hands"] is not None:
            changed: Row = {**row, "hands": max(1, row["hands"] + minutes)}
        else:
            was = row["minutes"]
            was = (0 if minutes > 0 else ASSUMED_BREAK) if was is None else was
            changed = {**row, "minutes": max(1, was + minutes)}
        return self._with([*self.rows[:index], changed, *self.rows[index + 1 :]])

    def removed(self, index: int) -> "Draft":
        """Take a step out; the one that is played stays."""
        if not self.start < index < len(self.rows):
            return self
        return self._with([*self.rows[:index], *self.rows[index + 1 :]])

    def with_level(self, index: int) -> "Draft":
        """Put a level after a step, half way to the next one."""
        if not self.start <= index < len(self.rows):
            return self
        levels = [row for row in self.rows[: index + 1] if row["phase"] == "level"]
        before = levels[-1]
        later = [row for row in self.rows[index + 1 :] if row["phase"] == "level"]
        between = later[0] if later else {k: (before[k] or 0) * 2 for k in ("small", "big", "ante")}
        new = {key: _between(before[key], between[key]) for key in ("small", "big", "ante")}
        row = {**before, **new, "starts_at": None, "state": "ahead"}
        return self._with([*self.rows[: index + 1], row, *self.rows[index + 1 :]])

    def with_break(self, index: int) -> "Draft":
        """Put a break after a step."""
        if not self.start <= index < len(self.rows):
            return self
        row = {
            **dict.fromkeys(("small", "big", "ante", "hands", "starts_at")),
            "phase": "break",
            "level": self.rows[index]["level"],
            "minutes": NEW_BREAK,
            "colour_up": [],
            "state": "ahead",
        }
        return self._with([*self.rows[: index + 1], row, *self.rows[index + 1 :]])

    def with_blinds(self, index: int, blinds: Mapping[str, int]) -> "Draft":
        """Give a level other blinds."""
        if not self.start <= index < len(self.rows) or self.rows[index]["phase"] != "level":
            return self
        changed = {**self.rows[index], **blinds}
        return self._with([*self.rows[:index], changed, *self.rows[index + 1 :]])

    def with_length(self, index: int, length: Mapping[str, int]) -> "Draft":
        """Let a step last for minutes, or a level for hands: its minutes are kept for later."""
        if not self.start <= index < len(self.rows):
            return self
        row = self.rows[index]
        if "hands" in length and row["phase"] != "level":
            return self
        changed = {**row, "hands": None, **length}
        return self._with([*self.rows[:index], changed, *self.rows[index + 1 :]])

    def steps(self) -> list[dict[str, Any]]:
        """Give what `structure.set` takes."""
        return [_step(row) for row in self.rows[self.start :]]

    def numbered(self) -> list[int]:
        """Give every level its number anew; a break has the number of the level before it."""
        found, level = [], 0
        for row in self.rows:
            level += row["phase"] == "level"
            found.append(level)
        return found

    def times(self, structure: Row) -> list[int | None]:
        """Estimate when each step begins, and at last when all is over.

        What the hub thinks of the step that is played is the beginning; the rest is added up.
        """
        steps = structure["steps"]
        after = self.start + 1
        at: int | None = steps[after]["starts_at"] if after < len(steps) else structure["ends_at"]
        was, now = _length(steps[self.start]), _length(self.rows[self.start])
        at = None if at is None or was is None or now is None else at + (now - was) * MINUTE
        found: list[int | None] = [row["starts_at"] for row in self.rows[:after]]
        for row in self.rows[after:]:
            found.append(at)
            length = _length(row)
            at = None if at is None or length is None else at + length * MINUTE
        return [*found, at]


def _between(low: int, high: int) -> int:
    """Find a round number between two: of two leading digits at most."""
    middle = (low + high) // 2
    grain: int = 10 ** max(0, len(str(middle)) - 2)
    return max(low, middle // grain * grain)


def _step(row: Row) -> dict[str, Any]:
    if row["phase"] == "break":
        found: dict[str, Any] = {"phase": "break"}
        if row["minutes"] is not None:
            found["minutes"] = row["minutes"]
        return {**found, "colour_up": row["colour_up"]} if row["colour_up"] else found
    kind = "hands" if row["hands"] is not None else "minutes"
    return {"small": row["small"], "big": row["big"], "ante": row["ante"], kind: row[kind]}


def _length(row: Row) -> int | None:
    if row["phase"] == "break" and row["minutes"] is None:
        return ASSUMED_BREAK
    if row["hands"] is not None:  # whatever minutes are kept for later
        return None
    minutes: int | None = row["minutes"]
    return minutes
