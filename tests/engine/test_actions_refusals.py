"""The action clock: what is refused in which state, with which code, and without any effect.

`refused` compares every document before and after.
"""

from typing import Any

import pytest

from tests.night import Night, given, seconds

SATURDAY, FRIDAY = "star-brisbane-saturday", "star-brisbane-friday"


FIRST: tuple[str, dict[str, Any]] = ("action.next", {})  # the first to act before the flop, seat 4
STATES: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "idle": [],
    "no clock": [],
    "running": [FIRST],
    "folded": [FIRST, ("action.fold", {})],  # seat 4 is out, seat 1 on
    "held": [FIRST, ("action.hold", {})],
    "counting": [FIRST, ("action.hold", {"acted": False})],
    "expired": [FIRST],
    "limited": [FIRST],
    "river": [FIRST, *[("street.next", {})] * 3],
}


def table(state: str) -> Night:
    """Give table 1 with four players, button 1, in a state; seat 4 is the first to act."""
    night = given(FRIDAY if state == "no clock" else SATURDAY, {1: 4})
    if state == "finished":
        night.do("event.finish")
    if state not in STATES:
        return night
    night.do("bank.grant", chips=0 if state == "expired" else 2, mode="set")
    if state == "limited":
        night.do("player.limit", player="1-4", seconds=10)
    night.do("hand.start", table=1, button=1)
    for command, args in STATES[state]:
        night.do(command, table=1, **args)
    if state == "expired":
        night.later(seconds(21))
        assert night.table(1)["action"]["status"] == "expired"
    return night


SEAT_4, BANK = {"seat": 4}, {"seat": 4, "chips": 1}


@pytest.mark.parametrize(
    ("state", "command", "args", "code"),
    [
        # nobody's turn is known
        ("no hand", "action.next", {}, "not_running"),
        ("no hand", "action.fold", {}, "not_running"),
        ("no hand", "action.stop", {}, "not_running"),
        ("no hand", "action.hold", {}, "not_running"),
        ("no hand", "action.hold", {"acted": False}, "not_running"),
        ("no hand", "action.release", {}, "not_running"),
        ("no hand", "action.bank", BANK, "not_running"),
        ("no hand", "action.ruling", {"outcome": "dead"}, "not_allowed"),
        ("no hand", "street.next", {}, "not_running"),
        ("no hand", "hand.end", {}, "not_running"),
        # nobody's time runs
        ("idle", "action.stop", {}, "not_running"),
        ("idle", "action.hold", {"acted": False}, "not_running"),
        ("idle", "action.release", {}, "not_running"),
        ("idle", "action.bank", BANK, "not_running"),
        ("idle", "action.ruling", {"outcome": "void"}, "not_allowed"),
        ("idle", "action.start", {"seat": 8}, "no_player"),
        ("idle", "action.next", {"seat": 8}, "no_player"),
        ("idle", "collect.done", SEAT_4, "no_chips"),
        # seat 4's time runs
        ("running", "action.release", {}, "not_running"),
        ("running", "action.ruling", {"outcome": "check"}, "not_allowed"),
        ("running", "action.start", {"seat": 8}, "no_player"),
        ("running", "action.next", {"seat": 8}, "no_player"),
        ("running", "action.bank", {"seat": 8, "chips": 1}, "no_player"),
        ("running", "action.bank", {"seat": 1, "chips": 1}, "out_of_turn"),
        ("running", "action.bank", {"seat": 4, "chips": 3}, "no_chips"),
        ("running", "shotclock.introduce", {}, "not_allowed"),
        # seat 4 has folded
        ("folded", "action.start", SEAT_4, "out_of_turn"),
        ("folded", "action.next", SEAT_4, "out_of_turn"),
        ("folded", "action.bank", BANK, "out_of_turn"),
        # a bet is counted, seat 1 waits
        ("held", "action.hold", {"acted": False}, "not_allowed"),
        ("held", "action.bank", BANK, "out_of_turn"),
        ("held", "action.ruling", {"outcome": "dead"}, "not_allowed"),
        # something is counted for seat 4
        ("counting", "action.hold", {"acted": False}, "not_allowed"),
        ("counting", "action.bank", {"seat": 1, "chips": 1}, "out_of_turn"),
        # seat 4 is out of time, and has no chip
        ("expired", "action.hold", {}, "not_allowed"),
        ("expired", "action.hold", {"acted": False}, "not_allowed"),
        ("expired", "action.release", {}, "not_running"),
        ("expired", "action.bank", BANK, "no_chips"),
        ("expired", "action.start", SEAT_4, "out_of_turn"),
        # seat 4 is limited
        ("limited", "action.bank", BANK, "not_allowed"),
        # the last street
        ("river", "street.next", {}, "not_allowed"),
        # a house without an action clock
        ("no clock", "action.start", SEAT_4, "not_allowed"),
        ("no clock", "action.next", {}, "not_allowed"),
        ("no clock", "action.bank", BANK, "not_allowed"),
        ("no clock", "shotclock.introduce", {}, "not_allowed"),
        # the event is over
        ("finished", "action.start", SEAT_4, "not_running"),
        ("finished", "action.next", {}, "not_running"),
        ("finished", "action.bank", BANK, "not_running"),
        ("finished", "hand.start", {}, "not_running"),
    ],
)
def test_refused_and_nothing_changed(
    state: str, command: str, args: dict[str, Any], code: str
) -> None:
    """Each is refused with its code."""
    night = table(state)
    where = {} if command == "shotclock.introduce" else {"table": 1}
    assert night.refused(command, **where, **args) == code


@pytest.mark.parametrize(
    ("command", "args"),
    [
        ("action.start", SEAT_4),
        ("action.next", {}),
        ("action.fold", {}),
        ("action.stop", {}),
        ("action.hold", {}),
        ("action.release", {}),
        ("action.bank", BANK),
        ("action.ruling", {"outcome": "dead"}),
        ("collect.done", SEAT_4),
        ("street.next", {}),
        ("hand.end", {}),
        ("dealer.push", {}),
    ],
)
def test_refused_at_a_table_that_is_not_open(command: str, args: dict[str, Any]) -> None:
    """Nobody plays at table 9."""
    night = table("running")
    assert night.refused(command, table=9, **args) == "unknown_table"


@pytest.mark.parametrize(
    ("command", "args"),
    [
        ("player.limit", {"seconds": 10}),
        ("player.bust", {}),
        ("seat.move", {"table": 1, "seat": 9}),
        ("seat.clear", {}),
        ("bank.grant", {"chips": 1, "mode": "add"}),
    ],
)
def test_refused_for_a_player_whom_nobody_knows(command: str, args: dict[str, Any]) -> None:
    """A stranger has no seat, no chips and no limit."""
    night = table("running")
    assert night.refused(command, player="stranger", **args) == "no_player"


def test_refused_moves_leave_the_clock_alone() -> None:
    """The player on the clock cannot be moved to a taken seat, nor beyond the table's last one."""
    night = table("running")
    assert night.refused("seat.move", player="1-4", table=1, seat=2) == "seat_taken"
    assert night.refused("seat.move", player="1-4", table=1, seat=10) == "bad_value"
    assert night.table(1)["action"]["status"] == "running"


def test_chips_are_collected_once() -> None:
    """What has been collected is not owed again."""
    night = table("running")
    night.do("action.bank", table=1, seat=4, chips=1)
    assert night.refused("collect.done", table=1, seat=4) == "no_chips"
    night.do("action.stop", table=1)
    night.do("collect.done", table=1, seat=4)
    assert night.refused("collect.done", table=1, seat=4) == "no_chips"
