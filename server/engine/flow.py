"""Time that can be stopped: how a pause costs the same for one table or a thousand.

A room stops, a table stops, a level clock stops; the clocks inside must stand and go on where they
stood. Nothing is rewritten when that happens. Each clock holds its deadline in the time of the
flow that it lives in, and a flow that is stopped simply does not move:

    hub time ── room ──┬── level     level and break clock; stands in hand-for-hand
                       ├── table 1   action clock, called clock; stands while the table is paused
                       └── table 2   …

All times are whole milliseconds: an instant counts from the hub's epoch, a duration is a length.
"""

from dataclasses import dataclass

SECOND = 1_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE


@dataclass(frozen=True, slots=True)
class Flow:
    """A stream of time inside an outer one, behind it by all the time it was stopped."""

    lost: int = 0
    stopped_at: int | None = None  # in outer time

    def now(self, outer: int) -> int:
        """Say what this flow's time is when it is `outer` outside."""
        return (outer if self.stopped_at is None else self.stopped_at) - self.lost

    def outer(self, inner: int) -> int | None:
        """Say when it was or will be `inner` here: while the flow is stopped, only if it was."""
        passed = self.stopped_at is None or inner + self.lost < self.stopped_at
        return inner + self.lost if passed else None

    def let(self, run: bool, outer: int) -> "Flow":
        """Stop or go at an instant; telling it what it already does changes nothing."""
        if run and self.stopped_at is not None:
            return Flow(self.lost + outer - self.stopped_at)
        if not run and self.stopped_at is None:
            return Flow(self.lost, outer)
        return self
