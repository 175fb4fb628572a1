"""A table that could not be heard: time kills nobody there, the floor rules.

A device that works a table says something every second, as the real ones do. When its link is cut
for more than 2.5 s at the instant of zero, nobody can know whether the player acted in time.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from server.access import Badge
from server.orders import Order
from server.protocol.messages import Done, Refused
from server.protocol.session import PROBE_EVERY
from server.watch import SILENT
from tests.rig import Rig

if TYPE_CHECKING:
    from server.journal import Line
    from tests.rig import Peer

BASE = 20_000


class Room(Rig):
    """A rig with a table 7 and a hand in progress, whose devices are heard every second."""

    def __init__(self, *, delay: int = 10) -> None:
        super().__init__()
        self.create("star-brisbane-saturday", {7: 3, 8: 3})
        self.td = self.watched(self.director())
        assert isinstance(self.td.do("bank.grant", chips=0, mode="set"), Done)
        self.dealt = self.watched(self.dealer(delay=delay, device="tablet-7"))
        self.says(self.dealt, "hand.start", table=7, button=3)

    def watched(self, peer: Peer) -> Peer:
        """Let a device ask the time every second, for ever."""

        def again() -> None:
            peer.probe()
            self.later(PROBE_EVERY["dealer"], again)

        again()
        return peer

    def says(self, peer: Peer, do: str, **args: Any) -> None:
        """Insist that a command is accepted."""
        found = peer.do(do, **args)
        assert isinstance(found, Done), found

    def refused(self, peer: Peer, do: str, **args: Any) -> str:
        """Insist that a command is refused, and give the code."""
        found = peer.do(do, **args)
        assert isinstance(found, Refused), found
        return found.code

    def give_table(self, peer: Peer) -> None:
        """Let the floor give table 7 to another dealer's device."""
        assert peer.visitor is not None
        self.says(self.td, "lease.grant", event="", device=peer.visitor.device)

    def begin(self, peer: Peer | None = None, **args: Any) -> int:
        """Let the time of seat 1 begin, and give the instant of zero."""
        self.says(peer or self.dealt, "action.start", table=7, seat=1, **args)
        ends_at: int = self.td.doc("table/7")["action"]["ends_at"]
        return ends_at

    def cut(self, peer: Peer, since: int, until: int | None = None) -> None:
        """Cut a device off from one instant to another, in hub time."""
        self.run_until(since)
        peer.cut = True
        if until is not None:
            self.run_until(until)
            peer.cut = False

    def come_back(self, peer: Peer) -> None:
        """Let a device connect again, with all that it still waits for."""
        peer.cut = False
        peer.disconnect()
        peer.connect()
        self.run(4 * peer.delay + 2)

    def action(self, table: int = 7) -> dict[str, Any]:
        """Give a table's action as everybody sees it."""
        found: dict[str, Any] = self.td.doc(f"table/{table}")["action"]
        return found

    def lines(self, name: str) -> list[tuple[Line, dict[str, Any]]]:
        """Find lines of the journal by what they tell."""
        found = [(stored.line, json.loads(stored.line.body)) for stored in self.journal.stored]
        return [(line, body) for line, body in found if body["event"] == name]


# ── who could not be heard ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("before", [SILENT + 1_100, 5_000, 15_000])
def test_a_table_that_was_silent_at_zero_needs_a_ruling(before: int) -> None:
    """Where the dealer's device was cut off for more than 2.5 s at zero, nobody's hand dies."""
    with Room() as room:
        zero = room.begin()
        room.cut(room.dealt, zero - before)
        room.run_until(zero + 1_000)
        action = room.action()
        assert (action["status"], action["outcome"]) == ("expired", "needs_ruling")
        assert [line.at for line, _ in room.lines("action.expired")] == [zero + 1]
        assert room.td.doc("table/7")["seats"]["1"]["in_hand"] is True


@pytest.mark.parametrize("before", [0, 500, 1_400])
def test_a_table_that_was_heard_within_two_and_a_half_seconds_is_not_silent(before: int) -> None:
    """A short cut is no excuse: the hand dies as it would have."""
    with Room() as room:
        zero = room.begin()
        room.cut(room.dealt, zero - before)
        room.run_until(zero + 1_000)
        assert room.action()["outcome"] == "dead"
        assert room.td.doc("table/7")["seats"]["1"]["in_hand"] is False


