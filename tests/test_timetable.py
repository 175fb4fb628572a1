"""The timetable: when each level and break begins, if all goes to plan."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from server.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HOUSE = """\
name = "Turbo"
house = "The Corner Room"
{top}
[registration]
closes_at_level = 2
{sections}
[structure]
{structure}
"""
# Six levels of 20 minutes are two hours; breaks after levels 6, 12, 18 and 24 (SB-FRI).
FRIDAY = """
17:30 - 17:50 Level 1   100 / 100        ante 100
17:50 - 18:10 Level 2   100 / 200        ante 200
18:10 - 18:30 Level 3   200 / 300        ante 300
18:30 - 18:50 Level 4   200 / 400        ante 400
18:50 - 19:10 Level 5   300 / 500        ante 500
19:10 - 19:30 Level 6   300 / 600        ante 600
19:30 - 20:00 Break
20:00 - 20:20 Level 7   400 / 800        ante 800      registration closes
20:20 - 20:40 Level 8   500 / 1,000      ante 1,000
20:40 - 21:00 Level 9   600 / 1,200      ante 1,200
21:00 - 21:20 Level 10  800 / 1,600      ante 1,600
21:20 - 21:40 Level 11  1,000 / 2,000    ante 2,000
21:40 - 22:00 Level 12  1,500 / 2,500    ante 2,500
22:00 - 22:15 Break
22:15 - 22:35 Level 13  1,500 / 3,000    ante 3,000
22:35 - 22:55 Level 14  2,000 / 4,000    ante 4,000
22:55 - 23:15 Level 15  3,000 / 6,000    ante 6,000
23:15 - 23:35 Level 16  4,000 / 8,000    ante 8,000
23:35 - 23:55 Level 17  5,000 / 10,000   ante 10,000
23:55 - 00:15+1 Level 18  6,000 / 12,000   ante 12,000
00:15+1 - 00:30+1 Break
00:30+1 - 00:50+1 Level 19  10,000 / 15,000  ante 15,000
00:50+1 - 01:10+1 Level 20  10,000 / 20,000  ante 20,000
01:10+1 - 01:30+1 Level 21  15,000 / 30,000  ante 30,000
01:30+1 - 01:50+1 Level 22  20,000 / 40,000  ante 40,000
01:50+1 - 02:10+1 Level 23  25,000 / 50,000  ante 50,000
02:10+1 - 02:30+1 Level 24  30,000 / 60,000  ante 60,000
02:30+1 - 02:45+1 Break
02:45+1 - 03:05+1 Level 25  40,000 / 80,000  ante 80,000
03:05+1 - 03:25+1 Level 26  50,000 / 100,000 ante 100,000
"""


@pytest.fixture
def timetable(capsys: pytest.CaptureFixture[str]) -> Callable[..., list[str]]:
    """Give a function that prints a timetable and gives its lines, with single spaces."""

    def read(preset: str, start: str | None = None) -> list[str]:
        assert main(["timetable", preset, *(() if start is None else ("--start", start))]) == 0
        printed = capsys.readouterr()
        assert printed.err == ""
        lines = printed.out.splitlines()
        assert all(line == line.rstrip() for line in lines)
        return [" ".join(line.split()) for line in lines]

    return read


@pytest.fixture
def house(tmp_path: Path) -> Callable[..., str]:
    """Give a function that writes a house and gives its path."""

    def write(structure: str, *, top: str = "", sections: str = "") -> str:
        path = tmp_path / "house.toml"
        path.write_text(HOUSE.format(top=top, sections=sections, structure=structure))
        return str(path)

    return write


def test_SB_FRI_every_level_and_break(timetable: Callable[..., list[str]]) -> None:
    """The whole Friday from 17:30, figured out by hand, past midnight."""
    title, blank, *steps = timetable("star-brisbane-friday", "17:30")
    assert "Friday Freezeout" in title
    assert "The Star Brisbane" in title
    assert blank == ""
    assert steps == [" ".join(row.split()) for row in FRIDAY.strip().splitlines()]


def test_the_start_of_the_preset_is_the_default(timetable: Callable[..., list[str]]) -> None:
    """Without --start the time in the file counts, and --start goes before it."""
    assert timetable("star-brisbane-friday") == timetable("star-brisbane-friday", "17:30")
    assert timetable("star-brisbane-friday", "09:05")[2].startswith("09:05 - 09:25 Level 1 ")
    assert timetable("star-brisbane-friday", "0:00")[2].startswith("00:00 - 00:20 Level 1 ")


def test_SB_SAT_has_its_own_breaks(timetable: Callable[..., list[str]]) -> None:
    """Saturday's breaks come after levels 5, 10, 16 and 22."""
    steps = timetable("star-brisbane-saturday", "12:00")[2:]
    breaks = [i for i, step in enumerate(steps) if "Break" in step]
    assert [steps[i - 1].split()[4] for i in breaks] == ["5", "10", "16", "22"]
    assert [steps[i].split(" Break")[0] for i in breaks] == [
        "13:40 - 13:55",
        "15:35 - 15:50",
        "17:50 - 18:20",
        "20:20 - 20:35",
    ]
    closing = [step for step in steps if "registration closes" in step]
    assert [step.split()[4] for step in closing] == ["11"]


