"""The API: documents by GET, commands by POST, and nothing that a browser could be talked into."""

from __future__ import annotations

import asyncio
import gzip
import json
import shutil
import sqlite3
import warnings
from collections.abc import Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest

from server.access import Badge
from server.api import MOST_BYTES, openapi
from server.engine import COMMANDS
from server.journal import verify
from server.sqlite_journal import SqliteJournal, read_file
from server.web import HEADERS
from server.wishes import WISHES
from tests.served import PATIENCE, serving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from tests.served import Room

DESCRIPTION = Path(__file__).parents[2] / "docs" / "openapi.json"
REGENERATE = """docs/openapi.json is not what the code says; write it again with
.venv/bin/python -c 'import json; from server.api import openapi; \
print(json.dumps(openapi(), indent=1, sort_keys=True))' > docs/openapi.json"""

COMMANDS_PATH = "/api/v1/commands"
DOCUMENTS_PATH = "/api/v1/documents/"


class Api:
    """Somebody who uses the API."""

    def __init__(self, room: Room, http: aiohttp.ClientSession) -> None:
        self.room, self.http = room, http

    async def ask(
        self, method: str, path: str, token: str | None = None, **options: Any
    ) -> tuple[int, Any]:
        """Send a request, and give the status and what came back."""
        response = await self.full(method, path, token, **options)
        body = await response.read()
        try:
            return response.status, json.loads(body)
        except ValueError:
            return response.status, body.decode()

    async def full(
        self, method: str, path: str, token: str | None = None, **options: Any
    ) -> aiohttp.ClientResponse:
        """Send a request, and give the whole response."""
        headers = {"Authorization": f"Bearer {token}"} if token is not None else {}
        headers |= options.pop("headers", {})
        url = f"http://127.0.0.1:{self.room.port}{path}"
        async with asyncio.timeout(PATIENCE):
            response = await self.http.request(method, url, headers=headers, **options)
            await response.read()
        return response

    async def do(
        self, do: str, /, *, event: str = "1", token: str = "", id_: str | None = None, **args: Any
    ) -> tuple[int, Any]:
        """Command something, as the director or with another token."""
        body = {"do": do, "event": event, "args": args} | ({} if id_ is None else {"id": id_})
        return await self.ask("POST", COMMANDS_PATH, token or self.room.director, json=body)

    async def document(self, topic: str, token: str | None = None) -> tuple[int, Any]:
        """Give the newest document of a topic."""
        return await self.ask("GET", f"{DOCUMENTS_PATH}{topic}", token)


@asynccontextmanager
async def using(room: Room) -> AsyncIterator[Api]:
    """Use a hub's API."""
    async with aiohttp.ClientSession() as http:
        yield Api(room, http)


@pytest.fixture
async def api(tmp_path: Path) -> AsyncIterator[Api]:
    """Serve a hub with one event that runs, and three players at table 7."""
    async with serving(tmp_path / "data") as room, using(room) as api:
        await api.do("event.create", event="", preset="star-brisbane-saturday")
        await api.do("clock.start")
        for seat in (1, 2, 3):
            await api.do("seat.put", player=f"p{seat}", table=7, seat=seat)
        yield api


# ── documents ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("topic", ["events", "t/1", "t/1/table/7", "t/1/tables"])
async def test_public_documents_need_no_token(api: Api, topic: str) -> None:
    """What hangs on the wall may be read by anybody, at the revision that the wall has."""
    wire = await api.room.dial()
    await wire.follow(topic)
    status, found = await api.document(topic)
    assert (status, found["topic"], found["rev"]) == (200, topic, wire.revs[topic])
    assert {**found["doc"], "now": 0}.keys() == {**wire.docs[topic], "now": 0}.keys()


