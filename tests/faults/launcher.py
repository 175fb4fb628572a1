"""A hub that dies, or whose disk fails, exactly where a test says.

    RAILBIRD_DIE=after-commit:7 python -m tests.faults.launcher serve --data DIR

kills itself with SIGKILL after its seventh commit from when it was ready. `RAILBIRD_DISK` names a
file: while it exists, the disk fails as it says. Everything else is the hub as it is.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from server import cli, hub, serve, sqlite_journal, web
from server.desk import Desk
from server.increments import Increments
from server.orders import Answers
from server.press import Press
from server.sqlite_journal import SqliteJournal
from server.writer import Writer
from tests.faults import vfs

if TYPE_CHECKING:
    from collections.abc import Callable

BEFORE, AFTER = False, True

POINTS: dict[str, tuple[Any, str, bool]] = {
    "before-commit": (SqliteJournal, "_transaction", BEFORE),
    "after-commit": (SqliteJournal, "_transaction", AFTER),  # nobody has heard of it
    "before-show": (Writer, "_settle", BEFORE),  # the hub has heard of it, nobody else has
    "before-answer": (Desk, "_publish", AFTER),  # seen by all, not acknowledged
    "after-answer": (Answers, "settle", AFTER),
    "before-late-broadcast": (Press, "_flush", BEFORE),  # acknowledged, the boards not yet sent
    "in-backup": (SqliteJournal, "_let_write", BEFORE),
    "before-backup-is-named": (sqlite_journal, "_sync", AFTER),
    "after-backup": (SqliteJournal, "backup", AFTER),
}
"""Where a hub can die: what is called there, and whether it dies before or after the call."""

IN_APPEND: dict[str, tuple[Any, str, bool]] = {
    "in-append": (Increments, "_append_lines", AFTER),
    "after-append": (Increments, "_append", AFTER),
}
"""Where it can die while a backup gets what it lacks."""

IN_COMMIT = "in-commit"
"""Everything is written, but not yet made durable."""

AT_START = "at-start"
"""Before the n-th transaction of the process, while it is starting."""

AMID_BROADCAST = "amid-broadcast"
"""Some have seen it, some have not."""

ALL = (*POINTS, IN_COMMIT, AMID_BROADCAST)

FAULTS = {
    "write": ("write", vfs.IOERR_WRITE),
    "full": ("write", vfs.FULL),
    "sync": ("sync", vfs.IOERR_FSYNC),
}
"""What the file that `RAILBIRD_DISK` names may say, what fails then, and how."""


class Death:
    """Counts how often a place was passed, and ends the process there."""

    def __init__(self, number: int, *, armed: bool) -> None:
        self.left, self.armed = number, armed

    def passed(self) -> None:
        """Pass the place once more."""
        self.left -= self.armed
        if self.left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, owner: Any, name: str, when: bool) -> None:
        """Die before or after the n-th call of something."""
        original = getattr(owner, name)

        def wrapped(*args: Any, **options: Any) -> Any:
            if when is BEFORE:
                self.passed()
            found = original(*args, **options)
            if when is AFTER:
                self.passed()
            return found

        setattr(owner, name, wrapped)

    def in_commit(self) -> None:
        """Die before the n-th COMMIT."""
        passed, connect = self.passed, sqlite3.connect

        class Connection(sqlite3.Connection):
            def execute(self, sql: str, *args: Any) -> sqlite3.Cursor:
                if sql == "COMMIT":
                    passed()
                return super().execute(sql, *args)

        def connecting(*args: Any, **options: Any) -> sqlite3.Connection:
            return connect(*args, factory=Connection, **options)

        sqlite3.connect = connecting  # type: ignore[assignment]

    def amid_broadcast(self) -> None:
        """Die after the n-th document that was written to a socket."""
        straight = web._direct  # noqa: SLF001 - where the hub writes past asyncio

        def direct(transport: Any) -> Any:
            way = straight(transport)

            def write(data: bytes) -> int:
                sent = way(data)
                if b'"type":"doc"' in data[:40]:
                    self.passed()
                return int(sent)

            return write

        web._direct = direct  # noqa: SLF001

    def arm_when_ready(self) -> None:
        """Count from when the hub listens."""
        listen = serve.listen

        async def listening(*args: Any, **options: Any) -> Any:
            found = await listen(*args, **options)
            self.armed = True
            return found

        serve.listen = listening


def die_at(place: str, number: int) -> None:
    """Arrange for the death of this process."""
    death = Death(number, armed=place == AT_START)
    if place == AT_START:
        death.around(SqliteJournal, "_transaction", BEFORE)
    elif place == IN_COMMIT:
        death.in_commit()
    elif place == AMID_BROADCAST:
        death.amid_broadcast()
    else:
        death.around(*(POINTS | IN_APPEND)[place])
    death.arm_when_ready()


def fail_when_told(file: Path) -> None:
    """Let the disk of the journal fail for as long as a file says so."""

    def asked(what: str) -> Callable[..., int]:
        def answer(name: str, *_: object) -> int:
            if "backups" in name:
                return vfs.OK
            try:
                kind, code = FAULTS[file.read_text("ascii")]
            except OSError:
                return vfs.OK
            return code if kind == what else vfs.OK

        return answer

    vfs.install(vfs.Disk(write=asked("write"), sync=asked("sync")))


def nest() -> int:
    """Give birth to hubs, each ready to run: what takes long at a start is reading the program.

    Every line that comes in is a command line and an environment; every answer is a process id.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for order in sys.stdin:
        wanted = json.loads(order)
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.environ.update(wanted["environment"])
            sys.argv = ["railbird", *wanted["words"]]
            for number, file in ((0, os.devnull), (1, os.devnull), (2, wanted["log"])):
                os.dup2(os.open(file, os.O_RDWR | os.O_APPEND | os.O_CREAT), number)
            os._exit(main())
        sys.stdout.write(f"{child}\n")
        sys.stdout.flush()
    return 0


def main() -> int:
    """Run a hub, prepared as the environment says."""
    if place := os.environ.get("RAILBIRD_DIE"):
        name, _, number = place.partition(":")
        die_at(name, int(number))
    if disk := os.environ.get("RAILBIRD_DISK"):
        fail_when_told(Path(disk))
    if every := os.environ.get("RAILBIRD_SNAPSHOTS"):
        hub.EVERY = int(every)
    return cli.main()


if __name__ == "__main__":
    sys.exit(nest() if sys.argv[1:] == ["nest"] else main())
