"""Events: what happened, each with the instant at which it was due.

An event carries everything that `evolve` needs besides the state that it changes, so that a replay
never decides anything again. `slices` names the parts of the state that an event writes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar, dataclass_transform

from server.engine.commands import Command
from server.engine.history import ROOM
from server.engine.room import BustRound, Finish
from server.engine.rules import ActionClock
from server.engine.structure import Blinds, Step
from server.engine.table import Positions, Push, Round

EVENTS: "dict[str, type[Event]]" = {}


def table_slice(table: int) -> str:
    """Name the slice of a table."""
    return f"table/{table}"


def player_slice(player: str) -> str:
    """Name the slice of a player."""
    return f"player/{player}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something happened at an instant, in hub time."""

    name: ClassVar[str] = ""
    at: int

    def slices(self) -> tuple[str, ...]:
        """Name what is written: the room, unless said otherwise."""
        return (ROOM,)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableEvent(Event):
    """Something happened at one table."""

    table: int

    def slices(self) -> tuple[str, ...]:
        """Only the table is written."""
        return (table_slice(self.table),)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportEvent(TableEvent):
    """Something happened at a table that the whole room counts."""

    def slices(self) -> tuple[str, ...]:
        """Write the table and the room's count."""
        return (table_slice(self.table), ROOM)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerEvent(TableEvent):
    """Something happened to a player at a table."""

    player: str

    def slices(self) -> tuple[str, ...]:
        """Write the table, the player and the field."""
        return (table_slice(self.table), player_slice(self.player), ROOM)


E = TypeVar("E", bound=type[Event])


@dataclass_transform(frozen_default=True, kw_only_default=True)
def event(name: str) -> Callable[[E], E]:
    """Give an event class its name in the journal."""

    def register(cls: E) -> E:
        made: Any = dataclass(frozen=True, slots=True, kw_only=True)(cls)
        made.name = name
        EVENTS[name] = made
        return made  # type: ignore[no-any-return]

    return register


# ── commands ─────────────────────────────────────────────────────────────────────────────────────


@event("command.accepted")
class Accepted(Event):
    """A command was accepted; the events that follow are its effect."""

    command: Command
    written: frozenset[str]

    def slices(self) -> tuple[str, ...]:
        """Nothing but the history is written."""
        return ()


@event("command.undone")
class Undone(Event):
    """A command's effect was taken back, or by undoing the undo brought back."""

    command: Command
    target: int
    written: frozenset[str]

    def slices(self) -> tuple[str, ...]:
        """Write everything that followed from the command."""
        return tuple(sorted(self.written))


# ── the level clock ──────────────────────────────────────────────────────────────────────────────


@event("clock.started")
class ClockStarted(Event):
    """The event began."""


@event("clock.paused")
class ClockPaused(Event):
    """Everything in the room stands."""

    reason: str | None


@event("clock.resumed")
class ClockResumed(Event):
    """Everything goes on."""


@event("time.set")
class TimeSet(Event):
    """The time left of the step was changed."""

    remaining_ms: int


@event("level.started")
class LevelStarted(Event):
    """A level began: the official signal (AP-23)."""

    step: int
    blinds: Blinds
    remaining_ms: int | None
    owed_ms: int = 0


@event("break.started")
class BreakStarted(Event):
    """A scheduled break began."""

    step: int
    remaining_ms: int | None
    owed_ms: int = 0


@event("break.waits")
class BreakWaits(Event):
    """A break is due, and starts when the hand is over at every table."""

    owed_ms: int = 0


@event("break.called")
class BreakCalled(Event):
    """The director called a break in the middle of a level."""

    remaining_ms: int | None


@event("break.ended")
class BreakEnded(Event):
    """A called break is over and the level goes on."""


@event("structure.changed")
class StructureChanged(Event):
    """What is still to come was edited."""

    steps: tuple[Step, ...]
    remaining_ms: int | None


@event("level.hands_played")
class LevelHandsPlayed(ReportEvent):
    """A table has played all hands of a level that is counted in hands."""


@event("hard_stop.reached")
class HardStopReached(Event):
    """Play ends; the hands in progress are finished (SL-9)."""


@event("notices.raised")
class NoticesRaised(Event):
    """The floor is reminded of something; the document says of what."""

    notices: tuple[str, ...]


@event("event.scheduled")
class EventScheduled(Event):
    """The start was set."""

    starts_at: int | None


@event("event.suspended")
class EventSuspended(Event):
    """Everything stands until another day."""

    resumes_at: int | None


@event("event.resumed")
class EventResumed(Event):
    """Everything goes on exactly where it stood."""


@event("event.finished")
class EventFinished(Event):
    """The event is over."""


@event("announcement.made")
class AnnouncementMade(Event):
    """Words on every screen."""

    text: str
    until: int | None


@event("announcement.cleared")
class AnnouncementCleared(Event):
    """The words were taken away."""


# ── tables and players ───────────────────────────────────────────────────────────────────────────


