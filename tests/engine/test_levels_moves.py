"""What the director does to the level clock: time given and taken, moves, breaks, and refusals.

The house of these tests: level 1 (0:00 to 10:00), level 2 (to 20:00), a break of 5 minutes (to
25:00), level 3 (to 35:00) and level 4 of 15 minutes (to 50:00), a break without a length, and
level 5, the last one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.night import given, minutes, rules_of, seconds

if TYPE_CHECKING:
    from server.engine import Rules

CLUB = """
name = "Club night"
house = "The Club"

[registration]
closes_at_level = 3

[action]
seconds = 20

[structure]
minutes = 10
steps = [
  { small = 100, big = 200 },
  { small = 200, big = 400, ante = 400 },
  { phase = "break", minutes = 5, colour_up = [25] },
  { small = 300, big = 600 },
  { small = 400, big = 800, minutes = 15 },
  { phase = "break", colour_up = [100] },
  { small = 500, big = 1_000 },
]
"""


@pytest.fixture
def club() -> Rules:
    """Give the rules of the club."""
    return rules_of(CLUB)


# ── time given and taken ─────────────────────────────────────────────────────────────────────────


def test_time_given_is_added_to_the_level(club: Rules) -> None:
    """Six minutes are left, three are given; the levels after it come three minutes later."""
    night = given(club).later(minutes(4))
    night.do("clock.add", ms=180_000)
    assert night.shown("level", "remaining_ms", "ends_at") == [1, 540_000, 780_000]
    night.later(minutes(9))
    assert night.shown("level", "remaining_ms", "ends_at") == [2, 600_000, 1_380_000]


def test_time_given_may_be_more_than_the_level_is_long(club: Rules) -> None:
    """The director knows why."""
    night = given(club)
    night.do("clock.add", ms=3_600_000)
    assert night.shown("level", "remaining_ms") == [1, 4_200_000]


def test_time_taken_within_the_level_shortens_it(club: Rules) -> None:
    """Six minutes are left, two are taken."""
    night = given(club).later(minutes(4))
    night.do("clock.add", ms=-120_000)
    assert night.shown("level", "remaining_ms", "ends_at") == [1, 240_000, 480_000]


def test_time_taken_to_the_very_end_begins_the_next_level_in_full(club: Rules) -> None:
    """Nothing is left to carry."""
    night = given(club).later(minutes(4))
    night.do("clock.add", ms=-360_000)
    assert night.shown("level", "remaining_ms") == [2, 600_000]


def test_time_taken_beyond_the_end_carries_into_the_next_level(club: Rules) -> None:
    """Six minutes are left and eight are taken: level 2 has eight of its ten minutes."""
    night = given(club).later(minutes(4))
    night.do("clock.add", ms=-480_000)
    assert night.shown("level", "remaining_ms", "ends_at") == [2, 480_000, 720_000]


def test_time_taken_carries_across_several_levels(club: Rules) -> None:
    """In level 3 with four left, 17 are taken: 4 of level 3, 13 of level 4's 15."""
    night = given(club).later(minutes(31))
    night.do("clock.add", ms=-1_020_000)
    assert night.shown("level", "remaining_ms") == [4, 120_000]


def test_time_taken_passes_over_a_whole_level_and_tells_of_it(club: Rules) -> None:
    """From level 1 with ten left, 20 eat levels 1 and 2; both new steps are signalled."""
    night = given(club)
    names = night.do("clock.add", ms=-1_200_000)
    assert names == ["command.accepted", "level.started", "break.started"]
    assert night.shown("phase", "level", "remaining_ms") == ["break", 2, 300_000]


def test_time_taken_never_eats_a_break_and_the_rest_waits_for_the_level_after_it(
    club: Rules,
) -> None:
    """Level 2 has four left, six are taken: a full break, then level 3 with eight minutes."""
    night = given(club).later(minutes(16))
    night.do("clock.add", ms=-360_000)
    assert night.shown("phase", "remaining_ms") == ["break", 300_000]
    assert night.clock()["next_break_ms"] == 1_380_000
    night.later(minutes(5))
    assert night.shown("phase", "level", "remaining_ms") == ["level", 3, 480_000]


def test_time_owed_after_a_break_is_taken_once(club: Rules) -> None:
    """Level 4 has its full time again."""
    night = given(club).later(minutes(16))
    night.do("clock.add", ms=-360_000)
    night.later(minutes(5 + 8))
    assert night.shown("level", "remaining_ms") == [4, 900_000]


def test_time_owed_may_be_more_than_the_level_after_the_break(club: Rules) -> None:
    """Twelve owed: all ten of level 3 and two of level 4."""
    night = given(club).later(minutes(16))
    night.do("clock.add", ms=-960_000)
    night.later(minutes(5))
    assert night.shown("level", "remaining_ms") == [4, 780_000]


def test_time_taken_off_the_last_level_stops_at_zero(club: Rules) -> None:
    """There is no level to carry into."""
    night = given(club)
    night.do("level.goto", level=5)
    night.do("clock.add", ms=-3_600_000)
    assert night.shown("level", "remaining_ms") == [5, 0]


