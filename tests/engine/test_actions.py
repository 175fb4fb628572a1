"""The action clock: whose time runs, in which order, facing what, and how it ends.

The Saturday Shot Clock gives 20 s and four time-bank chips; here most players have no chips, so
that zero is zero. Chips, pauses, the called clock and refusals have files of their own.
"""

import pytest

from tests.night import Night, given, minutes, seconds

SATURDAY = "star-brisbane-saturday"


def dealt(players: int = 4, *, button: int = 1, chips: int = 0) -> Night:
    """Give a table in the middle of a hand; nobody's time runs yet."""
    night = given(SATURDAY, {1: players})
    night.do("bank.grant", chips=chips, mode="set")
    night.do("hand.start", table=1, button=button)
    return night


def acting(night: Night) -> tuple[str, int | None, int | None]:
    """Give the status of the action clock, its seat and its time."""
    action = night.table(1)["action"]
    return action["status"], action["seat"], action["remaining_ms"]


def order(night: Night, count: int) -> list[int | None]:
    """Let so many players act one after the other, and give their seats."""
    seats = []
    for _ in range(count):
        night.do("action.next", table=1)
        seats.append(night.table(1)["action"]["seat"])
    return seats


# ── start, next, fold, stop ──────────────────────────────────────────────────────────────────────


def test_nobodys_time_runs_before_the_dealer_says_so() -> None:
    """A hand has begun, and the clock is idle: the cards are still being dealt."""
    night = dealt()
    night.later(seconds(40))
    assert acting(night) == ("idle", None, None)


def test_start_gives_the_base_time() -> None:
    """The player has 20 s from the tap on, and the document says until when."""
    night = dealt()
    night.later(700)
    night.do("action.start", table=1, seat=4)
    assert acting(night) == ("running", 4, 20_000)
    action = night.table(1)["action"]
    assert (action["ends_at"], action["used"], action["outcome"]) == (20_700, 0, None)
    night.later(seconds(7.5))
    assert acting(night) == ("running", 4, 12_500)


def test_start_for_another_seat_takes_the_clock_over() -> None:
    """A dealer who tapped the wrong seat taps the right one."""
    night = dealt()
    night.do("action.start", table=1, seat=3)
    night.later(seconds(5))
    night.do("action.start", table=1, seat=4)
    assert acting(night) == ("running", 4, 20_000)


def test_next_gives_the_next_player_the_full_time() -> None:
    """The clock is reset for the next player, however much was left."""
    night = dealt()
    night.do("action.start", table=1, seat=2)
    night.later(seconds(19))
    night.do("action.next", table=1)
    assert acting(night) == ("running", 3, 20_000)


def test_next_may_name_a_seat() -> None:
    """The dealer knows better where the action is."""
    night = dealt()
    night.do("action.start", table=1, seat=2)
    night.do("action.next", table=1, seat=4)
    assert acting(night) == ("running", 4, 20_000)


def test_fold_puts_the_seat_out_of_the_hand() -> None:
    """The next player's time begins, and the folded seat is out until the next hand."""
    night = dealt()
    night.do("action.start", table=1, seat=2)
    night.do("action.fold", table=1)
    assert acting(night) == ("running", 3, 20_000)
    assert night.table(1)["seats"]["2"]["in_hand"] is False
    assert night.table(1)["seats"]["3"]["in_hand"] is True
    night.do("hand.end", table=1)
    night.do("hand.start", table=1)
    assert night.table(1)["seats"]["2"]["in_hand"] is True


def test_stop_leaves_nobodys_time_running() -> None:
    """The current player has acted; the next one's time begins with the next tap."""
    night = dealt()
    night.do("action.start", table=1, seat=2)
    night.do("action.stop", table=1)
    assert acting(night) == ("idle", None, None)
    night.later(minutes(1))
    night.do("action.next", table=1)
    assert acting(night) == ("running", 3, 20_000)


