"""Fuzz: whatever comes in, somebody is told what was wrong, and nobody else notices."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.access import Badge
from server.engine import COMMANDS
from server.export import as_csv, as_json
from server.journal import verify
from server.metrics import exposition
from server.wishes import WISHES
from tests.hub.test_trust_kit import Guest, guest
from tests.rig import MemoryJournal, Rig

if TYPE_CHECKING:
    from collections.abc import Iterator

QUICK = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
TYPES = ["hello", "subscribe", "unsubscribe", "do", "probe", "pair", "report", "doc", "nothing"]
KEYS = ["type", "version", "token", "kind", "hub", "have", "topics", "id", "event", "do", "args"]
WORDS = ["1", "", "hub", "t/1", "hand.start", "device.pair", "seat.put", "\ud800", "\x00", "🂡" * 99]
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(1 << 70), 1 << 70)
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(WORDS)
)
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from([*KEYS, "sent", "at", "table"]), inner, max_size=5)
    ),
    max_leaves=12,
)
MESSAGES = st.builds(
    lambda type_, rest: json.dumps({**rest, "type": type_}).encode(),
    st.sampled_from(TYPES),
    st.dictionaries(st.sampled_from([*KEYS, "sent", "at", "skew", "build"]), JSON, max_size=6),
)
DATA = st.binary(max_size=200) | JSON.map(lambda found: json.dumps(found).encode()) | MESSAGES
ANSWERS = {"problem", "refused", "done", "welcome", "doc", "probed", "code", "bye"}
HOSTILE = [
    "[/]",
    "[bold]x[/bold]",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "=cmd()",
    "+1+1",
    "@SUM(A1)",
    "'; DROP TABLE journal; --",
    "${x}{{y}}%s%n",
    "../../etc/passwd",
    "\u202eevil",
    "a\x00b",
    "a\nb",
    "\u2028",
    "\u200b",
    "\ufeff",
    "\ud83c",
    "\x1b[2J",
    "e\u0301" * 30,
    "x" * 10_000,
    " ",
    "",
    "NaN",
    "null",
]


@pytest.fixture(scope="module")
def played() -> MemoryJournal:
    """Play the beginning of an event, to start from."""
    with Rig() as rig:
        rig.create()
        return rig.journal


@pytest.fixture(scope="module")
def rig(played: MemoryJournal) -> Iterator[Rig]:
    """Start one hub for all examples: it must bear them all."""
    with Rig(MemoryJournal(played.stored, played.kept)) as rig:
        yield rig


@pytest.fixture(scope="module")
def witness(rig: Rig) -> Guest:
    """Let somebody in who must not notice anything."""
    witness = guest(rig, Badge("director", "Dora"))
    witness.follow("t/1", "hub", "devices")
    return witness


@pytest.fixture(scope="module")
def tokens(rig: Rig) -> dict[str, str]:
    """Give a token to every role."""
    issue = rig.hub.reception.devices.issue
    roles = ("viewer", "dealer", "floor", "director")
    return {role: issue(Badge(role, "Ann", "1", 7)) for role in roles}


def _unharmed(rig: Rig, witness: Guest) -> None:
    """See that nothing broke, and that the witness is served as ever."""
    assert rig.faults == []
    assert not witness.closed
    assert [s["sent"] for s in witness.say("probe", sent=7) if s["type"] == "probed"] == [7]
    assert witness.codes() == []


@given(data=DATA)
@QUICK
def test_any_first_message(rig: Rig, witness: Guest, data: bytes) -> None:
    """A stranger who says anything at all is told what was wrong, or welcomed."""
    stranger = Guest(rig)
    said = stranger.throw(data)
    assert said
    assert {s["type"] for s in said} <= {"problem", "welcome", "bye"}
    assert all(s["text"] for s in said if s["type"] == "problem")
    stranger.leave()
    _unharmed(rig, witness)


@pytest.mark.parametrize("role", ["viewer", "dealer", "floor", "director"])
@given(data=st.lists(DATA, min_size=1, max_size=4))
@QUICK
def test_any_later_message(
    rig: Rig, witness: Guest, tokens: dict[str, str], role: str, data: list[bytes]
) -> None:
    """Whatever somebody of any role says is answered, if it asks for an answer."""
    peer = Guest(rig).hello(tokens[role])
    for message in data:
        said = peer.throw(message)
        if peer.closed:
            break
        assert {s["type"] for s in said} <= ANSWERS
        try:
            found = json.loads(message)
        except ValueError:
            assert [s["code"] for s in said if s["type"] == "problem"] == ["bad_message"]
            continue
        silent = ("unsubscribe", "report", "subscribe")
        if not isinstance(found, dict) or found.get("type") not in silent:
            assert said
    peer.leave()
    _unharmed(rig, witness)


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 900,
        b'{"type":"do","id":"a","event":"1","do":"undo","args":'
        + b'{"a":' * 99
        + b"1"
        + b"}" * 100,
        b'{"type":"probe","sent":NaN}',
        b'{"type":"probe","sent":1e999}',
        b'{"type":"probe","sent":true}',
        b'{"type":"probe","sent":1,"sent":2,"x":3}',
        b'{"type":"probe","type":"do"}',
        b'{"type":"do","id":"","event":"1","do":"undo"}',
        b'{"type":"do","id":"a","event":"\\ud800","do":"undo"}',
        b'{"type":"subscribe","topics":["t/1/\\udfff"]}',
        b"\xff\xfe\x00",
        b"\x00" * 100,
        b"",
        b" ",
        b"null",
        b'"hello"',
        b"1" * 500,
    ],
)
def test_known_nastiness_is_a_problem(
    rig: Rig, witness: Guest, tokens: dict[str, str], data: bytes
) -> None:
    """What is known to upset readers of JSON is told as a problem, or read as what it is."""
    peer = Guest(rig).hello(tokens["director"])
    said = peer.throw(data)
    assert len(said) == 1
    assert said[0]["type"] in ("problem", "refused", "probed")
    assert not peer.closed
    peer.leave()
    _unharmed(rig, witness)


def _text_arguments() -> list[tuple[str, str, str]]:
    """List every argument that takes text, of every command and wish."""
    return [
        (event, do, f.name)
        for event, table in (("1", COMMANDS), ("", WISHES))
        for do, cls in sorted(table.items())
        for f in fields(cls)
        if "kind" in f.metadata and "str" in str(f.type)
    ]


SAMPLES: dict[str, Any] = {
    "chips": 1,
    "code": "BCDFGH",
    "device": "d99",
    "event": "99",
    "gap": 9,
    "mode": "add",
    "name": "Ann",
    "outcome": "dead",
    "pin": "0000",
    "player": "p1",
    "preset": "nowhere",
    "role": "viewer",
    "seat": 9,
    "seconds": 30,
    "table": 7,
    "text": "Hello",
}


@pytest.mark.parametrize(("event", "do", "name"), _text_arguments())
def test_hostile_words_in_every_argument(
    witness: Guest, tokens: dict[str, str], event: str, do: str, name: str
) -> None:
    """Every text argument takes hostile words as words, or refuses them in words."""
    rig = witness.rig
    cls = (COMMANDS if event else WISHES)[do]
    names = {f.name for f in fields(cls) if "kind" in f.metadata}
    peer = Guest(rig).hello(tokens["director"])
    for number, hostile in enumerate(HOSTILE):
        args = {key: value for key, value in SAMPLES.items() if key in names} | {name: hostile}
        command = f"{event}-{do}-{name}-{number}"
        body = {"type": "do", "id": command, "event": event, "do": do, "args": args}
        peer.throw(json.dumps(body).encode())
        rig.run(5)
        answer = next((s for s in peer.said if s.get("id") == command), peer.said[-1])
        assert answer["type"] in ("done", "refused", "problem"), answer
        assert answer["type"] == "done" or answer["text"]
        assert len(answer.get("text", "")) < 600
        assert len(peer.of("bye")) == 0
    peer.leave()
    _unharmed(rig, witness)


@pytest.mark.parametrize("kind", ["\u202etablet", "a\nb", "\x1b[2J", "\u200b"])
def test_a_hostile_kind_is_not_shown_to_the_floor(rig: Rig, kind: str) -> None:
    """What a stranger calls itself cannot turn or hide the words around it on a screen."""
    stranger = Guest(rig).hello(kind=kind)
    stranger.say("pair")
    shown = [asking["kind"] for asking in rig.hub.reception.document()["asking"]]
    stranger.leave()
    assert kind not in shown


@pytest.mark.parametrize("hostile", ["\u202ex", "a\nb", "\x00", "\u200b"])
def test_a_hostile_id_does_not_get_into_the_journal(rig: Rig, hostile: str) -> None:
    """The id of a wish is held to the same rules as that of a command."""
    one, other = (guest(rig, Badge("director", "Dora")) for _ in range(2))
    command = one.do("hand.start", on="1", id_=hostile, table=7)
    wish = other.do("staff.add", id_=hostile, name="Ann", pin="4711")
    assert command["code"] == "bad_value"
    assert wish["type"] == "refused"


def test_after_all_that_everything_can_be_read(rig: Rig, witness: Guest) -> None:
    """The journal is whole, its exports and metrics can be read, and the hub starts again."""
    assert verify(rig.journal.stored, rig.journal.head()) is None
    assert len(list(as_csv(rig.journal.stored))) == len(rig.journal.stored) + 1
    assert all(json.loads(line) for line in as_json(rig.journal.stored))
    assert exposition(rig.hub).endswith("\n")
    for topic in ("events", "hub", "devices", "t/1", "t/1/floor", "t/1/tables", "t/1/table/7"):
        msgspec.json.encode(rig.hub.document(topic))
    _unharmed(rig, witness)
    with Rig(MemoryJournal(rig.journal.stored, rig.journal.kept)) as again:
        mine, theirs = again.hub.desks["1"].shown, rig.hub.desks["1"].shown
        assert mine.room == theirs.room
