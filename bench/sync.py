"""How far apart two walls' digits change: many screens in virtual time, on bad networks.

    .venv/bin/python bench/sync.py [--quick]

Every screen has a clock of its own that is wrong by up to a day and runs up to 50 millionths too
fast or too slow. It asks the hub for the time as a wall does, over a network that holds each way up
by its own chance, and by a fifth of a second where a packet is lost. It paints when its idea of hub
time passes a whole second. The skew is how far two screens, taken at random, paint the same second
apart; the timer's and the panel's own lateness is not in it, since those are the screen's.

The reference is a screen that believes the hub's last word the moment it comes, as clocks do that
are told every second. Idle bytes of a wall are measured by `bench/idle.py`.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from report import Row, main, percentile

sys.path.insert(0, str(Path(__file__).parents[1]))

from server.protocol.session import PROBE_EVERY
from server.protocol.sync import HubClock

if TYPE_CHECKING:
    from collections.abc import Iterator

SECOND = 1_000
DAY = 86_400_000
PPM = 50
FRAME = 16.7
"""Milliseconds of a frame: what two screens may be apart, 95 times of 100."""

SETTLING = 10
"""Seconds that are not measured: a screen that has just been switched on."""

RESENT = 200
"""Milliseconds that TCP takes to send again what was lost."""


@dataclass(frozen=True)
class Network:
    """What a way through the air is like: always so long, then by chance, and now and then lost."""

    name: str
    least: float
    jitter: float  # on average, exponentially
    loss: float = 0.0

    def way(self, dice: random.Random) -> float:
        """Say how long a message takes one way."""
        late = self.least + dice.expovariate(1 / self.jitter)
        while dice.random() < self.loss:
            late += RESENT
        return late


NETWORKS = (
    Network("cable", 0.3, 0.3),
    Network("Wi-Fi", 1.5, 5),
    Network("Wi-Fi with 20 ms jitter", 2, 20),
    Network("Wi-Fi with 20 ms jitter, 5 % lost", 2, 20, 0.05),
    Network("a bad corner: 60 ms jitter, 10 % lost", 4, 60, 0.10),
)


class Screen:
    """A wall with a wrong clock."""

    def __init__(self, network: Network, dice: random.Random) -> None:
        self._network, self._dice = network, dice
        self._off = dice.uniform(-DAY, DAY)
        self._rate = 1 + dice.uniform(-PPM, PPM) / 1e6
        self._clock = HubClock()
        self._next = dice.uniform(0, PROBE_EVERY["wall"])
        self._answers: list[tuple[float, float, int, int]] = []  # back, received, sent, own back

    def own(self, true: float) -> float:
        """Read the screen's own clock."""
        return DAY + self._off + true * self._rate

    def live(self, until: float) -> None:
        """Ask the time as often as a wall does, and take in what has come back."""
        while self._next <= until:
            sent = self._next
            received = sent + self._network.way(self._dice)
            back = received + self._network.way(self._dice)
            self._answers.append((back, received, int(self.own(sent)), int(self.own(back))))
            self._next += PROBE_EVERY["wall"]
        for answer in sorted(each for each in self._answers if each[0] <= until):
            _, received, sent, own = answer
            self._clock.answered(sent, int(received), int(received), own)
            self._answers.remove(answer)

    def error(self, second: int) -> float:
        """Say by how many ms too late the screen paints a second; early is negative."""
        self.live(second - 1)
        # Where its idea of hub time passes the second; the idea moves by a twentieth at most.
        at = float(second)
        for _ in range(4):
            own = self.own(at)
            at -= own + self._clock.offset(int(own)) - second
        return at - second


def skew(network: Network, screens: int, seconds: int, seed: int = 1) -> list[float]:
    """Give how far random pairs of screens are apart at every second."""
    dice = random.Random(seed)  # noqa: S311 - a simulation that can be run again
    room = [Screen(network, dice) for _ in range(screens)]
    found = []
    for second in range(SETTLING, SETTLING + seconds):
        errors = [screen.error(second * SECOND) for screen in room]
        dice.shuffle(errors)
        found += [abs(a - b) for a, b in zip(errors[::2], errors[1::2], strict=True)]
    return found


def believing(network: Network, pairs: int, seed: int = 1) -> list[float]:
    """Give the same of screens that paint what they are told when they are told it."""
    dice = random.Random(seed)  # noqa: S311 - a simulation that can be run again
    return [abs(network.way(dice) - network.way(dice)) for _ in range(pairs)]


def rows(quick: bool) -> Iterator[Row]:
    """Measure the skew on every network."""
    screens, seconds = (40, 30) if quick else (200, 120)
    for network in NETWORKS:
        ours = skew(network, screens, seconds)
        theirs = believing(network, len(ours))
        p50, p95, p99 = (percentile(ours, share) for share in (0.5, 0.95, 0.99))
        reference = percentile(theirs, 0.95)
        yield Row(
            f"skew of two walls, p95, {network.name}",
            f"{p95:.1f} ms",
            f"{reference:.1f} ms",
            p95 / reference,
            met=p95 <= FRAME,
            target=f"<= {FRAME} ms",
            note=f"p50 {p50:.1f}, p99 {p99:.1f} ms; reference: told every second",
        )


if __name__ == "__main__":
    main(__doc__, rows)
