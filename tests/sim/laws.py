"""The laws of the world: what must hold whatever happens. One that is broken ends the run.

The laws keep a second opinion: a replay of the journal, line by line as lines become durable, that
never forgets and never crashes. What the hub shows is held against it.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec

from server import registry
from server.credit import BEAT, BOUND, GRACE, LATE
from server.desk import OTHERS_WAIT, status_of, table_number
from server.engine import (
    board_document,
    event_document,
    evolve,
    floor_document,
    new,
    table_document,
    tick,
)
from server.engine.events import (
    EVENTS,
    Accepted,
    ActionExpired,
    ActionHeld,
    BreakStarted,
    CalledExpired,
    ChipForfeited,
    ChipsSpent,
    LevelStarted,
    Undone,
)
from server.engine.facts import table_fact
from server.engine.records import read_event, write_state
from server.engine.room import Seated
from server.engine.table import Running
from server.hubtime import STALL
from server.journal import verify
from server.loading import load, snapshots
from server.protocol.countdown import remaining
from server.protocol.messages import Document, Done, Refused, encode, read_to_client
from server.protocol.session import Freshness
from server.protocol.sync import DRIFT
from server.registry import HUB, Registered, Registry
from server.watch import SILENT
from tests.rig import payloads, unsigned

if TYPE_CHECKING:
    from server.engine import Event, State
    from server.engine.room import Room
    from server.engine.table import Player
    from server.journal import Line, Stored
    from server.protocol.messages import Do
    from server.protocol.session import Shown
    from tests.sim.people import Device
    from tests.sim.wire import Wire
    from tests.sim.world import World

Key = tuple[str, str]
CLOCK_WITHIN = 50
"""Milliseconds by which a level clock may be off after any fault."""

SLACK = 2
"""Milliseconds that rounding may cost."""

LEARNED_WITHIN = 12_000
"""Milliseconds after which everybody has asked what time it is: a phone asks every 10 s."""

TEXT = 0x1
OPEN = 1 << 60
"""The end of a gap that is not over."""


class Broken(AssertionError):  # noqa: N818 - a law is broken
    """A law that did not hold."""

    def __init__(self, law: str, text: str) -> None:
        self.law = law
        super().__init__(f"{law}: {text}")


@dataclass(slots=True)
class Tapped:
    """A tap at a table whose clock ran, as the dealer saw it."""

    id: str
    device: Device
    do: str
    at: int  # as the device says
    seat: int
    zero: int
    place: tuple[str, int]
    reached: int | None = None


@dataclass(slots=True)
class Mirror:
    """One event, replayed as its lines become durable."""

    made: Registered
    seqs: list[int]
    states: list[State]
    spent: dict[str, int] = field(default_factory=dict)

    @property
    def state(self) -> State:
        """The newest one."""
        return self.states[-1]

    def at(self, seq: int) -> State:
        """Give the state at a line."""
        return self.states[bisect_right(self.seqs, seq) - 1]


def state_hash(state: State) -> str:
    """Hash a state."""
    return hashlib.sha256(msgspec.json.encode(write_state(state))).hexdigest()


def built(state: State, name: list[str], now: int) -> Any:
    """Build an event's document."""
    match name:
        case []:
            return event_document(state, now)
        case ["tables"]:
            return board_document(state, now)
        case ["floor"]:
            return floor_document(state, now)
    number = table_number(name, "table")
    return None if number is None else table_document(state, number, now)


def players_of(state: State) -> dict[str, Player]:
    """List all players of an event."""
    found = {}
    for name, where in state.players.items():
        if isinstance(where, Seated):
            found[name] = state.tables[where.table].seats[where.seat].player
        else:
            found[name] = where.player
    return found


