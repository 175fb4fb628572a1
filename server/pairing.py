"""Pairing: a device shows a short code, the floor reads it and lets the device in.

The device gets a secret of 256 bits and a code of six letters that cannot be mistaken for each
other. The code is good once and for three minutes; who types wrong codes must soon wait. The code
is never enough to get in: the device's secret becomes its token when somebody of the floor says so.

Every connection may have a code, one at a time, and nobody else's asking ever takes it away. So a
device that is connected can always be let in: a crowd of strangers who ask can only make the
floor's list long, and that list is kept short and fair (see docs/decisions/0018).
"""

import ipaddress
import secrets
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from server.access import new_token

LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
LENGTH = 6
GOOD_FOR = 180_000
MOST_LISTED = 50
"""Devices that the floor's list names; a device that it does not name is let in by its code."""

MOST_SORTED = 1_000
"""Of those that ask, the newest so many are considered: a flood must not cost the hub its time."""

NEIGHBOURS = {4: 24, 6: 64}
"""Bits of an address that those of one network have in common."""

MOST_WRONG, WRONG_WITHIN = 5, 60_000
"""Wrong codes that one device may type in a minute."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A device that asks to be let in."""

    code: str
    secret: str
    visitor: Hashable  # the connection that shows the code
    kind: str
    address: str
    until: int


class Pairing:
    """All codes that are open."""

    def __init__(self, pick: Callable[[str], str] = secrets.choice) -> None:
        self._pick = pick
        self._open: dict[str, Asking] = {}  # the oldest first
        self._codes: dict[Hashable, str] = {}  # by who shows them
        self._wrong: dict[str, list[int]] = {}

    def ask(self, visitor: Hashable, kind: str, address: str, now: int) -> Asking:
        """Open a code for a device; the one that it showed before is worth nothing any more."""
        self.expire(now)
        self.withdraw(visitor)
        code = self._new_code()
        asking = Asking(code, new_token(), visitor, kind, address, now + GOOD_FOR)
        self._open[code] = asking
        self._codes[visitor] = code
        return asking

    def _new_code(self) -> str:
        while True:
            code = "".join(self._pick(LETTERS) for _ in range(LENGTH))
            if code not in self._open:
                return code

    def waiting(self, now: int) -> list[Asking]:
        """List who asks, as many as the floor can look through: the oldest of those first."""
        self.expire(now)
        if len(self._open) <= MOST_LISTED:
            return list(self._open.values())
        newest = islice(reversed(self._open.values()), MOST_SORTED)
        return sorted(_fair(newest), key=lambda asking: asking.until)

    def may_try(self, device: str, now: int) -> bool:
        """Say whether a device may type another code."""
        recent = [at for at in self._wrong.get(device, []) if now - at < WRONG_WITHIN]
        self._wrong[device] = recent
        if not recent:
            del self._wrong[device]
        return len(recent) < MOST_WRONG

    def take(self, code: str, device: str, now: int) -> Asking | None:
        """Use a code up; None if it is wrong, old or used."""
        self.expire(now)
        found = self._open.get("".join(code.split()).upper())
        if found is None:
            self._wrong.setdefault(device, []).append(now)
            return None
        self.withdraw(found.visitor)
        return found

    def withdraw(self, visitor: Hashable) -> None:
        """Forget the code of a connection that is gone."""
        code = self._codes.pop(visitor, None)
        if code is not None:
            del self._open[code]

    def expire(self, now: int) -> None:
        """Forget codes that are too old."""
        while self._open:
            oldest = next(iter(self._open.values()))
            if oldest.until > now:
                return
            self.withdraw(oldest.visitor)


def _fair(newest_first: Iterable[Asking]) -> list[Asking]:
    """Choose whom to list: from each network in turn, and there from each address in turn."""
    by_address = _in_turn(newest_first, lambda asking: asking.address)
    return _in_turn(by_address, lambda asking: _network(asking.address))[:MOST_LISTED]


def _in_turn(found: Iterable[Asking], of: Callable[[Asking], str]) -> list[Asking]:
    """Put the first of each first, then the second of each, and so on."""
    seen: Counter[str] = Counter()
    rounds: dict[int, list[Asking]] = {}
    for asking in found:
        rounds.setdefault(seen[of(asking)], []).append(asking)
        seen[of(asking)] += 1
    return [asking for each in rounds.values() for asking in each]


@lru_cache(4_096)
def _network(address: str) -> str:
    """Say which network an address is of; what is no address is one by itself."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    bits = NEIGHBOURS[found.version]
    return str(ipaddress.ip_network((found, bits), strict=False))
