"""When the hub was away, or a table's dealer could not be heard: time does not decide alone."""

from __future__ import annotations

import pytest

from server.engine import Refused, decide, evolve, parse, tick
from server.engine.events import ActionExpired, ActionHeld, TableEvent
from server.engine.facts import table_fact
from tests.night import Night, given, minutes, seconds

SILENT = "needs_ruling"


def played() -> Night:
    """Give a table with an action clock that runs since one second."""
    night = given("star-brisbane-saturday", {1: 3})
    night.do("hand.start", table=1)
    night.do("bank.grant", chips=0, mode="set")
    night.do("action.start", table=1, seat=2)
    return night.later(seconds(1))


def nobody(_table: int, _zero: int) -> bool:
    """Say that no table's device is heard."""
    return True


def silently(night: Night, ms: int) -> Night:
    """Let time pass while nobody can be heard, as hubs did before tables waited."""
    night.now += ms
    while (due := table_fact(night.state, night.state.tables[1])) is not None:
        if due.at > night.now:
            break
        for event in due.happen(night.state, nobody).events:
            night.state = evolve(night.state, event)
            night.events.append(event)
    return night


def test_an_interruption_holds_the_action_where_it_stood() -> None:
    """The player's time stands, the dealer lets it go on, and it goes on from there."""
    night = played()
    night.do("table.interrupt", table=1)
    night.later(minutes(5))
    held = night.table(1)["action"]
    assert (held["status"], held["remaining_ms"], held["interrupted"]) == ("held", 19_000, True)
    night.do("action.release", table=1)
    night.later(seconds(4))
    running = night.table(1)["action"]
    assert (running["status"], running["remaining_ms"]) == ("running", 15_000)


def test_the_dealers_ordinary_tap_goes_on_after_an_interruption() -> None:
    """NEXT means what it always means: the player has acted."""
    night = played()
    night.do("table.interrupt", table=1)
    night.do("action.next", table=1)
    assert night.table(1)["action"]["seat"] == 3
    assert night.table(1)["seats"]["2"]["in_hand"]


def test_an_interruption_pauses_a_called_clock() -> None:
    """A called clock stands until the floor lets it go on."""
    night = given("apl", {1: 3})
    night.do("called.start", table=1, seat=2)
    night.later(seconds(5))
    left = night.table(1)["called"]["remaining_ms"]
    night.do("table.interrupt", table=1)
    night.later(minutes(5))
    called = night.table(1)["called"]
    assert (called["status"], called["remaining_ms"]) == ("paused", left)
    night.do("table.resume", table=1)
    assert night.table(1)["called"]["status"] == "running"


@pytest.mark.parametrize("how", ["idle", "table", "room"])
def test_what_does_not_run_is_not_interrupted(how: str) -> None:
    """Nothing is held where nothing runs: no action, a paused table, a paused room."""
    night = played()
    match how:
        case "idle":
            night.do("action.stop", table=1)
        case "table":
            night.do("table.pause", table=1)
        case _:
            night.do("clock.pause")
    assert night.refused("table.interrupt", table=1) == "not_running"


def test_an_interruption_is_nobodys_to_undo() -> None:
    """Undo takes back the dealer's own last tap, and the restored clock was held as well."""
    night = given("star-brisbane-saturday", {1: 3})
    night.do("hand.start", table=1)
    night.do("action.start", table=1, seat=2)
    night.later(seconds(4))
    night.do("action.next", table=1)
    night.later(seconds(1))
    night.do("table.interrupt", table=1)
    night.later(minutes(10))
    night.do("undo", table=1)
    action = night.table(1)["action"]
    assert (action["seat"], action["status"], action["remaining_ms"]) == (2, "held", 15_000)
    assert night.table(1)["seats"]["2"]["in_hand"]


