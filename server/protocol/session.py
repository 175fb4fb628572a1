"""A client's side of the conversation, without any socket.

A shell around it owns the connection: it tells the session what happened (`opened`, `received`,
`lost`), sends the frames that the session gives back, and asks how fresh its documents are. Time is
always an argument: `own` is the client's own clock in whole milliseconds, from any beginning, as
long as it never runs backwards.

What a session promises: commands that were not answered are sent again with their ids after every
reconnect; an old document is never given out after a newer one; liveness is decided by the oldest
question that the hub has not answered.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import Any

import msgspec
from msgspec import UNSET

from server.protocol.messages import (
    VERSION,
    Admitted,
    Bye,
    Code,
    Do,
    Document,
    Done,
    Hello,
    Pair,
    Probe,
    Probed,
    Problem,
    Refused,
    Subscribe,
    ToClient,
    Unsubscribe,
    Welcome,
    encode,
    read_to_client,
)
from server.protocol.sync import HubClock

PROBE_EVERY = {"dealer": 1_000, "wall": 2_300, "phone": 10_000}
"""How often a client asks the time, which is also its heartbeat. A wall's badge must be up within
3 s of a dead link, and an idle wall must cost no more than 1.5 KB a minute."""

ANSWER_WITHIN = 650
"""An answer that takes longer is missed: the link may be down."""

COASTS_FOR = 300_000
"""So long a level clock may go on by itself; then nobody should trust it."""

AT_ONCE = 10
"""Topics in one message, so that it stays below what a viewer may send."""

MOST_KNOWN = 64
"""Documents that a hello may say it has; of more, the hub sends what it need not."""


class Freshness(StrEnum):
    """How much a client's documents can be trusted."""

    FRESH = "fresh"
    COASTING = "coasting"
    STALE = "stale"


@dataclass(frozen=True, slots=True)
class Shown:
    """The newest document of a topic."""

    topic: str
    rev: int
    doc: Any


