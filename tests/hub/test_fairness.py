"""Around zero: a tap that was made in time counts, whatever held it up; one made later never does.

A `Duel` is a hub with two tables and short clocks. Its taps are put on the wire by hand: each has
the instant at which it was made and the instant at which it arrives, and neither depends on whether
the hub's loop runs at that moment. So the loop can stall before, across and after zero.
"""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any, Self

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.credit import BEAT, BOUND, GRACE, LATE
from server.protocol.messages import Do, Done, Probe, encode
from server.protocol.session import PROBE_EVERY
from tests.rig import Rig

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from server.journal import Line

TABLES = (7, 8)
CLOCK = 1_000
PROBE = PROBE_EVERY["dealer"]
OFFSETS = (-2, -1, 0, 1, 2)
DELAYS = (0, 1, 20, 112, 113, 150, 225, 290)
SHORT_STALLS = (10, 40, 75)
LONG_STALLS = (76, 120, 300, 600, 900)


class Duel:
    """Two tables whose dealers tap around zero."""

    def __init__(self, delay: int = 0, chips: int = 0, disk: float = 0.0) -> None:
        self.rig = Rig()
        self.rig.create("star-brisbane-friday", dict.fromkeys(TABLES, 3))
        self.director = self.rig.director()
        seconds = CLOCK // 1_000
        introduced: dict[str, Any] = {"seconds": seconds, "chips": chips, "chip_seconds": seconds}
        assert isinstance(self.director.do("shotclock.introduce", **introduced), Done)
        self.delay, self.chips = delay, chips
        self.dealers = {table: self.rig.dealer(table=table, delay=delay) for table in TABLES}
        self.rig.journal.delay = disk
        self.mark = 0  # line at which this round began
        self._ids = itertools.count(1)

    def __enter__(self) -> Self:
        self.rig.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        self.rig.__exit__(kind, error, trace)

    def begin(self, table: int = 7) -> int:
        """Let a player's time begin, and give the instant of its last zero."""
        self.mark = len(self.rig.journal.stored)
        self.are_heard()
        self.dealers[table].tap("action.start", table=table, seat=1)
        self.rig.run(CLOCK // 2)
        return self.lines("action.started", table)[0].at + CLOCK

    def are_heard(self) -> None:
        """Let every dealer's device say something every second, as long as a round lasts."""
        for dealer, ms in itertools.product(self.dealers.values(), range(0, 5_000, PROBE)):
            assert dealer.visitor is not None
            self.rig.later(ms, dealer.visitor.receive, encode(Probe(ms)))

    def tap(
        self,
        made: int | None,
        arrives: int,
        table: int = 7,
        *,
        hops: int = 0,
        do: str = "action.stop",
        **args: Any,
    ) -> str:
        """Put a tap on the wire; after `hops` turns of the loop it is read, as from a socket."""
        peer = self.dealers[table]
        visitor = peer.visitor
        assert visitor is not None
        message = Do(f"tap-{next(self._ids)}", "1", do, {"table": table, **args}, made)
        peer.session.pending[message.id] = message

        def read(hop: int) -> None:
            if hop:
                self.rig.loop.call_soon(read, hop - 1)
            else:
                visitor.receive(encode(message))

        self.rig.later(arrives - self.rig.now, read, hops)
        return message.id

    def lines(self, name: str, table: int | None = None) -> list[Line]:
        """Find lines of this round by what they tell."""
        found = []
        for stored in self.rig.journal.stored[self.mark :]:
            body = json.loads(stored.line.body)
            if body["event"] == name and table in (None, body.get("table")):
                found.append(stored.line)
        return found

    def credited(self, command: str) -> Line:
        """Find the line of a command that was accepted in this round."""
        accepted = self.lines("command.accepted")
        return next(line for line in accepted if line.command == command)

    def rest(self) -> None:
        """Let everything come to its end, then nobody's time runs."""
        self.rig.run(1_300)  # the slowest way there, the slowest disk, and the way back
        if self.chips:
            self.director.tap("bank.grant", chips=self.chips, mode="set")
        self.rig.run(250)

    def verdict(self, command: str, zero: int, table: int = 7) -> str:
        """Say in one word what became of a tap: saved, a chip burnt, or dead."""
        expired = self.lines("action.expired", table)
        burnt = self.lines("chip.forfeited", table)
        if expired:
            assert [line.at for line in expired] == [zero + 1]
            return "dead"
        if burnt:
            assert [line.at for line in burnt] == [zero]
            return "chip"
        answer = self.dealers[table].answer(command)
        assert isinstance(answer, Done), answer
        assert answer.at <= zero
        return "saved"


def _rounds(stalls: tuple[int, ...]) -> Iterator[tuple[int, int, int]]:
    """Give a tap's offset, a stall's length, and where it begins, relative to zero."""
    for offset, stall in itertools.product(OFFSETS, stalls):
        for begins in (-stall - 5, -stall // 2, 0, 1, 100, 250, 289):
            yield offset, stall, begins


def _play(duel: Duel, offset: int, stall: int, begins: int, hops: int = 0) -> str:
    zero = duel.begin()
    command = duel.tap(zero + offset, zero + offset + duel.delay, hops=hops)
    duel.rig.run_until(zero + begins)
    duel.rig.stall(stall)
    duel.rest()
    line = duel.credited(command)
    assert line.tapped == zero + offset
    assert line.received >= zero + offset + duel.delay
    return duel.verdict(command, zero)


# ── the last zero ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("disk", [0.0, 0.2])
@pytest.mark.parametrize("chips", [0, 1])
@pytest.mark.parametrize("delay", DELAYS)
def test_a_tap_counts_if_it_was_made_in_time_and_not_otherwise(
    delay: int, chips: int, disk: float
) -> None:
    """Without any stall a tap at zero or before it saves the hand, and a later one never does."""
    with Duel(delay, chips, disk) as duel:
        for offset, hops in itertools.product(OFFSETS, (0, 2)):
            found = _play(duel, offset, 0, 350, hops)
            wanted = "saved" if offset <= 0 else "chip" if chips else "dead"
            assert found == wanted, (offset, hops)


@pytest.mark.parametrize("disk", [0.0, 0.2])
@pytest.mark.parametrize("chips", [0, 1])
@pytest.mark.parametrize("delay", DELAYS)
def test_a_stalled_loop_never_costs_a_tap_that_was_made_in_time(
    delay: int, chips: int, disk: float
) -> None:
    """A loop that stands still before, across or after zero changes no verdict."""
    with Duel(delay, chips, disk) as duel:
        for offset, stall, begins in _rounds(LONG_STALLS):
            found = _play(duel, offset, stall, begins, hops=begins % 3)
            wanted = "saved" if offset <= 0 else "chip" if chips else "dead"
            assert found == wanted, (offset, stall, begins)


@pytest.mark.parametrize("delay", [*DELAYS, BOUND])
def test_a_short_stall_never_costs_a_tap_that_was_made_in_time(delay: int) -> None:
    """A stall too short for the pulse to notice changes no verdict either."""
    with Duel(delay) as duel:
        for offset, stall, begins in _rounds(SHORT_STALLS):
            found = _play(duel, offset, stall, begins, hops=begins % 3)
            assert found == ("saved" if offset <= 0 else "dead"), (offset, stall, begins)


@pytest.mark.parametrize("delay", [290, BOUND])
def test_a_short_stall_never_costs_a_tap_over_a_slow_link(delay: int) -> None:
    """A tap that arrived in the last of its 300 ms is not lost to a stall before its reading."""
    with Duel(delay) as duel:
        for stall in (10, 40, 60):  # less than a beat, and just more
            for _ in range(10):  # the pulse is somewhere else each time
                duel.rig.run(7)
                assert _play(duel, 0, stall, delay - stall + 5) == "saved", stall


@pytest.mark.parametrize("delay", [0, 20, 290])
def test_an_exact_tie_goes_to_the_player(delay: int) -> None:
    """A tap made in the very millisecond of zero is credited with zero, and the player lives."""
    with Duel(delay) as duel:
        zero = duel.begin()
        command = duel.tap(zero, zero + delay)
        duel.rest()
        assert duel.verdict(command, zero) == "saved"
        assert duel.credited(command).at == zero


def test_a_dead_hand_stays_dead_whatever_is_tapped_after_zero() -> None:
    """A fold, a bet or a chip that comes a millisecond after zero finds the hand dead."""
    taps: list[tuple[str, dict[str, Any]]] = [
        ("action.fold", {}),
        ("action.hold", {}),
        ("action.hold", {"acted": False}),
        ("action.bank", {"seat": 1, "chips": 1}),
        ("action.next", {}),
        ("action.stop", {}),
    ]
    with Duel(20) as duel:
        dealer = duel.dealers[7]
        for do, args in taps:
            assert isinstance(dealer.do("hand.start", table=7, button=3), Done)
            zero = duel.begin()
            duel.tap(zero + 1, zero + 21, do=do, **args)
            duel.rest()
            assert [line.at for line in duel.lines("action.expired", 7)] == [zero + 1], do
            assert dealer.doc("table/7")["seats"]["1"]["in_hand"] is False, do
            assert isinstance(dealer.do("hand.end", table=7), Done)
            duel.rig.run(CLOCK + 500)


def test_a_chip_that_was_forfeited_extends_from_zero() -> None:
    """Taps around the zero of a burning chip are judged like all others: the chain never drifts."""
    for offset in OFFSETS:
        with Duel(100, chips=1) as duel:
            zero = duel.begin() + CLOCK
            duel.tap(zero + offset, zero + offset + 100)
            duel.rig.run_until(zero + 90)
            duel.rig.stall(400)
            duel.rest()
            assert [line.at for line in duel.lines("chip.forfeited")] == [zero - CLOCK]
            dead = [line.at for line in duel.lines("action.expired")]
            assert dead == ([] if offset <= 0 else [zero + 1]), offset


def test_a_tap_that_comes_after_the_bound_is_too_late() -> None:
    """However early it says that it was made, a tap that arrives after the grace saves nothing."""
    with Duel(290) as duel:
        zero = duel.begin()
        duel.tap(zero - 1, zero + GRACE + 2)
        duel.rest()
        assert [line.at for line in duel.lines("action.expired")] == [zero + 1]


# ── what is believed ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("delay", DELAYS)
@pytest.mark.parametrize("back", [10, 80, 150, 299, 300, 301, 2_000, 86_400_000])
def test_a_tap_is_believed_for_the_bound(delay: int, back: int) -> None:
    """A claim from long before arrival counts from 300 ms before it, whatever the link is like."""
    with Duel(delay) as duel:
        zero = duel.begin()
        arrives = zero - 100
        command = duel.tap(arrives - back, arrives)
        duel.rest()
        line = duel.credited(command)
        assert (line.tapped, line.received) == (arrives - back, arrives)
        assert line.at == arrives - min(back, BOUND)


@pytest.mark.parametrize("delay", [0, 1, 20, 100])
def test_a_lie_does_not_save_a_hand(delay: int) -> None:
    """A tap that claims to be from before zero is not honoured beyond the bound."""
    with Duel(delay) as duel:
        for beyond in (1, 2, 10, 20):
            zero = duel.begin()
            command = duel.tap(zero - 5, zero + BOUND + beyond)
            duel.rest()
            assert duel.verdict(command, zero) == "dead", beyond
            assert duel.credited(command).at == zero + beyond
        zero = duel.begin()
        command = duel.tap(zero - 5, zero + BOUND)
        duel.rest()
        assert duel.verdict(command, zero) == "saved"


@pytest.mark.parametrize("ahead", [1, 50, 10_000, 1 << 52])
def test_a_claim_from_the_future_counts_as_received(ahead: int) -> None:
    """Whoever claims a later instant than that of arrival gains and loses nothing."""
    with Duel(20) as duel:
        for arrives, wanted in ((-1, "saved"), (0, "saved"), (1, "dead")):
            zero = duel.begin()
            made = min(zero + arrives + ahead, 1 << 53)
            command = duel.tap(made, zero + arrives)
            duel.rest()
            assert duel.verdict(command, zero) == wanted
            line = duel.credited(command)
            assert (line.at, line.received, line.tapped) == (zero + arrives, zero + arrives, made)


def test_a_tap_without_an_instant_counts_as_received() -> None:
    """A device that does not know the time yet is judged by the instant of arrival."""
    with Duel(20) as duel:
        for arrives, wanted in ((-1, "saved"), (0, "saved"), (1, "dead")):
            zero = duel.begin()
            command = duel.tap(None, zero + arrives)
            duel.rest()
            assert duel.verdict(command, zero) == wanted
            assert duel.credited(command).tapped is None


@pytest.mark.parametrize("stall", [20, 40, 100, 300, 900])
def test_a_stall_is_no_excuse_for_a_lie_of_more_than_its_length(stall: int) -> None:
    """A tap read after a stall is believed for 300 ms before the stall began, no more."""
    with Duel(0) as duel:
        zero = duel.begin()
        began = duel.rig.now
        duel.rig.stall(stall)
        command = duel.tap(0, duel.rig.now)
        duel.rest()
        assert duel.verdict(command, zero) == "saved"
        noticed = stall > BEAT + LATE  # then it may have begun right after the beat before
        earliest = began - BOUND - (BEAT if noticed else 0)
        assert earliest <= duel.credited(command).at <= began - BOUND


# ── more than one table, more than one device ────────────────────────────────────────────────────


@pytest.mark.parametrize("disk", [0.0, 0.2])
@pytest.mark.parametrize("stall", [0, 60, 200, 900])
@pytest.mark.parametrize("tables", list(itertools.permutations(TABLES)))
def test_taps_of_two_tables_are_fair_in_whatever_order_they_are_read(
    tables: tuple[int, int], stall: int, disk: float
) -> None:
    """Reading one table's tap first never tells what is due at the other, whose tap is next."""
    first, second = tables
    with Duel(200, disk=disk) as duel:
        for offset, gap in itertools.product(OFFSETS, (-40, 0, 40)):
            duel.mark = mark = len(duel.rig.journal.stored)
            duel.are_heard()
            duel.dealers[first].tap("action.start", table=first, seat=1)
            duel.rig.run(50)
            duel.dealers[second].tap("action.start", table=second, seat=1)
            duel.rig.run(CLOCK // 2)
            zeros = {t: duel.lines("action.started", t)[0].at + CLOCK for t in tables}
            one = duel.tap(zeros[first] + offset, zeros[first] + offset + 200, first)
            two = duel.tap(zeros[second] + offset, zeros[first] + offset + 200 + gap, second)
            duel.rig.run_until(zeros[first] + 100)
            duel.rig.stall(stall)
            duel.rest()
            assert duel.mark == mark
            wanted = "saved" if offset <= 0 else "dead"
            assert duel.verdict(one, zeros[first], first) == wanted, (offset, gap)
            assert duel.verdict(two, zeros[second], second) == wanted, (offset, gap)


def test_a_stall_between_waking_and_ruling_costs_no_tap_at_another_table() -> None:
    """What arrived while the hub was about to rule at table 7 is read before table 8 is ruled."""
    with Duel(200) as duel:
        duel.are_heard()
        duel.dealers[7].tap("action.start", table=7, seat=1)
        duel.rig.run(50)
        duel.dealers[8].tap("action.start", table=8, seat=1)
        duel.rig.run(CLOCK // 2)
        first, second = (duel.lines("action.started", t)[0].at + CLOCK for t in TABLES)
        assert second - first == 50
        command = duel.tap(second, second + 270, 8)  # arrives 20 ms after the hub wakes for table 7

        def held_up(hops: int) -> None:
            if hops:
                duel.rig.loop.call_soon(held_up, hops - 1)
            else:
                duel.rig.stall(400)

        duel.rig.later(first + 1 + GRACE - duel.rig.now, held_up, 2)
        duel.rest()
        assert duel.verdict(command, second, 8) == "saved"


@pytest.mark.parametrize(
    ("do", "args"),
    [
        ("floor.call", {"table": 7}),
        ("table.pause", {"table": 7}),
        ("seat.put", {"table": 7, "seat": 4, "player": "late"}),
    ],
)
def test_another_device_at_the_table_never_overtakes_a_tap(do: str, args: dict[str, Any]) -> None:
    """What somebody quick does to the table after zero never beats a tap made before zero."""
    with Duel(200) as duel:
        zero = duel.begin()
        command = duel.tap(zero - 10, zero + 190)
        _command(duel, zero + 50, do, args)
        duel.rest()
        assert duel.lines("action.expired", 7) == []
        assert isinstance(duel.dealers[7].answer(command), Done)


@pytest.mark.parametrize(
    ("do", "args"),
    [
        ("announce", {"text": "Dinner is served"}),
        ("clock.add", {"ms": 60_000}),
        ("level.next", {}),
        ("bank.grant", {"chips": 0, "mode": "set"}),
        ("seat.put", {"table": 8, "seat": 4, "player": "late"}),
    ],
)
def test_what_happens_in_the_room_never_makes_a_tap_late(do: str, args: dict[str, Any]) -> None:
    """A director who announces, or seats a player at another table, costs nobody a hand."""
    with Duel(200) as duel:
        zero = duel.begin()
        command = duel.tap(zero - 10, zero + 190)
        _command(duel, zero + 50, do, args)
        duel.rest()
        assert duel.lines("action.expired", 7) == []
        assert isinstance(duel.dealers[7].answer(command), Done)


def test_a_level_that_ends_just_after_zero_never_makes_a_tap_late() -> None:
    """A tap made before zero and read after the next level has begun still counts."""
    with Duel(200) as duel:
        zero = duel.begin()
        left = zero + 5 - duel.rig.now
        assert isinstance(duel.director.do("clock.set", remaining_ms=left), Done)
        command = duel.tap(zero - 10, zero + 190)
        duel.rest()
        assert [line.at for line in duel.lines("level.started")] == [zero + 5]
        assert duel.lines("action.expired", 7) == []
        assert isinstance(duel.dealers[7].answer(command), Done)


def _command(duel: Duel, at: int, do: str, args: dict[str, Any]) -> None:
    """Let the director, who sits next to the hub, command something at an instant."""
    duel.rig.later(at - duel.rig.now, lambda: duel.director.tap(do, **args))


def test_what_happens_at_another_table_never_makes_a_tap_late() -> None:
    """A tap of table 8 with a later instant is read first, and table 7 loses nothing."""
    with Duel(200) as duel:
        zero = duel.begin()
        command = duel.tap(zero - 10, zero + 190)
        duel.tap(zero + 50, zero + 60, 8, do="floor.call")
        duel.rest()
        assert duel.verdict(command, zero) == "saved"


# ── a hub that was away ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("chips", [0, 1])
@pytest.mark.parametrize("begins", [-490, -200, -60, -1])
@pytest.mark.parametrize("stall", [1_100, 3_000, 5_000])
def test_a_long_stall_holds_the_clock_and_kills_nobody(stall: int, begins: int, chips: int) -> None:
    """A hub that stood still for more than a second leaves the clock where it was."""
    with Duel(20, chips) as duel:
        zero = duel.begin()
        duel.rig.run_until(zero + begins)
        duel.rig.stall(stall)
        duel.rig.run(3_000)
        assert duel.lines("action.expired") == duel.lines("chip.forfeited") == []
        action = duel.dealers[7].doc("table/7")["action"]
        assert (action["status"], action["interrupted"]) == ("held", True)
        assert -begins <= action["remaining_ms"] <= -begins + BEAT
        assert isinstance(duel.dealers[7].do("action.release", table=7), Done)
        duel.rig.run(50)
        assert duel.dealers[7].doc("table/7")["action"]["status"] == "running"


@pytest.mark.parametrize("arrives", [0, 20, 60, 500, 1_400])
def test_a_tap_that_came_during_a_long_stall_counts(arrives: int) -> None:
    """What a dealer tapped while the hub stood still is carried out, and nobody dies."""
    with Duel(20) as duel:
        zero = duel.begin()
        duel.rig.run_until(zero - 30)
        command = duel.tap(zero - 30 + arrives - 20, zero - 30 + arrives)
        duel.rig.stall(1_500)
        duel.rest()
        assert isinstance(duel.dealers[7].answer(command), Done)
        assert duel.lines("action.expired") == []
        assert duel.dealers[7].doc("table/7")["action"]["status"] == "idle"


@pytest.mark.parametrize("begins", [1, 60, 150, 250])
def test_a_long_stall_within_the_grace_kills_nobody(begins: int) -> None:
    """A tap made before zero that arrived in a long stall, within the bound, is not ruled late."""
    with Duel(280) as duel:
        for phase in range(0, 50, 10):
            duel.rig.run(phase)
            zero = duel.begin()
            command = duel.tap(zero, zero + 280)
            duel.rig.run_until(zero + begins)
            duel.rig.stall(1_500)
            duel.rest()
            assert duel.verdict(command, zero) == "saved", phase


def test_a_long_stall_within_the_grace_burns_no_chip() -> None:
    """A tap made before zero that arrived in a long stall, within the bound, costs no chip."""
    with Duel(280, chips=1) as duel:
        zero = duel.begin()
        command = duel.tap(zero, zero + 280)
        duel.rig.run_until(zero + 150)
        duel.rig.stall(1_500)
        duel.rest()
        assert duel.verdict(command, zero) == "saved"


def test_a_hub_that_stood_still_shows_nobody_out() -> None:
    """Who said something while the hub stood still was not silent: that is read first."""
    for beats in range(20):
        with Duel(20) as duel:
            duel.rig.run(50 * beats)
            for dealer in duel.dealers.values():
                assert dealer.visitor is not None
                for ms in range(500, 11_500, 1_000):
                    duel.rig.later(ms, dealer.visitor.receive, encode(Probe(ms)))
            duel.rig.stall(11_500)
            duel.rig.run(100)
            for dealer in duel.dealers.values():
                assert dealer.farewells() == []
                assert dealer.visitor in duel.rig.hub.visitors, beats


# ── any schedule ─────────────────────────────────────────────────────────────────────────────────


@st.composite
def schedules(draw: st.DrawFn) -> dict[str, Any]:
    """Make up a tap, a way, a disk, and stalls that together never last a second at a time."""
    delay = draw(st.integers(0, BOUND))
    stalls = draw(st.lists(st.tuples(st.integers(-600, 320), st.integers(1, 450)), max_size=3))
    return {
        "delay": delay,
        "offset": draw(st.one_of(st.integers(-3, 3), st.integers(-400, 250))),
        "stalls": sorted(stalls),
        "hops": draw(st.integers(0, 2)),
        "disk": draw(st.sampled_from([0.0, 0.003, 0.05, 0.2])),
        "chips": draw(st.integers(0, 1)),
        "phase": draw(st.integers(0, 49)),
        "table": draw(st.sampled_from(TABLES)),
    }


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(schedules())
def test_no_schedule_makes_a_tap_in_time_late_or_a_late_one_good(plan: dict[str, Any]) -> None:
    """Whatever the way, the disk and the stalls: made by zero it counts, made after it does not."""
    table = plan["table"]
    with Duel(plan["delay"], plan["chips"], plan["disk"]) as duel:
        duel.rig.run(plan["phase"])
        zero = duel.begin(table)
        made = zero + plan["offset"]
        arrives = made + plan["delay"]
        command = duel.tap(made, arrives, table, hops=plan["hops"])
        for begins, length in plan["stalls"]:
            duel.rig.run_until(max(duel.rig.now + 60, zero + begins))
            duel.rig.stall(length)
        duel.rest()
        line = duel.credited(command)
        assert line.tapped == made
        assert line.at <= line.received
        expired = "chip" if plan["chips"] else "dead"
        assert duel.verdict(command, zero, table) == ("saved" if made <= zero else expired)
