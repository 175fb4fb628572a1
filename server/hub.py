"""The hub: all events, their desks, and everybody who is connected.

It holds what desks share, hands orders to who carries them out (a desk, the office, the reception),
and watches its own clock: time that it missed is never held against a player.
"""

import asyncio
import logging
import uuid
from bisect import insort
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from server import __version__, registry
from server.config import Config
from server.credit import BEAT, Pulse
from server.desk import Desk, Tools, table_number, time_runs
from server.engine import BadInput, State
from server.engine.commands import ID
from server.engine.records import write_state_in_steps
from server.fanout import Fanout
from server.gallery import Gallery
from server.hubtime import STALL, Gap, HubTime, boot_id
from server.journal import Journal, Line, StorageError
from server.journal_format import FORMAT
from server.limits import Doorman, Porch
from server.loading import EVERY, KEPT, Loaded, load, packed, signed, snapshot_key
from server.logs import log
from server.metrics import Metrics
from server.office import Business, Office, told
from server.orders import Answer, Answers, Order
from server.press import Press
from server.protocol import messages as m
from server.recall import BETWEEN_STEPS, Recalls
from server.reception import Door, Reception
from server.registry import HUB, NOT_STORED
from server.request_threads import RequestThreads
from server.rounds import Rounds
from server.turns import HOPS
from server.watch import Watch
from server.wishes import parse_wish
from server.writer import Durable, Failed, Writer

if TYPE_CHECKING:
    from server.visitor import Visitor


NEWS_IN_A_MS = 10
"""Bits for news within a millisecond of hub time, which never goes back over restarts: a thousand
of them are more than are ever made, and JavaScript's numbers hold the sum until the year 2248."""

NEWS_IN_A_START = 30
"""Bits for the news of one start, whose time may be lost: more than a hub makes on a full disk. A
million starts take 34 of the years until 2248."""

UNFINISHED = "unfinished start"
"""Key of the instant from which a start goes on; kept until it has."""

STARTED = {"event": "hub.started", "build": __version__, "format": FORMAT}
"""The first record of every start: who writes from there on."""

DEFAULTS = Config()
ALIVE = 5_000
"""How often the hub notes that it is there; every second while a clock runs."""


