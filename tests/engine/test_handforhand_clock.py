"""Hand-for-hand on the level clock: what a hand costs under each policy, to the millisecond.

The Star Brisbane runs to a cap of 3:00 in levels of 20 minutes with a break of 30 after level 6;
the APL deducts 2:00 in levels of 15 minutes with a break of 15 after level 4.
"""

from pathlib import Path

import pytest

from server.engine import board_document
from tests.night import Night, given, minutes, seconds

CAP, DEDUCT = "star-brisbane-friday", "apl"
SHORT_LEVELS = """
name = "Short"
house = "Test"

[registration]
closes_at_level = 2

[hand_for_hand]
policy = "deduct"
seconds = 180

[structure]
minutes = 1
steps = [
  { small = 1, big = 2 },
  { small = 2, big = 4 },
  { small = 3, big = 6 },
  { small = 4, big = 8 },
  { small = 5, big = 10 },
  { phase = "break", minutes = 5 },
  { small = 6, big = 12 },
  { phase = "break", minutes = 5 },
  { small = 7, big = 14 },
  { small = 8, big = 16 },
]
"""


def holding(
    preset: str, left: int | None = None, level: int = 1, policy: str | None = None
) -> Night:
    """Give a room of two tables that holds, with so much left of a level."""
    night = given(preset, {1: 4, 2: 4})
    if level > 1:
        night.do("level.goto", level=level)
    if left is not None:
        night.do("clock.set", remaining_ms=left)
    night.do("h4h.announce", policy=policy)
    assert night.event()["h4h"]["status"] == "holding"
    return night


def over(night: Night) -> Night:
    """Let both tables report the end of their hand."""
    night.do("h4h.done", table=1)
    night.do("h4h.done", table=2)
    return night


def clock(night: Night) -> tuple[str, str, int, int]:
    """Give the clock's status, phase, level and time left."""
    now = night.clock()
    return now["status"], now["phase"], now["level"], now["remaining_ms"]


# ── the announced hand ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("preset", [CAP, DEDUCT])
def test_the_clock_goes_on_during_the_announced_hand_and_then_holds(preset: str) -> None:
    """The announced hand costs what it takes, 1:30, and nothing is taken off for it."""
    night = given(preset, {1: 4, 2: 4})
    night.do("clock.set", remaining_ms=minutes(10))
    night.do("hand.start", table=1)
    night.do("hand.start", table=2)
    night.do("h4h.announce")
    night.later(minutes(1))
    assert clock(night) == ("running", "level", 1, minutes(9))
    night.do("hand.end", table=1)
    night.later(seconds(30))
    assert clock(night) == ("running", "level", 1, minutes(8.5))
    night.do("hand.end", table=2)
    night.later(minutes(4))
    assert clock(night) == ("paused", "level", 1, minutes(8.5))
    assert night.clock()["ends_at"] is None


def test_a_level_that_ends_in_the_announced_hand_goes_over_to_the_next() -> None:
    """With 0:30 left and a hand of 2:00, level 2 has been played for 1:30 when the room holds."""
    night = given(DEDUCT, {1: 4, 2: 4})
    night.do("clock.set", remaining_ms=seconds(30))
    night.do("hand.start", table=1)
    night.do("h4h.announce")
    night.later(minutes(2))
    night.do("hand.end", table=1)
    assert clock(night) == ("paused", "level", 2, minutes(13.5))


# ── run_to_cap ───────────────────────────────────────────────────────────────────────────────────


def test_run_to_cap_runs_during_the_hand_and_stands_at_the_cap() -> None:
    """A hand of ten minutes costs 3:00: the clock runs to 17:00 and stands there."""
    night = holding(CAP)
    night.do("h4h.next")
    assert clock(night) == ("running", "level", 1, minutes(20))
    assert night.clock()["ends_at"] == minutes(20)
    night.later(minutes(3) - 1)
    assert clock(night) == ("running", "level", 1, minutes(17) + 1)
    night.later(1)
    assert clock(night) == ("paused", "level", 1, minutes(17))
    assert night.clock()["ends_at"] is None
    night.later(minutes(7))
    assert clock(night) == ("paused", "level", 1, minutes(17))
    over(night)
    assert clock(night) == ("paused", "level", 1, minutes(17))


