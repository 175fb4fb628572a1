"""Everything a house can vary, as data: what a preset file says and the engine obeys.

Field names are the keys of the TOML files in `server/houses/`; `docs/presets.md` explains each.
The defaults are those of a house whose document is silent.
"""

from dataclasses import dataclass

from server.engine.flow import MINUTE
from server.engine.reading import (
    BadInput,
    arg,
    choice,
    each,
    flag,
    nullable,
    record,
    text,
    time_of_day,
    whole,
)
from server.engine.structure import MINUTES, POSITIVE_AMOUNT, Structure

LEVEL = whole(1, 999)
SECONDS = whole(1, 3_600)
CHIPS = whole(0, 999)
SEATS = whole(2, 20)
PLAYERS = whole(1, 100_000)
STREETS = ("preflop", "flop", "turn", "river")
STAGES = ("start", "level", "money", "final_table", "hand")
DAY = 24 * 60


@dataclass(frozen=True, slots=True)
class Registration:
    """Until when new players may enter."""

    closes_at_level: int = arg(LEVEL)
    closes_on_broken_table: bool = arg(flag, default=False)
    notice_minutes: int = arg(MINUTES, default=10)


@dataclass(frozen=True, slots=True)
class Streets:
    """Base times that differ by betting round; a round not named has the ordinary base time."""

    preflop: int | None = arg(nullable(SECONDS), default=None)
    flop: int | None = arg(nullable(SECONDS), default=None)
    turn: int | None = arg(nullable(SECONDS), default=None)
    river: int | None = arg(nullable(SECONDS), default=None)


@dataclass(frozen=True, slots=True)
class Grant:
    """Time-bank chips given to everybody when the event reaches a stage."""

    chips: int = arg(CHIPS)
    stage: str = arg(choice("level", "money", "final_table"))
    mode: str = arg(choice("set", "add"), default="add")
    level: int | None = arg(nullable(LEVEL), default=None)

    def __post_init__(self) -> None:
        """Check that a level is named exactly where the stage is a level."""
        if (self.stage == "level") != (self.level is not None):
            raise BadInput("level", 'goes with stage = "level", and only with it')


@dataclass(frozen=True, slots=True)
class ActionClock:
    """The action clock and its time-bank chips (SB-47, SL-42)."""

    seconds: int = arg(SECONDS)
    chips: int = arg(CHIPS, default=0)
    chip_seconds: int = arg(SECONDS, default=30)
    auto_forfeit: bool = arg(flag, default=True)
    introduce: str = arg(choice(*STAGES), default="start")
    introduce_level: int | None = arg(nullable(LEVEL), default=None)
    streets: Streets = arg(record(Streets), default=Streets())
    grants: tuple[Grant, ...] = arg(each(record(Grant), 20), default=())
    nudge_seconds: int | None = arg(nullable(SECONDS), default=None)

    def __post_init__(self) -> None:
        """Check that a level is named exactly where the clock is introduced at one."""
        if (self.introduce == "level") != (self.introduce_level is not None):
            raise BadInput("introduce_level", 'goes with introduce = "level", and only with it')

    def base(self, street: str) -> int:
        """Give the seconds a player has on a betting round."""
        special: int | None = getattr(self.streets, street)
        return self.seconds if special is None else special


@dataclass(frozen=True, slots=True)
class CalledClock:
    """The clock that is called on a player: all of its seconds, and how many are counted down."""

    seconds: int = arg(SECONDS, default=30)
    countdown: int = arg(SECONDS, default=5)
    choices: tuple[int, ...] = arg(each(SECONDS, 10), default=())
    unfaced: str = arg(choice("check", "dead"), default="check")

    def __post_init__(self) -> None:
        """Check that the countdown is a part of the time."""
        if self.countdown > self.seconds:
            raise BadInput("countdown", "must not be longer than the whole time")


@dataclass(frozen=True, slots=True)
class HandForHandRules:
    """What a hand costs on the level clock while the room plays hand-for-hand."""

    policy: str = arg(choice("run_to_cap", "deduct", "run_on"), default="deduct")
    seconds: int = arg(SECONDS, default=120)
    most_seconds: int | None = arg(nullable(SECONDS), default=None)
    run_on_below: int | None = arg(nullable(PLAYERS), default=None)
    round_within: int | None = arg(nullable(PLAYERS), default=None)


@dataclass(frozen=True, slots=True)
class Notices:
    """How long before the end of a level or break the floor is reminded; null is never."""

    hold_push_seconds: int | None = arg(nullable(SECONDS), default=None)
    prepare_decks_seconds: int | None = arg(nullable(SECONDS), default=None)


@dataclass(frozen=True, slots=True)
class HardStop:
    """The time of day at which play ends, finished or not (SL-9)."""

    at: int = arg(time_of_day)
    warn_minutes: int = arg(MINUTES, default=30)


