"""The director's console in a terminal: `railbird td`.

Everything by keyboard, in eighty columns. The clock is the wall's own; below it is one view at a
time, and every line knows what can be done with it. Commands say what they were based on, so two
directors never undo each other's work unseen. Whatever is asked is asked in one line: nothing ever
hides the running clock.
"""

import secrets
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import OptionList, Static

from dealer_console.terminal import td_deeds, td_house, td_keys, td_papers, td_tables
from dealer_console.terminal.td_deeds import Ask, BadWords, Deed, Words
from dealer_console.terminal.td_draft import Draft
from dealer_console.terminal.td_head import Head
from dealer_console.terminal.td_keys import VIEWS
from dealer_console.terminal.td_list import List
from dealer_console.terminal.td_prompt import Prompt
from dealer_console.terminal.td_rows import Room, Row
from display.scenes import wall
from display.terminal.console import Console
from display.terminal.printable import printable
from display.terminal.tokens import Tokens
from display.terminal.wall import best_event, local_zone
from display.words import Zone, trust
from server.protocol.link import Link
from server.protocol.messages import Done, Refused, ToClient, Welcome
from server.protocol.session import Session, Shown

if TYPE_CHECKING:
    from textual import events

LOOK_EVERY = 500
"""Milliseconds between two looks: every clock on the board is right to the second."""

OWN_TOPICS = ("events", "hub", "devices", "presets")
EVENT_TOPICS = ("", "tables", "duty", "structure", "floor", "journal")
MINUTE = 60_000
KEYS = "space go  +/- min  n/p level  b break  h hand  a say  u undo  e event  ? keys"
NEVER_MIND = "Never mind: nothing was done."

Rows = Callable[[Room], list[Row]]


