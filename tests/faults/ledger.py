"""The ledger: everything that clients were told, compared with what is in the journal.

`Books` reads the files of a hub that is dead, as its successor will; `Ledger` holds what clients
sent, were answered and were shown, and names every difference.
"""

from __future__ import annotations

import shutil
import sqlite3
from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from server import registry
from server.desk import status_of, table_number
from server.engine import (
    State,
    board_document,
    event_document,
    evolve,
    floor_document,
    new,
    table_document,
)
from server.engine.events import EVENTS
from server.engine.records import read_event
from server.journal import GENESIS, Line, chain
from server.registry import HUB, Registry
from tests.rig import unsigned

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from server.protocol.messages import Do, Done, Refused

ACCEPTING = ("command.accepted", "command.undone")


@dataclass
class Books:
    """The journal as it lies on the disk, and every state that it ever told."""

    seq: int = 0
    hash: bytes = GENESIS
    alive: int = 0  # when the hub last noted that it is there
    accepted: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    gaps: dict[int, tuple[int, int]] = field(default_factory=dict)  # all that were ever found
    _events: dict[str, tuple[list[int], list[State]]] = field(default_factory=dict)
    _lines: list[tuple[int, Line]] = field(default_factory=list)
    _hubs: tuple[list[int], list[Registry]] = field(default_factory=lambda: ([0], [Registry()]))

    def read(self, data: Path, scratch: Path) -> None:
        """Read what was added; raises AssertionError where what was there has changed."""
        scratch.mkdir(exist_ok=True)
        copy = scratch / "railbird.db"
        for end in ("", "-wal"):
            source = data / f"railbird.db{end}"
            copy.with_name(copy.name + end).unlink(missing_ok=True)
            if source.exists():
                shutil.copyfile(source, copy.with_name(copy.name + end))
        db = sqlite3.connect(copy)
        try:
            self._read(db)
        finally:
            db.close()

    def _read(self, db: sqlite3.Connection) -> None:
        known = db.execute("SELECT hash FROM journal WHERE seq = ?", (self.seq,)).fetchone()
        assert self.seq == 0 or (known and known[0] == self.hash), f"line {self.seq} has changed"
        rows = db.execute("SELECT * FROM journal WHERE seq > ? ORDER BY seq", (self.seq,))
        for seq, *columns, digest in rows.fetchall():
            assert seq == self.seq + 1, f"line {self.seq + 1} is missing"
            line = Line(*columns)
            self.hash = chain(self.hash, seq, line)
            assert digest == self.hash, f"line {seq} is not what was written"
            self.seq = seq
            self._take(line)
        kept = db.execute("SELECT value FROM kept WHERE key = 'alive'").fetchone()
        self.alive = msgspec.json.decode(kept[0]) if kept else 0

    def _take(self, line: Line) -> None:
        record = msgspec.json.decode(line.body)
        self._lines.append((self.seq, line))
        if line.event == HUB:
            if line.command:
                self.accepted[line.command].append(line.at)
            before = self._hubs[1][-1]
            self._hubs[0].append(self.seq)
            self._hubs[1].append(registry.evolve(before, record))
            if record["event"] == "gap.found":
                self.gaps[self.registry.count] = record["since"], record["until"]
            if record["event"] == "event.created":
                made = self._hubs[1][-1].events[record["id"]]
                state = new(made.rules, at=made.created_at, scheduled_at=made.scheduled_at)
                self._events[made.id] = ([self.seq], [state])
        elif record["event"] in EVENTS:
            if line.command and record["event"] in ACCEPTING:
                self.accepted[line.command].append(line.at)
            revs, states = self._events[line.event]
            revs.append(self.seq)
            states.append(evolve(states[-1], read_event(record)))

    def state(self, event: str, rev: int | None = None) -> State | None:
        """Give an event as it was at a line, or as it is."""
        revs, states = self._events.get(event, ([], []))
        index = len(revs) if rev is None else bisect_right(revs, rev)
        return states[index - 1] if index else None

    def lines(self, event: str, after: int) -> Iterator[tuple[int, Line]]:
        """Give the lines of an event after a line."""
        for seq, line in self._lines[after:]:
            if line.event == event:
                yield seq, line

    @property
    def registry(self) -> Registry:
        """The hub's own records, as they are."""
        return self._hubs[1][-1]

    def _events_document(self, rev: int, now: int) -> Any:
        shown = self._hubs[1][bisect_right(self._hubs[0], rev) - 1]
        found = []
        for made in shown.events.values():
            state = self.state(made.id, rev)
            if made.archived or state is None:
                continue
            field_ = state.room.field
            found.append(
                {
                    "id": made.id,
                    "name": made.rules.name,
                    "house": made.rules.house,
                    "preset": made.preset,
                    "status": status_of(state, now),
                    "left": field_.left,
                    "entries": field_.entries,
                }
            )
        return {"now": now, "events": found}

    def document(self, topic: str, rev: int, now: int) -> Any:
        """Say what the document of a topic must have been at a line and an instant."""
        match topic.split("/"):
            case ["events"]:
                return self._events_document(rev, now)
            case ["t", event, *rest]:
                state = self.state(event, rev)
                if state is None:
                    return None
                match rest:
                    case []:
                        return event_document(state, now)
                    case ["tables"]:
                        return board_document(state, now)
                    case ["floor"]:
                        return floor_document(state, now)
                    case _:
                        number = table_number(rest, "table")
                        return table_document(state, number or 0, now)
        raise AssertionError(f"nobody follows {topic}")


