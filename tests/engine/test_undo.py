"""Undo: the night as it would have been without one command, the clocks advanced to now."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

import pytest

from server.engine import Rules, evolve
from server.engine.history import DEPTH
from server.engine.reading import build
from tests.night import given, minutes, seconds

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.night import Night

SHOT_CLOCK = "star-brisbane-saturday"  # 20-minute levels, 20 s an action, 4 chips of 20 s
TOUR = "apl-tour"

STAGED = """
name = "An action clock from level 2 on"
house = "Test"
[registration]
closes_at_level = 9
[action]
seconds = 20
chips = 3
introduce = "level"
introduce_level = 2
[structure]
minutes = 20
steps = [{ small = 1, big = 2 }, { small = 2, big = 4 }, { small = 3, big = 6 }]
"""


def staged() -> Rules:
    """Give a house that introduces its action clock at level 2."""
    return build(Rules, tomllib.loads(STAGED))


def last(night: Night) -> str:
    """Give the id of the last command."""
    return f"c{night.count}"


def screens(night: Night) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Give what all screens show."""
    return night.event(), night.tables()


def forfeits(night: Night) -> list[int]:
    """Give the instants at which chips were forfeited."""
    return [event.at for event in night.events if event.name == "chip.forfeited"]


# ── which command ────────────────────────────────────────────────────────────────────────────────


def test_undo_takes_back_the_last_command() -> None:
    """Everything is as it was before it."""
    night = given(SHOT_CLOCK, {1: 2})
    before = screens(night)
    night.do("announce", text="Wrong words")
    assert night.do("undo") == ["command.undone"]
    assert screens(night) == before


def test_undo_of_a_named_command_keeps_what_came_later_elsewhere() -> None:
    """A mistake at table 1 is put right without touching table 2 or the room."""
    night = given(SHOT_CLOCK, {1: 3, 2: 3})
    night.do("floor.call", table=1)
    mistake = last(night)
    night.do("floor.call", table=2)
    night.do("announce", text="Dinner at eight")
    night.do("undo", command=mistake)
    assert night.table(1)["floor"] is None
    assert night.table(2)["floor"] is not None
    assert night.event()["announcement"] == "Dinner at eight"


def test_undo_of_a_named_command_keeps_what_came_later_at_the_same_table() -> None:
    """The later commands are decided again, each at its own instant."""
    night = given(SHOT_CLOCK, {1: 3})
    night.do("hand.start", table=1, button=1)
    night.do("bank.grant", player="1-1", chips=9, mode="add")
    mistake = last(night)
    night.later(seconds(3))
    night.do("action.start", table=1, seat=2)
    night.later(seconds(5))
    night.do("floor.call", table=1)
    night.later(seconds(2))
    night.do("undo", command=mistake)
    table = night.table(1)
    assert table["seats"]["1"]["bank"] == 4
    assert (table["action"]["seat"], table["action"]["remaining_ms"]) == (2, seconds(13))
    assert table["floor"]["since"] == seconds(8)


def test_a_later_command_that_makes_no_sense_any_more_has_no_effect() -> None:
    """Without the hand there is no street to deal."""
    night = given(SHOT_CLOCK, {1: 3})
    night.do("hand.start", table=1)
    mistake = last(night)
    night.do("street.next", table=1)
    night.do("undo", command=mistake)
    hand = night.table(1)["hand"]
    assert (hand["number"], hand["in_progress"], hand["street"]) == (0, False, "preflop")


def test_undo_at_a_table_takes_back_the_last_command_of_that_table() -> None:
    """What happened elsewhere since, and what the director did, is not the dealer's to undo."""
    night = given(SHOT_CLOCK, {1: 3, 2: 3})
    night.do("floor.call", table=1)
    night.do("bank.grant", chips=1, mode="add")
    night.do("floor.call", table=2)
    night.do("undo", table=1)
    assert night.table(1)["floor"] is None
    assert night.table(2)["floor"] is not None
    assert night.table(1)["seats"]["1"]["bank"] == 5


