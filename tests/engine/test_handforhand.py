"""Hand-for-hand: its states, what each table reports, and what is refused.

What it costs on the clock, its round and soft forms, and the places have files of their own.
"""

import pytest

from tests.night import Night, given, minutes, seconds


def playing(tables: dict[int, int] | None = None) -> Night:
    """Give a room in its first hand-for-hand hand, a hand in progress at every table."""
    night = given("apl", tables or {1: 4, 2: 4})
    night.do("h4h.announce")
    night.do("h4h.next")
    for table in tables or {1: 4, 2: 4}:
        night.do("hand.start", table=table)
    return night


def status(night: Night) -> tuple[str, int, dict[str, str]]:
    """Give the status, the number of the hand, and what each table does."""
    h4h = night.event()["h4h"]
    return h4h["status"], h4h["hand"], h4h["tables"]


# ── announced ────────────────────────────────────────────────────────────────────────────────────


def test_off_says_nothing_of_tables() -> None:
    """Outside hand-for-hand there is no hand and no table to wait for."""
    night = given("apl", {1: 4, 2: 4})
    assert status(night) == ("off", 0, {})


def test_announced_tables_in_a_hand_are_playing_and_the_others_done() -> None:
    """Only who has a hand in progress has something to finish."""
    night = given("apl", {1: 4, 2: 4, 3: 4})
    night.do("hand.start", table=1)
    night.do("hand.start", table=3)
    night.do("hand.end", table=3)
    night.do("h4h.announce", reason="bubble")
    assert status(night) == ("announced", 0, {"1": "playing", "2": "done", "3": "done"})
    assert night.event()["h4h"]["reason"] == "bubble"


def test_announced_between_hands_the_room_holds_at_once() -> None:
    """With no hand in progress anywhere there is nothing to finish."""
    night = given("apl", {1: 4, 2: 4})
    night.do("h4h.announce")
    assert status(night) == ("holding", 0, {"1": "done", "2": "done"})


def test_announced_the_room_holds_when_the_last_table_is_done() -> None:
    """The announced hand is over when it is over everywhere, and not before."""
    night = given("apl", {1: 4, 2: 4})
    night.do("hand.start", table=1)
    night.do("hand.start", table=2)
    night.do("h4h.announce")
    night.do("hand.end", table=1)
    assert status(night) == ("announced", 0, {"1": "done", "2": "playing"})
    assert night.refused("hand.start", table=1) == "not_allowed"
    night.do("h4h.done", table=2)
    assert status(night) == ("holding", 0, {"1": "done", "2": "done"})


def test_announced_an_all_in_waits_too() -> None:
    """On the announced hand as well, a board is run when the other tables are done."""
    night = given("apl", {1: 4, 2: 4})
    night.do("hand.start", table=1)
    night.do("hand.start", table=2)
    night.do("h4h.announce")
    night.do("h4h.all_in", table=2)
    assert night.refused("h4h.runout", table=2) == "not_allowed"
    night.do("hand.end", table=1)
    assert night.event()["h4h"]["status"] == "announced"
    night.do("h4h.runout", table=2)
    night.do("h4h.done", table=2)
    assert night.event()["h4h"]["status"] == "holding"


# ── playing and holding ──────────────────────────────────────────────────────────────────────────


def test_next_releases_a_hand_to_every_table() -> None:
    """Every table plays, and the number of the hand goes up by one each time."""
    night = given("apl", {1: 4, 2: 4})
    night.do("h4h.announce")
    for hand in (1, 2, 3):
        night.do("h4h.next")
        assert status(night) == ("playing", hand, {"1": "playing", "2": "playing"})
        night.do("h4h.done", table=1)
        assert status(night) == ("playing", hand, {"1": "done", "2": "playing"})
        night.do("h4h.done", table=2)
        assert status(night) == ("holding", hand, {"1": "done", "2": "done"})


def test_one_hand_each_and_no_more() -> None:
    """A table that has played its hand waits for the slowest one."""
    night = playing()
    night.do("hand.end", table=1)
    assert night.refused("hand.start", table=1) == "not_allowed"
    night.do("hand.end", table=2)
    assert night.refused("hand.start", table=1) == "not_allowed"
    night.do("h4h.next")
    night.do("hand.start", table=1)
    assert night.table(1)["hand"]["number"] == 2


