"""A bad network between real clients and a real hub: screens say so, nothing is lost or doubled.

The walls are measured all at once, each with a network of its own, because their faults take
seconds: see `measured`.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any

import pytest

from server.protocol.link import Closed, Link, own_ms
from server.protocol.messages import Done
from server.protocol.session import PROBE_EVERY, Freshness, Session
from tests.faults.client import Client, LoggedSession
from tests.faults.figures import tell
from tests.faults.ledger import Ledger
from tests.faults.process import PATIENCE, HubProcess, until
from tests.faults.proxy import Proxy
from tests.faults.stalls import Stalls

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

BADGE_WITHIN, CONSISTENT_WITHIN = 3.0, 2.0
CUT_FOR = {"swallowed": 6.0}
LONG_ENOUGH = 3.6
"""Seconds of a cut: enough for the badge of everybody who was cut at any moment; and one so long
that the network returns while another attempt to connect hangs."""

PHASES = 4
"""Walls of a kind, cut at different moments of their heartbeat."""

ROOM = "t/1"
CHAOS, ENOUGH = 5.0, 100
"""Seconds of a bad network, and commands that must have been done in it or after it."""


@asynccontextmanager
async def open_hub(folder: Path) -> AsyncIterator[tuple[HubProcess, Client, Ledger]]:
    """Run a hub with an event whose clock runs, and a director on a good network."""
    hub, ledger = HubProcess(folder), Ledger()
    director = Client(hub.ws, "director", ledger)
    hub.start()
    task = None
    try:
        await hub.ready()
        director.session.token = hub.token
        task = asyncio.create_task(director.run())
        await director.done("", "event.create", preset="faults")
        await director.done("1", "clock.start")
        await director.follow(ROOM)
        yield hub, director, ledger
    finally:
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        hub.kill()


# ── walls ────────────────────────────────────────────────────────────────────────────────────────

KINDS = ("paused", "forgotten", "reset", "swallowed", "slow")
"""How a wall is cut off: nothing passes for a while; nothing passes, and then only on a new
connection; reset, and refused for a while; reset, and then taken and never answered; and a network
that becomes slow without being cut."""


@dataclass
class Wall:
    """A screen with a network of its own."""

    kind: str
    proxy: Proxy
    link: Link
    revs: list[int]
    badge: float | None = None  # seconds from the cut until it said so
    consistent: float | None = None  # seconds from the return until all was well; neither stalls

    def fresh(self) -> bool:
        """Whether the screen says that it is up to date."""
        return self.link.session.freshness(own_ms()) is Freshness.FRESH

    def shows(self, rev: int) -> bool:
        """Whether it shows what the hub has, and knows it."""
        shown = self.link.session.documents.get(ROOM)
        return shown is not None and shown.rev >= rev and self.fresh()

    def cut(self) -> None:
        """Cut it off."""
        match self.kind:
            case "paused" | "forgotten":
                self.proxy.freeze()
            case "reset":
                self.proxy.close()
                self.proxy.drop()
            case "swallowed":
                self.proxy.freeze()
                self.proxy.drop()
            case _:
                self.proxy.weather.delay = (0.3, 0.9)

    async def back(self) -> None:
        """Let the network come back."""
        match self.kind:
            case "reset":
                await self.proxy.open()
            case "slow":
                self.proxy.weather.delay = (0.0, 0.0)
            case _:
                self.proxy.thaw(forget=self.kind != "paused")


@dataclass
class Measured:
    """What the walls did, and for how many seconds the machine stood still meanwhile."""

    walls: list[Wall]
    stalled: float

    def of(self, kind: str) -> list[Wall]:
        """Give the walls of a kind."""
        return [wall for wall in self.walls if wall.kind == kind]


async def _cut_and_return(wall: Wall, after: float, director: Client, stalls: Stalls) -> None:
    """Cut a wall off, see when it says so; let it back, see when it is well."""
    cut_for = CUT_FOR.get(wall.kind, LONG_ENOUGH)
    await asyncio.sleep(after)
    wall.cut()
    end, took = monotonic() + cut_for, stalls.watch()
    # What is only slow need not say so.
    within = cut_for if wall.kind == "slow" else PATIENCE
    with suppress(AssertionError):
        await until(lambda: not wall.fresh(), "fresh", within, every=0.01)
        wall.badge = took()
    await asyncio.sleep(max(0.0, end - monotonic()))
    wanted = director.session.documents[ROOM].rev
    await wall.back()
    took = stalls.watch()
    with suppress(AssertionError):
        await until(lambda: wall.shows(wanted), "not consistent", every=0.01)
        wall.consistent = took()


async def _measure(folder: Path) -> Measured:
    async with open_hub(folder) as (hub, director, _ledger), AsyncExitStack() as stack:
        walls = []
        tasks = []
        stalls = Stalls(hub.ws)
        await stack.enter_async_context(stalls.watched())
        for number in range(PHASES * len(KINDS)):
            proxy = await stack.enter_async_context(Proxy(hub.port, seed=number))
            revs: list[int] = []
            session = Session(f"wall{number}")
            session.follow(ROOM)

            def news(found: Any, revs: list[int] = revs) -> None:
                revs.append(getattr(found, "rev", -1))

            link = Link(proxy.url, session, news, probe_every=PROBE_EVERY["wall"])
            walls.append(Wall(KINDS[number % len(KINDS)], proxy, link, revs))
            tasks.append(asyncio.create_task(link.run()))
        try:
            for wall in walls:
                await until(lambda wall=wall: wall.shows(1), "a wall shows nothing")

            async def talk() -> None:
                while True:
                    await director.done("1", "announce", text=f"It is {own_ms()}")
                    await asyncio.sleep(0.2)

            tasks.append(asyncio.create_task(talk()))
            step = PROBE_EVERY["wall"] / 1_000 / PHASES
            await asyncio.gather(
                *(
                    _cut_and_return(wall, number // len(KINDS) * step, director, stalls)
                    for number, wall in enumerate(walls)
                )
            )
        finally:
            for wall in walls:  # or a link would say goodbye to a dead connection for long
                wall.proxy.drop()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return Measured(walls, stalls.total)


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """Measure all walls at once."""
    found = asyncio.run(_measure(tmp_path_factory.mktemp("walls")))
    for kind in KINDS:
        walls = found.of(kind)
        badges = [wall.badge for wall in walls if wall.badge is not None]
        back = [wall.consistent for wall in walls if wall.consistent is not None]
        tell(
            f"{kind}: {len(badges)} of {len(walls)} walls said so, after "
            f"{max(badges, default=0):.2f} s at most; {len(back)} were consistent again"
            + (f", {max(back):.2f} s after the return at most" if back else "")
            + f", without what the machine stood still ({found.stalled:.2f} s in all)"
        )
    return found


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "slow"])
def test_badge(measured: Measured, kind: str) -> None:
    """A wall that is cut off says so within 3 s, at whatever moment it was cut."""
    for wall in measured.of(kind):
        assert wall.badge is not None
        assert wall.badge <= BADGE_WITHIN


@pytest.mark.parametrize("kind", KINDS)
def test_consistent(measured: Measured, kind: str) -> None:
    """A wall shows what the hub has within 2 s of the network's return."""
    for wall in measured.of(kind):
        assert wall.consistent is not None
        assert wall.consistent <= CONSISTENT_WITHIN


