"""What is fuzzed: everything that a stranger, a file or a script can put into Railbird.

A target takes any bytes. It raises only if something is wrong: what is bad must be refused by the
error that is meant for it, and what is accepted must bear being used. The suite feeds every target
with its seeds and with changes of them (`test_targets.py`); `make fuzz` looks for more with
atheris, which watches where the code goes and follows.
"""

from __future__ import annotations

import asyncio
import io
import json
import logging
import re
import tempfile
import tomllib
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import msgspec
from aiohttp import web

from display.terminal.printable import printable
from server import bounded_toml, presets, rehearsal, timetable
from server.access import Badge
from server.api import Api
from server.cli import say
from server.engine import BadInput, event_document, new
from server.engine.reading import text
from server.engine.visible import faults
from server.export import as_csv, as_json
from server.gate import Gate, host_of
from server.journal import Line, Stored
from server.logs import _Lines as lines
from server.protocol.messages import Welcome, encode, read_to_client, read_to_hub
from server.protocol.session import Session, Shown
from tests.hub.test_trust_kit import Guest
from tests.rig import MemoryJournal, Rig
from themes import loading
from themes.css import css
from themes.terminal import variables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROLES = ("", "viewer", "dealer", "floor", "director")
ANSWERS = {"problem", "refused", "done", "welcome", "doc", "probed", "code", "bye", "admitted"}
ENOUGH = 300
"""Cases after which a hub is thrown away: its journal would only get longer."""


# ── the wire ─────────────────────────────────────────────────────────────────────────────────────


def messages(data: bytes) -> None:
    """Insist that what can be read can be written, and read again as the same."""
    for read in (read_to_hub, read_to_client):
        try:
            found = read(data)
        except msgspec.DecodeError as error:
            assert str(error)
            continue
        assert read(encode(found)) == found


def session(data: bytes) -> None:
    """Say anything to a client: it never shows an older document after a newer."""
    client = Session("wall")
    client.follow("t/1", "hub")
    client.opened(0)
    newest: dict[str, int] = {}
    for own, frame in enumerate(data.split(b"\n")):
        try:
            news = client.received(frame, own)
        except msgspec.DecodeError:
            continue
        for found in news:
            if found.__class__.__name__ == "Welcome":
                newest.clear()  # other data: its revisions begin anew
            if isinstance(found, Shown):
                assert found.rev > newest.get(found.topic, found.rev - 1)
                newest[found.topic] = found.rev
        client.freshness(own)
    client.probe(99)
    client.lost(100)
    client.opened(101)


class Room:
    """A hub with an event, a token for every role, and a witness who must not notice anything."""

    def __init__(self) -> None:
        self.rig, self.cases = Rig(MemoryJournal()), 0
        self.rig.create()
        issue = self.rig.hub.reception.devices.issue
        self.tokens = {role: issue(Badge(role, "Ann", "1", 7)) for role in ROLES[1:]}
        self.witness = Guest(self.rig).hello(self.tokens["director"])
        self.witness.follow("t/1", "hub", "devices", "t/1/table/7")
        self.api = Api(self.rig.hub, Path("nowhere"))

    def unharmed(self) -> None:
        """Insist that nothing broke, and that the witness is served as ever."""
        self.cases += 1
        assert self.rig.faults == [], self.rig.faults
        assert not self.witness.closed
        said = self.witness.say("probe", sent=7)
        assert [s["sent"] for s in said if s["type"] == "probed"] == [7]
        del self.witness.said[:], self.witness.raw[:]


_rooms: list[Room] = []


def _room() -> Room:
    """Give a hub that is not worn out."""
    if _rooms and _rooms[0].cases >= ENOUGH:
        leave()
    if not _rooms:
        _rooms.append(Room())
    return _rooms[0]


def leave() -> None:
    """Let go of the hub."""
    while _rooms:
        _rooms.pop().rig.__exit__(None, None, None)


def hub(data: bytes) -> None:
    """Say anything to a hub, in any role: the answer is one, and nobody else notices."""
    room = _room()
    role = ROLES[data[0] % len(ROLES)] if data else ""
    guest = Guest(room.rig)
    if role:
        guest.hello(room.tokens[role])
    for message in data[1:].split(b"\n"):
        if guest.closed:
            break
        said = guest.throw(message)
        assert {found["type"] for found in said} <= ANSWERS
    guest.leave()
    room.unharmed()


def api(data: bytes) -> None:
    """Ask anything by HTTP: there is an answer, or a refusal in words."""
    room = _room()
    role = ROLES[data[0] % len(ROLES)] if data else ""
    headers = {"Authorization": f"Bearer {room.tokens[role]}"} if role else {}

    async def read() -> bytes:
        return data[1:]

    topic = data[1:].decode("utf-8", "replace")  # as aiohttp gives it
    request: Any = SimpleNamespace(
        headers=headers, remote="127.0.0.1", secure=True, read=read, match_info={"topic": topic}
    )

    async def ask() -> None:
        for handler in (room.api._command, room.api._document):  # noqa: SLF001 - behind the routes
            try:
                async with asyncio.timeout(60):
                    response = await handler(request)
            except web.HTTPException as refused:
                assert json.loads(refused.text or "")["text"]
            else:
                json.loads(bytes(response.body))  # type: ignore[arg-type]

    room.rig.loop.run_until_complete(ask())
    room.unharmed()


