"""The dealer's terminal in every state: stored pictures, every size, any name.

python -m tests.dealer_console.test_pictures      # write the pictures anew, then look at them
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from tests.dealer_console.cases import VECTORS
from tests.dealer_console.desk import Console, text

PICTURES = Path(__file__).with_name("pictures.txt")
CASES: list[dict[str, Any]] = json.loads(VECTORS.read_text("utf-8"))["cases"]
MARK = "═══ "
SMALL = (80, 24)
LARGE = ("running", "held", "expired_dead")


def firsts() -> list[dict[str, Any]]:
    """Give the first case of every state."""
    found: dict[str, dict[str, Any]] = {}
    for case in CASES:
        found.setdefault(case["expect"]["state"], case)
    return list(found.values())


async def drawn(size: tuple[int, int], cases: list[dict[str, Any]]) -> dict[str, str]:
    """Draw cases one after the other, and see to it that nothing is off the screen."""
    found: dict[str, str] = {}
    console = Console(cases[0])
    async with console.app.run_test(size=size) as pilot:
        for case in cases:
            console.look(case)
            await pilot.pause()
            found[case["expect"]["state"]] = text(console.app)
            _fits(console, case)
    return found


def _fits(console: Console, case: dict[str, Any]) -> None:
    """See that all that is displayed is on the screen, and says what it must."""
    expect, app, name = case["expect"], console.app, case["name"]
    screen = text(app)
    assert app.face is not None
    assert app.face.state == expect["state"]
    whole = app.screen.region
    parts = [part for part in app.query("Desk > *") if part.display and part.region.area]
    assert all(whole.contains_region(part.region) for part in parts), name
    assert app.query_one("#big").region.height >= 5, name
    for words in (expect["badge"], expect["title"], expect["link"], expect["taken"], expect["h4h"]):
        assert words in screen, name
    for seat in expect["seats"]:
        assert seat["name"][:12] in screen, name


def stored() -> dict[str, str]:
    """Read the stored pictures."""
    parts = PICTURES.read_text("utf-8").split(MARK)[1:]
    pairs = (part.split("\n", 1) for part in parts)
    return {name: picture.rstrip("\n") for name, picture in pairs}


async def test_every_state_looks_as_it_was_looked_at() -> None:
    """At 80 by 24 every state fits, and is drawn as somebody has seen and approved it."""
    found = await drawn(SMALL, firsts())
    assert {name: picture.rstrip("\n") for name, picture in found.items()} == stored()


async def test_a_large_terminal_is_used() -> None:
    """At 200 by 60 the digits and the big button are drawn more than twice as large."""
    some = [case for case in firsts() if case["expect"]["state"] in LARGE]
    small, large = await drawn(SMALL, some), await drawn((200, 60), some)
    for state in LARGE:
        assert large[state].count("█") > 2 * small[state].count("█"), state


if __name__ == "__main__":
    pictures = asyncio.run(drawn(SMALL, firsts()))
    PICTURES.write_text("".join(f"{MARK}{k}\n{v}\n" for k, v in pictures.items()), "utf-8")
