"""The betting round on the dealer's tablet in a real browser: by touch, each end of a round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.browsers import launched
from tests.e2e.test_dealer_page import (
    PHONE,
    TABLE,
    WIDE,
    Tablet,
    _deal,
    _let_in,
    _night,
    _tablet,
)
from tests.served import serving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from playwright.async_api import Browser

    from tests.served import Wire

pytestmark = pytest.mark.asyncio(loop_scope="module")

TOPIC = f"t/1/table/{TABLE}"

FRAMES = """async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  for (const _ of [1, 2, 3]) await frame();
}"""
"""Until the seats are laid out for the size that the screen has now."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    """Give one browser to all tests here: each has tablets of its own in it."""
    async with launched() as found:
        yield found


async def _hand(td: Wire, **stands: Any) -> dict[str, Any]:
    """Wait until the hand stands so at the hub, and give it: a tablet may show it sooner."""
    await td.settled()
    while any(td.docs[TOPIC]["hand"][key] != value for key, value in stands.items()):
        await td.heard_of("doc")
    hand: dict[str, Any] = td.docs[TOPIC]["hand"]
    return hand


async def _shows(tablet: Tablet, state: str) -> None:
    """Wait until the console is in a state."""
    await expect(tablet.page.locator("#dealer")).to_have_attribute("data-state", state)


async def _turn(tablet: Tablet, seat: int) -> None:
    """Wait until a seat is on the clock."""
    turn = tablet.page.locator(".seat[data-turn]")
    await expect(turn).to_have_attribute("data-seat", str(seat))


async def _next(tablet: Tablet, seat: int) -> None:
    """Wait until a seat is next."""
    marked = tablet.page.locator(f".seat[data-seat='{seat}']")
    await expect(marked).to_have_attribute("data-next", "")


async def _slide(tablet: Tablet, *seats: int) -> None:
    """Go over seats in one touch, through the middle of the table, and lift at the last one."""
    tablet.taps += 1
    await tablet.page.evaluate(FRAMES)
    places = [await _middle(tablet, f".seat[data-seat='{seat}']") for seat in seats]
    centre = await _middle(tablet, ".felt")
    fingers = await tablet.page.context.new_cdp_session(tablet.page)

    async def touch(kind: str, *points: dict[str, float]) -> None:
        touched = {"type": kind, "touchPoints": list(points)}
        await fingers.send("Input.dispatchTouchEvent", touched)

    await touch("touchStart", places[0])
    for place in places[1:]:
        await touch("touchMove", centre)
        await touch("touchMove", place)
    await touch("touchEnd")
    await fingers.detach()


async def _middle(tablet: Tablet, selector: str) -> dict[str, float]:
    box = await tablet.page.locator(selector).bounding_box()
    assert box is not None
    return {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}


async def test_DB_touches_between_hands_start_nothing(tmp_path: Path, browser: Browser) -> None:
    """A seat that is touched between hands asks; BUTTON HERE moves the button, also to nobody."""
    async with serving(tmp_path / "data") as room, _tablet(browser) as tablet:
        td = await _night(room, seats=8)
        await td.follow(TOPIC)
        await _let_in(tablet, room)
        await _shows(tablet, "between_hands")
        for seat in (5, 2, 8):
            await tablet.seat(seat)
            await tablet.says(f"Seat {seat}", ".sheet h2")
            await tablet.back()
        hand = await _hand(td)
        assert (hand["in_progress"], hand["number"]) == (False, 0)
        await tablet.seat(5)
        await tablet.fits("seat-between-hands")
        await tablet.pick("here")
        await expect(tablet.page.locator(".seat[data-seat='5'] .dealer")).to_be_visible()
        await tablet.says("button here, seat 5", ".undo")
        await tablet.seat(9)
        await tablet.says("Seat 9 · empty", ".sheet h2")
        await tablet.pick("here")
        await expect(tablet.page.locator(".seat[data-seat='9'] .dealer")).to_be_visible()
        assert not (await _hand(td, button=9))["in_progress"]
        await tablet.press("big")
        await tablet.says("dead button, seat 9", ".detail")
        await tablet.says("SB", ".seat[data-seat='1'] .blind")
        await tablet.says("BB", ".seat[data-seat='2'] .blind")
        await tablet.fits("dead-button")
        await tablet.press("over")
        await _shows(tablet, "between_hands")
        await tablet.seat(5)
        await tablet.pick("straddle")
        await tablet.says("STR", ".seat[data-seat='5'] .blind")
        await tablet.says("seat 5 straddles", ".detail")
        await _hand(td, straddle=5)


async def test_a_round_of_folds_needs_no_start(tmp_path: Path, browser: Browser) -> None:
    """Eight quick folds: one tap each, none swallowed, and the big blind has the pot."""
    async with serving(tmp_path / "data") as room, _tablet(browser) as tablet:
        td = await _night(room)
        await td.follow(TOPIC)
        await _let_in(tablet, room)
        await tablet.press("big")
        await _next(tablet, 4)
        before = tablet.taps
        for after in (5, 6, 7, 8, 9, 1, 2):
            await tablet.press("fold")
            await _turn(tablet, after)
        await tablet.press("fold")
        await _shows(tablet, "hand_ends")
        assert tablet.taps - before == 8
        await tablet.says("HAND OVER", ".big")
        await tablet.fits("hand-ends")
        await tablet.press("big")
        await _shows(tablet, "between_hands")


async def test_the_big_blinds_option_and_the_streets(tmp_path: Path, browser: Browser) -> None:
    """SB-47j: the option is a check, by words and at zero; each street is the big button."""
    async with serving(tmp_path / "data") as room, _tablet(browser) as tablet:
        td = await _night(room, "apl", seats=3)
        await td.follow(TOPIC)
        await td.done("shotclock.introduce", seconds=60, chips=0)
        await _let_in(tablet, room)
        await tablet.press("big")
        await tablet.says("preflop", ".street")
        await tablet.says("to call", ".facing")
        await tablet.says("CALL", ".controls .next")
        await tablet.press("next")
        await _turn(tablet, 2)
        await tablet.press("next")
        await tablet.says("may check", ".facing")
        await tablet.says("LAST TO ACT", ".big")
        await tablet.says("then the flop", ".big")
        await tablet.fits("option")
        await tablet.press("big")
        await _shows(tablet, "round_over")
        await tablet.says("deal it, then tap: seat 2's time begins", ".big")
        await tablet.fits("round-over")
        for street, following in (("flop", "TURN"), ("turn", "RIVER")):
            await tablet.press("big")
            await _turn(tablet, 2)
            await tablet.says(street, ".street")
            for _ in range(3):
                await tablet.press("next")
            await tablet.says(following, ".big")
        await tablet.press("big")
        await _turn(tablet, 2)
        await tablet.press("count")
        await tablet.says("counting seat 2's bet · seat 3 is next", ".detail")
        await tablet.fits("counting-whose")
        await tablet.press("next")
        await tablet.press("next")
        await _shows(tablet, "showdown")
        await tablet.says("HAND OVER", ".big")
        await tablet.fits("showdown")
        await tablet.press("big")
        await _shows(tablet, "between_hands")
        await td.done("player.limit", player="p1", seconds=1)  # the big blind of the next hand
        await tablet.press("big")
        await tablet.says("BB", ".seat[data-seat='1'] .blind")
        await tablet.press("next")
        await _turn(tablet, 3)
        await tablet.press("next")
        await tablet.says("CHECK", ".word")  # the time is up, and the hand is not dead
        await tablet.says("FLOP", ".big")
        await tablet.fits("option-expired", (WIDE, PHONE))


async def test_an_all_in_asks_where_it_matters_and_the_board_is_run(
    tmp_path: Path, browser: Browser
) -> None:
    """One tap where it is a raise; two targets where an all-in is faced; then the board."""
    async with serving(tmp_path / "data") as room, _tablet(browser) as tablet:
        td = await _night(room, seats=4)
        await td.follow(TOPIC)
        await _let_in(tablet, room)
        await tablet.press("big")
        await _next(tablet, 4)
        await tablet.press("all_in")
        await _shows(tablet, "held")
        await _next(tablet, 1)
        await tablet.says("raises or calls?", ".all_in")
        await tablet.press("all_in")
        await tablet.fits("all-in-which")
        await tablet.pick("all_in_call")
        await _turn(tablet, 2)
        await _hand(td, all_in=[1, 4])
        await tablet.press("fold")
        await _turn(tablet, 3)
        await tablet.says("then run the board", ".big")
        await tablet.press("next")
        await _shows(tablet, "run_out")
        await tablet.fits("run-out")
        await tablet.says("RUN THE BOARD", ".big")
        await tablet.press("big")
        await _shows(tablet, "showdown")
        await tablet.press("big")
        await _shows(tablet, "between_hands")


async def test_a_re_sync_is_three_touches(tmp_path: Path, browser: Browser) -> None:
    """Hold STREET, choose street and bet, slide over the live seats: everything is right again."""
    async with serving(tmp_path / "data") as room, _tablet(browser) as tablet:
        td = await _night(room)
        await td.follow(TOPIC)
        await _let_in(tablet, room)
        await tablet.press("big")
        await _next(tablet, 4)
        tablet.taps = 0
        await tablet.hold("[data-key='street']")
        tablet.taps += 1
        await tablet.fits("sync")
        await tablet.pick("sync-flop-bet")
        await tablet.says("slide over everyone still in", ".sheet .body")
        await tablet.fits("sync-seats")
        await _slide(tablet, 3, 5, 8)
        await _next(tablet, 8)
        assert tablet.taps == 3
        await _hand(td, street="flop", turn=8, facing_bet=True)
        seats = td.docs[TOPIC]["seats"]
        assert [seat for seat, taken in seats.items() if taken["in_hand"]] == ["3", "5", "8"]
        await tablet.says("re-sync", ".undo")
        await tablet.press("menu")
        await tablet.pick("sync")
        await tablet.pick("sync-turn-none")
        await tablet.seat(5)  # only the turn: who is in stays as it is
        await _next(tablet, 5)
        await _hand(td, street="turn", to_act=[5, 8])
        await tablet.hold("[data-key='street']")
        await tablet.pick("sync-river-none")
        await tablet.back()
        await tablet.seat(8)  # the sheet is gone: a seat is a seat again
        await _turn(tablet, 8)


async def test_AP_35C_a_misdeal_asks_once_and_is_replayed(tmp_path: Path, browser: Browser) -> None:
    """Twice on MISDEAL, then REPLAY HAND: the same number and button; AP-23m the hand's level."""
    async with serving(tmp_path / "data") as room, _tablet(browser) as tablet:
        td = await _night(room)
        await td.follow(TOPIC)
        await _let_in(tablet, room)
        await tablet.press("big")
        await _next(tablet, 4)
        await td.done("level.goto", level=7)
        await tablet.press("menu")
        await tablet.pick("level")
        await tablet.fits("level")
        await tablet.pick("level-7")
        await tablet.says("400 / 800 (800)", ".fact")
        await tablet.press("menu")
        await tablet.pick("misdeal")
        await tablet.says("tap again", ".sheet [data-key='misdeal']")
        await tablet.fits("misdeal-asks")
        assert (await _hand(td))["in_progress"]
        await tablet.pick("misdeal")
        await _shows(tablet, "replay")
        await tablet.says("replay: same button, same level", ".detail")
        await tablet.fits("replay")
        await tablet.press("big")
        await _next(tablet, 4)
        await _hand(td, in_progress=True, number=1, button=1)


