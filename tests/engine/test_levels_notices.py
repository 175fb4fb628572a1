"""What hangs on the level clock: notices, the end of registration, words on the screens.

The house of these tests: level 1 (0:00 to 10:00), level 2 (to 20:00), a break of 5 minutes (to
25:00) and level 3, the last one. Registration closes at the start of level 3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from server.engine import due
from tests.night import Night, given, minutes, rules_of, seconds

if TYPE_CHECKING:
    from server.engine import Rules

CLUB = """
name = "Club night"
house = "The Club"

[registration]
closes_at_level = 3
notice_minutes = 5

[notices]
hold_push_seconds = 90
prepare_decks_seconds = 60

[structure]
minutes = 10
steps = [
  { small = 100, big = 200 },
  { small = 200, big = 400 },
  { phase = "break", minutes = 5 },
  { small = 300, big = 600 },
]
"""


@pytest.fixture
def club() -> Rules:
    """Give the rules of the club."""
    return rules_of(CLUB)


def has(night: Night, notice: str) -> bool:
    """Say whether a notice is active."""
    return notice in night.event()["notices"]


# ── notices ──────────────────────────────────────────────────────────────────────────────────────


def test_hold_push_opens_90_seconds_before_a_level_change(club: Rules) -> None:
    """It opens at 1:30 and is gone when the new level has begun."""
    night = given(club).later(minutes(8.5) - 1)
    assert not has(night, "hold_push")
    night.later(1)
    assert has(night, "hold_push")
    night.later(seconds(90) - 1)
    assert has(night, "hold_push")
    night.later(1)
    assert not has(night, "hold_push")


def test_hold_push_opens_before_a_break_too(club: Rules) -> None:
    """A level that ends in a break is announced the same way; the break itself is not."""
    night = given(club).later(minutes(18.5))
    assert has(night, "hold_push")
    night.later(minutes(1.5))
    assert not has(night, "hold_push")
    night.later(minutes(5) - 1)
    assert not has(night, "hold_push")


def test_hub_is_woken_exactly_when_a_notice_opens(club: Rules) -> None:
    """The first thing due is the notice, then the end of the level."""
    night = given(club)
    assert due(night.state) == 510_000
    night.later(minutes(8.5) + 1)
    assert due(night.state) == 600_000
    assert [event.at for event in night.events if event.name == "notices.raised"] == [510_000]


def test_time_given_closes_the_notice_and_it_opens_again_later(club: Rules) -> None:
    """With two minutes more, the last 90 seconds are still to come."""
    night = given(club).later(minutes(9))
    assert has(night, "hold_push")
    night.do("clock.add", ms=120_000)
    assert not has(night, "hold_push")
    assert due(night.state) == 630_000
    night.later(seconds(90) - 1)
    assert not has(night, "hold_push")
    night.later(1)
    assert has(night, "hold_push")
    night.later(1)
    raised = [event.at for event in night.events if event.name == "notices.raised"]
    assert raised == [510_000, 630_000]


def test_time_taken_opens_the_notice_at_once(club: Rules) -> None:
    """Six minutes in, five are taken: one minute is left."""
    night = given(club).later(minutes(4))
    night.do("clock.add", ms=-300_000)
    assert has(night, "hold_push")


def test_notice_stands_still_while_the_room_is_paused(club: Rules) -> None:
    """A pause before the last 90 seconds does not bring them nearer."""
    night = given(club).later(minutes(8))
    night.do("clock.pause")
    night.later(minutes(60))
    assert not has(night, "hold_push")
    night.do("clock.resume")
    night.later(seconds(30))
    assert has(night, "hold_push")


def test_prepare_decks_opens_a_minute_before_the_restart_after_a_break(club: Rules) -> None:
    """Dealers prepare their decks at 1:00 of the break; none of it in a level."""
    night = given(club).later(minutes(24) - 1)
    assert not has(night, "prepare_decks")
    night.later(1)
    assert has(night, "prepare_decks")
    night.later(minutes(1))
    assert not has(night, "prepare_decks")


def test_prepare_decks_opens_before_a_called_break_ends_and_closes_with_time_given(
    club: Rules,
) -> None:
    """A break of the director's is no different."""
    night = given(club).later(minutes(2))
    night.do("break.call", minutes=3)
    night.later(minutes(2))
    assert has(night, "prepare_decks")
    night.do("clock.add", ms=60_000)
    assert not has(night, "prepare_decks")
    night.later(minutes(1))
    assert has(night, "prepare_decks")


