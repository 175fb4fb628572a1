"""Wires: what lies between a device and the hub, with all that Wi-Fi does to it.

A `Link` is the way of one device through the air, a `Wire` one connection over it. Each direction
of a wire keeps its order, as TCP does. In a hole nothing passes and nobody is told; what was sent
comes late when the hole is over. A connection that the device has given up may still deliver then.

The delay of a message depends on the device, the connection and the millisecond alone, so that the
order in which a hub happens to write to its clients changes nothing.
"""

from __future__ import annotations

from collections import deque
from random import Random
from typing import TYPE_CHECKING, Any

from server.visitor import Visitor

if TYPE_CHECKING:
    from collections.abc import Callable

    from server.hub import Hub
    from tests.sim.people import Device
    from tests.sim.world import World


class Link:
    """A device's way through the air."""

    def __init__(self, rng: Random) -> None:
        self.up = rng.choice((1, 2, 5, 15, 40))  # milliseconds at best
        self.down = rng.choice((1, 2, 5, 15, 40))
        self.jitter = rng.choice((0, 2, 10, 30))
        self.hole_until = 0
        self.spikes = rng.choice((0.0, 0.0, 0.02))  # messages that take much longer

    def delay(self, rng: Random, least: int) -> int:
        """Say how long a message takes."""
        spike = rng.randint(100, 900) if rng.random() < self.spikes else 0
        return least + rng.randint(0, self.jitter) + spike


class Lane:
    """One direction of a wire."""

    def __init__(self, wire: Wire, least: int, name: str) -> None:
        self._wire, self._least = wire, least
        self._rng = Random(f"{wire.name}/{name}")  # noqa: S311 - it is meant to be guessed
        self._queue: deque[tuple[int, int, Callable[[], None]]] = deque()
        self._last = self._asked = -1
        self._delay = 0
        self._due = False  # something is on its way, and the world knows when it arrives
        self.cut = False

    def send(self, deliver: Callable[[], None], size: int = 0) -> None:
        """Send something."""
        world = self._wire.world
        if self.cut:
            return
        if world.now != self._asked:
            self._asked, self._delay = world.now, self._wire.link.delay(self._rng, self._least)
        self._last = max(self._last, world.now + self._delay)
        self._queue.append((self._last, size, deliver))
        self._wait()

    def _wait(self) -> None:
        if self._queue and not self._due:
            self._due = True
            self._wire.world.at(self._queue[0][0], self._arrive, 0, self._wire.device.index)

    def _arrive(self) -> None:
        self._due = False
        world, link = self._wire.world, self._wire.link
        if world.now < link.hole_until:  # sent again and again, until it passes
            late = world.now + self._rng.randint(50, 250)
            self._queue = deque((max(at, late), size, what) for at, size, what in self._queue)
            self._last = max(self._last, late)
        while self._queue and self._queue[0][0] <= world.now and not self.cut:
            self._queue.popleft()[2]()
        self._wait()

    def drop(self) -> None:
        """Lose everything that is on its way, and carry nothing any more."""
        self.cut = True
        self._queue.clear()

    @property
    def held(self) -> int:
        """Bytes that cannot be delivered now."""
        if self._wire.world.now >= self._wire.link.hole_until:
            return 0
        return sum(size for _, size, _ in self._queue)


class Wire:
    """One connection."""

    def __init__(self, world: World, device: Device, number: int) -> None:
        self.world, self.device, self.link = world, device, device.link
        self.name = f"{world.seed}/{device.name}/{number}"
        self.up, self.down = Lane(self, self.link.up, "up"), Lane(self, self.link.down, "down")
        self._hops = Random(f"{self.name}/hops")  # noqa: S311
        self._inbox: deque[Callable[[], None]] = deque()
        self.process = world.process
        self.visitor: Visitor | None = None
        self.dead = False  # for the hub: closed, reset, or its process is gone
        self.left = False  # for the device
        self.revs: dict[str, int] = {}

    # ── from the device to the hub ───────────────────────────────────────────────────────────────

    def dial(self) -> None:
        """Ask for a connection."""
        self._to_hub(self._accept)

    def send(self, data: bytes, tag: str = "") -> None:
        """Send a frame; a tag tells the world when it arrives."""
        self._to_hub(lambda: self._receive(data), tag)

    def pong(self, payload: bytes) -> None:
        """Answer a ping."""
        self._to_hub(lambda: self._ponged(payload))

    def _ponged(self, payload: bytes) -> None:
        if self.visitor is not None:
            self.world.laws.heard(self.device)
            self.visitor.pong(payload)

    def _to_hub(self, read: Callable[[], Any], tag: str = "") -> None:
        self.up.send(lambda: self._reach(read, tag))

    def _reach(self, read: Callable[[], Any], tag: str) -> None:
        """Reach the machine; the hub reads it when it can."""
        if self.world.hub is None or self.process is not self.world.process:
            if self.world.powered:
                self.reset()  # nobody is there who knows this connection
            return
        if tag:
            self.world.laws.reached(tag, self.device.name)
        self._inbox.append(read)
        self.world.loop.arrive(self._hops.choice((0, 1)), self._read)

    def _read(self) -> None:
        read = self._inbox.popleft()
        if not self.dead:
            read()

    def _accept(self) -> None:
        hub: Hub | None = self.world.hub
        assert hub is not None
        self.visitor = Visitor(hub, self, self._closed, "memory")
        self.down.send(lambda: self.device.opened(self))

    def _receive(self, data: bytes) -> None:
        if self.visitor is not None:
            self.world.laws.heard(self.device)
            self.visitor.receive(data)

    # ── from the hub to the device: what a visitor's outlet is ───────────────────────────────────

    def write(self, data: bytes) -> None:
        """Carry the hub's bytes."""
        if not self.dead:
            self.world.laws.written(self, data)
            self.down.send(lambda: self.device.arrived(self, data), len(data))

    def get_write_buffer_size(self) -> int:
        """Say how much is stuck."""
        return self.down.held

    def is_closing(self) -> bool:
        """Say whether it is over."""
        return self.dead

    def _closed(self, _at_once: bool) -> None:
        """Let the hub close the connection."""
        self.dead = True
        self.down.send(lambda: self.device.lost(self, "the hub closed it"))

    # ── endings ──────────────────────────────────────────────────────────────────────────────────

    def reset(self) -> None:
        """Tell the device that nobody is at the other end."""
        self.down.send(lambda: self.device.lost(self, "reset"))

    def hub_gone(self, *, silently: bool) -> None:
        """Let the hub's process be gone."""
        self.dead = True
        if not silently:
            self.reset()

    def leave(self, rng: Random) -> None:
        """Let the device give the connection up; the hub may be told late, or never."""
        self.left = True
        self.down.drop()
        roll = rng.random()
        if roll < 0.3:
            self.up.drop()
        if roll < 0.8:
            self.world.at(
                max(self.world.now + rng.randint(0, 2_000), self.link.hole_until),
                self._farewell,
                0,
                self.device.index,
            )

    def _farewell(self) -> None:
        self.up.cut = False
        self._to_hub(self._gone)

    def _gone(self) -> None:
        self.dead = True
        if self.visitor is not None:
            self.visitor.gone()
