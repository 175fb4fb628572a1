"""The outlook: what was, is and will be played, and when, if all goes to plan."""

from __future__ import annotations

from typing import Any

from server.engine import structure_document, structure_view
from tests.night import Night, given, minutes, rules_of

SATURDAY = "star-brisbane-saturday"
COUNTED = """
name = "Counted"
house = "Test"
[registration]
closes_at_level = 2
[structure]
minutes = 10
steps = [
  { small = 1, big = 2 },
  { phase = "break" },
  { small = 2, big = 4, hands = 8 },
  { small = 3, big = 6 },
]
[structure.continuation]
small = 1
big = 2
minutes = 5
"""


def outlook(night: Night) -> dict[str, Any]:
    """Give the document as of now."""
    return structure_document(night.seen(), night.now)


def starts(night: Night) -> list[int | None]:
    """Give the estimates of all steps."""
    return [step["starts_at"] for step in outlook(night)["steps"]]


def test_every_step_has_its_tense_and_its_blinds() -> None:
    """What is past, now and ahead is told, with blinds for levels and none for breaks."""
    night = given(SATURDAY, {1: 2}).later(minutes(5 * 20 + 3))  # in the break after level 5
    found = outlook(night)
    assert found["step"] == 5
    assert [step["state"] for step in found["steps"][:8]] == ["past"] * 5 + ["now"] + ["ahead"] * 2
    assert found["steps"][4] == {
        "phase": "level",
        "level": 5,
        "small": 300,
        "big": 500,
        "ante": 500,
        "minutes": 20,
        "hands": None,
        "colour_up": [],
        "state": "past",
        "starts_at": None,
    }
    rest = found["steps"][5]
    assert (rest["phase"], rest["level"], rest["small"], rest["minutes"]) == ("break", 5, None, 15)
    assert found["editable_from"] == 5
    assert found["registration_closes_at_level"] == 11


def test_a_running_clock_has_exact_estimates_that_do_not_move() -> None:
    """While the clock runs the estimates are instants, and later they are the same instants."""
    night = given(SATURDAY, {1: 2}).later(minutes(7))
    before = outlook(night)
    assert not before["stands"]
    assert before["steps"][1]["starts_at"] == minutes(20)
    assert before["steps"][6]["starts_at"] == minutes(5 * 20 + 15)
    assert before["ends_at"] == minutes(26 * 20 + 15 + 15 + 30 + 15)
    night.later(minutes(6))
    assert starts(night) == [step["starts_at"] for step in before["steps"]]
    for step in range(1, 30):  # what was estimated is what happens
        night.now = before["steps"][step]["starts_at"]
        assert outlook(night)["step"] == step


def test_a_clock_that_stands_moves_its_estimates_along() -> None:
    """While paused the document says so, and counts from its own now."""
    night = given(SATURDAY, {1: 2}).later(minutes(7))
    night.do("clock.pause")
    night.later(minutes(60))
    found = outlook(night)
    assert found["stands"]
    assert found["steps"][1]["starts_at"] == night.now + minutes(13)


def test_before_the_start_the_first_step_is_ahead() -> None:
    """With a scheduled start everything counts from it, without one from now."""
    night = given(SATURDAY, {1: 2}, started=False)
    assert outlook(night)["stands"]
    assert outlook(night)["steps"][0]["state"] == "ahead"
    night.do("event.schedule", starts_at=minutes(30))
    found = outlook(night)
    assert not found["stands"]
    assert [step["starts_at"] for step in found["steps"][:2]] == [minutes(30), minutes(50)]


def test_SB_1d_a_suspended_event_counts_from_when_it_resumes() -> None:
    """Until another day: what is left of the level begins at the hour that was named."""
    night = given(SATURDAY, {1: 2}).later(minutes(7))
    night.do("event.suspend", resumes_at=minutes(24 * 60))
    found = outlook(night)
    assert not found["stands"]
    assert found["steps"][1]["starts_at"] == minutes(24 * 60 + 13)


def test_HP_K_a_called_break_puts_the_rest_off_and_locks_the_structure() -> None:
    """After a called break the level goes on; meanwhile nothing may be edited."""
    night = given(SATURDAY, {1: 2}).later(minutes(7))
    night.do("break.call", minutes=10)
    found = outlook(night)
    assert found["editable_from"] is None
    assert found["steps"][0]["state"] == "now"
    assert found["steps"][1]["starts_at"] == minutes(7 + 10 + 13)
    night.do("break.end")
    night.do("break.call")
    assert outlook(night)["steps"][1]["starts_at"] == minutes(7 + 10 + 13)  # ten are assumed


def test_SL_S_a_break_without_length_is_assumed_and_counted_hands_are_unknown() -> None:
    """An open break counts for ten minutes; after a level of hands nobody knows anything."""
    night = given(rules_of(COUNTED), {1: 2})
    assert starts(night) == [None, minutes(10), minutes(20), None]
    assert outlook(night)["ends_at"] is None
    night.later(minutes(12))
    assert starts(night) == [None, None, minutes(20), None]
    night.do("level.goto", level=3)
    assert outlook(night)["ends_at"] == night.now + minutes(10)


def test_SL_K_levels_beyond_the_written_ones_are_listed_as_they_come() -> None:
    """The continuation is told, and the level that is being played is always in the list."""
    night = given(rules_of(COUNTED), {1: 2})
    night.do("level.goto", level=6)
    found = outlook(night)
    assert found["continuation"] == {"small": 1, "big": 2, "ante": 0, "minutes": 5}
    assert len(found["steps"]) == 7
    assert (found["steps"][-1]["small"], found["steps"][-1]["state"]) == (6, "now")


def test_time_owed_is_taken_off_the_estimates() -> None:
    """What hand-for-hand took beyond a break shortens the level after it."""
    night = given(SATURDAY, {1: 2})
    night.do("level.goto", level=5)
    night.do("clock.add", ms=-minutes(22))
    found = outlook(night)
    assert found["steps"][5]["state"] == "now"
    assert found["steps"][7]["starts_at"] == minutes(15 + 18)


def test_a_finished_event_is_all_past() -> None:
    """Nothing is to come, and nothing can be edited."""
    night = given(SATURDAY, {1: 2})
    night.do("event.finish")
    found = outlook(night)
    assert {step["state"] for step in found["steps"]} == {"past"}
    assert (found["ends_at"], found["editable_from"], found["stands"]) == (None, None, False)


def test_the_view_tells_when_the_document_changes() -> None:
    """What a dealer does leaves the view alone; what moves the clock changes it."""
    night = given(SATURDAY, {1: 2})
    before = structure_view(night.state.room)
    night.do("hand.start", table=1)
    night.do("player.bust", player="1-2")
    assert structure_view(night.state.room) == before
    night.do("clock.add", ms=minutes(1))
    assert structure_view(night.state.room) != before
