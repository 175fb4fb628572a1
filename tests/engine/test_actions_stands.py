"""The action clock when something else happens: the table or the room stands, players leave."""

import pytest

from tests.night import Night, given, minutes, seconds

SATURDAY = "star-brisbane-saturday"


def two_tables() -> Night:
    """Give two tables of four where seat 4 has 12 of its 20 seconds left."""
    night = given(SATURDAY, {1: 4, 2: 4})
    for table in (1, 2):
        night.do("hand.start", table=table, button=1)
        night.do("action.next", table=table)
    night.later(seconds(8))
    return night


def acting(night: Night, table: int = 1) -> tuple[str, int | None, int | None]:
    """Give the status of a table's action clock, its seat and its time."""
    action = night.table(table)["action"]
    return action["status"], action["seat"], action["remaining_ms"]


# ── the table or the room stands ─────────────────────────────────────────────────────────────────


def test_table_pause_stands_one_tables_clock_only() -> None:
    """Table 1 waits for the floor; table 2 and the level clock go on."""
    night = two_tables()
    night.do("table.pause", table=1, reason="dispute")
    night.later(seconds(10))
    assert acting(night, 1) == ("paused", 4, 12_000)
    assert night.table(1)["action"]["ends_at"] is None
    assert night.table(1)["paused"] == "dispute"
    assert acting(night, 2) == ("running", 4, 2_000)
    assert night.table(2)["paused"] is None
    assert night.clock()["remaining_ms"] == minutes(20) - seconds(18)
    assert night.clock()["status"] == "running"


def test_table_resume_goes_on_from_where_it_stood() -> None:
    """However long the dispute, no chip is forfeited for it."""
    night = two_tables()
    night.do("table.pause", table=1)
    night.later(minutes(9))
    assert night.table(1)["seats"]["4"]["bank"] == 4
    night.do("table.resume", table=1)
    assert acting(night, 1) == ("running", 4, 12_000)
    night.later(seconds(12) - 1)
    assert night.table(1)["seats"]["4"]["bank"] == 4
    night.later(1)
    assert night.table(1)["seats"]["4"]["bank"] == 3


@pytest.mark.parametrize(
    ("stop", "go"), [("clock.pause", "clock.resume"), ("event.suspend", "event.resume")]
)
def test_the_room_stands_with_every_clock_in_it(stop: str, go: str) -> None:
    """Both tables and the level clock stand, and all of them go on where they stood."""
    night = two_tables()
    night.do(stop)
    night.later(minutes(600))
    assert acting(night, 1) == ("paused", 4, 12_000)
    assert acting(night, 2) == ("paused", 4, 12_000)
    assert night.clock()["remaining_ms"] == minutes(20) - seconds(8)
    night.do(go)
    night.later(seconds(3))
    assert acting(night, 1) == ("running", 4, 9_000)
    assert acting(night, 2) == ("running", 4, 9_000)
    assert night.clock()["remaining_ms"] == minutes(20) - seconds(11)


@pytest.mark.parametrize("first", ["table.resume", "clock.resume"])
def test_a_table_paused_in_a_paused_room_needs_both_to_go_on(first: str) -> None:
    """In whichever order they are lifted, the clock runs only when neither is left."""
    night = two_tables()
    night.do("table.pause", table=1)
    night.later(seconds(30))
    night.do("clock.pause")
    night.later(seconds(30))
    if first == "table.resume":
        night.do("table.resume", table=1)
        night.later(seconds(30))
        assert acting(night, 1) == ("paused", 4, 12_000)
        night.do("clock.resume")
    else:
        night.do("clock.resume")
        night.later(seconds(11))
        assert acting(night, 1) == ("paused", 4, 12_000)
        assert acting(night, 2)[0] == "running"
        night.do("table.resume", table=1)
    night.later(seconds(2))
    assert acting(night, 1) == ("running", 4, 10_000)


def test_a_held_clock_stays_held_through_a_pause() -> None:
    """The count is not over because the room goes on again."""
    night = two_tables()
    night.do("action.hold", table=1)
    night.do("clock.pause")
    night.do("clock.resume")
    night.later(seconds(50))
    assert acting(night, 1) == ("held", 1, 20_000)


def test_a_time_that_begins_while_the_table_stands_stands_too() -> None:
    """The dealer puts the clock on the right player before the table goes on."""
    night = two_tables()
    night.do("table.pause", table=1)
    night.do("action.next", table=1)
    night.later(seconds(40))
    assert acting(night, 1) == ("paused", 1, 20_000)
    night.do("table.resume", table=1)
    night.later(seconds(1))
    assert acting(night, 1) == ("running", 1, 19_000)


def test_a_break_does_not_stop_a_hand_in_progress() -> None:
    """Hands in progress are finished in the break, on the same clock."""
    night = two_tables()
    night.do("break.call", minutes=15)
    night.later(seconds(5))
    assert acting(night, 1) == ("running", 4, 7_000)


