"""Threads that a process never waits for: what they still do when it ends is let go of.

The standard pool's threads are joined at the end, so a hub that is told to stop would first finish
what somebody asked for. These begin with the first job, and end with the process.
"""

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
_Job = tuple["Future[Any]", Callable[[], Any]]


class DaemonThreads(Executor):
    """A few of them."""

    def __init__(self, most: int, name: str) -> None:
        self._most, self._name = most, name
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        """Do something in one of the threads, in the order in which it was asked for."""
        future: Future[T] = Future()
        self._jobs.put((future, partial(fn, *args, **kwargs)))
        if len(self._threads) < self._most:
            thread = threading.Thread(target=self._work, name=self._name, daemon=True)
            self._threads.append(thread)
            thread.start()
        return future

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            future, work = job
            if not future.set_running_or_notify_cancel():
                continue
            try:
                found = work()
            except BaseException as error:  # noqa: BLE001 - it belongs to who waits for it
                future.set_exception(error)
            else:
                future.set_result(found)
            del job, future, work  # an idle thread keeps nothing alive

    def shutdown(self, wait: bool = False, *, cancel_futures: bool = False) -> None:  # noqa: ARG002
        """Let the threads end when they have nothing to do; nobody waits for them."""
        for _ in self._threads:
            self._jobs.put(None)
