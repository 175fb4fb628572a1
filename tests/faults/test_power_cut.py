"""The power is cut: what was acknowledged is there afterwards, whole, whatever the disk forgot.

In simulation everywhere: everything that SQLite hands to the disk is recorded, and of what was not
synced before the cut an arbitrary part is lost, sector by sector. And for real where this machine
allows it: the image of a file system is copied under a live writer, mounted and read.
"""

from __future__ import annotations

import os
import pickle
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path
from random import Random
from time import monotonic
from typing import TYPE_CHECKING

import pytest

from server.journal import verify
from server.sqlite_journal import SqliteJournal
from tests.faults import vfs
from tests.faults.figures import tell
from tests.faults.process import PATIENCE, ROOT, plain_environment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.faults.scribe import Op

LINES, CUTS = 900, 90
SECTOR = 512
REAL_CUTS = 8
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108 - only to be quick
"""Where what is left after a simulated cut is looked at: that need not be durable."""


def _scribe(*words: str | Path) -> list[str]:
    return [sys.executable, "-m", "tests.faults.scribe", *map(str, words)]


def _head(path: Path) -> int:
    """Open a journal as a hub would, prove it, and give the number of its last line."""
    journal = SqliteJournal(path)
    try:
        damage = verify(journal.read())
        assert damage is None, damage
        return journal.head()[0]
    finally:
        journal.close()


# ── in simulation ────────────────────────────────────────────────────────────────────────────────


class Platter:
    """Files as a disk has them: what was synced for certain, of the rest who knows."""

    def __init__(self) -> None:
        self.certain: dict[str, bytearray] = {}
        self.pending: dict[str, list[Op]] = defaultdict(list)

    def take(self, op: Op) -> None:
        """Let something happen."""
        kind, name, _, _ = op
        match kind:
            case "sync":
                for each in self.pending.pop(name, []):
                    _apply(self.certain.setdefault(name, bytearray()), each)
            case "delete":
                self.pending.pop(name, None)
                self.certain.pop(name, None)
            case "write" | "truncate":
                self.pending[name].append(op)

    def cut(self, folder: Path, rng: Random) -> None:
        """Write down what is there after a cut: of what was not synced, any part."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        share = rng.choice((0.0, 0.5, 0.9, 1.0))
        for name in {*self.certain, *self.pending}:
            data = bytearray(self.certain.get(name, b""))
            for kind, _, offset, written in self.pending.get(name, []):
                for at in range(0, max(1, len(written)), SECTOR):
                    if rng.random() < share:
                        _apply(data, (kind, name, offset + at, written[at : at + SECTOR]))
            (folder / name).write_bytes(data)


def _apply(data: bytearray, op: Op) -> None:
    kind, _, offset, written = op
    if kind == "truncate":
        del data[offset:]
        return
    if len(data) < offset:
        data.extend(bytes(offset - len(data)))
    data[offset : offset + len(written)] = written


def _recorded(folder: Path, synchronous: str) -> list[Op]:
    log = folder / f"{synchronous}.ops"
    file = folder / synchronous / "railbird.db"
    file.parent.mkdir()
    words = _scribe(file, "--synchronous", synchronous, "--lines", str(LINES), "--record", log)
    subprocess.run(words, check=True, timeout=60, cwd=ROOT, env=plain_environment())
    found: list[Op] = pickle.loads(log.read_bytes())  # noqa: S301 - written by ourselves
    return found


def _cuts(ops: list[Op], rng: Random) -> list[int]:
    """Choose where to cut: anywhere, just after an acknowledgement, and around checkpoints."""
    first = next(i for i, op in enumerate(ops) if op[0] == "ack")
    acks = [i + 1 for i, op in enumerate(ops) if op[0] == "ack"]
    base = [i for i, op in enumerate(ops) if op[1] == "railbird.db" and i > first]
    chosen = rng.choices(range(first + 1, len(ops)), k=CUTS // 3)
    chosen += rng.choices(acks, k=CUTS // 3)
    assert base, "there was no checkpoint"
    return sorted(chosen + rng.choices(base, k=CUTS // 3))


def _lost(ops: list[Op], folder: Path, seed: int) -> tuple[int, int]:
    """Cut again and again; give how many cuts there were, and the acknowledged lines lost."""
    rng, platter, lost, acknowledged, done = Random(seed), Platter(), 0, 0, 0  # noqa: S311
    cuts = _cuts(ops, rng)
    for cut in cuts:
        for op in ops[done:cut]:
            platter.take(op)
            if op[0] == "ack":
                acknowledged = op[2]
        done = cut
        platter.cut(folder, rng)
        lost += max(0, acknowledged - _head(folder / "railbird.db"))
    return len(cuts), lost


@pytest.mark.skipif(not vfs.possible(), reason="this Python's SQLite cannot be wrapped")
def test_simulated_cuts(tmp_path: Path) -> None:
    """With synchronous=FULL nothing acknowledged is lost; the same cuts find NORMAL out."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as memory:
        cut = Path(memory) / "cut"
        cuts, lost = _lost(_recorded(tmp_path, "FULL"), cut, seed=1)
        _, control = _lost(_recorded(tmp_path, "NORMAL"), cut, seed=1)
    tell(f"{cuts} simulated power cuts: {lost} acknowledged lines lost (NORMAL: {control})")
    assert lost == 0
    assert control > 0, "this test would not notice a loss"


