"""Limits on a real socket: too many, too slow, and those who never read."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest
from websockets.exceptions import InvalidStatus

from server import fanout, visitor, web
from server.access import Badge
from server.config import Config, Limits
from server.serve import served
from tests.served import PATIENCE, Bare, Room, masked, serving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


@asynccontextmanager
async def _room(data: Path, **limits: int) -> AsyncIterator[Room]:
    """Serve a hub with limits."""
    config = Config(data=str(data), port=0, presets=str(data), limits=Limits(**limits))
    async with served(config) as found:
        room = Room(found, data)
        async with room.guests:
            yield room


async def _knock(room: Room) -> int:
    """Try to open a websocket; give the status of the refusal, or 101."""
    try:
        await room.connect()
    except InvalidStatus as refused:
        response = refused.response
    else:
        return 101
    assert response.headers["Retry-After"] == "5"
    assert all(response.headers[name] == value for name, value in web.HEADERS.items())
    return response.status_code


# ── too many ─────────────────────────────────────────────────────────────────────────────────────


async def test_connections_are_limited_in_all(tmp_path: Path) -> None:
    """One connection too many is refused with a 503, and taken when another has gone."""
    async with _room(tmp_path / "data", connections=3) as room:
        first = [await room.dial() for _ in range(3)]
        assert await _knock(room) == 503
        await first[0].socket.close()
        async with asyncio.timeout(PATIENCE):
            while len(room.hub.visitors) == 3:
                await first[1].settled()
        assert await _knock(room) == 101


async def test_strangers_are_limited(tmp_path: Path) -> None:
    """Who has not said hello takes a place of few; who has is not in the way."""
    async with _room(tmp_path / "data", strangers=2) as room:
        for _ in range(4):
            await room.dial()
        assert [await _knock(room) for _ in range(3)] == [101, 101, 503]


async def test_strangers_who_come_at_once_are_limited(tmp_path: Path) -> None:
    """A limit holds also against connections that are opened in the same instant."""
    async with _room(tmp_path / "data", strangers=5) as room:
        found = await asyncio.gather(*(_knock(room) for _ in range(40)))
        assert found.count(101) == 5
        assert found.count(503) == 35


async def test_one_address_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One address has so many connections and no more, if it is not the hub's own machine."""
    async with _room(tmp_path / "data", per_address=2) as room:
        assert [await _knock(room) for _ in range(3)] == [101, 101, 101]
        monkeypatch.setattr("server.limits.is_loopback", lambda _: False)
        assert await _knock(room) == 503
        url = f"http://127.0.0.1:{room.port}/healthz"  # pages and the API are not in the way
        async with aiohttp.request("GET", url) as response:
            assert response.status == 200


async def _silent(room: Room, number: int) -> list[Bare]:
    """Open connections that say nothing."""
    return [await _raw(room, b"") for _ in range(number)]


async def test_connections_that_only_stand_there_are_limited(tmp_path: Path) -> None:
    """Nobody can open more than there is room for; who was there first is served as ever."""
    async with _room(tmp_path / "data", connections=4) as room:
        assert room.hub.porch.total == 21
        first = await room.dial()
        silent = await _silent(room, 30)
        async with asyncio.timeout(PATIENCE):
            for one_too_many in silent[20:]:
                assert await one_too_many.over() == b""
            await first.settled()
            assert room.hub.porch.inside == 21
            assert room.hub.porch.refused == 10
            for one in silent:
                one.writer.close()
            while room.hub.porch.inside > 1:
                await first.settled()
        assert await _knock(room) == 101


