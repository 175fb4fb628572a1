"""Selkirk Legion: the structure, the hard stop, entries and places, the consolation events (SL)."""

from __future__ import annotations

from typing import Any

import pytest

from server import presets
from tests.night import Night, given, minutes, seconds

MAIN, CONSOLATION = "selkirk-main", "selkirk-consolation"

BLINDS = [
    (100, 200),
    (200, 400),
    (300, 600),
    (400, 800),
    (500, 1_000),
    (1_000, 2_000),
    (1_500, 3_000),
    (2_000, 4_000),
    (3_000, 6_000),
    (4_000, 8_000),
    (5_000, 10_000),
    (8_000, 16_000),
    (10_000, 20_000),
    (15_000, 30_000),
    (20_000, 40_000),
    (25_000, 50_000),
    (30_000, 60_000),
    (40_000, 80_000),
]
REMOVED = {4: 100, 8: 500, 12: 1_000}
CONSOLATION_BLINDS = [
    (100, 200),
    (200, 400),
    (400, 800),
    (600, 1_200),
    (800, 1_600),
    (1_000, 2_000),
    (1_200, 2_400),
    (1_500, 3_000),
    (2_000, 4_000),
    (2_500, 5_000),
    (3_000, 6_000),
    (3_500, 7_000),
    (4_000, 8_000),
]
HARD_STOP = minutes(5 * 60 + 45)
"""From 7:00 p.m. to 12:45 a.m."""


def shown(night: Night, *keys: str) -> list[Any]:
    """Give some values of the clock."""
    clock = night.clock()
    return [clock[key] for key in keys]


def called(night: Night, *keys: str) -> list[Any]:
    """Give some values of the called clock of table 1."""
    found = night.table(1)["called"]
    return [found[key] for key in keys]


def filled(event: str, entries: int) -> Night:
    """Give a night with so many entries, ten to a table."""
    full, rest = divmod(entries, 10)
    tables = dict.fromkeys(range(1, full + 1), 10)
    return given(event, tables | ({full + 1: rest} if rest else {}))


# ── the structure ────────────────────────────────────────────────────────────────────────────────


def test_SL_S_levels_of_15_minutes_with_a_break_of_the_directors_after_every_fourth() -> None:
    """Sixteen levels and two more as required; no break ends before the director ends it."""
    night = given(MAIN)
    for level, (small, big) in enumerate(BLINDS, start=1):
        assert shown(night, "phase", "level", "small", "big", "ante", "remaining_ms") == [
            "level",
            level,
            small,
            big,
            0,
            900_000,
        ]
        night.later(minutes(15))
        if level in REMOVED:
            night.later(minutes(7))
            assert shown(night, "status", "phase", "level", "remaining_ms", "ends_at") == [
                "running",
                "break",
                level,
                None,
                None,
            ]
            night.do("break.end")
    assert night.clock()["next"] is None


def test_SL_S_the_director_sets_the_length_of_a_break() -> None:
    """An hour into the night the first break begins without an end; twelve minutes are given."""
    night = given(MAIN).later(minutes(63))
    assert shown(night, "phase", "level", "remaining_ms") == ["break", 4, None]
    night.do("clock.set", remaining_ms=minutes(12))
    assert shown(night, "remaining_ms", "ends_at") == [minutes(12), minutes(75)]
    night.later(minutes(12))
    assert shown(night, "phase", "level", "remaining_ms") == ["level", 5, 900_000]


def test_SL_S_levels_17_and_18_are_there_when_they_are_required() -> None:
    """25,000/50,000 goes on to 30,000/60,000 and 40,000/80,000, which is the last."""
    night = given(MAIN)
    night.do("level.goto", level=16)
    night.later(minutes(15))
    assert shown(night, "phase", "level", "small", "big") == ["level", 17, 30_000, 60_000]
    assert "last_level" not in night.event()["notices"]
    night.later(minutes(15))
    assert shown(night, "phase", "level", "small", "big") == ["level", 18, 40_000, 80_000]
    assert "last_level" in night.event()["notices"]


