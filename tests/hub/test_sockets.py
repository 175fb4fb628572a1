"""Sockets: a real hub on a real port, and everything that may come over a wire."""

from __future__ import annotations

import asyncio
import gc
import json
import socket
import warnings
from collections import Counter
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from blockbuster import blockbuster_ctx

from server import fanout
from server.access import Badge
from server.journal import verify
from server.protocol.link import Closed, Link
from server.protocol.messages import Done
from server.protocol.session import Session, Shown
from server.sqlite_journal import SqliteJournal
from server.visitor import HELLO_WITHIN, RETRY, Visitor
from tests.rig import Rig, payloads
from tests.served import HELLO, PATIENCE, Room, Wire, masked, serving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from server.protocol.messages import ToClient

PRESET = "star-brisbane-saturday"
MANY = 500
"""Tables whose board is larger than what fits the middle form of a frame's length."""


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    """Serve a hub with one event that runs."""
    async with serving(tmp_path / "data") as room:
        director = await room.dial(room.director)
        await director.done("event.create", event="", preset=PRESET)
        await director.done("clock.start")
        yield room


async def _open_tables(director: Wire, count: int) -> None:
    last = ""
    for number in range(1, count + 1):
        last = await director.tap("table.open", table=number)
    await director.until(lambda found: found.get("id") == last)


# ── hello and documents ──────────────────────────────────────────────────────────────────────────


async def test_hello_is_answered_with_a_welcome(room: Room) -> None:
    """Who says hello is told who it is to the hub, and what time it is."""
    wire = await room.connect()
    await wire.say("hello", version=1, token=room.token(Badge("dealer", "Ana", "1", 7)))
    before = room.hub.time.now()
    welcome = await wire.next()
    assert welcome.pop("now") - before in range(-1_000, 1_000)
    assert welcome.pop("build")
    assert welcome.pop("device").startswith("d")
    assert welcome == {
        "type": "welcome",
        "version": 1,
        "hub": room.hub.id,
        "role": "dealer",
        "name": "Ana",
        "event": "1",
        "table": 7,
    }


async def test_documents_are_framed_by_their_size(room: Room) -> None:
    """Every frame is one final unmasked text, with its length in the shortest form that fits."""
    director = await room.dial(room.director)
    await _open_tables(director, MANY)
    bare = await room.bare(limit=1 << 20)
    wanted = {"x": 0, "t/1": 126, "t/1/tables": 127}
    message = {"type": "subscribe", "topics": list(wanted)}
    bare.write(masked(json.dumps(message).encode()))
    sizes: dict[str, int] = {}
    while sizes.keys() != wanted.keys():
        first, second, payload = await bare.frame()
        if first == 0x89:
            continue  # a ping
        assert first == 0x81
        document = json.loads(payload)
        sizes[document["topic"]] = len(payload)
        form = wanted[document["topic"]]
        assert second == (form or len(payload))
    assert sizes["x"] < 126 <= sizes["t/1"] < 1 << 16 <= sizes["t/1/tables"]


async def test_everybody_sees_the_same_bytes(room: Room) -> None:
    """A revision of a document is the same bytes for everybody who follows it."""
    director = await room.dial(room.director)
    walls = [await room.dial() for _ in range(2)]
    for wall in walls:
        await wall.follow("t/1")
    for number in range(20):
        await director.done("announce", text=f"Words {number}")
    for wall in walls:
        await wall.until(lambda m: m["type"] == "doc" and "Words 19" in json.dumps(m["doc"]))
    seen = [
        {json.loads(raw)["rev"]: raw for raw in wall.raw if json.loads(raw)["type"] == "doc"}
        for wall in walls
    ]
    common = seen[0].keys() & seen[1].keys()
    assert len(common) >= 20
    assert all(seen[0][rev] == seen[1][rev] for rev in common)


