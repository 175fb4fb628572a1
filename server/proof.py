"""Proof: that a journal is what was written, before and while a hub goes on with it.

A hub that begins an empty journal beside backups of a full one would make a room's night vanish,
and in an hour its backups would push the good ones out. One that goes on with changed lines would
make the whole journal worthless as evidence. So neither starts without being told to.

To prove a whole night takes seconds, and a room waits: a start proves the newest lines, which are
the ones that it plays again. The rest is proved while the hub runs, and damage is told to the
director all evening: nobody is sent home for a line of six hours ago.
"""

import asyncio
from itertools import islice

from server.config import Places
from server.hub import Hub
from server.journal import GENESIS, Journal, StorageError, verify

TAIL = 20_000
"""Lines that are proved before a start."""

PAGE, PAUSE = 250, 0.02
"""So many lines are proved at once while the hub runs, with seconds between: no tap notices."""


def refuse_lost(places: Places) -> None:
    """Refuse to begin an empty journal where one has been backed up."""
    lost = not places.journal.exists() or not places.journal.stat().st_size
    if lost and any(places.backups.glob("railbird-*.db")):
        raise StorageError(
            f"There is no journal in {places.folder}, but there are backups of one: to begin anew "
            f"all the same, move {places.backups} away"
        )


def insist(journal: Journal, *, despite_damage: bool) -> str | None:
    """Prove the newest lines, and refuse to go on if they are damaged; or only say so."""
    damage = _damage(journal, max(0, journal.head()[0] - TAIL))
    if damage is not None and not despite_damage:
        raise StorageError(damage)
    return damage


def _damage(journal: Journal, after: int, lines: int | None = None) -> str | None:
    begin = (0, GENESIS)
    if after:
        before = next(journal.read(after=after - 1), None)
        if before is None or before.seq != after:
            return f"The journal is damaged: line {after} is missing"
        begin = (after, before.hash)
    found = verify(islice(journal.read(after=after), lines), begin=begin)
    return None if found is None else f"The journal is damaged: {found.reason}"


async def tell(hub: Hub, damage: str | None) -> None:
    """Tell the director of damage that is known; or prove the older lines, a few at a time."""
    end = max(0, hub.journal.head()[0] - TAIL)
    for after in range(0, end, PAGE):
        if damage is not None:
            break
        damage = await asyncio.to_thread(_damage, hub.journal, after, PAGE)
        await asyncio.sleep(PAUSE)
    if damage is not None:
        hub.damaged(damage)
