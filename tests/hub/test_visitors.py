"""Visitors: who may see what, who may do what, and when somebody is no longer there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from server.access import RIGHTS, Badge
from server.engine import COMMANDS
from server.protocol.messages import Bye, Do, Done, Probe, Problem, Refused, Subscribe, encode
from server.visitor import GONE_AFTER, PING_EVERY, Visitor
from tests.rig import Peer, Rig, payloads

if TYPE_CHECKING:
    from collections.abc import Iterator

PUBLIC = ("events", "t/1", "t/1/table/7", "t/1/tables")
PRIVATE = ("hub", "devices", "t/1/floor")
BADGES = {
    "viewer": None,
    "dealer": Badge("dealer", "Dan", "1", 7),
    "floor": Badge("floor", "Fred"),
    "director": Badge("director", "Dora"),
}
SEES_ALL = ("floor", "director")


class Guest:
    """Somebody with no session: says what it likes, and answers pings only when it wants to."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.said: list[dict[str, Any]] = []
        self.pings: list[bytes] = []
        self.closed: list[bool] = []  # at once?
        self.visitor = Visitor(rig.hub, self, self.closed.append, "memory")

    def write(self, data: bytes) -> None:
        """Take what the hub writes."""
        for opcode, payload in payloads(data):
            if opcode == 0x9:
                self.pings.append(payload)
            else:
                self.said.append(json.loads(payload))

    def get_write_buffer_size(self) -> int:
        """Say that nothing waits."""
        return 0

    def is_closing(self) -> bool:
        """Say whether it is over."""
        return bool(self.closed)

    def say(self, type_: str, **message: Any) -> list[dict[str, Any]]:
        """Say something, and give the answers."""
        before = len(self.said)
        self.visitor.receive(json.dumps({"type": type_, **message}).encode())
        self.rig.run(1)
        return self.said[before:]

    def hello(self, badge: Badge | None = None, device: str = "") -> None:
        """Say hello."""
        token = None if badge is None else self.rig.hub.reception.devices.issue(badge)
        self.say("hello", version=1, token=token, device=device)
        assert self.said[-1]["type"] == "welcome"


@pytest.fixture
def rig() -> Iterator[Rig]:
    """Start a hub with one event that runs, and three players at table 7."""
    with Rig() as rig:
        rig.create()
        yield rig


def _tap(peer: Peer, do: Do) -> Done | Refused:
    """Send a command as it is, and give the answer."""
    peer.session.pending[do.id] = do
    peer.send(encode(do))
    peer.rig.run(2 * peer.delay + 1)
    answer = peer.answer(do.id)
    assert answer is not None
    return answer


def _wish(peer: Peer, do: str, /, **args: Any) -> Done | Refused:
    """Command something of the hub itself."""
    return _tap(peer, Do(f"{do}-{peer.session.device}", "", do, args))


def _refusal(answer: Done | Refused) -> tuple[str, str]:
    assert isinstance(answer, Refused)
    return answer.code, answer.text


# ── what everybody may see ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("topic", PUBLIC + PRIVATE)
@pytest.mark.parametrize("role", BADGES)
def test_a_role_sees_what_it_may(rig: Rig, role: str, topic: str) -> None:
    """Everybody may follow what is public; the floor's own is for the floor and the director."""
    peer = rig.peer(BADGES[role])
    peer.follow(topic)
    rig.run(1)
    told = [n for n in peer.farewells() if isinstance(n, Problem)]
    if topic in PUBLIC or role in SEES_ALL:
        assert told == []
        assert peer.session.documents[topic].doc["now"] <= rig.now
        assert rig.hub.press.fanout.followers(topic) == 1
    else:
        assert [n.code for n in told] == ["forbidden"]
        assert topic in told[0].text
        assert topic not in peer.session.documents
        assert rig.hub.press.fanout.followers(topic) == 0


def test_a_forbidden_topic_does_not_spoil_the_others(rig: Rig) -> None:
    """Of the topics in one message those that are allowed come, whatever the others are."""
    peer = rig.peer()
    peer.follow("hub", "t/1", "t/1/floor", "events")
    rig.run(1)
    assert peer.session.documents.keys() == {"t/1", "events"}


