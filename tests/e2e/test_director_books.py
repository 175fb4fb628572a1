"""The director's console where it keeps books: starts, lengths in hands, screens, late busts."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from playwright.async_api import expect

from tests.e2e.test_director_page import Console, _console, _link
from tests.hub.test_events import own_preset
from tests.served import Room, Wire, serving

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.async_api import Browser


async def _told(director: Wire, topic: str, found: Any) -> None:
    """Wait until a document says something; it may be a moment behind an answer."""
    await director.follow(topic)
    while not found(director.docs[topic]):
        await director.heard_of("doc")


async def _opened(browser: Browser, room: Room) -> Console:
    td = await _console(browser)
    await td.enter(room.served.local, _link(room))
    return td


async def test_the_houses_start_is_offered_kept_and_cleared(
    tmp_path: Path, browser: Browser
) -> None:
    """A house that starts in three hours: untouched its clock is set, cleared it is by hand."""
    folder = tmp_path / "presets"
    start = f"{datetime.now().astimezone() + timedelta(hours=3):%H:%M}"
    own_preset(folder, "timed", **{"name = ": f'start = "{start}"\nname = '})
    async with serving(tmp_path / "data", presets=folder) as room:
        td = await _opened(browser, room)
        director = await room.dial(room.director)
        await td.keys("E")
        await td.page.locator("#sheet select").select_option("apl")
        label = "Start time (optional; empty: by hand)"
        await expect(td.page.locator("#sheet").get_by_label(label, exact=True)).to_have_value("")
        await td.page.locator("#sheet select").select_option("timed")
        label = f"Start time (optional; house default {start}; empty: by hand)"
        at = td.page.locator("#sheet").get_by_label(label, exact=True)
        assert (await at.input_value()).endswith(start)
        await td.page.screenshot(path=tmp_path / "create.png")
        await td.fill("Name", "By itself")
        await td.done()
        await td.says("By itself", "#strip")
        await td.keys("E")
        await td.page.locator("#sheet select").select_option("timed")
        await at.fill("")
        await td.fill("Name", "By hand")
        await td.done()
        await td.says("By hand", "#strip")
        await director.follow("t/1", "t/2")
        assert director.docs["t/1"]["clock"]["starts_at"] is not None
        assert director.docs["t/2"]["clock"]["starts_at"] is None
        assert td.faults == []


async def test_a_level_is_given_hands_and_minutes_again(tmp_path: Path, browser: Browser) -> None:
    """Twelve hands, saved; then twenty-five minutes, saved: neither is lost on the way."""
    async with serving(tmp_path / "data") as room:
        director = await room.dial(room.director)
        await director.done("event.create", event="", preset="selkirk-consolation")
        td = await _opened(browser, room)
        await td.keys("2")
        second = td.page.locator(".steprow:not(.head) >> nth=1")
        was = await second.locator("[name=minutes]").input_value()
        await second.locator("[name=hands]").fill("12")
        await td.keys("Tab")
        await td.says("The end is not known", ".ends")
        await expect(second.locator("[name=minutes]")).to_have_attribute("placeholder", was)
        await td.page.screenshot(path=tmp_path / "hands.png")
        await second.locator("[name=hands]").fill("")
        await td.keys("Tab")
        await expect(second.locator("[name=minutes]")).to_have_value(was)
        await expect(td.page.get_by_role("button", name="Save the changes")).to_be_hidden()
        await second.locator("[name=hands]").fill("12")
        await td.keys("Tab")
        await td.page.get_by_role("button", name="Save the changes").click()
        await _told(director, "t/1/structure", lambda doc: doc["steps"][1]["hands"] == 12)
        await expect(second.locator("[name=hands]")).to_have_value("12")
        await second.locator("[name=minutes]").fill("25")
        await td.keys("Tab")
        await td.page.get_by_role("button", name="Save the changes").click()
        await _told(director, "t/1/structure", lambda doc: doc["steps"][1]["minutes"] == 25)
        assert director.docs["t/1/structure"]["steps"][1]["hands"] is None
        assert td.faults == []


async def test_a_screen_form_left_unchanged_changes_nothing(
    tmp_path: Path, browser: Browser
) -> None:
    """A screen with scenes that take turns keeps them, whatever else its form is used for."""
    async with serving(tmp_path / "data") as room:
        director = await room.dial(room.director)
        for _ in range(2):
            await director.done("event.create", event="", preset="apl")
        td = await _opened(browser, room)
        wall = await td.page.context.new_page()
        await wall.goto(td.page.url.replace("/director", "/wall"))
        await td.keys("4")
        await td.page.locator(".asking").get_by_role("button", name="Approve").click()
        await td.fill("Name", "Main wall")
        await td.done()
        await director.follow("devices")
        (screen,) = [d for d in director.docs["devices"]["devices"] if d["name"] == "Main wall"]
        settings = {"scene": "clock,tables", "sound": "level,minute", "rotate": 90}
        await director.done("screen.set", event="", device=screen["id"], **settings)
        row = td.page.locator(".device", has_text="Main wall")
        await expect(row).to_contain_text("clock,tables")
        await row.get_by_role("button", name="show…").click()
        await td.page.screenshot(path=tmp_path / "screen.png")
        await td.done()
        await expect(td.page.locator(".act", has_text="Main wall: ")).to_have_count(0)
        await row.get_by_role("button", name="show…").click()
        await td.page.locator("#sheet").get_by_label("black").check()
        await td.done()
        await td.confirmed("Main wall: black")
        await director.follow(f"screens/{screen['id']}")
        found = director.docs[f"screens/{screen['id']}"]["settings"]
        assert {key: found[key] for key in settings} == settings
        assert found["blackout"] is True


async def test_a_bust_is_told_of_the_hand_before(tmp_path: Path, browser: Browser) -> None:
    """Hand 2 is released when the floor hears of a bust in hand 1: it is taken down there."""
    async with serving(tmp_path / "data") as room:
        director = await room.dial(room.director)
        await director.done("event.create", event="", preset="apl")
        for table in (1, 2):
            for seat in (1, 2, 3):
                at = {"table": table, "seat": seat}
                await director.done("seat.put", player=f"{table}-{seat}", **at)
        await director.done("clock.start")
        await director.done("h4h.announce")
        await director.done("h4h.next")
        await director.done("player.bust", player="1-1")
        for table in (1, 2):
            await director.done("h4h.done", table=table)
        await director.done("h4h.next")
        td = await _opened(browser, room)
        await td.keys("t")
        await td.fill("Table", "2")
        await td.page.keyboard.press("Enter")
        await td.page.locator("#drawer button.seat >> nth=0").click()
        await td.page.locator("#sheet select").select_option("previous hand (1)")
        await td.page.screenshot(path=tmp_path / "bust.png")
        await td.page.locator("#sheet").get_by_role("button", name="Is out").click()
        await _told(director, "t/1", lambda doc: len(doc["field"]["finishes"]) == 2)
        places = {f["player"]: f["place"] for f in director.docs["t/1"]["field"]["finishes"]}
        assert places == {"1-1": 5, "2-1": 5}
        assert td.faults == []


async def test_AP_RP8b_a_hand_may_cost_up_to_three_minutes(
    tmp_path: Path, browser: Browser
) -> None:
    """The league's two minutes are offered first; what is chosen is what each hand costs."""
    async with serving(tmp_path / "data") as room:
        director = await room.dial(room.director)
        await director.done("event.create", event="", preset="apl")
        for table in (1, 2):
            await director.done("seat.put", player=f"{table}", table=table, seat=1)
        await director.done("clock.start")
        await director.follow("t/1")
        td = await _opened(browser, room)
        await td.keys("h")
        cost = td.page.locator("#sheet").get_by_label("A hand costs")
        assert await cost.locator("option").all_text_contents() == [
            "2:00, as the house does",
            "1:00",
            "1:30",
            "2:30",
            "3:00",
        ]
        await cost.select_option("3:00")
        await td.page.screenshot(path=tmp_path / "hand-for-hand.png")
        await td.done()
        await _told(director, "t/1", lambda doc: doc["h4h"]["status"] != "off")
        assert director.docs["t/1"]["h4h"]["cost_ms"] == 180_000
        assert td.faults == []
