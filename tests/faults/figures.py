"""What was measured, printed at the end of a run."""

from __future__ import annotations

LINES: list[str] = []


def tell(line: str) -> None:
    """Print a line at the end."""
    LINES.append(line)
