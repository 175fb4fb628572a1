"""Archives: what is long over leaves the journal, into a file that proves the same chain.

The longest beginning of the journal goes in which every event has been put away, is there as a
whole, and is older than a date. The archive is a journal by itself. What stays begins with the line
after it, keeps number and hash of the last line that went, and of the registry all that went, so
that no number is ever given twice. Nothing is changed before both files are proved whole.
"""

import contextlib
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from server import __version__, backups, registry, restoring, sheets, swap
from server.config import Places
from server.export import instant
from server.increments import EARLIER, NAMES, Increments
from server.journal import StorageError, Stored, fields_of
from server.journal_files import sync_folder
from server.journal_format import CARRIED, FORMAT, Origins, carried
from server.loading import load
from server.registry import HUB, Record, Registry
from server.sqlite_journal import BEGINS, INSERT, SCHEMA, SqliteJournal, begin_of

PART = ".archiving"
"""The journal that is left, before it takes its place."""

PAGE = 5_000


@dataclass(slots=True)
class _Span:
    """Where an event's lines are, from its creation on."""

    first: int
    last: int
    name: str
    over: bool = False  # it was put away


@dataclass(frozen=True, slots=True)
class Plan:
    """What can leave the journal."""

    begin: int  # the line before the first that goes
    end: int  # the last line that goes
    events: dict[str, str] = field(default_factory=dict)  # names of those that go with them
    why: str = ""  # no more of them go

    @property
    def file(self) -> str:
        """The archive's name."""
        return f"railbird-{self.begin + 1:09d}-{self.end:09d}.db"


def plan(journal: SqliteJournal, before: int) -> Plan:
    """See what has been over since before an instant."""
    spans, end, why = _spans(journal, before)
    begin, end = journal.begin()[0], min(end, journal.head()[0] - 1)
    why = why or "the newest line always stays"
    settled = False
    while not settled:
        settled = True
        for id_, span in spans.items():
            if span.first <= end and not (span.over and span.last <= end):
                left = "goes on after that" if span.over else "has not been put away"
                end, why = span.first - 1, f"event {id_} ({span.name}) {left}"
                settled = False
    going = {id_: span.name for id_, span in spans.items() if span.last <= end}
    return Plan(begin, max(begin, end), going, why)


def _spans(journal: SqliteJournal, before: int) -> tuple[dict[str, _Span], int, str]:
    """Find all events; and the last line that is old enough, with why the next one is not."""
    spans: dict[str, _Span] = {}
    end, why = 0, ""
    for stored in journal.read():
        if not why and stored.line.received >= before:
            why = f"line {stored.seq} is of {instant(stored.line.received)}"
        end = end if why else stored.seq
        if stored.line.event != HUB:
            unknown = _Span(stored.seq, stored.seq, "of which this journal knows no beginning")
            spans.setdefault(stored.line.event, unknown).last = stored.seq
            continue
        record = msgspec.json.decode(stored.line.body)
        if record["event"] == "event.created":
            name = str(record["rules"].get("name", ""))
            spans[record["id"]] = _Span(stored.seq, stored.seq, name)
        elif record["event"] == "event.archived" and record["id"] in spans:
            spans[record["id"]].over = True
    return spans, end, why


# ── doing it ─────────────────────────────────────────────────────────────────────────────────────


def archive(places: Places, before: int, *, only_look: bool = False) -> Plan:
    """Move what has been over since before an instant into an archive; no hub may be running."""
    restoring.take(places)
    if not places.journal.exists():
        raise StorageError(f"{places.journal}: there is no journal")
    part = places.journal.with_name(f"{places.journal.name}{PART}")
    try:
        with contextlib.closing(SqliteJournal(places.journal)) as journal:
            found = plan(journal, before)
            if only_look or found.end == found.begin:
                return found
            _write_both(places, journal, found, part)
        seen = _state(places.journal)
        with restoring.held(places):
            if _state(places.journal) != seen:
                raise StorageError(f"{places.journal}: a hub has used this data meanwhile")
            swap.decide(places.journal, part, "archived")
            swap.finish(places.journal)
        restoring.clear_up(places)
        _begin_backups_anew(places, places.archive / found.file)
    except (sqlite3.Error, OSError) as error:
        raise StorageError(f"{places.journal}: {error}") from None
    return found


