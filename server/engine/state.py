"""The state of an event: the room, its tables and players, and what can be undone.

The state is cut into slices that commands write: the room, each table, each player. Undo works by
slices (see `undo`), so that a mistake at table 7 is put right without touching table 8.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from server.engine.history import Entry, History
from server.engine.refusals import Code, refuse
from server.engine.room import Entrant, Room, Seated
from server.engine.rules import Rules
from server.engine.table import Seat, Table
from server.engine.trie import Trie

if TYPE_CHECKING:
    from collections.abc import Iterator

    from server.engine.commands import Command
    from server.engine.events import Event


@dataclass(frozen=True, slots=True)
class Assumed:
    """What was assumed of a table whose device was silent, until somebody has seen it."""

    since: int
    until: int
    taps: int = 0  # counted from their own instants
    tap: str = ""  # the newest of them, by which it can be undone
    held: int | None = None  # the seat whose clock was held
    away: bool = False  # it was the hub that could not hear


@dataclass(frozen=True, slots=True)
class State:
    """Everything the engine knows of one event."""

    rules: Rules
    room: Room
    tables: Trie[int, Table] = field(default_factory=lambda: Trie(Table.wake))
    players: Trie[str, Entrant] = field(default_factory=Trie)
    history: "History[State]" = field(default_factory=History)
    assumed: Mapping[int, Assumed] = field(default_factory=dict)  # what the floor has not seen yet

    def with_room(self, **changes: object) -> "State":
        """Change the room."""
        return replace(self, room=replace(self.room, **changes))  # type: ignore[arg-type]

    def with_table(self, table: Table) -> "State":
        """Put a table in place of the one with its number."""
        tables = self.tables.put(table.number, table)
        return State(self.rules, self.room, tables, self.players, self.history, self.assumed)

    def remember(
        self,
        at: int,
        slices: frozenset[str],
        *,
        command: "Command | None" = None,
        fact: "Event | None" = None,
    ) -> "State":
        """Enter a command or a fact in the history, with the state as it is before it."""
        before = State(self.rules, self.room, self.tables, self.players, NO_HISTORY)
        entry = Entry(self.history.count + 1, at, slices, before, command, fact)
        history = self.history.add(entry)
        return State(self.rules, self.room, self.tables, self.players, history, self.assumed)

    def table(self, number: int) -> Table:
        """Find an open table, or refuse."""
        found = self.tables.get(number)
        if found is None:
            refuse(Code.UNKNOWN_TABLE, f"Table {number} is not open.")
        return found

    def seated(self, player: str) -> tuple[Table, Seated, Seat]:
        """Find where a player sits, or refuse."""
        where = self.players.get(player)
        if not isinstance(where, Seated):
            refuse(Code.NO_PLAYER, f"Player {player} has no seat.")
        table = self.tables[where.table]
        return table, where, table.seats[where.seat]

    def in_use(self, table: Table) -> bool:
        """Say whether anybody plays at a table, so that the room waits for it.

        Where nobody has entered, or hands are dealt to nobody in particular, names are not kept.
        """
        return bool(table.seats) or table.nameless or self.room.field.entries == 0

    def tables_in_use(self) -> "Iterator[Table]":
        """List the tables that the room waits for."""
        return (table for table in self.tables.values() if self.in_use(table))

    def table_now(self, table: Table, at: int) -> int:
        """Say what time it is in a table's flow."""
        return table.flow.now(self.room.flow.now(at))

    def table_instant(self, table: Table, inner: int) -> int | None:
        """Say when a table's time will come, in hub time: never, while its clocks stand."""
        room_time = table.flow.outer(inner)
        return None if room_time is None else self.room.flow.outer(room_time)


NO_HISTORY: History[State] = History()


def new(rules: Rules, *, at: int = 0, scheduled_at: int | None = None) -> State:
    """Make an event that waits for its start.

    `scheduled_at` is the instant of the house's start time, from which a hard stop is counted;
    the clock starts by itself only when `event.schedule` says so.
    """
    after = rules.hard_stop_after
    first = rules.structure.step(0)
    action = rules.action
    return State(
        rules,
        Room(
            rules.structure,
            ends_at=None if first is None else first.length,
            hard_stop_at=None
            if after is None
            else (at if scheduled_at is None else scheduled_at) + after,
            action=action if action is not None and action.introduce == "start" else None,
        ),
    )
