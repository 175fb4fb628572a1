"""Hand-for-hand in its other forms: round for round, and soft, where a table may lead by one."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.night import Night, given, minutes

ROOT = Path(__file__).parents[2]


def rounds(tables: dict[int, int]) -> Night:
    """Give a room in its first round."""
    night = given("apl", tables)
    night.do("h4h.announce", unit="round")
    night.do("h4h.next")
    return night


def soft(tables: dict[int, int]) -> Night:
    """Give a room in its first soft hand."""
    night = given("apl", tables)
    night.do("h4h.announce", soft=True)
    night.do("h4h.next")
    return night


def hand(night: Night, table: int, times: int = 1) -> None:
    """Play hands at a table."""
    for _ in range(times):
        night.do("hand.start", table=table)
        night.do("hand.end", table=table)


def rehearsed(script: list[dict[str, Any]], tmp_path: Path) -> list[dict[str, Any]]:
    """Run a script in a process of its own, which may not take longer than a night's rehearsal."""
    path = tmp_path / "night.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in script), encoding="utf-8")
    command = [sys.executable, "-m", "server.cli", "rehearse", "star-brisbane-friday", str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=120, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


# ── round for round ──────────────────────────────────────────────────────────────────────────────


def test_round_a_table_plays_an_orbit() -> None:
    """Four-handed it plays four hands without asking, and not a fifth."""
    night = rounds({1: 4, 2: 3})
    for played in range(4):
        assert night.event()["h4h"]["tables"]["1"] == "playing", played
        hand(night, 1)
    assert night.event()["h4h"]["tables"] == {"1": "done", "2": "playing"}
    assert night.refused("hand.start", table=1) == "not_allowed"


def test_round_the_room_holds_after_the_longest_orbit() -> None:
    """The round is over when every table has played its own orbit, and then it is released anew."""
    night = rounds({1: 4, 2: 3})
    hand(night, 2, 3)
    hand(night, 1, 3)
    assert night.event()["h4h"]["status"] == "playing"
    hand(night, 1)
    assert (night.event()["h4h"]["status"], night.event()["h4h"]["hand"]) == ("holding", 1)
    night.do("h4h.next")
    assert night.event()["h4h"]["hand"] == 2
    hand(night, 2, 3)
    assert night.event()["h4h"]["tables"] == {"1": "playing", "2": "done"}


def test_round_the_announced_hand_is_one_hand() -> None:
    """Finish this hand, then hold: what is announced is not yet a round."""
    night = given("apl", {1: 4, 2: 4})
    night.do("hand.start", table=1)
    night.do("h4h.announce", unit="round")
    night.do("hand.end", table=1)
    assert night.event()["h4h"]["status"] == "holding"


def test_round_costs_two_minutes_for_each_hand_of_the_longest_orbit() -> None:
    """Standard is 2:00 a hand, so an orbit of four hands takes 8:00 off, once it is over."""
    night = rounds({1: 4, 2: 3})
    hand(night, 2, 3)
    hand(night, 1, 3)
    assert night.clock()["remaining_ms"] == minutes(15)
    hand(night, 1)
    assert night.clock()["remaining_ms"] == minutes(7)


def test_round_an_all_in_in_the_middle_of_an_orbit_goes_on_after_its_board() -> None:
    """After the runout the table still owes the other hands of its orbit."""
    night = rounds({1: 3, 2: 2})
    night.do("hand.start", table=1)
    night.do("h4h.all_in", table=1)
    assert night.refused("h4h.runout", table=1) == "not_allowed"
    hand(night, 2, 2)
    night.do("h4h.runout", table=1)
    night.do("hand.end", table=1)
    assert night.event()["h4h"]["tables"] == {"1": "playing", "2": "done"}
    hand(night, 1, 2)
    assert night.event()["h4h"]["status"] == "holding"


# ── soft ─────────────────────────────────────────────────────────────────────────────────────────


def test_soft_a_table_may_lead_by_one_hand_never_by_two() -> None:
    """Table 1 plays the next hand while table 2 is in this one, and then it waits."""
    night = soft({1: 4, 2: 4})
    night.do("hand.start", table=2)
    hand(night, 1)
    hand(night, 1)
    assert night.refused("hand.start", table=1) == "not_allowed"
    assert night.event()["h4h"]["hand"] == 1


def test_soft_goes_on_by_itself() -> None:
    """When the slow table is done the next hand is in play at once, the lead counted in it."""
    night = soft({1: 4, 2: 4})
    night.do("hand.start", table=2)
    hand(night, 1, 2)
    night.do("hand.end", table=2)
    h4h = night.event()["h4h"]
    assert (h4h["status"], h4h["hand"]) == ("playing", 2)
    assert h4h["tables"] == {"1": "done", "2": "playing"}
    hand(night, 1)  # table 1 leads again, by one
    assert night.refused("hand.start", table=1) == "not_allowed"
    hand(night, 2)
    assert night.event()["h4h"]["hand"] == 3


def test_soft_a_lead_in_the_middle_of_its_hand_is_playing_when_the_others_catch_up() -> None:
    """Table 1 is halfway through hand 2 when table 2 ends hand 1: both are in hand 2 now."""
    night = soft({1: 4, 2: 4})
    hand(night, 1)
    night.do("hand.start", table=1)
    hand(night, 2)
    assert night.event()["h4h"]["hand"] == 2
    assert night.event()["h4h"]["tables"] == {"1": "playing", "2": "playing"}
    night.do("hand.end", table=1)
    assert night.event()["h4h"]["hand"] == 2
    hand(night, 2)
    assert night.event()["h4h"]["hand"] == 3


def test_soft_each_hand_costs_its_two_minutes_once() -> None:
    """The time is taken off when the slowest table is done, not when the lead is."""
    night = soft({1: 4, 2: 4})
    night.do("hand.start", table=2)
    hand(night, 1, 2)
    assert night.clock()["remaining_ms"] == minutes(15)
    night.do("hand.end", table=2)
    assert night.clock()["remaining_ms"] == minutes(13)
    hand(night, 2)
    assert night.clock()["remaining_ms"] == minutes(11)


def test_soft_a_table_that_is_broken_is_not_waited_for() -> None:
    """Table 2 is broken in the middle of hand 1; table 1 plays alone, hand after hand."""
    night = soft({1: 4, 2: 1})
    hand(night, 1)
    night.do("seat.move", player="2-1", table=1, seat=9)
    night.do("table.close", table=2)
    assert night.event()["h4h"]["tables"] == {"1": "playing"}
    number = night.event()["h4h"]["hand"]
    hand(night, 1)
    assert night.event()["h4h"]["hand"] == number + 1
    hand(night, 1)
    assert night.event()["h4h"]["hand"] == number + 2


def test_soft_a_leading_table_that_is_broken_is_not_waited_for() -> None:
    """Table 2 leads, then is broken; the next hand is table 1's alone."""
    night = soft({1: 4, 2: 1})
    night.do("hand.start", table=1)
    hand(night, 2, 2)
    night.do("seat.move", player="2-1", table=1, seat=9)
    night.do("table.close", table=2)
    night.do("hand.end", table=1)
    assert night.event()["h4h"]["hand"] == 2
    hand(night, 1)
    assert night.event()["h4h"]["hand"] == 3


def test_soft_a_break_comes_after_the_hand_and_hands_go_on_after_it() -> None:
    """With 1:00 left before the break a hand costs 1:00 here and 1:00 after it."""
    night = given("apl", {1: 4, 2: 4})
    night.do("level.goto", level=4)
    night.do("clock.set", remaining_ms=minutes(1))
    night.do("h4h.announce", soft=True)
    night.do("h4h.next")
    hand(night, 1)
    hand(night, 2)
    assert (night.clock()["phase"], night.clock()["remaining_ms"]) == ("break", minutes(15))
    assert night.refused("hand.start", table=1) == "on_break"
    night.later(minutes(15) + 1)
    assert (night.clock()["level"], night.clock()["remaining_ms"]) == (5, minutes(14))
    hand(night, 1)
    hand(night, 2)
    assert night.clock()["remaining_ms"] == minutes(12)


# ── a cap and a break, in a process that may be stopped ──────────────────────────────────────────

SEATS = [
    {"at": 0, "do": "seat.put", "args": {"player": f"{table}-{seat}", "table": table, "seat": seat}}
    for table in (1, 2)
    for seat in (1, 2, 3)
]
LEVEL_6 = [
    {"at": 0, "do": "clock.start"},
    {"at": 0, "do": "level.goto", "args": {"level": 6}},
    {"at": 0, "do": "clock.set", "args": {"remaining_ms": minutes(1)}},
]
BOTH_DONE = [{"at": 30_000, "do": "h4h.done", "args": {"table": table}} for table in (1, 2)]


def test_soft_a_break_between_hands_does_not_use_up_the_cap(tmp_path: Path) -> None:
    """Hand 1 takes 1:00 and 2:00 after the break of 30:00; hand 2 has its own 3:00 after it."""
    script = [
        *SEATS,
        *LEVEL_6,
        {"at": 0, "do": "h4h.announce", "args": {"soft": True}},
        {"at": 0, "do": "h4h.next"},
        *BOTH_DONE,
        {"at": minutes(30.5) + 1, "do": "hand.start", "args": {"table": 1}},
        {"at": minutes(32), "do": "hand.end", "args": {"table": 1}},
        {"at": minutes(32), "do": "h4h.done", "args": {"table": 2}},
        {"at": minutes(32), "show": ["event"]},
    ]
    (shown,) = rehearsed(script, tmp_path)
    clock = shown["doc"]["clock"]
    assert (clock["phase"], clock["level"], clock["remaining_ms"]) == ("level", 7, minutes(15))


def test_a_director_may_go_on_to_a_break_while_the_clock_stands_at_the_cap(tmp_path: Path) -> None:
    """With the hand past its 3:00, `level.next` into the break starts it and its clock runs."""
    script = [
        *SEATS,
        *LEVEL_6,
        {"at": 0, "do": "clock.set", "args": {"remaining_ms": minutes(10)}},
        {"at": 0, "do": "h4h.announce"},
        {"at": 0, "do": "h4h.next"},
        {"at": minutes(5), "do": "level.next"},
        {"at": minutes(6), "show": ["event"]},
    ]
    (shown,) = rehearsed(script, tmp_path)
    clock = shown["doc"]["clock"]
    assert (clock["phase"], clock["status"]) == ("break", "running")
    assert clock["remaining_ms"] == minutes(29)
