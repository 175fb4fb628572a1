"""Doubt: what a client does while an answer, or a connection, does not come.

A connection may be dead though nobody has said so: the tablet changed its access point, a router
forgot it, the hub's machine lost power. To give it up too soon breaks what is only slow; too late,
and a wall stands still in front of a room. So the client sends a *scout*: a question on a
connection of its own. A scout that comes back, while what was asked before it still has no answer,
says that the way is good and the connection is not.

No socket and no clock in here; `display/web/doubt.js` does the same, held to the same vectors.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

HURRY = 1_000
"""Milliseconds to wait before a scout is sent, and between two; shaken, so that a room whose switch
was restarted does not send them all at once."""

GRACE = 300
"""Milliseconds that an answer has, at the least, after a scout has come back."""

GIVE_UP = 5_000
"""Milliseconds after which a connection is given up, whatever scouts say."""

Advice = Literal["wait", "scout", "renew", "give_up"]
"""To renew is to connect anew at once: the way is good. To give up is to ask first if it is."""


@dataclass(slots=True)
class Doubt:
    """Decides when to send a scout, and when to let go of a connection."""

    shaken: Callable[[], float]  # between three quarters and one
    _since: int | None = None
    _scout_at: int = 0
    _renew_at: int = 0
    _way_is_good: bool = False  # a scout came back

    def look(self, own: int, since: int | None) -> Advice:
        """Say what to do, if something has been waited for since then; None if nothing is."""
        if since is None:
            self._since = None
            return "wait"
        if since != self._since:
            self._since = since
            self._scout_at, self._renew_at = since + self._hurry(), since + GIVE_UP
            self._way_is_good = False
        if own >= self._renew_at:
            self._since = None
            return "renew" if self._way_is_good else "give_up"
        if own < self._scout_at:
            return "wait"
        self._scout_at = own + self._hurry()
        return "scout"

    def came_back(self, sent: int, own: int) -> None:
        """Take note of a scout that came back: what was asked before it has a little longer."""
        if self._since is not None and self._since <= sent:
            grace = max(GRACE, 2 * (own - sent))  # on a slow way, everything is slow
            self._renew_at = min(self._renew_at, own + grace)
            self._way_is_good = True

    @property
    def next_look(self) -> int | None:
        """When to look again; None while nothing is waited for."""
        return None if self._since is None else min(self._scout_at, self._renew_at)

    def _hurry(self) -> int:
        return round(HURRY * self.shaken())
