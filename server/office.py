"""The office: carries out the hub's own orders about events and about time that was missed.

It keeps the registry: the newest one, on which the next order is decided, and the newest durable
one, which is all that is shown.
"""

from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from server import presets, registry, sheets
from server.catalogue import OwnPresets, start_words
from server.desk import HUB_ACTOR
from server.engine import BadInput, Refused, decide, evolve, new, parse
from server.engine.flow import MINUTE
from server.engine.reading import build
from server.engine.records import write_event
from server.engine.rules import Rules
from server.journal import Line
from server.journal_format import Origins, carried
from server.loading import Loaded, load
from server.orders import Answer, Order
from server.presets import BadPreset
from server.protocol import messages as m
from server.registry import HUB, NOT_STORED, Pattern, Record, Registered, Registry
from server.request_threads import Busy
from server.screens import SAME
from server.wishes import EventArchive, EventCreate, GapClear, GapGiveBack

if TYPE_CHECKING:
    from server.hub import Hub

LONG_AGO = timedelta(hours=6)
"""An event that is created so long after its house's start time is meant for the next day."""

AWAY = {
    "restart": "was restarted",
    "stall": "could not run",
    "storage": "could not store anything",
}

LOOK_EVERY = 3_000
"""Milliseconds between two looks at the venue's presets while somebody reads the list."""

MOST_PAST = 50
"""Events that are offered to be played again."""

Business = EventCreate | EventArchive | GapGiveBack | GapClear


SOON = 5 * MINUTE
"""So little before the house's start nobody expects a new event to start by itself: its players are
not seated yet."""


