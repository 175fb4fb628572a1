"""Hostile text at every outlet: what a stranger says commands no log, no terminal and no wall.

Some hubs have it in their journal, from before it was refused: those open as ever, and what goes
out of them is harmless too.
"""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from websockets.asyncio.client import connect

from display.terminal.printable import printable
from server.config import Places
from server.engine.visible import faults
from server.logs import _Lines
from server.protocol.messages import Done, Refused
from tests.hub.test_trust_kit import Guest
from tests.rig import MemoryJournal, Rig
from tests.served import HELLO, PATIENCE, ROOT, Process, railbird, railbird_here, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.rig import Peer

ISSUE = {
    "C1": "Ann\x9b31m",
    "override": "Ann\u202eBob",
    "line separator": "Ann\u2028Bob",
    "DEL": "Ann\x7f",
    "Hangul filler": "\u3164",
    "Hangul leading filler": "\u115f",
    "selector": "\ufe0f",
}
"""The very characters that came through."""

OUGHT_NOT = frozenset("\x9b\u202e\u2028\x7f\u3164\u115f\ufe0f\x1b")

COMMANDS: list[tuple[str, str, dict[str, Any]]] = [
    ("1", "seat.put", {"player": "p9", "table": 7, "seat": 9, "name": ...}),
    ("1", "seat.put", {"player": ..., "table": 7, "seat": 9}),
    ("1", "announce", {"text": ...}),
    ("1", "floor.call", {"table": 7, "reason": ...}),
    ("1", "table.pause", {"table": 7, "reason": ...}),
    ("1", "clock.pause", {"reason": ...}),
    ("", "event.create", {"preset": "apl", "name": ...}),
    ("", "staff.add", {"name": ..., "pin": "4711"}),
    ("", "device.rename", {"device": "d1", "name": ...}),
    ("", "device.pair", {"code": "BCDFGH", "role": "floor", "name": ...}),
    ("", "screen.set", {"device": "d1", "theme": ...}),
]


def _filled(args: dict[str, Any], words: str) -> dict[str, Any]:
    return {key: words if value is ... else value for key, value in args.items()}


@pytest.fixture(scope="module")
def rig() -> Iterator[Rig]:
    """Start a hub with an event."""
    with Rig() as rig:
        rig.create()
        yield rig


@pytest.fixture(scope="module")
def director(rig: Rig) -> Peer:
    """Let a director in."""
    return rig.director()


@pytest.mark.parametrize("words", ISSUE.values(), ids=ISSUE)
@pytest.mark.parametrize(("event", "do", "args"), COMMANDS, ids=[do for _, do, _ in COMMANDS])
def test_no_command_takes_it(
    director: Peer, event: str, do: str, args: dict[str, Any], words: str
) -> None:
    """Names, reasons and announcements are refused in words, and nothing is stored."""
    before = len(director.rig.journal.stored)
    answer = director.do(do, event=event, **_filled(args, words))
    assert isinstance(answer, Refused)
    assert answer.code == "bad_value"
    assert answer.text.isprintable()
    assert "must not" in answer.text
    assert len(director.rig.journal.stored) == before


@pytest.mark.parametrize("words", ISSUE.values(), ids=ISSUE)
def test_what_a_device_says_of_itself_is_taken_without_it(rig: Rig, words: str) -> None:
    """Its kind and what it reports reach the floor, but for what cannot be shown."""
    guest = Guest(rig).hello(kind=f"tablet{words}")
    guest.say("pair")
    kinds = [asking["kind"] for asking in rig.hub.reception.document()["asking"]]
    assert kinds == [f"tablet{printable(words)}"]
    guest.say("report", build=f"1{words}", scene=words[:8], sound=words[:8])
    rig.run(10)
    (report,) = [v.report for v in rig.hub.visitors if v.report is not None]
    assert faults("".join(str(value) for value in report.values())) == []
    guest.leave()


@pytest.mark.parametrize("words", [*ISSUE.values(), "half \ud83c", "\U000e0041"])
def test_a_log_line_has_its_code_instead(words: str) -> None:
    """Whoever looks at a log in a terminal sees what it was, and a program reads what it was."""
    record = logging.LogRecord("railbird", logging.INFO, "x", 1, words, None, None)
    record.fields = {"do": words, words: [words]}
    line = _Lines().format(record)
    assert faults(line) == []
    assert OUGHT_NOT.isdisjoint(line)
    line.encode("utf-8")
    assert json.loads(line)["do"] == json.loads(line)["what"] == words


@pytest.mark.parametrize(
    "page",
    [
        "display/web/wall",
        "display/web/phone",
        "display/web/index",
        "display/web/legacy",
        "dealer_console/web/dealer",
        "dealer_console/web/director",
    ],
)
def test_a_name_turns_no_words_beside_it_on_a_page(page: str) -> None:
    """Hebrew and Arabic are read from the right; what stands in other elements is not."""
    (rule,) = [
        line for line in (ROOT / f"{page}.css").read_text("utf-8").splitlines() if line[:3] == "* {"
    ]
    assert "unicode-bidi: isolate;" in rule


