"""Hands at a table, and the latch: a hand keeps the level that it began with (SB-20, AP-23).

The level on the wall and the level of a hand in progress are different things. A table takes the
wall's level at the first riffle; after a dealer push, where the house says so, one more hand is
dealt at the level of the push.
"""

from dataclasses import replace

from server.engine import commands as c
from server.engine import events as e
from server.engine.actions import leave, ruled
from server.engine.handforhand import (
    PENDING,
    finish_hand,
    report,
    start_hand,
    status_of,
    table_report,
)
from server.engine.levels import end_counted_level
from server.engine.refusals import Code, refuse
from server.engine.rules import STREETS
from server.engine.silence import hand_begins
from server.engine.state import State
from server.engine.story import Story, applies, decides
from server.engine.structure import Blinds, Level
from server.engine.table import Hand, Push, Seat, Table
from server.engine.tables import ensure_table


def next_blinds(state: State) -> Blinds:
    """Say at what the next hand will be dealt: on a break, at the level after it."""
    room = state.room
    index = room.step
    if isinstance(room.structure.step(index + 1), Level) and not isinstance(room.now_step, Level):
        index += 1
    return room.structure.blinds(index)


def table_blinds(state: State, table: Table) -> Blinds:
    """Say at what a table deals next: after a push, one more hand at the prior level (AP-23)."""
    push, room = table.pushed, state.room
    if push is not None and room.visit == push.visit + 1 and isinstance(room.now_step, Level):
        return push.blinds
    return next_blinds(state)


def _may_deal(story: Story, number: int) -> None:
    room = story.state.room
    if not room.started or room.standing:
        refuse(Code.NOT_RUNNING, "No hand now: the clock of the event is not running.")
    if room.on_break:
        refuse(Code.ON_BREAK, "No new hand during the break.")
    if room.hard_stopped:
        refuse(Code.NOT_ALLOWED, "No new hand: play has ended for the night.")
    table = story.state.tables.get(number)
    if table is None:
        return
    if table.flow.stopped_at is not None:
        refuse(Code.NOT_RUNNING, f"No hand now: table {number} is paused.")
    more = room.structure.step(room.step + 1) is not None
    if more and table.has_played(room.visit, room.now_step):
        refuse(Code.NOT_ALLOWED, f"Table {number} has played all hands of this level: wait.")


def _first_to_act(table: Table, button: int | None) -> int | None:
    """Find who acts first before the flop: left of the big blind; heads-up, the button."""
    taken = sorted(table.seats)
    if button is None or len(taken) < 2:  # noqa: PLR2004 - nobody to play against
        return None
    around = [s for s in taken if s > button] + [s for s in taken if s <= button]
    return around[-1] if len(taken) == 2 else around[2]  # noqa: PLR2004 - heads-up


def _next_button(state: State, table: Table) -> int | None:
    last, first = table.hand.button, state.rules.first_button
    if last is None:
        return first if first is not None else min(table.seats, default=None)
    return min(table.seats, key=lambda s: (s <= last, s), default=None)


@decides(c.HandStart)
def _(story: Story, command: c.HandStart) -> None:
    _may_deal(story, command.table)
    table = ruled(ensure_table(story, command.table))
    if command.button is not None and command.button > table.size:
        refuse(Code.BAD_VALUE, f"Table {table.number} has {table.size} seats.")
    if table.hand.in_progress and story.state.room.h4h.status == "off":
        end_hand(story, table)  # the dealer forgot to say so
        _may_deal(story, command.table)
    start_hand(story, story.state.tables[table.number])
    leave(story, story.state.tables[table.number])
    table = story.state.tables[table.number]
    button = command.button if command.button is not None else _next_button(story.state, table)
    story.tell(
        e.HandStarted(
            at=story.now,
            table=table.number,
            button=button,
            blinds=table_blinds(story.state, table),
            turn=_first_to_act(table, button),
        )
    )


