"""The truth looked at by itself: a driver that is wrong about poker finds wrong faults."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.hands.players import WEIGHTS, choose, seeded
from tests.hands.poker import BIG, SMALL, Act, Hand, Places, finished, left_of
from tests.hands.rotation import Rotation
from tests.hands.test_dead_button import MOVING, SITUATIONS, Deal

if TYPE_CHECKING:
    from random import Random

MOST_ACTIONS = 400
"""More than a hand can have: every raise is at least a big blind."""


def dealt(*stacks: int, straddle: int | None = None) -> Hand:
    """Give a hand with seat 1 on the button; heads-up seat 1 is the small blind."""
    seats = dict(enumerate(stacks, start=1))
    small, big = (1, 2) if len(seats) == 2 else (2, 3)
    return Hand(seats, Places(1, small, big), straddle)


def play(hand: Hand, *acts: str) -> list[int]:
    """Let players act by the kinds of their actions; give the seats that acted."""
    seats = []
    for kind in acts:
        assert hand.turn is not None
        seats.append(hand.turn)
        wanted, _, size = kind.partition(" ")
        hand.act(
            next(
                act
                for act in hand.options()
                if act.kind == wanted and (size == "all-in") <= act.all_in
            )
        )
    return seats


def random_hand(luck: Random) -> Hand:
    """Give any hand: two to ten seats of ten, any button, short stacks among them."""
    seats = sorted(luck.sample(range(1, 11), luck.randint(2, 10)))
    stacks = {seat: luck.choice([3, 4, 7, 20, 90, 400]) for seat in seats}
    places = Rotation(dead=True, first=luck.choice(seats)).deal(seats)
    third = left_of(places.big, seats)[0]
    straddles = len(seats) > 3 and stacks[third] > 2 * BIG and luck.random() < 0.2
    return Hand(stacks, places, third if straddles else None)


@pytest.mark.parametrize("style", sorted(WEIGHTS))
def test_chips_are_kept_and_every_hand_ends(style: str) -> None:
    """Whatever players do: chips are conserved, rounds end, and nobody is asked in vain."""
    for seed in range(700):
        luck = seeded(seed)
        hand = random_hand(luck)
        total = sum(hand.before.values())
        for _ in range(MOST_ACTIONS):
            if finished(hand):
                break
            seat = hand.turn
            if seat is None:
                hand.deal()
                continue
            assert seat in hand.live - hand.all_in
            assert hand.stacks[seat] > 0 or seat in hand.forced
            assert len(set(hand.to_act)) == len(hand.to_act)
            hand.act(choose(hand, luck, style))
            assert seat not in hand.to_act, "nobody acts twice without an answer between"
            assert sum(hand.stacks.values()) + sum(hand.paid.values()) == total
            assert all(hand.stacks[s] == 0 for s in hand.all_in)
        assert finished(hand)
        owed = {s for s in hand.live - hand.all_in if hand.put[s] < hand.bet}
        assert not owed or len(hand.live) == 1 or owed <= hand.forced
        after = hand.pay_out(luck)
        assert sum(after.values()) == total
        assert all(chips >= 0 for chips in after.values())
        assert all(after[s] <= hand.before[s] for s in set(after) - hand.live)


def test_the_big_blind_has_the_option() -> None:
    """Everybody calls: the big blind is asked last and owes nothing."""
    hand = dealt(100, 100, 100, 100)
    assert hand.to_act == [4, 1, 2, 3]
    assert play(hand, "call", "call", "call") == [4, 1, 2]
    assert (hand.to_act, hand.facing, hand.next) == ([3], False, "act")
    play(hand, "check")
    assert (hand.to_act, hand.next) == ([], "flop")


def test_a_straddle_has_the_option_instead() -> None:
    """The big blind owes the straddle; the straddle is asked last."""
    hand = dealt(100, 100, 100, 100, straddle=4)
    assert hand.to_act == [1, 2, 3, 4]
    play(hand, "call", "call")
    assert (hand.turn, hand.facing) == (3, True)
    play(hand, "call")
    assert (hand.turn, hand.facing) == (4, False)


def test_heads_up_the_button_is_first_before_the_flop_and_last_after_it() -> None:
    """It is the small blind."""
    hand = dealt(100, 100)
    assert hand.to_act == [1, 2]
    play(hand, "call", "check")
    hand.deal()
    assert hand.to_act == [2, 1]


def test_a_raise_is_answered_by_everybody_else() -> None:
    """Also by those who called before, and not by those who folded or are all-in."""
    hand = dealt(100, 100, 100, 100, 20)
    play(hand, "call", "raise all-in", "fold", "raise")
    assert hand.to_act == [3, 4]
    play(hand, "fold", "call")
    assert (hand.to_act, hand.next, hand.bettor) == ([], "flop", 2)


def test_a_short_all_in_is_owed_but_does_not_open_the_betting_again() -> None:
    """Who has raised to 12 owes 4 more after an all-in of 16, and may not raise again."""
    hand = dealt(16, 100, 100, 100)
    hand.act(Act("raise", 12))
    hand.act(Act("raise", 16, all_in=True))
    play(hand, "call", "fold")
    assert (hand.turn, hand.facing) == (4, True)
    assert {act.kind for act in hand.options()} == {"fold", "call"}


def test_a_short_stack_calls_for_less() -> None:
    """It opens nothing; a big blind against it alone has nothing to decide."""
    hand = dealt(SMALL + 1, 100)
    play(hand, "call all-in")
    assert (hand.to_act, hand.next) == ([], "run_out")


def test_after_a_called_all_in_the_board_is_run_out() -> None:
    """Nobody is asked on any street, until there is nothing but the showdown."""
    hand = dealt(50, 80, 100)
    play(hand, "raise all-in", "fold", "call")
    for street in ("preflop", "flop", "turn"):
        assert (hand.street, hand.to_act, hand.next) == (street, [], "run_out")
        hand.deal()
    assert (hand.street, hand.to_act, hand.next) == ("river", [], "showdown")


def test_a_big_blind_that_is_the_whole_stack_is_all_in() -> None:
    """It is told when its turn comes, has nothing to decide, and wins no more than it covers."""
    hand = dealt(100, 100, SMALL + 1)
    play(hand, "raise", "fold")
    assert hand.options() == [Act("call", SMALL + 1, all_in=True)]
    play(hand, "call")
    assert (hand.all_in, hand.next) == ({3}, "run_out")
    lucky = next(s for s in range(99) if hand.pay_out(seeded(s))[3])
    assert hand.pay_out(seeded(lucky)) == {1: 97, 2: 98, 3: 8}


def test_everybody_folds_to_the_big_blind() -> None:
    """One is left, and that is the end."""
    hand = dealt(100, 100, 100)
    play(hand, "fold", "fold")
    assert (hand.to_act, hand.next) == ([], "over")
    assert hand.pay_out(seeded(1)) == {1: 100, 2: 98, 3: 102}


@pytest.mark.parametrize("dead", [True, False])
def test_the_big_blind_moves_on(dead: bool) -> None:
    """Over long nights of busts and moves: nobody has the big blind twice while others play."""
    for seed in range(200):
        luck = seeded(seed)
        taken = set(luck.sample(range(1, 11), luck.randint(2, 10)))
        rotation = Rotation(dead=dead, first=min(taken))
        last = None
        for _ in range(30):
            places = rotation.deal(taken)
            assert places.big in taken
            assert places.small is None or places.small in taken
            assert places.small != places.big
            if len(taken) == 2:
                assert places.button == places.small
            elif dead:
                between = left_of(places.button, {*taken, places.button})
                assert places.small is None or between.index(places.small) < between.index(
                    places.big
                )
                assert places.button != places.big
            if dead and last is not None:
                assert places.big == left_of(last, taken)[0]
            last = places.big
            gone = luck.choices([0, 1, 2], [6, 3, 1])[0]
            if len(taken) > gone + 1:
                taken -= set(luck.sample(sorted(taken), gone))
            free = sorted(set(range(1, 11)) - taken)
            if free and luck.random() < 0.25:
                taken.add(luck.choice(free))


@pytest.mark.parametrize("name", [*SITUATIONS, *(f"moving: {name}" for name in MOVING)])
def test_the_button_goes_where_it_was_written_down(name: str) -> None:
    """The rule that the driver follows, against the situations that were written by hand."""
    moving = name.removeprefix("moving: ")
    seats, steps = SITUATIONS[name] if name in SITUATIONS else MOVING[moving]
    taken, rotation = set(seats), Rotation(dead=name in SITUATIONS, first=seats[0])
    for step in steps:
        if isinstance(step, Deal):
            before = rotation.button, rotation.small, rotation.big
            places = rotation.deal(taken)
            found = Deal(places.button, places.small, places.big, left_of(places.big, taken)[0])
            assert found == step
        elif step.what in ("bust", "away"):
            taken.remove(step.seat)
        elif step.what == "comes":
            taken.add(step.seat)
        elif step.what == "moves":
            taken = taken - {step.seat} | {step.to}
        elif step.what == "here":
            rotation.here = step.seat
        else:  # a misdeal
            rotation.button, rotation.small, rotation.big = before
            rotation.here = seats[0] if before == (0, 0, 0) else None
