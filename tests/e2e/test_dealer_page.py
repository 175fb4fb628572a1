"""The dealer's tablet in a real browser, worked by touch alone."""

from __future__ import annotations

import json
import os
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio
from playwright.async_api import expect

from server.access import Badge
from tests.browsers import launched, resize
from tests.dealer_console.script import HAND, OVERHEAD, TOLD, seated, told
from tests.faults.proxy import Proxy
from tests.served import Room, Wire, serving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from playwright.async_api import Browser, Page, WebSocketRoute

pytestmark = pytest.mark.asyncio(loop_scope="module")

WIDE, TALL, PHONE = (1280, 800), (800, 1280), (390, 844)
SIZES = (WIDE, TALL, PHONE)
LONG = "Alexandra Papadopoulos-Vandenberg"
NAMES = ("Paz", "Ito", "Kim", "Lee", "Ng", "Roy", LONG, "<b>Zoë</b>", "[/] & Co")
TABLE = 7

SAME_WITHIN = 400
"""Milliseconds in which the same button counts once."""

UNTIL = """(until) => new Promise((done) => {
  const look = () => (performance.now() >= until ? done() : requestAnimationFrame(look));
  look();
})"""

PICTURES = os.environ.get("RAILBIRD_PICTURES")
"""Folder for a picture of every state in every size; they are for people to look at."""

TWICE = """(key) => {
  const node = document.querySelector(`[data-key='${key}']`);
  for (const type of ["pointerdown", "pointerup", "pointerdown", "pointerup"]) {
    node.dispatchEvent(new PointerEvent(type, { pointerId: 1, button: 0, bubbles: true }));
  }
}"""
"""A finger that bounces: two touches within a few milliseconds."""

FITS = """async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  await frame();
  await frame();
  const seen = (node) => node.offsetParent !== null && node.getBoundingClientRect().width > 0;
  const all = (selector) => [...document.querySelectorAll(selector)].filter(seen);
  const said = (node) => `${node.className || node.tagName}: ${node.textContent}`;
  const wrong = [];
  for (const node of all('button')) {
    const box = node.getBoundingClientRect();
    if (box.width < 64 || box.height < 64) {
      wrong.push(`small ${Math.round(box.width)}x${Math.round(box.height)} ${said(node)}`);
    }
  }
  for (const node of all('#dealer button, #dealer .centre > *, #dealer .top *')) {
    const box = node.getBoundingClientRect();
    const out = box.left < -1 || box.top < -1 || box.right > innerWidth + 1;
    const scrolled = node.closest('[data-scrolls]') !== null;
    if (out || (box.bottom > innerHeight + 1 && !scrolled)) wrong.push(`outside ${said(node)}`);
  }
  const words = '.controls .label, .sheet .label, .top .title, .centre .word, .collect span';
  for (const node of all(words)) {
    if (node.scrollWidth > node.clientWidth + 2) wrong.push(`cut ${said(node)}`);
  }
  for (const node of all('.controls > button')) {
    if (node.scrollHeight > node.clientHeight + 2) wrong.push(`cut ${said(node)}`);
  }
  const centre = document.querySelector('.centre');
  if (centre && seen(centre) && centre.scrollHeight > centre.clientHeight + 2) {
    wrong.push(`centre ${centre.scrollHeight} > ${centre.clientHeight}`);
  }
  const page = document.documentElement;
  if (page.scrollWidth > innerWidth || page.scrollHeight > innerHeight) wrong.push('scrolls');
  return wrong;
}"""


