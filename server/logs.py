"""Logs: one JSON object a line, for people who look for something and for programs that watch.

What is logged is chosen field by field where it is logged, so that no secret slips in; and what
strangers said is written with the codes of characters that would command a terminal. A thread of
its own writes the lines: a console that does not scroll must not stop a room. If nobody reads for
long, the newest lines are lost rather than the clocks.
"""

import json
import logging
import queue
import sys
import threading
import time
from contextlib import suppress
from typing import Any, TextIO

from server.engine.visible import escaped

_LOGGER = logging.getLogger("railbird")
MOST_WAITING = 10_000


class _Lines(logging.Formatter):
    """Writes a record as a line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Write it."""
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        fields = getattr(record, "fields", {})
        line = {"at": f"{stamp}.{record.msecs:03.0f}Z", "level": record.levelname.lower()}
        line |= {"what": record.getMessage(), **fields}
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return escaped(json.dumps(line, ensure_ascii=False, default=str))


class _Handler(logging.Handler):
    """Hands lines to a thread, and never waits."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self.setFormatter(_Lines())
        self._stream = stream
        self._waiting: queue.Queue[str] = queue.Queue(MOST_WAITING)
        threading.Thread(target=self._write, name="logs", daemon=True).start()

    def emit(self, record: logging.LogRecord) -> None:
        with suppress(queue.Full):
            self._waiting.put_nowait(self.format(record))

    def _write(self) -> None:
        while True:
            line = self._waiting.get()
            with suppress(OSError, ValueError):  # nobody reads any more
                print(line, file=self._stream, flush=True)
            self._waiting.task_done()

    def flush(self) -> None:
        """Give the thread a moment to write what waits."""
        until = time.monotonic() + 0.5
        while self._waiting.unfinished_tasks and time.monotonic() < until:
            time.sleep(0.005)


def log(what: str, *, level: int = logging.INFO, **fields: Any) -> None:
    """Log something that happened."""
    _LOGGER.log(level, what, extra={"fields": fields})


def set_up(level: str = "info") -> None:
    """Send the logs to standard error."""
    root = logging.getLogger()
    root.handlers[:] = [_Handler(sys.stderr)]
    root.setLevel(level.upper())
