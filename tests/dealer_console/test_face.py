"""The console's words, held to the vectors that the browser's twin is held to as well."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import pytest

from dealer_console.face import Look, face
from tests.dealer_console.cases import VECTORS, vectors

FILE: dict[str, Any] = json.loads(VECTORS.read_text("utf-8"))
STATES = {
    *("no_table", "waiting", "suspended", "finished", "paused", "room_paused", "break"),
    *("between_hands", "to_start", "running", "on_bank", "held", "clock_held", "interrupted"),
    *("expiring", "expired_dead", "expired_check", "expired_time", "needs_ruling", "hand_ends"),
    *("round_over", "showdown", "replay"),
    *("called", "called_countdown", "called_dead", "called_check", "run_out", "idle", "hard_stop"),
    *("h4h_deal", "h4h_playing", "h4h_done", "h4h_all_in", "h4h_runout", "h4h_hold", "taken"),
}


def _looked(case: dict[str, Any], **change: Any) -> dict[str, Any]:
    """Look at a case, as it is or otherwise."""
    documents = {key: case.get(key) for key in ("table", "event", "lease")}
    made = asdict(face(Look(**{**documents, **case["look"], **change})))
    found: dict[str, Any] = json.loads(json.dumps(made))
    return found


@pytest.mark.parametrize("case", FILE["cases"], ids=lambda case: case["name"])
def test_case(case: dict[str, Any]) -> None:
    """Documents at an instant give these words and buttons, and no others."""
    assert _looked(case) == case["expect"]


def test_vectors_are_what_the_engine_says() -> None:
    """The file is not older than the engine: its documents are those of the nights today."""
    assert vectors() == FILE, "python -m tests.dealer_console.cases"


def test_every_state_is_there() -> None:
    """No state is left without a vector, and no two cases share a name."""
    assert {case["expect"]["state"] for case in FILE["cases"]} == STATES
    names = [case["name"] for case in FILE["cases"]]
    assert len(names) == len(set(names))


def test_nothing_changes_before_the_repaint() -> None:
    """Up to the instant that is given for it, nothing on the console changes by itself."""
    for case in FILE["cases"]:
        first = case["expect"]
        pause = first["repaint_in"]
        assert pause > 0
        later = _looked(case, now=case["look"]["now"] + pause - 1)
        moving = ("repaint_in", "progress")
        assert {k: v for k, v in later.items() if k not in moving} == {
            k: v for k, v in first.items() if k not in moving
        }, case["name"]
