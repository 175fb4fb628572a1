"""AP and AT: the Australian Poker League and its Poker Tour do what their documents say.

Their hand-for-hand has a file of its own. The documents give no structure, so both houses play
Railbird's own: levels of 15 minutes from 10/20, 15/30, 20/40, 30/60, then a break of 15 minutes.
"""

import pytest

from tests.night import given, minutes, seconds

# ── AP-23: new hand, new limits ──────────────────────────────────────────────────────────────────


def test_AP_23_the_clock_signals_the_level_and_it_applies_to_the_next_hand() -> None:
    """The signal comes at 15:00 sharp; the hand in progress keeps 10/20, the next has 15/30."""
    night = given("apl", {1: 4})
    night.later(minutes(14))
    night.do("hand.start", table=1)
    night.later(minutes(1) + seconds(20))
    signals = [event.at for event in night.events if event.name == "level.started"]
    assert signals == [minutes(15)]
    doc = night.table(1)
    assert (doc["level"], doc["small"], doc["big"]) == (1, 10, 20)
    assert doc["next_hand"] == {"level": 2, "small": 15, "big": 30, "ante": 0}
    night.do("hand.end", table=1)
    night.do("hand.start", table=1)
    doc = night.table(1)
    assert (doc["level"], doc["small"], doc["big"]) == (2, 15, 30)
    assert doc["next_hand"] is None


def test_AP_23_the_floors_announcement_starts_a_level_too() -> None:
    """A level that the floor announces applies to the next hand as well, not to this one."""
    night = given("apl", {1: 4})
    night.do("hand.start", table=1)
    night.do("level.next")
    assert night.clock()["level"] == 2
    assert night.table(1)["level"] == 1
    night.do("hand.end", table=1)
    night.do("hand.start", table=1)
    assert night.table(1)["level"] == 2


def test_AP_23_a_hand_riffled_at_the_very_instant_of_the_change_is_of_the_old_level() -> None:
    """A first riffle at 15:00.000 came before the level that is due at 15:00.000."""
    night = given("apl", {1: 4})
    night.later(minutes(15))
    night.do("hand.start", table=1)
    assert night.clock()["level"] == 2
    assert night.table(1)["level"] == 1


def test_AP_23_a_level_during_a_push_leaves_one_hand_at_the_prior_level() -> None:
    """The incoming dealer deals one hand at 10/20, and only one."""
    night = given("apl", {1: 4, 2: 4})
    night.later(minutes(15) - seconds(1))
    night.do("dealer.push", table=1)
    night.later(seconds(11))
    night.do("hand.start", table=1)
    night.do("hand.start", table=2)
    assert (night.table(1)["level"], night.table(1)["small"]) == (1, 10)
    assert night.table(1)["next_hand"]["level"] == 2
    assert (night.table(2)["level"], night.table(2)["small"]) == (2, 15)
    night.do("hand.end", table=1)
    night.do("hand.start", table=1)
    assert (night.table(1)["level"], night.table(1)["small"]) == (2, 15)


def test_AP_23_a_push_well_before_the_change_keeps_nothing_beyond_its_hand() -> None:
    """Once the incoming dealer has dealt, the push has no effect on a later level."""
    night = given("apl", {1: 4})
    night.do("dealer.push", table=1)
    night.do("hand.start", table=1)
    night.later(minutes(16))
    night.do("hand.end", table=1)
    night.do("hand.start", table=1)
    assert night.table(1)["level"] == 2


# ── AP-29, AT-3.10: the clock is called ──────────────────────────────────────────────────────────


