"""Hub time: nothing that happens to the wall clock moves it, and nothing takes it backwards."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.hubtime import STALL, STEP, Gap, HubTime, boot_ms, wall_ms

SECOND = 1_000
HOUR = 3_600 * SECOND
DAY = 24 * HOUR
NOON = 1_750_000_000_000
STEPS = [sign * size for size in (SECOND, HOUR, DAY) for sign in (1, -1)]
YEAR_1970 = 12_345


@dataclass
class Machine:
    """A machine whose clocks are moved by hand."""

    wall: int = NOON
    boot: int = 5_000
    steps: list[int] = field(default_factory=list)

    def advance(self, ms: int) -> None:
        """Let time pass."""
        self.wall += ms
        self.boot += ms

    def step(self, ms: int) -> None:
        """Set the wall clock to another time."""
        self.wall += ms
        self.steps.append(ms)

    def restart(self) -> None:
        """Boot again: the boot clock starts anew."""
        self.boot = 0

    def hub(self, floor: int = 0) -> HubTime:
        """Start a hub on this machine."""
        return HubTime(floor, boot=lambda: self.boot, wall=lambda: self.wall)


def test_it_starts_at_utc() -> None:
    """Hub time is anchored to the wall clock at start."""
    assert Machine().hub().now() == NOON


def test_it_advances_with_the_boot_clock() -> None:
    """A millisecond is a millisecond."""
    machine = Machine()
    hub = machine.hub()
    machine.advance(1)
    assert hub.now() == NOON + 1
    machine.advance(10 * HOUR)
    assert hub.now() == NOON + 1 + 10 * HOUR


@pytest.mark.parametrize("step", STEPS)
def test_a_step_of_the_wall_clock_has_no_effect(step: int) -> None:
    """A wall clock moved by a second, an hour or a day: 0 ms effect, also later on."""
    machine = Machine()
    hub = machine.hub()
    machine.advance(777)
    before = hub.now()
    machine.step(step)
    assert hub.now() == before
    hub.look()
    assert hub.now() == before
    machine.advance(HOUR)
    hub.look()
    assert hub.now() == before + HOUR


@given(st.lists(st.tuples(st.integers(0, DAY), st.integers(-DAY, DAY)), max_size=20))
def test_any_steps_have_no_effect(moves: list[tuple[int, int]]) -> None:
    """Whatever is done to the wall clock, hub time is the start plus what has passed."""
    machine = Machine()
    hub = machine.hub()
    passed = 0
    for wait, step in moves:
        machine.advance(wait)
        machine.step(step)
        passed += wait
        hub.look()
        assert hub.now() == NOON + passed


@pytest.mark.parametrize(
    ("zone", "night"),
    [
        ("Australia/Sydney", datetime(2025, 10, 4, 14, 0, tzinfo=UTC)),
        ("Australia/Sydney", datetime(2025, 4, 5, 14, 0, tzinfo=UTC)),
        ("Europe/Vienna", datetime(2025, 3, 29, 23, 0, tzinfo=UTC)),
        ("America/New_York", datetime(2025, 11, 2, 4, 0, tzinfo=UTC)),
    ],
)
def test_a_daylight_saving_night_has_no_effect(zone: str, night: datetime) -> None:
    """Four hours of a night are four hours, also where somebody sets the clock by hand at it."""
    machine = Machine(wall=int(night.timestamp()) * SECOND)
    hub = machine.hub()
    start, local = hub.now(), night.astimezone(ZoneInfo(zone))
    changed = 0
    for hour in range(1, 5):
        machine.advance(HOUR)
        there = (night + timedelta(hours=hour)).astimezone(ZoneInfo(zone))
        moved = (there.utcoffset() or timedelta()) - (local.utcoffset() or timedelta())
        machine.step(int(moved.total_seconds()) * SECOND - changed)
        changed = int(moved.total_seconds()) * SECOND
        hub.look()
        assert hub.now() == start + hour * HOUR
    assert abs(changed) == HOUR


def test_a_boot_in_1970_is_corrected_without_effect() -> None:
    """A machine without a battery boots in 1970; its clock is set right under the running hub."""
    machine = Machine(wall=YEAR_1970)
    hub = machine.hub()
    assert hub.now() == YEAR_1970
    machine.advance(500)
    machine.step(NOON)
    assert hub.now() == YEAR_1970 + 500
    assert [gap.kind for gap in hub.look()] == ["step"]
    assert hub.now() == YEAR_1970 + 500


def test_a_boot_in_1970_goes_on_from_the_journal() -> None:
    """After a restart with a wrong year, time goes on from the journal's last instant."""
    machine = Machine(wall=YEAR_1970, boot=3)
    hub = machine.hub(floor=NOON)
    assert hub.now() == NOON
    assert hub.look() == []
    machine.advance(40)
    assert hub.now() == NOON + 40


