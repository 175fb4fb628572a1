"""One figure of the wall: what it is, how much, and a word more."""

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from display.terminal.bigtext import BigText


class Figure(Vertical):
    """A label, a value as large as it fits, and a line below; gone where there is no value."""

    DEFAULT_CSS = """
    Figure { width: 1fr; height: 100%; }
    Figure Static { width: 100%; height: 1; text-align: center; text-wrap: nowrap;
                    text-overflow: ellipsis; }
    """

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id)
        self._label = Static(markup=False, classes="label")
        self._value = BigText(at_least="00,000", most=2)
        self._more = Static(markup=False, classes="more")
        self._around = ("", "")

    def compose(self) -> ComposeResult:
        """Put the three lines below each other."""
        yield self._label
        yield self._value
        yield self._more

    def show(self, label: str, value: str, more: str = "") -> None:
        """Show a figure; with no value there is none."""
        self.display = bool(value)
        self._value.show(value)
        if (label, more) != self._around:
            self._around = (label, more)
            self._label.update(Content(label))
            self._more.update(Content(more))
