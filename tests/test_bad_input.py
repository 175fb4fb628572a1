"""Bad scripts and bad arguments: one clear line, exit status 2, never a traceback."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from server.cli import main
from server.engine.commands import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

ROOT = Path(__file__).parents[1]
RAILBIRD = [sys.executable, "-m", "server.cli"]
PRESET = "home-poker-tourney"
LONGEST = 400
"""A message longer than this many characters is not a clear one."""
DIGITS = "9" * 5_000

CONTRACT = """
clock.start clock.pause clock.resume clock.add clock.set level.next level.back level.goto break.call
break.end structure.set event.suspend event.resume event.finish announce announce.clear table.open
table.close seat.put seat.move seat.clear player.bust player.limit table.pause table.resume
floor.call floor.clear hand.start hand.misdeal hand.level dealer.push hand.end
action.start action.next action.fold action.stop action.hold action.release action.bank
action.ruling action.all_in collect.done street.next bank.grant hand.sync button.set
shotclock.introduce called.start called.stop h4h.announce h4h.done h4h.all_in h4h.runout h4h.next
h4h.end undo
"""
# Arguments that are whole numbers, with one that is right. The rest are of the other kinds below.
POSITIVE = {"table": 1, "seat": 1, "level": 2, "minutes": 5, "seats": 9, "seconds": 10}
POSITIVE |= {"button": 1, "chip_seconds": 10, "places": 3, "chips": 1, "straddle": 2, "bettor": 2}
FROM_ZERO = {"remaining_ms": 1_000, "starts_at": 0, "resumes_at": 0, "stack": 500, "hand": 1}
FROM_ZERO |= {"since": 0, "until": 0, "unseen": 0}
SIGNED = {"ms": -1_000}
WORDS = {"player": "p", "name": "Pat", "text": "Dinner", "reason": "floor", "command": "1"}
FLAGS = {"facing_bet": True, "acted": False, "soft": True, "raises": True, "start": True}
FLAGS |= {"bet": True, "away": True}
CHOICES = {"mode": "set", "outcome": "dead", "policy": "deduct", "unit": "hand", "street": "turn"}
SEATS = {"live": [1, 2]}
LISTS: dict[str, Any] = {"steps": [{"small": 1, "big": 2, "minutes": 5}]}
RIGHT = {**POSITIVE, **FROM_ZERO, **SIGNED, **WORDS, **FLAGS, **CHOICES, **LISTS, **SEATS}
NULL_IS_FINE = {
    "action.start seat",
    "player.limit seconds",
    "places.set places",
    "event.schedule starts_at",
}
ZERO_IS_FINE = {"bank.grant chips", "shotclock.introduce chips"}

HUGE = [str(10**30), str(-(10**30)), "1e400"]
LEVEL = '{"small": 1, "big": 2, "minutes": 5}'
BAD = {
    "whole": ["1.0", "0.5", "true", "false", '"7"', '""', "[]", "{}", "[1]", *HUGE],
    "words": [
        *("7", "1.5", "true", "[]", "{}", '["x"]', '""', '"  "', r'"\ud800"', r'"a\udfffb"'),
        *(r'"\u0000"', r'"a\nb"', r'"\u001b[2J"', r'"\u007f"', r'"\u0085"', f'"{"x" * 5_001}"'),
        *HUGE,
    ],
    "flag": ["0", "1", "1.0", '"true"', '""', "[]", "{}", *HUGE],
    "choice": ["0", "true", "1.5", '""', '"DEAD"', '"dead "', '"x"', "[]", "{}", *HUGE],
    "seats": [*("[[]]", "[0]", '["x"]', "[null]", "[1.0]", "[true]", "5", '"x"', "true", "{}")],
    "list": [
        *("[[]]", "[0]", '["x"]', "[null]", "[{}]", "5", '"x"', "true", "{}"),
        *(f'[{{"small": 1, "big": 2, "minutes": {v}}}]' for v in ("0", "-1", "5.0", "true")),
        *(f'[{{"small": {v}, "big": 2}}]' for v in ("-1", "1.0", "true", "null", HUGE[0])),
        *('[{"small": 1, "big": 0}]', '[{"small": 1}]', '[{"small": 1, "big": 2, "x": 3}]'),
        *('[{"small": 1, "big": 2, "minutes": 5, "hands": 5}]', '[{"phase": "lunch"}]'),
        *('[{"phase": "break", "small": 1}]', '[{"phase": "break", "colour_up": [0]}]'),
        *('[{"phase": "break", "colour_up": 100}]', '[{"phase": null, "small": 1, "big": 2}]'),
        f"[{', '.join([LEVEL] * 5_000)}]",
    ],
}


def kind(name: str) -> str:
    """Say of what kind an argument is."""
    kinds: dict[str, Collection[str]] = {
        "words": WORDS,
        "flag": FLAGS,
        "choice": CHOICES,
        "list": LISTS,
        "seats": SEATS,
    }
    return next((kind for kind, names in kinds.items() if name in names), "whole")


def required(do: str) -> list[str]:
    """List the arguments that a command must have."""
    fields = dataclasses.fields(COMMANDS[do])
    return [
        f.name for f in fields if f.name not in ("id", "by") and f.default is dataclasses.MISSING
    ]


def arguments() -> Iterator[tuple[str, str]]:
    """List every argument of every command."""
    for do, cls in COMMANDS.items():
        yield from ((do, f.name) for f in dataclasses.fields(cls) if "kind" in f.metadata)


def wrong_values() -> Iterator[tuple[str, str, str]]:
    """List every argument with every value that it must not have, as JSON."""
    for do, name in arguments():
        where = f"{do} {name}"
        values = list(BAD[kind(name)])
        values += ["-1"] if name in POSITIVE or name in FROM_ZERO else []
        values += ["0"] if name in POSITIVE and where not in ZERO_IS_FINE else []
        default = {f.name: f.default for f in dataclasses.fields(COMMANDS[do])}[name]
        values += [] if where in NULL_IS_FINE or default is None else ["null"]
        yield from ((do, name, value) for value in values)


@pytest.fixture
def stopped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[bytes | str], str]:
    """Give a function that plays a bad second line, insists that it stops there, and says why."""

    def play(line: bytes | str) -> str:
        raw = line if isinstance(line, bytes) else line.encode()
        script = b'{"at": 100, "show": ["event"]}\n' + raw + b'\n{"at": 200, "show": ["event"]}\n'
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(script)))
        status = main(["rehearse", PRESET, "-"])
        printed = capsys.readouterr()
        assert status == 2
        assert printed.out.count("\n") == 1, "the line before is shown, the one after is not"
        assert printed.err.startswith("railbird: line 2: ")
        assert printed.err.endswith("\n")
        assert len(printed.err.splitlines()) == 1
        assert len(printed.err) <= LONGEST
        return printed.err.removeprefix("railbird: line 2: ")

    return play


def line(do: str, args: dict[str, str]) -> str:
    """Write a command with arguments that are JSON already."""
    written = ", ".join(f"{json.dumps(name)}: {value}" for name, value in args.items())
    return f'{{"at": 100, "do": "{do}", "args": {{{written}}}}}'


def right(do: str, *, without: str = "") -> dict[str, str]:
    """Write the arguments that a command must have, all of them right."""
    return {name: json.dumps(RIGHT[name]) for name in required(do) if name != without}


# ── every command, every argument ────────────────────────────────────────────────────────────────


def test_every_command_and_argument_is_tried() -> None:
    """The tables above know all arguments, and all commands of the contract exist."""
    assert set(CONTRACT.split()) <= COMMANDS.keys()
    assert {name for _, name in arguments()} == RIGHT.keys()


@pytest.mark.parametrize("do", COMMANDS)
def test_right_arguments_are_taken(
    do: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the other tests spoil is right when it is not spoilt: done or refused, never bad."""
    names = [name for found, name in arguments() if found == do]
    for args in (right(do), {name: json.dumps(RIGHT[name]) for name in names}):
        script = io.BytesIO(line(do, args).encode())
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=script))
        assert main(["rehearse", PRESET, "-"]) == 0
        assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("do", "name", "value"),
    [pytest.param(*v, id=f"{v[0]} {v[1]} {v[2]:.24}") for v in wrong_values()],
)
def test_a_wrong_value_is_told_with_its_key(
    do: str, name: str, value: str, stopped: Callable[[bytes | str], str]
) -> None:
    """A value of the wrong kind or size stops the script and names the argument."""
    told = stopped(line(do, {**right(do), name: value}))
    assert told.startswith((f"args.{name}: ", f"args.{name}[", f"args.{name}."))


