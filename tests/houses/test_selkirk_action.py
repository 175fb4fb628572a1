"""Selkirk Legion: a player's time, called (SL-41) and at the final table (SL-42)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.night import Night, given, seconds

MAIN = "selkirk-main"


def action(night: Night, *keys: str) -> list[Any]:
    """Give some values of the action clock of table 1."""
    found = night.table(1)["action"]
    return [found[key] for key in keys]


def called(night: Night, *keys: str) -> list[Any]:
    """Give some values of the called clock of table 1."""
    found = night.table(1)["called"]
    return [found[key] for key in keys]


def bank(night: Night, seat: int) -> int:
    """Count the time-bank chips of a seat of table 1."""
    chips: int = night.table(1)["seats"][str(seat)]["bank"]
    return chips


def test_SL_41_the_called_clock_is_30_seconds_with_the_last_5_counted_down() -> None:
    """Thirty in all, and over at the first millisecond after zero."""
    night = given(MAIN, {1: 4})
    night.do("hand.start", table=1)
    night.do("called.start", table=1, seat=4)
    assert called(night, "status", "seat", "remaining_ms") == ["running", 4, 30_000]
    night.later(seconds(25) - 1)
    assert called(night, "status") == ["running"]
    night.later(1)
    assert called(night, "status", "remaining_ms") == ["countdown", 5_000]
    night.later(seconds(5))
    assert called(night, "status", "remaining_ms") == ["countdown", 0]
    night.later(1)
    assert called(night, "status", "outcome") == ["expired", "dead"]


@pytest.mark.parametrize("facing", [True, False])
def test_SL_41_a_hand_that_was_not_acted_on_is_dead(facing: bool) -> None:
    """The house says dead and knows no check here, whether or not there was a bet."""
    night = given(MAIN, {1: 4})
    night.do("hand.start", table=1)
    night.do("street.next", table=1)
    night.do("called.start", table=1, seat=2, facing_bet=facing)
    night.later(seconds(30) + 1)
    assert called(night, "outcome") == ["dead"]
    assert night.table(1)["seats"]["2"]["in_hand"] is False


def final_table() -> Night:
    """Give six players of two tables who have come together at table 1, a hand dealt."""
    night = given(MAIN, {1: 4, 2: 2})
    night.do("level.goto", level=6)
    night.do("seat.move", player="2-1", table=1, seat=5)
    night.do("seat.move", player="2-2", table=1, seat=6)
    night.do("table.close", table=2)
    night.do("hand.start", table=1, button=1)
    return night


def test_SL_42_no_action_clock_is_in_play_before_the_final_table() -> None:
    """With two tables nobody is on the clock and nobody has time-bank chips."""
    night = given(MAIN, {1: 4, 2: 2})
    night.do("level.goto", level=6)
    assert night.event()["action_clock"] is None
    assert bank(night, 1) == 0
    assert night.refused("action.start", table=1, seat=1) == "not_allowed"


def test_SL_42_the_final_table_brings_30_seconds_and_eight_chips_of_30() -> None:
    """Everybody who reaches it gets eight, wherever they came from."""
    night = final_table()
    clock = night.event()["action_clock"]
    assert (clock["seconds"], clock["chips"], clock["chip_seconds"]) == (30, 8, 30)
    assert [bank(night, seat) for seat in range(1, 7)] == [8] * 6
    night.do("action.start", table=1, seat=4)
    assert action(night, "status", "remaining_ms") == ["running", 30_000]


@pytest.mark.parametrize(("chips", "left"), [(1, 50_000), (3, 110_000), (8, 260_000)])
def test_SL_42_one_or_up_to_all_eight_chips_are_played_at_once(chips: int, left: int) -> None:
    """Each is worth 30 seconds on top of the 20 that are left."""
    night = final_table()
    night.do("action.start", table=1, seat=4)
    night.later(seconds(10))
    night.do("action.bank", table=1, seat=4, chips=chips)
    assert action(night, "remaining_ms", "used") == [left, chips]
    assert bank(night, 4) == 8 - chips
    night.do("action.stop", table=1)
    assert night.table(1)["collect"] == [{"seat": 4, "chips": chips}]


def test_SL_42_more_than_eight_chips_cannot_be_played() -> None:
    """Nobody has nine."""
    night = final_table()
    night.do("action.start", table=1, seat=4)
    assert night.refused("action.bank", table=1, seat=4, chips=9) == "no_chips"


def test_SL_42_no_chip_goes_by_itself_when_the_time_is_over() -> None:
    """It is the player's choice: the clock says so after zero, with all eight chips there."""
    night = final_table()
    night.do("action.start", table=1, seat=4)
    night.later(seconds(30))
    assert action(night, "status", "remaining_ms") == ["running", 0]
    night.later(1)
    assert action(night, "status", "outcome", "used") == ["expired", "dead", 0]
    assert bank(night, 4) == 8


def test_SL_42_after_the_time_a_player_who_faces_no_action_checks() -> None:
    """On the flop with nothing bet."""
    night = final_table()
    night.do("street.next", table=1)
    night.do("action.start", table=1, seat=2)
    night.later(seconds(30) + 1)
    assert action(night, "status", "outcome") == ["expired", "check"]
    assert night.table(1)["seats"]["2"]["in_hand"] is True


def test_SL_42_after_the_time_a_player_folds_to_a_bet() -> None:
    """The chips that were played are collected and the hand is folded."""
    night = final_table()
    night.do("action.start", table=1, seat=4)
    night.do("action.bank", table=1, seat=4, chips=2)
    night.later(seconds(90) + 1)
    assert action(night, "status", "outcome", "used") == ["expired", "dead", 2]
    assert night.table(1)["seats"]["4"]["in_hand"] is False
    assert night.table(1)["collect"] == [{"seat": 4, "chips": 2}]


def test_SL_42_after_the_time_a_player_may_play_remaining_chips() -> None:
    """Three more chips bring 90 seconds and the hand back; five in all are collected, once."""
    night = final_table()
    night.do("action.start", table=1, seat=4)
    night.do("action.bank", table=1, seat=4, chips=2)
    night.later(seconds(92))
    assert action(night, "status") == ["expired"]
    night.do("action.bank", table=1, seat=4, chips=3)
    assert action(night, "status", "seat", "remaining_ms", "used") == ["running", 4, 90_000, 5]
    assert night.table(1)["seats"]["4"]["in_hand"] is True
    assert bank(night, 4) == 3
    night.do("action.stop", table=1)
    assert night.table(1)["collect"] == [{"seat": 4, "chips": 5}]
