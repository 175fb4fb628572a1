"""How long the machine stood still: what a measurement must not hold against the program.

    stalls = Stalls(hub.ws)
    async with stalls.watched():
        took = stalls.watch()
        ...
        assert took() <= 2

A promise in seconds is kept by timers and answers. On a machine that others use, a process waits
for its turn although its timer is due, and a test that takes that for the program's slowness fails
by chance. Here the same process sleeps for a moment, again and again, and asks the hub for the
time: by as much as that takes longer than it must, this process or the hub was held up. What is
left of a duration without it is the program's own, and is held to the promise itself.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from time import monotonic
from typing import TYPE_CHECKING

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

EVERY = 0.02
"""Seconds between two looks: as finely are stalls seen."""


class Stalls:
    """Adds up by how many seconds this process, and the hub while it is there, were held up."""

    def __init__(self, hub: str) -> None:
        self.total = 0.0
        self._hub, self._quickest = hub, float("inf")

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        """Watch the machine, for a while."""
        tasks = [asyncio.create_task(watch) for watch in (self._watch_process(), self._watch_hub())]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def watch(self) -> Callable[[], float]:
        """Start a watch: it tells the seconds since, without those that the machine stood still."""
        began, before = monotonic(), self.total
        return lambda: monotonic() - began - (self.total - before)

    async def _watch_process(self) -> None:
        while True:
            began = monotonic()
            await asyncio.sleep(EVERY)
            self.total += monotonic() - began - EVERY

    async def _watch_hub(self) -> None:
        while True:
            try:
                async with connect(self._hub, compression=None, proxy=None) as socket:
                    await socket.send(json.dumps({"type": "hello", "version": 1}))
                    while True:
                        await self._ask(socket)
                        await asyncio.sleep(EVERY)
            except (OSError, TimeoutError, WebSocketException):
                await asyncio.sleep(EVERY)

    async def _ask(self, socket: ClientConnection) -> None:
        """Ask what time it is; what that takes beyond the quickest answer is the hub's stall."""
        began, before = monotonic(), self.total
        await socket.send(json.dumps({"type": "probe", "sent": 1}))
        while json.loads(await socket.recv())["type"] != "probed":
            pass
        took = monotonic() - began
        self._quickest = min(self._quickest, took)
        # What held this process up is counted already.
        self.total += max(0.0, took - self._quickest - (self.total - before))