def test_prepare_decks_opens_a_minute_before_a_scheduled_start(club: Rules) -> None:
    """The event waits, and its dealers are told in time."""
    night = given(club, started=False)
    night.do("event.schedule", starts_at=minutes(30))
    night.later(minutes(29) - 1)
    assert not has(night, "prepare_decks")
    night.later(1)
    assert has(night, "prepare_decks")
    night.later(minutes(1))
    assert not has(night, "prepare_decks")


def test_prepare_decks_opens_a_minute_before_the_next_day_begins(club: Rules) -> None:
    """A suspended event that says when it goes on has a restart too."""
    night = given(club).later(minutes(2))
    night.do("event.suspend", resumes_at=minutes(602))
    night.later(minutes(599) - 1)
    assert not has(night, "prepare_decks")
    night.later(minutes(1) + 1)
    assert has(night, "prepare_decks")
    assert night.clock()["resumes_at"] == minutes(602)
    night.do("event.resume")
    assert not has(night, "prepare_decks")


def test_last_level_is_told_while_it_is_played(club: Rules) -> None:
    """Level 3 is the last: the notice comes with it, and no push is held for a change to come."""
    night = given(club).later(minutes(25) - 1)
    assert not has(night, "last_level")
    night.later(1)
    assert has(night, "last_level")
    night.later(minutes(9))
    assert has(night, "last_level")
    assert not has(night, "hold_push")


def test_the_end_of_the_last_level_is_told(club: Rules) -> None:
    """From zero on the room knows why the clock stands there; with time given back it does not."""
    night = given(club).later(minutes(35) - 1)
    assert not has(night, "last_level_over")
    night.later(1)
    assert night.clock()["remaining_ms"] == 0
    assert has(night, "last_level_over")
    night.later(1)
    raised = [event for event in night.events if event.name == "notices.raised"]
    assert raised[-1].at == minutes(35)
    assert has(night, "last_level")
    night.do("clock.add", ms=minutes(5))
    assert not has(night, "last_level_over")
    night.later(minutes(5))
    assert has(night, "last_level_over")
    night.do("event.finish")
    assert not has(night, "last_level_over")


def test_level_added_by_the_director_takes_the_last_level_notice_away(club: Rules) -> None:
    """With a level to come, level 3 is not the last any more."""
    night = given(club).later(minutes(26))
    night.do(
        "structure.set",
        steps=[{"small": 300, "big": 600}, {"small": 400, "big": 800}],
    )
    assert not has(night, "last_level")
    night.later(minutes(7.5))
    assert has(night, "hold_push")


# ── registration ─────────────────────────────────────────────────────────────────────────────────


def test_registration_closes_at_the_start_of_its_level_and_counts_the_break(club: Rules) -> None:
    """Two levels and the break: 25 minutes; it is open to the last millisecond of the break."""
    night = given(club)
    assert night.event()["registration"] == {
        "open": True,
        "closes_at_level": 3,
        "closes_in_ms": 1_500_000,
    }
    night.later(minutes(25) - 1)
    assert night.event()["registration"]["open"] is True
    assert night.event()["registration"]["closes_in_ms"] == 1
    night.later(1)
    assert night.event()["registration"]["open"] is False
    assert night.event()["registration"]["closes_in_ms"] is None