def test_undo_at_a_table_pressed_twice_is_undo_and_redo() -> None:
    """The dealer's undo is the last command of the table, and can itself be undone."""
    night = given(SHOT_CLOCK, {1: 3, 2: 3})
    night.do("floor.call", table=1)
    before = screens(night)
    night.do("undo", table=1)
    night.do("undo", table=1)
    assert screens(night) == before


def test_undo_pressed_twice_is_redo() -> None:
    """And pressed three times it is undone again."""
    night = given(SHOT_CLOCK, {1: 2})
    without = screens(night)
    night.do("clock.add", ms=minutes(-3))
    done = screens(night)
    night.do("undo")
    assert screens(night) == without
    night.do("undo")
    assert screens(night) == done
    night.do("undo")
    assert screens(night) == without


def test_an_undo_can_be_undone_by_its_name() -> None:
    """Also when other commands came in between, and they stay."""
    night = given(SHOT_CLOCK, {1: 2})
    night.do("floor.call", table=1)
    night.do("undo")
    undo = last(night)
    night.do("announce", text="Dinner at eight")
    night.do("undo", command=undo)
    assert night.table(1)["floor"] is not None
    assert night.event()["announcement"] == "Dinner at eight"


def test_undone_twice_is_refused() -> None:
    """What is undone cannot be undone again, nor an undo that was undone itself."""
    night = given(SHOT_CLOCK, {1: 2})
    night.do("announce", text="Wrong words")
    words = last(night)
    night.do("undo", command=words)
    undo = last(night)
    assert night.refused("undo", command=words) == "nothing_to_undo"
    night.do("undo", command=undo)
    assert night.refused("undo", command=undo) == "nothing_to_undo"
    night.do("undo", command=words)
    assert night.event()["announcement"] is None


@pytest.mark.parametrize("args", [{"command": "nobody"}, {"command": "c999"}, {"table": 7}])
def test_undo_of_what_is_not_known_is_refused(args: dict[str, Any]) -> None:
    """An id that nobody gave, a table at which nothing happened."""
    night = given(SHOT_CLOCK, {1: 2})
    assert night.refused("undo", **args) == "nothing_to_undo"


def test_undo_when_nothing_happened_is_refused() -> None:
    """A fresh event has nothing to undo."""
    night = given(SHOT_CLOCK, started=False)
    assert night.refused("undo") == "nothing_to_undo"


def test_a_refused_command_is_not_undone() -> None:
    """It did nothing, so the one before it is the last."""
    night = given(SHOT_CLOCK, {1: 2})
    night.do("announce", text="Wrong words")
    assert night.refused("hand.end", table=1)
    night.do("undo")
    assert night.event()["announcement"] is None


def test_the_floor_is_told_what_can_be_undone() -> None:
    """The newest first, with what was undone marked."""
    night = given(SHOT_CLOCK, {1: 2})
    night.later(seconds(1))
    night.do("floor.call", table=1, reason="dispute")
    night.do("undo")
    undo, call = night.floor()["undo"][:2]
    assert (undo["do"], undo["undone"]) == ("undo", False)
    assert (call["do"], call["command"], call["undone"]) == ("floor.call", "c5", True)
    assert (call["at"], call["args"]) == (seconds(1), {"table": 1, "reason": "dispute"})


# ── clocks are restored and advanced ─────────────────────────────────────────────────────────────


def test_the_level_clock_has_run_on_through_an_undone_pause() -> None:
    """Paused by mistake for a minute: the minute was played."""
    night = given(SHOT_CLOCK, {1: 2})
    night.later(minutes(5))
    night.do("clock.pause")
    night.later(minutes(1))
    night.do("undo")
    clock = night.clock()
    assert (clock["status"], clock["remaining_ms"]) == ("running", minutes(14))


def test_a_level_that_ended_in_an_undone_pause_is_told_with_its_due_instant() -> None:
    """Two levels have passed; both are told, each when it was due."""
    night = given(SHOT_CLOCK, {1: 2})
    night.do("clock.pause")
    night.later(minutes(45))
    night.do("undo")
    night.later(1)
    started = [event.at for event in night.events if event.name == "level.started"]
    assert started == [minutes(20), minutes(40)]
    assert night.clock()["remaining_ms"] == minutes(15) - 1


