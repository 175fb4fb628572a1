"""The plain HTTP API: documents by GET, commands by POST, for scripts and integrations.

The same orders and the same rights as over the websocket. `docs/openapi.json` describes it; the
description is made here, from the same structs that read the requests.
"""

import asyncio
import secrets
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import msgspec
from aiohttp import web
from msgspec import Meta

from server import __version__, papers, seats
from server.access import Badge
from server.backups import ON_REQUEST, make_backup
from server.engine import COMMANDS
from server.gate import is_loopback
from server.hub import Hub
from server.journal import StorageError
from server.limits import Bucket
from server.metrics import exposition
from server.orders import Order
from server.papers import Papers
from server.protocol import messages as m
from server.replies import answer_json, body_of, described, refusal
from server.visitor import INSECURE
from server.wishes import WISHES

MOST_BYTES = 64 << 10

STATUS = {
    "forbidden": 403,
    "busy": 503,
    "storage": 503,
    "unknown_event": 404,
    "unknown_table": 404,
    "bad_value": 422,
}
"""How a refusal is said in HTTP; what is not here is a conflict with how the room stands."""

CONFLICT = 409
BODY_WITHIN = 10.0
"""Seconds in which a request's body must have come."""

MOST_KNOWN = 10_000
"""Devices and addresses whose rate is remembered."""


class CommandRequest(msgspec.Struct, forbid_unknown_fields=True):
    """A command. Sent again with the same id by the same token it is never applied twice."""

    do: Annotated[str, Meta(max_length=64)]
    event: Annotated[str, Meta(max_length=64)] = ""
    args: dict[str, Any] = {}
    id: m.Id | None = None
    seen: m.Instant | None = None


class DocumentAnswer(msgspec.Struct):
    """The newest document of a topic."""

    topic: str
    rev: int
    doc: msgspec.Raw


class Api:
    """The routes of the API."""

    def __init__(self, hub: Hub, backups: Path) -> None:
        self._hub, self._backups = hub, backups
        self._buckets: dict[str, Bucket] = {}

    def routes(self) -> list[web.RouteDef]:
        """List the routes."""
        return [
            web.get("/healthz", self._health),
            web.get("/metrics", self._metrics),
            web.get("/api/v1/openapi.json", self._description),
            web.get(r"/api/v1/documents/{topic:[\s\S]+}", self._document),
            web.post("/api/v1/commands", self._command),
            web.post("/api/v1/backups", self._backup),
            *Papers(self._hub, self.who).routes(),
            *seats.Seats(self._hub, self.who).routes(),
        ]

    def who(self, request: web.Request) -> tuple[Badge, str]:
        """Say who asks; who brings an unknown token, or asks too often, is refused."""
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if not token:
            self._in_time("viewer", request.remote or "")
            return Badge(), ""
        devices = self._hub.reception.devices
        device = devices.by_token(token.strip()) if scheme.lower() == "bearer" else None
        if device is None:
            self._in_time("viewer", request.remote or "")
            raise refusal(401, "unauthorised", "This token is not known here.")
        self._in_time(device.badge.role, device.id)
        return device.badge, device.id

    def _insist_on_security(self, request: web.Request) -> None:
        if not (self._hub.config.plain or request.secure or is_loopback(request.remote or "")):
            raise refusal(403, "insecure", INSECURE)

    def _in_time(self, role: str, who: str) -> None:
        """Insist on the rate of a role, for a device or for an address."""
        now = self._hub.time.now()
        bucket = self._buckets.pop(who, None) or Bucket.of(role, now, self._hub.config.limits.rate)
        self._buckets[who] = bucket  # the newest last
        while len(self._buckets) > MOST_KNOWN:
            del self._buckets[next(iter(self._buckets))]
        if not bucket.take(now):
            raise refusal(429, "slow_down", "Too many requests: wait a moment.")

    async def _health(self, _request: web.Request) -> web.Response:
        hub = self._hub
        body = {
            "status": "ok" if hub.trouble is None else "trouble",
            "build": __version__,
            "events": len(hub.desks),
            "clients": len(hub.visitors),
            "now": hub.time.now(),
        }
        response = answer_json(body, 200 if hub.trouble is None else 503)
        response.force_close()  # it is asked by scouts: each must find a way of its own
        return response

    async def _metrics(self, request: web.Request) -> web.Response:
        badge, _ = self.who(request)
        if badge.role == "viewer" and not is_loopback(request.remote or ""):
            raise refusal(403, "forbidden", "Metrics are for this machine, or with a token.")
        return web.Response(text=exposition(self._hub), content_type="text/plain")

    async def _description(self, _request: web.Request) -> web.Response:
        return web.Response(body=_described(), content_type="application/json")

    async def _document(self, request: web.Request) -> web.Response:
        badge, device = self.who(request)
        if not self._hub.reception.may_watch(badge.role, device):
            raise refusal(403, "viewing_closed", "Watching is not open to everybody here.")
        topic = request.match_info["topic"]
        if not badge.may_see(topic, device):
            raise refusal(403, "forbidden", f"{topic} is for the floor and the director.")
        rev, doc = self._hub.press.read(topic)
        if doc is None:
            raise refusal(404, "unknown_topic", f"There is no document {topic[:80]}.")
        return answer_json(DocumentAnswer(topic, rev, msgspec.Raw(m.encode(doc))))

    async def _command(self, request: web.Request) -> web.Response:
        badge, device = self.who(request)
        self._insist_on_security(request)
        try:
            body = await body_of(request, BODY_WITHIN)
            wanted = msgspec.json.decode(body, type=CommandRequest)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            raise refusal(400, "bad_message", str(error)) from None
        now = self._hub.time.now()
        answer: asyncio.Future[m.Done | m.Refused] = asyncio.get_running_loop().create_future()
        order = Order(
            wanted.id or secrets.token_hex(8),
            wanted.event,
            wanted.do,
            wanted.args,
            badge,
            device,
            now,
            now,
            seen=wanted.seen,
        )
        self._hub.order(order, answer.set_result)
        found = await asyncio.shield(answer)  # who hangs up does not take the order back
        if isinstance(found, m.Refused):
            return answer_json(found, STATUS.get(found.code, CONFLICT))
        return answer_json(found)

    async def _backup(self, request: web.Request) -> web.Response:
        badge, _ = self.who(request)
        if badge.role != "director":
            raise refusal(403, "forbidden", "Backups are for a director to make.")
        self._insist_on_security(request)
        try:
            loop = asyncio.get_running_loop()
            path = await loop.run_in_executor(
                ON_REQUEST, make_backup, self._hub.journal, self._backups
            )
        except (StorageError, OSError) as error:
            return answer_json(m.Problem("storage", str(error)), 503)
        return answer_json({"path": str(path.resolve())})


