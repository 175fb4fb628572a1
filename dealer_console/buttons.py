"""The buttons beside the big one: each in its place, with a command where it can be tapped now."""

from collections.abc import Iterator
from dataclasses import replace

from dealer_console import phrases
from dealer_console.sight import Button, Scene, Sight

CLOSED = ("no_table", "waiting", "suspended", "finished")
"""States in which there is nothing to do at a table."""
ACTS = (
    *("running", "on_bank", "expiring", "held", "clock_held", "interrupted", "to_start"),
    *("called", "called_countdown"),
)
"""States in which somebody may fold or bet: on the clock, or to be."""
BANKS = (
    *("running", "on_bank", "expiring", "held", "clock_held", "interrupted"),
    *("expired_dead", "expired_check", "expired_time"),
)
"""States in which a chip may be pushed forward; also after zero, if none went by itself (SL-42)."""
DEALS = ("between_hands", "replay", "h4h_deal")
"""States in which the next hand can be dealt."""


def buttons(sight: Sight, found: Scene, *, mine: bool) -> Iterator[Button]:
    """Give all buttons, each in its place; one that cannot be tapped now has no command."""
    for button in _all(sight, found):
        yield button if mine and found.state not in CLOSED else replace(button, command=None)


def _all(sight: Sight, found: Scene) -> Iterator[Button]:
    look, table, hand, h4h = sight.look, sight.table, sight.hand, sight.h4h
    whose, dealt = acting(sight, found), hand["in_progress"]
    rules = found.state == "needs_ruling"
    playing = dealt and not rules and h4h != "all_in"
    acts = "" if whose is None else f"seat {whose}"
    yield Button("fold", "FOLD", acts, look.to("action.fold") if acts else None)
    yield _count(sight, found, acts)
    yield _bank(sight, found)
    yield _floor(sight)
    street = sight.next_street if playing else ""
    yield Button("street", "STREET", street, look.to("street.next") if street else None)
    yield from _all_in(sight, acts)
    if h4h:
        reports = h4h in ("playing", "runout", "ahead") and not rules
        yield Button("over", "HAND DONE", "", look.to("h4h.done") if reports else None)
    else:
        yield Button("over", "HAND OVER", "", look.to("hand.end") if playing else None)
    yield _new_hand(sight, found)
    yield Button("push", "PUSH", "new dealer", look.to("dealer.push"))
    label, note = phrases.undone(table["undo"])
    undo = None if table["undo"] is None else look.to("undo")
    yield Button("undo", label, note, undo)
    holds = found.state in ("running", "on_bank")
    hold = look.to("action.hold", acted=False) if holds else None
    yield Button("hold", "HOLD CLOCK", "same player goes on after", hold)
    yield _next(sight, found, acts)
    stops = found.state in ("running", "on_bank", "held", "clock_held", "interrupted")
    yield Button("stop", "STOP", "nobody's time runs", look.to("action.stop") if stops else None)
    misdeal = look.to("hand.misdeal") if playing else None
    yield Button("misdeal", "MISDEAL", "same button, same level again", misdeal)
    if table["paused"] is None:
        yield Button("pause", "PAUSE TABLE", "the floor resumes play", look.to("table.pause"))
    else:
        resumes = look.to("table.resume") if look.role != "dealer" else None
        yield Button("pause", "TABLE PAUSED", table["paused"], resumes)


def acting(sight: Sight, found: Scene) -> int | None:
    """Say who may fold or bet now: on the clock, or to be, or the one the clock is called on."""
    return found.seat if found.state in ACTS and not sight.look.simple else None


def _count(sight: Sight, found: Scene, acts: str) -> Button:
    """COUNT, also while a bet is counted: the next player has raised at once."""
    counting = found.state == "held"
    if counting and sight.comes != "act":
        return Button("count", "COUNT", "tap NEXT to continue")
    note = f"{acts} raises" if counting else "holds the clock"
    return Button("count", "COUNT", note, sight.look.to("action.hold") if acts else None)


def _next(sight: Sight, found: Scene, acts: str) -> Button:
    """Make CHECK or CALL: one tap whether or not the player's clock was started."""
    look, called = sight.look, found.state.startswith("called")
    facing = sight.facing(found.seat)
    if facing and acts and not called:
        label = "CALL" if facing == "to call" else "CHECK"
        return Button("next", label, acts, look.to("action.next", acted=True))
    passes = found.state in ("clock_held", "interrupted")
    following = sight.name(sight.after(found.seat)) if passes else ""
    label = "NEXT PLAYER" if passes else "CHECK / CALL"
    return Button("next", label, following, look.to("action.next") if passes else None)


