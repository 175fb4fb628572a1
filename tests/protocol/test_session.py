"""A client's session: what it promises, whatever happens to the connection and in which order."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from server.protocol.messages import (
    Admitted,
    Bye,
    Code,
    Document,
    Done,
    Hello,
    Probed,
    Problem,
    Refused,
    Welcome,
    encode,
    read_to_hub,
)
from server.protocol.session import (
    ANSWER_WITHIN,
    AT_ONCE,
    COASTS_FOR,
    MOST_KNOWN,
    PROBE_EVERY,
    Freshness,
    Session,
    Shown,
)
from server.visitor import HELLO_BYTES, MOST_BYTES

TOPICS = ("events", "t/1", "t/1/tables", *(f"t/1/table/{number}" for number in range(1, 10)))
HUBS = ("h1", "h2")


def welcome(hub: str = "h1") -> bytes:
    """Say that the hub knows who speaks."""
    return encode(Welcome(1, hub, "1.0", "viewer", "", None, None, 0))


def document(topic: str, rev: int, doc: Any = None) -> bytes:
    """Say what the newest document of a topic is."""
    return encode(Document(topic, rev, msgspec.Raw(encode(doc))))


def said(frames: list[bytes]) -> list[dict[str, Any]]:
    """Give frames as plain data."""
    return [json.loads(frame) for frame in frames]


def told(kind: str, topics: list[str]) -> list[dict[str, Any]]:
    """Give what is said about topics: ten in a message."""
    parts = [topics[start : start + AT_ONCE] for start in range(0, len(topics), AT_ONCE)]
    return [{"type": kind, "topics": part} for part in parts]


class Conversation(RuleBasedStateMachine):
    """A session in the hands of a lawful shell and a lawful hub, in every order of events.

    The shell opens only what is not open and gives no frame to a session without a connection. The
    hub answers probes of this connection, in their order. Everything else is left to chance.
    """

    def __init__(self) -> None:
        super().__init__()
        self.own = 0
        self.session = Session("tablet-1")
        self.made: dict[str, bytes] = {}  # every command as it was first said
        self.answered: set[str] = set()
        self.asked: list[int] = []  # probes of this connection without an answer
        self.topics: list[str] = []
        self.shown: dict[str, int] = {}  # the newest revision given out of each topic
        self.hub = ""
        self.since: int | None = None  # what it waited for at the last look
        self.latest = -1  # the latest thing it ever waited for

    @initialize(own=st.integers(-(10**6), 10**12))
    def begin(self, own: int) -> None:
        """Start with a clock that shows anything."""
        self.own = own
        self.latest = own

    @rule(ms=st.one_of(st.integers(0, 800), st.integers(0, 2 * COASTS_FOR)))
    def wait(self, ms: int) -> None:
        """Let time pass."""
        self.own += ms

    @precondition(lambda self: not self.session.connected)
    @rule()
    def open(self) -> None:
        """Open a connection: everything that is still to be answered is said again, as it was."""
        frames = self.session.opened(self.own)
        hello = read_to_hub(frames[0])
        assert isinstance(hello, Hello)
        assert hello.hub == self.hub
        assert hello.have == {t: self.shown[t] for t in self.topics if t in self.shown}
        rest = said(frames[1:])
        for subscribe in told("subscribe", self.topics):
            assert rest.pop(0) == subscribe
        assert rest.pop(0) == {"type": "probe", "sent": self.own}
        open_commands = [made for id_, made in self.made.items() if id_ not in self.answered]
        assert frames[len(frames) - len(rest) :] == open_commands
        self.asked = [self.own]

    @rule()
    def lose(self) -> None:
        """Lose the connection, or fail to get one."""
        self.session.lost(self.own)
        self.asked = []

    @precondition(lambda self: self.session.connected)
    @rule()
    def probe(self) -> None:
        """Ask the time."""
        assert json.loads(self.session.probe(self.own)) == {"type": "probe", "sent": self.own}
        self.asked.append(self.own)

    @precondition(lambda self: self.session.connected and self.asked)
    @rule(data=st.data(), ahead=st.integers(0, 10**12), held=st.integers(0, 50))
    def answer_probe(self, data: st.DataObject, ahead: int, held: int) -> None:
        """Answer a probe; those before it are settled with it."""
        index = data.draw(st.integers(0, len(self.asked) - 1))
        sent = self.asked[index]
        at = max(0, sent + ahead)
        assert self.session.received(encode(Probed(sent, at, held)), self.own) == []
        self.asked = [other for other in self.asked if other > sent]
        self.since = None
        assert self.session.clock.known

    @rule(args=st.dictionaries(st.sampled_from("ab"), st.integers()))
    def do(self, args: dict[str, int]) -> None:
        """Command something, connected or not."""
        id_ = f"c{len(self.made)}"
        frames = self.session.do(id_, "1", "action.next", args, self.own)
        assert len(frames) == self.session.connected
        self.made[id_] = encode(self.session.pending[id_])
        assert frames in ([], [self.made[id_]])

    @precondition(lambda self: self.session.connected and self.made)
    @rule(data=st.data(), refused=st.booleans())
    def answer_command(self, data: st.DataObject, refused: bool) -> None:
        """Answer any command that was ever made; only the first answer is news."""
        id_ = data.draw(st.sampled_from(sorted(self.made)))
        answer = Refused(id_, "not_running", "No.") if refused else Done(id_, 1)
        news = self.session.received(encode(answer), self.own)
        assert news == ([] if id_ in self.answered else [answer])
        self.answered.add(id_)

    @precondition(lambda self: self.session.connected)
    @rule(hub=st.sampled_from(HUBS))
    def welcome(self, hub: str) -> None:
        """Be welcomed, perhaps by a hub with other data."""
        self.session.received(welcome(hub), self.own)
        if self.hub not in ("", hub):
            self.shown.clear()
        self.hub = hub

    @precondition(lambda self: self.session.connected)
    @rule(topic=st.sampled_from(TOPICS), rev=st.integers(0, 6))
    def publish(self, topic: str, rev: int) -> None:
        """Be sent a document of any revision: it is given out only if it is newer."""
        news = self.session.received(document(topic, rev, [rev]), self.own)
        if topic in self.topics and rev > self.shown.get(topic, -1):
            assert news == [Shown(topic, rev, [rev])]
            self.shown[topic] = rev
        else:
            assert news == []

    @rule(topics=st.lists(st.sampled_from(TOPICS), unique=True))
    def follow(self, topics: list[str]) -> None:
        """Follow topics."""
        new = [topic for topic in topics if topic not in self.topics]
        frames = said(self.session.follow(*topics))
        assert frames == (told("subscribe", new) if self.session.connected else [])
        self.topics += new

    @rule(topics=st.lists(st.sampled_from(TOPICS)))
    def leave(self, topics: list[str]) -> None:
        """Follow topics no more, however often each is named."""
        old = [topic for topic in dict.fromkeys(topics) if topic in self.topics]
        frames = said(self.session.leave(*topics))
        assert frames == (told("unsubscribe", old) if self.session.connected else [])
        for topic in old:
            self.topics.remove(topic)
            self.shown.pop(topic, None)

    @invariant()
    def keeps_what_is_not_answered(self) -> None:
        """Exactly the commands without an answer are kept, in the order they were made."""
        assert list(self.session.pending) == [c for c in self.made if c not in self.answered]

    @invariant()
    def shows_the_newest(self) -> None:
        """Exactly the newest documents of the followed topics are kept."""
        kept = {topic: shown.rev for topic, shown in self.session.documents.items()}
        assert kept == self.shown

    @invariant()
    def waits_since_the_oldest(self) -> None:
        """Once it waits, it waits since then until an answer comes, and never since earlier."""
        since = self.session.waiting_since(self.own)
        if self.since is not None:
            assert since == self.since
        if since is not None:
            assert self.latest <= since <= self.own
            self.latest = since
        self.since = since

    @invariant()
    def is_as_fresh_as_it_waits(self) -> None:
        """Fresh means that nothing is owed; stale, that nobody answered for too long, or ever."""
        since = self.session.waiting_since(self.own)
        freshness = self.session.freshness(self.own)
        if since is not None:
            reached = self.session.clock.known or self.session.documents
            late = self.own - since > COASTS_FOR
            assert freshness == (Freshness.COASTING if reached and not late else Freshness.STALE)
        elif self.session.connected:
            assert freshness is Freshness.FRESH
            assert not self.asked or self.own - self.asked[0] <= ANSWER_WITHIN
        else:
            assert freshness is Freshness.STALE  # it has never been connected
            assert not self.session.documents


TestConversation = Conversation.TestCase


@given(st.integers(0, 10_000), st.sampled_from(sorted(PROBE_EVERY)))
def test_a_dead_link_is_noticed_in_time(died: int, kind: str) -> None:
    """However the hub falls silent, a client notices one probe and one missed answer later."""
    session, every = Session("wall-1"), PROBE_EVERY[kind]
    session.opened(0)
    session.received(encode(Probed(0, 10**6)), 0)
    own = 0
    while own + every <= died:  # each is answered at once as long as there is a hub
        own += every
        session.probe(own)
        session.received(encode(Probed(own, 10**6 + own)), own)
    session.probe(own + every)
    assert session.freshness(died + every + ANSWER_WITHIN + 1) is not Freshness.FRESH


def test_a_wall_says_so_within_three_seconds() -> None:
    """A wall's badge, which asks every so often, is up within 3 s of a dead link."""
    assert PROBE_EVERY["wall"] + ANSWER_WITHIN < 3_000


