"""The action clock: whose time runs, and what holds it (SB-47, SL-42).

Its status is drawn in `table`; here is what people do to it, and in `expiry` what time does. Whose
turn comes next is said by the betting round (`betting_round`); where none is known, because a
dealer taps only when somebody thinks, it is the next live seat clockwise, and nothing is refused
for want of knowledge.
"""

from dataclasses import replace

from server.engine import betting_round
from server.engine import commands as c
from server.engine import events as e
from server.engine.flow import SECOND
from server.engine.refusals import Code, refuse
from server.engine.rules import STREETS
from server.engine.silence import hold_unseen
from server.engine.state import State
from server.engine.story import Story, applies, decides, expect
from server.engine.table import (
    NEEDS_RULING,
    WHOEVER,
    Called,
    CalledOut,
    Expired,
    Held,
    Idle,
    Off,
    Player,
    Round,
    Running,
    Table,
)
from server.engine.trie import NEVER


def seated_player(table: Table, seat: int) -> Player:
    """Find who sits in a seat, or refuse."""
    found = table.player(seat)
    if found is None:
        refuse(Code.NO_PLAYER, f"Nobody sits at table {table.number}, seat {seat}.")
    return found


def table_in_play(story: Story, number: int) -> Table:
    """Find an open table of an event that is not over, or refuse."""
    if story.state.room.finished:
        refuse(Code.NOT_RUNNING, "The event is finished.")
    return story.state.table(number)


def table_to_act(story: Story, number: int) -> Table:
    """Find a table at which the play may go on, or refuse."""
    return ruled(table_in_play(story, number))


def ruled(table: Table) -> Table:
    """Refuse what goes on at a table while its floor has to rule."""
    expired = isinstance(table.action, Expired) and table.action.outcome == NEEDS_RULING
    called = isinstance(table.called, CalledOut) and table.called.outcome == NEEDS_RULING
    if expired or called:
        refuse(
            Code.NEEDS_RULING,
            f"Time ran out at table {table.number} while its dealer could not be heard: "
            "the floor must rule first.",
        )
    return table


def _base(state: State, table: Table, seat: int) -> int | None:
    """Give the time a player has to act: the house's, or their own limit; None is no clock."""
    limit = None if seat == WHOEVER else seated_player(table, seat).limit_s
    clock = state.room.action
    times = [] if limit is None else [limit]
    if clock is not None:
        times.append(clock.base(table.hand.street))
    return min(times, default=0) * SECOND or None


def _auto(state: State, table: Table, seat: int) -> bool:
    """Say whether chips go by themselves at zero; a limited player has no time bank."""
    clock = state.room.action
    limited = seat != WHOEVER and seated_player(table, seat).limit_s is not None
    return clock is not None and clock.auto_forfeit and not limited


def known_round(table: Table) -> Round | None:
    """Give the betting round of the hand in progress; None where none is known."""
    return table.hand.round if table.hand.in_progress else None


def leave(story: Story, table: Table, seat: int | None = None) -> None:
    """Break off what runs on a seat, or at the whole table."""
    if not isinstance(table.action, Idle) and seat in (None, table.action.seat):
        turn = None if seat is None else table.live(seat)
        story.tell(
            e.ActionEnded(at=story.now, table=table.number, seat=table.action.seat, turn=turn)
        )
    if not isinstance(table.called, Off) and seat in (None, table.called.seat):
        story.tell(e.CalledStopped(at=story.now, table=table.number))


def stop_when_over(story: Story, number: int) -> None:
    """Stop a clock where somebody's leaving has left nobody to act against."""
    table = story.state.tables[number]
    runs = isinstance(table.action, Running | Held) or isinstance(table.called, Called)
    if runs and betting_round.what_next(table) not in (None, betting_round.ACT):
        leave(story, table)


