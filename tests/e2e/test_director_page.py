"""The director's console in a real browser: whole nights, several events, several directors."""

from __future__ import annotations

import re
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

from playwright.async_api import expect

from server.access import FLOOR, Badge
from server.wishes import WISHES
from tests.browsers import resize
from tests.served import ROOT, Room, Wire, serving
from themes import Shelf

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.async_api import Browser, Page

LAPTOP, TABLET, PHONE = (1440, 900), (1024, 768), (390, 844)
SIZES = (LAPTOP, TABLET, PHONE)
HOSTILE = "<img src=x onerror=alert(1)> [/]"
NAMES = (HOSTILE, "Kim", "Lee", "Ng", "Ito", "Paz", "Roy", "Zoe", "Ana")

SIDEWAYS = """() => {
  const cut = document.documentElement.scrollWidth > innerWidth ? ['scrolls sideways'] : [];
  const box = document.querySelector('#view').getBoundingClientRect();
  if (box.right > innerWidth + 1 || box.height < 100) cut.push(`view ${box.width}x${box.height}`);
  return cut;
}"""

CLOCK_IN_SIGHT = """() => {
  const box = document.querySelector('#top rb-digits').getBoundingClientRect();
  const over = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return over !== null && over.closest('#top') !== null && box.bottom < innerHeight;
}"""


class Console:
    """A director's console in a browser, and what is wrong with it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.faults: list[str] = []
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda said: self.faults.append(said.text) if _bad(said) else None)

    async def enter(self, base: str, token: str) -> None:
        """Open the console with a link that lets a director in."""
        await self.page.goto(f"{base}/director#token={token}")
        await expect(self.page.locator("#console")).to_be_visible()

    async def says(self, words: str | re.Pattern[str], where: str = "#console") -> None:
        """Wait until the console says something."""
        await expect(self.page.locator(where).first).to_contain_text(words)

    async def keys(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            await self.page.keyboard.press(key)

    async def fill(self, label: str, value: str) -> None:
        """Fill in a field of the open sheet."""
        await self.page.locator("#sheet").get_by_label(label, exact=True).fill(value)

    async def done(self) -> None:
        """Send the open sheet, and wait until the hub has confirmed it."""
        await self.page.locator("#sheet button[type=submit]").click()
        await expect(self.page.locator("#sheet")).to_be_hidden()

    async def confirmed(self, words: str) -> None:
        """Wait until something that was asked for is confirmed."""
        line = self.page.locator(".act[data-state=done]").filter(has_text=words)
        await expect(line.first).to_be_visible()

    async def digits(self) -> str:
        """Read the clock."""
        found = await self.page.locator("#top rb-digits").get_attribute("aria-label")
        return found or ""

    async def tile(self, table: int, words: str) -> None:
        """Wait until the board says something of a table."""
        tile = self.page.locator(f".tile[aria-label^='Table {table}:']")
        await expect(tile).to_contain_text(words)

    async def bust(self, table: int, seat: int) -> None:
        """Take a player out, by the table's drawer."""
        await self.keys("t")
        await self.fill("Table", str(table))
        await self.page.keyboard.press("Enter")
        await self.page.locator(f"#drawer button.seat >> nth={seat - 1}").click()
        await self.page.locator("#sheet").get_by_role("button", name="Is out").click()
        await expect(self.page.locator("#sheet")).to_be_hidden()
        await self.keys("Escape")


def _seconds(digits: str) -> int:
    minutes, _, rest = digits.partition(":")
    return int(minutes) * 60 + int(rest)


def _rgb(colour: str) -> str:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgb({red}, {green}, {blue})"


def _bad(said: Any) -> bool:
    """Say whether the browser complains of something that no test has provoked."""
    provoked = ("ERR_CONNECTION_REFUSED", "status of 422")
    return said.type == "error" and not any(words in said.text for words in provoked)


async def _console(browser: Browser, size: tuple[int, int] = LAPTOP) -> Console:
    context = await browser.new_context(
        viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce"
    )
    return Console(await context.new_page())


