"""Robots' minds without any socket: the same documents make the same decisions."""

import ast
from collections.abc import Iterable
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest

from server.protocol.messages import Done
from server.robots import seating
from server.robots.betting import Choice, Deal
from server.robots.bubble import bubble
from server.robots.dealer import Dealer
from server.robots.director import Director, View
from server.robots.names import people
from server.robots.pace import Doc, Habits, Tap
from server.robots.seating import Roster
from server.robots.talk import Busted, Felt, Talk
from tests.rig import Rig

Step = tuple[Doc, Doc, bool | None]


def seeded(seed: int) -> Random:
    """Give randomness that is the same every time."""
    return Random(seed)  # noqa: S311 - a game


def dealt(seed: int, habits: Habits, hands: int) -> tuple[list[Step], list[Tap | None]]:
    """Let a dealer deal some hands in virtual time; give what it saw and what it tapped.

    A step is what was seen at one look, and the answer where a tap followed from it.
    """
    steps: list[Step] = []
    taps: list[Tap | None] = []
    with Rig() as rig:
        rig.create(tables={7: 5})
        peer, floor = rig.dealer(table=7), rig.floor()
        mind = Dealer(7, seeded(seed), Felt(40_000, refill=True), Talk(), habits)
        meant, due = None, 0
        while peer.doc("table/7")["hand"]["number"] <= hands:
            table, event = deepcopy(peer.doc("table/7")), deepcopy(peer.doc(""))
            tap, done = mind.look(table, event), None
            if tap is not meant:
                meant, due = tap, rig.now + (0 if tap is None else round(1_000 * tap.after))
            if tap is not None and rig.now >= due:
                done = isinstance(peer.do(tap.do, **tap.args), Done)
                mind.answered(done)
                meant = None
            else:
                if table["paused"] is not None:
                    floor.do("table.resume", table=7)
                peer.probe()
                rig.run(500)
            steps.append((table, event, done))
            taps.append(tap)
    return steps, taps


def replayed(seed: int, habits: Habits, steps: Iterable[Step]) -> list[Tap | None]:
    """Show the same documents to another dealer."""
    mind = Dealer(7, seeded(seed), Felt(40_000, refill=True), Talk(), habits)
    taps = []
    for table, event, done in steps:
        taps.append(mind.look(table, event))
        if done is not None:
            mind.answered(done)
    return taps


OFTEN = Habits(0.1, 0.05, 0.1, 0.1, 0.1, 0.2, 0.1, push_every=3)


def test_the_same_seed_decides_the_same() -> None:
    """Two dealers with one seed tap the same on the same documents; another seed does not."""
    steps, taps = dealt(3, OFTEN, hands=8)
    assert replayed(3, OFTEN, steps) == taps
    assert replayed(4, OFTEN, steps) != taps


@pytest.mark.parametrize("seed", range(3))
def test_a_dealer_is_never_refused(seed: int) -> None:
    """Alone at a table, whatever the players do, a dealer taps nothing that is refused."""
    steps, taps = dealt(seed, OFTEN, hands=8)
    assert False not in [done for _, _, done in steps]
    tapped = {tap.do for tap in taps if tap is not None}
    assert {"hand.start", "action.fold", "action.next", "street.next", "hand.end"} <= tapped


def test_chips_are_conserved() -> None:
    """Whatever is bet, no chip is made or lost, and nobody has fewer than none."""
    rng = seeded(8)
    felt = Felt(1_500)
    everybody = {seat: f"p{seat}" for seat in range(1, 10)}
    for number in range(400):
        players = {seat: who for seat, who in everybody.items() if felt.stack(who) > 0}
        if len(players) == 1:
            break
        button, small, big = (rng.sample(list(players), 2) * 2)[:3]
        deal = Deal.of(number, players, seats=(small, big), blinds=(50, 100), felt=felt, rng=rng)
        for street in ("flop", "turn", "river", "over"):
            while seat := deal.following(live := [s for s in players if s not in deal.out]):
                deal.act(seat, deal.choose(seat, live, rng), live)
            deal.deal_street(street, [s for s in players if s not in deal.out], button, rng)
        felt.settle(deal.result([s for s in players if s not in deal.out]))
        assert sum(felt.stacks.values()) == 9 * 1_500
        assert min(felt.stacks.values()) >= 0
    assert min(felt.stacks.values()) == 0, "somebody went broke"


def test_a_short_stack_wins_only_what_it_paid_for() -> None:
    """The main pot goes to the best cards, what is above it to the next best."""
    players = {1: "a", 2: "b", 3: "c"}
    deal = Deal(1, players, {1: 100, 2: 500, 3: 500}, 10, {1: 0.9, 2: 0.5, 3: 0.1})
    for seat in players:
        deal.act(seat, Choice("raise", 500), [1, 2, 3])
    assert deal.result([1, 2, 3]) == {"a": 200, "b": 300, "c": -500}


def table_doc(number: int, seats: dict[int, str], **changed: Any) -> Doc:
    """Give as much of a table's document as a director looks at."""
    action = {"outcome": None, "facing_bet": None}
    taken = {str(seat): {"player": player} for seat, player in seats.items()}
    base = {"table": number, "size": 6, "seats": taken, "hand": {"in_progress": False}}
    return {**base, "action": action, "floor": None, "paused": None, **changed}