class Tablet:
    """A tablet, the finger on it, and what is wrong with it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.faults: list[str] = []
        self.taps = 0
        self._touched: dict[str, float] = {}  # when each target was touched last
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on(
            "console",
            lambda said: self.faults.append(f"{said.text} {said.location}") if _bad(said) else None,
        )

    async def open(self, base: str) -> None:
        """Open the page."""
        await self.page.goto(f"{base}/dealer")

    async def tap(self, selector: str) -> None:
        """Touch something once, and count it; no sooner than what counts as the same touch."""
        self.taps += 1
        await self.page.evaluate(UNTIL, self._touched.get(selector, 0) + SAME_WITHIN)
        await self.page.locator(selector).tap()
        self._touched[selector] = await self.page.evaluate("performance.now()")

    async def pick(self, key: str) -> None:
        """Touch an item of a sheet, once the sheet hears."""
        await expect(self.page.locator(".sheet[data-hears='true']")).to_be_visible()
        await self.tap(f".sheet [data-key='{key}']")

    async def back(self) -> None:
        """Leave a sheet."""
        await expect(self.page.locator(".sheet[data-hears='true']")).to_be_visible()
        await self.tap(".sheet .close")

    async def press(self, key: str) -> None:
        """Touch one of the buttons."""
        await self.tap(f".controls [data-key='{key}']")

    async def bounce(self, key: str) -> None:
        """Touch one of the buttons twice within a few milliseconds."""
        selector = f".controls [data-key='{key}']"
        await self.page.evaluate(UNTIL, self._touched.get(selector, 0) + SAME_WITHIN)
        await self.page.evaluate(TWICE, key)
        self._touched[selector] = await self.page.evaluate("performance.now()")

    async def seat(self, seat: int) -> None:
        """Touch a seat."""
        await self.tap(f".seat[data-seat='{seat}']")

    async def hold(self, selector: str) -> None:
        """Keep a finger on something."""
        box = await self.page.locator(selector).bounding_box()
        assert box is not None
        at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        fingers = await self.page.context.new_cdp_session(self.page)
        await fingers.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [at]})
        await expect(self.page.locator(".sheet")).to_be_visible()
        await fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        await fingers.detach()

    async def says(self, words: str, selector: str = "#dealer") -> None:
        """Wait until something says something."""
        await expect(self.page.locator(selector).first).to_contain_text(words)

    async def fits(self, name: str, sizes: tuple[tuple[int, int], ...] = SIZES) -> None:
        """Look at it in several sizes: every target is large, nothing is cut."""
        for wide, high in sizes:
            await resize(self.page, wide, high)
            wrong = await self.page.evaluate(FITS)
            if PICTURES:
                await self.page.screenshot(path=Path(PICTURES) / f"{name}-{wide}x{high}.png")
            assert wrong == [], f"{name} at {wide}x{high}"
        await resize(self.page, *WIDE)


def _bad(said: Any) -> bool:
    """Say whether the browser complains about the page, and not about a hub that is away."""
    away = "WebSocket connection" in said.text or said.location["url"].endswith("/healthz")
    return said.type == "error" and not away


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    """Give one browser to all tests here: each has tablets of its own in it."""
    async with launched() as found:
        yield found


@asynccontextmanager
async def _tablet(browser: Browser) -> AsyncIterator[Tablet]:
    """Give a tablet that makes no mistakes."""
    context = await browser.new_context(
        has_touch=True, viewport={"width": WIDE[0], "height": WIDE[1]}, reduced_motion="reduce"
    )
    tablet = Tablet(await context.new_page())
    yield tablet
    assert tablet.faults == []
    await context.close()


async def _let_in(tablet: Tablet, room: Room, name: str = "Table 7", base: str = "") -> None:
    """Give the tablet the table, as if the floor had done so before."""
    token = room.token(Badge("dealer", name, "1", TABLE))
    await tablet.page.context.add_init_script(f"localStorage.setItem('railbird-token', '{token}')")
    await tablet.open(base or room.served.local)
    await expect(tablet.page.locator(".seat").first).to_be_visible()


async def _settled(page: Page) -> None:
    """Wait until the hub has answered every tap."""
    root = page.locator("#dealer")
    await expect(root).to_have_attribute("data-link", "fresh")
    await expect(root).not_to_have_attribute("data-assumed", "yes")
    await expect(page.locator("[data-stage='sent'], [data-stage='red']")).to_have_count(0)
    kept = "() => Object.keys(localStorage).filter((key) => key.startsWith('railbird-kept'))"
    assert await page.evaluate(kept) == []


async def _deal(tablet: Tablet, td: Wire) -> None:
    """Touch NEW HAND, and wait until the director has heard of it: what comes next is not first."""
    topic = f"t/1/table/{TABLE}"
    await td.follow(topic)
    await tablet.press("big")
    while not td.docs[topic]["hand"]["in_progress"]:
        await td.heard_of("doc")


async def _night(room: Room, preset: str = "star-brisbane-saturday", seats: int = 9) -> Wire:
    """Open a table of an event that is played, and give its director."""
    director = await room.dial(room.director)
    await director.done("event.create", event="", preset=preset)
    await director.done("table.open", table=TABLE)
    for seat in range(1, seats + 1):
        name = NAMES[seat - 1]
        await director.done("seat.put", player=f"p{seat}", name=name, table=TABLE, seat=seat)
    await director.done("clock.start")
    return director


async def _pair(director: Wire, code: str) -> None:
    """Let in the tablet that shows a code; here `event` is an argument, not where it happens."""
    args = {"code": code, "role": "dealer", "event": "1", "table": TABLE}
    await director.say("do", id=f"pair-{code}", event="", do="device.pair", args=args)
    answer = await director.until(lambda found: found.get("id") == f"pair-{code}")
    assert answer["type"] == "done", answer


async def test_being_let_in_and_shown_out(tmp_path: Path, browser: Browser) -> None:
    """A new tablet shows its code; let in, it keeps its table; shown out, it shows a code again."""
    async with serving(tmp_path / "data") as room, _tablet(browser) as tablet:
        td = await _night(room)
        await tablet.open(room.served.local)
        await tablet.says("Show this code to the floor", "#door")
        code = tablet.page.locator("#door .code")
        await expect(code.locator("span")).to_have_count(6)
        await tablet.fits("code")
        shown = await code.get_attribute("aria-label") or ""
        await _pair(td, shown)
        await tablet.says("TABLE 7", ".top")
        await expect(tablet.page.locator("#door")).to_be_hidden()
        await tablet.page.reload()
        await tablet.says("TABLE 7", ".top")
        await td.follow("devices")
        devices = td.docs["devices"]["devices"]
        own = next(each["id"] for each in devices if each["role"] == "dealer")
        await td.done("device.revoke", event="", device=own)
        await tablet.says("Show this code to the floor", "#door")
        again = await code.get_attribute("aria-label")
        assert again not in (shown, "", None)


async def test_every_state_in_every_size(tmp_path: Path, browser: Browser) -> None:
    """Each state is said in words, its targets are large, nothing is cut; SB-47, AP-29, SB-19."""
    async with serving(tmp_path / "data") as room, _tablet(browser) as tablet:
        td = await _night(room)
        await _let_in(tablet, room)
        await tablet.says("NEW HAND", ".big")
        await tablet.fits("between-hands")
        await tablet.press("big")
        await tablet.says("START", ".big")
        await tablet.fits("to-start")
        await tablet.press("big")
        await tablet.says("NEXT PLAYER", ".big")
        await expect(tablet.page.locator(".seat[data-turn]")).to_have_attribute("data-seat", "4")
        third = "(() => { const b = document.querySelector('.big').getBoundingClientRect();"
        third += " return b.width * b.height / (innerWidth * innerHeight); })()"
        assert await tablet.page.evaluate(third) >= 0.32
        await td.done("level.goto", level=7)  # this hand keeps its blinds (SB-20)
        await tablet.says("400 / 800 (800)", ".nexthand")
        await tablet.fits("running")
        await tablet.hold(".seat[data-seat='4']")
        await tablet.fits("seat-sheet")
        await expect(tablet.page.locator("rb-digits")).to_be_visible()
        await tablet.pick("chips-2")
        await tablet.says("2 left", "[data-key='bank']")
        await tablet.press("fold")
        await tablet.says("collect 2 from seat 4", ".collect")
        await td.done("player.limit", player="p6", seconds=10)
        await tablet.says("10 s", ".seat[data-seat='6']")
        await tablet.fits("collect")
        await tablet.tap(".collect")
        await expect(tablet.page.locator(".collect")).to_be_hidden()
        await tablet.press("count")
        await tablet.says("COUNTING", ".word")
        await tablet.fits("counting")
        await _paused_and_floor(tablet, td)


async def _paused_and_floor(tablet: Tablet, td: Wire) -> None:
    """Pause the table and the room, call the floor, open every sheet, and have a break."""
    await td.done("table.pause", table=TABLE, reason="a dispute about the button")
    await tablet.says("TABLE PAUSED", ".word")
    await tablet.fits("paused")
    await td.done("table.resume", table=TABLE)
    await td.done("clock.pause", reason="fire alarm")
    await tablet.says("ROOM PAUSED", ".word")
    await tablet.fits("room-paused", (WIDE,))
    await td.done("clock.resume")
    await tablet.press("floor")
    await tablet.fits("call-floor")
    await tablet.pick("reason-Ruling")
    await tablet.says("FLOOR CALLED", ".controls .floor")
    await tablet.says("Ruling", ".notice")
    await tablet.says("TABLE PAUSED", ".word")  # a ruling holds the clock
    await tablet.fits("floor-called")
    await tablet.press("menu")
    await tablet.fits("menu")
    await tablet.pick("sign-on")
    await tablet.fits("pin")
    await tablet.back()
    await tablet.press("menu")
    await tablet.pick("settings")
    await tablet.fits("settings")
    await tablet.back()
    await td.done("floor.clear", table=TABLE)
    await td.done("break.call", minutes=15)
    await tablet.press("over")
    await tablet.says("BREAK", ".word")
    await tablet.fits("break")


async def test_forgiveness(tmp_path: Path, browser: Browser) -> None:
    """A bounce counts once, a wrong seat is put right by one tap, undo names what it takes back."""
    async with serving(tmp_path / "data") as room, _tablet(browser) as tablet:
        td = await _night(room)
        await td.follow(f"t/1/table/{TABLE}")
        await _let_in(tablet, room)
        turn = tablet.page.locator(".seat[data-turn]")
        await tablet.press("big")
        await tablet.says("START", ".big")
        await tablet.press("big")
        await expect(turn).to_have_attribute("data-seat", "4")
        await tablet.bounce("big")
        await expect(turn).to_have_attribute("data-seat", "5")
        await tablet.says("next player", ".undo")
        await tablet.bounce("bank")  # SB-47g: one chip, though touched twice
        await tablet.says("3 left", ".bank")
        await _settled(tablet.page)
        await td.settled()
        assert td.docs[f"t/1/table/{TABLE}"]["action"]["used"] == 1
        await tablet.seat(8)
        await expect(turn).to_have_attribute("data-seat", "8")
        await tablet.says("start, seat 8", ".undo")
        await tablet.press("undo")
        await expect(turn).to_have_attribute("data-seat", "5")
        await tablet.hold("[data-key='bank']")
        await tablet.says("Seat 5", ".sheet h2")
        await tablet.pick("chips-3")  # SB-47i: all that are pushed forward are spent
        await tablet.says("no chips", ".bank")
        await tablet.press("undo")
        await tablet.says("3 left", ".bank")
        await td.done("table.pause", table=TABLE)
        await tablet.says("PAUSED", ".big")
        await td.done("table.resume", table=TABLE)
        await tablet.says("NEXT PLAYER", ".big")
        await tablet.page.keyboard.press("f")  # a pedal is a keyboard
        await expect(turn).to_have_attribute("data-seat", "6")
        assert await tablet.page.locator("#dealer b b").count() == 0  # a name is only a name
        refused = "new PointerEvent('contextmenu', {cancelable: true, bubbles: true})"
        assert not await tablet.page.evaluate(f"document.body.dispatchEvent({refused})")
        held = "getComputedStyle(document.body)"
        assert await tablet.page.evaluate(f"{held}.userSelect") == "none"
        assert await tablet.page.evaluate(f"{held}.touchAction") == "none"


async def test_zero_and_called_clocks(tmp_path: Path, browser: Browser) -> None:
    """SB-47h a chip burns at zero, SB-47j then the hand is dead; AP-29 a called clock counts."""
    async with serving(tmp_path / "data") as room, _tablet(browser) as tablet:
        td = await _night(room, "apl")
        await td.follow(f"t/1/table/{TABLE}")
        await td.done("shotclock.introduce", seconds=1, chips=1, chip_seconds=4)
        await _let_in(tablet, room)
        await tablet.press("big")
        await tablet.says("START", ".big")
        await tablet.press("big")
        root = tablet.page.locator("#dealer")
        await expect(root).to_have_attribute("data-alarmed", "burn")
        await tablet.says("TIME BANK", ".word")
        await tablet.fits("burning", (WIDE, PHONE))
        await tablet.says("DEAD HAND", ".word")
        await expect(root).to_have_attribute("data-alarmed", "zero")
        await tablet.fits("dead-hand")
        await tablet.press("big")
        await tablet.says("collect 1 from seat 4", ".collect")
        await td.done("bank.grant", chips=0, mode="set")
        await tablet.press("street")
        await tablet.says("START", ".big")
        await tablet.press("big")
        await tablet.says("CHECK", ".word")
        await tablet.fits("check")
        await td.done("called.start", table=TABLE, seat=7, facing_bet=True)
        await tablet.says("CLOCK CALLED", ".word")
        await tablet.says("PLAYER ACTED", ".big")
        await tablet.fits("called")
        await tablet.press("big")
        await expect(tablet.page.locator(".word")).not_to_contain_text("CLOCK CALLED")


async def test_hand_for_hand(tmp_path: Path, browser: Browser) -> None:
    """SB-19, SB-30, AP-RP8f: HAND DONE, ALL-IN with the cards face down, HOLD until released."""
    async with serving(tmp_path / "data") as room, _tablet(browser) as tablet:
        td = await _night(room, "apl")
        await td.done("table.open", table=8)
        for seat in (1, 2):
            await td.done("seat.put", player=f"q{seat}", name="Q", table=8, seat=seat)
        await td.done("hand.start", table=8)
        await _let_in(tablet, room)
        await _deal(tablet, td)
        await td.done("h4h.announce")
        await tablet.says("HAND DONE", ".big")
        await tablet.fits("h4h-playing")
        await tablet.press("all_in")
        await tablet.says("cards stay face down", ".detail")
        await tablet.says("WAIT", ".big")
        await tablet.fits("h4h-all-in")
        await td.done("h4h.done", table=8)
        await td.done("h4h.runout", table=TABLE)
        await tablet.says("RUN THE BOARD", ".word")
        await tablet.press("big")
        await tablet.says("HOLD", ".big")
        await tablet.says("HOLD", ".word")
        await tablet.fits("h4h-hold")
        await td.done("h4h.next")
        await tablet.says("NEW HAND", ".big")
        await tablet.fits("h4h-deal", (WIDE,))


async def test_a_nine_handed_hand_by_taps(tmp_path: Path, browser: Browser) -> None:
    """SB-47b to d: the scripted hand costs no more taps than actions plus three, as told."""
    async with serving(tmp_path / "data") as room, _tablet(browser) as tablet:
        td = await room.dial(room.director)
        await seated(td)
        await _let_in(tablet, room)
        before = len(_events(room))
        root, page = tablet.page.locator("#dealer"), tablet.page
        for number, step in enumerate(HAND):
            if step.tap == "seat":
                await tablet.tap(f".seat[data-seat='{step.on}']")
            else:
                await tablet.press(step.tap)
            await expect(root, f"step {number}").to_have_attribute("data-state", step.state)
            if step.seat is not None:
                marked = page.locator(f".seat[data-seat='{step.seat}']")
                name = "data-turn" if step.state == "running" else "data-next"
                await expect(marked, f"step {number}").to_have_attribute(name, "")
        await _settled(page)
        assert tablet.taps == len(HAND) <= sum(step.actions for step in HAND) + OVERHEAD
        assert told(_events(room)[before:]) == TOLD


def _events(room: Room) -> list[dict[str, Any]]:
    """Read what the journal says has happened in the event."""
    bodies = [json.loads(stored.line.body) for stored in room.hub.journal.read("1")]
    return [body for body in bodies if "event" in body]


async def test_the_link_is_lost_in_the_middle_of_an_action(
    tmp_path: Path, browser: Browser
) -> None:
    """The clock goes on and says so; a tap is kept, sent once, and counts from its own instant."""
    async with (
        serving(tmp_path / "data") as room,
        Proxy(room.port) as proxy,
        _tablet(browser) as tablet,
    ):
        td = await _night(room)
        await td.follow(f"t/1/table/{TABLE}")
        await _let_in(tablet, room, base=f"http://127.0.0.1:{proxy.port}")
        await tablet.press("big")
        await tablet.says("START", ".big")
        await tablet.press("big")
        await tablet.says("NEXT PLAYER", ".big")
        proxy.freeze()
        await tablet.says("HUB NOT HEARD", ".said")
        shown = await tablet.page.locator("rb-digits").get_attribute("aria-label") or ""
        digits = tablet.page.locator("rb-digits")
        await expect(digits).not_to_have_attribute("aria-label", shown)
        await tablet.press("big")
        await expect(tablet.page.locator(".big")).to_have_attribute("data-stage", "red")
        await tablet.says("1 tap kept", ".badge")
        await tablet.fits("link-lost")
        proxy.drop()
        proxy.thaw()
        await expect(tablet.page.locator(".seat[data-turn]")).to_have_attribute("data-seat", "5")
        await tablet.says("The hub is back", "#words")
        await expect(tablet.page.locator("#words")).not_to_contain_text("after the tap")
        await tablet.fits("link-back")
        await expect(tablet.page.locator(".said")).to_be_hidden()
        await _settled(tablet.page)
        began = [body for body in _events(room) if body["event"] == "action.started"]
        assert [body["seat"] for body in began] == [4, 5]  # sent again, and applied once


async def test_the_hub_is_restarted_in_an_action(tmp_path: Path, browser: Browser) -> None:
    """The clock is found interrupted with nobody's time lost, and the dealer lets it go on."""
    async with _tablet(browser) as tablet:
        async with serving(tmp_path / "data") as room:
            port = room.port
            await _night(room)
            await _let_in(tablet, room)
            await tablet.press("big")
            await tablet.says("START", ".big")
            await tablet.press("big")
            await tablet.says("NEXT PLAYER", ".big")
        await expect(tablet.page.locator("#dealer")).to_have_attribute("data-link", "coasting")
        async with serving(tmp_path / "data", port=port):
            await tablet.says("INTERRUPTED", ".word")
            await tablet.fits("interrupted")
            await tablet.press("big")
            await tablet.says("NEXT PLAYER", ".big")


