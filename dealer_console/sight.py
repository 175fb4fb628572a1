"""What a dealer's console knows when it looks at a table, read in one place.

The betting round is the hub's: who is to act, and what comes next, stand in the document. A hub of
the version before says nothing of a round, and nor does a hand of its journals; then the console
says what it always said.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dealer_console import phrases

SECOND = 1_000

Document = Mapping[str, Any]
Command = dict[str, Any]
"""What a button sends: `do`, `args`, and `to`: the event, or the hub itself."""


@dataclass(frozen=True, slots=True)
class Button:
    """A button. What cannot be tapped has no command."""

    id: str
    label: str
    note: str = ""
    command: Command | None = None


@dataclass(frozen=True, slots=True)
class Look:
    """All that a console knows when it looks."""

    number: int
    table: Document | None
    event: Document | None
    lease: Document | None
    now: int
    freshness: str = "fresh"
    away: int | None = None  # for how long the hub has not been heard
    me: str = ""  # the hub's name for this device
    role: str = "dealer"
    simple: bool = False  # seats are not tracked
    was_open: bool = False  # the table was open while this console looked

    def to(self, do: str, **args: Any) -> Command:
        """Make a command to this table."""
        return {"do": do, "args": {"table": self.number, **args}, "to": "event"}


@dataclass(frozen=True, slots=True)
class Scene:
    """What the play is at."""

    state: str
    seat: int | None = None  # whose time it is, or is next
    word: str = ""
    detail: str = ""
    left: int | None = None
    stands: bool = True
    span: int = 0  # the whole of what is counted down
    big: Button = field(default_factory=lambda: Button("big", ""))


@dataclass(frozen=True, slots=True)
class Sight:
    """A look at an open table of a known event: what every part of the console reads."""

    look: Look
    table: Document
    event: Document

    @property
    def hand(self) -> Document:
        """The hand in progress, or the last one."""
        hand: Document = self.table["hand"]
        return hand

    @property
    def in_hand(self) -> list[int]:
        """The seats that are in the hand; where none is tracked, all that are taken."""
        dealt = self.hand["in_progress"]
        return [int(s) for s, seat in self.table["seats"].items() if seat["in_hand"] or not dealt]

    @property
    def h4h(self) -> str:
        """What this table is doing in hand-for-hand; empty outside it."""
        return self.table["h4h"] or ""

    @property
    def comes(self) -> str | None:
        """What comes next in the hand; None where no round is known, or none is followed.

        Where no action clock is in play nobody taps every action, so the hub's list of who is to
        act stands still, and only an end that somebody has tapped is worth saying.
        """
        if not self.hand["in_progress"] or self.look.simple:
            return None
        said: str | None = self.hand.get("next")
        if said is None:
            return self._guessed()
        followed = self.event["action_clock"] is not None
        return said if followed or said in ("run_out", "showdown", "over") else None

    def _guessed(self) -> str | None:
        """Say what comes next in a hand that knows no round: only what the seats give away."""
        if self.hand["turn"] is not None:
            return None
        if len(self.in_hand) <= 1:
            return "over"
        if not self.hand["all_in"] or len(self.asked()) > 1:
            return None
        return "showdown" if self.hand["street"] == phrases.STREETS[-1] else "run_out"

    @property
    def to_act(self) -> list[int]:
        """The seats that are still to act, the one whose turn it is first."""
        return list(self.hand.get("to_act") or ()) if self.comes == "act" else []

    @property
    def next_street(self) -> str:
        """The street that is dealt next; nothing after the river."""
        index = phrases.STREETS.index(self.hand["street"]) + 1
        return phrases.STREETS[index] if index < len(phrases.STREETS) else ""

    @property
    def untouched(self) -> bool:
        """Whether the hand is dealt and nobody has acted yet."""
        waits = set(self.to_act)
        return self.hand["street"] == "preflop" and bool(waits) and waits == set(self.in_hand)

    def asked(self) -> list[int]:
        """List the seats that can still be asked to act."""
        return [seat for seat in self.in_hand if seat not in self.hand["all_in"]]

    def after(self, seat: int | None) -> int | None:
        """Find the next seat to be asked."""
        if seat is None:
            return None
        if self.comes == "act":
            return next((other for other in self.to_act if other != seat), None)
        if self.comes is not None:
            return None
        return self.left_of(seat)

    def left_of(self, seat: int | None) -> int | None:
        """Find the first seat to the left of one that can still be asked to act."""
        if seat is None:
            return None
        others = [other for other in self.asked() if other != seat]
        return min(others, key=lambda other: (other < seat, other), default=None)

    def facing(self, seat: int | None) -> str:
        """Say what the one whose turn it is faces; nothing of anybody else."""
        called = self.table["called"]
        on_them = called["status"] in ("running", "countdown") and called["seat"] == seat
        known = on_them and self.hand.get("next") is not None
        if seat is None or not (known or self.to_act[:1] == [seat]):
            return ""
        return "to call" if self.hand["facing_bet"] else "may check"

    def base(self, seat: int | None) -> int | None:
        """Say how long a seat has; None where no clock is in play for it."""
        rule = self.event["action_clock"]
        taken = self.table["seats"].get(str(seat)) if seat is not None else None
        limit = None if taken is None else taken["limit_s"]
        times = [s for s in (limit, None if rule is None else self._seconds(rule)) if s is not None]
        return min(times) * SECOND if times else None

    def _seconds(self, rule: Document) -> int:
        """Say how long everybody has on this street."""
        street = self.hand["street"] if self.hand["in_progress"] else phrases.STREETS[0]
        seconds: int = (rule.get("streets") or {street: rule["seconds"]})[street]
        return seconds

    def name(self, seat: int | None) -> str:
        """Name a seat; nothing where there is none."""
        return "" if seat is None else phrases.seat(seat, self.table["seats"])

    def title(self, seat: int | None) -> str:
        """Write whose time it is; nothing where nobody is named."""
        return "" if seat is None else "SEAT" + phrases.seat(seat, self.table["seats"])[4:]

    def button(self, label: str, note: str = "", command: Command | None = None) -> Button:
        """Make the big button."""
        return Button("big", label, note, command)