class Hub:
    """Everything that one process serves."""

    def __init__(
        self,
        journal: Journal,
        config: Config = DEFAULTS,
        *,
        time: Callable[[int], HubTime] = HubTime,
    ) -> None:
        self.journal, self.config = journal, config
        self._alive = max(journal.get("alive") or 0, _last_instant(journal))
        # A start that was cut short has written lines; what it was to hold ran until before them.
        self._certain: int = journal.get(UNFINISHED) or self._alive
        self.time = time(self._alive)
        self.pulse = Pulse(self.time)
        self.watch = Watch(self._certain)
        self.answers = Answers()
        self.metrics = Metrics()
        self.press = Press(self.document, Fanout(), self.metrics.fanout)
        self.visitors: set[Visitor] = set()
        self.by_device: dict[str, set[Visitor]] = {}
        limits = config.limits
        self.doorman = Doorman(limits.connections, limits.per_address, limits.strangers)
        self.porch = Porch.before(self.doorman)
        self.writer = Writer(journal, self.time, self._troubled, self.metrics.commit)
        self._tools = Tools(self.writer, self.time, self.press, self.watch, self._ask, self._stored)
        self.id = str(journal.get("hub") or uuid.uuid4().hex)
        self.started_at = self.time.now()
        self._stopping = False
        self.trouble: str | None = None
        self._told: dict[str, str] = {}  # what the director should know of the journal
        self._lost_at = 0  # since when nothing could be stored
        self._unstored: list[Gap] = []  # that were found and held, and are not durable yet
        self._incomplete: list[tuple[Desk, Loaded]] = []  # what a start has left for later
        self._announced = self._went_on = False  # durably: that it started, and where it went on
        self.desks: dict[str, Desk] = {}
        self._rev = 0
        self._starts = self._news = 0
        self._beats = 0
        self.rounds: Rounds[Visitor] = Rounds()
        self._round: list[Visitor] = []  # who is to be looked at in this second
        self._share = 0  # how many of them at every beat
        self._beating: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.gallery = Gallery(Path(config.themes), Path(config.sounds))
        self.request_threads = RequestThreads()
        self.office = Office(self, Path(config.presets))
        self.reception = Reception(self)
        self.recalls = Recalls(self)

    # ── start and stop ───────────────────────────────────────────────────────────────────────────

    def start(self) -> None:
        """Load what the journal tells, and go on from there."""
        self.office.load()
        self.office.read_presets()
        events = [made for made in self.office.shown.events.values() if not made.archived]
        loaded = [load(self.journal, made, self.office.wrote) for made in events]
        self._resume(loaded)
        # Later than anything that a process before can have told, though its clock stood still, or
        # a power cut has taken the time away in which it told that.
        self._starts += 1
        self._news = max(self.time.now(), self._alive + 1) << NEWS_IN_A_MS
        self._news += self._starts << NEWS_IN_A_START
        trouble = None
        try:
            self._note_start(self._announce())
        except StorageError as error:
            self._rev, trouble = self.journal.head()[0], error
            # A hub after this one may know nothing of the time in which this one tells its news.
            self.id = uuid.uuid4().hex
        for made, found in zip(events, loaded, strict=True):
            self._open(made, found)
        self._incomplete = [
            (self.desks[made.id], found) for made, found in zip(events, loaded, strict=True)
        ]
        if trouble is None:
            self._go_on()
            self._complete()
        else:
            self.writer.suspend(trouble, self._certain)
        self._beat()

    def _complete(self) -> None:
        """Bring about, while the hub runs already, what a start has no time for."""
        loaded, self._incomplete = self._incomplete, []
        for desk, found in loaded:
            for key in found.strange:
                self.writer.keep(key, None)
            if found.missing:
                self.task(self._snapshots(desk, found.missing))
            self.recalls.begin(desk, found.began, self.office.wrote)

    def _announce(self) -> int:
        """Write that the hub starts, and wait until that is durable."""
        anchor = self.journal.put("anchor", self._anchor())  # before anything is told in its time
        identity = self.journal.put("hub", self.id)
        unfinished = self.journal.put(UNFINISHED, self._certain)
        started = self.journal.append([self._started_line()])
        anchor.result()
        identity.result()
        unfinished.result()
        return started.result()

    def _started_line(self) -> Line:
        return self.office.line(STARTED)

    def _note_start(self, seq: int) -> None:
        """Take note that the start is durable: what follows was written by this version."""
        self._announced = True
        self.stored_line(seq)
        self.office.wrote.note(seq, STARTED)

    def _announce_late(self) -> None:
        """Start, now that something can be stored again, as a hub does that could at once."""
        self._keep_anchor()
        if not self._announced:
            self.writer.keep("hub", self.id)
            self.writer.keep(UNFINISHED, self._certain)
            self.writer.write([self._started_line()], self._announced_at, lambda: None)
        self._go_on()

    def _announced_at(self, seq: int) -> None:
        self._note_start(seq)
        self._complete()

    def _resume(self, loaded: list[Loaded]) -> None:
        """Go on with the time of the process before, if it was on the same boot.

        Where nothing runs, a wall clock that was set forward is followed, as it is while a hub is
        there. What ran began in the time that was in use when its line was written: a time that was
        to come after that never came.
        """
        boot, known = boot_id(), self.journal.get("anchor")
        self._starts = 0 if known is None else known.get("starts", 0)
        runs = any(time_runs(found.state) for found in loaded)
        if known is not None and known["boot"] == boot != "":
            if runs:
                self.time.resume(known["anchor"], self._alive)
            else:
                least = max(known["anchor"], known.get("next") or 0)
                self.time.resume(max(least, self.time.wall_anchor), self._alive)
            self.pulse, self.started_at = Pulse(self.time), self.time.now()

    def _keep_anchor(self) -> None:
        self.writer.keep("anchor", self._anchor())

    def _anchor(self, **more: int) -> dict[str, Any]:
        return {
            "boot": boot_id(),
            "anchor": self.time.anchor,
            "starts": self._starts,
            **more,
        }

    def _follow_the_wall(self) -> None:
        """Follow a wall clock that was set forward, once a restart would know of it.

        Nothing may be told in a time that a hub after this one could go back behind; and what
        begins to run while that is being stored goes on in the time in which it began.
        """
        wanted = self.time.wall_anchor
        if self.trouble is not None or wanted <= self.time.anchor or self._runs():
            return

        def stored(_: int) -> None:
            if not self._runs():
                self.time.follow(wanted)
                self.pulse = Pulse(self.time)
                for desk in self.desks.values():
                    desk.rearm()
            self._keep_anchor()

        self.writer.keep("anchor", self._anchor(next=wanted), stored)

    def _runs(self) -> bool:
        """Say whether anything runs that another time would move."""
        desks = self.desks.values()
        return any(time_runs(desk.head) or time_runs(desk.shown) for desk in desks)

    def _open(self, made: registry.Registered, loaded: Loaded) -> Desk:
        for key, at in loaded.answered.items():
            self.answers.remember(key, at)
        desk = self.desks[made.id] = Desk(made, loaded.state, self._rev, self._tools)
        desk.snapshots, desk.lines = loaded.snapshots, loaded.since
        desk.moves, desk.actors = loaded.moves, loaded.actors
        desk.tail.extend(loaded.tail)
        desk.written = max((stored.line.at for stored in loaded.tail), default=0)
        log("event opened", event=made.id, name=made.rules.name, lines=loaded.lines)
        return desk

    def _go_on(self) -> None:
        """Take up the room where it is now: the clocks of levels went on, those of players not."""
        for desk in self.desks.values():
            desk.resume()
        self._missed(Gap("restart", self._certain, self.time.now()))

    async def stop(self, retry_ms: int = 1_000) -> None:
        """Say goodbye to everybody, and let go."""
        self._stopping = True
        if self._beating is not None:
            self._beating.cancel()
        for desk in self.desks.values():
            desk.close()
        for visitor in list(self.visitors):
            visitor.dismiss("the hub is being restarted", retry_ms)
        self.press.close()
        self.request_threads.stop()
        for task in list(self._tasks):
            await task

    # ── its own clock ────────────────────────────────────────────────────────────────────────────

    def _beat(self) -> None:
        loop = asyncio.get_running_loop()
        self._beating = loop.call_later(BEAT / 1_000, self._beat)
        late = self.pulse.beat()
        self.metrics.loop_lag.see(self.pulse.lag / 1_000)
        if late:
            self._settle(HOPS)
        self._look()
        self._beats += 1
        if self._beats * BEAT % 1_000 == 0:
            self._every_second()
        self._look_at_some()

    def notice(self) -> None:
        """See whether the hub was away, before anything is decided that could suffer from it."""
        if self.time.now() - self.pulse.last > STALL:
            self._look()

    def _look(self) -> None:
        for gap in self.time.look():
            if self._starts_late():
                continue  # everything since the process before is one gap
            if gap.kind == "step":
                self._follow_the_wall()
            else:
                for visitor in self.visitors:  # nobody was silent: nobody was listened to
                    visitor.heard_at = gap.until
            self._missed(gap)
            for desk in self.desks.values():
                desk.rearm()

    def _running(self) -> list[str]:
        return [desk.id for desk in self.desks.values() if desk.status == "running"]

    def _settle(self, hops: int) -> None:
        if hops:
            asyncio.get_running_loop().call_soon(self._settle, hops - 1)
        else:
            self.pulse.settled()

    # ── devices that were silent ─────────────────────────────────────────────────────────────────

    def _ask(self, device: str) -> None:
        """Ask a device whether it is there."""
        for visitor in self.visitors_of(device):
            visitor.ask(self.time.now())

    def settle_in_time(self, device: str) -> None:
        """Wait no longer than is promised for what a device that is back has kept."""
        silence = self.watch.returns_from(device)
        wait = self.watch.settles_by(device) - self.time.now()

        def waited() -> None:
            if self.watch.returns_from(device) == silence:  # else it was cut off again
                self.settle(device)

        asyncio.get_running_loop().call_later(max(0, wait) / 1_000, waited)

    def settle(self, device: str) -> None:
        """Go on at the tables of a device that was silent, and has said all that it kept."""
        if self._stopping or not self.watch.returning(device):
            return
        silence = self.watch.settled(device)
        for event, table in self.watch.places(device):
            if event in self.desks:
                self.desks[event].device_back(table, silence)

    def show_gallery(self) -> None:
        """Tell pages that a theme or a sound of the house has changed."""
        self.press.publish("themes")
        self.press.publish_soon("hub")

    def _every_second(self) -> None:
        now = self.time.now()
        if self.trouble or self._running() or self._beats * BEAT % ALIVE == 0:
            self._note_alive()
        self.reception.look(now)
        self.office.look(now)
        self.press.fanout.sweep(now)

    def _note_alive(self, durable: Durable = lambda _: None, failed: Failed = lambda: None) -> None:
        """Note that the hub is there; where a start could not be written, where it goes on from.

        The anchor comes first, where that may not have been stored.
        """
        if self.trouble is not None:
            self._keep_anchor()
        late = self._starts_late()
        key, at = (UNFINISHED, self._certain) if late else ("alive", self.time.now())
        self.writer.keep(key, at, durable, failed)

    def _starts_late(self) -> bool:
        return self.trouble is not None and not self._went_on

    def _look_at_some(self) -> None:
        """See who is still there, of those whose turn it is: a share of them at every beat."""
        now = self.time.now()
        if self.rounds.turned(now):
            self._round += self.rounds.due(now)
            self._share = -(-len(self._round) * BEAT // 1_000)
        for visitor in self._round[: self._share]:
            if visitor in self.visitors:
                visitor.look(now)
        del self._round[: self._share]

    def _missed(self, gap: Gap) -> None:
        """Hold what ran through a gap, and tell the director; again, if that cannot be stored.

        Some of these lines may become durable and others not: a hub that starts then holds what ran
        from the beginning of the gap.
        """
        if self.trouble is not None:
            if gap.kind == "step":
                self._unstored.append(gap)
            return  # the end of the trouble holds all that ran since it began
        if gap.kind == "step":
            self._found(gap, [])
            return
        running = self._running()
        self.writer.keep(UNFINISHED, gap.since)
        held = [
            f"{desk.id}/{table}"
            for desk in self.desks.values()
            for table in desk.interrupt(gap.since, gap.until)
        ]
        if held or running or gap.kind != "restart":
            self._found(gap, held)
        self._unstored.append(gap)
        self.writer.keep(UNFINISHED, None, lambda _: self._is_stored(gap))

    def _is_stored(self, gap: Gap) -> None:
        self._unstored.remove(gap)
        self._went_on = self._went_on or gap.kind == "restart"

    def _found(self, gap: Gap, held: list[str]) -> None:
        log("gap", kind=gap.kind, since=gap.since, ms=gap.ms, held=held)
        record = {
            "event": "gap.found",
            "kind": gap.kind,
            "since": gap.since,
            "until": gap.until,
            "interrupted": held,
        }
        self.office.commit([record])

    def _troubled(self, trouble: str | None, at: int) -> None:
        log("storage", trouble=trouble)
        if trouble is not None:
            if self.trouble is None:
                self._lost_at = at
            self.trouble = trouble
            self.press.publish("hub")
            return
        late, self.trouble = self._starts_late(), None
        unstored, self._unstored = self._unstored, []
        if late:  # everything since the process before is one gap
            self._announce_late()
            return
        for desk in self.desks.values():
            desk.resume()
        for gap in (*unstored, Gap("storage", self._lost_at, self.time.now())):
            self._missed(gap)

    def damaged(self, how: str) -> None:
        """Tell the director, from now on, that the journal is not what was written."""
        log("damage", level=logging.ERROR, how=how)
        self._tell("damage", f"{how}. Ask for a backup, and see docs/install.md.")

    def files_changed(self, how: str) -> None:
        """Tell the director that the journal's files were gone; see whether it can be written."""
        log("journal files", level=logging.ERROR, how=how)
        self._tell("files", f"{how}. Find out who changes files on the hub's machine.")
        self._note_alive()

    def _tell(self, about: str, words: str) -> None:
        self._told[about] = words
        self.press.publish("hub")

    # ── commands ─────────────────────────────────────────────────────────────────────────────────

    def order(self, order: Order, answer: Answer) -> None:
        """Carry out an order, once, however often it is sent."""
        self.notice()
        if not self.answers.asked(order, answer):
            return

        def settle(found: m.Done | m.Refused) -> None:
            if isinstance(found, m.Refused):
                self.refused(order.do, order.event, found.code, order.badge.role)
            elif order.do == "dealer.push":
                self.reception.pushed(order)
            self.answers.settle(order, found)

        if self.trouble is None:
            self._carry_out(order, settle)
            return
        # See first whether anything can be stored again, and let the clocks be held if so.
        self._note_alive(
            lambda _: self._carry_out(order, settle),
            lambda: settle(m.Refused(order.id, "storage", NOT_STORED)),
        )

    def refused(self, do: str, event: str, code: str, role: str) -> None:
        """Take note of a refusal."""
        self.metrics.refused[code] += 1
        log("refused", do=do, event=event, code=code, by=role)

    def stored_line(self, seq: int) -> None:
        """Take note of the newest durable line."""
        self._rev = max(self._rev, seq)

    def _carry_out(self, order: Order, settle: Answer) -> None:
        desk = self.desks.get(order.event)
        if order.event == HUB:
            self._own_order(order, settle)
        elif desk is None:
            settle(m.Refused(order.id, "unknown_event", f"There is no event {order.event}."))
        elif (taken := self.reception.why_not(order)) is not None:
            settle(m.Refused(order.id, "table_taken", taken))
        else:
            desk.order(order, self.recalls.patient(desk, order, settle))

    def _own_order(self, order: Order, settle: Answer) -> None:
        try:
            ID(order.id, "id")
            wish = parse_wish(order.do, order.args)
        except BadInput as bad:
            settle(m.Refused(order.id, "bad_value", f"{bad}."))
            return
        if order.badge.role not in wish.roles:
            text = f"{order.do} is not for a {order.badge.role} to do: ask the director."
            settle(m.Refused(order.id, "forbidden", text))
        elif isinstance(wish, Business):
            self.office.order(order, wish, settle)
        elif isinstance(wish, Door):
            self.reception.order(order, wish, settle)

    def task(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something that takes a while, and finish it before the hub stops."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    @property
    def stopping(self) -> bool:
        """Say whether the hub is about to be gone."""
        return self._stopping

    @property
    def last_line(self) -> int:
        """The number of the newest durable line."""
        return self._rev

    def levels(self) -> dict[str, int]:
        """Say at which level each event is."""
        return {desk.id: desk.shown.room.step for desk in self.desks.values()}

    def visitors_of(self, device: str) -> list["Visitor"]:
        """List the connections of a device."""
        return list(self.by_device.get(device, ()))

    # ── events come and go ───────────────────────────────────────────────────────────────────────

    def follow_registry(self, seq: int, coming: dict[str, Loaded]) -> None:
        """Open desks for events that are new, and close those of events that were archived."""
        self._rev = max(self._rev, seq)
        for made in self.office.shown.events.values():
            if made.archived and made.id in self.desks:
                self.desks.pop(made.id).close()
                self._publish_all(made.id)
            elif not made.archived and made.id not in self.desks:
                self._open(made, coming.pop(made.id)).arm()
                self._publish_all(made.id)
        self.press.publish("events")
        self.press.publish("presets")
        self.press.publish("hub")

    def _publish_all(self, event: str) -> None:
        """Publish an event's topics anew: it has come, or gone."""
        for topic in self.press.fanout.topics(f"t/{event}"):
            self.press.publish(topic)

    def _stored(self, desk: Desk) -> None:
        """Take a snapshot of a desk now and then."""
        self._rev = max(self._rev, desk.rev)
        if desk.lines >= EVERY:
            desk.lines -= EVERY
            self.task(self._snapshots(desk, [(desk.last_line, desk.shown)]))

    async def _snapshots(self, desk: Desk, states: list[tuple[int, State]]) -> None:
        for seq, state in states:
            await self._snapshot(desk, state, seq)

    async def _snapshot(self, desk: Desk, state: State, seq: int) -> None:
        work = write_state_in_steps(state, packed)
        while (record := next(work)) is None:
            if not self._stopping:
                await asyncio.sleep(BETWEEN_STEPS)
        self.writer.keep(snapshot_key(desk.id, seq), msgspec.Raw(m.encode(signed(record))))
        insort(desk.snapshots, seq)
        while len(desk.snapshots) > KEPT:
            self.writer.keep(snapshot_key(desk.id, desk.snapshots.pop(0)), None)

    # ── documents ────────────────────────────────────────────────────────────────────────────────

    def document(self, topic: str) -> tuple[int, Any]:
        """Give the newest revision and document of a topic."""
        match topic.split("/"):
            case ["events"]:
                return self._rev, self._events()
            case ["hub"]:
                return self._next_news(), self._hub()
            case ["devices"]:
                return self._next_news(), self.reception.document()
            case ["presets"]:
                return self._next_news(), self.office.presets_document()
            case ["t", event, "duty"] if event in self.desks:
                return self._next_news(), self.reception.duty_document(event)
            case ["themes"]:
                return self._next_news(), self.gallery.document()
            case ["screens", device]:
                found = self.reception.devices.by_id(device)
                return self._next_news(), self.reception.screens.document(found)
            case ["t", event, *rest] if event in self.desks:
                lease = table_number(rest, "lease")
                if lease is not None:
                    return self._next_news(), self.reception.lease_document(event, lease)
                return self.desks[event].rev, self.desks[event].document(rest)
            case _:
                return self._rev, None

    def _next_news(self) -> int:
        """Give the next number to what is not in the journal: upwards, also over restarts."""
        self._news += 1
        return self._news

    def _events(self) -> dict[str, Any]:
        return {
            "now": self.time.now(),
            "events": [
                {
                    "id": desk.id,
                    "name": desk.made.rules.name,
                    "house": desk.made.rules.house,
                    "preset": desk.made.preset,
                    "status": desk.status,
                    "left": desk.shown.room.field.left,
                    "entries": desk.shown.room.field.entries,
                }
                for desk in self.desks.values()
            ],
        }

    def _hub(self) -> dict[str, Any]:
        roles = [visitor.badge.role for visitor in self.visitors if visitor.greeted]
        return {
            "now": self.time.now(),
            "hub": self.id,
            "build": __version__,
            "started_at": self.started_at,
            "storage": self.trouble or " ".join(self._told.values()) or None,
            "plain": self.config.plain,
            "themes": self.gallery.problems(),
            "clients": {role: roles.count(role) for role in sorted(set(roles))},
            "gaps": [told(gap) for gap in self.office.shown.missed if not gap.cleared],
        }


def _last_instant(journal: Journal) -> int:
    seq, _ = journal.head()
    return max((stored.line.received for stored in journal.read(after=seq - 1)), default=0)