@dataclass(frozen=True, slots=True)
class FloorTimer:
    """A countdown for the director alone, to an edge of the structure give or take (EP-BB)."""

    name: str = arg(text(60))
    minutes: int = arg(whole(-DAY, DAY))
    edge: str = arg(choice("start", "end"))
    level: int | None = arg(nullable(LEVEL), default=None)
    break_number: int | None = arg(nullable(whole(1, 99)), default=None)
    from_level: int = arg(LEVEL, default=1)

    def __post_init__(self) -> None:
        """Check that it hangs on a level or on a break."""
        if (self.level is None) == (self.break_number is None):
            raise BadInput("level", "give either level or break_number")


@dataclass(frozen=True, slots=True)
class FloorReason:
    """Why a table calls the floor, and whether its clocks stand until the floor has been there."""

    reason: str = arg(text(60))
    holds: bool = arg(flag, default=False)


FLOOR_REASONS = (
    FloorReason("Ruling", holds=True),
    FloorReason("Dispute", holds=True),
    FloorReason("Clock on a player"),
    FloorReason("Misdeal", holds=True),
    FloorReason("Seat open"),
    FloorReason("Player away"),
    FloorReason("Colour up"),
    FloorReason("New setup"),
)
"""The reasons that a console offers where the house has no list of its own; most common first."""


@dataclass(frozen=True, slots=True)
class FloorRules:
    """Calling the floor."""

    reasons: tuple[FloorReason, ...] = arg(each(record(FloorReason), 20), default=FLOOR_REASONS)

    def holds(self, reason: str | None) -> bool:
        """Say whether a table's clocks stand while it waits for the floor."""
        wanted = (reason or "").casefold()
        return any(known.holds for known in self.reasons if known.reason.casefold() == wanted)


@dataclass(frozen=True, slots=True)
class PlacesBand:
    """How many places are paid up to a number of entries."""

    entries: int = arg(PLAYERS)
    places: int = arg(PLAYERS)

    def __post_init__(self) -> None:
        """Check that not more are paid than have entered."""
        if self.places > self.entries:
            raise BadInput("places", "must not be more than the entries")


@dataclass(frozen=True, slots=True)
class Rules:
    """One event of one house."""

    name: str = arg(text(80))
    house: str = arg(text(80))
    structure: Structure = arg(record(Structure))
    registration: Registration = arg(record(Registration))
    start: int | None = arg(nullable(time_of_day), default=None)
    stack: int = arg(POSITIVE_AMOUNT, default=10_000)
    seats: int = arg(SEATS, default=9)
    first_button: int | None = arg(nullable(whole(1, 20)), default=None)
    button: str = arg(choice("dead", "moving"), default="dead")
    push_keeps_level: bool = arg(flag, default=False)
    busts_share: bool = arg(flag, default=False)
    action: ActionClock | None = arg(nullable(record(ActionClock)), default=None)
    called: CalledClock = arg(record(CalledClock), default=CalledClock())
    hand_for_hand: HandForHandRules = arg(record(HandForHandRules), default=HandForHandRules())
    floor: FloorRules = arg(record(FloorRules), default=FloorRules())
    notices: Notices = arg(record(Notices), default=Notices())
    hard_stop: HardStop | None = arg(nullable(record(HardStop)), default=None)
    places: tuple[PlacesBand, ...] = arg(each(record(PlacesBand), 200), default=())
    floor_timers: tuple[FloorTimer, ...] = arg(each(record(FloorTimer), 20), default=())

    def __post_init__(self) -> None:
        """Check what no single key can show."""
        if self.hard_stop is not None and self.start is None:
            raise BadInput("hard_stop", "needs a start time to count from")
        if self.hard_stop is not None and self.hard_stop.at == self.start:
            raise BadInput("hard_stop.at", "must not be the start time")
        if self.first_button is not None and self.first_button > self.seats:
            raise BadInput("first_button", f"must be a seat from 1 to {self.seats}")
        bands = [band.entries for band in self.places]
        if bands != sorted(set(bands)):
            raise BadInput("places", "must go up in entries")
        for i, timer in enumerate(self.floor_timers):
            if timer.level is not None and self.structure.index(timer.level) is None:
                raise BadInput(f"floor_timers[{i}].level", "is not in the structure")

    @property
    def hard_stop_after(self) -> int | None:
        """How long after the scheduled start play must end; the stop may be past midnight."""
        if self.hard_stop is None or self.start is None:
            return None
        return (self.hard_stop.at - self.start) % DAY * MINUTE

    def places_paid(self, entries: int) -> int | None:
        """Say how many places are paid, where the house's table says so."""
        return next((band.places for band in self.places if entries <= band.entries), None)