# ── for real ─────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def _mounted(image: Path, where: Path) -> Iterator[Path]:
    """Mount an image, where that is possible."""
    where.mkdir(exist_ok=True)
    words = ["mount", "-o", "loop", str(image), str(where)]
    done = subprocess.run(words, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        pytest.skip(f"no loop device here: {done.stderr.strip()}")
    try:
        yield where
    finally:
        subprocess.run(["umount", str(where)], check=True)  # noqa: S607 - the system's own


def _image(path: Path) -> Path:
    if os.geteuid() != 0 or shutil.which("mkfs.ext4") is None:
        pytest.skip("mounting needs root and mkfs.ext4")
    with path.open("wb") as file:
        file.truncate(32 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-F", str(path)], check=True)  # noqa: S607
    return path


class Acknowledged:
    """Reads what a scribe says, as far as it has been said."""

    def __init__(self, stream: int) -> None:
        self._stream, self._rest, self.last = stream, b"", 0

    def read(self, least: int) -> None:
        """Read all there is, and until a line was acknowledged."""
        deadline = monotonic() + PATIENCE
        while select.select([self._stream], [], [], 0 if self.last >= least else 0.1)[0] or (
            self.last < least
        ):
            assert monotonic() < deadline, "the scribe does not write"
            if select.select([self._stream], [], [], 0)[0]:
                data = self._rest + os.read(self._stream, 65536)
                assert data, "the scribe has ended"
                *lines, self._rest = data.split(b"\n")
                self.last = max([self.last, *map(int, lines)])


def _really_cut(folder: Path, synchronous: str, cuts: int) -> int:
    """Copy a file system's image under a live writer; give the acknowledged lines lost."""
    folder.mkdir()
    image, lost = _image(folder / "live.img"), 0
    with _mounted(image, folder / "live") as live:
        words = _scribe(live / "railbird.db", "--synchronous", synchronous)
        with subprocess.Popen(
            words, stdout=subprocess.PIPE, cwd=ROOT, env=plain_environment()
        ) as scribe:
            try:
                assert scribe.stdout is not None
                said = Acknowledged(scribe.stdout.fileno())
                for number in range(cuts):
                    said.read(said.last + 50 + 37 * number)
                    copy = folder / "cut.img"
                    scribe.send_signal(signal.SIGSTOP)  # an image of one instant
                    said.read(0)
                    shutil.copyfile(image, copy)
                    scribe.send_signal(signal.SIGCONT)
                    with _mounted(copy, folder / "cut") as cut:
                        lost += max(0, said.last - _head(cut / "railbird.db"))
            finally:
                scribe.kill()
    return lost


def test_real_cuts(tmp_path: Path) -> None:
    """A file system that lost its power has every line that was acknowledged before."""
    lost = _really_cut(tmp_path / "full", "FULL", REAL_CUTS)
    control = _really_cut(tmp_path / "normal", "NORMAL", 1)
    tell(f"{REAL_CUTS} cuts of an ext4 image: {lost} acknowledged lines lost (NORMAL: {control})")
    assert lost == 0
    assert control > 0, "this test would not notice a loss"
