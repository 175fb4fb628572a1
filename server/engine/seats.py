"""The players of the room: seated, moved, busted, limited; and tables that nobody sits at close."""

from dataclasses import replace

from server.engine import betting_round, places
from server.engine import commands as c
from server.engine import events as e
from server.engine.actions import known_round, leave
from server.engine.handforhand import PENDING, settle_hand, status_of
from server.engine.levels import end_counted_level, settle
from server.engine.refusals import Code, refuse
from server.engine.room import Bust, Field, Out, Seated, Waiting
from server.engine.stages import reach, registration_open
from server.engine.state import State
from server.engine.story import Story, applies, decides
from server.engine.table import Player, Seat, Table
from server.engine.tables import ensure_table

FINISHES_KEPT = 12
"""How many of the newest finishes the event document may show."""

ROUNDS_KEPT = 50
"""How many hands with a bust may still get another one."""


@decides(c.TableClose)
def _(story: Story, command: c.TableClose) -> None:
    table = story.state.table(command.table)
    if table.seats:
        refuse(Code.NOT_ALLOWED, f"Move the players of table {table.number} first.")
    story.tell(e.TableClosed(at=story.now, table=table.number))
    settle_hand(story)
    end_counted_level(story)
    rules = story.state.rules.registration
    if rules.closes_on_broken_table and registration_open(story.state) and story.state.room.started:
        story.tell(e.RegistrationClosed(at=story.now))
    reach(story)


@applies(e.TableClosed)
def _(state: State, event: e.TableClosed) -> State:
    room, table = state.room, state.tables[event.table]
    h4h, status = room.h4h, status_of(state, table)
    waited_for = not table.has_played(room.visit, room.now_step)
    closed = replace(state, tables=state.tables.drop(event.table))
    return closed.with_room(
        table_broken=room.table_broken or room.started,
        h4h=replace(
            h4h,
            pending=h4h.pending - (status in PENDING),
            live=h4h.live - (status == "playing"),
            ahead=h4h.ahead - (status == "ahead_done"),
        ),
        hands_pending=room.hands_pending - waited_for,
    )


@applies(e.RegistrationClosed)
def _(state: State, event: e.RegistrationClosed) -> State:
    return settle(state, event.at, registration_closed=True)


# ── seats ────────────────────────────────────────────────────────────────────────────────────────


def _free(table: Table, seat: int) -> None:
    if seat > table.size:
        refuse(Code.BAD_VALUE, f"Table {table.number} has {table.size} seats, no seat {seat}.")
    if seat in table.seats:
        refuse(Code.SEAT_TAKEN, f"Seat {seat} at table {table.number} is taken.")


@decides(c.SeatPut)
def _(story: Story, command: c.SeatPut) -> None:
    room = story.state.room
    if room.finished:
        refuse(Code.NOT_RUNNING, "The event is finished.")
    known = story.state.players.get(command.player)
    if isinstance(known, Seated):
        refuse(
            Code.NOT_ALLOWED,
            f"Player {command.player} sits at table {known.table}, seat {known.seat}: move them.",
        )
    table = ensure_table(story, command.table)
    _free(table, command.seat)
    entry = not isinstance(known, Waiting)
    name = command.name or (known.player.name if known is not None else command.player)
    story.tell(
        e.PlayerSeated(
            at=story.now,
            table=command.table,
            seat=command.seat,
            player=command.player,
            display=name,
            entry=entry,
            chips=room.action.chips if entry and room.action is not None else 0,
        )
    )


@applies(e.PlayerSeated)
def _(state: State, event: e.PlayerSeated) -> State:
    known = state.players.get(event.player)
    if known is None or isinstance(known, Seated):
        player = Player(event.player, event.display)
    else:
        player = replace(known.player, name=event.display)
    field = state.room.field
    if event.entry:
        player = replace(player.grant(event.chips, "set"), limit_s=None)
        field = _entered(field, event.player, share=state.rules.busts_share)
    state = _seat(state, event.table, event.seat, player)
    return state.with_room(field=field)


def _entered(field: Field, player: str, *, share: bool) -> Field:
    """Count an entry; whoever enters again has no place any more."""
    rounds = places.without(field.rounds, player)
    placed = {f.player: f for r in rounds for f in places.settle(r, share)}
    finishes = tuple(placed.get(f.player, f) for f in field.finishes if f.player != player)
    entries, left = field.entries + 1, field.left + 1
    return replace(field, entries=entries, left=left, rounds=rounds, finishes=finishes)


def _seat(state: State, number: int, seat: int, player: Player) -> State:
    table = state.tables[number]
    seated = replace(table, seats={**table.seats, seat: Seat(player)})
    where = state.players.put(player.id, Seated(number, seat))
    return replace(state.with_table(seated), players=where)


def _stand(state: State, number: int, seat: int) -> State:
    table = state.tables[number]
    rest = {s: taken for s, taken in table.seats.items() if s != seat}
    left, known = replace(table, seats=rest), known_round(table)
    if known is None:
        turn = table.live(seat) if table.turn == seat else table.turn
        return state.with_table(replace(left, turn=turn))
    found = betting_round.settled(left, known)
    turn = None if table.turn is None else found.turn
    return state.with_table(replace(left, turn=turn).in_round(found))


