"""What a console assumes while its taps wait: by hand-written vectors, and as the engine does."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import pytest

from dealer_console.offline import Unanswered, assumed, not_undone, question
from server.engine import Refused
from tests.needs import GIVE_UP, program
from tests.night import Night, given, seconds

HERE = Path(__file__).parent
VECTORS = json.loads((HERE.parent / "vectors" / "offline.json").read_text("utf-8"))
TABLE = 1


def _each(vectors: list[dict[str, Any]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("vector", vectors, ids=lambda vector: str(vector["name"]))


def _put(document: dict[str, Any], path: str, value: Any) -> None:
    *way, last = path.split(".")
    for name in way:
        document = document[name]
    document[last] = value


def _at(document: dict[str, Any], path: str) -> Any:
    for name in path.split("."):
        document = document[name]
    return document


def _table(vector: dict[str, Any]) -> dict[str, Any]:
    """Give the table of a vector: a named one, with its changes."""
    table: dict[str, Any] = json.loads(json.dumps(VECTORS["tables"][vector["table"]]))
    for path, value in vector.get("change", {}).items():
        _put(table, path, value)
    return table


def _event(vector: dict[str, Any]) -> dict[str, Any]:
    event: dict[str, Any] = json.loads(json.dumps(VECTORS["event"]))
    for path, value in vector.get("event", {}).items():
        _put(event, path, value)
    return event


@_each(VECTORS["cases"])
def test_assumed(vector: dict[str, Any]) -> None:
    """Taps that wait make of a table what the vector says; the hub's document stays as it is."""
    table, before = _table(vector), json.dumps(_table(vector))
    found = assumed(table, _event(vector), vector["taps"], vector.get("now", 0))
    assert json.dumps(table) == before
    if vector["expect"] is None:
        assert found is table
        return
    assert found is not None
    assert found["assumed"] is True
    for path, value in vector["expect"].items():
        assert _at(dict(found), path) == value, path


@_each(VECTORS["questions"])
def test_question(vector: dict[str, Any]) -> None:
    """A button asks this."""
    assert question(vector["button"], _table(vector)) == vector["expect"]


@_each(VECTORS["looks"])
def test_unanswered(vector: dict[str, Any]) -> None:
    """These taps are shown as done on that revision, and those for what a button asks."""
    unanswered = Unanswered()
    for step in vector["steps"]:
        taps = [{"id": each} for each in step["taps"]]
        shown = step["rev"], {"rev": step["rev"]}
        table, waiting = unanswered.look(step["own"], shown, taps, fresh=step["fresh"])
        assert [table["rev"], [tap["id"] for tap in waiting]] == step["shows"], step
        table, waiting = unanswered.after_all(step["own"], shown, taps, fresh=step["fresh"])
        assert [table["rev"], [tap["id"] for tap in waiting]] == step["asks"], step
        assert unanswered.changes_in(step["own"]) == step["changes_in"], step


def test_nothing_is_assumed_of_nothing() -> None:
    """Where there is no table, or no event, there is nothing to play on."""
    assert assumed(None, {}, [], 0) is None
    table = _table({"table": "nine"})
    assert assumed(table, None, [{"do": "hand.end", "args": {"table": 7}, "at": 1}], 0) is table
    assert not_undone([{"do": "undo"}, {"do": "undo"}]) == []
    assert question("big", None) == "big"


# ── as the engine does it ────────────────────────────────────────────────────────────────────────

SEEN = (
    *(f"hand.{name}" for name in ("number", "in_progress", "button", "blinds", "straddle")),
    *(f"hand.{name}" for name in ("street", "bettor", "to_act", "next", "facing_bet", "turn")),
    *(f"hand.{name}" for name in ("asks_all_in", "all_in", "misdealt")),
    *(f"action.{name}" for name in ("status", "seat", "ends_at", "remaining_ms", "acted", "used")),
    *(f"action.{name}" for name in ("facing_bet", "on_bank", "interrupted", "outcome")),
    *("called.status", "called.seat", "seats", "collect", "paused", "small", "big", "next_hand"),
)


