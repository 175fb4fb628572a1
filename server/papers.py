"""Papers: what the floor takes away over HTTP: the journal to read, exports, structures as files.

Nothing here changes anything. A structure that is sent in is only read, and comes back as the steps
that `structure.set` takes, or with the reason why it cannot be used.
"""

import asyncio
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from aiohttp import web

from server import sheets
from server.access import Badge
from server.engine import BadInput
from server.export import as_csv, as_json
from server.hub import Hub
from server.journal import StorageError, Stored
from server.ledger import Wanted, entries
from server.protocol import messages as m
from server.replies import answer_json, body_of, described, refusal
from server.request_threads import BUSY, Busy

MOST_ENTRIES = 500
USUAL_ENTRIES = 100
MOST_LINES = 20_000
"""Lines that one request may look through; what is older is asked for with `before`."""

AT_ONCE = 500
"""Lines of an export that are written in one go: others' requests come between."""

MOST_EXPORTS = 4
"""Exports that go on at once: each holds some of the journal in memory until it is taken."""

TAKEN_WITHIN = 30.0
"""Seconds in which a part of an export must have been taken."""

BODY_WITHIN = 10.0
"""Seconds in which a structure must have come."""

Who = Callable[[web.Request], tuple[Badge, str]]
TYPES = {"csv": "text/csv", "jsonl": "application/x-ndjson", "toml": "application/toml"}


class Papers:
    """The routes for what is read and taken away."""

    def __init__(self, hub: Hub, who: Who) -> None:
        self._hub, self._who = hub, who
        self._exports = 0

    def routes(self) -> list[web.RouteDef]:
        """List the routes."""
        return [
            web.get("/api/v1/journal", self._journal),
            web.get("/api/v1/export", self._export),
            web.get("/api/v1/structure", self._structure),
            web.post("/api/v1/structure", self._read_structure),
        ]

    def _floor(self, request: web.Request) -> None:
        badge, _ = self._who(request)
        if badge.role not in ("floor", "director"):
            raise refusal(403, "forbidden", "The journal is for the floor and the director.")

    # ── the journal ──────────────────────────────────────────────────────────────────────────────

    async def _journal(self, request: web.Request) -> web.Response:
        self._floor(request)
        query = request.query
        wanted = Wanted(_whole(query, "table"), _whole(query, "seat"), query.get("who") or None)
        limit = min(_whole(query, "limit") or USUAL_ENTRIES, MOST_ENTRIES)
        before, event = _whole(query, "before"), query.get("event")
        page = await self._hub.request_threads.run(self._page, event, before, wanted, limit)
        return web.Response(body=page, content_type="application/json")

    def _page(self, event: str | None, before: int | None, wanted: Wanted, limit: int) -> bytes:
        """Look through the journal from the newest line, as far as one request may."""
        reader = _Reader(self._hub.journal.back(event, before))
        fitting = (entry for entry in entries(reader.lines()) if wanted.fits(entry))
        found = list(islice(fitting, limit))
        oldest = found[-1]["seq"] if len(found) == limit else reader.stopped_at
        return m.encode({"now": self._hub.time.now(), "entries": found, "before": oldest})

    async def _export(self, request: web.Request) -> web.StreamResponse:
        self._floor(request)
        event, kind = request.query.get("event"), request.query.get("format", "csv")
        if kind not in ("csv", "jsonl"):
            raise refusal(422, "bad_value", "format: must be csv or jsonl.")
        name = f"railbird-{event}" if event and event.isascii() and event.isalnum() else "railbird"
        headers = {
            "Content-Type": f"{TYPES[kind]}; charset=utf-8",
            "Content-Disposition": f'attachment; filename="{name}.{kind}"',
        }
        if self._exports >= MOST_EXPORTS:
            raise Busy(BUSY)
        self._exports += 1
        try:
            return await self._send(request, web.StreamResponse(headers=headers), event, kind)
        finally:
            self._exports -= 1

    async def _send(
        self, request: web.Request, response: web.StreamResponse, event: str | None, kind: str
    ) -> web.StreamResponse:
        """Send an export, part by part; what cannot go on is cut off, so that it is not taken."""
        stored = self._hub.journal.read(event)
        lines = as_csv(stored) if kind == "csv" else as_json(stored)

        def part() -> bytes:
            return "".join(f"{line}\n" for line in islice(lines, AT_ONCE)).encode()

        threads = self._hub.request_threads
        body = await threads.run(part)
        await response.prepare(request)
        try:
            while body:
                async with asyncio.timeout(TAKEN_WITHIN):
                    await response.write(body)
                body = await threads.go_on(part)
        except (Busy, StorageError, TimeoutError):
            if request.transport is not None:
                request.transport.abort()
            return response
        await response.write_eof()
        return response

    # ── structures ───────────────────────────────────────────────────────────────────────────────

    def _kind(self, request: web.Request) -> str:
        kind = request.query.get("format", "toml")
        if kind not in sheets.FORMATS:
            raise refusal(422, "bad_value", "format: must be toml or csv.")
        return kind

    async def _structure(self, request: web.Request) -> web.Response:
        badge, device = self._who(request)
        if not self._hub.reception.may_watch(badge.role, device):
            raise refusal(403, "viewing_closed", "Watching is not open to everybody here.")
        kind, event = self._kind(request), request.query.get("event", "")
        desk = self._hub.desks.get(event)
        if desk is None:
            raise refusal(404, "unknown_event", f"There is no event {event[:64]}.")
        text = sheets.write(desk.shown.room.structure, kind)
        name = f'attachment; filename="structure-{event}.{kind}"'
        return web.Response(
            text=text,
            content_type=TYPES[kind],
            charset="utf-8",
            headers={"Content-Disposition": name},
        )

    async def _read_structure(self, request: web.Request) -> web.Response:
        self._floor(request)
        kind, event = self._kind(request), request.query.get("event", "")
        try:
            text = (await body_of(request, BODY_WITHIN)).decode("utf-8")
            structure = await self._hub.request_threads.run(sheets.read, text, kind)
        except UnicodeDecodeError:
            raise refusal(422, "bad_value", "The file is not UTF-8.") from None
        except BadInput as bad:
            raise refusal(422, "bad_value", f"{bad}.") from None
        found = sheets.plain(structure)
        desk = self._hub.desks.get(event)
        step = 0 if desk is None else desk.shown.room.step
        return answer_json({**found, "ahead": found["steps"][step:]})


