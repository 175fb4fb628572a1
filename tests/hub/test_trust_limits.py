"""Limits: how much anybody may say, and that a flood is the flooder's trouble alone."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

import pytest

from server.access import Badge
from server.config import Config, Limits
from server.limits import Bucket, Doorman
from server.visitor import HELLO_BYTES, HELLO_WITHIN, MOST_BYTES, MOST_TOPICS, TOO_MANY
from tests.hub.test_trust_kit import Guest, guest, logged
from tests.rig import MemoryJournal, Rig

if TYPE_CHECKING:
    from collections.abc import Iterator

BADGES = {
    "viewer": None,
    "dealer": Badge("dealer", "Dan", "1", 7),
    "floor": Badge("floor", "Fred"),
    "director": Badge("director", "Dora"),
}
PROMISED = {"viewer": (20, 10), "dealer": (40, 20), "floor": (100, 50), "director": (200, 100)}
"""Messages in ten seconds, and how many of them at once."""

PROBE = b'{"type":"probe","sent":1}'


@pytest.fixture(scope="module")
def played() -> MemoryJournal:
    """Play the beginning of an event, to start from."""
    with Rig() as rig:
        rig.create()
        return rig.journal


@pytest.fixture
def rig(played: MemoryJournal) -> Iterator[Rig]:
    """Start a hub with one event and the usual limits."""
    with Rig(MemoryJournal(played.stored, played.kept), Config()) as rig:
        yield rig


def _flood(peer: Guest, number: int, data: bytes = PROBE) -> list[dict[str, Any]]:
    """Send so many messages in one instant."""
    before = len(peer.said)
    for _ in range(number):
        peer.rig.later(0, peer.visitor.receive, data)
    peer.rig.run(1)
    return peer.said[before:]


# ── rates ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("role", BADGES)
def test_a_role_has_its_burst(rig: Rig, role: str) -> None:
    """Half of what a role may say in ten seconds is taken at once, and not one more."""
    peer = guest(rig, BADGES[role])
    rig.run(12_000)
    said = _flood(peer, PROMISED[role][1] + 1)
    assert [s["type"] for s in said] == ["probed"] * PROMISED[role][1] + ["problem"]
    assert said[-1]["code"] == "slow_down"


@pytest.mark.parametrize("role", BADGES)
def test_a_role_has_its_rate(rig: Rig, role: str) -> None:
    """After the burst messages are taken as fast as the rate is, no faster and no slower."""
    peer = guest(rig, BADGES[role])
    number, burst = PROMISED[role]
    _flood(peer, burst)
    answered = len(peer.of("probed"))
    every = 10_000 // number // 2
    for _ in range(60):  # twice as fast as allowed, not for long enough to be shown out
        rig.later(0, peer.visitor.receive, PROBE)
        rig.run(every)
    found = len(peer.of("probed")) - answered
    assert 28 <= found <= 32
    assert not peer.closed


@pytest.mark.parametrize("role", BADGES)
def test_who_keeps_to_the_rate_is_never_hurried(rig: Rig, role: str) -> None:
    """A minute at the full rate is answered in full."""
    peer = guest(rig, BADGES[role])
    number = PROMISED[role][0] * 6
    for _ in range(number):
        rig.later(0, peer.visitor.receive, PROBE)
        rig.run(60_000 // number)
    assert len(peer.of("probed")) == number
    assert peer.codes() == []


def test_a_command_too_many_is_refused_by_its_id(rig: Rig) -> None:
    """A tap that is not read is refused, so that the console knows; it does nothing."""
    dealer = guest(rig, BADGES["dealer"])
    _flood(dealer, 30)
    lines = len(rig.journal.stored)
    answer = dealer.do("hand.start", on="1", table=7)
    assert (answer["type"], answer["code"]) == ("refused", "slow_down")
    assert len(rig.journal.stored) == lines
    rig.run(1_000)
    dealer.done("hand.start", on="1", table=7)


def test_who_does_not_stop_is_shown_out(rig: Rig) -> None:
    """A flood is answered once, and ends the connection."""
    viewer = guest(rig)
    said = _flood(viewer, 10 + TOO_MANY + 50)
    assert viewer.closed
    assert [s["type"] for s in said if s["type"] != "probed"] == ["problem", "bye"]
    assert viewer.visitor not in rig.hub.visitors


@pytest.mark.parametrize("data", [b"{", b'{"type":"no"}', b"\xff", b'{"type":"do"}'])
def test_garbage_is_limited_too(rig: Rig, data: bytes) -> None:
    """Who sends a thousand messages that cannot be read is shown out like any other flood."""
    viewer = guest(rig)
    said = _flood(viewer, 1_000, data)
    assert viewer.closed
    assert len(said) < 2 * TOO_MANY


def test_a_stranger_is_limited_too(rig: Rig) -> None:
    """Who has not even said hello cannot make the hub talk as much as it likes."""
    stranger = Guest(rig)
    said = _flood(stranger, 1_000)
    assert len(said) < 2 * TOO_MANY


def test_a_hurry_now_and_then_is_forgiven(rig: Rig) -> None:
    """A console that sends a few messages too many every minute is still there after a while."""
    dealer = guest(rig, BADGES["dealer"])
    for _ in range(30):
        _flood(dealer, 24)
        rig.run(60_000)
    assert not dealer.closed


def test_the_rate_is_the_devices(rig: Rig) -> None:
    """A device with two connections may say no more than with one."""
    token = rig.hub.reception.devices.issue(Badge("dealer", "Dan", "1", 7))
    first, second = Guest(rig).hello(token), Guest(rig).hello(token)
    _flood(first, 20)
    assert len([s for s in _flood(second, 20) if s["type"] == "probed"]) < 20


def test_a_rate_can_be_set(played: MemoryJournal) -> None:
    """Ten times the rate is ten times the burst."""
    config = Config(limits=Limits(rate=10))
    with Rig(MemoryJournal(played.stored, played.kept), config) as rig:
        said = _flood(guest(rig), 101)
        assert [s["type"] for s in said].count("probed") == 100
        assert said[-1]["code"] == "slow_down"


def test_a_clock_that_stands_gives_nothing() -> None:
    """A bucket that is full holds its burst, however long nobody came."""
    bucket = Bucket.of("dealer", 0)
    assert sum(bucket.take(10_000_000) for _ in range(1_000)) == 20
    assert sum(bucket.take(10_000_000 + 10_000) for _ in range(1_000)) == 20


# ── sizes ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("role", BADGES)
@pytest.mark.parametrize("over", [0, 1])
def test_a_message_has_a_size(rig: Rig, role: str, over: int) -> None:
    """A message as long as a role's may be is read; one byte more ends the connection."""
    most = {"viewer": 1 << 10, "dealer": 4 << 10, "floor": 64 << 10, "director": 64 << 10}[role]
    assert MOST_BYTES[role] == most
    peer = guest(rig, BADGES[role])
    said = peer.throw(PROBE + b" " * (most + over - len(PROBE)))
    assert bool(peer.closed) is bool(over)
    assert said[-1]["type"] == ("bye" if over else "probed")


