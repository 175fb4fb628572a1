"""How long a hub takes to be back after a whole night.

    .venv/bin/python bench/replay.py [--quick]

A night of ten hours at a hundred tables is played, and written into a real journal with the
snapshots that the hub would have taken. It is loaded cold, from its first line, which must cost as
much for its second half as for its first; then as the hub does it, from a snapshot; and at last by
a real `railbird serve`, from starting the process until it is ready.
"""

from __future__ import annotations

import gc
import heapq
import random
from time import perf_counter, thread_time
from typing import TYPE_CHECKING, Any

from engine import HOUR, HOUSE, SEATS, evolved, hand
from hubs import EVENT, hub, scratch
from msgspec import Raw
from report import Row, main

from server import __version__, presets, registry
from server.config import Places
from server.engine import Refused, State, decide, event_document, evolve, new, parse, table_document
from server.engine.records import write_event
from server.journal import Line
from server.journal_format import FORMAT
from server.loading import EVERY, KEPT, Loaded, load, snapshot_key, written
from server.protocol.messages import encode
from server.registry import HUB, Registered, Registry
from server.sqlite_journal import SqliteJournal
from server.wishes import EventCreate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from server.engine import Event
    from server.journal import Stored

TABLES = 100
NIGHT, SHORT_NIGHT = 10 * HOUR, HOUR // 10
WANTED = 200_000
LINEAR = 1.2  # what the second half of a replay may cost, the first half being 1
SECONDS = 60  # in which a whole night is to be loaded from its first line
CHUNK = 2_000


# ── a night ──────────────────────────────────────────────────────────────────────────────────────


def dealer(table: int, chance: random.Random) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Deal hands for ever: how long to wait, then what to tap."""
    while True:
        for do, args in hand(table):
            slow = chance.random() < 0.02  # noqa: PLR2004 - one in fifty thinks for long
            wait = chance.randrange(15_000, 45_000) if slow else chance.randrange(1_000, 15_000)
            yield wait, do, args
            if chance.random() < 0.004:  # noqa: PLR2004 - four taps in a thousand are wrong
                yield 2_000, "undo", {"table": table}
        yield chance.randrange(60_000, 1_200_000), "dealer.push", {"table": table}


def director(chance: random.Random) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Do what a director does in a night, a few times an hour."""
    number = 0
    while True:
        number += 1
        wait = chance.randrange(60_000, 400_000)
        yield from [
            (wait, "announce", {"text": f"Announcement {number}", "seconds": 30}),
            (wait, "clock.pause", {}),
            (20_000, "clock.resume", {}),
            (wait, "clock.add", {"ms": chance.choice([60_000, -60_000])}),
            (5_000, "undo", {}),
            (wait, "player.bust", {"player": f"{chance.randint(1, TABLES)}-9"}),
            (wait, "bank.grant", {"chips": 1, "mode": "add"}),
        ]


def night(length: int) -> tuple[State, list[Event], int]:
    """Play a night: the last state, the events, the last instant."""
    chance = random.Random(2_026)  # noqa: S311 - the same night every time
    state, now = new(presets.load(HOUSE)), 0
    events: list[Event] = []

    def do(name: str, args: dict[str, Any]) -> None:
        nonlocal state
        outcome = decide(state, parse(name, args), now)
        if not isinstance(outcome, Refused):
            state = evolved(state, outcome)
            events.extend(outcome)

    for table in range(1, TABLES + 1):
        for seat in range(1, SEATS + 1):
            do("seat.put", {"player": f"{table}-{seat}", "table": table, "seat": seat})
    do("clock.start", {})
    people = [dealer(table, chance) for table in range(1, TABLES + 1)] + [director(chance)]
    queue = [(0, who) for who in range(len(people))]
    coming = [next(script) for script in people]
    while queue:
        now, who = heapq.heappop(queue)
        if now >= length:
            break
        _, name, args = coming[who]
        do(name, args)
        coming[who] = next(people[who])
        heapq.heappush(queue, (now + coming[who][0], who))
    return state, events, now


# ── its journal ──────────────────────────────────────────────────────────────────────────────────


