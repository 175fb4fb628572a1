"""Rehearsal: a night in virtual time, from a script of JSON lines, with no hub and no network.

A director tries a structure with it or settles a dispute; scenarios are checked with it. What is
shown at an instant includes everything due by then, but is only a look: a command at that same
instant still comes before what is due at it.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from server.engine import (
    BadInput,
    Command,
    Event,
    Refused,
    Rules,
    State,
    decide,
    event_document,
    evolve,
    floor_document,
    new,
    parse,
    results_document,
    table_document,
    tick,
)
from server.engine.commands import ID, TABLE
from server.engine.flow import HOUR
from server.engine.reading import each, key, text, whole
from server.engine.records import write_event

LONGEST = 100 * 24 * HOUR
"""How long a night may be: levels that go on for ever must not take for ever to rehearse."""

INSTANT = whole(0, LONGEST)
MOST_DIGITS = 40
PAGE = whole(1, 9_999)
TOPICS = each(text(40), 1_000)


class BadLine(Exception):  # noqa: N818 - the script's error, told in words for who wrote it
    """A line of the script that cannot be used."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a script: something to do, or topics to show."""

    at: int
    command: Command | None
    topics: tuple[str, ...]
    scheduled: int | None = None  # when the event was to start: the first line may say so


def rehearse(rules: Rules, script: Iterable[bytes], *, events: bool = False) -> Iterator[str]:
    """Play a script and give the lines to print; a bad line raises BadLine with its number."""
    state = new(rules, scheduled_at=0)
    now = count = 0
    for number, raw in enumerate(script, start=1):
        if not raw.strip():
            continue
        try:
            line = _line(raw, number, now)
        except BadInput as bad:
            raise BadLine(f"line {number}: {bad}") from None
        if line.scheduled is not None:
            if count or now:
                raise BadLine(f"line {number}: scheduled: must come before everything else")
            state = new(rules, scheduled_at=line.scheduled)
            continue
        count, now = count + 1, line.at
        overdue = tick(state, now - 1)
        state = _evolved(state, overdue)
        yield from _events(overdue) if events else ()
        if line.command is None:
            yield from _show(state, line)
            continue
        outcome = decide(state, line.command, now)
        if isinstance(outcome, Refused):
            yield _json(at=now, do=line.command.do, refused=outcome.code, text=outcome.text)
            continue
        state = _evolved(state, outcome)
        yield from _events(outcome) if events else ()
    yield from _events(tick(state, now)) if events else ()


def _json(**line: object) -> str:
    return json.dumps(line, ensure_ascii=False)


def _events(happened: Iterable[Event]) -> Iterator[str]:
    return (_json(**write_event(event)) for event in happened)


def _evolved(state: State, events: Iterable[Event]) -> State:
    for event in events:
        state = evolve(state, event)
    return state


def _show(state: State, line: Line) -> Iterator[str]:
    seen = _evolved(state, tick(state, line.at))
    for topic in line.topics:
        doc = _document(seen, topic, line.at)
        yield _json(at=line.at, topic=topic, doc=doc)


def _document(state: State, topic: str, now: int) -> dict[str, Any] | None:
    match topic.partition("/"):
        case ("event", _, _):
            return event_document(state, now)
        case ("floor", _, _):
            return floor_document(state, now)
        case ("results", _, page):
            return results_document(state, int(page), now)
        case (_, _, number):
            return table_document(state, int(number), now)


# ── reading a line ───────────────────────────────────────────────────────────────────────────────


def _line(raw: bytes, number: int, now: int) -> Line:
    found = _object(raw)
    unknown = sorted(found.keys() - {"at", "do", "args", "id", "show", "scheduled"})
    if unknown:
        raise BadInput(key(unknown[0]), "unknown key; the known ones are: at, do, args, id, show")
    if "scheduled" in found and found.keys() <= {"at", "scheduled"}:
        return Line(0, None, (), whole(-LONGEST, LONGEST)(found["scheduled"], "scheduled"))
    if ("do" in found) == ("show" in found):
        raise BadInput("", 'must have either "do" or "show"')
    if "at" not in found:
        raise BadInput("at", "is missing")
    at = INSTANT(found["at"], "at")
    if at < now:
        raise BadInput("at", f"goes back from {now} to {at}")
    if "do" in found:
        id_ = ID(found["id"], "id") if "id" in found else str(number)
        return Line(at, parse(found["do"], found.get("args"), id=id_), ())
    if "args" in found or "id" in found:
        raise BadInput("show", "takes no args and no id")
    topics: tuple[str, ...] = TOPICS(found["show"], "show")
    for i, topic in enumerate(topics):
        _check_topic(topic, f"show[{i}]")
    return Line(at, None, topics)


def _object(raw: bytes) -> dict[str, Any]:
    try:
        # NaN and endless numbers are read as values that no argument accepts, so that the message
        # can name the argument.
        found = json.loads(
            raw.decode("utf-8"),
            object_pairs_hook=_unique,
            parse_constant=float,
            parse_int=lambda digits: int(digits[:MOST_DIGITS]),
        )
    except UnicodeDecodeError:
        raise BadInput("", "not a line of JSON: it is not UTF-8") from None
    except json.JSONDecodeError as error:
        at = f"at character {error.pos + 1}"
        raise BadInput("", f"not a line of JSON: {error.msg} {at}") from None
    except RecursionError:
        raise BadInput("", "not a line of JSON: it is nested too deeply") from None
    if not isinstance(found, dict):
        raise BadInput("", 'must be an object such as {"at": 0, "do": "clock.start"}')
    return found


def _check_topic(topic: str, where: str) -> None:
    kind, slash, number = topic.partition("/")
    if topic in ("event", "floor"):
        return
    numbered = kind in ("table", "results") and bool(slash)
    if not numbered or not (number.isascii() and number.isdecimal()):
        known = "event, floor, table/<n> or results/<page>"
        raise BadInput(where, f"must be {known}, not {topic!r}")
    (TABLE if kind == "table" else PAGE)(int(number), where)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise BadInput(key(name), "is given twice")
        found[name] = value
    return found
