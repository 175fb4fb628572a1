"""Backups that make themselves: every minute, and at every change of level.

A few of each are kept. Nothing is copied while nothing happens, and the copying is done in another
thread, some pages at a time, so that no tap waits for it.
"""

import asyncio
import contextlib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from server.hub import Hub
from server.journal import Journal, StorageError, Stored, verify
from server.logs import log
from server.sqlite_journal import check, read_file

EVERY = 60.0
KEPT = {"minute": 5, "level": 12}


def make_backup(journal: Journal, folder: Path, kind: str = "asked") -> Path:
    """Back a journal up into a file that says when."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"railbird-{kind}-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}.db"
    journal.backup(str(path))
    return path


def rotate(folder: Path, kind: str, kept: int) -> None:
    """Keep the newest few of a kind."""
    for old in sorted(folder.glob(f"railbird-{kind}-*.db"))[:-kept]:
        old.unlink(missing_ok=True)


def newest_good(folder: Path) -> tuple[Path, int] | None:
    """Find the newest backup whose chain is whole, and say how many lines it has."""
    by_time = sorted(folder.glob("railbird-*-*-*-*.db"), key=lambda p: p.stem.split("-", 2)[2])
    for path in reversed(by_time):
        lines = _whole(path)
        if lines is not None:
            return path, lines
    return None


def _whole(path: Path) -> int | None:
    count = 0

    def counted(found: Stored) -> Stored:
        nonlocal count
        count += 1
        return found

    with contextlib.suppress(StorageError):
        check(path)
        if verify(map(counted, read_file(path))) is None:
            return count
    return None


class Keeper:
    """Makes backups while a hub runs."""

    def __init__(self, hub: Hub, folder: Path, levels: Callable[[], object]) -> None:
        self._hub, self._folder, self._levels = hub, folder, levels
        self._lines, self._seen = hub.journal.head()[0], levels()

    async def run(self) -> None:
        """Look every second or so, until cancelled."""
        waited = 0.0
        while True:
            await asyncio.sleep(1.0)
            waited += 1.0
            seen = self._levels()
            if seen != self._seen:
                self._seen = seen
                await self.make("level")
            if waited >= EVERY:
                waited = 0.0
                await self.make("minute")

    async def make(self, kind: str) -> None:
        """Make a backup, if anything has happened since the last one."""
        lines = self._hub.last_line
        if lines == self._lines:
            return
        try:
            await asyncio.to_thread(make_backup, self._hub.journal, self._folder, kind)
            await asyncio.to_thread(rotate, self._folder, kind, KEPT[kind])
            self._lines = lines
        except (StorageError, OSError) as error:
            log("backup failed", reason=str(error))
