"""The ledger: the journal as people read it, live and over HTTP, with every ruling explained."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from server.access import Badge
from server.engine.events import ActionExpired
from server.ledger import ENTRIES, HUB_WORDS, TAIL
from server.papers import MOST_LINES
from server.protocol.messages import Done
from tests.hub.test_api import Api, using
from tests.rig import Rig
from tests.served import serving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from tests.rig import Peer


@pytest.fixture
def rig() -> Iterator[Rig]:
    """Start a hub with an event that is played at two tables."""
    with Rig() as rig:
        rig.create("star-brisbane-saturday", {7: 3, 8: 3})
        yield rig


def entries(peer: Peer) -> list[dict[str, Any]]:
    """Give the journal as it is now."""
    peer.doc("journal")
    peer.rig.run(300)
    found: list[dict[str, Any]] = peer.doc("journal")["entries"]
    return found


def test_a_command_is_one_entry_with_its_effects(rig: Rig) -> None:
    """Who did what, where, and what followed, the newest first; undo takes its id."""
    director = rig.director()
    rig.dealer(table=7).do("hand.start", table=7)
    command = director.tap("clock.pause", reason="fire alarm")
    newest, before, *_ = entries(director)
    assert newest["text"] == "Pause the room (fire alarm)"
    assert (newest["who"], newest["what"], newest["kind"]) == ("Dora", "clock.pause", "command")
    assert newest["then"] == ["everything stands (fire alarm)"]
    assert newest["command"] == command
    assert (before["who"], before["table"], before["text"]) == ("Dan", 7, "Table 7: new hand")
    assert before["then"] == ["table 7: hand at level 1, 100/100 (100)"]
    assert isinstance(director.do("undo", command=newest["command"]), Done)
    assert entries(director)[0]["text"] == "Undo"


def test_SB_47h_what_time_does_is_told_and_explained(rig: Rig) -> None:
    """A chip that burns and a hand that dies say when time was up, and how long the hub waited."""
    director, dealer = rig.director(), rig.dealer(table=7)
    dealer.do("hand.start", table=7)
    dealer.do("action.start", table=7, seat=1)
    for _ in range(110):
        dealer.probe()
        rig.run(1_000)
    told = [entry for entry in entries(director) if entry["kind"] == "time"]
    assert [entry["what"] for entry in told] == ["action.expired", *["chip.forfeited"] * 4]
    ended = told[0]
    assert ended["text"] == "Table 7, seat 1: time ran out, a dead hand"
    assert (ended["table"], ended["seat"], ended["who"]) == (7, 1, "hub")
    assert "Time was up at" in ended["explain"]
    assert "waits 300 ms" in ended["explain"]


@pytest.mark.parametrize(
    ("delay", "skew_ms", "words"),
    [
        (20, 0, "It counts from the tap itself."),
        (20, 250, "It counts from the tap itself."),
        (20, 350, "300 ms before it was received: no tap is believed for longer than 300 ms"),
    ],
)
def test_AP_29_a_tap_is_explained_by_its_three_instants(
    rig: Rig, delay: int, skew_ms: int, words: str
) -> None:
    """The raw tap, the instant that counted and the receipt are told in words."""
    director, dealer = rig.director(), rig.dealer(table=7, delay=delay).keeps_probing()
    rig.run(16_400)  # the hub's pings measure the way
    own = dealer.own
    dealer.own = lambda: own() - skew_ms  # type: ignore[method-assign]
    dealer.tap("hand.start", table=7)
    rig.run(500)
    entry = next(found for found in entries(director) if found["what"] == "hand.start")
    assert words in entry["explain"]
    assert entry["tapped"] <= entry["at"] <= entry["received"]
    assert (entry["tapped"] == entry["at"]) is (skew_ms + delay <= 300)


def test_a_tap_that_came_too_late_is_told(rig: Rig) -> None:
    """The floor reads that somebody tapped after time had run out, and by how much."""
    director, dealer = rig.director(), rig.dealer(table=7)
    director.do("bank.grant", chips=0, mode="set")
    dealer.do("hand.start", table=7)
    dealer.do("action.start", table=7, seat=1)
    asked = ActionExpired(at=rig.now, table=7, seat=1, outcome="needs_ruling")  # by an older hub
    rig.hub.desks["1"].commit([asked], None)
    rig.run(10)
    answer = dealer.do("action.next", table=7)
    assert not isinstance(answer, Done)
    note = next(found for found in entries(director) if found["what"] == "tap.late")
    assert note["text"] == "Too late: table 7: next player"
    assert "Time had run out" in note["explain"]
    assert note["kind"] == "note"


def test_the_list_is_short_and_is_still_there_after_a_restart(rig: Rig) -> None:
    """The newest fifty entries, the same ones after a crash, and that the hub was away."""
    director = rig.director()
    for number in range(ENTRIES + 10):
        director.do("announce", text=f"Number {number}")
    before = entries(director)
    assert len(before) == ENTRIES
    assert before[0]["text"] == f"Announce: Number {ENTRIES + 9}"
    rig.crash()
    director.connect()
    rig.run(5)
    missed, *after = entries(director)
    assert missed["what"] == "time.missed"
    assert [entry["seq"] for entry in after] == [entry["seq"] for entry in before[:-1]]
    assert after[:3] == before[:3]
    assert TAIL > 2 * ENTRIES


def test_a_ruling_and_an_undo_may_carry_a_reason(rig: Rig) -> None:
    """What the floor voids, and why, is in the journal for who disputes it."""
    director = rig.director()
    dealer = rig.dealer(table=7).keeps_probing()
    dealer.do("hand.start", table=7)
    dealer.do("action.start", table=7, seat=1)
    director.do("bank.grant", chips=0, mode="set")
    rig.run(21_000)
    ruling = director.do("action.ruling", table=7, outcome="void", reason="nobody heard the call")
    assert isinstance(ruling, Done)
    newest = entries(director)[0]
    assert newest["text"].endswith("void, the player goes on (nobody heard the call)")
    director.do("undo", command=newest["command"], reason="they had")
    assert entries(director)[0]["text"] == "Undo (they had)"


def test_names_are_told_with_what_can_be_undone(rig: Rig) -> None:
    """The list of what can be undone says in words what it was and who did it."""
    director = rig.director()
    director.do("clock.add", ms=60_000)
    dealer = rig.dealer(table=7)
    dealer.do("hand.start", table=7)
    rig.run(300)
    first, second, *_ = director.doc("floor")["undo"]
    rig.run(300)
    first, second, *_ = director.doc("floor")["undo"]
    assert (first["text"], first["who"], first["by"]) == ("table 7: new hand", "Dan", "dealer")
    assert (second["text"], second["who"], second["by"]) == ("give 1:00", "Dora", "director")


def test_what_a_director_decided_stays_undoable_under_a_storm_of_taps(rig: Rig) -> None:
    """A hundred dealers' taps later the pause is still in the list, with its name."""
    director, dealer = rig.director(), rig.dealer(table=7)
    director.do("clock.add", ms=60_000)
    for _ in range(60):
        assert isinstance(dealer.do("hand.start", table=7), Done)
        assert isinstance(dealer.do("hand.end", table=7), Done)
    rig.run(300)
    director.doc("floor")
    rig.run(300)
    rows = director.doc("floor")["undo"]
    found = [row for row in rows if row["do"] == "clock.add"]
    assert [(row["text"], row["who"], row["undone"]) for row in found] == [
        ("give 1:00", "Dora", False)
    ]
    assert isinstance(director.do("undo", command=found[0]["command"]), Done)


