"""The dealer's tablet while the hub is away: it plays on, keeps its taps, and is soon back."""

from __future__ import annotations

import asyncio
import os
from time import monotonic
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio
from playwright.async_api import expect

from server.access import Badge
from tests.browsers import launched
from tests.e2e.plays import STAGE
from tests.e2e.test_dealer_page import (
    TABLE,
    WIDE,
    Tablet,
    _events,
    _let_in,
    _night,
    _settled,
)
from tests.faults.proxy import Proxy, Weather
from tests.faults.stalls import Stalls
from tests.served import Room, serving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from playwright.async_api import Browser, Page

pytestmark = pytest.mark.asyncio(loop_scope="module")

OUTAGE = float(os.environ.get("RAILBIRD_OUTAGE", "5"))
"""Seconds of refused connections; 180 shows what a browser does after a hundred failures."""

BACK_WITHIN = 2.0

FRESH = "() => document.querySelector('#dealer').dataset.link === 'fresh'"

KEPT = """async () => {
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    if (name.startsWith('railbird-dealer-') && await cache.match('/dealer')) return true;
  }
  return false;
}"""
"""Whether the page is kept for when the hub is away."""

QUICKLY = """async ([key, times, apart]) => {
  const node = document.querySelector(`[data-key='${key}']`);
  const finger = { pointerId: 1, button: 0, bubbles: true };
  const touch = (type) => node.dispatchEvent(new PointerEvent(type, finger));
  let due = 0;
  for (let time = 0; time < times; time += 1) {
    while (performance.now() < due) await new Promise((done) => setTimeout(done, 1));
    touch("pointerdown");
    touch("pointerup");
    due = performance.now() + apart;
  }
}"""
"""A quick finger: so many touches of a button, so many milliseconds apart or a little more; none
apart, they come at once however busy the machine is."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    """Give one browser to all tests here."""
    async with launched() as found:
        yield found


async def _opened(browser: Browser, room: Room, proxy: Proxy, **options: Any) -> Tablet:
    """Open a tablet at a table whose first player's time runs."""
    context = await browser.new_context(
        has_touch=True,
        viewport={"width": WIDE[0], "height": WIDE[1]},
        reduced_motion="reduce",
        **options,
    )
    tablet = Tablet(await context.new_page())
    await _let_in(tablet, room, base=f"http://127.0.0.1:{proxy.port}")
    await tablet.press("big")
    await tablet.says("START", ".big")
    await tablet.press("big")
    await _turn(tablet.page, 4)
    return tablet


async def _turn(page: Page, seat: int) -> None:
    """Wait until it is a seat's turn."""
    await expect(page.locator(".seat[data-turn]")).to_have_attribute("data-seat", str(seat))


async def _cut(tablet: Tablet, proxy: Proxy) -> None:
    """Refuse all connections, and wait until the tablet says so."""
    proxy.close()
    proxy.drop()
    await expect(tablet.page.locator("#dealer")).to_have_attribute("data-link", "coasting")


def _acts(room: Room, before: int) -> list[tuple[str, int]]:
    """Tell from the journal what ended whose action."""
    ended = [body for body in _events(room)[before:] if body["event"] == "action.ended"]
    return [("fold" if body["folded"] else "act", body["seat"]) for body in ended]


async def test_offline_the_table_is_played_on(tmp_path: Path, browser: Browser) -> None:
    """Seats move, clocks run from the taps and are marked; on return each tap counts once."""
    async with serving(tmp_path / "data") as room, Proxy(room.port) as proxy:
        await _night(room)
        tablet = await _opened(browser, room, proxy)
        page, root = tablet.page, tablet.page.locator("#dealer")
        before = len(_events(room))
        await _cut(tablet, proxy)
        await expect(root).not_to_have_attribute("data-assumed", "yes")
        await tablet.press("fold")
        await _turn(page, 5)
        await expect(root).to_have_attribute("data-assumed", "yes")
        await tablet.says("not confirmed by the hub", ".said")
        await tablet.says("seat 5", "[data-key='fold']")
        await expect(page.locator(".seat[data-seat='4']")).to_have_attribute("data-folded", "")
        digits = page.locator("rb-digits")
        shown = await digits.get_attribute("aria-label") or ""
        await expect(digits).not_to_have_attribute("aria-label", shown)  # it runs
        await tablet.fits("offline")
        await tablet.press("count")
        await tablet.says("COUNTING", ".word")
        await tablet.press("big")
        await _turn(page, 6)
        await tablet.fits("offline-count", (WIDE,))
        await proxy.open()
        await _settled(page)
        await _turn(page, 6)
        assert _acts(room, before) == [("fold", 4), ("act", 5)]
        assert tablet.faults == []
        await page.context.close()


async def _told_once(page: Page, key: str, words: str) -> None:
    """Touch a button twice at once; words say that one of them did not count, for a moment."""
    said = "(words) => document.querySelector('#words').textContent.includes(words)"
    seen = asyncio.create_task(page.wait_for_function(said, arg=words))
    await page.evaluate(QUICKLY, [key, 2, 0])
    await seen


