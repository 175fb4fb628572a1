"""The journal's files go away, before a start and while a hub runs: nobody's night vanishes.

Real hubs on real files. At a start the head file says what was acknowledged; while a hub runs it
looks at its files' paths; and on a full disk it starts all the same, to show the clocks.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import shutil
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import closing, suppress
from time import monotonic
from typing import TYPE_CHECKING

import pytest

from server.config import Places
from server.head_file import head_path, read_head
from server.protocol.messages import Refused
from server.sqlite_journal import read_file
from tests.faults import vfs
from tests.faults.client import Client
from tests.faults.figures import tell
from tests.faults.process import PATIENCE, ROOT, HubProcess, plain_environment, until
from tests.faults.test_storage import NOISE, Stage, small_disk, staged

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NOTICED_WITHIN = 1.0
"""Seconds in which a hub has to see that its files are gone."""


def _wal(data: Path) -> Path:
    return data / "railbird.db-wal"


def _bytes_of(data: Path) -> dict[str, bytes]:
    """Give the journal's files, without what only shares memory."""
    return {path.name: path.read_bytes() for path in data.glob("railbird.db*")}


def _railbird(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "server.cli", *map(str, words)],
        capture_output=True,
        encoding="utf-8",
        cwd=ROOT,
        env=plain_environment(),
        timeout=PATIENCE,
        check=False,
    )


def _healthz(hub: HubProcess) -> int:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{hub.port}/healthz", timeout=5) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


# ── before a start ───────────────────────────────────────────────────────────────────────────────


