"""The dealer's console: from documents and an instant to everything that a dealer sees and can tap.

One function for both worlds. The terminal paints what `face` returns; the browser's twin is
`web/face.js`, and both are held to `tests/vectors/dealer.json`. Nothing here decides anything: the
hub does. A button's command is right whatever the screen has not heard yet: NEXT is `action.next`
without a seat, and the hub knows whose turn it is.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from dealer_console import phrases
from dealer_console.scene import Button, Command, Look, Scene, Sight, scene
from server.protocol.countdown import digits, next_flip

__all__ = ["Button", "Collect", "Face", "Look", "SeatFace", "face"]

TEN, FIVE = 10_000, 5_000
NOT_HEARD = 2_000
"""An action clock that has not heard from the hub for so long must say so."""
SLOWEST = 60_000
"""The longest time between two looks."""
COUNTS = ("running", "on_bank", "expiring", "called", "called_countdown")
"""States in which a player's time runs."""
CLOSED = ("no_table", "waiting", "suspended", "finished")
"""States in which there is nothing to do at a table."""


@dataclass(frozen=True, slots=True)
class SeatFace:
    """A seat of the table."""

    seat: int
    name: str = ""  # empty where nobody sits
    chips: int = 0  # time-bank chips left
    spent: int = 0  # of the house's grant
    owes: int = 0  # chips that the dealer has to collect
    button: bool = False
    turn: str = ""  # now, next or nothing
    folded: bool = False
    all_in: bool = False
    burning: bool = False  # a chip's time is running down
    limit: str = ""
    tap: Command | None = None  # it is this seat's turn; between hands, its button
    bank: Command | None = None  # one chip of this seat
    most: int = 0  # chips that may be pushed forward at once


@dataclass(frozen=True, slots=True)
class Collect:
    """Chips that a seat still owes (SB-47h)."""

    seat: int
    chips: int
    words: str
    command: Command | None


@dataclass(frozen=True, slots=True)
class Face:
    """What a dealer's console says. Text that is empty is not shown."""

    state: str
    play: str  # the state of the play, also where another device works the table
    table: str
    title: str  # whose time it is
    word: str  # what happens, in capitals; empty while a clock simply runs
    detail: str
    digits: str
    progress: int  # of the time, what is left in thousandths
    stands: bool  # the digits do not count
    alarm: str  # none ten five zero
    seat: int | None
    next_seat: int | None
    big: Button
    buttons: tuple[Button, ...]
    seats: tuple[SeatFace, ...]
    collect: tuple[Collect, ...]
    rulings: tuple[Button, ...]  # for the floor's own console
    this_hand: str
    next_hand: str
    level_changes: bool
    street: str
    notices: tuple[str, ...]
    h4h: str
    nudge: str
    floor: str
    taken: str
    asked: str  # another device would like this table
    dealer: str
    badge: str
    freshness: str
    link: str  # in words, where this clock may not be the truth
    repaint_in: int


