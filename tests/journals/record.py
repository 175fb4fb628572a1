"""Records the journal of this version, for later ones to be tried on.

    .venv/bin/python -m tests.journals.record

Done once for every release, before it: a night in which everything happens that a journal can tell,
played by the hub itself in virtual time, then gone on with by a hub on the file. What it writes is
`<version>.db.gz`, the journal, `<version>.json`, what was shown at its end, and
`format-<number>.json`, the shape of all that this version can write.
"""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import msgspec

from server import __version__
from server.access import Badge
from server.engine import event_document, table_document
from server.journal_format import FORMAT
from server.orders import Order
from server.protocol.messages import Done, Refused
from server.sqlite_journal import SqliteJournal
from tests.hub.test_trust_kit import guest, paired
from tests.journals.shape import shape
from tests.rig import Rig

if TYPE_CHECKING:
    from tests.rig import Peer

HERE = Path(__file__).parent
HOUSE = "star-brisbane-saturday"
SNAPSHOTS = 60
"""Lines between two snapshots, so that some are in a short night."""

MINUTE = 60_000


class Night(Rig):
    """A rig in which everything that is said must be done."""

    def says(self, peer: Peer, do: str, event: str = "1", **args: Any) -> None:
        """Insist that a command is accepted."""
        found = peer.do(do, event=event, **args)
        if not isinstance(found, Done):
            raise TypeError(f"{do} {args}: {found}")

    def hub_says(self, do: str, **args: Any) -> None:
        """Command something of the hub itself, and insist that it is accepted."""
        answers: list[Done | Refused] = []
        order = Order(
            f"own-{self.now}", "", do, args, Badge("director", "Dora"), "api", self.now, self.now
        )
        self.hub.order(order, answers.append)
        self.run(100)
        if not isinstance(answers[0], Done):
            raise TypeError(f"{do} {args}: {answers[0]}")

    def hub_restarts(self, away: int) -> None:
        """Kill the hub, and let everybody come back to another."""
        self.crash(away)
        for peer in (self.td, *self.dealers.values()):
            peer.disconnect()
            peer.connect()
        self.run(100)

    def play(self) -> None:
        """Play the night."""
        self.create(HOUSE, {7: 4, 8: 4, 9: 3})
        self.td = self.director(device="td").keeps_probing()
        self.dealers = {
            table: self.dealer(table=table, delay=10, device=f"tablet-{table}").keeps_probing()
            for table in (7, 8, 9)
        }
        self.run(1_000)
        self._deal()
        self._rule()
        self._be_silent()
        self._direct()
        self._let_in()
        self._count_down()
        self._end()

    def _table(self, table: int, *words: str, **args: Any) -> None:
        for do in words:
            self.says(self.dealers[table], do, table=table, **args)
            self.run(700)

    def _deal(self) -> None:
        """Hands with everything that a dealer taps."""
        td = self.td
        self.says(td, "bank.grant", chips=2, mode="set")
        self.says(td, "bank.grant", chips=1, mode="add", player="7-1")
        for table in (7, 8, 9):
            self._table(table, "hand.start", button=1)
        self._table(7, "action.next", "action.next", "action.fold")
        self.says(self.dealers[7], "undo", table=7)
        self._table(7, "action.hold", "action.release")
        self._table(7, "action.fold", seat=4)
        self._table(7, "action.all_in")
        self._table(7, "floor.call", reason="count")
        self.says(td, "floor.clear", table=7)
        self._table(8, "action.start", seat=2, facing_bet=True)
        self._table(8, "action.bank", seat=2, chips=1)
        self._table(8, "action.stop")
        self._table(8, "collect.done", seat=2)
        self._table(8, "hand.sync", seat=2, street="flop", live=[1, 2, 3], bet=True, bettor=1)
        self._table(8, "street.next")
        self._table(9, "hand.misdeal")
        self._table(9, "hand.start")
        self.says(td, "hand.level", table=9, level=1)
        self._table(9, "hand.end")
        self._table(9, "button.set", seat=2)
        self._table(9, "dealer.push")

    def _rule(self) -> None:
        """Time that runs out, and clocks that are called."""
        td = self.td
        self._table(9, "hand.start")
        self._table(9, "action.start", seat=1, facing_bet=True)
        self.run(2 * MINUTE)  # chips burn, and the hand dies
        self.says(td, "action.ruling", table=9, outcome="void")
        self.says(td, "floor.call", table=9)
        self._table(7, "hand.end", "hand.start")
        self.says(td, "called.start", table=7, seat=2, facing_bet=True)
        self.run(5_000)
        self.says(td, "called.stop", table=7)
        self.says(td, "called.start", table=7, seat=2, facing_bet=True, seconds=10)
        self.run(90_000)
        self.says(td, "player.limit", player="7-3", seconds=15)
        self.says(td, "table.pause", table=8, reason="dispute")
        self.run(2_000)
        self.says(td, "table.resume", table=8)

    def _be_silent(self) -> None:
        """Cut a tablet off that taps all the same and comes back; then the hub itself is away."""
        dealer = self.dealers[9]
        self._table(9, "hand.end", "hand.start")
        self._table(9, "action.start", seat=1)
        zero = self.td.doc("table/9")["action"]["ends_at"]
        self.run_until(zero - 1_500)
        dealer.cut = True
        self.run_until(zero - 500)
        dealer.tap("action.next", table=9)
        self.run_until(zero + 30_000)
        dealer.cut = False
        dealer.disconnect()
        dealer.connect()
        self.run(5_000)
        self.says(self.td, "silence.seen", table=9)
        self._table(9, "hand.end", "hand.start")
        self._table(9, "action.start", seat=1)
        zero = self.td.doc("table/9")["action"]["ends_at"]
        self.run_until(zero - 1_500)
        dealer.cut = True
        self.run_until(zero + 1_000)
        dealer.tap("action.next", table=9)  # comes after the floor's own, and is only noted
        self.run_until(zero + 5_000)
        self.says(self.td, "action.next", table=9)
        dealer.cut = False
        dealer.disconnect()
        dealer.connect()
        self.run(5_000)
        self._table(9, "hand.end", "hand.start")
        self.says(self.td, "called.start", table=9, seat=2, facing_bet=True)
        self.run(1_000)
        dealer.cut = True
        self.run(MINUTE)
        dealer.cut = False
        dealer.disconnect()
        dealer.connect()
        self.run(5_000)  # the called clock stands where it was when the tablet was last heard
        self.says(self.td, "called.stop", table=9)
        self.says(self.td, "table.resume", table=9)
        self._table(8, "hand.end", "hand.start")
        self._table(8, "action.start", seat=1)
        self.hub_restarts(20_000)
        self.hub_says("gap.give_back", gap=1, event="1")
        self.hub_says("gap.clear", gap=1)
        self.stall(3_000)
        self.run(500)

    def _direct(self) -> None:
        """All that a director does to the room."""
        td = self.td
        says = self.says
        says(td, "announce", text="Dinner is served", seconds=60)
        says(td, "announce.clear")
        says(td, "clock.pause", reason="fire alarm")
        self.run(2_000)
        says(td, "clock.resume")
        says(td, "clock.add", ms=30_000)
        says(td, "clock.set", remaining_ms=5 * MINUTE)
        says(td, "level.next")
        says(td, "level.back")
        says(td, "level.goto", level=2)
        says(td, "break.call", minutes=2)
        self.run(3 * MINUTE)
        says(td, "break.call")
        self.run(1_000)
        says(td, "break.end")
        says(td, "level.goto", level=4)
        for _ in range(3):  # breaks begin and end, and at last nobody may enter any more
            says(td, "clock.set", remaining_ms=1_000)
            self.run(3_000)
        says(td, "table.open", table=10)
        says(td, "seat.put", player="late", table=10, seat=1, name="Zoë Müller")
        says(td, "seat.move", player="late", table=8, seat=7)
        says(td, "table.close", table=10)
        says(td, "seat.clear", player="late")
        says(td, "event.suspend")
        self.run(1_000)
        says(td, "event.resume")
        says(td, "undo")
        says(td, "undo")
        says(td, "player.bust", player="9-3", stack=400)
        says(td, "undo")

    def _let_in(self) -> None:
        """Devices, screens, leases and staff."""
        director = guest(self, Badge("director", "Dora"))
        director.done("staff.add", name="Ann", pin="4711")
        left, _ = paired(self, director, "dealer", event="1", table=8, name="Left")
        self.dealers[8].disconnect()
        right, _ = paired(self, director, "dealer", event="1", table=8, name="Right")
        self.run(15_000)
        right.do("lease.ask")
        director.done("lease.grant", device=right.welcome["device"])
        right.done("dealer.sign_on", pin="4711")
        right.done("dealer.sign_off")
        screen, _ = paired(self, director, "viewer", name="Bar")
        name = screen.welcome["device"]
        director.done("screen.set", device=name, scene="clock", event="1", trim=3)
        director.done("screen.reload", device=name)
        director.done("screen.identify", device=name)
        director.done("device.assign", device=name, role="dealer", event="1", table=9)
        director.done("device.revoke", device=name)
        director.done("staff.remove", name="Ann")
        left.leave()
        right.leave()
        director.leave()
        self.dealers[8].connect()
        self.run(1_000)

    def _count_down(self) -> None:
        """Hand for hand, until one table is left."""
        td = self.td
        says = self.says
        says(td, "places.set", places=3)
        for table in (7, 8, 9):
            if self.td.doc(f"table/{table}")["hand"]["in_progress"]:
                says(td, "hand.end", table=table)
        says(td, "h4h.announce", reason="bubble")
        says(td, "h4h.next")
        for table in (7, 8, 9):
            says(td, "hand.start", table=table)
            self.run(1_000)
        self.run(4 * MINUTE)  # the hand has had its time
        says(td, "h4h.all_in", table=8)
        says(td, "h4h.done", table=7)
        says(td, "h4h.done", table=9)
        says(td, "h4h.runout", table=8)
        says(td, "h4h.done", table=8)
        says(td, "level.goto", level=5)
        says(td, "clock.set", remaining_ms=MINUTE)
        says(td, "h4h.next")
        self.run(2 * MINUTE)  # a break comes due, and waits for the hand
        for player in ("9-1", "9-2", "9-3"):
            says(td, "player.bust", player=player)
        says(td, "seat.move", player="8-4", table=9, seat=1)
        for table in (7, 8):
            says(td, "h4h.done", table=table)
        says(td, "break.end")
        says(td, "h4h.end")
        says(td, "undo")
        says(td, "h4h.end")
        says(td, "structure.set", steps=[
            {"small": 100, "big": 200, "minutes": 15},
            {"phase": "break", "minutes": 5, "colour_up": [100]},
            {"small": 200, "big": 400, "hands": 1},
        ])  # fmt: skip
        says(td, "level.next")
        says(td, "break.end")
        for do in ("hand.start", "hand.end"):
            for table in (7, 8, 9):
                says(td, do, table=table)
                self.run(1_000)

    def _end(self) -> None:
        """Other events that are over, and a hand of the first that is being played."""
        td = self.td
        self.says(td, "event.suspend")
        self._play_at_selkirk()
        self._break_a_table()
        self.says(td, "event.resume")
        self.says(td, "hand.start", table=7)
        self.says(td, "action.next", table=7)
        self.run(1_000)

    def _play_at_selkirk(self) -> None:
        """Have an event start by itself, play it without an action clock, and stop it at night."""
        td = self.td
        self.says(td, "event.create", event="", preset="selkirk-main")
        start = self.now + 10 * MINUTE
        self.says(td, "event.schedule", event="2", starts_at=start)
        self.run(11 * MINUTE)
        for seat in (1, 2, 3):
            self.says(td, "seat.put", event="2", player=f"s{seat}", table=1, seat=seat)
        self.says(td, "hand.start", event="2", table=1, button=1)
        self.says(td, "action.hold", event="2", table=1)
        self.says(td, "hand.end", event="2", table=1)
        self.says(td, "shotclock.introduce", event="2", seconds=20, chips=3)
        self.run_until(self.td.doc("", event="2")["clock"]["hard_stop_at"] + MINUTE)
        self.says(td, "event.finish", event="2")
        self.hub_says("event.archive", event="2")

    def _break_a_table(self) -> None:
        """Play an event whose registration closes with the first table that is broken."""
        td = self.td
        self.says(td, "event.create", event="", preset="888pl")
        for table in (1, 2):
            self.says(td, "table.open", event="3", table=table)
            self.says(td, "seat.put", event="3", player=f"e{table}", table=table, seat=1)
        self.says(td, "clock.start", event="3")
        self.says(td, "seat.move", event="3", player="e2", table=1, seat=2)
        self.says(td, "table.close", event="3", table=2)


