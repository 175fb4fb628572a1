"""The disk fails for a while: nothing is acknowledged or shown that is not stored."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

import pytest

from server.journal import verify
from server.protocol.messages import Done, Refused
from tests.rig import Rig

if TYPE_CHECKING:
    from server.journal import Line
    from tests.rig import Peer

MINUTE = 60_000
BASE = 20_000


class Room(Rig):
    """A rig with two events and people at them."""

    def __init__(self) -> None:
        super().__init__()
        self.events = [self.create(tables={7: 3}), self.create(tables={7: 3})]
        self.td = self.director()
        self.dealers = {
            e: self.dealer(e, device=f"tablet-{e}").keeps_probing() for e in self.events
        }
        for event, dealer in self.dealers.items():
            dealer.doc("table/7", event)
            dealer.doc("", event)
            self.says(dealer, "hand.start", event)
        self.td.doc("hub")
        self.run(500)

    def says(self, peer: Peer, do: str, event: str = "1", **args: Any) -> Done:
        """Insist that a command for table 7 is accepted."""
        found = peer.do(do, event=event, table=7, **args)
        assert isinstance(found, Done), found
        return found

    def settled(self) -> None:
        """Insist that what is decided on is what is stored, and that the chain is whole."""
        self.run(250)  # what was missed is being stored
        for desk in self.hub.desks.values():
            assert desk.head is desk.shown
        assert verify(self.journal.stored) is None

    def action(self, event: str = "1") -> dict[str, Any]:
        """Give the action of table 7 as it is shown now."""
        found: dict[str, Any] = self.hub.press.read(f"t/{event}/table/7")[1]["action"]
        return found

    def lines(self, name: str, event: str = "1") -> list[Line]:
        """Find lines of the journal by what they tell."""
        lines = [stored.line for stored in self.journal.stored if stored.line.event == event]
        return [line for line in lines if json.loads(line.body)["event"] == name]


def _frames(peer: Peer) -> list[bytes]:
    """Give the documents that a peer was sent, all but the hub's own."""
    return [f for f in peer.frames if b'"type":"doc"' in f and b'"topic":"hub"' not in f]


# ── nothing is acknowledged, nothing is shown ────────────────────────────────────────────────────


@pytest.mark.parametrize("delay", [0.0, 0.05])
def test_nothing_is_acknowledged_or_shown_that_is_not_stored(delay: float) -> None:
    """A command that cannot be stored is refused with `storage`, and no document says otherwise."""
    with Room() as room:
        dealer = room.dealers["1"]
        before, frames, lines = room.action(), _frames(dealer), len(room.journal.stored)
        room.journal.delay, room.journal.broken = delay, True
        answer = dealer.do("action.start", table=7, seat=1)
        assert isinstance(answer, Refused)
        assert answer.code == "storage"
        assert answer.text
        room.run(3_000)
        assert room.action() == before
        assert _frames(dealer) == frames
        assert len(room.journal.stored) == lines
        room.settled()


def test_the_hubs_document_tells_of_the_trouble_and_of_its_end() -> None:
    """Directors see it within a second of the failure, and within two of the recovery."""
    with Room() as room:
        room.says(room.dealers["1"], "action.start", seat=1)
        assert room.td.doc("hub")["storage"] is None
        room.journal.broken = True
        room.run(1_050)
        assert "disk is full" in room.td.doc("hub")["storage"]
        room.run(10_000)
        assert "disk is full" in room.td.doc("hub")["storage"]
        room.journal.broken = False
        room.run(2_000)
        assert room.td.doc("hub")["storage"] is None


def test_a_failed_tap_tells_of_the_trouble_at_once() -> None:
    """The first command that fails puts the banner up."""
    with Room() as room:
        room.journal.broken = True
        assert isinstance(room.dealers["1"].do("action.start", table=7, seat=1), Refused)
        room.run(10)
        assert room.td.doc("hub")["storage"] is not None


def test_the_trouble_is_found_within_a_second_also_between_hands() -> None:
    """A level clock runs, nobody taps: the banner is up a second after the disk is full."""
    with Room() as room:
        room.journal.broken = True
        room.run(1_100)
        assert room.td.doc("hub")["storage"] is not None


