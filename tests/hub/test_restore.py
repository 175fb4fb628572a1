"""Restoring: a damaged journal, the newest good backup, and a hub that goes on with it."""

from __future__ import annotations

import asyncio
import itertools
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from server import restoring, swap
from server.backups import make_backup, newest_good
from server.config import Config, Places
from server.head_file import head_path
from server.increments import NAMES, Increments
from server.journal import Line, StorageError
from server.remote import Remote
from server.serve import served
from server.sqlite_journal import SqliteJournal, read_file
from tests.deaths import dies_before
from tests.served import ROOT, Process, railbird, railbird_here

if TYPE_CHECKING:
    from collections.abc import Callable

LINES, SAVED = 400, 300


def line(number: int) -> Line:
    """Make up a line."""
    return Line("1", number, None, number, "kim", "d1", f"c{number}", b'{"event":"made.up"}' * 20)


def written(folder: Path) -> Places:
    """Make a journal with a backup that is some lines old."""
    folder.mkdir(parents=True)
    places = Places(folder)
    journal = SqliteJournal(places.journal)
    journal.put("hub", "the same for ever").result()
    journal.append([line(n) for n in range(SAVED)]).result()
    make_backup(journal, places.backups, "minute")
    journal.append([line(n) for n in range(SAVED, LINES)]).result()
    journal.close()
    return places


def header(path: Path) -> None:
    """Spoil the first page."""
    with path.open("r+b") as file:
        file.write(b"\0" * 100)


def middle(path: Path) -> None:
    """Spoil pages somewhere in the file."""
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2 & ~4095)
        file.write(b"\xa5" * 16_384)


def cut(path: Path) -> None:
    """Lose the end."""
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size * 2 // 3)


def empty(path: Path) -> None:
    """Lose all, but not the name."""
    path.write_bytes(b"")