class Despite(HubProcess):
    """A hub that is told to go on."""

    @property
    def words(self) -> list[str]:
        """Give the command that serves."""
        return [*super().words, "--despite-damage"]


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the data of a hub that was killed: `data`, and `early`, a copy from before the end."""
    folder = tmp_path_factory.mktemp("night")

    async def play() -> None:
        async with staged(folder) as stage:
            stage.hub.kill()
            shutil.copytree(stage.hub.data, folder / "early")
            stage.hub.start()
            for number in range(120):
                await stage.director.done("1", "announce", text=f"Seat open {number}")
            stage.hub.kill()
            stage.ledger.compare(stage.hub.data, folder / "scratch")
            assert not stage.ledger.wrong, stage.ledger.wrong

    asyncio.run(play())
    return folder


@pytest.fixture
def hub(tmp_path: Path, night: Path) -> HubProcess:
    """Give a hub on a copy of that data, without backups."""
    found = HubProcess(tmp_path)
    shutil.copytree(night / "data", found.data)
    shutil.rmtree(found.data / "backups", ignore_errors=True)
    return found


def _lose_log(data: Path, _night: Path) -> None:
    _wal(data).unlink()


def _empty_log(data: Path, _night: Path) -> None:
    _wal(data).write_bytes(b"")


def _cut_log(data: Path, _night: Path) -> None:
    log = _wal(data).read_bytes()
    _wal(data).write_bytes(log[: len(log) // 2])


def _spoil_log(data: Path, _night: Path) -> None:
    with _wal(data).open("r+b") as file:
        file.seek(_wal(data).stat().st_size // 2)
        file.write(b"\xa5" * 512)


def _older(data: Path, night: Path) -> None:
    for file in data.glob("railbird.db*"):
        file.unlink()
    for file in (night / "early").glob("railbird.db*"):
        shutil.copyfile(file, data / file.name)


def _another(data: Path, night: Path) -> None:
    """Put the journal of a hub in its place that is longer, and another."""
    _older(data, night)
    code = (
        "import sys; from pathlib import Path; from server.sqlite_journal import SqliteJournal\n"
        "from server.journal import Line\n"
        "journal = SqliteJournal(Path(sys.argv[1]))\n"
        "line = Line('hub', 1, None, 1, 'eve', '', '', b'{\"event\":\"made.up\"}')\n"
        "journal.append([line] * 1000).result(); journal.close()"
    )
    scratch = data / "another.db"
    shutil.copyfile(data / "railbird.db", scratch)
    shutil.copyfile(_wal(data), data / "another.db-wal")
    subprocess.run([sys.executable, "-c", code, str(scratch)], check=True, cwd=ROOT)
    _wal(data).unlink()
    scratch.replace(data / "railbird.db")
    (data / "another.head").unlink(missing_ok=True)


def _lose_all(data: Path, _night: Path) -> None:
    for file in data.glob("railbird.db*"):
        file.unlink()


def _empty_all(data: Path, _night: Path) -> None:
    for file in data.glob("railbird.db*"):
        file.write_bytes(b"")


HARMS = [
    _lose_log,
    _empty_log,
    _cut_log,
    _spoil_log,
    _older,
    _another,
    _lose_all,
    _empty_all,
]


@pytest.mark.parametrize("harm", HARMS)
def test_a_journal_that_lacks_what_was_acknowledged_is_refused(
    hub: HubProcess, night: Path, harm: Callable[[Path, Path], None]
) -> None:
    """The hub does not start, says what is missing and what to do, and changes no byte."""
    last = max(stored.seq for stored in read_file(_copied(night / "data", hub.data.parent)))
    harm(hub.data, night)
    before = _bytes_of(hub.data)
    status, words = hub.refused()
    assert status == 2, words
    assert "Traceback" not in words
    assert f"line {last} was acknowledged" in words
    assert "put them back" in words
    assert "--despite-damage" in words
    assert _bytes_of(hub.data) == before
    told = _railbird("verify", "--data", hub.data)
    assert told.returncode == 1, told.stdout + told.stderr
    assert f"line {last} was acknowledged" in told.stderr
    assert _bytes_of(hub.data) == before
    asyncio.run(_goes_on_despite_it(hub, last))


def _copied(data: Path, folder: Path) -> Path:
    """Copy a journal, so that it can be read without being changed."""
    copy = folder / "copy" / "railbird.db"
    copy.parent.mkdir()
    for file in data.glob("railbird.db*"):
        shutil.copyfile(file, copy.with_name(file.name))
    return copy


async def _goes_on_despite_it(hub: HubProcess, last: int) -> None:
    despite = Despite(hub.data.parent, data=hub.data)
    try:
        despite.start()
        await despite.ready()
        found = json.loads(_railbird("show", "hub", "--data", hub.data).stdout)
        assert f"line {last} was acknowledged" in found["storage"]
        despite.kill()
        hub.start()  # there is a new head: nothing is missing of what was acknowledged since
        await hub.ready()
        assert _railbird("verify", "--data", hub.data).returncode == 0
    finally:
        despite.kill()
        hub.kill()


async def test_a_restored_journal_starts(hub: HubProcess, night: Path) -> None:
    """What is advised works: after a restore the hub starts, and knows what comes after it."""
    backups = Places(hub.data).backups
    backups.mkdir()
    copy = _copied(night / "early", hub.data.parent)
    with closing(sqlite3.connect(copy)) as db:
        db.execute("PRAGMA journal_mode=DELETE")
    shutil.copyfile(copy, backups / "railbird-asked-20261118-200000-000000.db")
    _lose_log(hub.data, night)
    status, words = hub.refused()
    assert status == 2
    assert "railbird restore" in words
    done = _railbird("restore", "--data", hub.data, "--newest")
    assert done.returncode == 0, done.stderr
    try:
        hub.start()
        await hub.ready()
        head = read_head(head_path(Places(hub.data).journal))
        assert head is not None
    finally:
        hub.kill()


@pytest.mark.parametrize("garbage", [None, b"", b"\0" * 4_160, b"head 12" * 600])
async def test_a_lost_head_is_written_anew(hub: HubProcess, garbage: bytes | None) -> None:
    """A journal of an older version has none: it starts, and has one from then on."""
    head = head_path(Places(hub.data).journal)
    head.unlink()
    if garbage is not None:
        head.write_bytes(garbage)
    try:
        hub.start()
        await hub.ready()
        hub.kill()
        found = read_head(head)
        assert found is not None
        assert found[0] > 120
        _lose_log(hub.data, hub.data)
        status, words = hub.refused()
        assert status == 2
        assert f"line {found[0]} was acknowledged" in words
    finally:
        hub.kill()


async def test_lines_come_into_the_database_at_rest(tmp_path: Path) -> None:
    """Soon after the last tap a lost log takes nothing away: the hub starts with every line."""
    async with staged(tmp_path) as stage:
        await stage.director.done("1", "announce", text="the last words of the night")
        database = stage.hub.data / "railbird.db"
        await until(
            lambda: b"the last words of the night" in database.read_bytes(),
            "the line is only in the log",
        )
        stage.hub.kill()
        _lose_log(stage.hub.data, tmp_path)
        stage.hub.start()
        await stage.hub.ready()
        await stage.director.done("1", "announce", text="and on")
        await stage.compare()


# ── while a hub runs ─────────────────────────────────────────────────────────────────────────────


def _remove_all(data: Path, _other: Path) -> None:
    for file in data.glob("railbird.db*"):
        file.unlink()


def _remove_log(data: Path, _other: Path) -> None:
    _wal(data).unlink()


def _remove_database(data: Path, _other: Path) -> None:
    (data / "railbird.db").unlink()


def _replace_database(data: Path, other: Path) -> None:
    shutil.copyfile(other / "railbird.db", data / "new")
    (data / "new").rename(data / "railbird.db")


def _replace_both(data: Path, other: Path) -> None:
    for file in other.glob("railbird.db*"):
        shutil.copyfile(file, data / "new")
        (data / "new").rename(data / file.name)


def _replace_log(data: Path, other: Path) -> None:
    shutil.copyfile(_wal(other), data / "new")
    (data / "new").rename(_wal(data))


def _remove_folder(data: Path, _other: Path) -> None:
    gone = data.with_name("gone")  # or the hub would fill the folder again while it is emptied
    data.rename(gone)
    shutil.rmtree(gone)


def _move_folder(data: Path, _other: Path) -> None:
    data.rename(data.with_name("elsewhere"))


LOSSES = [
    _remove_all,
    _remove_log,
    _remove_database,
    _replace_database,
    _replace_both,
    _replace_log,
    _remove_folder,
    _move_folder,
]


async def _told(stage: Stage, words: str) -> float:
    """Wait until the director is told something; give the seconds that it took."""
    began = monotonic()
    await until(lambda: words in (stage.trouble or ""), f"the director was not told: {words}")
    return monotonic() - began


@pytest.mark.parametrize("loss", LOSSES)
async def test_files_lost_between_taps(
    tmp_path: Path, night: Path, loss: Callable[[Path, Path], None]
) -> None:
    """Noticed within a second though nobody taps; everything is written anew, and stays."""
    async with staged(tmp_path) as stage:
        await stage.director.done("1", "announce", text="before")
        loss(stage.hub.data, night / "early")
        seconds = await _told(stage, "deleted or replaced")
        logged = '"level": "error", "what": "journal files"'
        await until(lambda: logged in stage.hub.log.read_text("utf-8"), "nothing was logged")
        await stage.director.done("1", "announce", text="after")
        assert _healthz(stage.hub) == 200
        await stage.compare()
        stage.hub.start()
        await stage.hub.ready()
        # With the folder the director's token went away: this start has made another.
        again = ("do", "announce", "--event", "1", "--text", "again", "--data", stage.hub.data)
        done = await asyncio.to_thread(_railbird, *again)
        assert done.returncode == 0, done.stderr
        await stage.compare()
    tell(f"files lost ({loss.__name__.strip('_')}): words after {seconds:.2f} s")
    assert seconds < NOTICED_WITHIN + NOISE


@pytest.mark.parametrize("loss", LOSSES)
async def test_files_lost_among_taps(
    tmp_path: Path, night: Path, loss: Callable[[Path, Path], None]
) -> None:
    """Not one tap is acknowledged into a file that nobody will find: the hub dies at once after."""
    async with staged(tmp_path) as stage:
        taps = [await stage.director.tap("1", "announce", text=f"{n}") for n in range(40)]
        loss(stage.hub.data, night / "early")
        taps += [await stage.director.tap("1", "announce", text=f"{n}") for n in range(40)]
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*taps)
        await stage.compare()


async def test_a_foreign_file_is_moved_aside(tmp_path: Path, night: Path) -> None:
    """What somebody has put in the journal's place is not deleted: it may be a night, too."""
    async with staged(tmp_path) as stage:
        _replace_both(stage.hub.data, night / "early")
        await _told(stage, "what lay in its place is now")
        (aside,) = stage.hub.data.glob("railbird-foreign-*.db")
        assert str(aside) in (stage.trouble or "")
        assert aside.read_bytes() == (night / "early" / "railbird.db").read_bytes()
        beside = aside.with_name(f"{aside.name}-wal")
        assert beside.read_bytes() == _wal(night / "early").read_bytes()
        await stage.compare()


