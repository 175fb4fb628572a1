"""Talk: what is said aloud in the room, and never goes through the hub.

A dealer calls out who is out of chips; the director asks a table to hold after its hand. Where the
chips are is seen by everybody too: the felt remembers them.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Busted:
    """A player who has no chips any more, and had so many before the hand."""

    player: str
    stack: int


@dataclass(slots=True)
class Talk:
    """What was said and not yet acted upon."""

    busts: deque[Busted] = field(default_factory=deque)
    waits: frozenset[int] = frozenset()  # tables that deal no new hand
    done: Counter[str] = field(default_factory=Counter)  # commands that were carried out
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)  # by command and code
    _ears: list[Callable[[], None]] = field(default_factory=list)

    def listen(self, ear: Callable[[], None]) -> None:
        """Be told whenever something is said."""
        self._ears.append(ear)

    def forget(self) -> None:
        """Begin another evening: only what was counted stays."""
        self.busts.clear()
        self._ears.clear()
        self.waits = frozenset()

    def bust(self, gone: Iterable[Busted]) -> None:
        """Call out who is out of chips."""
        known = set(self.busts)
        self.busts.extend(busted for busted in gone if busted not in known)
        self._say()

    def hold(self, *tables: int) -> None:
        """Ask these tables, and no others, to wait after their hands."""
        if self.waits != frozenset(tables):
            self.waits = frozenset(tables)
            self._say()

    def _say(self) -> None:
        for ear in self._ears:
            ear()


@dataclass(slots=True)
class Felt:
    """The chips on the tables, by player; they are conserved."""

    start: int = 10_000
    stacks: dict[str, int] = field(default_factory=dict)
    refill: bool = False  # who has lost everything starts again: a room for measuring

    def stack(self, player: str) -> int:
        """Count a player's chips."""
        return self.stacks.setdefault(player, self.start)

    def settle(self, changes: Mapping[str, int]) -> list[Busted]:
        """Move chips at the end of a hand, and say who has none left."""
        before = {player: self.stack(player) for player in changes}
        for player, change in changes.items():
            self.stacks[player] = before[player] + change
        gone = [Busted(player, before[player]) for player in changes if not self.stacks[player]]
        if self.refill:
            self.stacks.update(dict.fromkeys((busted.player for busted in gone), self.start))
            return []
        return gone
