"""Leases and dealers: one live console a table, handed over in the open, and who dealt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from server.access import Badge
from server.leases import KEPT_FOR
from server.staff import MOST_WRONG
from tests.hub.test_trust_kit import Guest, guest, paired
from tests.rig import MemoryJournal, Rig

if TYPE_CHECKING:
    from collections.abc import Iterator

FLOOR, DIRECTOR = Badge("floor", "Fred"), Badge("director", "Dora")
TABLE = "t/1/lease/7"


@pytest.fixture(scope="module")
def played() -> MemoryJournal:
    """Play the beginning of an event, to start from."""
    with Rig() as rig:
        rig.create(tables={7: 3, 8: 3})
        return rig.journal


@pytest.fixture
def rig(played: MemoryJournal) -> Iterator[Rig]:
    """Start a hub with one event."""
    with Rig(MemoryJournal(played.stored, played.kept)) as rig:
        yield rig


def _dealer(rig: Rig, name: str, table: int = 7) -> tuple[Guest, str]:
    floor = guest(rig, FLOOR)
    found = paired(rig, floor, "dealer", name=name, event="1", table=table)
    floor.leave()
    found[0].follow(f"t/1/lease/{table}")
    return found


def _two(rig: Rig) -> tuple[Guest, Guest]:
    return _dealer(rig, "Left")[0], _dealer(rig, "Right")[0]


def _works(guest_: Guest, do: str = "floor.call", **args: Any) -> bool:
    return guest_.do(do, on="1", table=7, **args).get("code") != "table_taken"


# ── one console a table ──────────────────────────────────────────────────────────────────────────


def test_the_second_device_waits(rig: Rig) -> None:
    """The first device works the table; the second may look, and is told who does."""
    left, right = _two(rig)
    assert _works(left)
    answer = right.do("hand.start", on="1", table=7)
    assert answer["code"] == "table_taken"
    assert "Left" in answer["text"]
    assert left.docs[TABLE] | {"now": 0} == right.docs[TABLE] | {"now": 0}
    shown = right.docs[TABLE]
    assert (shown["name"], shown["live"], shown["table"]) == ("Left", True, 7)
    assert [(w["name"], w["asks"]) for w in shown["waiting"]] == [("Right", False)]


def test_a_takeover_is_asked_for_granted_and_seen_by_both(rig: Rig) -> None:
    """The waiting device asks, the floor grants, both see each step; the journal has it all."""
    left, right = _two(rig)
    right.done("lease.ask")
    for device in (left, right):
        assert [w["asks"] for w in device.docs[TABLE]["waiting"]] == [True]
    floor = guest(rig, FLOOR)
    floor.done("lease.grant", device=right.visitor.device)
    for device in (left, right):
        shown = device.docs[TABLE]
        assert shown["device"] == right.visitor.device
        assert [(w["name"], w["asks"]) for w in shown["waiting"]] == [("Left", False)]
    assert _works(right)
    assert not _works(left)
    lines = [s.line for s in rig.journal.stored if b'"lease.' in s.line.body]
    assert [line.actor for line in lines] == ["Right", "Fred"]
    assert f'"instead_of":"{left.visitor.device}"'.encode() in lines[-1].body


def test_nobody_takes_a_table_by_asking(rig: Rig) -> None:
    """To ask is not to get, however often; and who has the table need not ask."""
    left, right = _two(rig)
    for _ in range(5):
        right.done("lease.ask")
        assert not _works(right)
    assert left.do("lease.ask")["code"] == "not_allowed"
    assert right.do("lease.grant", device=right.visitor.device)["code"] == "forbidden"
    assert _works(left)


def test_only_a_device_with_a_table_can_have_one(rig: Rig) -> None:
    """A table is not given to a device that is bound to none, and a director asks for none."""
    director = guest(rig, DIRECTOR)
    viewer, _ = paired(rig, director, "viewer")
    answer = director.do("lease.grant", device=viewer.visitor.device)
    assert answer["code"] == "bad_value"
    assert director.do("lease.ask")["code"] == "not_allowed"


def test_tables_do_not_get_into_each_others_way(rig: Rig) -> None:
    """A console at another table waits for nobody."""
    left, _ = _dealer(rig, "Left")
    other, _ = _dealer(rig, "Other", 8)
    assert _works(left)
    other.done("hand.start", on="1", table=8)


@pytest.mark.parametrize("away", [1_000, KEPT_FOR - 1_000])
def test_who_is_back_in_time_keeps_the_table(rig: Rig, away: int) -> None:
    """A link that was lost for less than ten seconds costs nobody the table."""
    left, secret = _dealer(rig, "Left")
    right, _ = _dealer(rig, "Right")
    left.leave()
    assert right.docs[TABLE]["live"] is False
    rig.run(away)
    assert not _works(right)
    back = Guest(rig).hello(secret)
    assert right.docs[TABLE]["live"] is True
    assert _works(back)
    assert not _works(right)


def test_after_ten_seconds_the_table_is_passed_on(rig: Rig) -> None:
    """The first who waits gets the table, and who comes back late waits behind."""
    left, secret = _dealer(rig, "Left")
    right, _ = _dealer(rig, "Right")
    left.leave()
    rig.run(KEPT_FOR + 1_100)
    assert right.docs[TABLE]["name"] == "Right"
    assert _works(right)
    back = Guest(rig).hello(secret)
    assert not _works(back)
    assert [w["name"] for w in right.docs[TABLE]["waiting"]] == ["Left"]


def test_a_table_that_nobody_wants_is_free(rig: Rig) -> None:
    """A table without any console is taken by the next that comes, without asking."""
    left, _ = _dealer(rig, "Left")
    left.leave()
    rig.run(KEPT_FOR + 1_100)
    assert rig.hub.document(TABLE)[1] is None
    assert _works(_dealer(rig, "Right")[0])


def test_a_table_given_to_a_device_that_is_away_is_passed_on(rig: Rig) -> None:
    """A table is not lost for good when the floor gives it to a device that is switched off."""
    left, _ = _dealer(rig, "Left")
    right, _ = _dealer(rig, "Right")
    right.leave()
    guest(rig, FLOOR).done("lease.grant", device=right.visitor.device)
    rig.run(KEPT_FOR + 2_000)
    assert _works(left)


def test_who_was_shown_out_does_not_keep_the_table(rig: Rig) -> None:
    """The console that waits works the table as soon as the other one was shown out."""
    left, right = _two(rig)
    guest(rig, FLOOR).done("device.revoke", device=left.visitor.device)
    rig.run(1_000)
    assert _works(right)


def test_who_was_put_elsewhere_does_not_keep_the_table(rig: Rig) -> None:
    """The console that waits works the table as soon as the other one has another."""
    left, right = _two(rig)
    args = {"device": left.visitor.device, "role": "dealer", "event": "1", "table": 8}
    guest(rig, FLOOR).done("device.assign", **args)
    rig.run(1_000)
    assert _works(right)


def test_two_connections_put_elsewhere_leave_the_table(rig: Rig) -> None:
    """A device with two connections gives its old table up as one with a single one does."""
    left, secret = _dealer(rig, "Left")
    Guest(rig).hello(secret)
    right, _ = _dealer(rig, "Right")
    args = {"device": left.visitor.device, "role": "dealer", "event": "1", "table": 8}
    guest(rig, FLOOR).done("device.assign", **args)
    rig.run(KEPT_FOR + 2_000)
    assert _works(right)


def test_a_new_name_does_not_withdraw_a_request(rig: Rig) -> None:
    """A device that is renamed while it asks for the table still asks."""
    _, right = _two(rig)
    right.done("lease.ask")
    guest(rig, FLOOR).done("device.rename", device=right.visitor.device, name="New")
    assert [(w["name"], w["asks"]) for w in right.docs[TABLE]["waiting"]] == [("New", True)]


def test_a_takeover_in_the_middle_of_an_action_loses_nothing(rig: Rig) -> None:
    """The clock runs on through a takeover, the new console stops it, late taps are told."""
    left, right = _two(rig)
    left.done("hand.start", on="1", table=7)
    left.done("action.start", on="1", table=7, seat=1)
    left.follow("t/1/table/7")
    before = left.docs["t/1/table/7"]
    rig.run(3_000)
    guest(rig, FLOOR).done("lease.grant", device=right.visitor.device)
    right.follow("t/1/table/7")
    after = right.docs["t/1/table/7"]
    assert {**after, "now": 0} == {**before, "now": 0}
    late = left.do("action.fold", on="1", table=7)
    assert late["code"] == "table_taken"
    rig.run(1_000)
    right.done("action.stop", on="1", table=7)
    right.done("hand.end", on="1", table=7)
    records = [s.line.body for s in rig.journal.stored if s.line.device == right.visitor.device]
    assert any(b"action.stop" in body for body in records)


def test_a_restart_gives_the_table_to_who_is_back_first(rig: Rig) -> None:
    """Leases are not kept over a restart: the first console at a table works it."""
    _, one = _dealer(rig, "Left")
    _, other = _dealer(rig, "Right")
    rig.crash(1_000)
    right = Guest(rig).hello(other)
    left = Guest(rig).hello(one)
    assert _works(right)
    assert not _works(left)


# ── who deals ────────────────────────────────────────────────────────────────────────────────────


def _actor(rig: Rig) -> str:
    return rig.journal.stored[-1].line.actor


def _signed(rig: Rig, pin: str = "4711") -> tuple[Guest, str]:
    guest(rig, DIRECTOR).done("staff.add", name="Ann", pin="4711")
    device, secret = _dealer(rig, "Left")
    device.done("dealer.sign_on", pin=pin)
    return device, secret


def test_the_journal_says_who_dealt(rig: Rig) -> None:
    """From sign-on to sign-off what happens at the table is in the dealer's name."""
    device, _ = _signed(rig)
    assert device.docs[TABLE]["dealer"] == "Ann"
    device.done("hand.start", on="1", table=7)
    assert _actor(rig) == "Ann"
    device.done("dealer.sign_off")
    assert device.docs[TABLE]["dealer"] == ""
    device.done("hand.end", on="1", table=7)
    assert _actor(rig) == "Left"