async def test_two_tablets_at_one_table(tmp_path: Path, browser: Browser) -> None:
    """One works the table; the other asks, the floor grants, and both see it."""
    async with (
        serving(tmp_path / "data") as room,
        _tablet(browser) as first,
        _tablet(browser) as second,
    ):
        td = await _night(room)
        await td.done("staff.add", event="", name="Ana", pin="4711")
        await _let_in(first, room, "Tablet A")
        await first.press("menu")
        await first.pick("sign-on")
        for digit in "4711":
            await first.pick(f"pin-{digit}")
        await first.pick("pin-ok")
        await first.says("Ana", ".who")
        await _let_in(second, room, "Tablet B")
        await second.says("Tablet A · Ana works table 7", ".said")
        await second.fits("taken")
        await second.press("big")
        await second.says("ASKED", ".big")
        await first.says("Tablet B asks for this table", ".said")
        await first.fits("asked", (WIDE, PHONE))
        await td.follow(f"t/1/lease/{TABLE}")
        lease = td.docs[f"t/1/lease/{TABLE}"]
        await td.done("lease.grant", event="", device=lease["waiting"][0]["device"])
        await first.says("Tablet B works table 7", ".said")
        await second.says("NEW HAND", ".big")
        await second.press("big")
        await first.says("SEAT 4", ".whose")  # sees everything, and can tap nothing
        await expect(first.page.locator(".controls .fold")).to_have_attribute("data-off", "")


