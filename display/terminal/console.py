"""A console in a terminal: an app that has to be let in, and stays connected.

The dealer's and the director's apps are made from it. It shows its code until the floor has let it
in, keeps the token, comes back after every loss of the link, and looks again in time. What it shows
when it is in is the app's own business: `inside`, `topics` and `paint`.
"""

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from textual.app import App, ComposeResult
from textual.widget import Widget

from display.terminal.door import Door
from display.terminal.options import THEME
from display.terminal.printable import printable
from display.terminal.tokens import Tokens
from server.protocol.link import Closed, Link, own_ms
from server.protocol.messages import Admitted, Done, Problem, Refused, ToClient, Welcome
from server.protocol.session import PROBE_EVERY, Session, Shown
from themes import Shelf
from themes.terminal import textual_theme, variables

if TYPE_CHECKING:
    from textual.timer import Timer

LOOK_EVERY = 1_000
"""The longest time between two looks: that the hub is not heard must show in time."""
AFTER_ZERO = 2
"""Milliseconds by which a look comes after the boundary it is aimed at, never before it."""
COME_BACK = 1.0
"""Seconds before a console that was sent away tries again, without a token if that was why."""


class Console(App[None]):
    """An app that works with a hub."""

    ENABLE_COMMAND_PALETTE = False
    USE = "console"
    """What the token is kept for: a dealer's is not a director's."""
    ROLES: tuple[str, ...] = ("dealer", "floor", "director")
    """Who may come in; anybody else is shown a code."""

    def __init__(  # noqa: PLR0913 - each has a good default
        self,
        session: Session,
        *,
        url: str | None = None,
        tokens: Tokens | None = None,
        theme: str = THEME,
        shelf: Shelf | None = None,
        own: Callable[[], int] = own_ms,
        probe_every: int = PROBE_EVERY["dealer"],
        ssl: Any = None,
    ) -> None:
        self._shelf = shelf or Shelf()
        self._chosen = theme if theme in self._shelf.themes else THEME
        super().__init__()
        self.session, self.url, self.tokens = session, url, tokens
        self._own, self._probe_every, self._ssl = own, probe_every, ssl
        self.link: Link | None = None
        self._door = Door()
        self._trouble = ""
        self._timer: Timer | None = None

    # ── what an app says of itself ───────────────────────────────────────────────────────────────

    def inside(self) -> Widget:
        """Give what is shown to who is let in; asked once."""
        raise NotImplementedError

    def topics(self, welcome: Welcome) -> tuple[str, ...]:
        """Give what is to be followed, once it is known who this is."""
        raise NotImplementedError

    def paint(self, now: int, freshness: str, away: int | None) -> int:
        """Show what there is to show now; give in how many milliseconds to look again."""
        raise NotImplementedError

    # ── the app ──────────────────────────────────────────────────────────────────────────────────

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Give the style sheet its colours before a theme is chosen."""
        return variables(self._shelf.themes[self._chosen])

    def compose(self) -> ComposeResult:
        """Put the door before the inside."""
        yield self._door
        self._inside = self.inside()
        yield self._inside

    def on_mount(self) -> None:
        """Dress up, look for the first time, and connect."""
        self.use_theme(self._chosen)
        self.look()
        if self.url is not None:
            self.run_worker(self._keep_up(self.url), exit_on_error=True)

    def use_theme(self, name: str) -> None:
        """Change the theme."""
        self._chosen = name
        self.register_theme(textual_theme(self._shelf.themes[name]))
        self.theme = f"railbird-{name}"

    def action_next_theme(self) -> None:
        """Try the next theme."""
        names = list(self._shelf.themes)
        self.use_theme(names[(names.index(self._chosen) + 1) % len(names)])

    # ── looking ──────────────────────────────────────────────────────────────────────────────────

    @property
    def is_in(self) -> bool:
        """Whether this console has been let in."""
        return self.session.welcome is not None and self.session.welcome.role in self.ROLES

    def look(self) -> None:
        """See what there is to show now, and look again in time; not while the screen goes down.

        Timers and the link go on until the last widget is gone, and would look for one that is.
        """
        if not self.is_running:
            return
        own = self._own()
        since = self.session.waiting_since(own)
        away = None if since is None else own - since
        freshness = self.session.freshness(own).value
        self._door.display, self._inside.display = not self.is_in, self.is_in
        if self.is_in:
            pause = self.paint(self.now(own), freshness, away)
        else:
            pause = LOOK_EVERY
            self._door.show(*self._at_the_door(freshness))
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(min(pause + AFTER_ZERO, LOOK_EVERY) / 1_000, self.look)

    def now(self, own: int) -> int:
        """Say what hub time it is; before the hub has said so, what this machine believes."""
        if self.session.clock.known:
            return self.session.clock.now(own)
        return time.time_ns() // 1_000_000

    def document(self, topic: str) -> Any:
        """Give the newest document of a topic; None where there is none."""
        shown = self.session.documents.get(topic)
        return None if shown is None else shown.doc

    def _at_the_door(self, freshness: str) -> tuple[str, str]:
        code = self.session.code
        if freshness == "fresh" and code is not None:
            return code.code, "They type it on their console, and this terminal is in."
        if freshness != "fresh":
            return "", f"Looking for the hub at {self.url}"
        return "", self._trouble or "Asking for a code"

    # ── the hub ──────────────────────────────────────────────────────────────────────────────────

    def news(self, news: ToClient | Shown) -> None:
        """Take note of something that the hub said."""
        match news:
            case Admitted():
                if self.tokens is not None and self.url is not None:
                    self.tokens.keep(self.url, self.USE, news.token)
            case Welcome():
                self._welcomed(news)
            case Problem(code="unauthorised"):
                self._forget()
            case Problem():
                self._trouble = news.text
            case _:
                pass
        self.look()

    def _welcomed(self, welcome: Welcome) -> None:
        if welcome.role not in self.ROLES:
            if self.link is not None:
                self.run_worker(self.link.pair())
            return
        wanted = self.topics(welcome)
        stale = [topic for topic in self.session.topics if topic not in wanted]
        if self.link is None:
            self.session.leave(*stale)
            self.session.follow(*wanted)
            return
        self.run_worker(self.link.leave(*stale))
        self.run_worker(self.link.follow(*wanted))

    def _forget(self) -> None:
        """Come back as anybody: the hub does not know this token any more."""
        self.session.token = self.session.welcome = None
        if self.tokens is not None and self.url is not None:
            self.tokens.forget(self.url, self.USE)

    async def _keep_up(self, url: str) -> None:
        """Stay connected for ever, whoever sends us away."""
        while True:
            self.link = Link(
                url,
                self.session,
                self.news,
                own=self._own,
                probe_every=self._probe_every,
                ssl=self._ssl,
            )
            try:
                await self.link.run()
            except Closed as closed:
                self._trouble = f"The hub says: {closed}"
                self.look()
            await asyncio.sleep(COME_BACK)

    def say(self, text: str, *, severe: bool = False) -> None:
        """Tell the person at this terminal something, in plain words."""
        severity = "error" if severe else "information"
        self.notify(printable(text), markup=False, severity=severity)  # type: ignore[arg-type]

    def command(
        self, event: str, do: str, answered: Callable[[Done | Refused], None], /, **args: Any
    ) -> None:
        """Command something; the answer comes when there is one, however long the link is down."""
        if self.link is not None:
            self.run_worker(self._command(self.link, event, do, answered, args))

    async def _command(
        self, link: Link, event: str, do: str, answered: Callable[[Done | Refused], None], args: Any
    ) -> None:
        try:
            answer = await link.do(event, do, **args)
        except Closed as closed:
            answer = Refused("", "closed", f"{closed}")
        if self.is_running:
            answered(answer)
