"""The head of the console: the event's clock as the wall shows it, and what the room must know."""

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from display.scenes import Wall
from display.terminal.bigtext import BigText
from display.terminal.board import ICONS
from display.terminal.printable import printable
from display.words import Fact, Trust, joined

DOTS = {"fresh": "●", "coasting": "◐", "stale": "○"}


class Head(Vertical):
    """Title, digits, figures and the band."""

    DEFAULT_CSS = """
    Head { height: auto; }
    Head #top { height: 1; }
    Head #title { width: 1fr; text-style: bold; }
    Head #badge { width: auto; }
    Head #middle { height: 5; }
    Head #digits { width: 34; height: 5; }
    Head #figures { width: 1fr; height: 5; padding: 0 0 0 2; }
    Head #band { height: 1; width: 100%; text-style: bold reverse; text-align: center;
                 text-wrap: nowrap; text-overflow: ellipsis; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._title = Static(markup=False, id="title")
        self._badge = Static(markup=False, id="badge")
        self._digits = BigText(at_least="00:00", most=2, id="digits")
        self._figures = Static(markup=False, id="figures")
        self._band = Static(markup=False, id="band")
        self._shown: tuple[Wall | None, Trust, str] | None = None

    def compose(self) -> ComposeResult:
        """Put them below each other."""
        with Horizontal(id="top"):
            yield self._title
            yield self._badge
        with Horizontal(id="middle"):
            yield self._digits
            yield self._figures
        yield self._band

    def show(self, wall: Wall | None, trust: Trust, place: str) -> None:
        """Show a wall's words, how far to trust them, and which event of how many this is."""
        if self._shown == (wall, trust, place):
            return
        self._shown = (wall, trust, place)
        time = "" if wall is None else wall.time
        self._badge.update(Content(printable(f"{time}  {DOTS[trust.freshness]} {trust.badge}")))
        if wall is None:
            self._title.update(Content("No event yet: 7 creates one"))
            self._figures.update(Content(""))
            self._digits.show("")
            self._band.display = False
            return
        self._title.update(Content(printable(joined(wall.title, wall.house, place))))
        self._digits.show(wall.digits or wall.hero)
        self._figures.update(Content("\n".join(map(printable, _figures(wall)))))
        doubt, band = joined(trust.title, trust.detail), joined(wall.band, wall.band_detail)
        words = [doubt, f"{ICONS[wall.state]} {band}" if band else "", wall.announcement]
        self._band.display = any(words)
        self._band.update(Content(printable("  ▪  ".join(word for word in words if word))))


def _figures(wall: Wall) -> list[str]:
    """Write the figures beside the clock, the most needed first."""
    level = f"LEVEL {wall.level}   {wall.blinds}" + (f"   {wall.ante}" if wall.ante else "")
    rows = [(wall.next,), (wall.break_in, wall.entry), (wall.players, wall.tables, wall.average)]
    rows.append((wall.money, wall.hard_stop))
    return [level, *("   ".join(_fact(fact) for fact in row if fact is not None) for row in rows)]


def _fact(fact: Fact) -> str:
    """Write a figure: what it is, how much; its note only where it is all that there is."""
    return f"{fact.label.lower()} {fact.value or fact.note}"
