"""Clock agreement: how good the estimate is, and that no countdown ever jumps."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from server.protocol.sync import (
    PROBES_KEPT,
    SLEW_PER_SECOND,
    STEP_BEYOND,
    HubClock,
    Sample,
    sample,
)

ROUNDING = 1
"""What whole milliseconds can add: stamps and the answer are each cut to them."""


@dataclass(frozen=True)
class Trip:
    """A probe's way: how long after the last one it goes, and how long each part takes."""

    wait: int
    out: int
    stay: int
    home: int


TRIPS = st.builds(
    Trip,
    wait=st.integers(0, 10_000),
    out=st.integers(0, 900),
    stay=st.integers(0, 50),
    home=st.integers(0, 900),
)
AHEAD = st.integers(-(10**12), 10**12)


class Link:
    """A client and a hub that is ahead of it, with a line of any delays between them."""

    def __init__(self, ahead: int) -> None:
        self.ahead, self.own, self.clock = ahead, 1_000, HubClock()

    def probe(self, trip: Trip) -> None:
        """Send one probe and take its answer in."""
        sent = self.own + trip.wait
        received = sent + trip.out + self.ahead
        answered = received + trip.stay
        self.own = answered - self.ahead + trip.home
        self.clock.answered(sent, received, answered, self.own)

    @property
    def error(self) -> int:
        """How far the client's idea of hub time is off now."""
        return self.clock.now(self.own) - (self.own + self.ahead)


@given(AHEAD, st.integers(0, 5_000), st.integers(0, 100))
def test_equal_delays_give_the_exact_offset(ahead: int, delay: int, stay: int) -> None:
    """Where both ways take as long, the estimate is right, however long they take."""
    link = Link(ahead)
    link.probe(Trip(0, delay, stay, delay))
    assert link.clock.best == Sample(ahead, 2 * delay)
    assert link.error == 0


@given(AHEAD, TRIPS)
def test_unequal_delays_are_off_by_half_the_difference(ahead: int, trip: Trip) -> None:
    """The error is half the difference of the two ways, never more than half the round trip."""
    link = Link(ahead)
    link.probe(trip)
    assert link.clock.best.offset == ahead + (trip.out - trip.home) / 2
    assert link.clock.best.round_trip == trip.out + trip.home
    assert abs(link.error) <= link.clock.uncertainty(link.own) + ROUNDING


def test_the_hubs_own_time_is_not_part_of_the_round_trip() -> None:
    """A hub that takes long to answer does not make the line look slow."""
    assert sample(1_000, 5_010, 5_310, 1_320) == Sample(4_000.0, 20)


def test_a_round_trip_is_never_negative() -> None:
    """Clocks that are cut to milliseconds cannot make an answer come before its question."""
    assert sample(1_000, 5_000, 5_002, 1_001).round_trip == 0


def test_nothing_is_known_before_the_first_answer() -> None:
    """A clock without an answer says that it knows nothing."""
    clock = HubClock()
    assert not clock.known
    clock.answered(0, 500, 500, 0)
    assert clock.known


@given(AHEAD)
def test_the_first_answer_is_taken_at_once(ahead: int) -> None:
    """However far off the client was, the first answer sets it right with one step."""
    link = Link(ahead)
    link.probe(Trip(0, 3, 0, 3))
    assert link.clock.now(link.own) == link.own + ahead


@given(AHEAD, st.lists(TRIPS, min_size=1, max_size=40))
def test_the_quickest_of_the_last_sixteen_decides(ahead: int, trips: list[Trip]) -> None:
    """Of the last 16 probes the one with the smallest round trip decides, and no older one."""
    link = Link(ahead)
    for trip in trips:
        link.probe(trip)
    kept = trips[-PROBES_KEPT:]
    quickest = min(trip.out + trip.home for trip in kept)
    assert link.clock.best.round_trip == quickest
    assert link.clock.best.offset in {
        ahead + (trip.out - trip.home) / 2 for trip in kept if trip.out + trip.home == quickest
    }


def test_sixteen_are_kept_and_no_more() -> None:
    """The quickest probe is believed for 15 more, and forgotten with the 16th."""
    link = Link(0)
    link.probe(Trip(0, 1, 0, 1))
    for _ in range(15):
        link.probe(Trip(0, 40, 0, 60))
        assert link.clock.best.round_trip == 2
    link.probe(Trip(0, 40, 0, 60))
    assert link.clock.best.round_trip == 100


def test_of_equally_quick_ones_the_newest_decides() -> None:
    """A newer probe that is as quick knows better."""
    clock = HubClock()
    clock.answered(0, 105, 105, 10)
    clock.answered(1_000, 1_107, 1_107, 1_010)
    assert clock.best.offset == 102