def turn_to(story: Story, number: int, seat: int, facing: bool | None) -> tuple[Round | None, bool]:
    """Believe a dealer who says that it is a seat's turn; say whether it faces a bet.

    If the round was over, somebody has raised, or the next street was dealt, and nobody tapped it.
    Doubt is not held against the player: a round begins in which nobody faces a bet.
    """
    table = story.state.tables[number]
    if seat != WHOEVER and table.hand.in_progress:
        if not table.seats[seat].in_hand:
            refuse(Code.OUT_OF_TURN, f"Seat {seat} is not in this hand.")
        if table.seats[seat].all_in:
            refuse(Code.OUT_OF_TURN, f"Seat {seat} is all-in.")
        if betting_round.what_next(table) == betting_round.OVER:
            refuse(Code.OUT_OF_TURN, f"Seat {seat} is the only one left in this hand.")
    known = known_round(table)
    if known is None or seat == WHOEVER:
        return None, table.hand.facing_bet if facing is None else facing
    if betting_round.what_next(table) in STREETS and table.hand.button is not None:
        known = betting_round.opened(table, table.hand.button)
    found = betting_round.believed(table, known, seat, facing)
    return found, betting_round.faces_bet(table, found, seat) if facing is None else facing


def deal_street(story: Story, table: Table, wanted: str | None = None) -> None:
    """Begin the next betting round: nobody faces a bet, the first live seat after the button acts.

    From here on the round is known, whatever was known of it before. A street that is named may
    also be a later one: the board was run.
    """
    following, button = betting_round.next_street(table), table.hand.button
    if following is None:
        refuse(Code.NOT_ALLOWED, "The river was the last betting round.")
    street = wanted or following
    if STREETS.index(street) < STREETS.index(following):
        refuse(Code.BAD_VALUE, f"The {table.hand.street} has been dealt: {following} comes next.")
    dealt = replace(table, hand=replace(table.hand, street=street))
    found = None if button is None else betting_round.opened(dealt, button)
    turn = None if found is None else found.turn
    story.tell(
        e.StreetDealt(at=story.now, table=table.number, street=street, turn=turn, round=found)
    )


def run_clock(story: Story, number: int, seat: int, facing: bool | None = None) -> None:
    """Let a player's time begin."""
    if _base(story.state, story.state.tables[number], seat) is None:
        refuse(Code.NOT_ALLOWED, "No action clock is in play.")
    found, faces = turn_to(story, number, seat, facing)
    table = story.state.tables[number]
    story.tell(
        e.ActionStarted(
            at=story.now,
            table=number,
            seat=seat,
            facing_bet=faces,
            ms=_base(story.state, table, seat) or 0,
            auto_forfeit=_auto(story.state, table, seat),
            round=found,
        )
    )


def start_next(story: Story, number: int) -> None:
    """Let the time begin of the one whose turn it is, where a clock is in play for them."""
    table = story.state.tables[number]
    if table.turn is not None and _base(story.state, table, table.turn) is not None:
        run_clock(story, number, table.turn)


def _whose(table: Table) -> int:
    """Say whose turn it is, clock or no clock."""
    if isinstance(table.called, Called):
        return table.called.seat
    seat = table.turn if isinstance(table.action, Idle) else table.action.seat
    if seat is not None:
        return seat
    coming = betting_round.what_next(table)
    if table.hand.in_progress and coming is None:
        return WHOEVER  # the dealer taps only when somebody thinks
    if coming is not None:
        refuse(Code.NOT_RUNNING, f"Nobody has to act: {coming.replace('_', ' ')} comes next.")
    return refuse(Code.NOT_RUNNING, f"No action clock runs at table {table.number}.")


@decides(c.ActionStart)
def decide_action_start(story: Story, command: c.ActionStart) -> None:
    """Let a player's time begin; the dealer is believed, and a seat tapped before was wrong."""
    table = table_to_act(story, command.table)
    if command.seat is not None:
        seated_player(table, command.seat)
    was = table.action
    if isinstance(was, Running) and was.before is not None:
        # Nobody has acted since: what the other start made of the round is taken back.
        story.tell(e.ActionEnded(at=story.now, table=table.number, seat=was.seat, round=was.before))
    else:
        leave(story, table)
    run_clock(story, table.number, command.seat or WHOEVER, command.facing_bet)