def test_a_dealer_is_told_within_two_seconds() -> None:
    """An action clock that has not heard from the hub for 2 s says so."""
    assert PROBE_EVERY["dealer"] + ANSWER_WITHIN < 2_000


def test_every_frame_is_in_the_contract() -> None:
    """The hub can read all that a session ever says."""
    session = Session("d-7", "token", "Dealer, table 7")
    frames = session.follow("t/1") + session.opened(0)
    session.received(welcome(), 1)
    session.received(document("t/1", 3), 2)
    session.received(encode(Probed(0, 10**12)), 3)
    frames += session.do("c1", "1", "undo", {}, 4) + session.follow("events")
    frames += [*session.leave("t/1"), session.probe(5)]
    session.lost(6)
    frames += session.opened(7)
    kinds = {type(read_to_hub(frame)).__name__ for frame in frames}
    assert kinds == {"Hello", "Subscribe", "Unsubscribe", "Do", "Probe"}


def test_no_frame_is_larger_than_the_hub_takes() -> None:
    """Even with the longest names, a viewer that follows a hundred topics is not shown out."""
    session = Session("d" * 64, "t" * 128, "k" * 200)
    topics = [f"{number:080}" for number in range(100)]
    session.follow(*topics)
    session.opened(0)
    session.received(welcome("h" * 64), 0)
    for topic in topics:
        session.received(document(topic, 1 << 53), 0)
    session.lost(1)
    hello, *rest = session.opened(1 << 53)
    made = read_to_hub(hello)
    assert isinstance(made, Hello)
    assert list(made.have) == topics[:MOST_KNOWN]
    assert len(hello) <= HELLO_BYTES
    assert max(map(len, rest + session.leave(*topics))) <= MOST_BYTES["viewer"]


