"""The clock that is called on a player, where no action clock runs (SB-25, AP-29, AT-3.10.1)."""

from dataclasses import replace

from server.engine import commands as c
from server.engine import events as e
from server.engine.actions import seated_player, table_to_act
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
    if table.hand.in_progress and not table.seats[command.seat].in_hand:
        refuse(Code.OUT_OF_TURN, f"Seat {command.seat} is not in this hand.")
    rules = story.state.rules.called
    seconds = command.seconds or player.limit_s or rules.seconds
    facing = table.hand.facing_bet if command.facing_bet is None else command.facing_bet
    story.tell(
        e.CalledStarted(
            at=story.now,
            table=table.number,
            seat=command.seat,
            facing_bet=facing,
            ms=seconds * SECOND,
            countdown_ms=min(seconds, rules.countdown) * SECOND,
        )
    )


@applies(e.CalledStarted)
def _(state: State, event: e.CalledStarted) -> State:
    table = state.tables[event.table]
    ends_at = state.table_now(table, event.at) + event.ms
    called = Called(event.seat, ends_at, ends_at - event.countdown_ms, event.facing_bet)
    return state.with_table(replace(table, called=called))


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
    return noted(state.with_table(replace(table, called=out)), event)


@decides(c.CalledStop)
def _(story: Story, command: c.CalledStop) -> None:
    if isinstance(table_to_act(story, command.table).called, Off):
        refuse(Code.NOT_RUNNING, f"No clock is called at table {command.table}.")
    story.tell(e.CalledStopped(at=story.now, table=command.table))


@applies(e.CalledStopped)
def _(state: State, event: e.CalledStopped) -> State:
    return state.with_table(replace(state.tables[event.table], called=Off()))
