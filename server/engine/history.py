"""The memory of commands that can still be undone.

A command stays undoable while it is among the last 50 of everything, or among the last 50 of every
slice that it wrote: in a room of a hundred tables a director can still take back what was decided
ten minutes ago, although the dealers have tapped ten thousand times since.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from server.engine.trie import Trie

if TYPE_CHECKING:
    from server.engine.commands import Command
    from server.engine.events import Event

DEPTH = 50
"""How many commands are remembered, of everything and of each slice."""

MOST = 4 * DEPTH
"""How many entries in all, should somebody undo and redo all evening."""

ABOUT = 5_000
"""A table that could not be heard is taken for silent so long before and after."""

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
    replaced: "tuple[Entry[S], ...]" = ()  # for an undo: what it rewrote, as that was before

    @property
    def id(self) -> str:
        """The command's own id, or its number where the sender gave none."""
        return (self.command.id if self.command is not None else "") or str(self.number)


@dataclass(frozen=True, slots=True)
class Log(Generic[S]):
    """The latest entries of everything, or of one slice; the oldest first."""

    entries: tuple[Entry[S], ...] = ()
    forgotten: int = 0  # the number of the newest entry that was forgotten

    def add(self, entry: Entry[S]) -> "Log[S]":
        """Remember an entry, and forget what is too old: 50 commands count, undos do not."""
        entries, forgotten = (*self.entries, entry), self.forgotten
        if len(entries) > DEPTH:
            counted = [n for n, e in enumerate(entries) if e.command and e.undoes is None]
            keep = max(counted[-DEPTH - 1] + 1 if len(counted) > DEPTH else 0, len(entries) - MOST)
            if keep > 0:
                entries, forgotten = entries[keep:], entries[keep - 1].number
        return Log(entries, forgotten)

    def replace(self, new: Mapping[int, Entry[S]]) -> "Log[S]":
        """Put entries in place of older versions of themselves."""
        return Log(tuple(new.get(entry.number, entry) for entry in self.entries), self.forgotten)


@dataclass(frozen=True, slots=True)
class History(Generic[S]):
    """What happened lately, all together and by slices."""

    count: int = 0
    all: Log[S] = field(default_factory=Log)
    slices: Trie[str, Log[S]] = field(default_factory=Trie)
    undone: frozenset[int] = frozenset()
    silences: tuple[tuple[int, int], ...] = ()  # tables that could not be heard, and when
    waits: tuple[tuple[int, int, int], ...] = ()  # tables that waited for a device: since, until
    missed: tuple[tuple[int, int], ...] = ()  # time in which nobody could be heard: since, until

    def unheard(self, table: int, at: int) -> "History[S]":
        """Remember that a table could not be heard when its time ran out."""
        return replace(self, silences=(*self.silences, (table, at))[-DEPTH:])

    def silent(self, table: int, at: int) -> bool:
        """Say whether a table could not be heard at about an instant."""
        return any(known == table and abs(at - when) <= ABOUT for known, when in self.silences)

    def waited(self, table: int, since: int, until: int) -> "History[S]":
        """Remember that a table's time waited, because its device was silent."""
        others = (wait for wait in self.waits if wait[:2] != (table, since))
        return replace(self, waits=(*others, (table, since, until))[-DEPTH:])

    def wait(self, table: int, zero: int) -> tuple[int, int] | None:
        """Find the silence in which a table's time ran out; None where its device was heard."""
        for known, since, until in reversed(self.waits):
            if known == table and since < zero <= until:
                return since, until
        return None

    def without_hub(self, since: int, until: int) -> "History[S]":
        """Remember time that the hub missed."""
        if (since, until) in self.missed:
            return self
        return replace(self, missed=(*self.missed, (since, until))[-DEPTH:])

    def ran_unseen(self, runs_since: int | None, zero: int) -> bool:
        """Say whether a clock that was never held ran out in or after time that the hub missed."""
        began = 0 if runs_since is None else runs_since
        return any(began < until and since < zero for since, until in self.missed)

    def log(self, key: str) -> Log[S]:
        """Find what happened in a slice."""
        return self.slices.get(key) or Log()

    def add(self, entry: Entry[S]) -> "History[S]":
        """Remember an entry."""
        slices = self.slices
        for key in entry.slices:
            slices = slices.put(key, (slices.get(key) or Log()).add(entry))
        return replace(self, count=entry.number, all=self.all.add(entry), slices=slices)

    def replace(self, entries: Iterable[Entry[S]], undone: frozenset[int]) -> "History[S]":
        """Put entries in place of older versions of themselves."""
        new = {entry.number: entry for entry in entries}
        slices = self.slices
        for key in {key for entry in new.values() for key in entry.slices}:
            slices = slices.put(key, self.log(key).replace(new))
        return replace(self, all=self.all.replace(new), slices=slices, undone=undone)

    def commands(self, key: str | None = None) -> list[Entry[S]]:
        """List the latest commands, of everything or of a slice, the newest first."""
        log = self.all if key is None else self.log(key)
        return [entry for entry in reversed(log.entries) if entry.command is not None]

    def remembered(self, slices: frozenset[str]) -> list[Entry[S]]:
        """List all that is remembered of some slices, the oldest first."""
        found = {entry.number: entry for key in slices for entry in self.log(key).entries}
        found.update((e.number, e) for e in self.all.entries if not slices.isdisjoint(e.slices))
        return [found[number] for number in sorted(found)]

    def numbered(self, number: int) -> Entry[S] | None:
        """Find an entry that is still remembered."""
        return next((entry for entry in self._everything() if entry.number == number), None)

    def named(self, command: str) -> Entry[S] | None:
        """Find the newest command with an id."""
        found = (e for e in self._everything() if e.command is not None and e.id == command)
        return max(found, key=lambda entry: entry.number, default=None)

    def _everything(self) -> Iterator[Entry[S]]:
        yield from self.all.entries
        for log in self.slices.values():
            yield from log.entries

    def since(self, number: int, slices: frozenset[str]) -> list[Entry[S]] | None:
        """List what came after an entry and wrote any of the slices; None if some is forgotten."""
        if self.all.forgotten <= number:
            later = (entry for entry in self.all.entries if entry.number > number)
            return [entry for entry in later if not slices.isdisjoint(entry.slices)]
        found: dict[int, Entry[S]] = {}
        for log in map(self.log, slices):
            if log.forgotten > number:
                return None
            found.update((entry.number, entry) for entry in log.entries if entry.number > number)
        return [found[n] for n in sorted(found)]
