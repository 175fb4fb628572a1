"""A robot dealer's mind: from the documents to the next tap.

No socket and no clock: `look` says what to tap and after how long, `answered` takes in what became
of it. The same seed and the same documents make the same decisions. Everything that matters is read
from the document; what is only remembered (the cards, the bets) may be lost without harm.
"""

from collections.abc import Callable
from random import Random
from typing import Any

from server.robots.betting import Choice, Deal
from server.robots.pace import Doc, Habits, Tap, about
from server.robots.talk import Felt, Talk

RIVER = "river"
HELD_BY_PLAY = ("hand_for_hand", "break_waits", "hard_stop")
"""Reasons for which the clock stands though the hands in progress go on."""

CALLS = ("a chip colour is disputed", "verbal declaration", "cards exposed", "a player is missing")


def stands(event: Doc) -> bool:
    """Say whether everything in the room stands."""
    clock = event["clock"]
    paused = clock["status"] == "paused" and clock["reason"] not in HELD_BY_PLAY
    return paused or clock["status"] in ("waiting", "suspended", "finished")


class Dealer:
    """One dealer at one table."""

    def __init__(
        self, table: int, rng: Random, felt: Felt, talk: Talk, habits: Habits | None = None
    ) -> None:
        self.table, self._rng, self._felt, self._talk = table, rng, felt, talk
        self._habits = habits or Habits()
        self._deal: Deal | None = None
        self._choice: tuple[tuple[Any, ...], Choice, str] | None = None  # whose, what, and how
        self._seen: object = None  # the situation that the tap is for
        self._tap: Tap | None = None
        self._then: Callable[[], None] | None = None  # what the tap means, once it is done
        self._oops = False
        self._hands = 0  # since the last push
        self._trouble: str | None = None

    def look(self, table: Doc | None, event: Doc | None) -> Tap | None:
        """Say what to tap next; None is to wait until something changes.

        As long as the situation stays the same, so does the answer: a document that changes in some
        other respect does not make a player think again.
        """
        if table is None or event is None:
            return None
        seen = self._situation(table, event)
        if seen != self._seen:
            self._seen, self._then = seen, None
            self._tap = self._decide(table, event)
        return self._tap

    def answered(self, done: bool) -> None:
        """Take in whether the tap was carried out; if it was refused, look again."""
        then, self._seen, self._then = self._then, None, None
        if not done:
            self._oops, self._choice = False, None
        elif then is not None:
            then()

    def _situation(self, table: Doc, event: Doc) -> object:
        action, clock = table["action"], event["clock"]
        seats = {
            seat: (taken["player"], taken["in_hand"]) for seat, taken in table["seats"].items()
        }
        return (
            [action[key] for key in ("status", "seat", "used", "outcome")],
            (table["hand"], seats, table["collect"], table["paused"], table["h4h"]),
            (table["floor"] is None, clock["phase"], stands(event), clock["reason"]),
            (event["h4h"]["status"], event["action_clock"], self.table in self._talk.waits),
            self._broke(table),
        )

    def _say(
        self, do: str, seconds: float, then: Callable[[], None] | None = None, **args: Any
    ) -> Tap:
        self._then = then
        return Tap(do, {"table": self.table, **args}, about(self._rng, seconds))

    def _broke(self, table: Doc) -> bool:
        players = [taken["player"] for taken in table["seats"].values()]
        return any(self._felt.stack(player) <= 0 for player in players)

    def _decide(self, table: Doc, event: Doc) -> Tap | None:
        if stands(event):
            return None
        if self._oops:
            return self._say("undo", 1.5, self._undone)
        ruling = table["action"]["outcome"] == "needs_ruling"
        if table["paused"] is not None or ruling or table["called"]["outcome"] == "needs_ruling":
            # Only the floor can help; somebody must have called them.
            called = table["floor"] is not None
            return None if called else self._say("floor.call", 2, reason="please rule")
        if table["collect"]:
            return self._say("collect.done", 2, seat=table["collect"][0]["seat"])
        if table["hand"]["in_progress"]:
            return self._in_hand(table, event)
        return self._between(table, event)

    def _undone(self) -> None:
        self._oops = False

    # ── between hands ────────────────────────────────────────────────────────────────────────────

    def _between(self, table: Doc, event: Doc) -> Tap | None:
        status, clock = table["h4h"], event["clock"]
        seats = [int(seat) for seat in table["seats"]]
        if status == "runout" or (status == "playing" and len(seats) < 2):  # noqa: PLR2004 - nobody to play
            return self._say("h4h.done", 3)
        if clock["phase"] == "break" or clock["reason"] == "hard_stop" or len(seats) < 2:  # noqa: PLR2004
            return None
        if status is None:
            if clock["status"] != "running" or self.table in self._talk.waits:
                return None
        elif status != "playing" or event["h4h"]["status"] != "playing":
            return None
        if self._broke(table):
            return None  # the floor takes the player away first
        if self._hands >= self._habits.push_every and status is None:
            return self._say("dealer.push", 8, self._pushed)
        if table["hand"]["button"] is None:  # the first one is drawn, then the hub knows
            return self._say("hand.start", 22, self._started, button=self._rng.choice(seats))
        return self._say("hand.start", 22, self._started)

    def _pushed(self) -> None:
        self._hands = 0

    def _started(self) -> None:
        self._hands += 1
        roll, habits = self._rng.random(), self._habits
        self._trouble = None
        if roll < habits.call + habits.dispute:
            self._trouble = "table.pause" if roll < habits.dispute else "floor.call"

    # ── the hand ─────────────────────────────────────────────────────────────────────────────────

    def _known(self, table: Doc) -> Deal:
        """Give the hand as it is remembered, or what can be known of it."""
        hand = table["hand"]
        deal, live = self._deal, [int(s) for s, taken in table["seats"].items() if taken["in_hand"]]
        if deal is None or deal.number != hand["number"]:
            players = {seat: table["seats"][str(seat)]["player"] for seat in live}
            blinds = table["small"] or 0, table["big"] or 0
            if len(players) < 2:  # noqa: PLR2004 - found in the middle of a hand, almost over
                return Deal(hand["number"], players, {}, 1, {}, hand["street"])
            deal = Deal.of(
                hand["number"],
                players,
                seats=(hand["blinds"]["small"], hand["blinds"]["big"]),
                blinds=blinds,
                felt=self._felt,
                rng=self._rng,
            )
            self._deal, self._choice = deal, None
        if deal.street != hand["street"]:
            deal.deal_street(hand["street"], live, hand["button"] or 0, self._rng)
        return deal

    def _in_hand(self, table: Doc, event: Doc) -> Tap | None:
        deal, action = self._known(table), table["action"]
        if action["status"] == "paused" or table["h4h"] == "all_in":
            return None
        if action["status"] == "held":
            return self._say("action.release", 5)
        if self._trouble is not None and deal.street != "preflop":
            return self._say(self._trouble, 4, self._told, reason=self._rng.choice(CALLS))
        seat = action["seat"]
        if action["status"] == "expired" and seat in deal.owing:
            fate = Choice("fold") if action["outcome"] == "dead" else Choice("call")
            deal.act(seat, fate, self._live(table, deal))
        if event["action_clock"] is None:
            self._play_silently(deal, table)
        live = self._live(table, deal)
        if deal.settled or len(live) < 2:  # noqa: PLR2004 - nobody left to play against
            return self._finish(table, deal, live)
        if action["status"] in ("running", "expiring") and seat in deal.owing & set(live):
            return self._action(table, event, deal)
        following = deal.following(live)
        if following is None:
            return self._street_over(table, deal, live)
        if action["status"] == "idle" and table["hand"]["turn"] == following:
            return self._say("action.next", 2)
        return self._say("action.start", 2, seat=following)

    def _told(self) -> None:
        self._trouble = None

    @staticmethod
    def _live(table: Doc, deal: Deal) -> list[int]:
        dealt = (int(seat) for seat, taken in table["seats"].items() if taken["in_hand"])
        return [seat for seat in dealt if seat not in deal.out]

    def _play_silently(self, deal: Deal, table: Doc) -> None:
        """Play a street at a house without an action clock: the hub is told of no decision."""
        while (seat := deal.following(self._live(table, deal))) is not None:
            live = self._live(table, deal)
            deal.act(seat, deal.choose(seat, live, self._rng), live)

    def _street_over(self, table: Doc, deal: Deal, live: list[int]) -> Tap:
        if deal.all_in(live) and table["h4h"] == "playing":
            return self._say("h4h.all_in", 3)
        if deal.street == RIVER:
            return self._finish(table, deal, live)
        if table["action"]["status"] != "idle":
            return self._say("action.stop", 1)
        return self._say("street.next", 6)

    def _finish(self, table: Doc, deal: Deal, live: list[int]) -> Tap:
        """Push the pot; who is out is called out before the hand is over, so that it counts."""
        if not deal.settled:
            deal.settled = True
            self._talk.bust(self._felt.settle(deal.result(live)))
        showdown = len(live) > 1
        do = "hand.end" if table["h4h"] is None else "h4h.done"
        return self._say(do, 12 if showdown else 4)

    # ── a decision ───────────────────────────────────────────────────────────────────────────────

    def _action(self, table: Doc, event: Doc, deal: Deal) -> Tap | None:
        action, live, rng = table["action"], self._live(table, deal), self._rng
        seat, used = action["seat"], action["used"]
        whose = (deal.number, deal.street, seat, deal.raises)
        if self._choice is None or self._choice[0] != whose:
            self._choice = (whose, deal.choose(seat, live, rng), self._manner())
        _, choice, manner = self._choice
        bank = table["seats"][str(seat)]["bank"]
        if manner == "die" or (manner == "burn" and not used):
            return None  # time will do something here, and then the document changes
        if manner == "bank" and not used and bank:
            return self._say("action.bank", 6, seat=seat, chips=rng.randint(1, min(2, bank)))
        if manner == "count":
            self._choice = (whose, choice, "")
            return self._say("action.hold", 4, acted=False)
        seconds = 1 if manner == "known" else {"fold": 2, "call": 4, "raise": 7}[choice.kind]
        tap = self._tapped(deal, seat, choice, live, seconds)
        if manner == "mistake" and table["h4h"] is None:
            self._choice = (whose, choice, "known")  # the player has said it already
            wrong = "action.next" if choice.kind == "fold" else "action.fold"
            return self._say(wrong, seconds, self._wrong)
        longest = 0.8 * event["action_clock"]["seconds"]
        return Tap(tap.do, tap.args, min(tap.after, longest))

    def _manner(self) -> str:
        habits, roll = self._habits, self._rng.random()
        for manner in ("die", "burn", "bank", "mistake", "count"):
            roll -= getattr(habits, manner)
            if roll < 0:
                return manner
        return ""

    def _wrong(self) -> None:
        self._oops = True

    def _tapped(self, deal: Deal, seat: int, choice: Choice, live: list[int], after: float) -> Tap:
        def acted() -> None:
            deal.act(seat, choice, live)

        if choice.kind == "fold":
            return self._say("action.fold", after, acted)
        if deal.takes_all(seat, choice):
            raises = choice.kind == "raise" and deal.most(seat) > deal.price
            return self._say("action.all_in", after, acted, raises=raises)
        if choice.kind == "raise":
            return self._say("action.hold", after, acted)
        return self._say("action.next", after, acted)
