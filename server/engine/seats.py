"""The players of the room: seated, moved, busted, limited; and tables that nobody sits at close."""

from dataclasses import replace

from server.engine import betting_round, places
from server.engine import commands as c
from server.engine import events as e
from server.engine.actions import known_round, leave, stop_when_over
from server.engine.flow import MINUTE
from server.engine.handforhand import settle_hand, status_of
from server.engine.levels import end_counted_level, hands_counted, settle
from server.engine.refusals import Code, refuse
from server.engine.room import Bust, Out, Room, Seated, Waiting
from server.engine.stages import reach, registration_open
from server.engine.state import State
from server.engine.story import Story, applies, decides
from server.engine.table import Mark, Player, Seat, Table
from server.engine.tables import ensure_table

ROUNDS_KEPT = 50
"""How many hands with a bust may still get another one."""

TOLD_WITHIN = 2 * MINUTE
"""How long after a hand a bust is still taken to be of it: the pot is pushed, the floor is called
and taps. Later the tap says nothing of the hand, since where hands are not tapped the last one that
was may be an hour old."""


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
    room = state.room
    closed = replace(state, tables=state.tables.drop(event.table))
    return closed.with_room(table_broken=room.table_broken or room.started)


@applies(e.RegistrationClosed)
def _(state: State, event: e.RegistrationClosed) -> State:
    return settle(state, event.at, registration_closed=True)


# ── tables that nobody sits at ───────────────────────────────────────────────────────────────────


def _waited_for(room: Room) -> bool:
    """Say whether the room waits for its tables: for a hand of each, or for its hands."""
    return room.h4h.status != "off" or hands_counted(room)


def _left(story: Story, number: int, *, moved: bool = False) -> None:
    """See to a table that a player has left: when it was the last one, nobody waits for it.

    A move writes no room unless it says so here: to undo it is to undo what the room made of it.
    """
    stop_when_over(story, number)
    table = story.state.tables[number]
    if table.seats:
        return
    leave(story, table)
    if moved or _waited_for(story.state.room):
        story.tell(e.TableEmptied(at=story.now, table=number))
    settle_hand(story)
    end_counted_level(story)
    reach(story)


@applies(e.TableEmptied)
def _(state: State, _event: e.TableEmptied) -> State:
    return state  # its seats say so; the event is for who looks at the room


def _joined(story: Story, before: Table, *, moved: bool = False) -> None:
    """See to a table that a player has come to: the first one waits for the next hand."""
    if before.seats:
        return
    if moved or _waited_for(story.state.room):
        story.tell(e.TableOccupied(at=story.now, table=before.number))
    settle_hand(story)  # before the first entry of all, the room waited for tables without players
    end_counted_level(story)


@applies(e.TableOccupied)
def _(state: State, event: e.TableOccupied) -> State:
    h4h, table = state.room.h4h, state.tables[event.table]
    if h4h.status == "off" or table.hand.in_progress:
        return state
    return state.with_table(replace(table, mark=Mark(h4h.epoch, "done")))


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
    _joined(story, table)


@applies(e.PlayerSeated)
def _(state: State, event: e.PlayerSeated) -> State:
    known = state.players.get(event.player)
    if known is None or isinstance(known, Seated):
        player = Player(event.player, event.display)
    else:
        player = replace(known.player, name=event.display)
    field = state.room.field
    if event.entry:
        player = replace(player.grant(event.chips, "set"), limit_s=None, owed=0)
        field = places.entered(field, event.player, share=state.rules.busts_share)
    state = _seat(state, event.table, event.seat, player)
    return state.with_room(field=field)


def _seat(state: State, number: int, seat: int, player: Player) -> State:
    table = state.tables[number]
    seated = replace(table, seats={**table.seats, seat: Seat(player)}, nameless=False)
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
    _joined(story, target, moved=True)
    _left(story, where.table, moved=True)


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
    _left(story, number)


@applies(e.PlayerUnseated)
def _(state: State, event: e.PlayerUnseated) -> State:
    player = state.tables[event.table].seats[event.seat].player
    state = _stand(state, event.table, event.seat)
    return replace(state, players=state.players.put(player.id, Waiting(player)))


# ── players ──────────────────────────────────────────────────────────────────────────────────────


@decides(c.PlayerBust)
def _(story: Story, command: c.PlayerBust) -> None:
    table, where, taken = story.state.seated(command.player)
    key = _bust_round(story, table, command.hand)
    leave(story, table, where.seat)
    room = story.state.room
    bust = Bust(command.player, taken.player.name, table.number, command.stack)
    rounds, first = places.grow(room.field.open_rounds(), key, bust, room.field.left)
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
    _left(story, table.number)


def _bust_round(story: Story, table: Table, hand: int | None) -> tuple[int, ...]:
    """Say which busts a bust at a table belongs together with; `hand` where it was said."""
    state = story.state
    room = state.room
    if room.h4h.status != "off":
        return _released_round(state, table, hand)
    if hand is not None:
        return _named_round(state, table, hand)
    over = table.ended
    just_over = over is not None and state.table_now(table, story.now) - over <= TOLD_WITHIN
    if table.hand.in_progress or just_over:
        return (table.opening, table.hand.number)
    # Nobody knows the hand, so no two busts are known to be of one.
    return (table.opening, 0, room.field.entries, room.field.left)


def _released_round(state: State, table: Table, hand: int | None) -> tuple[int, ...]:
    """Give the round of a hand-for-hand hand: the one that the table plays, or an earlier one."""
    h4h, rounds = state.room.h4h, state.room.field.rounds
    # A table that leads by a hand plays the next one already.
    played = h4h.hand + (status_of(state, table) in ("ahead", "ahead_done"))
    if hand is not None and hand > played:
        refuse(Code.BAD_VALUE, f"Hand {hand} has not been released yet.")
    epoch = h4h.epoch - h4h.hand + (played if hand is None else hand)
    first = rounds[0].key if len(rounds) == ROUNDS_KEPT else ()
    if first > (epoch,):
        refuse(Code.BAD_VALUE, f"Hand {hand} is not known any more: too many went out since.")
    return (epoch,)


def _named_round(state: State, table: Table, hand: int) -> tuple[int, ...]:
    """Give the round of one of a table's own hands: the newest two, or one with a bust in it."""
    key, newest = (table.opening, hand), table.hand.number
    if not 0 < hand <= newest:
        refuse(Code.BAD_VALUE, f"Table {table.number} has not dealt a hand {hand}.")
    known = any(round_.key == key for round_ in state.room.field.rounds)
    if hand < newest - 1 and not known:
        refuse(Code.BAD_VALUE, f"Hand {hand} of table {table.number} is not known any more.")
    return key


@applies(e.PlayerBusted)
def _(state: State, event: e.PlayerBusted) -> State:
    field = state.room.field
    player = state.tables[event.table].seats[event.seat].player
    best_first = tuple(sorted(event.finishes, key=lambda finish: finish.place))
    state = _stand(state, event.table, event.seat)
    state = replace(state, players=state.players.put(player.id, Out(player)))
    settled = field.settled(event.rounds, best_first)
    return state.with_room(field=replace(settled, left=field.left - 1))


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
