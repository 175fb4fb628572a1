"""Time that the hub missed: what runs through it was seen by nobody, and is held, however late.

What ran when a gap began is held when the gap is found; `test_restarts` and `test_walltime` see to
that. Here it is about clocks that something lets run through a gap afterwards, about gaps that
cannot be stored, and about the time that a hub goes on with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from server.engine.commands import TableInterrupt
from server.engine.records import read_state, write_state
from server.engine.silence import assumed_document
from server.engine.table import Running
from server.hubtime import STALL
from server.protocol.messages import Done
from server.watch import SETTLES_WITHIN
from tests.rig import Rig

if TYPE_CHECKING:
    from tests.rig import Peer

BASE = 20_000
HOUR = 3_600_000
BEAT = 50
"""The hub knows when it was last there to within a beat."""


class Room(Rig):
    """A rig with an event at whose table 7 three play; nobody has a time-bank chip."""

    def __init__(self) -> None:
        super().__init__()
        self.create(tables={7: 3})
        self.td = self.director()
        self.dealer_7 = self.dealer(device="tablet").keeps_probing()
        assert isinstance(self.td.do("bank.grant", chips=0, mode="set"), Done)
        self.says("hand.start")

    def says(self, do: str, peer: Peer | None = None, **args: Any) -> Done:
        """Insist that a command for table 7 is accepted."""
        found = (peer or self.dealer_7).do(do, table=7, **args)
        assert isinstance(found, Done), found
        return found

    def room_says(self, do: str, **args: Any) -> None:
        """Insist that a director's command is accepted."""
        assert isinstance(self.td.do(do, **args), Done)

    def table(self) -> dict[str, Any]:
        """Give table 7 as it is shown now."""
        found: dict[str, Any] = self.hub.press.read("t/1/table/7")[1]
        return found

    def action(self) -> dict[str, Any]:
        """Give its action clock."""
        found: dict[str, Any] = self.table()["action"]
        return found

    def is_held(self, seat: int, ms: int) -> None:
        """Insist that a seat's clock stands, with at least so much time left and a beat at most."""
        action = self.action()
        assert (action["status"], action["seat"]) == ("held", seat)
        assert action["interrupted"]
        assert ms <= action["remaining_ms"] <= ms + BEAT

    def assumed(self) -> str | None:
        """Say what the floor is told that was assumed of the table."""
        found = assumed_document(self.hub.desks["1"].shown, 7)
        return None if found is None else str(found["text"])


# ── something lets a clock run that began in a gap ───────────────────────────────────────────────


@pytest.mark.parametrize("away", [3_000, 30_000])
def test_a_clock_that_a_late_tap_starts_is_held_with_all_its_time(away: int) -> None:
    """A fold made in a stall and read after it starts the next player's time: nobody saw it."""
    with Room() as room:
        room.says("action.start", seat=1)
        room.run(1_000)
        room.stall(STALL + 100)
        tap = room.dealer_7.tap("action.fold", table=7)
        room.stall(away)
        room.run(1_000)
        assert isinstance(room.dealer_7.answer(tap), Done)
        room.is_held(2, BASE)
        assert room.assumed() is not None
        room.run(BASE)
        room.says("action.release")
        room.run(BASE - 100)
        assert room.action()["status"] == "running"


def test_the_floor_is_told_that_the_hub_was_away_and_not_the_tablet() -> None:
    """What is assumed of a table says whose fault it was."""
    with Room() as room:
        room.says("action.start", seat=1)
        room.stall(STALL - 200)
        room.dealer_7.tap("action.fold", table=7)
        room.stall(400)
        room.run(SETTLES_WITHIN)
        room.is_held(2, BASE)
        assert room.assumed() == "hub away for 0:02: the clock of seat 2 held"


def test_a_clock_that_began_after_the_gap_is_not_held() -> None:
    """What the dealer starts when the hub is back runs."""
    with Room() as room:
        room.says("action.start", seat=1)
        room.stall(5_000)
        room.run(1_000)
        room.says("action.fold")
        room.run(1_000)
        assert room.action()["status"] == "running"
        assert room.action()["seat"] == 2


def test_a_room_that_goes_on_by_a_late_tap_costs_nobody_time() -> None:
    """The room stood; a director let it go on in a stall: the player has what was left."""
    with Room() as room:
        room.says("action.start", seat=1)
        room.run(5_000)
        left = room.action()["ends_at"] - room.now
        room.room_says("clock.pause")
        room.run(2_000)
        room.stall(STALL + 100)
        tap = room.td.tap("clock.resume")
        room.stall(BASE + 10_000)
        room.run(1_000)
        assert isinstance(room.td.answer(tap), Done)
        room.is_held(1, left - 1)


