"""A table that could not be heard: its time waits, and what was tapped meanwhile counts.

A device that works a table says something every second, as the real ones do. While it cannot be
heard, time rules nothing at its table. When it is back, its taps count from when they were made,
and what still ran is held for the dealer.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from server.access import Badge
from server.credit import BOUND
from server.engine.events import ActionExpired, CalledExpired
from server.ledger import entries
from server.orders import Order
from server.protocol.messages import Done, Refused
from server.watch import BELIEVED, SETTLES_WITHIN, SILENT
from tests.rig import Rig

if TYPE_CHECKING:
    from server.journal import Line
    from tests.rig import Peer

BASE = 20_000
LENGTHS = (3_000, 14_000, 60_000)
SETTLED = SETTLES_WITHIN + 500


class Room(Rig):
    """A rig with a table 7 and a hand in progress, whose devices are heard every second."""

    def __init__(self, *, delay: int = 10, chips: int = 0) -> None:
        super().__init__()
        self.create("star-brisbane-saturday", {7: 3, 8: 3})
        self.td = self.director().keeps_probing()
        self.says(self.td, "bank.grant", chips=chips, mode="set")
        self.dealt = self.dealer(delay=delay, device="tablet-7").keeps_probing()
        self.says(self.dealt, "hand.start", table=7, button=3)

    def says(self, peer: Peer, do: str, **args: Any) -> Done:
        """Insist that a command is accepted."""
        found = peer.do(do, **args)
        assert isinstance(found, Done), found
        return found

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

    def cut(self, since: int, peer: Peer | None = None) -> None:
        """Cut a device off from an instant on, in hub time."""
        self.run_until(since)
        (peer or self.dealt).cut = True

    def tap_at(self, instant: int, do: str, **args: Any) -> str:
        """Let the dealer tap at an instant, whether or not the hub can be reached."""
        self.run_until(instant)
        return self.dealt.tap(do, table=7, **args)

    def come_back(self, at: int | None = None, peer: Peer | None = None) -> int:
        """Let a device connect again, with all that it still waits for; give its last word."""
        self.run_until(at or self.now)
        peer = peer or self.dealt
        peer.cut = False
        peer.disconnect()
        peer.connect()
        self.run(2 * peer.delay + 2)
        assert peer.visitor is not None
        found = self.hub.watch._devices[peer.visitor.device].silence  # noqa: SLF001
        return 0 if found is None else found[0]

    def is_heard_again(self) -> None:
        """Let the wire of table 7's device carry again, until the hub knows that it is back."""
        assert self.dealt.visitor is not None
        device, self.dealt.cut = self.dealt.visitor.device, False
        for _ in range(5_000):
            if self.hub.watch.returning(device):
                return
            self.run(1)
        raise AssertionError(f"{device} was never heard again")

    def action(self, table: int = 7) -> dict[str, Any]:
        """Give a table's action as everybody sees it."""
        found: dict[str, Any] = self.td.doc(f"table/{table}")["action"]
        return found

    def assumed(self) -> dict[str, Any] | None:
        """Give what the floor has to see of table 7."""
        self.run(1_000)
        found: dict[str, Any] | None = self.td.doc("tables")["tables"]["7"]["assumed"]
        return found

    def lines(self, name: str) -> list[tuple[Line, dict[str, Any]]]:
        """Find lines of the journal by what they tell."""
        found = [(stored.line, json.loads(stored.line.body)) for stored in self.journal.stored]
        return [(line, body) for line, body in found if body["event"] == name]

    def line_of(self, command: str) -> Line:
        """Find the line of a command that was accepted."""
        accepted = [line for line, _ in self.lines("command.accepted")]
        return next(line for line in accepted if line.command == command)

    def nobody_lost(self) -> None:
        """Insist that time has cost nobody anything."""
        assert self.lines("action.expired") == []
        assert self.lines("called.expired") == []
        assert self.lines("chip.forfeited") == []
        seats = self.td.doc("table/7")["seats"]
        assert [seats[seat]["in_hand"] for seat in ("1", "2", "3")] == [True] * 3

    def by_http(self, do: str, **args: Any) -> Done | Refused:
        """Command something as the HTTP API does: no visitor, no tap's instant."""
        answers: list[Done | Refused] = []
        badge, now = Badge("director", "script"), self.now
        command = f"http-{len(self.journal.stored)}"
        order = Order(command, "1", do, {"table": 7, **args}, badge, "api-script", now, now)
        self.hub.order(order, answers.append)
        self.run(1)
        return answers[0]


# ── a verdict needs a word of the device ─────────────────────────────────────────────────────────


