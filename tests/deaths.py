"""Deaths of a process in the midst of work on files, at one call after the other."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

CALLS: tuple[tuple[Any, str], ...] = (
    (Path, "rename"),
    (Path, "replace"),
    (Path, "unlink"),
    (Path, "mkdir"),
    (os, "link"),
    (os, "fsync"),
    (shutil, "copyfile"),
)
"""What changes files, but for SQLite's own work, which is proof against deaths by itself."""

DIED, FAILED = 9, 8


def dies_before(number: int, work: Callable[[], object]) -> bool:
    """Work in a process that dies before its n-th change of a file; say whether it came to that."""
    child = os.fork()
    if child == 0:
        _count_down(number)
        try:
            work()
        except BaseException:  # noqa: BLE001 - it must never come back into the test
            os._exit(FAILED)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, DIED), status
    return status == DIED


def _count_down(number: int) -> None:
    left = [number]

    def counting(call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **more: Any) -> Any:
            left[0] -= 1
            if not left[0]:
                os._exit(DIED)
            return call(*args, **more)

        return counted

    for owner, name in CALLS:
        setattr(owner, name, counting(getattr(owner, name)))
