"""The board: all tables of an event at a glance, for the director.

Small on purpose: what a director looks for from across the room. Everything else about a table is
in its own document.
"""

from typing import Any

from server.engine.documents import action_document, called_document
from server.engine.handforhand import status_of
from server.engine.state import State
from server.engine.table import Table


def board_document(state: State, now: int) -> dict[str, Any]:
    """Say how all tables stand: topic `tables`, on the wire `t/<id>/tables`."""
    return {
        "now": now,
        "tables": {str(number): _row(state, table, now) for number, table in state.tables.items()},
    }


def _row(state: State, table: Table, now: int) -> dict[str, Any]:
    action = action_document(state, table, now)
    called = called_document(state, table, now)
    shown = ("status", "seat", "remaining_ms", "ends_at", "outcome")
    return {
        "players": len(table.seats),
        "size": table.size,
        "level": None if table.blinds is None else table.blinds.level,
        "hand": table.hand.number,
        "in_progress": table.hand.in_progress,
        "action": {key: action[key] for key in shown} if action["status"] != "idle" else None,
        "called": {key: called[key] for key in shown} if called["seat"] else None,
        "collect": sum(table.collect.values()),
        "paused": table.paused,
        "floor": None if table.floor is None else table.floor.since,
        "h4h": status_of(state, table),
    }
