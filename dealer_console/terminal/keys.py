"""The keys of a dealer's console, and how others are put in their place.

A foot pedal or a clicker is a keyboard to the machine: whatever key it sends can be bound, by
`--bind big=pagedown` or, because that is what most people want, `--bind pedal=pagedown`.
"""

from collections.abc import Iterable

KEYS = {
    "big": "space",
    "fold": "f",
    "count": "c",
    "bank": "b",
    "chips": "B",
    "floor": "l",
    "reason": "L",
    "street": "s",
    "all_in": "a",
    "all_in_which": "A",
    "over": "h",
    "new": "n",
    "push": "p",
    "undo": "u",
    "hold": "k",
    "next": "x",
    "stop": "z",
    "pause": "P",
    "sync": "r",
    "here": "d",
    "misdeal": "M",
    "level": "v",
    "collect": "o",
    "ask": "t",
    "sign_on": "i",
    "help": "?",
    "theme": "T",
    "quit": "ctrl+q",
}
"""What each key does, by the ids of the buttons."""

HELP = (
    ("space", "the big button: what comes next"),
    ("f x c", "fold, check or call, count a bet"),
    ("a A", "all-in; asked: raise or call"),
    ("b B", "a time-bank chip, several chips"),
    ("s h n", "street, hand over, new hand"),
    ("1-9 0", "this seat's turn (0 is seat 10)"),
    ("r", "re-sync: street, seats, turn"),
    ("d", "button here: which seat"),
    ("M v", "misdeal, this hand's level"),
    ("o u", "chips collected, undo"),
    ("l L", "call the floor, with a reason"),
    ("p i", "push: the next dealer's PIN"),
    ("k z P", "hold clock, stop, pause table"),
    ("t T ^q", "ask for table, theme, quit"),
)
"""What the help says."""

ALIASES = {"pedal": "big", "clicker": "big"}
NAMES = {"question_mark": "?"}
"""Keys as Textual names them that we call by their sign."""


class BadBinding(ValueError):  # noqa: N818 - a person typed it
    """A binding that cannot be read."""


def bound(bindings: Iterable[str]) -> dict[str, str]:
    """Give what each key does, with the bindings of who started the console."""
    found = {key: what for what, key in KEYS.items()}
    for binding in bindings:
        name, _, key = binding.partition("=")
        what = ALIASES.get(name, name)
        if what not in KEYS or not key:
            known = ", ".join(sorted({*KEYS, *ALIASES}))
            raise BadBinding(
                f"--bind takes WHAT=KEY, such as pedal=pagedown; WHAT is one of {known}"
            )
        found[key] = what
    return found


def key_for(what: str, keys: dict[str, str]) -> str:
    """Say which key does something; the one that was bound last is shown."""
    return next((key for key, does in reversed(keys.items()) if does == what), "")
