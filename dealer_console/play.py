"""A table that is played on without its hub: its document, changed by one command after the other.

What is here follows poker's rules as far as they are simple. It reads the betting round from the
document (`hand.to_act`, `bettor`, `next`); where no round is known, the turn goes clockwise round
the live seats. What only the hub can know stays as it is: no chip burns, no hand dies.

Pure: nothing here reads a clock. `web/play.js` does the same, held to `tests/vectors/offline.json`.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from dealer_console.phrases import HELD_BY_RULES, STREETS

Document = Mapping[str, Any]
Args = Mapping[str, Any]
SECOND, HEADS_UP = 1_000, 2

WHOEVER = 0
"""The seat of an action that nobody was named for: the dealer just restarts the clock."""

IDLE: Document = {
    "status": "idle",
    "seat": None,
    "remaining_ms": None,
    "ends_at": None,
    "on_bank": 0,
    "used": 0,
    "facing_bet": None,
    "outcome": None,
    "interrupted": False,
    "acted": False,
}
"""The action of a table where nobody's time runs."""

OFF: Document = {
    "status": "off",
    "seat": None,
    "remaining_ms": None,
    "ends_at": None,
    "outcome": None,
}
"""The called clock of a table where none is called."""


def clockwise(seats: Iterable[int], after: int) -> list[int]:
    """Put seats in order from the left of a seat on; that seat itself comes last."""
    return sorted(seats, key=lambda seat: (seat <= after, seat))


def turn_of(table: Document) -> int | None:
    """Say whose turn it is, clock or no clock; None where it is nobody's, or nobody is named."""
    called, action = table["called"], table["action"]
    if called["status"] in ("running", "countdown", "paused"):
        found = called["seat"]
    else:
        found = table["hand"]["turn"] if action["status"] == "idle" else action["seat"]
    return None if found is None else int(found)


