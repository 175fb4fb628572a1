"""What one document to everybody costs the hub: CPU for each who follows it.

    .venv/bin/python bench/fanout.py [--quick]

A real hub's real connections, accepted by its real web server; clients in another process read and
throw away. Everybody writes the same frame to the same sockets: `Fanout.publish`, a loop of
`send()` in Python and in C, aiohttp's own `send_str`. Node's `ws` has as many connections of its
own. They take turns, each waiting until all has been read, and the middle one of the rounds' ratios
counts.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import multiprocessing
import shutil
import socket
import statistics
import subprocess
import tempfile
from contextlib import asynccontextmanager
from pathlib import Path
from time import perf_counter, thread_time
from typing import TYPE_CHECKING, Any

from aiohttp import web
from crowd import Crowd
from hubs import ROOT, many_files, opening, scratch
from report import Row, main, middle_ratio

from server.config import Places
from server.fanout import frame
from server.hub import Hub
from server.sqlite_journal import SqliteJournal
from server.web import BACKLOG, application

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

    Contender = Callable[[], Awaitable[float]]

TOPIC = "t/bench"
PAYLOAD = b'{"type":"doc","topic":"t/bench","rev":1,"doc":"' + b"x" * 451 + b'"}'
FRAME = frame(PAYLOAD)
GOALS = {"python": 1.08, "c": 1.15, "send_str": 1.0, "ws preframed": 1.0, "ws send": 1.0}
NAMES = {
    "python": "a loop of sock.send() in Python",
    "c": "a loop of send() in C",
    "send_str": "aiohttp send_str",
    "ws preframed": "Node ws, preframed",
    "ws send": "Node ws, send",
}
WITHIN = 60.0
SMALL, LARGE = 1_000, 10_000

C_SOURCE = """
#include <sys/socket.h>
long send_all(const int *fds, int count, const void *data, unsigned long size) {
    long sent = 0;
    for (int i = 0; i < count; i++) sent += send(fds[i], data, size, MSG_NOSIGNAL);
    return sent;
}
"""

NODE_SOURCE = """
const { WebSocketServer, Sender } = require('ws');
const text = process.argv[2];
const wss = new WebSocketServer({ host: '127.0.0.1', port: 0, backlog: 4096,
                                  perMessageDeflate: false, clientTracking: true },
    () => console.log(wss.address().port));
wss.on('connection', (client) => client._socket.setNoDelay(true));
const whole = Buffer.concat(Sender.frame(Buffer.from(text),
    { fin: true, rsv1: false, opcode: 1, mask: false, readOnly: true }));
