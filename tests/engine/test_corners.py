"""Corners that no house's rule leads to, and what a broken journal does."""

import pytest

from server.engine import BadInput, Refused, decide, due, events, evolve, parse
from server.engine.rules import ActionClock, CalledClock, Grant, PlacesBand
from server.engine.story import BrokenJournal
from server.engine.structure import step
from tests.night import given, minutes, rules_of

SATURDAY = "star-brisbane-saturday"


@pytest.mark.parametrize(
    "event",
    [
        events.ActionReleased(at=0, table=1, auto_forfeit=True),
        events.CalledCounting(at=0, table=1),
        events.ActionExpired(at=0, table=1, seat=1, outcome="dead"),
        events.ActionRuled(at=0, table=1, outcome="dead"),
        events.ChipForfeited(at=0, table=1, seat=1, ms=1),
        events.ChipsSpent(at=0, table=1, seat=1, chips=1, ms=1, auto_forfeit=True),
        events.BreakEnded(at=0),
        events.Undone(at=0, command=parse("undo"), target=9_999, written=frozenset()),
    ],
    ids=lambda event: event.name,
)
def test_an_event_that_cannot_have_happened_is_not_swallowed(event: events.Event) -> None:
    """A journal that does not fit together fails loudly instead of giving a wrong state."""
    night = given(SATURDAY, {1: 2})
    with pytest.raises(BrokenJournal):
        evolve(night.state, event)


def test_the_floor_is_called_and_has_been_there() -> None:
    """The table shows since when it waits and why, until the floor clears it."""
    night = given(SATURDAY, {1: 2}).later(5_000)
    night.do("floor.call", table=1, reason="dispute")
    assert night.table(1)["floor"] == {"since": 5_000, "reason": "dispute", "holds": True}
    night.do("floor.clear", table=1)
    assert night.table(1)["floor"] is None
    assert night.refused("floor.clear", table=1) == "not_allowed"


def test_time_taken_beyond_the_end_of_a_called_break_is_taken_off_the_level() -> None:
    """Ten minutes off a break with two to go: the level goes on with eight fewer."""
    night = given(SATURDAY).later(minutes(5))
    night.do("break.call", minutes=2)
    night.do("clock.add", ms=-minutes(10))
    assert (night.clock()["phase"], night.clock()["remaining_ms"]) == ("level", minutes(7))


def test_a_break_that_is_the_last_step_cannot_be_ended() -> None:
    """Nothing comes after it that could begin."""
    night = given(SATURDAY)
    steps = [{"small": 1, "big": 2, "minutes": 20}, {"phase": "break", "minutes": 5}]
    night.do("structure.set", steps=steps)
    night.do("level.next")
    assert night.refused("break.end") == "not_allowed"


def test_a_hard_stop_stands_in_a_break_too() -> None:
    """Play is over: the break does not count down to a level that nobody will play."""
    night = given("selkirk-main", {1: 2}).later(minutes(5 * 60 + 40))
    night.do("clock.set", remaining_ms=minutes(30))  # of the first break, never ended
    assert night.clock()["phase"] == "break"
    night.later(minutes(6))
    clock = night.clock()
    assert (clock["status"], clock["reason"]) == ("paused", "hard_stop")


def test_a_hard_stop_survives_a_suspension_of_the_same_evening() -> None:
    """Suspended for a fire alarm and back at once, the room still closes at 12:45."""
    night = given("selkirk-main", {1: 2}).later(minutes(30))
    night.do("event.suspend")
    night.later(minutes(5))
    night.do("event.resume")
    assert night.clock()["hard_stop_at"] == minutes(5 * 60 + 45)
    night.do("event.suspend", resumes_at=minutes(20 * 60))
    night.later(minutes(20 * 60))
    night.do("event.resume")
    assert night.clock()["hard_stop_at"] is None


def test_a_room_comes_back_later_than_now() -> None:
    """A day in the past is no day to come back."""
    night = given(SATURDAY).later(1_000)
    assert night.refused("event.suspend", resumes_at=1_000) == "bad_value"


