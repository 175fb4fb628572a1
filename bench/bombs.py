"""Bombs: what the worst 64 kB of TOML, CSV and JSON cost to read, beside an honest structure.

    .venv/bin/python bench/bombs.py [--quick]

Each figure is of this thread's own time, the best of some runs: what a request holds a thread, and
the interpreter with it. The promise is 50 ms; the ratio to the largest honest structure is what can
be compared between machines.
"""

from __future__ import annotations

from time import thread_time
from typing import TYPE_CHECKING

import msgspec
from report import Row, main

from server import sheets
from server.api import CommandRequest
from server.bounded_toml import MOST_BYTES, MOST_PIECES
from server.engine import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PROMISED = 50.0
"""Milliseconds."""

LONG = "[a.b.c.d.e.f]\n"
HONEST = "".join(
    f'[[structure.steps]]\nphase = "level"\nsmall = {n}\nbig = 1_000\nante = 1_000\nminutes = 20\n'
    for n in range(400)
)


def _filled(head: str, unit: str, tail: str = "") -> str:
    return head + unit * ((MOST_BYTES - len(head) - len(tail)) // len(unit)) + tail


TEXTS = {
    "toml: dotted key": _filled("a", ".a", " = 1"),
    "toml: keys under a long head": LONG + "".join(f"k{n} = 1\n" for n in range(3_490)),
    "toml: texts under a long head": LONG + "".join(f'k{n}="\\n\\n\\n"\n' for n in range(3_490)),
    "toml: tables": "a = [" + "{a=1}," * (MOST_PIECES // 3 - 2) + "]",
    "toml: numbers": "a = [" + "1," * (MOST_PIECES - 3) + "]",
    "toml: escapes": _filled('a = "', "\\n", '"'),
    "toml: too many keys": _filled("a = [", '"",', "]"),
    "csv: commas": "," * MOST_BYTES,
    "csv: empty rows": "\n" * MOST_BYTES,
    "csv: cells": "phase,small,big,ante,minutes\n" + "level,1,2,0,20\n" * 402,
    "csv: colours": "phase,colour_up\nbreak," + "1 " * 30_000,
}
JSON = {
    "json: lists": "[" * 60_000,
    "json: empty lists": "[" + "[]," * 20_000 + "[]]",
    "json: digits": "9" * 60_000,
    "json: keys": "{" + ",".join(f'"{n:x}":1' for n in range(7_000)) + "}",
}


def _read(name: str, text: str) -> None:
    try:
        if name.startswith("json"):
            body = f'{{"do":"x","args":{{"a":{text}}}}}'.encode()
            msgspec.json.decode(body, type=CommandRequest)
        else:
            sheets.read(text, name.partition(":")[0])
    except (BadInput, msgspec.DecodeError, RecursionError):
        pass


def _took(work: Callable[[], None], runs: int) -> float:
    found = []
    for _ in range(runs):
        begin = thread_time()
        work()
        found.append((thread_time() - begin) * 1_000)
    return min(found)


def rows(quick: bool) -> Iterator[Row]:
    """Read every bomb."""
    runs = 3 if quick else 15
    honest = _took(lambda: _read("toml: honest", HONEST), runs)
    yield Row("the largest honest structure", f"{honest:.1f} ms")
    for name, text in {**TEXTS, **JSON}.items():
        took = _took(lambda name=name, text=text: _read(name, text), runs)  # type: ignore[misc]
        yield Row(
            name,
            f"{took:.1f} ms",
            f"{honest:.1f} ms",
            took / honest,
            met=took <= PROMISED,
            target=f"<= {PROMISED:.0f} ms",
        )


if __name__ == "__main__":
    main(__doc__, rows)
