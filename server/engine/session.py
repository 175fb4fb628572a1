"""The session: started, paused, suspended to another day, stopped at closing time, finished."""

from server.engine import commands as c
from server.engine import events as e
from server.engine.levels import settle, underway, unfinished
from server.engine.refusals import Code, refuse
from server.engine.stages import reach
from server.engine.state import State
from server.engine.story import Story, applies, decides


@decides(c.ClockStart)
def _(story: Story, _command: c.ClockStart) -> None:
    if unfinished(story).started:
        refuse(Code.NOT_ALLOWED, "The clock has been started already.")
    begin(story)


def begin(story: Story) -> None:
    """Start the event's clock."""
    story.tell(e.ClockStarted(at=story.now))
    reach(story)


@applies(e.ClockStarted)
def _(state: State, event: e.ClockStarted) -> State:
    return settle(state, event.at, started=True, starts_at=None)


@decides(c.ClockPause)
def _(story: Story, command: c.ClockPause) -> None:
    if underway(story).paused:
        refuse(Code.NOT_ALLOWED, "The room is paused already.")
    story.tell(e.ClockPaused(at=story.now, reason=command.reason))


@applies(e.ClockPaused)
def _(state: State, event: e.ClockPaused) -> State:
    return settle(state, event.at, paused=True, reason=event.reason)


@decides(c.ClockResume)
def _(story: Story, _command: c.ClockResume) -> None:
    room = underway(story)
    if not room.paused and not room.hard_stopped:
        refuse(Code.NOT_RUNNING, "The room is not paused.")
    story.tell(e.ClockResumed(at=story.now))


@applies(e.ClockResumed)
def _(state: State, event: e.ClockResumed) -> State:
    if state.room.paused:
        return settle(state, event.at, paused=False, reason=None)
    # Resuming what only the hard stop holds is the director's decision to play on.
    return settle(state, event.at, hard_stopped=False, hard_stop_at=None)


@decides(c.EventSchedule)
def _(story: Story, command: c.EventSchedule) -> None:
    if unfinished(story).started:
        refuse(Code.NOT_ALLOWED, "The event has started already.")
    if command.starts_at is not None and command.starts_at < story.now:
        refuse(Code.BAD_VALUE, "The start must not be in the past.")
    story.tell(e.EventScheduled(at=story.now, starts_at=command.starts_at))


@applies(e.EventScheduled)
def _(state: State, event: e.EventScheduled) -> State:
    return settle(state, event.at, starts_at=event.starts_at)


@decides(c.EventSuspend)
def _(story: Story, command: c.EventSuspend) -> None:
    underway(story)
    if command.resumes_at is not None and command.resumes_at <= story.now:
        refuse(Code.BAD_VALUE, "The room must come back later than now.")
    story.tell(e.EventSuspended(at=story.now, resumes_at=command.resumes_at))


@applies(e.EventSuspended)
def _(state: State, event: e.EventSuspended) -> State:
    return settle(state, event.at, suspended=True, resumes_at=event.resumes_at)


@decides(c.EventResume)
def _(story: Story, _command: c.EventResume) -> None:
    if not unfinished(story).suspended:
        refuse(Code.NOT_RUNNING, "The event is not suspended.")
    story.tell(e.EventResumed(at=story.now))


@applies(e.EventResumed)
def _(state: State, event: e.EventResumed) -> State:
    # A hard stop that has passed was another evening's.
    stop = state.room.hard_stop_at
    stop = None if stop is not None and stop < event.at else stop
    return settle(state, event.at, suspended=False, resumes_at=None, hard_stop_at=stop)


@decides(c.EventFinish)
def _(story: Story, _command: c.EventFinish) -> None:
    unfinished(story)
    story.tell(e.EventFinished(at=story.now))


@applies(e.EventFinished)
def _(state: State, event: e.EventFinished) -> State:
    return settle(state, event.at, finished=True)


@applies(e.HardStopReached)
def _(state: State, event: e.HardStopReached) -> State:
    return settle(state, event.at, hard_stopped=True)
