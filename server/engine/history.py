"""The memory of commands that can still be undone.

A command stays undoable while it is among the last 50 of everything, or among the last 50 of every
slice that it wrote: in a room of a hundred tables a director can still take back what was decided
ten minutes ago, although the dealers have tapped ten thousand times since.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from server.engine.trie import Trie

if TYPE_CHECKING:
    from server.engine.commands import Command
    from server.engine.events import Event

DEPTH = 50
ROOM = "room"

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Entry(Generic[S]):
    """A command that was accepted (or a fact that touched every table), and the state before it."""

    number: int
    at: int
    slices: frozenset[str]
    before: S
    command: "Command | None" = None
    fact: "Event | None" = None
    undoes: int | None = None  # for an undo: the entry whose effect it turned over

    @property
    def id(self) -> str:
        """The command's own id, or its number where the sender gave none."""
        return (self.command.id if self.command is not None else "") or str(self.number)


@dataclass(frozen=True, slots=True)
class History(Generic[S]):
    """The latest entries of everything, and the latest of each slice; oldest first."""

    count: int = 0
    all: tuple[Entry[S], ...] = ()
    slices: Trie[str, tuple[Entry[S], ...]] = field(default_factory=Trie)
    undone: frozenset[int] = frozenset()

    def add(self, entry: Entry[S]) -> "History[S]":
        """Remember an entry, and forget what is too old."""
        slices = self.slices
        for key in entry.slices:
            slices = slices.put(key, (*(slices.get(key) or ()), entry)[-DEPTH:])
        return History(entry.number, (*self.all, entry)[-DEPTH:], slices, self.undone)

    def replace(self, entries: Iterable[Entry[S]], undone: frozenset[int]) -> "History[S]":
        """Put entries in place of older versions of themselves."""
        new = {entry.number: entry for entry in entries}
        slices = self.slices
        for key in {key for entry in new.values() for key in entry.slices}:
            slices = slices.put(key, tuple(new.get(e.number, e) for e in slices.get(key) or ()))
        everything = tuple(new.get(entry.number, entry) for entry in self.all)
        return History(self.count, everything, slices, undone)

    def commands(self, key: str | None = None) -> list[Entry[S]]:
        """List the latest commands, of everything or of a slice, the newest first."""
        found = self.all if key is None else self.slices.get(key) or ()
        return [entry for entry in reversed(found) if entry.command is not None]

    def numbered(self, number: int) -> Entry[S] | None:
        """Find an entry that is still remembered."""
        return next((entry for entry in self._everything() if entry.number == number), None)

    def named(self, command: str) -> Entry[S] | None:
        """Find the newest command with an id."""
        found = (e for e in self._everything() if e.command is not None and e.id == command)
        return max(found, key=lambda entry: entry.number, default=None)

    def _everything(self) -> Iterator[Entry[S]]:
        yield from self.all
        for entries in self.slices.values():
            yield from entries

    def since(self, number: int, slices: frozenset[str]) -> list[Entry[S]] | None:
        """List what came after an entry and wrote any of the slices; None if some is forgotten."""
        if self.all and self.all[0].number <= number:
            return [e for e in self.all if e.number > number and not slices.isdisjoint(e.slices)]
        found: dict[int, Entry[S]] = {}
        for key in slices:
            entries = self.slices.get(key) or ()
            if len(entries) == DEPTH and entries[0].number > number:
                return None
            found.update((entry.number, entry) for entry in entries if entry.number > number)
        return [found[n] for n in sorted(found)]
