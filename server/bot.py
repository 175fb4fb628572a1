"""The bot: a load driver. Robot dealers tap at a given rate, viewers watch, and both are timed.

Two times count. From a tap to its acknowledgement, when it is durable; and from a tap to the moment
a viewer of the table has the document that shows it. A dealer knows that document's revision when
the acknowledgement comes, because the hub publishes before it acknowledges.
"""

import asyncio
import secrets
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import ceil
from random import Random
from time import perf_counter

from server.protocol.session import Shown
from server.robots.dealer import Dealer
from server.robots.evening import create, demand, felt_of, seat
from server.robots.pace import STEADY
from server.robots.robot import Robot, together, websocket
from server.robots.talk import Talk

SEATS = 9
SETTLE = 1.0
"""Seconds after the last tap in which viewers may still see it."""


@dataclass(frozen=True, slots=True)
class Tapped:
    """A tap that was acknowledged, and the revision of the document that shows it."""

    topic: str
    at: float
    acknowledged: float
    rev: int


@dataclass(frozen=True, slots=True)
class Spread:
    """How long something took, in milliseconds."""

    count: int
    p50: float
    p95: float
    p99: float
    most: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> "Spread":
        """Sort times out."""
        found = sorted(1_000 * second for second in seconds) or [0.0]
        p50, p95, p99 = (found[ceil(part * len(found)) - 1] for part in (0.5, 0.95, 0.99))
        return cls(len(seconds), p50, p95, p99, found[-1])


@dataclass(frozen=True, slots=True)
class Report:
    """What a drive has measured."""

    acknowledged: Spread
    seen: Spread
    rate: float  # commands a second that were acknowledged
    unseen: int  # documents that no longer reached their viewer
    reconnects: int
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)

    def lines(self) -> list[str]:
        """Draw a small table."""
        lines = [f"{'ms':<22}{'count':>8}{'p50':>9}{'p95':>9}{'p99':>9}{'max':>9}"]
        for name, spread in (("acknowledged", self.acknowledged), ("seen", self.seen)):
            times = (spread.p50, spread.p95, spread.p99, spread.most)
            figures = "".join(f"{ms:>9.1f}" for ms in times)
            lines.append(f"{'tap → ' + name:<22}{spread.count:>8}{figures}")
        refused = sum(self.refused.values())
        counts = f"{refused} refused, {self.reconnects} reconnects, {self.unseen} unseen"
        lines.append(f"{self.rate:.1f} commands a second; {counts}")
        lines += [f"  {do}: {code} ×{n}" for (do, code), n in self.refused.most_common()]  # noqa: RUF001
        return lines


class Viewer:
    """Somebody who only watches a table, and notes when each document came."""

    def __init__(self, url: str, topic: str) -> None:
        self.topic = topic
        self.robot = Robot(url, None, "robot viewer", topic)
        self.robot.seen = self._seen
        self._revs: list[int] = []
        self._times: list[float] = []

    def _seen(self, shown: Shown) -> None:
        self._revs.append(shown.rev)
        self._times.append(perf_counter())

    def latency(self, tapped: Tapped) -> float | None:
        """Say how long after a tap it was seen here."""
        index = bisect_left(self._revs, tapped.rev)
        return None if index == len(self._revs) else self._times[index] - tapped.at