def test_never_older(measured: Measured) -> None:
    """No wall ever showed an older document after a newer one."""
    for wall in measured.walls:
        shown = [rev for rev in wall.revs if rev >= 0]
        assert shown == sorted(set(shown))
        assert shown


# ── commands ─────────────────────────────────────────────────────────────────────────────────────


class Tapping:
    """Links that command through bad networks, with everything in the ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.links: list[Link] = []
        self._tasks: list[asyncio.Task[None]] = []
        self.taps: Counter[str] = Counter()

    def join(self, proxy: Proxy, token: str) -> Link:
        """Let somebody tap through a network."""
        session = LoggedSession(f"link{len(self.links)}", self.ledger, token)
        session.follow(ROOM, f"{ROOM}/floor", "events")
        link = Link(proxy.url, session, probe_every=PROBE_EVERY["dealer"])
        self.links.append(link)
        self._tasks.append(asyncio.create_task(self._run(link)))
        return link

    @staticmethod
    async def _run(link: Link) -> None:
        with suppress(Closed):
            await link.run()

    async def tap(self, link: Link, end: float) -> None:
        """Tap until the end, and until there is enough; each time wait for the answer."""
        while monotonic() < end or self.taps["Done"] <= ENOUGH:
            answer = await link.do("1", "announce", text=f"{link.session.device} {own_ms()}")
            self.taps[answer.__class__.__name__] += 1
            await asyncio.sleep(0.005)

    async def end(self) -> None:
        """Stop."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def test_chaos(tmp_path: Path) -> None:
    """However bad the network, every command is carried out once and nothing is made up."""
    async with open_hub(tmp_path) as (hub, _director, ledger), AsyncExitStack() as stack:
        tapping = Tapping(ledger)
        proxies = [
            await stack.enter_async_context(Proxy(hub.port, seed=seed)) for seed in range(1, 6)
        ]
        links = [tapping.join(proxy, hub.token) for proxy in proxies]
        end = monotonic() + CHAOS
        faults, *_ = await asyncio.gather(
            asyncio.gather(*(proxy.chaos(CHAOS) for proxy in proxies)),
            *(tapping.tap(link, end) for link in links),
        )
        for proxy in proxies:
            proxy.drop()
        await tapping.end()
        hub.kill()
        ledger.compare(hub.data, tmp_path / "scratch")
        happened = Counter(name for names in faults for name in names)
        attempts = sum(proxy.attempts for proxy in proxies)
        tell(
            f"{happened.total()} faults of the network ({', '.join(sorted(happened))}), "
            f"{attempts} connections, {tapping.taps['Done']} commands done once, "
            f"{ledger.figures['done again']} of them answered again, "
            f"{ledger.figures['documents']} documents compared"
        )
        assert not ledger.wrong, "\n".join(ledger.wrong)
        assert tapping.taps["Done"] > ENOUGH
        assert set(tapping.taps) == {"Done"}