def _link(room: Room) -> str:
    return room.served.link.partition("token=")[2]


async def _dealers(room: Room, *tables: int, event: str = "1") -> dict[int, Wire]:
    return {
        table: await room.dial(room.token(Badge("dealer", f"Tablet {table}", event, table)))
        for table in tables
    }


async def _told(room: Room, event: str = "1") -> list[str]:
    """Read what the journal tells of an event, the oldest first."""
    director = await room.dial(room.director)
    await director.follow(f"t/{event}/journal")
    entries = director.docs[f"t/{event}/journal"]["entries"]
    return [entry["text"].lower() for entry in reversed(entries)]


def _in_order(told: list[str], story: list[str]) -> None:
    """Check that the journal tells a story, each part after the one before."""
    at = 0
    for part in story:
        while at < len(told) and part not in told[at]:
            at += 1
        assert at < len(told), (part, told)
        at += 1


async def test_SB_SAT_a_whole_saturday_from_creation_to_the_winner(
    tmp_path: Path, browser: Browser
) -> None:
    """Created, seated, played, bubble in hand-for-hand, a restart of the hub, a winner."""
    td = await _console(browser)
    async with AsyncExitStack() as night:
        first = AsyncExitStack()
        room = await first.enter_async_context(serving(tmp_path / "data"))
        await td.enter(room.served.local, _link(room))
        await _create_and_seat(td)
        dealers = await _dealers(room, 1, 2, 3)
        await _play(td, dealers)
        await _to_the_bubble(td, dealers)

        # The hub is gone in the middle of a hand, and comes back.
        before = _seconds(await td.digits())
        await first.aclose()
        await td.says("The hub is not heard", "#truth")
        room = await night.enter_async_context(serving(tmp_path / "data", port=room.port))
        await td.says("The hub was restarted", "#truth")
        assert 0 <= before - _seconds(await td.digits()) < 60  # the level went on, as the room did
        # A busy machine may have stalled the hub besides: each gap is told, and answered by itself.
        told = td.page.locator("#truth .truth")
        restart = told.filter(has_text="The hub was restarted").first
        await restart.get_by_role("button", name="Give +").click()
        await td.confirmed("give the lost time back")
        while await told.count():
            row = await told.first.element_handle()
            await told.first.get_by_role("button", name="Understood").click()
            await row.wait_for_element_state("hidden")

        dealers = await _dealers(room, 1, 2)
        await _bubble(td, dealers)
        await _winner(td, dealers)
        _in_order(
            await _told(room),
            [
                "pause the room (fire alarm)",
                "resume",
                "hand-for-hand",
                "table 2: all-in",
                "table 2: ",
                "release",
                "end hand-for-hand",
                "finish",
            ],
        )
    assert td.faults == []


async def _create_and_seat(td: Console) -> None:
    await td.keys("E")
    await td.page.locator("#sheet select").select_option("star-brisbane-saturday")
    await td.says("20 s + 4", "#sheet")
    await td.fill("Name", "Saturday <b>Shot</b> Clock")
    await td.done()
    await td.says("Saturday <b>Shot</b> Clock", "#strip")
    assert await td.page.locator("#strip b").count() == 0
    await td.keys("3")
    await td.page.get_by_role("button", name="Open tables").click()
    await td.fill("To", "3")
    await td.fill("Seats at each", "6")
    await td.done()
    await td.page.get_by_role("button", name="Seat many").click()
    await td.page.locator("#sheet textarea").fill("\n".join(NAMES))
    await td.page.locator("#sheet").get_by_label("Seats").select_option("listed")
    await td.done()
    await td.says(HOSTILE, ".people")
    await td.says("9 of 9", "#top")
    assert await td.page.locator(".people img").count() == 0


