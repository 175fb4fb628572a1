"""The door: what a terminal shows until the floor has let it in."""

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from display.terminal.bigtext import BigText
from display.terminal.printable import printable

ASK = "Show this code to the floor"


class Door(Vertical):
    """A code, as large as it fits, and what to do with it."""

    DEFAULT_CSS = """
    Door { width: 100%; height: 1fr; align: center middle; background: $rb-ground; color: $rb-ink; }
    Door Static { width: 100%; height: auto; text-align: center; color: $rb-soft; padding: 0 2; }
    Door #ask { color: $rb-ink; text-style: bold; padding: 1 2; }
    Door #code { height: 9; color: $rb-accent; }
    """

    def __init__(self) -> None:
        super().__init__(id="door")
        self._ask = Static(markup=False, id="ask")
        self._code = BigText(most=2, id="code")
        self._note = Static(markup=False, id="note")

    def compose(self) -> ComposeResult:
        """Put the code in the middle."""
        yield self._ask
        yield self._code
        yield self._note

    def show(self, code: str, note: str) -> None:
        """Show a code; without one, only why there is none."""
        self._ask.update(Content(ASK if code else "This terminal has not been let in yet"))
        self._code.show(" ".join((code[:3], code[3:])) if code else "")
        self._code.display = bool(code)
        self._note.update(Content(printable(note)))
