"""What a phone asks the hub for: files that weigh little, seats by name, a QR code to the page."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import aiohttp
import pytest
from yarl import URL

from server import qr
from server.files import Kept
from server.pages import SCREENS
from server.seats import LONGEST, MOST, find, plain
from tests.night import given
from tests.served import serving

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_is_squeezed_only_where_it_helps(tmp_path: Path) -> None:
    """A script is kept whole and squeezed, a picture only whole; each has a tag of its contents."""
    script = Kept(SCREENS / "phone.js")
    assert script.squeezed is not None
    assert gzip.decompress(script.squeezed) == script.whole
    assert len(script.squeezed) < len(script.whole) / 2
    picture = tmp_path / "a.png"
    picture.write_bytes(b"\x89PNG")
    assert (Kept(picture).squeezed, Kept(picture).kind) == (None, "image/png")
    assert Kept(picture).tag != script.tag


async def test_files_are_squeezed_for_who_can_unpack_them(tmp_path: Path) -> None:
    """The same file comes squeezed or whole, and not again where it has not changed."""
    async with serving(tmp_path) as room, aiohttp.ClientSession(auto_decompress=False) as web:
        address = f"{room.served.local}/web/phone.js"
        async with web.get(address, headers={"Accept-Encoding": "gzip"}) as found:
            squeezed, tag = await found.read(), found.headers["ETag"]
            assert found.headers["Content-Type"] == "text/javascript; charset=utf-8"
        async with web.get(address, headers={"Accept-Encoding": "identity"}) as found:
            assert gzip.decompress(squeezed) == await found.read()
        async with web.get(address, headers={"If-None-Match": tag}) as found:
            assert (found.status, await found.read()) == (304, b"")
        for path in ("/web/", "/web/gone.js", "/web/../scenes.py", "/web/scenes", "/web/..%2f"):
            async with web.get(URL(room.served.local + path, encoded=True)) as found:
                assert found.status == 404, path


def test_a_name_is_found_as_people_type_it() -> None:
    """Case and accents do not count; names that begin with what was typed come first."""
    assert plain("  Zoë   ÅNGSTRÖM ") == "zoe angstrom"
    night = given("selkirk-main", {1: 1})
    for seat, name in ((2, "Akimov"), (3, "Anna Kim"), (4, "Kim Lee"), (5, "李小龙")):
        night.do("seat.put", player=f"p{seat}", name=name, table=1, seat=seat)
    assert [row["name"] for row in find(night.state, "KIM")] == ["Kim Lee", "Anna Kim", "Akimov"]
    assert find(night.state, "小龙") == [{"table": 1, "seat": 5, "name": "李小龙"}]
    assert find(night.state, "k") == []
    assert find(night.state, "k" * (LONGEST + 1)) == []


def test_not_more_seats_than_a_phone_shows() -> None:
    """Who asks for a very common name gets the first seats only."""
    night = given("selkirk-main", {1: 10, 2: 10})
    assert len(find(night.state, "1-")) == 10
    for table, seat in ((3, 1), (3, 2), (3, 3)):
        night.do("table.open", table=table) if seat == 1 else None
        night.do("seat.put", player=f"1-{seat}x", table=table, seat=seat)
    assert len(find(night.state, "1-")) == MOST


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ("event=1&name=kim", 200),
        ("event=1&name=k", 422),
        ("event=1", 422),
        (f"event=1&name={'k' * 5_000}", 422),
        ("event=9&name=kim", 404),
        ("name=kim", 404),
        ("event=1&name=%00%ff%5b%2f%5d", 200),
    ],
)
async def test_asking_for_a_seat(tmp_path: Path, asked: str, status: int) -> None:
    """Whatever is asked, the answer is seats or a refusal in words."""
    async with serving(tmp_path) as room, aiohttp.ClientSession() as web:
        td = await room.dial(room.director)
        await td.done("event.create", event="", preset="selkirk-main")
        await td.done("table.open", table=1)
        await td.done("seat.put", player="p1", name="Kim", table=1, seat=1)
        address = URL(f"{room.served.local}/api/v1/seats?{asked}", encoded=True)
        async with web.get(address) as found:
            body = await found.json()
            assert found.status == status, body
            if asked == "event=1&name=kim":
                assert body["seats"] == [{"table": 1, "seat": 1, "name": "Kim"}]


async def test_a_closed_room_tells_nobody_who_sits_where(tmp_path: Path) -> None:
    """Where watching is not open, seats are not told either."""
    async with serving(tmp_path, viewing="paired") as room, aiohttp.ClientSession() as web:
        found = await web.get(f"{room.served.local}/api/v1/seats?event=1&name=kim")
        assert found.status == 403


async def test_a_qr_code_leads_to_our_own_pages_only(tmp_path: Path) -> None:
    """A code to the phone page is a picture; a code to anywhere else is not made."""
    url = "https://clock.example/"
    async with serving(tmp_path, url=url) as room, aiohttp.ClientSession() as web:
        address = f"{room.served.local}/qr.svg"
        found = await web.get(address, params={"to": "/phone?event=1"})
        assert found.content_type == "image/svg+xml"
        assert await found.read() == qr.drawn("https://clock.example/phone?event=1")
        for to in ("", "/nowhere", "//evil.example", "https://evil.example", "/phone?x=<b>"):
            found = await web.get(address, params={"to": to})
            assert found.status == 404, to
