"""A desk: the one writer of one event.

    authorise → decide → journal → evolve → publish → acknowledge

`head` is the newest state, on which the next command is decided; `shown` is the newest durable one,
and all that anybody ever sees. Between the two lies what is on its way into the journal.

Time is taken fairly. A verdict waits for `GRACE` after zero, then for the loop to have read all
that had arrived; and a command for one table never tells what is due at another, whose own tap may
be the next to be read.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from server.credit import BOUND, GRACE
from server.engine import (
    BadInput,
    Code,
    Event,
    Refused,
    State,
    board_document,
    decide,
    event_document,
    evolve,
    floor_document,
    pages_of,
    parse,
    results_document,
    results_view,
    structure_document,
    structure_view,
    table_document,
    table_view,
    tick,
    watch_document,
)
from server.engine.commands import Command, TableInterrupt
from server.engine.events import (
    Accepted,
    SilenceEnded,
    TableEvent,
    TapKept,
    TimeMissed,
    Undone,
)
from server.engine.facts import room_fact, table_fact, table_facts
from server.engine.flow import HOUR, Flow
from server.engine.history import ROOM
from server.engine.records import write_event
from server.engine.table import Running, Table
from server.hubtime import HubTime
from server.journal import Line, Stored
from server.ledger import ENTRIES, TAIL, entries
from server.moves import Move, Moves, why_stale
from server.orders import Order
from server.press import Press
from server.protocol import messages as m
from server.registry import NOT_STORED, Registered
from server.turns import HOPS
from server.watch import Silence, Watch
from server.writer import Writer

OTHERS_WAIT = 24 * HOUR
"""A command tells nothing of other tables: their verdicts are for `_woken`, after all is read."""

AFTER_VERDICT = 5
"""Milliseconds after the grace in which a verdict is told for certain."""

FLOW = "flow"
"""Stands among the slices for the room's flow of time: when it last stopped or went on."""

HUB_ACTOR = "hub"
MOST_ACTORS = 20_000
"""Commands whose givers are remembered: as many as are played again when a hub starts."""

MOST_DIGITS = 9

MOST_FLOWS = 50
"""Stops and starts of a table's time that are remembered: more than there are in a silence."""

TAKEN_OVER = "Somebody else has worked this table since: look again, then decide."
"""Said of a tap that was made while its device was silent."""

Settle = Callable[[m.Done | m.Refused], None]


@dataclass(frozen=True, slots=True)
class Tools:
    """What all desks share."""

    writer: Writer
    time: HubTime
    press: Press
    watch: Watch
    ask: Callable[[str], None]  # a device, whether it is there
    stored: Callable[["Desk"], None]  # told whenever a desk has more that is durable


