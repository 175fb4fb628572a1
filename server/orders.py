"""Orders: commands as they come in, with who gave them and when; each is carried out once.

A client that was cut off sends its commands again, with the same ids. `Answers` remembers what was
said to each, also after a restart, so that nothing is ever done twice.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from server.access import Badge
from server.protocol.messages import Done, Refused

Answer = Callable[[Done | Refused], None]
Key = tuple[str, str]
Outcome = tuple[dict[str, Any], list[tuple[str, Any]], Callable[[], None]]
"""What goes into the journal, what is kept beside it, and what follows when both are durable."""

REMEMBERED = 20_000
"""So many answers are kept: an evening of a large room, and no device waits that long."""


class No(Exception):  # noqa: N818 - the ordinary way to say no to a wish
    """Why something asked of the hub itself is not done: a code, and words for people."""

    def __init__(self, code: str, text: str) -> None:
        self.code, self.text = code, text
        super().__init__(text)


@dataclass(frozen=True, slots=True)
class Order:
    """A command as it came in."""

    id: str
    event: str
    do: str
    args: dict[str, Any]
    badge: Badge
    device: str
    received: int
    at: int  # the instant that counts
    tapped: int | None = None  # the instant that the device names
    seen: int | None = None  # the revision of the event's document that it is based on
    kept: tuple[int, int] | None = None  # the silence of the device in which it was made

    @property
    def key(self) -> Key:
        """What tells this order from all others."""
        return self.device, self.id


@dataclass(slots=True)
class Answers:
    """What was answered to orders, and who still waits for an answer."""

    _done: OrderedDict[Key, int] = field(default_factory=OrderedDict)
    _waiting: dict[Key, list[Answer]] = field(default_factory=dict)

    def remember(self, key: Key, at: int) -> None:
        """Take note that an order was carried out."""
        self._done[key] = at
        if len(self._done) > REMEMBERED:
            self._done.popitem(last=False)

    def asked(self, order: Order, answer: Answer) -> bool:
        """Say whether an order is new; if not, the answer comes by itself."""
        at = self._done.get(order.key)
        if at is not None:
            answer(Done(order.id, at, again=True))
            return False
        waiting = self._waiting.get(order.key)
        if waiting is not None:
            waiting.append(answer)
            return False
        self._waiting[order.key] = [answer]
        return True

    def settle(self, order: Order, found: Done | Refused) -> None:
        """Answer everybody who waits for an order."""
        if isinstance(found, Done):
            self.remember(order.key, found.at)
        for answer in self._waiting.pop(order.key, ()):
            answer(found)