@pytest.mark.parametrize(("level", "chip"), REMOVED.items())
def test_SL_15_the_break_after_every_fourth_level_names_the_chip_to_remove(
    level: int, chip: int
) -> None:
    """100s after level 4, 500s after level 8, 1,000s after level 12, and only on the break."""
    night = given(MAIN)
    night.do("level.goto", level=level)
    assert night.clock()["colour_up"] == []
    assert night.clock()["next"]["phase"] == "break"
    assert night.clock()["next_break_ms"] == 900_000
    night.later(minutes(15))
    assert shown(night, "phase", "level", "colour_up") == ["break", level, [chip]]


def test_SL_15_the_next_break_is_four_levels_away() -> None:
    """An hour of playing time, from the start and again after each break."""
    night = given(MAIN)
    assert night.clock()["next_break_ms"] == minutes(60)
    night.later(minutes(70))
    assert shown(night, "phase", "next_break_ms") == ["break", minutes(60)]
    night.do("break.end")
    night.later(minutes(20))
    assert shown(night, "level", "next_break_ms") == [6, minutes(40)]


def test_SL_14_new_limits_apply_on_the_next_deal() -> None:
    """The hand in progress stays at 100/200; the next first riffle takes 200/400."""
    night = given(MAIN, {1: 4})
    night.do("hand.start", table=1)
    night.later(minutes(16))
    assert (night.clock()["big"], night.table(1)["big"]) == (400, 200)
    night.do("hand.end", table=1)
    night.do("hand.start", table=1)
    assert night.table(1)["big"] == 400


# ── a quarter to one ─────────────────────────────────────────────────────────────────────────────


def test_SL_9_the_screens_show_the_hard_stop_from_the_start() -> None:
    """The event begins at 7:00 p.m. and must end at 12:45 a.m., five hours and 45 minutes later."""
    assert presets.load(MAIN).start == 19 * 60
    assert given(MAIN).clock()["hard_stop_at"] == HARD_STOP


def test_SL_9_a_late_start_does_not_put_the_hard_stop_off() -> None:
    """It is a time of day."""
    night = given(MAIN, started=False).later(minutes(25))
    night.do("clock.start")
    assert night.clock()["hard_stop_at"] == HARD_STOP


def test_SL_9_a_pause_does_not_put_the_hard_stop_off() -> None:
    """However long the room stood, play ends at 12:45."""
    night = given(MAIN)
    night.do("clock.pause")
    night.later(minutes(60))
    night.do("clock.resume")
    night.do("level.goto", level=18)
    night.later(HARD_STOP - night.now)
    assert shown(night, "status", "reason") == ["paused", "hard_stop"]


def test_SL_9_a_start_that_is_put_off_does_not_put_the_hard_stop_off() -> None:
    """Scheduled for half past seven instead of seven, play still ends at 12:45 a.m."""
    night = given(MAIN, started=False)
    night.do("event.schedule", starts_at=minutes(30))
    assert night.clock()["hard_stop_at"] == HARD_STOP


def test_SL_9_a_pause_that_lasts_past_the_hard_stop_does_not_lift_it() -> None:
    """The director ends a pause that was called at 12:40: the room is not to be dealt again."""
    night = given(MAIN, {1: 4})
    night.do("level.goto", level=17)
    night.later(HARD_STOP - minutes(5))
    night.do("clock.pause", reason="Dispute")
    night.later(minutes(6))
    night.do("clock.resume")
    assert shown(night, "status", "reason") == ["paused", "hard_stop"]
    assert night.refused("hand.start", table=1) == "not_allowed"


def test_SL_9_a_clock_started_after_the_hard_stop_shows_no_more_than_its_level() -> None:
    """Started a quarter of an hour too late, level 1 stands with its 15 minutes and not with 30."""
    night = given(MAIN, started=False).later(HARD_STOP + minutes(15))
    night.do("clock.start")
    night.later(seconds(1))
    assert night.clock()["remaining_ms"] <= 900_000


