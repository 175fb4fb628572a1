"""The clock that is called on a player: it runs, counts down, and ends in a hand dead or checked.

The Friday Freezeout has no action clock: 25 s and a countdown of 5.
"""

from pathlib import Path
from typing import Any

import pytest

from tests.night import Night, given, minutes, seconds

FRIDAY, SATURDAY = "star-brisbane-friday", "star-brisbane-saturday"
HOUSE = """
name = "Test"
house = "Test"

[registration]
closes_at_level = 2

[structure]
minutes = 10
steps = [{{ small = 1, big = 2 }}]

[called]
{rules}
"""


def called(preset: str = FRIDAY, **args: Any) -> Night:
    """Give a table of four, button 1, where the clock is called on seat 4."""
    night = given(preset, {1: 4, 2: 4})
    night.do("hand.start", table=1, button=1)
    night.do("called.start", table=1, seat=4, **args)
    return night


def shown(night: Night) -> tuple[str, int | None, int | None]:
    """Give the status of the called clock, its seat and its time."""
    doc = night.table(1)["called"]
    return doc["status"], doc["seat"], doc["remaining_ms"]


# ── how it runs ──────────────────────────────────────────────────────────────────────────────────


def test_it_runs_counts_down_and_expires() -> None:
    """30 s at first, the countdown from 25.000 to 30.000, and then it is over."""
    night = called()
    assert shown(night) == ("running", 4, 30_000)
    night.later(seconds(25) - 1)
    assert shown(night) == ("running", 4, 5_001)
    night.later(1)
    assert shown(night) == ("countdown", 4, 5_000)
    night.later(seconds(5))
    assert shown(night) == ("countdown", 4, 0)
    night.later(1)
    assert shown(night) == ("expired", 4, 0)


@pytest.mark.parametrize("ms", [0, 12_000, 25_000, 29_999, 30_000])
def test_the_player_acts_in_time(ms: int) -> None:
    """At any time up to zero itself, the clock is off and the hand lives."""
    night = called()
    night.later(ms)
    night.do("called.stop", table=1)
    night.later(minutes(1))
    assert shown(night) == ("off", None, None)
    assert night.table(1)["seats"]["4"]["in_hand"] is True


@pytest.mark.parametrize(
    ("street", "facing", "outcome"),
    [
        ("preflop", None, "dead"),
        ("preflop", False, "check"),
        ("flop", None, "check"),
        ("flop", True, "dead"),
    ],
)
def test_dead_if_facing_a_bet_and_checked_if_not(
    street: str, facing: bool | None, outcome: str
) -> None:
    """By default the table's own: a bet before the flop, none after it, unless the dealer says."""
    night = given(FRIDAY, {1: 4})
    night.do("hand.start", table=1, button=1)
    if street == "flop":
        night.do("street.next", table=1)
    night.do("called.start", table=1, seat=4, facing_bet=facing)
    night.later(seconds(31))
    assert night.table(1)["called"]["outcome"] == outcome
    assert night.table(1)["seats"]["4"]["in_hand"] is (outcome == "check")


def test_a_counted_bet_is_faced_though_no_action_clock_is_in_play() -> None:
    """On the flop seat 2 bets and the bet is counted: seat 3 faces it when the clock is called."""
    night = given(FRIDAY, {1: 4})
    night.do("hand.start", table=1, button=1)
    night.do("street.next", table=1)
    night.do("action.hold", table=1)
    night.do("called.start", table=1, seat=3)
    night.later(seconds(31))
    assert night.table(1)["called"]["outcome"] == "dead"


@pytest.mark.parametrize(("given_s", "counts_at"), [(60, 55), (10, 5), (5, 0), (3, 0)])
def test_a_time_of_the_directors_own(given_s: int, counts_at: int) -> None:
    """The countdown is the last five seconds of it, or all of it where it is shorter."""
    night = called(seconds=given_s)
    assert night.table(1)["called"]["remaining_ms"] == given_s * 1_000
    if counts_at:
        night.later(seconds(counts_at) - 1)
        assert shown(night)[0] == "running"
        night.later(1)
    assert shown(night)[0] == "countdown"
    night.later(seconds(given_s - counts_at))
    assert shown(night) == ("countdown", 4, 0)
    night.later(1)
    assert shown(night)[0] == "expired"
    counted = [event.at for event in night.events if event.name == "called.counting"]
    assert counted == [seconds(counts_at)]


