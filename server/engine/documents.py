"""Documents: what the hub publishes of a state, and all that clients ever see.

Clients never compute rules. A document says what is, until when, and what comes next; a client only
renders it and counts down. All of it is plain data that JSON can say.
"""

from dataclasses import asdict
from typing import Any

from server.engine.actions import known_round
from server.engine.betting_round import asks_all_in, faces_bet, what_next
from server.engine.commands import ActionBank, Undo
from server.engine.flow import MINUTE, SECOND
from server.engine.handforhand import PENDING, after_hand, next_cost, status_of
from server.engine.hands import table_blinds
from server.engine.history import ROOM
from server.engine.levels import hands_pending
from server.engine.notices import active, registration_closes, until
from server.engine.records import write_command
from server.engine.room import Finish, Room
from server.engine.rules import STREETS, FloorTimer
from server.engine.stages import registration_open, to_money
from server.engine.state import State
from server.engine.structure import Blinds, Break, Level, Step
from server.engine.table import (
    Called,
    CalledOut,
    Expired,
    Held,
    Idle,
    Off,
    Round,
    Running,
    Table,
)
from server.engine.tales import said
from server.engine.undo import switched

Document = dict[str, Any]

FINISHES_SHOWN = 12
"""How many of the newest finishes the event document shows; the pages of results have them all."""

OVERDUE_SHOWN = 10 * MINUTE
"""How long the director still sees a floor timer that has run out."""


def event_document(state: State, now: int) -> Document:
    """Say how the event stands: topic `event`, on the wire `t/<id>`."""
    room, rules = state.room, state.rules
    field = room.field
    chips = field.entries * rules.stack
    return {
        "now": now,
        "name": rules.name,
        "house": rules.house,
        "clock": _clock(state, now),
        "notices": active(state, now),
        "registration": _registration(state, now),
        "h4h": _hand_for_hand(state, now),
        "field": {
            "entries": field.entries,
            "left": field.left,
            "tables": len(state.tables),
            "average_stack": _rounded(chips, field.left),
            "chips_in_play": chips,
            "to_money": to_money(state),
            "finishes": [
                asdict(finish) for finish in (*winner(state), *field.placed(FINISHES_SHOWN))
            ],
        },
        "action_clock": None
        if room.action is None
        else {
            "seconds": room.action.seconds,
            "chips": room.action.chips,
            "chip_seconds": room.action.chip_seconds,
            "streets": {street: room.action.base(street) for street in STREETS},
        },
        "called_clock": {
            "seconds": rules.called.seconds,
            "countdown": rules.called.countdown,
            "choices": list(rules.called.choices),
        },
        "floor_reasons": [asdict(known) for known in rules.floor.reasons],
        "announcement": room.announcement,
    }


def winner(state: State) -> tuple[Finish, ...]:
    """Give the first place to the last one who has a seat, once it is over: nobody busts them."""
    if not state.room.finished or state.room.field.left != 1:
        return ()
    seats = [seat for _, table in state.tables.items() for seat in table.seats.values()]
    return tuple(Finish(s.player.id, s.player.name, 1, 1) for s in seats) if len(seats) == 1 else ()


def _rounded(total: int, parts: int) -> int | None:
    return (2 * total + parts) // (2 * parts) if parts > 0 else None


def _status(room: Room) -> str:
    if room.finished:
        return "finished"
    if room.suspended:
        return "suspended"
    if not room.started:
        return "waiting"
    return "paused" if room.paused or room.holds else "running"


def _reason(room: Room) -> str | None:
    """Say why the clock stands: the director's words, or the engine's."""
    if room.paused or not room.started or not room.holds:
        return room.reason
    if room.hard_stopped:
        return "hard_stop"
    return "break_waits" if room.h4h.break_waits else "hand_for_hand"


