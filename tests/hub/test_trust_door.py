"""The door: the director's link, the console's token, who may watch, and plain http."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest

from server import api, web
from server.access import Badge
from server.config import Config, Limits
from server.serve import served
from tests.hub.test_trust_kit import Guest, asks, guest, paired
from tests.rig import Rig
from tests.served import PATIENCE, Room, serving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

DIRECTOR = Badge("director", "Dora")
TOPICS = ("events", "t/1", "t/1/table/7", "t/1/tables", "t/1/lease/7")


@asynccontextmanager
async def _room(data: Path, **settings: Any) -> AsyncIterator[Room]:
    """Serve a hub with settings."""
    config = Config(data=str(data), port=0, presets=str(data), **settings)
    async with served(config) as found:
        room = Room(found, data)
        async with room.guests:
            yield room


async def _http(
    room: Room, method: str, path: str, token: str = "", **more: Any
) -> tuple[int, str]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    url = f"http://127.0.0.1:{room.port}{path}"
    async with (
        asyncio.timeout(PATIENCE),
        aiohttp.request(method, url, headers=headers, **more) as response,
    ):
        return response.status, await response.text()


# ── the director's link ──────────────────────────────────────────────────────────────────────────


def test_the_link_lets_one_director_in_once() -> None:
    """The first to bring the link's secret is a director with a token; the second is nobody."""
    with Rig() as rig:
        secret = rig.hub.reception.invite()
        first = Guest(rig).hello(secret, kind="laptop")
        assert first.welcome["role"] == "director"
        (admitted,) = first.of("admitted")
        assert admitted["token"] != secret
        assert first.said.index(admitted) < first.said.index(first.welcome)
        second = Guest(rig).hello(secret)
        assert second.codes() == ["unauthorised"]
        assert second.closed
        first.done("staff.add", name="Ann", pin="4711")
        again = Guest(rig).hello(admitted["token"])
        assert again.visitor.device == first.visitor.device
        assert again.of("admitted") == []
        row = rig.hub.reception.document()["devices"][-1]
        assert (row["kind"], row["paired_by"]) == ("laptop", "the hub's console")
        assert b"device.paired" in rig.journal.stored[-2].line.body


def test_a_wrong_link_does_not_use_it_up() -> None:
    """Who guesses spoils nothing for who has the link."""
    with Rig() as rig:
        secret = rig.hub.reception.invite()
        for wrong in ("", secret[:-1], secret + "x", secret.swapcase(), "é", "\ud800"):
            assert Guest(rig).hello(wrong).of("welcome") == []
        assert Guest(rig).hello(secret).welcome["role"] == "director"


def test_a_token_from_the_link_outlives_a_restart_and_the_link_does_not() -> None:
    """Who came in stays in; an unused link is worth nothing after the next start."""
    with Rig() as rig:
        token = Guest(rig).hello(rig.hub.reception.invite()).of("admitted")[0]["token"]
        unused = rig.hub.reception.invite()
        rig.crash(1_000)
        assert Guest(rig).hello(unused).codes() == ["unauthorised"]
        assert Guest(rig).hello(token).welcome["role"] == "director"


async def test_every_start_has_a_link_of_its_own(tmp_path: Path) -> None:
    """The secret is in the fragment, which no server sees, and another one every time."""
    links = []
    for _ in range(2):
        async with serving(tmp_path / "data") as room:
            page, _, secret = room.served.link.partition("/#token=")
            links.append(secret)
            assert page == room.served.url
            assert len(secret) >= 43
            status, _ = await _http(room, "GET", "/api/v1/documents/hub", secret)
            assert status == 401  # it is for the websocket, once
            first = await room.dial(secret)
            assert first.heard[-1]["role"] == "director"
            second = await room.connect()
            await second.say("hello", version=1, token=secret)
            assert (await second.over())[0]["code"] == "unauthorised"
    assert links[0] != links[1]
    async with serving(tmp_path / "data") as room:
        for old in links:
            wire = await room.connect()
            await wire.say("hello", version=1, token=old)
            assert (await wire.over())[0]["code"] == "unauthorised"


async def test_the_console_has_a_way_in(tmp_path: Path) -> None:
    """Who can read the file on the hub's machine is a director, and it is nobody else's to read."""
    async with serving(tmp_path / "data") as room:
        first = room.director
        assert (await room.dial(first)).heard[-1]["role"] == "director"
        assert (await _http(room, "GET", "/api/v1/documents/devices", first))[0] == 200
        assert (tmp_path / "data" / "director.token").stat().st_mode & 0o777 == 0o600
        assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700
    async with serving(tmp_path / "data") as room:
        assert room.director == first


@pytest.mark.parametrize("where", ["?token={}", "?access_token={}", "?authorization=Bearer+{}"])
async def test_a_token_in_an_url_is_not_looked_at(tmp_path: Path, where: str) -> None:
    """Nobody can be talked into putting a token where servers log it: it does not work."""
    async with serving(tmp_path / "data") as room:
        path = "/api/v1/documents/hub" + where.format(room.director)
        assert (await _http(room, "GET", path))[0] == 403
        wire = await room.connect()
        await wire.say("hello", version=1)
        assert (await wire.heard_of("welcome"))["role"] == "viewer"