@pytest.mark.parametrize(
    ("rules", "total", "counts_at"),
    [
        ("seconds = 35\ncountdown = 5", 35, 30),
        ("seconds = 60\ncountdown = 10", 60, 50),
        ("seconds = 10\ncountdown = 10", 10, 0),
    ],
)
def test_a_house_has_its_own_time_and_countdown(
    tmp_path: Path, rules: str, total: int, counts_at: int
) -> None:
    """Both are data of the house."""
    path = tmp_path / "house.toml"
    path.write_text(HOUSE.format(rules=rules), encoding="utf-8")
    night = called(str(path))
    assert night.table(1)["called"]["remaining_ms"] == total * 1_000
    night.later(seconds(counts_at))
    assert shown(night)[0] == "countdown"
    night.later(seconds(total - counts_at) + 1)
    assert shown(night)[0] == "expired"


def test_a_house_where_an_unfaced_hand_dies_too(tmp_path: Path) -> None:
    """What becomes of a hand that faces no bet is the house's to say."""
    path = tmp_path / "house.toml"
    path.write_text(HOUSE.format(rules='unfaced = "dead"'), encoding="utf-8")
    night = called(str(path), facing_bet=False)
    night.later(seconds(31))
    assert night.table(1)["called"]["outcome"] == "dead"


# ── what else happens ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("stop", "go"),
    [("table.pause", "table.resume"), ("clock.pause", "clock.resume")],
)
def test_it_stands_while_the_table_or_the_room_stands(stop: str, go: str) -> None:
    """It goes on from where it stood, and another table's pause does not matter."""
    night = called()
    args = {"table": 1} if stop == "table.pause" else {}
    night.do("table.pause", table=2)
    night.later(seconds(20))
    assert shown(night)[2] == 10_000
    night.do(stop, **args)
    night.later(minutes(3))
    assert shown(night)[2] == 10_000
    assert night.table(1)["called"]["ends_at"] is None
    night.do(go, **args)
    night.later(seconds(5))
    assert shown(night) == ("countdown", 4, 5_000)


@pytest.mark.parametrize("how", ["move", "bust", "clear", "hand.end"])
def test_it_ends_with_the_player_or_the_hand(how: str) -> None:
    """No clock is called on an empty seat, or after the hand."""
    night = called()
    if how == "move":
        night.do("seat.move", player="1-4", table=2, seat=9)
    elif how == "bust":
        night.do("player.bust", player="1-4")
    elif how == "clear":
        night.do("seat.clear", player="1-4")
    else:
        night.do("hand.end", table=1)
    assert shown(night) == ("off", None, None)


def test_it_ends_when_the_player_folds() -> None:
    """A fold is an action: the clock that was called on that player is off."""
    night = called()
    night.do("action.fold", table=1)
    assert night.table(1)["seats"]["4"]["in_hand"] is False
    assert shown(night) == ("off", None, None)


def test_the_floor_may_rule_otherwise() -> None:
    """Void restores the player; check puts the hand back; dead takes it out."""
    for ruling, in_hand, status in (
        ("void", True, "off"),
        ("check", True, "expired"),
        ("dead", False, "expired"),
    ):
        night = called()
        night.later(seconds(31))
        night.do("action.ruling", table=1, outcome=ruling)
        assert night.table(1)["seats"]["4"]["in_hand"] is in_hand
        assert shown(night)[0] == status


def test_in_a_house_with_an_action_clock_it_is_for_when_that_one_does_not_run() -> None:
    """While the action clock runs or is held nobody calls another one."""
    night = given(SATURDAY, {1: 4})
    night.do("hand.start", table=1, button=1)
    night.do("action.next", table=1)
    assert night.refused("called.start", table=1, seat=4) == "not_allowed"
    night.do("action.hold", table=1)
    assert night.refused("called.start", table=1, seat=1) == "not_allowed"
    night.do("action.stop", table=1)
    night.do("called.start", table=1, seat=2)
    assert shown(night) == ("running", 2, 30_000)
    night.do("action.start", table=1, seat=2)
    assert shown(night) == ("off", None, None)


# ── refusals ─────────────────────────────────────────────────────────────────────────────────────


def test_refused_where_there_is_nobody_to_call_it_on() -> None:
    """An unknown table, an empty seat, no clock to stop, an event that is over."""
    night = given(FRIDAY, {1: 4})
    assert night.refused("called.start", table=9, seat=1) == "unknown_table"
    assert night.refused("called.stop", table=9) == "unknown_table"
    assert night.refused("called.start", table=1, seat=8) == "no_player"
    assert night.refused("called.stop", table=1) == "not_running"
    night.do("event.finish")
    assert night.refused("called.start", table=1, seat=1) == "not_running"


def test_refused_for_a_seat_that_has_folded() -> None:
    """Who is out of the hand has nothing to decide."""
    night = given(FRIDAY, {1: 4})
    night.do("hand.start", table=1, button=1)
    night.do("action.fold", table=1)
    assert night.refused("called.start", table=1, seat=4) == "out_of_turn"
