"""Events: several tournaments in one room, each with its own clock, tables and journal."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from server.presets import HOUSES, shipped
from server.protocol.messages import Do, Done, Refused, encode
from tests.rig import Rig

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.rig import Peer

MINUTE = 60_000
SATURDAY = "star-brisbane-saturday"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the folder of the venue's own presets, where the hub looks by default."""
    monkeypatch.chdir(tmp_path)
    own = tmp_path / "presets"
    own.mkdir()
    return own


@pytest.fixture
def rig(folder: Path) -> Iterator[Rig]:
    """Start a hub without any event."""
    assert folder.exists()
    with Rig() as rig:
        yield rig


def wish(peer: Peer, do: str, /, **args: Any) -> Done | Refused:
    """Command something of the hub itself."""
    sent = Do(f"{do}-{len(peer.news)}-{peer.rig.now}", "", do, args)
    peer.session.pending[sent.id] = sent
    peer.send(encode(sent))
    for _ in range(100):
        peer.rig.run(1)
        found = peer.answer(sent.id)
        if found is not None:
            return found
    raise AssertionError(f"{do} was never answered")


def refusal(answer: Done | Refused) -> tuple[str, str]:
    """Give the code and the words of a refusal."""
    assert isinstance(answer, Refused), answer
    return answer.code, answer.text


def clock(peer: Peer, event: str) -> dict[str, Any]:
    """Give an event's clock as it is now."""
    peer.rig.run(1_000)
    found: dict[str, Any] = peer.doc("", event)["clock"]
    return found


def own_preset(folder: Path, name: str, **changes: str) -> str:
    """Write a preset of the venue's own, made from a shipped one."""
    text = (HOUSES / "selkirk-consolation.toml").read_text("utf-8")
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    path = folder / f"{name}.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return text


# ── several at once ──────────────────────────────────────────────────────────────────────────────


def test_SL_K_consolations_run_on_their_own_clocks(rig: Rig) -> None:
    """The main event and two consolations each have their own level, time and pauses."""
    director = rig.director()
    for preset in ("selkirk-main", "selkirk-consolation", "selkirk-consolation"):
        assert isinstance(wish(director, "event.create", preset=preset), Done)
    began = {}
    for event, wait in (("1", 10 * MINUTE), ("2", 7 * MINUTE), ("3", 0)):
        assert isinstance(director.do("clock.start", event=event), Done)
        began[event] = rig.now
        rig.run(wait)
    director.do("clock.pause", event="2", reason="Cards short")
    clocks = {event: clock(director, event) for event in began}
    assert [clocks[event]["status"] for event in "123"] == ["running", "paused", "running"]
    assert clocks["1"]["ends_at"] != clocks["3"]["ends_at"]
    rig.run(10 * MINUTE)
    later = {event: clock(director, event) for event in began}
    assert later["2"]["remaining_ms"] == clocks["2"]["remaining_ms"]
    assert later["2"]["level"] == clocks["2"]["level"]
    assert later["1"]["level"] > 1
    director.do("level.next", event="3")
    assert clock(director, "3")["level"] == later["3"]["level"] + 1
    assert clock(director, "1")["ends_at"] == later["1"]["ends_at"]


def test_the_list_of_events_says_how_each_stands(rig: Rig) -> None:
    """Everybody sees which events there are, in order, with their state and field."""
    wall, director = rig.peer(), rig.director()
    assert wall.doc("events")["events"] == []
    wish(director, "event.create", preset="selkirk-main", name="Thursday")
    wish(director, "event.create", preset="selkirk-consolation")
    director.do("clock.start", event="2")
    director.do("seat.put", event="1", player="p", table=1, seat=1)
    rig.run(1_000)
    first, second = wall.doc("events")["events"]
    assert first == {
        "id": "1",
        "name": "Thursday",
        "house": "Selkirk Legion",
        "preset": "selkirk-main",
        "status": "waiting",
        "left": first["left"],
        "entries": first["entries"],
    }
    assert (second["id"], second["status"]) == ("2", "running")
    for do, status in (("clock.pause", "paused"), ("event.suspend", "suspended")):
        director.do(do, event="2")
        rig.run(1_000)
        assert wall.doc("events")["events"][1]["status"] == status
    director.do("event.finish", event="2")
    rig.run(1_000)
    assert wall.doc("events")["events"][1]["status"] == "finished"
    wish(director, "event.archive", event="2")
    rig.run(1_000)
    assert [found["id"] for found in wall.doc("events")["events"]] == ["1"]


