"""The director's views: stored text pictures at 80 by 24, the deeds of keys, drafts on paper."""

from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dealer_console.terminal import td_deeds, td_house, td_papers, td_tables
from dealer_console.terminal.td import TdApp, room_deed
from dealer_console.terminal.td_deeds import (
    BadWords,
    Deed,
    Words,
    finish_args,
    house_start,
    step_length,
)
from dealer_console.terminal.td_draft import Draft
from dealer_console.terminal.td_keys import SHEET, VIEWS
from dealer_console.terminal.td_rows import Room
from server.access import Badge
from server.engine import COMMANDS, parse, structure_document
from server.protocol.messages import Welcome
from server.protocol.session import Session, Shown
from server.wishes import WISHES
from tests.night import given, minutes
from tests.rig import Rig

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.rig import Peer

PICTURES = Path(__file__).parent / "pictures"
WRITE = "RAILBIRD_PICTURES" in os.environ
"""Set it to store the pictures anew; then look at them."""

OWN = 50_000
HOSTILE = "[/] [b]Bo \x1b[31m"
TOPICS = ("events", "hub", "devices", "presets")
EVENT_TOPICS = ("", "/tables", "/duty", "/structure", "/floor", "/journal", "/table/2", "/table/3")


@pytest.fixture(scope="module")
def night() -> Iterator[tuple[dict[str, Any], int]]:
    """Play some of a night in virtual time, and give all documents of it."""
    with Rig() as rig:
        director = rig.director()
        director.do("event.create", event="", preset="star-brisbane-saturday", name="Saturday")
        for table in (1, 2, 3):
            for seat in (1, 2, 3):
                name = "[/] [b]Bo" if seat == 1 else f"Player {table}{seat}"
                args = {"player": f"{table}-{seat}", "table": table, "seat": seat}
                director.do("seat.put", name=name, **args)
        director.do("event.create", event="", preset="selkirk-consolation")
        director.do("clock.start")
        _play(rig, director)
        docs = {topic: rig.hub.press.read(topic)[1] for topic in TOPICS}
        docs |= {f"t/1{topic}": rig.hub.press.read(f"t/1{topic}")[1] for topic in EVENT_TOPICS}
        found = json.loads(json.dumps(docs))
        found["devices"]["asking"][0]["code"] = "BCDFGH"  # the real one is made at random
        yield found, rig.now


def _play(rig: Rig, director: Peer) -> None:
    dealer = rig.peer(Badge("dealer", "Tablet 2", "1", 2)).keeps_probing()
    dealer.do("hand.start", table=2)
    dealer.do("action.start", table=2, seat=1)
    rig.run(4_000)
    dealer.probe()
    dealer.do("action.bank", table=2, seat=1, chips=2)
    director.do("floor.call", table=3, reason="misdeal [/]")
    rig.run(2_000)
    director.do("clock.add", ms=minutes(1))
    director.do("announce", text="Dinner at eight [/bold]", seconds=600)
    rig.peer().send(json.dumps({"type": "pair"}).encode())
    rig.run(90_000)
    director.do("h4h.announce", reason="bubble")
    rig.run(300)


def console(night: tuple[dict[str, Any], int], *, now: int | None = None) -> TdApp:
    """Give a console that has the night's documents, without a hub."""
    docs, then = night
    session = Session("td-test")
    session.opened(OWN)
    session.welcome = Welcome(1, "hub", "0.1.0", "director", "Dora", None, None, then)
    at = then if now is None else now
    session.received(json.dumps({"type": "probed", "sent": OWN, "at": at}), OWN)
    for topic, doc in docs.items():
        session.topics[topic] = None
        session.documents[topic] = Shown(topic, 1, doc)
    return TdApp(session, event="1", own=lambda: OWN, zone=lambda _: 600)


def screen(app: TdApp) -> str:
    """Give what stands on the screen."""
    lines = app.screen._compositor.render_strips()  # noqa: SLF001 - there is no public way
    return "\n".join(line.text.rstrip() for line in lines) + "\n"


