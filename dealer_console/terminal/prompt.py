"""A line in which something is typed or chosen: a PIN, a reason, a seat. It never hides the clock.

A question with keys is answered by one key, as fast as any button; a key that is none of them is
what it always is, and the question is gone.
"""

from collections.abc import Mapping
from typing import Any

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static


class Prompt(Vertical):
    """A question and a place for the answer; gone when nothing is asked."""

    DEFAULT_CSS = """
    Prompt { width: 100%; height: auto; background: $rb-panel; color: $rb-ink; display: none; }
    Prompt Horizontal { width: 100%; height: 1; }
    Prompt #question { width: auto; padding: 0 1; text-style: bold; color: $rb-accent; }
    Prompt #choices { width: 100%; height: auto; padding: 0 1; }
    Prompt Input { width: 1fr; height: 1; border: none; padding: 0; background: $rb-panel;
                   color: $rb-ink; }
    Prompt Input:focus { border: none; }
    """

    class Answered(Message):
        """Something was typed or chosen."""

        def __init__(self, what: str, text: str) -> None:
            super().__init__()
            self.what, self.text = what, text

    def __init__(self) -> None:
        super().__init__(id="prompt")
        self._what = ""
        self._keys: Mapping[str, str] = {}
        self._question = Static(markup=False, id="question")
        self._choices = Static(markup=False, id="choices")
        self._input = Input(compact=True, select_on_focus=False)

    def compose(self) -> ComposeResult:
        """Put the answer beside the question, and what there is to choose above."""
        yield self._choices
        with Horizontal():
            yield self._question
            yield self._input

    @property
    def is_open(self) -> bool:
        """Whether something is typed: then keys are letters."""
        return bool(self._what) and not self._keys

    @property
    def is_asking(self) -> bool:
        """Whether one key answers."""
        return bool(self._what) and bool(self._keys)

    def ask(self, what: str, question: str, *, secret: bool = False, choices: str = "") -> None:
        """Ask for something that is typed."""
        self._open(what, question, choices)
        self._keys = {}
        self._input.password = secret
        self._input.display = True
        self._input.focus()

    def choose(self, what: str, question: str, keys: Mapping[str, str], choices: str = "") -> None:
        """Ask for one key; `keys` are those that answer, with what each says."""
        self._open(what, question, choices)
        self._keys = keys
        self._input.display = False
        self.screen.set_focus(None)

    def _open(self, what: str, question: str, choices: str) -> None:
        self._what = what
        self._question.update(Content(question))
        self._choices.update(Content(choices))
        self._choices.display = bool(choices)
        self._input.value = ""
        self.display = True

    def close(self) -> None:
        """Ask nothing more."""
        self._what = ""
        self._keys = {}
        self.display = False
        self._input.value = ""
        self.screen.set_focus(None)

    def key(self, key: str) -> bool:
        """Answer by one key; says whether it was an answer, or took the question back."""
        what, answer = self._what, self._keys.get(key)
        self.close()
        if answer is not None:
            self.post_message(self.Answered(what, answer))
        return answer is not None or key == "escape"

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
