"""A bad network: a TCP proxy between real clients and a real hub, with faults from a seed.

    async with Proxy(hub.port) as proxy:
        link = Link(proxy.url, session)
        proxy.freeze()          # nothing passes, nobody is told
        proxy.thaw()            # it was only slow
        proxy.thaw(forget=True) # old connections are dead, though nobody has told them
        proxy.drop()            # everything is reset
        proxy.cut_in_frame()    # reset in the middle of a message

Nothing overtakes within a connection. Across connections it does: `hold` keeps what clients say, so
that it reaches the hub long after they said the same on another connection; and `twice` says
everything on two connections at once.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType

CHUNK = 4_096


@dataclass
class Weather:
    """How the network is, for everything that passes from now on."""

    delay: tuple[float, float] = (0.0, 0.0)  # seconds, from and to
    rate: float | None = None  # bytes a second


@dataclass(eq=False)
class Carried:
    """One connection of a client, and the one or two that it became at the hub."""

    client: asyncio.StreamWriter
    hubs: list[asyncio.StreamWriter] = field(default_factory=list)
    going: asyncio.Event = field(default_factory=asyncio.Event)
    up: asyncio.Event = field(default_factory=asyncio.Event)  # what the client says may pass
    lost: bool = False  # whatever happens, nothing passes any more
    cut: bool = False  # the next that comes down is cut short
    held: int = 0  # bytes that were said and are not passed on
    outlives: bool = False  # what was held still reaches the hub when the client is gone

    def reset(self) -> None:
        """Tell both ends that it is over."""
        for writer in [self.client, *([] if self.outlives else self.hubs)]:
            writer.transport.abort()


class Proxy:
    """Carries connections to a port of this machine, badly."""

    def __init__(self, port: int, seed: int = 1) -> None:
        self.weather = Weather()
        self.twice = False
        self.attempts = 0
        self._hub_port, self._rng = port, Random(seed)  # noqa: S311 - faults, not secrets
        self._frozen = self._holding = False
        self._carried: set[Carried] = set()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.port = 0

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
        for carried in list(self._carried):
            carried.outlives = False
        self.drop()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def url(self) -> str:
        """Where clients connect."""
        return f"ws://127.0.0.1:{self.port}/ws"

    @property
    def carrying(self) -> int:
        """How many connections stand."""
        return len(self._carried)

    @property
    def held(self) -> int:
        """Bytes that clients said and that are held back."""
        return sum(carried.held for carried in self._carried)

    # ── faults ───────────────────────────────────────────────────────────────────────────────────

    async def open(self) -> None:
        """Take connections."""
        self._server = await asyncio.start_server(self._arrived, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    def close(self) -> None:
        """Refuse connections; those that stand go on."""
        if self._server is not None:
            self._server.close()
            self._server = None

    def freeze(self) -> None:
        """Stop carrying, without a word; who connects now is taken and hears nothing."""
        self._frozen = True
        for carried in self._carried:
            carried.going.clear()

    def thaw(self, *, forget: bool = False) -> None:
        """Carry again; old connections too, unless what lay between has forgotten them."""
        self._frozen = False
        for carried in self._carried:
            carried.lost = carried.lost or forget
            carried.going.set()

    def drop(self) -> None:
        """Reset every connection."""
        for carried in list(self._carried):
            carried.reset()

    def cut_in_frame(self) -> None:
        """Reset every connection in the middle of what comes down next."""
        for carried in self._carried:
            carried.cut = True

    def hold(self) -> None:
        """Keep back what clients say; it outlives their connections."""
        self._holding = True
        for carried in self._carried:
            carried.up.clear()
            carried.outlives = True

    def let_go(self) -> None:
        """Say to the hub what was kept back, though it may be said already."""
        self._holding = False
        for carried in self._carried:
            carried.up.set()

    def hold_no_more(self) -> None:
        """Carry what is said on new connections; what was kept back stays so."""
        self._holding = False

    async def chaos(self, seconds: float) -> list[str]:
        """Let faults happen for a while; give their names."""
        loop, rng, names = asyncio.get_running_loop(), self._rng, []
        end = loop.time() + seconds
        while loop.time() < end:
            name = rng.choice(
                ("drop", "cut", "freeze", "forget", "slow", "thin", "refuse", "twice", "late")
            )
            names.append(name)
            await self._happen(name, rng.uniform(0.05, 0.4))
            self.weather, self.twice = Weather(), False
            await asyncio.sleep(rng.uniform(0.0, 0.3))
        return names

    async def _happen(self, name: str, seconds: float) -> None:
        match name:
            case "drop":
                self.drop()
            case "cut":
                self.cut_in_frame()
            case "freeze" | "forget":
                self.freeze()
                await asyncio.sleep(seconds)
                self.thaw(forget=name == "forget")
                if name == "forget":
                    await asyncio.sleep(seconds)
                    self.drop()  # as a router does when it is asked again
            case "slow":
                self.weather = Weather(delay=(0.0, 0.2))
                await asyncio.sleep(seconds)
            case "thin":
                self.weather = Weather(rate=20_000)
                await asyncio.sleep(seconds)
            case "refuse":
                self.close()
                self.drop()
                await asyncio.sleep(seconds)
                await self.open()
            case "twice":
                self.twice = True
                self.drop()
                await asyncio.sleep(seconds)
            case _:
                self.hold()
                await asyncio.sleep(seconds)
                self.drop()
                self.hold_no_more()
                await asyncio.sleep(seconds)
                self.let_go()

    # ── carrying ─────────────────────────────────────────────────────────────────────────────────

    def _arrived(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(self._carry(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.attempts += 1
        carried = Carried(writer)
        self._carried.add(carried)
        if not self._frozen:
            carried.going.set()
        if not self._holding:
            carried.up.set()
        carried.outlives = self._holding
        pumps: list[asyncio.Task[None]] = []
        try:
            await carried.going.wait()
            for number in range(1 + self.twice):
                back, hub = await asyncio.open_connection("127.0.0.1", self._hub_port)
                carried.hubs.append(hub)
                down = self._down(carried, back) if number == 0 else _swallow(back)
                pumps.append(asyncio.create_task(down))
            await self._up(carried, reader)
        except OSError:
            pass
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
            carried.outlives = False
            carried.reset()
            self._carried.discard(carried)

    async def _up(self, carried: Carried, reader: asyncio.StreamReader) -> None:
        """Carry what the client says."""
        kept: list[bytes] = []
        with suppress(OSError):
            while data := await reader.read(CHUNK):
                if not carried.up.is_set():
                    kept.append(data)
                    carried.held += len(data)
                    continue
                await self._pass(carried, data, carried.hubs)
        if kept:
            await carried.up.wait()
            await self._pass(carried, b"".join(kept), carried.hubs)
            await asyncio.sleep(0.1)  # so that the hub reads it before it hears of the end

    async def _down(self, carried: Carried, back: asyncio.StreamReader) -> None:
        """Carry what the hub says, to a client that may be gone already."""
        with suppress(OSError):
            while data := await back.read(CHUNK):
                if carried.cut:
                    await self._pass(carried, data[: len(data) // 2], [carried.client])
                    break
                await self._pass(carried, data, [carried.client])
        if not carried.outlives:
            carried.reset()

    async def _pass(
        self, carried: Carried, data: bytes, writers: list[asyncio.StreamWriter]
    ) -> None:
        wait = self._rng.uniform(*self.weather.delay)
        if self.weather.rate is not None:
            wait += len(data) / self.weather.rate
        if wait:
            await asyncio.sleep(wait)
        await carried.going.wait()
        if carried.lost:
            return
        for writer in writers:
            with suppress(OSError):
                writer.write(data)
                await writer.drain()


async def _swallow(back: asyncio.StreamReader) -> None:
    """Read what nobody will hear."""
    with suppress(OSError):
        while await back.read(CHUNK):
            pass
