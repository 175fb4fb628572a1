"""Pace: what a robot taps, how long it takes about it, and how often it does what is rare.

Times are seconds of a real room; a robot divides them by its speed. The clocks of the hub cannot be
hurried, so what waits for one of them becomes rarer as the room gets faster.
"""

from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

Doc = dict[str, Any]
"""A document as the hub publishes it."""


@dataclass(frozen=True, slots=True)
class Tap:
    """A command that somebody is about to give, after so many seconds."""

    do: str
    args: dict[str, Any] = field(default_factory=dict)
    after: float = 0.0


@dataclass(frozen=True, slots=True)
class Habits:
    """How often the people of the room do what is rare; chances of one."""

    burn: float = 0.02  # a decision that goes on until a time-bank chip is forfeited
    die: float = 0.002  # a decision that is never made
    bank: float = 0.01  # chips pushed forward
    mistake: float = 0.004  # a decision that is tapped wrongly, and undone
    count: float = 0.005  # a player asks for a count: the clock stands meanwhile
    call: float = 0.02  # a hand with a call for the floor
    dispute: float = 0.005  # a hand in which the table stands until the floor has come
    push_every: int = 12  # hands that a dealer stays

    def at(self, speed: float) -> "Habits":
        """Give the habits of a room that is so much faster than its clocks."""
        if speed <= 1:
            return self
        return replace(self, burn=self.burn / speed, die=self.die / speed, bank=self.bank / speed)


STEADY = Habits(0, 0, 0, 0, 0, 0, 0, push_every=1_000_000)
"""People who do nothing but deal: for measuring."""


def about(rng: Random, seconds: float) -> float:
    """Give a time of about so many seconds, as people take: seldom half, seldom thrice."""
    return round(seconds * min(3.0, max(0.4, rng.lognormvariate(0, 0.4))), 3)