def headers(data: bytes) -> None:
    """Come by any name, from any page: nothing odd is ever a name."""
    host, _, origin = data.decode("latin-1").partition("\n")
    gate = Gate(["clock.example"])
    name = host_of(host)
    assert re.fullmatch(r"[a-z0-9_.:-]*", name)
    assert isinstance(gate.knows(host), bool)
    if gate.is_own(origin, host, "http"):
        assert origin.lower() == f"http://{host}".lower()


# ── files and scripts ────────────────────────────────────────────────────────────────────────────


@cache
def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="railbird-fuzz-"))


def _file(data: bytes) -> Path:
    path = _folder() / "venue.toml"
    path.write_bytes(data)
    return path


def preset(data: bytes) -> None:
    """Read any preset: it is refused with its file's name, or can be opened, shown and printed."""
    path = _file(data)
    try:
        rules = presets.load(str(path))
    except presets.BadPreset as bad:
        assert str(path) in str(bad)
        return
    json.dumps(event_document(new(rules, scheduled_at=0), 0))
    for _ in timetable.render(rules, None):
        pass


def toml(data: bytes) -> None:
    """Read any TOML: it is refused before it is parsed, or read as the parser alone reads it."""
    text = data.decode("utf-8", "replace")
    try:
        found = bounded_toml.loads(text)
    except bounded_toml.BadToml as bad:
        assert len(str(bad)) <= bounded_toml.MOST_TOLD
        return
    assert repr(found) == repr(tomllib.loads(text))
    assert _deep(found) <= 2 * bounded_toml.MOST_PARTS + bounded_toml.MOST_DEEP * (
        bounded_toml.MOST_PARTS + 1
    )


