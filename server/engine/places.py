"""Finishing places: who shares, and who had the larger stack (SB-18, AP-V.j, AP-RP8a, HP-P).

Busts in one hand-for-hand hand are settled together: on different tables they share the places,
on one table the larger stack before the hand places higher. Outside hand-for-hand only the busts
of one table's hand belong together.
"""

from server.engine.room import Bust, Finish


def settle(busts: tuple[Bust, ...], left: int, share: bool) -> tuple[Finish, ...]:
    """Give places to the busts of one round, with `left` players still in after all of them."""

    def rank(bust: Bust) -> int:
        """Count who at the same table had more."""
        if share:
            return 0
        mine = -1 if bust.stack is None else bust.stack
        rivals = (-1 if b.stack is None else b.stack for b in busts if b.table == bust.table)
        return sum(stack > mine for stack in rivals)

    finishes: list[Finish] = []
    place = left + 1
    for tier in sorted({rank(bust) for bust in busts}):
        sharing = [bust for bust in busts if rank(bust) == tier]
        finishes += [Finish(b.player, b.name, place, len(sharing)) for b in sharing]
        place += len(sharing)
    return tuple(finishes)
