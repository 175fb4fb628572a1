"""What time does at a table: a chip burns, a hand dies or is checked, and what the floor rules."""

from dataclasses import replace

from server.engine import betting_round
from server.engine import commands as c
from server.engine import events as e
from server.engine.actions import known_round, table_in_play
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
    Round,
    Running,
    Table,
)

OVER = ("dead", "check")
"""Outcomes with which a player's action is over; others wait for somebody to decide."""


def round_after(table: Table, seat: int, outcome: str) -> Round | None:
    """Give the betting round once a player's time has run out, or the floor has ruled on it."""
    known = known_round(table)
    if known is None or outcome not in OVER or seat == WHOEVER:
        return None
    after = table.dealt(seat, in_hand=outcome != "dead")
    if outcome == "dead":
        return betting_round.settled(after, known)
    return betting_round.acted(after, known, seat)


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
        found = round_after(table, called.seat, outcome)
        story.tell(
            e.CalledExpired(
                at=at,
                table=number,
                seat=called.seat,
                outcome=outcome,
                passes=outcome in OVER,
                turn=table.live(called.seat) if found is None else found.turn,
                round=found,
            )
        )
    elif isinstance(action, Running) and table.burns(action):
        rules = story.state.room.action
        ms = 0 if rules is None else rules.chip_seconds * SECOND
        story.tell(e.ChipForfeited(at=at, table=number, seat=action.seat, ms=ms))
    elif isinstance(action, Running):
        outcome = "dead" if action.facing else "check"
        outcome = "time" if action.seat == WHOEVER else outcome  # the dealer knows what it means
        outcome = NEEDS_RULING if story.silent(number, at) else outcome
        found = round_after(table, action.seat, outcome)
        story.tell(
            e.ActionExpired(at=at, table=number, seat=action.seat, outcome=outcome, round=found)
        )


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
    table = table.in_round(event.round)
    expired = Expired(event.seat, event.outcome, was.facing, was.used)
    return noted(state.with_table(replace(table, action=expired)), event)


@decides(c.ActionRuling)
def _(story: Story, command: c.ActionRuling) -> None:
    table = table_in_play(story, command.table)
    if not isinstance(table.action, Expired) and not isinstance(table.called, CalledOut):
        refuse(Code.NOT_ALLOWED, f"No time has run out at table {table.number}.")
    seat, outcome = _ran_out_on(table), command.outcome
    known = known_round(table)
    if outcome == "void" and known is not None and seat != WHOEVER:
        found: Round | None = betting_round.restored(table.dealt(seat, in_hand=True), known, seat)
    else:
        found = round_after(table, seat, outcome)
    turn = seat if outcome == "void" else table.live(seat)
    story.tell(
        e.ActionRuled(
            at=story.now,
            table=table.number,
            outcome=outcome,
            turn=turn if found is None else found.turn,
            round=found,
        )
    )


def _ran_out_on(table: Table) -> int:
    """Say on whose time the floor rules."""
    if isinstance(table.action, Expired):
        return table.action.seat
    return expect(CalledOut, table.called).seat


@applies(e.ActionRuled)
def apply_action_ruled(state: State, event: e.ActionRuled) -> State:
    """Let the floor's word stand: the hand is dead, checked, or the player's turn comes back."""
    table = state.tables[event.table]
    outcome, void = event.outcome, event.outcome == "void"
    seat = _ran_out_on(table)
    table = table.dealt(seat, in_hand=outcome != "dead").in_round(event.round)
    if isinstance(table.action, Expired):
        action = Idle() if void else replace(table.action, outcome=outcome, ruled=True)
        turn = seat or None if void else None
        quiet = state.table_now(table, event.at)
        return state.with_table(replace(table, action=action, turn=turn, quiet=quiet))
    called = Off() if void else CalledOut(seat, outcome)
    turn = table.turn if event.turn is None else event.turn
    return state.with_table(replace(table, called=called, turn=turn))
