"""The browser's modules, run by node on the vectors that the Python is held to."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.needs import GIVE_UP, program

HERE = Path(__file__).parent
NEEDED = (20, 19)
"""The first node that takes a .js file for a module by its contents, as browsers are told to."""


def _node() -> str:
    found = program("node")
    said = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout
    version = tuple(int(part) for part in said.strip().lstrip("v").split(".")[:2])
    assert version >= NEEDED, f"node {said.strip()} is too old for these tests: 20.19 or later"
    return found


def test_the_browser_modules() -> None:
    """Every test that node runs on the browser's modules passes."""
    files = sorted(str(path) for path in HERE.glob("*.test.mjs"))
    assert files
    run = subprocess.run(
        [_node(), "--test", *files],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=5 * GIVE_UP,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
