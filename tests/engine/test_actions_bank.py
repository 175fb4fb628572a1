"""Time-bank chips, and everything that changes how long a player has.

Chips pushed forward and forfeited, collected, granted, carried along; when the action clock comes
into play; base times by street; limits of single players.
"""

from pathlib import Path
from typing import Any

import pytest

from tests.night import Night, given, minutes, seconds

SATURDAY, SELKIRK = "star-brisbane-saturday", "selkirk-main"
HOUSE = """
name = "Test"
house = "Test"
stack = 1_000

[registration]
closes_at_level = 4

[structure]
minutes = 10
steps = [
  {{ small = 1, big = 2 }},
  {{ small = 2, big = 4 }},
  {{ small = 3, big = 6 }},
  {{ small = 4, big = 8 }},
]

[action]
seconds = 15
chips = 2
chip_seconds = 10
{rules}
"""


def house(tmp_path: Path, rules: str) -> str:
    """Write a house with an action clock of 15 s and two chips of 10 s, and some rules more."""
    path = tmp_path / "house.toml"
    path.write_text(HOUSE.format(rules=rules), encoding="utf-8")
    return str(path)


def running(preset: str = SATURDAY, seat: int = 4) -> Night:
    """Give a table of four, button 1, where a player's time runs."""
    night = given(preset, {1: 4})
    night.do("hand.start", table=1, button=1)
    night.do("action.start", table=1, seat=seat)
    return night


def action(night: Night, *keys: str) -> list[Any]:
    """Give some values of the action clock."""
    return [night.table(1)["action"][key] for key in keys]


def banks(night: Night, table: int = 1) -> list[int]:
    """Give everybody's chips at a table."""
    return [seat["bank"] for seat in night.table(table)["seats"].values()]


# ── chips pushed forward and forfeited ───────────────────────────────────────────────────────────


def test_chips_pushed_forward_are_all_spent_and_all_count() -> None:
    """Three of four chips add 60 s at once, and one is left, whatever happens next."""
    night = running()
    night.later(seconds(5))
    night.do("action.bank", table=1, seat=4, chips=3)
    assert action(night, "remaining_ms", "on_bank", "used") == [75_000, 3, 3]
    assert night.table(1)["seats"]["4"]["bank"] == 1
    night.do("action.next", table=1)
    assert night.table(1)["seats"]["4"]["bank"] == 1
    assert night.table(1)["collect"] == [{"seat": 4, "chips": 3}]


def test_at_zero_one_chip_after_the_other_is_forfeited_without_drift() -> None:
    """20 s and four chips of 20 s are exactly 100 s, looked at or not."""
    night = running()
    night.later(seconds(20) - 1)
    assert action(night, "remaining_ms", "used") == [1, 0]
    night.later(1)
    assert action(night, "remaining_ms", "on_bank", "used") == [20_000, 1, 1]
    night.later(seconds(61.7))
    assert action(night, "remaining_ms", "on_bank", "used") == [18_300, 1, 4]
    assert night.table(1)["seats"]["4"]["bank"] == 0
    night.later(seconds(18.3))
    assert action(night, "status", "remaining_ms") == ["running", 0]
    night.later(1)
    assert action(night, "status", "outcome", "used") == ["expired", "dead", 4]
    assert night.table(1)["collect"] == [{"seat": 4, "chips": 4}]
    forfeited = [event.at for event in night.events if event.name == "chip.forfeited"]
    assert forfeited == [seconds(20), seconds(40), seconds(60), seconds(80)]


@pytest.mark.parametrize(("ms", "left"), [(19_999, 4), (20_000, 4), (20_001, 3)])
def test_who_acts_at_zero_keeps_the_chip(ms: int, left: int) -> None:
    """At exactly zero the action comes before the forfeit, a millisecond later it does not."""
    night = running()
    night.later(ms)
    night.do("action.next", table=1)
    assert night.table(1)["seats"]["4"]["bank"] == left