@pytest.mark.parametrize("ms", [0, 1, 40_123, 179_999, 180_000, 180_001])
def test_run_to_cap_a_hand_costs_exactly_three_minutes_however_short(ms: int) -> None:
    """The rest of the cap is taken off when the hand is over, and the hold costs nothing."""
    night = holding(CAP)
    night.do("h4h.next")
    night.later(ms)
    over(night)
    assert clock(night) == ("paused", "level", 1, minutes(17))
    night.later(minutes(6))
    assert clock(night) == ("paused", "level", 1, minutes(17))


def test_run_to_cap_the_rest_is_taken_off_when_the_last_table_is_done() -> None:
    """The first table's report takes nothing off."""
    night = holding(CAP)
    night.do("h4h.next")
    night.later(minutes(1))
    night.do("h4h.done", table=1)
    assert clock(night) == ("running", "level", 1, minutes(19))
    night.later(minutes(1))
    night.do("h4h.done", table=2)
    assert clock(night) == ("paused", "level", 1, minutes(17))


@pytest.mark.parametrize("ms", [minutes(0.5), minutes(1), minutes(2), minutes(3), minutes(8)])
def test_run_to_cap_a_level_that_ends_inside_the_hand(ms: int) -> None:
    """With 1:00 left every hand costs 1:00 of this level and 2:00 of the next."""
    night = holding(CAP, minutes(1))
    night.do("h4h.next")
    night.later(ms)
    over(night)
    assert clock(night) == ("paused", "level", 2, minutes(18))


def test_run_to_cap_the_level_changes_while_the_hand_is_played() -> None:
    """Blinds rise as the time passes: at 1:00 into the hand the wall shows level 2, 20:00."""
    night = holding(CAP, minutes(1))
    night.do("h4h.next")
    night.later(minutes(1))
    assert clock(night) == ("running", "level", 2, minutes(20))
    night.later(minutes(2))
    assert clock(night) == ("paused", "level", 2, minutes(18))


@pytest.mark.parametrize("ms", [0, minutes(3) - 1, minutes(3), minutes(3) + 1, minutes(8)])
def test_run_to_cap_the_cap_exactly_at_the_end_of_a_level(ms: int) -> None:
    """With 3:00 left every hand ends the level, and level 2 stands with all its time."""
    night = holding(CAP, minutes(3))
    night.do("h4h.next")
    night.later(ms)
    over(night)
    assert clock(night) == ("paused", "level", 2, minutes(20))


def test_run_to_cap_hand_after_hand() -> None:
    """Seven hands cost 21 minutes: level 1 and 1:00 of level 2."""
    night = holding(CAP)
    for hand in range(7):
        night.do("h4h.next")
        night.later(minutes(hand))
        over(night)
        night.later(seconds(33))
    assert clock(night) == ("paused", "level", 2, minutes(19))


# ── deduct ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("ms", [0, 1, minutes(2), minutes(11)])
def test_deduct_stands_during_the_hand_and_takes_two_minutes_after_it(ms: int) -> None:
    """However long the hand takes, 15:00 stand during it and 13:00 are left after it."""
    night = holding(DEDUCT)
    night.do("h4h.next")
    night.later(ms)
    assert clock(night) == ("paused", "level", 1, minutes(15))
    night.do("h4h.done", table=1)
    assert clock(night) == ("paused", "level", 1, minutes(15))
    night.do("h4h.done", table=2)
    assert clock(night) == ("paused", "level", 1, minutes(13))


