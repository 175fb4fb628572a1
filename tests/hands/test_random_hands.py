"""Random hands dealt on the console, held tap by tap against a truth that shares nothing with it.

pytest tests/hands                                        a hundred hands
RAILBIRD_HANDS=1000 pytest tests/hands -s                 a thousand, with the figures
"""

from __future__ import annotations

import os
from itertools import count
from typing import TYPE_CHECKING

import pytest

from tests.hands.dealer import RUNS, TABLE, Dealer, Wrong
from tests.hands.players import WEIGHTS, choose, seeded
from tests.hands.poker import STREETS, Hand, finished
from tests.hands.table import Table, Tally, deal_hands

if TYPE_CHECKING:
    from random import Random

HANDS = int(os.environ.get("RAILBIRD_HANDS", "100"))
SATURDAY, MAIN, HOME = "star-brisbane-saturday", "selkirk-main", "home-poker-tourney"
PRESETS = (MAIN, SATURDAY, HOME)
STYLES = ("tight", "tight", "loose", "wild")
OVERHEAD = 3
"""Taps that a hand may cost on average, beyond one for every action.

It is asked of the dealer who taps as little as the console allows, over all sizes of table and at a
tight nine-handed one. A dealer who taps every action and then the big button needs more (about
4.2), and so does a loose full table (about 3.4): these are printed, not judged.
"""


def deal_many(name: str, hands: int, **options: float | bool | None) -> Tally:
    """Deal hands at tables of all sizes, houses and styles until there are enough."""
    tally = Tally()
    for number in count():
        if tally.hands >= hands or number > hands:
            break
        preset, style = PRESETS[number % len(PRESETS)], STYLES[number % len(STYLES)]
        seed, players = f"{name} {number}", 2 + number % 9
        deal_hands(tally, seed, preset, players, style=style, **options)  # type: ignore[arg-type]
    print(f"{name}: {tally}")  # noqa: T201 - these figures are what was asked for
    return tally


def right(tally: Tally) -> None:
    """Insist that nothing was wrong; otherwise tell the shortest hand of each kind."""
    if tally.wrong:
        shown = "\n\n".join(tally.shortest.values())
        pytest.fail(f"{tally}\n\n{shown}", pytrace=False)


