"""The level clock: it starts, runs, stands and goes on without ever drifting.

The house of these tests: level 1 (0:00 to 10:00), level 2 (to 20:00), a break of 5 minutes (to
25:00), level 3 (to 35:00), level 4 of 15 minutes (to 50:00), a break of 5 minutes (to 55:00) and
level 5, the last one (to 65:00).
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

[action]
seconds = 20
chips = 2
chip_seconds = 30

[structure]
minutes = 10
steps = [
  { small = 100, big = 200 },
  { small = 200, big = 400, ante = 400 },
  { phase = "break", minutes = 5, colour_up = [25, 100] },
  { small = 300, big = 600 },
  { small = 400, big = 800, minutes = 15 },
  { phase = "break", minutes = 5 },
  { small = 500, big = 1_000 },
]
"""


@pytest.fixture
def club() -> Rules:
    """Give the rules of the club."""
    return rules_of(CLUB)


def starts(night: Night) -> list[tuple[str, int]]:
    """List when levels and breaks began."""
    steps = ("level.started", "break.started")
    return [(event.name, event.at) for event in night.events if event.name in steps]


# ── the chain of levels ──────────────────────────────────────────────────────────────────────────


def test_before_the_start_the_clock_waits_with_the_full_time_of_level_1(club: Rules) -> None:
    """Nothing runs and nothing is due, however long the room waits."""
    night = given(club, started=False).later(minutes(90))
    assert night.shown("status", "phase", "level", "small", "big", "ante") == [
        "waiting",
        "level",
        1,
        100,
        200,
        0,
    ]
    assert night.shown("ends_at", "remaining_ms") == [None, 600_000]
    assert due(night.state) is None


def test_started_clock_counts_down_to_a_fixed_instant(club: Rules) -> None:
    """Remaining is of the document's own now; the end does not move."""
    night = given(club, started=False).later(seconds(90))
    night.do("clock.start")
    night.later(seconds(3.5))
    assert night.shown("status", "ends_at", "remaining_ms") == ["running", 690_000, 596_500]


def test_level_ends_at_its_last_millisecond_and_not_before(club: Rules) -> None:
    """One millisecond is left, and then it is level 2 with all of its time."""
    night = given(club).later(minutes(10) - 1)
    assert night.shown("level", "remaining_ms") == [1, 1]
    night.later(1)
    assert night.shown("level", "small", "big", "ante") == [2, 200, 400, 400]
    assert night.shown("remaining_ms", "ends_at") == [600_000, 1_200_000]


def test_command_at_the_very_end_of_a_level_is_decided_before_the_level_ends(club: Rules) -> None:
    """A minute given at 0:00 is a minute more of level 1."""
    night = given(club).later(minutes(10))
    night.do("clock.add", ms=60_000)
    assert night.shown("level", "remaining_ms") == [1, 60_000]


def test_levels_start_when_the_last_one_was_due_to_end_however_late_it_is_noticed(
    club: Rules,
) -> None:
    """Nobody woke the engine for 37 minutes: every step has the instant it was due."""
    night = given(club).later(minutes(37) + 123)
    assert starts(night) == [
        ("level.started", 600_000),
        ("break.started", 1_200_000),
        ("level.started", 1_500_000),
        ("level.started", 2_100_000),
    ]
    assert night.shown("level", "remaining_ms", "ends_at") == [4, 779_877, 3_000_000]


def test_late_command_finds_the_levels_that_were_due_before_it(club: Rules) -> None:
    """Also without any tick in between the chain is caught up first."""
    night = given(club)
    night.now = minutes(12)
    assert night.do("clock.pause") == ["level.started", "command.accepted", "clock.paused"]
    assert starts(night) == [("level.started", 600_000)]
    assert night.shown("level", "remaining_ms") == [2, 480_000]


def test_break_shows_the_level_just_played_and_what_comes_after(club: Rules) -> None:
    """Breaks are not levels, and the break names the chips to remove."""
    night = given(club).later(minutes(20))
    assert night.shown("phase", "level", "small", "big", "ante") == ["break", 2, 200, 400, 400]
    assert night.shown("remaining_ms", "colour_up") == [300_000, [25, 100]]
    following = night.clock()["next"]
    assert [following[key] for key in ("phase", "level", "small", "big", "ante", "minutes")] == [
        "level",
        3,
        300,
        600,
        0,
        10,
    ]
    night.later(minutes(5))
    assert night.shown("phase", "level", "colour_up") == ["level", 3, []]


def test_level_before_a_break_shows_the_break_as_next(club: Rules) -> None:
    """Level 2 is followed by five minutes of break, level 1 by level 2 with its ante."""
    night = given(club)
    following = night.clock()["next"]
    assert [following[key] for key in ("phase", "level", "small", "big", "ante", "minutes")] == [
        "level",
        2,
        200,
        400,
        400,
        10,
    ]
    night.later(minutes(10))
    assert night.clock()["next"]["phase"] == "break"
    assert night.clock()["next"]["minutes"] == 5


