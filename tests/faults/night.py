"""A scripted night: seeded dealers, a director and a wall, whose every tap is in the ledger."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, Any

from server.protocol.messages import Done, Pair
from tests.faults.client import Client
from tests.faults.process import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.faults.ledger import Ledger
    from tests.faults.process import HubProcess

EVENT, TABLES, SEATS = "1", (1, 2, 3), 5
ROOM = f"t/{EVENT}"
AGAIN = 3
"""So many commands that were done already are sent again at every reconnect."""

RECENT = 60
"""Of the newest of the room: a hub that begins at a snapshot forgets what is older."""

Tap = tuple[str, dict[str, Any]]


def topic(table: int) -> str:
    """Name the topic of a table."""
    return f"{ROOM}/table/{table}"


class Night:
    """Everybody who is in the room."""

    def __init__(self, hub: HubProcess, ledger: Ledger, seed: int) -> None:
        self.hub, self.ledger = hub, ledger
        self.rng = Random(seed)  # noqa: S311 - a game
        self.director = Client(hub.ws, "director", ledger)
        self.wall = Client(hub.ws, "wall", ledger)
        self.dealers = {n: Client(hub.ws, f"dealer{n}", ledger) for n in TABLES}
        for client in self.everybody:
            client.resend = lambda client=client: self._again(client)  # type: ignore[misc]

    @property
    def everybody(self) -> list[Client]:
        """All clients."""
        return [self.director, self.wall, *self.dealers.values()]

    def _again(self, client: Client) -> list[str]:
        newest = list(islice(reversed(self.ledger.done), RECENT))
        mine = [command for command in newest if command.startswith(f"{client.name}-")]
        return mine[:AGAIN]

    @asynccontextmanager
    async def room(self) -> AsyncIterator[None]:
        """Let everybody connect, prepare the event, and keep them until the end."""
        self.director.session.token = self.hub.token
        tasks = [asyncio.create_task(client.run()) for client in self.everybody]
        try:
            await self.all_here()
            await self._prepare()
            yield
        finally:
            await _end(tasks)

    @asynccontextmanager
    async def playing(self) -> AsyncIterator[None]:
        """Play hands, direct and watch until the end."""
        tasks = [
            asyncio.create_task(self._deal(table, dealer, Random(self.rng.random())))  # noqa: S311
            for table, dealer in self.dealers.items()
        ]
        tasks.append(asyncio.create_task(self._direct(Random(self.rng.random()))))  # noqa: S311
        tasks.append(asyncio.create_task(self._probe()))
        try:
            yield
        finally:
            await _end(tasks)

    async def all_here(self) -> None:
        """Wait until everybody is welcome."""
        await until(lambda: all(c.welcomed for c in self.everybody), "somebody is not welcome")

    async def all_gone(self) -> None:
        """Wait until everybody has noticed that the hub is gone."""
        await until(lambda: not any(c.connected for c in self.everybody), "somebody is connected")

    async def _prepare(self) -> None:
        director = self.director
        await director.done("", "event.create", preset="faults")
        for table in TABLES:
            await director.done(EVENT, "table.open", table=table)
            for seat in range(1, SEATS + 1):
                await director.done(
                    EVENT, "seat.put", player=f"{table}-{seat}", table=table, seat=seat
                )
        await director.done(EVENT, "clock.start")
        await director.follow("hub", ROOM, f"{ROOM}/floor")
        await self.wall.follow("events", ROOM, f"{ROOM}/tables", *map(topic, TABLES))
        for table, dealer in self.dealers.items():
            await dealer.say(Pair())
            await until(lambda dealer=dealer: dealer.session.codes, "no code")
            code = dealer.session.codes[-1]
            await director.done(
                "", "device.pair", code=code.code, role="dealer", event=EVENT, table=table
            )
            dealer.session.token = code.secret
            await dealer.follow(ROOM, topic(table))

    # ── play ─────────────────────────────────────────────────────────────────────────────────────

    async def _deal(self, table: int, dealer: Client, rng: Random) -> None:
        while True:
            await asyncio.sleep(rng.uniform(0.0, 0.02))
            doc, event = dealer.doc(topic(table)), dealer.doc(ROOM)
            do, args = _next_tap(doc, event, rng)
            answer = await dealer.tap(EVENT, do, table=table, **args)
            if rng.random() < 0.25:  # a second tap before the first is answered
                do, args = _next_tap(doc, event, rng)
                await dealer.do(EVENT, do, table=table, **args)
            await answer

    async def _direct(self, rng: Random) -> None:
        while True:
            await asyncio.sleep(rng.uniform(0.0, 0.06))
            do, args = _next_order(self.director.doc(ROOM), rng)
            answer = await self.director.do(EVENT, do, **args)
            if do == "clock.pause" and isinstance(answer, Done):
                await self.director.do(EVENT, "clock.resume")
            if do == "table.pause" and isinstance(answer, Done):
                await self.director.do(EVENT, "table.resume", **args)

    async def _probe(self) -> None:
        while True:
            for client in self.everybody:
                await client.probe()
            await asyncio.sleep(0.05)


def _next_tap(table: Any, event: Any, rng: Random) -> Tap:
    """Choose what a dealer taps next: mostly what makes sense, sometimes what does not."""
    if table is None or event is None or rng.random() < 0.04:
        return rng.choice([("hand.end", {}), ("action.stop", {}), ("street.next", {})])
    seats = [int(seat) for seat, taken in table["seats"].items() if taken["in_hand"]]
    action, all_seats = table["action"], [int(seat) for seat in table["seats"]] or [1]
    if rng.random() < 0.05:
        return "undo", {}
    if table["collect"]:
        return "collect.done", {"seat": table["collect"][0]["seat"]}
    if not table["hand"]["in_progress"]:
        return "hand.start", {"button": rng.choice(all_seats)}
    match action["status"]:
        case "held":
            return rng.choice([("action.release", {}), ("action.next", {})])
        case "running" | "paused":
            return rng.choice(
                [
                    ("action.next", {}),
                    ("action.next", {"facing_bet": rng.random() < 0.5}),
                    ("action.fold", {}),
                    ("action.hold", {"acted": rng.random() < 0.5}),
                    ("action.bank", {"seat": action["seat"], "chips": 1}),
                    ("action.stop", {}),
                ]
            )
        case "expired":
            return rng.choice([("action.next", {}), ("hand.end", {})])
        case _:
            return rng.choice(
                [
                    ("action.start", {"seat": rng.choice(seats or all_seats)}),
                    ("action.start", {"seat": rng.choice(seats or all_seats), "facing_bet": True}),
                    ("street.next", {}),
                    ("hand.end", {}),
                ]
            )


def _next_order(event: Any, rng: Random) -> Tap:
    """Choose what the director does next."""
    clock = event["clock"] if event is not None else {}
    if clock.get("phase") == "break":
        return "break.end", {}
    if clock.get("status") != "running":
        return rng.choice(["clock.start", "clock.resume", "event.resume"]), {}
    player = f"{rng.choice(TABLES)}-{rng.randint(1, SEATS)}"
    table = {"table": rng.choice(TABLES)}
    if rng.random() < 0.1:  # an undo may have left one paused
        return "table.resume", table
    choices: list[Tap] = [
        ("bank.grant", {"chips": rng.randint(1, 4), "mode": rng.choice(["set", "add"])}),
        ("bank.grant", {"chips": 1, "mode": "add", "player": player}),
        ("clock.add", {"ms": rng.randint(-2_000, 60_000)}),
        ("clock.pause", {"reason": "fire alarm"}),
        ("table.pause", table),
        ("announce", {"text": f"Seat open {rng.randint(1, 99)}", "seconds": 2}),
        ("floor.clear", table),
        ("action.ruling", {**table, "outcome": "void"}),
        ("called.start", {**table, "seat": rng.randint(1, SEATS)}),
        ("seat.move", {"player": player, **table, "seat": rng.randint(1, 9)}),
        ("undo", {}),
    ]
    if rng.random() < 0.05:
        choices = [("level.goto", {"level": 1}), ("clock.set", {"remaining_ms": 200})]
    return rng.choice(choices)


async def _end(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    for found in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(found, Exception):
            raise found
