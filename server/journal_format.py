"""The journal's format: what its lines may say, who wrote them, and how older ones are read.

Every start writes its build and format into the journal (`hub.started`), and both hold for all
lines until the next start. Old lines are never rewritten, for the chain of hashes lies over them:
they are lifted to today's format, one step for each format since, whenever they are read.

What this version does not know is refused, never dropped: a night without one of its facts is
another night. A change of what is written is a new format; `tests/journals` holds the shape of
each, so that no change goes by unnoticed.
"""

from bisect import bisect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import msgspec

from server import __version__
from server.engine import BadInput
from server.engine.events import EVENTS, Event
from server.engine.records import Unknown, read_event
from server.journal import Journal, StorageError, Stored
from server.registry import HUB, Record

Lift = Callable[[Record], Record]


def _as_it_is(record: Record) -> Record:
    """Read records of format 1, the one of 0.1.0: what was added since may be missing."""
    return record


LIFTS: tuple[Lift, ...] = (_as_it_is,)
"""How records come from each format to the next: the first from 1 to 2."""

FORMAT = len(LIFTS) + 1
"""What this version writes."""

CARRIED = "registry"
"""Keeps what the hub must know of its own lines that are in an archive, and who wrote the first
ones that are not."""

NOTES: dict[str, frozenset[str]] = {
    "tap.late": frozenset({"do", "args", "at", "taken_over"}),
}
"""What the hub notes among an event's lines that is no fact of it, and the fields of each."""

_DEVICE = frozenset({"device"})
_BADGE = _DEVICE | {"role", "name", "at_event", "at_table"}
HUB_RECORDS: dict[str, frozenset[str]] = {
    "hub.started": frozenset({"build", "format"}),
    "event.created": frozenset({"id", "preset", "rules", "at", "scheduled_at"}),
    "event.archived": frozenset({"id"}),
    "gap.found": frozenset({"kind", "since", "until", "interrupted"}),
    "gap.given": frozenset({"id", "to"}),
    "gap.cleared": frozenset({"id"}),
    "device.paired": _BADGE | {"kind", "address"},
    "device.changed": _BADGE,
    "device.revoked": _DEVICE,
    "lease.asked": _DEVICE | {"table"},
    "lease.granted": _DEVICE | {"table", "instead_of"},
    "dealer.signed_on": _DEVICE | {"name"},
    "dealer.signed_off": _DEVICE | {"table"},
    "screen.set": _DEVICE | {"settings"},
    "screen.reloaded": _DEVICE,
    "screen.identified": _DEVICE,
    "staff.added": frozenset({"name"}),
    "staff.removed": frozenset({"name"}),
    "undo.recalled": frozenset({"id"}),
}
"""What the hub writes of itself, and the fields of each."""


class NotUnderstood(StorageError):  # noqa: N818 - told in words
    """The journal says something that this version does not know."""


@dataclass(slots=True)
class Origins:
    """Which lines were written by which version: from each start of a hub to the next."""

    _lines: list[int] = field(default_factory=list)  # at which each began to write
    _wrote: list[tuple[int, str]] = field(default_factory=list)  # the format and build of each

    def note(self, seq: int, record: Record) -> None:
        """Take note of a record of the hub's own, if it says who writes from there on."""
        if "build" in record:
            self._lines.append(seq)
            # 0.1.0 named no format.
            self._wrote.append((int(record.get("format", 1)), str(record["build"])))

    def format(self, seq: int) -> int:
        """Say in which format a line was written."""
        at = bisect(self._lines, seq)
        return self._wrote[at - 1][0] if at else 1

    def build(self, seq: int) -> str | None:
        """Say which version wrote a line; None where nothing tells."""
        at = bisect(self._lines, seq)
        return self._wrote[at - 1][1] if at else None

    # ── reading ──────────────────────────────────────────────────────────────────────────────────

    def lifted(self, seq: int, record: Record) -> Record:
        """Give a record of any format as today's version would have written it."""
        for lift in LIFTS[self.format(seq) - 1 :]:
            record = lift(record)
        return record

    def hub_record(self, stored: Stored) -> Record:
        """Read a line of the hub's own."""
        found = msgspec.json.decode(stored.line.body)
        self.note(stored.seq, found)
        written = self.format(stored.seq)
        if written > FORMAT:
            raise self.refused(stored.seq, f"journals of format {written}")
        record = self.lifted(stored.seq, found)
        self._insist(stored.seq, record, HUB_RECORDS, "record")
        return record

    def happened(self, stored: Stored) -> Event | None:
        """Read a line of an event: what happened, or None for what the hub noted beside."""
        record = self.lifted(stored.seq, msgspec.json.decode(stored.line.body))
        if record["event"] not in EVENTS:
            self._insist(stored.seq, record, NOTES, "fact")
            return None
        try:
            return read_event(record)
        except (Unknown, BadInput) as unknown:
            raise self.refused(stored.seq, str(unknown)) from None

    def insist_on_name(self, seq: int, name: str) -> None:
        """Insist that what an event's line says is known by name."""
        if name not in EVENTS and name not in NOTES:
            raise self.refused(seq, f'the fact "{name}"')

    def _insist(
        self, seq: int, record: Record, known: Mapping[str, frozenset[str]], kind: str
    ) -> None:
        name = record["event"]
        if name not in known:
            raise self.refused(seq, f'the {kind} "{name}"')
        unknown = record.keys() - known[name] - {"event"}
        if unknown:
            fields = ", ".join(f'"{key}"' for key in sorted(unknown))
            raise self.refused(seq, f'the field {fields} of "{name}"')

    def refused(self, seq: int, what: str) -> NotUnderstood:
        """Say who wrote what this version does not know, and what to do."""
        build = self.build(seq)
        if build == __version__:
            return NotUnderstood(
                f"Line {seq} of the journal has {what}, which Railbird {__version__} never writes: "
                "somebody else has written into it. Nothing was changed. Run `railbird verify`, "
                "and see docs/install.md about backups"
            )
        by = f"Railbird {build}" if build else "another version of Railbird"
        wanted = f"Railbird {build}" if build else "that version"
        return NotUnderstood(
            f"This journal was written by {by}, and this is Railbird {__version__}, which does "
            f"not know {what} (line {seq}). Nothing was changed. Install {wanted} or a newer one, "
            "or begin another journal in a new folder with --data"
        )


def carried(journal: Journal, wrote: Origins) -> list[Record]:
    """Read what is kept of the hub's own lines in archives; note who wrote what follows."""
    found = journal.get(CARRIED)
    if found is None:
        return []
    archiver = Origins()
    archiver.note(0, found)
    if archiver.format(0) > FORMAT:
        raise archiver.refused(0, f"journals of format {archiver.format(0)}")
    wrote.note(0, found["begins"])
    return [archiver.lifted(0, record) for record in found["records"]]


def origins(journal: Journal) -> Origins:
    """Read from the hub's own lines which version wrote what."""
    found = Origins()
    carried(journal, found)
    for stored in journal.read(HUB):
        found.hub_record(stored)
    return found