def test_the_same_table_number_in_two_events_is_two_tables(rig: Rig) -> None:
    """What happens at table 7 of one event is not seen at table 7 of the other."""
    for _ in range(2):
        rig.create(SATURDAY)
    wall, director = rig.peer(), rig.director()
    for event in "12":
        wall.doc("table/7", event)
    rig.run(1_000)
    before = len(wall.frames)
    for do, args in (
        ("hand.start", {}),
        ("action.start", {"seat": 2}),
        ("table.pause", {"reason": "Dispute"}),
        ("floor.call", {}),
    ):
        assert isinstance(director.do(do, event="2", table=7, **args), Done)
    rig.run(1_000)
    told = {json.loads(frame)["topic"] for frame in wall.frames[before:]}
    assert told == {"t/2/table/7"}
    assert wall.doc("table/7", "2")["paused"] == "Dispute"
    assert wall.doc("table/7", "1")["paused"] is None
    assert not wall.doc("table/7", "1")["hand"]["in_progress"]
    assert wall.doc("tables", "1")["tables"]["7"]["floor"] is None
    director.do("player.bust", event="2", player="7-3")
    assert "3" in wall.doc("table/7", "1")["seats"]


def test_each_event_has_its_own_lines(rig: Rig) -> None:
    """An event's journal has all that happened to it, and nothing of any other event."""
    for _ in range(3):
        rig.create(SATURDAY)
    director = rig.director()
    for event in "123":
        director.do("announce", event=event, text=f"For {event}")
        director.do("hand.start", event=event, table=7)
    rig.run(30 * MINUTE)
    for event in "123":
        bodies = [stored.line.body.decode() for stored in rig.journal.read(event)]
        others = [f"For {other}" for other in "123" if other != event]
        assert any(f"For {event}" in body for body in bodies)
        assert not any(words in body for words in others for body in bodies)
        kinds = [json.loads(body)["event"] for body in bodies]
        assert not {"event.created", "hub.started", "gap.found"} & set(kinds)
        assert kinds.count("command.accepted") == 6
    hubs = [json.loads(stored.line.body)["event"] for stored in rig.journal.read("")]
    assert hubs == ["hub.started", *["event.created"] * 3]


def test_undo_stays_in_its_event(rig: Rig) -> None:
    """The last command of an event is undone, though another event was commanded since."""
    for _ in range(2):
        rig.create(SATURDAY)
    director = rig.director()
    director.do("clock.pause", event="1")
    director.do("clock.pause", event="2")
    assert isinstance(director.do("undo", event="1"), Done)
    assert clock(director, "1")["status"] == "running"
    assert clock(director, "2")["status"] == "paused"


def test_events_come_back_after_a_crash(rig: Rig) -> None:
    """Every event is there again with its name, its clock and its seats; archived ones are not."""
    director = rig.director()
    for name in ("One", "Two", "Three"):
        wish(director, "event.create", preset=SATURDAY, name=name)
    director.do("clock.start", event="1")
    director.do("seat.put", event="3", player="p", name="Pat", table=4, seat=2)
    wish(director, "event.archive", event="2")
    ends = clock(director, "1")["ends_at"]
    rig.crash(away=2_000)
    wall = rig.peer()
    listed = {found["id"]: found["name"] for found in wall.doc("events")["events"]}
    assert listed == {"1": "One", "3": "Three"}
    assert wall.doc("", "1")["clock"]["ends_at"] == ends
    assert wall.doc("table/4", "3")["seats"]["2"]["name"] == "Pat"
    assert wall.doc("", "2") is None