@pytest.mark.parametrize("topic", ["hub", "t/1/floor", "t/1%2Ffloor", "t%2f1%2ffloor", "%68ub"])
async def test_private_documents_are_for_the_floor(api: Api, topic: str) -> None:
    """The floor's own topics are for the floor and the director, however they are spelled."""
    for token in (None, api.room.token(Badge("dealer", "", "1", 7))):
        status, found = await api.document(topic, token)
        assert (status, found["type"], found["code"]) == (403, "problem", "forbidden")
    for role in ("floor", "director"):
        status, found = await api.document(topic, api.room.token(Badge(role)))
        assert status == 200
        assert found["doc"]["now"]


@pytest.mark.parametrize(
    "topic", ["x", "t/9", "t/1/table/8", "t/1/x", "t/1/table/x", "..%2f..%2fetc", "%00", "t/%F0"]
)
async def test_an_unknown_topic_is_not_found(api: Api, topic: str) -> None:
    """What says nothing is not found, in words."""
    status, found = await api.document(topic)
    assert (status, found["code"]) == (404, "unknown_topic")


async def test_a_problem_is_told_without_deprecated_means(api: Api) -> None:
    """A problem is told with what the next version of the library still has."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (await api.document("x"))[0] == 404


@pytest.mark.parametrize("token", ["nobody's", "ключ", "x" * 4_000])
async def test_an_unknown_token_is_unauthorised(api: Api, token: str) -> None:
    """A token that is not known is refused, also where none is needed."""
    wire = token.encode().decode("latin-1")
    headers = {"Authorization": f"Bearer {wire}"}
    for method, path in (
        ("GET", f"{DOCUMENTS_PATH}events"),
        ("POST", COMMANDS_PATH),
        ("POST", "/api/v1/backups"),
    ):
        status, found = await api.ask(method, path, headers=headers)
        assert (status, found["code"]) == (401, "unauthorised")


async def test_another_scheme_is_unauthorised(api: Api) -> None:
    """The director's token counts as a bearer's and in no other way."""
    token = api.room.director
    for scheme, status in (("Bearer", 200), ("bearer", 200), ("Basic", 401), ("Token", 401)):
        headers = {"Authorization": f"{scheme} {token}"}
        assert (await api.ask("GET", f"{DOCUMENTS_PATH}hub", headers=headers))[0] == status
    assert (await api.ask("GET", f"{DOCUMENTS_PATH}hub?token={token}"))[0] == 403


# ── commands ─────────────────────────────────────────────────────────────────────────────────────


async def test_a_command_is_done(api: Api) -> None:
    """What is answered with 200 is durable, and seen."""
    status, found = await api.do("announce", text="Words", id_="a")
    assert (status, found["type"], found["id"], found["again"]) == (200, "done", "a", False)
    assert (await api.document("t/1"))[1]["doc"]["announcement"] == "Words"
    assert "a" in {stored.line.command for stored in api.room.hub.journal.read("1")}


REFUSALS: list[tuple[str, str, dict[str, Any], int, str]] = [
    ("9", "clock.pause", {}, 404, "unknown_event"),
    ("1", "action.next", {"table": 99}, 404, "unknown_table"),
    ("1", "action.next", {"table": "7"}, 422, "bad_value"),
    ("1", "no.such", {}, 422, "bad_value"),
    ("", "event.create", {"preset": "../x"}, 422, "bad_value"),
    ("1", "clock.start", {}, 409, "not_allowed"),
    ("1", "action.next", {"table": 7}, 409, "not_running"),
    ("1", "seat.put", {"player": "q", "table": 7, "seat": 1}, 409, "seat_taken"),
    ("1", "table.interrupt", {"table": 7}, 403, "forbidden"),
]


async def test_a_refusal_has_a_status(api: Api) -> None:
    """A refusal is said in HTTP's words too, and says which command it is about."""
    for event, do, args, status, code in REFUSALS:
        found, answer = await api.do(do, event=event, id_="mine", **args)
        assert (found, answer["code"], answer["id"]) == (status, code, "mine")
        assert answer["type"] == "refused"
        assert answer["text"]


