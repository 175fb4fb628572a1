"""Time that can be stopped: stop, go, and what time it is inside and outside."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from server.engine.flow import HOUR, MINUTE, SECOND, Flow

SWITCHES = st.lists(st.tuples(st.booleans(), st.integers(0, 10_000)), max_size=20)


def test_units_are_milliseconds() -> None:
    """A second is a thousand, a minute sixty of those, an hour sixty of those."""
    assert (SECOND, MINUTE, HOUR) == (1_000, 60_000, 3_600_000)


def test_a_flow_that_never_stood_is_the_time_outside() -> None:
    """Inside and outside it is the same time."""
    assert Flow().now(1_234) == 1_234
    assert Flow().outer(1_234) == 1_234


def test_a_stopped_flow_stands() -> None:
    """Whatever time it is outside, inside it is the instant of the stop."""
    flow = Flow().let(run=False, outer=1_000)
    assert flow.now(1_000) == 1_000
    assert flow.now(99_000) == 1_000


def test_in_a_stopped_flow_nothing_comes_due() -> None:
    """No instant outside belongs to a time inside while the flow stands."""
    flow = Flow().let(run=False, outer=1_000)
    assert flow.outer(1_000) is None
    assert flow.outer(5_000) is None


def test_a_flow_goes_on_where_it_stood() -> None:
    """After a stop of four seconds the inside is four seconds behind."""
    flow = Flow().let(run=False, outer=1_000).let(run=True, outer=5_000)
    assert flow.now(5_000) == 1_000
    assert flow.now(7_500) == 3_500
    assert flow.outer(3_500) == 7_500


def test_telling_a_flow_what_it_already_does_changes_nothing() -> None:
    """A second stop does not move the first, and going on twice loses nothing."""
    stopped = Flow().let(run=False, outer=1_000)
    assert stopped.let(run=False, outer=2_000) == stopped
    running = stopped.let(run=True, outer=3_000)
    assert running.let(run=True, outer=9_000) == running


def test_a_stop_of_no_length_loses_nothing() -> None:
    """Stopped and let go at one instant, the flow is as it was."""
    assert Flow(7).let(run=False, outer=50).let(run=True, outer=50) == Flow(7)


def test_flows_nest() -> None:
    """A table that was paused while the room was paused loses both times, each once."""
    room = Flow().let(run=False, outer=10_000).let(run=True, outer=15_000)
    table = Flow().let(run=False, outer=room.now(16_000)).let(run=True, outer=room.now(18_000))
    assert table.now(room.now(20_000)) == 13_000


@settings(max_examples=200, deadline=None, derandomize=True)
@given(SWITCHES, st.integers(0, 10_000))
def test_a_flow_counts_exactly_the_time_it_ran(switches: list[tuple[bool, int]], rest: int) -> None:
    """However often it stops and goes, the inside is the sum of the stretches that it ran."""
    flow, runs, outside, ran = Flow(), True, 0, 0
    for run, wait in switches:
        outside += wait
        ran += wait if runs else 0
        flow, runs = flow.let(run=run, outer=outside), run
        assert flow.now(outside) == ran
    ran += rest if runs else 0
    assert flow.now(outside + rest) == ran


@settings(max_examples=200, deadline=None, derandomize=True)
@given(SWITCHES, st.integers(0, 10_000), st.integers(0, 10_000))
def test_inside_and_outside_are_each_others_inverse(
    switches: list[tuple[bool, int]], wait: int, left: int
) -> None:
    """A deadline that is so far away inside is so far away outside, or never comes."""
    flow, outside = Flow(), 0
    for run, pause in switches:
        outside += pause
        flow = flow.let(run=run, outer=outside)
    now = outside + wait
    comes = flow.outer(flow.now(now) + left)
    if flow.stopped_at is not None:
        assert comes is None
    else:
        assert comes == now + left
        assert flow.now(now + left) == flow.now(now) + left


@settings(max_examples=200, deadline=None, derandomize=True)
@given(SWITCHES, st.lists(st.integers(0, 10_000), max_size=10))
def test_a_flow_never_runs_backwards(switches: list[tuple[bool, int]], waits: list[int]) -> None:
    """Later outside is never earlier inside."""
    flow, outside, last = Flow(), 0, 0
    for run, wait in [*switches, *((True, wait) for wait in waits)]:
        outside += wait
        assert flow.now(outside) >= last
        last = flow.now(outside)
        flow = flow.let(run=run, outer=outside)
        assert flow.now(outside) == last
