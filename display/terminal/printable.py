"""Words made safe for a terminal: what would command it is taken out, whoever wrote it."""

import unicodedata
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

Words = TypeVar("Words")

COMMANDS = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Categories of signs that move, reorder or hide others: escapes, overrides, line ends."""
JOINER = "\u200d"
"""The one of them that writing needs; it commands nothing."""


def printable(text: str) -> str:
    """Give a text without any sign that commands a terminal."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        sign for sign in text if sign == JOINER or unicodedata.category(sign) not in COMMANDS
    )


def safe(words: Words) -> Words:
    """Give words, or a dataclass of them, with nothing in them that commands a terminal."""
    found: Any = words
    if isinstance(words, str):
        found = printable(words)
    elif isinstance(words, tuple):
        found = tuple(safe(each) for each in words)
    elif is_dataclass(words) and not isinstance(words, type):
        found = replace(words, **{f.name: safe(getattr(words, f.name)) for f in fields(words)})
    return found  # type: ignore[no-any-return]