def test_a_push_signs_the_dealer_off(rig: Rig) -> None:
    """Who leaves is not named for the next one's taps; where nobody signed on nothing happens."""
    device, _ = _signed(rig)
    device.done("dealer.push", on="1", table=7)
    rig.run(1)
    assert device.docs[TABLE]["dealer"] == ""
    device.done("hand.start", on="1", table=7)
    assert _actor(rig) == "Left"
    bodies = [stored.line.body for stored in rig.journal.stored]
    assert sum(b"dealer.signed_off" in body for body in bodies) == 1
    guest(rig, FLOOR).done("dealer.push", on="1", table=7)
    guest(rig, FLOOR).done("dealer.push", on="1", table=8)
    bodies = [stored.line.body for stored in rig.journal.stored]
    assert sum(b"dealer.signed_off" in body for body in bodies) == 1


def test_the_floor_follows_a_tables_pace_and_a_dealer_may_not(rig: Rig) -> None:
    """The pace by seats and the floor's own times are for the floor, and change with the table."""
    device, _ = _dealer(rig, "Left")
    floor = guest(rig, FLOOR)
    floor.follow("t/1/table/7/floor")
    device.done("hand.start", on="1", table=7)
    device.done("action.next", on="1", table=7)
    rig.run(4_000)
    device.done("action.next", on="1", table=7)
    device.done("floor.call", on="1", table=7)
    rig.run(1_000)
    assert floor.docs["t/1/table/7/floor"]["decisions"] == 1
    assert floor.docs["t/1/table/7/floor"]["floor"] is not None
    device.follow("t/1/table/7/floor")
    assert "t/1/table/7/floor" not in device.docs


