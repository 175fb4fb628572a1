"""The watchdog: tells systemd that the hub is ready, alive, and about to stop.

A hub whose loop hangs says nothing any more, and systemd starts it again: nothing is lost by that,
because everything that anybody saw is stored. Without systemd all of it does nothing.
"""

import os
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress

_MICRO = 1_000_000


class Watchdog:
    """Speaks to the service manager that started this process, if there is one."""

    def __init__(
        self,
        address: str = "",
        every: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._every, self._clock = every, clock
        self._said_at = float("-inf")
        self._socket: socket.socket | None = None
        # "@" stands for a name in Linux's abstract namespace.
        self._address = f"\0{address[1:]}" if address.startswith("@") else address
        if address.startswith(("/", "@")):
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            self._socket.setblocking(False)  # a service manager that does not listen stops no clock

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Watchdog":
        """Find out who started this process, and how often it wants to hear from us."""
        every = None
        with suppress(ValueError):
            for_us = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
            micros = int(environment.get("WATCHDOG_USEC", "0"))
            if for_us and micros > 0:
                every = micros / _MICRO / 3  # one beat may be late and one may get lost
        return cls(environment.get("NOTIFY_SOCKET", ""), every)

    def ready(self, status: str = "") -> None:
        """Say that the hub can be used."""
        self._say("READY=1", *([f"STATUS={status}"] if status else []))
        self.beat()

    def beat(self) -> None:
        """Say that the hub is alive; called as often as one likes, it says so when it is time."""
        if self._every is None:
            return
        now = self._clock()
        if now - self._said_at >= self._every:
            self._said_at = now
            self._say("WATCHDOG=1")

    def stopping(self) -> None:
        """Say that the hub stops, and let go."""
        self._say("STOPPING=1")
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _say(self, *words: str) -> None:
        if self._socket is not None:
            with suppress(OSError):
                self._socket.sendto("\n".join(words).encode(), self._address)
