"""A hub in a process of its own, on a port that it keeps over its deaths."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from tests.needs import GIVE_UP

ROOT = Path(__file__).parents[2]
PATIENCE = GIVE_UP

HOUSE = """
name = "A night of faults"
house = "The Fault Line"
stack = 10_000
seats = 9
places = [{ entries = 2, places = 1 }]

[registration]
closes_at_level = 3

[action]
seconds = 3
chips = 4
chip_seconds = 2
auto_forfeit = true
introduce = "start"

[called]
seconds = 4
countdown = 2

[structure]
minutes = 20
steps = [
  { small = 100, big = 200, ante = 200 },
  { small = 200, big = 400, ante = 400 },
  { phase = "break", minutes = 10 },
  { small = 300, big = 600, ante = 600 },
  { small = 400, big = 800, ante = 800 },
]
"""


def free_port() -> int:
    """Find a port that nobody gets by chance while the hub is dead."""
    while True:
        port = random.randint(20_000, 30_000)  # noqa: S311 - any will do
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port


def plain_environment(**more: str) -> dict[str, str]:
    """Give the environment of a hub, without what would change how it behaves."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "RAILBIRD", "COV"))}
    return {**kept, "PYTHONPATH": str(ROOT), **more}


def denied(pid: int) -> float:
    """Give the seconds that a process's main thread could have run, and others had the processors.

    Where the system does not say, nothing is taken off.
    """
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/schedstat").read_text("ascii").split()[1]) / 1e9
    return 0.0


class Nest:
    """Where hubs are born that need not read the program first; see the launcher."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.launcher", "nest"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            cwd=ROOT,
            env=plain_environment(),
        )

    def start(self, words: list[str], log: Path, environment: dict[str, str]) -> int:
        """Start a hub, and give its process id."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        order = {"words": words, "log": str(log), "environment": environment}
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        """Let no more be born."""
        self._process.communicate(timeout=PATIENCE)


class HubProcess:
    """A hub that can be killed and started again on the same data and port."""

    def __init__(self, folder: Path, *, data: Path | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.data = data or folder / "data"
        self.port = free_port()
        self.log = folder / "hub.log"
        self._config = folder / "hub.toml"
        presets = folder / "presets"
        presets.mkdir(exist_ok=True)
        (presets / "faults.toml").write_text(HOUSE, "utf-8")
        self._config.write_text(f'presets = "{presets}"\n[limits]\nrate = 1000\n', "utf-8")
        self.pid = 0
        self._process: subprocess.Popen[bytes] | None = None  # not of one from the nest
        self.started_at = 0.0

    @property
    def ws(self) -> str:
        """Where its websocket is."""
        return f"ws://127.0.0.1:{self.port}/ws"

    @property
    def token(self) -> str:
        """The director's token."""
        return (self.data / "director.token").read_text("ascii").strip()

    @property
    def words(self) -> list[str]:
        """Give the command that serves."""
        where = ["--data", str(self.data), "--port", str(self.port)]
        return ["serve", "--config", str(self._config), *where]

    def start(self, **environment: str) -> None:
        """Start it; with an environment, prepared by the launcher."""
        module = "tests.faults.launcher" if environment else "server.cli"
        self.started_at = monotonic()
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", module, *self.words],
                stdout=subprocess.DEVNULL,
                stderr=log,
                cwd=ROOT,
                env=plain_environment(**environment),
            )
        self.pid = self._process.pid

    def start_from(self, nest: Nest, **environment: str) -> None:
        """Start it from a nest."""
        self.started_at, self._process = monotonic(), None
        self.pid = nest.start(self.words, self.log, environment)

    def refused(self) -> tuple[int, str]:
        """Start it where it must not start; give its exit status and its words."""
        with subprocess.Popen(
            [sys.executable, "-m", "server.cli", *self.words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            cwd=ROOT,
            env=plain_environment(),
        ) as process:
            assert process.stdout is not None
            if any("is ready" in line for line in process.stdout):
                process.kill()
            words = process.communicate(timeout=PATIENCE)[1]
        return process.returncode, words

    @property
    def dead(self) -> bool:
        """Whether it is not running."""
        if self._process is not None:
            return self._process.poll() is not None
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        return self.pid == 0

    async def ready(self) -> float:
        """Wait until it takes connections; give the seconds since it was started."""
        await until(self._answers, f"the hub did not come up: {self.log}")
        return monotonic() - self.started_at

    def _answers(self) -> bool:
        assert not self.dead, f"the hub has ended: {self.log.read_text('utf-8')[-2000:]}"
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    async def died(self, within: float = PATIENCE) -> bool:
        """Wait until it has ended by itself; say whether it has."""
        try:
            await until(lambda: self.dead, "it lives", within)
        except AssertionError:
            return False
        return True

    def kill(self) -> None:
        """Kill it without a word, and see it dead."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Stop it in an orderly way."""
        self._end(signal.SIGTERM)

    def _end(self, number: int) -> None:
        deadline = monotonic() + PATIENCE
        if self.pid and not self.dead:
            os.kill(self.pid, number)
        while self.pid and not self.dead:
            assert monotonic() < deadline, "it does not die"
            sleep(0.001)
        self.pid = 0


async def until(condition: Any, words: str, within: float = PATIENCE, every: float = 0.005) -> None:
    """Wait for something to become true."""
    deadline = monotonic() + within
    while not condition():
        assert monotonic() < deadline, words
        await asyncio.sleep(every)