@dataclass
class Seen:
    """A document that came over some wire."""

    client: str
    topic: str
    rev: int
    doc: Any


@dataclass
class Ledger:
    """What clients did, were answered and were shown."""

    books: Books = field(default_factory=Books)
    sent: dict[str, Do] = field(default_factory=dict)
    done: dict[str, int] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    figures: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    _seen: list[Seen] = field(default_factory=list)
    _shown: dict[tuple[str, str, str], int] = field(default_factory=dict)

    def answered(self, answer: Done | Refused) -> None:
        """Take in an answer, also one to a command that was sent for the second time."""
        code = getattr(answer, "code", None)
        if code is not None:
            self.figures["refused"] += answer.id not in self.refused
            self.refused[answer.id] = str(code)
            if answer.id in self.done:
                self.wrong.append(f"{answer.id} was refused ({code}) after it was done")
            return
        known = self.done.setdefault(answer.id, answer.at)
        if known != answer.at:
            self.wrong.append(f"{answer.id} was done at {known}, and then at {answer.at}")
        if answer.id in self.refused:
            self.wrong.append(f"{answer.id} was done after it was refused")
        self.figures["done again"] += answer.again

    def saw(self, client: str, topic: str, rev: int, doc: Any) -> None:
        """Take in a document that came over a wire."""
        self._seen.append(Seen(client, topic, rev, doc))

    def showed(self, client: str, hub: str, topic: str, rev: int) -> None:
        """Take in a document that a client has put on its screen.

        Revisions say nothing of a hub with another identity, such as one that could not store
        its start.
        """
        known = self._shown.get((client, hub, topic), -1)
        if rev <= known:
            self.wrong.append(f"{client} showed {topic} at {rev} after {known}")
        self._shown[client, hub, topic] = rev

    def compare(self, data: Path, scratch: Path) -> None:
        """Compare everything with the files of a dead hub."""
        try:
            self.books.read(data, scratch)
        except AssertionError as error:
            self.wrong.append(f"the journal: {error}")
            return
        accepted = self.books.accepted
        for command, at in self.done.items():
            if command not in accepted:
                self.wrong.append(f"LOST: {self.sent[command]} was acknowledged at {at}")
            elif at not in accepted[command]:
                self.wrong.append(f"{command} was done at {at}, stored at {accepted[command]}")
        for command, times in accepted.items():
            if len(times) > 1:
                self.wrong.append(f"DOUBLED: {self.sent[command]} is stored {len(times)} times")
            if command in self.refused:
                code = self.refused[command]
                self.wrong.append(f"{self.sent[command]} was refused ({code}) and is stored")
        seen, self._seen = self._seen, []
        for found in seen:
            self._compare_document(found)
        self.figures["acknowledged"] = len(self.done)
        self.figures["documents"] += len(seen)

    def _compare_document(self, seen: Seen) -> None:
        if seen.topic == "hub":
            for gap in seen.doc["gaps"]:
                if self.books.gaps.get(gap["id"]) != (gap["since"], gap["until"]):
                    self.wrong.append(f"SHOWN BUT NOT STORED: {gap}")
            return
        if seen.rev > self.books.seq:
            self.wrong.append(
                f"SHOWN BUT NOT STORED: {seen.topic} at {seen.rev} to {seen.client}, "
                f"the journal ends at {self.books.seq}"
            )
            return
        now = seen.doc["now"] if seen.doc is not None else 0
        wanted = msgspec.json.decode(
            msgspec.json.encode(self.books.document(seen.topic, seen.rev, now))
        )
        if _remembered(wanted, seen.doc) != unsigned(seen.doc):
            self.wrong.append(
                f"SHOWN BUT NOT STORED: {seen.topic} at {seen.rev} to {seen.client}: "
                f"{seen.doc} should be {wanted}"
            )


def _remembered(wanted: Any, doc: Any) -> Any:
    """Leave out what a hub that began at a snapshot has forgotten: the oldest undoable commands."""
    if not isinstance(wanted, dict) or not isinstance(doc, dict) or "undo" not in wanted:
        return wanted
    known = wanted["undo"]
    if isinstance(known, list):
        return {**wanted, "undo": known[: len(doc["undo"])]}
    return wanted if doc["undo"] is not None else {**wanted, "undo": None}
