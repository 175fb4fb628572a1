"""The gallery: themes and sounds of the house, looked at again and again while the hub runs.

Files are read by a thread, never by the loop. What pages may know of them is one small document:
names, and a version of each that changes when the file does.
"""

import asyncio
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from server.daemon_threads import DaemonThreads
from themes import Shelf, Theme, css

EVERY = 2.0
"""Seconds between two looks: a saved theme is on the walls before its author has turned round."""

SOUNDS = ("level", "minute", "break", "announcement", "ten", "tick", "zero")
"""What a venue may have a recording of; what it has not is synthesised by the page."""

RECORDINGS = (".ogg", ".opus", ".mp3", ".m4a", ".wav", ".flac")
MOST_BYTES = 4 << 20
"""A minute of good sound. What is larger is a song, and would keep a screen busy."""


class Gallery:
    """All themes, and the venue's own sounds."""

    def __init__(self, themes: Path, sounds: Path) -> None:
        self._folder, self._sounds = themes, sounds
        self._shelf: Shelf | None = None
        self._seen: dict[str, Any] = {}

    def look(self) -> bool:
        """Look at the files, and say whether anything has changed."""
        if self._shelf is None:
            self._shelf = Shelf(self._folder)
        else:
            self._shelf.reload()
        before, problems = self._seen, dict(self._shelf.problems)
        themes = {theme.id: _theme(theme) for theme in self._shelf.themes.values()}
        # As a whole: the loop may be reading the last one.
        self._seen = {"themes": themes, "sounds": self._recordings(), "problems": problems}
        return before != self._seen

    def _found(self) -> dict[str, Any]:
        if not self._seen:
            self.look()
        return self._seen

    def names(self) -> list[str]:
        """List the themes."""
        return list(self._found()["themes"])

    def style(self, theme: str) -> str | None:
        """Give a theme's style sheet; None if there is no such theme."""
        found = self._found()["themes"].get(theme)
        return None if found is None else str(found["css"])

    def picture(self, name: str) -> Path:
        """Say where a theme's picture is."""
        return self._folder / name

    def recording(self, file: str) -> Path | None:
        """Find a sound of the venue's by its file's name; None if it is none."""
        known = {row["file"] for row in self._found()["sounds"].values()}
        return self._sounds / file if file in known else None

    def problems(self) -> dict[str, str]:
        """Say in words which files cannot be used, as far as anybody has looked."""
        return dict(self._seen.get("problems", {}))

    def document(self) -> dict[str, Any]:
        """Tell pages what there is, and which version of it."""
        found = self._found()
        shown = ("id", "name", "dark", "version")
        rows = [{key: theme[key] for key in shown} for theme in found["themes"].values()]
        return {"themes": rows, "sounds": found["sounds"]}

    def _recordings(self) -> dict[str, dict[str, str]]:
        """Find a file for each sound: the first kind that there is."""
        rows: dict[str, dict[str, str]] = {}
        for name in SOUNDS:
            for file in (f"{name}{suffix}" for suffix in RECORDINGS):
                try:
                    stat = (self._sounds / file).stat()
                except OSError:
                    continue
                if name not in rows and stat.st_size <= MOST_BYTES:
                    version = f"{stat.st_mtime_ns:x}-{stat.st_size:x}"
                    rows[name] = {"file": file, "version": version}
        return rows


def _theme(theme: Theme) -> dict[str, Any]:
    style = css(theme)
    version = hashlib.sha256(style.encode()).hexdigest()[:12]
    about = {"id": theme.id, "name": theme.name, "dark": theme.dark}
    return {**about, "version": version, "css": style}


async def keep_looking(gallery: Gallery, changed: Callable[[], None]) -> None:
    """Look every now and then, until cancelled, and tell who wants to know."""
    thread = DaemonThreads(1, "gallery")  # a stop does not wait for a slow folder
    try:
        while True:
            await asyncio.sleep(EVERY)
            if await asyncio.get_running_loop().run_in_executor(thread, gallery.look):
                changed()
    finally:
        thread.shutdown()
