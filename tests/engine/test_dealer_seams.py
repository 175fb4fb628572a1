"""What a dealer's console needs of the engine: undo in words, nudge, all-in, pace, simple mode."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from server.engine import board_document, watch_document
from server.engine.records import read_event, read_state, write_event, write_state
from tests.night import given, rules_of, seconds

if TYPE_CHECKING:
    from tests.night import Night

SATURDAY = "star-brisbane-saturday"
TIMED = """
name = "Timed"
house = "Club"
[registration]
closes_at_level = 3
[action]
seconds = 30
chips = 2
chip_seconds = 30
nudge_seconds = 10
[structure]
minutes = 20
steps = [{ small = 1, big = 2 }, { small = 2, big = 4 }]
"""


def dealt(players: int = 4, preset: str = SATURDAY) -> Night:
    """Deal a hand at table 1, by a dealer."""
    night = given(preset, {1: players})
    night.by = "dealer"
    night.do("hand.start", table=1)
    return night


# ── what an undo would take back ─────────────────────────────────────────────────────────────────


def test_a_table_says_what_the_dealers_undo_takes_back() -> None:
    """Each tap is named with its seat; an undo can be redone; nobody else's doing is offered."""
    night = dealt()
    assert night.table(1)["undo"] == {"do": "hand.start", "seat": None, "again": False}
    night.do("action.next", table=1)
    assert night.table(1)["undo"] == {"do": "action.start", "seat": 4, "again": False}
    night.do("action.bank", table=1, seat=4, chips=2)
    chips = {"do": "action.bank", "seat": 4, "chips": 2, "again": False}
    assert night.table(1)["undo"] == chips
    night.do("action.fold", table=1)
    assert night.table(1)["undo"] == {"do": "action.fold", "seat": 4, "again": False}
    night.do("undo", table=1)
    assert night.table(1)["undo"] == {"do": "action.fold", "seat": 4, "again": True}
    night.do("undo", table=1)
    assert night.table(1)["undo"] == {"do": "action.fold", "seat": 4, "again": False}
    night.by = "floor"
    night.do("player.limit", player="1-1", seconds=10)
    night.do("table.pause", table=1)
    assert night.table(1)["undo"]["do"] == "action.fold"


def test_nothing_to_undo_at_a_new_table() -> None:
    """A table at which no dealer has tapped offers nothing."""
    assert given(SATURDAY, {1: 3}).table(1)["undo"] is None


# ── the nudge ────────────────────────────────────────────────────────────────────────────────────


def test_the_nudge_counts_only_while_somebody_is_to_act_and_time_flows() -> None:
    """It counts from the deal, the street and the last action; it stands with the room."""
    night = given(rules_of(TIMED), {1: 4})
    assert night.table(1)["nudge_at"] is None
    night.do("hand.start", table=1)
    assert night.table(1)["nudge_at"] == seconds(10)
    night.later(seconds(4))
    night.do("clock.pause")
    assert night.table(1)["nudge_at"] is None
    night.later(seconds(60))
    night.do("clock.resume")
    assert night.table(1)["nudge_at"] == night.now + seconds(6)
    night.do("action.next", table=1)
    assert night.table(1)["nudge_at"] is None
    night.do("action.stop", table=1)
    assert night.table(1)["nudge_at"] == night.now + seconds(10)
    night.later(seconds(3))
    night.do("street.next", table=1)
    assert night.table(1)["nudge_at"] == night.now + seconds(10)
    night.do("hand.end", table=1)
    assert night.table(1)["nudge_at"] is None


def test_no_nudge_where_the_house_sets_none() -> None:
    """Without seconds in the preset nobody is reminded."""
    night = given(rules_of(TIMED.replace("nudge_seconds = 10\n", "")), {1: 4})
    night.do("hand.start", table=1)
    assert night.table(1)["nudge_at"] is None


# ── all-in ───────────────────────────────────────────────────────────────────────────────────────


def test_who_is_all_in_is_asked_no_more() -> None:
    """The bet is counted, the next one has full time, and the turn passes over who is all-in."""
    night = dealt()
    night.do("action.next", table=1)
    night.do("action.all_in", table=1)
    doc = night.table(1)
    assert (doc["action"]["status"], doc["action"]["seat"], doc["action"]["acted"]) == (
        "held",
        1,
        True,
    )
    assert doc["hand"]["all_in"] == [4]
    assert doc["seats"]["4"]["in_hand"]
    night.do("action.next", table=1)
    night.do("action.next", table=1)
    night.do("action.fold", table=1)  # seat 2; seat 3 is next and raises, so seat 1 is asked again
    night.do("action.hold", table=1)
    night.do("action.next", table=1)
    assert night.table(1)["action"]["seat"] == 1
    night.do("action.all_in", table=1)
    night.do("action.all_in", table=1)
    doc = night.table(1)
    assert (doc["action"]["status"], doc["hand"]["turn"]) == ("idle", None)
    assert doc["hand"]["all_in"] == [1, 3, 4]
    night.do("hand.end", table=1)
    assert night.table(1)["hand"]["all_in"] == []


