"""The wall in a terminal: `railbird wall`.

It follows one event, counts by itself on hub time, and paints when a digit changes: nothing here
ticks faster than the second that people read. A lost hub changes the badge, never the clock.
"""

import argparse
import asyncio
import secrets
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType

from display.scenes import Wall, standing, wall
from display.terminal import options
from display.terminal.bells import Bells
from display.terminal.board import Board
from display.terminal.options import HUB, THEME
from display.terminal.printable import printable
from display.words import Trust, Zone, time_of_day, trust
from server.protocol.link import Closed, Link, own_ms
from server.protocol.messages import ToClient
from server.protocol.session import Session, Shown
from themes import Shelf
from themes.terminal import textual_theme, variables

if TYPE_CHECKING:
    from textual.timer import Timer

LOOK_EVERY = 1_000
"""The longest time between two looks: a badge must be up within 3 s of a dead link."""
AFTER_ZERO = 2
"""Milliseconds by which a look comes after the boundary it is aimed at, never before it."""
SENT_AWAY = 15.0
"""Seconds before a wall that the hub did not want tries again: somebody may have changed that."""
RELOAD_EVERY = 3.0
"""Seconds between two looks at the venue's themes."""

ORDER = ("running", "paused", "waiting", "suspended", "finished")
"""Which event a wall shows that was not told: one that is played, before any other."""


def local_zone(instant: int) -> int:
    """Say how far local time is from UTC at an instant, in minutes."""
    offset = datetime.fromtimestamp(instant / 1_000).astimezone().utcoffset()
    return 0 if offset is None else round(offset.total_seconds() / 60)


def nothing(now: int, zone: Zone, *, reached: bool) -> Wall:
    """Say what a wall shows that has no event: nothing but that."""
    return Wall(
        state="waiting",
        title="Railbird",
        time=time_of_day(now, zone),
        band="NO EVENT" if reached else "NO HUB",
        band_detail="nothing is being played here yet" if reached else "looking for it",
    )


def best_event(events: Sequence[dict[str, Any]], now: str | None) -> str | None:
    """Choose an event: the one that is shown until it is over, else the one most played."""
    known = {event["id"]: event["status"] for event in events}
    if now in known and known[now] != "finished":
        return now
    order = {status: place for place, status in enumerate(ORDER)}
    ranked = sorted(known, key=lambda id_: (order.get(known[id_], len(ORDER)), id_ != now))
    return ranked[0] if ranked else None


