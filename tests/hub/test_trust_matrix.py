"""The role matrix: every command and wish, by every role, through the whole hub."""

from __future__ import annotations

import logging
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import pytest

from server.access import DEALER, HUB, RIGHTS, ROLES, Badge
from server.engine import COMMANDS, BadInput, parse
from server.wishes import WISHES, parse_wish
from tests.hub.test_trust_kit import Guest, guest, logged
from tests.rig import MemoryJournal, Rig

if TYPE_CHECKING:
    from collections.abc import Iterator

SAMPLES: dict[str, Any] = {
    "acted": True,
    "button": 1,
    "chips": 1,
    "code": "BCDFGH",
    "device": "d99",
    "event": "99",
    "gap": 99,
    "level": 2,
    "minutes": 5,
    "mode": "add",
    "ms": 1_000,
    "name": "Ann",
    "outcome": "dead",
    "pin": "0000",
    "places": 3,
    "player": "p1",
    "preset": "nowhere",
    "remaining_ms": 1_000,
    "role": "viewer",
    "seat": 1,
    "seconds": 30,
    "starts_at": 5,
    "steps": [{"minutes": 20, "small": 100, "big": 200}],
    "table": 7,
    "text": "Hello",
}
BADGES = {
    "viewer": None,
    "dealer": Badge("dealer", "Dan", "1", 7),
    "floor": Badge("floor", "Fred"),
    "director": Badge("director", "Dora"),
}


def _args(do: str, table: int | None) -> dict[str, Any] | None:
    """Give arguments that a command takes, at a table; None if it is not of any table."""
    names = {f.name for f in fields(COMMANDS[do])} if do in COMMANDS else set()
    if table is not None and "table" not in names:
        return None
    args = {} if table is None else {"table": table}
    while True:
        try:
            if do in COMMANDS:
                parse(do, args)
            else:
                parse_wish(do, args)
        except BadInput as bad:
            key = bad.where.removeprefix("args.").split(".")[0]
            if key in args or (key == "table" and table is None):
                return None
            args[key] = SAMPLES[key]
        else:
            return args


CASES = [
    (do, table, args)
    for do in sorted(COMMANDS)
    for table in (7, 8, None)
    if (args := _args(do, table)) is not None
]


@pytest.fixture(scope="module")
def played() -> MemoryJournal:
    """Play the beginning of two events, to start from."""
    with Rig() as rig:
        rig.create(tables={7: 2, 8: 2})
        rig.create(tables={7: 2, 8: 2})
        return rig.journal


@pytest.fixture
def rig(played: MemoryJournal) -> Iterator[Rig]:
    """Start a hub with two events."""
    with Rig(MemoryJournal(played.stored, played.kept)) as rig:
        yield rig


def _try(
    peer: Guest, caplog: pytest.LogCaptureFixture, do: str, on: str, args: dict[str, Any]
) -> str:
    """Command something, see that a refusal is logged, counted and without effect."""
    hub, journal = peer.rig.hub, peer.rig.journal
    caplog.clear()
    before, lines = hub.metrics.refused.copy(), len(journal.stored)
    answer = peer.do(do, on=on, **args)
    if answer["type"] == "done":
        assert hub.metrics.refused == before
        return "done"
    code, role = answer["code"], peer.visitor.badge.role
    assert hub.metrics.refused - before == {code: 1}
    assert len(journal.stored) == lines
    assert answer["text"]
    wanted = {"what": "refused", "do": do, "event": on, "code": code, "by": role}
    assert wanted in logged(caplog)
    return str(code)


def test_the_matrix_is_whole() -> None:
    """Every command and every wish is tried, with a table wherever it can have one."""
    assert {do for do, _, _ in CASES} == set(COMMANDS)
    with_table = {do for do in COMMANDS if "table" in {f.name for f in fields(COMMANDS[do])}}
    assert {do for do, table, _ in CASES if table == 8} == with_table
    assert all(_args(do, None) is not None for do in WISHES)


@pytest.mark.parametrize("role", ROLES)
def test_commands_are_for_who_has_the_right(
    rig: Rig, caplog: pytest.LogCaptureFixture, role: str
) -> None:
    """Exactly what the rights say is allowed: by role, and for a dealer at the own place."""
    caplog.set_level(logging.INFO)
    peer = guest(rig, BADGES[role])
    wrong = []
    for do, table, args in CASES:
        for event in ("1", "2"):
            own = role != "dealer" or (table == 7 and event == "1")
            expected = do in RIGHTS[role] and own
            found = _try(peer, caplog, do, event, args)
            if (found != "forbidden") is not expected:
                wrong.append((do, table, event, found))
    assert wrong == []
    assert not peer.closed


@pytest.mark.parametrize("role", ROLES)
def test_wishes_are_for_who_has_the_right(
    rig: Rig, caplog: pytest.LogCaptureFixture, role: str
) -> None:
    """Exactly the roles that a wish names may have it."""
    caplog.set_level(logging.INFO)
    peer = guest(rig, BADGES[role])
    wrong = []
    for do in sorted(WISHES):
        args = _args(do, None)
        assert args is not None
        found = _try(peer, caplog, do, "", args)
        if (found != "forbidden") is not (role in WISHES[do].roles):
            wrong.append((do, found))
    assert wrong == []


def test_nobody_commands_what_is_the_hubs(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    """What only the hub does is forbidden to everybody, at every table of every event."""
    caplog.set_level(logging.INFO)
    for badge in BADGES.values():
        peer = guest(rig, badge)
        for do in HUB:
            for event in ("1", "2"):
                for table in (7, 8):
                    args = {**(_args(do, table) or {})}
                    assert _try(peer, caplog, do, event, args) == "forbidden"
        peer.leave()


@pytest.mark.parametrize("role", ROLES)
def test_commands_and_wishes_are_not_mixed_up(
    rig: Rig, caplog: pytest.LogCaptureFixture, role: str
) -> None:
    """A wish on an event and a command without one are no commands at all, for anybody."""
    caplog.set_level(logging.INFO)
    peer = guest(rig, BADGES[role])
    for do in sorted(WISHES.keys() - COMMANDS.keys()):
        assert _try(peer, caplog, do, "1", _args(do, None) or {}) == "bad_value"
    for do, _, args in CASES:
        assert _try(peer, caplog, do, "", args) == "bad_value"


@pytest.mark.parametrize("role", ROLES)
def test_an_event_that_is_not_there_is_nobodys(
    rig: Rig, caplog: pytest.LogCaptureFixture, role: str
) -> None:
    """No other spelling of an event's name leads to it."""
    caplog.set_level(logging.INFO)
    peer = guest(rig, BADGES[role])
    for event in ("0", "01", " 1", "1 ", "1/", "x", "\uff13"):
        assert _try(peer, caplog, "hand.start", event, {"table": 7}) == "unknown_event"


@pytest.mark.parametrize("do", sorted(DEALER))
def test_a_dealer_who_waits_may_do_nothing(
    rig: Rig, caplog: pytest.LogCaptureFixture, do: str
) -> None:
    """A dealer's right is the console's that works the table: another is told who does."""
    caplog.set_level(logging.INFO)
    guest(rig, Badge("dealer", "First", "1", 7))
    second = guest(rig, Badge("dealer", "Second", "1", 7))
    for table in (7, 8):
        assert _try(second, caplog, do, "1", _args(do, table) or {}) == "table_taken"
