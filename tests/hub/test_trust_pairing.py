"""Pairing: a code lets nobody in by itself, works once, for a while, and cannot be guessed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from server.access import Badge
from server.pairing import LENGTH, LETTERS, MOST_LISTED, MOST_WRONG, Pairing
from tests.hub.test_trust_kit import Guest, asks, guest, paired
from tests.rig import MemoryJournal, Rig

if TYPE_CHECKING:
    from collections.abc import Iterator

FLOOR, DIRECTOR = Badge("floor", "Fred"), Badge("director", "Dora")
BY = {"floor": FLOOR, "director": DIRECTOR}


@pytest.fixture(scope="module")
def played() -> MemoryJournal:
    """Play the beginning of an event, to start from."""
    with Rig() as rig:
        rig.create()
        return rig.journal


@pytest.fixture
def rig(played: MemoryJournal) -> Iterator[Rig]:
    """Start a hub with one event."""
    with Rig(MemoryJournal(played.stored, played.kept)) as rig:
        yield rig


def _wrong(code: str) -> str:
    """Give a code that is surely another."""
    return "".join(LETTERS[(LETTERS.index(c) + 1) % len(LETTERS)] for c in code)


# ── the code ─────────────────────────────────────────────────────────────────────────────────────


def test_a_code_is_six_letters_that_cannot_be_mistaken(rig: Rig) -> None:
    """Every code is of the agreed letters and length, and its secret has 256 bits."""
    for _ in range(30):
        device, shown = asks(rig)
        assert shown["type"] == "code"
        assert len(shown["code"]) == LENGTH == 6
        assert set(shown["code"]) <= set("BCDFGHJKLMNPQRSTVWXZ")
        assert len(shown["secret"]) >= 43
        assert shown["until"] - rig.now == pytest.approx(180_000, abs=5)
        device.leave()


def test_open_codes_are_all_different() -> None:
    """A code that is open already is not given to a second device."""
    letters = iter("BBBBBB" + "BBBBBB" + "CCCCCC")
    pairing = Pairing(lambda _: next(letters))
    first, second = (pairing.ask(object(), "", "", 0) for _ in range(2))
    assert (first.code, second.code) == ("BBBBBB", "CCCCCC")
    assert first.secret != second.secret


@pytest.mark.parametrize("typed", ["{}", " {} ", "{}  "])
@pytest.mark.parametrize("lower", [False, True])
def test_a_code_may_be_typed_in_small_letters_and_with_spaces_around(
    rig: Rig, typed: str, lower: bool
) -> None:
    """How a code is typed does not matter."""
    device, shown = asks(rig)
    code = shown["code"].lower() if lower else shown["code"]
    guest(rig, FLOOR).done("device.pair", code=typed.format(code), role="viewer")
    assert device.welcome["role"] == "viewer"


def test_a_code_works_once(rig: Rig) -> None:
    """A second device cannot be let in with a code that was used."""
    floor = guest(rig, FLOOR)
    device, shown = asks(rig)
    floor.done("device.pair", code=shown["code"], role="viewer")
    before = len(rig.journal.stored)
    answer = floor.do("device.pair", code=shown["code"], role="dealer", event="1", table=7)
    assert answer["code"] == "bad_value"
    assert device.welcome["role"] == "viewer"
    assert len(rig.journal.stored) == before


def test_a_code_is_good_for_three_minutes(rig: Rig) -> None:
    """A second before its end a code still works, at its end it does not."""
    floor = guest(rig, FLOOR)
    early, late = asks(rig), asks(rig)
    rig.run_until(early[1]["until"] - 1_000)
    floor.done("device.pair", code=early[1]["code"], role="viewer")
    rig.run_until(late[1]["until"])
    assert floor.do("device.pair", code=late[1]["code"], role="viewer")["code"] == "bad_value"
    assert rig.hub.reception.document()["asking"] == []


def test_an_old_code_makes_room_for_a_new_one(rig: Rig) -> None:
    """Who asks again shows one code only, and the one before is worth nothing."""
    floor = guest(rig, FLOOR)
    device, first = asks(rig)
    second = device.say("pair")[-1]
    assert first["code"] != second["code"]
    assert first["secret"] != second["secret"]
    assert floor.do("device.pair", code=first["code"], role="viewer")["code"] == "bad_value"
    floor.done("device.pair", code=second["code"], role="viewer")


def test_the_list_names_at_most_fifty(rig: Rig) -> None:
    """The fifty-first device has a code like any other; the floor's list stays short."""
    devices = [asks(rig)[0] for _ in range(MOST_LISTED + 1)]
    assert all(device.of("code") for device in devices)
    assert len(rig.hub.reception.document()["asking"]) == MOST_LISTED == 50
    codes = {device.of("code")[0]["code"] for device in devices}
    listed = {asking["code"] for asking in rig.hub.reception.document()["asking"]}
    (unlisted,) = codes - listed
    guest(rig, FLOOR).done("device.pair", code=unlisted, role="viewer")