# ── over HTTP ────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
async def api(tmp_path: Path) -> AsyncIterator[Api]:
    """Serve a hub with an event and a few commands."""
    async with serving(tmp_path / "data") as room, using(room) as api:
        await api.do("event.create", event="", preset="star-brisbane-saturday", starts_at=None)
        for seat in (1, 2, 3):
            await api.do("seat.put", player=f"p{seat}", name="=cmd()", table=7, seat=seat)
        await api.do("clock.start")
        await api.do("hand.start", table=7)
        await api.do("clock.pause", reason="<b>fire</b>", token=room.token(Badge("floor", "Fred")))
        yield api


async def test_the_journal_is_read_by_table_seat_and_person(api: Api) -> None:
    """Filters narrow the journal down, and `before` goes on where a page ended."""

    async def page(query: str) -> Any:
        status, found = await api.ask("GET", f"/api/v1/journal?{query}", api.room.director)
        assert status == 200, found
        return found

    whole = await page("event=1")
    assert [entry["what"] for entry in whole["entries"]] == [
        "clock.pause",
        "hand.start",
        "clock.start",
        *["seat.put"] * 3,
    ]
    assert whole["before"] is None
    assert whole["entries"][0]["text"] == "Pause the room (<b>fire</b>)"
    assert [e["what"] for e in (await page("event=1&who=fred"))["entries"]] == ["clock.pause"]
    assert len((await page("event=1&table=7"))["entries"]) == 4
    assert [e["seat"] for e in (await page("event=1&table=7&seat=2"))["entries"]] == [2]
    first = await page("event=1&limit=2")
    second = await page(f"event=1&limit=2&before={first['before']}")
    assert [e["seq"] for e in first["entries"] + second["entries"]] == [
        e["seq"] for e in whole["entries"][:4]
    ]
    own = (await page("event="))["entries"]
    assert {"event.created", "hub.started"} <= {entry["what"] for entry in own}
    assert any(e["text"] == "Event 1 created from star-brisbane-saturday" for e in own)
    assert len((await page(""))["entries"]) == len(whole["entries"]) + len(own)


