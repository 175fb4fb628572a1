"""Who may do what: roles, the commands each may give, and the tokens that prove them.

A role's rights are data. A dealer works one table; floor staff work all tables and rule; a director
does everything. Tokens are random and only their hashes are kept.
"""

import hashlib
import secrets
from dataclasses import dataclass

from server.engine import COMMANDS, Command
from server.engine.commands import Undo

ROLES = ("viewer", "dealer", "floor", "director")

DEALER = frozenset(
    {
        "action.all_in",
        "action.bank",
        "action.fold",
        "action.hold",
        "action.next",
        "action.release",
        "action.start",
        "action.stop",
        "button.set",
        "called.stop",
        "collect.done",
        "dealer.push",
        "floor.call",
        "h4h.all_in",
        "h4h.done",
        "hand.end",
        "hand.level",
        "hand.misdeal",
        "hand.start",
        "hand.sync",
        "street.next",
        "table.pause",
        "undo",
    }
)
"""What a dealer may do, at the dealer's own table."""

FLOOR = DEALER | {
    "action.ruling",
    "announce",
    "announce.clear",
    "called.start",
    "clock.pause",
    "clock.resume",
    "floor.clear",
    "h4h.runout",
    "player.bust",
    "player.limit",
    "seat.clear",
    "seat.move",
    "seat.put",
    "table.close",
    "table.open",
    "table.resume",
}
"""What floor staff may do, at every table."""

PRIVATE = ("hub", "devices", "presets")
"""Topics of the hub's own that are for the floor and the director."""

HUB = frozenset({"table.interrupt"})
"""What only the hub itself does."""

RIGHTS: dict[str, frozenset[str]] = {
    "viewer": frozenset(),
    "dealer": DEALER,
    "floor": FLOOR,
    "director": frozenset(COMMANDS) - HUB,
}


@dataclass(frozen=True, slots=True)
class Badge:
    """Who somebody is: a role and, for a dealer, the event and table that it holds for."""

    role: str = "viewer"
    name: str = ""
    event: str | None = None
    table: int | None = None

    def may(self, event: str, command: Command) -> bool:
        """Say whether this person may give a command."""
        if command.do not in RIGHTS[self.role]:
            return False
        if self.role != "dealer":
            return True
        if isinstance(command, Undo) and command.command is not None:
            return False  # a dealer undoes the table's last tap; what is named may be anybody's
        own = self.table is not None and getattr(command, "table", None) == self.table
        return own and self.event == event

    def why_not(self, command: Command) -> str:
        """Say in words why a command is not this person's to give."""
        if self.role == "dealer" and command.do in DEALER:
            return f"A dealer may do this at the own table only: table {self.table}."
        return f"{command.do} is not for a {self.role} to do: ask the floor or the director."

    def may_see(self, topic: str, device: str = "") -> bool:
        """Say whether this person may follow a topic; the floor's own are not for everybody."""
        if device and topic == f"screens/{device}":
            return True  # a screen may know what it is to show
        own = topic in PRIVATE or topic.endswith(("/floor", "/journal"))
        own = own or topic.startswith("screens/")
        return not own or self.role in ("floor", "director")


def new_token() -> str:
    """Make a token that nobody can guess."""
    return secrets.token_urlsafe(32)


def fingerprint(token: str) -> str:
    """Give what is kept of a token: enough to know it again, not enough to use it."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