async def drive(  # noqa: PLR0913 - what the command line says
    url: str,
    token: str,
    *,
    tables: int = 20,
    viewers: int = 50,
    rate: float = 50.0,
    seconds: float = 30.0,
    seed: int = 1,
    preset: str = "star-brisbane-saturday",
    say: Callable[[str], None] = lambda _: None,
) -> Report:
    """Drive a running hub with an event of its own, and measure."""
    url = websocket(url)
    rng, talk = Random(seed), Talk()  # noqa: S311 - a game
    async with together() as start:
        director = Robot(url, token, "robot director")
        start(director.link.run())
        event = await create(director, preset, f"Load {secrets.token_hex(4)}")
        for table in range(1, tables + 1):
            await demand(director, event, "table.open", table=table, seats=SEATS)
        await seat(director, event, tables=tables, size=SEATS, rng=rng, full=True)
        felt = felt_of(director.doc(f"t/{event}") or {}, refill=True)
        topics = [f"t/{event}/table/{table}" for table in range(1, tables + 1)]
        watching = [Viewer(url, topics[number % tables]) for number in range(viewers)]
        dealers = [Robot(url, token, "robot dealer", f"t/{event}", topic) for topic in topics]
        robots = [*dealers, *(viewer.robot for viewer in watching)]
        for robot in robots:
            start(robot.link.run())
        for robot in robots:
            await robot.until(lambda robot=robot: _ready(robot))  # type: ignore[misc]
        say(f"Event {event}: {tables} dealers and {viewers} viewers are connected.")
        minds = [Dealer(n, Random(rng.random()), felt, talk, STEADY) for n in range(1, tables + 1)]  # noqa: S311
        begun = perf_counter()
        beat = _Beat(event, begun, begun + seconds, tables / rate)
        made = await asyncio.gather(
            *(
                _tap_along(robot, mind, beat, talk)
                for robot, mind in zip(dealers, minds, strict=True)
            )
        )
        taps = [tapped for each in made for tapped in each]
        took = perf_counter() - begun
        await _settled(watching, taps)
        await demand(director, event, "event.finish")
        await demand(director, "", "event.archive", event=event)
    return _report(taps, watching, talk, took, sum(robot.welcomes - 1 for robot in robots))


def _ready(robot: Robot) -> bool:
    return all(topic in robot.session.documents for topic in robot.session.topics)


@dataclass(frozen=True, slots=True)
class _Beat:
    """When each table's dealer taps."""

    event: str
    begin: float
    end: float
    every: float  # seconds between two taps of one dealer


async def _tap_along(robot: Robot, dealer: Dealer, beat: _Beat, talk: Talk) -> list[Tapped]:
    """Deal hands to the beat; who falls behind catches up, so that the rate is kept."""
    made: list[Tapped] = []
    whole, topic = f"t/{beat.event}", f"t/{beat.event}/table/{dealer.table}"
    # Tables do not tap in step: each has its own place in the first interval.
    due = beat.begin + beat.every * (dealer.table * 0.618 % 1)
    while due < beat.end:
        await asyncio.sleep(max(0.0, due - perf_counter()))
        due += beat.every
        tap = dealer.look(robot.doc(topic), robot.doc(whole))
        if tap is None:
            continue
        at = perf_counter()
        code = await robot.tap(beat.event, tap, talk)
        if code is None:
            rev = robot.session.documents[topic].rev
            made.append(Tapped(topic, at, perf_counter(), rev))
        dealer.answered(done=code is None)
    return made


async def _settled(watching: Sequence[Viewer], taps: Sequence[Tapped]) -> None:
    """Let the last documents arrive."""
    last = {tapped.topic: tapped for tapped in taps}
    behind = [viewer for viewer in watching if viewer.topic in last]
    deadline = perf_counter() + SETTLE
    for viewer in behind:
        while viewer.latency(last[viewer.topic]) is None and perf_counter() < deadline:
            await viewer.robot.changed(deadline - perf_counter())


def _report(
    taps: list[Tapped], watching: list[Viewer], talk: Talk, took: float, reconnects: int
) -> Report:
    by_topic: dict[str, list[Viewer]] = {}
    for viewer in watching:
        by_topic.setdefault(viewer.topic, []).append(viewer)
    seen = [viewer.latency(tapped) for tapped in taps for viewer in by_topic.get(tapped.topic, ())]
    return Report(
        acknowledged=Spread.of([tapped.acknowledged - tapped.at for tapped in taps]),
        seen=Spread.of([ms for ms in seen if ms is not None]),
        rate=len(taps) / max(took, 0.001),
        unseen=seen.count(None),
        reconnects=reconnects,
        refused=talk.refused,
    )
