"""Requests against the rules of HTTP are told in one quiet line, with the reason.

aiohttp writes a traceback at error level for each: whoever looks for a real error would not find
it, and a stranger could fill a disk. What goes wrong in our own code keeps its traceback.
"""

import logging

from aiohttp.http_exceptions import HttpProcessingError

MOST_TOLD = 120
"""Characters of the reason, which quotes what a stranger has sent."""


def _quiet(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    if not isinstance(error, HttpProcessingError):
        return True
    address = record.args[0] if isinstance(record.args, tuple) and record.args else None
    reason = " ".join(error.message.split())[:MOST_TOLD]
    record.fields = {"address": address, "kind": type(error).__name__, "reason": reason}
    record.msg, record.args = "bad request", ()
    record.exc_info = None
    record.levelno, record.levelname = logging.INFO, logging.getLevelName(logging.INFO)
    return LOGGER.isEnabledFor(logging.INFO)


LOGGER = logging.getLogger("railbird.http")
LOGGER.addFilter(_quiet)