def test_a_silent_tables_verdict_waits_for_the_floor() -> None:
    """Time ran out, the dealer could not be heard: the hand is not dead, nothing goes on."""
    night = silently(played(), seconds(20))
    table = night.table(1)
    assert (table["action"]["status"], table["action"]["outcome"]) == ("expired", SILENT)
    assert table["seats"]["2"]["in_hand"]
    for do, args in {
        "action.next": {},
        "action.fold": {},
        "action.stop": {},
        "action.hold": {},
        "action.release": {},
        "action.start": {"seat": 3},
        "action.bank": {"seat": 2, "chips": 1},
        "called.start": {"seat": 3},
    }.items():
        assert night.refused(do, table=1, **args) == SILENT


@pytest.mark.parametrize(
    ("outcome", "in_hand", "status"),
    [("dead", False, "expired"), ("check", True, "expired"), ("void", True, "idle")],
)
def test_the_floor_rules_on_a_silent_table(outcome: str, in_hand: bool, status: str) -> None:
    """The floor's word is what happened, and play goes on."""
    night = silently(played(), seconds(20))
    night.do("action.ruling", table=1, outcome=outcome)
    table = night.table(1)
    assert table["seats"]["2"]["in_hand"] is in_hand
    assert table["action"]["status"] == status
    night.do("action.next", table=1)


def test_a_silent_called_clock_waits_for_the_floor() -> None:
    """The called clock knows silence too."""
    night = given("apl", {1: 3})
    night.do("hand.start", table=1)
    night.do("called.start", table=1, seat=2)
    silently(night, minutes(3))
    called = night.table(1)["called"]
    assert (called["status"], called["outcome"]) == ("expired", SILENT)
    assert night.table(1)["seats"]["2"]["in_hand"]
    night.do("action.ruling", table=1, outcome="dead")
    assert not night.table(1)["seats"]["2"]["in_hand"]


@pytest.mark.parametrize("chips", [0, 2])
def test_time_tells_nothing_at_a_table_that_waits(chips: int) -> None:
    """No chip burns and no hand dies, while the level goes on."""
    night = played()
    night.do("bank.grant", chips=chips, mode="set")
    before = night.state.tables[1]
    told = tick(night.state, night.now + minutes(60), 0, nobody)
    assert "level.started" in [event.name for event in told]
    assert not any(isinstance(event, TableEvent) for event in told)
    assert night.state.tables[1] is before
    late = night.now + minutes(3)
    outcome = decide(night.state, parse("action.next", {"table": 1}), late, 0, nobody)
    assert not isinstance(outcome, Refused)
    names = [event.name for event in outcome if isinstance(event, TableEvent)]
    assert names == ["action.ended", "action.started"]


def test_a_table_that_waits_keeps_no_other_waiting() -> None:
    """Facts of other tables are told in their order."""
    night = given("star-brisbane-saturday", {1: 3, 2: 3})
    night.do("bank.grant", chips=0, mode="set")
    for table in (1, 2):
        night.do("action.start", table=table, seat=2)
    told = tick(night.state, night.now + minutes(1), 0, lambda table, _zero: table == 1)
    expired = [event for event in told if isinstance(event, ActionExpired)]
    assert [event.table for event in expired] == [2]


def test_what_is_held_after_a_silence_has_what_was_certain() -> None:
    """Less what was seen, and never less than what began in the silence."""
    night = played()
    night.now += seconds(40)  # 19 s were left, 40 s ago
    silence = {"since": night.now - seconds(35), "until": night.now}
    decided = parse("table.interrupt", {"table": 1, "unseen": seconds(35), **silence})
    outcome = decide(night.state, decided, night.now, 0, nobody)
    assert not isinstance(outcome, Refused)
    held = next(event for event in outcome if isinstance(event, ActionHeld))
    assert (held.ms, held.silent) == (seconds(14), True)
    longer = parse("table.interrupt", {"table": 1, "unseen": seconds(70), **silence})
    outcome = decide(night.state, longer, night.now, 0, nobody)
    assert not isinstance(outcome, Refused)
    assert next(event for event in outcome if isinstance(event, ActionHeld)).ms == seconds(20)