async def test_nothing_is_lost_between_subscription_and_snapshot(room: Room) -> None:
    """Who comes while commands fly sees every revision from its first document to the last one."""
    director = await room.dial(room.director)
    witness = await room.dial()
    await witness.follow("t/1")
    walls: list[Wire] = []
    for number in range(60):
        command = await director.tap("announce", text=f"Words {number}")
        if number % 4 == 0:  # in the middle of it: before the answer
            wall = await room.dial()
            await wall.say("subscribe", topics=["t/1"])
            walls.append(wall)
        await director.until(lambda m, command=command: m.get("id") == command)  # type: ignore[misc]
    told = []
    for wire in (witness, *walls):
        await wire.until(lambda m: m["type"] == "doc" and "Words 59" in json.dumps(m["doc"]))
        told.append([m["rev"] for m in wire.heard if m["type"] == "doc"])
    everything = told[0]
    assert everything == sorted(set(everything))
    assert len(everything) == 61
    for revs in told[1:]:
        assert revs == everything[everything.index(revs[0]) :]


async def test_what_a_client_has_is_not_sent_again(room: Room) -> None:
    """The current revision is not sent to who has it; an older one, or another hub's, is."""
    director = await room.dial(room.director)
    await director.follow("t/1")
    old = director.revs["t/1"]
    await director.done("announce", text="News")
    new = director.revs["t/1"]  # the document comes before the acknowledgement
    assert new > old

    async def told(hub: str, rev: int) -> list[int]:
        wire = await room.dial(hub=hub, have={"t/1": rev})
        await wire.say("subscribe", topics=["t/1"])
        return [m["rev"] for m in await wire.settled() if m["type"] == "doc"]

    assert await told(room.hub.id, new) == []
    assert await told(room.hub.id, old) == [new]
    assert await told("another hub", new) == [new]
    assert await told("", new) == [new]


# ── frames ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("payload", [b"", b"tick", b"\x00\xff" * 62 + b"\x00"])
async def test_a_ping_is_answered_with_its_own_payload(room: Room, payload: bytes) -> None:
    """A pong carries what the ping carried, also before hello."""
    for greeted in (True, False):
        bare = await room.bare(hello=greeted)
        bare.write(masked(payload, 0x9))
        while (found := await bare.frame())[0] != 0x8A:
            assert found[0] in (0x81, 0x89)
        assert found == (0x8A, len(payload), payload)


async def test_binary_frames_are_read_as_text(room: Room) -> None:
    """A client whose library sends bytes is understood, and answered in text."""
    wire = await room.connect()
    await wire.socket.send(json.dumps(HELLO).encode())
    assert (await wire.next())["type"] == "welcome"
    assert isinstance(wire.raw[0], str)


async def test_a_message_may_come_in_pieces(room: Room) -> None:
    """Fragments are put together, and a ping between them is answered."""
    bare = await room.bare(hello=False)
    whole = json.dumps(HELLO).encode()
    bare.write(masked(whole[:5], 0x1, final=False))
    bare.write(masked(b"between", 0x9))
    assert await bare.frame() == (0x8A, 7, b"between")
    bare.write(masked(whole[5:9], 0x0, final=False) + masked(whole[9:], 0x0))
    assert (await bare.text(lambda m: m["type"] == "welcome"))["role"] == "viewer"


async def test_half_a_message_holds_nobody_up(room: Room) -> None:
    """Half a frame and then silence delays nobody; the other half is still welcome."""
    bare = await room.bare(hello=False)
    whole = masked(json.dumps(HELLO).encode())
    bare.write(whole[:11])
    director = await room.dial(room.director)
    for number in range(20):
        await director.done("announce", text=f"Words {number}")
    bare.write(whole[11:])
    await bare.text(lambda m: m["type"] == "welcome")


