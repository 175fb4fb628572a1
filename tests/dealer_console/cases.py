"""The cases behind `tests/vectors/dealer.json`: real nights, looked at by a dealer's console.

    python -m tests.dealer_console.cases        # write the vectors anew, then read what changed

The browser's twin is held to the same file.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dealer_console.face import Look, face
from server.engine import evolve
from server.engine.events import ActionExpired
from tests.night import given, minutes, seconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.night import Night

VECTORS = Path(__file__).parents[1] / "vectors" / "dealer.json"
SATURDAY = "star-brisbane-saturday"
HOSTILE = "[/] <b>Zoë</b>"
NAMES = {1: "Paz", 2: "Ito", 3: "Kim", 4: "Lee", 5: HOSTILE}
ME, OTHER = "d-1", "d-2"

Case = tuple[str, dict[str, Any], dict[str, Any]]
"""A case: its name, its documents, and how it is looked at."""


def lease(device: str = ME, **change: Any) -> dict[str, Any]:
    """Make a lease's document."""
    found = {"now": 0, "table": 7, "device": device, "name": "Tablet 7", "dealer": "Ana"}
    return {**found, "live": True, "waiting": [], **change}


def table_of(preset: str = SATURDAY, *, started: bool = True, players: int = 5) -> Night:
    """Seat people at table 7, and let a dealer work it."""
    night = given(preset, started=started)
    for seat, name in list(NAMES.items())[:players]:
        night.do("seat.put", player=f"p{seat}", name=name, table=7, seat=seat)
    night.by = "dealer"
    return night


def dealt(preset: str = SATURDAY, players: int = 5) -> Night:
    """Deal a hand at table 7; seat 4 acts first of five."""
    night = table_of(preset, players=players)
    night.later(seconds(30))
    night.do("hand.start", table=7)
    return night


