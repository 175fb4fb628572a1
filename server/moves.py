"""Moves: what was done to the whole room lately, so that nobody acts on what is no longer so.

A command may say which revision of the event's document it was based on (`seen`). If somebody else
has moved since what the command depends on, it is refused, and the refusal says who did what: two
directors who press "next level" in the same second move one level, not two.

What depends on what is data. Dealers' taps at their tables never make a director's act stale; a
level that began by itself does so only for acts that mean the level or the time that was seen.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from server.engine.events import Accepted, BreakEnded, BreakStarted, Event, LevelStarted, Undone
from server.engine.history import ROOM
from server.engine.records import write_command
from server.engine.tales import said
from server.export import time_of_day

REMEMBERED = 200
"""Moves that are remembered: nobody looks at a document that is older than that."""

STEP = "step"
"""The name of a move of the structure itself, whoever or whatever brought it."""

RUNS = frozenset(
    {
        "clock.start",
        "clock.pause",
        "clock.resume",
        "event.suspend",
        "event.resume",
        "event.finish",
    }
)
"""Whether the room plays at all."""

CLOCK = RUNS | {
    "break.call",
    "break.end",
    "clock.add",
    "clock.set",
    "event.schedule",
    "h4h.announce",
    "h4h.end",
    "h4h.next",
    "level.back",
    "level.goto",
    "level.next",
    "structure.set",
    "undo",
}
"""Everything that moves the event's clock."""

WORDS = frozenset({"announce", "announce.clear"})

DEPENDS: dict[str, frozenset[str]] = {
    **dict.fromkeys(sorted(CLOCK - RUNS), CLOCK),
    # A pause is urgent and harmless: only another pause or start can make it wrong.
    **dict.fromkeys(sorted(RUNS), RUNS | {"undo"}),
    **dict.fromkeys(sorted(WORDS), WORDS),
    # These mean the level that was on the screen: a level that ended by itself makes them wrong.
    **dict.fromkeys(
        ("break.end", "clock.add", "clock.set", "level.back", "level.next", "structure.set"),
        CLOCK | {STEP},
    ),
}
"""For each command, the moves of others that it must have seen; what is not here, none."""

MOVES = CLOCK | WORDS


@dataclass(slots=True, eq=False)
class Move:
    """Something that was done to the room; it has no line before it is durable."""

    do: str
    text: str
    at: int
    who: str
    device: str
    line: int | None = None


@dataclass(slots=True)
class Moves:
    """What was done to one event's room lately, the oldest first."""

    _moves: deque[Move] = field(default_factory=lambda: deque(maxlen=REMEMBERED))

    def note(self, event: Event, who: str, device: str, line: int | None = None) -> Move | None:
        """Take note of an event of the journal, if it is a move."""
        found = move(event, who, device)
        if found is not None:
            found.line = line
            self._moves.append(found)
        return found

    def rewind(self) -> None:
        """Forget what never became durable."""
        durable = [made for made in self._moves if made.line is not None]
        self._moves = deque(durable, maxlen=REMEMBERED)

    def unseen(self, do: str, device: str, seen: int) -> list[Move]:
        """List what others did since a revision that a command depends on."""
        wanted = DEPENDS.get(do, frozenset())
        found = [made for made in self._moves if made.line is None or made.line > seen]
        return [made for made in found if made.do in wanted and made.device != device]


def move(event: Event, who: str, device: str) -> Move | None:
    """Read a move from an event, if it is one."""
    match event:
        case Accepted() | Undone():
            command = event.command
            if command.do not in MOVES or ROOM not in event.written:
                return None
            text = said(command.do, write_command(command)["args"])
            return Move(command.do, text, event.at, who, device)
        case LevelStarted():
            text = f"level {event.blinds.level} began"
        case BreakStarted():
            text = "a break began"
        case BreakEnded():
            text = "the break ended"
        case _:
            return None
    return Move(STEP, text, event.at, who, device)


def why_stale(unseen: Iterable[Move]) -> str:
    """Say in words what somebody has missed."""
    found = list(unseen)
    people = [made for made in found if made.do != STEP]
    newest = (people or found)[-1]
    when = time_of_day(newest.at)
    what = f"{newest.who}: {newest.text}" if newest.do != STEP else newest.text
    return f"Meanwhile ({when}) {what}. Nothing was done: look again, then decide."