class Play:
    """A table that is played on."""

    def __init__(self, table: dict[str, Any], event: Document) -> None:
        self.table, self.event = table, event
        self.hand: dict[str, Any] = table["hand"]
        self.placed = False  # the dealer has put the button where the next hand has it

    def carry_out(self, do: str, args: Args, at: int) -> bool:
        """Do what a command does at an instant; False where that is left to the hub."""
        deed, seat = DEEDS.get(do), turn_of(self.table)
        idle = self.table["action"]["status"] == "idle"
        if deed is None or self.needs_ruling() or not deed(self, args, at):
            return False
        starts = do == "action.next" and idle and not args.get("acted")
        about = args.get("seat") if not do.startswith("action.") else args.get("seat") or seat
        chips = {"chips": args["chips"]} if do == "action.bank" else {}
        named = {"do": "action.start" if starts else do, "seat": about}
        self.table["undo"] = {**named, **chips, "again": False}
        self.table["nudge_at"] = None
        self.judge()
        return True

    # ── who is there ─────────────────────────────────────────────────────────────────────────────

    @property
    def knows(self) -> bool:
        """Whether the betting round is known."""
        return self.hand.get("next") is not None

    def needs_ruling(self) -> bool:
        """Say whether the floor must rule before anything goes on."""
        clocks = (self.table["action"], self.table["called"])
        return any(clock["outcome"] == "needs_ruling" for clock in clocks)

    def live(self) -> list[int]:
        """List the seats that are in the hand; outside a hand, all that are taken."""
        dealt, seats = self.hand["in_progress"], self.table["seats"]
        return sorted(int(seat) for seat, taken in seats.items() if taken["in_hand"] or not dealt)

    def asked(self) -> list[int]:
        """List the seats that can still be asked to act: live, and not all-in."""
        return [seat for seat in self.live() if seat not in self.hand["all_in"]]

    def after(self, seat: int) -> int | None:
        """Find the next seat to be asked where no round is known."""
        others = [other for other in clockwise(self.asked(), seat) if other != seat]
        return others[0] if others and seat != WHOEVER else None

    def base(self, seat: int) -> int | None:
        """Say how long a seat has: the street's time, or its player's limit; None is no clock."""
        rule, taken = self.event["action_clock"], self.table["seats"].get(str(seat))
        times = [] if taken is None or taken["limit_s"] is None else [taken["limit_s"]]
        if rule is not None:
            times.append(rule.get("streets", {}).get(self.hand["street"], rule["seconds"]))
        return min(times) * SECOND if times else None

    def stands(self) -> bool:
        """Say whether time does nothing here: the table is paused, or the whole room."""
        clock = self.event["clock"]
        room = clock["status"] == "paused" and clock["reason"] not in HELD_BY_RULES
        return room or self.table["paused"] is not None

    def whose(self) -> int | None:
        """Say who acts: whose turn it is, or whoever it is where no round is known."""
        seat = turn_of(self.table)
        if seat is not None:
            return seat
        unnamed = self.table["action"]["status"] != "idle"
        return WHOEVER if unnamed or (self.hand["in_progress"] and not self.knows) else None

    # ── the round ────────────────────────────────────────────────────────────────────────────────

    def faces_bet(self, seat: int) -> bool:
        """Say whether a seat faces a bet; before the flop all do, but for who has the option."""
        hand = self.hand
        if not self.knows:
            return bool(hand["facing_bet"])
        if hand["bettor"] is not None:
            return bool(hand["bettor"] != seat)
        option = hand["blinds"]["big"] if hand["straddle"] is None else hand["straddle"]
        blinds = hand["street"] == STREETS[0] and not hand.get("unbet")
        return bool(blinds and seat != option)

    def expect(self, seats: Iterable[int], bettor: int | None) -> None:
        """Let these seats have to act, as far as they can and there is something to decide."""
        hand, live, asked = self.hand, self.live(), self.asked()
        hand["next"], hand["bettor"] = "act", bettor
        to_act = [seat for seat in seats if seat in asked]
        alone = len(asked) <= 1 and not any(self.faces_bet(seat) for seat in to_act)
        hand["to_act"] = [] if len(live) <= 1 or alone else to_act
        last = STREETS.index(hand["street"]) + 1 == len(STREETS)
        if len(live) <= 1:
            hand["next"] = "over"
        elif not hand["to_act"] and last:
            hand["next"] = "showdown"
        elif not hand["to_act"]:
            coming = STREETS[STREETS.index(hand["street"]) + 1]
            hand["next"] = "run_out" if len(asked) <= 1 else coming

    def first(self) -> int | None:
        """Say who has to act first."""
        return self.hand["to_act"][0] if self.hand["to_act"] else None

    def passed(self, seat: int) -> int | None:
        """Let a seat have checked or called, and who was expected before it; say who is next."""
        if not self.knows or seat == WHOEVER:
            return self.after(seat)
        to_act = self.hand["to_act"]
        self.expect(
            to_act[to_act.index(seat) + 1 :] if seat in to_act else to_act, self.hand["bettor"]
        )
        return self.first()

    def folded(self, seat: int) -> int | None:
        """Take a seat out of the hand; say who is next."""
        following = None if self.knows else self.after(seat)
        self.take_out(seat)
        if self.knows:
            return self.passed(seat)
        alone = following is not None and self.after(following) in (None, seat)
        return None if alone else following

    def take_out(self, seat: int) -> None:
        """Take a seat out of the hand."""
        taken = self.table["seats"].get(str(seat))
        if taken is not None:
            taken["in_hand"] = False
        self.hand["all_in"] = [other for other in self.hand["all_in"] if other != seat]

    def bet(self, seat: int) -> int | None:
        """Let a seat have bet or raised: everybody else has to act again; say who is next."""
        self.hand["facing_bet"] = True
        if not self.knows or seat == WHOEVER:
            return self.after(seat)
        self.expect([other for other in clockwise(self.asked(), seat) if other != seat], seat)
        return self.first()

    def believe(self, seat: int, *, facing: bool | None) -> None:
        """Take the dealer's word for whose turn it is.

        Who was expected before has acted; if the round was over, one begins in which nobody faces
        a bet. A seat that had acted already faces a raise: the live seat to its right is the last
        that can have.
        """
        if not self.knows or seat == WHOEVER:
            return
        if self.hand["next"] in STREETS and self.hand["button"] is not None:
            self.hand["unbet"] = self.hand["street"] == STREETS[0]
            self.expect(clockwise(self.asked(), self.hand["button"]), None)
        to_act, bettor = self.hand["to_act"], self.hand["bettor"]
        unknown_bet = facing is True and not self.faces_bet(seat)
        if seat in to_act and not unknown_bet:
            self.expect_exactly(to_act[to_act.index(seat) :], bettor)
            return
        raised = self.before(seat)
        if raised is None:
            self.expect_exactly([seat, *(other for other in to_act if other != seat)], bettor)
        else:
            self.expect_exactly(self.until(seat, raised), raised)

    def expect_exactly(self, seats: list[int], bettor: int | None) -> None:
        """Let these seats have to act, whatever there is to decide: the dealer says so."""
        self.expect(seats, bettor)
        self.hand["to_act"] = seats
        self.hand["next"] = "over" if len(self.live()) <= 1 else "act"

    def before(self, seat: int) -> int | None:
        """Find the live seat to the right of a seat."""
        others = [other for other in clockwise(self.live(), seat) if other != seat]
        return others[-1] if others else None

    def until(self, seat: int, bettor: int) -> list[int]:
        """List who has to act from a seat on, up to the one whose bet it is."""
        ring = [seat, *(other for other in clockwise(self.live(), seat) if other != seat)]
        asked = self.asked()
        upto = ring.index(bettor) if bettor in ring else len(ring)
        return [other for other in ring[:upto] if other in asked]

    def open_street(self, street: str | None = None) -> int | None:
        """Begin the next betting round left of the button, without a bet; say who is first."""
        hand = self.hand
        hand["street"] = street or STREETS[STREETS.index(hand["street"]) + 1]
        hand["facing_bet"] = hand["unbet"] = False
        if hand["button"] is None:
            return None
        order = clockwise(self.asked(), hand["button"])
        if "next" not in hand:
            return order[0] if order else None
        self.expect(order, None)
        return self.first()

    def judge(self) -> None:
        """Say whether whose turn it is faces a bet, and whether an all-in must be asked about."""
        hand, action = self.hand, self.table["action"]
        if not self.knows:
            return
        first = self.first()
        if action["status"] in ("idle", "expired"):
            hand["facing_bet"] = first is not None and self.faces_bet(first)
        else:
            hand["facing_bet"] = action["facing_bet"]
        faced = hand["bettor"] != first and hand["bettor"] in hand["all_in"]
        others = any(seat != first for seat in self.asked())
        hand["asks_all_in"] = first is not None and faced and others

    # ── clocks ───────────────────────────────────────────────────────────────────────────────────

    def leave(self) -> None:
        """End what runs; chips that it has cost are to be collected (SB-47h)."""
        action = self.table["action"]
        if action["used"] and action["status"] != "expired":
            owed = {each["seat"]: each["chips"] for each in self.table["collect"]}
            owed[action["seat"]] = owed.get(action["seat"], 0) + action["used"]
            collect = [{"seat": seat, "chips": chips} for seat, chips in sorted(owed.items())]
            self.table["collect"] = collect
        self.table["action"], self.table["called"] = dict(IDLE), dict(OFF)
        self.hand["turn"] = None

    def wait_for(self, seat: int | None) -> None:
        """Let nobody's time run; it is this seat's turn."""
        self.leave()
        self.hand["turn"] = seat or None

    def begin(self, seat: int, at: int, *, facing: bool | None = None) -> bool:
        """Let a seat's time begin; False where no clock is in play for it."""
        if self.base(seat) is None:
            return False
        self.leave()
        self.believe(seat, facing=facing)
        faces = self.faces_bet(seat) if facing is None else facing
        base = self.base(seat) or 0
        self.table["action"] |= {
            "status": "paused" if self.stands() else "running",
            "seat": seat or None,
            "remaining_ms": base,
            "ends_at": None if self.stands() else at + base,
            "facing_bet": faces,
        }
        if not self.knows:
            self.hand["facing_bet"] = self.hand["facing_bet"] or faces
        return True

    def go_on(self, seat: int | None, at: int, *, facing: bool | None = None) -> None:
        """Let the next player's time begin, if there is one, and a clock for them."""
        self.wait_for(seat)
        if seat is not None:
            self.begin(seat, at, facing=facing)

    def count(self, seat: int | None) -> None:
        """Let the next player's time stand while a bet is counted."""
        base = None if seat is None else self.base(seat)
        self.wait_for(seat)
        if base is not None:
            held = {"status": "held", "seat": seat, "remaining_ms": base}
            self.table["action"] |= {**held, "facing_bet": True, "acted": True}
            self.hand["turn"] = None

    # ── acting ───────────────────────────────────────────────────────────────────────────────────

    def start(self, args: Args, at: int) -> bool:
        """Begin the time of a seat that the dealer names; of whoever it is, where none is."""
        seat = args.get("seat") or WHOEVER
        if seat != WHOEVER and seat not in self.asked():
            return False
        return self.begin(seat, at, facing=args.get("facing_bet"))

    def next(self, args: Args, at: int) -> bool:
        """Check or call; or begin the time of whose turn it is, where nobody's runs."""
        action, seat, named = self.table["action"], self.whose(), args.get("seat")
        facing, called = args.get("facing_bet"), self.table["called"]["status"]
        counted = action["status"] == "held" and action["acted"]
        waits = action["status"] == "idle" and called in ("off", "expired")
        if (counted or waits) and not args.get("acted"):
            if counted and named in (None, seat) and facing is None:
                return self.release(args, at)
            begins = seat if named is None else named
            return begins is not None and self.begin(begins, at, facing=facing)
        if seat is None:
            return False
        following = self.passed(seat)
        self.go_on(following if named is None else named, at, facing=facing)
        return True

    def fold(self, args: Args, at: int) -> bool:
        """Fold: the next player's time begins; out of turn, the turn stays."""
        turn, seat = self.whose(), args.get("seat")
        if seat is not None and (seat != turn or not turn):
            return self.fold_out_of_turn(seat)
        if turn is None:
            return False
        self.go_on(self.folded(turn), at, facing=args.get("facing_bet"))
        return True

    def fold_out_of_turn(self, seat: int) -> bool:
        """Take a seat out of the hand whose turn it is not."""
        taken = self.table["seats"].get(str(seat))
        if taken is None or not self.hand["in_progress"] or not taken["in_hand"]:
            return False
        self.take_out(seat)
        if not self.knows:
            return True
        self.expect(self.hand["to_act"], self.hand["bettor"])
        if self.hand["turn"] is not None:
            self.hand["turn"] = self.first()
        if self.hand["next"] != "act":
            self.leave()
        return True

    def hold(self, args: Args, at: int) -> bool:
        """Count a bet or a raise; or hold a player's clock where nobody has acted."""
        action, seat = self.table["action"], self.whose()
        if not args.get("acted", True):
            if action["status"] not in ("running", "expiring"):
                return False
            left = max(0, action["ends_at"] - at)
            action |= {"status": "held", "remaining_ms": left, "ends_at": None}
            return True
        if seat is None or action["status"] == "expired":
            return False
        self.count(self.bet(seat))
        return True

    def all_in(self, args: Args, at: int) -> bool:
        """Go all-in: a bet or raise, or a call where somebody's all-in is faced."""
        seat, hand, raises = self.whose(), self.hand, args.get("raises")
        if seat is None or self.table["action"]["status"] == "expired":
            return False
        faced = self.knows and hand["bettor"] != seat and hand["bettor"] in hand["all_in"]
        if seat != WHOEVER:
            hand["all_in"] = sorted({*hand["all_in"], seat})
        if faced if raises is None else not raises:
            self.go_on(self.passed(seat), at)
        else:
            self.count(self.bet(seat))
        return True

    def stop(self, _args: Args, _at: int) -> bool:
        """Let nobody's time run: the player has acted."""
        action, seat = self.table["action"], self.whose()
        if action["status"] == "idle" or seat is None:
            return False
        waits = action["status"] == "held" and action["acted"]  # that seat has not acted yet
        self.wait_for(seat if waits else self.passed(seat))
        return True

    def release(self, _args: Args, at: int) -> bool:
        """Let a clock that is held go on."""
        action = self.table["action"]
        if action["status"] != "held":
            return False
        action |= {
            "status": "paused" if self.stands() else "running",
            "ends_at": None if self.stands() else at + action["remaining_ms"],
            "acted": False,
            "interrupted": False,
        }
        return True

    def bank(self, args: Args, _at: int) -> bool:
        """Spend the chips that were pushed forward; none goes by itself (SB-47i)."""
        action, rule = self.table["action"], self.event["action_clock"]
        seat, chips = args["seat"], args["chips"]
        taken = self.table["seats"].get(str(seat))
        runs = action["status"] in ("running", "held", "paused", "expiring")
        if rule is None or taken is None or not runs or action["seat"] not in (None, seat):
            return False
        if taken["bank"] < chips or taken["limit_s"] is not None:
            return False
        more = chips * rule["chip_seconds"] * SECOND
        taken["bank"] -= chips
        action |= {
            "seat": seat,
            "remaining_ms": action["remaining_ms"] + more,
            "ends_at": None if action["ends_at"] is None else action["ends_at"] + more,
            "on_bank": action["on_bank"] + chips,
            "used": action["used"] + chips,
        }
        return True

    def collect(self, args: Args, _at: int) -> bool:
        """Take a seat's chips off the list."""
        before = self.table["collect"]
        self.table["collect"] = [owed for owed in before if owed["seat"] != args["seat"]]
        return len(self.table["collect"]) < len(before)

    def stop_called(self, _args: Args, _at: int) -> bool:
        """End the called clock: its player has checked or called."""
        called = self.table["called"]
        if called["status"] == "off":
            return False
        if called["status"] != "expired" and self.knows:
            self.hand["turn"] = self.passed(called["seat"])
        self.table["called"] = dict(OFF)
        return True

    # ── hands ────────────────────────────────────────────────────────────────────────────────────

    def deal(self, args: Args, _at: int) -> bool:
        """Begin a hand: everybody is in it, and who is first to act is waited for."""
        clock, hand = self.event["clock"], self.hand
        begins = clock["status"] == "running" and clock["phase"] == "level"
        if not begins or self.stands() or self.table["h4h"] in ("done", "all_in", "runout"):
            return False
        self.leave()
        if hand["in_progress"]:
            hand["misdealt"] = False
        seats = sorted(map(int, self.table["seats"]))
        again, button = hand.get("misdealt", False), args.get("button")
        places = self.places(seats)
        if button is not None and button != places[0]:
            places = places_from(button, seats)
        for taken in self.table["seats"].values():
            taken["in_hand"] = True
        if self.table["next_hand"] is not None and not again:
            self.table |= self.table["next_hand"]
            self.table["next_hand"] = None
        hand |= {"in_progress": True, "street": STREETS[0], "facing_bet": True, "all_in": []}
        hand["number"] += not again
        self.placed = False
        self.take_places(places, args.get("straddle"))
        return True

    def take_places(
        self, places: tuple[int | None, int | None, int | None], straddle: int | None
    ) -> None:
        """Put button and blinds in their places; the round ends with the big blind or straddle."""
        hand, (button, small, big) = self.hand, places
        seats = sorted(map(int, self.table["seats"]))
        last = big if straddle is None else straddle
        order = [] if last is None else clockwise(seats, last)
        hand["button"] = button
        if "next" in hand:
            hand |= {"blinds": {"small": small, "big": big}, "straddle": straddle}
            hand |= {"misdealt": False, "bettor": None, "to_act": [], "next": None}
            if order:
                self.expect_exactly(order, None)
        self.wait_for(order[0] if order else None)

    def places(self, seats: list[int]) -> tuple[int | None, int | None, int | None]:
        """Say where button, small and big blind are in the next hand (DB).

        The big blind moves on; the small blind is due from who had it, and dead where they have
        gone; the button goes to where the small blind was, be it an empty seat.
        """
        hand = self.hand
        last, button = hand.get("blinds", {"small": None, "big": None}), hand["button"]
        if self.placed and button is not None:
            return places_from(button, seats)
        if hand.get("misdealt", False):
            return button, last["small"] if last["small"] in seats else None, last["big"]
        if len(seats) < HEADS_UP or button is None:
            return places_from(seats[0], seats) if seats else (button, None, None)
        if last["big"] is None:
            return places_from(clockwise(seats, button)[0], seats)
        if len(seats) == HEADS_UP:
            other, was_big = clockwise(seats, last["big"])
            return was_big, was_big, other
        if last["small"] in (None, last["big"]):
            return places_from(clockwise(seats, button)[0], seats)
        small = last["big"] if last["big"] in seats else None
        return last["small"], small, clockwise(seats, last["big"])[0]

    def end(self, _args: Args, _at: int) -> bool:
        """End the hand."""
        if not self.hand["in_progress"]:
            return False
        self.leave()
        for taken in self.table["seats"].values():
            taken["in_hand"] = False
        self.hand |= {"in_progress": False, "all_in": []}
        if "next" in self.hand:
            self.hand |= {"next": None, "to_act": [], "bettor": None, "asks_all_in": False}
        if self.table["h4h"] in ("playing", "runout"):
            self.table["h4h"] = "done"
        return True

    def misdeal(self, args: Args, at: int) -> bool:
        """End the hand as if it had not been: the next one is its replay (AP-35C)."""
        before = self.table["h4h"]
        if not self.end(args, at):
            return False
        self.table["h4h"] = before
        self.hand |= {"misdealt": True, "street": STREETS[0]}
        return True

    def street(self, args: Args, at: int) -> bool:
        """Begin the next betting round, whoever was expected to act in this one."""
        hand = self.hand
        last = hand["street"] == STREETS[-1]
        if not hand["in_progress"] or last or self.table["h4h"] == "all_in":
            return False
        self.leave()
        first = self.open_street(args.get("street"))
        self.wait_for(first)
        if args.get("start") and first is not None:
            self.begin(first, at)
        return True

    def put_button(self, args: Args, _at: int) -> bool:
        """Put the button where the dealer says, for the next hand."""
        if self.hand["in_progress"]:
            return False
        self.hand["button"], self.placed = args["seat"], True
        return True

    def sync(self, args: Args, _at: int) -> bool:
        """Put street, live seats, bet and turn right; nobody's time runs."""
        hand, live, seat = self.hand, args.get("live"), args["seat"]
        if not hand["in_progress"] or "next" not in hand:
            return False
        self.leave()
        hand["street"] = args.get("street") or hand["street"]
        for number, taken in self.table["seats"].items():
            taken["in_hand"] = taken["in_hand"] if live is None else int(number) in live
        live_now = self.live()
        hand["all_in"] = [each for each in hand["all_in"] if each != seat and each in live_now]
        bettor = args.get("bettor")
        if bettor is None and args.get("bet"):
            bettor = self.before(seat)
        if bettor is not None:
            self.expect_exactly(self.until(seat, bettor), bettor)
        else:
            option = hand["blinds"]["big"] if hand["straddle"] is None else hand["straddle"]
            last = option if hand["street"] == STREETS[0] else hand["button"]
            order = clockwise(self.asked(), seat if last is None else last)
            self.expect_exactly(order[order.index(seat) :] if seat in order else [], None)
        self.wait_for(seat)
        return True

    # ── the table ────────────────────────────────────────────────────────────────────────────────

    def pause(self, args: Args, at: int) -> bool:
        """Let everything at the table stand."""
        if self.table["paused"] is not None:
            return False
        self.table["paused"] = args.get("reason") or "paused"
        for clock in (self.table["action"], self.table["called"]):
            if clock["ends_at"] is not None:
                left = max(0, clock["ends_at"] - at)
                clock |= {"status": "paused", "remaining_ms": left, "ends_at": None}
        return True

    def call_floor(self, args: Args, at: int) -> bool:
        """Call the floor; for some reasons of the house the table stands."""
        reason = args.get("reason")
        self.table["floor"] = {**(self.table["floor"] or {}), "since": at, "reason": reason}
        reasons = self.event.get("floor_reasons", [])
        if any(each["reason"] == reason and each["holds"] for each in reasons):
            self.pause(args, at)
        return True


def places_from(button: int, seats: list[int]) -> tuple[int | None, int | None, int | None]:
    """Give the blinds of a button that was put somewhere: the next two players post."""
    order = clockwise(seats, button)
    if len(order) < HEADS_UP:
        return button, None, None
    if len(order) == HEADS_UP:  # an empty seat cannot deal: the player to its right does
        big, small = order
        return small, small, big
    return button, order[0], order[1]


DEEDS: Mapping[str, Callable[[Play, Args, int], bool]] = {
    "action.start": Play.start,
    "action.next": Play.next,
    "action.fold": Play.fold,
    "action.hold": Play.hold,
    "action.all_in": Play.all_in,
    "action.stop": Play.stop,
    "action.release": Play.release,
    "action.bank": Play.bank,
    "collect.done": Play.collect,
    "called.stop": Play.stop_called,
    "hand.start": Play.deal,
    "hand.end": Play.end,
    "h4h.done": Play.end,
    "hand.misdeal": Play.misdeal,
    "hand.sync": Play.sync,
    "street.next": Play.street,
    "button.set": Play.put_button,
    "table.pause": Play.pause,
    "floor.call": Play.call_floor,
}
"""What is simple enough to be assumed; everything else waits for the hub."""