def test_next_break_counts_playing_time_only(club: Rules) -> None:
    """From level 1 it is two levels; on the break it is levels 3 and 4 without the break."""
    night = given(club)
    assert night.clock()["next_break_ms"] == 1_200_000
    night.later(minutes(13))
    assert night.clock()["next_break_ms"] == 420_000
    night.later(minutes(9))
    assert night.shown("phase", "next_break_ms") == ["break", 1_500_000]
    night.later(minutes(8))
    assert night.shown("level", "next_break_ms") == [3, 1_200_000]
    night.later(minutes(30))
    assert night.shown("level", "next_break_ms") == [5, None]


def test_last_level_stays_at_zero(club: Rules) -> None:
    """There is nothing to go on to: the level stays on the wall, and time may be given to it."""
    night = given(club).later(minutes(64))
    assert night.shown("level", "next", "remaining_ms") == [5, None, 60_000]
    night.later(minutes(30))
    assert night.shown("status", "level", "remaining_ms") == ["running", 5, 0]
    night.do("clock.add", ms=120_000)
    assert night.shown("level", "remaining_ms", "ends_at") == [5, 120_000, minutes(96)]


# ── a scheduled start ────────────────────────────────────────────────────────────────────────────


def test_scheduled_start_starts_the_clock_at_its_instant(club: Rules) -> None:
    """Level 1 runs from the scheduled instant, not from when somebody looked."""
    night = given(club, started=False)
    night.do("event.schedule", starts_at=minutes(30))
    night.later(minutes(30) - 1)
    assert night.shown("status", "starts_at", "remaining_ms") == ["waiting", 1_800_000, 600_000]
    night.later(1)
    assert night.shown("status", "remaining_ms", "ends_at") == ["running", 600_000, 2_400_000]
    night.later(minutes(12))
    assert night.shown("level", "remaining_ms", "starts_at") == [2, 480_000, None]


def test_scheduled_start_is_caught_up_after_an_outage(club: Rules) -> None:
    """The whole chain hangs on the scheduled instant."""
    night = given(club, started=False)
    night.do("event.schedule", starts_at=minutes(30))
    night.later(minutes(53))
    assert starts(night)[:2] == [("level.started", 2_400_000), ("break.started", 3_000_000)]
    assert night.shown("phase", "remaining_ms") == ["break", 120_000]


def test_clock_start_ends_the_wait_for_a_scheduled_start(club: Rules) -> None:
    """Started five minutes early, the clock does not start again at the scheduled instant."""
    night = given(club, started=False)
    night.do("event.schedule", starts_at=minutes(30))
    night.later(minutes(25))
    night.do("clock.start")
    night.later(minutes(6))
    assert night.shown("status", "starts_at", "level", "remaining_ms") == [
        "running",
        None,
        1,
        240_000,
    ]


def test_scheduled_start_can_be_moved_and_taken_back(club: Rules) -> None:
    """Only the last word counts; null waits for the director's hand."""
    night = given(club, started=False)
    night.do("event.schedule", starts_at=minutes(30))
    night.do("event.schedule", starts_at=minutes(40))
    night.later(minutes(35))
    assert night.clock()["status"] == "waiting"
    night.do("event.schedule", starts_at=None)
    night.later(minutes(60))
    assert night.shown("status", "starts_at") == ["waiting", None]


# ── pause and resume ─────────────────────────────────────────────────────────────────────────────


def test_pause_stops_the_level_and_resume_goes_on_where_it_stood(club: Rules) -> None:
    """An hour of pause costs nothing."""
    night = given(club).later(minutes(4))
    night.do("clock.pause", reason="Fire alarm")
    night.later(minutes(60))
    assert night.shown("status", "reason", "ends_at", "remaining_ms") == [
        "paused",
        "Fire alarm",
        None,
        360_000,
    ]
    night.do("clock.resume")
    assert night.shown("status", "reason", "ends_at", "remaining_ms") == [
        "running",
        None,
        minutes(70),
        360_000,
    ]
    night.later(minutes(6))
    assert night.shown("level", "remaining_ms") == [2, 600_000]


def test_pause_at_the_very_end_of_a_level_comes_before_the_next_level(club: Rules) -> None:
    """Level 1 stands at 0:00, and level 2 starts when the room goes on, with its full time."""
    night = given(club).later(minutes(10))
    night.do("clock.pause")
    night.later(minutes(3))
    assert night.shown("level", "remaining_ms") == [1, 0]
    night.do("clock.resume")
    assert night.shown("level", "remaining_ms", "ends_at") == [2, 600_000, minutes(23)]


def test_pause_stops_a_break_as_well(club: Rules) -> None:
    """Two minutes of the break are gone; three are left after the pause."""
    night = given(club).later(minutes(22))
    night.do("clock.pause")
    night.later(minutes(10))
    assert night.shown("status", "phase", "remaining_ms") == ["paused", "break", 180_000]
    night.do("clock.resume")
    night.later(minutes(3))
    assert night.shown("phase", "level", "remaining_ms") == ["level", 3, 600_000]


