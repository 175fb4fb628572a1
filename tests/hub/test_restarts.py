"""A crash at every kind of moment: what the room finds when the hub is back.

Levels and breaks went on as the room did; whoever's time ran has it frozen at the last instant that
is certain; everything else is as it was. What was acknowledged is there, once.
"""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest

from server.access import Badge
from server.engine import event_document, evolve, floor_document, table_document, tick
from server.engine.history import DEPTH
from server.loading import KEPT, snapshots
from server.orders import Order
from server.protocol.messages import Done, Refused
from tests.rig import MemoryJournal, Rig, unsigned

if TYPE_CHECKING:
    from collections.abc import Callable

    from server.engine import State
    from tests.rig import Peer

MINUTE = 60_000
BASE = 20_000
AWAY = [0, 3_000, 95 * MINUTE]


class Room(Rig):
    """A rig in which a director can be quick, and devices come back."""

    def __init__(self, journal: MemoryJournal | None = None) -> None:
        try:
            super().__init__(journal)
        except BaseException:
            self.loop.close()
            raise

    def says(self, do: str, event: str = "1", **args: Any) -> None:
        """Let a script of the director's command something, and insist that it is accepted."""
        answers: list[Done | Refused] = []
        badge, now = Badge("director", "Dora"), self.now
        command = f"script-{now}-{len(self.journal.stored)}"
        order = Order(command, event, do, args, badge, "api-script", now, now)
        self.hub.order(order, answers.append)
        while not answers:
            self.run(1)
        assert isinstance(answers[0], Done), answers

    def state(self, event: str = "1") -> State:
        """Give the state that is shown."""
        return self.hub.desks[event].shown

    def certain(self) -> int:
        """Give the last instant of which what is durable tells."""
        alive: int = self.journal.kept.get("alive") or 0
        return max(alive, self.journal.stored[-1].line.received)

    def doc(self, topic: str, event: str = "1") -> Any:
        """Read a document as it would be shown now."""
        return self.hub.press.read(f"t/{event}/{topic}".rstrip("/"))[1]

    def gaps(self) -> list[dict[str, Any]]:
        """Give the gaps that the director is told of."""
        found: list[dict[str, Any]] = self.hub.press.read("hub")[1]["gaps"]
        return found

    def come_back(self, peer: Peer) -> None:
        """Let a device connect again, with all that it still waits for."""
        self.run(300)  # nothing of the hub that is gone reaches it any more
        peer.disconnect()
        peer.connect()
        self.run(4 * peer.delay + 2)


def _expected(state: State, now: int) -> dict[str, Any]:
    """Say what a hub that was never away would show, of all but running clocks at tables."""
    for happened in tick(state, now):
        state = evolve(state, happened)
    documents = {"": event_document(state, now), "floor": floor_document(state, now)}
    for number in list(state.tables.keys()):
        documents[f"table/{number}"] = table_document(state, number, now) or {}
    return documents


# ── moments ──────────────────────────────────────────────────────────────────────────────────────


def _waiting(room: Room) -> None:
    director = room.director()
    director.do("event.create", event="", preset="star-brisbane-saturday")
    for seat in (1, 2, 3):
        director.do("seat.put", player=f"7-{seat}", table=7, seat=seat)


def _scheduled(room: Room) -> None:
    director = room.director()
    args = {"preset": "star-brisbane-saturday", "starts_at": room.now + 10 * MINUTE}
    director.do("event.create", event="", **args)


def _level(room: Room) -> None:
    room.create(tables={7: 3, 8: 3})
    room.run(90_000)


def _break(room: Room) -> None:
    room.create(tables={7: 3})
    room.says("level.goto", level=5)
    room.says("clock.set", remaining_ms=500)
    room.run(2_345)
    assert room.doc("")["clock"]["phase"] == "break"


def _called_break(room: Room) -> None:
    room.create(tables={7: 3})
    room.run(61_234)
    room.says("break.call", minutes=5)
    room.run(777)


def _endless_break(room: Room) -> None:
    room.create(tables={7: 3})
    room.says("break.call")
    room.run(777)


def _paused(room: Room) -> None:
    room.create(tables={7: 3})
    room.says("hand.start", table=7)
    room.says("action.start", table=7, seat=1)
    room.run(4_321)
    room.says("clock.pause", reason="fire alarm")
    room.run(1_234)


