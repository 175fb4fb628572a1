"""How long a room waits for its hub to be back, by the length of the night.

    .venv/bin/python bench/start.py [--quick]

A night at a hundred tables is written into real journals of 1,000, 20,000 and 200,000 lines of one
event, with the snapshots that the hub would have taken. On each a real `railbird serve` is started,
and timed from starting the process to its first answer on /healthz: after a kill, and after it was
told to stop. How long the night was must not matter.
"""

from __future__ import annotations

import http.client
import signal
import statistics
from time import perf_counter
from typing import TYPE_CHECKING

from hubs import hub, scratch
from replay import HOUR, night, write
from report import Row, main

from server.config import Places
from server.sqlite_journal import SqliteJournal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from server.engine import Event

SIZES, SMALL_SIZES = (1_000, 20_000, 200_000), (1_000, 9_000)
LINES_PER_HOUR = 24_000  # at least, of the night that is played
ROUNDS, FEW_ROUNDS = 5, 1
SECONDS = 3.0  # in which everybody is to have their clock again
PATIENCE = 60.0


def ready(folder: Path, end: signal.Signals) -> tuple[float, float]:
    """Start a hub, end it as told, and give the seconds until it answered, and of work."""
    server = hub(folder)
    try:
        server.ready()
        wire = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        wire.request("GET", "/healthz")
        status = wire.getresponse().status
        took, worked = perf_counter() - server.began, server.cpu()
        wire.close()
        if status != http.HTTPStatus.OK:
            raise RuntimeError(f"/healthz answered {status}")
    finally:
        server.end(end)
    return took, worked


def journal(folder: Path, events: list[Event]) -> Path:
    """Write a night into a hub's folder."""
    places = Places(folder)
    places.folder.mkdir()
    made = SqliteJournal(places.journal)
    write(made, events)
    made.close()
    return folder


def rows(quick: bool) -> Iterator[Row]:
    """Start on nights of all lengths, in turn, so that a busy moment is nobody's own."""
    sizes, rounds = (SMALL_SIZES, FEW_ROUNDS) if quick else (SIZES, ROUNDS)
    _, events, _ = night(HOUR * sizes[-1] // LINES_PER_HOUR)
    with scratch() as root:
        folders = {n: journal(root / str(n), events[:n]) for n in sizes}
        ready(folders[sizes[0]], signal.SIGKILL)  # compiles what is new
        found: dict[tuple[int, signal.Signals], list[tuple[float, float]]] = {
            (n, end): [] for n in sizes for end in (signal.SIGKILL, signal.SIGTERM)
        }
        for _ in range(rounds):
            for (n, end), times in found.items():
                ready(folders[n], end)  # how it ends is what the next start finds
                times.append(ready(folders[n], end))
        for (n, end), times in found.items():
            took, worked = (statistics.median(of) for of in zip(*times, strict=True))
            first = statistics.median(took for took, _ in found[sizes[0], end])
            how = "a kill" if end == signal.SIGKILL else "a stop"
            yield Row(
                f"process started -> /healthz, {n:,} lines, after {how}",
                f"{took:.2f} s",
                f"{first:.2f} s",
                took / first,
                met=took <= SECONDS and len(events) >= n,
                target=f"<= {SECONDS:.0f} s",
                note=f"{worked:.2f} s of work; slowest {max(times)[0]:.2f} s",
            )


if __name__ == "__main__":
    main(__doc__, rows)