# ── a crowd that asks ────────────────────────────────────────────────────────────────────────────

CROWDS = {
    "five addresses": [f"10.6.6.{n}" for n in range(5) for _ in range(60)],
    "many addresses": [f"10.6.{n // 200}.{n % 200}" for n in range(300)],
    "the tablet's own address": ["10.0.0.10"] * 300,
}


@pytest.mark.parametrize("crowd", CROWDS.values(), ids=CROWDS)
def test_a_crowd_that_asks_keeps_nobody_out(rig: Rig, crowd: list[str]) -> None:
    """A tablet gets a code behind a crowd, keeps it while the crowd goes on, and is let in."""
    floor = guest(rig, FLOOR)
    strangers = [asks(rig, address=address)[0] for address in crowd]
    tablet, shown = asks(rig, address="10.0.0.10")
    assert shown["type"] == "code"
    for stranger in strangers:
        stranger.say("pair")
    floor.done("device.pair", code=shown["code"], role="dealer", event="1", table=7)
    assert tablet.welcome["role"] == "dealer"


def _listed(pairing: Pairing) -> set[str]:
    return {asking.address for asking in pairing.waiting(0)}


def test_a_greedy_address_leaves_room_in_the_list() -> None:
    """Who asks a hundred times after a tablet does not push it off the floor's list."""
    pairing = Pairing()
    pairing.ask(object(), "tablet", "10.0.0.10", 0)
    for _ in range(100):
        pairing.ask(object(), "", "10.6.6.6", 0)
    assert _listed(pairing) == {"10.0.0.10", "10.6.6.6"}


def test_a_greedy_network_leaves_room_in_the_list() -> None:
    """A hundred addresses of one network do not push another network's tablets off it."""
    pairing = Pairing()
    for n in range(20):
        pairing.ask(object(), "tablet", f"192.168.1.{n}", 0)
    for n in range(100):
        pairing.ask(object(), "", f"10.6.6.{n}", 0)
        pairing.ask(object(), "", f"2001:db8::{n:x}", 0)
    tablets = {address for address in _listed(pairing) if address.startswith("192.")}
    assert len(tablets) == 16  # a third of fifty
    assert len(pairing.waiting(0)) == MOST_LISTED


def test_a_code_goes_with_whoever_shows_it() -> None:
    """Used, withdrawn and old codes are gone, whatever the order, and the others are not."""
    pairing = Pairing()
    who = [object() for _ in range(4)]
    used, gone, old, last = (pairing.ask(each, "", "", n) for n, each in enumerate(who))
    assert pairing.take(used.code, "floor", 5) is used
    pairing.withdraw(who[0])  # as its connection ends
    pairing.withdraw(who[1])
    assert pairing.take(gone.code, "floor", 5) is None
    assert pairing.waiting(old.until) == [last]
    assert pairing.take(old.code, "floor", old.until) is None
    assert pairing.take(last.code, "floor", old.until) is last


# ── guessing ─────────────────────────────────────────────────────────────────────────────────────


def test_wrong_codes_are_limited_for_each_device(rig: Rig) -> None:
    """After five wrong codes not even the right one is taken, until a minute is over."""
    one, other = guest(rig, FLOOR), guest(rig, FLOOR)
    device, shown = asks(rig)
    for _ in range(MOST_WRONG):
        answer = one.do("device.pair", code=_wrong(shown["code"]), role="viewer")
        assert answer["code"] == "bad_value"
    assert one.do("device.pair", code=shown["code"], role="viewer")["code"] == "slow_down"
    assert len(device.of("welcome")) == 1
    rig.run(59_000)
    assert one.do("device.pair", code=shown["code"], role="viewer")["code"] == "slow_down"
    rig.run(1_000)
    one.done("device.pair", code=shown["code"], role="viewer")
    second, shown = asks(rig)
    other.done("device.pair", code=shown["code"], role="viewer")  # the other was never limited
    assert second.welcome["role"] == "viewer"


def test_a_reconnect_does_not_forgive_wrong_codes(rig: Rig) -> None:
    """The limit is the device's, not the connection's."""
    token = rig.hub.reception.devices.issue(FLOOR)
    _, shown = asks(rig)
    for _ in range(MOST_WRONG):
        floor = Guest(rig).hello(token)
        floor.do("device.pair", code=_wrong(shown["code"]), role="viewer")
        floor.leave()
    answer = Guest(rig).hello(token).do("device.pair", code=shown["code"], role="viewer")
    assert answer["code"] == "slow_down"