def check(name: str, found: str) -> None:
    """Hold a picture against the stored one."""
    path = PICTURES / f"td-{name}.txt"
    if WRITE:
        path.parent.mkdir(exist_ok=True)
        path.write_text(found, "utf-8")
    assert found == path.read_text("utf-8"), f"{path.name} looks different; see RAILBIRD_PICTURES"


async def test_every_view_looks_as_it_should(night: tuple[dict[str, Any], int]) -> None:
    """At 80 by 24 each view, a table, the keys and a question are what the stored pictures show."""
    app = console(night)
    async with app.run_test(size=(80, 24)) as pilot:
        for number, view in enumerate(VIEWS, start=1):
            await pilot.press(str(number))
            await pilot.pause()
            check(view, screen(app))
        await pilot.press("?")
        await pilot.pause()
        check("keys", screen(app))
        await pilot.press("1")
        app._list.point("table/2")  # noqa: SLF001
        await pilot.press("enter")
        await pilot.pause()
        check("table", screen(app))
        await pilot.press("escape", "3", "right", "j")
        await pilot.pause()
        check("draft", screen(app))
        await pilot.press("escape", "n")
        await pilot.pause(0.05)
        check("question", screen(app))


async def test_a_large_terminal_is_used(night: tuple[dict[str, Any], int]) -> None:
    """At 200 by 60 the journal stands beside every view, and the digits are larger."""
    app = console(night)
    async with app.run_test(size=(200, 60)) as pilot:
        await pilot.pause()
        check("large", screen(app))


async def test_names_are_only_ever_text(night: tuple[dict[str, Any], int]) -> None:
    """Names, reasons and devices that look like markup or commands are shown, and do nothing."""
    docs = json.loads(json.dumps(night[0]).replace("Player 22", HOSTILE.replace("\x1b", "\\u001b")))
    docs["t/1/tables"]["tables"]["3"]["floor_reason"] = HOSTILE
    docs["hub"]["storage"] = HOSTILE
    docs["devices"]["asking"][0]["kind"] = HOSTILE
    docs["presets"]["problems"] = [HOSTILE]
    app = console((docs, night[1]))
    async with app.run_test(size=(120, 40)) as pilot:
        for key in "12345678":
            await pilot.press(key)
            await pilot.pause()
            assert "\x1b" not in screen(app)
        assert "[/] [b]Bo" in screen(app)
        app.say(HOSTILE)
        await pilot.pause()
        assert "[/] [b]Bo [31m" in screen(app)


# ── deeds ────────────────────────────────────────────────────────────────────────────────────────


def event(**clock: Any) -> dict[str, Any]:
    """Give an event's document with some of its clock changed."""
    doc = given("star-brisbane-saturday", {1: 3}).event()
    return {**doc, "clock": {**doc["clock"], **clock}}


@pytest.mark.parametrize(
    ("key", "clock", "do"),
    [
        ("space", {"status": "waiting"}, "clock.start"),
        ("space", {"status": "running"}, "clock.pause"),
        ("space", {"status": "paused", "reason": "dispute"}, "clock.resume"),
        ("space", {"status": "paused", "reason": "hand_for_hand"}, "clock.pause"),
        ("space", {"status": "suspended"}, "event.resume"),
        ("space", {"status": "finished"}, None),
        ("b", {"phase": "level"}, "break.call"),
        ("b", {"phase": "break"}, "break.end"),
        ("n", {}, "level.next"),
        ("n", {"next": None}, None),
        ("p", {}, "level.back"),
        ("h", {}, "h4h.announce"),
        ("+", {}, "clock.add"),
        ("=", {}, "clock.set"),
        ("S", {}, "event.suspend"),
        ("F", {}, "event.finish"),
    ],
)
def test_a_key_means_what_the_room_needs(key: str, clock: dict[str, Any], do: str | None) -> None:
    """One key starts, pauses or resumes; what cannot be done is said in words."""
    found = room_deed(key, event(**clock), 0)
    assert (found.do if isinstance(found, Deed) else None) == do
    assert do is not None or isinstance(found, Words)


