"""Modes: data is for the hub's own user only, and what is other people's stays as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from server import modes

if TYPE_CHECKING:
    from pathlib import Path


def _mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


def test_what_an_older_hub_left_open_is_closed(tmp_path: Path) -> None:
    """The folder and the hub's own files; a file of somebody else's stays as it is."""
    for name in ("railbird.db", "railbird.db-wal", "director.token", "notes.txt"):
        (tmp_path / name).touch(0o644)
    tmp_path.chmod(0o755)
    modes.make_private(tmp_path)
    assert _mode(tmp_path) == 0o700
    found = {path.name: _mode(path) for path in tmp_path.iterdir()}
    assert found.pop("notes.txt") == 0o644
    assert set(found.values()) == {0o600}


def test_a_folder_that_many_use_stays_theirs(tmp_path: Path) -> None:
    """Data in /tmp must not take /tmp from everybody else on the machine."""
    tmp_path.chmod(0o1777)
    (tmp_path / "railbird.db").touch(0o644)
    modes.make_private(tmp_path)
    assert (_mode(tmp_path), _mode(tmp_path / "railbird.db")) == (0o1777, 0o600)
