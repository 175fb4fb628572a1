"""Bells ring when their instant passes, and never for what a reconnect or an undo brings back."""

from __future__ import annotations

from typing import Any

from display.terminal.bells import Bells
from tests.night import given, minutes, seconds

SATURDAY = "star-brisbane-saturday"


def clock(phase: str = "level", level: int = 1, **more: Any) -> dict[str, Any]:
    """Make a clock."""
    return {"phase": phase, "level": level, "ends_at": None, "remaining_ms": None, **more}


def test_level_end_and_one_minute() -> None:
    """Each rings once, whatever comes first: the instant or the hub's document."""
    night, bells = given(SATURDAY, {1: 2}), Bells()
    rung = []
    for _ in range(25 * 60):
        bell = bells.look(night.clock(), night.now)
        if bell:
            rung.append((bell, night.now))
        night.later(seconds(1))
    assert rung == [("one_minute", minutes(19)), ("level_end", minutes(20))]


def test_break_end() -> None:
    """The end of a break has its own bell, and no warning."""
    bells, running = Bells(), clock("break", 5, ends_at=100_000)
    assert bells.look(running, 39_000) is None
    assert bells.look(running, 40_500) is None
    assert bells.look(running, 99_000) is None
    assert bells.look(clock("level", 6, ends_at=900_000), 100_010) == "break_end"


def test_first_look_is_silent() -> None:
    """A wall that starts, or starts again, rings for nothing that has passed."""
    assert Bells().look(clock(ends_at=100), 100) is None


def test_late_look_is_silent() -> None:
    """What passed while the machine slept is not rung afterwards."""
    bells, running = Bells(), clock(ends_at=100_000)
    bells.look(running, 30_000)
    assert bells.look(running, 200_000) is None


def test_stopped_in_the_last_moment() -> None:
    """A pause that came just before the end, and is told just after it, means no end."""
    bells = Bells()
    bells.look(clock(ends_at=100_000), 99_990)
    assert bells.look(clock(remaining_ms=5), 100_020) is None


def test_held_at_zero() -> None:
    """A break that waits for a hand still means that the level's time is over."""
    bells = Bells()
    bells.look(clock(ends_at=100_000), 99_990)
    assert bells.look(clock(remaining_ms=0), 100_020) == "level_end"


def test_undo_does_not_ring_again() -> None:
    """Going back over the end by an undo or a jump of the clock is not a second end."""
    bells, running = Bells(), clock(ends_at=100_000)
    following = clock(level=2, ends_at=900_000)
    bells.look(running, 99_900)
    assert bells.look(following, 100_000) == "level_end"
    assert bells.look(running, 99_950) is None
    assert bells.look(following, 100_050) is None
    assert bells.look(clock(ends_at=110_000), 100_100) is None
    assert bells.look(clock(ends_at=110_000), 110_000) is None


def test_no_event() -> None:
    """Where nothing is shown nothing rings."""
    bells = Bells()
    bells.look(clock(ends_at=100), 99)
    assert bells.look(None, 100) is None
    assert bells.look(clock(ends_at=100), 101) is None
