"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# Hypothesis does not judge by the clock of a busy machine, and plays the same examples every time:
# a landing must not hang on luck. `RAILBIRD_EXAMPLES` asks for others, and for more of them.
settings.register_profile(
    "railbird",
    deadline=None,
    derandomize="RAILBIRD_EXAMPLES" not in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.load_profile("railbird")

# Hubs in processes of their own keep their compiled modules, as installed ones do: to compile all
# of it anew would cost each of them a second.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ["PYTHONPYCACHEPREFIX"] = str(Path(__file__).parents[1] / "build" / "pycache")


def pytest_make_parametrize_id(val: Any) -> str | None:
    """Name tests after functions, not after where they lie: all processes must agree on names."""
    return getattr(val, "__name__", None) if callable(val) else None


class FailuresAtOnce:
    """Prints the end of what a failing test says when it fails, not minutes later with the rest."""

    LINES = 20

    def __init__(self, terminal: pytest.TerminalReporter) -> None:
        self._terminal = terminal

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Print a failure."""
        if report.failed:
            self._terminal.write_line("")
            self._terminal.write_line(f"FAILED {report.nodeid} ({report.when})", red=True)
            for line in report.longreprtext.splitlines()[-self.LINES :]:
                self._terminal.write_line(f"    {line}")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Print failures at once, in the process that prints: its reporter is there by now."""
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None:
        config.pluginmanager.register(FailuresAtOnce(terminal), "failures-at-once")
