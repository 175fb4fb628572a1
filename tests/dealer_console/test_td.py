"""The director's terminal: the core of a night by keys alone, against a real hub."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dealer_console.terminal.td import TdApp
from server.access import Badge
from server.cli import main
from server.protocol.session import Session
from server.remote import Remote
from tests.served import PATIENCE, Room, serving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    import pytest
    from textual.pilot import Pilot

MINUTE = 60_000


def screen(app: TdApp) -> str:
    """Give what stands on the screen."""
    lines = app.screen._compositor.render_strips()  # noqa: SLF001 - there is no public way
    return "\n".join(line.text.rstrip() for line in lines)


@dataclass
class Desk:
    """Somebody who directs from a terminal."""

    app: TdApp
    pilot: Pilot[None]

    async def until(self, wanted: Callable[[], object]) -> None:
        """Wait until something is so."""
        async with asyncio.timeout(PATIENCE):
            while not wanted():
                await self.pilot.pause(0.01)

    async def sees(self, words: str) -> None:
        """Wait until words stand on the screen."""
        try:
            await self.until(lambda: words in screen(self.app))
        except TimeoutError:
            raise AssertionError(f"{words!r} never came:\n{screen(self.app)}") from None

    async def press(self, *keys: str) -> None:
        """Press keys."""
        await self.pilot.press(*keys)

    async def type(self, words: str) -> None:
        """Type words over what is there, and Enter."""
        await self.until(lambda: self.app._prompt.asking)  # noqa: SLF001
        await self.pilot.press("ctrl+a", "ctrl+k")
        await self.pilot.press(*("space" if sign == " " else sign for sign in words))
        await self.pilot.press("enter")

    async def yes(self) -> None:
        """Say yes to what is asked."""
        await self.until(lambda: self.app._prompt.asking)  # noqa: SLF001
        await self.pilot.press("y")

    async def on(self, id_: str) -> None:
        """Put the cursor on a line."""
        await self.until(lambda: id_ in [row.id for row in self.app._list._rows])  # noqa: SLF001
        self.app._list.point(id_)  # noqa: SLF001

    def doc(self, topic: str = "") -> Any:
        """Give a document of the event that is shown."""
        return self.app.room().doc(topic)

    def clock(self) -> Any:
        """Give the event's clock."""
        return self.doc()["clock"]

    async def do(self, do: str, /, event: str = "1", **args: Any) -> None:
        """Command something as somebody else would, on the same link."""
        assert self.app.link is not None
        answer = await self.app.link.do(event, do, **args)
        assert type(answer).__name__ == "Done", answer


@asynccontextmanager
async def desk(
    room: Room, size: tuple[int, int] = (80, 24), token: str | None = ""
) -> AsyncIterator[Desk]:
    """Sit down at a terminal of a hub."""
    session = Session("td-test", room.director if token == "" else token)
    app = TdApp(session, url=room.ws, zone=lambda _: 0)
    async with app.run_test(size=size) as pilot:
        yield Desk(app, pilot)


async def seat(td: Desk, tables: dict[int, int]) -> None:
    """Seat players."""
    for table, players in tables.items():
        for place in range(1, players + 1):
            name = "[/] [b]Bo" if place == 1 else f"P{place}"
            await td.do("seat.put", player=f"{table}-{place}", name=name, table=table, seat=place)


async def test_SB_SAT_the_core_of_a_night_by_keys_alone(tmp_path: Path) -> None:
    """Create, start, pause, give and take, hand-for-hand, undo by name, a device let in, a gap."""
    async with serving(tmp_path / "data") as room:
        port, director = room.port, room.director
        async with desk(room) as td:
            await _creates(td)
            await _runs_the_clock(td)
            await _plays_a_hand(td)
            await _undoes_by_name(td)
            await _lets_a_tablet_in(td, room)
    async with serving(tmp_path / "data", port=port) as room:
        assert room.director == director
        async with desk(room) as td:
            await _gives_a_gap_back(td)

            def told() -> list[str]:
                return [entry["what"] for entry in reversed(td.doc("journal")["entries"])]

            await td.until(lambda: told().count("clock.add") == 3)  # it is published in a moment
            commands = [what for what in told() if what in COMMANDS]
    story = ["clock.start", "clock.pause", "clock.resume", "clock.add", "clock.add"]
    story += ["h4h.announce", "h4h.next", "h4h.done", "h4h.done", "h4h.end", "undo", "h4h.end"]
    assert commands == [*story, "clock.add"]