def test_clocks_go_on_showing() -> None:
    """Level and action clocks are shown as they were, and anybody who comes sees them."""
    with Room() as room:
        room.says(room.dealers["1"], "action.start", seat=1)
        wall = room.peer()
        clock, action = wall.doc("")["clock"], wall.doc("table/7")["action"]
        room.journal.broken = True
        room.run(5_000)
        late = room.peer()
        assert late.doc("")["clock"]["ends_at"] == clock["ends_at"]
        assert late.doc("table/7")["action"]["ends_at"] == action["ends_at"]
        assert late.doc("table/7")["action"]["status"] == "running"


def test_a_command_that_failed_works_when_the_disk_does() -> None:
    """The very same command, sent again with its id, is carried out once."""
    with Room() as room:
        dealer = room.dealers["1"]
        room.journal.broken = True
        args: dict[str, Any] = {"table": 7, "seat": 1}
        for _ in range(3):
            dealer.send(*dealer.session.do("same", "1", "action.start", args, dealer.own()))
            room.run(700)
        room.journal.broken = False
        room.run(1_500)
        dealer.news.clear()
        for again in (False, True):
            dealer.send(*dealer.session.do("same", "1", "action.start", args, dealer.own()))
            room.run(100)
            answer = dealer.answer("same")
            assert isinstance(answer, Done)
            assert answer.again is again
            dealer.news.clear()
        started = [line.command for line in room.lines("action.started")]
        assert started == ["same"]
        room.settled()


# ── commands behind a failing one ────────────────────────────────────────────────────────────────


def test_what_was_decided_on_a_failed_command_fails_with_it() -> None:
    """Commands in flight behind a failing one are refused too, though the disk works again."""
    with Room() as room:
        dealer = room.dealers["1"]
        room.journal.delay = 0.1
        taps = [dealer.tap("action.start", table=7, seat=1)]
        room.run(30)
        taps += [dealer.tap("action.next", table=7)]
        room.run(30)
        taps += [dealer.tap("action.fold", table=7)]
        room.run(30)
        room.journal.broken = True
        room.run(20)
        room.journal.broken = False
        room.run(500)
        for tap in taps:
            answer = dealer.answer(tap)
            assert isinstance(answer, Refused)
            assert answer.code == "storage"
        assert room.action()["status"] == "idle"
        room.settled()
        room.says(dealer, "action.start", seat=1)
        assert room.action()["seat"] == 1
        room.settled()


def test_what_was_stored_before_the_failure_stays() -> None:
    """A command that was durable in time is acknowledged; only those behind it never were."""
    with Room() as room:
        dealer = room.dealers["1"]
        room.journal.delay = 0.1
        first = dealer.tap("action.start", table=7, seat=1)
        room.run(60)
        second = dealer.tap("action.next", table=7)
        room.run(60)
        room.journal.broken = True
        room.run(60)
        room.journal.broken = False
        room.run(500)
        assert isinstance(dealer.answer(first), Done)
        assert isinstance(dealer.answer(second), Refused)
        assert room.action()["seat"] == 1
        room.settled()


def test_a_command_is_never_half_applied() -> None:
    """One that writes many lines at many tables is there with all of them, or with none."""
    with Room() as room:
        room.journal.delay = 0.1
        for heals in (True, False, True, False):
            lines = len(room.journal.stored)
            before = room.hub.press.read("t/1/table/7")[1]["seats"]
            tap = room.td.tap("bank.grant", chips=len(room.journal.stored) % 50, mode="set")
            room.run(50)
            room.journal.broken = not heals
            room.run(100)
            room.journal.broken = False
            room.run(300)
            answer, seats = room.td.answer(tap), room.hub.press.read("t/1/table/7")[1]["seats"]
            wrote = [s for s in room.journal.stored[lines:] if s.line.command == tap]
            if heals:
                assert isinstance(answer, Done)
                assert len(wrote) == 2
            else:
                assert isinstance(answer, Refused)
                assert wrote == []
                assert seats == before
            room.settled()


def test_two_desks_fail_and_recover_together() -> None:
    """A failure takes back what is in flight at both events, and both go on."""
    with Room() as room:
        room.journal.delay = 0.1
        taps = {}
        for event, dealer in room.dealers.items():
            taps[event] = dealer.tap("action.start", event=event, table=7, seat=1)
            room.run(20)
        room.journal.broken = True
        room.run(70)  # the first of them fails
        room.journal.broken = False
        room.run(500)
        for event, dealer in room.dealers.items():
            answer = dealer.answer(taps[event])
            assert isinstance(answer, Refused)
            assert answer.code == "storage"
            assert room.action(event)["status"] == "idle"
        room.settled()
        for event, dealer in room.dealers.items():
            room.says(dealer, "action.start", event, seat=2)
            room.run(5)
            assert room.action(event)["seat"] == 2
        room.settled()


