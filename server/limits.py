"""Limits: how much anybody may ask of the hub, so that a stranger's phone cannot stop a room.

Every limit can be set (`docs/install.md`); the defaults are for a room of a few hundred people.
"""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field

from server.gate import is_loopback

RATES = {"viewer": (20, 10.0), "dealer": (40, 10.0), "floor": (100, 10.0), "director": (200, 10.0)}
"""Messages that a role may send in so many seconds; half of them at once."""


@dataclass(slots=True)
class Bucket:
    """A rate with a burst: it fills with time, and a message takes one out."""

    most: int
    per_ms: float
    level: float = 0.0
    at: int = 0

    @classmethod
    def of(cls, role: str, now: int, times: int = 1) -> "Bucket":
        """Make a full one for a role."""
        number, seconds = RATES[role][0] * times, RATES[role][1]
        burst = max(1, number // 2)
        return cls(burst, number / (seconds * 1_000), float(burst), now)

    @property
    def is_full(self) -> bool:
        """Say whether nobody has been in a hurry for a while."""
        return self.level >= self.most - 1

    def take(self, now: int) -> bool:
        """Take one out, if there is one."""
        self.level = min(float(self.most), self.level + (now - self.at) * self.per_ms)
        self.at = now
        if self.level < 1:
            return False
        self.level -= 1
        return True


@dataclass(slots=True)
class Doorman:
    """Counts connections: in all, from one address, and those that have not said who they are."""

    total: int = 12_000
    per_address: int = 400
    strangers: int = 5_000
    _all: int = 0
    _strange: int = 0
    _addresses: Counter[str] = field(default_factory=Counter)

    def refuse(self, address: str) -> str | None:
        """Say in words why another connection cannot be taken; None if it can."""
        if self._all >= self.total:
            return "the hub has as many connections as it may have"
        if self._addresses[address] >= self.per_address and not is_loopback(address):
            return "too many connections from this address"
        if self._strange >= self.strangers:
            return "too many connections that have not said who they are"
        return None

    def enter(self, address: str) -> None:
        """Take note of a connection; it is a stranger's until `known`."""
        self._all += 1
        self._strange += 1
        self._addresses[address] += 1

    def known(self) -> None:
        """Take note that a stranger has said who it is."""
        self._strange -= 1

    def leave(self, address: str, *, known: bool) -> None:
        """Take note that a connection is over."""
        self._all -= 1
        self._strange -= not known
        self._addresses[address] -= 1
        if not self._addresses[address]:
            del self._addresses[address]


@dataclass(slots=True)
class Porch:
    """Counts connections that are only open, before anybody has said what they want.

    A whole room may come back at once, and a browser has a few for its page beside its websocket:
    so there is room for more than the doorman lets in, but not for all that a stranger can open.
    """

    total: int
    per_address: int
    refused: int = 0
    _inside: dict[Hashable, str] = field(default_factory=dict)
    _addresses: Counter[str] = field(default_factory=Counter)

    @classmethod
    def before(cls, doorman: Doorman) -> "Porch":
        """Make one that is larger than what lies behind it."""
        return cls(doorman.total * 5 // 4 + 16, doorman.per_address * 3 // 2 + 16)

    @property
    def inside(self) -> int:
        """How many are open."""
        return len(self._inside)

    def enter(self, who: Hashable, address: str) -> bool:
        """Take note of a connection, and say whether there is room for it."""
        own = is_loopback(address)
        if len(self._inside) >= self.total or (
            self._addresses[address] >= self.per_address and not own
        ):
            self.refused += 1
            return False
        self._inside[who] = address
        self._addresses[address] += 1
        return True

    def leave(self, who: Hashable) -> None:
        """Take note that a connection is over, if it was taken."""
        address = self._inside.pop(who, None)
        if address is not None:
            self._addresses[address] -= 1
            if not self._addresses[address]:
                del self._addresses[address]
