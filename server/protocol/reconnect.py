"""Reconnect: what a client does while no connection stands.

A browser remembers connections that failed, and delays each new WebSocket by seconds once there
were many: a screen that tried again and again for three minutes came back half a minute after the
hub. So a client does not try: it *asks*, by a small question of its own (`healthz`) that nothing
delays, and connects as soon as the hub has answered. Several may be asked at once: on a way that
swallows everything, the newest question is the one that comes back.

No socket and no clock in here; `display/web/reconnect.js` does the same, held to the same vectors.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

FIRST_WAIT, LONGEST_WAIT = 250, 1_500
"""Milliseconds before the first question, doubled every time; shaken, so that a room does not come
at once. A wall must be right again within 2 s of the hub's return."""

ASK_FOR = 4_000
"""Milliseconds that a question may take: longer, and more than five would be open at once, which is
as many as a browser sends to one address."""


@dataclass(slots=True)
class Reconnect:
    """Decides when to ask whether the hub is there."""

    shaken: Callable[[], float]  # between a half and one
    next_look: int | None = None  # when to look again; None while a connection stands or is tried
    _wait: int = FIRST_WAIT

    def lost(self, own: int, at_least: int = 0) -> None:
        """Take note that a connection broke, or did not come; ask, but not before so long."""
        self.next_look = own + at_least + self._shaken()

    def gave_up(self, own: int) -> None:
        """Take note that a connection was given up that nobody had closed: ask at once."""
        self.next_look = own

    def look(self, own: int) -> Literal["wait", "ask"]:
        """Say whether to ask now."""
        if self.next_look is None or own < self.next_look:
            return "wait"
        self._wait = min(2 * self._wait, LONGEST_WAIT)
        self.next_look = own + self._shaken()
        return "ask"

    def tried(self) -> None:
        """Take note that a connection is tried: nothing is asked until it is lost."""
        self.next_look = None

    def welcomed(self) -> None:
        """Take note that the hub wants this client: the next wait is short again.

        Not when a connection opens: a hub that turns everybody away opens it, too.
        """
        self._wait = FIRST_WAIT

    def _shaken(self) -> int:
        return round(self._wait * self.shaken())