GARBAGE = {
    "not JSON": "hello?",
    "nothing": "",
    "NaN": '{"type": "probe", "sent": NaN}',
    "a number without end": '{"type": "probe", "sent": 1e999}',
    "a fraction": '{"type": "probe", "sent": 1.5}',
    "nested without end": "[" * 900,
    "arguments nested without end": (
        '{"type":"do","id":"1","event":"1","do":"announce","args":{"text":' + "[" * 900
    ),
    "an unknown type": '{"type": "shutdown"}',
    "no type": "{}",
    "a list": "[]",
    "an unknown field": '{"type": "probe", "sent": 1, "more": 2}',
    "half a surrogate": '{"type": "subscribe", "topics": ["\\ud800"]}',
    "too many topics": json.dumps({"type": "subscribe", "topics": ["x"] * 65}),
    "an endless topic": json.dumps({"type": "subscribe", "topics": ["x" * 81]}),
    "an empty id": '{"type": "do", "id": "", "event": "1", "do": "clock.pause"}',
}


async def test_garbage_is_a_problem_and_nothing_else(room: Room) -> None:
    """What cannot be understood is told so in words, and the connection goes on."""
    wire = await room.dial()
    for what, text in GARBAGE.items():
        await wire.socket.send(text)
        (found,) = await wire.settled()
        assert (found["type"], found["code"]) == ("problem", "bad_message"), what
        assert found["text"], what


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b'{"type": "probe", "sent": "\xed\xa0\x80"}'])
async def test_text_that_is_not_utf_8_breaks_nothing(room: Room, data: bytes) -> None:
    """Bytes that are no text are a problem, or the end of that connection; others go on."""
    other = await room.dial()
    bare = await room.bare()
    bare.write(masked(data))
    while (found := await bare.frame())[0] not in (0x81, 0x88):
        pass
    assert found[0] == 0x88 or json.loads(found[2])["code"] == "bad_message"
    assert await other.settled() == []


async def test_hello_twice_is_a_problem(room: Room) -> None:
    """Nobody becomes somebody else on the same connection."""
    wire = await room.dial()
    await wire.say("hello", version=1, token=room.director)
    assert (await wire.heard_of("problem"))["code"] == "hello_again"
    assert (await wire.do("clock.pause"))["code"] == "forbidden"


@pytest.mark.parametrize(
    ("hello", "code"),
    [
        ({"version": 2}, "version"),
        ({"version": 0}, "version"),
        ({"version": 1, "token": "nobody's"}, "unauthorised"),
        ({"version": 1, "token": ""}, "unauthorised"),
        ({"version": 1, "token": "ключ"}, "unauthorised"),
    ],
)
async def test_who_is_not_known_is_turned_away(
    room: Room, hello: dict[str, Any], code: str
) -> None:
    """A wrong version or token is told in words, and the connection is closed for good."""
    wire = await room.connect()
    await wire.say("hello", **hello)
    problem, bye = await wire.over()
    assert (problem["type"], problem["code"]) == ("problem", code)
    assert (bye["type"], bye["retry_ms"]) == ("bye", None)


async def test_after_being_turned_away_nothing_more_is_heard(room: Room) -> None:
    """What was sent behind a hello that is turned away is not listened to."""
    bare = await room.bare(hello=False)
    messages = [
        {"type": "hello", "version": 1, "token": "nobody's"},
        {"type": "hello", "version": 1, "token": room.director},
        {"type": "do", "id": "1", "event": "1", "do": "clock.pause"},
    ]
    bare.write(b"".join(masked(json.dumps(message).encode()) for message in messages))
    said = [json.loads(payload)["type"] for _, payload in payloads(await bare.over())]
    assert said == ["problem", "bye"]
    director = await room.dial(room.director)
    await director.done("announce", text="All before this is durable")
    await director.follow("t/1")
    assert director.docs["t/1"]["clock"]["status"] == "running"


def _of_size(size: int) -> str:
    text = '{"type":"do","id":"1","event":"1","do":"announce","args":{"text":""}}'
    return text.replace('""', f'"{"x" * (size - len(text))}"')


@pytest.mark.parametrize(
    ("role", "most"), [("viewer", 1 << 10), ("dealer", 4 << 10), ("director", 64 << 10)]
)
async def test_a_message_above_the_limit_is_the_last(room: Room, role: str, most: int) -> None:
    """Who sends more than the role's limit is shown out; nobody else notices."""
    other = await room.dial()
    wire = await room.dial(room.token(Badge(role, "", "1", 7)))
    await wire.socket.send(_of_size(most + 1))
    await wire.over()
    assert await other.settled() == []


