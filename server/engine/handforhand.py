"""Hand-for-hand: the whole room plays one hand, or one orbit, and waits for the slowest table.

    off ──announce──▶ announced ──every table done──▶ holding ◀──every table done── playing
                                                          └───────────next──────────▶┘

What a hand costs on the level clock is the house's policy: `run_to_cap` lets the clock run during
the hand and charges the rest of the cap (SB-19), `deduct` stands it and charges a fixed time
(AT-3.11.2, AP-RP8), `run_on` lets it be (AT-3.11.3). A break that comes due waits for the hand.

A table is `playing`, `done`, `all_in` (cards face down, waiting) or in its `runout`. In the soft
form a table that is done may lead by one hand: it is `ahead`, then `ahead_done`.
"""

from dataclasses import replace

from server.engine import commands as c
from server.engine import events as e
from server.engine.actions import leave
from server.engine.flow import SECOND
from server.engine.levels import enter, settle, take
from server.engine.refusals import Code, refuse
from server.engine.room import HandForHand, Room
from server.engine.stages import to_money
from server.engine.state import State
from server.engine.story import Story, applies, decides
from server.engine.table import Mark, Table

PENDING = ("playing", "all_in", "runout")
_CARRIED = {"ahead": "playing", "ahead_done": "done"}


def status_of(state: State, table: Table) -> str | None:
    """Say what a table is doing in this hand; None outside hand-for-hand."""
    h4h, mark = state.room.h4h, table.mark
    if h4h.status == "off":
        return None
    if mark is not None and mark.epoch == h4h.epoch:
        return mark.status
    if mark is not None and mark.epoch == h4h.epoch - 1 and mark.status in _CARRIED:
        return _CARRIED[mark.status]
    if h4h.status == "announced":
        return "playing" if _unfinished(table) else "done"
    return "playing" if h4h.status == "playing" else "done"


def _unfinished(table: Table) -> bool:
    """Say whether a table is in a hand; a misdeal is still to be dealt once more."""
    return table.hand.in_progress or table.hand.misdealt


def report(
    story: Story, table: Table, was: str, status: str, orbit: tuple[int, int] = (0, 1)
) -> None:
    """Take down what a table reports; when it was the last one, the hand is over.

    `orbit` is how many hands of a round it has finished, and how many it has to play.
    """
    hands, of = orbit
    story.tell(
        e.HandForHandReported(
            at=story.now, table=table.number, was=was, status=status, hands=hands, orbit=of
        )
    )
    settle_hand(story)


@applies(e.HandForHandReported)
def _(state: State, event: e.HandForHandReported) -> State:
    h4h = state.room.h4h
    mark = Mark(h4h.epoch, event.status, event.hands, event.orbit, event.at)
    changed = replace(
        h4h,
        pending=h4h.pending + (event.status in PENDING) - (event.was in PENDING),
        live=h4h.live + (event.status == "playing") - (event.was == "playing"),
        ahead=h4h.ahead + (event.status == "ahead_done") - (event.was == "ahead_done"),
    )
    table = replace(state.tables[event.table], mark=mark)
    return state.with_table(table).with_room(h4h=changed)


def _orbit(state: State, table: Table) -> tuple[int, int]:
    """Say how far a table is in its round; a hand is a round of one."""
    mark = table.mark
    current = mark is not None and mark.epoch == state.room.h4h.epoch
    return (mark.hands, mark.orbit) if mark is not None and current else (0, 1)


def settle_hand(story: Story) -> None:
    """When every table is done, charge the hand and hold; soft goes on by itself."""
    room = story.state.room
    h4h = room.h4h
    if h4h.status not in ("announced", "playing") or h4h.pending > 0:
        return
    _charge(story)
    if h4h.soft and h4h.hand > 0 and len(story.state.tables) > 0:
        _release(story)


def _charge(story: Story) -> None:
    """Take what the hand still costs off the clock; a break that waited begins."""
    room = story.state.room
    h4h = room.h4h
    rest = 0
    if h4h.policy == "deduct":
        rest = h4h.charge
    elif h4h.cap_at is not None:
        rest = max(0, h4h.cap_at - room.played(story.now))
    waits = h4h.break_waits
    story.tell(e.HandForHandOver(at=story.now, hand=h4h.hand))
    if waits:
        enter(story, room.step + 1, room.owed + rest)
    elif rest > 0 or room.remaining(story.now) == 0:  # over at the very end of the level
        take(story, rest)