# ── a journal from before ────────────────────────────────────────────────────────────────────────

OLD = "An\x9b\u202e\u2028\x7fn \u3164"


def _before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every text, as hubs once did."""
    monkeypatch.setattr("server.engine.reading.why_not", lambda _: None)


def test_a_journal_from_before_opens_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names that are not taken any more are still those of the players who had them."""
    with monkeypatch.context() as old, Rig() as rig:
        _before(old)
        director = rig.director()
        director.do("event.create", event="", preset="apl", name=OLD)
        director.do("event.create", event="", preset="apl", name="\u3164")
        director.do("seat.put", player=OLD, name=OLD, table=7, seat=1)
        director.do("announce", text=OLD)
        seen = rig.hub.document("t/1/table/7")[1]
        journal = rig.journal
    with Rig(MemoryJournal(journal.stored, journal.kept)) as rig:
        again = rig.hub.document("t/1/table/7")[1]
        assert again["seats"]["1"]["name"] == seen["seats"]["1"]["name"] == OLD
        assert [desk.made.rules.name for desk in rig.hub.desks.values()] == ["Ann ", "?"]
        director = rig.director()
        assert isinstance(director.do("player.bust", player=OLD), Refused)
        assert isinstance(director.do("seat.clear", table=7, seat=1), Done)


async def test_every_tool_shows_it_without_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Logs, documents, exports, scripts and errors: all that comes out of a hub from before."""
    data = tmp_path / "data"
    with monkeypatch.context() as old:
        _before(old)
        async with serving(data) as room:
            director = await room.dial(room.director)
            await director.done("event.create", event="", preset="apl", name=OLD)
            await director.done("seat.put", player="p1", name=OLD, table=7, seat=1)
            await director.done("announce", text=OLD)
            await director.done("floor.call", table=7, reason=OLD)
    hub = Process(data)
    try:
        outputs = [
            railbird("show", topic, "--data", data)
            for topic in ("events", "t/1", "t/1/table/7", "t/1/floor", "t/1/tables", "hub")
        ]
        name = json.loads(outputs[2].stdout)["seats"]["1"]["name"]
        assert name == OLD, "a program reads what it was"
        outputs += [
            railbird_here("do", "announce", "--event", "1", "--text", OLD, "--data", data),
            railbird_here("do", OLD, "--data", data),
            railbird_here("show", f"t/{OLD}", "--data", data),
            railbird_here("export", "--data", data),
            railbird_here("export", "--format", "jsonl", "--data", data),
            railbird_here("replay", "--event", "1", "--data", data),
            railbird_here("verify", "--data", data),
            railbird_here("presets"),
            railbird_here("timetable", f"{OLD}.toml"),
            railbird_here("show", "hub", "--data", tmp_path / OLD),
            railbird("show", "hub", OLD.replace(" ", ""), "--data", data),
        ]
    finally:
        hub.stop()
    outputs.append(railbird_here("export", "--data", data))
    for found in outputs:
        for line in (found.stdout + found.stderr).splitlines():
            assert faults(line) == [], (found.args, line)
        assert OUGHT_NOT.isdisjoint(found.stdout + found.stderr), found.args
    assert any("An\\u009b\\u202e\\u2028\\u007fn \\u3164" in found.stdout for found in outputs)
    for line in hub.log():
        assert faults(line) == []


async def test_no_log_of_a_real_hub_has_it(tmp_path: Path) -> None:
    """Whatever a stranger sends by websocket or HTTP, the log has no character that commands."""
    hub = Process(tmp_path / "data")
    try:
        await _say_everything(tmp_path / "data")
    finally:
        hub.stop()
    lines = hub.log()
    assert any("refused" in line for line in lines)
    for line in lines:
        assert faults(line) == []
        json.loads(line)


async def _say_everything(data: Path) -> None:
    """Come as a stranger with every name there is, and put the same into all that HTTP has."""
    address = Places(data).address.read_text("ascii").strip()
    port = int(address.rpartition(":")[2])
    for words in (*ISSUE.values(), "\x1b[2J", "\x07"):
        async with connect(f"ws://127.0.0.1:{port}/ws", compression=None, proxy=None) as wire:
            await wire.send(json.dumps({**HELLO, "kind": words}))
            do = {"type": "do", "id": "a", "event": words, "do": words, "args": {words: words}}
            await wire.send(json.dumps(do))
            while json.loads(await wire.recv())["type"] != "refused":
                pass
        raw = words.encode("utf-8")
        for request in (
            b"GET /" + raw + b" HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: " + raw + b"\r\nConnection: close\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: "
            + raw
            + b"\r\nOrigin: http://"
            + raw
            + b"\r\nConnection: close\r\n\r\n",
            raw + b" / HTTP/1.1\r\n" + raw + b"\r\n\r\n",
        ):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(request)
            async with asyncio.timeout(PATIENCE):
                with suppress(ConnectionError):
                    await reader.read(-1)
            writer.close()
