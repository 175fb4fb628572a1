"""A dealer's console in a terminal without a hub, at an instant that a test decides."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from dealer_console.terminal.dealer import DealerApp
from server.protocol.messages import Welcome
from server.protocol.session import COASTS_FOR, Session, Shown

if TYPE_CHECKING:
    from textual.app import App

START = 1_000_000
EVENT, TABLE = "1", 7


class Console:
    """A console that is told what to see; what it would command is written down."""

    def __init__(self, case: dict[str, Any], **options: Any) -> None:
        self.own = START
        self.said: list[tuple[str, dict[str, Any]]] = []
        session = self.sees(case)
        self.app = DealerApp(session, own=lambda: self.own, **options)
        self.app.event, self.app.table = EVENT, TABLE
        self.app.simple = bool(case["look"].get("simple"))

    def sees(self, case: dict[str, Any]) -> Session:
        """Make a session that knows a case's documents at its instant."""
        look = case["look"]
        session = Session("dealer-test")
        now, freshness = look["now"], look.get("freshness", "fresh")
        if freshness == "fresh":
            session.opened(self.own)
            said = {"type": "probed", "sent": self.own, "at": now}
            session.received(json.dumps(said), self.own)
        else:
            session.clock.answered(self.own, now, now, self.own)
            session.lost(self.own - min(look["away"], COASTS_FOR + 1))
        role = look.get("role", "dealer")
        session.welcome = Welcome(1, "h", "1", role, "Table 7", EVENT, TABLE, now, look["me"])
        topic = f"t/{EVENT}"
        places = {"event": topic, "table": f"{topic}/table/7", "lease": f"{topic}/lease/7"}
        for key, name in places.items():
            session.documents[name] = Shown(name, 1, case.get(key))
        return session

    def look(self, case: dict[str, Any]) -> None:
        """Look at another case."""
        self.app.session = self.sees(case)
        self.app.simple = bool(case["look"].get("simple"))
        self.app.look()


def text(app: App[None]) -> str:
    """Give what stands on the screen, line by line."""
    width, height = app.size
    lines = app.screen._compositor.render_strips()  # noqa: SLF001 - there is no public way
    assert len(lines) == height
    assert all(line.cell_length == width for line in lines)
    return "\n".join(line.text.rstrip() for line in lines)