def write(journal: SqliteJournal, events: list[Event]) -> Registered:
    """Write a night as the hub would have, snapshots and all."""
    raw = presets.source(presets.find(HOUSE))
    record = registry.create(Registry(), EventCreate(HOUSE), registry.Pattern(HOUSE, raw), 0, None)
    made = registry.evolve(Registry(), record).events[EVENT]
    started = {"event": "hub.started", "build": __version__, "format": FORMAT}
    hub_lines = [
        Line(HUB, 0, None, 0, "bench", "", "", encode(found)) for found in (started, record)
    ]
    journal.append(hub_lines)
    lines = [
        Line(
            EVENT,
            event.at,
            event.at,
            event.at,
            "dealer",
            "tablet",
            str(i),
            encode(write_event(event)),
        )
        for i, event in enumerate(events)
    ]
    for begin in range(0, len(lines), CHUNK):
        journal.append(lines[begin : begin + CHUNK])
    state = new(made.rules, at=made.created_at, scheduled_at=made.scheduled_at)
    first = len(events) // EVERY - KEPT
    for i, event in enumerate(events, start=1):
        state = evolve(state, event)
        if i % EVERY == 0 and i // EVERY > first:
            journal.put(snapshot_key(EVENT, i + len(hub_lines)), Raw(written(state)))
    journal.head()
    return made


class Halves:
    """A journal that takes note of when its reader was half way through, and has no snapshots."""

    def __init__(self, journal: SqliteJournal, middle: int) -> None:
        self._journal, self._middle = journal, middle
        self.get, self.back = journal.get, journal.back
        self.began = self.at_half = thread_time()

    def keys(self, _prefix: str) -> list[str]:
        """Find nothing: everything is played again."""
        return []

    def read(self, event: str | None = None, after: int = 0) -> Iterator[Stored]:
        """Read all lines, looking at the clock once."""
        for stored in self._journal.read(event, after):
            if stored.seq == self._middle:
                self.at_half = thread_time()
            yield stored


def timed(journal: Any, made: Registered) -> tuple[Loaded, float]:
    """Load a night, and say how many seconds that took."""
    gc.collect()
    gc.disable()  # as the hub does
    begin = perf_counter()
    loaded = load(journal, made)
    took = perf_counter() - begin
    gc.enable()
    return loaded, took


def published(state: State, now: int) -> list[object]:
    """Give all documents of a state, but for what can be undone: a hub recalls that later."""
    tables = [table_document(state, number, now) or {} for number, _ in state.tables.items()]
    told = [{key: value for key, value in doc.items() if key != "undo"} for doc in tables]
    return [event_document(state, now), *told]


def start_up(folder: Path) -> float:
    """Start a real hub, and say how long it takes until it is ready."""
    server = hub(folder)
    server.ready()
    took = perf_counter() - server.began
    server.kill()
    return took


def rows(quick: bool) -> Iterator[Row]:
    """Write a night, and load it in all ways."""
    live, events, now = night(SHORT_NIGHT if quick else NIGHT)
    count = f"{len(events):,} events"
    with scratch() as folder:
        (folder / "empty").mkdir()
        start_up(folder / "empty")  # compiles what is new
        nothing = start_up(folder / "empty")
        places = Places(folder / "night")
        places.folder.mkdir()
        journal = SqliteJournal(places.journal)
        made = write(journal, events)
        journal.close()
        begin = perf_counter()
        journal = SqliteJournal(places.journal)
        opened = perf_counter() - begin
        halves = Halves(journal, len(events) // 2 + 1)
        whole, cold = timed(halves, made)
        first, second = halves.at_half - halves.began, thread_time() - halves.at_half
        quickly, warm = timed(journal, made)
        journal.close()
        same = published(whole.state, now) == published(live, now) == published(quickly.state, now)
        enough = len(events) >= WANTED or quick
        yield Row(
            f"a night of {now / HOUR:.2g} hours at {TABLES} tables, loaded from its first line",
            f"{cold:.1f} s",
            met=same and enough and cold <= SECONDS,
            target="seconds",
            note=f"{count}, {len(events) / cold:,.0f}/s" + ("" if same else ": NOT THE SAME NIGHT"),
        )
        ratio = second / first
        yield Row("  second half / first half", f"{second:.2f} s", f"{first:.2f} s", ratio, LINEAR)
        lines = f"{quickly.lines:,} lines played again"
        yield Row("  loaded from snapshots, as the hub does", f"{warm:.2f} s", note=lines)
        size = f"{places.journal.stat().st_size / 1e6:.0f} MB"
        yield Row("  opening and checking the file", f"{opened:.2f} s", note=size)
        took = start_up(places.folder)
        yield Row(
            "  start-up until ready; reference: with no data", f"{took:.2f} s", f"{nothing:.2f} s"
        )


if __name__ == "__main__":
    main(__doc__, rows)
