"""The embedded journal: SQLite in one thread, committed in natural batches.

One connection and one thread write, because older SQLite versions damage a file that two write, and
an exclusive lock keeps a second hub out. The thread commits with `synchronous=FULL`, and as soon as
one commit ends takes everything that has queued up meanwhile: a single tap waits for one commit, a
storm of taps shares few.

When a commit fails, everything queued behind it fails too: it was decided on a state that never
came to be. The hub goes back to what is durable and calls `reset`. Before anybody is told, the
place in the log is written over: had only the last step failed, the flushing, then the lines would
lie there whole, and a hub that started after a death would find what was refused.

Between a commit and its acknowledgement the thread looks whether the files at the journal's paths
are still the open ones, and writes the head file. When nothing is to be done for a moment it looks
again, and moves what was written from the log into the database.
"""

import logging
import os
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from server import modes
from server.head_file import Head, HeadFile, head_path
from server.journal import GENESIS, Line, StorageError, Stored, chain, fields_of
from server.journal_files import PART, Identity, identities, new_path, put_in_place
from server.logs import log

SCHEMA = """
CREATE TABLE IF NOT EXISTS journal (
    seq INTEGER PRIMARY KEY,
    event TEXT NOT NULL,
    at INTEGER NOT NULL,
    tapped INTEGER,
    received INTEGER NOT NULL,
    actor TEXT NOT NULL,
    device TEXT NOT NULL,
    command TEXT NOT NULL,
    body BLOB NOT NULL,
    hash BLOB NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS journal_by_event ON journal (event, seq);
CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS journal_is_append_only_update BEFORE UPDATE ON journal
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER IF NOT EXISTS journal_is_append_only_replace BEFORE INSERT ON journal
    WHEN EXISTS (SELECT 1 FROM journal WHERE seq = NEW.seq)
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER IF NOT EXISTS journal_is_append_only_delete BEFORE DELETE ON journal
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
"""

_SETTINGS = (
    "locking_mode=EXCLUSIVE",  # before WAL: then no shared memory, and no second hub
    "journal_mode=WAL",
    "synchronous=FULL",
    "foreign_keys=ON",
    "trusted_schema=OFF",
    "cell_size_check=ON",
    "mmap_size=0",
)
INSERT = "INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_SELECT = "SELECT * FROM journal WHERE seq > ? ORDER BY seq LIMIT 500"
_SELECT_SOME = "SELECT * FROM journal WHERE seq > ? ORDER BY seq LIMIT ?"
_SELECT_EVENT = "SELECT * FROM journal WHERE event = ? AND seq > ? ORDER BY seq LIMIT 500"
_KEPT = "SELECT value FROM kept WHERE key = ?"
_BACK = "SELECT * FROM journal WHERE seq < ? ORDER BY seq DESC LIMIT 500"
_BACK_EVENT = "SELECT * FROM journal WHERE event = ? AND seq < ? ORDER BY seq DESC LIMIT 500"

_LAST = "SELECT seq, hash FROM journal ORDER BY seq DESC LIMIT 1"

SMALL = """
SELECT key, CASE WHEN substr(key, 1, 9) = 'snapshot/' THEN NULL ELSE value END FROM kept
"""
"""A snapshot is large and never changes: its key is enough to know whether one has it."""

BEGINS = "begins"
"""Keeps the line that a journal goes on from whose older lines are in an archive."""

_PAGES, _PAUSE = 256, 0.002
"""A backup copies so many pages at once, and then lets the writer go first."""

LOOK = 0.5
"""Seconds between two looks at the files while nothing is written: told of within one second."""

QUIET, CHECKPOINT = 0.1, 2.0
"""After a pause of so many seconds the lines go from the log into the database, and not again for
so many: what a lost log could take is small, and a memory card lives longer. While no pause comes
SQLite does it by itself at every thousand pages."""


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    work: Callable[[], int]
    future: "Future[int]"
    generation: int


def _fail(jobs: Iterable[_Job], error: StorageError) -> None:
    for job in jobs:
        job.future.set_exception(error)