def test_a_clock_that_stood_through_a_gap_goes_on() -> None:
    """The room stood before the stall and after it: nothing ran, and nothing is held."""
    with Room() as room:
        room.says("action.start", seat=1)
        room.room_says("clock.pause")
        room.stall(5_000)
        room.run(1_000)
        room.room_says("clock.resume")
        room.run(100)
        assert room.action()["status"] == "running"


@pytest.mark.parametrize("later", [1_000, 17_000, 60_000])
@pytest.mark.parametrize("away", [5_000, 40_000])
def test_a_clock_that_an_undo_restores_did_not_run_in_a_gap(later: int, away: int) -> None:
    """Nothing ran when the hub went away; an undo brings back what ran before that."""
    with Room() as room:
        room.says("action.start", seat=1)
        room.run(4_000)
        left = room.action()["ends_at"] - room.now
        room.says("action.stop")
        room.stall(away)
        room.run(later)
        room.room_says("undo", table=7)
        room.run(SETTLES_WITHIN)
        room.is_held(1, left - 5)
        assert room.table()["seats"]["1"]["in_hand"]


@pytest.mark.parametrize("stops", ["clock.pause", "event.suspend"])
def test_a_room_that_stopped_in_a_gap_had_run_until_then(stops: str) -> None:
    """A called clock was undone, and in the gap the room stopped: a redo gives the gap back."""
    with Room() as room:
        room.says("called.start", room.td, seat=1)
        zero = room.table()["called"]["ends_at"]
        room.run_until(zero - 20_000)
        room.room_says("undo", table=7)
        room.room_says("bank.grant", chips=1, mode="set")  # so that the redo reaches the room
        room.run_until(zero - 10_000)
        left = zero - room.now
        room.stall(STALL + 5_000)
        room.td.tap(stops)
        room.stall(10_000)
        room.run(1_000)
        room.room_says("undo", table=7)
        room.run(SETTLES_WITHIN)
        called = room.table()["called"]
        assert called["status"] == "paused"
        assert left <= called["remaining_ms"] <= left + BEAT


def test_an_undo_of_a_pause_gives_no_time_to_a_gap() -> None:
    """The room stood while the hub was away; then it is as if it had never stood."""
    with Room() as room:
        room.says("action.start", seat=1)
        room.run(4_000)
        left = room.action()["ends_at"] - room.now
        room.room_says("clock.pause")
        room.run(1_000)
        room.stall(BASE)
        room.run(1_000)
        room.room_says("undo")
        room.run(SETTLES_WITHIN)
        assert room.action()["status"] == "held"
        assert left - 1_050 <= room.action()["remaining_ms"] <= left


def test_a_snapshot_knows_of_the_time_that_was_missed() -> None:
    """A hub that begins with a snapshot undoes as one that has read the whole journal."""
    with Room() as room:
        room.says("action.start", seat=1)
        room.stall(5_000)
        room.run(1_000)
        state = room.hub.desks["1"].shown
        assert len(state.history.missed) == 1
        read = read_state(write_state(state), state.rules)
        assert read.history.missed == state.history.missed
        assert write_state(read) == write_state(state)


# ── the grace ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("start", ["action.start", "called.start"])
def test_a_verdict_that_waited_when_the_room_stopped_is_not_told_after_a_gap(start: str) -> None:
    """Time had run out, the tap could still come; then the room stood, and then the hub did."""
    with Room() as room:
        room.says(start, room.td, seat=1)
        clock = "action" if start == "action.start" else "called"
        room.run_until(room.table()[clock]["ends_at"] + 100)
        room.room_says("clock.pause")
        room.stall(5_000)
        room.run(SETTLES_WITHIN)
        room.room_says("clock.resume")
        room.run(1_000)
        if clock == "action":
            room.is_held(1, 0)
        else:
            assert room.table()["paused"] is not None
        assert room.table()["seats"]["1"]["in_hand"]


# ── a gap that cannot be stored ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("trouble", [500, 5_000])
def test_a_stall_that_ends_in_a_trouble_is_held_from_its_beginning(trouble: int) -> None:
    """The hold of a stall is lost with the disk: it is made good when the disk is well again."""
    with Room() as room:
        room.says("action.start", seat=1)
        room.run(4_000)
        left = room.action()["ends_at"] - room.now
        room.journal.broken = True
        room.stall(9_000)
        room.run(trouble)
        room.journal.broken = False
        room.run(2_500)
        room.is_held(1, left)
        gaps = room.hub.press.read("hub")[1]["gaps"]
        assert [gap["kind"] for gap in gaps] == ["stall", "storage"]


