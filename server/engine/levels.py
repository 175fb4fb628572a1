"""The level clock: levels, breaks, time given and taken, and edits of what is to come.

The clock is one deadline, `room.ends_at`, in level time. Level time stands before the start, in
hand-for-hand and after a hard stop; room time, around it, stands while the room is paused or
suspended. `settle` is the one place that starts and stops both.
"""

from dataclasses import replace

from server.engine import commands as c
from server.engine import events as e
from server.engine.reading import BadInput
from server.engine.refusals import Code, refuse
from server.engine.room import CalledBreak, Room
from server.engine.stages import reach
from server.engine.state import State
from server.engine.story import Story, applies, decides, expect
from server.engine.structure import Break, Level


def settle(state: State, at: int, **changes: object) -> State:
    """Change the room, and let its flows of time stand or go as the new state says."""
    room = replace(state.room, **changes)  # type: ignore[arg-type]
    flow = room.flow.let(not room.standing, at)
    level_flow = room.level_flow.let(not room.holds, flow.now(at))
    noticed_at = max(room.noticed_at, at)
    return replace(
        state, room=replace(room, flow=flow, level_flow=level_flow, noticed_at=noticed_at)
    )


def enter(story: Story, index: int, owed: int = 0) -> None:
    """Begin a step now. Time owed is taken off levels, as many as it takes, never off a break."""
    structure = story.state.room.structure
    while (step := structure.step(index)) is not None:
        if isinstance(step, Break):
            story.tell(
                e.BreakStarted(at=story.now, step=index, remaining_ms=step.length, owed_ms=owed)
            )
            return
        taken = 0 if step.length is None else min(owed, step.length)
        owed -= taken
        remaining = None if step.length is None else step.length - taken
        blinds = structure.blinds(index)
        story.tell(e.LevelStarted(at=story.now, step=index, blinds=blinds, remaining_ms=remaining))
        reach(story)
        if remaining != 0:
            return
        index += 1


def advance(story: Story) -> None:
    """End the step now; what comes next in the structure begins."""
    room = story.state.room
    if room.called_break is not None:
        story.tell(e.BreakEnded(at=story.now))
    elif _must_wait(room):
        story.tell(e.BreakWaits(at=story.now))
    else:
        enter(story, room.step + 1, room.owed)


def _must_wait(room: Room) -> bool:
    """Say whether a break comes next and a hand-for-hand hand is still being played somewhere."""
    if room.on_break or room.h4h.status not in ("announced", "playing"):
        return False
    return isinstance(room.structure.step(room.step + 1), Break)


def take(story: Story, ms: int) -> None:
    """Take time off the clock; what goes beyond the end of a step carries into the next level."""
    room = story.state.room
    remaining = room.remaining(story.now)
    if remaining is None:  # hands are counted, or the break lasts until it is ended
        return
    following = room.structure.step(room.step + 1)
    if following is None and remaining == 0 and room.called_break is None:
        return
    if ms < remaining:
        story.tell(e.TimeSet(at=story.now, remaining_ms=remaining - ms))
    elif room.called_break is not None:
        story.tell(e.BreakEnded(at=story.now))
        if ms > remaining:
            take(story, ms - remaining)
    elif following is None:
        story.tell(e.TimeSet(at=story.now, remaining_ms=0))
    elif _must_wait(room):
        story.tell(e.TimeSet(at=story.now, remaining_ms=0))
        story.tell(e.BreakWaits(at=story.now, owed_ms=ms - remaining))
    else:
        enter(story, room.step + 1, room.owed + ms - remaining)


def unfinished(story: Story) -> Room:
    """Give the room of an event that is not over, or refuse."""
    room = story.state.room
    if room.finished:
        refuse(Code.NOT_RUNNING, "The event is finished.")
    return room


def underway(story: Story) -> Room:
    """Give the room of an event that is being played, or refuse."""
    room = unfinished(story)
    if not room.started:
        refuse(Code.NOT_RUNNING, "The event has not started yet.")
    if room.suspended:
        refuse(Code.NOT_RUNNING, "The event is suspended until another day.")
    return room