@pytest.mark.parametrize("delay", [0, 10, 140, 400])
def test_a_device_that_is_heard_is_ruled_at_once(delay: int) -> None:
    """At zero the device is asked: over an honest link the hand dies when the grace is over."""
    with Room(delay=delay) as room:
        zero = room.begin()
        room.run_until(zero + 299)
        assert room.action()["outcome"] is None
        room.run_until(zero + max(2 * delay, 300) + 60)
        assert room.action()["outcome"] == "dead"
        assert [line.at for line, _ in room.lines("action.expired")] == [zero + 1]


@pytest.mark.parametrize("ms", [400, 900, 1_900])
def test_a_short_cut_over_zero_delays_the_verdict(ms: int) -> None:
    """Nobody is ruled on before the device was heard again; then nothing was tapped, and it is."""
    with Room() as room:
        zero = room.begin()
        room.run_until(zero - 100)
        room.dealt.probe()
        room.cut(zero - 50)
        room.run_until(zero + ms)
        assert room.action()["outcome"] is None
        room.dealt.cut = False
        room.run(SETTLED)
        assert room.action()["outcome"] == "dead"
        assert [line.at for line, _ in room.lines("action.expired")] == [zero + 1]


@pytest.mark.parametrize("chips", [0, 1])
@pytest.mark.parametrize("away", [*LENGTHS, 3_600_000])
def test_nothing_is_ruled_while_the_device_is_silent(away: int, chips: int) -> None:
    """No chip burns and no hand dies, however long it takes."""
    with Room(chips=chips) as room:
        zero = room.begin()
        room.cut(zero - 1_000)
        room.run_until(zero + away)
        room.nobody_lost()
        assert room.action()["outcome"] is None


@pytest.mark.parametrize("away", LENGTHS)
def test_a_clock_that_ran_in_a_silence_is_held_where_it_stood(away: int) -> None:
    """When the device is back, nobody has lost time, and the dealer lets the clock go on."""
    with Room(chips=2) as room:
        zero = room.begin()
        room.cut(zero - 1_500)
        since = room.come_back(zero + away)
        room.run(SETTLED)
        room.nobody_lost()
        action = room.action()
        assert (action["status"], action["interrupted"]) == ("held", True)
        assert action["remaining_ms"] == zero - since > 1_500
        ((_, held),) = room.lines("action.held")
        assert held["silent"] is True
        ((_, ended),) = room.lines("silence.ended")
        assert (ended["since"], ended["held"]) == (since, 1)
        room.says(room.dealt, "action.release", table=7)
        room.run(50)
        assert room.action()["status"] == "running"
        room.run(action["remaining_ms"] + 1_000)
        assert len(room.lines("chip.forfeited")) == 1


def test_a_silence_before_zero_is_held_as_well() -> None:
    """The device is back before time is up: the player has what was left at its last word."""
    with Room() as room:
        zero = room.begin()
        room.cut(zero - 10_000)
        since = room.come_back(zero - 3_000)
        room.run(SETTLED)
        assert room.action()["remaining_ms"] == zero - since
        room.nobody_lost()


def test_the_last_chip_is_not_burnt_and_its_time_is_given_back() -> None:
    """A chip that burns when the silence begins has what it had then."""
    with Room(chips=1) as room:
        zero = room.begin() + BASE
        room.cut(zero - 4_000)
        since = room.come_back(zero + 30_000)
        room.run(SETTLED)
        assert len(room.lines("chip.forfeited")) == 1
        assert room.lines("action.expired") == []
        action = room.action()
        assert (action["status"], action["on_bank"]) == ("held", 1)
        assert action["remaining_ms"] == zero - since


def test_a_lost_connection_is_silence_too() -> None:
    """A tablet whose connection is closed is as silent as one whose packets are lost."""
    with Room() as room:
        zero = room.begin()
        room.run_until(zero - 6_000)
        room.dealt.disconnect()
        room.run_until(zero + 60_000)
        room.nobody_lost()


def test_a_device_that_comes_back_on_the_same_connection_is_held() -> None:
    """A hole in the air is a silence, whether or not the connection outlives it."""
    with Room() as room:
        zero = room.begin()
        room.cut(zero - 1_000)
        room.run_until(zero + 5_000)
        room.dealt.cut = False
        room.run(SETTLED)
        room.nobody_lost()
        assert room.action()["status"] == "held"


def test_silence_at_one_table_excuses_no_other() -> None:
    """Each table is judged by its own device, and a silent one keeps no other waiting."""
    with Room() as room:
        other = room.dealer(table=8, delay=10, device="tablet-8").keeps_probing()
        zero = room.begin()
        room.says(other, "action.start", table=8, seat=1)
        room.cut(zero - 5_000)
        room.run_until(zero + 1_000)
        assert room.action(7)["outcome"] is None
        assert room.action(8)["outcome"] == "dead"


