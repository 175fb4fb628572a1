"""The Python link against a tiny hub on the loopback: real sockets, waits that take no time."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Self

import pytest
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from server.protocol import link as module
from server.protocol.link import Closed, Link, own_ms
from server.protocol.messages import (
    Bye,
    Done,
    Probed,
    Problem,
    Refused,
    ToClient,
    Welcome,
    encode,
)
from server.protocol.session import Freshness, Session, Shown
from tests.needs import GIVE_UP

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from types import TracebackType

    Script = Callable[["Visit"], Awaitable[None]]

WELCOME = Welcome(1, "h1", "1.0", "viewer", "", None, None, 0)
FIRST_WAIT, LONGEST_WAIT = 0.25, 1.5
BEAT = 600_000
"""A heart that beats so seldom is not heard in a test; all shorter waits are skipped."""


class Visit:
    """The hub's side of one connection."""

    def __init__(self, socket: ServerConnection) -> None:
        self.socket = socket
        self.heard: list[dict[str, Any]] = []

    async def hear(self, kind: str) -> dict[str, Any]:
        """Read until a message of a kind comes, and give it."""
        while True:
            message: dict[str, Any] = json.loads(await self.socket.recv())
            self.heard.append(message)
            if message["type"] == kind:
                return message

    async def say(self, message: ToClient | str | bytes) -> None:
        """Say something; bytes go as a binary frame."""
        if not isinstance(message, str | bytes):
            message = encode(message).decode()
        await self.socket.send(message)

    async def stay(self) -> None:
        """Listen until the client is gone."""
        await self.hear("nothing of this kind")

    async def drop(self) -> None:
        """Pull the plug."""
        self.socket.transport.abort()
        await self.socket.wait_closed()

    @property
    def kinds(self) -> list[str]:
        """The types of all that was heard."""
        return [message["type"] for message in self.heard]


class TinyHub:
    """Does at each connection what its script says; the last script goes on for all others."""

    def __init__(self, *scripts: Script) -> None:
        self._scripts = scripts
        self.visits: list[Visit] = []
        self._serving = serve(self._visited, "127.0.0.1", 0, compression=None)
        self.url = ""

    async def _visited(self, socket: ServerConnection) -> None:
        script = self._scripts[min(len(self.visits), len(self._scripts) - 1)]
        self.visits.append(Visit(socket))
        with suppress(ConnectionClosed):
            await script(self.visits[-1])

    async def __aenter__(self) -> Self:
        server = await self._serving
        self.url = f"ws://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}/ws"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        await self._serving.__aexit__(kind, error, at)


class Timeless:
    """The asyncio that a link sees: its waits are noted and skipped, its heart does not beat."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    async def sleep(self, seconds: float) -> None:
        """Note a wait and skip it, but for a heartbeat."""
        if seconds == BEAT / 1_000:
            await asyncio.sleep(seconds)
        self.waits.append(seconds)
        await asyncio.sleep(0)


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Give the waits of a link in seconds, as long as they may be."""
    timeless = Timeless()
    monkeypatch.setattr(module, "asyncio", timeless)
    monkeypatch.setattr(module, "_answers", Scouted())  # the tiny hub has a websocket only
    monkeypatch.setattr("random.uniform", lambda _, most: most)
    return timeless.waits


class Scouted:
    """What a link's scouts find, and how many there were."""

    def __init__(self, *, finds: bool = True) -> None:
        self.finds, self.sent = finds, 0

    async def __call__(self, _url: str, _ssl: object) -> bool:
        """Be a scout."""
        self.sent += 1
        return self.finds