async def test_who_may_not_command_is_forbidden(api: Api) -> None:
    """Nobody, a viewer and a dealer elsewhere are told 403; a dealer at the own table is not."""
    body = {"do": "hand.start", "event": "1", "args": {"table": 7}}
    own, other = (api.room.token(Badge("dealer", "", "1", table)) for table in (7, 8))
    for dealer in (own, other):
        await api.room.dial(dealer)  # each works its table
    for token in (None, api.room.token(Badge("viewer")), other):
        status, answer = await api.ask("POST", COMMANDS_PATH, token, json=body)
        assert (status, answer["code"]) == (403, "forbidden")
    assert (await api.ask("POST", COMMANDS_PATH, own, json=body))[0] == 200


async def test_a_dealer_whose_device_does_not_work_the_table_commands_nothing(api: Api) -> None:
    """A dealer's token is good while its device has the table, and not beside another's."""
    body = {"do": "hand.start", "event": "1", "args": {"table": 7}}
    first, second = (api.room.token(Badge("dealer", "", "1", 7)) for _ in range(2))
    taken = (409, "table_taken")
    status, answer = await api.ask("POST", COMMANDS_PATH, first, json=body)
    assert (status, answer["code"]) == taken  # it is not there
    await api.room.dial(first)
    await api.room.dial(second)
    status, answer = await api.ask("POST", COMMANDS_PATH, second, json=body)
    assert (status, answer["code"]) == taken
    assert (await api.ask("POST", COMMANDS_PATH, first, json=body))[0] == 200


async def test_the_same_id_is_never_done_twice(api: Api) -> None:
    """Sent again, also at the same moment, a command is done once and answered every time."""
    answers = await asyncio.gather(*(api.do("clock.add", ms=1_000, id_="same") for _ in range(5)))
    assert {status for status, _ in answers} == {200}
    assert len({answer["at"] for _, answer in answers}) == 1
    status, later = await api.do("clock.add", ms=1_000, id_="same")
    assert (status, later["again"], later["at"]) == (200, True, answers[0][1]["at"])
    lines = [s for s in api.room.hub.journal.read("1") if s.line.command == "same"]
    assert sum(b"command.accepted" in found.line.body for found in lines) == 1


async def test_an_id_belongs_to_its_token(api: Api) -> None:
    """Two scripts that count from 1 do not take each other's commands away."""
    tokens = [api.room.token(Badge("director", name)) for name in ("One", "Two")]
    for token in tokens:
        status, answer = await api.do("clock.add", ms=1_000, id_="1", token=token)
        assert (status, answer["again"]) == (200, False)


async def test_without_an_id_every_command_is_its_own(api: Api) -> None:
    """A command without an id is new every time."""
    answers = [await api.do("clock.add", ms=1_000) for _ in range(2)]
    assert [answer["again"] for _, answer in answers] == [False, False]
    assert answers[0][1]["id"] != answers[1][1]["id"]


async def test_a_refused_id_is_decided_anew(api: Api) -> None:
    """A refusal is not remembered: the same command may be right a moment later."""
    assert (await api.do("clock.resume", id_="r"))[0] == 409
    await api.do("clock.pause")
    status, answer = await api.do("clock.resume", id_="r")
    assert (status, answer["again"]) == (200, False)


async def test_an_id_is_known_after_a_restart(tmp_path: Path) -> None:
    """A script that never got its answer may ask a restarted hub."""
    for again in (False, True):
        async with serving(tmp_path) as room, using(room) as api:
            status, made = await api.do("event.create", event="", preset="apl", id_="make")
            assert (status, made["again"]) == (200, again)
            status, answer = await api.do("announce", text="x", id_="say")
            assert (status, answer["again"]) == (200, again)
            assert list(room.hub.desks) == ["1"]