def _clock(state: State, now: int) -> Document:
    room = state.room
    step = room.now_step
    status = _status(room)
    runs = status == "running" and room.ends_at is not None
    blinds = room.structure.blinds(room.step)
    return {
        "status": status,
        "phase": "break" if room.on_break else "level",
        "level": blinds.level,
        "small": blinds.small,
        "big": blinds.big,
        "ante": blinds.ante,
        "ends_at": room.instant(room.ends_at) if runs and room.ends_at is not None else None,
        "remaining_ms": room.remaining(now),
        "length_ms": None if room.called_break is not None else step.length,
        "next": _next(room),
        "next_break_ms": _next_break(room, now),
        "colour_up": list(step.colour_up) if isinstance(step, Break) else [],
        "hands": {"each": step.hands, "tables_left": hands_pending(state)}
        if isinstance(step, Level) and step.hands is not None
        else None,
        "reason": _reason(room),
        "starts_at": room.starts_at,
        "resumes_at": room.resumes_at,
        "hard_stop_at": room.hard_stop_at,
    }


def _next(room: Room) -> Document | None:
    index = room.step + (room.called_break is None)
    step = room.structure.step(index)
    if step is None:
        return None
    level = isinstance(step, Level)
    blinds = room.structure.blinds(index)
    return {
        "phase": "level" if level else "break",
        "level": blinds.level,
        "small": blinds.small if level else None,
        "big": blinds.big if level else None,
        "ante": blinds.ante if level else None,
        "minutes": step.minutes,
        "length_ms": _next_length(room, step),
        "colour_up": [] if isinstance(step, Level) else list(step.colour_up),
    }


def _next_length(room: Room, step: Step) -> int | None:
    """Say how long the next step will be: where a break was called, the rest of the level."""
    if room.called_break is not None:
        return room.called_break.remaining
    if step.length is None or isinstance(step, Break):
        return step.length
    return max(0, step.length - room.owed)


def _next_break(room: Room, now: int) -> int | None:
    """Say how much playing time is left before the next break."""
    playing: int | None
    if room.called_break is not None:
        playing = room.called_break.remaining
    else:
        playing = 0 if room.on_break else room.remaining(now)
    owed = room.owed
    for step in room.structure.steps[room.step + 1 :]:
        if isinstance(step, Break):
            return playing
        if playing is None or step.length is None:
            return None
        taken = min(owed, step.length)
        owed -= taken
        playing += step.length - taken
    return None


def _registration(state: State, now: int) -> Document:
    closes = registration_closes(state)
    return {
        "open": registration_open(state),
        "closes_at_level": state.rules.registration.closes_at_level,
        "closes_in_ms": None if closes is None else max(0, closes - state.room.level_now(now)),
    }


def _hand_for_hand(state: State, now: int) -> Document:
    h4h = state.room.h4h
    off = h4h.status == "off"
    tables = {} if off else {str(n): status_of(state, table) for n, table in state.tables.items()}
    after = after_hand(state, now)
    return {
        "status": h4h.status,
        "hand": h4h.hand,
        "tables": tables,
        "pending": sum(status in PENDING for status in tables.values()),
        "policy": None if off else h4h.policy,
        "cost_ms": 0 if off else h4h.cost,
        "next_cost_ms": 0 if off else next_cost(state),
        "house_s": state.rules.hand_for_hand.seconds,
        "most_s": state.rules.hand_for_hand.most_seconds,
        "after": None
        if after is None
        else {
            "phase": "break" if after.on_break else "level",
            "level": after.level,
            "remaining_ms": after.remaining(now),
        },
        "since": h4h.since,
        "unit": h4h.unit,
        "soft": h4h.soft,
        "reason": h4h.reason,
        "to_money": None if off else to_money(state),
    }


# ── one table ────────────────────────────────────────────────────────────────────────────────────


