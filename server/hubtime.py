"""Hub time: whole milliseconds that nothing outside can bend.

Anchored to UTC once, at start, and advanced by the machine's boot-time clock, which counts through
suspend. A stepped wall clock, a daylight-saving night or a wrong year changes nothing; after a
restart time goes on from the journal's last instant at the earliest, so it never runs backwards.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

STEP = 1_000
"""A wall clock that strays this far from hub time was stepped, and the director is told."""

STALL = 1_000
"""A hub that did not get to look at its clock for so long was stalled or suspended."""


def boot_ms() -> int:
    """Read the machine's boot-time clock, or the nearest thing that it has."""
    source = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return time.clock_gettime_ns(source) // 1_000_000


def wall_ms() -> int:
    """Read the wall clock."""
    return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class Gap:
    """Time that passed without the hub, or a wall clock that was moved under it."""

    kind: str  # stall, step or restart
    since: int
    until: int

    @property
    def ms(self) -> int:
        """How long, or how far."""
        return self.until - self.since


class HubTime:
    """The hub's clock."""

    def __init__(
        self,
        floor: int = 0,
        *,
        boot: Callable[[], int] = boot_ms,
        wall: Callable[[], int] = wall_ms,
    ) -> None:
        self._boot, self._wall = boot, wall
        self._anchor = max(wall(), floor) - boot()
        self._strayed = wall() - self.now()
        self._looked = self.now()

    def now(self) -> int:
        """Say what time it is."""
        return self._anchor + self._boot()

    def look(self) -> list[Gap]:
        """Find out what happened since the last look: a stall or suspend, a stepped wall clock."""
        now, strayed = self.now(), self._wall() - self.now()
        gaps = []
        if now - self._looked > STALL:
            gaps.append(Gap("stall", self._looked, now))
        if abs(strayed - self._strayed) >= STEP:
            gaps.append(Gap("step", self._strayed, strayed))
            self._strayed = strayed
        self._looked = now
        return gaps
