"""Exports: the journal for a dispute, as CSV for people or as JSON lines for programs.

A cell that a spreadsheet would take for a formula is made plain text: a player may be called
`=cmd()`, and nobody's computer should obey.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from server.journal import Stored

COLUMNS = ("line", "event", "what", "at", "tapped", "received", "actor", "device", "command")
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%")


def plain(cell: str) -> str:
    """Keep a spreadsheet from taking a cell for a formula."""
    return f"'{cell}" if cell.lstrip(" ").startswith(FORMULA) else cell


def instant(ms: int | None) -> str:
    """Write an instant so that it sorts and can be read."""
    if ms is None:
        return ""
    try:
        moment = datetime.fromtimestamp(ms / 1_000, UTC)
    except (OverflowError, ValueError):
        return str(ms)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{ms % 1_000:03d}Z"


def time_of_day(ms: int, *, exact: bool = False) -> str:
    """Write an instant as the room's clock on the wall would, if need be to the millisecond."""
    try:
        moment = datetime.fromtimestamp(ms / 1_000).astimezone()
    except (OverflowError, OSError, ValueError):
        return str(ms)
    clock = moment.strftime("%H:%M:%S")
    return f"{clock}.{ms % 1_000:03d}" if exact else clock


def as_csv(stored: Iterable[Stored]) -> Iterator[str]:
    """Give the lines of a CSV file."""
    yield _row([*COLUMNS, "details", "hash"])
    for found in stored:
        line, record = found.line, json.loads(found.line.body)
        what = record.pop("event")
        times = [instant(ms) for ms in (line.at, line.tapped, line.received)]
        cells = [line.event, what, *times, line.actor, line.device, line.command]
        details = json.dumps(record, ensure_ascii=False)
        yield _row([str(found.seq), *map(plain, cells), details, found.hash.hex()])


def _row(cells: list[str]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow(cells)
    return out.getvalue()


def as_json(stored: Iterable[Stored]) -> Iterator[str]:
    """Give JSON lines: each with everything that its hash covers."""
    for found in stored:
        line = found.line
        yield json.dumps(
            {
                "line": found.seq,
                "event": line.event,
                "at": line.at,
                "tapped": line.tapped,
                "received": line.received,
                "actor": line.actor,
                "device": line.device,
                "command": line.command,
                "record": json.loads(line.body),
                "hash": found.hash.hex(),
            },
            ensure_ascii=False,
        )