def test_what_cannot_be_taken_back_asks_first() -> None:
    """Levels, starts, ends and hands are asked about; a minute more or less is not."""
    doc = event()
    for key in ("n", "p", "H", "F", "S", "I"):
        found = room_deed(key, doc, 0)
        assert isinstance(found, Deed)
        assert found.confirm
    for key in ("+", "-", "[", "]"):
        found = room_deed(key, doc, 0)
        assert isinstance(found, Deed)
        assert not found.confirm
    assert room_deed("z", doc, 0) is None


def test_SB_19_the_question_says_what_a_hand_costs() -> None:
    """Before a hand is released the director reads its cost, and what the clock reads after it."""
    night = given("star-brisbane-saturday", {1: 3, 2: 3})
    night.do("clock.set", remaining_ms=minutes(10))
    night.do("h4h.announce")
    found = td_deeds.hand(night.event())
    assert isinstance(found, Deed)
    assert found.confirm == "Release hand 1 (−3:00 → 7:00)?"  # noqa: RUF001
    night.do("clock.set", remaining_ms=minutes(2))
    found = td_deeds.hand(night.event())
    assert isinstance(found, Deed)
    assert found.confirm == "Release hand 1 (−3:00 → 19:00 of level 2)?"  # noqa: RUF001
    night.do("h4h.next")
    assert td_deeds.hand(night.event()) == Words(
        "2 tables play still: the next hand is released when all are done."
    )


@pytest.mark.parametrize(
    ("read", "typed", "value"),
    [
        (td_deeds.length, "12:30", 750_000),
        (td_deeds.length, " 12 ", 720_000),
        (td_deeds.number, "1,000", 1_000),
        (td_deeds.numbers("table", "seat"), "7, 5", {"table": 7, "seat": 5}),
        (td_deeds.form, "soft 180", {"form": "soft", "seconds": 180}),
        (td_deeds.form, "150", {"seconds": 150}),
        (td_deeds.form, "spade", None),
        (td_deeds.role, "d 7", None),
        (td_deeds.role, "dea 7", {"role": "dealer", "table": 7}),
        (td_deeds.role, "f", {"role": "floor"}),
        (td_deeds.role, "dealer", None),
        (td_deeds.announcement, "1", td_deeds.TEMPLATES[0]),
        (td_deeds.announcement, "99", "99"),
        (td_deeds.number, "−5", None),  # noqa: RUF001
        (td_deeds.length, "12:x", None),
        (td_deeds.numbers("table", "seat"), "7", None),
        (td_deeds.hour(0), "25:00", None),
    ],
)
def test_what_is_typed_is_read_or_refused_in_words(read: Any, typed: str, value: Any) -> None:
    """A slip of the hand is told with what would be right."""
    if value is None:
        with pytest.raises(BadWords) as bad:
            read(typed)
        assert str(bad.value)
    else:
        assert read(typed) == value


def test_a_time_of_day_is_the_next_one() -> None:
    """19:30 is today's or tomorrow's, whichever comes next."""
    now = 1_790_000_000_000
    found = td_deeds.hour(now)("19:30")
    assert now < found <= now + minutes(24 * 60)
    assert found % minutes(1) == 0


def test_what_was_assumed_of_a_silent_tablet_needs_somebody(
    night: tuple[dict[str, Any], int],
) -> None:
    """One line says what was assumed; one key says that it was seen, another takes it back."""
    docs, now = night
    docs = json.loads(json.dumps(docs))
    text = "tablet silent for 0:14: 1 tap counted from when made"
    assumed = {"since": now - 20_000, "until": now, "taps": 1, "tap": "c7", "held": 2, "text": text}
    docs["t/1/tables"]["tables"]["2"]["assumed"] = assumed
    rows = td_house.needs(console((docs, now)).room(now))
    (row,) = [row for row in rows if row.id == "assumed/2"]
    assert row.text == f"Table 2: {text} (k: seen, u: undo the last tap)"
    assert {key: (deed.do, deed.args) for key, deed in row.deeds.items()} == {
        "k": ("silence.seen", {"table": 2}),
        "u": ("undo", {"command": "c7"}),
    }