def _table_paused(room: Room) -> None:
    room.create(tables={7: 3})
    room.says("action.start", table=7, seat=1)
    room.run(4_321)
    room.says("table.pause", table=7, reason="dispute")
    room.run(1_234)


def _count(room: Room) -> None:
    room.create(tables={7: 3})
    room.says("hand.start", table=7)
    room.says("action.start", table=7, seat=1)
    room.says("action.hold", table=7)
    room.run(1_234)


def _count_for_player(room: Room) -> None:
    room.create(tables={7: 3})
    room.says("action.start", table=7, seat=1)
    room.run(3_210)
    room.says("action.hold", table=7, acted=False)
    room.run(1_234)


def _expired(room: Room) -> None:
    room.create(tables={7: 3})
    room.says("bank.grant", chips=0, mode="set")
    room.says("hand.start", table=7)
    room.says("action.start", table=7, seat=1)
    room.run(BASE + 2_000)
    assert room.doc("table/7")["action"]["status"] == "expired"


def _announced(room: Room) -> None:
    room.create(tables={7: 3, 8: 3})
    room.says("hand.start", table=7)
    room.says("h4h.announce", reason="the bubble")
    room.run(1_234)
    assert room.doc("")["h4h"]["status"] == "announced"


def _holding(room: Room) -> None:
    _announced(room)
    room.says("hand.end", table=7)
    room.run(1_234)
    assert room.doc("")["h4h"]["status"] == "holding"


def _playing(room: Room) -> None:
    _holding(room)
    room.says("h4h.next")
    room.says("hand.start", table=7)
    room.says("h4h.all_in", table=8)
    room.run(61_234)
    assert room.doc("")["h4h"]["status"] == "playing"


def _suspended(room: Room) -> None:
    room.create(tables={7: 3})
    room.run(61_234)
    room.says("event.suspend", resumes_at=room.now + 24 * 60 * MINUTE)
    room.run(1_234)


def _finished(room: Room) -> None:
    room.create(tables={7: 3})
    room.says("player.bust", player="7-1")
    room.says("event.finish")
    room.run(1_234)


def _words(room: Room) -> None:
    room.create(tables={7: 3})
    room.says("announce", text="Dinner is served", seconds=60)
    room.run(1_234)


def _collecting(room: Room) -> None:
    room.create(tables={7: 3})
    room.says("hand.start", table=7)
    room.says("player.limit", player="7-2", seconds=10)
    room.says("action.start", table=7, seat=1)
    room.says("action.bank", table=7, seat=1, chips=2)
    room.says("action.stop", table=7)
    room.says("floor.call", table=7, reason="count")
    room.says("undo")
    room.run(1_234)


STILL = [
    _waiting,
    _scheduled,
    _level,
    _break,
    _called_break,
    _endless_break,
    _paused,
    _table_paused,
    _count,
    _count_for_player,
    _expired,
    _announced,
    _holding,
    _playing,
    _suspended,
    _finished,
    _words,
    _collecting,
]
"""Moments at which nobody's time runs at a table."""


@pytest.mark.parametrize("away", AWAY)
@pytest.mark.parametrize("moment", STILL)
def test_everything_is_as_if_the_hub_had_never_been_away(
    moment: Callable[[Room], None], away: int
) -> None:
    """Where nobody's time ran at a table, every document is what it would have been anyway."""
    with Room() as room:
        moment(room)
        before, clock = room.state(), room.doc("")["clock"]
        room.crash(away=away)
        if not away:
            assert room.doc("")["clock"]["ends_at"] == clock["ends_at"]
        room.run(20)
        now = room.now
        for topic, wanted in _expected(before, now).items():
            assert unsigned(room.doc(topic)) == wanted, topic
        assert all(gap["interrupted"] == [] for gap in room.gaps())


# ── somebody's time ran ──────────────────────────────────────────────────────────────────────────


def _action(room: Room) -> None:
    room.create(tables={7: 3, 8: 3})
    room.says("hand.start", table=7)
    room.says("action.start", table=7, seat=1)
    room.run(7_654)


def _action_just_begun(room: Room) -> None:
    room.create(tables={7: 3, 8: 3})
    room.says("action.start", table=7, seat=1)
    room.run(1)


