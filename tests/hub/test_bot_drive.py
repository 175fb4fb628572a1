"""The load driver against a real hub."""

from collections import Counter
from pathlib import Path

import pytest

from server.access import Badge
from server.bot import Report, Spread, drive
from server.config import Config, Limits
from server.protocol.link import Closed
from server.serve import served


async def test_a_short_drive(tmp_path: Path) -> None:
    """Dealers keep the rate, nothing is refused, every tap is seen, and the event is put away."""
    async with served(Config(data=str(tmp_path), port=0, limits=Limits(rate=1_000))) as hub:
        token = hub.hub.reception.devices.issue(Badge("director", "Dora"))
        report = await drive(hub.local, token, tables=3, viewers=6, rate=60, seconds=1.0)
        assert not hub.hub.desks
    assert 45 <= report.acknowledged.count <= 60
    assert report.seen.count == 2 * report.acknowledged.count
    assert not report.refused
    assert report.unseen == report.reconnects == 0
    assert 0 < report.acknowledged.p50 <= report.acknowledged.most


async def test_a_drive_needs_a_director(tmp_path: Path) -> None:
    """A token that is not known ends the drive at once, in the hub's words."""
    async with served(Config(data=str(tmp_path), port=0, limits=Limits(rate=1_000))) as hub:
        with pytest.raises(Closed, match="not known"):
            await drive(hub.local, "wrong", tables=1, viewers=0, rate=10, seconds=1.0)


def test_the_table_that_is_printed() -> None:
    """Percentiles are those of the times themselves, and refusals are listed."""
    spread = Spread.of([n / 1_000 for n in range(1, 101)])
    assert spread == Spread(100, 50, 95, 99, 100)
    refused = Counter({("hand.end", "not_running"): 2})
    lines = Report(spread, Spread.of([]), 49.96, 0, 1, refused).lines()
    assert lines[1].split() == ["tap", "→", "acknowledged", "100", "50.0", "95.0", "99.0", "100.0"]
    assert lines[3] == "50.0 commands a second; 2 refused, 1 reconnects, 0 unseen"
    assert "hand.end: not_running" in lines[4]
