"""Fairness: which instant counts for a tap that took a while to arrive.

A tap carries the instant at which it was made, in hub time. It is believed as far back as the way
to the hub explains: the measured round trip and a margin, 300 ms at most. What held the hub itself
up is never the player's loss: a message that was read after a stall may have arrived at its
beginning, and is believed from there. Taps of a device that was silent are for the `watch`.
"""

from server.hubtime import HubTime

BOUND = 300
"""However slow the way, a tap is believed for no longer than this before it arrived."""

MARGIN = 75
"""More than the round trip, since no two trips are alike; also more than a beat of the pulse."""

GRACE = BOUND
"""What can cost a player something waits for this long after zero."""

BEAT = 50
"""The pulse looks at the clock so often: a stall is known to within a beat."""

LATE = 5
"""A beat that comes later than this was held up by something, and so was the reading."""


def credited(tapped: int | None, received: int, arrived: int, round_trip: int | None) -> int:
    """Give the instant that counts: the tap's own, as far back as it can be believed.

    `arrived` is the earliest instant at which the message can have arrived; an unknown round trip
    gets the benefit of the doubt.
    """
    if tapped is None:
        return received
    allowance = BOUND if round_trip is None else min(round_trip + MARGIN, BOUND)
    return min(received, max(tapped, arrived - allowance))


class Pulse:
    """Beats on the hub's own loop, and so knows when the loop was held up."""

    def __init__(self, time: HubTime) -> None:
        self._time = time
        self._last = time.now()
        self._held_up: int | None = None
        self.lag = 0  # by how much the last beat was late

    def beat(self) -> bool:
        """Take the pulse, and say whether it came late.

        Then what had arrived by now is still being read: call `settled` when that is done.
        """
        now, last = self._time.now(), self._last
        self._last = now
        self.lag = max(0, now - last - BEAT)
        if self.lag <= LATE:
            return False
        if self._held_up is None:
            self._held_up = last
        return True

    def settled(self) -> None:
        """Take note that everything which arrived while the loop was held up has been read."""
        self._held_up = None

    def arrived(self, received: int) -> int:
        """Give the earliest instant at which a message that is read now can have arrived."""
        if self._held_up is not None:
            return self._held_up
        return self._last if received - self._last > BEAT + LATE else received

    @property
    def last(self) -> int:
        """When the hub last knew that it was there."""
        return self._last
