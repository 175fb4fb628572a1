"""Fan-out: the newest document of every topic, framed once and written to everybody who follows it.

Never waits for anybody. A client that is slow gets the newest document when it can take it, at most
one a topic; one that stays behind is dropped, and it will come back for a snapshot.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from server.protocol.messages import Bye, encode

BEHIND_BYTES = 64 * 1024
"""A client with more than this waiting in its buffer is behind."""

BEHIND_MS = 5_000
"""A client that stays behind for longer is dropped."""

_SMALL, _MEDIUM = 126, 1 << 16


def frame(payload: bytes, opcode: int = 0x1) -> bytes:
    """Wrap a payload in a server's websocket frame (RFC 6455): final, not masked."""
    head = 0x80 | opcode
    if len(payload) < _SMALL:
        return bytes((head, len(payload))) + payload
    if len(payload) < _MEDIUM:
        return bytes((head, 126)) + len(payload).to_bytes(2, "big") + payload
    return bytes((head, 127)) + len(payload).to_bytes(8, "big") + payload


class Outlet(Protocol):
    """Where a client's bytes go; an asyncio transport is one."""

    def write(self, data: bytes) -> None:
        """Send bytes, without waiting."""

    def get_write_buffer_size(self) -> int:
        """Say how much has not been taken yet."""

    def is_closing(self) -> bool:
        """Say whether it is over."""


@dataclass(eq=False, slots=True)
class Client:
    """A connection that follows topics."""

    outlet: Outlet
    drop: Callable[[str], None]
    topics: set[str] = field(default_factory=set)
    waiting: dict[str, None] = field(default_factory=dict)  # topics to send when it can take them
    behind_since: int | None = None


@dataclass(slots=True)
class _Topic:
    rev: int = 0
    frame: bytes | None = None
    clients: set[Client] = field(default_factory=set)


class Fanout:
    """All topics and all clients."""

    def __init__(self) -> None:
        self._topics: dict[str, _Topic] = {}
        self._slow: set[Client] = set()

    def publish(self, topic: str, rev: int, payload: bytes) -> None:
        """Take the newest document of a topic and write it to everybody."""
        found = self._topics.setdefault(topic, _Topic())
        found.rev, found.frame = rev, frame(payload)
        for client in found.clients:
            self._deliver(client, topic, found.frame)

    def _deliver(self, client: Client, topic: str, data: bytes) -> None:
        outlet = client.outlet
        if client.waiting or outlet.get_write_buffer_size() > BEHIND_BYTES:
            client.waiting[topic] = None
            self._slow.add(client)
        elif not outlet.is_closing():
            outlet.write(data)

    def send(self, client: Client, data: bytes) -> None:
        """Send a message that is for one client alone; who never reads its own is slow too."""
        if client.outlet.is_closing():
            return
        client.outlet.write(data)
        if client.outlet.get_write_buffer_size() > BEHIND_BYTES:
            self._slow.add(client)

    def follow(self, client: Client, topic: str, have: int | None = None) -> None:
        """Subscribe first, snapshot second: what changes from now on is not missed."""
        found = self._topics.setdefault(topic, _Topic())
        found.clients.add(client)
        client.topics.add(topic)
        if found.frame is not None and found.rev != have:
            self._deliver(client, topic, found.frame)

    def leave(self, client: Client, topic: str) -> None:
        """Follow a topic no more; a topic that nobody follows and nothing said is forgotten."""
        client.topics.discard(topic)
        client.waiting.pop(topic, None)
        found = self._topics.get(topic)
        if found is not None:
            found.clients.discard(client)
            if not found.clients and found.frame is None:
                del self._topics[topic]

    def forget(self, client: Client) -> None:
        """Let go of a client that is gone."""
        for topic in list(client.topics):
            self.leave(client, topic)
        self._slow.discard(client)

    def sweep(self, now: int) -> None:
        """Give slow clients the newest documents that they can take now; drop the hopeless."""
        for client in list(self._slow):
            if client.outlet.get_write_buffer_size() <= BEHIND_BYTES // 2:
                self._catch_up(client)
            elif client.behind_since is None:
                client.behind_since = now
            elif now - client.behind_since > BEHIND_MS:
                self.forget(client)
                client.drop("too slow: the newest documents could not be delivered")

    def _catch_up(self, client: Client) -> None:
        topics, client.waiting, client.behind_since = list(client.waiting), {}, None
        self._slow.discard(client)
        for topic in topics:
            found = self._topics.get(topic)
            if found is not None and found.frame is not None:
                self._deliver(client, topic, found.frame)

    def newest(self, topic: str) -> tuple[int, bytes] | None:
        """Give the newest revision and frame of a topic."""
        found = self._topics.get(topic)
        return None if found is None or found.frame is None else (found.rev, found.frame)

    def followers(self, topic: str) -> int:
        """Count who follows a topic."""
        found = self._topics.get(topic)
        return 0 if found is None else len(found.clients)


def farewell(reason: str, retry_ms: int | None) -> bytes:
    """Frame the hub's last words to a client."""
    return frame(encode(Bye(reason=reason, retry_ms=retry_ms)))