class Laws:
    """Everything that is checked, while it happens and at the end."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._lines = 0
        self._next: Line | None = None  # what stands after the line that is being looked at
        self._registry = Registry()
        self.mirrors: dict[str, Mirror] = {}
        self._accepted: Counter[Key] = Counter()
        self._lines_of: dict[Key, int] = {}
        # What a snapshot made it needless to play again is not remembered: here that is a few
        # lines, in earnest more than 20,000, and no device waits that long for an answer.
        self._forgotten: dict[str, int] = {}
        self._own: Counter[Key] = Counter()  # the hub's own lines for a command
        self._said: defaultdict[Key, set[str]] = defaultdict(set)  # by the hub
        self.answers: dict[Key, Done | Refused] = {}  # that devices have received
        self._documents: dict[bytes, tuple[str, int]] = {}
        self._taps: defaultdict[tuple[str, int], deque[Tapped]] = defaultdict(
            lambda: deque(maxlen=12)
        )
        self._by_id: dict[str, Tapped] = {}
        self._verdicts: dict[tuple[str, int], tuple[int, int, str]] = {}  # seat, zero and what
        self.gaps: list[tuple[str, int, int]] = []  # in hub time; the end may be open
        self._dealt: defaultdict[tuple[str, int], set[str]] = defaultdict(set)  # dealers' taps
        self._undone: dict[tuple[str, int], int] = {}  # when something was last undone
        self._workers: dict[tuple[str, int], tuple[str, int]] = {}  # the device, and since when
        self._written: deque[tuple[str, int]] = deque(maxlen=200)  # where something was, and when
        self._heard: defaultdict[str, deque[int]] = defaultdict(lambda: deque(maxlen=64))
        self._hub_now = 0
        self._offset: int | None = None
        self._boot = ""  # of the machine, in which the last hub started
        self._jumped_at = -(1 << 60)  # when hub time last did, so that clients must learn it anew
        self._ends: dict[str, tuple[object, int]] = {}
        self.counts: Counter[str] = Counter()
        self._first: Broken | None = None

    def _broken(self, law: str, text: str) -> NoReturn:
        self._first = self._first or Broken(law, text)
        raise self._first

    def check(self) -> None:
        """Raise what was raised where somebody else has caught it."""
        if self._first is not None:
            raise self._first

    # ── the hub's time ───────────────────────────────────────────────────────────────────────────

    def started(self) -> None:
        """Take note of a new hub, which remembers of devices what is durable."""
        hub = self._world.hub
        assert hub is not None
        self._workers.clear()
        boot, self._boot = self._boot, self._world.boot_id()
        if boot != self._boot and self._world.wall() < self._hub_now:
            # All that there is to go on from, on another boot, is what is durable.
            self._hub_now = min(self._hub_now, self._world.certain())
        before, self._offset = self._offset, hub.time.now() - self._world.now
        if self._offset != before:
            self._jumped_at = self._world.now
        for event, desk in hub.desks.items():
            mirror = self.mirrors[event]
            begins = snapshots(self._world.journal, event)[:-1]
            self._forgotten[event] = begins[-1] if begins else 0
            if state_hash(desk.shown) != state_hash(mirror.at(desk.rev)):
                self._broken("restart", f"event {event} was not loaded as it was durable")
        self.stepped()

    def stepped(self) -> None:
        """Look at the hub's clock, after every callback."""
        hub, world = self._world.hub, self._world
        if hub is None:
            return
        now = hub.time.now()
        if now < self._hub_now:
            self._broken("time", f"hub time went from {self._hub_now} back to {now}")
        self._hub_now = now
        offset = now - world.now
        if self._offset is not None and offset != self._offset:
            self._jumped_at = world.now
        if self._offset is not None and abs(offset - self._offset) > SLACK:
            self._jumped(offset - self._offset)
        self._offset = offset

    def _jumped(self, ms: int) -> None:
        hub = self._world.hub
        assert hub is not None
        self._world.say(f"hub time jumped by {ms} ms")
        self._ends.clear()
        for desk in hub.desks.values():
            for number, table in desk.head.tables.items():
                if table_fact(desk.head, table) is None:
                    continue
                text = f"by {ms} ms while a clock ran at table {number} of event {desk.id}"
                self._broken("jump", f"hub time jumped {text}")
            if desk.status == "running":
                self._broken("jump", f"hub time jumped by {ms} ms while event {desk.id} ran")

    def now(self) -> int | None:
        """Say what time it is at the hub, if there is one."""
        return None if self._world.hub is None else self._world.hub.time.now()

    def gap(self, kind: str, since: int, until: int = OPEN) -> None:
        """Take note of time in which nobody could be heard."""
        if any(k == kind and u == OPEN for k, _, u in self.gaps):
            return
        self.gaps.append((kind, since, until))

    def awake(self) -> None:
        """Take note that no gap lasts any longer, whatever was meant."""
        now = self.now()
        if now is not None:
            cut = [(k, s, u if u == OPEN else min(u, now)) for k, s, u in self.gaps]
            short = ("stall", "suspend")  # one that was cut short may be none at all
            self.gaps = [(k, s, u) for k, s, u in cut if k not in short or u - s > STALL]

    def gap_over(self, kind: str, until: int) -> None:
        """Take note that it is over."""
        self.gaps = [
            (k, s, until) if k == kind and u == OPEN else (k, s, u) for k, s, u in self.gaps
        ]

    # ── what becomes durable ─────────────────────────────────────────────────────────────────────

    def durable(self, stored: list[Stored]) -> None:
        """Take in lines that have become durable."""
        for line in stored[self._lines :]:
            self._lines = line.seq
            self._next = stored[line.seq].line if line.seq < len(stored) else None
            if line.line.event == HUB:
                self._own_line(line)
            else:
                self._event_line(line)

    def _own_line(self, stored: Stored) -> None:
        record = msgspec.json.decode(stored.line.body)
        before = self._registry.events
        self._registry = registry.evolve(self._registry, record)
        if stored.line.device:
            key = stored.line.device, stored.line.command
            self._own[key] += 1
            if self._own[key] > 1:
                self._broken("once", f"the hub's line for {key} is there twice")
        for event, made in self._registry.events.items():
            if event not in before:
                state = new(made.rules, at=made.created_at, scheduled_at=made.scheduled_at)
                self.mirrors[event] = Mirror(made, [stored.seq], [state])
        self._world.say(f"line {stored.seq}: the hub: {record['event']}")

    def _event_line(self, stored: Stored) -> None:
        line = stored.line
        record = msgspec.json.decode(line.body)
        mirror = self.mirrors[line.event]
        if record["event"] not in EVENTS:
            self._world.say(f"line {stored.seq}: event {line.event}: {record['event']}")
            return
        event = read_event(record)
        self._about_to(mirror, event, stored)
        if event.slices():
            self._written.append((line.event, event.at))
        if isinstance(event, Undone):  # what was tapped in time is undone, and time runs again
            for tapped in [key for key in self._taps if key[0] == line.event]:
                del self._taps[tapped]
            for table in mirror.state.tables.keys():  # noqa: SIM118 - not a dictionary
                self._undone[line.event, table] = event.at
        if isinstance(event, Accepted | Undone):
            if line.device:
                self._command_line(event, stored)
        else:
            words = {k: v for k, v in record.items() if k not in ("event", "blinds", "written")}
            self._world.say(f"line {stored.seq}: event {line.event}: {event.name} {words}")
        mirror.seqs.append(stored.seq)
        mirror.states.append(evolve(mirror.state, event))
        self._count_chips(mirror, event)

    def _command_line(self, event: Accepted | Undone, stored: Stored) -> None:
        line = stored.line
        self._world.say(f"line {stored.seq}: event {line.event}: {line.command} is durable")
        key = line.device, line.command
        first = self._lines_of.get(key)
        if first is not None and first > self._forgotten.get(line.event, 0):
            self._broken("once", f"command {line.command} was applied twice")
        self.counts["again, but forgotten"] += first is not None
        self._accepted[key] += 1
        self._lines_of[key] = stored.seq
        table = getattr(event.command, "table", None)
        if table is not None:
            self._works((line.event, table), event.command.do, line)
            self._kept(event, stored)

    def _works(self, place: tuple[str, int], do: str, line: Line) -> None:
        """Take note of who works a table: its dealer, or who runs its clock meanwhile."""
        before = self._workers.get(place, ("", 0))[0]
        if before == line.device:
            return
        if self._is_dealers(line.device):
            self._workers[place] = line.device, line.received
        elif do.startswith(("action.", "called.")):
            quiet = line.received - max(self._heard[before], default=0)
            if not self._is_dealers(before) or quiet > SILENT + STALL + BEAT:
                self._workers[place] = line.device, line.received
            elif quiet > SILENT - BEAT:
                self._workers.pop(place, None)  # it could be either

    def _is_dealers(self, device: str) -> bool:
        known = self._world.by_hub_id.get(device)
        return known is not None and known.kind == "dealer"

    def _kept(self, event: Accepted | Undone, stored: Stored) -> None:
        """Insist that a tap made in a silence that the hub saw counts from when it was made."""
        line = stored.line
        if line.tapped is None or not self._is_dealers(line.device):
            return
        silence = self._silence(line.device, line.tapped)
        if silence is None or line.received - silence[1] > BOUND or line.at <= line.tapped:
            self.counts["kept"] += silence is not None
            return
        written = [at for where, at in self._written if where == line.event]
        if not any(line.tapped < at <= line.at for at in written):
            text = f"{line.command} was tapped at {line.tapped} in the silence {silence}"
            self._broken("kept", f"{text}, but counts from {event.at}")

    def _silence(self, device: str, instant: int) -> tuple[int, int] | None:
        """Find the silence of a device in which an instant lies, if it was certainly one."""
        heard = list(self._heard[device])
        for since, until in pairwise(heard):
            if since < instant < until and until - since > SILENT + STALL + BEAT:
                away = any(since <= end and begin <= until for _, begin, end in self.gaps)
                return None if away else (since, until)
        return None

    def _about_to(self, mirror: Mirror, event: Event, stored: Stored) -> None:
        """Judge an event in the state before it."""
        if isinstance(event, ActionExpired | CalledExpired | ChipForfeited):
            zero = event.at if isinstance(event, ChipForfeited) else event.at - 1
            outcome = getattr(event, "outcome", "a chip was forfeited")
            self.counts[outcome] += 1
            self._fair(stored, event, zero)
            self._not_in_a_gap(stored, event, zero)
            self._not_in_silence(stored, event, zero)
        elif isinstance(event, LevelStarted | BreakStarted) and not stored.line.command:
            due = mirror.state.room.instant(mirror.state.room.ends_at or 0)
            if due is not None and mirror.state.room.h4h.status == "off" and due != event.at:
                self._broken("level", f"{event.name} at {event.at}, but it was due at {due}")
        elif isinstance(event, ActionHeld) and event.interrupted:
            self.counts["held after a silence"] += event.silent
            self._not_below(mirror, event)

    def _fair(self, stored: Stored, event: Any, zero: int) -> None:
        place = stored.line.event, event.table
        self._verdicts[place] = event.seat, zero, event.name
        for tap in self._taps[place]:
            self._was_late(tap)

    def _was_late(self, tap: Tapped) -> None:
        """Insist that a tap which was made in time, and came soon after, was not ruled late."""
        seat, zero, name = self._verdicts.get(tap.place, (0, 0, ""))
        if (tap.seat, tap.zero) != (seat, zero) or tap.at > zero or tap.reached is None:
            return
        # Whatever the link is like. A loop in here does not know its turns: see `server.turns`.
        if tap.reached - tap.at <= BOUND - BEAT - LATE:
            text = (
                f"{tap.id} ({tap.do}) was made {zero - tap.at} ms before zero at table "
                f"{tap.place[1]} and was there {tap.reached - tap.at} ms later"
            )
            self._broken("fair", f"{text}, but seat {seat} got {name}")

    def _not_in_a_gap(self, stored: Stored, event: Any, zero: int) -> None:
        for kind, since, until in self.gaps:
            if since - GRACE + SLACK <= zero <= until:
                place = stored.line.event, event.table
                if self._told_by_dealer(place):
                    continue
                text = f"{event.name} at table {event.table} of event {stored.line.event}"
                self._broken("gap", f"{text} at {zero}, in a {kind} from {since} to {until}")

    def _told_by_dealer(self, place: tuple[str, int]) -> bool:
        """Say whether the table's own device tapped after zero: then nothing lies unread."""
        after = self._next
        if after is None or not after.device or after.event != place[0]:
            return False
        return after.device == self._worker(place) and after.command in self._dealt[place]

    def _worker(self, place: tuple[str, int]) -> str | None:
        return self._workers.get(place, (None, 0))[0]

    def _not_in_silence(self, stored: Stored, event: Any, zero: int) -> None:
        """Insist that a table's device was heard since zero, and was not silent over it."""
        worker, works_since = self._workers.get((stored.line.event, event.table), (None, 0))
        gaps = [since for _, since, until in self.gaps if since - GRACE <= zero <= until]
        undone = self._undone.get((stored.line.event, event.table), 0) >= zero
        if worker is None or gaps or undone:
            return
        heard = max(self._heard[worker], default=0)
        text = f"{event.name} at table {event.table} at {zero}"
        if heard < zero - SLACK:
            self._broken("silence", f"{text}, but {worker} was last heard at {heard}")
        silence = self._silence(worker, zero) if self._is_dealers(worker) else None
        if silence is not None and works_since <= silence[0]:
            self._broken("silence", f"{text}, but {worker} was silent {silence}")

    def _not_below(self, mirror: Mirror, event: ActionHeld) -> None:
        """Insist that a held clock stands no lower than it stood when the hub went away."""
        table = mirror.state.tables[event.table]
        if not isinstance(table.action, Running) or not self.gaps:
            return
        zero = mirror.state.table_instant(table, table.action.ends_at)
        since = self.gaps[-1][1]
        if event.at > since:
            return  # something happened here after the gap had begun: it was read before this
        if zero is not None and event.ms < max(0, zero - since):
            text = f"table {event.table} was held at {event.ms} ms"
            self._broken("certain", f"{text}, but had {zero - since} ms when the gap began")

    def _count_chips(self, mirror: Mirror, event: Event) -> None:
        if isinstance(event, ChipsSpent | ChipForfeited):
            player = mirror.state.tables[event.table].seats[event.seat].player
            chips = event.chips if isinstance(event, ChipsSpent) else 1
            mirror.spent[player.id] = mirror.spent.get(player.id, 0) + chips
            self._solvent(mirror, player)
        elif isinstance(event, Undone):
            found = players_of(mirror.state)
            mirror.spent = {name: player.spent for name, player in found.items()}

    def _solvent(self, mirror: Mirror, player: Player) -> None:
        spent = mirror.spent.get(player.id, 0)
        if player.bank < 0 or player.bank + player.spent != player.granted or player.spent != spent:
            self._broken("chips", f"{player} has spent {spent}")

    # ── what the hub says ────────────────────────────────────────────────────────────────────────

    def written(self, wire: Wire, data: bytes) -> None:
        """Look at what the hub writes to somebody, at the moment it does."""
        known = self._documents.get(data)
        if known is not None:
            self._going_up(wire, *known)
            return
        for opcode, payload in payloads(data):
            if opcode != TEXT:
                continue
            message = read_to_client(payload)
            match message:
                case Document():
                    self._is_durable(message)
                    self._documents[data] = message.topic, message.rev
                    self._going_up(wire, message.topic, message.rev)
                case Done() | Refused():
                    self._is_true(wire.device, message)

    def _going_up(self, wire: Wire, topic: str, rev: int) -> None:
        if rev < wire.revs.get(topic, 0):
            text = f"{topic} went from {wire.revs[topic]} back to {rev}"
            self._broken("revision", f"{wire.device.name}: {text}")
        wire.revs[topic] = rev

    def _is_durable(self, document: Document) -> None:
        topic, rev = document.topic.split("/"), document.rev
        if topic[0] == "events":
            self._events_are_durable(document)
        if topic[0] != "t" or topic[2:3] == ["lease"] or bytes(document.doc) == b"null":
            return
        if rev > self._lines or topic[1] not in self.mirrors:
            self._broken("shown", f"{document.topic} is at line {rev} of {self._lines}")
        doc = msgspec.json.decode(document.doc)
        self.counts["documents"] += 1
        state = self.mirrors[topic[1]].at(rev)
        expected = built(state, topic[2:], doc["now"])
        if topic[2:] == ["floor"]:  # a snapshot has no memory of what can be undone
            expected["undo"] = expected["undo"][: len(doc["undo"])]
        elif "undo" in doc and doc["undo"] is None:  # nor has a table's
            expected["undo"] = None
        if encode(expected) != encode(unsigned(doc)):
            doc, expected = unsigned(doc), msgspec.json.decode(encode(expected))
            differs = {k: (doc[k], expected.get(k)) for k in doc if doc[k] != expected.get(k)}
            self._broken("shown", f"{document.topic} at line {rev} differs: {differs}")

    def _events_are_durable(self, document: Document) -> None:
        doc = msgspec.json.decode(document.doc)
        for row in doc["events"]:
            if row["id"] not in self.mirrors:
                self._broken("shown", f"event {row['id']} is shown but is not durable")
            state = self.mirrors[row["id"]].at(document.rev)
            durable = status_of(state, doc["now"]), state.room.field.left
            if (row["status"], row["left"]) != durable:
                self._broken("shown", f"events: {row}, but durable is {durable}")

    def _is_true(self, device: Device, answer: Done | Refused) -> None:
        key = device.hub_id, answer.id
        there = self._accepted[key] + self._own[key]
        if isinstance(answer, Done):
            self._said[key].add("done")
            if not there:
                self._broken("acknowledged", f"{answer.id} was acknowledged but is not durable")
        else:
            self._said[key].add(f"refused ({answer.code})")
            self.counts["refused"] += 1

    # ── what devices do and see ──────────────────────────────────────────────────────────────────

    def tapped(self, device: Device, do: Do, seen: dict[str, Any] | None) -> None:
        """Take note of a tap."""
        self._world.say(f"{device.name} taps {do.id}: {do.do} {do.args} at {do.at}")
        self.counts["taps"] += 1
        if device.kind == "dealer":
            self._dealt[do.event, do.args.get("table", 0)].add(do.id)
        if seen is None or do.at is None:
            return
        which = "called" if do.do == "called.stop" else "action"
        ends = do.do in ("action.next", "action.fold", "action.stop", "called.stop")
        clock = seen[which]
        if ends and clock["ends_at"] is not None:
            table = do.args["table"]
            place = do.event, table
            tap = Tapped(do.id, device, do.do, do.at, clock["seat"], clock["ends_at"], place)
            self._taps[do.event, table].append(tap)
            self._by_id[do.id] = tap

    def reached(self, command: str, device: str) -> None:
        """Take note that a tap has reached the hub's machine."""
        tap, now = self._by_id.get(command), self.now()
        if tap is not None and tap.reached is None and now is not None:
            tap.reached = now
            if tap in self._taps[tap.place]:
                self._was_late(tap)
            zero = f"{tap.at - tap.zero:+} ms around zero"
            self._world.say(
                f"{command} of {device} reaches the hub after {now - tap.at} ms, {zero}"
            )

    def heard(self, device: Device) -> None:
        """Take note that the hub has read something of a device."""
        now = self.now()
        if now is not None:
            self._heard[device.hub_id].append(now)

    def shown(self, device: Device, shown: Shown) -> None:
        """Take note of what a screen shows."""
        welcome = device.session.welcome
        if welcome is not None and device.seen_of != welcome.hub:
            device.seen_of = welcome.hub
            device.seen.clear()  # other data: its revisions say nothing about these
        last = device.seen.get(shown.topic, 0)
        if shown.rev < last:
            self._broken("revision", f"{device.name}: {shown.topic} went back from {last}")
        device.seen[shown.topic] = shown.rev

    def answered(self, device: Device, answer: Done | Refused) -> None:
        """Take note of the answer that a device has received."""
        key = device.hub_id, answer.id
        self.answers[key] = answer
        what = "is done" if isinstance(answer, Done) else f"is refused: {answer.code}"
        self._world.say(f"{device.name} hears that {answer.id} {what}")

    # ── now and then ─────────────────────────────────────────────────────────────────────────────

    def sample(self) -> None:
        """Look at all clocks in the room."""
        hub, world = self._world.hub, self._world
        if hub is None:
            return
        now = hub.time.now()
        for event, desk in hub.desks.items():
            state = desk.head
            for fact in tick(state, now, OTHERS_WAIT):
                state = evolve(state, fact)
            self._level(event, state.room, now)
        if world.now - self._jumped_at < LEARNED_WITHIN:
            return
        for device in world.devices:
            self._agrees(device, now)
        self._digits()

    def _level(self, event: str, room: Room, now: int) -> None:
        end = None if room.ends_at is None else room.instant(room.ends_at)
        if end is None or not room.started:
            self._ends.pop(event, None)
            return
        key = (room.visit, room.step, room.ends_at, room.flow, room.level_flow, room.called_break)
        true_end = end - now + self._world.now
        known = self._ends.get(event)
        if known is not None and known[0] == key and abs(true_end - known[1]) > CLOCK_WITHIN:
            text = f"of event {event} is off by {true_end - known[1]} ms"
            self._broken("level", f"the level clock {text}")
        if known is None or known[0] != key:
            self._ends[event] = key, true_end

    def forgive_level(self) -> None:
        """Let level clocks be where they are: nobody can know the time after this."""
        self._ends.clear()

    def _agrees(self, device: Device, now: int) -> None:
        own, clock = device.own(), device.session.clock
        if device.session.freshness(own) != Freshness.FRESH or not clock.known:
            return
        off = abs(clock.now(own) - now)
        if device.wire is None or device.wire.process is not self._world.process:
            return  # it will learn of the new hub within ANSWER_WITHIN
        if off > clock.uncertainty(own) + DRIFT + SLACK:
            text = f"is off by {off} ms, and sure to {clock.uncertainty(own)} ms"
            self._broken("agree", f"{device.name} {text}")

    def _digits(self) -> None:
        """Compare what screens that are fresh show of the same document."""
        seen: dict[tuple[str, int], tuple[str, int, float]] = {}
        for device in self._world.devices:
            own, clock = device.own(), device.session.clock
            if device.session.freshness(own) != Freshness.FRESH or not clock.known:
                continue
            sure = clock.uncertainty(own) + DRIFT + SLACK
            for topic, shown in device.session.documents.items():
                if not shown.doc or "clock" not in shown.doc:
                    continue
                left = remaining(shown.doc["clock"], clock.now(own))
                if left is None:
                    continue
                name, other, other_sure = seen.setdefault(
                    (topic, shown.rev), (device.name, left, sure)
                )
                if abs(left - other) > sure + other_sure:
                    text = f"{device.name} shows {left} ms of {topic}, {name} shows {other} ms"
                    self._broken("digits", text)

    # ── at the end ───────────────────────────────────────────────────────────────────────────────

    def different(self, device: Device) -> str | None:
        """Say what a device shows that the hub does not; None if all is the same."""
        hub = self._world.hub
        assert hub is not None
        for topic in device.session.topics:
            shown = device.session.documents.get(topic)
            if shown is None:
                return f"{topic} is missing"
            parts = topic.split("/")
            if parts[0] == "t":
                doc = shown.doc
                now = hub.time.now() if doc is None else doc["now"]
                expected = built(hub.desks[parts[1]].shown, parts[2:], now)
            else:
                doc, expected = shown.doc, hub.document(topic)[1]
                doc, expected = {**doc, "now": 0}, {**expected, "now": 0}
            doc, expected = unsigned(doc), msgspec.json.decode(encode(expected))
            if doc != unsigned(expected):
                if doc is None or expected is None:
                    return f"{topic}: {doc} instead of {expected}"
                keys = {k: (doc[k], expected.get(k)) for k in doc if doc[k] != expected.get(k)}
                return f"{topic} (line {shown.rev}): {keys}"
        return None

    def finish(self) -> None:
        """Look back at the whole night."""
        world, hub = self._world, self._world.hub
        assert hub is not None
        damage = verify(world.journal.stored)
        if damage is not None:
            self._broken("chain", str(damage))
        for key, said in self._said.items():
            there = self._accepted[key] + self._own[key]
            forgotten = self._lines_of.get(key, 1 << 60) <= max(self._forgotten.values(), default=0)
            if "done" not in said and there and not forgotten:
                self._broken("refused", f"{key} is in the journal, but the hub said {said}")
        for key, answer in self.answers.items():
            there = self._accepted[key] + self._own[key]
            if isinstance(answer, Done) and not there:
                self._broken("lost", f"{answer.id} was acknowledged and is not in the journal")
            if isinstance(answer, Refused) and there:
                self.counts["refused, then done"] += 1
        for event, mirror in self.mirrors.items():
            self._replays(event, mirror)
            for player in players_of(mirror.state).values():
                self._solvent(mirror, player)

    def _replays(self, event: str, mirror: Mirror) -> None:
        hub, journal = self._world.hub, self._world.journal
        assert hub is not None
        desk = hub.desks[event]
        hashes = {"the replay": state_hash(mirror.state)}
        hashes["what is shown"] = state_hash(desk.shown)
        hashes["the head"] = state_hash(desk.head)
        hashes["a load"] = state_hash(load(journal, mirror.made).state)
        kept = journal.kept
        journal.kept = {k: v for k, v in kept.items() if not k.startswith("snapshot/")}
        hashes["a load of the whole journal"] = state_hash(load(journal, mirror.made).state)
        journal.kept = kept
        if len(set(hashes.values())) > 1:
            self._broken("replay", f"event {event}: {hashes}")
