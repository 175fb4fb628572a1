"""Tables of the room: opened, paused, waiting for the floor."""

from dataclasses import replace

from server.engine import commands as c
from server.engine import events as e
from server.engine.refusals import Code, refuse
from server.engine.state import State
from server.engine.story import Story, applies, decides
from server.engine.table import VISITS_KEPT, FloorCalled, FloorVisit, Mark, Table


def open_table(story: Story, number: int, seats: int | None = None) -> Table:
    """Open a table."""
    size = story.state.rules.seats if seats is None else seats
    story.tell(e.TableOpened(at=story.now, table=number, seats=size))
    return story.state.tables[number]


def ensure_table(story: Story, number: int) -> Table:
    """Find a table, and open it where it is first used."""
    return story.state.tables.get(number) or open_table(story, number)


@decides(c.TableOpen)
def _(story: Story, command: c.TableOpen) -> None:
    if command.table in story.state.tables:
        refuse(Code.NOT_ALLOWED, f"Table {command.table} is open already.")
    open_table(story, command.table, command.seats)


@applies(e.TableOpened)
def _(state: State, event: e.TableOpened) -> State:
    room = state.room
    # A table that opens during a hand-for-hand hand waits for the next one.
    mark = None if room.h4h.status == "off" else Mark(room.h4h.epoch, "done")
    opening = room.openings + 1
    table = Table(event.table, event.seats, opening, mark=mark)
    pending = room.hands_pending + 1
    return state.with_table(table).with_room(openings=opening, hands_pending=pending)


# ── one table stands, or waits for the floor ─────────────────────────────────────────────────────


@decides(c.TablePause)
def _(story: Story, command: c.TablePause) -> None:
    if story.state.table(command.table).flow.stopped_at is not None:
        refuse(Code.NOT_ALLOWED, f"Table {command.table} is paused already.")
    story.tell(e.TablePaused(at=story.now, table=command.table, reason=command.reason))


@applies(e.TablePaused)
def _(state: State, event: e.TablePaused) -> State:
    table = state.tables[event.table]
    flow = table.flow.let(run=False, outer=state.room.flow.now(event.at))
    return state.with_table(replace(table, flow=flow, paused=event.reason or "paused"))


@decides(c.TableResume)
def _(story: Story, command: c.TableResume) -> None:
    if story.state.table(command.table).flow.stopped_at is None:
        refuse(Code.NOT_RUNNING, f"Table {command.table} is not paused.")
    story.tell(e.TableResumed(at=story.now, table=command.table))


@applies(e.TableResumed)
def _(state: State, event: e.TableResumed) -> State:
    table = state.tables[event.table]
    flow = table.flow.let(run=True, outer=state.room.flow.now(event.at))
    return state.with_table(replace(table, flow=flow, paused=None))


@decides(c.FloorCall)
def _(story: Story, command: c.FloorCall) -> None:
    table = story.state.table(command.table)
    holds = story.state.rules.floor.holds(command.reason)
    stands = table.flow.stopped_at is not None
    held = table.floor is not None and table.floor.holds and stands  # by an earlier call
    story.tell(
        e.FloorSummoned(
            at=story.now,
            table=command.table,
            reason=command.reason,
            holds=held or (holds and not stands),
        )
    )
    if holds and not stands:  # nobody's time runs while they wait for a ruling
        story.tell(e.TablePaused(at=story.now, table=command.table, reason=command.reason))


@applies(e.FloorSummoned)
def _(state: State, event: e.FloorSummoned) -> State:
    called = FloorCalled(event.at, event.reason, event.holds)
    return state.with_table(replace(state.tables[event.table], floor=called))


@decides(c.FloorClear)
def _(story: Story, command: c.FloorClear) -> None:
    table = story.state.table(command.table)
    if table.floor is None:
        refuse(Code.NOT_ALLOWED, f"Table {command.table} has not called the floor.")
    story.tell(e.FloorCleared(at=story.now, table=command.table))
    if table.floor.holds and table.flow.stopped_at is not None:
        story.tell(e.TableResumed(at=story.now, table=command.table))


@applies(e.FloorCleared)
def _(state: State, event: e.FloorCleared) -> State:
    table = state.tables[event.table]
    visits = table.visits
    if table.floor is not None:
        visit = FloorVisit(table.floor.since, event.at - table.floor.since, table.floor.reason)
        visits = (*visits, visit)[-VISITS_KEPT:]
    return state.with_table(replace(table, floor=None, visits=visits))
