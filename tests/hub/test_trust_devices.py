"""Devices: renamed, put elsewhere, shown out; at once, for good, and by who may."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import aiohttp
import pytest

from server.access import Badge
from tests.faults.stalls import Stalls
from tests.hub.test_trust_kit import Guest, guest, paired
from tests.rig import MemoryJournal, Rig
from tests.served import Room, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FLOOR, DIRECTOR = Badge("floor", "Fred"), Badge("director", "Dora")
DEALER = {"event": "1", "table": 7}


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


def _row(rig: Rig, device: str) -> dict[str, Any]:
    return next(row for row in rig.hub.reception.document()["devices"] if row["id"] == device)


# ── changing ─────────────────────────────────────────────────────────────────────────────────────


def test_a_device_is_renamed_while_it_works(rig: Rig) -> None:
    """A new name is told to the device, shown in the list, and known after a restart."""
    floor = guest(rig, FLOOR)
    device, secret = paired(rig, floor, "dealer", **DEALER)
    floor.done("device.rename", device=device.visitor.device, name="Left of the bar")
    assert device.welcome["name"] == "Left of the bar"
    assert (device.welcome["role"], device.welcome["table"]) == ("dealer", 7)
    assert _row(rig, device.visitor.device)["name"] == "Left of the bar"
    device.done("hand.start", on="1", table=7)
    rig.crash(1_000)
    assert Guest(rig).hello(secret).welcome["name"] == "Left of the bar"


def test_a_device_is_put_at_another_table(rig: Rig) -> None:
    """From the answer on a device works its new table, and the old one no more."""
    floor = guest(rig, FLOOR)
    device, secret = paired(rig, floor, "dealer", **DEALER)
    floor.done("device.assign", device=device.visitor.device, role="dealer", event="1", table=8)
    assert (device.welcome["event"], device.welcome["table"]) == ("1", 8)
    assert device.do("hand.start", on="1", table=7)["code"] == "forbidden"
    device.done("hand.start", on="1", table=8)
    rig.crash(1_000)
    assert Guest(rig).hello(secret).welcome["table"] == 8


def test_who_is_made_less_loses_what_it_may_not_see(rig: Rig) -> None:
    """A floor device that becomes a viewer's hears nothing of the floor's own any more."""
    director = guest(rig, DIRECTOR)
    device, _ = paired(rig, director, "floor")
    device.follow("devices", "hub", "t/1/floor", "t/1")
    assert device.docs.keys() == {"devices", "hub", "t/1/floor", "t/1"}
    director.done("device.assign", device=device.visitor.device, role="viewer")
    assert device.welcome["role"] == "viewer"
    before = len(device.said)
    paired(rig, director, "floor")
    director.done("announce", on="1", text="Dinner")
    director.done("floor.call", on="1", table=7)
    rig.run(2_000)
    topics = {found["topic"] for found in device.said[before:] if found["type"] == "doc"}
    assert topics == {"t/1"}
    assert device.do("announce", on="1", text="Hi")["code"] == "forbidden"
    device.follow("hub")
    assert device.codes()[-1] == "forbidden"


def test_who_is_made_more_may_do_more(rig: Rig) -> None:
    """A viewer's device that becomes the floor's may do what the floor may, at once."""
    director = guest(rig, DIRECTOR)
    device, _ = paired(rig, director, "viewer")
    assert device.do("announce", on="1", text="Hi")["code"] == "forbidden"
    director.done("device.assign", device=device.visitor.device, role="floor")
    device.done("announce", on="1", text="Hi")
    device.follow("devices")
    assert "devices" in device.docs


def test_every_connection_of_a_device_is_told(rig: Rig) -> None:
    """Two connections with one token are one device: both change, both are shown out."""
    director = guest(rig, DIRECTOR)
    device, secret = paired(rig, director, "floor")
    second = Guest(rig).hello(secret)
    director.done("device.assign", device=device.visitor.device, role="viewer")
    assert device.welcome["role"] == second.welcome["role"] == "viewer"
    director.done("device.revoke", device=device.visitor.device)
    assert device.closed
    assert second.closed


@pytest.mark.parametrize("do", ["device.rename", "device.assign", "device.revoke", "lease.grant"])
def test_an_unknown_device_is_told(rig: Rig, do: str) -> None:
    """What is meant for a device that does not exist is refused in words."""
    more = {"device.rename": {"name": "X"}, "device.assign": {"role": "viewer"}}.get(do, {})
    answer = guest(rig, DIRECTOR).do(do, device="d99", **more)
    assert (answer["code"], answer["text"]) == ("unknown_device", "There is no device d99.")


# ── what is not the floor's ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("role", ["floor", "director"])
@pytest.mark.parametrize(
    ("do", "args"),
    [
        ("device.rename", {"name": "Mine"}),
        ("device.assign", {"role": "viewer"}),
        ("device.assign", {"role": "dealer", **DEALER}),
        ("device.revoke", {}),
    ],
)
def test_the_floor_does_not_touch_its_own_kind_or_higher(
    rig: Rig, role: str, do: str, args: dict[str, Any]
) -> None:
    """Only a director changes or shows out a device of the floor or of a director."""
    director, floor = guest(rig, DIRECTOR), guest(rig, FLOOR)
    device, _ = paired(rig, director, role, name="Own")
    before = len(rig.journal.stored)
    answer = floor.do(do, device=device.visitor.device, **args)
    assert answer["code"] == "forbidden"
    assert len(rig.journal.stored) == before
    assert not device.closed
    assert len(device.of("welcome")) == 2  # as a viewer who asked, and when it was let in
    assert _row(rig, device.visitor.device)["name"] == "Own"
    assert director.do(do, device=device.visitor.device, **args)["type"] == "done"


@pytest.mark.parametrize("role", ["floor", "director"])
def test_the_floor_cannot_raise_anybody(rig: Rig, role: str) -> None:
    """Nobody of the floor makes a device more than a dealer's, not even the own one."""
    floor = guest(rig, FLOOR)
    device, _ = paired(rig, floor, "viewer")
    answer = floor.do("device.assign", device=device.visitor.device, role=role)
    assert answer["code"] == "forbidden"
    own = floor.do("device.assign", device=floor.visitor.device, role="director")
    assert own["code"] == "forbidden"
    assert device.welcome["role"] == "viewer"


