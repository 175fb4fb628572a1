"""People and their devices: they see documents, think for a while, and tap.

A device keeps its connection as `server/protocol/link.py` does, on a clock of its own that is wrong
by an offset and a drift. What people do they decide on what their screen shows, however old it is;
dealers like to tap when the clock is about to run out.
"""

from __future__ import annotations

import itertools
from random import Random
from typing import TYPE_CHECKING, Any

from server.protocol.messages import Bye, Done, Problem, Refused, Welcome
from server.protocol.reconnect import FIRST_WAIT, LONGEST_WAIT
from server.protocol.session import PROBE_EVERY, Session, Shown
from tests.rig import payloads
from tests.sim.wire import Link, Wire

if TYPE_CHECKING:
    from server.access import Badge
    from server.protocol.messages import ToClient
    from tests.sim.world import World

Doc = dict[str, Any]
Tap = tuple[str, dict[str, Any], int]
"""What to do, with which arguments, after how many milliseconds."""

DEAD_AFTER = 5_000
"""A connection on which a probe is open for longer is given up."""

OPEN_WITHIN = 5_000
PING = 0x9
ENDS = ("action.next", "action.fold", "action.stop", "action.hold")
"""Taps that end the time of whoever's time runs."""


class Device:
    """Something that is connected whenever it can be."""

    def __init__(self, world: World, name: str, badge: Badge | None, kind: str) -> None:
        self.world, self.name, self.index = world, name, len(world.devices) + 1
        self.badge, self.kind = badge, kind
        self.rng = Random(f"{world.seed}/{name}")  # noqa: S311 - the point is that it can be guessed
        self._offset = self.rng.randint(10**6, 10**10)
        self._drift = self.rng.uniform(-80e-6, 80e-6)
        self.link = Link(self.rng)
        self.session = Session(name, None if badge is None else f"token-{name}", kind)
        self.hub_id = name  # by which the journal knows it
        self.wire: Wire | None = None
        self.sent_away = ""
        self.seen: dict[str, int] = {}  # the newest revision of each topic, of the hub seen_of
        self.seen_of = ""
        self.welcomed_at = -1
        self._wires = itertools.count(1)
        self._ids = itertools.count(1)
        self._wait, self._not_before = FIRST_WAIT, 0
        self._looking = False

    def own(self) -> int:
        """Read the device's own clock."""
        return int(self._offset + self.world.now * (1 + self._drift))

    def after(self, ms: int, call: Any, *args: Any) -> None:
        """Do something after a while."""
        self.world.at(self.world.now + max(1, ms), lambda: call(*args), 1, self.index)

    # ── the connection ───────────────────────────────────────────────────────────────────────────

    def connect(self) -> None:
        """Ask for a connection."""
        self.wire = wire = Wire(self.world, self, next(self._wires))
        wire.dial()
        self.after(OPEN_WITHIN, self._give_up_opening, wire)

    def _give_up_opening(self, wire: Wire) -> None:
        if wire is self.wire and not self.session.connected:
            self.drop("not open in time")

    def opened(self, wire: Wire) -> None:
        """Say hello."""
        if wire is self.wire:
            for frame in self.session.opened(self.own()):
                wire.send(frame)
            self._watch(wire)
            self.after(PROBE_EVERY[self.kind], self._beat, wire)

    def _beat(self, wire: Wire) -> None:
        if wire is self.wire and self.session.connected:
            wire.send(self.session.probe(self.own()))
            self._watch(wire)
            self.after(PROBE_EVERY[self.kind], self._beat, wire)

    def _watch(self, wire: Wire) -> None:
        """Look later whether the probe that was just sent was answered."""
        asked = self.own()
        self.after(DEAD_AFTER, self._look_for, wire, asked)

    def _look_for(self, wire: Wire, asked: int) -> None:
        unanswered = self.session._unanswered  # noqa: SLF001 - the shell's own list would be the same
        if wire is self.wire and unanswered and unanswered[0] <= asked:
            self.drop("no answer")

    def drop(self, why: str) -> None:
        """Give the connection up."""
        if self.wire is not None:
            wire = self.wire
            self.lost(wire, why)
            wire.leave(self.rng)

    def lost(self, wire: Wire, why: str) -> None:
        """Take note that the connection is gone, and come back."""
        if wire is not self.wire:
            return
        self.world.say(f"{self.name} lost its connection: {why}")
        self.session.lost(self.own())
        self.wire = None
        wire.left = True
        if self.sent_away:
            return
        wait = self._not_before + self._wait * self.rng.uniform(0.5, 1.0)
        self._wait, self._not_before = min(2 * self._wait, LONGEST_WAIT), 0
        self.after(round(wait), self.connect)

    def arrived(self, wire: Wire, data: bytes) -> None:
        """Take in what the hub sent."""
        for opcode, payload in payloads(data):
            if wire is not self.wire or not self.session.connected:
                return
            if opcode == PING:
                wire.pong(payload)
                continue
            for news in self.session.received(payload, self.own()):
                self._news(news)
        if not self._looking:
            self._looking = True
            self.world.at(self.world.now, self._look, 1, self.index)

    def _news(self, news: ToClient | Shown) -> None:
        match news:
            case Welcome():
                self._wait, self.welcomed_at = FIRST_WAIT, self.world.now
            case Shown():
                self.world.laws.shown(self, news)
            case Done() | Refused():
                self.world.laws.answered(self, news)
                self.answered(news)
            case Bye(retry_ms=int(ms)):
                self._not_before = ms
            case Bye() | Problem(code="unauthorised" | "version"):
                self.sent_away = str(news)
            case _:
                pass

    def _look(self) -> None:
        self._looking = False
        self.look()

    def look(self) -> None:
        """Look at the screen: something may have changed."""

    def answered(self, answer: Done | Refused) -> None:
        """Take in what became of a tap."""

    # ── hands and eyes ───────────────────────────────────────────────────────────────────────────

    def follow(self, *topics: str) -> None:
        """Follow topics."""
        for frame in self.session.follow(*topics):
            if self.wire is not None:
                self.wire.send(frame)

    def leave(self, *topics: str) -> None:
        """Follow topics no more."""
        for frame in self.session.leave(*topics):
            if self.wire is not None:
                self.wire.send(frame)

    def doc(self, topic: str) -> Doc | None:
        """Give what the screen shows of a topic."""
        shown = self.session.documents.get(topic)
        return None if shown is None else shown.doc

    def tap(self, event: str, do: str, seen: Doc | None = None, /, **args: Any) -> str:
        """Command something."""
        command = f"{self.name}-{next(self._ids)}"
        frames = self.session.do(command, event, do, args, self.own())
        self.world.laws.tapped(self, self.session.pending[command], seen)
        for frame in frames:
            self._send(frame, command)
            if self.rng.random() < self.world.plan.repeats:
                self.after(self.rng.choice((1, 30, 400, 3_000)), self._again, command, frame)
        return command

    def _send(self, frame: bytes, tag: str = "") -> None:
        if self.wire is not None:
            self.wire.send(frame, tag)

    def _again(self, command: str, frame: bytes) -> None:
        """Send a tap again that was not answered yet: an impatient client may."""
        if self.session.connected and command in self.session.pending:
            self._send(frame)

    def about(self, ms: int) -> int:
        """Give a time of about so many milliseconds, as people take."""
        return max(20, round(ms * min(3.0, max(0.3, self.rng.lognormvariate(0, 0.5)))))


