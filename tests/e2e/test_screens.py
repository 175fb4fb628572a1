"""Managed screens in a real browser: from the code on the wall to what the floor wants."""

from __future__ import annotations

import asyncio
import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Literal

from playwright.async_api import expect

from server.pages import PAGES
from tests.served import Room, Wire, serving
from themes import built_in

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    import pytest
    from playwright.async_api import Browser, Page, Route

CODE = re.compile(r"^[A-Z]{3} [A-Z]{3}$")
NAME = "Bar <i>left</i>"
GROUND = "getComputedStyle(document.documentElement).getPropertyValue('--rb-ground').trim()"
HEARD = """() => {
  const said = [];
  window.said = said;
  speechSynthesis.speak = (spoken) => said.push(spoken.text);
  speechSynthesis.getVoices = () => [{}];
}"""


class Wall:
    """A page that is a screen, with the director who looks after it."""

    def __init__(self, page: Page, td: Wire, room: Room) -> None:
        self.page, self.td, self.room = page, td, room
        self.device = ""
        self.faults: list[str] = []
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda said: self.faults.append(said.text) if _bad(said) else None)

    async def open(self, path: str = "/wall", until: Literal["load", "commit"] = "load") -> None:
        """Open a page of the hub."""
        await self.page.goto(f"{self.room.served.local}{path}", wait_until=until)

    async def code(self) -> str:
        """Wait for the code that the screen shows."""
        shown = self.page.locator(".code")
        await expect(shown).to_have_text(CODE)
        return ((await shown.text_content()) or "").replace(" ", "")

    async def let_in(self) -> None:
        """Let the screen in that shows a code."""
        await self.td.done(
            "device.pair", event="", code=await self.code(), role="viewer", name=NAME
        )
        await self.td.follow("devices")
        rows = self.td.docs["devices"]["devices"]
        self.device = next(row["id"] for row in reversed(rows) if row["name"] == NAME)

    async def set(self, **settings: Any) -> None:
        """Change what the screen shows."""
        await self.td.done("screen.set", event="", device=self.device, **settings)

    async def says(self, words: str, selector: str = "#wall") -> None:
        """Wait until the screen says something."""
        await expect(self.page.locator(selector).first).to_contain_text(words)

    async def wears(self, ground: str) -> None:
        """Wait until the page is painted on a colour."""
        await self.page.wait_for_function(f"() => {GROUND} === '{ground}'")


def _bad(said: Any) -> bool:
    known = ("ERR_CONNECTION_REFUSED", "AudioContext")
    return said.type == "error" and not any(words in said.text for words in known)


@asynccontextmanager
async def _wall(tmp_path: Path, browser: Browser, **config: Any) -> AsyncIterator[Wall]:
    """Give a hub with an event that runs, and a page that makes no mistakes."""
    page = await browser.new_page(viewport={"width": 1280, "height": 720})
    async with serving(tmp_path / "data", themes=str(tmp_path / "looks"), **config) as room:
        td = await room.dial(room.director)
        await td.done("event.create", event="", preset="star-brisbane-saturday")
        await td.done("clock.start")
        wall = Wall(page, td, room)
        yield wall
        await page.close()
    assert wall.faults == []


async def test_a_screen_from_its_code_to_its_end(tmp_path: Path, browser: Browser) -> None:
    """A screen shows its code, is let in, follows every setting live, and is shown out again."""
    async with _wall(tmp_path, browser) as wall:
        await wall.open()
        first = await wall.code()
        await wall.says("19:", ".room .time")  # meanwhile it is useful
        await wall.page.screenshot(path=tmp_path / "code.png")
        await wall.page.reload()
        assert await wall.code() != first
        await wall.let_in()
        await wall.says("100 / 100", ".blinds")
        await _follows_its_settings(wall, tmp_path)
        await _stays_who_it_is(wall)
        await wall.td.until(lambda said: _report(said, wall.device).get("scene") == "clock")
        report = _report(wall.td.heard[-1], wall.device)
        assert 0 <= report["uncertainty"] < 500
        assert report["age"] < 10_000
        assert report["sound"] == "off"
        await wall.td.done("device.assign", event="", device=wall.device, role="floor")
        await wall.says("not a screen any more")
        await wall.td.done("device.revoke", event="", device=wall.device)
        await wall.code()  # a stranger again, and ready to be let in
        await wall.let_in()
        await wall.says("100 / 100", ".blinds")