@pytest.mark.parametrize("badge", [None, Badge("dealer", "Dan", "1", 7)])
def test_dealers_and_viewers_change_no_device(rig: Rig, badge: Badge | None) -> None:
    """Devices are no business of a dealer or a viewer, the own one included."""
    device, _ = paired(rig, guest(rig, FLOOR), "viewer")
    peer = guest(rig, badge)
    for target in (device.visitor.device, peer.visitor.device):
        assert peer.do("device.revoke", device=target)["code"] == "forbidden"
        assert peer.do("device.rename", device=target, name="X")["code"] == "forbidden"
        assert peer.do("device.assign", device=target, role="director")["code"] == "forbidden"
    assert not device.closed


# ── showing out ──────────────────────────────────────────────────────────────────────────────────


def test_who_is_shown_out_is_closed_at_once_and_told(rig: Rig) -> None:
    """The connection ends with the order, with words, and nothing that it says is heard."""
    floor = guest(rig, FLOOR)
    device, secret = paired(rig, floor, "dealer", **DEALER)
    before = rig.now
    floor.done("device.revoke", device=device.visitor.device)
    assert rig.now - before < 1_000
    assert device.closed
    assert device.of("bye")[-1] == {
        "type": "bye",
        "reason": "this device was shown out",
        "retry_ms": None,
    }
    lines = len(rig.journal.stored)
    device.say("do", id="late", event="1", do="hand.start", args={"table": 7})
    assert len(rig.journal.stored) == lines
    assert Guest(rig).hello(secret).codes() == ["unauthorised"]


def test_who_was_shown_out_stays_out_after_a_restart(rig: Rig) -> None:
    """A token that was revoked is worth nothing, whatever happens to the hub."""
    floor = guest(rig, FLOOR)
    device, secret = paired(rig, floor, "viewer")
    device.leave()
    floor.done("device.revoke", device=device.visitor.device)
    rig.crash(1_000)
    assert Guest(rig).hello(secret).codes() == ["unauthorised"]
    rows = rig.hub.reception.document()["devices"]
    assert device.visitor.device not in {row["id"] for row in rows}