def table_document(state: State, number: int, now: int) -> Document | None:
    """Say how a table stands: topic `table/<n>`; None where no such table is open."""
    table = state.tables.get(number)
    if table is None:
        return None
    blinds, following = table.blinds, table_blinds(state, table)
    return {
        "now": now,
        "table": number,
        **_blinds(blinds),
        "next_hand": None if following == blinds else _blinds(following),
        "hand": _hand(table),
        "size": table.size,
        "seats": {
            str(seat): {
                "player": taken.player.id,
                "name": taken.player.name,
                "bank": taken.player.bank,
                "in_hand": taken.in_hand,
                "limit_s": taken.player.limit_s,
            }
            for seat, taken in sorted(table.seats.items())
        },
        "action": action_document(state, table, now),
        "called": called_document(state, table, now),
        "collect": [{"seat": s, "chips": n} for s, n in sorted(table.collect.items())],
        "paused": table.paused,
        "floor": None if table.floor is None else asdict(table.floor),
        "h4h": status_of(state, table),
        "nudge_at": _nudge_at(state, table),
        "undo": undo_document(state, number),
    }


def _hand(table: Table) -> Document:
    """Say how the hand stands, and the betting round in it."""
    hand, known = table.hand, known_round(table)
    found = known or Round()
    return {
        "number": hand.number,
        "in_progress": hand.in_progress,
        "button": hand.button,
        "blinds": {"small": hand.small, "big": hand.big},
        "straddle": hand.straddle,
        "street": hand.street,
        "bettor": found.bettor,
        "to_act": list(found.to_act),
        "next": what_next(table),
        "unbet": found.unbet and found.bettor is None,
        "facing_bet": hand.facing_bet if known is None else _faces(table, known),
        "asks_all_in": found.turn is not None and asks_all_in(table, found, found.turn),
        "turn": table.turn,
        "all_in": sorted(seat for seat, taken in table.seats.items() if taken.all_in),
        "misdealt": hand.misdealt,
    }


def _faces(table: Table, known: Round) -> bool:
    """Say whether the one whose turn it is faces a bet, as the round or the dealer says."""
    clock = table.called if isinstance(table.called, Called) else table.action
    if isinstance(clock, Running | Held | Called):
        return clock.facing
    return known.turn is not None and faces_bet(table, known, known.turn)


def _nudge_at(state: State, table: Table) -> int | None:
    """Say when the dealer is reminded to start somebody's time, where the house wants that."""
    clock = state.room.action
    waits = table.hand.in_progress and table.turn is not None
    idle = isinstance(table.action, Idle) and isinstance(table.called, Off)
    if clock is None or clock.nudge_seconds is None or table.quiet is None or not (waits and idle):
        return None
    return state.table_instant(table, table.quiet + clock.nudge_seconds * SECOND)


def undo_document(state: State, number: int) -> Document | None:
    """Say what a dealer's undo at a table would take back; `again` where it would be redone."""
    undo = Undo(table=number, by="dealer")
    switch = switched(state.history, undo)
    if switch is None or switch.root.command is None:
        return None
    command = switch.root.command
    seat = getattr(command, "seat", None)
    before = switch.root.before.tables.get(number)
    if seat is None and before is not None and command.do.startswith("action."):
        seat = before.turn if isinstance(before.action, Idle) else before.action.seat or None
    again = switch.root.number in state.history.undone
    starts = command.do == "action.next" and before is not None and isinstance(before.action, Idle)
    do = "action.start" if starts else command.do  # what it did, not what it was called
    chips = {"chips": command.chips} if isinstance(command, ActionBank) else {}
    return {"do": do, "seat": seat, **chips, "again": again}


def table_view(room: Room) -> tuple[object, ...]:
    """Give all of the room that tables' documents show: while it stays, so do they.

    Not the field, nor what is counted of hand-for-hand: a bust or a table's report does not change
    the documents of a thousand other tables.
    """
    clock = (room.flow, room.structure, room.step, room.visit, room.called_break, room.action)
    named = room.field.entries > 0  # else tables without players are waited for all the same
    return (*clock, room.started, room.finished, room.h4h.status, room.h4h.epoch, named)


def _blinds(blinds: Blinds | None) -> Document:
    if blinds is None:
        return {"level": None, "small": None, "big": None, "ante": None}
    return {
        "level": blinds.level,
        "small": blinds.small,
        "big": blinds.big,
        "ante": blinds.ante,
    }


