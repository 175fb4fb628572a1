"""What a dealer's console shows of the houses' rules, each test named by the rule's id."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dealer_console.face import Button, Face, Look, face
from tests.dealer_console.cases import dealt, table_of
from tests.night import minutes, seconds

if TYPE_CHECKING:
    from tests.night import Night


def shown(night: Night, number: int = 7) -> Face:
    """Look at a table now."""
    return face(Look(number, night.table(number), night.event(), None, night.now))


def tap(night: Night, name: str) -> Face:
    """Tap a button of the console."""
    found = shown(night)
    command = button(found, name).command
    assert command is not None, name
    night.do(command["do"], **command["args"])
    return shown(night)


def button(found: Face, name: str) -> Button:
    """Find a button."""
    return next(one for one in (found.big, *found.buttons) if one.id == name)


def test_SB_47a_chips_of_every_seat_are_always_seen() -> None:
    """Four chips each from the start of play, in every state of the table."""
    night = table_of()
    assert [seat.chips for seat in shown(night).seats[:5]] == [4] * 5
    tap(night, "big")
    assert [seat.chips for seat in tap(night, "big").seats[:5]] == [4] * 5


def test_SB_47c_the_clock_starts_when_the_dealer_starts_it() -> None:
    """After the deal nobody's time runs; START gives the first player the base time."""
    night = dealt()
    found = shown(night)
    assert (found.state, found.big.label, found.stands) == ("to_start", "START", True)
    found = tap(night, "big")
    assert (found.digits, found.big.label, found.stands) == ("0:20", "NEXT PLAYER", False)


def test_SB_47d_a_bet_is_counted_before_the_next_clock_starts() -> None:
    """COUNT holds; however long it takes, the next tap gives the next player full time."""
    night = dealt()
    tap(night, "big")
    night.later(seconds(6))
    found = tap(night, "count")
    assert (found.state, found.seat, found.digits) == ("held", 5, "0:20")
    night.later(seconds(45))
    assert shown(night).digits == "0:20"
    assert shown(night).detail == "counting seat 4's bet · seat 5 is next"
    found = tap(night, "big")
    assert (found.state, found.seat, found.digits) == ("running", 5, "0:20")


def test_SB_47f_chips_travel_with_the_player() -> None:
    """Who has spent one and moves has three at the new table."""
    night = dealt()
    tap(night, "big")
    tap(night, "bank")
    night.do("seat.move", player="p4", table=8, seat=2)
    assert shown(night, 8).seats[1].chips == 3


def test_SB_47g_a_chip_adds_its_time() -> None:
    """One tap, one chip, twenty seconds more."""
    night = dealt()
    tap(night, "big")
    night.later(seconds(6))
    found = tap(night, "bank")
    assert (found.digits, found.seats[3].chips, found.word) == ("0:34", 3, "TIME BANK")


def test_SB_47h_the_chip_that_burns_is_seen_and_collected() -> None:
    """At zero it goes by itself; when the action is over the dealer is told, until it is done."""
    night = dealt()
    tap(night, "big")
    night.later(seconds(21))
    found = shown(night)
    assert (found.state, found.seats[3].burning, found.seats[3].chips) == ("on_bank", True, 3)
    assert found.collect == ()
    found = tap(night, "big")
    assert [owed.words for owed in found.collect] == ["collect 1 from seat 4"]
    assert found.seats[3].owes == 1
    owed = found.collect[0].command
    assert owed is not None
    night.do(owed["do"], **owed["args"])
    assert shown(night).collect == ()


def test_SB_47i_several_chips_at_once_are_all_gone() -> None:
    """The seat says how many it may push; what is pushed is spent even if time is left."""
    night = dealt()
    found = tap(night, "big")
    seat = found.seats[3]
    assert (seat.most, seat.bank is not None) == (4, True)
    night.do("action.bank", table=7, seat=4, chips=3)
    assert tap(night, "big").collect[0].chips == 3


def test_SB_47j_dead_or_check_in_words() -> None:
    """Facing a bet it is DEAD HAND; on a street without one, CHECK."""
    night = dealt()
    night.do("bank.grant", chips=0, mode="set")
    tap(night, "big")
    night.later(seconds(20) + 1)
    found = shown(night)
    assert (found.word, found.alarm, found.seats[3].folded) == ("DEAD HAND", "zero", True)
    tap(night, "big")
    tap(night, "street")
    tap(night, "big")
    night.later(seconds(20) + 1)
    assert shown(night).word == "CHECK"


def test_SB_47k_hand_for_hand_does_not_suspend_the_clock() -> None:
    """The big button keeps the rhythm, HAND DONE stands beside it."""
    night = dealt()
    night.do("h4h.announce")
    found = tap(night, "big")
    assert (found.state, found.big.label) == ("running", "NEXT PLAYER")
    assert button(found, "over").label == "HAND DONE"
    assert button(found, "over").command is not None


