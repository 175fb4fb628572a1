"""The cases behind `tests/vectors/table.json`: tables at telling instants, and boards of them.

python -m tests.display.table_cases        # write the vectors anew, then read what changed
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from display.table import board_words, table_words
from server.engine.board import board_document
from tests.display.wall_cases import HOSTILE, write
from tests.night import given, minutes, rules_of, seconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.night import Night

STREETS = """
name = "Streets"
house = "Club"
[registration]
closes_at_level = 2
[action]
seconds = 30
chips = 3
[action.streets]
preflop = 15
flop = 20
[structure]
minutes = 20
steps = [{ small = 100, big = 200 }]
"""

VECTORS = Path(__file__).parents[1] / "vectors" / "table.json"

Case = tuple[str, Any, int | None, Any]
"""A case: its name, the table's document, the instant, the event's rule of the action clock."""


def _seen(name: str, night: Night, later: int = 0) -> Case:
    return name, night.table(1), night.now + later, night.event()["action_clock"]


def cases() -> Iterator[Case]:
    """Give every case."""
    yield from _action_clock()
    yield from _called()
    yield from _streets()


def _streets() -> Iterator[Case]:
    """Give what the one to act will have before START, where each street has a time of its own."""
    night = given(rules_of(STREETS), {1: 4})
    night.do("player.limit", player="1-3", seconds=20)
    night.do("hand.start", table=1, button=1)
    yield _seen("before the start, preflop", night)
    night.do("street.next", table=1)
    yield _seen("before the start, on the flop", night)
    night.do("street.next", table=1)
    yield _seen("before the start, on the turn", night)
    night.do("action.start", table=1, seat=3)
    night.do("action.stop", table=1)
    night.do("street.next", table=1)
    name, doc, now, rule = _seen("before the start, a limited player", night)
    yield name, {**doc, "hand": {**doc["hand"], "turn": 3}}, now, rule


def _action_clock() -> Iterator[Case]:
    night = given("star-brisbane-saturday", {1: 6})
    night.do("seat.clear", player="1-5")
    night.do("seat.move", player="1-3", table=1, seat=8)
    night.do("seat.clear", player="1-6")
    night.do("seat.put", player="1-6", table=1, seat=6, name=HOSTILE)
    night.later(minutes(3))
    yield _seen("between hands", night)
    yield from _a_hand(night)
    yield from _out_of_time(night)


def _a_hand(night: Night) -> Iterator[Case]:
    night.do("hand.start", table=1, button=1)
    night.do("action.start", table=1, seat=2)
    yield _seen("the action clock begins", night)
    yield _seen("ten seconds left", night, seconds(10))
    yield _seen("a millisecond before five", night, seconds(15) - 1)
    yield _seen("five seconds left", night, seconds(15))
    yield _seen("zero, the hub has not spoken", night, seconds(20))
    name, doc, _, rule = _seen("running, hub time is not known yet", night)
    yield name, doc, None, rule
    night.do("action.bank", table=1, seat=2, chips=2)
    night.later(seconds(30))
    yield _seen("on the bank", night)
    night.do("action.fold", table=1, facing_bet=True)  # somebody raised: seat 4 has no option
    yield _seen("a seat has folded, chips to collect", night)
    night.do("action.hold", table=1, acted=False)
    yield _seen("held", night)
    night.do("action.release", table=1)
    night.do("table.pause", table=1, reason="a dispute")
    yield _seen("the table is paused", night)
    night.do("table.resume", table=1)
    night.do("table.pause", table=1)
    yield _seen("the table is paused without a word", night)
    night.do("table.resume", table=1)
    night.do("floor.call", table=1)
    yield _seen("the floor is called", night)
    night.do("floor.clear", table=1)


def _out_of_time(night: Night) -> Iterator[Case]:
    night.do("player.limit", player="1-6", seconds=10)
    night.later(seconds(200))
    yield _seen("out of time, facing a bet", night)
    night.do("action.ruling", table=1, outcome="void")
    yield _seen("the floor gave it back", night)
    night.do("hand.end", table=1)
    night.do("hand.start", table=1, button=2)
    night.do("street.next", table=1)
    night.do("action.start", table=1, seat=8)
    night.later(seconds(200))
    yield _seen("out of time, no bet", night)
    night.do("level.next")
    yield _seen("the next hand is another level", night)
    *_, (_, doc, at, rule) = (_seen("", night),)
    unheard = {**doc, "action": {**doc["action"], "status": "expired", "outcome": "needs_ruling"}}
    yield "the dealer was not heard: the floor rules", unheard, at, rule
    stood = {**doc["action"], "status": "held", "remaining_ms": 7_000, "outcome": None}
    yield "interrupted by a restart", {**doc, "action": {**stood, "interrupted": True}}, at, rule


def _called() -> Iterator[Case]:
    night = given("star-brisbane-saturday", {1: 4})
    night.do("hand.start", table=1)
    night.do("action.start", table=1, seat=None)
    yield _seen("a clock for nobody in particular", night)
    night = given("apl", {1: 4})
    night.do("hand.start", table=1)
    yield _seen("no action clock in this house", night)
    night.do("called.start", table=1, seat=3)
    yield _seen("the clock is called", night, 500)
    night.later(minutes(5))
    yield _seen("the called clock is over", night)


def boards() -> Iterator[tuple[str, Any]]:
    """Give boards of tables."""
    night = given("star-brisbane-saturday", {10: 9, 2: 4, 3: 2, 1: 8})
    yield "playing", board_document(night.state, night.now)
    night.do("floor.call", table=2)
    night.do("table.pause", table=3)
    yield "floor and pause", board_document(night.state, night.now)
    night.do("floor.clear", table=2)
    night.do("table.resume", table=3)
    night.do("h4h.announce")
    night.do("h4h.next")
    for table in (1, 2, 3):
        night.do("hand.start", table=table)
    night.do("hand.end", table=1)
    night.do("h4h.all_in", table=2)
    yield "hand-for-hand", board_document(night.state, night.now)


def vectors() -> dict[str, Any]:
    """Give the vectors as they would be written now."""
    made = {
        "cases": [
            {
                "name": name,
                "now": now,
                "rule": rule,
                "document": doc,
                "expect": asdict(table_words(doc, now, rule)),
            }
            for name, doc, now, rule in cases()
        ],
        "boards": [
            {"name": name, "document": doc, "expect": [asdict(row) for row in board_words(doc)]}
            for name, doc in boards()
        ],
    }
    found: dict[str, Any] = json.loads(json.dumps(made))
    return found


if __name__ == "__main__":
    write(VECTORS, vectors())
