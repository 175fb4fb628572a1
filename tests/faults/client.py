"""A client of the ledger: a real session on a real websocket, back as soon as there is a hub."""

from __future__ import annotations

import asyncio
import itertools
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from server.protocol.messages import Code, Document, Done, Probed, Refused, Welcome, read_to_client
from server.protocol.session import Session, Shown
from server.protocol.sync import Sample, sample
from tests.faults.process import PATIENCE, until

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.faults.ledger import Ledger

RETRY = 0.02


def own_ms() -> int:
    """Read the machine's boot-time clock, which no death of a hub touches."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000


class LoggedSession(Session):
    """A session whose every incoming message goes into the ledger, used or not."""

    def __init__(self, name: str, ledger: Ledger, token: str | None = None) -> None:
        super().__init__(name, token)
        self.ledger = ledger
        self.best: Sample | None = None  # of the hub that lives now
        self.first: dict[str, Document] = {}  # what the hub that lives now has shown first
        self.codes: list[Code] = []

    def opened(self, own: int) -> list[bytes]:
        """Begin anew with a hub."""
        self.best, self.first = None, {}
        return super().opened(own)

    def do(  # noqa: PLR0913 - a command is what it is
        self,
        command: str,
        event: str,
        do: str,
        args: dict[str, Any],
        own: int,
        *,
        seen: int | None = None,
    ) -> list[bytes]:
        """Write down what is commanded."""
        frames = super().do(command, event, do, args, own, seen=seen)
        self.ledger.sent[command] = self.pending[command]
        self.ledger.figures["commands"] += 1
        return frames

    def received(self, frame: str | bytes, own: int) -> list[Any]:
        """Write down what came, and take it in."""
        message = read_to_client(frame)
        match message:
            case Document():
                self.first.setdefault(message.topic, message)
                doc = msgspec.json.decode(message.doc)
                self.ledger.saw(self.device, message.topic, message.rev, doc)
            case Done() | Refused():
                self.ledger.answered(message)
            case Probed():
                found = sample(message.sent, message.at, message.at + message.held, own)
                if self.best is None or found.round_trip < self.best.round_trip:
                    self.best = found
            case Code():
                self.codes.append(message)
            case _:
                pass
        news = super().received(frame, own)
        for item in news:
            if isinstance(item, Shown):
                hub = "" if self.welcome is None else self.welcome.hub
                self.ledger.showed(self.device, hub, item.topic, item.rev)
        return news


class Client:
    """Somebody in the room who never gives up."""

    def __init__(self, url: str, name: str, ledger: Ledger, token: str | None = None) -> None:
        self.url, self.name, self.ledger = url, name, ledger
        self.session = LoggedSession(name, ledger, token)
        self.answers: dict[str, asyncio.Future[Done | Refused]] = {}
        self.welcomed: Welcome | None = None
        self.welcomed_at: float | None = None  # for the first time since somebody forgot
        self.resend: Callable[[], list[str]] = list  # commands to send again though answered
        self._socket: ClientConnection | None = None
        self._sending = asyncio.Lock()
        self._ids = itertools.count(1)

    async def run(self) -> None:
        """Connect, and connect again, until cancelled."""
        while True:
            with suppress(OSError, TimeoutError, WebSocketException):
                async with connect(
                    self.url,
                    compression=None,
                    proxy=None,
                    ping_interval=None,
                    open_timeout=2,
                    max_size=None,
                ) as socket:
                    await self._talk(socket)
            await asyncio.sleep(RETRY)

    async def _talk(self, socket: ClientConnection) -> None:
        try:
            async with self._sending:  # who speaks comes before anything that is said
                self._socket = socket
                for frame in self.session.opened(own_ms()):
                    await socket.send(frame, text=True)
                for command in self.resend():
                    await socket.send(msgspec.json.encode(self.ledger.sent[command]), text=True)
            async for frame in socket:
                self._take(frame)
        finally:
            self._socket = None
            self.welcomed = None
            self.session.lost(own_ms())

    def _take(self, frame: str | bytes) -> None:
        for news in self.session.received(frame, own_ms()):
            match news:
                case Welcome():
                    self.welcomed = news
                    self.welcomed_at = self.welcomed_at or time.monotonic()
                case Done() | Refused():
                    waiting = self.answers.pop(news.id, None)
                    if waiting is not None and not waiting.done():
                        waiting.set_result(news)
                case _:
                    pass

    @property
    def connected(self) -> bool:
        """Whether a connection stands."""
        return self.session.connected

    def doc(self, topic: str) -> Any:
        """Give the newest document of a topic."""
        shown = self.session.documents.get(topic)
        return None if shown is None else shown.doc

    async def _send(self, *frames: bytes) -> None:
        async with self._sending:
            with suppress(WebSocketException):
                for frame in frames:
                    if self._socket is not None:
                        await self._socket.send(frame, text=True)

    async def say(self, message: Any) -> None:
        """Send a message of any kind."""
        await self._send(msgspec.json.encode(message))

    async def follow(self, *topics: str) -> None:
        """Follow topics, and wait for their documents."""
        await self._send(*self.session.follow(*topics))
        await until(
            lambda: all(topic in self.session.documents for topic in topics),
            f"{self.name} was not shown {topics}",
        )

    async def probe(self) -> None:
        """Ask what time it is."""
        if self._socket is not None:
            await self._send(self.session.probe(own_ms()))

    async def tap(self, event: str, do: str, /, **args: Any) -> asyncio.Future[Done | Refused]:
        """Command something; the answer comes however often the hub dies."""
        command = f"{self.name}-{next(self._ids)}"
        answer: asyncio.Future[Done | Refused] = asyncio.get_running_loop().create_future()
        self.answers[command] = answer
        frames = self.session.do(command, event, do, args, own_ms())
        await self._send(*frames)
        return answer

    async def do(self, event: str, do: str, /, **args: Any) -> Done | Refused:
        """Command something, and wait for the answer."""
        return await (await self.tap(event, do, **args))

    async def done(self, event: str, do: str, /, **args: Any) -> Done:
        """Command something that must be done."""
        async with asyncio.timeout(PATIENCE):
            answer = await self.do(event, do, **args)
        assert isinstance(answer, Done), answer
        return answer
