"""An evening: one event from its creation to its winner, played by robots alone."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from server.protocol.messages import Refused
from server.robots.dealer import Dealer
from server.robots.director import Director
from server.robots.names import people
from server.robots.pace import Doc, Habits, Tap
from server.robots.robot import Robot, deal, direct, together
from server.robots.talk import Felt, Talk

MOST_TABLES = 60
"""The robot director follows every table; a larger room than this is for the bot to drive."""

PAID = 8
"""One in so many is paid where the house does not say."""


class NotDone(Exception):  # noqa: N818 - the hub's refusal, in its own words
    """The hub refused what an evening cannot do without."""


@dataclass(frozen=True, slots=True)
class Room:
    """Where the robots play, and how."""

    url: str  # of the websocket
    token: str  # the director's
    dealer_token: Callable[[str, int], str]  # for an event and a table
    preset: str
    tables: int = 12
    speed: float = 1.0
    habits: Habits | None = None  # else ordinary ones, at this speed
    say: Callable[[str], None] = lambda _: None
    talk: Talk = field(default_factory=Talk)


async def demand(robot: Robot, event: str, do: str, /, **args: Any) -> None:
    """Command something that must be done."""
    answer = await robot.link.do(event, do, **args)
    if isinstance(answer, Refused):
        raise NotDone(f"{do}: {answer.code}: {answer.text}")


async def create(robot: Robot, preset: str, name: str) -> str:
    """Create an event, and find out its id."""
    await robot.link.follow("events")
    await robot.until(lambda: robot.doc("events") is not None)

    def named() -> set[str]:
        doc = robot.doc("events") or {"events": []}
        return {event["id"] for event in doc["events"] if event["name"] == name}

    before = named()
    await demand(robot, "", "event.create", preset=preset, name=name)
    await robot.until(lambda: bool(named() - before))
    return max(named() - before, key=int)


async def open_tables(robot: Robot, event: str, tables: int) -> int:
    """Open tables as the house has them, follow them all, and say how many seats each has."""
    topics = [f"t/{event}/table/{number}" for number in range(1, tables + 1)]
    await robot.link.follow(*topics)
    for table in range(1, tables + 1):
        await demand(robot, event, "table.open", table=table)
    await robot.until(lambda: all(robot.doc(topic) for topic in topics))
    size: int = (robot.doc(topics[0]) or {})["size"]
    return size


async def seat(  # noqa: PLR0913 - who, where and how many
    robot: Robot, event: str, *, tables: int, size: int, rng: Random, full: bool = False
) -> None:
    """Seat players at all tables; some chairs stay empty, but no table breaks at once."""
    await robot.link.follow(f"t/{event}")
    number = 0
    names = people(rng, size * tables)
    gaps = set() if full else set(rng.sample(range(1, tables + 1), min(tables // 2, 4)))
    for table in range(1, tables + 1):
        come = max(2, size - (table in gaps))
        for chair in sorted(rng.sample(range(1, size + 1), come)):
            who = {"player": f"p{number + 1}", "name": names[number]}
            await demand(robot, event, "seat.put", table=table, seat=chair, **who)
            number += 1
    await robot.until(lambda: robot.doc(f"t/{event}") is not None)
    if _event(robot, event)["field"]["to_money"] is None:
        await demand(robot, event, "places.set", places=max(1, number // PAID))
    await demand(robot, event, "clock.start")


def _event(robot: Robot, event: str) -> Doc:
    return robot.doc(f"t/{event}") or {}


def felt_of(event: Doc, *, refill: bool = False) -> Felt:
    """Put the chips on the tables."""
    return Felt(event["field"]["chips_in_play"] // max(1, event["field"]["entries"]), refill=refill)


async def evenings(room: Room, seed: int) -> None:
    """Play one event after the other, for ever."""
    before: str | None = None
    for number in itertools.count(1):
        rng = Random(f"{seed}/{number}")  # noqa: S311 - a game
        before = await evening(room, rng, f"Robot Night {number}", before)
        room.talk.forget()


async def evening(room: Room, rng: Random, name: str, before: str | None = None) -> str:
    """Play an event until somebody has won it, and give its id; the one before it is put away."""
    habits = room.habits or Habits().at(room.speed)
    async with together() as start:
        director = Robot(room.url, room.token, "robot director")
        start(director.link.run())
        event = await create(director, room.preset, name)
        room.say(f"Event {event}, {name}: {room.tables} tables are being seated.")
        if before is not None:
            await demand(director, "", "event.archive", event=before)
        size = await open_tables(director, event, room.tables)
        await seat(director, event, tables=room.tables, size=size, rng=rng)
        felt = felt_of(_event(director, event))
        for table in range(1, room.tables + 1):
            topics = f"t/{event}", f"t/{event}/table/{table}"
            robot = Robot(room.url, room.dealer_token(event, table), "robot dealer", *topics)
            mind = Dealer(table, Random(rng.random()), felt, room.talk, habits)  # noqa: S311 - a game
            start(robot.link.run())
            start(deal(robot, mind, event, room.talk, room.speed))
        boss = Director(Random(rng.random()), room.talk, room.speed)  # noqa: S311 - a game

        def told(tap: Tap) -> None:
            line = _line(tap, _event(director, event), room.talk)
            if line:
                room.say(line)

        await direct(
            director,
            boss,
            event,
            tables=room.tables,
            talk=room.talk,
            speed=room.speed,
            told=told,
        )
        hands = room.talk.done["hand.start"]
        room.say(f"Event {event} is over after {hands} hands: {_winner(director)} has won.")
    return event


def _winner(director: Robot) -> str:
    """Find who sits there still."""
    docs = (shown.doc or {} for shown in director.session.documents.values())
    seats = [taken for doc in docs for taken in doc.get("seats", {}).values()]
    return seats[0]["name"] if len(seats) == 1 else "nobody"


def _line(tap: Tap, event: Doc, talk: Talk) -> str:
    """Tell in a line what the director did, where it is worth telling."""
    field, clock = event["field"], event["clock"]
    left = f"{field['left']} of {field['entries']} players left at {field['tables']} tables"
    match tap.do:
        case "level.next" | "break.end":
            blinds = f"{clock['small']}/{clock['big']}"
            where = "Break" if clock["phase"] == "break" else f"Level {clock['level']}, {blinds}"
            return f"{where}: {left}, {talk.done['hand.start']} hands dealt."
        case "table.close":
            return f"Table {tap.args['table']} is broken: {left}."
        case "h4h.announce":
            return f"Hand-for-hand: {tap.args['reason']}."
        case "h4h.end":
            return f"Hand-for-hand is over: {left}."
        case "clock.pause":
            return f"The room is paused: {tap.args['reason']}."
        case "break.call":
            return f"A break is called: {left}."
        case _:
            return ""