def test_the_end_of_the_hand_stops_the_clock() -> None:
    """When the hand is over nobody has anything to decide."""
    night = dealt()
    night.do("action.start", table=1, seat=2)
    night.do("hand.end", table=1)
    assert acting(night) == ("idle", None, None)


def test_a_new_hand_begins_with_nobodys_time_running() -> None:
    """A clock started between tracked hands does not run on into the riffle of the next hand."""
    night = given(SATURDAY, {1: 4})
    night.do("action.start", table=1, seat=2)
    night.do("hand.start", table=1)
    assert acting(night) == ("idle", None, None)


# ── turn order ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("players", "button", "seats"),
    [
        (4, 1, [4, 1, 2, 3]),  # blinds 2 and 3
        (4, 3, [2, 3, 4, 1]),  # blinds 4 and 1
        (9, 9, [3, 4, 5]),  # blinds 1 and 2
        (3, 2, [2, 3, 1]),  # blinds 3 and 1, the button first
        (2, 1, [1, 2, None]),  # heads-up the button is the small blind and first
        (2, 2, [2, 1, None]),
    ],
)
def test_before_the_flop_the_player_after_the_big_blind_is_first(
    players: int, button: int, seats: list[int | None]
) -> None:
    """The first tap starts the first to act, and the turn goes round once."""
    night = dealt(players, button=button)
    assert order(night, len(seats)) == seats


def test_empty_seats_are_not_counted() -> None:
    """Seats 2, 5, 7 and 8, button 5: the blinds are 7 and 8, so 2 is first, then 5."""
    night = given(SATURDAY)
    for seat in (2, 5, 7, 8):
        night.do("seat.put", player=f"p{seat}", table=1, seat=seat)
    night.do("hand.start", table=1, button=5)
    assert order(night, 4) == [2, 5, 7, 8]


def test_the_button_moves_on_by_itself() -> None:
    """A hand without a named button has it one player further, over empty seats and around."""
    night = given(SATURDAY)
    for seat in (2, 5, 7):
        night.do("seat.put", player=f"p{seat}", table=1, seat=seat)
    buttons = []
    night.do("hand.start", table=1, button=5)
    for _ in range(3):
        night.do("hand.end", table=1)
        night.do("hand.start", table=1)
        buttons.append(night.table(1)["hand"]["button"])
    assert buttons == [7, 2, 5]


def test_folded_seats_are_skipped() -> None:
    """After 4 and 2 have folded the turn goes on to 3; when 3 bets, back to 1 and to nobody."""
    night = dealt()
    night.do("action.next", table=1)  # 4
    night.do("action.fold", table=1)  # 1 is on
    night.do("action.next", table=1)  # 2 is on
    night.do("action.fold", table=1)
    assert acting(night)[1] == 3
    night.do("action.hold", table=1)
    assert order(night, 2) == [1, None]


def test_the_last_player_left_has_nothing_to_decide() -> None:
    """When everybody else has folded nobody's time runs."""
    night = dealt(3)
    night.do("action.next", table=1)
    night.do("action.fold", table=1)
    assert acting(night) == ("running", 2, 20_000)
    night.do("action.fold", table=1)
    assert acting(night) == ("idle", None, None)
    night.later(minutes(1))
    assert night.table(1)["seats"]["3"]["in_hand"] is True


@pytest.mark.parametrize(
    ("folded", "seats"), [((), [2, 3, 4, 1]), ((2,), [3, 4, 1, None]), ((2, 3), [4, 1, None])]
)
def test_after_the_flop_the_first_live_seat_after_the_button_is_first(
    folded: tuple[int, ...], seats: list[int | None]
) -> None:
    """Button 1: seat 2 is first, or whoever is still in after it."""
    night = dealt()
    for seat in folded:
        night.do("action.start", table=1, seat=seat)
        night.do("action.fold", table=1)
    night.do("street.next", table=1)
    assert acting(night) == ("idle", None, None)
    assert order(night, len(seats)) == seats


def test_heads_up_after_the_flop_the_big_blind_is_first() -> None:
    """Heads-up the button acts first before the flop and last after it."""
    night = dealt(2)
    night.do("street.next", table=1)
    assert order(night, 2) == [2, 1]