def test_a_new_level_does_not_touch_the_action_clock() -> None:
    """The wall goes over to level 2 in the middle of a decision."""
    night = two_tables()
    night.do("clock.set", remaining_ms=seconds(2))
    night.later(seconds(5))
    assert night.clock()["level"] == 2
    assert acting(night, 1) == ("running", 4, 7_000)


# ── players who leave the seat ───────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("how", ["move", "bust", "clear"])
def test_the_clock_does_not_run_on_an_empty_seat(how: str) -> None:
    """Seat 4 was on the clock: it stops, and the turn is the next live seat's."""
    night = two_tables()
    if how == "move":
        night.do("seat.move", player="1-4", table=2, seat=9)
    elif how == "bust":
        night.do("player.bust", player="1-4")
    else:
        night.do("seat.clear", player="1-4")
    assert acting(night, 1) == ("idle", None, None)
    assert "4" not in night.table(1)["seats"]
    night.do("action.next", table=1)
    assert acting(night, 1) == ("running", 1, 20_000)


@pytest.mark.parametrize("how", ["move", "bust", "clear"])
def test_another_player_who_leaves_does_not_touch_the_clock(how: str) -> None:
    """Seat 2 leaves while seat 4 thinks; later its turn is skipped."""
    night = two_tables()
    if how == "move":
        night.do("seat.move", player="1-2", table=2, seat=9)
    elif how == "bust":
        night.do("player.bust", player="1-2")
    else:
        night.do("seat.clear", table=1, seat=2)
    assert acting(night, 1) == ("running", 4, 12_000)
    night.do("action.next", table=1)
    night.do("action.next", table=1)
    assert acting(night, 1)[1] == 3


def test_who_waits_for_a_count_may_leave_too() -> None:
    """The held seat is moved: the count goes on, and the one after is to act."""
    night = two_tables()
    night.do("action.hold", table=1)
    night.do("seat.move", player="1-1", table=2, seat=9)
    night.do("action.next", table=1)
    assert acting(night, 1) == ("running", 2, 20_000)


def test_chips_travel_with_the_player() -> None:
    """Two of four spent at table 1: two are there at table 2, where the other two are owed."""
    night = two_tables()
    night.do("action.bank", table=1, seat=4, chips=2)
    night.do("seat.move", player="1-4", table=2, seat=7)
    assert night.table(2)["seats"]["7"]["player"] == "1-4"
    assert night.table(2)["seats"]["7"]["bank"] == 2
    assert night.table(1)["collect"] == []
    assert night.table(2)["collect"] == [{"seat": 7, "chips": 2}]


def test_a_limit_travels_with_the_player() -> None:
    """At most ten seconds at the new table, too."""
    night = two_tables()
    night.do("player.limit", player="1-2", seconds=10)
    night.do("seat.move", player="1-2", table=2, seat=7)
    night.do("hand.end", table=2)
    night.do("hand.start", table=2, button=1)
    night.do("action.start", table=2, seat=7)
    assert acting(night, 2) == ("running", 7, 10_000)


def test_chips_wait_for_a_player_without_a_seat() -> None:
    """Cleared and seated again, the player is no new entrant and has the chips of before."""
    night = two_tables()
    night.do("action.bank", table=1, seat=4, chips=3)
    night.do("seat.clear", player="1-4")
    night.do("seat.put", player="1-4", table=2, seat=8)
    assert night.table(2)["seats"]["8"]["bank"] == 1
    assert night.event()["field"]["entries"] == 8


def test_a_player_moved_into_a_hand_waits_for_the_next_one() -> None:
    """The hand in progress at the new table is not theirs."""
    night = two_tables()
    night.do("seat.move", player="1-2", table=2, seat=5)
    assert night.table(2)["seats"]["5"]["in_hand"] is False
    assert night.refused("action.start", table=2, seat=5) == "out_of_turn"
    night.do("action.next", table=2)
    assert acting(night, 2)[1] == 1  # not 5
    night.do("hand.end", table=2)
    night.do("hand.start", table=2, button=2)
    assert night.table(2)["seats"]["5"]["in_hand"] is True
    night.do("action.next", table=2)
    assert acting(night, 2)[1] == 5  # blinds 3 and 4


# ── refusals ─────────────────────────────────────────────────────────────────────────────────────


def test_a_table_is_paused_once_and_resumed_once() -> None:
    """Paused again it is refused, and so is a resume of what is not paused."""
    night = two_tables()
    assert night.refused("table.resume", table=1) == "not_running"
    night.do("table.pause", table=1)
    assert night.refused("table.pause", table=1) == "not_allowed"
    assert night.refused("hand.start", table=1) == "not_running"
    assert night.refused("table.pause", table=9) == "unknown_table"
    assert night.refused("table.resume", table=9) == "unknown_table"


def test_the_room_is_paused_once_and_resumed_once() -> None:
    """The same for the room."""
    night = two_tables()
    assert night.refused("clock.resume") == "not_running"
    night.do("clock.pause")
    assert night.refused("clock.pause") == "not_allowed"
    assert night.refused("hand.start", table=1) == "not_running"
