"""Backups of a real hub: a journal that lacks what was backed up, restores, and deaths in between.

A change of level makes a backup within a second or so: nobody waits for a minute here.
"""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from server.backups import newest_good
from server.increments import NAMES
from server.remote import Remote
from tests.faults.launcher import IN_APPEND
from tests.faults.process import ROOT, HubProcess, plain_environment, until
from tests.faults.test_storage import Stage, staged

if TYPE_CHECKING:
    from collections.abc import Iterable

SIDES = ("", "-wal", "-shm")


def _railbird(*words: str | Path) -> str:
    """Run a command that must succeed, and give what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "server.cli", *map(str, words)],
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=ROOT,
        env=plain_environment(),
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _backed_up(hub: HubProcess) -> int:
    found = newest_good(hub.data / "backups")
    return 0 if found is None else found[1]


async def _next_level(stage: Stage) -> None:
    """Change the level, and wait for the backup that follows."""
    before = _backed_up(stage.hub)
    await stage.director.done("1", "level.next")
    await until(lambda: _backed_up(stage.hub) > before, "no backup was made")


async def _said(stage: Stage, *words: str) -> None:
    for text in words:
        await stage.director.done("1", "announce", text=text)


def _announced(hub: HubProcess) -> list[str]:
    """List what was announced, as an export tells it."""
    told = _railbird("export", "--data", hub.data)
    words = ("early", "later", "last", "after")
    return [word for word in words if f'""{word}""' in told]


def _copy(journal: Path, to: Path) -> None:
    to.mkdir()
    for side in SIDES:
        if Path(f"{journal}{side}").exists():
            shutil.copyfile(f"{journal}{side}", to / f"{journal.name}{side}")


def _put_back(found: Path, journal: Path) -> None:
    for side in SIDES:
        Path(f"{journal}{side}").unlink(missing_ok=True)
        if (found / f"{journal.name}{side}").exists():
            shutil.copyfile(found / f"{journal.name}{side}", f"{journal}{side}")


async def test_an_older_journal_in_the_place_of_the_newest_is_refused(tmp_path: Path) -> None:
    """As a tool that copies files puts one back: acknowledged taps are missed, and come back."""
    async with staged(tmp_path / "hub") as stage:
        hub, journal = stage.hub, stage.hub.data / "railbird.db"
        await _said(stage, "early")
        hub.kill()
        _copy(journal, tmp_path / "older")
        hub.start()
        await until(lambda: stage.director.connected, "the director is not back")
        await _said(stage, "later")
        await _next_level(stage)
        lines = _backed_up(hub)
        hub.kill()
        _put_back(tmp_path / "older", journal)
        status, words = hub.refused()
        assert status == 2
        assert "Traceback" not in words
        assert f"{lines} lines" in words
        command = words.partition("To put it in place: railbird ")[2].split()
        _railbird(*command)
        hub.start()
        await hub.ready()
        assert _announced(hub) == ["early", "later"]
        await until(lambda: stage.director.connected, "the director is not back")
        await _said(stage, "after")
        await _next_level(stage)
        hub.kill()
        hub.start()
        await hub.ready()
        assert _announced(hub) == ["early", "later", "after"]


async def test_a_night_that_goes_back_to_an_older_backup_goes_on(tmp_path: Path) -> None:
    """Restored on purpose: the hub starts, makes new backups, dies and starts; nothing is lost."""
    async with staged(tmp_path / "hub") as stage:
        hub = stage.hub
        await _said(stage, "early")
        asked = await asyncio.to_thread(Remote(hub.data).backup)
        for text in ("later", "last"):
            await _said(stage, text)
            await _next_level(stage)
        hub.stop()
        told = _railbird("restore", "--data", hub.data, asked)
        (aside,) = (hub.data / "backups").glob("set-aside-*")
        assert str(aside) in told
        assert sorted(path.name for path in aside.iterdir()) == list(NAMES)
        hub.start()
        await hub.ready()
        assert _announced(hub) == ["early"]
        await until(lambda: stage.director.connected, "the director is not back")
        await _said(stage, "after")
        for _ in range(2):
            await _next_level(stage)
        for end in (hub.kill, hub.stop):
            end()
            hub.start()
            await hub.ready()
        assert _announced(hub) == ["early", "after"]
        hub.stop()
        _railbird("restore", "--data", hub.data, aside / NAMES[1])
        hub.start()
        await hub.ready()
        assert _announced(hub) == ["early", "later", "last"]


@pytest.mark.parametrize("place", IN_APPEND)
async def test_a_hub_that_dies_while_a_backup_is_written_leaves_a_whole_one(
    tmp_path: Path, place: str
) -> None:
    """And its successor starts, and goes on with both."""
    async with staged(tmp_path / "hub", RAILBIRD_DIE=f"{place}:1") as stage:
        hub, folder = stage.hub, stage.hub.data / "backups"
        for _ in range(2):
            await _next_level(stage)
        lines = _backed_up(hub)
        await stage.director.tap("1", "level.back")
        assert await hub.died(), "it did not die in a backup"
        assert _backed_up(hub) >= lines
        hub.start()
        await hub.ready()
        await until(lambda: stage.director.connected, "the director is not back")
        for _ in range(2):
            await _next_level(stage)
        assert _names(folder.iterdir()) == list(NAMES)
        await stage.compare()


def _names(paths: Iterable[Path]) -> list[str]:
    return sorted(path.name for path in paths)


async def test_what_a_killed_backup_left_is_gone_after_the_next_start(tmp_path: Path) -> None:
    """Half a copy of the night, which took the room of a whole one for ever."""
    async with staged(tmp_path / "hub") as stage:
        hub, folder = stage.hub, stage.hub.data / "backups"
        await _next_level(stage)
        hub.kill()
        (folder / "railbird-asked-20261118-200000-000000.db.part").write_bytes(b"half")
        (folder / "railbird-latest-1.db").chmod(0o644)
        folder.chmod(0o755)
        hub.start()
        await hub.ready()
        assert _names(folder.iterdir()) == [NAMES[0]]
        modes = [path.stat().st_mode & 0o777 for path in (folder, folder / NAMES[0])]
        assert modes == [0o700, 0o600]


async def test_a_season_that_was_archived_goes_on(tmp_path: Path) -> None:
    """An event that was put away goes into an archive; the hub starts, plays, dies and starts."""
    async with staged(tmp_path / "hub") as stage:
        hub, director = stage.hub, stage.director
        await _said(stage, "early")
        await director.done("1", "event.finish")
        await director.done("", "event.archive", event="1")
        await director.done("", "event.create", preset="faults", name="Tomorrow")
        await director.done("2", "announce", text="later")
        hub.stop()
        told = _railbird("archive", "--data", hub.data, "--days", "0")
        assert "event 1: A night of faults" in told
        assert "event 2 (Tomorrow) has not been put away" in told
        (file,) = (hub.data / "archive").iterdir()
        assert '""early""' in _railbird("export", "--file", file)
        for end in (hub.kill, hub.stop):
            hub.start()
            await hub.ready()
            await until(lambda: director.connected, "the director is not back")
            await director.done("2", "announce", text="after")
            end()
            proved = _railbird("verify", "--data", hub.data)
            assert f"those that went are in {file}, and join" in proved
        hub.start()
        await hub.ready()
        await until(lambda: director.connected, "the director is not back")
        await director.done("", "event.create", preset="faults", name="The day after")
        shown = Remote(hub.data).document("events")["doc"]["events"]
        assert [event["id"] for event in shown] == ["2", "3"]
