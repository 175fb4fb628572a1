"""An event loop that runs one callback at a time, and only when the world lets it.

The world owns the time. So a loop can be stalled between any two callbacks, or never be run again,
while wires, disks and people go on. What has reached the machine is read at the beginning of a
turn, before the timers, as asyncio does; from there to the hub it takes a few more turns, as it
does from a real socket.
"""

from __future__ import annotations

import asyncio
import itertools
from asyncio.events import _set_running_loop
from collections import deque
from contextlib import contextmanager
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TINY = 1e-6
"""Seconds: less than any timer asks for, more than floats are wrong by."""


class Turns(asyncio.AbstractEventLoop):
    """A loop in which nothing happens by itself."""

    def __init__(self, clock: Callable[[], float], fault: Callable[[dict[str, Any]], None]) -> None:
        self._clock, self._fault = clock, fault
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._numbers = itertools.count()
        self._arrived: deque[tuple[int, Callable[[], None]]] = deque()
        self._ready: deque[asyncio.Handle] = deque()
        self._turn: deque[asyncio.Handle] = deque()  # what is left of the turn
        self.tasks: set[asyncio.Task[Any]] = set()

    # ── what the world does with it ──────────────────────────────────────────────────────────────

    @contextmanager
    def running(self) -> Iterator[None]:
        """Let this be the running loop."""
        _set_running_loop(self)
        try:
            yield
        finally:
            _set_running_loop(None)

    def arrive(self, hops: int, read: Callable[[], None]) -> None:
        """Let something reach the machine; it is read after so many turns."""
        self._arrived.append((hops, read))

    def wants(self) -> float | None:
        """Say when there is something to do, by this loop's clock; None if never."""
        if self._turn or self._ready or self._arrived:
            return self._clock()
        while self._timers and self._timers[0][2].cancelled():
            heappop(self._timers)
        return self._timers[0][0] if self._timers else None

    def step(self) -> None:
        """Run one callback."""
        if not self._turn:
            self._begin()
        while self._turn:
            handle = self._turn.popleft()
            if not handle.cancelled():
                with self.running():
                    handle._run()  # noqa: SLF001 - this is a loop, and that is what loops call
                return

    def _begin(self) -> None:
        while self._arrived:
            self._hop(*self._arrived.popleft())
        now = self._clock() + TINY
        while self._timers and self._timers[0][0] <= now:
            self._ready.append(heappop(self._timers)[2])
        self._turn, self._ready = self._ready, deque()

    def _hop(self, hops: int, read: Callable[[], None]) -> None:
        if hops:
            self.call_soon(self._hop, hops - 1, read)
        else:
            self.call_soon(read)

    def give_up(self) -> None:
        """Never run again; what is half done is cut off without a word."""
        for task in list(self.tasks):
            task.cancel()
        self._timers.clear()
        self._arrived.clear()
        waking = [handle for handle in (*self._turn, *self._ready) if _is_task(handle)]
        self._turn, self._ready = deque(waking), deque()
        while self._turn or self._ready:
            self.step()

    # ── what asyncio does with it ────────────────────────────────────────────────────────────────

    def time(self) -> float:
        """Give the machine's time."""
        return self._clock()

    def call_soon(
        self, callback: Callable[..., object], *args: Any, context: Any = None
    ) -> asyncio.Handle:
        """Call something in the next turn."""
        handle = asyncio.Handle(callback, args, self, context)
        self._ready.append(handle)
        return handle

    call_soon_threadsafe = call_soon

    def call_later(
        self, delay: float, callback: Callable[..., object], *args: Any, context: Any = None
    ) -> asyncio.TimerHandle:
        """Call something after a while."""
        return self.call_at(self._clock() + delay, callback, *args, context=context)

    def call_at(
        self, when: float, callback: Callable[..., object], *args: Any, context: Any = None
    ) -> asyncio.TimerHandle:
        """Call something at a time."""
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        heappush(self._timers, (when, next(self._numbers), handle))
        return handle

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        pass

    def create_future(self) -> asyncio.Future[Any]:
        """Make a future."""
        return asyncio.Future(loop=self)

    def create_task(self, coro: Any, **_: Any) -> asyncio.Task[Any]:
        """Make a task."""
        task = asyncio.Task(coro, loop=self)
        self.tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[Any]) -> None:
        self.tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self._fault({"message": "a task failed", "exception": task.exception()})

    def run_in_executor(self, _executor: Any, func: Callable[..., Any], *args: Any) -> Any:
        """Do in this thread what would be done in another, so that every run is the same."""
        done = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:  # noqa: BLE001 - whatever it is belongs to who waits for it
            done.set_exception(error)
        return done

    def get_debug(self) -> bool:
        """Say no."""
        return False

    def is_running(self) -> bool:
        """Say yes."""
        return True

    def is_closed(self) -> bool:
        """Say no."""
        return False

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Tell the world about an exception that nobody has caught."""
        self._fault(context)


def _is_task(handle: asyncio.Handle) -> bool:
    owner = getattr(handle._callback, "__self__", None)  # type: ignore[attr-defined] # noqa: SLF001
    return isinstance(owner, asyncio.Task) or "Task" in type(handle._callback).__name__  # type: ignore[attr-defined] # noqa: SLF001