def test_AP_29_25_seconds_then_a_countdown_of_5() -> None:
    """The called clock runs for 25 s and is counted down for 5 s more."""
    night = given("apl", {1: 4})
    night.do("hand.start", table=1)
    night.do("called.start", table=1, seat=3)
    called = night.table(1)["called"]
    assert (called["status"], called["seat"], called["remaining_ms"]) == ("running", 3, 30_000)
    night.later(seconds(25) - 1)
    assert night.table(1)["called"]["status"] == "running"
    night.later(1)
    called = night.table(1)["called"]
    assert (called["status"], called["remaining_ms"]) == ("countdown", 5_000)
    night.later(seconds(5) + 1)
    assert night.table(1)["called"]["status"] == "expired"


def test_AP_29_expired_facing_a_bet_the_hand_is_dead() -> None:
    """Before the flop everybody but the big blind faces a bet, so the hand dies."""
    night = given("apl", {1: 4})
    night.do("hand.start", table=1)
    night.do("called.start", table=1, seat=4)
    night.later(seconds(30) + 1)
    doc = night.table(1)
    assert doc["called"]["outcome"] == "dead"
    assert doc["seats"]["4"]["in_hand"] is False


def test_AP_29_expired_facing_no_bet_the_hand_is_checked() -> None:
    """After the flop nobody has bet, so the hand is checked and stays in."""
    night = given("apl", {1: 4})
    night.do("hand.start", table=1)
    night.do("street.next", table=1)
    night.do("called.start", table=1, seat=3)
    night.later(seconds(30) + 1)
    doc = night.table(1)
    assert doc["called"]["outcome"] == "check"
    assert doc["seats"]["3"]["in_hand"] is True


def test_AP_29_a_tie_goes_to_the_player() -> None:
    """At exactly zero the player may still act, and the hand lives."""
    night = given("apl", {1: 4})
    night.do("hand.start", table=1)
    night.do("called.start", table=1, seat=3)
    night.later(seconds(30))
    called = night.table(1)["called"]
    assert (called["status"], called["remaining_ms"]) == ("countdown", 0)
    night.do("called.stop", table=1)
    night.later(seconds(5))
    assert night.table(1)["called"]["status"] == "off"
    assert night.table(1)["seats"]["3"]["in_hand"] is True


def test_AP_29_the_director_may_adjust_the_time() -> None:
    """A director who gives 60 s gives 55 s and a countdown of 5."""
    night = given("apl", {1: 4})
    night.do("hand.start", table=1)
    night.do("called.start", table=1, seat=3, seconds=60)
    night.later(seconds(55) - 1)
    assert night.table(1)["called"]["status"] == "running"
    night.later(1)
    assert night.table(1)["called"]["status"] == "countdown"
    night.later(seconds(5) + 1)
    assert night.table(1)["called"]["status"] == "expired"


def test_AT_3_10_1_30_seconds_then_a_countdown_of_5() -> None:
    """On the Poker Tour the countdown comes after 30 s, and the hand dies after 35."""
    night = given("apl-tour", {1: 4})
    night.do("hand.start", table=1)
    night.do("called.start", table=1, seat=4)
    assert night.table(1)["called"]["remaining_ms"] == 35_000
    night.later(seconds(30) - 1)
    assert night.table(1)["called"]["status"] == "running"
    night.later(1)
    called = night.table(1)["called"]
    assert (called["status"], called["remaining_ms"]) == ("countdown", 5_000)
    night.later(seconds(5))
    assert night.table(1)["called"]["status"] == "countdown"
    night.later(1)
    assert night.table(1)["called"]["outcome"] == "dead"


def test_AT_3_10_1_checked_if_no_bet_was_made() -> None:
    """With no previous bet the hand is checked."""
    night = given("apl-tour", {1: 4})
    night.do("hand.start", table=1)
    night.do("called.start", table=1, seat=3, facing_bet=False)
    night.later(seconds(35) + 1)
    assert night.table(1)["called"]["outcome"] == "check"


