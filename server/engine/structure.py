"""The structure of an event: its levels and breaks, and the levels that go on beyond the table.

Levels are numbered, breaks are not. A step is found by its index; an index beyond the written
steps is a continuation level where the house has them (SL-S, SL-K), and nothing where it has not.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from server.engine.flow import MINUTE
from server.engine.reading import BadInput, arg, build, choice, each, nullable, record, whole

MOST_STEPS = 400
AMOUNT = whole(0, 10**12)
POSITIVE_AMOUNT = whole(1, 10**12)
MINUTES = whole(1, 24 * 60)
HANDS = whole(1, 1_000)


@dataclass(frozen=True, slots=True)
class Blinds:
    """What a hand is played at."""

    level: int
    small: int
    big: int
    ante: int


@dataclass(frozen=True, slots=True)
class Level:
    """A level lasts for minutes or, against stalling, for a number of hands (AP-RP19)."""

    small: int = arg(AMOUNT)
    big: int = arg(POSITIVE_AMOUNT)
    ante: int = arg(AMOUNT, default=0)
    minutes: int | None = arg(nullable(MINUTES), default=None)
    hands: int | None = arg(nullable(HANDS), default=None)

    @property
    def length(self) -> int | None:
        """How long it lasts: None where hands are counted instead."""
        return None if self.minutes is None else self.minutes * MINUTE


@dataclass(frozen=True, slots=True)
class Break:
    """A break; without minutes it lasts until the director sets its time or ends it (SL-S)."""

    minutes: int | None = arg(nullable(MINUTES), default=None)
    colour_up: tuple[int, ...] = arg(each(POSITIVE_AMOUNT, 10), default=())

    @property
    def length(self) -> int | None:
        """How long it lasts: None where the director decides."""
        return None if self.minutes is None else self.minutes * MINUTE


Step = Level | Break


def step(raw: Any, where: str) -> Step:
    """Read one step: a table of `small` and `big`, or one with `phase = "break"`."""
    if not isinstance(raw, Mapping):
        raise BadInput(where, "must be a table: a level has small and big, a break has a phase")
    phase = choice("level", "break")(raw.get("phase", "level"), f"{where}.phase")
    body = {key: value for key, value in raw.items() if key != "phase"}
    if phase == "break":
        return build(Break, body, where)
    level = build(Level, body, where)
    if level.minutes is not None and level.hands is not None:
        raise BadInput(where, "give minutes or hands, not both")
    if level.small > level.big:
        raise BadInput(f"{where}.small", "must not be more than the big blind")
    return level


STEPS = each(step, MOST_STEPS)


@dataclass(frozen=True, slots=True)
class Continuation:
    """What each level beyond the last written one adds to the one before it."""

    small: int = arg(AMOUNT)
    big: int = arg(AMOUNT)
    minutes: int = arg(MINUTES)
    ante: int = arg(AMOUNT, default=0)


@dataclass(frozen=True, slots=True)
class Structure:
    """The steps of an event, from first to last and beyond."""

    steps: tuple[Step, ...] = arg(STEPS)
    minutes: int | None = arg(nullable(MINUTES), default=None)
    continuation: Continuation | None = arg(nullable(record(Continuation)), default=None)
    numbers: tuple[int, ...] = field(init=False, repr=False, compare=False, default=())

    def __post_init__(self) -> None:
        """Give every level its length, and number the levels."""
        steps = tuple(
            replace(s, minutes=self.minutes)
            if isinstance(s, Level) and s.minutes is None and s.hands is None
            else s
            for s in self.steps
        )
        numbers, level = [], 0
        for i, s in enumerate(steps):
            if isinstance(s, Level):
                level += 1
                if s.minutes is None and s.hands is None:
                    raise BadInput(f"steps[{i}]", "has neither minutes nor hands")
            elif level == 0:
                raise BadInput(f"steps[{i}]", "the first step must be a level, not a break")
            numbers.append(level)
        if not steps:
            raise BadInput("steps", "must not be empty")
        if self.continuation is not None and not isinstance(steps[-1], Level):
            raise BadInput("continuation", "goes on from a level, but the last step is a break")
        object.__setattr__(self, "steps", steps)
        object.__setattr__(self, "numbers", tuple(numbers))

    def step(self, index: int) -> Step | None:
        """Find a step, made up by the continuation beyond the written ones."""
        beyond = index - len(self.steps) + 1
        if beyond <= 0:
            return self.steps[index]
        last, more = self.steps[-1], self.continuation
        if more is None or not isinstance(last, Level):
            return None
        return Level(
            small=last.small + beyond * more.small,
            big=last.big + beyond * more.big,
            ante=last.ante + beyond * more.ante,
            minutes=more.minutes,
        )

    def number(self, index: int) -> int:
        """Say which level a step is; for a break, the one just played."""
        beyond = max(0, index - len(self.steps) + 1)
        return self.numbers[index - beyond] + beyond

    def index(self, level: int) -> int | None:
        """Find the step that is this level."""
        if level <= self.numbers[-1]:
            return self.numbers.index(level)
        return len(self.steps) - 1 + level - self.numbers[-1] if self.continuation else None

    def blinds(self, index: int) -> Blinds:
        """Say what is played at a step; for a break, what was played before it."""
        while isinstance(found := self.step(index), Break):
            index -= 1
        if found is None:
            raise IndexError(index)
        return Blinds(self.number(index), found.small, found.big, found.ante)

    def after(self, index: int, steps: tuple[Step, ...]) -> "Structure":
        """Replace what comes from a step on; what came before it is frozen."""
        past = tuple(s for i in range(index) if (s := self.step(i)) is not None)
        return replace(self, steps=past + steps)
