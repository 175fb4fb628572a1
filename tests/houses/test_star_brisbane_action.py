"""The Star Brisbane: the shot clock of Saturday (SB-47).

A player has 20 seconds and four time-bank chips of 20 seconds each.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.night import Night, given, minutes, seconds

SATURDAY = "star-brisbane-saturday"


def action(night: Night, *keys: str) -> list[Any]:
    """Give some values of the action clock of table 1."""
    found = night.table(1)["action"]
    return [found[key] for key in keys]


def bank(night: Night, seat: int, table: int = 1) -> int:
    """Count the time-bank chips of a seat."""
    chips: int = night.table(table)["seats"][str(seat)]["bank"]
    return chips


def in_hand(night: Night, seat: int) -> bool:
    """Say whether a seat is in the hand."""
    live: bool = night.table(1)["seats"][str(seat)]["in_hand"]
    return live


def dealt() -> Night:
    """Give a table where a hand has been dealt, button in seat 1: seat 4 acts first of four."""
    night = given(SATURDAY, {1: 4})
    night.do("hand.start", table=1, button=1)
    return night


# ── in play from the start ───────────────────────────────────────────────────────────────────────


def test_SB_47a_the_action_clock_is_in_play_from_the_start_with_four_chips_each() -> None:
    """Everybody who is seated has them before the first hand, and the first action has 20 s."""
    night = given(SATURDAY, {1: 4})
    assert [bank(night, seat) for seat in (1, 2, 3, 4)] == [4, 4, 4, 4]
    night.do("action.start", table=1, seat=1)
    assert action(night, "status", "remaining_ms", "ends_at") == ["running", 20_000, 20_000]


def test_SB_47a_a_late_entrant_and_a_re_entry_get_the_scheduled_chips_too() -> None:
    """Chips that were spent in an earlier life are not missed in the next."""
    night = dealt().later(minutes(90))
    night.do("seat.put", player="late", table=1, seat=5)
    assert bank(night, 5) == 4
    night.do("hand.start", table=1)
    night.do("action.start", table=1, seat=4)
    night.do("action.bank", table=1, seat=4, chips=3)
    night.do("player.bust", player="1-4", stack=100)
    night.do("seat.put", player="1-4", table=1, seat=4)
    assert bank(night, 4) == 4


def test_SB_47b_the_dealer_alone_starts_the_clock() -> None:
    """Neither a new hand nor a new street nor a stopped action lets anybody's time run."""
    night = dealt()
    night.later(seconds(60))
    assert action(night, "status", "seat") == ["idle", None]
    night.do("action.next", table=1)
    night.do("action.stop", table=1)
    night.later(seconds(60))
    assert action(night, "status", "seat") == ["idle", None]
    night.do("street.next", table=1)
    night.later(seconds(60))
    assert action(night, "status", "seat") == ["idle", None]
    assert [bank(night, seat) for seat in (1, 2, 3, 4)] == [4, 4, 4, 4]


def test_SB_47c_the_clock_starts_for_the_first_to_act_and_is_reset_for_the_next() -> None:
    """Left of the big blind first; whatever was left over, the next player has 20 s."""
    night = dealt()
    night.do("action.next", table=1)
    assert action(night, "seat", "remaining_ms") == [4, 20_000]
    for following, after in ((1, 3), (2, 19), (3, 7)):
        night.later(seconds(after))
        assert action(night, "remaining_ms") == [20_000 - seconds(after)]
        night.do("action.next", table=1)
        assert action(night, "status", "seat", "remaining_ms") == ["running", following, 20_000]


def test_SB_47c_the_time_of_a_player_who_used_the_bank_is_not_the_next_players() -> None:
    """Seat 4 is on its second chip; seat 1 has 20 s and nothing burns."""
    night = dealt()
    night.do("action.next", table=1)
    night.later(seconds(45))
    night.do("action.next", table=1)
    assert action(night, "seat", "remaining_ms", "on_bank", "used") == [1, 20_000, 0, 0]


def test_SB_47c_a_player_who_has_folded_is_passed_over() -> None:
    """On the flop the first live seat after the button begins."""
    night = dealt()
    night.do("action.next", table=1)
    night.do("action.next", table=1)
    night.do("action.next", table=1)
    night.do("action.fold", table=1)
    assert action(night, "seat") == [3]
    assert not in_hand(night, 2)
    night.do("street.next", table=1)
    night.do("action.next", table=1)
    assert action(night, "seat", "remaining_ms", "facing_bet") == [3, 20_000, False]