# ── time given and taken ─────────────────────────────────────────────────────────────────────────


def _timed(story: Story) -> int | None:
    room = unfinished(story)
    remaining = room.remaining(story.now)
    if remaining is None and not room.on_break:
        refuse(Code.NOT_ALLOWED, "This level is counted in hands, not in minutes.")
    return remaining


@decides(c.ClockAdd)
def _(story: Story, command: c.ClockAdd) -> None:
    remaining = _timed(story)
    if remaining is None:
        refuse(Code.NOT_ALLOWED, "This break has no end yet: set its time first.")
    if command.ms == 0:
        refuse(Code.BAD_VALUE, "Say how much time to give or take.")
    if command.ms > 0:
        story.tell(e.TimeSet(at=story.now, remaining_ms=remaining + command.ms))
    else:
        take(story, -command.ms)


@decides(c.ClockSet)
def _(story: Story, command: c.ClockSet) -> None:
    _timed(story)
    story.tell(e.TimeSet(at=story.now, remaining_ms=command.remaining_ms))


@applies(e.TimeSet)
def _(state: State, event: e.TimeSet) -> State:
    ends_at = state.room.level_now(event.at) + event.remaining_ms
    h4h = replace(state.room.h4h, break_waits=False)  # with time left again, no break is due
    return settle(state, event.at, ends_at=ends_at, h4h=h4h)


# ── moving in the structure ──────────────────────────────────────────────────────────────────────


@decides(c.LevelNext)
def _(story: Story, _command: c.LevelNext) -> None:
    room = unfinished(story)
    if room.structure.step(room.step + 1) is None:
        refuse(Code.BAD_VALUE, "This is the last level.")
    enter(story, room.step + 1, room.owed)


@decides(c.LevelBack)
def _(story: Story, _command: c.LevelBack) -> None:
    room = unfinished(story)
    if room.step == 0:
        refuse(Code.BAD_VALUE, "This is the first level.")
    enter(story, room.step - 1)


@decides(c.LevelGoto)
def _(story: Story, command: c.LevelGoto) -> None:
    index = unfinished(story).structure.index(command.level)
    if index is None:
        refuse(Code.BAD_VALUE, f"There is no level {command.level}.")
    enter(story, index)


@applies(e.LevelStarted)
def _(state: State, event: e.LevelStarted) -> State:
    return _entered(state, event)


@applies(e.BreakStarted)
def _(state: State, event: e.BreakStarted) -> State:
    return _entered(state, event)


def _entered(state: State, event: e.LevelStarted | e.BreakStarted) -> State:
    room = state.room
    begins = room.level_now(event.at)
    return settle(
        state,
        event.at,
        step=event.step,
        visit=room.visit + 1,
        began_at=begins,
        ends_at=None if event.remaining_ms is None else begins + event.remaining_ms,
        owed=event.owed_ms,
        called_break=None,
        h4h=replace(room.h4h, break_waits=False, cap_at=_put_off(room, event.at)),
    )


def _put_off(room: Room, at: int) -> int | None:
    """Move the cap of a hand-for-hand hand by the break that ends here: it is no playing time."""
    cap = room.h4h.cap_at
    return None if cap is None else cap + room.level_now(at) - room.played(at)


@applies(e.BreakWaits)
def _(state: State, event: e.BreakWaits) -> State:
    room = state.room
    waits = replace(room.h4h, break_waits=True)
    return settle(state, event.at, h4h=waits, owed=room.owed + event.owed_ms)


def hands_counted(room: Room) -> bool:
    """Say whether the clock is in a level that is counted in hands."""
    step = room.now_step
    return isinstance(step, Level) and step.hands is not None


def hands_pending(state: State) -> int:
    """Count the tables that have not played the hands of this level yet."""
    room = state.room
    step = room.now_step
    return sum(not table.has_played(room.visit, step) for table in state.tables_in_use())


