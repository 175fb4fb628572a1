"""Bombs over real sockets: what a request may cost, and what it may never delay."""

from __future__ import annotations

import asyncio
import gzip
import logging
import threading
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest
from aiohttp import web as aiohttp_web

from server import api, papers, request_threads, sheets
from server.request_threads import MOST, THREADS, Busy, RequestThreads
from tests.hub.test_trust_sockets import ABUSE, POST
from tests.served import PATIENCE, serving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.served import Room

STRUCTURE = "/api/v1/structure"
MOST_BYTES = api.MOST_BYTES
BOMBS = {
    "dotted key": ("toml", b"a" + b".a" * ((MOST_BYTES - 8) // 2) + b" = 1"),
    "long head": ("toml", b"[" + b"a." * 10_000 + b"a]\n" + b"b.c = 1\n" * 5_000),
    "deep lists": ("toml", b"a = " + b"[" * 60_000),
    "digits": ("toml", b"a = " + b"9" * 60_000),
    "commas": ("csv", b"," * MOST_BYTES),
    "empty rows": ("csv", b"\n" * MOST_BYTES),
    "a cell of colours": ("csv", b"phase,colour_up\nbreak," + b"1 " * 30_000),
    "an open quote": ("csv", b'phase\n"' + b"x\n" * 30_000),
}


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    """Serve a hub with one event."""
    async with serving(tmp_path / "data") as room:
        director = await room.dial(room.director)
        await director.done("event.create", event="", preset="selkirk-main")
        yield room


@pytest.fixture
async def http(room: Room) -> AsyncIterator[aiohttp.ClientSession]:
    """Speak http as the director."""
    headers = {"Authorization": f"Bearer {room.director}"}
    base, patience = f"http://127.0.0.1:{room.port}", aiohttp.ClientTimeout(PATIENCE)
    async with aiohttp.ClientSession(base, headers=headers, timeout=patience) as session:
        yield session


async def _send(
    http: aiohttp.ClientSession, kind: str, body: bytes, **more: str
) -> tuple[int, Any]:
    path = f"{STRUCTURE}?format={kind}"
    async with http.post(path, data=body, headers=more) as answer:
        return answer.status, await answer.json()


# ── texts ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("kind", "body"), BOMBS.values(), ids=BOMBS)
async def test_bombs_are_refused_and_the_room_goes_on(
    room: Room, http: aiohttp.ClientSession, kind: str, body: bytes
) -> None:
    """Eight at once are refused in words, and a command that comes after them is carried out."""
    director = await room.dial(room.director)
    answers = [asyncio.create_task(_send(http, kind, body)) for _ in range(8)]
    await director.done("clock.start", event="1")
    for status, problem in await asyncio.gather(*answers):
        assert (status, problem["code"]) == (422, "bad_value"), problem
        assert len(problem["text"]) < 500


@pytest.mark.parametrize(
    "args",
    [b"[" * 30_000, b'{"a":' * 10_000, b"9" * 60_000, b"1e" + b"9" * 60_000, b"0." + b"7" * 60_000],
    ids=["lists", "objects", "digits", "an exponent", "decimals"],
)
async def test_json_bombs_are_refused(http: aiohttp.ClientSession, args: bytes) -> None:
    """A command whose arguments have no end is not understood, or wrong."""
    body = b'{"do":"clock.start","event":"1","args":{"a":' + args + b"}}"
    async with http.post("/api/v1/commands", data=body) as answer:
        assert answer.status in (400, 409, 422)
        assert (await answer.json())["code"] in ("bad_message", "bad_value", "not_allowed")


@pytest.mark.parametrize("squeezed", ["gzip", "deflate", "br", "GZIP, identity"])
@pytest.mark.parametrize("path", ["/api/v1/commands", STRUCTURE, "/healthz"])
async def test_a_squeezed_body_is_not_taken(
    http: aiohttp.ClientSession, path: str, squeezed: str
) -> None:
    """A few kilobytes that would fill the memory are refused as they are."""
    body = gzip.compress(b"#" * (64 << 20))
    async with http.post(path, data=body, headers={"Content-Encoding": squeezed}) as answer:
        assert answer.status == 415
        assert (await answer.json())["text"] == "Send the body as it is, not squeezed."


async def test_a_form_is_no_structure(http: aiohttp.ClientSession) -> None:
    """Nothing takes a form apart: its many parts are one text that is wrong."""
    part = b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    status, problem = await _send(http, "toml", part * 1_000 + b"--x--", **kind)
    assert (status, problem["code"]) == (422, "bad_value")


# ── threads ──────────────────────────────────────────────────────────────────────────────────────


class Held:
    """Work that goes on until it is told to end."""

    def __init__(self) -> None:
        self.begun, self.go_on = threading.Semaphore(0), threading.Event()

    def __call__(self, *_: Any) -> Any:
        """Begin, and go on."""
        self.begun.release()
        assert self.go_on.wait(6 * PATIENCE)
        return sheets.build(sheets.Structure, {"steps": [{"small": 1, "big": 2, "minutes": 9}]})


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Held:
    """Make reading a structure go on for ever."""
    held = Held()
    monkeypatch.setattr(sheets, "read", held)
    return held


async def test_who_asks_too_much_is_told_so_and_the_room_goes_on(
    room: Room, http: aiohttp.ClientSession, held: Held
) -> None:
    """Beyond so many the answer is 503 at once; commands, pages and backups need no such thread."""
    director = await room.dial(room.director)
    asked = [asyncio.create_task(_send(http, "toml", b"")) for _ in range(MOST + 1)]
    for done in asyncio.as_completed(asked):
        status, problem = await done
        break
    assert (status, problem["code"]) == (503, "busy")
    assert problem["text"] == request_threads.BUSY
    await director.done("clock.start", event="1")
    async with http.get("/wall") as answer:
        assert answer.status == 200
    async with http.post("/api/v1/backups") as answer:
        assert answer.status == 200
    async with http.get("/api/v1/journal") as answer:
        assert (answer.status, answer.headers["Retry-After"]) == (503, "2")
    held.go_on.set()
    assert sorted(status for status, _ in await asyncio.gather(*asked)) == [200] * MOST + [503]


async def test_a_stop_does_not_wait_for_a_request(tmp_path: Path, held: Held) -> None:
    """A hub that is told to stop lets go of what is asked of it, also of an event's making."""
    headers: dict[str, str] = {}
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(PATIENCE)) as http:
        async with serving(tmp_path / "data") as room:
            headers["Authorization"] = f"Bearer {room.director}"
            url = f"http://127.0.0.1:{room.port}{STRUCTURE}"
            asked = [asyncio.create_task(_status(http, url, headers)) for _ in range(THREADS)]
            for _ in asked:
                assert await asyncio.to_thread(held.begun.acquire, timeout=PATIENCE)
            director = await room.dial(room.director)
            create = {"do": "event.create", "args": {"preset": "selkirk-main"}}
            await director.say("do", id="c", event="", **create)
            await director.settled()  # the hub has begun to make it
            began = asyncio.get_running_loop().time()
        assert asyncio.get_running_loop().time() - began < PATIENCE
        held.go_on.set()
        assert set(await asyncio.gather(*asked)) <= {503, None}


async def _status(http: aiohttp.ClientSession, url: str, headers: dict[str, str]) -> int | None:
    try:
        async with http.post(url, headers=headers) as answer:
            return answer.status
    except aiohttp.ClientError:
        return None


async def test_who_hangs_up_leaves_its_place() -> None:
    """A place is free again when whoever waited has gone, and a stop is told to who still waits."""
    threads, held = RequestThreads(), Held()
    asked = [asyncio.create_task(threads.run(held)) for _ in range(MOST)]
    await asyncio.sleep(0)
    with pytest.raises(Busy, match="wait a moment"):
        await threads.run(int)
    asked[-1].cancel()
    await asyncio.gather(asked[-1], return_exceptions=True)
    more = asyncio.create_task(threads.run(held))
    await asyncio.sleep(0)
    threads.stop()
    found = await asyncio.gather(*asked[:-1], more, return_exceptions=True)
    assert [str(each) for each in found] == [request_threads.STOPPING] * MOST
    with pytest.raises(Busy, match="restarted"):
        await threads.run(int)
    held.go_on.set()


async def test_exports_are_few_at_once(
    http: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One export too many is refused with words, and counts no longer when it is over."""
    monkeypatch.setattr(papers, "MOST_EXPORTS", 1)
    for _ in range(2):
        async with http.get("/api/v1/export") as answer:
            assert answer.status == 200
            assert (await answer.text()).startswith("line,event,")
    monkeypatch.setattr(papers, "MOST_EXPORTS", 0)
    async with http.get("/api/v1/export") as answer:
        assert (answer.status, (await answer.json())["code"]) == (503, "busy")


async def test_the_description_is_made_once(
    http: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everybody is given the same bytes."""
    made: list[dict[str, Any]] = []
    whole = api.openapi
    monkeypatch.setattr(api, "openapi", lambda: made.append(whole()) or made[-1])
    api._described.cache_clear()  # noqa: SLF001 - as in a hub that has just started
    for _ in range(3):
        async with http.get("/api/v1/openapi.json") as answer:
            assert await answer.json() == whole()
    assert len(made) == 1
    api._described.cache_clear()  # noqa: SLF001


# ── what is no request ───────────────────────────────────────────────────────────────────────────

BROKEN = {
    **ABUSE,
    "a port that is none": b"GET /qr.svg?to=/phone HTTP/1.1\r\nHost: localhost:99999\r\n\r\n",
    "an address that is none": b"GET http://[::1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
async def test_what_is_no_request_is_told_in_a_quiet_line(
    room: Room, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    """A scanner gets a status below 500, and writes neither a traceback nor an error."""
    monkeypatch.setattr("server.api.BODY_WITHIN", 0.3)
    caplog.set_level(logging.DEBUG)
    said = await room.http(data + b"\r\n\r\n")
    assert not said or said.split(b" ", 2)[1] < b"500"
    loud = [r for r in caplog.records if r.levelno > logging.INFO and r.name != "asyncio"]
    assert [record.getMessage() for record in loud] == []
    told = [r for r in caplog.records if r.levelno == logging.INFO and r.exc_info]
    assert told == []


async def test_a_request_that_breaks_off_is_no_error(
    room: Room, caplog: pytest.LogCaptureFixture
) -> None:
    """Who hangs up in the middle of a body leaves no traceback."""
    _, writer = await asyncio.open_connection("127.0.0.1", room.port)
    writer.write(POST + b"Content-Length: 50\r\n\r\n{")
    await writer.drain()
    wall = await room.dial()
    await wall.settled()  # by now the hub has begun to read
    writer.transport.abort()
    await wall.settled()
    assert [record for record in caplog.records if record.levelno > logging.INFO] == []


async def test_the_line_says_who_and_why(room: Room, caplog: pytest.LogCaptureFixture) -> None:
    """The reason is short, whatever was sent."""
    caplog.set_level(logging.INFO)
    await room.http(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 9_000 + b"\r\n\r\n")
    (record,) = [record for record in caplog.records if record.getMessage() == "bad request"]
    fields = record.fields  # type: ignore[attr-defined]
    assert (fields["address"], fields["kind"]) == ("127.0.0.1", "LineTooLong")
    assert fields["reason"].startswith("Got more than 8190 bytes")
    assert len(fields["reason"]) <= 120


async def test_our_own_errors_keep_their_traceback(
    room: Room, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What goes wrong in the hub's own code is told as loudly as ever."""

    def broken(*_: Any) -> aiohttp_web.Response:
        raise RuntimeError("ours")

    monkeypatch.setattr("server.metrics.exposition", broken)
    monkeypatch.setattr(api, "exposition", broken)
    said = await room.http(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    assert said.startswith(b"HTTP/1.1 500 ")
    (record,) = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert record.exc_info is not None
    assert str(record.exc_info[1]) == "ours"
