"""A real browser, for what people see: Debian's chromium, driven by playwright."""

from __future__ import annotations

import asyncio
import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from playwright.async_api import async_playwright, expect

from tests.needs import GIVE_UP, program

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from playwright.async_api import Browser, Page

JUMP = 60
"""Seconds by which a page's clock jumps to where it stands: it must not be there already."""

LAID_OUT = """([width, height]) => new Promise((done) => {
  const look = () => {
    const there = innerWidth === width && innerHeight === height;
    requestAnimationFrame(there ? () => requestAnimationFrame(done) : look);
  };
  look();
})"""


@asynccontextmanager
async def launched() -> AsyncIterator[Browser]:
    """Give a browser, in which everything is waited for as long as tests wait for anything."""
    chromium = program("chromium")
    expect.set_options(timeout=1_000 * GIVE_UP)
    async with async_playwright() as driver:
        found = await driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield found
        await found.close()


async def resize(page: Page, width: int, height: int) -> None:
    """Give a page another size, and wait until it has laid itself out for that.

    A page is told of its size in the frame in which it has it, before anything is painted.
    """
    await page.set_viewport_size({"width": width, "height": height})
    await page.evaluate(LAID_OUT, [width, height])


async def stop_clock(page: Page) -> None:
    """Stop the clock of a wall page, where it shows what the hub says, until a test moves it.

    It takes a jump to stop it, after which the page has to hear the hub once more.
    """
    await page.clock.pause_at(await page.evaluate(f"Date.now() / 1_000 + {JUMP}"))
    await run_until(page, ".badge", "live")


async def run_until(page: Page, selector: str, words: str) -> None:
    """Let time pass for a page whose clock stands, until it says something."""
    shown = page.locator(selector).first
    async with asyncio.timeout(GIVE_UP):
        while re.search(words, await shown.text_content() or "") is None:
            await page.clock.run_for(100)
