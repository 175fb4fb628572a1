"""All benchmarks, one after the other, in one table.

    make bench        or        .venv/bin/python bench/all.py [--quick]

Each runs in a process of its own. Absolute figures are this machine's; the ratios, each measured
against a reference in the same run, are what counts. A missed goal is shown, and fails nothing.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from time import perf_counter

from report import header

HERE = Path(__file__).parent
SCRIPTS = sorted(path for path in HERE.glob("*.py") if "\ndef rows(" in path.read_text("utf-8"))


def main() -> None:
    """Run everything."""
    begin = perf_counter()
    print(header(), flush=True)
    for script in SCRIPTS:
        words = [sys.executable, str(script), "--no-header", *sys.argv[1:]]
        status = subprocess.run(words, check=False).returncode  # noqa: S603 - our own scripts
        if status:
            print(f"{script.stem}: could not be measured, exit status {status}", flush=True)
    print(f"{perf_counter() - begin:.0f} seconds")


if __name__ == "__main__":
    main()
