"""The Star Brisbane: the clock is called where there is no action clock (SB-25)."""

from __future__ import annotations

from typing import Any

from tests.night import Night, given, seconds


def called(night: Night, *keys: str) -> list[Any]:
    """Give some values of the called clock of table 1."""
    found = night.table(1)["called"]
    return [found[key] for key in keys]


def in_hand(night: Night, seat: int) -> bool:
    """Say whether a seat is in the hand."""
    live: bool = night.table(1)["seats"][str(seat)]["in_hand"]
    return live


def dealt() -> Night:
    """Give a Friday table where a hand has been dealt, button in seat 1 of four."""
    night = given("star-brisbane-friday", {1: 4})
    night.do("hand.start", table=1, button=1)
    return night


def test_SB_25_the_called_clock_is_25_seconds_and_a_countdown_of_5() -> None:
    """It runs for 25 seconds, is counted down for 5, and is over after its very zero."""
    night = dealt()
    night.do("called.start", table=1, seat=4)
    assert called(night, "status", "seat", "remaining_ms") == ["running", 4, 30_000]
    night.later(seconds(25) - 1)
    assert called(night, "status", "remaining_ms") == ["running", 5_001]
    night.later(1)
    assert called(night, "status", "remaining_ms") == ["countdown", 5_000]
    night.later(seconds(5))
    assert called(night, "status", "remaining_ms", "outcome") == ["countdown", 0, None]
    night.later(1)
    assert called(night, "status", "seat", "remaining_ms") == ["expired", 4, 0]


def test_SB_25_expired_facing_a_bet_the_hand_is_dead() -> None:
    """Before the flop everybody faces the blind."""
    night = dealt()
    night.do("called.start", table=1, seat=4)
    night.later(seconds(30) + 1)
    assert called(night, "outcome") == ["dead"]
    assert not in_hand(night, 4)


def test_SB_25_expired_facing_no_bet_the_hand_is_checked() -> None:
    """On the flop nobody has bet yet: the player stays in the hand."""
    night = dealt()
    night.do("street.next", table=1)
    night.do("called.start", table=1, seat=2)
    night.later(seconds(30) + 1)
    assert called(night, "outcome") == ["check"]
    assert in_hand(night, 2)


def test_SB_25_the_dealer_says_what_is_faced_where_the_table_does_not_know() -> None:
    """A bet on the flop, the big blind's option before it."""
    night = dealt()
    night.do("called.start", table=1, seat=3, facing_bet=False)
    night.later(seconds(30) + 2)
    assert called(night, "outcome") == ["check"]
    night.do("called.stop", table=1)
    night.do("street.next", table=1)
    night.do("called.start", table=1, seat=2, facing_bet=True)
    night.later(seconds(30) + 1)
    assert called(night, "outcome") == ["dead"]


def test_SB_25_a_player_who_acts_at_the_very_zero_has_acted() -> None:
    """A tie goes to the player."""
    night = dealt()
    night.do("called.start", table=1, seat=4)
    night.later(seconds(30))
    night.do("called.stop", table=1)
    night.later(seconds(30))
    assert called(night, "status", "outcome") == ["off", None]
    assert in_hand(night, 4)


def test_SB_25_a_ruling_gives_the_hand_back() -> None:
    """The director overrules the clock: the player is in the hand again and no clock runs."""
    night = dealt()
    night.do("called.start", table=1, seat=4)
    night.later(seconds(31))
    assert not in_hand(night, 4)
    night.do("action.ruling", table=1, outcome="void")
    assert called(night, "status", "outcome") == ["off", None]
    assert in_hand(night, 4)


def test_SB_25_the_clock_is_called_on_somebody_who_sits_there() -> None:
    """An empty seat has no time, and a table that is not open has no seats."""
    night = dealt()
    assert night.refused("called.start", table=1, seat=9) == "no_player"
    assert night.refused("called.start", table=7, seat=1) == "unknown_table"
    assert night.refused("called.stop", table=1) == "not_running"
