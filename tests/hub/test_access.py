"""Access: every role, every command, own and other table and event, exactly as specified."""

from __future__ import annotations

import string
from dataclasses import fields
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.access import DEALER, FLOOR, HUB, RIGHTS, ROLES, Badge, fingerprint, new_token
from server.engine import COMMANDS, Command, Refused, decide, parse
from tests.night import given as played

SAMPLES: dict[str, Any] = {
    "acted": True,
    "button": 1,
    "chips": 1,
    "level": 2,
    "minutes": 5,
    "mode": "add",
    "ms": 1_000,
    "outcome": "dead",
    "places": 3,
    "player": "p1",
    "remaining_ms": 1_000,
    "seat": 1,
    "seconds": 30,
    "starts_at": 5,
    "steps": [{"minutes": 20, "small": 100, "big": 200}],
    "table": 7,
    "text": "Hello",
}
TABLES = (7, 8, None)
EVENTS = ("1", "2")

AT_THE_TABLE = {
    "hand.start hand.end street.next dealer.push collect.done table.pause floor.call undo",
    "hand.misdeal hand.level hand.sync button.set",
    "action.start action.next action.fold action.stop action.hold action.release action.bank",
    "action.all_in",
    "called.stop h4h.done h4h.all_in",
}
"""What a dealer's hands do, by the contract and the design's list of who uses it."""


def make(do: str, table: int | None) -> Command | None:
    """Build a command for a table, or None if it cannot be without one or has none."""
    names = {f.name: f for f in fields(COMMANDS[do])}
    if table is not None and "table" not in names:
        return None
    args = {"table": table} if table is not None else {}
    for _ in names:
        try:
            return parse(do, args)
        except ValueError as bad:
            key = str(bad).split(":")[0].removeprefix("args.").split(".")[0]
            if key == "table" or key in args:
                return None
            args[key] = SAMPLES[key]
    return parse(do, args)


CASES = [
    (do, table, command)
    for do in sorted(COMMANDS)
    for table in TABLES
    if (command := make(do, table)) is not None
]


def test_the_matrix_covers_every_command() -> None:
    """Every command of the engine is tried, with a table wherever it can have one."""
    assert {do for do, _, _ in CASES} == set(COMMANDS)
    with_table = {do for do in COMMANDS if "table" in {f.name for f in fields(COMMANDS[do])}}
    assert {do for do, table, _ in CASES if table == 8} == with_table


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(("do", "table", "command"), CASES, ids=lambda x: str(x)[:20])
def test_the_matrix(role: str, do: str, table: int | None, command: Command) -> None:
    """A dealer acts at the own table of the own event, floor everywhere, viewers nowhere."""
    badge = Badge(role, "Ann", "1", 7) if role == "dealer" else Badge(role, "Ann")
    for event in EVENTS:
        expected = {
            "viewer": False,
            "dealer": do in DEALER and table == 7 and event == "1",
            "floor": do in FLOOR,
            "director": do not in HUB,
        }[role]
        assert badge.may(event, command) is expected


def test_a_dealers_rights_are_those_of_the_table() -> None:
    """The data says what the contract gives to a dealer's hands, no more and no less."""
    assert {do for line in AT_THE_TABLE for do in line.split()} == DEALER


def test_rights_are_real_commands_and_grow_with_the_role() -> None:
    """No right is misspelt, and who ranks higher may do all that the one below may."""
    assert tuple(RIGHTS) == ROLES
    for lower, higher in pairwise(ROLES):
        assert RIGHTS[lower] < RIGHTS[higher]
    assert set(COMMANDS) - HUB == RIGHTS["director"]


@pytest.mark.parametrize(
    "do",
    ["clock.start", "clock.add", "clock.set", "level.next", "structure.set", "event.finish"],
)
def test_the_events_clock_is_the_directors(do: str) -> None:
    """Nobody but the director changes the structure or the time of the event."""
    assert [role for role in ROLES if do in RIGHTS[role]] == ["director"]