class Wall(Device):
    """A screen that only shows; now and then somebody changes what."""

    def __init__(self, world: World, name: str, topics: list[str], kind: str = "wall") -> None:
        super().__init__(world, name, None, kind)
        self._all = topics
        self.session.topics.update(dict.fromkeys(topics))
        self.after(self.about(9_000), self._switch)

    def _switch(self) -> None:
        if not self.world.quiet:
            topic = self.rng.choice(self._all)
            if topic in self.session.topics:
                self.leave(topic)
            else:
                self.follow(topic)
            self.after(self.about(9_000), self._switch)


class Person(Device):
    """Somebody who taps: one thing at a time, and the next when the answer is there."""

    patience = 1_500

    def __init__(self, world: World, name: str, badge: Badge, kind: str) -> None:
        super().__init__(world, name, badge, kind)
        self._seen: object = None
        self._plan = 0  # number of the newest plan; older ones are void
        self._asked = ""
        self._last: Tap | None = None

    def look(self) -> None:
        """Change the plan if the situation has changed."""
        if self.world.quiet or self._asked:
            return
        seen = self.situation()
        if seen != self._seen:
            self._seen = seen
            self._plan += 1
            tap = self.decide()
            if tap is not None:
                self.after(tap[2], self._do, self._plan, tap)

    def _do(self, plan: int, tap: Tap) -> None:
        if plan != self._plan or self.world.quiet or self._asked:
            return
        do, args, _ = tap
        self._last = tap
        self._asked = self.tap(*self.addressed(do), **args)

    def addressed(self, do: str) -> tuple[str, str, Doc | None]:
        """Say for which event a tap is, and on what it was decided."""
        raise NotImplementedError

    def answered(self, answer: Done | Refused) -> None:
        """Think again when the tap was answered; after a refusal, a little later."""
        if answer.id == self._asked and self._last is not None:
            self._asked = ""
            self.told(self._last, done=isinstance(answer, Done))
            self._plan += 1
            self.after(1 if isinstance(answer, Done) else self.patience, self._anew, self._plan)

    def _anew(self, plan: int) -> None:
        if plan == self._plan:
            self._seen = None
            self.look()

    def told(self, tap: Tap, *, done: bool) -> None:
        """Take in what became of a tap."""

    def situation(self) -> object:
        """Give what the plan depends on."""
        raise NotImplementedError

    def decide(self) -> Tap | None:
        """Make a plan; None is to wait until something changes."""
        raise NotImplementedError


