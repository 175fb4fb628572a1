"""Terminal screens that are taken down while something is still to be shown: nothing is painted."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING

import pytest
from textual.events import Unmount

from dealer_console.terminal.td import TdApp
from display.terminal.wall import WallApp
from server.protocol.session import Session
from tests.dealer_console.cases import VECTORS
from tests.dealer_console.desk import Console

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.message import Message

    from dealer_console.terminal.dealer import DealerApp


def _dealer() -> Console:
    return Console(json.loads(VECTORS.read_text("utf-8"))["cases"][0])


def _director() -> TdApp:
    session = _dealer().app.session
    assert session.welcome is not None
    return TdApp(session, own=lambda: 0)


def _wall() -> WallApp:
    """Give a wall that has another time of day to paint whenever it looks."""
    session, own = Session("wall-test"), itertools.count(0, 61_000)
    session.clock.answered(0, 0, 0, 0)
    return WallApp(session, event="1", own=lambda: next(own))


APPS: dict[str, Callable[[], DealerApp | TdApp | WallApp]] = {
    "dealer": lambda: _dealer().app,
    "director": _director,
    "wall": _wall,
}


@pytest.mark.parametrize("name", APPS)
async def test_no_look_at_widgets_that_are_gone(name: str) -> None:
    """A timer or a message may ask for a look as long as any widget is left to be taken down.

    Each widget that goes asks for one here, which is whenever the timer could. A look that paints
    ends in `NoMatches`.
    """
    app = APPS[name]()
    gone: list[Message] = []

    def taken_down(message: Message) -> None:
        if isinstance(message, Unmount):
            gone.append(message)
            app.look()

    async with app.run_test(size=(80, 24), message_hook=taken_down) as pilot:
        await pilot.pause()
        assert not gone
    assert len(gone) > 5
