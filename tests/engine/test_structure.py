"""The structure: levels are numbered, breaks are not, and a continuation goes on for ever."""

from __future__ import annotations

import pytest

from server.engine import BadInput
from server.engine.reading import build
from server.engine.structure import Blinds, Break, Continuation, Level, Structure

FOUR_LEVELS = (
    Level(small=100, big=200, minutes=20),
    Level(small=200, big=400, ante=400, minutes=20),
    Break(minutes=15, colour_up=(100,)),
    Level(small=300, big=600, ante=600, minutes=30),
    Break(),
    Level(small=500, big=1_000, hands=8),
)
"""Levels 1 and 2, a break, level 3, a break without length, level 4 counted in hands."""

ON_AND_ON = Continuation(small=500, big=1_000, ante=1_000, minutes=12)


def test_levels_are_numbered_from_one_and_a_break_has_the_number_of_the_level_just_played() -> None:
    """Breaks are not levels."""
    structure = Structure(FOUR_LEVELS)
    assert [structure.number(i) for i in range(6)] == [1, 2, 2, 3, 3, 4]


def test_two_breaks_in_a_row_do_not_change_the_numbers() -> None:
    """However many breaks there are, the level after them is the next one."""
    level = Level(small=100, big=200, minutes=20)
    structure = Structure((level, Break(minutes=5), Break(minutes=5), level))
    assert [structure.number(i) for i in range(4)] == [1, 1, 1, 2]


def test_index_finds_the_level_itself_and_never_the_break_after_it() -> None:
    """Level 2 is followed by a break that carries its number, and is still the one found."""
    structure = Structure(FOUR_LEVELS)
    assert [structure.index(level) for level in (1, 2, 3, 4)] == [0, 1, 3, 5]


def test_index_of_a_level_beyond_the_last_one_is_nothing() -> None:
    """Without a continuation there is no level 5."""
    assert Structure(FOUR_LEVELS).index(5) is None


def test_step_beyond_the_last_one_is_nothing_without_a_continuation() -> None:
    """The structure ends where it ends."""
    structure = Structure(FOUR_LEVELS)
    assert structure.step(5) == FOUR_LEVELS[5]
    assert structure.step(6) is None


def test_blinds_of_a_level_are_its_own() -> None:
    """Small, big and ante with the number of the level."""
    structure = Structure(FOUR_LEVELS)
    assert structure.blinds(0) == Blinds(level=1, small=100, big=200, ante=0)
    assert structure.blinds(3) == Blinds(level=3, small=300, big=600, ante=600)


def test_blinds_at_a_break_are_those_played_before_it() -> None:
    """A hand that is still in progress on the break is played at the old level."""
    structure = Structure(FOUR_LEVELS)
    assert structure.blinds(2) == Blinds(level=2, small=200, big=400, ante=400)
    assert structure.blinds(4) == Blinds(level=3, small=300, big=600, ante=600)


def test_blinds_behind_two_breaks_are_still_those_of_the_last_level() -> None:
    """The second of two breaks looks back past the first."""
    level = Level(small=100, big=200, minutes=20)
    structure = Structure((level, Break(minutes=5), Break(minutes=5), level))
    assert structure.blinds(2) == Blinds(level=1, small=100, big=200, ante=0)


def test_blinds_beyond_the_last_level_do_not_exist() -> None:
    """Nobody may be told blinds that the structure does not have."""
    with pytest.raises(IndexError):
        Structure(FOUR_LEVELS).blinds(6)


def test_continuation_adds_to_the_last_level_once_for_every_level_beyond() -> None:
    """500/1,000 goes on with 1,000/2,000, 1,500/3,000 and so on, antes too."""
    structure = Structure(FOUR_LEVELS, continuation=ON_AND_ON)
    assert structure.step(6) == Level(small=1_000, big=2_000, ante=1_000, minutes=12)
    assert structure.step(7) == Level(small=1_500, big=3_000, ante=2_000, minutes=12)
    assert structure.step(105) == Level(small=50_500, big=101_000, ante=100_000, minutes=12)


def test_continuation_levels_are_numbered_on() -> None:
    """Level 4 is the last written one; 5, 6 and 104 follow, there and back."""
    structure = Structure(FOUR_LEVELS, continuation=ON_AND_ON)
    assert [structure.number(i) for i in (5, 6, 7, 105)] == [4, 5, 6, 104]
    assert [structure.index(level) for level in (4, 5, 6, 104)] == [5, 6, 7, 105]
    assert structure.blinds(7) == Blinds(level=6, small=1_500, big=3_000, ante=2_000)


def test_levels_without_a_length_take_the_one_of_the_structure() -> None:
    """`minutes` of the structure is for the levels that name neither minutes nor hands."""
    plain = Level(small=100, big=200)
    special = Level(small=100, big=200, minutes=45)
    counted = Level(small=100, big=200, hands=8)
    structure = Structure((plain, special, counted), minutes=20)
    assert [step.length for step in structure.steps] == [1_200_000, 2_700_000, None]
    assert structure.steps[2] == counted