@pytest.mark.parametrize(
    ("left", "level", "rest"),
    [
        (120_001, 1, 1),
        (120_000, 2, minutes(15)),
        (119_999, 2, minutes(15) - 1),
        (minutes(0.5), 2, minutes(13.5)),
    ],
)
def test_deduct_carries_into_the_next_level(left: int, level: int, rest: int) -> None:
    """What is taken off beyond the end of a level is taken off the next."""
    night = holding(DEDUCT, left)
    night.do("h4h.next")
    over(night)
    assert clock(night) == ("paused", "level", level, rest)


def test_deduct_carries_over_several_levels(tmp_path: Path) -> None:
    """3:00 in levels of 1:00, of which 0:30 is left: levels 2 and 3 go, and 0:30 of level 4."""
    preset = tmp_path / "short.toml"
    preset.write_text(SHORT_LEVELS, encoding="utf-8")
    night = holding(str(preset), seconds(30))
    night.do("h4h.next")
    over(night)
    assert clock(night) == ("paused", "level", 4, seconds(30))
    started = [event for event in night.names() if event == "level.started"]
    assert len(started) == 3  # each has its signal


def test_deduct_stops_at_the_end_of_the_last_level(tmp_path: Path) -> None:
    """There is nothing beyond the last level to take time from."""
    preset = tmp_path / "short.toml"
    preset.write_text(SHORT_LEVELS, encoding="utf-8")
    night = holding(str(preset), seconds(40), level=8)
    night.do("h4h.next")
    over(night)
    assert clock(night) == ("paused", "level", 8, 0)
    night.do("h4h.next")
    over(night)
    assert clock(night) == ("paused", "level", 8, 0)


# ── run_on ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("preset", [CAP, DEDUCT])
def test_run_on_simply_runs(preset: str) -> None:
    """The director names it: 4:00 of hand and 1:00 of hold cost 5:00."""
    night = holding(preset, minutes(10), policy="run_on")
    assert night.clock()["status"] == "running"
    night.do("h4h.next")
    night.later(minutes(4))
    over(night)
    assert clock(night) == ("running", "level", 1, minutes(6))
    night.later(minutes(1))
    assert clock(night) == ("running", "level", 1, minutes(5))


# ── a break that comes due ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("ms", [minutes(0.5), minutes(1), minutes(2), minutes(3), minutes(9)])
def test_run_to_cap_a_break_starts_when_the_hand_is_over(ms: int) -> None:
    """With 1:00 left before it: the break is whole, and 2:00 wait for the level after it."""
    night = holding(CAP, minutes(1), level=6)
    night.do("h4h.next")
    night.later(ms)
    assert night.clock()["phase"] == "level"
    over(night)
    assert clock(night) == ("running", "break", 6, minutes(30))
    night.later(minutes(30))
    assert clock(night) == ("paused", "level", 7, minutes(18))


def test_a_break_that_waits_shows_an_empty_clock() -> None:
    """Between the end of the level and the end of the hand the clock stands at zero."""
    night = holding(CAP, minutes(1), level=6)
    night.do("h4h.next")
    night.later(minutes(2))
    assert clock(night) == ("paused", "level", 6, 0)
    assert night.clock()["next"]["phase"] == "break"


def test_run_to_cap_a_hand_over_at_the_very_instant_the_break_is_due() -> None:
    """With 3:00 left a hand of exactly 3:00 ends the level, so the break starts there and then."""
    night = holding(CAP, minutes(3), level=6)
    night.do("h4h.next")
    night.later(minutes(3))
    over(night)
    assert clock(night) == ("running", "break", 6, minutes(30))


@pytest.mark.parametrize(
    ("left", "after"), [(minutes(1), minutes(14)), (minutes(2), minutes(15)), (1, 780_001)]
)
def test_deduct_a_break_is_not_eaten(left: int, after: int) -> None:
    """The break is whole; what the deduction could not find before it waits for level 5."""
    night = holding(DEDUCT, left, level=4)
    night.do("h4h.next")
    night.later(minutes(5))
    assert clock(night) == ("paused", "level", 4, left)
    over(night)
    assert clock(night) == ("running", "break", 4, minutes(15))
    assert night.refused("h4h.next") == "on_break"
    night.later(minutes(15))
    assert clock(night) == ("paused", "level", 5, after)


