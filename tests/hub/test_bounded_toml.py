"""TOML with a bound: what is honest passes as it is, what costs much is refused with its line."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server import bounded_toml, config, presets, sheets
from server.bounded_toml import (
    MOST_BYTES,
    MOST_DEEP,
    MOST_LINES,
    MOST_PARTS,
    MOST_PIECES,
    BadToml,
    load,
    loads,
    look_over,
)
from server.engine import BadInput
from server.engine.structure import MOST_STEPS
from themes import BadTheme
from themes import load as load_theme

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

ROOT = Path(__file__).parents[2]
SHIPPED = sorted(
    path
    for folder in ("server/houses", "themes", "deploy", "tests")
    for path in (ROOT / folder).rglob("*.toml")
)

LARGEST = "".join(
    f'[[structure.steps]]\nphase = "level"\nsmall = {n}\nbig = 1_000\nante = 1_000\nminutes = 20\n'
    for n in range(MOST_STEPS)
)
"""A structure of as many steps as there may be, in its longest form."""


def _filled(head: str, unit: str, tail: str = "") -> str:
    return head + unit * ((MOST_BYTES - len(head) - len(tail)) // len(unit)) + tail


def _rows(row: str) -> str:
    rows = "".join(row.format(n) for n in range(MOST_BYTES // len(row)))
    return rows[:MOST_BYTES].rpartition("\n")[0]


REFUSED = {
    "a key of many parts": (_filled("a", ".a", " = 1"), "line 1: a key may have at most 6 parts"),
    "spaced parts": ("x = 1\na . \"b\" . 'c' . d . e . f . g = 1", "line 2: a key may have"),
    "parts in an inline table": ("x = {a.b.c.d.e.f.g = 1}", "line 1: a key may have"),
    "a head of many parts": ("\n\n[a.b.c.d.e.f.g]", "line 3: a key may have"),
    "keys under a long head": (f"[{'a.' * 5_000}a]\n" + "b = 1\n" * 5, "line 1: a key may have"),
    "many tables": (_rows("[a.b{0}]\n"), "keys and values"),
    "many rows": (_rows("[[a]]\n"), "keys and values"),
    "many keys": (_rows("k{0} = 1\n"), "keys and values"),
    "many numbers": (_filled("a = [", "1,", "]"), "keys and values"),
    "many lists": (_filled("a = [", "[],", "]"), "keys and values"),
    "many texts": (_filled("a = [", '"",', "]"), "keys and values"),
    "a deep list": ("a = " + "[" * 30_000, "line 1: lists and tables may be at most 8 deep"),
    "deep tables": ("a = 1\nb = " + "{a = " * 9, "line 2: lists and tables may be"),
    "empty lines": ("\n" * MOST_BYTES, "at most 5000 lines"),
    "lines in a text": (f'a = """{"x" * 9}{chr(10) * MOST_LINES}"""', "at most 5000 lines"),
    "comments": (_filled("", "#\n"), "at most 5000 lines"),
    "windows' lines": ("\r\n" * (MOST_BYTES // 2), "at most 5000 lines"),
    "too long": ("#" * (MOST_BYTES + 1), "too large: at most 65536"),
}

HIDDEN = {
    "in a text": 'a = "' + ".x" * 100 + '"',
    "behind a quote that is escaped": r'a = "\"' + ".x" * 100 + '"',
    "behind a backslash that is escaped": 'a = "\\\\"\nb = "' + ".x" * 100 + '"',
    "in a literal text": "a = '" + '".x' * 100 + "'",
    "in a text of lines": 'a = """\n' + '"".x\n' * 100 + '"""',
    "in a literal text of lines": "a = '''\n" + "''.x\n" * 100 + "'''",
    "before quotes that belong to the text": 'a = """' + ".x" * 100 + '"""""\nb = 1',
    "in a comment": "# " + ".x" * 100 + " ''' \"\"\" [[[[[[[[[[[[\na = 1",
    "behind a value": "a = 1 # '" + ".x" * 100,
    "in a list's comment": "a = [1, # [[[[[[[[[[[[ '\n 2]",
}
"""What looks like a bomb and is only words."""


@pytest.mark.parametrize(("text", "why"), REFUSED.values(), ids=REFUSED)
def test_what_costs_much_is_refused_with_its_line(text: str, why: str) -> None:
    """The refusal says what is too much, and where."""
    with pytest.raises(BadToml) as refused:
        look_over(text)
    assert why in str(refused.value)


@pytest.mark.parametrize("text", HIDDEN.values(), ids=HIDDEN)
def test_words_and_comments_are_not_counted(text: str) -> None:
    """What is quoted or commented out is no key and no list."""
    assert loads(text) == tomllib.loads(text)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_all_shipped_files_pass(path: Path) -> None:
    """Presets, structures, themes and the config to start from are read as ever."""
    assert load(path) == tomllib.loads(path.read_text("utf-8"))


def test_the_largest_structure_passes() -> None:
    """As many steps as there may be, a table each, with every key."""
    assert len(sheets.read(LARGEST, "toml").steps) == MOST_STEPS


def test_the_bounds_themselves_pass() -> None:
    """As much as may be is not too much."""
    loads(".".join("abcdef"[:MOST_PARTS]) + " = 1")
    loads("a = " + "[" * MOST_DEEP + "]" * MOST_DEEP)
    loads("\n" * (MOST_LINES - 1))
    loads("a = [" + "1," * (MOST_PIECES - 2) + "]")
    loads("#" * MOST_BYTES)


# ── any text ─────────────────────────────────────────────────────────────────────────────────────

SIGNS = (
    '"',
    "'",
    '"""',
    "'''",
    '""',
    "''",
    "\\",
    '\\"',
    "#",
    "# x",
    "\t",
    " ",
    "\r",
    "\u2028",
    "é",
)
NESTS = ("[", "]", "[[", "]]", "{", "}", ",", "\n[a.b]\n", "\n[[c]]\n", "k = 1\n", "\n", "\r\n")
WORDS = ("a", "b1", ".", " . ", "=", " = ", "1", "1.5", "1979-05-27 07:32:00", "'x'", '"y"', "true")
PIECES = st.sampled_from((*SIGNS, *NESTS, *WORDS))