# ── from creation to the archive ─────────────────────────────────────────────────────────────────


def test_an_event_starts_when_it_is_scheduled(rig: Rig) -> None:
    """An event that is created with a start waits for that instant, and starts at it exactly."""
    director = rig.director()
    starts_at = rig.now + 5 * MINUTE + 7
    wish(director, "event.create", preset="apl", starts_at=starts_at)
    assert clock(director, "1")["status"] == "waiting"
    rig.run_until(starts_at - 10)
    assert director.doc("")["clock"]["status"] == "waiting"
    rig.run(1_000)
    found = director.doc("")["clock"]
    assert found["status"] == "running"
    started = [
        stored.line.at
        for stored in rig.journal.read("1")
        if json.loads(stored.line.body)["event"] == "clock.started"
    ]
    assert started == [starts_at]


def at_house_time(rig: Rig, folder: Path, later: int) -> int:
    """Write a preset whose house starts so many minutes from now, and give the instant."""
    start = datetime.fromtimestamp(rig.now / 1_000) + timedelta(minutes=later)  # noqa: DTZ006
    text = (HOUSES / "apl.toml").read_text("utf-8")
    (folder / "timed.toml").write_text(f'start = "{start:%H:%M}"\n{text}', "utf-8")
    whole = start.replace(second=0, microsecond=0)
    return round(whole.astimezone().timestamp() * 1_000)


def test_the_houses_own_start_is_used_when_none_is_given(rig: Rig, folder: Path) -> None:
    """The clock starts by itself at the house's time of the day; by hand it starts at once."""
    director = rig.director()
    starts_at = at_house_time(rig, folder, 90)
    for _ in range(2):
        assert isinstance(wish(director, "event.create", preset="timed"), Done)
        rig.run(1_000)
    assert clock(director, "1")["starts_at"] == starts_at
    assert isinstance(director.do("clock.start", event="2"), Done)
    assert clock(director, "2")["status"] == "running"
    assert clock(director, "1")["status"] == "waiting"
    rig.run_until(starts_at + 1_000)
    assert clock(director, "1")["status"] == "running"


def test_a_houses_start_that_is_long_past_is_tomorrows(rig: Rig, folder: Path) -> None:
    """Created in the evening for a house that starts in the morning: the next morning is meant."""
    director = rig.director()
    past = at_house_time(rig, folder, -7 * 60)
    wish(director, "event.create", preset="timed")
    starts_at = clock(director, "1")["starts_at"]
    assert starts_at > rig.now
    assert abs(starts_at - past - 24 * 60 * MINUTE) <= 60 * MINUTE  # the day may be one of 23 hours


@pytest.mark.parametrize("later", [-20, 4])
def test_a_houses_start_that_was_just_missed_or_is_upon_us_is_by_hand(
    rig: Rig, folder: Path, later: int
) -> None:
    """The director is late: tonight is meant, and nobody waits for tomorrow."""
    director = rig.director()
    at_house_time(rig, folder, later)
    wish(director, "event.create", preset="timed")
    assert clock(director, "1")["starts_at"] is None


def test_a_houses_own_start_can_be_declined(rig: Rig, folder: Path) -> None:
    """With null the event waits for the director, whatever its house does."""
    director = rig.director()
    at_house_time(rig, folder, 90)
    wish(director, "event.create", preset="timed", starts_at=None)
    assert clock(director, "1")["starts_at"] is None
    director.follow("presets")
    rig.run(300)
    listed = director.session.documents["presets"].doc
    assert listed["past"][0]["start"] is not None