async def test_no_new_file_can_be_written(tmp_path: Path) -> None:
    """The folder is gone and something is in its way: held, told, refused; and well by itself."""
    async with staged(tmp_path / "hub") as stage:
        data = stage.hub.data
        await stage.director.done("1", "hand.start", table=1)
        await stage.director.done("1", "action.start", table=1, seat=1)
        data.rename(tmp_path / "elsewhere")
        data.write_text("in the way")
        seconds = await _told(stage, "cannot be written again")
        await until(lambda: _healthz(stage.hub) == 503, "health says that all is well")
        for _ in range(3):
            answer = await stage.director.do("1", "action.next", table=1)
            assert isinstance(answer, Refused)
            assert answer.code == "storage"
        data.unlink()
        await until(lambda: _healthz(stage.hub) == 200, "the hub has not recovered")
        await until(
            lambda: stage.wall.doc("t/1/table/1")["action"]["interrupted"],
            "the action clock is not held",
        )
        await stage.director.done("1", "action.release", table=1)
        await stage.compare()
    tell(f"files lost, no new one: words after {seconds:.2f} s")
    assert seconds < NOTICED_WITHIN + NOISE


async def test_the_file_of_another_program_is_left_alone(tmp_path: Path, night: Path) -> None:
    """Whoever uses the file in the journal's place keeps it, and the hub tells until it is free."""
    async with staged(tmp_path) as stage:
        new = stage.hub.data / "new"
        shutil.copyfile(night / "early" / "railbird.db", new)
        with new.open("r+b") as used:
            fcntl.lockf(used, fcntl.LOCK_EX, 512, 0x4000_0000)
            new.rename(stage.hub.data / "railbird.db")
            await _told(stage, "another program is using")
            assert isinstance(await stage.director.do("1", "announce", text="no"), Refused)
            assert not list(stage.hub.data.glob("railbird-foreign-*"))
        await _told(stage, "has written a new one")
        await stage.director.done("1", "announce", text="yes")
        await stage.compare()


