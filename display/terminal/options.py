"""Options that all screens and consoles in a terminal share; what is wrong is said in words."""

import argparse
from pathlib import Path

from themes import Shelf

HUB = "ws://127.0.0.1:8080/ws"
THEME = "midnight"


class BadOption(ValueError):  # noqa: N818 - told to who typed it
    """An option that cannot be used; the message names it."""


def add(parser: argparse.ArgumentParser, *, hub: str | None = HUB) -> None:
    """Add the shared options to a parser."""
    known = "" if hub is None else f" (default: {hub})"
    parser.add_argument("--event", help="the event's id; without it, the one that is played")
    parser.add_argument("--hub", metavar="URL", default=hub, help=f"the hub's websocket{known}")
    parser.add_argument("--theme", default=THEME, help=f"the theme (default: {THEME})")
    parser.add_argument("--themes", type=Path, metavar="DIR", help="a folder of your own themes")


def checked(options: argparse.Namespace) -> Shelf:
    """Give the themes, once every shared option is known to be good."""
    shelf = Shelf(options.themes)
    for problem in shelf.problems.values():
        raise BadOption(problem)
    if options.theme not in shelf.themes:
        raise BadOption(f"--theme: there are {', '.join(shelf.themes)}")
    if options.hub is not None and not options.hub.startswith(("ws://", "wss://")):
        raise BadOption("--hub begins with ws:// or wss://, such as ws://192.168.1.10:8080/ws")
    return shelf