def test_a_device_that_does_not_answer_is_told_in_its_row_at_its_table_and_as_a_need(
    night: tuple[dict[str, Any], int],
) -> None:
    """A tablet that sends, and ignores the hub's pings, is seen wherever the director looks."""
    docs, now = night
    docs = json.loads(json.dumps(docs))
    tablet = next(row for row in docs["devices"]["devices"] if row["name"] == "Tablet 2")
    tablet["unanswered_since"] = docs["t/1/duty"]["tables"]["2"]["unanswered_since"] = now - 12_000
    room = console((docs, now)).room(now)
    (row,) = [row for row in td_house.needs(room) if row.id == f"unanswered/{tablet['id']}"]
    assert row.text == "Tablet 2 sends, but has not answered the hub for 0:12: look at it"
    (line,) = [row for row in td_house.devices(room) if row.id == f"device/{tablet['id']}"]
    assert "does not answer for 0:12" in line.text
    assert line.tone == "warn"
    assert [row for row in td_tables.tables(room) if "does not answer 0:12" in row.text]


def test_every_deed_of_every_row_is_a_command_that_can_be_read(
    night: tuple[dict[str, Any], int],
) -> None:
    """No key gives a command that the hub does not know, or arguments that it does not take."""
    docs, now = night
    room = Room("1", docs, now)
    rows = [
        *td_tables.tables(room),
        *td_tables.table(room, 2),
        *td_tables.table(room, 3),
        *td_tables.hand_for_hand(room),
        *td_papers.undo(room),
        *td_papers.journal(room),
        *td_house.devices(room),
        *td_house.events(room),
        *td_house.needs(room),
    ]
    deeds = [deed for row in rows for deed in row.deeds.values()]
    samples = {"seat": 1, "reason": "x", "to": {"table": 1, "seat": 1}, "player": "x"}
    tried = set()
    for deed in deeds:
        tried.add(deed.do)
        typed = {ask.arg: samples[ask.arg] for ask in deed.asks if ask.arg in samples}
        args = td_deeds.finish_args(deed.do, {**deed.args, **typed})
        if deed.hub:
            assert deed.do in WISHES or deed.do.startswith("screen.")
        else:
            parse(deed.do, args)
    assert len(tried) > 20
    assert tried <= COMMANDS.keys() | WISHES.keys() | {"screen.identify", "screen.reload"}


def test_the_sheet_names_every_key_of_the_room() -> None:
    """What a key does for the room can be looked up."""
    keys = " ".join(keys for keys, _ in SHEET)
    doc = event()
    for key in "+-][=npgbhHaAu":
        assert key in keys
    for key in ("space", "+", "=", "n", "p", "g", "b", "h", "H", "a", "A", "S", "F", "I"):
        assert room_deed(key, doc, 0) is not None


# ── drafts ───────────────────────────────────────────────────────────────────────────────────────


def draft(level: int = 3) -> tuple[Draft, dict[str, Any]]:
    """Give a draft of a Saturday that has reached a level."""
    night = given("star-brisbane-saturday", {1: 2})
    night.do("level.goto", level=level)
    doc = structure_document(night.state, night.now)
    found = Draft.of(doc)
    assert found is not None
    return found, doc


def test_EP_L_the_past_is_frozen_and_the_rest_can_be_edited() -> None:
    """A step that was played stays; the one that is played changes its length only."""
    paper, _ = draft()
    assert paper.longer(1, 5) is paper
    assert paper.removed(2) is paper  # it is being played
    assert paper.longer(2, 5).rows[2]["minutes"] == 25
    assert len(paper.removed(3).rows) == len(paper.rows) - 1
    assert paper.with_break(3).rows[4]["phase"] == "break"
    assert paper.with_blinds(3, {"small": 1, "big": 2, "ante": 0}).rows[3]["big"] == 2
    assert paper.longer(2, -500).rows[2]["minutes"] == 1