async def test_a_page_looks_through_so_much_and_says_where_to_go_on(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rare thing in a long journal is found by asking again, never by one endless request."""
    assert MOST_LINES > 1_000
    monkeypatch.setattr("server.papers.MOST_LINES", 4)
    found, before, pages = [], "", 0
    while pages < 20:
        path = f"/api/v1/journal?event=1&seat=1{before}"
        _, page = await api.ask("GET", path, api.room.director)
        found += page["entries"]
        pages += 1
        if page["before"] is None:
            break
        before = f"&before={page['before']}"
    assert pages > 2
    assert [entry["what"] for entry in found] == ["seat.put"]
    assert found[0]["then"]


@pytest.mark.parametrize("path", ["/api/v1/journal", "/api/v1/export?event=1"])
async def test_the_journal_is_for_the_floor(api: Api, path: str) -> None:
    """Dealers and strangers may not read it; the floor may."""
    for token in (None, api.room.token(Badge("dealer", "", "1", 7))):
        status, found = await api.ask("GET", path, token)
        assert (status, found["code"]) == (403, "forbidden")
    status, _ = await api.ask("GET", path, api.room.token(Badge("floor")))
    assert status == 200


@pytest.mark.parametrize("query", ["table=x", "limit=-1", "before=1.5", "seat=" + "9" * 99])
async def test_bad_questions_are_refused_in_words(api: Api, query: str) -> None:
    """A number is a number."""
    status, found = await api.ask("GET", f"/api/v1/journal?{query}", api.room.director)
    assert (status, found["code"]) == (422, "bad_value")


async def test_an_export_is_one_event_and_no_spreadsheet_obeys_it(api: Api) -> None:
    """CSV for people, with formulas made harmless; JSON lines with every hash."""
    response = await api.full("GET", "/api/v1/export?event=1&format=csv", api.room.director)
    assert "attachment" in response.headers["Content-Disposition"]
    rows = list(csv.reader(io.StringIO(await response.text())))
    assert rows[0][:3] == ["line", "event", "what"]
    assert {row[1] for row in rows[1:]} == {"1"}
    response = await api.full("GET", "/api/v1/export?event=1&format=jsonl", api.room.director)
    lines = [json.loads(line) for line in (await response.text()).splitlines()]
    assert len(lines) == len(rows) - 1
    assert all(len(line["hash"]) == 64 for line in lines)
    status, _ = await api.ask("GET", "/api/v1/export?format=exe", api.room.director)
    assert status == 422


async def test_a_structure_is_taken_away_and_brought_back(api: Api) -> None:
    """What is exported can be sent in, and gives the steps from the current one on."""
    await api.do("level.goto", level=3)
    for kind in ("toml", "csv"):
        path = f"/api/v1/structure?event=1&format={kind}"
        response = await api.full("GET", path)
        assert response.status == 200
        text = await response.text()
        status, found = await api.ask("POST", path, api.room.director, data=text.encode())
        assert status == 200
        assert len(found["steps"]) == 30
        assert found["ahead"] == found["steps"][2:]
        status, _ = await api.do("structure.set", steps=found["ahead"])
        assert status == 200
    status, found = await api.ask(
        "POST", "/api/v1/structure?format=csv", api.room.director, data=b"small,big\n=1,2\n"
    )
    assert (status, found["code"]) == (422, "bad_value")
    assert "row 2.small" in found["text"]
    for data, token, expected in (
        (b"\xff", api.room.director, 422),
        (b"x", None, 403),
        (b"x" * 100_000, api.room.director, 413),
    ):
        status, _ = await api.ask("POST", "/api/v1/structure?format=csv", token, data=data)
        assert status == expected
    status, _ = await api.ask("GET", "/api/v1/structure?event=9")
    assert status == 404


def test_every_line_of_the_hubs_own_has_words() -> None:
    """Whatever the registry and the reception write is told in words, not by its name."""
    import re  # noqa: PLC0415
    from pathlib import Path  # noqa: PLC0415

    server = Path(__file__).parents[2] / "server"
    found: set[str] = set()
    for name in ("registry", "reception", "office", "hub"):
        text = (server / f"{name}.py").read_text("utf-8")
        found |= set(re.findall(r'\{\s*"event": "([a-z.]+_?[a-z]*)"', text))
    assert found
    assert found <= HUB_WORDS.keys()
