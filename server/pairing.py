"""Pairing: a device shows a short code, the floor reads it and lets the device in.

The device gets a secret of 256 bits and a code of six letters that cannot be mistaken for each
other. The code is good once and for three minutes; who types wrong codes must soon wait. The code
is never enough to get in: the device's secret becomes its token when somebody of the floor says so.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from server.access import new_token

LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
LENGTH = 6
GOOD_FOR = 180_000
MOST_OPEN = 50
"""Codes that may be open at once, in the whole room."""

MOST_FROM_ONE = 10
"""Of those, from one address: one phone must not keep everybody else out."""

MOST_WRONG, WRONG_WITHIN = 5, 60_000
"""Wrong codes that one device may type in a minute."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A device that asks to be let in."""

    code: str
    secret: str
    visitor: object  # the connection that shows the code
    kind: str
    address: str
    until: int


class Pairing:
    """All codes that are open."""

    def __init__(self, pick: Callable[[str], str] = secrets.choice) -> None:
        self._pick = pick
        self._open: dict[str, Asking] = {}
        self._wrong: dict[str, list[int]] = {}

    def ask(self, visitor: object, kind: str, address: str, now: int) -> Asking | None:
        """Open a code for a device; None if too many are open already."""
        self.expire(now)
        self.withdraw(visitor)
        same = sum(asking.address == address for asking in self._open.values())
        if len(self._open) >= MOST_OPEN or same >= MOST_FROM_ONE:
            return None
        code = self._new_code()
        asking = Asking(code, new_token(), visitor, kind, address, now + GOOD_FOR)
        self._open[code] = asking
        return asking

    def _new_code(self) -> str:
        while True:
            code = "".join(self._pick(LETTERS) for _ in range(LENGTH))
            if code not in self._open:
                return code

    def waiting(self, now: int) -> list[Asking]:
        """List who asks."""
        self.expire(now)
        return list(self._open.values())

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
        found = self._open.pop("".join(code.split()).upper(), None)
        if found is None:
            self._wrong.setdefault(device, []).append(now)
        return found

    def withdraw(self, visitor: object) -> None:
        """Forget the code of a connection that is gone."""
        for code in [code for code, asking in self._open.items() if asking.visitor is visitor]:
            del self._open[code]

    def expire(self, now: int) -> None:
        """Forget codes that are too old."""
        for code in [code for code, asking in self._open.items() if asking.until <= now]:
            del self._open[code]
