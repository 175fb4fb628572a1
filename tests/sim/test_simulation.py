"""Hundreds of nights in which everything goes wrong, each a pure function of its seed.

pytest tests/sim                                          the seeds of every run
RAILBIRD_SEEDS=5000 pytest tests/sim -k nights            many more
RAILBIRD_SEED=123 pytest tests/sim -k nights              exactly this one, again
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from server.credit import Pulse
from server.desk import Desk
from server.engine.events import Undone
from server.hub import Hub
from server.orders import Answers
from server.watch import Watch
from server.writer import Writer
from tests.sim.laws import Broken, Laws
from tests.sim.world import World

if TYPE_CHECKING:
    from collections.abc import Callable


SEEDS = int(os.environ.get("RAILBIRD_SEEDS", "200"))
ONE = os.environ.get("RAILBIRD_SEED")
FAULTS = [fault for fault in os.environ.get("RAILBIRD_FAULTS", "").split(",") if fault]
BATCH = 20
MOST_TRIED = 200
"""Seeds in which a mutation must be found."""


def played(seed: int) -> World:
    """Play a night; if a law is broken, tell what happened and how to see it again."""
    world = World(seed, *FAULTS)
    try:
        world.run()
    except Broken as broken:
        faults = f"RAILBIRD_FAULTS='{','.join(FAULTS)}' " if FAULTS else ""
        again = f"{faults}RAILBIRD_SEED={seed} pytest tests/sim -k nights"
        last = "\n".join(world.last)
        pytest.fail(f"{last}\n{broken}\n{world.plan}\n\nAgain: {again}", pytrace=False)
    return world


def seeds() -> list[range]:
    """Give the seeds of this run, in batches."""
    if ONE is not None:
        return [range(int(ONE), int(ONE) + 1)]
    return [range(first, min(first + BATCH, SEEDS)) for first in range(0, SEEDS, BATCH)]


@pytest.mark.parametrize("batch", seeds(), ids=lambda batch: f"{batch.start}-{batch.stop - 1}")
def test_nights(batch: range) -> None:
    """No law is broken on any night."""
    counts: Counter[str] = Counter()
    for seed in batch:
        counts += played(seed).laws.counts
    assert counts["taps"] > 0
    assert counts["documents"] > 0


# ── the simulation itself ────────────────────────────────────────────────────────────────────────


def _trace(seed: int) -> str:
    world = World(seed)
    try:
        world.run()
    except Broken as broken:
        return f"{world.trace} {broken.law}"
    return world.trace


@pytest.mark.parametrize("seed", [3, 14, 15])
def test_the_same_seed_is_the_same_night(seed: int) -> None:
    """A night is a pure function of its seed: everything in it happens again."""
    assert _trace(seed) == _trace(seed)
    assert _trace(seed) != _trace(seed + 1)


def test_a_night_does_not_depend_on_the_process() -> None:
    """Neither the order of sets nor anything else of a process shows in a night."""
    code = "from tests.sim.test_simulation import _trace; print(_trace(7))"
    root = Path(__file__).parents[2]
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(root)},
            cwd=root,
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        for hash_seed in ("1", "2")
    }
    assert found == {_trace(7)}


def test_the_room_is_busy() -> None:
    """Hands die, chips go, taps are refused, devices are silent: laws are not kept by idling."""
    counts: Counter[str] = Counter()
    for seed in range(60):
        world = World(seed, *((), ("hole at zero",))[seed % 2])
        world.run()
        counts += world.laws.counts
    for what in (
        "dead",
        "check",
        "a chip was forfeited",
        "kept",
        "held after a silence",
        "refused",
    ):
        assert counts[what] > 0, what
    assert counts["taps"] > 60 * 20
    assert counts["documents"] > 60 * 50


# ── can it find anything? ────────────────────────────────────────────────────────────────────────


def _ruled_unheard(patch: pytest.MonkeyPatch) -> None:
    """Let no verdict wait for a word of the device: it alone would save most taps."""
    _silence_does_not_matter(patch)
    patch.setattr(Laws, "_not_in_silence", lambda *_: None)


def _no_grace(patch: pytest.MonkeyPatch) -> None:
    _ruled_unheard(patch)
    patch.setattr("server.desk.GRACE", 0)


def _acknowledged_too_early(patch: pytest.MonkeyPatch) -> None:
    def write(self: Writer, lines: Any, durable: Callable[[int], None], _: Any) -> None:
        seq = self.journal.head()[0] + len(lines)
        self.journal.append(lines)
        durable(seq)

    patch.setattr(Writer, "write", write)


def _stalls_are_the_players_loss(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Pulse, "arrived", lambda _self, received: received)


def _never_held(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Desk, "interrupt", lambda _self, _since, _until: [])


def _ruled_before_all_is_read(patch: pytest.MonkeyPatch) -> None:
    _ruled_unheard(patch)
    patch.setattr(Desk._woken, "__defaults__", (None, 0))  # noqa: SLF001


def _forgetful(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Answers, "remember", lambda _self, _key, _at: None)


def _never_rewound(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Writer, "on_rewind", lambda _self, _rewind: None)


def _wall_after_a_restart(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("server.hubtime.HubTime.resume", lambda _self, _anchor, _floor: None)


def _silence_does_not_matter(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Watch, "waits", lambda _self, _event, _table, _zero: False)


def _tables_are_not_told(patch: pytest.MonkeyPatch) -> None:
    publish = Desk._publish  # noqa: SLF001

    def told(self: Desk, slices: set[str], *, everywhere: bool) -> None:
        publish(self, slices, everywhere=everywhere and False)

    patch.setattr(Desk, "_publish", told)


def _head_is_shown(patch: pytest.MonkeyPatch) -> None:
    document = Desk.document

    def newest(self: Desk, name: list[str]) -> Any:
        shown, self.shown = self.shown, self.head
        try:
            return document(self, name)
        finally:
            self.shown = shown

    patch.setattr(Desk, "document", newest)


def _looked_at_once_only(patch: pytest.MonkeyPatch) -> None:
    """Hold what ran when a gap was found, and not what is let run through it later."""
    patch.setattr(Desk, "_ran_unseen", lambda _self, _table: None)


def _not_undone_in_a_gap(patch: pytest.MonkeyPatch) -> None:
    """Hold what late taps let run, and not what an undo does."""
    note, ran = Desk._note_clocks, Desk._ran_unseen  # noqa: SLF001
    brought_back: set[tuple[str, str]] = set()

    def noted(self: Desk, was: Any, event: Any) -> None:
        note(self, was, event)
        change = (
            brought_back.update if isinstance(event, Undone) else brought_back.difference_update
        )
        change((self.id, key) for key in event.slices())

    def found(self: Desk, number: int) -> Any:
        undone = (self.id, f"table/{number}") in brought_back
        return None if undone else ran(self, number)

    patch.setattr(Desk, "_note_clocks", noted)
    patch.setattr(Desk, "_ran_unseen", found)


def _only_levels_run(patch: pytest.MonkeyPatch) -> None:
    def runs(state: Any) -> bool:
        room = state.room
        return room.started and not room.standing and not room.holds

    patch.setattr("server.hub.time_runs", runs)


def _anchor_is_not_kept(patch: pytest.MonkeyPatch) -> None:
    def follow(self: Hub) -> None:
        if not self._runs():
            self.time.follow(self.time.wall_anchor)

    patch.setattr(Hub, "_follow_the_wall", follow)


ZERO = ("stall at zero",)
GAPS = ("crash", "stall", "suspend", "broken disk", "stall at zero", "crash at zero", "restart")
MUTATIONS = {
    "no grace": (_no_grace, (), {"fair"}),
    "acknowledged before it is durable": (_acknowledged_too_early, (), {"acknowledged", "shown"}),
    "a stall is the player's loss": (_stalls_are_the_players_loss, ZERO, {"fair"}),
    "nothing is held after a gap": (_never_held, ("crash", "stall", "suspend"), {"gap"}),
    "ruled before all is read": (_ruled_before_all_is_read, ZERO, {"fair"}),
    "answers are forgotten": (_forgetful, (), {"once"}),
    "nothing is rewound": (_never_rewound, ("broken disk",), {"shown", "replay"}),
    "the wall counts after a restart": (_wall_after_a_restart, ("wall step", "crash"), {"level"}),
    "silent tables are not spared": (_silence_does_not_matter, ("hole at zero",), {"silence"}),
    "tables are not told of the room": (_tables_are_not_told, (), {"same"}),
    "the head is shown": (_head_is_shown, (), {"shown"}),
    "a gap is looked at once": (_looked_at_once_only, GAPS, {"gap"}),
    "an undo lets run through a gap": (_not_undone_in_a_gap, GAPS, {"gap"}),
    "only levels run": (_only_levels_run, ("wall step",), {"jump"}),
    "the anchor is not kept": (_anchor_is_not_kept, ("wall step", "crash"), {"time"}),
}
"""What is broken, the faults of the night in which it shows (any, if none), the law that tells."""


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_fault_is_found(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a hub with a fault that somebody put there, a night within a few tells, by its own law."""
    mutate, faults, laws = MUTATIONS[name]
    mutate(monkeypatch)
    other: Counter[str] = Counter()
    for seed in range(MOST_TRIED):
        try:
            World(seed, *faults).run()
        except Broken as broken:
            if broken.law not in laws:
                other[str(broken)[:200]] += 1
                continue
            with capsys.disabled():
                print(f" ({name}: seed {seed}, {broken.law})", end="")  # noqa: T201
            monkeypatch.undo()
            World(seed, *faults).run()  # and without the fault there is nothing to tell
            return
    pytest.fail(f"nobody noticed in {MOST_TRIED} nights: {name}; but {other}")