def test_the_level_goes_on_while_a_table_waits() -> None:
    """A table that waits holds up nothing else of the room."""
    with Room() as room:
        zero = room.begin()
        room.cut(zero - 5_000)
        room.run_until(zero + 1_000)
        room.says(room.td, "clock.set", remaining_ms=5_000)
        due = room.now + 5_000
        room.run(6_000)
        (started,) = [line.at for line, body in room.lines("level.started") if line.at > zero]
        assert due - 10 <= started <= due


# ── taps that were kept ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("away", LENGTHS)
@pytest.mark.parametrize("chips", [0, 3])
def test_a_tap_made_in_a_silence_counts_from_its_instant(away: int, chips: int) -> None:
    """The player acted in time; the next one has the full time; both are marked."""
    with Room(chips=chips) as room:
        zero = room.begin()
        room.cut(zero - 1_500)
        tap = room.tap_at(zero - 500, "action.next")
        since = room.come_back(zero + away)
        until = room.now
        assert isinstance(room.dealt.answer(tap), Done)
        line = room.line_of(tap)
        assert line.at == line.tapped == zero - 500
        room.run(SETTLED)
        room.nobody_lost()
        action = room.action()
        assert (action["status"], action["seat"], action["interrupted"]) == ("held", 2, True)
        assert action["remaining_ms"] == BASE
        ((kept, body),) = room.lines("tap.kept")
        assert (kept.command, kept.at, body["since"]) == (tap, zero - 500, since)
        assert zero + away < body["until"] <= until


def test_a_tap_made_after_zero_in_a_silence_just_counts() -> None:
    """Time had waited for it."""
    with Room(chips=1) as room:
        zero = room.begin()
        room.cut(zero - 1_500)
        tap = room.tap_at(zero + 5_000, "action.next")
        room.come_back(zero + 14_000)
        room.run(SETTLED)
        room.nobody_lost()
        assert room.line_of(tap).at == zero + 5_000
        assert (room.action()["seat"], room.action()["remaining_ms"]) == (2, BASE)


def test_a_chip_played_after_zero_in_a_silence_gives_its_whole_time() -> None:
    """Time had waited at zero: the chip's time begins when it was pushed."""
    with Room(chips=1) as room:
        zero = room.begin()
        room.cut(zero - 1_500)
        room.tap_at(zero + 5_000, "action.bank", seat=1, chips=1)
        room.come_back(zero + 14_000)
        room.run(SETTLED)
        assert room.lines("chip.forfeited") == []
        assert room.action()["remaining_ms"] >= BASE


def test_taps_of_a_silence_are_taken_in_their_order() -> None:
    """A whole round that was played without the hub is played again, each tap at its instant."""
    with Room() as room:
        zero = room.begin()
        room.cut(zero - 1_500)
        made = [zero - 400, zero + 3_000, zero + 6_000]
        done = ["action.next", "action.hold", "action.next"]  # a call, a raise, and it is counted
        taps = [room.tap_at(at, do) for at, do in zip(made, done, strict=True)]
        room.come_back(zero + 14_000)
        assert [room.line_of(tap).at for tap in taps] == made
        room.run(SETTLED)
        room.nobody_lost()
        assert (room.action()["seat"], room.action()["remaining_ms"]) == (3, BASE)
        assumed = room.assumed()
        assert assumed is not None
        assert (assumed["taps"], assumed["held"]) == (3, 3)


def test_a_tap_that_was_lost_with_the_link_counts() -> None:
    """What was sent a moment before the link was lost may lie before the hub's last word."""
    with Room(delay=100) as room:
        zero = room.begin()
        room.run_until(zero - 1_000)
        room.dealt.probe()
        room.run(50)
        tapped, tap = room.now, room.dealt.tap("action.next", table=7)
        room.run(60)
        room.dealt.cut = True
        since = room.come_back(zero + 14_000)
        assert tapped < since
        room.run(SETTLED)
        assert room.line_of(tap).at == tapped
        room.nobody_lost()


def test_an_answer_of_an_earlier_return_says_nothing_of_a_later_one() -> None:
    """Cut off twice: a question that lay in the first connection comes before what was kept."""
    with Room() as room:
        zero = room.begin()
        room.cut(zero - 8_000)
        room.run(2_000)
        room.is_heard_again()
        room.run(2 * room.dealt.delay + 2)  # it answers, and is cut off before it has asked again
        room.dealt.cut = True
        tap = room.tap_at(zero - 500, "action.next")
        room.run_until(zero + 3_000)
        room.is_heard_again()
        room.come_back()
        room.run(SETTLED)
        assert room.line_of(tap).at == zero - 500
        room.nobody_lost()


