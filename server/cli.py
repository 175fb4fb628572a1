"""The `railbird` command."""

import argparse
import io
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from server import presets
from server.engine import BadInput
from server.engine.reading import time_of_day
from server.presets import BadPreset
from server.rehearsal import BadLine, rehearse
from server.timetable import render


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; 2 is the exit status for what cannot be read."""
    args = _parser().parse_args(argv)
    if isinstance(sys.stdout, io.TextIOWrapper):  # what we print is UTF-8, whatever the terminal
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        for line in args.run(args):
            print(line)
        print(end="", flush=True)
    except (BadPreset, BadLine, BadInput, OSError) as error:
        if isinstance(error, BrokenPipeError):  # whoever read our output has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        print(end="", flush=True)  # what came before the error comes before its message
        print(f"railbird: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="railbird", description="The clock of a poker tournament room."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    listing = commands.add_parser("presets", help="list the houses' presets")
    listing.set_defaults(run=_presets)

    night = commands.add_parser("rehearse", help="play a night in virtual time from a script")
    night.add_argument("preset", metavar="PRESET", help="a preset's id, or a TOML file")
    night.add_argument("script", metavar="SCRIPT.jsonl", help="the script, or - for standard input")
    night.add_argument("--events", action="store_true", help="print every event as it happens")
    night.set_defaults(run=_rehearse)

    table = commands.add_parser("timetable", help="print when each level and break begins")
    table.add_argument("preset", metavar="PRESET", help="a preset's id, or a TOML file")
    table.add_argument("--start", metavar="HH:MM", help="when play starts; else the preset's time")
    table.set_defaults(run=_timetable)
    return parser


def _presets(_args: argparse.Namespace) -> Iterable[str]:
    for preset in presets.shipped():
        rules = presets.load(preset)
        yield f"{preset:<24}{rules.name} — {rules.house}"


def _rehearse(args: argparse.Namespace) -> Iterable[str]:
    rules = presets.load(args.preset)
    if args.script == "-":
        if sys.stdin is None:
            raise BadLine("there is no standard input to read a script from")
        yield from rehearse(rules, sys.stdin.buffer, events=args.events)
        return
    with Path(args.script).open("rb") as script:
        yield from rehearse(rules, script, events=args.events)


def _timetable(args: argparse.Namespace) -> Iterable[str]:
    rules = presets.load(args.preset)
    start = rules.start or 0
    if args.start is not None:
        start = time_of_day(args.start, "--start")
    yield from render(rules, start)


if __name__ == "__main__":
    sys.exit(main())
