"""A whole hub in virtual time, with peers in memory: real logic, no socket, no disk, no waiting.

    def test_something() -> None:
        with Rig() as rig:
            event = rig.create("star-brisbane-saturday")
            dealer = rig.dealer(event, table=7, delay=20)     # 20 ms each way
            dealer.do("hand.start", table=7)
            rig.run(1_000)                                    # let a second pass
            assert dealer.doc("table/7")["hand"]["in_progress"]

`rig.run` lets time pass; `rig.stall` lets it pass while the hub's loop does nothing; `rig.crash`
throws the hub away and starts another one on what had become durable.
"""

from __future__ import annotations

import asyncio
import itertools
import selectors
from collections import deque
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Self, TypeVar

import msgspec

from server.access import Badge
from server.config import Config, Limits
from server.hub import Hub
from server.hubtime import HubTime
from server.journal import GENESIS, Line, StorageError, Stored, chain
from server.protocol.messages import Bye, Done, Problem, Refused, ToClient
from server.protocol.session import PROBE_EVERY, Session, Shown
from server.turns import Turns
from server.visitor import Visitor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

T = TypeVar("T")

NOON = 1_790_000_000_000
_SMALL, _MEDIUM = 126, 127


class _NoWaiting(selectors.DefaultSelector):
    """Never waits: time jumps to where the waiting would have ended."""

    loop: VirtualLoop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        asked = self.loop.now
        found = super().select(0)
        if not found and timeout is not None and timeout > 0:
            self.loop.jump(timeout)
        self.loop.turns.looked(asked, self.loop.now)
        return found


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock is a number."""

    def __init__(self) -> None:
        self.now = 0.0
        self.turns = Turns()
        selector = _NoWaiting()
        selector.loop = self
        super().__init__(selector)

    def time(self) -> float:
        """Give the number."""
        return self.now

    def jump(self, seconds: float) -> None:
        """Let time pass."""
        self.now = round(self.now + seconds, 6)

    def run_in_executor(self, _executor: Any, func: Callable[..., T], *args: Any) -> Any:
        """Do in this thread what would be done in another, so that every run is the same."""
        done: asyncio.Future[T] = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:  # noqa: BLE001 - whatever it is belongs to who waits for it
            done.set_exception(error)
        return done


class MemoryJournal:
    """A journal in memory that takes its time, and can fail."""

    def __init__(
        self, stored: list[Stored] | None = None, kept: dict[str, Any] | None = None
    ) -> None:
        self.stored = list(stored or [])
        self.kept = dict(kept or {})
        self.delay = 0.0  # seconds that a commit takes
        self.broken = False
        self._waiting: deque[Callable[[], None]] = deque()
        self._generation = self._accepted = 0

    def append(self, lines: list[Line]) -> Future[int]:
        """Make lines durable, after a while."""

        def work() -> int:
            for line in lines:
                seq, before = self.head()
                self.stored.append(Stored(seq + 1, line, chain(before, seq + 1, line)))
            return len(self.stored)

        return self._submit(work)

    def put(self, key: str, value: Any) -> Future[int]:
        """Keep a value, after a while."""
        body = msgspec.json.encode(value)

        def work() -> int:
            if value is None:
                self.kept.pop(key, None)
            else:
                self.kept[key] = msgspec.json.decode(body)
            return len(self.stored)

        return self._submit(work)

    def _submit(self, work: Callable[[], int]) -> Future[int]:
        future: Future[int] = Future()
        accepted = self._accepted

        def commit() -> None:
            if self.broken or accepted != self._generation:
                self._generation += accepted == self._generation
                future.set_exception(StorageError("the disk is full"))
            else:
                future.set_result(work())

        if self.delay:
            self._waiting.append(commit)  # in order: the loop knows none among equal instants
            asyncio.get_running_loop().call_later(self.delay, self._commit_next)
        else:
            commit()
        return future

    def _commit_next(self) -> None:
        self._waiting.popleft()()

    def reset(self) -> None:
        """Write again after a failure."""
        self._accepted = self._generation

    def read(self, event: str | None = None, after: int = 0) -> Iterator[Stored]:
        """Read lines back."""
        found = list(self.stored[max(0, after) :])
        return (stored for stored in found if event is None or stored.line.event == event)

    def back(self, event: str | None = None, before: int | None = None) -> Iterator[Stored]:
        """Read lines back, the newest first."""
        found = self.stored[: None if before is None else max(0, before - 1)][::-1]
        return (stored for stored in found if event is None or stored.line.event == event)

    def head(self) -> tuple[int, bytes]:
        """Give the last line's number and hash."""
        return (len(self.stored), self.stored[-1].hash) if self.stored else (0, GENESIS)

    def begin(self) -> tuple[int, bytes]:
        """Give what comes before the first line: nothing."""
        return 0, GENESIS

    def get(self, key: str) -> Any:
        """Find a value."""
        return self.kept.get(key)

    def keys(self, prefix: str) -> list[str]:
        """List keys."""
        return sorted(key for key in self.kept if key.startswith(prefix))

    def backup(self, path: str) -> None:
        """Not for memory."""
        raise NotImplementedError

    def close(self) -> None:
        """Nothing to let go of."""


