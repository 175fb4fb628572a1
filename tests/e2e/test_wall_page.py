"""The wall in a real browser: every state in words, every size without overflow, an honest link."""

from __future__ import annotations

import re
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from playwright.async_api import expect

from tests.browsers import run_until, stop_clock
from tests.served import Room, Wire, serving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from playwright.async_api import Browser, Page

WALL = (1280, 720)
BADGE_WITHIN = 3_000
"""Milliseconds after which a wall that does not hear the hub says so."""

# Digits that are shown for a second are missed by who looks once a second; which they are at what
# instant is held to the millisecond in tests/faults/test_walls.py.
AHEAD, FIRST_LEVEL = re.compile(r"^22:\d\d$"), re.compile(r"^1[89]:\d\d$")
ON_THE_CLOCK = re.compile(r"^0:[01]\d$")
NOON, TIME = 1_800_000_000, r"\d:\d\d"

NAMES = (
    "Kim",
    "Lee",
    "Ng Thi Phuong Thao",
    "Alexandra Papadopoulos-Vandenberg",
    "<b>Zoë</b>",
    "Ito",
)
LONG = "The 43rd Annual International Extraordinarily Long Named Poker Championship, X"
HUGE = 500_000_000


class Screen:
    """A wall in a browser, and what is wrong with it."""

    def __init__(self, page: Page, base: str) -> None:
        self.page, self.base = page, base
        self.faults: list[str] = []
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda said: self.faults.append(said.text) if _bad(said) else None)

    async def show(self, query: str) -> None:
        """Open the wall."""
        await self.page.goto(f"{self.base}/wall?{query}")
        await expect(self.page.locator(".badge").first).to_have_text("live")

    async def says(self, words: str, selector: str = "#wall") -> None:
        """Wait until the screen says something."""
        await expect(self.page.locator(selector).first).to_contain_text(words)


def _where_it_is_noon() -> str:
    """Name a time zone in which no start that is soon is tomorrow, whenever this runs."""
    ahead = 12 - time.gmtime().tm_hour
    return f"Etc/GMT{-ahead:+}" if ahead else "Etc/GMT"  # their signs are the other way round


def _bad(said: Any) -> bool:
    return said.type == "error" and "ERR_CONNECTION_REFUSED" not in said.text


@asynccontextmanager
async def _wall(tmp_path: Path, browser: Browser) -> AsyncIterator[tuple[Room, Wire, Screen]]:
    """Give a hub, its director and a wall that makes no mistakes."""
    page = await browser.new_page(
        viewport={"width": WALL[0], "height": WALL[1]},
        reduced_motion="reduce",
        timezone_id=_where_it_is_noon(),
    )
    async with serving(tmp_path / "data") as room:
        director = await room.dial(room.director)
        screen = Screen(page, room.served.local)
        yield room, director, screen
    assert screen.faults == []


async def _seated(director: Wire, event: str, tables: int, seats: int = 6) -> None:
    for table in range(1, tables + 1):
        await director.done("table.open", event=event, table=table)
        for seat in range(1, seats + 1):
            name, player = NAMES[seat - 1], f"p{table}-{seat}"
            await director.done(
                "seat.put", event=event, player=player, name=name, table=table, seat=seat
            )


def _soon(minutes: int) -> int:
    return int(time.time() * 1_000) + minutes * 60_000


async def test_every_state_of_the_clock(tmp_path: Path, browser: Browser) -> None:
    """Each state is said in words, with its digits."""
    async with _wall(tmp_path, browser) as (_, td, wall):
        await td.done("event.create", event="", preset="star-brisbane-saturday")
        await td.done("event.schedule", starts_at=_soon(23))
        await wall.show("event=1&scene=clock")
        await wall.says("STARTS AT", ".band")
        await expect(wall.page.locator("rb-digits")).to_have_attribute("aria-label", AHEAD)
        await _seated(td, "1", 7)
        await td.done("clock.start")
        await td.done("level.goto", level=7)
        await td.done("clock.set", remaining_ms=754_500)
        await wall.says("400 / 800", ".blinds")
        await wall.says("42", ".right")
        await wall.says("500 / 1,000", ".cards")
        tall = "document.querySelector('rb-digits').getBoundingClientRect().height / innerHeight"
        assert await wall.page.evaluate(tall) >= 0.30
        await td.done("announce", text="Dinner is served until 20:30. Show your seat card.")
        await wall.says("Dinner", ".foot")
        await td.done("announce.clear")
        await td.done("clock.set", remaining_ms=42_000)
        await wall.says("LAST MINUTE", ".band")
        await td.done("clock.set", remaining_ms=754_500)
        await td.done("clock.pause", reason="floor decision, table 9")
        await wall.says("PAUSED", ".band")
        await wall.says("floor decision, table 9", ".band")
        await td.done("clock.resume")
        await td.done("break.call", minutes=15)
        await wall.says("BREAK", ".band")
        await wall.says("back to level 7", ".ante")
        await td.done("break.end")
        await td.done("event.suspend", resumes_at=_soon(17 * 60))
        await wall.says("SUSPENDED", ".band")