@pytest.mark.parametrize(("do", "name"), [(d, n) for d in COMMANDS for n in required(d)])
def test_a_missing_argument_is_told(
    do: str, name: str, stopped: Callable[[bytes | str], str]
) -> None:
    """An argument that is not given is named."""
    assert stopped(line(do, right(do, without=name))).startswith(f"args.{name}: ")


@pytest.mark.parametrize("do", COMMANDS)
@pytest.mark.parametrize("key", ["tabel", "id", "__class__", ""])
def test_an_unknown_argument_is_told(
    do: str, key: str, stopped: Callable[[bytes | str], str]
) -> None:
    """A key that the command does not have is a mistake, not something to pass over."""
    assert stopped(line(do, {**right(do), key: "1"})).startswith(f"args.{key}: unknown key")


@pytest.mark.parametrize("value", ["NaN", "-Infinity", DIGITS])
@pytest.mark.parametrize(("do", "name"), list(arguments()))
def test_a_number_that_is_none_stops_the_script(
    do: str, name: str, value: str, stopped: Callable[[bytes | str], str]
) -> None:
    """NaN, the infinities and numbers without end are refused wherever they are."""
    assert stopped(line(do, {**right(do), name: value}))


@pytest.mark.parametrize("value", ["NaN", "Infinity", DIGITS])
def test_a_number_that_is_none_is_told_with_its_key(
    value: str, stopped: Callable[[bytes | str], str]
) -> None:
    """The message says where it was found, in words that are not about Python."""
    told = stopped(line("table.open", {"table": value}))
    assert "args.table" in told
    assert "sys." not in told


