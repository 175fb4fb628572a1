"""Players who act at random, by weights: what they do is always poker, seldom good poker."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.hands.poker import Act, Hand

WEIGHTS = {
    # of: fold, check or call, bet or raise, all-in; before the flop, unopened after it, facing
    "tight": {"preflop": (70, 16, 12, 2), "open": (1, 64, 32, 3), "facing": (48, 40, 9, 3)},
    "loose": {"preflop": (42, 42, 14, 2), "open": (1, 60, 36, 3), "facing": (35, 48, 13, 4)},
    "wild": {"preflop": (40, 25, 15, 20), "open": (5, 45, 30, 20), "facing": (30, 35, 15, 20)},
}
"""Tight is how most tables play; wild is there for its all-ins, side pots and busts."""


def seeded(*seed: object) -> Random:
    """Give chance that is the same every time."""
    return Random(" ".join(map(str, seed)))  # noqa: S311 - no secret hangs on it


def choose(hand: Hand, mind: Random, style: str) -> Act:
    """Let the player whose turn it is decide."""
    options = hand.options()
    spot = "preflop" if hand.street == "preflop" and hand.facing else "open"
    spot = "facing" if hand.street != "preflop" and hand.facing else spot
    weights = dict(zip(("fold", "stay", "raise", "all_in"), WEIGHTS[style][spot], strict=True))
    grouped: dict[str, list[Act]] = {}
    for act in options:
        kind = "fold" if act.kind == "fold" else "stay"
        if act.raises:
            kind = "all_in" if act.all_in else "raise"
        grouped.setdefault(kind, []).append(act)
    kinds = list(grouped)
    (kind,) = mind.choices(kinds, [weights[kind] for kind in kinds])
    return mind.choice(grouped[kind])
