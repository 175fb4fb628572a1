"""Restoring: a good backup in the place of a damaged journal, which is kept.

What a damaged file still tells is read from a copy: SQLite repairs what it opens, and the file may
be wanted as it is. A restored journal belongs to a hub with a new identity, so that screens do not
take its lines, whose numbers were used before, for old news.
"""

import contextlib
import errno
import os
import shlex
import shutil
import socket
import sqlite3
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from server.backups import newest_good
from server.config import Places
from server.journal import GENESIS, StorageError, chain
from server.sqlite_journal import read_file

SIDES = ("-wal", "-shm")
"""What SQLite keeps beside a database. It belongs to that file and would spoil another."""

LOCK_AT, LOCK_LENGTH = 0x4000_0000, 512
"""The bytes of a file that SQLite locks, whatever is in the file."""

MISSING = "it is not there"


@dataclass(frozen=True, slots=True)
class Found:
    """How a journal is."""

    lines: int  # that are as they were written, from the first on
    damage: str | None


@dataclass(frozen=True, slots=True)
class Restored:
    """What was done."""

    lines: int
    aside: Path | None  # where the journal is now that was in the way


def look(places: Places) -> Found:
    """See how a journal is, without changing a byte of it; no hub may be running."""
    if not places.journal.exists():
        return Found(0, MISSING)
    with tempfile.TemporaryDirectory(prefix="railbird-") as folder:
        copy = Path(folder) / places.journal.name
        try:
            for side in ("", *SIDES[:1]):
                with contextlib.suppress(FileNotFoundError):
                    shutil.copyfile(f"{places.journal}{side}", f"{copy}{side}")
        except OSError as error:
            return Found(0, f"{places.journal}: {error.strerror or error}")
        lines, damage = _count(copy)
        return Found(lines, damage or _unsound(copy))


def _count(path: Path) -> tuple[int, str | None]:
    """Count the lines of a file that are as they were written."""
    before, seq = GENESIS, 0
    try:
        for found in read_file(path):
            if found.seq != seq + 1:
                return seq, f"line {seq + 1} is missing"
            if chain(before, found.seq, found.line) != found.hash:
                return seq, f"line {found.seq} is not what was written"
            before, seq = found.hash, found.seq
    except (StorageError, ValueError) as error:
        return seq, str(error).removeprefix(f"{path}: ")
    return seq, None


def _unsound(path: Path) -> str | None:
    """Let SQLite look at the whole file."""
    try:
        with contextlib.closing(sqlite3.connect(path)) as db:
            (told,) = db.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as error:
        return str(error)
    return None if told == "ok" else str(told)


def advice(places: Places) -> str:
    """Say what to do about a journal that is damaged or gone; nothing if it is not."""
    if in_use(places):
        return ""
    found = look(places)
    if found.damage is None or (found.damage is MISSING and not any(places.backups.glob("*.db"))):
        return ""
    return "\n".join(_advised(places, found))


def report(places: Places) -> Iterator[str]:
    """Say how the journal is, and what a restore would bring back and lose."""
    _must_be_free(places)
    found = _compared(places)
    if found.damage is None:
        yield f"The journal is whole: {found.lines} lines. There is nothing to restore."
        return
    yield f"The journal {places.journal} cannot be used: {found.damage}."
    yield from _advised(places, found)


def _compared(places: Places) -> Found:
    """See how a journal is; one that ends before its own backup has lost its end."""
    found = look(places)
    best = None if found.damage is not None else newest_good(places.backups)
    if best is None or best[1] <= found.lines:
        return found
    return Found(found.lines, f"it ends at line {found.lines}, and a backup has {best[1]} lines")


def _advised(places: Places, found: Found) -> Iterator[str]:
    best = newest_good(places.backups)
    if best is None:
        yield f"There is no good backup in {places.backups}."
        if found.damage is not MISSING:
            yield f"Keep {places.journal} and what lies beside it: {found.lines} lines are whole."
        return
    path, lines = best
    yield f"The newest good backup is {path}: {lines} lines, {_age(path)}."
    lost = found.lines - lines
    if lost > 0:
        yield f"Lost with it: {lost} newer lines that can still be read in the journal."
    else:
        yield "It has everything that can still be read in the journal."
    command = shlex.join(["railbird", "restore", "--data", str(places.folder), "--newest"])
    yield f"To put it in place: {command}"


