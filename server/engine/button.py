"""The button and the blinds: where they are in the next hand (DB, SL-12).

With a **dead button** the big blind always moves on by one player. The small blind is due from who
had the big one, and is dead where that seat is empty now; the button goes to where the small blind
was, be it an empty seat. With a **moving** button it goes to the next player, and the two to the
left post. Heads-up the button is the small blind either way, and nobody has the big blind twice.
"""

from collections.abc import Mapping
from dataclasses import replace

from server.engine.betting_round import clockwise
from server.engine.table import Hand, Positions, Seat

HEADS_UP = 2


def from_button(button: int, seats: Mapping[int, Seat]) -> Positions:
    """Give the blinds of a button that was put somewhere: the next two players post."""
    order = clockwise(seats, button)
    if len(order) < HEADS_UP:
        return Positions(button)
    if len(order) == HEADS_UP:  # an empty seat cannot deal: the player to its right does
        big, small = order
        return Positions(small, small, small, big)
    return Positions(button, order[0], order[0], order[1])


def first(seats: Mapping[int, Seat], button: int | None) -> Positions:
    """Give the first hand's: the house says where the button starts, or the first player has it."""
    start = min(seats, default=None) if button is None else button
    return Positions() if start is None else from_button(start, seats)


def following(hand: Hand, seats: Mapping[int, Seat], *, dead: bool) -> Positions:
    """Give the positions of the hand after another one."""
    if hand.button is None:
        return first(seats, None)
    if len(seats) < HEADS_UP:
        return Positions(min(seats, default=hand.button))
    if hand.big is None:  # not known of the hand before
        return from_button(clockwise(seats, hand.button)[0], seats)
    order = clockwise(seats, hand.big)
    if len(seats) == HEADS_UP:
        big, small = order
        return Positions(small, small, small, big)
    return _dead(hand, seats, order) if dead else from_button(_moved(hand, seats), seats)


def _moved(hand: Hand, seats: Mapping[int, Seat]) -> int:
    button: int = clockwise(seats, hand.button or 0)[0]
    return button


def _dead(hand: Hand, seats: Mapping[int, Seat], order: list[int]) -> Positions:
    big, small_at = order[0], hand.big or 0
    button = hand.small_at
    # Somebody who sat down between the two blinds of a heads-up hand is before the small blind now:
    # the button is theirs, since it may be neither at the small blind nor left of it.
    ring = clockwise({*seats, small_at, *([] if button is None else [button])}, small_at)
    misplaced = button is None or button == small_at or ring.index(button) <= ring.index(big)
    if misplaced:
        button = next(seat for seat in reversed(ring[:-1]) if seat in seats)
    return Positions(button, small_at, small_at if small_at in seats else None, big)


def due(
    hand: Hand, seats: Mapping[int, Seat], first_button: int | None, *, dead: bool
) -> Positions:
    """Give the positions of the next hand: a misdeal's are those of the hand once more (AP-35C)."""
    if hand.placed and hand.button is not None:
        return from_button(hand.button, seats)
    if hand.misdealt:
        small = hand.small if hand.small in seats else None
        return Positions(hand.button, hand.small_at, small, hand.big)
    if hand.number == 0:
        return first(seats, first_button)
    return following(hand, seats, dead=dead)


def dealt(hand: Hand, positions: Positions) -> Hand:
    """Put the positions of a hand into it."""
    return replace(
        hand,
        button=positions.button,
        small_at=positions.small_at,
        small=positions.small,
        big=positions.big,
    )
