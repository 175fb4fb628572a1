"""The demo: a hub with a whole room of robots in it, for looking at every screen in action."""

import asyncio
import contextlib
import signal
import tempfile
from collections.abc import Callable, Coroutine
from math import ceil

import msgspec

from server.access import Badge
from server.config import Config
from server.logs import set_up
from server.robots.evening import MOST_TABLES, Room, evenings
from server.robots.names import DEALERS
from server.robots.pace import Habits
from server.robots.robot import websocket
from server.robots.talk import Talk
from server.serve import Served, greeting, served


class BadDemo(ValueError):  # noqa: N818 - the caller's mistake, told in words
    """A demo that cannot be."""


async def demo(  # noqa: PLR0913 - what the command line says
    config: Config,
    *,
    tables: int,
    speed: float,
    seed: int,
    preset: str,
    say: Callable[[str], None],
) -> None:
    """Serve a hub and let robots play in it until told to stop."""
    set_up("warning")  # what happens is told in words; only trouble is worth a log line
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    with contextlib.ExitStack() as stack:
        if config.data == Config().data:  # nobody has named a folder: a demo leaves nothing behind
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="railbird-demo-"))
            config = msgspec.structs.replace(config, data=folder)
        # Robots tap faster than people, in proportion to their speed.
        limits = msgspec.structs.replace(config.limits, rate=max(config.limits.rate, ceil(speed)))
        config = msgspec.structs.replace(config, limits=limits)
        async with served(config) as hub:
            for line in greeting(hub, config):
                say(line)
            room = room_in(hub, tables=tables, speed=speed, preset=preset, say=say)
            await _until(stop, evenings(room, seed))


def room_in(  # noqa: PLR0913 - each has a good default
    hub: Served,
    *,
    tables: int = 12,
    speed: float = 4.0,
    preset: str = "star-brisbane-saturday",
    say: Callable[[str], None] = lambda _: None,
    habits: Habits | None = None,
    talk: Talk | None = None,
) -> Room:
    """Furnish a room for robots in a hub that this process serves."""
    if not 1 <= tables <= MOST_TABLES:
        raise BadDemo(f"a demo has from 1 to {MOST_TABLES} tables, not {tables}")
    if speed <= 0:
        raise BadDemo("the speed of a demo must be more than 0")
    devices, tokens = hub.hub.reception.devices, dict[int, str]()

    def dealer_token(event: str, table: int) -> str:
        """Give a dealer's token; the last evening's is good for nothing any more."""
        if table in tokens:
            devices.withdraw(tokens[table])
        name = DEALERS[table % len(DEALERS)]
        tokens[table] = devices.issue(Badge("dealer", name, event, table))
        return tokens[table]

    return Room(
        url=websocket(hub.local),
        token=devices.issue(Badge("director", "Robot")),
        dealer_token=dealer_token,
        preset=preset,
        tables=tables,
        speed=speed,
        habits=habits,
        say=say,
        talk=talk or Talk(),
    )


async def _until(stop: asyncio.Event, play: Coroutine[None, None, None]) -> None:
    """Play until told to stop; what ends the play by itself is an error, and is raised."""
    playing = asyncio.ensure_future(play)
    stopping = asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait((playing, stopping), return_when=asyncio.FIRST_COMPLETED)
        if playing.done():
            await playing
    finally:
        stopping.cancel()
        playing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await playing