def face(look: Look) -> Face:
    """Say what a dealer's console shows at an instant."""
    table, event = look.table, look.event
    sight = None if table is None or event is None else Sight(look, table, event)
    found = scene(look)
    taken = _taken(look)
    if taken:
        found = replace(found, big=_ask(look))
    left = found.left
    this_hand, next_hand, changes = ("", "", False) if sight is None else _blinds(sight)
    nudge, nudge_in = ("", None) if sight is None else _nudge(sight, found)
    floor, floor_in = ("", None) if sight is None else _floor(sight)
    counts = None if found.stands or left is None else next_flip(left)
    mine = not taken
    return Face(
        state="taken" if taken else found.state,
        play=found.state,
        table=f"TABLE {look.number}",
        title="" if sight is None else sight.title(found.seat),
        word=found.word,
        detail=found.detail,
        digits="" if left is None else digits(left),
        progress=0 if left is None or not found.span else min(1_000, left * 1_000 // found.span),
        stands=found.stands,
        alarm=_alarm(found),
        seat=found.seat,
        next_seat=None if sight is None else _next_seat(sight, found),
        big=found.big,
        buttons=() if sight is None else tuple(_buttons(sight, found, mine=mine)),
        seats=() if sight is None else tuple(_seats(sight, found, mine=mine)),
        collect=() if sight is None else tuple(_collect(sight, mine=mine)),
        rulings=() if sight is None else tuple(_rulings(sight, found)),
        this_hand=this_hand,
        next_hand=next_hand,
        level_changes=changes,
        street="" if sight is None or not sight.hand["in_progress"] else sight.hand["street"],
        notices=() if event is None else phrases.notices(event),
        h4h="" if event is None else phrases.hand_for_hand(event),
        nudge=nudge,
        floor=floor,
        taken=taken,
        asked=_asked(look),
        dealer="" if look.lease is None else look.lease["dealer"],
        badge=phrases.BADGES[look.freshness],
        freshness=look.freshness,
        link=_link(look, found),
        repaint_in=min([SLOWEST, *(flip for flip in (counts, nudge_in, floor_in) if flip)]),
    )


# ── words ────────────────────────────────────────────────────────────────────────────────────────


def _taken(look: Look) -> str:
    """Say who works the table, where it is not this device."""
    lease = look.lease
    if look.role != "dealer" or lease is None or not look.me or lease["device"] == look.me:
        return ""
    return f"{phrases.joined(lease['name'], lease['dealer'])} works table {look.number}"


def _ask(look: Look) -> Button:
    waiting = [] if look.lease is None else look.lease["waiting"]
    if any(other["device"] == look.me and other["asks"] for other in waiting):
        return Button("big", "ASKED", "the floor decides")
    ask = {"do": "lease.ask", "args": {}, "to": "hub"}
    return Button("big", "ASK FOR THE TABLE", "the floor decides", ask)


def _asked(look: Look) -> str:
    if look.lease is None or look.lease["device"] != look.me:
        return ""
    names = [other["name"] for other in look.lease["waiting"] if other["asks"]]
    return f"{names[0]} asks for this table" if names else ""


def _blinds(sight: Sight) -> tuple[str, str, bool]:
    """Write what this hand and the next one are played at: the latch (SB-20, AP-23)."""
    table, following = sight.table, sight.table["next_hand"]
    if sight.hand["in_progress"]:
        return (
            phrases.blinds(table),
            "" if following is None else phrases.blinds(following),
            following is not None,
        )
    return "", phrases.blinds(following or table), following is not None


def _nudge(sight: Sight, found: Scene) -> tuple[str, int | None]:
    """Remind the dealer of a clock that nobody started; say in how long."""
    at = sight.table["nudge_at"]
    if found.state != "to_start" or at is None:
        return "", None
    left = at - sight.look.now
    return ("", left) if left > 0 else ("START THE CLOCK", None)


def _floor(sight: Sight) -> tuple[str, int | None]:
    called = sight.table["floor"]
    if called is None:
        return "", None
    passed = max(0, sight.look.now - called["since"])
    reason = called["reason"] or ""
    return phrases.joined(f"floor called {phrases.ago(passed)}", reason), 1_000 - passed % 1_000


def _link(look: Look, found: Scene) -> str:
    if look.freshness == "fresh":
        return ""
    if look.freshness == "stale":
        return "NO HUB · do not trust this clock"
    if found.state not in COUNTS or (look.away or 0) < NOT_HEARD:
        return ""
    return "HUB NOT HEARD · the clock goes on here, taps are kept"


def _alarm(found: Scene) -> str:
    if found.state.startswith(("expired", "called_dead", "called_check", "needs_ruling")):
        return "zero"
    if found.state not in COUNTS or found.left is None or found.stands:
        return "none"
    if found.left > TEN:
        return "none"
    return "zero" if found.left == 0 else "five" if found.left <= FIVE else "ten"


def _next_seat(sight: Sight, found: Scene) -> int | None:
    if found.state in ("to_start", "held"):
        return found.seat
    return sight.after(found.seat)


# ── buttons ──────────────────────────────────────────────────────────────────────────────────────


def _whose(sight: Sight, found: Scene) -> int | None:
    """Say who may fold or bet now: on the clock, or to be."""
    live = ("running", "on_bank", "expiring", "held", "clock_held", "interrupted", "to_start")
    return found.seat if found.state in live and not sight.look.simple else None


def _buttons(sight: Sight, found: Scene, *, mine: bool) -> Iterator[Button]:
    """Give all buttons, each in its place; one that cannot be tapped now has no command."""
    for button in _all_buttons(sight, found):
        yield button if mine and found.state not in CLOSED else replace(button, command=None)


def _all_buttons(sight: Sight, found: Scene) -> Iterator[Button]:
    look, table, hand, h4h = sight.look, sight.table, sight.hand, sight.h4h
    whose, dealt = _whose(sight, found), hand["in_progress"]
    rules = found.state == "needs_ruling"
    playing = dealt and not rules and h4h != "all_in"
    acts = None if whose is None else f"seat {whose}"
    yield Button("fold", "FOLD", acts or "", look.to("action.fold") if acts else None)
    counting = found.state == "held"
    bets = acts is not None and not counting
    note = "the next tap goes on" if counting else "holds the clock"
    yield Button("count", "COUNT", note, look.to("action.hold") if bets else None)
    yield _bank_button(sight, found)
    yield _floor_button(sight)
    street = phrases.STREETS[(phrases.STREETS.index(hand["street"]) + 1) % 4] if playing else ""
    more = playing and street != phrases.STREETS[0]
    yield Button(
        "street", "STREET", street if more else "", look.to("street.next") if more else None
    )
    if h4h in ("playing", "runout", "all_in"):
        told = h4h == "playing"
        yield Button("all_in", "ALL-IN", "cards face down", look.to("h4h.all_in") if told else None)
    else:
        yield Button("all_in", "ALL-IN", acts or "", look.to("action.all_in") if acts else None)
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
    passes = found.state in ("clock_held", "interrupted")
    following = sight.name(sight.after(found.seat)) if passes else ""
    yield Button("next", "NEXT PLAYER", following, look.to("action.next") if passes else None)
    stops = found.state in ("running", "on_bank", "held", "clock_held", "interrupted")
    yield Button("stop", "STOP", "nobody's time runs", look.to("action.stop") if stops else None)
    if table["paused"] is None:
        yield Button("pause", "PAUSE TABLE", "the floor lets it go on", look.to("table.pause"))
    else:
        resumes = look.to("table.resume") if look.role != "dealer" else None
        yield Button("pause", "TABLE PAUSED", table["paused"], resumes)


def _bank_button(sight: Sight, found: Scene) -> Button:
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
    if chips == 0 or found.state not in _BANKS:
        return Button("bank", "TIME BANK +1", "no chips" if chips == 0 else "")
    note = f"{chips} left · hold for more" if chips > 1 else "last chip"
    return Button("bank", "TIME BANK +1", note, sight.look.to("action.bank", seat=seat, chips=1))


_BANKS = (
    "running",
    "on_bank",
    "expiring",
    "held",
    "clock_held",
    "interrupted",
    "expired_dead",
    "expired_check",
    "expired_time",
)
"""States in which a chip may be pushed forward; also after zero, if none went by itself (SL-42)."""


def _floor_button(sight: Sight) -> Button:
    called, look = sight.table["floor"], sight.look
    if called is None:
        return Button("floor", "CALL FLOOR", "", look.to("floor.call"))
    if look.role != "dealer":
        return Button("floor", "FLOOR IS HERE", "", look.to("floor.clear"))
    return Button("floor", "FLOOR CALLED", phrases.ago(look.now - called["since"]))


def _new_hand(sight: Sight, found: Scene) -> Button:
    no = ("paused", "room_paused", "break", "hard_stop", "needs_ruling", "h4h_hold", "h4h_all_in")
    waits = sight.h4h and found.big.label != "NEW HAND"
    if found.state in no or waits:
        return Button("new", "NEW HAND")
    note = "ends this hand" if sight.hand["in_progress"] else "as the hand begins"
    return Button("new", "NEW HAND", note, sight.look.to("hand.start"))


def _rulings(sight: Sight, found: Scene) -> Iterator[Button]:
    """Give what the floor may rule after time ran out; a dealer has nothing to rule."""
    look = sight.look
    if look.role == "dealer" or _alarm(found) != "zero" or found.state in COUNTS:
        return
    for outcome, label in (("dead", "DEAD HAND"), ("check", "CHECK"), ("void", "VOID")):
        note = "the player's time is given back" if outcome == "void" else ""
        yield Button(outcome, label, note, look.to("action.ruling", outcome=outcome))


def _collect(sight: Sight, *, mine: bool) -> Iterator[Collect]:
    for owed in sight.table["collect"]:
        seat, chips = owed["seat"], owed["chips"]
        command = sight.look.to("collect.done", seat=seat) if mine else None
        yield Collect(seat, chips, phrases.chips_to_collect(chips, seat), command)


# ── seats ────────────────────────────────────────────────────────────────────────────────────────


def _seats(sight: Sight, found: Scene, *, mine: bool) -> Iterator[SeatFace]:
    for number in range(1, sight.table["size"] + 1):
        yield _seat(sight, found, number, mine=mine)


def _seat_tap(sight: Sight, found: Scene, number: int) -> Command:
    """Say what a tap on a seat means: it is to act, or between hands it has the button."""
    if found.state in ("between_hands", "h4h_deal"):
        return sight.look.to("hand.start", button=number)
    return sight.look.to("action.start", seat=number)


def _seat(sight: Sight, found: Scene, number: int, *, mine: bool) -> SeatFace:
    table, hand, action, look = sight.table, sight.hand, sight.table["action"], sight.look
    taken = table["seats"].get(str(number))
    button = hand["button"] == number
    if taken is None:
        return SeatFace(number, button=button)
    rule = sight.event["action_clock"]
    chips = taken["bank"]
    now = found.seat == number and found.state not in ("to_start", "held")
    following = _next_seat(sight, found) == number
    in_hand = taken["in_hand"] or not hand["in_progress"]
    stuck = found.state in CLOSED or found.state in ("paused", "room_paused", "needs_ruling")
    may = mine and not stuck
    asked = in_hand and number not in hand["all_in"] and not now
    dealing = found.state in ("between_hands", "h4h_deal")
    clocked = (sight.base(number) is not None and not look.simple) or dealing
    spends = found.state in _BANKS and action["seat"] in (None, number)
    banks = may and spends and chips > 0 and taken["limit_s"] is None and rule is not None
    return SeatFace(
        seat=number,
        name=taken["name"],
        chips=chips,
        spent=0 if rule is None else max(0, rule["chips"] - chips),
        owes=sum(owed["chips"] for owed in table["collect"] if owed["seat"] == number),
        button=button,
        turn="now" if now else "next" if following else "",
        folded=hand["in_progress"] and not taken["in_hand"],
        all_in=number in hand["all_in"],
        burning=action["seat"] == number and bool(action["on_bank"]),
        limit="" if taken["limit_s"] is None else f"{taken['limit_s']} s",
        tap=_seat_tap(sight, found, number) if may and asked and clocked else None,
        bank=look.to("action.bank", seat=number, chips=1) if banks else None,
        most=chips if banks else 0,
    )
