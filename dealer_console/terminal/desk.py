"""The widgets of a dealer's console, and what of the face each of them shows."""

from textual.app import ComposeResult
from textual.containers import Grid, Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from dealer_console.face import Button, Face
from dealer_console.taps import Mark
from dealer_console.terminal.keys import HELP, key_for
from dealer_console.terminal.prompt import Prompt
from dealer_console.terminal.seat import SeatCell
from display.terminal.bar import Bar
from display.terminal.bigtext import BigText
from display.terminal.printable import printable

MOST_SEATS = 12
DOTS = {"fresh": "●", "coasting": "◌", "stale": "✕"}
ROWS = (
    ("fold", "next", "bank", "floor"),
    ("count", "all_in", "street", "new"),
    ("push", "hold", "over", "undo"),
)
"""Which buttons stand where: a dealer finds them by place."""
NOTED = ("bank", "floor", "street", "undo")
"""Buttons whose note matters where there is little room."""


class Key(Static):
    """A button with its key; a click is a tap."""

    DEFAULT_CSS = "Key { width: 1fr; height: 1; text-wrap: nowrap; text-overflow: ellipsis; }"

    class Tapped(Message):
        """The button was clicked."""

        def __init__(self, button: str) -> None:
            super().__init__()
            self.button = button

    def __init__(self, button: str, place: str) -> None:
        super().__init__(markup=False, id=f"key-{button}", classes=f"key {place}")
        self._button = button

    def on_click(self) -> None:
        """Tell of the tap."""
        self.post_message(self.Tapped(self._button))

    def show(self, button: Button, key: str) -> None:
        """Show a button; what cannot be tapped is dim, and has no key."""
        self.set_class(button.command is None, "-off")
        note = button.note.partition(" · ")[0] if button.id in NOTED else ""
        words = (key if button.command else "·", button.label, printable(note))
        self.update(Content(" ".join(word for word in words if word)))


class Big(Vertical):
    """The big button: in the same place whatever it does."""

    DEFAULT_CSS = "Big { width: 100%; height: 5; align: center middle; }"

    def __init__(self) -> None:
        super().__init__(id="big")
        self._label = BigText(most=2, id="big-label")
        self._note = Static(markup=False, id="big-note")

    def compose(self) -> ComposeResult:
        """Put the note below the label."""
        yield self._label
        yield self._note

    def on_click(self) -> None:
        """Tell of the tap."""
        self.post_message(Key.Tapped("big"))

    def show(self, button: Button, key: str) -> None:
        """Show the button."""
        self.set_class(button.command is None, "-off")
        self._label.show(button.label)
        hint = f"[{key}]" if button.command is not None else ""
        self._note.update(
            Content("  ".join(part for part in (hint, printable(button.note)) if part))
        )