def test_SL_9_the_director_is_warned_before_it() -> None:
    """Not yet at midnight less a quarter, but in the last minutes, and when it has come."""
    night = given(MAIN).later(HARD_STOP - minutes(60))
    assert "hard_stop" not in night.event()["notices"]
    night.later(minutes(55))
    assert "hard_stop" in night.event()["notices"]
    night.later(minutes(10))
    assert "hard_stop" in night.event()["notices"]


def test_SL_9_play_ends_at_the_hard_stop() -> None:
    """The level clock stands for good and no hand is dealt any more."""
    night = given(MAIN, {1: 4})
    night.do("level.goto", level=17)
    night.do("clock.set", remaining_ms=HARD_STOP + 60_000)
    night.later(HARD_STOP - 1)
    assert shown(night, "status", "remaining_ms") == ["running", 60_001]
    night.later(1)
    assert shown(night, "status", "level", "remaining_ms", "ends_at") == [
        "paused",
        17,
        60_000,
        None,
    ]
    night.later(minutes(60))
    assert shown(night, "status", "level", "remaining_ms") == ["paused", 17, 60_000]
    assert night.refused("hand.start", table=1) == "not_allowed"


def test_SL_9_the_hand_in_progress_is_finished() -> None:
    """Its clock goes on after the level clock has stopped."""
    night = given(MAIN, {1: 4})
    night.do("level.goto", level=17)
    night.later(HARD_STOP - seconds(5))
    night.do("hand.start", table=1)
    night.do("called.start", table=1, seat=4)
    night.later(seconds(15))
    assert called(night, "status", "remaining_ms") == ["running", 15_000]
    night.do("hand.end", table=1)
    assert night.refused("hand.start", table=1) == "not_allowed"


def test_SL_9_no_hand_is_dealt_when_the_hard_stop_came_during_a_break() -> None:
    """The break may end; play does not begin again."""
    night = given(MAIN, {1: 4})
    night.do("level.goto", level=12)
    night.later(HARD_STOP + minutes(5))
    assert night.clock()["phase"] == "break"
    assert "hard_stop" in night.event()["notices"]
    night.do("break.end")
    assert night.clock()["status"] == "paused"
    assert night.refused("hand.start", table=1) == "not_allowed"


# ── the button, entries and places ───────────────────────────────────────────────────────────────


@pytest.mark.parametrize("event", [MAIN, CONSOLATION])
def test_SL_12_the_button_starts_in_position_1_and_moves_clockwise(event: str) -> None:
    """On each table, whoever else sits there."""
    night = given(event, {1: 8})
    for button in (1, 2, 3):
        night.do("hand.start", table=1)
        assert night.table(1)["hand"]["button"] == button
        night.do("hand.end", table=1)


def test_SL_12_the_button_of_every_table_starts_in_its_own_position_1() -> None:
    """The second table does not go on where the first one is."""
    night = given(MAIN, {1: 6, 2: 6})
    for table in (1, 1, 2):
        night.do("hand.start", table=table)
    assert [night.table(table)["hand"]["button"] for table in (1, 2)] == [2, 1]


def test_SL_E_late_entry_is_open_through_the_first_break_to_the_start_of_level_5() -> None:
    """When that will be is known once the director has set the break."""
    night = given(MAIN)
    assert night.event()["registration"] == {
        "open": True,
        "closes_at_level": 5,
        "closes_in_ms": None,
    }
    night.later(minutes(65))
    assert night.clock()["phase"] == "break"
    assert night.event()["registration"]["open"] is True
    night.do("clock.set", remaining_ms=minutes(10))
    assert night.event()["registration"]["closes_in_ms"] == minutes(10)
    night.later(minutes(10) - 1)
    assert night.event()["registration"]["open"] is True
    night.later(1)
    assert night.clock()["level"] == 5
    assert night.event()["registration"]["open"] is False


