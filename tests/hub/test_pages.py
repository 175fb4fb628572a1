"""Pages as a browser gets them: short addresses, themes, pictures, sounds, and nothing else."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import aiohttp
import pytest
from yarl import URL

from server.gallery import MOST_BYTES, Gallery
from server.pages import PAGES, WORKERS
from tests.served import Room, serving
from themes import built_in, css

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

SECRET = "nobody's business"  # noqa: S105 - it is what must not be served


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    """Serve a hub whose venue has a theme, pictures and a sound of its own."""
    looks, sounds = tmp_path / "looks", tmp_path / "sounds"
    looks.mkdir()
    sounds.mkdir()
    (looks / "nine.toml").write_text('like = "midnight"\nname = "Nine"\nlogo = "nine.svg"\n')
    (looks / "nine.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    (looks / "notes.txt").write_text(SECRET)
    (sounds / "level.ogg").write_bytes(b"OggS")
    (sounds / "party.ogg").write_bytes(SECRET.encode())
    (tmp_path / "outside.svg").write_text(SECRET)
    async with serving(tmp_path / "data", themes=str(looks), sounds=str(sounds)) as room:
        yield room


async def _get(room: Room, path: str) -> tuple[aiohttp.ClientResponse, str]:
    address = URL(f"http://127.0.0.1:{room.port}{path}", encoded=True)
    async with aiohttp.ClientSession() as web, web.get(address) as found:
        return found, await found.text(errors="replace")  # a picture is no text


async def test_every_page_has_a_short_address(room: Room) -> None:
    """Each page opens, may load nothing from elsewhere, and is asked for anew every time."""
    for address in PAGES:
        found, body = await _get(room, address)
        assert found.status == 200, address
        assert found.content_type == "text/html"
        assert body.startswith("<!doctype html>")
        assert found.headers["Cache-Control"] == "no-cache"
        assert "default-src 'none'" in found.headers["Content-Security-Policy"]
    listed, _ = await _get(room, "/pages.json")
    assert await listed.json() == list(PAGES)


async def test_the_dealers_page_has_a_worker_of_our_own(room: Room) -> None:
    """A service worker lies beside the page that it is for, and only ours may be one."""
    for address in WORKERS:
        found, body = await _get(room, address)
        assert (found.status, found.content_type) == (200, "text/javascript")
        assert found.headers["Cache-Control"] == "no-cache"
        assert "worker-src 'self';" in found.headers["Content-Security-Policy"]
        assert "Service-Worker-Allowed" not in found.headers
        assert "healthz" not in body.partition("const PAGE")[2]  # nor anything else of the hub's


async def test_what_pages_load_is_there(room: Room) -> None:
    """Every script and style sheet that a page names is served, by the kind that it is."""
    for address in PAGES:
        _, body = await _get(room, address)
        for name in [part.split('"')[0] for part in body.split('="/')[1:]]:
            found, _ = await _get(room, f"/{name}")
            assert found.status == 200, f"{address} wants /{name}"
            assert found.headers["Cache-Control"] == "no-cache"


async def test_a_page_that_has_not_changed_is_not_sent_again(room: Room) -> None:
    """A browser that asks anew gets a few bytes where nothing has changed."""
    first, _ = await _get(room, "/web/wall.js")
    headers = {"If-None-Match": first.headers["ETag"]}
    address = f"http://127.0.0.1:{room.port}/web/wall.js"
    async with aiohttp.ClientSession() as web, web.get(address, headers=headers) as again:
        assert again.status == 304


async def test_themes_are_style_sheets(room: Room) -> None:
    """Railbird's own themes and the venue's are served as variables; an unknown one is not."""
    for name, theme in built_in().items():
        found, body = await _get(room, f"/themes/{name}.css")
        assert (found.content_type, body) == ("text/css", css(theme))
    _, body = await _get(room, "/themes/nine.css")
    assert '--rb-logo:url("/themes/nine.svg")' in body
    found, body = await _get(room, "/themes/ten.css")
    assert (found.status, body) == (404, "There is no such theme.")


async def test_a_themes_pictures_are_served_and_nothing_beside_them(room: Room) -> None:
    """Pictures of the folder are there; notes, the theme's own file and other folders are not."""
    found, body = await _get(room, "/themes/nine.svg")
    assert (found.status, found.content_type) == (200, "image/svg+xml")
    assert body.startswith("<svg")
    for path in (
        "/themes/notes.txt",
        "/themes/nine.toml",
        "/themes/gone.svg",
        "/themes/../outside.svg",
        "/themes/%2e%2e%2foutside.svg",
        "/themes/..%5coutside.svg",
        "/themes/sub/outside.svg",
        "/themes/.svg",
    ):
        found, body = await _get(room, path)
        assert found.status == 404, path
        assert SECRET not in body


async def test_sounds_of_the_venue_are_served_by_name(room: Room) -> None:
    """A recording that replaces a sound can be fetched; any other file cannot."""
    found, body = await _get(room, "/sounds/level.ogg")
    assert (found.status, body) == (200, "OggS")
    for path in ("/sounds/party.ogg", "/sounds/minute.ogg", "/sounds/..%2flooks%2fnotes.txt"):
        found, body = await _get(room, path)
        assert found.status == 404, path
        assert SECRET not in body


async def test_no_page_leaves_its_folder(room: Room) -> None:
    """Nothing outside the folders of pages can be read through them."""
    for path in ("/web/../../pyproject.toml", "/web/%2e%2e/%2e%2e/pyproject.toml", "/web/", "/web"):
        found, body = await _get(room, path)
        assert found.status in (403, 404), path
        assert "railbird" not in body


async def test_a_theme_that_is_saved_again_is_told(
    room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who follows the themes hears of another version; a mistake is told to the floor only."""
    monkeypatch.setattr("server.gallery.EVERY", 0.2)
    wall, director = await room.dial(), await room.dial(room.director)
    await wall.follow("themes")
    await director.follow("hub")
    before = {row["id"]: row["version"] for row in wall.docs["themes"]["themes"]}
    assert wall.docs["themes"]["sounds"]["level"]["file"] == "level.ogg"
    file = tmp_path / "looks" / "nine.toml"
    await asyncio.to_thread(file.write_text, 'like = "daylight"\nname = "Nine"\n')
    await wall.until(lambda said: said.get("topic") == "themes")
    after = {row["id"]: row["version"] for row in wall.docs["themes"]["themes"]}
    assert {name for name in after if after[name] != before[name]} == {"nine"}
    await asyncio.to_thread(file.write_text, 'like = "nothing"\nname = "Nine"\n')
    await director.until(lambda said: "nine.toml" in (said.get("doc") or {}).get("themes", {}))
    _, body = await _get(room, "/themes/nine.css")
    assert "color-scheme:light" in body  # what was last good stays


def test_a_venue_without_folders_has_themes_all_the_same(tmp_path: Path) -> None:
    """Neither folder need exist; a recording that is too large is left where it is."""
    gallery = Gallery(tmp_path / "none", tmp_path)
    assert gallery.names() == list(built_in())
    assert gallery.document()["sounds"] == {}
    assert not gallery.look()
    (tmp_path / "zero.wav").write_bytes(bytes(MOST_BYTES + 1))
    assert not gallery.look()
    (tmp_path / "zero.wav").write_bytes(b"RIFF")
    assert gallery.look()
    assert gallery.document()["sounds"]["zero"]["file"] == "zero.wav"
