"""The truth of the button: where it and the blinds go from hand to hand.

**Dead button** (DB): the big blind is posted by the player due for it, and that is the next player
after the last big blind. The small blind goes to where the big blind was, the button to where the
small blind was, whether anybody sits there or not. Heads-up the button is the small blind.

**Moving button** (Star Brisbane): the button goes to the next player, and the blinds are the next
two. Heads-up, of which the house's document says nothing, the big blind moves on as above, so that
nobody has it twice in a row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.hands.poker import Places, left_of

if TYPE_CHECKING:
    from collections.abc import Collection

HEADS_UP = 2


class Rotation:
    """The button of one table."""

    def __init__(self, *, dead: bool, first: int) -> None:
        self.dead = dead
        self.here: int | None = first  # BUTTON HERE, or the first hand
        self.button = self.small = self.big = 0  # places, taken or not

    def deal(self, taken: Collection[int]) -> Places:
        """Put button and blinds for the next hand among the seats that are taken."""
        if self.here is not None:
            self._set(self.here, taken)
        elif len(taken) == HEADS_UP:
            self._heads_up(taken)
        elif self.dead:
            self._move_on(taken)
        else:
            self._set(left_of(self.button, taken)[0], taken)
        self.here = None
        return Places(self.button, self.small if self.small in taken else None, self.big)

    def _set(self, button: int, taken: Collection[int]) -> None:
        """Put the button at a seat; the next two players have the blinds."""
        around = left_of(button, taken)
        if len(taken) == HEADS_UP:
            assert button in taken, "heads-up the button is the small blind"
            around = [button, *around]
        self.button, self.small, self.big = button, around[0], around[1]

    def _heads_up(self, taken: Collection[int]) -> None:
        """Give the big blind to the next player after the last one, as at a full table."""
        big, small = left_of(self.big, taken)
        self.button, self.small, self.big = small, small, big

    def _move_on(self, taken: Collection[int]) -> None:
        big = left_of(self.big, taken)[0]
        button, small = self.small, self.big
        round_ = left_of(small, {*taken, button, small})
        if round_.index(button) <= round_.index(big):
            # The way from small to big blind leads over the old small blind's place: a button
            # there would be behind the blinds. It is with the last player before the small blind.
            button = left_of(small, set(taken) - {small, big})[-1]
        self.button, self.small, self.big = button, small, big
