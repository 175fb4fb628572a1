"""Robot people on real sockets: a whole night, rare things, and a hub that goes away."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

import msgspec

from server.config import Config, Limits, Places
from server.demo import room_in
from server.journal import verify
from server.loading import load, written
from server.protocol.session import Shown
from server.robots.evening import Room, evening
from server.robots.pace import Doc, Habits
from server.robots.robot import Robot, together, websocket
from server.serve import Served, served
from server.sqlite_journal import SqliteJournal
from tests.needs import GIVE_UP

TURBO = """
name = "Turbo"
house = "Robots"
stack = {stack}
seats = {seats}
places = [{{ entries = 100, places = {places} }}]
[registration]
closes_at_level = 2
[action]
seconds = {seconds}
chips = {chips}
chip_seconds = 1
[hand_for_hand]
policy = "deduct"
seconds = 60
[structure]
minutes = 20
steps = [
  {{ small = 200, big = 400 }},
  {{ small = 500, big = 1000 }},
  {{ phase = "break", minutes = 5 }},
  {{ small = 2000, big = 4000 }},
]
"""


def turbo(folder: Path, **figures: int) -> Config:
    """Write a preset for impatient people, and give the config of a hub that knows it."""
    presets = folder / "presets"
    presets.mkdir()
    known = {"stack": 2_500, "seats": 6, "places": 9, "seconds": 20, "chips": 1, **figures}
    (presets / "turbo.toml").write_text(TURBO.format(**known), encoding="utf-8")
    return Config(
        data=str(folder / "data"), port=0, presets=str(presets), limits=Limits(rate=1_000)
    )


@asynccontextmanager
async def watching(hub: Served, tables: int) -> AsyncIterator[tuple[Robot, list[Shown]]]:
    """Watch the first event and its tables, and remember everything that was shown."""
    topics = [f"t/1/table/{number}" for number in range(1, tables + 1)]
    robot = Robot(websocket(hub.local), None, "test", "t/1", *topics)
    seen: list[Shown] = []
    robot.seen = seen.append
    async with asyncio.timeout(GIVE_UP), together() as start:
        start(robot.link.run())
        yield robot, seen


async def play(room: Room, seed: int = 1) -> None:
    """Play one night."""
    await evening(room, Random(seed), "Night")  # noqa: S311 - a game


def tables_in(seen: list[Shown]) -> list[Doc]:
    """Give the documents of tables among what was shown."""
    return [shown.doc for shown in seen if "/table/" in shown.topic and shown.doc is not None]


async def test_a_night_from_the_first_seat_to_the_winner(tmp_path: Path) -> None:
    """Robots deal at every table, players bust, the bubble is played, and somebody wins."""
    config = turbo(tmp_path, places=8)
    async with served(config) as hub:
        room = room_in(hub, tables=2, speed=600, preset="turbo")
        async with watching(hub, tables=2) as (robot, seen):
            await play(room)
            await robot.until(lambda: _status(robot) == "finished")
        shown = written(hub.hub.desks["1"].shown)
    assert {doc["table"] for doc in tables_in(seen) if doc["hand"]["number"] >= 2} == {1, 2}
    rooms = [shown_.doc for shown_ in seen if shown_.topic == "t/1" and shown_.doc is not None]
    assert rooms[-1]["field"]["left"] == 1
    assert rooms[-1]["field"]["entries"] == 11
    assert {doc["h4h"]["status"] for doc in rooms} >= {"off", "playing", "holding"}
    assert sum(room.talk.refused.values()) <= sum(room.talk.done.values()) // 100
    assert {"seat.move", "table.close", "level.next", "h4h.done"} <= set(room.talk.done)
    _proven(Places(Path(config.data)).journal, hub, shown)


def _status(robot: Robot) -> str:
    doc = robot.doc("t/1")
    return "" if doc is None else str(doc["clock"]["status"])


def _proven(path: Path, hub: Served, shown: bytes) -> None:
    """Insist that the journal is whole and leads to the same night again."""
    journal = SqliteJournal(path)
    try:
        assert verify(journal.read(), journal.head()) is None
        loaded = load(journal, hub.hub.desks["1"].made)
        assert msgspec.json.decode(written(loaded.state)) == msgspec.json.decode(shown)
    finally:
        journal.close()


async def test_what_is_rare_happens_too(tmp_path: Path) -> None:
    """Chips burn and are collected, hands die, taps are undone, and the floor comes and goes."""
    config = turbo(tmp_path, seats=3, stack=100_000, places=1, seconds=1, chips=2)
    often = Habits(0.1, 0.06, 0.15, 0.15, 0.1, 0.3, 0.3, push_every=1)
    wanted = {"action.bank", "action.release", "collect.done", "dealer.push", "floor.call"}
    wanted |= {"floor.clear", "table.pause", "table.resume", "undo", "dead"}
    async with served(config) as hub:
        room = room_in(hub, tables=6, speed=300, preset="turbo", habits=often)
        async with watching(hub, tables=6) as (robot, seen), together() as start:
            start(play(room, seed=4))
            await robot.until(lambda: wanted <= set(room.talk.done) | _deaths(seen))
    assert sum(room.talk.refused.values()) <= sum(room.talk.done.values()) // 20


def _deaths(seen: list[Shown]) -> set[str]:
    """Say whether a hand has died; what was looked through is not looked through again."""
    if any(doc["action"]["outcome"] == "dead" for doc in tables_in(seen)):
        return {"dead"}
    seen.clear()
    return set()


async def test_robots_outlive_the_hub(tmp_path: Path) -> None:
    """A hub that is restarted in mid-hand finds its dealers again, and every table plays on."""
    config = turbo(tmp_path, seats=2, stack=100_000, seconds=1, chips=0)
    slow = Habits(0, 1, 0, 0, 0, 0, 0)  # nobody ever acts: a clock runs whenever the hub stops
    async with asyncio.timeout(GIVE_UP), together() as start:
        async with served(config) as hub, watching(hub, tables=2) as (robot, _):
            port = int(hub.local.rpartition(":")[2])
            room = room_in(hub, tables=2, speed=300, preset="turbo", habits=slow)
            start(play(room))
            await robot.until(lambda: all(_clock(robot, table) == "running" for table in (1, 2)))
            hands = {table: _hand(robot, table) for table in (1, 2)}
        again = msgspec.structs.replace(config, port=port)
        async with served(again) as hub, watching(hub, tables=2) as (robot, seen):
            await robot.until(lambda: all(_hand(robot, n) > hands[n] + 1 for n in (1, 2)))
    assert any(doc["action"]["interrupted"] for doc in tables_in(seen))
    assert not room.talk.refused


def _clock(robot: Robot, table: int) -> str:
    doc = robot.doc(f"t/1/table/{table}")
    return "" if doc is None else str(doc["action"]["status"])


def _hand(robot: Robot, table: int) -> int:
    doc = robot.doc(f"t/1/table/{table}")
    return 0 if doc is None else int(doc["hand"]["number"])
