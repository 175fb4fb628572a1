"""Archives: what is long over leaves the journal, both files prove one chain, nothing is lost."""

from __future__ import annotations

import asyncio
import itertools
import json
import shutil
import sqlite3
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from server import archive, proof, restoring, sheets
from server.backups import last_line, make_backup, newest_good, whole
from server.config import Places
from server.increments import NAMES, Increments
from server.journal import StorageError
from server.registry import HUB
from server.remote import Remote
from server.sqlite_journal import SqliteJournal, begin_of, read_file
from tests.deaths import dies_before
from tests.served import Process, railbird_here, serving

if TYPE_CHECKING:
    from pathlib import Path

    from server.journal import Stored
    from tests.served import Room, Wire

LATER = 1 << 50
"""An instant before which everything was."""


_IDS = itertools.count()


async def _done(director: Wire, do: str, /, **args: Any) -> None:
    """Command something under an id that no other hub on these data has seen."""
    await director.done(do, id_=f"archive-{next(_IDS)}", **args)


async def _event(room: Room, id_: str) -> None:
    """Play an event a little, with a structure of its own."""
    director = await room.dial(room.director)
    await _done(director, "event.create", event="", preset="selkirk-main", name=f"Night {id_}")
    for seat in (1, 2):
        await _done(director, "seat.put", event=id_, player=f"p{seat}", table=1, seat=seat)
    steps = sheets.plain(room.hub.desks[id_].shown.room.structure)["steps"]
    await _done(director, "structure.set", event=id_, steps=steps[:-1])


