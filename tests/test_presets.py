"""Presets: what ships, what a house's file may say, and how a mistake in it is told."""

from __future__ import annotations

import dataclasses
import re
import typing
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any

import pytest

from server import presets
from server.cli import main
from server.engine.rules import (
    ActionClock,
    CalledClock,
    FloorReason,
    FloorRules,
    FloorTimer,
    Grant,
    HandForHandRules,
    HardStop,
    Notices,
    PlacesBand,
    Registration,
    Rules,
    Streets,
)
from server.engine.structure import Break, Continuation, Level, Structure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PAGE = Path(__file__).parents[1] / "docs" / "presets.md"
SHIPPED = ["star-brisbane-friday", "star-brisbane-saturday", "apl", "apl-tour", "888pl"]
SHIPPED += ["home-poker-tourney", "selkirk-main", "selkirk-consolation"]

MINIMAL = """\
name = "Tuesday Turbo"
house = "The Corner Room"
#top
[registration]
closes_at_level = 2
#registration
#sections
[structure]
minutes = 10
steps = [{ small = 25, big = 50 }, { phase = "break" }, { small = 50, big = 100 }]
#structure
"""
STEPS = 'steps = [{ small = 25, big = 50 }, { phase = "break" }, { small = 50, big = 100 }]'


def house(**parts: str) -> str:
    """Write a small house with more in its parts: top, registration, sections, structure."""
    text = MINIMAL
    for part, more in parts.items():
        assert f"#{part}\n" in text
        text = text.replace(f"#{part}\n", more + "\n")
    return text


def with_steps(steps: str) -> str:
    """Write a small house without a common length and with other steps."""
    return MINIMAL.replace("minutes = 10\n", "").replace(STEPS, f"steps = {steps}")


def by_name(structure: str) -> str:
    """Write a small house that takes a structure by its name."""
    return house(top=f'structure = "{structure}"').partition("[structure]")[0]


@pytest.fixture
def told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[[str | bytes], str]:
    """Give a function that insists that a file is refused by every command, and gives the words."""

    def read(text: str | bytes) -> str:
        path, script = tmp_path / "bad-house.toml", tmp_path / "script.jsonl"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        script.write_text('{"at": 0, "show": ["event"]}\n', encoding="utf-8")
        messages = []
        for argv in (["timetable", str(path)], ["rehearse", str(path), str(script)]):
            assert main(argv) == 2
            printed = capsys.readouterr()
            assert printed.out == ""
            assert len(printed.err.splitlines()) == 1
            messages.append(printed.err)
        assert messages[0] == messages[1]
        assert messages[0].startswith(f"railbird: {path}: ")
        return messages[0].removeprefix(f"railbird: {path}: ").removesuffix("\n")

    return read


# ── what ships ───────────────────────────────────────────────────────────────────────────────────