@applies(e.ActionStarted)
def _(state: State, event: e.ActionStarted) -> State:
    table = state.tables[event.table]
    # A bet that is faced once is faced by everybody until the next street; an exception such as
    # the big blind's option is that player's alone.
    facing = table.hand.facing_bet or event.facing_bet
    now = state.table_now(table, event.at)
    action = Running(
        seat=event.seat,
        ends_at=now + event.ms,
        facing=event.facing_bet,
        auto=event.auto_forfeit,
        began=now,
        before=None if event.round in (None, table.hand.round) else table.hand.round,
        runs_since=event.at,
    )
    table = table.in_round(event.round)
    hand = replace(table.hand, facing_bet=facing)
    # One clock runs at a table: this one takes the place of a called one.
    return state.with_table(replace(table, action=action, called=Off(), hand=hand, turn=None))


@decides(c.ActionNext)
def decide_action_next(story: Story, command: c.ActionNext) -> None:
    """Let the current player have checked or called, or the time begin of whose turn it is."""
    table = table_to_act(story, command.table)
    action = table.action
    match action:
        case Running() | Expired() | Held(acted=False):
            _pass_on(story, table, command.seat, command.facing_bet)
        case _ if command.acted or isinstance(table.called, Called):
            _pass_on(story, table, command.seat, command.facing_bet)
        case Held(seat=s) if command.seat in (None, s) and command.facing_bet is None:
            _release(story, table, action)  # the tap that ends the count
        case _:  # the one whose turn it is begins
            seat = _whose(table) if command.seat is None else command.seat
            if seat != WHOEVER:
                seated_player(table, seat)
            leave(story, table)
            run_clock(story, table.number, seat, command.facing_bet)


@decides(c.ActionFold)
def decide_action_fold(story: Story, command: c.ActionFold) -> None:
    """Take the current player out of the hand, or a named seat out of turn."""
    table = table_to_act(story, command.table)
    out_of_turn = command.seat is not None and (_idle(table) or command.seat != _whose(table))
    if out_of_turn and command.seat is not None:
        _fold_out_of_turn(story, table, command.seat)
    else:
        _pass_on(story, table, None, command.facing_bet, folded=True)


def _idle(table: Table) -> bool:
    """Say whether it is nobody's turn."""
    quiet = isinstance(table.action, Idle) and not isinstance(table.called, Called)
    return quiet and table.turn is None


def _fold_out_of_turn(story: Story, table: Table, seat: int) -> None:
    seated_player(table, seat)
    if not table.hand.in_progress or not table.seats[seat].in_hand:
        refuse(Code.OUT_OF_TURN, f"Seat {seat} is not in this hand.")
    known, after = known_round(table), table.dealt(seat, in_hand=False)
    found = None if known is None else betting_round.settled(after, known)
    turn = table.turn if found is None or table.turn is None else found.turn
    story.tell(e.SeatFolded(at=story.now, table=table.number, seat=seat, turn=turn, round=found))
    stop_when_over(story, table.number)


@applies(e.SeatFolded)
def apply_seat_folded(state: State, event: e.SeatFolded) -> State:
    """Take a seat out of the hand; the turn stays where it was."""
    table = state.tables[event.table].dealt(event.seat, in_hand=False)
    return state.with_table(replace(table, turn=event.turn).in_round(event.round))


def _pass_on(  # noqa: PLR0913 - how an action ends
    story: Story,
    table: Table,
    seat: int | None,
    facing: bool | None,
    *,
    folded: bool = False,
    all_in: bool = False,
) -> None:
    """End the current player's action; the next player's time begins, if there is one to begin."""
    whose, known = _whose(table), known_round(table)
    if seat is not None:
        seated_player(table, seat)
    found = None
    if known is None or whose == WHOEVER:
        turn = _next_live(table, whose, folded=folded) if seat is None else seat
    else:
        after = _after_action(table, whose, folded=folded, all_in=all_in)
        found = betting_round.acted(after, known, whose)
        if seat is not None and seat in after.asked_seats():
            found = betting_round.believed(after, found, seat, facing)
        turn = found.turn if seat is None else seat
    story.tell(
        e.ActionEnded(
            at=story.now,
            table=table.number,
            seat=whose,
            folded=folded,
            turn=turn,
            all_in=all_in,
            round=found,
        )
    )
    if turn is not None and _base(story.state, table, turn) is not None:
        run_clock(story, table.number, turn, facing)


