"""The watch: which device works a table, and when it was last heard.

A dealer whose tablet has lost the hub cannot tap in time. So when a clock runs out at a table whose
device could not be heard, nobody's hand dies by itself: the floor rules.
"""

from collections.abc import Callable
from dataclasses import dataclass

SILENT = 2_500
"""A device that was not heard for longer than this when time ran out could not have tapped."""


UNHEARD = 5_000
"""A device that was not heard for longer than this is shown to the director as silent."""


@dataclass(slots=True)
class _Device:
    last: int
    absent: tuple[int, int] = (0, 0)  # the last time it was silent for too long: since, until

    def silent_at(self, instant: int) -> bool:
        since, until = self.absent
        away = since < instant - SILENT and instant < until
        return away or self.last < instant - SILENT


class Watch:
    """Who was heard, and when."""

    def __init__(self) -> None:
        self._devices: dict[str, _Device] = {}
        self._workers: dict[tuple[str, int], tuple[str, bool]] = {}  # the device; is it certain?

    def heard(self, device: str, now: int) -> None:
        """Take note that a device has said something, be it only that it is there."""
        known = self._devices.get(device)
        if known is None:
            self._devices[device] = _Device(now)
            return
        if now - known.last > SILENT:
            known.absent = (known.last, now)
        known.last = now

    def works(self, event: str, table: int, device: str, *, certain: bool = True) -> None:
        """Take note that a device works a table.

        A dealer's own device certainly does, and so does who runs the clock there; somebody of the
        floor who only clears a call does not take the table over. Who cannot be heard, such as a
        script, is not watched.
        """
        _, known = self._workers.get((event, table), ("", False))
        if known and not certain:
            return
        if device in self._devices:
            self._workers[event, table] = device, certain
        else:
            self._workers.pop((event, table), None)

    def silent_since(self, event: str, table: int, now: int) -> int | None:
        """Say since when the device that works a table has not been heard; None if it is."""
        device = self._devices.get(self.worker(event, table) or "")
        if device is None or now - device.last <= UNHEARD:
            return None
        return device.last

    def worker(self, event: str, table: int) -> str | None:
        """Say which device works a table."""
        return self._workers.get((event, table), (None, False))[0]

    def silence(self, event: str) -> Callable[[int, int], bool]:
        """Say, for the tables of an event, whether one could not be heard at an instant."""

        def silent(table: int, instant: int) -> bool:
            device = self.worker(event, table)
            return device is not None and self._devices[device].silent_at(instant)

        return silent