def _age(path: Path) -> str:
    made = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    return f"made on {made:%Y-%m-%d at %H:%M:%S} UTC"


def newest(places: Places) -> Path:
    """Choose the newest good backup for a journal that is damaged."""
    _must_be_free(places)
    if _compared(places).damage is None:
        whole = f"{places.journal} is whole, and nothing was changed"
        raise StorageError(f"{whole}: to go back all the same, name a backup")
    best = newest_good(places.backups)
    if best is None:
        raise StorageError(f"there is no good backup in {places.backups}")
    return best[0]


def restore(places: Places, backup: Path) -> Restored:
    """Put a backup in the journal's place; what was there is moved aside, never deleted."""
    _must_be_free(places)
    if backup.exists() and places.journal.exists() and backup.samefile(places.journal):
        raise StorageError(f"{backup} is the journal itself, not a backup")
    places.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    part = places.journal.with_name(f"{places.journal.name}.restoring")
    try:
        lines = _prepare(backup, part)
        with _held(places):
            aside = _swap(places.journal, part)
    except OSError as error:
        raise StorageError(f"{places.journal}: {error.strerror or error}") from None
    finally:
        part.unlink(missing_ok=True)
    return Restored(lines, aside)


def _prepare(backup: Path, part: Path) -> int:
    """Copy a backup, prove that the copy is whole, and make it durable."""
    if not backup.is_file():
        raise StorageError(f"{backup}: there is no such file")
    for side in ("", *SIDES):
        Path(f"{part}{side}").unlink(missing_ok=True)
    shutil.copyfile(backup, part)
    part.chmod(0o600)
    lines, damage = _count(part)
    damage = damage or _unsound(part)
    if damage is not None:
        raise StorageError(f"{backup}: this backup is not good: {damage}")
    with contextlib.closing(sqlite3.connect(part, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode=DELETE")  # one file, whole by itself
        db.execute("DELETE FROM kept WHERE key = 'hub'")  # the hub gives itself a new identity
    with part.open("rb") as written:
        os.fsync(written.fileno())
    return lines


def _swap(journal: Path, part: Path) -> Path | None:
    """Take the journal's place; at no moment is there none, for a hub would begin an empty one."""
    aside = None
    if journal.exists():
        aside = _free_name(journal)
        try:
            os.link(journal, aside)
        except OSError:  # a memory stick's file system may know no links
            shutil.copyfile(journal, aside)
        for side in SIDES:
            with contextlib.suppress(FileNotFoundError):
                Path(f"{journal}{side}").rename(f"{aside}{side}")
    else:
        for side in SIDES:
            with contextlib.suppress(FileNotFoundError):
                Path(f"{journal}{side}").rename(f"{_free_name(journal)}{side}")
    part.replace(journal)
    folder = os.open(journal.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return aside


def _free_name(journal: Path) -> Path:
    stamp = f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}"
    return journal.with_name(f"{journal.stem}-damaged-{stamp}{journal.suffix}")


# ── a hub that runs ──────────────────────────────────────────────────────────────────────────────


def in_use(places: Places) -> bool:
    """Say whether a hub runs on this data."""
    try:
        with _held(places):
            return False
    except StorageError:
        return True


def _must_be_free(places: Places) -> None:
    if in_use(places):
        raise StorageError(f"{places.journal}: a hub is using this data: stop it first")


@contextlib.contextmanager
def _held(places: Places) -> Iterator[None]:
    """Keep hubs away: hold the lock that SQLite would take, which works on any damaged file."""
    import fcntl  # noqa: PLC0415 - not everywhere, and the rest of the command line is

    try:
        file = places.journal.open("r+b")
    except FileNotFoundError:
        if _answers(places):  # it runs on a file that has been deleted
            raise StorageError(f"{places.journal}: a hub is using this data") from None
        yield
        return
    with file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, LOCK_LENGTH, LOCK_AT)
        except OSError as error:
            if error.errno not in (errno.EACCES, errno.EAGAIN):
                raise
            raise StorageError(f"{places.journal}: a hub is using this data") from None
        yield


def _answers(places: Places) -> bool:
    try:
        found = urlsplit(places.address.read_text(encoding="ascii").strip())
        with socket.create_connection((found.hostname or "", found.port or 0), timeout=1.0):
            return True
    except (OSError, ValueError):
        return False