def _last(db: sqlite3.Connection) -> Head:
    found: Head | None = db.execute(_LAST).fetchone()
    return found or (0, GENESIS)


def _sync(path: Path) -> None:
    with path.open("rb") as written:
        os.fsync(written.fileno())


def check(path: Path) -> None:
    """Insist that a backup's file is sound, every page of it."""
    try:
        db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        try:
            (sound,) = db.execute("PRAGMA quick_check(1)").fetchone()
        finally:
            db.close()
    except sqlite3.Error as error:
        raise StorageError(f"{path}: {error}") from None
    if sound != "ok":
        raise StorageError(f"{path}: the file is damaged: {sound}")


def read_file(path: Path) -> Iterator[Stored]:
    """Read the lines of a backup, without changing a byte of it."""
    if not path.is_file():
        raise StorageError(f"{path}: there is no such file")
    try:
        db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        try:
            for seq, *columns, digest in db.execute("SELECT * FROM journal ORDER BY seq"):
                yield Stored(seq, Line(*columns), digest)
        finally:
            db.close()
    except (sqlite3.Error, TypeError) as error:
        raise StorageError(f"{path}: not a journal that can be read: {error}") from None


def read_end(path: Path, line: int) -> tuple[int, bytes | None]:
    """Give the number of a file's last line, and the hash of one, without changing a byte of it.

    What SQLite puts beside a file that it reads is taken away again.
    """
    beside = [Path(f"{path}{end}") for end in ("-wal", "-shm")]
    made = [file for file in beside if not file.exists()]
    try:
        with closing(
            sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=0.0)
        ) as db:
            found = _read_end(db, line)
        for file in made:  # nobody else had the file open, or it could not have been read
            file.unlink(missing_ok=True)
    except (sqlite3.Error, OSError) as error:
        raise StorageError(f"{path}: not a journal that can be read: {error}") from None
    return found


def _read_end(db: sqlite3.Connection, line: int) -> tuple[int, bytes | None]:
    if db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'journal'").fetchone() is None:
        return 0, None  # nothing has ever come into the database from the log
    found = db.execute("SELECT hash FROM journal WHERE seq = ?", (line,)).fetchone()
    return _last(db)[0], None if found is None else found[0]


