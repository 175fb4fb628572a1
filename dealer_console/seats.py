"""The seats of a dealer's console: who sits there, what is marked, and what a touch may do."""

from collections.abc import Iterator
from dataclasses import dataclass

from dealer_console.buttons import BANKS, CLOSED, DEALS, acting
from dealer_console.sight import Command, Document, Scene, Sight


@dataclass(frozen=True, slots=True)
class SeatFace:
    """A seat of the table."""

    seat: int
    name: str = ""  # empty where nobody sits
    chips: int = 0  # time-bank chips left
    spent: int = 0  # of the house's grant
    owes: int = 0  # chips that the dealer has to collect
    button: bool = False
    blind: str = ""  # SB, BB or STR: what was posted here
    turn: str = ""  # now, next or nothing
    folded: bool = False
    all_in: bool = False
    burning: bool = False  # a chip's time is running down
    limit: str = ""
    tap: Command | None = None  # it is this seat's turn; between hands a touch only asks
    bank: Command | None = None  # one chip of this seat
    most: int = 0  # chips that may be pushed forward at once
    here: Command | None = None  # the button is here
    straddle: Command | None = None  # a hand begins with this seat's straddle
    fold: Command | None = None  # this seat has folded, whosever turn it is


def seats(sight: Sight, found: Scene, following: int | None, *, mine: bool) -> Iterator[SeatFace]:
    """Give every seat; `following` is the one that is next."""
    for number in range(1, sight.table["size"] + 1):
        yield _seat(sight, found, number, following, mine=mine)


def _blind(hand: Document, number: int) -> str:
    blinds = hand.get("blinds")
    if not hand["in_progress"] or blinds is None:
        return ""
    names = {hand["straddle"]: "STR", blinds["big"]: "BB", blinds["small"]: "SB"}
    return names.get(number, "")


def _seat(
    sight: Sight, found: Scene, number: int, following: int | None, *, mine: bool
) -> SeatFace:
    table, hand, action, look = sight.table, sight.hand, sight.table["action"], sight.look
    taken = table["seats"].get(str(number))
    button = hand["button"] == number
    stuck = found.state in CLOSED or found.state in ("paused", "room_paused", "needs_ruling")
    may = mine and not stuck
    deals = may and found.state in DEALS
    moves = deals or (may and found.state == "to_start" and sight.untouched)
    here = look.to("button.set", seat=number) if moves and not button else None
    if taken is None:
        return SeatFace(number, button=button, here=here)
    rule = sight.event["action_clock"]
    chips = taken["bank"]
    now = found.seat == number and found.state not in ("to_start", "held")
    all_in = number in hand["all_in"]
    # Where seats are not followed a clock may run without a hand, and a full console names it.
    in_play = taken["in_hand"] if hand["in_progress"] else action["status"] != "idle"
    asked = may and in_play and not all_in
    clocked = sight.base(number) is not None and not look.simple and found.state not in DEALS
    spends = found.state in BANKS and action["seat"] in (None, number)
    banks = may and spends and chips > 0 and taken["limit_s"] is None and rule is not None
    return SeatFace(
        seat=number,
        name=taken["name"],
        chips=chips,
        spent=0 if rule is None else max(0, rule["chips"] - chips),
        owes=sum(owed["chips"] for owed in table["collect"] if owed["seat"] == number),
        button=button,
        blind=_blind(hand, number),
        turn="now" if now else "next" if following == number else "",
        folded=hand["in_progress"] and not taken["in_hand"],
        all_in=all_in,
        burning=action["seat"] == number and bool(action["on_bank"]),
        limit="" if taken["limit_s"] is None else f"{taken['limit_s']} s",
        tap=look.to("action.start", seat=number) if asked and clocked and not now else None,
        bank=look.to("action.bank", seat=number, chips=1) if banks else None,
        most=chips if banks else 0,
        here=here,
        straddle=look.to("hand.start", straddle=number) if deals else None,
        fold=_fold(sight, found, number) if asked and hand["in_progress"] else None,
    )


def _fold(sight: Sight, found: Scene, number: int) -> Command:
    """Fold a seat: in turn it is the button's own command, which ends the player's time."""
    if acting(sight, found) == number:
        return sight.look.to("action.fold")
    return sight.look.to("action.fold", seat=number)
