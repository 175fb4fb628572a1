"""The outlook: the whole structure of an event, and when each step will begin if all goes to plan.

What is past has no times here: the journal knows them. What is ahead is an estimate. While the
clock stands it is as if play went on at the document's own `now`, so a client that shows it later
moves the estimates along (`stands`).
"""

from typing import Any

from server.engine.flow import MINUTE
from server.engine.room import Room
from server.engine.state import State
from server.engine.structure import Break, Level, Step

ASSUMED_BREAK = 10
"""Minutes assumed for a break whose length the director will set."""


def structure_document(state: State, now: int) -> dict[str, Any]:
    """Say what was, is and will be played: topic `structure`, on the wire `t/<id>/structure`."""
    room = state.room
    structure = room.structure
    count = max(len(structure.steps), room.step + 1)
    starts, end = _starts(room, count, now)
    more = structure.continuation
    return {
        "now": now,
        "step": room.step,
        "steps": [_row(room, index, starts.get(index)) for index in range(count)],
        "continuation": None
        if more is None
        else {"small": more.small, "big": more.big, "ante": more.ante, "minutes": more.minutes},
        "ends_at": end,
        "hard_stop_at": room.hard_stop_at,
        "stands": _stands(room),
        "editable_from": None if room.finished or room.called_break is not None else room.step,
        "registration_closes_at_level": state.rules.registration.closes_at_level,
    }


def structure_view(room: Room) -> tuple[object, ...]:
    """Give all of the room that the outlook shows: while it stays, so does the document."""
    place = (room.structure, room.step, room.ends_at, room.owed, room.called_break)
    flows = (room.flow, room.level_flow, room.started, room.suspended, room.finished)
    return (*place, *flows, room.starts_at, room.resumes_at, room.hard_stop_at)


def _row(room: Room, index: int, starts_at: int | None) -> dict[str, Any]:
    step = room.structure.step(index)
    blinds = room.structure.blinds(index)
    level = isinstance(step, Level)
    return {
        "phase": "level" if level else "break",
        "level": blinds.level,
        "small": blinds.small if level else None,
        "big": blinds.big if level else None,
        "ante": blinds.ante if level else None,
        "minutes": None if step is None else step.minutes,
        "hands": step.hands if isinstance(step, Level) else None,
        "colour_up": list(step.colour_up) if isinstance(step, Break) else [],
        "state": _tense(room, index),
        "starts_at": starts_at,
    }


def _tense(room: Room, index: int) -> str:
    if index < room.step or room.finished:
        return "past"
    return "now" if index == room.step and room.started else "ahead"


def _stands(room: Room) -> bool:
    """Say whether the estimates move along with time, because nobody knows when play goes on."""
    if room.finished or (not room.started and room.starts_at is not None):
        return False
    if room.suspended and room.resumes_at is not None:
        return False
    return not room.started or room.standing or room.holds


def _goes_on(room: Room, now: int) -> int:
    """Say from when on what is left of the step will run, as far as anybody knows."""
    if room.suspended and room.resumes_at is not None:
        return max(now, room.resumes_at)
    if not room.started and room.starts_at is not None:
        return max(now, room.starts_at)
    return now


def _starts(room: Room, count: int, now: int) -> tuple[dict[int, int], int | None]:
    """Estimate when each later step begins, and when the last one ends."""
    if room.finished:
        return {}, None
    starts = {} if room.started else {room.step: _goes_on(room, now)}
    at = _step_ends(room, now)
    owed = room.owed
    for index in range(room.step + 1, count):
        step = room.structure.step(index)
        if at is None or step is None:
            return starts, None
        starts[index] = at
        length = _length(step)
        if length is None:
            at = None
            continue
        taken = 0 if isinstance(step, Break) else min(owed, length)
        owed -= taken
        at += length - taken
    return starts, at


def _step_ends(room: Room, now: int) -> int | None:
    """Estimate when the step that the clock is in will be over."""
    left = room.remaining(now)
    if left is None and room.on_break:
        began = room.began_at if room.called_break is None else room.called_break.called_at
        left = max(0, ASSUMED_BREAK * MINUTE - (room.level_now(now) - began))
    called = room.called_break
    if called is not None:
        rest = called.remaining
        left = None if left is None or rest is None else left + rest
    return None if left is None else _goes_on(room, now) + left


def _length(step: Step) -> int | None:
    assumed = isinstance(step, Break) and step.length is None
    return ASSUMED_BREAK * MINUTE if assumed else step.length
