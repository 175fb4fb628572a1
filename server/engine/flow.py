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

# What comes first at one instant? A command wanted at an instant, then what is due at it, then what
# is due once it has passed: an action that reaches zero is over when zero has passed, so an exact
# tie goes to the player (AP-29). An order is twice an instant, or one more for what comes after it;
# a command at an instant comes before all orders from twice that instant on.


def at(instant: int) -> int:
    """Give the order of what is due at an instant."""
    return instant << 1


def after(instant: int) -> int:
    """Give the order of what is due when an instant has passed."""
    return instant << 1 | 1


def instant_of(order: int) -> int:
    """Give the instant at which something of an order is told: the first one not before it."""
    return order + 1 >> 1


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

    def then(self, outer: int) -> int:
        """Say what this flow's time was when it was `outer` outside: it ran until it stopped."""
        return (outer if self.stopped_at is None else min(outer, self.stopped_at)) - self.lost

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
