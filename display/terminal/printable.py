"""Words made safe for a terminal: what would command it is taken out, whoever wrote it."""

from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from server.engine.visible import stripped

Words = TypeVar("Words")


def printable(text: str) -> str:
    """Give a text without any sign that commands a terminal, or shows nothing."""
    return stripped(text)


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
