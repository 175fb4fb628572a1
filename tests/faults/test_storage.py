"""The disk fails under a real hub: nothing is acknowledged that is not stored, and everybody knows.

Disk full, errors of writing and of syncing, a file that cannot be written, is damaged or cut short,
and two hubs on the same data.
"""

from __future__ import annotations

import asyncio
import os
import resource
import shutil
import subprocess
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING

import pytest

from server.backups import newest_good
from server.protocol.messages import Pair, Refused
from server.remote import Remote
from tests.faults import vfs
from tests.faults.client import Client
from tests.faults.figures import tell
from tests.faults.ledger import Ledger
from tests.faults.process import HubProcess, until
from tests.faults.stalls import Stalls

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path

BANNER_WITHIN, NOISE = 1.0, 1.5
"""Seconds after which the director must have words, and what a slow disk may add."""

PLENTY = resource.RLIM_INFINITY


class Stage:
    """A hub with a director, a wall, and an event whose clock runs."""

    def __init__(self, folder: Path, *, data: Path | None = None) -> None:
        self.folder = folder
        self.hub = HubProcess(folder, data=data)
        self.ledger = Ledger()
        self.director = Client(self.hub.ws, "director", self.ledger)
        self.wall = Client(self.hub.ws, "wall", self.ledger)
        self.tasks: list[asyncio.Task[None]] = []

    def join(self, *clients: Client) -> None:
        """Let somebody in."""
        self.tasks += [asyncio.create_task(client.run()) for client in clients]

    async def prepare(self) -> None:
        """Start the event's clock, and an action clock at table 1."""
        self.director.session.token = self.hub.token
        self.join(self.director, self.wall)
        director = self.director
        await director.done("", "event.create", preset="faults")
        for seat in (1, 2, 3):
            await director.done("1", "seat.put", player=f"p{seat}", table=1, seat=seat)
        await director.done("1", "clock.start")
        await director.follow("hub", "t/1", "t/1/table/1")
        await self.wall.follow("t/1", "t/1/table/1", "events")

    @property
    def trouble(self) -> str | None:
        """The words on the director's screen."""
        found: str | None = self.director.doc("hub")["storage"]
        return found

    async def compare(self) -> None:
        """Kill the hub, and compare what it told with what it left."""
        self.hub.kill()
        await until(lambda: not self.director.connected, "somebody is connected")
        self.ledger.compare(self.hub.data, self.folder / "scratch")
        assert not self.ledger.wrong, "\n".join(self.ledger.wrong)


@asynccontextmanager
async def staged(
    folder: Path, *, data: Path | None = None, **environment: str
) -> AsyncIterator[Stage]:
    """Set a stage, and clear it."""
    stage = Stage(folder, data=data)
    try:
        stage.hub.start(**environment)
        await stage.hub.ready()
        await stage.prepare()
        yield stage
    finally:
        for task in stage.tasks:
            task.cancel()
        await asyncio.gather(*stage.tasks, return_exceptions=True)
        stage.hub.kill()


# ── the disk fails, and comes back ───────────────────────────────────────────────────────────────


async def _through_trouble(
    stage: Stage, name: str, fail: Callable[[], None], mend: Callable[[], None]
) -> None:
    """Let the disk fail and come back, and hold the hub to everything that it promises."""
    stalls = Stalls(stage.hub.ws)
    async with stalls.watched():
        banner, recovered = await _failed(stage, stalls, fail, mend)
    await stage.compare()
    tell(
        f"{name}: words after {banner:.2f} s, well again {recovered:.2f} s after the disk, without "
        "what the machine stood still"
    )
    assert banner < BANNER_WITHIN + NOISE
    assert recovered < BANNER_WITHIN + NOISE


