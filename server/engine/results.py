"""The results: everybody who is out with their place, a page at a time, best place first.

The event document shows the newest finishes only, because every wall is sent it with every change.
"""

from dataclasses import asdict
from typing import Any

from server.engine.documents import winner
from server.engine.state import State

ROWS = 100
"""Finishes on a page: a long list in small pieces, so that no message becomes a large one."""


def results_document(state: State, page: int, now: int) -> dict[str, Any] | None:
    """Give a page of the results: topic `results/<page>`, on the wire `t/<id>/results/<page>`.

    None where there is no such page; the first is always there.
    """
    placed = sorted((*winner(state), *state.room.field.placed()), key=lambda f: f.place)
    pages = pages_of(len(placed))
    if not 1 <= page <= pages:
        return None
    return {
        "now": now,
        "page": page,
        "pages": pages,
        "total": len(placed),
        "rows": [
            {key: row[key] for key in ("place", "shared", "player", "name")}
            for row in map(asdict, placed[(page - 1) * ROWS : page * ROWS])
        ],
    }


def pages_of(finishes: int) -> int:
    """Say how many pages so many finishes fill: one at least."""
    return max(1, -(-finishes // ROWS))


def results_view(state: State) -> tuple[object, ...]:
    """Give all that the results show: while it stays, so do they."""
    room = state.room
    return room.field.finishes, room.field.late, room.finished
