"""Limits: how much anybody may ask of the hub, so that a stranger's phone cannot stop a room.

Every limit can be set (`docs/install.md`); the defaults are for a room of a few hundred people.
"""

from collections import Counter
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
