"""Notices: what the floor is reminded of, and when each reminder begins.

A notice is never stored. It is a window that opens at a level time or at an instant, so that time
given back to the clock closes it again by itself. `opening` lets the hub wake up and publish.
"""

from server.engine.flow import MINUTE, SECOND
from server.engine.stages import registration_open, to_money
from server.engine.state import State
from server.engine.structure import Break, Level


def until(state: State, index: int) -> int | None:
    """Say what level time it will be when a later step begins; None where that is not known."""
    room = state.room
    at = room.ends_at
    if room.called_break is not None:
        left = room.called_break.remaining
        at = None if at is None or left is None else at + left
    owed = room.owed
    for i in range(room.step + 1, index):
        step = room.structure.step(i)
        if at is None or step is None or step.length is None:
            return None
        taken = 0 if isinstance(step, Break) else min(owed, step.length)
        owed -= taken
        at += step.length - taken
    return at


def registration_closes(state: State) -> int | None:
    """Say at what level time registration closes; None where it is closed or has no known end."""
    room = state.room
    index = room.structure.index(state.rules.registration.closes_at_level)
    if not registration_open(state) or index is None or index <= room.step:
        return None
    return until(state, index)


def _on_the_clock(state: State) -> dict[str, int]:
    """Give the level times at which notices begin."""
    room, rules = state.room, state.rules
    found: dict[str, int] = {}
    hold, prepare = rules.notices.hold_push_seconds, rules.notices.prepare_decks_seconds
    if room.started and room.ends_at is not None:
        more = room.structure.step(room.step + 1) is not None
        if not room.on_break and hold is not None and more:
            found["hold_push"] = room.ends_at - hold * SECOND
        if not room.on_break and not more:  # nothing follows: the level stays, at 0:00
            found["last_level_over"] = room.ends_at
        if room.on_break and prepare is not None:
            found["prepare_decks"] = room.ends_at - prepare * SECOND
    closes = registration_closes(state) if room.started else None
    if closes is not None:
        found["registration_closing"] = closes - rules.registration.notice_minutes * MINUTE
    return found


def _by_the_hub(state: State) -> dict[str, int]:
    """Give the instants at which notices begin."""
    room, rules = state.room, state.rules
    found: dict[str, int] = {}
    prepare = rules.notices.prepare_decks_seconds
    begins = room.resumes_at if room.suspended else room.starts_at
    if begins is not None and prepare is not None:
        found["prepare_decks"] = begins - prepare * SECOND
    if room.hard_stop_at is not None and rules.hard_stop is not None and room.started:
        found["hard_stop"] = room.hard_stop_at - rules.hard_stop.warn_minutes * MINUTE
    return found


def active(state: State, now: int) -> list[str]:
    """List the notices that hold at an instant."""
    room, rules = state.room, state.rules
    if room.finished:
        return []
    level_now = room.level_now(now)
    found = [name for name, at in _on_the_clock(state).items() if level_now >= at]
    found += [name for name, at in _by_the_hub(state).items() if now >= at]
    last = isinstance(room.now_step, Level) and room.structure.step(room.step + 1) is None
    if room.started and last:
        found.append("last_level")
    within, distance = rules.hand_for_hand.round_within, to_money(state)
    bubble = distance is not None and within is not None and 0 < distance <= within
    if bubble and room.h4h.status == "off" and room.started:
        found.append("round_for_round")
    return sorted(set(found))


def opening(state: State) -> int | None:
    """Say when the next notice begins."""
    room = state.room
    if room.finished:
        return None
    instants = [room.instant(at) for at in _on_the_clock(state).values()]
    instants += _by_the_hub(state).values()
    return min((at for at in instants if at is not None and at > room.noticed_at), default=None)
