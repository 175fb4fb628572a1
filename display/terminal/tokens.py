"""The tokens that terminals on this machine were let in with, in the user's own folder.

One file, readable by its owner only: a token is as good as the device it was given to.
"""

import contextlib
import json
import os
import tempfile
from pathlib import Path

import platformdirs

FILE = "tokens.json"


class Tokens:
    """What is kept, by the hub's address and by what the terminal is used for."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = platformdirs.user_config_path("railbird") if folder is None else folder

    def get(self, url: str, use: str) -> str | None:
        """Find a token."""
        return self._read().get(f"{use} {url}")

    def keep(self, url: str, use: str, token: str) -> None:
        """Keep a token."""
        self._write({**self._read(), f"{use} {url}": token})

    def forget(self, url: str, use: str) -> None:
        """Forget a token that the hub does not know any more."""
        known = self._read()
        if known.pop(f"{use} {url}", None) is not None:
            self._write(known)

    def _read(self) -> dict[str, str]:
        """Read the file; one that is missing or broken holds nothing, and is written anew."""
        try:
            found = json.loads((self.folder / FILE).read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        if not isinstance(found, dict):
            return {}
        return {key: token for key, token in found.items() if isinstance(token, str)}

    def _write(self, known: dict[str, str]) -> None:
        """Write the file whole or not at all; a folder that cannot be written to keeps nothing."""
        with contextlib.suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle, name = tempfile.mkstemp(dir=self.folder, prefix=FILE)  # made for its owner only
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(known, file, indent=1, sort_keys=True)
            os.replace(name, self.folder / FILE)  # noqa: PTH105 - atomic, and says so
