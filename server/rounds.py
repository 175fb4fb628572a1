"""Rounds: who is to be looked at in which second, so that nobody is looked at for nothing.

With thousands of viewers who only watch, looking at each of them every second costs more than all
that is said to them.
"""

from typing import Generic, TypeVar

T = TypeVar("T")

SECOND = 1_000


class Rounds(Generic[T]):
    """A calendar with a page for every second."""

    def __init__(self) -> None:
        self._pages: dict[int, dict[T, None]] = {}  # in the order in which they were put there
        self._page_of: dict[T, int] = {}
        self._second = 0

    def plan(self, who: T, at: int) -> None:
        """Look at somebody in the second after an instant, and at no other time."""
        page = at // SECOND + 1
        if self._page_of.get(who) != page:
            self.forget(who)
            self._page_of[who] = page
            self._pages.setdefault(page, {})[who] = None

    def forget(self, who: T) -> None:
        """Look at somebody no more."""
        page = self._page_of.pop(who, None)
        if page is not None:
            found = self._pages[page]
            del found[who]
            if not found:
                del self._pages[page]

    def turned(self, now: int) -> bool:
        """Say whether another second has begun since this was asked last."""
        before, self._second = self._second, now // SECOND
        return self._second != before

    def due(self, now: int) -> list[T]:
        """Take out everybody whose second has come."""
        pages = sorted(page for page in self._pages if page <= now // SECOND)
        found = [who for page in pages for who in self._pages[page]]
        for who in found:
            self.forget(who)
        return found
