"""HP: a home game plays by HomePokerTourney's rulebook."""

import pytest

from tests.night import Night, given, minutes, seconds

HOUSE = "home-poker-tourney"
BLINDS = [
    (10, 20),
    (15, 30),
    (20, 40),
    (25, 50),
    (50, 100),
    (75, 150),
    (100, 200),
    (150, 300),
    (200, 400),
    (300, 600),
    (400, 800),
    (500, 1_000),
    (600, 1_200),
    (800, 1_600),
    (1_000, 2_000),
]


def finishes(night: Night) -> dict[str, tuple[int, int]]:
    """Give the place of every player who is out, and how many share from that place on."""
    found = night.event()["field"]["finishes"]
    return {finish["player"]: (finish["place"], finish["shared"]) for finish in found}


# ── HP-S: the T1000 schedule ─────────────────────────────────────────────────────────────────────


def test_HP_S_fifteen_levels_of_twenty_minutes() -> None:
    """The clock goes through all fifteen pairs of blinds, twenty minutes each, without an ante."""
    night = given(HOUSE, {1: 4})
    seen = []
    for _ in BLINDS:
        clock = night.clock()
        assert clock["phase"] == "level"
        assert (clock["remaining_ms"], clock["ante"]) == (minutes(20), 0)
        seen.append((clock["level"], clock["small"], clock["big"]))
        night.later(minutes(20))
    assert seen == [(level, *blinds) for level, blinds in enumerate(BLINDS, start=1)]


def test_HP_S_the_fifteenth_level_is_the_last_and_has_no_next() -> None:
    """At 1,000/2,000 nothing follows, and the blinds stay when its time is over."""
    night = given(HOUSE, {1: 4})
    night.later(minutes(14 * 20))
    assert night.clock()["next"] is None
    assert "last_level" in night.event()["notices"]
    night.later(minutes(45))
    clock = night.clock()
    assert (clock["level"], clock["small"], clock["big"]) == (15, 1_000, 2_000)
    assert clock["remaining_ms"] == 0


def test_HP_S_no_break_is_scheduled() -> None:
    """Breaks are the director's, so no break is announced."""
    night = given(HOUSE, {1: 4})
    assert night.clock()["next_break_ms"] is None
    assert night.clock()["next"]["phase"] == "level"


# ── HP-T: the timer ──────────────────────────────────────────────────────────────────────────────


def test_HP_T_the_timer_restarts_at_once() -> None:
    """At 20:00 the timer shows 20:00 of level 2, and it runs; a late look changes nothing."""
    night = given(HOUSE, {1: 4})
    night.later(minutes(20) - 1)
    assert (night.clock()["level"], night.clock()["remaining_ms"]) == (1, 1)
    night.later(1)
    clock = night.clock()
    assert (clock["level"], clock["status"], clock["remaining_ms"]) == (2, "running", minutes(20))
    night.later(seconds(7))
    assert night.clock()["ends_at"] == minutes(40)


def test_HP_T_the_next_hand_is_dealt_at_the_new_level() -> None:
    """The hand in play when the timer expires stays at 10/20; the next is dealt at 15/30."""
    night = given(HOUSE, {1: 4})
    night.later(minutes(19))
    night.do("hand.start", table=1)
    night.later(minutes(2))
    assert (night.table(1)["small"], night.table(1)["big"]) == (10, 20)
    assert night.table(1)["next_hand"] == {"level": 2, "small": 15, "big": 30, "ante": 0}
    night.do("hand.end", table=1)
    night.do("hand.start", table=1)
    assert (night.table(1)["small"], night.table(1)["big"]) == (15, 30)


def test_HP_T_a_hand_is_in_play_from_the_riffle_on() -> None:
    """Riffled a millisecond before the end it is of level 1, a millisecond after of level 2."""
    night = given(HOUSE, {1: 4, 2: 4})
    night.later(minutes(20) - 1)
    night.do("hand.start", table=1)
    night.later(2)
    night.do("hand.start", table=2)
    assert (night.table(1)["level"], night.table(2)["level"]) == (1, 2)


# ── HP-K: breaks and disputes ────────────────────────────────────────────────────────────────────


def test_HP_K_a_break_stops_the_timer_until_it_is_ended() -> None:
    """Called with 13:00 left, it lasts as long as it lasts, and 13:00 are left after it."""
    night = given(HOUSE, {1: 4})
    night.later(minutes(7))
    night.do("break.call")
    assert night.clock()["phase"] == "break"
    assert night.clock()["remaining_ms"] is None
    night.later(minutes(55))
    clock = night.clock()
    assert (clock["phase"], clock["level"], clock["small"]) == ("break", 1, 10)
    night.do("break.end")
    clock = night.clock()
    assert (clock["phase"], clock["level"]) == ("level", 1)
    assert clock["remaining_ms"] == minutes(13)
    night.later(minutes(13))
    assert night.clock()["level"] == 2


def test_HP_K_a_break_of_ten_minutes_ends_by_itself() -> None:
    """A break with a length counts down, and then the timer goes on from where it stood."""
    night = given(HOUSE, {1: 4})
    night.later(minutes(7))
    night.do("break.call", minutes=10)
    night.later(minutes(4))
    assert (night.clock()["phase"], night.clock()["remaining_ms"]) == ("break", minutes(6))
    night.later(minutes(6) + seconds(30))
    clock = night.clock()
    assert (clock["phase"], clock["level"]) == ("level", 1)
    assert clock["remaining_ms"] == minutes(13) - seconds(30)


