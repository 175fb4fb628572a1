"""The houses' pages: every preset is explained, with its own figures and rules that exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from server import presets
from server.engine.structure import Break, Level

if TYPE_CHECKING:
    from server.engine.rules import Rules

DOCS = Path(__file__).parents[1] / "docs"
PAGES = {path.stem: path.read_text("utf-8") for path in (DOCS / "houses").glob("*.md")}
HOUSES = {
    "star-brisbane": ("star-brisbane-friday", "star-brisbane-saturday"),
    "apl": ("apl", "apl-tour"),
    "home-poker-tourney": ("home-poker-tourney",),
    "888pl": ("888pl",),
    "selkirk": ("selkirk-main", "selkirk-consolation"),
}
POLICIES = {
    "run_to_cap": "the clock runs to {cost} a hand, and a shorter hand costs {cost} all the same",
    "deduct": "the clock stands, and {cost} are taken off when the hand is over",
    "run_on": "the clock runs on",
}
STAGES = {
    "start": "from the start",
    "final_table": "at the final table",
    "money": "in the money",
}


def minutes(seconds: int) -> str:
    """Write seconds as a clock does."""
    return f"{seconds // 60}:{seconds % 60:02}"


def time(of_day: int) -> str:
    """Write a time of day."""
    return f"{of_day // 60:02}:{of_day % 60:02}"


def breaks(rules: Rules) -> str:
    """Say after which levels there is a break, and how long."""
    found, level = [], 0
    for step in rules.structure.steps:
        if isinstance(step, Break):
            length = "as long as you say" if step.minutes is None else f"{step.minutes} min"
            chips = "".join(f", remove {chip:,}s" for chip in step.colour_up)
            found.append(f"after {level}: {length}{chips}")
        level += isinstance(step, Level)
    return "; ".join(found) or "none: you call them"


def facts(rules: Rules) -> list[str]:
    """Write the rows of a preset's table, from the preset itself."""
    levels = [step for step in rules.structure.steps if isinstance(step, Level)]
    lengths = " or ".join(str(length) for length in sorted({step.minutes or 0 for step in levels}))
    more = rules.structure.continuation
    on = "" if more is None else f", then +{more.small:,}/+{more.big:,} a level"
    action, called, h4h = rules.action, rules.called, rules.hand_for_hand
    policy = POLICIES[h4h.policy].format(cost=minutes(h4h.seconds))
    if h4h.run_on_below is not None:
        policy += f"; with fewer than {h4h.run_on_below} left it runs on"
    clock = "none, until you introduce one"
    if action is not None:
        chips = f"{action.chips} chips of {action.chip_seconds} s"
        clock = f"{action.seconds} s and {chips}, {STAGES[action.introduce]}"
    choices = "".join(f", or {choice} s" for choice in called.choices if choice != called.seconds)
    rows = {
        "starts": "when you say" if rules.start is None else time(rules.start),
        "stack": f"{rules.stack:,}",
        "levels": f"{len(levels)} of {lengths} min{on}",
        "breaks": breaks(rules),
        "entry closes": f"at the start of level {rules.registration.closes_at_level}",
        "shot clock": clock,
        "called clock": f"{called.seconds} s, the last {called.countdown} counted down{choices}",
        "hand-for-hand": policy,
        "hard stop": "none" if rules.hard_stop is None else time(rules.hard_stop.at),
    }
    return [f"| {what} | {value} |" for what, value in rows.items()]


def test_every_house_has_a_page_and_every_preset_is_on_one() -> None:
    """One page a house, and no preset is left out."""
    assert PAGES.keys() == HOUSES.keys()
    assert sorted(preset for own in HOUSES.values() for preset in own) == presets.shipped()
    for house, own in HOUSES.items():
        for preset in own:
            assert f"`{preset}`" in PAGES[house]


@pytest.mark.parametrize("house", HOUSES)
def test_the_figures_on_a_page_are_the_presets(house: str) -> None:
    """What the page says of a preset is what the preset does."""
    missing = []
    for preset in HOUSES[house]:
        section = PAGES[house].partition(f"## `{preset}`")[2].partition("\n## ")[0]
        missing += [row for row in facts(presets.load(preset)) if row not in section]
    assert missing == []


@pytest.mark.parametrize("house", HOUSES)
def test_a_page_names_only_rules_that_a_preset_or_a_test_knows(house: str) -> None:
    """A rule id on a page can be traced: it is in a preset's comments or in a test's name."""
    known = "\n".join(path.read_text("utf-8") for path in presets.HOUSES.glob("*.toml"))
    tests = Path(__file__).parent
    known += "\n".join(path.read_text("utf-8") for path in tests.glob("*/test_*.py"))
    known = known.replace("_", "-")
    named = set(re.findall(r"\b(?:SB|AP|AT|HP|EP|SL)-[A-Z0-9][A-Za-z0-9.]*\b", PAGES[house]))
    assert named
    assert {
        rule for rule in named if rule.replace(".", "-") not in known.replace(".", "-")
    } == set()
