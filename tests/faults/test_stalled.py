"""Fifty readers that stall: everybody else is served as ever, and the hub's memory is bounded.

A stalled reader follows a large board with the smallest buffers that there are, and reads nothing.
When the hub lets go of it, it comes back and stalls again. `RAILBIRD_STALLED=300` goes on for five
minutes.
"""

from __future__ import annotations

import asyncio
import base64
import os
import socket
from contextlib import suppress
from pathlib import Path
from statistics import median
from time import monotonic
from typing import TYPE_CHECKING

from server.protocol.link import Link
from server.protocol.session import Session
from tests.faults.figures import tell
from tests.faults.process import until
from tests.faults.test_proxy import ROOM, open_hub
from tests.served import masked

if TYPE_CHECKING:
    from tests.faults.client import Client
    from tests.faults.process import HubProcess

SECONDS, LIVES = float(os.environ.get("RAILBIRD_STALLED", "0")), 2
"""The hub lets go of a stalled reader that stays behind for five seconds, and it comes back: that
is waited for, however long it takes, and longer where that is asked for."""

STALLED, TABLES, HEALTHY = 50, 120, 10
CALM = 60
"""Announcements that are timed before anybody stalls."""

EACH = 512 << 10
"""Bytes that a stalled reader may cost: two bounds of the buffer, a board, and the connection."""

LOOSE = 12 << 20
"""Bytes that a hub may grow by in any case: what it learns, and what the allocator keeps."""


class Stalled:
    """Somebody who asks for much and reads nothing."""

    def __init__(self, port: int) -> None:
        self.port, self.lives = port, 0

    async def run(self) -> None:
        """Stall, and stall again, until cancelled."""
        while True:
            with suppress(OSError):
                await self._stall()
            await asyncio.sleep(0.1)

    async def _stall(self) -> None:
        loop = asyncio.get_running_loop()
        with socket.socket() as sock:
            sock.setblocking(False)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            await loop.sock_connect(sock, ("127.0.0.1", self.port))
            key = base64.b64encode(b"railbird--------").decode()
            await loop.sock_sendall(
                sock,
                f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nUpgrade: websocket\r\n"
                f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
                "\r\n".encode(),
            )
            await loop.sock_recv(sock, 1_024)
            await loop.sock_sendall(sock, masked(b'{"type":"hello","version":1}'))
            topics = masked(f'{{"type":"subscribe","topics":["{ROOM}/tables","{ROOM}"]}}'.encode())
            await loop.sock_sendall(sock, topics)
            self.lives += 1
            while True:  # what it writes now and then fails when the hub has let go
                await asyncio.sleep(0.5)
                await loop.sock_sendall(sock, masked(b"", 0xA))


class Room:
    """A busy room, with healthy screens in it."""

    def __init__(self, hub: HubProcess, director: Client) -> None:
        self.director, self.pid, self._words = director, hub.pid, 0
        self.walls = [Link(hub.ws, Session(f"wall{number}")) for number in range(HEALTHY)]
        self.tasks = [asyncio.create_task(wall.run()) for wall in self.walls]

    async def ready(self) -> None:
        """Open a large room, and let everybody see it."""
        for number in range(1, TABLES + 1):
            await self.director.done("1", "table.open", table=number)
        for wall in self.walls:
            await wall.follow(ROOM, f"{ROOM}/tables")
            await until(lambda wall=wall: len(wall.session.documents) == 2, "a wall shows nothing")

    async def announce(self) -> float:
        """Announce something; give the seconds until the last healthy screen shows it."""
        self._words += 1
        words, began = f"Words {self._words}", monotonic()
        await self.director.done("1", "announce", text=words)
        await until(
            lambda: all(self._shown(wall) == words for wall in self.walls), "not seen", every=0.001
        )
        return monotonic() - began

    async def bustle(self) -> None:
        """Change the board, so that there is something to fall behind on."""
        table = self._words % TABLES + 1
        await self.director.done("1", "hand.start", table=table)
        await self.director.done("1", "hand.end", table=table)

    @staticmethod
    def _shown(wall: Link) -> object:
        shown = wall.session.documents.get(ROOM)
        return None if shown is None else shown.doc["announcement"]

    def memory(self) -> int:
        """Bytes that the hub holds."""
        status = Path(f"/proc/{self.pid}/status").read_text("ascii").splitlines()
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmRSS"))


async def test_fifty_stalled_readers(tmp_path: Path) -> None:
    """Healthy screens are as fast as without them, and the hub grows by no more than it may."""
    async with open_hub(tmp_path) as (hub, director, _ledger):
        room = Room(hub, director)
        stalled = [Stalled(hub.port) for _ in range(STALLED)]
        try:
            await room.ready()
            calm = []
            for _ in range(CALM):
                await room.bustle()
                calm.append(await room.announce())
            before = most = room.memory()
            room.tasks += [asyncio.create_task(one.run()) for one in stalled]
            busy, end = [], monotonic() + SECONDS
            # Until the hub has let go of each of them, and they came back.
            while monotonic() < end or min(one.lives for one in stalled) < LIVES:
                await room.bustle()
                busy.append(await room.announce())
                most = max(most, room.memory())
        finally:
            for task in room.tasks:
                task.cancel()
            await asyncio.gather(*room.tasks, return_exceptions=True)
        lives = sum(one.lives for one in stalled)
        tell(
            f"{STALLED} stalled readers, {lives} times: seen by all after "
            f"{1_000 * median(calm):.1f} ms (median) before, {1_000 * median(busy):.1f} ms with "
            f"them; the hub grew by {(most - before) >> 10} KB"
        )
        assert median(busy) < 3 * median(calm) + 0.02
        assert most - before < STALLED * EACH + LOOSE
