"""From a dealer's tap to the durable answer, and to the eyes of who watches the table.

    .venv/bin/python bench/latency.py [--quick]

A thousand tablets, one at each table, each asking for the time every second as real ones do; some
tables have five watchers. Together the tablets tap 300 times a second. The hub is a real `railbird
serve` with its data on the project's disk. The reference is a bare aiohttp server that commits one
row, `synchronous=FULL`, in a thread and answers: it is tapped just as often, by one client, in
seconds that alternate with the hub's while all tablets stay connected.
"""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

from crowd import Crowd, Peer
from engine import hand
from hubs import EVENT, bare, disk, hub, make_room, many_files, opening, scratch
from report import Row, main, middle_ratio, percentile

from server.loading import EVERY
from server.protocol import messages as m
from server.protocol.session import PROBE_EVERY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TABLES, FEW = 1_000, 100
WATCHED = 50
WATCHERS = 5
RATE = 300
GOAL = 2.0
SETTLE = 0.05  # seconds that the last taps of a round may take
SHORT = 400  # lines before a snapshot: it falls into the first seconds
TO_WATCHED = 1 / 3  # of the taps
BODY = b"x" * 300  # a line of the journal is about as long


class Room:
    """All tablets and watchers and the bare server's one client, and what they wait for."""

    def __init__(self, port: int, bare_port: int, tokens: list[str]) -> None:
        self.crowd, self._tables = Crowd(self._heard), len(tokens)
        topic = f"t/{EVENT}"
        for i, token in enumerate(tokens, start=1):
            words = opening([topic, f"{topic}/table/{i}"], token, f"tablet-{i}")
            self.crowd.invite(port, [words])
        for i in range(WATCHED * WATCHERS):
            self.crowd.invite(port, [opening([f"{topic}/table/{i // WATCHERS + 1}"])])
        self.crowd.invite(bare_port, [[]])
        self._peers: list[Peer] = []
        self._chance = random.Random(300)  # noqa: S311 - the same taps every time
        self._hands: dict[int, list[tuple[str, dict[str, Any]]]] = defaultdict(list)
        self._waiting: dict[int, float] = {}  # tables whose tap was not acknowledged
        self._unseen: dict[int, tuple[float, int]] = {}  # tapped when, how many still wait
        self._tapped = 0
        self._probed = {"dealer": 0, "wall": 0}
        self._began = 0.0
        self._bare_since: float | None = None
        self.acknowledged: list[float] = []
        self.seen: list[float] = []
        self.bare: list[float] = []
        self.refused = 0

    def come(self) -> None:
        """Connect everybody."""
        count = self._tables + WATCHED * WATCHERS + 1
        if not self.crowd.until(lambda: self.crowd.upgraded == count, 60):
            raise RuntimeError("not everybody could connect")
        self.crowd.rest(1.0)
        self._peers = sorted(self.crowd.peers(), key=lambda peer: peer.number)
        self._began = perf_counter()

    def tap(self) -> None:
        """Let a dealer tap what comes next at the table."""
        most = WATCHED if self._chance.random() < TO_WATCHED else self._tables
        table = self._chance.randint(1, most)
        if table in self._waiting or table in self._unseen:
            return
        if not self._hands[table]:
            self._hands[table] = hand(table)
        do, args = self._hands[table].pop(0)
        self._tapped += 1
        words = m.encode(m.Do(str(self._tapped), EVENT, do, args))
        self._waiting[table] = now = perf_counter()
        if table <= WATCHED:
            self._unseen[table] = (now, WATCHERS)
        self._peers[table - 1].send(words)

    def tap_bare(self) -> None:
        """Send the bare server one message, unless it owes an answer."""
        if self._bare_since is None:
            self._bare_since = perf_counter()
            self._peers[-1].send(BODY)

    def _heard(self, peer: Peer, payload: bytes, now: float) -> None:
        if peer.number < self._tables:
            self._answered(peer.number + 1, payload, now)
        elif peer.number < self._tables + WATCHED * WATCHERS:
            self._watched((peer.number - self._tables) // WATCHERS + 1, payload, now)
        elif self._bare_since is not None:
            self.bare.append(now - self._bare_since)
            self._bare_since = None

    def _answered(self, table: int, payload: bytes, now: float) -> None:
        if payload.startswith(b'{"type":"done"'):
            self.acknowledged.append(now - self._waiting.pop(table))
        elif payload.startswith(b'{"type":"refused"'):
            self.refused += 1
            self._waiting.pop(table)
            self._unseen.pop(table, None)

    def _watched(self, table: int, payload: bytes, now: float) -> None:
        if table not in self._unseen or not payload.startswith(b'{"type":"doc"'):
            return
        begin, left = self._unseen.pop(table)
        if left > 1:
            self._unseen[table] = (begin, left - 1)
        else:
            self.seen.append(now - begin)

    def probe(self) -> None:
        """Let everybody ask for the time, evenly spread."""
        own = round((perf_counter() - self._began) * 1_000)
        for kind, peers in (
            ("dealer", self._peers[: self._tables]),
            ("wall", self._peers[self._tables : -1]),
        ):
            due = own * len(peers) // PROBE_EVERY[kind]
            for number in range(self._probed[kind], due):
                peers[number % len(peers)].send(m.encode(m.Probe(own)))
            self._probed[kind] = due

    def play(self, tap: Callable[[], None], seconds: float) -> None:
        """Let somebody be tapped for a while."""
        end = perf_counter() + seconds
        next_tap = perf_counter()
        while (now := perf_counter()) < end + SETTLE:
            if next_tap <= now < end:
                tap()
                next_tap += self._chance.uniform(0.5, 1.5) / RATE
            self.probe()
            self.crowd.poll(0.001)


@dataclass(slots=True)
class Seconds:
    """What was measured, by second."""

    acknowledged: list[list[float]] = field(default_factory=list)
    seen: list[list[float]] = field(default_factory=list)
    bare: list[list[float]] = field(default_factory=list)
    note: str = ""


def measure(
    seconds: int, lines: int = 0, tables: int = TABLES, *, recalling: bool = False
) -> Seconds:
    """Tap both in turns, in a room whose journal has so many lines.

    Right after a start the hub still recalls what can be undone; else that is waited for.
    """
    many_files()
    found = Seconds()
    with scratch() as folder:
        tokens = make_room(folder, tables, lines)
        servers = [hub(folder), bare(folder, "--journal", str(folder / "bare.db"))]
        try:
            ports = [server.ready().port for server in servers]
            if not recalling:
                servers[0].rest()
            room = Room(ports[0], ports[1], tokens)
            room.come()
            room.play(room.tap, 0.5)  # warming up
            for _ in range(seconds):
                room.acknowledged, room.seen, room.bare = [], [], []
                room.play(room.tap, 1.0)
                room.play(room.tap_bare, 1.0)
                found.acknowledged.append(room.acknowledged)
                found.seen.append(room.seen)
                found.bare.append(room.bare)
            found.note = f"data on {disk(folder)}, {room.refused} refused"
            room.crowd.close()
        finally:
            for server in servers:
                server.kill()
    return found


def rows(quick: bool) -> Iterator[Row]:
    """Measure taps, taps right after a start, and taps while a snapshot is taken."""
    if quick:
        yield from _told("tap", measure(1, tables=FEW))
        yield Row("tap right after a start, and at a snapshot", "-", note="left out by --quick")
        return
    yield from _told("tap", measure(7, EVERY + SHORT))
    yield from _told("tap right after a start", measure(7, EVERY + SHORT, recalling=True))
    found = measure(2, EVERY - SHORT)
    worst = max(found.acknowledged, key=max)
    told = (ms(percentile(worst, 0.99)), ms(percentile([t for s in found.bare for t in s], 0.99)))
    note = f"the slowest {ms(max(worst))}"
    yield Row("tap -> acknowledged, p99 of the slowest second at a snapshot", *told, note=note)


def _told(what: str, found: Seconds) -> Iterator[Row]:
    reference = [took for second in found.bare for took in second]
    for name, seconds in (
        ("acknowledged", found.acknowledged),
        ("seen by all 5 watchers", found.seen),
    ):
        ours = [took for second in seconds for took in second]
        for title, share, goal in (("p50", 0.5, None), ("p99", 0.99, GOAL)):
            yield Row(
                f"{what} -> {name}, {title}",
                ms(percentile(ours, share)),
                ms(percentile(reference, share)),
                middle_ratio(
                    (percentile(second, share) for second in seconds),
                    (percentile(second, share) for second in found.bare),
                ),
                goal,
                f"{len(ours):,} taps, {found.note}",
            )


def ms(seconds: float) -> str:
    """Write a time."""
    return f"{seconds * 1e3:.2f} ms"


if __name__ == "__main__":
    main(__doc__, rows)