def test_HP_K_no_new_hand_during_a_break_but_hands_in_progress_finish() -> None:
    """Table 1 is in a hand and may end it; neither table may begin another."""
    night = given(HOUSE, {1: 4, 2: 4})
    night.do("hand.start", table=1)
    night.do("break.call")
    assert night.refused("hand.start", table=2) == "on_break"
    assert night.table(1)["hand"]["in_progress"] is True
    night.do("street.next", table=1)
    night.do("called.start", table=1, seat=2)  # play goes on, and so does its clock
    night.later(seconds(30) + 1)
    assert night.table(1)["called"]["status"] == "expired"
    night.do("hand.end", table=1)
    assert night.refused("hand.start", table=1) == "on_break"
    night.do("break.end")
    night.do("hand.start", table=1)
    night.do("hand.start", table=2)
    assert night.table(2)["hand"]["in_progress"] is True


def test_HP_K_the_timer_stops_during_a_dispute() -> None:
    """A dispute that needs the director costs nobody any time."""
    night = given(HOUSE, {1: 4})
    night.later(minutes(7))
    night.do("clock.pause", reason="dispute at table 1")
    night.later(minutes(25))
    clock = night.clock()
    assert (clock["status"], clock["level"]) == ("paused", 1)
    assert clock["remaining_ms"] == minutes(13)
    night.do("clock.resume")
    night.later(minutes(13) - 1)
    assert night.clock()["level"] == 1
    night.later(1)
    assert night.clock()["level"] == 2


# ── HP-P: places ─────────────────────────────────────────────────────────────────────────────────


def test_HP_P_busts_on_the_same_hand_share_whatever_their_stacks() -> None:
    """Of eight, two who go out on one hand share 7th and 8th, the big stack and the small one."""
    night = given(HOUSE, {1: 8})
    night.do("hand.start", table=1)
    night.do("player.bust", player="1-2", stack=900)
    night.do("player.bust", player="1-5", stack=40)
    assert finishes(night) == {"1-2": (7, 2), "1-5": (7, 2)}


def test_HP_P_a_bust_that_is_told_after_the_hand_still_belongs_to_it() -> None:
    """Between two hands the last one is still the hand of the bust."""
    night = given(HOUSE, {1: 8})
    night.do("hand.start", table=1)
    night.do("player.bust", player="1-2")
    night.do("hand.end", table=1)
    night.do("player.bust", player="1-5")
    assert finishes(night) == {"1-2": (7, 2), "1-5": (7, 2)}


def test_HP_P_busts_on_different_hands_do_not_share() -> None:
    """Out in the first hand is 8th, out in the second 7th."""
    night = given(HOUSE, {1: 8})
    night.do("hand.start", table=1)
    night.do("player.bust", player="1-2")
    night.do("hand.end", table=1)
    night.do("hand.start", table=1)
    night.do("player.bust", player="1-5")
    assert finishes(night) == {"1-2": (8, 1), "1-5": (7, 1)}


def test_HP_P_busts_half_an_hour_apart_do_not_share_where_no_hand_is_tracked() -> None:
    """A home game without a dealer's console still knows who went out first."""
    night = given(HOUSE, {1: 8})
    night.do("player.bust", player="1-2")
    night.later(minutes(30))
    night.do("player.bust", player="1-5")
    assert finishes(night) == {"1-2": (8, 1), "1-5": (7, 1)}


def test_HP_P_a_bust_at_another_table_in_between_does_not_part_a_hand() -> None:
    """Two who went out on one hand split, though another table's bust was told between them."""
    night = given(HOUSE, {1: 5, 2: 5})
    night.do("hand.start", table=1)
    night.do("hand.start", table=2)
    night.do("player.bust", player="1-2")
    night.do("player.bust", player="2-2")
    night.do("player.bust", player="1-5")
    found = finishes(night)
    assert found["1-2"] == found["1-5"]
    assert found["1-2"][1] == 2


@pytest.mark.parametrize(("entries", "paid"), [(4, 3), (10, 3), (11, 4), (20, 4), (21, 5), (30, 5)])
def test_HP_P_places_paid_by_entries(entries: int, paid: int) -> None:
    """Up to 10 players pay 3 places, 11 to 20 pay 4, 21 to 30 pay 5."""
    tables = {1: min(entries, 10)}
    if entries > 10:
        tables[2] = min(entries - 10, 10)
    if entries > 20:
        tables[3] = entries - 20
    night = given(HOUSE, tables)
    assert night.event()["field"]["entries"] == entries
    assert night.event()["field"]["to_money"] == entries - paid


# ── HP-B: the stack ──────────────────────────────────────────────────────────────────────────────


def test_HP_B_a_buy_in_is_a_thousand_chips() -> None:
    """Six players have 6,000 chips; when one is out, five have 1,200 each on average."""
    night = given(HOUSE, {1: 6})
    field = night.event()["field"]
    assert (field["chips_in_play"], field["average_stack"]) == (6_000, 1_000)
    night.do("player.bust", player="1-1")
    field = night.event()["field"]
    assert (field["chips_in_play"], field["average_stack"]) == (6_000, 1_200)
