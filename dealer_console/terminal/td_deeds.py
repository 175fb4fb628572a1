"""Deeds: what a director's keys do, as data.

A deed is a command, with what must be asked for first and whether it needs a yes. Which deed a key
means depends on how the room stands; that is decided here, from documents alone, so that it can be
tested without a screen.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from server.protocol.countdown import digits

SECOND, MINUTE = 1_000, 60_000
HOURS, MINUTES = 24, 60
DIGITS = 9

Doc = Mapping[str, Any]
Reader = Callable[[str], Any]


class BadWords(ValueError):  # noqa: N818 - somebody typed something else
    """What was typed is not what was asked for; the message says what would be right."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Something that must be typed before a deed is done."""

    arg: str
    label: str
    read: Reader
    default: str = ""
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Deed:
    """A command to give, when all that it asks for is known."""

    do: str
    args: Mapping[str, Any] = field(default_factory=dict)
    asks: tuple[Ask, ...] = ()
    confirm: str = ""  # a question that wants a yes
    hub: bool = False  # of the hub itself, not of an event


@dataclass(frozen=True, slots=True)
class Words:
    """Instead of a deed: why there is nothing to do."""

    text: str


# ── what is typed ────────────────────────────────────────────────────────────────────────────────


def text(typed: str) -> str:
    """Read words."""
    return typed.strip()


def number(typed: str) -> int:
    """Read a whole number."""
    plain = typed.strip().replace(",", "")
    if not (plain.isascii() and plain.isdecimal() and len(plain) <= DIGITS):
        raise BadWords("a whole number, such as 7")
    return int(plain)


def numbers(*names: str) -> Callable[[str], dict[str, int]]:
    """Read several numbers, such as table and seat."""

    def read(typed: str) -> dict[str, int]:
        parts = typed.replace(",", " ").split()
        if len(parts) != len(names):
            raise BadWords(f"{' and '.join(names)}, such as {' '.join('75'[: len(names)])}")
        return dict(zip(names, map(number, parts), strict=True))

    return read


def length(typed: str) -> int:
    """Read a length of time: 12:30 is twelve and a half minutes, 12 is twelve."""
    minutes, colon, seconds = typed.strip().partition(":")
    ms = number(minutes) * MINUTE
    if colon:
        ms += number(seconds) * SECOND
    return ms


def step_length(typed: str) -> dict[str, int]:
    """Read how long a step lasts: 20 is minutes, 12 hands is hands at every table."""
    plain = typed.strip().lower()
    words = plain.rstrip("hands").strip()
    found = number(words)
    if found < 1:
        raise BadWords("at least 1")
    return {"minutes" if words == plain else "hands": found}


def choice(*words: str) -> Reader:
    """Read one of a few words, or the beginning of one."""

    def read(typed: str) -> str:
        plain = typed.strip().lower()
        found = [word for word in words if plain and word.startswith(plain)]
        if len(found) != 1:
            raise BadWords(" or ".join(words))
        return found[0]

    return read


def hour(now: int) -> Callable[[str], int]:
    """Read a time of day as the next instant at which clocks will show it."""

    def read(typed: str) -> int:
        hours, _, minutes = typed.strip().partition(":")
        wanted = number(hours), number(minutes or "0")
        if wanted[0] >= HOURS or wanted[1] >= MINUTES:
            raise BadWords("a time of day, such as 19:30")
        local = datetime.fromtimestamp(now / SECOND).astimezone()
        start = local.replace(hour=wanted[0], minute=wanted[1], second=0, microsecond=0)
        if start <= local:
            start += timedelta(days=1)
        return round(start.timestamp() * SECOND)

    return read


LONG_AGO = timedelta(hours=6)
"""So long after the house's start time an event is meant for the next day, as the hub reckons."""


def house_start(start: str | None, now: int) -> str:
    """Give the house's start time to begin with; empty where there is none, or it was missed."""
    if start is None:
        return ""
    local = datetime.fromtimestamp(now / SECOND).astimezone()
    hours, minutes = map(int, start.split(":"))
    late = local - local.replace(hour=hours, minute=minutes, second=0, microsecond=0)
    return "" if timedelta() <= late <= LONG_AGO else start


def role(typed: str) -> dict[str, Any]:
    """Read what a device shall be: viewer, floor, director, or dealer and its table."""
    word, _, rest = typed.strip().partition(" ")
    found = choice("viewer", "dealer", "floor", "director")(word)
    if found != "dealer":
        return {"role": found}
    return {"role": found, "table": number(rest)}


REASON = Ask("reason", "Why (may be empty)", text, optional=True)

# ── the clock ────────────────────────────────────────────────────────────────────────────────────


def go(event: Doc) -> Deed | Words:
    """Start, pause or resume: whatever the room needs next."""
    status = event["clock"]["status"]
    match status:
        case "waiting":
            return Deed("clock.start", confirm="Start the clock now?")
        case "running":
            return Deed("clock.pause", asks=(REASON,))
        case "suspended":
            return Deed("event.resume", confirm="Resume the event now?")
        case "finished":
            return Words("The event is finished.")
        case _:
            pass
    if event["clock"]["reason"] in ("hand_for_hand", "break_waits"):
        return Deed("clock.pause", asks=(REASON,))  # it stands by the rules: pause all the same
    return Deed("clock.resume")