class _Reader:
    """Reads lines from the newest on, and stops after enough of them, never within a command."""

    def __init__(self, stored: Iterator[Stored]) -> None:
        self._stored = stored
        self.stopped_at: int | None = None  # None: everything was read

    def lines(self) -> Iterator[Stored]:
        """Give the lines."""
        last: Stored | None = None
        for count, found in enumerate(self._stored):
            if last is not None and count >= MOST_LINES and _apart(last, found):
                self.stopped_at = last.seq
                return
            last = found
            yield found


def _apart(newer: Stored, older: Stored) -> bool:
    return not newer.line.command or newer.line.command != older.line.command


def _whole(query: Any, key: str) -> int | None:
    """Read a number of a request's query."""
    text = query.get(key, "")
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= 15):  # noqa: PLR2004 - enough
        raise refusal(422, "bad_value", f"{key}: must be a whole number.")
    return int(text)


# ── how it is described ──────────────────────────────────────────────────────────────────────────


def openapi(problem: dict[str, Any]) -> dict[str, Any]:
    """Describe these routes."""

    def asked(name: str, kind: str = "string", words: tuple[str, ...] = ()) -> dict[str, Any]:
        schema = {"type": kind, "enum": list(words)} if words else {"type": kind}
        return {"name": name, "in": "query", "required": False, "schema": schema}

    numbers = [asked(name, "integer") for name in ("table", "seat", "before", "limit")]
    refused = {
        "401": described("The token is not known.", problem),
        "403": described("It is not for this role.", problem),
        "422": described("Something asked for is not right; the text says what.", problem),
        "429": described("Too many requests.", problem),
        "503": described("The hub has too much to read at once: try again.", problem),
    }
    token: list[dict[str, list[str]]] = [{"token": []}]
    event, sheet = asked("event"), asked("format", words=sheets.FORMATS)
    return {
        "/api/v1/journal": {
            "get": {
                "summary": "Read the journal in words, the newest entries first.",
                "security": token,
                "parameters": [event, asked("who"), *numbers],
                "responses": {
                    "200": {"description": "Entries; `before` asks for more."},
                    **refused,
                },
            }
        },
        "/api/v1/export": {
            "get": {
                "summary": "Take the journal away, whole or of one event.",
                "security": token,
                "parameters": [event, asked("format", words=("csv", "jsonl"))],
                "responses": {"200": {"description": "The file."}, **refused},
            }
        },
        "/api/v1/structure": {
            "get": {
                "summary": "Take an event's structure away as a file.",
                "security": [{}, *token],
                "parameters": [event, sheet],
                "responses": {
                    "200": {"description": "The file."},
                    **refused,
                    "404": described("There is no such event.", problem),
                },
            },
            "post": {
                "summary": "Read a structure from a file; nothing is changed.",
                "security": token,
                "parameters": [event, sheet],
                "requestBody": {
                    "required": True,
                    "content": {
                        "text/plain": {"schema": {"type": "string"}},
                    },
                },
                "responses": {
                    "200": {
                        "description": "Its steps; `ahead` are those from the event's current one."
                    },
                    **refused,
                    "408": described("It did not come in time.", problem),
                    "413": {"description": "It is too large."},
                    "415": described("It is squeezed.", problem),
                },
            },
        },
    }
