"""The hub's front page in a real browser: live clocks, safe names, an honest badge."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from playwright.async_api import expect

from server.config import Config
from server.protocol.link import Link
from server.protocol.messages import Done
from server.protocol.session import Session
from server.serve import served
from tests.faults.process import until

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.async_api import Browser, Page

NAME = "<img src=x onerror=alert(1)> [/] & Co"

MANY = 20
"""Events: more than a viewer may send messages at once."""


async def _do(link: Link, event: str, do: str, **args: Any) -> None:
    assert isinstance(await link.do(event, do, **args), Done)


async def _until(page: Page, words: str, selector: str = "body") -> None:
    await expect(page.locator(selector).first).to_contain_text(words)


async def test_the_front_page_shows_live_clocks(tmp_path: Path, browser: Browser) -> None:
    """A director's link works once; events appear, run, pause and go, and a name is only a name."""
    page = await browser.new_page(viewport={"width": 390, "height": 844})
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    async with served(Config(data=str(tmp_path / "data"), port=0)) as hub:
        await page.goto(hub.link)
        await page.wait_for_url("**/director")  # the page goes there by itself, and by no other way
        assert "token" not in page.url
        await page.goto(hub.local)
        await _until(page, "director", "#who")
        assert "token" not in page.url
        token = hub.hub.reception.devices.console(tmp_path / "token")
        session = Session("console", token)
        link = Link(hub.local.replace("http", "ws") + "/ws", session)
        running = asyncio.create_task(link.run())
        await _do(link, "", "event.create", preset="selkirk-main", name=NAME)
        await _until(page, NAME, "article .name")
        assert await page.locator("article img").count() == 0
        await _do(link, "1", "clock.start")
        await expect(page.locator(".digits")).not_to_have_text("15:00")
        await _do(link, "1", "clock.pause")
        await _until(page, "PAUSED", "article .phase")
        wide = await page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 390
        await page.reload()
        await _until(page, "director", "#who")
        running.cancel()
    await _until(page, "reconnecting", "#state")
    assert [fault for fault in faults if "ERR_CONNECTION_REFUSED" not in fault] == []


async def test_as_many_events_as_there_are_have_clocks(tmp_path: Path, browser: Browser) -> None:
    """A page that asked for each by itself would ask too quickly, and some would stay empty."""
    page = await browser.new_page()
    async with served(Config(data=str(tmp_path / "data"), port=0)) as hub:
        token = hub.hub.reception.devices.console(tmp_path / "token")
        link = Link(hub.local.replace("http", "ws") + "/ws", Session("console", token))
        running = asyncio.create_task(link.run())
        for number in range(1, MANY + 1):
            await _do(link, "", "event.create", preset="apl", name=f"Event {number}")
        running.cancel()
        await page.goto(hub.local)
        names = page.locator("article .name")
        await expect(names).to_have_text([f"Event {number}" for number in range(1, MANY + 1)])
        events = ",".join(map(str, range(1, MANY + 1)))
        await page.goto(f"{hub.local}/wall?event={events}&scene=clock&sound=all")
        fanout = hub.hub.press.fanout
        await until(
            lambda: all(fanout.followers(f"t/{number}") for number in range(1, MANY + 1)),
            "the wall does not hear of all events whose sounds it is to make",
        )
        await page.close()
