"""Fan-out: framed once, the newest for everybody, and nobody waits for anybody."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode
from websockets.streams import StreamReader

from server.fanout import BEHIND_BYTES, BEHIND_MS, Client, Fanout, farewell, frame
from server.protocol.messages import Bye, read_to_client


@dataclass
class Pipe:
    """An outlet whose reader takes bytes when the test says so."""

    sent: list[bytes] = field(default_factory=list)
    held: int = 0
    stuck: bool = False
    closing: bool = False

    def write(self, data: bytes) -> None:
        """Take bytes, and keep them where the reader is stuck."""
        assert not self.closing
        self.sent.append(data)
        if self.stuck:
            self.held += len(data)

    def get_write_buffer_size(self) -> int:
        """Say what the reader has not taken."""
        return self.held

    def is_closing(self) -> bool:
        """Say whether it is over."""
        return self.closing

    def fill(self) -> None:
        """Let the reader fall behind."""
        self.stuck, self.held = True, BEHIND_BYTES + 1

    def drain(self) -> None:
        """Let the reader take everything."""
        self.stuck, self.held = False, 0


class Screen:
    """A client with its pipe, and why it was dropped."""

    def __init__(self) -> None:
        self.pipe = Pipe()
        self.dropped: list[str] = []
        self.client = Client(self.pipe, self.dropped.append)

    @property
    def got(self) -> list[bytes]:
        """What was written to it, without the frames' heads."""
        return [bytes(parse(data).data) for data in self.pipe.sent]


def parse(data: bytes) -> Frame:
    """Read one frame as a client of the websockets library does."""
    reader = StreamReader()
    reader.feed_data(data)
    reader.feed_eof()
    parser = Frame.parse(reader.read_exact, mask=False)
    try:
        while True:
            next(parser)
    except StopIteration as done:
        found = done.value
    assert isinstance(found, Frame)
    assert next_is_end(reader)
    return found


def next_is_end(reader: StreamReader) -> bool:
    """Check that nothing follows a frame."""
    try:
        next(reader.at_eof())
    except StopIteration as done:
        return bool(done.value)
    return False


def doc(topic: str, rev: int) -> bytes:
    """Make the payload of a revision."""
    return f"{topic} {rev}".encode()


@pytest.mark.parametrize("length", [0, 1, 125, 126, 127, 65_535, 65_536, 70_000])
def test_a_frame_is_what_a_client_reads(length: int) -> None:
    """Every form of length is read back by the websockets library, as the shortest one."""
    payload = bytes(n % 251 for n in range(length))
    made = frame(payload)
    found = parse(made)
    assert found == Frame(Opcode.TEXT, payload, fin=True)
    assert made == Frame(Opcode.TEXT, payload).serialize(mask=False)


@pytest.mark.parametrize("opcode", [Opcode.BINARY, Opcode.PING, Opcode.PONG, Opcode.CLOSE])
def test_a_frame_has_its_opcode(opcode: Opcode) -> None:
    """Other kinds of frames are read back as what they are."""
    assert parse(frame(b"\x03\xe8", opcode)) == Frame(opcode, b"\x03\xe8")


def test_last_words_are_a_message() -> None:
    """A client that is let go reads why, and when to come back."""
    assert read_to_client(bytes(parse(farewell("restart", 250)).data)) == Bye("restart", 250)


def test_everybody_gets_the_same_bytes() -> None:
    """A document is framed once: every subscriber is given the very same object."""
    hub, screens = Fanout(), [Screen() for _ in range(50)]
    for screen in screens:
        hub.follow(screen.client, "t/1")
    hub.publish("t/1", 1, doc("t/1", 1))
    late = Screen()
    hub.follow(late.client, "t/1")
    newest = hub.newest("t/1")
    assert newest is not None
    assert newest[0] == 1
    for screen in (*screens, late):
        assert len(screen.pipe.sent) == 1
        assert screen.pipe.sent[0] is newest[1]


def test_only_followers_get_a_topic() -> None:
    """A table's change goes only to who watches that table."""
    hub, one, other = Fanout(), Screen(), Screen()
    hub.follow(one.client, "t/1/table/1")
    hub.follow(other.client, "t/1/table/2")
    hub.publish("t/1/table/1", 1, b"x")
    assert (one.got, other.got) == ([b"x"], [])
    assert hub.followers("t/1/table/1") == 1