def test_who_is_cut_off_again_is_waited_for_as_long_again() -> None:
    """What was to be waited for at most after the first return does not end the second one."""
    with Room() as room:
        zero = room.begin()
        room.cut(zero - 8_000)
        room.run(2_000)
        room.is_heard_again()
        returned, there_and_back = room.now, 2 * room.dealt.delay + 2
        room.run(there_and_back)
        room.dealt.probe()  # it has said all that it kept
        room.run(there_and_back)
        room.dealt.cut = True
        made = returned + 1_500
        tap = room.tap_at(made, "action.next")
        room.run_until(returned + SETTLES_WITHIN - there_and_back)
        room.dealt.probe()
        room.is_heard_again()
        assert room.now < returned + SETTLES_WITHIN
        room.come_back(returned + SETTLES_WITHIN + 2)
        room.run(SETTLED)
        assert room.line_of(tap).at == made
        room.nobody_lost()


def test_who_comes_and_goes_for_ever_holds_no_table_up() -> None:
    """A word now and then, and no answer: the clock is held, and the floor sees it."""
    with Room() as room:
        zero = room.begin()
        room.cut(zero - 9_000)
        for _ in range(6):
            room.run(1_500)
            room.dealt.cut = False
            room.dealt.probe()
            room.run(room.dealt.delay)
            room.dealt.cut = True
        assert room.action()["status"] == "held"
        assert room.assumed() is not None
        room.nobody_lost()


def test_a_kept_tap_counts_where_the_floor_was_before_the_silence() -> None:
    """Who worked a table before its tablet was silent has not worked it since."""
    with Room() as room:
        room.dealt.cut = True
        room.run(4_000)
        room.says(room.td, "action.start", table=7, seat=1)  # the floor runs the clock
        room.come_back()
        room.run(SETTLED)
        room.cut(room.now)
        tap = room.tap_at(room.now + 4_000, "action.next")
        room.run(1_000)
        room.come_back()
        room.run(SETTLED)
        assert room.line_of(tap).at == room.line_of(tap).tapped
        room.nobody_lost()


@pytest.mark.parametrize("ms", [1_400, 2_400])
def test_a_tap_made_in_a_short_silence_counts_as_well(ms: int) -> None:
    """Whenever the hub has missed a word of the device, it knows why the tap is late."""
    with Room(chips=1) as room:
        zero = room.begin()
        room.run_until(zero - 300)
        room.dealt.probe()
        room.cut(zero - 280)
        tap = room.tap_at(zero - 200, "action.next")
        room.come_back(zero - 280 + ms)
        room.run(SETTLED)
        room.nobody_lost()
        assert room.line_of(tap).at == zero - 200
        assert room.action()["status"] == "running"  # nobody missed much


def test_a_tap_of_a_device_that_was_heard_is_not_believed() -> None:
    """A claim that lies in no silence counts from 300 ms before it came, as ever."""
    with Room() as room:
        zero = room.begin()
        room.cut(zero - 12_000)
        room.come_back(zero - 7_000)
        room.run(SETTLED)
        room.says(room.dealt, "action.release", table=7)
        room.dealt.session.clock._offset = -9_000  # type: ignore[attr-defined]  # noqa: SLF001
        tap = room.dealt.tap("action.next", table=7)
        room.run(50)
        line = room.line_of(tap)
        assert line.received - line.at <= BOUND


def test_a_silence_of_more_than_ten_minutes_is_not_believed() -> None:
    """Then nobody knows what happened: taps count as they come, and still nobody has lost."""
    with Room() as room:
        zero = room.begin()
        room.cut(zero - 1_500)
        tap = room.tap_at(zero - 500, "action.next")
        room.come_back(zero + BELIEVED + 1_000)
        room.run(SETTLED)
        line = room.line_of(tap)
        assert line.received - line.at <= BOUND
        assert room.lines("tap.kept") == []
        room.nobody_lost()


def test_a_tap_after_the_return_is_nothing_special() -> None:
    """The dealer goes on at once: that clock was seen by everybody, and is not held."""
    with Room() as room:
        zero = room.begin()
        room.cut(zero - 1_500)
        room.come_back(zero + 14_000)
        tap = room.tap_at(room.now + 100, "action.next")
        room.run(SETTLED)
        assert room.lines("tap.kept") == []
        assert room.line_of(tap).at > zero + 14_000
        assert (room.action()["status"], room.action()["seat"]) == ("running", 2)
        room.nobody_lost()