def test_AP_29_a_millisecond_late_is_late() -> None:
    """At zero a tap counts; at the next instant the hand is dead and the tap is for the next."""
    night = given(SATURDAY, {1: 3})
    night.do("bank.grant", chips=0, mode="set")
    night.do("hand.start", table=1, button=1)
    night.do("action.start", table=1, seat=1)
    in_time = night.state
    night.later(20_000)
    night.do("action.next", table=1)
    assert night.table(1)["seats"]["1"]["in_hand"] is True
    night.state, night.now = in_time, 20_001
    night.do("action.next", table=1)
    assert night.table(1)["seats"]["1"]["in_hand"] is False


def test_a_push_goes_stale() -> None:
    """A push keeps the level before the one that started during it, not one of an hour ago."""
    night = given("apl", {1: 3}).later(minutes(14))
    night.do("dealer.push", table=1)
    night.later(minutes(2))
    assert night.table(1)["next_hand"]["level"] == 1
    night.later(minutes(15))
    assert night.table(1)["next_hand"]["level"] == 3


def test_a_push_before_a_break_does_not_outlive_it() -> None:
    """The first hand after the break is at the new level, and the console says so in the break."""
    night = given("apl", {1: 3})
    night.do("level.goto", level=4)
    night.later(minutes(14))
    night.do("dealer.push", table=1)
    night.later(minutes(2))
    assert night.clock()["phase"] == "break"
    assert night.table(1)["next_hand"]["level"] == 5
    night.later(minutes(15))
    night.do("hand.start", table=1)
    assert night.table(1)["level"] == 5


def test_who_enters_again_gives_the_place_back() -> None:
    """Two go in one hand; one comes back, and who went out later is a place lower for it."""
    night = given(SATURDAY, {1: 5, 2: 5})
    night.do("hand.start", table=1)
    night.do("hand.start", table=2)
    night.do("player.bust", player="1-1", stack=100)
    night.do("player.bust", player="1-2", stack=200)
    night.do("player.bust", player="2-1", stack=300)
    night.do("seat.put", player="1-1", table=1, seat=1)
    places = {f["player"]: f["place"] for f in night.event()["field"]["finishes"]}
    assert places == {"1-2": 10, "2-1": 9}
    assert night.event()["field"]["left"] == 8


def test_a_limit_given_in_the_middle_of_an_action_begins_with_the_next() -> None:
    """The chips of the running action still go by themselves."""
    night = given(SATURDAY, {1: 3})
    night.do("action.start", table=1, seat=1)
    night.do("player.limit", player="1-1", seconds=10)
    night.later(20_001)
    assert night.table(1)["action"]["status"] == "running"
    assert night.table(1)["seats"]["1"]["bank"] == 3


def test_a_bet_that_is_counted_when_nobody_goes_on_is_not_skipped() -> None:
    """Stopping the count leaves the turn with the player who faces the bet."""
    night = given(SATURDAY, {1: 3})
    night.do("hand.start", table=1, button=1)
    night.do("action.next", table=1)
    night.do("action.hold", table=1)
    waiting = night.table(1)["action"]["seat"]
    night.do("action.stop", table=1)
    assert night.table(1)["hand"]["turn"] == waiting


def test_too_much_has_happened_to_undo_a_pause() -> None:
    """A pause moved every table's clocks; sixty taps later nobody can say where they would be."""
    night = given(SATURDAY, {1: 3, 2: 3})
    night.do("clock.pause")
    paused = f"c{night.count}"
    night.later(1_000)
    night.do("clock.resume")
    for _ in range(60):
        night.do("action.start", table=1, seat=1)
    assert night.refused("undo", command=paused) == "nothing_to_undo"


@pytest.mark.parametrize("name", ["\u200b\u200b", "a\u202eb", "a\u2028b"])
def test_a_name_that_cannot_be_read_is_no_name(name: str) -> None:
    """Invisible, turned around or broken over lines, it would lie on a screen."""
    with pytest.raises(BadInput, match=r"args\.player"):
        parse("seat.put", {"player": name, "table": 1, "seat": 1})