async def test_simple_mode_and_settings(tmp_path: Path, browser: Browser) -> None:
    """START and RESTART with a pad of seats for chips; each tablet keeps how it is set."""
    async with serving(tmp_path / "data") as room, _tablet(browser) as tablet:
        await _night(room)
        await _let_in(tablet, room)
        await tablet.press("menu")
        await tablet.pick("simple")
        await tablet.says("START", ".big")
        await tablet.press("big")
        await tablet.says("RESTART", ".big")
        await tablet.seat(6)
        chips = tablet.page.locator(".seat[data-seat='6'] .chips")
        await expect(chips).to_have_attribute("aria-label", "3 time-bank chips")
        await tablet.fits("simple")
        await tablet.press("menu")
        await tablet.pick("settings")
        chosen = ("side-right", "mirror-on", "theme-daylight", "bright-75", "sound-off")
        for choice in chosen:
            await tablet.pick(f"{choice}")
        await tablet.fits("settings-daylight", (WIDE,))
        await tablet.page.reload()
        await tablet.says("RESTART", ".big")
        root = tablet.page.locator("#dealer")
        await expect(root).to_have_attribute("data-side", "right")
        await expect(root).to_have_attribute("data-mirror", "on")
        big = await tablet.page.locator(".big").bounding_box()
        assert big is not None
        assert big["x"] > WIDE[0] / 4
        await tablet.fits("right-mirrored")


