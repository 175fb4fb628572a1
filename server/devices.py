"""Devices: tablets, screens and consoles that were let in, each with a badge and a token.

A token is shown to its device once; only its fingerprint is kept. Devices are kept beside the
journal, not in it, so that no export carries a fingerprint; who let which device in is in the
journal.
"""

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from server.access import Badge, fingerprint, new_token
from server.journal import Journal

_PREFIX = "device/"
CONSOLE = "console"
"""The device that whoever sits at the hub's own machine uses."""

Keep = Callable[[str, Any, Callable[[int], None]], None]


@dataclass(frozen=True, slots=True)
class Device:
    """Something that was let in."""

    id: str
    badge: Badge
    print: str  # of its token
    kind: str = ""
    paired_by: str = ""
    paired_at: int = 0


class Devices:
    """All devices that are let in."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._devices: dict[str, Device] = {}
        self._count = int(journal.get("devices") or 0)
        for key in journal.keys(_PREFIX):
            raw = journal.get(key)
            device = Device(**{**raw, "badge": Badge(**raw["badge"])})
            self._devices[device.print] = device

    def __iter__(self) -> Any:
        return iter(self._devices.values())

    def by_token(self, token: str) -> Device | None:
        """Find whose token it is."""
        return self._devices.get(fingerprint(token))

    def by_id(self, device: str) -> Device | None:
        """Find a device by its id."""
        return next((found for found in self if found.id == device), None)

    # ── changing; the caller keeps what is to be durable ─────────────────────────────────────────

    def new(self, badge: Badge, token: str, **about: Any) -> Device:
        """Make a device for a token."""
        self._count += 1
        return Device(f"d{self._count}", badge, fingerprint(token), **about)

    def kept(self, device: Device) -> list[tuple[str, Any]]:
        """Give what must be kept of a device before it is let in, or changed."""
        return [(_PREFIX + device.print, asdict(device)), ("devices", self._count)]

    def put(self, device: Device) -> None:
        """Let a device in, or change it."""
        self._devices[device.print] = device

    def forgotten(self, device: Device) -> list[tuple[str, Any]]:
        """Give what must be kept before a device is let in no more."""
        return [(_PREFIX + device.print, None)]

    def drop(self, device: Device) -> None:
        """Let a device in no more."""
        self._devices.pop(device.print, None)

    # ── at start ─────────────────────────────────────────────────────────────────────────────────

    def issue(self, badge: Badge) -> str:
        """Make a token for a badge and wait until it is kept: for the start, and for tools."""
        token = new_token()
        self._keep_now(self.new(badge, token))
        return token

    def withdraw(self, token: str) -> None:
        """Make a token good for nothing, for tools that made it."""
        found = self.by_token(token)
        if found is not None:
            self.drop(found)
            for key, value in self.forgotten(found):
                self._journal.put(key, value)

    def console(self, path: Path) -> str:
        """Give the token of whoever sits at this machine, made where there is none."""
        if path.exists():
            token = path.read_text(encoding="ascii", errors="replace").strip()
            known = self.by_token(token)
            if known is not None and known.badge.role == "director":
                return token
        token = new_token()
        device = replace(self.new(Badge("director", CONSOLE), token), id=CONSOLE)
        for old in [found for found in self if found.id == CONSOLE]:
            self.drop(old)
            self._journal.put(_PREFIX + old.print, None).result()
        self._keep_now(device)
        part = path.with_suffix(".part")
        part.unlink(missing_ok=True)
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(token + "\n")
        part.replace(path)  # so that nobody ever sees half of it, or all of it in an open file
        return token

    def _keep_now(self, device: Device) -> None:
        self.put(device)
        for key, value in self.kept(device):
            self._journal.put(key, value).result()