def _deepest(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max(map(_deepest, inner), default=0)


@given(pieces=st.lists(PIECES, max_size=60))
def test_what_passes_is_read_as_it_is(pieces: list[str]) -> None:
    """A text that passes gives what the parser alone gives, or its refusal."""
    text = "".join(pieces)
    try:
        found: Any = loads(text)
    except BadToml as bad:
        found = str(bad)
    try:
        alone: Any = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        alone = str(error)
    if not (isinstance(found, str) and ("a key may have" in found or " deep" in found)):
        assert found == alone


@st.composite
def bombs(draw: st.DrawFn) -> str:
    """Hide a long key or a deep list behind quotes and comments that are meant to mislead."""
    cover = "".join(draw(st.lists(PIECES, max_size=25)))
    long = draw(st.sampled_from(["\n" + "a." * 40 + "b = 1", "\nc = " + "[" * 40 + "]" * 40]))
    return cover + long


@given(text=bombs())
def test_nothing_hides_a_bomb(text: str) -> None:
    """Where the parser finds a long key or a deep list, the walk has found it before."""
    try:
        parsed = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return  # the parser stops at a mistake: it gets no further than the walk
    if _deepest(parsed) > 2 * MOST_PARTS + MOST_DEEP:
        with pytest.raises(BadToml):
            look_over(text)


# ── what it costs ────────────────────────────────────────────────────────────────────────────────


def _steps(work: Callable[[], Any]) -> int:
    """Count the lines of Python that something takes: the same on a machine that is busy."""
    taken = 0

    def trace(_frame: FrameType, event: str, _arg: Any) -> Any:
        nonlocal taken
        taken += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    except BadToml:
        pass
    finally:
        sys.settrace(before)
    return taken


def test_no_text_costs_many_times_what_an_honest_one_does() -> None:
    """The worst of 64 kB takes no more than thrice the steps of the largest honest structure."""
    worst = {
        "short keys under a long head": "[a.b.c.d.e.f]\n"
        + "".join(f"k{n} = 1\n" for n in range((MOST_PIECES - 13) // 2)),
        "long keys under a long head": "[a.b.c.d.e.f]\n"
        + "".join(f"a.b.c.d.e.k{n} = 1\n" for n in range((MOST_PIECES - 13) // 12)),
        "numbers": "a = [" + "1," * (MOST_PIECES - 2) + "]",
        "tables": "a = [" + "{a=1}," * ((MOST_PIECES - 2) // 3) + "]",
        "escapes": 'a = "' + "\\n" * ((MOST_BYTES - 6) // 2) + '"',
        "spaces": " " * MOST_BYTES,
        **{name: text for name, (text, _) in REFUSED.items()},
    }
    honest = _steps(lambda: loads(LARGEST))
    for name, text in worst.items():
        assert _steps(lambda text=text: loads(text)) < 3 * honest, name  # type: ignore[misc]


# ── who reads TOML ───────────────────────────────────────────────────────────────────────────────

BOMB = _filled("a", ".a", " = 1")


def test_a_structure_that_is_sent_in_is_looked_over() -> None:
    """What comes over the network is refused before it is parsed."""
    with pytest.raises(BadInput, match="line 1: a key may have at most 6 parts"):
        sheets.read(BOMB, "toml")


def test_files_are_looked_over(tmp_path: Path) -> None:
    """Presets, themes and the config are refused with their file."""
    path = tmp_path / "own.toml"
    path.write_text(BOMB, "utf-8")
    with pytest.raises(presets.BadPreset, match=r"own\.toml: not TOML: line 1: a key"):
        presets.load(str(path))
    with pytest.raises(BadTheme, match=r"own\.toml: line 1: a key"):
        load_theme(path)
    with pytest.raises(config.BadConfig, match=r"own\.toml: not TOML: line 1: a key"):
        config.read(path)


@pytest.mark.parametrize("bare", [b"#" * (MOST_BYTES + 1), b"\xff = 1"])
def test_a_file_is_read_no_further_than_it_may_be(tmp_path: Path, bare: bytes) -> None:
    """A file that is too large, or no text, is refused in words."""
    path = tmp_path / "own.toml"
    path.write_bytes(bare)
    with pytest.raises(BadToml, match=r"too large|UTF-8"):
        load(path)


def test_what_the_parser_quotes_is_cut() -> None:
    """A refusal that quotes an endless key does not fill the screen."""
    name = "k" * 30_000
    with pytest.raises(BadToml) as refused:
        loads(f"[{name}]\n[{name}]")
    assert len(str(refused.value)) == bounded_toml.MOST_TOLD
    with pytest.raises(BadToml, match="a number without end"):
        loads("a = " + "9" * 5_000)
