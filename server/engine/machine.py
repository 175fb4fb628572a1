"""The machine itself: decide, evolve, due and tick over the rules of all the other modules."""

# Importing the rules fills the tables of deciders and appliers.
from server.engine import (
    actions,
    announcements,
    called,
    expiry,
    handforhand,
    hands,
    levels,
    seats,
    session,
    silence,
    stages,
    tables,
    timebank,
    undo,
)
from server.engine.commands import Command, Undo
from server.engine.events import Accepted, Event
from server.engine.facts import next_fact, table_fact
from server.engine.flow import at, instant_of
from server.engine.refusals import Refusal, Refused
from server.engine.state import State
from server.engine.story import APPLIERS, DECIDERS, Story, Waits, heard

MOST_AT_ONCE = 100_000
"""No room has so much due at one instant: a rule that never ends must not hang a hub."""

RULES = (
    actions,
    announcements,
    called,
    expiry,
    handforhand,
    hands,
    levels,
    seats,
    session,
    silence,
    stages,
    tables,
    timebank,
    undo,
)


def decide(
    state: State, command: Command, now: int, grace: int = 0, waits: Waits = heard
) -> tuple[Event, ...] | Refused:
    """Say what follows from a command at an instant: events, or a refusal that changes nothing.

    Facts that were due before that instant come first; what is due at the very instant comes
    after the command, by a later `tick`. So an exact tie goes to the player (AP-29). With a grace,
    what is due at other tables still waits for the taps that may be on their way there; and where
    `waits` says that a table's device is silent, its time tells nothing.
    """
    overdue, state = _facts(state, at(now) - 1, grace, waits)
    own, state = _table_facts(state, getattr(command, "table", None), at(now) - 1, waits)
    story = Story(state, now)
    try:
        DECIDERS[type(command)](story, command)
    except Refusal as refusal:
        return refusal.refused
    if isinstance(command, Undo):
        return (*overdue, *own, *story.events)
    written = frozenset(key for event in story.events for key in event.slices())
    accepted = Accepted(at=now, command=command, written=written)
    return (*overdue, *own, accepted, *story.events)


def evolve(state: State, event: Event) -> State:
    """Give the state after an event: the same live, in a replay, and after a crash."""
    return APPLIERS[type(event)](state, event)


def due(state: State, grace: int = 0) -> int | None:
    """Say when `tick` should be called next, if nobody commands anything before."""
    found = next_fact(state, grace)
    return None if found is None else instant_of(found[0])


def tick(state: State, now: int, grace: int = 0, waits: Waits = heard) -> tuple[Event, ...]:
    """List everything that has come due by now, in order, each with the instant it was due."""
    return _facts(state, at(now), grace, waits)[0]


def _table_facts(
    state: State, number: int | None, until: int, waits: Waits
) -> tuple[list[Event], State]:
    """Tell what has come due at one table, which a command for that table must find told."""
    events: list[Event] = []
    while True:
        table = None if number is None else state.tables.get(number)
        due_here = None if table is None else table_fact(state, table)
        if due_here is None or due_here.order > until or number is None:
            return events, state
        if waits(number, due_here.zero):
            return events, state
        story = due_here.happen(state)
        events += story.events
        state = story.state


def _facts(state: State, until: int, grace: int, waits: Waits) -> tuple[tuple[Event, ...], State]:
    events: list[Event] = []
    last, times = -1, 0
    while (found := next_fact(state, grace, waits)) is not None and found[0] <= until:
        last, times = found[0], times + 1 if found[0] == last else 0
        if times > MOST_AT_ONCE:
            raise RuntimeError(f"time does not go on: {found[1]} is due again and again")
        story = found[1].happen(state)
        events += story.events
        state = story.state
    return tuple(events), state