def unsigned(doc: Any) -> Any:
    """Give a floor's document as the engine makes it, without the names that the hub adds."""
    if not isinstance(doc, dict) or not isinstance(doc.get("undo"), list):
        return doc
    rows = [{key: row[key] for key in row if key != "who"} for row in doc["undo"]]
    return {**doc, "undo": rows}


def payloads(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Take a server's frames apart."""
    while data:
        opcode, size, start = data[0] & 0xF, data[1], 2
        if size == _SMALL:
            size, start = int.from_bytes(data[2:4], "big"), 4
        elif size == _MEDIUM:
            size, start = int.from_bytes(data[2:10], "big"), 10
        yield opcode, data[start : start + size]
        data = data[start + size :]


class Peer:
    """A client in memory: a session, and the hub's visitor at the other end of a slow wire."""

    def __init__(self, rig: Rig, session: Session, delay: int, skew: int) -> None:
        self.rig, self.session, self.delay, self.skew = rig, session, delay, skew
        self.news: list[ToClient | Shown] = []
        self.frames: list[bytes] = []  # payloads that arrived, pings not counted
        self.visitor: Visitor | None = None
        self.cut = False  # nothing passes, and nobody is told
        self._ids = itertools.count(1)
        self._closing = False
        self.connect()

    # the outlet that the hub writes to
    def write(self, data: bytes) -> None:
        """Carry the hub's bytes over the wire."""
        self.rig.later(self.delay, self._arrive, data)

    def get_write_buffer_size(self) -> int:
        """Say that nothing waits."""
        return 0

    def is_closing(self) -> bool:
        """Say whether it is over."""
        return self._closing

    def own(self) -> int:
        """Read this peer's own clock."""
        return round(self.rig.loop.now * 1_000) + self.skew

    def connect(self) -> None:
        """Connect, or connect again."""
        self._closing = False
        self.visitor = Visitor(self.rig.hub, self, lambda _: self._shut(), "memory")
        self.send(*self.session.opened(self.own()))

    def disconnect(self) -> None:
        """Lose the connection."""
        self.session.lost(self.own())
        self._closing = True
        visitor, self.visitor = self.visitor, None
        if visitor is not None:
            self.rig.later(0, visitor.gone)
            if not self.rig.loop.is_running():
                self.rig.run(1)

    def _shut(self) -> None:
        self._closing = True

    def send(self, *frames: bytes) -> None:
        """Carry frames to the hub."""
        for data in frames:
            self.rig.later(self.delay, self._reach, self.visitor, data)

    def _reach(self, visitor: Visitor | None, data: bytes) -> None:
        if visitor is not None and visitor is self.visitor and not self.cut:
            visitor.receive(data)

    def _arrive(self, data: bytes) -> None:
        if self.cut:
            return
        for opcode, payload in payloads(data):
            if opcode == 0x9:
                self.rig.later(self.delay, self._pong, self.visitor, payload)
            else:
                self.frames.append(payload)
                self.news += self.session.received(payload, self.own())

    def _pong(self, visitor: Visitor | None, payload: bytes) -> None:
        if visitor is not None and visitor is self.visitor and not self.cut:
            visitor.pong(payload)

    def probe(self) -> None:
        """Ask what time it is."""
        if self.visitor is not None:
            self.send(self.session.probe(self.own()))

    def keeps_probing(self) -> Self:
        """Ask the time every second, for ever, as a dealer's device does."""
        self.probe()
        self.rig.later(PROBE_EVERY["dealer"], self.keeps_probing)
        return self

    def follow(self, *topics: str) -> None:
        """Follow topics."""
        self.send(*self.session.follow(*topics))

    def tap(self, do: str, /, *, event: str = "1", seen: int | None = None, **args: Any) -> str:
        """Command something without waiting, and give the command's id."""
        command = f"{self.session.device}-{next(self._ids)}"
        self.send(*self.session.do(command, event, do, args, self.own(), seen=seen))
        return command

    def answer(self, command: str) -> Done | Refused | None:
        """Find the answer to a command."""
        found = (n for n in self.news if isinstance(n, Done | Refused) and n.id == command)
        return next(found, None)

    def do(
        self, do: str, /, *, event: str = "1", seen: int | None = None, **args: Any
    ) -> Done | Refused:
        """Command something and let time pass until the answer is here."""
        command = self.tap(do, event=event, seen=seen, **args)
        for _ in range(10_000):
            found = self.answer(command)
            if found is not None:
                return found
            self.rig.run(1)
        raise AssertionError(f"{do} was never answered")

    def doc(self, topic: str, event: str = "1") -> Any:
        """Give the newest document that has arrived of an event's topic, or of any."""
        full = topic if topic in ("hub", "events") else f"t/{event}/{topic}".rstrip("/")
        if full not in self.session.topics:
            self.follow(full)
            self.rig.run(2 * self.delay + 1)
        shown = self.session.documents.get(full)
        return None if shown is None else shown.doc

    def farewells(self) -> list[Bye | Problem]:
        """List what the hub said about ending."""
        return [n for n in self.news if isinstance(n, Bye | Problem)]


class Rig:
    """A hub in virtual time."""

    def __init__(self, journal: MemoryJournal | None = None, config: Config | None = None) -> None:
        self.loop = VirtualLoop()
        self.journal = journal or MemoryJournal()
        self.config = config or Config(limits=Limits(rate=1_000))  # nobody is hurried in here
        self._coming: dict[int, list[tuple[Callable[..., object], tuple[Any, ...]]]] = {}
        self.wall_step = 0  # how far somebody has moved the machine's wall clock
        self.faults: list[dict[str, Any]] = []
        self.loop.set_exception_handler(lambda _loop, context: self.faults.append(context))
        self.hub = self._started()
        self._devices = itertools.count(1)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _error: object, _tb: TracebackType | None
    ) -> None:
        self.loop.run_until_complete(self.hub.stop())
        self.run(1)
        self.loop.close()
        if kind is None:
            assert not self.faults, self.faults

    def boot(self) -> int:
        """Read the machine's boot clock."""
        return round(self.loop.now * 1_000)

    def wall(self) -> int:
        """Read the machine's wall clock."""
        return NOON + self.boot() + self.wall_step

    def _started(self) -> Hub:
        async def start() -> Hub:
            hub = Hub(
                self.journal,
                self.config,
                time=lambda floor: HubTime(floor, boot=self.boot, wall=self.wall),
            )
            hub.start()
            return hub

        return self.loop.run_until_complete(start())

    # ── time ─────────────────────────────────────────────────────────────────────────────────────

    @property
    def now(self) -> int:
        """Say what time it is at the hub."""
        return self.hub.time.now()

    def run(self, ms: int) -> None:
        """Let time pass."""
        self.loop.run_until_complete(asyncio.sleep(ms / 1_000))

    def run_until(self, instant: int) -> None:
        """Let time pass until an instant in hub time."""
        self.run(max(0, instant - self.now))

    def later(self, ms: int, call: Callable[..., object], *args: Any) -> None:
        """Do something after a while."""
        when = round(self.loop.now * 1_000) + ms
        if when in self._coming:  # a wire never lets one message overtake another
            self._coming[when].append((call, args))
            return
        self._coming[when] = [(call, args)]
        self.loop.call_later(ms / 1_000, self._arrived, when)

    def _arrived(self, when: int) -> None:
        for call, args in self._coming.pop(when):
            call(*args)

    def stall(self, ms: int) -> None:
        """Let time pass while the hub's loop does nothing at all."""
        self.loop.jump(ms / 1_000)

    def crash(self, away: int = 0, *, broken: bool = False) -> None:
        """Kill the hub, and start another on what was durable, some milliseconds later."""
        self.journal = MemoryJournal(self.journal.stored, self.journal.kept)
        self.journal.broken = broken
        self.hub.journal.append = lambda _lines: Future()  # type: ignore[method-assign]
        self.hub.journal.put = lambda _key, _value: Future()  # type: ignore[method-assign]
        self.loop.run_until_complete(self.hub.stop())
        self.loop.jump(away / 1_000)
        self.hub = self._started()

    # ── people ───────────────────────────────────────────────────────────────────────────────────

    def peer(
        self, badge: Badge | None = None, *, delay: int = 0, skew: int = 5_000, device: str = ""
    ) -> Peer:
        """Connect somebody, with a badge or as a viewer; `delay` is the wire's, each way."""
        token = None if badge is None else self.hub.reception.devices.issue(badge)
        session = Session(device or f"device-{next(self._devices)}", token)
        peer = Peer(self, session, delay, skew)
        self.run(2 * delay + 1)
        return peer

    def director(self, **options: Any) -> Peer:
        """Connect a director."""
        return self.peer(Badge("director", "Dora"), **options)

    def floor(self, **options: Any) -> Peer:
        """Connect one of the floor."""
        return self.peer(Badge("floor", "Fred"), **options)

    def dealer(self, event: str = "1", *, table: int = 7, **options: Any) -> Peer:
        """Connect a dealer."""
        return self.peer(Badge("dealer", "Dan", event, table), **options)

    def create(
        self, preset: str = "star-brisbane-saturday", tables: dict[int, int] | None = None
    ) -> str:
        """Create an event with players at tables, and start its clock."""
        director = self.director()
        created = director.do("event.create", event="", preset=preset)
        assert isinstance(created, Done), created
        event = list(self.hub.desks)[-1]
        for table, players in (tables or {7: 3}).items():
            for seat in range(1, players + 1):
                args = {"player": f"{table}-{seat}", "table": table, "seat": seat}
                assert isinstance(director.do("seat.put", event=event, **args), Done)
        assert isinstance(director.do("clock.start", event=event), Done)
        director.disconnect()
        return event