async def _play(td: Console, dealers: dict[int, Wire]) -> None:
    await td.keys("1", " ")
    await td.done()
    await td.says("level 1", "#top .state")
    for table, dealer in dealers.items():
        await dealer.done("hand.start", table=table)
    await dealers[2].done("action.start", table=2, seat=1)
    await td.tile(2, "0:")
    await td.tile(2, "seat 1")
    await dealers[3].done("floor.call", table=3, reason="string bet")
    await td.says("string bet", ".need-card")
    await td.page.locator(".need", has_text="Table 3").get_by_role("button").click()
    await expect(td.page.locator(".need", has_text="Table 3")).to_have_count(0)
    # A pause with a reason stops everything; a wall says the very same digits.
    await td.keys("p")
    await td.fill("Reason", "fire alarm")
    await td.done()
    await td.says("paused", "#top .state")
    await td.says("fire alarm", "#top")
    wall = await td.page.context.new_page()
    await wall.goto(td.page.url.replace("/director", "/wall?event=1"))
    await expect(wall.locator("rb-digits")).to_have_attribute("aria-label", await td.digits())
    await wall.close()
    await td.keys(" ")
    await td.says(re.compile("^level 1$"), "#top .state")
    # What was done by mistake is named, and taken back.
    stood = await td.digits()
    await td.keys("+")
    await td.confirmed("+1:00")
    await td.keys("u")
    await td.confirmed("undo “")
    await td.says(re.compile("^level 1$"), "#top .state")
    assert _seconds(await td.digits()) <= _seconds(stood)
    # One player short of the money: nine in, two paid.
    await dealers[2].done("action.stop", table=2)
    for table, dealer in dealers.items():
        await dealer.done("hand.end", table=table)
    for table, seat in ((3, 3), (3, 2), (3, 1), (2, 3), (1, 3)):
        await td.bust(table, seat)
    await td.says("4 of 9", "#top")
    await td.says("2 from the money", "#top")
    await td.keys("t")
    await td.fill("Table", "3")
    await td.keys("Enter")
    await td.page.locator("#drawer").get_by_role("button", name="Close the table").click()
    await expect(td.page.locator(".tile")).to_have_count(2)
    await td.keys("Escape")


async def _to_the_bubble(td: Console, dealers: dict[int, Wire]) -> None:
    for table in (1, 2):
        await dealers[table].done("hand.start", table=table)
    await td.keys("h")
    await td.done()
    await td.says("finish this hand, then hold", ".bubble")
    for table in (1, 2):
        await dealers[table].done("hand.end", table=table)
    await td.says("2 of 2 done", ".bubble")
    await td.says(re.compile(r"Release hand 1 \(.3:00 → \d\d:\d\d\)"), ".bubble")
    await td.keys("h")
    await td.confirmed("release hand 1")
    for table in (1, 2):
        await dealers[table].done("hand.start", table=table)
    await td.tile(1, "playing")


async def _bubble(td: Console, dealers: dict[int, Wire]) -> None:
    await dealers[2].done("h4h.all_in", table=2)
    await td.tile(2, "ALL-IN")
    run = td.page.locator(".tile", has_text="ALL-IN").get_by_role("button")
    await expect(run).to_be_disabled()  # SB-30: the other table still plays
    await dealers[1].done("hand.end", table=1)
    await td.tile(1, "done")
    await run.click()
    await td.tile(2, "running out")
    await dealers[2].done("hand.end", table=2)
    await td.says("2 of 2 done", ".bubble")


async def _winner(td: Console, dealers: dict[int, Wire]) -> None:
    await td.says("hand 1", ".bubble")
    await td.bust(2, 2)
    await td.says("1 from the money", ".bubble")
    await td.keys("h")
    await td.confirmed("release hand 2")
    for table in (1, 2):
        await dealers[table].done("hand.start", table=table)
        await dealers[table].done("hand.end", table=table)
    await td.bust(1, 2)
    await td.says("in the money", ".bubble")
    await td.keys("H")
    await td.done()
    await expect(td.page.locator(".bubble")).to_be_hidden()
    await td.bust(2, 1)
    await td.says("1 of 9", "#top")
    await td.keys("3")
    await td.says("2nd", ".outs")
    await td.keys("/")
    await td.page.keyboard.type("finish")
    await td.keys("Enter")
    hold = td.page.locator("#sheet .hold")
    await hold.dispatch_event("pointerdown")
    await td.says("finished", "#top .state")
    await td.keys("5")
    await td.says("Finish the event", ".journal-list")