async def test_hand_for_hand(tmp_path: Path, browser: Browser) -> None:
    """The band counts hands and tables; when all are done the clock is shown as held."""
    async with _wall(tmp_path, browser) as (_, td, wall):
        await td.done("event.create", event="", preset="star-brisbane-saturday")
        await _seated(td, "1", 4, seats=2)
        await td.done("clock.start")
        await wall.show("event=1")
        await td.done("h4h.announce")
        await wall.says("HAND FOR HAND", ".band")
        await td.done("h4h.next")
        for table in (1, 2, 3):
            await td.done("hand.start", table=table)
            await td.done("hand.end", table=table)
        await wall.says("hand 1 · 3 of 4 tables done", ".band")
        await wall.says("from the money", ".caption")
        await wall.page.goto(f"{wall.base}/wall?event=1&scene=tables")
        await expect(wall.page.locator(".tile .word")).to_have_text(
            ["done", "done", "done", "playing"]
        )
        await td.done("hand.start", table=4)
        await td.done("hand.end", table=4)
        await wall.show("event=1")
        await wall.says("clock held at", ".under")
        await wall.says("7", "rb-digits")


async def test_long_names_and_huge_blinds(tmp_path: Path, browser: Browser) -> None:
    """Nothing breaks with long names and ten-digit blinds; the winner is named, as plain text."""
    async with _wall(tmp_path, browser) as (_, td, wall):
        await td.done("event.create", event="", preset="star-brisbane-saturday", name=LONG)
        level = {"small": HUGE, "big": 2 * HUGE, "ante": 2 * HUGE, "minutes": 90}
        rest = {"phase": "break", "minutes": 15, "colour_up": [100, 500]}
        await td.done("structure.set", steps=[level, rest, level])
        await td.done("table.open", table=1)
        for seat in (1, 5):
            await td.done("seat.put", player=f"p{seat}", name=NAMES[seat - 1], table=1, seat=seat)
        await td.done("clock.start")
        await wall.show("event=1")
        await wall.says("500,000,000 / 1,000,000,000", ".blinds")
        await td.done("level.next")
        await wall.says("REMOVE FROM PLAY".lower(), ".chips")
        await expect(wall.page.locator("svg.chip")).to_have_count(2)
        await td.done("player.bust", player="p1")
        await td.done("event.finish")
        await wall.says("FINISHED", ".band")
        await wall.says("<b>Zoë</b>", ".winner")
        await wall.says("2nd", ".cards")


async def test_a_feature_table(tmp_path: Path, browser: Browser) -> None:
    """Seats, turn and time banks are seen; an expired clock is ruled in words."""
    async with _wall(tmp_path, browser) as (_, td, wall):
        await td.done("event.create", event="", preset="star-brisbane-saturday")
        await _seated(td, "1", 1)
        await td.done("clock.start")
        await wall.show("event=1&scene=table&table=1")
        await td.done("hand.start", table=1)
        await td.done("action.start", table=1, seat=4, facing_bet=True)
        await wall.says("seat 4 · Alexandra", ".whose")
        await wall.says("●●●●", ".seat[data-turn='true']")
        await expect(wall.page.locator("rb-digits")).to_have_attribute("aria-label", ON_THE_CLOCK)
        await wall.show("event=1&table=1&overlay=1")
        ground = "getComputedStyle(document.body).backgroundColor"
        assert await wall.page.evaluate(ground) == "rgba(0, 0, 0, 0)"
        await wall.says("seat 4", ".whose")
        await wall.page.screenshot(path=tmp_path / "overlay.png", omit_background=True)
        await td.done("action.hold", table=1)
        await wall.says("HELD", ".word")
        await wall.show("event=1&table=9")
        await wall.says("Table 9 is not open.", ".empty")
        await td.done("event.create", event="", preset="apl")
        await _seated(td, "2", 1, seats=3)
        await td.done("clock.start", event="2")
        await td.done("shotclock.introduce", event="2", seconds=1, chips=0)
        await wall.show("event=2&table=1")
        await td.done("hand.start", event="2", table=1)
        await td.done("action.start", event="2", table=1, seat=1, facing_bet=True)
        await wall.says("DEAD HAND", ".word")


