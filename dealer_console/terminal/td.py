"""The director's console in a terminal: `railbird td`.

Everything by keyboard, in eighty columns. The clock is the wall's own; below it is one view at a
time, and every line knows what can be done with it. Commands say what they were based on, so two
directors never undo each other's work unseen. Whatever is asked is asked in one line: nothing ever
hides the running clock.
"""

import asyncio
import secrets
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import OptionList, Static

from dealer_console.terminal import td_deeds, td_house, td_papers, td_tables
from dealer_console.terminal.td_deeds import Ask, BadWords, Deed, Words
from dealer_console.terminal.td_draft import Draft
from dealer_console.terminal.td_head import Head
from dealer_console.terminal.td_keys import SHEET, VIEWS
from dealer_console.terminal.td_list import List
from dealer_console.terminal.td_prompt import Prompt
from dealer_console.terminal.td_rows import Room, Row
from display.scenes import wall
from display.terminal.printable import printable
from display.terminal.wall import THEME, best_event, local_offset
from server.protocol.link import Closed, Link, own_ms
from server.protocol.messages import Admitted, Code, Done, Refused, ToClient, Welcome
from server.protocol.session import Session, Shown
from themes import Shelf
from themes.terminal import textual_theme, variables

if TYPE_CHECKING:
    from textual import events
    from textual.timer import Timer

LOOK_EVERY = 500
"""Milliseconds between two looks: every clock on the board is right to the second."""

OWN_TOPICS = ("events", "hub", "devices", "presets")
EVENT_TOPICS = ("", "tables", "duty", "structure", "floor", "journal")
STAFF = ("floor", "director")
MINUTE = 60_000
KEYS = "space start/pause  +/- min  n/p level  b break  h hand  a announce  u undo  e event  ? all"
SENT_AWAY = 15.0
"""Seconds before a console that the hub did not want tries again."""

Rows = Callable[[Room], list[Row]]


