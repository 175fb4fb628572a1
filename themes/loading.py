"""Reading themes: Railbird's own, and those of a venue's folder, again whenever a file changes.

A venue's theme may say `like = "midnight"` and only what it wants otherwise. A theme with a mistake
is never half used: it is named with its mistake, and what was last good stays on the screens.
"""

from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from server import bounded_toml
from server.engine.visible import why_not
from themes.theme import Theme

FOLDER = Path(__file__).parent
BUILT_IN = ("classic", "midnight", "daylight", "high-contrast", "broadcast")
MOST_OWN = 200
"""Files of a venue's own that are looked at: more than anybody can choose from."""


class BadTheme(ValueError):  # noqa: N818 - the person who wrote the file reads this
    """A theme's file says something that cannot be used; the message names the file."""


def load(path: Path) -> Theme:
    """Read one theme; what its file lacks comes from the theme that it is like."""
    try:
        raw = _raw(path)
        like = raw.pop("like", None)
        if like is not None:
            if like not in BUILT_IN:
                raise BadTheme(f"{path.name}: `like` must be one of {', '.join(BUILT_IN)}")
            raw = _merged(_raw(FOLDER / f"{like}.toml"), raw)
        raw["id"] = path.stem
        theme = msgspec.convert(raw, Theme, strict=True)
    except msgspec.ValidationError as error:
        raise BadTheme(f"{path.name}: {error}") from None
    for key in ("name", "mark"):
        words = getattr(theme, key)
        reason = why_not(words) if words else None
        if reason is not None:
            raise BadTheme(f"{path.name}: {key} {reason}")
    return theme


def _raw(path: Path) -> dict[str, Any]:
    try:
        return bounded_toml.load(path)
    except OSError as error:
        raise BadTheme(f"{path.name}: {error.strerror}") from None
    except bounded_toml.BadToml as error:
        raise BadTheme(f"{path.name}: {error}") from None


def _merged(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    found = dict(base)
    for key, value in over.items():
        both = isinstance(value, dict) and isinstance(base.get(key), dict)
        found[key] = _merged(base[key], value) if both else value
    return found


@cache
def built_in() -> dict[str, Theme]:
    """Give Railbird's own themes, in the order in which they are offered."""
    return {name: load(FOLDER / f"{name}.toml") for name in BUILT_IN}


class Shelf:
    """All themes: Railbird's own and a folder's, which may replace them by name."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self.themes: dict[str, Theme] = dict(built_in())
        self.problems: dict[str, str] = {}  # by file name, in words
        self._seen: dict[Path, tuple[int, int]] = {}
        self.reload()

    def reload(self) -> set[str]:
        """Read again what has changed, and say which themes are not what they were."""
        seen = self._stamps()
        gone = self._seen.keys() - seen.keys()
        touched = {path for path, stamp in seen.items() if self._seen.get(path) != stamp}
        self._seen = seen
        changed = {path.stem for path in gone if self._put_back(path)}
        for path in sorted(touched):
            try:
                theme = load(path)
            except BadTheme as problem:
                self.problems[path.name] = str(problem)
                continue
            self.problems.pop(path.name, None)
            if self.themes.get(theme.id) != theme:
                self.themes[theme.id] = theme
                changed.add(theme.id)
        return changed

    def _stamps(self) -> dict[Path, tuple[int, int]]:
        found: dict[Path, tuple[int, int]] = {}
        own = [] if self.folder is None else sorted(self.folder.glob("*.toml"))
        for path in own[:MOST_OWN]:
            try:
                stat = path.stat()
            except OSError:
                continue  # gone between the two looks
            found[path] = (stat.st_mtime_ns, stat.st_size)
        return found

    def _put_back(self, path: Path) -> bool:
        """Forget a file that is gone; Railbird's own theme of that name, if any, is back."""
        self.problems.pop(path.name, None)
        before, own = self.themes.get(path.stem), built_in().get(path.stem)
        if own is None:
            self.themes.pop(path.stem, None)
        else:
            self.themes[path.stem] = own
        return before != own
