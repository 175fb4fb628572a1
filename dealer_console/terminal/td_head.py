"""The head of the console: the event's clock as the wall shows it, and what the room must know."""

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from display.scenes import Wall
from display.terminal.bigtext import BigText
from display.terminal.printable import printable


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
        self._shown: tuple[Wall | None, str] | None = None

    def compose(self) -> ComposeResult:
        """Put them below each other."""
        with Horizontal(id="top"):
            yield self._title
            yield self._badge
        with Horizontal(id="middle"):
            yield self._digits
            yield self._figures
        yield self._band

    def show(self, wall: Wall | None, place: str) -> None:
        """Show a wall's words; `place` says which event of how many this is."""
        if self._shown == (wall, place):
            return
        self._shown = (wall, place)
        if wall is None:
            self._title.update(Content("No event yet: 7 creates one"))
            self._figures.update(Content(""))
            self._digits.show("")
            self._band.display = False
            return
        words = [wall.title, wall.house, place]
        self._title.update(Content(printable(" · ".join(word for word in words if word))))
        self._badge.update(Content(printable(f"{wall.time}  {_dot(wall)} {wall.badge}")))
        self._digits.show(wall.digits or wall.hero)
        self._figures.update(Content("\n".join(map(printable, _figures(wall)))))
        band = " · ".join(part for part in (wall.band, wall.band_detail) if part)
        self._band.display = bool(band or wall.announcement)
        words = [f"{wall.icon} {band}" if band else "", wall.announcement]
        self._band.update(Content(printable("  ▪  ".join(word for word in words if word))))

    def words(self) -> str:
        """Give what the band and the figures say, for tests."""
        return f"{self._band.visual}\n{self._figures.visual}"


def _dot(wall: Wall) -> str:
    return {"fresh": "●", "coasting": "◐"}.get(wall.freshness, "○")


def _figures(wall: Wall) -> list[str]:
    """Write the figures beside the clock, the most needed first."""
    level = f"LEVEL {wall.level}   {wall.blinds}" + (f"   {wall.ante}" if wall.ante else "")
    following = f"next {wall.next_title.lower()}  {wall.next_line}" if wall.next_title else ""
    rest = f"break in {wall.break_in}" if wall.break_in else ""
    entry = f"{wall.entry_label.lower()} {wall.entry}".strip()
    field = [f"{wall.players} of {wall.entries} players", wall.tables, f"average {wall.average}"]
    return [
        level,
        following,
        "   ".join(part for part in (rest, entry) if part),
        "   ".join(part for part in field if part)
        if wall.entries != "0"
        else "nobody is seated yet",
        wall.hard_stop,
    ]