def begin_of(path: Path) -> tuple[int, bytes]:
    """Give the number and hash of the line that a file's first line is chained to."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as db:
            return _begin(db.execute(_KEPT, (BEGINS,)).fetchall())
    except (sqlite3.Error, ValueError, msgspec.DecodeError):
        return 0, GENESIS  # what cannot be read is found out by who reads the lines


def _begin(rows: list[Any]) -> tuple[int, bytes]:
    if not rows:
        return 0, GENESIS
    found = msgspec.json.decode(rows[0][0])
    return found["line"], bytes.fromhex(found["hash"])


class SqliteJournal:
    """A journal in one file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._generation = self._accepted = 0
        self._lock = threading.Lock()  # reading and writing share the one connection
        self._copying = threading.Lock()  # one copy at a time, and no other connection meanwhile
        self._db = self._open()
        self._head = _last(self._db)
        self._files = identities(path)  # those that are open
        self._replacing = False  # a backup that is being made gives up
        self._refused = False  # lines were committed that the hub was told are not stored
        self._head_file = HeadFile(head_path(path))
        self._looked = self._checkpointed = time.monotonic()
        self._logged = False  # lines are in the log that are not in the database
        self.tell: Callable[[str], None] = lambda _words: None
        """Called from the writer's thread, with words for the director, when the files are gone."""
        self._failing = False  # the files are gone, and no new ones could be written
        self._rewritten: tuple[Head, Identity] | None = None  # up to where, and which file that is
        self._thread = threading.Thread(target=self._work, name="journal", daemon=True)
        self._thread.start()

    def _open(self) -> sqlite3.Connection:
        try:
            modes.make(self._path)
            db = sqlite3.connect(
                self._path, timeout=0.5, isolation_level=None, check_same_thread=False
            )
            for setting in _SETTINGS:
                db.execute(f"PRAGMA {setting}")
            db.executescript(SCHEMA)
            db.execute("BEGIN IMMEDIATE")  # takes the lock now, so that a second hub fails now
            db.execute("COMMIT")
            (sound,) = db.execute("PRAGMA quick_check(1)").fetchone()
        except sqlite3.Error as error:
            if "locked" in str(error):
                raise StorageError(f"{self._path}: another hub is using this data") from None
            raise StorageError(f"{self._path}: {error}") from None
        except OSError as error:
            raise StorageError(f"{self._path}: {error.strerror or error}") from None
        if sound != "ok":
            raise StorageError(f"{self._path}: the file is damaged: {sound}")
        return db

    # ── the writer thread ────────────────────────────────────────────────────────────────────────

    def _work(self) -> None:
        while True:
            try:
                batch = [self._jobs.get(timeout=QUIET if self._checkpoint_is_due() else LOOK)]
            except queue.Empty:
                self._rest()
                continue
            while not self._jobs.empty():
                batch.append(self._jobs.get())
            jobs = [job for job in batch if job is not None]
            if jobs:
                self._commit(jobs)
            if time.monotonic() - self._looked >= LOOK:
                self._look()
            if None in batch:
                self._failing = False
                self._look()  # what is not at its path would be lost with the connection
                return

    def _commit(self, jobs: list[_Job]) -> None:
        # Whoever gave up waiting is not told, but what was asked for is still stored: the hub has
        # decided on it already.
        told = {job for job in jobs if job.future.set_running_or_notify_cancel()}
        stale = [job for job in jobs if job.generation != self._generation]
        fresh = [job for job in jobs if job.generation == self._generation]
        _fail(told.intersection(stale), StorageError("an earlier write failed"))
        head = self._head
        try:
            if self._failing:  # before anything is written that nobody would find
                self._keep_files()
            with self._lock:
                results = self._transaction(fresh)
            self._logged = self._logged or self._head != head
            self._keep_committed()
        except Exception as error:  # noqa: BLE001 - whatever it is, the writer must live on
            self._head = head
            self._generation += 1
            self._write_over()
            _fail(told.intersection(fresh), StorageError(str(error)))
            return
        self._head_file.write(self._head)
        for job, result in zip(fresh, results, strict=True):
            if job in told:
                job.future.set_result(result)

    def _transaction(self, jobs: list[_Job]) -> list[int]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            results = [job.work() for job in jobs]
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise
        return results

    def _write_over(self) -> None:
        """Put something harmless where a commit that failed may still be read."""
        with suppress(Exception), self._lock:  # a disk that takes nothing holds nothing, either
            self._transaction([_Job(self._scrub, Future(), 0)])

    def _scrub(self) -> int:
        now = msgspec.json.encode(time.time_ns())  # never the same page as before
        self._db.execute("INSERT OR REPLACE INTO kept VALUES ('written over', ?)", (now,))
        return 0

    # ── the files ────────────────────────────────────────────────────────────────────────────────

    def _keep_files(self) -> None:
        """See that the files at the journal's paths are the open ones; else write new ones."""
        if not self._refused and identities(self._path) == self._files:
            self._failing = False  # somebody has put them back
            return
        self._replacing = self._failing = True
        try:
            with self._copying, self._lock:
                aside = self._replace()
        except (sqlite3.Error, OSError, StorageError) as error:
            reason = getattr(error, "strerror", None) or error
            raise StorageError(
                f"{self._path} was deleted or replaced while the hub ran, and cannot be written "
                f"again: {reason}"
            ) from None
        finally:
            self._replacing = False
        self._refused = self._failing = False
        self._head_file.write_anew(self._head)
        words = (
            f"The journal {self._path} was deleted or replaced while the hub ran. The hub has "
            f"written a new one: all {self._head[0]} lines are in it"
        )
        self.tell(words if aside is None else f"{words}; what lay in its place is now {aside}")

    def _keep_committed(self) -> None:
        try:
            self._keep_files()
        except StorageError:
            self._refused = True  # the next file is written without them
            with suppress(OSError):
                new_path(self._path).unlink(missing_ok=True)
            raise

    def _replace(self) -> Path | None:
        """Write what the open files have into a new one, put it in place, and go on with it.

        The old connection is kept until the new one is open: until then it alone has everything.
        Its file is another one, so that closing it leaves the new one's log alone.
        """
        self._path.parent.mkdir(mode=modes.FOLDER, parents=True, exist_ok=True)
        new = new_path(self._path)
        if self._rewritten != (self._head, identities(new)[0]):
            self._rewrite(new)
            self._rewritten = self._head, identities(new)[0]
        aside = put_in_place(new, self._path, self._files)
        fresh = self._open()
        old, self._db, self._files = self._db, fresh, identities(self._path)
        old.close()
        self._rewritten = None
        return aside

    def _rewrite(self, new: Path) -> None:
        """Write everything that is durable into a file; nobody finds half of it under its name."""
        part = new.with_name(f"{new.name}{PART}")
        self._copy(part)
        with closing(sqlite3.connect(part, isolation_level=None)) as copy:
            if _last(copy)[0] > self._head[0]:  # the hub was told that these are not stored
                copy.execute("DROP TRIGGER IF EXISTS journal_is_append_only_delete")
                copy.execute("DELETE FROM journal WHERE seq > ?", (self._head[0],))
            if _last(copy) != self._head:
                raise StorageError(f"{part} does not end as the journal does")
        _sync(part)
        part.replace(new)

    def _look(self) -> None:
        """Look whether the files are as they should be."""
        self._looked = time.monotonic()
        if self._failing:  # the next write tries again
            return
        try:
            self._keep_files()
        except StorageError as error:
            self.tell(str(error))
            return
        self._head_file.look(self._head)

    def _rest(self) -> None:
        """Use a moment in which nothing is to be written."""
        if self._checkpoint_is_due():
            self._checkpoint()
        if time.monotonic() - self._looked >= LOOK:
            self._look()

    def _checkpoint_is_due(self) -> bool:
        return self._logged and time.monotonic() - self._checkpointed >= CHECKPOINT

    def _checkpoint(self) -> None:
        """Move what was written from the log into the database.

        The log keeps its size and is written over: to grow it again would make commits slower.
        """
        self._checkpointed = time.monotonic()
        try:
            with self._lock:
                found = self._db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        except sqlite3.Error as error:  # everything is in the log; tried again
            log("checkpoint failed", level=logging.WARNING, reason=str(error))
            return
        busy, logged, moved = found
        self._logged = bool(busy) or logged != moved
        self._head_file.sync()

    def begin_head(self) -> None:
        """Write the head file for a journal that has been proved, whatever the file said before."""
        self._head_file.write_anew(self._head)
        self._head_file.sync()

    def _submit(self, work: Callable[[], int]) -> "Future[int]":
        future: Future[int] = Future()
        if not self._thread.is_alive():
            future.set_exception(StorageError("the journal is closed"))
            return future
        self._jobs.put(_Job(work, future, self._accepted))
        return future

    def reset(self) -> None:
        """Write again after a failure; called once the hub is back at what is durable."""
        self._accepted = self._generation

    def append(self, lines: list[Line]) -> "Future[int]":
        """Make lines durable, all or none; the future gives the number of the last one."""

        def work() -> int:
            rows = []
            seq, before = self._head
            for line in lines:
                seq += 1
                before = chain(before, seq, line)
                rows.append((seq, *fields_of(line), before))
            self._db.executemany(INSERT, rows)
            self._head = (seq, before)
            return seq

        return self._submit(work)

    def put(self, key: str, value: Any) -> "Future[int]":
        """Keep a small value under a key; None forgets it."""
        body = msgspec.json.encode(value)

        def work() -> int:
            if value is None:
                self._db.execute("DELETE FROM kept WHERE key = ?", (key,))
            else:
                self._db.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", (key, body))
            return self._head[0]

        return self._submit(work)

    # ── reading ──────────────────────────────────────────────────────────────────────────────────

    def _rows(self, query: str, *args: Any) -> list[Any]:
        with self._lock:
            return self._db.execute(query, args).fetchall()

    def get(self, key: str) -> Any:
        """Find a value that was kept, or None."""
        rows = self._rows(_KEPT, key)
        return msgspec.json.decode(rows[0][0]) if rows else None

    def keys(self, prefix: str) -> list[str]:
        """List the keys with a prefix."""
        rows = self._rows(
            "SELECT key FROM kept WHERE substr(key, 1, ?) = ? ORDER BY key", len(prefix), prefix
        )
        return [key for (key,) in rows]

    def read(self, event: str | None = None, after: int = 0) -> Iterator[Stored]:
        """Read lines back in order, a page at a time so that the writer is not kept waiting."""
        which = (_SELECT,) if event is None else (_SELECT_EVENT, event)
        while rows := self._rows(*which, after):
            for seq, *columns, digest in rows:
                yield Stored(seq, Line(*columns), digest)
            after = rows[-1][0]

    def back(self, event: str | None = None, before: int | None = None) -> Iterator[Stored]:
        """Read lines back from the newest, or from before a line, to the oldest."""
        which = (_BACK,) if event is None else (_BACK_EVENT, event)
        before = 1 << 62 if before is None else before
        while rows := self._rows(*which, before):
            for seq, *columns, digest in rows:
                yield Stored(seq, Line(*columns), digest)
            before = rows[-1][0]

    def head(self) -> tuple[int, bytes]:
        """Give the number and hash of the last durable line."""
        with self._lock:
            return _last(self._db)

    def begin(self) -> tuple[int, bytes]:
        """Give the number and hash of the line before the first: older ones are in an archive."""
        return _begin(self._rows(_KEPT, BEGINS))

    def hash_at(self, seq: int) -> bytes | None:
        """Give the hash of a line; of the one before the first, too."""
        rows = self._rows("SELECT hash FROM journal WHERE seq = ?", seq)
        if rows:
            return bytes(rows[0][0])
        before, digest = self.begin()
        return digest if before == seq else None

    def page(self, after: int, lines: int) -> tuple[list[Stored], dict[str, bytes | None] | None]:
        """Read some lines and, with the last of them, what is kept beside them at that moment.

        In the place of a snapshot stands None: ask for it by its key.
        """
        with self._lock:
            rows = self._db.execute(_SELECT_SOME, (after, lines)).fetchall()
            small = None if len(rows) == lines else dict(self._db.execute(SMALL).fetchall())
        return [Stored(seq, Line(*columns), digest) for seq, *columns, digest in rows], small

    def kept_as_written(self, key: str) -> bytes | None:
        """Give a value as it is written."""
        rows = self._rows(_KEPT, key)
        return bytes(rows[0][0]) if rows else None

    def backup(self, path: str) -> None:
        """Write a consistent copy while the journal is in use: all of it, or nothing.

        Copied some pages at a time, and between them the writer goes on: what it writes meanwhile
        is in the copy too.
        """
        part = Path(f"{path}.part")
        try:
            with self._copying, self._lock:
                self._copy(part)
            part.replace(path)
        except (sqlite3.Error, OSError) as error:
            raise StorageError(f"{path}: {error}") from None
        finally:
            part.unlink(missing_ok=True)

    def _copy(self, path: Path) -> None:
        """Write everything into a new file: whole by itself, and durable."""
        path.unlink(missing_ok=True)
        modes.make(path)
        with closing(sqlite3.connect(path, isolation_level=None)) as copy:
            self._db.backup(copy, pages=_PAGES, progress=lambda *_: self._let_write())
            copy.execute("PRAGMA journal_mode=DELETE")
        _sync(path)

    def _let_write(self) -> None:
        self._lock.release()
        time.sleep(_PAUSE)
        self._lock.acquire()
        if self._replacing and threading.current_thread() is not self._thread:
            raise StorageError("the journal's file is being replaced")

    def close(self) -> None:
        """Finish what was asked for and let go of the store."""
        self._jobs.put(None)
        self._thread.join()
        self._head_file.close()
        with self._lock:  # somebody may be reading a page
            self._db.close()
