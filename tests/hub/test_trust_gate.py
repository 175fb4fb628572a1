"""The gate: only the hub's own names and pages, and every response guarded."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.gate import Gate, host_of, is_loopback
from server.web import HEADERS
from tests.served import Room, serving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

OWN = socket.gethostname()


# ── names ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST:8080",
        "localhost.",
        "localhost.:8080",
        "127.0.0.1",
        "127.0.0.1:1",
        "192.168.1.20:8080",
        "[::1]",
        "[::1]:8080",
        "[FE80::1]:8080",
        OWN,
        OWN.upper(),
        f"{OWN}.local:8080",
        "poker.example",
        "Poker.Example.:443",
        "hub.venue.example:8443",
    ],
)
def test_own_names_are_known(host: str) -> None:
    """The hub is known by its addresses, its machine's name, and those that were set."""
    assert Gate(["poker.example"], "https://hub.venue.example:8443").knows(host)


@pytest.mark.parametrize(
    "host",
    [
        "",
        " ",
        ".",
        ":8080",
        "evil.example",
        "evil.example:8080",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "poker.example.evil.example",
        "notpoker.example",
        "poker.example@evil.example",
        "127.0.0.1@evil.example:8080",
        "localhost:8080@evil.example",
        "2130706433",
        "0x7f000001",
        "127.1",
        "0177.0.0.1",
        "::1",
        "[::1",
        "::1]",
        "[evil.example]",
        "poker.example\u3002",
        "xn--localhost-",
        "l\u00f6calhost",
        "local\u212aost",
    ],
)
def test_other_names_are_not(host: str) -> None:
    """A name that another site could have is not answered, however it is dressed up."""
    assert not Gate(["poker.example"]).knows(host)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example@localhost",
        "localhost/.evil.example",
        "localhost#x",
        "localhost?x",
        "a:b@[::1]",
        "[::1].evil.example",
    ],
)
def test_a_host_is_a_name_and_a_port_and_nothing_else(host: str) -> None:
    """What no browser would send as a Host is refused and not interpreted."""
    assert not Gate().knows(host)


@pytest.mark.parametrize("url", ["hub.venue.example", "hub.venue.example:8080", "/", ""])
def test_an_url_that_is_none_opens_nothing(url: str) -> None:
    """A mistake in the setting does not let a request without a Host in."""
    assert not Gate(url=url).knows("")


@given(st.text(max_size=40))
def test_any_host_is_answered(host: str) -> None:
    """No Host header breaks the gate, and an unknown name is never taken for a known one."""
    gate = Gate(["poker.example"])
    known = gate.knows(host)
    if not any(mark in host for mark in "@/?#\\"):
        assert not known or host_of(host) != ""
    gate.knows(f"[{host}]:1")


@pytest.mark.parametrize("host", ["[", "[::1", "a]b", "[v1.x]", "//[", "\u2100", "a\u2100b"])
def test_a_broken_host_is_unknown(host: str) -> None:
    """What cannot be read as a name is no name of the hub's."""
    assert not Gate().knows(host)


# ── origins ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        (None, "hub:8080"),
        ("http://hub:8080", "hub:8080"),
        ("https://hub", "hub"),
        ("http://HUB:8080", "hub:8080"),
        ("http://[::1]:8080", "[::1]:8080"),
    ],
)
def test_own_pages_and_programs_come_in(origin: str | None, host: str) -> None:
    """The hub's own pages may speak to it, and so may what is no browser."""
    assert Gate().is_own(origin, host)


@pytest.mark.parametrize(
    "origin",
    [
        "",
        "null",
        "http://evil.example",
        "http://hub:8081",
        "http://hub",
        "http://hub:80801",
        "http://hub:8080.evil.example",
        "http://evil.example:8080",
        "http://evil-hub:8080",
        "http://hub.evil.example:8080",
        "http://evil.example/hub:8080",
        "http://evil.example#hub:8080",
        "http://evil.example?hub:8080",
        "http://hub:8080@evil.example",
        "http://user@hub:8080",
        "ws://hub:8080",
        "file://hub:8080",
        "chrome-extension://hub:8080",
        "hub:8080",
        "//hub:8080",
        "javascript://hub:8080",
        "http:hub:8080",
        "http:///hub:8080",
        "http://hub:8080 http://evil.example",
    ],
)
def test_other_origins_do_not(origin: str) -> None:
    """No page of another site, port or scheme may speak to the hub."""
    assert not Gate().is_own(origin, "hub:8080")


def test_a_page_of_the_other_scheme_is_another_origin() -> None:
    """`http://hub` is port 80, where anybody in between can put a page; `hub` is served by TLS."""
    gate = Gate(url="https://hub")
    assert gate.is_own("https://hub", "hub")
    assert not gate.is_own("http://hub", "hub")


@pytest.mark.parametrize("origin", ["http://[", "http://]", "http://[x]", "http://\u2100"])
def test_a_broken_origin_is_not_ours(origin: str) -> None:
    """An Origin that cannot be read is refused, without a fault."""
    assert not Gate().is_own(origin, "hub:8080")


