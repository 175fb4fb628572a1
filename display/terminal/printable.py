"""Words made safe for a terminal: what would command it is taken out, whoever wrote it."""

import unicodedata
from dataclasses import fields, replace

from display.scenes import Wall

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


def printable_wall(wall: Wall) -> Wall:
    """Give a wall whose every word is safe."""
    changed: dict[str, str | tuple[str, ...]] = {}
    for field in fields(wall):
        value = getattr(wall, field.name)
        if isinstance(value, str):
            changed[field.name] = printable(value)
        elif isinstance(value, tuple):
            changed[field.name] = tuple(printable(part) for part in value)
    return replace(wall, **changed)  # type: ignore[arg-type]  # each field keeps its type