def _after_action(table: Table, seat: int, *, folded: bool, all_in: bool) -> Table:
    """Give the table as it is when a seat has folded or gone all-in, for the round to be seen."""
    if folded:
        return table.dealt(seat, in_hand=False)
    return table.went_all_in(seat) if all_in else table


def _next_live(table: Table, seat: int, *, folded: bool) -> int | None:
    """Find the next live seat where no round is known; nobody, if a fold leaves one alone."""
    turn = table.live(seat)
    alone = folded and turn is not None and table.live(turn) in (None, seat)
    return None if alone else turn


@decides(c.ActionStop)
def decide_action_stop(story: Story, command: c.ActionStop) -> None:
    """Let the current player have acted; nobody's time runs."""
    table = table_to_act(story, command.table)
    if isinstance(table.action, Idle):
        refuse(Code.NOT_RUNNING, f"No action clock runs at table {table.number}.")
    seat, known = table.action.seat, known_round(table)
    found = None
    if isinstance(table.action, Held) and table.action.acted:
        turn: int | None = seat  # that seat has not acted yet
    elif known is None:
        turn = table.live(seat)
    else:
        found = betting_round.acted(table, known, seat)
        turn = found.turn
    story.tell(e.ActionEnded(at=story.now, table=table.number, seat=seat, turn=turn, round=found))


@applies(e.ActionEnded)
def _(state: State, event: e.ActionEnded) -> State:
    table = state.tables[event.table]
    on_them = not isinstance(table.called, Off) and table.called.seat == event.seat
    called = Off() if on_them else table.called
    now = state.table_now(table, event.at)
    ended = replace(
        table.billed().timed(now), action=Idle(), called=called, turn=event.turn, quiet=now
    )
    ended = _after_action(
        ended.in_round(event.round), event.seat, folded=event.folded, all_in=event.all_in
    )
    return state.with_table(ended)


# ── counting a bet ───────────────────────────────────────────────────────────────────────────────


@decides(c.ActionHold)
def decide_action_hold(story: Story, command: c.ActionHold) -> None:
    """Count the current player's bet, or let their clock stand while something is counted."""
    table = table_to_act(story, command.table)
    action = table.action
    if isinstance(action, Expired) or (isinstance(action, Held) and not command.acted):
        refuse(Code.NOT_ALLOWED, "There is no running action to hold.")
    if not command.acted:
        if not isinstance(action, Running):
            refuse(Code.NOT_RUNNING, f"No action clock runs at table {table.number}.")
        left = max(0, action.ends_at - story.state.table_now(table, story.now))
        story.tell(
            e.ActionHeld(at=story.now, table=table.number, seat=action.seat, ms=left, acted=False)
        )
        return
    _count(story, table)


@decides(c.ActionAllIn)
def decide_action_all_in(story: Story, command: c.ActionAllIn) -> None:
    """Let the current player be all-in: by a raise that is counted, or by a call."""
    table = table_to_act(story, command.table)
    if isinstance(table.action, Expired):
        refuse(Code.NOT_ALLOWED, f"Time has run out on seat {table.action.seat}.")
    whose, known, raises = _whose(table), known_round(table), command.raises
    if raises is None:
        raises = known is None or not betting_round.faces_all_in(table, known, whose)
    if raises:
        _count(story, table, all_in=True)
    else:
        _pass_on(story, table, None, None, all_in=True)


