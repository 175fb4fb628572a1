"""The watch: which device works a table, when it was last heard, and when it was silent.

A dealer whose tablet has lost the hub cannot tap in time. So time rules nothing at a table whose
device was not heard since zero: messages of one device come in order, so whatever it says after
zero comes after all that was tapped before. Until then the table waits.

A device that was not heard for a while *returns*: it is pinged, and until it has said all that it
kept, which `settled` tells, its table goes on waiting, and its taps are believed from the instants
at which they were made, if those lie in the silence that the hub itself has seen.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from server.credit import BOUND

SILENT = 2_500
"""A dealer's device that was not heard for longer than this was silent: what ran is held."""

UNHEARD = 5_000
"""A device that was not heard for longer than this is shown to the director as silent."""

BELIEVED = 600_000
"""Of a silence that was longer than this nobody can say what happened in it: no tap is kept."""

SETTLES_WITHIN = 2_000
"""Milliseconds in which a device that is back has said all that it kept."""

MOST_RETURNS = 2
"""Who is cut off again before that is waited for as long again, but no oftener: a device that comes
and goes for ever holds no table up."""


Place = tuple[str, int]
Silence = tuple[int, int]
"""From the last word of a device to its return."""


class Worker(NamedTuple):
    """Who works a table."""

    device: str
    certain: bool
    last: int  # when it has last done something there


class Patience(NamedTuple):
    """How long a device may say nothing."""

    quiet: int  # longer, and the hub has missed a word
    silent: int  # longer, and nobody can know what happened


DEALERS = Patience(1_000 + BOUND, SILENT)
OTHERS = Patience(2_300 + BOUND, 2 * SILENT)
"""By how often each says something of itself: see `PROBE_EVERY` in the protocol's session."""


@dataclass(slots=True)
class _Device:
    last: int
    silence: Silence | None = None  # the newest one; taps of it are still coming while it returns
    returning: bool = False
    returned: int = 0  # when it was first back, while it returns
    patience: Patience = DEALERS
    awaited: dict[Callable[[], None], None] = field(default_factory=dict)

    def told(self) -> None:
        """Tell who waits for this device that it was heard."""
        waiting, self.awaited = self.awaited, {}
        for call in waiting:
            call()


class Watch:
    """Who was heard, and when; `since` is the last instant at which the hub knows it was there."""

    def __init__(self, since: int = 0) -> None:
        self._since = since
        self._devices: dict[str, _Device] = {}
        self._workers: dict[Place, Worker] = {}

    def heard(self, device: str, now: int, patience: Patience = DEALERS) -> bool:
        """Take note that a device has said something, be it only that it is there.

        Says whether it returns from a silence: then it must be asked, and settled. A hub that was
        away has heard nobody since.
        """
        known = self._devices.get(device)
        if known is None:
            known = self._devices[device] = _Device(now)
            silence = (self._since, now) if now - self._since <= BELIEVED else (now, now)
        else:
            silence = (known.last, now)
        known.last, known.patience = max(known.last, now), patience
        returns = silence[1] - silence[0] > patience.quiet
        if returns:
            if known.returning and known.silence is not None:  # it was cut off again
                silence = (known.silence[0], now)
            else:
                known.returned = now
            known.silence, known.returning = silence, True
        known.told()
        return returns

    def returning(self, device: str) -> bool:
        """Say whether a device is back from a silence, and may still have taps to send."""
        return self.returns_from(device) is not None

    def returns_from(self, device: str) -> Silence | None:
        """Give the silence from which a device is back, while it may still have taps to send."""
        known = self._devices.get(device)
        return None if known is None or not known.returning else known.silence

    def settles_by(self, device: str) -> int:
        """Say until when a device that is back is waited for."""
        known = self._devices[device]
        since = known.returned if known.silence is None else known.silence[1]
        return min(since + SETTLES_WITHIN, known.returned + MOST_RETURNS * SETTLES_WITHIN)

    def settled(self, device: str) -> Silence | None:
        """Take note that a device has said all that it kept; give the silence if it was one."""
        known = self._devices.get(device)
        if known is None or not known.returning or known.silence is None:
            return None
        known.returning = False
        known.told()
        since, until = known.silence
        return known.silence if until - since > known.patience.silent else None

    def kept(self, device: str, tapped: int | None) -> Silence | None:
        """Find the silence in which a tap was made that is read now; None if it was not in one.

        What was sent just before the link was lost may be lost as well.
        """
        known = self._devices.get(device)
        if known is None or not known.returning or known.silence is None or tapped is None:
            return None
        since, until = known.silence
        believed = until - since <= BELIEVED and since - BOUND < tapped < until
        return known.silence if believed else None

    def works(self, event: str, table: int, device: str, now: int, *, certain: bool = True) -> None:
        """Take note that a device works a table.

        A dealer's own device certainly does, and so does who runs the clock there while that one is
        silent; somebody of the floor who only clears a call does not take the table over. Who
        cannot be heard, such as a script, is not watched.
        """
        before, known, _ = self._workers.get((event, table), Worker("", certain=False, last=0))
        if known and not certain:
            return
        if known and self._is_dealers(before, now) and not self._is_dealers(device, now):
            return  # somebody lends a hand: the table is still the dealer's
        if device in self._devices:
            self._workers[event, table] = Worker(device, certain, now)
        else:
            self._workers.pop((event, table), None)
        if before in self._devices and before != device:
            self._devices[before].told()  # nobody waits for it any more

    def _is_dealers(self, device: str, now: int) -> bool:
        """Say whether a device is a dealer's, and is heard."""
        known = self._devices.get(device)
        own = known is not None and known.patience is DEALERS
        return own and known is not None and now - known.last <= known.patience.silent

    def places(self, device: str) -> list[Place]:
        """List the tables that a device works."""
        return [place for place, worker in self._workers.items() if worker.device == device]

    def silent_since(self, event: str, table: int, now: int) -> int | None:
        """Say since when the device that works a table has not been heard; None if it is."""
        device = self._devices.get(self.worker(event, table) or "")
        if device is None or now - device.last <= UNHEARD:
            return None
        return device.last

    def worker(self, event: str, table: int) -> str | None:
        """Say which device works a table."""
        found = self._workers.get((event, table))
        return None if found is None else found.device

    def worked_since(self, event: str, table: int, since: int) -> str | None:
        """Say which device works a table, and has done something there since an instant."""
        found = self._workers.get((event, table))
        return None if found is None or found.last < since else found.device

    def waits(self, event: str, table: int, zero: int) -> bool:
        """Say whether a table's device was not heard since its time ran out, or not in full."""
        device = self._devices.get(self.worker(event, table) or "")
        return device is not None and (device.returning or device.last < zero)

    def is_heard(self, event: str, table: int, device: str) -> bool:
        """Say whether it is a device that works a table, and all that it kept has been read."""
        return self.worker(event, table) == device and not self.returning(device)

    def wait(self, event: str, table: int, call: Callable[[], None]) -> None:
        """Be told once, when the device that works a table is heard."""
        device = self._devices.get(self.worker(event, table) or "")
        if device is not None:
            device.awaited[call] = None
