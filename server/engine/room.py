"""What the whole room shares: the level clock, hand-for-hand, the field, words on the screens."""

from dataclasses import dataclass, replace

from server.engine.flow import Flow
from server.engine.rules import ActionClock
from server.engine.structure import Break, Level, Structure
from server.engine.table import Player


@dataclass(frozen=True, slots=True)
class HandForHand:
    """Hand-for-hand: off → announced → holding ⇄ playing → off.

    `epoch` goes up with every announcement and every released hand. A table's own mark counts only
    if it is of this epoch, so releasing a hand to a thousand tables rewrites none of them.
    """

    status: str = "off"
    epoch: int = 0
    hand: int = 0
    policy: str = "run_on"
    cost: int = 0
    unit: str = "hand"
    soft: bool = False
    reason: str | None = None
    charge: int = 0  # what the hand in play costs: of a round, its longest orbit
    cap_at: int | None = None  # in level time
    capped: bool = False
    break_waits: bool = False
    since: int | None = None  # when the hand was announced or released, or when it was over


@dataclass(frozen=True, slots=True)
class Bust:
    """A player who went out, in a round whose places may still be shared."""

    player: str
    name: str
    table: int
    stack: int | None


@dataclass(frozen=True, slots=True)
class Finish:
    """A place: from `place` on, as many places as there are players who share them."""

    player: str
    name: str
    place: int
    shared: int


@dataclass(frozen=True, slots=True)
class BustRound:
    """Busts that are settled together, of one hand-for-hand hand or of one table's hand.

    `worst` is the last of the places that they take between them.
    """

    key: tuple[int, ...]
    worst: int
    busts: tuple[Bust, ...] = ()


@dataclass(frozen=True, slots=True)
class Field:
    """Who has entered and who is left.

    A new entry moves everybody who is out one place down. So places are kept as they would be
    without the `late` entries, and an entry rewrites none of them.
    """

    entries: int = 0
    left: int = 0
    places_paid: int | None = None
    rounds: tuple[BustRound, ...] = ()  # that may still grow, the best places last
    finishes: tuple[Finish, ...] = ()  # of everybody who is out, the newest first
    late: int = 0  # entries so far for which somebody who was out has moved down

    def placed(self, most: int | None = None) -> tuple[Finish, ...]:
        """Give the finishes with their places as they are now, the newest first."""
        return tuple(replace(f, place=f.place + self.late) for f in self.finishes[:most])

    def open_rounds(self) -> tuple[BustRound, ...]:
        """Give the rounds with their places as they are now."""
        return tuple(replace(r, worst=r.worst + self.late) for r in self.rounds)

    def settled(self, rounds: tuple[BustRound, ...], finishes: tuple[Finish, ...]) -> "Field":
        """Take down rounds, and finishes in place of earlier ones of the same players."""
        again = {finish.player for finish in finishes}
        older = (finish for finish in self.finishes if finish.player not in again)
        newer = (replace(finish, place=finish.place - self.late) for finish in finishes)
        return replace(
            self,
            rounds=tuple(replace(r, worst=r.worst - self.late) for r in rounds),
            finishes=(*newer, *older),
        )


@dataclass(frozen=True, slots=True)
class CalledBreak:
    """A break at the director's discretion, in the middle of a level with `remaining` to go."""

    remaining: int | None
    called_at: int  # in level time


@dataclass(frozen=True, slots=True)
class Room:
    """The event as a whole."""

    structure: Structure
    flow: Flow = Flow()  # room time, in hub time: stands while paused or suspended
    level_flow: Flow = Flow(stopped_at=0)  # level time, in room time: stands until the start
    step: int = 0
    visit: int = 0  # goes up whenever a step begins, so that hands are counted anew
    began_at: int = 0  # of the step, in level time
    ends_at: int | None = None  # of the step, in level time
    called_break: CalledBreak | None = None
    owed: int = 0  # time taken off that waits for the level after a break
    started: bool = False
    starts_at: int | None = None
    paused: bool = False
    reason: str | None = None
    suspended: bool = False
    resumes_at: int | None = None
    finished: bool = False
    hard_stop_at: int | None = None
    hard_stopped: bool = False
    h4h: HandForHand = HandForHand()
    field: Field = Field()
    action: ActionClock | None = None  # once it is in play
    stages: frozenset[str] = frozenset()  # stages whose grants have been given
    registration_closed: bool = False
    table_broken: bool = False
    openings: int = 0  # how often a table was opened
    announcement: str | None = None
    announced_until: int | None = None
    noticed_at: int = -1

    @property
    def now_step(self) -> Level | Break:
        """The step that the clock is in."""
        found = self.structure.step(self.step)
        if found is None:
            raise IndexError(self.step)
        return found

    @property
    def on_break(self) -> bool:
        """Whether the room is on a break, scheduled or called."""
        return self.called_break is not None or isinstance(self.now_step, Break)

    @property
    def level(self) -> int:
        """The playing level; on a break, the one just played."""
        return self.structure.number(self.step)

    def level_now(self, at: int) -> int:
        """Say what level time it is at an instant."""
        return self.level_flow.now(self.flow.now(at))

    def played(self, at: int) -> int:
        """Say what level time it is, not counting the break that the room may be on."""
        if self.called_break is not None:
            return self.called_break.called_at
        return self.began_at if self.on_break else self.level_now(at)

    def remaining(self, at: int) -> int | None:
        """Say how much of the step is left: None where it has no end of its own."""
        return None if self.ends_at is None else max(0, self.ends_at - self.level_now(at))

    def instant(self, level_time: int) -> int | None:
        """Say when a level time will come, in hub time: never, while the clock stands."""
        room_time = self.level_flow.outer(level_time)
        return None if room_time is None else self.flow.outer(room_time)

    @property
    def holds(self) -> bool:
        """Whether the level clock stands though play goes on: hand-for-hand, or the hard stop."""
        if not self.started or self.hard_stopped:
            return True
        if self.on_break:
            return False
        h4h = self.h4h
        match h4h.status:
            case "holding":
                held = h4h.policy != "run_on"
            case "playing":
                held = h4h.policy == "deduct" or h4h.capped
            case _:
                held = False
        return held or h4h.break_waits

    @property
    def standing(self) -> bool:
        """Whether everything in the room stands."""
        return self.paused or self.suspended or self.finished


@dataclass(frozen=True, slots=True)
class Seated:
    """A player who sits at a table; the table knows the rest."""

    table: int
    seat: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """A player without a seat."""

    player: Player


@dataclass(frozen=True, slots=True)
class Out:
    """A player who is out."""

    player: Player


Entrant = Seated | Waiting | Out