async def test_SL_K_a_main_event_and_two_consolations_at_once(
    tmp_path: Path, browser: Browser
) -> None:
    """Three clocks side by side, switched by one key; an act on one leaves the others alone."""
    td = await _console(browser)
    async with serving(tmp_path / "data") as room:
        director = await room.dial(room.director)
        names = ("Selkirk Main", "Consolation 1", "Consolation 2")
        presets = ("selkirk-main", "selkirk-consolation", "selkirk-consolation")
        for preset, name in zip(presets, names, strict=True):
            await director.done("event.create", event="", preset=preset, name=name)
        await td.enter(room.served.local, _link(room))
        await expect(td.page.locator("#strip .event")).to_have_count(3)
        for name in names:
            await expect(td.page.locator("#strip .event[aria-pressed=true]")).to_contain_text(name)
            await td.keys(" ")
            await td.done()
            await td.says("level 1", "#top .state")
            await td.keys("e")
        await td.keys("e")
        await td.says("Consolation 1", "#strip .event[aria-pressed=true]")
        await td.keys(" ")
        await td.says("paused", "#top .state")
        await td.keys("e")
        await td.says("level 1", "#top .state")
        await director.follow("t/1", "t/2", "t/3")
        standing = [director.docs[f"t/{event}"]["clock"]["status"] for event in (1, 2, 3)]
        assert standing == ["running", "paused", "running"]
        await _edit_structure(td, director)
        await _hang_a_screen(td)
        await _like_another(td)
    assert td.faults == []


async def _edit_structure(td: Console, director: Wire) -> None:
    """EP-L: the steps to come are changed; the end moves as they are, and nothing is past."""
    await td.keys("2")
    ends = await td.page.locator(".ends").text_content()
    await td.page.locator(".steprow:not(.head) >> nth=1").locator("[name=minutes]").fill("45")
    await td.keys("Tab")
    await td.says("before:", ".ends")
    assert ends != await td.page.locator(".ends").text_content()
    third = td.page.locator(".steprow:not(.head) >> nth=2")
    await third.locator("[name=minutes]").focus()
    await td.keys("Alt+b")
    await td.page.get_by_role("button", name="Save the changes").click()
    await td.confirmed("change the structure")
    await director.follow("t/3/structure")
    while _lengths(director)[1:4] != [("level", 45), ("level", 15), ("break", 15)]:
        await director.heard_of("doc")  # it may be a moment behind the answer
    # A structure goes out as a file and comes back as it was.
    async with td.page.expect_download() as going:
        await td.page.get_by_role("button", name="Export").click()
    text = (await (await going.value).path()).read_text("utf-8")
    assert "phase" in text
    await td.page.get_by_role("button", name="Import").click()
    await td.page.locator("#sheet textarea").fill("small = [[")
    await td.page.locator("#sheet button[type=submit]").click()
    await expect(td.page.locator(".act[data-state=refused]").first).to_be_visible()
    await td.page.locator("#sheet textarea").fill(text)
    await td.done()
    await expect(td.page.get_by_role("button", name="Save the changes")).to_be_hidden()


async def _hang_a_screen(td: Console) -> None:
    """Let a screen in by its code, and tell it what to show."""
    wall = await td.page.context.new_page()
    await wall.goto(td.page.url.replace("/director", "/wall"))
    await td.keys("4")
    await td.page.locator(".asking").get_by_role("button", name="Approve").click()
    await td.page.locator("#sheet").get_by_label("It is a").select_option("viewer")
    await td.fill("Name", "Main wall")
    await td.done()
    row = td.page.locator(".device", has_text="Main wall")
    await row.get_by_role("button", name="show…").click()
    await td.page.locator("#sheet").get_by_label("Scene").select_option("lobby")
    await td.done()
    await expect(wall.locator("#wall")).to_have_attribute("data-scene", "lobby")
    await expect(wall.locator("#wall")).to_contain_text("Consolation 2")
    await row.get_by_role("button", name="identify").click()
    await expect(wall.locator("body")).to_contain_text("Main wall")
    await wall.close()
    await expect(row).to_contain_text("stale")


