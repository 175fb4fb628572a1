"""The demo as a program of its own."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from server.demo import BadDemo, room_in
from server.robots.evening import MOST_TABLES
from tests.needs import GIVE_UP

PROGRAM = """
import asyncio, tempfile
from server.config import Config
from server.demo import demo
tempfile.tempdir = {folder!r}
asyncio.run(demo(Config(port=0), tables=2, speed=800, seed=1, preset={preset!r}, say=print))
"""


async def run(folder: Path, preset: str) -> asyncio.subprocess.Process:
    """Start a demo that keeps its data below a folder."""
    code = PROGRAM.format(folder=str(folder), preset=preset)
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        sys.executable, "-u", "-c", code, stdout=pipe, stderr=pipe
    )


def left_in(folder: Path) -> list[Path]:
    """List what lies in a folder."""
    return list(folder.iterdir())


async def test_a_demo_until_it_is_told_to_stop(tmp_path: Path) -> None:
    """It greets, tells what happens, ends well when terminated, and leaves nothing behind."""
    program = await run(tmp_path, "star-brisbane-saturday")
    assert program.stdout is not None
    lines: list[str] = []
    async with asyncio.timeout(GIVE_UP):
        while not lines or "Level 2" not in lines[-1]:
            line = await program.stdout.readline()
            assert line, "it ended by itself"
            lines.append(line.decode())
        assert left_in(tmp_path)
        program.terminate()
        _, errors = await program.communicate()
    assert program.returncode == 0, errors.decode()
    assert not errors
    assert lines[0].startswith("Railbird is ready: http://")
    assert any(line.startswith("Event 1, Robot Night 1") for line in lines)
    assert not left_in(tmp_path)


async def test_a_demo_of_an_unknown_preset(tmp_path: Path) -> None:
    """The hub's own words say what is wrong, and the demo ends."""
    program = await run(tmp_path, "nonesuch")
    async with asyncio.timeout(GIVE_UP):
        _, errors = await program.communicate()
    assert program.returncode == 1
    assert "there is no preset 'nonesuch'" in errors.decode()


@pytest.mark.parametrize("wrong", [{"tables": 0}, {"tables": MOST_TABLES + 1}, {"speed": 0.0}])
def test_a_demo_that_cannot_be(wrong: dict[str, Any]) -> None:
    """Figures that make no sense are refused before anything starts."""
    with pytest.raises(BadDemo):
        room_in(None, **wrong)  # type: ignore[arg-type]
