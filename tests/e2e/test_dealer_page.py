"""The dealer's tablet in a real browser, worked by touch alone."""

from __future__ import annotations

import os
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playwright.async_api import expect

from server.access import Badge
from tests.served import Room, Wire, serving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from playwright.async_api import Browser, Page

WIDE, TALL, PHONE = (1280, 800), (800, 1280), (390, 844)
SIZES = (WIDE, TALL, PHONE)
LONG = "Alexandra Papadopoulos-Vandenberg"
NAMES = ("Paz", "Ito", "Kim", "Lee", "Ng", "Roy", LONG, "<b>Zoë</b>", "[/] & Co")
TABLE = 7

PICTURES = os.environ.get("RAILBIRD_PICTURES")
"""Folder for a picture of every state in every size; they are for people to look at."""

FITS = """async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  await frame();
  await frame();
  const seen = (node) => node.offsetParent !== null && node.getBoundingClientRect().width > 0;
  const all = (selector) => [...document.querySelectorAll(selector)].filter(seen);
  const said = (node) => `${node.className || node.tagName}: ${node.textContent}`;
  const wrong = [];
  for (const node of all('button')) {
    const box = node.getBoundingClientRect();
    if (box.width < 64 || box.height < 64) {
      wrong.push(`small ${Math.round(box.width)}x${Math.round(box.height)} ${said(node)}`);
    }
  }
  for (const node of all('#dealer button, #dealer .centre > *, #dealer .top *')) {
    const box = node.getBoundingClientRect();
    const out = box.left < -1 || box.top < -1 || box.right > innerWidth + 1;
    const scrolled = node.closest('[data-scrolls]') !== null;
    if (out || (box.bottom > innerHeight + 1 && !scrolled)) wrong.push(`outside ${said(node)}`);
  }
  for (const node of all('.controls .label, .sheet .label, .top .title, .centre .word, .collect span')) {
    if (node.scrollWidth > node.clientWidth + 2) wrong.push(`cut ${said(node)}`);
  }
  for (const node of all('.controls > button')) {
    if (node.scrollHeight > node.clientHeight + 2) wrong.push(`cut ${said(node)}`);
  }
  const centre = document.querySelector('.centre');
  if (centre && seen(centre) && centre.scrollHeight > centre.clientHeight + 2) {
    wrong.push(`centre ${centre.scrollHeight} > ${centre.clientHeight}`);
  }
  const page = document.documentElement;
  if (page.scrollWidth > innerWidth || page.scrollHeight > innerHeight) wrong.push('scrolls');
  return wrong;
}"""


