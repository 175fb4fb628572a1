"""The pure rules of a tournament room: no I/O, no clock, no randomness, standard library only.

    decide(state, command, now)  what a command does: events, or a refusal with a code
    evolve(state, event)         the state after an event, live and in a replay alike
    due(state), tick(state, now) what time itself does: levels end, chips burn, hands die

Everybody may import this package; it imports nothing of the rest of Railbird.
"""

from server.engine.board import board_document, watch_document
from server.engine.commands import COMMANDS, Command, parse
from server.engine.documents import (
    event_document,
    floor_document,
    table_document,
    table_view,
    undo_document,
)
from server.engine.events import Event
from server.engine.machine import decide, due, evolve, tick
from server.engine.outlook import structure_document, structure_view
from server.engine.reading import BadInput
from server.engine.refusals import Code, Refused
from server.engine.results import pages_of, results_document, results_view
from server.engine.rules import Rules
from server.engine.state import State, new

__all__ = [
    "COMMANDS",
    "BadInput",
    "Code",
    "Command",
    "Event",
    "Refused",
    "Rules",
    "State",
    "board_document",
    "decide",
    "due",
    "event_document",
    "evolve",
    "floor_document",
    "new",
    "pages_of",
    "parse",
    "results_document",
    "results_view",
    "structure_document",
    "structure_view",
    "table_document",
    "table_view",
    "tick",
    "undo_document",
    "watch_document",
]