def test_a_reconnect_keeps_the_clock() -> None:
    """The way to the hub may be another one now, but the time is the same."""
    session = Session("a")
    session.opened(0)
    session.received(encode(Probed(0, 1_005)), 10)
    clock = session.clock
    session.lost(20)
    session.opened(30)
    session.received(encode(Probed(30, 1_130)), 230)
    assert session.clock is clock
    assert clock.best.round_trip == 10


def test_sessions_share_nothing() -> None:
    """What one client follows, knows and waits for is not another's."""
    one, other = Session("a"), Session("b")
    one.follow("t/1")
    one.opened(0)
    one.received(document("t/1", 1), 0)
    one.received(encode(Probed(0, 1)), 0)
    one.do("c1", "1", "undo", {}, 1)
    known = (other.topics, other.documents, other.pending, other.clock.known, other.connected)
    assert not any(known)


def test_a_command_with_the_same_id_replaces_the_first() -> None:
    """An id stands for one command: the newest of a careless caller is the one that is kept."""
    session = Session("a")
    session.do("c1", "1", "undo", {}, 0)
    session.do("c1", "1", "clock.pause", {}, 0)
    assert [frame["do"] for frame in said(session.opened(0)[2:])] == ["clock.pause"]


@pytest.mark.parametrize(
    "news",
    [
        Problem("bad_message", "?"),
        Bye("restarting", 500),
        Code("BCDFGH", "secret", 1),
        Admitted("own"),
    ],
)
def test_what_the_hub_says_about_itself_settles_nothing(
    news: Problem | Bye | Code | Admitted,
) -> None:
    """A problem, a farewell, a code or a token answers neither a command nor a probe."""
    session = Session("a")
    session.opened(0)
    session.do("c1", "1", "undo", {}, 0)
    assert session.received(encode(news), 1) == [news]
    assert list(session.pending) == ["c1"]
    assert session.waiting_since(ANSWER_WITHIN + 1) == 0


@given(st.binary(max_size=40) | st.text(max_size=40))
@example(b"\xff")
@example(b'{"type":"bye","reason":"\xff","retry_ms":1}')
@example(b'{"type":"doc","topic":"t/1","rev":1,"doc":' + b"[" * 10_000 + b"]" * 10_000 + b"}")
@example('{"type":"bye","reason":"\\ud800","retry_ms":1}')
def test_noise_raises_one_kind_of_error_and_changes_nothing(noise: bytes | str) -> None:
    """Whatever arrives, a session either understands it or says that it does not."""
    session = Session("a")
    session.follow("t/1")
    session.opened(0)
    with pytest.raises(msgspec.DecodeError):
        session.received(noise, 1)
    assert not session.documents
    assert session.welcome is None