BAD = {
    "nothing": b"",
    "not JSON": b"do it",
    "half": b'{"do": "clock.pause"',
    "a list": b"[]",
    "no command": b'{"event": "1"}',
    "an unknown field": b'{"do": "clock.pause", "event": "1", "more": 1}',
    "a number for words": b'{"do": 7}',
    "arguments that are a list": b'{"do": "clock.pause", "args": []}',
    "NaN": b'{"do": "clock.add", "event": "1", "args": {"ms": NaN}}',
    "a number without end": b'{"do": "clock.add", "event": "1", "args": {"ms": 1e999}}',
    "not UTF-8": b'{"do": "announce", "event": "1", "args": {"text": "\xff"}}',
    "half a surrogate": b'{"do": "announce", "event": "1", "args": {"text": "\\ud800"}}',
    "nested without end": b'{"do": "announce", "args": {"text": ' + b"[" * 60_000,
    "an empty id": b'{"do": "clock.pause", "event": "1", "id": ""}',
    "a long id": b'{"do": "clock.pause", "event": "1", "id": "' + b"x" * 65 + b'"}',
}


async def test_what_cannot_be_read_is_a_bad_request(api: Api) -> None:
    """A body that is no command is told what is wrong with it, and nothing happens."""
    lines = api.room.hub.journal.head()
    for what, body in BAD.items():
        status, answer = await api.ask("POST", COMMANDS_PATH, api.room.director, data=body)
        told = (status, answer["type"], answer["code"])
        assert told == (400, "problem", "bad_message"), what
        assert answer["text"], what
    assert api.room.hub.journal.head() == lines


async def test_a_form_is_no_command(api: Api) -> None:
    """A page elsewhere cannot command anything with a form: it has no token and is no JSON."""
    status, answer = await api.ask("POST", COMMANDS_PATH, data={"do": "clock.pause"})
    assert (status, answer["code"]) == (400, "bad_message")


@pytest.mark.parametrize("path", [COMMANDS_PATH, "/api/v1/backups"], ids=["commands", "backups"])
async def test_a_body_that_is_too_large_is_not_taken(api: Api, path: str) -> None:
    """More than 64 KiB are not read, packed or not; the next request is answered as ever."""
    if path == COMMANDS_PATH:
        huge = b'{"do": "announce", "args": {"text": "' + b"x" * MOST_BYTES + b'"}}'
        status, _ = await api.ask("POST", path, api.room.director, data=huge)
        assert status == 413
        packed = gzip.compress(b" " * (8 << 20) + b'{"do": "clock.pause", "event": "1"}')
        assert len(packed) < MOST_BYTES
        headers = {"Content-Encoding": "gzip"}
        status, _ = await api.ask("POST", path, api.room.director, data=packed, headers=headers)
        assert status in (400, 413, 415)
    else:
        status, _ = await api.ask("POST", path, data=b"x" * MOST_BYTES * 4)
        assert status in (403, 413)
    assert (await api.do("announce", text="Words"))[0] == 200


async def test_the_largest_body_is_taken(api: Api) -> None:
    """A body of exactly 64 KiB is read."""
    body = b'{"do": "clock.pause", "event": "1"}'.ljust(MOST_BYTES)
    status, answer = await api.ask("POST", COMMANDS_PATH, api.room.director, data=body)
    assert (status, answer["type"]) == (200, "done")


# ── methods and headers ──────────────────────────────────────────────────────────────────────────

PATHS = {
    "/healthz": "GET",
    "/api/v1/openapi.json": "GET",
    f"{DOCUMENTS_PATH}events": "GET",
    COMMANDS_PATH: "POST",
    "/api/v1/backups": "POST",
    "/": "GET",
    "/ws": "GET",
}


METHODS = {"PUT", "DELETE", "PATCH", "OPTIONS", "GET", "POST", "HEAD"}


