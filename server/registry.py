"""The registry: which events there are, and what the hub itself went through.

A small engine of its own, as pure as the big one: `decide` gives records for the journal, `evolve`
takes them in. An event is created with the whole of its preset, so that a file that is edited later
never changes a night that was played.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from server.engine import Rules
from server.engine.reading import build
from server.engine.refusals import Code, Refused
from server.engine.visible import is_visible, stripped
from server.wishes import EventArchive, EventCreate, GapClear

HUB = ""
"""The journal's name for the hub itself, in the place of an event's."""

NOT_STORED = "The hub cannot store anything now: nothing was done."

GAPS_KEPT = 20

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Registered:
    """An event that was created."""

    id: str
    preset: str
    rules: Rules
    created_at: int
    scheduled_at: int | None = None
    archived: bool = False
    source: Mapping[str, Any] = field(default_factory=dict)  # what its preset said


@dataclass(frozen=True, slots=True)
class Missed:
    """Time that the hub missed, or a wall clock that was moved; who was given the time back."""

    id: int
    kind: str  # restart, stall, storage or step
    since: int
    until: int
    interrupted: tuple[str, ...] = ()  # tables whose clocks were held, as event/table
    given: tuple[str, ...] = ()  # events that were given the time back
    cleared: bool = False

    @property
    def ms(self) -> int:
        """How long, or how far."""
        return self.until - self.since


@dataclass(frozen=True, slots=True)
class Registry:
    """Everything the hub knows of itself."""

    events: Mapping[str, Registered] = field(default_factory=dict)
    missed: tuple[Missed, ...] = ()
    count: int = 0  # gaps ever found

    def gap(self, number: int) -> Missed | None:
        """Find a gap that is still remembered."""
        return next((gap for gap in self.missed if gap.id == number), None)


def decide(
    registry: Registry, wish: EventArchive | GapClear, statuses: Mapping[str, str]
) -> list[Record] | Refused:
    """Say what follows from a wish that only concerns the registry."""
    match wish:
        case EventArchive():
            found = registry.events.get(wish.event)
            if found is None or found.archived:
                return Refused(Code.UNKNOWN_EVENT, f"There is no event {wish.event}.")
            if statuses.get(wish.event) not in ("finished", "waiting"):
                return Refused(Code.NOT_ALLOWED, "Finish the event before you archive it.")
            return [{"event": "event.archived", "id": wish.event}]
        case GapClear():
            if registry.gap(wish.gap) is None:
                return Refused(Code.BAD_VALUE, f"There is no gap {wish.gap}.")
            return [{"event": "gap.cleared", "id": wish.gap}]


@dataclass(frozen=True, slots=True)
class Pattern:
    """What an event is made from: a preset and what it says."""

    preset: str
    raw: Mapping[str, Any]


def create(
    registry: Registry, wish: EventCreate, pattern: Pattern, at: int, scheduled_at: int | None
) -> Record:
    """Give the record of a new event, made from what its preset says."""
    raw = pattern.raw if wish.name is None else {**pattern.raw, "name": wish.name}
    return {
        "event": "event.created",
        "id": str(len(registry.events) + 1),
        "preset": pattern.preset,
        "rules": raw,
        "at": at,
        "scheduled_at": scheduled_at,
    }


def evolve(registry: Registry, record: Record) -> Registry:
    """Give the registry after a record; what it does not know is for somebody else."""
    match record["event"]:
        case "event.created":
            rules = _readable(record["rules"])
            made = Registered(
                record["id"],
                record["preset"],
                build(Rules, rules),
                record["at"],
                record["scheduled_at"],
                source=rules,
            )
            return _with(registry, made)
        case "event.archived":
            return _with(registry, replace(registry.events[record["id"]], archived=True))
        case "gap.found":
            number = registry.count + 1
            times = record["since"], record["until"]
            gap = Missed(number, record["kind"], *times, tuple(record["interrupted"]))
            missed = (*registry.missed, gap)[-GAPS_KEPT:]
            return replace(registry, missed=missed, count=number)
        case "gap.given":
            return _changed(registry, record["id"], given=record["to"])
        case "gap.cleared":
            return _changed(registry, record["id"], cleared=True)
        case _:
            return registry


def _readable(raw: Any) -> Any:
    """Leave out of a preset what is not taken any more: a night that was played must open."""
    if isinstance(raw, str):
        left = stripped(raw)
        return raw if left == raw else left if is_visible(left) else "?"
    if isinstance(raw, Mapping):
        return {key: _readable(value) for key, value in raw.items()}
    return [_readable(value) for value in raw] if isinstance(raw, list | tuple) else raw


def _with(registry: Registry, made: Registered) -> Registry:
    return replace(registry, events={**registry.events, made.id: made})


def _changed(
    registry: Registry, number: int, given: str | None = None, cleared: bool = False
) -> Registry:
    def change(gap: Missed) -> Missed:
        if gap.id != number:
            return gap
        to = gap.given if given is None else (*gap.given, given)
        return replace(gap, given=to, cleared=cleared or gap.cleared)

    return replace(registry, missed=tuple(map(change, registry.missed)))
