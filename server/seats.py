"""Where somebody sits: a search by name, so that a phone need not load every table of a room."""

import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from aiohttp import web

from server.access import Badge
from server.engine import State
from server.hub import Hub
from server.replies import answer_json, described, refusal

SHORTEST, LONGEST = 2, 40
MOST = 12
"""Seats that an answer names: whoever finds more must say more of the name."""


@lru_cache(20_000)
def plain(name: str) -> str:
    """Give a name as people type it: without case, accents and double spaces."""
    apart = unicodedata.normalize("NFKD", name)
    bare = "".join(sign for sign in apart if not unicodedata.combining(sign))
    return " ".join(bare.casefold().split())


def find(state: State, name: str) -> list[dict[str, Any]]:
    """Find seats by part of a name; those whose name begins with it, or a part of it, first."""
    wanted = plain(name)
    if not SHORTEST <= len(wanted) <= LONGEST:
        return []
    found = []
    for number, table in state.tables.items():
        for seat, taken in table.seats.items():
            shown = taken.player.name or taken.player.id
            place = f" {plain(shown)}".find(wanted)
            if place >= 0:
                begins = f" {plain(shown)}".find(f" {wanted}")
                row = {"table": number, "seat": seat, "name": shown}
                found.append(((begins < 0, begins, plain(shown), number, seat), row))
    return [row for _, row in sorted(found, key=lambda each: each[0])[:MOST]]


class Seats:
    """The route for it: as open as the documents are, and as slow for who asks too often."""

    def __init__(self, hub: Hub, who: Callable[[web.Request], tuple[Badge, str]]) -> None:
        self._hub, self._who = hub, who

    def routes(self) -> list[web.RouteDef]:
        """List the routes."""
        return [web.get("/api/v1/seats", self._seats)]

    async def _seats(self, request: web.Request) -> web.Response:
        badge, device = self._who(request)
        if not self._hub.reception.may_watch(badge.role, device):
            raise refusal(403, "viewing_closed", "Watching is not open to everybody here.")
        event, name = request.query.get("event", ""), request.query.get("name", "")
        desk = self._hub.desks.get(event)
        if desk is None:
            raise refusal(404, "unknown_event", f"There is no event {event[:64]}.")
        if not SHORTEST <= len(plain(name[: 4 * LONGEST])) <= LONGEST:
            raise refusal(422, "bad_value", f"name: {SHORTEST} to {LONGEST} letters of a name.")
        return answer_json({"now": self._hub.time.now(), "seats": find(desk.shown, name)})


def openapi(problem: dict[str, Any]) -> dict[str, Any]:
    """Describe the route."""

    def asked(name: str) -> dict[str, Any]:
        return {"name": name, "in": "query", "required": True, "schema": {"type": "string"}}

    return {
        "/api/v1/seats": {
            "get": {
                "summary": "Find where somebody sits by part of a name; at most 12 seats.",
                "security": [{}, {"token": []}],
                "parameters": [asked("event"), asked("name")],
                "responses": {
                    "200": {"description": "Seats: `table`, `seat` and `name` of each."},
                    "401": described("The token is not known.", problem),
                    "403": described("Watching is not open to everybody.", problem),
                    "404": described("There is no such event.", problem),
                    "422": described("The name is too short or too long.", problem),
                    "429": described("Too many requests.", problem),
                },
            }
        }
    }