@pytest.mark.parametrize("plain", [False, True], ids=["few_taps", "every_tap"])
@pytest.mark.parametrize("think", [0, 1 / 3, 1], ids=["at_once", "a_third", "everybody"])
def test_random_hands(think: float, plain: bool) -> None:
    """0 wrong seats, 0 wrong facing, 0 missing clocks; few taps where a third of players think."""
    usual = think == 1 / 3
    name = f"{'every tap' if plain else 'few taps'}, think {think:.2f}"
    hands = HANDS if usual else max(40, HANDS // 2)
    tally = deal_many(name, hands, think=think, plain=plain)
    right(tally)
    assert tally.busts
    assert tally.all_ins
    assert tally.dead_buttons
    if usual and not plain:
        assert tally.mean <= OVERHEAD


@pytest.mark.parametrize("style", sorted(WEIGHTS))
def test_nine_handed_hands(style: str) -> None:
    """A full table, as it was measured before: taps beyond actions, by how the table plays."""
    tally = Tally()
    for number in range(max(3, HANDS // 30)):
        deal_hands(tally, f"nine {number}", SATURDAY, 9, style=style, think=1 / 3)
    print(f"nine-handed, {style}: {tally}")  # noqa: T201 - these figures are what was asked for
    right(tally)
    if style == "tight":
        assert tally.mean <= OVERHEAD


def test_taps_that_are_taken_back() -> None:
    """An undo brings the round back as it was; the same tap again does what it did."""
    right(deal_many("undo", max(30, HANDS // 4), think=1 / 3, undoes=0.3, plain=True))


def test_misdeals() -> None:
    """AP-35C: the next hand is the same one: number, button and blinds; then the button moves."""
    for number in range(max(20, HANDS // 10)):
        table = Table(f"misdeal {number}", PRESETS[number % 3], 2 + number % 9)
        dealer = Dealer(table.night, table.luck, style="tight")
        for _ in range(3):
            hand = table.hand(straddles=0)
            dealer.begin(hand)
            told = dealer.table["hand"]["number"]
            for _ in range(table.luck.randint(0, 3)):
                if hand.turn is not None and not hand.forced:
                    dealer.action(hand)
            if dealer.table["hand"]["in_progress"]:
                dealer.tap("misdeal")
                hand = Hand(table.stacks, hand.places)
                dealer.begin(hand)
                assert dealer.table["hand"]["number"] == told
                dealer.play(hand)
            if dealer.table["hand"]["in_progress"]:
                dealer.tap("over")
            table.settle(hand)
            if len(table.stacks) < 2:
                break


def test_folds_out_of_turn() -> None:
    """The seat is out of the hand, the turn and a running clock stay where they are."""
    right(deal_many("out of turn", max(30, HANDS // 4), think=1 / 3, early=0.1))


@pytest.mark.parametrize("chips", [0, 2])
@pytest.mark.parametrize("preset", [SATURDAY, MAIN])
def test_time_that_runs_out(preset: str, chips: int) -> None:
    """SB-47j, SL-42: dead where the player owed chips, a check where not; then the hand goes on."""
    tally = Tally()
    for number in range(max(9, HANDS // 10)):
        options = {"style": STYLES[number % 4], "think": 1 / 2, "late": 1 / 3, "chips": chips}
        deal_hands(tally, f"late {number}", preset, 2 + number % 9, **options)  # type: ignore[arg-type]
    print(f"{preset} with {chips} chips: {tally}")  # noqa: T201 - these figures were asked for
    right(tally)
    assert tally.ran_out


# ── a room that taps only when somebody thinks ───────────────────────────────────────────────────


def start_only(dealer: Dealer, hand: Hand, *, streets: bool) -> int:
    """Play a hand of which only thinkers are tapped; give how often facing could be checked."""
    night, luck, checked = dealer.night, dealer.luck, 0
    asked: set[int] = set()
    while not finished(hand):
        seat = hand.turn
        if seat is None:
            asked.clear()
            hand.deal()
            if streets:
                night.do("street.next", table=TABLE)
            continue
        if seat not in hand.forced and luck.random() < 1 / 4:
            night.later(700)
            if night.table(TABLE)["action"]["seat"] != seat:
                dealer.tap_seat(seat)
            document = night.table(TABLE)
            action = document["action"]
            assert (action["status"], action["seat"]) == ("running", seat)
            assert document["hand"]["to_act"][0] == seat
            # Bets are not told here. Nobody can know of one after a whole round of calls.
            option = seat == (hand.straddle or hand.places.big)
            first = hand.street == "preflop" and not option and not asked & {seat}
            if first or (hand.bettor is None and (streets or hand.street == "preflop")):
                assert action["facing_bet"] == hand.facing, (hand.street, seat, hand.places)
                checked += 1
            if luck.random() < 1 / 2:
                night.do("action.stop", table=TABLE)
        asked.add(seat)
        hand.act(choose(hand, luck, "loose"))
    return checked


@pytest.mark.parametrize("streets", [True, False], ids=["streets", "no_streets"])
@pytest.mark.parametrize("preset", [SATURDAY, MAIN])
def test_a_room_that_taps_only_thinkers(preset: str, streets: bool) -> None:
    """START on a seat is never refused, and puts the turn right; it faces what can be known."""
    checked = 0
    for number in range(max(20, HANDS // 10)):
        table = Table(f"thinkers {number}", preset, 2 + number % 9)
        dealer = Dealer(table.night, table.luck, style="loose")
        for _ in range(3):
            hand = table.hand()
            straddle = {} if hand.straddle is None else {"straddle": hand.straddle}
            table.night.do("hand.start", table=TABLE, **straddle)
            checked += start_only(dealer, hand, streets=streets)
            table.night.do("hand.end", table=TABLE)
            table.settle(hand)
            if len(table.stacks) < 2:
                break
    assert checked > 20


def test_a_room_that_never_says_that_a_hand_begins() -> None:
    """No hand, no street, no bet is told: START on a seat works all the same."""
    for number in range(20):
        luck = seeded("no hands", number)
        table = Table(f"no hands {number}", SATURDAY, 2 + number % 9)
        for _ in range(10):
            seat = luck.choice(sorted(table.stacks))
            table.night.do("action.start", table=TABLE, seat=seat)
            action = table.night.table(TABLE)["action"]
            assert (action["status"], action["seat"]) == ("running", seat)
            table.night.later(1_000)
            table.night.do(luck.choice(["action.next", "action.fold", "action.stop"]), table=TABLE)


# ── half a hand forgotten ────────────────────────────────────────────────────────────────────────


def forget(hand: Hand, luck: Random, actions: int) -> bool:
    """Play on without a tap; say whether there is still somebody to act, and nobody all-in."""
    for _ in range(actions):
        while hand.turn is None and not finished(hand):
            hand.deal()
        if finished(hand):
            return False
        hand.act(choose(hand, luck, "loose"))
    while hand.turn is None and not finished(hand):
        hand.deal()
    return not finished(hand) and not hand.all_in and not hand.forced


def exact(hand: Hand) -> bool:
    """Say whether street, live seats, bet and turn leave no doubt about who has to act."""
    return hand.bettor is None or len(hand.live) == 2


def sync(dealer: Dealer, hand: Hand) -> None:
    """Tell street, live seats, bet and turn in one command, and look what it made of them."""
    seat, live = hand.turn, sorted(hand.live)
    name = f"sync-{hand.street}-{'none' if hand.bettor is None else 'bet'}"
    (button,) = [button for button in dealer.look().sync if button.id == name]
    assert button.command is not None
    dealer.send(name, "hand.sync", **button.command["args"], seat=seat, live=live)
    seen = dealer.table["hand"]
    found = {int(s) for s, taken in dealer.table["seats"].items() if taken["in_hand"]}
    dealer.same("wrong seat", seen["to_act"][:1], [seat])
    dealer.same("wrong live seats", found, hand.live)
    dealer.same("wrong street", seen["street"], hand.street)
    dealer.same("wrong facing", seen["facing_bet"], hand.facing)
    dealer.same("wrong next", seen["next"], "act")
    dealer.same("clock for nobody", dealer.table["action"]["status"], "idle")


def deal_forgotten(dealer: Dealer, hand: Hand) -> int:
    """Deal the rest of a hand; until the first bet or street, give seats that had to be named."""
    named, street, bettor = 0, hand.street, hand.bettor
    while hand.turn is not None and hand.street == street and hand.bettor == bettor:
        seen = dealer.table
        if seen["hand"]["to_act"][:1] != [hand.turn] and seen["action"]["seat"] != hand.turn:
            dealer.send("seat", "action.start", seat=hand.turn)
            named += 1
        act = choose(hand, dealer.luck, "tight")
        dealer.told.append(f"seat {hand.turn} {act}")
        runs = dealer.table["action"]["status"] in RUNS
        hand.act(act)
        do, args = "action.next", {} if runs else {"acted": True}
        if act.kind not in {"check", "call"}:
            do, args = "action.fold" if act.kind == "fold" else "action.hold", {}
        if act.all_in:
            do, args = "action.all_in", {"raises": act.raises}
        dealer.send(act.kind, do, **args)
    if hand.next in STREETS:
        dealer.send("street", "street.next", start=True)
        hand.deal()
    if hand.next in ("act", "run_out"):
        dealer.compare(hand)
        dealer.play(hand)
    return named


def test_half_a_hand_forgotten() -> None:
    """One command with street, live seats, bet and turn; from there on all is right again.

    Where it leaves a doubt who has acted, the next bet or street ends the doubt, and a seat that
    is named on the way is never refused.
    """
    tally, synced, sure, named = Tally(), 0, 0, 0
    for number in range(max(150, HANDS)):
        table = Table(f"forgotten {number}", PRESETS[number % 3], 2 + number % 9)
        hand = table.hand()
        dealer = Dealer(table.night, table.luck, style="loose")
        try:
            dealer.begin(hand)
            if not forget(hand, table.luck, table.luck.randint(1, 14)):
                continue
            dealer.told.append(f"… forgotten up to seat {hand.turn} on the {hand.street}")
            synced += 1
            sync(dealer, hand)
            if exact(hand):
                sure += 1
                dealer.same("wrong seat", dealer.table["hand"]["to_act"], hand.to_act)
            named += deal_forgotten(dealer, hand)
        except Wrong as wrong:
            tally.note(wrong, dealer.told)
    print(f"forgotten: {synced} put right, {sure} without doubt, {named} seats named")  # noqa: T201 - figures
    right(tally)
    assert sure > 20
