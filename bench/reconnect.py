"""After the hub was killed: how long until everybody is consistent again.

    .venv/bin/python bench/reconnect.py [--quick]

A real `railbird serve` is killed with all its clients connected and started again on the same port
and data; the clients come back all at once, as soon as the port is open, say hello and get their
documents. A bare aiohttp server goes through the same with the same clients, and sends each the
same document as soon as it comes. Time is counted from starting the process; what comes after the
port is open is also shown alone, and the CPU of a connection.
"""

from __future__ import annotations

import socket
import statistics
from dataclasses import dataclass
from time import perf_counter, sleep
from typing import TYPE_CHECKING

from crowd import HOST, Crowd, Peer
from hubs import EVENT, Server, bare, hub, make_room, many_files, opening, scratch
from report import Row, main, middle_ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

TABLES = 100
GOAL = 1.5
CLIENTS, MANY, FEW = 1_000, 5_000, 200
DOCUMENT = b'{"type":"doc"'


@dataclass(frozen=True, slots=True)
class Back:
    """How everybody came back."""

    total: float  # seconds from starting the process until everybody is consistent
    storm: float  # seconds from the open port
    cpu: float  # the server's CPU for each connection, from the open port


def free_port() -> int:
    """Find a port that nobody uses."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def is_open(port: int) -> bool:
    """Say whether somebody listens."""
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == 0


def come(port: int, openings: list[list[bytes]], documents: int) -> tuple[Crowd, bytes]:
    """Connect everybody, and wait until all have their documents."""
    missing = dict.fromkeys(range(len(openings)), documents)
    last = [b""]

    def heard(peer: Peer, payload: bytes, _now: float) -> None:
        if payload.startswith(DOCUMENT):
            last[0] = payload
            missing[peer.number] -= 1
            if not missing[peer.number]:
                del missing[peer.number]

    crowd = Crowd(heard)
    crowd.invite(port, openings)
    if not crowd.until(lambda: not missing, 60):
        raise RuntimeError(f"{len(missing)} clients were not served")
    return crowd, last[0]


def again(
    start: Callable[[], Server], port: int, openings: list[list[bytes]], documents: int
) -> Back:
    """Kill a server with everybody connected, start it again, and wait for everybody."""
    server = start().ready()
    crowd, _ = come(port, openings, documents)
    server.kill()
    crowd.until(lambda: not len(crowd), 10)
    crowd.close()
    server = start()
    while not is_open(port):
        sleep(0.002)
    opened, cpu = perf_counter(), server.cpu()
    crowd, _ = come(port, openings, documents)
    done = perf_counter()
    found = Back(done - server.began, done - opened, (server.cpu() - cpu) / len(openings))
    server.kill()
    crowd.close()
    return found


def compare(
    folder: Path, openings: list[list[bytes]], rounds: int
) -> tuple[list[Back], list[Back]]:
    """Let the hub and the bare server take turns."""
    port, bare_port = free_port(), free_port()
    server = hub(folder, port).ready()
    crowd, document = come(port, openings[:1], 1)
    crowd.close()
    server.kill()
    snapshot = folder / "snapshot.json"
    snapshot.write_bytes(document)
    options = ("--port", str(bare_port), "--snapshot", str(snapshot))
    ours, other = [], []
    for _ in range(rounds):
        ours.append(again(lambda: hub(folder, port), port, openings, 1))
        silent: list[list[bytes]] = [[] for _ in openings]
        other.append(again(lambda: bare(folder, *options), bare_port, silent, 1))
    return ours, other


def rows(quick: bool) -> Iterator[Row]:
    """Measure walls, tablets, and many."""
    many_files()
    with scratch() as folder:
        tokens = make_room(folder, TABLES)
        walls = [opening([f"t/{EVENT}"])] * CLIENTS
        tablets = [
            opening([f"t/{EVENT}/table/{i % TABLES + 1}"], tokens[i % TABLES], f"tablet-{i}")
            for i in range(CLIENTS)
        ]
        for name, everybody, rounds in (("walls", walls, 3), ("tablets", tablets, 2)):
            clients = everybody[:FEW] if quick else everybody
            ours, other = compare(folder, clients, 1 if quick else rounds)
            title = f"kill -> all of {len(clients):,} {name} consistent"
            yield compared(title, [b.total for b in ours], [b.total for b in other], "s", GOAL)
            storms = [b.storm for b in ours], [b.storm for b in other]
            yield compared("  of it after the port is open", *storms, "s")
            costs = [b.cpu * 1e6 for b in ours], [b.cpu * 1e6 for b in other]
            yield compared("  CPU of a connection", *costs, "µs")
        if quick:
            yield Row(f"{MANY:,} clients: CPU of a connection", "-", note="left out by --quick")
            return
        ours, other = compare(folder, walls * (MANY // CLIENTS), 1)
        title = f"{MANY:,} walls come back: CPU of a connection"
        yield compared(title, [b.cpu * 1e6 for b in ours], [b.cpu * 1e6 for b in other], "µs")


def compared(
    title: str, ours: list[float], other: list[float], unit: str, goal: float | None = None
) -> Row:
    """Make a row of the rounds of both."""
    digits = 2 if unit == "s" else 0
    told = (f"{statistics.median(found):.{digits}f} {unit}" for found in (ours, other))
    return Row(title, *told, middle_ratio(ours, other), goal)


if __name__ == "__main__":
    main(__doc__, rows)
