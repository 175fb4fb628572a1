"""The machine's own clock goes wrong, the machine sleeps: no clock of the room is moved by it."""

from __future__ import annotations

import json
import time
from datetime import datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pytest

from server.protocol.messages import Done
from tests.rig import NOON, MemoryJournal, Rig

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.rig import Peer

SECOND = 1_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
STEPS = [sign * size for size in (SECOND, HOUR, DAY) for sign in (1, -1)]


class Machine(Rig):
    """A rig on a machine that can sleep, and whose wall clock begins when a test says."""

    def __init__(self, began: int = NOON, journal: MemoryJournal | None = None) -> None:
        self.began = began
        self.slept = 0
        super().__init__(journal)

    def boot(self) -> int:
        """Read the boot clock, which counts through sleep though the loop's timers do not."""
        return super().boot() + self.slept

    def wall(self) -> int:
        """Read the wall clock."""
        return self.began + self.boot() + self.wall_step

    def sleep(self, ms: int) -> None:
        """Let the machine sleep."""
        self.slept += ms

    def clock(self, event: str = "1") -> dict[str, Any]:
        """Give an event's clock as it is shown now."""
        found: dict[str, Any] = self.hub.press.read(f"t/{event}")[1]["clock"]
        return found

    def action(self, event: str = "1") -> dict[str, Any]:
        """Give the action of table 7 as it is shown now."""
        found: dict[str, Any] = self.hub.press.read(f"t/{event}/table/7")[1]["action"]
        return found

    def gaps(self) -> list[dict[str, Any]]:
        """Give the gaps that the director is told of."""
        found: list[dict[str, Any]] = self.hub.press.read("hub")[1]["gaps"]
        return found

    def certain(self) -> int:
        """Give the last instant of which what is durable tells."""
        alive: int = self.journal.kept.get("alive") or 0
        return max(alive, *(stored.line.received for stored in self.journal.stored))


def _playing(rig: Machine) -> Peer:
    rig.create(tables={7: 3})
    dealer = rig.dealer()
    assert isinstance(dealer.do("action.start", table=7, seat=1), Done)
    rig.run(1_234)
    return dealer


# ── somebody sets the clock ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("step", STEPS)
def test_a_step_of_the_wall_clock_moves_no_clock(step: int) -> None:
    """A second, an hour, a day, forwards or backwards: every clock goes on to the millisecond."""
    with Machine() as rig:
        _playing(rig)
        clock, action, now = rig.clock(), rig.action(), rig.now
        rig.wall_step += step
        for ran in (1, 49, 950, 3_000):
            rig.run(ran)
            passed = rig.now - now
            later = rig.clock()
            assert later["ends_at"] == clock["ends_at"]
            assert later["remaining_ms"] == clock["remaining_ms"] - passed
            assert rig.action()["ends_at"] == action["ends_at"]
            assert rig.action()["remaining_ms"] == action["remaining_ms"] - passed
        assert passed == 4_000
        assert rig.action()["status"] == "running"


@pytest.mark.parametrize("step", STEPS)
def test_the_director_is_told_of_a_step(step: int) -> None:
    """The hub's document says in words how far the clock was moved, and that nothing changed."""
    with Machine() as rig:
        rig.create()
        director = rig.director()
        assert director.doc("hub")["gaps"] == []
        rig.wall_step += step
        rig.run(1_000)
        (gap,) = director.doc("hub")["gaps"]
        assert (gap["kind"], gap["ms"], gap["interrupted"]) == ("step", step, [])
        assert f"{abs(step) / 1_000:.1f} s" in gap["text"]
        assert "No clock here has changed" in gap["text"]


def test_time_is_not_given_back_for_a_step() -> None:
    """A step lost nobody any time."""
    with Machine() as rig:
        rig.create()
        director = rig.director()
        rig.wall_step += HOUR
        rig.run(1_000)
        ends_at = rig.clock()["ends_at"]
        wish = {"event": "1", "gap": 1}
        director.send(*director.session.do("give", "", "gap.give_back", wish, director.own()))
        rig.run(5)
        assert not isinstance(director.answer("give"), Done)
        assert rig.clock()["ends_at"] == ends_at


