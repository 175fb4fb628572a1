"""Leases: one live dealer console a table.

The first device at a table works it. Another one that is bound to the same table waits, and may
ask for it; the floor decides, and both devices see it. A device that lost its link keeps the table
for a while: a tablet that reconnects must not find its own place taken.
"""

from dataclasses import dataclass, field

KEPT_FOR = 10_000
"""A table is kept for a device that is away for no longer than this."""

Place = tuple[str, int]


@dataclass(slots=True)
class Lease:
    """Who works a table, and who would like to."""

    holder: str
    gone_at: int | None = None  # since when the holder has been away
    waiting: dict[str, None] = field(default_factory=dict)  # connected, in the order they came
    asking: dict[str, None] = field(default_factory=dict)  # of those, who asked for the table


class Leases:
    """All tables that are worked."""

    def __init__(self) -> None:
        self._leases: dict[Place, Lease] = {}

    def at(self, place: Place) -> Lease | None:
        """Find who works a table."""
        return self._leases.get(place)

    def holds(self, device: str, place: Place) -> bool:
        """Say whether a device works a table."""
        lease = self._leases.get(place)
        return lease is not None and lease.holder == device

    def arrive(self, device: str, place: Place, now: int) -> bool:
        """Come to a table, and say whether it is this device's now."""
        lease = self._leases.get(place)
        if lease is None or self._free(lease, now):
            rest = {} if lease is None else lease.waiting
            rest.pop(device, None)
            self._leases[place] = Lease(device, waiting=rest)
            return True
        if lease.holder == device:
            lease.gone_at = None
            return True
        lease.waiting[device] = None
        return False

    @staticmethod
    def _free(lease: Lease, now: int) -> bool:
        return lease.gone_at is not None and now - lease.gone_at > KEPT_FOR

    def leave(self, device: str, place: Place, now: int) -> None:
        """Go, or lose the link."""
        lease = self._leases.get(place)
        if lease is None:
            return
        lease.waiting.pop(device, None)
        lease.asking.pop(device, None)
        if lease.holder == device and lease.gone_at is None:
            lease.gone_at = now

    def expired(self, now: int) -> list[Place]:
        """Pass on the tables whose device has been away for too long; list them."""
        found = []
        for place, lease in list(self._leases.items()):
            if not self._free(lease, now):
                continue
            found.append(place)
            if lease.waiting:
                self.give(next(iter(lease.waiting)), place)
            else:
                del self._leases[place]
        return found

    def ask(self, device: str, place: Place) -> bool:
        """Ask for a table that another device works."""
        lease = self._leases.get(place)
        if lease is None or device not in lease.waiting:
            return False
        lease.asking[device] = None
        return True

    def release(self, device: str, place: Place) -> None:
        """Be bound to a table no more: the next one in line has it."""
        lease = self._leases.get(place)
        if lease is None:
            return
        lease.waiting.pop(device, None)
        lease.asking.pop(device, None)
        if lease.holder == device:
            if lease.waiting:
                self.give(next(iter(lease.waiting)), place)
            else:
                del self._leases[place]

    def give(self, device: str, place: Place, gone_at: int | None = None) -> str | None:
        """Give a table to a device; the one that worked it waits now, and is named.

        A device that is away has it for as long as one that has just gone.
        """
        lease = self._leases.get(place)
        before = None if lease is None else lease.holder
        if before == device:
            return None
        waiting = {} if lease is None else lease.waiting
        waiting.pop(device, None)
        if lease is not None and lease.gone_at is None and before is not None:
            waiting[before] = None
        self._leases[place] = Lease(device, gone_at, waiting=waiting)
        return before