@pytest.mark.parametrize(
    ("have", "sent"), [(None, [b"t 5"]), (5, []), (4, [b"t 5"]), (6, [b"t 5"]), (0, [b"t 5"])]
)
def test_a_snapshot_is_sent_unless_it_is_the_same(have: int | None, sent: list[bytes]) -> None:
    """Who comes back with the hub's own revision gets nothing; everybody else the newest."""
    hub, screen = Fanout(), Screen()
    hub.publish("t", 5, doc("t", 5))
    hub.follow(screen.client, "t", have)
    assert screen.got == sent
    hub.publish("t", 7, doc("t", 7))
    assert screen.got == [*sent, b"t 7"]


def test_a_topic_may_be_followed_before_anything_is_said() -> None:
    """Who follows an empty topic gets nothing now, and the first document when it comes."""
    hub, screen = Fanout(), Screen()
    hub.follow(screen.client, "t")
    assert screen.got == []
    assert hub.newest("t") is None
    hub.publish("t", 1, b"a")
    assert screen.got == [b"a"]


def test_a_slow_client_gets_the_newest_only() -> None:
    """While a client is behind nothing is written; then it gets the last of each topic, once."""
    hub, slow, well = Fanout(), Screen(), Screen()
    for screen in (slow, well):
        hub.follow(screen.client, "a")
        hub.follow(screen.client, "b")
    slow.pipe.fill()
    for rev in range(1, 1_001):
        hub.publish("a", rev, doc("a", rev))
        hub.publish("b", rev, doc("b", rev))
    hub.sweep(0)
    assert slow.got == []
    assert len(slow.client.waiting) == 2
    assert len(well.got) == 2_000
    slow.pipe.drain()
    hub.publish("a", 1_001, doc("a", 1_001))
    hub.sweep(250)
    assert sorted(slow.got) == [b"a 1001", b"b 1000"]
    hub.publish("a", 1_002, doc("a", 1_002))
    assert slow.got[-1] == b"a 1002"
    hub.sweep(500)
    assert len(slow.got) == 3


def test_a_snapshot_waits_for_a_slow_client_too() -> None:
    """Following more while behind writes nothing either."""
    hub, slow = Fanout(), Screen()
    hub.publish("a", 1, b"old")
    slow.pipe.fill()
    hub.follow(slow.client, "a")
    assert slow.got == []
    hub.publish("a", 2, b"new")
    slow.pipe.drain()
    hub.sweep(0)
    assert slow.got == [b"new"]


def test_a_client_that_catches_up_in_parts_keeps_its_bounds() -> None:
    """Catching up stops when the buffer is full again, and goes on later with the newest."""
    hub, slow = Fanout(), Screen()
    for name in "abcdef":
        hub.follow(slow.client, name)
    slow.pipe.fill()
    for name in "abcdef":
        hub.publish(name, 1, name.encode() * 30_000)
    slow.pipe.held = 0
    hub.sweep(0)
    assert 0 < len(slow.got) < 6
    assert slow.pipe.held <= BEHIND_BYTES + 30_010
    assert len(slow.got) + len(slow.client.waiting) == 6
    slow.pipe.drain()
    hub.sweep(1)
    assert sorted(data[:1] for data in slow.got) == [b"a", b"b", b"c", b"d", b"e", b"f"]


def test_who_stays_behind_is_dropped_with_the_reason() -> None:
    """After 5 s behind a client is dropped once, in words, and followed by nobody."""
    hub, slow, well = Fanout(), Screen(), Screen()
    hub.follow(slow.client, "t")
    hub.follow(well.client, "t")
    slow.pipe.fill()
    hub.publish("t", 1, b"x")
    for now in range(1_000, 1_000 + BEHIND_MS + 1, 500):
        hub.sweep(now)
        assert slow.dropped == []
    hub.sweep(1_000 + BEHIND_MS + 1)
    assert len(slow.dropped) == 1
    assert "slow" in slow.dropped[0]
    assert hub.followers("t") == 1
    hub.publish("t", 2, b"y")
    hub.sweep(99_999)
    assert (len(slow.dropped), slow.got, well.dropped) == (1, [], [])


