"""The cases behind `tests/vectors/wall.json`: real nights, looked at at telling instants.

    python -m tests.display.wall_cases        # write the vectors anew, then read what changed

The browser's twin is held to the same file. `table_cases` makes the other one, of tables.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from display.scenes import wall
from display.words import trust
from tests.night import given, minutes, rules_of, seconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.night import Night

VECTORS = Path(__file__).parents[1] / "vectors" / "wall.json"
HOUR = minutes(60)
BRISBANE = 600

HOSTILE = "[/] <b>x</b> [@click=app.quit]q[/]"
COUNTED = """
name = "Deep Stack"
house = "Home"
stack = 1_000
[registration]
closes_at_level = 3
[called]
seconds = 30
countdown = 5
[structure]
minutes = 10
steps = [
  { small = 1, big = 2 },
  { small = 2, big = 4, hands = 5 },
  { phase = "break" },
  { small = 4, big = 8, ante = 1 },
]
"""
HUGE = """
name = "The Longest Name That Any Tournament In Any House Was Ever Given, Part Two"
house = "Club"
stack = 987_654_321
[registration]
closes_at_level = 2
[called]
seconds = 30
countdown = 5
[structure]
minutes = 90
steps = [
  { small = 100_000_000, big = 200_000_000, ante = 200_000_000 },
  { small = 450_000_000, big = 900_000_000, ante = 900_000_000 },
]
"""

Look = tuple[str, int | None, bool, int]
"""A case: its name, the instant if it is known, whether the hub is away, the zone in minutes."""

TRUST: tuple[dict[str, Any], ...] = (
    {"freshness": "fresh", "since": None},
    {"freshness": "coasting", "since": None},
    {"freshness": "coasting", "since": 12_900},
    {"freshness": "coasting", "since": 1_999, "action": True},
    {"freshness": "coasting", "since": 2_000, "action": True},
    {"freshness": "stale", "since": 300_000},
    {"freshness": "stale", "since": None},
    {"freshness": "stale", "since": None, "reached": False},
    {"freshness": "fresh", "since": None, "closed": "this device was revoked"},
)
"""What a link can be like, as `trust` is asked."""


def _fresh(name: str, at: int | None, offset: int = 0) -> Look:
    return name, at, False, offset


def _away(name: str, at: int, offset: int = 0) -> Look:
    return name, at, True, offset


def _busts(night: Night, count: int) -> None:
    tables = sorted(table["table"] for table in night.tables())
    players = [
        (table, seat)
        for seat in range(9, 1, -1)
        for table in tables
        if str(seat) in night.table(table)["seats"]
    ]
    for table, seat in players[:count]:
        night.do("player.bust", player=f"{table}-{seat}")


def documents() -> Iterator[tuple[str, Any, list[Look]]]:
    """Give every document, with the instants at which it is looked at."""
    yield from _star()
    yield from _bubble()
    yield from _ends()
    yield from _others()


def _star() -> Iterator[tuple[str, Any, list[Look]]]:
    saturday = "star-brisbane-saturday"
    night = given(saturday, {1: 8, 2: 8}, started=False)
    yield "not scheduled", night.event(), [_fresh("waiting, no time set", 5_000)]
    night.do("event.schedule", starts_at=HOUR)
    yield (
        "scheduled",
        night.event(),
        [
            _fresh("waiting, an hour to go", 0, BRISBANE),
            _fresh("waiting, the last second", HOUR - 1),
            _fresh("waiting, due", HOUR, -210),
            _away("waiting, the hub is away", HOUR + 5_000),
        ],
    )
    night.do("event.schedule", starts_at=30 * HOUR)
    yield "tomorrow", night.event(), [_fresh("waiting until tomorrow", 0)]
    night.do("event.schedule", starts_at=80 * HOUR)
    yield "in days", night.event(), [_fresh("waiting for days", 0)]

    night = given(saturday, dict.fromkeys(range(1, 11), 8))
    for _ in range(6):
        night.later(minutes(20))
    night.later(minutes(15) + seconds(7) + 426)
    _busts(night, 23)
    at = night.now
    ends = night.clock()["ends_at"]
    yield (
        "level 6",
        night.event(),
        [
            _fresh("playing", at, BRISBANE),
            _fresh("playing, exactly on a second", ends - 754_000),
            _fresh("playing, a millisecond later", ends - 753_999),
            _fresh("playing, the minute before the last", ends - 60_001),
            _fresh("last minute begins", ends - 60_000),
            _fresh("last minute, the last millisecond", ends - 1),
            _fresh("level over, the hub has not spoken yet", ends),
            _fresh("level over, the hub still has not spoken", ends + 400),
            _away("coasting in the level", ends - 5_500),
            _away("coasting into the next level", ends),
            _away("coasting in the next level", ends + 90_001),
            _away("coasting until nothing is known", ends + minutes(20)),
            _fresh("playing, hub time is not known yet", None),
        ],
    )
    night.do("announce", text="Table 4 breaks: [bold]follow[/bold] the floor & don't <run>")
    yield "announced", night.event(), [_fresh("announcement", at)]
    night.do("clock.pause", reason="floor decision, table 9")
    yield (
        "paused",
        night.event(),
        [_fresh("paused", at + 55_000), _away("paused, the hub is away", at + HOUR)],
    )
    night.do("clock.resume")
    night.do("clock.pause")
    no_time = _fresh("paused, hub time is not known yet", None)
    yield "paused without a word", night.event(), [_fresh("paused, no reason", at), no_time]
    night.do("clock.resume")
    night.do("break.call", minutes=10)
    yield (
        "called break",
        night.event(),
        [
            _fresh("called break", at + 1, BRISBANE),
            _away("coasting out of a called break", at + minutes(10) + 500),
        ],
    )
    night.do("clock.pause", reason="fire alarm")
    yield "break paused", night.event(), [_fresh("break, paused", at)]


def _bubble() -> Iterator[tuple[str, Any, list[Look]]]:
    night = given("star-brisbane-saturday", dict.fromkeys(range(1, 6), 8))
    night.later(minutes(12))
    _busts(night, 33)
    night.do("hand.start", table=1)
    night.do("hand.start", table=2)
    night.do("h4h.announce", reason="the bubble")
    at = night.now
    yield "h4h announced", night.event(), [_fresh("hand-for-hand announced", at)]
    night.do("hand.end", table=1)
    night.do("hand.end", table=2)
    yield "h4h holding", night.event(), [_fresh("hand-for-hand, every table done", at)]
    night.do("h4h.next")
    night.later(seconds(20))
    night.do("h4h.done", table=3)
    at = night.now
    ends = night.clock()["ends_at"]
    yield (
        "h4h playing",
        night.event(),
        [
            _fresh("hand-for-hand, a hand is played", at),
            _fresh("hand-for-hand, fresh and over: only the hub knows", ends + 5_000),
            _away("hand-for-hand, the hub is away", at + 3_000),
        ],
    )
    night.do("clock.pause", reason="medical")
    yield "h4h paused", night.event(), [_fresh("hand-for-hand, paused by the floor", at)]

    night = given("apl", {1: 6, 2: 6})
    night.later(minutes(3))
    night.do("h4h.announce", policy="deduct")
    night.do("h4h.next")
    yield "h4h deduct", night.event(), [_fresh("hand-for-hand, the clock stands", night.now)]
    night = given("apl", {1: 6, 2: 6})
    night.do("h4h.announce", policy="run_on", unit="round")
    night.do("h4h.next")
    yield "h4h round", night.event(), [_fresh("round-for-round, the clock runs", night.now)]


def _ends() -> Iterator[tuple[str, Any, list[Look]]]:
    night = given("selkirk-main", {1: 10, 2: 10})
    night.later(minutes(50))
    at = night.now
    ends = night.clock()["ends_at"]
    yield (
        "before the chip break",
        night.event(),
        [_fresh("a break comes next", at), _away("coasting into an open break", ends + 100)],
    )
    night.later(minutes(15))
    yield "chip break", night.event(), [_fresh("break, chips to remove, no end", night.now)]
    night.do("event.suspend", resumes_at=night.now + 20 * HOUR)
    at = night.now
    yield (
        "suspended",
        night.event(),
        [
            _fresh("suspended, back tomorrow", at, 1320 - 24 * 60),
            _fresh("suspended, back today", at + 19 * HOUR, 60),
            _away("suspended, the time has come", at + 20 * HOUR),
        ],
    )
    night.do("event.resume")
    night.do("event.suspend")
    yield "suspended openly", night.event(), [_fresh("suspended, nobody knows until when", at)]

    night = given("selkirk-main", {1: 3})
    night.do("seat.clear", player="1-3")
    night.do("seat.put", player="1-3", table=1, seat=3, name=HOSTILE)
    night.do("player.bust", player="1-3")
    night.do("player.bust", player="1-2")
    night.do("event.finish")
    yield "finished", night.event(), [_fresh("finished, a winner", night.now)]
    night.do("undo")
    night.do("player.bust", player="1-1")
    night.do("event.finish")
    yield "nobody left", night.event(), [_fresh("finished, the last two out", night.now)]
    night = given("selkirk-main", {1: 3})
    night.do("event.finish")
    yield "a deal", night.event(), [_fresh("finished, no winner known", night.now)]


def _others() -> Iterator[tuple[str, Any, list[Look]]]:
    night = given("selkirk-main", {1: 4})
    stop = night.clock()["hard_stop_at"]
    if stop is not None:
        night.later(stop - minutes(20) - night.now)
        while night.clock()["phase"] == "break":
            night.do("break.end")
        ahead = _fresh("hard stop ahead", night.now)
        yield (
            "hard stop ahead",
            night.event(),
            [ahead, _away("coasting over a hard stop", stop + 9)],
        )
        night.later(minutes(21))
        yield "hard stop", night.event(), [_fresh("hard stop reached", night.now)]

    night = given(rules_of(COUNTED), {1: 2, 2: 2, 3: 1})
    night.later(minutes(9))
    at = night.now
    yield (
        "before counted hands",
        night.event(),
        [_fresh("hands come next", at), _away("coasting into hands", at + minutes(1))],
    )
    night.later(minutes(2))
    yield "counted hands", night.event(), [_fresh("a level of hands", night.now)]
    night.do("clock.pause", reason="a spill")
    yield "counted hands paused", night.event(), [_fresh("a level of hands, paused", night.now)]

    night = given(rules_of(HUGE), {1: 2})
    yield "huge", night.event(), [_fresh("nine digits, more than an hour", 0)]
    night.later(minutes(91))
    last = night.event()
    over = _away("the last level is over, the hub is away", night.now + minutes(90))
    yield "huge, last", last, [_fresh("the last level", night.now), over]
    night.later(minutes(95))
    yield "huge, over", night.event(), [_fresh("the last level has no end", night.now)]
    night.do("h4h.announce", policy="run_on")
    yield "huge, over, announced", night.event(), [_fresh("no end, hand for hand", night.now)]
    empty = given("home-poker-tourney", started=False)
    yield "nobody yet", empty.event(), [_fresh("nobody has come", 0)]


def vectors() -> dict[str, Any]:
    """Give the vectors as they would be written now."""
    docs: dict[str, Any] = {}
    cases: list[dict[str, Any]] = []
    for key, document, looks in documents():
        docs[key] = document
        for name, now, away, offset in looks:
            case = {"name": name, "document": key, "now": now, "away": away, "offset": offset}
            cases.append({**case, "expect": shown(document, now, away, offset)})
    links = [{"link": link, "expect": asdict(trust(**link))} for link in TRUST]
    made = {"documents": docs, "cases": cases, "links": links}
    found: dict[str, Any] = json.loads(json.dumps(made))
    return found


def shown(document: Any, now: int | None, away: bool, offset: int) -> dict[str, Any]:
    """Give what a wall shows, as JSON says it."""
    made = asdict(wall(document, now, lambda _: offset, away=away))
    found: dict[str, Any] = json.loads(json.dumps(made))
    return found


def write(path: Path, made: dict[str, Any]) -> None:
    """Write vectors, a line for each document and each case."""
    parts = []
    for key, rows in made.items():
        if isinstance(rows, dict):
            inner = ",\n".join(f"  {json.dumps(name)}: {_line(row)}" for name, row in rows.items())
            parts.append(f' "{key}": {{\n{inner}\n }}')
        else:
            inner = ",\n".join(f"  {_line(row)}" for row in rows)
            parts.append(f' "{key}": [\n{inner}\n ]')
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n", "utf-8")


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    write(VECTORS, vectors())
