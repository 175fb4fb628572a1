"""Commands: what people ask for, in the one vocabulary of engine, wire, consoles and journal.

Each command is a class whose fields are its arguments. `COMMANDS` is the list of all of them.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, TypeVar, dataclass_transform

from server.engine.flow import HOUR
from server.engine.reading import BadInput, arg, build, choice, each, flag, nullable, text, whole
from server.engine.rules import CHIPS, LEVEL, PLAYERS, SEATS, SECONDS, STREETS
from server.engine.structure import AMOUNT, MINUTES, STEPS, Step

TABLE = whole(1, 9_999)
SEAT = whole(1, 99)
PLAYER = text(64)
NAME = text(80)
REASON = text(200)
WORDS = text(500)
ID = text(64)
DURATION = whole(0, 7 * 24 * HOUR)
HAND = whole(0, 1_000_000)
CHANGE = whole(-7 * 24 * HOUR, 7 * 24 * HOUR)
INSTANT = whole(0, 1 << 53)
OUTCOMES = ("dead", "check", "void")
POLICIES = ("run_to_cap", "deduct", "run_on")

COMMANDS: "dict[str, type[Command]]" = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """Something asked of the room.

    `id` is the sender's own, so that it can be undone by name; `by` is the sender's role, so that a
    dealer's undo takes back a dealer's tap and never what the floor has ruled.
    """

    do: ClassVar[str] = ""
    undoable: ClassVar[bool] = True
    id: str = field(default="", compare=False)
    by: str = field(default="", compare=False)


C = TypeVar("C", bound=type[Command])


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(arg,))
def command(do: str) -> Callable[[C], C]:
    """Give a command class its name in the vocabulary."""

    def register(cls: C) -> C:
        made: Any = dataclass(frozen=True, slots=True, kw_only=True)(cls)
        made.do = do
        COMMANDS[do] = made
        return made  # type: ignore[no-any-return]

    return register


def parse(do: Any, args: Any = None, *, id: Any = "", by: str = "") -> Command:  # noqa: A002 - the contract's word
    """Read a command from raw values; BadInput names the argument that is malformed."""
    cls = COMMANDS.get(do) if isinstance(do, str) else None
    if cls is None:
        raise BadInput("do", f"there is no command {str(do)[:60]!r}")
    made = build(cls, {} if args is None else args, "args")
    if id != "":
        object.__setattr__(made, "id", ID(id, "id"))
    if by:
        object.__setattr__(made, "by", by)
    return made


def arguments(made: Command) -> dict[str, Any]:
    """Give a command's arguments back, without those that were left at their default."""
    found = {
        f.name: (getattr(made, f.name), f.default) for f in fields(made) if "kind" in f.metadata
    }
    return {name: value for name, (value, default) in found.items() if value != default}


# ── the event's clock ────────────────────────────────────────────────────────────────────────────


@command("clock.start")
class ClockStart(Command):
    """Start the event's clock, also before its scheduled start."""


@command("clock.pause")
class ClockPause(Command):
    """Pause everything in the room."""

    reason: str | None = arg(nullable(REASON), default=None)


@command("clock.resume")
class ClockResume(Command):
    """Go on where everything stood."""

    reason: str | None = arg(nullable(REASON), default=None)


@command("clock.add")
class ClockAdd(Command):
    """Give time, or take it; what is taken beyond the end of a level carries into the next."""

    ms: int = arg(CHANGE)


@command("clock.set")
class ClockSet(Command):
    """Set the time left of the current level or break."""

    remaining_ms: int = arg(DURATION)


@command("level.next")
class LevelNext(Command):
    """Move to the next step of the structure."""


@command("level.back")
class LevelBack(Command):
    """Move to the step before, with its full time."""


@command("level.goto")
class LevelGoto(Command):
    """Move to a level, with its full time."""

    level: int = arg(LEVEL)


@command("break.call")
class BreakCall(Command):
    """Call a break now; the level goes on after it. Without minutes it lasts until ended."""

    minutes: int | None = arg(nullable(MINUTES), default=None)


