"""How a rule is written: deciders tell a story of events, appliers say what each one changes.

Both are tables. `DECIDERS` has one function for every command, `APPLIERS` one for every event; the
modules of the rules fill them with the decorators below.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from server.engine.commands import Command
from server.engine.events import Event
from server.engine.state import State

Decider = Callable[["Story", Any], None]
Applier = Callable[[State, Any], State]

DECIDERS: dict[type[Command], Decider] = {}
APPLIERS: dict[type[Event], Applier] = {}

T = TypeVar("T")
D = TypeVar("D", bound=Decider)
A = TypeVar("A", bound=Applier)


def decides(command: type[Command]) -> Callable[[D], D]:
    """Register what a command does."""

    def register(decider: D) -> D:
        DECIDERS[command] = decider
        return decider

    return register


def applies(event: type[Event]) -> Callable[[A], A]:
    """Register what an event changes."""

    def register(applier: A) -> A:
        APPLIERS[event] = applier
        return applier

    return register


class BrokenJournal(Exception):  # noqa: N818 - it says what is wrong with the journal
    """An event that cannot have followed from the events before it."""


def expect(kind: type[T], value: object) -> T:
    """Insist that an event finds what it was told of; only a broken journal can disappoint it."""
    if not isinstance(value, kind):
        raise BrokenJournal(f"{kind.__name__} expected, found {type(value).__name__}")
    return value


Silence = Callable[[int, int], bool]
"""Says whether a table's dealer could not be heard at an instant."""


def heard(_table: int, _at: int) -> bool:
    """Say that no table is silent, where nothing is known of links."""
    return False


Waits = Callable[[int, int], bool]
"""Says whether a table's time waits, because its device was not heard since that zero."""


class Story:
    """The events that follow from one command or one due fact, and the state as they are told."""

    __slots__ = ("events", "now", "silent", "state", "timed")

    def __init__(
        self, state: State, now: int, *, timed: bool = False, silent: Silence = heard
    ) -> None:
        self.state = state
        self.now = now
        self.timed = timed  # told by time itself, not by a command
        self.silent = silent
        self.events: list[Event] = []

    def tell(self, event: Event) -> None:
        """Let an event happen."""
        self.events.append(event)
        self.state = APPLIERS[type(event)](self.state, event)
