"""The betting round, exactly as the contract says: who has to act, who faces a bet, what is next.

Every expectation here is written by hand from poker's rules.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.night import Night, given, seconds

SATURDAY = "star-brisbane-saturday"


def dealt(players: int = 4, *, button: int = 1, preset: str = SATURDAY, **start: Any) -> Night:
    """Deal a hand; with four players and button 1 the blinds are seats 2 and 3."""
    night = given(preset, {1: players})
    night.do("hand.start", table=1, button=button, **start)
    return night


def hand(night: Night, *keys: str) -> list[Any]:
    """Give parts of the hand's document."""
    found = night.table(1)["hand"]
    return [found[key] for key in keys]


def round_of(night: Night) -> tuple[list[int], int | None, str | None]:
    """Give who has to act, who bet last, and what comes next."""
    to_act, bettor, following = hand(night, "to_act", "bettor", "next")
    return to_act, bettor, following


def play(night: Night, script: str) -> Night:
    """Play actions at once: `c` checks or calls, `f` folds, `b` bets, `a`/`A` all-in call/raise.

    `s` begins the next street.
    """
    commands: dict[str, tuple[str, dict[str, Any]]] = {
        "c": ("action.next", {"acted": True}),
        "f": ("action.fold", {}),
        "b": ("action.hold", {}),
        "a": ("action.all_in", {"raises": False}),
        "A": ("action.all_in", {"raises": True}),
        "s": ("street.next", {}),
    }
    for letter in script:
        do, args = commands[letter]
        night.do(do, table=1, **args)
    return night


def expires(night: Night) -> str | None:
    """Let the clock of the one whose turn it is run out, without chips, and give the outcome."""
    night.do("bank.grant", chips=0, mode="set")
    if night.table(1)["action"]["status"] in ("idle", "held"):
        night.do("action.next", table=1)
    night.later(seconds(20) + 1)
    outcome: str | None = night.table(1)["action"]["outcome"]
    return outcome


# ── who has to act ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("script", "to_act", "bettor", "following"),
    [
        ("", [4, 1, 2, 3], None, "act"),
        ("c", [1, 2, 3], None, "act"),
        ("ccc", [3], None, "act"),  # the big blind's option
        ("cccc", [], None, "flop"),
        ("cccb", [4, 1, 2], 3, "act"),  # it raises: everybody else once more
        ("fff", [], None, "over"),  # a walk
        ("b", [1, 2, 3], 4, "act"),
        ("bb", [2, 3, 4], 1, "act"),  # the next player raised at once
        ("bccc", [], 4, "flop"),
        ("ccccs", [2, 3, 4, 1], None, "act"),
        ("ccccscb", [4, 1, 2], 3, "act"),
        ("ccccscbffc", [], 3, "turn"),
        ("ccccsccccsccccs", [2, 3, 4, 1], None, "act"),
        ("ccccsccccsccccscccc", [], None, "showdown"),
        ("Afff", [], 4, "over"),
        ("Afc", [3], 4, "act"),  # the last to decide decides
        ("Affc", [], 4, "run_out"),
        ("Affcs", [], None, "run_out"),
        ("Affcsss", [], None, "showdown"),
        ("fAcf", [], 1, "run_out"),
        ("fAcfs", [], None, "run_out"),  # seat 2 has nobody to bet against
        ("fAcfss", [], None, "run_out"),
        ("AaaA", [], 3, "run_out"),  # nobody is left who could act
        ("Accf", [], 4, "flop"),
        ("Accfs", [2, 1], None, "act"),
        ("AcA", [3, 1], 2, "act"),
        ("ca", [2, 3], None, "act"),
        ("faa", [], None, "run_out"),  # the big blind has nothing to decide against all-ins
    ],
)
def test_who_has_to_act(script: str, to_act: list[int], bettor: int | None, following: str) -> None:
    """Four players, button 1, blinds 2 and 3."""
    assert round_of(play(dealt(), script)) == (to_act, bettor, following)


