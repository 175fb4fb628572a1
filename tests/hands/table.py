"""A table at which one hand follows the other: stacks, busts, who comes and who goes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.hands.dealer import TABLE, Dealer, Wrong
from tests.hands.players import seeded
from tests.hands.poker import SMALL, STRADDLE, Hand, left_of
from tests.hands.rotation import HEADS_UP, Rotation
from tests.night import given

if TYPE_CHECKING:
    from random import Random

SEATS = 10
HANDS = 10
"""So many hands are dealt at one table before another one is opened."""
MOVING = ("star-brisbane-friday", "star-brisbane-saturday")
STACKS = (7, 25, 60, 150, 400)


@dataclass
class Tally:
    """What many hands came to."""

    hands: int = 0
    actions: int = 0
    taps: int = 0
    ran_out: int = 0
    busts: int = 0
    all_ins: int = 0
    dead_buttons: int = 0
    extra: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    shortest: dict[str, str] = field(default_factory=dict)

    @property
    def mean(self) -> float:
        """How many taps a hand costs beyond one for every action."""
        return (self.taps - self.actions) / max(1, self.hands)

    def note(self, wrong: Wrong, told: list[str]) -> None:
        """Count a difference; keep the shortest hand that shows it."""
        text = "\n".join([*told, str(wrong)])
        self.wrong[wrong.kind] += 1
        kept = self.shortest.get(wrong.kind)
        if kept is None or text.count("\n") < kept.count("\n"):
            self.shortest[wrong.kind] = text

    def __str__(self) -> str:
        each = max(1, self.hands)
        extra = ", ".join(f"{what} {n / each:.2f}" for what, n in self.extra.most_common())
        return (
            f"{self.hands} hands, {self.actions} actions, {self.taps} taps: "
            f"actions + {self.mean:.2f} a hand ({extra}); "
            f"{self.all_ins} hands with all-ins, {self.busts} busts, "
            f"{self.ran_out} ran out of time, {self.dead_buttons} dead buttons or blinds; "
            f"wrong: {dict(self.wrong) or 'nothing'}"
        )


class Table:
    """Table 1 of a house, its players and their chips."""

    def __init__(self, seed: str, preset: str, players: int, chips: int | None = None) -> None:
        self.luck: Random = seeded(seed, preset, players)
        self.night = given(preset)
        self.night.do("table.open", table=TABLE, seats=SEATS)
        self.stacks: dict[int, int] = {}
        self.names: dict[int, str] = {}
        self.came = 0
        self.before: list[str] = [preset]  # what led to this hand
        for seat in sorted(self.luck.sample(range(1, SEATS + 1), players)):
            self.sit(seat)
        if self.night.event()["action_clock"] is None:
            args = {} if preset.startswith("selkirk") else {"seconds": 20}
            self.night.do("shotclock.introduce", **args)
        if chips is not None:
            self.night.do("bank.grant", chips=chips, mode="set")
        first = min(self.stacks)
        self.rotation = Rotation(dead=preset not in MOVING, first=first)
        self.night.do("button.set", table=TABLE, seat=first)

    def sit(self, seat: int) -> None:
        """Seat somebody new."""
        self.came += 1
        self.names[seat] = f"p{self.came}"
        self.before.append(f"seat {seat} comes")
        self.stacks[seat] = self.luck.choice(STACKS)
        self.night.do("seat.put", player=self.names[seat], table=TABLE, seat=seat)

    def hand(self, straddles: float = 0.05) -> Hand:
        """Give the truth of the next hand."""
        places = self.rotation.deal(self.stacks)
        third = left_of(places.big, self.stacks)[0]
        straddle = None
        if len(self.stacks) > HEADS_UP + 1 and self.luck.random() < straddles:
            straddle = third if self.stacks[third] > STRADDLE else None
        return Hand(self.stacks, places, straddle)

    def settle(self, hand: Hand) -> int:
        """Pay the pot, let busts be told, and let people come and go; give the number of busts."""
        self.before = [self.before[0], f"{hand.places} before"]
        self.stacks |= hand.pay_out(self.luck)  # somebody may have come during the hand
        out = [seat for seat, chips in self.stacks.items() if chips == 0]
        for seat in out:
            self.before.append(f"seat {seat} is out")
            self.night.do("player.bust", player=self.names.pop(seat), stack=hand.before[seat])
            del self.stacks[seat]
        for seat, chips in self.stacks.items():
            if chips <= SMALL:  # somebody who cannot post the small blind buys more
                self.stacks[seat] = SMALL + self.luck.randint(1, 60)
        if len(self.stacks) >= HEADS_UP:
            self.move()
        return len(out)

    def move(self) -> None:
        """Let somebody go, somebody come, or the button be put somewhere."""
        luck = self.luck
        if len(self.stacks) > HEADS_UP + 1 and luck.random() < 0.06:
            seat = luck.choice(sorted(self.stacks))
            del self.stacks[seat]
            self.before.append(f"seat {seat} goes")
            self.night.do("seat.move", player=self.names.pop(seat), table=2, seat=self.spare())
        free = sorted(set(range(1, SEATS + 1)) - set(self.stacks))
        if free and luck.random() < 0.15:
            self.sit(luck.choice(free))
        if luck.random() < 0.03:
            seat = luck.choice(sorted(self.stacks))
            self.before.append(f"button to seat {seat}")
            self.night.do("button.set", table=TABLE, seat=seat)
            self.rotation.here = seat

    def latecomer(self) -> None:
        """Let somebody sit down while a hand is dealt: they are in the next one."""
        free = sorted(set(range(1, SEATS + 1)) - set(self.stacks))
        if len(self.stacks) > HEADS_UP + 1 and free and self.luck.random() < 0.05:
            self.sit(self.luck.choice(free))

    def spare(self) -> int:
        """Find a seat at table 2."""
        table = self.night.state.tables.get(2)
        taken = set() if table is None else set(table.seats)
        return min(set(range(1, SEATS + 1)) - taken)

    def end_break(self) -> None:
        """Let nobody wait for a break to be over."""
        if self.night.event()["clock"]["phase"] == "break":
            self.night.do("level.next")


def deal_hands(  # noqa: PLR0913 - the ways in which nights differ
    tally: Tally,
    seed: str,
    preset: str,
    players: int,
    *,
    style: str,
    think: float,
    late: float = 0,
    chips: int | None = None,
    plain: bool = False,
    early: float = 0,
    undoes: float = 0,
    hands: int = HANDS,
) -> None:
    """Deal some hands at a table; after a difference the hand is called off."""
    table = Table(seed, preset, players, chips)
    dealer = Dealer(table.night, table.luck, think=think, late=late, style=style)
    dealer.meanwhile = table.latecomer
    dealer.plain, dealer.early, dealer.undoes = plain, early, undoes
    for _ in range(hands):
        if len(table.stacks) < HEADS_UP:
            return
        table.end_break()
        hand = table.hand()
        try:
            dealer.deal(hand)
        except Wrong as wrong:
            tally.note(wrong, [", ".join(table.before), *dealer.told])
            return
        tally.hands += 1
        tally.actions += dealer.actions
        tally.taps += dealer.taps
        tally.ran_out += dealer.ran_out
        tally.extra += dealer.extra
        dealer.actions = dealer.taps = dealer.ran_out = 0
        dealer.extra.clear()
        tally.all_ins += bool(hand.all_in)
        dead = hand.places.button not in hand.before or hand.places.small is None
        tally.dead_buttons += dead
        tally.busts += table.settle(hand)