class Client:
    """A link that runs, with its news."""

    def __init__(self, url: str, own: Callable[[], int] = lambda: 1_000) -> None:
        self.news: list[ToClient | Shown] = []
        self.session = Session("tablet-1")
        self.link = Link(url, self.session, self.news.append, probe_every=BEAT, own=own)
        self.running: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self.running = asyncio.create_task(self.link.run())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self.running is not None
        self.running.cancel()
        with suppress(asyncio.CancelledError, Closed):
            await self.running

    async def closed(self) -> str:
        """Wait until the link is closed for good, and say why."""
        assert self.running is not None
        async with asyncio.timeout(GIVE_UP):
            with pytest.raises(Closed) as error:
                await self.running
        return str(error.value)


async def until(condition: Callable[[], object]) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(GIVE_UP):
        while not condition():  # noqa: ASYNC110 - whatever it is has no event of its own
            await asyncio.sleep(0.001)


async def welcoming(visit: Visit) -> None:
    """Welcome a client, answer its first probe, and listen."""
    await visit.hear("hello")
    await visit.say(WELCOME)
    probe = await visit.hear("probe")
    await visit.say(Probed(probe["sent"], 50_000))
    await visit.stay()


async def welcoming_and_dropping(visit: Visit) -> None:
    """Welcome a client and pull the plug."""
    await visit.hear("probe")
    await visit.say(WELCOME)
    await visit.drop()


async def dropping(visit: Visit) -> None:
    """Pull the plug without a word."""
    await visit.drop()


def saying(*messages: ToClient | str | bytes, after: str = "hello") -> Script:
    """Say something once the client has said something, and listen."""

    async def script(visit: Visit) -> None:
        await visit.hear(after)
        for message in messages:
            await visit.say(message)
        await visit.stay()

    return script


# ── talking ──────────────────────────────────────────────────────────────────────────────────────


async def test_it_speaks_first_and_follows_and_leaves(waits: list[float]) -> None:
    """What is followed before the connection stands is asked for at its opening."""
    async with TinyHub(welcoming) as hub:
        client = Client(hub.url)
        await client.link.follow("events")
        async with client:
            await until(lambda: client.session.clock.known)
            await client.link.follow("t/1")
            await client.link.leave("events", "events")
            await until(lambda: len(hub.visits[0].heard) == 5)
        heard = hub.visits[0].heard
        assert hub.visits[0].kinds == ["hello", "subscribe", "probe", "subscribe", "unsubscribe"]
        assert [heard[n]["topics"] for n in (1, 3, 4)] == [["events"], ["t/1"], ["events"]]
    assert waits == []


async def test_its_heart_beats() -> None:
    """A link probes by itself, and is fresh while it is answered."""

    async def answering(visit: Visit) -> None:
        while True:
            probe = await visit.hear("probe")
            await visit.say(Probed(probe["sent"], 50_000))

    async with TinyHub(answering) as hub:
        session = Session("wall-1")
        link = Link(hub.url, session, probe_every=5)
        running = asyncio.create_task(link.run())
        await until(lambda: hub.visits and hub.visits[0].kinds.count("probe") >= 4)
        assert session.clock.known
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        assert not session.connected


async def test_what_cannot_be_read_is_told_and_survived(waits: list[float]) -> None:
    """A strange word is no reason to let go of the hub."""
    deep = '{"type":"doc","topic":"t/1","rev":1,"doc":' + "[" * 5_000 + "]" * 5_000 + "}"
    strange: list[str | bytes] = [
        "",
        "{",
        '{"type":"confetti"}',
        '{"type":"done"}',
        b"\xff\xfe",
        deep,
    ]
    document = '{"type":"doc","topic":"t/1","rev":1,"doc":{"name":"Main"},"newer":"field"}'
    async with TinyHub(saying(*strange, document, after="probe")) as hub:
        client = Client(hub.url)
        await client.link.follow("t/1")
        async with client:
            await until(lambda: client.session.documents)
        *problems, shown = client.news
        assert len(problems) == len(strange)
        for problem in problems:
            assert isinstance(problem, Problem)
            assert problem.code == "unreadable"
            assert problem.text
        assert shown == Shown("t/1", 1, {"name": "Main"})
        assert len(hub.visits) == 1
    assert waits == []


