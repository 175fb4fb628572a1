"""Facts of time: what comes due, and in which order, when nobody does anything.

At one instant the clock of the room comes before the tables, and the end of a level before the cap
of a hand-for-hand hand, since that minute belongs to the level that it ends.
"""

from collections.abc import Callable

from server.engine import events as e
from server.engine.expiry import run_out
from server.engine.levels import advance, begin
from server.engine.notices import active, opening
from server.engine.room import Room
from server.engine.state import State
from server.engine.story import Story
from server.engine.table import Table
from server.engine.trie import NEVER

Fact = Callable[[Story], None]


def room_fact(state: State) -> tuple[int, Fact] | None:
    """Find what comes due next in the room, and when.

    Most commands leave the room as it was, and a room is immutable: what was found for it stands.
    """
    known = _FOUND.get(id(state.room))
    if known is not None and known[0] is state.room:
        return known[1]
    found = _room_fact(state)
    if len(_FOUND) >= _MOST_FOUND:
        _FOUND.clear()
    _FOUND[id(state.room)] = (state.room, found)
    return found


_MOST_FOUND = 64
_FOUND: dict[int, tuple[Room, tuple[int, Fact] | None]] = {}


def _room_fact(state: State) -> tuple[int, Fact] | None:
    room = state.room
    found: list[tuple[int | None, Fact]] = [(room.announced_until, _clear_announcement)]
    if room.finished:
        pass  # nothing but words may still be due
    elif not room.started:
        found.append((room.starts_at, begin))
    elif room.ends_at is not None:
        more = room.called_break is not None or room.structure.step(room.step + 1) is not None
        found.append((room.instant(room.ends_at) if more else None, advance))
    if room.h4h.cap_at is not None and not room.h4h.capped and not room.on_break:
        found.append((room.instant(room.h4h.cap_at), _cap))
    if room.started and not room.hard_stopped and not room.finished:
        found.append((room.hard_stop_at, _hard_stop))
    found.append((opening(state), _notice))
    timed = [(at, fact) for at, fact in found if at is not None]
    return min(timed, key=lambda pair: pair[0], default=None)


def _cap(story: Story) -> None:
    story.tell(e.HandForHandCapped(at=story.now))


def _hard_stop(story: Story) -> None:
    story.tell(e.HardStopReached(at=story.now))


def _clear_announcement(story: Story) -> None:
    story.tell(e.AnnouncementCleared(at=story.now))


def _notice(story: Story) -> None:
    notices = tuple(active(story.state, story.now))
    story.tell(e.NoticesRaised(at=story.now, notices=notices))


def table_fact(state: State, table: Table) -> tuple[int, Fact] | None:
    """Find what comes due next at a table, and when."""
    wake = table.wake()
    at = None if wake == NEVER else state.room.flow.outer(wake)
    return None if at is None else (at, lambda story: run_out(story, table))


def next_fact(state: State, grace: int = 0) -> tuple[int, int, Fact] | None:
    """Find what comes due next: when the engine should be woken, the instant it is due, the fact.

    What can cost a player something waits for `grace` more, so that a tap made in time and
    delivered late is still decided first; its due instant does not change.
    """
    room = room_fact(state)
    wake = state.tables.least
    table = None if wake == NEVER else state.room.flow.outer(wake)
    if table is not None and (room is None or table + grace < room[0]):
        return table + grace, table, _earliest_table
    return None if room is None else (room[0], *room)


def _earliest_table(story: Story) -> None:
    run_out(story, story.state.tables.first()[1])
