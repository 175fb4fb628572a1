"""Offline: the table as it will be when the taps that wait for an answer have been carried out.

The hub decides; but while it is away the cards are dealt on, and a console that stands still is in
the dealer's way. `assumed` is what a dealer would say happened: a seat folds, the next player's
time runs from the instant of the tap, a bet is counted. What only the hub can know stays as it is:
no chip burns, no hand dies, and what is not simple waits for the hub.

Poker's round is read from the document (`hand.to_act`, `bettor`, `next`). Where no round is known,
the turn goes clockwise round the live seats.

Pure: nothing here reads a clock. `web/offline.js` does the same, held to `tests/vectors/offline.json`.
"""

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from typing import Any

from dealer_console.phrases import HELD_BY_RULES, STREETS

Document = Mapping[str, Any]
Args = Mapping[str, Any]
SECOND = 1_000

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


def assumed(
    table: Document | None, event: Document | None, taps: Iterable[Document], now: int
) -> Document | None:
    """Give the table's document as it will be; the hub's own where no tap changes it.

    A tap is a command with its instant in hub time: `do`, `args`, `at`.
    """
    if table is None or event is None:
        return table
    waiting = not_undone(tap for tap in taps if tap["args"].get("table") == table["table"])
    if not waiting:
        return table
    play = Play(deepcopy(dict(table)), event)
    changed = [
        play.carry_out(tap["do"], tap["args"], now if tap["at"] is None else tap["at"])
        for tap in waiting
    ]
    return {**play.table, "assumed": True} if any(changed) else table


def not_undone(taps: Iterable[Document]) -> list[Document]:
    """Leave out what was taken back by an undo that waits, too; an undo of that puts it back."""
    left: list[Document] = []
    undone: Document | None = None
    undoes = False
    for tap in taps:
        if tap["do"] != "undo":
            left.append(tap)
        elif undoes:
            left += [] if undone is None else [undone]
            undone = None
        else:
            undone = left.pop() if left else None  # before that: only the hub knows
        undoes = tap["do"] == "undo" and not undoes
    return left


def question(button: str, table: Document | None) -> str:
    """Say what a button asks: another tap on it is a second one only if this has changed."""
    if table is None:
        return button
    hand, undo = table["hand"], table["undo"]
    if button == "undo":
        last = "" if undo is None else f"{undo['do']}/{undo['seat']}/{undo['again']}"
        return f"{button}/{last}".lower()
    name, _, seat = button.rpartition("-")
    about = seat if name and seat.isdecimal() else turn_of(table) or "-"
    return f"{button}/{hand['number']}/{hand['street']}/{about}"


def turn_of(table: Document) -> int | None:
    """Say whose turn it is, clock or no clock."""
    called, action = table["called"], table["action"]
    if called["status"] in ("running", "countdown", "paused"):
        return _seat(called["seat"])
    return _seat(table["hand"]["turn"] if action["status"] == "idle" else action["seat"])


def _seat(found: Any) -> int | None:
    return None if found is None else int(found)


