"""Re-sync: street, bet, live seats and turn put right in one command, after half a hand forgotten.

The tablet's twin is `web/resync.js`. Which street and whether there is a bet is one of the face's
buttons (`Face.sync`); what is added here is a path over the seats: those that are live, the last of
them to act. A path of one seat is only the turn.
"""

from collections.abc import Sequence

from dealer_console.face import Face
from dealer_console.seats import SeatFace
from dealer_console.sight import Command

LETTERS = {"p": "preflop", "f": "flop", "t": "turn", "r": "river"}
HOW = "street p f t r (capital: a bet), seats still in, last one to act"


def synced(command: Command, seats: Sequence[SeatFace], path: Sequence[int]) -> Command:
    """Add to a street and a bet whose turn it is, and who is live where that was said."""
    args = {**command["args"], "seat": path[-1]}
    live = set(path)
    if len(live) == 1:  # only the turn; a seat that was taken for folded is live after all
        known = {seat.seat for seat in seats if seat.name and not seat.folded}
        live = set() if live <= known else live | known
    if live:
        args["live"] = sorted(live)
    return {**command, "args": args}


def typed(face: Face, text: str) -> Command | None:
    """Read `F358`: on the flop somebody has bet, seats 3, 5 and 8 are in, 8 is to act."""
    letter, digits = text[:1], text[1:].replace(" ", "")
    street = LETTERS.get(letter.lower())
    seats = {seat.seat for seat in face.seats if seat.name}
    path = [10 if digit == "0" else int(digit) for digit in digits if digit in "0123456789"]
    if street is None or not path or len(path) != len(digits) or not seats.issuperset(path):
        return None
    name = f"sync-{street}-{'bet' if letter.isupper() else 'none'}"
    found = next((each.command for each in face.sync if each.id == name), None)
    return None if found is None else synced(found, face.seats, path)
