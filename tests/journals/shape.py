"""The shape of a journal: every name that this version can write, to tell when it changes."""

from __future__ import annotations

import types
from dataclasses import fields, is_dataclass
from typing import Any, get_args, get_origin, get_type_hints

from server.engine import State
from server.engine.commands import COMMANDS
from server.engine.events import EVENTS
from server.journal_format import HUB_RECORDS, NOTES

WITHOUT = ("rules", "history")
"""What a snapshot does not say of a state."""


def shape() -> dict[str, Any]:
    """Name every fact, command, record and note, with its fields, and all that lies in them."""
    inner: dict[str, list[str]] = {}
    facts = {name: _fields(cls, inner) for name, cls in EVENTS.items()}
    commands = {name: _fields(cls, inner) for name, cls in COMMANDS.items()}
    for name, hint in get_type_hints(State).items():
        if name not in WITHOUT:
            _look_into(hint, inner)
    return {
        "facts": dict(sorted(facts.items())),
        "commands": dict(sorted(commands.items())),
        "inner": dict(sorted(inner.items())),
        "hub": {name: sorted(known) for name, known in sorted(HUB_RECORDS.items())},
        "notes": {name: sorted(known) for name, known in sorted(NOTES.items())},
    }


def _fields(cls: Any, inner: dict[str, list[str]]) -> list[str]:
    hints = get_type_hints(cls)
    names = [f.name for f in fields(cls) if f.init]
    for name in names:
        _look_into(hints[name], inner)
    return sorted(names)


def _look_into(hint: Any, inner: dict[str, list[str]]) -> None:
    if get_origin(hint) is not None or isinstance(hint, types.UnionType):
        for arg in get_args(hint):
            _look_into(arg, inner)
    elif is_dataclass(hint) and hint.__name__ not in inner and hint.__name__ != "Command":  # type: ignore[union-attr]
        inner[hint.__name__] = []  # type: ignore[union-attr]
        inner[hint.__name__] = _fields(hint, inner)  # type: ignore[union-attr]