def event_doc(*, left: int = 8, status: str = "off", **h4h: Any) -> Doc:
    """Give as much of an event's document as a director looks at."""
    return {
        "clock": {
            "status": "running",
            "phase": "level",
            "reason": None,
            "ends_at": 1_000_000,
            "remaining_ms": 1_000_000,
            "length_ms": 1_200_000,
            "next": {"phase": "level"},
        },
        "h4h": {"status": status, "hand": 0, "tables": {}, **h4h},
        "field": {"left": left, "entries": 12, "tables": 2, "to_money": max(0, left - 3)},
    }


def soon(director: Director, event: Doc, *tables: Doc, hub_now: int = 0) -> list[Tap]:
    """Look again and again for a minute, and list what the director does."""
    docs = {table["table"]: table for table in tables}
    looks = (director.look(View(event, docs, float(now), hub_now)) for now in range(60))
    return [tap for tap in looks if tap is not None]


def test_the_director_takes_players_out_first() -> None:
    """Who is called out is busted before anything else, with the chips of before the hand."""
    talk = Talk()
    talk.bust([Busted("p4", 1_200)])
    director = Director(seeded(1), talk)
    tap = director.look(View(event_doc(), {}, 0.0, 0))
    assert tap == Tap("player.bust", {"player": "p4", "stack": 1_200})
    director.answered(done=True)
    assert not talk.busts


def test_the_director_rules_and_clears() -> None:
    """Where time ran out on a silent table the floor rules; a table that was paused goes on."""
    asked = table_doc(1, {1: "a"}, action={"outcome": "needs_ruling", "facing_bet": True})
    ruled = soon(Director(seeded(1), Talk()), event_doc(), asked)[0]
    assert ruled.do == "action.ruling"
    called = table_doc(1, {1: "a"}, floor={"since": 1}, paused="dispute")
    assert soon(Director(seeded(1), Talk()), event_doc(), called)[0].do == "table.resume"


def test_a_table_breaks_after_its_hand() -> None:
    """The table that breaks is asked to wait; nobody moves while its hand is in progress."""
    talk = Talk()
    big = table_doc(1, {1: "a", 2: "b", 3: "c"})
    small = table_doc(2, {4: "d", 5: "e"}, hand={"in_progress": True})
    director = Director(seeded(1), talk)
    assert soon(director, event_doc(), big, small) == []
    assert talk.waits == {2}
    small["hand"] = {"in_progress": False}
    moved = soon(director, event_doc(), big, small)[0]
    assert moved.do == "seat.move"
    assert moved.args["table"] == 1
    small["seats"] = {}
    assert soon(director, event_doc(), big, small)[0] == Tap("table.close", {"table": 2})


def test_levels_last_as_long_as_the_pace_says() -> None:
    """At four times the speed a level of twenty minutes is over after five."""
    event = event_doc()
    late = {"hub_now": 1_000_000 - 1_200_000 + 300_000}
    assert soon(Director(seeded(1), Talk(), 4), event, **late)[0].do == "level.next"
    early = {"hub_now": late["hub_now"] - 1}
    assert not soon(Director(seeded(1), Talk(), 4), event, **early)
    assert not soon(Director(seeded(1), Talk(), 1), event, **late), "the hub's own clock does it"


def test_the_bubble() -> None:
    """Hand-for-hand is announced close to the money, goes hand by hand, and ends in it."""
    assert bubble(event_doc(left=8)) is None
    assert _do(bubble(event_doc(left=5))) == "h4h.announce"
    assert _do(bubble(event_doc(left=5, status="holding"))) == "h4h.next"
    waiting = {"1": "all_in", "2": "playing"}
    assert bubble(event_doc(left=5, status="playing", tables=waiting)) is None
    waiting["2"] = "done"
    assert bubble(event_doc(left=5, status="playing", tables=waiting)) == Tap(
        "h4h.runout", {"table": 1}, 5
    )
    assert bubble(event_doc(left=3, status="playing")) is None
    assert _do(bubble(event_doc(left=3, status="holding"))) == "h4h.end"


def _do(tap: Tap | None) -> str | None:
    return None if tap is None else tap.do


def test_seating_is_balanced() -> None:
    """Somebody moves from the largest table to the smallest when they differ by two."""
    full = {seat: f"a{seat}" for seat in range(1, 7)}
    rosters = {
        1: Roster(6, full, busy=False),
        2: Roster(6, {1: "b"} | {s: f"b{s}" for s in (3, 4, 5)}, busy=False),
        3: Roster(6, {s: f"c{s}" for s in range(1, 6)}, busy=False),
    }
    assert seating.breaking(rosters) is None
    assert seating.lopsided(rosters) == 1
    moved = seating.move(rosters, 1, seeded(2))
    assert moved is not None
    assert moved["table"] == 2
    assert moved["seat"] in (2, 6)


def test_names_are_different_and_from_everywhere() -> None:
    """A large room has no two people of one name, and not only one alphabet."""
    names = people(seeded(1), 540)
    assert len(set(names)) == 540
    assert people(seeded(1), 540) == names
    assert any("\u4e00" <= letter <= "\u9fff" for name in names for letter in name)
    assert any("\u0370" <= letter <= "\u03ff" for name in names for letter in name)
    assert all(len(name) <= 80 for name in names)


def test_robots_know_only_the_protocol() -> None:
    """No robot imports the hub or the engine: they see what clients see."""
    for path in Path("server/robots").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("server"):
                assert (node.module or "").startswith(("server.protocol", "server.robots")), path
