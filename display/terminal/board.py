"""The widgets of the wall, and what of it each of them shows."""

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from display.scenes import Wall
from display.terminal.band import Band
from display.terminal.bar import Bar
from display.terminal.bigtext import BigText
from display.terminal.figure import Figure
from display.terminal.printable import printable_wall
from display.words import joined

HELP = "q quit   ·   t next theme   ·   ? close this help"
LINES = ("hero-label", "under", "middle-line", "next", "footer")


class Board(Vertical):
    """Everything on the screen. It is given a `Wall`, and decides nothing but where things go."""

    DEFAULT_CSS = "Board { width: 100%; height: 1fr; }"

    def __init__(self, mark: str = "") -> None:
        super().__init__()
        self.mark = mark
        self._written: dict[str, str] = {}
        self._lines = {name: BigText(most=1, classes="line", id=name) for name in LINES}

    def compose(self) -> ComposeResult:
        """Put everything in its place, the most important largest."""
        with Horizontal(id="top"):
            yield Static(markup=False, id="title")
            yield Static(markup=False, id="time")
            yield Static(markup=False, id="badge")
        yield BigText(most=1, classes="line", id="trouble")
        yield Band(id="band")
        yield self._lines["hero-label"]
        yield BigText(at_least="00:00", id="hero")
        yield self._lines["under"]
        yield Bar()
        yield BigText(at_least="0,000 / 0,000", id="middle")
        yield self._lines["middle-line"]
        with Horizontal(id="figures"):
            for name in ("level", "players", "average", "break-in", "entry"):
                yield Figure(id=name)
        yield self._lines["next"]
        yield Static(markup=False, id="announcement")
        yield self._lines["footer"]
        help_ = Static(Content(HELP), markup=False, classes="line", id="help")
        help_.display = False
        yield help_

    def show(self, wall: Wall) -> None:
        """Show a wall."""
        wall = printable_wall(wall)
        self._mark_state(wall)
        title = joined(wall.title, wall.house)
        self._put("title", f"{self.mark} {title}" if self.mark else title)
        self._put("time", wall.time)
        dot = {"fresh": "●", "coasting": "◌", "stale": "✕"}[wall.freshness]
        self._put("badge", f"{dot} {wall.badge}")
        self.query_one("#band", Band).show(wall.icon, wall.band, wall.band_detail, short(wall))
        self.query_one("#trouble", BigText).show(wall.badge)
        self.query_one("#hero", BigText).show(wall.hero)
        big, line = middle(wall)
        bar = self.query_one(Bar)
        bar.display = bool(wall.digits) and wall.state not in ("waiting", "suspended")
        bar.show(wall.progress)
        shown = self.query_one("#middle", BigText)
        shown.display = bool(big)
        shown.show(big)
        self._figures(wall)
        self._line("hero-label", wall.hero_label)
        self._line("under", wall.under)
        self._line("middle-line", line)
        self._line("next", coming(wall))
        self._put("announcement", wall.announcement)
        self.query_one("#announcement").display = bool(wall.announcement)
        self._line("footer", joined(wall.hard_stop, wall.footer))

    def _figures(self, wall: Wall) -> None:
        def figure(name: str, label: str, value: str, more: str = "") -> None:
            self.query_one(f"#{name}", Figure).show(label, value, more)

        over = wall.state == "finished"
        some = wall.players if wall.entries not in ("", "0") else ""
        figure("level", "LEVEL", "" if over else wall.level, wall.tables)
        figure("players", "PLAYERS", some, joined(f"of {wall.entries}", wall.money))
        figure("average", "AVERAGE", "" if over else wall.average, wall.average_bb)
        figure("break-in", "BREAK IN", wall.break_in)
        figure("entry", wall.entry_label, wall.entry)
        self.query_one("#figures").display = bool(wall.level)

    def _mark_state(self, wall: Wall) -> None:
        wanted = {f"-s-{wall.state}", f"-{wall.freshness}"}
        if wall.held:
            wanted.add("-held")
        # Set on the board and not on the screen, whose classes tell its size.
        self.set_classes(" ".join(sorted(wanted)))

    def _put(self, name: str, text: str) -> None:
        if self._written.get(name) != text:  # what stays is not painted again
            self._written[name] = text
            self.query_one(f"#{name}", Static).update(Content(text))

    def _line(self, name: str, text: str) -> None:
        self._lines[name].display = bool(text)
        self._lines[name].show(text)


def middle(wall: Wall) -> tuple[str, str]:
    """Choose what stands below the hero: the blinds, or what matters more just now."""
    if wall.state == "finished":
        return "", "   ".join(wall.placed)
    if wall.state == "break" and wall.chips:
        return "  ".join(wall.chips), "TAKE THESE CHIPS OUT OF PLAY"
    if wall.state == "break" and wall.next_line:
        return wall.next_line, f"NEXT · {wall.next_title}"
    return wall.blinds, wall.ante


def short(wall: Wall) -> str:
    """Write the band's detail without what is the hero already."""
    told = f"{wall.hero} from the money"
    return " · ".join(part for part in wall.band_detail.split(" · ") if part != told)


def coming(wall: Wall) -> str:
    """Write what comes next on one line."""
    if wall.state == "break" and not wall.chips:
        return ""
    following = "  ".join(part for part in (wall.next_title, wall.next_line) if part)
    last = wall.next_title == "LAST LEVEL"
    return following if last or not following else f"NEXT  {following}"
