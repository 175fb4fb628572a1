"""Real hubs to measure: a room made ready in a data folder, and servers in processes of their own.

Data lies in `build/` in the project's folder, which is on a real disk and not under version
control: what a commit costs on a disk in memory says nothing.
"""

from __future__ import annotations

import asyncio
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter, sleep
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from server.access import Badge
from server.config import Places
from server.devices import Devices
from server.hub import Hub
from server.orders import Order
from server.protocol import messages as m
from server.sqlite_journal import SqliteJournal

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
HOUSE = "star-brisbane-saturday"
SEATS = 9
EVENT = "1"
DIRECTOR = Badge("director", "bench")
AT_REST = 0.02
"""Seconds that a server may work in a second in which it has nothing to do."""


@contextmanager
def scratch() -> Iterator[Path]:
    """Give a folder on the project's disk, for a while."""
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="bench-", dir=build))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def disk(folder: Path) -> str:
    """Say what kind of disk a folder is on."""
    best, kind = "", "?"
    for mount in Path("/proc/mounts").read_text(encoding="utf-8").splitlines():
        _, where, name, *_ = mount.split()
        if str(folder.resolve()).startswith(where) and len(where) >= len(best):
            best, kind = where, name
    return kind


def many_files() -> int:
    """Allow as many open files as the machine does, and say how many."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (1 << 17, max(1 << 17, hard)))
    except (ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


# ── a room ───────────────────────────────────────────────────────────────────────────────────────


def order(number: int, do: str, args: dict[str, Any], at: int, event: str = EVENT) -> Order:
    """Make an order of a director's."""
    return Order(f"bench-{number}", event, do, args, DIRECTOR, "bench", at, at)


class _Unhurried:
    """A journal whose puts need not be waited for: tokens are issued a thousand at once."""

    def __init__(self, journal: SqliteJournal) -> None:
        self._journal = journal
        self.keys = journal.keys
        self.get = journal.get
        self.last: Future[int] | None = None

    def put(self, key: str, value: Any) -> Future[int]:
        """Keep a value some time."""
        self.last = self._journal.put(key, value)
        done: Future[int] = Future()
        done.set_result(0)
        return done


def _asked(hub: Hub, number: int, do: str, args: dict[str, Any], event: str) -> asyncio.Future[Any]:
    answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    hub.order(order(number, do, args, hub.time.now(), event), answer.set_result)
    return answer


async def _play(journal: SqliteJournal, tables: int, lines: int) -> None:
    hub = Hub(journal)
    hub.start()
    wishes: list[tuple[str, dict[str, Any], str]] = [("event.create", {"preset": HOUSE}, "")]
    for table in range(1, tables + 1):
        for seat in range(1, SEATS + 1):
            name = f"Player {table}-{seat}"
            put = {"player": f"{table}-{seat}", "table": table, "seat": seat, "name": name}
            wishes.append(("seat.put", put, EVENT))
    wishes.append(("clock.start", {}, EVENT))
    for number, wish in enumerate(wishes):
        waiting = _asked(hub, number, *wish)
        if number in (0, len(wishes) - 1):  # the others need not be waited for
            found = await waiting
            if not isinstance(found, m.Done):
                raise TypeError(f"{wish}: {found}")
    number = len(wishes)
    while hub.desks[EVENT].rev < lines:
        number += 1
        await _asked(hub, number, "announce", {"text": f"Announcement {number}"}, EVENT)
    await hub.stop()
    await asyncio.wrap_future(journal.put("bench", None))  # a snapshot may be on its way


def make_room(folder: Path, tables: int, lines: int = 0) -> list[str]:
    """Make a room in a data folder, and give its dealers' tokens.

    Players sit at all tables, the clock runs, and the journal has so many lines at least.
    """
    journal = SqliteJournal(Places(folder).journal)
    try:
        asyncio.run(_play(journal, tables, lines))
        unhurried = _Unhurried(journal)
        tokens = Devices(unhurried)  # type: ignore[arg-type]
        found = [
            tokens.issue(Badge("dealer", f"Dealer {table}", EVENT, table))
            for table in range(1, tables + 1)
        ]
        if unhurried.last is not None:
            unhurried.last.result()
    finally:
        journal.close()
    return found


# ── servers in processes of their own ────────────────────────────────────────────────────────────


def _environment() -> dict[str, str]:
    """Let compiled modules be kept, as they are where a hub is installed."""
    found = {key: word for key, word in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return found | {"PYTHONPYCACHEPREFIX": str(ROOT / "build" / "pycache")}


class Server:
    """A process that serves, from being started until it is killed."""

    def __init__(self, *words: str, log: Path) -> None:
        self.began = perf_counter()
        with log.open("ab") as errors:
            self._process = subprocess.Popen(  # noqa: S603 - our own programs
                [sys.executable, *words],
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=ROOT,
                text=True,
                env=_environment(),
            )
        self.pid = self._process.pid
        self.port = 0

    def ready(self) -> Server:
        """Wait until it says where it is."""
        if self._process.stdout is None:
            raise TypeError("no output")
        told = self._process.stdout.readline()
        if "http" not in told:
            raise RuntimeError(f"the server did not start: {told!r}")
        self.port = int(told.strip().rpartition(":")[2])
        return self

    def cpu(self) -> float:
        """Give the seconds that all its threads have run for."""
        tasks = Path(f"/proc/{self.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9

    def rest(self) -> None:
        """Wait until it has nothing to do: after a start a hub recalls what can be undone."""
        worked = self.cpu()
        while True:
            sleep(1.0)
            before, worked = worked, self.cpu()
            if worked - before < AT_REST:
                return

    def memory(self) -> int:
        """Give the bytes that it holds of its own."""
        for row in Path(f"/proc/{self.pid}/smaps_rollup").read_text().splitlines():
            if row.startswith("Pss:"):
                return int(row.split()[1]) * 1_024
        return 0

    def kill(self) -> None:
        """End it at once, as a power cut would."""
        self.end(signal.SIGKILL)

    def end(self, how: signal.Signals) -> None:
        """Send it a signal, and wait until it is gone."""
        self._process.send_signal(how)
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


def hub(folder: Path, port: int = 0) -> Server:
    """Start a real hub on a data folder."""
    words = ("-m", "server.cli", "serve", "--data", str(folder), "--port", str(port))
    return Server(*words, log=folder / "hub.log")


def bare(folder: Path, *options: str) -> Server:
    """Start a bare server."""
    return Server(str(ROOT / "bench" / "bare.py"), *options, log=folder / "bare.log")


def opening(topics: list[str], token: str | None = None, device: str = "") -> list[bytes]:
    """Give what a client says first."""
    hello = m.encode(m.Hello(m.VERSION, token, device, "bench"))
    return [hello, m.encode(m.Subscribe(topics)), m.encode(m.Probe(1))]