@pytest.mark.parametrize(
    "topic", ["t/1/floor/", "t/1/floor/x", "t//1/floor", "hub/", "t/1/table/7/floor", "Hub", " hub"]
)
def test_no_other_spelling_leads_to_the_floors_own(rig: Rig, topic: str) -> None:
    """A topic that only looks like a private one shows nothing of it."""
    peer = rig.peer()
    peer.follow(topic)
    rig.run(1)
    shown = peer.session.documents.get(topic)
    assert shown is None or shown.doc is None


def test_changes_come_until_somebody_unsubscribes(rig: Rig) -> None:
    """A topic's changes come as long as it is followed, and not once after that."""
    wall, other, director = rig.peer(), rig.peer(), rig.director()
    for peer in (wall, other):
        peer.follow("t/1", "t/1/table/7")
    rig.run(1)
    wall.send(*wall.session.leave("t/1/table/7"))
    rig.run(1)
    before = len(wall.frames)
    director.do("hand.start", table=7)
    rig.run(1_000)
    told = [json.loads(frame)["topic"] for frame in wall.frames[before:]]
    assert "t/1/table/7" not in told
    assert other.doc("table/7")["hand"]["in_progress"]
    director.do("announce", text="Words")
    rig.run(1)
    assert wall.doc("")["announcement"] == "Words"


def test_unsubscribing_what_was_never_followed_is_nothing(rig: Rig) -> None:
    """Leaving a topic that was not followed, or is not known, is no problem."""
    guest = Guest(rig)
    guest.hello()
    assert guest.say("unsubscribe", topics=["t/1", "x", "hub"]) == []


@pytest.mark.parametrize(
    "topic", ["x", "t", "t/9", "t/9/table/1", "t/1/table/99", "t/1/x", "t/1/table/x", "t/1/table/"]
)
def test_an_unknown_topic_is_null(rig: Rig, topic: str) -> None:
    """A topic that says nothing has a document, and it is null."""
    guest = Guest(rig)
    guest.hello()
    (answer,) = guest.say("subscribe", topics=[topic])
    assert (answer["type"], answer["topic"], answer["doc"]) == ("doc", topic, None)


def test_a_topic_may_be_followed_before_it_exists() -> None:
    """Null first, and the document as soon as the event or the table comes to exist."""
    with Rig() as rig:
        wall = rig.peer()
        wall.follow("t/1", "t/1/table/7", "t/1/tables", "events")
        rig.run(1)
        assert wall.doc("") is None
        assert wall.doc("table/7") is None
        director = rig.director()
        director.do("event.create", event="", preset="star-brisbane-saturday")
        rig.run(1)
        assert wall.doc("")["clock"]["status"] == "waiting"
        assert wall.doc("tables")["tables"] == {}
        assert wall.doc("table/7") is None
        director.do("seat.put", player="p", table=7, seat=1)
        rig.run(1)
        assert wall.doc("table/7")["seats"]["1"]["player"] == "p"
        revs = [json.loads(frame)["rev"] for frame in wall.frames if b'"t/1"' in frame]
        assert revs == sorted(set(revs))


def test_an_archived_events_documents_are_null(rig: Rig) -> None:
    """Who follows an event that is put away is told that there is nothing any more."""
    wall, director = rig.peer(), rig.director()
    wall.follow("t/1", "t/1/table/7", "t/1/tables", "events")
    director.do("event.finish")
    rig.run(1_000)
    assert wall.doc("")["clock"]["status"] == "finished"
    assert isinstance(_wish(director, "event.archive", event="1"), Done)
    rig.run(1_000)
    for topic in ("", "table/7", "tables"):
        assert wall.doc(topic) is None
    assert wall.doc("events")["events"] == []
    late = rig.peer()
    assert late.doc("") is None
    assert late.doc("table/7") is None
    assert _refusal(director.do("clock.start"))[0] == "unknown_event"