@pytest.mark.parametrize(("do", "table", "command"), CASES, ids=lambda x: str(x)[:20])
def test_a_dealer_without_a_table_may_do_nothing(
    do: str, table: int | None, command: Command
) -> None:
    """A badge that is bound to no table or no event gives no right, least of all to the room."""
    assert do in COMMANDS
    assert table in TABLES
    assert not Badge("dealer", "Ann", "1", None).may("1", command)
    assert not Badge("dealer", "Ann", None, None).may("1", command)
    assert not Badge("dealer", "Ann", None, 7).may("1", command)


def test_a_viewer_is_what_one_is_without_a_badge() -> None:
    """Who shows nothing may look and not touch."""
    assert Badge() == Badge("viewer", "", None, None)
    assert not any(Badge().may("1", command) for _, _, command in CASES)


@pytest.mark.parametrize("do", ["hand.start", "clock.pause"])
def test_a_dealer_cannot_undo_what_is_not_of_the_table(do: str) -> None:
    """Naming a command does not let a dealer undo another table's, or the director's."""
    night = played("star-brisbane-saturday", {7: 3, 8: 3})
    night.do("hand.start", table=7)
    night.do("hand.start", table=8)
    night.do("clock.pause")
    newest_first = (entry for entry in night.state.history.commands() if entry.command is not None)
    other = next(entry for entry in newest_first if entry.command and entry.command.do == do)
    assert getattr(other.command, "table", None) in (8, None)
    undo = parse("undo", {"table": 7, "command": other.id}, id="sly")
    allowed = Badge("dealer", "Ann", "1", 7).may("1", undo)
    carried_out = not isinstance(decide(night.state, undo, night.now), Refused)
    assert not (allowed and carried_out)


@pytest.mark.parametrize(
    ("topic", "who"),
    [
        ("t/1", ROLES),
        ("t/1/table/7", ROLES),
        ("t/2/table/8", ROLES),
        ("screens/d7", ("floor", "director")),
        ("t/1/floor", ("floor", "director")),
        ("t/2/floor", ("floor", "director")),
        ("hub", ("floor", "director")),
    ],
)
def test_who_may_see_what(topic: str, who: tuple[str, ...]) -> None:
    """The room is public; the floor's board and the hub's own state are not."""
    for role in ROLES:
        assert Badge(role, event="1", table=7).may_see(topic) is (role in who)


def test_tokens_differ() -> None:
    """No two tokens are alike, and each has 256 bits to guess."""
    tokens = {new_token() for _ in range(1_000)}
    assert len(tokens) == 1_000
    assert all(len(token) >= 43 for token in tokens)
    assert all(set(token) <= set(string.ascii_letters + string.digits + "-_") for token in tokens)


def test_a_token_fits_into_the_first_message() -> None:
    """A token is not longer than what the protocol takes."""
    assert len(new_token()) <= 128


def test_a_fingerprint_does_not_reveal_its_token() -> None:
    """What is kept shares nothing with the token and cannot be used in its place."""
    token = new_token()
    print_ = fingerprint(token)
    assert fingerprint(token) == print_
    assert len(print_) == 64
    assert set(print_) <= set("0123456789abcdef")
    assert token not in print_
    assert not any(token[at : at + 8].lower() in print_ for at in range(len(token) - 8))
    assert fingerprint(print_) != print_


@given(st.text(max_size=20), st.text(max_size=20))
def test_fingerprints_tell_tokens_apart(one: str, other: str) -> None:
    """Whatever is presented as a token has a fingerprint of its own."""
    assert (fingerprint(one) == fingerprint(other)) is (one == other)


@pytest.mark.parametrize("hostile", ["\ud800", "é" * 50, "\x00", "", "🂡" * 32])
def test_a_hostile_token_is_only_unknown(hostile: str) -> None:
    """A token of strange characters has a fingerprint like any other."""
    assert len(fingerprint(hostile)) == 64
