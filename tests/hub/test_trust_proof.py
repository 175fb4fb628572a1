"""Proof: a hub does not go on with lines that are not what was written, unless it is told to."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from server import proof, restoring
from server.backups import make_backup, set_aside
from server.config import Config, Places
from server.head_file import head_path
from server.journal import StorageError
from server.serve import served
from server.sqlite_journal import SqliteJournal
from tests.hub.test_restore import edited, line, written
from tests.served import Room

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

LINES = 400


def _config(places: Places) -> Config:
    return Config(data=str(places.folder), port=0)


def _change(path: Path, sql: str) -> None:
    """Change a journal behind its back, and leave a sound database."""
    with closing(sqlite3.connect(path)) as db:
        for name in ("update", "delete", "replace"):
            db.execute(f"DROP TRIGGER journal_is_append_only_{name}")
        db.execute(sql)
        db.commit()


CHANGES = {
    "edited": "UPDATE journal SET body = x'7b7d' WHERE seq = 390",
    "deleted": "DELETE FROM journal WHERE seq = 390",
    "the last edited": "UPDATE journal SET actor = 'eve' WHERE seq = 400",
    "moved": "UPDATE journal SET seq = 401 WHERE seq = 390",
}


@pytest.mark.parametrize("tail", [20_000, 50, 11])
@pytest.mark.parametrize("sql", CHANGES.values(), ids=CHANGES)
def test_changed_lines_at_the_end_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sql: str, tail: int
) -> None:
    """Whatever was done to the newest lines, and wherever the proof begins."""
    monkeypatch.setattr(proof, "TAIL", tail)
    places = written(tmp_path / "data")
    _change(places.journal, sql)
    with closing(SqliteJournal(places.journal)) as journal:
        with pytest.raises(StorageError, match="The journal is damaged: line"):
            proof.insist(journal, despite_damage=False)
        assert proof.insist(journal, despite_damage=True) is not None


def test_a_whole_journal_is_proved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is found where nothing is."""
    places = written(tmp_path / "data")
    for tail in (1, 50, LINES - 1, LINES, LINES + 1):
        monkeypatch.setattr(proof, "TAIL", tail)
        with closing(SqliteJournal(places.journal)) as journal:
            assert proof.insist(journal, despite_damage=False) is None


async def test_damage_stops_a_start_unless_it_is_told_to_go_on(tmp_path: Path) -> None:
    """The hub refuses; told to go on, it says so to the director from then on."""
    places = written(tmp_path / "data")
    edited(places.journal)
    with pytest.raises(StorageError, match="line 350 is not what was written"):
        async with served(_config(places)):
            pass
    async with served(_config(places), despite_damage=True) as found:
        assert "line 350" in found.warnings[0]
        room = Room(found, places.folder)
        async with room.guests:
            director = await room.dial(room.director)
            await director.follow("hub")
            while not director.docs["hub"]["storage"]:
                await director.heard_of("doc")
            assert "line 350" in director.docs["hub"]["storage"]
            await director.done("event.create", event="", preset="apl")


@pytest.fixture
async def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Room]:
    """Serve a hub whose journal is damaged long before its newest lines."""
    monkeypatch.setattr(proof, "TAIL", 20)
    monkeypatch.setattr(proof, "PAGE", 7)
    monkeypatch.setattr(proof, "PAUSE", 0)
    places = written(tmp_path / "data")
    edited(places.journal)
    async with served(_config(places)) as found:
        made = Room(found, places.folder)
        async with made.guests:
            yield made


async def test_old_damage_is_told_to_the_director_while_the_room_plays(room: Room) -> None:
    """Nobody is sent home for a line of six hours ago, and nobody is left in the dark."""
    director = await room.dial(room.director)
    await director.follow("hub")
    while not director.docs["hub"]["storage"]:
        await director.heard_of("doc")
    assert "line 350 is not what was written" in director.docs["hub"]["storage"]
    await director.done("event.create", event="", preset="apl")


def gone(path: Path) -> None:
    """Delete a journal."""
    path.unlink()


def empty(path: Path) -> None:
    """Lose all, but not the name."""
    path.write_bytes(b"")