def test_AT_3_10_2_a_slow_player_has_10_seconds_on_every_later_hand() -> None:
    """The limited player's time is 10 s, hand after hand, until the director lifts it."""
    night = given("apl-tour", {1: 4})
    night.do("player.limit", player="1-3", seconds=10)
    assert night.table(1)["seats"]["3"]["limit_s"] == 10
    for _ in range(2):
        night.do("hand.start", table=1, button=4)
        night.do("action.start", table=1, seat=3)
        assert night.table(1)["action"]["remaining_ms"] == 10_000
        night.later(seconds(10))
        assert night.table(1)["action"]["status"] == "running"
        night.later(1)
        assert night.table(1)["action"]["outcome"] == "dead"
        night.do("hand.end", table=1)
    night.do("player.limit", player="1-3", seconds=None)
    night.do("hand.start", table=1)
    assert night.refused("action.start", table=1, seat=3) == "not_allowed"  # no clock for anybody
    night.do("called.start", table=1, seat=3)
    assert night.table(1)["called"]["remaining_ms"] == 35_000


def test_AT_3_10_2_the_limit_holds_when_the_clock_is_called_too() -> None:
    """A called clock gives the limited player 10 s, and everybody else the ordinary 35."""
    night = given("apl-tour", {1: 4})
    night.do("player.limit", player="1-3", seconds=10)
    night.do("hand.start", table=1)
    night.do("called.start", table=1, seat=3)
    assert night.table(1)["called"]["remaining_ms"] == 10_000
    night.do("called.stop", table=1)
    night.do("called.start", table=1, seat=2)
    assert night.table(1)["called"]["remaining_ms"] == 35_000


# ── AP-RP7, AP-RP20: reminders ───────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("level", [1, 4])  # before a level change, and before a break
def test_AP_RP7_dealers_hold_the_push_for_the_last_90_seconds(level: int) -> None:
    """The notice begins at 90 s and ends with the level."""
    night = given("apl", {1: 4})
    night.do("level.goto", level=level)
    night.later(minutes(15) - seconds(90) - 1)
    assert "hold_push" not in night.event()["notices"]
    night.later(1)
    assert "hold_push" in night.event()["notices"]
    night.later(seconds(90) - 1)
    assert "hold_push" in night.event()["notices"]
    night.later(1)
    assert "hold_push" not in night.event()["notices"]


def test_AP_RP7_time_given_back_takes_the_notice_away() -> None:
    """A minute more on the clock means that dealers may push again."""
    night = given("apl", {1: 4})
    night.later(minutes(14))
    assert "hold_push" in night.event()["notices"]
    night.do("clock.add", ms=minutes(1))
    assert "hold_push" not in night.event()["notices"]


def test_AP_RP20_decks_are_prepared_one_minute_before_the_start() -> None:
    """The floor is told at 60 s before a scheduled start, and no longer once play is on."""
    night = given("apl", {1: 4}, started=False)
    night.do("event.schedule", starts_at=minutes(10))
    night.later(minutes(9) - 1)
    assert "prepare_decks" not in night.event()["notices"]
    night.later(1)
    assert "prepare_decks" in night.event()["notices"]
    night.later(minutes(1))
    assert night.clock()["status"] == "running"
    assert "prepare_decks" not in night.event()["notices"]


def test_AP_RP20_decks_are_prepared_one_minute_before_a_break_ends() -> None:
    """Levels 1 to 4 end at 60:00 and the break at 75:00, so the notice begins at 74:00."""
    night = given("apl", {1: 4})
    night.later(minutes(74) - 1)
    assert night.clock()["phase"] == "break"
    assert "prepare_decks" not in night.event()["notices"]
    night.later(1)
    assert "prepare_decks" in night.event()["notices"]
    night.later(minutes(1))
    assert night.clock()["phase"] == "level"
    assert "prepare_decks" not in night.event()["notices"]