@pytest.mark.parametrize("path", PATHS)
async def test_other_methods_are_not_allowed(api: Api, path: str) -> None:
    """A path knows one method, and says which; HEAD is a GET whose body is left out."""
    known = {PATHS[path]} | ({"HEAD"} if PATHS[path] == "GET" else set())
    for method in METHODS - known:
        response = await api.full(method, path, api.room.director)
        assert response.status == 405
        assert set(response.headers["Allow"].split(",")) == known
    if "HEAD" in known:
        response = await api.full("HEAD", path, api.room.director)
        assert response.status == (200 if path != "/ws" else 400)
        assert await response.read() == b""


Request = Callable[[Api], Coroutine[Any, Any, aiohttp.ClientResponse]]
REQUESTS: dict[str, tuple[int, Request]] = {
    "the front page": (200, lambda api: api.full("GET", "/")),
    "a script": (200, lambda api: api.full("GET", "/web/clock.js")),
    "no such script": (404, lambda api: api.full("GET", "/web/no.js")),
    "a folder": (404, lambda api: api.full("GET", "/web/")),
    "no such page": (404, lambda api: api.full("GET", "/no/such")),
    "the websocket without one": (400, lambda api: api.full("GET", "/ws")),
    "health": (200, lambda api: api.full("GET", "/healthz")),
    "the description": (200, lambda api: api.full("GET", "/api/v1/openapi.json")),
    "a document": (200, lambda api: api.full("GET", f"{DOCUMENTS_PATH}events")),
    "no document": (404, lambda api: api.full("GET", f"{DOCUMENTS_PATH}x")),
    "a forbidden document": (403, lambda api: api.full("GET", f"{DOCUMENTS_PATH}hub")),
    "an unknown token": (401, lambda api: api.full("GET", f"{DOCUMENTS_PATH}events", "x")),
    "a bad request": (400, lambda api: api.full("POST", COMMANDS_PATH, data=b"?")),
    "a wrong method": (405, lambda api: api.full("PUT", "/")),
    "too much": (413, lambda api: api.full("POST", COMMANDS_PATH, data=b"x" * 100_000)),
    "a refusal": (
        404,
        lambda api: api.full(
            "POST", COMMANDS_PATH, api.room.director, json={"do": "x", "event": "9"}
        ),
    ),
}


async def test_every_response_is_guarded(api: Api) -> None:
    """Every response, of a page or of an error, tells browsers to trust nothing but ourselves."""
    for what, (status, request) in REQUESTS.items():
        response = await request(api)
        assert response.status == status, what
        assert {name: response.headers.get(name) for name in HEADERS} == HEADERS, what
    policy = HEADERS["Content-Security-Policy"].split("; ")
    for part in ("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"):
        assert part in policy