@pytest.mark.parametrize(
    ("role", "most"),
    [
        ("viewer", 1 << 10),
        ("dealer", 4 << 10),
        ("director", 64 << 10),
    ],
)
async def test_a_message_at_the_limit_is_read(room: Room, role: str, most: int) -> None:
    """A message that is exactly as large as the role's limit is answered."""
    wire = await room.dial(room.token(Badge(role, "", "1", 7)))
    await wire.socket.send(_of_size(most))
    assert (await wire.heard_of("refused"))["code"] in ("forbidden", "bad_value")


@pytest.mark.parametrize(
    "data",
    [
        masked(b"x" * 126, 0x9),  # a control frame that is too long
        masked(b"x", 0x9, final=False),  # one in pieces
        masked(b"x", 0x3),  # an unknown opcode
        b"\xf1" + masked(b"{}")[1:],  # reserved bits
        masked(b"x", 0x0),  # a continuation of nothing
        b"\x81\xff" + b"\x7f" * 8 + b"\x00" * 4,  # a size without end
    ],
)
async def test_frames_against_the_rules_end_that_connection_only(room: Room, data: bytes) -> None:
    """A frame that breaks the websocket's rules ends the connection, and no other."""
    other = await room.dial()
    bare = await room.bare()
    bare.write(data)
    await bare.over()
    assert await other.settled() == []


async def test_a_close_is_answered_with_a_close(room: Room) -> None:
    """Who says goodbye properly is answered properly, and is forgotten."""
    wire = await room.dial()
    await wire.follow("t/1")
    await wire.socket.close(1000)
    assert wire.socket.close_code == 1000
    director = await room.dial(room.director)
    await director.follow("hub")
    while director.docs["hub"]["clients"].get("viewer"):
        await director.heard_of("doc")


# ── many, and slow ones ──────────────────────────────────────────────────────────────────────────


async def test_two_hundred_come_at_once(room: Room) -> None:
    """A whole room that comes back in one moment is welcomed and sees the next change."""
    walls = await asyncio.gather(*(room.dial() for _ in range(200)))
    await asyncio.gather(*(wall.follow("t/1", "events") for wall in walls))
    director = await room.dial(room.director)
    await director.done("announce", text="Dinner")
    revs = await asyncio.gather(
        *(w.until(lambda m: m["type"] == "doc" and "Dinner" in json.dumps(m["doc"])) for w in walls)
    )
    assert len({m["rev"] for m in revs}) == 1


class _Stalled:
    """A client that follows a large board and stops reading."""

    def __init__(self, room: Room) -> None:
        self.room = room

    async def begin(self) -> Visitor:
        """Come, follow, and read no more; gives the hub's side."""
        known = set(self.room.hub.visitors)
        self.bare = await self.room.bare(limit=4_096)
        self.bare.write(masked(b'{"type":"subscribe","topics":["t/1/tables","t/1"]}'))
        (visitor,) = self.room.hub.visitors - known
        return visitor


async def _busy(director: Wire, witness: Wire, number: int) -> None:
    await director.done("announce", text=f"Words {number}")
    words = f'"Words {number}"'
    await witness.until(lambda m: m["type"] == "doc" and words in json.dumps(m["doc"]))