class Office:
    """The hub's own writer."""

    def __init__(self, hub: "Hub", presets_folder: Path) -> None:
        self._hub, self._presets = hub, presets_folder
        self._head = self.shown = Registry()
        self._coming: dict[str, Loaded] = {}  # events that are being created
        self._own = OwnPresets(presets_folder)
        self._catalogue = self._own.found
        self._reading = False
        self._looked_at = 0  # when the presets were last read
        self.wrote = Origins()  # which lines were written by which version
        hub.writer.on_rewind(self._rewind)

    def load(self) -> None:
        """Read the hub's own lines, and what went of them into archives."""
        for record in carried(self._hub.journal, self.wrote):
            self._head = registry.evolve(self._head, record)
        for stored in self._hub.journal.read(HUB):
            record = self.wrote.hub_record(stored)
            try:
                self._head = registry.evolve(self._head, record)
            except BadInput as bad:  # a preset says what this version does not know
                raise self.wrote.refused(stored.seq, f"the preset's {bad}") from None
            if stored.line.device:
                key = stored.line.device, stored.line.command
                self._hub.answers.remember(key, stored.line.at)
        self.shown = self._head

    def read_presets(self) -> None:
        """Read all presets: for the start, when nobody waits yet."""
        self._catalogue = self._own.look()

    def look(self, now: int) -> None:
        """Read the presets again while somebody looks at them; called every second."""
        followed = self._hub.press.fanout.followers("presets")
        if followed and not self._reading and now - self._looked_at >= LOOK_EVERY:
            self._looked_at = now
            self._hub.task(self._read_again())

    async def _read_again(self) -> None:
        self._reading = True
        try:
            found = await self._hub.request_threads.run(self._own.look)
        except Busy:
            return  # and again in a moment
        finally:
            self._reading = False
        if found != self._catalogue:
            self._catalogue = found
            self._hub.press.publish("presets")

    def presets_document(self) -> dict[str, Any]:
        """List what an event can be created from: presets, and events that were played here."""
        events = sorted(self.shown.events.values(), key=lambda made: -made.created_at)
        return {
            "now": self._hub.time.now(),
            "presets": list(self._catalogue.presets),
            "problems": list(self._catalogue.problems),
            "past": [
                {
                    "event": made.id,
                    "name": made.rules.name,
                    "house": made.rules.house,
                    "preset": made.preset,
                    "created_at": made.created_at,
                    "start": start_words(made.rules),
                    "archived": made.archived,
                }
                for made in events[:MOST_PAST]
            ],
        }

    def order(self, order: Order, wish: Business, settle: Answer) -> None:
        """Carry an order out."""
        match wish:
            case EventCreate():
                self._hub.task(self._create(order, wish, settle))
            case GapGiveBack():
                self._give_back(order, wish, settle)
            case EventArchive() | GapClear():
                statuses = {desk.id: desk.status for desk in self._hub.desks.values()}
                outcome = registry.decide(self._head, wish, statuses)
                if isinstance(outcome, Refused):
                    settle(m.Refused(order.id, outcome.code, outcome.text))
                else:
                    self.commit(outcome, order, settle)

    # ── writing ──────────────────────────────────────────────────────────────────────────────────

    def line(self, record: Record, order: Order | None = None) -> Line:
        """Make a line of the hub's own."""
        body = m.encode(record)
        if order is None:
            now = self._hub.time.now()
            return Line(HUB, now, None, now, HUB_ACTOR, "", "", body)
        who = order.badge.name or order.badge.role
        times = (order.at, order.tapped, order.received)
        return Line(HUB, *times, who, order.device, order.id, body)

    def commit(
        self,
        records: list[Record],
        order: Order | None = None,
        settle: Answer | None = None,
        beside: list[Line] | None = None,
    ) -> None:
        """Write records; what follows from them happens when they are durable."""
        for record in records:
            self._head = registry.evolve(self._head, record)
        after = self._head

        def durable(seq: int) -> None:
            self.shown = after
            self._hub.follow_registry(seq, self._coming)
            if settle is not None and order is not None:
                settle(m.Done(order.id, order.at))

        def failed() -> None:
            if settle is not None and order is not None:
                settle(m.Refused(order.id, "storage", NOT_STORED))

        lines = [self.line(record, order) for record in records]
        self._hub.writer.write([*lines, *(beside or ())], durable, failed)

    def _rewind(self) -> None:
        self._head = self.shown

    # ── events ───────────────────────────────────────────────────────────────────────────────────

    async def _create(self, order: Order, wish: EventCreate, settle: Answer) -> None:
        found = self._head.events.get(wish.like or "")
        if wish.like is not None and found is None:
            text = f"There is no event {wish.like} to play again."
            settle(m.Refused(order.id, "unknown_event", text))
            return
        try:
            pattern = await self._hub.request_threads.run(self._pattern, wish.preset, found)
        except Busy as busy:
            settle(m.Refused(order.id, "busy", str(busy)))
            return
        except BadPreset as bad:
            settle(m.Refused(order.id, "bad_value", f"{bad}."))
            return
        now = self._hub.time.now()
        planned = _scheduled(build(Rules, pattern.raw), now)
        starts_at, scheduled = wish.starts_at, wish.starts_at
        if wish.starts_at is SAME:  # a start that is missed, or upon us, is the director's
            starts_at = planned if planned is not None and planned > now + SOON else None
        if scheduled is SAME or scheduled is None:
            scheduled = planned
        record = registry.create(self._head, wish, pattern, now, scheduled)
        made = registry.evolve(Registry(), record).events[record["id"]]
        loaded = Loaded(new(made.rules, at=now, scheduled_at=scheduled))
        lines: list[Line] = []
        if starts_at is not None:
            schedule = parse("event.schedule", {"starts_at": starts_at}, id=order.id)
            outcome = decide(loaded.state, schedule, now)
            if isinstance(outcome, Refused):
                settle(m.Refused(order.id, outcome.code, outcome.text))
                return
            who = (order.badge.name or order.badge.role, order.device, order.id)
            for event in outcome:
                loaded.state = evolve(loaded.state, event)
                body = m.encode(write_event(event))
                lines.append(Line(made.id, event.at, order.tapped, order.received, *who, body))
        self._coming[made.id] = loaded
        self.commit([record], order, settle, lines)

    def _pattern(self, preset: str | None, like: Registered | None) -> Pattern:
        """Read what an event is made from; a mistake is told before the event exists."""
        if like is None:
            path = presets.find(preset or "", self._presets)
            presets.load(str(path))
            return Pattern(preset or "", presets.source(path))
        desk = self._hub.desks.get(like.id)
        state = load(self._hub.journal, like, self.wrote).state if desk is None else desk.shown
        return Pattern(
            like.preset, {**like.source, "structure": sheets.plain(state.room.structure)}
        )

    # ── time that was missed ─────────────────────────────────────────────────────────────────────

    def _give_back(self, order: Order, wish: GapGiveBack, settle: Answer) -> None:
        gap, desk = self._head.gap(wish.gap), self._hub.desks.get(wish.event)
        if desk is None or gap is None or gap.kind == "step" or wish.event in gap.given:
            text = "There is no such gap, or its time has been given back already."
            settle(m.Refused(order.id, "not_allowed", text))
            return
        outcome = desk.command(parse("clock.add", {"ms": gap.ms}, id=order.id), order.at)
        if isinstance(outcome, Refused):
            settle(m.Refused(order.id, outcome.code, outcome.text))
            return
        given = {"event": "gap.given", "id": gap.id, "to": desk.id}
        self._head = registry.evolve(self._head, given)
        after = self._head

        def durable() -> None:
            self.shown = after
            self._hub.press.publish("hub")
            settle(m.Done(order.id, order.at))

        desk.commit(outcome, order, durable, settle, [self.line(given, order)])


def told(gap: registry.Missed) -> dict[str, Any]:
    """Tell a director what happened, what was assumed, and what can be done."""
    seconds = abs(gap.ms) / 1_000
    if gap.kind == "step":
        text = f"The machine's own clock was moved by {seconds:.1f} s. No clock here has changed."
    else:
        what = AWAY[gap.kind]
        held = len(gap.interrupted)
        clocks = "1 running action clock was" if held == 1 else f"{held} running action clocks were"
        text = (
            f"The hub {what}: {seconds:.1f} s are missing. Levels and breaks went on; "
            f"{clocks} held for the dealer."
        )
    return {
        "id": gap.id,
        "kind": gap.kind,
        "since": gap.since,
        "until": gap.until,
        "ms": gap.ms,
        "interrupted": list(gap.interrupted),
        "given": list(gap.given),
        "text": text,
    }


def _scheduled(rules: Rules, now: int) -> int | None:
    """Find the instant of the house's start time: today, or tomorrow if that was long ago."""
    if rules.start is None:
        return None
    # Times of the wall, without an offset: the day may have two of them.
    local = datetime.fromtimestamp(now / 1_000)  # noqa: DTZ006
    start = local.replace(hour=rules.start // 60, minute=rules.start % 60, second=0, microsecond=0)
    if local - start > LONG_AGO:
        start += timedelta(days=1)
    return round(start.astimezone().timestamp() * 1_000)