@pytest.mark.parametrize("over", [0, 1])
def test_a_hello_has_a_size(rig: Rig, over: int) -> None:
    """The first message may be sixteen kilobytes long."""
    stranger = Guest(rig)
    hello = json.dumps({"type": "hello", "version": 1}).encode()
    stranger.throw(hello + b" " * (HELLO_BYTES + over - len(hello)))
    assert bool(stranger.closed) is bool(over)


@pytest.mark.parametrize("data", [None, PROBE, b"{", b""])
def test_the_first_message_comes_within_five_seconds(rig: Rig, data: bytes | None) -> None:
    """Who says no hello in time is shown out, and may come again."""
    stranger = Guest(rig)
    rig.run(HELLO_WITHIN - 1_000)
    if data is not None:
        stranger.throw(data)
    assert not stranger.closed
    rig.run(2_500)
    assert stranger.closed
    assert stranger.of("bye")[-1]["retry_ms"] is not None
    assert rig.hub.doorman._strange == 0  # noqa: SLF001 - the count must come down again


@pytest.mark.parametrize("role", ["viewer", "dealer"])
def test_topics_are_limited(rig: Rig, role: str) -> None:
    """A client follows sixty-four topics at most, and goes on with those that it has."""
    peer = guest(rig, BADGES[role])
    for n in range(10):
        peer.follow(*(f"t/1/table/{n * 10 + i}" for i in range(10)))
        rig.run(1_000)
    assert len(peer.visitor.client.topics) == MOST_TOPICS[role] == 64
    assert set(peer.codes()) == {"too_many"}
    assert not peer.closed