def test_who_catches_up_starts_anew() -> None:
    """Five seconds count from the last time that a client was well."""
    hub, slow = Fanout(), Screen()
    hub.follow(slow.client, "t")
    for round_ in range(4):
        slow.pipe.fill()
        hub.publish("t", round_ + 1, b"x")
        hub.sweep(round_ * 5_000)
        hub.sweep(round_ * 5_000 + 4_900)
        slow.pipe.drain()
        hub.sweep(round_ * 5_000 + 4_950)
    assert slow.dropped == []
    assert len(slow.got) == 4


def test_who_never_reads_answers_is_dropped_too() -> None:
    """A client that is far behind on messages for itself alone is dropped like any other."""
    hub, slow = Fanout(), Screen()
    hub.follow(slow.client, "t")
    slow.pipe.stuck = True
    for _ in range(200):
        hub.send(slow.client, frame(b"x" * 1_000))
    assert slow.pipe.held > 3 * BEHIND_BYTES
    for now in range(0, 3 * BEHIND_MS, 500):
        hub.sweep(now)
    assert len(slow.dropped) == 1


def test_nothing_is_written_to_who_is_closing() -> None:
    """A connection that is over is left alone."""
    hub, screen = Fanout(), Screen()
    hub.follow(screen.client, "t")
    screen.pipe.closing = True
    hub.publish("t", 1, b"x")
    hub.send(screen.client, b"x")
    assert screen.pipe.sent == []


def test_who_leaves_gets_no_more() -> None:
    """Neither what comes, nor what was waiting; other topics go on."""
    hub, screen = Fanout(), Screen()
    hub.follow(screen.client, "a")
    hub.follow(screen.client, "b")
    screen.pipe.fill()
    hub.publish("a", 1, b"a")
    hub.publish("b", 1, b"b")
    hub.leave(screen.client, "a")
    hub.leave(screen.client, "never followed")
    screen.pipe.drain()
    hub.sweep(0)
    hub.publish("a", 2, b"a")
    assert screen.got == [b"b"]
    assert (hub.followers("a"), hub.followers("b")) == (0, 1)
    assert hub.newest("a") == (2, frame(b"a"))


def test_who_is_gone_is_forgotten() -> None:
    """A client that is gone is in no list any more, slow or not, and may be forgotten twice."""
    hub, screen = Fanout(), Screen()
    for topic in ("a", "b", "empty"):
        hub.follow(screen.client, topic)
    screen.pipe.fill()
    hub.publish("a", 1, b"a")
    hub.forget(screen.client)
    hub.forget(screen.client)
    hub.publish("b", 1, b"b")
    screen.pipe.drain()
    for now in (0, 10_000, 20_000):
        hub.sweep(now)
    assert (screen.got, screen.dropped, screen.client.topics) == ([], [], set())
    assert [hub.followers(topic) for topic in ("a", "b", "empty")] == [0, 0, 0]


MOVES = st.lists(
    st.tuples(
        st.sampled_from(["publish", "follow", "leave", "fill", "drain", "half", "sweep"]),
        st.sampled_from(["a", "b", "c"]),
    ),
    max_size=60,
)


@given(MOVES)
def test_a_newer_document_is_never_followed_by_an_older(moves: list[tuple[str, str]]) -> None:
    """Whatever happens, each topic's revisions only grow, and who can read ends at the newest.

    A topic that nobody follows is forgotten; the press prints it anew for who comes, as here.
    """
    hub, screen, revs, now = Fanout(), Screen(), {"a": 0, "b": 0, "c": 0}, 0
    for move, topic in moves:
        now += 100
        if move == "publish":
            revs[topic] += 1
            hub.publish(topic, revs[topic], doc(topic, revs[topic]))
        elif move == "follow":
            if revs[topic] and hub.newest(topic) is None:
                hub.publish(topic, revs[topic], doc(topic, revs[topic]))
            hub.follow(screen.client, topic)
        elif move == "leave":
            hub.leave(screen.client, topic)
        elif move == "sweep":
            hub.sweep(now)
        elif move == "half":
            screen.pipe.held = BEHIND_BYTES * 3 // 4
        else:
            getattr(screen.pipe, move)()
        assert set(screen.client.waiting) <= screen.client.topics
    screen.pipe.drain()
    hub.sweep(now + 100)
    seen = {"a": 0, "b": 0, "c": 0}
    for data in screen.got:
        topic, rev = bytes(data).decode().split()
        assert int(rev) >= seen[topic]
        seen[topic] = int(rev)
    if not screen.dropped:
        assert all(seen[topic] == revs[topic] for topic in screen.client.topics)