def test_the_action_clock_goes_back_to_the_player_and_has_run_on() -> None:
    """The player who had not acted after all has had the time since."""
    night = given(SHOT_CLOCK, {1: 3})
    night.do("hand.start", table=1, button=3)
    night.do("action.start", table=1, seat=1)
    night.later(seconds(8))
    night.do("action.next", table=1)
    night.later(seconds(5))
    night.do("undo")
    action = night.table(1)["action"]
    assert (action["seat"], action["remaining_ms"]) == (1, seconds(7))


def test_chips_that_came_due_meanwhile_are_told_with_their_due_instants() -> None:
    """A restored action clock has really run on: chips burned at 20 s and at 40 s."""
    night = given(SHOT_CLOCK, {1: 3})
    night.do("action.start", table=1, seat=1)
    night.later(seconds(8))
    night.do("action.stop", table=1)
    night.later(seconds(42))
    night.do("undo")
    night.later(1)
    assert forfeits(night) == [seconds(20), seconds(40)]
    table = night.table(1)
    assert table["seats"]["1"]["bank"] == 2
    assert table["action"]["remaining_ms"] == seconds(10) - 1


def test_a_restored_action_that_ran_out_meanwhile_is_dead() -> None:
    """At the first instant after zero, with no chip left; the floor may rule it void."""
    night = given(SHOT_CLOCK, {1: 3})
    night.do("bank.grant", chips=0, mode="set")
    night.do("action.start", table=1, seat=1)
    night.later(seconds(8))
    night.do("action.stop", table=1)
    night.later(minutes(1))
    night.do("undo")
    night.later(1)
    assert (night.events[-1].name, night.events[-1].at) == ("action.expired", seconds(20) + 1)
    assert night.table(1)["action"]["outcome"] == "dead"


def test_what_came_due_before_a_pause_is_due_then_though_it_is_undone_in_the_pause() -> None:
    """Undone while the room stands: the chip burned at 20 s, before the pause, and not after it."""
    night = given(SHOT_CLOCK, {1: 2})
    night.do("action.start", table=1, seat=1)
    night.later(seconds(10))
    night.do("action.stop", table=1)
    mistake = last(night)
    night.later(seconds(15))
    night.do("clock.pause")
    night.later(seconds(60))
    night.do("undo", command=mistake)
    night.later(1)
    table = night.table(1)
    assert table["seats"]["1"]["bank"] == 3
    assert (table["action"]["status"], table["action"]["remaining_ms"]) == ("paused", seconds(15))
    assert forfeits(night) == [seconds(20)]


def test_a_clock_that_began_after_a_pause_is_not_touched_when_the_pause_is_undone() -> None:
    """The level clock has run on, but this player's time began later and stands as it was."""
    night = given(SHOT_CLOCK, {1: 2})
    night.later(seconds(5))
    night.do("clock.pause")
    pause = last(night)
    night.later(seconds(60))
    night.do("clock.resume")
    night.later(seconds(5))
    night.do("action.start", table=1, seat=1)
    night.later(seconds(1))
    night.do("undo", command=pause)
    table = night.table(1)
    assert night.clock()["remaining_ms"] == minutes(20) - seconds(71)
    assert (table["action"]["remaining_ms"], table["seats"]["1"]["bank"]) == (seconds(19), 4)


def test_nobody_gains_time_when_a_resume_is_undone() -> None:
    """A player whose twenty seconds began after it does not have fifty."""
    night = given(SHOT_CLOCK, {1: 2})
    night.do("clock.pause")
    night.later(seconds(60))
    night.do("clock.resume")
    resume = last(night)
    night.later(seconds(30))
    night.do("action.start", table=1, seat=1)
    night.later(seconds(1))
    night.do("undo", command=resume)
    assert night.table(1)["action"]["remaining_ms"] <= seconds(20)