async def _follows_its_settings(wall: Wall, tmp_path: Path) -> None:
    page = wall.page
    await wall.set(theme="daylight", scene="lobby")
    await wall.says("PLAYING", ".row .status")
    await wall.wears("#f7f5ef")
    await wall.set(scene="clock", theme="midnight", rotate=90)
    await expect(page.locator("html")).to_have_attribute("data-rotate", "90")
    await wall.says("100 / 100", ".blinds")
    box = await page.locator("#wall").bounding_box()
    assert box == {"x": 0, "y": 0, "width": 1280, "height": 720}
    tall = "[document.querySelector('#wall').clientWidth, document.body.clientHeight]"
    assert await page.evaluate(tall) == [720, 1280]  # as if the monitor stood upright
    await page.screenshot(path=tmp_path / "rotated.png")
    await wall.set(rotate=None)
    await wall.td.done("screen.identify", event="", device=wall.device)
    await expect(page.locator("#identify")).to_be_visible()
    await wall.says(NAME, "#identify span")
    await wall.says(wall.device.removeprefix("d"), "#identify strong")
    await page.screenshot(path=tmp_path / "identify.png")
    await wall.set(blackout=True)
    await expect(page.locator("#blackout")).to_be_visible()
    await expect(page.locator("#identify")).to_be_hidden()
    assert await _is_black(page)
    await wall.set(blackout=False, theme=None)
    await expect(page.locator("#blackout")).to_be_hidden()


async def _stays_who_it_is(wall: Wall) -> None:
    await wall.page.reload()
    await wall.says("100 / 100", ".blinds")
    await wall.open("/wall?scene=lobby&theme=daylight")  # whatever its address says
    await wall.says("100 / 100", ".blinds")
    await wall.wears(built_in()["midnight"].colours.ground)  # what is worn unless told
    await wall.page.evaluate("window.before = true")
    await wall.td.done("screen.reload", event="", device=wall.device)
    await wall.page.wait_for_function("() => window.before === undefined")
    await wall.open()
    await wall.says("100 / 100", ".blinds")


def _report(said: dict[str, Any], device: str) -> dict[str, Any]:
    """Find what a device last reported in a message about all devices."""
    rows = (said.get("doc") or {}).get("devices", []) if said.get("topic") == "devices" else []
    return next((row["report"] or {} for row in rows if row["id"] == device), {})


async def _is_black(page: Page) -> bool:
    """Say whether a picture of the page is nothing but black."""
    picture = (await page.screenshot()).hex()
    return bool(
        await page.evaluate(
            """async (hex) => {
              const bytes = Uint8Array.from(hex.match(/../g), (byte) => parseInt(byte, 16));
              const image = await createImageBitmap(new Blob([bytes], {type: "image/png"}));
              const canvas = new OffscreenCanvas(image.width, image.height);
              const pen = canvas.getContext("2d");
              pen.drawImage(image, 0, 0);
              const dots = pen.getImageData(0, 0, image.width, image.height).data;
              return dots.every((dot, index) => dot === (index % 4 === 3 ? 255 : 0));
            }""",
            picture,
        )
    )


