"""Time-bank chips: granted, pushed forward, forfeited at zero, collected (SB-47f-i, SL-42)."""

from dataclasses import replace

from server.engine import betting_round
from server.engine import commands as c
from server.engine import events as e
from server.engine.actions import known_round, seated_player, table_in_play, table_to_act
from server.engine.flow import SECOND
from server.engine.refusals import Code, refuse
from server.engine.room import Waiting
from server.engine.stages import grant_all
from server.engine.state import State
from server.engine.story import Story, applies, decides, expect
from server.engine.table import (
    WHOEVER,
    CalledClockState,
    Expired,
    Held,
    Idle,
    Off,
    Running,
    Seat,
)


@decides(c.ActionBank)
def _(story: Story, command: c.ActionBank) -> None:
    table = table_to_act(story, command.table)
    player = seated_player(table, command.seat)
    clock = story.state.room.action
    if clock is None:
        refuse(Code.NOT_ALLOWED, "No action clock is in play.")
    if isinstance(table.action, Idle):
        refuse(Code.NOT_RUNNING, f"No action clock runs at table {table.number}.")
    if table.action.seat not in (command.seat, WHOEVER):  # who pushes chips is who is to act
        refuse(Code.OUT_OF_TURN, f"It is seat {table.action.seat}'s turn.")
    if isinstance(table.action, Expired) and table.action.ruled:
        refuse(Code.NOT_ALLOWED, "The floor has ruled on this action.")
    if player.limit_s is not None:
        refuse(Code.NOT_ALLOWED, f"{player.name} is limited to {player.limit_s} seconds.")
    if player.bank < command.chips:
        refuse(Code.NO_CHIPS, f"{player.name} has {player.bank} time-bank chips.")
    known = known_round(table)
    again = isinstance(table.action, Expired) and known is not None
    found = None
    if again and known is not None:
        back = table.dealt(command.seat, in_hand=True)
        found = betting_round.restored(back, known, command.seat)
    story.tell(
        e.ChipsSpent(
            at=story.now,
            table=table.number,
            seat=command.seat,
            chips=command.chips,
            ms=command.chips * clock.chip_seconds * SECOND,
            auto_forfeit=clock.auto_forfeit,
            round=found,
        )
    )


@applies(e.ChipsSpent)
def _(state: State, event: e.ChipsSpent) -> State:
    table = state.tables[event.table]
    taken = table.seats[event.seat]
    in_hand, action = taken.in_hand, table.action
    called: CalledClockState = table.called
    match action:
        case Running():
            action = replace(
                action,
                seat=event.seat,
                ends_at=action.ends_at + event.ms,
                on_bank=action.on_bank + event.chips,
                used=action.used + event.chips,
            )
        case Held():
            action = replace(
                action,
                seat=event.seat,
                remaining=action.remaining + event.ms,
                on_bank=action.on_bank + event.chips,
                used=action.used + event.chips,
            )
        case Expired():  # where nothing is forfeited at zero, the player may still choose (SL-42)
            in_hand = in_hand or (action.outcome == "dead" and table.hand.in_progress)
            now = state.table_now(table, event.at)
            action = Running(
                event.seat,
                now + event.ms,
                action.facing,
                event.auto_forfeit,
                on_bank=event.chips,
                used=action.used + event.chips,
                billed=action.used,
                began=now,
            )
            called = Off()
        case Idle():
            expect(Running, action)
    seat = Seat(taken.player.spend(event.chips), in_hand)
    seats = {**table.seats, event.seat: seat}
    table = replace(table, action=action, called=called, seats=seats)
    return state.with_table(table.in_round(event.round))


@applies(e.ChipForfeited)
def _(state: State, event: e.ChipForfeited) -> State:
    table = state.tables[event.table]
    running = expect(Running, table.action)
    player = table.seats[event.seat].player.spend(1)
    action = replace(
        running,
        ends_at=running.ends_at + event.ms,  # from zero, so that a chain never drifts
        on_bank=1,
        used=running.used + 1,
    )
    return state.with_table(replace(table, action=action).with_player(event.seat, player))


@decides(c.CollectDone)
def _(story: Story, command: c.CollectDone) -> None:
    if command.seat not in table_in_play(story, command.table).collect:
        refuse(Code.NO_CHIPS, f"Seat {command.seat} owes no time-bank chips.")
    story.tell(e.ChipsCollected(at=story.now, table=command.table, seat=command.seat))


@applies(e.ChipsCollected)
def _(state: State, event: e.ChipsCollected) -> State:
    table = state.tables[event.table]
    rest = {seat: chips for seat, chips in table.collect.items() if seat != event.seat}
    return state.with_table(replace(table, collect=rest))


@decides(c.BankGrant)
def _(story: Story, command: c.BankGrant) -> None:
    if command.player is None:
        grant_all(story, command.chips, command.mode)
        return
    _, where, _ = story.state.seated(command.player)
    story.tell(
        e.ChipsGiven(
            at=story.now,
            table=where.table,
            seat=where.seat,
            chips=command.chips,
            mode=command.mode,
        )
    )


@applies(e.ChipsGranted)
def _(state: State, event: e.ChipsGranted) -> State:
    if event.timed:  # it reaches tables that no command named, and undo must know of it
        state = state.remember(event.at, frozenset(event.slices()), fact=event)
    for number in event.tables:
        table = state.tables[number]
        for seat, taken in table.seats.items():
            table = table.with_player(seat, taken.player.grant(event.chips, event.mode))
        state = state.with_table(table)
    for player in event.waiting:
        who = state.players[player]
        if isinstance(who, Waiting):
            richer = Waiting(who.player.grant(event.chips, event.mode))
            state = replace(state, players=state.players.put(player, richer))
    given = {event.stage} if event.stage is not None else set()
    return state.with_room(stages=state.room.stages | given)


@applies(e.ChipsGiven)
def _(state: State, event: e.ChipsGiven) -> State:
    table = state.tables[event.table]
    player = table.seats[event.seat].player.grant(event.chips, event.mode)
    return state.with_table(table.with_player(event.seat, player))
