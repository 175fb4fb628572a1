"""The words of a dealer's console. The browser's are in `web/face.js`, held to the same vectors."""

from collections.abc import Mapping
from typing import Any

from server.protocol.countdown import digits

BADGES = {"fresh": "live", "coasting": "hub away", "stale": "NOT LIVE"}
"""What the badge says about how much the console can be trusted."""

HELD_BY_RULES = ("hand_for_hand", "break_waits", "hard_stop")
"""Reasons of the engine's own for a clock that stands: the play at a table goes on."""

STREETS = ("preflop", "flop", "turn", "river")

DEEDS = {
    "action.all_in": "all-in",
    "action.bank": "time bank",
    "action.fold": "fold",
    "action.hold": "count",
    "action.next": "next player",
    "action.release": "go on",
    "action.start": "start",
    "action.stop": "stop",
    "button.set": "button here",
    "called.start": "clock called",
    "called.stop": "player acted",
    "collect.done": "collected",
    "dealer.push": "push",
    "floor.call": "call floor",
    "h4h.all_in": "all-in",
    "h4h.done": "hand done",
    "hand.end": "hand over",
    "hand.level": "level of this hand",
    "hand.misdeal": "misdeal",
    "hand.start": "new hand",
    "hand.sync": "re-sync",
    "street.next": "street",
    "table.pause": "pause table",
}
"""What a dealer did, as the undo button says it."""

REASONS = (
    *("Ruling", "Dispute", "Clock on a player", "Misdeal"),
    *("Seat open", "Player away", "Colour up", "New setup"),
)
"""Why a dealer calls the floor, most common first, where the house has no list of its own."""

NOTICES = {
    "hold_push": "HOLD THE PUSH",
    "prepare_decks": "PREPARE YOUR DECKS",
    "last_level": "LAST LEVEL",
    "hard_stop": "PLAY ENDS SOON",
}
"""The notices that concern a dealer (AP-RP7, AP-RP20)."""


def grouped(number: int) -> str:
    """Write a number with a comma between thousands."""
    return f"{number:,}"


def counted(number: int, one: str, many: str) -> str:
    """Write a number with its noun."""
    return f"{grouped(number)} {one if number == 1 else many}"


def joined(*parts: str) -> str:
    """Put parts in a row, without those that are empty."""
    return " · ".join(part for part in parts if part)


def blinds(level: Mapping[str, Any]) -> str:
    """Write the blinds and the ante of a hand; nothing where none was dealt yet."""
    if level["small"] is None:
        return ""
    ante = f" ({grouped(level['ante'])})" if level["ante"] else ""
    return f"{grouped(level['small'])} / {grouped(level['big'])}{ante}"


def seat(number: int, seats: Mapping[str, Any]) -> str:
    """Write a seat with the name of who sits there."""
    taken = seats.get(str(number))
    return f"seat {number}" if taken is None else f"seat {number} · {taken['name']}"


def bet(street: str, *, bet: bool) -> str:
    """Write whether somebody has bet on a street; before the flop the blinds are no bet."""
    if street == STREETS[0]:
        return "raised" if bet else "blinds only"
    return "bet" if bet else "no bet"


def undone(undo: Mapping[str, Any] | None) -> tuple[str, str]:
    """Write what the undo button does: its label and its note."""
    if undo is None:
        return "UNDO", ""
    chips = undo.get("chips", 1)
    deed = DEEDS.get(undo["do"], undo["do"])
    many = f" +{chips}" if undo["do"] == "action.bank" else ""
    whose = "" if undo["seat"] is None else f", seat {undo['seat']}"
    return "REDO" if undo["again"] else "UNDO", f"{deed}{many}{whose}"


def chips_to_collect(chips: int, number: int) -> str:
    """Write what the dealer has to collect (SB-47h)."""
    return f"collect {chips} from seat {number}"


def notices(event: Mapping[str, Any]) -> tuple[str, ...]:
    """Write what the floor is reminded of and a dealer must know."""
    return tuple(NOTICES[name] for name in event["notices"] if name in NOTICES)


def hand_for_hand(event: Mapping[str, Any]) -> str:
    """Write how far the room is in hand-for-hand; nothing outside it."""
    h4h = event["h4h"]
    if h4h["status"] == "off":
        return ""
    unit, total = h4h["unit"], len(h4h["tables"])
    name = f"{unit} for {unit}".upper()
    if h4h["status"] == "announced":
        return joined(name, "finish this hand, then hold")
    done = f"{total - h4h['pending']} of {counted(total, 'table', 'tables')} done"
    return joined(name, f"{unit} {h4h['hand']}" if h4h["hand"] else "", done)


def ago(ms: int) -> str:
    """Write how long ago something was, in whole seconds that have passed."""
    return f"{digits(max(0, ms) // 1_000 * 1_000)} ago"
