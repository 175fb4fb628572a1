"""The hub is killed again and again, in the midst of a night: nothing is lost, doubled or made up.

`RAILBIRD_KILLS=1000` kills more often; `RAILBIRD_SEED` plays other nights.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

from tests.faults.client import Client, own_ms
from tests.faults.figures import tell
from tests.faults.killer import LEVEL_WITHIN, READY_WITHIN
from tests.faults.launcher import ALL
from tests.faults.ledger import Ledger
from tests.faults.process import ROOT, HubProcess, Nest, plain_environment, until

if TYPE_CHECKING:
    from pathlib import Path

KILLS = int(os.environ.get("RAILBIRD_KILLS", "102"))
SEED = int(os.environ.get("RAILBIRD_SEED", "1"))
AT_START = 7
"""Commits of a start: what is behind them is an ordinary death."""

AWAY = 0.3
"""Seconds between two hubs, which must cost nobody anything."""

NIGHTS = 3
"""Nights that are played at once, each with its own hub and in its own process."""


async def _night(folder: Path, seed: int, kills: int) -> tuple[dict[str, Any], str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.faults.killer", "--seed", str(seed)),
        *("--kills", str(kills), "--folder", str(folder)),
        cwd=ROOT,
        env=plain_environment(),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, errors = await process.communicate()
    return json.loads(out or b"{}"), errors.decode()


async def test_deaths_of_a_night(tmp_path: Path) -> None:
    """However a hub dies, its successor knows all that anybody was ever told."""
    share = -(-KILLS // NIGHTS)
    nights = await asyncio.gather(
        *(_night(tmp_path / str(seed), seed, share) for seed in range(SEED, SEED + NIGHTS))
    )
    for figures, errors in nights:
        assert not errors, f"seed {figures.get('seed')}, {figures.get('deaths')}:\n{errors}"
    deaths: Counter[str] = Counter()
    for figures, _ in nights:
        deaths.update(figures["deaths"])
    assert deaths.total() >= KILLS
    missing = [place for place in ALL if not deaths[place]]
    assert not missing, f"no hub died at {missing}"
    _tell(deaths, [figures for figures, _ in nights])


def _tell(deaths: Counter[str], nights: list[dict[str, Any]]) -> None:
    def total(key: str) -> int:
        return sum(int(night[key]) for night in nights)

    def all_of(key: str) -> list[float]:
        return sorted(value for night in nights for value in night[key]) or [0.0]

    tell(f"{deaths.total()} deaths: " + ", ".join(f"{n} {place}" for place, n in deaths.items()))
    tell(
        f"{total('commands')} commands, {total('acknowledged')} acknowledged, "
        f"{total('done again')} sent again and known, {total('documents')} documents compared; "
        "0 lost, 0 doubled, 0 shown but not stored"
    )
    ready, won = all_of("ready"), all_of("won")
    level = [pair for night in nights for pair in zip(night["level"], night["unsure"], strict=True)]
    proven = sum(off + unsure <= LEVEL_WITHIN for off, unsure in level)
    certain = max((off - unsure for off, unsure in level), default=0.0)
    loaded = all_of("loaded")
    late = sum(seconds > READY_WITHIN for seconds in ready)
    tell(
        f"ready again after {ready[len(ready) // 2]:.2f} s (median), {ready[-1]:.2f} s at most; "
        f"{late} of {len(ready)} later than {READY_WITHIN:.0f} s; of that "
        f"{loaded[len(loaded) // 2]:.2f} s (median), {loaded[-1]:.2f} s at most after the imports; "
        "without what others had the processors for"
    )
    tell(
        f"level clock within {LEVEL_WITHIN} ms for certain after {proven} of {len(level)} "
        f"restarts, off by {max(0.0, certain):.1f} ms for certain at most; "
        f"{len(won)} action clocks held, with {won[0]:.0f} to {won[-1]:.0f} ms more than they had"
    )


async def _running_clock(hub: HubProcess, ledger: Ledger) -> tuple[asyncio.Task[None], Client]:
    """Let an action clock run at table 1."""
    hub.start()
    await hub.ready()
    client = Client(hub.ws, "director", ledger, hub.token)
    task = asyncio.create_task(client.run())
    await client.done("", "event.create", preset="faults")
    for seat in (1, 2, 3):
        await client.done("1", "seat.put", player=f"p{seat}", table=1, seat=seat)
    await client.done("1", "clock.start")
    await client.done("1", "hand.start", table=1)
    await client.done("1", "action.start", table=1, seat=1)
    await client.follow("t/1/table/1")
    return task, client


async def test_deaths_at_start(tmp_path: Path) -> None:
    """A hub that dies before its n-th commit takes nothing from a clock that ran before."""
    hub, ledger, nest = HubProcess(tmp_path), Ledger(), Nest()
    task, client = await _running_clock(hub, ledger)
    won = {}
    try:
        for number in range(1, AT_START + 1):
            left = await _left_at_death(hub, client, ledger)
            await asyncio.sleep(AWAY)
            hub.start_from(nest, RAILBIRD_DIE=f"at-start:{number}")
            await until(lambda: hub.dead or client.welcomed, "it neither dies nor lives")
            hub.kill()
            await until(lambda: not client.connected, "somebody is connected")
            hub.start_from(nest)
            await until(lambda: client.welcomed, "the hub did not come back")
            await until(lambda: _action(client)["status"] == "held", "the clock is not held")
            assert _action(client)["interrupted"]
            won[number] = _action(client)["remaining_ms"] - left
            await client.done("1", "action.release", table=1)
    finally:
        task.cancel()
        hub.kill()
        nest.close()
    tell(f"action clock after a death before the n-th commit of a start: {won} ms")
    assert min(won.values()) > -10


async def _left_at_death(hub: HubProcess, client: Client, ledger: Ledger) -> float:
    """Kill a hub under a running action clock, and give the milliseconds that it had."""
    await until(lambda: _action(client)["status"] == "running", "no clock runs")
    client.session.best = None
    await client.probe()
    await until(lambda: client.session.best is not None, "no probe was answered")
    best = client.session.best
    assert best is not None
    died = own_ms() + best.offset
    hub.kill()
    await until(lambda: not client.connected, "somebody is connected")
    ledger.compare(hub.data, hub.data.parent / "scratch")
    assert not ledger.wrong
    return float(_action(client)["ends_at"] - died)


def _action(client: Client) -> Any:
    return client.doc("t/1/table/1")["action"]