@decides(c.SeatMove)
def _(story: Story, command: c.SeatMove) -> None:
    table, where, _ = story.state.seated(command.player)
    target = ensure_table(story, command.table)
    _free(target, command.seat)
    leave(story, table, where.seat)
    story.tell(
        e.PlayerMoved(
            at=story.now,
            table=where.table,
            seat=where.seat,
            player=command.player,
            to_table=command.table,
            to_seat=command.seat,
        )
    )


@applies(e.PlayerMoved)
def _(state: State, event: e.PlayerMoved) -> State:
    player = state.tables[event.table].seats[event.seat].player
    state = _stand(state, event.table, event.seat)
    return _seat(state, event.to_table, event.to_seat, player)


@decides(c.SeatClear)
def _(story: Story, command: c.SeatClear) -> None:
    if command.player is not None:
        table, where, _ = story.state.seated(command.player)
        number, seat, player = table.number, where.seat, command.player
        if command.table not in (None, number) or command.seat not in (None, seat):
            refuse(Code.NO_PLAYER, f"Player {player} sits at table {number}, seat {seat}.")
    elif command.table is not None and command.seat is not None:
        table, seat = story.state.table(command.table), command.seat
        if (found := table.player(seat)) is None:
            refuse(Code.NO_PLAYER, f"Nobody sits at table {table.number}, seat {seat}.")
        number, player = table.number, found.id
    else:
        refuse(Code.BAD_VALUE, "Name the player, or the table and the seat.")
    leave(story, table, seat)
    story.tell(e.PlayerUnseated(at=story.now, table=number, seat=seat, player=player))


@applies(e.PlayerUnseated)
def _(state: State, event: e.PlayerUnseated) -> State:
    player = state.tables[event.table].seats[event.seat].player
    state = _stand(state, event.table, event.seat)
    return replace(state, players=state.players.put(player.id, Waiting(player)))


# ── players ──────────────────────────────────────────────────────────────────────────────────────


@decides(c.PlayerBust)
def _(story: Story, command: c.PlayerBust) -> None:
    table, where, taken = story.state.seated(command.player)
    leave(story, table, where.seat)
    room = story.state.room
    bust = Bust(command.player, taken.player.name, table.number, command.stack)
    key = _round(story.state, table)
    rounds, first = places.grow(room.field.rounds, key, bust, room.field.left)
    share = story.state.rules.busts_share
    story.tell(
        e.PlayerBusted(
            at=story.now,
            table=table.number,
            seat=where.seat,
            player=command.player,
            rounds=rounds[-ROUNDS_KEPT:],
            finishes=tuple(f for r in rounds[first:] for f in places.settle(r, share)),
        )
    )
    reach(story)


def _round(state: State, table: Table) -> tuple[int, ...]:
    """Say which busts a bust at a table belongs together with."""
    room = state.room
    if room.h4h.status != "off":  # a table that leads by a hand plays the next one already
        return (room.h4h.epoch + (status_of(state, table) in ("ahead", "ahead_done")),)
    if table.hand.number > 0:
        return (table.opening, table.hand.number)
    # No hands are tracked here, so no two busts are known to be of one hand.
    return (table.opening, 0, room.field.entries, room.field.left)


@applies(e.PlayerBusted)
def _(state: State, event: e.PlayerBusted) -> State:
    field = state.room.field
    player = state.tables[event.table].seats[event.seat].player
    settled = {finish.player for finish in event.finishes}
    older = tuple(finish for finish in field.finishes if finish.player not in settled)
    best_first = tuple(sorted(event.finishes, key=lambda finish: finish.place))
    state = _stand(state, event.table, event.seat)
    state = replace(state, players=state.players.put(player.id, Out(player)))
    return state.with_room(
        field=replace(
            field,
            left=field.left - 1,
            rounds=event.rounds,
            finishes=(*best_first, *older)[:FINISHES_KEPT],
        )
    )


@decides(c.PlayerLimit)
def _(story: Story, command: c.PlayerLimit) -> None:
    _, where, _ = story.state.seated(command.player)
    story.tell(
        e.PlayerLimited(
            at=story.now,
            table=where.table,
            seat=where.seat,
            player=command.player,
            seconds=command.seconds,
        )
    )


@applies(e.PlayerLimited)
def _(state: State, event: e.PlayerLimited) -> State:
    table = state.tables[event.table]
    taken = table.seats[event.seat]
    limited = replace(taken, player=replace(taken.player, limit_s=event.seconds))
    return state.with_table(replace(table, seats={**table.seats, event.seat: limited}))


@decides(c.PlacesSet)
def _(story: Story, command: c.PlacesSet) -> None:
    story.tell(e.PlacesChanged(at=story.now, places=command.places))
    reach(story)


@applies(e.PlacesChanged)
def _(state: State, event: e.PlacesChanged) -> State:
    return state.with_room(field=replace(state.room.field, places_paid=event.places))
