"""Rehearsal: what `railbird rehearse` prints, and when it stops."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from server.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[1]
MINUTE = 60_000
LEVEL = 20 * MINUTE  # the Star's levels

EXAMPLE = """\
{"at": 0, "do": "clock.start"}
{"at": 1000, "do": "hand.start", "args": {"table": 1}}
{"at": 1500, "show": ["event", "table/1"]}
"""


@dataclass(frozen=True)
class Outcome:
    """What a rehearsal printed, and how it ended."""

    status: int
    lines: list[dict[str, Any]]
    error: str

    def docs(self) -> list[Any]:
        """Give the documents that were shown."""
        return [line["doc"] for line in self.lines if "topic" in line]

    def events(self) -> list[tuple[int, str]]:
        """Give the events that were printed, with their instants."""
        return [(line["at"], line["event"]) for line in self.lines if "event" in line]

    def refusals(self) -> list[dict[str, Any]]:
        """Give the refusals that were printed."""
        return [line for line in self.lines if "refused" in line]


@pytest.fixture
def rehearse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Give a function that plays a script, from text or from values, and collects what comes."""

    def play(
        *script: str | dict[str, Any], preset: str = "star-brisbane-friday", events: bool = False
    ) -> Outcome:
        path = tmp_path / "script.jsonl"
        raw = (line if isinstance(line, str) else json.dumps(line) + "\n" for line in script)
        path.write_text("".join(raw), encoding="utf-8")
        status = main(["rehearse", preset, str(path), *(["--events"] if events else [])])
        printed = capsys.readouterr()
        assert printed.out == "" or printed.out.endswith("\n")
        lines = [json.loads(line) for line in printed.out.split("\n")[:-1]]
        return Outcome(status, lines, printed.err)

    return play


def do(at: int, command: str, /, **args: Any) -> dict[str, Any]:
    """Write a line that commands something."""
    return {"at": at, "do": command, "args": args}


def show(at: int, *topics: str) -> dict[str, Any]:
    """Write a line that shows something."""
    return {"at": at, "show": list(topics)}


def named(line: dict[str, Any], id_: str) -> dict[str, Any]:
    """Give a line an id of its own."""
    return {**line, "id": id_}


# ── output ───────────────────────────────────────────────────────────────────────────────────────


def test_the_contracts_own_example(rehearse: Callable[..., Outcome]) -> None:
    """The script in the contract prints two documents with the figures of level 1."""
    night = rehearse(EXAMPLE)
    assert (night.status, night.error) == (0, "")
    event, table = night.lines
    assert (event["at"], event["topic"]) == (1500, "event")
    assert event["doc"]["clock"]["status"] == "running"
    assert event["doc"]["clock"]["remaining_ms"] == LEVEL - 1500
    assert event["doc"]["clock"]["ends_at"] == LEVEL
    assert (table["at"], table["topic"]) == (1500, "table/1")
    assert table["doc"]["hand"]["number"] == 1
    assert table["doc"]["hand"]["in_progress"] is True


def test_a_line_per_topic_in_the_order_asked(rehearse: Callable[..., Outcome]) -> None:
    """Every topic of a show has its own line with exactly at, topic and doc, and doc.now is at."""
    topics = ("table/2", "event", "table/1", "event")
    night = rehearse(
        do(0, "table.open", table=1), do(0, "table.open", table=2), show(7, *topics), show(9)
    )
    assert [line["topic"] for line in night.lines] == list(topics)
    for line in night.lines:
        assert list(line) == ["at", "topic", "doc"]
        assert line["at"] == line["doc"]["now"] == 7


@pytest.mark.parametrize(
    "keys",
    [
        "clock notices registration h4h field announcement",
        "clock.status phase level small big ante ends_at remaining_ms next next_break_ms colour_up",
        "registration.open closes_at_level closes_in_ms",
        "h4h.status hand tables",
        "field.entries left tables average_stack chips_in_play",
    ],
)
def test_the_event_document_has_the_contracts_keys(
    rehearse: Callable[..., Outcome], keys: str
) -> None:
    """Everything that the contract names is in the event document."""
    part, dot, rest = keys.partition(".")
    doc = rehearse(show(0, "event")).docs()[0]
    found = doc[part] if dot else doc
    assert set((rest if dot else keys).split()) <= found.keys()


