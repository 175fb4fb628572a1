"""DB: where the button and the blinds are, situation by situation, written down by hand.

Each situation is a table and what happens at it. `deal(button, small, big, first)` starts a hand
and says where everything must be then; `first` is who acts first before the flop. `DEAD` is a small
blind that nobody posts. A button may be at a seat that nobody sits at; such lines say so.

    The big blind is the next player after the last big blind. The small blind is where the big
    blind was, the button where the small blind was, whoever sits there or not.

HPT's document says of a small blind who is out that the button does not move, Selkirk's that the
dealer's position is dead: the same player acts last either way, and the button stands at the empty
seat.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from tests.night import Night, given

if TYPE_CHECKING:
    from collections.abc import Callable

DEAD = None
HOME = "home-poker-tourney"
FOUR = (HOME, "apl", "888pl", "selkirk-main")
"""The houses with a dead button."""
STAR = "star-brisbane-saturday"


@dataclass(frozen=True, slots=True)
class Deal:
    """A hand that starts, and what must be so then."""

    button: int
    small: int | None
    big: int
    first: int


@dataclass(frozen=True, slots=True)
class Step:
    """Something that happens after a hand."""

    what: str
    seat: int = 0
    to: int = 0


def deal(button: int, small: int | None, big: int, first: int) -> Deal:
    """Start the next hand."""
    return Deal(button, small, big, first)


def out(seat: int) -> Step:
    """Let a player bust."""
    return Step("bust", seat)


def away(seat: int) -> Step:
    """Move a player to another table."""
    return Step("away", seat)


def comes(seat: int) -> Step:
    """Seat a player from elsewhere."""
    return Step("comes", seat)


def moves(seat: int, to: int) -> Step:
    """Give a player another seat at the table."""
    return Step("moves", seat, to)


def here(seat: int) -> Step:
    """BUTTON HERE."""
    return Step("here", seat)


MISDEAL = Step("misdeal")
SIX = (1, 2, 3, 4, 5, 6)
FIVE = (1, 2, 3, 4, 5)

Situation = tuple[tuple[int, ...], tuple[Deal | Step, ...]]

SITUATIONS: dict[str, Situation] = {
    "nobody is out": (
        (1, 3, 4, 8),
        (deal(1, 3, 4, 8), deal(3, 4, 8, 1), deal(4, 8, 1, 3), deal(8, 1, 3, 4), deal(1, 3, 4, 8)),
    ),
    # ── one is out ───────────────────────────────────────────────────────────────────────────────
    "the button is out": (
        FIVE,
        (deal(1, 2, 3, 4), out(1), deal(2, 3, 4, 5), deal(3, 4, 5, 2), deal(4, 5, 2, 3)),
    ),
    "the small blind is out": (
        FIVE,
        (
            deal(1, 2, 3, 4),
            out(2),
            deal(2, 3, 4, 5),  # the button at the empty seat
            deal(3, 4, 5, 1),
            deal(4, 5, 1, 3),
        ),
    ),
    "the big blind is out": (
        FIVE,
        (
            deal(1, 2, 3, 4),
            out(3),
            deal(2, DEAD, 4, 5),
            deal(3, 4, 5, 1),  # the button at the empty seat
            deal(4, 5, 1, 2),
        ),
    ),
    "who is due the big blind is out": (
        FIVE,
        (deal(1, 2, 3, 4), out(4), deal(2, 3, 5, 1), deal(3, 5, 1, 2), deal(5, 1, 2, 3)),
    ),
    # ── two are out at once ──────────────────────────────────────────────────────────────────────
    "small and big blind are out": (
        SIX,
        (
            deal(1, 2, 3, 4),
            out(2),
            out(3),
            deal(2, DEAD, 4, 5),  # button and small blind at empty seats
            deal(3, 4, 5, 6),  # the button at the empty seat
            deal(4, 5, 6, 1),
        ),
    ),
    "button and small blind are out": (
        SIX,
        (
            deal(1, 2, 3, 4),
            out(1),
            out(2),
            deal(2, 3, 4, 5),  # the button at the empty seat
            deal(3, 4, 5, 6),
            deal(4, 5, 6, 3),
        ),
    ),
    "button and big blind are out": (
        SIX,
        (
            deal(1, 2, 3, 4),
            out(1),
            out(3),
            deal(2, DEAD, 4, 5),
            deal(3, 4, 5, 6),  # the button at the empty seat
            deal(4, 5, 6, 2),
            deal(5, 6, 2, 4),
        ),
    ),
    "the big blind and who is due it are out": (
        SIX,
        (deal(1, 2, 3, 4), out(3), out(4), deal(2, DEAD, 5, 6), deal(3, 5, 6, 1)),
    ),
    "the small blind is out three times running": (
        SIX,
        (
            deal(1, 2, 3, 4),
            out(2),
            deal(2, 3, 4, 5),  # empty
            out(3),
            deal(3, 4, 5, 6),  # empty
            out(4),
            deal(4, 5, 6, 1),  # empty
            deal(5, 6, 1, 5),
        ),
    ),
    "the big blind is out twice running": (
        SIX,
        (
            deal(1, 2, 3, 4),
            out(3),
            deal(2, DEAD, 4, 5),
            out(4),
            deal(3, DEAD, 5, 6),  # button and small blind at empty seats
            deal(4, 5, 6, 1),  # the button at the empty seat
            deal(5, 6, 1, 2),
        ),
    ),
    # ── three to two: the next after the big blind has it; the other one is button and small ─────
    "three to two, the button is out": (
        (1, 4, 7),
        (deal(1, 4, 7, 1), out(1), deal(7, 7, 4, 7), deal(4, 4, 7, 4), deal(7, 7, 4, 7)),
    ),
    "three to two, the small blind is out": (
        (1, 4, 7),
        (deal(1, 4, 7, 1), out(4), deal(7, 7, 1, 7), deal(1, 1, 7, 1)),
    ),
    "three to two, the big blind is out": (
        (1, 4, 7),
        (deal(1, 4, 7, 1), out(7), deal(4, 4, 1, 4), deal(1, 1, 4, 1)),
    ),
    "four to two, both blinds are out": (
        (1, 2, 3, 4),
        (deal(1, 2, 3, 4), out(2), out(3), deal(1, 1, 4, 1), deal(4, 4, 1, 4)),
    ),
    "four to two, button and small blind are out": (
        (1, 2, 3, 4),
        (deal(1, 2, 3, 4), out(1), out(2), deal(3, 3, 4, 3), deal(4, 4, 3, 4)),
    ),
    "four to two, the big blind and the first to act are out": (
        (1, 2, 3, 4),
        (deal(1, 2, 3, 4), out(3), out(4), deal(2, 2, 1, 2), deal(1, 1, 2, 1)),
    ),
    "four to three with a dead small blind, then to two": (
        (1, 2, 3, 4),
        (deal(1, 2, 3, 4), out(3), deal(2, DEAD, 4, 1), out(4), deal(2, 2, 1, 2), deal(1, 1, 2, 1)),
    ),
    # ── two to three ─────────────────────────────────────────────────────────────────────────────
    "two to three, the new one left of the big blind": (
        (2, 6),
        (deal(2, 2, 6, 2), comes(8), deal(2, 6, 8, 2), deal(6, 8, 2, 6), deal(8, 2, 6, 8)),
    ),
    "two to three, the new one left of the big blind, across seat 1": (
        (2, 6),
        (deal(2, 2, 6, 2), comes(1), deal(2, 6, 1, 2), deal(6, 1, 2, 6)),
    ),
    "two to three, the new one left of the button": (
        (2, 6),
        (deal(2, 2, 6, 2), comes(4), deal(4, 6, 2, 4), deal(6, 2, 4, 6), deal(2, 4, 6, 2)),
    ),
    "two to three after the other's big blind, the new one left of it": (
        (2, 6),
        (deal(2, 2, 6, 2), deal(6, 6, 2, 6), comes(4), deal(6, 2, 4, 6), deal(2, 4, 6, 2)),
    ),
    "two to three after the other's big blind, the new one left of the button": (
        (2, 6),
        (deal(2, 2, 6, 2), deal(6, 6, 2, 6), comes(8), deal(8, 2, 6, 8), deal(2, 6, 8, 2)),
    ),
    "heads-up, one is out and another one comes": (
        (2, 6),
        (deal(2, 2, 6, 2), out(6), comes(4), deal(4, 4, 2, 4), deal(2, 2, 4, 2)),
    ),
    # ── moves ────────────────────────────────────────────────────────────────────────────────────
    "the big blind is moved away": (
        FIVE,
        (deal(1, 2, 3, 4), away(3), deal(2, DEAD, 4, 5), deal(3, 4, 5, 1)),
    ),
    "the small blind is moved away": (
        FIVE,
        (deal(1, 2, 3, 4), away(2), deal(2, 3, 4, 5), deal(3, 4, 5, 1)),
    ),
    "who is due the big blind is moved away": (
        FIVE,
        (deal(1, 2, 3, 4), away(4), deal(2, 3, 5, 1), deal(3, 5, 1, 2)),
    ),
    "somebody comes into the small blind's seat": (
        FIVE,
        (deal(1, 2, 3, 4), out(2), comes(2), deal(2, 3, 4, 5), deal(3, 4, 5, 1)),
    ),
    "somebody comes in left of the big blind": (
        (1, 2, 3, 5, 6),
        (deal(1, 2, 3, 5), comes(4), deal(2, 3, 4, 5), deal(3, 4, 5, 6)),
    ),
    "somebody comes in between the blinds": (
        (1, 2, 4, 5, 6),
        (deal(1, 2, 4, 5), comes(3), deal(2, 4, 5, 6), deal(4, 5, 6, 1), deal(5, 6, 1, 2)),
    ),
    "somebody comes in between button and small blind": (
        (1, 3, 4, 5),
        (deal(1, 3, 4, 5), comes(2), deal(3, 4, 5, 1), deal(4, 5, 1, 2), deal(5, 1, 2, 3)),
    ),
    "the big blind takes another seat at the table": (
        FIVE,
        (deal(1, 2, 3, 4), moves(3, 7), deal(2, DEAD, 4, 5), deal(3, 4, 5, 7), deal(4, 5, 7, 1)),
    ),
    # ── an empty seat with the button, BUTTON HERE, a misdeal ────────────────────────────────────
    "somebody comes into the empty seat with the button": (
        FIVE,
        (deal(1, 2, 3, 4), out(2), deal(2, 3, 4, 5), comes(2), deal(3, 4, 5, 1), deal(4, 5, 1, 2)),
    ),
    "BUTTON HERE": (
        FIVE,
        (deal(1, 2, 3, 4), here(4), deal(4, 5, 1, 2), deal(5, 1, 2, 3)),
    ),
    "BUTTON HERE twice: the last one counts": (
        FIVE,
        (deal(1, 2, 3, 4), here(4), here(5), deal(5, 1, 2, 3), deal(1, 2, 3, 4)),
    ),
    "BUTTON HERE at an empty seat": (
        (1, 2, 4, 5),
        (deal(1, 2, 4, 5), here(3), deal(3, 4, 5, 1), deal(4, 5, 1, 2)),
    ),
    "BUTTON HERE before the first hand": (
        FIVE,
        (here(3), deal(3, 4, 5, 1), deal(4, 5, 1, 2)),
    ),
    "BUTTON HERE heads-up": (
        (3, 8),
        (here(3), deal(3, 3, 8, 3), here(3), deal(3, 3, 8, 3), deal(8, 8, 3, 8)),
    ),
    "BUTTON HERE puts a dead small blind right": (
        FIVE,
        (deal(1, 2, 3, 4), out(3), here(2), deal(2, 4, 5, 1), deal(4, 5, 1, 2)),
    ),
    "AP-35C: a misdeal": (
        FIVE,
        (deal(1, 2, 3, 4), MISDEAL, deal(1, 2, 3, 4), deal(2, 3, 4, 5)),
    ),
    "AP-35C: a misdeal with a dead small blind": (
        FIVE,
        (deal(1, 2, 3, 4), out(3), deal(2, DEAD, 4, 5), MISDEAL, deal(2, DEAD, 4, 5)),
    ),
}

MOVING: dict[str, Situation] = {
    "nobody is out": (
        (1, 3, 4, 8),
        (deal(1, 3, 4, 8), deal(3, 4, 8, 1), deal(4, 8, 1, 3), deal(8, 1, 3, 4)),
    ),
    "the small blind is out": (
        FIVE,
        (deal(1, 2, 3, 4), out(2), deal(3, 4, 5, 1), deal(4, 5, 1, 3)),
    ),
    "the big blind is out": (
        FIVE,
        (deal(1, 2, 3, 4), out(3), deal(2, 4, 5, 1), deal(4, 5, 1, 2)),
    ),
    "the button is out": (
        FIVE,
        (deal(1, 2, 3, 4), out(1), deal(2, 3, 4, 5), deal(3, 4, 5, 2)),
    ),
    "three to two, the button is out": (  # nobody has the big blind twice
        (1, 4, 7),
        (deal(1, 4, 7, 1), out(1), deal(7, 7, 4, 7), deal(4, 4, 7, 4)),
    ),
}
"""Star Brisbane: the small blind is the first player left of the button (7.14)."""


class Table:
    """Table 1 of a house, to which all that happens."""

    def __init__(self, preset: str, seats: tuple[int, ...]) -> None:
        self.night: Night = given(preset)
        self.night.do("table.open", table=1, seats=10)
        self.players: dict[int, str] = {}
        self.came = 0
        for seat in seats:
            self.sit(seat)

    def sit(self, seat: int) -> None:
        """Seat somebody whom nobody has seen before."""
        self.came += 1
        self.players[seat] = f"p{self.came}"
        self.night.do("seat.put", player=self.players[seat], table=1, seat=seat)

    def happen(self, step: Step) -> None:
        """Let something happen between two hands, or at the end of one."""
        match step.what:
            case "bust":
                self.night.do("player.bust", player=self.players.pop(step.seat))
            case "away":
                player = self.players.pop(step.seat)
                self.night.do("seat.move", player=player, table=2, seat=step.seat)
            case "comes":
                self.sit(step.seat)
            case "moves":
                player = self.players[step.to] = self.players.pop(step.seat)
                self.night.do("seat.move", player=player, table=1, seat=step.to)
            case "here":
                self.night.do("button.set", table=1, seat=step.seat)
            case _:
                self.night.do("hand.misdeal", table=1)

    def deal(self, **args: Any) -> Deal:
        """Start a hand, and say what it looks like."""
        self.night.do("hand.start", table=1, **args)
        hand = self.night.table(1)["hand"]
        blinds = hand["blinds"]
        return Deal(hand["button"], blinds["small"], blinds["big"], hand["to_act"][0])

    def end(self) -> None:
        """End the hand, if there is one."""
        if self.night.table(1)["hand"]["in_progress"]:
            self.night.do("hand.end", table=1)


def check(preset: str, situation: Situation, *, told_in_hand: bool = False) -> None:
    """Play a situation; busts are told between the hands, or while the hand still stands."""
    seats, steps = situation
    table = Table(preset, seats)
    start = {"button": seats[0]} if isinstance(steps[0], Deal) else {}
    for number, step in enumerate(steps):
        if isinstance(step, Deal):
            table.end()
            assert table.deal(**start) == step, f"step {number + 1}"
            start = {}
            continue
        if step.what != "misdeal" and not (told_in_hand and step.what == "bust"):
            table.end()
        table.happen(step)


@pytest.mark.parametrize("name", SITUATIONS)
@pytest.mark.parametrize("preset", FOUR)
def test_DB(preset: str, name: str) -> None:
    """The four houses with a dead button."""
    check(preset, SITUATIONS[name])


@pytest.mark.parametrize("preset", [HOME, "apl", "selkirk-main"])
@pytest.mark.parametrize("leaves", [out, away])
def test_DB_somebody_who_comes_into_the_big_blinds_seat_posts_the_small_blind(
    preset: str, leaves: Callable[[int], Step]
) -> None:
    """HPT (002 l.100): it is dead if nobody replaces them. APL (001 l.238): any seat is dealt in.

    888PL (003 l.494) lets somebody who was moved into the small blind wait, so it is not here.
    """
    steps = (deal(1, 2, 3, 4), leaves(3), comes(3), deal(2, 3, 4, 5), deal(3, 4, 5, 1))
    check(preset, (FIVE, steps))


@pytest.mark.parametrize("name", [n for n, (_, steps) in SITUATIONS.items() if out(3) in steps])
def test_DB_a_bust_that_is_told_before_the_hand_is_over(name: str) -> None:
    """The floor hears of it at the showdown: the places are those of the hand all the same."""
    check(HOME, SITUATIONS[name], told_in_hand=True)


@pytest.mark.parametrize("name", MOVING)
def test_SB_7_14(name: str) -> None:
    """Star Brisbane's button moves to the next player, and the blinds are the next two."""
    check(STAR, MOVING[name])


