"""Text as large as its place allows: in blocks where they fit, else in plain bold letters."""

from textual.content import Content
from textual.widget import Widget

from display.terminal import glyphs


class BigText(Widget):
    """A text in block letters. What is not drawable, such as a name, is written plainly."""

    DEFAULT_CSS = """
    BigText { width: 100%; height: 1fr; text-style: bold; content-align: center middle;
              text-align: center; text-wrap: nowrap; text-overflow: ellipsis; }
    """

    def __init__(
        self,
        *,
        at_least: str = "",
        most: int = 12,
        id: str | None = None,  # noqa: A002 - Textual's word
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes, markup=False)
        self.text = ""
        self._at_least, self._most = at_least, most

    def show(self, text: str) -> None:
        """Show a text."""
        if text != self.text:
            self.text = text
            self.refresh()

    def render(self) -> Content:
        """Draw as large as fits: all of it, or its first part with the rest in plain letters."""
        columns, rows = self.content_size
        drawn = self._drawn(self.text, columns, rows)
        if drawn:
            return Content("\n".join(drawn))
        first, _, rest = self.text.partition(" · ")
        drawn = self._drawn(first, columns, rows - 1) if rest else []
        return Content("\n".join([*drawn, rest]) if drawn else self.text)

    def _drawn(self, text: str, columns: int, rows: int) -> list[str]:
        """Draw a text; one that is shorter than usual is not drawn larger for that."""
        text = text.upper()
        usual = self._at_least if len(text) < len(self._at_least) else text
        size = min(glyphs.scale(text, columns, rows), self._most)
        size = min(size, glyphs.scale(usual, columns, rows) or size)
        return glyphs.draw(text, size) if size > 0 else []
