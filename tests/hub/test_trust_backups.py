"""Backups that make themselves: two kept up in turn, none for nothing, the newest one found."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import subprocess
import sys
import threading
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from server import increments, restoring
from server.access import Badge
from server.backups import PAGE, last_line, make_backup, newest_good, tidy, whole
from server.config import Places
from server.hub import Hub
from server.increments import NAMES, Increments, Keeper, StoppedError
from server.journal import Line, StorageError, verify
from server.orders import Order
from server.protocol.messages import Done
from server.sqlite_journal import SqliteJournal, read_file
from tests.served import ROOT

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
async def _hub(tmp_path: Path) -> AsyncIterator[tuple[Hub, Keeper]]:
    journal = SqliteJournal(tmp_path / "hub.db")
    hub = Hub(journal)
    hub.start()
    keeper = Keeper(hub, journal, tmp_path / "backups", hub.levels)
    try:
        yield hub, keeper
    finally:
        await hub.stop()
        keeper.close()
        journal.close()


async def _do(hub: Hub, do: str, **args: object) -> None:
    """Order something of the hub, and wait until it is done."""
    answer: asyncio.Future[object] = asyncio.get_running_loop().create_future()
    now, badge = hub.time.now(), Badge("director", "Dora")
    hub.order(Order(f"c{now}{do}", "", do, args, badge, "d1", now, now), answer.set_result)
    assert isinstance(await answer, Done)


def _files(folder: Path, kind: str = "*") -> list[Path]:
    return sorted(folder.glob(f"railbird-{kind}-*.db"))


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


# ── two files, in turn ───────────────────────────────────────────────────────────────────────────


def _more(journal: SqliteJournal, lines: int = 1, size: int = 0) -> None:
    """Write some lines more."""
    first = journal.head()[0]
    made = [_line(first + n) for n in range(lines)]
    if size:
        made = [replace(line, body=b'{"event":"%s"}' % (b"x" * size)) for line in made]
    journal.append(made).result()


def _latest(folder: Path) -> list[Path]:
    return [folder / name for name in NAMES]


def _heads(folder: Path) -> list[int]:
    """Give how far both files go; each must be whole."""
    found = [whole(path) for path in _latest(folder) if path.exists()]
    assert None not in found
    return [lines for lines in found if lines is not None]


def _kept(path: Path) -> dict[str, bytes]:
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as db:
        return dict(db.execute("SELECT key, value FROM kept").fetchall())


def test_two_files_take_turns(journal: SqliteJournal, tmp_path: Path) -> None:
    """The older one is brought up to date: both are whole, and one is never touched meanwhile."""
    folder = tmp_path / "backups"
    made = Increments(journal, folder)
    for turn in range(6):
        before = [path.read_bytes() if path.exists() else b"" for path in _latest(folder)]
        _more(journal)
        assert made.make() is None
        after = [path.read_bytes() if path.exists() else b"" for path in _latest(folder)]
        assert (after[turn % 2] != before[turn % 2], after[1 - turn % 2]) == (
            True,
            before[1 - turn % 2],
        )
        assert max(_heads(folder)) == 21 + turn
    assert sorted(_heads(folder)) == [25, 26]
    for path in _latest(folder):
        with closing(SqliteJournal(path)) as copy:
            assert verify(copy.read(), copy.head()) is None
            assert copy.hash_at(25) == journal.hash_at(25)


def test_a_minute_costs_what_a_minute_wrote(
    journal: SqliteJournal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the first copy of each file only lines that it lacks are read and written."""
    copies: list[str] = []
    read: list[int] = []
    copy, page = journal.backup, journal.page

    def backup(path: str) -> None:
        copies.append(path)
        copy(path)

    def paged(after: int, lines: int) -> Any:
        found = page(after, lines)
        read.extend(stored.seq for stored in found[0])
        return found

    monkeypatch.setattr(journal, "backup", backup)
    monkeypatch.setattr(journal, "page", paged)
    made = Increments(journal, tmp_path / "backups")
    for _ in range(5):
        _more(journal)
        made.make()
    assert copies == [str(path) for path in _latest(tmp_path / "backups")]
    assert read == [22, 23, 23, 24, 24, 25]