def _burning(room: Room) -> None:
    room.create(tables={7: 3, 8: 3})
    room.says("hand.start", table=7)
    room.says("action.start", table=7, seat=1)
    room.run(BASE + 3_210)
    assert room.doc("table/7")["action"]["on_bank"] == 1


def _pushed(room: Room) -> None:
    room.create(tables={7: 3, 8: 3})
    room.says("action.start", table=7, seat=1)
    room.says("action.bank", table=7, seat=1, chips=3)
    room.run(BASE + 3_210)


def _action_in_hand_for_hand(room: Room) -> None:
    _playing(room)
    room.says("action.start", table=7, seat=1)
    room.run(4_567)


RUNNING = [_action, _action_just_begun, _burning, _pushed, _action_in_hand_for_hand]
HELD = {"status": "held", "interrupted": True, "ends_at": None, "remaining_ms": 0}


@pytest.mark.parametrize("away", AWAY)
@pytest.mark.parametrize("moment", RUNNING)
def test_an_interrupted_action_is_held_at_its_last_certain_value(
    moment: Callable[[Room], None], away: int
) -> None:
    """Not below what was left when the hub died, not above what was left when it was last sure."""
    with Room() as room:
        moment(room)
        before, action = room.state(), room.doc("table/7")["action"]
        certain, crashed = room.certain(), room.now
        assert certain > crashed - 1_050
        room.crash(away=away)
        room.run(20)
        held = room.doc("table/7")["action"]
        assert held == {**action, **HELD, "remaining_ms": held["remaining_ms"]}
        assert action["ends_at"] - crashed <= held["remaining_ms"] <= action["ends_at"] - certain
        wanted = _expected(before, room.now)
        assert room.doc("") == wanted[""]
        assert room.doc("table/8") == wanted["table/8"]
        mine, theirs = room.doc("table/7"), table_document(before, 7, room.now) or {}
        changed = ("action", "next_hand")  # the level on the wall has gone on
        assert all(mine[key] == theirs[key] for key in mine if key not in changed)
        floor = unsigned(room.doc("floor"))
        undo = [entry for entry in floor["undo"] if entry["do"] != "table.interrupt"]
        assert undo == wanted["floor"]["undo"]


@pytest.mark.parametrize("moment", RUNNING)
def test_the_dealer_lets_an_interrupted_action_go_on(moment: Callable[[Room], None]) -> None:
    """A release lets the time run from where it stood, and it ends as it would have."""
    with Room() as room:
        moment(room)
        room.crash(away=5_000)
        room.run(20)
        held = room.doc("table/7")["action"]
        dealer = room.dealer()
        assert isinstance(dealer.do("action.release", table=7), Done)
        room.run(2)
        action = room.doc("table/7")["action"]
        assert action["status"] == "running"
        assert action["interrupted"] is False
        assert 0 < action["ends_at"] - room.now <= held["remaining_ms"]
        assert (action["on_bank"], action["used"]) == (held["on_bank"], held["used"])


def test_an_interruption_is_not_among_what_can_be_undone() -> None:
    """What a crash did is nobody's to undo: the director's list is the same as before."""
    with Room() as room:
        _action(room)
        before = room.doc("floor")["undo"]
        room.crash(away=1_000)
        room.run(20)
        assert [entry["do"] for entry in room.doc("floor")["undo"]] == [e["do"] for e in before]


def test_an_undo_after_a_crash_takes_back_the_last_tap() -> None:
    """The tap before the crash is undone; the clock that comes back is held like the other was."""
    with Room() as room:
        _action(room)
        room.says("action.next", table=7)
        room.run(3_000)
        room.crash(away=5_000)
        room.run(20)
        room.says("undo")
        room.run(20)
        action = room.doc("table/7")["action"]
        assert (action["seat"], action["status"]) == (1, "held")
        assert action["interrupted"] is True


