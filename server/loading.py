"""Loading: an event as the journal tells it, from a snapshot where there is one.

A snapshot saves time, but it has no memory of what can be undone. So the newest one is left alone
and the replay begins at one before it: between 20,000 and 40,000 lines are always played again, and
on the way the state is compared with the snapshot that was left alone.
"""

from dataclasses import dataclass, field
from itertools import islice

import msgspec

from server.engine import State, evolve, new
from server.engine.events import EVENTS, Accepted, Undone
from server.engine.records import read_event, read_state, write_state
from server.engine.story import BrokenJournal
from server.journal import Journal, Stored
from server.ledger import TAIL
from server.logs import log
from server.moves import Moves
from server.orders import Key
from server.registry import Registered

EVERY = 20_000
"""Lines of an event between two snapshots."""

KEPT = 3
"""Snapshots that are kept of an event: the newest to compare, one to begin with, one in reserve."""


@dataclass(slots=True)
class Loaded:
    """An event that was loaded."""

    state: State
    lines: int = 0  # that were played again
    since: int = 0  # of those, lines since the newest snapshot
    snapshots: list[int] = field(default_factory=list)  # lines at which they were taken
    answered: dict[Key, int] = field(default_factory=dict)
    actors: dict[str, str] = field(default_factory=dict)  # who gave each command
    moves: Moves = field(default_factory=Moves)
    tail: list[Stored] = field(default_factory=list)  # the newest lines, the oldest of them first


def snapshot_key(event: str, seq: int) -> str:
    """Name a snapshot so that names sort like lines."""
    return f"snapshot/{event}/{seq:012d}"


def snapshots(journal: Journal, event: str) -> list[int]:
    """List the lines at which snapshots of an event were taken, in order."""
    return [int(key.rpartition("/")[2]) for key in journal.keys(f"snapshot/{event}/")]


def written(state: State) -> bytes:
    """Write a snapshot."""
    return msgspec.json.encode(write_state(state))


def load(journal: Journal, made: Registered) -> Loaded:
    """Load an event; a snapshot that does not lead to the same night is not believed."""
    for begin in [*reversed(snapshots(journal, made.id)[:-1]), 0]:
        try:
            return _replayed(journal, made, begin)
        except Exception as error:
            if begin == 0:
                raise
            log("snapshot not believed", event=made.id, line=begin, reason=str(error))
    raise AssertionError("the whole journal is always the last resort")


def _replayed(journal: Journal, made: Registered, begin: int) -> Loaded:
    state = new(made.rules, at=made.created_at, scheduled_at=made.scheduled_at)
    taken = snapshots(journal, made.id)
    later: set[int] = set()
    if begin:  # the whole journal is right by itself; a snapshot must agree with those after it
        state = read_state(journal.get(snapshot_key(made.id, begin)), made.rules)
        later = {seq for seq in taken if seq > begin}
    loaded = Loaded(state, snapshots=taken)
    for stored in journal.read(made.id, begin):
        record = msgspec.json.decode(stored.line.body)
        if record["event"] not in EVENTS:
            continue  # what the hub notes beside the events
        event = read_event(record)
        loaded.state = evolve(loaded.state, event)
        loaded.moves.note(event, stored.line.actor, stored.line.device, stored.seq)
        loaded.lines += 1
        loaded.since += stored.seq > max(taken, default=0)
        if isinstance(event, Accepted | Undone) and stored.line.device:
            loaded.answered[stored.line.device, stored.line.command] = stored.line.at
            loaded.actors[event.command.id] = stored.line.actor
        if stored.seq in later:
            # Read and written again, so that a snapshot of an older version can be compared.
            known = read_state(journal.get(snapshot_key(made.id, stored.seq)), made.rules)
            if written(loaded.state) != written(known):
                raise BrokenJournal(f"the replay differs from the snapshot at line {stored.seq}")
    loaded.tail = list(islice(journal.back(made.id), TAIL))[::-1]
    return loaded