def test_every_step_is_told_once() -> None:
    """Three steps are three lines, and a clock that stays wrong is not told again."""
    with Machine() as rig:
        rig.create()
        for step in (HOUR, -DAY, 5 * SECOND):
            rig.wall_step += step
            rig.run(2_000)
        rig.run(MINUTE)
        assert [gap["ms"] for gap in rig.gaps()] == [HOUR, -DAY, 5 * SECOND]


def test_a_clock_that_is_gently_put_right_is_no_step() -> None:
    """Less than a second is what time services do all day, and nobody's business."""
    with Machine() as rig:
        rig.create()
        rig.wall_step += 999
        rig.run(2_000)
        assert rig.gaps() == []


@pytest.mark.parametrize("step", STEPS)
def test_levels_end_when_they_would_have_whatever_the_wall_says(step: int) -> None:
    """A step in the middle of a level changes nothing of the levels to come."""
    with Machine() as rig:
        rig.create()
        first = rig.clock()["ends_at"]
        rig.run(10 * MINUTE)
        rig.wall_step += step
        rig.run(45 * MINUTE)
        bodies = [json.loads(stored.line.body) for stored in rig.journal.stored]
        started = [body["at"] for body in bodies if body["event"] == "level.started"]
        assert started == [first, first + 20 * MINUTE]


def test_a_scheduled_start_comes_by_hub_time() -> None:
    """An event that starts by itself in ten minutes does so in ten minutes."""
    with Machine() as rig:
        director = rig.director()
        at = rig.now + 10 * MINUTE
        wish = {"preset": "888pl", "starts_at": at}
        assert isinstance(director.do("event.create", event="", **wish), Done)
        rig.wall_step -= HOUR
        rig.run_until(at - 1)
        assert rig.clock()["status"] == "waiting"
        rig.run(2)
        assert rig.clock()["status"] == "running"


# ── and then the hub is restarted ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("step", [*STEPS, -NOON])
def test_hub_time_never_goes_back_over_a_restart(step: int) -> None:
    """Whatever the wall says at the next start, hub time goes on from what is durable."""
    with Machine() as rig:
        _playing(rig)
        rig.wall_step += step
        for _ in range(3):
            rig.run(1_700)
            certain = rig.certain()
            rig.crash(away=100)
            assert rig.now >= certain
            ats = [s.line.received for s in rig.journal.stored]
            assert ats == sorted(ats)


def test_a_machine_that_starts_in_1970_goes_on_with_the_night() -> None:
    """Without a battery and without a network the hub goes on from the journal's last instant."""
    with Machine() as first:
        _playing(first)
        first.run(5_000)
        ends_at, certain = first.clock()["ends_at"], first.certain()
        journal = MemoryJournal(first.journal.stored, first.journal.kept)
    with Machine(began=12_345, journal=journal) as rig:
        assert certain <= rig.now < certain + 1_000
        assert rig.clock()["ends_at"] == ends_at
        assert rig.clock()["remaining_ms"] == ends_at - rig.now
        rig.run(10)
        assert rig.action()["status"] == "held"
        rig.run(MINUTE)
        assert rig.clock()["remaining_ms"] == ends_at - rig.now
        rig.wall_step += NOON  # then the network is there, and with it the time
        rig.run(MINUTE)
        assert rig.clock()["remaining_ms"] == ends_at - rig.now
        assert [gap["kind"] for gap in rig.gaps()] == ["restart", "step"]


@pytest.mark.parametrize("step", [step for step in STEPS if abs(step) > SECOND])
def test_a_step_has_no_effect_at_the_next_restart_either(step: int) -> None:
    """After a step and a crash, the level clock is within 50 ms of where it should be."""
    with Machine() as rig:
        rig.create()
        rig.run(MINUTE)
        rig.wall_step += step
        rig.run(10_000)
        left = rig.clock()["remaining_ms"]
        rig.crash(away=3_000)
        assert abs(rig.clock()["remaining_ms"] - (left - 3_000)) <= 50