def test_a_pause_undone_and_redone_at_once_costs_nobody_a_chip() -> None:
    """The slip of a finger changes nothing."""
    night = given(SHOT_CLOCK, {1: 2})
    night.do("action.start", table=1, seat=1)
    night.later(seconds(10))
    night.do("clock.pause")
    night.later(seconds(50))
    before = screens(night)
    night.do("undo")
    night.do("undo")
    assert screens(night) == before


def test_a_stage_that_an_undo_brings_about_gives_everybody_their_chips() -> None:
    """Without the time added, level 2 and its action clock came before the announcement."""
    night = given(staged(), {1: 2, 2: 2})
    night.later(minutes(1))
    night.do("clock.add", ms=minutes(20))
    added = last(night)
    night.later(minutes(24))
    night.do("announce", text="Dinner at eight")
    night.later(minutes(1))
    assert night.event()["action_clock"] is None
    night.do("undo", command=added)
    night.later(1)
    assert night.event()["action_clock"] is not None
    banks = [seat["bank"] for table in night.tables() for seat in table["seats"].values()]
    assert banks == [3, 3, 3, 3]


def test_a_stage_that_an_undo_puts_off_takes_the_chips_back_and_gives_them_later_once() -> None:
    """With a minute given back at the last moment, level 2 is still to come."""
    night = given(staged(), {1: 2, 2: 2})
    night.do("clock.add", ms=minutes(-5))
    taken = last(night)
    night.later(minutes(16))
    night.do("floor.call", table=1)
    assert night.table(2)["seats"]["1"]["bank"] == 3
    night.do("undo", command=taken)
    assert night.table(2)["seats"]["1"]["bank"] == 0
    assert night.table(1)["floor"] is not None
    night.later(minutes(5))
    assert [seat["bank"] for seat in night.table(2)["seats"].values()] == [3, 3]


# ── what can be undone ───────────────────────────────────────────────────────────────────────────


def _nothing(_night: Night) -> None:
    """Prepare nothing."""


def _pause(night: Night) -> None:
    night.do("clock.pause")


def _break(night: Night) -> None:
    night.do("break.call", minutes=10)


def _hands(night: Night) -> None:
    night.do("hand.start", table=1)
    night.do("hand.start", table=2)


def _announced(night: Night) -> None:
    _hands(night)
    night.do("h4h.announce")


def _holding(night: Night) -> None:
    night.do("h4h.announce")


def _released(night: Night) -> None:
    night.do("h4h.announce")
    night.do("h4h.next")


def _all_in(night: Night) -> None:
    _released(night)
    night.do("h4h.all_in", table=1)
    night.do("h4h.done", table=2)


def _acting(night: Night) -> None:
    night.do("hand.start", table=1, button=3)
    night.do("action.start", table=1, seat=1)


def _held(night: Night) -> None:
    _acting(night)
    night.do("action.hold", table=1, acted=False)


def _called(night: Night) -> None:
    night.do("called.start", table=1, seat=1)


