"""Words and figures of the screens: small functions from plain values to what is written.

The browser's are in `words.js`; both are held to `tests/vectors/wall.json`. No locale, no calendar:
the same room reads the same on every screen. Labels are lower case; a renderer may raise them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from server.protocol.countdown import digits

MINUTE, DAY = 60_000, 86_400_000

Zone = Callable[[int], int]
"""How many minutes an instant is east of UTC, on the screen's own calendar."""

UNKNOWN = "–:––"  # noqa: RUF001 - as wide as the digits that will stand there
"""Shown where a running clock cannot be counted down: hub time is not known yet."""

ACTION_TRUSTED = 2_000
"""An action clock that has not heard from the hub for so long must say so."""

HELD_BY_RULES = {
    "hand_for_hand": "waiting for the hand to finish",
    "break_waits": "the break comes after this hand",
    "hard_stop": "time is up: this is the last hand",
}
"""Reasons of the engine's own, in words. Any other reason is somebody's words already."""

NOTICES = {
    "hold_push": "Dealers: hold the push until the level has changed",
    "prepare_decks": "Dealers: prepare your decks",
    "registration_closing": "Entry closes soon",
    "hard_stop": "A hard stop is near",
    "last_level": "Last level",
    "last_level_over": "Time is up: the last level goes on without end",
    "round_for_round": "Close to the money: round for round may come",
}
"""What the engine gives notice of, in words for the room; any other is not for a wall."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One figure: what it is, how much, and a word more."""

    label: str
    value: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Trust:
    """How far a screen can be trusted: its badge, and words across the screen where it is bad."""

    freshness: str  # fresh coasting stale
    badge: str
    title: str = ""
    detail: str = ""


def grouped(number: int) -> str:
    """Write a number with a comma between thousands."""
    return f"{number:,}"


def counted(number: int, word: str) -> str:
    """Write a number with its noun."""
    return f"{grouped(number)} {word}{'' if number == 1 else 's'}"


def joined(*parts: str) -> str:
    """Put parts in a row, without those that are empty."""
    return " · ".join(part for part in parts if part)


def divided(total: int, parts: int) -> int:
    """Divide whole numbers, a half upwards."""
    return (2 * total + parts) // (2 * parts)


def blinds(step: Mapping[str, Any]) -> str:
    """Write the blinds of a step; nothing where it has none."""
    small, big = step["small"], step["big"]
    return "" if small is None or big is None else f"{grouped(small)} / {grouped(big)}"


def ante(step: Mapping[str, Any]) -> str:
    """Write the ante: one as large as the big blind is paid by the big blind."""
    name = "big blind ante" if step["ante"] == step["big"] else "ante"
    return f"{name} {grouped(step['ante'])}" if step["ante"] else ""


def short_ante(step: Mapping[str, Any]) -> str:
    """Write the ante where there is little room."""
    return f"ante {grouped(step['ante'])}" if step["ante"] else ""


def time_of_day(instant: int, zone: Zone) -> str:
    """Write an instant as HH:MM."""
    minutes = (instant // MINUTE + zone(instant)) % 1440
    return f"{minutes // 60:02}:{minutes % 60:02}"


def day_and_time(instant: int, now: int, zone: Zone) -> str:
    """Write an instant with its day, as people say it today."""
    days = (instant + zone(instant) * MINUTE) // DAY - (now + zone(now) * MINUTE) // DAY
    at = f"at {time_of_day(instant, zone)}"
    if days <= 0:
        return at
    return f"tomorrow {at}" if days == 1 else f"in {days} days {at}"


def from_the_money(left: int | None) -> str:
    """Write how far the money is; nothing where nobody knows."""
    if left is None:
        return ""
    return f"{grouped(left)} from the money" if left else "in the money"


def place(number: int) -> str:
    """Write a finishing place."""
    tens, ones = number // 10 % 10, number % 10
    ending = "th" if tens == 1 else {1: "st", 2: "nd", 3: "rd"}.get(ones, "th")
    return f"{grouped(number)}{ending}"


def notices(names: Sequence[str]) -> str:
    """Write the notices that hold; that the last level has no end says that it is the last."""
    over = "last_level_over" in names
    told = (name for name in names if not (over and name == "last_level"))
    return joined(*(NOTICES.get(name, "") for name in told))


def street_times(streets: Mapping[str, int]) -> str:
    """Write the time to act on each street, where they differ; nothing where they do not."""
    if len(set(streets.values())) == 1:
        return ""
    runs = [(time, list(names)) for time, names in groupby(streets, key=lambda name: streets[name])]
    return ", ".join(f"{_listed(names)} {time} s" for time, names in runs)


def _listed(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def action_clock(rule: Mapping[str, Any] | None) -> str:
    """Write the rule of the action clock, once it is in play."""
    if rule is None:
        return ""
    time = street_times(rule["streets"]) or counted(rule["streets"]["preflop"], "second")
    said = f"Action clock: {time}"
    if not rule["chips"]:
        return said
    chips = counted(rule["chips"], "time-bank chip")
    return f"{said} · {chips} of {counted(rule['chip_seconds'], 'second')}"


def hand_for_hand(h4h: Mapping[str, Any]) -> str:
    """Write what everybody does now; nothing outside hand-for-hand, or where tables may lead."""
    if h4h["soft"]:
        return ""
    unit = h4h["unit"]
    return {
        "announced": "Finish this hand, then wait.",
        "playing": f"Finish your {unit}, then wait. All-in and called: cards stay face down.",
        "holding": f"Every table is done. Wait for the next {unit}.",
    }.get(h4h["status"], "")


def trust(
    freshness: str,
    since: int | None,
    *,
    closed: str | None = None,
    reached: bool = True,
    action: bool = False,
) -> Trust:
    """Say how far a screen can be trusted; `since` is for how long the hub has not been heard."""
    if closed is not None:
        return Trust("stale", "hub closed", "NOT CONNECTED", closed)
    if freshness == "fresh":
        return Trust(freshness, "live")
    time = "" if since is None else digits(since // 1_000 * 1_000)
    if freshness == "coasting":
        if action and since is not None and since >= ACTION_TRUSTED:
            doubt = "ask the dealer: this clock may be wrong"
            return Trust(freshness, joined("hub away", time), "HUB NOT HEARD", doubt)
        return Trust(freshness, joined("hub away", time))
    if not reached:
        return Trust(freshness, "no hub", "NO HUB", "waiting for the hub to answer")
    detail = joined("the hub is not heard", time and f"for {time}", "ask the floor")
    return Trust(freshness, joined("stale", time), "DO NOT TRUST THIS CLOCK", detail)