def rest(event: Doc) -> Deed | Words:
    """Call a break, or end the one that is."""
    if event["clock"]["phase"] == "break":
        return Deed("break.end", confirm="End the break now?")
    minutes = Ask(
        "minutes", "Break of how many minutes (empty: until you end it)", number, "", True
    )
    return Deed("break.call", asks=(minutes,))


def more(ms: int) -> Deed:
    """Give time, or take it."""
    return Deed("clock.add", {"ms": ms})


def following(event: Doc) -> Deed | Words:
    """Move to the next step."""
    coming = event["clock"]["next"]
    if coming is None:
        return Words("This is the last level.")
    what = "the break" if coming["phase"] == "break" else f"level {coming['level']}"
    return Deed("level.next", confirm=f"Go to {what} now?")


BACK = Deed("level.back", confirm="Back to the step before, with its full time?")
GOTO = Deed("level.goto", asks=(Ask("level", "Go to level", number),))
SET = Deed("clock.set", asks=(Ask("remaining_ms", "Time left (12:30 or 12)", length),))
CLEAR = Deed("announce.clear")
FINISH = Deed("event.finish", confirm="Finish the event? Its clock will not run again.")
INTRODUCE = Deed("shotclock.introduce", confirm="Put the shot clock in play, for the whole night?")

TEMPLATES = (
    "Seat draw at the desk",
    "Players, please take your seats",
    "Registration closes at the end of this level",
    "Dinner break after this level",
    "Last three hands before the break",
)
"""What is announced most; a number that is typed means one of these."""


def announcement(typed: str) -> str:
    """Read words for the screens: one's own, or a number for one of the usual ones."""
    plain = typed.strip()
    if plain.isdecimal() and 1 <= int(plain) <= len(TEMPLATES):
        return TEMPLATES[int(plain) - 1]
    return plain


ANNOUNCE = Deed(
    "announce",
    asks=(
        Ask("text", f"Announce (or 1–{len(TEMPLATES)} for the usual ones)", announcement),  # noqa: RUF001
        Ask("seconds", "For how many seconds (empty: until cleared)", number, optional=True),
    ),
)


def suspend(now: int) -> Deed:
    """Suspend to another day."""
    back = Ask("resumes_at", "Back at what time (19:30; may be empty)", hour(now), optional=True)
    return Deed("event.suspend", asks=(back,), confirm="Suspend everything to another day?")


# ── hand-for-hand ────────────────────────────────────────────────────────────────────────────────


def form(typed: str) -> dict[str, Any]:
    """Read the form of hand-for-hand, and what a hand costs: `round`, `180`, `soft 180`."""
    found: dict[str, Any] = {}
    for word in typed.split():
        if word.isdecimal():
            found["seconds"] = number(word)
        else:
            found["form"] = choice("hand", "round", "soft")(word)
    return found


FORM = Ask(
    "form", "Form: hand, round, soft; seconds a hand (empty: as the house does)", form, "", True
)


def hand(event: Doc) -> Deed | Words:
    """Announce hand-for-hand, or release the next hand: whatever comes next."""
    h4h = event["h4h"]
    match h4h["status"]:
        case "off":
            return Deed("h4h.announce", asks=(FORM,))
        case "holding":
            return Deed("h4h.next", confirm=f"{released(event)}?")
        case _:
            pass
    tables = h4h["pending"]
    left = "1 table plays" if tables == 1 else f"{tables} tables play"
    return Words(f"{left} still: the next hand is released when all are done.")


def released(event: Doc) -> str:
    """Say what releasing the next hand costs, and what the clock will read after it."""
    h4h = event["h4h"]
    after = h4h["after"]
    words = f"Release {h4h['unit']} {h4h['hand'] + 1}"
    if after is None or after["remaining_ms"] is None:
        return words
    where = "" if after["level"] == event["clock"]["level"] else f" of level {after['level']}"
    if after["phase"] == "break":
        where = " of the break"
    cost, reads = digits(h4h["next_cost_ms"]), digits(after["remaining_ms"])
    return f"{words} (−{cost} → {reads}{where})"  # noqa: RUF001 - a minus, not a hyphen


END_HAND = Deed("h4h.end", confirm="End hand-for-hand?")


def finish_args(do: str, args: dict[str, Any]) -> dict[str, Any]:
    """Put what was typed into the shape of the command."""
    found = {}
    for key, value in args.items():
        if isinstance(value, dict):
            found.update(value)  # several at once, such as table and seat
        else:
            found[key] = value
    form = found.pop("form", None)
    if do == "event.create":
        found.setdefault("starts_at", None)  # what was left empty, or made empty, is by hand
    if do == "h4h.announce" and form in ("round", "soft"):
        found |= {"unit": "round"} if form == "round" else {"soft": True}
    return found
