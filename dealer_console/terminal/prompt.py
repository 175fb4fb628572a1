"""A line in which something is typed: a PIN, a reason, how many chips. It never hides the clock."""

from typing import Any

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static


class Prompt(Horizontal):
    """A question and a place for the answer; gone when nothing is asked."""

    DEFAULT_CSS = """
    Prompt { width: 100%; height: 1; background: $rb-panel; color: $rb-ink; display: none; }
    Prompt Static { width: auto; padding: 0 1; text-style: bold; color: $rb-accent; }
    Prompt Input { width: 1fr; height: 1; border: none; padding: 0; background: $rb-panel;
                   color: $rb-ink; }
    Prompt Input:focus { border: none; }
    """

    class Answered(Message):
        """Something was typed."""

        def __init__(self, what: str, text: str) -> None:
            super().__init__()
            self.what, self.text = what, text

    def __init__(self) -> None:
        super().__init__(id="prompt")
        self._what = ""
        self._question = Static(markup=False)
        self._input = Input(compact=True, select_on_focus=False)

    def compose(self) -> ComposeResult:
        """Put the answer beside the question."""
        yield self._question
        yield self._input

    @property
    def is_open(self) -> bool:
        """Whether something is asked."""
        return bool(self._what)

    def ask(self, what: str, question: str, *, secret: bool = False) -> None:
        """Ask something."""
        self._what = what
        self._question.update(Content(question))
        self._input.password = secret
        self._input.value = ""
        self.display = True
        self._input.focus()

    def close(self) -> None:
        """Ask nothing more."""
        self._what = ""
        self.display = False
        self._input.value = ""
        self.screen.set_focus(None)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Give the answer; an empty one is no answer."""
        event.stop()
        what, text = self._what, event.value.strip()
        self.close()
        if text:
            self.post_message(self.Answered(what, text))

    def on_key(self, event: Any) -> None:
        """Leave by escape."""
        if event.key == "escape" and self.is_open:
            event.stop()
            self.close()
