"""The killer: a scripted night whose hub is killed again and again, with a ledger that compares.

    python -m tests.faults.killer --seed 7 --kills 50 --folder /tmp/night

Prints its figures as one line of JSON, and what is wrong on standard error.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from server.engine import event_document
from server.engine.documents import action_document
from server.engine.table import Held
from server.remote import NotDone, Remote, Unreachable
from tests.faults.client import own_ms
from tests.faults.launcher import ALL, AT_START
from tests.faults.ledger import Ledger
from tests.faults.night import EVENT, Night
from tests.faults.process import HubProcess, Nest, denied, until

if TYPE_CHECKING:
    from server.protocol.sync import Sample

LEVEL_WITHIN = 50
"""Milliseconds by which the level clock may be off after a restart."""

GIVEN_BACK = 3_000
"""Milliseconds that an action clock may win by a death: the hub notes every second that it is."""

READY_WITHIN = 3.0
"""Seconds after which the hub must be ready again, without those that others had the processors."""

WHOLE_START = 4
"""Every so many starts are of a whole process; the others have read the program already, which
takes most of a start and is the same every time."""

PLAYS_FOR = (0.03, 0.45)
POINT_WITHIN = 4.0
COMMON = ("before-commit", "after-commit", "before-show", "amid-broadcast", "in-commit")
SNAPSHOTS = 400
"""Lines between two snapshots, so that some are in a short night."""


@dataclass(frozen=True)
class Kill:
    """How the hub will die."""

    place: str = "random"
    number: int = 1
    after: float = 0.0

    @property
    def environment(self) -> dict[str, str]:
        """What the launcher is told."""
        named = self.place in (*ALL, AT_START)
        return {"RAILBIRD_DIE": f"{self.place}:{self.number}"} if named else {}


def plan(seed: int, kills: int) -> list[Kill]:
    """Plan deaths: at random moments, while starting, and at every named point in turn."""
    rng, made = Random(seed), []  # noqa: S311 - a game
    points = list(ALL)
    rng.shuffle(points)
    for number in range(kills):
        match number % 5:
            case 0 | 2:
                made.append(Kill("random", after=rng.uniform(*PLAYS_FOR)))
            case 4 if number % 10 == 4:
                made.append(Kill(AT_START, rng.randint(1, 12)))
            case 4:
                made.append(Kill("starting", after=rng.uniform(0.0, 0.12)))
            case _:
                place = points[(number // 5 * 2 + number % 5 // 3) % len(points)]
                most = 40 if place in COMMON else 8
                made.append(Kill(place, 1 if "backup" in place else rng.randint(1, most)))
    return made


@dataclass
class Figures:
    """What a night has measured."""

    ready: list[float] = field(default_factory=list)  # seconds until somebody was welcome
    loaded: list[float] = field(default_factory=list)  # the same, without reading the program
    level: list[float] = field(default_factory=list)  # milliseconds that a level clock was off
    unsure: list[float] = field(default_factory=list)  # and how well that could be measured
    won: list[float] = field(default_factory=list)  # milliseconds that action clocks won
    deaths: dict[str, int] = field(default_factory=dict)


@dataclass
class Death:
    """What stood when the hub died, as far as a client could know it."""

    seq: int
    at: float  # in the hub's time
    slack: float  # how unsure that is
    offset: float
    ends_at: int | None  # of the level
    actions: dict[int, tuple[Any, float]]  # the running ones, and what each had left


class Killer:
    """Kills a hub as planned, and compares after each death."""

    def __init__(self, folder: Path, seed: int, kills: int) -> None:
        self.hub = HubProcess(folder)
        self.ledger = Ledger()
        self.night = Night(self.hub, self.ledger, seed)
        self.figures = Figures()
        self._scratch = folder / "scratch"
        self._plan = plan(seed, kills)
        self._last: Death | None = None
        self._lives, self._whole = 0, True
        self._nest = Nest()
        self._backups: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Play the whole night."""
        first, *others = self._plan
        self._start(Kill())
        try:
            await self.hub.ready()
            async with self.night.room(), self.night.playing():
                await asyncio.sleep(first.after)
                await self._bury("random")
                for kill in others:
                    if self.ledger.wrong:
                        return
                    self._start(kill)
                    await self._live(kill)
                self._start(Kill())
                await self._everybody_is_back()
            self.hub.stop()
            self.ledger.compare(self.hub.data, self._scratch)
        finally:
            self.hub.kill()
            await asyncio.gather(*self._backups)
            self._nest.close()

    def _start(self, kill: Kill) -> None:
        for client in self.night.everybody:
            client.session.best = None
            client.welcomed_at = None
        environment = {"RAILBIRD_SNAPSHOTS": str(SNAPSHOTS), **kill.environment}
        self._lives += 1
        self._whole = kill.place != "starting" and self._lives % WHOLE_START == 0
        if self._whole:
            self.hub.start(**environment)
        else:
            self.hub.start_from(self._nest, **environment)

    async def _live(self, kill: Kill) -> None:
        """Let the hub live until it is to die, and compare."""
        place = kill.place
        if place == "starting":
            await asyncio.sleep(kill.after)
        elif place == "random":
            await self._everybody_is_back()
            await asyncio.sleep(kill.after)
        else:
            await self._everybody_is_back()
            if "backup" in place:
                self._ask_for_backup()
            if not await self.hub.died(POINT_WITHIN):
                place = f"{place}, not reached"
        await self._bury(place)

    async def _everybody_is_back(self) -> None:
        await until(
            lambda: self.hub.dead or all(c.welcomed for c in self.night.everybody),
            "the hub did not come back",
        )
        here = [c.welcomed_at for c in self.night.everybody if c.welcomed_at is not None]
        if not self.hub.dead and here:
            figures = self.figures.ready if self._whole else self.figures.loaded
            figures.append(min(here) - self.hub.started_at - denied(self.hub.pid))

    def _ask_for_backup(self) -> None:
        async def ask() -> None:
            with suppress(NotDone, Unreachable, OSError):
                await asyncio.to_thread(Remote(self.hub.data).backup)

        task = asyncio.create_task(ask())
        self._backups.add(task)
        task.add_done_callback(self._backups.discard)

    async def _bury(self, place: str) -> None:
        """Kill the hub if it lives, and compare what it told with what it left."""
        at = own_ms()
        self.hub.kill()
        self.figures.deaths[place] = self.figures.deaths.get(place, 0) + 1
        await self.night.all_gone()
        self.ledger.compare(self.hub.data, self._scratch)
        here = any(c.welcomed_at is not None for c in self.night.everybody)
        best = min(
            (c.session.best for c in self.night.everybody if c.session.best is not None),
            key=lambda sample: sample.round_trip,
            default=None,
        )
        if self._last is not None:
            self._compare_actions(self._last)
            if best is not None:
                self._compare_level(self._last, best)
        if best is not None:
            self._last = self._death(at, best)
        elif here:
            self._last = None  # somebody may have done something, but nobody knows the time

    def _death(self, at: int, best: Sample) -> Death:
        """Work out what stood at the instant of death, from the journal and the clients' clocks."""
        books, now = self.ledger.books, at + best.offset
        state = books.state(EVENT)
        assert state is not None
        ends_at = event_document(state, round(now))["clock"]["ends_at"]
        actions = {}
        for number, table in state.tables.items():
            action = action_document(state, table, round(now))
            if action["status"] == "running":
                actions[number] = table.action, action["ends_at"] - now
        return Death(books.seq, now, best.round_trip / 2 + 2, best.offset, ends_at, actions)

    def _compare_level(self, last: Death, best: Sample) -> None:
        """See that the level clock is where it would be had nobody died.

        What the documents say of it is compared with the journal anyway; here it is told whether
        the journal's milliseconds are those of the room's.
        """
        state = self.ledger.books.state(EVENT, last.seq)
        if last.ends_at is None or state is None:
            return
        moved = abs(best.offset - last.offset)
        unsure = last.slack + best.round_trip / 2
        self.figures.level.append(moved)
        self.figures.unsure.append(unsure)
        if moved - unsure > LEVEL_WITHIN:
            self.ledger.wrong.append(f"the level clock was moved by {moved} ± {unsure} ms")
        for seq, line in self.ledger.books.lines(EVENT, last.seq):
            if line.command or line.at >= last.ends_at:
                return  # somebody did something, or the level is over
            found = self.ledger.books.state(EVENT, seq)
            assert found is not None
            ends_at = event_document(found, round(last.at))["clock"]["ends_at"]
            if ends_at != last.ends_at:
                self.ledger.wrong.append(f"the level was to end at {last.ends_at}, not {ends_at}")
                return

    def _compare_actions(self, last: Death) -> None:
        """See that each action clock that ran is held, with no less than it had."""
        for number, (action, left) in list(last.actions.items()):
            for seq, _ in self.ledger.books.lines(EVENT, last.seq):
                state = self.ledger.books.state(EVENT, seq)
                table = None if state is None else state.tables.get(number)
                if table is None or table.action == action:
                    continue
                del last.actions[number]
                now = table.action
                if not isinstance(now, Held) or not now.interrupted:
                    self.ledger.wrong.append(f"table {number} had {left} ms and went on as {now}")
                    break
                won = now.remaining - left
                self.figures.won.append(won)
                if won < -last.slack or won > GIVEN_BACK:
                    self.ledger.wrong.append(
                        f"table {number} had {left} ± {last.slack} ms, and {now.remaining} ms then"
                    )
                break


async def play(folder: Path, seed: int, kills: int) -> tuple[dict[str, Any], list[str]]:
    """Play a night, and give its figures and what is wrong."""
    killer = Killer(folder, seed, kills)
    try:
        await killer.run()
    except AssertionError as error:
        killer.ledger.wrong.append(f"{error}")
    figures, wrong = killer.figures, killer.ledger.wrong
    slow = [s for s in figures.ready + figures.loaded if s > READY_WITHIN]
    wrong += [f"ready again only after {seconds:.1f} s" for seconds in slow]
    return {"seed": seed, **asdict(figures), **killer.ledger.figures}, wrong


def main() -> int:
    """Play a night from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--folder", type=Path, required=True)
    args = parser.parse_args()
    figures, wrong = asyncio.run(play(args.folder, args.seed, args.kills))
    sys.stdout.write(json.dumps(figures) + "\n")
    sys.stderr.writelines(f"{line[:2000]}\n" for line in wrong)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