@pytest.mark.parametrize("alias", ["t/1/", "t/1/table/07"])
def test_a_topic_has_one_name(rig: Rig, alias: str) -> None:
    """Another spelling of a topic says nothing, or else it is told of every change."""
    wall, director = rig.peer(), rig.director()
    wall.follow(alias)
    rig.run(1)
    director.do("clock.pause", reason="Fire alarm")
    director.do("table.pause", table=7, reason="Dispute")
    rig.run(1_000)
    shown = wall.session.documents[alias]
    assert shown.doc is None or shown.rev == rig.hub.press.read("t/1")[0]


def test_two_changes_of_the_hub_in_one_millisecond_are_both_seen(rig: Rig) -> None:
    """Revisions go up with every change, also when two changes share a millisecond."""
    director = rig.director()
    for step in (5_000, -5_000):
        rig.wall_step += step
        rig.run(100)
    assert len(director.doc("hub")["gaps"]) == 2
    director.tap("gap.clear", event="", gap=1)
    director.tap("gap.clear", event="", gap=2)
    rig.run(2_000)
    assert director.doc("hub")["gaps"] == []


# ── limits ───────────────────────────────────────────────────────────────────────────────────────


def test_sixty_four_topics_at_once_and_no_more(rig: Rig) -> None:
    """A message may name 64 topics; one with more is a problem and follows none of them."""
    guest = Guest(rig)
    guest.hello(Badge("director"))
    for type_ in ("subscribe", "unsubscribe"):
        (problem,) = guest.say(type_, topics=[f"x/{n}" for n in range(65)])
        assert (problem["type"], problem["code"]) == ("problem", "bad_message")
    assert rig.hub.press.fanout.topics("x") == []
    assert len(guest.say("subscribe", topics=[f"x/{n}" for n in range(64)])) == 64
    assert len(rig.hub.press.fanout.topics("x")) == 64
    assert guest.say("unsubscribe", topics=[f"x/{n}" for n in range(64)]) == []
    assert rig.hub.press.fanout.topics("x") == []


def test_a_viewer_cannot_fill_the_hubs_memory_with_topics(rig: Rig) -> None:
    """However many messages it sends, somebody without a token follows a bounded number."""
    guest = Guest(rig)
    guest.hello()
    for message in range(100):
        guest.say("subscribe", topics=[f"x/{message}/{n}" for n in range(40)])
    assert len(rig.hub.press.fanout.topics("x")) <= 1_000


def test_have_names_at_most_sixty_four(rig: Rig) -> None:
    """A hello that claims more documents than anybody follows is a problem."""
    guest = Guest(rig)
    (problem,) = guest.say("hello", version=1, have={f"x/{n}": 1 for n in range(65)})
    assert problem["code"] == "bad_message"
    guest.hello()


# ── before and after hello ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("type_", "message"),
    [
        ("subscribe", {"topics": ["t/1"]}),
        ("unsubscribe", {"topics": ["t/1"]}),
        ("probe", {"sent": 1}),
        ("do", {"id": "1", "event": "1", "do": "clock.pause"}),
    ],
)
def test_hello_comes_first(rig: Rig, type_: str, message: dict[str, Any]) -> None:
    """What is said before hello is not done, and the connection goes on."""
    guest = Guest(rig)
    (problem,) = guest.say(type_, **message)
    assert (problem["type"], problem["code"]) == ("problem", "hello_first")
    assert rig.hub.press.fanout.followers("t/1") == 0
    assert rig.peer().doc("")["clock"]["status"] == "running"
    assert guest.closed == []
    guest.hello()


def test_hello_comes_once(rig: Rig) -> None:
    """A second hello changes nothing: neither the role nor what is followed."""
    guest = Guest(rig)
    guest.hello()
    guest.say("subscribe", topics=["t/1"])
    token = rig.hub.reception.devices.issue(Badge("director"))
    (problem,) = guest.say("hello", version=1, token=token)
    assert (problem["type"], problem["code"]) == ("problem", "hello_again")
    (refused,) = guest.say("do", id="1", event="1", do="clock.pause")
    assert refused["code"] == "forbidden"
    assert rig.hub.press.fanout.followers("t/1") == 1


