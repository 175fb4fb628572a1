"""The phone page and the flash test, in a real browser with a real hub."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.async_api import expect

from tests.served import serving

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.async_api import Browser, Request

MOST_BYTES = 60_000
"""What a phone may load the first time: answers with their headers, and what the socket says."""

LIT = "() => document.documentElement.dataset.lit === 'true'"
"""Looked at in every frame: a fifth of a second is missed for ever by who looks once a second."""


async def test_a_player_with_a_phone(tmp_path: Path, browser: Browser) -> None:
    """Clock, next levels and a seat by name, in less than 60 KB; a hostile name is text."""
    page = await browser.new_page(viewport={"width": 390, "height": 844})
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    loaded: list[int] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda f: loaded.append(len(f))))
    sizes: list[Request] = []
    page.on("requestfinished", lambda request: sizes.append(request))  # noqa: PLW0108 - playwright wants one
    async with serving(tmp_path) as room:
        td = await room.dial(room.director)
        await td.done("event.create", event="", preset="star-brisbane-saturday")
        await td.done("table.open", table=7)
        for seat, name in enumerate(("Kim Lee", "Zoë Ng", "<b>Kimi</b>"), start=1):
            await td.done("seat.put", player=f"p{seat}", name=name, table=7, seat=seat)
        await td.done("clock.start")
        await page.goto(f"{room.served.local}/phone")
        await expect(page.locator("#badge")).to_have_text("live")
        await expect(page.locator("#hero")).to_contain_text(re.compile(r"1[89]:\d\d"))
        await expect(page.locator("#next li")).to_have_count(8)
        await expect(page.locator("#next li").first).to_contain_text("level 2")
        for request in sizes:
            size = await request.sizes()
            loaded.append(size["responseBodySize"] + size["responseHeadersSize"])
        assert 10_000 < sum(loaded) < MOST_BYTES
        await page.fill("#who", "kim")
        await expect(page.locator("#found li")).to_have_text(
            ["Kim Leetable 7 · seat 1", "<b>Kimi</b>table 7 · seat 3"]
        )
        await page.fill("#who", "zoe")
        await expect(page.locator("#found")).to_contain_text("table 7 · seat 2")
        await page.fill("#who", "nobody")
        await expect(page.locator("#found")).to_have_text("Nobody of that name has a seat.")
        await td.done("clock.pause", reason="fire alarm")
        await expect(page.locator("#band")).to_contain_text("PAUSED")
        await page.fill("#who", "")
        await page.screenshot(path=tmp_path / "phone.png", full_page=True)
        await page.click("#awake")
        await expect(page.locator("#awake")).to_have_attribute("aria-pressed", "true")
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        await page.goto(f"{room.served.local}/flash?trim=40")
        await expect(page.locator("#sync")).to_contain_text("trim +40 ms")
        await page.wait_for_function(LIT)
        await page.screenshot(path=tmp_path / "flash.png")
    assert faults == []