class TdApp(Console):
    """The director's console."""

    TITLE = "Railbird"
    CSS_PATH = Path(__file__).with_name("td.tcss")
    USE = "td"
    ROLES = ("floor", "director")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (140, "-wide")]  # noqa: RUF012 - Textual's type
    VERTICAL_BREAKPOINTS = [(0, "-low"), (40, "-tall")]  # noqa: RUF012 - Textual's type
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c", "quit", "Quit", priority=True)]

    def __init__(
        self,
        session: Session,
        *,
        event: str | None = None,
        zone: Zone = local_zone,
        **options: Any,
    ) -> None:
        super().__init__(session, **options)
        self.event = event
        self._told = event is not None
        self._zone = zone
        self.view = VIEWS[0]
        self.table: int | None = None  # that is open
        self.draft: Draft | None = None
        self.wanted = ""  # words that are looked for in the journal
        self._creating: set[str] | None = None  # the events that were there before
        self._head, self._list, self._side = Head(), List(id="main"), List(id="side")
        self._prompt = Prompt()
        self._truth = Static(markup=False, id="truth")
        self._tabs = Static(markup=False, id="tabs")
        self._said = Static(markup=False, id="said")

    # ── the app ──────────────────────────────────────────────────────────────────────────────────

    def inside(self) -> Widget:
        """Clock, what needs somebody, the views, the view, what was said, the keys."""
        self._side.can_focus = False
        return Vertical(
            self._head,
            self._truth,
            self._tabs,
            Horizontal(self._list, self._side, id="body"),
            self._said,
            self._prompt,
            Static(Content(KEYS), id="keys", markup=False),
            id="inside",
        )

    def topics(self, _welcome: Welcome) -> tuple[str, ...]:
        """Follow the hub's own topics, and those of the event that is shown."""
        table = () if self.table is None else (f"t/{self.event}/table/{self.table}",)
        own = () if self.event is None else (*self._topics(self.event), *table)
        return (*OWN_TOPICS, *own)

    def room(self, now: int | None = None) -> Room:
        """Give everything that the views are made from."""
        docs = {topic: shown.doc for topic, shown in self.session.documents.items()}
        now = self.now(self._own()) if now is None else now
        return Room(self.event, docs, now, self._zone, self.size.width)

    # ── looking ──────────────────────────────────────────────────────────────────────────────────

    def paint(self, now: int, freshness: str, away: int | None) -> int:
        """Show everything, and say when to look again."""
        room = self.room(now)
        document = room.doc("")
        found = None
        if document is not None:
            found = wall(document, now, self._zone, away=freshness != "fresh")
        still = None if found is None else replace(found, repaint_in=None)
        believed = trust(freshness, away, reached=self.session.clock.known)
        self._head.show(still, believed, self._place(room))
        needs = td_house.needs(room)
        self._list.set_class(self.view == "needs", "-whole")  # what is wrong is told to its end
        self._list.show(self._rows(room))
        self._side.show([*needs, *td_papers.journal(room)])
        grave = [row for row in needs if row.tone in ("bad", "warn")]
        self._truth.display = bool(grave)
        if grave:
            count = "1 thing needs" if len(grave) == 1 else f"{len(grave)} things need"
            self._truth.update(Content(printable(f"{count} you (8): {grave[0].text}")))
        self._show_tabs()
        if self.focused is None and not self._prompt.asking:
            self._list.focus()
        soon = None if found is None else found.repaint_in
        return LOOK_EVERY if soon is None else min(LOOK_EVERY, soon)

    def _place(self, room: Room) -> str:
        known = [event["id"] for event in (room.docs.get("events") or {"events": []})["events"]]
        if len(known) < 2 or self.event not in known:  # noqa: PLR2004 - one of one says nothing
            return ""
        return f"event {known.index(self.event) + 1} of {len(known)} (e)"

    def _show_tabs(self) -> None:
        parts: list[tuple[str, str]] = []
        for number, name in enumerate(VIEWS, start=1):
            parts.append(("  " if parts else "", ""))
            parts.append((f"{number} {name}", "bold reverse" if name == self.view else ""))
        self._tabs.update(Content.assemble(*parts))

    def _rows(self, room: Room) -> list[Row]:
        if self.view == "tables" and self.table is not None:
            return td_tables.table(room, self.table)
        if self.view == "structure":
            return td_papers.structure(room, self.draft)
        if self.view == "journal":
            return td_papers.journal(room, self.wanted)
        views: dict[str, Rows] = {
            "tables": td_tables.tables,
            "hands": td_tables.hand_for_hand,
            "undo": td_papers.undo,
            "devices": td_house.devices,
            "events": td_house.events,
            "needs": td_house.needs,
            "keys": lambda _: td_keys.rows(),
        }
        return views[self.view](room)

    # ── keys ─────────────────────────────────────────────────────────────────────────────────────

    async def on_key(self, key: "events.Key") -> None:
        """Do what a key means: on the line first, then in the view, then for the room."""
        if not self.is_in or self._prompt.asking:
            return
        name = key.character if key.is_printable and key.character else key.key
        if name == " ":
            name = "space"
        if self._general(name):
            key.stop()
        elif (deed := self._meant(name)) is not None:
            key.stop()
            self.perform(deed)

    def _general(self, name: str) -> bool:
        """Move around; everything here is harmless."""
        if name == "q":
            self.exit()
        elif name == "?":
            self.show("keys")
        elif name.isdecimal() and 1 <= int(name) <= len(VIEWS):
            self.show(VIEWS[int(name) - 1])
        elif name == "e":
            self._next_event()
        elif name == "escape":
            self._back()
        elif name == "/" and self.view == "journal":
            self.run_worker(self._look_for(), group="deed", exclusive=True)
        else:
            return self.view == "structure" and self._edit(name)
        return True

    def _meant(self, name: str) -> Deed | Words | None:
        row, room = self._list.row, self.room()
        if row is not None and name in row.deeds:
            return row.deeds[name]
        event = room.doc("")
        if event is None:
            return None
        if name == "t" and self.view == "tables":
            return Deed("table.open", asks=(Ask("table", "Open table", td_deeds.number),))
        if name == "u":
            return td_papers.last_undo(room) or Words("There is nothing of the room's to undo.")
        return room_deed(name, event, room.now)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Do what a line is for."""
        event.stop()
        row = self._list.row
        if row is None:
            return
        if self.view == "structure":
            self._send_draft()
        elif row.go.startswith("table/"):
            self.open_table(int(row.go.partition("/")[2]))
        elif row.go.startswith("event/"):
            self.choose(row.go.partition("/")[2])
        elif "enter" in row.deeds:
            self.perform(row.deeds["enter"])
        elif row.more:
            self.say(row.more)

    # ── moving around ────────────────────────────────────────────────────────────────────────────

    def show(self, view: str) -> None:
        """Show a view."""
        if view != self.view or self.table is not None:
            self._close_table()
            self.view = view
            self._list.show([])
        if view == "structure":
            self._list.point(f"step/{self._current_step()}")
        self.look()
        if view == "structure":
            self._list.point(f"step/{self._current_step()}")

    def _current_step(self) -> int:
        doc = self.room().doc("structure")
        return 0 if doc is None else int(doc["step"])

    def open_table(self, number: int) -> None:
        """Open one table."""
        self._close_table()
        self.view, self.table = "tables", number
        self._follow(f"t/{self.event}/table/{number}")
        self._list.show([])
        self.look()

    def _close_table(self) -> None:
        if self.table is not None:
            self._leave(f"t/{self.event}/table/{self.table}")
            self.table = None

    def _back(self) -> None:
        if self.draft is not None:
            self.draft = None
            self.say("The draft was dropped.")
        elif self.table is not None:
            number = self.table
            self.show("tables")
            self._list.point(f"table/{number}")
        self.look()

    async def _look_for(self) -> None:
        words = await self._prompt.ask("Look for (empty: everything)", self.wanted)
        self._list.focus()
        if words is not None:
            self.wanted = words.strip()
            self.look()

    # ── events ───────────────────────────────────────────────────────────────────────────────────

    @staticmethod
    def _topics(event: str) -> list[str]:
        return [f"t/{event}/{topic}".rstrip("/") for topic in EVENT_TOPICS]

    def _next_event(self) -> None:
        doc = self.room().docs.get("events")
        known = [] if doc is None else [event["id"] for event in doc["events"]]
        if known:
            place = known.index(self.event) + 1 if self.event in known else 0
            self.choose(known[place % len(known)])

    def choose(self, event: str) -> None:
        """Show another event."""
        if event == self.event:
            return
        self._close_table()
        self.draft = None
        if self.event is not None:
            self._leave(*self._topics(self.event))
        self.event, self._told = event, True
        self._follow(*self._topics(event))
        self.look()

    def _events_changed(self, doc: Mapping[str, Any]) -> None:
        known = [event["id"] for event in doc["events"]]
        new = [] if self._creating is None else [id_ for id_ in known if id_ not in self._creating]
        if new:
            self._creating = None
            self.choose(new[-1])
        elif self.event is None or (not self._told and self.event not in known):
            found = best_event(doc["events"], self.event)
            if found is not None:
                self.choose(found)
                self._told = False

    # ── the structure ────────────────────────────────────────────────────────────────────────────

    def _edit(self, name: str) -> bool:
        """Edit the draft of the structure, on the line of the cursor."""
        doc = self.room().doc("structure")
        draft = self.draft or (None if doc is None else Draft.of(doc))
        row = self._list.row
        index = int(row.id[5:]) if row is not None and row.id.startswith("step/") else -1
        changes: dict[str, Callable[[Draft], Draft]] = {
            "left": lambda draft: draft.longer(index, -1),
            "right": lambda draft: draft.longer(index, 1),
            "i": lambda draft: draft.with_level(index),
            "j": lambda draft: draft.with_break(index),
            "d": lambda draft: draft.removed(index),
        }
        if name == "w" and draft is not None:
            self.run_worker(self._blinds(draft, index), group="deed", exclusive=True)
            return True
        if name == "l" and draft is not None:
            self.run_worker(self._length(draft, index), group="deed", exclusive=True)
            return True
        if name not in changes:
            return False
        if draft is None:
            self.say("The structure may not be edited now.")
        else:
            changed = changes[name](draft)
            if changed is draft:
                self.say("What is past stays as it was, and so does what is played now.")
            else:
                self.draft = changed
            self.look()
        return True

    async def _blinds(self, draft: Draft, index: int) -> None:
        read = td_deeds.numbers("small", "big", "ante")
        ask = Ask("blinds", "Small, big and ante", read)
        found = await self._asked(ask)
        self._list.focus()
        if isinstance(found, dict):
            self.draft = draft.with_blinds(index, found)
            self.look()

    async def _length(self, draft: Draft, index: int) -> None:
        ask = Ask("length", "Minutes, or hands at every table (20, 12 hands)", td_deeds.step_length)
        found = await self._asked(ask)
        self._list.focus()
        if isinstance(found, dict):
            self.draft = draft.with_length(index, found)
            self.look()

    def _send_draft(self) -> None:
        if self.draft is None or not self.draft.changed:
            self.say("Nothing is edited: left and right change a length, i and j put something in.")
            return
        self.perform(Deed("structure.set", {"steps": self.draft.steps()}))

    # ── deeds ────────────────────────────────────────────────────────────────────────────────────

    def perform(self, deed: Deed | Words) -> None:
        """Do something, after all that must be asked."""
        if isinstance(deed, Words):
            self.say(deed.text)
            return
        shown = self.session.documents.get(f"t/{self.event}")
        seen = None if shown is None or deed.hub else shown.rev
        self.run_worker(self._perform(deed, seen), group="deed", exclusive=True)

    async def _perform(self, deed: Deed, seen: int | None) -> None:
        args = dict(deed.args)
        for ask in deed.asks:
            found = await self._asked(ask)
            if found is None:
                self._list.focus()
                self.say(NEVER_MIND)
                return
            if found != "" or not ask.optional:
                args[ask.arg] = found
        if deed.confirm and not await self._prompt.confirm(deed.confirm):
            self._list.focus()
            self.say(NEVER_MIND)
            return
        self._list.focus()
        if deed.do == "device.rename" and args["name"] == deed.asks[0].default:
            self.say("Nothing was changed.")
            return
        args = td_deeds.finish_args(deed.do, args)
        if deed.do == "seat.put":
            args.setdefault("name", args["player"])
        if deed.do == "event.create":
            doc = self.room().docs.get("events") or {"events": []}
            self._creating = {event["id"] for event in doc["events"]}
        self.say(f"{deed.do} …")
        event = "" if deed.hub else self.event or ""
        self.command(event, deed.do, lambda answer: self._answered(deed, answer), seen=seen, **args)

    async def _asked(self, ask: Ask) -> Any:
        """Ask until what is typed can be read; None is never mind."""
        label = ask.label
        while True:
            typed = await self._prompt.ask(f"{label}:", ask.default)
            if typed is None:
                return None
            if not typed.strip():
                if ask.optional:
                    return ""
                continue
            try:
                return ask.read(typed)
            except BadWords as bad:
                label = f"{str(bad).capitalize()}! {ask.label}"

    def _answered(self, deed: Deed, answer: Done | Refused) -> None:
        if isinstance(answer, Refused):
            self.say(f"REFUSED: {answer.text}", severe=True)
            return
        if deed.do == "structure.set":
            self.draft = None
        self.say(f"done: {deed.do}")
        self.look()

    def say(self, text: str, *, severe: bool = False) -> None:
        """Say something in the line above the keys."""
        self._said.update(Content.styled(printable(text), "bold $error" if severe else ""))
        if severe:
            self.bell()

    # ── the hub ──────────────────────────────────────────────────────────────────────────────────

    def news(self, news: ToClient | Shown) -> None:
        """Take note of something that the hub said."""
        if isinstance(news, Shown) and news.topic == "events":
            self._events_changed(news.doc)
        super().news(news)

    def _follow(self, *topics: str) -> None:
        self._tell(lambda link: link.follow(*topics), lambda: self.session.follow(*topics))

    def _leave(self, *topics: str) -> None:
        self._tell(lambda link: link.leave(*topics), lambda: self.session.leave(*topics))

    def _tell(
        self,
        linked: Callable[[Link], Coroutine[Any, Any, None]],
        alone: Callable[[], object],
    ) -> None:
        if self.link is None:
            alone()
        else:
            self.run_worker(linked(self.link))


def room_deed(name: str, event: Mapping[str, Any], now: int) -> Deed | Words | None:
    """Find what a key means for the whole room."""
    deeds: dict[str, Callable[[], Deed | Words]] = {
        "space": lambda: td_deeds.go(event),
        "+": lambda: td_deeds.more(MINUTE),
        "-": lambda: td_deeds.more(-MINUTE),
        "]": lambda: td_deeds.more(MINUTE // 2),
        "[": lambda: td_deeds.more(-MINUTE // 2),
        "=": lambda: td_deeds.SET,
        "n": lambda: td_deeds.following(event),
        "p": lambda: td_deeds.BACK,
        "g": lambda: td_deeds.GOTO,
        "b": lambda: td_deeds.rest(event),
        "h": lambda: td_deeds.hand(event),
        "H": lambda: td_deeds.END_HAND,
        "a": lambda: td_deeds.ANNOUNCE,
        "A": lambda: td_deeds.CLEAR,
        "S": lambda: td_deeds.suspend(now),
        "F": lambda: td_deeds.FINISH,
        "I": lambda: td_deeds.INTRODUCE,
    }
    found = deeds.get(name)
    return None if found is None else found()


def run(url: str, token: str | None, **options: Any) -> None:
    """Run the console until somebody quits; without a token it asks to be let in."""
    tokens = Tokens() if token is None else None
    known = token if tokens is None else tokens.get(url, TdApp.USE)
    session = Session(f"td-{secrets.token_hex(4)}", known, kind="director's terminal")
    TdApp(session, url=url, tokens=tokens, **options).run()
