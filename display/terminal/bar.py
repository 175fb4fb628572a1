"""How much of the level is left."""

from typing import ClassVar

from textual.content import Content
from textual.widget import Widget

WHOLE = 1000


class Bar(Widget):
    """A bar that empties; the empty part has another shape, not only another colour."""

    DEFAULT_CSS = "Bar { width: 1fr; height: 1; }"
    COMPONENT_CLASSES: ClassVar[set[str]] = {"bar--left", "bar--gone"}

    progress = WHOLE

    def show(self, progress: int) -> None:
        """Show how much is left, in thousandths."""
        if progress != self.progress:
            self.progress = progress
            self.refresh()

    def render(self) -> Content:
        """Draw what is left, and what is gone."""
        columns = self.content_size.width
        left = -(-columns * self.progress // WHOLE)
        return Content.assemble(
            ("█" * left, self.get_visual_style("bar--left")),
            ("─" * (columns - left), self.get_visual_style("bar--gone")),
        )
