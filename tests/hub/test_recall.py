"""A start plays the newest lines again, and recalls the rest while the hub runs.

What the room may rely on is the same as if the whole night had been played again: nothing is done
twice, nobody acts on what is no longer so, and everything that could be undone can be undone.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from server.access import Badge
from server.engine.history import DEPTH
from server.loading import KEPT, Loaded, load, snapshots
from server.orders import Order
from server.protocol.messages import Done, Refused
from tests.rig import MemoryJournal, Rig

if TYPE_CHECKING:
    from collections.abc import Iterator

    from server.hub import Hub
    from tests.rig import Peer

EVERY = 40
"""Lines between two snapshots here."""


class Room(Rig):
    """A rig that counts what each start plays again."""

    def orders(self, id_: str, do: str, device: str = "td", **args: Any) -> list[Done | Refused]:
        """Send an order, and give the list that the answer will be in."""
        answers: list[Done | Refused] = []
        now = self.now
        order = Order(id_, "1", do, args, Badge("director", "Dora"), device, now, now)
        self.hub.order(order, answers.append)
        return answers

    def done(self, id_: str, do: str, **args: Any) -> None:
        """Insist that an order is carried out."""
        answers = self.orders(id_, do, **args)
        self.run(5)
        assert isinstance(answers[0], Done), answers

    def recall(self) -> None:
        """Wait until everything that can be undone is remembered again."""
        for _ in range(1_000):
            if not self.hub.recalls.pending:
                return
            self.run(10)
        pytest.fail("what can be undone was never recalled")

    def bank(self, table: int = 7, seat: int = 1) -> int:
        """Say how many chips somebody has."""
        found: int = self.hub.press.read(f"t/1/table/{table}")[1]["seats"][str(seat)]["bank"]
        return found


def _copied(journal: MemoryJournal) -> MemoryJournal:
    return MemoryJournal(journal.stored, json.loads(json.dumps(journal.kept)))


@pytest.fixture(autouse=True)
def _many_snapshots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.hub.EVERY", EVERY)
    monkeypatch.setattr("server.loading.EVERY", EVERY)


@pytest.fixture(scope="module")
def played() -> MemoryJournal:
    """Play a night: long ago somebody was given chips at table 7, since then table 8 was tapped."""
    patch = pytest.MonkeyPatch()
    patch.setattr("server.hub.EVERY", EVERY)
    with Room() as room:
        room.create(tables={7: 2, 8: 3})
        room.done("chips", "bank.grant", chips=3, mode="add", player="7-1")
        room.done("seven", "hand.start", table=7)
        room.done("pause", "clock.pause")
        room.done("resume", "clock.resume")
        room.done("hand", "hand.start", table=8)
        for n in range(200):
            room.done(f"tap-{n}", "action.start", table=8, seat=n % 3 + 1)
            room.run(100)
        patch.undo()
        return MemoryJournal(room.journal.stored, room.journal.kept)


@pytest.fixture
def room(played: MemoryJournal) -> Iterator[Room]:
    """Start a hub on the night."""
    with Room(_copied(played)) as found:
        yield found


def _loaded(journal: MemoryJournal, hub: Hub) -> Loaded:
    return load(journal, hub.office.shown.events["1"])


def _newest_command(room: Room) -> str:
    return room.hub.desks["1"].shown.history.commands()[0].id


def test_a_start_plays_few_lines_again_however_long_the_night(
    played: MemoryJournal, room: Room
) -> None:
    """Between one and two snapshots' worth, where all were more than ten times that."""
    loaded = _loaded(_copied(played), room.hub)
    assert EVERY <= loaded.lines <= 2 * EVERY + 10
    assert len(played.stored) > 10 * EVERY
    assert len(loaded.snapshots) == KEPT


def test_an_undo_that_reaches_further_back_waits_and_is_done(room: Room) -> None:
    """Asked for in the first moment, it is not refused for want of memory."""
    before = room.bank()
    answers = room.orders("early", "undo", command="chips")
    assert answers == []
    assert room.bank() == before
    room.recall()
    room.run(10)
    assert isinstance(answers[0], Done)
    assert room.bank() == before - 3


def test_the_last_command_of_a_table_that_was_idle_is_undone(room: Room) -> None:
    """Its own last one is older than all that was played again."""
    found = room.orders("early", "undo", table=7)
    room.recall()
    room.run(10)
    assert isinstance(found[0], Done)
    (undone,) = [s for s in room.journal.stored if s.line.command == "early"]
    assert json.loads(undone.line.body)["written"] == ["table/7"]


def test_an_undo_of_the_last_one_does_not_take_back_what_came_after_it_was_asked(
    room: Room,
) -> None:
    """Somebody taps at the table while the undo waits: that is not what was meant."""
    found = room.orders("early", "undo", table=7)
    room.done("newer", "action.start", table=7, seat=1)
    assert found == []
    room.recall()
    room.run(10)
    assert isinstance(found[0], Refused)
    assert found[0].code == "nothing_to_undo"
    assert room.hub.press.read("t/1/table/7")[1]["hand"]["in_progress"]


