"""Seating: which table breaks, who moves where. Pure, and decided anew after every move."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from server.robots.pace import Doc


@dataclass(frozen=True, slots=True)
class Roster:
    """Who sits at a table."""

    size: int
    seats: Mapping[int, str]
    busy: bool  # a hand is in progress

    @classmethod
    def of(cls, table: Doc) -> "Roster":
        """Read a table's document."""
        seats = {int(seat): taken["player"] for seat, taken in table["seats"].items()}
        return cls(table["size"], seats, table["hand"]["in_progress"])

    @property
    def free(self) -> list[int]:
        """The seats that nobody sits in."""
        return [seat for seat in range(1, self.size + 1) if seat not in self.seats]


def breaking(rosters: Mapping[int, Roster]) -> int | None:
    """Say which table breaks: the smallest, as soon as everybody fits at the others."""
    if len(rosters) < 2:  # noqa: PLR2004 - the last table stays
        return None
    smallest = min(rosters, key=lambda number: (len(rosters[number].seats), -number))
    others = sum(len(r.free) for number, r in rosters.items() if number != smallest)
    return smallest if len(rosters[smallest].seats) <= others else None


def lopsided(rosters: Mapping[int, Roster]) -> int | None:
    """Say from which table somebody must move, because another has two players fewer."""
    counts = {number: len(roster.seats) for number, roster in rosters.items()}
    if not counts or max(counts.values()) - min(counts.values()) < 2:  # noqa: PLR2004
        return None
    return max(counts, key=lambda number: (counts[number], number))


def move(rosters: Mapping[int, Roster], source: int, rng: Random) -> dict[str, object] | None:
    """Choose who leaves a table, and draw their new seat at the smallest other one."""
    others = {n: r for n, r in rosters.items() if n != source and r.free}
    if not others or not rosters[source].seats:
        return None
    target = min(others, key=lambda number: (len(others[number].seats), number))
    seat = rng.choice(sorted(rosters[source].seats))
    player = rosters[source].seats[seat]
    return {"player": player, "table": target, "seat": rng.choice(others[target].free)}
