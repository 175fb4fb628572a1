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
    table_document,
    tick,
)
from server.engine.commands import TABLE
from server.engine.reading import each, text, whole
from server.engine.records import write_event

INSTANT = whole(0, 1 << 53)
TOPICS = each(text(40), 1_000)


class BadLine(Exception):  # noqa: N818 - the script's error, told in words for who wrote it
    """A line of the script that cannot be used."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a script: something to do, or topics to show."""

    at: int
    command: Command | None
    topics: tuple[str, ...]


def rehearse(rules: Rules, script: Iterable[bytes], *, events: bool = False) -> Iterator[str]:
    """Play a script and give the lines to print; a bad line raises BadLine with its number."""
    state = new(rules, scheduled_at=0)
    now = 0
    for number, raw in enumerate(script, start=1):
        if not raw.strip():
            continue
        try:
            line = _line(raw, number, now)
        except BadInput as bad:
            raise BadLine(f"line {number}: {bad}") from None
        now = line.at
        if line.command is None:
            happened: tuple[Event, ...] | Refused = tick(state, now - 1)
        else:
            happened = decide(state, line.command, now)
        if isinstance(happened, Refused):
            yield _json(
                at=now,
                do=line.command.do if line.command else "",
                refused=happened.code,
                text=happened.text,
            )
            continue
        state = _evolved(state, happened)
        yield from _events(happened) if events else ()
        yield from _show(state, line)
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
        case (_, _, number):
            return table_document(state, int(number), now)


# ── reading a line ───────────────────────────────────────────────────────────────────────────────


def _line(raw: bytes, number: int, now: int) -> Line:
    found = _object(raw)
    unknown = sorted(found.keys() - {"at", "do", "args", "id", "show"})
    if unknown:
        raise BadInput(unknown[0], "unknown key; the known ones are: at, do, args, id, show")
    if ("do" in found) == ("show" in found):
        raise BadInput("", 'must have either "do" or "show"')
    if "at" not in found:
        raise BadInput("at", "is missing")
    at = INSTANT(found["at"], "at")
    if at < now:
        raise BadInput("at", f"goes back from {now} to {at}")
    if "do" in found:
        command = parse(found["do"], found.get("args"), id=found.get("id", str(number)))
        return Line(at, command, ())
    if "args" in found or "id" in found:
        raise BadInput("show", "takes no args and no id")
    topics: tuple[str, ...] = TOPICS(found["show"], "show")
    for i, topic in enumerate(topics):
        _check_topic(topic, f"show[{i}]")
    return Line(at, None, topics)


def _object(raw: bytes) -> dict[str, Any]:
    try:
        found = json.loads(raw, object_pairs_hook=_unique, parse_constant=_no_constant)
    except BadInput:
        raise
    except (ValueError, RecursionError) as error:
        raise BadInput("", f"not a line of JSON: {error}") from None
    if not isinstance(found, dict):
        raise BadInput("", 'must be an object such as {"at": 0, "do": "clock.start"}')
    return found


def _check_topic(topic: str, where: str) -> None:
    kind, slash, number = topic.partition("/")
    if topic in ("event", "floor"):
        return
    if kind != "table" or not slash or not (number.isascii() and number.isdecimal()):
        raise BadInput(where, f"must be event, floor or table/<n>, not {topic!r}")
    TABLE(int(number), where)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = next(key for i, (key, _) in enumerate(pairs) if key in dict(pairs[:i]))
        raise BadInput(twice, "is given twice")
    return found


def _no_constant(name: str) -> None:
    raise BadInput("", f"{name} is not a number")
