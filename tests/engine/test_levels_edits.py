"""Structures that change or do not end: live edits, levels counted in hands, continuation levels.

The house of the edits: levels of 10 minutes, 100/200 and 200/400, a break of 5 minutes, 300/600,
a break without a length, 400/800.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.night import Night, given, minutes, rules_of, seconds

if TYPE_CHECKING:
    from server.engine import Rules

HEAD = 'name = "Club night"\nhouse = "The Club"\nregistration = { closes_at_level = 4 }\n'

CLUB = """
[structure]
minutes = 10
steps = [
  { small = 100, big = 200 },
  { small = 200, big = 400 },
  { phase = "break", minutes = 5 },
  { small = 300, big = 600 },
  { phase = "break" },
  { small = 400, big = 800 },
]
"""

COUNTED = """
[structure]
minutes = 10
steps = [
  { small = 100, big = 200, hands = 2 },
  { small = 200, big = 400, hands = 3 },
  { small = 300, big = 600 },
  { small = 400, big = 800, hands = 1 },
]
"""

ENDLESS = """
[structure]
minutes = 10
steps = [{ small = 100, big = 200 }, { small = 200, big = 400, ante = 400 }]
continuation = { small = 300, big = 500, ante = 500, minutes = 7 }
"""


def house(structure: str) -> Rules:
    """Give the rules of a club with a structure."""
    return rules_of(HEAD + structure)


@pytest.fixture
def club() -> Rules:
    """Give the club whose structure is edited."""
    return house(CLUB)


@pytest.fixture
def counted() -> Rules:
    """Give the club that counts hands: 2 in level 1, 3 in level 2, then time, then 1 for good."""
    return house(COUNTED)


@pytest.fixture
def endless() -> Rules:
    """Give the club whose levels go on and on."""
    return house(ENDLESS)


def level(small: int, **length: int) -> dict[str, int]:
    """Write a level for a command."""
    return {"small": small, "big": 2 * small, **length}


def play(night: Night, table: int, hands: int = 1) -> None:
    """Play hands at a table, ten seconds each."""
    for _ in range(hands):
        night.do("hand.start", table=table)
        night.later(seconds(10))
        night.do("hand.end", table=table)


# ── editing what is to come ──────────────────────────────────────────────────────────────────────


def test_longer_level_keeps_what_has_elapsed(club: Rules) -> None:
    """Four minutes of ten are gone; of twenty, sixteen are left."""
    night = given(club).later(minutes(14))
    night.do("structure.set", steps=[level(200, minutes=20), level(500, minutes=7)])
    assert night.shown("level", "remaining_ms", "ends_at") == [2, 960_000, minutes(30)]
    assert night.clock()["next"]["small"] == 500
    night.later(minutes(16))
    assert night.shown("level", "small", "big", "remaining_ms") == [3, 500, 1_000, 420_000]


def test_shorter_level_keeps_what_has_elapsed(club: Rules) -> None:
    """Four minutes are gone; of six, two are left."""
    night = given(club).later(minutes(14))
    night.do("structure.set", steps=[level(200, minutes=6), level(500, minutes=7)])
    assert night.shown("level", "remaining_ms") == [2, 120_000]


@pytest.mark.parametrize("length", [3, 4])
def test_level_shortened_to_what_has_elapsed_or_less_ends_at_once(club: Rules, length: int) -> None:
    """The next level begins there and then, with its full time."""
    night = given(club).later(minutes(14))
    night.do("structure.set", steps=[level(200, minutes=length), level(500, minutes=7)])
    assert night.shown("level", "small", "remaining_ms", "ends_at") == [
        3,
        500,
        420_000,
        minutes(21),
    ]


def test_past_is_frozen(club: Rules) -> None:
    """Back in level 1 the blinds and the length are what they were."""
    night = given(club).later(minutes(14))
    night.do("structure.set", steps=[level(250, minutes=20), level(500, minutes=20)])
    night.do("level.back")
    assert night.shown("level", "small", "big", "remaining_ms") == [1, 100, 200, 600_000]
    night.later(minutes(10))
    assert night.shown("level", "small", "big", "remaining_ms") == [2, 250, 500, 1_200_000]


def test_blinds_of_the_current_level_change_on_the_wall_and_not_in_the_hand(club: Rules) -> None:
    """The hand in progress keeps what it was dealt at; the next one takes the new blinds."""
    night = given(club, {1: 3})
    night.do("hand.start", table=1)
    night.do("structure.set", steps=[level(150), level(200)])
    assert night.shown("small", "big") == [150, 300]
    table = night.table(1)
    assert (table["small"], table["next_hand"]["small"]) == (100, 150)


def test_edit_changes_the_next_break_and_the_end_of_registration(club: Rules) -> None:
    """A level is put in before the break: ten minutes later, and level 4 comes sooner or later."""
    night = given(club).later(minutes(14))
    assert night.clock()["next_break_ms"] == 360_000
    night.do(
        "structure.set",
        steps=[level(200), level(300), {"phase": "break", "minutes": 5}, level(400)],
    )
    assert night.clock()["next_break_ms"] == 960_000
    assert night.event()["registration"]["closes_in_ms"] == 1_260_000


def test_edit_of_a_running_break_keeps_what_has_elapsed(club: Rules) -> None:
    """Two minutes of the break are gone; of fifteen, thirteen are left."""
    night = given(club).later(minutes(22))
    night.do("structure.set", steps=[{"phase": "break", "minutes": 15}, level(300)])
    assert night.shown("phase", "remaining_ms") == ["break", 780_000]


def test_length_given_to_a_break_without_one_keeps_what_has_elapsed(club: Rules) -> None:
    """Three minutes into the break it is said to be of ten: seven are left."""
    night = given(club).later(minutes(38))
    assert night.shown("phase", "remaining_ms") == ["break", None]
    night.do("structure.set", steps=[{"phase": "break", "minutes": 10}, level(400)])
    assert night.shown("phase", "remaining_ms") == ["break", 420_000]


def test_edit_during_a_pause_or_before_the_start_lets_nothing_run(club: Rules) -> None:
    """The new time stands."""
    night = given(club, started=False)
    night.do("structure.set", steps=[level(100, minutes=30), level(200)])
    night.later(minutes(5))
    assert night.shown("status", "remaining_ms") == ["waiting", 1_800_000]
    night.do("clock.start")
    night.later(minutes(5))
    night.do("clock.pause")
    night.do("structure.set", steps=[level(100, minutes=12), level(200)])
    night.later(minutes(5))
    assert night.shown("status", "remaining_ms") == ["paused", 420_000]


def test_edit_may_leave_the_current_level_as_the_last(club: Rules) -> None:
    """With nothing after it, the level stays at zero."""
    night = given(club).later(minutes(4))
    night.do("structure.set", steps=[level(100)])
    assert night.clock()["next"] is None
    night.later(minutes(60))
    assert night.shown("level", "remaining_ms") == [1, 0]


def test_edit_that_gives_time_back_lets_a_waiting_break_wait_no_more(club: Rules) -> None:
    """A break was due in a hand-for-hand hand; the level is made longer, and goes on."""
    night = given(club, {1: 2, 2: 2}).later(minutes(19))
    night.do("hand.start", table=1)
    night.do("h4h.announce")
    night.later(minutes(2))
    assert night.shown("status", "reason", "remaining_ms") == ["paused", "break_waits", 0]
    night.do("structure.set", steps=[level(200, minutes=20), level(300)])
    assert night.shown("status", "phase", "level", "remaining_ms") == [
        "running",
        "level",
        2,
        600_000,
    ]


# ── levels counted in hands ──────────────────────────────────────────────────────────────────────


def test_level_counted_in_hands_has_no_time(counted: Rules) -> None:
    """No end is shown, time does nothing, and what comes after it cannot be told."""
    night = given(counted, {1: 3, 2: 3}).later(minutes(300))
    assert night.shown("status", "level", "ends_at", "remaining_ms", "next_break_ms") == [
        "running",
        1,
        None,
        None,
        None,
    ]
    assert night.clock()["hands"] == {"each": 2, "tables_left": 2}


def test_level_counted_in_hands_ends_when_every_table_has_played_them(counted: Rules) -> None:
    """The last hand of the slowest table ends the level, at that instant."""
    night = given(counted, {1: 3, 2: 3})
    play(night, 1, 2)
    assert night.clock()["hands"] == {"each": 2, "tables_left": 1}
    play(night, 2)
    assert night.clock()["level"] == 1
    play(night, 2)
    assert night.shown("level", "small") == [2, 200]
    assert [event.at for event in night.events if event.name == "level.started"] == [40_000]


def test_table_that_has_played_its_hands_waits(counted: Rules) -> None:
    """Not a hand more in this level, and the next one when the others are through."""
    night = given(counted, {1: 3, 2: 3})
    play(night, 1, 2)
    assert night.refused("hand.start", table=1) == "not_allowed"
    play(night, 2, 2)
    night.do("hand.start", table=1)
    assert night.table(1)["level"] == 2


def test_timed_level_after_counted_ones_starts_with_its_full_time(counted: Rules) -> None:
    """Level 3 runs ten minutes from the last hand of level 2, after which level 4 counts again."""
    night = given(counted, {1: 3})
    play(night, 1, 5)
    assert night.shown("level", "remaining_ms", "ends_at") == [3, 600_000, 650_000]
    night.later(minutes(10))
    assert night.shown("level", "remaining_ms") == [4, None]


def test_hand_dealt_in_the_level_before_does_not_count(counted: Rules) -> None:
    """The director moved on in the middle of a hand: three hands of level 2 are still to play."""
    night = given(counted, {1: 3})
    night.do("hand.start", table=1)
    night.do("level.next")
    night.do("hand.end", table=1)
    play(night, 1, 2)
    assert night.clock()["level"] == 2
    play(night, 1)
    assert night.clock()["level"] == 3


def test_closed_table_is_not_waited_for(counted: Rules) -> None:
    """Table 2 breaks while table 1 is through: the level ends, and the next counts one table."""
    night = given(counted, {1: 3, 2: 1})
    play(night, 1, 2)
    night.do("seat.move", player="2-1", table=1, seat=4)
    night.do("table.close", table=2)
    assert night.clock()["level"] == 2
    assert night.clock()["hands"] == {"each": 3, "tables_left": 1}
    play(night, 1, 3)
    assert night.clock()["level"] == 3


def test_table_that_opens_is_waited_for(counted: Rules) -> None:
    """Its players pay as many rounds as all the others."""
    night = given(counted, {1: 3})
    play(night, 1)
    night.do("table.open", table=2)
    night.do("seat.put", player="late", table=2, seat=1)
    play(night, 1)
    assert night.clock()["hands"] == {"each": 2, "tables_left": 1}
    play(night, 2, 2)
    assert night.clock()["level"] == 2


@pytest.mark.parametrize("move", [("level.back", {}), ("level.goto", {"level": 1})])
def test_counted_level_that_is_played_again_has_all_of_its_hands(
    counted: Rules, move: tuple[str, dict[str, int]]
) -> None:
    """A move starts a level in full: two hands, and not none."""
    night = given(counted, {1: 3})
    play(night, 1, 2)
    night.do(move[0], **move[1])
    assert night.clock()["level"] == 1
    play(night, 1)
    assert night.clock()["level"] == 1
    play(night, 1)
    assert night.clock()["level"] == 2


def test_last_level_counted_in_hands_goes_on(counted: Rules) -> None:
    """There is nothing to wait for: the last level stays on the wall and hands are dealt."""
    night = given(counted, {1: 3})
    night.do("level.goto", level=4)
    play(night, 1)
    night.do("hand.start", table=1)
    assert night.table(1)["level"] == 4


def test_called_break_in_a_counted_level_comes_back_to_the_count(counted: Rules) -> None:
    """One hand was played before the break, one is left after it."""
    night = given(counted, {1: 3})
    play(night, 1)
    night.do("break.call", minutes=5)
    assert night.shown("phase", "remaining_ms") == ["break", 300_000]
    night.later(minutes(5) + 1)
    assert night.shown("phase", "level", "remaining_ms") == ["level", 1, None]
    play(night, 1)
    assert night.clock()["level"] == 2


def test_fewer_hands_than_have_been_played_end_the_level_at_once(counted: Rules) -> None:
    """Both tables have played two of three hands when it is made two."""
    night = given(counted, {1: 3, 2: 3})
    night.do("level.next")
    play(night, 1, 2)
    play(night, 2, 2)
    night.do("structure.set", steps=[level(200, hands=2), level(300)])
    assert night.shown("level", "remaining_ms") == [3, 600_000]


def test_more_hands_are_asked_of_every_table(counted: Rules) -> None:
    """Table 1 was through with two; of four it plays two more, and table 2 all four."""
    night = given(counted, {1: 3, 2: 3})
    play(night, 1, 2)
    night.do("structure.set", steps=[level(100, hands=4), level(200)])
    play(night, 1, 2)
    play(night, 2, 3)
    assert night.clock()["level"] == 1
    play(night, 2)
    assert night.clock()["level"] == 2


# ── levels beyond the table ──────────────────────────────────────────────────────────────────────


def test_continuation_levels_follow_the_last_written_one(endless: Rules) -> None:
    """200/400/400 goes on with 500/900/900 and 800/1,400/1,400, seven minutes each."""
    night = given(endless).later(minutes(10))
    following = night.clock()["next"]
    assert [following[key] for key in ("phase", "level", "small", "big", "ante", "minutes")] == [
        "level",
        3,
        500,
        900,
        900,
        7,
    ]
    night.later(minutes(10))
    assert night.shown("level", "small", "big", "ante", "remaining_ms") == [
        3,
        500,
        900,
        900,
        420_000,
    ]
    night.later(minutes(7))
    assert night.shown("level", "small", "big", "ante", "ends_at") == [
        4,
        800,
        1_400,
        1_400,
        minutes(34),
    ]


def test_continuation_never_has_a_last_level(endless: Rules) -> None:
    """Hours later the chain still hangs on the scheduled ends."""
    night = given(endless).later(minutes(20 + 70) + 1)
    assert night.shown("level", "remaining_ms") == [13, 419_999]
    assert "last_level" not in night.event()["notices"]
    assert night.clock()["next"]["level"] == 14


def test_director_moves_within_the_continuation(endless: Rules) -> None:
    """Level 12 is there to go to, and to come back from."""
    night = given(endless)
    night.do("level.goto", level=12)
    assert night.shown("level", "small", "remaining_ms") == [12, 3_200, 420_000]
    night.do("level.back")
    assert night.shown("level", "small") == [11, 2_900]


def test_time_taken_carries_through_the_continuation(endless: Rules) -> None:
    """Ten minutes of level 2, seven each of levels 3 and 4, and one of level 5."""
    night = given(endless).later(minutes(10) + 1)
    night.do("clock.add", ms=-minutes(25) + 1)
    assert night.shown("level", "remaining_ms") == [5, 360_000]


def test_structure_is_edited_within_the_continuation(endless: Rules) -> None:
    """Level 3 is made up and current; what is written from it on is what is played."""
    night = given(endless).later(minutes(22))
    night.do("structure.set", steps=[level(500, minutes=9), level(600, minutes=9)])
    assert night.shown("level", "remaining_ms") == [3, 420_000]
    night.later(minutes(7))
    assert night.shown("level", "small", "remaining_ms") == [4, 600, 540_000]
    night.later(minutes(9))
    assert night.shown("level", "small", "big") == [5, 900, 1_700]


def test_structure_that_would_end_on_a_break_is_refused_where_levels_go_on(endless: Rules) -> None:
    """There would be nothing to add to."""
    night = given(endless)
    steps = [level(100), {"phase": "break", "minutes": 5}]
    assert night.refused("structure.set", steps=steps) == "bad_value"