COMMANDS = {
    "clock.start",
    "clock.pause",
    "clock.resume",
    "clock.add",
    "h4h.announce",
    "h4h.next",
    "h4h.done",
    "h4h.end",
    "undo",
}


async def _creates(td: Desk) -> None:
    await td.sees("No event yet")
    await td.press("7")
    await td.on("preset/star-brisbane-saturday")
    await td.press("enter")
    await td.type("Saturday [bold]")
    await td.type("")
    await td.until(lambda: td.app.event == "1" and td.doc("structure"))
    await td.sees("Saturday [bold] · The Star Brisbane")
    await seat(td, {1: 3, 2: 3})


async def _runs_the_clock(td: Desk) -> None:
    await td.press("1", "space")
    await td.sees("Start the clock now?")
    await td.yes()
    await td.until(lambda: td.clock()["status"] == "running")
    await td.press("space")
    await td.type("fire alarm")
    await td.until(lambda: td.clock()["status"] == "paused")
    await td.sees("fire alarm")
    await td.press("space")
    await td.until(lambda: td.clock()["status"] == "running")
    ends = td.clock()["ends_at"]
    await td.press("+")
    await td.until(lambda: td.clock()["ends_at"] == ends + MINUTE)
    await td.press("-")
    await td.until(lambda: td.clock()["ends_at"] == ends)
    await td.press("n")  # and never mind
    await td.sees("Go to level 2 now?")
    await td.press("escape")
    await td.sees("Never mind")
    assert td.clock()["level"] == 1


async def _plays_a_hand(td: Desk) -> None:
    await td.press("h")
    await td.type("")  # hand-for-hand in its usual form
    await td.until(lambda: td.doc()["h4h"]["status"] == "holding")
    await td.press("2")
    await td.sees("releases the next hand")
    await td.press("h")
    await td.sees("Release hand 1")
    await td.yes()
    await td.until(lambda: td.doc()["h4h"]["status"] == "playing")
    await td.sees("0 of 2 done")
    for table in (1, 2):
        await td.on(f"table/{table}")
        await td.press("enter")
        await td.sees(f"Table {table} has finished its hand?")
        await td.yes()
        await td.until(lambda: td.doc()["h4h"]["tables"].get(str(table)) == "done")  # noqa: B023
    await td.until(lambda: td.doc()["h4h"]["status"] == "holding")
    assert 16 * MINUTE < td.clock()["remaining_ms"] <= 17 * MINUTE  # SB-19: three minutes
    await td.press("H")
    await td.yes()
    await td.until(lambda: td.doc()["h4h"]["status"] == "off")


async def _undoes_by_name(td: Desk) -> None:
    await td.until(lambda: td.doc("floor")["undo"][0]["do"] == "h4h.end")
    await td.press("u")
    await td.sees("Undo: end hand-for-hand?")
    await td.yes()
    await td.until(lambda: td.doc()["h4h"]["status"] == "holding")
    await td.press("4")
    await td.sees("undone: end hand-for-hand")
    await td.press("H")
    await td.yes()
    await td.until(lambda: td.doc()["h4h"]["status"] == "off")