def test_a_start_can_be_moved_and_taken_away(rig: Rig) -> None:
    """Until it has started, an event's start may be set anew, or left to the director's hand."""
    director = rig.director()
    wish(director, "event.create", preset="apl", starts_at=rig.now + MINUTE)
    later = rig.now + 3 * MINUTE
    assert isinstance(director.do("event.schedule", starts_at=later), Done)
    rig.run(2 * MINUTE)
    assert clock(director, "1")["status"] == "waiting"
    assert isinstance(director.do("event.schedule", starts_at=None), Done)
    rig.run(5 * MINUTE)
    assert clock(director, "1")["status"] == "waiting"
    assert isinstance(director.do("clock.start"), Done)


def test_a_start_in_the_past_is_settled_one_way_or_the_other(rig: Rig) -> None:
    """An event that should have started before it was created is refused, or it runs at once."""
    director = rig.director()
    answer = wish(director, "event.create", preset="apl", starts_at=rig.now - MINUTE)
    if isinstance(answer, Refused):
        assert answer.code in ("bad_value", "not_allowed")
        assert rig.hub.desks == {}
    else:
        assert clock(director, "1")["status"] == "running"
    rig.crash()
    assert list(rig.hub.desks) == ([] if isinstance(answer, Refused) else ["1"])


def test_a_scheduled_start_survives_a_crash(rig: Rig) -> None:
    """A hub that was away over the start of an event starts it as of that instant."""
    director = rig.director()
    for event in "12":
        wish(director, "event.create", preset="apl", starts_at=rig.now + int(event) * MINUTE)
    answer = director.do("clock.start", event="2")
    assert isinstance(answer, Done)
    level = director.doc("", "2")["clock"]["ends_at"] - answer.at
    starts_at = json.loads(next(iter(rig.journal.read("1"))).line.body)["command"]["args"][
        "starts_at"
    ]
    rig.crash(away=2 * MINUTE)
    rig.run(1_000)
    for _ in range(2):
        found = rig.peer().doc("")["clock"]
        assert (found["status"], found["ends_at"]) == ("running", starts_at + level)
        rig.crash()


def test_only_what_is_over_or_never_began_is_archived(rig: Rig) -> None:
    """A running event cannot be put away by mistake; a finished or waiting one can, once."""
    director = rig.director()
    for _ in range(2):
        wish(director, "event.create", preset="apl")
    director.do("clock.start", event="1")
    for do in (None, "clock.pause", "event.suspend"):
        if do is not None:
            director.do(do, event="1")
        code, text = refusal(wish(director, "event.archive", event="1"))
        assert (code, text) == ("not_allowed", "Finish the event before you archive it.")
    director.do("event.finish", event="1")
    assert isinstance(wish(director, "event.archive", event="1"), Done)
    assert isinstance(wish(director, "event.archive", event="2"), Done)
    for event in ("1", "2", "3", "x"):
        code, text = refusal(wish(director, "event.archive", event=event))
        assert (code, text) == ("unknown_event", f"There is no event {event}.")


def test_an_archived_events_id_is_not_given_again(rig: Rig) -> None:
    """A new event has a new id, also after a crash, so that journals never mix."""
    director = rig.director()
    for _ in range(2):
        wish(director, "event.create", preset="apl")
    wish(director, "event.archive", event="2")
    rig.crash()
    director = rig.director()
    wish(director, "event.create", preset="apl")
    assert list(rig.hub.desks) == ["1", "3"]


def test_nothing_more_happens_to_an_archived_event(rig: Rig) -> None:
    """An event that was put away does not start by itself, and takes no commands."""
    director = rig.director()
    wish(director, "event.create", preset="apl", starts_at=rig.now + MINUTE)
    wish(director, "event.archive", event="1")
    lines = len(list(rig.journal.read("1")))
    rig.run(10 * MINUTE)
    assert refusal(director.do("clock.start"))[0] == "unknown_event"
    assert len(list(rig.journal.read("1"))) == lines