def seen(night: Night, **look: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Give the documents of a night, and a look at them now."""
    documents = {"table": night.table(7), "event": night.event()}
    return documents, {"number": 7, "now": night.now, "me": ME, **look}


def cases() -> Iterator[Case]:
    """Give every case."""
    yield from _room()
    yield from _rhythm()
    yield from _round()
    yield from _button()
    yield from _bank()
    yield from _zero()
    yield from _called()
    yield from _hand_for_hand()
    yield from _floor()
    yield from _link()
    yield from _simple()


def _room() -> Iterator[Case]:
    look = {"number": 7, "now": 5_000, "me": ME}
    yield "no table", {"event": given(SATURDAY).event()}, look
    yield "no event", {}, look
    yield "no hub", {}, {**look, "freshness": "stale", "away": 400_000}
    night = table_of(started=False)
    yield "not started", *seen(night)
    night.do("event.schedule", starts_at=minutes(10))
    yield "starts in ten minutes", *seen(night)
    night = table_of(started=True)
    yield "between hands, the first", *seen(night)
    night.do("clock.pause", reason="fire alarm")
    yield "the room is paused", *seen(night)
    night.do("clock.resume")
    night.do("event.suspend", resumes_at=minutes(600))
    yield "suspended", *seen(night)
    night.do("event.resume")
    night.do("break.call", minutes=15)
    yield "break", *seen(night, now=night.now + 1)
    night.do("break.end")
    night.do("break.call")
    yield "a break without an end", *seen(night)
    night.do("break.end")
    night.do("event.finish")
    yield "finished", *seen(night)
    night = dealt("apl")
    night.later(night.clock()["ends_at"] - night.now - seconds(90))
    yield "AP-RP7 hold the push", *seen(night)
    night.later(seconds(89))
    yield "the level is nearly over", *seen(night)
    night.later(seconds(2))
    yield "AP-23 this hand at the old level, the next at the new one", *seen(night)
    night.do("hand.end", table=7)
    yield "AP-23 between hands, the level has changed", *seen(night)
    night.do("break.call", minutes=5)
    night.later(minutes(4) + seconds(30))
    yield "AP-RP20 prepare decks", *seen(night)
    night = table_of("apl")
    night.later(night.clock()["ends_at"] - night.now - seconds(1))
    night.do("dealer.push", table=7)
    night.later(seconds(2))
    yield "AP-23 one more hand at the prior level after a push", *seen(night)
    night = table_of("selkirk-main")
    night.later(night.clock()["hard_stop_at"] - night.now)
    while night.clock()["phase"] == "break":
        night.do("break.end")
    night.later(minutes(1))
    yield "SL-9 the hard stop", *seen(night)


def _rhythm() -> Iterator[Case]:
    night = dealt()
    yield "to start", *seen(night)
    yield "to start, the nudge", *seen(night, now=night.now + seconds(60))
    night.do("action.next", table=7)
    yield "SB-47c running", *seen(night)
    yield "running, a second and a half", *seen(night, now=night.now + 1_500)
    night.do("action.fold", table=7)
    yield "after a fold", *seen(night)
    night.do("action.hold", table=7)
    yield "SB-47d a bet is counted", *seen(night)
    night.do("action.next", table=7)
    night.do("action.hold", table=7, acted=False)
    yield "the clock is held", *seen(night)
    night.do("action.release", table=7)
    night.do("action.start", table=7, seat=3)
    yield "a wrong seat was put right", *seen(night)
    night.do("street.next", table=7)
    yield "the flop", *seen(night)
    night.do("undo", table=7)
    yield "undone, to be redone", *seen(night)
    night.do("undo", table=7)
    night.do("action.all_in", table=7)
    yield "all-in, the next one is to call", *seen(night)
    night.do("action.fold", table=7)
    night.do("action.fold", table=7)
    yield "one is left, and is all-in", *seen(night)
    night.do("hand.end", table=7)
    yield "between hands", *seen(night)

    night = dealt(players=3)
    night.do("action.next", table=7)
    night.do("action.all_in", table=7)
    night.do("action.all_in", table=7)
    night.do("action.fold", table=7)
    yield "two are all-in: run the board", *seen(night)
    for _ in range(3):
        night.do("street.next", table=7)
    yield "two are all-in, on the river", *seen(night)

    night = dealt(players=2)
    night.do("action.next", table=7)
    night.do("action.fold", table=7)
    yield "one player is left", *seen(night)
    night = dealt("star-brisbane-friday")
    yield "no action clock in play", *seen(night)
    night = table_of()
    night.do("seat.clear", player="p1")
    night.do("hand.start", table=7, button=1)
    yield "a seat is empty, the button is dead", *seen(night)


def _round() -> Iterator[Case]:
    night = dealt()
    night.do("action.fold", table=7)
    night.do("action.next", table=7, acted=True)
    night.do("action.fold", table=7)
    night.do("action.next", table=7, acted=True)
    yield "the big blind's option", *seen(night)
    night.do("action.next", table=7)
    yield "everybody has acted: the flop", *seen(night)
    night.do("street.next", table=7, start=True)
    yield "the flop is dealt, the first one's time runs", *seen(night)
    night.do("action.next", table=7)
    night.do("action.hold", table=7)
    yield "a bet on the flop is counted", *seen(night)
    night.do("action.hold", table=7)
    yield "the next one has raised at once", *seen(night)
    night.do("action.next", table=7, acted=True)
    yield "the last one to act on the flop", *seen(night)
    night.do("action.next", table=7, acted=True)
    for _ in range(2):
        night.do("street.next", table=7)
        for _ in range(3):
            night.do("action.next", table=7, acted=True)
    yield "the showdown", *seen(night)
    night.do("hand.end", table=7)

    night.do("hand.start", table=7)
    night.do("action.all_in", table=7)
    yield "an all-in is faced: raises or calls?", *seen(night)
    night.do("action.all_in", table=7, raises=False)
    yield "an all-in was called by an all-in", *seen(night)
    night.do("hand.sync", table=7, seat=5, street="turn", live=[2, 5], bet=True)
    yield "after a re-sync", *seen(night)
    night.do("hand.misdeal", table=7)
    yield "AP-35C a misdeal", *seen(night)


def _button() -> Iterator[Case]:
    night = table_of()
    night.do("button.set", table=7, seat=6)
    yield "DB the button is put to an empty seat", *seen(night)
    night.do("hand.start", table=7)
    yield "DB a dead button", *seen(night)
    night.do("hand.end", table=7)
    night.do("hand.start", table=7, straddle=4)
    yield "a straddle", *seen(night)
    night.do("hand.end", table=7)
    night.do("player.bust", player="p3")
    night.do("hand.start", table=7)
    yield "DB after a bust of a blind", *seen(night)
    night.later(night.clock()["ends_at"] - night.now + 1)
    night.do("hand.level", table=7, level=2)
    yield "AP-23m the hand is at the new level", *seen(night)
    night = table_of(players=2)
    night.do("hand.start", table=7)
    yield "DB heads-up", *seen(night)


def _bank() -> Iterator[Case]:
    night = dealt()
    night.do("action.next", table=7)
    night.later(seconds(6))
    night.do("action.bank", table=7, seat=4, chips=1)
    yield "SB-47g a chip was pushed forward", *seen(night)
    night.do("action.bank", table=7, seat=4, chips=2)
    yield "SB-47i several at once", *seen(night)
    night.do("action.bank", table=7, seat=4, chips=1)
    yield "no chips left", *seen(night)
    night.do("action.next", table=7)
    yield "SB-47h collect four", *seen(night)
    night.later(seconds(21))
    yield "SB-47h a chip burns by itself", *seen(night)
    night.do("collect.done", table=7, seat=4)
    night.do("action.next", table=7)
    yield "collected, and one more is owed", *seen(night)
    night.by = ""
    night.do("player.limit", player="p1", seconds=10)
    night.by = "dealer"
    night.do("action.start", table=7, seat=1)
    yield "AT-3.10.2 a limited player", *seen(night)
    night = dealt("star-brisbane-friday")
    night.do("player.limit", player="p4", seconds=10)
    yield "AT-3.10.2 a limited player without an action clock", *seen(night)


def _zero() -> Iterator[Case]:
    night = dealt()
    night.do("bank.grant", chips=0, mode="set")
    night.do("action.next", table=7)
    ends = night.table(7)["action"]["ends_at"]
    for left in (10_001, 10_000, 5_000, 1, 0):
        yield f"{left} ms left", *seen(night, now=ends - left)
    night.later(ends - night.now + 1)
    yield "SB-47j a dead hand", *seen(night)
    yield "SB-47j a dead hand, the floor looks", *seen(night, role="floor")
    night.do("action.next", table=7)
    night.do("street.next", table=7)
    night.do("action.next", table=7)
    night.later(seconds(20) + 1)
    yield "SB-47j a forced check", *seen(night)
    night = dealt(players=2)
    night.do("bank.grant", chips=0, mode="set")
    night.do("action.next", table=7)
    night.later(seconds(20) + 1)
    yield "a dead hand ends the hand", *seen(night)
    night = dealt()
    night.do("bank.grant", chips=0, mode="set")
    night.do("action.next", table=7)
    night.later(seconds(5))
    night.do("table.interrupt", table=7)
    yield "the hub was away", *seen(night)
    night.do("action.release", table=7)
    _unheard(night)
    yield "needs a ruling", *seen(night)
    yield "needs a ruling, the floor looks", *seen(night, role="floor")
    night.do("floor.call", table=7)
    yield "needs a ruling, the floor is called", *seen(night)


def _unheard(night: Night) -> None:
    """Let the action run out as a journal of 0.1 tells it of a table that could not be heard."""
    night.now += seconds(40)
    seat = night.table(7)["action"]["seat"]
    expired = ActionExpired(at=night.now, table=7, seat=seat, outcome="needs_ruling")
    night.state = evolve(night.state, expired)


def _called() -> Iterator[Case]:
    night = dealt("star-brisbane-friday")
    night.do("called.start", table=7, seat=2)
    yield "SB-25 the clock is called", *seen(night)
    night.later(seconds(26))
    yield "AP-29 the countdown", *seen(night)
    night.later(seconds(5))
    yield "AP-29 called and dead", *seen(night)
    night.do("called.stop", table=7)
    night.do("street.next", table=7)
    night.do("called.start", table=7, seat=3)
    night.later(seconds(31))
    yield "AP-29 called and checked", *seen(night)


def _hand_for_hand() -> Iterator[Case]:
    night = dealt()
    night.do("table.open", table=8)
    night.do("seat.put", player="q1", table=8, seat=1)
    night.do("seat.put", player="q2", table=8, seat=2)
    night.do("h4h.announce")
    yield "SB-19 announced in the middle of a hand", *seen(night)
    night.do("action.next", table=7)
    yield "SB-19 announced, a clock runs", *seen(night)
    night.do("h4h.done", table=7)
    yield "SB-19 every table holds", *seen(night)
    night.do("h4h.next")
    yield "SB-19 the hand is released", *seen(night)
    night.do("hand.start", table=7)
    yield "SB-19 dealt, to start", *seen(night)
    night.do("action.next", table=7)
    night.do("h4h.all_in", table=7)
    yield "SB-30 all-in, cards face down", *seen(night)
    night.do("h4h.done", table=8)
    night.do("h4h.runout", table=7)
    yield "SB-30 run the board", *seen(night)
    night.do("h4h.done", table=7)
    night.do("h4h.next")
    night.do("h4h.done", table=7)
    yield "AP-RP8 done, the other table plays on", *seen(night)
    night.do("h4h.done", table=8)
    night.do("break.call", minutes=15)
    yield "a break in hand-for-hand", *seen(night)
    night = dealt("apl")
    night.do("h4h.announce")
    yield "AP-RP8 no action clock: report the hand", *seen(night)
    night.do("h4h.done", table=7)
    night.do("h4h.end")
    night.do("table.open", table=8)
    night.do("seat.put", player="q1", table=8, seat=1)
    night.do("h4h.announce", soft=True)
    night.do("h4h.next")
    night.do("h4h.done", table=7)
    yield "AP-RP19 the soft form: one hand ahead", *seen(night)


def _floor() -> Iterator[Case]:
    night = dealt()
    night.do("action.next", table=7)
    night.do("floor.call", table=7, reason="string bet")
    night.later(seconds(3) + 200)
    yield "the floor is called", *seen(night)
    yield "the floor is called, seen by the floor", *seen(night, role="floor")
    night.do("table.pause", table=7, reason="dispute")
    yield "the table is paused", *seen(night)
    yield "the table is paused, the floor looks", *seen(night, role="floor")
    night.do("floor.clear", table=7)
    night.do("table.resume", table=7)
    night.do("table.pause", table=7)
    yield "the table is paused without a word", *seen(night)


def _link() -> Iterator[Case]:
    night = dealt()
    night.do("action.next", table=7)
    ends = night.table(7)["action"]["ends_at"]
    away = {"freshness": "coasting"}
    yield "an answer is missed", *seen(night, **away, away=900, now=night.now + 900)
    yield "the hub is not heard", *seen(night, **away, away=2_000, now=night.now + 2_000)
    yield "the hub is away at zero", *seen(night, **away, away=9_000, now=ends)
    yield "stale", *seen(night, freshness="stale", away=400_000)
    documents, look = seen(night)
    waits = [{"device": ME, "name": "Phone", "asks": False}]
    asks = [{"device": ME, "name": "Phone", "asks": True}]
    yield "taken", {**documents, "lease": lease(OTHER, waiting=waits)}, look
    yield (
        "taken, and asked for",
        {**documents, "lease": lease(OTHER, waiting=asks, dealer="")},
        look,
    )
    yield (
        "taken, but the floor may",
        {**documents, "lease": lease(OTHER)},
        {**look, "role": "floor"},
    )
    other = [{"device": OTHER, "name": "Phone", "asks": True}]
    yield "another device asks", {**documents, "lease": lease(waiting=other)}, look
    yield "the lease is ours", {**documents, "lease": lease()}, look


def _simple() -> Iterator[Case]:
    night = table_of()
    yield "simple: start", *seen(night, simple=True)
    night.do("action.start", table=7, seat=None)
    yield "simple: restart", *seen(night, simple=True)
    yield "unnamed, seen by a full console", *seen(night)
    night.later(seconds(21))
    yield "simple: time", *seen(night, simple=True)
    night.do("action.bank", table=7, seat=2, chips=1)
    yield "simple: a chip names the seat", *seen(night, simple=True)
    night.do("action.stop", table=7)
    yield "simple: stopped", *seen(night, simple=True)
    night = dealt("star-brisbane-friday")
    yield "simple: no action clock", *seen(night, simple=True)
    night = dealt()
    night.do("h4h.announce")
    yield "simple: hand-for-hand", *seen(night, simple=True)


def vectors() -> dict[str, Any]:
    """Give the vectors as they would be written now."""
    found = []
    for name, documents, look in cases():
        made = Look(**{"table": None, "event": None, "lease": None, **documents, **look})
        found.append({"name": name, **documents, "look": look, "expect": asdict(face(made))})
    plain: dict[str, Any] = json.loads(json.dumps({"cases": found}))
    return plain


def write() -> None:
    """Write the vectors, a line for each case."""
    lines = [f" {json.dumps(case, ensure_ascii=False)}" for case in vectors()["cases"]]
    VECTORS.write_text('{"cases": [\n' + ",\n".join(lines) + "\n]}\n", "utf-8")


if __name__ == "__main__":
    write()
