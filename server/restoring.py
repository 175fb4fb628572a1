"""Restoring: a good backup in the place of a damaged journal, which is kept.

What a damaged file still tells is read from a copy: SQLite repairs what it opens, and the file may
be wanted as it is. A restored journal belongs to a hub with a new identity, so that screens do not
take its lines, whose numbers were used before, for old news.
"""

import contextlib
import os
import shlex
import shutil
import socket
import sqlite3
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from server.backups import (
    ASIDE,
    contradicting,
    difference,
    good,
    hash_in,
    newest_good,
    roll_back,
    set_aside,
    tidy,
    whole,
)
from server.config import Places
from server.head_file import head_path, read_head
from server.journal import StorageError, chain
from server.journal_files import NEW, PART, lock, new_path
from server.proof import lacks
from server.sqlite_journal import begin_of, read_file
from server.swap import SIDES, decide, decided, finish

_RESTORING, _LOOKING = ".restoring", "railbird.looking-"
"""What is only begun, beside the journal; a death leaves it behind."""

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
    backups: Path | None  # where backups are now that have other lines, or more


def look(places: Places) -> Found:
    """See how a journal is, without changing a byte of it; no hub may be running."""
    if not places.journal.exists():
        return Found(0, MISSING)
    try:
        with tempfile.TemporaryDirectory(prefix=_LOOKING, dir=places.folder) as folder:
            copy = Path(folder) / places.journal.name
            for side in ("", *SIDES[:1]):
                with contextlib.suppress(FileNotFoundError):
                    shutil.copyfile(f"{places.journal}{side}", f"{copy}{side}")
            lines, damage = _count(copy)
            damage = damage or _unsound(copy) or _lacking(places, copy)
            return Found(lines, damage or _contradicted(places, copy, lines))
    except OSError as error:
        return Found(0, f"{places.journal}: {error.strerror or error}")


def _lacking(places: Places, copy: Path) -> str | None:
    head = read_head(head_path(places.journal))
    return None if head is None else lacks(copy, head, places.journal)


def _contradicted(places: Places, copy: Path, lines: int) -> str | None:
    """Find a good backup that has more lines than the journal, or other ones."""
    found = good(contradicting(places.backups, partial(hash_in, copy), begin_of(copy)[0]))
    return difference(found[-1], lines) if found else None


def _count(path: Path) -> tuple[int, str | None]:
    """Count the lines of a file that are as they were written."""
    seq, before = begin_of(path)
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
    take(places)
    found = look(places)
    if found.damage is None:
        yield f"The journal is whole: {found.lines} lines. There is nothing to restore."
        return
    yield f"The journal {places.journal} cannot be used: {found.damage}."
    yield from _advised(places, found)


def _advised(places: Places, found: Found) -> Iterator[str]:
    best = newest_good(places.backups)
    if best is None:
        yield f"There is no good backup in {places.backups}."
        for aside in sorted(places.backups.glob(f"{ASIDE}*")):
            yield f"Some were set aside in {aside}: `railbird restore` takes them by name."
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
    take(places)
    if look(places).damage is None:
        told = f"{places.journal} is whole, and nothing was changed"
        raise StorageError(f"{told}: to go back all the same, name a backup")
    best = newest_good(places.backups)
    if best is None:
        raise StorageError(f"there is no good backup in {places.backups}")
    return best[0]


def restore(places: Places, backup: Path) -> Restored:
    """Put a backup in the journal's place; what was there is moved aside, never deleted."""
    take(places)
    if backup.exists() and places.journal.exists() and backup.samefile(places.journal):
        raise StorageError(f"{backup} is the journal itself, not a backup")
    places.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    part = places.journal.with_name(f"{places.journal.name}{_RESTORING}")
    try:
        lines = _prepare(backup, part)
        with held(places):
            decide(places.journal, part, "damaged")
            aside, moved = _finish(places)
    except OSError as error:
        raise StorageError(f"{places.journal}: {error.strerror or error}") from None
    finally:
        _remove(part)
    return Restored(lines, aside, moved)