def test_a_restart_with_a_clock_that_was_set_back_is_shown_to_the_director() -> None:
    """The banner about the restart reaches a director who was connected before it."""
    with Machine() as rig:
        rig.create()
        director = rig.director()
        rig.wall_step -= HOUR
        rig.run(10_000)
        assert len(director.doc("hub")["gaps"]) == 1
        rig.run(4_000)
        rig.peer()  # somebody comes, and the hub's document is published
        rig.run(800)
        rig.crash(away=10)
        rig.run(50)
        director.disconnect()
        director.connect()
        rig.run(1_000)
        assert [gap["kind"] for gap in director.doc("hub")["gaps"]] == ["step", "restart"]


# ── the machine sleeps ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("slept", [2 * SECOND, 5 * MINUTE, 19 * MINUTE])
def test_levels_go_on_while_the_machine_sleeps(slept: int) -> None:
    """The room does not stop for a laptop's lid: the level ends when it would have."""
    with Machine() as rig:
        rig.create()
        rig.run(30 * SECOND)
        before, now = rig.clock(), rig.now
        rig.sleep(slept)
        rig.run(100)
        after = rig.clock()
        assert rig.now == now + slept + 100
        assert after["ends_at"] == before["ends_at"]
        assert after["remaining_ms"] == before["remaining_ms"] - slept - 100
        (gap,) = rig.gaps()
        assert gap["kind"] == "stall"
        assert slept <= gap["ms"] <= slept + 50
        assert "could not run" in gap["text"]


def test_a_level_that_ended_in_sleep_is_told_with_its_own_instant() -> None:
    """After an hour of sleep the levels of that hour are caught up in order, none of them late."""
    with Machine() as rig:
        rig.create()
        first = rig.clock()["ends_at"]
        rig.sleep(HOUR)
        rig.run(100)
        bodies = [json.loads(stored.line.body) for stored in rig.journal.stored]
        started = [body["at"] for body in bodies if body["event"] == "level.started"]
        assert started == [first, first + 20 * MINUTE, first + 40 * MINUTE]
        assert rig.clock()["ends_at"] == first + 60 * MINUTE


def test_the_next_level_after_a_sleep_begins_on_time() -> None:
    """The loop's timers slept too: the alarm is set anew, and the level does not end late."""
    with Machine() as rig:
        rig.create()
        ends_at = rig.clock()["ends_at"]
        rig.run(MINUTE)
        rig.sleep(15 * MINUTE)
        rig.run_until(ends_at)
        rig.run(5)
        (line,) = [s.line for s in rig.journal.stored if b"level.started" in s.line.body]
        assert (line.at, line.received) == (ends_at, ends_at)


@pytest.mark.parametrize("slept", [2 * SECOND, 19 * SECOND, 5 * MINUTE])
def test_nobodys_time_runs_out_in_sleep(slept: int) -> None:
    """An action that ran when the machine fell asleep is held where it stood."""
    with Machine() as rig:
        dealer = _playing(rig)
        left = rig.action()["remaining_ms"]
        rig.sleep(slept)
        rig.run(1_000)
        action = rig.action()
        assert (action["status"], action["interrupted"], action["used"]) == ("held", True, 0)
        assert left <= action["remaining_ms"] <= left + 50
        dealer.disconnect()
        dealer.connect()
        rig.run(1_000)
        assert isinstance(dealer.do("action.release", table=7), Done)


