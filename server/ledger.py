"""The ledger: the journal as people read it, one entry for each command and each fact of time.

A command's effects are told with it. An entry keeps the three instants of a tap (what the device
said, what counted, when the hub took it up), and `explain` says in words what they mean, so that a
ruling can be shown to who disputes it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from server.credit import BOUND, GRACE
from server.engine.tales import happened, time_words
from server.export import time_of_day
from server.journal import Line, Stored
from server.registry import HUB

CAUSES = ("command.accepted", "command.undone")
RULED = ("action.expired", "called.expired", "chip.forfeited")
"""What time does to a player, and a player may dispute."""

TAIL = 400
"""Lines of an event that are at hand: enough for the newest entries of a busy room."""

ENTRIES = 50
"""Entries that are published, the newest first."""

HUB_WORDS: dict[str, str] = {
    "hub.started": "the hub started, build {build}",
    "event.created": "event {id} created from {preset}",
    "event.archived": "event {id} put away",
    "gap.found": "the hub missed some time ({kind})",
    "gap.given": "the time of gap {id} given back to event {to}",
    "gap.cleared": "gap {id} read",
    "device.paired": "device {device} let in as {role}",
    "device.changed": "device {device} is now {name}, {role}",
    "device.revoked": "device {device} shown out",
    "lease.asked": "device {device} asks for table {table}",
    "lease.granted": "table {table} given to device {device}",
    "dealer.signed_on": "{name} signed on with device {device}",
    "dealer.signed_off": "signed off from device {device}",
    "screen.set": "screen {device} set up",
    "screen.reloaded": "screen {device} loaded anew",
    "screen.identified": "screen {device} shows its name",
    "staff.added": "{name} was given a PIN",
    "staff.removed": "{name} has no PIN any more",
    "undo.recalled": "all that can be undone in event {id} is remembered again",
}
"""What the hub writes of itself; what is not here is told by its name."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which entries somebody asks for."""

    table: int | None = None
    seat: int | None = None
    who: str | None = None

    def fits(self, entry: Mapping[str, Any]) -> bool:
        """Say whether an entry is one of them."""
        places = entry["places"]
        if self.table is not None and not any(table == self.table for table, _ in places):
            return False
        if self.seat is not None and not any(
            seat == self.seat and self.table in (None, table) for table, seat in places
        ):
            return False
        who = self.who
        return who is None or who.casefold() in f"{entry['who']}\n{entry['device']}".casefold()


def entries(newest_first: Iterable[Stored]) -> Iterator[dict[str, Any]]:
    """Tell lines as entries, the newest first."""
    effects: list[tuple[Stored, dict[str, Any]]] = []
    for stored in newest_first:
        record = msgspec.json.decode(stored.line.body)
        if record["event"] in CAUSES:
            own = [e for e in effects if e[0].line.command == stored.line.command]
            for effect in [e for e in effects if e not in own]:
                yield _entry(*effect, [])
            effects = []
            yield _entry(stored, record, own[::-1])
        elif stored.line.command and stored.line.event != HUB:
            effects.append((stored, record))
        else:
            for effect in effects:
                yield _entry(*effect, [])
            effects = []
            yield _entry(stored, record, [])
    for effect in effects:  # their cause lies before what was read
        yield _entry(*effect, [])


def _entry(
    stored: Stored, record: dict[str, Any], effects: list[tuple[Stored, dict[str, Any]]]
) -> dict[str, Any]:
    line, name = stored.line, record["event"]
    command = record.get("command") if name in CAUSES else None
    told = [record if command is None else command["args"], *(found for _, found in effects)]
    places = _places(told)
    table, seat = places[0] if places else (None, None)
    text = _words(line, record)
    return {
        "seq": stored.seq,
        "event": line.event,
        "at": line.at,
        "tapped": line.tapped,
        "received": line.received,
        "who": line.actor,
        "device": line.device,
        "command": line.command,
        "what": name if command is None else command["do"],
        "kind": "command" if command else "note" if line.command or line.event == HUB else "time",
        "table": table,
        "seat": seat,
        "places": places,
        "text": text[:1].upper() + text[1:],
        "then": [happened(found) for _, found in effects],
        "explain": _explained(line, record, _silence([record, *(found for _, found in effects)])),
    }


def _places(records: Iterable[Mapping[str, Any]]) -> list[tuple[int, int | None]]:
    """List the tables and seats that records speak of, each once."""
    found: dict[tuple[int, int | None], None] = {}
    for record in records:
        for table, seat in (("table", "seat"), ("to_table", "to_seat")):
            if isinstance(record.get(table), int):
                found[record[table], record.get(seat)] = None
    return list(found)


def _words(line: Line, record: dict[str, Any]) -> str:
    if line.event == HUB:
        words = HUB_WORDS.get(record["event"])
        try:
            return str(record["event"]) if words is None else words.format(**record)
        except (KeyError, IndexError):
            return str(record["event"])
    return happened(record)


# ── why a tap counted as it did ──────────────────────────────────────────────────────────────────


def _silence(records: Iterable[Mapping[str, Any]]) -> str | None:
    """Say when a table's device was silent, where records tell of it."""
    for record in records:
        if record["event"] in ("tap.kept", "silence.ended"):
            return f"{time_of_day(record['since'])}–{time_of_day(record['until'])}"  # noqa: RUF001
    return None


def _explained(line: Line, record: dict[str, Any], silence: str | None) -> str | None:
    """Say in words how an instant came to count, or why time ruled."""
    at, received = time_of_day(line.at, exact=True), time_of_day(line.received, exact=True)
    if record["event"] in RULED:
        waited = line.received - line.at
        return (
            f"Time was up at {at}. Ruled at {received}, {waited} ms later: the hub waits "
            f"{GRACE} ms for a tap that is on its way, and reads all that has arrived first."
        )
    if line.tapped is None:
        return None if silence is None else f"The tablet was silent {silence}: nobody loses time."
    tapped = time_of_day(line.tapped, exact=True)
    way = f"Tapped at {tapped} by the device, received at {received}"
    if record.get("taken_over"):
        return f"{way}. By then somebody else had worked the table: nothing was done."
    if record["event"] == "tap.late":
        back = line.received - line.at
        return (
            f"{way}. It counts from {at}, {back} ms before it was received: no tap is believed for "
            f"longer than {BOUND} ms. Time had run out before that."
        )
    if silence is not None:
        late = time_words(line.received - line.at)
        return (
            f"{way}. It counts from {at}, {late} before it was received: the tablet was silent "
            f"{silence}."
        )
    if line.at == line.tapped:
        return f"{way}. It counts from the tap itself."
    if line.at > line.tapped:
        back = max(0, line.received - line.at)
        return (
            f"{way}. It counts from {at}, {back} ms before it was received: no tap is believed for "
            f"longer than {BOUND} ms, or something else had happened there by then."
        )
    return f"{way}. It counts from {at}, when it was received: the device's clock was ahead."
