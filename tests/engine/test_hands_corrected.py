"""Hands that are put right: misdeals, the level, the button; what a push and a floor call do."""

from __future__ import annotations

import pytest

from tests.night import Night, given, minutes, rules_of, seconds

APL, SATURDAY = "apl", "star-brisbane-saturday"


def dealt(preset: str = APL, players: int = 4) -> Night:
    """Deal a hand with the button in seat 1."""
    night = given(preset, {1: players})
    night.do("hand.start", table=1, button=1)
    return night


# ── AP-35C: a misdeal ────────────────────────────────────────────────────────────────────────────


def test_AP_35C_a_misdeal_is_replayed_exactly() -> None:
    """Same button, same blinds, same level, same hand number, although the level has changed."""
    night = dealt()
    before = night.table(1)
    night.do("level.next")
    night.do("hand.misdeal", table=1)
    doc = night.table(1)
    assert (doc["hand"]["misdealt"], doc["hand"]["in_progress"]) == (True, False)
    assert doc["next_hand"] is None, "the next hand is at the level of this one"
    night.do("hand.start", table=1)
    doc = night.table(1)
    same = ("number", "button", "blinds", "to_act", "in_progress")
    assert [doc["hand"][key] for key in same] == [before["hand"][key] for key in same]
    assert (doc["level"], doc["hand"]["misdealt"]) == (1, False)
    night.do("hand.end", table=1)
    night.do("hand.start", table=1)
    assert (night.table(1)["hand"]["number"], night.table(1)["level"]) == (2, 2)
    assert night.table(1)["hand"]["button"] == 2


def test_AP_35C_a_misdeal_stops_the_clock_and_needs_a_hand() -> None:
    """Nobody's time runs on in a hand that does not count."""
    night = dealt(SATURDAY)
    night.do("action.next", table=1)
    night.do("hand.misdeal", table=1)
    assert night.table(1)["action"]["status"] == "idle"
    assert night.refused("hand.misdeal", table=1) == "not_running"


def test_AP_35C_a_misdeal_is_dealt_again_on_a_break() -> None:
    """It is no new hand, but one that is finished."""
    night = dealt()
    night.do("break.call")
    night.do("hand.misdeal", table=1)
    night.do("hand.start", table=1)
    assert night.table(1)["hand"]["number"] == 1


def test_AP_35C_in_hand_for_hand_a_misdeal_is_still_the_tables_hand() -> None:
    """The announced hand is not over at that table, and is dealt again."""
    night = given(APL, {1: 3, 2: 3})
    for table in (1, 2):
        night.do("hand.start", table=table)
    night.do("h4h.announce")
    night.do("hand.misdeal", table=1)
    assert night.event()["h4h"]["tables"] == {"1": "playing", "2": "playing"}
    night.do("hand.end", table=2)
    assert night.event()["h4h"]["status"] == "announced"
    night.do("hand.start", table=1)
    night.do("hand.end", table=1)
    assert night.event()["h4h"]["status"] == "holding"


def test_AP_35C_a_misdeal_can_be_undone() -> None:
    """The hand goes on as it was."""
    night = dealt()
    before = night.table(1)["hand"]
    night.do("hand.misdeal", table=1)
    night.do("undo")
    assert night.table(1)["hand"] == before


# ── AP-23m: the level of a hand ──────────────────────────────────────────────────────────────────


def test_AP_23m_the_dealer_says_at_which_level_a_hand_is_dealt() -> None:
    """Begun at the prior level by mistake: only this hand is changed."""
    night = dealt()
    night.do("level.next")
    night.do("hand.start", table=1)
    assert night.table(1)["level"] == 2
    night.do("hand.level", table=1, level=1)
    assert (night.table(1)["level"], night.event()["clock"]["level"]) == (1, 2)
    night.do("hand.start", table=1)
    assert night.table(1)["level"] == 2


def test_AP_23m_only_for_a_hand_and_a_level_that_exist() -> None:
    """Nothing is changed otherwise: the Star's structure has 26 levels."""
    night = dealt(SATURDAY)
    assert night.refused("hand.level", table=1, level=27) == "bad_value"
    night.do("hand.end", table=1)
    assert night.refused("hand.level", table=1, level=1) == "not_running"


