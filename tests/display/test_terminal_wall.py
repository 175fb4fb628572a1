"""The wall in a terminal: every state in words, any name, any size, any theme, a hub away."""

from __future__ import annotations

import json
import os
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from display.terminal import glyphs
from display.terminal.band import Band
from display.terminal.bigtext import BigText
from display.terminal.printable import printable
from display.terminal.wall import WallApp, best_event, main
from server.protocol.messages import Bye
from server.protocol.session import COASTS_FOR, Session, Shown
from tests.display.wall_cases import HOSTILE, VECTORS
from tests.night import given, minutes, seconds
from themes import BUILT_IN, Shelf, built_in

if TYPE_CHECKING:
    from textual.app import App

    from display.scenes import Wall
    from display.words import Trust

FILE = json.loads(VECTORS.read_text("utf-8"))
PICTURES = Path(__file__).parent / "pictures"
WRITE = os.environ.get("RAILBIRD_PICTURES") == "write"
DRAWN = ((80, 24), (200, 60))
"""Sizes in which every case is held to a stored picture; RAILBIRD_PICTURES=write stores them."""
SIZES = [(80, 24), (120, 35), (200, 60)]
START = 50_000


class Room:
    """A wall in a terminal without a hub, at an instant that a test decides."""

    def __init__(
        self, document: Any, now: int, freshness: str = "fresh", offset: int = 0, **options: Any
    ) -> None:
        self.own = START
        self.session = Session("wall-test")
        self.rev = 0
        if freshness == "fresh":
            self.answered(now)
        else:
            self.session.clock.answered(self.own, now, now, self.own)
            self.session.lost(self.own - (1 if freshness == "coasting" else COASTS_FOR + 1))
        self.app = WallApp(
            self.session, event="1", own=lambda: self.own, zone=lambda _: offset, **options
        )
        self.told(document)

    def answered(self, now: int) -> None:
        """Connect, and let the hub say what time it is."""
        self.session.opened(self.own)
        self.session.received(json.dumps({"type": "probed", "sent": self.own, "at": now}), self.own)

    def told(self, document: Any) -> None:
        """Let the hub give a document."""
        self.rev += 1
        self.session.documents["t/1"] = shown = Shown("t/1", self.rev, document)
        self.app.news(shown)

    def later(self, ms: int) -> None:
        """Let time pass, and the wall look."""
        self.own += ms
        self.app.look()


def room(case: dict[str, Any], **options: Any) -> Room:
    """Give the room of a vector."""
    document = FILE["documents"][case["document"]]
    freshness = "coasting" if case["away"] else "fresh"
    return Room(document, case["now"], freshness, case["offset"], **options)


def text(app: App[None]) -> str:
    """Give what stands on the screen, line by line."""
    width, height = app.size
    lines = app.screen._compositor.render_strips()  # noqa: SLF001 - there is no public way
    assert len(lines) == height
    assert all(line.cell_length == width for line in lines)
    return "\n".join(line.text for line in lines)


def said(app: App[None], name: str) -> str:
    """Give the text of a widget, whether it is drawn in blocks or not."""
    return app.query_one(f"#{name}", BigText).text


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_every_case_is_shown(size: tuple[int, int]) -> None:
    """Whatever the state, the size and what was there before: hero, band and badge are shown."""
    cases = [case for case in FILE["cases"] if case["now"] is not None]
    pictures: dict[tuple[str, ...], list[str]] = {}
    app = room(cases[0]).app
    async with app.run_test(size=size) as pilot:
        for case in cases:
            made, expect = room(case), case["expect"]
            app.session, app._own, app._zone = made.session, made.app._own, made.app._zone  # noqa: SLF001 - another room on the same screen
            app.look()
            await pilot.pause()
            screen = text(app)
            assert said(app, "hero") == expect["hero"]
            if expect["hero"]:
                drawn = glyphs.drawable(expect["hero"].upper())
                assert "█" in screen if drawn else expect["hero"] in screen
            assert app.query_one("#band", Band).display == bool(expect["band"])
            if size == (80, 24):
                assert expect["band"] in screen
            assert ("◌ hub away" if case["away"] else "● live") in screen
            assert expect["time"] in screen
            assert _inside(app), case["name"]
            kind = (expect["state"], expect["band"], expect["hero_kind"], str(case["away"]))
            lines = [line.rstrip() for line in screen.splitlines()]
            pictures.setdefault(kind, [f"════ {case['name']}", *lines])
    if size in DRAWN:
        _compare(
            PICTURES / f"wall-{size[0]}x{size[1]}.txt", "\n".join(chain(*pictures.values())) + "\n"
        )


