"""A writer of lines, in a process of its own, for disks that lose their power.

    python -m tests.faults.scribe FILE --synchronous FULL [--lines N] [--record LOG]

Prints the number of each line as soon as it is acknowledged. With `--record`, everything that
reaches the disk is written down, with the acknowledgements between.
"""

from __future__ import annotations

import argparse
import pickle
import sys
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from server.journal import Line
from server.sqlite_journal import SqliteJournal
from tests.faults import vfs

if TYPE_CHECKING:
    from concurrent.futures import Future

Op = tuple[str, str, int, bytes]
"""What happened, to which file, where, and with what; of an `ack` the number of the line."""

BODY = 2_500
AT_ONCE = 4
"""Lines that are written without waiting for each other."""


def _recording(ops: list[Op]) -> vfs.Disk:
    def write(name: str, offset: int, data: bytes) -> int:
        ops.append(("write", Path(name).name, offset, data))
        return vfs.OK

    def truncate(name: str, size: int) -> int:
        ops.append(("truncate", Path(name).name, size, b""))
        return vfs.OK

    def sync(name: str) -> int:
        ops.append(("sync", Path(name).name, 0, b""))
        return vfs.OK

    def delete(name: str) -> int:
        ops.append(("delete", Path(name).name, 0, b""))
        return vfs.OK

    return vfs.Disk(write, truncate, sync, delete)


def main() -> None:
    """Write lines until the end, or until killed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--synchronous", default="FULL")
    parser.add_argument("--lines", type=int, default=10_000_000)
    parser.add_argument("--record", type=Path)
    args = parser.parse_args()
    ops: list[Op] = []
    if args.record is not None:
        vfs.install(_recording(ops))
    journal = SqliteJournal(args.file)
    if args.synchronous != "FULL":
        journal._db.execute(f"PRAGMA synchronous={args.synchronous}")  # noqa: SLF001
    rng = Random(1)  # noqa: S311 - any lines will do

    def acknowledged(done: Future[int]) -> None:  # in the writer's thread, after the commit
        ops.append(("ack", "", done.result(), b""))
        if args.record is None:
            sys.stdout.write(f"{done.result()}\n")
            sys.stdout.flush()

    for number in range(0, args.lines, AT_ONCE):
        asked = []
        for one in range(number, number + AT_ONCE):
            line = Line("1", one, None, one, "Ann", "tablet", f"c{one}", rng.randbytes(BODY))
            asked.append(journal.append([line]))
            asked[-1].add_done_callback(acknowledged)
        for found in asked:
            found.result()
    if args.record is not None:
        args.record.write_bytes(pickle.dumps(ops))


if __name__ == "__main__":
    main()