def _all_in(sight: Sight, acts: str) -> Iterator[Button]:
    """ALL-IN; where it matters, whether it raises or calls; in hand-for-hand the report (SB-30)."""
    look, hand, h4h = sight.look, sight.hand, sight.h4h
    asks = bool(acts and hand.get("asks_all_in"))
    if h4h in ("playing", "runout", "all_in"):
        told = h4h == "playing"
        yield Button("all_in", "ALL-IN", "cards face down", look.to("h4h.all_in") if told else None)
    elif asks:
        yield Button("all_in", "ALL-IN", "raises or calls?")
    else:
        yield Button("all_in", "ALL-IN", acts, look.to("action.all_in") if acts else None)
    raises = look.to("action.all_in", raises=True) if acts else None
    yield Button("all_in_raise", "ALL-IN RAISES", acts, raises)
    # Also with no bet to face: a big blind may be all-in by the blind alone.
    calls = look.to("action.all_in", raises=False) if acts else None
    yield Button("all_in_call", "ALL-IN CALLS", acts, calls)


def _bank(sight: Sight, found: Scene) -> Button:
    table, rule = sight.table, sight.event["action_clock"]
    action, seat = table["action"], table["action"]["seat"]
    if rule is None or action["status"] == "idle" or action["outcome"] == "needs_ruling":
        return Button("bank", "TIME BANK +1")
    if seat is None:
        return Button("bank", "TIME BANK +1", "tap the seat")
    taken = table["seats"].get(str(seat))
    if taken is None or taken["limit_s"] is not None:
        return Button("bank", "TIME BANK +1", "limited: no time bank")
    chips = taken["bank"]
    if chips == 0 or found.state not in BANKS:
        return Button("bank", "TIME BANK +1", "no chips" if chips == 0 else "")
    note = f"{chips} left · hold for more" if chips > 1 else "last chip"
    return Button("bank", "TIME BANK +1", note, sight.look.to("action.bank", seat=seat, chips=1))


def _floor(sight: Sight) -> Button:
    called, look = sight.table["floor"], sight.look
    if called is None:
        return Button("floor", "CALL FLOOR", "", look.to("floor.call"))
    if look.role != "dealer":
        return Button("floor", "FLOOR IS HERE", "", look.to("floor.clear"))
    return Button("floor", "FLOOR CALLED", phrases.ago(look.now - called["since"]))


def _new_hand(sight: Sight, found: Scene) -> Button:
    no = ("paused", "room_paused", "break", "hard_stop", "needs_ruling", "h4h_hold", "h4h_all_in")
    deals = found.big.command is not None and found.big.command["do"] == "hand.start"
    if found.state in no or (sight.h4h and not deals):
        return Button("new", "NEW HAND")
    note = "ends this hand" if sight.hand["in_progress"] else "as the hand begins"
    return Button("new", "NEW HAND", note, sight.look.to("hand.start"))


def levels(sight: Sight, found: Scene, *, mine: bool) -> Iterator[Button]:
    """Give the levels at which this hand may really have been dealt (AP-23m)."""
    table, clock = sight.table, sight.event["clock"]
    if not sight.hand["in_progress"] or not mine or found.state in CLOSED:
        return
    known = [clock["next"] or {}, sight.table["next_hand"] or {}, clock, table]
    blinds = {level["level"]: phrases.blinds(level) for level in known if level.get("level")}
    now = clock["level"]
    for level in (now - 1, now, now + 1):
        if level < 1 or (level > now and level not in blinds):
            continue
        this = level == table["level"]
        note = phrases.joined(blinds.get(level, ""), "this hand" if this else "")
        command = None if this else sight.look.to("hand.level", level=level)
        yield Button(f"level-{level}", f"LEVEL {level}", note, command)


def syncs(sight: Sight, found: Scene, *, mine: bool) -> Iterator[Button]:
    """Give what a re-sync may say first: every street without and with a bet.

    The page or the terminal adds who is to act, and the live seats; then it is one `hand.sync`.
    """
    stuck = (*CLOSED, "paused", "room_paused", "needs_ruling", "h4h_all_in")
    if not sight.hand["in_progress"] or not mine or found.state in stuck or sight.look.simple:
        return
    has_bet = sight.hand.get("bettor") is not None
    for bet in (False, True):
        for street in phrases.STREETS:
            args = {"street": street, "bet": bet}
            same = street == sight.hand["street"] and bet == has_bet
            note = phrases.joined(phrases.bet(street, bet=bet), "now" if same else "")
            name = f"sync-{street}-{'bet' if bet else 'none'}"
            yield Button(name, street.upper(), note, sight.look.to("hand.sync", **args))


def rulings(sight: Sight, found: Scene) -> Iterator[Button]:
    """Give what the floor may rule after time ran out; a dealer has nothing to rule."""
    look = sight.look
    out = found.state.startswith(("expired_", "called_dead", "called_check"))
    if look.role == "dealer" or not (out or found.state == "needs_ruling"):
        return
    for outcome, label in (("dead", "DEAD HAND"), ("check", "CHECK"), ("void", "VOID")):
        note = "the player's time is given back" if outcome == "void" else ""
        yield Button(outcome, label, note, look.to("action.ruling", outcome=outcome))
