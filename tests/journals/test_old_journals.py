"""Journals of earlier versions load and replay: what they told is what is shown.

`<version>.db.gz` is a journal as that version wrote it, and `<version>.json` the documents that the
same version showed at its end: 0.1.0's is of a room of robots, the others are `record`ed. Hands of
0.1.0 know no betting round. `format-<number>.json` is all that a journal of that format can say.
"""

from __future__ import annotations

import gzip
import json
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from server import __version__, registry
from server.engine import event_document, parse, table_document
from server.engine.events import EVENTS
from server.engine.machine import decide
from server.engine.refusals import Refused
from server.journal import Line, verify
from server.journal_format import FORMAT, HUB_RECORDS, LIFTS, NOTES, NotUnderstood, Origins
from server.ledger import HUB_WORDS
from server.loading import load
from server.registry import HUB, Registry
from server.sqlite_journal import SqliteJournal, read_file
from tests.journals.shape import shape
from tests.rig import MemoryJournal, Rig
from tests.served import railbird, serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from server.engine import State

HERE = Path(__file__).parent
VERSIONS = sorted(path.name.removesuffix(".db.gz") for path in HERE.glob("*.db.gz"))
RECORDED = [version for version in VERSIONS if version != "0.1.0"]


@contextmanager
def _journal(path: Path) -> Iterator[SqliteJournal]:
    journal = SqliteJournal(path)
    try:
        yield journal
    finally:
        journal.close()


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    """Give a version whose journal is kept."""
    return str(request.param)


@pytest.fixture
def data(version: str, tmp_path: Path) -> Path:
    """Put the kept journal of a version into a hub's folder."""
    return _unpacked(version, tmp_path)


def _unpacked(version: str, folder: Path) -> Path:
    body = gzip.decompress((HERE / f"{version}.db.gz").read_bytes())
    (folder / "railbird.db").write_bytes(body)
    return folder


@pytest.fixture
def states(data: Path) -> dict[str, State]:
    """Load all events of a kept journal with today's code, as far as they are not archived."""
    with _journal(data / "railbird.db") as journal:
        known = Registry()
        for stored in journal.read(HUB):
            known = registry.evolve(known, msgspec.json.decode(stored.line.body))
        events = [made for made in known.events.values() if not made.archived]
        return {made.id: load(journal, made).state for made in events}


def _kept(old: Any, new: Any) -> Any:
    """Give of a document what an older version's has, too."""
    if isinstance(old, dict):
        return {key: _kept(value, new[key]) for key, value in old.items()}
    return new