async def test_SB_30_an_all_in_in_hand_for_hand(tmp_path: Path, browser: Browser) -> None:
    """An all-in is an action; all-in and call is told to the floor, the cards stay face down."""
    async with serving(tmp_path / "data") as room, _tablet(browser) as tablet:
        td = await _night(room, seats=3)
        await td.done("table.open", table=8)
        for seat in (1, 2):
            await td.done("seat.put", player=f"q{seat}", name="Q", table=8, seat=seat)
        await td.done("hand.start", table=8)
        await _let_in(tablet, room)
        await _deal(tablet, td)
        await td.done("h4h.announce")
        await tablet.says("cards face down", ".all_in")
        await tablet.press("all_in")
        await tablet.fits("h4h-all-in-which")
        await tablet.pick("all_in_raise")
        await _shows(tablet, "held")
        await tablet.press("fold")
        await _turn(tablet, 3)
        await tablet.press("next")
        await _shows(tablet, "run_out")
        await tablet.says("tell the floor: cards face down", ".big")
        await tablet.fits("h4h-run-out")
        await tablet.press("big")
        await _shows(tablet, "h4h_all_in")


async def test_a_fold_out_of_turn_and_a_closed_table(tmp_path: Path, browser: Browser) -> None:
    """The seat's sheet folds it whosever turn it is; a table that is closed says so."""
    async with serving(tmp_path / "data") as room, _tablet(browser) as tablet:
        td = await _night(room)
        await td.follow(TOPIC)
        await _let_in(tablet, room)
        await tablet.press("big")
        await _next(tablet, 4)
        await tablet.press("big")
        await _turn(tablet, 4)
        await tablet.hold(".seat[data-seat='7']")
        await tablet.says("out of turn", ".sheet [data-key='fold']")
        await tablet.pick("fold")
        await tablet.says("folded", ".seat[data-seat='7']")
        await _turn(tablet, 4)
        await _hand(td, to_act=[4, 5, 6, 8, 9, 1, 2, 3])
        await tablet.press("over")
        await _shows(tablet, "between_hands")
        for seat in range(1, 10):
            await td.done("seat.clear", player=f"p{seat}")
        await td.done("table.close", table=TABLE)
        await tablet.says("table 7 is closed", ".detail")
