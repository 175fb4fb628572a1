"""Recalling: what could be undone before a start, brought back while the hub runs.

A start plays only the newest lines again, so at first only what was commanded in them can be
undone. Here older lines are played again, a few at a time between taps: first from the oldest
snapshot that is kept, which is a matter of seconds and enough for almost everybody, then from the
first line of the night. Whenever that has caught up with the room, its memory takes the place of
the shorter one; the state itself stays the one that the start insisted on. An undo that reaches
further back than what is known waits for that moment instead of being refused.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec

from server.engine import Code, State, evolve, undo_document
from server.engine.events import Accepted, Undone, table_slice
from server.engine.history import ROOM
from server.engine.records import write_state_in_steps
from server.journal_format import Origins
from server.loading import begun, opened, packed
from server.logs import log
from server.orders import Answer, Order
from server.protocol import messages as m

if TYPE_CHECKING:
    from server.desk import Desk
    from server.hub import Hub
    from server.journal import Stored

PAGE, STEP = 500, 20
"""Lines that are read at once in another thread, and played again at once: two milliseconds."""

BETWEEN_STEPS = 0.004
"""Seconds between two steps, of this and of writing a snapshot: no tap waits for more than one."""


@dataclass(slots=True)
class _Recall:
    """An event whose undo memory is short."""

    desk: "Desk"
    began: int  # the line after which the start played lines again
    waiting: list[Callable[[], None]] = field(default_factory=list)  # undos that found nothing
    actors: dict[str, str] = field(default_factory=dict)  # who gave each command


class Recalls:
    """All events whose undo memory is short."""

    def __init__(self, hub: "Hub") -> None:
        self._hub = hub
        self._recalls: dict[str, _Recall] = {}

    @property
    def pending(self) -> list[str]:
        """List the events in which not everything is remembered yet."""
        return list(self._recalls)

    def begin(self, desk: "Desk", began: int, wrote: Origins) -> None:
        """Bring back what could be undone in an event that was loaded from after a line."""
        begins = sorted({0, *desk.snapshots[:1]}, reverse=True)
        begins = [line for line in begins if line < began]
        if begins:
            self._recalls[desk.id] = _Recall(desk, began)
            self._hub.task(self._run(self._recalls[desk.id], begins, wrote))

    async def _run(self, recall: _Recall, begins: list[int], wrote: Origins) -> None:
        desk = recall.desk
        for begin in begins:
            try:
                state = await self._replayed(recall, begin, wrote)
            except Exception as error:  # noqa: BLE001 - whatever it is, the room goes on without
                log("undo memory not believed", event=desk.id, line=begin, reason=str(error))
            else:
                if state is not None:
                    self._take_over(recall, state)
            if self._hub.stopping:
                return  # who waits asks the next hub again
            gone = self._gone(desk)
            if gone or begin == begins[-1]:
                del self._recalls[desk.id]
            waiting, recall.waiting = recall.waiting, []
            for again in waiting:
                again()
            if gone:
                return

    def _gone(self, desk: "Desk") -> bool:
        return self._hub.stopping or self._hub.desks.get(desk.id) is not desk

    async def _replayed(self, recall: _Recall, begin: int, wrote: Origins) -> State | None:
        """Play lines again until there are no more; None if that is of no use any more."""
        desk = recall.desk
        state, seq = await asyncio.to_thread(self._begun, desk, begin), begin
        while not self._gone(desk):
            last = desk.last_line
            page = await asyncio.to_thread(self._page, desk.id, seq)
            for number, stored in enumerate(page, start=1):
                happened = wrote.happened(stored)
                state, seq = state if happened is None else evolve(state, happened), stored.seq
                if isinstance(happened, Accepted | Undone) and stored.line.device:
                    recall.actors[happened.command.id] = stored.line.actor
                if seq == recall.began:
                    await self._insist(state, desk.id, seq)
                if number % STEP == 0:
                    await asyncio.sleep(BETWEEN_STEPS)
                    if self._gone(desk):
                        return None
            # Nothing is on its way into the journal, and all that is in it was played again.
            if not page and desk.last_line == last and desk.head is desk.shown:
                if state.history.count != desk.shown.history.count:
                    raise ValueError("the replay differs from the room")
                return state
            await asyncio.sleep(BETWEEN_STEPS)
        return None

    def _page(self, event: str, after: int) -> "list[Stored]":
        return list(islice(self._hub.journal.read(event, after), PAGE))

    def _begun(self, desk: "Desk", begin: int) -> State:
        """Read the state that lines are played again from."""
        snapshot = opened(self._hub.journal, desk.id, begin) if begin else None
        if begin and snapshot is None:
            raise ValueError("the snapshot is gone")
        return begun(desk.made, snapshot)

    async def _insist(self, state: State, event: str, seq: int) -> None:
        """Insist that a replay agrees with the snapshot that the start began with."""
        for record in write_state_in_steps(state, packed):
            if record is not None:
                agrees = await asyncio.to_thread(self._agrees, record, event, seq)
                if not agrees:
                    raise ValueError(f"the replay differs from the snapshot at line {seq}")
            elif not self._hub.stopping:
                await asyncio.sleep(BETWEEN_STEPS)

    def _agrees(self, record: dict[str, Any], event: str, seq: int) -> bool:
        snapshot = opened(self._hub.journal, event, seq)
        return msgspec.json.encode(record) == msgspec.json.encode(snapshot)

    def _take_over(self, recall: _Recall, state: State) -> None:
        """Let the longer memory take the place of the short one, and show what it knows."""
        desk = recall.desk
        short, long = desk.shown, replace(desk.shown, history=state.history)
        desk.head = desk.shown = long
        known = long.history.commands()
        log("undo memory recalled", event=desk.id, commands=len(known))
        for entry in (*long.history.commands(ROOM), *known):  # those that the floor is shown
            if entry.id in recall.actors:
                desk.actors.setdefault(entry.id, recall.actors[entry.id])

        def durable(seq: int) -> None:
            # A new line, so that documents that say more than before have a newer revision.
            desk.rev = max(desk.rev, seq)
            self._hub.stored_line(seq)
            self._hub.press.publish_soon(f"t/{desk.id}/floor")
            self._hub.task(self._show_tables(desk, short, long))

        line = self._hub.office.line({"event": "undo.recalled", "id": desk.id})
        self._hub.writer.write([line], durable, lambda: None)

    async def _show_tables(self, desk: "Desk", short: State, long: State) -> None:
        """Show the tables at which something else can be undone now, a few at a time."""
        for count, number in enumerate(long.tables.keys(), start=1):
            if undo_document(short, number) != undo_document(long, number):
                self._hub.press.publish_soon(f"t/{desk.id}/table/{number}")
            if count % STEP == 0:
                await asyncio.sleep(BETWEEN_STEPS)
                if self._gone(desk):
                    return

    # ── undos that come too early ────────────────────────────────────────────────────────────────

    def patient(self, desk: "Desk", order: Order, settle: Answer) -> Answer:
        """Let an undo that finds nothing wait until everything is remembered."""
        recall = self._recalls.get(desk.id)
        if recall is None or order.do != "undo":
            return settle
        named, known = "command" in order.args, desk.head.history.count

        def settled(found: m.Done | m.Refused) -> None:
            nothing = isinstance(found, m.Refused) and found.code == Code.NOTHING_TO_UNDO
            if nothing and self._recalls.get(desk.id) is recall:
                recall.waiting.append(lambda: again(found))
            else:
                settle(found)

        def again(refused: m.Done | m.Refused) -> None:
            # "The last one" is another by now if anything was done there meanwhile.
            if not self._gone(desk) and (named or self._newest(desk, order) <= known):
                desk.order(order, settled)
            else:
                settle(refused)

        return settled

    @staticmethod
    def _newest(desk: "Desk", order: Order) -> int:
        """Give the number of what was last commanded where an undo would look."""
        table = order.args.get("table")
        key = table_slice(table) if isinstance(table, int) else None
        return next((entry.number for entry in desk.head.history.commands(key)), 0)