@pytest.mark.parametrize("step", STEPS)
def test_a_restart_never_goes_backwards(step: int) -> None:
    """A clock that was set back between two runs does not take the hub back."""
    machine = Machine()
    machine.advance(HOUR)
    last = machine.hub().now()
    machine.step(step)
    machine.restart()
    again = machine.hub(floor=last)
    assert again.now() == max(last, machine.wall)
    machine.advance(1)
    assert again.now() > last


@given(
    st.lists(
        st.tuples(st.integers(0, HOUR), st.integers(-DAY, DAY), st.booleans()),
        min_size=1,
        max_size=20,
    )
)
def test_time_never_runs_backwards_across_restarts(runs: list[tuple[int, int, bool]]) -> None:
    """Over any waits, steps, kills and reboots no instant is before one that was seen."""
    machine = Machine()
    hub = machine.hub()
    seen = hub.now()
    for wait, step, reboots in runs:
        machine.advance(wait)
        assert hub.now() >= seen
        seen = hub.now()
        machine.step(step)
        if reboots:
            machine.restart()
        hub = machine.hub(floor=seen)
        assert hub.now() >= seen
        seen = hub.now()


def test_an_even_life_has_no_gaps() -> None:
    """A hub that looks often on a steady machine has nothing to report."""
    machine = Machine()
    hub = machine.hub()
    for _ in range(1_000):
        machine.advance(250)
        assert hub.look() == []


@pytest.mark.parametrize("ms", [STALL + 1, HOUR, DAY])
def test_a_stall_is_found_once(ms: int) -> None:
    """A stall or suspend is found at the next look, with its ends, and only then."""
    machine = Machine()
    hub = machine.hub()
    machine.advance(100)
    hub.look()
    machine.advance(ms)
    assert hub.look() == [Gap("stall", NOON + 100, NOON + 100 + ms)]
    assert hub.look() == []


def test_a_stall_before_the_first_look_is_found() -> None:
    """The hub's start counts as a look."""
    machine = Machine()
    hub = machine.hub()
    machine.advance(7_000)
    (gap,) = hub.look()
    assert (gap.kind, gap.ms) == ("stall", 7_000)


@pytest.mark.parametrize("step", STEPS)
def test_a_step_is_found_once(step: int) -> None:
    """A stepped wall clock is found at the next look, with how far, and only then."""
    machine = Machine()
    hub = machine.hub()
    machine.advance(100)
    machine.step(step)
    gaps = hub.look()
    assert [(gap.kind, gap.ms) for gap in gaps] == [("step", step)]
    machine.advance(100)
    assert hub.look() == []


def test_a_small_stray_is_not_a_step() -> None:
    """What a time server nudges is nobody's business."""
    machine = Machine()
    hub = machine.hub()
    machine.step(STEP - 1)
    assert hub.look() == []
    machine.step(2 - 2 * STEP)
    assert hub.look() == []


def test_a_step_back_is_found_too() -> None:
    """A clock that is set wrong and right again was stepped twice."""
    machine = Machine()
    hub = machine.hub()
    machine.step(HOUR)
    assert [gap.ms for gap in hub.look()] == [HOUR]
    machine.step(-HOUR)
    assert [gap.ms for gap in hub.look()] == [-HOUR]


def test_a_step_during_a_stall_is_found_beside_it() -> None:
    """A machine that wakes up with another time has both gaps, each with its own length."""
    machine = Machine()
    hub = machine.hub()
    machine.advance(HOUR)
    machine.step(-DAY)
    assert [(gap.kind, gap.ms) for gap in hub.look()] == [("stall", HOUR), ("step", -DAY)]


def test_the_machines_own_clocks_are_milliseconds() -> None:
    """Without injected clocks the hub starts near UTC and does not go backwards."""
    before = int(datetime.now(UTC).timestamp() * SECOND)
    hub = HubTime()
    first = hub.now()
    assert abs(first - before) < 10 * SECOND
    assert isinstance(first, int)
    assert hub.now() >= first
    assert isinstance(boot_ms(), int)
    assert abs(wall_ms() - before) < 10 * SECOND