def test_AP_RP20_decks_are_prepared_before_a_called_break_ends_and_on_another_day() -> None:
    """A restart is a restart: after a break that was called, and after a suspension."""
    night = given("apl", {1: 4})
    night.do("break.call", minutes=10)
    night.later(minutes(9))
    assert "prepare_decks" in night.event()["notices"]
    night.do("break.end")
    night.do("event.suspend", resumes_at=night.now + minutes(600))
    night.later(minutes(599) - 1)
    assert "prepare_decks" not in night.event()["notices"]
    night.later(1)
    assert "prepare_decks" in night.event()["notices"]


# ── AP-RP19: against stalling ────────────────────────────────────────────────────────────────────


def test_AP_RP19_a_fixed_number_of_hands_per_level() -> None:
    """A level of two hands ends when the slower table has played its second hand."""
    night = given("apl", {1: 4, 2: 4})
    steps = [{"small": 10, "big": 20, "hands": 2}, {"small": 15, "big": 30, "minutes": 15}]
    night.do("structure.set", steps=steps)
    assert night.clock()["remaining_ms"] is None
    for _ in range(2):
        night.do("hand.start", table=1)
        night.do("hand.end", table=1)
    assert night.refused("hand.start", table=1) == "not_allowed"
    night.do("hand.start", table=2)
    night.later(minutes(40))  # stalling does not bring the next level
    assert night.clock()["level"] == 1
    night.do("hand.end", table=2)
    night.do("hand.start", table=2)
    night.do("hand.end", table=2)
    clock = night.clock()
    assert (clock["level"], clock["remaining_ms"]) == (2, minutes(15))
    night.do("hand.start", table=1)
    assert night.table(1)["level"] == 2


def test_AP_RP19_hands_played_before_the_edit_do_not_strand_the_room() -> None:
    """A table that has already played the new number of hands is not made to wait for nobody."""
    night = given("apl", {1: 4})
    for _ in range(3):
        night.do("hand.start", table=1)
        night.do("hand.end", table=1)
    steps = [{"small": 10, "big": 20, "hands": 3}, {"small": 15, "big": 30, "minutes": 15}]
    night.do("structure.set", steps=steps)
    night.do("hand.start", table=1)
    assert night.table(1)["hand"]["in_progress"] is True


def test_AP_RP19_orbit_for_orbit() -> None:
    """A three-handed table plays three hands and a two-handed one two before the room holds."""
    night = given("apl", {1: 3, 2: 2})
    night.do("h4h.announce", unit="round")
    night.do("h4h.next")
    for table, hands in ((2, 2), (1, 3)):
        for _ in range(hands):
            assert night.event()["h4h"]["tables"][str(table)] == "playing"
            night.do("hand.start", table=table)
            night.do("hand.end", table=table)
        assert night.event()["h4h"]["tables"][str(table)] == "done"
    assert night.event()["h4h"]["status"] == "holding"


def test_AP_RP19_soft_hand_for_hand() -> None:
    """In the soft form the quick table may be one hand ahead of the slow one, not two."""
    night = given("apl", {1: 4, 2: 4})
    night.do("h4h.announce", soft=True)
    night.do("h4h.next")
    night.do("hand.start", table=2)
    for _ in range(2):
        night.do("hand.start", table=1)
        night.do("hand.end", table=1)
    assert night.refused("hand.start", table=1) == "not_allowed"


def test_AP_RP19_a_shot_clock_can_be_added() -> None:
    """A house without one puts a shot clock in play with the figures that the director gives."""
    night = given("apl", {1: 4})
    night.do("hand.start", table=1)
    assert night.refused("action.start", table=1, seat=3) == "not_allowed"
    night.do("shotclock.introduce", seconds=20, chips=2, chip_seconds=30)
    assert [night.table(1)["seats"][seat]["bank"] for seat in "1234"] == [2, 2, 2, 2]
    night.do("action.start", table=1, seat=3)
    assert night.table(1)["action"]["remaining_ms"] == 20_000
    night.do("action.bank", table=1, seat=3, chips=1)
    assert night.table(1)["action"]["remaining_ms"] == 50_000