def test_who_was_shown_out_is_not_listened_to(rig: Rig) -> None:
    """After a message above the limit nothing more of that visitor is carried out."""
    guest = Guest(rig)
    guest.hello(Badge("director"))
    guest.visitor.receive(b" " * ((64 << 10) + 1))
    assert len(guest.closed) == 1
    guest.say("do", id="1", event="1", do="clock.pause")
    guest.say("subscribe", topics=["t/1"])
    assert rig.hub.press.fanout.followers("t/1") == 0
    assert rig.peer().doc("")["clock"]["status"] == "running"


# ── commands ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("do", ["clock.pause", "event.finish", "undo", "announce.clear"])
def test_a_viewer_cannot_command(rig: Rig, do: str) -> None:
    """Who only looks is told whom to ask."""
    code, text = _refusal(rig.peer().do(do))
    assert code == "forbidden"
    assert text == f"{do} is not for a viewer to do: ask the floor or the director."


def test_nobody_but_a_director_commands_the_hub(rig: Rig) -> None:
    """Events are a director's to create and archive, and so is lost time to give back."""
    wishes: list[tuple[str, dict[str, Any]]] = [
        ("event.create", {"preset": "selkirk-main"}),
        ("event.archive", {"event": "1"}),
        ("gap.clear", {"gap": 1}),
        ("gap.give_back", {"event": "1", "gap": 1}),
    ]
    for role in ("viewer", "dealer", "floor"):
        peer = rig.peer(BADGES[role])
        for do, args in wishes:
            told = _refusal(_wish(peer, do, **args))
            text = f"{do} is not for a {role} to do: ask the director."
            assert told == ("forbidden", text)
    assert list(rig.hub.desks) == ["1"]


def test_a_dealer_works_the_own_table_of_the_own_event() -> None:
    """A dealer's taps count at one table of one event, and nowhere else."""
    with Rig() as rig:
        for _ in range(2):
            rig.create(tables={7: 3, 8: 3})
        dealer = rig.dealer("1", table=7)
        assert isinstance(dealer.do("hand.start", table=7), Done)
        elsewhere = [("1", 8), ("2", 7), ("2", 8)]
        for event, table in elsewhere:
            told = _refusal(dealer.do("hand.start", event=event, table=table))
            assert told == ("forbidden", "A dealer may do this at the own table only: table 7.")
        for event, table in elsewhere:
            assert not dealer.doc(f"table/{table}", event)["hand"]["in_progress"]
        assert _refusal(dealer.do("clock.pause"))[0] == "forbidden"
        assert _refusal(dealer.do("undo", table=7, command="x"))[0] == "forbidden"
        assert isinstance(dealer.do("undo", table=7), Done)
        assert not dealer.doc("table/7")["hand"]["in_progress"]


@pytest.mark.parametrize("do", sorted(set(COMMANDS) - RIGHTS["director"]))
def test_what_only_the_hub_does_is_nobodys_to_command(rig: Rig, do: str) -> None:
    """Not even a director commands what the hub does by itself."""
    assert _refusal(rig.director().do(do, table=7))[0] == "forbidden"


REFUSALS: list[tuple[str, str, dict[str, Any], str, str]] = [
    ("1", "clock.start", {}, "not_allowed", "The clock has been started already."),
    ("9", "clock.start", {}, "unknown_event", "There is no event 9."),
    ("1", "action.next", {"table": 9}, "unknown_table", ""),
    ("1", "hand.start", {"table": 0}, "bad_value", "args.table"),
    ("1", "hand.start", {"table": True}, "bad_value", "args.table"),
    ("1", "hand.start", {"table": 7.0}, "bad_value", "args.table"),
    ("1", "hand.start", {}, "bad_value", "args.table"),
    ("1", "hand.start", {"table": 7, "x": 1}, "bad_value", "x"),
    ("1", "no.such", {}, "bad_value", "there is no command 'no.such'"),
    ("", "no.such", {}, "bad_value", "the hub has no command 'no.such'"),
    ("", "clock.start", {}, "bad_value", "the hub has no command 'clock.start'"),
    ("1", "event.create", {"preset": "apl"}, "bad_value", "there is no command 'event.create'"),
    ("1", "action.next", {"table": 7}, "not_running", ""),
    ("1", "seat.put", {"player": "p", "table": 7, "seat": 1}, "seat_taken", ""),
    ("1", "player.bust", {"player": "nobody"}, "no_player", ""),
]


