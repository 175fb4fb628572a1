"""A disk that takes its time, fails for a while, and forgets what it has not written.

It commits in groups, as the real journal does: what was asked for while a group is being written
is the next group. Only what a group has finished is in `stored` and `kept`; a crash may keep the
group that is being written or lose it, a power cut loses it.
"""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from server.journal import StorageError
from tests.rig import MemoryJournal

if TYPE_CHECKING:
    from collections.abc import Callable

    from server.journal import Stored

Job = tuple[int, "Callable[[], int]", "Future[int]", int | None]
"""Its generation, what to do, who waits for it, and when it was asked for in hub time."""


class Disk(MemoryJournal):
    """A journal whose thread lives in the world's time."""

    def __init__(  # noqa: PLR0913 - all that a disk tells, and to whom
        self,
        stored: list[Stored],
        kept: dict[str, Any],
        *,
        later: Callable[[Callable[[], None]], None],
        durable: Callable[[], None],
        failed: Callable[[int | None], None],
        clock: Callable[[], int | None],
    ) -> None:
        super().__init__(stored, kept)
        self._later, self._durable = later, durable
        self._failed, self._clock = failed, clock
        self._waiting: list[Job] = []
        self._group: list[Job] = []
        self._alive = True
        self.starting = True  # a hub that starts waits for its disk

    def _submit(self, work: Callable[[], int]) -> Future[int]:
        future: Future[int] = Future()
        if self._alive:
            self._waiting.append((self._accepted, work, future, self._clock()))
            if self.starting:
                self._begin()
                self._finish()
            elif not self._group:
                self._begin()
                self._later(self._commit)
        return future

    def _begin(self) -> None:
        self._group, self._waiting = self._waiting, []

    def _commit(self) -> None:
        if not self._alive:
            return
        self._finish()
        if self._waiting:
            self._begin()
            self._later(self._commit)

    def _finish(self) -> None:
        group, self._group = self._group, []
        stale = [job for job in group if job[0] != self._generation]
        fresh = [job for job in group if job[0] == self._generation]
        if self.broken and fresh:
            self._generation += 1
            self._failed(fresh[0][3])
            stale += fresh
        elif fresh:
            results = [(future, work()) for _, work, future, _ in fresh]
            self._durable()
            for future, result in results:
                future.set_result(result)
        for _, _, future, _ in stale:
            future.set_exception(StorageError("the disk is full"))

    def finish(self) -> None:
        """Write all that waits, as a hub does that stops in good order."""
        while self._group or self._waiting:
            if not self._group:
                self._begin()
            self._finish()

    def die(self, *, keep: bool) -> None:
        """Be cut off; `keep` says whether what is being written was written after all."""
        self._alive = False
        if keep and not self.broken:
            for accepted, work, _, _ in self._group:
                if accepted == self._generation:
                    work()
            self._durable()
