"""Counting down: from a document and the time to what a screen shows.

The browser's is `clock.js`; both are held to `tests/vectors/countdown.json`. Nothing here knows a
rule: a document says what is, until when and what comes next, and a screen only counts.
"""

from collections.abc import Mapping
from typing import Any

Clock = Mapping[str, Any]
"""The `clock` of an event's document, or the `action` or `called` of a table's."""

SECOND, MINUTE, HOUR = 1_000, 60_000, 3_600_000


def remaining(clock: Clock, now: int) -> int | None:
    """Say how many milliseconds are left; None where nothing is being counted."""
    ends_at: int | None = clock["ends_at"]
    if ends_at is not None:
        return max(0, ends_at - now)
    standing: int | None = clock["remaining_ms"]
    return standing


def seconds(ms: int) -> int:
    """Give the seconds to show: begun ones count, so that zero is shown only when time is up."""
    return -(-ms // SECOND)


def digits(ms: int) -> str:
    """Give the digits to show: M:SS below an hour, H:MM:SS from an hour on."""
    minutes, second = divmod(seconds(ms), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"


def next_flip(ms: int) -> int | None:
    """Say in how many milliseconds the shown second changes; None at zero, where it stays."""
    return (ms - 1) % SECOND + 1 if ms > 0 else None


def ahead(clock: Clock, now: int) -> Clock:
    """Give the clock to show while the hub is away: the announced step once this one is over.

    This one step and no more: what comes after it was never announced, and a screen that guesses is
    worse than one that stands at zero. What cannot be known from here is None.
    """
    ends_at, following = clock["ends_at"], clock["next"]
    if ends_at is None or following is None or now < ends_at:
        return clock
    # A break is shown with the level just played; its own entry carries no blinds.
    blinds = clock if following["phase"] == "break" else following
    minutes: int | None = following["minutes"]
    whole = None if minutes is None else minutes * MINUTE
    # The rest of a level that a called break interrupted, or less where time is owed.
    length: int | None = following.get("length_ms", whole)
    # From the scheduled end, not from when it was noticed: so the screen agrees with the hub.
    end = None if length is None else ends_at + length
    return {
        **clock,
        "phase": following["phase"],
        "level": blinds["level"],
        "small": blinds["small"],
        "big": blinds["big"],
        "ante": blinds["ante"],
        "ends_at": end,
        "remaining_ms": None if end is None else max(0, end - now),
        "length_ms": whole,
        "next": None,
        "next_break_ms": None,
        "colour_up": following["colour_up"],
        "hands": None,
    }
