"""A client's connection: a session on a websocket, kept up for ever.

For terminal screens and consoles, robots and the command line. The browser's is `link.js`.
"""

import asyncio
import random
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import urljoin, urlsplit

from msgspec import DecodeError
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidURI, WebSocketException

from server.protocol.doubt import Doubt
from server.protocol.messages import Bye, Done, Problem, Refused, ToClient, Welcome
from server.protocol.reconnect import ASK_FOR, Reconnect
from server.protocol.session import PROBE_EVERY, Session, Shown

News = Callable[[ToClient | Shown], None]


def own_ms() -> int:
    """Read this machine's own clock."""
    return time.monotonic_ns() // 1_000_000


class Closed(Exception):  # noqa: N818 - the hub's decision, in its own words
    """The hub does not want this client back."""


class Link:
    """A session that is connected whenever it can be."""

    def __init__(  # noqa: PLR0913 - each has a good default
        self,
        url: str,
        session: Session,
        news: News = lambda _: None,
        *,
        probe_every: int = PROBE_EVERY["wall"],
        own: Callable[[], int] = own_ms,
        ssl: Any = None,
    ) -> None:
        self.url, self.session, self._news = url, session, news
        self._probe_every, self._own, self._ssl = probe_every, own, ssl
        self._socket: ClientConnection | None = None
        self._sending = asyncio.Lock()
        self._doubt = Doubt(lambda: random.uniform(0.75, 1.0))  # noqa: S311 - only a wait
        self._dialled: int | None = None  # when the connection was asked for
        self._attempt: asyncio.Timeout | None = None  # which it may be given up by
        self._looking: asyncio.TimerHandle | None = None
        self._scouts: set[asyncio.Task[None]] = set()
        self._answers: dict[str, asyncio.Future[Done | Refused]] = {}
        self._reconnect = Reconnect(lambda: random.uniform(0.5, 1.0))  # noqa: S311 - only a wait
        self._not_before = 0
        self._gave_up = False
        self._closed = ""

    async def run(self) -> None:
        """Connect, and connect again, until cancelled or sent away."""
        try:
            while True:
                try:
                    await self._once()
                except InvalidURI as error:
                    raise Closed(str(error)) from None
                except (OSError, TimeoutError, WebSocketException):
                    pass  # the room goes on, and so do we
                if self._gave_up:
                    self._reconnect.gave_up(self._own())
                elif self._attempt is not None and self._attempt.expired():
                    continue  # the way is good, only that connection was not
                else:
                    self._reconnect.lost(self._own(), self._not_before)
                self._not_before = 0
                await self._hub_is_there()
        except Closed as closed:
            self._closed = str(closed)
            raise
        finally:
            self._closed = self._closed or "the link was stopped"
            for scout in self._scouts:
                scout.cancel()
            for answer in self._answers.values():
                if not answer.done():
                    answer.set_exception(Closed(self._closed))
            self._answers.clear()

    async def _once(self) -> None:
        self._reconnect.tried()
        self._dialled, self._gave_up = self._own(), False
        self._look()
        try:
            async with (
                asyncio.timeout(None) as self._attempt,
                connect(
                    self.url,
                    compression=None,
                    proxy=None,
                    ping_interval=5,
                    ping_timeout=5,
                    open_timeout=None,  # the doubt decides
                    ssl=self._ssl,
                ) as socket,
            ):
                await self._talk(socket)
        finally:
            self._socket = self._dialled = None
            self.session.lost(self._own())
            if self._looking is not None:
                self._looking.cancel()

    async def _talk(self, socket: ClientConnection) -> None:
        async with self._sending:  # who speaks comes before anything that is said
            self._socket = socket
            with suppress(WebSocketException):  # what the hub said before it closed is still read
                for opening in self.session.opened(self._own()):
                    await socket.send(opening, text=True)
        self._look()
        beat = asyncio.create_task(self._beat(socket))
        try:
            async for frame in socket:
                self._take(frame)
        finally:
            beat.cancel()

    def _take(self, frame: str | bytes) -> None:
        try:
            found = self.session.received(frame, self._own())
        except DecodeError as error:  # a newer hub may say more than we understand
            found = [Problem("unreadable", str(error))]
        for news in found:
            self._news(news)
            self._settle(news)

    async def _beat(self, socket: ClientConnection) -> None:
        with suppress(WebSocketException):
            while True:
                await asyncio.sleep(self._probe_every / 1_000)
                await socket.send(self.session.probe(self._own()), text=True)
                self._look()
                if self.session.code_is_over(self._own()):
                    await self.pair()

    # ── when nothing comes ───────────────────────────────────────────────────────────────────────

    def _look(self) -> None:
        """Look whether what is waited for still may come; if not, connect anew, at once."""
        since = self.session.asked_at if self.session.connected else self._dialled
        match self._doubt.look(self._own(), since):
            case "scout":
                scout = asyncio.create_task(self._scout(self._own()))
                self._scouts.add(scout)
                scout.add_done_callback(self._scouts.discard)
            case "renew" | "give_up" as advice:
                self._gave_up = advice == "give_up"
                self._let_go()
                return
            case _:
                pass
        self._look_later()

    def _look_later(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
        if (at := self._doubt.next_look) is not None:
            wait = max(0.001, (at - self._own()) / 1_000)
            self._looking = asyncio.get_running_loop().call_later(wait, self._look)

    async def _scout(self, sent: int) -> None:
        if await _answers(self.url, self._ssl):
            self._doubt.came_back(sent, self._own())
            self._look_later()

    def _let_go(self) -> None:
        if self._socket is not None:
            self._socket.transport.abort()  # or it would be said goodbye to for long
        if self._attempt is not None:
            self._attempt.reschedule(asyncio.get_running_loop().time())

    async def _hub_is_there(self) -> None:
        """Ask whether the hub is there until it has answered, sooner or later."""
        asked: set[asyncio.Task[bool]] = set()
        try:
            while (at := self._reconnect.next_look) is not None:
                pause = max(0, at - self._own()) / 1_000
                if asked:
                    done, asked = await asyncio.wait(
                        asked, timeout=pause, return_when=asyncio.FIRST_COMPLETED
                    )
                    if any(ask.result() for ask in done):
                        return
                    if done:
                        continue  # nobody is there: the next question has its time
                else:
                    await asyncio.sleep(pause)
                if self._reconnect.look(max(at, self._own())) == "ask":
                    asked.add(asyncio.create_task(_answers(self.url, self._ssl)))
        finally:
            for ask in asked:
                ask.cancel()

    # ── what the client wants ────────────────────────────────────────────────────────────────────

    def _settle(self, news: ToClient | Shown) -> None:
        match news:
            case Welcome():
                self._reconnect.welcomed()
            case Done() | Refused():
                waiting = self._answers.pop(news.id, None)
                if waiting is not None and not waiting.done():
                    waiting.set_result(news)
            case Bye(retry_ms=None):
                raise Closed(news.reason)
            case Bye(retry_ms=int(ms)):
                self._not_before = ms
            case Problem(code="unauthorised" | "version"):
                raise Closed(news.text)
            case _:
                pass  # the news are the client's own business

    async def pair(self) -> None:
        """Ask to be let in; the code to show comes as news, and another when it is over."""
        await self._send(self.session.pair())

    async def follow(self, *topics: str) -> None:
        """Follow topics."""
        await self._send(self.session.follow(*topics))

    async def leave(self, *topics: str) -> None:
        """Follow topics no more."""
        await self._send(self.session.leave(*topics))

    async def do(
        self, event: str, do: str, /, *, seen: int | None = None, **args: Any
    ) -> Done | Refused:
        """Command something and wait for the answer, however often the connection breaks."""
        if self._closed:
            raise Closed(self._closed)
        command = secrets.token_hex(8)
        answer: asyncio.Future[Done | Refused] = asyncio.get_running_loop().create_future()
        self._answers[command] = answer
        try:
            await self._send(self.session.do(command, event, do, args, self._own(), seen=seen))
            return await answer
        finally:
            self._answers.pop(command, None)

    async def _send(self, frames: list[bytes]) -> None:
        if not frames:
            return
        async with self._sending:
            with suppress(WebSocketException):  # what matters is sent again after the reconnect
                for frame in frames:
                    if self._socket is not None:
                        await self._socket.send(frame, text=True)


async def _answers(url: str, ssl: Any) -> bool:
    """Ask the hub on a connection of its own whether it is there."""
    there = urlsplit(urljoin(url.replace("ws", "http", 1), "healthz"))
    secure = there.scheme == "https"
    with suppress(OSError, TimeoutError):
        async with asyncio.timeout(ASK_FOR / 1_000):
            port = there.port or (443 if secure else 80)
            reader, writer = await asyncio.open_connection(
                there.hostname, port, ssl=(ssl or True) if secure else None
            )
            try:
                writer.write(
                    f"GET {there.path} HTTP/1.1\r\nHost: {there.netloc}\r\n"
                    "Connection: close\r\n\r\n".encode()
                )
                return (await reader.readline()).split()[1:2] in ([b"200"], [b"503"])
            finally:
                writer.transport.abort()
    return False
