"""A night in virtual time, for tests in given/when/then form.

    night = given("star-brisbane-saturday", {1: 3})      # table 1, players in seats 1 to 3
    night.do("hand.start", table=1)                      # when
    night.later(seconds(20))
    assert night.table(1)["action"]["status"] == "…"     # then

`night.do` insists that the command is accepted, `night.refused` that it is refused and changes
nothing. Every event that happened is in `night.events`, each evolved as a replay would.
"""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from server import presets
from server.engine import (
    Refused,
    Rules,
    State,
    decide,
    event_document,
    evolve,
    floor_document,
    new,
    parse,
    table_document,
    tick,
)
from server.engine.reading import build

if TYPE_CHECKING:
    from collections.abc import Mapping

    from server.engine import Event


def rules_of(toml: str) -> Rules:
    """Give the rules of a house that a test makes up, from the text of its preset."""
    return build(Rules, tomllib.loads(toml))


def seconds(number: float) -> int:
    """Give seconds as milliseconds."""
    return round(number * 1_000)


def minutes(number: float) -> int:
    """Give minutes as milliseconds."""
    return seconds(number * 60)


class Night:
    """An event that is being played, at an instant."""

    def __init__(self, rules: Rules) -> None:
        self.state: State = new(rules, scheduled_at=0)
        self.first = self.state
        self.now = 0
        self.events: list[Event] = []
        self.count = 0
        self.by = ""  # the role of who commands

    def later(self, ms: int) -> Night:
        """Let time pass; what comes due at the new instant itself is still to come."""
        self.now += ms
        self._happen(tick(self.state, self.now - 1))
        return self

    def do(self, command: str, /, **args: Any) -> list[str]:
        """Command something, and give the names of the events that followed."""
        outcome = self._decide(command, args)
        assert not isinstance(outcome, Refused), f"{command} was refused: {outcome}"
        self._happen(outcome)
        return [event.name for event in outcome]

    def refused(self, command: str, /, **args: Any) -> str:
        """Command something that must be refused without any effect, and give the code."""
        before = self.event(), self.floor(), self.tables()
        outcome = self._decide(command, args)
        assert isinstance(outcome, Refused), f"{command} was accepted"
        assert outcome.text
        assert before == (self.event(), self.floor(), self.tables())
        return outcome.code.value

    def _decide(self, command: str, args: dict[str, Any]) -> tuple[Event, ...] | Refused:
        self.count += 1
        return decide(self.state, parse(command, args, id=f"c{self.count}", by=self.by), self.now)

    def _happen(self, events: tuple[Event, ...]) -> None:
        for event in events:
            self.state = evolve(self.state, event)
            self.events.append(event)

    def seen(self) -> State:
        """Give the state as a screen sees it: with everything that is due by now."""
        state = self.state
        for event in tick(state, self.now):
            state = evolve(state, event)
        return state

    def event(self) -> dict[str, Any]:
        """Give the event's document."""
        return event_document(self.seen(), self.now)

    def shown(self, *keys: str) -> list[Any]:
        """Give some values of the clock."""
        clock = self.clock()
        return [clock[key] for key in keys]

    def clock(self) -> dict[str, Any]:
        """Give the clock of the event's document."""
        clock: dict[str, Any] = self.event()["clock"]
        return clock

    def table(self, number: int) -> dict[str, Any]:
        """Give a table's document."""
        doc = table_document(self.seen(), number, self.now)
        assert doc is not None, f"table {number} is not open"
        return doc

    def tables(self) -> list[dict[str, Any]]:
        """Give the documents of all tables."""
        return [self.table(number) for number, _ in self.seen().tables.items()]

    def floor(self) -> dict[str, Any]:
        """Give the floor's document."""
        return floor_document(self.seen(), self.now)

    def names(self) -> list[str]:
        """Give the names of all events so far."""
        return [event.name for event in self.events]


def given(
    preset: str | Rules, tables: Mapping[int, int] | None = None, *, started: bool = True
) -> Night:
    """Make a night: a preset, tables with so many players each, the clock started at 0.

    The player in seat 2 of table 1 is `1-2`.
    """
    night = Night(presets.load(preset) if isinstance(preset, str) else preset)
    for table, players in (tables or {}).items():
        night.do("table.open", table=table)
        for seat in range(1, players + 1):
            night.do("seat.put", player=f"{table}-{seat}", table=table, seat=seat)
    if started:
        night.do("clock.start")
    return night