def test_SL_E_15_000_chips_each_at_tables_of_ten() -> None:
    """Twelve full tables are 120 players and 1,800,000 chips."""
    night = filled(MAIN, 120)
    field = night.event()["field"]
    assert (field["entries"], field["tables"]) == (120, 12)
    assert (field["chips_in_play"], field["average_stack"]) == (1_800_000, 15_000)
    assert night.refused("seat.put", player="one more", table=12, seat=11) == "bad_value"


def test_SL_P_the_places_paid_follow_the_bands_of_the_payout_table() -> None:
    """Two places up to 15 players, three to 25, and so on to thirteen for 111 to 120."""
    rules = presets.load(MAIN)
    bands = [(15, 2), (25, 3), (35, 4), (45, 5), (55, 6), (65, 7), (75, 8), (85, 9), (95, 10)]
    bands += [(100, 11), (110, 12), (120, 13)]
    expected = [next(paid for most, paid in bands if n <= most) for n in range(2, 121)]
    assert [rules.places_paid(n) for n in range(2, 121)] == expected


@pytest.mark.parametrize(
    ("entries", "to_money"),
    [(15, 13), (16, 13), (26, 22), (95, 85), (96, 85), (100, 89), (101, 89), (111, 98)],
)
def test_SL_P_the_distance_to_the_money_counts_the_places_paid(entries: int, to_money: int) -> None:
    """With nobody out yet it is the entries less the places of their band."""
    assert filled(MAIN, entries).event()["field"]["to_money"] == to_money


@pytest.mark.parametrize(
    ("first", "second", "places"),
    [
        (4_000, 9_000, {"1-1": (8, 1), "1-2": (7, 1)}),
        (9_000, 4_000, {"1-1": (7, 1), "1-2": (8, 1)}),
        (4_000, 4_000, {"1-1": (7, 2), "1-2": (7, 2)}),
    ],
)
def test_SL_38_of_two_who_go_broke_on_one_hand_the_larger_stack_finishes_higher(
    first: int, second: int, places: dict[str, tuple[int, int]]
) -> None:
    """With the same amount they are tied and share equally."""
    night = given(MAIN, {1: 8})
    night.do("hand.start", table=1)
    night.do("player.bust", player="1-1", stack=first)
    night.do("player.bust", player="1-2", stack=second)
    finishes = night.event()["field"]["finishes"]
    assert {f["player"]: (f["place"], f["shared"]) for f in finishes} == places


# ── the consolation sit-and-gos ──────────────────────────────────────────────────────────────────


def test_SL_K_levels_of_15_minutes_go_on_by_500_and_1_000_without_a_break() -> None:
    """Ten written levels, then 3,000/6,000, 3,500/7,000 and so on, without end."""
    night = given(CONSOLATION)
    for level, (small, big) in enumerate(CONSOLATION_BLINDS, start=1):
        assert shown(night, "phase", "level", "small", "big", "ante") == [
            "level",
            level,
            small,
            big,
            0,
        ]
        assert shown(night, "remaining_ms", "next_break_ms") == [900_000, None]
        night.later(minutes(15))
    assert "last_level" not in night.event()["notices"]


def test_SL_K_one_table_of_at_most_ten_with_5_000_each_pays_two_places() -> None:
    """Ten players, 50,000 chips, eight to go before the money, and nobody else enters."""
    night = given(CONSOLATION, {1: 10})
    field = night.event()["field"]
    assert (field["chips_in_play"], field["to_money"]) == (50_000, 8)
    assert night.event()["registration"]["open"] is False
    assert night.refused("seat.put", player="eleventh", table=1, seat=11) == "bad_value"


def test_SL_K_a_consolation_runs_beside_the_main_event_on_a_clock_of_its_own() -> None:
    """It starts two hours later, and a pause of the one is no pause of the other."""
    main = given(MAIN).later(minutes(20))
    other = given(CONSOLATION).later(minutes(5))
    main.do("clock.pause")
    main.later(minutes(3))
    other.later(minutes(3))
    assert shown(main, "status", "level", "remaining_ms") == ["paused", 2, minutes(10)]
    assert shown(other, "status", "level", "remaining_ms") == ["running", 1, minutes(7)]