@pytest.mark.parametrize(
    ("script", "to_act", "following"),
    [
        ("", [1, 2], "act"),  # the button is the small blind, and first before the flop
        ("c", [2], "act"),
        ("cc", [], "flop"),
        ("ccs", [2, 1], "act"),  # and last after it
        ("cb", [1], "act"),
        ("A", [2], "act"),
        ("Ac", [], "run_out"),
        ("f", [], "over"),
    ],
)
def test_heads_up(script: str, to_act: list[int], following: str) -> None:
    """Seats 1 and 2, button 1."""
    night = play(dealt(2), script)
    assert hand(night, "to_act", "next") == [to_act, following]
    assert hand(night, "button", "blinds") == [1, {"small": 1, "big": 2}]


def test_a_straddle_acts_last_before_the_flop() -> None:
    """Seat 4 straddles: seat 1 is first, and seat 4 has the option."""
    night = dealt(straddle=4)
    assert hand(night, "straddle", "to_act") == [4, [1, 2, 3, 4]]
    play(night, "ccc")
    assert round_of(night) == ([4], None, "act")
    assert hand(night, "facing_bet") == [False]
    assert expires(night) == "check"


@pytest.mark.parametrize(("seat", "code"), [(3, "bad_value"), (9, "no_player")])
def test_a_straddle_is_of_somebody_else_than_the_big_blind(seat: int, code: str) -> None:
    """The big blind has posted already, and an empty seat posts nothing."""
    night = given(SATURDAY, {1: 4})
    assert night.refused("hand.start", table=1, button=1, straddle=seat) == code


# ── facing a bet ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("players", "script", "outcome"),
    [
        (4, "", "dead"),
        (4, "ccc", "check"),  # the option
        (4, "fff", None),
        (4, "ffc", "check"),
        (4, "bff", "dead"),  # raised: no option any more
        (2, "c", "check"),  # heads-up: the option of the big blind
        (2, "", "dead"),
        (4, "ccccs", "check"),
        (4, "ccccscb", "dead"),
        (4, "Aff", "dead"),  # after an all-in and folds the last one to decide has a clock
    ],
)
def test_what_a_clock_that_runs_out_means(players: int, script: str, outcome: str | None) -> None:
    """Dead facing a bet, checked if not (SB-47j): the round knows which."""
    night = play(dealt(players), script)
    if outcome is None:
        assert hand(night, "next", "turn") == ["over", None]
        return
    assert expires(night) == outcome


def test_a_dead_hand_leaves_the_round_and_a_checked_one_has_acted() -> None:
    """When time has run out the turn goes on without that seat."""
    night = dealt()
    assert expires(night) == "dead"
    assert round_of(night) == ([1, 2, 3], None, "act")
    play(night, "ccc")  # the first tap starts seat 1; then it and seat 2 call
    assert expires(night) == "check"
    assert round_of(night) == ([], None, "flop")


def test_a_void_ruling_gives_the_turn_back() -> None:
    """The player is asked again, and acts before the others."""
    night = dealt()
    assert expires(night) == "dead"
    night.do("action.ruling", table=1, outcome="void")
    assert round_of(night) == ([4, 1, 2, 3], None, "act")
    assert hand(night, "turn") == [4]


def test_a_chip_played_after_zero_gives_the_turn_back() -> None:
    """Where chips do not go by themselves the player may still choose (SL-42)."""
    night = dealt(preset="selkirk-main")
    night.do("shotclock.introduce")
    night.do("action.next", table=1)
    night.later(seconds(30) + 1)
    assert round_of(night)[0] == [1, 2, 3]
    night.do("action.bank", table=1, seat=4, chips=1)
    assert round_of(night)[0] == [4, 1, 2, 3]


# ── the dealer is believed ───────────────────────────────────────────────────────────────────────


def test_start_on_a_seat_lets_those_before_have_acted() -> None:
    """Nobody was tapped before seat 2: seats 4 and 1 have called."""
    night = dealt()
    night.do("action.start", table=1, seat=2)
    assert round_of(night) == ([2, 3], None, "act")
    assert night.table(1)["action"]["facing_bet"] is True