async def test_other_problems_are_the_clients_business(waits: list[float]) -> None:
    """A problem that does not end the connection is news and nothing else."""
    problems = [Problem("bad_message", "?"), Problem("forbidden", "Not for you.")]
    async with TinyHub(saying(*problems)) as hub, Client(hub.url) as client:
        await until(lambda: len(client.news) == 2)
        assert client.news == problems
        assert client.running is not None
        assert not client.running.done()
    assert waits == []


# ── commands ─────────────────────────────────────────────────────────────────────────────────────


async def test_a_command_is_settled(waits: list[float]) -> None:
    """The answer comes to who asked for it, and is news, too."""

    async def script(visit: Visit) -> None:
        first, second = await visit.hear("do"), await visit.hear("do")
        await visit.say(Refused(second["id"], "not_running", "It stands."))
        await visit.say(Done(first["id"], 77))
        await visit.stay()

    async with TinyHub(script) as hub, Client(hub.url) as client:
        first = asyncio.create_task(client.link.do("1", "action.next", table=7))
        await asyncio.sleep(0)
        refused = await client.link.do("1", "clock.pause")
        done = await first
        assert isinstance(refused, Refused)
        assert (refused.text, done) == ("It stands.", Done(done.id, 77))
        assert client.news == [refused, done]
        assert [command["args"] for command in hub.visits[0].heard[2:]] == [{"table": 7}, {}]
    assert waits == []


async def test_a_command_is_sent_again_with_the_same_id_and_time(waits: list[float]) -> None:
    """However often the connection breaks, a tap is one command, of the instant it was made."""

    async def timing(visit: Visit) -> None:
        probe = await visit.hear("probe")
        await visit.say(Probed(probe["sent"], 50_000))
        await visit.hear("do")
        await visit.drop()

    async def deaf(visit: Visit) -> None:
        await visit.hear("do")
        await visit.drop()

    async def answering(visit: Visit) -> None:
        command = await visit.hear("do")
        await visit.say(Done(command["id"], command["at"], again=True))
        await visit.stay()

    own = iter(range(1_000, 10**6))
    async with (
        TinyHub(timing, deaf, deaf, answering) as hub,
        Client(hub.url, lambda: next(own)) as client,
    ):
        await until(lambda: client.session.clock.known)
        tapped_at = client.session.clock.now(next(own) + 1)
        async with asyncio.timeout(GIVE_UP):
            done = await client.link.do("1", "action.next", table=7)
        commands = [visit.heard[-1] for visit in hub.visits]
        assert commands == [commands[0]] * 4
        assert commands[0]["at"] == tapped_at
        assert done == Done(commands[0]["id"], tapped_at, again=True)
        assert [visit.kinds for visit in hub.visits] == [["hello", "probe", "do"]] * 4
        assert not client.session.pending
    assert len(waits) == 3


async def test_a_command_while_cut_off_waits_for_the_hub(waits: list[float]) -> None:
    """A tap without a connection is said at the next opening, after hello."""

    async def answering(visit: Visit) -> None:
        command = await visit.hear("do")
        await visit.say(Done(command["id"], 5))
        await visit.stay()

    async with TinyHub(answering) as hub:
        client = Client(hub.url)
        tap = asyncio.create_task(client.link.do("1", "undo"))
        await asyncio.sleep(0)
        async with client:
            assert (await tap).id == hub.visits[0].heard[-1]["id"]
        assert hub.visits[0].kinds == ["hello", "probe", "do"]
    assert waits == []


# ── coming back ──────────────────────────────────────────────────────────────────────────────────


async def test_it_tries_again_after_a_quarter_second_and_then_later(
    waits: list[float],
) -> None:
    """To be let in is not enough to make the wait short again: the hub may turn everybody away."""
    async with TinyHub(dropping) as hub, Client(hub.url) as client:
        await until(lambda: len(waits) >= 6)
        assert waits[:6] == [FIRST_WAIT, 0.5, 1.0, LONGEST_WAIT, LONGEST_WAIT, LONGEST_WAIT]
        assert client.session.freshness(1_001) is Freshness.STALE  # nobody was ever reached