@pytest.mark.parametrize(("ran", "status"), [(3_210, "running"), (26_543, "countdown")])
@pytest.mark.parametrize("away", AWAY)
def test_an_interrupted_called_clock_stands(ran: int, status: str, away: int) -> None:
    """A clock that was called on a player is paused at its last certain value, with the table."""
    with Room() as room:
        room.create(tables={7: 3})
        room.says("hand.start", table=7)
        room.says("called.start", table=7, seat=1)
        room.run(ran)
        before = room.doc("table/7")["called"]
        assert before["status"] == status
        certain, crashed = room.certain(), room.now
        room.crash(away=away)
        room.run(20)
        doc = room.doc("table/7")
        called = doc["called"]
        assert (called["status"], called["seat"], called["outcome"]) == ("paused", 1, None)
        least, most = before["ends_at"] - crashed, before["ends_at"] - certain
        assert least <= called["remaining_ms"] <= most
        assert doc["paused"]
        room.says("table.resume", table=7)
        room.run(2)
        resumed = room.doc("table/7")["called"]
        assert resumed["status"] in ("running", status)
        assert resumed["ends_at"] - room.now <= called["remaining_ms"]


def test_a_hand_in_the_grace_is_not_killed_by_a_crash() -> None:
    """A crash between zero and the verdict leaves the hand to the dealer."""
    with Room() as room:
        _last_chance(room)
        room.crash(away=3_000)
        room.run(1_000)
        action = room.doc("table/7")["action"]
        assert (action["status"], action["outcome"]) == ("held", None)


def test_a_hand_in_the_grace_is_not_killed_by_a_crash_that_is_known_to_be_after_zero() -> None:
    """The same if something became durable in the grace, such as a tap of another table."""
    with Room() as room:
        _last_chance(room)
        room.says("floor.call", table=8)
        room.crash(away=3_000)
        room.run(1_000)
        action = room.doc("table/7")["action"]
        assert (action["status"], action["outcome"]) == ("held", None)


def _last_chance(room: Room) -> None:
    """Stop in the grace after the last zero of table 7."""
    room.create(tables={7: 3, 8: 3})
    room.says("bank.grant", chips=0, mode="set")
    room.says("hand.start", table=7)
    room.says("action.start", table=7, seat=1)
    zero = room.doc("table/7")["action"]["ends_at"]
    if zero % 1_000 < 250:
        room.says("action.stop", table=7)
        room.run(400)
        room.says("action.start", table=7, seat=1)
        zero = room.doc("table/7")["action"]["ends_at"]
    room.run_until(zero + 100)
    assert room.doc("table/7")["action"]["status"] == "expiring"


# ── what the director is told ────────────────────────────────────────────────────────────────────


def test_the_director_is_told_of_the_gap_in_words() -> None:
    """What happened, what was assumed, since when until when, and who was interrupted."""
    with Room() as room:
        _action(room)
        certain = room.certain()
        room.crash(away=12_300)
        room.run(20)
        (gap,) = room.gaps()
        assert (gap["kind"], gap["since"], gap["interrupted"]) == ("restart", certain, ["1/7"])
        assert gap["until"] - gap["since"] == gap["ms"] >= 12_300
        assert gap["given"] == []
        for words in ("restarted", f"{gap['ms'] / 1_000:.1f} s", "Levels", "1 running"):
            assert words in gap["text"]


@pytest.mark.parametrize("moment", [_waiting, _paused, _suspended, _finished])
def test_nobody_is_told_of_a_gap_in_which_nothing_ran(moment: Callable[[Room], None]) -> None:
    """A restart that nobody can have noticed makes no banner."""
    with Room() as room:
        moment(room)
        room.crash(away=60_000)
        room.run(20)
        assert room.gaps() == []


def test_lost_time_is_given_back_once_to_each_event() -> None:
    """One tap gives an event its lost time back; a second is refused, also after a crash."""
    with Room() as room:
        first, second = room.create(tables={7: 3}), room.create(tables={7: 3})
        room.run(60_000)
        ends = {event: room.doc("", event)["clock"]["ends_at"] for event in (first, second)}
        room.crash(away=30_000)
        room.run(20)
        (gap,) = room.gaps()
        director = room.director()
        for given, event in enumerate((first, second), start=1):
            args = {"gap": gap["id"], "event": event}
            assert isinstance(_hub_do(room, director, "gap.give_back", args), Done)
            room.run(20)
            assert room.doc("", event)["clock"]["ends_at"] == ends[event] + gap["ms"]
            assert room.gaps()[0]["given"] == [first, second][:given]
            again = _hub_do(room, director, "gap.give_back", args)
            assert isinstance(again, Refused)
            assert again.code == "not_allowed"
        room.crash(away=100)
        room.run(20)
        director = room.director()
        for event in (first, second):
            args = {"gap": gap["id"], "event": event}
            assert isinstance(_hub_do(room, director, "gap.give_back", args), Refused)
            assert room.doc("", event)["clock"]["ends_at"] == ends[event] + gap["ms"]