def test_brute_force_does_not_succeed(rig: Rig) -> None:
    """In the whole life of all codes that may be open a device gets to try a handful."""
    floor = guest(rig, FLOOR)
    shown = [asks(rig)[1]["code"] for _ in range(50)]
    tried, until = 0, rig.now + 180_000
    while rig.now < until:
        answer = floor.do("device.pair", code=_wrong(shown[tried % 50]), role="director")
        assert answer["code"] == "forbidden"  # said before a guess is even looked at
        answer = floor.do("device.pair", code=_wrong(shown[tried % 50]), role="viewer")
        tried += answer["code"] == "bad_value"
        rig.run(1_000)
    assert tried <= 3 * MOST_WRONG
    most = rig.hub.doorman.total  # a code for every connection that there may be
    assert tried * most / len(LETTERS) ** LENGTH < 1 / 300


def test_a_viewer_cannot_even_try(rig: Rig) -> None:
    """Who was not let in cannot let anybody in, and learns nothing about a code."""
    _, shown = asks(rig)
    viewer = guest(rig)
    right = viewer.do("device.pair", code=shown["code"], role="director")
    wrong = viewer.do("device.pair", code=_wrong(shown["code"]), role="director")
    assert right["code"] == wrong["code"] == "forbidden"
    assert right["text"] == wrong["text"]


# ── the secret ───────────────────────────────────────────────────────────────────────────────────


def test_a_secret_is_no_token_before_somebody_says_so(rig: Rig) -> None:
    """Nobody comes in with a secret that was not approved, or with a code."""
    _, shown = asks(rig)
    for token in (shown["secret"], shown["code"]):
        early = Guest(rig).hello(token)
        assert early.codes() == ["unauthorised"]
        assert early.closed
        assert early.of("welcome") == []


def test_an_approved_secret_is_the_token(rig: Rig) -> None:
    """The device is welcomed at once, and with its secret on every later connection."""
    device, secret = paired(rig, guest(rig, FLOOR), "dealer", event="1", table=7)
    assert (device.welcome["event"], device.welcome["table"]) == ("1", 7)
    device.leave()
    again = Guest(rig).hello(secret)
    assert again.welcome["role"] == "dealer"
    assert again.visitor.device == device.visitor.device
    assert device.of("admitted") == []  # the secret is said once, when the code is


def test_a_secret_that_was_never_approved_stays_worthless(rig: Rig) -> None:
    """A code that ran out takes its secret with it."""
    _, shown = asks(rig)
    rig.run(181_000)
    assert Guest(rig).hello(shown["secret"]).codes() == ["unauthorised"]


def test_who_lost_the_link_while_asking_asks_again(rig: Rig) -> None:
    """The code of a connection that is gone is forgotten, and its secret too."""
    floor = guest(rig, FLOOR)
    device, shown = asks(rig)
    device.leave()
    assert rig.hub.reception.document()["asking"] == []
    assert floor.do("device.pair", code=shown["code"], role="viewer")["code"] == "bad_value"
    assert Guest(rig).hello(shown["secret"]).codes() == ["unauthorised"]


def test_who_did_not_hear_of_the_approval_comes_in_all_the_same(rig: Rig) -> None:
    """A device that was cut off without anybody's knowing has its token when it is back."""
    device, shown = asks(rig)
    device.closed.append(True)  # nothing reaches it any more, and the hub does not know
    guest(rig, FLOOR).done("device.pair", code=shown["code"], role="viewer", name="Bar")
    assert len(device.of("welcome")) == 1
    assert Guest(rig).hello(shown["secret"]).welcome["name"] == "Bar"


def test_who_was_let_in_gets_no_other_code(rig: Rig) -> None:
    """A device that was let in cannot be given a second identity."""
    device, _ = paired(rig, guest(rig, FLOOR), "viewer")
    assert device.say("pair")[-1]["code"] == "paired"
    assert guest(rig, FLOOR).say("pair")[-1]["code"] == "paired"


def test_nobody_is_let_in_when_that_cannot_be_stored(rig: Rig) -> None:
    """A pairing that is refused because of the disk lets nobody in."""
    floor = guest(rig, FLOOR)
    device, shown = asks(rig)
    rig.journal.broken = True
    answer = floor.do("device.pair", code=shown["code"], role="dealer", event="1", table=7)
    assert answer["code"] == "storage"
    assert device.welcome["role"] == "viewer"
    assert Guest(rig).hello(shown["secret"]).codes() == ["unauthorised"]


# ── who lets in whom ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("role", ["viewer", "dealer", "floor", "director"])
@pytest.mark.parametrize("by", BY)
def test_who_may_let_in_whom(rig: Rig, by: str, role: str) -> None:
    """The floor lets in viewers and dealers, a director everybody."""
    device, shown = asks(rig)
    host = guest(rig, BY[by])
    args = {"event": "1", "table": 7} if role == "dealer" else {}
    answer = host.do("device.pair", code=shown["code"], role=role, **args)
    if by == "director" or role in ("viewer", "dealer"):
        assert answer["type"] == "done"
        assert device.welcome["role"] == role
    else:
        assert answer["code"] == "forbidden"
        assert len(device.of("welcome")) == 1
        host.done("device.pair", code=shown["code"], role="viewer")  # the code is still good


