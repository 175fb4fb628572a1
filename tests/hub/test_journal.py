"""The chain: whatever is done to a journal afterwards is found, and at its place."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from server.journal import GENESIS, Damage, Line, Stored, chain, verify

TEXTS = st.text(max_size=8)
LINES = st.builds(
    Line,
    event=TEXTS,
    at=st.integers(0, 1 << 53),
    received=st.integers(0, 1 << 53),
    actor=TEXTS,
    device=TEXTS,
    command=TEXTS,
    body=st.binary(max_size=12),
)
FIELDS = [f.name for f in fields(Line)]


def build(lines: list[Line]) -> list[Stored]:
    """Write a journal."""
    before, stored = GENESIS, []
    for seq, line in enumerate(lines, 1):
        before = chain(before, seq, line)
        stored.append(Stored(seq, line, before))
    return stored


def renumber(stored: list[Stored]) -> list[Stored]:
    """Hide a missing or an added line by numbering the rest anew."""
    return [replace(found, seq=seq) for seq, found in enumerate(stored, 1)]


CHAINS = st.lists(LINES, min_size=1, max_size=6).map(build)


def plain(number: int) -> Line:
    """Make a line like those of a night."""
    when = (number, number - 1, number + 3)
    return Line("1", *when, "Ann", "tablet 7", f"c{number}", b'{"fact":"x"}')


SMALL = build([plain(n) for n in range(1, 6)])


@given(st.lists(LINES, max_size=6))
def test_what_was_written_verifies(lines: list[Line]) -> None:
    """A whole chain has no damage, with or without its head, or any head on the way."""
    stored = build(lines)
    assert verify(stored) is None
    assert verify(stored, (0, GENESIS)) is None
    for found in stored:
        assert verify(stored, (found.seq, found.hash)) is None


@pytest.mark.parametrize("name", FIELDS)
@given(stored=CHAINS, data=st.data())
def test_an_edit_of_any_field_is_found(
    name: str, stored: list[Stored], data: st.DataObject
) -> None:
    """No field of any line can be changed without the line being named."""
    index = data.draw(st.integers(0, len(stored) - 1))
    old = stored[index]
    kind = type(getattr(old.line, name))
    values: dict[type, st.SearchStrategy[Any]] = {
        str: TEXTS,
        int: st.integers(0, 1 << 53),
        bytes: st.binary(max_size=12),
        type(None): st.integers(0, 1 << 53),
    }
    value = data.draw(values[kind])
    assume(value != getattr(old.line, name))
    edited = replace(old, line=replace(old.line, **{name: value}))
    damage = verify([*stored[:index], edited, *stored[index + 1 :]])
    assert damage is not None
    assert damage.seq == old.seq


@given(CHAINS, st.data())
def test_an_edit_of_a_hash_is_found(stored: list[Stored], data: st.DataObject) -> None:
    """A flipped bit of a hash is found."""
    index, bit = data.draw(st.integers(0, len(stored) - 1)), data.draw(st.integers(0, 255))
    broken = bytearray(stored[index].hash)
    broken[bit // 8] ^= 1 << (bit % 8)
    edited = replace(stored[index], hash=bytes(broken))
    damage = verify([*stored[:index], edited, *stored[index + 1 :]])
    assert damage is not None
    assert damage.seq == index + 1


@given(CHAINS, LINES, st.data())
def test_an_edit_with_its_hash_made_anew_is_found(
    stored: list[Stored], line: Line, data: st.DataObject
) -> None:
    """Whoever edits a line and computes its hash again is betrayed by the next, or by the head."""
    index = data.draw(st.integers(0, len(stored) - 1))
    assume(line != stored[index].line)
    before = stored[index - 1].hash if index else GENESIS
    edited = Stored(index + 1, line, chain(before, index + 1, line))
    tampered = [*stored[:index], edited, *stored[index + 1 :]]
    assert verify(tampered, (len(stored), stored[-1].hash)) is not None
    if index + 1 < len(stored):
        assert verify(tampered) is not None


@given(CHAINS, LINES, st.data())
def test_a_rewritten_journal_is_found_against_the_head(
    stored: list[Stored], line: Line, data: st.DataObject
) -> None:
    """A journal rewritten from one line on, hashes and all, is not the one that was exported."""
    index = data.draw(st.integers(0, len(stored) - 1))
    lines = [found.line for found in stored]
    assume(line != lines[index])
    lines[index] = line
    assert verify(build(lines), (len(stored), stored[-1].hash)) is not None


@pytest.mark.parametrize("renumbered", [False, True])
@given(stored=CHAINS, line=LINES, data=st.data())
def test_an_insertion_is_found(
    renumbered: bool, stored: list[Stored], line: Line, data: st.DataObject
) -> None:
    """A line put in between is found, also with a hash that fits the line before it."""
    index = data.draw(st.integers(0, len(stored) - 1))
    before = stored[index - 1].hash if index else GENESIS
    put = Stored(index + 1, line, chain(before, index + 1, line))
    tampered = [*stored[:index], put, *stored[index:]]
    assert verify(renumber(tampered) if renumbered else tampered) is not None


@given(CHAINS, st.data())
def test_a_doubled_line_is_found(stored: list[Stored], data: st.DataObject) -> None:
    """A line that is there twice is found, numbered anew or not."""
    index = data.draw(st.integers(0, len(stored) - 1))
    tampered = [*stored[: index + 1], *stored[index:]]
    assert verify(tampered) is not None
    assert verify(renumber(tampered)) is not None


@pytest.mark.parametrize("index", range(4))
@pytest.mark.parametrize("renumbered", [False, True])
def test_a_deletion_is_found(index: int, renumbered: bool) -> None:
    """A line taken out before the end is found at its place."""
    tampered = [*SMALL[:index], *SMALL[index + 1 :]]
    damage = verify(renumber(tampered) if renumbered else tampered)
    assert damage is not None
    assert damage.seq == index + 1


@given(st.permutations(range(len(SMALL))), st.booleans())
def test_a_reordering_is_found(order: list[int], renumbered: bool) -> None:
    """No other order of the lines verifies."""
    assume(order != sorted(order))
    tampered = [SMALL[index] for index in order]
    assert verify(renumber(tampered) if renumbered else tampered) is not None


@given(st.integers(0, 4), st.integers(0, 4))
def test_swapped_contents_are_found(one: int, other: int) -> None:
    """Two lines cannot trade what they say, number and hash staying where they were."""
    assume(one != other)
    tampered = list(SMALL)
    tampered[one] = replace(SMALL[one], line=SMALL[other].line)
    tampered[other] = replace(SMALL[other], line=SMALL[one].line)
    damage = verify(tampered)
    assert damage is not None
    assert damage.seq == min(one, other) + 1


@pytest.mark.parametrize("kept", range(5))
def test_a_cut_tail_is_found_against_the_head(kept: int) -> None:
    """A journal without its last lines is whole in itself, but does not reach the exported head."""
    head = (SMALL[-1].seq, SMALL[-1].hash)
    assert verify(SMALL[:kept]) is None
    damage = verify(SMALL[:kept], head)
    assert damage == Damage(kept + 1, f"the journal ends at line {kept}, the head was line 5")


def test_a_tail_cut_and_grown_again_is_found() -> None:
    """Other lines in the place of those cut away do not hide the cut."""
    grown = build([*(found.line for found in SMALL[:3]), *(plain(90 + n) for n in range(4))])
    assert verify(grown) is None
    assert verify(grown, (SMALL[-1].seq, SMALL[-1].hash)) is not None


def test_a_journal_that_grew_since_the_export_verifies() -> None:
    """An old head is still part of a longer journal."""
    grown = build([*(found.line for found in SMALL), plain(6), plain(7)])
    assert verify(grown, (SMALL[-1].seq, SMALL[-1].hash)) is None


def test_a_head_of_an_empty_journal_must_be_the_genesis() -> None:
    """An empty journal's head says nothing but that it was empty."""
    assert verify([], (0, GENESIS)) is None
    assert verify(SMALL, (0, GENESIS)) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (replace(plain(1), actor="ab", device="c"), replace(plain(1), actor="a", device="bc")),
        (replace(plain(1), command="x", body=b"\ny"), replace(plain(1), command="x\n", body=b"y")),
        (replace(plain(1), command='"', body=b""), replace(plain(1), command="", body=b'"')),
        (replace(plain(1), at=1, received=23), replace(plain(1), at=12, received=3)),
        (replace(plain(1), event="1", at=11), replace(plain(1), event="11", at=1)),
    ],
)
def test_text_cannot_move_from_field_to_field(one: Line, other: Line) -> None:
    """Lines that look alike when run together have different hashes."""
    assert chain(GENESIS, 1, one) != chain(GENESIS, 1, other)


@given(LINES, LINES, st.integers(1, 9), st.integers(1, 9), st.binary(min_size=32, max_size=32))
def test_only_the_same_line_has_the_same_hash(
    one: Line, other: Line, seq: int, place: int, before: bytes
) -> None:
    """The hash is of the line, its place and all that came before it."""
    same = chain(before, seq, one) == chain(before, place, other)
    assert same == (one == other and seq == place)
    assert chain(before, seq, one) != chain(GENESIS, seq, one) or before == GENESIS