def _count(story: Story, table: Table, *, all_in: bool = False) -> None:
    """End the current player's action; the next one's time stands while the bet is counted."""
    whose, known = _whose(table), known_round(table)
    found = None
    if known is None or whose == WHOEVER:
        following = table.live(whose)
    else:
        after = _after_action(table, whose, folded=False, all_in=all_in)
        found = betting_round.bet(after, whose)
        following = found.turn
    story.tell(
        e.ActionEnded(
            at=story.now,
            table=table.number,
            seat=whose,
            turn=following,
            all_in=all_in,
            round=found,
        )
    )
    if following is None:
        return
    base = _base(story.state, table, following)
    if base is None:  # no action clock is in play, but the bet counts for a called one
        story.tell(e.BetCounted(at=story.now, table=table.number))
        return
    story.tell(e.ActionHeld(at=story.now, table=table.number, seat=following, ms=base, acted=True))


@applies(e.BetCounted)
def _(state: State, event: e.BetCounted) -> State:
    table = state.tables[event.table]
    return state.with_table(replace(table, hand=replace(table.hand, facing_bet=True)))


@applies(e.ActionHeld)
def _(state: State, event: e.ActionHeld) -> State:
    table = state.tables[event.table]
    was = table.action
    if event.acted or not isinstance(was, Running):
        held = Held(event.seat, event.ms, facing=True, acted=True)
        hand = replace(table.hand, facing_bet=True)
    else:
        paid = was.on_bank, was.used, was.billed
        taken = None if was.began is None else state.table_now(table, event.at) - was.began
        held = Held(event.seat, event.ms, was.facing, False, *paid, event.interrupted, taken)
        hand = table.hand
    return state.with_table(replace(table, action=held, hand=hand, turn=None))


@decides(c.ActionRelease)
def _(story: Story, command: c.ActionRelease) -> None:
    table = table_to_act(story, command.table)
    if not isinstance(table.action, Held):
        refuse(Code.NOT_RUNNING, f"Nothing is held at table {table.number}.")
    _release(story, table, table.action)


def _release(story: Story, table: Table, held: Held) -> None:
    """Let the time of the held seat run."""
    auto = _auto(story.state, table, held.seat)
    story.tell(e.ActionReleased(at=story.now, table=table.number, auto_forfeit=auto))


@applies(e.ActionReleased)
def _(state: State, event: e.ActionReleased) -> State:
    table = state.tables[event.table]
    held = expect(Held, table.action)
    now = state.table_now(table, event.at)
    action = Running(
        seat=held.seat,
        ends_at=now + held.remaining,
        facing=held.facing,
        auto=event.auto_forfeit,
        on_bank=held.on_bank,
        used=held.used,
        billed=held.billed,
        began=None if held.thought is None else now - held.thought,
        runs_since=event.at,
    )
    return state.with_table(replace(table, action=action))


# ── the hub was away ─────────────────────────────────────────────────────────────────────────────


@decides(c.TableInterrupt)
def _(story: Story, command: c.TableInterrupt) -> None:
    table = table_in_play(story, command.table)
    if command.since is not None:
        hold_unseen(story, command)
        return
    if nothing_due(story.state, table):
        refuse(Code.NOT_RUNNING, f"No clock runs at table {table.number}.")
    action, called = table.action, table.called
    now = story.state.table_now(table, story.now)
    if isinstance(action, Running):
        left = max(0, action.ends_at - now)
        story.tell(
            e.ActionHeld(
                at=story.now,
                table=table.number,
                seat=action.seat,
                ms=left,
                acted=False,
                interrupted=True,
            )
        )
    if isinstance(called, Called):
        if called.ends_at < now:  # it had run out, and then everything stood
            story.tell(e.CalledSet(at=story.now, table=table.number, ms=0))
        if table.flow.stopped_at is None:
            story.tell(e.TablePaused(at=story.now, table=table.number, reason="the hub was away"))


def nothing_due(state: State, table: Table) -> bool:
    """Say whether time will do nothing at a table.

    What has run out and was not told yet is due, also if everything has stood since.
    """
    due = table.due()
    return due == NEVER or state.table_instant(table, due >> 1) is None