def test_registration_closing_follows_time_given_taken_and_paused(club: Rules) -> None:
    """Three minutes more, one less, and a pause that counts for nothing."""
    night = given(club).later(minutes(5))
    night.do("clock.add", ms=180_000)
    assert night.event()["registration"]["closes_in_ms"] == 1_380_000
    night.do("clock.add", ms=-60_000)
    night.do("clock.pause")
    night.later(minutes(30))
    assert night.event()["registration"]["closes_in_ms"] == 1_320_000


def test_registration_closing_includes_a_called_break(club: Rules) -> None:
    """Fifteen minutes of break come on top; a break without an end leaves it open when."""
    night = given(club).later(minutes(5))
    night.do("break.call", minutes=15)
    assert night.event()["registration"]["closes_in_ms"] == 2_100_000
    night.do("break.end")
    night.do("break.call")
    assert night.event()["registration"]["closes_in_ms"] is None
    assert night.event()["registration"]["open"] is True


def test_registration_closing_counts_what_is_owed_after_the_break(club: Rules) -> None:
    """Two minutes taken beyond the end of level 2 wait for level 3 and do not shorten the break."""
    night = given(club).later(minutes(19))
    night.do("clock.add", ms=-180_000)
    assert night.clock()["phase"] == "break"
    assert night.event()["registration"]["closes_in_ms"] == 300_000


def test_registration_notice_opens_and_closes_with_the_time_left(club: Rules) -> None:
    """Five minutes before the close is the start of the break; time given puts it off."""
    night = given(club).later(minutes(20) - 1)
    assert not has(night, "registration_closing")
    night.later(1)
    assert has(night, "registration_closing")
    night.do("clock.add", ms=120_000)
    assert not has(night, "registration_closing")
    night.later(minutes(2) + 1)
    assert has(night, "registration_closing")
    night.later(minutes(25))
    assert not has(night, "registration_closing")


# ── words on the screens ─────────────────────────────────────────────────────────────────────────


def test_announcement_stays_until_it_is_cleared(club: Rules) -> None:
    """Words without seconds stay for hours."""
    night = given(club)
    assert night.event()["announcement"] is None
    night.do("announce", text="Dinner is served")
    night.later(minutes(120))
    assert night.event()["announcement"] == "Dinner is served"
    night.do("announce.clear")
    assert night.event()["announcement"] is None


def test_announcement_with_seconds_goes_by_itself(club: Rules) -> None:
    """Thirty seconds after it was made it is gone, to the millisecond."""
    night = given(club).later(seconds(10))
    night.do("announce", text="Last call", seconds=30)
    night.later(seconds(30) - 1)
    assert night.event()["announcement"] == "Last call"
    night.later(1)
    assert night.event()["announcement"] is None


def test_newer_announcement_is_not_taken_away_by_the_time_of_an_older_one(club: Rules) -> None:
    """Only the words on the screens have an end."""
    night = given(club)
    night.do("announce", text="Ten seconds", seconds=10)
    night.later(seconds(5))
    night.do("announce", text="For good")
    night.later(minutes(1))
    assert night.event()["announcement"] == "For good"


@pytest.mark.parametrize("standing", ["clock.pause", "event.suspend", "event.finish"])
def test_announcement_with_seconds_goes_by_itself_while_everything_stands(
    club: Rules, standing: str
) -> None:
    """Its seconds are those of the people who read it, not of the clock that is stopped."""
    night = given(club)
    night.do(standing)
    night.do("announce", text="Please stay seated", seconds=30)
    night.later(seconds(29))
    assert night.event()["announcement"] == "Please stay seated"
    night.later(seconds(1))
    assert night.event()["announcement"] is None


def test_nothing_to_clear_is_refused(club: Rules) -> None:
    """Also after the words went by themselves."""
    night = given(club)
    assert night.refused("announce.clear") == "not_allowed"
    night.do("announce", text="Last call", seconds=10)
    night.later(seconds(10) + 1)
    assert night.refused("announce.clear") == "not_allowed"