def test_the_edge_of_silence_is_two_and_a_half_seconds() -> None:
    """Heard exactly 2.5 s before time was over it is not silent; a millisecond earlier it is."""
    for early, outcome in ((-1, "needs_ruling"), (0, "dead")):
        with Room(delay=0) as room:
            zero = room.begin()
            room.run_until(zero - 5_000)
            room.dealt.cut = True
            room.run_until(zero + 1 - SILENT + early)
            room.dealt.cut = False
            room.dealt.probe()
            room.run(0)
            room.dealt.cut = True
            room.run_until(zero + 1_000)
            assert room.action()["outcome"] == outcome, early


def test_a_device_that_is_back_before_the_verdict_was_still_silent_at_zero() -> None:
    """A device that comes back in the grace, after 4 s of silence, does not make the hand dead."""
    with Room() as room:
        zero = room.begin()
        room.cut(room.dealt, zero - 4_000, zero + 100)
        room.dealt.probe()
        room.run_until(zero + 1_000)
        assert room.action()["outcome"] == "needs_ruling"


def test_a_device_that_was_silent_earlier_and_is_back_is_heard() -> None:
    """What counts is zero: a device that was away for long and came back before it is no excuse."""
    with Room() as room:
        zero = room.begin()
        room.cut(room.dealt, zero - 10_000, zero - 3_000)
        room.run_until(zero + 1_000)
        assert room.action()["outcome"] == "dead"


def test_a_device_that_goes_silent_after_zero_was_heard_at_zero() -> None:
    """Silence that begins after zero changes no verdict."""
    with Room() as room:
        zero = room.begin()
        room.cut(room.dealt, zero + 50)
        room.run_until(zero + 1_000)
        assert room.action()["outcome"] == "dead"


def test_a_lost_connection_is_silence_too() -> None:
    """A tablet whose connection is closed is as silent as one whose packets are lost."""
    with Room() as room:
        zero = room.begin()
        room.run_until(zero - 6_000)
        room.dealt.disconnect()
        room.run_until(zero + 1_000)
        assert room.action()["outcome"] == "needs_ruling"


def test_chips_burn_at_a_silent_table_and_only_the_last_zero_is_ruled() -> None:
    """A time-bank chip goes as always; it is the last zero that nobody is killed at."""
    with Room() as room:
        room.says(room.td, "bank.grant", chips=2, mode="set")
        zero = room.begin()
        room.cut(room.dealt, zero - 5_000)
        room.run_until(zero + 2 * BASE + 1_000)
        forfeited = [line.at for line, _ in room.lines("chip.forfeited")]
        assert forfeited == [zero, zero + BASE]
        assert [line.at for line, _ in room.lines("action.expired")] == [zero + 2 * BASE + 1]
        assert room.action()["outcome"] == "needs_ruling"


def test_a_player_who_faces_no_bet_is_not_checked_at_a_silent_table() -> None:
    """Also where time would only check, a silent table waits for the floor."""
    with Room() as room:
        zero = room.begin(facing_bet=False)
        room.cut(room.dealt, zero - 5_000)
        room.run_until(zero + 1_000)
        assert room.action()["outcome"] == "needs_ruling"


def test_silence_at_one_table_excuses_no_other() -> None:
    """Each table is judged by its own device."""
    with Room() as room:
        other = room.watched(room.dealer(table=8, delay=10, device="tablet-8"))
        zero = room.begin()
        room.says(other, "action.start", table=8, seat=1)
        room.cut(room.dealt, zero - 5_000)
        room.run_until(zero + 1_000)
        assert room.action(7)["outcome"] == "needs_ruling"
        assert room.action(8)["outcome"] == "dead"


# ── taps that come late ──────────────────────────────────────────────────────────────────────────