async def _do(room: Room, do: str, **args: Any) -> None:
    """Order something of the hub itself."""
    director = await room.dial(room.director)
    command = f"own-{do}-{args}"[:60]
    await director.say("do", id=command, event="", do=do, args=args)
    answer = await director.until(lambda found: found.get("id") == command)
    assert answer["type"] == "done", answer


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the data of a hub with two events that were put away, and one that was not."""
    data = tmp_path_factory.mktemp("season") / "data"

    async def play() -> None:
        async with serving(data) as room:
            for id_ in ("1", "2", "3"):
                await _event(room, id_)
                if id_ != "3":
                    await _do(room, "event.archive", event=id_)

    asyncio.run(play())
    return data


@pytest.fixture
def places(tmp_path: Path, season: Path) -> Places:
    """Give a copy of it."""
    return Places(shutil.copytree(season, tmp_path / "data"))


def _lines(path: Path) -> list[Stored]:
    return list(read_file(path))


def _created(places: Places, id_: str) -> int:
    """Find the line that created an event."""
    for stored in _lines(places.journal):
        record = json.loads(stored.line.body)
        if stored.line.event == HUB and (record["event"], record.get("id")) == (
            "event.created",
            id_,
        ):
            return stored.seq
    raise AssertionError(id_)


def _at_rest(places: Places) -> None:
    """Have all lines in the file itself."""
    SqliteJournal(places.journal).close()


def test_what_is_over_goes_and_both_files_prove_one_chain(places: Places) -> None:
    """The archive ends before the event that goes on, and the journal begins with it."""
    _at_rest(places)
    before, cut = _lines(places.journal), _created(places, "3")
    said = railbird_here("archive", "--data", places.folder, "--days", "0")
    assert said.returncode == 0, said.stderr
    (file,) = places.archive.iterdir()
    assert file.name == f"railbird-000000001-{cut - 1:09d}.db"
    assert said.stdout.splitlines() == [
        f"Lines 1 to {cut - 1} went to {file}",
        "  event 1: Night 1",
        "  event 2: Night 2",
        "No more of them: event 3 (Night 3) has not been put away.",
        f"To read it: railbird export --file {file}",
    ]
    assert _lines(file) + _lines(places.journal) == before
    assert begin_of(places.journal) == (cut - 1, before[cut - 2].hash)
    assert (whole(file), whole(places.journal)) == (cut - 1, len(before))
    assert [path.stat().st_mode & 0o777 for path in (places.archive, file, places.journal)] == [
        0o700,
        0o600,
        0o600,
    ]
    assert not [*places.folder.glob("railbird-*"), *places.folder.glob("railbird.db.*")]
    verified = railbird_here("verify", "--data", places.folder)
    assert verified.stdout.splitlines() == [
        f"{len(before)} lines, all as they were written",
        f"those that went are in {file}, and join",
        f"head {len(before)}:{before[-1].hash.hex()}",
    ]
    for number in (3, cut - 1, cut, len(before)):
        head = f"{number}:{before[number - 1].hash.hex()}"
        done = railbird_here("verify", "--data", places.folder, "--head", head)
        assert done.returncode == 0, done.stderr
    assert restoring.look(places) == restoring.Found(len(before), None)


def test_an_archive_is_a_journal_that_can_be_read(places: Places) -> None:
    """To prove it, to export it, and to play a night of it again on paper."""
    found = archive.archive(places, LATER)
    file = places.archive / found.file
    assert railbird_here("verify", "--file", file).stdout.startswith(f"{found.end} lines, all as")
    exported = railbird_here("export", "--file", file, "--event", "1", "--format", "jsonl")
    assert any('"player": "p2"' in line for line in exported.stdout.splitlines())
    script = railbird_here("replay", "--file", file, "--event", "1")
    assert [json.loads(line).get("do") for line in script.stdout.splitlines()][-4:-1] == [
        "seat.put",
        "seat.put",
        "structure.set",
    ]
    missing = railbird_here("replay", "--data", places.folder, "--event", "1")
    assert f"the journal has no event '1'; look in {places.archive}" in missing.stderr
    left = railbird_here("verify", "--file", places.journal).stdout.splitlines()
    assert left[1] == f"lines 1 to {found.end} are in an archive that is not here"


async def test_the_hub_goes_on_as_if_nothing_had_gone(places: Places) -> None:
    """Numbers are not given twice, and what was played can be played again with its structure."""
    async with serving(places.folder) as room:
        before = room.hub.document("presets")[1]["past"]
        table = room.hub.document("t/3/table/1")[1]["seats"]
    archive.archive(places, LATER)
    async with serving(places.folder) as room:
        assert room.served.warnings == ()
        assert room.hub.document("presets")[1]["past"] == before
        assert room.hub.document("t/3/table/1")[1]["seats"] == table
        assert list(room.hub.desks) == ["3"]
        await _do(room, "event.create", like="1")
        assert list(room.hub.desks) == ["3", "4"]
        shorter = sheets.plain(room.hub.desks["4"].shown.room.structure)["steps"]
        await _do(room, "event.create", preset="selkirk-main")
        whole_ = sheets.plain(room.hub.desks["5"].shown.room.structure)["steps"]
        assert shorter == whole_[:-1]
    assert railbird_here("verify", "--data", places.folder).returncode == 0


async def test_archives_follow_one_another(places: Places) -> None:
    """A second one begins where the first ended, and all of them prove one chain."""
    first = archive.archive(places, LATER)
    async with serving(places.folder) as room:
        await _do(room, "event.archive", event="3")
        await _event(room, "4")
    second = archive.archive(places, LATER)
    assert (second.begin, second.events) == (first.end, {"3": "Night 3"})
    assert begin_of(places.archive / second.file)[0] == first.end
    told = railbird_here("verify", "--data", places.folder).stdout.splitlines()
    assert told[1:3] == [
        f"those that went are in {places.archive / found.file}, and join"
        for found in (first, second)
    ]
    async with serving(places.folder) as room:
        for like in ("1", "3"):
            await _do(room, "event.create", like=like)
        assert list(room.hub.desks) == ["4", "5", "6"]
        past = {found["event"]: found["archived"] for found in _past(room)}
        assert past == {"1": True, "2": True, "3": True, "4": False, "5": False, "6": False}


def _past(room: Room) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = room.hub.document("presets")[1]["past"]
    return found


def test_gaps_are_not_numbered_anew(places: Places) -> None:
    """What the hub knows of time that it missed is carried over, too."""
    with closing(SqliteJournal(places.journal)) as journal:
        carried = archive._carried(journal, archive.plan(journal, LATER))  # noqa: SLF001
    assert [(record["event"], record["id"]) for record in carried["records"]] == [
        ("event.created", "1"),
        ("event.archived", "1"),
        ("event.created", "2"),
        ("event.archived", "2"),
    ]


# ── how far ──────────────────────────────────────────────────────────────────────────────────────


def _planned(places: Places, before: int = LATER) -> archive.Plan:
    with closing(SqliteJournal(places.journal)) as journal:
        return archive.plan(journal, before)


def test_an_event_that_is_not_over_is_where_an_archive_ends(places: Places) -> None:
    """Before the line that created it, whatever is over after it."""
    _at_rest(places)
    found = _planned(places)
    assert (found.end, list(found.events)) == (_created(places, "3") - 1, ["1", "2"])
    assert found.why == "event 3 (Night 3) has not been put away"


def test_nothing_newer_than_the_date_goes(places: Places) -> None:
    """Nor an event of which a line is newer: none is torn."""
    _at_rest(places)
    stored, second = _lines(places.journal), _created(places, "2")
    within = next(s for s in stored if s.line.event == "2" and s.seq > second + 1)
    found = _planned(places, within.line.received)
    assert found.end <= second - 1
    assert list(found.events) in ([], ["1"])
    assert _planned(places, stored[0].line.received).end == 0


def test_an_event_whose_lines_lie_between_those_of_others_is_not_torn(tmp_path: Path) -> None:
    """Event 1 is over and old, but goes on after event 2 was created, which is not over."""

    async def play() -> None:
        async with serving(tmp_path) as room:
            await _event(room, "1")
            await _event(room, "2")
            director = await room.dial(room.director)
            await _done(director, "seat.put", player="late", table=2, seat=1)
            await _do(room, "event.archive", event="1")

    asyncio.run(play())
    places = Places(tmp_path)
    _at_rest(places)
    found = _planned(places)
    assert (found.end, found.events) == (_created(places, "1") - 1, {})
    assert found.why == "event 1 (Night 1) goes on after that"


def test_a_look_changes_nothing(places: Places) -> None:
    """It says what would go."""
    _at_rest(places)
    before = places.journal.read_bytes()
    said = railbird_here("archive", "--data", places.folder, "--days", "0", "--dry-run")
    assert said.stdout.startswith(f"Lines 1 to {_created(places, '3') - 1} would go to ")
    assert not places.archive.exists()
    assert places.journal.read_bytes() == before


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--days", "1"], "There is nothing to archive: line 1 is of 20"),
        (["--before", "2026-01-31"], "There is nothing to archive: line 1 is of 20"),
        ([], "There is nothing to archive: line 1 is of 20"),
    ],
)
def test_what_is_not_old_enough_stays(places: Places, words: list[str], told: str) -> None:
    """Ninety days, if nobody says otherwise."""
    assert railbird_here("archive", "--data", places.folder, *words).stdout.startswith(told)


@pytest.mark.parametrize("words", [["--days", "-1"], ["--before", "soon"]])
def test_what_is_no_date_is_refused(places: Places, words: list[str]) -> None:
    """With the option that is wrong."""
    refused = railbird_here("archive", "--data", places.folder, *words)
    assert refused.returncode == 2
    assert words[0] in refused.stderr


# ── whatever happens meanwhile and afterwards ────────────────────────────────────────────────────


def test_an_archive_that_dies_anywhere_loses_nothing(tmp_path: Path, places: Places) -> None:
    """The hub starts, every line is in the journal or in the archive, and it can be done again."""
    with closing(SqliteJournal(places.journal)) as journal:
        for _ in NAMES:
            Increments(journal, places.backups).make()
    before, cut = _lines(places.journal), _created(places, "3")

    async def start(places: Places) -> None:
        async with serving(places.folder) as room:
            assert room.served.warnings == ()
            assert list(room.hub.desks) == ["3"]

    for number in itertools.count(1):
        copy = Places(shutil.copytree(places.folder, tmp_path / str(number)))
        if not dies_before(number, partial(archive.archive, copy, LATER)):
            break
        asyncio.run(start(copy))
        _at_rest(copy)
        if begin_of(copy.journal)[0] == 0:
            assert _lines(copy.journal)[: len(before)] == before
            archive.archive(copy, LATER)
        (file,) = copy.archive.iterdir()
        assert (_lines(file) + _lines(copy.journal))[: len(before)] == before
        assert begin_of(copy.journal)[0] == cut - 1
        assert railbird_here("verify", "--data", copy.folder).returncode == 0
        assert not [*copy.folder.glob("railbird-*"), *copy.folder.glob("railbird.db.*")]
        shutil.rmtree(copy.folder)
    assert number > 15, "hardly anything was tried"


def test_no_archive_under_a_running_hub(places: Places) -> None:
    """It must be stopped first."""
    hub = Process(places.folder)
    try:
        refused = railbird_here("archive", "--data", places.folder, "--days", "0")
        assert refused.returncode == 2
        assert "a hub is using this data: stop it first" in refused.stderr
        Remote(hub.data).do("clock.start", "3", {})
    finally:
        hub.stop()
    assert not places.archive.exists()


def _edit(path: Path, change: str) -> None:
    with closing(sqlite3.connect(path)) as db:
        for name in ("update", "delete", "replace"):
            db.execute(f"DROP TRIGGER journal_is_append_only_{name}")
        db.execute(change)
        db.commit()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("UPDATE journal SET actor = 'eve' WHERE seq = 4", "line 4 is not what was written"),
        ("DELETE FROM journal WHERE seq = 4", "line 4 is missing"),
        ("DELETE FROM journal WHERE seq > 6", "its line"),
    ],
)
def test_a_changed_archive_is_found(places: Places, change: str, told: str) -> None:
    """By whoever verifies the journal."""
    found = archive.archive(places, LATER)
    _edit(places.archive / found.file, change)
    refused = railbird_here("verify", "--data", places.folder)
    assert refused.returncode in (1, 2)
    assert told in refused.stderr


def test_a_changed_beginning_is_found(places: Places) -> None:
    """Whoever cuts more off, or says that it began elsewhere, breaks the chain."""
    found = archive.archive(places, LATER)
    _edit(places.journal, "DELETE FROM journal WHERE seq = (SELECT min(seq) FROM journal)")
    refused = railbird_here("verify", "--data", places.folder)
    assert f"line {found.end + 1} is missing" in refused.stderr
    begins = json.dumps({"line": found.end + 1, "hash": "00" * 32, "file": ""})
    with closing(sqlite3.connect(places.journal)) as db:
        db.execute("UPDATE kept SET value = ? WHERE key = 'begins'", (begins.encode(),))
        db.commit()
    refused = railbird_here("verify", "--data", places.folder)
    assert f"line {found.end + 2} is not what was written" in refused.stderr


async def test_a_start_proves_a_journal_that_begins_later(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its newest lines before anybody is let in, and the older ones while it runs."""
    found = archive.archive(places, LATER)
    monkeypatch.setattr(proof, "PAGE", 2)
    monkeypatch.setattr(proof, "PAUSE", 0)
    for tail in (1, 3, 20_000):
        monkeypatch.setattr(proof, "TAIL", tail)
        with closing(SqliteJournal(places.journal)) as journal:
            assert proof.insist(journal, despite_damage=False) is None
            for after in range(found.end, journal.head()[0], 2):
                assert proof._damage(journal, after, 2) is None  # noqa: SLF001
    second = "UPDATE journal SET actor = 'eve' WHERE seq = (SELECT 1 + min(seq) FROM journal)"
    _edit(places.journal, second)
    with closing(SqliteJournal(places.journal)) as journal, pytest.raises(StorageError):
        proof.insist(journal, despite_damage=False)
    monkeypatch.setattr(proof, "TAIL", 1)
    async with serving(places.folder) as room:
        director = await room.dial(room.director)
        await director.follow("hub")
        while not director.docs["hub"]["storage"]:
            await director.heard_of("doc")
        assert f"line {found.end + 2} is not what was written" in director.docs["hub"]["storage"]