def test_SB_47d_a_bet_is_counted_before_the_next_players_time_begins() -> None:
    """While the dealer counts nobody's time runs; then the next player has all 20 s."""
    night = dealt()
    night.do("street.next", table=1)
    night.do("action.next", table=1)
    night.later(seconds(5))
    night.do("action.hold", table=1)
    assert action(night, "status", "seat", "remaining_ms", "facing_bet") == [
        "held",
        3,
        20_000,
        True,
    ]
    night.later(seconds(50))
    assert action(night, "status", "remaining_ms") == ["held", 20_000]
    night.do("action.release", table=1)
    assert action(night, "status", "seat", "remaining_ms") == ["running", 3, 20_000]
    assert [bank(night, seat) for seat in (2, 3)] == [4, 4]


def test_SB_47d_a_counted_bet_is_faced_by_everybody_until_the_next_street() -> None:
    """The bet of seat 2 on the flop is still faced after a call."""
    night = dealt()
    night.do("street.next", table=1)
    night.do("action.next", table=1)
    night.do("action.hold", table=1)
    night.do("action.release", table=1)
    night.do("action.next", table=1)
    assert action(night, "seat", "facing_bet") == [4, True]
    night.do("street.next", table=1)
    night.do("action.next", table=1)
    assert action(night, "seat", "facing_bet") == [2, False]


def test_SB_47d_a_call_resets_the_clock_for_the_next_player() -> None:
    """Without any count: one tap, 20 s."""
    night = dealt()
    night.do("action.next", table=1)
    night.later(seconds(18))
    night.do("action.next", table=1)
    assert action(night, "seat", "remaining_ms", "ends_at") == [1, 20_000, 38_000]


def test_SB_47d_something_counted_for_the_player_to_act_costs_them_nothing() -> None:
    """The clock stands at 13 s and goes on from there."""
    night = dealt()
    night.do("action.next", table=1)
    night.later(seconds(7))
    night.do("action.hold", table=1, acted=False)
    night.later(seconds(60))
    assert action(night, "status", "seat", "remaining_ms") == ["held", 4, 13_000]
    night.do("action.release", table=1)
    assert action(night, "status", "seat", "remaining_ms") == ["running", 4, 13_000]


# ── time-bank chips ──────────────────────────────────────────────────────────────────────────────


def test_SB_47e_chips_that_are_not_used_stay_with_the_player() -> None:
    """Hands, levels and breaks later there are as many as before."""
    night = dealt()
    night.do("action.start", table=1, seat=4)
    night.later(seconds(25))
    night.do("hand.end", table=1)
    night.later(minutes(120))
    night.do("hand.start", table=1)
    assert [bank(night, seat) for seat in (3, 4)] == [4, 3]


def test_SB_47f_chips_travel_with_a_player_who_moves_table() -> None:
    """Two are left at table 1, two are there at table 2, and two can be spent there."""
    night = given(SATURDAY, {1: 3, 2: 3})
    night.do("action.start", table=1, seat=1)
    night.do("action.bank", table=1, seat=1, chips=2)
    night.do("action.stop", table=1)
    night.do("seat.move", player="1-1", table=2, seat=7)
    assert bank(night, 7, table=2) == 2
    assert "1" not in night.table(1)["seats"]
    night.do("action.start", table=2, seat=7)
    assert night.refused("action.bank", table=2, seat=7, chips=3) == "no_chips"
    night.do("action.bank", table=2, seat=7, chips=2)
    assert bank(night, 7, table=2) == 0


def test_SB_47f_chips_wait_with_a_player_who_has_no_seat() -> None:
    """From a broken table to a seat that is drawn later."""
    night = given(SATURDAY, {1: 3, 2: 3})
    night.do("action.start", table=1, seat=1)
    night.do("action.bank", table=1, seat=1, chips=3)
    night.do("action.stop", table=1)
    night.do("seat.clear", player="1-1")
    night.do("seat.put", player="1-1", table=2, seat=5)
    assert bank(night, 5, table=2) == 1


@pytest.mark.parametrize(("chips", "left"), [(1, 35_000), (2, 55_000), (4, 95_000)])
def test_SB_47g_each_chip_adds_20_seconds(chips: int, left: int) -> None:
    """On top of the 15 s that the player still has."""
    night = dealt()
    night.do("action.next", table=1)
    night.later(seconds(5))
    night.do("action.bank", table=1, seat=4, chips=chips)
    assert action(night, "status", "remaining_ms", "used") == ["running", left, chips]
    assert bank(night, 4) == 4 - chips


