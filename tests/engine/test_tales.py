"""Tales: every command and every event has words, and the words say what matters."""

from __future__ import annotations

from typing import Any

import pytest

from server.engine import COMMANDS
from server.engine.events import EVENTS
from server.engine.records import write_event
from server.engine.tales import COMMAND_WORDS, EVENT_WORDS, happened, said, time_words
from tests.night import given, minutes, seconds


def test_every_command_and_every_event_has_words() -> None:
    """Nothing in the vocabulary is without words, and no words are left over."""
    assert COMMAND_WORDS.keys() == COMMANDS.keys()
    assert EVENT_WORDS.keys() == EVENTS.keys() | {"tap.late"}


SEAT = "table 7, seat 5"

NIGHT: list[tuple[str | int, dict[str, Any]]] = [
    ("event.schedule", {"starts_at": minutes(1)}),
    (minutes(2), {}),
    ("hand.start", {"table": 1}),
    ("action.start", {"table": 1, "seat": 1}),
    ("action.bank", {"table": 1, "seat": 1, "chips": 2}),
    ("action.fold", {"table": 1}),
    (seconds(200), {}),
    ("action.ruling", {"table": 1, "outcome": "void"}),
    ("called.start", {"table": 1, "seat": 2}),
    (seconds(40), {}),
    ("called.stop", {"table": 1}),
    ("collect.done", {"table": 1, "seat": 1}),
    ("hand.end", {"table": 1}),
    ("clock.pause", {"reason": "fire alarm"}),
    ("clock.resume", {}),
    ("clock.add", {"ms": -minutes(1)}),
    ("break.call", {"minutes": 5}),
    ("break.end", {}),
    ("structure.set", {"steps": [{"small": 1, "big": 2, "minutes": 30}, {"phase": "break"}]}),
    ("floor.call", {"table": 2, "reason": "misdeal"}),
    ("floor.clear", {"table": 2}),
    ("announce", {"text": "Dinner", "seconds": 5}),
    (seconds(6), {}),
    ("h4h.announce", {}),
    ("h4h.next", {}),
    ("h4h.all_in", {"table": 1}),
    ("h4h.done", {"table": 2}),
    ("h4h.runout", {"table": 1}),
    ("player.bust", {"player": "1-1", "stack": 500}),
    ("player.bust", {"player": "2-1", "stack": 500}),
    ("h4h.done", {"table": 1}),
    ("h4h.end", {}),
    ("undo", {}),
    ("bank.grant", {"chips": 1, "mode": "add"}),
    ("bank.grant", {"chips": 1, "mode": "set", "player": "1-2"}),
    ("player.limit", {"player": "1-2", "seconds": 10}),
    ("seat.move", {"player": "1-2", "table": 2, "seat": 5}),
    ("event.suspend", {}),
    ("event.resume", {}),
    ("event.finish", {}),
]
"""Commands, and time that passes between them."""


def test_a_whole_night_is_told_in_words() -> None:
    """Of a night with everything in it no line falls back on the bare name of its kind."""
    night = given("star-brisbane-saturday", {1: 3, 2: 3}, started=False)
    for step, args in NIGHT:
        if isinstance(step, int):
            night.later(step)
        else:
            night.do(step, **args)
    told = [(event.name, happened(write_event(event))) for event in night.events]
    assert len({name for name, _ in told}) > 40
    assert [name for name, text in told if text == name or not text] == []
    texts = [text for _, text in told]
    assert "pause the room (fire alarm)" in texts
    assert "table 1, seat 1: 2 chips spent, +0:40" in texts
    assert "table 1: hand at level 1, 100/100 (100)" in texts
    assert any("is out, places 5 to 6, shared by 2" in text for text in texts)


@pytest.mark.parametrize(
    ("do", "args", "words"),
    [
        ("clock.add", {"ms": 60_000}, "give 1:00"),
        ("clock.add", {"ms": -90_000}, "take 1:30"),
        ("action.hold", {"table": 7}, "table 7: count a bet"),
        ("action.hold", {"table": 7, "acted": False}, "table 7: hold the clock"),
        (
            "action.bank",
            {"table": 7, "seat": 5, "chips": 1},
            "table 7, seat 5: 1 time-bank chip played",
        ),
        ("h4h.announce", {"unit": "round", "soft": True}, "soft round-for-round"),
        ("player.limit", {"player": "Bo", "seconds": None}, "lift the limit of Bo"),
        ("seat.clear", {"table": 7, "seat": 5}, "clear table 7, seat 5"),
        ("announce", {"text": "[b]Hi[/b]", "seconds": 90}, "announce for 1:30: [b]Hi[/b]"),
        ("level.goto", {"level": 9}, "go to level 9"),
        ("action.all_in", {"table": 7}, "table 7: all-in"),
        ("action.all_in", {"table": 7, "raises": True}, "table 7: all-in, a raise"),
        ("action.all_in", {"table": 7, "raises": False}, "table 7: all-in, a call"),
        ("action.next", {"table": 7, "acted": True}, "table 7: checked or called, next player"),
        ("hand.sync", {"table": 7, "seat": 3}, "table 7: the hand is put right, seat 3 is to act"),
        (
            "hand.sync",
            {"table": 7, "seat": 3, "street": "turn"},
            "table 7: put right: turn, seat 3 is to act",
        ),
        ("hand.level", {"table": 7, "level": 2}, "table 7: this hand is at level 2"),
        ("h4h.announce", {"seconds": 180}, "hand-for-hand, 3:00 a hand"),
    ],
)
def test_commands_are_said_as_the_floor_would(do: str, args: dict[str, object], words: str) -> None:
    """A command is said in a few words, with what was asked for."""
    assert said(do, args) == words


@pytest.mark.parametrize("record", [{"event": "no.such"}, {"event": "hand.started"}])
def test_a_record_of_another_time_is_told_by_its_name(record: dict[str, object]) -> None:
    """A journal of an older or newer Railbird can still be read."""
    assert happened(record) == record["event"]
    assert said("no.such", {}) == "no.such"


@pytest.mark.parametrize(
    ("ms", "words"), [(0, "0:00"), (1, "0:01"), (20_000, "0:20"), (3_900_000, "1:05:00")]
)
def test_times_are_written_as_clocks_show_them(ms: int, words: str) -> None:
    """Seconds are rounded up, as on every clock here."""
    assert time_words(ms) == words