def test_an_archive_that_is_elsewhere_is_said(places: Places, tmp_path: Path) -> None:
    """What is here is proved, and a head before it cannot be."""
    found = archive.archive(places, LATER)
    places.archive.rename(tmp_path / "elsewhere")
    told = railbird_here("verify", "--data", places.folder)
    assert f"lines 1 to {found.end} are in an archive that is not here" in told.stdout
    early = railbird_here("verify", "--data", places.folder, "--head", f"2:{'00' * 32}")
    assert (early.returncode, "--head: is before line" in early.stderr) == (2, True)


def test_backups_begin_anew_with_the_journal(places: Places) -> None:
    """Those that archive and journal contain go; what was asked for, or is not ours, stays."""
    with closing(SqliteJournal(places.journal)) as journal:
        for _ in NAMES:
            Increments(journal, places.backups).make()
        asked, _minute = (
            make_backup(journal, places.backups, kind) for kind in ("asked", "minute")
        )
        lines = journal.head()[0]
    with closing(SqliteJournal(places.folder / "other.db")) as other:
        other.append([stored.line for stored in _lines(places.journal)[3:]]).result()
        foreign = make_backup(other, places.backups, "level")
    found = archive.archive(places, LATER)
    assert sorted(path.name for path in places.backups.iterdir() if path.is_file()) == sorted(
        [*NAMES, asked.name]
    )
    for name in NAMES:
        assert begin_of(places.backups / name)[0] == found.end
        assert whole(places.backups / name) == lines
    (aside,) = places.backups.glob("set-aside-*/*")
    assert aside.name == foreign.name

    async def start() -> int:
        async with serving(places.folder) as room:
            assert room.served.warnings == ()
            await _event(room, "4")
            return room.hub.last_line

    newest = asyncio.run(start())
    with closing(SqliteJournal(places.journal)) as journal:
        for _ in range(3):
            assert Increments(journal, places.backups).make() is None
    assert newest_good(places.backups) == (places.backups / NAMES[1], newest) or newest_good(
        places.backups
    ) == (places.backups / NAMES[0], newest)
    places.journal.unlink()
    restoring.restore(places, restoring.newest(places))
    assert restoring.look(places) == restoring.Found(newest, None)
    asyncio.run(start_again(places))


