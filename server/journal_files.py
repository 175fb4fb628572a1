"""The journal's files at their paths: whether they are the open ones, and putting new ones there.

A file that is deleted or replaced under an open database stays usable and is lost at the end: so
the journal compares device and inode of what is open with what the paths show. Nothing here opens
a file that this process has open already: closing it again would drop SQLite's lock.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from server.journal import StorageError

ENDS = ("", "-wal")
"""The database and its write-ahead log."""

NEW, PART = ".new", ".part"
"""The end of the name of a file that is to take a lost one's place; of half of it, before that."""

_LOCK_AT, _LOCK_LENGTH = 0x4000_0000, 512
"""The bytes of a file that SQLite locks, whatever is in the file."""

Identity = tuple[int, int] | None
"""Device and inode; None where there is nothing."""


def identities(path: Path) -> tuple[Identity, ...]:
    """Say which files lie at a journal's paths."""
    return tuple(_identity(f"{path}{end}") for end in ENDS)


def _identity(path: str) -> Identity:
    try:
        found = os.stat(path)  # noqa: PTH116 - before every acknowledgement: a Path takes longer
    except OSError:
        return None
    return found.st_dev, found.st_ino


def new_path(path: Path) -> Path:
    """Say where a journal is written anew whose files are gone."""
    return path.with_name(f"{path.name}{NEW}")


def sync_folder(folder: Path) -> None:
    """Make durable which names a folder has."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def put_in_place(new: Path, path: Path, own: tuple[Identity, ...]) -> Path | None:
    """Put a whole, durable file in a journal's place; give the name of what was there and foreign.

    What is not the journal's own is moved aside, never deleted. An own log that is still there
    belongs to the old file and would spoil the new one.
    """
    database, wal = own
    aside = path.with_name(f"{path.stem}-foreign-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}{path.suffix}")
    moved = False
    foreign = _identity(str(path)) not in (None, database)
    with _unused(path) if foreign else nullcontext():
        for end, ours in (("-shm", None), ("-wal", wal)):
            found = Path(f"{path}{end}")
            lies = _identity(str(found))
            if lies is None:
                continue
            if lies == ours:
                found.unlink()
            else:
                found.rename(f"{aside}{end}")
                moved = True
        if foreign:
            path.rename(aside)
            moved = True
        new.replace(path)
    sync_folder(path.parent)
    return aside if moved else None


def lock(file: IO[bytes], taken: str) -> None:
    """Keep SQLite away from an open file, whatever is in it, until that is closed.

    Where SQLite has it open already, StorageError says so in the words that are given.
    """
    import fcntl  # noqa: PLC0415 - not everywhere, and the rest of the command line is

    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, _LOCK_LENGTH, _LOCK_AT)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EAGAIN):
            raise
        raise StorageError(taken) from None


@contextmanager
def _unused(path: Path) -> Iterator[None]:
    """Insist that no other program has a file open as a database, and keep them out meanwhile."""
    if not path.is_file():
        yield
        return
    with path.open("r+b") as file:
        lock(file, f"another program is using the file that is now {path}")
        yield
