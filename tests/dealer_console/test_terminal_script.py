"""The dealer's terminal on a real hub: the scripted hand by keys, loss, restart, takeover."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

from dealer_console.terminal.dealer import DealerApp
from dealer_console.terminal.keys import KEYS
from display.terminal.tokens import Tokens
from server.access import Badge
from server.protocol.session import Session
from tests.dealer_console.desk import text
from tests.dealer_console.script import HAND, OVERHEAD, TABLE, TOLD, seated, told
from tests.faults.proxy import Proxy
from tests.served import PATIENCE, Room, Wire, serving

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from textual.pilot import Pilot

    from dealer_console.face import Face

TOPIC = f"t/1/table/{TABLE}"


class Watched(DealerApp):
    """A console that tells a test whenever it has looked, worked by a hand of its own time."""

    def __init__(self, url: str, token: str | None, **options: Any) -> None:
        self.looked = asyncio.Event()
        self.hand = 0
        session = Session("dealer-test", token=token)
        super().__init__(session, url=url, finger=lambda: self.hand, **options)

    def look(self) -> None:
        """Look, and say so."""
        super().look()
        self.looked.set()

    async def until(self, wanted: Callable[[Face], bool]) -> Face:
        """Wait until the console shows something."""
        async with asyncio.timeout(PATIENCE):
            while self.face is None or not wanted(self.face):
                self.looked.clear()
                await self.looked.wait()
        return self.face

    async def shows(self, state: str, seat: int | None = None) -> Face:
        """Wait until the console is in a state."""
        return await self.until(lambda face: (face.state, face.seat) == (state, seat))

    def undoes(self) -> str:
        """Say what the undo button says."""
        assert self.face is not None
        return next(button.note for button in self.face.buttons if button.id == "undo")


async def press(pilot: Pilot[None], app: Watched, *keys: str) -> None:
    """Press keys, each half a second after the one before by the hand's own time."""
    for key in keys:
        app.hand += 500
        await pilot.press(key)


def bodies(room: Room) -> list[dict[str, Any]]:
    """Give what the journal tells of the event."""
    return [json.loads(stored.line.body) for stored in room.hub.journal.read("1")]


def dealer(room: Room, name: str = "Table 7") -> str:
    """Make a token for a dealer's device at the table."""
    return room.token(Badge("dealer", name, "1", TABLE))


async def opened(room: Room) -> Wire:
    """Let the nine sit down."""
    director = await room.dial(room.director)
    await seated(director)
    return director


async def test_SB_47b_the_scripted_hand_by_keys(tmp_path: Path) -> None:
    """Nine-handed, by keys alone: no more than actions plus three, and the journal as agreed."""
    async with serving(tmp_path) as room:
        await opened(room)
        app = Watched(room.ws, dealer(room))
        pressed = 0
        async with app.run_test(size=(80, 24)) as pilot:
            await app.shows("between_hands")
            for step in HAND:
                key = str(step.on) if step.tap == "seat" else KEYS[step.tap]
                await press(pilot, app, key)
                pressed += 1
                await app.shows(step.state, step.seat)
        assert pressed <= sum(step.actions for step in HAND) + OVERHEAD
        assert told(bodies(room)) == TOLD


async def test_double_presses_wrong_seats_and_undo(tmp_path: Path) -> None:
    """The same key twice counts once, a wrong seat is put right by one key, undo says what."""
    async with serving(tmp_path) as room:
        director = await opened(room)
        app = Watched(room.ws, dealer(room))
        async with app.run_test(size=(80, 24)) as pilot:
            await app.shows("between_hands")
            await press(pilot, app, "space")
            await app.shows("to_start", 4)
            await press(pilot, app, "space")
            await app.shows("running", 4)
            app.hand += 500
            await pilot.press("space", "space", "space")  # a nervous thumb
            await app.shows("running", 5)
            await press(pilot, app, "8")  # it was seat 8 all the time
            await app.shows("running", 8)
            app.hand += 500
            await pilot.press("b", "b")  # one chip, not two
            face = await app.until(lambda face: face.state == "on_bank")
            assert (face.seats[7].chips, face.seats[7].burning) == (3, True)
            assert app.undoes() == "time bank +1, seat 8"
            await press(pilot, app, "u")
            await app.until(lambda face: face.seats[7].chips == 4)
            await press(pilot, app, "B", "2", "enter")
            await app.until(lambda face: face.seats[7].chips == 2)
            await press(pilot, app, "f")
            face = await app.shows("running", 9)
            assert [prompt.words for prompt in face.collect] == ["collect 2 from seat 8"]
            assert "collect 2 from seat 8" in text(app)
            await press(pilot, app, "o")
            await app.until(lambda face: not face.collect)
            assert app.undoes() == "collected, seat 8"
            await press(pilot, app, "l")
            await app.until(lambda face: face.floor.startswith("floor called"))
            await director.follow("t/1/tables")
            assert director.docs["t/1/tables"]["tables"]["7"]["floor"] is not None
            await press(pilot, app, "question_mark")
            await pilot.pause()
            assert "several chips" in text(app)