async def test_what_was_written_anew_is_found_after_a_death(tmp_path: Path, night: Path) -> None:
    """It could not be put in place, and the hub dies: the next one takes it for the journal."""
    async with staged(tmp_path) as stage:
        await stage.director.done("1", "announce", text="the last words of the night")
        data, new = stage.hub.data, stage.hub.data / "locked"
        shutil.copyfile(night / "early" / "railbird.db", new)
        with new.open("r+b") as used:
            fcntl.lockf(used, fcntl.LOCK_EX, 512, 0x4000_0000)
            _replace_log(data, night / "early")
            new.rename(data / "railbird.db")
            await _told(stage, "another program is using")
            stage.hub.kill()
            status, words = await asyncio.to_thread(stage.hub.refused)
            assert (status, "hub is using this data" in words) == (2, True)
        stage.hub.start()
        await stage.hub.ready()
        await until(lambda: stage.director.connected, "the director is not back")
        await stage.director.done("1", "announce", text="and on")
        (aside,) = data.glob("railbird-replaced-*.db")
        assert aside.read_bytes() == (night / "early" / "railbird.db").read_bytes()
        await stage.compare()


async def test_half_of_what_was_written_anew_is_not_taken(hub: HubProcess, night: Path) -> None:
    """A hub that died while it wrote everything again has left a part, which proves nothing."""
    _lose_all(hub.data, night)
    part = hub.data / "railbird.db.new"
    part.write_bytes((night / "early" / "railbird.db").read_bytes()[:-100])
    status, words = await asyncio.to_thread(hub.refused)
    assert status == 2
    assert "was acknowledged" in words


async def test_a_lost_head_file_is_written_anew(tmp_path: Path, night: Path) -> None:
    """Also by a hub that runs, and where another's lies in its place."""
    async with staged(tmp_path) as stage:
        head = head_path(Places(stage.hub.data).journal)
        await stage.director.done("1", "announce", text="here")
        head.unlink()
        await until(head.exists, "there is no head file")
        shutil.copyfile(head_path(Places(night / "early").journal), tmp_path / "head")
        (tmp_path / "head").rename(head)
        await stage.director.done("1", "announce", text="and there")
        await until(
            lambda: read_head(head) == _end(stage.hub.data, tmp_path), "the head is another's"
        )
        await stage.compare()


def _end(data: Path, folder: Path) -> tuple[int, bytes]:
    copy = folder / "end"
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    for file in data.glob("railbird.db*"):
        shutil.copyfile(file, copy / file.name)
    last = (0, b"")
    for stored in read_file(copy / "railbird.db"):
        last = stored.seq, stored.hash
    return last


# ── modes ────────────────────────────────────────────────────────────────────────────────────────


def _open_to_others(data: Path) -> list[str]:
    ours = [data, *(path for path in data.iterdir() if path.is_file())]
    return [f"{path.name} {path.stat().st_mode:o}" for path in ours if path.stat().st_mode & 0o077]


async def test_nothing_is_for_others_to_read(tmp_path: Path) -> None:
    """Neither what a new hub writes, nor what an older one has left open to everybody."""
    async with staged(tmp_path) as stage:
        data = stage.hub.data
        assert _open_to_others(data) == []
        stage.hub.kill()
        for path in data.iterdir():
            path.chmod(0o755 if path.is_dir() else 0o644)
        data.chmod(0o755)
        stage.hub.start()
        await stage.hub.ready()
        await stage.director.done("1", "announce", text="here")
        assert _open_to_others(data) == []
        _remove_all(data, data)
        await _told(stage, "has written a new one")
        assert _open_to_others(data) == []


