"""The Star Brisbane: its two events, another day, hand-for-hand, the latch, places (SB)."""

from __future__ import annotations

from typing import Any

import pytest

from server import presets
from tests.night import Night, given, minutes, seconds

FRIDAY, SATURDAY = "star-brisbane-friday", "star-brisbane-saturday"
BOTH = pytest.mark.parametrize("event", [FRIDAY, SATURDAY])

BLINDS = [
    (100, 100),
    (100, 200),
    (200, 300),
    (200, 400),
    (300, 500),
    (300, 600),
    (400, 800),
    (500, 1_000),
    (600, 1_200),
    (800, 1_600),
    (1_000, 2_000),
    (1_500, 2_500),
    (1_500, 3_000),
    (2_000, 4_000),
    (3_000, 6_000),
    (4_000, 8_000),
    (5_000, 10_000),
    (6_000, 12_000),
    (10_000, 15_000),
    (10_000, 20_000),
    (15_000, 30_000),
    (20_000, 40_000),
    (25_000, 50_000),
    (30_000, 60_000),
    (40_000, 80_000),
    (50_000, 100_000),
]
FRIDAY_BREAKS = {6: 30, 12: 15, 18: 15, 24: 15}
SATURDAY_BREAKS = {5: 15, 10: 15, 16: 30, 22: 15}


def shown(night: Night, *keys: str) -> list[Any]:
    """Give some values of the clock."""
    clock = night.clock()
    return [clock[key] for key in keys]


def filled(event: str, entries: int) -> Night:
    """Give a night with so many entries, nine to a table."""
    full, rest = divmod(entries, 9)
    tables = dict.fromkeys(range(1, full + 1), 9)
    return given(event, tables | ({full + 1: rest} if rest else {}))


def places(night: Night) -> dict[str, tuple[int, int]]:
    """Give the place of everybody who is out, and how many share it."""
    finishes = night.event()["field"]["finishes"]
    return {finish["player"]: (finish["place"], finish["shared"]) for finish in finishes}


# ── the events ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("event", "breaks"), [(FRIDAY, FRIDAY_BREAKS), (SATURDAY, SATURDAY_BREAKS)]
)
def test_SB_FRI_SB_SAT_all_26_levels_and_the_breaks_come_on_time(
    event: str, breaks: dict[int, int]
) -> None:
    """Every level lasts 20 minutes, its ante is the big blind, and the breaks are in place."""
    night = given(event)
    at = 0
    for level, (small, big) in enumerate(BLINDS, start=1):
        night.later(minutes(at) - night.now)
        assert shown(night, "phase", "level", "small", "big", "ante") == [
            "level",
            level,
            small,
            big,
            big,
        ]
        assert night.clock()["remaining_ms"] == 1_200_000
        at += 20
        if level in breaks:
            night.later(minutes(at) - night.now)
            assert shown(night, "phase", "level") == ["break", level]
            assert night.clock()["remaining_ms"] == minutes(breaks[level])
            at += breaks[level]
    assert night.clock()["next"] is None
    assert "last_level" in night.event()["notices"]
    assert at == 26 * 20 + 75


def test_SB_FRI_starts_at_half_past_five_with_25_000_and_no_action_clock() -> None:
    """The Friday Freezeout is played without an action clock."""
    rules = presets.load(FRIDAY)
    night = given(FRIDAY, {1: 9})
    assert rules.start == 17 * 60 + 30
    assert night.event()["name"] == "Friday Freezeout"
    assert night.event()["field"]["chips_in_play"] == 225_000
    assert night.event()["action_clock"] is None
    assert night.table(1)["seats"]["1"]["bank"] == 0
    assert night.refused("action.start", table=1, seat=1) == "not_allowed"


def test_SB_SAT_starts_at_half_past_twelve_with_40_000_and_its_action_clock() -> None:
    """The Saturday Shot Clock: 20 seconds, four chips of 20 seconds."""
    rules = presets.load(SATURDAY)
    night = given(SATURDAY, {1: 9})
    assert rules.start == 12 * 60 + 30
    assert night.event()["name"] == "Saturday Shot Clock"
    assert night.event()["field"]["chips_in_play"] == 360_000
    clock = night.event()["action_clock"]
    assert (clock["seconds"], clock["chips"], clock["chip_seconds"]) == (20, 4, 20)
    assert clock["streets"] == {"preflop": 20, "flop": 20, "turn": 20, "river": 20}