def test_SB_47h_a_chip_is_forfeited_at_zero_and_the_clock_goes_on() -> None:
    """At 20 s one chip is gone and there are 20 s more."""
    night = dealt()
    night.do("action.next", table=1)
    night.later(seconds(20) - 1)
    assert (bank(night, 4), action(night, "remaining_ms", "on_bank")) == (4, [1, 0])
    night.later(1)
    assert bank(night, 4) == 3
    assert action(night, "status", "remaining_ms", "ends_at", "on_bank", "used") == [
        "running",
        20_000,
        40_000,
        1,
        1,
    ]


def test_SB_47h_chips_are_forfeited_one_by_one_and_the_chain_does_not_drift() -> None:
    """Nobody looked for 87 s: chips went at 20, 40, 60 and 80 s, and 13 s are left."""
    night = dealt()
    night.do("action.next", table=1)
    night.later(seconds(87))
    forfeited = [event.at for event in night.events if event.name == "chip.forfeited"]
    assert forfeited == [20_000, 40_000, 60_000, 80_000]
    assert action(night, "status", "remaining_ms", "used") == ["running", 13_000, 4]
    assert bank(night, 4) == 0


def test_SB_47h_a_player_who_acts_at_the_very_zero_keeps_the_chip() -> None:
    """What is commanded at an instant comes before what is due at it."""
    night = dealt()
    night.do("action.next", table=1)
    night.later(seconds(20))
    night.do("action.next", table=1)
    night.later(seconds(1))
    assert bank(night, 4) == 4
    assert night.table(1)["collect"] == []


def test_SB_47h_the_dealer_is_told_what_to_collect_when_the_action_is_complete() -> None:
    """Not in the middle of it, and until it is said to be done."""
    night = dealt()
    night.do("action.next", table=1)
    night.later(seconds(50))
    assert night.table(1)["collect"] == []
    night.do("action.next", table=1)
    assert night.table(1)["collect"] == [{"seat": 4, "chips": 2}]
    night.later(seconds(25))
    night.do("action.next", table=1)
    assert night.table(1)["collect"] == [{"seat": 1, "chips": 1}, {"seat": 4, "chips": 2}]
    night.do("collect.done", table=1, seat=4)
    assert night.table(1)["collect"] == [{"seat": 1, "chips": 1}]
    assert night.refused("collect.done", table=1, seat=4) == "no_chips"


@pytest.mark.parametrize("ending", ["action.stop", "action.fold", "action.hold", "hand.end"])
def test_SB_47h_however_the_action_ends_the_chips_are_collected(ending: str) -> None:
    """A fold, a bet that is counted, the end of the hand: the chip was used."""
    night = dealt()
    night.do("action.next", table=1)
    night.later(seconds(30))
    night.do(ending, table=1)
    assert night.table(1)["collect"] == [{"seat": 4, "chips": 1}]


def test_SB_47h_chips_of_several_actions_add_up_until_they_are_collected() -> None:
    """One before the flop and two on it are three."""
    night = dealt()
    night.do("action.next", table=1)
    night.later(seconds(30))
    night.do("action.stop", table=1)
    night.do("street.next", table=1)
    night.do("action.start", table=1, seat=4)
    night.later(seconds(50))
    night.do("action.stop", table=1)
    assert night.table(1)["collect"] == [{"seat": 4, "chips": 3}]


def test_SB_47i_several_chips_pushed_forward_are_all_given_up() -> None:
    """Three chips, and the player acts at once: three are collected, one is left."""
    night = dealt()
    night.do("action.next", table=1)
    night.later(seconds(10))
    night.do("action.bank", table=1, seat=4, chips=3)
    assert action(night, "remaining_ms", "on_bank", "used") == [70_000, 3, 3]
    night.do("action.next", table=1)
    assert bank(night, 4) == 1
    assert night.table(1)["collect"] == [{"seat": 4, "chips": 3}]


def test_SB_47i_chips_pushed_forward_come_before_the_automatic_forfeit() -> None:
    """Two pushed at 10 s last to 60 s; the third goes there by itself."""
    night = dealt()
    night.do("action.next", table=1)
    night.later(seconds(10))
    night.do("action.bank", table=1, seat=4, chips=2)
    night.later(seconds(50) - 1)
    assert (bank(night, 4), action(night, "remaining_ms")) == (2, [1])
    night.later(1)
    assert (bank(night, 4), action(night, "remaining_ms", "used")) == (1, [20_000, 3])