def _hub_do(room: Room, peer: Peer, do: str, args: dict[str, Any]) -> Done | Refused:
    """Command something of the hub itself, whose arguments may be called `event` too."""
    command = f"hub-{len(room.journal.stored)}-{room.now}"
    peer.send(*peer.session.do(command, "", do, args, peer.own()))
    room.run(5)
    found = peer.answer(command)
    assert found is not None
    return found


def test_a_gap_that_was_read_is_gone_for_good() -> None:
    """A banner that the director cleared does not come back with the next restart."""
    with Room() as room:
        _level(room)
        room.crash(away=1_000)
        room.run(20)
        assert isinstance(_hub_do(room, room.director(), "gap.clear", {"gap": 1}), Done)
        assert room.gaps() == []
        room.crash(away=1_000)
        room.run(20)
        assert [gap["id"] for gap in room.gaps()] == [2]


def test_two_banners_that_are_cleared_at_once_are_both_gone() -> None:
    """A director who clears two banners in one millisecond sees none."""
    with Room() as room:
        _level(room)
        for _ in range(2):
            room.crash(away=1_000)
            room.run(20)
        director = room.director()
        assert len(director.doc("hub")["gaps"]) == 2
        for gap in (1, 2):
            director.tap("gap.clear", event="", gap=gap)
        room.run(150)
        assert room.gaps() == []
        assert director.doc("hub")["gaps"] == []


# ── again and again ──────────────────────────────────────────────────────────────────────────────


def test_two_crashes_in_a_row_change_nothing_more() -> None:
    """A clock that is held is held; the second crash tells of its own gap only."""
    with Room() as room:
        _action(room)
        ends_at = room.doc("")["clock"]["ends_at"]
        room.crash(away=2_000)
        held = room.state()
        room.crash(away=3_000)
        room.run(20)
        assert room.doc("table/7")["action"]["status"] == "held"
        assert room.doc("")["clock"]["ends_at"] == ends_at
        first, second = room.gaps()
        assert (first["interrupted"], second["interrupted"]) == (["1/7"], [])
        assert first["until"] <= second["since"] <= second["until"]
        assert unsigned(room.doc("floor"))["undo"] == floor_document(held, room.now)["undo"]


def test_a_crash_before_the_restart_was_durable_loses_nothing() -> None:
    """A hub that dies again before it has written what it found finds the same the next time."""
    with Room() as room:
        _action(room)
        action, certain = room.doc("table/7")["action"], room.certain()
        before = list(room.journal.stored)
        room.crash(away=2_000)
        room.journal.stored = before  # the lines of this start never reached the disk
        room.crash(away=2_000)
        room.run(20)
        held = room.doc("table/7")["action"]
        assert held["remaining_ms"] == action["ends_at"] - certain
        assert [gap["since"] for gap in room.gaps()] == [certain]


def test_many_crashes_never_shorten_a_clock() -> None:
    """However often the hub dies and the dealer releases, no player loses time to it."""
    with Room() as room:
        room.create(tables={7: 3})
        room.says("action.start", table=7, seat=1)
        used = 0
        for ran in (1_234, 999, 50, 2_345, 1):
            room.run(ran)
            used += ran
            left = room.doc("table/7")["action"]["remaining_ms"]
            room.crash(away=ran)
            room.run(20)
            held = room.doc("table/7")["action"]["remaining_ms"]
            assert left <= held <= left + 1_050
            room.says("action.release", table=7)
        assert room.doc("table/7")["action"]["remaining_ms"] >= BASE - used - 50


def test_several_events_come_back_each_as_it_was() -> None:
    """One crash, three events: each goes on by its own clock."""
    with Room() as room:
        one = room.create(tables={7: 3})
        two = room.create("star-brisbane-friday", tables={7: 3})
        three = room.create("888pl", tables={1: 2})
        room.says("action.start", one, table=7, seat=1)
        room.says("clock.pause", two)
        room.run(5_000)
        states = {event: room.state(event) for event in (one, two, three)}
        room.crash(away=45 * MINUTE)
        room.run(20)
        for event, state in states.items():
            wanted = _expected(state, room.now)
            assert room.doc("", event) == wanted[""], event
        assert room.doc("table/7", one)["action"]["status"] == "held"
        assert room.doc("table/7", two) == _expected(states[two], room.now)["table/7"]
        assert room.gaps()[0]["interrupted"] == [f"{one}/7"]


