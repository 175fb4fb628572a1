"""What time does at a table: a chip burns, a hand dies or is checked, and what the floor rules."""

from dataclasses import replace

from server.engine import commands as c
from server.engine import events as e
from server.engine.actions import table_in_play
from server.engine.flow import SECOND
from server.engine.refusals import Code, refuse
from server.engine.state import State
from server.engine.story import Story, applies, decides, expect
from server.engine.table import (
    NEEDS_RULING,
    WHOEVER,
    Called,
    CalledOut,
    Expired,
    Idle,
    Off,
    Running,
    Table,
)


def run_out(story: Story, table: Table) -> None:
    """Let time do what it does at a table's earliest deadline."""
    at, number = story.now, table.number
    action, called = table.action, table.called
    if isinstance(called, Called) and table.called_due() <= table.action_due():
        if not called.counting:
            story.tell(e.CalledCounting(at=at, table=number))
            return
        outcome = "dead" if called.facing else story.state.rules.called.unfaced
        outcome = NEEDS_RULING if story.silent(number, at) else outcome
        story.tell(e.CalledExpired(at=at, table=number, seat=called.seat, outcome=outcome))
    elif isinstance(action, Running) and table.burns(action):
        rules = story.state.room.action
        ms = 0 if rules is None else rules.chip_seconds * SECOND
        story.tell(e.ChipForfeited(at=at, table=number, seat=action.seat, ms=ms))
    elif isinstance(action, Running):
        outcome = "dead" if action.facing else "check"
        outcome = "time" if action.seat == WHOEVER else outcome  # the dealer knows what it means
        outcome = NEEDS_RULING if story.silent(number, at) else outcome
        story.tell(e.ActionExpired(at=at, table=number, seat=action.seat, outcome=outcome))


def noted(state: State, event: e.ActionExpired | e.CalledExpired) -> State:
    """Remember a silence, so that an undo which plays the time again knows of it."""
    if event.outcome != NEEDS_RULING:
        return state
    return replace(state, history=state.history.unheard(event.table, event.at))


@applies(e.ActionExpired)
def _(state: State, event: e.ActionExpired) -> State:
    table = state.tables[event.table]
    was = expect(Running, table.action)
    table = table.billed().timed(was.ends_at)
    if event.outcome == "dead":
        table = table.dealt(event.seat, in_hand=False)
    expired = Expired(event.seat, event.outcome, was.facing, was.used)
    return noted(state.with_table(replace(table, action=expired)), event)


@decides(c.ActionRuling)
def _(story: Story, command: c.ActionRuling) -> None:
    table = table_in_play(story, command.table)
    if not isinstance(table.action, Expired) and not isinstance(table.called, CalledOut):
        refuse(Code.NOT_ALLOWED, f"No time has run out at table {table.number}.")
    story.tell(e.ActionRuled(at=story.now, table=table.number, outcome=command.outcome))


@applies(e.ActionRuled)
def _(state: State, event: e.ActionRuled) -> State:
    table = state.tables[event.table]
    outcome, void = event.outcome, event.outcome == "void"
    if isinstance(table.action, Expired):
        was = table.action
        table = table.dealt(was.seat, in_hand=outcome != "dead")
        action = Idle() if void else replace(was, outcome=outcome, ruled=True)
        turn = was.seat or None if void else None
        quiet = state.table_now(table, event.at)
        return state.with_table(replace(table, action=action, turn=turn, quiet=quiet))
    seat = expect(CalledOut, table.called).seat
    table = table.dealt(seat, in_hand=outcome != "dead")
    called = Off() if void else CalledOut(seat, outcome)
    return state.with_table(replace(table, called=called))