@pytest.mark.parametrize(
    ("args", "code"),
    [
        ({}, "bad_value"),
        ({"event": "1"}, "bad_value"),
        ({"table": 7}, "bad_value"),
        ({"event": "99", "table": 7}, "unknown_event"),
        ({"event": "1", "table": 0}, "bad_value"),
        ({"event": "1", "table": True}, "bad_value"),
    ],
)
def test_a_dealer_needs_a_place(rig: Rig, args: dict[str, object], code: str) -> None:
    """Without an event and a table there is no dealer's device, and the code is not used up."""
    _, shown = asks(rig)
    floor = guest(rig, FLOOR)
    assert floor.do("device.pair", code=shown["code"], role="dealer", **args)["code"] == code
    floor.done("device.pair", code=shown["code"], role="dealer", event="1", table=7)


def test_the_floor_sees_what_asks_and_from_where(rig: Rig) -> None:
    """Who lets a device in sees its kind, its address and its code, and who let it in later."""
    floor = guest(rig, FLOOR)
    floor.follow("devices")
    _device, shown = asks(rig, kind="Lenovo tablet", address="10.0.0.77")
    rig.run(300)  # the list is published once for all that ask in a moment
    (asking,) = floor.docs["devices"]["asking"]
    assert asking == {
        "code": shown["code"],
        "kind": "Lenovo tablet",
        "address": "10.0.0.77",
        "until": shown["until"],
    }
    floor.done("device.pair", code=shown["code"], role="dealer", event="1", table=9)
    rig.run(300)
    assert floor.docs["devices"]["asking"] == []
    row = floor.docs["devices"]["devices"][-1]
    wanted = ("Table 9", "dealer", "1", 9, "Lenovo tablet", "Fred", True, "10.0.0.77", True)
    keys = ("name", "role", "event", "table", "kind", "paired_by", "live", "address", "works")
    assert tuple(row[key] for key in keys) == wanted
    assert rig.now - 1_000 < row["paired_at"] <= row["last_seen"] <= rig.now


@pytest.mark.parametrize("badge", [None, Badge("dealer", "Dan", "1", 7)])
def test_codes_are_not_for_everybody(rig: Rig, badge: Badge | None) -> None:
    """The list of devices, with its codes, is for the floor and the director."""
    peer = guest(rig, badge)
    peer.follow("devices")
    assert peer.codes() == ["forbidden"]
    assert "devices" not in peer.docs


# ── a restart ────────────────────────────────────────────────────────────────────────────────────


def test_a_restart_keeps_devices_and_forgets_codes(rig: Rig) -> None:
    """Who was let in is known afterwards; who was asking must ask again."""
    director = guest(rig, DIRECTOR)
    _, secret = paired(rig, director, "floor", name="Desk 2")
    device, _shown = asks(rig)
    rig.crash(1_000)
    assert device.closed
    assert rig.hub.reception.document()["asking"] == []
    assert Guest(rig).hello(secret).welcome["name"] == "Desk 2"
    assert Guest(rig).hello(_shown["secret"]).codes() == ["unauthorised"]
    floor = Guest(rig).hello(secret)
    assert floor.do("device.pair", code=_shown["code"], role="viewer")["code"] == "bad_value"


def test_ids_of_devices_are_never_given_twice(rig: Rig) -> None:
    """A device that comes after a restart is not mistaken for one that was shown out before."""
    director = guest(rig, DIRECTOR)
    first, _ = paired(rig, director, "viewer")
    director.done("device.revoke", device=first.visitor.device)
    rig.crash(1_000)
    second, _ = paired(rig, guest(rig, DIRECTOR), "viewer")
    assert second.visitor.device != first.visitor.device


def test_a_pairing_that_is_sent_again_lets_in_once(rig: Rig) -> None:
    """The same command, sent again after a restart, is done and does nothing."""
    token = rig.hub.reception.devices.issue(FLOOR)
    _, shown = asks(rig)
    floor = Guest(rig).hello(token)
    args = {"code": shown["code"], "role": "viewer"}
    assert floor.do("device.pair", id_="pair-1", **args)["type"] == "done"
    rig.crash(1_000)
    devices = len(list(rig.hub.reception.devices))
    answer = Guest(rig).hello(token).do("device.pair", id_="pair-1", **args)
    assert (answer["type"], answer["again"]) == ("done", True)
    assert len(list(rig.hub.reception.devices)) == devices
