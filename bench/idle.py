"""What it costs to be there: bytes, documents, CPU and memory of viewers while nothing happens.

    .venv/bin/python bench/idle.py [--quick]

The idle minute is a real hub and a real session in virtual time, so every byte is counted. CPU and
memory are of a real `railbird serve`, held against a bare aiohttp server with the same clients:
silent viewers who only answer a ping every 20 s, and walls that ask for the time every 2.3 s, which
the bare server merely echoes. What servers use that nobody has come to is taken off. All of them
run at the same time, for as long as it takes to ping everybody once.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import perf_counter, sleep
from typing import TYPE_CHECKING

from crowd import Crowd
from hubs import EVENT, Server, bare, hub, make_room, many_files, opening, scratch
from report import Row, main

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from rig import Rig

from server import presets
from server.fanout import frame
from server.protocol import messages as m
from server.protocol.session import PROBE_EVERY
from server.visitor import PING_EVERY

if TYPE_CHECKING:
    from collections.abc import Iterator

VIEWERS = 1_500
MINUTE = 60_000
PROBES = 100
MOST_A_MINUTE, MOST_EVENT, MOST_TABLE = 1_500, 2_000, 1_500
GOAL = 1.3
WALL = PROBE_EVERY["wall"] / 1_000
SILENT = PING_EVERY["viewer"] / 1_000
NAMES = (
    "Alexander Thompson",
    "Minh Khai Nguyen",
    "Siobhan O'Sullivan",
    "Giuseppe Romano",
    "Priya Raghunathan",
    "Jack Lee",
    "Maximilian Schneider",
    "Chloe Fitzgerald",
    "Sam Papadopoulos",
)
TAG = len('"type":"doc",')


# ── bytes ────────────────────────────────────────────────────────────────────────────────────────


def idle_minute() -> Iterator[Row]:
    """Let a wall look at a running level clock for a minute, and count what it is sent."""
    with Rig() as rig:
        event = rig.create(tables={1: 9})
        wall = rig.peer(skew=1 << 30)  # a machine that has been up for two weeks
        wall.follow(f"t/{event}")
        rig.run(1_000)
        wall.frames.clear()
        sent, write = [0], wall.write

        def counted(data: bytes) -> None:
            sent[0] += len(data)
            write(data)

        wall.write = counted  # type: ignore[method-assign]
        for _ in range(PROBES):
            rig.run(PROBE_EVERY["wall"])
            wall.probe()
        rig.run(10)
        documents = sum(b'"type":"doc"' in found for found in wall.frames)
    size = round(sent[0] * MINUTE / (PROBES * PROBE_EVERY["wall"]))
    told = f"{documents} documents, {sent[0] / len(wall.frames):.0f} B a probe"
    yield at_most("idle wall with a running level clock, a minute", size, MOST_A_MINUTE, told)


def at_most(name: str, size: int, most: int, note: str) -> Row:
    """Hold a number of bytes against its limit."""
    return Row(name, f"{size:,} B", ratio=None, met=size <= most, target=f"<= {most}", note=note)


def sizes(preset: str, names: tuple[str, ...]) -> tuple[int, int]:
    """Give the sizes of an event's and a table's document, with nine players in a hand."""
    with Rig() as rig:
        event = rig.create(preset, {1: 1})
        director = rig.director()
        for seat, name in enumerate(names, start=1):
            args = {"player": f"m{seat:06}", "table": 7, "seat": seat, "name": name}
            director.do("seat.put", event=event, **args)
        director.do("announce", event=event, text="Registration closes at the break.")
        director.do("hand.start", event=event, table=7, button=1)
        director.do("action.start", event=event, table=7, seat=3)
        found = []
        for topic in (f"t/{event}", f"t/{event}/table/7"):
            rev, doc = rig.hub.document(topic)
            found.append(len(frame(m.encode({"topic": topic, "rev": rev, "doc": doc}))) + TAG)
    return found[0], found[1]


def documents() -> Iterator[Row]:
    """Find the largest event and table documents of all houses."""
    usual = {preset: sizes(preset, NAMES) for preset in presets.shipped()}
    event = max(usual, key=lambda preset: usual[preset][0])
    table = max(usual, key=lambda preset: usual[preset][1])
    _, longest = sizes(table, tuple(f"{name:_<26}" for name in NAMES))
    yield at_most("event document, largest of all houses", usual[event][0], MOST_EVENT, event)
    name = "table document with 9 players, largest of all houses"
    yield at_most(name, usual[table][1], MOST_TABLE, table)
    yield Row("  the same with names of 26 characters", f"{longest:,} B", note=table)


# ── CPU and memory ───────────────────────────────────────────────────────────────────────────────


class Viewers:
    """Viewers of one server, and what they cost it."""

    def __init__(
        self,
        server: Server,
        words: list[bytes],
        count: int,
        every: float | None = None,
        probe: bytes = b"",
    ) -> None:
        self.server, self._words, self._count = server.ready(), words, count
        self._every, self._probe = every, probe
        self._crowd = Crowd()
        self._began, self._asked = 0.0, 0
        self.cpu, self.memory = 0.0, server.memory()

    def come(self, within: float) -> None:
        """Connect all of them."""
        self._crowd.invite(self.server.port, [self._words] * self._count)
        if not self._crowd.until(lambda: self._crowd.upgraded == self._count, within):
            raise RuntimeError("not all viewers could connect")
        self._crowd.rest(0.3)

    def begin(self) -> None:
        """Begin to measure."""
        self.memory = self.server.memory() - self.memory
        self.cpu = self.server.cpu()
        self._began = perf_counter()

    def look(self) -> None:
        """Answer pings; walls ask for the time, evenly spread over the interval."""
        self._crowd.poll(0.0)
        if self._every is None:
            return
        peers = self._crowd.peers()
        due = int((perf_counter() - self._began) / self._every * len(peers))
        while self._asked < due:
            peers[self._asked % len(peers)].send(self._probe)
            self._asked += 1

    def end(self, seconds: float) -> None:
        """Work out the share of a core that was used, and let everybody go."""
        self.cpu = (self.server.cpu() - self.cpu) / seconds
        self._crowd.close()
        self.server.kill()


def look(found: dict[str, Viewers], seconds: float) -> None:
    """Let time pass at all servers at once."""
    for viewers in found.values():
        viewers.come(30)
    for viewers in found.values():
        viewers.begin()
    end = perf_counter() + seconds
    while perf_counter() < end:
        for viewers in found.values():
            viewers.look()
        sleep(0.002)
    for viewers in found.values():
        viewers.end(seconds)


def presence(quick: bool) -> Iterator[Row]:
    """Let viewers look at nothing."""
    many_files()
    probe = m.encode(m.Probe(1 << 30))
    said = opening([f"t/{EVENT}"])
    with scratch() as folder:
        rooms = [folder / name for name in ("walls", "silent", "nobody")]
        for room in rooms:
            room.mkdir()
            make_room(room, 10)
        found = {
            "our walls": Viewers(hub(rooms[0]), said, VIEWERS, WALL, probe),
            "bare walls": Viewers(bare(folder), [], VIEWERS, WALL, probe),
            "our nobody": Viewers(hub(rooms[2]), said, 0),
            "bare nobody": Viewers(bare(folder), [], 0),
        }
        if not quick:
            found["our silent"] = Viewers(hub(rooms[1]), said, VIEWERS)
            found["bare silent"] = Viewers(bare(folder, "--sweep", str(SILENT)), [], VIEWERS)
        look(found, 2 * WALL if quick else SILENT)
    for kind, words in (
        ("silent", f"idle CPU a viewer, a ping every {SILENT:g} s"),
        ("walls", f"idle CPU a wall, a probe every {WALL:g} s"),
    ):
        if f"our {kind}" not in found:
            yield Row(words, "-", note="left out by --quick: it takes 20 s")
            continue
        costs = [
            (found[f"{whose} {kind}"].cpu - found[f"{whose} nobody"].cpu) / VIEWERS
            for whose in ("our", "bare")
        ]
        told = (f"{cost * 1e6:.1f} µs/s" for cost in costs)
        yield Row(words, *told, costs[0] / costs[1], GOAL)
    fixed = (f"{found[whose].cpu * 1e6:,.0f} µs/s" for whose in ("our nobody", "bare nobody"))
    yield Row("idle CPU with nobody there", *fixed)
    ours, other = (found[whose].memory / VIEWERS for whose in ("our walls", "bare walls"))
    kilobytes = (f"{size / 1_024:.1f} KB" for size in (ours, other))
    yield Row("memory a viewer", *kilobytes, ours / other, GOAL)


def rows(quick: bool) -> Iterator[Row]:
    """Measure bytes, documents, CPU and memory."""
    yield from idle_minute()
    yield from documents()
    yield from presence(quick)


if __name__ == "__main__":
    main(__doc__, rows)
