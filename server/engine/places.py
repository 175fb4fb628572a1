"""Finishing places: who shares, and who had the larger stack (SB-18, AP-V.j, AP-RP8a, HP-P).

Busts in one hand-for-hand hand are settled together: on different tables they share the places,
on one table the larger stack before the hand places higher. Outside hand-for-hand only the busts
of one table's hand belong together; the places that they have taken between them are dealt out anew
when another bust of that hand is told.
"""

from server.engine.room import Bust, BustRound, Finish


def settle(round_: BustRound, share: bool) -> tuple[Finish, ...]:
    """Deal the places of a round out to its busts; where `share`, stacks do not count (HP-P)."""
    busts, places = round_.busts, sorted(round_.places)

    def rank(bust: Bust) -> int:
        """Count who at the same table had more."""
        if share:
            return 0
        mine = -1 if bust.stack is None else bust.stack
        rivals = (-1 if b.stack is None else b.stack for b in busts if b.table == bust.table)
        return sum(stack > mine for stack in rivals)

    finishes: list[Finish] = []
    for tier in sorted({rank(bust) for bust in busts}):
        sharing = [bust for bust in busts if rank(bust) == tier]
        place = places[len(finishes)]
        finishes += [Finish(b.player, b.name, place, len(sharing)) for b in sharing]
    return tuple(finishes)