def test_SB_47i_nobody_pushes_chips_that_they_do_not_have_or_out_of_turn() -> None:
    """Refused, with every chip where it was."""
    night = dealt()
    assert night.refused("action.bank", table=1, seat=4, chips=1) == "not_running"
    night.do("action.next", table=1)
    assert night.refused("action.bank", table=1, seat=4, chips=5) == "no_chips"
    assert night.refused("action.bank", table=1, seat=1, chips=1) == "out_of_turn"
    assert night.refused("action.bank", table=1, seat=9, chips=1) == "no_player"


# ── zero without chips ───────────────────────────────────────────────────────────────────────────


def test_SB_47j_without_chips_a_hand_facing_action_is_dead_after_zero() -> None:
    """20 s and four chips make 100 s; the first millisecond after it the hand is dead."""
    night = dealt()
    night.do("action.next", table=1)
    night.later(seconds(100))
    assert action(night, "status", "remaining_ms", "outcome") == ["running", 0, None]
    assert in_hand(night, 4)
    night.later(1)
    assert action(night, "status", "seat", "remaining_ms", "outcome", "used") == [
        "expired",
        4,
        0,
        "dead",
        4,
    ]
    assert not in_hand(night, 4)
    assert night.table(1)["collect"] == [{"seat": 4, "chips": 4}]


def test_SB_47j_without_chips_a_player_facing_no_action_is_checked() -> None:
    """On the flop with nothing bet the player stays in the hand."""
    night = dealt()
    night.do("bank.grant", player="1-2", chips=0, mode="set")
    night.do("street.next", table=1)
    night.do("action.next", table=1)
    night.later(seconds(20) + 1)
    assert action(night, "status", "seat", "outcome") == ["expired", 2, "check"]
    assert in_hand(night, 2)


def test_SB_47j_play_goes_on_with_the_next_live_player() -> None:
    """The seat whose hand is dead is not asked again."""
    night = dealt()
    night.do("bank.grant", chips=0, mode="set")
    night.do("action.next", table=1)
    night.later(seconds(20) + 2)
    night.do("action.next", table=1)
    assert action(night, "status", "seat", "remaining_ms") == ["running", 1, 20_000]
    for _ in (2, 3):
        night.do("action.next", table=1)
    night.do("action.hold", table=1)  # seat 3 bets: everybody is asked again, but not seat 4
    night.do("action.next", table=1)
    assert action(night, "seat") == [1]


def test_SB_47k_the_action_clock_is_used_until_the_end() -> None:
    """In the last level, heads-up, it is the same clock, and it cannot be introduced again."""
    night = given(SATURDAY, {1: 4})
    night.do("level.goto", level=26)
    for player in ("1-3", "1-4"):
        night.do("player.bust", player=player)
    assert night.refused("shotclock.introduce") == "not_allowed"
    assert night.event()["action_clock"] == {"seconds": 20, "chips": 4, "chip_seconds": 20}
    night.do("hand.start", table=1)
    night.do("action.next", table=1)
    assert action(night, "status", "remaining_ms") == ["running", 20_000]


def test_SB_47k_the_action_clock_is_not_suspended_by_hand_for_hand() -> None:
    """The level clock stands at its cap; the player's time runs, and a chip is forfeited."""
    night = given(SATURDAY, {1: 4, 2: 4})
    night.do("h4h.announce")
    night.do("h4h.next")
    night.do("hand.start", table=1)
    night.later(minutes(4))
    assert night.clock()["status"] == "paused"
    night.do("action.start", table=1, seat=4)
    night.later(seconds(25))
    assert action(night, "status", "remaining_ms") == ["running", 15_000]
    assert bank(night, 4) == 3


def test_SB_47k_the_action_clock_of_a_hand_runs_on_into_a_break() -> None:
    """The break is due after level 5; the hand in progress is finished on the clock."""
    night = given(SATURDAY, {1: 4}).later(minutes(100) - 1)
    night.do("hand.start", table=1)
    night.do("action.start", table=1, seat=4)
    night.later(seconds(15))
    assert night.clock()["phase"] == "break"
    assert action(night, "status", "remaining_ms") == ["running", 5_000]