def _compare(path: Path, drawn: str) -> None:
    """Hold what was drawn to the picture that somebody has looked at."""
    if WRITE:
        path.parent.mkdir(exist_ok=True)
        path.write_text(drawn, "utf-8")
    assert drawn.split("════ ") == path.read_text("utf-8").split("════ ")


def _inside(app: App[None]) -> bool:
    """Say whether everything that is displayed is on the screen."""
    whole = app.screen.region
    parts = [part for part in app.query("Board > *") if part.display and part.region.area]
    return all(whole.contains_region(part.region) for part in parts)


@pytest.mark.parametrize(
    "name", ["[/]", "[@click=app.quit]x[/]", "$rb-ink", "\\[b]", "\x1b[31m", HOSTILE]
)
async def test_hostile_words_are_text(name: str) -> None:
    """A name, a reason or an announcement styles nothing and breaks nothing."""
    night = given("selkirk-main", {1: 3})
    document = night.event()
    document["name"] = document["announcement"] = name
    document["clock"] |= {"status": "paused", "ends_at": None, "reason": name}
    first = {"player": "1", "name": name, "place": 1, "shared": 1}
    made = Room(document, 0)
    plain = name.replace("\x1b", "")
    async with made.app.run_test(size=(100, 30)) as pilot:
        assert "\x1b" not in text(made.app)
        assert text(made.app).count(plain) >= 3
        document["clock"]["status"] = "finished"
        document["field"]["finishes"] = [first, first | {"place": 2}]
        made.told(document)
        await pilot.pause()
        assert f"2nd  {plain}" in text(made.app)


def test_signs_that_command_are_taken_out() -> None:
    """Escapes, overrides of direction and line ends do not reach the terminal; names do."""
    assert printable("\x1b]0;x\x07a\u202eb\nc\u2028d\x9bm") == "]0;xabcdm"
    assert printable("Zoë Ångström 李小龙 👩\u200d💻 [/]") == "Zoë Ångström 李小龙 👩\u200d💻 [/]"


async def test_resize() -> None:
    """A terminal may become small and large again while the clock runs."""
    made = Room(given("star-brisbane-saturday", {1: 8}).event(), 0)
    async with made.app.run_test(size=(200, 60)) as pilot:
        await pilot.pause()
        large = text(made.app)
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        small = text(made.app)
        assert "20:00" not in small
        assert small.count("█") < large.count("█")
        assert _inside(made.app)
        await pilot.resize_terminal(20, 5)
        await pilot.pause()
        text(made.app)
        await pilot.resize_terminal(200, 60)
        await pilot.pause()
        assert text(made.app) == large


async def test_digits_never_jump_sideways() -> None:
    """From second to second only the digits change, not their place."""
    made = Room(given("star-brisbane-saturday", {1: 8}).event(), 0)
    async with made.app.run_test(size=(120, 35)) as pilot:
        places = set()
        for _ in range(12):
            made.later(1_000)
            await pilot.pause()
            hero = made.app.query_one("#hero", BigText)
            lines = str(hero.render()).splitlines()
            places.add((hero.region, len(lines), len(lines[0])))
        assert len(places) == 1


async def test_a_look_is_aimed_at_the_next_second() -> None:
    """The wall looks again just after the digit changes, and a standing one once in a second."""
    made = Room(given("star-brisbane-saturday", {1: 8}).event(), 250)
    async with made.app.run_test() as pilot:
        await pilot.pause()
        made.app.look()
        timer = made.app._timer  # noqa: SLF001 - when it looks is what is tested
        assert timer is not None
        assert timer._interval == pytest.approx(0.752)  # noqa: SLF001


async def test_a_still_wall_paints_nothing() -> None:
    """A clock that stands costs no paint, and one that runs paints what changes."""
    night = given("star-brisbane-saturday", {1: 8})
    made = Room(night.event(), 0)
    shown: list[str] = []
    async with made.app.run_test() as pilot:
        await pilot.pause()
        board = made.app._board  # noqa: SLF001 - whether it paints is what is tested
        show = board.show

        def counted(wall: Wall, trust: Trust) -> None:
            shown.append(wall.hero)
            show(wall, trust)

        board.show = counted  # type: ignore[method-assign]
        made.later(1_000)
        made.later(1_000)
        assert shown == ["19:59", "19:58"]
        night.do("clock.pause")
        made.told(night.event())
        made.later(1_000)
        made.later(1_000)
        assert len(shown) == 3