def test_no_event_is_created_that_is_not_stored() -> None:
    """An event whose creation failed is not there; the next try makes it, and makes one."""
    with Room() as room:
        room.journal.broken = True
        answer = room.td.do("event.create", event="", preset="888pl")
        assert isinstance(answer, Refused)
        assert answer.code == "storage"
        assert list(room.hub.desks) == room.events
        room.journal.broken = False
        room.run(1_500)
        assert isinstance(room.td.do("event.create", event="", preset="888pl"), Done)
        assert list(room.hub.desks) == [*room.events, "3"]
        assert isinstance(room.td.do("clock.start", event="3"), Done)
        room.settled()


def test_time_is_not_half_given_back() -> None:
    """Giving lost time back writes to the hub and to the event: both, or neither."""
    with Room() as room:
        room.stall(3_000)
        room.run(100)
        ends_at = room.hub.press.read("t/1")[1]["clock"]["ends_at"]
        wish = {"event": "1", "gap": 1}
        for broken in (True, False):
            room.journal.broken = broken
            room.td.send(*room.td.session.do("give", "", "gap.give_back", wish, room.td.own()))
            room.run(10)
            gap = room.hub.press.read("hub")[1]["gaps"][0]
            now = room.hub.press.read("t/1")[1]["clock"]["ends_at"]
            assert gap["given"] == ([] if broken else ["1"])
            assert now == ends_at + (0 if broken else gap["ms"])
            room.td.news.clear()
            room.journal.broken = False
            room.run(1_500)
        room.settled()


# ── time goes on ─────────────────────────────────────────────────────────────────────────────────


def test_what_time_did_is_told_later_with_its_own_instants() -> None:
    """Levels that ended while nothing could be stored are told when it can, and none is late."""
    with Room() as room:
        first = room.hub.press.read("t/1")[1]["clock"]["ends_at"]
        room.run_until(first - 1_000)
        room.journal.broken = True
        room.run(45 * MINUTE)
        shown = room.hub.press.read("t/1")[1]["clock"]
        assert (shown["level"], shown["ends_at"], shown["remaining_ms"]) == (1, first, 0)
        assert room.lines("level.started") == []
        room.journal.broken = False
        room.run(2_500)
        told = [line.at for line in room.lines("level.started")]
        assert told == [first, first + 20 * MINUTE, first + 40 * MINUTE]
        assert room.hub.press.read("t/1")[1]["clock"]["ends_at"] == first + 60 * MINUTE
        room.settled()


def test_a_scheduled_start_is_told_with_its_own_instant() -> None:
    """An event that should have started in the trouble started then."""
    with Room() as room:
        at = room.now + 10_000
        wish = {"preset": "star-brisbane-friday", "starts_at": at}
        assert isinstance(room.td.do("event.create", event="", **wish), Done)
        room.run(5_000)
        room.journal.broken = True
        room.run(20_000)
        room.journal.broken = False
        room.run(2_500)
        (line,) = room.lines("clock.started", "3")
        assert line.at == at
        assert room.hub.press.read("t/3")[1]["clock"]["ends_at"] == at + 20 * MINUTE


@pytest.mark.parametrize("tapped", [True, False])
def test_no_chip_burns_in_the_trouble(tapped: bool) -> None:
    """A clock that ran out while nothing could be stored is held, with all its chips."""
    with Room() as room:
        room.says(room.dealers["1"], "action.start", seat=1)
        zero = room.action()["ends_at"]
        room.run_until(zero - 500)
        room.journal.broken = True
        if tapped:  # and was told that it could not be stored
            assert isinstance(room.dealers["1"].do("action.next", table=7), Refused)
        room.run(3_000)
        assert room.action()["status"] == "expiring"
        room.journal.broken = False
        room.run(2_500)
        assert room.lines("chip.forfeited") == []
        action = room.action()
        assert (action["status"], action["interrupted"]) == ("held", True)
        assert action["remaining_ms"] in (range(490, 501) if tapped else range(501))
        (gap,) = room.td.doc("hub")["gaps"]
        assert (gap["kind"], gap["interrupted"]) == ("storage", ["1/7"])
        assert gap["since"] <= zero + 500
        if tapped:
            room.says(room.dealers["1"], "action.release")
            assert room.action()["status"] == "running"
        room.says(room.dealers["1"], "action.next")
        assert room.lines("chip.forfeited") == []