# ── nothing lost, nothing twice ──────────────────────────────────────────────────────────────────


def _accepted(room: Room) -> list[str]:
    """List the ids of all commands that devices gave, in the order of the journal."""
    kinds = ("command.accepted", "command.undone")
    lines = [stored.line for stored in room.journal.stored if stored.line.device]
    return [line.command for line in lines if json.loads(line.body)["event"] in kinds]


def test_a_command_that_is_sent_again_after_a_crash_is_not_done_twice() -> None:
    """The device and the id are known from the journal: the answer says `again`."""
    with Room() as room:
        room.create(tables={7: 3})
        dealer = room.dealer(device="tablet")
        sent: list[tuple[str, str, dict[str, Any]]] = [
            ("a", "hand.start", {"table": 7}),
            ("b", "action.start", {"table": 7, "seat": 1}),
            ("c", "action.next", {"table": 7}),
            ("d", "undo", {"table": 7}),
        ]
        for command, do, args in sent:
            dealer.send(*dealer.session.do(command, "1", do, args, dealer.own()))
            room.run(1_000)
        first = {command: dealer.answer(command) for command, _, _ in sent}
        room.crash(away=1_000)
        lines = len(room.journal.stored)
        dealer.news.clear()
        for command, do, args in sent:
            dealer.session.do(command, "1", do, args, dealer.own())  # as if never answered
        room.come_back(dealer)
        for command, _, _ in sent:
            was, now = first[command], dealer.answer(command)
            assert isinstance(was, Done)
            assert now == Done(command, was.at, again=True)
        assert len(_accepted(room)) == len(set(_accepted(room)))
        assert not any(stored.line.device for stored in room.journal.stored[lines:])


def test_an_id_is_only_the_devices_own() -> None:
    """Another device with the same id means another command."""
    with Room() as room:
        room.create(tables={7: 3})
        for device in ("one", "two"):
            peer = room.floor(device=device)
            peer.send(*peer.session.do("a", "1", "floor.call", {"table": 7}, peer.own()))
            room.run(50)
            assert peer.answer("a") == Done("a", room.state().tables[7].floor.since)  # type: ignore[union-attr]
            room.run(100)


def test_the_hubs_own_commands_are_not_done_twice_either() -> None:
    """An event that was created before the crash is not created again by a resent command."""
    with Room() as room:
        director = room.director(device="laptop")
        args = {"preset": "888pl", "starts_at": room.now + 60_000}
        for _ in range(2):
            director.send(*director.session.do("new", "", "event.create", args, director.own()))
            room.run(50)
        room.crash(away=100)
        director.news.clear()
        director.session.do("new", "", "event.create", args, director.own())
        room.come_back(director)
        answer = director.answer("new")
        assert isinstance(answer, Done)
        assert answer.again
        assert list(room.hub.desks) == ["1"]


@pytest.mark.parametrize("durable", [False, True])
def test_a_command_in_flight_is_wholly_there_or_not_at_all(durable: bool) -> None:
    """What was not durable never was, and is done once when it is sent again."""
    with Room() as room:
        room.create(tables={7: 3})
        dealer = room.dealer(device="tablet", delay=20)
        assert isinstance(dealer.do("action.start", table=7, seat=1), Done)
        room.journal.delay = 0.1
        tap = dealer.tap("action.next", table=7)
        room.run(125 if durable else 115)
        dealer.cut = True  # an answer that is on its way is lost with the hub
        room.crash()
        room.run(20)
        assert room.doc("table/7")["action"]["seat"] == (2 if durable else 1)
        dealer.cut = False
        room.come_back(dealer)
        answer = dealer.answer(tap)
        assert isinstance(answer, Done)
        assert answer.again is durable
        assert room.doc("table/7")["action"]["seat"] == 2
        assert _accepted(room).count(tap) == 1


