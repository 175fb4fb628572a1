"""Threads for what requests cost: a structure that is read, a journal that is looked through.

They are the requests' own. What the hub itself has to do (commit, back up, stop) never waits behind
what somebody asked for. They are few, because each that computes takes time from the loop; and few
requests may wait for one, because who is refused at once can ask again.
"""

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from server.daemon_threads import DaemonThreads

T = TypeVar("T")

THREADS = 2
MOST = 16
"""Requests that are carried out or wait for it: at some milliseconds each nobody notices."""

BUSY = "The hub has too much to read at once: wait a moment and try again."
STOPPING = "The hub is being restarted: try again in a moment."


class Busy(Exception):  # noqa: N818 - nobody's error: it is told in words and passes
    """Something cannot be done now, and can be asked for again."""


class RequestThreads:
    """Does what requests ask for, beside the loop."""

    def __init__(self) -> None:
        self._threads = DaemonThreads(THREADS, "requests")
        self._asked: set[asyncio.Future[Any]] = set()
        self._stopped = False

    def is_stopped(self) -> bool:
        """Say whether nothing is taken any more."""
        return self._stopped

    async def run(self, work: Callable[..., T], *args: Any) -> T:
        """Do something in a thread; Busy if too many ask, or the hub stops meanwhile."""
        if len(self._asked) >= MOST:
            raise Busy(BUSY)
        return await self.go_on(work, *args)

    async def go_on(self, work: Callable[..., T], *args: Any) -> T:
        """Do one more part of something that was begun: whoever has waited is not refused."""
        if self.is_stopped():
            raise Busy(STOPPING)
        done = asyncio.get_running_loop().run_in_executor(self._threads, work, *args)
        self._asked.add(done)
        done.add_done_callback(self._asked.discard)
        try:
            return await done
        except asyncio.CancelledError:
            if self.is_stopped() and not _is_cancelled():
                raise Busy(STOPPING) from None
            raise

    def stop(self) -> None:
        """Let go of everything that is under way, and take nothing more."""
        self._stopped = True
        for done in list(self._asked):
            done.cancel()
        self._threads.shutdown()


def _is_cancelled() -> bool:
    """Say whether it is the asking task itself that is to end, and not only what it waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
