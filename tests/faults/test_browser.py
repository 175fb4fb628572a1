"""A bad network between real browsers and a real hub: the wall page keeps the same promises.

That a page says in time that it is cut off is a matter of its own timers: its clock is moved by the
test, so that no machine is too busy for it. How soon it is right again takes answers of the hub: it
is measured, without what the machine stood still.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from playwright.async_api import expect

from tests.browsers import launched, stop_clock
from tests.e2e.plays import STAGE
from tests.faults.figures import tell
from tests.faults.process import until
from tests.faults.proxy import Proxy
from tests.faults.stalls import Stalls
from tests.faults.test_proxy import BADGE_WITHIN, CONSISTENT_WITHIN, open_hub

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.async_api import Browser, Page

CUTS = {"paused": 4.0, "forgotten": 4.0, "swallowed": 6.0}
"""How a wall is cut off, and for how many seconds: nothing passes for a while; nothing passes, and
then only on a new connection; reset, and then taken and never answered."""

STEP = 0.1
"""Seconds by which a page's clock is moved at once: between two steps it hears of the world."""

SAYS = """(words) => document.querySelector('.badge')?.textContent === 'live'
  && document.body.textContent.includes(words)"""


async def _opened(browser: Browser, proxy: Proxy) -> Page:
    """Open a wall whose clock a test can move, and that knows how long it was held up."""
    page = await browser.new_page()
    await page.add_init_script(path=STAGE / "wire.js")
    await page.clock.install()
    await page.goto(f"http://127.0.0.1:{proxy.port}/wall?event=1")
    await expect(page.locator(".badge").first).to_have_text("live")
    # What the page was loaded by is closed when it has been idle.
    await until(lambda: proxy.carrying == 1, "connections linger")
    return page


async def _pass(page: Page, seconds: float) -> None:
    """Let time pass for a page, so that it can hear of what happens meanwhile."""
    for _ in range(round(seconds / STEP)):
        await page.clock.run_for(round(1_000 * STEP))


async def _cut(kind: str, page: Page, proxy: Proxy) -> None:
    """Cut a page off at some moment of its heartbeat: within 3 s of its own time it says so."""
    await stop_clock(page)
    proxy.freeze()
    if kind == "swallowed":
        proxy.drop()
    await _pass(page, BADGE_WITHIN)
    assert "hub away" in (await page.locator(".badge").first.text_content() or ""), kind
    await _pass(page, CUTS[kind] - BADGE_WITHIN)
    await page.clock.resume()


async def _back(kind: str, page: Page, proxy: Proxy, stalls: Stalls) -> None:
    """Let a page back: within 2 s it is right."""
    held = await page.evaluate("wire.held")
    took = stalls.watch()
    proxy.thaw(forget=kind != "paused")
    await page.wait_for_function(SAYS, arg="Dinner is served")
    own = took() - (await page.evaluate("wire.held") - held) / 1_000
    tell(f"{kind}, in a browser: consistent {own:.2f} s after the return, stalls left out")
    assert own <= CONSISTENT_WITHIN, kind


async def test_walls_in_a_browser(tmp_path: Path) -> None:
    """A wall page says within 3 s that it is cut off, and is right within 2 s of the return."""
    async with (
        open_hub(tmp_path) as (hub, director, _ledger),
        AsyncExitStack() as stack,
        launched() as browser,
    ):
        stalls = Stalls(hub.ws)
        await stack.enter_async_context(stalls.watched())
        walls = []
        for number, kind in enumerate(CUTS):
            proxy = await stack.enter_async_context(Proxy(hub.port, seed=number))
            walls.append((kind, await _opened(browser, proxy), proxy))
        await asyncio.gather(*(_cut(*wall) for wall in walls))
        await director.done("1", "announce", text="Dinner is served")
        await asyncio.gather(*(_back(*wall, stalls) for wall in walls))
        for _, _, proxy in walls:
            proxy.drop()
