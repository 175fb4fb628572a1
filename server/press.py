"""The press: publishes documents by topic, as they change and only while somebody reads them.

A topic that nobody follows is not even built. What changes with every tap but is not watched in a
hurry (the director's board, the list of what can be undone) is published a moment later, once for
all that happened meanwhile.
"""

import asyncio
from collections.abc import Callable
from time import perf_counter
from typing import Any

import msgspec

from server.fanout import Client, Fanout
from server.metrics import Histogram
from server.protocol.messages import Document, encode

MOMENT = 0.25
"""Seconds that an unhurried topic may lag: four times a second is often enough for eyes."""

Source = Callable[[str], tuple[int, Any]]
"""Gives the newest revision and document of a topic; None is a topic that says nothing."""


class Press:
    """All topics, printed on demand."""

    def __init__(self, source: Source, fanout: Fanout, times: Histogram) -> None:
        self.fanout, self._times = fanout, times
        self._source = source
        self._unhurried: set[str] = set()
        self._flushing: asyncio.TimerHandle | None = None

    def publish(self, topic: str) -> None:
        """Send a topic that has changed to everybody who follows it."""
        if not self.fanout.followers(topic):
            self.fanout.retire(topic)
            return
        began = perf_counter()
        rev, doc = self._source(topic)
        self.fanout.publish(topic, rev, self._printed(topic, rev, doc))
        self._times.see(perf_counter() - began)

    def publish_soon(self, topic: str) -> None:
        """Send a topic that has changed, in a moment."""
        if not self.fanout.followers(topic):
            self.fanout.retire(topic)
            return
        self._unhurried.add(topic)
        if self._flushing is None:
            self._flushing = asyncio.get_running_loop().call_later(MOMENT, self._flush)

    def _flush(self) -> None:
        self._flushing = None
        topics, self._unhurried = self._unhurried, set()
        for topic in topics:
            self.publish(topic)

    def follow(self, client: Client, topic: str, have: int | None = None) -> None:
        """Let a client follow a topic: what it does not have comes at once."""
        if self.fanout.newest(topic) is None:
            rev, doc = self._source(topic)
            self.fanout.publish(topic, rev, self._printed(topic, rev, doc))
        self.fanout.follow(client, topic, have)

    def read(self, topic: str) -> tuple[int, Any]:
        """Give the newest revision and document of a topic to somebody who does not follow it."""
        return self._source(topic)

    def close(self) -> None:
        """Publish nothing any more."""
        if self._flushing is not None:
            self._flushing.cancel()

    @staticmethod
    def _printed(topic: str, rev: int, doc: Any) -> bytes:
        return encode(Document(topic, rev, msgspec.Raw(encode(doc))))
