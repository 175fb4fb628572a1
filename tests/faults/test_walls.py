"""Sync that can be proved: walls on bad wires paint what their own idea of hub time says, exactly.

How far apart two walls' digits change on a real machine is measured by `bench/walls.py`, and on bad
networks in virtual time by `bench/sync.py`. Here is what no busy machine can excuse.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import aiohttp
from playwright.async_api import expect

from server.protocol.countdown import digits, next_flip
from server.protocol.sync import DRIFT, HubClock
from tests.browsers import launched, stop_clock
from tests.e2e.plays import STAGE
from tests.faults.figures import tell
from tests.faults.process import HubProcess, until
from tests.faults.stalls import Stalls
from tests.faults.test_proxy import BADGE_WITHIN, CONSISTENT_WITHIN

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.async_api import Browser, Page

WALLS = 3
JITTER = 80
"""Milliseconds by which a message may be late on its way, either way."""

FLIPS = 8
SOONEST = 4
"""Milliseconds after a look at which a page looks again at the earliest."""

MINUTE = 60_000

IS_AS_THE_HUB = """() => document.querySelector('.badge')?.textContent === 'live'
  && document.querySelector('.band')?.textContent.includes('the lights went out')"""
"""Looked at in every frame: `expect` looks only once a second after a while."""


async def _do(hub: HubProcess, do: str, event: str = "1", **args: Any) -> None:
    headers = {"Authorization": f"Bearer {hub.token}"}
    address = f"http://127.0.0.1:{hub.port}/api/v1/commands"
    body = {"do": do, "event": event, "args": args}
    async with aiohttp.ClientSession(headers=headers) as web, web.post(address, json=body) as said:
        assert said.status == 200, await said.text()


@dataclass
class Painted:
    """What a wall has painted, and what it knew of hub time at the end."""

    flips: int
    first: int  # its own time of the first look and of the last
    last: int
    clock: HubClock


def replayed(log: list[dict[str, Any]]) -> Painted:
    """Go through what a wall was told and what it painted, and insist that each look was right.

    The same answers give the same idea of hub time here. At the instant that the page read for a
    look, the digits are the whole seconds that were left, and the next look is aimed at the very
    millisecond at which the first of them changes, or earlier.
    """
    clock, ends_at, shown = HubClock(), None, []
    looks = []
    for entry in log:
        own = entry.get("own", 0)
        match entry["is"]:
            case "answer":
                sent, at, held = entry["sent"], entry["at"], entry["held"]
                clock.answered(sent, at, at + held, own)
            case "clock":
                ends_at = entry["ends_at"]
            case _ if clock.known and ends_at is not None and entry["shows"] is not None:
                left = ends_at - clock.now(own)
                assert entry["shows"] == digits(left), f"{left} ms were left: {entry}"
                flip = next_flip(left)
                assert flip is not None
                assert entry["again"] <= max(SOONEST, flip), f"{left} ms were left: {entry}"
                shown.append(entry["shows"])
                looks.append(own)
            case _:
                pass  # nothing to count down was known
    assert looks, "it never looked"
    flips = sum(one != other for one, other in pairwise(shown))
    return Painted(flips, looks[0], looks[-1], clock)


async def test_walls_on_bad_wires(tmp_path: Path) -> None:
    """Digits are right for their instant; a cut wall says so and counts on; a death costs 2 s."""
    async with launched() as browser:
        hub = HubProcess(tmp_path)
        hub.start()
        try:
            await hub.ready()
            await until((hub.data / "director.token").exists, "no director")
            await _do(hub, "event.create", "", preset="star-brisbane-saturday")
            await _do(hub, "clock.start")
            await _cut(browser, hub)
            pages = [await _wall(browser, hub) for _ in range(WALLS)]
            await _count_together(pages)
            await _killed(hub, pages)
        finally:
            hub.kill()


async def _wall(browser: Browser, hub: HubProcess, *, timed: bool = False) -> Page:
    """Open a wall on a bad wire; one that is timed lives by a clock that the test moves."""
    context = await browser.new_context(viewport={"width": 640, "height": 360})
    page = await context.new_page()
    if timed:
        await page.clock.install()
    await page.add_init_script(path=STAGE / "wire.js")
    if not timed:
        await page.add_init_script(f"wire.jitter = {JITTER}")
    await page.goto(f"http://127.0.0.1:{hub.port}/wall?event=1&scene=clock")
    await expect(page.locator(".badge").first).to_have_text("live")
    return page


async def _count_together(pages: list[Page]) -> None:
    """Every look is right for its instant, and all walls mean the same instant.

    Two ideas of hub time are apart by no more than both walls say that they may be wrong.
    """
    for page in pages:
        await page.wait_for_function("(wanted) => wire.flips.length >= wanted", arg=FLIPS)
    found = [replayed(await page.evaluate("wire.log")) for page in pages]
    assert all(painted.flips >= FLIPS - 3 for painted in found), found
    origins = [await page.evaluate("performance.timeOrigin") for page in pages]
    ahead, unsure = [], []
    for painted, origin in zip(found, origins, strict=True):
        ahead.append(painted.clock.offset(painted.last) - origin)
        unsure.append(painted.clock.uncertainty(painted.last))
    for one, other in combinations(range(WALLS), 2):
        apart = abs(ahead[one] - ahead[other])
        assert apart <= unsure[one] + unsure[other] + DRIFT, f"{apart} ms: {unsure}"
    tell(
        f"{WALLS} walls on wires with {JITTER} ms of jitter: every look right for its instant, "
        f"{sum(painted.flips for painted in found)} changes of digits; ideas of hub time "
        f"{max(ahead) - min(ahead):.1f} ms apart, each sure of it to {max(unsure):.0f} ms at most"
    )


async def _cut(browser: Browser, hub: HubProcess) -> None:
    """Cut a wall off without a word: within 3 s of its own time it says so, and counts on.

    Its clock is moved by the test, so that no machine is too busy for it.
    """
    page = await _wall(browser, hub, timed=True)
    badge = page.locator(".badge").first
    await stop_clock(page)
    await page.evaluate("wire.cut = true")
    await page.clock.run_for(round(1_000 * BADGE_WITHIN))
    assert "hub away" in (await badge.text_content() or "")
    before = replayed(await page.evaluate("wire.log"))
    await page.clock.run_for(MINUTE)
    after = replayed(await page.evaluate("wire.log"))
    assert after.flips - before.flips == 60
    await page.context.close()


async def _killed(hub: HubProcess, pages: list[Page]) -> None:
    """Kill the hub and start it again: 2 s after it is back all walls are as it is."""
    hub.kill()
    for page in pages:
        await expect(page.locator(".badge").first).to_contain_text("hub away")
    stalls = Stalls(hub.ws)
    async with stalls.watched():
        hub.start()
        await hub.ready()
        held = [await page.evaluate("wire.held") for page in pages]
        took = stalls.watch()
        await _do(hub, "clock.pause", reason="the lights went out")
        await asyncio.gather(*(page.wait_for_function(IS_AS_THE_HUB) for page in pages))
        now = [await page.evaluate("wire.held") for page in pages]
        own = took() - max(b - a for a, b in zip(held, now, strict=True)) / 1_000
    tell(f"killed hub: consistent {own:.2f} s after it was back, without what the machine stalled")
    assert own <= CONSISTENT_WITHIN
    shown = {await page.locator("rb-digits").get_attribute("aria-label") for page in pages}
    assert len(shown) == 1
