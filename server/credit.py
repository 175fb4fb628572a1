"""Fairness: which instant counts for a tap that took a while to arrive.

A tap carries the instant at which it was made, in hub time. It is believed for 300 ms before it
arrived, whatever the link was like before: one packet can be late on the best of links, and how
long the others took says nothing about it. What held the hub itself up is never the player's loss:
a message that was read after a stall may have arrived at its beginning, and is believed from there.
Taps of a device that was silent are for the `watch`.
"""

import asyncio

from server.hubtime import HubTime
from server.turns import lain_unread

BOUND = 300
"""However slow the way, a tap is believed for no longer than this before it arrived."""

GRACE = BOUND
"""What can cost a player something waits for this long after zero."""

BEAT = 50
"""The pulse looks at the clock so often: a stall is known to within a beat."""

LATE = 5
"""A beat that comes later than this was held up by something, and so was the reading."""


def credited(tapped: int | None, received: int, arrived: int) -> int:
    """Give the instant that counts: the tap's own, as far back as it can be believed.

    `arrived` is the earliest instant at which the message can have arrived.
    """
    if tapped is None:
        return received
    return min(received, max(tapped, arrived - BOUND))


class Pulse:
    """Beats on the hub's own loop, and so knows when the loop was held up."""

    def __init__(self, time: HubTime) -> None:
        self._time, self._loop = time, asyncio.get_running_loop()
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
        if received - self._last > BEAT + LATE:
            return self._last
        return received - lain_unread(self._loop)

    @property
    def last(self) -> int:
        """When the hub last knew that it was there."""
        return self._last