def recorded(path: Path) -> dict[str, Any]:
    """Play the night into a file, and give what was shown at its end."""
    with mock.patch("server.hub.EVERY", SNAPSHOTS), Night() as night:
        night.play()
        now = night.now
        journal = SqliteJournal(path)
        journal.append([stored.line for stored in night.journal.stored])
        for key, value in night.journal.kept.items():
            journal.put(key, value)
        journal.close()
        events = {desk.id: desk.shown for desk in night.hub.desks.values()}
        return {
            "now": now,
            "events": {
                id_: {
                    "event": event_document(state, now),
                    "tables": {
                        str(number): table_document(state, number, now)
                        for number, _ in state.tables.items()
                    },
                }
                for id_, state in events.items()
            },
        }


def main() -> None:
    """Write what is kept of this version."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "railbird.db"
        shown = recorded(path)
        packed = gzip.compress(path.read_bytes(), mtime=0)
    (HERE / f"{__version__}.db.gz").write_bytes(packed)
    for name, told in ((__version__, shown), (f"format-{FORMAT}", shape())):
        text = msgspec.json.format(msgspec.json.encode(told), indent=2).decode()
        (HERE / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    json.dump({"version": __version__, "format": FORMAT}, sys.stdout)


if __name__ == "__main__":
    main()
