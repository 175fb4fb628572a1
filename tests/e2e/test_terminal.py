"""The wall in a real terminal: under tmux, against a real hub."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

from tests.needs import program
from tests.served import PATIENCE, ROOT, serving

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class Terminal:
    """A terminal that nobody sits at, of a tmux of its own."""

    def __init__(self, socket: Path) -> None:
        self._socket = socket

    async def tmux(self, *words: str) -> str:
        """Tell tmux something."""
        process = await asyncio.create_subprocess_exec(
            *(program("tmux"), "-S", str(self._socket), "-f", "/dev/null", *words),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            cwd=ROOT,
        )
        out, _ = await process.communicate()
        return out.decode()

    async def shows(self, wanted: Callable[[str], bool]) -> str:
        """Wait until the terminal shows something."""
        screen = ""
        async with asyncio.timeout(PATIENCE):
            while not wanted(screen):
                await asyncio.sleep(0.1)
                screen = await self.tmux("capture-pane", "-p")
        return screen


async def test_a_wall_in_a_real_terminal(tmp_path: Path) -> None:
    """Big digits, a pause in words, any name, any size; the hub goes and comes back; q quits."""
    terminal = Terminal(tmp_path / "tmux")
    async with serving(tmp_path / "data") as room:
        td = await room.dial(room.director)
        await td.done("event.create", event="", preset="star-brisbane-saturday", name="[/] Night")
        await td.done("clock.start")
        wall = f"{sys.executable} -m server.cli wall --hub {room.ws} --event 1"
        try:
            await terminal.tmux("new-session", "-d", "-x", "80", "-y", "24", wall)
            screen = await terminal.shows(lambda text: "● live" in text and "█" in text)
            assert "[/] Night" in screen
            assert "BREAK IN" in screen
            small = screen.count("█")
            await terminal.tmux("resize-window", "-x", "200", "-y", "60")
            await terminal.shows(lambda text: text.count("█") > 2 * small)
            await terminal.tmux("resize-window", "-x", "80", "-y", "24")
            await td.done("clock.pause", reason="fire alarm")
            await terminal.shows(lambda text: "PAUSED  ·  fire alarm" in text)
            await terminal.tmux("send-keys", "q")
            await terminal.shows(lambda text: "●" not in text)
        finally:
            await terminal.tmux("kill-server")
