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
from display.terminal.printable import safe
from display.words import Fact, Trust, grouped, joined

ICONS = {
    "waiting": "◷",
    "playing": "▶",
    "last-minute": "▲",
    "paused": "▮▮",
    "hard-stop": "■",
    "break": "◖◗",
    "hand-for-hand": "◆",
    "suspended": "☾",
    "finished": "★",
}
"""A shape for every state, so that none is told by its colour alone; narrow in any terminal."""

DOTS = {"fresh": "●", "coasting": "◌", "stale": "✕"}
NONE = Fact("", "")
IDLE = ("waiting", "suspended")

HELP = "q quit   ·   t next theme   ·   ? close this help"
LINES = ("hero-label", "under", "middle-line", "next", "footer")


class Board(Vertical):
    """Everything on the screen. It is given words, and decides nothing but where they go."""

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

    def show(self, wall: Wall, trust: Trust) -> None:
        """Show a wall, and how far it can be trusted."""
        wall = safe(wall)
        self._mark_state(wall, trust)
        title = joined(wall.title, wall.house)
        self._put("title", f"{self.mark} {title}" if self.mark else title)
        self._put("time", wall.time)
        self._put("badge", f"{DOTS[trust.freshness]} {trust.badge}")
        icon = ICONS[wall.state]
        self.query_one("#band", Band).show(icon, wall.band, wall.band_detail, short(wall))
        trouble = joined(trust.title, safe(trust.detail)) or trust.badge.upper()
        self.query_one("#trouble", BigText).show(trouble)
        self.query_one("#hero", BigText).show(wall.hero)
        big, line = middle(wall)
        bar = self.query_one(Bar)
        bar.display = bool(wall.digits) and wall.state not in IDLE
        bar.show(1000 if wall.progress is None else wall.progress)
        shown = self.query_one("#middle", BigText)
        shown.display = bool(big)
        shown.show(big)
        self._figures(wall)
        self._line("hero-label", wall.hero_label.upper())
        self._line("under", wall.under)
        self._line("middle-line", line)
        self._line("next", coming(wall))
        self._put("announcement", wall.announcement)
        self.query_one("#announcement").display = bool(wall.announcement)
        money = NONE if wall.money is None else wall.money
        self._line("footer", joined(f"{money.value} {money.label}".strip(), wall.footer))

    def _figures(self, wall: Wall) -> None:
        def figure(name: str, fact: Fact | None, more: str = "") -> None:
            said = NONE if fact is None else fact
            self.query_one(f"#{name}", Figure).show(
                said.label.upper(), said.value, joined(said.note, more)
            )

        tables = "" if wall.tables is None else wall.tables.value
        figure("level", wall.stage, tables and f"{tables} table{'' if tables == '1' else 's'}")
        figure("players", wall.players)
        figure("average", wall.average)
        figure("break-in", wall.hard_stop or wall.break_in)
        figure("entry", wall.entry)
        self.query_one("#figures").display = wall.stage is not None or wall.players is not None

    def _mark_state(self, wall: Wall, trust: Trust) -> None:
        wanted = {f"-s-{wall.state}", f"-{trust.freshness}"}
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
        return "", "   ".join(f"{each.label}  {each.value}" for each in wall.placed)
    if wall.chips:
        return "  ".join(map(grouped, wall.chips)), "TAKE THESE CHIPS OUT OF PLAY"
    if wall.phase == "break" and wall.next is not None:
        return wall.next.value, joined(wall.next.label.upper(), wall.next.note)
    return wall.blinds, wall.ante


def short(wall: Wall) -> str:
    """Write the band's detail without what is the hero already."""
    told = f"{wall.hero} {wall.hero_label}"
    return " · ".join(part for part in wall.band_detail.split(" · ") if part != told)


def coming(wall: Wall) -> str:
    """Write what comes next on one line; nothing where it is written larger already."""
    if wall.next is None or (wall.phase == "break" and not wall.chips):
        return ""
    return "  ".join(
        part for part in (wall.next.label.upper(), wall.next.value, wall.next.note) if part
    )