const ways = {
    'ws send': () => { for (const client of wss.clients) client.send(text); },
    'ws preframed': () => { for (const client of wss.clients) client._socket.write(whole); },
};
require('readline').createInterface({ input: process.stdin }).on('line', (way) => {
    const before = process.cpuUsage();
    ways[way]();
    setImmediate(() => {
        const { user, system } = process.cpuUsage(before);
        console.log(user + system);
    });
});
"""


# ── the clients ──────────────────────────────────────────────────────────────────────────────────


def _read_and_throw_away(port: int, count: int, words: list[bytes], total: Any) -> None:
    """Connect clients, then count bytes; runs in a process of its own, until it is ended."""
    many_files()
    crowd = Crowd()
    crowd.raw = True
    crowd.invite(port, [words] * count)
    crowd.until(lambda: crowd.upgraded == count, WITHIN)
    while True:
        crowd.poll(1.0)
        total.value = crowd.bytes


class Clients:
    """Clients in another process."""

    def __init__(self, port: int, count: int, words: list[bytes]) -> None:
        context = multiprocessing.get_context("spawn")
        self._total = context.RawValue("Q", 0)
        self._process = context.Process(
            target=_read_and_throw_away, args=(port, count, words, self._total), daemon=True
        )
        self._process.start()

    async def drained(self, patience: float = 0.01) -> None:
        """Wait until nothing comes any more."""
        seen = -1
        while (now := self._total.value) != seen:
            seen = now
            await asyncio.sleep(patience)

    def close(self) -> None:
        """Let them go."""
        self._process.terminate()
        self._process.join()


# ── the contenders ───────────────────────────────────────────────────────────────────────────────


class Ours:
    """A real hub with its real connections, and other ways to write to the same sockets."""

    def __init__(self) -> None:
        self.hub: Hub | None = None
        self.port = 0
        self.responses: list[web.WebSocketResponse] = []
        self.transports: list[asyncio.Transport] = []
        self.sockets: list[socket.socket] = []

    async def _came(self, request: web.Request, response: web.StreamResponse) -> None:
        if isinstance(response, web.WebSocketResponse) and request.transport is not None:
            self.responses.append(response)
            self.transports.append(request.transport)

    @asynccontextmanager
    async def serving(self, folder: Path) -> AsyncIterator[None]:
        """Serve as `server.web.listen` does, taking note of who comes."""
        journal = SqliteJournal(Places(folder).journal)
        self.hub = Hub(journal)
        self.hub.start()
        app = application(self.hub, folder / "backups")
        app.on_response_prepare.append(self._came)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0, backlog=BACKLOG).start()
        self.port = runner.addresses[0][1]
        try:
            yield
        finally:
            for plain in self.sockets:
                plain.detach()  # it is the transport's to close
            await self.hub.stop()
            await runner.cleanup()
            journal.close()

    async def all_here(self, count: int) -> bool:
        """Wait until everybody follows the topic."""
        end = perf_counter() + WITHIN
        while self._fanout.followers(TOPIC) < count:
            if perf_counter() > end:
                return False
            await asyncio.sleep(0.05)
        raw = [transport.get_extra_info("socket").fileno() for transport in self.transports]
        self.sockets = [socket.socket(fileno=fd) for fd in raw]
        for plain in self.sockets:
            plain.setblocking(False)
        return True

    @property
    def _fanout(self) -> Any:
        if self.hub is None:
            raise TypeError("not serving")
        return self.hub.press.fanout

    async def publish(self) -> float:
        """Publish as the hub does."""
        publish = self._fanout.publish
        begin = thread_time()
        publish(TOPIC, 1, PAYLOAD)
        return thread_time() - begin

    async def python(self) -> float:
        """Write in a loop of our own."""
        sockets, data = self.sockets, FRAME
        begin = thread_time()
        for plain in sockets:
            plain.send(data)
        return thread_time() - begin

    async def send_str(self) -> float:
        """Write as an aiohttp application does."""
        responses, text = self.responses, PAYLOAD.decode()
        begin = thread_time()
        for response in responses:
            await response.send_str(text)
        return thread_time() - begin

    def c(self, library: ctypes.CDLL) -> Contender:
        """Write in a loop in C."""
        fds = (ctypes.c_int * len(self.sockets))(*(plain.fileno() for plain in self.sockets))

        async def run() -> float:
            begin = thread_time()
            library.send_all(fds, len(fds), FRAME, len(FRAME))
            return thread_time() - begin

        return run


def compiled(folder: Path) -> ctypes.CDLL | None:
    """Compile the loop in C, where there is a compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    source, library = folder / "floor.c", folder / "floor.so"
    source.write_text(C_SOURCE, encoding="ascii")
    words = [compiler, "-O2", "-shared", "-fPIC", "-o", str(library), str(source)]
    if subprocess.run(words, check=False, capture_output=True).returncode:  # noqa: S603
        return None
    found = ctypes.CDLL(str(library))
    found.send_all.argtypes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_ulong)
    return found