def test_two_troubles_in_a_row_hold_from_the_first() -> None:
    """The disk fails again before the hold of the first trouble is durable."""
    with Room() as room:
        room.says("action.start", seat=1)
        room.run(4_000)
        left = room.action()["ends_at"] - room.now
        room.journal.delay = 0.2
        room.journal.broken = True
        room.run(3_000)
        room.journal.broken = False
        while room.hub.trouble is not None:
            room.run(1)
        room.journal.broken = True  # the hold is on its way
        room.run(4_000)
        room.journal.broken = False
        room.run(3_000)
        assert room.action()["status"] == "held"
        assert left - 1_000 <= room.action()["remaining_ms"] <= left + BEAT


def test_a_crash_while_a_gap_is_stored_holds_from_its_beginning() -> None:
    """Of the lines about a gap some are durable: the next hub knows where the gap began."""
    with Room() as room:
        room.says("action.start", seat=1)
        room.run(4_000)
        left = room.action()["ends_at"] - room.now
        room.stall(9_000)
        appended, append = [], room.journal.append

        def cut(lines: Any) -> Any:
            appended.append(lines)
            room.journal.broken = len(appended) > 1
            return append(lines)

        room.journal.append = cut  # type: ignore[method-assign]
        while not appended:
            room.run(1)
        room.crash()
        room.run(1_000)
        room.is_held(1, left)


# ── the time that a hub goes on with ─────────────────────────────────────────────────────────────


def _before_the_start(room: Rig) -> Peer:
    director = room.director()
    director.do("event.create", event="", preset="star-brisbane-saturday", starts_at=None)
    for seat in (1, 2, 3):
        director.do("seat.put", player=f"7-{seat}", table=7, seat=seat)
    return director


def test_hub_time_does_not_follow_the_wall_while_a_players_time_runs() -> None:
    """The level clock stands before the start; the clock is called on somebody all the same."""
    with Rig() as room:
        director = _before_the_start(room)
        assert isinstance(director.do("called.start", table=7, seat=1), Done)
        before = room.now
        room.wall_step += HOUR
        room.run(2_000)
        assert room.now == before + 2_000
        assert director.doc("table/7")["called"]["status"] != "expired"


def test_hub_time_follows_the_wall_where_nothing_runs() -> None:
    """A clock that was wrong when the hub was switched on is right before the start."""
    with Rig() as room:
        _before_the_start(room)
        before = room.now
        room.wall_step += HOUR
        room.run(2_000)
        assert room.now == before + 2_000 + HOUR


def test_a_restart_does_not_go_back_behind_a_wall_that_was_followed() -> None:
    """The wall is put forward and back, and the hub dies: time goes on from the later one."""
    with Rig() as room:
        _before_the_start(room)
        room.wall_step += HOUR
        room.run(3_000)
        room.wall_step -= HOUR
        room.run(500)
        before = room.now
        room.crash()
        assert room.now >= before


def test_hub_time_follows_the_wall_when_that_is_stored_and_not_before() -> None:
    """A hub that dies on the way has told nobody of a time that the next one does not know."""
    with Rig() as room:
        _before_the_start(room)
        before = room.now
        room.journal.delay = 0.2
        room.wall_step += HOUR
        room.run(200)
        assert room.now == before + 200
        room.run(300)
        assert room.now == before + 500 + HOUR


def test_what_begins_while_a_time_is_stored_goes_on_in_its_own() -> None:
    """Somebody starts a clock in the moment in which the wall would have been followed."""
    with Rig() as room:
        director = _before_the_start(room)
        before = room.now
        room.journal.delay = 0.2
        room.wall_step += HOUR
        room.run(100)
        assert isinstance(director.do("called.start", table=7, seat=1), Done)
        room.run(1_000)
        assert room.now < before + HOUR
        room.crash()
        assert room.now < before + HOUR


def test_who_is_held_first_costs_the_others_nothing_after_days() -> None:
    """Days later each table is held by itself: nothing is ruled at one that is held next."""
    with Rig() as room:
        event = room.create(tables={8: 3, 9: 3})
        td, desk = room.director(), room.hub.desks[event]
        for table in (8, 9):
            assert isinstance(td.do("hand.start", event=event, table=table), Done)
            assert isinstance(td.do("action.start", event=event, table=table, seat=1), Done)
        late = room.now + 48 * HOUR
        assert desk._hold(TableInterrupt(table=8), late)  # noqa: SLF001 - as a hub does that was away
        action = desk.head.tables[9].action
        assert isinstance(action, Running)
        assert action.used == 0
