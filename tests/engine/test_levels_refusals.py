"""The illegal transitions of the level clock: each is refused with its code and changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from server import presets
from server.engine import BadInput
from tests.night import Night, given, minutes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from server.engine import Rules

CLUB = """
name = "Club night"
house = "The Club"

[registration]
closes_at_level = 3

[structure]
minutes = 10
steps = [
  { small = 100, big = 200 },
  { small = 200, big = 400 },
  { phase = "break" },
  { small = 300, big = 600, hands = 8 },
  { small = 400, big = 800 },
]
"""

LEVEL = {"small": 100, "big": 200, "minutes": 10}
BREAK = {"phase": "break", "minutes": 10}


def waiting(rules: Rules) -> Night:
    """Give an event that has not started."""
    return given(rules, {1: 2}, started=False).later(minutes(4))


def running(rules: Rules) -> Night:
    """Give an event in level 1."""
    return given(rules, {1: 2, 2: 2}).later(minutes(4))


def paused(rules: Rules) -> Night:
    """Give an event that stands in level 1."""
    night = running(rules)
    night.do("clock.pause")
    return night.later(minutes(1))


def suspended(rules: Rules) -> Night:
    """Give an event that goes on another day."""
    night = running(rules)
    night.do("event.suspend")
    return night.later(minutes(1))


def finished(rules: Rules) -> Night:
    """Give an event that is over."""
    night = running(rules)
    night.do("event.finish")
    return night.later(minutes(1))


def on_break(rules: Rules) -> Night:
    """Give an event on its break, which has no length."""
    return given(rules, {1: 2}).later(minutes(22))


def on_called_break(rules: Rules) -> Night:
    """Give an event on a break of the director's."""
    night = running(rules)
    night.do("break.call", minutes=15)
    return night.later(minutes(1))


def counting_hands(rules: Rules) -> Night:
    """Give an event in level 3, which is counted in hands."""
    night = running(rules)
    night.do("level.goto", level=3)
    return night.later(minutes(1))


def in_the_last_level(rules: Rules) -> Night:
    """Give an event in level 4."""
    night = running(rules)
    night.do("level.goto", level=4)
    return night.later(minutes(1))


def hand_for_hand(rules: Rules) -> Night:
    """Give an event in the middle of a hand-for-hand hand."""
    night = running(rules)
    night.do("h4h.announce")
    night.do("h4h.next")
    return night.later(minutes(1))


REFUSALS: list[tuple[str, dict[str, Any], Callable[[Rules], Night], str]] = [
    ("clock.start", {}, running, "not_allowed"),
    ("clock.start", {}, paused, "not_allowed"),
    ("clock.start", {}, suspended, "not_allowed"),
    ("clock.start", {}, on_break, "not_allowed"),
    ("clock.start", {}, finished, "not_running"),
    ("clock.pause", {}, waiting, "not_running"),
    ("clock.pause", {}, paused, "not_allowed"),
    ("clock.pause", {}, suspended, "not_running"),
    ("clock.pause", {}, finished, "not_running"),
    ("clock.resume", {}, waiting, "not_running"),
    ("clock.resume", {}, running, "not_running"),
    ("clock.resume", {}, suspended, "not_running"),
    ("clock.resume", {}, on_break, "not_running"),
    ("clock.resume", {}, finished, "not_running"),
    ("clock.add", {"ms": 0}, running, "bad_value"),
    ("clock.add", {"ms": 60_000}, on_break, "not_allowed"),
    ("clock.add", {"ms": 60_000}, counting_hands, "not_allowed"),
    ("clock.add", {"ms": -60_000}, counting_hands, "not_allowed"),
    ("clock.add", {"ms": 60_000}, finished, "not_running"),
    ("clock.set", {"remaining_ms": 60_000}, counting_hands, "not_allowed"),
    ("clock.set", {"remaining_ms": 60_000}, finished, "not_running"),
    ("level.next", {}, in_the_last_level, "bad_value"),
    ("level.next", {}, finished, "not_running"),
    ("level.back", {}, running, "bad_value"),
    ("level.back", {}, waiting, "bad_value"),
    ("level.back", {}, finished, "not_running"),
    ("level.goto", {"level": 5}, running, "bad_value"),
    ("level.goto", {"level": 999}, waiting, "bad_value"),
    ("level.goto", {"level": 2}, finished, "not_running"),
    ("break.call", {}, waiting, "not_running"),
    ("break.call", {"minutes": 5}, paused, "not_running"),
    ("break.call", {}, suspended, "not_running"),
    ("break.call", {}, finished, "not_running"),
    ("break.call", {"minutes": 5}, on_break, "on_break"),
    ("break.call", {"minutes": 5}, on_called_break, "on_break"),
    ("break.call", {"minutes": 5}, hand_for_hand, "not_allowed"),
    ("break.end", {}, waiting, "not_running"),
    ("break.end", {}, running, "not_running"),
    ("break.end", {}, suspended, "not_running"),
    ("break.end", {}, finished, "not_running"),
    ("structure.set", {"steps": []}, running, "bad_value"),
    ("structure.set", {"steps": [BREAK, LEVEL]}, running, "bad_value"),
    ("structure.set", {"steps": [LEVEL]}, on_break, "bad_value"),
    ("structure.set", {"steps": [LEVEL]}, on_called_break, "on_break"),
    ("structure.set", {"steps": [LEVEL]}, finished, "not_running"),
    ("event.schedule", {"starts_at": 10_000_000}, running, "not_allowed"),
    ("event.schedule", {"starts_at": None}, suspended, "not_allowed"),
    ("event.schedule", {"starts_at": 239_999}, waiting, "bad_value"),
    ("event.schedule", {"starts_at": 10_000_000}, finished, "not_running"),
    ("event.suspend", {}, waiting, "not_running"),
    ("event.suspend", {}, suspended, "not_running"),
    ("event.suspend", {}, finished, "not_running"),
    ("event.resume", {}, waiting, "not_running"),
    ("event.resume", {}, running, "not_running"),
    ("event.resume", {}, paused, "not_running"),
    ("event.resume", {}, finished, "not_running"),
    ("event.finish", {}, finished, "not_running"),
]


