"""A silent device: what was assumed of its table, and what the floor has seen of that.

While a table's own device cannot be heard, time rules nothing there (see `facts`). When it is back,
taps that were made meanwhile count from their own instants, and a clock that still runs is held.
Both are assumptions: they are kept until the floor has seen them, or a new hand has begun.
"""

from dataclasses import replace
from typing import Any

from server.engine import commands as c
from server.engine import events as e
from server.engine.refusals import Code, refuse
from server.engine.state import Assumed, State
from server.engine.story import Story, applies, decides, expect
from server.engine.table import Called, Running
from server.engine.tales import number, time_words

REASON = "the tablet was silent"
AWAY = "the hub was away"


def hold_unseen(story: Story, command: c.TableInterrupt) -> None:
    """Hold what runs at a table where it stood when the table's device was last heard.

    Time that began while the device was silent, by a tap that came later, is given in full.
    """
    table = story.state.table(command.table)
    certain = story.state.table_now(table, story.now) - (command.unseen or 0)
    at, place, held = story.now, table.number, None
    if isinstance(table.action, Running):
        held = table.action.seat
        began = certain if table.action.began is None else table.action.began
        left = max(0, table.action.ends_at - max(certain, began))
        story.tell(
            e.ActionHeld(
                at=at,
                table=place,
                seat=held,
                ms=left,
                acted=False,
                interrupted=True,
                silent=not command.away,
            )
        )
    elif isinstance(table.called, Called):
        held = table.called.seat
        left = max(0, table.called.ends_at - certain)
        story.tell(e.CalledSet(at=at, table=place, ms=left))
        if table.flow.stopped_at is None:
            reason = AWAY if command.away else REASON
            story.tell(e.TablePaused(at=at, table=place, reason=reason))
    else:
        refuse(Code.NOT_RUNNING, f"No clock runs at table {place}.")
    since, until, away = command.since or at, command.until or at, command.away
    story.tell(e.SilenceEnded(at=at, table=place, since=since, until=until, held=held, away=away))


@applies(e.TimeMissed)
def apply_time_missed(state: State, event: e.TimeMissed) -> State:
    """Remember time that the hub missed."""
    return replace(state, history=state.history.without_hub(event.since, event.until))


@applies(e.CalledSet)
def apply_called_set(state: State, event: e.CalledSet) -> State:
    """Let a called clock have so much time left as was certain."""
    table = state.tables[event.table]
    called = expect(Called, table.called)
    ends_at = state.table_now(table, event.at) + event.ms
    counts_at = ends_at - (called.ends_at - called.counts_at)
    changed = replace(called, ends_at=ends_at, counts_at=counts_at, runs_since=event.at)
    return state.with_table(replace(table, called=changed))


@decides(c.SilenceSeen)
def decide_silence_seen(story: Story, command: c.SilenceSeen) -> None:
    """Take note that the floor knows what was assumed of a table."""
    if command.table not in story.state.assumed:
        refuse(Code.NOT_ALLOWED, f"Nothing was assumed of table {command.table}.")
    story.tell(e.SilenceSeen(at=story.now, table=command.table))


@applies(e.TapKept)
def apply_tap_kept(state: State, event: e.TapKept) -> State:
    """Count a tap that was believed although it came late."""
    known = _known(state, event)
    return _assume(state, event, replace(known, taps=known.taps + 1, tap=event.tap))


@applies(e.SilenceEnded)
def apply_silence_ended(state: State, event: e.SilenceEnded) -> State:
    """Remember a silence; what the floor has to see is a clock that was held, or taps."""
    if event.held is None and event.table not in state.assumed:
        return _waited(state, event)
    known = replace(_known(state, event), held=event.held, away=event.away)
    return _assume(state, event, known)


@applies(e.SilenceSeen)
def apply_silence_seen(state: State, event: e.SilenceSeen) -> State:
    """Forget what was assumed."""
    return without(state, event.table)


def _known(state: State, event: e.TapKept | e.SilenceEnded) -> Assumed:
    """Give what was assumed so far: of this silence, or of one before it that nobody has seen."""
    known = state.assumed.get(event.table)
    since = event.since if known is None else min(known.since, event.since)
    known = Assumed(since, event.until) if known is None else known
    return replace(known, since=since, until=max(known.until, event.until))


def _assume(state: State, event: e.TapKept | e.SilenceEnded, assumed: Assumed) -> State:
    return replace(_waited(state, event), assumed={**state.assumed, event.table: assumed})


def _waited(state: State, event: e.TapKept | e.SilenceEnded) -> State:
    history = state.history.waited(event.table, event.since, event.until)
    return replace(state, history=history)


def without(state: State, table: int) -> State:
    """Give a state in which nothing is assumed of a table."""
    if table not in state.assumed:
        return state
    rest = {number: found for number, found in state.assumed.items() if number != table}
    return replace(state, assumed=rest)


def tap_undone(state: State, tap: str) -> State:
    """Let the undo of the newest tap that was kept be the floor's answer to what was assumed."""
    found = [table for table, assumed in state.assumed.items() if tap and assumed.tap == tap]
    return without(state, found[0]) if found else state


def hand_begins(state: State, table: int, at: int) -> State:
    """Let a new hand settle what was assumed before it, unless it was dealt in that silence."""
    known = state.assumed.get(table)
    return state if known is None or at < known.until else without(state, table)


def assumed_document(state: State, table: int) -> dict[str, Any] | None:
    """Say what was assumed of a table, for the board; None where nothing is to be seen."""
    found = state.assumed.get(table)
    if found is None:
        return None
    silent = "hub away" if found.away else "tablet silent"
    silent = f"{silent} for {time_words(found.until - found.since)}"
    told = []
    if found.taps:
        told.append(f"{number(found.taps, 'tap')} counted from when made")
    if found.held is not None:
        told.append(f"the clock of seat {found.held} held" if found.held else "the clock held")
    return {
        "since": found.since,
        "until": found.until,
        "taps": found.taps,
        "tap": found.tap or None,
        "held": found.held,
        "text": f"{silent}: {' and '.join(told)}" if told else silent,
    }