# ── every line ───────────────────────────────────────────────────────────────────────────────────

DEEP = 100_000
MALFORMED = {
    "half a line": '{"at": 100, "do": "clock.start"',
    "not JSON": "clock.start",
    "two on a line": '{"at": 100, "do": "clock.start"} {"at": 100, "do": "clock.pause"}',
    "trailing comma": '{"at": 100, "do": "clock.start",}',
    "single quotes": "{'at': 100, 'do': 'clock.start'}",
    "a comment": '{"at": 100, "do": "clock.start"} # now',
    "array": '[{"at": 100, "do": "clock.start"}]',
    "text": '"clock.start"',
    "number": "100",
    "null": "null",
    "NaN": "NaN",
    "deep array": "[" * DEEP + "]" * DEEP,
    "deep array, half": "[" * DEEP,
    "deep object": '{"at":' * DEEP + "1" + "}" * DEEP,
    "deep argument": '{"at": 100, "do": "clock.add", "args": {"ms": '
    + "[" * DEEP
    + "]" * DEEP
    + "}}",
    "rather deep argument": line("clock.add", {"ms": "[" * 900 + "]" * 900}),
    "rather deep command": '{"at": 100, "do": ' + "[" * 900 + "]" * 900 + "}",
    "control character": '{"at": 100, "do": "clock\tstart"}',
    "not UTF-8": b'{"at": 100, "do": "announce", "args": {"text": "\xff\xfe"}}',
    "half a character": '{"at": 100, "do": "announce", "args": {"text": "é'.encode()[:-1],
    "surrogates in UTF-8": b'{"at": 100, "do": "announce", "args": {"text": "\xed\xa0\x80"}}',
    "zeros": bytes(20),
    "nothing to do": '{"at": 100}',
    "empty object": "{}",
    "do and show": '{"at": 100, "do": "clock.start", "show": ["event"]}',
}
KEYS = [
    ('{"at": 99, "do": "clock.start"}', "at"),
    ('{"at": -1, "do": "clock.start"}', "at"),
    ('{"at": 100.0, "do": "clock.start"}', "at"),
    ('{"at": 1e3, "do": "clock.start"}', "at"),
    ('{"at": 1e400, "do": "clock.start"}', "at"),
    ('{"at": true, "do": "clock.start"}', "at"),
    ('{"at": null, "do": "clock.start"}', "at"),
    ('{"at": "100", "do": "clock.start"}', "at"),
    ('{"at": [100], "do": "clock.start"}', "at"),
    ('{"at": 1%s, "do": "clock.start"}' % ("0" * 30), "at"),
    ('{"do": "clock.start"}', "at"),
    ('{"at": 100, "at": 100, "do": "clock.start"}', "at"),
    ('{"at": 100, "do": "clock.start", "do": "clock.start"}', "do"),
    ('{"at": 100, "do": "table.open", "args": {"table": 1, "table": 1}}', "table"),
    ('{"at": 100, "do": "clock.begin"}', "do"),
    ('{"at": 100, "do": "Clock.Start"}', "do"),
    ('{"at": 100, "do": ""}', "do"),
    ('{"at": 100, "do": null}', "do"),
    ('{"at": 100, "do": ["clock.start"]}', "do"),
    ('{"at": 100, "do": {}}', "do"),
    ('{"at": 100, "do": 1e400}', "do"),
    (r'{"at": 100, "do": "\ud800"}', "do"),
    ('{"at": 100, "do": "%s"}' % ("x" * 5_000), "do"),
    ('{"at": 100, "do": "clock.start", "args": []}', "args"),
    ('{"at": 100, "do": "clock.start", "args": 0}', "args"),
    ('{"at": 100, "do": "clock.start", "args": "x"}', "args"),
    ('{"at": 100, "do": "clock.start", "args": true}', "args"),
    ('{"at": 100, "do": "clock.start", "when": 1}', "when"),
    ('{"at": 100, "do": "clock.start", "id": 7}', "id"),
    ('{"at": 100, "do": "clock.start", "id": null}', "id"),
    ('{"at": 100, "do": "clock.start", "id": true}', "id"),
    ('{"at": 100, "do": "clock.start", "id": ""}', "id"),
    ('{"at": 100, "do": "clock.start", "id": " "}', "id"),
    (r'{"at": 100, "do": "clock.start", "id": "\u0007"}', "id"),
    ('{"at": 100, "do": "clock.start", "id": "%s"}' % ("x" * 5_000), "id"),
    ('{"at": 100, "show": "event"}', "show"),
    ('{"at": 100, "show": null}', "show"),
    ('{"at": 100, "show": {}}', "show"),
    ('{"at": 100, "show": [["event"]]}', "show[0]"),
    ('{"at": 100, "show": ["event"], "args": {}}', "show"),
    ('{"at": 100, "show": ["event"], "id": "x"}', "show"),
]
TOPICS = ["foo", "", " ", "Event", "event/1", "events", "table", "table/", "table/0", "table/x"]
TOPICS += ["table/²", "table/٣", "table/-1", "table/+1", "table/1.0", "table/1 ", " table/1"]
TOPICS += ["table/1/2", "table/10000", f"table/{10**30}", "table/" + DIGITS, "t/1", "seat/1"]


