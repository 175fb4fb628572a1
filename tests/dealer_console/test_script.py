"""The scripted hand by itself: it costs no more taps than it may, and tells what it should."""

from __future__ import annotations

from dealer_console.face import Look, face
from server.engine.records import write_event
from tests.dealer_console.script import HAND, NAMES, OVERHEAD, PRESET, TABLE, TOLD, told
from tests.night import given, seconds


def test_SB_47c_a_hand_costs_no_more_taps_than_actions_plus_three() -> None:
    """The big button, the others and one seat play nine-handed, and every tap shows what it did."""
    night = given(PRESET)
    for seat, name in enumerate(NAMES, start=1):
        night.do("seat.put", player=f"p{seat}", table=TABLE, seat=seat, name=name)
    night.by = "dealer"
    before = len(night.events)
    for step in HAND:
        night.later(seconds(2))
        shown = face(Look(TABLE, night.table(TABLE), night.event(), None, night.now))
        taps = {button.id: button.command for button in (shown.big, *shown.buttons)}
        taps["seat"] = None if step.on is None else shown.seats[step.on - 1].tap
        command = taps[step.tap]
        assert command is not None, step
        night.do(command["do"], **command["args"])
        shown = face(Look(TABLE, night.table(TABLE), night.event(), None, night.now))
        assert (shown.state, shown.seat) == (step.state, step.seat), step
    assert len(HAND) <= sum(step.actions for step in HAND) + OVERHEAD
    assert sum(step.actions for step in HAND) == 17
    assert told(write_event(event) for event in night.events[before:]) == TOLD
