"""Every target of the fuzzing bears its seeds, changes of them, and what was once found."""

from __future__ import annotations

from random import Random

import pytest

from tests.fuzz.targets import TARGETS, leave

CHANGES = 400
PIECES = (
    b'"', b"{", b"}", b"[", b"]", b":", b",", b"\n", b"\0", b"\xff", b"\\ud800", b"-", b"1e999",
    b"9" * 40, b"null", b"true", b"=", b"NaN", b"[" * 600, b"\xe2\x80\xae", b"1979-05-27", b"''",
)  # fmt: skip
FOUND = {
    "theme": [
        b"chips = " + b"9" * 5_000,
        b"mark = 0001-01-01T00:00:00+99:99",
        b"like = []",
        b"id = 1979-05-27",
    ],
}
"""What fuzzing has found, or nearly: each broke something once, or was about to."""


def changed(seed: bytes, rng: Random) -> bytes:
    """Change a seed a little: cut, repeat, put in, flip."""
    data = bytearray(seed)
    for _ in range(rng.randint(1, 4)):
        at = rng.randint(0, len(data))
        match rng.randrange(4):
            case 0:
                del data[at : at + rng.randint(1, 12)]
            case 1:
                data[at:at] = rng.choice(PIECES)
            case 2:
                data[at:at] = data[at : at + rng.randint(1, 60)]
            case _ if at < len(data):
                data[at] ^= 1 << rng.randrange(8)
            case _:
                pass
    return bytes(data)


@pytest.mark.parametrize("name", TARGETS)
def test_fuzz(name: str) -> None:
    """Nothing that comes in is worse than refused."""
    target, seeds = TARGETS[name]
    rng = Random(name)  # noqa: S311 - the point is that it can be repeated
    for data in (b"", *seeds, *FOUND.get(name, ())):
        target(data)
    for _ in range(CHANGES):
        target(changed(rng.choice(seeds), rng))
    leave()
