"""When the bell rings: at the end of a level or break, and a minute before a level's end.

A bell belongs to an instant, and rings when that instant passes before this screen's eyes. A
reconnect, a document that comes again, or an undo bring no instant back, so nothing rings twice;
and what passed while the screen was not looking is not rung afterwards.
"""

from collections.abc import Mapping
from typing import Any

MINUTE = 60_000
LATE = 3_000
"""Later than this a bell would only confuse: the room has gone on."""
AGAIN_AFTER = 30_000
"""The same bell of the same step does not ring again sooner, however often the clock is moved."""

Step = tuple[str, int]


class Bells:
    """What has been seen, and what has rung."""

    def __init__(self) -> None:
        self._before: tuple[Mapping[str, Any], int] | None = None
        self._rung: dict[tuple[str, Step], int] = {}

    def look(self, clock: Mapping[str, Any] | None, now: int) -> str | None:
        """Look at the clock that is shown, and say which bell rings now, if any."""
        before, self._before = self._before, None if clock is None else (clock, now)
        if clock is None or before is None:
            return None
        was, then = before
        ends_at = was["ends_at"]
        if ends_at is None or now <= then:
            return None
        if then < ends_at <= now < ends_at + LATE and _over(was, clock, now):
            return self._ring("break_end" if was["phase"] == "break" else "level_end", was, now)
        warning = ends_at - MINUTE
        same = clock["ends_at"] == ends_at and was["phase"] == "level"
        if same and then < warning <= now < warning + LATE:
            return self._ring("one_minute", was, now)
        return None

    def _ring(self, bell: str, clock: Mapping[str, Any], now: int) -> str | None:
        key = bell, _step(clock)
        last = self._rung.get(key)
        if last is not None and now - last < AGAIN_AFTER:
            return None
        self._rung[key] = now
        return bell


def _step(clock: Mapping[str, Any]) -> Step:
    return clock["phase"], clock["level"]


def _over(was: Mapping[str, Any], clock: Mapping[str, Any], now: int) -> bool:
    """Say whether the step has ended, and was not stopped or moved in its last moment."""
    if clock["ends_at"] == was["ends_at"] or _step(clock) != _step(was):
        return True
    left = clock["remaining_ms"] if clock["ends_at"] is None else clock["ends_at"] - now
    return left is not None and left <= 0
