"""Backups that are kept up: two files, of which the older one gets the lines that it lacks.

A minute costs what a minute wrote. While one file is written the other one is closed, so a death
at any moment leaves a whole copy of the night. Both are journals of their own, as every backup.

All of it happens in one thread that does nothing else: a backup neither waits for requests nor
holds them up, and reads the journal in small pages, between which the writer goes first.
"""

import asyncio
import contextlib
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from server.backups import (
    PAGE,
    last_line,
    prepare,
    remove_contained,
    set_aside,
    whole,
)
from server.hub import Hub
from server.journal import StorageError, chain, fields_of
from server.logs import log
from server.sqlite_journal import INSERT, SMALL, SqliteJournal, begin_of

EVERY = 60.0
"""Seconds between two backups while something happens."""

NAMES = ("railbird-latest-1.db", "railbird-latest-2.db")
EARLIER = ("railbird-minute-*.db", "railbird-level-*.db")
"""Whole copies that earlier versions made, many of them."""

PAUSE = 0.005
"""Seconds between two pages: long enough for whoever waits for the journal or for Python."""


class StoppedError(Exception):
    """The hub is being stopped; a backup that was begun is taken back."""


class DamagedError(Exception):
    """A line of the journal is not what was written."""


class Increments:
    """Two backups of a journal that is in use, kept up in turn."""

    def __init__(self, journal: SqliteJournal, folder: Path) -> None:
        self._journal, self._folder = journal, folder
        self._proved: set[Path] = set()  # since this process began
        self._stopping = threading.Event()

    def stop(self) -> None:
        """Have a backup that is being made end soon."""
        self._stopping.set()

    def make(self) -> str | None:
        """Bring the older file up to date; say so if the journal turns out to be damaged."""
        prepare(self._folder)
        path = min((self._folder / name for name in NAMES), key=self._lines)
        damage = self._bring_up_to_date(path)
        both = {self._folder / name for name in NAMES}
        if damage is None and both == self._proved:
            earlier = [found for kind in EARLIER for found in sorted(self._folder.glob(kind))]
            remove_contained(earlier, path)
        return damage

    def _lines(self, path: Path) -> int:
        """Say how far a file of this journal goes; -1 for any other, whose turn it is first."""
        last = last_line(path)
        if last is None or self._journal.hash_at(last.seq) != last.hash:
            return -1
        return last.seq if begin_of(path) == self._journal.begin() else -1

    def _bring_up_to_date(self, path: Path) -> str | None:
        if not path.exists():
            self._copy(path)
            return None
        if self._lines(path) < 0:
            set_aside(self._folder, [path])
            self._copy(path)
            return None
        if path not in self._proved and whole(path, self._pause) is None:
            # Of this journal, and spoilt: the journal has all of it, and a whole copy is better.
            self._copy(path)
            return None
        self._proved.add(path)
        try:
            self._append(path)
        except DamagedError as damage:
            # What the file has is good, and may be the last that is: it stays as it is.
            set_aside(self._folder, [path])
            self._copy(path)
            return str(damage)
        return None

    def _copy(self, path: Path) -> None:
        """Begin anew with a copy of everything; it is proved when its turn comes."""
        self._proved.discard(path)
        path.with_name(f"{path.name}-journal").unlink(missing_ok=True)  # would spoil the new file
        self._journal.backup(str(path))

    def _append(self, path: Path) -> None:
        """Write what is new into a file, all of it or nothing."""
        try:
            with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
                db.execute("PRAGMA synchronous=EXTRA")
                db.execute("BEGIN IMMEDIATE")  # closed before the end, nothing of it was
                kept = self._append_lines(db)
                self._replace_kept(db, kept)
                db.execute("COMMIT")
        except sqlite3.Error as error:
            self._proved.discard(path)
            raise StorageError(f"{path}: {error}") from None

    def _append_lines(self, db: sqlite3.Connection) -> dict[str, bytes | None]:
        newest = "SELECT seq, hash FROM journal ORDER BY seq DESC LIMIT 1"
        seq, before = db.execute(newest).fetchone()
        while True:
            lines, kept = self._journal.page(seq, PAGE)
            for stored in lines:
                if stored.seq != seq + 1:
                    raise DamagedError(f"The journal is damaged: line {seq + 1} is missing")
                seq, before = stored.seq, chain(before, stored.seq, stored.line)
                if before != stored.hash:
                    raise DamagedError(f"The journal is damaged: line {seq} is not as written")
            db.executemany(INSERT, [(s.seq, *fields_of(s.line), s.hash) for s in lines])
            if kept is not None:
                return kept
            self._pause()

    def _replace_kept(self, db: sqlite3.Connection, kept: dict[str, bytes | None]) -> None:
        """Make what is kept beside the lines what it is in the journal."""
        had: dict[str, bytes | None] = dict(db.execute(SMALL).fetchall())
        for key in had.keys() - kept.keys():
            db.execute("DELETE FROM kept WHERE key = ?", (key,))
        for key, value in kept.items():
            if key in had and had[key] == value:
                continue
            body = self._journal.kept_as_written(key) if value is None else value
            if body is not None:  # a snapshot may have been dropped since
                db.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", (key, body))

    def _pause(self) -> None:
        if self._stopping.wait(PAUSE):
            raise StoppedError


class Keeper:
    """Makes backups while a hub runs: every minute, and at every change of level."""

    def __init__(
        self, hub: Hub, journal: SqliteJournal, folder: Path, levels: Callable[[], object]
    ) -> None:
        self._hub, self._levels = hub, levels
        self._increments = Increments(journal, folder)
        self._thread = ThreadPoolExecutor(1, "backups")
        self._lines, self._seen = hub.last_line, levels()

    async def run(self) -> None:
        """Look every second or so, until cancelled."""
        waited = 0.0
        while True:
            await asyncio.sleep(1.0)
            waited += 1.0
            seen = self._levels()
            if seen != self._seen or waited >= EVERY:
                self._seen, waited = seen, 0.0
                await self.make()

    async def make(self) -> None:
        """Make a backup, if anything has happened since the last one."""
        lines = self._hub.last_line
        if lines == self._lines:
            return
        loop = asyncio.get_running_loop()
        try:
            damage = await loop.run_in_executor(self._thread, self._increments.make)
        except (StorageError, OSError) as error:
            log("backup failed", reason=str(error))
            return
        except StoppedError:
            return
        self._lines = lines
        if damage is not None:
            self._hub.damaged(damage)

    def close(self) -> None:
        """Let go of the journal: a backup that is being made is taken back."""
        self._increments.stop()
        self._thread.shutdown()
