"""Wishes: the hub's own commands, for what is not part of any event's play.

`Do.event` is empty for them. Like the engine's commands each is a class whose fields are its
arguments; `WISHES` is the list of all of them, with the roles that may give them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar, dataclass_transform

from server.engine import BadInput
from server.engine.commands import INSTANT, NAME, TABLE
from server.engine.reading import arg, build, choice, nullable, text, whole
from server.screens import KINDS, SAME

EVENT = text(64)
DEVICE = text(64)
GAP = whole(1, 1 << 31)
PIN_DIGITS = (4, 8)

WISHES: "dict[str, type[Wish]]" = {}


@dataclass(frozen=True, slots=True)
class Wish:
    """Something asked of the hub itself."""

    do: ClassVar[str] = ""
    roles: ClassVar[tuple[str, ...]] = ("director",)


W = TypeVar("W", bound=type[Wish])


@dataclass_transform(frozen_default=True, field_specifiers=(arg,))
def wish(do: str, *roles: str) -> Callable[[W], W]:
    """Give a wish its name, and say who may have it besides a director."""

    def register(cls: W) -> W:
        made: Any = dataclass(frozen=True, slots=True)(cls)
        made.do, made.roles = do, (*roles, "director")
        WISHES[do] = made
        return made  # type: ignore[no-any-return]

    return register


def parse_wish(do: str, args: Any) -> Wish:
    """Read one of the hub's own commands from raw values."""
    if do not in WISHES:
        raise BadInput("do", f"the hub has no command {do[:60]!r}")
    return build(WISHES[do], args, "args")


def pin(value: Any, path: str) -> str:
    """Read a PIN: a few digits, as text."""
    least, most = PIN_DIGITS
    good = isinstance(value, str) and value.isascii() and value.isdecimal()
    if not good or not least <= len(value) <= most:
        raise BadInput(path, f"must be {least} to {most} digits, as text")
    return str(value)


# ── events ───────────────────────────────────────────────────────────────────────────────────────


@wish("event.create")
class EventCreate(Wish):
    """Create an event from a preset, or like one that was played here, as its structure ended.

    `starts_at` is when its clock starts by itself; not given, at the house's own time; null, never.
    """

    preset: str | None = arg(nullable(text(80)), default=None)
    name: str | None = arg(nullable(NAME), default=None)
    starts_at: int | None = arg(nullable(INSTANT), default=SAME)
    like: str | None = arg(nullable(EVENT), default=None)

    def __post_init__(self) -> None:
        if (self.preset is None) == (self.like is None):
            raise BadInput("preset", "give a preset, or say with like which event to play again")


@wish("event.archive")
class EventArchive(Wish):
    """Put an event away; its journal stays."""

    event: str = arg(EVENT)


# ── time that the hub missed ─────────────────────────────────────────────────────────────────────


@wish("gap.give_back")
class GapGiveBack(Wish):
    """Give an event the time back that it lost in a gap."""

    event: str = arg(EVENT)
    gap: int = arg(GAP)


@wish("gap.clear")
class GapClear(Wish):
    """The director has read about a gap."""

    gap: int = arg(GAP)


# ── devices ──────────────────────────────────────────────────────────────────────────────────────

ROLE = choice("viewer", "dealer", "floor", "director")


@wish("device.pair", "floor")
class DevicePair(Wish):
    """Let in the device that shows a code."""

    code: str = arg(text(12))
    role: str = arg(ROLE)
    name: str | None = arg(nullable(NAME), default=None)
    event: str | None = arg(nullable(EVENT), default=None)
    table: int | None = arg(nullable(TABLE), default=None)


@wish("device.rename", "floor")
class DeviceRename(Wish):
    """Give a device another name."""

    device: str = arg(DEVICE)
    name: str = arg(NAME)


@wish("device.assign", "floor")
class DeviceAssign(Wish):
    """Give a device another role, or another table."""

    device: str = arg(DEVICE)
    role: str = arg(ROLE)
    event: str | None = arg(nullable(EVENT), default=None)
    table: int | None = arg(nullable(TABLE), default=None)


@wish("device.revoke", "floor")
class DeviceRevoke(Wish):
    """Let a device in no more, and close its connection."""

    device: str = arg(DEVICE)


# ── screens ──────────────────────────────────────────────────────────────────────────────────────


@wish("screen.set", "floor")
class ScreenSet(Wish):
    """Change what a screen shows; what is not given stays, null is as at first."""

    device: str = arg(DEVICE)
    scene: str | None = arg(KINDS["scene"], default=SAME)
    event: str | None = arg(KINDS["event"], default=SAME)
    table: int | None = arg(KINDS["table"], default=SAME)
    theme: str | None = arg(KINDS["theme"], default=SAME)
    sound: str | None = arg(KINDS["sound"], default=SAME)
    rotate: int | None = arg(KINDS["rotate"], default=SAME)
    blackout: bool | None = arg(KINDS["blackout"], default=SAME)
    trim: int | None = arg(KINDS["trim"], default=SAME)
    turn: int | None = arg(KINDS["turn"], default=SAME)


@wish("screen.identify", "floor")
class ScreenIdentify(Wish):
    """Let a screen say its name, huge, for some seconds."""

    device: str = arg(DEVICE)


@wish("screen.reload", "floor")
class ScreenReload(Wish):
    """Let a screen load its page again."""

    device: str = arg(DEVICE)


# ── who works a table ────────────────────────────────────────────────────────────────────────────


@wish("lease.ask", "dealer")
class LeaseAsk(Wish):
    """Ask for the own table, which another device works."""


@wish("lease.grant", "floor")
class LeaseGrant(Wish):
    """Give a table to a device that is bound to it."""

    device: str = arg(DEVICE)


@wish("dealer.sign_on", "dealer")
class DealerSignOn(Wish):
    """A dealer begins to work with this device."""

    pin: str = arg(pin)


@wish("dealer.sign_off", "dealer")
class DealerSignOff(Wish):
    """The dealer goes."""


@wish("staff.add")
class StaffAdd(Wish):
    """Give a dealer a PIN to sign on with."""

    name: str = arg(NAME)
    pin: str = arg(pin)


@wish("staff.remove")
class StaffRemove(Wish):
    """Take a dealer's PIN away."""

    name: str = arg(NAME)
