"""What is put on the stage: every scene in every state, from documents of real nights."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from server import qr
from server.engine.board import board_document
from tests.display import table_cases, wall_cases
from tests.night import given, minutes
from themes import built_in, css

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.async_api import Browser, Page, Route

ROOT = Path(__file__).parents[2]
STAGE = Path(__file__).parent / "stage"
ADDRESS = "http://stage.test"
KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}

WALL = json.loads(wall_cases.VECTORS.read_text("utf-8"))
TABLE = json.loads(table_cases.VECTORS.read_text("utf-8"))

NAMES = ("Kim", "Lee", "Ng Thi Phuong Thao", "Alexandra Papadopoulos-Vandenberg", "Zoë", "Ito")


@dataclass(frozen=True)
class Play:
    """A scene, the documents that it reads and the instant at which it is looked at."""

    name: str
    scene: str
    documents: dict[str, Any]
    now: int
    more: dict[str, Any] = field(default_factory=dict)

    def asked(self, **more: Any) -> dict[str, Any]:
        """Give what the stage is asked for."""
        said = {"scene": self.scene, "documents": self.documents, "now": self.now}
        return said | self.more | more


CLOCK = {
    "waiting": "waiting, an hour to go",
    "not-started": "nobody has come",
    "playing": "playing, exactly on a second",
    "huge": "nine digits, more than an hour",
    "last-minute": "last minute, the last millisecond",
    "announced": "announcement",
    "paused": "paused",
    "called-break": "called break",
    "chip-break": "break, chips to remove, no end",
    "hand-for-hand": "hand-for-hand, a hand is played",
    "holding": "hand-for-hand, every table done",
    "held": "hand-for-hand, the clock stands",
    "hard-stop-ahead": "hard stop ahead",
    "hard-stop": "hard stop reached",
    "suspended": "suspended, back tomorrow",
    "finished": "finished, a winner",
    "hands": "a level of hands",
    "endless": "the last level has no end",
}
"""States of the clock, by the name of their vector."""

TABLES = {
    "between-hands": "between hands",
    "to-act": "before the start, on the flop",
    "on-the-clock": "the action clock begins",
    "five": "five seconds left",
    "on-the-bank": "on the bank",
    "count": "held",
    "dead-hand": "out of time, facing a bet",
    "paused": "the table is paused",
}
"""States of a table, by the name of their vector."""


def plays() -> Iterator[Play]:
    """Give everything that is played."""
    cases = {case["name"]: case for case in WALL["cases"]}
    for name, vector in CLOCK.items():
        yield _clock(f"clock-{name}", cases[vector])
    playing = cases["playing, exactly on a second"]
    yield _clock("break-ahead", playing, "break")
    away = cases["coasting in the next level"]
    yield _clock("clock-coasting", away, freshness="coasting", since=92_000)
    yield _clock("clock-stale", away, freshness="stale", since=301_000)
    rows = {case["name"]: case for case in TABLE["cases"]}
    for name, vector in TABLES.items():
        yield _table(f"table-{name}", rows[vector])
    yield _table("overlay", rows["the action clock begins"], overlay=True)
    yield _board()
    yield _payouts()
    yield from _several(cases)


def _clock(name: str, case: dict[str, Any], scene: str = "clock", **more: Any) -> Play:
    document = _named(WALL["documents"][case["document"]])
    return Play(name, scene, {"t/1": document}, case["now"], {"offset": case["offset"], **more})


def _named(document: dict[str, Any]) -> dict[str, Any]:
    """Give players names: a vector's are their ids."""
    said = json.dumps(document)
    for seat, name in enumerate(NAMES, start=1):
        said = said.replace(f'"name": "1-{seat}"', f'"name": {json.dumps(name)}')
        said = said.replace(
            f'"player": "1-{seat}", "name": ""', f'"player": "1-{seat}", "name": {json.dumps(name)}'
        )
    found: dict[str, Any] = json.loads(said)
    return found


def _table(name: str, case: dict[str, Any], **more: Any) -> Play:
    room = WALL["documents"]["level 6"] | {"action_clock": case["rule"]}
    documents = {"t/1": room, "t/1/table/1": _named(case["document"])}
    return Play(name, "table", documents, case["now"], more)


def _board() -> Play:
    night = given("star-brisbane-saturday", dict.fromkeys(range(1, 15), 8))
    night.later(minutes(12))
    for table in (3, 9):
        night.do("player.bust", player=f"{table}-8")
    night.do("h4h.announce")
    night.do("h4h.next")
    for table in range(1, 12):
        night.do("hand.start", table=table)
        if table != 4:
            night.do("hand.end", table=table)
    night.do("h4h.all_in", table=4)
    night.do("floor.call", table=13)
    board = board_document(night.state, night.now)
    return Play("tables", "tables", {"t/1": night.event(), "t/1/tables": board}, night.now)


def _payouts() -> Play:
    night = given("selkirk-main", {1: 6, 2: 8})
    night.later(minutes(70))
    for table, seat in ((2, 8), (2, 7), (1, 6), (2, 6), (1, 4), (2, 5), (1, 3)):
        night.do("player.bust", player=f"{table}-{seat}")
    return Play("payouts", "payouts", {"t/1": _named(night.event())}, night.now)


def _several(cases: dict[str, Any]) -> Iterator[Play]:
    chosen = ("level 6", "paused", "h4h playing", "called break")
    for count in (2, 3, 4):
        documents = {"events": _list(chosen[:count])} | _events(chosen[:count])
        now = cases["paused"]["now"] - 55_000
        yield Play(f"grid-{count}", "grid", documents, now)
    documents = {"events": _list(chosen)} | _events(chosen)
    yield Play("lobby", "lobby", documents, cases["paused"]["now"] - 55_000)


def _list(names: tuple[str, ...]) -> dict[str, Any]:
    ids = range(1, len(names) + 1)
    return {"events": [{"id": str(id_), "status": "running"} for id_ in ids]}


def _events(names: tuple[str, ...]) -> dict[str, Any]:
    return {f"t/{id_}": WALL["documents"][name] for id_, name in enumerate(names, start=1)}


async def stage(browser: Browser, width: int = 1920, height: int = 1080) -> Page:
    """Open the stage: pages come straight from the files, and there is nothing behind them."""
    size = {"width": width, "height": height}
    page = await browser.new_page(viewport=size, reduced_motion="reduce")  # type: ignore[arg-type]
    await page.route(f"{ADDRESS}/**", _serve)
    await page.goto(f"{ADDRESS}/stage/stage.html")
    await page.wait_for_function("window.ready")
    return page


async def _serve(route: Route) -> None:
    path = route.request.url.removeprefix(ADDRESS)
    top, _, rest = path.lstrip("/").partition("/")
    if top == "themes":
        theme = built_in()[rest.removesuffix(".css")]
        await route.fulfill(body=css(theme), content_type="text/css")
        return
    if top.startswith("qr.svg"):
        drawn = qr.drawn("http://railbird.local:8080/phone?event=1")
        await route.fulfill(body=drawn, content_type="image/svg+xml")
        return
    found = {"web": ROOT / "display" / "web", "stage": STAGE}[top] / rest
    await route.fulfill(body=found.read_text("utf-8"), content_type=KINDS[found.suffix])