STEPS = [{"small": 1, "big": 2, "minutes": 30}, {"phase": "break", "minutes": 5}]
CASES: list[tuple[Callable[[Night], None], str, dict[str, Any]]] = [
    (_nothing, "clock.pause", {}),
    (_pause, "clock.resume", {}),
    (_nothing, "clock.add", {"ms": minutes(3)}),
    (_nothing, "clock.add", {"ms": minutes(-50)}),
    (_nothing, "clock.set", {"remaining_ms": 5}),
    (_nothing, "level.next", {}),
    (_nothing, "level.goto", {"level": 7}),
    (_nothing, "break.call", {"minutes": 5}),
    (_nothing, "break.call", {}),
    (_break, "break.end", {}),
    (_nothing, "structure.set", {"steps": STEPS}),
    (_nothing, "event.suspend", {}),
    (_nothing, "event.finish", {}),
    (_nothing, "announce", {"text": "Wrong words", "seconds": 1}),
    (_nothing, "table.open", {"table": 3}),
    (_nothing, "seat.put", {"player": "new", "table": 1, "seat": 9}),
    (_nothing, "seat.put", {"player": "new", "table": 3, "seat": 1}),
    (_nothing, "seat.move", {"player": "1-1", "table": 2, "seat": 9}),
    (_acting, "seat.move", {"player": "1-1", "table": 2, "seat": 9}),
    (_nothing, "seat.clear", {"player": "1-1"}),
    (_nothing, "player.bust", {"player": "1-1", "stack": 100}),
    (_nothing, "player.limit", {"player": "1-1", "seconds": 5}),
    (_nothing, "places.set", {"places": 1}),
    (_nothing, "table.pause", {"table": 1}),
    (_nothing, "floor.call", {"table": 1}),
    (_nothing, "hand.start", {"table": 1}),
    (_nothing, "dealer.push", {"table": 1}),
    (_hands, "hand.end", {"table": 1}),
    (_hands, "street.next", {"table": 1}),
    (_acting, "action.next", {"table": 1}),
    (_acting, "action.fold", {"table": 1}),
    (_acting, "action.stop", {"table": 1}),
    (_acting, "action.hold", {"table": 1}),
    (_held, "action.release", {"table": 1}),
    (_acting, "action.bank", {"table": 1, "seat": 1, "chips": 3}),
    (_nothing, "bank.grant", {"chips": 3, "mode": "add"}),
    (_nothing, "bank.grant", {"chips": 0, "mode": "set"}),
    (_nothing, "bank.grant", {"chips": 3, "mode": "add", "player": "1-1"}),
    (_nothing, "called.start", {"table": 1, "seat": 1}),
    (_called, "called.stop", {"table": 1}),
    (_hands, "h4h.announce", {}),
    (_holding, "h4h.next", {}),
    (_announced, "h4h.done", {"table": 1}),
    (_released, "h4h.done", {"table": 1}),
    (_released, "h4h.all_in", {"table": 1}),
    (_all_in, "h4h.runout", {"table": 1}),
    (_released, "h4h.end", {}),
]


def _named(value: object) -> str:
    """Name a case so that all processes of a run agree on it."""
    return getattr(value, "__name__", str(value))[:40]


@pytest.mark.parametrize(("prepare", "do", "args"), CASES, ids=_named)
def test_undo_and_redo(prepare: Callable[[Night], None], do: str, args: dict[str, Any]) -> None:
    """Undone, the night is as if it had never been commanded; redone, as if it was never undone."""
    without, done, night = (given(SHOT_CLOCK, {1: 3, 2: 3}) for _ in range(3))
    for one in (without, done, night):
        one.later(seconds(1))
        prepare(one)
        one.later(seconds(2))
    done.do(do, **args)
    night.do(do, **args)
    for one in (without, done, night):
        one.later(seconds(3))
    night.do("undo")
    assert screens(night) == screens(without)
    night.do("undo")
    assert screens(night) == screens(done)


def test_undo_of_an_introduced_shot_clock_takes_its_chips_away() -> None:
    """The clock that runs by it is gone as well."""
    night = given(TOUR, {1: 3})
    night.do("shotclock.introduce", seconds=15, chips=2)
    introduced = last(night)
    night.do("action.start", table=1, seat=1)
    night.do("undo", command=introduced)
    table = night.table(1)
    assert night.event()["action_clock"] is None
    assert (table["action"]["status"], table["seats"]["1"]["bank"]) == ("idle", 0)


def test_undo_of_a_grant_to_all_keeps_the_chips_that_were_spent() -> None:
    """Four less granted; the one that burned since is still burned."""
    night = given(SHOT_CLOCK, {1: 2, 2: 2})
    night.do("bank.grant", chips=4, mode="add")
    grant = last(night)
    night.do("action.start", table=1, seat=1)
    night.later(seconds(25))
    night.do("action.stop", table=1)
    night.do("undo", command=grant)
    assert night.table(1)["seats"]["1"]["bank"] == 3
    assert night.table(2)["seats"]["1"]["bank"] == 4
    assert night.table(1)["collect"] == [{"seat": 1, "chips": 1}]


