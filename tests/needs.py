"""What the tests need of the machine: how long to wait for an event, and programs that must exist.

Nothing here measures: a wait ends with its event, and the limit only ends a test that would hang.
Whoever promises something in seconds checks that for itself, in a way that a machine that stalls
cannot break.
"""

from __future__ import annotations

import shutil

GIVE_UP = 60.0
"""Seconds after which an event is taken never to come: machines are slow, shared and stall."""


def program(name: str) -> str:
    """Find a program that is tested or tested with: without it the tests fail, and skip nothing."""
    found = shutil.which(name)
    assert found is not None, f"{name} is not installed: as root, `make browser` installs it"
    return found
