"""A robot director's mind: from the documents to the next command.

Like the dealer's it has no socket, and time is an argument: seconds of the room's own pace. What
takes a while (walking to a table, letting an announcement stand) is remembered from when it was
first seen, and is done when it is ripe.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from server.protocol.countdown import remaining
from server.robots import seating
from server.robots.bubble import bubble
from server.robots.dealer import stands
from server.robots.pace import Doc, Tap
from server.robots.seating import Roster
from server.robots.talk import Talk

MINUTE = 60.0
WORDS = (
    "Dinner vouchers are at the registration desk.",
    "Please keep your highest chips in front.",
    "Phones off the table while you are in a hand, please.",
    "Satellite to the Main Event at seven: seats open now.",
    "Would the owner of a blue ute please see the front desk.",
)
REASONS = ("Fire alarm", "Colour-up of the 100 chips", "The lights are out at tables 1 to 4")


@dataclass(frozen=True, slots=True)
class View:
    """What the director sees."""

    event: Doc
    tables: Mapping[int, Doc]
    now: float  # seconds at the room's own pace
    hub_now: int  # the hub's time, in milliseconds


class Director:
    """One director of one event."""

    def __init__(self, rng: Random, talk: Talk, speed: float = 1.0) -> None:
        self._rng, self._talk, self._speed = rng, talk, speed
        self._due: dict[object, float] = {}
        self._asked: set[object] = set()
        self._now = 0.0
        self._tap: Tap | None = None
        self._said = 0

    def look(self, view: View) -> Tap | None:
        """Say what to do now; None is to look again later."""
        self._now = view.now
        duties: tuple[Callable[[View], Tap | None], ...] = (
            self._bust,
            self._rule,
            self._finish,
            self._clear,
            self._resume,
            self._hand_for_hand,
            self._seat,
            self._advance,
            self._call_break,
            self._speak,
        )
        if view.event["clock"]["status"] == "finished":
            return None
        for duty in duties:
            self._tap = duty(view)
            if self._tap is not None:
                return self._tap
        # Whatever was not asked about any more is over: when it comes again, it begins again.
        self._due = {key: due for key, due in self._due.items() if key in self._asked}
        self._asked.clear()
        return None

    def answered(self, done: bool, code: str = "") -> None:
        """Take in what became of the command."""
        if self._tap is None:
            return
        if self._tap.do == "player.bust" and (done or code == "no_player"):
            self._talk.busts.popleft()
        self._said += self._tap.do == "announce"

    def _ripe(self, key: object, seconds: float) -> bool:
        """Say whether about so many seconds have passed since this was first asked."""
        self._asked.add(key)
        if key not in self._due:
            self._due[key] = self._now + seconds * self._rng.uniform(0.5, 1.5)
        return self._now >= self._due[key]

    # ── what dealers wait for ────────────────────────────────────────────────────────────────────

    def _bust(self, _view: View) -> Tap | None:
        if not self._talk.busts:
            return None
        gone = self._talk.busts[0]
        return Tap("player.bust", {"player": gone.player, "stack": gone.stack})

    def _rule(self, view: View) -> Tap | None:
        for number, table in view.tables.items():
            action = table["action"]
            if action["outcome"] == "needs_ruling" and self._ripe(("rule", number), 15):
                dead = action["facing_bet"] and self._rng.random() < 0.3  # noqa: PLR2004
                outcome = "dead" if dead else self._rng.choice(("check", "void"))
                return Tap("action.ruling", {"table": number, "outcome": outcome})
        return None

    def _clear(self, view: View) -> Tap | None:
        for number, table in view.tables.items():
            if table["floor"] is None or not self._ripe(("floor", number), 25):
                continue
            do = "floor.clear" if table["paused"] is None else "table.resume"
            return Tap(do, {"table": number})
        return None

    # ── the evening ──────────────────────────────────────────────────────────────────────────────

    def _finish(self, view: View) -> Tap | None:
        if view.event["field"]["left"] > 1 or not view.event["field"]["entries"]:
            return None
        if view.event["h4h"]["status"] != "off":
            return Tap("h4h.end")
        return Tap("event.finish") if self._ripe("finish", 20) else None

    def _resume(self, view: View) -> Tap | None:
        clock = view.event["clock"]
        if clock["status"] == "paused" and stands(view.event):
            return Tap("clock.resume") if self._ripe("resume", 45) else None
        calm = clock["phase"] == "level" and view.event["h4h"]["status"] == "off"
        if calm and clock["status"] == "running" and self._ripe("pause", 150 * MINUTE):
            return Tap("clock.pause", {"reason": self._rng.choice(REASONS)})
        return None

    def _hand_for_hand(self, view: View) -> Tap | None:
        tap = None if stands(view.event) else bubble(view.event)
        if tap is None:
            return None
        hand = view.event["h4h"]["hand"]
        return tap if self._ripe((tap.do, hand, *tap.args.values()), tap.after) else None

    def _seat(self, view: View) -> Tap | None:
        """Break tables and balance them, always after the hand: the table is asked to wait."""
        rosters = {number: Roster.of(table) for number, table in view.tables.items()}
        empty = [number for number, roster in rosters.items() if not roster.seats]
        if empty and len(rosters) > 1:
            return Tap("table.close", {"table": empty[0]})
        source = None
        if view.event["h4h"]["status"] in ("off", "holding"):
            source = seating.breaking(rosters) or seating.lopsided(rosters)
        if source is None:
            self._talk.hold()
            return None
        self._talk.hold(source)
        if rosters[source].busy:
            return None
        args = seating.move(rosters, source, self._rng)
        if args is None or not self._ripe(("move", source, len(rosters[source].seats)), 4):
            return None
        return Tap("seat.move", args)

    def _advance(self, view: View) -> Tap | None:
        """Let levels and breaks last as long as the room's pace says: the hub's clock is real."""
        clock = view.event["clock"]
        left, length = remaining(clock, view.hub_now), clock["length_ms"]
        if self._speed <= 1 or clock["status"] != "running" or view.event["h4h"]["status"] != "off":
            return None
        on_break = clock["phase"] == "break"
        if length is None:  # a called break; or a level in hands, which ends by itself
            over = on_break and self._ripe("break over", 5 * MINUTE)
        else:
            over = left is not None and (length - left) * self._speed >= length
        if not over or (clock["next"] is None and not on_break):
            return None
        return Tap("break.end" if on_break else "level.next")

    def _call_break(self, view: View) -> Tap | None:
        clock = view.event["clock"]
        calm = clock["phase"] == "level" and view.event["h4h"]["status"] == "off"
        if not calm or clock["status"] != "running" or not self._ripe("break", 100 * MINUTE):
            return None
        return Tap("break.call", {"minutes": 5})

    def _speak(self, _view: View) -> Tap | None:
        if not self._ripe(("words", self._said), 7 * MINUTE):
            return None
        return Tap("announce", {"text": self._rng.choice(WORDS), "seconds": 20})