def test_a_tap_right_after_a_sleep_does_not_run_anybodys_time_out() -> None:
    """A command that comes before the hub has noticed that it slept finds the clock as it stood."""
    with Machine() as rig:
        dealer = _playing(rig)
        rig.run_until(rig.now // 50 * 50 + 60)  # just after a beat
        rig.sleep(5 * MINUTE)
        dealer.skew += 5 * MINUTE  # the tablet did not sleep
        dealer.tap("floor.call", table=7)
        rig.run(1_000)
        assert rig.action()["used"] == 0
        assert rig.action()["status"] == "held"


# ── nights on which the wall clock is put forward or back ────────────────────────────────────────

SYDNEY = ZoneInfo("Australia/Sydney")


@pytest.fixture
def sydney(monkeypatch: pytest.MonkeyPatch) -> Iterator[ZoneInfo]:
    """Let the machine be in Sydney."""
    monkeypatch.setenv("TZ", "Australia/Sydney")
    time.tzset()
    yield SYDNEY
    monkeypatch.undo()
    time.tzset()


def _instant(zone: ZoneInfo, *when: int) -> int:
    return round(datetime(*when, tzinfo=zone).timestamp() * 1_000)  # type: ignore[arg-type,misc]


def _scheduled(began: int, preset: str) -> int:
    """Create an event at an instant, and give the instant that its house's start time means."""
    with Machine(began) as rig:
        director = rig.director()
        assert isinstance(director.do("event.create", event="", preset=preset), Done)
        bodies = (json.loads(stored.line.body) for stored in rig.journal.stored)
        scheduled: int = next(b["scheduled_at"] for b in bodies if b["event"] == "event.created")
        return scheduled


FORWARD, BACK = (2026, 10, 4), (2026, 4, 5)  # at 2:00 it is 3:00; at 3:00 it is 2:00


@pytest.mark.parametrize("day", [FORWARD, BACK, (2026, 7, 11)])
@pytest.mark.parametrize("hour", [4, 11, 17])
def test_the_start_is_the_houses_time_on_that_day(
    sydney: ZoneInfo, day: tuple[int, int, int], hour: int
) -> None:
    """An event that is created on the day itself is meant for half past twelve of that day."""
    began = _instant(sydney, *day, hour, 10)
    assert _scheduled(began, "star-brisbane-saturday") == _instant(sydney, *day, 12, 30)


@pytest.mark.parametrize("day", [FORWARD, BACK, (2026, 7, 11)])
def test_the_start_of_tomorrow_is_the_houses_time_of_tomorrow(
    sydney: ZoneInfo, day: tuple[int, int, int]
) -> None:
    """Created the evening before, it is meant for the next day, be that 23 or 25 hours long."""
    year, month, date = day
    began = _instant(sydney, year, month, date - 1, 20, 0)
    assert _scheduled(began, "star-brisbane-saturday") == _instant(sydney, *day, 12, 30)


@pytest.mark.parametrize("day", [FORWARD, BACK])
def test_the_start_is_right_also_if_created_before_the_change(
    sydney: ZoneInfo, day: tuple[int, int, int]
) -> None:
    """Created half past midnight, before the change, it is meant for half past twelve too."""
    began = _instant(sydney, *day, 0, 30)
    assert _scheduled(began, "star-brisbane-saturday") == _instant(sydney, *day, 12, 30)


@pytest.mark.parametrize("day", [FORWARD, BACK])
@pytest.mark.usefixtures("sydney")
def test_a_level_over_the_change_is_as_long_as_any(day: tuple[int, int, int]) -> None:
    """At two or three in the morning nothing happens to a clock that runs."""
    began = _instant(SYDNEY, *day, 1, 45)
    with Machine(began) as rig:
        rig.create()
        ends_at = rig.clock()["ends_at"]
        for _ in range(19):
            rig.run(MINUTE)
            assert rig.clock()["ends_at"] == ends_at
            assert rig.clock()["remaining_ms"] == ends_at - rig.now
        assert rig.gaps() == []


@pytest.mark.parametrize("day", [FORWARD, BACK])
def test_the_hard_stop_before_the_change_is_the_houses_time(
    sydney: ZoneInfo, day: tuple[int, int, int]
) -> None:
    """A night that must end at a quarter to one ends then, also if the clocks change at two."""
    year, month, date = day
    began = _instant(sydney, year, month, date - 1, 18, 0)
    with Machine(began) as rig:
        director = rig.director()
        director.do("event.create", event="", preset="selkirk-main")
        assert rig.clock()["hard_stop_at"] == _instant(sydney, *day, 0, 45)
