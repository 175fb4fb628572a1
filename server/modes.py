"""Modes: what lies in the data folder is for its owner, and for nobody else on the machine."""

import os
import stat
from contextlib import suppress
from pathlib import Path

FILE, FOLDER = 0o600, 0o700
OTHERS = 0o077

OURS = (
    "railbird.db*",
    "railbird.head",
    "railbird-*.db*",
    "address",
    "director.token",
    "serving.crt",
)
"""What the hub writes into its data folder itself. What else lies there is somebody else's."""


def make(path: Path) -> None:
    """Make an empty file, unless there is one."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, FILE))


def make_private(folder: Path) -> None:
    """Take a data folder, and what an older hub has left in it, from everybody but the owner.

    A folder that many use, such as /tmp, stays theirs: what the hub writes there is its own.
    """
    if not folder.stat().st_mode & stat.S_ISVTX:
        _restrict(folder, FOLDER)
    for pattern in OURS:
        for path in folder.glob(pattern):
            if path.is_file() and not path.is_symlink():
                _restrict(path, FILE)


def _restrict(path: Path, mode: int) -> None:
    with suppress(OSError):  # somebody else's, or a file system without modes
        if path.stat().st_mode & OTHERS:
            path.chmod(mode)