def stands(event: Doc) -> bool:
    """Say whether everything in the room stands."""
    clock = event["clock"]
    held = clock["reason"] in ("hand_for_hand", "break_waits", "hard_stop")
    return clock["status"] in ("waiting", "suspended", "finished") or (
        clock["status"] == "paused" and not held
    )


class Dealer(Person):
    """A dealer at a table."""

    def __init__(self, world: World, name: str, badge: Badge) -> None:
        super().__init__(world, name, badge, "dealer")
        self.event, self.table = str(badge.event), badge.table
        self.topic, self.room = f"t/{badge.event}/table/{badge.table}", f"t/{badge.event}"
        self.session.topics.update(dict.fromkeys((self.topic, self.room)))
        self._acts: tuple[object, int] = (None, 0)  # on this street of this hand
        self._no = 0  # refusals in a row

    def addressed(self, do: str) -> tuple[str, str, Doc | None]:
        """Tap for the own table."""
        return self.event, do, self.doc(self.topic)

    def told(self, tap: Tap, *, done: bool) -> None:
        """Count who has acted on this street."""
        self._no = 0 if done else self._no + 1
        if done and tap[0] in ENDS:
            self._acts = (self._acts[0], self._acts[1] + 1)

    def situation(self) -> object:
        """Give what matters at the table."""
        table, event = self.doc(self.topic), self.doc(self.room)
        if table is None or event is None:
            return None
        action, clock = table["action"], event["clock"]
        return (
            [action[key] for key in ("status", "seat", "used", "ends_at", "outcome")],
            (table["hand"], len(table["seats"]), table["collect"], table["paused"], table["h4h"]),
            (table["called"]["status"], table["floor"] is None, stands(event), clock["phase"]),
            (clock["status"], event["h4h"]["status"], event["action_clock"] is None),
        )

    def say(self, do: str, ms: int, **args: Any) -> Tap:
        """Plan a tap at the table."""
        return do, {"table": self.table, **args}, self.about(ms)

    def decide(self) -> Tap | None:
        """Do what the table needs."""
        table, event, rng = self.doc(self.topic), self.doc(self.room), self.rng
        if table is None or event is None or stands(event):
            return None
        if "needs_ruling" in (table["action"]["outcome"], table["called"]["outcome"]):
            return None if table["floor"] is not None else self.say("floor.call", 800)
        if table["paused"] is not None:
            return None
        if self._no > 2:
            self._no = 0
            return self.say(rng.choice(("hand.end", "action.stop", "h4h.done")), 500)
        if table["collect"] and rng.random() < 0.7:
            return self.say("collect.done", 700, seat=table["collect"][0]["seat"])
        if rng.random() < self.world.plan.mistakes:
            return self.say(*rng.choice((("undo", 600), ("dealer.push", 900), ("floor.call", 500))))
        if table["hand"]["in_progress"]:
            return self._in_hand(table, event)
        return self._between(table, event)

    def _between(self, table: Doc, event: Doc) -> Tap | None:
        status = table["h4h"]
        if status == "runout" or (status == "playing" and len(table["seats"]) < 2):
            return self.say("h4h.done", 900)
        if event["clock"]["phase"] == "break" or len(table["seats"]) < 2:
            return None
        if status is None and event["clock"]["status"] != "running":
            return None
        if status is not None and (status != "playing" or event["h4h"]["status"] != "playing"):
            return None
        return self.say("hand.start", 1_500)

    def _in_hand(self, table: Doc, event: Doc) -> Tap | None:
        hand, action = table["hand"], table["action"]
        live = [int(seat) for seat, taken in table["seats"].items() if taken["in_hand"]]
        street = (hand["number"], hand["street"])
        if self._acts[0] != street:
            self._acts = (street, 0)
        over = self._acts[1] >= len(live)
        if len(live) < 2:
            return self.say("hand.end", 900)
        if table["h4h"] == "all_in":
            return None
        if table["h4h"] == "playing" and self.rng.random() < 0.1:
            return self.say("h4h.all_in", 700)
        if table["called"]["status"] in ("running", "countdown"):
            return self._at_the_buzzer("called.stop", table["called"]["ends_at"])
        if action["status"] != "idle":
            return self._while_clocked(table, over)
        if over or event["action_clock"] is None:
            last = hand["street"] == "river" or self.rng.random() < 0.2
            return self.say("hand.end" if last else "street.next", 1_200)
        seat = hand["turn"] if hand["turn"] in live else live[0]
        return self.say("action.start", 500, seat=seat)

    def _while_clocked(self, table: Doc, over: bool) -> Tap | None:
        match table["action"]["status"]:
            case "held":
                return self.say("action.release", 900)
            case "expired":
                return self.say("action.stop" if over else "action.next", 600)
            case "running" | "expiring":
                return self._acted(table, over)
            case _:
                return None

    def _acted(self, table: Doc, over: bool) -> Tap | None:
        action, rng = table["action"], self.rng
        bank = table["seats"].get(str(action["seat"]), {"bank": 0})["bank"]
        if bank and rng.random() < 0.15:
            return self.say("action.bank", 1_200, seat=action["seat"], chips=1)
        if rng.random() < 0.1:
            return self.say("action.hold", 900, acted=rng.random() < 0.5)
        do = "action.stop" if over else rng.choice(("action.next", "action.next", "action.fold"))
        roll = rng.random()
        if roll < self.world.plan.dies:
            return None
        if roll < self.world.plan.dies + self.world.plan.buzzers:
            return self._at_the_buzzer(do, action["ends_at"])
        return self.say(do, 1_300)

    def _at_the_buzzer(self, do: str, ends_at: int | None) -> Tap:
        """Wait until the clock has nearly run out on this very screen, or just has."""
        if ends_at is None or not self.session.clock.known:
            return self.say(do, 1_500)
        early = self.rng.choice((-60, 0, 1, 3, 20, 60, 120, 250, 400))
        left = ends_at - early - self.session.clock.now(self.own())
        return do, {"table": self.table}, max(20, left)


