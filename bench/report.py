"""The one table that all benchmarks print, and what their rows have in common.

A benchmark is a file beside this one that defines `rows(quick: bool)` and ends with

    if __name__ == "__main__":
        main(__doc__, rows)

It is found by that: `bench/all.py` runs it, and `tests/test_benches.py` runs its quick form, which
is the same code with smaller rooms and fewer rounds, some five seconds of one core. It must come to
its end on a machine that is busy: a goal that was missed is printed, and fails nothing.
"""

from __future__ import annotations

import argparse
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

WIDTHS = (66, 13, 13, 9, 10)


@dataclass(frozen=True, slots=True)
class Row:
    """One line: what was measured, ours, what it is held against, their ratio and its goal."""

    name: str
    ours: str
    reference: str = ""
    ratio: float | None = None
    goal: float | None = None
    note: str = ""
    met: bool | None = None  # where the goal is not a ratio
    target: str = ""  # the goal in words, where it is not a ratio

    @property
    def verdict(self) -> str:
        """Say whether the goal was met; nothing where there is none."""
        if self.met is not None:
            return "ok" if self.met else "MISS"
        if self.ratio is None or self.goal is None:
            return ""
        return "ok" if self.ratio <= self.goal else "MISS"

    def __str__(self) -> str:
        ratio = "" if self.ratio is None else f"x {self.ratio:.2f}"
        goal = self.target or ("" if self.goal is None else f"<= {self.goal}")
        return line(self.name, self.ours, self.reference, ratio, goal, self.verdict, self.note)


def line(*columns: str) -> str:
    """Align columns: the first to the left, figures to the right, remarks behind them."""
    name, *figures, verdict, note = columns
    head = f"{name:<{WIDTHS[0]}}"
    body = "".join(f"{text:>{width}}" for text, width in zip(figures, WIDTHS[1:], strict=True))
    return f"{head}{body}  {verdict:<5} {note}".rstrip()


def header() -> str:
    """Give the first line of the table."""
    return line("name", "ours", "reference", "ratio", "goal", "", "")


def percentile(values: Sequence[float], share: float) -> float:
    """Give the value below which such a share lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def middle_ratio(ours: Iterable[float], reference: Iterable[float]) -> float:
    """Give the middle one of the rounds' ratios."""
    return statistics.median(a / b for a, b in zip(ours, reference, strict=True))


def main(about: str | None, rows: Callable[[bool], Iterable[Row]]) -> None:
    """Run a benchmark as a script: rows are printed as they come."""
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="fewer rounds, smaller rooms")
    parser.add_argument("--no-header", action="store_true", help="for bench/all.py")
    args = parser.parse_args()
    if not args.no_header:
        print(header(), flush=True)
    for row in rows(args.quick):
        print(row, flush=True)
