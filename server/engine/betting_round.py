"""The betting round: who still has to act, who faces a bet, and what comes when nobody has to.

The engine knows no amounts, but it knows the round. Every seat that is live and not all-in acts
once; a bet or a raise asks all the others again. Before the flop the round begins left of the big
blind (or the straddle) and ends with them: their option.

    to_act not empty                          act
    one seat is live                          over
    at most one live seat is not all-in       run_out, until the river is out; then showdown
    otherwise                                 flop, turn, river; after the river showdown

Where no round is known (`hand.round` is None) nothing here is asked: see `actions`.
"""

from collections.abc import Iterable
from dataclasses import replace

from server.engine.rules import STREETS
from server.engine.table import Round, Table

ACT, RUN_OUT, SHOWDOWN, OVER = "act", "run_out", "showdown", "over"


def clockwise(seats: Iterable[int], after: int) -> list[int]:
    """Put seats in order from the left of a seat on; that seat itself comes last."""
    return sorted(seats, key=lambda seat: (seat <= after, seat))


def _before(table: Table, seat: int) -> int | None:
    """Find the live seat to the right of a seat."""
    others = [other for other in clockwise(table.live_seats(), seat) if other != seat]
    return others[-1] if others else None


def _until(table: Table, seat: int, bettor: int) -> tuple[int, ...]:
    """List who has to act from a seat on, up to the one whose bet it is."""
    ring = [seat, *(other for other in clockwise(table.live_seats(), seat) if other != seat)]
    upto = ring.index(bettor) if bettor in ring else len(ring)
    asked = set(table.asked_seats())
    return tuple(other for other in ring[:upto] if other in asked)


def faces_bet(table: Table, round_: Round, seat: int) -> bool:
    """Say whether a seat faces a bet: somebody else's, or before the flop the blinds."""
    if round_.bettor is not None:
        return round_.bettor != seat
    before_the_flop = table.hand.street == STREETS[0] and not round_.unbet
    return before_the_flop and seat != table.hand.option


def settled(table: Table, round_: Round) -> Round:
    """Leave out who cannot act any more; nobody acts where there is nothing left to decide."""
    live, asked = table.live_seats(), set(table.asked_seats())
    to_act = tuple(seat for seat in round_.to_act if seat in asked)
    alone = len(asked) <= 1 and not any(faces_bet(table, round_, seat) for seat in to_act)
    return replace(round_, to_act=() if len(live) <= 1 or alone else to_act)


def opened(table: Table, after: int) -> Round:
    """Begin a round left of a seat: nobody has bet, everybody has to act."""
    everybody = tuple(clockwise(table.asked_seats(), after))
    return settled(table, Round(everybody, unbet=table.hand.street == STREETS[0]))


def acted(table: Table, round_: Round, seat: int) -> Round:
    """Let a seat have checked or called, and who was expected before it, too."""
    rest = round_.to_act
    if seat in rest:
        rest = rest[rest.index(seat) + 1 :]
    return settled(table, replace(round_, to_act=rest))


def bet(table: Table, seat: int) -> Round:
    """Let a seat have bet or raised: everybody else has to act again."""
    others = (other for other in clockwise(table.asked_seats(), seat) if other != seat)
    return settled(table, Round(tuple(others), seat))


def restored(table: Table, round_: Round, seat: int) -> Round:
    """Give a seat its turn back."""
    others = (other for other in round_.to_act if other != seat)
    return settled(table, replace(round_, to_act=(seat, *others)))


def believed(table: Table, round_: Round, seat: int, facing: bool | None) -> Round:
    """Put a round right for a dealer who says that it is a seat's turn.

    Who was expected before has acted passively. If the seat had acted already, somebody has raised
    since; likewise if the dealer says that it faces a bet which nobody has told of. Who it was is
    not known: the live seat to the right is the last that can have.
    """
    unknown_bet = facing is True and not faces_bet(table, round_, seat)
    if seat in round_.to_act and not unknown_bet:
        return replace(round_, to_act=round_.to_act[round_.to_act.index(seat) :])
    bettor = _before(table, seat)
    if bettor is None:
        return restored(table, round_, seat)
    return Round(_until(table, seat, bettor), bettor)


def put_right(table: Table, seat: int, *, has_bet: bool, bettor: int | None) -> Round:
    """Give the round of a street at a turn, whatever was known of it before (`hand.sync`).

    Where somebody has bet and it is not said who, the live seat to the right is taken for it.
    """
    hand = table.hand
    if bettor is None and has_bet:
        bettor = _before(table, seat)
    if bettor is not None:
        return Round(_until(table, seat, bettor), bettor)
    last = hand.option if hand.street == STREETS[0] else hand.button
    order = clockwise(table.asked_seats(), seat if last is None else last)
    return Round(tuple(order[order.index(seat) :]))


def faces_all_in(table: Table, round_: Round, seat: int) -> bool:
    """Say whether the bet that a seat faces is an all-in."""
    bettor = None if round_.bettor == seat else table.seats.get(round_.bettor or 0)
    return bettor is not None and bettor.all_in


def asks_all_in(table: Table, round_: Round, seat: int) -> bool:
    """Say whether it matters if an all-in raises: one is faced, and others can still act."""
    others = set(table.asked_seats()) - {seat}
    return faces_all_in(table, round_, seat) and bool(others)


def what_next(table: Table) -> str | None:
    """Say what comes next in a hand; None where no round is known."""
    hand = table.hand
    if not hand.in_progress or hand.round is None:
        return None
    if len(table.live_seats()) <= 1:
        return OVER
    if hand.round.to_act:
        return ACT
    if hand.street == STREETS[-1]:
        return SHOWDOWN
    if len(table.asked_seats()) <= 1:
        return RUN_OUT
    return next_street(table)


def next_street(table: Table) -> str | None:
    """Name the street after this one."""
    index = STREETS.index(table.hand.street) + 1
    return STREETS[index] if index < len(STREETS) else None