def test_a_tap_that_was_queued_on_the_device_is_refused_and_noted() -> None:
    """A tap made in time by a device that was cut off comes too late, and is in the journal."""
    with Room() as room:
        zero = room.begin()
        room.cut(room.dealt, zero - 6_000)
        room.run_until(zero - 3_000)
        assert room.dealt.visitor is not None
        device = room.dealt.visitor.device
        room.dealt.disconnect()
        tapped, tap = room.now, room.dealt.tap("action.next", table=7)
        assert tapped < zero
        room.run_until(zero + 2_000)
        room.come_back(room.dealt)
        answer = room.dealt.answer(tap)
        assert isinstance(answer, Refused)
        assert answer.code == "needs_ruling"
        ((line, body),) = room.lines("tap.late")
        assert (line.device, line.command, line.tapped) == (device, tap, tapped)
        assert line.received > zero + 2_000
        assert body["do"] == "action.next"
        assert body["args"] == {"table": 7}
        assert room.action()["outcome"] == "needs_ruling"


def test_a_queued_tap_that_arrives_within_the_bound_still_saves_the_hand() -> None:
    """A device that is back within its bound of zero is believed: no ruling is needed."""
    with Room(delay=100) as room:
        zero = room.begin()
        room.cut(room.dealt, zero - 4_000)
        room.run_until(zero - 100)
        tap = room.dealt.tap("action.next", table=7)
        room.dealt.cut = False
        room.run_until(zero + 1_000)
        assert isinstance(room.dealt.answer(tap), Done)
        assert room.lines("action.expired") == []


def test_a_late_tap_at_a_table_that_was_heard_is_not_refused_for_a_ruling() -> None:
    """Where the hand simply died, the next tap goes on with the next player."""
    with Room() as room:
        zero = room.begin()
        room.run_until(zero + 1_000)
        room.says(room.dealt, "action.next", table=7)
        assert room.action()["seat"] == 2
        assert room.lines("tap.late") == []


def test_every_late_tap_is_noted() -> None:
    """A dealer who taps again and again is refused each time, and the journal tells of each."""
    with Room() as room:
        zero = room.begin()
        room.cut(room.dealt, zero - 6_000)
        room.run_until(zero + 1_000)
        room.come_back(room.dealt)
        for _ in range(2):
            assert room.refused(room.dealt, "action.next", table=7) == "needs_ruling"
        commands = [line.command for line, _ in room.lines("tap.late")]
        assert len(commands) == len(set(commands)) == 2


# ── the floor rules ──────────────────────────────────────────────────────────────────────────────


def _silenced(room: Room) -> int:
    zero = room.begin()
    room.cut(room.dealt, zero - 5_000)
    room.run_until(zero + 1_000)
    assert room.action()["outcome"] == "needs_ruling"
    room.come_back(room.dealt)
    return zero


PLAY: list[Any] = [
    ("action.start", {"seat": 2}),
    ("action.next", {}),
    ("action.fold", {}),
    ("action.stop", {}),
    ("action.hold", {}),
    ("action.hold", {"acted": False}),
    ("action.release", {}),
    ("action.bank", {"seat": 1, "chips": 1}),
    ("hand.end", {}),
    ("hand.start", {}),
    ("street.next", {}),
    ("called.start", {"seat": 1}),
]


@pytest.mark.parametrize(("do", "args"), PLAY)
def test_nothing_is_played_before_the_floor_has_ruled(do: str, args: dict[str, Any]) -> None:
    """Every command that would go on with the play is refused, whoever gives it."""
    with Room() as room:
        _silenced(room)
        before = room.td.doc("table/7")
        for peer in (room.dealt, room.td):
            if peer is room.td or not do.startswith("called"):
                assert room.refused(peer, do, table=7, **args) == "needs_ruling"
        room.run(500)
        after = room.td.doc("table/7")
        assert {**after, "now": 0} == {**before, "now": 0}


@pytest.mark.parametrize(
    ("outcome", "in_hand", "status"),
    [("dead", False, "expired"), ("check", True, "expired"), ("void", True, "idle")],
)
def test_the_floor_rules_and_the_play_goes_on(outcome: str, in_hand: bool, status: str) -> None:
    """Dead, check or void: the seat is as ruled, and the dealer can go on."""
    with Room() as room:
        _silenced(room)
        floor = room.floor()
        room.says(floor, "action.ruling", table=7, outcome=outcome)
        room.run(50)
        doc = room.td.doc("table/7")
        assert doc["seats"]["1"]["in_hand"] is in_hand
        assert doc["action"]["status"] == status
        if outcome == "void":
            assert doc["hand"]["turn"] == 1
        room.says(room.dealt, "action.next", table=7)
        room.run(50)
        assert room.action()["seat"] == (1 if outcome == "void" else 2)
        assert room.action()["status"] == "running"


