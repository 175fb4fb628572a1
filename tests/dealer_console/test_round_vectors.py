"""The betting round on the console, held to vectors written by hand; the browser's twin as well."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from dealer_console.face import Look, SeatFace, face
from dealer_console.resync import synced

VECTORS = Path(__file__).parents[1] / "vectors" / "dealer_round.json"
FILE: dict[str, Any] = json.loads(VECTORS.read_text("utf-8"))


def documents(case: dict[str, Any]) -> dict[str, Any]:
    """Give the documents of a case: the file's own, with what the case changes."""
    if case.get("gone"):
        return {"table": None, "event": FILE["event"]}
    table = {**FILE["table"], **case.get("table", {})}
    table["hand"] = {**table["hand"], **case.get("hand", {})}
    table["action"] = {**table["action"], **case.get("action", {})}
    live = case.get("live", [1, 2, 3, 4, 5, 6])
    table["seats"] = {
        seat: {**taken, "in_hand": int(seat) in live} for seat, taken in table["seats"].items()
    }
    return {"table": table, "event": {**FILE["event"], **case.get("event", {})}}


def _button(button: dict[str, Any]) -> list[Any]:
    """Write a button as the file does."""
    command = button["command"]
    if command is None:
        return [button["label"], button["note"], None, None]
    args = {name: value for name, value in command["args"].items() if name != "table"}
    return [button["label"], button["note"], command["do"], args]


def seen(case: dict[str, Any]) -> dict[str, Any]:
    """Look at a case, and write what is seen as far as the case says what to expect."""
    look = {"number": 7, "now": 100_000, "me": "d-1", **case.get("look", {})}
    shown = asdict(face(Look(**documents(case), lease=None, **look)))
    buttons = {button["id"]: button for button in shown["buttons"]}
    on = [name for name in FILE["plays"] if buttons.get(name, {}).get("command")]
    first = {"levels": "level", "sync": None}
    found: dict[str, Any] = {}
    for name, wanted in case["expect"].items():
        match name:
            case "big":
                found[name] = _button(shown["big"])
            case "on":
                found[name] = on
            case "buttons":
                found[name] = {each: _button(buttons[each]) for each in wanted}
            case "seats":
                seats = {seat: shown["seats"][int(seat) - 1] for seat in wanted}
                found[name] = {s: {k: seats[s][k] for k in of} for s, of in wanted.items()}
            case "levels" | "sync":
                made = [(each["id"], *_button(each)) for each in shown[name]]
                arg = first[name]
                found[name] = [
                    [i, label, note, args if arg is None or args is None else args[arg]]
                    for i, label, note, _, args in made
                ]
            case "reasons":
                found[name] = [[each["reason"], each["note"]] for each in shown[name]]
            case _:
                found[name] = shown[name]
    return found


@pytest.mark.parametrize("case", FILE["cases"], ids=lambda case: case["name"])
def test_round(case: dict[str, Any]) -> None:
    """What somebody wrote down by hand is what a dealer sees and can tap."""
    assert seen(case) == case["expect"]


@pytest.mark.parametrize("case", FILE["paths"], ids=lambda case: case["name"])
def test_path(case: dict[str, Any]) -> None:
    """A finger's way over the seats is who is live, and whose turn it is."""
    folded = case.get("folded", [])
    seats = [SeatFace(seat, f"p{seat}", folded=seat in folded) for seat in range(1, 7)]
    seats += [SeatFace(7), SeatFace(8)]
    command = {"do": "hand.sync", "args": {"table": 7}, "to": "event"}
    made = synced(command, seats, case["path"])
    assert made == {**command, "args": {"table": 7, **case["expect"]}}


def test_every_end_of_a_round_is_there() -> None:
    """No answer of the hub to what comes next is left without a case, nor any new state."""
    said = {documents(case)["table"]["hand"]["next"] for case in FILE["cases"][:-1]}
    assert said == {"act", "flop", "turn", "river", "run_out", "showdown", "over", None}
    states = {case["expect"]["state"] for case in FILE["cases"]}
    assert states >= {"round_over", "run_out", "showdown", "hand_ends", "replay"}
