"""The shared vectors against the Python; `tests/js/` runs the same ones against the JavaScript."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from server.protocol.countdown import ahead, digits, next_flip, remaining, seconds
from server.protocol.doubt import Doubt
from server.protocol.reconnect import Reconnect
from server.protocol.session import Session, Shown
from server.protocol.sync import HubClock, Sample, sample
from tests.night import Night, given, minutes

VECTORS = Path(__file__).parents[1] / "vectors"

SYNC = json.loads((VECTORS / "sync.json").read_text("utf-8"))
COUNTDOWN = json.loads((VECTORS / "countdown.json").read_text("utf-8"))
DOUBT = json.loads((VECTORS / "doubt.json").read_text("utf-8"))
RECONNECT = json.loads((VECTORS / "reconnect.json").read_text("utf-8"))
SESSION = json.loads((VECTORS / "session.json").read_text("utf-8"))


def _each(vectors: list[dict[str, Any]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("vector", vectors, ids=lambda vector: str(vector.get("name")))


# ── agreeing on the time ─────────────────────────────────────────────────────────────────────────


@_each(SYNC["samples"])
def test_samples(vector: dict[str, Any]) -> None:
    """A probe says what the vector says."""
    assert sample(*vector["probe"]) == Sample(vector["offset"], vector["round_trip"])


@_each(SYNC["clocks"])
def test_clocks(vector: dict[str, Any]) -> None:
    """A clock that takes in these answers shows these times."""
    clock = HubClock()
    for step in vector["steps"]:
        if "answered" in step:
            clock.answered(*step["answered"])
        for look in step.keys() & {"now", "offset", "uncertainty"}:
            assert getattr(clock, look)(step["own"]) == step[look], step
        assert clock.known == step.get("known", clock.known), step


# ── waiting for an answer ────────────────────────────────────────────────────────────────────────


@_each(DOUBT["cases"])
def test_doubts(vector: dict[str, Any]) -> None:
    """Who waits for an answer sends scouts and gives up when the vector says so."""
    doubt = Doubt(lambda: vector["shaken"])
    for step in vector["steps"]:
        if "back" in step:
            doubt.came_back(*step["back"])
        else:
            own, since, advice, next_look = step["look"]
            assert (doubt.look(own, since), doubt.next_look) == (advice, next_look), step


@_each(RECONNECT["cases"])
def test_reconnecting(vector: dict[str, Any]) -> None:
    """Who lost the hub asks whether it is there when the vector says so."""
    reconnect = Reconnect(lambda: vector["shaken"])
    for step in vector["steps"]:
        match step:
            case {"lost": [own, at_least]}:
                reconnect.lost(own, at_least)
            case {"gave_up": own}:
                reconnect.gave_up(own)
            case {"tried": True}:
                reconnect.tried()
            case {"welcomed": True}:
                reconnect.welcomed()
            case {"look": [own, advice, next_look]}:
                assert (reconnect.look(own), reconnect.next_look) == (advice, next_look), step


# ── counting down ────────────────────────────────────────────────────────────────────────────────


@_each(COUNTDOWN["remaining"])
def test_remaining(vector: dict[str, Any]) -> None:
    """A clock has so much left."""
    assert remaining(vector["clock"], vector["now"]) == vector["expect"]


@pytest.mark.parametrize("vector", COUNTDOWN["shown"], ids=lambda vector: str(vector["ms"]))
def test_shown(vector: dict[str, Any]) -> None:
    """So much time left is shown so, until it flips."""
    ms = vector["ms"]
    assert seconds(ms) == vector["seconds"]
    assert digits(ms) == vector["digits"]
    assert next_flip(ms) == vector["next_flip"]


def test_a_flip_is_exactly_when_the_second_changes() -> None:
    """The shown second stands until the flip, and is one less at it."""
    for ms in range(1, 3_100):
        flip = next_flip(ms)
        assert flip is not None
        assert seconds(ms - flip + 1) == seconds(ms) == seconds(ms - flip) + 1


@_each(COUNTDOWN["ahead"])
def test_ahead(vector: dict[str, Any]) -> None:
    """A clock without a hub shows the one step that was announced."""
    clock, before = vector["clock"], json.dumps(vector["clock"])
    found = ahead(clock, vector["now"])
    assert found == (vector["expect"] or clock)
    assert json.dumps(clock) == before
    if found is not clock:
        assert ahead(found, vector["now"] + minutes(600)) is found


PRESETS = ("star-brisbane-saturday", "apl", "888pl", "selkirk-main")


@pytest.mark.parametrize("preset", PRESETS)
def test_ahead_agrees_with_the_engine(preset: str) -> None:
    """A screen that lost the hub flips to what the engine says then, at the same instant."""
    night = given(preset, {1: 3})
    for _ in range(12):
        if night.clock()["ends_at"] is None:
            night.do("break.end")
        else:
            _flip(night)


def _flip(night: Night, waits: tuple[int, ...] = (1, 7_001)) -> None:
    """Lose the hub now; compare the screen with the engine at the end of the step and after it."""
    clock = night.clock()
    night.later(clock["ends_at"] - 1 - night.now)
    assert ahead(clock, night.now) is clock
    told = ("phase", "level", "small", "big", "ante", "ends_at", "remaining_ms", "length_ms")
    for wait in waits:
        night.later(wait)
        engine, screen = night.clock(), ahead(clock, night.now)
        assert [screen[key] for key in told] == [engine[key] for key in told]
        assert screen["colour_up"] == engine["colour_up"]
        assert screen.keys() == engine.keys()


PLAYED = minutes(7) + 1_234


@pytest.mark.parametrize("preset", PRESETS)
def test_ahead_agrees_with_the_engine_after_a_called_break(preset: str) -> None:
    """A break that the director called is followed by what was left of the level."""
    night = given(preset, {1: 3}).later(PLAYED)
    left = night.clock()["remaining_ms"]
    night.do("break.call", minutes=5)
    assert night.clock()["next"]["length_ms"] == left
    night.later(minutes(1))
    _flip(night, (1, 7_001, left - 7_002))
    assert night.shown("level", "phase", "remaining_ms") == [1, "level", 1]
    _flip(night)


def test_ahead_agrees_with_the_engine_where_time_is_owed() -> None:
    """Time that was taken off beyond a break is taken off the level after it."""
    night = given("star-brisbane-saturday", {1: 3})
    while night.clock()["next"]["phase"] != "break":
        night.do("level.next")
    night.do("clock.add", ms=-(night.clock()["remaining_ms"] + minutes(2)))
    clock = night.clock()
    assert clock["phase"] == "break"
    assert clock["next"]["length_ms"] == minutes(clock["next"]["minutes"] - 2)
    _flip(night, (1, 7_001, clock["next"]["length_ms"] - 7_002))
    assert night.shown("phase", "remaining_ms") == ["level", 1]
    _flip(night)


# ── the session ──────────────────────────────────────────────────────────────────────────────────


def _plain(news: Any) -> Any:
    """Give a piece of news as the JSON that the vectors have it in."""
    found = msgspec.to_builtins(news)
    return {"type": "shown", **found} if isinstance(news, Shown) else found


def _run(session: Session, step: dict[str, Any]) -> Any:  # noqa: C901, PLR0912 - one case a call
    own = step.get("own", 0)
    match step["call"]:
        case "opened":
            return [json.loads(frame) for frame in session.opened(own)]
        case "received":
            frame = step["text"] if "text" in step else json.dumps(step["frame"])
            return [_plain(news) for news in session.received(frame, own)]
        case "lost":
            session.lost(own)
            return None
        case "follow":
            return [json.loads(frame) for frame in session.follow(*step["topics"])]
        case "leave":
            return [json.loads(frame) for frame in session.leave(*step["topics"])]
        case "do":
            made = session.do(step["id"], step["event"], step["do"], step["args"], own)
            return [json.loads(frame) for frame in made]
        case "pair":
            return [json.loads(frame) for frame in session.pair()]
        case "code_is_over":
            return session.code_is_over(own)
        case "token":
            return session.token
        case "probe":
            return json.loads(session.probe(own))
        case "waiting_since":
            return session.waiting_since(own)
        case "freshness":
            return session.freshness(own)
        case "now":
            return session.clock.now(own)
        case "known":
            return session.clock.known
        case "documents":
            return {topic: shown.rev for topic, shown in session.documents.items()}
        case "pending":
            return list(session.pending)
        case unknown:
            raise AssertionError(unknown)


@_each(SESSION["scenarios"])
def test_session(vector: dict[str, Any]) -> None:
    """A session that is told this says that."""
    session = Session(**vector["session"])
    for number, step in enumerate(vector["steps"]):
        if step.get("error"):
            with pytest.raises(msgspec.DecodeError):
                _run(session, step)
        else:
            assert _run(session, step) == step["expect"], (number, step)


def test_every_call_is_in_the_vectors() -> None:
    """No method of a session is left out of what both languages are held to."""
    public = {name for name in vars(Session) if not name.startswith("_")}
    methods = {name for name in public if callable(getattr(Session, name))}
    steps = [step["call"] for scenario in SESSION["scenarios"] for step in scenario["steps"]]
    assert methods <= set(steps)