@applies(e.HandStarted)
def _(state: State, event: e.HandStarted) -> State:
    table = state.tables[event.table]
    return hand_begins(state, event.table, event.at).with_table(
        replace(
            table,
            hand=Hand(table.hand.number + 1, in_progress=True, button=event.button),
            blinds=event.blinds,
            pushed=None,
            turn=event.turn,
            seats={seat: Seat(taken.player, in_hand=True) for seat, taken in table.seats.items()},
            quiet=state.table_now(table, event.at),
        )
    )


@decides(c.HandEnd)
def _(story: Story, command: c.HandEnd) -> None:
    table = ruled(story.state.table(command.table))
    if not table.hand.in_progress:
        refuse(Code.NOT_RUNNING, f"Table {table.number} has no hand in progress.")
    end_hand(story, table)


def end_hand(story: Story, table: Table) -> None:
    """End the hand in progress, with all that follows for the clocks and for hand-for-hand."""
    was = status_of(story.state, table)
    leave(story, table)
    room = story.state.room
    visit = room.visit if table.blinds is not None and table.blinds.level == room.level else -1
    story.tell(e.HandEnded(at=story.now, table=table.number, visit=visit))
    played = table.has_played(room.visit, room.now_step)
    table = story.state.tables[table.number]
    if not played and table.has_played(room.visit, room.now_step):
        story.tell(e.LevelHandsPlayed(at=story.now, table=table.number))
        end_counted_level(story)
    finish_hand(story, table, was)


@applies(e.HandEnded)
def _(state: State, event: e.HandEnded) -> State:
    table = state.tables[event.table]
    visit, hands = table.level_hands
    return state.with_table(
        replace(
            table,
            hand=replace(table.hand, in_progress=False),
            level_hands=(event.visit, hands + 1 if visit == event.visit else 1)
            if event.visit >= 0
            else table.level_hands,
            turn=None,
            seats={seat: Seat(taken.player) for seat, taken in table.seats.items()},
        )
    )


@decides(c.HandForHandDone)
def _(story: Story, command: c.HandForHandDone) -> None:
    table, status = table_report(story, command.table)
    ruled(table)
    epoch = story.state.room.h4h.epoch
    if table.hand.in_progress:
        end_hand(story, table)
        table = story.state.tables[table.number]
    elif status == "all_in":
        refuse(Code.NOT_ALLOWED, "All-in: the board must be run first.")
    # An orbit may be cut short, and a hand that nobody tracked is done all the same.
    h4h, status = story.state.room.h4h, status_of(story.state, table) or ""
    if h4h.epoch == epoch and status in PENDING:
        report(story, table, status, "done")


@decides(c.DealerPush)
def _(story: Story, command: c.DealerPush) -> None:
    state = story.state
    table = state.table(command.table)
    push = Push(next_blinds(state), state.room.visit) if state.rules.push_keeps_level else None
    story.tell(e.DealerPushed(at=story.now, table=table.number, push=push))


@applies(e.DealerPushed)
def _(state: State, event: e.DealerPushed) -> State:
    return state.with_table(replace(state.tables[event.table], pushed=event.push))


@decides(c.StreetNext)
def _(story: Story, command: c.StreetNext) -> None:
    table = ruled(story.state.table(command.table))
    if not table.hand.in_progress:
        refuse(Code.NOT_RUNNING, f"Table {table.number} has no hand in progress.")
    index = STREETS.index(table.hand.street) + 1
    if index == len(STREETS):
        refuse(Code.NOT_ALLOWED, "The river was the last betting round.")
    if status_of(story.state, table) == "all_in":
        refuse(Code.NOT_ALLOWED, "All-in: no more cards until the board may be run.")
    leave(story, table)
    table = story.state.tables[table.number]
    button = table.hand.button
    turn = None if button is None else table.live(button)
    story.tell(e.StreetDealt(at=story.now, table=table.number, street=STREETS[index], turn=turn))


@applies(e.StreetDealt)
def _(state: State, event: e.StreetDealt) -> State:
    table = state.tables[event.table]
    hand = replace(table.hand, street=event.street, facing_bet=False)
    quiet = state.table_now(table, event.at)
    return state.with_table(replace(table, hand=hand, turn=event.turn, quiet=quiet))