async def test_late_delivery(tmp_path: Path) -> None:
    """What reaches the hub long after it was said again on another connection is done once."""
    async with (
        open_hub(tmp_path) as (hub, director, ledger),
        Proxy(hub.port) as proxy,
    ):
        tapping = Tapping(ledger)
        link = tapping.join(proxy, hub.token)
        await until(lambda: ROOM in link.session.documents, "the link shows nothing")
        proxy.hold()
        command = asyncio.create_task(link.do("1", "announce", text="once"))
        await until(lambda: proxy.held > 0, "nothing was said")
        proxy.drop()
        proxy.hold_no_more()
        assert isinstance(await command, Done)
        await director.done("1", "announce", text="newer")
        again = ledger.figures["done again"]
        proxy.let_go()  # the old words arrive, after newer ones
        await until(lambda: proxy.held == 0, "the old words were not passed on")
        await director.done("1", "announce", text="newest")
        await tapping.end()
        hub.kill()
        ledger.compare(hub.data, tmp_path / "scratch")
        assert not ledger.wrong, "\n".join(ledger.wrong)
        assert again == ledger.figures["done again"], "the answer went to a dead connection"
        state = ledger.books.state("1")
        assert state is not None
        assert state.room.announcement == "newest"


AWAY = 4_000
"""Milliseconds after zero for which a tablet is silent: two chips of this house would be gone."""


async def test_a_silent_tablet_costs_no_chip(tmp_path: Path) -> None:
    """Time that runs out in a hole burns nothing; a tap made in it counts from its instant."""
    async with open_hub(tmp_path) as (hub, director, _), Proxy(hub.port) as proxy:
        for seat in (1, 2, 3):
            await director.done("1", "seat.put", player=f"p{seat}", table=1, seat=seat)
        await director.follow("t/1/table/1", "t/1/tables")
        session = Session("tablet")
        link = Link(proxy.url, session, probe_every=PROBE_EVERY["dealer"])
        running = asyncio.create_task(link.run())
        await link.pair()
        await until(lambda: session.code is not None, "no code to show")
        assert session.code is not None
        paired = {"code": session.code.code, "role": "dealer", "event": "1", "table": 1}
        await director.done("", "device.pair", **paired)
        await until(lambda: session.token is not None, "the tablet was not let in")
        assert isinstance(await link.do("1", "hand.start", table=1), Done)
        assert isinstance(await link.do("1", "action.start", table=1, seat=1), Done)
        await until(lambda: director.doc("t/1/table/1")["action"]["ends_at"], "no clock runs")
        zero = director.doc("t/1/table/1")["action"]["ends_at"]
        proxy.freeze()
        before = session.clock.now(own_ms())
        tap = asyncio.create_task(link.do("1", "action.next", table=1))
        await until(lambda: session.pending, "nothing was tapped")
        after, unsure = session.clock.now(own_ms()), session.clock.uncertainty(own_ms())
        await until(lambda: session.clock.now(own_ms()) > zero + AWAY, "time stands")
        proxy.thaw(forget=True)
        answer = await tap
        assert isinstance(answer, Done)
        assert before - unsure - 1 <= answer.at <= after + unsure + 1
        await until(
            lambda: director.doc("t/1/table/1")["action"]["status"] == "held", "nothing was held"
        )
        doc = director.doc("t/1/table/1")
        assert (doc["action"]["seat"], doc["action"]["remaining_ms"]) == (2, 3_000)
        assert [seat["bank"] for seat in doc["seats"].values()] == [4, 4, 4]
        await until(lambda: director.doc("t/1/tables")["tables"]["1"]["assumed"], "nothing told")
        assert director.doc("t/1/tables")["tables"]["1"]["assumed"]["taps"] == 1
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