class Boss(Person):
    """Floor or director: looks around every few seconds, and does something."""

    patience = 700

    def __init__(self, world: World, name: str, badge: Badge, every: int) -> None:
        super().__init__(world, name, badge, "wall")
        self._every = every
        self._target = ("", "")
        for event, tables in world.plan.rooms.items():
            topics = [f"t/{event}", f"t/{event}/tables", f"t/{event}/floor"]
            topics += [f"t/{event}/table/{number}" for number in tables]
            self.session.topics.update(dict.fromkeys([*topics, "hub", "events"]))
        self.after(self.about(every), self._around)

    def _around(self) -> None:
        if not self.world.quiet:
            self._seen = None
            self.look()
            self.after(self.about(self._every), self._around)

    def look(self) -> None:
        """Look only when it is time to; documents come all the time."""
        if self._seen is None:
            super().look()

    def situation(self) -> object:
        """Say that it is time to look."""
        return 1

    def addressed(self, do: str) -> tuple[str, str, Doc | None]:
        """Tap for the event that was looked at."""
        return ("" if do.startswith("gap.") else self._target[0]), do, None

    def _tables(self, event: str) -> dict[int, Doc]:
        found = {n: self.doc(f"t/{event}/table/{n}") for n in self.world.plan.rooms[event]}
        return {number: doc for number, doc in found.items() if doc is not None}

    def decide(self) -> Tap | None:
        """Look at one of the events: first at what is urgent."""
        event = self.rng.choice(sorted(self.world.plan.rooms))
        self._target = (event, "")
        room, tables = self.doc(f"t/{event}"), self._tables(event)
        if room is None or not tables:
            return None
        urgent = self._urgent(room, tables)
        if urgent is not None and self.rng.random() < 0.8:
            return (*urgent, self.about(600))
        wanted = self._wanted(event, tables)
        return None if wanted is None else (*wanted, self.about(900))

    def _urgent(self, room: Doc, tables: dict[int, Doc]) -> tuple[str, dict[str, Any]] | None:
        clock, director = room["clock"], self.badge is not None and self.badge.role == "director"
        if clock["status"] == "suspended":
            return ("event.resume", {}) if director else None
        if stands(room):
            return ("clock.start" if clock["status"] == "waiting" else "clock.resume"), {}
        for number, doc in tables.items():
            if doc["h4h"] == "all_in":
                return "h4h.runout", {"table": number}
            if "needs_ruling" in (doc["action"]["outcome"], doc["called"]["outcome"]):
                outcome = self.rng.choice(("dead", "check", "void"))
                return "action.ruling", {"table": number, "outcome": outcome}
            if doc["paused"] is not None:
                return "table.resume", {"table": number}
            if doc["floor"] is not None:
                return "floor.clear", {"table": number}
        if director and room["h4h"]["status"] == "holding":
            return self.rng.choice(("h4h.next", "h4h.next", "h4h.end")), {}
        if director and clock["phase"] == "break" and clock["remaining_ms"] != 0:
            return "break.end", {}
        return None

    def _wanted(self, event: str, tables: dict[int, Doc]) -> tuple[str, dict[str, Any]] | None:
        rng = self.rng
        number = rng.choice(sorted(tables))
        seats = tables[number]["seats"]
        seat = rng.choice(sorted(seats)) if seats else "1"
        player = seats[seat]["player"] if seats else "nobody"
        floor: list[tuple[str, dict[str, Any]]] = [
            ("announce", {"text": "Seat open", "seconds": rng.randint(2, 9)}),
            ("announce.clear", {}),
            ("called.start", {"table": number, "seat": int(seat), "seconds": 6}),
            ("called.start", {"table": number, "seat": int(seat), "seconds": 6}),
            ("table.pause", {"table": number, "reason": "a dispute"}),
            ("clock.pause", {"reason": "fire alarm"}),
            ("player.limit", {"player": player, "seconds": rng.choice((None, 5))}),
            ("action.hold", {"table": number, "acted": False}),
            ("action.next", {"table": number}),
            ("undo", {"table": number}),
            ("floor.call", {"table": number, "reason": "a look"}),
            ("silence.seen", {"table": number}),
            ("seat.move", {"player": player, "table": number, "seat": rng.randint(1, 9)}),
            ("player.bust", {"player": player}),
            ("seat.put", {"player": f"new-{rng.randint(1, 99)}", "table": number, "seat": 9}),
        ]
        if self.badge is None or self.badge.role != "director":
            return rng.choice(floor)
        named = self._undoable(event)
        hub = self.doc("hub")
        gaps = [gap for gap in (hub or {"gaps": []})["gaps"] if gap["kind"] != "step"]
        gap = rng.choice(gaps)["id"] if gaps else 1
        director: list[tuple[str, dict[str, Any]]] = [
            ("clock.set", {"remaining_ms": rng.choice((1_000, 3_000, 8_000, 20_000))}),
            ("clock.set", {"remaining_ms": rng.choice((2_000, 5_000, 40_000))}),
            ("clock.add", {"ms": rng.choice((-30_000, -2_000, 5_000, 60_000))}),
            ("level.next", {}),
            ("level.back", {}),
            ("break.call", {"minutes": rng.choice((None, 1))}),
            ("h4h.announce", {"soft": rng.random() < 0.3}),
            ("h4h.announce", {}),
            ("h4h.end", {}),
            ("undo", {}),
            ("undo", named),
            ("bank.grant", {"chips": rng.randint(0, 3), "mode": rng.choice(("set", "add"))}),
            ("event.suspend", {}),
            ("places.set", {"places": rng.choice((None, 1, 3))}),
            ("gap.give_back", {"event": event, "gap": gap}),
            ("gap.clear", {"gap": gap}),
        ]
        return rng.choice(director if rng.random() < 0.7 else floor)

    def _undoable(self, event: str) -> dict[str, Any]:
        doc = self.doc(f"t/{event}/floor")
        entries = [] if doc is None else doc["undo"][:6]
        return {"command": self.rng.choice(entries)["command"]} if entries else {}