def test_deduct_over_two_breaks_eats_neither(tmp_path: Path) -> None:
    """3:00 with 1:00 left: break, level 6 gone whole, break, then the last minute off level 7."""
    preset = tmp_path / "short.toml"
    preset.write_text(SHORT_LEVELS, encoding="utf-8")
    night = holding(str(preset), minutes(1), level=5)
    night.do("h4h.next")
    over(night)
    assert clock(night) == ("running", "break", 5, minutes(5))
    night.later(minutes(5))
    assert clock(night) == ("running", "break", 6, minutes(5))
    night.later(minutes(5))
    assert clock(night) == ("paused", "level", 8, minutes(1))


def test_run_on_a_break_waits_for_the_hand_and_owes_nothing() -> None:
    """The break is due 1:00 into a hand of 3:00, starts at its end, and level 5 is whole."""
    night = holding(DEDUCT, minutes(1), level=4, policy="run_on")
    night.do("h4h.next")
    night.later(minutes(3))
    assert clock(night)[1:] == ("level", 4, 0)
    over(night)
    assert clock(night) == ("running", "break", 4, minutes(15))
    night.later(minutes(15))
    assert clock(night) == ("running", "level", 5, minutes(15))


def test_run_on_a_break_starts_on_time_between_hands() -> None:
    """While the room holds no hand is in the way."""
    night = holding(DEDUCT, minutes(1), level=4, policy="run_on")
    night.later(minutes(1))
    assert clock(night) == ("running", "break", 4, minutes(15))


def test_a_break_due_in_the_announced_hand_waits_for_it() -> None:
    """With 0:30 left and a hand of 2:00 the break starts at 2:00, and level 5 is whole."""
    night = given(DEDUCT, {1: 4, 2: 4})
    night.do("level.goto", level=4)
    night.do("clock.set", remaining_ms=seconds(30))
    night.do("hand.start", table=1)
    night.do("h4h.announce")
    night.later(minutes(2))
    assert clock(night) == ("paused", "level", 4, 0)
    night.do("hand.end", table=1)
    assert clock(night) == ("running", "break", 4, minutes(15))
    night.later(minutes(15))
    assert clock(night) == ("paused", "level", 5, minutes(15))


def test_an_announced_hand_over_at_the_very_instant_the_break_is_due() -> None:
    """The hand is in nobody's way any more, so the break starts there and then."""
    night = given(DEDUCT, {1: 4, 2: 4})
    night.do("level.goto", level=4)
    night.do("hand.start", table=1)
    night.do("h4h.announce")
    night.later(minutes(15))
    night.do("hand.end", table=1)
    assert clock(night) == ("running", "break", 4, minutes(15))


def test_the_end_of_hand_for_hand_lets_a_waiting_break_begin() -> None:
    """A break that waited for a hand is not forgotten when hand-for-hand ends in its middle."""
    night = holding(CAP, minutes(1), level=6)
    night.do("h4h.next")
    night.later(minutes(2))
    night.do("h4h.end")
    assert clock(night) == ("running", "break", 6, minutes(30))


# ── the room stands ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("stop", "go", "shown"),
    [
        ("clock.pause", "clock.resume", "paused"),
        ("event.suspend", "event.resume", "suspended"),
    ],
)
def test_run_to_cap_the_cap_waits_while_the_room_stands(stop: str, go: str, shown: str) -> None:
    """Stopped 1:00 into the hand for fourteen hours, the cap comes 2:00 after the room goes on."""
    night = holding(CAP)
    night.do("h4h.next")
    night.later(minutes(1))
    night.do(stop)
    night.later(minutes(14 * 60))
    assert clock(night) == (shown, "level", 1, minutes(19))
    night.do(go)
    assert clock(night) == ("running", "level", 1, minutes(19))
    night.later(minutes(2) - 1)
    assert night.clock()["status"] == "running"
    night.later(1)
    assert clock(night) == ("paused", "level", 1, minutes(17))
    over(night)
    assert clock(night) == ("paused", "level", 1, minutes(17))


