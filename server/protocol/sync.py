"""Agreeing on the time: four timestamps, the quickest of the last probes, no jumps.

A probe is sent at the client's `sent`, received and answered by the hub at hub times `received` and
`answered`, and back at the client's `back`. The shorter the round trip, the less the middle of it
can lie, so of the last 16 probes the quickest decides. The first answer is taken at once; later the
estimate slews, so that a countdown never jumps. A sample that contradicts the quickest one beyond
what both allow means that a clock was moved or stood still: then only the new one counts.
"""

from collections import deque
from dataclasses import dataclass

PROBES_KEPT = 16
SLEW_PER_SECOND = 50
"""Milliseconds of correction in a second: a digit is at most so much too long or too short."""
STEP_BEYOND = 2_000
"""Farther off than this the estimate jumps: slewing would be wrong for too long."""
DRIFT = 10
"""Milliseconds by which two good clocks may drift apart while samples are kept."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What one probe says: hub time minus the client's own, give or take half the round trip."""

    offset: float
    round_trip: int

    def contradicts(self, other: "Sample") -> bool:
        """Say whether both cannot be true of the same two clocks, a little drift allowed."""
        allowed = (self.round_trip + other.round_trip) / 2 + DRIFT
        return abs(self.offset - other.offset) > allowed


def sample(sent: int, received: int, answered: int, back: int) -> Sample:
    """Work out what a probe says."""
    round_trip = (back - sent) - (answered - received)
    return Sample(((received - sent) + (answered - back)) / 2, max(0, round_trip))


class HubClock:
    """A client's idea of hub time."""

    def __init__(self) -> None:
        self._samples: deque[Sample] = deque(maxlen=PROBES_KEPT)
        self._offset = 0.0
        self._set_at = 0

    @property
    def known(self) -> bool:
        """Whether any probe has been answered."""
        return bool(self._samples)

    @property
    def best(self) -> Sample:
        """The sample of the quickest round trip; of equally quick ones, the newest."""
        return min(reversed(self._samples), key=lambda s: s.round_trip)

    def uncertainty(self, own: int) -> float:
        """Say how far off the estimate can be, in milliseconds either way, slewing included."""
        return self.best.round_trip / 2 + abs(self.best.offset - self.offset(own))

    def answered(self, sent: int, received: int, answered: int, back: int) -> None:
        """Take in the answer to a probe."""
        first = not self._samples
        self._offset = 0.0 if first else self.offset(back)
        new = sample(sent, received, answered, back)
        if not first and new.contradicts(self.best):
            self._samples.clear()
        self._samples.append(new)
        if first or abs(self.best.offset - self._offset) > STEP_BEYOND:
            self._offset = self.best.offset
        self._set_at = back

    def offset(self, own: int) -> float:
        """Say how far hub time is ahead of the client's own clock, slewing towards the best."""
        wanted = self.best.offset - self._offset
        most = SLEW_PER_SECOND * max(0, own - self._set_at) / 1_000
        return self._offset + max(-most, min(most, wanted))

    def now(self, own: int) -> int:
        """Say what hub time it is by the client's own clock."""
        return round(own + self.offset(own))