def test_breaks_without_a_length_do_not_take_the_one_of_the_levels() -> None:
    """A break without minutes lasts until the director says so (SL-S)."""
    structure = Structure((Level(small=100, big=200), Break()), minutes=20)
    assert structure.steps[1].length is None


def test_after_replaces_what_comes_from_a_step_on_and_keeps_what_came_before() -> None:
    """The past is frozen."""
    edited = Structure(FOUR_LEVELS).after(
        3, (Level(small=400, big=800, minutes=25), Level(small=600, big=1_200, minutes=25))
    )
    assert edited.steps[:3] == FOUR_LEVELS[:3]
    assert edited.steps[3:] == (
        Level(small=400, big=800, minutes=25),
        Level(small=600, big=1_200, minutes=25),
    )
    assert [edited.number(i) for i in range(5)] == [1, 2, 2, 3, 4]


def test_after_gives_new_levels_the_length_of_the_structure() -> None:
    """A level that is added without minutes is as long as the house's levels."""
    structure = Structure((Level(small=100, big=200),), minutes=20)
    edited = structure.after(0, (Level(small=100, big=200), Level(small=200, big=400)))
    assert [step.minutes for step in edited.steps] == [20, 20]


def test_after_within_the_continuation_freezes_the_levels_that_were_made_up() -> None:
    """Levels 5 and 6 were played; what is written from level 7 on does not change them."""
    structure = Structure(FOUR_LEVELS, continuation=ON_AND_ON)
    edited = structure.after(8, (Level(small=9_000, big=18_000, minutes=10),))
    assert edited.step(6) == Level(small=1_000, big=2_000, ante=1_000, minutes=12)
    assert edited.step(7) == Level(small=1_500, big=3_000, ante=2_000, minutes=12)
    assert edited.blinds(8) == Blinds(level=7, small=9_000, big=18_000, ante=0)


def test_after_lets_the_continuation_go_on_from_the_new_last_level() -> None:
    """What comes after the edited steps adds to the last of them."""
    structure = Structure(FOUR_LEVELS, continuation=ON_AND_ON)
    edited = structure.after(0, (Level(small=1_000, big=2_000, minutes=20),))
    assert edited.blinds(1) == Blinds(level=2, small=1_500, big=3_000, ante=1_000)


def test_after_leaves_the_structure_that_was_edited_alone() -> None:
    """A structure is a value."""
    structure = Structure(FOUR_LEVELS)
    structure.after(1, (Level(small=1, big=2, minutes=1),))
    assert structure == Structure(FOUR_LEVELS)


def test_after_refuses_to_end_on_a_break_where_a_continuation_must_go_on() -> None:
    """There would be no level to add to."""
    structure = Structure(FOUR_LEVELS, continuation=ON_AND_ON)
    with pytest.raises(BadInput, match="break"):
        structure.after(1, (Level(small=1, big=2, minutes=1), Break(minutes=5)))


@pytest.mark.parametrize(
    ("raw", "where"),
    [
        ({"steps": []}, "steps"),
        ({"steps": [{"phase": "break", "minutes": 5}, {"small": 1, "big": 2, "minutes": 5}]}, "0"),
        ({"steps": [{"small": 1, "big": 2}]}, "minutes"),
        ({"steps": [{"small": 1, "big": 2, "minutes": 5, "hands": 5}]}, "not both"),
        ({"steps": [{"small": 1, "minutes": 5}]}, "big"),
        ({"steps": [{"small": -1, "big": 2, "minutes": 5}]}, "small"),
        ({"steps": [{"small": 1, "big": 0, "minutes": 5}]}, "big"),
        ({"steps": [{"small": 1, "big": 2, "minutes": 0}]}, "minutes"),
        ({"steps": [{"small": 1, "big": 2, "minutes": 2.5}]}, "minutes"),
        ({"steps": [{"small": 1, "big": 2, "hands": 0}]}, "hands"),
        ({"steps": [{"small": 1, "big": 2, "minutes": 5, "colour": 5}]}, "colour"),
        ({"steps": [{"phase": "pause", "minutes": 5}]}, "phase"),
        ({"steps": [7]}, "0"),
        (
            {
                "steps": [{"small": 1, "big": 2, "minutes": 5}, {"phase": "break"}],
                "continuation": {"small": 1, "big": 2, "minutes": 5},
            },
            "continuation",
        ),
    ],
)
def test_structures_that_cannot_work_are_refused_with_the_place(
    raw: dict[str, object], where: str
) -> None:
    """A structure with a wrong number is worse than none."""
    with pytest.raises(BadInput, match=where):
        build(Structure, raw)


def test_break_before_the_first_level_is_refused_even_in_code() -> None:
    """There would be no blinds to show on it."""
    with pytest.raises(BadInput, match="first step"):
        Structure((Break(minutes=5), Level(small=1, big=2, minutes=5)))