def test_the_next_dealer_signs_on_over_the_last(rig: Rig) -> None:
    """Who signs on is who deals, and a sign-on gives no right that the device has not."""
    device, _ = _signed(rig)
    guest(rig, DIRECTOR).done("staff.add", name="Bob", pin="12345678")
    device.done("dealer.sign_on", pin="12345678")
    device.done("hand.start", on="1", table=7)
    assert _actor(rig) == "Bob"
    assert device.do("hand.start", on="1", table=8)["code"] == "forbidden"
    assert device.do("clock.pause", on="1")["code"] == "forbidden"


def test_wrong_pins_are_limited_for_each_device(rig: Rig) -> None:
    """After five wrong PINs not even the right one is taken, until a minute is over."""
    guest(rig, DIRECTOR).done("staff.add", name="Ann", pin="4711")
    left, secret = _dealer(rig, "Left")
    right, _ = _dealer(rig, "Right")
    for number in range(MOST_WRONG):
        assert left.do("dealer.sign_on", pin=f"000{number}")["code"] == "bad_value"
    assert left.do("dealer.sign_on", pin="4711")["code"] == "slow_down"
    left.leave()
    left = Guest(rig).hello(secret)
    assert left.do("dealer.sign_on", pin="4711")["code"] == "slow_down"
    right.done("dealer.sign_on", pin="4711")
    rig.run(60_000)
    left.done("dealer.sign_on", pin="4711")