# ── connections ──────────────────────────────────────────────────────────────────────────────────


def test_the_doorman_counts() -> None:
    """Connections are counted in all, from one address and of strangers, up and down."""
    doorman = Doorman(total=6, per_address=3, strangers=4)
    for _ in range(3):
        assert doorman.refuse("10.0.0.1") is None
        doorman.enter("10.0.0.1")
    assert "this address" in (doorman.refuse("10.0.0.1") or "")
    doorman.enter("10.0.0.2")
    assert "who they are" in (doorman.refuse("10.0.0.2") or "")
    doorman.known()
    doorman.enter("10.0.0.2")
    doorman.known()
    doorman.enter("10.0.0.3")
    assert "as many" in (doorman.refuse("10.0.0.4") or "")
    doorman.leave("10.0.0.3", known=False)
    assert doorman.refuse("10.0.0.4") is None


def test_who_comes_and_goes_is_not_counted_for_ever(rig: Rig) -> None:
    """However a connection ends, its place is free again."""
    token = rig.hub.reception.devices.issue(Badge("floor", "Fred"))
    for n in range(40):
        peer = Guest(rig, f"10.0.0.{n}")
        if n % 4:
            peer.hello(token if n % 2 else None if n % 4 == 2 else "wrong")
        peer.leave()
        peer.leave()  # said twice, as a socket may
    doorman = rig.hub.doorman
    assert (doorman._all, doorman._strange, doorman._addresses) == (0, 0, {})  # noqa: SLF001
    assert rig.hub.by_device == {}


def test_strangers_leave_nothing_behind(rig: Rig) -> None:
    """A phone that reconnects all night does not fill the hub's memory."""
    for _ in range(300):
        guest(rig).leave()
    assert len(rig.hub.watch._devices) < 50  # noqa: SLF001 - what is measured is what is kept


# ── everybody else ───────────────────────────────────────────────────────────────────────────────


def _hand(played: MemoryJournal, *, flood: bool) -> list[tuple[int, dict[str, Any]]]:
    """Deal a hand, and give the dealer's answers with the instants at which they came."""
    with Rig(MemoryJournal(played.stored, played.kept), Config()) as rig:
        start, answers = rig.now, []
        dealer = guest(rig, BADGES["dealer"])
        viewers = [guest(rig) for _ in range(20)]
        rig.run(20 - (rig.now - start) % 20)
        hand = ["hand.start", "action.start", "action.stop", "street.next", "hand.end"]
        for number, do in enumerate(hand * 3):
            if flood:
                for viewer in viewers:
                    for data in (PROBE, b"{", b'{"type":"subscribe","topics":["t/1","hub"]}'):
                        rig.later(0, viewer.visitor.receive, data)
                        rig.later(0, viewer.visitor.receive, data)
            args = {"table": 7} | ({"seat": 1} if do == "action.start" else {})
            answer = dealer.do(do, on="1", id_=f"c{number}", **args)
            answers.append((rig.now - start, {**answer, "at": answer.get("at", start) - start}))
            rig.run(700)
        return answers


def test_a_flood_by_viewers_never_delays_a_dealer(played: MemoryJournal) -> None:
    """The dealer's answers are the same, and come at the same instants, with and without it."""
    calm, flooded = _hand(played, flood=False), _hand(played, flood=True)
    assert calm == flooded
    assert sum(answer["type"] == "done" for _, answer in calm) >= 12


@pytest.mark.parametrize("code", ["slow_down", "insecure"])
def test_refusals_at_the_door_are_logged_and_counted(
    rig: Rig, caplog: pytest.LogCaptureFixture, code: str
) -> None:
    """A command that is refused before anybody looks at it is seen by who watches the hub."""
    caplog.set_level(logging.INFO)
    dealer = guest(rig, BADGES["dealer"], secure=code != "insecure")
    _flood(dealer, 30 if code == "slow_down" else 0)
    assert dealer.do("hand.start", on="1", table=7)["code"] == code
    assert any(line.get("code") == code for line in logged(caplog))
    assert rig.hub.metrics.refused[code] == 1