@event("table.opened")
class TableOpened(ReportEvent):
    """A table was opened."""

    seats: int


@event("table.closed")
class TableClosed(ReportEvent):
    """A table was closed."""


@event("table.emptied")
class TableEmptied(ReportEvent):
    """Nobody sits at a table any more, and the room waits for it no longer."""


@event("table.occupied")
class TableOccupied(ReportEvent):
    """A table at which nobody sat has players again; in hand-for-hand they wait for a hand."""


@event("registration.closed")
class RegistrationClosed(Event):
    """Registration closed before its level, because a table was broken (EP-R)."""


@event("player.seated")
class PlayerSeated(PlayerEvent):
    """A player took a seat; `entry` says whether that is a new entry."""

    seat: int
    display: str
    entry: bool
    chips: int


@event("player.moved")
class PlayerMoved(PlayerEvent):
    """A player went from a seat to another, with all time-bank chips."""

    seat: int
    to_table: int
    to_seat: int

    def slices(self) -> tuple[str, ...]:
        """Both tables are written."""
        both = (table_slice(self.table), table_slice(self.to_table))
        return (*both, player_slice(self.player))


@event("player.unseated")
class PlayerUnseated(PlayerEvent):
    """A player has no seat for now."""

    seat: int


@event("player.busted")
class PlayerBusted(PlayerEvent):
    """A player is out; `finishes` are those of everybody who is settled together."""

    seat: int
    rounds: tuple[BustRound, ...]
    finishes: tuple[Finish, ...]


@event("player.limited")
class PlayerLimited(PlayerEvent):
    """A player has at most so many seconds for every action."""

    seat: int
    seconds: int | None


@event("places.changed")
class PlacesChanged(Event):
    """The number of places paid was set by hand."""

    places: int | None


@event("table.paused")
class TablePaused(TableEvent):
    """The table's clocks stand."""

    reason: str | None


@event("table.resumed")
class TableResumed(TableEvent):
    """The table's clocks go on."""


@event("tap.kept")
class TapKept(TableEvent):
    """A tap counted from its own instant: it was made while the table's device was silent."""

    since: int
    until: int
    tap: str = ""  # the command's id

    def slices(self) -> tuple[str, ...]:
        """Only what the floor has to see is written."""
        return ()


@event("time.missed")
class TimeMissed(Event):
    """The hub was away, or could store nothing: what ran meanwhile was seen by nobody."""

    since: int
    until: int

    def slices(self) -> tuple[str, ...]:
        """Nothing changes: it is remembered for what may run through that time later on."""
        return ()


@event("silence.ended")
class SilenceEnded(TableEvent):
    """A table's device is back; the clock of the seat `held` was held meanwhile.

    With `away` it was the hub that was away, and what told it that a clock ran came after that.
    """

    since: int
    until: int
    held: int | None = None
    away: bool = False

    def slices(self) -> tuple[str, ...]:
        """Only what the floor has to see is written."""
        return ()


@event("silence.seen")
class SilenceSeen(TableEvent):
    """The floor has seen what was assumed."""

    def slices(self) -> tuple[str, ...]:
        """Only what the floor has to see is written."""
        return ()


@event("floor.called")
class FloorSummoned(TableEvent):
    """The table waits for the floor; `holds` where its clocks stand until the floor has been."""

    reason: str | None
    holds: bool = False


@event("floor.cleared")
class FloorCleared(TableEvent):
    """The floor has been there."""


# ── hands ────────────────────────────────────────────────────────────────────────────────────────


@event("hand.started")
class HandStarted(TableEvent):
    """A hand began, at the level that it keeps to its end (SB-20)."""

    button: int | None
    blinds: Blinds
    turn: int | None
    positions: Positions | None = None  # not known of hands from before they were kept
    straddle: int | None = None
    round: Round | None = None
    again: bool = False  # a misdeal dealt once more: it keeps its number


@event("hand.misdealt")
class HandMisdealt(TableEvent):
    """The hand does not count, and is dealt once more (AP-35C)."""


@event("hand.level_set")
class HandLevelSet(TableEvent):
    """The hand is really dealt at another level (AP-23m)."""

    blinds: Blinds


@event("hand.synced")
class HandSynced(TableEvent):
    """The hand was put right: street, live seats, bet and turn."""

    street: str
    live: tuple[int, ...]
    round: Round
    turn: int


@event("button.placed")
class ButtonPlaced(TableEvent):
    """The button was put to a seat; in a hand that nobody has acted in, the blinds with it."""

    seat: int
    positions: Positions | None = None
    round: Round | None = None
    turn: int | None = None


@event("hand.ended")
class HandEnded(TableEvent):
    """A hand is over; `visit` is the level that it counts for, where hands are counted."""

    visit: int


@event("dealer.pushed")
class DealerPushed(TableEvent):
    """A new dealer came in; where the house says so the next hand may keep the blinds."""

    push: Push | None