async def _lets_a_tablet_in(td: Desk, room: Room) -> None:
    tablet = await room.dial(kind="tablet [/red]")
    await tablet.say("pair")
    code = (await tablet.heard_of("code"))["code"]
    await td.sees("you (8)")  # wherever one looks, there is something to look at
    await td.press("8")
    await td.sees(f"{code}: tablet [/red] asks to be let in")
    await td.press("5")
    await td.on(f"code/{code}")
    await td.press("enter")
    await td.type("dealer")
    await td.sees("A whole number")  # a dealer needs a table
    await td.type("dealer 2")
    await td.type("Tablet 2")
    welcome = await tablet.heard_of("welcome")
    assert (welcome["role"], welcome["table"], welcome["name"]) == ("dealer", 2, "Tablet 2")
    await td.sees("dealer t2")
    await td.on(next(row.id for row in td.app._list._rows if "Tablet 2" in row.text))  # noqa: SLF001
    await td.press("d")
    await td.sees("Show Tablet 2 out?")
    await td.yes()
    await tablet.heard_of("bye")


async def _gives_a_gap_back(td: Desk) -> None:
    def gaps() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = (td.app.room().docs.get("hub") or {"gaps": []})["gaps"]
        return found

    await td.sees("you (8)")  # it is in, and something needs it
    await td.press("8")
    await td.sees("The hub was restarted")
    gap = next(gap for gap in gaps() if gap["kind"] == "restart")  # a slow machine has others
    await td.until(td.doc)
    ends = td.clock()["ends_at"]
    await td.on(f"gap/{gap['id']}")
    await td.press("enter")
    await td.sees("back to this event?")
    await td.yes()
    await td.until(lambda: td.clock()["ends_at"] == ends + gap["ms"])
    await td.sees("given back")
    await td.on(f"gap/{gap['id']}")
    await td.press("x")
    await td.until(lambda: gap["id"] not in [left["id"] for left in gaps()])


async def test_two_directors_see_each_other_and_a_stale_act_is_refused_in_words(
    tmp_path: Path,
) -> None:
    """While one is asked for a yes the other is first: nothing is done twice, and it is told."""
    async with serving(tmp_path / "data") as room, desk(room) as td:
        await td.do("event.create", "", preset="selkirk-main")
        await td.do("event.create", "", preset="selkirk-consolation", name="Conso")
        await td.until(lambda: td.app.event == "1" and td.doc("structure"))
        await td.do("clock.start")
        await td.until(lambda: td.clock()["status"] == "running")
        bea = await room.dial(room.token(Badge("director", "Bea")))
        await td.press("n")
        await td.sees("Go to level 2 now?")
        assert (await bea.do("level.next"))["type"] == "done"
        await td.until(lambda: td.clock()["level"] == 2)  # it is seen at once, above the question
        await td.yes()
        await td.sees("REFUSED: Meanwhile")
        await td.sees("Bea: next level")
        assert td.clock()["level"] == 2
        await td.press("6")
        await td.sees("Next level")
        await td.press("n")
        await td.sees("Go to level 3 now?")
        await td.yes()
        await td.until(lambda: td.clock()["level"] == 3)
        # the other event is one key away, and comes back
        await td.press("e")
        await td.sees("Conso")
        await td.until(lambda: td.doc() is not None)
        assert td.clock()["status"] == "waiting"
        await td.press("e")
        await td.until(lambda: td.app.event == "1")
        # a table is acted on as its dealer could
        await seat(td, {7: 2})
        await td.press("1")
        await td.on("table/7")
        await td.press("enter")
        await td.sees("New hand")
        await td.on("deed/New hand")
        await td.press("enter")
        await td.until(lambda: td.doc("tables")["tables"]["7"]["in_progress"])
        await td.on("seat/1")
        await td.press("o")
        await td.until(lambda: td.doc("tables")["tables"]["7"]["called"])
        await td.press("escape")
        await td.sees("CALLED")