def test_undo_of_a_bust_brings_the_player_back_to_the_seat() -> None:
    """With the chips, and without the place; what came later elsewhere stays."""
    night = given(SHOT_CLOCK, {1: 3, 2: 3})
    night.do("player.bust", player="1-1")
    bust = last(night)
    night.do("player.bust", player="2-1")
    night.do("undo", command=bust)
    event = night.event()
    assert event["field"]["left"] == 5
    assert [finish["player"] for finish in event["field"]["finishes"]] == ["2-1"]
    assert event["field"]["finishes"][0]["place"] == 6
    assert night.table(1)["seats"]["1"]["bank"] == 4


def test_undo_of_a_seat_lets_a_later_command_there_fail_quietly() -> None:
    """A player who never sat down was never busted."""
    night = given(SHOT_CLOCK, {1: 2})
    night.do("seat.put", player="new", table=1, seat=9)
    seated = last(night)
    night.do("player.bust", player="new")
    night.do("undo", command=seated)
    field = night.event()["field"]
    assert (field["entries"], field["left"], field["finishes"]) == (2, 2, [])


def test_undo_of_a_hand_is_reported_to_hand_for_hand() -> None:
    """The room does not wait for a table whose hand was never dealt."""
    night = given(SHOT_CLOCK, {1: 3, 2: 3})
    _hands(night)
    night.do("h4h.announce")
    night.do("undo", table=1)
    night.do("hand.end", table=2)
    assert night.event()["h4h"]["status"] == "holding"


def test_hand_for_hand_waits_for_a_hand_whose_end_was_undone() -> None:
    """Table 1 has not finished after all, and its end does not stand for that of table 2."""
    night = given(SHOT_CLOCK, {1: 3, 2: 3})
    _hands(night)
    night.do("hand.end", table=1)
    night.do("h4h.announce")
    night.do("undo", table=1)
    night.do("hand.end", table=1)
    h4h = night.event()["h4h"]
    assert (h4h["status"], h4h["tables"]) == ("announced", {"1": "done", "2": "playing"})


def test_hand_for_hand_whose_end_is_undone_knows_what_was_finished_since() -> None:
    """A hand that ended in between is done, and the room waits for the others only."""
    night = given(SHOT_CLOCK, {1: 3, 2: 3})
    _announced(night)
    night.do("h4h.end")
    ended = last(night)
    night.do("hand.end", table=2)
    night.do("undo", command=ended)
    night.do("hand.end", table=1)
    assert night.event()["h4h"]["status"] == "holding"


def test_undo_of_a_level_leaves_the_hand_that_was_dealt_at_it() -> None:
    """Its blinds are on the felt; the next hand is dealt at the level on the wall."""
    night = given(SHOT_CLOCK, {1: 3})
    night.do("level.next")
    level = last(night)
    night.do("hand.start", table=1)
    night.do("undo", command=level)
    table = night.table(1)
    assert night.clock()["level"] == 1
    assert (table["level"], table["next_hand"]["level"]) == (2, 1)


# ── how far back ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("back", range(1, DEPTH + 1, 7))
def test_any_of_the_last_50_commands_can_be_undone(back: int) -> None:
    """Whatever they were, and the others stand."""
    night = given(SHOT_CLOCK, {1: 2, 2: 2})
    for number in range(DEPTH):
        night.do("bank.grant", player="1-1", chips=number + 1, mode="add")
    night.do("undo", command=f"c{night.count + 1 - back}")
    assert night.table(1)["seats"]["1"]["bank"] == 4 + 50 * 51 // 2 - (51 - back)


def test_the_51st_command_back_is_too_long_ago() -> None:
    """Its own table has had fifty commands since."""
    night = given(SHOT_CLOCK, {1: 2})
    night.do("bank.grant", player="1-1", chips=1, mode="add")
    old = last(night)
    for _ in range(DEPTH):
        night.do("bank.grant", player="1-1", chips=1, mode="add")
    assert night.refused("undo", command=old) == "nothing_to_undo"