class Tablet:
    """A tablet, the finger on it, and what is wrong with it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.faults: list[str] = []
        self.taps = 0
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda said: self.faults.append(said.text) if _bad(said) else None)

    async def open(self, base: str) -> None:
        """Open the page."""
        await self.page.goto(f"{base}/dealer")

    async def tap(self, selector: str) -> None:
        """Touch something once, and count it."""
        self.taps += 1
        await self.page.locator(selector).tap()

    async def press(self, key: str) -> None:
        """Touch one of the buttons."""
        await self.tap(f".controls [data-key='{key}']")

    async def seat(self, seat: int) -> None:
        """Touch a seat."""
        await self.tap(f".seat[data-seat='{seat}']")

    async def hold(self, selector: str) -> None:
        """Keep a finger on something."""
        box = await self.page.locator(selector).bounding_box()
        assert box is not None
        at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        fingers = await self.page.context.new_cdp_session(self.page)
        await fingers.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [at]})
        await expect(self.page.locator(".sheet")).to_be_visible()
        await fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        await fingers.detach()

    async def says(self, words: str, selector: str = "#dealer") -> None:
        """Wait until something says something."""
        await expect(self.page.locator(selector).first).to_contain_text(words, timeout=8_000)

    async def fits(self, name: str, sizes: tuple[tuple[int, int], ...] = SIZES) -> None:
        """Look at it in several sizes: every target is large, nothing is cut."""
        for wide, high in sizes:
            await self.page.set_viewport_size({"width": wide, "height": high})
            wrong = await self.page.evaluate(FITS)
            if PICTURES:
                await self.page.screenshot(path=Path(PICTURES) / f"{name}-{wide}x{high}.png")
            assert wrong == [], f"{name} at {wide}x{high}"
        await self.page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})


def _bad(said: Any) -> bool:
    return said.type == "error" and "ERR_CONNECTION_REFUSED" not in said.text


@asynccontextmanager
async def _tablet(browser: Browser) -> AsyncIterator[Tablet]:
    """Give a tablet that makes no mistakes."""
    context = await browser.new_context(
        has_touch=True, viewport={"width": WIDE[0], "height": WIDE[1]}, reduced_motion="reduce"
    )
    tablet = Tablet(await context.new_page())
    yield tablet
    assert tablet.faults == []
    await context.close()


async def _let_in(tablet: Tablet, room: Room, name: str = "Table 7", base: str = "") -> None:
    """Give the tablet the table, as if the floor had done so before."""
    token = room.token(Badge("dealer", name, "1", TABLE))
    await tablet.page.context.add_init_script(f"localStorage.setItem('railbird-token', '{token}')")
    await tablet.open(base or room.served.local)
    await expect(tablet.page.locator(".seat").first).to_be_visible()


async def _night(room: Room, preset: str = "star-brisbane-saturday", seats: int = 9) -> Wire:
    """Open a table of an event that is played, and give its director."""
    director = await room.dial(room.director)
    await director.done("event.create", event="", preset=preset)
    await director.done("table.open", table=TABLE)
    for seat in range(1, seats + 1):
        name = NAMES[seat - 1]
        await director.done("seat.put", player=f"p{seat}", name=name, table=TABLE, seat=seat)
    await director.done("clock.start")
    return director


async def _pair(director: Wire, code: str) -> None:
    """Let in the tablet that shows a code; here `event` is an argument, not where it happens."""
    args = {"code": code, "role": "dealer", "event": "1", "table": TABLE}
    await director.say("do", id=f"pair-{code}", event="", do="device.pair", args=args)
    answer = await director.until(lambda found: found.get("id") == f"pair-{code}")
    assert answer["type"] == "done", answer


async def test_being_let_in_and_shown_out(tmp_path: Path, browser: Browser) -> None:
    """A new tablet shows its code; let in, it keeps its table; shown out, it shows a code again."""
    async with serving(tmp_path / "data") as room, _tablet(browser) as tablet:
        td = await _night(room)
        await tablet.open(room.served.local)
        await tablet.says("Show this code to the floor", "#door")
        code = tablet.page.locator("#door .code")
        await expect(code.locator("span")).to_have_count(6)
        await tablet.fits("code")
        shown = await code.get_attribute("aria-label") or ""
        await _pair(td, shown)
        await tablet.says("TABLE 7", ".top")
        await expect(tablet.page.locator("#door")).to_be_hidden()
        await tablet.page.reload()
        await tablet.says("TABLE 7", ".top")
        await td.follow("devices")
        devices = td.docs["devices"]["devices"]
        own = next(each["id"] for each in devices if each["role"] == "dealer")
        await td.done("device.revoke", event="", device=own)
        await tablet.says("Show this code to the floor", "#door")
        again = await code.get_attribute("aria-label")
        assert again not in (shown, "", None)


async def test_every_state_in_every_size(tmp_path: Path, browser: Browser) -> None:
    """Each state is said in words, its targets are large, nothing is cut; SB-47, AP-29, SB-19."""
    async with serving(tmp_path / "data") as room, _tablet(browser) as tablet:
        td = await _night(room)
        await _let_in(tablet, room)
        await tablet.says("NEW HAND", ".big")
        await tablet.fits("between-hands")
        await tablet.press("big")
        await tablet.says("START", ".big")
        await tablet.fits("to-start")
        await tablet.press("big")
        await tablet.says("NEXT PLAYER", ".big")
        await expect(tablet.page.locator(".seat[data-turn]")).to_have_attribute("data-seat", "4")
        third = "(() => { const b = document.querySelector('.big').getBoundingClientRect();"
        third += " return b.width * b.height / (innerWidth * innerHeight); })()"
        assert await tablet.page.evaluate(third) >= 0.32
        await td.done("level.goto", level=7)  # this hand keeps its blinds (SB-20)
        await tablet.says("400 / 800 (800)", ".nexthand")
        await tablet.fits("running")
        await tablet.hold(".seat[data-seat='4']")
        await tablet.fits("seat-sheet")
        await expect(tablet.page.locator("rb-digits")).to_be_visible()
        await tablet.tap("[data-key='chips-2']")
        await tablet.says("2 left", "[data-key='bank']")
        await tablet.press("fold")
        await tablet.says("collect 2 from seat 4", ".collect")
        await td.done("player.limit", player="p6", seconds=10)
        await tablet.says("10 s", ".seat[data-seat='6']")
        await tablet.fits("collect")
        await tablet.tap(".collect")
        await expect(tablet.page.locator(".collect")).to_be_hidden()
        await tablet.press("count")
        await tablet.says("COUNTING", ".word")
        await tablet.fits("counting")
        await td.done("table.pause", table=TABLE, reason="a dispute about the button")
        await tablet.says("TABLE PAUSED", ".word")
        await tablet.fits("paused")
        await td.done("table.resume", table=TABLE)
        await td.done("clock.pause", reason="fire alarm")
        await tablet.says("ROOM PAUSED", ".word")
        await tablet.fits("room-paused", (WIDE,))
        await td.done("clock.resume")
        await tablet.press("floor")
        await tablet.fits("call-floor")
        await tablet.tap("[data-key='reason-Ruling']")
        await tablet.says("FLOOR CALLED", ".controls .floor")
        await tablet.says("Ruling", ".notice")
        await tablet.fits("floor-called")
        await tablet.press("menu")
        await tablet.fits("menu")
        await tablet.tap("[data-key='sign-on']")
        await tablet.fits("pin")
        await tablet.tap(".sheet .close")
        await tablet.press("menu")
        await tablet.tap("[data-key='settings']")
        await tablet.fits("settings")
        await tablet.tap(".sheet .close")
        await td.done("break.call", minutes=15)
        await tablet.press("over")
        await tablet.says("BREAK", ".word")
        await tablet.fits("break")
