"""Fan-out: the newest document of every topic, framed once and written to everybody who follows it.

Never waits for anybody. A client that is slow gets the newest document when it can take it, at most
one a topic; one that stays behind is dropped, and it will come back for a snapshot.

Where nothing waits before it, a frame goes straight to the client's socket: asking a transport
about its buffer costs as much as a quarter of the sending. As soon as a socket takes less than it
is given, the rest is the transport's, and so is all that follows until its buffer is empty again.
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


Direct = Callable[[bytes], int]
"""Sends bytes straight to a socket and says how many it took."""


@dataclass(eq=False, slots=True)
class Client:
    """A connection that follows topics."""

    outlet: Outlet
    drop: Callable[[str], None]
    direct: Direct | None = None
    clear: bool = True  # nothing waits in the outlet: frames may go straight to the socket
    topics: set[str] = field(default_factory=set)
    waiting: dict[str, None] = field(default_factory=dict)  # topics to send when it can take them
    behind_since: int | None = None


@dataclass(slots=True)
class _Topic:
    rev: int = 0
    frame: bytes | None = None
    clients: dict[Client, Direct | None] = field(default_factory=dict)


class Fanout:
    """All topics and all clients."""

    def __init__(self) -> None:
        self._topics: dict[str, _Topic] = {}
        self._slow: set[Client] = set()

    def publish(self, topic: str, rev: int, payload: bytes) -> None:
        """Take the newest document of a topic and write it to everybody."""
        found = self._topics.setdefault(topic, _Topic())
        found.rev = rev
        data = found.frame = frame(payload)
        size, blocked = len(data), []
        for client, direct in found.clients.items():
            if direct is None:
                self._deliver(client, topic, data)
                continue
            try:
                sent = direct(data)
            except OSError:  # it would block, or it is broken: the transport knows what to do
                sent = 0
            if sent != size:
                blocked.append((client, data[sent:]))
        for client, rest in blocked:
            self._block(client, rest)

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
        if client.direct is None or not client.clear:
            client.outlet.write(data)
            if client.outlet.get_write_buffer_size() > BEHIND_BYTES:
                self._slow.add(client)
            return
        try:
            sent = client.direct(data)
        except OSError:
            sent = 0
        if sent != len(data):
            self._block(client, data[sent:])

    def _block(self, client: Client, rest: bytes) -> None:
        """Leave it to the transport to send the rest, and all that follows until it is sent."""
        client.clear = False
        for topic in client.topics:
            self._topics[topic].clients[client] = None
        self._slow.add(client)
        if not client.outlet.is_closing():
            client.outlet.write(rest)

    def _unblock(self, client: Client) -> None:
        client.clear = True
        for topic in client.topics:
            self._topics[topic].clients[client] = client.direct

    def follow(self, client: Client, topic: str, have: int | None = None) -> None:
        """Subscribe first, snapshot second: what changes from now on is not missed."""
        found = self._topics.setdefault(topic, _Topic())
        found.clients[client] = client.direct if client.clear else None
        client.topics.add(topic)
        if found.frame is not None and found.rev != have:
            if client.clear and client.direct is not None:
                self.send(client, found.frame)
            else:
                self._deliver(client, topic, found.frame)

    def leave(self, client: Client, topic: str) -> None:
        """Follow a topic no more; one that nobody follows is forgotten."""
        client.topics.discard(topic)
        client.waiting.pop(topic, None)
        found = self._topics.get(topic)
        if found is not None:
            found.clients.pop(client, None)
            self.retire(topic)

    def forget(self, client: Client) -> None:
        """Let go of a client that is gone."""
        for topic in list(client.topics):
            self.leave(client, topic)
        self._slow.discard(client)

    def sweep(self, now: int) -> None:
        """Give slow clients the newest documents that they can take now; drop the hopeless."""
        for client in list(self._slow):
            waits = client.outlet.get_write_buffer_size()
            if waits == 0:
                self._unblock(client)
            if waits <= BEHIND_BYTES // 2:
                self._catch_up(client)
            elif client.behind_since is None:
                client.behind_since = now
            elif now - client.behind_since > BEHIND_MS:
                self.forget(client)
                client.drop("too slow: the newest documents could not be delivered")

    def _catch_up(self, client: Client) -> None:
        topics, client.waiting, client.behind_since = list(client.waiting), {}, None
        if client.clear:
            self._slow.discard(client)
        for topic in topics:
            found = self._topics.get(topic)
            if found is not None and found.frame is not None:
                self._deliver(client, topic, found.frame)

    def retire(self, topic: str) -> None:
        """Forget a document that is out of date and that nobody follows."""
        found = self._topics.get(topic)
        if found is not None and not found.clients:
            del self._topics[topic]

    def topics(self, prefix: str) -> list[str]:
        """List the topics of a family: the one with this name and all below it."""
        below = f"{prefix}/"
        return [topic for topic in self._topics if topic == prefix or topic.startswith(below)]

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