class Desk(Vertical):
    """Everything on the screen. It is given a `Face`, and decides nothing but where things go."""

    DEFAULT_CSS = "Desk { width: 100%; height: 1fr; }"

    def __init__(self, keys: dict[str, str]) -> None:
        super().__init__(id="desk")
        self._keys = keys
        self._written: dict[str, str] = {}
        self.prompt = Prompt()

    def compose(self) -> ComposeResult:
        """Put everything in its place, the most important largest."""
        with Horizontal(id="top"):
            yield Static(markup=False, id="table")
            yield Static(markup=False, id="this-hand")
            yield Static(markup=False, id="next-hand")
            yield Static(markup=False, id="gap")
            yield Static(markup=False, id="dealer")
            yield Static(markup=False, id="badge")
        yield Static(markup=False, id="link", classes="band")
        yield Static(markup=False, id="h4h", classes="band")
        yield Static(markup=False, id="notice", classes="band")
        with Grid(id="seats"):
            for seat in range(1, MOST_SEATS + 1):
                yield SeatCell(seat)
        yield Static(markup=False, id="title")
        yield BigText(at_least="0:00", most=6, id="digits")
        yield BigText(most=2, id="word")
        yield Static(markup=False, id="detail")
        yield Bar()
        yield Static(markup=False, id="collect")
        yield Big()
        with Vertical(id="keys"):
            for row in ROWS:
                with Horizontal(classes="keys"):
                    for column, button in enumerate(row):
                        yield Key(button, f"column-{column}")
        yield self.prompt
        yield Static(markup=False, id="status")
        help_ = Static(Content(help_text()), markup=False, id="help")
        help_.display = False
        yield help_

    def show(self, face: Face, mark: Mark) -> None:
        """Show a face, and how the last taps have fared."""
        self._mark_state(face, mark)
        self._put("table", face.table)
        self._put("this-hand", f"this hand {face.this_hand}" if face.this_hand else "")
        self._put("next-hand", f"next hand {face.next_hand}" if face.next_hand else "")
        self.query_one("#next-hand").set_class(face.level_changes, "-changes")
        self._put("dealer", face.dealer)
        self._put("badge", f"{DOTS[face.freshness]} {face.badge}")
        self._band("link", face.link or face.taken or face.asked)
        self._band("h4h", face.h4h)
        said = (face.nudge, *face.notices, face.floor)
        self._band("notice", "   ".join(part for part in said if part))
        faces = {seat.seat: seat for seat in face.seats}
        for cell in self.query(SeatCell):
            cell.show(faces.get(cell.seat))
        self._clock(face)
        keys = key_for("collect", self._keys)
        owed = "   ".join(prompt.words for prompt in face.collect)
        self._band("collect", f"{keys} ✓  {owed}" if owed else "")
        self.query_one(Big).show(face.big, key_for("big", self._keys))
        buttons = {button.id: button for button in face.buttons}
        for key in self.query(Key):
            name = str(key.id).removeprefix("key-")
            key.display = name in buttons
            if name in buttons:
                key.show(buttons[name], key_for(name, self._keys))
        status = mark.told or mark.words
        self._put("status", status or f"{key_for('help', self._keys)} help")

    def _clock(self, face: Face) -> None:
        """Show digits, a word, or both: what cannot be overlooked is the larger."""
        loud = bool(face.word) and (not face.digits or face.alarm == "zero")
        digits, word = self.query_one("#digits", BigText), self.query_one("#word", BigText)
        digits.display, word.display = bool(face.digits) and not loud, loud
        digits.show(face.digits)
        word.show(face.word)
        title = "" if loud else face.word
        said = (face.street.upper(), face.title, title, face.facing.upper())
        self._put("title", "  ·  ".join(part for part in said if part))
        self._put("detail", face.detail)
        self.query_one("#detail").display = bool(face.detail)
        bar = self.query_one(Bar)
        bar.display = bool(face.digits)
        bar.show(face.progress)

    def _mark_state(self, face: Face, mark: Mark) -> None:
        names = {f"-s-{face.state}", f"-{face.freshness}", f"-a-{face.alarm}", f"-t-{mark.stage}"}
        if face.stands:
            names.add("-stands")
        if mark.told:
            names.add("-told")
        if face.nudge:
            names.add("-nudge")
        if face.h4h:
            names.add("-h4h")
        self.set_classes(" ".join(sorted(names)))

    def _put(self, name: str, text: str) -> None:
        if self._written.get(name) != text:  # what stays is not painted again
            self._written[name] = text
            self.query_one(f"#{name}", Static).update(Content(printable(text)))

    def _band(self, name: str, text: str) -> None:
        self.query_one(f"#{name}").display = bool(text)
        self._put(name, text)


def help_text() -> str:
    """Write the help in two columns, so that it fits into any terminal."""
    half = (len(HELP) + 1) // 2
    pairs = [(HELP[i], HELP[i + half] if i + half < len(HELP) else ("", "")) for i in range(half)]
    return "\n".join(f"{a:>7}  {b:<33}{c:>7}  {d}" for (a, b), (c, d) in pairs)