async def test_one_address_cannot_fill_the_porch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One address has so many plain connections and no more; this machine is not held to it."""
    async with _room(tmp_path / "data", per_address=2) as room:
        first = await room.dial()
        await _silent(room, 25)
        await first.settled()
        assert room.hub.porch.refused == 0
        monkeypatch.setattr("server.limits.is_loopback", lambda _: False)
        (one_too_many,) = await _silent(room, 1)
        assert await one_too_many.over() == b""
        assert room.hub.porch.refused == 1


# ── too slow ─────────────────────────────────────────────────────────────────────────────────────


async def _raw(room: Room, data: bytes) -> Bare:
    reader, writer = await asyncio.open_connection("127.0.0.1", room.port)
    room.guests.callback(writer.close)
    writer.write(data)
    return Bare(reader, writer)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GET",
        b"GET / HTTP/1.1\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 2_000,
    ],
)
async def test_slow_headers_end_the_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    """Who does not say in time what it wants is let go of."""
    monkeypatch.setattr(web, "KEEP_ALIVE", 0.1)
    async with serving(tmp_path / "data") as room:
        slow = await _raw(room, data)
        async with asyncio.timeout(PATIENCE):
            assert not (await slow.over()).startswith(b"HTTP/1.1 200")


async def test_headers_that_trickle_end_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A byte now and then does not keep a connection open for ever."""
    monkeypatch.setattr(web, "KEEP_ALIVE", 0.2)
    async with serving(tmp_path / "data") as room:
        slow = await _raw(room, b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        loop = asyncio.get_running_loop()

        def trickle() -> None:
            if not slow.writer.is_closing():  # by nothing else than the hub does it end
                slow.write(b"x")
                loop.call_later(0.02, trickle)

        trickle()
        await slow.over()


async def test_an_idle_connection_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection that asked once and nothing more is let go of."""
    monkeypatch.setattr(web, "KEEP_ALIVE", 0.1)
    async with serving(tmp_path / "data") as room:
        idle = await _raw(room, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        async with asyncio.timeout(PATIENCE):
            assert (await idle.over()).startswith(b"HTTP/1.1 200")


async def test_a_slow_body_ends_the_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who announces a body and does not send it is let go of like who sends no headers."""
    monkeypatch.setattr("server.api.BODY_WITHIN", 0.1)
    async with serving(tmp_path / "data") as room:
        slow = await _raw(
            room,
            b"POST /api/v1/commands HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{",
        )
        async with asyncio.timeout(PATIENCE):
            await slow.over()


async def test_the_api_has_a_rate_too(tmp_path: Path) -> None:
    """A viewer that sends a hundred commands at once by HTTP is told to slow down."""
    async with _room(tmp_path / "data") as room, aiohttp.ClientSession() as http:
        url, found = f"http://127.0.0.1:{room.port}/api/v1/commands", set()
        for _ in range(100):
            async with http.post(url, json={"do": "clock.start", "event": "1"}) as response:
                found.add(response.status)
        assert 429 in found


async def test_who_never_says_hello_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A websocket without a hello is told why, and closed."""
    monkeypatch.setattr(visitor, "HELLO_WITHIN", 100)
    async with serving(tmp_path / "data") as room:
        wire = await room.connect()
        assert (await wire.over())[-1]["reason"] == "no hello in time"


async def test_who_is_shown_out_and_does_not_read_is_let_go_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A revoked device that takes nothing any more is closed when its last words have had time."""
    assert web.LAST_WORDS <= 1.0
    monkeypatch.setattr(web, "LAST_WORDS", 0.1)
    async with serving(tmp_path / "data") as room:
        director = await room.dial(room.director)
        token = room.token(Badge("director", "Dora"))
        stalled = await room.bare(hello=False)
        stalled.write(masked(json.dumps({"type": "hello", "version": 1, "token": token}).encode()))
        await stalled.text(lambda found: found["type"] == "welcome")
        (ours,) = (v for v in room.hub.visitors if v.device != "console")
        stalled.writer.transport.pause_reading()
        waiting = ours.client.outlet.get_write_buffer_size
        async with asyncio.timeout(PATIENCE):
            while not waiting():
                stalled.write(masked(b'{"type":"probe","sent":1}') * 200)
                await director.settled()
            await director.done("device.revoke", event="", device=ours.device)
            assert room.hub.visitors_of(ours.device) == []
            while waiting():
                await director.settled()
        stalled.writer.transport.resume_reading()
        await stalled.over()


async def test_who_never_reads_its_own_answers_is_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody who asks and asks and reads nothing does not fill the hub's memory."""
    monkeypatch.setattr(fanout, "BEHIND_MS", 0)
    async with serving(tmp_path / "data") as room:
        healthy = await room.dial()
        greedy = await room.bare()
        greedy.writer.transport.pause_reading()
        probe = masked(json.dumps({"type": "probe", "sent": 1 << 52}).encode())
        try:
            async with asyncio.timeout(PATIENCE):
                while len(room.hub.visitors) == 2:
                    greedy.write(probe * 500)
                    await healthy.settled()
        except ConnectionError:
            pass
        sizes = [v.client.outlet.get_write_buffer_size() for v in room.hub.visitors]
        assert max(sizes) < 1 << 20
        assert await healthy.settled() == []


async def test_a_flood_on_the_wire_ends_only_itself(tmp_path: Path) -> None:
    """A viewer that floods is shown out; a dealer's console next to it is answered throughout."""
    async with _room(tmp_path / "data") as room:
        dealer: Any = await room.dial(room.token(Badge("dealer", "Dan", "1", 7)))
        flood = await room.bare()
        flood.write(masked(b'{"type":"probe","sent":1}') * 2_000)
        for _ in range(10):
            await dealer.settled()
        await flood.over()
        assert [v.badge.role for v in room.hub.visitors] == ["dealer"]


# ── what is no HTTP, or HTTP that means harm ─────────────────────────────────────────────────────

POST = b"POST /api/v1/commands HTTP/1.1\r\nHost: localhost\r\n"
UPGRADE = b"GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
ABUSE = {
    "noise": bytes(range(256)) * 4,
    "tls to plain": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"x" * 300,
    "an endless line": b"GET /" + b"a" * 100_000,
    "an endless header": b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 100_000,
    "headers without end": b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 20_000,
    "two lengths": POST + b"Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}",
    "length and chunks": POST
    + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET",
    "a length below nothing": POST + b"Content-Length: -1\r\n\r\n{}",
    "a length in words": POST + b"Content-Length: many\r\n\r\n{}",
    "a body that is too large": POST + b"Content-Length: 9000000\r\n\r\n" + b"x" * 200_000,
    "a chunk without end": POST + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
    "a zero in a header": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n",
    "a folded header": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n",
    "a line that ends early": b"GET /healthz HTTP/1.1\nHost: localhost\n\n",
    "no version": b"GET /healthz\r\n\r\n",
    "another version": b"GET /healthz HTTP/9.9\r\nHost: localhost\r\n\r\n",
    "a proxy's request": b"CONNECT bank.example:443 HTTP/1.1\r\nHost: bank.example\r\n\r\n",
    "a path upwards": b"GET /web/../../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a path upwards in disguise": b"GET /web/%2e%2e%2f%2e%2e%2fpyproject.toml HTTP/1.1\r\n"
    b"Host: localhost\r\n\r\n",
    "a zero in a path": b"GET /web/wall.js%00.css HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a websocket without a key": UPGRADE + b"Sec-WebSocket-Version: 13\r\n\r\n",
    "a websocket of old": UPGRADE + b"Sec-WebSocket-Version: 8\r\nSec-WebSocket-Key: x\r\n\r\n",
    "a websocket by post": UPGRADE.replace(b"GET", b"POST") + b"\r\n",
}


@pytest.mark.parametrize("data", ABUSE.values(), ids=ABUSE)
async def test_what_is_no_honest_request_is_refused_and_ends_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    """Nothing is done, nothing is given away, the connection ends, and the others go on."""
    monkeypatch.setattr(web, "KEEP_ALIVE", 0.3)
    monkeypatch.setattr("server.api.BODY_WITHIN", 0.3)
    async with serving(tmp_path / "data") as room:
        director = await room.dial(room.director)
        lines = room.hub.last_line
        said = await room.http(data + b"\r\n\r\n")
        head = said.split(b"\r\n", 1)[0]
        assert not head or head.split(b" ")[1] not in (b"101", b"500")
        if not data.startswith(b"GET /healthz"):
            assert b" 200 " not in head
        assert not any(secret in said for secret in (b"root:", b"[project]", b"Traceback"))
        assert room.hub.last_line == lines
        assert await director.settled() == []