# ── who may watch ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("viewing", "who", "sees"),
    [
        ("open", "anybody", True),
        ("open", "token", True),
        ("open", "paired", True),
        ("token", "anybody", False),
        ("token", "token", True),
        ("token", "paired", True),
        ("off", "anybody", False),
        ("off", "token", False),
        ("off", "paired", True),
        ("off", "dealer", True),
        ("off", "floor", True),
    ],
)
def test_who_may_watch(viewing: Any, who: str, sees: bool) -> None:
    """Open is for everybody, by token for who has one, off for devices that were let in."""
    with Rig(config=Config(viewing=viewing, limits=Limits(rate=1_000))) as rig:
        rig.create()
        if who == "paired":
            peer, _ = paired(rig, guest(rig, DIRECTOR), "viewer")
        else:
            badge = {
                "anybody": None,
                "token": Badge("viewer", "Wall"),
                "dealer": Badge("dealer", "Dan", "1", 7),
                "floor": Badge("floor", "Fred"),
            }[who]
            peer = guest(rig, badge)
        peer.follow(*TOPICS)
        assert (peer.docs.keys() == set(TOPICS)) is sees
        assert (peer.codes() == ["viewing_closed"]) is not sees
        assert (rig.hub.press.fanout.followers("t/1") == 1) is sees
        assert not peer.closed


def test_who_may_not_watch_may_ask_to_be_let_in() -> None:
    """Where watching is off a screen shows its code, and watches as soon as it was let in."""
    with Rig(config=Config(viewing="off", limits=Limits(rate=1_000))) as rig:
        rig.create()
        wall, shown = asks(rig, kind="wall")
        wall.follow("t/1")
        assert "t/1" not in wall.docs
        guest(rig, DIRECTOR).done("device.pair", code=shown["code"], role="viewer", name="Wall")
        wall.follow("t/1")
        assert "t/1" in wall.docs


@pytest.mark.parametrize(
    ("viewing", "who", "status"),
    [
        ("open", "anybody", 200),
        ("token", "anybody", 403),
        ("token", "token", 200),
        ("off", "anybody", 403),
        ("off", "token", 403),
        ("off", "floor", 200),
    ],
)
async def test_who_may_read_over_http(tmp_path: Path, viewing: Any, who: str, status: int) -> None:
    """Documents by GET are for exactly those who may follow them."""
    async with _room(tmp_path / "data", viewing=viewing) as room:
        badges = {"token": Badge("viewer", "Wall"), "floor": Badge("floor", "Fred")}
        token = room.token(badges[who]) if who in badges else ""
        found, text = await _http(room, "GET", "/api/v1/documents/events", token)
        assert found == status
        assert ("viewing_closed" in text) is (status == 403)


# ── plain http ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("role", ["viewer", "dealer", "floor", "director"])
def test_commands_are_not_taken_over_plain_http(role: str) -> None:
    """Who comes from another machine without TLS may watch, and command nothing."""
    with Rig() as rig:
        rig.create()
        badge = None if role == "viewer" else Badge(role, "Ann", "1", 7)
        peer = guest(rig, badge, secure=False)
        lines = len(rig.journal.stored)
        for do, on, args in (
            ("hand.start", "1", {"table": 7}),
            ("staff.add", "", {"name": "Ann", "pin": "4711"}),
            ("nonsense", "99", {}),
        ):
            answer = peer.do(do, on=on, **args)
            assert answer["code"] == "insecure"
            assert "https" in answer["text"]
        assert len(rig.journal.stored) == lines
        peer.follow("t/1", "events")
        assert peer.docs.keys() == {"t/1", "events"}
        assert peer.say("probe", sent=1)[-1]["type"] == "probed"


@pytest.mark.parametrize("plain", [False, True])
def test_the_hub_says_whether_it_is_plain(plain: bool) -> None:
    """The director's screen can show a banner for as long as commands go over plain http."""
    with Rig(config=Config(plain=plain, limits=Limits(rate=1_000))) as rig:
        director = guest(rig, DIRECTOR)
        director.follow("hub")
        assert director.docs["hub"]["plain"] is plain


@pytest.mark.parametrize("plain", [False, True])
async def test_plain_on_a_real_socket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plain: bool
) -> None:
    """From another machine commands go through over plain http only where that was asked for."""
    monkeypatch.setattr(web, "is_loopback", lambda _: False)
    monkeypatch.setattr(api, "is_loopback", lambda _: False)
    async with _room(tmp_path / "data", plain=plain) as room:
        wire = await room.dial(room.director)
        answer = await wire.do("staff.add", event="", name="Ann", pin="4711")
        assert answer["type"] == ("done" if plain else "refused")
        body = {"do": "staff.add", "args": {"name": "Bob", "pin": "0815"}}
        path = "/api/v1/commands"
        status, text = await _http(room, "POST", path, room.director, json=body)
        assert status == (200 if plain else 403)
        assert ("insecure" in text) is not plain
        assert (await _http(room, "GET", "/api/v1/documents/events"))[0] == 200
        assert (await _http(room, "GET", "/metrics"))[0] == 403
        assert (await _http(room, "GET", "/metrics", room.director))[0] == 200


async def test_a_backup_is_not_made_over_plain_http(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What only a director may have done is a command, and not taken over plain http."""
    monkeypatch.setattr(api, "is_loopback", lambda _: False)
    async with _room(tmp_path / "data") as room:
        assert (await _http(room, "POST", "/api/v1/backups", room.director))[0] == 403


def test_no_secret_is_given_over_plain_http() -> None:
    """Where commands are not taken, nobody is given a token that could be overheard."""
    with Rig() as rig:
        stranger = Guest(rig, secure=False).hello(rig.hub.reception.invite())
        assert stranger.of("admitted") == []