def next_cost(state: State) -> int:
    """Say what the next hand will cost: of a round, its longest orbit."""
    h4h = state.room.h4h
    longest = 1
    if h4h.unit == "round":
        longest = max(1, *(len(table.seats) for _, table in state.tables.items()))
    return h4h.cost * longest


def after_hand(state: State, now: int) -> Room | None:
    """Foresee the room when the hand in play is over, or else the next one.

    None where no hand is played or to be released, or where it lets the clock be.
    """
    h4h = state.room.h4h
    if h4h.status in ("off", "announced") or h4h.policy == "run_on" or state.room.on_break:
        return None
    story = Story(state, now)
    if h4h.status == "playing":
        _charge(story)
    else:
        take(story, next_cost(state))
    return story.state.room


def since(state: State, table: Table) -> int | None:
    """Say since when a table has stood as it does in this hand."""
    h4h, mark = state.room.h4h, table.mark
    if h4h.status == "off":
        return None
    return mark.at if mark is not None and mark.epoch == h4h.epoch else h4h.since


@applies(e.HandForHandOver)
def _(state: State, event: e.HandForHandOver) -> State:
    over = replace(
        state.room.h4h, status="holding", cap_at=None, capped=False, charge=0, since=event.at
    )
    return settle(state, event.at, h4h=over)


# ── what a hand at a table means for it ──────────────────────────────────────────────────────────


def start_hand(story: Story, table: Table) -> None:
    """Refuse a hand that must wait, and count one that leads."""
    state = story.state
    h4h, status = state.room.h4h, status_of(state, table)
    if status is None:
        return
    if status == "playing" and table.hand.misdealt:
        return  # the same hand once more
    if h4h.status == "playing" and not table.hand.in_progress:
        if status == "done" and h4h.soft:
            report(story, table, status, "ahead")
            return
        if status == "playing":
            mark = table.mark
            if h4h.unit == "round" and (mark is None or mark.epoch != h4h.epoch):
                report(story, table, status, "playing", (0, max(1, len(table.seats))))
            return
    refuse(Code.NOT_ALLOWED, "Hand-for-hand: wait until the next hand is released.")


def finish_hand(story: Story, table: Table, was: str | None) -> None:
    """Report the end of a table's hand; an all-in waits until its board may be run (SB-30)."""
    if was == "all_in":
        refuse(Code.NOT_ALLOWED, "All-in: cards stay face down until the board may be run.")
    if was == "ahead":
        report(story, table, was, "ahead_done")
    elif was in ("playing", "runout"):
        hands, orbit = _orbit(story.state, table)
        if hands + 1 < orbit:
            report(story, table, was, "playing", (hands + 1, orbit))
        else:
            report(story, table, was, "done")


# ── commands ─────────────────────────────────────────────────────────────────────────────────────


def policy_for(state: State) -> str:
    """Choose the house's clock policy, by players left where its rules do (AT-3.11.3)."""
    rules, left = state.rules.hand_for_hand, state.room.field.left
    return (
        "run_on" if rules.run_on_below is not None and left < rules.run_on_below else rules.policy
    )


@decides(c.HandForHandAnnounce)
def _(story: Story, command: c.HandForHandAnnounce) -> None:
    state = story.state
    room, rules = state.room, state.rules.hand_for_hand
    if room.finished or not room.started:
        refuse(Code.NOT_RUNNING, "The event is not being played.")
    if room.h4h.status != "off":
        refuse(Code.NOT_ALLOWED, "The room is in hand-for-hand already.")
    distance = to_money(state)
    too_far = rules.round_within is not None and (distance or 0) > rules.round_within
    if command.unit == "round" and too_far:
        refuse(
            Code.NOT_ALLOWED,
            f"Round-for-round is for {rules.round_within} from the money: {distance} to go.",
        )
    most = rules.most_seconds
    if command.seconds is not None and most is not None and command.seconds > most:
        refuse(Code.BAD_VALUE, f"A hand costs at most {most} seconds in this house (AP-RP8b).")
    story.tell(
        e.HandForHandAnnounced(
            at=story.now,
            policy=command.policy or policy_for(state),
            cost_ms=(command.seconds or rules.seconds) * SECOND,
            unit=command.unit,
            soft=command.soft,
            reason=command.reason,
            pending=sum(_unfinished(table) for table in state.tables.values()),
            tables=tuple(state.tables.keys()),
        )
    )
    settle_hand(story)