async def start_again(places: Places) -> None:
    """Start a hub on what was restored: it knows what is in the archive."""
    async with serving(places.folder) as room:
        assert {found["event"] for found in _past(room)} == {"1", "2", "3", "4"}


def test_a_backup_from_before_the_archive_can_be_restored(places: Places) -> None:
    """All of it comes back; the backups of the shorter file are set aside for it."""
    with closing(SqliteJournal(places.journal)) as journal:
        asked = make_backup(journal, places.backups)
        lines = journal.head()[0]
    archive.archive(places, LATER)
    asyncio.run(_start_and_do(places))
    assert railbird_here("restore", "--data", places.folder, asked).returncode == 0
    assert begin_of(places.journal)[0] == 0
    asyncio.run(_start_and_do(places))
    last = last_line(asked)
    assert last is not None
    assert last.seq == lines
    verified = railbird_here("verify", "--data", places.folder)
    assert "and join" not in verified.stdout


async def _start_and_do(places: Places) -> None:
    async with serving(places.folder) as room:
        director = await room.dial(room.director)
        await _done(director, "seat.put", event="3", player="x", table=3, seat=1)


def test_without_a_journal_there_is_nothing_to_archive(tmp_path: Path) -> None:
    """It is said, and none is made."""
    with pytest.raises(StorageError, match="there is no journal"):
        archive.archive(Places(tmp_path), LATER)
    assert not list(tmp_path.iterdir())


def test_snapshots_of_what_went_go_with_it(places: Places) -> None:
    """Those of events that stay, and everything else that is kept, stay."""
    with closing(SqliteJournal(places.journal)) as journal:
        for id_ in ("1", "3"):
            journal.put(f"snapshot/{id_}/000000000001", {"state": id_}).result()
        before = {key: journal.kept_as_written(key) for key in journal.keys("")}
    found = archive.archive(places, LATER)
    with closing(SqliteJournal(places.journal)) as journal:
        after = {key: journal.kept_as_written(key) for key in journal.keys("")}
        assert journal.get("begins")["file"] == found.file
    del before["snapshot/1/000000000001"], after["begins"], after["registry"]
    assert after == before
    with closing(sqlite3.connect(places.archive / found.file)) as db:
        assert db.execute("SELECT count(*) FROM kept").fetchone() == (0,)
