"""The words of walls and tables, held to the vectors that the browser's twins are held to."""

import json
from dataclasses import asdict
from typing import Any

import pytest

from display.scenes import STATES, wall
from display.table import board_words, table_words
from display.words import trust
from tests.display import table_cases, wall_cases

WALL = json.loads(wall_cases.VECTORS.read_text("utf-8"))
TABLE = json.loads(table_cases.VECTORS.read_text("utf-8"))


def _named(case: dict[str, Any]) -> str:
    return str(case["name"])


@pytest.mark.parametrize("case", WALL["cases"], ids=_named)
def test_wall(case: dict[str, Any]) -> None:
    """A document at an instant gives these words and no others."""
    document = WALL["documents"][case["document"]]
    found = wall_cases.shown(document, case["now"], case["away"], case["offset"])
    assert found == case["expect"]


@pytest.mark.parametrize("case", TABLE["cases"], ids=_named)
def test_table(case: dict[str, Any]) -> None:
    """A table at an instant gives these words and no others."""
    found = asdict(table_words(case["document"], case["now"], case["rule"]))
    assert json.loads(json.dumps(found)) == case["expect"]


@pytest.mark.parametrize("case", TABLE["boards"], ids=_named)
def test_board(case: dict[str, Any]) -> None:
    """Every table of a board has its words."""
    assert [asdict(row) for row in board_words(case["document"])] == case["expect"]


@pytest.mark.parametrize("case", WALL["links"], ids=lambda case: json.dumps(case["link"]))
def test_link(case: dict[str, Any]) -> None:
    """A link that is like this is trusted so far."""
    assert asdict(trust(**case["link"])) == case["expect"]


def test_vectors_are_what_the_engine_says() -> None:
    """The files are not older than the engine: their documents are those of the nights today."""
    assert wall_cases.vectors() == WALL, "python -m tests.display.wall_cases"
    assert table_cases.vectors() == TABLE, "python -m tests.display.table_cases"


def test_every_state_is_there() -> None:
    """No state is left without a vector, and no two cases share a name."""
    assert {case["expect"]["state"] for case in WALL["cases"]} == set(STATES)
    for cases in (WALL["cases"], TABLE["cases"], TABLE["boards"]):
        names = [case["name"] for case in cases]
        assert len(names) == len(set(names))


def test_nothing_changes_before_the_repaint() -> None:
    """Up to the instant that is given for it, nothing on the screen changes by itself."""
    for case in WALL["cases"]:
        if case["now"] is None:
            continue
        document, now = WALL["documents"][case["document"]], case["now"]
        how = case["away"], case["offset"]
        first = _words(wall_cases.shown(document, now, *how))
        pause = case["expect"]["repaint_in"]
        assert pause > 0
        assert _words(wall_cases.shown(document, now + pause - 1, *how)) == first, case["name"]


def _words(said: dict[str, Any]) -> dict[str, Any]:
    """Give what is written: the bar moves with every repaint, and needs none of its own."""
    return {key: said[key] for key in said if key not in ("repaint_in", "progress")}


def test_time_of_day_follows_the_calendar_of_the_screen() -> None:
    """A zone that changes in the night gives the time of the morning as the morning has it."""
    night = wall_cases.given("selkirk-main", {1: 2})
    night.do("event.suspend", resumes_at=20 * wall_cases.HOUR)

    def zone(instant: int) -> int:
        return 60 if instant < 10 * wall_cases.HOUR else 120

    said = wall(night.event(), 0, zone, away=False)
    assert (said.time, said.band_detail) == ("01:00", "back at 22:00")
