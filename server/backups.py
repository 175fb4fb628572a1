"""Backups as files: made, compared with the journal, found again, and never thrown away unproved.

A backup belongs to a journal if its last line, number and hash, is a line of that journal: the
chain then says the same of all lines before it. One that does not belong is of another night, or
knows more of this one than the journal does. It is set aside in a folder of its own, and from then
on nothing here looks at it or deletes it.
"""

import contextlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from server.journal import Journal, StorageError, Stored, verify
from server.logs import log
from server.sqlite_journal import begin_of, check, read_file

FILES = "railbird-*.db"
ASIDE = "set-aside-"
"""What the names of folders begin with that hold what was set aside."""

PAGE = 250
"""So many lines are proved at once while a hub runs, and then others come first."""

ON_REQUEST = ThreadPoolExecutor(1, "backup on request")
"""A thread for backups that somebody asks for, one after the other, whatever requests wait."""


def stamp() -> str:
    """Write the time so that names sort by it."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}"


def make_backup(journal: Journal, folder: Path, kind: str = "asked") -> Path:
    """Back a journal up, all of it, into a file that says when."""
    prepare(folder)
    path = folder / f"railbird-{kind}-{stamp()}.db"
    journal.backup(str(path))
    return path


def prepare(folder: Path) -> None:
    """Have a folder that nobody else may look into: backups hold names and fingerprints."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)


def tidy(folder: Path) -> None:
    """Clear up after a process that was killed; nobody may be writing backups.

    What was being copied is removed, what was being appended is taken back, and what an earlier
    version left open to everybody is closed.
    """
    if not folder.is_dir():
        return
    for part in folder.glob("railbird-*.db.part*"):
        part.unlink(missing_ok=True)
    for begun in folder.glob("railbird-*.db-journal"):
        roll_back(begun.with_name(begun.name.removesuffix("-journal")))
    with contextlib.suppress(OSError):  # another user's, or a file system without rights
        folder.chmod(0o700)
        for path in folder.rglob(FILES):
            path.chmod(0o600)


def roll_back(path: Path) -> None:
    """Take back what was being appended to a file; SQLite does it for whoever may write."""
    with (
        contextlib.suppress(sqlite3.Error),
        contextlib.closing(sqlite3.connect(_uri(path, "rw"), uri=True)) as db,
    ):
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()


def _uri(path: Path, mode: str) -> str:
    return f"{path.resolve().as_uri()}?mode={mode}"


# ── what a file holds ────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Last:
    """The last line of a backup."""

    path: Path
    seq: int
    hash: bytes
    received: int


def last_line(path: Path) -> Last | None:
    """Read a backup's last line; nothing, if there is none or it cannot be read."""
    try:
        with contextlib.closing(sqlite3.connect(_uri(path, "ro"), uri=True)) as db:
            found = db.execute(
                "SELECT seq, hash, received FROM journal ORDER BY seq DESC LIMIT 1"
            ).fetchone()
    except sqlite3.Error:
        return None
    return None if found is None else Last(path, *found)


def hash_in(path: Path, seq: int) -> bytes | None:
    """Read the hash of a line of a backup."""
    try:
        with contextlib.closing(sqlite3.connect(_uri(path, "ro"), uri=True)) as db:
            found = db.execute("SELECT hash FROM journal WHERE seq = ?", (seq,)).fetchone()
    except sqlite3.Error:
        return None
    return None if found is None else bytes(found[0])


def whole(path: Path, pause: Callable[[], None] = lambda: None) -> int | None:
    """Prove all of a backup, and say how far it goes; nothing if it is not whole."""
    last = begin_of(path)[0]

    def counted(found: Iterable[Stored]) -> Iterator[Stored]:
        nonlocal last
        for stored in found:
            last = stored.seq
            if last % PAGE == 0:
                pause()
            yield stored

    with contextlib.suppress(StorageError):
        check(path)
        if verify(counted(read_file(path)), begin=begin_of(path)) is None:
            return last
    return None


def _age(last: Last) -> tuple[int, int]:
    return last.received, last.seq


def newest_good(folder: Path) -> tuple[Path, int] | None:
    """Find the newest backup whose chain is whole, and say how far it goes.

    The newest is the one whose last line is: a file's name and date may be those of a copy.
    """
    lasts = [last for last in map(last_line, sorted(folder.glob(FILES))) if last is not None]
    for last in sorted(lasts, key=_age, reverse=True):
        lines = whole(last.path)
        if lines is not None:
            return last.path, lines
    return None


# ── what does not belong to a journal ────────────────────────────────────────────────────────────


def contradicting(
    folder: Path, hash_at: Callable[[int], bytes | None], begin: int = 0
) -> list[Last]:
    """List the backups whose last line is not in a journal that begins after a line."""
    lasts = map(last_line, sorted(folder.glob(FILES)))
    return [
        last
        for last in lasts
        if last is not None and last.seq > begin and hash_at(last.seq) != last.hash
    ]


def good(found: Iterable[Last]) -> list[Last]:
    """Keep the backups that are whole, the newest last."""
    known = [last for last in found if whole(last.path) is not None]
    return sorted(known, key=_age)


def difference(last: Last, lines: int) -> str:
    """Say in words how a journal of so many lines is not what a backup says."""
    if last.seq > lines:
        return f"it ends at line {lines}, and a backup has {last.seq} lines"
    return f"its line {last.seq} is not that of {last.path}"


def set_aside(folder: Path, paths: Iterable[Path]) -> Path | None:
    """Move backups where nothing here looks at them any more, and say where that is."""
    paths = list(paths)
    if not paths:
        return None
    aside = folder / f"{ASIDE}{stamp()}"
    aside.mkdir(mode=0o700)
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            path.rename(aside / path.name)
        begun = path.with_name(f"{path.name}-journal")
        with contextlib.suppress(FileNotFoundError):
            begun.rename(aside / begun.name)
    log("backups set aside", folder=aside.name, files=[path.name for path in paths])
    return aside


def remove_contained(paths: Iterable[Path], good: Path) -> None:
    """Remove backups that are the beginning of another, which has been proved whole."""
    for path in paths:
        last = last_line(path)
        if last is not None and hash_in(good, last.seq) == last.hash:
            path.unlink(missing_ok=True)
