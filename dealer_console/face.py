"""The dealer's console: from documents and an instant to everything that a dealer sees and can tap.

One function for both worlds. The terminal paints what `face` returns; the browser's twin is
`web/face.js`, and both are held to `tests/vectors/dealer.json`, and for the betting round to
`dealer_round.json`, which is written by hand. Nothing here decides anything: the hub does. A
button's command is right whatever the screen has not heard yet: NEXT is `action.next` without a
seat, and the hub knows whose turn it is.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from dealer_console import phrases
from dealer_console.buttons import buttons, levels, rulings, syncs
from dealer_console.scene import scene
from dealer_console.seats import SeatFace, seats
from dealer_console.sight import Button, Command, Look, Scene, Sight
from server.protocol.countdown import digits, next_flip

__all__ = ["Button", "Collect", "Face", "Look", "Reason", "SeatFace", "face"]

TEN, FIVE = 10_000, 5_000
NOT_HEARD = 2_000
"""An action clock that has not heard from the hub for so long must say so."""
SLOWEST = 60_000
"""The longest time between two looks."""
COUNTS = ("running", "on_bank", "expiring", "called", "called_countdown")
"""States in which a player's time runs."""


@dataclass(frozen=True, slots=True)
class Collect:
    """Chips that a seat still owes (SB-47h)."""

    seat: int
    chips: int
    words: str
    command: Command | None


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a dealer calls the floor, as the house lists it."""

    reason: str
    note: str = ""  # says whether the clock stands until the floor has been there


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
    levels: tuple[Button, ...]  # at which this hand may really have been dealt
    sync: tuple[Button, ...]  # street and bet of a re-sync, still without who is to act
    reasons: tuple[Reason, ...]  # to call the floor
    this_hand: str
    next_hand: str
    level_changes: bool
    street: str
    facing: str  # to call, or may check: of the one whose turn it is
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
    following = None if sight is None else _next_seat(sight, found)
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
        next_seat=following,
        big=found.big,
        buttons=() if sight is None else tuple(buttons(sight, found, mine=mine)),
        seats=() if sight is None else tuple(seats(sight, found, following, mine=mine)),
        collect=() if sight is None else tuple(_collect(sight, mine=mine)),
        rulings=() if sight is None else tuple(rulings(sight, found)),
        levels=() if sight is None else tuple(levels(sight, found, mine=mine)),
        sync=() if sight is None else tuple(syncs(sight, found, mine=mine)),
        reasons=tuple(_reasons(look)),
        this_hand=this_hand,
        next_hand=next_hand,
        level_changes=changes,
        street="" if sight is None else _street(sight),
        facing="" if sight is None else sight.facing(found.seat),
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


def _street(sight: Sight) -> str:
    """Name the street; nothing where nobody taps the play, and it would stay at the first."""
    street: str = sight.hand["street"]
    followed = sight.comes is not None or street != phrases.STREETS[0]
    return street if sight.hand["in_progress"] and followed else ""


def _reasons(look: Look) -> Iterator[Reason]:
    """List why the floor is called: the house's own reasons, or the usual ones."""
    own = None if look.event is None else look.event.get("floor_reasons")
    if not own:
        yield from (Reason(reason) for reason in phrases.REASONS)
        return
    for each in own:
        yield Reason(each["reason"], "holds the clock" if each["holds"] else "")


def _next_seat(sight: Sight, found: Scene) -> int | None:
    if found.state in ("to_start", "held"):
        return found.seat
    if found.state == "round_over":
        return sight.left_of(sight.hand["button"])
    return sight.after(found.seat)


def _collect(sight: Sight, *, mine: bool) -> Iterator[Collect]:
    for owed in sight.table["collect"]:
        seat, chips = owed["seat"], owed["chips"]
        command = sight.look.to("collect.done", seat=seat) if mine else None
        yield Collect(seat, chips, phrases.chips_to_collect(chips, seat), command)