def edited(path: Path) -> None:
    """Change a line, and leave a sound database."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("DROP TRIGGER journal_is_append_only_update")
        db.execute("UPDATE journal SET actor = 'eve' WHERE seq = 350")
        db.commit()


HARMS = [header, middle, cut, empty, edited]


@pytest.mark.parametrize("harm", HARMS)
def test_a_damaged_journal_is_restored(tmp_path: Path, harm: Callable[[Path], None]) -> None:
    """The newest good backup is found, put in place, and the damaged file is kept as it was."""
    places = written(tmp_path / "data")
    harm(places.journal)
    before = places.journal.read_bytes()
    backup = next(places.backups.iterdir())
    told = restoring.advice(places)
    assert f"The newest good backup is {backup}: {SAVED} lines" in told
    assert f"railbird restore --data {places.folder} --newest" in told
    assert places.journal.read_bytes() == before
    done = railbird_here("restore", "--data", places.folder, "--newest")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"Restored {SAVED} lines from {backup}")
    aside = next(places.folder.glob("railbird-damaged-*.db"))
    assert str(aside) in done.stdout
    assert aside.read_bytes() == before
    assert restoring.look(places) == restoring.Found(SAVED, None)
    assert backup.exists()
    assert places.journal.stat().st_mode & 0o777 == 0o600


def test_what_would_be_lost_is_said(tmp_path: Path) -> None:
    """Lines that are still whole in the damaged file are counted."""
    places = written(tmp_path / "data")
    edited(places.journal)
    said = railbird_here("restore", "--data", places.folder)
    assert "cannot be used: line 350 is not what was written" in said.stdout
    assert "Lost with it: 49 newer lines" in said.stdout
    assert not list(places.folder.glob("railbird-damaged-*"))


def test_lines_in_the_write_ahead_log_count(tmp_path: Path) -> None:
    """A hub that was killed left its newest lines beside the journal: they are seen, and kept."""
    places = Places(tmp_path / "data")
    code = (
        "import os, sys; from pathlib import Path; sys.path.insert(0, '.')\n"
        "from tests.hub.test_restore import *\n"
        f"places = Places(Path({str(places.folder)!r})); places.folder.mkdir()\n"
        "journal = SqliteJournal(places.journal)\n"
        "journal.append([line(n) for n in range(300)]).result()\n"
        "make_backup(journal, places.backups)\n"
        "journal.append([line(n) for n in range(300, 320)]).result()\n"
        "os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
    wal = Path(f"{places.journal}-wal")
    before = wal.read_bytes()
    assert restoring.look(places) == restoring.Found(320, None)
    assert wal.read_bytes() == before
    header(places.journal)
    backup = next(places.backups.iterdir())
    done = restoring.restore(places, backup)
    assert done.aside is not None
    assert Path(f"{done.aside}-wal").read_bytes() == before
    assert not wal.exists()
    assert restoring.look(places) == restoring.Found(300, None)


def test_a_whole_journal_is_left_alone(tmp_path: Path) -> None:
    """There is nothing to restore; going back on purpose takes a name, and loses nothing."""
    places = written(tmp_path / "data")
    assert restoring.advice(places) == ""
    said = railbird_here("restore", "--data", places.folder)
    assert said.stdout == f"The journal is whole: {LINES} lines. There is nothing to restore.\n"
    newest = railbird_here("restore", "--data", places.folder, "--newest")
    assert newest.returncode == 2
    assert "is whole, and nothing was changed" in newest.stderr
    backup = next(places.backups.iterdir())
    assert railbird_here("restore", "--data", places.folder, backup).returncode == 0
    assert restoring.look(places).lines == SAVED
    aside = next(places.folder.glob("railbird-damaged-*.db"))
    assert len(list(read_file(aside))) == LINES


def test_a_journal_that_lost_its_end_is_restored(tmp_path: Path) -> None:
    """A chain that is whole but shorter than its backup is not all that was written."""
    places = written(tmp_path / "data")
    with closing(sqlite3.connect(places.journal)) as db:
        db.execute("DROP TRIGGER journal_is_append_only_delete")
        db.execute("DELETE FROM journal WHERE seq > 250")
        db.commit()
    said = railbird_here("restore", "--data", places.folder)
    assert f"line {LINES} was acknowledged, and the journal {places.journal} ends at" in said.stdout
    head_path(places.journal).unlink()  # as an older version left it
    said = railbird_here("restore", "--data", places.folder)
    assert f"it ends at line 250, and a backup has {SAVED} lines" in said.stdout
    assert "It has everything that can still be read" in said.stdout
    assert railbird_here("restore", "--data", places.folder, "--newest").returncode == 0
    assert restoring.look(places) == restoring.Found(SAVED, None)


def test_an_older_backup_is_taken_when_the_newest_is_bad(tmp_path: Path) -> None:
    """What is bad is passed over, and refused when it is named."""
    places = written(tmp_path / "data")
    good = next(places.backups.iterdir())
    stamp = f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}"
    bad = places.backups / f"railbird-level-{stamp}.db"
    bad.write_bytes(good.read_bytes())
    edited_backup(bad)
    middle(places.journal)
    before = places.journal.read_bytes()
    assert restoring.newest(places) == good
    refused = railbird_here("restore", "--data", places.folder, bad)
    assert refused.returncode == 2
    assert "this backup is not good: line 200 is not what was written" in refused.stderr
    assert places.journal.read_bytes() == before
    left = sorted(path.name for path in places.folder.iterdir())
    assert left == ["backups", "railbird.db", "railbird.head"]


def edited_backup(path: Path) -> None:
    """Change a line of a backup."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("DROP TRIGGER journal_is_append_only_update")
        db.execute("UPDATE journal SET actor = 'eve' WHERE seq = 200")
        db.commit()


@pytest.mark.parametrize("what", ["missing", "folder", "text", "journal", "both"])
def test_what_is_no_backup_is_refused(tmp_path: Path, what: str) -> None:
    """Nothing is touched for a file that cannot help."""
    places = written(tmp_path / "data")
    header(places.journal)
    (tmp_path / "text").write_text("hello")
    words = {
        "missing": ([tmp_path / "nothing.db"], "there is no such file"),
        "folder": ([tmp_path], "there is no such file"),
        "text": ([tmp_path / "text"], "this backup is not good"),
        "journal": ([places.journal], "is the journal itself"),
        "both": ([tmp_path / "text", "--newest"], "instead of naming a backup"),
    }
    given, told = words[what]
    before = places.journal.read_bytes()
    said = railbird_here("restore", "--data", places.folder, *given)
    assert said.returncode == 2
    assert told in said.stderr
    assert places.journal.read_bytes() == before