def test_a_new_hand_of_a_silence_is_played_on() -> None:
    """The rest of a hand and the next one, all tapped without the hub."""
    with Room() as room:
        zero = room.begin()
        room.cut(zero - 1_500)
        room.tap_at(zero + 1_000, "hand.end")
        room.tap_at(zero + 5_000, "hand.start")
        room.tap_at(zero + 9_000, "action.start", seat=2)
        room.come_back(zero + 14_000)
        room.run(SETTLED)
        assert room.td.doc("table/7")["hand"]["number"] == 2
        assert (room.action()["seat"], room.action()["remaining_ms"]) == (2, BASE)
        assumed = room.assumed()
        assert assumed is not None
        assert assumed["taps"] == 3


# ── the called clock ─────────────────────────────────────────────────────────────────────────────


def _called(room: Room) -> int:
    room.says(room.td, "called.start", table=7, seat=1)
    ends_at: int = room.td.doc("table/7")["called"]["ends_at"]
    return ends_at


@pytest.mark.parametrize("away", LENGTHS)
def test_a_called_clock_waits_and_is_held(away: int) -> None:
    """A clock that was called on a player does not run out at a silent table."""
    with Room() as room:
        zero = _called(room)
        room.cut(zero - 2_000)
        since = room.come_back(zero + away)
        room.run(SETTLED)
        room.nobody_lost()
        doc = room.td.doc("table/7")
        assert doc["paused"] == "the tablet was silent"
        assert doc["called"]["remaining_ms"] == zero - since
        room.says(room.td, "table.resume", table=7)
        room.run(zero - since + 1_000)
        assert room.td.doc("table/7")["called"]["outcome"] == "dead"


def test_a_called_clock_that_was_stopped_in_a_silence_is_stopped() -> None:
    """The player acted, and the dealer said so."""
    with Room() as room:
        zero = _called(room)
        room.cut(zero - 2_000)
        tap = room.tap_at(zero - 100, "called.stop")
        room.come_back(zero + 14_000)
        room.run(SETTLED)
        room.nobody_lost()
        assert room.line_of(tap).at == zero - 100
        assert room.td.doc("table/7")["called"]["status"] == "off"
        assert room.td.doc("table/7")["paused"] is None


def test_a_called_clock_at_a_table_that_is_heard_kills() -> None:
    """Where the device is heard, the called clock ends the hand by itself."""
    with Room() as room:
        zero = _called(room)
        room.run_until(zero + 1_000)
        assert room.td.doc("table/7")["called"]["outcome"] == "dead"


# ── what else happens meanwhile ──────────────────────────────────────────────────────────────────


def test_the_floor_acts_at_a_silent_table_at_once() -> None:
    """Who runs the clock there from now on is heard: time rules again."""
    with Room() as room:
        floor = room.floor().keeps_probing()
        zero = room.begin()
        room.cut(zero - 1_500)
        room.run_until(zero + 5_000)
        before = room.now
        room.says(floor, "action.next", table=7)
        assert room.now - before < 50
        room.run(50)
        room.nobody_lost()
        assert (room.action()["status"], room.action()["seat"]) == ("running", 2)
        room.run_until(room.action()["ends_at"] + 1_000)
        assert [body["seat"] for _, body in room.lines("action.expired")] == [2]


def test_a_tap_of_who_was_silent_does_not_undo_what_the_floor_did() -> None:
    """The floor has gone on: a tap made before knows nothing of it, is refused, and is noted."""
    with Room() as room:
        floor = room.floor().keeps_probing()
        zero = room.begin()
        room.cut(zero - 1_500)
        tap = room.tap_at(zero + 1_000, "action.next")
        room.run_until(zero + 5_000)
        room.says(floor, "action.next", table=7)
        room.come_back(zero + 9_000)
        answer = room.dealt.answer(tap)
        assert isinstance(answer, Refused)
        assert answer.code == "stale"
        assert [line.command for line, _ in room.lines("tap.late")] == [tap]
        told = next(entries(reversed(room.hub.desks["1"].tail)))
        assert "somebody else had worked the table" in told["explain"]
        room.run(SETTLED)
        assert (room.action()["status"], room.action()["seat"]) == ("running", 2)


def test_another_tablet_takes_the_table_over() -> None:
    """The new device's link matters from its first tap on; the old one's taps are not taken."""
    with Room() as room:
        second = room.dealer(device="spare-7", delay=10).keeps_probing()
        zero = room.begin()
        room.cut(zero - 1_500)
        tap = room.tap_at(zero + 1_000, "action.next")
        room.run_until(zero + 4_000)
        room.give_table(second)
        room.nobody_lost()
        room.says(second, "action.next", table=7)
        room.come_back(zero + 9_000)
        answer = room.dealt.answer(tap)
        assert isinstance(answer, Refused)
        assert answer.code == "table_taken"
        room.run(SETTLED)
        assert (room.action()["status"], room.action()["seat"]) == ("running", 2)
        room.run_until(room.action()["ends_at"] + 1_000)
        assert room.action()["outcome"] == "check", "the big blind's option, ruled at once"


