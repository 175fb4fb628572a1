"""The action clock: whose time runs, and what holds it (SB-47, SL-42).

Its status is drawn in `table`; here is what people do to it, and in `expiry` what time does.
"""

from dataclasses import replace

from server.engine import commands as c
from server.engine import events as e
from server.engine.flow import SECOND
from server.engine.refusals import Code, refuse
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


def leave(story: Story, table: Table, seat: int | None = None) -> None:
    """Break off what runs on a seat, or at the whole table."""
    if not isinstance(table.action, Idle) and seat in (None, table.action.seat):
        turn = None if seat is None else table.live(seat)
        story.tell(
            e.ActionEnded(at=story.now, table=table.number, seat=table.action.seat, turn=turn)
        )
    if not isinstance(table.called, Off) and seat in (None, table.called.seat):
        story.tell(e.CalledStopped(at=story.now, table=table.number))


def _run(story: Story, number: int, seat: int, facing: bool | None) -> None:
    """Let a player's time begin."""
    table = story.state.tables[number]
    base = _base(story.state, table, seat)
    if base is None:
        refuse(Code.NOT_ALLOWED, "No action clock is in play.")
    if seat != WHOEVER and table.hand.in_progress and not table.seats[seat].in_hand:
        refuse(Code.OUT_OF_TURN, f"Seat {seat} is not in this hand.")
    story.tell(
        e.ActionStarted(
            at=story.now,
            table=number,
            seat=seat,
            facing_bet=table.hand.facing_bet if facing is None else facing,
            ms=base,
            auto_forfeit=_auto(story.state, table, seat),
        )
    )


def _whose(table: Table) -> int:
    """Say whose turn it is, clock or no clock."""
    seat = table.turn if isinstance(table.action, Idle) else table.action.seat
    if seat is None:
        refuse(Code.NOT_RUNNING, f"No action clock runs at table {table.number}.")
    return seat


@decides(c.ActionStart)
def _(story: Story, command: c.ActionStart) -> None:
    table = table_to_act(story, command.table)
    if command.seat is not None:
        seated_player(table, command.seat)
    leave(story, table)
    _run(story, table.number, command.seat or WHOEVER, command.facing_bet)


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
    )
    hand = replace(table.hand, facing_bet=facing)
    # One clock runs at a table: this one takes the place of a called one.
    return state.with_table(replace(table, action=action, called=Off(), hand=hand, turn=None))


@decides(c.ActionNext)
def _(story: Story, command: c.ActionNext) -> None:
    table = table_to_act(story, command.table)
    action = table.action
    match action:
        case Held(acted=True, seat=s) if command.seat in (None, s) and command.facing_bet is None:
            _release(story, table, action)  # the tap that ends the count
        case Held(acted=True) | Idle():  # the one whose turn it is begins
            seat = _whose(table) if command.seat is None else command.seat
            leave(story, table)
            _run(story, table.number, seat, command.facing_bet)
        case Running() | Held() | Expired():
            _pass_on(story, table, command.seat, command.facing_bet)


@decides(c.ActionFold)
def _(story: Story, command: c.ActionFold) -> None:
    table = table_to_act(story, command.table)
    _pass_on(story, table, None, command.facing_bet, folded=True)


def _pass_on(
    story: Story, table: Table, seat: int | None, facing: bool | None, *, folded: bool = False
) -> None:
    """End the current player's action; the next player's time begins, if there is one to begin."""
    acted = _whose(table)
    following = table.live(acted) if seat is None else seat
    if following is not None:
        seated_player(table, following)
    alone = folded and following is not None and table.live(following) in (None, acted)
    turn = None if alone else following
    story.tell(
        e.ActionEnded(at=story.now, table=table.number, seat=acted, folded=folded, turn=turn)
    )
    if turn is not None and _base(story.state, table, turn) is not None:
        _run(story, table.number, turn, facing)


@decides(c.ActionStop)
def _(story: Story, command: c.ActionStop) -> None:
    table = table_to_act(story, command.table)
    if isinstance(table.action, Idle):
        refuse(Code.NOT_RUNNING, f"No action clock runs at table {table.number}.")
    seat = table.action.seat
    waits = isinstance(table.action, Held) and table.action.acted  # that seat has not acted yet
    turn = seat if waits else table.live(seat)
    story.tell(e.ActionEnded(at=story.now, table=table.number, seat=seat, turn=turn))


@applies(e.ActionEnded)
def _(state: State, event: e.ActionEnded) -> State:
    table = state.tables[event.table]
    on_them = not isinstance(table.called, Off) and table.called.seat == event.seat
    called = Off() if on_them else table.called
    now = state.table_now(table, event.at)
    ended = replace(
        table.billed().timed(now), action=Idle(), called=called, turn=event.turn, quiet=now
    )
    if event.all_in:
        ended = ended.went_all_in(event.seat)
    return state.with_table(ended.dealt(event.seat, in_hand=False) if event.folded else ended)


# ── counting a bet ───────────────────────────────────────────────────────────────────────────────


@decides(c.ActionHold)
def _(story: Story, command: c.ActionHold) -> None:
    table = table_to_act(story, command.table)
    action = table.action
    held = isinstance(action, Held) and (action.acted or not command.acted)
    if held or isinstance(action, Expired):
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
def _(story: Story, command: c.ActionAllIn) -> None:
    table = table_to_act(story, command.table)
    if isinstance(table.action, Expired):
        refuse(Code.NOT_ALLOWED, f"Time has run out on seat {table.action.seat}.")
    _count(story, table, all_in=True)


def _count(story: Story, table: Table, *, all_in: bool = False) -> None:
    """End the current player's action; the next one's time stands while the bet is counted."""
    acted = _whose(table)
    following = table.live(acted)
    story.tell(
        e.ActionEnded(at=story.now, table=table.number, seat=acted, turn=following, all_in=all_in)
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
    )
    return state.with_table(replace(table, action=action))


# ── the hub was away ─────────────────────────────────────────────────────────────────────────────


@decides(c.TableInterrupt)
def _(story: Story, command: c.TableInterrupt) -> None:
    table = table_in_play(story, command.table)
    if command.since is not None:
        hold_unseen(story, command)
        return
    if table_stands(story.state, table):
        refuse(Code.NOT_RUNNING, f"No clock runs at table {table.number}.")
    action = table.action
    if isinstance(action, Running):
        left = max(0, action.ends_at - story.state.table_now(table, story.now))
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
    if isinstance(table.called, Called):
        story.tell(e.TablePaused(at=story.now, table=table.number, reason="the hub was away"))


def table_stands(state: State, table: Table) -> bool:
    """Say whether time does nothing at a table."""
    flows = (state.room.flow, table.flow)
    return table.due() == NEVER or any(flow.stopped_at is not None for flow in flows)