@pytest.mark.parametrize("seed", range(25))
def test_what_was_acknowledged_is_there_once_after_any_crashes(seed: int) -> None:
    """Taps, a slow disk and crashes at random: acknowledged is stored, and stored is done once."""
    dice = random.Random(seed)  # noqa: S311 - a seed, so that every run is the same
    taps: list[tuple[str, dict[str, Any]]] = [
        ("action.start", {"seat": 1}),
        ("action.next", {}),
        ("floor.call", {}),
    ]
    with Room() as room:
        room.create(tables={7: 3, 8: 3})
        ways = {table: dice.randrange(40) for table in (7, 8)}
        dealers = [room.dealer(table=t, device=f"t-{t}", delay=way) for t, way in ways.items()]
        tapped: set[str] = set()
        acknowledged: set[str] = set()
        for _ in range(6):
            room.journal.delay = dice.choice([0.0, 0.004, 0.05, 0.2])
            for _ in range(dice.randrange(1, 12)):
                table = dice.choice((7, 8))
                do, args = dice.choice(taps)
                tapped.add(dealers[table - 7].tap(do, table=table, **args))
                room.run(dice.randrange(80))
            acknowledged |= {t for d in dealers for t in tapped if isinstance(d.answer(t), Done)}
            room.crash(away=dice.randrange(3_000))
            assert acknowledged <= set(_accepted(room))
            for dealer in dealers:
                room.come_back(dealer)
        room.run(1_000)
        accepted = _accepted(room)
        assert len(accepted) == len(set(accepted))
        for dealer in dealers:
            assert dealer.session.pending == {}
        done = {t for d in dealers for t in tapped if isinstance(d.answer(t), Done)}
        assert done <= set(accepted)


# ── snapshots ────────────────────────────────────────────────────────────────────────────────────


def _evening(monkeypatch: pytest.MonkeyPatch, every: int, taps: int = 700) -> MemoryJournal:
    """Play long enough for several snapshots, and give what is durable in the end."""
    monkeypatch.setattr("server.hub.EVERY", every)
    monkeypatch.setattr("server.loading.EVERY", every)
    dice = random.Random(every)  # noqa: S311 - a seed, so that every run is the same
    with Room() as room:
        room.create(tables={7: 3, 8: 3, 9: 4})
        director = room.director()
        for table in (7, 8, 9):
            director.tap("hand.start", table=table)
        for n in range(taps):
            table = dice.choice((7, 8, 9))
            if n % 10 == 9:
                director.tap("action.fold", table=table)
            else:
                director.tap("action.start", table=table, seat=n % 3 + 1)
            if n % 25 == 24:
                director.tap("undo")
            if n % 40 == 39:
                for table in (7, 8, 9):
                    director.tap("hand.end", table=table)
                    director.tap("hand.start", table=table)
            room.run(dice.randrange(1, 2_000))
        director.tap("clock.pause")
        room.run(1_000)
        return MemoryJournal(room.journal.stored, room.journal.kept)


def _shown(room: Room) -> dict[str, Any]:
    topics = ("", "tables", "table/7", "table/8", "table/9")
    floor = room.doc("floor")
    # What was decided for the room long before the last fifty is remembered as far as it is played.
    floor = {**floor, "undo": floor["undo"][:DEPTH]}
    return {"floor": floor, **{topic: room.doc(topic) for topic in topics}}


def _copied(journal: MemoryJournal, *, with_snapshots: bool = True) -> MemoryJournal:
    kept = {k: v for k, v in journal.kept.items() if with_snapshots or "snapshot" not in k}
    return MemoryJournal(journal.stored, json.loads(json.dumps(kept)))


def _recalled(room: Room) -> None:
    """Wait until everything that can be undone is remembered again."""
    for _ in range(1_000):
        if not room.hub.recalls.pending:
            return
        room.run(10)
    pytest.fail("what can be undone was never recalled")


def test_an_event_from_a_snapshot_is_the_same_as_from_the_whole_journal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Snapshots change how long a start takes, and nothing else: not what can be undone either."""
    journal = _evening(monkeypatch, 250)
    assert len(snapshots(journal, "1")) == KEPT
    with Room(_copied(journal)) as quick, Room(_copied(journal, with_snapshots=False)) as whole:
        _recalled(quick)
        whole.run(quick.now - whole.now)
        assert _shown(quick) == _shown(whole)


def test_undo_works_across_snapshots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fifty commands are undone, one after the other, as if there had been no snapshot."""
    journal = _evening(monkeypatch, 250)
    with Room(_copied(journal)) as quick, Room(_copied(journal, with_snapshots=False)) as whole:
        first, second = quick.director(device="td"), whole.director(device="td")
        for _ in range(45):
            one, two = first.do("undo"), second.do("undo")
            assert isinstance(one, Done)
            assert isinstance(two, Done)
            assert _shown(quick) == _shown(whole)


