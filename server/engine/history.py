"""The memory of commands that can still be undone.

A command stays undoable while it is among the last 50 of everything, or among the last 50 of every
slice that it wrote: in a room of a hundred tables a director can still take back what was decided
ten minutes ago, although the dealers have tapped ten thousand times since.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from server.engine.trie import Trie

if TYPE_CHECKING:
    from server.engine.commands import Command
    from server.engine.events import Event

DEPTH = 50
ROOM = "room"
ALL = "all"

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
    """The entries, and for each slice the numbers of its latest ones."""

    count: int = 0
    entries: Trie[int, Entry[S]] = field(default_factory=Trie)
    latest: Trie[str, tuple[int, ...]] = field(default_factory=Trie)
    undone: frozenset[int] = frozenset()

    def add(self, entry: Entry[S]) -> "History[S]":
        """Remember an entry, and forget what is too old."""
        entries, latest = self.entries.put(entry.number, entry), self.latest
        fallen: set[int] = set()
        for key in (*entry.slices, ALL):
            numbers = (*(latest.get(key) or ()), entry.number)
            fallen.update(numbers[:-DEPTH])
            latest = latest.put(key, numbers[-DEPTH:])
        undone = self.undone
        for number in fallen:
            old = entries[number]
            if not any(number in (latest.get(key) or ()) for key in (*old.slices, ALL)):
                entries = entries.drop(number)
                undone -= {number}
        return History(entry.number, entries, latest, undone)

    def replace(self, entries: Iterable[Entry[S]], undone: frozenset[int]) -> "History[S]":
        """Put entries in place of older versions of themselves."""
        changed = self.entries
        for entry in entries:
            changed = changed.put(entry.number, entry)
        return replace(self, entries=changed, undone=undone)

    def commands(self, key: str = ALL) -> list[Entry[S]]:
        """List the latest commands that wrote a slice, the newest first."""
        found = [self.entries[number] for number in reversed(self.latest.get(key) or ())]
        return [entry for entry in found if entry.command is not None]

    def named(self, command: str) -> Entry[S] | None:
        """Find a command by its id."""
        newest_first = (entry for _, entry in reversed(self.entries.items()))
        return next((e for e in newest_first if e.command is not None and e.id == command), None)

    def since(self, number: int, slices: frozenset[str]) -> list[Entry[S]] | None:
        """List what came after an entry and wrote any of the slices; None if some is forgotten."""
        found: set[int] = set()
        for key in slices:
            numbers = self.latest.get(key) or ()
            if len(numbers) == DEPTH and numbers[0] > number:
                return None
            found.update(n for n in numbers if n > number)
        return [self.entries[n] for n in sorted(found)]