def test_a_chip_pushed_at_zero_is_not_forfeited_as_well() -> None:
    """The player's own chip takes the place of the automatic one."""
    night = running()
    night.later(seconds(20))
    night.do("action.bank", table=1, seat=4, chips=1)
    assert action(night, "remaining_ms", "used") == [20_000, 1]
    assert night.table(1)["seats"]["4"]["bank"] == 3


def test_chips_pushed_forward_run_out_before_the_next_is_forfeited() -> None:
    """20 s and two chips pushed make 60 s; the third goes by itself at 60.000."""
    night = running()
    night.do("action.bank", table=1, seat=4, chips=2)
    night.later(seconds(60) - 1)
    assert action(night, "remaining_ms", "used") == [1, 2]
    night.later(1)
    assert action(night, "remaining_ms", "on_bank", "used") == [20_000, 1, 3]


def test_a_chip_on_a_held_clock_waits_with_it() -> None:
    """Pushed during a count, it is there when the clock goes on."""
    night = running()
    night.later(seconds(15))
    night.do("action.hold", table=1, acted=False)
    night.do("action.bank", table=1, seat=4, chips=1)
    night.later(minutes(1))
    night.do("action.release", table=1)
    assert action(night, "remaining_ms", "used") == [25_000, 1]


def test_where_nothing_is_forfeited_the_player_chooses_after_zero() -> None:
    """Selkirk: 30 s, no automatic chip; after zero the player may still play up to all eight."""
    night = given(SELKIRK, {1: 4})
    night.do("shotclock.introduce")
    night.do("hand.start", table=1, button=1)
    night.do("action.start", table=1, seat=4)
    night.later(seconds(30) + 1)
    assert action(night, "status", "outcome", "used") == ["expired", "dead", 0]
    night.later(seconds(4))
    night.do("action.bank", table=1, seat=4, chips=8)
    assert action(night, "status", "remaining_ms", "used") == ["running", 240_000, 8]
    assert night.table(1)["seats"]["4"]["in_hand"] is True
    assert night.table(1)["seats"]["4"]["bank"] == 0
    night.do("action.stop", table=1)
    assert night.table(1)["collect"] == [{"seat": 4, "chips": 8}]


# ── collecting ───────────────────────────────────────────────────────────────────────────────────


def test_the_dealer_is_told_what_to_collect_when_the_action_is_over() -> None:
    """Not before; and once collected it is gone."""
    night = running()
    night.do("action.bank", table=1, seat=4, chips=1)
    assert night.table(1)["collect"] == []
    night.do("action.stop", table=1)
    assert night.table(1)["collect"] == [{"seat": 4, "chips": 1}]
    night.do("collect.done", table=1, seat=4)
    assert night.table(1)["collect"] == []


def test_what_is_not_collected_adds_up_by_seat() -> None:
    """One chip of seat 4, two of seat 1, one more of seat 4."""
    night = running()
    for seat, chips in ((4, 1), (1, 2), (4, 1)):
        night.do("action.start", table=1, seat=seat)
        night.do("action.bank", table=1, seat=seat, chips=chips)
    night.do("action.hold", table=1)
    assert night.table(1)["collect"] == [{"seat": 1, "chips": 2}, {"seat": 4, "chips": 2}]
    night.do("collect.done", table=1, seat=4)
    assert night.table(1)["collect"] == [{"seat": 1, "chips": 2}]


# ── granting ─────────────────────────────────────────────────────────────────────────────────────


def test_granted_to_everybody_or_to_one() -> None:
    """`add` gives chips on top, `set` says how many there are, to all or to a single player."""
    night = given(SATURDAY, {1: 3})
    night.do("bank.grant", chips=2, mode="add")
    assert banks(night) == [6, 6, 6]
    night.do("bank.grant", chips=1, mode="set", player="1-2")
    assert banks(night) == [6, 1, 6]
    night.do("bank.grant", chips=3, mode="add", player="1-3")
    assert banks(night) == [6, 1, 9]
    night.do("bank.grant", chips=0, mode="set")
    assert banks(night) == [0, 0, 0]