# ── AP-23p: the push ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("preset", "level"),
    [
        ("apl", 1),
        ("apl-tour", 1),
        ("star-brisbane-friday", 2),
        ("star-brisbane-saturday", 2),
        ("home-poker-tourney", 2),
        ("888pl", 2),
        ("selkirk-main", 2),
        ("selkirk-consolation", 2),
    ],
)
def test_AP_23p_only_the_league_deals_one_more_hand_after_a_push(preset: str, level: int) -> None:
    """The level changes during the push; everywhere else the next deal is at the new one."""
    night = dealt(preset)
    night.do("hand.end", table=1)
    night.do("dealer.push", table=1)
    night.do("level.next")
    night.do("hand.start", table=1)
    assert night.table(1)["level"] == level


# ── BUTTON HERE ──────────────────────────────────────────────────────────────────────────────────


def test_DB_the_button_is_put_somewhere_between_hands() -> None:
    """The next hand begins with it there, be the seat empty; the one after moves on from there."""
    night = dealt("home-poker-tourney")
    night.do("hand.end", table=1)
    night.do("button.set", table=1, seat=9)
    assert night.table(1)["hand"]["button"] == 9
    assert not night.table(1)["hand"]["in_progress"], "no hand begins by itself"
    night.do("hand.start", table=1)
    assert night.table(1)["hand"]["button"] == 9
    assert night.table(1)["hand"]["blinds"] == {"small": 1, "big": 2}
    night.do("hand.start", table=1)
    assert night.table(1)["hand"]["button"] == 1


def test_DB_the_button_is_moved_before_anybody_has_acted() -> None:
    """The blinds and the first to act move with it; later it stays."""
    night = dealt()
    night.do("button.set", table=1, seat=2)
    hand = night.table(1)["hand"]
    assert (hand["button"], hand["blinds"], hand["turn"]) == (2, {"small": 3, "big": 4}, 1)
    night.do("action.fold", table=1)
    assert night.refused("button.set", table=1, seat=3) == "not_allowed"
    assert night.refused("button.set", table=1, seat=99) == "bad_value"


# ── AP-RP8b: up to three minutes ─────────────────────────────────────────────────────────────────


def test_AP_RP8b_the_director_may_choose_up_to_three_minutes_a_hand() -> None:
    """2:00 is the standard; 3:00 may be chosen for this hand-for-hand, and no more."""
    night = given(APL, {1: 3, 2: 3})
    assert night.refused("h4h.announce", seconds=181) == "bad_value"
    night.do("h4h.announce", seconds=180)
    before = night.event()["clock"]["remaining_ms"]
    night.do("h4h.next")
    for table in (1, 2):
        night.do("h4h.done", table=table)
    assert before - night.event()["clock"]["remaining_ms"] == minutes(3)


# ── a floor call for a ruling holds the clock ────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("reason", "holds"), [("Ruling", True), ("dispute", True), ("Seat open", False), (None, False)]
)
def test_a_floor_call_for_a_ruling_holds_the_clock(reason: str | None, holds: bool) -> None:
    """Nobody's time runs while they wait for a ruling; it goes on when the floor has been there."""
    night = dealt(SATURDAY)
    night.do("action.next", table=1)
    night.later(seconds(5))
    night.do("floor.call", table=1, reason=reason)
    night.later(seconds(10))
    action = night.table(1)["action"]
    assert action["status"] == ("paused" if holds else "running")
    assert action["remaining_ms"] == (15_000 if holds else 5_000)
    night.do("floor.clear", table=1)
    assert night.table(1)["action"]["status"] == "running"
    assert night.table(1)["paused"] is None


def test_a_table_that_the_floor_let_go_on_is_not_touched_when_the_call_is_cleared() -> None:
    """Resumed and paused again by hand: that pause is somebody else's."""
    night = dealt(SATURDAY)
    night.do("table.pause", table=1, reason="spill")
    night.do("floor.call", table=1, reason="Ruling")
    night.do("floor.clear", table=1)
    assert night.table(1)["paused"] == "spill"


def test_which_reasons_hold_is_the_houses() -> None:
    """A preset has its own list, which the consoles show."""
    night = Night(
        rules_of(
            """
            name = "x"
            house = "x"
            structure = { minutes = 20, steps = [{ small = 1, big = 2 }] }
            registration = { closes_at_level = 1 }
            floor = { reasons = [{ reason = "Chips" }, { reason = "Clock", holds = true }] }
            """
        )
    )
    night.do("clock.start")
    night.do("table.open", table=1)
    assert night.event()["floor_reasons"] == [
        {"reason": "Chips", "holds": False},
        {"reason": "Clock", "holds": True},
    ]
    night.do("floor.call", table=1, reason="Ruling")
    assert night.table(1)["paused"] is None
    night.do("floor.call", table=1, reason="clock")
    assert night.table(1)["paused"] == "clock"
