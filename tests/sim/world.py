"""The world: one seed makes a room, its people, its hub and everything that goes wrong.

Time is a number of milliseconds. What happens next is either something of the world (a message
arrives, somebody taps, a disk has written, a fault begins) or the next callback of the hub's loop.
The hub's machine has three clocks: the loop's, which stands in a suspend; the boot clock, which
does not; and the wall clock, which anybody may move.

    world = World(123)
    world.run()       # raises Broken, with what happened last in `world.last`
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections import deque
from collections.abc import Callable, Iterator, MutableSet
from dataclasses import asdict, dataclass
from heapq import heappop, heappush
from random import Random
from typing import Any
from unittest import mock

from server.access import Badge, fingerprint
from server.config import Config
from server.devices import Device as KnownDevice
from server.engine.facts import table_fact
from server.hub import Hub
from server.hubtime import STALL, HubTime
from server.journal import StorageError
from server.protocol.messages import Done
from server.protocol.session import Freshness
from tests.rig import NOON, MemoryJournal
from tests.sim.disk import Disk
from tests.sim.laws import Broken, Laws
from tests.sim.loop import Turns
from tests.sim.people import Boss, Dealer, Device, Wall

PRESETS = ("star-brisbane-saturday", "star-brisbane-friday", "apl", "selkirk-main", "888pl")
FAULTS = (
    "crash",
    "power cut",
    "restart",
    "stall",
    "stall at zero",
    "crash at zero",
    "suspend",
    "wall step",
    "broken disk",
    "reset",
    "hole",
    "hole at zero",
)
TRACE = 80
MOST_STEPS = 500_000
CLOSE = 20
"""Milliseconds: a wall clock that is farther off than this is wrong."""

BACK_WITHIN = 25_000
"""Milliseconds after the last fault in which everybody must be connected again: a phone asks every
10 s, a dead connection is given up after 5 s, so is one that does not open, the next is tried 1.5 s
later."""

SAME_WITHIN = 2_000
"""Milliseconds after that in which all screens must show what the hub shows."""


@dataclass(slots=True)
class Plan:
    """What kind of night it is."""

    rooms: dict[str, list[int]]
    presets: list[str]
    players: int
    clock: dict[str, int] | None  # of an action clock that is introduced
    faults: list[str]
    every: int  # milliseconds between faults
    length: int
    snapshots: int  # lines between two
    disk: tuple[int, int]  # milliseconds that a commit takes
    repeats: float  # taps that are sent twice
    mistakes: float
    dies: float
    buzzers: float
    walls: int

    @classmethod
    def of(cls, rng: Random) -> Plan:
        """Make a plan; every night has its own few kinds of trouble."""
        events = rng.choice((1, 1, 1, 2))
        tables = [rng.randint(2, 4) if events == 1 else rng.randint(1, 3) for _ in range(events)]
        seconds = rng.choice((2, 2, 3, 6))
        chips = {"seconds": seconds, "chips": rng.choice((0, 0, 1, 3)), "chip_seconds": seconds}
        return cls(
            rooms={str(i + 1): list(range(1, n + 1)) for i, n in enumerate(tables)},
            presets=[rng.choice(PRESETS) for _ in range(events)],
            players=rng.randint(2, 4),
            clock=chips if rng.random() < 0.9 else None,
            faults=rng.sample(FAULTS, rng.randint(1, 5)),
            every=rng.choice((1_000, 2_000, 4_000)),
            length=rng.choice((12_000, 18_000, 25_000)),
            snapshots=rng.choice((5, 11, 30, 20_000)),
            disk=rng.choice(((0, 0), (0, 2), (1, 20), (5, 200))),
            repeats=rng.choice((0.0, 0.1)),
            mistakes=rng.choice((0.0, 0.03, 0.1)),
            dies=rng.choice((0.0, 0.1)),
            buzzers=rng.choice((0.3, 0.8)),
            walls=rng.randint(1, 2),
        )


class InOrder(MutableSet[Any]):
    """A set that remembers the order of coming, where the hub's own goes by memory addresses."""

    def __init__(self) -> None:
        self._found: dict[Any, None] = {}

    def __contains__(self, value: object) -> bool:
        return value in self._found

    def __iter__(self) -> Iterator[Any]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def add(self, value: Any) -> None:
        """Put something in."""
        self._found[value] = None

    def discard(self, value: Any) -> None:
        """Take something out."""
        self._found.pop(value, None)