def test_many_lines_are_read_a_page_at_a_time(journal: SqliteJournal, tmp_path: Path) -> None:
    """Also a file that lacks more lines than are read at once gets all of them."""
    made = Increments(journal, tmp_path)
    made.make()
    _more(journal, 3 * PAGE + 7)
    made.make()
    _more(journal, PAGE)
    made.make()
    assert sorted(_heads(tmp_path)) == [27 + 3 * PAGE, 27 + 4 * PAGE]


def test_what_is_kept_beside_the_lines_is_kept_up(journal: SqliteJournal, tmp_path: Path) -> None:
    """Values that changed, came or went, and snapshots, which are known by their keys."""
    begun: list[tuple[str, Any]] = [("a", 1), ("b", 2), ("snapshot/1/000000000003", {"state": 3})]
    for key, value in begun:
        journal.put(key, value).result()
    made = Increments(journal, tmp_path)
    for _ in range(2):
        _more(journal)
        made.make()
    changes: list[tuple[str, Any]] = [
        ("a", "changed"),
        ("b", None),
        ("c", [1]),
        ("snapshot/1/000000000003", None),
        ("snapshot/1/000000000009", {"state": 9}),
    ]
    for key, value in changes:
        journal.put(key, value).result()
    for _ in range(2):
        _more(journal)
        made.make()
    for path in _latest(tmp_path):
        assert _kept(path) == {
            "a": b'"changed"',
            "c": b"[1]",
            "snapshot/1/000000000009": b'{"state":9}',
        }


async def test_nothing_is_copied_while_nothing_happens(tmp_path: Path) -> None:
    """A journal that has not changed since its last backup is not copied again."""
    folder = tmp_path / "backups"
    async with _hub(tmp_path) as (hub, keeper):
        await keeper.make()
        assert _files(folder) == []
        await _do(hub, "event.create", preset="star-brisbane-saturday")
        for _ in range(3):
            await keeper.make()
        assert len(_files(folder)) == 1
        await _do(hub, "event.create", preset="star-brisbane-saturday")
        await keeper.make()
        assert len(_files(folder)) == 2
        assert newest_good(folder) == (_latest(folder)[1], hub.last_line)


async def test_backups_are_made_in_a_thread_of_their_own(tmp_path: Path) -> None:
    """Not in the loop, and in none that requests use."""
    names: set[str] = set()
    async with _hub(tmp_path) as (hub, keeper):
        journal = hub.journal
        assert isinstance(journal, SqliteJournal)
        page = journal.page

        def paged(after: int, lines: int) -> Any:
            names.add(threading.current_thread().name)
            return page(after, lines)

        journal.page = paged  # type: ignore[method-assign]
        for _ in range(3):
            await _do(hub, "event.create", preset="star-brisbane-saturday")
            await keeper.make()
    assert names == {"backups_0"}


