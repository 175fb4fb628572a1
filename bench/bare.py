"""A bare aiohttp websocket server: what the hub is held against.

    python bench/bare.py [--port 0] [--sweep SECONDS] [--snapshot FILE] [--journal FILE]

With a sweep everybody is pinged so often. With a snapshot everybody who comes is sent it. A message
is answered with itself; with a journal it is first committed, `synchronous=FULL`, in a thread.
"""

import argparse
import asyncio
import gc
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from aiohttp import WSMsgType, web

PING = b"\x89\x08" + bytes(8)
BACKLOG = 4_096


class Bare:
    """The server."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.sweep: float = args.sweep
        self.snapshot = "" if args.snapshot is None else args.snapshot.read_text(encoding="utf-8")
        self.thread = ThreadPoolExecutor(1)
        self.db: sqlite3.Connection | None = None
        self.transports: set[asyncio.Transport] = set()
        if args.journal is not None:
            self.thread.submit(self._open, args.journal).result()

    def _open(self, path: Path) -> None:
        self.db = sqlite3.connect(path, isolation_level=None)
        for setting in ("locking_mode=EXCLUSIVE", "journal_mode=WAL", "synchronous=FULL"):
            self.db.execute(f"PRAGMA {setting}")
        self.db.execute("CREATE TABLE line (seq INTEGER PRIMARY KEY, body TEXT)")

    def _commit(self, text: str) -> None:
        if self.db is not None:
            self.db.execute("BEGIN IMMEDIATE")
            self.db.execute("INSERT INTO line (body) VALUES (?)", (text,))
            self.db.execute("COMMIT")

    async def live(self, request: web.Request) -> web.WebSocketResponse:
        """Serve one websocket."""
        response = web.WebSocketResponse(autoping=False, compress=False)
        await response.prepare(request)
        transport = request.transport
        if transport is None:
            return response
        self.transports.add(transport)
        if self.snapshot:
            await response.send_str(self.snapshot)
        loop = asyncio.get_running_loop()
        async for message in response:
            if message.type is WSMsgType.TEXT:
                if self.db is not None:
                    await loop.run_in_executor(self.thread, self._commit, message.data)
                await response.send_str(message.data)
        self.transports.discard(transport)
        return response

    async def run(self, port: int) -> None:
        """Serve for ever."""
        app = web.Application()
        app.router.add_get("/ws", self.live)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        gc.collect()
        gc.freeze()  # as the hub does
        await web.TCPSite(runner, "127.0.0.1", port, backlog=BACKLOG).start()
        print(f"ready: http://127.0.0.1:{runner.addresses[0][1]}", flush=True)
        while True:
            await asyncio.sleep(self.sweep or 3_600)
            for transport in self.transports:
                transport.write(PING)


def main() -> None:
    """Read the command line, and serve."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--sweep", type=float, default=0.0)
    parser.add_argument("--snapshot", type=Path)
    parser.add_argument("--journal", type=Path)
    args = parser.parse_args()
    asyncio.run(Bare(args).run(args.port))


if __name__ == "__main__":
    main()
