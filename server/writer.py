"""The writer: lines go into the journal, and what follows from them happens when they are durable.

Everybody who decides writes through the one writer, in the order of deciding. Should the journal
fail, everything that was decided since the last durable line never was: all of them go back to what
is durable, once, and may try again.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from server.hubtime import HubTime
from server.journal import Journal, Line, StorageError
from server.metrics import Histogram

if TYPE_CHECKING:
    from concurrent.futures import Future

Durable = Callable[[int], None]
Failed = Callable[[], None]
Troubled = Callable[[str | None, int], None]
"""Told in words that storage fails, and since when; or None when it is well again."""


@dataclass(frozen=True, slots=True)
class _Write:
    epoch: int
    began: float
    at: int
    durable: Durable
    failed: Failed


class Writer:
    """Puts lines into a journal from an event loop, without ever waiting on it."""

    def __init__(
        self, journal: Journal, time: HubTime, troubled: Troubled, commits: Histogram
    ) -> None:
        self.journal = journal
        self._time, self._troubled, self._commits = time, troubled, commits
        self._loop = asyncio.get_running_loop()
        self._epoch = 0
        self._rewinds: list[Callable[[], None]] = []
        self._well = True

    def on_rewind(self, rewind: Callable[[], None]) -> None:
        """Call this when what was decided turns out never to have happened."""
        self._rewinds.append(rewind)

    def write(self, lines: list[Line], durable: Durable, failed: Failed) -> None:
        """Make lines durable, then say so."""
        self._watch(self.journal.append(lines), durable, failed)

    def keep(
        self,
        key: str,
        value: Any,
        durable: Durable = lambda _: None,
        failed: Failed = lambda: None,
    ) -> None:
        """Keep a value beside the lines."""
        self._watch(self.journal.put(key, value), durable, failed)

    def _watch(self, future: "Future[int]", durable: Durable, failed: Failed) -> None:
        write = _Write(self._epoch, self._loop.time(), self._time.now(), durable, failed)
        call = self._loop.call_soon_threadsafe
        future.add_done_callback(lambda done: call(self._settle, done, write))

    def _settle(self, done: "Future[int]", write: _Write) -> None:
        error = done.exception()
        if error is None:
            self._commits.see(self._loop.time() - write.began)
            if not self._well:
                self._well = True
                self._troubled(None, write.at)
            write.durable(done.result())
            return
        if not isinstance(error, StorageError):
            raise error
        if write.epoch == self._epoch:  # the first to hear of it; the others are behind this one
            self.suspend(error, write.at)
        write.failed()

    def suspend(self, error: StorageError, at: int) -> None:
        """Take everybody back to what is durable, and tell what fails, until a write succeeds."""
        self._epoch += 1
        for rewind in self._rewinds:
            rewind()
        self.journal.reset()
        self._well = False
        self._troubled(str(error), at)
