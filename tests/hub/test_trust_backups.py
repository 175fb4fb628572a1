"""Backups that make themselves: few of each, none for nothing, and the newest whole one found."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from server import backups
from server.access import Badge
from server.backups import KEPT, Keeper, make_backup, newest_good, rotate
from server.hub import Hub
from server.journal import Line, StorageError, verify
from server.orders import Order
from server.protocol.messages import Done
from server.sqlite_journal import SqliteJournal, read_file

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path


def _line(number: int) -> Line:
    body = b'{"event":"test","number":%d}' % number
    return Line("1", number, None, number, "Ann", "d1", f"c{number}", body)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[SqliteJournal]:
    """Open a journal with a few lines."""
    journal = SqliteJournal(tmp_path / "railbird.db")
    journal.append([_line(n) for n in range(20)]).result()
    yield journal
    journal.close()


@asynccontextmanager
async def _hub(tmp_path: Path) -> AsyncIterator[Hub]:
    journal = SqliteJournal(tmp_path / "hub.db")
    hub = Hub(journal)
    hub.start()
    try:
        yield hub
    finally:
        await hub.stop()
        journal.close()


async def _do(hub: Hub, do: str, **args: object) -> None:
    """Order something of the hub, and wait until it is done."""
    answer: asyncio.Future[object] = asyncio.get_running_loop().create_future()
    now, badge = hub.time.now(), Badge("director", "Dora")
    hub.order(Order(f"c{now}{do}", "", do, args, badge, "d1", now, now), answer.set_result)
    assert isinstance(await answer, Done)


def _files(folder: Path, kind: str = "*") -> list[Path]:
    return sorted(folder.glob(f"railbird-{kind}-*.db"))


# ── rotation ─────────────────────────────────────────────────────────────────────────────────────


def test_a_backup_is_whole_and_says_when(journal: SqliteJournal, tmp_path: Path) -> None:
    """A backup has every line and every value that was kept, and no half files beside it."""
    journal.put("device/x", {"a": 1}).result()
    path = make_backup(journal, tmp_path / "backups", "minute")
    found = list(read_file(path))
    assert verify(found, journal.head()) is None
    assert len(found) == 20
    assert list((tmp_path / "backups").iterdir()) == [path]
    copy = SqliteJournal(path)
    assert copy.get("device/x") == {"a": 1}
    copy.close()


@pytest.mark.parametrize(("kind", "kept"), KEPT.items())
def test_a_few_of_each_kind_are_kept(
    journal: SqliteJournal, tmp_path: Path, kind: str, kept: int
) -> None:
    """The newest few of a kind stay, the older go, and other kinds are left alone."""
    folder = tmp_path / "backups"
    other = make_backup(journal, folder, "asked")
    made = []
    for _ in range(kept + 3):
        made.append(make_backup(journal, folder, kind))
        rotate(folder, kind, kept)
    assert _files(folder, kind) == made[-kept:]
    assert other.exists()


def test_rotation_touches_nothing_else(tmp_path: Path) -> None:
    """Files of other names in the folder are nobody's to delete."""
    names = ["railbird.db", "notes.txt", "railbird-level-1.db.part", "my-railbird-level-1.db"]
    for name in (*names, *(f"railbird-level-{n}.db" for n in range(5))):
        (tmp_path / name).touch()
    rotate(tmp_path, "level", 2)
    assert all((tmp_path / name).exists() for name in names)
    assert [p.name for p in _files(tmp_path)] == ["railbird-level-3.db", "railbird-level-4.db"]


async def test_nothing_is_copied_while_nothing_happens(tmp_path: Path) -> None:
    """A journal that has not changed since its last backup is not copied again."""
    folder = tmp_path / "backups"
    async with _hub(tmp_path) as hub:
        keeper = Keeper(hub, folder, hub.levels)
        await keeper.make("minute")
        assert _files(folder) == []
        await _do(hub, "event.create", preset="star-brisbane-saturday")
        for _ in range(3):
            await keeper.make("minute")
            await keeper.make("level")
        assert len(_files(folder)) == 1
        await _do(hub, "event.create", preset="star-brisbane-saturday")
        await keeper.make("level")
        assert len(_files(folder)) == 2
        assert verify(read_file(_files(folder, "level")[0]), hub.journal.head()) is None


async def test_backups_rotate_while_a_hub_runs(tmp_path: Path) -> None:
    """However much happens, a few of each kind are kept."""
    folder = tmp_path / "backups"
    async with _hub(tmp_path) as hub:
        keeper = Keeper(hub, folder, hub.levels)
        for _ in range(KEPT["minute"] + 2):
            await _do(hub, "event.create", preset="star-brisbane-saturday")
            await keeper.make("minute")
        assert len(_files(folder, "minute")) == KEPT["minute"] == 5
        newest = newest_good(folder)
        assert newest is not None
        assert newest == (_files(folder)[-1], hub.journal.head()[0])


async def test_devices_and_staff_are_backed_up(tmp_path: Path) -> None:
    """Who was let in and who got a PIN is in the next backup, though no event has changed."""
    folder = tmp_path / "backups"
    async with _hub(tmp_path) as hub:
        keeper = Keeper(hub, folder, hub.levels)
        await _do(hub, "staff.add", name="Ann", pin="4711")
        await keeper.make("minute")
        assert len(_files(folder)) == 1


