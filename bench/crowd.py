"""Many websocket clients in one thread: as little work as can be, so that the server is measured.

Frames are masked with a key of zeros, which the standard allows and which leaves them as they are.
"""

from __future__ import annotations

import errno
import select
import socket
from collections import deque
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

HOST = "127.0.0.1"
IN_FLIGHT = 1_000
"""Handshakes at once: as many as a listener's queue surely takes, so that no SYN is repeated."""

PING, PONG, TEXT = 0x9, 0xA, 0x1
_SMALL, _MEDIUM = 126, 127
_MORE = {_SMALL: 2, _MEDIUM: 8}
_UPGRADE = (
    "GET /ws HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


def masked(payload: bytes, opcode: int = TEXT) -> bytes:
    """Wrap a payload in a client's frame."""
    if len(payload) < _SMALL:
        return bytes((0x80 | opcode, 0x80 | len(payload), 0, 0, 0, 0)) + payload
    size = len(payload).to_bytes(2, "big")
    return bytes((0x80 | opcode, 0x80 | _SMALL)) + size + bytes(4) + payload


def frames(data: bytes) -> Iterator[tuple[int, bytes, int]]:
    """Take whole frames apart: opcode, payload, and where the next one begins."""
    at, end = 0, len(data)
    while end - at >= 2:  # noqa: PLR2004 - the shortest head
        size, start = data[at + 1], at + 2
        more = _MORE.get(size, 0)
        if more:
            size = int.from_bytes(data[start : start + more], "big")
            start += more
        if start + size > end:
            return
        yield data[at] & 0xF, data[start : start + size], start + size
        at = start + size


class Peer:
    """One client."""

    __slots__ = ("closed", "data", "fd", "number", "opening", "port", "sock", "upgraded")

    def __init__(self, number: int, port: int, opening: Sequence[bytes]) -> None:
        self.number, self.port, self.opening = number, port, opening
        self.data = b""
        self.upgraded = self.closed = False
        self.sock = socket.socket()
        self.sock.setblocking(False)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.fd = self.sock.fileno()
        found = self.sock.connect_ex((HOST, port))
        if found not in (0, errno.EINPROGRESS):
            raise OSError(found, "cannot connect")

    def send(self, payload: bytes, opcode: int = TEXT) -> None:
        """Send one message; what we send is small, and the server reads it."""
        self.sock.send(masked(payload, opcode))


class Crowd:
    """All clients."""

    def __init__(self, heard: Callable[[Peer, bytes, float], None] | None = None) -> None:
        self._heard = heard or (lambda *_: None)
        self._epoll = select.epoll()
        self._peers: dict[int, Peer] = {}
        self._coming: deque[tuple[int, int, Sequence[bytes]]] = deque()
        self._in_flight = self._invited = 0
        self.upgraded = 0
        self.bytes = 0  # received after the handshake
        self.raw = False  # bytes are counted and thrown away, nothing is looked at

    def invite(self, port: int, openings: Sequence[Sequence[bytes]]) -> None:
        """Let clients connect, each saying what it says first; they are numbered as they come."""
        numbers = range(self._invited, self._invited + len(openings))
        self._coming.extend(
            (i, port, opening) for i, opening in zip(numbers, openings, strict=True)
        )
        self._invited += len(openings)

    def __len__(self) -> int:
        return len(self._peers)

    def peers(self) -> list[Peer]:
        """List who is connected."""
        return list(self._peers.values())

    def poll(self, timeout: float) -> None:
        """Read what has arrived."""
        while self._coming and self._in_flight < IN_FLIGHT:
            peer = Peer(*self._coming.popleft())
            self._peers[peer.fd] = peer
            self._epoll.register(peer.fd, select.EPOLLOUT)
            self._in_flight += 1
        for fd, events in self._epoll.poll(max(0.0, timeout), 4_096):
            peer = self._peers[fd]
            try:
                if events & select.EPOLLOUT:
                    upgrade = _UPGRADE.format(host=HOST, port=peer.port)
                    peer.sock.send(upgrade.encode())
                    self._epoll.modify(fd, select.EPOLLIN)
                else:
                    self._read(peer)
            except OSError:
                self._lost(peer)

    def until(self, done: Callable[[], bool], within: float) -> bool:
        """Read until something is so, and say whether it came to be."""
        end = perf_counter() + within
        while not done():
            if perf_counter() > end:
                return False
            self.poll(0.02)
        return True

    def rest(self, seconds: float) -> None:
        """Read for a while."""
        end = perf_counter() + seconds
        while (left := end - perf_counter()) > 0:
            self.poll(left)

    def _read(self, peer: Peer) -> None:
        data = peer.sock.recv(65_536)
        if not data:
            self._lost(peer)
            return
        if not peer.upgraded:
            data = self._upgraded(peer, data)
        self.bytes += len(data)
        if self.raw or not data:
            return
        now = perf_counter()
        data, at = peer.data + data, 0
        for opcode, payload, end in frames(data):
            at = end
            if opcode == PING:
                peer.send(payload, PONG)
            else:
                self._heard(peer, payload, now)
        peer.data = data[at:]

    def _upgraded(self, peer: Peer, data: bytes) -> bytes:
        head, found, rest = (peer.data + data).partition(b"\r\n\r\n")
        if not found:
            peer.data = head
            return b""
        if not head.startswith(b"HTTP/1.1 101"):
            raise OSError(errno.EPROTO, head[:60])
        peer.data, peer.upgraded = b"", True
        self.upgraded += 1
        self._in_flight -= 1
        if peer.opening:
            peer.sock.send(b"".join(map(masked, peer.opening)))
        return rest

    def _lost(self, peer: Peer) -> None:
        self._in_flight -= not peer.upgraded
        self.upgraded -= peer.upgraded
        del self._peers[peer.fd]
        peer.closed = True
        peer.sock.close()

    def close(self) -> None:
        """Let everybody go."""
        for peer in self.peers():
            self._lost(peer)
        self._coming.clear()
        self._epoll.close()