@pytest.mark.parametrize("way", [1, -1])
def test_a_later_correction_slews(way: int) -> None:
    """A correction of 400 ms takes 8 seconds, 50 ms in each, and then stands."""
    clock = HubClock()
    clock.answered(0, 5_000, 5_000, 0)
    clock.answered(0, 5_000 + 400 * way, 5_000 + 400 * way, 0)
    for second in range(13):
        slewed = min(400, SLEW_PER_SECOND * second) * way
        assert clock.now(second * 1_000) == 5_000 + second * 1_000 + slewed


@pytest.mark.parametrize("way", [1, -1])
def test_what_would_take_too_long_is_stepped(way: int) -> None:
    """Farther off than two seconds the estimate jumps; at two seconds it still slews."""
    far, near = HubClock(), HubClock()
    for clock, off in ((far, STEP_BEYOND + 1), (near, STEP_BEYOND)):
        clock.answered(0, 9_000, 9_000, 0)
        clock.answered(0, 9_000 + off * way, 9_000 + off * way, 0)
    assert far.now(0) == 9_000 + (STEP_BEYOND + 1) * way
    assert near.now(0) == 9_000


@given(AHEAD, st.lists(TRIPS, min_size=2, max_size=40))
def test_the_estimate_never_moves_faster_than_it_may(ahead: int, trips: list[Trip]) -> None:
    """Between any two looks the estimate moves by at most 50 ms a second, answers or not."""
    link = Link(ahead)
    link.probe(trips[0])
    own, offset = link.own, link.clock.offset(link.own)
    for trip in trips[1:]:
        link.probe(trip)
        found = link.clock.offset(link.own)
        assert abs(found - offset) <= SLEW_PER_SECOND * (link.own - own) / 1_000 + 0.01
        own, offset = link.own, found


@given(AHEAD, st.lists(TRIPS, min_size=2, max_size=40), st.integers(1, 700))
def test_time_never_jumps_backwards(ahead: int, trips: list[Trip], stride: int) -> None:
    """A screen that asks every so often, and at every answer, never sees time go back or leap."""
    link = Link(ahead)
    link.probe(trips[0])
    own, seen = link.own, link.clock.now(link.own)
    for trip in trips[1:]:
        moments = [*range(own, own + trip.wait, stride)]
        looks = [(moment, link.clock.now(moment)) for moment in moments]
        link.probe(trip)
        for moment, found in [*looks, (link.own, link.clock.now(link.own))]:
            most = (moment - own) * SLEW_PER_SECOND / 1_000 + ROUNDING
            assert found >= seen
            assert abs((found - seen) - (moment - own)) <= most
            own, seen = moment, found


@given(AHEAD, st.lists(TRIPS, min_size=1, max_size=40))
def test_a_settled_estimate_is_as_good_as_it_says(ahead: int, trips: list[Trip]) -> None:
    """Once nothing is left to slew, the truth lies within the uncertainty."""
    link = Link(ahead)
    for trip in trips:
        link.probe(trip)
    link.own += 2 * STEP_BEYOND * 1_000 // SLEW_PER_SECOND
    assert abs(link.error) <= link.clock.uncertainty(link.own) + ROUNDING


@given(AHEAD, st.lists(TRIPS, min_size=1, max_size=40))
@example(0, [Trip(0, 800, 0, 0), Trip(1_000, 1, 0, 1)])
def test_the_estimate_is_as_good_as_it_says(ahead: int, trips: list[Trip]) -> None:
    """At every answer, slewing or not, the truth lies within the uncertainty that is claimed."""
    link = Link(ahead)
    for trip in trips:
        link.probe(trip)
        assert abs(link.error) <= link.clock.uncertainty(link.own) + ROUNDING


@given(st.integers(-1_500, 1_500), st.lists(TRIPS, min_size=PROBES_KEPT, max_size=40))
def test_a_hub_that_comes_back_elsewhere_is_followed(moved: int, trips: list[Trip]) -> None:
    """When the hub's time itself moves, 16 probes later the estimate goes to where it is now."""
    assume(moved)
    link = Link(5_000)
    for _ in range(PROBES_KEPT):
        link.probe(Trip(100, 1, 0, 1))
    link.ahead += moved
    for trip in trips:
        link.probe(trip)
    link.own += 2 * STEP_BEYOND * 1_000 // SLEW_PER_SECOND
    assert abs(link.error) <= link.clock.uncertainty(link.own) + ROUNDING