def test_start_on_a_seat_that_has_acted_means_a_raise() -> None:
    """Seat 4 called, and is asked again: the seat to its right is the last that can have raised."""
    night = play(dealt(), "cc")
    night.do("action.start", table=1, seat=4)
    assert round_of(night) == ([4, 1, 2], 3, "act")


def test_start_on_the_wrong_seat_is_put_right_by_the_next_one() -> None:
    """Seat 3 was tapped by mistake: nobody has acted, and its option is not lost."""
    night = dealt()
    night.do("action.start", table=1, seat=3)
    night.do("action.start", table=1, seat=4)
    assert round_of(night) == ([4, 1, 2, 3], None, "act")


def test_start_after_the_round_is_never_held_against_the_player() -> None:
    """Somebody raised, or the flop was dealt, and nobody tapped it: nobody faces a bet.

    The street stays what it was, so that who taps streets is never one ahead.
    """
    night = play(dealt(), "cccc")
    night.do("action.start", table=1, seat=4)
    assert hand(night, "street", "to_act") == ["preflop", [4, 1]]
    assert night.table(1)["action"]["facing_bet"] is False
    play(night, "cc")
    assert round_of(night) == ([], None, "flop")
    play(night, "s")
    assert hand(night, "street", "to_act") == ["flop", [2, 3, 4, 1]]


def test_a_bet_that_the_dealer_tells_of_is_faced_by_everybody() -> None:
    """Seat 4 faces a bet on the flop that was not tapped: so does who comes after it."""
    night = play(dealt(), "ccccs")
    night.do("action.start", table=1, seat=4, facing_bet=True)
    assert round_of(night) == ([4, 1, 2], 3, "act")
    night.do("action.next", table=1)
    assert night.table(1)["action"]["facing_bet"] is True


def test_start_is_not_for_who_is_all_in_or_has_folded() -> None:
    """They cannot act in this hand, and the refusal changes nothing."""
    night = play(dealt(), "fA")
    assert night.refused("action.start", table=1, seat=4) == "out_of_turn"
    assert night.refused("action.start", table=1, seat=1) == "out_of_turn"


def test_start_is_not_for_the_only_one_left() -> None:
    """Everybody else has folded: there is nothing to decide."""
    assert play(dealt(), "fff").refused("action.start", table=1, seat=3) == "out_of_turn"


def test_nobody_has_to_act_and_next_says_what_comes() -> None:
    """After the round the tap that means a player is refused with what is next."""
    night = play(dealt(), "cccc")
    assert night.refused("action.next", table=1) == "not_running"
    assert night.refused("action.fold", table=1) == "not_running"


@pytest.mark.parametrize("do", ["action.next", "action.fold", "action.stop"])
def test_a_room_that_taps_only_thinkers_is_never_refused(do: str) -> None:
    """No hand was tapped: START on a seat, and what follows, works all evening."""
    night = given(SATURDAY, {1: 5})
    for seat in (3, 1, 5, 3, 2, 4):
        night.do("action.start", table=1, seat=seat)
        night.later(seconds(3))
        night.do(do, table=1)
    assert hand(night, "next", "to_act") == [None, []]


# ── all-in ───────────────────────────────────────────────────────────────────────────────────────


def test_an_all_in_raises_unless_one_is_faced() -> None:
    """Not said, the first all-in is a bet and the second a call."""
    night = dealt()
    night.do("action.all_in", table=1)
    assert round_of(night) == ([1, 2, 3], 4, "act")
    assert hand(night, "asks_all_in") == [True]
    night.do("action.all_in", table=1)
    assert round_of(night) == ([2, 3], 4, "act")
    assert night.table(1)["action"]["status"] == "running", "a call needs no count"


def test_nothing_is_asked_where_it_makes_no_difference() -> None:
    """Facing an all-in with nobody else to act, raise and call are the same."""
    night = play(dealt(), "Aff")
    assert hand(night, "to_act", "asks_all_in") == [[3], False]


# ── out of turn ──────────────────────────────────────────────────────────────────────────────────