def test_a_tap_in_time_whose_commit_failed_does_not_cost_the_hand() -> None:
    """A disk that fails once, just then, kills nobody: the dealer had tapped in time."""
    with Room() as room:
        room.td.do("bank.grant", chips=0, mode="set")
        dealer = room.dealers["1"]
        room.says(dealer, "action.start", seat=1)
        zero = room.action()["ends_at"]
        dealer.probe()
        room.run_until(zero - 1_000)
        dealer.probe()
        room.run_until(zero - 10)
        room.journal.delay = 0.1
        tap = dealer.tap("action.next", table=7)
        room.run(50)
        room.journal.broken = True
        room.run(100)
        room.journal.broken = False
        room.run(3_000)
        assert isinstance(dealer.answer(tap), Refused)
        assert [line.body for line in room.lines("action.expired") if b"dead" in line.body] == []


def test_nobodys_time_runs_out_while_no_tap_can_be_stored() -> None:
    """Where the hub refused every tap before zero, the hand is for the floor or the dealer."""
    with Room() as room:
        room.td.do("bank.grant", chips=0, mode="set")
        dealer = room.dealers["1"]
        room.says(dealer, "action.start", seat=1)
        zero = room.action()["ends_at"]
        room.run_until(zero - 2_000)
        room.journal.broken = True
        for _ in range(4):
            assert isinstance(dealer.do("action.next", table=7), Refused)
            room.run(900)
        room.journal.broken = False
        room.run(3_000)
        assert [line.body for line in room.lines("action.expired") if b"dead" in line.body] == []


def test_instants_at_a_table_never_go_back_after_a_failure() -> None:
    """After a failure, too, nothing happens at a table before what happened there before."""
    with Room() as room:
        slow = room.dealer("1", device="slow", delay=140)
        room.run(1_000)
        slow.tap("action.next", table=7)  # made now, read in 140 ms
        room.run(100)
        room.says(room.dealers["1"], "action.start", seat=1)
        room.journal.broken = True
        assert isinstance(room.td.do("announce", text="x"), Refused)
        room.journal.broken = False
        room.run(2_000)
        lines = [s.line for s in room.journal.stored if s.line.event == "1"]
        ats = [line.at for line in lines if b'"table":7' in line.body]
        assert ats == sorted(ats)


# ── again and again ──────────────────────────────────────────────────────────────────────────────


def test_a_disk_that_fails_now_and_then_never_leads_astray() -> None:
    """Fifty failures, taps all the while: what is shown is what is stored, and nothing is twice."""
    with Room() as room:
        taps: list[tuple[Peer, str]] = []
        for n in range(50):
            room.journal.delay = (n % 4) * 0.02
            for event, dealer in room.dealers.items():
                do = ("action.start", "action.next", "floor.call")[n % 3]
                args = {"seat": 1} if do == "action.start" else {}
                taps.append((dealer, dealer.tap(do, event=event, table=7, **args)))
                room.run(7)
            room.journal.broken = True
            room.run(11 * (n % 5))
            room.journal.broken = False
            room.run(13 * (n % 7))
        room.run(3_000)
        room.settled()
        done = {tap for peer, tap in taps if isinstance(peer.answer(tap), Done)}
        assert all(peer.answer(tap) is not None for peer, tap in taps)
        assert 10 < len(done) < len(taps)
        stored = [
            s.line.command
            for s in room.journal.stored
            if b"command.accepted" in s.line.body and s.line.device  # the hub holds clocks, too
        ]
        assert {tap for _, tap in taps} & set(stored) == done
        assert len(stored) == len(set(stored))


def test_a_crash_in_the_trouble_loses_nothing_that_was_acknowledged() -> None:
    """The hub dies while the disk fails: it comes back at what was stored."""
    with Room() as room:
        room.says(room.dealers["1"], "action.start", seat=1)
        room.journal.broken = True
        assert isinstance(room.dealers["1"].do("action.next", table=7), Refused)
        room.crash(away=1_000)
        room.run(50)
        assert (room.action()["seat"], room.action()["status"]) == (1, "held")
        room.settled()


# ── a start on which nothing can be stored ───────────────────────────────────────────────────────


def _back(room: Room) -> None:
    """Let the director come back to a hub that was started again."""
    room.td.connect()
    room.td.follow("hub")
    room.run(50)