@pytest.mark.parametrize("bad", MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_line_is_told(bad: bytes | str, stopped: Callable[[bytes | str], str]) -> None:
    """A line that is no object of JSON, or does nothing or two things at once, stops the script."""
    assert stopped(bad)


@pytest.mark.parametrize(("bad", "key"), KEYS, ids=[f"{bad:.60}" for bad, _ in KEYS])
def test_a_bad_key_of_a_line_is_told(
    bad: str, key: str, stopped: Callable[[bytes | str], str]
) -> None:
    """What is wrong with the line itself is told with its key."""
    assert stopped(bad).startswith(f"{key}: ")


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: f"{topic:.20}")
def test_an_unknown_topic_is_told(topic: str, stopped: Callable[[bytes | str], str]) -> None:
    """A topic that is neither the event nor a table is a mistake, unlike a table that is closed."""
    asked = json.dumps({"at": 100, "show": ["event", topic]})
    assert stopped(asked).startswith("show[1]: ")


@pytest.mark.parametrize("key", ["a\nb", "\x1b[2J", "x" * 5_000])
def test_a_strange_key_does_not_spoil_the_message(
    key: str, stopped: Callable[[bytes | str], str]
) -> None:
    """A key with line ends, terminal codes or no end is told in one short, harmless line."""
    for bad in (line("clock.start", {key: "1"}), json.dumps({"at": 100, "do": "undo", key: 1})):
        told = stopped(bad)
        assert "unknown key" in told
        assert told.removesuffix("\n").isprintable()


