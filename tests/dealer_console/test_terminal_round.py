"""The betting round in the dealer's terminal on a real hub, by keys."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from tests.dealer_console.desk import text
from tests.dealer_console.script import TABLE
from tests.dealer_console.test_terminal_script import TOPIC, Watched, dealer, opened, press
from tests.served import serving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from textual.pilot import Pilot

    from tests.served import Wire


class Desk:
    """A terminal at a table of nine, the keys of it, and the director of the event."""

    def __init__(self, app: Watched, pilot: Pilot[None], director: Wire) -> None:
        self.app, self.pilot, self.director = app, pilot, director

    async def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        await press(self.pilot, self.app, *keys)

    async def shows(self, state: str, seat: int | None = None) -> None:
        """Wait until the console is in a state."""
        await self.app.shows(state, seat)

    async def hand(self, **stands: Any) -> dict[str, Any]:
        """Wait until the hand stands so at the hub, and give it: a console may show it sooner."""
        await self.director.settled()
        while any(self.director.docs[TOPIC]["hand"][key] != stands[key] for key in stands):
            await self.director.heard_of("doc")
        hand: dict[str, Any] = self.director.docs[TOPIC]["hand"]
        return hand

    async def text(self) -> str:
        """Read the screen."""
        await self.pilot.pause()
        return text(self.app)


@asynccontextmanager
async def _desk(folder: Path) -> AsyncIterator[Desk]:
    async with serving(folder) as room:
        director = await opened(room)
        await director.follow(TOPIC)
        app = Watched(room.ws, dealer(room))
        async with app.run_test(size=(80, 24)) as pilot:
            await app.shows("between_hands")
            yield Desk(app, pilot, director)


async def test_DB_a_digit_between_hands_asks(tmp_path: Path) -> None:
    """It starts nothing; d puts the button there, and s begins a hand with a straddle."""
    async with _desk(tmp_path) as desk:
        await desk.press("5")
        assert "Seat 5: d button here · s straddles" in await desk.text()
        await desk.press("escape")
        assert "Seat 5" not in await desk.text()
        hand = await desk.hand()
        assert (hand["in_progress"], hand["number"]) == (False, 0)
        await desk.press("5", "d")
        await desk.app.until(lambda face: face.seats[4].button)
        await desk.press("d", "6")
        await desk.app.until(lambda face: face.seats[5].button)
        assert not (await desk.hand())["in_progress"]
        await desk.press("9", "s")  # the button is at 6, so 7 and 8 are the blinds
        await desk.app.until(lambda face: face.seats[8].blind == "STR")
        await desk.hand(straddle=9)


async def test_a_round_of_folds_and_the_big_blinds_option(tmp_path: Path) -> None:
    """Folds need no START; the big blind may check, is the last, and the flop is what comes."""
    async with _desk(tmp_path) as desk:
        await desk.press("space")
        await desk.shows("to_start", 4)
        assert "PREFLOP  ·  SEAT 4 · Lee  ·  TO ACT  ·  TO CALL" in await desk.text()
        for seat in (5, 6, 7, 8, 9, 1):
            await desk.press("f")
            await desk.shows("running", seat)
        await desk.press("x")
        await desk.shows("running", 2)
        await desk.press("f")
        await desk.shows("running", 3)
        assert "MAY CHECK" in await desk.text()
        face = desk.app.face
        assert face is not None
        assert (face.big.label, face.big.note) == ("LAST TO ACT", "then the flop")
        await desk.press("space")
        await desk.shows("round_over")
        assert "deal it, then tap: seat 3's time begins" in await desk.text()
        await desk.press("space")
        await desk.shows("running", 3)
        await desk.press("c")
        await desk.shows("held", 1)
        assert "counting seat 3's bet · seat 1 is next" in await desk.text()
        await desk.press("c")  # raised at once
        await desk.shows("held", 3)
        await desk.press("x")
        await desk.shows("round_over")
        await desk.hand(next="turn")


async def test_an_all_in_asks_and_the_board_is_run(tmp_path: Path) -> None:
    """One key where it can only be a raise, one more where an all-in is faced."""
    async with _desk(tmp_path) as desk:
        await desk.press("space")
        await desk.shows("to_start", 4)
        await desk.press("a")
        await desk.shows("held", 5)
        await desk.press("a")
        assert "ALL-IN: r raises · c calls" in await desk.text()
        await desk.press("c")
        await desk.shows("running", 6)
        await desk.press("a", "f")  # it was a fold: the question is gone
        await desk.shows("running", 7)
        for seat in (8, 9, 1, 2, 3):
            await desk.press("f")
            await desk.shows("running", seat)
        await desk.press("f")
        await desk.shows("run_out")
        await desk.press("space")
        await desk.shows("showdown")
        await desk.press("space")
        await desk.shows("between_hands")


async def test_a_re_sync_by_one_line(tmp_path: Path) -> None:
    """r, the street with its bet, the live seats, the last to act; one seat is only the turn."""
    async with _desk(tmp_path) as desk:
        await desk.press("space")
        await desk.shows("to_start", 4)
        await desk.press("r", "F", "3", "5", "8", "enter")
        await desk.shows("to_start", 8)
        await desk.hand(street="flop", facing_bet=True, to_act=[8, 3])
        await desk.press("r", "q", "1", "enter")
        assert "Not understood: q1" in await desk.text()
        await desk.press("escape", "r", "t", "5", "enter")
        await desk.shows("to_start", 5)
        await desk.hand(street="turn", to_act=[5, 8])
        await desk.press("r", "t", "9", "enter")  # folded by mistake, and in after all
        await desk.shows("to_start", 9)
        await desk.hand(to_act=[9])


async def test_AP_35C_a_misdeal_asks_once_and_AP_23m_the_level(tmp_path: Path) -> None:
    """M and y: the hand is replayed with its number and button; v says at which level it is."""
    async with _desk(tmp_path) as desk:
        await desk.press("space")
        await desk.shows("to_start", 4)
        await desk.director.done("level.goto", level=7)
        await desk.press("v")
        assert "2 LEVEL 7 400 / 800 (800)" in await desk.text()
        await desk.press("2")
        await desk.app.until(lambda face: face.this_hand == "400 / 800 (800)")
        await desk.press("M", "space")  # not meant: space is the big button
        await desk.shows("running", 4)
        await desk.press("M", "y")
        await desk.shows("replay")
        assert "replay: same button, same level" in await desk.text()
        await desk.press("space")
        await desk.shows("to_start", 4)
        await desk.hand(in_progress=True, number=1, button=1)


async def test_the_floor_is_called_for_one_of_the_houses_reasons(tmp_path: Path) -> None:
    """A number is one of the list; one that holds the clock says so, and the table waits."""
    async with _desk(tmp_path) as desk:
        await desk.press("L")
        face = desk.app.face
        assert face is not None
        wanted = next(n for n, each in enumerate(face.reasons, start=1) if each.note)
        assert f"{wanted} {face.reasons[wanted - 1].reason} (holds the clock)" in await desk.text()
        await desk.press(str(wanted), "enter")
        await desk.app.until(lambda face: face.state == "paused")
        await desk.director.done("floor.clear", table=TABLE)
        await desk.shows("between_hands")
