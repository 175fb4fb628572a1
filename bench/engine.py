"""How the engine's costs grow with the size of the room.

    .venv/bin/python bench/engine.py [--quick]

Absolute times are this machine's; the ratios are what counts. Rooms of 10, 100 and 1,000 tables
take turns in short rounds, so that whatever else the machine does hits all of them alike, only the
process's own time is counted, and the middle one of the rounds' ratios is taken. Before measuring,
every table has played long enough for its memory of undoable commands to be full. The hub freezes
the garbage collector after loading, and so does this; one line shows what it costs not to.
"""

from __future__ import annotations

import gc
import statistics
import sys
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

from report import Row, main, middle_ratio

sys.path.insert(0, str(Path(__file__).parents[1]))

from server import presets
from server.engine import (
    Refused,
    State,
    decide,
    due,
    evolve,
    new,
    parse,
    tick,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from server.engine import Command, Event

SIZES, FEW = (10, 100, 1_000), (10, 30, 100)
"""Tables of the rooms; in the quick form, fewer."""
SEATS = 9
ROUNDS = 15
HANDS = 12  # of a room in a round
FLAT = 1.2  # what a command may cost in a room of 1,000 tables, in a room of 10 being 1
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

    def play(self, commands: list[Command], apart: int = 1_000) -> float:
        """Play commands some time apart, and give the seconds that one of them cost."""
        begin = process_time()
        for command in commands:
            self.now += apart
            self.do(command)
        return (process_time() - begin) / len(commands)


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
    return room.play(pair * 20, apart=1)  # a second apart, chips would burn and be measured too


def questions(room: Room) -> float:
    """Measure asking what is due, and being woken for nothing."""
    begin = process_time()
    for _ in range(200):
        due(room.state)
        tick(room.state, room.now)
    return (process_time() - begin) / 200


def burns(room: Room) -> float:
    """Measure being woken by one table after the other because a chip burns."""
    state, number = room.state, 10
    begin = process_time()
    for _ in range(number):
        wake = due(state)
        if wake is None:
            raise TypeError("nothing is due")
        state = evolved(state, tick(state, wake))
    return (process_time() - begin) / number


def everybody_acts(room: Room) -> None:
    """Let an action clock run at every table, ending one after the other."""
    for table in range(1, room.tables + 1):
        room.now += 7
        room.do(parse("action.start", {"table": table, "seat": 1}))


def row(name: str, found: Measured) -> Row:
    """Hold the largest room against the smallest, and tell of the one between."""
    sizes = tuple(found)
    small, medium, large = found.values()
    told = (f"{statistics.median(times) * 1e6:.1f} µs" for times in (large, small))
    between = f"x {middle_ratio(medium, small):.2f} with {sizes[1]} tables"
    title = f"engine, {sizes[-1]:,} tables against {sizes[0]}: {name}"
    return Row(title, *told, middle_ratio(large, small), FLAT, between)


def rows(quick: bool) -> Iterator[Row]:
    """Measure what commands and questions cost in rooms of different sizes."""
    number = ROUNDS // 3 if quick else ROUNDS
    rooms = {size: Room(size) for size in (FEW if quick else SIZES)}
    for size, room in rooms.items():
        room.play(room.hands(3 * size))
    if not quick:
        yield row("a tap, collector as it is", rounds(rooms, taps, ROUNDS // 3))
    gc.collect()
    gc.freeze()
    yield row("a tap", rounds(rooms, taps, number))
    for room in rooms.values():
        everybody_acts(room)
    yield row("pause, resume", rounds(rooms, pauses, number))
    yield row("nothing is due", rounds(rooms, questions, number))
    yield row("a chip burns", rounds(rooms, burns, number))
    gc.unfreeze()


if __name__ == "__main__":
    main(__doc__, rows)