def _lengths(director: Wire) -> list[tuple[str, int]]:
    return [(s["phase"], s["minutes"]) for s in director.docs["t/3/structure"]["steps"]]


async def _like_another(td: Console) -> None:
    await td.keys("6")
    card = td.page.locator(".eventcard", has_text="Consolation 2")
    await card.get_by_role("button", name="Duplicate").click()
    await td.fill("Name", "Consolation 3")
    await td.done()
    await td.says("Consolation 3", "#strip .event[aria-pressed=true]")
    await td.keys("2")
    minutes = td.page.locator(".steprow:not(.head) >> nth=1").locator("[name=minutes]")
    await expect(minutes).to_have_value("45")


async def test_two_directors_and_the_floor_at_once(tmp_path: Path, browser: Browser) -> None:
    """Both see each other's acts at once; a stale one is refused in words; floor sees its own."""
    one, two = await _console(browser), await _console(browser)
    async with serving(tmp_path / "data") as room:
        base = room.served.local
        director = await room.dial(room.director)
        await director.done("event.create", event="", preset="apl-tour")
        await director.done("table.open", table=1)
        await director.done("seat.put", player="p1", name=HOSTILE, table=1, seat=1)
        await director.done("seat.put", player="p2", name="Kim", table=1, seat=2)
        await one.enter(base, _link(room))
        # The second has no link: it shows a code, which the first approves.
        await two.page.goto(f"{base}/director")
        await expect(two.page.locator("#gate .code")).to_have_text(
            re.compile("^[A-Z]{3} [A-Z]{3}$")
        )
        await one.page.locator(".need", has_text="New device").get_by_role("button").click()
        await one.fill("Name", "Second")
        await one.done()
        await expect(two.page.locator("#console")).to_be_visible()
        await two.keys(" ")
        await two.done()
        await one.says("level 1", "#top .state")
        # Both are about to press "next level"; only one of them moves it.
        for each in (one, two):
            await each.keys("n")
            await each.says("Level 2 begins now", "#sheet")
        await one.done()
        await two.says("level 2", "#top .state")
        await two.page.locator("#sheet button[type=submit]").click()
        refused = two.page.locator(".act[data-state=refused]")
        await expect(refused).to_contain_text("next level")
        await expect(refused).to_contain_text("refused")
        await two.says("level 2", "#top .state")
        # Who did what is told to both.
        await one.keys("U")
        await one.says("Second", "#sheet")
        await one.keys("Escape")
        await _called_clock(one, two)
        await _voided(one, two)
        await _floor_only(one, two)
        # Shown out, it is a stranger again, and says why.
        await (
            one.page.locator(".device", has_text="Second")
            .get_by_role("button", name="change")
            .click()
        )
        await one.page.locator("#sheet .hold").dispatch_event("pointerdown")
        await two.says("shown out", "#gate")
        await expect(two.page.locator("#gate .code")).to_be_visible()
    assert one.faults == two.faults == []


async def _called_clock(one: Console, two: Console) -> None:
    """AT-3.10.1: the clock is called on a seat, and the other director sees it count."""
    await two.keys("c")
    await two.fill("Table", "1")
    await two.page.locator("#sheet button.seat", has_text="Kim").click()
    await one.tile(1, "clock called")
    await one.tile(1, "0:3")
    await one.keys("t")
    await one.fill("Table", "1")
    await one.keys("Enter")
    await one.page.locator("#drawer").get_by_role("button", name="Player acted").click()
    await one.says(HOSTILE, "#drawer")
    assert await one.page.locator("#drawer img").count() == 0
    await one.keys("Escape")
    await expect(two.page.locator(".tile", has_text="clock called")).to_have_count(0)


