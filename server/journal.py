"""The journal: what happened, in order, durable before it is shown, and proof against tampering.

`Journal` is what the hub needs of a store; `server.sqlite_journal` is the embedded one, and another
may come. Every line is chained to the one before it by a hash, so that an edit, an insertion, a
deletion or a swap anywhere breaks the chain; a cut tail is found against a head exported before.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

if TYPE_CHECKING:
    from concurrent.futures import Future

GENESIS = b"\x00" * 32


@dataclass(frozen=True, slots=True)
class Line:
    """One event of one tournament, and how it came about."""

    event: str  # the tournament
    at: int  # when it was due: for a command, the instant that counts
    tapped: int | None  # when the device says that it was commanded
    received: int  # when the hub took it up
    actor: str
    device: str
    command: str  # the id of the command that caused it; empty for what time did
    body: bytes  # the record of what happened, as JSON


fields_of = attrgetter(*(field.name for field in fields(Line)))
"""Give a line's fields in their order, as a store has them; `astuple` would copy each of them."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A line in its place in the chain."""

    seq: int
    line: Line
    hash: bytes


def chain(before: bytes, seq: int, line: Line) -> bytes:
    """Compute the hash of a line: of everything in it, its place, and all that came before it."""
    when = (line.at, line.tapped, line.received)
    parts = (seq, line.event, *when, line.actor, line.device, line.command)
    return hashlib.sha256(before + msgspec.json.encode(parts) + b"\n" + line.body).digest()


@dataclass(frozen=True, slots=True)
class Damage:
    """The first place at which a journal is not what was written."""

    seq: int
    reason: str


def verify(
    stored: Iterable[Stored],
    head: tuple[int, bytes] | None = None,
    begin: tuple[int, bytes] = (0, GENESIS),
) -> Damage | None:
    """Prove that a chain is whole and, given a head exported before, that its tail is not cut.

    What comes before `begin`, the number and hash of a line, is taken for granted.
    """
    seq, before = begin
    seen = head is None or head[0] == 0
    for found in stored:
        seq += 1
        if found.seq != seq:
            return Damage(seq, f"line {seq} is missing")
        if chain(before, seq, found.line) != found.hash:
            return Damage(seq, f"line {seq} is not what was written")
        before = found.hash
        if head is not None and head[0] == seq:
            if head[1] != before:
                return Damage(seq, f"line {seq} is not the one that was exported as the head")
            seen = True
    if not seen and head is not None:
        return Damage(seq + 1, f"the journal ends at line {seq}, the head was line {head[0]}")
    return None


class StorageError(Exception):
    """The store could not make something durable; nothing of it was kept."""


class Journal(Protocol):
    """What the hub needs of a store."""

    def append(self, lines: list[Line]) -> "Future[int]":
        """Make lines durable, all or none; the future gives the number of the last one."""

    def reset(self) -> None:
        """Write again after a failure, once the hub is back at what is durable."""

    def read(self, event: str | None = None, after: int = 0) -> Iterator[Stored]:
        """Read lines back in order."""

    def back(self, event: str | None = None, before: int | None = None) -> Iterator[Stored]:
        """Read lines back from the newest, or from before a line, to the oldest."""

    def head(self) -> tuple[int, bytes]:
        """Give the number and hash of the last line."""

    def begin(self) -> tuple[int, bytes]:
        """Give the number and hash of the line before the first: older ones are in an archive."""

    def put(self, key: str, value: Any) -> "Future[int]":
        """Keep a small value under a key, durable like a line but replaceable; None forgets."""

    def get(self, key: str) -> Any:
        """Find a value that was kept, or None."""

    def keys(self, prefix: str) -> list[str]:
        """List the keys with a prefix."""

    def backup(self, path: str) -> None:
        """Write a consistent copy while the journal is in use."""

    def close(self) -> None:
        """Finish what was asked for and let go of the store."""