def _deep(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max(map(_deep, inner), default=0)


def theme(data: bytes) -> None:
    """Read any theme: it is refused with its file's name, or is a style sheet and nothing more."""
    path = _file(data)
    try:
        found = loading.load(path)
    except loading.BadTheme as bad:
        assert str(bad).startswith(path.name)
        return
    sheet = css(found)
    bare = re.sub(r'"[^"\n]*"', '""', sheet)
    assert bare.count("{") == bare.count("}") == 1
    assert bare.endswith("}\n")
    assert not re.search(r"[<>@]|/\*|expression|import", bare)
    assert all(part.startswith('url("/themes/') for part in re.findall(r'url\(".{8}', sheet))
    variables(found)


@cache
def _rules() -> Any:
    return presets.load("star-brisbane-saturday")


def script(data: bytes) -> None:
    """Play any script: a line is refused with its number, or played."""
    try:
        for line in rehearsal.rehearse(_rules(), data.split(b"\n")[:40], events=True):
            json.loads(line)
    except rehearsal.BadLine as bad:
        assert str(bad).startswith("line ")


def export(data: bytes) -> None:
    """Be called anything: no spreadsheet takes a cell of an export for a formula."""
    name = data.decode("utf-8", "replace")
    body = msgspec.json.encode({"event": "player.seated", "name": name, "table": 1})
    line = Line("1", 0, None, 0, name, name, name, body)
    for row in as_csv([Stored(1, line, b"")]):
        for cell in _cells(row):
            assert not cell.startswith(("=", "+", "-", "@", "\t", "\r")), row


def _cells(row: str) -> Iterator[str]:
    """Read a row as a spreadsheet does."""
    for quoted, plain in re.findall(r'(?:^|,)(?:"((?:[^"]|"")*)"|([^,"]*))', row):
        yield (quoted.replace('""', '"') or plain).lstrip(" ")


def outlets(data: bytes) -> None:
    """Be called anything: what is taken is shown as it is, and no outlet gives away what is not.

    The outlets are the reader of names, a log's line, a terminal, and a line of the command line
    for a document, an export and a script.
    """
    words = data.decode("utf-8", "surrogateescape")
    terminal = printable(words)
    try:
        assert text(len(words) or 1)(words, "name") == words == terminal
    except BadInput as bad:
        assert faults(str(bad)) == []
    record = logging.LogRecord("railbird", logging.INFO, "x", 1, words, None, None)
    record.fields = {"do": words}
    log = lines().format(record)
    assert json.loads(log)["do"] == words
    body = json.dumps({"event": "player.seated", "name": words, "table": 1}).encode()
    stored = Stored(1, Line("1", 0, None, 0, words, words, words, body), b"")
    document = json.dumps({"name": words}, ensure_ascii=False)
    out = io.StringIO()
    for told in (document, *as_csv([stored]), *as_json([stored]), f"railbird: {words}"):
        say(told, file=out)
    for shown in (terminal, log, *out.getvalue().split("\n")):
        assert faults(shown) == [], shown
    assert json.loads(out.getvalue().split("\n")[0]) == {"name": words}


# ── the table of targets ─────────────────────────────────────────────────────────────────────────

_HELLO = b'{"type":"hello","version":1,"device":"tab","kind":"wall","hub":"","have":{"t/1":3}}'
_DO = b'{"type":"do","id":"a","event":"1","do":"seat.put","args":{"table":7,"seat":1,"name":"Kim"}}'
_ASKS = (
    b'{"type":"subscribe","topics":["t/1","hub","t/1/table/7"]}',
    b'{"type":"unsubscribe","topics":["t/1"]}',
    b'{"type":"probe","sent":1}',
    b'{"type":"pair"}',
    b'{"type":"report","offset":3,"uncertainty":2,"skew":1,"build":"1"}',
    b'{"type":"do","id":"b","event":"","do":"event.create","args":{"preset":"apl"}}',
    b'{"type":"do","id":"c","event":"1","do":"hand.start","args":{"table":7},"at":1}',
)
_SAYS = (
    encode(Welcome(1, "h", "1", "viewer", "", None, None, 1)),
    b'{"type":"doc","topic":"t/1","rev":3,"doc":{"now":1}}',
    b'{"type":"doc","topic":"t/1","rev":2,"doc":{"now":1}}',
    b'{"type":"probed","sent":1,"at":2,"held":0}',
    b'{"type":"code","code":"BCDFGH","secret":"s","until":9}',
    b'{"type":"done","id":"a","at":1,"again":true}',
    b'{"type":"refused","id":"a","code":"late","text":"Too late."}',
    b'{"type":"bye","reason":"x","retry_ms":null}',
)
_THEMES = Path(loading.__file__).parent

TARGETS: dict[str, tuple[Callable[[bytes], None], tuple[bytes, ...]]] = {
    "messages": (messages, (_HELLO, _DO, *_ASKS, *_SAYS)),
    "session": (session, (b"\n".join(_SAYS), *_SAYS)),
    "hub": (
        hub,
        (b"\0" + _HELLO, *(bytes([role]) + b"\n".join((_DO, *_ASKS)) for role in range(1, 5))),
    ),
    "api": (
        api,
        (
            b'\4{"do":"clock.start","event":"1"}',
            b'\4{"do":"announce","event":"1","args":{"text":"hi"},"id":"x"}',
            b'\2{"do":"hand.start","event":"1","args":{"table":7}}',
            b"\0t/1",
            b"\1t/1/tables",
            b"\3t/1/floor",
        ),
    ),
    "headers": (
        headers,
        (b"127.0.0.1:8080\nhttp://127.0.0.1:8080", b"[::1]:1\nnull", b"clock.example", b"a.b"),
    ),
    "preset": (
        preset,
        (
            *(path.read_bytes() for path in sorted(presets.HOUSES.glob("*.toml"))[:4]),
            b'name="x"\nhouse="y"\nstack=1\nseats=9\nstructure="apl"\n',
        ),
    ),
    "toml": (
        toml,
        (
            *(path.read_bytes() for path in sorted(presets.HOUSES.glob("*.toml"))[-2:]),
            b'a . "b" = [1, {c.d = """x"""", e = \'\'\'"\n\'\'\'}] # "\n[[f]]\ng = 1.5\n',
            b"a" + b".a" * 30 + b" = 1",
        ),
    ),
    "theme": (
        theme,
        (
            b'like="classic"\nmark="x"\nlogo="logo.png"\n',
            *((_THEMES / f"{name}.toml").read_bytes() for name in loading.BUILT_IN[:2]),
        ),
    ),
    "script": (
        script,
        (
            b'{"at":0,"do":"clock.start"}\n{"at":1500,"show":["event","table/1"]}',
            b'{"at":0,"do":"clock.start"}\n{"at":9,"do":"hand.start","args":{"table":1}}',
            b'{"scheduled":-5}\n{"at":0,"do":"seat.put","args":{"table":1,"seat":1,"name":"Kim"}}',
        ),
    ),
    "outlets": (
        outlets,
        (
            b"Ann",
            "\u0639\u0644\u06cc\u200c\u0631 \U0001f469\u200d\U0001f4bb e\u0301".encode(),
            *(bad.encode() for bad in ("A\x9b31m", "A\u202eB", "A\u2028B", "A\x7f", "\u3164")),
            *(bad.encode() for bad in ("\u115f", "\ufe0f", "\x1b[2J", "\u2066", "\U000e0041")),
        ),
    ),
    "export": (export, (b"=cmd()", b'"=1+1"', b"-1,=2", b"\t@x", b"\r\n+1", b" =1", b"|x", b"%x")),
}