@pytest.mark.parametrize("stop", ["clock.pause", "event.suspend"])
def test_deduct_a_hand_that_is_over_while_the_room_stands_is_charged(stop: str) -> None:
    """The hand in progress is finished during the pause and costs its 2:00 all the same."""
    night = holding(DEDUCT)
    night.do("h4h.next")
    night.do(stop)
    night.later(minutes(4))
    over(night)
    assert night.event()["h4h"]["status"] == "holding"
    assert night.clock()["remaining_ms"] == minutes(13)


# ── what the clock will read ─────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("preset", "left", "level", "after"),
    [
        (CAP, minutes(10), 1, ("level", 1, minutes(7))),
        (CAP, minutes(2), 1, ("level", 2, minutes(19))),
        (CAP, minutes(2), 6, ("break", 6, minutes(30))),
        (DEDUCT, minutes(10), 1, ("level", 1, minutes(8))),
    ],
)
def test_SB_19_the_cost_is_shown_before_the_hand_and_comes_true(
    preset: str, left: int, level: int, after: tuple[str, int, int]
) -> None:
    """While holding, and during the hand, the document foresees what the clock reads after it."""
    night = holding(preset, left, level)
    for step in (lambda: None, lambda: night.do("h4h.next"), lambda: night.later(seconds(50))):
        step()
        h4h = night.event()["h4h"]
        foreseen = h4h["after"]
        assert (foreseen["phase"], foreseen["level"], foreseen["remaining_ms"]) == after
        assert h4h["next_cost_ms"] == (minutes(3) if preset == CAP else minutes(2))
    over(night)
    assert tuple(night.shown("phase", "level", "remaining_ms")) == after


def test_nothing_is_foreseen_where_the_clock_is_let_be() -> None:
    """AT-3.11.3, a break, or no hand-for-hand at all: there is nothing to foresee."""
    night = given(CAP, {1: 4, 2: 4})
    assert night.event()["h4h"]["after"] is None
    assert holding(CAP, policy="run_on").event()["h4h"]["after"] is None
    night = holding(CAP, minutes(2), 6)
    night.do("h4h.next")
    over(night)
    assert night.clock()["phase"] == "break"
    assert night.event()["h4h"]["after"] is None


def test_the_board_says_since_when_a_table_stands_as_it_does() -> None:
    """From the release of the hand, then from the table's own report."""
    night = holding(CAP).later(seconds(5))
    night.do("h4h.next")
    night.later(seconds(20))
    night.do("h4h.done", table=1)
    rows = board_document(night.state, night.now)["tables"]
    assert (rows["1"]["h4h"], rows["1"]["h4h_since"]) == ("done", seconds(25))
    assert (rows["2"]["h4h"], rows["2"]["h4h_since"]) == ("playing", seconds(5))
    night.do("h4h.end")
    assert board_document(night.state, night.now)["tables"]["1"]["h4h_since"] is None


def test_the_board_names_who_is_on_the_clock_and_why_the_floor_was_called() -> None:
    """The director reads a name, the chips left and a reason without opening the table."""
    night = given("star-brisbane-saturday", {1: 3})
    night.do("hand.start", table=1)
    night.do("action.start", table=1, seat=2)
    night.do("action.bank", table=1, seat=2, chips=1)
    night.do("floor.call", table=1, reason="misdeal")
    row = board_document(night.state, night.now)["tables"]["1"]
    assert (row["action"]["name"], row["action"]["bank"]) == ("1-2", 3)
    assert (row["floor"], row["floor_reason"]) == (night.now, "misdeal")
    assert row["called"] is None
