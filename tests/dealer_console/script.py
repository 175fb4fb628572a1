"""A nine-handed hand of Star Brisbane's Saturday, as data: what is tapped, and what is seen then.

The terminal plays it by keys and the tablet by taps; both must end in the same journal (`TOLD`).
Seat 1 has the button, seats 2 and 3 the blinds. A player who acts at once needs no clock: FOLD,
CHECK or CALL, COUNT and ALL-IN work on whose turn it is, and STREET ends the round with the call.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.served import Wire

TABLE = 7
PRESET = "star-brisbane-saturday"
NAMES = ("Paz", "Ito", "Kim", "Lee", "Ng", "Roy", "Zoe", "[/] <b>Bo</b>", "Åsa")
OVERHEAD = 3
"""Taps that a hand may cost beyond one for every action: new hand, start, hand over."""


@dataclass(frozen=True, slots=True)
class Step:
    """A tap: on the big button, on a button by its id, or on a seat; and what is seen then."""

    tap: str
    state: str
    seat: int | None = None  # on the clock, or to be
    actions: int = 1  # of players, that the tap told of
    on: int | None = None  # the seat that is tapped


HAND = (
    Step("big", "to_start", 4, actions=0),  # NEW HAND
    Step("fold", "running", 5),  # at once: nobody's clock was started
    Step("fold", "running", 6),
    Step("count", "held", 7),  # seat 6 raises
    Step("count", "held", 8),  # seat 7 raises while the bet is counted
    Step("next", "running", 9),  # seat 8 calls at once: CALL
    Step("fold", "running", 1),
    Step("fold", "running", 2),
    Step("fold", "running", 3),
    Step("fold", "running", 6),  # the big blind folds; seat 6 is asked again
    Step("big", "round_over"),  # seat 6 calls: LAST TO ACT
    Step("big", "running", 6, actions=0),  # FLOP, and seat 6's time begins
    Step("big", "running", 7),  # seat 6 checks: NEXT PLAYER
    Step("count", "held", 8),  # seat 7 bets
    Step("fold", "running", 6),  # seat 8 folds while the bet is counted
    Step("street", "to_start", 6),  # seat 6 calls, and the turn is dealt
    Step("next", "running", 7),  # seat 6 checks at once: CHECK
    Step("all_in", "held", 6),
    Step("fold", "hand_ends"),
    Step("big", "between_hands", actions=0),  # HAND OVER
)
"""The hand: seventeen actions."""

TOLD: tuple[tuple[Any, ...], ...] = (
    ("hand.started", 1, 4),
    ("action.ended", 4, "fold"),
    ("action.started", 5),
    ("action.ended", 5, "fold"),
    ("action.started", 6),
    ("action.ended", 6),
    ("action.held", 7),
    ("action.ended", 7),
    ("action.held", 8),
    ("action.ended", 8),
    ("action.started", 9),
    ("action.ended", 9, "fold"),
    ("action.started", 1),
    ("action.ended", 1, "fold"),
    ("action.started", 2),
    ("action.ended", 2, "fold"),
    ("action.started", 3),
    ("action.ended", 3, "fold"),
    ("action.started", 6),
    ("action.ended", 6),
    ("street.dealt", "flop", 6),
    ("action.started", 6),
    ("action.ended", 6),
    ("action.started", 7),
    ("action.ended", 7),
    ("action.held", 8),
    ("action.ended", 8, "fold"),
    ("action.started", 6),
    ("action.ended", 6),
    ("street.dealt", "turn", 6),
    ("action.ended", 6),
    ("action.started", 7),
    ("action.ended", 7, "all_in"),
    ("action.held", 6),
    ("action.ended", 6, "fold"),
    ("hand.ended",),
)
"""What the journal says of the hand, whoever tapped it, without its instants."""


async def seated(director: Wire) -> None:
    """Create the event, and let the nine sit down at the table; the clock is started."""
    await director.done("event.create", event="", preset=PRESET)
    for seat, name in enumerate(NAMES, start=1):
        args = {"player": f"p{seat}", "table": TABLE, "seat": seat, "name": name}
        await director.done("seat.put", **args)
    await director.done("clock.start")


def told(bodies: Iterable[dict[str, Any]]) -> tuple[tuple[Any, ...], ...]:
    """Put events of the journal as `TOLD` does; commands and the room's own events are left out."""
    found = []
    for body in bodies:
        match body["event"]:
            case "hand.started":
                found.append(("hand.started", body["button"], body["turn"]))
            case "action.started" | "action.held" as name:
                found.append((name, body["seat"]))
            case "action.ended":
                how = ("fold", body["folded"]), ("all_in", body["all_in"])
                found.append(("action.ended", body["seat"], *(word for word, so in how if so)))
            case "street.dealt":
                found.append(("street.dealt", body["street"], body["turn"]))
            case "hand.ended":
                found.append(("hand.ended",))
    return tuple(found)