def test_the_table_document_has_the_contracts_keys(rehearse: Callable[..., Outcome]) -> None:
    """Everything that the contract names is in the table document."""
    doc = rehearse(
        do(0, "seat.put", player="p", name="Pat", table=1, seat=3), show(0, "table/1")
    ).docs()[0]
    top = "level small big ante next_hand hand seats action called collect paused"
    assert set(top.split()) <= doc.keys()
    assert {"number", "in_progress", "button", "street", "facing_bet"} <= doc["hand"].keys()
    action = "status seat remaining_ms ends_at on_bank used outcome"
    assert set(action.split()) <= doc["action"].keys()
    assert {"status", "seat", "remaining_ms", "outcome"} <= doc["called"].keys()
    seat = {"player": "p", "name": "Pat", "bank": 0, "in_hand": False, "limit_s": None}
    assert seat.items() <= doc["seats"]["3"].items()


def test_what_is_accepted_prints_nothing(rehearse: Callable[..., Outcome]) -> None:
    """Without --events and without a show a night is silent."""
    night = rehearse(do(0, "clock.start"), do(5 * LEVEL, "clock.pause"))
    assert (night.status, night.lines, night.error) == (0, [], "")


def test_a_refusal_says_what_was_refused_and_why(rehearse: Callable[..., Outcome]) -> None:
    """A refusal is a line of its own and no failure: the night goes on, and nothing has changed."""
    night = rehearse(
        show(10, "event"),
        do(10, "hand.end", table=7),
        do(10, "clock.resume"),
        show(10, "event", "table/7"),
    )
    assert night.status == 0
    before, first, second, after, table = night.lines
    assert list(first) == ["at", "do", "refused", "text"]
    assert (first["at"], first["do"], first["refused"]) == (10, "hand.end", "unknown_table")
    assert (second["at"], second["do"], second["refused"]) == (10, "clock.resume", "not_running")
    assert first["text"]
    assert before == after
    assert table == {"at": 10, "topic": "table/7", "doc": None}


def test_a_table_that_is_not_open_is_null(rehearse: Callable[..., Outcome]) -> None:
    """A table has no document before it opens and after it closes."""
    night = rehearse(
        show(0, "table/1", "table/9999"),
        do(0, "table.open", table=1),
        show(0, "table/1"),
        do(0, "table.close", table=1),
        show(0, "table/1"),
    )
    assert [doc is None for doc in night.docs()] == [True, True, False, True]


# ── events ───────────────────────────────────────────────────────────────────────────────────────


def test_events_come_with_the_instant_they_were_due(rehearse: Callable[..., Outcome]) -> None:
    """With --events what came due between two lines is printed, at the instant it was due."""
    night = rehearse(
        do(5, "clock.start"), show(3 * LEVEL + 17, "event"), do(3 * LEVEL + 18, "clock.pause"),
        events=True,
    )  # fmt: skip
    levels = [(at, name) for at, name in night.events() if name == "level.started"]
    assert levels == [(5 + n * LEVEL, "level.started") for n in (1, 2, 3)]
    assert (5, "clock.started") in night.events()
    assert (3 * LEVEL + 18, "clock.paused") in night.events()
    kinds = ["topic" if "topic" in line else line["event"] for line in night.lines]
    assert kinds.index("topic") > kinds.index("level.started")


def test_events_due_at_the_last_instant_are_printed(rehearse: Callable[..., Outcome]) -> None:
    """What is due at the very instant of the last line is printed, what is due later is not."""
    script = do(0, "clock.start"), show(LEVEL, "event")
    night = rehearse(*script, events=True)
    assert night.events()[-1] == (LEVEL, "level.started")
    assert night.docs()[0]["clock"]["level"] == 2
    early = rehearse(do(0, "clock.start"), show(LEVEL - 1, "event"), events=True)
    assert "level.started" not in [name for _, name in early.events()]


