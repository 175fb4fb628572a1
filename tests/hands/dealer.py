"""A dealer who deals a hand of the truth on the console, by nothing but the console's buttons.

The dealer knows poker and sees who thinks. For a thinker the clock must run before the action; who
acts at once is tapped through. A `plain` dealer taps every action, and then whatever the big button
says. Others tap less: they let the next street stand for the last check or call of a round, and
HAND OVER for the last action of a hand and for a board that is only run out.

After every tap the table's document is held against the truth: the first difference ends the hand
with `Wrong`, which names its kind.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from dealer_console.face import Look, face
from tests.hands.players import choose
from tests.hands.poker import STREETS, Act, Hand, finished

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from dealer_console.face import Face
    from tests.night import Night

TABLE = 1
RUNS = ("running", "expiring")
MOST_CHIPS = 20
FEW = 2


class Wrong(Exception):  # noqa: N818 - not an error of the program that raises it
    """The console, or the engine behind it, says what is not so."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(f"{kind}: {text}")
        self.kind = kind


class Dealer:
    """Deals one hand after the other, and counts actions and taps."""

    def __init__(
        self, night: Night, luck: Random, *, think: float = 1 / 3, late: float = 0, style: str
    ) -> None:
        self.night, self.luck = night, luck
        self.think = think  # how often a player thinks
        self.late = late  # how often a thinker's time runs out
        self.style = style
        self.plain = False  # taps every action, and that a board is run out
        self.undoes = 0.0  # how often a tap is taken back and made again
        self.early = 0.0  # how often somebody folds out of turn
        self.taps = self.actions = self.ran_out = 0
        self.extra: Counter[str] = Counter()  # taps that are not an action, by what they are
        self.told: list[str] = []
        self.meanwhile: Callable[[], None] | None = None  # what else happens while a hand is dealt

    # ── the console ──────────────────────────────────────────────────────────────────────────────

    @property
    def table(self) -> dict[str, Any]:
        """The table's document."""
        return self.night.table(TABLE)

    def look(self) -> Face:
        """Look at the console."""
        night = self.night
        return face(Look(TABLE, self.table, night.event(), None, night.now))

    def offered(self, button: str) -> dict[str, Any] | None:
        """Give what a button would command; None where there is no such button, or not now."""
        seen = self.look()
        found = [b for b in (seen.big, *seen.buttons) if b.id == button]
        return found[0].command if found else None

    def tap(self, button: str) -> None:
        """Tap a button."""
        command = self.offered(button)
        if command is None:
            seen = self.look()
            raise Wrong("not offered", f"{button} in {seen.state}, the big one is {seen.big.label}")
        self.send(button, command["do"], **command["args"])

    def tap_seat(self, seat: int, what: str = "tap") -> None:
        """Tap a seat; for what is on its sheet, hold the seat and tap there."""
        found = self.look().seats[seat - 1]
        command = getattr(found, what)
        if command is None:
            raise Wrong("not offered", f"{what} of seat {seat} in {self.look().state}")
        self.taps += what != "tap"
        self.send(f"seat {seat} {what}", command["do"], **command["args"])

    def send(self, button: str, do: str, **args: Any) -> None:
        """Let the engine do what a button commands; it must not refuse."""
        said = {key: value for key, value in args.items() if key != "table"}
        self.told.append(f"  {button}: {do} {said or ''}".rstrip())
        self.taps += 1
        self.night.later(self.luck.randint(300, 1_200))
        before = self.state()
        try:
            self.night.do(do, **{"table": TABLE, **args})
            if self.luck.random() < self.undoes:
                self.night.do("undo", table=TABLE)
                self.same("wrong undo", self.state(), before)
                self.night.do(do, **{"table": TABLE, **args})
        except AssertionError as refused:
            raise Wrong("refused", str(refused)) from None

    def state(self) -> list[Any]:
        """Give what an undo must bring back."""
        table = self.table
        action = {key: table["action"][key] for key in ("status", "seat", "acted", "facing_bet")}
        live = [seat for seat, taken in table["seats"].items() if taken["in_hand"]]
        return [table["hand"], action, live]

    # ── a hand ───────────────────────────────────────────────────────────────────────────────────

    def deal(self, hand: Hand) -> None:
        """Deal a whole hand, from the riffle to the pot."""
        self.begin(hand)
        if self.meanwhile is not None:
            self.meanwhile()
        self.play(hand)
        if self.table["hand"]["in_progress"]:
            self.extra["hand over"] += 1
            self.tap("big")
        if self.table["hand"]["in_progress"]:
            raise Wrong("wrong next", "the hand is not over")

    def begin(self, hand: Hand) -> None:
        """Tap NEW HAND; look where the button and the blinds are."""
        stacks = ", ".join(f"{seat}: {chips}" for seat, chips in sorted(hand.before.items()))
        self.told = [f"stacks {stacks}; {hand.places}, straddle {hand.straddle}"]
        self.extra["new hand"] += 1
        if hand.straddle is None:
            self.tap("big")
        else:
            self.extra["straddle"] += 1
            self.tap_seat(hand.straddle, "straddle")
        seen = self.table["hand"]
        places = hand.places
        blinds = {"small": places.small, "big": places.big}
        self.same("wrong button", seen["button"], places.button)
        self.same("wrong blinds", seen["blinds"], blinds)
        self.same("wrong straddle", seen["straddle"], hand.straddle)
        self.compare(hand)

    def play(self, hand: Hand) -> None:
        """Deal from here to the last decision, or to the river."""
        while not finished(hand):
            if hand.turn is not None and self.luck.random() < self.early:
                self.early_fold(hand)
            elif hand.turn is not None:
                self.action(hand)
            elif hand.next == "run_out" and not self.plain:
                hand.deal()  # nobody acts any more: HAND OVER is enough, when it is over
            elif hand.next == "run_out":
                self.extra["run the board"] += 1
                while hand.next == "run_out":
                    hand.deal()
                self.tap("big")
                self.compare(hand)
            else:
                self.extra["street"] += 1
                self.street(hand, "big")
        if self.table["hand"]["in_progress"] and hand.street != self.table["hand"]["street"]:
            self.extra["hand over"] += 1
            self.tap("over")

    def street(self, hand: Hand, button: str) -> None:
        """Tap the next street."""
        hand.deal()
        self.tap(button)
        self.compare(hand)

    def action(self, hand: Hand) -> None:
        """Let the player whose turn it is act, and tap it."""
        seat = hand.turn
        assert seat is not None
        forced = seat in hand.forced
        act = choose(hand, self.luck, self.style)
        self.told.append(f"seat {seat} {act}" + (", by the blind alone" if forced else ""))
        self.actions += 1
        if not forced and self.luck.random() < self.think:
            self.told[-1] += " after thinking"
            self.start_clock(hand, seat)
            if self.luck.random() < self.late:
                self.run_out(hand)
                return
            base = self.night.event()["action_clock"]["seconds"]
            self.night.later(self.luck.randint(1_000, base * 1_000 - 2_000))
            self.compare(hand)
        elif self.table["action"]["status"] == "expired":
            self.extra["start from expired"] += 1
            self.tap("big")
        self.tell(hand, act)

    def early_fold(self, hand: Hand) -> None:
        """Let somebody throw their cards away out of turn: the turn stays where it is."""
        others = hand.live - hand.all_in - hand.forced - {hand.turn, hand.bettor}
        if len(hand.live) <= FEW or not others:
            return
        seat = self.luck.choice(sorted(others))
        hand.fold_out_of_turn(seat)
        self.told.append(f"seat {seat} fold, out of turn")
        self.actions += 1
        self.extra["fold out of turn"] += 1
        self.tap_seat(seat, "fold")
        self.compare(hand)

    def start_clock(self, hand: Hand, seat: int) -> None:
        """Make sure that a player's time runs."""
        if (status := self.table["action"]["status"]) not in RUNS:
            self.extra[f"start from {status}"] += 1
            self.tap("big")
        action = self.table["action"]
        if action["status"] not in RUNS:
            raise Wrong("missing clock", f"seat {seat} thinks, and the clock is {action['status']}")
        self.compare(hand)

    def run_out(self, hand: Hand) -> None:
        """Let the time of a player run out, with all chips that go by themselves."""
        for _ in range(MOST_CHIPS):
            action = self.table["action"]
            if action["status"] == "expired":
                break
            self.night.later(action["ends_at"] - self.night.now + 1)
        outcome = "dead" if hand.facing else "check"
        self.told[-1] = f"seat {hand.turn} lets the time run out: {outcome}"
        self.same("wrong outcome", self.table["action"]["outcome"], outcome)
        self.ran_out += 1
        hand.act(Act("fold") if hand.facing else Act("check", hand.bet))
        self.compare(hand)

    def tell(self, hand: Hand, act: Act) -> None:
        """Tap what the player did."""
        runs = self.table["action"]["status"] in RUNS
        faced = hand.bettor in hand.all_in
        hand.act(act)
        if finished(hand) and not self.plain:
            self.tap("over")  # the last action of a hand says itself: the pot is pushed
            return
        if act.all_in:
            self.tap(self.all_in(act, faced=faced))
        elif act.raises:
            self.tap("count")
        elif act.kind == "fold":
            self.tap("fold")
        elif hand.next in STREETS and not self.plain:
            # The last one has checked or called: the next street says so by itself.
            self.street(hand, "street")
            return
        else:
            self.tap("big" if runs else "next")
        self.compare(hand)

    def all_in(self, act: Act, *, faced: bool) -> str:
        """Choose the button for an all-in: one alone is a raise, unless an all-in is faced."""
        if act.raises != faced and self.offered("all_in") is not None:
            return "all_in"
        return "all_in_raise" if act.raises else "all_in_call"

    # ── the truth ────────────────────────────────────────────────────────────────────────────────

    def same(self, kind: str, said: object, true: object) -> None:
        """Insist that what is said is true."""
        if said != true:
            raise Wrong(kind, f"it says {said}, the truth is {true}")

    def compare(self, hand: Hand) -> None:
        """Hold the table's document against the truth."""
        table = self.table
        seen, action = table["hand"], table["action"]
        to_act, turn = hand.to_act, hand.turn
        live = {int(seat) for seat, taken in table["seats"].items() if taken["in_hand"]}
        self.same("wrong street", seen["street"], hand.street)
        self.same("wrong live seats", live, hand.live)
        self.same("wrong all-ins", set(seen["all_in"]) & hand.live, hand.all_in & hand.live)
        runs = action["status"] in RUNS
        if runs and action["seat"] not in to_act:
            raise Wrong("clock for nobody", f"seat {action['seat']} cannot act: {to_act} can")
        if runs or (action["status"] == "held" and to_act):
            self.same("wrong seat", action["seat"], turn)
        if action["status"] == "idle":
            self.same("wrong turn", seen["turn"], turn)
        self.same("wrong to_act", seen["to_act"], to_act)
        self.same("wrong next", seen["next"], hand.next)
        self.same("wrong bettor", seen["bettor"], hand.bettor)
        if turn is not None and turn not in hand.forced:
            self.same("wrong facing", seen["facing_bet"], hand.facing)
            if runs:
                self.same("wrong facing", action["facing_bet"], hand.facing)
        self.compare_big(hand)

    def compare_big(self, hand: Hand) -> None:
        """Hold what the big button would do against what comes next."""
        big = self.look().big
        do = None if big.command is None else big.command["do"]
        if hand.next == "act":
            right = do in ("action.next", "action.start", "action.release")
        elif hand.next in ("over", "showdown"):
            right = do == "hand.end"
        else:
            right = do == "street.next"
        if not right:
            raise Wrong("wrong big button", f"{big.label} ({do}), next is {hand.next}")
