"""A disk of our own under SQLite: every write, cut and sync is told, and may be made to fail.

    install(Disk(sync=lambda name: IOERR_FSYNC))

Wraps the default VFS of the very library that Python's `sqlite3` uses, by ctypes: no compiler, no
root, no other SQLite. It stays for the life of the process, so only processes made for it call it.
"""

from __future__ import annotations

import _sqlite3
import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_void_p
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Callable

OK, FULL = 0, 13
IOERR_WRITE, IOERR_FSYNC = 10 | 3 << 8, 10 | 4 << 8

_OPEN = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, c_void_p)
_DELETE = CFUNCTYPE(c_int, c_void_p, c_char_p, c_int)
_WRITE = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
_TRUNCATE = CFUNCTYPE(c_int, c_void_p, c_int64)
_SYNC = CFUNCTYPE(c_int, c_void_p, c_int)


class _Methods(Structure):
    """What SQLite can do with an open file: `sqlite3_io_methods`."""

    _fields_: ClassVar[Any] = [
        ("version", c_int),
        ("close", c_void_p),
        ("read", c_void_p),
        ("write", _WRITE),
        ("truncate", _TRUNCATE),
        ("sync", _SYNC),
        ("rest", c_void_p * 13),
    ]


class _File(Structure):
    """An open file: `sqlite3_file`."""

    _fields_: ClassVar[Any] = [("methods", POINTER(_Methods))]


class _Vfs(Structure):
    """A file system: `sqlite3_vfs`."""

    _fields_: ClassVar[Any] = [
        ("version", c_int),
        ("file_size", c_int),
        ("longest_path", c_int),
        ("next", c_void_p),
        ("name", c_char_p),
        ("data", c_void_p),
        ("open", _OPEN),
        ("delete", _DELETE),
        ("rest", c_void_p * 14),
    ]


@dataclass
class Disk:
    """What to be told of, by the file's name; each answers with 0, or with the error to give."""

    write: Callable[[str, int, bytes], int] = lambda _name, _offset, _data: OK
    truncate: Callable[[str, int], int] = lambda _name, _size: OK
    sync: Callable[[str], int] = lambda _name: OK
    delete: Callable[[str], int] = lambda _name: OK


_kept: list[Any] = []
"""What C code points at must never be collected."""


def _library() -> ctypes.CDLL | None:
    file = getattr(_sqlite3, "__file__", None)
    try:
        found = ctypes.CDLL(file)
        found.sqlite3_vfs_find.restype = POINTER(_Vfs)
        found.sqlite3_vfs_register.argtypes = (POINTER(_Vfs), c_int)
    except (OSError, AttributeError, TypeError):
        return None
    return found


def possible() -> bool:
    """Say whether this Python's SQLite can be wrapped."""
    return _library() is not None


def install(disk: Disk) -> None:
    """Put a disk under everything that is opened from now on."""
    library = _library()
    if library is None:
        raise RuntimeError("this Python's SQLite cannot be wrapped")
    below = library.sqlite3_vfs_find(None)
    files: dict[int, str] = {}
    wrapped: dict[int, Any] = {}

    def opened(_vfs: int, name: int | None, file: int, flags: int, out: int | None) -> int:
        code = int(below.contents.open(ctypes.addressof(below.contents), name, file, flags, out))
        handle = ctypes.cast(file, POINTER(_File)).contents
        if code == OK and handle.methods and name:
            files[file] = ctypes.string_at(name).decode()
            where = ctypes.addressof(handle.methods.contents)
            if where not in wrapped:
                wrapped[where] = _wrap(handle.methods.contents, files, disk)
            handle.methods = ctypes.pointer(wrapped[where])
        return code

    def deleted(_vfs: int, name: bytes, sync: int) -> int:
        code = disk.delete(name.decode())
        return code or int(below.contents.delete(ctypes.addressof(below.contents), name, sync))

    made = _Vfs()
    ctypes.memmove(ctypes.byref(made), below, ctypes.sizeof(_Vfs))
    made.name, made.next = b"railbird-faults", None
    made.open, made.delete = _OPEN(opened), _DELETE(deleted)
    _kept.extend((library, below, made, wrapped, files))
    assert library.sqlite3_vfs_register(ctypes.pointer(made), 1) == OK


def _wrap(below: _Methods, files: dict[int, str], disk: Disk) -> _Methods:
    write, truncate, sync = below.write, below.truncate, below.sync

    def written(file: int, data: int, size: int, offset: int) -> int:
        code = disk.write(files[file], offset, ctypes.string_at(data, size))
        return code or int(write(file, data, size, offset))

    def truncated(file: int, size: int) -> int:
        return disk.truncate(files[file], size) or int(truncate(file, size))

    def synced(file: int, flags: int) -> int:
        return disk.sync(files[file]) or int(sync(file, flags))

    made = _Methods()
    ctypes.memmove(ctypes.byref(made), ctypes.byref(below), ctypes.sizeof(_Methods))
    made.write, made.truncate, made.sync = _WRITE(written), _TRUNCATE(truncated), _SYNC(synced)
    _kept.extend((below, write, truncate, sync))
    return made