def action_document(state: State, table: Table, now: int) -> Document:
    """Say whose time runs at a table."""
    found: Document = {
        "status": "idle",
        "seat": None,
        "remaining_ms": None,
        "ends_at": None,
        "on_bank": 0,
        "used": 0,
        "facing_bet": None,
        "outcome": None,
        "interrupted": False,
        "acted": False,
    }
    action = table.action
    match action:
        case Idle():
            return found
        case Running():
            left = action.ends_at - state.table_now(table, now)
            ends_at = state.table_instant(table, action.ends_at)
            going = "running" if left >= 0 else "expiring"
            found["status"] = "paused" if ends_at is None else going
            found["remaining_ms"] = max(0, left)
            found["ends_at"] = ends_at
            found["on_bank"] = action.on_bank
        case Held():
            found["status"] = "held"
            found["acted"] = action.acted
            found["remaining_ms"] = action.remaining
            found["on_bank"] = action.on_bank
            found["interrupted"] = action.interrupted
        case Expired():
            found["status"] = "expired"
            found["remaining_ms"] = 0
            found["outcome"] = action.outcome
    found["seat"], found["used"] = action.seat or None, action.used
    found["facing_bet"] = action.facing
    return found


def called_document(state: State, table: Table, now: int) -> Document:
    """Say on whom the clock is called at a table."""
    called = table.called
    found: Document = {
        "status": "off",
        "seat": None,
        "remaining_ms": None,
        "ends_at": None,
        "outcome": None,
    }
    match called:
        case Off():
            return found
        case Called():
            ends_at = state.table_instant(table, called.ends_at)
            counting = "countdown" if called.counting else "running"
            found["status"] = "paused" if ends_at is None else counting
            found["remaining_ms"] = max(0, called.ends_at - state.table_now(table, now))
            found["ends_at"] = ends_at
        case CalledOut():
            found["status"] = "expired"
            found["remaining_ms"] = 0
            found["outcome"] = called.outcome
    found["seat"] = called.seat
    return found


# ── for the floor alone ──────────────────────────────────────────────────────────────────────────


def floor_document(state: State, now: int) -> Document:
    """Say what only the floor may see: topic `floor`."""
    timers = (_timer(state, timer, now) for timer in state.rules.floor_timers)
    history = state.history
    # In a busy room the last fifty are all dealers' taps: what was decided for the room is kept.
    found = {entry.number: entry for entry in (*history.commands(ROOM), *history.commands())}
    return {
        "now": now,
        "timers": [timer for timer in timers if timer is not None],
        "undo": [
            {
                "command": entry.id,
                "at": entry.at,
                "do": entry.command.do,
                "args": (args := write_command(entry.command)["args"]),
                "text": said(entry.command.do, args),
                "by": entry.command.by,
                "undone": entry.number in history.undone,
            }
            for _, entry in sorted(found.items(), reverse=True)
            if entry.command is not None and entry.command.undoable
        ],
    }


def _timer(state: State, timer: FloorTimer, now: int) -> Document | None:
    """Count down to an edge of the structure, give or take (EP-BB)."""
    room = state.room
    if timer.level is not None:
        index = room.structure.index(timer.level)
    else:
        breaks = [i for i, s in enumerate(room.structure.steps) if isinstance(s, Break)]
        number = timer.break_number or 0
        index = breaks[number - 1] if number <= len(breaks) else None
    if index is None or not room.started or room.level < timer.from_level:
        return None
    index += timer.edge == "end"
    if index < room.step:
        return None
    edge = until(state, index) if index > room.step else room.began_at
    if edge is None:
        return None
    left = edge + timer.minutes * MINUTE - room.level_now(now)
    if left < -OVERDUE_SHOWN:
        return None
    ends_at = room.instant(edge + timer.minutes * MINUTE)
    return {
        "name": timer.name,
        "remaining_ms": max(0, left),
        "ends_at": ends_at,
        "over": left < 0,
    }