def test_without_a_good_backup_everything_is_kept(tmp_path: Path) -> None:
    """It is said that there is none, and how much of the journal is whole."""
    places = written(tmp_path / "data")
    next(places.backups.iterdir()).unlink()
    edited(places.journal)
    told = restoring.advice(places)
    assert "There is no good backup" in told
    assert "349 lines are whole" in told
    with pytest.raises(StorageError, match="no good backup"):
        restoring.newest(places)


def test_a_journal_that_is_gone_comes_back(tmp_path: Path) -> None:
    """Also where there is nothing to move aside; what lay beside it does not spoil the new one."""
    places = written(tmp_path / "data")
    places.journal.unlink()
    Path(f"{places.journal}-wal").write_bytes(b"left behind")
    done = railbird_here("restore", "--data", places.folder, "--newest")
    assert done.returncode == 0, done.stderr
    assert restoring.look(places) == restoring.Found(SAVED, None)
    (kept,) = places.folder.glob("*-wal")
    assert kept.read_bytes() == b"left behind"
    assert "damaged" in kept.name


def test_a_restored_hub_has_a_new_identity(tmp_path: Path) -> None:
    """Lines get numbers that screens have seen before: they must not be taken for old news."""
    places = written(tmp_path / "data")
    header(places.journal)
    restoring.restore(places, restoring.newest(places))
    journal = SqliteJournal(places.journal)
    try:
        assert journal.get("hub") is None
        assert journal.head()[0] == SAVED
    finally:
        journal.close()


# ── backups that know more than the one that is restored ─────────────────────────────────────────


def _starts(places: Places) -> int:
    """Start a hub in this process, and stop it; give how far its journal goes then."""

    async def start() -> int:
        async with served(Config(data=str(places.folder), port=0)) as found:
            assert found.warnings == ()
            return found.hub.last_line

    return asyncio.run(start())


def night(folder: Path) -> Places:
    """Make a journal with an older backup that was asked for, and two that are kept up."""
    places = written(folder)
    (asked,) = places.backups.iterdir()
    asked.rename(asked.with_name("railbird-asked-20261118-200000-000000.db"))
    with closing(SqliteJournal(places.journal)) as journal:
        for number in range(2):
            Increments(journal, places.backups).make()
            journal.append([line(LINES + number)]).result()
    places.head.write_text("what the hub knew of its newest line")
    return places


def test_going_back_on_purpose_is_no_dead_end(tmp_path: Path) -> None:
    """Backups with more lines are set aside, so that the next start is not refused for them."""
    places = night(tmp_path / "data")
    asked = places.backups / "railbird-asked-20261118-200000-000000.db"
    latest = [(places.backups / name).read_bytes() for name in NAMES]
    said = railbird_here("restore", "--data", places.folder, asked)
    assert said.returncode == 0, said.stderr
    (aside,) = places.backups.glob("set-aside-*")
    assert f"Backups with more lines, or others, are now in {aside}" in said.stdout
    assert [(aside / name).read_bytes() for name in NAMES] == latest
    assert asked.exists()
    assert not places.head.exists()
    (head,) = places.folder.glob("railbird-damaged-*.head")
    assert head.read_text() == "what the hub knew of its newest line"
    assert _starts(places) > SAVED
    with closing(SqliteJournal(places.journal)) as journal:
        for _ in range(3):
            assert Increments(journal, places.backups).make() is None
        assert newest_good(places.backups) is not None
    assert len(list(places.backups.glob("set-aside-*"))) == 1
    _starts(places)
    # And back again: what was set aside can be named.
    assert railbird_here("restore", "--data", places.folder, aside / NAMES[1]).returncode == 0
    assert restoring.look(places) == restoring.Found(401, None)
    _starts(places)


