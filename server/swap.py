"""Putting a file in the journal's place, so that a death at any moment leaves a journal.

The new file lies beside the journal, whole and durable, before anything is touched; it is then
given a name that says that it is to take the journal's place. From there on the matter is decided:
if this process dies, the next one that looks finishes it.
"""

import contextlib
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

from server.head_file import head_path
from server.journal_files import sync_folder

SIDES = ("-wal", "-shm")
"""What SQLite keeps beside a database. It belongs to that file and would spoil another."""

_DECIDED = ".instead-"


def decide(journal: Path, part: Path, why: str) -> None:
    """Decide that a file is to take the journal's place; `why` is for the old one's name."""
    stamp = f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}"
    part.rename(journal.with_name(f"{journal.name}{_DECIDED}{why}-{stamp}"))
    sync_folder(journal.parent)


def decided(journal: Path) -> list[Path]:
    """List the files that are to take the journal's place: one, if any."""
    return sorted(journal.parent.glob(f"{journal.name}{_DECIDED}*"))


def finish(journal: Path) -> Path | None:
    """Do what was decided; say where the journal is now that was in the way.

    At no moment is there no journal: a hub would begin an empty one.
    """
    aside = None
    for instead in decided(journal):
        name = instead.name.removeprefix(f"{journal.name}{_DECIDED}")
        old = journal.with_name(f"{journal.stem}-{name}{journal.suffix}")
        aside = _keep(journal, old)
        for side in SIDES:
            _move(Path(f"{journal}{side}"), Path(f"{old}{side}"))
        _move(head_path(journal), head_path(old))
        instead.replace(journal)
        sync_folder(journal.parent)
    return aside


def _keep(journal: Path, old: Path) -> Path | None:
    """Have a second name for the journal that is about to lose its own."""
    if not journal.exists():
        return None
    old.unlink(missing_ok=True)  # of an attempt that was cut short
    try:
        os.link(journal, old)
    except OSError:  # a memory stick's file system may know no links
        shutil.copyfile(journal, old)
        old.chmod(0o600)
    return old


def _move(path: Path, to: Path) -> None:
    """Move what lies beside the journal, never over what was moved before a death."""
    while to.exists():
        to = to.with_name(f"{to.name}+")
    with contextlib.suppress(FileNotFoundError):
        path.rename(to)