def test_a_fold_out_of_turn_leaves_the_turn_where_it_is() -> None:
    """Seat 2 leaves the table: seat 4's clock runs on, and seat 3 comes after seat 1."""
    night = dealt()
    night.do("action.next", table=1)
    night.later(seconds(5))
    night.do("action.fold", table=1, seat=2)
    action = night.table(1)["action"]
    assert (action["seat"], action["remaining_ms"]) == (4, 15_000)
    assert round_of(night) == ([4, 1, 3], None, "act")


def test_a_fold_out_of_turn_may_end_the_hand() -> None:
    """Nobody is left to act against, so nobody's time runs."""
    night = play(dealt(), "ff")
    assert night.table(1)["action"]["seat"] == 2
    night.do("action.fold", table=1, seat=3)
    assert (hand(night, "next"), night.table(1)["action"]["status"]) == (["over"], "idle")


def test_who_leaves_the_seat_leaves_the_round() -> None:
    """Seat 1 is moved in the middle of the hand; the turn goes on to seat 2."""
    night = play(dealt(), "f")
    night.do("seat.move", player="1-1", table=2, seat=1)
    assert round_of(night) == ([2, 3], None, "act")
    assert hand(night, "turn") == [2]


@pytest.mark.parametrize(
    ("do", "args"),
    [
        ("seat.move", {"player": "1-1", "table": 2, "seat": 1}),
        ("seat.clear", {"player": "1-1"}),
        ("player.bust", {"player": "1-1"}),
    ],
)
def test_nobodys_time_runs_when_everybody_else_has_left(do: str, args: dict[str, Any]) -> None:
    """Heads-up the other player is taken away while the big blind thinks: the hand is over."""
    night = play(dealt(2), "c")
    assert night.table(1)["action"]["seat"] == 2
    night.do(do, **args)
    assert (hand(night, "next", "to_act"), night.table(1)["action"]["status"]) == (
        ["over", []],
        "idle",
    )


def test_a_hand_of_one_player_knows_no_round() -> None:
    """There is nobody to bet against, straddle or not."""
    night = given(SATURDAY, {1: 1})
    night.do("hand.start", table=1, straddle=1)
    assert hand(night, "next", "to_act", "turn") == [None, [], None]


# ── quick play ───────────────────────────────────────────────────────────────────────────────────


def test_who_acts_at_once_needs_no_clock() -> None:
    """From the deal and from a count a call, a fold or a raise is one tap."""
    night = dealt()
    night.do("action.next", table=1, acted=True)
    assert night.table(1)["action"]["seat"] == 1
    night.do("action.hold", table=1)
    night.do("action.next", table=1, acted=True)
    assert night.table(1)["action"]["seat"] == 3
    assert round_of(night) == ([3, 4], 1, "act")


def test_the_street_tap_may_start_the_first_players_clock() -> None:
    """One tap for the flop and the time of who is first."""
    night = play(dealt(), "cccc")
    night.do("street.next", table=1, start=True)
    action = night.table(1)["action"]
    assert (action["status"], action["seat"], action["facing_bet"]) == ("running", 2, False)
    night = play(dealt(), "Affc")
    night.do("street.next", table=1, start=True)
    assert night.table(1)["action"]["status"] == "idle", "nobody can act"


def test_the_board_is_run_with_one_tap() -> None:
    """A named street is dealt at once; what has been dealt is not dealt again."""
    night = play(dealt(), "Affc")
    night.do("street.next", table=1, street="river")
    assert hand(night, "street", "next") == ["river", "showdown"]
    night = play(dealt(), "ccccss")
    assert night.refused("street.next", table=1, street="flop") == "bad_value"


# ── the called clock, where no action clock runs ─────────────────────────────────────────────────


def called(script: str, seat: int, preset: str = "star-brisbane-friday") -> Night:
    """Call the clock on a seat, and let it run out."""
    night = play(dealt(preset=preset), script)
    night.do("called.start", table=1, seat=seat)
    return night.later(seconds(30) + 1)


