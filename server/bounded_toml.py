"""TOML with a bound: every text is looked over before it is parsed, and refused if it costs much.

Python's parser takes time that grows with the square of a dotted key's parts: 64 kB of `a.a.a.a`
held a thread for half a minute, and the whole process with it. So each text is first walked through
once, building nothing, in time that grows with its length only. What is refused is told with its
line. What passes goes to the parser as it is.

The walk need not know what is TOML: where it and the parser part, the parser has met a mistake, and
reads no further.
"""

import re
import tomllib
from pathlib import Path
from typing import Any

MOST_BYTES = 64 << 10
"""Ten times the longest structure, preset or theme that anybody has written."""

MOST_LINES = 5_000
"""The longest structure in its longest form, a line for each key, has half as many."""

MOST_PARTS = 6
"""Names joined by dots, in a key or a table's head: none of ours has more than two."""

MOST_DEEP = 8
"""Lists and tables in each other: none of ours has more than four."""

MOST_PIECES = 7_000
"""Keys, values, lists and tables. A structure of 400 steps, each a table of its own with every key
that it may have, has 6,000; the parser takes some microseconds for each."""

MOST_TOLD = 300
"""Characters of what the parser says, which quotes keys in full."""

_TOKEN = re.compile(
    r"""
      (?P<lines>\n+)
    | (?P<gap>[ \t]+ | \#[^\n]*+)
    | (?P<text>
          \"{3} (?: [^"\\] | \\. | "(?!"") )*+ \"{3} "{0,2}
        | '{3} (?: [^'] | '(?!'') )*+ '{3} '{0,2}
        | " (?: [^"\\\n] | \\[^\n] )*+ "
        | ' [^'\n]*+ '
      )
    | (?P<word>[^ \t\n\#"'\[\]{}=,.]+)
    | (?P<dot>\.)
    | (?P<open>[\[{])
    | (?P<close>[\]}])
    | (?P<next>[=,][=, \t]*+)
    """,
    re.VERBOSE | re.DOTALL,
)
_PIECES = frozenset({"text", "word", "dot", "open"})
_NEW_KEY = frozenset({"lines", "open", "close", "next"})
"""What a dotted key never goes on over."""


class BadToml(ValueError):  # noqa: N818 - the person who wrote the text reads this
    """A text that is no TOML, or too much of it; the message says on which line."""


def look_over(text: str) -> None:
    """Refuse a text that would cost more to parse than any honest one."""
    if len(text) > MOST_BYTES:
        raise BadToml(f"too large: at most {MOST_BYTES} characters")
    text = text.replace("\r\n", "\n")
    line, pieces, dots, deep = 1, 0, 0, 0
    at = 0
    while found := _TOKEN.match(text, at):
        at, kind = found.end(), found.lastgroup
        line += text.count("\n", found.start(), at)
        pieces += kind in _PIECES
        dots = 0 if kind in _NEW_KEY else dots + (kind == "dot")
        deep += (kind == "open") - (kind == "close")
        if line > MOST_LINES or pieces > MOST_PIECES or dots >= MOST_PARTS or deep > MOST_DEEP:
            raise BadToml(f"line {line}: {_too_much(line, pieces, dots)}")
        if deep < 0:
            return  # no TOML: the parser says so, and reads no further


def _too_much(line: int, pieces: int, dots: int) -> str:
    if line > MOST_LINES:
        return f"there may be at most {MOST_LINES} lines"
    if pieces > MOST_PIECES:
        return f"there may be at most {MOST_PIECES} keys and values"
    if dots >= MOST_PARTS:
        return f"a key may have at most {MOST_PARTS} parts"
    return f"lists and tables may be at most {MOST_DEEP} deep"


def loads(text: str) -> dict[str, Any]:
    """Read a text; BadToml says what is wrong with it, and where."""
    look_over(text)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        told = str(error)
        raise BadToml(told if len(told) <= MOST_TOLD else told[: MOST_TOLD - 1] + "…") from None
    except ValueError:  # Python takes no longer one
        raise BadToml("a number without end") from None


def load(path: Path) -> dict[str, Any]:
    """Read a file, however large it may be; OSError if it cannot be read."""
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise BadToml(f"too large: at most {MOST_BYTES} bytes")
    try:
        return loads(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise BadToml("it is not UTF-8") from None