# ── a full disk at the start ─────────────────────────────────────────────────────────────────────


async def _starts_without_storage(
    stage: Stage, fail: Callable[[], None], mend: Callable[[], None], **environment: str
) -> None:
    """Kill a hub in a hand, start it where nothing can be stored, and hold it to its promises."""
    director, wall = stage.director, stage.wall
    await director.done("1", "hand.start", table=1)
    await director.done("1", "action.start", table=1, seat=1)
    ends_at = wall.doc("t/1")["clock"]["ends_at"]
    left = wall.doc("t/1/table/1")["action"]["remaining_ms"]
    stage.hub.kill()
    await until(lambda: not director.connected, "somebody is connected")
    fail()
    director.session.documents.pop("hub")
    stage.hub.start(**environment)
    await stage.hub.ready()
    await until(lambda: director.doc("hub"), "the hub does not serve")
    assert stage.trouble, "the director has no words"
    assert _healthz(stage.hub) == 503
    late = Client(stage.hub.ws, "late wall", stage.ledger)
    stage.join(late)
    await until(lambda: late.welcomed, "nobody is let in")
    await late.follow("t/1", "t/1/table/1")
    clock = late.doc("t/1")["clock"]
    assert (clock["status"], clock["ends_at"]) == ("running", ends_at)
    for do, args in (
        ("action.next", {"table": 1}),
        ("clock.pause", {}),
        ("announce", {"text": "x"}),
    ):
        answer = await director.do("1", do, **args)
        assert isinstance(answer, Refused), f"{do} was acknowledged"
        assert answer.code == "storage"
    created = await director.do("", "event.create", preset="faults")
    assert isinstance(created, Refused)
    mend()
    await until(lambda: stage.trouble is None, "the hub has not recovered")
    await until(
        lambda: wall.doc("t/1/table/1")["action"]["interrupted"], "the action clock is not held"
    )
    action = wall.doc("t/1/table/1")["action"]
    assert action["status"] == "held"
    assert action["remaining_ms"] > left - NOISE * 1_000
    assert wall.doc("t/1")["clock"]["ends_at"] == ends_at
    assert _healthz(stage.hub) == 200
    await director.done("1", "action.release", table=1)
    await director.done("1", "action.next", table=1)
    await stage.compare()
    started = [stored for stored in _lines(stage) if b'"hub.started"' in stored]
    assert len(started) == 2
    stage.hub.start()
    await stage.hub.ready()
    await director.done("1", "announce", text="again")
    await stage.compare()


def _lines(stage: Stage) -> list[bytes]:
    copy = stage.folder / "lines"
    copy.mkdir()
    for file in stage.hub.data.glob("railbird.db*"):
        shutil.copyfile(file, copy / file.name)
    return [stored.line.body for stored in read_file(copy / "railbird.db")]


async def test_a_start_on_a_full_disk(tmp_path: Path) -> None:
    """A disk that is really full: the clocks show, nothing is taken, and it goes on by itself."""
    with small_disk(tmp_path / "disk") as disk:
        filler = disk / "filler"

        def fill() -> None:
            with suppress(OSError), filler.open("wb", buffering=0) as file:
                while True:
                    file.write(bytes(4_096))

        async with staged(tmp_path / "hub", data=disk / "data") as stage:
            await _starts_without_storage(stage, fail=fill, mend=filler.unlink)


@pytest.mark.skipif(not vfs.possible(), reason="this Python's SQLite cannot be wrapped")
@pytest.mark.parametrize("fault", ["write", "full", "sync"])
async def test_a_start_on_a_failing_disk(tmp_path: Path, fault: str) -> None:
    """The same where the disk fails in other ways."""
    switch = tmp_path / "disk"
    async with staged(tmp_path / "hub") as stage:
        await _starts_without_storage(
            stage,
            fail=lambda: (switch.write_text(fault), None)[1],
            mend=switch.unlink,
            RAILBIRD_DISK=str(switch),
        )


async def test_a_new_hub_on_a_full_disk_is_refused_with_words(tmp_path: Path) -> None:
    """Where not even an empty journal can be made there is nothing to show."""
    with small_disk(tmp_path / "disk") as disk:
        with suppress(OSError), (disk / "filler").open("wb", buffering=0) as file:
            while True:
                file.write(bytes(4_096))
        hub = HubProcess(tmp_path / "hub", data=disk / "data")
        status, words = await asyncio.to_thread(hub.refused)
        assert status == 2, words
        assert "full" in words
        assert "Traceback" not in words
