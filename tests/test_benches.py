"""Every benchmark starts and gives figures: what is run by hand now and then rots otherwise."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.needs import GIVE_UP

BENCH = Path(__file__).parents[1] / "bench"
SCRIPTS = sorted(path for path in BENCH.glob("*.py") if "\ndef rows(" in path.read_text("utf-8"))


def test_they_are_found() -> None:
    """What defines `rows` is a benchmark: see `bench/report.py`."""
    assert {"fanout.py", "latency.py", "sync.py"} < {script.name for script in SCRIPTS}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_it_starts(script: Path) -> None:
    """Its quick form runs to its end; what it measures on a machine that tests is not judged."""
    run = subprocess.run(
        [sys.executable, str(script), "--quick", "--no-header"],
        capture_output=True,
        encoding="utf-8",
        timeout=5 * GIVE_UP,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.strip(), "no figures"
