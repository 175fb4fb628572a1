"""A real hub on a real socket: on a free port, in this process or in one of its own.

    async with serving(tmp_path) as room:
        wall = await room.dial()                              # a viewer, welcomed
        director = await room.dial(room.director)
        await director.done("event.create", event="", preset="selkirk-main")
        await wall.follow("t/1")

Nothing here sleeps: everything waits for a message, and gives up after `PATIENCE`.
"""

from __future__ import annotations

import asyncio
import base64
import io
import itertools
import json
import os
import signal
import subprocess
import sys
from contextlib import (
    AsyncExitStack,
    asynccontextmanager,
    redirect_stderr,
    redirect_stdout,
    suppress,
)
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from server.cli import main
from server.config import Config, Limits, Places
from server.serve import Served, served
from tests.needs import GIVE_UP

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable

    from server.access import Badge
    from server.hub import Hub

PATIENCE = GIVE_UP
ROOT = Path(__file__).parents[1]
ENOUGH = 8
"""Bytes of a mask and a length are always in the first so many."""


class Wire:
    """A client on a websocket, with everything that it was ever told."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.heard: list[dict[str, Any]] = []
        self.raw: list[str | bytes] = []
        self.docs: dict[str, Any] = {}
        self.revs: dict[str, int] = {}
        self._ids = itertools.count(1)

    async def say(self, type_: str, **message: Any) -> None:
        """Send a message."""
        await self.socket.send(json.dumps({"type": type_, **message}))

    async def next(self) -> dict[str, Any]:
        """Wait for the next message."""
        async with asyncio.timeout(PATIENCE):
            data = await self.socket.recv()
        self.raw.append(data)
        found: dict[str, Any] = json.loads(data)
        self.heard.append(found)
        if found["type"] == "doc":
            self.docs[found["topic"]], self.revs[found["topic"]] = found["doc"], found["rev"]
        return found

    async def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Wait for a message of some kind."""
        while True:
            found = await self.next()
            if wanted(found):
                return found

    async def heard_of(self, type_: str) -> dict[str, Any]:
        """Wait for a message of a type."""
        return await self.until(lambda found: found["type"] == type_)

    async def follow(self, *topics: str) -> None:
        """Follow topics, and wait for the document of each."""
        await self.say("subscribe", topics=list(topics))
        missing = set(topics)
        while missing:
            missing.discard((await self.heard_of("doc"))["topic"])

    async def settled(self) -> list[dict[str, Any]]:
        """Wait until everything that was said has been answered; give what came meanwhile."""
        before, sent = len(self.heard), next(self._ids)
        await self.say("probe", sent=sent)
        await self.until(lambda found: found["type"] == "probed" and found["sent"] == sent)
        return self.heard[before:-1]

    async def tap(self, do: str, /, *, event: str = "1", id_: str = "", **args: Any) -> str:
        """Command something without waiting, and give the command's id."""
        command = id_ or f"c{next(self._ids)}-{id(self)}"
        await self.say("do", id=command, event=event, do=do, args=args)
        return command

    async def do(self, do: str, /, *, event: str = "1", **args: Any) -> dict[str, Any]:
        """Command something and wait for the answer."""
        command = await self.tap(do, event=event, **args)
        return await self.until(lambda found: found.get("id") == command)

    async def done(self, do: str, /, *, event: str = "1", **args: Any) -> dict[str, Any]:
        """Command something that must be done."""
        answer = await self.do(do, event=event, **args)
        assert answer["type"] == "done", answer
        return answer

    async def over(self) -> list[dict[str, Any]]:
        """Wait until the hub has closed the connection; give what came until then."""
        before = len(self.heard)
        with suppress(ConnectionClosed):
            while True:
                await self.next()
        return self.heard[before:]


class Bare:
    """A client that knows how to break the rules: it writes frames byte by byte."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    def write(self, data: bytes) -> None:
        """Send bytes as they are."""
        self.writer.write(data)

    async def frame(self) -> tuple[int, int, bytes]:
        """Read a frame as it is: its first byte, its second, and what is in it."""
        async with asyncio.timeout(PATIENCE):
            first, second = await self.reader.readexactly(2)
            size = second & 0x7F
            if size > 125:
                wide = 2 if size == 126 else 8
                size = int.from_bytes(await self.reader.readexactly(wide), "big")
            return first, second, await self.reader.readexactly(size)

    async def text(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Wait for a message of some kind."""
        while True:
            first, _, payload = await self.frame()
            found: dict[str, Any] = json.loads(payload) if first == 0x81 else {}
            if found and wanted(found):
                return found

    async def over(self) -> bytes:
        """Wait until the hub has closed the connection; give the bytes that came until then."""
        async with asyncio.timeout(PATIENCE):
            try:
                return await self.reader.read(-1)
            except ConnectionError:
                return b""


