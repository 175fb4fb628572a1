"""Finishing places: who shares, and who had the larger stack (SB-18, AP-V.j, AP-RP8a, HP-P).

Busts in one hand-for-hand hand are settled together: on different tables they share the places,
on one table the larger stack before the hand places higher. Outside hand-for-hand only the busts
of one table's hand belong together.

Such a round takes places that follow each other. When a bust is told late, after those of another
round, the places of the rounds that began later move up by one.
"""

from dataclasses import replace

from server.engine.room import Bust, BustRound, Field, Finish

_ONE = 1
"""The length of a hand-for-hand round's key: its epoch alone."""


def grow(
    rounds: tuple[BustRound, ...], key: tuple[int, ...], bust: Bust, left: int
) -> tuple[tuple[BustRound, ...], int]:
    """Add a bust to its round, with `left` players before it; say from which round on it counts."""
    found = next((i for i, r in enumerate(rounds) if r.key == key), None)
    if found is None:
        found = next((i for i, r in enumerate(rounds) if _later(r.key, key)), len(rounds))
        worst = rounds[found].worst if found < len(rounds) else left
        grown, after = BustRound(key, worst, (bust,)), rounds[found:]
    else:
        grown = replace(rounds[found], busts=(*rounds[found].busts, bust))
        after = rounds[found + 1 :]
    moved = tuple(replace(r, worst=r.worst - 1) for r in after)
    return (*rounds[:found], grown, *moved), found


def entered(field: Field, player: str, *, share: bool) -> Field:
    """Give the field after an entry: who is out already is a place lower for it.

    Whoever enters again has no place any more, and who went out before them keeps theirs.
    """
    field = replace(field, entries=field.entries + 1, left=field.left + 1)
    own = next((r for r in field.rounds if any(b.player == player for b in r.busts)), None)
    given_up = next((finish for finish in field.finishes if finish.player == player), None)
    if given_up is None and own is None:
        return replace(field, late=field.late + 1)
    if own is None:
        rounds = tuple(replace(r, worst=r.worst + 1) for r in field.rounds)
    else:
        rounds = without(field.rounds, player)
    kept = [_moved_down(f, given_up) for f in field.finishes if f.player != player]
    # Who shared a table with them may rank otherwise now.
    again = [r for r in rounds if own is not None and r.key == own.key]
    placed = {finish.player: finish for r in again for finish in settle(r, share)}
    finishes = tuple(placed.get(finish.player, finish) for finish in kept)
    return replace(field, rounds=rounds, finishes=finishes)


def _moved_down(finish: Finish, given_up: Finish | None) -> Finish:
    """Move a place for one who enters again; `given_up` is what they had, where that is kept."""
    if given_up is None or finish.place < given_up.place:
        return replace(finish, place=finish.place + 1)
    if finish.place == given_up.place:
        return replace(finish, place=finish.place + 1, shared=finish.shared - 1)
    return finish


def without(rounds: tuple[BustRound, ...], player: str) -> tuple[BustRound, ...]:
    """Take out a player who has entered again; who went out later is a place lower for it."""
    kept: list[BustRound] = []
    moved = 0
    for round_ in rounds:
        busts = tuple(bust for bust in round_.busts if bust.player != player)
        if busts:
            kept.append(BustRound(round_.key, round_.worst + moved, busts))
        moved += len(busts) < len(round_.busts)
    return tuple(kept)


def _later(key: tuple[int, ...], than: tuple[int, ...]) -> bool:
    """Say whether a round is of a later hand-for-hand hand, as a table that leads plays it."""
    return len(key) == len(than) == _ONE and key > than


def settle(round_: BustRound, share: bool) -> tuple[Finish, ...]:
    """Deal the places of a round out to its busts; where `share`, stacks do not count (HP-P)."""
    busts = round_.busts

    def rank(bust: Bust) -> int:
        """Count the larger stacks at the same table; equal ones are one."""
        mine = -1 if bust.stack is None else bust.stack
        rivals = {-1 if b.stack is None else b.stack for b in busts if b.table == bust.table}
        return 0 if share else sum(stack > mine for stack in rivals)

    finishes: list[Finish] = []
    best = round_.worst - len(busts) + 1
    for tier in sorted({rank(bust) for bust in busts}):
        sharing = [bust for bust in busts if rank(bust) == tier]
        place = best + len(finishes)
        finishes += [Finish(b.player, b.name, place, len(sharing)) for b in sharing]
    return tuple(finishes)