async def test_a_fault_of_our_own_is_guarded(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even the answer to a fault that nobody thought of is guarded, and says nothing of it."""

    def broken(_topic: str) -> tuple[int, Any]:
        raise RuntimeError("the secret reason")

    monkeypatch.setattr(api.room.hub.press, "read", broken)
    response = await api.full("GET", f"{DOCUMENTS_PATH}events")
    assert response.status == 500
    assert "secret reason" not in await response.text()
    assert {name: response.headers.get(name) for name in HEADERS} == HEADERS


async def test_the_websockets_handshake_is_guarded(api: Api) -> None:
    """The websocket's own response has the same headers."""
    wire = await api.room.connect()
    assert wire.socket.response is not None
    found = wire.socket.response.headers
    assert {name: found.get(name) for name in HEADERS} == HEADERS


@pytest.mark.parametrize(
    "path",
    ["/web/../index.html", "/web/..%2f..%2f..%2fpyproject.toml", "/web/%2e%2e/%2e%2e/LICENSE"],
)
async def test_no_file_outside_the_pages_is_served(api: Api, path: str) -> None:
    """No spelling of a path leads out of the folder of pages."""
    answer = await api.room.http(
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode()
    )
    assert answer.split()[1] in (b"403", b"404")


async def test_a_foreign_host_is_not_answered(api: Api) -> None:
    """A name that somebody else has pointed at the hub (DNS rebinding) is not the hub's."""
    path = f"{DOCUMENTS_PATH}events"
    response = await api.full("GET", path, headers={"Host": "evil.example"})
    assert response.status in (403, 421)


async def test_a_page_from_elsewhere_cannot_open_the_websocket(api: Api) -> None:
    """A websocket that another site's page opens in somebody's browser is refused."""
    url = f"http://127.0.0.1:{api.room.port}/ws"
    with pytest.raises(aiohttp.WSServerHandshakeError):
        await api.http.ws_connect(url, origin="http://evil.example")


# ── health, trouble and backups ──────────────────────────────────────────────────────────────────


async def test_a_hub_that_is_well_says_so(api: Api) -> None:
    """Health is 200 with a word, the build, and how much there is."""
    await api.room.dial()
    status, found = await api.ask("GET", "/healthz")
    assert (status, found["status"], found["events"], found["clients"]) == (200, "ok", 1, 1)
    assert found["build"]
    assert abs(found["now"] - api.room.hub.time.now()) < 1_000


class _FullDisk:
    """Makes a journal's disk full, and free again."""

    def __init__(self, journal: SqliteJournal, monkeypatch: pytest.MonkeyPatch) -> None:
        self.full = True
        real = journal._transaction  # noqa: SLF001 - where a disk that is full would be noticed

        def transaction(jobs: Any) -> list[int]:
            if self.full:
                raise sqlite3.OperationalError("database or disk is full")
            return real(jobs)

        monkeypatch.setattr(journal, "_transaction", transaction)


async def test_a_hub_in_trouble_says_so_and_recovers(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without storage commands and health are 503; screens are told, also when it is over."""
    floor = await api.room.dial(api.room.token(Badge("floor")))
    await floor.follow("hub", "t/1")
    journal = api.room.hub.journal
    assert isinstance(journal, SqliteJournal)
    disk = _FullDisk(journal, monkeypatch)
    status, answer = await api.do("announce", text="Lost", id_="lost")
    assert (status, answer["code"]) == (503, "storage")
    await floor.until(lambda m: m.get("topic") == "hub" and m["doc"]["storage"])
    assert "full" in floor.docs["hub"]["storage"]
    status, found = await api.ask("GET", "/healthz")
    assert (status, found["status"]) == (503, "trouble")
    assert (await api.document("t/1"))[1]["doc"]["announcement"] is None
    disk.full = False
    await floor.until(lambda m: m.get("topic") == "hub" and not m["doc"]["storage"])
    assert (await api.ask("GET", "/healthz"))[0] == 200
    status, answer = await api.do("announce", text="Kept", id_="lost")
    assert (status, answer["again"]) == (200, False)
    assert verify(journal.read()) is None


async def test_a_backup_has_everything_that_was_acknowledged(api: Api) -> None:
    """A backup that is made while commands fly is whole, and has all that was answered before."""
    told: list[str] = []

    async def busy() -> None:
        for number in range(200):
            await api.do("announce", text=f"{number}", id_=f"b{number}")
            told.append(f"b{number}")

    running = asyncio.create_task(busy())
    for _ in range(5):
        before = set(told)
        status, found = await api.ask("POST", "/api/v1/backups", api.room.director)
        assert status == 200
        path = Path(found["path"])
        assert path.parent == (api.room.data / "backups").resolve()
        stored = list(read_file(path))
        assert verify(stored) is None
        assert before <= {line.line.command for line in stored}
    await running
    asked = (api.room.data / "backups").glob("railbird-asked-*.db")  # others make themselves
    assert len(list(asked)) == 5


async def test_a_backup_can_be_served(api: Api, tmp_path: Path) -> None:
    """A hub that is started on a backup shows the room as it was."""
    await api.do("announce", text="As it was")
    _, found = await api.ask("POST", "/api/v1/backups", api.room.director)
    data = tmp_path / "restored"
    data.mkdir()
    await asyncio.to_thread(shutil.move, found["path"], data / "railbird.db")
    async with serving(data) as room, using(room) as restored:
        _, document = await restored.document("t/1")
        assert document["doc"]["announcement"] == "As it was"
        assert room.hub.id == api.room.hub.id


@pytest.mark.parametrize("role", [None, "viewer", "dealer", "floor"])
async def test_backups_are_for_directors(api: Api, role: str | None) -> None:
    """Nobody but a director makes backups, which fill a disk."""
    token = None if role is None else api.room.token(Badge(role, "", "1", 7))
    status, found = await api.ask("POST", "/api/v1/backups", token)
    assert (status, found["code"]) == (403, "forbidden")
    assert not (api.room.data / "backups").exists()


async def test_a_backup_that_cannot_be_written_is_told(api: Api) -> None:
    """A backup that fails is 503 with the reason, and the room goes on."""
    await asyncio.to_thread((api.room.data / "backups").write_text, "in the way", "utf-8")
    status, found = await api.ask("POST", "/api/v1/backups", api.room.director)
    assert (status, found["code"]) == (503, "storage")
    assert (await api.do("announce", text="Words"))[0] == 200


# ── the description ──────────────────────────────────────────────────────────────────────────────


def _refs(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if "$ref" in node:
            yield node["$ref"]
        for value in node.values():
            yield from _refs(value)
    elif isinstance(node, list):
        for value in node:
            yield from _refs(value)


def test_every_reference_of_the_description_resolves() -> None:
    """Whatever the description refers to is in it."""
    described = openapi()
    found = set(_refs(described))
    assert found
    for ref in found:
        node = described
        assert ref.startswith("#/")
        for step in ref[2:].split("/"):
            node = node[step]
        assert node["title"] == ref.rpartition("/")[2]


def test_the_description_has_the_shape_of_openapi() -> None:
    """Every operation has a summary and responses, and every parameter of a path is described."""
    described = openapi()
    assert described["openapi"].startswith("3.1.")
    assert described["info"].keys() >= {"title", "version"}
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            assert method in ("get", "post")
            assert operation["summary"].endswith(".")
            assert operation["responses"]
            for status, response in operation["responses"].items():
                assert status.isdecimal()
                assert response["description"]
            named = {p["name"] for p in operation.get("parameters", ()) if p["in"] == "path"}
            assert named == {part[1:-1] for part in path.split("/") if part.startswith("{")}
            for needed in operation.get("security", ()):
                assert needed.keys() <= described["components"]["securitySchemes"].keys()


def test_every_command_is_in_the_description() -> None:
    """The description lists every command, and no other."""
    schemas = openapi()["components"]["schemas"]
    assert schemas["CommandRequest"]["properties"]["do"]["enum"] == sorted([*COMMANDS, *WISHES])


def test_the_description_in_docs_is_the_codes() -> None:
    """The description in docs/ is the one that the code gives."""
    made = json.dumps(openapi(), indent=1, sort_keys=True) + "\n"
    assert DESCRIPTION.read_text("utf-8") == made, REGENERATE


async def test_the_description_is_served(api: Api) -> None:
    """The hub gives the description to who asks."""
    status, found = await api.ask("GET", "/api/v1/openapi.json")
    assert (status, found) == (200, json.loads(json.dumps(openapi())))


@pytest.mark.parametrize(
    ("path", "method", "status"),
    [
        (COMMANDS_PATH, "post", "413"),
        (f"{DOCUMENTS_PATH}{{topic}}", "get", "401"),
        ("/api/v1/backups", "post", "401"),
    ],
)
def test_every_status_is_described(path: str, method: str, status: str) -> None:
    """Who reads the description knows every status that can come back."""
    assert status in openapi()["paths"][path][method]["responses"]
