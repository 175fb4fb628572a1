"""The browser's modules, run by node on the vectors that the Python is held to."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NEEDED = (20, 19)
"""The first node that takes a .js file for a module by its contents, as browsers are told to."""


def _node() -> str:
    found = shutil.which("node")
    if found is None:
        pytest.skip("node is not installed: the browser's modules are not tested here")
    said = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout
    if tuple(int(part) for part in said.strip().lstrip("v").split(".")[:2]) < NEEDED:
        pytest.skip(f"node {said.strip()} is too old to test the browser's modules: 20.19 or later")
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
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
