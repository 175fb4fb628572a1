"""A bad network between real browsers and a real hub: the wall page keeps the same promises."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, suppress
from time import monotonic
from typing import TYPE_CHECKING

from tests.browsers import launched
from tests.faults.figures import tell
from tests.faults.process import until
from tests.faults.proxy import Proxy
from tests.faults.test_proxy import BADGE_WITHIN, CONSISTENT_WITHIN, Lag, open_hub

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.async_api import Page

CUTS = {"paused": 4.0, "forgotten": 4.0, "swallowed": 6.0}
"""How a wall is cut off, and for how many seconds: nothing passes for a while; nothing passes, and
then only on a new connection; reset, and then taken and never answered."""

ENOUGH = 8.0
"""Seconds after which a wall that does not come back need not be waited for."""

SAYS = """(words) => document.querySelector('.badge')?.textContent === 'live'
  && document.body.textContent.includes(words)"""


async def _wait(page: Page, words: str, *, live: bool) -> float | None:
    """Wait until a page is live with these words, or is not; say how long it took."""
    began = monotonic()
    with suppress(TimeoutError):
        async with asyncio.timeout(ENOUGH):
            while await page.evaluate(SAYS, words) is not live:  # noqa: ASYNC110 - in a browser
                await asyncio.sleep(0.02)
            return monotonic() - began
    return None


async def _cut(kind: str, page: Page, proxy: Proxy, after: float) -> tuple[float | None, ...]:
    """Cut a page off, see when it says so; let it back, see when it is well."""
    await asyncio.sleep(after)
    proxy.freeze()
    if kind == "swallowed":
        proxy.drop()
    began = monotonic()
    badge = await _wait(page, "", live=False)
    await asyncio.sleep(max(0.0, began + CUTS[kind] - monotonic()))
    proxy.thaw(forget=kind != "paused")
    return badge, await _wait(page, "Dinner is served", live=True)


async def test_walls_in_a_browser(tmp_path: Path) -> None:
    """A wall page says within 3 s that it is cut off, and is right within 2 s of the return."""
    async with (
        open_hub(tmp_path) as (hub, director, _ledger),
        AsyncExitStack() as stack,
        launched() as browser,
    ):
        walls = []
        for number, kind in enumerate(CUTS):
            proxy = await stack.enter_async_context(Proxy(hub.port, seed=number))
            page = await browser.new_page()
            await page.goto(f"http://127.0.0.1:{proxy.port}/wall?event=1")
            assert await _wait(page, "", live=True) is not None
            walls.append((kind, page, proxy))
        for _, _, proxy in walls:  # what the page was loaded by is closed when it has been idle
            await until(lambda proxy=proxy: proxy.carrying == 1, "connections linger")
        lag = Lag()
        measuring = asyncio.create_task(lag.run())
        cuts = [
            asyncio.create_task(_cut(kind, page, proxy, number * 0.7))
            for number, (kind, page, proxy) in enumerate(walls)
        ]
        await asyncio.sleep(3)  # all are cut off by then
        await director.done("1", "announce", text="Dinner is served")
        found = await asyncio.gather(*cuts)
        measuring.cancel()
        for (kind, _, proxy), (badge, back) in zip(walls, found, strict=True):
            assert badge is not None
            assert back is not None
            tell(f"{kind}, in a browser: said so after {badge:.2f} s, consistent {back:.2f} s")
            assert badge < BADGE_WITHIN + lag.most + 0.2  # and the time to ask the page
            assert back < CONSISTENT_WITHIN + lag.most + 0.2
            proxy.drop()