@dataclass(slots=True)
class Session:
    """What a client knows, and what it still waits for."""

    device: str
    token: str | None = None
    kind: str = ""
    topics: dict[str, None] = field(default_factory=dict)  # in the order they were asked for
    documents: dict[str, Shown] = field(default_factory=dict)
    pending: dict[str, Do] = field(default_factory=dict)  # commands without an answer
    welcome: Welcome | None = None
    clock: HubClock = field(default_factory=HubClock)
    connected: bool = False
    code: Code | None = None  # what is shown to be let in
    _wants_in: bool = False
    _unanswered: deque[int] = field(default_factory=deque)
    _cut_off: int | None = None  # since when no connection has stood

    # ── what the shell tells ─────────────────────────────────────────────────────────────────────

    def opened(self, own: int) -> list[bytes]:
        """Begin: who speaks, what it has and wants, what it still waits for."""
        self.connected = True
        self.code = None  # the hub forgot it with the connection
        self._unanswered.clear()
        known = (self.documents[topic] for topic in self.topics if topic in self.documents)
        have = {shown.topic: shown.rev for shown in islice(known, MOST_KNOWN)}
        hub = "" if self.welcome is None else self.welcome.hub
        hello = Hello(VERSION, self.token, self.device, self.kind, hub, have)
        asking = [encode(Pair())] if self._wants_in else []
        commands = [encode(command) for command in self.pending.values()]
        return [encode(hello), *asking, *_subscribing(self.topics), self.probe(own), *commands]

    def received(self, frame: str | bytes, own: int) -> list[ToClient | Shown]:
        """Take in a frame and give what is news to the client."""
        message = read_to_client(frame)
        match message:
            case Welcome():
                return self._welcomed(message)
            case Document():
                return self._shown(message)
            case Probed():
                self._answered(message, own)
                return []
            case Done() | Refused():
                known = self.pending.pop(message.id, None)
                return [] if known is None else [message]
            case Admitted():
                self.token = message.token
                return [message]
            case Code():
                self.code = message
                return [message]
            case Problem() | Bye():
                return [message]

    def lost(self, own: int) -> None:
        """Take note that the connection is gone."""
        self.connected = False
        if self._cut_off is None:
            self._cut_off = min([*self._unanswered, own])
        self._unanswered.clear()

    # ── what the shell asks for ──────────────────────────────────────────────────────────────────

    def follow(self, *topics: str) -> list[bytes]:
        """Follow topics, now and after every reconnect."""
        new = [topic for topic in topics if topic not in self.topics]
        self.topics.update(dict.fromkeys(new))
        return _subscribing(new) if self.connected else []

    def leave(self, *topics: str) -> list[bytes]:
        """Follow topics no more."""
        old = [topic for topic in dict.fromkeys(topics) if topic in self.topics]
        for topic in old:
            del self.topics[topic]
            self.documents.pop(topic, None)
        if not self.connected:
            return []
        return [encode(Unsubscribe(old[i : i + AT_ONCE])) for i in range(0, len(old), AT_ONCE)]

    def do(  # noqa: PLR0913 - a command is what it is
        self,
        command: str,
        event: str,
        do: str,
        args: dict[str, Any],
        own: int,
        *,
        seen: int | None = None,
    ) -> list[bytes]:
        """Command something, at the instant of the tap; kept until it is answered.

        `seen` is the revision of the event's document that it is based on: the hub refuses it if
        somebody else has moved the room since.
        """
        at = self.clock.now(own) if self.clock.known else None
        made = Do(command, event, do, args, at, UNSET if seen is None else seen)
        self.pending[command] = made
        return [encode(made)] if self.connected else []

    def pair(self) -> list[bytes]:
        """Ask to be let in, now and after every reconnect, until the hub has done so."""
        self._wants_in = True
        return [encode(Pair())] if self.connected else []

    def code_is_over(self, own: int) -> bool:
        """Say whether the code that is shown is not good any more: time to ask for another."""
        return self.code is not None and self.clock.known and self.clock.now(own) >= self.code.until

    def probe(self, own: int) -> bytes:
        """Ask what time it is, and thereby whether the hub is there."""
        self._unanswered.append(own)
        return encode(Probe(own))

    @property
    def asked_at(self) -> int | None:
        """When the oldest question was asked that has no answer on this connection yet."""
        return self._unanswered[0] if self._unanswered else None

    def waiting_since(self, own: int) -> int | None:
        """Say since when the hub has owed an answer, or been away; None while all is well."""
        if self._cut_off is not None:
            return self._cut_off
        oldest = self.asked_at
        return oldest if oldest is not None and own - oldest > ANSWER_WITHIN else None

    def freshness(self, own: int) -> Freshness:
        """Say how much the documents can be trusted."""
        since = self.waiting_since(own)
        if since is None and self.connected:
            return Freshness.FRESH
        reached = self.clock.known or self.documents
        if since is None or not reached or own - since > COASTS_FOR:
            return Freshness.STALE
        return Freshness.COASTING

    # ── inside ───────────────────────────────────────────────────────────────────────────────────

    def _welcomed(self, welcome: Welcome) -> list[ToClient | Shown]:
        if self.welcome is not None and self.welcome.hub != welcome.hub:
            self.documents.clear()  # other data: its revisions say nothing about these
        self.welcome = welcome
        if self.code is None:
            return [welcome]
        # Somebody let this device in: what came with the code is its token from now on.
        admitted = Admitted(self.code.secret)
        self.token, self.code, self._wants_in = admitted.token, None, False
        return [admitted, welcome]

    def _shown(self, document: Document) -> list[ToClient | Shown]:
        known = self.documents.get(document.topic)
        if document.topic not in self.topics or (known and known.rev >= document.rev):
            return []
        try:
            doc = msgspec.json.decode(document.doc)
        except (RecursionError, UnicodeDecodeError) as error:
            raise msgspec.DecodeError(str(error)) from None
        shown = Shown(document.topic, document.rev, doc)
        self.documents[document.topic] = shown
        return [shown]

    def _answered(self, probed: Probed, own: int) -> None:
        # Answers come in order: what was asked before this one is settled too.
        while self._unanswered and self._unanswered[0] <= probed.sent:
            self._unanswered.popleft()
        self._cut_off = None
        self.clock.answered(probed.sent, probed.at, probed.at + probed.held, own)


def _subscribing(topics: Iterable[str]) -> list[bytes]:
    wanted = list(topics)
    return [encode(Subscribe(wanted[i : i + AT_ONCE])) for i in range(0, len(wanted), AT_ONCE)]