def test_time_is_given_and_taken_during_a_pause_without_ending_it(club: Rules) -> None:
    """The room stands with the new time; what is taken carries, and still nothing runs."""
    night = given(club).later(minutes(4))
    night.do("clock.pause")
    night.do("clock.add", ms=60_000)
    night.later(minutes(5))
    assert night.shown("status", "level", "remaining_ms") == ["paused", 1, 420_000]
    night.do("clock.add", ms=-540_000)
    night.later(minutes(5))
    assert night.shown("status", "level", "remaining_ms") == ["paused", 2, 480_000]


def test_time_of_a_break_is_given_and_taken_too(club: Rules) -> None:
    """Two minutes more of the break, then one less."""
    night = given(club).later(minutes(21))
    night.do("clock.add", ms=120_000)
    assert night.shown("phase", "remaining_ms") == ["break", 360_000]
    night.do("clock.add", ms=-60_000)
    assert night.shown("phase", "remaining_ms", "ends_at") == ["break", 300_000, 1_560_000]


def test_time_left_is_set(club: Rules) -> None:
    """More or less than there was, in a level or on a break."""
    night = given(club).later(minutes(4))
    night.do("clock.set", remaining_ms=1_000)
    assert night.shown("level", "remaining_ms", "ends_at") == [1, 1_000, 241_000]
    night.do("clock.set", remaining_ms=1_800_000)
    assert night.shown("level", "remaining_ms") == [1, 1_800_000]
    night.later(minutes(41))
    assert night.clock()["phase"] == "break"
    night.do("clock.set", remaining_ms=60_000)
    night.later(minutes(1))
    assert night.shown("phase", "level", "remaining_ms") == ["level", 3, 600_000]


def test_time_left_set_to_zero_ends_the_level_at_that_instant(club: Rules) -> None:
    """Level 2 begins there and then, with its full time."""
    night = given(club).later(minutes(4))
    night.do("clock.set", remaining_ms=0)
    assert night.shown("level", "remaining_ms", "ends_at") == [2, 600_000, 840_000]


def test_time_left_set_during_a_pause_stands(club: Rules) -> None:
    """It runs when the room does."""
    night = given(club)
    night.do("clock.pause")
    night.do("clock.set", remaining_ms=90_000)
    night.later(minutes(5))
    assert night.shown("status", "remaining_ms") == ["paused", 90_000]
    night.do("clock.resume")
    night.later(seconds(90))
    assert night.clock()["level"] == 2


def test_break_without_a_length_runs_until_the_director_sets_its_time(club: Rules) -> None:
    """No end is shown before there is one; then it is kept."""
    night = given(club).later(minutes(50 + 45))
    assert night.shown("status", "phase", "remaining_ms", "ends_at", "colour_up") == [
        "running",
        "break",
        None,
        None,
        [100],
    ]
    assert night.refused("clock.add", ms=60_000) == "not_allowed"
    night.do("clock.set", remaining_ms=180_000)
    assert night.shown("remaining_ms", "ends_at") == [180_000, minutes(98)]
    night.later(minutes(3))
    assert night.shown("phase", "level", "remaining_ms") == ["level", 5, 600_000]


# ── moves in the structure ───────────────────────────────────────────────────────────────────────


def test_level_next_begins_the_next_step_with_its_full_time(club: Rules) -> None:
    """From level 1 to 2, into the break, out of it, from where each time is short."""
    night = given(club)
    for phase, level, left in (("level", 2, 10), ("break", 2, 5), ("level", 3, 10)):
        night.later(minutes(3))
        night.do("level.next")
        assert night.shown("phase", "level", "remaining_ms") == [phase, level, minutes(left)]
        assert night.clock()["ends_at"] == night.now + minutes(left)


def test_level_back_begins_the_step_before_with_its_full_time(club: Rules) -> None:
    """From level 3 to the break, to level 2, to level 1."""
    night = given(club).later(minutes(28))
    for phase, level, left in (("break", 2, 5), ("level", 2, 10), ("level", 1, 10)):
        night.do("level.back")
        assert night.shown("phase", "level", "remaining_ms") == [phase, level, minutes(left)]
        night.later(minutes(1))


def test_level_goto_begins_that_level_with_its_full_time(club: Rules) -> None:
    """Forwards over a break, backwards over it, and the current level once more."""
    night = given(club).later(minutes(4))
    for level, left in ((4, 15), (2, 10), (2, 10)):
        night.do("level.goto", level=level)
        assert night.shown("phase", "level", "remaining_ms") == ["level", level, minutes(left)]
        night.later(minutes(4))


@pytest.mark.parametrize(
    ("command", "args", "level"),
    [("level.next", {}, 3), ("level.back", {}, 2), ("level.goto", {"level": 4}, 4)],
)
def test_moves_out_of_a_break_leave_it(
    club: Rules, command: str, args: dict[str, int], level: int
) -> None:
    """From the break after level 2 every move leads to a level that is played."""
    night = given(club).later(minutes(21))
    night.do(command, **args)
    assert night.shown("phase", "level") == ["level", level]


