"""Turns of the event loop: since when a message that is read now may have lain unread.

A loop that waits is woken by what arrives. One that is busy looks only when its turn is over, and
what has arrived meanwhile is older than it seems. So the selector, which is asked once a turn,
notes when it answered and whether it had to wait.
"""

import asyncio
import selectors
from collections import deque

WAITED = 0.0005
"""Seconds: a look that took longer found nothing at first, and so waited."""

HOPS = 3
"""Turns of the loop in which everything that had arrived is read: from socket to task to us."""


class Turns:
    """When the newest turns began, and before which of them the loop had waited."""

    def __init__(self) -> None:
        self._newest: deque[tuple[float, bool]] = deque(maxlen=HOPS + 2)

    def looked(self, asked: float, answered: float) -> None:
        """Take note of a look at what has arrived: a turn begins."""
        self._newest.append((answered, answered - asked > WAITED))

    def unread_since(self) -> float | None:
        """Say since when a message that is read in this turn may have lain there.

        It was taken from its socket at most so many turns ago. If the loop waited before one of
        these, nothing lay there when it stopped waiting; else it may have come in the turn before
        all of them.
        """
        for began, waited in reversed(self._newest):
            if waited:
                return began
        return self._newest[0][0] if self._newest else None


class _Selector(selectors.DefaultSelector):
    """Looks at sockets, and notes when."""

    def __init__(self, loop: "TimedLoop") -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        asked = self._loop.time()
        found = super().select(timeout)
        self._loop.turns.looked(asked, self._loop.time())
        return found


class TimedLoop(asyncio.SelectorEventLoop):
    """An event loop that knows its turns."""

    def __init__(self) -> None:
        self.turns = Turns()
        super().__init__(_Selector(self))


def lain_unread(loop: asyncio.AbstractEventLoop) -> int:
    """Say for how many milliseconds a message that is read now may have lain there, at most.

    Of a loop that does not know its turns nothing can be said: that is none.
    """
    turns: Turns | None = getattr(loop, "turns", None)
    since = None if turns is None else turns.unread_since()
    return 0 if since is None else round((loop.time() - since) * 1_000)
