"""Sheets: a structure as TOML and CSV, written and read back; hostile files refused in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server import presets
from server.engine import BadInput
from server.engine.reading import build
from server.engine.structure import STEPS, Break, Continuation, Level, Structure
from server.sheets import FORMATS, MOST_BYTES, plain, read, write

AMOUNTS = st.integers(0, 10**12)
BIG = st.integers(1, 10**12)


@st.composite
def levels(draw: st.DrawFn) -> Level:
    """Make up a level."""
    big = draw(BIG)
    timed = draw(st.booleans())
    return Level(
        small=draw(st.integers(0, big)),
        big=big,
        ante=draw(AMOUNTS),
        minutes=draw(st.integers(1, 1_440)) if timed else None,
        hands=None if timed else draw(st.integers(1, 1_000)),
    )


BREAKS = st.builds(
    Break,
    minutes=st.none() | st.integers(1, 1_440),
    colour_up=st.lists(BIG, max_size=10).map(tuple),
)


@st.composite
def structures(draw: st.DrawFn) -> Structure:
    """Make up a structure."""
    first, rest = draw(levels()), draw(st.lists(levels() | BREAKS, max_size=12))
    goes_on = not rest or isinstance(rest[-1], Level)
    more = st.builds(
        Continuation, small=AMOUNTS, big=AMOUNTS, ante=AMOUNTS, minutes=st.integers(1, 1_440)
    )
    continuation = draw(st.none() | more) if goes_on else None
    return Structure(steps=(first, *rest), continuation=continuation)


@pytest.mark.parametrize("kind", FORMATS)
@given(structure=structures())
def test_what_is_written_is_read_back(kind: str, structure: Structure) -> None:
    """Any structure survives the way into a file and back."""
    found = read(write(structure, kind), kind)
    assert (found.steps, found.continuation) == (structure.steps, structure.continuation)


@given(structure=structures())
def test_plain_steps_are_what_a_preset_and_a_command_take(structure: Structure) -> None:
    """What is given to `structure.set` is read as the same steps."""
    found = plain(structure)
    assert STEPS(found["steps"], "steps") == structure.steps
    assert build(Structure, found) == structure


@pytest.mark.parametrize("kind", FORMATS)
@given(text=st.text(max_size=400))
def test_any_text_is_read_or_refused(kind: str, text: str) -> None:
    """Nothing but a structure or a reason comes out, whatever goes in."""
    try:
        assert read(text, kind).steps
    except BadInput as bad:
        assert str(bad)  # noqa: PT017 - either outcome is fine


@pytest.mark.parametrize("preset", presets.shipped())
@pytest.mark.parametrize("kind", FORMATS)
def test_the_structures_of_all_houses_go_through(preset: str, kind: str) -> None:
    """Every shipped structure can be taken away and brought back."""
    structure = presets.load(preset).structure
    assert read(write(structure, kind), kind).steps == structure.steps


def test_a_whole_preset_will_do_as_a_structure() -> None:
    """Who sends a preset's file means the structure in it."""
    text = (presets.HOUSES / "star-brisbane-saturday.toml").read_text("utf-8")
    assert "[structure]" in text
    inner = "[structure]" + text.partition("[structure]")[2]
    assert read(inner, "toml").steps == presets.load("star-brisbane-saturday").structure.steps


@pytest.mark.parametrize(
    "text",
    [
        "phase,small,big,minutes\nlevel,100,200,20\n",
        "\ufeffsmall;big;minutes\r\n100;200;20\r\n",
        "minutes\tbig\tsmall\n20\t200\t100\n\n",
        'small,big,minutes\n"100","200","20"\n',
        " Small , BIG ,minutes\n 1_00 , 2 00 , 20 \n",
    ],
)
def test_csv_as_spreadsheets_write_it_is_read(text: str) -> None:
    """Other separators, marks, orders and quotes are read like the plain thing."""
    assert read(text, "csv").steps == (Level(small=100, big=200, minutes=20),)


HEAD = "phase,small,big,ante,minutes,hands,colour_up\n"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("small,big,minutes\n", "steps: must not be empty"),
        ("small,big,price\n1,2,3\n", "column 3: unknown"),
        ("small,small,big\n1,2,3\n", "column 1: unknown, or there twice"),
        (HEAD + "level,=1+1,200,,20,,\n", "row 2.small: must be a whole number, not '=1+1'"),
        (HEAD + "level,-5,200,,20,,\n", "row 2.small: must be a whole number"),
        (HEAD + "level,1e9,200,,20,,\n", "row 2.small: must be a whole number"),
        (HEAD + "level,\uff11\uff10\uff10,200,,20,,\n", "row 2.small: must be a whole number"),
        (HEAD + "level,300,200,,20,,\n", "row 2.small: must not be more than the big blind"),
        (HEAD + "level,1,2,,20,,\nlevel,1,2,,,,\n", "row 3: has neither minutes nor hands"),
        (HEAD + "break,,,,15,,\n", "row 2: the first step must be a level"),
        (HEAD + "level,1,2,,20,8,\n", "row 2: give minutes or hands, not both"),
        (HEAD + "lunch,1,2,,20,,\n", "row 2.phase: must be level, break or and so on"),
        (HEAD + "level,1,2,,20,,\nbreak,1,,,15,,\n", "row 3.small: unknown key"),
        (HEAD + "level,1,2,,20,,,9\n", "row 2: has 8 cells"),
        (HEAD + "and so on,1,2,,20,,\nlevel,1,2,,20,,\n", "row 3: comes after"),
        (HEAD + 'level,"1,2,,20,,\n', "not CSV"),
        (HEAD + "level,1,2,,20,,\n" * 500, "must have at most 400 steps"),
        (HEAD + "level,1,2,,9999,,\n", "row 2.minutes: must be from 1 to 1440"),
        (HEAD + "level," + "9" * 40 + ",2,,20,,\n", "row 2.small: must be a whole number"),
        ("small,big\x00\n1,2\n", "not CSV"),
        ("x" * (MOST_BYTES + 1), "must be at most"),
    ],
)
def test_a_csv_that_cannot_be_used_is_refused_with_row_and_reason(text: str, where: str) -> None:
    """A director reads which cell is wrong, and what would be right."""
    with pytest.raises(BadInput) as found:
        read(text, "csv")
    assert where in str(found.value)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("steps = 5", "steps: must be a list"),
        ("steps = [", "not TOML"),
        ("steps = [{ small = 1, big = 2, minutes = 20, cheese = 1 }]", "steps[0].cheese"),
        ("steps = [{ small = 1.5, big = 2, minutes = 20 }]", "steps[0].small: must be a whole"),
        ("a = " + "[" * 2_000, "not TOML"),
        ("", "steps: is missing"),
    ],
)
def test_a_toml_that_cannot_be_used_is_refused_with_key_and_reason(text: str, where: str) -> None:
    """The reader of presets says what is wrong, in the same words."""
    with pytest.raises(BadInput) as found:
        read(text, "toml")
    assert where in str(found.value)