@pytest.mark.parametrize("table", [1, 2])
def test_hand_end_and_h4h_done_are_the_same_report(table: int) -> None:
    """Whether the dealer ends the hand or reports it done, the documents are the same."""
    one, other = playing(), playing()
    one.later(seconds(40))
    other.later(seconds(40))
    for number in (table, 3 - table):
        one.do("hand.end", table=number)
        other.do("h4h.done", table=number)
        assert one.event() == other.event()
        assert one.tables() == other.tables()
    assert one.event()["h4h"]["status"] == "holding"
    assert one.table(1)["hand"]["in_progress"] is False


def test_done_stops_the_tables_action_clock() -> None:
    """When the hand is done, nobody's time runs any more."""
    night = given("star-brisbane-saturday", {1: 4, 2: 4})
    night.do("h4h.announce")
    night.do("h4h.next")
    night.do("hand.start", table=1, button=1)
    night.do("action.next", table=1)
    night.do("h4h.done", table=1)
    assert night.table(1)["action"]["status"] == "idle"


def test_a_table_without_a_tracked_hand_reports_too() -> None:
    """A table whose dealer has no console is done when the floor says so."""
    night = given("apl", {1: 4, 2: 4})
    night.do("h4h.announce")
    night.do("h4h.next")
    night.do("h4h.done", table=1)
    night.do("h4h.all_in", table=2)
    night.do("h4h.runout", table=2)
    night.do("h4h.done", table=2)
    assert night.event()["h4h"]["status"] == "holding"


# ── all-ins ──────────────────────────────────────────────────────────────────────────────────────


def test_all_in_then_runout_then_done() -> None:
    """The all-in table is the last to finish, and the room holds only after it."""
    night = playing({1: 4, 2: 4, 3: 4})
    night.do("h4h.all_in", table=2)
    night.do("hand.end", table=1)
    assert night.refused("h4h.runout", table=2) == "not_allowed"
    night.do("hand.end", table=3)
    assert status(night) == ("playing", 1, {"1": "done", "2": "all_in", "3": "done"})
    night.do("h4h.runout", table=2)
    assert status(night)[2]["2"] == "runout"
    night.do("h4h.done", table=2)
    assert status(night) == ("holding", 1, {"1": "done", "2": "done", "3": "done"})


def test_two_all_ins_run_out_one_after_the_other() -> None:
    """Two all-ins do not wait for each other, in whichever order the director lets them run."""
    night = playing({1: 4, 2: 4, 3: 4})
    night.do("h4h.all_in", table=1)
    night.do("h4h.all_in", table=3)
    night.do("hand.end", table=2)
    night.do("h4h.runout", table=3)
    assert status(night)[2] == {"1": "all_in", "2": "done", "3": "runout"}
    night.do("hand.end", table=3)
    assert night.event()["h4h"]["status"] == "playing"
    night.do("h4h.runout", table=1)
    night.do("hand.end", table=1)
    assert night.event()["h4h"]["status"] == "holding"


def test_all_in_at_every_table() -> None:
    """Where every table is all in, nobody is left to wait for."""
    night = playing()
    night.do("h4h.all_in", table=1)
    night.do("h4h.all_in", table=2)
    night.do("h4h.runout", table=1)
    night.do("h4h.runout", table=2)
    night.do("h4h.done", table=2)
    night.do("h4h.done", table=1)
    assert night.event()["h4h"]["status"] == "holding"


# ── tables that come and go ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("state", ["announced", "playing", "holding"])
def test_a_table_opened_in_hand_for_hand_waits_for_the_next_hand(state: str) -> None:
    """It has nothing to finish, may not deal, and plays from the next released hand on."""
    night = given("apl", {1: 4, 2: 4})
    night.do("hand.start", table=1)
    night.do("h4h.announce")
    if state != "announced":
        night.do("hand.end", table=1)
    if state == "playing":
        night.do("h4h.next")
    night.do("table.open", table=3)
    night.do("seat.move", player="1-4", table=3, seat=1)
    assert night.event()["h4h"]["status"] == state
    assert status(night)[2]["3"] == "done"
    assert night.refused("hand.start", table=3) == "not_allowed"
    if state == "announced":
        night.do("hand.end", table=1)
    if state == "playing":
        night.do("h4h.done", table=1)
        night.do("h4h.done", table=2)
    assert night.event()["h4h"]["status"] == "holding"
    night.do("h4h.next")
    assert status(night)[2] == {"1": "playing", "2": "playing", "3": "playing"}
    night.do("hand.start", table=3)
    for table in (1, 2, 3):
        night.do("h4h.done", table=table)
    assert night.event()["h4h"]["status"] == "holding"