def test_two_directors_create_at_once(rig: Rig) -> None:
    """Events that are created in the same instant are two, with two ids."""
    directors = {"Left": rig.director(), "Right": rig.director()}
    rig.journal.delay = 0.05
    ids = [
        peer.tap("event.create", event="", preset="apl", name=name)
        for name, peer in directors.items()
    ]
    rig.run(1_000)
    for director, command in zip(directors.values(), ids, strict=True):
        assert isinstance(director.answer(command), Done)
    assert [desk.made.rules.name for desk in rig.hub.desks.values()] == ["Left", "Right"]
    rig.journal.delay = 0


def test_a_creation_that_could_not_be_stored_never_was(rig: Rig) -> None:
    """Without storage an event is refused; with storage again the next one has its place."""
    director = rig.director()
    rig.journal.broken = True
    assert refusal(wish(director, "event.create", preset="apl"))[0] == "storage"
    rig.journal.broken = False
    rig.run(2_000)
    assert director.doc("events")["events"] == []
    assert isinstance(wish(director, "event.create", preset="selkirk-main"), Done)
    assert director.doc("events")["events"][0]["preset"] == "selkirk-main"
    rig.crash()
    assert list(rig.hub.desks) == ["1"]


# ── names and presets ────────────────────────────────────────────────────────────────────────────

NAMES = [
    "<script>alert(1)</script>",
    "[/]",
    "[bold red]Friday[/bold red]",
    "=HYPERLINK(1)",
    '"quoted" \\ back',
    "Šárka's 夜 🂡",
    "x" * 80,
]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_kept_letter_for_letter(rig: Rig, name: str) -> None:
    """A name is never read as markup, by nobody: it comes out as it went in."""
    director = rig.director()
    assert isinstance(wish(director, "event.create", preset="apl", name=name), Done)
    assert director.doc("")["name"] == name
    assert director.doc("events")["events"][0]["name"] == name
    rig.crash()
    assert rig.peer().doc("")["name"] == name


@pytest.mark.parametrize(
    "name", ["", "x" * 81, 7, ["x"], True, "\u202eevil", "two\nlines", "a\x00b"]
)
def test_a_name_that_is_none_is_refused(rig: Rig, name: object) -> None:
    """A name is text, of at least one letter and at most eighty."""
    code, text = refusal(wish(rig.director(), "event.create", preset="apl", name=name))
    assert code == "bad_value"
    assert "args.name" in text
    assert rig.hub.desks == {}


def test_a_preset_of_the_venues_own_is_found(rig: Rig, folder: Path) -> None:
    """A file in the presets' folder is known by its name without the ending."""
    own_preset(folder, "bar", **{"Consolation Sit-and-Go": "Bar Night"})
    director = rig.director()
    assert isinstance(wish(director, "event.create", preset="bar"), Done)
    found = director.doc("events")["events"][0]
    assert (found["preset"], found["name"]) == ("bar", "Bar Night")


def test_an_event_keeps_the_preset_that_it_was_created_with(rig: Rig, folder: Path) -> None:
    """A preset that is edited or deleted later never changes a night that was played."""
    own_preset(folder, "bar", **{"Consolation Sit-and-Go": "Bar Night"})
    wish(rig.director(), "event.create", preset="bar")
    before = {k: v for k, v in rig.peer().doc("").items() if k != "now"}
    (folder / "bar.toml").write_text("not even TOML", "utf-8")
    rig.crash()
    assert {k: v for k, v in rig.peer().doc("").items() if k != "now"} == before


def test_a_shipped_preset_is_not_replaced_by_a_file(rig: Rig, folder: Path) -> None:
    """A file with the name of a shipped preset does not change what that name means."""
    own_preset(folder, "apl", **{"Consolation Sit-and-Go": "Not APL"})
    director = rig.director()
    wish(director, "event.create", preset="apl")
    assert director.doc("")["name"] == "APL Daily Event"


def test_an_unknown_preset_is_refused_with_those_that_are_known(rig: Rig, folder: Path) -> None:
    """Who mistypes a preset is told which there are, the venue's own among them."""
    own_preset(folder, "bar")
    code, text = refusal(wish(rig.director(), "event.create", preset="baar"))
    assert code == "bad_value"
    assert "'baar'" in text
    assert all(preset in text for preset in (*shipped(), "bar"))
    assert rig.hub.desks == {}


