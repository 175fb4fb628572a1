"""What the random hands found, each as the shortest hand that shows it."""

from __future__ import annotations

from typing import Any

import pytest

from dealer_console.face import Look, face
from tests.night import Night, given

SATURDAY = "star-brisbane-saturday"


def dealt(players: int = 3) -> Night:
    """Give a hand with the button at seat 1."""
    night = given(SATURDAY, {1: players})
    night.do("hand.start", table=1, button=1)
    return night


def hand(night: Night, *keys: str) -> list[Any]:
    """Give some values of the hand."""
    found = night.table(1)["hand"]
    return [found[key] for key in keys]


@pytest.mark.parametrize("start", [True, False])
def test_nobody_is_asked_while_the_board_is_run_out(start: bool) -> None:
    """Seat 1 is all-in and seat 2, who has chips left, has called: no street asks seat 2."""
    night = dealt()
    night.do("action.all_in", table=1)
    night.do("action.next", table=1, acted=True)
    night.do("action.fold", table=1)
    assert hand(night, "to_act", "turn", "next") == [[], None, "run_out"]
    for street, comes in (("flop", "run_out"), ("turn", "run_out"), ("river", "showdown")):
        night.do("street.next", table=1, start=start)
        assert hand(night, "street", "to_act", "turn", "next") == [street, [], None, comes]
        assert night.table(1)["action"]["status"] == "idle"


def test_nobody_is_asked_after_a_bettor_is_called_for_less() -> None:
    """Seat 1 raises, seat 2 calls all-in for less, seat 3 folds: seat 1 cannot bet on the flop."""
    night = dealt()
    night.do("action.hold", table=1)
    night.do("action.all_in", table=1, raises=False)
    night.do("action.fold", table=1)
    night.do("street.next", table=1)
    assert hand(night, "to_act", "turn", "next") == [[], None, "run_out"]


def test_a_big_blind_whose_blind_is_all_in_can_be_told() -> None:
    """Nobody has raised: the one all-in that the dealer must not tell as a raise is offered."""
    night = dealt()
    night.do("action.next", table=1, acted=True)
    night.do("action.fold", table=1)
    assert hand(night, "to_act", "facing_bet") == [[3], False]
    seen = face(Look(1, night.table(1), night.event(), None, night.now))
    (button,) = [b for b in seen.buttons if b.id == "all_in_call"]
    assert button.command is not None
    night.do(button.command["do"], **button.command["args"])
    assert hand(night, "to_act", "all_in", "next") == [[], [3], "run_out"]


def test_START_after_a_round_begins_one_in_which_nobody_faces_a_bet() -> None:
    """The flop was dealt, or seat 3 raised: nobody tapped it, and doubt is not held against seat 1.

    Facing no bet it cannot be ruled dead for want of a tap; a re-sync says what it was.
    """
    night = dealt()
    for seat in (2, 3):
        night.do("action.start", table=1, seat=seat)
    night.do("action.stop", table=1)
    assert hand(night, "street", "next") == ["preflop", "flop"]
    night.do("action.start", table=1, seat=1)
    assert hand(night, "street", "facing_bet") == ["preflop", False]
    night.do("hand.sync", table=1, seat=1, street="preflop", bettor=3)
    assert hand(night, "street", "facing_bet", "to_act") == ["preflop", True, [1, 2]]