def test_a_table_closed_in_the_middle_of_a_hand_is_not_waited_for() -> None:
    """When the last table that plays is broken, the hand is over, and it is charged."""
    night = given("apl", {1: 4, 2: 1})
    night.do("h4h.announce")
    night.do("h4h.next")
    night.do("h4h.done", table=1)
    night.do("seat.move", player="2-1", table=1, seat=9)
    night.do("table.close", table=2)
    assert status(night) == ("holding", 1, {"1": "done"})
    assert night.clock()["remaining_ms"] == minutes(13)
    night.do("h4h.next")
    night.do("h4h.done", table=1)
    assert status(night) == ("holding", 2, {"1": "done"})


def test_a_table_closed_after_its_hand_leaves_the_others_playing() -> None:
    """Breaking a table that is done does not end the hand of the others."""
    night = given("apl", {1: 4, 2: 1, 3: 4})
    night.do("h4h.announce")
    night.do("h4h.next")
    night.do("h4h.done", table=2)
    night.do("seat.move", player="2-1", table=1, seat=9)
    night.do("table.close", table=2)
    assert status(night) == ("playing", 1, {"1": "playing", "3": "playing"})
    night.do("h4h.done", table=1)
    assert night.event()["h4h"]["status"] == "playing"
    night.do("h4h.done", table=3)
    assert night.event()["h4h"]["status"] == "holding"


# ── the end ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("state", ["announced", "playing", "all_in", "runout", "holding"])
def test_end_goes_back_to_ordinary_play_from_any_state(state: str) -> None:
    """The clock runs from where it stood, hands go on and begin as ever."""
    night = given("apl", {1: 4, 2: 4})
    night.do("hand.start", table=1)
    night.do("h4h.announce")
    if state != "announced":
        night.do("hand.end", table=1)
    if state in ("playing", "all_in", "runout"):
        night.do("h4h.next")
        night.do("hand.start", table=1)
    if state in ("all_in", "runout"):
        night.do("h4h.all_in", table=1)
    if state == "runout":
        night.do("h4h.done", table=2)
        night.do("h4h.runout", table=1)
    night.do("h4h.end")
    assert status(night) == ("off", 0, {})
    assert night.clock()["status"] == "running"
    left = night.clock()["remaining_ms"]
    night.later(minutes(1))
    assert night.clock()["remaining_ms"] == left - minutes(1)
    if state != "holding":
        night.do("hand.end", table=1)
    night.do("hand.start", table=1)
    night.do("hand.start", table=2)
    assert night.refused("h4h.end") == "not_running"


def test_a_second_bubble_begins_anew() -> None:
    """After an end, the next announcement counts from the start and knows no old report."""
    night = playing()
    night.do("h4h.all_in", table=1)
    night.do("h4h.end")
    night.do("h4h.announce")
    assert status(night) == ("announced", 0, {"1": "playing", "2": "playing"})
    night.do("hand.end", table=1)
    night.do("hand.end", table=2)
    night.do("h4h.next")
    assert status(night) == ("playing", 1, {"1": "playing", "2": "playing"})


# ── what is refused ──────────────────────────────────────────────────────────────────────────────


def room(state: str) -> Night:
    """Give a room of two tables in a state; table 1 is the one that did something."""
    if state in ("waiting", "finished"):
        night = given("apl", {1: 4, 2: 4}, started=state == "finished")
        if state == "finished":
            night.do("event.finish")
        return night
    night = given("apl", {1: 4, 2: 4})
    if state == "off":
        return night
    if state == "announced":
        night.do("hand.start", table=2)
    night.do("h4h.announce")
    if state in ("announced", "holding"):
        return night
    night.do("h4h.next")
    night.do("hand.start", table=1)
    if state == "done":
        night.do("hand.end", table=1)
    if state in ("all_in", "runout"):
        night.do("h4h.all_in", table=1)
        night.do("h4h.done", table=2)
    if state == "runout":
        night.do("h4h.runout", table=1)
    if state == "all_in":
        assert night.event()["h4h"]["tables"] == {"1": "all_in", "2": "done"}
    return night


