"""The terminal's wall and a real hub on a real socket."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

from display.terminal.bigtext import BigText
from display.terminal.wall import LinkedWall
from server.protocol.session import Session
from tests.served import PATIENCE, serving

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class Watched(LinkedWall):
    """A wall that tells a test whenever it has looked."""

    def __init__(self, url: str, **options: Any) -> None:
        self.looked = asyncio.Event()
        super().__init__(url, Session("wall-test"), zone=lambda _: 0, **options)

    def look(self) -> None:
        """Look, and say so."""
        super().look()
        self.looked.set()

    async def until(self, wanted: Callable[[], bool]) -> None:
        """Wait until something is so, looking at it whenever the wall has looked."""
        async with asyncio.timeout(PATIENCE):
            while not wanted():
                self.looked.clear()
                await self.looked.wait()

    @property
    def state(self) -> tuple[str, str]:
        """What the wall shows, and how fresh it is."""
        shown = self._shown
        assert shown is not None
        wall, trust = shown
        return wall.state, trust.freshness


async def test_a_wall_follows_its_hub(tmp_path: Path) -> None:
    """It finds the event, shows a pause, outlives the hub, and is back when the hub is."""
    async with AsyncExitStack() as terminal:
        async with serving(tmp_path) as room:
            port = room.port
            app = Watched(room.ws)
            await terminal.enter_async_context(app.run_test(size=(80, 24)))
            director = await room.dial(room.director)
            await app.until(lambda: app.state == ("waiting", "fresh"))
            await director.done("event.create", event="", preset="selkirk-main")
            await app.until(lambda: app.event is not None)
            event = str(app.event)
            await director.done("clock.start", event=event)
            await app.until(lambda: app.state == ("playing", "fresh"))
            await director.done("clock.pause", event=event, reason="[/]")
            await app.until(lambda: app.state == ("paused", "fresh"))
            await director.done("clock.resume", event=event)
            await app.until(lambda: app.state == ("playing", "fresh"))
        await app.until(lambda: app.state == ("playing", "coasting"))
        assert app.query_one("#hero", BigText).text.startswith(("14:5", "15:00"))
        async with serving(tmp_path, port=port):
            await app.until(lambda: app.state == ("playing", "fresh"))