@pytest.mark.parametrize(
    ("event", "level", "closes"),
    [
        (FRIDAY, 7, 6 * 20 + 30),
        (SATURDAY, 11, 10 * 20 + 15 + 15),
    ],
)
def test_SB_FRI_SB_SAT_late_entry_ends_at_the_start_of_its_level(
    event: str, level: int, closes: int
) -> None:
    """It is open through the break before that level, and not a millisecond longer."""
    night = given(event)
    registration = night.event()["registration"]
    assert registration == {
        "open": True,
        "closes_at_level": level,
        "closes_in_ms": minutes(closes),
    }
    night.later(minutes(closes) - 1)
    assert night.clock()["phase"] == "break"
    assert night.event()["registration"]["open"] is True
    night.later(1)
    assert night.clock()["level"] == level
    assert night.event()["registration"]["open"] is False


# ── another day ──────────────────────────────────────────────────────────────────────────────────


@BOTH
def test_SB_1d_play_is_suspended_and_comes_back_next_day_exactly(event: str) -> None:
    """Same table, same seat, and the clock goes on where it stood fourteen hours before."""
    night = given(event, {1: 5, 2: 4}).later(minutes(47) + 321)
    before = [night.table(1)["seats"], night.table(2)["seats"]]
    wall = shown(night, "phase", "level", "small", "big", "ante", "remaining_ms", "next")
    night.do("event.suspend")
    night.later(minutes(14 * 60))
    assert night.clock()["status"] == "suspended"
    assert shown(night, "phase", "level", "small", "big", "ante", "remaining_ms", "next") == wall
    night.do("event.resume")
    assert shown(night, "phase", "level", "small", "big", "ante", "remaining_ms", "next") == wall
    assert [night.table(1)["seats"], night.table(2)["seats"]] == before
    assert shown(night, "status", "level", "remaining_ms") == ["running", 3, 779_679]
    night.later(779_679)
    assert shown(night, "level", "remaining_ms") == [4, 1_200_000]


def test_SB_1d_chips_and_a_running_action_clock_stand_overnight() -> None:
    """Nobody loses a time-bank chip to the night."""
    night = given(SATURDAY, {1: 3})
    night.do("action.start", table=1, seat=2)
    night.later(seconds(35))
    night.do("event.suspend")
    night.later(minutes(14 * 60))
    night.do("event.resume")
    action, seat = night.table(1)["action"], night.table(1)["seats"]["2"]
    assert (action["seat"], action["remaining_ms"], seat["bank"]) == (2, 5_000, 3)


def test_SB_1d_no_hand_is_dealt_while_play_is_suspended() -> None:
    """Time was called."""
    night = given(FRIDAY, {1: 3})
    night.do("event.suspend")
    assert night.refused("hand.start", table=1) == "not_running"


# ── hand-for-hand ────────────────────────────────────────────────────────────────────────────────


def bubble(event: str, remaining: int) -> Night:
    """Give two tables that hold in hand-for-hand, with so much left of level 1."""
    night = given(event, {1: 5, 2: 5})
    night.do("clock.set", remaining_ms=remaining)
    night.do("h4h.announce", reason="Bubble")
    return night


def finish_hand(night: Night) -> None:
    """Let both tables finish their hand."""
    night.do("h4h.done", table=1)
    night.do("h4h.done", table=2)


@BOTH
@pytest.mark.parametrize("took", [seconds(20), minutes(1), minutes(3), minutes(11)])
def test_SB_19_every_hand_costs_three_minutes_whatever_it_took(event: str, took: int) -> None:
    """From 20:00 a hand leaves 17:00, and the next one 14:00."""
    night = bubble(event, minutes(20))
    for left in (17, 14):
        night.do("h4h.next")
        night.later(took)
        finish_hand(night)
        assert shown(night, "status", "remaining_ms") == ["paused", minutes(left)]


def test_SB_19_the_clock_runs_while_the_hand_is_played_and_stops_at_three_minutes() -> None:
    """Two minutes in it has run two minutes; at three it stands, until the next hand starts."""
    night = bubble(FRIDAY, minutes(20))
    night.do("h4h.next")
    night.later(minutes(2))
    assert shown(night, "status", "remaining_ms") == ["running", minutes(18)]
    night.later(minutes(1))
    assert shown(night, "status", "remaining_ms", "ends_at") == ["paused", minutes(17), None]
    night.later(minutes(4))
    finish_hand(night)
    night.later(minutes(4))
    assert shown(night, "status", "remaining_ms") == ["paused", minutes(17)]
    night.do("h4h.next")
    night.later(seconds(10))
    assert shown(night, "status", "remaining_ms") == ["running", minutes(17) - seconds(10)]


def test_SB_19_the_clock_stands_between_the_hands() -> None:
    """The room waits for the director, and that costs nobody anything."""
    night = bubble(FRIDAY, minutes(20))
    night.later(minutes(30))
    assert shown(night, "status", "remaining_ms") == ["paused", minutes(20)]