async def test_other_doors(tmp_path: Path, browser: Browser) -> None:
    """Plain http is refused in words; the floor's own device chooses a table; it is an app."""
    async with serving(tmp_path / "data") as room, _tablet(browser) as tablet:
        await _night(room)
        page = tablet.page
        for path, kind in (("manifest.json", "application/json"), ("icon-192.png", "image/png")):
            answer = await page.request.get(f"{room.served.local}/console/{path}")
            assert answer.ok
            assert answer.headers["content-type"].startswith(kind)
        token = room.token(Badge("floor", "Bea"))
        await page.context.add_init_script(
            f"if (!location.hash) localStorage.setItem('railbird-token', '{token}')"
        )
        await tablet.open(room.served.local)
        await tablet.says("floor's device", "#door")
        await tablet.fits("choose-table", (WIDE, PHONE))
        await tablet.tap("#door .tables button")
        await tablet.says("TABLE 7", ".top")
        await page.route_web_socket("**/ws", _insecure)
        await page.evaluate("localStorage.clear()")
        await page.goto(f"{room.served.local}/dealer#plain")
        await page.reload()
        await tablet.says("NOT SECURE", "#door")
        await tablet.fits("insecure", (WIDE, PHONE))


def _insecure(socket: WebSocketRoute) -> None:
    """Answer as a hub does that was reached over plain http from another machine."""
    welcome = {
        "type": "welcome", "version": 1, "hub": "h", "build": "b", "role": "viewer", "name": "",
        "event": None, "table": None, "now": 1_789_000_000_000, "device": "v",
    }  # fmt: skip

    def answer(said: str | bytes) -> None:
        match json.loads(said):
            case {"type": "hello"}:
                socket.send(json.dumps(welcome))
            case {"type": "pair"}:
                problem = {"type": "problem", "code": "insecure", "text": "Use https."}
                socket.send(json.dumps(problem))

    socket.on_message(answer)
