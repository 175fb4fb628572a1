"""Facts of time: what comes due, and in which order, when nobody does anything.

At one instant the clock of the room comes before the tables, and the end of a level before the cap
of a hand-for-hand hand, since that minute belongs to the level that it ends.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from server.engine import events as e
from server.engine.expiry import run_out
from server.engine.flow import at, instant_of
from server.engine.levels import advance
from server.engine.notices import active, opening
from server.engine.room import Room
from server.engine.session import begin
from server.engine.state import State
from server.engine.story import Silence, Story, Waits, heard
from server.engine.table import Table
from server.engine.trie import NEVER

Fact = Callable[[Story], None]


@dataclass(frozen=True, slots=True)
class Due:
    """Something that comes due: in which order, and how it is told."""

    order: int
    tell: Fact

    @property
    def at(self) -> int:
        """The instant at which it is due."""
        return instant_of(self.order)

    @property
    def zero(self) -> int:
        """The last instant at which a command still comes before it."""
        return self.order >> 1

    def happen(self, state: State, silent: Silence = heard) -> Story:
        """Let it happen, and give the story of it."""
        story = Story(state, self.at, timed=True, silent=silent)
        self.tell(story)
        return story


def room_fact(state: State) -> Due | None:
    """Find what comes due next in the room.

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
_FOUND: dict[int, tuple[Room, Due | None]] = {}


def _room_fact(state: State) -> Due | None:
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
    stops = room.hard_stop_at is not None and not room.hard_stopped
    if room.started and stops and not room.finished and not room.suspended:
        # Not before the room was last touched: a start after the hard stop comes first.
        found.append((max(room.hard_stop_at or 0, room.noticed_at), _hard_stop))
    found.append((opening(state), _notice))
    timed = [Due(at(instant), fact) for instant, fact in found if instant is not None]
    return min(timed, key=lambda due: due.order, default=None)


def _cap(story: Story) -> None:
    story.tell(e.HandForHandCapped(at=story.now))


def _hard_stop(story: Story) -> None:
    story.tell(e.HardStopReached(at=story.now))


def _clear_announcement(story: Story) -> None:
    story.tell(e.AnnouncementCleared(at=story.now))


def _notice(story: Story) -> None:
    notices = tuple(active(story.state, story.now))
    story.tell(e.NoticesRaised(at=story.now, notices=notices))


def table_fact(state: State, table: Table) -> Due | None:
    """Find what comes due next at a table."""
    return _table_due(state, table.wake(), lambda story: run_out(story, table))


def _table_due(state: State, wake: int, tell: Fact) -> Due | None:
    instant = None if wake == NEVER else state.room.flow.outer(wake >> 1)
    return None if instant is None else Due(instant << 1 | wake & 1, tell)


def table_facts(state: State) -> Iterator[tuple[int, Due]]:
    """Give what comes due at tables, the earliest first, with the tables' numbers."""
    for wake, table in state.tables.by_weight():
        due = _table_due(state, wake, partial(run_out, table=table))
        if due is None:  # the room stands, and for all that is still to come
            return
        yield table.number, due


def next_fact(state: State, grace: int = 0, waits: Waits = heard) -> tuple[int, Due] | None:
    """Find what comes due next, and the order from which on it may be told.

    What can cost a player something waits for `grace` more, so that a tap made in time and
    delivered late is still decided first; its due instant does not change. Where a table's device
    has not been heard since zero, nothing is told at all.
    """
    room = room_fact(state)
    for number, due in table_facts(state):
        order = due.order + at(grace)
        if room is not None and order >= room.order:
            break
        if not waits(number, due.zero):
            return order, due
    return None if room is None else (room.order, room)
