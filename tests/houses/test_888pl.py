"""EP: an 888 Poker League event, self-dealt.

Its document gives no structure, so it plays Railbird's own: levels of 15 minutes, a break of 15
minutes after levels 4 and 8. Level 3 begins at 30:00; break 2 is from 135:00 to 150:00.
"""

import json
from typing import Any

import pytest

from tests.night import Night, given, minutes, seconds

HOUSE = "888pl"
START_BY, END_BY = "bad-beat tables start by", "bad-beat tables end by"
LEVEL_1 = {"small": 10, "big": 20}
LEVEL_2 = {"small": 15, "big": 30}


def timers(night: Night) -> dict[str, Any]:
    """Give the time left on the floor's timers, by name."""
    return {timer["name"]: timer["remaining_ms"] for timer in night.floor()["timers"]}


# ── EP-C1: the clock is called ───────────────────────────────────────────────────────────────────


def test_EP_C1_one_minute_with_a_warning_at_ten_seconds() -> None:
    """Facing a bet the player has 60 s, is warned for the last 10, and then the hand is dead."""
    night = given(HOUSE, {1: 4})
    night.do("hand.start", table=1)
    night.do("called.start", table=1, seat=4)
    assert night.table(1)["called"]["remaining_ms"] == 60_000
    night.later(seconds(50) - 1)
    assert night.table(1)["called"]["status"] == "running"
    night.later(1)
    called = night.table(1)["called"]
    assert (called["status"], called["remaining_ms"]) == ("countdown", 10_000)
    night.later(seconds(10))
    assert night.table(1)["called"]["status"] == "countdown"
    night.later(1)
    doc = night.table(1)
    assert (doc["called"]["status"], doc["called"]["outcome"]) == ("expired", "dead")
    assert doc["seats"]["4"]["in_hand"] is False


def test_EP_C1_thirty_seconds_can_be_selected() -> None:
    """The document's other figure is there for the host who prefers it."""
    night = given(HOUSE, {1: 4})
    night.do("hand.start", table=1)
    night.do("called.start", table=1, seat=4, seconds=30)
    assert night.table(1)["called"]["remaining_ms"] == 30_000
    night.later(seconds(30))
    assert night.table(1)["called"]["status"] != "expired"
    night.later(1)
    assert night.table(1)["called"]["outcome"] == "dead"


# ── EP-L: longer and shorter levels ──────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("length", "left"), [(20, 15), (10, 5), (15, 10)])
def test_EP_L_the_level_in_play_is_lengthened_or_shortened(length: int, left: int) -> None:
    """Five minutes in, the level has its new length less the five minutes played."""
    night = given(HOUSE, {1: 4})
    night.later(minutes(5))
    steps = [{**LEVEL_1, "minutes": length}, {**LEVEL_2, "minutes": 15}]
    night.do("structure.set", steps=steps)
    clock = night.clock()
    assert (clock["level"], clock["remaining_ms"]) == (1, minutes(left))


def test_EP_L_a_level_to_come_is_shortened() -> None:
    """Level 2 is made 8 minutes long while level 1 goes on untouched."""
    night = given(HOUSE, {1: 4})
    night.later(minutes(5))
    steps = [{**LEVEL_1, "minutes": 15}, {**LEVEL_2, "minutes": 8}]
    night.do("structure.set", steps=steps)
    assert night.clock()["next"]["minutes"] == 8
    night.later(minutes(10))
    assert (night.clock()["level"], night.clock()["remaining_ms"]) == (2, minutes(8))


def test_EP_L_a_level_cut_below_what_was_played_is_over_at_once() -> None:
    """Cut to four minutes when five have been played, the level ends now."""
    night = given(HOUSE, {1: 4})
    night.later(minutes(5))
    steps = [{**LEVEL_1, "minutes": 4}, {**LEVEL_2, "minutes": 15}]
    night.do("structure.set", steps=steps)
    assert (night.clock()["level"], night.clock()["remaining_ms"]) == (2, minutes(15))


def test_EP_L_time_is_given_and_taken_on_the_clock() -> None:
    """The host may also move the clock itself by some minutes."""
    night = given(HOUSE, {1: 4})
    night.later(minutes(5))
    night.do("clock.add", ms=minutes(3))
    assert night.clock()["remaining_ms"] == minutes(13)
    night.do("clock.add", ms=-minutes(6))
    assert night.clock()["remaining_ms"] == minutes(7)


# ── EP-R: registration ───────────────────────────────────────────────────────────────────────────


def test_EP_R_registration_is_open_to_the_end_of_level_1() -> None:
    """It is open until 15:00, counted down, and closed from then on."""
    night = given(HOUSE, {1: 4, 2: 4})
    registration = night.event()["registration"]
    assert (registration["open"], registration["closes_in_ms"]) == (True, minutes(15))
    night.later(minutes(15) - 1)
    assert night.event()["registration"]["open"] is True
    night.later(1)
    registration = night.event()["registration"]
    assert (registration["open"], registration["closes_in_ms"]) == (False, None)