def test_SB_19_the_announced_hand_runs_on_until_it_is_over_everywhere() -> None:
    """Only hands that are released cost three minutes."""
    night = given(FRIDAY, {1: 5, 2: 5})
    night.do("hand.start", table=1)
    night.do("h4h.announce")
    assert night.event()["h4h"]["status"] == "announced"
    assert night.event()["h4h"]["tables"] == {"1": "playing", "2": "done"}
    night.later(minutes(5))
    assert shown(night, "status", "remaining_ms") == ["running", minutes(15)]
    night.do("hand.end", table=1)
    assert night.event()["h4h"]["status"] == "holding"
    assert shown(night, "status", "remaining_ms") == ["paused", minutes(15)]


def test_SB_19_blinds_rise_as_the_time_passes_within_a_hand() -> None:
    """With a minute left, level 2 comes in the middle of the hand and keeps 18 of its minutes."""
    night = bubble(FRIDAY, minutes(1))
    night.do("h4h.next")
    night.do("hand.start", table=1)
    night.later(minutes(1))
    assert shown(night, "level", "remaining_ms") == [2, minutes(20)]
    assert night.table(1)["level"] == 1
    night.later(minutes(5))
    assert shown(night, "level", "remaining_ms") == [2, minutes(18)]


def test_SB_19_what_a_short_hand_still_costs_carries_into_the_next_level() -> None:
    """A hand of 30 seconds with a minute left: 30 seconds of level 1 and two minutes of level 2."""
    night = bubble(FRIDAY, minutes(1))
    night.do("h4h.next")
    night.later(seconds(30))
    finish_hand(night)
    assert shown(night, "level", "remaining_ms") == [2, minutes(18)]


def test_SB_19_a_break_waits_for_the_hand_and_is_not_eaten_by_its_cost() -> None:
    """A minute of level 6 is left: the break is whole, and level 7 pays the other two."""
    night = given(FRIDAY, {1: 5, 2: 5})
    night.do("level.goto", level=6)
    night.do("clock.set", remaining_ms=60_000)
    night.do("h4h.announce")
    night.do("h4h.next")
    night.later(minutes(2))
    assert shown(night, "status", "phase", "level", "remaining_ms") == ["paused", "level", 6, 0]
    finish_hand(night)
    assert shown(night, "phase", "remaining_ms") == ["break", minutes(30)]
    night.later(minutes(30) + 1)
    assert shown(night, "phase", "level", "remaining_ms") == ["level", 7, minutes(18)]


def test_SB_19_a_hand_that_ends_a_level_to_the_millisecond_leaves_the_next_one_whole() -> None:
    """With three minutes left, the three minutes are those of level 1."""
    night = bubble(FRIDAY, minutes(3))
    night.do("h4h.next")
    night.later(minutes(5))
    finish_hand(night)
    assert shown(night, "level", "remaining_ms") == [2, minutes(20)]


def test_SB_30_an_all_in_stays_face_down_until_the_other_tables_have_finished() -> None:
    """Its board may not be run before, and the hand is over only after it."""
    night = bubble(FRIDAY, minutes(20))
    night.do("h4h.next")
    night.do("h4h.all_in", table=1)
    assert night.event()["h4h"]["tables"] == {"1": "all_in", "2": "playing"}
    assert night.refused("h4h.runout", table=1) == "not_allowed"
    assert night.refused("h4h.done", table=1) == "not_allowed"
    night.do("h4h.done", table=2)
    assert night.event()["h4h"]["status"] == "playing"
    night.do("h4h.runout", table=1)
    assert night.event()["h4h"]["tables"]["1"] == "runout"
    night.do("h4h.done", table=1)
    assert night.event()["h4h"]["status"] == "holding"


def test_SB_30_the_board_of_an_all_in_is_not_run_by_ending_the_hand_either() -> None:
    """A dealer who tracks the hand cannot end it while the cards are face down."""
    night = bubble(FRIDAY, minutes(20))
    night.do("h4h.next")
    night.do("hand.start", table=1)
    night.do("h4h.all_in", table=1)
    assert night.refused("hand.end", table=1) == "not_allowed"
    night.do("h4h.done", table=2)
    night.do("h4h.runout", table=1)
    night.do("hand.end", table=1)
    assert night.event()["h4h"]["status"] == "holding"


# ── the latch ────────────────────────────────────────────────────────────────────────────────────


@BOTH
def test_SB_20_new_blinds_apply_from_the_next_deal(event: str) -> None:
    """The wall says level 2, the hand in progress is level 1, the next deal is level 2."""
    night = given(event, {1: 3})
    night.do("hand.start", table=1)
    night.later(minutes(21))
    assert shown(night, "level", "small", "big") == [2, 100, 200]
    table = night.table(1)
    assert [table[key] for key in ("level", "small", "big", "ante")] == [1, 100, 100, 100]
    assert table["next_hand"] == {"level": 2, "small": 100, "big": 200, "ante": 200}
    night.do("hand.end", table=1)
    night.do("hand.start", table=1)
    table = night.table(1)
    assert [table[key] for key in ("level", "small", "big", "ante")] == [2, 100, 200, 200]
    assert table["next_hand"] is None