def test_a_floor_that_only_looks_after_a_call_costs_nobody_time() -> None:
    """What somebody else writes at the table changes nothing of what was certain."""
    with Room() as room:
        room.says(room.dealt, "floor.call", table=7)
        zero = room.begin()
        room.cut(zero - 1_500)
        room.run_until(zero + 9_000)
        room.says(room.td, "floor.clear", table=7)
        since = room.come_back(zero + 14_000)
        room.run(SETTLED)
        assert room.action()["remaining_ms"] == zero - since
        room.nobody_lost()


@pytest.mark.parametrize("stop", ["clock.pause", "table.pause"])
@pytest.mark.parametrize("goes_on", [True, False])
def test_a_pause_in_a_silence_costs_nobody_time(stop: str, goes_on: bool) -> None:
    """Time that stood is not counted, and what was certain is given back."""
    with Room() as room:
        args = {"table": 7} if stop == "table.pause" else {}
        zero = room.begin()
        room.cut(zero - 1_500)
        room.run_until(zero + 3_000)
        room.says(room.td, stop, **args)
        room.run_until(zero + 8_000)
        if goes_on:
            room.says(room.td, stop.replace("pause", "resume"), **args)
        since = room.come_back(zero + 14_000)
        room.run(SETTLED)
        room.nobody_lost()
        action = room.action()
        assert action["interrupted"] is True
        assert action["remaining_ms"] == zero - since


def test_a_clock_that_stood_through_a_silence_is_not_held() -> None:
    """Nothing ran: there is nothing to give back, and nothing to see."""
    with Room() as room:
        room.begin()
        room.says(room.td, "clock.pause")
        room.cut(room.now + 1_000)
        room.come_back(room.now + 14_000)
        room.run(SETTLED)
        assert room.action()["interrupted"] is False
        assert room.assumed() is None


def test_a_floor_phone_that_was_put_away_does_not_silence_the_dealer() -> None:
    """A table whose dealer is heard is not silent because somebody else helped out there."""
    with Room() as room:
        phone = room.floor(device="phone")
        room.begin()
        room.says(phone, "action.hold", table=7, acted=False)
        room.says(phone, "action.release", table=7)
        phone.disconnect()
        room.run(50)
        room.run_until(room.action()["ends_at"] + 1_000)
        assert room.action()["outcome"] == "dead"


def test_a_viewer_at_the_table_is_nobody_to_be_heard() -> None:
    """A screen that follows the table says nothing about its dealer's link."""
    with Room() as room:
        wall = room.peer().keeps_probing()
        wall.doc("table/7")
        zero = room.begin()
        room.cut(zero - 8_000)
        room.run_until(zero + 5_000)
        room.nobody_lost()


def test_a_table_without_any_device_is_not_silent() -> None:
    """A table that is worked over HTTP alone has no link to lose: time rules as always."""
    with Room() as room:
        room.dealt.disconnect()
        room.run(SILENT)
        assert isinstance(room.by_http("action.start", seat=1), Done)
        zero = room.action()["ends_at"]
        room.run_until(zero + 1_000)
        assert room.action()["outcome"] == "dead"


def test_a_table_that_goes_over_to_http_is_not_silent_any_more() -> None:
    """A script that took over from a tablet which is gone is never waited for."""
    with Room() as room:
        zero = room.begin()
        room.run_until(zero - 8_000)
        room.dealt.disconnect()
        room.run(SILENT + 1_000)
        assert isinstance(room.by_http("action.hold"), Done)
        assert isinstance(room.by_http("action.release"), Done)
        room.run_until(room.action()["ends_at"] + 1_000)
        assert room.action()["outcome"] == "dead"


def test_a_script_that_only_calls_the_floor_does_not_take_the_table_over() -> None:
    """The dealer's tablet still runs the clock: its silence is still silence."""
    with Room() as room:
        zero = room.begin()
        room.run_until(zero - 8_000)
        room.dealt.disconnect()
        room.run(SILENT + 1_000)
        assert isinstance(room.by_http("floor.call"), Done)
        room.run_until(zero + 5_000)
        room.nobody_lost()


# ── undo ─────────────────────────────────────────────────────────────────────────────────────────


def test_the_floor_takes_a_kept_tap_back() -> None:
    """One undo at the table: the player before has what was certain, and nobody has lost."""
    with Room() as room:
        zero = room.begin()
        room.cut(zero - 1_500)
        room.tap_at(zero - 500, "action.next")
        since = room.come_back(zero + 14_000)
        room.run(SETTLED)
        assumed = room.assumed()
        assert assumed is not None
        room.says(room.td, "undo", command=assumed["tap"])
        assert room.assumed() is None
        action = room.action()
        assert (action["status"], action["seat"]) == ("held", 1)
        assert action["remaining_ms"] == zero - since
        room.nobody_lost()


