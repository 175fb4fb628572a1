"""Prints what the faults have measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.faults.figures import LINES

if TYPE_CHECKING:
    import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the figures."""
    if LINES:
        terminalreporter.section("faults")
        for line in LINES:
            terminalreporter.write_line(line)