def test_a_refusal_has_a_code_and_words(rig: Rig) -> None:
    """The code is for programs; the words say what is wrong, in one sentence."""
    director = rig.director()
    for event, do, args, code, words in REFUSALS:
        found, text = _refusal(director.do(do, event=event, **args))
        assert (found, do) == (code, do)
        assert words in text
        assert text.endswith(".")
        assert not text.endswith("..")


def test_a_refused_command_changes_nothing(rig: Rig) -> None:
    """A refusal leaves no line in the journal and no news for anybody."""
    wall, director = rig.peer(), rig.director()
    wall.follow("t/1", "t/1/table/7", "t/1/tables")
    rig.run(1_000)
    before = len(rig.journal.stored), len(wall.frames)
    for event, do, args, _, _ in REFUSALS:
        director.do(do, event=event, **args)
    rig.run(1_000)
    assert (len(rig.journal.stored), len(wall.frames)) == before


# ── alive or not ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("role", BADGES)
def test_who_is_silent_for_too_long_is_dropped(rig: Rig, role: str) -> None:
    """After two and a half pings without a sound the hub lets go, and not much sooner or later."""
    peer = rig.peer(BADGES[role])
    peer.follow("t/1")
    rig.run(1)
    visitor = peer.visitor
    peer.cut = True
    limit = int(GONE_AFTER * PING_EVERY[role])
    rig.run(limit - 1_000)
    assert visitor in rig.hub.visitors
    rig.run(3_000)
    assert visitor not in rig.hub.visitors
    assert peer.is_closing()
    assert rig.hub.press.fanout.followers("t/1") == 0


@pytest.mark.parametrize("role", BADGES)
def test_who_answers_pings_stays(rig: Rig, role: str) -> None:
    """A client that says nothing, but whose library answers pings, is there."""
    peer = rig.peer(BADGES[role])
    rig.run(10 * 60_000)
    assert peer.visitor in rig.hub.visitors


@pytest.mark.parametrize("role", BADGES)
def test_pings_are_sent_only_where_they_are_due(rig: Rig, role: str) -> None:
    """A viewer who talks is not pinged; who was let in is, whatever they say."""
    guest = Guest(rig)
    guest.hello(BADGES[role])
    first = 0 if role == "viewer" else 1
    assert len(guest.pings) == first
    for _ in range(60):
        guest.say("probe", sent=1)
        if guest.pings:
            guest.visitor.pong(guest.pings[-1])
        rig.run(999)
    wanted = {"viewer": range(1), "dealer": range(12, 17), "floor": range(6, 8)}
    assert len(guest.pings) in wanted.get(role, wanted["floor"])


def test_nobody_is_pinged_before_hello(rig: Rig) -> None:
    """Until it is known who speaks, nothing is measured."""
    guest = Guest(rig)
    rig.run(4_000)
    assert guest.pings == []


def _credit(rig: Rig, peer: Peer, ago: int, number: int) -> int:
    """Send a tap that claims to be so old when it arrives; give how much of that is believed."""
    arrives = rig.now + peer.delay
    answer = _tap(peer, Do(f"tap-{number}", "1", "announce", {"text": "x"}, arrives - ago))
    assert isinstance(answer, Done), answer
    rig.run(1_000)  # so that the next tap is not held back by what was written for this one
    return arrives - answer.at


