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
from dealer_console.resync import HOW, typed
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

TENTH, TENTH_SEAT = 10, "0"
"""The last seat that has a key, and its key: there is none with two digits."""


def named(shown: Face, name: str) -> Button | None:
    """Find a button by its id."""
    return next((each for each in (shown.big, *shown.buttons) if each.id == name), None)


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
        self._was_open = False
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
        table = self._played(now, freshness)
        self._was_open = self._was_open or table is not None
        return Look(
            number=self.table or 1,
            table=table,
            event=self.document(topic),
            lease=self.document(f"{topic}/lease/{self.table}"),
            now=now,
            freshness=freshness,
            away=away,
            me="" if welcome is None else welcome.device,
            role="dealer" if welcome is None else welcome.role,
            simple=self.simple,
            was_open=self._was_open,
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
        if self._desk.prompt.is_asking and self._desk.prompt.key(key or event.key):
            event.stop()
        elif key in self._keys:
            event.stop()
            self.press(self._keys[key])
        elif key.isascii() and key.isdecimal():
            event.stop()
            self.press_seat(TENTH if key == TENTH_SEAT else int(key))

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
            "reason": lambda: self._ask_why(shown),
            "collect": lambda: self._collected(shown),
            "ask": lambda: self._send(shown.big if shown.state == "taken" else None),
            "all_in": lambda: self._all_in(shown),
            "all_in_which": lambda: self._ask_all_in(shown),
            "sync": lambda: self._ask_how_it_stands(shown),
            "here": lambda: self._ask_where(shown),
            "misdeal": lambda: self._ask_misdeal(shown),
            "level": lambda: self._ask_level(shown),
        }
        if what in own:
            own[what]()
            return
        self._send(named(shown, what))

    def _collected(self, shown: Face) -> None:
        if shown.collect:
            first = shown.collect[0]
            self._send(Button("collect", first.words, "", first.command))

    def press_seat(self, seat: int) -> None:
        """Press a seat: it is to act; in simple mode, it pushes a chip forward.

        Between hands a seat only asks: a touch never starts a hand.
        """
        found = next((s for s in self.face.seats if s.seat == seat), None) if self.face else None
        if found is None:
            return
        if self.simple:
            self._send(Button(f"bank-{seat}", f"CHIP SEAT {seat}", "", found.bank))
        elif found.tap is None and (found.here or found.straddle):
            keys = {"d": f"here {seat}"} if found.here else {}
            keys |= {"s": f"straddle {seat}"} if found.straddle else {}
            words = {"d": "d button here", "s": "s straddles, the hand begins"}
            said = " · ".join(words[key] for key in keys)
            self._desk.prompt.choose("seat", f"Seat {seat}: {said}", keys)
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

    # ── questions ────────────────────────────────────────────────────────────────────────────────

    def _all_in(self, shown: Face) -> None:
        """Take an all-in; where it matters the console asks whether it raises."""
        button, raises = named(shown, "all_in"), named(shown, "all_in_raise")
        acts = raises is not None and raises.command is not None
        if acts and (shown.h4h or button is None or button.command is None):
            self._ask_all_in(shown)
        else:
            self._send(button)

    def _ask_all_in(self, shown: Face) -> None:
        buttons = {"r": "all_in_raise", "c": "all_in_call"}
        if shown.h4h:
            buttons["h"] = "all_in"
        words = {"r": "r raises", "c": "c calls", "h": "h all-in and call, cards face down"}
        found = {key: named(shown, name) for key, name in buttons.items()}
        keys = {key: button.id for key, button in found.items() if button and button.command}
        if keys:
            said = " · ".join(words[key] for key in keys)
            self._desk.prompt.choose("button", f"ALL-IN: {said}", keys)

    def _ask_how_it_stands(self, shown: Face, reply: str = "Re-sync") -> None:
        if shown.sync:
            self._desk.prompt.ask("sync", f"{reply}:", choices=HOW)

    def _ask_where(self, shown: Face) -> None:
        seats = [seat.seat for seat in shown.seats if seat.here is not None]
        keys = {str(seat % 10): f"here {seat}" for seat in seats if seat <= TENTH}
        if keys:
            self._desk.prompt.choose("seat", "The button is here: which seat (0 is 10)", keys)

    def _ask_misdeal(self, shown: Face) -> None:
        button = named(shown, "misdeal")
        if button is not None and button.command is not None:
            question = f"MISDEAL, {button.note}: y yes"
            self._desk.prompt.choose("button", question, {"y": "misdeal"})

    def _ask_level(self, shown: Face) -> None:
        choices = {str(n): level for n, level in enumerate(shown.levels, start=1)}
        keys = {key: level.id for key, level in choices.items() if level.command is not None}
        said = "   ".join(f"{key} {level.label} {level.note}" for key, level in choices.items())
        if keys:
            self._desk.prompt.choose("level", "This hand's level", keys, said)

    def _ask_why(self, shown: Face) -> None:
        numbered = enumerate(shown.reasons, start=1)
        said = (
            f"{n} {each.reason}{' (holds the clock)' if each.note else ''}" for n, each in numbered
        )
        self._desk.prompt.ask(
            "reason", "Call the floor (number, or type why):", choices="  ".join(said)
        )

    def on_prompt_answered(self, event: Prompt.Answered) -> None:
        """Do what was asked for."""
        shown = self.face
        if shown is None:
            return
        match event.what:
            case "pin":
                pin = {"do": "dealer.sign_on", "args": {"pin": event.text}, "to": "hub"}
                self._send(Button("sign_on", "SIGN ON", "", pin))
            case "reason":
                self._call_floor(shown, event.text)
            case "chips" if event.text.isdecimal():
                self._push_chips(shown, event.text)
            case "button":
                self._send(named(shown, event.text))
            case "level":
                self._send(next((each for each in shown.levels if each.id == event.text), None))
            case "seat":
                self._seat_answered(shown, event.text)
            case "sync":
                command = typed(shown, event.text)
                if command is None:
                    self._ask_how_it_stands(shown, f"Not understood: {event.text}")
                else:
                    self._send(Button("sync", "RE-SYNC", "", command))
            case _:
                pass  # no number of chips

    def _seat_answered(self, shown: Face, text: str) -> None:
        what, _, number = text.partition(" ")
        seat = shown.seats[int(number) - 1]
        command = seat.here if what == "here" else seat.straddle
        label = f"BUTTON SEAT {number}" if what == "here" else f"STRADDLE SEAT {number}"
        self._send(Button(f"{what}-{number}", label, "", command))

    def _call_floor(self, shown: Face, text: str) -> None:
        call = named(shown, "floor")
        if call is None or call.command is None:
            return
        index = int(text) - 1 if text.isdecimal() else -1
        reason = shown.reasons[index].reason if 0 <= index < len(shown.reasons) else text
        args = {**call.command["args"], "reason": reason}
        self._send(Button("floor", call.label, "", {**call.command, "args": args}))

    def _push_chips(self, shown: Face, text: str) -> None:
        seat = next((seat for seat in shown.seats if seat.turn == "now"), None)
        if seat is not None and seat.bank is not None:
            args = {**seat.bank["args"], "chips": int(text)}
            label = f"{text} CHIPS SEAT {seat.seat}"
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
