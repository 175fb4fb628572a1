"""Proof: that a journal is what was written, before and while a hub goes on with it.

A hub that begins an empty journal beside backups of a full one would make a room's night vanish,
and in an hour its backups would push the good ones out. One that goes on with changed lines would
make the whole journal worthless as evidence. So neither starts without being told to.

To prove a whole night takes seconds, and a room waits: a start proves the newest lines, which are
the ones that it plays again. The rest is proved while the hub runs, and damage is told to the
director all evening: nobody is sent home for a line of six hours ago.
"""

import asyncio
import shlex
from contextlib import suppress
from itertools import islice
from pathlib import Path

from server import backups
from server.config import Places
from server.head_file import Head, head_path, read_head
from server.hub import Hub
from server.journal import Journal, StorageError, verify
from server.sqlite_journal import SqliteJournal, read_end

TAIL = 20_000
"""Lines that are proved before a start."""

PAGE, PAUSE = 250, 0.02
"""So many lines are proved at once while the hub runs, with seconds between: no tap notices."""


def refuse_lost(places: Places) -> None:
    """Refuse to begin an empty journal where one has been backed up."""
    lost = not places.journal.exists() or not places.journal.stat().st_size
    if lost and any(places.backups.rglob(backups.FILES)):
        raise StorageError(
            f"There is no journal in {places.folder}, but there are backups of one: to begin anew "
            f"all the same, move {places.backups} and {head_path(places.journal)} away"
        )


def refuse_short(places: Places, *, despite_damage: bool) -> str | None:
    """Refuse a journal that lacks the line that was acknowledged last; or only say so.

    Asked before the journal is opened, which would change what lies beside it.
    """
    head = read_head(head_path(places.journal))
    lacking = None if head is None else lacks(places.journal, head)
    if lacking is not None and not despite_damage:
        folder = shlex.quote(str(places.folder))
        raise StorageError(
            f"Something is missing: {lacking}. If files of {places.folder} were moved or deleted, "
            f"put them back. What the backups have: railbird restore --data {folder}. To go on "
            f"without what is missing: railbird serve --data {folder} --despite-damage"
        )
    return None if lacking is None else f"Something is missing: {lacking}"


def lacks(path: Path, head: Head, journal: Path | None = None) -> str | None:
    """Say what a journal, or a copy of it, lacks of what was acknowledged; nothing if it is all."""
    (line, digest), journal = head, journal or path
    acknowledged = f"line {line} was acknowledged, and"
    if line == 0:
        return None
    if not path.exists():
        return f"{acknowledged} the journal {journal} is not there"
    with suppress(StorageError):  # whoever opens it says what is wrong with it
        last, found = read_end(path, line)
        if found is None:
            return (
                f"{acknowledged} the journal {journal} ends at line {last}: the file "
                f"{journal.name}-wal beside it was lost or cut, or an older journal lies in its "
                f"place"
            )
        if found != digest:
            return f"{acknowledged} line {line} of {journal} is another: it is another journal"
    return None


def compare(journal: SqliteJournal, places: Places, *, despite_damage: bool) -> str | None:
    """Refuse a journal that lacks lines of a good backup, or tells them differently.

    The last line of each backup must be in the journal: by the chain, so are those before it. Who
    goes on all the same goes on without the backups, which are set aside: the next start is not
    about them any more.
    """
    head, begin = journal.head()[0], journal.begin()[0]
    found = backups.good(backups.contradicting(places.backups, journal.hash_at, begin))
    if not found:
        return None
    words = f"The journal is not what was backed up: {backups.difference(found[-1], head)}"
    if not despite_damage:
        raise StorageError(
            f"{words}. To go on with it as it is all the same, start with --despite-damage"
        )
    aside = backups.set_aside(places.backups, [last.path for last in found])
    return f"{words}. The hub goes on without it: it was moved to {aside}"


def insist(journal: Journal, *, despite_damage: bool) -> str | None:
    """Prove the newest lines, and refuse to go on if they are damaged; or only say so."""
    damage = _damage(journal, max(0, journal.head()[0] - TAIL))
    if damage is not None and not despite_damage:
        raise StorageError(damage)
    return damage


def _damage(journal: Journal, after: int, lines: int | None = None) -> str | None:
    begin = journal.begin()
    if after > begin[0]:
        before = next(journal.read(after=after - 1), None)
        if before is None or before.seq != after:
            return f"The journal is damaged: line {after} is missing"
        begin = (after, before.hash)
    found = verify(islice(journal.read(after=after), lines), begin=begin)
    return None if found is None else f"The journal is damaged: {found.reason}"


async def tell(hub: Hub, damage: str | None) -> None:
    """Tell the director of damage that is known; or prove the older lines, a few at a time."""
    end = max(0, hub.journal.head()[0] - TAIL)
    for after in range(hub.journal.begin()[0], end, PAGE):
        if damage is not None:
            break
        damage = await asyncio.to_thread(_damage, hub.journal, after, PAGE)
        await asyncio.sleep(PAUSE)
    if damage is not None:
        hub.damaged(damage)