@pytest.mark.parametrize(
    ("address", "here"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("::1%lo", True),
        ("10.0.0.1", False),
        ("::ffff:10.0.0.1", False),
        ("fe80::1%eth0", False),
        ("0.0.0.0", False),  # noqa: S104 - asked about, not bound to
        ("", False),
        ("localhost", False),
        ("127.0.0.1 ", False),
    ],
)
def test_who_is_on_this_machine(address: str, here: bool) -> None:
    """Only loopback addresses are, in every way in which they are written."""
    assert is_loopback(address) is here


# ── on a real socket ─────────────────────────────────────────────────────────────────────────────


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    """Serve a hub."""
    async with serving(tmp_path / "data") as room:
        yield room


async def _ask(room: Room, line: str, *headers: str, body: str = "") -> tuple[int, dict[str, str]]:
    """Send a request as it is, and give the status and the headers."""
    lines = [line, *headers, "Connection: close", f"Content-Length: {len(body)}", "", body]
    found = await room.http("\r\n".join(lines).encode("utf-8", "surrogateescape"))
    status, *rest = found.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    return int(status.split()[1]), dict(header.split(": ", 1) for header in rest)


UPGRADE = (
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: cmFpbGJpcmQtLS0tLS0tLQ==",
)


async def test_every_response_has_the_headers(room: Room) -> None:
    """Pages, answers, refusals and mistakes are all guarded by the same headers."""
    host = f"Host: 127.0.0.1:{room.port}"
    asked = {
        ("GET / HTTP/1.1", host): 200,
        ("HEAD / HTTP/1.1", host): 200,
        ("GET /healthz HTTP/1.1", host): 200,
        ("GET /metrics HTTP/1.1", host): 200,
        ("GET /api/v1/openapi.json HTTP/1.1", host): 200,
        ("GET /api/v1/documents/events HTTP/1.1", host): 200,
        ("GET /api/v1/documents/hub HTTP/1.1", host): 403,
        ("GET /api/v1/documents/nothing HTTP/1.1", host): 404,
        ("GET /api/v1/documents/events HTTP/1.1", host, "Authorization: Bearer x"): 401,
        ("GET /nowhere HTTP/1.1", host): 404,
        ("GET /web/../server/web.py HTTP/1.1", host): 404,
        ("DELETE / HTTP/1.1", host): 405,
        ("POST /api/v1/commands HTTP/1.1", host): 400,
        ("POST /api/v1/backups HTTP/1.1", host): 403,
        ("GET / HTTP/1.1", "Host: evil.example"): 421,
        ("GET /ws HTTP/1.1", "Host: evil.example", *UPGRADE): 421,
        ("GET /healthz HTTP/1.1", "Host: "): 421,
        ("GET / HTTP/1.1", host, "Origin: http://evil.example"): 403,
        ("GET / HTTP/1.1", host, "Origin: null"): 403,
        ("GET /ws HTTP/1.1", host): 400,
    }
    for (line, *headers), status in asked.items():
        found, told = await _ask(room, line, *headers)
        assert (line, headers, found) == (line, headers, status)
        assert HEADERS.items() <= told.items(), (line, headers, told)
        assert "Access-Control-Allow-Origin" not in told


def test_the_policy_is_as_promised() -> None:
    """Nothing is loaded, framed or sent elsewhere, and no script runs that is no file of ours."""
    parts = HEADERS["Content-Security-Policy"].split(";")
    policy = dict(part.strip().split(" ", 1) for part in parts)
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert policy["frame-ancestors"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["worker-src"] == "'self'"
    assert set(policy["connect-src"].split()) <= {"'self'", "ws:", "wss:"}
    assert not any("unsafe" in value or "*" in value for value in policy.values())


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1", "ws://x"]
)
async def test_a_foreign_page_gets_no_websocket(room: Room, origin: str) -> None:
    """The handshake is refused before anybody is counted or listened to."""
    host = f"Host: 127.0.0.1:{room.port}"
    status, _ = await _ask(room, "GET /ws HTTP/1.1", host, f"Origin: {origin}", *UPGRADE)
    assert status == 403
    assert room.hub.visitors == set()


async def test_a_broken_origin_is_refused_on_the_wire(room: Room) -> None:
    """A header that cannot be read is the sender's mistake, not the hub's."""
    host = f"Host: 127.0.0.1:{room.port}"
    status, _ = await _ask(room, "GET /healthz HTTP/1.1", host, "Origin: http://[")
    assert status == 403


async def test_two_hosts_are_one_too_many(room: Room) -> None:
    """A request with two Host headers is not answered for either of them."""
    own, evil = f"Host: 127.0.0.1:{room.port}", "Host: evil.example"
    for headers in ((own, evil), (evil, own)):
        status, _ = await _ask(room, "GET /healthz HTTP/1.1", *headers)
        assert status in (400, 421)