@pytest.mark.parametrize("delay", [0, 20, 100, 150, 400])
def test_a_tap_is_believed_for_the_bound_whatever_the_link_is_like(rig: Rig, delay: int) -> None:
    """A tap is believed for 300 ms before it arrived, on a fast link as on a slow one."""
    floor = rig.floor(delay=delay)
    rig.run(2 * delay + 1_000)
    assert _credit(rig, floor, 5_000, 1) == 300
    assert _credit(rig, floor, 290, 2) == 290
    assert _credit(rig, floor, -5_000, 3) == 0  # from the future


# ── who talks, and does not answer pings ─────────────────────────────────────────────────────────


def _talk(rig: Rig, guest: Guest, seconds: int, *, answers: bool = False) -> None:
    """Let somebody ask the time every second, and answer pings or not."""
    for _ in range(seconds):
        rig.run(999)
        rig.later(0, guest.visitor.receive, encode(Probe(1)))
        if answers and guest.pings:
            rig.later(0, guest.visitor.pong, guest.pings[-1])
        rig.run(1)


def _unanswered(rig: Rig, guest: Guest) -> list[Any]:
    """Give what the devices' document and the table's line say of somebody who does not answer."""
    rows = {row["id"]: row for row in rig.hub.reception.document()["devices"]}
    duty = rig.hub.reception.duty_document("1")["tables"].get("7", {})
    return [rows[guest.visitor.device]["unanswered_since"], duty.get("unanswered_since")]


@pytest.mark.parametrize(("role", "patience"), [("dealer", 10), ("floor", 25), ("director", 25)])
def test_who_talks_and_does_not_answer_is_told_to_the_floor_and_logged_once(
    rig: Rig, role: str, patience: int, caplog: pytest.LogCaptureFixture
) -> None:
    """A device that withholds its pongs is shown as such, until it answers; it gains nothing."""
    caplog.set_level("WARNING", "railbird")
    guest, first = Guest(rig), rig.now
    guest.hello(BADGES[role])
    guest.say("do", id="1", event="1", do="hand.start", args={"table": 7}, at=rig.now)
    _talk(rig, guest, patience - 1)
    assert _unanswered(rig, guest) == [None, None]
    _talk(rig, guest, 2)
    assert _unanswered(rig, guest) == [first, first]
    _talk(rig, guest, 3 * patience)
    assert _unanswered(rig, guest)[0] == first
    arrives = rig.now
    answers = guest.say(
        "do", id="2", event="1", do="table.pause", args={"table": 7}, at=arrives - 5_000
    )
    done = next(answer for answer in answers if answer["type"] == "done")
    assert arrives - done["at"] == 300
    _talk(rig, guest, 1, answers=True)
    assert _unanswered(rig, guest) == [None, None]
    told = [r for r in caplog.records if r.getMessage() == "pings not answered"]
    assert len(told) == 1
    assert guest.visitor in rig.hub.visitors
    _talk(rig, guest, 2 * patience, answers=True)
    assert _unanswered(rig, guest) == [None, None]


def test_a_device_that_was_cut_off_is_not_said_to_withhold_its_answers(rig: Rig) -> None:
    """A ping that was on its way when the link stood still is no reproach when it goes on."""
    guest = Guest(rig)
    guest.hello(BADGES["dealer"])
    _talk(rig, guest, 4, answers=True)
    rig.run(8_900)  # nothing passes, either way
    _talk(rig, guest, 1)
    assert _unanswered(rig, guest) == [None, None]
    _talk(rig, guest, 30, answers=True)
    assert _unanswered(rig, guest) == [None, None]


def test_falling_silent_now_and_then_does_not_hide_missing_answers(rig: Rig) -> None:
    """Who is quiet for two seconds in every eight and never answers is told all the same."""
    guest = Guest(rig)
    guest.hello(BADGES["dealer"])
    for _ in range(3):
        _talk(rig, guest, 6)
        rig.run(2_000)
    _talk(rig, guest, 1)
    assert _unanswered(rig, guest)[0] is not None