@pytest.mark.parametrize(
    "preset",
    [
        "../x",
        "..",
        ".",
        "a/b",
        "./bar",
        "bar.toml",
        "presets/bar",
        "presets/bar.toml",
        "../presets/bar",
        "structures/railbird",
        "*",
        "b?r",
        "[b]ar",
        "a\\b",
        "~/x",
        "bar\x00",
        "BAR",
        " bar",
    ],
)
def test_a_preset_is_a_name_and_never_a_path(rig: Rig, folder: Path, preset: str) -> None:
    """No way of writing a path leads out of the presets' folder, or deeper into it."""
    for name in ("bar", "../x", "a/b"):
        own_preset(folder, name)
    assert refusal(wish(rig.director(), "event.create", preset=preset))[0] == "bad_value"
    assert rig.hub.desks == {}


def test_an_absolute_path_is_no_preset(rig: Rig, folder: Path, tmp_path: Path) -> None:
    """Not even the whole path of a preset that exists is taken over the wire."""
    own_preset(folder, "bar")
    for path in (folder / "bar", folder / "bar.toml", tmp_path, HOUSES / "apl.toml"):
        answer = wish(rig.director(), "event.create", preset=str(path)[-80:])
        assert refusal(answer)[0] == "bad_value"
    assert rig.hub.desks == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name = ", "not TOML"),
        ("colour = 1", "colour"),
        ("", "is missing"),
        ("structure = 'nope'", "structure"),
        ("x = " + "[" * 2_000, "not TOML"),
    ],
)
def test_a_broken_preset_is_told_with_its_file(
    rig: Rig, folder: Path, text: str, words: str
) -> None:
    """A mistake in the venue's own preset is told in words, and no event is made of it."""
    (folder / "bar.toml").write_text(text, "utf-8")
    code, told = refusal(wish(rig.director(), "event.create", preset="bar"))
    assert code == "bad_value"
    assert "bar.toml" in told
    assert words in told
    assert rig.hub.desks == {}


@pytest.mark.parametrize("value", ["nan", "2026-11-18", "19:00:00", "[]", "true", '"\\u0000"'])
def test_a_wrong_value_in_a_preset_is_told_with_its_key(rig: Rig, folder: Path, value: str) -> None:
    """A value of a kind that only TOML has is told with the file and the key."""
    own_preset(folder, "bar", **{'"Consolation Sit-and-Go"': value})
    code, told = refusal(wish(rig.director(), "event.create", preset="bar"))
    assert code == "bad_value"
    assert told.startswith("presets/bar.toml: name: ")


@pytest.mark.parametrize("bytes_", [b"\xff\xfe", b"name = '\xff'"])
def test_a_preset_that_is_no_text_is_told(rig: Rig, folder: Path, bytes_: bytes) -> None:
    """A preset that is not UTF-8 is told, like any other mistake in it."""
    (folder / "bar.toml").write_bytes(bytes_)
    code, told = refusal(wish(rig.director(), "event.create", preset="bar"))
    assert code == "bad_value"
    assert "UTF-8" in told


def test_a_folder_in_the_place_of_a_preset_is_told(rig: Rig, folder: Path) -> None:
    """A folder that is called like a preset is no preset."""
    (folder / "bar.toml").mkdir()
    assert refusal(wish(rig.director(), "event.create", preset="bar"))[0] == "bad_value"


def test_every_shipped_preset_makes_an_event(rig: Rig) -> None:
    """All houses play in one room, and all of them are there again after a crash."""
    director = rig.director()
    for preset in shipped():
        assert isinstance(wish(director, "event.create", preset=preset), Done)
    before = [found["preset"] for found in director.doc("events")["events"]]
    assert before == shipped()
    rig.crash()
    assert [found["preset"] for found in rig.peer().doc("events")["events"]] == before
