"""The list: rows of a view, with a cursor that stays with what it is on whatever moves around."""

from collections.abc import Sequence

from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from dealer_console.terminal.td_rows import Row
from display.terminal.printable import printable

TONES = {
    "": "",
    "head": "bold $accent",
    "good": "$success",
    "warn": "bold $warning",
    "bad": "bold reverse $error",
    "dim": "dim",
    "now": "bold",
}
"""How a tone is drawn; the words say the same, so nothing is told by colour alone."""


class List(OptionList):
    """Rows to look at and to act on."""

    DEFAULT_CSS = """
    List { height: 1fr; border: none; padding: 0; background: transparent;
           text-wrap: nowrap; text-overflow: ellipsis; }
    List:focus { border: none; }
    List.-whole { text-wrap: wrap; }
    """

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id, markup=False)
        self._rows: list[Row] = []

    def show(self, rows: Sequence[Row]) -> None:
        """Show rows; only what has changed is painted anew."""
        before, after = self._rows, list(rows)
        if before == after:
            return
        on = self.row
        self._rows = after
        if [row.id for row in before] == [row.id for row in after] and before:
            for index, (old, new) in enumerate(zip(before, after, strict=True)):
                if (old.text, old.tone) != (new.text, new.tone):
                    self.replace_option_prompt_at_index(index, _drawn(new))
            return
        self.set_options([Option(_drawn(row), disabled=row.tone == "head") for row in after])
        self.highlighted = self._place(on.id if on is not None else "")

    def _place(self, wanted: str) -> int | None:
        """Find where the cursor goes: to the same thing, or to the first that there is."""
        usable = [i for i, row in enumerate(self._rows) if row.tone != "head"]
        same = [i for i in usable if wanted and self._rows[i].id == wanted]
        return (same or usable or [None])[0]  # type: ignore[list-item]  # nothing to be on

    @property
    def row(self) -> Row | None:
        """The row that the cursor is on."""
        at = self.highlighted
        return self._rows[at] if at is not None and at < len(self._rows) else None

    @property
    def place(self) -> int:
        """The cursor's place among all rows."""
        return self.highlighted or 0

    def texts(self) -> list[str]:
        """Give all rows as plain words."""
        return [row.text for row in self._rows]

    def point(self, id_: str) -> None:
        """Put the cursor on something."""
        self.highlighted = self._place(id_)


def _drawn(row: Row) -> Content:
    """Draw a row: words only, whoever wrote them."""
    return Content.styled(printable(row.text), TONES[row.tone])