def test_SB_19_hand_by_hand_the_console_says_what_to_do() -> None:
    """Announced, done, hold, released: in words, with the hand's number and the count."""
    night = dealt()
    night.do("h4h.announce")
    assert shown(night).h4h == "HAND FOR HAND · finish this hand, then hold"
    found = tap(night, "over")
    assert (found.state, found.big.command) == ("h4h_hold", None)
    assert button(found, "new").command is None
    night.do("h4h.next")
    found = shown(night)
    assert (found.big.label, found.h4h) == (
        "NEW HAND",
        "HAND FOR HAND · hand 1 · 0 of 1 table done",
    )


def test_SB_30_an_all_in_waits_face_down() -> None:
    """No street, no report, nobody's clock, until the board may be run."""
    night = dealt()
    night.do("h4h.announce")
    tap(night, "big")
    found = tap(night, "all_in")
    assert (found.state, found.big.label, found.digits) == ("h4h_all_in", "WAIT", "")
    assert [button(found, name).command for name in ("street", "over", "new")] == [None] * 3
    night.do("h4h.runout", table=7)
    found = shown(night)
    assert (found.word, found.big.label) == ("RUN THE BOARD", "HAND DONE")


def test_SL_42_chips_may_be_played_after_zero() -> None:
    """Nothing burns by itself: at zero the player may still push one or all of eight."""
    night = table_of("selkirk-main")
    night.do("shotclock.introduce")
    tap(night, "new")
    tap(night, "big")
    night.later(seconds(30) + 1)
    found = shown(night)
    seat = found.seats[(found.seat or 1) - 1]
    assert (found.state, seat.chips, seat.most) == ("expired_dead", 8, 8)
    found = tap(night, "bank")
    assert (found.state, found.digits) == ("on_bank", "0:30")


def test_AP_29_the_called_clock_and_a_tie() -> None:
    """It counts, then counts down; a tap at zero is the player's."""
    night = dealt("apl")
    night.do("called.start", table=7, seat=2)
    found = shown(night)
    assert (found.state, found.digits, found.big.label) == ("called", "0:30", "PLAYER ACTED")
    night.later(seconds(25))
    assert shown(night).state == "called_countdown"
    night.later(seconds(5))
    assert (shown(night).digits, shown(night).alarm) == ("0:00", "zero")
    assert tap(night, "big").state == "idle"


def test_AP_23_this_hand_and_the_next() -> None:
    """The level of the hand stays, the next one's is announced; a push keeps one more."""
    night = dealt("apl")
    night.later(night.clock()["ends_at"] - night.now - seconds(1))
    night.do("dealer.push", table=7)
    night.later(seconds(2))
    found = shown(night)
    assert (found.this_hand, found.level_changes) == ("10 / 20", False)
    night.do("undo", table=7)
    found = shown(night)
    assert (found.this_hand, found.next_hand, found.level_changes) == ("10 / 20", "15 / 30", True)


def test_SB_20_a_new_level_waits_for_the_next_deal() -> None:
    """Between hands the console shows what will be dealt, and says that it has changed."""
    night = dealt()
    night.later(night.clock()["ends_at"] - night.now + seconds(1))
    assert (shown(night).this_hand, shown(night).next_hand) == (
        "100 / 100 (100)",
        "100 / 200 (200)",
    )
    found = tap(night, "over")
    assert (found.this_hand, found.next_hand) == ("", "100 / 200 (200)")
    assert tap(night, "big").this_hand == "100 / 200 (200)"


def test_AP_RP7_hold_the_push_and_AP_RP20_prepare_decks() -> None:
    """Ninety seconds before the level changes, and one minute before play goes on."""
    night = dealt("apl")
    night.later(night.clock()["ends_at"] - night.now - seconds(90))
    assert shown(night).notices == ("HOLD THE PUSH",)
    night.do("hand.end", table=7)
    night.do("break.call", minutes=5)
    assert shown(night).notices == ()
    night.later(minutes(4))
    assert shown(night).notices == ("PREPARE YOUR DECKS",)


def test_AP_RP8_without_an_action_clock_the_hand_is_reported_by_the_big_button() -> None:
    """HAND DONE is the big one; all-in and call is reported beside it."""
    night = dealt("apl")
    night.do("h4h.announce")
    found = shown(night)
    assert (found.state, found.big.label) == ("h4h_playing", "HAND DONE")
    assert button(found, "all_in").command is not None
    assert tap(night, "big").state == "h4h_hold"


def test_AT_3_10_2_a_limited_player_has_ten_seconds_and_no_time_bank() -> None:
    """The limit stands at the seat, the clock is that long, and a chip cannot be pushed."""
    night = dealt()
    night.do("player.limit", player="p4", seconds=10)
    found = tap(night, "big")
    assert (found.digits, found.seats[3].limit, found.seats[3].most) == ("0:10", "10 s", 0)
    assert (button(found, "bank").command, button(found, "bank").note) == (
        None,
        "limited: no time bank",
    )
