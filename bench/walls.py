"""How far apart the digits of real walls change, in a real browser, on wires with jitter.

    .venv/bin/python bench/walls.py [--quick]

Three wall pages of one hub, each with a wire that holds every message up by its own chance. When
their digits change is noted on the clock that all pages of one machine have in common.

The reference is the machine's own: in the same pages, at the same time, a bare timer is aimed at
the middle of each second of that clock. What two of these are apart is how late a page gets its
turn, and no page can do better. `bench/sync.py` measures the idea of hub time alone, in virtual
time; that each wall paints what it knows is tested in `tests/faults/test_walls.py`.
"""

from __future__ import annotations

import asyncio
import shutil
from itertools import combinations
from typing import TYPE_CHECKING

from hubs import EVENT, ROOT, hub, make_room, scratch
from playwright.async_api import async_playwright
from report import Row, main, percentile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.async_api import Browser, Page

WALLS = 3
JITTER = 80
"""Milliseconds by which a message may be late on its way, either way."""

SETTLED = 3
"""Changes of digits that are not measured: a page that has just been opened."""

APART = 20
"""Milliseconds that two walls' digits may be apart, 95 times of 100."""

WIRE = ROOT / "tests" / "e2e" / "stage" / "wire.js"

BARE = """() => {
  const common = () => performance.timeOrigin + performance.now();
  const noted = (window.bare = []);
  const aim = () => {
    const second = Math.floor(common() / 1000 + 0.5) + 0.5;
    setTimeout(() => { noted.push([common(), `${second}`]); aim(); }, second * 1000 - common());
  };
  aim();
}"""
"""A timer that is aimed at the middle of every second, and notes when it had its turn."""

MANY = "(wanted) => wire.flips.length >= wanted"

Noted = list[tuple[float, str]]


async def _wall(browser: Browser, port: int) -> Page:
    page = await browser.new_page(viewport={"width": 640, "height": 360})
    await page.add_init_script(path=WIRE)
    await page.add_init_script(f"wire.jitter = {JITTER}")
    await page.goto(f"http://127.0.0.1:{port}/wall?event={EVENT}&scene=clock")
    await page.wait_for_function("() => document.querySelector('.badge')?.textContent === 'live'")
    await page.evaluate(BARE)
    return page


async def _noted(port: int, flips: int) -> tuple[list[Noted], list[Noted]]:
    """Give when the digits of each wall changed to what, and when each bare timer had its turn."""
    chromium = shutil.which("chromium")
    if chromium is None:
        raise RuntimeError("chromium is not installed")
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        pages = [await _wall(browser, port) for _ in range(WALLS)]
        for page in pages:
            await page.wait_for_function(MANY, arg=SETTLED)
        for page in pages:
            await page.evaluate("wire.flips.length = bare.length = 0")
        for page in pages:
            await page.wait_for_function(MANY, arg=flips, timeout=0)
        walls = [await page.evaluate("wire.flips") for page in pages]
        bare = [await page.evaluate("bare") for page in pages]
        await browser.close()
        return walls, bare


def apart(noted: list[Noted]) -> list[float]:
    """Give how far each two pages were apart at everything that both have noted."""
    found = [{label: at for at, label in each} for each in noted]
    return [
        abs(one[label] - other[label])
        for one, other in combinations(found, 2)
        for label in one.keys() & other.keys()
    ]


def rows(quick: bool) -> Iterator[Row]:
    """Measure the walls against their machine."""
    with scratch() as folder:
        make_room(folder, 1)
        server = hub(folder).ready()
        try:
            walls, bare = asyncio.run(_noted(server.port, 5 if quick else 120))
        finally:
            server.kill()
    ours, machine = apart(walls), apart(bare)
    p50, p95 = (percentile(ours, share) for share in (0.5, 0.95))
    reference = percentile(machine, 0.95)
    yield Row(
        f"digits of {WALLS} real walls apart, p95, {JITTER} ms of jitter",
        f"{p95:.1f} ms",
        f"{reference:.1f} ms",
        p95 / reference,
        met=p95 <= APART,
        target=f"<= {APART} ms",
        note=f"p50 {p50:.1f}, worst {max(ours):.1f} ms; reference: the pages' bare timers",
    )


if __name__ == "__main__":
    main(__doc__, rows)