def test_a_stop_does_not_wait_for_a_long_proof(
    journal: SqliteJournal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was begun is taken back, and the file is what it was."""
    _more(journal, 2 * PAGE)
    Increments(journal, tmp_path).make()
    Increments(journal, tmp_path).make()
    before = [path.read_bytes() for path in _latest(tmp_path)]
    _more(journal)
    monkeypatch.setattr(increments, "PAUSE", 3_600)
    made = Increments(journal, tmp_path)
    made.stop()
    with pytest.raises(StoppedError):
        made.make()
    assert [path.read_bytes() for path in _latest(tmp_path)] == before


# ── what is of another night is set aside ────────────────────────────────────────────────────────


def _aside(folder: Path) -> list[Path]:
    return sorted(folder.glob("set-aside-*/*.db"))


def _night(path: Path, lines: int, first: int = 0) -> SqliteJournal:
    journal = SqliteJournal(path)
    journal.append([_line(first + n) for n in range(lines)]).result()
    return journal


@pytest.mark.parametrize(("lines", "first"), [(30, 0), (30, 500), (20, 500), (5, 500)], ids=str)
def test_a_backup_of_another_or_longer_night_is_never_written_to(
    tmp_path: Path, lines: int, first: int
) -> None:
    """It is moved with its name into a folder of its own, as it was, and two new ones are begun."""
    folder = tmp_path / "backups"
    with closing(_night(tmp_path / "a.db", lines, first)) as night:
        for _ in range(2):
            Increments(night, folder).make()
    before = [path.read_bytes() for path in _latest(folder)]
    with closing(_night(tmp_path / "b.db", 20)) as journal:
        for _ in range(8):
            _more(journal)
            Increments(journal, folder).make()
        assert sorted(_heads(folder)) == [27, 28]
    assert [path.read_bytes() for path in _aside(folder)] == before
    assert [path.name for path in _aside(folder)] == list(NAMES)


def test_a_spoilt_backup_of_this_night_is_made_anew(journal: SqliteJournal, tmp_path: Path) -> None:
    """A file that the disk spoilt is found before anything is appended to it."""
    for _ in range(2):
        _more(journal)
        Increments(journal, tmp_path).make()
    for path in _latest(tmp_path):
        _edit(path, "UPDATE journal SET actor = 'Eve' WHERE seq = 5")
    for _ in range(2):
        _more(journal)
        Increments(journal, tmp_path).make()
    assert sorted(_heads(tmp_path)) == [23, 24]


def test_damage_is_not_carried_into_the_last_good_backup(tmp_path: Path) -> None:
    """Lines that are not what was written are told, and the good files are left as they are."""
    path, folder = tmp_path / "railbird.db", tmp_path / "backups"
    with closing(_night(path, 20)) as journal:
        for _ in range(2):
            Increments(journal, folder).make()
        _more(journal, 10)
    before = [found.read_bytes() for found in _latest(folder)]
    _edit(path, "UPDATE journal SET actor = 'Eve' WHERE seq = 25")
    told = []
    with closing(SqliteJournal(path)) as journal:
        for _ in range(6):
            _more(journal)
            told.append(Increments(journal, folder).make())
    assert told[:2] == ["The journal is damaged: line 25 is not as written"] * 2
    assert [found.read_bytes() for found in _aside(folder)] == before
    lasts = [last_line(found) for found in _latest(folder)]
    assert sorted(last.seq for last in lasts if last is not None) == [35, 36]


async def test_damage_that_a_backup_finds_is_told_to_the_director(tmp_path: Path) -> None:
    """It is on the hub's page from then on."""
    async with _hub(tmp_path) as (hub, keeper):
        for _ in range(3):
            await _do(hub, "event.create", preset="apl")
            await keeper.make()
        journal = hub.journal
        assert isinstance(journal, SqliteJournal)
        page = journal.page

        def edited(after: int, lines: int) -> Any:
            found, kept = page(after, lines)
            return [replace(each, line=replace(each.line, actor="Eve")) for each in found], kept

        journal.page = edited  # type: ignore[method-assign]
        await _do(hub, "event.create", preset="apl")
        await keeper.make()
        assert "is not as written" in hub.document("hub")[1]["storage"]


# ── after a death ────────────────────────────────────────────────────────────────────────────────

DIES_WHILE_APPENDING = """
import os, sys
from pathlib import Path
sys.path.insert(0, ".")
from server.increments import Increments
from tests.hub.test_trust_backups import _more, _night
folder = Path(sys.argv[1])
journal = _night(folder / "railbird.db", 20)
made = Increments(journal, folder / "backups")
for _ in range(3):
    _more(journal, 500, 2_000)
    made.make()
_more(journal, 3_000, 2_000)  # more than SQLite holds in memory
made._replace_kept = lambda *_: os._exit(9)
made.make()
"""


def test_a_death_while_appending_leaves_a_whole_copy(tmp_path: Path) -> None:
    """The other file is closed and whole; the one that was written is what it was before."""
    died = subprocess.run(
        [sys.executable, "-c", DIES_WHILE_APPENDING, tmp_path], check=False, cwd=ROOT
    )
    assert died.returncode == 9
    folder = tmp_path / "backups"
    begun = folder / f"{NAMES[1]}-journal"
    assert begun.stat().st_size
    assert whole(_latest(folder)[0]) == 1_520
    tidy(folder)
    assert not begun.exists()
    assert _heads(folder) == [1_520, 1_020]
    with closing(SqliteJournal(tmp_path / "railbird.db")) as journal:
        Increments(journal, folder).make()
    assert _heads(folder) == [1_520, 4_520]


def test_a_file_with_something_half_appended_can_be_restored(tmp_path: Path) -> None:
    """Also where somebody carried it away with what lay beside it."""
    subprocess.run([sys.executable, "-c", DIES_WHILE_APPENDING, tmp_path], check=False, cwd=ROOT)
    shutil.move(tmp_path / "backups", tmp_path / "elsewhere")
    done = restoring.restore(Places(tmp_path), tmp_path / "elsewhere" / NAMES[1])
    assert done.lines == 1_020
    assert restoring.look(Places(tmp_path)) == restoring.Found(1_020, None)


def test_what_killed_backups_left_is_removed(journal: SqliteJournal, tmp_path: Path) -> None:
    """Half copies go; whole ones, and what is not ours, stay."""
    folder = tmp_path / "backups"
    made = make_backup(journal, folder)
    for name in ("railbird-asked-1.db.part", "railbird-latest-1.db.part-journal", "notes.part"):
        (folder / name).touch()
    tidy(folder)
    assert sorted(path.name for path in folder.iterdir()) == sorted([made.name, "notes.part"])
    tidy(tmp_path / "nowhere")


def _mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_backups_are_for_nobody_else_to_read(journal: SqliteJournal, tmp_path: Path) -> None:
    """The folder, the files, and those that an earlier version left open."""
    folder = tmp_path / "backups"
    made = [make_backup(journal, folder)]
    Increments(journal, folder).make()
    made.append(_latest(folder)[0])
    assert [_mode(path) for path in (folder, *made)] == [0o700, 0o600, 0o600]
    for path in made:
        path.chmod(0o644)
    folder.chmod(0o755)
    tidy(folder)
    assert [_mode(path) for path in (folder, *made)] == [0o700, 0o600, 0o600]


# ── whole copies of earlier versions ─────────────────────────────────────────────────────────────


def test_copies_of_earlier_versions_go_when_two_good_backups_contain_them(
    journal: SqliteJournal, tmp_path: Path
) -> None:
    """Not before; and never those of another or a longer night, and none that was asked for."""
    earlier = [make_backup(journal, tmp_path, kind) for kind in ("minute", "level", "asked")]
    with closing(_night(tmp_path / "other.db", 9, 700)) as other:
        foreign = make_backup(other, tmp_path, "minute")
    with closing(_night(tmp_path / "longer.db", 900)) as longer:
        foreign_too = make_backup(longer, tmp_path, "level")
    odd = tmp_path / "railbird-level-1.db"
    odd.write_bytes(b"not a journal")
    made = Increments(journal, tmp_path)
    for _ in range(3):
        _more(journal)
        made.make()
        assert all(path.exists() for path in earlier)
    _more(journal)
    made.make()
    assert [path.exists() for path in earlier] == [False, False, True]
    assert foreign.exists()
    assert foreign_too.exists()
    assert odd.exists()


async def test_devices_and_staff_are_backed_up(tmp_path: Path) -> None:
    """Who was let in and who got a PIN is in the next backup, though no event has changed."""
    folder = tmp_path / "backups"
    async with _hub(tmp_path) as (hub, keeper):
        await _do(hub, "staff.add", name="Ann", pin="4711")
        await keeper.make()
        assert len(_files(folder)) == 1


async def test_a_backup_that_fails_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk costs one backup, not all that follow, and never the hub."""
    folder = tmp_path / "backups"

    def full(*_: object) -> None:
        raise StorageError("the disk is full")

    async with _hub(tmp_path) as (hub, keeper):
        await _do(hub, "event.create", preset="star-brisbane-saturday")
        with monkeypatch.context() as patch:
            patch.setattr(SqliteJournal, "backup", full)
            await keeper.make()
        assert _files(folder) == []
        await keeper.make()
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