async def test_a_welcome_makes_the_next_wait_short_again(waits: list[float]) -> None:
    """A hub that welcomes is there, whatever was before."""
    scripts = (dropping, dropping, dropping, welcoming_and_dropping, dropping, welcoming)
    async with TinyHub(*scripts) as hub, Client(hub.url) as client:
        await until(lambda: client.session.clock.known)
        assert waits == [0.25, 0.5, 1.0, 0.25, 0.5]
        assert len(hub.visits) == 6
        assert client.session.freshness(1_001) is Freshness.FRESH


async def test_waits_are_shaken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A room does not come at once: each wait is between half and all of it."""
    timeless = Timeless()
    monkeypatch.setattr(module, "asyncio", timeless)
    monkeypatch.setattr(module, "_answers", Scouted())
    async with TinyHub(dropping) as hub, Client(hub.url):
        await until(lambda: len(timeless.waits) >= 20)
    shaken = timeless.waits[3:20]
    assert all(LONGEST_WAIT / 2 <= wait <= LONGEST_WAIT for wait in shaken)
    assert len(set(shaken)) > 1


async def test_a_hub_that_is_not_there_is_asked_for_and_not_dialled(
    waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody listens at the address: no connection is tried before the hub has answered."""
    scouts = Scouted(finds=False)
    monkeypatch.setattr(module, "_answers", scouts)
    async with TinyHub(dropping, welcoming) as hub, Client(hub.url) as client:
        await until(lambda: scouts.sent >= 5)
        assert client.running is not None
        assert not client.running.done()
        assert client.session.waiting_since(1_000) == 1_000
        assert len(hub.visits) == 1
        scouts.finds = True
        await until(lambda: client.session.clock.known)
        assert len(hub.visits) == 2
    assert len(waits) == scouts.sent