# ── counting a bet ───────────────────────────────────────────────────────────────────────────────


def test_hold_after_a_bet_nobodys_time_runs_while_it_is_counted() -> None:
    """The bettor's action is over; the next live seat waits with the full base time."""
    night = dealt()
    night.do("action.start", table=1, seat=4)
    night.later(seconds(15))
    night.do("action.hold", table=1)
    assert acting(night) == ("held", 1, 20_000)
    assert night.table(1)["action"]["ends_at"] is None
    night.later(seconds(45))
    assert acting(night) == ("held", 1, 20_000)
    night.do("action.release", table=1)
    assert acting(night) == ("running", 1, 20_000)


def test_hold_after_a_bet_the_next_tap_releases_too() -> None:
    """A dealer who taps next after the count starts the player who waits, and skips nobody."""
    night = dealt()
    night.do("action.start", table=1, seat=4)
    night.do("action.hold", table=1)
    night.later(seconds(9))
    night.do("action.next", table=1)
    assert acting(night) == ("running", 1, 20_000)


def test_hold_skips_folded_seats() -> None:
    """The next live seat after the bettor waits for the count."""
    night = dealt()
    night.do("action.start", table=1, seat=1)
    night.do("action.fold", table=1)
    night.do("action.start", table=1, seat=4)
    night.do("action.hold", table=1)
    assert acting(night) == ("held", 2, 20_000)


def test_hold_for_the_current_player_goes_on_from_where_it_stood() -> None:
    """Something is counted for the player: 15 s were used, 5 s are left, before and after."""
    night = dealt()
    night.do("action.start", table=1, seat=4)
    night.later(seconds(15))
    night.do("action.hold", table=1, acted=False)
    night.later(minutes(2))
    assert acting(night) == ("held", 4, 5_000)
    night.do("action.release", table=1)
    night.later(seconds(5))
    assert acting(night) == ("running", 4, 0)
    night.later(1)
    assert acting(night) == ("expired", 4, 0)


def test_hold_for_the_current_player_who_then_bets() -> None:
    """A count for the player may turn into a count of that player's bet."""
    night = dealt()
    night.do("action.start", table=1, seat=4)
    night.do("action.hold", table=1, acted=False)
    night.do("action.hold", table=1)
    assert acting(night) == ("held", 1, 20_000)


# ── facing a bet ─────────────────────────────────────────────────────────────────────────────────


def outcome(night: Night) -> str:
    """Let the running clock run out, and say what becomes of the hand."""
    night.later(seconds(21))
    found: str = night.table(1)["action"]["outcome"]
    return found


def test_before_the_flop_everybody_faces_a_bet() -> None:
    """The big blind is a bet: out of time, the hand is dead and out."""
    night = dealt()
    night.do("action.next", table=1)
    assert outcome(night) == "dead"
    assert night.table(1)["seats"]["4"]["in_hand"] is False


def test_after_street_next_nobody_faces_a_bet() -> None:
    """Out of time, the hand is checked and stays in; the next player faces nothing either."""
    night = dealt()
    night.do("street.next", table=1)
    night.do("action.next", table=1)
    assert outcome(night) == "check"
    assert night.table(1)["seats"]["2"]["in_hand"] is True
    night.do("action.next", table=1)
    assert outcome(night) == "check"


def test_after_a_counted_bet_everybody_faces_it() -> None:
    """The one who waited for the count, and everybody after."""
    night = dealt()
    night.do("street.next", table=1)
    night.do("action.next", table=1)
    night.do("action.hold", table=1)
    night.do("action.release", table=1)
    assert outcome(night) == "dead"
    night.do("action.next", table=1)
    assert outcome(night) == "dead"


def test_a_counted_bet_is_faced_until_the_next_street() -> None:
    """On the turn nobody has bet yet."""
    night = dealt()
    night.do("street.next", table=1)
    night.do("action.next", table=1)
    night.do("action.hold", table=1)
    night.do("action.release", table=1)
    night.do("street.next", table=1)
    night.do("action.next", table=1)
    assert outcome(night) == "check"