async def test_themes() -> None:
    """Every theme dresses the same wall, by its name and by the key."""
    made = Room(given("star-brisbane-saturday", {1: 8}).event(), 0, theme="classic")
    async with made.app.run_test(size=(80, 24)) as pilot:
        for name in [*BUILT_IN[1:], "classic"]:
            await pilot.press("t")
            ground = made.app.screen.styles.background
            assert ground.hex.lower() == built_in()[name].colours.ground


async def test_own_theme_is_reloaded(tmp_path: Path) -> None:
    """A venue's file that changes changes the wall."""
    path = tmp_path / "own.toml"
    path.write_text('like = "classic"\n[colours]\nground = "#000001"\n', "utf-8")
    shelf = Shelf(tmp_path)
    made = Room(given("selkirk-main").event(), 0, theme="own", shelf=shelf)
    async with made.app.run_test() as pilot:
        assert made.app.screen.styles.background.hex == "#000001"
        path.write_text('like = "classic"\nname = "Own"\n[colours]\nground = "#000200"\n', "utf-8")
        await made.app._reload()  # noqa: SLF001 - it comes by a timer
        await pilot.pause()
        assert made.app.screen.styles.background.hex == "#000200"


async def test_link_lost() -> None:
    """A lost hub: the badge changes and the clock goes on; then it is stale; then all is well."""
    made = Room(given("star-brisbane-saturday", {1: 8}).event(), 0)
    async with made.app.run_test(size=(80, 24)) as pilot:
        assert "● live" in text(made.app)
        made.session.lost(made.own)
        made.later(3_000)
        await pilot.pause()
        assert "◌ hub away · 0:03" in text(made.app)
        assert said(made.app, "hero") == "19:57"
        made.later(COASTS_FOR)
        await pilot.pause()
        assert "✕ stale · 5:03" in text(made.app)
        assert "DO NOT TRUST THIS CLOCK · the hub is not heard" in text(made.app)
        assert said(made.app, "hero") == "14:57"
        made.answered(minutes(5) + seconds(3))
        made.later(0)
        await pilot.pause()
        assert "● live" in text(made.app)


async def test_keys() -> None:
    """A question mark says which keys there are, and q quits."""
    made = Room(given("selkirk-main").event(), 0)
    async with made.app.run_test() as pilot:
        await pilot.press("question_mark")
        await pilot.pause()
        assert "q quit" in text(made.app)
        await pilot.press("question_mark")
        await pilot.pause()
        assert "q quit" not in text(made.app)
        await pilot.press("q")
    assert made.app.return_code == 0


async def test_the_bell_rings_once() -> None:
    """A minute before the end and at the end; not again when the hub says what the wall knew."""
    night = given("star-brisbane-saturday", {1: 8})
    made = Room(night.event(), 0)
    async with made.app.run_test():
        for _ in range(1_300):
            made.later(1_000)
        assert made.app.rung == ["one_minute", "level_end"]
        night.later(minutes(20) + 5_000)
        made.told(night.event())
        made.session.lost(made.own)
        made.answered(seconds(1_300))
        made.told(night.event())
        assert made.app.rung == ["one_minute", "level_end"]


@pytest.mark.parametrize(
    ("events", "now", "wanted"),
    [
        ([], None, None),
        ([("1", "finished"), ("2", "waiting"), ("3", "running")], None, "3"),
        ([("1", "paused"), ("3", "running")], "1", "1"),
        ([("1", "finished"), ("3", "waiting")], "1", "3"),
        ([("1", "finished"), ("3", "finished")], "3", "3"),
        ([("1", "finished")], "gone", "1"),
        ([("1", "of a newer hub")], None, "1"),
    ],
)
def test_best_event(events: list[tuple[str, str]], now: str | None, wanted: str | None) -> None:
    """A wall that was not told shows what is played, and stays with it until it is over."""
    assert best_event([{"id": id_, "status": status} for id_, status in events], now) == wanted


async def test_the_wall_finds_its_event() -> None:
    """Without an event's id the wall follows the list, and then the event."""
    session = Session("wall-test")
    app = WallApp(session, own=lambda: START, zone=lambda _: 0)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "NO HUB" in text(app)
        app.news(Shown("events", 1, {"events": [{"id": "7", "status": "running"}]}))
        assert "t/7" in session.topics
        app.news(Shown("events", 2, {"events": [{"id": "8", "status": "running"}]}))
        assert "t/7" not in session.topics
        assert "t/8" in session.topics
        app.news(Bye("the hub is being restarted", 1_000))


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--theme", "plaid"], "--theme: there are classic, midnight"),
        (["--hub", "http://hub"], "--hub begins with ws://"),
    ],
)
def test_mistakes_on_the_command_line(
    argv: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What cannot be meant is said at once."""
    with pytest.raises(SystemExit):
        main(argv)
    assert words in capsys.readouterr().err