@cache
def _described() -> bytes:
    """Write the description once: it is the same for everybody, and takes a while to make."""
    return m.encode(openapi())


def openapi() -> dict[str, Any]:
    """Describe the API."""
    (command, document, done, refused, problem), components = msgspec.json.schema_components(
        (CommandRequest, DocumentAnswer, m.Done, m.Refused, m.Problem),
        ref_template="#/components/schemas/{name}",
    )
    components["CommandRequest"]["properties"]["do"]["enum"] = sorted([*COMMANDS, *WISHES])

    topic = {"name": "topic", "in": "path", "required": True, "schema": {"type": "string"}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Railbird", "version": __version__},
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "paths": {
            "/healthz": {
                "get": {
                    "summary": "Say whether the hub is well.",
                    "responses": {
                        "200": {"description": "It is."},
                        "503": {"description": "It cannot store anything; clocks go on."},
                    },
                }
            },
            "/api/v1/documents/{topic}": {
                "get": {
                    "summary": "Give the newest document of a topic, such as events or t/1.",
                    "security": [{}, {"token": []}],
                    "parameters": [topic],
                    "responses": {
                        "200": described("The document.", document),
                        "401": described("The token is not known.", problem),
                        "403": described("The topic is not for everybody.", problem),
                        "404": described("There is no such topic.", problem),
                    },
                }
            },
            **papers.openapi(problem),
            **seats.openapi(problem),
            "/api/v1/backups": {
                "post": {
                    "summary": "Back the journal up on the hub's machine, while it runs.",
                    "security": [{"token": []}],
                    "responses": {
                        "200": {"description": "The path of the backup."},
                        "401": described("The token is not known.", problem),
                        "403": described("It is for a director to do.", problem),
                        "503": described("The backup could not be written.", problem),
                    },
                }
            },
            "/api/v1/commands": {
                "post": {
                    "summary": "Command something, and wait until it is durable.",
                    "security": [{"token": []}],
                    "requestBody": {
                        "required": True,
                        "content": {"application/json": {"schema": command}},
                    },
                    "responses": {
                        "200": described("It is durable.", done),
                        "400": described("The request cannot be understood.", problem),
                        "401": described("The token is not known.", problem),
                        "403": described("It is not for this role to do.", refused),
                        "404": described("There is no such event or table.", refused),
                        "408": described("The request did not come in time.", problem),
                        "413": {"description": "The request is too large."},
                        "415": described("The request is squeezed.", problem),
                        "429": described("Too many requests.", problem),
                        "409": described("The room does not allow it now.", refused),
                        "422": described("An argument is wrong.", refused),
                        "503": described("Nothing can be stored now, or the hub is busy.", refused),
                    },
                }
            },
        },
    }