@command("break.end")
class BreakEnd(Command):
    """End the break now."""

    minutes: int | None = arg(nullable(MINUTES), default=None)


@command("structure.set")
class StructureSet(Command):
    """Replace the structure from the current step on; elapsed time is kept."""

    steps: tuple[Step, ...] = arg(STEPS)


@command("event.schedule")
class EventSchedule(Command):
    """Set the instant at which the clock starts by itself, or null for by hand."""

    starts_at: int | None = arg(nullable(INSTANT))


@command("event.suspend")
class EventSuspend(Command):
    """Everything stands until another day."""

    resumes_at: int | None = arg(nullable(INSTANT), default=None)


@command("event.resume")
class EventResume(Command):
    """Everything goes on exactly where it stood."""


@command("event.finish")
class EventFinish(Command):
    """The event is over."""


@command("announce")
class Announce(Command):
    """Words on every screen, for some seconds or until cleared."""

    text: str = arg(WORDS)
    seconds: int | None = arg(nullable(whole(1, 24 * 3_600)), default=None)


@command("announce.clear")
class AnnounceClear(Command):
    """Take the words away."""


# ── tables, seats, players ───────────────────────────────────────────────────────────────────────


@command("table.open")
class TableOpen(Command):
    """Open a table."""

    table: int = arg(TABLE)
    seats: int | None = arg(nullable(SEATS), default=None)


@command("table.close")
class TableClose(Command):
    """Close a table that nobody sits at any more."""

    table: int = arg(TABLE)
    seats: int | None = arg(nullable(SEATS), default=None)


@command("seat.put")
class SeatPut(Command):
    """Seat a player: a new one, one who comes back, or one who had no seat."""

    player: str = arg(PLAYER)
    table: int = arg(TABLE)
    seat: int = arg(SEAT)
    name: str | None = arg(nullable(NAME), default=None)


@command("seat.move")
class SeatMove(Command):
    """Move a seated player; the time-bank chips go along (SB-47f)."""

    player: str = arg(PLAYER)
    table: int = arg(TABLE)
    seat: int = arg(SEAT)
    name: str | None = arg(nullable(NAME), default=None)


@command("seat.clear")
class SeatClear(Command):
    """Take a player from the seat without a bust; named by player, or by table and seat."""

    player: str | None = arg(nullable(PLAYER), default=None)
    table: int | None = arg(nullable(TABLE), default=None)
    seat: int | None = arg(nullable(SEAT), default=None)
    name: str | None = arg(nullable(NAME), default=None)


@command("player.bust")
class PlayerBust(Command):
    """A player is out; `stack` is what they had before the hand.

    `hand` says in which hand that was, where it was told late: in hand-for-hand the number of the
    hand-for-hand hand, else the table's own.
    """

    player: str = arg(PLAYER)
    stack: int | None = arg(nullable(AMOUNT), default=None)
    hand: int | None = arg(nullable(HAND), default=None)


@command("player.limit")
class PlayerLimit(Command):
    """At most that long for every action, until lifted with null (AT-3.10.2)."""

    player: str = arg(PLAYER)
    seconds: int | None = arg(nullable(SECONDS))


@command("places.set")
class PlacesSet(Command):
    """How many places are paid, when the house's table does not say; null goes back to it."""

    places: int | None = arg(nullable(PLAYERS))


@command("table.pause")
class TablePause(Command):
    """Stop this table's clocks only."""

    table: int = arg(TABLE)
    reason: str | None = arg(nullable(REASON), default=None)


@command("table.resume")
class TableResume(Command):
    """The clocks of this table go on."""

    table: int = arg(TABLE)
    reason: str | None = arg(nullable(REASON), default=None)