class TdApp(App[None]):
    """The director's console."""

    TITLE = "Railbird"
    CSS_PATH = Path(__file__).with_name("td.tcss")
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (140, "-wide")]  # noqa: RUF012 - Textual's type
    VERTICAL_BREAKPOINTS = [(0, "-low"), (40, "-tall")]  # noqa: RUF012 - Textual's type
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c", "quit", "Quit", priority=True)]

    def __init__(  # noqa: PLR0913 - each has a good default
        self,
        session: Session,
        *,
        event: str | None = None,
        theme: str = THEME,
        shelf: Shelf | None = None,
        own: Callable[[], int] = own_ms,
        offset: Callable[[], int] = local_offset,
        keep: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._shelf = shelf or Shelf()
        self._theme_name = theme if theme in self._shelf.themes else THEME
        super().__init__()
        self.session, self.event = session, event
        self._told = event is not None
        self._own, self._offset, self._keep = own, offset, keep
        self.link: Link | None = None
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
        self._timer: Timer | None = None
        session.follow(*OWN_TOPICS)
        if event is not None:
            session.follow(*self._topics(event))

    # ── the app ──────────────────────────────────────────────────────────────────────────────────

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Give the style sheet its colours before a theme is chosen."""
        return variables(self._shelf.themes[self._theme_name])

    def compose(self) -> ComposeResult:
        """Clock, what needs somebody, the views, the view, what was said, the keys."""
        yield self._head
        yield self._truth
        yield self._tabs
        with Horizontal(id="body"):
            yield self._list
            yield self._side
        yield self._said
        yield self._prompt
        yield Static(Content(KEYS), id="keys", markup=False)
        yield Static(Content(_sheet()), id="sheet", markup=False)

    def on_mount(self) -> None:
        """Dress up, and look for the first time."""
        theme = self._shelf.themes[self._theme_name]
        self.register_theme(textual_theme(theme))
        self.theme = f"railbird-{self._theme_name}"
        self._side.can_focus = False
        self._list.focus()
        self.look()

    @property
    def now(self) -> int:
        """What time it is at the hub, as well as can be known."""
        if self.session.clock.known:
            return self.session.clock.now(self._own())
        return time.time_ns() // 1_000_000

    @property
    def allowed(self) -> bool:
        """Whether the hub has let this console in."""
        welcome = self.session.welcome
        return welcome is not None and welcome.role in STAFF

    def room(self) -> Room:
        """Give everything that the views are made from."""
        docs = {topic: shown.doc for topic, shown in self.session.documents.items()}
        return Room(self.event, docs, self.now, self._offset(), self.size.width)

    # ── looking ──────────────────────────────────────────────────────────────────────────────────

    def look(self) -> None:
        """See what there is to show now, and look again in time."""
        room = self.room()
        document, freshness = room.doc(""), self.session.freshness(self._own()).value
        found = None if document is None else wall(document, room.now, freshness, room.offset)
        soon = LOOK_EVERY if found is None else min(LOOK_EVERY, found.repaint_in + 2)
        shown = None if found is None else replace(found, repaint_in=0)
        self._head.show(shown, self._place(room))
        if self.allowed:
            needs = [row for row in td_house.needs(room) if row.tone in ("bad", "warn")]
            self._list.show(self._rows(room))
            self._side.show([*td_house.needs(room), *td_papers.journal(room)])
        else:
            needs = []
            self._list.show(self._outside())
        self._truth.display = bool(needs)
        if needs:
            self._truth.update(Content(printable(f"{len(needs)} need you (8): {needs[0].text}")))
        self._show_tabs()
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(soon / 1_000, self.look)

    def _place(self, room: Room) -> str:
        known = [event["id"] for event in (room.docs.get("events") or {"events": []})["events"]]
        if len(known) < 2 or self.event not in known:  # noqa: PLR2004 - one of one says nothing
            return ""
        return f"event {known.index(self.event) + 1} of {len(known)} (e)"

    def _show_tabs(self) -> None:
        parts: list[str | tuple[str, str]] = []
        for number, name in enumerate(VIEWS, start=1):
            on = name == self.view
            parts.append((f" {number} {name} ", "bold reverse" if on else ""))
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
            "hand-for-hand": td_tables.hand_for_hand,
            "undo": td_papers.undo,
            "devices": td_house.devices,
            "events": td_house.events,
            "needs you": td_house.needs,
        }
        return views[self.view](room)

    def _outside(self) -> list[Row]:
        """Say how somebody who is not let in comes in."""
        code = self.session.code
        if self.session.welcome is None:
            return [Row("Looking for the hub…", "dim")]
        if code is None:
            return [Row("This console is not let in. Asking for a code…", "dim")]
        letters = " ".join(code.code)
        return [
            Row("This console is not let in yet. Its code:", "head"),
            Row(f"      {letters}", "warn"),
            Row("A director types it under devices, and chooses director or floor."),
            Row("On the hub's own machine no code is needed: railbird td --data DIR", "dim"),
        ]

    # ── keys ─────────────────────────────────────────────────────────────────────────────────────

    async def on_key(self, key: "events.Key") -> None:
        """Do what a key means: on the line first, then in the view, then for the room."""
        sheet = self.query_one("#sheet")
        if sheet.display:
            sheet.display = False
            key.stop()
            return
        name = key.character if key.is_printable and key.character else key.key
        if name == " ":
            name = "space"
        if self._prompt.asking:
            return
        if self._general(name):
            key.stop()
        elif self.allowed and (deed := self._meant(name)) is not None:
            key.stop()
            self.perform(deed)

    def _general(self, name: str) -> bool:
        """Move around; everything here is harmless."""
        if name == "q":
            self.exit()
        elif name == "?":
            self.query_one("#sheet").display = True
        elif name.isdecimal() and 1 <= int(name) <= len(VIEWS):
            self.show(VIEWS[int(name) - 1])
        elif name == "e":
            self._next_event()
        elif name == "escape":
            self._back()
        elif name == "/" and self.view == "journal":
            self.run_worker(self._look_for(), group="deed", exclusive=True)
        else:
            return self.view == "structure" and self.allowed and self._edit(name)
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
        if row is None or not self.allowed:
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
                self.say("Never mind: nothing was done.")
                return
            if found != "" or not ask.optional:
                args[ask.arg] = found
        if deed.confirm and not await self._prompt.confirm(deed.confirm):
            self._list.focus()
            self.say("Never mind: nothing was done.")
            return
        self._list.focus()
        args = td_deeds.finish_args(deed.do, args)
        if deed.do == "seat.put":
            args.setdefault("name", args["player"])
        if deed.do == "event.create":
            doc = self.room().docs.get("events") or {"events": []}
            self._creating = {event["id"] for event in doc["events"]}
        self.say(f"{deed.do} …")
        await self._command(deed, args, seen)

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
                label = f"{ask.label}: {bad}"

    async def _command(self, deed: Deed, args: dict[str, Any], seen: int | None) -> None:
        if self.link is None:
            self.say("There is no hub to tell.")
            return
        event = "" if deed.hub else self.event or ""
        try:
            answer = await self.link.do(event, deed.do, seen=seen, **args)
        except Closed as closed:
            self.say(f"NOT DONE: {closed}")
            return
        self._answered(deed, answer)

    def _answered(self, deed: Deed, answer: Done | Refused) -> None:
        if isinstance(answer, Refused):
            self.say(f"REFUSED: {answer.text}")
            self.bell()
            return
        if deed.do == "structure.set":
            self.draft = None
        self.say(f"done: {deed.do}")
        self.look()

    def say(self, words: str) -> None:
        """Say something in the line above the keys."""
        self._said.update(Content(printable(words)))

    # ── the hub ──────────────────────────────────────────────────────────────────────────────────

    def news(self, news: ToClient | Shown) -> None:
        """Take note of something that the hub said."""
        match news:
            case Shown(topic="events"):
                self._events_changed(news.doc)
            case Admitted():
                self._keep(news.token)
            case Welcome() if news.role not in STAFF and self.link is not None:
                self.run_worker(self.link.pair())
            case Code():
                self._list.show([])
            case _:
                pass
        if self.is_running:
            self.look()

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

    async def keep_up(self, url: str, ssl: Any = None) -> None:
        """Stay connected; a hub that sends the console away is asked again after a while."""
        while True:
            self.link = Link(url, self.session, self.news, own=self._own, ssl=ssl)
            try:
                await self.link.run()
            except Closed as closed:
                self.say(f"The hub says: {closed}")
            await asyncio.sleep(SENT_AWAY)


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


def _sheet() -> str:
    lines: list[str] = []
    for keys, words in SHEET:
        if not words:
            lines += ["", keys] if lines else [keys]
        else:
            lines.append(f"  {keys:<10} {words}")
    return "\n".join(lines)


class LinkedTd(TdApp):
    """A console with a hub to talk to."""

    def __init__(self, url: str, session: Session, *, ssl: Any = None, **options: Any) -> None:
        super().__init__(session, **options)
        self._url, self._ssl = url, ssl

    def on_mount(self) -> None:
        """Look, and connect."""
        super().on_mount()
        self.run_worker(self.keep_up(self._url, self._ssl), exit_on_error=True)


def run(url: str, token: str | None, *, ssl: Any = None, **options: Any) -> None:
    """Run the console until somebody quits."""
    session = Session(f"td-{secrets.token_hex(4)}", token, kind="director's terminal")
    asyncio.run(LinkedTd(url, session, ssl=ssl, **options).run_async())