class World:
    """One night."""

    def __init__(self, seed: int, *faults: str) -> None:
        self.seed, self.now = seed, 0
        self.rng = Random(f"{seed}/world")  # noqa: S311 - the point is that it can be guessed
        self.plan = Plan.of(self.rng)
        if faults:  # somebody wants to see what these do
            self.plan.faults, self.plan.every, self.plan.buzzers = list(faults), 1_000, 0.8
        self._coming: list[tuple[int, int, int, int, Callable[[], object]]] = []
        self._numbers = itertools.count()
        self.last: deque[str] = deque(maxlen=TRACE)
        self._hash = hashlib.sha256()
        self.laws = Laws(self)
        self.steps = 0
        self.quiet = False  # people go home, and nothing breaks any more
        # the machine
        self.powered = True
        self._boots, self._booted_at = 1, -1_000_000
        self._slept, self._asleep_at = 0, -1
        self._frozen: list[Callable[[], None]] = []  # what was being written when it fell asleep
        self._blocked_until = 0
        self._moved = 0  # how far somebody has moved the wall clock
        self._soon: tuple[int, Callable[[], None]] | None = None  # after so many callbacks
        self._disk_fails = False
        self._disk_rng = Random(f"{seed}/disk")  # noqa: S311
        # the hub
        self._kept = MemoryJournal()
        self._kept.kept["hub"] = f"hub-{seed}"
        self.process: object = None
        self.hub: Hub | None = None
        self.loop = Turns(self.mono, self._fault)
        self.journal: Disk
        # people
        self.devices: list[Device] = []
        self.by_hub_id: dict[str, Device] = {}
        self._people()

    # ── what is told of it ───────────────────────────────────────────────────────────────────────

    def say(self, words: str) -> None:
        """Put something into the trace."""
        line = f"{self.now:>7} {words}"
        self.last.append(line)
        self._hash.update(line.encode())

    @property
    def trace(self) -> str:
        """The hash of everything that happened."""
        return self._hash.hexdigest()

    def _fault(self, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, Broken):
            raise error
        raise Broken("exception", f"{context.get('message')}: {error!r}") from error

    # ── time ─────────────────────────────────────────────────────────────────────────────────────

    def at(self, when: int, call: Callable[[], object], rank: int = 2, index: int = 0) -> None:
        """Let something happen; at one instant by rank, then by who it happens to."""
        heappush(self._coming, (max(when, self.now), rank, index, next(self._numbers), call))

    def mono(self) -> float:
        """Read the clock of the machine's loop: it stands while the machine sleeps."""
        now = self.now if self._asleep_at < 0 else self._asleep_at
        return (now - self._slept - self._booted_at) / 1_000

    def boot(self) -> int:
        """Read the machine's boot clock."""
        return self.now - self._booted_at

    def wall(self) -> int:
        """Read the machine's wall clock."""
        return NOON + self.now + self._moved

    def certain(self) -> int:
        """Give the last instant of which what is durable tells."""
        lines = (stored.line.received for stored in self._kept.stored[-1:])
        return max(self._kept.kept.get("alive") or 0, *lines, 0)

    def _hub_wants(self) -> float:
        """Say when the hub's loop will do something."""
        if self.hub is None:
            return math.inf
        if self.now < self._blocked_until:
            return self._blocked_until
        wants = self.loop.wants()
        if wants is None:
            return math.inf
        return max(self.now, self.now + math.ceil((wants - self.mono()) * 1_000 - 1e-3))

    def pass_until(self, until: int, *, stop: Callable[[], bool] = lambda: False) -> None:
        """Let time pass."""
        while True:
            own = self._coming[0][0] if self._coming else math.inf
            hub = self._hub_wants()
            if stop():
                return
            if min(own, hub) > until:
                self.now = max(self.now, until)
                return
            self.steps += 1
            if self.steps > MOST_STEPS:
                raise Broken("hang", "time does not go on")
            if own <= hub:
                when, _, _, _, call = heappop(self._coming)
                self.now = max(self.now, when)
                call()
            elif hub > self.now:
                self.now = int(hub)
            else:
                self.loop.step()
                self.laws.check()
                self.laws.stepped()
                self._one_callback_later()

    def _one_callback_later(self) -> None:
        if self._soon is not None:
            count, call = self._soon
            self._soon = (count - 1, call) if count else None
            if not count:
                call()

    # ── the hub ──────────────────────────────────────────────────────────────────────────────────

    def _start(self) -> None:
        self.powered, self.process = True, object()
        self._blocked_until = self.now
        self.loop = Turns(self.mono, self._fault)
        self.journal = journal = Disk(
            self._kept.stored,
            self._kept.kept,
            later=self._write_later,
            durable=lambda: self._durable(journal),
            failed=self._failed,
            clock=self.laws.now,
        )
        journal.broken = self._disk_fails
        try:
            with self.loop.running():
                hub = Hub(
                    journal,
                    Config(),
                    time=lambda floor: HubTime(floor, boot=self.boot, wall=self.wall),
                )
                hub.visitors = InOrder()  # type: ignore[assignment]
                hub.start()
        except StorageError as error:
            self.say(f"the hub cannot start: {error}")
            self._kept = MemoryJournal(journal.stored, journal.kept)
            self.loop.give_up()
            self.at(self.now + 1_000, self._start)
            return
        journal.starting = False
        self.hub = hub
        self.say(f"the hub is up: {hub.time.now()}")
        for kind in ("crash", "storage"):
            self.laws.gap_over(kind, hub.time.now())
        self.laws.started()

    def _write_later(self, commit: Callable[[], None]) -> None:
        def done() -> None:
            if self._asleep_at >= 0:
                self._frozen.append(done)
            else:
                commit()

        self.at(self.now + self._disk_rng.randint(*self.plan.disk), done, 3)

    def _durable(self, journal: Disk) -> None:
        self.laws.durable(journal.stored)
        if not journal.starting and self.hub is not None:
            self.laws.gap_over("storage", self.hub.time.now())

    def _failed(self, since: int | None) -> None:
        self.say(f"a commit fails that was asked for at {since}")
        if since is not None:
            self.laws.gap("storage", since)

    def _gone(self, kind: str, away: int, *, keep: bool) -> None:
        hub = self.hub
        if hub is None or self.quiet:
            return
        self.say(f"{kind}: the hub is gone for {away} ms, what was being written is kept: {keep}")
        self.laws.gap("crash", hub.time.now())
        self.journal.die(keep=keep)
        self._kept = MemoryJournal(self.journal.stored, self.journal.kept)
        self.hub, self.process, self._soon = None, None, None
        self.loop.give_up()
        for device in self.devices:
            if device.wire is not None:
                device.wire.hub_gone(silently=kind == "power cut")
        self._wake()
        if kind == "power cut":
            self.powered = False
            self._boots += 1
            if abs(hub.time.now() - self.wall()) > CLOSE:
                self.laws.forgive_level()  # all that the new boot has is a wrong clock
            self._booted_at, self._slept = self.now + away - 5_000, 0
        self.at(self.now + away, self._start)

    def boot_id(self) -> str:
        """Name this boot of the machine."""
        return f"boot-{self._boots}"

    # ── people ───────────────────────────────────────────────────────────────────────────────────

    def _people(self) -> None:
        topics = ["events"]
        for event, tables in self.plan.rooms.items():
            topics += [f"t/{event}", f"t/{event}/tables"]
            topics += [f"t/{event}/table/{number}" for number in tables]
        self._let_in(Boss(self, "director", Badge("director", "Dora"), 5_000))
        self._let_in(Boss(self, "floor", Badge("floor", "Fred"), 3_500))
        for event, tables in self.plan.rooms.items():
            for number in tables:
                badge = Badge("dealer", f"Dan {number}", event, number)
                self._let_in(Dealer(self, f"dealer-{event}-{number}", badge))
        for number in range(1, self.plan.walls + 1):
            self.devices.append(Wall(self, f"wall-{number}", topics))
        self.devices.append(Wall(self, "phone", topics[:2], "phone"))

    def _let_in(self, device: Device) -> None:
        self.devices.append(device)
        assert device.badge is not None
        assert device.session.token is not None
        number = len(self.devices)
        known = KnownDevice(f"d{number}", device.badge, fingerprint(device.session.token))
        self._kept.kept[f"device/{known.print}"] = asdict(known)
        self._kept.kept["devices"] = number
        device.hub_id = known.id
        self.by_hub_id[known.id] = device

    # ── the night ────────────────────────────────────────────────────────────────────────────────

    def run(self) -> None:
        """Play it all."""
        patches = (
            mock.patch("server.hub.boot_id", self.boot_id),
            mock.patch("server.hub.EVERY", self.plan.snapshots),
        )
        with patches[0], patches[1]:
            try:
                self._set_up()
                self._play()
                self._go_home()
            except Broken:
                raise
            except Exception as error:
                raise Broken("exception", repr(error)) from error
            finally:
                self.loop.give_up()

    def _set_up(self) -> None:
        disk, self.plan.disk = self.plan.disk, (0, 0)
        self.quiet = True
        self._start()
        for device in self.devices:
            device.connect()
        self.pass_until(1_500)
        director = self.devices[0]
        for event, tables in self.plan.rooms.items():
            preset = self.plan.presets[int(event) - 1]
            self._insist(director, "", "event.create", preset=preset, starts_at=NOON + 3_600_000)
            for table in tables:
                for seat in range(1, self.plan.players + 1):
                    player = f"{table}-{seat}"
                    self._ask(director, event, "seat.put", player=player, table=table, seat=seat)
            if self.plan.clock is not None:
                self._ask(director, event, "shotclock.introduce", **self.plan.clock)
            self._insist(director, event, "clock.start")
            remaining = self.rng.choice((5_000, 15_000, 60_000))
            self._insist(director, event, "clock.set", remaining_ms=remaining)
        self.plan.disk, self.quiet = disk, False
        for device in self.devices:
            device.look()

    def _ask(self, device: Device, event: str, do: str, /, **args: Any) -> str:
        return device.tap(event, do, None, **args)

    def _insist(self, device: Device, event: str, do: str, /, **args: Any) -> None:
        command = self._ask(device, event, do, **args)
        key = device.hub_id, command
        self.pass_until(self.now + 5_000, stop=lambda: key in self.laws.answers)
        if not isinstance(self.laws.answers.get(key), Done):
            raise Broken("set-up", f"{do}: {self.laws.answers.get(key)}")

    def _play(self) -> None:
        end = self.now + self.plan.length
        self._sample()
        self._next_fault()
        self.pass_until(end)

    def _sample(self) -> None:
        if self.now >= self._blocked_until:
            self.laws.sample()
        self.at(self.now + 1_000, self._sample, 5)

    def _go_home(self) -> None:
        """Let everything heal, and see that everybody sees the same."""
        self.say("the last fault is over")
        self.quiet = True
        self._heal_disk()
        self._blocked_until = self.now
        self._wake()
        self.laws.awake()
        for device in self.devices:
            device.link.hole_until = min(device.link.hole_until, self.now)
            device.link.spikes = 0.0
        self.pass_until(self.now + BACK_WITHIN, stop=self._all_back)
        if not self._all_back():
            away = [d.name for d in self.devices if not self._is_back(d)]
            raise Broken("back", f"{away} are not back; {[d.sent_away for d in self.devices]}")
        self.pass_until(self.now + SAME_WITHIN, stop=self._all_same)
        for device in self.devices:
            different = self.laws.different(device)
            if different is not None:
                raise Broken("same", f"{device.name} shows {different}")
        self.pass_until(self.now + SAME_WITHIN, stop=self._all_durable)
        self.laws.finish()

    def _is_back(self, device: Device) -> bool:
        session = device.session
        fresh = session.connected and session.freshness(device.own()) == Freshness.FRESH
        if device.wire is None or device.wire.process is not self.process:
            return False
        return fresh and not session.pending and device.welcomed_at >= 0

    def _all_back(self) -> bool:
        return self.hub is not None and all(map(self._is_back, self.devices))

    def _all_same(self) -> bool:
        return all(self.laws.different(device) is None for device in self.devices)

    def _all_durable(self) -> bool:
        hub = self.hub
        return hub is not None and all(desk.head is desk.shown for desk in hub.desks.values())

    # ── faults ───────────────────────────────────────────────────────────────────────────────────

    def _next_fault(self) -> None:
        if not self.quiet:
            wait = round(self.rng.expovariate(1 / self.plan.every))
            self.at(self.now + max(1, wait), self._break_something, 2)

    def _break_something(self) -> None:
        if self.quiet:
            return
        kind = self.rng.choice(self.plan.faults)
        if self.hub is not None and self.now >= self._blocked_until:
            self._faults[kind](self.rng)
        self._next_fault()

    @property
    def _faults(self) -> dict[str, Callable[[Random], None]]:
        return {
            "crash": self._crash,
            "power cut": self._cut_power,
            "restart": self._restart,
            "stall": self._stall,
            "stall at zero": lambda rng: self._around_zero(rng, self._stall_over_zero, -650),
            "crash at zero": lambda rng: self._around_zero(rng, self._crash, -300),
            "suspend": self._suspend,
            "wall step": self._move_wall,
            "broken disk": self._break_disk,
            "reset": self._reset,
            "hole": self._hole,
            "hole at zero": lambda rng: self._around_zero(rng, self._hole, -3_000),
        }

    def _crash(self, rng: Random) -> None:
        away, keep = rng.choice((0, 200, 1_500, 4_000)), rng.random() < 0.5
        self._soon = rng.randint(0, 12), lambda: self._gone("crash", away, keep=keep)

    def _cut_power(self, rng: Random) -> None:
        away = rng.choice((500, 3_000, 8_000))
        self._soon = rng.randint(0, 12), lambda: self._gone("power cut", away, keep=False)

    def _restart(self, rng: Random) -> None:
        away = rng.choice((0, 300, 2_000))
        assert self.hub is not None
        self.say("the hub is stopped in good order")
        with self.loop.running():
            stopping = self.loop.create_task(self.hub.stop())
        while not stopping.done():
            self.now = max(self.now, int(self._hub_wants()))  # what it is about takes a moment
            self.loop.step()
        self.journal.finish()
        self._gone("restart", away, keep=False)

    def _stall(self, rng: Random) -> None:
        ms = rng.choice((10, 40, 70, 120, 300, 700, 950, 1_100, 2_500, 5_000))
        self._soon = rng.randint(0, 6), lambda: self._block(ms)

    def _stall_over_zero(self, rng: Random) -> None:
        ms = rng.choice((70, 300, 500, 800, 900, 950, 1_100))
        self._soon = rng.randint(0, 3), lambda: self._block(ms)

    def _block(self, ms: int) -> None:
        if self.hub is not None and not self.quiet:
            self.say(f"the loop stalls for {ms} ms")
            self._blocked_until = self.now + ms
            if ms > STALL:
                since = self.hub.time.now()
                self.laws.gap("stall", since, since + ms)

    def _suspend(self, rng: Random) -> None:
        assert self.hub is not None
        ms = rng.choice((1_200, 5_000, 15_000))
        self.say(f"the machine sleeps for {ms} ms")
        since = self.hub.time.now()
        self.laws.gap("suspend", since, since + ms)
        self._asleep_at, self._blocked_until = self.now, self.now + ms
        self.at(self._blocked_until, self._wake, -1)

    def _wake(self) -> None:
        if self._asleep_at >= 0:
            self.say("the machine is awake")
            self._slept += self.now - self._asleep_at
            self._asleep_at = -1
            frozen, self._frozen = self._frozen, []
            for done in frozen:
                self.at(self.now, done, 3)

    def _move_wall(self, rng: Random) -> None:
        by = rng.choice((-86_400_000, -3_600_000, -1_000, 1_000, 3_600_000, 86_400_000))
        self._moved = 0 if self._moved and rng.random() < 0.3 else self._moved + by
        self.say(f"somebody moves the wall clock: it is off by {self._moved} ms")

    def _break_disk(self, rng: Random) -> None:
        if not self._disk_fails:
            ms = rng.choice((1, 50, 1_000, 4_000, 9_000))
            self.say(f"nothing can be written for {ms} ms")
            self._disk_fails = self.journal.broken = True
            self.at(self.now + ms, self._heal_disk, 2)

    def _heal_disk(self) -> None:
        self._disk_fails = self.journal.broken = False

    def _somebody(self, rng: Random) -> Device:
        return rng.choice(self.devices)

    def _reset(self, rng: Random) -> None:
        device = self._somebody(rng)
        device.drop("the network resets it")

    def _hole(self, rng: Random) -> None:
        device = self._somebody(rng)
        ms = rng.choice((150, 500, 1_500, 4_000, 7_000, 14_000))
        self.say(f"nothing passes between {device.name} and the hub for {ms} ms")
        device.link.hole_until = max(device.link.hole_until, self.now + ms)

    def _zero(self) -> int | None:
        """Find the next instant at which somebody's time runs out, in the world's time."""
        hub = self.hub
        if hub is None:
            return None
        zeros = [
            fact.zero
            for desk in hub.desks.values()
            for _, table in desk.head.tables.items()
            if (fact := table_fact(desk.head, table)) is not None
        ]
        later = [zero for zero in zeros if zero > hub.time.now()]
        return None if not later else min(later) - hub.time.now() + self.now

    def _around_zero(self, rng: Random, call: Callable[[Random], None], least: int) -> None:
        zero = self._zero()
        if zero is not None:
            self.at(max(self.now + 1, zero + rng.randint(least, 320)), lambda: self._then(call), 2)

    def _then(self, call: Callable[[Random], None]) -> None:
        if self.hub is not None and not self.quiet and self.now >= self._blocked_until:
            call(self.rng)
