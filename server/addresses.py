"""The machine's own names and addresses, found without asking anybody on the network."""

import ipaddress
import re
import socket
from contextlib import suppress
from pathlib import Path

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_LABEL = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)")
_LONGEST_NAME = 253
_LOCAL4 = re.compile(r"\|-- (\S+)\n\s+/32 host LOCAL")
_PROBES = ("192.0.2.1", "10.255.255.254", "172.31.255.254", "192.168.255.254", "2001:db8::1")
"""Somewhere else: on the internet, and in each of the ranges that a venue may use."""


def dns_name(text: str) -> str | None:
    """Give a name as certificates write it; None if it cannot be one."""
    try:
        name = text.strip().rstrip(".").encode("idna").decode("ascii").lower()
    except UnicodeError:
        return None
    good = 0 < len(name) <= _LONGEST_NAME and all(map(_LABEL.fullmatch, name.split(".")))
    return name if good else None


def own_names() -> list[str]:
    """List the names that this machine goes by."""
    own = dns_name(socket.gethostname())
    if own is None or own == "localhost":
        return ["localhost"]
    short = own.partition(".")[0]
    return list(dict.fromkeys(["localhost", own, f"{short}.local"]))


def own_addresses() -> list[Address]:
    """List the addresses that this machine has; nothing is sent to find out."""
    found: set[Address] = {ipaddress.ip_address("127.0.0.1"), ipaddress.ip_address("::1")}
    with suppress(OSError):
        table = Path("/proc/net/fib_trie").read_text(encoding="ascii")
        found.update(map(ipaddress.IPv4Address, _LOCAL4.findall(table)))
    with suppress(OSError):
        rows = Path("/proc/net/if_inet6").read_text(encoding="ascii").splitlines()
        found.update(ipaddress.IPv6Address(int(row[:32], 16)) for row in rows)
    found.update(address for probe in _PROBES if (address := _from_here(probe)) is not None)
    return sorted(found, key=lambda address: (address.version, int(address)))


def _from_here(there: str) -> Address | None:
    """Say which own address would be used to talk to another; a datagram socket sends nothing."""
    family = socket.AF_INET6 if ":" in there else socket.AF_INET
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect((there, 9))
        return ipaddress.ip_address(probe.getsockname()[0].partition("%")[0])
    return None
