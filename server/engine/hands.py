"""Hands at a table, and the latch: a hand keeps the level that it began with (SB-20, AP-23).

The level on the wall and the level of a hand in progress are different things. A table takes the
wall's level at the first riffle; after a dealer push, where the house says so, one more hand is
dealt at the level of the push. A misdeal is dealt once more, exactly (AP-35C).
"""

from collections.abc import Collection, Iterable
from dataclasses import replace

from server.engine import betting_round, button
from server.engine import commands as c
from server.engine import events as e
from server.engine.actions import (
    deal_street,
    known_round,
    leave,
    ruled,
    seated_player,
    start_next,
    table_to_act,
)
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
from server.engine.table import Hand, Positions, Push, Round, Seat, Table
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
    if table.hand.misdealt and table.blinds is not None:
        return table.blinds
    if push is not None and room.visit == push.visit + 1 and isinstance(room.now_step, Level):
        return push.blinds
    return next_blinds(state)


def _may_deal(story: Story, number: int) -> None:
    room = story.state.room
    if not room.started or room.standing:
        refuse(Code.NOT_RUNNING, "No hand now: the clock of the event is not running.")
    table = story.state.tables.get(number)
    again = table is not None and table.hand.misdealt  # no new hand, but one that is finished
    if room.on_break and not again:
        refuse(Code.ON_BREAK, "No new hand during the break.")
    if room.hard_stopped and not again:
        refuse(Code.NOT_ALLOWED, "No new hand: play has ended for the night.")
    if table is None:
        return
    if table.flow.stopped_at is not None:
        refuse(Code.NOT_RUNNING, f"No hand now: table {number} is paused.")
    more = room.structure.step(room.step + 1) is not None
    if more and table.has_played(room.visit, room.now_step):
        refuse(Code.NOT_ALLOWED, f"Table {number} has played all hands of this level: wait.")


def _positions(state: State, table: Table, wanted: int | None) -> Positions:
    """Say where button and blinds are in the next hand; a button that is named is believed."""
    rules = state.rules
    due = button.due(table.hand, table.seats, rules.first_button, dead=rules.button == "dead")
    if wanted is None or wanted == due.button:
        return due
    return button.from_button(wanted, table.seats)


def _first_round(
    seats: Collection[int], positions: Positions, straddle: int | None
) -> Round | None:
    """Give the round before the flop: it ends with the big blind, or the straddle."""
    last = positions.big if straddle is None else straddle
    if last is None or len(seats) < button.HEADS_UP:
        return None
    return Round(tuple(betting_round.clockwise(seats, last)))


@decides(c.HandStart)
def decide_hand_start(story: Story, command: c.HandStart) -> None:
    """Begin a hand at the level on the wall, with button and blinds where they are due."""
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
    positions = _positions(story.state, table, command.button)
    straddle = command.straddle
    if straddle is not None:
        seated_player(table, straddle)
        if straddle == positions.big:
            refuse(Code.BAD_VALUE, f"Seat {straddle} has the big blind and cannot straddle.")
    found = _first_round(table.seats, positions, straddle)
    story.tell(
        e.HandStarted(
            at=story.now,
            table=table.number,
            button=positions.button,
            blinds=table_blinds(story.state, table),
            turn=None if found is None else found.turn,
            positions=positions,
            straddle=straddle,
            round=found,
            again=table.hand.misdealt,
        )
    )


@applies(e.HandStarted)
def apply_hand_started(state: State, event: e.HandStarted) -> State:
    """Deal everybody in."""
    table = state.tables[event.table]
    number = table.hand.number + (not event.again)
    hand = Hand(number, in_progress=True, straddle=event.straddle, round=event.round)
    positions = event.positions or Positions(event.button)
    return hand_begins(state, event.table, event.at).with_table(
        replace(
            table,
            hand=button.dealt(hand, positions),
            blinds=event.blinds,
            pushed=None,
            turn=event.turn,
            seats={seat: Seat(taken.player, in_hand=True) for seat, taken in table.seats.items()},
            quiet=state.table_now(table, event.at),
            nameless=not table.seats,
        )
    )


@decides(c.HandMisdeal)
def decide_hand_misdeal(story: Story, command: c.HandMisdeal) -> None:
    """Take the hand back: the next one has its number, its button and its level (AP-35C)."""
    table = _hand_in_progress(story, command.table)
    leave(story, table)
    story.tell(e.HandMisdealt(at=story.now, table=table.number))


@applies(e.HandMisdealt)
def apply_hand_misdealt(state: State, event: e.HandMisdealt) -> State:
    """Nobody is in a hand; it is not counted anywhere."""
    table = state.tables[event.table]
    hand = replace(table.hand, in_progress=False, round=None, street=STREETS[0], misdealt=True)
    seats = {seat: Seat(taken.player) for seat, taken in table.seats.items()}
    return state.with_table(replace(table, hand=hand, turn=None, seats=seats))


@decides(c.HandLevel)
def decide_hand_level(story: Story, command: c.HandLevel) -> None:
    """Let the hand be at the level that it was really dealt at (AP-23m)."""
    table = _hand_in_progress(story, command.table)
    structure = story.state.room.structure
    index = structure.index(command.level)
    if index is None:
        refuse(Code.BAD_VALUE, f"There is no level {command.level}.")
    blinds = structure.blinds(index)
    story.tell(e.HandLevelSet(at=story.now, table=table.number, blinds=blinds))