class WallApp(App[None]):
    """A wall screen."""

    TITLE = "Railbird"
    CSS_PATH = Path(__file__).with_name("wall.tcss")
    ENABLE_COMMAND_PALETTE = False
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-mid"), (48, "-tall")]  # noqa: RUF012 - Textual's type
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "quit", "Quit"),
        Binding("t", "next_theme", "Theme"),
        Binding("question_mark", "help", "Help"),
    ]

    def __init__(  # noqa: PLR0913 - each has a good default
        self,
        session: Session,
        *,
        event: str | None = None,
        theme: str = THEME,
        shelf: Shelf | None = None,
        own: Callable[[], int] = own_ms,
        zone: Zone = local_zone,
    ) -> None:
        self._shelf = shelf or Shelf()
        self._chosen = theme if theme in self._shelf.themes else THEME
        super().__init__()
        self.session, self.event = session, event
        self._told = event is not None
        self._own, self._zone = own, zone
        self._link: Link | None = None
        self._board = Board()
        self._bells = Bells()
        self._timer: Timer | None = None
        self._shown: tuple[Wall, Trust] | None = None
        self.rung: list[str] = []
        session.follow("events" if event is None else f"t/{event}")

    # ── the app ──────────────────────────────────────────────────────────────────────────────────

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Give the style sheet its colours before a theme is chosen."""
        return variables(self._shelf.themes[self._chosen])

    def compose(self) -> ComposeResult:
        """There is only the board."""
        yield self._board

    def on_mount(self) -> None:
        """Dress up, and look for the first time."""
        self.use_theme(self._chosen)
        if self._shelf.folder is not None:
            self.set_interval(RELOAD_EVERY, self._reload)
        self.look()

    def use_theme(self, name: str) -> None:
        """Change the theme."""
        theme = self._shelf.themes[name]
        self._chosen = name
        self.register_theme(textual_theme(theme))
        if self.theme == f"railbird-{name}":
            self._watch_theme(self.theme)  # the same name, other colours
        self.theme = f"railbird-{name}"
        self._board.mark = theme.mark
        if self._shown is not None:
            self._board.show(*self._shown)

    async def _reload(self) -> None:
        changed = await asyncio.to_thread(self._shelf.reload)
        if not self.is_running:
            return
        if self._chosen not in self._shelf.themes:
            self.use_theme(THEME)
        elif self._chosen in changed:
            self.use_theme(self._chosen)

    def action_next_theme(self) -> None:
        """Try the next theme."""
        names = list(self._shelf.themes)
        self.use_theme(names[(names.index(self._chosen) + 1) % len(names)])

    def action_help(self) -> None:
        """Say which keys there are, or stop saying it."""
        help_ = self.query_one("#help")
        help_.display = not help_.display

    # ── looking ──────────────────────────────────────────────────────────────────────────────────

    def look(self) -> None:
        """See what there is to show now, paint what has changed, and look again in time.

        Timers and the link go on until the last widget is gone: while the screen goes down nothing
        is painted any more.
        """
        if not self.is_running:
            return
        own = self._own()
        document = self._document()
        found, clock = self._words(document, own)
        self._ring(None if clock is None else self._bells.look(clock, self._now(own) or 0))
        # When to look again is not on the screen.
        still = replace(found, repaint_in=None), self._trust(own)
        if still != self._shown:
            self._shown = still
            self._board.show(*still)
        if self._timer is not None:
            self._timer.stop()
        pause = LOOK_EVERY if found.repaint_in is None else found.repaint_in + AFTER_ZERO
        self._timer = self.set_timer(min(pause, LOOK_EVERY) / 1_000, self.look)

    def _words(self, document: Any, own: int) -> tuple[Wall, Any]:
        """Give what is to be shown, and the clock that the bells listen to."""
        now, away = self._now(own), self.session.freshness(own).value != "fresh"
        if document is None:
            # The time of day at least: by this machine's own idea, until the hub says better.
            instant = time.time_ns() // 1_000_000 if now is None else now
            return nothing(instant, self._zone, reached=not away), None
        clock = None if now is None else standing(document, now, away=away)
        return wall(document, now, self._zone, away=away), clock

    def _trust(self, own: int) -> Trust:
        since = self.session.waiting_since(own)
        return trust(
            self.session.freshness(own).value,
            None if since is None else own - since,
            reached=self.session.clock.known,
        )

    def _document(self) -> Any:
        shown = self.session.documents.get(f"t/{self.event}")
        return None if shown is None else shown.doc

    def _now(self, own: int) -> int | None:
        return self.session.clock.now(own) if self.session.clock.known else None

    def _ring(self, bell: str | None) -> None:
        if bell is not None:
            self.rung.append(bell)
            self.bell()

    # ── the hub ──────────────────────────────────────────────────────────────────────────────────

    def news(self, news: ToClient | Shown) -> None:
        """Take note of something that the hub said."""
        if isinstance(news, Shown) and news.topic == "events" and not self._told:
            self._choose(news.doc["events"])
        self.look()

    def _choose(self, events: Sequence[dict[str, Any]]) -> None:
        before, self.event = self.event, best_event(events, self.event)
        if self.event == before:
            return
        if before is not None:
            self._say(lambda link: link.leave(f"t/{before}"), self.session.leave, f"t/{before}")
        if self.event is not None:
            topic = f"t/{self.event}"
            self._say(lambda link: link.follow(topic), self.session.follow, topic)

    def _say(
        self,
        linked: Callable[[Link], Coroutine[Any, Any, None]],
        alone: Callable[[str], list[bytes]],
        topic: str,
    ) -> None:
        """Tell the hub, if there is a link to tell it by."""
        if self._link is None:
            alone(topic)
        else:
            self.run_worker(linked(self._link))

    async def keep_up(self, url: str) -> None:
        """Stay connected for ever; a hub that sends the wall away is asked again after a while."""
        while True:
            self._link = Link(url, self.session, self.news, own=self._own)
            try:
                await self._link.run()
            except Closed as closed:
                self.notify(printable(f"The hub says: {closed}"), markup=False, timeout=SENT_AWAY)
            await asyncio.sleep(SENT_AWAY)


class LinkedWall(WallApp):
    """A wall with a hub to talk to."""

    def __init__(self, url: str, session: Session, **options: Any) -> None:
        super().__init__(session, **options)
        self._url = url

    def on_mount(self) -> None:
        """Look, and connect."""
        super().on_mount()
        self.run_worker(self.keep_up(self._url), exit_on_error=True)


async def run(
    url: str = HUB,
    event: str | None = None,
    theme: str = THEME,
    shelf: Shelf | None = None,
) -> None:
    """Run a wall until somebody quits."""
    session = Session(f"wall-{secrets.token_hex(4)}", kind="terminal wall")
    app = LinkedWall(url, session, event=event, theme=theme, shelf=shelf)
    await app.run_async(mouse=False)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the wall from the command line."""
    parser = argparse.ArgumentParser("railbird wall", description="a wall in this terminal")
    options.add(parser)
    chosen = parser.parse_args(argv)
    try:
        shelf = options.checked(chosen)
    except options.BadOption as bad:
        parser.error(str(bad))
    asyncio.run(run(chosen.hub, chosen.event, chosen.theme, shelf))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