def end_counted_level(story: Story) -> None:
    """Go on to the next step when every table in use has played the hands of this one."""
    state = story.state
    if state.room.finished or not hands_counted(state.room) or hands_pending(state) > 0:
        return
    if any(True for _ in state.tables_in_use()):
        enter(story, state.room.step + 1)


@applies(e.LevelHandsPlayed)
def _(state: State, _event: e.LevelHandsPlayed) -> State:
    return state  # the table's own count says so


# ── breaks at the director's discretion ──────────────────────────────────────────────────────────


@decides(c.BreakCall)
def _(story: Story, command: c.BreakCall) -> None:
    room = underway(story)
    if room.on_break:
        refuse(Code.ON_BREAK, "The room is on a break already.")
    if room.paused:
        refuse(Code.NOT_RUNNING, "The room is paused: resume it before calling a break.")
    if room.h4h.status == "playing":
        refuse(Code.NOT_ALLOWED, "Finish the hand-for-hand hand at every table first.")
    length = Break(minutes=command.minutes).length
    story.tell(e.BreakCalled(at=story.now, remaining_ms=length))


@applies(e.BreakCalled)
def _(state: State, event: e.BreakCalled) -> State:
    room = state.room
    begins, length = room.level_now(event.at), event.remaining_ms
    return settle(
        state,
        event.at,
        called_break=CalledBreak(room.remaining(event.at), begins),
        ends_at=None if length is None else begins + length,
    )


@decides(c.BreakEnd)
def _(story: Story, _command: c.BreakEnd) -> None:
    room = underway(story)
    if not room.on_break:
        refuse(Code.NOT_RUNNING, "The room is not on a break.")
    if room.called_break is None and room.structure.step(room.step + 1) is None:
        refuse(Code.NOT_ALLOWED, "Nothing comes after this break.")
    advance(story)


@applies(e.BreakEnded)
def _(state: State, event: e.BreakEnded) -> State:
    room = state.room
    called = expect(CalledBreak, room.called_break)
    now, left = room.level_now(event.at), called.remaining
    return settle(
        state,
        event.at,
        called_break=None,
        began_at=room.began_at + now - called.called_at,  # the level did not last meanwhile
        ends_at=None if left is None else now + left,
        h4h=replace(room.h4h, cap_at=_put_off(room, event.at)),
    )


# ── editing what is to come ──────────────────────────────────────────────────────────────────────


@decides(c.StructureSet)
def _(story: Story, command: c.StructureSet) -> None:
    room = unfinished(story)
    if room.called_break is not None:
        refuse(Code.ON_BREAK, "End the called break before editing the level that it interrupts.")
    if not command.steps:
        refuse(Code.BAD_VALUE, "Give at least the current level.")
    was, now = room.now_step, command.steps[0]
    if type(was) is not type(now):
        kind = "level" if isinstance(was, Level) else "break"
        refuse(Code.BAD_VALUE, f"The first step must be the current one, a {kind}.")
    try:
        structure = room.structure.after(room.step, command.steps)
    except BadInput as bad:
        refuse(Code.BAD_VALUE, f"The structure does not work: {bad}.")
    remaining = room.remaining(story.now)
    old, new = was.length, structure.steps[room.step].length
    if new is None:
        remaining = None
    elif remaining is None or old is None:
        remaining = max(0, new - (room.level_now(story.now) - room.began_at))
    else:
        remaining = max(0, remaining + new - old)
    story.tell(e.StructureChanged(at=story.now, steps=command.steps, remaining_ms=remaining))
    end_counted_level(story)


@applies(e.StructureChanged)
def _(state: State, event: e.StructureChanged) -> State:
    room = state.room
    left = event.remaining_ms
    structure = room.structure.after(room.step, event.steps)
    return settle(
        state,
        event.at,
        structure=structure,
        ends_at=None if left is None else room.level_now(event.at) + left,
        h4h=replace(room.h4h, break_waits=False),  # if it is still due, time says so again
    )