def test_a_dealer_cannot_rule() -> None:
    """A ruling is the floor's, also at the dealer's own table."""
    with Room() as room:
        _silenced(room)
        assert room.refused(room.dealt, "action.ruling", table=7, outcome="dead") == "forbidden"


def test_a_ruling_that_is_needed_survives_a_restart() -> None:
    """After a crash the table still waits for the floor, and for nothing else."""
    with Room() as room:
        _silenced(room)
        room.crash(away=2_000)
        floor = room.floor()
        assert floor.doc("table/7")["action"]["outcome"] == "needs_ruling"
        assert room.refused(floor, "action.next", table=7) == "needs_ruling"
        room.says(floor, "action.ruling", table=7, outcome="check")
        room.says(floor, "action.next", table=7)


def test_the_floor_can_undo_its_ruling() -> None:
    """An undone ruling leaves the table as it was: the floor must rule."""
    with Room() as room:
        _silenced(room)
        room.says(room.td, "action.ruling", table=7, outcome="dead")
        room.says(room.td, "undo")
        room.run(50)
        assert room.action()["outcome"] == "needs_ruling"
        assert room.td.doc("table/7")["seats"]["1"]["in_hand"] is True


def test_an_undo_of_something_else_kills_nobody_at_a_silent_table() -> None:
    """Undoing an older command at the table does not turn a needed ruling into a death."""
    with Room() as room:
        room.says(room.dealt, "floor.call", table=7)
        called = room.lines("floor.called")[-1][0].command
        _silenced(room)
        room.says(room.td, "floor.clear", table=7)
        room.says(room.td, "undo", command=called)
        room.run(1_000)
        assert room.action()["outcome"] == "needs_ruling"
        assert room.td.doc("table/7")["seats"]["1"]["in_hand"] is True


# ── other devices ────────────────────────────────────────────────────────────────────────────────


def test_another_device_that_works_the_table_is_heard_for_it() -> None:
    """The device that gave the table's last command is the one that counts."""
    with Room() as room:
        second = room.watched(room.dealer(device="spare-7", delay=10))
        zero = room.begin()
        assert room.refused(second, "floor.call", table=7) == "table_taken"
        room.give_table(second)
        room.says(second, "floor.call", table=7)
        room.cut(room.dealt, zero - 8_000)
        room.run_until(zero + 1_000)
        assert room.action()["outcome"] == "dead"


def test_a_device_that_took_the_table_over_and_was_cut_off_is_silence() -> None:
    """After a takeover it is the new device's link that matters."""
    with Room() as room:
        second = room.watched(room.dealer(device="spare-7", delay=10))
        room.give_table(second)
        zero = room.begin(second)
        room.dealt.disconnect()
        room.cut(second, zero - 8_000)
        room.run_until(zero + 1_000)
        assert room.action()["outcome"] == "needs_ruling"


def test_a_viewer_at_the_table_is_nobody_to_be_heard() -> None:
    """A screen that follows the table says nothing about its dealer's link."""
    with Room() as room:
        wall = room.watched(room.peer())
        wall.doc("table/7")
        zero = room.begin()
        room.cut(room.dealt, zero - 8_000)
        room.run_until(zero + 1_000)
        assert room.action()["outcome"] == "needs_ruling"


def test_a_floor_phone_that_was_put_away_does_not_silence_the_dealer() -> None:
    """A table whose dealer is heard is not silent because somebody else helped out there."""
    with Room() as room:
        phone = room.floor(device="phone")
        zero = room.begin()
        room.says(phone, "floor.call", table=7)
        room.says(phone, "floor.clear", table=7)
        phone.disconnect()
        room.run_until(zero + 1_000)
        assert room.action()["outcome"] == "dead"


