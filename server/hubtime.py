"""Hub time: whole milliseconds that nothing outside can bend.

Anchored to UTC at start, and advanced by the machine's boot-time clock, which counts through
suspend. A stepped wall clock, a daylight-saving night or a wrong year moves nothing that runs;
where nothing does, one that is set forward is followed. After a restart time goes on from the
anchor of before, or on another boot from the journal's last instant at the earliest, so it never
runs backwards.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

STEP = 1_000
"""A wall clock that strays this far from hub time was stepped, and the director is told."""

STALL = 1_000
"""A hub that did not get to look at its clock for so long was stalled or suspended."""


def boot_ms() -> int:
    """Read the machine's boot-time clock, or the nearest thing that it has."""
    source = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return time.clock_gettime_ns(source) // 1_000_000


def boot_id() -> str:
    """Name this boot of the machine, where it has a name; the boot-time clock goes on within it."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


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

    @property
    def anchor(self) -> int:
        """What hub time was when the machine's boot-time clock began."""
        return self._anchor

    def resume(self, anchor: int, floor: int) -> None:
        """Go on with the anchor of an earlier process on the same boot.

        However the wall clock was moved meanwhile, no time is lost or won.
        """
        self._anchor = max(anchor, floor - self._boot())
        self._strayed = self._wall() - self.now()
        self._looked = self.now()

    @property
    def wall_anchor(self) -> int:
        """What the wall clock would have said when the machine's boot-time clock began."""
        return self._wall() - self._boot()

    def follow(self, anchor: int) -> None:
        """Go on with a later anchor, where no clock runs that it could move."""
        self._anchor = max(self._anchor, anchor)
        self._strayed = self._wall() - self.now()
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
