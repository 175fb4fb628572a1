"""The embedded journal: SQLite in one thread, committed in natural batches.

One connection and one thread write, because older SQLite versions damage a file that two write, and
an exclusive lock keeps a second hub out. The thread commits with `synchronous=FULL`, and as soon as
one commit ends takes everything that has queued up meanwhile: a single tap waits for one commit, a
storm of taps shares few.

When a commit fails, everything queued behind it fails too: it was decided on a state that never
came to be. The hub goes back to what is durable and calls `reset`. Before anybody is told, the
place in the log is written over: had only the last step failed, the flushing, then the lines would
lie there whole, and a hub that started after a death would find what was refused.
"""

import os
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import msgspec

from server.journal import GENESIS, Line, StorageError, Stored, chain

_SCHEMA = """
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
_INSERT = "INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_SELECT = "SELECT * FROM journal WHERE seq > ? ORDER BY seq LIMIT 5000"
_SELECT_EVENT = "SELECT * FROM journal WHERE event = ? AND seq > ? ORDER BY seq LIMIT 5000"
_BACK = "SELECT * FROM journal WHERE seq < ? ORDER BY seq DESC LIMIT 500"
_BACK_EVENT = "SELECT * FROM journal WHERE event = ? AND seq < ? ORDER BY seq DESC LIMIT 500"

_PAGES, _PAUSE = 256, 0.002
"""A backup copies so many pages at once, and then lets the writer go first."""


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    work: Callable[[], int]
    future: "Future[int]"
    generation: int


def _fail(jobs: Iterable[_Job], error: StorageError) -> None:
    for job in jobs:
        job.future.set_exception(error)


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


class SqliteJournal:
    """A journal in one file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._generation = self._accepted = 0
        self._lock = threading.Lock()  # reading and writing share the one connection
        self._db = self._open()
        last = self._db.execute("SELECT seq, hash FROM journal ORDER BY seq DESC LIMIT 1")
        self._head: tuple[int, bytes] = last.fetchone() or (0, GENESIS)
        self._thread = threading.Thread(target=self._work, name="journal", daemon=True)
        self._thread.start()

    def _open(self) -> sqlite3.Connection:
        try:
            db = sqlite3.connect(
                self._path, timeout=0.5, isolation_level=None, check_same_thread=False
            )
            for setting in _SETTINGS:
                db.execute(f"PRAGMA {setting}")
            db.executescript(_SCHEMA)
            db.execute("BEGIN IMMEDIATE")  # takes the lock now, so that a second hub fails now
            db.execute("COMMIT")
            (sound,) = db.execute("PRAGMA quick_check(1)").fetchone()
        except sqlite3.Error as error:
            if "locked" in str(error):
                raise StorageError(f"{self._path}: another hub is using this data") from None
            raise StorageError(f"{self._path}: {error}") from None
        if sound != "ok":
            raise StorageError(f"{self._path}: the file is damaged: {sound}")
        return db

    # ── the writer thread ────────────────────────────────────────────────────────────────────────

    def _work(self) -> None:
        while True:
            batch = [self._jobs.get()]
            while not self._jobs.empty():
                batch.append(self._jobs.get())
            jobs = [job for job in batch if job is not None]
            if jobs:
                self._commit(jobs)
            if None in batch:
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
            with self._lock:
                results = self._transaction(fresh)
        except Exception as error:  # noqa: BLE001 - whatever it is, the writer must live on
            self._head = head
            self._generation += 1
            self._write_over()
            _fail(told.intersection(fresh), StorageError(str(error)))
            return
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
                rows.append((seq, *astuple(line), before))
            self._db.executemany(_INSERT, rows)
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
        rows = self._rows("SELECT value FROM kept WHERE key = ?", key)
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
        rows = self._rows("SELECT seq, hash FROM journal ORDER BY seq DESC LIMIT 1")
        return rows[0] if rows else (0, GENESIS)

    def backup(self, path: str) -> None:
        """Write a consistent copy while the journal is in use: all of it, or nothing.

        Copied some pages at a time, and between them the writer goes on: what it writes meanwhile
        is in the copy too.
        """
        part = Path(f"{path}.part")
        part.unlink(missing_ok=True)
        copy = sqlite3.connect(part, isolation_level=None)
        try:
            with self._lock:
                self._db.backup(copy, pages=_PAGES, progress=lambda *_: self._let_write())
            copy.execute("PRAGMA journal_mode=DELETE")  # one file, whole by itself
            copy.close()
            with part.open("rb") as written:
                os.fsync(written.fileno())
            part.replace(path)
        except (sqlite3.Error, OSError) as error:
            raise StorageError(f"{path}: {error}") from None
        finally:
            copy.close()
            part.unlink(missing_ok=True)

    def _let_write(self) -> None:
        self._lock.release()
        time.sleep(_PAUSE)
        self._lock.acquire()

    def close(self) -> None:
        """Finish what was asked for and let go of the store."""
        self._jobs.put(None)
        self._thread.join()
        self._db.close()