def test_DB_the_first_button_is_at_the_lowest_seat() -> None:
    """Where the house does not say more and nobody put it anywhere."""
    table = Table(HOME, (2, 5, 7, 9))
    assert table.deal() == Deal(2, 5, 7, 9)
    table.end()
    assert table.deal() == Deal(5, 7, 9, 2)


def test_SL_12_the_first_button_is_at_seat_1_even_if_nobody_sits_there() -> None:
    """An empty seat can hold the button."""
    table = Table("selkirk-main", (2, 3, 4, 5))
    assert table.deal() == Deal(1, 2, 3, 4)
    table.end()
    assert table.deal() == Deal(2, 3, 4, 5)


def test_DB_the_first_hand_heads_up() -> None:
    """The lowest seat has the button and is the small blind."""
    table = Table(HOME, (4, 9))
    assert table.deal() == Deal(4, 4, 9, 4)
    table.end()
    assert table.deal() == Deal(9, 9, 4, 9)


@pytest.mark.parametrize(
    ("gone", "preflop", "flop"),
    [
        (1, [5, 2, 3, 4], [3, 4, 5, 2]),
        (2, [5, 1, 3, 4], [3, 4, 5, 1]),  # the button at the empty seat 2
        (3, [5, 1, 2, 4], [4, 5, 1, 2]),  # the button at seat 2, no small blind
    ],
)
def test_DB_who_acts_follows_from_button_and_blinds(
    gone: int, preflop: list[int], flop: list[int]
) -> None:
    """Before the flop from the big blind's left; later from the left of the button, dead or not."""
    table = Table(HOME, FIVE)
    table.deal(button=1)
    table.end()
    table.happen(out(gone))
    table.deal()
    night = table.night
    assert night.table(1)["hand"]["to_act"] == preflop
    night.do("street.next", table=1)
    assert night.table(1)["hand"]["to_act"] == flop


def test_DB_heads_up_the_button_is_first_before_the_flop_and_last_after_it() -> None:
    """The big blind acts first on later streets."""
    table = Table(HOME, (4, 9))
    table.deal()
    assert table.night.table(1)["hand"]["to_act"] == [4, 9]
    table.night.do("street.next", table=1)
    assert table.night.table(1)["hand"]["to_act"] == [9, 4]
