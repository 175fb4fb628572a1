"""Fuzz with atheris: `python -m tests.fuzz [SECONDS] [TARGET …]`, one process a target.

What is learned is kept in `.fuzz/` and goes on from there the next time; an input that breaks
something is left there too, and printed. Once mended, it goes into `FOUND` in `test_targets.py`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

KEPT = Path(".fuzz")
SECONDS = 60
PLAYED = "RAILBIRD_FUZZ"


def main(words: list[str]) -> int:
    """Fuzz each target for a while, one after the other; give the number that broke."""
    from tests.fuzz.targets import TARGETS  # noqa: PLC0415 - not before it is instrumented

    seconds = int(words.pop(0)) if words and words[0].isdigit() else SECONDS
    broken = []
    for name in words or TARGETS:
        corpus = KEPT / name
        corpus.mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate(TARGETS[name][1]):
            (corpus / f"seed-{number}").write_bytes(seed)
        print(f"── {name}, {seconds} s", flush=True)  # noqa: T201 - this is a command
        options = [f"-max_total_time={seconds}", f"-artifact_prefix={KEPT}/{name}-", "-timeout=10"]
        quiet = ["-print_final_stats=1", "-verbosity=0", "-max_len=4096", "-rss_limit_mb=1024"]
        run = subprocess.run(
            [sys.executable, "-m", "tests.fuzz", *options, *quiet, str(corpus)],
            env={**os.environ, PLAYED: name},
            check=False,
        )
        if run.returncode:
            broken.append(name)
    print(f"broken: {', '.join(broken) or 'none'}")  # noqa: T201
    return len(broken)


def fuzz(name: str) -> None:
    """Fuzz one target, for ever or as long as the options say."""
    try:
        import atheris  # noqa: PLC0415 - an extra of its own
    except ImportError:
        raise SystemExit("atheris is not installed: pip install '.[fuzz]'") from None
    with atheris.instrument_imports(include=["server", "themes", "tomllib"]):
        from tests.fuzz.targets import TARGETS  # noqa: PLC0415 - it must be instrumented
    atheris.Setup(sys.argv, TARGETS[name][0])
    atheris.Fuzz()


if __name__ == "__main__":
    if PLAYED in os.environ:
        fuzz(os.environ[PLAYED])
    else:
        raise SystemExit(main(sys.argv[1:]))
