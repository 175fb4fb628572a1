"""Rows: what every view of the director's console is made of.

Pure: no widget, no hub. A row has its words, a tone, and the deeds of the keys that work on it, so
that what is shown and what can be done there are decided in one place.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dealer_console.terminal.td_deeds import Deed
from display.words import Zone, time_of_day
from server.protocol.countdown import digits

Doc = Mapping[str, Any]
SECOND = 1_000


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a view."""

    text: str
    tone: str = ""  # good, warn, bad, dim, now or head
    id: str = ""  # what it is about, so that the cursor stays with it
    deeds: Mapping[str, Deed] = field(default_factory=dict)
    more: str = ""  # what is told of it when asked
    go: str = ""  # where Enter leads, instead of a deed


@dataclass(frozen=True, slots=True)
class Room:
    """Everything that the views are made from."""

    event: str | None
    docs: Mapping[str, Any]
    now: int
    zone: Zone = lambda _: 0
    width: int = 80

    def doc(self, topic: str) -> Any:
        """Give a document of the event that is shown."""
        return self.docs.get(f"t/{self.event}/{topic}".rstrip("/"))

    def time(self, instant: int) -> str:
        """Write an instant as a time of day."""
        return time_of_day(instant, self.zone)

    def exact(self, instant: int) -> str:
        """Write an instant with its second."""
        return f"{self.time(instant)}:{instant // SECOND % 60:02}"

    def ago(self, instant: int) -> str:
        """Say how long ago something was."""
        return digits(max(0, self.now - instant) // SECOND * SECOND)


def head(words: str) -> Row:
    """Make a heading."""
    return Row(words, "head")


def nothing(words: str) -> list[Row]:
    """Say that there is nothing to list."""
    return [Row(words, "dim")]