def test_SB_20_a_deal_at_the_very_end_of_a_level_is_still_of_that_level() -> None:
    """What is commanded at an instant is decided before what is due at it."""
    night = given(FRIDAY, {1: 3}).later(minutes(20))
    night.do("hand.start", table=1)
    assert (night.clock()["level"], night.table(1)["level"]) == (2, 1)


# ── places ───────────────────────────────────────────────────────────────────────────────────────


def test_SB_18_busts_of_one_hand_on_different_tables_share_the_places() -> None:
    """Whoever had more: ninth and tenth are shared equally."""
    night = bubble(FRIDAY, minutes(20))
    night.do("h4h.next")
    night.do("player.bust", player="1-1", stack=5_000)
    night.do("player.bust", player="2-1", stack=9_000)
    assert places(night) == {"1-1": (9, 2), "2-1": (9, 2)}


@pytest.mark.parametrize("hand_for_hand", [True, False])
@pytest.mark.parametrize("order", [("1-1", "1-2"), ("1-2", "1-1")])
def test_SB_18_on_one_table_the_larger_stack_places_higher(
    hand_for_hand: bool, order: tuple[str, str]
) -> None:
    """In whatever order the dealer reports them, 9,000 is ninth and 5,000 is tenth."""
    night = given(FRIDAY, {1: 5, 2: 5})
    if hand_for_hand:
        night.do("h4h.announce")
        night.do("h4h.next")
    night.do("hand.start", table=1)
    stacks = {"1-1": 5_000, "1-2": 9_000}
    for player in order:
        night.do("player.bust", player=player, stack=stacks[player])
    assert places(night) == {"1-2": (9, 1), "1-1": (10, 1)}


def test_SB_18_busts_of_different_hands_do_not_share() -> None:
    """A hand later is a place better."""
    night = bubble(FRIDAY, minutes(20))
    night.do("h4h.next")
    night.do("player.bust", player="1-1", stack=5_000)
    finish_hand(night)
    night.do("h4h.next")
    night.do("player.bust", player="2-1", stack=1_000)
    assert places(night) == {"1-1": (10, 1), "2-1": (9, 1)}


def test_SB_18_a_bust_elsewhere_in_between_does_not_change_who_had_more_on_one_table() -> None:
    """Two go in one hand of table 1; table 2's bust is told between them."""
    night = given(FRIDAY, {1: 5, 2: 5})
    night.do("hand.start", table=1)
    night.do("hand.start", table=2)
    night.do("player.bust", player="1-2", stack=9_000)
    night.do("player.bust", player="2-1", stack=7_000)
    night.do("player.bust", player="1-1", stack=5_000)
    found = places(night)
    assert found["1-2"][0] < found["1-1"][0]


@BOTH
def test_SB_3_one_place_more_is_paid_for_every_eight_entrants(event: str) -> None:
    """Appendix a: 2 to 8 pay one place, 9 to 16 two, and so on to 25 for 193 to 200."""
    rules = presets.load(event)
    paid = [rules.places_paid(entries) for entries in range(2, 201)]
    assert paid == [1] * 7 + [places for places in range(2, 26) for _ in range(8)]


@pytest.mark.parametrize(
    ("entries", "to_money"), [(8, 7), (9, 7), (16, 14), (17, 14), (100, 87), (193, 168), (200, 175)]
)
def test_SB_3_the_distance_to_the_money_counts_the_places_paid(entries: int, to_money: int) -> None:
    """With nobody out yet it is the entries less the places of their band."""
    assert filled(FRIDAY, entries).event()["field"]["to_money"] == to_money


def test_SB_3_the_distance_to_the_money_shrinks_with_every_bust_to_none() -> None:
    """Nine entrants pay two places: six busts later one must still go, then nobody."""
    night = filled(FRIDAY, 9)
    for player in range(1, 7):
        night.do("player.bust", player=f"1-{player}")
    assert night.event()["field"]["to_money"] == 1
    night.do("player.bust", player="1-7")
    assert night.event()["field"]["to_money"] == 0
    night.do("player.bust", player="1-8")
    assert night.event()["field"]["to_money"] == 0


def test_SB_3_a_re_entry_is_an_entry_of_its_own() -> None:
    """The ninth entry of the same eight people pays a second place."""
    night = filled(SATURDAY, 8)
    night.do("player.bust", player="1-8")
    night.do("seat.put", player="1-8", table=1, seat=8)
    field = night.event()["field"]
    assert (field["entries"], field["left"], field["to_money"]) == (9, 8, 6)