def _by_http(room: Room, do: str, **args: Any) -> Done | Refused:
    """Command something as the HTTP API does: no visitor, no tap's instant."""
    answers: list[Done | Refused] = []
    badge, now = Badge("director", "script"), room.now
    command = f"http-{len(room.journal.stored)}"
    order = Order(command, "1", do, {"table": 7, **args}, badge, "api-script", now, now)
    room.hub.order(order, answers.append)
    room.run(1)
    return answers[0]


def test_a_table_without_any_device_is_not_silent() -> None:
    """A table that is worked over HTTP alone has no link to lose: time rules as always."""
    with Room() as room:
        room.dealt.disconnect()
        assert isinstance(_by_http(room, "action.start", seat=1), Done)
        zero = room.action()["ends_at"]
        room.run_until(zero + 1_000)
        assert room.action()["outcome"] == "dead"


def test_a_table_that_goes_over_to_http_is_not_silent_any_more() -> None:
    """Who runs the clock counts: a script that took over from a tablet is never waited for."""
    with Room() as room:
        zero = room.begin()
        room.run_until(zero - 8_000)
        assert isinstance(_by_http(room, "action.hold"), Done)
        assert isinstance(_by_http(room, "action.release"), Done)
        room.dealt.disconnect()
        room.run_until(room.action()["ends_at"] + 1_000)
        assert room.action()["outcome"] == "dead"


def test_a_script_that_only_calls_the_floor_does_not_take_the_table_over() -> None:
    """The dealer's tablet still runs the clock: its silence is still silence."""
    with Room() as room:
        zero = room.begin()
        room.run_until(zero - 8_000)
        assert isinstance(_by_http(room, "floor.call"), Done)
        room.dealt.disconnect()
        room.run_until(zero + 1_000)
        assert room.action()["outcome"] == "needs_ruling"


# ── the called clock ─────────────────────────────────────────────────────────────────────────────


def _called(room: Room) -> int:
    room.says(room.td, "called.start", table=7, seat=1)
    room.says(room.dealt, "floor.call", table=7)  # the tablet works the table, not the director
    ends_at: int = room.td.doc("table/7")["called"]["ends_at"]
    return ends_at


def test_a_called_clock_at_a_silent_table_needs_a_ruling() -> None:
    """The clock that was called on a player runs out like any other: silent tables are ruled."""
    with Room() as room:
        zero = _called(room)
        room.cut(room.dealt, zero - 5_000)
        room.run_until(zero + 1_000)
        called = room.td.doc("table/7")["called"]
        assert (called["status"], called["outcome"]) == ("expired", "needs_ruling")
        assert [line.at for line, _ in room.lines("called.counting")] == [zero - 5_000]
        room.come_back(room.dealt)
        assert room.refused(room.dealt, "action.next", table=7) == "needs_ruling"
        assert room.refused(room.td, "called.start", table=7, seat=2) == "needs_ruling"


def test_a_called_clock_at_a_table_that_is_heard_kills() -> None:
    """Where the device is heard, the called clock ends the hand by itself."""
    with Room() as room:
        zero = _called(room)
        room.run_until(zero + 1_000)
        assert room.td.doc("table/7")["called"]["outcome"] == "dead"


@pytest.mark.parametrize(
    ("outcome", "status", "in_hand"),
    [("dead", "expired", False), ("check", "expired", True), ("void", "off", True)],
)
def test_the_floor_rules_on_a_called_clock(outcome: str, status: str, in_hand: bool) -> None:
    """Dead, check or void, also for a clock that was called."""
    with Room() as room:
        zero = _called(room)
        room.cut(room.dealt, zero - 5_000)
        room.run_until(zero + 1_000)
        room.says(room.td, "action.ruling", table=7, outcome=outcome)
        room.run(50)
        doc = room.td.doc("table/7")
        assert doc["called"]["status"] == status
        assert doc["seats"]["1"]["in_hand"] is in_hand


def test_a_dealer_cannot_stop_a_called_clock_that_needs_a_ruling() -> None:
    """A called clock that ran out unheard is for the floor to rule, not for the dealer to stop."""
    with Room() as room:
        zero = _called(room)
        room.cut(room.dealt, zero - 5_000)
        room.run_until(zero + 1_000)
        room.come_back(room.dealt)
        assert room.refused(room.dealt, "called.stop", table=7) == "needs_ruling"