def test_the_eight_presets_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """`railbird presets` gives a line for each of the eight ids, with the event's name."""
    assert main(["presets"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sorted(line.split()[0] for line in lines) == sorted(SHIPPED)
    for line in lines:
        assert presets.load(line.split()[0]).name in line


@pytest.mark.parametrize("preset", SHIPPED)
def test_a_preset_loads_and_plays(preset: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every id works in a timetable, and its file works by path as well."""
    path = presets.HOUSES / f"{preset}.toml"
    assert presets.load(preset) == presets.load(str(path))
    assert main(["timetable", preset]) == 0
    assert "Level 1 " in capsys.readouterr().out


@pytest.mark.parametrize("preset", ["apl", "apl-tour", "888pl"])
def test_houses_without_a_structure_use_railbirds_own(preset: str) -> None:
    """A house whose document gives no structure has the default one."""
    assert presets.load(preset).structure == presets.load("apl").structure


def blinds(preset: str) -> list[tuple[int, int] | str]:
    """List a preset's steps: small and big, or what is said of a break."""
    return [
        (step.small, step.big)
        if isinstance(step, Level)
        else f"break {step.minutes} {list(step.colour_up)}"
        for step in presets.load(preset).structure.steps
    ]


def lengths(preset: str) -> set[int | None]:
    """Give the lengths of a preset's levels."""
    return {s.minutes for s in presets.load(preset).structure.steps if isinstance(s, Level)}


def test_HP_S() -> None:
    """The home game has 15 levels of 20 minutes and no break in its structure (HP-K)."""
    assert blinds("home-poker-tourney") == [
        *((10, 20), (15, 30), (20, 40), (25, 50), (50, 100), (75, 150), (100, 200), (150, 300)),
        *((200, 400), (300, 600), (400, 800), (500, 1_000), (600, 1_200), (800, 1_600)),
        (1_000, 2_000),
    ]
    assert lengths("home-poker-tourney") == {20}
    rules = presets.load("home-poker-tourney")
    assert (rules.structure.continuation, rules.stack, rules.action) == (None, 1_000, None)


def test_SL_S() -> None:
    """Selkirk's main event has 18 levels of 15 minutes and three breaks that remove chips."""
    assert blinds("selkirk-main") == [
        *((100, 200), (200, 400), (300, 600), (400, 800), "break None [100]"),
        *((500, 1_000), (1_000, 2_000), (1_500, 3_000), (2_000, 4_000), "break None [500]"),
        *((3_000, 6_000), (4_000, 8_000), (5_000, 10_000), (8_000, 16_000), "break None [1000]"),
        *((10_000, 20_000), (15_000, 30_000), (20_000, 40_000), (25_000, 50_000)),
        *((30_000, 60_000), (40_000, 80_000)),
    ]
    assert lengths("selkirk-main") == {15}
    rules = presets.load("selkirk-main")
    assert (rules.stack, rules.seats, rules.registration.closes_at_level) == (15_000, 10, 5)
    assert rules.hard_stop is not None
    assert rules.hard_stop.at == 45


def test_SL_K() -> None:
    """The consolation has ten levels of 15 minutes and goes on by 500 and 1,000."""
    assert blinds("selkirk-consolation") == [
        *((100, 200), (200, 400), (400, 800), (600, 1_200), (800, 1_600), (1_000, 2_000)),
        *((1_200, 2_400), (1_500, 3_000), (2_000, 4_000), (2_500, 5_000)),
    ]
    assert lengths("selkirk-consolation") == {15}
    structure = presets.load("selkirk-consolation").structure
    assert structure.step(10) == Level(small=3_000, big=6_000, minutes=15)
    assert structure.step(12) == Level(small=4_000, big=8_000, minutes=15)
    assert presets.load("selkirk-consolation").stack == 5_000


# ── a house of one's own ─────────────────────────────────────────────────────────────────────────


def test_a_new_house_needs_no_python(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file anywhere, whatever its name ends with, works by its path in every command."""
    script = tmp_path / "script.jsonl"
    script.write_text('{"at": 0, "do": "clock.start"}\n{"at": 600000, "show": ["event"]}\n')
    for name in ("my house.toml", "my-house.cfg"):
        path = tmp_path / name
        path.write_text(MINIMAL)
        assert main(["timetable", str(path), "--start", "20:00"]) == 0
        assert "20:10" in capsys.readouterr().out
        assert main(["rehearse", str(path), str(script)]) == 0
        assert '"phase": "break"' in capsys.readouterr().out


def test_every_part_of_a_house_can_be_said(tmp_path: Path) -> None:
    """A file that uses every section is read as it is written."""
    path = tmp_path / "all.toml"
    top = 'start = "19:00"\nplaces = [{ entries = 9, places = 2 }]\nfirst_button = 1'
    sections = """
[action]
seconds = 20
introduce = "level"
introduce_level = 3
streets = { preflop = 10 }
grants = [{ chips = 2, stage = "level", level = 4 }, { chips = 1, stage = "money" }]
[hard_stop]
at = "00:15"
[[floor_timers]]
name = "draw"
break_number = 1
edge = "end"
minutes = -5
"""
    path.write_text(house(top=top, sections=sections))
    rules = presets.load(str(path))
    assert rules.action is not None
    assert rules.action.base("preflop") == 10
    assert rules.action.base("flop") == 20
    assert [grant.level for grant in rules.action.grants] == [4, None]
    assert rules.places_paid(9) == 2
    assert rules.floor_timers[0].minutes == -5
    assert rules.hard_stop_after == (5 * 60 + 15) * 60_000


# ── mistakes ─────────────────────────────────────────────────────────────────────────────────────

HEX = "0x" + "f" * 5_000
ACTION = "[action]\nseconds = 20\n"
GRANT = 'grants = [{ chips = 1, stage = "level" }]'
TIMES = ['"24:00"', '"17:60"', '"17"', '"1730"', '"5.30 pm"', '"17:30:00"', '"-1:30"', '""', '":"']
TIMES += ['"²:00"', '"17: 30"', "17:30:00", "1730", "true", '"0017:30"']
HARD_STOP = '[hard_stop]\nat = "25:00"'
TIMER = '[[floor_timers]]\nname = "x"\nminutes = 1\nedge = "start"\n'
HANDS_AND_MINUTES = "[{ small = 1, big = 2, minutes = 5, hands = 9 }]"
BREAK_FIRST = '[{ phase = "break", minutes = 5 }, { small = 1, big = 2, minutes = 5 }]'
LAST_IS_BREAK = '[{ small = 1, big = 2, minutes = 5 }, { phase = "break" }]'
MORE = "\ncontinuation = { small = 1, big = 2, minutes = 5 }"
MISTAKES = [
    # unknown keys, at each depth
    (house(top="stacks = 1"), "stacks", "unknown key"),
    (house(registration="closes = 1"), "registration.closes", "unknown key"),
    (house(sections=ACTION + "bank = 1"), "action.bank", "unknown key"),
    (house(sections=ACTION + "streets = { fourth = 1 }"), "action.streets.fourth", "unknown key"),
    (
        house(sections=ACTION + 'grants = [{ chips = 1, stage = "money", at = 1 }]'),
        "action.grants[0].at",
        "unknown key",
    ),
    (house(top="places = [{ entries = 9, places = 2, x = 1 }]"), "places[0].x", "unknown key"),
    (house(structure="levels = []"), "structure.levels", "unknown key"),
    (house(structure=MORE[1:-2] + ", x = 1 }"), "structure.continuation.x", "unknown key"),
    (with_steps("[{ small = 1, bigg = 2 }]"), "structure.steps[0].bigg", "unknown key"),
    (with_steps('[{ phase = "break", big = 2 }]'), "structure.steps[0].big", "unknown key"),
    # wrong types and sizes
    *(
        (house(top=f"stack = {value}"), "stack", "whole number")
        for value in ("1.0", "nan", "inf", "1e400", "true", '"7"', "[]", "{}", "2026-01-01")
    ),
    *((house(top=f"stack = {v}"), "stack", "from 1") for v in ("0", "-1", 10**30, HEX)),
    (house(top="name = 7").replace('name = "Tuesday Turbo"\n', ""), "name", "text"),
    (house().replace('"Tuesday Turbo"', '""'), "name", "empty"),
    (house().replace("Tuesday", "T" * 81), "name", "at most 80"),
    (house().replace("Tuesday", r"\u0007"), "name", "control"),
    (house(top="push_keeps_level = 1"), "push_keeps_level", "true or false"),
    (house(top="places = 3"), "places", "list"),
    (house(top="places = [3]"), "places[0]", "table"),
    (house(top="called = 30"), "called", "table"),
    (house(sections="[called]\nchoices = [30, 0]"), "called.choices[1]", "from 1"),
    (house(sections='[called]\nunfaced = "fold"'), "called.unfaced", "check, dead"),
    (house(sections='[hand_for_hand]\npolicy = "stop"'), "hand_for_hand.policy", "run_to_cap"),
    # missing keys
    ("", "name", "missing"),
    (house().replace('house = "The Corner Room"\n', ""), "house", "missing"),
    (house().replace("closes_at_level = 2", ""), "registration.closes_at_level", "missing"),
    (house().replace(STEPS, ""), "structure.steps", "missing"),
    (house(sections="[action]"), "action.seconds", "missing"),
    (house(top="places = [{ entries = 9 }]"), "places[0].places", "missing"),
    (with_steps("[{ small = 1, minutes = 5 }]"), "structure.steps[0].big", "missing"),
    (house(structure="continuation = { small = 1 }"), "structure.continuation.big", "missing"),
    # what does not go together
    (with_steps(HANDS_AND_MINUTES), "structure.steps[0]", "not both"),
    (with_steps(BREAK_FIRST), "structure.steps[0]", "must be a level"),
    (with_steps("[]"), "structure.steps", "empty"),
    (with_steps("[{ small = 1, big = 2 }]"), "structure.steps[0]", "neither minutes nor hands"),
    (with_steps(LAST_IS_BREAK + MORE), "structure.continuation", "last step is a break"),
    (house(sections='[hard_stop]\nat = "00:45"'), "hard_stop", "start"),
    (house(sections=ACTION + GRANT), "action.grants[0].level", 'stage = "level"'),
    (house(sections=ACTION + 'introduce = "level"'), "action.introduce_level", "introduce"),
    (house(sections=ACTION + "introduce_level = 3"), "action.introduce_level", "introduce"),
    (house(sections=TIMER), "floor_timers[0].level", "either"),
    (house(sections=TIMER + "level = 1\nbreak_number = 1"), "floor_timers[0].level", "either"),
    # times of day
    *((house(top=f"start = {value}"), "start", "time of day") for value in TIMES),
    (house(top=f'start = "{"9" * 5_000}:00"'), "start", "time of day"),
    (house(top='start = "19:00"', sections=HARD_STOP), "hard_stop.at", "time of day"),
    # a structure by name
    (by_name("turbo"), "structure", "railbird"),
    (by_name("../apl"), "structure", "railbird"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "key", "reason"),
    [pytest.param(*m, id=f"{m[1]} {m[2]} {i}") for i, m in enumerate(MISTAKES)],
)
def test_a_mistake_is_told_with_file_key_and_reason(
    text: str, key: str, reason: str, told: Callable[[str | bytes], str]
) -> None:
    """A file that is wrong is refused with its path, the key that is wrong, and why."""
    where, _, why = told(text).partition(": ")
    assert where == key
    assert reason in why


@pytest.mark.parametrize(
    "text",
    [
        *(b"\xff\xfe", b"name = \xff", "name", "name = ", '{"name": 1}', "[" * 100_000),
        *(
            MINIMAL + MINIMAL,
            house(top=f"stack = {'9' * 5_000}"),
            house(top="a = " + "[" * 100_000),
        ),
    ],
    ids=range(9),
)
def test_a_file_that_is_not_toml_is_told(
    text: str | bytes, told: Callable[[str | bytes], str]
) -> None:
    """What cannot be read at all is told with the path, without the words of Python."""
    assert "sys." not in told(text)


def test_a_strange_key_does_not_spoil_the_message(told: Callable[[str | bytes], str]) -> None:
    """A key with a line end in it is told in one line."""
    assert "unknown key" in told(house(top=r'"a\nb" = 1'))


@pytest.mark.parametrize("name", ["nobody", "nobody.toml", ".", "", "tests", "x" * 5_000, "APL"])
def test_a_preset_that_is_not_there(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown id, a missing file and a directory are told by name, with the known ids."""
    assert main(["timetable", name]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("railbird: ")
    assert len(printed.err.splitlines()) == 1
    if name in ("nobody", "APL"):
        assert name in printed.err
        assert all(known in printed.err for known in SHIPPED)


def test_a_mistake_in_a_named_structure_names_its_own_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A house that takes a structure by name is not blamed for a mistake in that other file."""
    (tmp_path / "structures").mkdir()
    (tmp_path / "structures" / "turbo.toml").write_text("minutes = 0\nsteps = []\n")
    (tmp_path / "quick.toml").write_text(by_name("turbo"))
    monkeypatch.setattr(presets, "HOUSES", tmp_path)
    assert main(["timetable", "quick"]) == 2
    assert "turbo.toml" in capsys.readouterr().err


# ── the page ─────────────────────────────────────────────────────────────────────────────────────

HEADINGS: dict[type, str] = {
    Rules: "The top of the file",
    Registration: "`[registration]`",
    Structure: "`[structure]`",
    Level: "A level in `steps`",
    Break: "A break in `steps`",
    Continuation: "`[structure.continuation]`",
    ActionClock: "`[action]`",
    Streets: "`[action.streets]`",
    Grant: "`[[action.grants]]`",
    CalledClock: "`[called]`",
    HandForHandRules: "`[hand_for_hand]`",
    FloorRules: "`[floor]`",
    FloorReason: "`[[floor.reasons]]`",
    Notices: "`[notices]`",
    HardStop: "`[hard_stop]`",
    PlacesBand: "`[[places]]`",
    FloorTimer: "`[[floor_timers]]`",
}


def nested(found: Any) -> Iterator[type]:
    """Walk a type and everything that it is made of, and give the dataclasses."""
    if typing.get_origin(found) is not None or isinstance(found, UnionType):
        for part in typing.get_args(found):
            yield from nested(part)
    elif dataclasses.is_dataclass(found) and isinstance(found, type):
        yield found
        hints = typing.get_type_hints(found)
        for f in dataclasses.fields(found):
            yield from nested(hints[f.name]) if "kind" in f.metadata else ()


def documented(heading: str) -> dict[str, str]:
    """Read the table under a heading of the page: the keys, each with its default."""
    page = PAGE.read_text(encoding="utf-8")
    section = re.search(
        rf"^#+ {re.escape(heading)}\n(.*?)(?=^#|\Z)", page, re.MULTILINE | re.DOTALL
    )
    assert section is not None, f"no section {heading}"
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]+) \| [^|]+ \|$", section[1], re.MULTILINE)
    return dict(rows)


def written(default: Any) -> str:
    """Write a default as the page does."""
    if default is dataclasses.MISSING:
        return "must be given"
    if default is None or default == ():
        return "none"
    if dataclasses.is_dataclass(default):
        return "its defaults"
    if isinstance(default, tuple):
        return "its own list"
    if isinstance(default, str):
        return f'`"{default}"`'
    return f"`{default:_}`" if type(default) is int else f"`{str(default).lower()}`"


def test_every_class_has_its_section() -> None:
    """Everything that a preset can hold has a section on the page."""
    assert set(nested(Rules)) == HEADINGS.keys()


@pytest.mark.parametrize("cls", HEADINGS, ids=lambda cls: cls.__name__)
def test_every_key_is_on_the_page(cls: type) -> None:
    """The page has every key of a section with its true default, and no key that does not exist."""
    fields = {f.name: written(f.default) for f in dataclasses.fields(cls) if "kind" in f.metadata}
    phase = {Level: {"phase": '`"level"`'}, Break: {"phase": "must be given"}}
    assert documented(HEADINGS[cls]) == {**fields, **phase.get(cls, {})}


def test_the_example_and_the_errors_on_the_page_are_true(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The page's house works, and spoiling it gives the messages that the page shows."""
    page = PAGE.read_text(encoding="utf-8")
    example = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)[0]
    errors = re.findall(r"```text\n(.*?)```", page, re.DOTALL)[0].splitlines()
    (tmp_path / "script.jsonl").write_text(re.findall(r"```json\n(.*?)```", page, re.DOTALL)[0])
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "my-house.toml"
    path.write_text(example)
    assert main(["timetable", "my-house.toml", "--start", "20:15"]) == 0
    assert main(["rehearse", "my-house.toml", "script.jsonl"]) == 0
    assert '"level": 2' in capsys.readouterr().out
    spoilt = [
        example.replace('house = "The Corner Room"\n', ""),
        example.replace("closes_at_level", "closes"),
        example.replace("minutes = 10, colour", "minutes = 7.5, colour"),
        example.replace("19:30", "7.30 pm"),
        example.replace('start = "19:30"\n', "") + '\n[hard_stop]\nat = "00:45"\n',
    ]
    for text, error in zip(spoilt, errors, strict=True):
        path.write_text(text)
        assert main(["timetable", "my-house.toml"]) == 2
        assert capsys.readouterr().err.splitlines() == [error]
