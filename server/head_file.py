"""The head file: number and hash of the newest line that was acknowledged, outside the database.

Until a checkpoint the newest lines are only in SQLite's write-ahead log. A log that is lost,
emptied or cut leaves a sound database with fewer lines, and nothing in it tells. So the number and
hash of the last line are written here after every commit, before anybody is told: a journal that
does not hold that line has lost something.

The file has two slots, written in turn, each with a checksum and in a sector of its own: a write
that is torn spoils one and leaves the other. It is written without a sync, since the commit before
it is durable by itself: after a power cut the file may claim less than there is, never more.
"""

import logging
import os
import struct
import threading
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from server import modes
from server.journal import GENESIS
from server.logs import log

Head = tuple[int, bytes]
"""Number and hash of a line."""

_RECORD = struct.Struct(">8sQQ32s")
_MARK = b"RBhead01"
_CHECK = 8
_SIZE = _RECORD.size + _CHECK
_SLOTS = (0, 4_096)
"""Where the slots begin: in different sectors, however large a disk makes them."""


def head_path(journal: Path) -> Path:
    """Say where the head file of a journal lies."""
    return journal.with_suffix(".head")


def read_head(path: Path) -> Head | None:
    """Read the newest head that a file holds; None if there is none that can be read."""
    found = _newest(path)
    return None if found is None else found[1]


def _newest(path: Path) -> tuple[int, Head] | None:
    try:
        data = path.read_bytes()
    except OSError:
        return None
    return max(filter(None, (_unpacked(data[at : at + _SIZE]) for at in _SLOTS)), default=None)


def _packed(count: int, head: Head) -> bytes:
    record = _RECORD.pack(_MARK, count, *head)
    return record + blake2b(record, digest_size=_CHECK).digest()


def _unpacked(slot: bytes) -> tuple[int, Head] | None:
    record, check = slot[: _RECORD.size], slot[_RECORD.size :]
    if len(slot) != _SIZE or blake2b(record, digest_size=_CHECK).digest() != check:
        return None
    mark, count, line, digest = _RECORD.unpack(record)
    return (count, (line, digest)) if mark == _MARK else None


class HeadFile:
    """Writes the head of one journal, for as long as that is open.

    A head that cannot be written is logged, and tried again with the next one. It stops nobody: the
    line is durable in the journal, and a file that claims less than there is refuses no start.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._file: int | None = None
        self._count = 0  # of writes: the newer slot has the greater one
        self._head: Head = (0, GENESIS)  # as it was last written
        self._synced = self._well = True

    def write(self, head: Head) -> None:
        """Write the head, unless it is there already."""
        with self._lock:
            if self._file is None or head != self._head:
                self._write(head)

    def write_anew(self, head: Head) -> None:
        """Write the head, whatever the file says."""
        with self._lock:
            self._close()
            self._write(head)

    def look(self, head: Head) -> None:
        """Write the head anew if somebody has deleted or replaced the file."""
        with self._lock:
            if self._file is not None and not self._is_ours(self._file):
                self._close()
                self._write(head)

    def sync(self) -> None:
        """Make durable what was written."""
        with self._lock, suppress(OSError):  # the next one may be: this one claims less
            if self._file is not None and not self._synced:
                os.fsync(self._file)
                self._synced = True

    def close(self) -> None:
        """Make it durable, and let go."""
        self.sync()
        with self._lock:
            self._close()

    def _write(self, head: Head) -> None:
        try:
            if self._file is None:
                self._file = self._open()
            self._count += 1
            data = _packed(self._count, head)
            if os.pwrite(self._file, data, _SLOTS[self._count % len(_SLOTS)]) != _SIZE:
                raise OSError("not all of it was written")  # noqa: TRY301 - like any failure
        except OSError as error:
            self._close()
            if self._well:
                log("head not written", level=logging.ERROR, reason=str(error))
            self._well = False
            return
        self._head, self._synced, self._well = head, False, True

    def _open(self) -> int:
        known = _newest(self._path)
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, modes.FILE)
        self._count = 0 if known is None else known[0]
        return file

    def _is_ours(self, file: int) -> bool:
        try:
            found, own = self._path.stat(), os.fstat(file)
        except OSError:
            return False
        return (found.st_dev, found.st_ino) == (own.st_dev, own.st_ino)

    def _close(self) -> None:
        if self._file is not None:
            with suppress(OSError):
                os.close(self._file)
            self._file = None