async def test_a_question_that_is_swallowed_does_not_keep_the_next_one_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The newest question is the one that comes back; those that were swallowed are let go of."""
    asked: list[asyncio.Task[Any] | None] = []

    async def swallowed_twice(_url: str, _ssl: object) -> bool:
        asked.append(asyncio.current_task())
        return len(asked) > 2 or await asyncio.Event().wait()

    monkeypatch.setattr(module, "_answers", swallowed_twice)
    monkeypatch.setattr("server.protocol.reconnect.LONGEST_WAIT", 20)
    monkeypatch.setattr("random.uniform", lambda *_: 0.1)
    async with TinyHub(dropping, welcoming) as hub, Client(hub.url, own_ms) as client:
        await until(lambda: client.session.clock.known)
    assert len(asked) == 3
    assert [task is not None and task.cancelled() for task in asked] == [True, True, False]


async def test_a_farewell_with_a_time_is_obeyed(waits: list[float]) -> None:
    """The hub says when to come back; its next welcome makes waits short again."""

    async def restarting(visit: Visit) -> None:
        await visit.hear("probe")
        await visit.say(WELCOME)
        await visit.say(Bye("restarting", 30_000))

    async with TinyHub(restarting, welcoming_and_dropping, welcoming) as hub:
        async with Client(hub.url) as client:
            await until(lambda: client.session.clock.known)
        assert Bye("restarting", 30_000) in client.news
        assert len(hub.visits) == 3
    comes_back, after_a_drop = waits
    assert 30 <= comes_back <= 30 + LONGEST_WAIT
    assert after_a_drop == FIRST_WAIT


async def test_a_farewell_never_makes_a_wait_shorter(waits: list[float]) -> None:
    """A hub that turns everybody away after a moment is not asked ever faster."""

    async def hasty(visit: Visit) -> None:
        await visit.hear("probe")
        await visit.say(Bye("busy", 1))

    async with TinyHub(hasty) as hub, Client(hub.url):
        await until(lambda: len(waits) >= 4)
    assert [round(wait, 2) for wait in waits[:4]] == [0.25, 0.5, 1.0, LONGEST_WAIT]


# ── a connection that is dead, though nobody says so ─────────────────────────────────────────────


@pytest.fixture
def scouted(monkeypatch: pytest.MonkeyPatch) -> Scouted:
    """Let scouts find a hub that is there, and be sent soon."""
    monkeypatch.setattr("server.protocol.doubt.HURRY", 40)
    monkeypatch.setattr("server.protocol.doubt.GRACE", 10)
    monkeypatch.setattr("server.protocol.doubt.GIVE_UP", 60_000)
    found = Scouted()
    monkeypatch.setattr(module, "_answers", found)
    return found


async def test_a_dead_connection_is_given_up_when_a_scout_comes_back(
    waits: list[float], scouted: Scouted
) -> None:
    """A hub that answers others, and not us, is asked on a new connection, without a wait."""

    async def deaf(visit: Visit) -> None:
        await visit.stay()

    async with TinyHub(deaf, welcoming) as hub:
        client = Client(hub.url, own_ms)
        async with client:
            await until(lambda: client.session.clock.known)
        assert len(hub.visits) == 2
        assert scouted.sent >= 1
    assert waits == []


async def test_a_connection_that_never_opens_is_given_up_when_a_scout_comes_back(
    waits: list[float], scouted: Scouted
) -> None:
    """What is taken and never answered is no reason to wait for it."""
    taken: list[asyncio.StreamWriter] = []

    async def swallow(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        taken.append(writer)

    async with await asyncio.start_server(swallow, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with Client(f"ws://127.0.0.1:{port}/ws", own_ms):
            await until(lambda: len(taken) >= 3)
        for writer in taken:
            writer.transport.abort()
    assert scouted.sent >= 2
    assert waits == []


async def test_a_slow_connection_is_kept_while_no_scout_comes_back(
    waits: list[float], scouted: Scouted
) -> None:
    """If nobody is answered, it is not the connection."""
    scouted.finds = False

    async def late(visit: Visit) -> None:
        probe = await visit.hear("probe")
        await until(lambda: scouted.sent >= 2)
        await visit.say(Probed(probe["sent"], 50_000))
        await visit.stay()

    async with TinyHub(late) as hub:
        client = Client(hub.url, own_ms)
        async with client:
            await until(lambda: client.session.clock.known)
        assert len(hub.visits) == 1
    assert waits == []


async def test_a_scout_asks_a_hub_whether_it_is_there() -> None:
    """Only a hub that says that it is well is one; whatever goes wrong is no answer."""
    answers = [b"200 OK", b"503 Service Unavailable", b"502 Bad Gateway", b"", b"404"]
    asked: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        said = answers[len(asked)]
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 " + said + b"\r\n\r\n" if said else b"")
        writer.close()

    scout = module._answers  # noqa: SLF001 - a scout, by itself
    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/ws"
        found = [await scout(url, None) for _ in answers]
    assert found == [True, True, False, False, False]
    assert asked[0].startswith(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:")
    assert not await scout(url, None)  # nobody is there any more


# ── closed for good ──────────────────────────────────────────────────────────────────────────────

FOR_GOOD = [
    pytest.param(Bye("revoked", None), "revoked", id="farewell"),
    pytest.param(Problem("unauthorised", "Pair it."), "Pair it.", id="unauthorised"),
    pytest.param(Problem("version", "Update it."), "Update it.", id="version"),
]


@pytest.mark.parametrize(("last", "reason"), FOR_GOOD)
async def test_closed_for_good_fails_who_still_waits(
    waits: list[float], last: Bye | Problem, reason: str
) -> None:
    """Who waits for an answer is told that none will come, and nobody calls again."""
    async with TinyHub(saying(last, after="do")) as hub, Client(hub.url) as client:
        tap = asyncio.create_task(client.link.do("1", "clock.pause"))
        assert await client.closed() == reason
        with pytest.raises(Closed, match=reason):
            await tap
        assert not client.session.connected
        await client.link.follow("t/1")  # quietly: there is nobody to tell
        assert len(hub.visits) == 1
    assert waits == []


@asynccontextmanager
async def _late(*args: Any, **options: Any) -> AsyncIterator[Any]:
    """Connect, and do not speak before the hub has gone."""
    async with connect(*args, **options) as socket:
        await socket.wait_closed()
        yield socket


@pytest.mark.parametrize("late", [True, False])
async def test_a_farewell_before_hello_is_read(
    waits: list[float], monkeypatch: pytest.MonkeyPatch, late: bool
) -> None:
    """A hub that is full says so and closes; that is heard, though hello could not be said."""
    if late:
        monkeypatch.setattr(module, "connect", _late)

    async def full(visit: Visit) -> None:
        await visit.say(Bye("the room is full", None))

    async with TinyHub(full) as hub, Client(hub.url) as client:
        assert await client.closed() == "the room is full"
        assert len(hub.visits) == 1
        assert not client.session.connected
    assert waits == []


async def test_a_farewell_with_a_time_before_hello_is_read(
    waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Come back later means later, also for who could not say hello."""
    monkeypatch.setattr(module, "connect", _late)

    async def busy(visit: Visit) -> None:
        await visit.say(Bye("busy", 5_000))

    async with TinyHub(busy) as hub, Client(hub.url) as client:
        await until(lambda: len(hub.visits) >= 2)
        assert client.news[0] == Bye("busy", 5_000)
    assert 5 <= waits[0] <= 5 + LONGEST_WAIT


