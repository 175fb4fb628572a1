"""Taps: what a dealer has tapped, and how far each tap has come.

    tapped ─▶ sent ─▶ confirmed          unconfirmed for 500 ms: amber; for 2 s: red
                 └──▶ refused            the same question within 400 ms counts once

A tap is never lost and never doubled: the session keeps it, with its id and its instant, until the
hub has answered. Here is only what the dealer sees of it. `own` is this device's own clock.
"""

from dataclasses import dataclass, field

ONCE = 400
"""The same button again within so many milliseconds is the same tap, unless it is about another
player of the same street by then: that counts however quick the dealer is. What begins something
else, such as the hand or the flop, nobody taps twice in a breath."""
BOUNCE = 60
"""A button that is touched again within so many milliseconds has bounced, whatever it asks by then:
no finger is so quick."""
ONCE_TOLD_FOR = 1_500
"""So long it is told that a touch did not count."""
AMBER, RED = 500, 2_000
"""A tap that is not confirmed for so long says so."""
SHOWN_FOR = 700
"""So long a confirmed tap is shown."""
TOLD_FOR = 6_000
"""So long a refusal, or what the hub made of a late tap, stays on the screen."""


def another_player(asked: str, was: str) -> bool:
    """Say whether two questions are about different players of one street."""
    (about, _, player), (before, _, other) = asked.rpartition("/"), was.rpartition("/")
    return about == before and player != other and player.isdecimal() and other.isdecimal()


def once(label: str, asked: str, was: str) -> str:
    """Say that a touch did not count: it was about the same player, or the button bounced."""
    same = asked == was and asked.rpartition("/")[2].isdecimal()
    return f"{label} once: same player" if same else f"{label} once"


@dataclass(slots=True)
class Tap:
    """One tap."""

    button: str
    label: str
    at: int


@dataclass(frozen=True, slots=True)
class Mark:
    """How the last taps have fared, for the screen."""

    stage: str  # nothing sent confirmed amber red
    words: str
    told: str  # what the hub answered, where a dealer must know


@dataclass(slots=True)
class Taps:
    """All taps that are still of interest."""

    _open: dict[int, Tap] = field(default_factory=dict)
    _last: dict[str, tuple[int, str]] = field(default_factory=dict)  # when, and what was asked
    _confirmed: tuple[str, int] | None = None
    _told: tuple[str, int] | None = None  # and until when
    _count: int = 0

    def press(self, button: str, label: str, own: int, asked: str = "") -> int | None:
        """Take a tap down and give its number; None if it is the same one as just before.

        `asked` is what the button asks at this instant (see `offline.question`).
        """
        last, was = self._last.get(button, (None, ""))
        within = BOUNCE if another_player(asked, was) else ONCE
        if last is not None and own - last < within:
            self.swallowed(once(label, asked, was), own)
            return None
        self._last[button] = own, asked
        self._count += 1
        self._open[self._count] = Tap(button, label, own)
        return self._count

    def swallowed(self, words: str, own: int) -> None:
        """Say that a touch did not count."""
        self._told = words, own + ONCE_TOLD_FOR

    def confirmed(self, number: int, own: int, late: int = 0) -> None:
        """Take note that the hub has done it; `late` is how much later than tapped it counted."""
        tap = self._open.pop(number, None)
        if tap is None:
            return
        self._confirmed = (tap.label, own)
        waited = own - tap.at
        if late > 0 and waited >= RED:
            by = f"{late // 1_000}.{late % 1_000 // 100} s"
            self._told = (f"{tap.label}: done, but it counted {by} after your tap", own + TOLD_FOR)
        elif waited >= RED:
            self._told = (f"{tap.label}: done, at the instant of your tap", own + TOLD_FOR)

    def refused(self, number: int, text: str, own: int) -> None:
        """Take note that the hub has refused, and why."""
        tap = self._open.pop(number, None)
        if tap is not None:
            self._told = (f"{tap.label}: {text}", own + TOLD_FOR)

    def look(self, own: int) -> Mark:
        """Say what is shown of the taps."""
        told = "" if self._told is None or own >= self._told[1] else self._told[0]
        if self._open:
            oldest = min(self._open.values(), key=lambda tap: tap.at)
            waited = own - oldest.at
            stage = "red" if waited >= RED else "amber" if waited >= AMBER else "sent"
            more = f" and {len(self._open) - 1} more" if len(self._open) > 1 else ""
            word = {"sent": "sent", "amber": "not confirmed", "red": "NOT CONFIRMED · kept"}[stage]
            return Mark(stage, f"{oldest.label}{more}: {word}", told)
        if self._confirmed is not None and own - self._confirmed[1] < SHOWN_FOR:
            return Mark("confirmed", f"{self._confirmed[0]}: done", told)
        return Mark("nothing", "", told)

    def changes_in(self, own: int) -> int | None:
        """Say in how many milliseconds what is shown changes by itself."""
        edges = [tap.at + edge for tap in self._open.values() for edge in (AMBER, RED)]
        if self._confirmed is not None:
            edges.append(self._confirmed[1] + SHOWN_FOR)
        if self._told is not None:
            edges.append(self._told[1])
        return min((edge - own for edge in edges if edge > own), default=None)