async def test_a_backup_that_fails_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk costs one backup, not all that follow, and never the hub."""
    folder = tmp_path / "backups"

    def full(*_: object) -> None:
        raise StorageError("the disk is full")

    async with _hub(tmp_path) as hub:
        keeper = Keeper(hub, folder, hub.levels)
        await _do(hub, "event.create", preset="star-brisbane-saturday")
        with monkeypatch.context() as patch:
            patch.setattr(backups, "make_backup", full)
            await keeper.make("minute")
        assert _files(folder) == []
        await keeper.make("minute")
        assert len(_files(folder)) == 1


# ── the newest whole one ─────────────────────────────────────────────────────────────────────────


def _series(journal: SqliteJournal, folder: Path, number: int = 4) -> list[Path]:
    """Make backups of different kinds, each with a line more than the one before."""
    made = []
    for n in range(number):
        journal.append([_line(100 + n)]).result()
        made.append(make_backup(journal, folder, ("minute", "level", "asked")[n % 3]))
    return made


def _edit(path: Path, change: str) -> None:
    db = sqlite3.connect(path)
    for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type='trigger'").fetchall():
        db.execute(f"DROP TRIGGER {name}")
    db.execute(change)
    db.commit()
    db.close()


def test_the_newest_is_found_whatever_its_kind(journal: SqliteJournal, tmp_path: Path) -> None:
    """Among backups of all kinds the one that was made last is the newest."""
    made = _series(journal, tmp_path / "backups")
    assert newest_good(tmp_path / "backups") == (made[-1], 24)


def test_without_backups_there_is_none(tmp_path: Path) -> None:
    """A folder that is empty or does not exist has no good backup."""
    assert newest_good(tmp_path) is None
    assert newest_good(tmp_path / "nowhere") is None


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE journal SET actor = 'Eve' WHERE seq = 5",
        "UPDATE journal SET body = x'7b7d' WHERE seq = 1",
        "UPDATE journal SET tapped = 1 WHERE seq = 7",
        "DELETE FROM journal WHERE seq = 5",
        "DELETE FROM journal WHERE seq = 1",
        "UPDATE journal SET hash = zeroblob(32) WHERE seq = 9",
        "UPDATE journal SET seq = 99 WHERE seq = 9",
        "DROP TABLE journal",
        "ALTER TABLE journal DROP COLUMN tapped",
    ],
)
def test_an_edited_backup_is_skipped(journal: SqliteJournal, tmp_path: Path, change: str) -> None:
    """A backup whose chain is broken is passed over for the one before it."""
    made = _series(journal, tmp_path / "backups")
    _edit(made[-1], change)
    assert newest_good(tmp_path / "backups") == (made[-2], 23)


@pytest.mark.parametrize("how", ["empty", "short", "noise", "folder", "half", "flipped"])
def test_a_damaged_backup_is_skipped(journal: SqliteJournal, tmp_path: Path, how: str) -> None:
    """Files that a full disk or a bad one left behind are passed over, all of them."""
    made = _series(journal, tmp_path / "backups")
    for path in made[-2:]:
        data = path.read_bytes()
        path.unlink()
        if how == "folder":
            path.mkdir()
            continue
        middle = data.find(b'"number":104' if b'"number":104' in data else b'"number":10')
        path.write_bytes(
            {
                "empty": b"",
                "short": data[:50],
                "noise": b"\xa5" * len(data),
                "half": data[: len(data) // 2],
                "flipped": data[:middle] + b"X" + data[middle + 1 :],
            }[how]
        )
    assert newest_good(tmp_path / "backups") == (made[1], 22)


def test_all_damaged_is_none(journal: SqliteJournal, tmp_path: Path) -> None:
    """Where no backup is whole, none is offered."""
    for path in _series(journal, tmp_path / "backups"):
        path.write_bytes(b"no journal")
    assert newest_good(tmp_path / "backups") is None


def test_a_file_of_another_name_spoils_nothing(journal: SqliteJournal, tmp_path: Path) -> None:
    """A copy that somebody made by hand does not keep the others from being found."""
    made = _series(journal, tmp_path / "backups")
    shutil.copy(made[0], tmp_path / "backups" / "railbird-old.db")
    assert newest_good(tmp_path / "backups") == (made[-1], 24)


def test_a_good_backup_can_be_served(journal: SqliteJournal, tmp_path: Path) -> None:
    """What is offered as whole can be opened as a hub's data, devices and all."""
    for number in range(200):
        journal.put(f"device/{number:03}", {"padding": "x" * 200}).result()
    made = _series(journal, tmp_path / "backups", 2)
    data = bytearray(made[1].read_bytes())
    at = data.find(b"device/150") & ~0xFFF  # the beginning of a page of what is kept
    data[at : at + 64] = b"\xff" * 64
    made[1].write_bytes(data)
    found = newest_good(tmp_path / "backups")
    assert found is not None
    SqliteJournal(found[0]).close()