def test_EP_R_registration_closes_at_once_when_the_first_table_is_broken() -> None:
    """A table broken five minutes in closes it for good, though level 1 goes on."""
    night = given(HOUSE, {1: 4, 2: 1})
    night.later(minutes(5))
    night.do("seat.move", player="2-1", table=1, seat=9)
    assert night.event()["registration"]["open"] is True
    night.do("table.close", table=2)
    registration = night.event()["registration"]
    assert (registration["open"], registration["closes_in_ms"]) == (False, None)
    night.do("table.open", table=2)
    assert night.event()["registration"]["open"] is False


def test_EP_R_a_table_put_away_before_the_start_was_not_broken() -> None:
    """Tables that are set up and put away before play leave registration open."""
    night = given(HOUSE, {1: 4, 2: 0}, started=False)
    night.do("table.close", table=2)
    night.do("clock.start")
    assert night.event()["registration"]["open"] is True


# ── EP-BB: bad-beat tables ───────────────────────────────────────────────────────────────────────


def test_EP_BB_the_floor_counts_down_ten_minutes_from_the_start_of_level_3() -> None:
    """At 30:00 the director sees 10:00, at 33:00 7:00, and at 40:00 nothing is left."""
    night = given(HOUSE, {1: 4})
    night.later(minutes(30) - 1)
    assert timers(night) == {}
    night.later(1)
    assert timers(night)[START_BY] == minutes(10)
    night.later(minutes(3))
    assert timers(night)[START_BY] == minutes(7)
    night.later(minutes(7))
    assert timers(night)[START_BY] == 0


def test_EP_BB_the_floor_counts_down_to_ten_minutes_before_break_2_ends() -> None:
    """Break 2 ends at 150:00, so the deadline is 140:00: 110 minutes from the start of level 3."""
    night = given(HOUSE, {1: 4})
    night.later(minutes(30))
    assert timers(night)[END_BY] == minutes(110)
    night.later(minutes(105))
    assert (night.clock()["phase"], night.clock()["level"]) == ("break", 8)
    assert timers(night)[END_BY] == minutes(5)
    night.later(minutes(5))
    assert timers(night)[END_BY] == 0


def test_EP_BB_time_given_to_level_3_does_not_move_its_start() -> None:
    """Five minutes more on the clock two minutes in: 8:00 are left, and break 2 is 5:00 later."""
    night = given(HOUSE, {1: 4})
    night.later(minutes(32))
    night.do("clock.add", ms=minutes(5))
    assert timers(night) == {START_BY: minutes(8), END_BY: minutes(113)}


def test_EP_BB_a_longer_level_3_does_not_move_its_start_either() -> None:
    """Lengthening level 3 by edit moves the end of break 2, not the start of level 3."""
    night = given(HOUSE, {1: 4})
    night.later(minutes(32))
    level = {"small": 20, "big": 40}
    steps: list[dict[str, Any]] = [{**level, "minutes": 20}, {**level, "minutes": 15}]
    steps += [{"phase": "break", "minutes": 15}]
    steps += [{**level, "minutes": 15}] * 4 + [{"phase": "break", "minutes": 15}]
    steps += [{**level, "minutes": 15}]
    night.do("structure.set", steps=steps)
    assert timers(night) == {START_BY: minutes(8), END_BY: minutes(113)}


def test_EP_BB_players_are_never_told() -> None:
    """Neither the event's document nor a table's says a word of it, at any time."""
    night = given(HOUSE, {1: 4})
    for _ in range(160):
        public = json.dumps([night.event(), night.table(1)]).lower()
        assert "bad" not in public
        assert "timer" not in public
        night.later(minutes(1))


# ── EP-S: the stack ──────────────────────────────────────────────────────────────────────────────


def test_EP_S_the_starting_stack_is_a_thousand() -> None:
    """Twelve entrants bring 12,000 chips."""
    night = given(HOUSE, {1: 6, 2: 6})
    field = night.event()["field"]
    assert (field["chips_in_play"], field["average_stack"]) == (12_000, 1_000)


def test_EP_S_a_self_dealt_table_runs_its_hands_without_a_dealer_push() -> None:
    """From a player's phone: riffle, streets, end; the next hand takes the level on the wall."""
    night = given(HOUSE, {1: 3})
    night.do("hand.start", table=1)
    for street in ("flop", "turn", "river"):
        night.do("street.next", table=1)
        assert night.table(1)["hand"]["street"] == street
    night.do("hand.end", table=1)
    night.later(minutes(15) + 1)
    night.do("hand.start", table=1)
    assert (night.table(1)["level"], night.table(1)["hand"]["number"]) == (2, 2)