# ── where it does not yet agree with link.js, or with the page ───────────────────────────────────


async def test_a_farewell_with_a_time_is_not_shaken_below_it(
    waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Come back after 3 s does not mean after 1.5 s."""
    monkeypatch.setattr("random.uniform", lambda least, _: least)

    async def restarting(visit: Visit) -> None:
        await visit.hear("probe")
        await visit.say(Bye("restarting", 3_000))

    async with TinyHub(restarting, welcoming) as hub, Client(hub.url) as client:
        await until(lambda: client.session.clock.known)
    assert waits[0] >= 3


@pytest.mark.parametrize(("last", "reason"), FOR_GOOD)
async def test_the_last_words_are_news(
    waits: list[float], last: Bye | Problem, reason: str
) -> None:
    """A client is told why it is closed, like any other news."""
    async with TinyHub(saying(last)) as hub, Client(hub.url) as client:
        assert await client.closed() == reason
        assert client.news == [last]
    assert waits == []


async def test_a_command_after_the_end_fails_at_once(waits: list[float]) -> None:
    """Nobody waits for an answer that cannot come."""
    async with TinyHub(saying(Bye("revoked", None))) as hub, Client(hub.url) as client:
        await client.closed()
        with pytest.raises(Closed, match="revoked"):
            async with asyncio.timeout(GIVE_UP):
                await client.link.do("1", "undo")
    assert waits == []


async def test_an_address_that_is_none_ends_it(waits: list[float]) -> None:
    """What is not an address will not become one: `InvalidURI` is a `WebSocketException`."""
    async with Client("nonsense") as client:
        await until(lambda: client.running is not None and (client.running.done() or waits))
        assert not waits
        assert await client.closed()


async def test_a_document_that_is_not_utf_8_is_unreadable(waits: list[float]) -> None:
    """The inside of a document is read later than the rest, and not by `read_to_client`."""
    frame = b'{"type":"doc","topic":"t/1","rev":1,"doc":"\xff"}'
    async with TinyHub(saying(frame, after="probe")) as hub:
        client = Client(hub.url)
        await client.link.follow("t/1")
        async with client:
            await until(lambda: client.news or (client.running and client.running.done()))
            assert [type(news) for news in client.news] == [Problem]
    assert waits == []