@applies(e.HandForHandAnnounced)
def _(state: State, event: e.HandForHandAnnounced) -> State:
    h4h = HandForHand(
        status="announced",
        epoch=state.room.h4h.epoch + 2,  # nothing that a table was ahead of carries over
        policy=event.policy,
        cost=event.cost_ms,
        unit=event.unit,
        soft=event.soft,
        reason=event.reason,
        pending=event.pending,
        live=event.pending,
        since=event.at,
    )
    return settle(state, event.at, h4h=h4h)


def table_report(story: Story, number: int) -> tuple[Table, str]:
    """Find a table that is in the middle of the hand, or refuse."""
    table = story.state.table(number)
    status = status_of(story.state, table)
    if status is None or story.state.room.finished:
        refuse(Code.NOT_RUNNING, "The room is not in hand-for-hand.")
    if status in ("done", "ahead_done"):
        refuse(Code.NOT_ALLOWED, f"Table {number} has finished its hand already.")
    return table, status


@decides(c.HandForHandAllIn)
def _(story: Story, command: c.HandForHandAllIn) -> None:
    table, status = table_report(story, command.table)
    if status != "playing":
        refuse(Code.NOT_ALLOWED, f"Table {table.number} is not in the middle of this hand.")
    leave(story, table)  # nobody acts while the cards lie face down
    table = story.state.tables[table.number]
    report(story, table, status, "all_in", _orbit(story.state, table))


@decides(c.HandForHandRunout)
def _(story: Story, command: c.HandForHandRunout) -> None:
    table, status = table_report(story, command.table)
    if status != "all_in":
        refuse(Code.NOT_ALLOWED, f"Table {table.number} has not reported an all-in.")
    if (live := story.state.room.h4h.live) > 0:
        refuse(Code.NOT_ALLOWED, f"Wait: {live} more tables are still playing their hand.")
    report(story, table, status, "runout", _orbit(story.state, table))


@decides(c.HandForHandNext)
def _(story: Story, _command: c.HandForHandNext) -> None:
    room = story.state.room
    if room.h4h.status == "off" or room.standing:
        refuse(Code.NOT_RUNNING, "The room is not in hand-for-hand, or it stands.")
    if room.h4h.status != "holding":
        refuse(Code.NOT_ALLOWED, f"{room.h4h.pending} tables have not finished their hand.")
    if room.on_break:
        refuse(Code.ON_BREAK, "No new hand during the break.")
    if len(story.state.tables) == 0:
        refuse(Code.NOT_ALLOWED, "No table is open.")
    _release(story)


def _release(story: Story) -> None:
    state = story.state
    h4h = state.room.h4h
    story.tell(
        e.HandForHandReleased(
            at=story.now,
            hand=h4h.hand + 1,
            pending=len(state.tables) - h4h.ahead,
            cost_ms=next_cost(state),
        )
    )
    settle_hand(story)


@applies(e.HandForHandReleased)
def _(state: State, event: e.HandForHandReleased) -> State:
    room = state.room
    capped = room.h4h.policy == "run_to_cap"
    released = replace(
        room.h4h,
        status="playing",
        epoch=room.h4h.epoch + 1,
        hand=event.hand,
        pending=event.pending,
        live=event.pending,
        ahead=0,
        charge=event.cost_ms,
        cap_at=room.level_now(event.at) + event.cost_ms if capped else None,
        capped=False,
        since=event.at,
    )
    return settle(state, event.at, h4h=released)


@applies(e.HandForHandCapped)
def _(state: State, event: e.HandForHandCapped) -> State:
    return settle(state, event.at, h4h=replace(state.room.h4h, capped=True))


@decides(c.HandForHandEnd)
def _(story: Story, _command: c.HandForHandEnd) -> None:
    room = story.state.room
    if room.h4h.status == "off" or room.finished:
        refuse(Code.NOT_RUNNING, "The room is not in hand-for-hand.")
    waits = room.h4h.break_waits
    story.tell(e.HandForHandEnded(at=story.now))
    if waits:
        enter(story, room.step + 1, room.owed)


@applies(e.HandForHandEnded)
def _(state: State, event: e.HandForHandEnded) -> State:
    return settle(state, event.at, h4h=HandForHand(epoch=state.room.h4h.epoch))