async def test_several_events(tmp_path: Path, browser: Browser) -> None:
    """The lobby lists all events, the grid shows four clocks."""
    async with _wall(tmp_path, browser) as (_, td, wall):
        for number, preset in enumerate(("selkirk-main", "apl", "888pl", "apl-tour"), start=1):
            await td.done("event.create", event="", preset=preset)
            if number != 2:
                await td.done("clock.start", event=str(number))
        await td.done("clock.pause", event="3", reason="fire alarm")
        await wall.show("scene=lobby")
        await expect(wall.page.locator(".row .status")).to_have_text(
            ["PLAYING", "NOT STARTED", "PAUSED", "PLAYING"]
        )
        await wall.show("scene=grid")
        await expect(wall.page.locator(".cell")).to_have_count(4)


async def test_the_hub_goes_away(tmp_path: Path, browser: Browser) -> None:
    """Within 3 s the badge is up, the digits go on, and the announced level comes by itself.

    All of it by the page's own clock, which is moved here: no machine is too busy for that.
    """
    async with _wall(tmp_path, browser) as (_, td, wall):
        clock, digits = wall.page.clock, wall.page.locator("rb-digits")
        await clock.install()
        await td.done("event.create", event="", preset="star-brisbane-saturday")
        await td.done("clock.start")
        await wall.show("event=1&sound=level")
        await wall.says("100 / 100", ".blinds")
        await wall.says("Sound is blocked", "#hints")
        await stop_clock(wall.page)
    await clock.run_for(BADGE_WITHIN)
    assert "hub away" in (await wall.page.locator(".badge").first.text_content() or "")
    await wall.says("100 / 100", ".blinds")
    minutes, _, seconds = (await digits.get_attribute("aria-label") or "").partition(":")
    await clock.run_for(1_000 * (60 * int(minutes) + int(seconds)))
    await expect(wall.page.locator(".left .value").first).to_have_text("2")
    await wall.says("100 / 200", ".blinds")
    await expect(wall.page.locator("html")).to_have_attribute("data-sounded", "level")
    await clock.run_for(2_000)
    assert await digits.get_attribute("aria-label") == "19:58"
    await clock.fast_forward(301_000)
    await wall.says("DO NOT TRUST THIS CLOCK", "#trust")
    assert wall.faults == []


async def test_a_reload_is_silent(tmp_path: Path, browser: Browser) -> None:
    """An announcement is heard once, and not again after a reload.

    The page's own clock stands: a wall that has not looked for seconds would make no sound.
    """
    async with _wall(tmp_path, browser) as (_, td, wall):
        page = wall.page.locator("html")
        await wall.page.clock.install(time=0)
        await wall.page.clock.pause_at(NOON)
        await td.done("event.create", event="", preset="apl")
        await wall.show("event=1&sound=all")
        await wall.says("NOT STARTED", ".band")
        await run_until(wall.page, ".tod", TIME)  # what is there by now makes no sound
        await td.done("announce", text="Dinner")
        await expect(page).to_have_attribute("data-sounded", "announcement")
        await wall.page.reload()
        await run_until(wall.page, ".tod", TIME)
        await wall.says("Dinner", ".foot")  # a sound would have come with it
        assert await page.get_attribute("data-sounded") is None


async def test_the_legacy_page(tmp_path: Path, browser: Browser) -> None:
    """The page for old televisions counts down by polling, and says when the hub is gone."""
    async with _wall(tmp_path, browser) as (_, td, wall):
        await td.done("event.create", event="", preset="star-brisbane-saturday")
        await td.done("clock.start")
        await wall.page.goto(f"{wall.base}/legacy?event=1")
        await wall.says("100 / 100", "#blinds")
        await expect(wall.page.locator("#digits")).to_have_text(FIRST_LEVEL)
        await td.done("clock.pause", reason="fire alarm")
        await wall.says("PAUSED", "#band")
        await wall.says("fire alarm", "#band")
        await wall.page.screenshot(path=tmp_path / "legacy.png")
    await wall.says("HUB AWAY", "#state")