def test_midnight_rolls_over(
    timetable: Callable[..., list[str]], house: Callable[..., str]
) -> None:
    """Midnight itself is the next day, and the day after that is counted too."""
    path = house("minutes = 720\nsteps = [" + "{ small = 1, big = 2 }," * 4 + "]")
    times = [step.split(" Level")[0] for step in timetable(path, "12:00")[2:]]
    assert times == [
        "12:00 - 00:00+1",
        "00:00+1 - 12:00+1",
        "12:00+1 - 00:00+2",
        "00:00+2 - 12:00+2",
    ]


def test_SL_S_breaks_that_the_director_sets(timetable: Callable[..., list[str]]) -> None:
    """A break without a length says so and names the chips to remove; the times go on after it."""
    steps = timetable("selkirk-main", "19:00")[2:]
    breaks = [step for step in steps if "Break" in step]
    assert len(breaks) == 3
    for step, chips in zip(breaks, ("100s", "500s", "1,000s"), strict=True):
        assert "the director sets its length" in step
        assert f"remove {chips}" in step
    assert steps[4].startswith("20:00 - ")
    assert steps[5].split()[0] == steps[4].split()[2]


def test_SL_K_says_how_it_goes_on(timetable: Callable[..., list[str]]) -> None:
    """A structure without an end says what every further level adds; another says nothing."""
    assert timetable("selkirk-consolation")[-1] == "and so on: +500 / +1,000 every 15 minutes"
    assert not any("and so on" in line for line in timetable("selkirk-main"))


def test_a_continuation_with_an_ante_says_so(
    timetable: Callable[..., list[str]], house: Callable[..., str]
) -> None:
    """What every further level adds to the ante is told like the rest."""
    more = "continuation = { small = 5, big = 10, ante = 7, minutes = 15 }"
    path = house(f"minutes = 20\nsteps = [{{ small = 5, big = 10, ante = 10 }}]\n{more}")
    assert "7" in timetable(path)[-1]


def test_SL_9_the_hard_stop_is_told(timetable: Callable[..., list[str]]) -> None:
    """A house with a hard stop has it at the end of its timetable."""
    assert re.match(r"00:45\S* Hard stop", timetable("selkirk-main", "19:00")[-1])
    assert not any("Hard stop" in line for line in timetable("star-brisbane-friday"))


def test_a_hard_stop_past_midnight_is_marked_like_the_rest(
    timetable: Callable[..., list[str]],
) -> None:
    """00:45 after a start at 19:00 is the next day, and is marked so as levels are."""
    assert timetable("selkirk-main", "19:00")[-1].startswith("00:45+1 ")


def test_levels_that_are_counted_in_hands(
    timetable: Callable[..., list[str]], house: Callable[..., str]
) -> None:
    """After a level counted in hands nobody knows the time, and none is made up."""
    level = "{ small = 5, big = 10, minutes = 20 }"
    path = house(f"steps = [{level}, {{ small = 5, big = 10, hands = 8 }}, {level}]")
    first, second, third = timetable(path, "20:00")[2:]
    assert first.startswith("20:00 - 20:20 Level 1 ")
    assert second.startswith("20:20 - — Level 2 ")
    assert "8 hands" in second
    assert third.startswith("— - — Level 3 ")


@pytest.mark.parametrize(
    "start",
    [
        *("", "17", "1730", "24:00", "17:60", "17:5", "17:300", "-1:30", "17:30:00", "5.30pm"),
        *("noon", "NaN", ":", ":30", "17:", " 17:30", "17:30 ", "²:00", "\u0661\u0667:30"),
        *("1e1:00", "017:30", "9" * 5_000 + ":00"),
    ],
    ids=lambda start: f"{start:.12}",
)
def test_a_bad_start_is_told(start: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A start that is no time of day ends the command with status 2, the option and the reason."""
    assert main(["timetable", "apl", f"--start={start}"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("railbird: --start: must be a time of day")
    assert len(printed.err.splitlines()) == 1
    assert len(printed.err) < 200


@pytest.mark.parametrize(
    "argv", [["timetable"], ["timetable", "apl", "--start"], ["timetable", "x"]]
)
def test_a_timetable_of_nothing_is_told(
    argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A missing preset, a missing time and an unknown preset end with status 2."""
    try:
        status: object = main(argv)
    except SystemExit as left:  # the way in which the parser of arguments ends
        status = left.code
    assert status == 2
    assert capsys.readouterr().out == ""
