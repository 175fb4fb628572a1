"""The band across the screen: what the room must know before everything else."""

from textual.app import ComposeResult
from textual.containers import Vertical

from display.terminal.bigtext import BigText

TALL = 5
"""From so many rows on the band's name is drawn in blocks, above its detail."""


class Band(Vertical):
    """A shape, a name, and why or until when."""

    DEFAULT_CSS = """
    Band { width: 100%; align: center middle; }
    """

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id)
        self._heading = BigText(most=1)
        self._line = BigText(most=1)
        self._said = ("", "", "", "")

    def compose(self) -> ComposeResult:
        """Put the name above the line."""
        yield self._heading
        yield self._line

    def show(self, icon: str, name: str, detail: str, short: str) -> None:
        """Show what is said, in short where it is drawn large; nothing said, no band."""
        self.display = bool(name)
        self._said = (icon, name, detail, short)
        self._arrange()

    def on_resize(self) -> None:
        """Use the room that there is."""
        self._arrange()

    def _arrange(self) -> None:
        icon, name, detail, short = self._said
        tall = self.size.height >= TALL
        self._heading.display = tall
        self._heading.show(name)  # its own shape is large enough to need no sign before it
        plain = "  ·  ".join(part for part in (name, detail) if part)
        self._line.show(short if tall else f"{icon}  {plain}")
        self._line.display = bool(detail) or not tall