def test_a_clock_that_an_undo_restores_does_not_die_of_the_silence() -> None:
    """Its time ran out while nobody could tap: it is held, not ruled."""
    with Room() as room:
        zero = room.begin()
        room.cut(zero - 1_500)
        room.tap_at(zero - 500, "action.stop")
        since = room.come_back(zero + 14_000)
        room.run(SETTLED)
        assert room.action()["status"] == "idle"
        room.says(room.td, "undo", table=7)
        room.run(1_000)
        room.nobody_lost()
        action = room.action()
        assert (action["status"], action["interrupted"]) == ("held", True)
        assert action["remaining_ms"] == zero - since


def test_an_undo_of_something_before_the_silence_rules_nothing_in_it() -> None:
    """Time that is told again tells nothing of a silence."""
    with Room() as room:
        room.says(room.dealt, "floor.call", table=7)
        called = room.lines("floor.called")[-1][0].command
        zero = room.begin()
        room.cut(zero - 1_500)
        room.tap_at(zero + 2_000, "action.next")
        room.come_back(zero + 14_000)
        room.run(SETTLED)
        room.says(room.td, "undo", command=called)
        room.run(1_000)
        room.nobody_lost()
        assert (room.action()["status"], room.action()["seat"]) == ("held", 2)


# ── a hub that was away ──────────────────────────────────────────────────────────────────────────


def test_a_tap_made_while_the_hub_was_away_counts_from_its_instant() -> None:
    """A hub that comes back knows since when it has heard nobody."""
    with Room() as room:
        zero = room.begin()
        room.run_until(zero - 3_000)
        room.dealt.disconnect()
        tap = room.dealt.tap("action.next", table=7)
        tapped = room.now
        room.run(500)
        room.crash(away=6_000)
        room.td = room.director().keeps_probing()
        room.dealt.connect()
        room.run(SETTLED)
        assert isinstance(room.dealt.answer(tap), Done)
        assert room.lines("action.expired") == []
        line = room.line_of(tap)
        assert line.tapped == tapped
        action = room.action()
        assert (action["status"], action["seat"], action["remaining_ms"]) == ("held", 2, BASE)


def test_a_hub_that_dies_while_a_table_waits_costs_nobody_anything() -> None:
    """Nobody knows any more since when the tablet was silent: the player has all the time."""
    with Room(chips=1) as room:
        zero = room.begin()
        room.cut(zero - 1_500)
        room.run_until(zero + 9_000)
        room.crash(away=2_000)
        room.td = room.director().keeps_probing()
        room.run(1_000)
        room.nobody_lost()
        action = room.action()
        assert (action["status"], action["remaining_ms"]) == ("held", BASE)


def test_a_hub_that_stalls_while_a_table_waits_goes_on_waiting() -> None:
    """What is certain is what the player had when the device was last heard."""
    with Room() as room:
        zero = room.begin()
        room.cut(zero - 1_500)
        room.run_until(zero + 9_000)
        room.stall(3_000)
        room.run(1_000)
        since = room.come_back(zero + 14_000)
        room.run(SETTLED)
        room.nobody_lost()
        assert room.action()["remaining_ms"] == zero - since


# ── what the floor sees ──────────────────────────────────────────────────────────────────────────


def _assumed(room: Room) -> tuple[int, int]:
    zero = room.begin()
    room.cut(zero - 1_500)
    room.tap_at(zero - 500, "action.next")
    since = room.come_back(zero + 14_000)
    room.run(SETTLED)
    return zero, since


def test_the_board_says_what_was_assumed() -> None:
    """Since when, until when, how many taps, whose clock, and all of it in words."""
    with Room() as room:
        zero, since = _assumed(room)
        assumed = room.assumed()
        assert assumed is not None
        assert assumed["since"] == since
        assert zero + 14_000 <= assumed["until"] < zero + 14_100
        assert (assumed["taps"], assumed["held"]) == (1, 2)
        words = "tablet silent for 0:17: 1 tap counted from when made and the clock of seat 2 held"
        assert assumed["text"] == words
        assert room.td.doc("tables")["tables"]["8"]["assumed"] is None


def test_what_was_assumed_survives_a_restart() -> None:
    """It is told until somebody has seen it."""
    with Room() as room:
        _assumed(room)
        before = room.assumed()
        room.crash()
        room.td = room.director().keeps_probing()
        assert room.assumed() == before is not None


def test_the_floor_has_seen_it() -> None:
    """Somebody of the floor says so; a dealer may not, and there is nothing to see twice."""
    with Room() as room:
        _assumed(room)
        floor = room.floor()
        assert room.refused(room.dealt, "silence.seen", table=7) == "forbidden"
        room.says(floor, "silence.seen", table=7)
        assert room.assumed() is None
        assert room.refused(floor, "silence.seen", table=7) == "not_allowed"