@event("street.dealt")
class StreetDealt(TableEvent):
    """The next betting round began."""

    street: str
    turn: int | None
    round: Round | None = None


@event("action.started")
class ActionStarted(TableEvent):
    """A player's time runs; seat 0 is whoever is to act."""

    seat: int
    facing_bet: bool
    ms: int
    auto_forfeit: bool
    round: Round | None = None


@event("action.ended")
class ActionEnded(TableEvent):
    """A player has acted, or the action was broken off."""

    seat: int
    folded: bool = False
    turn: int | None = None
    all_in: bool = False
    round: Round | None = None


@event("seat.folded")
class SeatFolded(TableEvent):
    """A seat folded out of turn."""

    seat: int
    turn: int | None = None
    round: Round | None = None


@event("action.held")
class ActionHeld(TableEvent):
    """A player's time stands while chips are counted, or where the hub's absence found it."""

    seat: int
    ms: int
    acted: bool
    interrupted: bool = False
    silent: bool = False  # interrupted because the table's own device was not heard


@event("bet.counted")
class BetCounted(TableEvent):
    """A bet was counted where no action clock is in play: the next players face it."""


@event("action.released")
class ActionReleased(TableEvent):
    """The count is over and the time of the held seat runs."""

    auto_forfeit: bool


@event("chips.spent")
class ChipsSpent(TableEvent):
    """A player pushed time-bank chips forward (SB-47i)."""

    seat: int
    chips: int
    ms: int
    auto_forfeit: bool
    round: Round | None = None


@event("chip.forfeited")
class ChipForfeited(TableEvent):
    """A time-bank chip was forfeited at zero (SB-47h)."""

    seat: int
    ms: int


@event("chips.collected")
class ChipsCollected(TableEvent):
    """The dealer has the chips that a seat owed."""

    seat: int


@event("action.expired")
class ActionExpired(TableEvent):
    """Time ran out (SB-47j)."""

    seat: int
    outcome: str
    round: Round | None = None


@event("action.ruled")
class ActionRuled(TableEvent):
    """The floor ruled after time ran out."""

    outcome: str
    turn: int | None = None  # after a called clock; the action clock's own turn follows from it
    round: Round | None = None


@event("called.started")
class CalledStarted(TableEvent):
    """The clock was called on a player."""

    seat: int
    facing_bet: bool
    ms: int
    countdown_ms: int
    round: Round | None = None


@event("called.counting")
class CalledCounting(TableEvent):
    """The last seconds are counted down."""


@event("called.set")
class CalledSet(TableEvent):
    """A called clock was set to what was certain when the table's device was last heard."""

    ms: int


@event("called.expired")
class CalledExpired(TableEvent):
    """The called clock ran out; the turn goes on where `passes`."""

    seat: int
    outcome: str
    passes: bool = False
    turn: int | None = None
    round: Round | None = None


@event("called.stopped")
class CalledStopped(TableEvent):
    """The player acted, or the clock was taken off; the turn goes on where `passes`."""

    passes: bool = False
    turn: int | None = None
    round: Round | None = None


# ── time banks ───────────────────────────────────────────────────────────────────────────────────


@event("shotclock.introduced")
class ShotclockIntroduced(Event):
    """The action clock is in play from here to the end (SB-47k)."""

    action: ActionClock


@event("chips.granted")
class ChipsGranted(Event):
    """Time-bank chips were given to everybody."""

    chips: int
    mode: str
    tables: tuple[int, ...]
    waiting: tuple[str, ...]
    stage: str | None = None
    timed: bool = False  # no command but time itself brought it

    def slices(self) -> tuple[str, ...]:
        """Every table and every player without a seat are written."""
        return (ROOM, *map(table_slice, self.tables), *map(player_slice, self.waiting))


@event("chips.given")
class ChipsGiven(TableEvent):
    """Time-bank chips were given to one player."""

    seat: int
    chips: int
    mode: str


# ── hand-for-hand ────────────────────────────────────────────────────────────────────────────────


@event("h4h.announced")
class HandForHandAnnounced(Event):
    """Finish this hand, then hold."""

    policy: str
    cost_ms: int
    unit: str
    soft: bool
    reason: str | None
    pending: int
    tables: tuple[int, ...]

    def slices(self) -> tuple[str, ...]:
        """Write the room, which from here on counts every table's hands."""
        return (ROOM, *map(table_slice, self.tables))


@event("h4h.reported")
class HandForHandReported(ReportEvent):
    """A table's status in this hand changed."""

    was: str
    status: str
    hands: int
    orbit: int


@event("h4h.capped")
class HandForHandCapped(Event):
    """The hand has had its time on the level clock, which stands now (SB-19)."""


@event("h4h.over")
class HandForHandOver(Event):
    """The hand is over at every table."""

    hand: int


@event("h4h.released")
class HandForHandReleased(Event):
    """The next hand was released to every table."""

    hand: int
    pending: int
    cost_ms: int


@event("h4h.ended")
class HandForHandEnded(Event):
    """Back to ordinary play."""
