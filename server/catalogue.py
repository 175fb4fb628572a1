"""The catalogue: every preset that an event can be created from, each in one line.

Shipped ones and the venue's own, whose mistakes are told instead of hidden: a director who misses a
preset should read why. Reading files takes time, so the hub reads them beside its loop, and again
while somebody looks.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from server import presets
from server.engine import Rules
from server.engine.reading import build
from server.engine.structure import Break, Level
from server.presets import BadPreset

MOST_OWN = 200
"""Files of the venue's own that are listed."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What was found."""

    presets: tuple[dict[str, Any], ...] = ()
    problems: tuple[str, ...] = ()


@cache
def shipped_rows() -> tuple[dict[str, Any], ...]:
    """Describe the presets that are shipped: they do not change while the hub runs."""
    return tuple(row(preset, presets.load(preset), own=False) for preset in presets.shipped())


Read = dict[str, Any] | str
"""What a file came to: a row of the list, or what is wrong with it."""


class OwnPresets:
    """The venue's folder: a file is read again only when it has changed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[Path, tuple[tuple[int, int], Read]] = {}
        self.found = Catalogue()

    def look(self) -> Catalogue:
        """List all presets: those that are shipped, then those in the folder."""
        found, problems = list(shipped_rows()), []
        try:
            own = sorted(self._folder.glob("*.toml"))
        except OSError as error:
            own = []
            problems.append(f"{self._folder}: {error.strerror or error}")
        if len(own) > MOST_OWN:
            problems.append(f"{self._folder}: only the first {MOST_OWN} presets are listed")
        before, self._read = self._read, {}
        for path in own[:MOST_OWN]:
            try:
                stat = path.stat()
            except OSError:
                continue  # gone between the two looks
            stamp, known = (stat.st_mtime_ns, stat.st_size), before.get(path)
            known = known if known is not None and known[0] == stamp else (stamp, _own_row(path))
            self._read[path] = known
            if isinstance(known[1], str):
                problems.append(known[1])
            else:
                found.append(known[1])
        self.found = Catalogue(tuple(found), tuple(problems))
        return self.found


def _own_row(path: Path) -> Read:
    if path.stem in presets.shipped():
        return f"{path}: a shipped preset has this name already"
    try:
        rules = build(Rules, presets.source(path))
    except BadPreset as bad:
        return str(bad)
    except ValueError as bad:
        return f"{path}: {bad}"
    return row(path.stem, rules, own=True)


def row(preset: str, rules: Rules, *, own: bool) -> dict[str, Any]:
    """Describe a preset in one row."""
    steps = rules.structure.steps
    action = rules.action
    return {
        "id": preset,
        "name": rules.name,
        "house": rules.house,
        "own": own,
        "summary": summary(rules),
        "levels": sum(isinstance(step, Level) for step in steps),
        "minutes": sum(step.minutes or 0 for step in steps),
        "breaks": sum(isinstance(step, Break) for step in steps),
        "stack": rules.stack,
        "seats": rules.seats,
        "start": start_words(rules),
        "action": None
        if action is None
        else {
            "seconds": action.seconds,
            "chips": action.chips,
            "chip_seconds": action.chip_seconds,
            "introduce": action.introduce,
        },
    }


STAGES = {
    "start": "",
    "level": " from a level on",
    "money": " in the money",
    "final_table": " at the final table",
    "hand": " when introduced",
}


def summary(rules: Rules) -> str:
    """Say in one line what an evening with a preset is like."""
    levels = [step for step in rules.structure.steps if isinstance(step, Level)]
    lengths = sorted({step.minutes for step in levels if step.minutes is not None})
    each = " or ".join(map(str, lengths))
    parts = [f"{len(levels)} levels" + (f" of {each} min" if each else "")]
    action = rules.action
    if action is None:
        parts.append("no shot clock")
    else:
        chips = f" + {action.chips} × {action.chip_seconds} s" if action.chips else ""  # noqa: RUF001
        parts.append(f"{action.seconds} s{chips}{STAGES.get(action.introduce, '')}")
    if rules.start is not None:
        parts.append(f"starts {_time(rules.start)}")
    if rules.hard_stop is not None:
        parts.append(f"ends by {_time(rules.hard_stop.at)}")
    return ", ".join(parts)


def start_words(rules: Rules) -> str | None:
    """Write the house's own start time, where it has one."""
    return None if rules.start is None else _time(rules.start)


def _time(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"