def test_a_hub_starts_where_nothing_can_be_stored() -> None:
    """It shows the clocks and takes nothing; it goes on by itself, and holds players' clocks."""
    with Room() as room:
        ends_at = room.hub.press.read("t/1")[1]["clock"]["ends_at"]
        room.says(room.dealers["1"], "action.start", seat=1)
        room.run(1_200)
        alive = room.journal.kept["alive"]
        left = room.action()["ends_at"] - alive
        stored = len(room.journal.stored)
        room.crash(away=1_000, broken=True)
        _back(room)
        assert "disk is full" in room.td.doc("hub")["storage"]
        refused = room.td.do("clock.pause")
        assert isinstance(refused, Refused)
        assert refused.code == "storage"
        room.run(60_000)
        shown = room.hub.press.read("t/1")[1]["clock"]
        assert (shown["status"], shown["ends_at"]) == ("running", ends_at)
        assert len(room.journal.stored) == stored
        room.journal.broken = False
        room.run(2_000)
        assert room.td.doc("hub")["storage"] is None
        action = room.action()
        assert (action["status"], action["interrupted"]) == ("held", True)
        assert left <= action["remaining_ms"] <= left + 1_000  # the instant may be a line's
        names = [json.loads(s.line.body)["event"] for s in room.journal.stored[stored:]]
        assert names.count("hub.started") == 1
        assert names.count("gap.found") == 1
        (gap,) = room.td.doc("hub")["gaps"]
        assert (gap["kind"], gap["interrupted"]) == ("restart", ["1/7"])
        assert gap["ms"] > 60_000
        assert room.journal.kept.get("unfinished start") is None
        assert isinstance(room.td.do("clock.pause"), Done)
        room.settled()


def test_a_second_death_before_it_could_go_on_costs_nobody_anything() -> None:
    """Killed again on the full disk, or just as it is well again: the same instant counts."""
    for heals in (False, True):
        with Room() as room:
            room.says(room.dealers["1"], "action.start", seat=1)
            room.run(1_200)
            left = room.action()["ends_at"] - room.journal.kept["alive"]
            room.crash(away=1_000, broken=True)
            room.run(5_000)
            if heals:
                probe, count = room.journal.put, len(room.journal.stored)

                def once(key: str, value: Any) -> Any:
                    room.journal.broken = False
                    found = probe(key, value)  # noqa: B023 - called before the next turn
                    room.journal.broken = True
                    return found

                room.journal.put = once  # type: ignore[method-assign]
                room.run(3_000)  # what looks whether it can be stored is; nothing else is
                assert len(room.journal.stored) == count
            room.crash(away=20_000)
            room.run(2_000)
            action = room.action()
            assert action["status"] == "held"
            assert left <= action["remaining_ms"] <= left + 1_000
            room.settled()


def test_the_disk_fails_again_while_a_late_start_is_written() -> None:
    """The first write succeeds and the next does not: told again, and gone on once."""
    with Room() as room:
        room.says(room.dealers["1"], "action.start", seat=1)
        room.run(1_200)
        left = room.action()["ends_at"] - room.journal.kept["alive"]
        room.crash(away=1_000, broken=True)
        _back(room)
        room.journal.delay = 0.1
        room.run(500)
        for heals in (120, 230, 340):  # milliseconds: less than all of its commits need
            room.journal.broken = False
            room.run(heals)
            room.journal.broken = True
            room.run(1_500)
        room.journal.broken = False
        room.run(4_000)
        assert room.td.doc("hub")["storage"] is None
        action = room.action()
        assert (action["status"], action["interrupted"]) == ("held", True)
        assert left <= action["remaining_ms"] <= left + 1_000
        assert room.journal.kept.get("unfinished start") is None
        room.settled()


def test_numbers_of_news_go_up_over_restarts() -> None:
    """Also over starts that could not be stored: no screen takes a new hub's word for old."""
    with Room() as room:
        newest = room.hub.press.read("hub")[0]
        for away, broken in ((0, False), (1, True), (1_000, True), (1, False)):
            room.crash(away=away, broken=broken)
            found = room.hub.press.read("hub")[0]
            assert newest < found < 1 << 53
            newest = found


def test_numbers_of_news_go_up_over_power_cuts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without a clock of its own goes on twice from the same instant."""
    boots = itertools.count()
    with Room() as room:
        monkeypatch.setattr("server.hub.boot_id", lambda: f"boot {next(boots)}")
        room.wall_step -= 24 * 3_600_000
        room.crash()
        begun = room.now
        room.journal.broken = True
        newest = max(room.hub.press.read("hub")[0] for _ in range(5))
        room.run(500)
        room.crash()
        assert room.now == begun
        assert newest < room.hub.press.read("hub")[0] < 1 << 53
