"""What is assumed of a table whose tablet was silent: held clocks, kept taps, what is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from server.engine import Refused, board_document, decide, evolve, parse, tick
from server.engine.events import SilenceEnded, TapKept
from server.engine.facts import next_fact
from tests.night import Night, given, seconds

if TYPE_CHECKING:
    from server.engine import Event

SATURDAY, FRIDAY = "star-brisbane-saturday", "star-brisbane-friday"


def running(preset: str = SATURDAY) -> Night:
    """Deal a hand to four, button 1; in an event with an action clock seat 4's time runs."""
    night = given(preset, {1: 4})
    night.do("hand.start", table=1, button=1)
    if preset == SATURDAY:
        night.do("action.next", table=1)
    return night


def tell(night: Night, event: Event) -> None:
    """Let an event of the hub's happen."""
    night.state = evolve(night.state, event)


def assumed(night: Night) -> dict[str, Any] | None:
    """Give what the board says was assumed of table 1."""
    found: dict[str, Any] | None = board_document(night.state, night.now)["tables"]["1"]["assumed"]
    return found


def silent(_table: int, _zero: int) -> bool:
    """Say that no device was heard."""
    return True


def test_time_tells_nothing_at_a_table_that_waits() -> None:
    """No chip burns and no hand dies, however long it takes; the level goes on."""
    night = running()
    told = tick(night.state, night.now + seconds(3_000), 0, silent)
    assert {event.name for event in told} <= {"level.started", "break.started", "notices.raised"}
    assert night.state.tables[1].action.seat == 4
    found = next_fact(night.state, 0, silent)
    assert found is not None
    assert found[1].at > night.now + seconds(60), "the end of the level, not of the action"


def test_what_ran_is_held_where_it_stood_when_the_tablet_was_last_heard() -> None:
    """Five seconds were gone; the fourteen that nobody saw are given back."""
    night = running()
    night.later(seconds(19))
    silence = {"since": night.now - seconds(14), "until": night.now, "unseen": seconds(14)}
    night.do("table.interrupt", table=1, **silence)
    action = night.table(1)["action"]
    assert (action["status"], action["remaining_ms"]) == ("held", 15_000)
    assert action["interrupted"]
    found = assumed(night)
    assert found is not None
    assert (found["held"], found["taps"], found["tap"]) == (4, 0, None)
    assert found["text"] == "tablet silent for 0:14: the clock of seat 4 held"
    night.do("silence.seen", table=1)
    assert assumed(night) is None
    assert night.refused("silence.seen", table=1) == "not_allowed"


def test_a_called_clock_is_held_too() -> None:
    """It has what was left when the tablet was last heard, and the table stands."""
    night = running(FRIDAY)
    night.do("called.start", table=1, seat=4)
    night.later(seconds(20))
    silence = {"since": night.now - seconds(12), "until": night.now, "unseen": seconds(12)}
    night.do("table.interrupt", table=1, **silence)
    called = night.table(1)["called"]
    assert (called["status"], called["remaining_ms"]) == ("paused", 22_000)
    assert night.table(1)["paused"] == "the tablet was silent"


def test_nothing_is_held_where_nothing_runs() -> None:
    """A silence in which nobody's time ran is not worth a word."""
    night = given(SATURDAY, {1: 4})
    silence = {"since": 0, "until": night.now, "unseen": 5_000}
    assert night.refused("table.interrupt", table=1, **silence) == "not_running"
    at = night.now
    tell(night, SilenceEnded(at=at, table=1, since=0, until=at, held=None))
    assert assumed(night) is None


def test_taps_that_were_kept_are_counted_and_the_newest_can_be_undone() -> None:
    """The floor undoes it, and has thereby seen what was assumed."""
    night = running()
    night.later(seconds(5))
    for _ in range(2):
        night.do("action.next", table=1)
        tap = night.state.history.commands()[0].id
        kept = TapKept(at=night.now, table=1, since=0, until=night.now, tap=tap)
        tell(night, kept)
    found = assumed(night)
    assert found is not None
    assert (found["taps"], found["tap"]) == (2, tap)
    assert found["text"] == "tablet silent for 0:05: 2 taps counted from when made"
    night.do("undo", command=tap)
    assert assumed(night) is None


def test_the_next_hand_settles_what_was_assumed() -> None:
    """Unless it was dealt in that very silence."""
    night = running()
    night.later(seconds(5))
    tell(night, TapKept(at=night.now, table=1, since=0, until=night.now + 9, tap="x"))
    night.do("hand.start", table=1)
    assert assumed(night) is not None
    night.later(seconds(5))
    night.do("hand.start", table=1)
    assert assumed(night) is None


def test_an_undo_rules_nothing_in_a_silence_that_is_known() -> None:
    """Time that is played again waits as it did: the chip of seat 4 is not burnt by the undo."""
    night = running()
    begun = night.now
    night.do("floor.call", table=1, reason="Seat open")
    call = night.state.history.commands()[0].id
    night.now += seconds(30)  # seat 4's time ran out ten seconds ago, and nobody was heard
    tap = decide(night.state, parse("action.next", {"table": 1}), night.now, 0, silent)
    assert not isinstance(tap, Refused)
    for event in (*tap, TapKept(at=night.now, table=1, since=begun, until=night.now, tap="x")):
        tell(night, event)
    assert night.table(1)["action"]["seat"] == 1
    night.do("undo", command=call)
    doc = night.table(1)
    assert (doc["floor"], doc["action"]["seat"], doc["collect"]) == (None, 1, [])
    assert doc["seats"]["4"]["bank"] == 4