@pytest.mark.parametrize("harm", [gone, empty])
async def test_a_lost_journal_is_not_begun_anew_beside_its_backups(
    tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    """A room's night does not vanish because a file did; without backups, it is a new hub."""
    places = written(tmp_path / "data")
    harm(places.journal)
    with pytest.raises(StorageError, match="there are backups of one"):
        async with served(_config(places)):
            pass
    assert not places.journal.exists() or not places.journal.stat().st_size
    places.backups.rename(places.folder / "elsewhere")
    with pytest.raises(StorageError, match="line 400 was acknowledged"):
        async with served(_config(places)):
            pass
    head_path(places.journal).rename(places.folder / "another head")
    async with served(_config(places)) as found:
        assert found.warnings == ()


def test_a_journal_without_lines_is_proved(tmp_path: Path) -> None:
    """A new hub has nothing to prove."""
    with closing(SqliteJournal(tmp_path / "new.db")) as journal:
        assert proof.insist(journal, despite_damage=False) is None
        journal.append([line(1)]).result()
        assert proof.insist(journal, despite_damage=False) is None


# ── the journal and its backups ──────────────────────────────────────────────────────────────────


def shorter(places: Places) -> None:
    """Lose the end and the file that names it: then only the backup knows of more."""
    _change(places.journal, "DELETE FROM journal WHERE seq > 250")
    head_path(places.journal).unlink()


def nothing(places: Places) -> None:
    """Lose everything but a file that SQLite finds nothing wrong with."""
    places.journal.unlink()
    SqliteJournal(places.journal).close()
    head_path(places.journal).unlink()


def another(places: Places) -> None:
    """Have another night in the journal's place."""
    places.journal.unlink()
    with closing(SqliteJournal(places.journal)) as journal:
        journal.append([line(1_000 + n) for n in range(LINES)]).result()


LOST = {
    shorter: "it ends at line 250, and a backup has 300 lines",
    nothing: "it ends at line 0, and a backup has 300 lines",
    another: "its line 300 is not that of ",
}


@pytest.mark.parametrize("harm", LOST)
async def test_a_journal_that_lacks_what_was_backed_up_is_refused(
    tmp_path: Path, harm: Callable[[Places], None]
) -> None:
    """What was acknowledged once and is gone stops the start; the backup stays where it is."""
    places = written(tmp_path / "data")
    (backup,) = places.backups.iterdir()
    harm(places)
    with pytest.raises(StorageError, match=LOST[harm]) as refused:
        async with served(_config(places)):
            pass
    assert "start with --despite-damage" in str(refused.value)
    assert backup.exists()
    assert LOST[harm] in str(restoring.look(places).damage)
    assert f"{backup}: 300 lines" in restoring.advice(places)


@pytest.mark.parametrize("harm", LOST)
async def test_who_goes_on_without_a_backup_keeps_it_and_is_asked_once(
    tmp_path: Path, harm: Callable[[Places], None]
) -> None:
    """It is said to the director, the backup is set aside as it was, and the next start goes on."""
    places = written(tmp_path / "data")
    (backup,) = places.backups.iterdir()
    before = backup.read_bytes()
    harm(places)
    async with served(_config(places), despite_damage=True) as found:
        assert LOST[harm] in found.warnings[0]
    (aside,) = places.backups.glob("set-aside-*/*.db")
    assert (aside.name, aside.read_bytes()) == (backup.name, before)
    async with served(_config(places)) as found:
        assert found.warnings == ()


async def test_a_spoilt_backup_is_no_evidence(tmp_path: Path) -> None:
    """A backup that is longer, but not whole, holds nobody up, and is left where it is."""
    places = written(tmp_path / "data")
    (backup,) = places.backups.iterdir()
    _change(backup, "UPDATE journal SET actor = 'eve' WHERE seq = 20")
    shorter(places)
    async with served(_config(places)) as found:
        assert found.warnings == ()
    assert backup.exists()


async def test_every_backup_is_compared_not_only_the_newest(tmp_path: Path) -> None:
    """An older copy of a longer night counts, whatever has been backed up since."""
    places = written(tmp_path / "data")
    another(places)
    with closing(SqliteJournal(places.journal)) as journal:
        make_backup(journal, places.backups)
        with pytest.raises(StorageError, match="its line 300 is not that of"):
            proof.compare(journal, places, despite_damage=False)


async def test_a_lost_journal_is_missed_also_when_its_backups_were_set_aside(
    tmp_path: Path,
) -> None:
    """Folders of backups that were set aside are backups of something."""
    places = written(tmp_path / "data")
    set_aside(places.backups, places.backups.glob("*.db"))
    gone(places.journal)
    with pytest.raises(StorageError, match="there are backups of one"):
        async with served(_config(places)):
            pass
