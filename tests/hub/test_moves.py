"""Stale acts: nobody acts on what is no longer so, and everybody is told who was first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from server.access import Badge
from server.engine import COMMANDS
from server.moves import DEPENDS, MOVES, RUNS, STEP
from server.protocol.messages import Done, Refused
from tests.rig import MemoryJournal, Rig

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.rig import Peer

MINUTE = 60_000


@pytest.fixture(scope="module")
def played() -> MemoryJournal:
    """Play the beginning of an event, to start from."""
    with Rig() as rig:
        rig.create(tables={7: 3, 8: 3})
        return rig.journal


@pytest.fixture
def rig(played: MemoryJournal) -> Iterator[Rig]:
    """Start a hub with that event."""
    with Rig(MemoryJournal(played.stored, played.kept)) as rig:
        yield rig


@pytest.fixture
def two(rig: Rig) -> tuple[Peer, Peer]:
    """Connect two directors who both see the room."""
    found = rig.peer(Badge("director", "Dora")), rig.peer(Badge("director", "Bea"))
    for peer in found:
        peer.doc("")
    return found


def seen(peer: Peer) -> int:
    """Give the revision of the event's document that somebody has."""
    return peer.session.documents["t/1"].rev


def stale(answer: Done | Refused) -> str:
    """Insist that something was refused because somebody else was first, and give the words."""
    assert isinstance(answer, Refused), answer
    assert answer.code == "stale"
    return answer.text


def test_two_directors_press_next_level_in_the_same_second(
    rig: Rig, two: tuple[Peer, Peer]
) -> None:
    """The room moves one level, not two, and who was second is told who was first."""
    dora, bea = two
    was = seen(bea)
    assert isinstance(dora.do("level.next", seen=seen(dora)), Done)
    text = stale(bea.do("level.next", seen=was))
    assert "Dora: next level" in text
    assert "Nothing was done" in text
    rig.run(10)
    assert bea.doc("")["clock"]["level"] == 2
    assert isinstance(bea.do("level.next", seen=seen(bea)), Done)  # having looked, it is fine


def test_two_acts_in_flight_at_once_are_told_apart_before_either_is_durable(rig: Rig) -> None:
    """On a slow disk the second is refused, although the first is not durable yet."""
    dora, bea = rig.peer(Badge("director", "Dora")), rig.peer(Badge("director", "Bea"))
    was = [peer.doc("") and seen(peer) for peer in (dora, bea)]
    rig.journal.delay = 0.2
    first, second = (
        dora.tap("clock.add", ms=MINUTE, seen=was[0]),
        bea.tap("clock.add", ms=MINUTE, seen=was[1]),
    )
    rig.run(1_000)
    assert isinstance(dora.answer(first), Done)
    answer = bea.answer(second)
    assert isinstance(answer, Refused)
    assert "Dora: give 1:00" in stale(answer)


def test_a_move_that_was_never_stored_makes_nobody_stale(rig: Rig, two: tuple[Peer, Peer]) -> None:
    """What a full disk swallowed has not happened, and nobody has missed it."""
    dora, bea = two
    was = seen(bea)
    rig.journal.broken = True
    answer = dora.do("level.next", seen=seen(dora))
    assert isinstance(answer, Refused)
    assert answer.code == "storage"
    rig.journal.broken = False
    rig.run(6_000)
    assert isinstance(bea.do("level.next", seen=was), Done)


def test_ones_own_acts_never_make_one_stale(two: tuple[Peer, Peer]) -> None:
    """A director who presses +1 minute three times in a breath gives three minutes."""
    dora, _ = two
    was = seen(dora)
    for _ in range(3):
        assert isinstance(dora.do("clock.add", ms=MINUTE, seen=was), Done)


def test_dealers_taps_never_make_a_director_stale(rig: Rig, two: tuple[Peer, Peer]) -> None:
    """Hands, actions and reports of tables do not stand in a director's way."""
    dora, bea = two
    dealer = rig.dealer(table=7)
    for do in ("hand.start", "action.start", "action.next"):
        args: dict[str, Any] = {"seat": 1} if do == "action.start" else {}
        assert isinstance(dealer.do(do, table=7, **args), Done)
    was = seen(dora)
    assert isinstance(dealer.do("hand.end", table=7), Done)
    assert isinstance(bea.do("player.bust", player="8-3"), Done)
    assert isinstance(dealer.do("undo", table=7), Done)
    assert isinstance(dora.do("level.next", seen=was), Done)


