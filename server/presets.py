"""Presets: finds and reads the TOML files that say how a house plays.

Reading is strict. A mistake is told with the file, the key and the reason, because a structure with
a wrong number is worse than none.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from server import bounded_toml
from server.engine import BadInput, Rules
from server.engine.reading import build
from server.engine.structure import Structure

T = TypeVar("T")

HOUSES = Path(__file__).parent / "houses"


class BadPreset(Exception):  # noqa: N818 - the file's error, told in words for who wrote it
    """A preset that cannot be used; the message names the file, the key and the reason."""


def shipped() -> list[str]:
    """List the ids of the presets that come with Railbird."""
    return sorted(path.stem for path in HOUSES.glob("*.toml"))


def load(preset: str) -> Rules:
    """Read a preset by its id, or a TOML file by its path."""
    path = find(preset)
    return _built(Rules, source(path), path)


def find(preset: str, folder: Path | None = None) -> Path:
    """Find a preset's file: one that is shipped, or a path; given a folder, one in that folder."""
    if preset in shipped():
        return HOUSES / f"{preset}.toml"
    if folder is None:
        path = Path(preset)
        if path.suffix == ".toml" or path.exists():
            return path
        own = []
    else:
        own = sorted(path.stem for path in folder.glob("*.toml"))
        if preset in own:
            return folder / f"{preset}.toml"
    known = ", ".join([*shipped(), *own])
    raise BadPreset(f"there is no preset {preset!r}; the known ones are: {known}")


def source(path: Path) -> Mapping[str, Any]:
    """Read what a preset's file says, with the structure that it refers to put in its place."""
    raw = _toml(path)
    structure = raw.get("structure")
    if isinstance(structure, str):
        known = {found.stem: found for found in (HOUSES / "structures").glob("*.toml")}
        if structure not in known:
            names = ", ".join(sorted(known))
            raise BadPreset(f"{path}: structure: must be a table, or one of {names}")
        own = _toml(known[structure])
        _built(Structure, own, known[structure])  # a mistake in it is told with its own file
        raw = {**raw, "structure": own}
    return raw


def _built(cls: type[T], raw: Mapping[str, Any], path: Path) -> T:
    try:
        return build(cls, raw)
    except BadInput as bad:
        raise BadPreset(f"{path}: {bad}") from None


def _toml(path: Path) -> Mapping[str, Any]:
    try:
        return bounded_toml.load(path)
    except OSError as error:
        raise BadPreset(f"{path}: {error.strerror or error}") from None
    except bounded_toml.BadToml as error:
        raise BadPreset(f"{path}: not TOML: {error}") from None