def test_a_hold_for_the_current_player_is_no_bet() -> None:
    """After `acted` false the player faces what was faced before."""
    night = dealt()
    night.do("street.next", table=1)
    night.do("action.next", table=1)
    night.do("action.hold", table=1, acted=False)
    night.do("action.release", table=1)
    assert outcome(night) == "check"


@pytest.mark.parametrize("command", ["action.next", "action.fold"])
def test_the_big_blind_has_its_option_and_a_raise_takes_it_away(command: str) -> None:
    """Seat 3 is last before the flop and may check; when somebody has raised it faces a bet."""
    night = dealt()
    night.do("action.start", table=1, seat=2)
    night.do(command, table=1)
    assert (acting(night)[1], outcome(night)) == (3, "check")
    night = dealt()
    night.do("action.start", table=1, seat=2)
    night.do("action.hold", table=1)
    night.do("action.release", table=1)
    assert (acting(night)[1], outcome(night)) == (3, "dead")


@pytest.mark.parametrize("command", ["action.next", "action.fold"])
def test_what_the_dealer_says_of_a_bet_is_believed(command: str) -> None:
    """The dealer's correction counts for this action, whatever the round says."""
    night = dealt()
    night.do("action.start", table=1, seat=4)
    night.do(command, table=1, facing_bet=False)
    assert (acting(night)[1], outcome(night)) == (1, "check")


def test_the_next_hand_begins_before_the_flop_again() -> None:
    """What was true on the last street of the last hand says nothing of this one."""
    night = dealt()
    night.do("street.next", table=1)
    night.do("hand.end", table=1)
    night.do("hand.start", table=1)
    doc = night.table(1)["hand"]
    assert (doc["street"], doc["facing_bet"]) == ("preflop", True)
    night.do("action.next", table=1)
    assert outcome(night) == "dead"


# ── zero, and what the floor rules ───────────────────────────────────────────────────────────────


def test_a_tie_goes_to_the_player() -> None:
    """At exactly 20.000 s the player may act; after that the hand is dead."""
    night = dealt()
    night.do("action.next", table=1)
    night.later(seconds(20))
    assert acting(night) == ("running", 4, 0)
    night.do("action.next", table=1)
    assert night.table(1)["seats"]["4"]["in_hand"] is True
    night.later(seconds(20) + 1)
    assert acting(night) == ("expired", 1, 0)
    night.later(1)
    night.do("action.next", table=1)
    assert night.table(1)["seats"]["1"]["in_hand"] is False
    assert acting(night) == ("running", 2, 20_000)


def test_the_ruling_may_be_that_it_was_a_check() -> None:
    """The floor puts the dead hand back as a check."""
    night = dealt()
    night.do("action.next", table=1)
    night.later(seconds(21))
    night.do("action.ruling", table=1, outcome="check")
    doc = night.table(1)
    assert (doc["action"]["outcome"], doc["seats"]["4"]["in_hand"]) == ("check", True)
    night.do("action.next", table=1)
    assert acting(night)[1] == 1


def test_the_ruling_may_be_that_the_hand_is_dead() -> None:
    """The floor kills a hand that was taken for a check."""
    night = dealt()
    night.do("street.next", table=1)
    night.do("action.next", table=1)
    night.later(seconds(21))
    night.do("action.ruling", table=1, outcome="dead")
    doc = night.table(1)
    assert (doc["action"]["outcome"], doc["seats"]["2"]["in_hand"]) == ("dead", False)


def test_a_void_ruling_restores_the_player() -> None:
    """As if time had not run out: the hand is live, and the same player is to act."""
    night = dealt()
    night.do("action.next", table=1)
    night.later(seconds(21))
    night.do("action.ruling", table=1, outcome="void")
    assert night.table(1)["action"]["outcome"] is None
    assert night.table(1)["seats"]["4"]["in_hand"] is True
    night.do("action.next", table=1)
    assert acting(night) == ("running", 4, 20_000)
