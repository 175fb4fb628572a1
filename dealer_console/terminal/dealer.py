"""The dealer's console in a terminal: `railbird dealer --table 7`.

The same words and states as the tablet, by keyboard, foot pedal or clicker. It decides nothing: a
key is a button's command, taken down with its instant, and what the hub makes of it is shown. While
the hub is away it plays on (see `offline`); taps that wait are kept in memory, and end with it.
"""

import argparse
import asyncio
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from textual import events
from textual.widget import Widget

from dealer_console.face import Button, Face, Look, face
from dealer_console.offline import Unanswered, assumed, question, unconfirmed
from dealer_console.taps import Taps
from dealer_console.terminal.bells import Bells
from dealer_console.terminal.desk import Desk, Key
from dealer_console.terminal.keys import NAMES, BadBinding, bound
from dealer_console.terminal.prompt import Prompt
from dealer_console.terminal.seat import SeatCell
from display.terminal import options
from display.terminal.console import Console
from display.terminal.tokens import Tokens
from server.protocol.messages import Done, Refused, Welcome
from server.protocol.session import Session

TENTH_SEAT = "0"
"""The key of seat 10: there is none with two digits."""


class DealerApp(Console):
    """A dealer's console."""

    TITLE = "Railbird"
    CSS_PATH = Path(__file__).with_name("dealer.tcss")
    USE = "dealer"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-mid"), (48, "-tall")]  # noqa: RUF012 - Textual's type
    AUTO_FOCUS = None  # keys are buttons until something is asked

    def __init__(  # noqa: PLR0913 - each has a good default
        self,
        session: Session,
        *,
        table: int | None = None,
        event: str | None = None,
        simple: bool = False,
        keys: dict[str, str] | None = None,
        finger: Callable[[], int] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(session, **options)
        self._finger = finger or self._own  # the time of taps, as the dealer's hand knows it
        self.table, self.event, self.simple = table, event, simple
        self._keys = bound(()) if keys is None else keys
        self._desk = Desk(self._keys)
        self._taps, self._bells, self._unanswered = Taps(), Bells(), Unanswered()
        self.face: Face | None = None
        self.rung: list[str] = []

    # ── looking ──────────────────────────────────────────────────────────────────────────────────

    def inside(self) -> Widget:
        """Give the desk."""
        return self._desk

    def topics(self, welcome: Welcome) -> tuple[str, ...]:
        """Follow the table that this device works, or for the floor the one that was asked for."""
        self.event = welcome.event or self.event or "1"
        self.table = welcome.table or self.table or 1
        topic = f"t/{self.event}"
        return topic, f"{topic}/table/{self.table}", f"{topic}/lease/{self.table}"

    def seen(self, now: int, freshness: str, away: int | None) -> Look:
        """Give what the console knows."""
        topic, welcome = f"t/{self.event}", self.session.welcome
        return Look(
            number=self.table or 1,
            table=self._played(now, freshness),
            event=self.document(topic),
            lease=self.document(f"{topic}/lease/{self.table}"),
            now=now,
            freshness=freshness,
            away=away,
            me="" if welcome is None else welcome.device,
            role="dealer" if welcome is None else welcome.role,
            simple=self.simple,
        )

    def paint(self, now: int, freshness: str, away: int | None) -> int:
        """Show the face, ring where it must ring."""
        look = self.seen(now, freshness, away)
        self.face = face(look)
        doubtful = bool(look.table and look.table.get("assumed"))
        if doubtful:
            self.face = replace(self.face, link=unconfirmed(self.face.link))
        finger = self._finger()
        self._desk.show(self.face, self._taps.look(finger))
        self._desk.set_class(doubtful, "-assumed")
        deadline = None
        if look.table is not None:
            deadline = look.table["action"]["ends_at"] or look.table["called"]["ends_at"]
        bell = self._bells.look(self.face, deadline)
        if bell is not None:
            self.rung.append(bell)
            self.bell()
        changes = (self._taps.changes_in(finger), self._unanswered.changes_in(self._own()))
        return min([self.face.repaint_in, *(flip for flip in changes if flip is not None)])

    def _played(
        self, now: int, freshness: str, *, at_once: bool = False
    ) -> Mapping[str, Any] | None:
        """Give the table with the taps that wait; `at_once`, also with those not shown yet."""
        topic = f"t/{self.event}"
        shown = self.session.documents.get(f"{topic}/table/{self.table}")
        if shown is None or shown.doc is None:
            return None
        taps = [
            {"id": id_, "do": command.do, "args": command.args, "at": command.at}
            for id_, command in self.session.pending.items()
            if command.event == self.event and command.args.get("table") == self.table
        ]
        choose = self._unanswered.after_all if at_once else self._unanswered.look
        last, fresh = (shown.rev, shown.doc), freshness == "fresh"
        table, waiting = choose(self._own(), last, taps, fresh=fresh)
        return assumed(table, self.document(topic), waiting, now)

    # ── keys ─────────────────────────────────────────────────────────────────────────────────────

    def on_key(self, event: events.Key) -> None:
        """Do what a key means; while something is typed, keys are letters."""
        if self._desk.prompt.is_open or self.face is None:
            return
        key = event.key if event.key in self._keys else NAMES.get(event.key, event.character or "")
        if key in self._keys:
            event.stop()
            self.press(self._keys[key])
        elif key.isascii() and key.isdecimal():
            event.stop()
            self.press_seat(10 if key == TENTH_SEAT else int(key))

    def on_key_tapped(self, event: Key.Tapped) -> None:
        """Take a click for a key."""
        self.press(event.button)

    def on_seat_cell_tapped(self, event: SeatCell.Tapped) -> None:
        """Take a click on a seat for its digit."""
        self.press_seat(event.seat)

    def press(self, what: str) -> None:
        """Press a button by its id."""
        shown = self.face
        if shown is None:
            return
        own: dict[str, Callable[[], None]] = {
            "quit": lambda: self.exit(),  # noqa: PLW0108 - it takes more than we give
            "help": self._toggle_help,
            "theme": self.action_next_theme,
            "sign_on": lambda: self._desk.prompt.ask("pin", "Your PIN", secret=True),
            "chips": lambda: self._ask_for_chips(shown),
            "reason": lambda: self._desk.prompt.ask("reason", "Call the floor: why"),
            "collect": lambda: self._collected(shown),
            "ask": lambda: self._send(shown.big if shown.state == "taken" else None),
        }
        if what in own:
            own[what]()
            return
        buttons = {button.id: button for button in (shown.big, *shown.buttons)}
        self._send(buttons.get(what))

    def _collected(self, shown: Face) -> None:
        if shown.collect:
            first = shown.collect[0]
            self._send(Button("collect", first.words, "", first.command))

    def press_seat(self, seat: int) -> None:
        """Press a seat: it is to act; in simple mode, it pushes a chip forward."""
        found = next((s for s in self.face.seats if s.seat == seat), None) if self.face else None
        if found is None:
            return
        if self.simple:
            self._send(Button(f"bank-{seat}", f"CHIP SEAT {seat}", "", found.bank))
        else:
            self._send(Button(f"seat-{seat}", f"SEAT {seat}", "", found.tap))

    def _toggle_help(self) -> None:
        help_ = self._desk.query_one("#help")
        help_.display = not help_.display
        self._desk.query_one("#keys").display = not help_.display

    def _ask_for_chips(self, shown: Face) -> None:
        seat = next((seat for seat in shown.seats if seat.turn == "now" and seat.most), None)
        if seat is None:
            self._send(None)
            return
        self._desk.prompt.ask("chips", f"Seat {seat.seat}: how many chips (1 to {seat.most})")

    def on_prompt_answered(self, event: Prompt.Answered) -> None:
        """Do what was asked for."""
        shown = self.face
        if shown is None:
            return
        if event.what == "pin":
            pin = {"do": "dealer.sign_on", "args": {"pin": event.text}, "to": "hub"}
            self._send(Button("sign_on", "SIGN ON", "", pin))
        elif event.what == "reason":
            call = next((button for button in shown.buttons if button.id == "floor"), None)
            if call is not None and call.command is not None:
                args = {**call.command["args"], "reason": event.text}
                self._send(Button("floor", call.label, "", {**call.command, "args": args}))
        elif event.what == "chips" and event.text.isdecimal():
            seat = next((seat for seat in shown.seats if seat.turn == "now"), None)
            if seat is not None and seat.bank is not None:
                args = {**seat.bank["args"], "chips": int(event.text)}
                label = f"{event.text} CHIPS SEAT {seat.seat}"
                self._send(Button("chips", label, "", {**seat.bank, "args": args}))

    # ── taps ─────────────────────────────────────────────────────────────────────────────────────

    def _send(self, button: Button | None) -> None:
        """Send what a button means, once; what has no meaning now is not sent."""
        if button is None or button.command is None:
            return
        own = self._own()
        freshness = self.session.freshness(own).value
        command, table = button.command, self._played(self.now(own), freshness, at_once=True)
        if self._is_gone(button, table):
            self._taps.swallowed(f"{button.label} once", self._finger())
            self.look()
            return
        asked = question(button.id, table)
        number = self._taps.press(button.id, button.label, self._finger(), asked)
        if number is None:  # the same tap as just before
            self.look()
            return
        event = "" if command["to"] == "hub" else str(self.event)
        tapped = self.now(self._own())

        def answered(answer: Done | Refused) -> None:
            if isinstance(answer, Refused):
                self._taps.refused(number, answer.text, self._finger())
            else:
                self._taps.confirmed(number, self._finger(), max(0, answer.at - tapped))
                if command["do"] == "dealer.push":
                    self._desk.prompt.ask("pin", "New dealer: your PIN (escape: none)", secret=True)
            if self.is_running:
                self.look()

        self.command(event, command["do"], answered, **command["args"])
        self.look()

    def _is_gone(self, button: Button, table: Mapping[str, Any] | None) -> bool:
        """Say whether a button means something else by a tap that is not shown yet.

        What the dealer saw is done already, and what it means now was not meant.
        """
        known = self.face is not None and button in (self.face.big, *self.face.buttons)
        if not known or table is None or not table.get("assumed") or button.command is None:
            return False
        own = self._own()
        look = self.seen(self.now(own), self.session.freshness(own).value, None)
        then = face(replace(look, table=table))
        found = next((b for b in (then.big, *then.buttons) if b.id == button.id), None)
        return found is None or found.command is None or found.command["do"] != button.command["do"]


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the console's options to a parser."""
    parser.add_argument("--table", type=int, metavar="N", help="the table; the floor decides")
    options.add(parser)
    parser.add_argument("--simple", action="store_true", help="START and RESTART, no seats")
    parser.add_argument(
        "--bind",
        action="append",
        default=[],
        metavar="WHAT=KEY",
        help="another key, such as pedal=pagedown for a foot pedal; may be given again",
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run the console from the command line."""
    parser = argparse.ArgumentParser("railbird dealer", description="a dealer's console")
    arguments(parser)
    chosen = parser.parse_args(argv)
    try:
        shelf, keys = options.checked(chosen), bound(chosen.bind)
    except (options.BadOption, BadBinding) as bad:
        parser.error(str(bad))
    tokens = Tokens()
    kind = "terminal console" + (f", table {chosen.table}" if chosen.table else "")
    token = tokens.get(chosen.hub, DealerApp.USE)
    session = Session(f"dealer-{secrets.token_hex(4)}", token=token, kind=kind)
    app = DealerApp(
        session,
        table=chosen.table,
        event=chosen.event,
        simple=chosen.simple,
        keys=keys,
        url=chosen.hub,
        tokens=tokens,
        theme=chosen.theme,
        shelf=shelf,
    )
    asyncio.run(app.run_async())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