@pytest.mark.parametrize(
    ("script", "seat", "outcome", "turn"),
    [("", 4, "dead", 1), ("", 3, "check", None), ("ccccs", 2, "check", 3), ("b", 3, "dead", None)],
)
def test_SB_25_after_an_expired_called_clock_the_turn_goes_on(
    script: str, seat: int, outcome: str, turn: int | None
) -> None:
    """Dead or checked by the round, and the next player is to act."""
    night = called(script, seat)
    assert night.table(1)["called"]["outcome"] == outcome
    assert hand(night, "turn") == [turn]


def test_SL_41_the_called_clock_kills_without_a_bet_and_the_turn_goes_on() -> None:
    """Selkirk's hand is dead on the flop with nothing bet, and seat 3 is next."""
    night = called("ccccs", 2, "selkirk-main")
    assert night.table(1)["called"]["outcome"] == "dead"
    assert (hand(night, "turn"), round_of(night)[0]) == ([3], [3, 4, 1])


@pytest.mark.parametrize(
    ("do", "args", "to_act"),
    [
        ("called.stop", {}, [1, 2, 3]),
        ("action.fold", {}, [1, 2, 3]),
        ("action.hold", {}, [1, 2, 3]),
        ("action.next", {}, [1, 2, 3]),
        ("action.all_in", {"raises": False}, [1, 2, 3]),
    ],
)
def test_what_the_called_player_did_ends_the_called_clock(
    do: str, args: dict[str, Any], to_act: list[int]
) -> None:
    """PLAYER ACTED is a check or call; the other buttons mean the same seat."""
    night = dealt(preset="star-brisbane-friday")
    night.do("called.start", table=1, seat=4)
    night.do(do, table=1, **args)
    assert night.table(1)["called"]["status"] == "off"
    assert round_of(night)[0] == to_act


@pytest.mark.parametrize(("limit", "ms"), [(10, 10_000), (60, 30_000), (None, 30_000)])
def test_AT_3_10_2_a_limit_never_lengthens_a_called_clock(limit: int | None, ms: int) -> None:
    """A limit of ten seconds hurries; one of a minute leaves the house's half minute."""
    night = dealt(preset="star-brisbane-friday")
    night.do("player.limit", player="1-4", seconds=limit)
    night.do("called.start", table=1, seat=4)
    assert night.table(1)["called"]["remaining_ms"] == ms


# ── re-sync ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("args", "to_act", "bettor", "street"),
    [
        ({"seat": 2}, [2, 3], None, "preflop"),
        ({"seat": 2, "street": "turn"}, [2, 3, 4, 1], None, "turn"),
        ({"seat": 3, "street": "flop", "live": [1, 3]}, [3, 1], None, "flop"),
        ({"seat": 1, "street": "flop", "live": [1, 3], "bet": True}, [1], 3, "flop"),
        ({"seat": 4, "street": "river", "bettor": 2}, [4, 1], 2, "river"),
        ({"seat": 4, "bet": True}, [4, 1, 2], 3, "preflop"),
    ],
)
def test_one_command_puts_a_forgotten_hand_right(
    args: dict[str, Any], to_act: list[int], bettor: int | None, street: str
) -> None:
    """Street, live seats, bet and turn, whatever was tapped before; nobody's time begins."""
    night = dealt()
    night.do("action.next", table=1)
    night.do("hand.sync", table=1, **args)
    assert round_of(night) == (to_act, bettor, "act")
    assert hand(night, "street", "turn") == [street, args["seat"]]
    assert night.table(1)["action"]["status"] == "idle"
    live = args.get("live", [1, 2, 3, 4])
    seats = night.table(1)["seats"]
    assert [int(seat) for seat in seats if seats[seat]["in_hand"]] == live


@pytest.mark.parametrize(
    ("args", "code"),
    [
        ({"seat": 9}, "no_player"),
        ({"seat": 2, "live": [1, 3]}, "out_of_turn"),
        ({"seat": 2, "live": [2, 9]}, "no_player"),
        ({"seat": 2, "live": [2]}, "bad_value"),
        ({"seat": 2, "bettor": 2}, "bad_value"),
    ],
)
def test_a_sync_that_cannot_be_is_refused(args: dict[str, Any], code: str) -> None:
    """Who is to act is in the hand, and faces somebody else's bet."""
    assert dealt().refused("hand.sync", table=1, **args) == code
