"""Strict reading of what comes from outside: command arguments, preset files, structures.

One small reader serves all three, so that a wrong value is refused in the same words everywhere:
where it is, what it is, and what would be right. Nothing is converted: `true` is not 1, `20.0` is
not 20, an unknown key is a mistake.
"""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from server.engine.visible import why_not

T = TypeVar("T")
MOST_SHOWN = 40
"""How much of a wrong value a message quotes."""

Kind = Callable[[Any, str], Any]
"""Reads a value found at a place (`structure.steps[3].small`), or raises BadInput."""


class BadInput(ValueError):  # noqa: N818 - it is the sender's error, told in the sender's words
    """Something from outside does not have the shape that it must have."""

    def __init__(self, where: str, reason: str) -> None:
        self.where, self.reason = where, reason
        super().__init__(f"{where}: {reason}" if where else reason)


def _shown(value: object) -> str:
    """Quote a value in a message without letting a huge one fill the screen."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # an integer too long to print, a list too deep
        return f"a huge {type(value).__name__}"
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 1] + "…"


def key(name: object) -> str:
    """Quote a key in a message; a strange or endless one must not spoil it."""
    plain = isinstance(name, str) and name.isprintable() and len(name) <= MOST_SHOWN
    return name if plain and isinstance(name, str) else _shown(name)


def whole(least: int, most: int) -> Kind:
    """Accept a whole number between two bounds."""

    def read(value: Any, where: str) -> int:
        if type(value) is not int:
            raise BadInput(where, f"must be a whole number, not {_shown(value)}")
        if not least <= value <= most:
            raise BadInput(where, f"must be from {least} to {most}, not {_shown(value)}")
        return value

    return read


def text(most: int) -> Kind:
    """Accept words that can be shown: see `visible`."""

    def read(value: Any, where: str) -> str:
        if type(value) is not str:
            raise BadInput(where, f"must be text, not {_shown(value)}")
        if not value.strip():
            raise BadInput(where, "must not be empty")
        if len(value) > most:
            raise BadInput(where, f"must be at most {most} characters long, not {len(value)}")
        reason = why_not(value)
        if reason is not None:
            raise BadInput(where, reason)
        return value

    return read


def flag(value: Any, where: str) -> bool:
    """Accept true or false."""
    if type(value) is not bool:
        raise BadInput(where, f"must be true or false, not {_shown(value)}")
    return value


def choice(*words: str) -> Kind:
    """Accept one of these words."""

    def read(value: Any, where: str) -> str:
        if type(value) is not str or value not in words:
            raise BadInput(where, f"must be one of {', '.join(words)}, not {_shown(value)}")
        return value

    return read


def time_of_day(value: Any, where: str) -> int:
    """Accept "17:30" and give minutes after midnight."""
    hour, colon, minute = value.partition(":") if type(value) is str else ("", "", "")
    digits = hour.isdecimal() and minute.isdecimal() and value.isascii()
    short = len(hour) in (1, 2) and len(minute) == len("00")
    if not (colon and digits and short and int(hour) < 24 and int(minute) < 60):  # noqa: PLR2004
        raise BadInput(where, f'must be a time of day like "17:30", not {_shown(value)}')
    return int(hour) * 60 + int(minute)


def nullable(kind: Kind) -> Kind:
    """Accept nothing (null), or what `kind` accepts."""
    return lambda value, where: None if value is None else kind(value, where)


def each(kind: Kind, most: int) -> Kind:
    """Accept a list, every item of which `kind` accepts."""

    def read(value: Any, where: str) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise BadInput(where, f"must be a list, not {_shown(value)}")
        if len(value) > most:
            raise BadInput(where, f"must have at most {most} items, not {len(value)}")
        return tuple(kind(item, f"{where}[{i}]") for i, item in enumerate(value))

    return read


def record(cls: type[T]) -> Callable[[Any, str], T]:
    """Accept a table of the keys that are the fields of `cls`."""
    return lambda value, where: build(cls, value, where)


def arg(kind: Kind, *, default: Any = dataclasses.MISSING) -> Any:
    """Declare a dataclass field that is read by `kind`; without a default it must be given."""
    return dataclasses.field(default=default, metadata={"kind": kind})


def build(cls: type[T], raw: Any, where: str = "") -> T:
    """Make a `cls` out of a table of raw values, every one of them checked."""
    if not isinstance(raw, Mapping):
        raise BadInput(where, f"must be a table (an object) of keys and values, not {_shown(raw)}")
    fields = {f.name: f for f in dataclasses.fields(cls) if "kind" in f.metadata}  # type: ignore[arg-type]
    prefix = f"{where}." if where else ""
    for name in raw:
        if name not in fields:
            known = ", ".join(fields) or "none"
            raise BadInput(prefix + key(name), f"unknown key; the known ones are: {known}")
    for name, f in fields.items():
        if name not in raw and f.default is dataclasses.MISSING:
            raise BadInput(f"{prefix}{name}", "is missing")
    values = {name: fields[name].metadata["kind"](raw[name], prefix + name) for name in raw}
    try:
        return cls(**values)
    except BadInput as bad:  # what the class found wrong between its own fields
        raise BadInput(prefix + bad.where, bad.reason) from None
