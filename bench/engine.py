"""How the engine's costs grow: with the size of the room, and with the length of the night.

    make bench        or        .venv/bin/python bench/engine.py

Absolute times are this machine's; the ratios are what counts, and their goals are printed beside
them. Rooms of 10, 100 and 1,000 tables take turns in short rounds, so that whatever else the
machine does hits all of them alike, and the middle one of the rounds' ratios is taken. Before
measuring, every table has played long enough for its memory of undoable commands to be full. The
hub freezes the garbage collector after loading, and so does this; one line shows what it costs not
to.
"""

from __future__ import annotations

import gc
import heapq
import random
import statistics
import sys
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from server import presets
from server.engine import (
    Refused,
    State,
    decide,
    due,
    event_document,
    evolve,
    new,
    parse,
    table_document,
    tick,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from server.engine import Command, Event

SIZES = (10, 100, 1_000)
SEATS = 9
ROUNDS = 21
HANDS = 12  # of a room in a round
FLAT = 1.2  # what a command may cost in a room of 1,000 tables, in a room of 10 being 1
LINEAR = 1.2  # what the second half of a replay may cost, the first half being 1
HOUSE = "star-brisbane-saturday"
HOUR = 3_600_000


def evolved(state: State, events: tuple[Event, ...]) -> State:
    """Give the state after some events."""
    for event in events:
        state = evolve(state, event)
    return state


class Room:
    """A room in which hands are played."""

    def __init__(self, tables: int) -> None:
        self.tables = tables
        self.state = new(presets.load(HOUSE))
        self.now = 0
        self.turn = 0
        for table in range(1, tables + 1):
            for seat in range(1, SEATS + 1):
                player = f"{table}-{seat}"
                self.do(parse("seat.put", {"player": player, "table": table, "seat": seat}))
        self.do(parse("clock.start"))
        self.do(parse("clock.set", {"remaining_ms": 7 * 24 * HOUR}))  # levels are not measured

    def do(self, command: Command) -> None:
        """Decide a command and evolve what follows."""
        outcome = decide(self.state, command, self.now)
        if isinstance(outcome, Refused):
            raise TypeError(f"{command}: {outcome}")
        self.state = evolved(self.state, outcome)

    def hands(self, number: int) -> list[Command]:
        """Give the commands of hands at one table after the other."""
        found = []
        for _ in range(number):
            self.turn = self.turn % self.tables + 1
            found += [parse(do, args) for do, args in hand(self.turn)]
        return found

    def play(self, commands: list[Command]) -> float:
        """Play commands a second apart, and give the seconds that one of them cost."""
        begin = perf_counter()
        for command in commands:
            self.now += 1_000
            self.do(command)
        return (perf_counter() - begin) / len(commands)


def hand(table: int) -> list[tuple[str, dict[str, Any]]]:
    """Give the commands of a hand as a dealer taps them."""
    at = {"table": table}
    first = {"table": table, "seat": 3}
    return [
        ("hand.start", {**at, "button": 9}),
        ("action.start", first),
        *([("action.fold", at)] * 5),
        *([("action.next", at)] * 3),
        *([("street.next", at), ("action.next", at), ("action.next", at), ("action.next", at)] * 3),
        ("hand.end", at),
    ]


Measured = dict[int, list[float]]


def rounds(rooms: dict[int, Room], measure: Callable[[Room], float], number: int) -> Measured:
    """Measure all rooms in turns."""
    found: Measured = {size: [] for size in rooms}
    for _ in range(number):
        for size, room in rooms.items():
            found[size].append(measure(room))
    return found


def taps(room: Room) -> float:
    """Measure the dealers' hot loop."""
    return room.play(room.hands(HANDS))


def pauses(room: Room) -> float:
    """Measure pausing and resuming the room, with an action clock running at every table."""
    pair = [parse("clock.pause"), parse("clock.resume")]
    return room.play(pair * 20)


def questions(room: Room) -> float:
    """Measure asking what is due, and being woken for nothing."""
    begin = perf_counter()
    for _ in range(200):
        due(room.state)
        tick(room.state, room.now)
    return (perf_counter() - begin) / 200


def burns(room: Room) -> float:
    """Measure being woken by one table after the other because a chip burns."""
    state, number = room.state, 10
    begin = perf_counter()
    for _ in range(number):
        wake = due(state)
        if wake is None:
            raise TypeError("nothing is due")
        state = evolved(state, tick(state, wake))
    return (perf_counter() - begin) / number


def everybody_acts(room: Room) -> None:
    """Let an action clock run at every table, ending one after the other."""
    for table in range(1, room.tables + 1):
        room.now += 7
        room.do(parse("action.start", {"table": table, "seat": 1}))


def line(*columns: str, goal: str = "", verdict: str = "") -> None:
    """Print one line of the table."""
    head, *rest = columns
    print(f"{head:<44}" + "".join(f"{text:>11}" for text in rest) + f"  {goal:<8}{verdict}")


def verdict(ratio: float, goal: float) -> str:
    """Say whether a ratio is what it should be."""
    return "ok" if ratio <= goal else "MISS"


def show(name: str, found: Measured) -> None:
    """Print costs by size, and the ratios that matter."""
    costs = {size: statistics.median(times) * 1e6 for size, times in found.items()}
    small = found[SIZES[0]]
    ratios = [
        statistics.median(a / b for a, b in zip(found[size], small, strict=True))
        for size in SIZES[1:]
    ]
    line(
        name,
        *(f"{costs[size]:.1f} µs" for size in SIZES),
        *(f"x {ratio:.2f}" for ratio in ratios),
        goal=f"<= {FLAT}",
        verdict=verdict(max(ratios), FLAT),
    )


def rooms_of_all_sizes() -> None:
    """Measure what commands and questions cost in rooms of different sizes."""
    rooms = {size: Room(size) for size in SIZES}
    for size, room in rooms.items():
        room.play(room.hands(3 * size))
    line("cost of one, by number of tables", *(f"{size:,}" for size in SIZES), "100/10", "1000/10")
    show("dealer's tap (collector as it is)", rounds(rooms, taps, ROUNDS // 3))
    gc.collect()
    gc.freeze()
    show("dealer's tap", rounds(rooms, taps, ROUNDS))
    for room in rooms.values():
        everybody_acts(room)
    show("clock.pause, clock.resume", rounds(rooms, pauses, ROUNDS))
    show("due, and tick with nothing due", rounds(rooms, questions, ROUNDS))
    show("due, and tick in which a chip burns", rounds(rooms, burns, ROUNDS))
    gc.unfreeze()


# ── a night, and its replay ──────────────────────────────────────────────────────────────────────

NIGHT = 10 * HOUR
TABLES = 100
WANTED = 200_000


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


def night() -> tuple[State, State, list[Event], int]:
    """Play a night of ten hours: the first state, the last one, the events, the last instant."""
    chance = random.Random(2_026)  # noqa: S311 - the same night every time
    state = new(presets.load(HOUSE))
    first, events, now = state, [], 0

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
        if now >= NIGHT:
            break
        _, name, args = coming[who]
        do(name, args)
        coming[who] = next(people[who])
        heapq.heappush(queue, (now + coming[who][0], who))
    return first, state, events, now


def published(state: State, now: int) -> list[object]:
    """Give all documents of a state."""
    tables = [table_document(state, number, now) for number, _ in state.tables.items()]
    return [event_document(state, now), *tables]


def replay() -> None:
    """Measure how fast a night is replayed, and prove that it is the same night."""
    begin = perf_counter()
    first, live, events, now = night()
    played = perf_counter() - begin
    gc.collect()
    state, halves, middle = first, [], len(events) // 2
    for half in (events[:middle], events[middle:]):
        begin = perf_counter()
        for event in half:
            state = evolve(state, event)
        halves.append(perf_counter() - begin)
    if published(state, now) != published(live, now):
        raise AssertionError("the replayed night is not the one that was played")
    took, ratio = sum(halves), halves[1] / halves[0]
    count = f"{len(events):,}"
    print()
    line(f"a night of {now / HOUR:.1f} hours at {TABLES} tables", "events", "seconds", "events/s")
    line("played: decide, evolve", count, f"{played:.1f}", f"{len(events) / played:,.0f}")
    line(
        "replayed: evolve",
        count,
        f"{took:.1f}",
        f"{len(events) / took:,.0f}",
        goal="seconds",
        verdict="ok" if len(events) >= WANTED else f"MISS: fewer than {WANTED:,} events",
    )
    line(
        "second half / first half",
        f"x {ratio:.2f}",
        goal=f"<= {LINEAR}",
        verdict=verdict(ratio, LINEAR),
    )
    print("the replayed state publishes the same documents as the live one")


if __name__ == "__main__":
    rooms_of_all_sizes()
    replay()