@pytest.mark.parametrize(
    ("state", "command", "code"),
    [
        ("waiting", "h4h.announce", "not_running"),
        ("finished", "h4h.announce", "not_running"),
        ("off", "h4h.next", "not_running"),
        ("off", "h4h.end", "not_running"),
        ("off", "h4h.done 1", "not_running"),
        ("off", "h4h.all_in 1", "not_running"),
        ("off", "h4h.runout 1", "not_running"),
        ("off", "h4h.done 9", "unknown_table"),
        ("announced", "h4h.announce", "not_allowed"),
        ("announced", "h4h.next", "not_allowed"),
        ("announced", "h4h.done 1", "not_allowed"),
        ("announced", "h4h.all_in 1", "not_allowed"),
        ("announced", "h4h.runout 1", "not_allowed"),
        ("announced", "h4h.runout 2", "not_allowed"),
        ("announced", "hand.start 1", "not_allowed"),
        ("announced", "hand.start 2", "not_allowed"),
        ("playing", "h4h.announce", "not_allowed"),
        ("playing", "h4h.next", "not_allowed"),
        ("playing", "h4h.runout 1", "not_allowed"),
        ("playing", "hand.start 1", "not_allowed"),
        ("playing", "break.call", "not_allowed"),
        ("playing", "h4h.done 9", "unknown_table"),
        ("playing", "h4h.all_in 9", "unknown_table"),
        ("playing", "h4h.runout 9", "unknown_table"),
        ("done", "h4h.done 1", "not_allowed"),
        ("done", "h4h.all_in 1", "not_allowed"),
        ("done", "h4h.runout 1", "not_allowed"),
        ("done", "hand.end 1", "not_running"),
        ("done", "hand.start 1", "not_allowed"),
        ("all_in", "h4h.all_in 1", "not_allowed"),
        ("all_in", "h4h.done 1", "not_allowed"),
        ("all_in", "hand.end 1", "not_allowed"),
        ("all_in", "hand.start 1", "not_allowed"),
        ("all_in", "h4h.next", "not_allowed"),
        ("runout", "h4h.all_in 1", "not_allowed"),
        ("runout", "h4h.runout 1", "not_allowed"),
        ("runout", "hand.start 1", "not_allowed"),
        ("runout", "h4h.next", "not_allowed"),
        ("holding", "h4h.announce", "not_allowed"),
        ("holding", "h4h.done 1", "not_allowed"),
        ("holding", "h4h.all_in 1", "not_allowed"),
        ("holding", "h4h.runout 1", "not_allowed"),
        ("holding", "hand.start 1", "not_allowed"),
    ],
)
def test_illegal_transitions_are_refused_and_change_nothing(
    state: str, command: str, code: str
) -> None:
    """Each is refused with its code; `refused` itself checks that every document is the same."""
    night = room(state)
    do, _, table = command.partition(" ")
    args = {"table": int(table)} if table else {}
    assert night.refused(do, **args) == code


@pytest.mark.parametrize(
    ("stop", "go"), [("clock.pause", "clock.resume"), ("event.suspend", "event.resume")]
)
def test_no_hand_is_released_while_everything_stands(stop: str, go: str) -> None:
    """Paused or suspended, the next hand waits; afterwards it is released as ever."""
    night = room("holding")
    night.do(stop)
    assert night.refused("h4h.next") == "not_running"
    night.do(go)
    night.do("h4h.next")
    assert night.event()["h4h"]["status"] == "playing"


def test_no_hand_is_released_to_an_empty_room() -> None:
    """Without a table there is nobody to play the hand."""
    night = given("apl")
    night.do("h4h.announce")
    assert night.refused("h4h.next") == "not_allowed"


@pytest.mark.parametrize("command", ["h4h.done 1", "h4h.all_in 1", "h4h.next", "h4h.end"])
def test_an_event_that_is_over_takes_no_more_reports(command: str) -> None:
    """Finished in the middle of a hand, the room and its clock stay as they are."""
    night = room("playing")
    night.do("event.finish")
    do, _, table = command.partition(" ")
    args = {"table": int(table)} if table else {}
    assert night.refused(do, **args) == "not_running"