async def _failed(
    stage: Stage, stalls: Stalls, fail: Callable[[], None], mend: Callable[[], None]
) -> tuple[float, float]:
    """Fail and mend; give the seconds until there were words, and until they were gone."""
    director = stage.director
    await director.done("1", "hand.start", table=1)
    await director.done("1", "action.start", table=1, seat=1)
    before = stage.wall.doc("t/1")["clock"]["ends_at"]
    acknowledged = len(stage.ledger.done)
    fail()
    took = stalls.watch()
    await until(lambda: stage.trouble, "the director was not told")
    banner = took()
    for do, args in (("action.next", {}), ("hand.end", {}), ("dealer.push", {})):
        answer = await director.do("1", do, table=1, **args)
        assert isinstance(answer, Refused), f"{do} was acknowledged"
        assert answer.code == "storage"
    created = await director.do("", "event.create", preset="faults")
    assert isinstance(created, Refused)
    assert len(stage.ledger.done) == acknowledged
    # Clocks keep showing: for who is there, and for who comes now.
    late = Client(stage.hub.ws, "late wall", stage.ledger)
    stage.join(late)
    await until(lambda: late.welcomed, "nobody is let in")
    await late.follow("t/1", "t/1/table/1")
    await late.say(Pair())
    await until(lambda: late.session.codes, "no code")
    code = late.session.codes[-1].code
    paired = await director.do("", "device.pair", code=code, role="floor")
    assert isinstance(paired, Refused)
    assert late.welcomed is not None
    assert late.welcomed.role == "viewer", "somebody was let in, and that is not stored"
    for wall in (late, stage.wall):
        clock = wall.doc("t/1")["clock"]
        assert (clock["status"], clock["ends_at"]) == ("running", before)
        wall.session.best = None
        await wall.probe()
        await until(lambda wall=wall: wall.session.best is not None, "the hub tells no time")
    mend()
    took = stalls.watch()
    await until(lambda: stage.trouble is None, "the hub has not recovered")
    recovered = took()
    await until(
        lambda: stage.wall.doc("t/1/table/1")["action"]["interrupted"],
        "the action clock is not held",
    )
    assert stage.wall.doc("t/1")["clock"]["ends_at"] == before
    await director.done("1", "action.release", table=1)
    await director.done("1", "action.next", table=1)
    return banner, recovered


@pytest.mark.skipif(not vfs.possible(), reason="this Python's SQLite cannot be wrapped")
@pytest.mark.parametrize(
    ("fault", "name"),
    [("write", "error of writing"), ("full", "disk full (simulated)"), ("sync", "failed fsync")],
)
async def test_failing_disk(tmp_path: Path, fault: str, name: str) -> None:
    """A disk that fails to write or to sync."""
    switch = tmp_path / "disk"
    async with staged(tmp_path / "hub", RAILBIRD_DISK=str(switch)) as stage:
        await _through_trouble(
            stage, name, lambda: (switch.write_text(fault), None)[1], switch.unlink
        )


async def test_file_size_limit(tmp_path: Path) -> None:
    """No file may grow any more, the log's neither, until somebody makes room."""
    async with staged(tmp_path / "hub") as stage:

        def limit(size: int) -> None:
            resource.prlimit(stage.hub.pid, resource.RLIMIT_FSIZE, (size, PLENTY))

        # Below what the log in use has, so that nothing at all can be written.
        await _through_trouble(
            stage, "no file may grow", lambda: limit(1_024), lambda: limit(PLENTY)
        )