def test_pause_stops_every_running_action_clock(club: Rules) -> None:
    """Two tables stand at what was left to each, and each goes on from there."""
    night = given(club, {1: 3, 2: 3})
    night.do("action.start", table=1, seat=1)
    night.later(seconds(5))
    night.do("action.start", table=2, seat=2)
    night.later(seconds(8))
    night.do("clock.pause")
    night.later(minutes(60))
    for table, left in ((1, 7_000), (2, 12_000)):
        action = night.table(table)["action"]
        assert (action["status"], action["remaining_ms"], action["ends_at"]) == (
            "paused",
            left,
            None,
        )
    night.do("clock.resume")
    assert [night.table(n)["action"]["ends_at"] - night.now for n in (1, 2)] == [7_000, 12_000]
    night.later(seconds(7))
    assert night.table(1)["seats"]["1"]["bank"] == 1
    assert night.table(2)["action"]["remaining_ms"] == 5_000


def test_pause_at_the_very_zero_of_an_action_comes_before_the_chip_burns(club: Rules) -> None:
    """The chip burns when the room goes on, and not for a clock that stands."""
    night = given(club, {1: 2})
    night.do("action.start", table=1, seat=1)
    night.later(seconds(20))
    night.do("clock.pause")
    night.later(minutes(1))
    assert night.table(1)["seats"]["1"]["bank"] == 2
    assert night.table(1)["action"]["remaining_ms"] == 0
    night.do("clock.resume")
    assert night.table(1)["seats"]["1"]["bank"] == 1
    assert night.table(1)["action"]["remaining_ms"] == 30_000


def test_pause_stops_a_called_clock_and_leaves_a_counted_bet_alone(club: Rules) -> None:
    """The called clock goes on where it stood; what was held is still held."""
    night = given(club, {1: 3, 2: 3})
    night.do("called.start", table=1, seat=1)
    night.do("action.start", table=2, seat=1)
    night.do("action.hold", table=2)
    night.later(seconds(10))
    night.do("clock.pause")
    night.later(minutes(5))
    assert night.table(1)["called"]["remaining_ms"] == 20_000
    night.do("clock.resume")
    night.later(seconds(4))
    assert night.table(1)["called"]["remaining_ms"] == 16_000
    held = night.table(2)["action"]
    assert (held["status"], held["seat"], held["remaining_ms"]) == ("held", 2, 20_000)


def test_table_that_was_paused_by_itself_stays_paused_when_the_room_goes_on(club: Rules) -> None:
    """A dispute is not over because the fire alarm is."""
    night = given(club, {1: 3})
    night.do("action.start", table=1, seat=1)
    night.later(seconds(5))
    night.do("table.pause", table=1, reason="Dispute")
    night.do("clock.pause")
    night.later(minutes(1))
    night.do("clock.resume")
    night.later(minutes(1))
    assert night.table(1)["paused"] == "Dispute"
    assert night.table(1)["action"]["remaining_ms"] == 15_000


# ── another day, and the end ─────────────────────────────────────────────────────────────────────


def test_suspended_event_comes_back_exactly(club: Rules) -> None:
    """Level, action clock, chips and seats stand for a night and go on as if it had not been."""
    night = given(club, {1: 3}).later(minutes(13))
    night.do("hand.start", table=1)
    night.do("action.start", table=1, seat=1)
    night.later(seconds(7))
    seats = night.table(1)["seats"]
    night.do("event.suspend")
    night.later(minutes(16 * 60))
    assert night.shown("status", "level", "ends_at", "remaining_ms") == [
        "suspended",
        2,
        None,
        413_000,
    ]
    assert night.table(1)["action"]["remaining_ms"] == 13_000
    night.do("event.resume")
    assert night.shown("status", "remaining_ms", "ends_at") == [
        "running",
        413_000,
        night.now + 413_000,
    ]
    assert night.table(1)["seats"] == seats
    night.later(seconds(3))
    assert night.table(1)["action"]["remaining_ms"] == 10_000


def test_event_suspended_during_a_pause_comes_back_paused(club: Rules) -> None:
    """Exactly means that the director's pause is still there."""
    night = given(club).later(minutes(4))
    night.do("clock.pause", reason="Count")
    night.do("event.suspend")
    night.later(minutes(600))
    night.do("event.resume")
    night.later(minutes(5))
    assert night.shown("status", "reason", "remaining_ms") == ["paused", "Count", 360_000]


def test_event_suspended_on_a_break_comes_back_on_the_break(club: Rules) -> None:
    """The rest of the break is still to be had."""
    night = given(club).later(minutes(21))
    night.do("event.suspend")
    night.later(minutes(600))
    assert night.shown("status", "phase", "remaining_ms") == ["suspended", "break", 240_000]
    night.do("event.resume")
    night.later(minutes(4))
    assert night.shown("phase", "level", "remaining_ms") == ["level", 3, 600_000]


def test_finished_event_stands_for_good(club: Rules) -> None:
    """No level comes after the end, nothing is due and nobody may enter."""
    night = given(club).later(minutes(4))
    night.do("event.finish")
    night.later(minutes(600))
    assert night.shown("status", "level", "ends_at", "remaining_ms") == [
        "finished",
        1,
        None,
        360_000,
    ]
    assert night.event()["registration"]["open"] is False
    assert night.event()["notices"] == []
    assert due(night.state) is None