def test_without_seen_nothing_is_compared(two: tuple[Peer, Peer]) -> None:
    """A script that does not say what it saw is taken at its word."""
    dora, bea = two
    assert isinstance(dora.do("level.next"), Done)
    assert isinstance(bea.do("level.next"), Done)


def test_an_act_that_is_sent_again_is_answered_again(rig: Rig, two: tuple[Peer, Peer]) -> None:
    """A resend after a cut is `again`, however much has happened since."""
    dora, bea = two
    dora.delay = 20
    sent = dora.tap("level.next", seen=seen(dora))
    rig.run(25)
    dora.cut = True  # the answer is on its way, and lost
    rig.run(50)
    assert isinstance(bea.do("clock.add", ms=MINUTE), Done)
    dora.disconnect()
    dora.cut = False
    dora.connect()
    rig.run(100)
    answer = dora.answer(sent)
    assert isinstance(answer, Done)
    assert answer.again
    rig.run(10)
    assert bea.doc("")["clock"]["level"] == 2


def test_a_level_that_ended_by_itself_makes_level_acts_stale(
    rig: Rig, two: tuple[Peer, Peer]
) -> None:
    """Next level with the old level on the screen would skip one; a pause is fine."""
    dora, _ = two
    was = seen(dora)
    rig.run(20 * MINUTE + 500)
    for do, args in (("level.next", {}), ("clock.add", {"ms": MINUTE}), ("level.back", {})):
        assert "level 2 began" in stale(dora.do(do, seen=was, **args))
    assert isinstance(dora.do("clock.pause", seen=was), Done)
    assert isinstance(dora.do("level.goto", level=4, seen=was), Done)  # it says which


def test_a_pause_is_only_in_the_way_of_pauses(two: tuple[Peer, Peer]) -> None:
    """More time meanwhile does not keep a fire alarm waiting; another pause does."""
    dora, bea = two
    was = seen(bea)
    assert isinstance(dora.do("clock.add", ms=MINUTE), Done)
    assert isinstance(bea.do("clock.pause", reason="fire alarm", seen=was), Done)
    assert "Bea: pause the room (fire alarm)" in stale(dora.do("clock.pause", seen=was))
    assert isinstance(dora.do("table.pause", table=7, seen=was), Done)


def test_undo_of_something_that_another_has_built_upon_is_refused(two: tuple[Peer, Peer]) -> None:
    """An undo is an act like any other: it was meant for the room as it was seen."""
    dora, bea = two
    command = dora.tap("clock.add", ms=MINUTE)
    dora.rig.run(5)
    was = seen(dora)
    assert isinstance(bea.do("level.next"), Done)
    assert "Bea: next level" in stale(dora.do("undo", command=command, seen=was))
    dora.rig.run(5)
    assert isinstance(dora.do("undo", command=command, seen=seen(dora)), Done)


def test_words_on_the_screens_are_not_overwritten_unseen(two: tuple[Peer, Peer]) -> None:
    """Who announces over an announcement that was not seen is told first."""
    dora, bea = two
    was = seen(bea)
    assert isinstance(dora.do("announce", text="Dinner", seen=was), Done)
    assert "announce: Dinner" in stale(bea.do("announce", text="Seats please", seen=was))
    assert isinstance(bea.do("clock.add", ms=MINUTE, seen=was), Done)


@pytest.mark.parametrize("away", [0, 90_000])
def test_what_was_done_before_a_restart_is_not_forgotten(rig: Rig, away: int) -> None:
    """A console that slept through a restart is told what it missed."""
    bea, dora = rig.peer(Badge("director", "Bea")), rig.peer(Badge("director", "Dora"))
    bea.doc("")
    was = seen(bea)
    dora.do("h4h.announce")
    rig.crash(away=away)
    bea.connect()
    rig.run(10)
    assert "Dora: hand-for-hand" in stale(bea.do("h4h.announce", seen=was))
    assert isinstance(bea.do("h4h.end", seen=seen(bea)), Done)


def test_what_depends_on_what_is_about_commands_that_exist() -> None:
    """Every name in the table is a command, and every move can be seen in the document."""
    assert DEPENDS.keys() | MOVES | RUNS <= COMMANDS.keys()
    assert set().union(*DEPENDS.values()) <= MOVES | {STEP}
    assert DEPENDS.keys() == MOVES
