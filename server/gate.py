"""The gate: which requests are even looked at.

A page of another site may make a browser on the floor talk to the hub. It can do so only by a name
that leads to the hub's address (DNS rebinding), or from its own origin: so names are compared with
a list, and an origin must be the hub's own. Programs that are no browsers send no origin.
"""

import ipaddress
import re
import socket
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import urlsplit

_HOST = re.compile(
    r"(?:\[(?P<six>[0-9a-fA-F:.]+)\]|(?P<name>[A-Za-z0-9_.-]+))(?::(?P<port>[0-9]{1,5}))?"
)
"""A name or an address, and a port: nothing else can be in a Host header that is meant well."""

LOOPBACK_NAMES = {"localhost"}
LAST_PORT = 65_535


def host_of(header: str) -> str:
    """Take the name out of a Host header or an origin's network location; nothing if it is odd."""
    found = _HOST.fullmatch(header)
    if found is None or int(found["port"] or 0) > LAST_PORT:
        return ""
    return (found["six"] or found["name"]).rstrip(".").lower()


def is_address(name: str) -> bool:
    """Say whether a name is a numeric address: no other site can be behind it."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


@lru_cache(1_024)
def is_loopback(address: str) -> bool:
    """Say whether somebody is on this machine."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(found, "ipv4_mapped", None)
    return (mapped or found).is_loopback


class Gate:
    """Knows the hub's names."""

    def __init__(self, names: Iterable[str] = (), url: str | None = None) -> None:
        own = socket.gethostname().lower()
        self._names = {*LOOPBACK_NAMES, own, f"{own}.local", *(name.lower() for name in names)}
        self._url = urlsplit(url or "")
        if host_of(self._url.netloc):
            self._names.add(host_of(self._url.netloc))

        self.knows = lru_cache(256)(self._knows)  # a whole room comes by the same few names

    def _knows(self, host: str) -> bool:
        """Say whether a Host header names this hub."""
        name = host_of(host)
        return name in self._names or is_address(name)

    def is_own(self, origin: str | None, host: str, scheme: str = "") -> bool:
        """Say whether a request comes from one of the hub's own pages, or from no page at all.

        Behind a proxy that speaks https for the hub, its pages are where the config's `url` says.
        """
        schemes = [scheme or self._url.scheme] if scheme or self._url.scheme else ["http", "https"]
        own = {f"{found}://{host}".lower() for found in schemes}
        own.add(f"{self._url.scheme}://{self._url.netloc}".lower())
        return origin is None or origin.lower() in own - {"://"}