@command("table.interrupt")
class TableInterrupt(Command):
    """The hub was away from this instant on: what ran at the table stands where it was.

    Given by the hub itself after a crash, a stall or a suspend. It is nobody's to undo: the time
    that the hub missed was nobody's.

    With `since` and `until` it was the table's own device that was silent: what ran stands where it
    was when the device was last heard, `unseen` milliseconds of the table's time ago. With `away`
    it was the hub that was away, and what told it that a clock ran came after that.
    """

    undoable = False

    table: int = arg(TABLE)
    since: int | None = arg(nullable(INSTANT), default=None)
    until: int | None = arg(nullable(INSTANT), default=None)
    unseen: int | None = arg(nullable(DURATION), default=None)
    away: bool = arg(flag, default=False)


@command("silence.seen")
class SilenceSeen(Command):
    """The floor has seen what was assumed of a table whose device was silent."""

    undoable = False

    table: int = arg(TABLE)


@command("floor.call")
class FloorCall(Command):
    """A table calls the floor."""

    table: int = arg(TABLE)
    reason: str | None = arg(nullable(REASON), default=None)


@command("floor.clear")
class FloorClear(Command):
    """The floor has been to the table."""

    table: int = arg(TABLE)
    reason: str | None = arg(nullable(REASON), default=None)


# ── a hand and its action clock ──────────────────────────────────────────────────────────────────


@command("hand.start")
class HandStart(Command):
    """First riffle: the table takes the level now on the wall."""

    table: int = arg(TABLE)
    button: int | None = arg(nullable(SEAT), default=None)
    straddle: int | None = arg(nullable(SEAT), default=None)


@command("hand.misdeal")
class HandMisdeal(Command):
    """The hand was misdealt: the next one is this one once more, exactly (AP-35C)."""

    table: int = arg(TABLE)


@command("hand.level")
class HandLevel(Command):
    """Say at which level the hand is really dealt (AP-23m)."""

    table: int = arg(TABLE)
    level: int = arg(LEVEL)


@command("hand.sync")
class HandSync(Command):
    """Put a hand right after taps were forgotten: street, live seats, bet, and whose turn it is.

    `bet` says that somebody has bet or raised on this street, `bettor` who. Nobody's time begins.
    """

    table: int = arg(TABLE)
    seat: int = arg(SEAT)
    street: str | None = arg(nullable(choice(*STREETS)), default=None)
    live: tuple[int, ...] | None = arg(nullable(each(SEAT, 20)), default=None)
    bet: bool | None = arg(nullable(flag), default=None)
    bettor: int | None = arg(nullable(SEAT), default=None)


@command("button.set")
class ButtonSet(Command):
    """Put the button to a seat, taken or empty: the next hand begins with it there."""

    table: int = arg(TABLE)
    seat: int = arg(SEAT)


@command("dealer.push")
class DealerPush(Command):
    """A new dealer comes in."""

    table: int = arg(TABLE)


@command("hand.end")
class HandEnd(Command):
    """The hand is over."""

    table: int = arg(TABLE)


@command("action.start")
class ActionStart(Command):
    """A player's time begins; where the seat is said to be null, of whoever is to act."""

    table: int = arg(TABLE)
    seat: int | None = arg(nullable(SEAT))
    facing_bet: bool | None = arg(nullable(flag), default=None)


@command("action.next")
class ActionNext(Command):
    """The current player has checked or called; the next one's time begins.

    Where nobody's time runs yet it begins for the one whose turn it is; with `acted` that player
    has checked or called at once, and needed no clock.
    """

    table: int = arg(TABLE)
    seat: int | None = arg(nullable(SEAT), default=None)
    facing_bet: bool | None = arg(nullable(flag), default=None)
    acted: bool = arg(flag, default=False)


@command("action.fold")
class ActionFold(Command):
    """The current player folds and the next one's time begins; or a named seat, out of turn."""

    table: int = arg(TABLE)
    facing_bet: bool | None = arg(nullable(flag), default=None)
    seat: int | None = arg(nullable(SEAT), default=None)


@command("action.all_in")
class ActionAllIn(Command):
    """The current player is all-in and asked no more in this hand.

    One that raises is counted like a bet; one that does not is a call. Where it is not said, it
    raises unless somebody's all-in is faced.
    """

    table: int = arg(TABLE)
    raises: bool | None = arg(nullable(flag), default=None)


