"""Presets: finds and reads the TOML files that say how a house plays.

Reading is strict. A mistake is told with the file, the key and the reason, because a structure with
a wrong number is worse than none.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

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
    if preset in shipped():
        return _read(HOUSES / f"{preset}.toml")
    path = Path(preset)
    if path.suffix != ".toml" and not path.exists():
        raise BadPreset(
            f"there is no preset {preset!r}; the known ones are: {', '.join(shipped())}"
        )
    return _read(path)


def _read(path: Path) -> Rules:
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
    return _built(Rules, raw, path)


def _built(cls: type[T], raw: Mapping[str, Any], path: Path) -> T:
    try:
        return build(cls, raw)
    except BadInput as bad:
        raise BadPreset(f"{path}: {bad}") from None


def _toml(path: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadPreset(f"{path}: {error.strerror or error}") from None
    except tomllib.TOMLDecodeError as error:
        raise BadPreset(f"{path}: not TOML: {error}") from None
    except UnicodeDecodeError:
        raise BadPreset(f"{path}: not TOML: it is not UTF-8") from None
    except (ValueError, RecursionError):
        raise BadPreset(f"{path}: not TOML: a number or a nesting without end") from None