def _deeds(night: Night, rng: Random) -> tuple[str, dict[str, Any]]:
    """Choose what a dealer might tap now, sense or no sense."""
    table = night.table(TABLE)
    live = [int(seat) for seat, taken in table["seats"].items() if taken["in_hand"]]
    seat = rng.choice(live or [1])
    if not table["hand"]["in_progress"]:
        return rng.choice(
            (("hand.start", {}), ("hand.start", {}), ("button.set", {"seat": rng.randint(1, 9)}))
        )
    choices: list[tuple[str, dict[str, Any]]] = [
        *[("action.next", {})] * 6,
        *[("action.next", {"acted": True})] * 6,
        *[("action.fold", {})] * 4,
        *[("action.hold", {})] * 3,
        ("action.all_in", {}),
        ("action.all_in", {"raises": rng.random() < 0.5}),
        ("action.stop", {}),
        ("action.release", {}),
        ("action.hold", {"acted": False}),
        ("action.start", {"seat": seat}),
        ("action.start", {"seat": seat, "facing_bet": rng.random() < 0.5}),
        ("action.fold", {"seat": seat}),
        ("action.bank", {"seat": table["action"]["seat"] or seat, "chips": 1}),
        ("hand.sync", {"seat": seat, "street": "turn", "bet": rng.random() < 0.5}),
        ("hand.end", {}),
        ("hand.misdeal", {}),
        ("called.stop", {}),
        ("hand.start", {}),
    ]
    if table["hand"]["next"] not in (None, "act"):
        choices += [("street.next", {"start": rng.random() < 0.5})] * 20
    return rng.choice(choices)


def _walk(seed: int, steps: int) -> list[dict[str, Any]]:
    """Play at random; give what a console had, what was tapped, and what the engine made of it."""
    rng = Random(seed)  # noqa: S311 - any hand will do
    night = given("star-brisbane-saturday", {TABLE: rng.choice((2, 3, 6, 9))})
    found: list[dict[str, Any]] = []
    starts = 0  # a second start takes back what the first has made of the round: not in documents
    while len(found) < steps:
        night.later(rng.randint(100, 4_000))
        last = found[-1] if found else None
        if last is not None and last["taps"][-1]["do"] == "button.set":
            before, event, taps = last["table"], last["event"], last["taps"]  # not in documents
        else:
            before, event, taps = night.table(TABLE), night.event(), []
        do, args = _deeds(night, rng)
        args = {"table": TABLE, **args}
        if night.table(TABLE)["action"]["status"] == "expired":
            do, args = "action.next", {"table": TABLE}
        starts = starts + 1 if do == "action.start" else 0
        if starts > 1 or isinstance(night._decide(do, args), Refused):  # noqa: SLF001
            continue
        night.do(do, **args)
        taps = [*taps, {"do": do, "args": args, "at": night.now}]
        found.append({"table": before, "event": event, "taps": taps, "after": night.table(TABLE)})
    return found


@pytest.mark.parametrize("seed", range(12))
def test_the_engine_does_what_is_assumed(seed: int) -> None:
    """Whatever a dealer taps, the console assumes of the table what the engine then says."""
    for step in _walk(seed, 60):
        found = assumed(step["table"], step["event"], step["taps"], 0)
        assert found is not None
        seen = [path for path in SEEN if found["hand"]["in_progress"] or path != "hand.facing_bet"]
        pairs = {path: (_at(dict(found), path), _at(step["after"], path)) for path in seen}
        wrong = {path: pair for path, pair in pairs.items() if pair[0] != pair[1]}
        assert not wrong, (step["taps"], wrong, step["table"])


def test_the_browser_assumes_the_same() -> None:
    """On random play, the JavaScript gives the same documents as the Python."""
    steps = [step for seed in range(6) for step in _walk(100 + seed, 40)]
    given_ = [
        {"table": step["table"], "event": step["event"], "taps": step["taps"], "now": seconds(1)}
        for step in steps
    ]
    run = subprocess.run(
        [program("node"), str(HERE.parent / "js" / "assume.mjs")],
        input=json.dumps(given_),
        capture_output=True,
        encoding="utf-8",
        timeout=GIVE_UP,
        check=True,
    )
    for case, found in zip(given_, json.loads(run.stdout), strict=True):
        expected = assumed(case["table"], case["event"], case["taps"], case["now"])
        assert found == json.loads(json.dumps(expected)), case["taps"]