def test_the_next_hand_has_dealt_with_it() -> None:
    """What was assumed of a hand that is over need not be seen any more."""
    with Room() as room:
        _assumed(room)
        room.says(room.dealt, "hand.end", table=7)
        assert room.assumed() is not None
        room.says(room.dealt, "hand.start", table=7)
        assert room.assumed() is None


def test_the_journal_says_why_a_tap_counted() -> None:
    """In words that can be shown to who disputes it."""
    with Room() as room:
        _, since = _assumed(room)
        told = list(entries(reversed(room.hub.desks["1"].tail)))
        tap = next(entry for entry in told if entry["what"] == "action.next")
        assert "counted from the tap, the tablet was silent for 0:17" in "".join(tap["then"])
        assert "before it was received: the tablet was silent" in tap["explain"]
        held = next(entry for entry in told if entry["what"] == "table.interrupt")
        assert held["text"] == "Table 7: held while the tablet was silent"
        held = next(entry for entry in told if entry["what"] == "action.held")
        assert held["text"] == "Table 7, seat 2: the clock stands at 0:20, the tablet was silent"
        ended = next(entry for entry in told if entry["what"] == "silence.ended")
        assert "nobody loses time" in ended["explain"]
        assert since > 0


# ── rulings that an older hub asked for ──────────────────────────────────────────────────────────


def _needs_ruling(room: Room, *, called: bool = False) -> None:
    """Let the journal say what hubs wrote before tables waited."""
    if called:
        room.says(room.td, "called.start", table=7, seat=1)
        event: Any = CalledExpired(at=room.now, table=7, seat=1, outcome="needs_ruling")
    else:
        room.begin()
        event = ActionExpired(at=room.now, table=7, seat=1, outcome="needs_ruling")
    room.hub.desks["1"].commit([event], None)
    room.run(50)


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
    """Every command that would go on with the play is refused, whoever gives it; taps are noted."""
    with Room() as room:
        _needs_ruling(room)
        before = room.td.doc("table/7")
        for peer in (room.dealt, room.td):
            if peer is room.td or not do.startswith("called"):
                assert room.refused(peer, do, table=7, **args) == "needs_ruling"
        room.run(500)
        after = room.td.doc("table/7")
        assert {**after, "now": 0} == {**before, "now": 0}
        assert room.lines("tap.late") != []


@pytest.mark.parametrize(
    ("outcome", "in_hand", "status"),
    [("dead", False, "expired"), ("check", True, "expired"), ("void", True, "idle")],
)
def test_the_floor_rules_and_the_play_goes_on(outcome: str, in_hand: bool, status: str) -> None:
    """Dead, check or void: the seat is as ruled, and the dealer can go on."""
    with Room() as room:
        _needs_ruling(room)
        floor = room.floor()
        assert room.refused(room.dealt, "action.ruling", table=7, outcome=outcome) == "forbidden"
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


@pytest.mark.parametrize(
    ("outcome", "status", "in_hand"),
    [("dead", "expired", False), ("check", "expired", True), ("void", "off", True)],
)
def test_the_floor_rules_on_a_called_clock(outcome: str, status: str, in_hand: bool) -> None:
    """Dead, check or void, also for a clock that was called."""
    with Room() as room:
        _needs_ruling(room, called=True)
        assert room.refused(room.dealt, "called.stop", table=7) == "needs_ruling"
        room.says(room.td, "action.ruling", table=7, outcome=outcome)
        room.run(50)
        doc = room.td.doc("table/7")
        assert doc["called"]["status"] == status
        assert doc["seats"]["1"]["in_hand"] is in_hand


def test_a_ruling_that_is_needed_survives_a_restart() -> None:
    """After a crash the table still waits for the floor, and for nothing else."""
    with Room() as room:
        _needs_ruling(room)
        room.crash(away=2_000)
        floor = room.floor()
        assert floor.doc("table/7")["action"]["outcome"] == "needs_ruling"
        assert room.refused(floor, "action.next", table=7) == "needs_ruling"
        room.says(floor, "action.ruling", table=7, outcome="check")
        room.says(floor, "action.next", table=7)


def test_the_floor_can_undo_its_ruling() -> None:
    """An undone ruling leaves the table as it was: the floor must rule."""
    with Room() as room:
        _needs_ruling(room)
        room.says(room.td, "action.ruling", table=7, outcome="dead")
        room.says(room.td, "undo")
        room.run(50)
        assert room.action()["outcome"] == "needs_ruling"
        assert room.td.doc("table/7")["seats"]["1"]["in_hand"] is True