def test_granted_to_a_player_without_a_seat() -> None:
    """Who is between two seats when everybody gets a chip gets one too."""
    night = given(SATURDAY, {1: 3})
    night.do("seat.clear", player="1-2")
    night.do("bank.grant", chips=1, mode="add")
    night.do("seat.put", player="1-2", table=1, seat=7)
    assert night.table(1)["seats"]["7"]["bank"] == 5


def test_granted_at_a_level_set_and_once(tmp_path: Path) -> None:
    """At level 2 everybody has three chips again, whatever they have used; not twice."""
    rules = '[[action.grants]]\nstage = "level"\nlevel = 2\nchips = 3\nmode = "set"'
    night = running(house(tmp_path, rules))
    night.do("action.bank", table=1, seat=4, chips=2)
    assert banks(night) == [2, 2, 2, 0]
    night.later(minutes(10))
    assert banks(night) == [3, 3, 3, 3]
    night.later(1)
    night.do("bank.grant", chips=0, mode="set")
    night.do("level.back")
    night.do("level.next")
    assert banks(night) == [0, 0, 0, 0]


def test_granted_in_the_money_in_addition(tmp_path: Path) -> None:
    """Four entries and three paid: the first bust brings the money, and a chip for the others."""
    rules = '[[action.grants]]\nstage = "money"\nchips = 1\nmode = "add"'
    night = running(house(tmp_path, rules))
    night.do("places.set", places=3)
    assert banks(night) == [2, 2, 2, 2]
    night.do("player.bust", player="1-1")
    assert banks(night) == [3, 3, 3]
    night.do("player.bust", player="1-2")
    assert banks(night) == [3, 3]


def test_granted_at_the_final_table(tmp_path: Path) -> None:
    """When the last other table is broken, everybody has five."""
    rules = '[[action.grants]]\nstage = "final_table"\nchips = 5\nmode = "set"'
    night = given(house(tmp_path, rules), {1: 4, 2: 1})
    night.do("seat.move", player="2-1", table=1, seat=5)
    assert banks(night) == [2, 2, 2, 2, 2]
    night.do("table.close", table=2)
    assert banks(night) == [5, 5, 5, 5, 5]


# ── when it comes into play ──────────────────────────────────────────────────────────────────────


def test_introduced_at_the_start_a_new_entrant_has_the_houses_chips() -> None:
    """Before the start, late, or back after a bust: four chips."""
    night = given(SATURDAY, {1: 2})
    night.later(minutes(30))
    night.do("seat.put", player="late", table=1, seat=5)
    night.do("hand.start", table=1, button=1)
    night.do("action.start", table=1, seat=2)
    night.do("action.bank", table=1, seat=2, chips=3)
    night.do("player.bust", player="1-2")
    night.do("seat.put", player="1-2", table=1, seat=3)
    assert banks(night) == [4, 4, 4]


def test_introduced_at_a_level(tmp_path: Path) -> None:
    """No clock and no chips in level 1, both from the instant level 2 begins."""
    night = given(house(tmp_path, 'introduce = "level"\nintroduce_level = 2'), {1: 4})
    night.do("hand.start", table=1)
    assert night.refused("action.start", table=1, seat=2) == "not_allowed"
    assert banks(night) == [0, 0, 0, 0]
    assert night.event()["action_clock"] is None
    night.later(minutes(10))
    assert banks(night) == [2, 2, 2, 2]
    night.later(1)
    night.do("action.start", table=1, seat=2)
    assert action(night, "remaining_ms") == [15_000]


def test_introduced_in_the_money(tmp_path: Path) -> None:
    """Four entries and three paid: with the first bust the clock is in play."""
    night = given(house(tmp_path, 'introduce = "money"'), {1: 4})
    night.do("places.set", places=3)
    assert night.refused("action.start", table=1, seat=2) == "not_allowed"
    night.do("player.bust", player="1-1")
    assert banks(night) == [2, 2, 2]
    night.do("action.start", table=1, seat=2)