def test_one_line_number_in_a_message(stopped: Callable[[bytes | str], str]) -> None:
    """The number of the line is the script's, and no other line number confuses the reader."""
    assert "line 1" not in stopped("{half a line")


# ── what is not bad ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "name",
    ["[/]", "[red]", "<b>", "{{}}", "{0}", "%s", "=1+1", "\\", "'\"", "Žofia", "🂡", "Łukasz"],
)
def test_markup_is_only_text(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Names, words and reasons that look like markup or formulas come back unchanged."""
    script = [
        {"at": 0, "do": "seat.put", "args": {"player": name, "name": name, "table": 1, "seat": 1}},
        {"at": 0, "do": "announce", "args": {"text": name}, "id": name},
        {"at": 0, "do": "table.pause", "args": {"table": 1, "reason": name}},
        {"at": 0, "show": ["event", "table/1"]},
        {"at": 0, "do": "player.bust", "args": {"player": name + "?"}},
    ]
    raw = io.BytesIO("\n".join(map(json.dumps, script)).encode())
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=raw))
    assert main(["rehearse", PRESET, "-", "--events"]) == 0
    lines = [json.loads(found) for found in capsys.readouterr().out.split("\n")[:-1]]
    event, table = (found["doc"] for found in lines if "topic" in found)
    assert event["announcement"] == table["paused"] == name
    assert table["seats"]["1"]["player"] == table["seats"]["1"]["name"] == name
    assert name in [found["command"]["id"] for found in lines if "command" in found]
    assert lines[-1]["refused"] == "no_player"


# ── the command itself ───────────────────────────────────────────────────────────────────────────


def railbird(*args: str, script: bytes = b"", **env: str) -> tuple[int, str, str]:
    """Run the real command, and give up on it after a while."""
    found = subprocess.run(
        [*RAILBIRD, *args],
        cwd=ROOT,
        env={**os.environ, **env},
        input=script,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return found.returncode, found.stdout.decode(), found.stderr.decode()


@pytest.mark.parametrize(
    "args",
    [
        (),
        ("shuffle",),
        ("rehearse",),
        ("rehearse", "apl"),
        ("rehearse", "apl", "-", "--loud"),
        ("rehearse", "apl", "no/such/script.jsonl"),
        ("rehearse", "apl", "."),
        ("rehearse", "nobody", "-"),
        ("rehearse", "", "-"),
        ("presets", "apl"),
    ],
)
def test_bad_arguments_of_the_command(args: tuple[str, ...]) -> None:
    """An argument of the command line that cannot be used ends it with status 2 and words."""
    status, out, err = railbird(*args)
    assert (status, out) == (2, "")
    assert "railbird" in err.splitlines()[-1]
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "bad", [b"[" * DEEP, b"\xff", rb'{"at": 0, "do": "undo", "\ud800": 1}', b'{"at": NaN}']
)
def test_no_traceback_from_a_bad_script(bad: bytes) -> None:
    """The real command stops at a bad line with one line of words."""
    status, out, err = railbird("rehearse", "apl", "-", script=bad)
    assert (status, out) == (2, "")
    assert err.startswith("railbird: line 1: ")
    assert err.count("\n") == 1


def test_a_huge_instant_is_an_answer_too() -> None:
    """A house whose levels go on for ever answers in time for any instant that is accepted."""
    script = b'{"at": 0, "do": "clock.start"}\n{"at": %d, "show": ["event"]}\n' % 2**53
    status, _, err = railbird("rehearse", "apl", "-", script=script)
    assert status == 0 or err.startswith("railbird: line 2: at: ")


def test_no_traceback_where_the_output_cannot_say_everything() -> None:
    """A terminal or pipe without Unicode gets an answer, not a traceback."""
    status, _, err = railbird("presets", PYTHONIOENCODING="ascii")
    assert "Traceback" not in err
    assert status in (0, 2)


def test_no_traceback_without_standard_input() -> None:
    """A script from a standard input that is closed is a bad argument."""
    command = ["sh", "-c", 'exec "$0" "$@" <&-', *RAILBIRD, "rehearse", "apl", "-"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=60, check=False)
    assert b"Traceback" not in found.stderr
    assert found.returncode == 2
