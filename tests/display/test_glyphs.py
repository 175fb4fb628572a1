"""Block letters: whole, of one width where it matters, and drawn to fit."""

from display.terminal import glyphs


def test_every_glyph_is_a_block() -> None:
    """Seven rows of one width, at most five wide."""
    for sign, rows in glyphs.GLYPHS.items():
        assert len(rows) == glyphs.HEIGHT, sign
        assert len({len(row) for row in rows}) == 1, sign
        assert len(rows[0]) <= 5, sign
        assert set("".join(rows)) <= {"#", "."}, sign


def test_no_two_glyphs_are_alike() -> None:
    """Only O and zero may look the same."""
    found = list(glyphs.GLYPHS.values())
    assert len(set(found)) == len(found) - 1


def test_digits_are_tabular() -> None:
    """All digits have one width."""
    assert {len(glyphs.GLYPHS[digit][0]) for digit in "0123456789"} == {5}


def test_drawn_to_fit() -> None:
    """What is drawn has the size that was promised."""
    for columns, rows in [(26, 4), (52, 7), (60, 40), (200, 14)]:
        size = glyphs.scale("12:34", columns, rows)
        drawn = glyphs.draw("12:34", size)
        assert len(drawn) <= rows
        assert {len(line) for line in drawn} == {glyphs.width("12:34") * size}
        assert glyphs.width("12:34") * size <= columns


def test_what_cannot_be_drawn() -> None:
    """A sign without a block letter, nothing at all, or no room: not drawn."""
    assert glyphs.scale("Ng[/]", 200, 60) == 0
    assert glyphs.scale("", 200, 60) == 0
    assert glyphs.scale("12:34", 25, 60) == 0