def masked(
    payload: bytes, opcode: int = 0x1, *, final: bool = True, mask: bytes = b"\x01\x02\x03\x04"
) -> bytes:
    """Wrap a payload in a client's frame; without a mask it is one that no client may send."""
    head = bytes([(0x80 if final else 0) | opcode])
    bit = 0x80 if mask else 0
    if len(payload) < 126:
        size = bytes([bit | len(payload)])
    elif len(payload) < 1 << 16:
        size = bytes([bit | 126]) + len(payload).to_bytes(2, "big")
    else:
        size = bytes([bit | 127]) + len(payload).to_bytes(8, "big")
    if mask:
        payload = bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))
    return head + size + mask + payload


HELLO = {"type": "hello", "version": 1}


@dataclass
class Room:
    """A hub that is served, and who has come."""

    served: Served
    data: Path
    guests: AsyncExitStack = field(default_factory=AsyncExitStack)

    @property
    def hub(self) -> Hub:
        """The hub itself."""
        return self.served.hub

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.served.local.rpartition(":")[2])

    @property
    def ws(self) -> str:
        """Where its websocket is."""
        return f"ws://127.0.0.1:{self.port}/ws"

    @property
    def director(self) -> str:
        """The token of who sits at the hub's machine."""
        return Places(self.data).token.read_text("ascii").strip()

    def token(self, badge: Badge) -> str:
        """Make a token for somebody."""
        return self.hub.reception.devices.issue(badge)

    async def connect(self, **options: Any) -> Wire:
        """Open a connection, and say nothing."""
        made = connect(
            self.ws, compression=None, proxy=None, ping_interval=None, max_size=None, **options
        )
        return Wire(await self.guests.enter_async_context(made))

    async def dial(self, token: str | None = None, **hello: Any) -> Wire:
        """Open a connection, and say hello."""
        wire = await self.connect()
        await wire.say("hello", version=1, token=token, **hello)
        await wire.heard_of("welcome")
        return wire

    async def bare(self, *, limit: int | None = None, hello: bool = True) -> Bare:
        """Open a connection byte by byte."""
        options = {} if limit is None else {"limit": limit}
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, **options)
        self.guests.callback(writer.close)
        key = base64.b64encode(b"railbird--------").decode()
        writer.write(
            f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
            "".encode()
        )
        async with asyncio.timeout(PATIENCE):
            head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 101"), head
        bare = Bare(reader, writer)
        if hello:
            bare.write(masked(json.dumps(HELLO).encode()))
            await bare.text(lambda found: found["type"] == "welcome")
        return bare

    async def http(self, request: bytes) -> bytes:
        """Send bytes that may be no HTTP at all, and give everything that comes back."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.guests.callback(writer.close)
        writer.write(request)
        return await Bare(reader, writer).over()


@asynccontextmanager
async def serving(
    data: Path, *, port: int = 0, presets: Path | None = None, **more: Any
) -> AsyncIterator[Room]:
    """Serve a hub in this process; `more` is of its config.

    A hub that missed a second holds its clocks and says so until somebody has seen it. This one has
    its loop in common with a test: what holds up the test is no hub that was away. Hubs that are
    held up on purpose are in virtual time, or in processes of their own.
    """
    folder = str(presets or data / "presets")
    with pytest.MonkeyPatch.context() as patch:
        for module in ("server.hub", "server.hubtime"):
            patch.setattr(f"{module}.STALL", round(1_000 * GIVE_UP))
        async with served(
            Config(data=str(data), port=port, presets=folder, limits=Limits(rate=1_000), **more)
        ) as found:
            room = Room(found, data)
            async with room.guests:
                yield room


# ── in a process of its own ──────────────────────────────────────────────────────────────────────


def railbird(*words: str | Path, given: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run the `railbird` command to its end."""
    return subprocess.run(
        [sys.executable, "-m", "server.cli", *map(str, words)],
        input=given,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
        cwd=ROOT,
        env=_plain(),
    )


def railbird_here(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the `railbird` command to its end in this process, which takes no second to begin."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main([str(word) for word in words])
    return subprocess.CompletedProcess(words, status, out.getvalue(), err.getvalue())


def _plain() -> dict[str, str]:
    """Give the environment without what would change how the command behaves."""
    return {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}


class Process:
    """A hub in a process of its own, ready."""

    def __init__(self, data: Path, *words: str) -> None:
        self.data = data
        self.errors = data.with_name(f"{data.name}.log")
        with self.errors.open("ab") as log:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "server.cli",
                    "serve",
                    "--data",
                    data,
                    "--port",
                    "0",
                    *words,
                ],
                stdout=subprocess.PIPE,
                stderr=log,
                encoding="utf-8",
                cwd=ROOT,
                env=_plain(),
            )
        self.said = list(self._greeting())

    def _greeting(self) -> Iterable[str]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            yield line.rstrip("\n")
            if "Only this machine" in line:
                return

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Tell the hub to stop, and give its exit status."""
        if self._process.poll() is None:
            self._process.send_signal(number)
        self._process.communicate(timeout=PATIENCE)
        return self._process.returncode

    def log(self) -> list[str]:
        """Give the lines that it logged."""
        return self.errors.read_text("utf-8").splitlines()
