"""Offline: the table as it will be when the taps that wait for an answer have been carried out.

The hub decides; but while it is away the cards are dealt on, and a console that stands still is in
the dealer's way. `assumed` is what a dealer would say happened: a seat folds, the next player's
time runs from the instant of the tap, a bet is counted (see `play`). It is marked, and it is gone
as soon as the hub has answered.

Pure: nothing here reads a clock. `web/offline.js` does the same; both are held to
`tests/vectors/offline.json`.
"""

from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field

from dealer_console.phrases import joined
from dealer_console.play import Document, Play, turn_of

AT_LEAST = 150
"""Milliseconds that a tap must wait before it is shown as done: what the hub answers sooner never
flickers. So long, too, a document is not mixed with taps that it may contain already."""

BURST = 20
"""Taps that were sent within so many milliseconds of each other are answered together."""

COUNTED = ("count", "all_in", "all_in_raise", "all_in_call")
"""Buttons that nobody means for two players in a breath: a bet takes longer to count."""

NOT_CONFIRMED = "not confirmed by the hub"


def unconfirmed(link: str) -> str:
    """Say of a table that is assumed what is said of the link, in few words, and that it is."""
    return joined(link.partition(" · ")[0], NOT_CONFIRMED)


def assumed(
    table: Document | None, event: Document | None, taps: Iterable[Document], now: int
) -> Document | None:
    """Give the table's document as it will be; the hub's own where no tap changes it.

    A tap is a command with its instant in hub time: `do`, `args`, `at`.
    """
    if table is None or event is None:
        return table
    waiting = not_undone(tap for tap in taps if tap["args"].get("table") == table["table"])
    if not waiting:
        return table
    play = Play(deepcopy(dict(table)), event)
    changed = [
        play.carry_out(tap["do"], tap["args"], now if tap["at"] is None else tap["at"])
        for tap in waiting
    ]
    return {**play.table, "assumed": True} if any(changed) else table


def not_undone(taps: Iterable[Document]) -> list[Document]:
    """Leave out what was taken back by an undo that waits, too; an undo of that puts it back."""
    left: list[Document] = []
    undone: list[Document] = []
    undoes = False
    for tap in taps:
        if tap["do"] != "undo":
            left.append(tap)
        elif undoes:
            left += undone
        else:
            undone = [left.pop()] if left else []  # before that: only the hub knows
        undoes = tap["do"] == "undo" and not undoes
    return left


def question(button: str, table: Document | None) -> str:
    """Say what a button asks: another tap on it is a second one only if this has changed."""
    if table is None:
        return button
    hand, undo = table["hand"], table["undo"]
    if button == "undo":
        return "undo" if undo is None else f"undo/{undo['do']}/{undo['seat'] or '-'}"
    name, _, seat = button.rpartition("-")
    if button in COUNTED:
        return f"{button}/{hand['number']}/{hand['street']}"
    about = seat if name and seat.isdecimal() else turn_of(table) or "-"
    return f"{button}/{hand['number']}/{hand['street']}/{about}"


@dataclass(slots=True)
class Unanswered:
    """Decides which taps are shown as done before the hub has answered them.

    The hub publishes what a tap has changed before it answers the tap. So a document that comes
    while taps wait may contain some of them: it is taken for the new beginning when one of them was
    answered, or when nothing was for a while. What was sent together with a tap that is answered,
    as everything is that was kept while the hub was away, is in that document, too.
    """

    _since: dict[str, int] = field(default_factory=dict)  # tap -> when it was first seen
    _sent: dict[str, int] = field(default_factory=dict)  # tap -> when, where the hub can have it
    _begins: tuple[int, Document] | None = None  # the document before the first waiting tap
    _newer: tuple[int, int] | None = None  # a later revision, and since when it is there
    _answered: tuple[int, int] | None = None  # when a tap was, and when it had been sent

    def look(
        self, own: int, shown: tuple[int, Document], taps: Sequence[Document], *, fresh: bool
    ) -> tuple[Document, Sequence[Document]]:
        """Give the document to begin with, and the taps to show as done on it."""
        begins, waiting = self.after_all(own, shown, taps, fresh=fresh)
        late = [tap for tap in waiting if own - self._since[tap["id"]] >= AT_LEAST]
        return (begins, waiting) if waiting and (late or not fresh) else (shown[1], ())

    def after_all(
        self, own: int, shown: tuple[int, Document], taps: Sequence[Document], *, fresh: bool
    ) -> tuple[Document, Sequence[Document]]:
        """Give the same for what a button asks: the question changes with the tap itself."""
        ids = [tap["id"] for tap in taps]
        answered = [self._sent.get(each, own) for each in self._since if each not in ids]
        self._since = {each: self._since.get(each, own) for each in ids}
        self._sent = {each: self._sent.get(each, own) for each in ids} if fresh else {}
        if not taps or self._begins is None or answered:
            self._begins, self._newer = shown, None
            self._answered = (own, max(answered)) if answered and taps else None
        elif shown[0] == self._begins[0]:
            self._newer = None
        elif self._newer is None or self._newer[0] != shown[0]:
            self._newer = shown[0], own
        elif own - self._newer[1] >= AT_LEAST:
            self._begins, self._newer = shown, None
        if self._answered is not None and own - self._answered[0] >= AT_LEAST:
            self._answered = None
        if self._answered is None:
            return self._begins[1], taps
        with_it = self._answered[1] + BURST
        return shown[1], [tap for tap in taps if self._sent.get(tap["id"], own) > with_it]

    def changes_in(self, own: int) -> int | None:
        """Say in how many milliseconds something may look different by itself."""
        edges = [*self._since.values()]
        edges += [] if self._newer is None else [self._newer[1]]
        edges += [] if self._answered is None else [self._answered[0]]
        return min((at + AT_LEAST - own for at in edges if at + AT_LEAST > own), default=None)