def _finish(places: Places) -> tuple[Path | None, Path | None]:
    """Have the journal replaced, and the backups out of the way that the new one contradicts."""
    aside = finish(places.journal)
    begin = begin_of(places.journal)[0]
    others = contradicting(places.backups, partial(hash_in, places.journal), begin)
    return aside, set_aside(places.backups, [other.path for other in others])


def finish_decided(places: Places) -> None:
    """Finish what was decided before a death, or what a hub had not finished that died."""
    rewritten = new_path(places.journal)
    if rewritten.exists() and _is_missing(places, rewritten):
        with held(places):
            decide(places.journal, rewritten, "replaced")
    if decided(places.journal):
        with held(places):
            _finish(places)


def _is_missing(places: Places, rewritten: Path) -> bool:
    """Say whether a file that a hub wrote anew has what was acknowledged, and the journal has not.

    A hub whose files were replaced writes everything again. If it dies before that is in place, or
    while another program keeps it out, then this file alone has all of the night.
    """
    head = read_head(head_path(places.journal))
    if head is None or lacks(places.journal, head) is None or whole(rewritten) is None:
        return False
    return hash_in(rewritten, head[0]) == head[1]


def clear_up(places: Places) -> None:
    """Clear away what was only begun before a death; nobody else may be using the data."""
    tidy(places.backups)
    for begun in (_RESTORING, NEW, f"{NEW}{PART}"):
        _remove(places.journal.with_name(f"{places.journal.name}{begun}"))
    for part in (*places.folder.glob("*.archiving*"), *places.archive.glob("*.part*")):
        part.unlink()
    for old in places.folder.glob(f"{places.journal.stem}-archived-*"):
        old.unlink()  # before it lost its place, all of it was proved to be in two other files
    for folder in places.folder.glob(f"{_LOOKING}*"):
        shutil.rmtree(folder, ignore_errors=True)


def take(places: Places) -> None:
    """Insist that no hub uses the data, and put it in order."""
    if in_use(places):
        raise StorageError(f"{places.journal}: a hub is using this data: stop it first")
    finish_decided(places)
    clear_up(places)


def _remove(part: Path) -> None:
    for side in ("", "-journal", *SIDES):
        Path(f"{part}{side}").unlink(missing_ok=True)


def _prepare(backup: Path, part: Path) -> int:
    """Copy a backup, prove that the copy is whole, and make it durable."""
    if not backup.is_file():
        raise StorageError(f"{backup}: there is no such file")
    _remove(part)
    part.touch(mode=0o600)
    shutil.copyfile(backup, part)
    with contextlib.suppress(FileNotFoundError):  # of an append that was cut short: to be undone
        shutil.copyfile(f"{backup}-journal", f"{part}-journal")
        roll_back(part)
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


# ── a hub that runs ──────────────────────────────────────────────────────────────────────────────


def in_use(places: Places) -> bool:
    """Say whether a hub runs on this data."""
    try:
        with held(places):
            return False
    except StorageError:
        return True


@contextlib.contextmanager
def held(places: Places) -> Iterator[None]:
    """Keep hubs away: hold the lock that SQLite would take, which works on any damaged file."""
    try:
        file = places.journal.open("r+b")
    except FileNotFoundError:
        if _answers(places):  # it runs on a file that has been deleted
            raise StorageError(f"{places.journal}: a hub is using this data") from None
        yield
        return
    with file:
        lock(file, f"{places.journal}: a hub is using this data")
        yield


def _answers(places: Places) -> bool:
    try:
        found = urlsplit(places.address.read_text(encoding="ascii").strip())
        with socket.create_connection((found.hostname or "", found.port or 0), timeout=1.0):
            return True
    except (OSError, ValueError):
        return False
