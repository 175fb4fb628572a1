"""One seat on a dealer's console: who sits there, chips left, and whose turn it is."""

from rich.cells import cell_len, set_cell_size
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from dealer_console.face import SeatFace
from display.terminal.printable import printable

MOST_DOTS = 4
"""More chips than this are a number: eight dots cannot be counted at a glance."""


class SeatCell(Static):
    """A seat; a click on it is a tap."""

    DEFAULT_CSS = """
    SeatCell { width: 1fr; height: 1; text-wrap: nowrap; }
    """

    class Tapped(Message):
        """The seat was clicked."""

        def __init__(self, seat: int) -> None:
            super().__init__()
            self.seat = seat

    def __init__(self, seat: int) -> None:
        super().__init__(markup=False, id=f"seat-{seat}")
        self.seat = seat
        self._face: SeatFace | None = None

    def on_click(self) -> None:
        """Tell of the tap."""
        self.post_message(self.Tapped(self.seat))

    def show(self, face: SeatFace | None) -> None:
        """Show a seat; one that the table does not have is not there."""
        self.display = face is not None
        if face is None or face == self._face:
            return
        self._face = face
        marks = {"-now": face.turn == "now", "-next": face.turn == "next", "-burning": face.burning}
        for name, so in {**marks, "-out": face.folded or not face.name}.items():
            self.set_class(so, name)
        self.refresh()

    def render(self) -> Content:
        """Write the seat on one line: whose turn, number, button, name, chips or why none."""
        face = self._face
        if face is None:
            return Content("")
        turn = {"now": "▶", "next": "▷"}.get(face.turn, " ")
        button = "D" if face.button else " "
        right = after(face)
        width = max(4, self.content_size.width - 6 - cell_len(right))
        name = set_cell_size(printable(face.name) or "—", width)
        return Content(f"{turn}{face.seat:>2}{button} {name} {right}")


def after(face: SeatFace) -> str:
    """Write what stands behind a name."""
    if not face.name:
        return ""
    if face.owes:
        return f"owes {face.owes}"
    if face.folded:
        return " ".join(part for part in (face.blind, "folded") if part)
    parts = [face.blind, "ALL-IN" if face.all_in else "", face.limit, chips(face)]
    return " ".join(part for part in parts if part)


def chips(face: SeatFace) -> str:
    """Write the time-bank chips: those left, and those spent in another shape."""
    whole = face.chips + face.spent
    if not whole:
        return ""
    if whole > MOST_DOTS:
        return f"{face.chips}●"
    return "●" * face.chips + "○" * face.spent