def test_what_was_never_done_is_refused_when_everything_is_remembered(room: Room) -> None:
    """An undo that waits gets its answer, also if it is no."""
    found = room.orders("early", "undo", command="nobody-gave-this")
    room.recall()
    room.run(10)
    assert isinstance(found[0], Refused)


def test_an_undo_that_waits_is_answered_when_its_event_is_put_away(room: Room) -> None:
    """There is nothing to remember any more, and nobody may wait for ever."""
    found = room.orders("early", "undo", command="chips")
    room.done("end", "event.finish")
    answers: list[Done | Refused] = []
    badge, now = Badge("director", "Dora"), room.now
    args = {"event": "1"}
    room.hub.order(Order("away", "", "event.archive", args, badge, "td", now, now), answers.append)
    room.run(5)
    assert isinstance(answers[0], Done)
    room.recall()
    room.run(10)
    assert isinstance(found[0], Refused)
    assert found[0].code == "nothing_to_undo"


def test_followers_are_told_what_can_be_undone_again(
    played: MemoryJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A newer revision says more, also who it was, so that nobody takes it for what they have."""
    monkeypatch.setattr("server.loading.LOOKED_AT", 50)
    with Room(_copied(played)) as room:
        _told_again(room)


def _told_again(room: Room) -> None:
    director: Peer = room.director()
    director.follow("t/1/table/7", "t/1/floor")
    room.run(5)
    before = director.session.documents["t/1/floor"].rev
    assert "pause" not in [entry["command"] for entry in director.doc("floor")["undo"]]
    room.recall()
    room.run(1_000)
    assert "pause" in [entry["command"] for entry in director.doc("floor")["undo"]]
    assert director.session.documents["t/1/floor"].rev > before
    who = {entry["command"]: entry["who"] for entry in director.doc("floor")["undo"]}
    assert who["pause"] == "Dora"


def test_taps_go_on_while_it_is_recalled(room: Room) -> None:
    """What happens meanwhile is in the memory that takes over, and in the state."""
    for n in range(20):
        room.done(f"now-{n}", "action.start", table=8, seat=n % 3 + 1)
        room.run(7)
    room.recall()
    desk = room.hub.desks["1"]
    assert _newest_command(room) == "now-19"
    assert desk.head is desk.shown
    with Room(MemoryJournal(room.journal.stored)) as whole:
        theirs = whole.hub.desks["1"].shown.history.commands()
        while theirs[0].id != "now-19":  # clocks that the start has held
            del theirs[0]
        mine = desk.shown.history.commands()
        least = min(len(mine), len(theirs))
        assert least >= DEPTH - 2
        assert [entry.id for entry in mine[:least]] == [entry.id for entry in theirs[:least]]


def test_a_command_of_long_ago_is_not_done_again(room: Room) -> None:
    """A device that was away all night sends it once more, and is told that it was done."""
    before = room.bank()
    answers = room.orders("chips", "bank.grant", chips=3, mode="add", player="7-1")
    assert isinstance(answers[0], Done)
    assert answers[0].again
    room.run(10)
    assert room.bank() == before


def test_a_move_of_long_ago_makes_a_stale_act_stale(played: MemoryJournal, room: Room) -> None:
    """Who has not seen the pause of an hour ago is told of it."""
    (pause,) = [
        s.seq
        for s in played.stored
        if s.line.command == "pause" and b'"command.accepted"' in s.line.body
    ]
    answers: list[Done | Refused] = []
    badge, now = Badge("director", "Carl"), room.now
    order = Order("late", "1", "clock.pause", {}, badge, "other", now, now, seen=pause - 1)
    room.hub.order(order, answers.append)
    room.run(5)
    assert isinstance(answers[0], Refused)
    assert answers[0].code == "stale"


def test_a_hub_that_stops_meanwhile_leaves_nothing_behind(room: Room) -> None:
    """The next one begins anew, and the client that asked for an undo asks it again."""
    room.orders("early", "undo", command="chips")
    room.crash(away=100)
    before = room.bank()
    room.recall()
    answers = room.orders("early", "undo", command="chips")
    room.run(10)
    assert isinstance(answers[0], Done)
    assert room.bank() == before - 3


# ── snapshots of other versions ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("form", [None, 1, 99])
def test_a_snapshot_of_another_format_is_ignored_and_replaced(
    played: MemoryJournal, form: int | None
) -> None:
    """It is no error: the whole night is played again, once."""
    journal = _copied(played)
    for key in journal.keys("snapshot/"):
        journal.kept[key]["format"] = form
    with Room(journal) as room:
        assert room.bank() == 7
        room.run(5_000)
        assert len(snapshots(room.journal, "1")) == KEPT
        loaded = _loaded(room.journal, room.hub)
        assert loaded.began
        assert loaded.lines <= 2 * EVERY + 10
        assert loaded.strange == loaded.missing == []


def test_a_snapshot_with_a_field_that_is_not_known_is_not_believed(played: MemoryJournal) -> None:
    """Whatever its number says: something in it would have been dropped."""
    journal = _copied(played)
    begins = journal.keys("snapshot/1/")[-2]
    journal.kept[begins]["state"]["room"]["colour"] = "red"
    made = Room(_copied(played))
    with made:
        loaded = _loaded(journal, made.hub)
    assert begins in loaded.strange
    with Room(journal) as room:
        assert room.bank() == 7
