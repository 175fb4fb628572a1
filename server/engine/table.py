"""A table: who sits there, the hand in progress, the clocks that run on one player at a time.

Every deadline here is in the table's own flow of time (see `flow`). One class per status, so that
a clock that stands has no deadline to be wrong.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from server.engine.flow import Flow, after, at
from server.engine.structure import Blinds, Level, Step
from server.engine.trie import NEVER


@dataclass(frozen=True, slots=True)
class Player:
    """A player with the time-bank chips that travel along: granted = bank + spent."""

    id: str
    name: str
    bank: int = 0
    granted: int = 0
    spent: int = 0
    limit_s: int | None = None
    decisions: int = 0  # how often the player's time was taken
    thought: int = 0  # and for how long, all together
    owed: int = 0  # chips spent that no dealer has collected yet

    def grant(self, chips: int, mode: str) -> "Player":
        """Give chips, or set their number."""
        bank = chips if mode == "set" else self.bank + chips
        granted = self.granted + bank - self.bank
        return replace(self, bank=bank, granted=granted)

    def spend(self, chips: int) -> "Player":
        """Give chips up."""
        return replace(self, bank=self.bank - chips, spent=self.spent + chips)

    def owes(self, chips: int) -> "Player":
        """Put chips on what a dealer has to collect, at whichever table the player sits then."""
        return replace(self, owed=self.owed + chips)

    def decided(self, ms: int) -> "Player":
        """Count a decision, and the time that it took."""
        return replace(self, decisions=self.decisions + 1, thought=self.thought + ms)


@dataclass(frozen=True, slots=True)
class Seat:
    """A taken seat."""

    player: Player
    in_hand: bool = False
    all_in: bool = False  # in the hand, but asked no more


@dataclass(frozen=True, slots=True)
class Round:
    """A betting round: the seats that still have to act, in order, and who bet or raised last.

    `unbet` says of a round before the flop that nobody faces even the blinds: it was over, and a
    dealer started somebody's time without saying what came next.
    """

    to_act: tuple[int, ...] = ()
    bettor: int | None = None
    unbet: bool = False

    @property
    def turn(self) -> int | None:
        """Whose turn it is."""
        return self.to_act[0] if self.to_act else None


# ── the action clock: whose time it is ───────────────────────────────────────────────────────────
#
#            start, next             zero, no chip left
#     Idle ────────────▶ Running ───────────────────────▶ Expired
#       ▲  ◀──────────── │  ▲ ▲  ◀───────────────────────   │
#       │   stop         │  │ └── zero, one chip burns      │ next, start, stop …
#       │           hold │  │ release                       │
#       │                ▼  │                               │
#       └────────────── Held                                │
#       ◀───────────────────────────────────────────────────┘


@dataclass(frozen=True, slots=True)
class Idle:
    """Nobody's time runs."""


WHOEVER = 0
"""The seat of an action that nobody was named for: the dealer just restarts the clock."""


@dataclass(frozen=True, slots=True)
class Running:
    """A player's time runs until `ends_at`."""

    seat: int
    ends_at: int
    facing: bool
    auto: bool  # a chip is forfeited at zero, if there is one
    on_bank: int = 0  # chips whose time is in this countdown
    used: int = 0  # chips spent in this action
    billed: int = 0  # of those, chips that the dealer was already told to collect
    began: int | None = None  # when this time began; not known of a state from before it was kept
    before: Round | None = None  # the round as it was, where the dealer put it right by this start
    runs_since: int | None = None  # the instant from which on it has not been held


@dataclass(frozen=True, slots=True)
class Held:
    """The time of `seat` stands at `remaining`: chips are counted, or the hub was away."""

    seat: int
    remaining: int
    facing: bool
    acted: bool
    on_bank: int = 0
    used: int = 0
    billed: int = 0
    interrupted: bool = False  # by the hub: the dealer lets it go on
    thought: int | None = 0  # how much of this time has been taken


NEEDS_RULING = "needs_ruling"


@dataclass(frozen=True, slots=True)
class Expired:
    """Time ran out on a player."""

    seat: int
    outcome: str  # dead or check; time for whoever it was; needs_ruling where nobody was heard
    facing: bool
    used: int = 0
    ruled: bool = False  # by the floor: chips come too late