def test_snapshots_go_on_after_a_restart(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub that was started from a snapshot takes the next one in its turn."""
    journal = _evening(monkeypatch, 100, taps=200)
    taken = snapshots(journal, "1")
    with Room(_copied(journal)) as room:
        director = room.director()
        assert isinstance(director.do("clock.resume"), Done)
        for _ in range(120):
            director.do("floor.call", table=7)
        room.run(100)
        later = snapshots(room.journal, "1")
        assert len(later) == KEPT
        assert later[-1] > taken[-1]
        shown = _shown(room)
        room.crash()
        assert {**_shown(room)["table/7"], "now": 0} == {**shown["table/7"], "now": 0}


def _garble_room(snapshot: dict[str, Any]) -> None:
    snapshot["room"]["step"] += 1


def _garble_player(snapshot: dict[str, Any]) -> None:
    snapshot["tables"]["7"]["seats"]["1"]["player"]["bank"] = 99


def _garble_count(snapshot: dict[str, Any]) -> None:
    snapshot["count"] += 1


def _garble_missing(snapshot: dict[str, Any]) -> None:
    del snapshot["players"]


def _garble_kind(snapshot: dict[str, Any]) -> None:
    snapshot["tables"]["8"]["action"] = {"is": "Sleeping"}


def _garble_shape(snapshot: dict[str, Any]) -> None:
    snapshot["tables"] = []


@pytest.mark.parametrize(
    "garble",
    [_garble_room, _garble_player, _garble_count, _garble_missing, _garble_kind, _garble_shape],
)
@pytest.mark.parametrize("which", range(KEPT - 1))
def test_a_tampered_snapshot_is_not_believed(
    monkeypatch: pytest.MonkeyPatch, which: int, garble: Callable[[dict[str, Any]], None]
) -> None:
    """Whatever is done to a snapshot, the night is the one that the journal tells."""
    journal = _evening(monkeypatch, 50, taps=150)
    tampered = _copied(journal)
    keys = tampered.keys("snapshot/1/")
    assert len(keys) == KEPT
    garble(tampered.kept[keys[-1 - which - (which == 0)]]["state"])
    with Room(tampered) as room, Room(_copied(journal, with_snapshots=False)) as whole:
        mine, theirs = _shown(room), _shown(whole)
        for topic in mine:
            if topic != "floor":  # what could be undone before is not remembered yet
                assert mine[topic] == theirs[topic], topic
        _recalled(room)
        whole.run(room.now - whole.now)
        assert _shown(room) == _shown(whole)


def test_a_tampered_newest_snapshot_is_only_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest snapshot is no beginning: if it is wrong, the whole journal is played again."""
    journal = _evening(monkeypatch, 100, taps=150)
    tampered = _copied(journal)
    _garble_room(tampered.kept[tampered.keys("snapshot/1/")[-1]]["state"])
    with Room(tampered) as room, Room(_copied(journal, with_snapshots=False)) as whole:
        assert _shown(room) == _shown(whole)


def test_a_tampered_snapshot_before_a_gift_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if the snapshot to compare with was taken when time was given back."""
    with Room() as room:
        _level(room)
        room.crash(away=1_000)
        room.run(20)
        monkeypatch.setattr("server.hub.EVERY", 1)
        director = room.director()
        assert isinstance(director.do("floor.call", table=7), Done)
        room.run(10)
        given = _hub_do(room, director, "gap.give_back", {"event": "1", "gap": 1})
        assert isinstance(given, Done)
        room.run(10)
        journal = MemoryJournal(room.journal.stored, room.journal.kept)
    monkeypatch.setattr("server.hub.EVERY", 20_000)
    tampered = _copied(journal)
    _garble_player(tampered.kept[tampered.keys("snapshot/1/")[-2]]["state"])
    with Room(tampered) as room:
        assert room.doc("table/7")["seats"]["1"]["bank"] == 4