def test_a_level_that_is_put_in_lies_between_its_neighbours() -> None:
    """Half way, and round; after the last one it doubles half way."""
    paper, _ = draft()
    new = paper.with_level(3).rows[4]
    before, after = paper.rows[3], paper.rows[4]
    assert before["big"] <= new["big"] <= after["big"]
    last = paper.with_level(len(paper.rows) - 1).rows[-1]
    assert last["big"] == 150_000


def test_a_level_is_given_hands_and_keeps_its_minutes() -> None:
    """Hands are what is sent while they are counted; a break has none."""
    paper, doc = draft()
    counted = paper.with_length(3, step_length("12 hands"))
    assert (counted.rows[3]["hands"], counted.rows[3]["minutes"]) == (12, 20)
    assert counted.steps()[1]["hands"] == 12
    assert "minutes" not in counted.steps()[1]
    assert counted.times(doc)[-1] is None
    assert counted.longer(3, 1).rows[3]["hands"] == 13
    back = counted.with_length(3, step_length("25"))
    assert (back.rows[3]["hands"], back.rows[3]["minutes"]) == (None, 25)
    assert back.steps()[1]["minutes"] == 25
    assert paper.with_length(1, {"minutes": 5}) is paper  # it was played
    resting = paper.with_break(3)
    assert resting.with_length(4, {"hands": 5}) is resting
    assert resting.with_length(4, {"minutes": 5}).rows[4]["minutes"] == 5
    with pytest.raises(BadWords):
        step_length("0")


def test_a_bust_in_hand_for_hand_may_be_of_the_hand_before() -> None:
    """Asked only where hand-for-hand has gone on; empty is the hand that is played."""
    night = given("apl", {1: 3, 2: 3})

    def asked() -> list[str]:
        docs = {"t/1": night.event(), "t/1/table/1": night.table(1)}
        room = Room("1", docs, night.now)
        deed = next(row for row in td_tables.table(room, 1) if row.id == "seat/1").deeds["v"]
        return [ask.label for ask in deed.asks]

    assert len(asked()) == 1
    night.do("h4h.announce")
    assert len(asked()) == 1
    night.do("h4h.next")
    assert asked()[1] == "In which hand (empty: this one, 1; 0: the previous hand)"


def test_the_houses_start_is_offered_unless_it_was_missed() -> None:
    """Before it today's, long after it tomorrow's; half an hour late it is by hand."""
    noon = round(datetime(2026, 9, 9, 12, 0).astimezone().timestamp() * 1_000)
    assert house_start("12:30", noon) == "12:30"
    assert house_start("11:30", noon) == ""
    assert house_start("05:30", noon) == "05:30"
    assert house_start(None, noon) == ""
    assert finish_args("event.create", {"preset": "apl"})["starts_at"] is None


def test_a_draft_says_when_it_will_end_and_is_what_the_command_takes() -> None:
    """Ten minutes more end ten minutes later, and the steps are accepted."""
    paper, doc = draft()
    assert paper.times(doc) == [step["starts_at"] for step in doc["steps"]] + [doc["ends_at"]]
    longer = paper.longer(2, 5).longer(4, 10).with_break(6)
    assert longer.times(doc)[-1] == doc["ends_at"] + minutes(5 + 10 + 15)
    night = given("star-brisbane-saturday", {1: 2})
    night.do("level.goto", level=3)
    night.do("structure.set", steps=longer.steps())
    after = structure_document(night.state, night.now)
    assert [step["starts_at"] for step in after["steps"]] == longer.times(doc)[:-1]
    assert after["ends_at"] == longer.times(doc)[-1]
    assert longer.numbered()[-1] == 26