def test_the_51st_command_back_is_remembered_by_its_own_table() -> None:
    """Fifty commands at another table do not make this one forget."""
    night = given(SHOT_CLOCK, {1: 2, 2: 2})
    night.do("bank.grant", player="1-1", chips=1, mode="add")
    old = last(night)
    for _ in range(3 * DEPTH):
        night.do("bank.grant", player="2-1", chips=1, mode="add")
    night.do("undo", command=old)
    assert night.table(1)["seats"]["1"]["bank"] == 4
    assert night.table(2)["seats"]["1"]["bank"] == 4 + 3 * DEPTH


def test_the_undo_of_the_50th_command_back_can_be_undone() -> None:
    """An undo is the last command, so it can always be taken back at once."""
    night = given(SHOT_CLOCK, {1: 2})
    night.do("bank.grant", player="1-1", chips=1, mode="add")
    old = last(night)
    for _ in range(DEPTH - 1):
        night.do("bank.grant", player="1-1", chips=1, mode="add")
    before = screens(night)
    night.do("undo", command=old)
    night.do("undo")
    assert screens(night) == before


def test_what_time_did_does_not_count_among_the_50() -> None:
    """The chips of a stage are no command, and push none out."""
    night = given(staged(), {1: 2})
    night.do("bank.grant", player="1-1", chips=9, mode="add")
    old = last(night)
    night.later(minutes(21))
    for _ in range(DEPTH - 1):
        night.do("floor.call", table=1)
    night.do("undo", command=old)
    assert night.table(1)["seats"]["1"]["bank"] == 3


def test_a_directors_command_can_be_undone_after_hundreds_of_taps() -> None:
    """Dealers tap all the time; the director has ten minutes to see a mistake."""
    night = given(SHOT_CLOCK, {1: 3, 2: 3})
    night.do("clock.add", ms=minutes(5))
    added = last(night)
    for _ in range(50):
        for table in (1, 2):
            night.do("hand.start", table=table, button=3)
            night.do("action.start", table=table, seat=1)
            night.later(seconds(1))
            night.do("action.next", table=table)
            night.do("hand.end", table=table)
    night.do("undo", command=added)
    assert night.clock()["remaining_ms"] == minutes(20) - seconds(100)
    assert night.table(1)["hand"]["number"] == 50


def test_undo_survives_a_replay() -> None:
    """All of the night's events evolved from the beginning give the same state, undo included."""
    night = given(SHOT_CLOCK, {1: 3, 2: 3})
    night.do("action.start", table=1, seat=1)
    night.later(seconds(8))
    night.do("action.next", table=1)
    mistake = last(night)
    night.later(seconds(50))
    night.do("undo", command=mistake)
    night.later(seconds(1))
    night.do("clock.pause")
    night.do("undo")
    state = night.first
    for event in night.events:
        state = evolve(state, event)
    assert state == night.state
    night.state = state
    night.do("undo")
    assert night.clock()["status"] == "paused"


def test_an_undo_stays_undone_when_something_before_it_is_undone() -> None:
    """A call for the floor was taken back; undoing a later hand does not make it again."""
    night = given(staged(), {1: 1, 2: 1})
    night.do("floor.call", table=1)
    called = last(night)
    night.do("hand.start", table=4)
    dealt = last(night)
    night.do("undo", command=called)
    night.later(minutes(21))
    before = screens(night)
    night.do("undo", command=dealt)
    assert night.table(1)["floor"] is None
    night.do("undo")
    assert screens(night) == before


def test_a_command_that_is_named_must_be_of_the_table_that_is_named() -> None:
    """Table 1 asks to undo table 2's hand: nothing happens there."""
    night = given(SHOT_CLOCK, {1: 2, 2: 2})
    night.do("hand.start", table=1)
    night.do("hand.start", table=2)
    other = last(night)
    assert night.refused("undo", command=other, table=1) == "nothing_to_undo"
    night.do("undo", command=other, table=2)
    assert night.table(2)["hand"]["in_progress"] is False