async def test_quick_folds(tmp_path: Path, browser: Browser) -> None:
    """Five FOLD taps 120 ms apart fold five seats, also where the hub is slow; a bounce is one."""
    async with serving(tmp_path / "data") as room, Proxy(room.port) as proxy:
        await _night(room)
        tablet = await _opened(browser, room, proxy)
        before = len(_events(room))
        proxy.weather = Weather(delay=(0.1, 0.1))  # an answer comes after the next tap
        await tablet.page.evaluate(QUICKLY, ["fold", 5, 120])
        await _turn(tablet.page, 9)
        await _settled(tablet.page)
        assert _acts(room, before) == [("fold", seat) for seat in range(4, 9)]
        await _told_once(tablet.page, "fold", "FOLD once")
        await _turn(tablet.page, 1)
        await _told_once(tablet.page, "bank", "TIME BANK +1 once: same player")
        await tablet.fits("once", (WIDE,))
        await _settled(tablet.page)
        assert _acts(room, before)[5:] == [("fold", 9)]
        assert tablet.faults == []
        await tablet.page.context.close()


async def test_a_reload_while_the_hub_is_away(tmp_path: Path, browser: Browser) -> None:
    """The page comes from the service worker with its table and its taps, and plays on."""
    async with serving(tmp_path / "data") as room, Proxy(room.port) as proxy:
        await _night(room)
        tablet = await _opened(browser, room, proxy)
        page = tablet.page
        before = len(_events(room))
        await page.wait_for_function(KEPT)
        await _cut(tablet, proxy)
        await tablet.press("fold")
        await _turn(page, 5)
        await page.reload()
        await _turn(page, 5)
        await tablet.says("not confirmed by the hub", ".said")
        await expect(page.locator(".seat[data-seat='4']")).to_have_attribute("data-folded", "")
        await tablet.press("fold")
        await _turn(page, 6)
        await tablet.fits("offline-reloaded", (WIDE,))
        await proxy.open()
        await _settled(page)
        await _turn(page, 6)
        assert _acts(room, before) == [("fold", 4), ("fold", 5)]
        await page.reload()
        await _settled(page)
        assert _acts(room, before) == [("fold", 4), ("fold", 5)]
        await page.context.close()


async def test_a_tablet_that_ran_out_of_power(tmp_path: Path, browser: Browser) -> None:
    """Where no service worker is allowed, taps are sent once when the page can be loaded again."""
    async with serving(tmp_path / "data") as room, Proxy(room.port) as proxy:
        await _night(room)
        tablet = await _opened(browser, room, proxy, service_workers="block")
        before = len(_events(room))
        await _cut(tablet, proxy)
        await tablet.press("fold")
        await _turn(tablet.page, 5)
        context = tablet.page.context
        await tablet.page.close()
        await proxy.open()
        again = Tablet(await context.new_page())
        await again.open(f"http://127.0.0.1:{proxy.port}")
        await _turn(again.page, 5)
        await _settled(again.page)
        assert _acts(room, before) == [("fold", 4)]
        assert again.faults == []
        await context.close()


async def test_the_hubs_own_page_comes_first(tmp_path: Path, browser: Browser) -> None:
    """What is kept is never shown while the hub is there, and nothing but the page goes there."""
    async with serving(tmp_path / "data") as room, Proxy(room.port) as proxy:
        await _night(room)
        tablet = await _opened(browser, room, proxy)
        page = tablet.page
        await page.wait_for_function(KEPT)
        kept = "async () => (await caches.open((await caches.keys())[0]))"
        old = "new Response('yesterday', {headers: {'Content-Type': 'text/html'}})"
        await page.evaluate(f"async () => {{ await (await ({kept})()).put('/dealer', {old}); }}")
        served: dict[str, bool] = {}
        page.on(
            "response",
            lambda found: served.__setitem__(
                "/" + found.url.split("/", 3)[3].partition("?")[0], found.from_service_worker
            ),
        )
        await page.reload()
        await _turn(page, 4)
        for path in ("/healthz", "/pages.json", "/api/v1/documents/events"):
            await page.evaluate("(path) => fetch(path)", path)
            assert served[path] is False
        assert served["/dealer"] is True
        assert served["/console/dealer.js"] is True
        assert "yesterday" not in await page.content()
        await page.context.close()


async def test_back_soon_after_refused_connections(tmp_path: Path, browser: Browser) -> None:
    """Back within 2 s of the hub's return, as no socket was tried that had to fail."""
    async with serving(tmp_path / "data") as room, Proxy(room.port) as proxy:
        await _night(room)
        context = await browser.new_context()
        token = room.token(Badge("dealer", "Table 7", "1", TABLE))
        await context.add_init_script(f"localStorage.setItem('railbird-token', '{token}')")
        page = await context.new_page()
        await page.add_init_script(path=STAGE / "wire.js")
        sockets: list[float] = []
        page.on("websocket", lambda _: sockets.append(monotonic()))
        await page.goto(f"http://127.0.0.1:{proxy.port}/dealer")
        root = page.locator("#dealer")
        await expect(root).to_have_attribute("data-link", "fresh")
        proxy.close()
        proxy.drop()
        await expect(root).to_have_attribute("data-link", "coasting")
        before = len(sockets)
        await asyncio.sleep(OUTAGE)
        assert len(sockets) == before
        stalls = Stalls(room.ws)
        async with stalls.watched():
            took, held = stalls.watch(), await page.evaluate("wire.held")
            await proxy.open()
            await page.wait_for_function(FRESH)
            own = took() - (await page.evaluate("wire.held") - held) / 1_000
        assert own < BACK_WITHIN
        assert len(sockets) == before + 1
        await context.close()