def test_every_event_is_printed_once(rehearse: Callable[..., Outcome]) -> None:
    """Looking often, or being refused in between, does not repeat or lose an event."""
    start, end = do(0, "clock.start"), do(4 * LEVEL, "clock.pause")
    plain = rehearse(start, end, events=True)
    looks = [show(at, "event", "table/1") for at in range(0, 4 * LEVEL + 1, LEVEL // 2)]
    again = [do(look["at"], "clock.start") for look in looks]
    pairs = [line for pair in zip(looks, again, strict=True) for line in pair]
    busy = rehearse(start, *pairs, end, events=True)
    assert busy.events() == plain.events()


def test_events_come_in_the_order_of_time(rehearse: Callable[..., Outcome]) -> None:
    """An event that was due before a refusal is printed before it: as it happens."""
    night = rehearse(
        do(0, "clock.start"), do(LEVEL + 500, "clock.start"), do(LEVEL + 600, "clock.pause"),
        events=True,
    )  # fmt: skip
    assert len(night.refusals()) == 1
    instants = [line["at"] for line in night.lines]
    assert instants == sorted(instants)


def test_a_chain_of_chips_never_drifts_in_the_events(rehearse: Callable[..., Outcome]) -> None:
    """SB-47h: four chips go at 20, 40, 60 and 80 s, and the time is up just after 100 s."""
    night = rehearse(
        do(0, "seat.put", player="a", table=1, seat=1),
        do(0, "seat.put", player="b", table=1, seat=2),
        do(0, "clock.start"),
        do(0, "hand.start", table=1),
        do(0, "action.start", table=1, seat=1),
        show(100_000, "table/1"),
        show(100_001, "table/1"),
        events=True,
        preset="star-brisbane-saturday",
    )
    forfeits = [at for at, name in night.events() if name == "chip.forfeited"]
    assert forfeits == [20_000, 40_000, 60_000, 80_000]
    assert (100_001, "action.expired") in night.events()
    assert [doc["action"]["status"] for doc in night.docs()] == ["running", "expired"]


# ── a show is only a look ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("looks", [0, 1, 3])
def test_a_command_comes_before_what_is_due_at_its_instant(
    rehearse: Callable[..., Outcome], looks: int
) -> None:
    """A hand that starts on the stroke is dealt at the old level, however often somebody looked."""
    night = rehearse(
        do(0, "clock.start"),
        *[show(LEVEL, "event")] * looks,
        do(LEVEL, "hand.start", table=1),
        show(LEVEL, "event", "table/1"),
    )
    assert night.refusals() == []
    *before, event, table = night.docs()
    assert [doc["clock"]["level"] for doc in before] == [2] * looks
    assert event["clock"]["level"] == 2
    assert table["level"] == 1
    assert table["next_hand"]["level"] == 2


@pytest.mark.parametrize("looks", [0, 2])
def test_AP_29_a_tie_goes_to_the_player(rehearse: Callable[..., Outcome], looks: int) -> None:
    """A player who acts at zero keeps the chip, even when a look at zero showed it gone."""
    night = rehearse(
        do(0, "seat.put", player="a", table=1, seat=1),
        do(0, "seat.put", player="b", table=1, seat=2),
        do(0, "clock.start"),
        do(0, "hand.start", table=1),
        do(0, "action.start", table=1, seat=1),
        *[show(20_000, "table/1")] * looks,
        do(20_000, "action.stop", table=1),
        show(20_000, "table/1"),
        preset="star-brisbane-saturday",
    )
    last = night.docs()[-1]
    assert last["seats"]["1"]["bank"] == 4
    assert last["collect"] == []
    assert last["action"]["status"] == "idle"


def test_commands_of_one_instant_are_taken_in_turn(rehearse: Callable[..., Outcome]) -> None:
    """Lines with the same `at` happen in the order in which they are written."""
    night = rehearse(
        do(0, "clock.start"), do(0, "clock.pause"), show(0, "event"), do(0, "clock.resume"),
        show(0, "event"),
    )  # fmt: skip
    assert [doc["clock"]["status"] for doc in night.docs()] == ["paused", "running"]


# ── ids ──────────────────────────────────────────────────────────────────────────────────────────


def test_undo_by_the_id_in_the_line(rehearse: Callable[..., Outcome]) -> None:
    """A command with an id is undone by it, though others came after it."""
    night = rehearse(
        named(do(0, "announce", text="Welcome"), "hello"),
        do(1, "table.open", table=1),
        do(2, "undo", command="hello"),
        show(3, "event", "table/1"),
    )
    event, table = night.docs()
    assert night.refusals() == []
    assert event["announcement"] is None
    assert table is not None


def test_undo_by_the_number_of_the_line(rehearse: Callable[..., Outcome]) -> None:
    """A command without an id has the number of its line, and blank lines count."""
    night = rehearse(
        "\n",
        do(0, "table.open", table=1),
        "   \t\n",
        do(0, "table.open", table=2),
        do(0, "undo", command="4"),
        do(0, "undo", command="3"),
        show(0, "table/1", "table/2"),
    )
    first, second = night.docs()
    assert first is not None
    assert second is None
    assert [line["refused"] for line in night.refusals()] == ["nothing_to_undo"]


def test_undo_without_an_id_takes_the_last_command(rehearse: Callable[..., Outcome]) -> None:
    """Undo alone takes back the last command that was accepted, not one that was refused."""
    night = rehearse(
        do(0, "table.open", table=1),
        do(0, "table.open", table=2),
        do(0, "table.open", table=2),
        do(0, "undo"),
        show(0, "table/1", "table/2"),
    )
    assert [doc is None for doc in night.docs()] == [False, True]


def test_events_carry_the_id_of_their_command(rehearse: Callable[..., Outcome]) -> None:
    """With --events a command is printed with the id by which it can be undone."""
    night = rehearse(named(do(0, "table.open", table=1), "t-1"), do(0, "clock.start"), events=True)
    accepted = [
        line["command"]["id"] for line in night.lines if line["event"] == "command.accepted"
    ]
    assert accepted == ["t-1", "2"]


# ── reading the script ───────────────────────────────────────────────────────────────────────────


def test_blank_lines_and_line_ends(rehearse: Callable[..., Outcome]) -> None:
    """Blank lines are passed over, Windows line ends and a missing last one do no harm."""
    night = rehearse('\n\r\n  \n{"at": 0, "do": "clock.start"}\r\n\r\n{"at": 1, "show": ["event"]}')
    assert night.status == 0
    assert night.docs()[0]["clock"]["status"] == "running"


def test_an_empty_script_is_a_quiet_night(rehearse: Callable[..., Outcome]) -> None:
    """Nothing in, nothing out."""
    assert rehearse("") == Outcome(0, [], "")


def test_a_bad_line_stops_the_night(rehearse: Callable[..., Outcome]) -> None:
    """What came before a bad line is printed, its number is named, and nothing comes after it."""
    night = rehearse(
        do(0, "clock.start"), show(1, "event"), "\n", do(1, "hand.end", table=5), "{half a line\n",
        show(2, "event"),
    )  # fmt: skip
    assert night.status == 2
    assert [line.get("topic", line.get("refused")) for line in night.lines] == [
        "event",
        "unknown_table",
    ]
    assert night.error.startswith("railbird: line 5: ")
    assert night.error.count("\n") == 1


def test_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A script named - is read from standard input."""
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(EXAMPLE.encode())))
    assert main(["rehearse", "apl", "-"]) == 0
    assert [json.loads(line)["topic"] for line in capsys.readouterr().out.splitlines()] == [
        "event",
        "table/1",
    ]


def test_the_command_itself(tmp_path: Path) -> None:
    """The installed command does the same: from a file, and from a pipe with a bad line in it."""
    path = tmp_path / "night.jsonl"
    path.write_text(EXAMPLE, encoding="utf-8")
    command = [sys.executable, "-m", "server.cli", "rehearse", "selkirk-main"]
    good = subprocess.run([*command, str(path)], cwd=ROOT, capture_output=True, check=False)
    assert (good.returncode, good.stderr, good.stdout.count(b"\n")) == (0, b"", 2)
    bad = subprocess.run(
        [*command, "-"],
        cwd=ROOT,
        input=EXAMPLE.encode() + b"[]\n",
        capture_output=True,
        check=False,
    )
    assert (bad.returncode, bad.stdout) == (2, good.stdout)
    assert bad.stderr.startswith(b"railbird: line 4: ")
    assert bad.stderr.count(b"\n") == 1


TWO_BREAKS = [
    {"small": 1, "big": 2, "minutes": 9},
    {"phase": "break", "minutes": 1},
    {"phase": "break", "minutes": 1},
    {"small": 1, "big": 2, "minutes": 9},
]


@pytest.mark.parametrize(
    "steps", [TWO_BREAKS, [TWO_BREAKS[0], {"phase": "break", "minutes": 15}, TWO_BREAKS[3]]]
)
def test_a_break_during_a_hand_for_hand_hand_comes_to_an_end(steps: list[dict[str, Any]]) -> None:
    """Moving on to a break while a hand-for-hand hand is played never hangs the clock."""
    script = [
        do(0, "table.open", table=1),
        do(0, "clock.start"),
        do(0, "structure.set", steps=steps),
        do(0, "h4h.announce"),
        do(0, "h4h.next"),
        do(1_000, "level.next"),
        show(200_000, "event"),
    ]
    found = subprocess.run(
        [sys.executable, "-m", "server.cli", "rehearse", "star-brisbane-friday", "-"],
        cwd=ROOT,
        input="\n".join(map(json.dumps, script)).encode(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (found.returncode, found.stdout.count(b"\n")) == (0, 1)