async def test_a_saved_theme_repaints_the_wall(
    tmp_path: Path, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A theme that is saved again is on the screen by itself; a broken one changes nothing."""
    monkeypatch.setattr("server.gallery.EVERY", 0.2)
    looks = tmp_path / "looks"
    looks.mkdir()
    own = 'like = "midnight"\nname = "Nine"\n[colours]\nground = "{}"\n'
    (looks / "nine.toml").write_text(own.format("#101010"))
    sounds = tmp_path / "sounds"
    async with _wall(tmp_path, browser, sounds=str(sounds)) as wall:
        await wall.open("/wall?event=1&theme=nine&sound=level,speech")
        await wall.wears("#101010")
        await wall.says("Sound is blocked", "#hints")
        await wall.page.evaluate(HEARD)
        await wall.page.mouse.click(5, 5)
        await expect(wall.page.locator("#hints")).not_to_contain_text("blocked")
        await wall.page.evaluate("window.before = true")
        asked = wall.page.wait_for_event("request", lambda found: "/sounds/" in found.url)
        await asyncio.to_thread((looks / "nine.toml").write_text, own.format("#202020"))
        await wall.wears("#202020")
        await asyncio.to_thread((looks / "nine.toml").write_text, own.format("blue"))
        await asyncio.to_thread(sounds.mkdir)
        await asyncio.to_thread((sounds / "level.wav").write_bytes, b"no sound at all")
        assert "/sounds/level.wav?v=" in (await asked).url
        assert await wall.page.evaluate(GROUND) == "#202020"
        # AP-23: the end of a level is heard and said; the hub's word brings the new blinds.
        await wall.td.done("clock.set", remaining_ms=2_500)
        await expect(wall.page.locator("html")).to_have_attribute("data-sounded", "level")
        said = "Level 2. Blinds 100, 200. Ante 200."
        await wall.page.wait_for_function(f"() => window.said?.includes('{said}')")
        assert await wall.page.evaluate("[window.before, window.said.length]") == [True, 1]


async def test_a_theme_that_is_slower_than_its_version(tmp_path: Path, browser: Browser) -> None:
    """A sheet that is still on its way when the hub names its version is worn when it is there."""
    async with _wall(tmp_path, browser) as wall:
        asked, may_go = asyncio.Event(), asyncio.Event()

        async def slow(route: Route) -> None:
            asked.set()
            await may_go.wait()
            await route.continue_()

        await wall.page.route("**/themes/daylight.css*", slow)
        await wall.open("/wall?event=1&theme=daylight", until="commit")  # "load" waits for sheets
        await asked.wait()
        await wall.says("100 / 100", ".blinds")  # asked for after the list of themes
        may_go.set()
        await wall.wears(built_in()["daylight"].colours.ground)


async def test_a_wall_that_nobody_manages(
    tmp_path: Path, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An address that says what to show needs no code; a closed room shows nothing but a code."""
    async with _wall(tmp_path, browser) as wall:
        await wall.open("/wall?scene=lobby")
        await wall.says("PLAYING", ".row .status")
        assert wall.room.hub.reception.pairing.waiting(0) == []
        await wall.open("/wall?event=7")
        await wall.says("There is no event 7")
        # Where no secret may be given, there is no code to wait for: it is a clock, and says why.
        monkeypatch.setattr("server.web.is_loopback", lambda _: False)
        await wall.open()
        await wall.says("100 / 100", ".blinds")
        await wall.says("https only", "#hints")
        monkeypatch.undo()
    async with _wall(tmp_path / "closed", browser, viewing="off") as wall:
        await wall.open()
        await wall.code()
        assert await wall.page.locator(".room").count() == 0
        await wall.let_in()
        await wall.says("100 / 100", ".blinds")


async def test_a_newer_hub_reloads_the_page_when_it_is_safe(
    tmp_path: Path, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page keeps what it shows while a level ends, then loads the new page, and only once."""
    page = await browser.new_page()
    live = page.locator(".badge").first
    loads: list[str] = []
    async with serving(tmp_path / "data") as room:
        td = await room.dial(room.director)
        await td.done("event.create", event="", preset="apl")
        await td.done("clock.start")
        await page.clock.install()
        await page.goto(f"{room.served.local}/wall?event=1")
        await expect(live).to_have_text("live")
        page.on("domcontentloaded", lambda _: loads.append("again"))
        await page.clock.fast_forward(31_000)  # it has not just been loaded
        await td.done("clock.set", remaining_ms=14_000)
        port = room.port
    monkeypatch.setattr("server.visitor.__version__", "99.0")
    async with serving(tmp_path / "data", port=port) as room:
        await expect(live).to_have_text("live")
        assert loads == []
        async with page.expect_event("domcontentloaded"):
            await (await room.dial(room.director)).done("clock.set", remaining_ms=600_000)
        await expect(live).to_have_text("live")
        await page.clock.fast_forward(31_000)
    async with serving(tmp_path / "data", port=port):
        await expect(live).to_contain_text("hub away")
        await expect(live).to_have_text("live")
        assert loads == ["again"]
    await page.close()


async def test_the_front_page_shows_the_way(tmp_path: Path, browser: Browser) -> None:
    """Every page that there is can be reached; a director's link ends at the console."""
    async with _wall(tmp_path, browser) as wall:
        await wall.open("/")
        ways = wall.page.locator("#ways a")
        await expect(ways.first).to_be_visible()
        found = await ways.evaluate_all("found => found.map((way) => way.getAttribute('href'))")
        assert set(found) == {address for address in PAGES if address != "/"}
        await wall.page.goto(wall.room.served.link)
        if "/director" in PAGES:
            await wall.page.wait_for_url("**/director")
        else:
            await wall.says("director", "#who")
        kept = await wall.page.evaluate("localStorage.getItem('railbird-token')")
        assert wall.room.hub.reception.devices.by_token(kept).badge.role == "director"
