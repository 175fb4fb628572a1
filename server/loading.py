"""Loading: an event as the journal tells it, from a snapshot where there is one.

A snapshot saves time, but it has no memory of what can be undone. A room that waits must have its
clocks at once, so a start plays only the newest lines again: the newest snapshot is left alone, the
replay begins at the one before it, and on the way the state is compared with the one that was left
alone. What could be undone before that is brought back while the hub runs (`recall`), from the
oldest snapshot that is kept.

What was answered and who moved the room must be known before the first tap is read. It stands in
the lines as it is: far more of them are looked at than are played again.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import msgspec

from server import __version__
from server.engine import State, evolve, new
from server.engine.records import read_state, write_state
from server.engine.story import BrokenJournal
from server.journal import Journal, Stored
from server.journal_format import FORMAT, NotUnderstood, Origins, origins
from server.ledger import CAUSES, TAIL
from server.logs import log
from server.moves import MOVES, Moves
from server.orders import Key
from server.registry import Registered

EVERY = 4_000
"""Lines of an event between two snapshots. A start plays that many again, or twice as many: half a
second. A snapshot of a thousand tables costs as much as a few hundred lines."""

KEPT = 7
"""Snapshots that are kept of an event: what can be undone is brought back from the oldest, at least
24,000 lines ago."""

LOOKED_AT = 40_000
"""Lines that are looked at for what was answered, by whom, and for what moved the room."""

STEPS = ("level.started", "break.started", "break.ended")
"""What moves the room by itself."""


@dataclass(slots=True)
class Loaded:
    """An event that was loaded."""

    state: State
    began: int = 0  # the line after which lines were played again
    lines: int = 0  # that were played again
    since: int = 0  # of those, lines since the newest snapshot
    snapshots: list[int] = field(default_factory=list)  # lines at which they were taken
    strange: list[str] = field(default_factory=list)  # keys of snapshots of other versions
    missing: list[tuple[int, State]] = field(default_factory=list)  # not taken when they were due
    answered: dict[Key, int] = field(default_factory=dict)
    actors: dict[str, str] = field(default_factory=dict)  # who gave each command
    moves: Moves = field(default_factory=Moves)
    tail: list[Stored] = field(default_factory=list)  # the newest lines, the oldest of them first


class _Cause(msgspec.Struct):
    id: str
    do: str


class _Glance(msgspec.Struct):
    """As much of a record as tells whether there is more to read."""

    event: str
    command: _Cause | None = None


_glance = msgspec.json.Decoder(_Glance).decode


def snapshot_key(event: str, seq: int) -> str:
    """Name a snapshot so that names sort like lines."""
    return f"snapshot/{event}/{seq:012d}"


def snapshots(journal: Journal, event: str) -> list[int]:
    """List the lines at which snapshots of an event were taken, in order."""
    return [int(key.rpartition("/")[2]) for key in journal.keys(f"snapshot/{event}/")]


def packed(part: Any) -> msgspec.Raw:
    """Encode a part of a snapshot: its many small values would keep the collector busy."""
    return msgspec.Raw(msgspec.json.encode(part))


def signed(record: dict[str, Any]) -> dict[str, Any]:
    """Say in a snapshot which version wrote it."""
    return {"format": FORMAT, "build": __version__, "state": record}


def written(state: State) -> bytes:
    """Write a snapshot."""
    return msgspec.json.encode(signed(write_state(state)))


def opened(journal: Journal, event: str, seq: int) -> dict[str, Any] | None:
    """Give what a snapshot says of the state; None if a version of another format wrote it."""
    found = journal.get(snapshot_key(event, seq))
    ours = isinstance(found, dict) and found.get("format") == FORMAT
    return found["state"] if ours else None


def load(journal: Journal, made: Registered, wrote: Origins | None = None) -> Loaded:
    """Load an event; a snapshot that does not lead to the same night is not believed."""
    wrote = origins(journal) if wrote is None else wrote
    taken = {seq: opened(journal, made.id, seq) for seq in snapshots(journal, made.id)}
    ours = {seq: record for seq, record in taken.items() if record is not None}
    for begin in [*sorted(ours, reverse=True)[1:], 0]:
        try:
            loaded = _replayed(journal, made, wrote, ours, begin)
        except NotUnderstood:  # a line, not a snapshot
            raise
        except Exception as error:
            if begin == 0:
                raise
            log("snapshot not believed", event=made.id, line=begin, reason=str(error))
            del ours[begin]
            continue
        loaded.strange = [snapshot_key(made.id, seq) for seq in taken if seq not in ours]
        _look_back(loaded, journal, made.id, wrote)
        return loaded
    raise AssertionError("the whole journal is always the last resort")


def _replayed(
    journal: Journal,
    made: Registered,
    wrote: Origins,
    taken: dict[int, dict[str, Any]],
    begin: int,
) -> Loaded:
    newest = max(taken, default=0)
    # The whole journal is right by itself; what a snapshot leads to must agree with the newest.
    loaded = Loaded(begun(made, taken.get(begin)), began=begin)
    for stored, state in replay(journal, made.id, wrote, loaded.state, begin):
        loaded.state = state
        loaded.lines += 1
        loaded.since += 1
        if stored.seq == newest and begin:
            if not same(state, taken[newest]):
                raise BrokenJournal(f"the replay differs from the snapshot at line {newest}")
        elif loaded.since >= EVERY and stored.seq not in taken:
            loaded.missing = [*loaded.missing, (stored.seq, state)][-KEPT:]
        if stored.seq in taken or loaded.since >= EVERY:
            loaded.since = 0
    loaded.snapshots = sorted(taken)
    return loaded


def begun(made: Registered, snapshot: dict[str, Any] | None) -> State:
    """Give the state that a replay begins with: a snapshot's, or a new event's."""
    if snapshot is not None:
        return read_state(snapshot, made.rules)
    return new(made.rules, at=made.created_at, scheduled_at=made.scheduled_at)


def same(state: State, snapshot: dict[str, Any]) -> bool:
    """Say whether a state is what a snapshot says."""
    return msgspec.json.encode(write_state(state)) == msgspec.json.encode(snapshot)


def replay(
    journal: Journal, event: str, wrote: Origins, state: State, after: int
) -> Iterator[tuple[Stored, State]]:
    """Play lines of an event again: each line, and the state that it led to."""
    for stored in journal.read(event, after):
        happened = wrote.happened(stored)
        if happened is not None:
            state = evolve(state, happened)
            yield stored, state


def _glanced(stored: Stored, wrote: Origins) -> _Glance:
    if wrote.format(stored.seq) == FORMAT:
        return _glance(stored.line.body)
    record = wrote.lifted(stored.seq, msgspec.json.decode(stored.line.body))
    return msgspec.convert(record, _Glance)


def _look_back(loaded: Loaded, journal: Journal, event: str, wrote: Origins) -> None:
    """Find in the newest lines what was answered, by whom, and what moved the room."""
    newest = list(islice(journal.back(event), LOOKED_AT))[::-1]
    for stored in newest:
        line, found = stored.line, _glanced(stored, wrote)
        wrote.insist_on_name(stored.seq, found.event)
        if found.command is not None and found.event in CAUSES and line.device:
            loaded.answered[line.device, line.command] = line.at
            loaded.actors[found.command.id] = line.actor
        if found.event in STEPS or (found.command is not None and found.command.do in MOVES):
            happened = wrote.happened(stored)
            if happened is not None:
                loaded.moves.note(happened, line.actor, line.device, stored.seq)
    loaded.tail = newest[-TAIL:]