async def test_a_tap_made_while_the_link_is_down_counts_once(tmp_path: Path) -> None:
    """The table is played on, and says so; the tap is kept, amber, red, and done on return."""
    async with serving(tmp_path) as room, Proxy(room.port) as proxy:
        await opened(room)
        app = Watched(proxy.url, dealer(room))
        async with app.run_test(size=(80, 24)) as pilot:
            await app.shows("between_hands")
            await press(pilot, app, "space")
            await app.shows("to_start", 4)
            await press(pilot, app, "space")
            await app.shows("running", 4)
            proxy.freeze()
            await press(pilot, app, "f")
            assert "FOLD: sent" in text(app)
            app.hand += 600
            app.look()
            await pilot.pause()
            assert "FOLD: not confirmed" in text(app)
            app.hand += 2_000
            app.look()
            await pilot.pause()
            assert "NOT CONFIRMED" in text(app)
            await app.until(lambda face: "HUB NOT HEARD" in face.link)
            await app.shows("running", 5)
            await pilot.pause()
            assert "HUB NOT HEARD · not confirmed by the hub" in text(app)
            assert app.face is not None
            assert (app.face.play, app.face.stands) == ("running", False)
            proxy.thaw(forget=True)
            face = await app.until(lambda face: face.link == "")
            assert (face.play, face.seat) == ("running", 5)
            await pilot.pause()
            assert "FOLD: done" in text(app)
            assert [how for how in told(bodies(room)) if "fold" in how] == [
                ("action.ended", 4, "fold")
            ]


async def test_the_hub_is_restarted_in_the_middle_of_an_action(tmp_path: Path) -> None:
    """The clock stands where it was certain and is offered to the dealer, who lets it go on."""
    async with AsyncExitStack() as terminal:
        async with serving(tmp_path) as room:
            await opened(room)
            token, port = dealer(room), room.port
            app = Watched(room.ws, token)
            pilot = await terminal.enter_async_context(app.run_test(size=(80, 24)))
            await app.shows("between_hands")
            await press(pilot, app, "space")
            await app.shows("to_start", 4)
            await press(pilot, app, "space")
            await app.shows("running", 4)
        await app.until(lambda face: face.freshness != "fresh")
        async with serving(tmp_path, port=port):
            face = await app.shows("interrupted", 4)
            assert (face.big.label, face.stands) == ("GO ON", True)
            assert "INTERRUPTED" in text(app)
            await press(pilot, app, "space")
            await app.shows("running", 4)


async def test_a_takeover_is_seen_on_both(tmp_path: Path) -> None:
    """One console works a table; another sees who does, asks, and has it when the floor says so."""
    async with serving(tmp_path) as room:
        director = await opened(room)
        first, second = Watched(room.ws, dealer(room, "Old")), Watched(room.ws, dealer(room, "New"))
        async with first.run_test(size=(80, 24)) as one:
            await first.shows("between_hands")
            async with second.run_test(size=(80, 24)) as two:
                face = await second.until(lambda face: face.state == "taken")
                assert (face.play, face.taken) == ("between_hands", "Old works table 7")
                await press(two, second, "n")  # nothing: it is not theirs
                await press(two, second, "t")
                face = await first.until(lambda face: bool(face.asked))
                assert face.asked == "New asks for this table"
                await director.follow("devices")
                rows = director.docs["devices"]["devices"]
                device = next(row["id"] for row in rows if row["name"] == "New")
                await director.done("lease.grant", event="", device=device)
                await second.shows("between_hands")
                face = await first.until(lambda face: face.state == "taken")
                assert face.taken == "New works table 7"
                await press(two, second, "space")
                await second.shows("to_start", 4)
                await first.until(lambda face: face.play == "to_start")
                await press(one, first, "space")
                assert told(bodies(room)) == TOLD[:1]


async def test_a_console_is_let_in_by_its_code_and_remembers(tmp_path: Path) -> None:
    """It shows its code, keeps what it was let in with, and asks again once it is shown out."""
    tokens = Tokens(tmp_path / "config")
    async with serving(tmp_path / "data") as room:
        director = await opened(room)
        app = Watched(room.ws, None, tokens=tokens, table=TABLE)
        async with app.run_test(size=(80, 24)) as pilot:
            code = await _code(app)
            await pilot.pause()
            assert "Show this code to the floor" in text(app)
            asked = {"code": code, "role": "dealer", "event": "1", "table": TABLE}
            await director.say("do", id="let-in", event="", do="device.pair", args=asked)
            await app.shows("between_hands")
            token = tokens.get(room.ws, "dealer")
            assert token is not None
            file = tmp_path / "config" / "tokens.json"
            assert file.stat().st_mode & 0o777 == 0o600
            await director.done("staff.add", event="", name="Ana", pin="2468")
            await press(pilot, app, "p")
            await _prompt(app, open_=True)
            await pilot.press(*"2468", "enter")
            await app.until(lambda face: face.dealer == "Ana")
            assert app.session.welcome is not None
            await director.done("device.revoke", event="", device=app.session.welcome.device)
            await _code(app)
            assert tokens.get(room.ws, "dealer") is None


async def _code(app: Watched) -> str:
    async with asyncio.timeout(PATIENCE):
        while app.is_in or app.session.code is None:
            app.looked.clear()
            await app.looked.wait()
    return app.session.code.code


async def _prompt(app: Watched, *, open_: bool) -> None:
    async with asyncio.timeout(PATIENCE):
        while app._desk.prompt.is_open is not open_:  # noqa: SLF001 - what a person would see
            app.looked.clear()
            await app.looked.wait()