def test_moves_before_the_start_set_where_the_clock_will_start(club: Rules) -> None:
    """The room still waits; then level 3 has all of its time."""
    night = given(club, started=False)
    night.do("level.goto", level=3)
    night.later(minutes(7))
    assert night.shown("status", "level", "remaining_ms") == ["waiting", 3, 600_000]
    night.do("clock.start")
    night.later(minutes(2))
    assert night.shown("status", "level", "remaining_ms") == ["running", 3, 480_000]


def test_moves_during_a_pause_do_not_end_it(club: Rules) -> None:
    """Level 2 stands with its full time."""
    night = given(club).later(minutes(4))
    night.do("clock.pause")
    night.do("level.next")
    night.later(minutes(4))
    assert night.shown("status", "level", "remaining_ms") == ["paused", 2, 600_000]


def test_move_out_of_a_called_break_ends_it(club: Rules) -> None:
    """The level that was interrupted is over as well, and does not come back."""
    night = given(club).later(minutes(4))
    night.do("break.call", minutes=15)
    night.do("level.next")
    assert night.shown("phase", "level", "remaining_ms") == ["level", 2, 600_000]
    night.later(minutes(10))
    assert night.shown("phase", "level", "remaining_ms") == ["break", 2, 300_000]


# ── breaks at the director's discretion ──────────────────────────────────────────────────────────


def test_called_break_stops_the_level_which_goes_on_after_it(club: Rules) -> None:
    """Six minutes of level 1 are left before the break and after it."""
    night = given(club).later(minutes(4))
    night.do("break.call", minutes=15)
    assert night.shown("status", "phase", "level", "remaining_ms") == [
        "running",
        "break",
        1,
        900_000,
    ]
    assert night.clock()["next"]["phase"] == "level"
    assert night.clock()["next"]["level"] == 1
    assert night.clock()["next_break_ms"] == 960_000
    night.later(minutes(15) - 1)
    assert night.clock()["phase"] == "break"
    night.later(1)
    assert night.shown("phase", "level", "remaining_ms", "ends_at") == [
        "level",
        1,
        360_000,
        1_500_000,
    ]


def test_called_break_that_is_ended_early_gives_the_level_back(club: Rules) -> None:
    """The same six minutes, ten minutes sooner."""
    night = given(club).later(minutes(4))
    night.do("break.call", minutes=15)
    night.later(minutes(5))
    night.do("break.end")
    assert night.shown("phase", "level", "remaining_ms") == ["level", 1, 360_000]
    night.later(minutes(6))
    assert night.clock()["level"] == 2


def test_called_break_without_minutes_lasts_until_it_is_ended(club: Rules) -> None:
    """Hours later the level still waits; `clock.set` would give the break an end."""
    night = given(club).later(minutes(4))
    night.do("break.call")
    night.later(minutes(180))
    assert night.shown("phase", "remaining_ms", "ends_at") == ["break", None, None]
    night.do("clock.set", remaining_ms=120_000)
    night.later(minutes(2))
    assert night.shown("phase", "level", "remaining_ms") == ["level", 1, 360_000]


def test_called_break_lets_hands_finish_and_none_begin(club: Rules) -> None:
    """The action clock of a hand in progress runs on during the break."""
    night = given(club, {1: 3})
    night.do("hand.start", table=1)
    night.do("action.start", table=1, seat=1)
    night.do("break.call", minutes=15)
    night.later(seconds(5))
    assert night.table(1)["action"]["remaining_ms"] == 15_000
    night.do("hand.end", table=1)
    assert night.refused("hand.start", table=1) == "on_break"
    night.do("break.end")
    night.do("hand.start", table=1)


def test_called_break_stands_while_the_room_is_paused(club: Rules) -> None:
    """Ten minutes of break are left after the pause, and then the level's six."""
    night = given(club).later(minutes(4))
    night.do("break.call", minutes=15)
    night.later(minutes(5))
    night.do("clock.pause")
    night.later(minutes(60))
    assert night.shown("status", "phase", "remaining_ms") == ["paused", "break", 600_000]
    night.do("clock.resume")
    night.later(minutes(10))
    assert night.shown("phase", "remaining_ms") == ["level", 360_000]


def test_scheduled_break_that_is_ended_begins_the_next_level_in_full(club: Rules) -> None:
    """Level 3 starts now."""
    night = given(club).later(minutes(22))
    night.do("break.end")
    assert night.shown("phase", "level", "remaining_ms", "ends_at") == [
        "level",
        3,
        600_000,
        1_920_000,
    ]


def test_break_without_a_length_is_ended_by_hand(club: Rules) -> None:
    """The break after level 4 has no end of its own."""
    night = given(club).later(minutes(70))
    night.do("break.end")
    assert night.shown("phase", "level", "remaining_ms") == ["level", 5, 600_000]