class Desk:
    """One event."""

    def __init__(self, made: Registered, state: State, rev: int, tools: Tools) -> None:
        self.made, self._tools = made, tools
        self.id = made.id
        self.head = self.shown = state
        self.rev = rev  # the line that the shown state is at
        self.last_line = rev  # the last one of its own
        self.lines = 0  # since the last snapshot
        self.snapshots: list[int] = []  # the lines at which they were taken
        self.moves = Moves()  # what was done to the room lately
        self.tail: deque[Stored] = deque(maxlen=TAIL)  # the newest durable lines
        self.actors: dict[str, str] = {}  # who gave a command, of the newest
        self.written = 0  # the newest instant of what was loaded
        self._touched: dict[str, int] = {}  # when each slice was last written
        self._moved: dict[int, int] = {}  # when a clock at each table last changed
        self._flows: dict[str, deque[tuple[int, Flow]]] = {}  # earlier ones, and until when
        self._asked: dict[int, int] = {}  # the zero at which each table's device was last asked
        self._loop = asyncio.get_running_loop()
        self._alarm: tuple[int, asyncio.TimerHandle] | None = None
        self._stands = False  # while nothing can be stored
        tools.writer.on_rewind(self._rewind)

    # ── commands ─────────────────────────────────────────────────────────────────────────────────

    def order(self, order: Order, settle: Settle) -> None:
        """Carry an order out, or refuse it; either way it is settled once."""
        try:
            command = parse(order.do, order.args, id=order.id, by=order.badge.role)
        except BadInput as bad:
            settle(m.Refused(order.id, "bad_value", f"{bad}."))
            return
        if not order.badge.may(self.id, command):
            settle(m.Refused(order.id, "forbidden", order.badge.why_not(command)))
            return
        table = getattr(command, "table", None)
        stale = self._why_stale(order, table)
        if stale is not None:
            settle(m.Refused(order.id, "stale", stale))
            return
        wait = self._verdict_in(table, order)
        if wait:  # a tap of the table's own device may be on its way
            self._loop.call_later(wait / 1_000, self.order, order, settle)
            return
        tapped = order.at if order.kept is None else max(order.at, self.written)
        outcome, at = self._decided(command, tapped, table, order.device)
        if isinstance(outcome, Refused):
            if outcome.code == Code.NEEDS_RULING:
                self._note_late(order)
            settle(m.Refused(order.id, outcome.code, outcome.text))
            return
        if table is not None:
            dealer = order.badge.role == "dealer"
            runs = order.do.startswith(("action.", "called."))
            now = self._tools.time.now()
            self._tools.watch.works(self.id, table, order.device, now, certain=dealer or runs)
        if order.kept is not None and table is not None and order.received - at > BOUND:
            since, until = order.kept
            outcome = (
                *outcome,
                TapKept(at=at, table=table, since=since, until=until, tap=order.id),
            )
        self.commit(outcome, order, lambda: settle(m.Done(order.id, at)), settle)

    def _why_stale(self, order: Order, table: int | None) -> str | None:
        """Say what somebody did not know who gave an order; None if it may be carried out.

        A tap that was kept by a silent device knows nothing of who has run the clock there since.
        """
        if table is None:
            seen = order.seen
            unseen = [] if seen is None else self.moves.unseen(order.do, order.device, seen)
            return why_stale(unseen) if unseen else None
        if order.kept is None:
            return None
        if self._tools.watch.worked_since(self.id, table, order.kept[0]) in (None, order.device):
            return None
        self._note_late(order, taken_over=True)
        return TAKEN_OVER

    def _note_late(self, order: Order, **why: bool) -> None:
        """Put a tap that came too late for a verdict into the journal: the floor will ask."""
        body = {"event": "tap.late", "do": order.do, "args": order.args, "at": order.at, **why}
        line = self._line_of(m.encode(body), order.at, order.received, order)
        self._tools.writer.write([line], lambda seq: self._kept([line], seq), lambda: None)

    def _kept(self, lines: list[Line], last: int) -> None:
        """Have the newest durable lines at hand, for the journal that people read."""
        first = last - len(lines) + 1
        self.tail.extend(Stored(first + n, line, b"") for n, line in enumerate(lines))
        self._tools.press.publish_soon(f"t/{self.id}/journal")

    def _decided(
        self, command: Command, at: int, table: int | None, device: str = ""
    ) -> tuple[tuple[Event, ...] | Refused, int]:
        """Decide a command at its instant, or as early after it as can be.

        What happens at a table is never before what happened there already, or before the room's
        time last stopped or went on. What it writes elsewhere, such as the last report of a
        hand-for-hand hand into the room, is not before what was written there. What concerns
        everybody comes after everything. A tap of the table's own device comes after all that it
        sent before: if it was made after zero nothing is waited for, unless the device is just
        coming back.
        """
        made, watch = at, self._tools.watch

        def waits(number: int, zero: int) -> bool:
            if number == table and made > zero and watch.is_heard(self.id, number, device):
                return self._to_be_held(number, zero) is not None
            return self._waits(number, zero)

        at = max(at, self._newest_touched() if table is None else self._last_touched(table))
        outcome = decide(self.head, command, at, OTHERS_WAIT, waits)
        if isinstance(outcome, Refused):
            return outcome, at
        written = {key for event in outcome for key in event.slices()}
        least = max((self._touched.get(key, 0) for key in written), default=0)
        if least > at:
            return decide(self.head, command, least, OTHERS_WAIT, waits), least
        return outcome, at

    def _newest_touched(self) -> int:
        return max(self._touched.values(), default=0)

    def _last_touched(self, table: int) -> int:
        return max(self._touched.get(f"table/{table}", 0), self._touched.get(FLOW, 0))

    def _verdict_in(self, table: int | None, order: Order) -> int:
        """Say for how long somebody else's command at a table waits for a verdict there."""
        found = None if table is None else self.head.tables.get(table)
        fact = None if found is None else table_fact(self.head, found)
        if fact is None or fact.zero >= order.at or table is None:
            return 0
        if self._tools.watch.worker(self.id, table) in (None, order.device):
            return 0  # the own device's taps come one after the other
        return max(0, fact.zero + GRACE + AFTER_VERDICT - self._tools.time.now())

    def commit(
        self,
        events: Iterable[Event],
        order: Order | None,
        durable: Callable[[], None] = lambda: None,
        settle: Settle | None = None,
        beside: Iterable[Line] = (),
    ) -> None:
        """Let events happen: written at once, shown and answered when they are durable."""
        earlier, before, now = self.head, self.head.room, self._tools.time.now()
        received = now if order is None else order.received
        lines: list[Line] = []
        moves: list[tuple[int, Move]] = []
        caused: Order | None = None
        slices: set[str] = set()
        for event in events:
            was, self.head = self.head, evolve(self.head, event)
            self._note_clocks(was, event)
            if isinstance(event, Accepted | Undone):
                caused = order  # what was due before the command is nobody's doing
                self._signed(event, order)
            line = self._line(event, received, caused)
            move = self.moves.note(event, line.actor, line.device)
            if move is not None:
                moves.append((len(lines), move))
            lines.append(line)
            slices.update(event.slices())
            self._touch(event)
        if before.flow != self.head.room.flow:
            self._touched[FLOW] = self._touched[ROOM]
        state, everywhere = self.head, table_view(before) != table_view(self.head.room)
        changed = self._changed_papers(earlier, state)
        beside = list(beside)

        def shown(seq: int) -> None:
            self.shown, self.rev, self.last_line = state, seq, seq - len(beside)
            self.lines += len(lines)
            for place, move in moves:
                move.line = self.last_line - len(lines) + 1 + place
            self._kept(lines, self.last_line)
            self._publish(slices, everywhere=everywhere)
            for topic in changed:
                self._tools.press.publish_soon(topic)
            durable()
            self._tools.stored(self)

        def failed() -> None:
            if settle is not None and order is not None:
                settle(m.Refused(order.id, "storage", NOT_STORED))

        self._tools.writer.write([*lines, *beside], shown, failed)
        self._hold_missed(slices, everywhere=before.flow != state.room.flow)
        self.arm()

    def _changed_papers(self, before: State, after: State) -> list[str]:
        """Name what is only published when it changes: the structure, and the pages of results.

        Any page may say something else after a bust or an entry; one may have come or gone.
        """
        replanned = structure_view(before.room) != structure_view(after.room)
        found = [f"t/{self.id}/structure"] if replanned else []
        if results_view(before) == results_view(after):
            return found
        most = max(len(state.room.field.finishes) for state in (before, after)) + 1  # the winner
        pages = range(1, pages_of(most) + 1)
        return [*found, *(f"t/{self.id}/results/{page}" for page in pages)]

    def _signed(self, event: Accepted | Undone, order: Order | None) -> None:
        """Remember who gave a command, for the list of what can be undone."""
        if order is not None:
            self.actors[event.command.id] = order.badge.name or order.badge.role
            if len(self.actors) > MOST_ACTORS:
                del self.actors[next(iter(self.actors))]

    def _touch(self, event: Event) -> None:
        """Remember until when the room, and each table by itself, is written."""
        own = f"table/{getattr(event, 'table', None)}"
        for key in event.slices():
            if key in (ROOM, own) or isinstance(event, Undone):
                self._touched[key] = max(event.at, self._touched.get(key, 0))

    def _note_clocks(self, was: State, event: Event) -> None:
        """Remember when clocks changed, and how time flowed before: a silence may ask for it.

        What an undo brings back has flowed as if the other had never been.
        """
        if isinstance(event, Undone):
            for key in event.slices():
                self._flows.pop(key, None)
        elif was.room.flow != self.head.room.flow:
            self._note_flow(ROOM, event.at, was.room.flow)
        if not isinstance(event, TableEvent | Undone):
            return
        for key in event.slices():
            kind, _, name = key.partition("/")
            old = was.tables.get(int(name)) if kind == "table" else None
            new = self.head.tables.get(int(name)) if kind == "table" else None
            if old is None or new is None:
                continue
            if old.action is not new.action or old.called is not new.called:
                self._moved[new.number] = event.at
            if old.flow != new.flow and not isinstance(event, Undone):
                self._note_flow(key, event.at, old.flow)

    def _note_flow(self, key: str, at: int, flow: Flow) -> None:
        self._flows.setdefault(key, deque(maxlen=MOST_FLOWS)).append((at, flow))

    def _inner(self, table: Table, instant: int) -> int:
        """Say what time it was at a table at an instant, however it has flowed since."""

        def flow(key: str, now: Flow) -> Flow:
            earlier = (flow for until, flow in self._flows.get(key, ()) if until > instant)
            return next(earlier, now)

        room = flow(ROOM, self.head.room.flow).then(instant)
        return flow(f"table/{table.number}", table.flow).then(room)

    def _line(self, event: Event, received: int, order: Order | None) -> Line:
        return self._line_of(m.encode(write_event(event)), event.at, received, order)

    def _line_of(self, body: bytes, at: int, received: int, order: Order | None) -> Line:
        if order is None:
            return Line(self.id, at, None, received, HUB_ACTOR, "", "", body)
        who = order.badge.name or order.badge.role
        return Line(self.id, at, order.tapped, received, who, order.device, order.id, body)

    def _rewind(self) -> None:
        """Go back to what is durable, and rule nothing until something can be stored again."""
        self.head = self.shown
        self.moves.rewind()
        self._disarm()
        self._stands = True

    def resume(self) -> None:
        """Go on when everything can be stored again, and all that was missed has been held."""
        self._stands = False
        self.arm()

    # ── time ─────────────────────────────────────────────────────────────────────────────────────

    def arm(self) -> None:
        """Be woken when something comes due; an alarm that is early enough is left alone."""
        wake = None if self._stands else self._next_wake()
        if wake is None:
            return
        if self._alarm is not None:
            if self._alarm[0] <= wake:
                return
            self._disarm()
        delay = max(0, wake - self._tools.time.now()) / 1_000
        self._alarm = (
            wake,
            self._loop.call_later(min(delay, OTHERS_WAIT / 1_000), self._woken),
        )

    def _next_wake(self) -> int | None:
        """Say when to ask a table's device, or when something may be told.

        A table whose device was not heard since zero is not waited for by the clock: the desk is
        told when it is heard.
        """
        room, now = room_fact(self.head), self._tools.time.now()
        found = [] if room is None else [room.at]
        for number, fact in table_facts(self.head):
            if self._asked.get(number) != fact.order:
                found.append(fact.zero)
                break
            told = fact.at + GRACE
            if told > now or not self._tools.watch.waits(self.id, number, fact.zero):
                found.append(told)
            else:
                self._tools.watch.wait(self.id, number, self.rearm)
        return min(found, default=None)

    def _ask(self, now: int) -> None:
        """Ask the devices of tables whose time is up: what they sent before comes before that."""
        for number, fact in table_facts(self.head):
            if fact.zero > now:
                break
            if self._asked.get(number) != fact.order:
                self._asked[number] = fact.order
                device = self._tools.watch.worker(self.id, number)
                if device is not None:
                    self._tools.ask(device)

    def _waits(self, table: int, zero: int) -> bool:
        """Say whether time tells nothing at a table: its device was not heard since zero."""
        to_be_held = self._to_be_held(table, zero) is not None
        return to_be_held or self._tools.watch.waits(self.id, table, zero)

    def _to_be_held(self, number: int, zero: int) -> TableInterrupt | None:
        """Say how to hold a clock that ran out in a silence, or ran while the hub was away."""
        silence = self.head.history.wait(number, zero)
        if silence is not None and (self.head.tables[number].runs_since or 0) < silence[1]:
            return self._unseen(number, silence)
        missed = self._ran_unseen(number)
        return None if missed is None else self._unseen(number, missed, away=True)

    def _unseen(self, number: int, gap: Silence, *, away: bool = False) -> TableInterrupt:
        """Give back all that a table's clock has run since nobody could be heard."""
        (since, until), table = gap, self.head.tables[number]
        now = max(self._tools.time.now(), self._last_touched(number))
        unseen = max(0, self.head.table_now(table, now) - self._inner(table, since))
        return TableInterrupt(table=number, since=since, until=until, unseen=unseen, away=away)

    def _ran_unseen(self, number: int) -> Silence | None:
        """Find time that the hub missed, through which the clock that runs at a table has run.

        A clock that was held for it runs only since it was released. What had run out before, and
        whose verdict was due, is for the table's own device.
        """
        table = self.head.tables[number]
        ends_at = table.ends_at
        if ends_at is None or self.head.room.finished:
            return None
        for since, until in self.head.history.missed:
            began = max(since, table.runs_since or 0)
            if began >= until or ends_at < self._inner(table, since - GRACE):
                continue
            if self._inner(table, began) < self._inner(table, until):
                return since, until
        return None

    def _disarm(self) -> None:
        if self._alarm is not None:
            self._alarm[1].cancel()
            self._alarm = None

    def rearm(self) -> None:
        """Set the alarm anew: time has jumped, and the loop's timers do not know."""
        self._disarm()
        self.arm()

    def _woken(self, until: int | None = None, hops: int = HOPS) -> None:
        """Read what has arrived before anything is ruled, and rule only what was due by then."""
        if until is None:
            until = self._tools.time.now()
            self._ask(until)
        if hops:
            self._loop.call_soon(self._woken, until, hops - 1)
            return
        self._alarm = None
        self._hold_restored(until)
        events = tick(self.head, until, GRACE, self._waits)
        if events:
            self.commit(events, None)
        else:
            self.arm()

    def interrupt(self, since: int, until: int) -> list[int]:
        """Hold every clock that runs at a table where it stood when the hub was last there.

        What begins to run later, but from an instant before the hub was back, is held when it does:
        a tap that is read late may let it, or an undo.
        """
        held: list[int] = []
        tables = list(self.head.tables.items())
        if tables and not self.head.room.finished:
            self.commit([TimeMissed(at=until, since=since, until=until)], None)
        for number, table in tables:
            fact = table_fact(self.head, table)
            if fact is None or (table.runs_since or 0) >= until:
                continue
            withheld = fact.at + GRACE < since
            if withheld and self._tools.watch.waits(self.id, number, fact.zero):
                continue  # its device is silent: it is held when that is back
            # A verdict that was still in its grace is not ruled: the tap may lie unread.
            at = max(min(since, fact.zero), self._last_touched(number))
            command = TableInterrupt(table=number)
            if withheld:
                at, command = since, self._since_it_began(table, since)
            if self._hold(command, at):
                held.append(number)
        return held

    def _since_it_began(self, table: Table, until: int) -> TableInterrupt:
        """Give all the time back of a clock whose verdict was withheld, and nobody knows why.

        Its device may have been silent when a hub was there that is gone, or what was told could
        not be stored.
        """
        action = table.action
        began = action.began if isinstance(action, Running) else None
        since = None if began is None else self.head.table_instant(table, began)
        if began is None or since is None:
            return TableInterrupt(table=table.number)
        unseen = max(0, self.head.table_now(table, until) - began)
        return TableInterrupt(table=table.number, since=since, until=until, unseen=unseen)

    def _hold(self, command: TableInterrupt, at: int) -> bool:
        """Hold what runs at a table, and rule nothing before it: the others may be next to hold."""

        def waits(_table: int, _zero: int) -> bool:
            return True

        outcome = decide(self.head, command, at, OTHERS_WAIT, waits)
        if isinstance(outcome, Refused):
            return False
        self.commit(outcome, None)
        return True

    # ── a device that was silent ─────────────────────────────────────────────────────────────────

    def device_back(self, number: int, silence: Silence | None) -> None:
        """Go on at a table whose device is back, and has said all that it kept.

        What began with a tap after the return was seen by everybody. What ran in the silence is
        held where it stood when the device was last heard.
        """
        table = self.head.tables.get(number)
        if table is not None and silence is not None and not self._stands:
            self._end_silence(table, silence)
        self._hold_missed({f"table/{number}"})
        self.rearm()

    def _end_silence(self, table: Table, silence: Silence) -> None:
        (since, until), number = silence, table.number
        at = max(self._tools.time.now(), self._last_touched(number))
        unseen = self.head.table_now(table, at) - self._inner(table, since)
        runs = table.ends_at is not None
        if runs and unseen > 0 and self._moved.get(number, 0) < until:
            self._hold(TableInterrupt(table=number, since=since, until=until, unseen=unseen), at)
        elif runs or table.hand.in_progress:
            self.commit([SilenceEnded(at=at, table=number, since=since, until=until)], None)

    def _hold_restored(self, until: int) -> None:
        """Hold clocks whose time ran out in a silence, where an undo has restored them."""
        for number, fact in list(table_facts(self.head)):
            if fact.at + GRACE > until:
                break
            command = self._to_be_held(number, fact.zero)
            if command is not None and not self._tools.watch.waits(self.id, number, fact.zero):
                self._hold(command, max(self._tools.time.now(), self._last_touched(number)))

    def _hold_missed(self, slices: set[str], *, everywhere: bool = False) -> None:
        """Hold clocks that something has let run from an instant before the hub was back.

        A device that returns may still have said what ends them: its table is held after that.
        """
        if not self.head.history.missed or self._stands:
            return
        keys = [key.partition("/") for key in slices if key.startswith("table/")]
        numbers = [int(name) for _, _, name in keys]
        for number in list(self.head.tables.keys()) if everywhere else sorted(numbers):
            worker = self._tools.watch.worker(self.id, number)
            if number not in self.head.tables or self._tools.watch.returning(worker or ""):
                continue
            missed = self._ran_unseen(number)
            if missed is not None:
                at = max(self._tools.time.now(), self._last_touched(number))
                self._hold(self._unseen(number, missed, away=True), at)

    def close(self) -> None:
        """Stop waking."""
        self._disarm()

    # ── what is shown ────────────────────────────────────────────────────────────────────────────

    def _publish(self, slices: set[str], *, everywhere: bool) -> None:
        press, topic = self._tools.press, f"t/{self.id}"
        if ROOM in slices:
            press.publish(topic)
            press.publish_soon("events")
        if everywhere:  # what all tables show of the room has changed
            tables = {f"table/{number}" for number in self.shown.tables.keys()}  # noqa: SIM118
            slices = slices | tables
        for key in slices:
            if key.startswith("table/"):
                press.publish(f"{topic}/{key}")
                press.publish_soon(f"{topic}/{key}/floor")
        press.publish_soon(f"{topic}/tables")
        press.publish_soon(f"{topic}/floor")

    def document(self, name: list[str]) -> Any:
        """Build one of the event's documents from what is durable; None if there is none."""
        now = self._tools.time.now()
        match name:
            case []:
                return event_document(self.shown, now)
            case ["tables"]:
                return board_document(self.shown, now)
            case ["floor"]:
                return self._with_names(floor_document(self.shown, now))
            case ["structure"]:
                return structure_document(self.shown, now)
            case ["journal"]:
                found = islice(entries(reversed(self.tail)), ENTRIES)
                return {"now": now, "entries": list(found)}
            case ["results", _]:
                page = table_number(name, "results")
                return None if page is None else results_document(self.shown, page, now)
            case [*place, "floor"]:
                number = table_number(place, "table")
                return None if number is None else watch_document(self.shown, number, now)
            case _:
                number = table_number(name, "table")
                return None if number is None else table_document(self.shown, number, now)

    def _with_names(self, floor: dict[str, Any]) -> dict[str, Any]:
        """Say who gave each command that can be undone, where that is still at hand."""
        for entry in floor["undo"]:
            entry["who"] = self.actors.get(entry["command"])
        return floor

    @property
    def status(self) -> str:
        """Say in one word how the event stands."""
        return status_of(self.shown, self._tools.time.now())

    def command(self, made: Command, at: int) -> tuple[Event, ...] | Refused:
        """Decide a command of the hub's own on the newest state."""
        return self._decided(made, at, None)[0]


def table_number(name: list[str], kind: str) -> int | None:
    """Read the number out of a topic's end such as table/7; a topic has one spelling only."""
    if len(name) != 2 or name[0] != kind or not name[1].isascii():  # noqa: PLR2004 - two parts
        return None
    number = int(name[1]) if name[1].isdecimal() and len(name[1]) < MOST_DIGITS else -1
    return number if str(number) == name[1] else None


def time_runs(state: State) -> bool:
    """Say whether the time of a level, a break, a hand for hand or a player runs.

    A start that is planned is at an instant of the day, and nobody's time.
    """
    room = state.room
    goes_on = room.started and not room.standing and not room.holds
    ends = (room.ends_at, None if room.h4h.capped else room.h4h.cap_at)
    due = any(end is not None and room.instant(end) is not None for end in ends)
    return goes_on or (room.started and not room.finished and due) or any(table_facts(state))


def status_of(state: State, now: int) -> str:
    """Say in one word how an event stands."""
    clock: dict[str, str] = event_document(state, now)["clock"]
    return clock["status"]