def test_a_restore_that_dies_anywhere_leaves_a_journal_and_a_way_on(tmp_path: Path) -> None:
    """Before it is decided the old journal stands; from then on whoever comes next finishes it."""
    for number in itertools.count(1):
        places = night(tmp_path / f"data{number}")
        asked = places.backups / "railbird-asked-20261118-200000-000000.db"
        wal = Path(f"{places.journal}-wal")
        wal.write_bytes(b"of the old journal")
        if not dies_before(number, partial(restoring.restore, places, asked)):
            break
        assert places.journal.exists()
        decided = bool(swap.decided(places.journal))
        assert decided or wal.exists() or places.journal.read_bytes() != asked.read_bytes()
        restored = decided or not wal.exists()
        if restored:
            restoring.finish_decided(places)
            assert restoring.look(places).lines == SAVED
            assert not wal.exists()
            assert any(
                b"of the old journal" in path.read_bytes()
                for path in places.folder.glob("railbird-damaged-*-wal")
            )
        if not restored or restoring.look(places).damage is not None:
            restoring.restore(places, asked)
        assert _starts(places) > SAVED
        assert not list(places.folder.glob("*.restoring*"))
        assert not swap.decided(places.journal)
        old = places.folder.glob("railbird-damaged-*.db")
        assert max(len(list(read_file(path))) for path in old) == LINES + 2
        assert any(places.backups.glob(f"set-aside-*/{NAMES[0]}"))
    assert number > 10, "hardly anything was tried"


def test_what_a_killed_restore_left_is_removed_at_a_start(tmp_path: Path) -> None:
    """Half copies beside the journal, and the copy that was looked at."""
    places = night(tmp_path / "data")
    places.head.unlink()
    left = [places.folder / f"railbird.db.restoring{side}" for side in ("", "-journal", "-wal")]
    for path in left:
        path.touch()
    looked = places.folder / "railbird.looking-x"
    looked.mkdir()
    (looked / "railbird.db").touch()
    _starts(places)
    assert not any(path.exists() for path in (*left, looked))


def test_no_restore_under_a_running_hub(tmp_path: Path) -> None:
    """Not even when its file is spoilt, or gone; the hub goes on undisturbed."""
    hub = Process(tmp_path / "data")
    places = Places(hub.data)
    try:
        Remote(hub.data).do("event.create", "", {"preset": "selkirk-main"})
        backup = Remote(hub.data).backup()
        for words in ([], ["--newest"], [backup]):
            said = railbird_here("restore", "--data", hub.data, *words)
            assert said.returncode == 2
            assert "a hub is using this data: stop it first" in said.stderr
        assert restoring.advice(places) == ""
        second = railbird("serve", "--data", hub.data, "--port", "0")
        assert second.returncode == 2
        assert "another hub is using this data" in second.stderr
        assert "railbird restore" not in second.stderr
        places.journal.rename(tmp_path / "moved.db")
        said = railbird_here("restore", "--data", hub.data, backup)
        assert "a hub is using this data" in said.stderr
        (tmp_path / "moved.db").rename(places.journal)
        Remote(hub.data).do("clock.start", "1", {})
    finally:
        hub.stop()


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the data of a hub in which an event was begun, with a backup."""
    hub = Process(tmp_path_factory.mktemp("played") / "data")
    try:
        remote = Remote(hub.data)
        remote.do("event.create", "", {"preset": "star-brisbane-saturday", "name": "Saturday"})
        for seat in range(1, 10):
            for table in range(1, 3):
                args = {"player": f"{table}-{seat}", "table": table, "seat": seat}
                remote.do("seat.put", "1", args)
        remote.backup()
    finally:
        hub.stop()
    return hub.data


@pytest.mark.parametrize("harm", [header, middle, cut])
def test_a_hub_that_cannot_start_says_how_to_go_on(
    tmp_path: Path, played: Path, harm: Callable[[Path], None]
) -> None:
    """Damage is told with the backup and the command; after the command the room is back."""
    data = shutil.copytree(played, tmp_path / "data")
    harm(Places(data).journal)
    failed = railbird("serve", "--data", data, "--port", "0")
    assert failed.returncode == 2
    assert "Traceback" not in failed.stderr
    assert "The newest good backup is" in failed.stderr
    command = failed.stderr.partition("To put it in place: railbird ")[2].split()
    assert railbird(*command).returncode == 0
    again = Process(data)
    try:
        (event,) = Remote(data).document("events")["doc"]["events"]
        assert (event["name"], event["entries"]) == ("Saturday", 18)
    finally:
        assert again.stop() == 0
