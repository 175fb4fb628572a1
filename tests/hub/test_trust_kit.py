"""What the tests of trust share: a guest who says anything, and a room to say it in."""

from __future__ import annotations

import itertools
import json
import logging
from typing import TYPE_CHECKING, Any

import msgspec

from server.visitor import Visitor
from tests.rig import Rig, payloads

if TYPE_CHECKING:
    import pytest

    from server.access import Badge

_ids = itertools.count(1)


class Guest:
    """Somebody without a session: says what it likes, and keeps all that it is told."""

    def __init__(
        self, rig: Rig, address: str = "10.0.0.9", *, secure: bool = True, alive: bool = True
    ) -> None:
        self.rig, self.alive = rig, alive
        self.said: list[dict[str, Any]] = []
        self.raw: list[bytes] = []
        self.docs: dict[str, Any] = {}
        self.closed: list[bool] = []
        self.visitor = Visitor(rig.hub, self, self.closed.append, address, secure=secure)

    # what the hub writes to
    def write(self, data: bytes) -> None:
        """Take what the hub writes; a living guest answers pings."""
        for opcode, payload in payloads(data):
            if opcode == 0x9:
                if self.alive:
                    self.rig.later(0, self.visitor.pong, payload)
                continue
            self.raw.append(payload)
            found = json.loads(payload)
            self.said.append(found)
            if found["type"] == "doc":
                self.docs[found["topic"]] = found["doc"]

    def get_write_buffer_size(self) -> int:
        """Say that nothing waits."""
        return 0

    def is_closing(self) -> bool:
        """Say whether it is over."""
        return bool(self.closed)

    # what the guest does
    def throw(self, data: str | bytes) -> list[dict[str, Any]]:
        """Send bytes as they are, and give what came back."""
        before = len(self.said)
        self.rig.later(0, self.visitor.receive, data)
        self.rig.run(1)
        return self.said[before:]

    def say(self, type_: str, **message: Any) -> list[dict[str, Any]]:
        """Say something, and give what came back."""
        return self.throw(json.dumps({"type": type_, **message}).encode())

    def hello(self, token: str | None = None, **more: Any) -> Guest:
        """Say hello."""
        self.say("hello", version=1, token=token, **more)
        return self

    def do(self, do: str, /, *, on: str = "", id_: str = "", **args: Any) -> dict[str, Any]:
        """Command something of the hub, or on an event, and give the answer."""
        command = id_ or f"g{next(_ids)}"
        self.throw(msgspec.json.encode(_do(command, on, do, args)))
        for _ in range(2_000):
            found = next((s for s in self.said if s.get("id") == command), None)
            if found is not None:
                return found
            self.rig.run(1)
        raise AssertionError(f"{do} was never answered")

    def done(self, do: str, /, *, on: str = "", **args: Any) -> dict[str, Any]:
        """Command something that must be done."""
        answer = self.do(do, on=on, **args)
        assert answer["type"] == "done", answer
        return answer

    def follow(self, *topics: str) -> None:
        """Follow topics."""
        self.say("subscribe", topics=list(topics))

    def leave(self) -> None:
        """Lose the connection."""
        self.closed.append(True)
        self.rig.later(0, self.visitor.gone)
        self.rig.run(1)

    def of(self, type_: str) -> list[dict[str, Any]]:
        """List what was said of a type."""
        return [found for found in self.said if found["type"] == type_]

    def codes(self) -> list[str]:
        """List the codes of all problems and refusals."""
        return [found["code"] for found in self.said if found["type"] in ("problem", "refused")]

    @property
    def welcome(self) -> dict[str, Any]:
        """The newest welcome."""
        return self.of("welcome")[-1]


def _do(command: str, event: str, do: str, args: dict[str, Any]) -> dict[str, Any]:
    return {"type": "do", "id": command, "event": event, "do": do, "args": args}


def guest(rig: Rig, badge: Badge | None = None, **options: Any) -> Guest:
    """Let somebody in with a token of its own, or as anybody."""
    token = None if badge is None else rig.hub.reception.devices.issue(badge)
    return Guest(rig, **options).hello(token)


def asks(rig: Rig, kind: str = "tablet", **options: Any) -> tuple[Guest, dict[str, Any]]:
    """Let a device ask to be let in; give the code that it shows."""
    device = Guest(rig, **options).hello(kind=kind)
    return device, device.say("pair")[-1]


def paired(rig: Rig, by: Guest, role: str, **args: Any) -> tuple[Guest, str]:
    """Let a device in by its code; give it and its token."""
    device, shown = asks(rig)
    by.done("device.pair", code=shown["code"], role=role, **args)
    assert device.welcome["role"] == role
    return device, shown["secret"]


def listen(caplog: pytest.LogCaptureFixture) -> None:
    """Hear everything that is logged."""
    caplog.set_level(logging.DEBUG)


def logged(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    """Give the hub's log, with its fields."""
    return [
        {"what": record.getMessage(), **getattr(record, "fields", {})} for record in caplog.records
    ]
