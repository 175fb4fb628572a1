"""Secrets: after a busy night none of them is anywhere that somebody else could look."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec
import pytest

from server.access import Badge, fingerprint
from server.export import as_csv, as_json
from server.logs import _Lines
from server.metrics import exposition
from tests.hub.test_trust_kit import Guest, asks, guest
from tests.rig import Rig
from tests.served import serving

if TYPE_CHECKING:
    from pathlib import Path

OWN = ("t/1", "t/1/floor", "t/1/tables", "t/1/table/7", "t/1/lease/7")
TOPICS = ("events", "hub", "devices", *OWN)
PINS = ("91827364", "64537281", "55667788")  # so long that no hash has them by chance


@dataclass
class Night:
    """What was secret, and everything that could be seen of it."""

    secrets: dict[str, str] = field(default_factory=dict)
    seen: dict[str, str] = field(default_factory=dict)

    def found(self) -> list[tuple[str, str]]:
        """List every secret that can be seen, and where."""
        return [
            (name, place)
            for name, secret in self.secrets.items()
            for place, text in self.seen.items()
            if secret in text
        ]


def _formatted(caplog: pytest.LogCaptureFixture) -> str:
    """Give the log as it would be written."""
    return "\n".join(map(_Lines().format, caplog.records))


def _busy(rig: Rig, night: Night, director: Guest) -> None:
    """Let everything happen that has to do with a secret, well and badly."""
    secrets, answers = night.secrets, []
    device, shown = asks(rig)
    director.done("device.pair", code=shown["code"], role="dealer", event="1", table=7)
    secrets["a paired device's token"] = shown["secret"]
    device.follow("t/1/lease/7", "t/1/table/7")
    waiting, never = asks(rig)
    secrets["a secret that was never approved"] = never["secret"]
    for name, pin in zip(("Ann", "Bob"), PINS, strict=False):
        director.done("staff.add", name=name, pin=pin)
    answers.append(director.do("staff.add", name="Eve", pin=PINS[0]))
    answers.append(director.do("staff.add", name="Eve", pin=PINS[1] + "x"))
    answers.append(director.do("staff.add", name="Eve", pin=int(PINS[1])))
    answers.append(director.do("staff.add", name="", pin=PINS[1]))
    answers += [device.do("dealer.sign_on", pin=PINS[2]) for _ in range(7)]
    other = guest(rig, Badge("dealer", "Two", "1", 7))
    other.done("dealer.sign_on", pin=PINS[1])
    other.done("lease.ask")
    director.done("lease.grant", device=other.visitor.device)
    other.done("hand.start", on="1", table=7)
    other.done("dealer.sign_off")
    director.done("device.rename", device=device.visitor.device, name="New")
    director.done("staff.remove", name="Bob")
    wrong = Guest(rig).hello("wrong-" + shown["secret"])
    twice = Guest(rig).hello(secrets["the director's link"])
    waiting.throw(json.dumps({"type": "hello", "version": 1, "token": shown["secret"]}).encode())
    broken = Guest(rig)
    broken.throw(json.dumps({"type": "hello", "version": "x", "token": shown["secret"]}).encode())
    broken.throw(shown["secret"].encode())
    director.done("device.revoke", device=device.visitor.device)
    rig.run(2_000)
    for who, peer in {"wrong": wrong, "twice": twice, "broken": broken, "other": other}.items():
        night.seen[f"what {who} was told"] = b"\n".join(peer.raw).decode()
    night.seen["refusals"] = json.dumps(answers)


@pytest.fixture(scope="module")
def night() -> Night:
    """Play a busy night, and look everywhere."""
    night = Night()
    found: list[logging.LogRecord] = []

    class Ear(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found.append(record)

    ear, root = Ear(), logging.getLogger()
    level, _ = root.level, root.addHandler(ear)
    root.setLevel(logging.DEBUG)
    try:
        with Rig() as rig:
            rig.create()
            night.secrets["the director's link"] = rig.hub.reception.invite()
            director = Guest(rig).hello(night.secrets["the director's link"])
            night.secrets["the director's token"] = director.of("admitted")[0]["token"]
            director.follow(*TOPICS)
            _busy(rig, night, director)
            said = [s for s in director.said if s["type"] != "admitted"]
            night.seen["documents and answers"] = json.dumps(said)
            for topic in TOPICS:
                night.seen[topic] = msgspec.json.encode(rig.hub.document(topic)).decode()
            night.seen["metrics"] = exposition(rig.hub)
            night.seen["csv"] = "\n".join(as_csv(rig.journal.stored))
            night.seen["json"] = "\n".join(as_json(rig.journal.stored))
            night.seen["journal"] = "\n".join(repr(stored) for stored in rig.journal.stored)
            night.secrets["the key of the PINs"] = rig.journal.kept["staff-key"]
            prints = [name for name in night.secrets if "token" in name]
            kept = json.dumps(rig.journal.kept)
            night.seen["kept"] = kept.replace(rig.journal.kept["staff-key"], "")
            for name in prints:
                night.secrets[f"the print of {name}"] = fingerprint(night.secrets[name])
            marks = [key for key in rig.journal.kept if key.startswith("staff/")]
            night.secrets |= {f"a PIN's {key}": key.removeprefix("staff/") for key in marks}
    finally:
        root.removeHandler(ear)
        root.setLevel(level)
    night.seen["the log"] = "\n".join(map(_Lines().format, found))
    night.secrets |= {f"PIN {pin}": pin for pin in PINS}
    return night


def test_the_night_was_busy(night: Night) -> None:
    """There is something to be found, and places to look in."""
    assert len(night.secrets) >= 9
    assert "dealer.signed_on" in night.seen["csv"]
    assert "device.revoked" in night.seen["json"]
    assert '"what": "refused"' in night.seen["the log"]
    assert "slow_down" in night.seen["refusals"]
    assert "Ann" in night.seen["devices"]


def test_no_secret_is_seen_anywhere(night: Night) -> None:
    """No token, secret, PIN or print is in a log, a line, an export, a document or an answer."""
    seen = night.found()
    # Prints are what is kept beside the journal, and nowhere else.
    assert [place for name, place in seen if place != "kept"] == []
    assert all("print" in name or "a PIN's" in name for name, place in seen)


async def test_no_secret_is_seen_on_the_wire(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither logs nor answers of a real hub repeat a token that came in any way."""
    caplog.set_level(logging.INFO)
    async with serving(tmp_path / "data") as room:
        token, link = room.director, room.served.link.partition("=")[2]
        hub = "GET /api/v1/documents/hub HTTP/1.1\r\nHost: localhost\r\nAuthorization:"
        requests = (
            f"GET /?token={token} HTTP/1.1\r\nHost: localhost",
            f"GET /{token} HTTP/1.1\r\nHost: localhost",
            f"GET /healthz HTTP/1.1\r\nHost: {token}.example",
            f"GET /healthz HTTP/1.1\r\nHost: localhost\r\nOrigin: http://{token}",
            f"{hub} Basic {token}",
            f"{hub} Bearer x{token}",
            f"{hub} Bearer {token}",
            f"{hub} Bearer {link}",
        )
        ends = "\r\nConnection: close\r\n\r\n"
        answers = [await room.http(f"{request}{ends}".encode()) for request in requests]
        await room.http(f"BAD {token} \0{ends}".encode())  # told to nobody but who sent it
        wire = await room.dial(token)
        await wire.settled()
        shown = json.dumps(wire.heard) + b"".join(answers).decode("utf-8", "replace")
        assert {b"421", b"403", b"401", b"200"} <= {found[9:12] for found in answers}
    for secret in (token, link, fingerprint(token)):
        assert secret not in shown
        assert secret not in _formatted(caplog)
    data = b"".join(p.read_bytes() for p in (tmp_path / "data").iterdir() if p.suffix != ".token")
    assert token.encode() not in data
    assert link.encode() not in data