@pytest.fixture
def club(tmp_path: Path) -> Rules:
    """Give the rules of the club."""
    path = tmp_path / "club.toml"
    path.write_text(CLUB)
    return presets.load(str(path))


@pytest.mark.parametrize(
    ("command", "args", "state", "code"),
    REFUSALS,
    ids=[f"{command}-{state.__name__}" for command, _, state, _ in REFUSALS],
)
def test_illegal_clock_command_is_refused_and_changes_nothing(
    club: Rules,
    command: str,
    args: dict[str, Any],
    state: Callable[[Rules], Night],
    code: str,
) -> None:
    """The documents and the state are the same before and after."""
    night = state(club)
    before = night.state
    assert night.refused(command, **args) == code
    assert night.state == before


@pytest.mark.parametrize(
    ("command", "args"),
    [
        ("clock.add", {}),
        ("clock.add", {"ms": 1.5}),
        ("clock.add", {"ms": "60000"}),
        ("clock.add", {"ms": True}),
        ("clock.set", {"remaining_ms": -1}),
        ("level.goto", {"level": 0}),
        ("level.goto", {}),
        ("break.call", {"minutes": 0}),
        ("break.call", {"minutes": -5}),
        ("structure.set", {"steps": [{"small": 1}]}),
        ("structure.set", {"steps": [{**LEVEL, "hands": 5}]}),
        ("structure.set", {"steps": "all"}),
        ("announce", {"text": ""}),
        ("announce", {"text": "Hello", "seconds": 0}),
        ("clock.start", {"now": 1}),
    ],
)
def test_malformed_clock_command_never_reaches_the_clock(
    club: Rules, command: str, args: dict[str, Any]
) -> None:
    """Wrong types, unknown keys and impossible numbers are the sender's mistake."""
    night = running(club)
    before = night.state
    with pytest.raises(BadInput):
        night.do(command, **args)
    assert night.state == before


def test_structure_without_any_length_is_refused_where_the_house_has_no_length_of_its_own(
    tmp_path: Path,
) -> None:
    """A new level must say how long it is when no default does."""
    path = tmp_path / "bare.toml"
    path.write_text(
        'name = "N"\nhouse = "H"\nregistration = { closes_at_level = 1 }\n'
        "structure = { steps = [{ small = 100, big = 200, minutes = 10 }] }\n"
    )
    night = given(presets.load(str(path)))
    assert night.refused("structure.set", steps=[{"small": 100, "big": 200}]) == "bad_value"
