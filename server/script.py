"""A journal as a rehearsal script: a night that was played, to be played again on paper.

Instants are counted from the event's creation, also those in commands. What time did by itself is
not in the script: the rehearsal does it again, and at the end shows every table and the event.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from server.engine.events import EVENTS, Accepted, Undone
from server.engine.records import read_event, write_command
from server.journal import Stored
from server.registry import HUB


class NoSuchEvent(Exception):  # noqa: N818 - told in words
    """The journal does not know the event."""


def created(stored: Iterable[Stored], event: str) -> dict[str, Any]:
    """Find how an event was created."""
    for found in stored:
        if found.line.event == HUB:
            record: dict[str, Any] = json.loads(found.line.body)
            if record["event"] == "event.created" and record["id"] == event:
                return record
    raise NoSuchEvent(f"the journal has no event {event!r}")


INSTANTS = ("starts_at", "resumes_at")
"""Arguments that are instants."""


def script(stored: Iterable[Stored], event: str, made: Mapping[str, Any]) -> Iterator[str]:
    """Give the lines of a script of an event that was created as `created` says."""
    began, scheduled = made["at"], made["scheduled_at"]
    now, tables = 0, set()
    if scheduled is not None:
        yield json.dumps({"at": 0, "scheduled": scheduled - began})
    for found in stored:
        if found.line.event != event:
            continue
        record = json.loads(found.line.body)
        happened = read_event(record) if record["event"] in EVENTS else None
        if not isinstance(happened, Accepted | Undone):
            continue
        written = write_command(happened.command)
        now = max(now, happened.at - began)
        if "table" in written["args"]:
            tables.add(written["args"]["table"])
        args = {key: _shifted(key, value, began) for key, value in written["args"].items()}
        line: dict[str, Any] = {"at": now, "do": written["do"], "args": args}
        if happened.command.id:
            line["id"] = happened.command.id
        yield json.dumps(line, ensure_ascii=False)
    topics = ["event", *(f"table/{number}" for number in sorted(tables))]
    yield json.dumps({"at": now, "show": topics})


def _shifted(key: str, value: Any, began: int) -> Any:
    return max(0, value - began) if key in INSTANTS and value is not None else value
