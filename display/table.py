"""One table, and the board of all: from documents and an instant to what screens write of them.

The browser's twin is `web/table.js`; both are held to `tests/vectors/table.json`. Clients never
compute rules: whose turn it is, what is owed and what was ruled is the hub's word.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from display import words
from server.protocol.countdown import digits, next_flip, remaining, seconds

OUTCOMES = {"dead": "DEAD HAND", "check": "CHECK", "needs_ruling": "FLOOR RULES", "void": "VOID"}
"""What became of a player whose time ran out."""

IDLE = frozenset({"idle", "off"})
STANDING = {"held": "HELD", "paused": "PAUSED", "expiring": "TIME"}

URGENT = ((0, "zero"), (5, "five"), (10, "ten"))
"""How much a clock presses, from so many seconds on."""

STATES = {
    "playing": "playing",
    "done": "done",
    "all_in": "ALL-IN",
    "runout": "runout",
    "ahead": "ahead",
    "ahead_done": "done",
}
"""How a table stands in hand-for-hand."""

PENDING = frozenset({"playing", "all_in", "runout"})


@dataclass(frozen=True, slots=True)
class SeatWords:
    """A seat: who sits there, and with how many time-bank chips."""

    seat: int
    name: str = ""
    empty: bool = True
    bank: int = 0
    spent: int = 0  # of the chips that everybody was given
    turn: bool = False
    button: bool = False
    folded: bool = False
    limit: str = ""


@dataclass(frozen=True, slots=True)
class ActionWords:
    """The clock that runs, against somebody or for nobody in particular."""

    seat: int | None
    digits: str
    word: str
    outcome: str
    urgent: str  # nothing, ten, five or zero
    runs: bool


@dataclass(frozen=True, slots=True)
class TableWords:
    """What a feature table's screen says."""

    title: str
    band: str
    blinds: str
    next: str
    hand: str
    seats: tuple[SeatWords, ...]
    clock: ActionWords | None
    whose: str
    bank: str
    collect: str
    repaint_in: int | None


@dataclass(frozen=True, slots=True)
class RowWords:
    """A table of the board."""

    table: int
    players: str
    free: str
    word: str
    mark: str  # nothing, floor, paused, pending or done


def table_words(
    doc: Mapping[str, Any], now: int | None, rule: Mapping[str, Any] | None
) -> TableWords:
    """Say everything that a feature table's screen shows; `rule` is the event's action clock."""
    called = doc["called"]["status"] != "off"
    acting = doc["called"] if called else doc["action"]
    clock = None if acting["status"] in IDLE else _action(acting, now, called=called)
    turn = doc["hand"]["turn"] if clock is None else clock.seat
    given = 0 if rule is None else rule["chips"]
    seats = tuple(_seat(doc, seat, turn, given) for seat in range(1, doc["size"] + 1))
    who = next((each for each in seats if each.turn), None)
    hand, following = doc["hand"], doc["next_hand"]
    left = None if now is None or acting["ends_at"] is None else remaining(acting, now)
    return TableWords(
        title=f"TABLE {doc['table']}",
        band=_band(doc),
        blinds=words.joined(words.blinds(doc), words.short_ante(doc)),
        next=""
        if following is None
        else words.joined(f"next hand {words.blinds(following)}", words.short_ante(following)),
        hand=words.joined(f"hand {words.grouped(hand['number'])}", hand["street"] or "")
        if hand["in_progress"]
        else "between hands",
        seats=seats,
        clock=clock,
        whose="" if who is None else words.joined(f"seat {who.seat}", who.name),
        bank="" if who is None or rule is None else _bank(doc, who, rule, idle=clock is None),
        collect=words.joined(*(_collect(owed) for owed in doc["collect"])),
        repaint_in=None if left is None else next_flip(left),
    )


def _bank(doc: Mapping[str, Any], who: SeatWords, rule: Mapping[str, Any], *, idle: bool) -> str:
    """Say what a player has: the chips, and before the clock runs the time of this street."""
    chips = words.counted(who.bank, "time-bank chip")
    if not idle:
        return chips
    limit, base = doc["seats"][str(who.seat)]["limit_s"], rule["streets"][doc["hand"]["street"]]
    time = base if limit is None else min(limit, base)
    return words.joined(f"{words.counted(time, 'second')} to act", chips)


def _band(doc: Mapping[str, Any]) -> str:
    if doc["paused"] is not None:
        reason = "" if doc["paused"] == "paused" else doc["paused"]  # said without a reason
        return words.joined("TABLE PAUSED", reason)
    if doc["floor"] is not None:
        return "FLOOR CALLED"
    return ""


def _collect(owed: Mapping[str, Any]) -> str:
    return f"collect {words.counted(owed['chips'], 'chip')} from seat {owed['seat']}"


def _seat(doc: Mapping[str, Any], seat: int, turn: int | None, given: int) -> SeatWords:
    taken = doc["seats"].get(str(seat))
    if taken is None:
        return SeatWords(seat)
    limit = taken["limit_s"]
    return SeatWords(
        seat,
        name=taken["name"] or taken["player"],
        empty=False,
        bank=taken["bank"],
        spent=max(0, given - taken["bank"]),
        turn=seat == turn,
        button=seat == doc["hand"]["button"],
        folded=doc["hand"]["in_progress"] and not taken["in_hand"],
        limit="" if limit is None else f"{limit} s",
    )


def _action(clock: Mapping[str, Any], now: int | None, *, called: bool) -> ActionWords:
    """Say how an action clock or a called clock stands."""
    status, runs = clock["status"], clock["ends_at"] is not None
    left = None if now is None and runs else remaining(clock, 0 if now is None else now)
    outcome = OUTCOMES.get(clock["outcome"], "TIME") if status == "expired" else ""
    count = None if left is None else seconds(left)
    stands = "INTERRUPTED" if clock.get("interrupted") else STANDING.get(status, "")
    word = outcome or ("TIME" if runs and count == 0 else stands)
    plain = "CLOCK CALLED" if called else "TIME BANK" if clock.get("on_bank") else ""
    pressing = 0 if outcome else count
    urgent = "" if pressing is None else next((say for at, say in URGENT if pressing <= at), "")
    shown = words.UNKNOWN if left is None else digits(left)
    return ActionWords(
        clock["seat"], "" if outcome else shown, word or plain, outcome, urgent, runs
    )


def board_words(doc: Mapping[str, Any]) -> tuple[RowWords, ...]:
    """Say how each table of the board stands, in the order of their numbers."""
    return tuple(
        _row(number, doc["tables"][str(number)]) for number in sorted(map(int, doc["tables"]))
    )


def _row(number: int, row: Mapping[str, Any]) -> RowWords:
    free = row["size"] - row["players"]
    h4h = row["h4h"]
    if row["floor"] is not None:
        word, mark = "FLOOR", "floor"
    elif row["paused"] is not None:
        word, mark = "PAUSED", "paused"
    else:
        word = STATES.get(h4h, "")
        mark = "" if h4h is None else "pending" if h4h in PENDING else "done"
    return RowWords(
        number,
        f"{row['players']} of {row['size']}",
        f"{words.counted(free, 'seat')} free" if free > 0 else "full",
        word,
        mark,
    )