@command("action.stop")
class ActionStop(Command):
    """The current player has acted; nobody's time runs."""

    table: int = arg(TABLE)


@command("action.hold")
class ActionHold(Command):
    """Hold while chips are counted: the current player's bet, or something for them."""

    table: int = arg(TABLE)
    acted: bool = arg(flag, default=True)


@command("action.release")
class ActionRelease(Command):
    """The count is over: full time for the next player, or the rest for the current one."""

    table: int = arg(TABLE)


@command("action.bank")
class ActionBank(Command):
    """Time-bank chips pushed forward: all of them are spent."""

    table: int = arg(TABLE)
    seat: int = arg(SEAT)
    chips: int = arg(whole(1, 999))


@command("action.ruling")
class ActionRuling(Command):
    """What the floor ruled after time ran out; `void` restores the player."""

    table: int = arg(TABLE)
    outcome: str = arg(choice(*OUTCOMES))
    reason: str | None = arg(nullable(REASON), default=None)


@command("collect.done")
class CollectDone(Command):
    """The dealer has collected the chips owed by a seat."""

    table: int = arg(TABLE)
    seat: int = arg(SEAT)


@command("street.next")
class StreetNext(Command):
    """Next betting round; with `start` the time of who is first to act begins with it.

    `street` names a later one, where the board is run or taps were forgotten.
    """

    table: int = arg(TABLE)
    start: bool = arg(flag, default=False)
    street: str | None = arg(nullable(choice(*STREETS[1:])), default=None)


@command("bank.grant")
class BankGrant(Command):
    """Time-bank chips for one player or for everybody."""

    chips: int = arg(CHIPS)
    mode: str = arg(choice("set", "add"))
    player: str | None = arg(nullable(PLAYER), default=None)


@command("shotclock.introduce")
class ShotclockIntroduce(Command):
    """Put the action clock in play now; a house without one is given its figures here."""

    seconds: int | None = arg(nullable(SECONDS), default=None)
    chips: int | None = arg(nullable(CHIPS), default=None)
    chip_seconds: int | None = arg(nullable(SECONDS), default=None)


@command("called.start")
class CalledStart(Command):
    """The clock is called on a player."""

    table: int = arg(TABLE)
    seat: int = arg(SEAT)
    facing_bet: bool | None = arg(nullable(flag), default=None)
    seconds: int | None = arg(nullable(SECONDS), default=None)


@command("called.stop")
class CalledStop(Command):
    """The player on whom the clock was called has acted."""

    table: int = arg(TABLE)


# ── hand-for-hand ────────────────────────────────────────────────────────────────────────────────


@command("h4h.announce")
class HandForHandAnnounce(Command):
    """Finish this hand, then hold: places are shared from now on (AP-RP8a)."""

    reason: str | None = arg(nullable(REASON), default=None)
    policy: str | None = arg(nullable(choice(*POLICIES)), default=None)
    unit: str = arg(choice("hand", "round"), default="hand")
    soft: bool = arg(flag, default=False)
    seconds: int | None = arg(nullable(SECONDS), default=None)


@command("h4h.done")
class HandForHandDone(Command):
    """The table has finished its hand."""

    table: int = arg(TABLE)


@command("h4h.all_in")
class HandForHandAllIn(Command):
    """The table has an all-in and call, cards face down (SB-30)."""

    table: int = arg(TABLE)


@command("h4h.runout")
class HandForHandRunout(Command):
    """The table may run its board."""

    table: int = arg(TABLE)


@command("h4h.next")
class HandForHandNext(Command):
    """Release the next hand to every table."""


@command("h4h.end")
class HandForHandEnd(Command):
    """Back to ordinary play."""


@command("undo")
class Undo(Command):
    """Undo the last command, the last one at a table, or the one named; of an undo it is a redo."""

    command: str | None = arg(nullable(ID), default=None)
    table: int | None = arg(nullable(TABLE), default=None)
    reason: str | None = arg(nullable(REASON), default=None)