class Play:
    """A table that is played on: its document is changed by one command after the other."""

    def __init__(self, table: dict[str, Any], event: Document) -> None:
        self.table, self.event = table, event
        self.hand: dict[str, Any] = table["hand"]
        self.button: int | None = None  # where the next hand has it, if the dealer said so

    def carry_out(self, do: str, args: Args, at: int) -> bool:
        """Do what a command does at an instant; False where that is left to the hub."""
        deed = DEEDS.get(do)
        seat = turn_of(self.table)
        idle = self.table["action"]["status"] == "idle"
        if deed is None or not deed(self, args, at):
            return False
        starts = do == "action.next" and idle and not args.get("acted")
        about = args.get("seat", seat if do.startswith("action.") else None)
        named = {"do": "action.start" if starts else do, "seat": about}
        chips = {"chips": args["chips"]} if do == "action.bank" else {}
        self.table["undo"] = {**named, **chips, "again": False}
        self.table["nudge_at"] = None
        return True

    # ── who is there ─────────────────────────────────────────────────────────────────────────────

    @property
    def knows(self) -> bool:
        """Whether the round is known."""
        return self.hand.get("next") is not None

    def live(self) -> list[int]:
        """List the seats that are in the hand; outside a hand, all that are taken."""
        dealt, seats = self.hand["in_progress"], self.table["seats"]
        return sorted(int(seat) for seat, taken in seats.items() if taken["in_hand"] or not dealt)

    def asked(self) -> list[int]:
        """List the seats that can still be asked to act: live, and not all-in."""
        return [seat for seat in self.live() if seat not in self.hand["all_in"]]

    def base(self, seat: int | None) -> int | None:
        """Say how long a seat has: the street's time, or its player's limit; None is no clock."""
        rule = self.event["action_clock"]
        taken = None if seat is None else self.table["seats"].get(str(seat))
        times = [] if taken is None or taken["limit_s"] is None else [taken["limit_s"]]
        if rule is not None:
            times.append(rule.get("streets", {}).get(self.hand["street"], rule["seconds"]))
        return min(times) * SECOND if times else None

    def stands(self) -> bool:
        """Say whether time does nothing here: the table is paused, or the whole room."""
        clock = self.event["clock"]
        room = clock["status"] == "paused" and clock["reason"] not in HELD_BY_RULES
        return self.table["paused"] is not None or room

    def facing(self, seat: int | None) -> bool:
        """Say whether a seat faces a bet; before the flop all do, but for who has the option."""
        hand = self.hand
        if not self.knows:
            return bool(hand["facing_bet"])
        if hand["bettor"] is not None:
            return bool(hand["bettor"] != seat)
        option = hand["blinds"]["big"] if hand["straddle"] is None else hand["straddle"]
        return bool(hand["street"] == STREETS[0] and seat != option)

    # ── the round ────────────────────────────────────────────────────────────────────────────────

    def expect(self, seats: list[int]) -> int | None:
        """Let these seats be the ones that still have to act; give the first of them."""
        hand, live, asked = self.hand, len(self.live()), len(self.asked())
        hand["to_act"] = [] if live <= 1 else seats
        last = hand["street"] == STREETS[-1]
        if hand["to_act"]:
            hand["next"] = "act"
        elif live <= 1:
            hand["next"] = "over"
        elif last:
            hand["next"] = "showdown"
        else:
            following = STREETS[STREETS.index(hand["street"]) + 1]
            hand["next"] = "run_out" if asked <= 1 else following
        hand["asks_all_in"] = (
            hand["next"] == "act" and hand["bettor"] in hand["all_in"] and asked > 1
        )
        return hand["to_act"][0] if hand["to_act"] else None

    def passed(self, seat: int) -> int | None:
        """Let a seat have checked, called or folded; give who is next."""
        if self.knows:
            return self.expect([other for other in self.hand["to_act"] if other != seat])
        return _first(clockwise(seat, self.asked()))

    def folded(self, seat: int) -> int | None:
        """Take a seat out of the hand; give who is next."""
        taken = self.table["seats"].get(str(seat))
        if taken is not None:
            taken["in_hand"] = False
        following = self.passed(seat)
        alone = not self.knows and self.hand["in_progress"] and len(self.asked()) <= 1
        return None if alone else following

    def bet(self, seat: int) -> int | None:
        """Let a seat have bet or raised: everybody else has to act again; give who is next."""
        self.hand["facing_bet"] = True
        others = clockwise(seat, self.asked())
        if not self.knows:
            return _first(others)
        self.hand["bettor"] = seat
        return self.expect(others)

    def believe(self, seat: int) -> None:
        """Take the dealer's word for whose turn it is: who was expected before has acted."""
        if self.knows:
            to_act = self.hand["to_act"]
            found = to_act.index(seat) if seat in to_act else None
            self.expect([seat, *to_act] if found is None else to_act[found:])

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
        self.hand["turn"] = seat
        if self.knows:
            self.hand["facing_bet"] = seat is not None and self.facing(seat)

    def begin(self, seat: int | None, at: int, facing: bool | None = None) -> None:
        """Let a seat's time begin, where a clock is in play."""
        base = self.base(seat)
        self.wait_for(seat)
        if base is None:
            return
        self.table["action"] |= {
            "status": "paused" if self.stands() else "running",
            "seat": seat,
            "remaining_ms": base,
            "ends_at": None if self.stands() else at + base,
            "facing_bet": self.facing(seat) if facing is None else facing,
        }
        self.hand["turn"] = None

    def go_on(self, seat: int | None, at: int, facing: bool | None = None) -> None:
        """Let the next player's time begin, if there is one to act."""
        if seat is None:
            self.wait_for(None)
        else:
            self.begin(seat, at, facing)

    def count(self, seat: int | None) -> None:
        """Let the next player's time stand while a bet is counted."""
        base = None if seat is None else self.base(seat)
        self.wait_for(seat)
        if base is None:
            return
        self.table["action"] |= {
            "status": "held",
            "seat": seat,
            "remaining_ms": base,
            "facing_bet": True,
            "acted": True,
        }
        self.hand["turn"] = None

    # ── acting ───────────────────────────────────────────────────────────────────────────────────

    def start(self, args: Args, at: int) -> bool:
        """Begin the time of a seat that the dealer names; of whoever it is, where none is."""
        seat = args.get("seat")
        if seat is not None:
            if seat not in self.live():
                return False
            self.believe(seat)
        elif self.base(None) is None:
            return False
        self.begin(seat, at, args.get("facing_bet"))
        return True

    def next(self, args: Args, at: int) -> bool:
        """Check or call; or begin the time of whose turn it is, where nobody's runs."""
        action, seat = self.table["action"], turn_of(self.table)
        named = args.get("seat")
        unheard = self.table["called"]["status"] == "off" and (
            action["status"] == "idle" or (action["status"] == "held" and action["acted"])
        )
        if unheard and not args.get("acted"):
            seat = seat if named is None else named
            if seat is None:
                return False
            self.believe(seat)
            self.begin(seat, at, args.get("facing_bet"))
            return True
        if seat is None:
            return False
        following = self.passed(seat)
        if named is not None:
            self.believe(named)
            following = named
        self.go_on(following, at, args.get("facing_bet"))
        return True

    def fold(self, args: Args, at: int) -> bool:
        """Fold: the next player's time begins; out of turn, the turn stays."""
        turn = turn_of(self.table)
        seat = args.get("seat", turn)
        if seat is None:
            return False
        following = self.folded(seat)
        if seat == turn:
            self.go_on(following, at, args.get("facing_bet"))
        elif len(self.live()) <= 1:
            self.wait_for(None)
        return True

    def hold(self, args: Args, at: int) -> bool:
        """Count a bet or a raise; or hold a player's clock where nobody has acted."""
        action, seat = self.table["action"], turn_of(self.table)
        if not args.get("acted", True):
            if action["status"] != "running":
                return False
            left = max(0, action["ends_at"] - at)
            self.table["action"] |= {"status": "held", "remaining_ms": left, "ends_at": None}
            return True
        if seat is None or action["status"] == "expired":
            return False
        self.count(self.bet(seat))
        return True

    def all_in(self, args: Args, at: int) -> bool:
        """Go all-in: a bet or raise, or a call where somebody's all-in is faced."""
        seat, hand = turn_of(self.table), self.hand
        if seat is None or self.table["action"]["status"] == "expired":
            return False
        faced = self.knows and hand["bettor"] in hand["all_in"]
        raises = args.get("raises")
        hand["all_in"] = sorted({*hand["all_in"], seat})
        if faced if raises is None else not raises:
            self.go_on(self.passed(seat), at)
        else:
            self.count(self.bet(seat))
        return True

    def stop(self, _args: Args, _at: int) -> bool:
        """Let nobody's time run: the player has acted."""
        action = self.table["action"]
        if action["status"] == "idle":
            return False
        waits = action["status"] == "held" and action["acted"]  # that seat has not acted yet
        seat = action["seat"]
        self.wait_for(seat if waits or seat is None else self.passed(seat))
        return True

    def release(self, _args: Args, at: int) -> bool:
        """Let a clock that is held go on."""
        action = self.table["action"]
        if action["status"] != "held":
            return False
        stands = self.stands()
        action |= {
            "status": "paused" if stands else "running",
            "ends_at": None if stands else at + action["remaining_ms"],
            "acted": False,
            "interrupted": False,
        }
        return True

    def bank(self, args: Args, _at: int) -> bool:
        """Spend the chips that were pushed forward; none goes by itself (SB-47i)."""
        action, rule = self.table["action"], self.event["action_clock"]
        seat, chips = args["seat"], args["chips"]
        taken = self.table["seats"].get(str(seat))
        theirs = action["seat"] in (None, seat)
        runs = action["status"] in ("running", "held", "paused", "expiring")
        if rule is None or taken is None or not (theirs and runs) or taken["bank"] < chips:
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
        left = [owed for owed in self.table["collect"] if owed["seat"] != args["seat"]]
        self.table["collect"] = left
        return True

    def stop_called(self, _args: Args, _at: int) -> bool:
        """End the called clock."""
        self.table["called"] = dict(OFF)
        return True

    # ── hands ────────────────────────────────────────────────────────────────────────────────────

    def deal(self, args: Args, _at: int) -> bool:
        """Begin a hand: everybody is in it, and who is first to act is waited for."""
        clock, hand = self.event["clock"], self.hand
        if clock["status"] != "running" or clock["phase"] != "level" or self.stands():
            return False
        seats = sorted(map(int, self.table["seats"]))
        again, known = hand.get("misdealt", False), "blinds" in hand
        self.leave()
        button, small, big = self.blinds_of_next_hand(seats, args.get("button"))
        for taken in self.table["seats"].values():
            taken["in_hand"] = True
        if self.table["next_hand"] is not None and not again:
            self.table |= self.table["next_hand"]
            self.table["next_hand"] = None
        hand |= {
            "number": hand["number"] + (not again),
            "in_progress": True,
            "button": button,
            "street": STREETS[0],
            "facing_bet": True,
            "all_in": [],
        }
        straddle = args.get("straddle")
        last = big if straddle is None else straddle
        order = [] if last is None or len(seats) <= 1 else [*clockwise(last, seats), last]
        if known:
            hand |= {
                "blinds": {"small": small, "big": big},
                "straddle": straddle,
                "bettor": None,
                "misdealt": False,
                "next": None,
                "to_act": [],
            }
            if order:
                self.expect(order)
        self.button = None
        self.wait_for(_first(order))
        return True

    def blinds_of_next_hand(
        self, seats: list[int], named: int | None
    ) -> tuple[int | None, int | None, int | None]:
        """Say where button, small and big blind are: the big blind moves on, the others follow it.

        Where the last blinds are not known, or the dealer has put the button somewhere, the blinds
        are the next two after it; heads-up the button is the small blind.
        """
        hand = self.hand
        last = hand.get("blinds", {"small": None, "big": None})
        named = self.button if named is None else named
        if hand.get("misdealt", False) and named is None:
            return hand["button"], last["small"], last["big"]
        heads_up = len(seats) == 2  # noqa: PLR2004 - heads-up
        follows = named is None and last["big"] is not None and not heads_up
        if follows and last["small"] is not None and len(seats) > 1:
            small = last["big"] if last["big"] in seats else None
            return last["small"], small, clockwise(last["big"], seats)[0]
        button = named
        if button is None and heads_up and last["big"] in seats:
            button = last["big"]  # nobody is the big blind twice
        if button is None:
            button = _first(seats if hand["button"] is None else clockwise(hand["button"], seats))
        if button is None or len(seats) <= 1:
            return button, None, None
        around = [*clockwise(button, seats), *([button] if button in seats else [])]
        return (button, around[-1], around[0]) if heads_up else (button, around[0], around[1])

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
        if not self.end(args, at):
            return False
        self.hand["misdealt"] = True
        return True

    def street(self, args: Args, at: int) -> bool:
        """Begin the next betting round: nobody faces a bet, the first seat after the button acts."""
        hand = self.hand
        last = hand["street"] == STREETS[-1]
        if not hand["in_progress"] or last or self.table["h4h"] == "all_in":
            return False
        hand["street"] = STREETS[STREETS.index(hand["street"]) + 1]
        hand["facing_bet"] = False
        button, asked = hand["button"], self.asked()
        order = [] if button is None else _round_from(button, asked)
        first = _first(order)
        if self.knows:
            hand["bettor"] = None
            first = self.expect(order if len(asked) > 1 else [])
        if args.get("start") and first is not None:
            self.begin(first, at)
        else:
            self.wait_for(first)
        return True

    def put_button(self, args: Args, _at: int) -> bool:
        """Put the button where the dealer says; the next hand begins with it there."""
        if self.hand["in_progress"]:
            return False
        self.button = args["seat"]
        self.hand["button"] = args["seat"]
        return True

    def sync(self, args: Args, _at: int) -> bool:
        """Put street, live seats, bet and turn right; nobody's time runs."""
        hand, live = self.hand, args.get("live")
        if not hand["in_progress"]:
            return False
        hand["street"] = args.get("street") or hand["street"]
        if live is not None:
            for seat, taken in self.table["seats"].items():
                taken["in_hand"] = int(seat) in live
        if self.knows:
            self.expect([args["seat"], *clockwise(args["seat"], self.asked())])
        self.wait_for(args["seat"])
        if args.get("facing_bet") is not None:
            hand["facing_bet"] = args["facing_bet"]
        return True

    # ── the table ────────────────────────────────────────────────────────────────────────────────

    def pause(self, args: Args, at: int) -> bool:
        """Let everything at the table stand."""
        self.table["paused"] = args.get("reason") or "paused"
        for clock in (self.table["action"], self.table["called"]):
            if clock["ends_at"] is not None:
                left = max(0, clock["ends_at"] - at)
                clock |= {"status": "paused", "remaining_ms": left, "ends_at": None}
        return True

    def call_floor(self, args: Args, at: int) -> bool:
        """Call the floor; for some reasons of the house the table stands."""
        reason = args.get("reason")
        self.table["floor"] = {"since": at, "reason": reason}
        reasons = self.event.get("floor_reasons", [])
        if any(each["reason"] == reason and each["holds"] for each in reasons):
            self.pause(args, at)
        return True


Deed = Callable[[Play, Args, int], bool]

DEEDS: Mapping[str, Deed] = {
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


def clockwise(seat: int, seats: Iterable[int]) -> list[int]:
    """List seats in the order in which they come after one, without that one."""
    return sorted((other for other in seats if other != seat), key=lambda s: (s < seat, s))


def _round_from(button: int, seats: list[int]) -> list[int]:
    """List seats from the button's left on; the button itself is the last."""
    return [*clockwise(button, seats), *([button] if button in seats else [])]


def _first(seats: list[int]) -> int | None:
    return seats[0] if seats else None