def test_an_expired_action_is_not_all_in() -> None:
    """After zero nobody goes all-in, and a table where nobody is to act has nobody to."""
    night = dealt()
    night.do("bank.grant", chips=0, mode="set")
    night.do("action.next", table=1)
    night.later(seconds(21))
    assert night.refused("action.all_in", table=1) == "not_allowed"
    assert given(SATURDAY, {1: 3}).refused("action.all_in", table=1) == "not_running"


def test_all_in_without_an_action_clock_still_faces_the_others_with_a_bet() -> None:
    """Where no clock is in play the bet counts for a called one."""
    night = dealt(3, "star-brisbane-friday")
    night.do("street.next", table=1)
    assert night.do("action.all_in", table=1)[-1] == "bet.counted"
    assert night.table(1)["hand"]["facing_bet"]


def test_SB_30_nobodys_time_runs_while_the_cards_lie_face_down() -> None:
    """A report of an all-in in hand-for-hand stops what ran at the table."""
    night = dealt()
    night.do("h4h.announce")
    night.do("action.next", table=1)
    night.do("h4h.all_in", table=1)
    assert night.table(1)["action"]["status"] == "idle"
    night.later(seconds(300))
    assert night.table(1)["h4h"] == "all_in"


# ── pace, and how soon the floor came ────────────────────────────────────────────────────────────


def watched(night: Night) -> dict[str, object]:
    """Give what the floor sees of table 1."""
    doc = watch_document(night.seen(), 1, night.now)
    assert doc is not None
    return json.loads(json.dumps(doc))  # type: ignore[no-any-return]


def test_pace_is_collected_by_seat_and_table() -> None:
    """A decision takes from start to action, without what was held, paused or counted."""
    night = dealt()
    night.do("action.next", table=1)
    night.later(seconds(4))
    night.do("action.hold", table=1, acted=False)
    night.later(seconds(60))
    night.do("action.release", table=1)
    night.later(seconds(2))
    night.do("clock.pause")
    night.later(seconds(60))
    night.do("clock.resume")
    night.do("action.hold", table=1)  # seat 4 bets after 6 s
    night.later(seconds(30))
    night.do("action.next", table=1)
    night.later(seconds(2))
    night.do("action.fold", table=1)  # seat 1 after 2 s
    found = watched(night)
    seats = found["seats"]
    assert isinstance(seats, dict)
    assert (seats["4"]["decisions"], seats["4"]["pace_ms"]) == (1, 6_000)
    assert (seats["1"]["decisions"], seats["1"]["pace_ms"]) == (1, 2_000)
    assert (seats["2"]["decisions"], seats["2"]["pace_ms"]) == (0, None)
    assert (found["decisions"], found["pace_ms"]) == (2, 4_000)
    row = board_document(night.seen(), night.now)["tables"]["1"]
    assert (row["decisions"], row["pace_ms"]) == (2, 4_000)
    night.do("seat.move", player="1-4", table=2, seat=5)
    assert night.state.tables[2].seats[5].player.decisions == 1, "the pace is the player's"
    assert watch_document(night.seen(), 9, night.now) is None


def test_a_decision_that_ran_out_counts_with_all_its_time() -> None:
    """Chips and all: the time until zero was taken, and it counts once."""
    night = dealt()
    night.do("bank.grant", chips=1, mode="set")
    night.do("action.next", table=1)
    night.later(seconds(41))
    night.do("action.next", table=1)
    seats = watched(night)["seats"]
    assert isinstance(seats, dict)
    assert (seats["4"]["decisions"], seats["4"]["pace_ms"]) == (1, 40_000)


