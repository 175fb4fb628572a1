"""The prompt: one line at the bottom in which something is asked; the clock stays in sight."""

import asyncio
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, Static

from display.terminal.printable import printable

YES = "y"


class _Line(Input):
    """An input that can be left."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Never mind", priority=True)
    ]

    def action_leave(self) -> None:
        """Never mind."""
        prompt = self.parent
        if isinstance(prompt, Prompt):
            prompt.answer(None)


class Prompt(Horizontal):
    """Asks for one thing at a time."""

    DEFAULT_CSS = """
    Prompt { height: 1; display: none; }
    Prompt.-asking { display: block; }
    Prompt Static { width: auto; max-width: 75%; text-style: bold; padding: 0 1 0 0; }
    Prompt Input { width: 1fr; height: 1; border: none; padding: 0; }
    """

    def __init__(self) -> None:
        super().__init__(id="prompt")
        self._label = Static(markup=False)
        self._line = _Line(compact=True)
        self._waiting: asyncio.Future[str | None] | None = None
        self._one_key = False

    def compose(self) -> ComposeResult:
        """Put the question before the answer."""
        yield self._label
        yield self._line

    @property
    def asking(self) -> bool:
        """Whether something is being asked."""
        return self._waiting is not None

    async def ask(self, label: str, default: str = "", *, one_key: bool = False) -> str | None:
        """Ask for words; None is never mind."""
        self.answer(None)
        waiting: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._waiting = waiting
        self._one_key = one_key
        self._label.update(Content(printable(label)))
        self._line.value = printable(default)
        self.add_class("-asking")
        self._line.focus()
        self._line.action_end()
        try:
            return await waiting
        finally:
            self._waiting = None
            self.remove_class("-asking")

    async def confirm(self, question: str) -> bool:
        """Ask for a yes; every other key is a no."""
        return await self.ask(f"{question} y / n", one_key=True) == YES

    def answer(self, words: str | None) -> None:
        """Settle what is being asked."""
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(words)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the answer."""
        event.stop()
        self.answer("" if self._one_key else event.value)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Take a single key as the answer, where one is enough."""
        event.stop()
        if self._one_key and event.value:
            self.answer(event.value[-1].lower())