Action = Idle | Running | Held | Expired


# ── the called clock: off → running → countdown → expired, or off as soon as the player acts ─────


@dataclass(frozen=True, slots=True)
class Off:
    """No clock is called."""


@dataclass(frozen=True, slots=True)
class Called:
    """The clock is called on a seat; the last part of it is counted down aloud."""

    seat: int
    ends_at: int
    counts_at: int
    facing: bool
    counting: bool = False
    runs_since: int | None = None


@dataclass(frozen=True, slots=True)
class CalledOut:
    """The called clock ran out."""

    seat: int
    outcome: str


CalledClockState = Off | Called | CalledOut


@dataclass(frozen=True, slots=True)
class Positions:
    """Where the button and the blinds are; with a dead button some of them are empty seats."""

    button: int | None = None
    small_at: int | None = None  # where the small blind belongs
    small: int | None = None  # who posts it: nobody where it is dead
    big: int | None = None


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand, or between hands the last one.

    `round` is None where no round is known: between hands, and in hands of a journal from before
    rounds were kept. Then `facing_bet` says what is known of a bet on this street.
    """

    number: int = 0
    in_progress: bool = False
    button: int | None = None
    street: str = "preflop"
    facing_bet: bool = True
    small_at: int | None = None
    small: int | None = None
    big: int | None = None
    straddle: int | None = None
    round: Round | None = None
    misdealt: bool = False  # the next hand is this one once more (AP-35C)
    placed: bool = False  # the button was put where it is: the next hand begins with it

    @property
    def option(self) -> int | None:
        """Who acts last before the flop, and may check: the straddle, else the big blind."""
        return self.big if self.straddle is None else self.straddle


@dataclass(frozen=True, slots=True)
class Mark:
    """What a table has reported in hand-for-hand; it says nothing of a later epoch."""

    epoch: int
    status: str
    hands: int = 0
    orbit: int = 1
    at: int | None = None  # when it reported


@dataclass(frozen=True, slots=True)
class Push:
    """A dealer push, and the blinds that the next hand keeps if just one level starts meanwhile."""

    blinds: Blinds
    visit: int


@dataclass(frozen=True, slots=True)
class FloorCalled:
    """The table waits for the floor."""

    since: int
    reason: str | None
    holds: bool = False  # the table's clocks stand until the floor has been there


@dataclass(frozen=True, slots=True)
class FloorVisit:
    """A call of the floor that was answered."""

    called_at: int
    took: int
    reason: str | None


VISITS_KEPT = 5
"""Answered calls of the floor that a table remembers; the journal has them all."""


@dataclass(frozen=True, slots=True)
class Table:
    """One table of the room."""

    number: int
    size: int
    opening: int = 0  # tells a table from an earlier one with its number
    seats: Mapping[int, Seat] = field(default_factory=dict)
    flow: Flow = Flow()
    paused: str | None = None
    floor: FloorCalled | None = None
    hand: Hand = Hand()
    blinds: Blinds | None = None  # of the hand in progress, or of the last one
    pushed: Push | None = None
    turn: int | None = None  # whose turn it is while nobody's time runs
    action: Action = Idle()
    called: CalledClockState = Off()
    mark: Mark | None = None
    level_hands: tuple[int, int] = (-1, 0)  # visit of a level, hands finished in it
    quiet: int | None = None  # since when nobody's time has run, in the table's time
    decisions: int = 0  # taken at this table, by whomever
    thought: int = 0  # and for how long
    visits: tuple[FloorVisit, ...] = ()  # the floor's latest, the newest last
    ended: int | None = None  # when the last hand was over, in the table's time
    nameless: bool = False  # the last hand was dealt to nobody in particular: names are not kept

    @property
    def collect(self) -> Mapping[int, int]:
        """The chips that the dealer has to collect, by seat."""
        return {s: taken.player.owed for s, taken in self.seats.items() if taken.player.owed}

    def player(self, seat: int) -> Player | None:
        """Find who sits in a seat."""
        found = self.seats.get(seat)
        return None if found is None else found.player

    def live_seats(self) -> list[int]:
        """List the seats that are in the hand; where none is tracked, all that are taken."""
        dealt = self.hand.in_progress
        return [seat for seat, taken in self.seats.items() if taken.in_hand or not dealt]

    def asked_seats(self) -> list[int]:
        """List the seats that can still be asked to act: live and not all-in."""
        return [seat for seat in self.live_seats() if not self.seats[seat].all_in]

    def live(self, after: int) -> int | None:
        """Find the next seat to be asked, clockwise from a seat and not that seat itself."""
        if after == WHOEVER:
            return None
        others = (seat for seat in self.asked_seats() if seat != after)
        return min(others, key=lambda s: (s < after, s), default=None)

    def in_round(self, found: Round | None) -> "Table":
        """Put another betting round in place; None leaves what is known of it."""
        if found is None:
            return self
        return replace(self, hand=replace(self.hand, round=found))

    def with_player(self, seat: int, player: Player) -> "Table":
        """Put a player in place of their earlier self."""
        return replace(self, seats={**self.seats, seat: replace(self.seats[seat], player=player)})

    def dealt(self, seat: int, in_hand: bool) -> "Table":
        """Put a seat into the hand in progress, or out of it."""
        taken = self.seats.get(seat)
        if taken is None:
            return self
        in_hand = in_hand and self.hand.in_progress
        return replace(self, seats={**self.seats, seat: Seat(taken.player, in_hand)})

    def went_all_in(self, seat: int) -> "Table":
        """Ask a seat no more in this hand, although it is in it."""
        taken = self.seats.get(seat)
        if taken is None:
            return self
        return replace(self, seats={**self.seats, seat: replace(taken, all_in=True)})

    def timed(self, now: int) -> "Table":
        """Take down how long the player thought whose time ends now, in the table's time."""
        match self.action:
            case Running(began=int() as began):
                thought = now - began
            case Held(acted=False, thought=int() as thought):
                pass
            case _:
                return self
        counted = replace(self, decisions=self.decisions + 1, thought=self.thought + thought)
        player = self.player(self.action.seat)
        if player is None:
            return counted
        return counted.with_player(self.action.seat, player.decided(thought))

    def billed(self) -> "Table":
        """Tell the dealer to collect the chips that the action has cost (SB-47h)."""
        match self.action:
            case Running() | Held() as action if action.used > action.billed:
                player = self.player(action.seat)
                if player is not None:
                    owes = player.owes(action.used - action.billed)
                    return self.with_player(action.seat, owes)
        return self

    def burns(self, action: Running) -> bool:
        """Say whether a chip is forfeited at zero."""
        player = self.player(action.seat)
        return action.auto and player is not None and player.bank > 0

    def has_played(self, visit: int, step: Step) -> bool:
        """Say whether all hands of a level that is counted in hands were played here."""
        if not isinstance(step, Level) or step.hands is None:
            return False
        return self.level_hands[0] == visit and self.level_hands[1] >= step.hands

    def action_due(self) -> int:
        """Say when time will do something to the action clock, as an order in the table's time."""
        action = self.action
        if not isinstance(action, Running):
            return NEVER
        return at(action.ends_at) if self.burns(action) else after(action.ends_at)

    def called_due(self) -> int:
        """Say when time will do something to the called clock, as an order in the table's time."""
        called = self.called
        if not isinstance(called, Called):
            return NEVER
        return after(called.ends_at) if called.counting else at(called.counts_at)

    def due(self) -> int:
        """Say when time will next do something here, as an order in the table's time."""
        return min(self.action_due(), self.called_due())

    @property
    def runs_since(self) -> int | None:
        """Say since when the clock that runs here has not been held; None if that is not known."""
        clock = self.action if isinstance(self.action, Running) else self.called
        return clock.runs_since if isinstance(clock, Running | Called) else None

    @property
    def ends_at(self) -> int | None:
        """Say when time runs out on the clock that runs here, in the table's time."""
        clock = self.action if isinstance(self.action, Running) else self.called
        return clock.ends_at if isinstance(clock, Running | Called) else None

    def wake(self) -> int:
        """Say when time will next do something here, as an order in room time."""
        due = self.due()
        outer = None if due == NEVER else self.flow.outer(due >> 1)
        return NEVER if outer is None else outer << 1 | due & 1