def test_a_command_on_its_way_dies_with_its_device(rig: Rig) -> None:
    """What a device sent is not carried out when the device was shown out before it was read."""
    floor = guest(rig, FLOOR)
    device, _ = paired(rig, floor, "dealer", **DEALER)
    rig.later(
        5,
        device.visitor.receive,
        b'{"type":"do","id":"x","event":"1","do":"hand.start","args":{"table":7}}',
    )
    floor.done("device.revoke", device=device.visitor.device)
    lines = len(rig.journal.stored)
    rig.run(20)
    assert len(rig.journal.stored) == lines


def test_a_device_can_come_again_with_a_new_code(rig: Rig) -> None:
    """Who was shown out may ask anew, and is another device then."""
    floor = guest(rig, FLOOR)
    first, old = paired(rig, floor, "viewer")
    floor.done("device.revoke", device=first.visitor.device)
    second, new = paired(rig, floor, "viewer")
    assert old != new
    assert second.visitor.device != first.visitor.device


def test_localhost_keeps_a_way_in(tmp_path: Path) -> None:
    """Whatever was done to the console's device, after a restart its token is a director's."""
    with Rig() as rig:
        rig.hub.reception.devices.console(tmp_path / "token")
        guest(rig, DIRECTOR).done("device.assign", device="console", role="viewer")
        rig.crash(1_000)
        token = rig.hub.reception.devices.console(tmp_path / "token")
        assert Guest(rig).hello(token).welcome["role"] == "director"


def test_a_revoked_console_is_made_anew_at_the_next_start(tmp_path: Path) -> None:
    """A console's token that was revoked is worth nothing; the next start makes another."""
    path = tmp_path / "token"
    with Rig() as rig:
        old = rig.hub.reception.devices.console(path)
        guest(rig, DIRECTOR).done("device.revoke", device="console")
        assert Guest(rig).hello(old).codes() == ["unauthorised"]
        rig.crash(1_000)
        new = rig.hub.reception.devices.console(path)
        assert new != old
        assert path.read_text("ascii").strip() == new
        assert path.stat().st_mode & 0o777 == 0o600
        assert Guest(rig).hello(new).welcome["role"] == "director"
        assert Guest(rig).hello(old).codes() == ["unauthorised"]


# ── on a real socket ─────────────────────────────────────────────────────────────────────────────


async def _http(room: Room, token: str) -> tuple[int, int]:
    headers = {"Authorization": f"Bearer {token}"}
    url = f"http://127.0.0.1:{room.port}/api/v1"
    async with aiohttp.ClientSession(headers=headers) as http:
        async with http.get(f"{url}/documents/hub") as read:
            pass
        body = {"do": "gap.clear", "args": {"gap": 9_999}}  # a busy machine may make the first few
        async with http.post(f"{url}/commands", json=body) as command:
            pass
    return read.status, command.status


async def test_a_revoked_token_is_worth_nothing_anywhere(tmp_path: Path) -> None:
    """The socket is closed within a second; websocket and HTTP refuse the token ever after."""
    async with serving(tmp_path / "data") as room:
        director = await room.dial(room.director)
        device = await room.connect()
        await device.say("hello", version=1)
        await device.say("pair")
        shown = await device.heard_of("code")
        await director.done("device.pair", event="", code=shown["code"], role="director")
        secret, ident = shown["secret"], list(room.hub.reception.devices)[-1].id
        assert await _http(room, secret) == (200, 422)  # there is no such gap, but it was read
        stalls = Stalls(room.ws)
        async with stalls.watched():
            took = stalls.watch()
            await director.tap("device.revoke", event="", device=ident)
            assert (await device.over())[-1]["type"] == "bye"
            assert took() < 1.0
        assert await _http(room, secret) == (401, 401)
    async with serving(tmp_path / "data") as room:
        assert await _http(room, secret) == (401, 401)
        again = await room.connect()
        await again.say("hello", version=1, token=secret)
        assert (await again.heard_of("problem"))["code"] == "unauthorised"