def test_a_pin_is_one_persons(rig: Rig) -> None:
    """No two people have the same PIN, and a new one takes the old one's place."""
    director = guest(rig, DIRECTOR)
    director.done("staff.add", name="Ann", pin="4711")
    assert director.do("staff.add", name="Bob", pin="4711")["code"] == "bad_value"
    director.done("staff.add", name="Ann", pin="0815")
    director.done("staff.add", name="Bob", pin="4711")
    device, _ = _dealer(rig, "Left")
    device.done("dealer.sign_on", pin="4711")
    assert device.docs[TABLE]["dealer"] == "Bob"
    assert rig.hub.reception.document()["staff"] == ["Ann", "Bob"]


def test_a_pin_that_was_taken_away_is_worth_nothing(rig: Rig) -> None:
    """Nobody signs on with a PIN that was removed, also after a restart."""
    director = guest(rig, DIRECTOR)
    director.done("staff.add", name="Ann", pin="4711")
    director.done("staff.add", name="Bob", pin="0815")
    director.done("staff.remove", name="Ann")
    assert director.do("staff.remove", name="Ann")["code"] == "bad_value"
    device, secret = _dealer(rig, "Left")
    assert device.do("dealer.sign_on", pin="4711")["code"] == "bad_value"
    rig.crash(1_000)
    device = Guest(rig).hello(secret)
    assert device.do("dealer.sign_on", pin="4711")["code"] == "bad_value"
    device.done("dealer.sign_on", pin="0815")


@pytest.mark.parametrize("pin", ["", "123", "123456789", "12a4", " 1234", "١٢٣٤", "²²²²", 1234])
def test_a_pin_is_a_few_digits(rig: Rig, pin: object) -> None:
    """What is no PIN is refused without being repeated."""
    answer = guest(rig, DIRECTOR).do("staff.add", name="Ann", pin=pin)
    assert answer["code"] == "bad_value"
    assert answer["text"] == "args.pin: must be 4 to 8 digits, as text."


def test_a_lost_link_does_not_sign_the_dealer_off(rig: Rig) -> None:
    """A dealer whose tablet was away for a second still deals in the own name."""
    device, secret = _signed(rig)
    device.leave()
    rig.run(1_000)
    back = Guest(rig).hello(secret)
    back.done("hand.start", on="1", table=7)
    assert _actor(rig) == "Ann"