def test_a_hub_that_stood_still_reproaches_nobody(rig: Rig) -> None:
    """What was asked before the hub stood still, and is answered unread, is not held against it."""
    guest = Guest(rig)
    guest.hello(BADGES["dealer"])
    _talk(rig, guest, 5, answers=True)
    _talk(rig, guest, 4)
    rig.stall(11_000)
    rig.later(0, guest.visitor.receive, encode(Probe(2)))
    rig.run(1)
    assert _unanswered(rig, guest) == [None, None]


def _unheard(rig: Rig, *, impostor: bool) -> dict[str, Any]:
    """Let a player's time run out while the dealer's device is cut off."""
    dealer = rig.dealer(device="tablet-7")
    assert isinstance(dealer.do("hand.start", table=7), Done)
    assert isinstance(dealer.do("action.start", table=7, seat=2), Done)
    dealer.cut = True
    guest = Guest(rig)
    guest.hello(device="tablet-7" if impostor else "phone")
    for _ in range(180):
        rig.run(1_000)
        guest.say("probe", sent=1)
    found: dict[str, Any] = rig.peer().doc("table/7")["action"]
    return found


def test_a_hand_does_not_die_while_the_device_is_cut_off(rig: Rig) -> None:
    """When the dealer could not have tapped, the table waits."""
    assert _unheard(rig, impostor=False)["outcome"] is None


def test_nobody_else_speaks_for_a_device(rig: Rig) -> None:
    """A viewer that takes the name of a dealer's device does not make it heard."""
    assert _unheard(rig, impostor=True)["outcome"] is None


def test_a_revoked_token_ends_the_connection(rig: Rig) -> None:
    """Who holds a token that is revoked is shown out within a second, and commands nothing."""
    floor, director = rig.floor(), rig.director()
    assert floor.visitor is not None
    device = floor.visitor.device
    assert isinstance(_wish(director, "device.revoke", device=device), Done)
    rig.run(1_000)
    assert floor.is_closing()
    assert floor.farewells() == [Bye("this device was shown out", None)]
    command = floor.tap("clock.pause")
    rig.run(1_000)
    assert floor.answer(command) is None
    floor.connect()
    rig.run(10)
    problem = next(n for n in floor.farewells() if isinstance(n, Problem))
    assert problem.code == "unauthorised"
    assert floor.answer(command) is None
    assert command not in {stored.line.command for stored in rig.journal.stored}


@pytest.mark.parametrize("payload", [b"", b"\x00" * 8, b"x" * 125])
def test_a_pong_that_answers_no_ping_measures_nothing(rig: Rig, payload: bytes) -> None:
    """A pong out of the blue says that somebody is there, and nothing else."""
    guest = Guest(rig)
    guest.hello(Badge("floor", "Fred"))
    rig.run(2_000)
    guest.visitor.pong(payload)
    arrives = rig.now
    answers = guest.say(
        "do", id="1", event="1", do="announce", args={"text": "x"}, at=rig.now - 5_000
    )
    done = next(answer for answer in answers if answer["type"] == "done")
    assert arrives - done["at"] == 300


def test_the_hub_counts_who_is_there(rig: Rig) -> None:
    """The hub's document says how many of each role are connected, soon after they come or go."""
    director = rig.director()
    peers = [rig.peer(), rig.peer(), rig.dealer(), rig.floor()]
    rig.run(1_000)
    everybody = {"dealer": 1, "director": 1, "floor": 1, "viewer": 2}
    assert director.doc("hub")["clients"] == everybody
    rig.later(0, peers[0].disconnect)
    rig.run(1_000)
    assert director.doc("hub")["clients"] == {**everybody, "viewer": 1}


def test_a_subscription_reaches_as_far_as_the_messages_limit(rig: Rig) -> None:
    """Sixty-four topics of the longest names fit into a dealer's message, and are all answered."""
    dealer = rig.dealer()
    before = len(dealer.frames)
    topics = [f"t/1/table/{n}".ljust(40, "x") for n in range(64)]
    dealer.send(encode(Subscribe(topics)))
    rig.run(1)
    assert len(dealer.frames) - before == 64