async def _voided(one: Console, two: Console) -> None:
    """Explain a line of the journal, and void it with a reason that everybody can read."""
    await two.keys("a")
    await two.page.locator("#sheet textarea").fill("Dinner at nine")
    await two.done()
    await one.says("Dinner at nine", "#top")
    await one.keys("5")
    await one.page.locator(".journal input[placeholder=words]").fill("dinner")
    await expect(one.page.locator(".entry")).to_have_count(1)
    await one.page.locator(".entry").click()
    await one.says("The tap was made at", "#sheet")
    await one.fill("Void it, because", "at eight")
    await one.done()
    await expect(two.page.locator("#top .said")).to_have_text("")
    await one.page.locator(".journal input[placeholder=words]").fill("")
    await one.says("(at eight)", ".journal-list")
    await one.page.locator(".journal input[placeholder=table]").fill("1")
    await one.keys("Tab")
    await one.says("call the clock", ".journal-list")
    await expect(one.page.locator(".entry", has_text="Dinner")).to_have_count(0)
    async with one.page.expect_download() as going:
        await one.page.get_by_role("button", name="Export CSV").click()
    assert "Dinner at nine" in (await (await going.value).path()).read_text("utf-8")


async def _floor_only(one: Console, two: Console) -> None:
    await one.keys("4")
    await (
        one.page.locator(".device", has_text="Second").get_by_role("button", name="change").click()
    )
    await one.page.locator("#sheet").get_by_label("It is a").select_option("floor")
    await one.done()
    await expect(two.page.get_by_role("button", name="Level ▸")).to_be_hidden()
    await expect(two.page.locator("[data-act=start]")).to_be_enabled()
    await two.keys("n")
    await expect(two.page.locator("#sheet")).to_be_hidden()
    await two.keys(" ")
    await one.says("paused", "#top .state")


async def test_every_view_in_every_size_and_theme(tmp_path: Path, browser: Browser) -> None:
    """Nothing scrolls sideways, no sheet hides the clock, and a phone has the five things."""
    td = await _console(browser)
    async with serving(tmp_path / "data") as room:
        director = await room.dial(room.director)
        await director.done("event.create", event="", preset="star-brisbane-saturday")
        for table in range(1, 8):
            await director.done("table.open", table=table, seats=9)
            name = f"{HOSTILE} {table}"
            await director.done("seat.put", player=f"p{table}", name=name, table=table, seat=1)
        await director.done("clock.start")
        await director.done("floor.call", table=4)
        await td.enter(room.served.local, _link(room))
        await expect(td.page.locator(".tile")).to_have_count(7)
        for size in SIZES:
            await resize(td.page, *size)
            for key in "0123456":
                await td.keys(key)
                assert await td.page.evaluate(SIDEWAYS) == [], (size, key)
            for key in ("a", "c", "b", "h", "U", "?", "/", "E", "t"):
                await td.keys(key)
                await expect(td.page.locator("#sheet")).to_be_visible()
                assert await td.page.evaluate(CLOCK_IN_SIGHT), (size, key)
                await td.keys("Escape")
        await td.keys("0")
        for words in ("Pause the room", "Call the clock", "Hand-for-hand", "Announce", "Undo"):
            await expect(
                td.page.get_by_role("button", name=words).locator("visible=true").last
            ).to_be_in_viewport()
        await expect(td.page.locator(".walk .need", has_text="Table 4")).to_be_in_viewport()
        await resize(td.page, *LAPTOP)
        for theme in ("classic", "broadcast", "daylight", "high-contrast", "midnight"):
            await td.page.locator("select.theme").select_option(theme)
            ground = Shelf().themes[theme].colours.ground
            await expect(td.page.locator("body")).to_have_css("background-color", _rgb(ground))
        await td.page.reload()
        await expect(td.page.locator("select.theme")).to_have_value("midnight")
    assert td.faults == []


def test_the_console_offers_the_floor_what_the_hub_allows() -> None:
    """The page's list of what floor staff may do is the hub's own."""
    page = (ROOT / "dealer_console/web/director/rights.js").read_text("utf-8")
    listed = set(re.findall(r'"([a-z0-9_]+(?:\.[a-z_]+)?)"', page.partition("]);")[0]))
    wishes = {do for do, wish in WISHES.items() if "floor" in wish.roles}
    assert listed == FLOOR | wishes
