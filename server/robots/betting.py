"""Betting: a hand as the dealer sees it, which is more than the hub is told.

Who still owes an action, what lies in the middle, who is all-in, and how good the cards are. It
isn't poker that anybody should learn from, but chips are conserved and short stacks go broke.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from server.robots.talk import Felt

MOST_RAISES = 3
BOLD = 0.82
"""Cards must be at least so good to be bet on."""

SHORT = 12
"""A stack of fewer big blinds is played all-in or not at all."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a player does: fold, call (or check), or raise to an amount."""

    kind: str
    to: int = 0


def clockwise(seats: Sequence[int], after: int) -> list[int]:
    """Put seats in the order in which they come after one of them."""
    return sorted(seats, key=lambda seat: (seat <= after, seat))


@dataclass(slots=True)
class Deal:
    """One hand."""

    number: int
    players: Mapping[int, str]  # who was dealt in, by seat
    stacks: Mapping[int, int]  # chips before the hand
    big: int
    cards: dict[int, float]  # how good they are, from 0 to 1
    street: str = "preflop"
    put: dict[int, int] = field(default_factory=dict)  # in the middle, in this hand
    bets: dict[int, int] = field(default_factory=dict)  # of that, on this street
    owing: set[int] = field(default_factory=set)  # seats that have still to act on this street
    out: set[int] = field(default_factory=set)  # seats that have folded, told to the hub or not
    raises: int = 0
    last: int = 0  # who acted last: the next one sits after them
    settled: bool = False

    @classmethod
    def of(  # noqa: PLR0913 - all that lies on the felt before a hand
        cls,
        number: int,
        players: Mapping[int, str],
        *,
        seats: tuple[int | None, int | None],
        blinds: tuple[int, int],
        felt: Felt,
        rng: Random,
    ) -> "Deal":
        """Post the blinds and deal the cards; a small blind without a seat is dead."""
        small, big = seats
        order = clockwise(list(players), big or 0)
        stacks = {seat: felt.stack(player) for seat, player in players.items()}
        deal = cls(
            number, dict(players), stacks, max(1, blinds[1]), {s: rng.random() for s in order}
        )
        deal.owing = set(order)
        if small is not None:
            deal.pay(small, blinds[0])
        if big is not None:
            deal.pay(big, blinds[1])
        deal.last = big or 0
        return deal

    def left(self, seat: int) -> int:
        """Count the chips that a seat has behind."""
        return self.stacks.get(seat, 0) - self.put.get(seat, 0)

    def pay(self, seat: int, to: int) -> None:
        """Bring a seat's bet on this street to an amount, or as far as its chips go."""
        more = min(max(0, to - self.bets.get(seat, 0)), self.left(seat))
        self.put[seat] = self.put.get(seat, 0) + more
        self.bets[seat] = self.bets.get(seat, 0) + more
        if not self.left(seat):
            self.owing.discard(seat)

    def most(self, seat: int) -> int:
        """Say how much a seat can have in on this street."""
        return self.bets.get(seat, 0) + self.left(seat)

    def takes_all(self, seat: int, choice: Choice) -> bool:
        """Say whether a choice takes the rest of a seat's chips."""
        return self.left(seat) > 0 and choice.to >= self.most(seat)

    @property
    def price(self) -> int:
        """What it costs to stay in on this street."""
        return max(self.bets.values(), default=0)

    def deal_street(self, street: str, live: Sequence[int], button: int, rng: Random) -> None:
        """Turn cards: everybody who has chips may act again."""
        self.street, self.bets, self.raises, self.last = street, {}, 0, button
        self.cards = {seat: 0.6 * was + 0.4 * rng.random() for seat, was in self.cards.items()}
        able = {seat for seat in live if self.left(seat)}
        self.owing = able if len(able) > 1 else set()

    def following(self, live: Sequence[int]) -> int | None:
        """Say who acts next; nobody, when the street is over."""
        able = [seat for seat in clockwise(live, self.last) if seat in self.owing]
        alone = len(live) < 2 or (len(able) == 1 == self._with_chips(live) and self._paid(able[0]))  # noqa: PLR2004
        return None if alone or not able else able[0]

    def all_in(self, live: Sequence[int]) -> bool:
        """Say whether the cards alone decide: nobody has anybody left to bet against."""
        over = self.following(live) is None
        return over and len(live) > 1 and self._with_chips(live) < 2  # noqa: PLR2004 - it takes two

    def _with_chips(self, live: Sequence[int]) -> int:
        return sum(self.left(seat) > 0 for seat in live)

    def _paid(self, seat: int) -> bool:
        return self.bets.get(seat, 0) >= self.price

    def choose(self, seat: int, live: Sequence[int], rng: Random) -> Choice:
        """Say what a player does."""
        feels = self.cards.get(seat, 0.0) + rng.gauss(0, 0.08)
        behind, price, bet = self.left(seat), self.price, self.bets.get(seat, 0)
        tight = min(0.75, max(0.25, 1 - 2.2 / len(live))) + 0.07 * self.raises
        if price - bet > behind / 2:
            tight += 0.1  # for the whole stack one wants better cards
        if price > bet and feels < tight:
            return Choice("fold")
        against = any(other != seat and self.left(other) for other in live)
        eager = max(BOLD, tight + 0.12) + 0.05 * self.raises
        if not against or self.raises >= MOST_RAISES or feels < eager:
            return Choice("call", price)
        raised = max(2 * self.big, round(price * rng.uniform(2.2, 3.2)))
        short = behind <= SHORT * self.big or raised > (behind + bet) / 2
        return Choice("raise", bet + behind if short else raised)

    def act(self, seat: int, choice: Choice, live: Sequence[int]) -> None:
        """Let a player act."""
        self.last = seat
        self.owing.discard(seat)
        if choice.kind == "fold":
            self.out.add(seat)
            return
        price = self.price
        self.pay(seat, choice.to)
        if choice.kind == "raise" and self.bets[seat] > price:
            self.raises += 1
            self.owing = {other for other in live if other != seat and self.left(other)}

    def result(self, live: Sequence[int]) -> dict[str, int]:
        """Say who wins and loses how many chips; the best cards take what they have paid for."""
        pot, won = dict(self.put), dict.fromkeys(self.players, 0)
        ranked = sorted(live, key=lambda seat: -self.cards.get(seat, 0.0)) or list(self.players)[:1]
        for seat in ranked:
            paid = pot.get(seat, 0)
            for other, rest in pot.items():
                won[seat] = won.get(seat, 0) + min(rest, paid)
                pot[other] = rest - min(rest, paid)
        won[ranked[0]] += sum(pot.values())
        return {who: won[seat] - self.put.get(seat, 0) for seat, who in self.players.items()}