def _told(version: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((HERE / f"{version}.json").read_text("utf-8"))
    return found


def _undo(doc: dict[str, Any]) -> dict[str, Any]:
    """Leave out what can be undone: a start from a snapshot remembers it a moment later."""
    return {key: value for key, value in doc.items() if key != "undo"}


def test_a_journal_of_an_earlier_version_tells_the_same_night(
    version: str, states: dict[str, State]
) -> None:
    """Every key that the old documents had says what it said."""
    told = _told(version)
    now = told["now"]
    assert states.keys() == told["events"].keys()
    for id_, old in told["events"].items():
        new = json.loads(json.dumps(event_document(states[id_], now)))
        assert _kept(old["event"], new) == old["event"]
        for number, table in old["tables"].items():
            shown = json.loads(json.dumps(table_document(states[id_], int(number), now)))
            assert _kept(_undo(table), shown) == _undo(table)


def test_a_hand_of_an_earlier_version_knows_no_round_and_is_played_on(tmp_path: Path) -> None:
    """Nothing is refused for want of knowledge."""
    told = _told("0.1.0")
    path = _unpacked("0.1.0", tmp_path) / "railbird.db"
    with _journal(path) as journal:
        known = Registry()
        for stored in journal.read(HUB):
            known = registry.evolve(known, msgspec.json.decode(stored.line.body))
        states = {id_: load(journal, made).state for id_, made in known.events.items()}
    played = 0
    for id_, old in told["events"].items():
        for number, table in old["tables"].items():
            if not table["hand"]["in_progress"]:
                continue
            state = states[id_]
            doc = table_document(state, int(number), told["now"])
            assert doc is not None
            assert (doc["hand"]["next"], doc["hand"]["to_act"]) == (None, [])
            river = table["hand"]["street"] == "river"
            for do in ("action.next", "action.fold", "hand.end" if river else "street.next"):
                outcome = decide(state, parse(do, {"table": int(number)}), told["now"])
                assert not isinstance(outcome, Refused), outcome
            played += 1
    assert played


async def test_a_hub_goes_on_with_a_journal_of_an_earlier_version(data: Path, version: str) -> None:
    """It starts, everything is shown, it takes commands, and starts again on what it wrote."""
    path = data / "railbird.db"
    before = [(s.seq, s.hash) for s in read_file(path)]
    told = _told(version)
    for _ in range(2):
        async with serving(data) as room:
            assert {desk.id for desk in room.hub.desks.values()} == told["events"].keys()
            director = await room.dial(room.director)
            await director.done("announce", event="1", text="We go on")
    after = list(read_file(path))
    assert [(s.seq, s.hash) for s in after[: len(before)]] == before  # never rewritten
    assert verify(after) is None
    started = [json.loads(s.line.body) for s in after if b'"hub.started"' in s.line.body]
    assert started[-1] == {"event": "hub.started", "build": __version__, "format": FORMAT}


@pytest.mark.parametrize("version", RECORDED, indirect=True)
def test_everything_that_a_journal_can_tell_happens_in_the_recorded_night(data: Path) -> None:
    """It has every fact, record and note of its format; else let it happen in `record`."""
    bodies = [json.loads(stored.line.body) for stored in read_file(data / "railbird.db")]
    names = {body["event"] for body in bodies}
    written = next(body["format"] for body in bodies if body["event"] == "hub.started")
    known = json.loads((HERE / f"format-{written}.json").read_text("utf-8"))
    assert names == known["facts"].keys() | known["hub"].keys() | known["notes"].keys()


# ── formats ──────────────────────────────────────────────────────────────────────────────────────


def test_what_is_written_has_not_changed_without_a_new_format() -> None:
    """An older version must know by the number alone that it does not know everything.

    If this fails: has a version with this format been released? Then add a step to `LIFTS`. Then,
    or if not, run `python -m tests.journals.record`.
    """
    assert shape() == json.loads((HERE / f"format-{FORMAT}.json").read_text("utf-8"))


def test_everything_that_the_hub_writes_of_itself_has_words() -> None:
    """Names of records are one closed set, for the loader as for the people who read."""
    assert HUB_RECORDS.keys() == HUB_WORDS.keys()
    assert not EVENTS.keys() & NOTES.keys()


def test_old_lines_are_lifted_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines of each format take the steps since; lines of today's take none."""
    steps: tuple[Callable[[Any], Any], ...] = (
        lambda record: {**record, "steps": [*record["steps"], "1 to 2"]},
        lambda record: {**record, "steps": [*record["steps"], "2 to 3"]},
    )
    monkeypatch.setattr("server.journal_format.LIFTS", steps)
    wrote = Origins()
    wrote.note(1, {"event": "hub.started", "build": "0.1.0"})
    wrote.note(10, {"event": "hub.started", "build": "0.2.0", "format": 2})
    wrote.note(20, {"event": "hub.started", "build": "0.3.0", "format": 3})
    record = {"event": "moon.landed", "steps": []}
    assert wrote.lifted(9, record)["steps"] == ["1 to 2", "2 to 3"]
    assert wrote.lifted(10, record)["steps"] == ["2 to 3"]
    assert wrote.lifted(19, record)["steps"] == ["2 to 3"]
    assert wrote.lifted(20, record)["steps"] == []
    assert [wrote.build(seq) for seq in (1, 9, 10, 25)] == ["0.1.0", "0.1.0", "0.2.0", "0.3.0"]
    assert record["steps"] == []


def test_a_night_of_an_older_format_is_read_lifted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The facts that a replay sees are today's, and the lines are those that were written."""

    def renamed(record: Any) -> Any:
        return {**record, "event": "seat.taken"} if record["event"] == "player.seated" else record

    with Rig() as rig:
        rig.create()
        stored = rig.journal.stored
    old = [_as_of_format_1(renamed(json.loads(s.line.body))) for s in stored]
    lines = [
        Line("" if s.line.event == "" else "1", *_times(s.line), msgspec.json.encode(body))
        for s, body in zip(stored, old, strict=True)
    ]
    journal = MemoryJournal()
    journal.append(lines)

    def lift(record: Any) -> Any:
        return {**record, "event": "player.seated"} if record["event"] == "seat.taken" else record

    monkeypatch.setattr("server.journal_format.LIFTS", (lift, *LIFTS[1:]))
    with Rig(journal) as rig:
        assert len(rig.hub.desks["1"].shown.players) == 3
        bodies = [s.line.body for s in rig.journal.stored]
        assert sum(b"seat.taken" in body for body in bodies) == 3


def _as_of_format_1(body: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in body.items() if key != "format"}


def _times(line: Line) -> tuple[int, int | None, int, str, str, str]:
    return line.at, line.tapped, line.received, line.actor, line.device, line.command


# ── what this version does not know ──────────────────────────────────────────────────────────────

ACCEPTED = {"event": "command.accepted", "at": 0, "written": ["room"]}
STARTED = {"event": "hub.started", "build": "9.1.0", "format": FORMAT}
UNKNOWN: dict[str, tuple[str, list[tuple[str, dict[str, Any]]]]] = {
    "format": ("journals of format 99", [("", {**STARTED, "format": 99})]),
    "fact": ('the fact "moon.landed"', [("1", {"event": "moon.landed", "at": 0})]),
    "field": (
        'the field "colour" of "clock.paused"',
        [("1", {"event": "clock.paused", "at": 0, "reason": None, "colour": "red"})],
    ),
    "command": (
        'the command "moon.land"',
        [("1", {**ACCEPTED, "command": {"do": "moon.land", "id": "x", "args": {}}})],
    ),
    "argument": (
        'the field "softly" of the command "clock.pause"',
        [("1", {**ACCEPTED, "command": {"do": "clock.pause", "id": "x", "args": {"softly": 1}}})],
    ),
    "hub record": ('the record "moon.seen"', [("", {"event": "moon.seen"})]),
    "hub field": ('the field "why" of "gap.cleared"', [("", {"event": "gap.cleared", "why": 1})]),
    "note": ('the field "why" of "tap.late"', [("1", {"event": "tap.late", "why": 1})]),
    "preset": (
        "the preset's colour",
        [
            (
                "",
                {
                    "event": "event.created",
                    "id": "2",
                    "preset": "x",
                    "rules": {"colour": "red"},
                    "at": 0,
                    "scheduled_at": None,
                },
            )
        ],
    ),
}


def _with_a_future(path: Path, lines: list[tuple[str, dict[str, Any]]]) -> None:
    """Go on with a journal as a later version might."""
    with _journal(path) as journal:
        journal.append(
            [
                Line(event, 0, None, 0, "hub", "", "", msgspec.json.encode(record))
                for event, record in [("", STARTED), *lines]
            ]
        ).result()


@pytest.mark.parametrize("what", UNKNOWN)
@pytest.mark.parametrize("version", RECORDED, indirect=True)
async def test_a_downgrade_is_refused_with_words(data: Path, what: str) -> None:
    """Nothing that a later version wrote is dropped: the start says who wrote it, what to do."""
    words, lines = UNKNOWN[what]
    path = data / "railbird.db"
    _with_a_future(path, lines)
    before = [s.hash for s in read_file(path)]
    with pytest.raises(NotUnderstood) as told:
        async with serving(data):
            pass
    assert f"written by Railbird 9.1.0, and this is Railbird {__version__}" in str(told.value)
    assert f"does not know {words}" in str(told.value)
    assert "Install Railbird 9.1.0 or a newer one" in str(told.value)
    assert [s.hash for s in read_file(path)] == before  # not a line was added


def test_the_command_line_says_it_in_one_line(tmp_path: Path) -> None:
    """Whoever starts an older Railbird reads no traceback."""
    data = _unpacked(RECORDED[-1], tmp_path)
    _with_a_future(data / "railbird.db", UNKNOWN["format"][1])
    found = railbird("serve", "--data", data, "--port", "0")
    assert found.returncode == 2
    (line,) = [line for line in found.stderr.splitlines() if line.startswith("railbird: ")]
    assert "This journal was written by Railbird 9.1.0" in line
    assert "Traceback" not in found.stderr


async def test_what_nobody_of_us_wrote_is_told_apart(tmp_path: Path) -> None:
    """Where this very version is said to have written it, another version is no help."""
    data = _unpacked(RECORDED[-1], tmp_path)
    with _journal(data / "railbird.db") as journal:
        body = msgspec.json.encode({**STARTED, "build": __version__})
        unknown = msgspec.json.encode({"event": "moon.seen"})
        journal.append([Line("", 0, None, 0, "hub", "", "", b) for b in (body, unknown)]).result()
    with pytest.raises(NotUnderstood, match="never writes: somebody else has written into it"):
        async with serving(data):
            pass
