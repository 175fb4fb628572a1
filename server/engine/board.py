"""The board: all tables of an event at a glance, for the director.

Small on purpose: what a director looks for from across the room. Everything else about a table is
in its own document.
"""

from dataclasses import asdict
from typing import Any

from server.engine.documents import action_document, called_document
from server.engine.handforhand import since, status_of
from server.engine.silence import assumed_document
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
        "action": {key: action[key] for key in (*shown, "interrupted")} | _who(table, action)
        if action["status"] != "idle"
        else None,
        "called": {key: called[key] for key in shown} | _who(table, called)
        if called["seat"]
        else None,
        "collect": sum(table.collect.values()),
        "paused": table.paused,
        "assumed": assumed_document(state, table.number),
        "floor": None if table.floor is None else table.floor.since,
        "floor_reason": None if table.floor is None else table.floor.reason,
        "h4h": status_of(state, table),
        "h4h_since": since(state, table),
        "pace_ms": pace(table.thought, table.decisions),
        "decisions": table.decisions,
        "floor_took_ms": table.visits[-1].took if table.visits else None,
    }


def _who(table: Table, clock: dict[str, Any]) -> dict[str, Any]:
    """Name who is on a clock, and say how many time-bank chips are left."""
    player = None if clock["seat"] is None else table.player(clock["seat"])
    return {
        "name": None if player is None else player.name,
        "bank": None if player is None else player.bank,
    }


def pace(thought: int, decisions: int) -> int | None:
    """Say how long a decision takes, in the mean; None where none was timed."""
    return thought // decisions if decisions else None


def watch_document(state: State, number: int, now: int) -> dict[str, Any] | None:
    """Say what only the floor sees of a table: its pace by seats, and how the floor answered.

    Topic `table/<n>/floor`, on the wire `t/<id>/table/<n>/floor`. Only what a clock ran for is
    timed: who acts before the dealer starts it is not in these figures.
    """
    table = state.tables.get(number)
    if table is None:
        return None
    players = ((seat, taken.player) for seat, taken in sorted(table.seats.items()))
    return {
        "now": now,
        "table": number,
        "pace_ms": pace(table.thought, table.decisions),
        "decisions": table.decisions,
        "seats": {
            str(seat): {
                "name": player.name,
                "decisions": player.decisions,
                "pace_ms": pace(player.thought, player.decisions),
                "bank": player.bank,
                "spent": player.spent,
            }
            for seat, player in players
        },
        "floor": None if table.floor is None else asdict(table.floor),
        "visits": [asdict(visit) for visit in table.visits],
    }
