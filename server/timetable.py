"""The timetable of a preset: when each level and break begins and ends, if all goes to plan."""

from collections.abc import Iterator
from dataclasses import dataclass

from server.engine import Rules
from server.engine.outlook import ASSUMED_BREAK
from server.engine.structure import Break

DAY = 24 * 60


@dataclass(frozen=True, slots=True)
class Row:
    """One step on the timetable, in minutes after midnight; None where nobody can know."""

    begins: int | None
    ends: int | None
    what: str
    blinds: str
    note: str


def rows(rules: Rules, start: int) -> Iterator[Row]:
    """List the steps of a preset's structure."""
    at: int | None = start
    structure = rules.structure
    for index, step in enumerate(structure.steps):
        assumed = isinstance(step, Break) and step.minutes is None
        minutes = ASSUMED_BREAK if assumed else step.minutes
        ends = None if at is None or minutes is None else at + minutes
        if isinstance(step, Break):
            what, blinds = "Break", ""
            notes = ["the director sets its length"] if assumed else []
            if step.colour_up:
                notes.append("remove " + ", ".join(f"{chip:,}s" for chip in step.colour_up))
        else:
            level = structure.number(index)
            what = f"Level {level}"
            ante = f"  ante {step.ante:,}" if step.ante else ""
            blinds = f"{step.small:,} / {step.big:,}{ante}"
            notes = [] if step.hands is None else [f"{step.hands} hands at every table"]
            if level == rules.registration.closes_at_level:
                notes.append("registration closes")
        yield Row(at, ends, what, blinds, "; ".join(notes))
        at = ends


def _clock(minutes: int | None) -> str:
    if minutes is None:
        return "  —  "
    days, rest = divmod(minutes, DAY)
    return f"{rest // 60:02}:{rest % 60:02}" + (f"+{days}" if days else "")


def render(rules: Rules, start: int) -> Iterator[str]:
    """Write the timetable as lines to print."""
    yield f"{rules.name} — {rules.house}"
    yield ""
    for row in rows(rules, start):
        times = f"{_clock(row.begins):>7} - {_clock(row.ends):<7}"
        yield f"{times}  {row.what:<9} {row.blinds:<32} {row.note}".rstrip()
    more = rules.structure.continuation
    if more is not None:
        ante = f"  ante +{more.ante:,}" if more.ante else ""
        adds = f"+{more.small:,} / +{more.big:,}{ante}"
        yield f"{'':19}and so on: {adds} every {more.minutes} minutes"
    if rules.hard_stop is not None:
        stop = start + (rules.hard_stop.at - start) % DAY
        yield f"{_clock(stop):>7}{'':12}Hard stop: play ends"
