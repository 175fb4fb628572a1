"""The clock that is called on a player, where no action clock runs (SB-25, AP-29, AT-3.10.1)."""

from dataclasses import replace

from server.engine import betting_round
from server.engine import commands as c
from server.engine import events as e
from server.engine.actions import known_round, seated_player, table_to_act, turn_to
from server.engine.expiry import noted
from server.engine.flow import SECOND
from server.engine.refusals import Code, refuse
from server.engine.state import State
from server.engine.story import Story, applies, decides, expect
from server.engine.table import Called, CalledOut, Held, Off, Running


@decides(c.CalledStart)
def _(story: Story, command: c.CalledStart) -> None:
    table = table_to_act(story, command.table)
    player = seated_player(table, command.seat)
    if isinstance(table.action, Running | Held):
        refuse(Code.NOT_ALLOWED, f"The action clock runs at table {table.number}.")
    rules = story.state.rules.called
    # A limit is there to hurry a slow player: it never lengthens the clock (AT-3.10.2).
    seconds = command.seconds or min(player.limit_s or rules.seconds, rules.seconds)
    found, facing = turn_to(story, table.number, command.seat, command.facing_bet)
    story.tell(
        e.CalledStarted(
            at=story.now,
            table=table.number,
            seat=command.seat,
            facing_bet=facing,
            ms=seconds * SECOND,
            countdown_ms=min(seconds, rules.countdown) * SECOND,
            round=found,
        )
    )


@applies(e.CalledStarted)
def _(state: State, event: e.CalledStarted) -> State:
    table = state.tables[event.table]
    ends_at = state.table_now(table, event.at) + event.ms
    counts_at = ends_at - event.countdown_ms
    called = Called(event.seat, ends_at, counts_at, event.facing_bet, runs_since=event.at)
    return state.with_table(replace(table, called=called).in_round(event.round))


@applies(e.CalledCounting)
def _(state: State, event: e.CalledCounting) -> State:
    table = state.tables[event.table]
    called = expect(Called, table.called)
    return state.with_table(replace(table, called=replace(called, counting=True)))


@applies(e.CalledExpired)
def _(state: State, event: e.CalledExpired) -> State:
    table = state.tables[event.table]
    if event.outcome == "dead":
        table = table.dealt(event.seat, in_hand=False)
    out = CalledOut(event.seat, event.outcome)
    turn = event.turn if event.passes else table.turn
    table = replace(table, called=out, turn=turn).in_round(event.round)
    return noted(state.with_table(table), event)


@decides(c.CalledStop)
def decide_called_stop(story: Story, command: c.CalledStop) -> None:
    """Let the player have acted: with a check or a call, unless the dealer taps what it was."""
    table = table_to_act(story, command.table)
    if isinstance(table.called, Off):
        refuse(Code.NOT_RUNNING, f"No clock is called at table {command.table}.")
    known = known_round(table)
    found = None
    if isinstance(table.called, Called) and known is not None:
        found = betting_round.acted(table, known, table.called.seat)
    story.tell(
        e.CalledStopped(
            at=story.now,
            table=command.table,
            passes=found is not None,
            turn=None if found is None else found.turn,
            round=found,
        )
    )


@applies(e.CalledStopped)
def apply_called_stopped(state: State, event: e.CalledStopped) -> State:
    """Take the called clock off; the turn goes on where the player acted."""
    table = state.tables[event.table]
    turn = event.turn if event.passes else table.turn
    return state.with_table(replace(table, called=Off(), turn=turn).in_round(event.round))
