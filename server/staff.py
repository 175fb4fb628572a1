"""Staff: dealers sign on with a short PIN, so that the journal says who dealt.

A PIN is found again by a keyed hash; the key is the hub's own. It is no protection against somebody
who has the hub's data, and need not be: the device is what is let in, the PIN says who holds it.
"""

import hashlib
import secrets
from typing import Any

from server.journal import Journal

_PREFIX = "staff/"
MOST_WRONG, WRONG_WITHIN = 5, 60_000
"""Wrong PINs that may be typed on one device in a minute."""


class Staff:
    """Everybody who has a PIN."""

    def __init__(self, journal: Journal) -> None:
        key = journal.get("staff-key")
        if key is None:
            key = secrets.token_hex(32)
            journal.put("staff-key", key).result()
        self._key = bytes.fromhex(key)
        self._names: dict[str, str] = {
            found.removeprefix(_PREFIX): journal.get(found) for found in journal.keys(_PREFIX)
        }
        self._wrong: dict[str, list[int]] = {}

    def names(self) -> list[str]:
        """List who has a PIN."""
        return sorted(self._names.values())

    def _print(self, pin: str) -> str:
        return hashlib.blake2b(pin.encode(), key=self._key, digest_size=16).hexdigest()

    def added(self, name: str, pin: str) -> list[tuple[str, Any]] | None:
        """Give what must be kept before somebody has a PIN; None if another has it."""
        mark = self._print(pin)
        if self._names.get(mark, name) != name:
            return None
        return [*self.removed(name), (_PREFIX + mark, name)]

    def removed(self, name: str) -> list[tuple[str, Any]]:
        """Give what must be kept before somebody has no PIN any more."""
        gone = [mark for mark, known in self._names.items() if known == name]
        return [(_PREFIX + mark, None) for mark in gone]

    def take_in(self, kept: list[tuple[str, Any]]) -> None:
        """Go by what was kept."""
        for key, name in kept:
            if name is None:
                self._names.pop(key.removeprefix(_PREFIX), None)
            else:
                self._names[key.removeprefix(_PREFIX)] = name

    def may_try(self, device: str, now: int) -> bool:
        """Say whether another PIN may be typed on a device."""
        recent = [at for at in self._wrong.pop(device, []) if now - at < WRONG_WITHIN]
        if recent:
            self._wrong[device] = recent
        return len(recent) < MOST_WRONG

    def who(self, pin: str, device: str, now: int) -> str | None:
        """Find whose PIN it is."""
        name = self._names.get(self._print(pin))
        if name is None:
            self._wrong.setdefault(device, []).append(now)
        return name