def test_rules_that_contradict_themselves_are_told() -> None:
    """Each names the key that does not go with the others."""
    with pytest.raises(BadInput, match="countdown"):
        CalledClock(seconds=5, countdown=10)
    with pytest.raises(BadInput, match="places"):
        PlacesBand(entries=2, places=3)
    with pytest.raises(BadInput, match="level"):
        Grant(chips=1, stage="money", level=3)
    with pytest.raises(BadInput, match="introduce_level"):
        ActionClock(seconds=20, introduce="level")
    with pytest.raises(BadInput, match=r"steps\[0\].small"):
        step({"small": 2, "big": 1, "minutes": 5}, "steps[0]")


def test_grace_holds_while_other_tables_go_on() -> None:
    """A tap on its way to table 1 is not lost because table 2 calls the floor meanwhile."""
    night = given(SATURDAY, {1: 3, 2: 3})
    night.do("bank.grant", chips=0, mode="set")
    night.do("action.start", table=1, seat=1)
    elsewhere = decide(night.state, parse("floor.call", {"table": 2}), 20_100, 300)
    assert not isinstance(elsewhere, Refused)
    assert "action.expired" not in [event.name for event in elsewhere]
    late = decide(night.state, parse("action.next", {"table": 1}), 20_100, 300)
    assert not isinstance(late, Refused)
    assert "action.expired" in [event.name for event in late]
    assert due(night.state, 300) == 20_301


def test_chips_come_too_late_after_a_ruling() -> None:
    """Selkirk's players may still play chips at zero, but not once the floor has ruled."""
    night = given("selkirk-main", {1: 3})
    night.do("shotclock.introduce")
    night.do("action.start", table=1, seat=1)
    night.later(30_001)
    night.do("action.ruling", table=1, outcome="dead")
    assert night.refused("action.bank", table=1, seat=1, chips=1) == "not_allowed"


def test_time_taken_up_to_a_break_waits_for_the_hand_for_hand_hand() -> None:
    """The break starts when the hand is over, and what was taken beyond it waits still longer."""
    night = given(SATURDAY, {1: 3})
    night.do("level.goto", level=5)
    night.do("hand.start", table=1)
    night.do("h4h.announce")
    night.do("clock.add", ms=-minutes(22))
    assert night.shown("status", "phase", "reason") == ["paused", "level", "break_waits"]
    night.do("hand.end", table=1)
    assert night.shown("phase", "remaining_ms") == ["break", minutes(15)]
    night.later(minutes(15))
    assert night.shown("level", "remaining_ms") == [6, minutes(18)]


def test_hand_for_hand_takes_nothing_off_a_level_that_is_counted_in_hands() -> None:
    """There is no time to take it from, and the hand counts like any other."""
    night = given("apl", {1: 3})
    steps = [{"small": 1, "big": 2, "hands": 5}, {"small": 2, "big": 4, "minutes": 15}]
    night.do("structure.set", steps=steps)
    night.do("h4h.announce")
    night.do("h4h.next")
    night.do("hand.start", table=1)
    night.do("h4h.done", table=1)
    assert night.shown("level", "remaining_ms") == [1, None]
    assert night.event()["h4h"]["status"] == "holding"


@pytest.mark.parametrize(
    ("spoilt", "key"),
    [
        ('start = "19:00"\nhard_stop = { at = "19:00" }', r"hard_stop\.at"),
        ("seats = 6\nfirst_button = 7", "first_button"),
        ("places = [{ entries = 9, places = 2 }, { entries = 9, places = 3 }]", "places"),
        (
            'floor_timers = [{ name = "x", minutes = 1, edge = "start", level = 9 }]',
            r"floor_timers\[0\]\.level",
        ),
    ],
)
def test_a_house_that_contradicts_itself_is_told(spoilt: str, key: str) -> None:
    """What no single key can show is checked between them."""
    sound = 'name = "x"\nhouse = "y"\n{}\nregistration = { closes_at_level = 2 }\n[structure]\n'
    steps = "steps = [{ small = 1, big = 2, minutes = 5 }]"
    with pytest.raises(BadInput, match=key):
        rules_of(sound.replace("{}", spoilt) + steps)