class Node:
    """Node's `ws`, installed into the ignored build folder the first time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self.port = 0
        self.missing = self._install()

    def _install(self) -> str:
        node, npm = shutil.which("node"), shutil.which("npm")
        if node is None or npm is None:
            return "there is no node here"
        folder = ROOT / "build" / "node"
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "node_modules" / "ws").is_dir():
            words = [npm, "install", "--silent", "--no-audit", "--no-fund", "ws"]
            try:
                subprocess.run(words, cwd=folder, check=True, capture_output=True, timeout=30)  # noqa: S603
            except (subprocess.SubprocessError, OSError):
                return "npm could not install ws"
        script = folder / "fanout.js"
        script.write_text(NODE_SOURCE, encoding="utf-8")
        self._process = subprocess.Popen(  # noqa: S603
            [node, str(script), PAYLOAD.decode()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.port = int(self._line())
        return ""

    def _line(self) -> str:
        if self._process is None or self._process.stdout is None:
            raise TypeError("not running")
        return self._process.stdout.readline()

    def way(self, name: str) -> Contender:
        """Let it write in one of its ways."""

        def told() -> float:
            if self._process is None or self._process.stdin is None:
                raise TypeError("not running")
            self._process.stdin.write(f"{name}\n")
            self._process.stdin.flush()
            return int(self._line()) / 1e6

        async def run() -> float:
            return await asyncio.to_thread(told)

        return run

    def close(self) -> None:
        """End it."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()


# ── the measurement ──────────────────────────────────────────────────────────────────────────────


async def measure(count: int, rounds: int) -> dict[str, list[float]] | str:
    """Let all contenders take turns: seconds for each recipient by contender, or what is wrong."""
    ours, node = Ours(), Node()
    crowds: list[Clients] = []
    with scratch() as folder, tempfile.TemporaryDirectory() as temporary:
        try:
            async with ours.serving(folder):
                crowds.append(Clients(ours.port, count, opening([TOPIC])))
                if not await ours.all_here(count):
                    return f"{len(ours.transports)} of {count} clients came"
                if not node.missing:
                    crowds.append(Clients(node.port, count, []))
                contenders: dict[str, Contender] = {
                    "ours": ours.publish,
                    "python": ours.python,
                    "send_str": ours.send_str,
                }
                library = compiled(Path(temporary))
                if library is not None:
                    contenders["c"] = ours.c(library)
                if not node.missing:
                    contenders["ws send"] = node.way("ws send")
                    contenders["ws preframed"] = node.way("ws preframed")
                gc.collect()
                gc.freeze()
                await crowds[-1].drained(1.0)
                return await take_turns(contenders, crowds, count, rounds)
        finally:
            gc.unfreeze()
            for crowd in crowds:
                crowd.close()
            node.close()


async def take_turns(
    contenders: dict[str, Contender], crowds: list[Clients], count: int, rounds: int
) -> dict[str, list[float]]:
    """Measure contenders in turns, each beginning another round."""
    found: dict[str, list[float]] = {name: [] for name in contenders}
    names = list(contenders)
    for turn in range(rounds + 1):
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            took = await contenders[name]()
            for crowd in crowds:
                await crowd.drained()
            if turn:  # the first round is for warming up
                found[name].append(took / count)
    return found


def rows(quick: bool) -> Iterator[Row]:
    """Measure rooms of two sizes."""
    most = many_files()
    for count, turns in ((SMALL, 11 if quick else 25), (LARGE, 7)):
        if count > SMALL and (quick or most < 2 * count):
            reason = "left out by --quick" if quick else f"only {most:,} files may be open"
            yield Row(f"fan-out to {count:,}", "-", note=reason)
            continue
        found = asyncio.run(measure(count, turns))
        if isinstance(found, str):
            yield Row(f"fan-out to {count:,}", "-", note=found)
            continue
        for name, goal in GOALS.items():
            title = f"fan-out to {count:,}, a recipient: {NAMES[name]}"
            if name not in found:
                yield Row(title, us(found["ours"]), "-", note="not on this machine")
                continue
            ratio = middle_ratio(found["ours"], found[name])
            yield Row(title, us(found["ours"]), us(found[name]), ratio, goal)


def us(times: list[float]) -> str:
    """Write the middle one of times."""
    return f"{statistics.median(times) * 1e6:.2f} µs"


if __name__ == "__main__":
    main(__doc__, rows)