def _state(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_mtime_ns, found.st_size


def _write_both(places: Places, journal: SqliteJournal, found: Plan, part: Path) -> None:
    """Write the archive and the journal that is left, and prove both."""
    head, last = journal.head()[0], journal.hash_at(found.end)
    if last is None:
        raise StorageError(f"{places.journal}: line {found.end} is missing")
    places.archive.mkdir(exist_ok=True, mode=0o700)
    begins = journal.kept_as_written(BEGINS)
    lines = islice(journal.read(), found.end - found.begin)
    path = places.archive / found.file
    _write(path, lines, {} if begins is None else {BEGINS: begins})
    kept = {
        key: journal.kept_as_written(key)
        for key in journal.keys("")
        if not any(key.startswith(f"snapshot/{id_}/") for id_ in found.events)
    }
    kept[BEGINS] = msgspec.json.encode({"line": found.end, "hash": last.hex(), "file": found.file})
    kept[CARRIED] = msgspec.json.encode(_carried(journal, found))
    _write(part, journal.read(after=found.end), kept)
    for file, end in ((path, found.end), (part, head)):
        if backups.whole(file) != end:
            raise StorageError(f"{file}: what was written is not whole, and nothing was changed")


def _write(path: Path, lines: Iterable[Stored], kept: dict[str, bytes | None]) -> None:
    """Write a journal's file: all of it and durable, or none."""
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)
    part.touch(mode=0o600)
    lines = iter(lines)
    with contextlib.closing(sqlite3.connect(part, isolation_level=None)) as db:
        db.executescript(SCHEMA)
        db.execute("BEGIN")
        while page := list(islice(lines, PAGE)):
            db.executemany(INSERT, [(s.seq, *fields_of(s.line), s.hash) for s in page])
        db.executemany("INSERT INTO kept VALUES (?, ?)", kept.items())
        db.execute("COMMIT")
    part.replace(path)
    sync_folder(path.parent)


def _carried(journal: SqliteJournal, found: Plan) -> dict[str, Any]:
    """List what the registry must know of lines that go; of an event, the structure at its end."""
    wrote, known = Origins(), Registry()
    records = carried(journal, wrote)
    for record in records:
        known = registry.evolve(known, record)
    for stored in journal.read(HUB):
        record = wrote.hub_record(stored)
        after = registry.evolve(known, record)
        if stored.seq <= found.end and after is not known:
            records.append(record)
        known = after
    build = wrote.build(found.end)
    return {
        "build": __version__,
        "format": FORMAT,
        "begins": {} if build is None else {"build": build, "format": wrote.format(found.end)},
        "records": [_as_it_ended(journal, found, known, wrote, record) for record in records],
    }


def _as_it_ended(
    journal: SqliteJournal, found: Plan, known: Registry, wrote: Origins, record: Record
) -> Record:
    """Give the record of an event that goes with the structure that it had at its end."""
    if record["event"] != "event.created" or record["id"] not in found.events:
        return record
    state = load(journal, known.events[record["id"]], wrote).state
    return {
        **record,
        "rules": {**record["rules"], "structure": sheets.plain(state.room.structure)},
    }


def _begin_backups_anew(places: Places, archived: Path) -> None:
    """Have backups of the journal as it is now, and remove those that archive and journal hold."""
    kinds = [*NAMES, *EARLIER]
    old = [path for kind in kinds for path in sorted(places.backups.glob(kind))]
    aside = backups.set_aside(places.backups, old)
    with contextlib.closing(SqliteJournal(places.journal)) as journal:
        journal.begin_head()
        for _ in NAMES:
            Increments(journal, places.backups).make()
        if aside is None or any(backups.whole(places.backups / name) is None for name in NAMES):
            return
        for path in aside.iterdir():
            last = backups.last_line(path)
            if last is None:
                continue
            if last.hash in (journal.hash_at(last.seq), backups.hash_in(archived, last.seq)):
                path.unlink()
    with contextlib.suppress(OSError):  # something of another night is left in it
        aside.rmdir()


# ── reading across them ──────────────────────────────────────────────────────────────────────────


def leading_to(places: Places, begin: tuple[int, bytes]) -> list[Path]:
    """List the archives that lead up to a line, the oldest first; as far back as they are here."""
    lasts = map(backups.last_line, sorted(places.archive.glob(backups.FILES)))
    ends = {(last.seq, last.hash): last.path for last in lasts if last is not None}
    found: list[Path] = []
    while begin in ends:
        found.insert(0, ends.pop(begin))
        begin = begin_of(found[0])
    for path in places.archive.glob(f"railbird-*-{begin[0]:09d}.db"):
        raise StorageError(f"{path}: its line {begin[0]} is not what the journal goes on from")
    return found