async def test_who_stops_reading_is_dropped_and_delays_nobody(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stalled client costs a bounded buffer, then its connection, and nobody else anything."""
    monkeypatch.setattr(fanout, "BEHIND_MS", 0)
    director, witness = await room.dial(room.director), await room.dial()
    await _open_tables(director, MANY)
    await witness.follow("t/1")
    stalled = await _Stalled(room).begin()
    most = number = 0
    async with asyncio.timeout(PATIENCE):
        while stalled in room.hub.visitors:
            number += 1
            await _busy(director, witness, number)
            most = max(most, stalled.client.outlet.get_write_buffer_size())
    assert 0 < most <= 2 * fanout.BEHIND_BYTES + (100 << 10)  # and one board
    assert len(stalled.client.waiting) <= 2
    await _busy(director, witness, 0)
    assert not room.hub.press.fanout.topics("t/1/tables")


def _served() -> int:
    """Count the tasks that serve a connection."""
    return sum("RequestHandler.start" in repr(task) for task in asyncio.all_tasks())


async def test_who_is_dropped_for_being_slow_is_let_go_of(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A dropped client's buffer and task are let go of, though it never reads what waits for it."""
    monkeypatch.setattr(fanout, "BEHIND_MS", 0)
    director, witness = await room.dial(room.director), await room.dial()
    await _open_tables(director, MANY)
    await witness.follow("t/1")
    served = _served()
    stalled = await _Stalled(room).begin()
    assert _served() == served + 1
    number = 0
    async with asyncio.timeout(PATIENCE):
        while stalled in room.hub.visitors:
            number += 1
            await _busy(director, witness, number)
    for again in range(50):  # turns of the loop enough for anything that was to end
        await _busy(director, witness, number + again + 1)
    assert stalled.client.outlet.get_write_buffer_size() == 0
    assert _served() == served


# ── the end, and a new beginning ─────────────────────────────────────────────────────────────────


async def test_a_graceful_stop_says_when_to_come_back(tmp_path: Path) -> None:
    """Everybody is told that the hub is being restarted, and when to try again."""
    async with serving(tmp_path) as room:
        wires = [await room.dial(), await room.dial(room.director), await room.connect()]
        await room.hub.stop(retry_ms=1_234)
        for wire in wires:
            bye = (await wire.over())[-1]
            assert bye == {
                "type": "bye",
                "reason": "the hub is being restarted",
                "retry_ms": 1_234,
            }


async def test_a_link_survives_a_restart(tmp_path: Path) -> None:
    """Commands given before, during and after a restart are each answered once and done once."""
    answers: Counter[str] = Counter()
    shown: list[Shown] = []

    def news(found: ToClient | Shown) -> None:
        if isinstance(found, Done):
            answers[found.id] += 1
        elif isinstance(found, Shown):
            shown.append(found)

    async with serving(tmp_path) as room:
        director = await room.dial(room.director)
        await director.done("event.create", event="", preset=PRESET)
        await director.done("clock.start")
        port, token = room.port, room.token(Badge("director", "Link"))
        known = room.hub.reception.devices.by_token(token)
        assert known is not None
        link = Link(room.ws, Session("link-1", token), news)
        running = asyncio.create_task(link.run())
        await link.follow("t/1")
        given = [asyncio.create_task(link.do("1", "clock.add", ms=1_000)) for _ in range(20)]
        async with asyncio.timeout(PATIENCE):
            await given[0]
        given += [asyncio.create_task(link.do("1", "clock.add", ms=1_000)) for _ in range(20)]
        await asyncio.wait(given, timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
    given += [asyncio.create_task(link.do("1", "clock.add", ms=1_000)) for _ in range(5)]
    async with serving(tmp_path, port=port) as room:
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*given)
            while "last" not in json.dumps(shown[-1].doc):
                await link.do("1", "announce", text="last")
        running.cancel()
        lines = [
            json.loads(stored.line.body)
            for stored in room.hub.journal.read("1")
            if stored.line.device == known.id
        ]
        applied = [line for line in lines if line["event"] == "time.set"]
        assert len(applied) == 45, Counter(line["event"] for line in lines)
    assert set(answers.values()) == {1}
    assert not link.session.pending
    revs = [found.rev for found in shown]
    assert revs == sorted(set(revs))


async def test_a_link_that_is_sent_away_stays_away(room: Room) -> None:
    """A link whose token is not known says so instead of trying for ever."""
    link = Link(room.ws, Session("link-1", "nobody's"))
    with pytest.raises(Closed, match="not known"):
        async with asyncio.timeout(PATIENCE):
            await link.run()


def test_who_never_says_hello_is_shown_out() -> None:
    """Without a hello in five seconds the connection is over, and not a second sooner."""

    class Outlet:
        said: list[bytes]

        def __init__(self) -> None:
            self.said = []

        def write(self, data: bytes) -> None:
            self.said += [payload for _, payload in payloads(data)]

        def get_write_buffer_size(self) -> int:
            return 0

        def is_closing(self) -> bool:
            return False

    with Rig() as rig:
        outlet = Outlet()
        closed: list[bool] = []  # at once?
        visitor = Visitor(rig.hub, outlet, closed.append)
        rig.run(HELLO_WITHIN)
        assert closed == []
        visitor.receive(b'{"type":"probe","sent":1}')  # is no hello
        rig.run(2_000)
        assert closed == [False]
        assert visitor not in rig.hub.visitors
        assert json.loads(outlet.said[-1]) == {
            "type": "bye",
            "reason": "no hello in time",
            "retry_ms": RETRY,
        }


async def test_acknowledged_is_durable(tmp_path: Path) -> None:
    """What was acknowledged before the end is in the file after it."""
    async with serving(tmp_path) as room:
        director = await room.dial(room.director)
        await director.done("event.create", event="", preset=PRESET)
        ids = [await director.tap("announce", text=f"{number}") for number in range(50)]
        await director.until(lambda m: m.get("id") == ids[-1])
    journal = SqliteJournal(tmp_path / "railbird.db")
    try:
        stored = list(journal.read())
    finally:
        journal.close()
    assert verify(stored) is None
    assert {found.line.command for found in stored} >= set(ids)


# ── nothing waits on the loop ────────────────────────────────────────────────────────────────────


async def _minute(room: Room, tokens: list[str], hands: int) -> None:
    """Play what a busy minute holds: dealers tap, walls watch, somebody asks for everything."""
    tables = len(tokens)
    director = await room.dial(room.director)
    walls = [await room.dial() for _ in range(5)]
    for wall in walls:
        await wall.say("subscribe", topics=["t/1", "t/1/tables", "events"])
    for number in range(1, tables + 1):
        for seat in range(1, 4):
            player = f"{number}-{seat}"
            await director.done("seat.put", player=player, table=number, seat=seat)

    async def deal(number: int) -> None:
        dealer = await room.dial(tokens[number - 1], device=f"dealer-{number}")
        await dealer.follow(f"t/1/table/{number}")
        for _ in range(hands):
            await dealer.done("hand.start", table=number)
            await dealer.done("action.next", table=number)
            await dealer.done("action.next", table=number)
            await dealer.do("action.next", table=99)  # refused
            await dealer.done("action.stop", table=number)
            await dealer.done("hand.end", table=number)

    await asyncio.gather(*map(deal, range(1, tables + 1)))
    await director.done("event.create", event="", preset="selkirk-main")
    await director.done("undo")
    for wall in walls:
        await wall.settled()


async def test_nothing_blocks_the_loop_in_a_busy_minute(tmp_path: Path) -> None:
    """While dealers tap, walls watch and events are made, the loop's thread never waits."""
    async with serving(tmp_path) as room:
        director = await room.dial(room.director)
        await director.done("event.create", event="", preset=PRESET)
        await director.done("clock.start")
        faults: list[dict[str, Any]] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, found: faults.append(found))
        tokens = [room.token(Badge("dealer", "", "1", table)) for table in range(1, 13)]
        with blockbuster_ctx("server"):
            await _minute(room, tokens, 5)
        assert faults == []


async def test_a_connection_that_comes_while_the_hub_stops_is_closed(tmp_path: Path) -> None:
    """Taken by the port in the very turn in which the hub stops: its socket is not forgotten."""
    with warnings.catch_warnings(record=True) as said, ExitStack() as stack:
        warnings.simplefilter("always")
        async with serving(tmp_path / "data") as room:
            address = urlsplit(room.served.local)
            for _ in range(4):
                client = stack.enter_context(socket.socket())
                client.setblocking(False)
                client.connect_ex((address.hostname, address.port))
            for _ in range(2):  # after these the port has taken them, and begun with none
                await asyncio.sleep(0)
        gc.collect()
    assert [str(found.message) for found in said if found.category is ResourceWarning] == []