async def test_the_structure_is_edited_on_paper_and_sent_at_once(tmp_path: Path) -> None:
    """Longer, shorter, another level, another break, one less; nothing is sent before Enter."""
    async with serving(tmp_path / "data") as room, desk(room) as td:
        await td.do("event.create", "", preset="star-brisbane-friday")
        await td.until(lambda: td.doc("structure"))
        before = len(td.doc("structure")["steps"])
        await td.press("3")
        await td.on("step/1")
        await td.press("l")
        await td.type("12 hands")
        await td.sees("12 hands")
        await td.press("l")
        await td.type("20")
        await td.press("right", "right", "left", "right")  # 22 minutes
        await td.sees("DRAFT")
        await td.press("j")
        await td.on("step/2")
        await td.sees("BREAK")
        await td.press("left")
        await td.on("step/3")
        await td.press("i")
        await td.on("step/6")
        await td.press("d")
        assert len(td.doc("structure")["steps"]) == before
        await td.press("enter")
        await td.until(lambda: len(td.doc("structure")["steps"]) == before + 1)
        steps = td.doc("structure")["steps"]
        assert [(step["phase"], step["minutes"]) for step in steps[1:4]] == [
            ("level", 22),
            ("break", 14),
            ("level", 20),
        ]
        assert td.app.draft is None
        await td.on("step/4")
        await td.press("d")
        await td.sees("DRAFT")
        await td.press("escape")
        await td.sees("The draft was dropped.")
        assert len(td.doc("structure")["steps"]) == before + 1


async def test_a_terminal_that_is_not_let_in_shows_its_code(tmp_path: Path) -> None:
    """Without a token it asks, and is in as soon as a director says so."""
    async with serving(tmp_path / "data") as room, desk(room, token=None) as td:
        await td.sees("Show this code to the floor")
        assert td.app.session.code is not None
        director = await room.dial(room.director)
        code = td.app.session.code.code
        answer = await director.do("device.pair", event="", code=code, role="floor", name="Fred")
        assert answer["type"] == "done"
        await td.sees("No event yet")


# ── the command ──────────────────────────────────────────────────────────────────────────────────


async def test_on_the_hubs_own_machine_the_way_in_is_known(tmp_path: Path) -> None:
    """The data folder tells a console here where the hub is, and lets it in as a director."""
    async with serving(tmp_path / "data") as room:
        url, token, trusted = await asyncio.to_thread(Remote(tmp_path / "data").way_in)
        assert (url, token, trusted) == (room.ws, room.director, None)
        wire = await room.dial(token)
        assert wire.heard[-1]["role"] == "director"


def test_a_console_that_cannot_begin_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No hub, a wrong address, an unknown theme: one line each, and exit status 2."""
    for words, told in (
        (["--data", str(tmp_path)], "no hub has been started"),
        (["--hub", "http://x"], "begins with ws://"),
        (["--theme", "plaid"], "--theme: there are"),
    ):
        assert main(["td", *words]) == 2
        assert told in capsys.readouterr().err


async def test_a_structure_is_taken_away_and_brought_back_by_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Export, edit in a spreadsheet, import: the event has what the file says."""
    async with serving(tmp_path / "data") as room:
        wire = await room.dial(room.director)
        await wire.do("event.create", event="", preset="star-brisbane-saturday")
        sheet = tmp_path / "saturday.csv"
        rest = ["--event", "1", "--data", str(tmp_path / "data")]

        def railbird(deed: str, file: Path) -> int:
            return main(["structure", deed, str(file), *rest])

        assert await asyncio.to_thread(railbird, "export", sheet) == 0
        lines = sheet.read_text("utf-8").splitlines()
        assert lines[1] == "level,100,100,100,20,,"
        sheet.write_text("\n".join([lines[0], lines[1], "break,,,,9,,", lines[2]]), "utf-8")
        assert await asyncio.to_thread(railbird, "import", sheet) == 0
        await wire.follow("t/1/structure")
        steps = wire.docs["t/1/structure"]["steps"]
        assert [step["minutes"] for step in steps] == [20, 9, 20]
        sheet.write_text(f"{lines[0]}\nlevel,=1,2,,20,,", "utf-8")
        assert await asyncio.to_thread(railbird, "import", sheet) == 1
        assert "row 2.small" in capsys.readouterr().err
        assert await asyncio.to_thread(railbird, "export", tmp_path / "x.exe") == 2
