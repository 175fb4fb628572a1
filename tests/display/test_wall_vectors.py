"""The wall's words, held to the vectors that the browser's twin is held to as well."""

import json
from dataclasses import asdict
from typing import Any

import pytest

from display.scenes import wall
from tests.display.wall_cases import VECTORS, vectors

FILE = json.loads(VECTORS.read_text("utf-8"))
STATES = {
    "waiting",
    "playing",
    "last_minute",
    "paused",
    "break",
    "hand_for_hand",
    "suspended",
    "finished",
}


@pytest.mark.parametrize("case", FILE["cases"], ids=lambda case: case["name"])
def test_case(case: dict[str, Any]) -> None:
    """A document at an instant gives these words and no others."""
    document = FILE["documents"][case["document"]]
    found = asdict(wall(document, case["now"], case["freshness"], case["offset"]))
    assert json.loads(json.dumps(found)) == case["expect"]


def test_vectors_are_what_the_engine_says() -> None:
    """The file is not older than the engine: its documents are those of the nights today."""
    assert vectors()["documents"] == FILE["documents"], "python -m tests.display.wall_cases"


def test_every_state_is_there() -> None:
    """No state is left without a vector, and no two cases share a name."""
    assert {case["expect"]["state"] for case in FILE["cases"]} == STATES
    names = [case["name"] for case in FILE["cases"]]
    assert len(names) == len(set(names))


def test_nothing_changes_before_the_repaint() -> None:
    """Up to the instant that is given for it, nothing on the screen changes by itself."""
    for case in FILE["cases"]:
        document, now = FILE["documents"][case["document"]], case["now"]
        how = case["freshness"], case["offset"]
        first = _words(wall(document, now, *how))
        pause = case["expect"]["repaint_in"]
        assert pause > 0
        assert _words(wall(document, now + pause - 1, *how)) == first, case["name"]


def _words(found: Any) -> dict[str, Any]:
    """Give what is written: the bar moves with every repaint, and needs none of its own."""
    said = asdict(found)
    return {key: said[key] for key in said if key not in ("repaint_in", "progress")}