@applies(e.HandLevelSet)
def apply_hand_level_set(state: State, event: e.HandLevelSet) -> State:
    """Change what this hand is played at, and nothing else."""
    return state.with_table(replace(state.tables[event.table], blinds=event.blinds))


@decides(c.HandSync)
def decide_hand_sync(story: Story, command: c.HandSync) -> None:
    """Believe the dealer who says how the hand stands."""
    table = _hand_in_progress(story, command.table)
    live = table.live_seats() if command.live is None else list(command.live)
    for seat in {command.seat, *live}:
        seated_player(table, seat)
    if len(set(live)) < button.HEADS_UP:
        refuse(Code.BAD_VALUE, "A hand is played by at least two: end it instead.")
    if command.seat not in live or (command.bettor is not None and command.bettor not in live):
        refuse(Code.OUT_OF_TURN, f"Seat {command.seat} and the bettor must be in the hand.")
    if command.bettor == command.seat:
        refuse(Code.BAD_VALUE, f"Seat {command.seat} cannot face its own bet.")
    leave(story, table)
    street = command.street or table.hand.street
    table = _synced(story.state.tables[table.number], street, live, command.seat)
    found = betting_round.put_right(
        table, command.seat, has_bet=bool(command.bet), bettor=command.bettor
    )
    story.tell(
        e.HandSynced(
            at=story.now,
            table=table.number,
            street=street,
            live=tuple(sorted(live)),
            round=found,
            turn=command.seat,
        )
    )


def _synced(table: Table, street: str, live: Iterable[int], turn: int) -> Table:
    """Give the table with these seats in the hand; whose turn it is cannot be all-in."""
    seats = {
        seat: replace(taken, in_hand=seat in live, all_in=taken.all_in and seat != turn)
        for seat, taken in table.seats.items()
    }
    return replace(table, seats=seats, hand=replace(table.hand, street=street))


@applies(e.HandSynced)
def apply_hand_synced(state: State, event: e.HandSynced) -> State:
    """Put street, live seats, bet and turn in place of what was known."""
    table = _synced(state.tables[event.table], event.street, event.live, event.turn)
    quiet = state.table_now(table, event.at)
    return state.with_table(replace(table, turn=event.turn, quiet=quiet).in_round(event.round))


@decides(c.ButtonSet)
def decide_button_set(story: Story, command: c.ButtonSet) -> None:
    """Put the button somewhere: for the next hand, or for one that nobody has acted in yet."""
    table = table_to_act(story, command.table)
    seat, hand = command.seat, table.hand
    if seat > table.size:
        refuse(Code.BAD_VALUE, f"Table {table.number} has {table.size} seats, no seat {seat}.")
    if not hand.in_progress:
        story.tell(e.ButtonPlaced(at=story.now, table=table.number, seat=seat))
        return
    known, live = known_round(table), table.live_seats()
    asked = () if known is None or known.bettor is not None else known.to_act
    fresh = len(asked) == len(live) == len(table.seats)
    if not fresh or hand.street != STREETS[0]:
        refuse(Code.NOT_ALLOWED, "The button stays where it is in a hand that has been acted in.")
    leave(story, table)
    positions = button.from_button(seat, table.seats)
    found = _first_round(live, positions, hand.straddle)
    turn = None if found is None else found.turn
    story.tell(
        e.ButtonPlaced(
            at=story.now,
            table=table.number,
            seat=seat,
            positions=positions,
            round=found,
            turn=turn,
        )
    )


@applies(e.ButtonPlaced)
def apply_button_placed(state: State, event: e.ButtonPlaced) -> State:
    """Move the button; in a hand the blinds and the first to act move with it."""
    table = state.tables[event.table]
    if event.positions is None:
        hand = replace(table.hand, button=event.seat, placed=True)
        return state.with_table(replace(table, hand=hand))
    hand = button.dealt(table.hand, event.positions)
    return state.with_table(replace(table, hand=hand, turn=event.turn).in_round(event.round))


def _hand_in_progress(story: Story, number: int) -> Table:
    """Find a table in the middle of a hand, or refuse."""
    table = ruled(story.state.table(number))
    if not table.hand.in_progress:
        refuse(Code.NOT_RUNNING, f"Table {table.number} has no hand in progress.")
    return table


@decides(c.HandEnd)
def _(story: Story, command: c.HandEnd) -> None:
    end_hand(story, _hand_in_progress(story, command.table))


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
            hand=replace(table.hand, in_progress=False, round=None),
            level_hands=(event.visit, hands + 1 if visit == event.visit else 1)
            if event.visit >= 0
            else table.level_hands,
            turn=None,
            seats={seat: Seat(taken.player) for seat, taken in table.seats.items()},
            ended=state.table_now(table, event.at),
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
def decide_street_next(story: Story, command: c.StreetNext) -> None:
    """Begin the next betting round, whoever was still expected to act in this one."""
    table = _hand_in_progress(story, command.table)
    if status_of(story.state, table) == "all_in":
        refuse(Code.NOT_ALLOWED, "All-in: no more cards until the board may be run.")
    leave(story, table)
    deal_street(story, story.state.tables[table.number], command.street)
    if command.start:
        start_next(story, table.number)


@applies(e.StreetDealt)
def _(state: State, event: e.StreetDealt) -> State:
    table = state.tables[event.table]
    hand = replace(table.hand, street=event.street, facing_bet=False)
    quiet = state.table_now(table, event.at)
    dealt = replace(table, hand=hand, turn=event.turn, quiet=quiet)
    return state.with_table(dealt.in_round(event.round))
