"""The truth of one hand of no-limit hold'em, in chips: what a good dealer knows.

Written from the rules of poker alone; nothing here comes from the engine, which knows no amounts.
A seat has to act while it is in the hand, has chips behind, and either owes chips or has not acted
since the last full bet or raise. Everything else (who is next, who faces a bet, when a street is
over, what comes then) follows from that and from the chips.

One thing is put as a dealer must put it who can only speak when it is a seat's turn: a big blind
whose whole stack was the blind is all-in unasked, but is told so when the turn comes to it.
Such a seat is `forced`: it has a turn, and in it nothing to decide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from random import Random

STREETS = ("preflop", "flop", "turn", "river")
SMALL, BIG, STRADDLE = 2, 4, 8
"""The blinds: uneven enough for a stack that covers the small one and not the big one."""


def left_of(seat: int, seats: Iterable[int]) -> list[int]:
    """Go round the table from the left of a seat; the seat itself, if it is there, comes last."""
    return sorted(seats, key=lambda other: (other <= seat, other))


@dataclass(frozen=True, slots=True)
class Places:
    """Where the button and the blinds are. The button may be where nobody sits."""

    button: int
    small: int | None  # None: the small blind is dead
    big: int


@dataclass(frozen=True, slots=True)
class Act:
    """What a player does in turn; `to` is what the seat has in front of it afterwards."""

    kind: str  # fold check call bet raise
    to: int = 0
    all_in: bool = False

    @property
    def raises(self) -> bool:
        """Whether everybody else has to answer it."""
        return self.kind in ("bet", "raise")

    def __str__(self) -> str:
        size = "" if self.kind in ("fold", "check") else f" {self.to}"
        return self.kind + size + (" all-in" if self.all_in else "")


class Hand:
    """A hand, from the blinds to the pot."""

    def __init__(
        self, stacks: Mapping[int, int], places: Places, straddle: int | None = None
    ) -> None:
        self.before = dict(stacks)
        self.places, self.straddle = places, straddle
        self.stacks = dict(stacks)
        self.paid = dict.fromkeys(stacks, 0)  # in the whole hand
        self.put = dict.fromkeys(stacks, 0)  # on this street
        self.live = set(stacks)
        self.all_in: set[int] = set()
        self.street = STREETS[0]
        self.bet, self.least = BIG, BIG  # what stands, and by how much it must be raised
        self.bettor: int | None = None
        self.acted: set[int] = set()  # since the last full bet or raise
        if places.small is not None:
            self._pay(places.small, SMALL)
        self._pay(places.big, BIG)
        self.last = places.big
        if straddle is not None:
            self._pay(straddle, STRADDLE)
            self.bet, self.last = STRADDLE, straddle
        self.forced = {seat for seat in stacks if self.stacks[seat] == 0}

    def _pay(self, seat: int, to: int) -> None:
        """Put chips in front of a seat, up to an amount or all there is."""
        paid = min(to - self.put[seat], self.stacks[seat])
        self.stacks[seat] -= paid
        self.put[seat] += paid
        self.paid[seat] += paid

    # ── who, what, and what comes next ───────────────────────────────────────────────────────────

    @property
    def to_act(self) -> list[int]:
        """The seats that have to act on this street, in order."""
        able = self.live - self.all_in
        if len(self.live) == 1 or self._alone(able):
            return []
        owing = {s for s in able if self.put[s] < self.bet or s not in self.acted}
        return left_of(self.last, owing)

    def _alone(self, able: set[int]) -> bool:
        """Say whether only one could still bet, against nobody, and owes nothing."""
        if len(able) != 1:
            return not able
        (seat,) = able
        if seat in self.forced:
            return self.bettor is None
        return self.put[seat] >= max(self.put[other] for other in self.live - able)

    @property
    def turn(self) -> int | None:
        """The seat whose turn it is."""
        return next(iter(self.to_act), None)

    @property
    def facing(self) -> bool:
        """Whether the seat whose turn it is would have to pay to stay in."""
        return self.turn is not None and self.put[self.turn] < self.bet

    @property
    def next(self) -> str:
        """What comes next, in the words of the table's document."""
        if self.to_act:
            return "act"
        if len(self.live) == 1:
            return "over"
        if self.street == STREETS[-1]:
            return "showdown"
        if len(self.live - self.all_in) <= 1:
            return "run_out"
        return STREETS[STREETS.index(self.street) + 1]

    def options(self) -> list[Act]:
        """List what the seat whose turn it is may do; of raises the least, a larger, and all-in."""
        seat = self.turn
        assert seat is not None
        if seat in self.forced:
            return [Act("call", self.put[seat], all_in=True)]
        most, found = self.put[seat] + self.stacks[seat], [Act("fold")]
        if self.put[seat] == self.bet:
            found.append(Act("check", self.bet))
        else:
            to = min(self.bet, most)
            found.append(Act("call", to, all_in=to == most))
        others = self.live - self.all_in - self.forced - {seat}
        # A short all-in does not open the betting again for those who have acted, unless several
        # of them add up to a full raise.
        may = seat not in self.acted or self.bet - self.put[seat] >= self.least
        if others and may and most > self.bet:
            kind = "raise" if self.bet else "bet"
            least = self.bet + self.least
            sizes = sorted({size for size in (least, self.bet * 2 + self.least) if size < most})
            found += [Act(kind, size) for size in sizes]
            found.append(Act(kind, most, all_in=True))
        return found

    # ── what happens ─────────────────────────────────────────────────────────────────────────────

    def act(self, act: Act) -> None:
        """Let the seat whose turn it is do something."""
        seat = self.turn
        assert seat is not None
        assert act in self.options(), f"{act} is not poker"
        self.last = seat
        if act.kind == "fold":
            self.live.remove(seat)
            return
        self._pay(seat, act.to)
        if act.all_in:
            self.all_in.add(seat)
            self.forced.discard(seat)
        if not act.raises:
            self.acted.add(seat)
            return
        full = act.to - self.bet >= self.least
        self.least = max(self.least, act.to - self.bet)
        self.bet, self.bettor = act.to, seat
        self.acted = {seat} if full else self.acted | {seat}

    def fold_out_of_turn(self, seat: int) -> None:
        """Let somebody else throw their cards away; the turn stays."""
        assert seat in self.live
        assert seat != self.turn
        self.live.remove(seat)

    def deal(self) -> None:
        """Deal the next street."""
        assert not self.to_act
        assert len(self.live) > 1
        self.street = STREETS[STREETS.index(self.street) + 1]
        self.put = dict.fromkeys(self.put, 0)
        self.bet, self.least, self.bettor, self.acted = 0, BIG, None, set()
        self.last = self.places.button

    def pay_out(self, luck: Random) -> dict[int, int]:
        """Give the pots to whom luck favours; give everybody's stack after the hand."""
        ranking = sorted(self.live)
        luck.shuffle(ranking)
        stacks, low = dict(self.stacks), 0
        for high in sorted(set(self.paid.values()) - {0}):
            pot = sum(min(paid, high) - min(paid, low) for paid in self.paid.values())
            low = high
            winner = next((s for s in ranking if self.paid[s] >= high), ranking[0])
            stacks[winner] += pot
        return stacks


def finished(hand: Hand) -> bool:
    """Say whether nothing is left but the pot."""
    return hand.next in ("over", "showdown")


def story(acts: Sequence[tuple[int, Act]]) -> str:
    """Write down who did what."""
    return ", ".join(f"seat {seat} {act}" for seat, act in acts)
