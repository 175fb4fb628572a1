"""A robot: a mind's hands and eyes, which are a link to the hub."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from time import perf_counter

from server.protocol.link import Link, own_ms
from server.protocol.messages import Refused, ToClient, Welcome
from server.protocol.session import PROBE_EVERY, Session, Shown
from server.robots.dealer import Dealer
from server.robots.director import Director, View
from server.robots.pace import Doc, Tap
from server.robots.talk import Talk

PATIENCE = 2.0
"""Seconds after which a robot that was refused tries again though nothing has changed."""

GLANCE = 1.0
"""Seconds after which a director looks around again."""


def websocket(url: str) -> str:
    """Give the address of a hub's websocket from any of its addresses."""
    plain = url.partition("#")[0].rstrip("/")
    if plain.startswith("http"):
        plain = "ws" + plain.removeprefix("http")
    return plain if plain.endswith("/ws") else f"{plain}/ws"


Start = Callable[[Coroutine[None, None, None]], None]


@asynccontextmanager
async def together() -> AsyncIterator[Start]:
    """Let robots work together: all end when the work here is done, or when one of them fails."""
    tasks: list[asyncio.Task[None]] = []
    try:
        async with asyncio.TaskGroup() as group:
            yield lambda work: tasks.append(group.create_task(work))
            for task in tasks:
                task.cancel()
    except BaseExceptionGroup as failed:
        raise failed.exceptions[0] from None  # what went wrong first, told plainly


class Robot:
    """Somebody who is connected, follows topics and taps."""

    def __init__(self, url: str, token: str | None, kind: str, *topics: str) -> None:
        role = "dealer" if token is not None else "wall"
        self.session = Session(f"robot-{secrets.token_hex(6)}", token, kind)
        self.session.topics.update(dict.fromkeys(topics))
        self.link = Link(url, self.session, self._news, probe_every=PROBE_EVERY[role])
        self.welcomes = 0  # how often it has been let in: one more than it was cut off
        self.seen: Callable[[Shown], None] = lambda _: None
        self._changed = asyncio.Event()

    def _news(self, news: ToClient | Shown) -> None:
        if isinstance(news, Shown):
            self.seen(news)
        self.welcomes += isinstance(news, Welcome)
        self.wake()

    def wake(self) -> None:
        """Look again."""
        self._changed.set()

    def doc(self, topic: str) -> Doc | None:
        """Give the newest document of a topic."""
        shown = self.session.documents.get(topic)
        return None if shown is None else shown.doc

    def hub_now(self) -> int:
        """Say what time it is at the hub."""
        return self.session.clock.now(own_ms()) if self.session.clock.known else 0

    async def changed(self, seconds: float | None = None) -> bool:
        """Wait for news, at most so long; say whether there were any."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        found = self._changed.is_set()
        self._changed.clear()
        return found

    async def until(self, wanted: Callable[[], bool]) -> None:
        """Wait until the documents say what is wanted."""
        while not wanted():
            await self.changed()

    async def tap(self, event: str, tap: Tap, talk: Talk) -> str | None:
        """Command something; gives the code of a refusal."""
        answer = await self.link.do(event, tap.do, **tap.args)
        if isinstance(answer, Refused):
            talk.refused[tap.do, answer.code] += 1
            return answer.code
        talk.done[tap.do] += 1
        return None


async def deal(robot: Robot, dealer: Dealer, event: str, talk: Talk, speed: float) -> None:
    """Work a table for ever."""
    talk.listen(robot.wake)
    at, whole = f"t/{event}/table/{dealer.table}", f"t/{event}"
    meant: Tap | None = None
    due = 0.0
    while True:
        tap = dealer.look(robot.doc(at), robot.doc(whole))
        if tap is not meant:  # what was meant before is not what the table needs now
            meant, due = tap, perf_counter() + (tap.after / speed if tap else 0)
        left = due - perf_counter()
        if tap is None or left > 0:
            await robot.changed(None if tap is None else left)
            continue
        code = await robot.tap(event, tap, talk)
        dealer.answered(done=code is None)
        meant = None
        if code is not None:
            await robot.changed(PATIENCE)


async def direct(  # noqa: PLR0913 - who, what and how fast
    robot: Robot,
    director: Director,
    event: str,
    *,
    tables: int,
    talk: Talk,
    speed: float,
    told: Callable[[Tap], None] = lambda _: None,
) -> None:
    """Direct an event until it is finished."""
    talk.listen(robot.wake)
    while True:
        seen = {number: robot.doc(f"t/{event}/table/{number}") for number in range(1, tables + 1)}
        whole = robot.doc(f"t/{event}")
        if whole is None:
            await robot.changed()
            continue
        if whole["clock"]["status"] == "finished":
            return
        opened = {number: doc for number, doc in seen.items() if doc is not None}
        tap = director.look(View(whole, opened, perf_counter() * speed, robot.hub_now()))
        if tap is None:
            await robot.changed(GLANCE / speed)
            continue
        code = await robot.tap(event, tap, talk)
        director.answered(code is None, code or "")
        if code is None:
            told(tap)
        else:
            await robot.changed(PATIENCE / speed)