def test_introduced_at_the_final_table() -> None:
    """Selkirk: 30 s and eight chips once the other table is broken, not while two are open."""
    night = given(SELKIRK, {1: 4, 2: 1})
    night.do("seat.move", player="2-1", table=1, seat=5)
    assert night.refused("action.start", table=1, seat=2) == "not_allowed"
    night.do("table.close", table=2)
    assert banks(night) == [8, 8, 8, 8, 8]
    night.do("action.start", table=1, seat=2)
    assert action(night, "remaining_ms") == [30_000]


def test_introduced_by_hand(tmp_path: Path) -> None:
    """The director says when, once; the house's figures apply."""
    night = given(house(tmp_path, 'introduce = "hand"'), {1: 4})
    night.later(minutes(25))
    assert night.refused("action.start", table=1, seat=2) == "not_allowed"
    night.do("shotclock.introduce")
    assert banks(night) == [2, 2, 2, 2]
    night.do("action.start", table=1, seat=2)
    assert action(night, "remaining_ms") == [15_000]
    assert night.refused("shotclock.introduce") == "not_allowed"


# ── how long ─────────────────────────────────────────────────────────────────────────────────────


def test_a_base_time_for_every_street(tmp_path: Path) -> None:
    """Ten seconds before the flop, a minute on the river, the ordinary 15 in between."""
    night = given(house(tmp_path, "streets = { preflop = 10, river = 60 }"), {1: 4})
    night.do("hand.start", table=1, button=1)
    shown = []
    for street in ("preflop", "flop", "turn", "river"):
        night.do("action.next", table=1)
        assert night.table(1)["hand"]["street"] == street
        shown += action(night, "remaining_ms")
        if street != "river":
            night.do("street.next", table=1)
    assert shown == [10_000, 15_000, 15_000, 60_000]
    night.do("action.hold", table=1)
    assert action(night, "remaining_ms") == [60_000]


def test_a_limited_player_has_no_more_than_the_limit() -> None:
    """Ten seconds instead of 20, for every action until it is lifted; the others keep 20."""
    night = given(SATURDAY, {1: 4})
    night.do("player.limit", player="1-1", seconds=10)
    night.do("hand.start", table=1, button=1)
    times = []
    for _ in range(4):
        night.do("action.next", table=1)
        times.append(tuple(action(night, "seat", "remaining_ms")))
    assert times == [(4, 20_000), (1, 10_000), (2, 20_000), (3, 20_000)]
    night.do("action.hold", table=1)
    night.do("action.next", table=1)
    night.do("action.hold", table=1)
    assert action(night, "seat", "remaining_ms") == [1, 10_000]
    night.do("player.limit", player="1-1", seconds=None)
    night.do("action.start", table=1, seat=1)
    assert action(night, "remaining_ms") == [20_000]


def test_a_limit_is_at_most_and_never_more() -> None:
    """A limit of 60 s does not lengthen the house's 20."""
    night = given(SATURDAY, {1: 4})
    night.do("player.limit", player="1-1", seconds=60)
    night.do("hand.start", table=1, button=1)
    night.do("action.start", table=1, seat=1)
    assert action(night, "remaining_ms") == [20_000]


def test_a_limited_player_cannot_buy_time() -> None:
    """At most ten seconds for every action: no chip is forfeited for more, and none is taken."""
    night = given(SATURDAY, {1: 4})
    night.do("player.limit", player="1-4", seconds=10)
    night.do("hand.start", table=1, button=1)
    night.do("action.next", table=1)
    assert night.refused("action.bank", table=1, seat=4, chips=1) == "not_allowed"
    night.later(seconds(10) + 1)
    assert action(night, "status", "used") == ["expired", 0]
    assert night.table(1)["seats"]["4"]["bank"] == 4
