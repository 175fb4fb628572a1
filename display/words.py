"""Words and figures of the screens: small functions from plain values to what is written.

The browser's are in `words.js`; both are held to `tests/vectors/wall.json`. No locale, no calendar:
the same room reads the same on every screen. Time of day is hub time plus an offset in minutes.
"""

from collections.abc import Mapping
from typing import Any

MINUTE, DAY = 60_000, 86_400_000

BADGES = {
    "fresh": "live",
    "coasting": "hub away · counting on",
    "stale": "NOT LIVE · ask the floor",
}
"""What the badge says about how much the screen can be trusted."""

ICONS = {
    "waiting": "◷",
    "playing": "▶",
    "last_minute": "▲",
    "paused": "▮▮",
    "break": "◖◗",
    "hand_for_hand": "◆",
    "suspended": "■",
    "finished": "★",
}
"""A shape for every state, so that none is told by its colour alone; narrow in any terminal."""

HELD_BY_RULES = {
    "hand_for_hand": "waiting for the hand to finish",
    "break_waits": "the break comes after this hand",
    "hard_stop": "time is up: this is the last hand",
}
"""Reasons of the engine's own, in words. Any other reason is somebody's words already."""


def grouped(number: int) -> str:
    """Write a number with a comma between thousands."""
    return f"{number:,}"


def counted(number: int, one: str, many: str) -> str:
    """Write a number with its noun."""
    return f"{grouped(number)} {one if number == 1 else many}"


def blinds(step: Mapping[str, Any]) -> str:
    """Write the blinds of a step; nothing where it has none."""
    small, big = step["small"], step["big"]
    return "" if small is None or big is None else f"{grouped(small)} / {grouped(big)}"


def ante(step: Mapping[str, Any]) -> str:
    """Write the ante: one as large as the big blind is paid by the big blind."""
    amount = step["ante"]
    if not amount:
        return ""
    name = "big blind ante" if amount == step["big"] else "ante"
    return f"{name} {grouped(amount)}"


def following(step: Mapping[str, Any] | None) -> tuple[str, str]:
    """Write what comes next: its title and its line."""
    if step is None:
        return "", ""
    if step["phase"] == "break":
        minutes = step["minutes"]
        return "BREAK", "" if minutes is None else counted(minutes, "minute", "minutes")
    amount = step["ante"]
    after = f" ({grouped(amount)})" if amount else ""
    return f"LEVEL {step['level']}", blinds(step) + after


def time_of_day(instant: int, offset: int) -> str:
    """Write an instant as HH:MM; `offset` is local time minus UTC in minutes."""
    minutes = (instant // MINUTE + offset) % 1440
    return f"{minutes // 60:02}:{minutes % 60:02}"


def day_and_time(instant: int, now: int, offset: int) -> str:
    """Write an instant with its day, as people say it today."""
    days = (instant + offset * MINUTE) // DAY - (now + offset * MINUTE) // DAY
    at = f"at {time_of_day(instant, offset)}"
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


def action_clock(rule: Mapping[str, Any] | None) -> str:
    """Write the rule of the action clock, once it is in play."""
    if rule is None:
        return ""
    said = f"Action clock {counted(rule['seconds'], 'second', 'seconds')}"
    if not rule["chips"]:
        return said
    chips = counted(rule["chips"], "time-bank chip", "time-bank chips")
    return f"{said} · {chips} of {counted(rule['chip_seconds'], 'second', 'seconds')}"


def hand_for_hand(h4h: Mapping[str, Any]) -> str:
    """Write what everybody does now; nothing outside hand-for-hand, or where tables may lead."""
    if h4h["soft"]:
        return ""
    unit = h4h["unit"]
    return {
        "announced": "Finish this hand, then wait.",
        "playing": f"Finish your {unit}, then wait.",
        "holding": f"Every table is done. Wait for the next {unit}.",
    }.get(h4h["status"], "")


def joined(*parts: str) -> str:
    """Put parts in a row, without those that are empty."""
    return " · ".join(part for part in parts if part)