@contextmanager
def small_disk(where: Path, size: str = "2m") -> Iterator[Path]:
    """Mount a small disk in memory, where that is possible."""
    where.mkdir(parents=True, exist_ok=True)
    if os.geteuid() != 0:
        pytest.skip("mounting needs root")
    words = ["mount", "-t", "tmpfs", "-o", f"size={size}", "railbird", str(where)]
    done = subprocess.run(words, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        pytest.skip(f"nothing can be mounted here: {done.stderr.strip()}")
    try:
        yield where
    finally:
        subprocess.run(["umount", "-l", str(where)], check=True)  # noqa: S607 - the system's own


async def test_full_disk(tmp_path: Path) -> None:
    """A disk that is really full, until something is deleted."""
    with small_disk(tmp_path / "disk") as disk:
        async with staged(tmp_path / "hub", data=disk / "data") as stage:
            filler = disk / "filler"
            wal = disk / "data" / "railbird.db-wal"

            def fill() -> None:
                with suppress(OSError), filler.open("wb", buffering=0) as file:
                    while True:
                        file.write(bytes(4_096))

            fill()
            # What the log has room for may still be stored: tap until it must grow.
            grown = wal.stat().st_size
            while stage.trouble is None and wal.stat().st_size == grown:
                answer = await stage.director.do("1", "announce", text="x" * 400)
                if isinstance(answer, Refused):
                    break
            filler.unlink()
            await until(lambda: stage.trouble is None, "the hub has not recovered")
            await stage.director.done("1", "announce", text="there is room")
            await _through_trouble(stage, "disk full (a small disk)", fill, filler.unlink)


@pytest.mark.skipif(not vfs.possible(), reason="this Python's SQLite cannot be wrapped")
async def test_refused_stays_refused(tmp_path: Path) -> None:
    """What was refused because it could not be stored is not there after a death."""
    switch = tmp_path / "disk"
    async with staged(tmp_path / "hub", RAILBIRD_DISK=str(switch)) as stage:
        switch.write_text("sync")
        answer = await stage.director.do("1", "announce", text="never said")
        assert isinstance(answer, Refused)
        await stage.compare()


# ── a hub that must not start ────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the data of a hub that was played with, backed up, played with and stopped."""
    folder = tmp_path_factory.mktemp("played")

    async def play() -> None:
        async with staged(folder) as stage:
            for number in range(60):
                await stage.director.done("1", "announce", text=f"Seat open {number} " + "x" * 200)
            await asyncio.to_thread(Remote(stage.hub.data).backup)
            await stage.director.done("1", "announce", text="after the backup")
            stage.hub.stop()

    asyncio.run(play())
    return folder / "data"


@pytest.fixture
def hub(tmp_path: Path, played: Path) -> HubProcess:
    """Give a hub on a copy of the data."""
    found = HubProcess(tmp_path)
    shutil.copytree(played, found.data)
    return found


def _refusal(hub: HubProcess) -> str:
    """Insist that a hub does not start, and says why in words."""
    status, words = hub.refused()
    assert status == 2, words
    assert words.startswith("railbird: ") or "\nrailbird: " in words, words
    assert "Traceback" not in words
    return words


def _found_backup(hub: HubProcess) -> Path:
    found = newest_good(hub.data / "backups")
    assert found is not None
    assert found[1] > 60
    return found[0]


def _poke(file: Path, offset: int, data: bytes) -> None:
    with file.open("r+b") as opened:
        opened.seek(offset)
        opened.write(data)


def test_damaged_page(hub: HubProcess) -> None:
    """A page whose middle is garbage: the hub does not start, and offers the newest good backup."""
    file = hub.data / "railbird.db"
    pages = file.stat().st_size // 4_096
    assert pages > 8
    for page in range(pages // 2, pages // 2 + 3):
        _poke(file, page * 4_096, os.urandom(2_048))
    words = _refusal(hub)
    assert str(_found_backup(hub)) in words


def test_damaged_words(hub: HubProcess) -> None:
    """One letter of one line is another: SQLite is content with it, the hub is not."""
    file = hub.data / "railbird.db"
    offset = file.read_bytes().index(b"Seat open 17 ")
    _poke(file, offset, b"Seat Open")
    words = _refusal(hub)
    assert str(_found_backup(hub)) in words


@pytest.mark.parametrize("share", [0.25, 0.5, 0.9])
def test_truncated_file(hub: HubProcess, share: float) -> None:
    """A file that is cut short: the hub does not start, and offers the newest good backup."""
    file = hub.data / "railbird.db"
    os.truncate(file, int(file.stat().st_size * share))
    words = _refusal(hub)
    assert str(_found_backup(hub)) in words


def test_empty_file(hub: HubProcess) -> None:
    """A file of which nothing is left is no new hub while there are backups of an old one."""
    os.truncate(hub.data / "railbird.db", 0)
    words = _refusal(hub)
    assert str(_found_backup(hub)) in words


def test_damaged_backups_are_passed_over(hub: HubProcess) -> None:
    """A backup that is damaged itself is not offered: an older one that is good is."""
    good = _found_backup(hub)
    newer = good.with_name("railbird-asked-29990101-000000-000000.db")
    shutil.copyfile(good, newer)
    _poke(newer, newer.read_bytes().index(b"Seat open 17 "), b"Seat Open")
    assert _found_backup(hub) == good


async def test_second_hub(tmp_path: Path) -> None:
    """A second hub on the same data does not start, and the first does not notice."""
    async with staged(tmp_path / "hub") as stage:
        second = HubProcess(tmp_path / "second", data=stage.hub.data)
        words = await asyncio.to_thread(_refusal, second)
        assert "another hub" in words
        await stage.director.done("1", "announce", text="still here")
        assert stage.trouble is None
        await stage.compare()


def test_read_only_file(tmp_path: Path, played: Path) -> None:
    """A file that cannot be written: the hub does not start, and starts when it can be."""
    with small_disk(tmp_path / "disk", "8m") as disk:
        hub = HubProcess(tmp_path / "hub", data=disk / "data")
        shutil.copytree(played, hub.data)
        change = ["mount", "-o", "remount,ro", str(disk)]
        subprocess.run(change, check=True)
        words = _refusal(hub)
        assert "read" in words.lower()
        change[2] = "remount,rw"
        subprocess.run(change, check=True)
        try:
            hub.start()
            asyncio.run(_comes_up(hub))
        finally:
            hub.kill()


async def _comes_up(hub: HubProcess) -> None:
    await hub.ready()
