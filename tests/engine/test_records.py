"""Events and states survive being written as JSON and read back."""

import json
from pathlib import Path

import pytest

from server import presets
from server.engine import evolve
from server.engine.events import EVENTS
from server.engine.records import Unknown, read_event, read_state, write_event, write_state
from tests.night import Night, given, minutes


def eventful_night() -> Night:
    """Play a night in which almost everything happens."""
    night = given("selkirk-main", {1: 4, 2: 4, 3: 2})
    for table in (1, 2, 3):
        night.do("hand.start", table=table)
    night.do("shotclock.introduce", seconds=20, chips=3)
    night.do("action.start", table=1, seat=2, facing_bet=False)
    night.later(15_000)
    night.do("action.hold", table=1)
    night.do("called.start", table=2, seat=1)
    night.do("announce", text="Dinner is served", seconds=60)
    night.do("player.limit", player="1-1", seconds=10)
    night.do("dealer.push", table=3)
    night.do("player.bust", player="3-2", stack=400)
    night.do("seat.clear", player="3-1")
    night.do("h4h.announce", reason="bubble")
    night.do("undo")
    night.do("break.call")
    night.do("break.end")
    night.do("floor.call", table=2, reason="count")
    steps = [
        {"small": 100, "big": 200, "minutes": 15},
        {"phase": "break", "minutes": 5, "colour_up": [100]},
        {"small": 200, "big": 400, "hands": 3},
    ]
    night.do("structure.set", steps=steps)
    night.do("table.pause", table=1, reason="dispute")
    night.later(minutes(30))
    night.do("clock.pause", reason="fire alarm")
    return night


def test_every_event_comes_back_as_it_was() -> None:
    """A replay from the written journal gives the very state of the night."""
    night = eventful_night()
    state = night.first
    for event in night.events:
        read = read_event(json.loads(json.dumps(write_event(event))))
        assert read == event
        state = evolve(state, read)
    assert state == night.state
    assert len({event.name for event in night.events}) > len(EVENTS) // 3


def test_a_state_comes_back_as_it_was() -> None:
    """A snapshot gives the same room, tables and players, and wakes at the same time."""
    state = eventful_night().state
    read = read_state(json.loads(json.dumps(write_state(state))), state.rules)
    assert (read.room, read.tables, read.players) == (state.room, state.tables, state.players)
    assert read.tables.least == state.tables.least
    assert read.history.count == state.history.count


@pytest.mark.parametrize("preset", presets.shipped())
def test_a_new_event_of_every_house_can_be_kept(preset: str) -> None:
    """Whatever a house's structure holds, it can be written and read."""
    state = given(preset, {1: 2}).state
    read = read_state(json.loads(json.dumps(write_state(state))), state.rules)
    assert (read.room, read.tables) == (state.room, state.tables)


def test_a_record_of_an_unknown_event_is_not_guessed() -> None:
    """A journal of a later version is refused, not half understood."""
    with pytest.raises(Unknown, match=r"moon\.landed"):
        read_event({"event": "moon.landed", "at": 0})


def test_records_say_what_the_rehearsal_prints(tmp_path: Path) -> None:
    """One vocabulary: the journal's lines are the events that --events shows."""
    from server.cli import main  # noqa: PLC0415 - only this test needs the command

    script = tmp_path / "night.jsonl"
    script.write_text('{"at": 0, "do": "clock.start"}\n', encoding="utf-8")
    assert main(["rehearse", "apl", str(script), "--events"]) == 0
    night = given("apl")
    assert [write_event(event)["event"] for event in night.events] == [
        "command.accepted",
        "clock.started",
    ]