def test_the_time_until_the_floor_came_is_kept() -> None:
    """The latest answered calls are kept with their reasons; the board shows the last."""
    night = dealt()
    assert board_document(night.seen(), 0)["tables"]["1"]["floor_took_ms"] is None
    for number in range(7):
        night.do("floor.call", table=1, reason=f"call {number}")
        night.later(seconds(10 + number))
        night.do("floor.clear", table=1)
    visits = watched(night)["visits"]
    assert isinstance(visits, list)
    assert [visit["reason"] for visit in visits] == [f"call {number}" for number in range(2, 7)]
    assert visits[-1]["took"] == seconds(16)
    assert board_document(night.seen(), night.now)["tables"]["1"]["floor_took_ms"] == seconds(16)


# ── simple mode ──────────────────────────────────────────────────────────────────────────────────


def test_simple_mode_restarts_without_seats_and_chips_name_the_player() -> None:
    """START and RESTART give whoever is to act full time; a chip says who it is."""
    night = given(SATURDAY, {1: 4})
    night.do("action.start", table=1, seat=None)
    doc = night.table(1)["action"]
    assert (doc["status"], doc["seat"], doc["remaining_ms"]) == ("running", None, 20_000)
    assert board_document(night.seen(), 0)["tables"]["1"]["action"]["status"] == "running"
    night.later(seconds(8))
    night.do("action.start", table=1, seat=None)
    assert night.table(1)["action"]["remaining_ms"] == 20_000
    night.later(seconds(5))
    night.do("action.bank", table=1, seat=3, chips=1)
    doc = night.table(1)["action"]
    assert (doc["seat"], doc["remaining_ms"], doc["on_bank"]) == (3, 35_000, 1)
    night.later(seconds(36))
    assert night.table(1)["action"]["used"] == 2, "named, the next chip goes by itself (SB-47h)"
    night.do("action.start", table=1, seat=None)
    assert night.table(1)["collect"] == [{"seat": 3, "chips": 2}]


@pytest.mark.parametrize("how", ["bank", "dead", "void", "stop", "next", "fold", "hold"])
def test_SB_47j_unnamed_time_that_runs_out_is_the_dealers_to_judge(how: str) -> None:
    """The hub does not say dead or check of somebody it does not know; all ways go on from it."""
    night = given(SATURDAY, {1: 4})
    night.do("action.start", table=1, seat=None)
    night.later(seconds(20) + 1)
    doc = night.table(1)["action"]
    assert (doc["status"], doc["seat"], doc["outcome"]) == ("expired", None, "time")
    if how == "bank":
        night.do("action.bank", table=1, seat=2, chips=1)
        assert night.table(1)["action"]["remaining_ms"] == 20_000
    elif how in ("dead", "void"):
        night.do("action.ruling", table=1, outcome=how)
        doc = night.table(1)
        assert doc["action"]["outcome"] == (None if how == "void" else how)
        assert all(not seat["in_hand"] for seat in doc["seats"].values())
        assert doc["hand"]["turn"] is None
    elif how == "hold":
        night.do("action.start", table=1, seat=None)
        night.do("action.hold", table=1)
        assert night.table(1)["action"]["status"] == "idle"
    else:
        night.do(f"action.{how}", table=1)
        doc = night.table(1)
        assert (doc["action"]["status"], doc["hand"]["turn"]) == ("idle", None)


def test_simple_mode_needs_an_action_clock() -> None:
    """Where none is in play there is nothing to start."""
    assert (
        given("star-brisbane-friday", {1: 4}).refused("action.start", table=1, seat=None)
        == "not_allowed"
    )


# ── old journals ─────────────────────────────────────────────────────────────────────────────────


def test_events_and_states_from_before_are_read() -> None:
    """What was written without the new fields is read with what they mean by default."""
    old = {"event": "action.ended", "at": 5, "table": 1, "seat": 3, "folded": True, "turn": 4}
    assert write_event(read_event(old)) == {**old, "all_in": False, "round": None}
    night = dealt()
    night.do("action.next", table=1)
    record = json.loads(json.dumps(write_state(night.state)))
    table = record["tables"]["1"]
    for name in ("quiet", "decisions", "thought", "visits"):
        del table[name]
    del table["action"]["began"], table["action"]["before"]
    table["hand"] = {
        key: table["hand"][key]
        for key in ("number", "in_progress", "button", "street", "facing_bet")
    }
    for seat in table["seats"].values():
        del seat["all_in"], seat["player"]["decisions"], seat["player"]["thought"]
    night.state = read_state(record, night.state.rules)
    night.later(seconds(3))
    night.do("action.hold", table=1, acted=False)
    night.do("action.release", table=1)
    night.do("action.fold", table=1)
    assert watched(night)["decisions"] == 0, "how long it took is not known"
    night.later(seconds(2))
    night.do("action.next", table=1)
    assert watched(night)["decisions"] == 1
