"""What a director's console follows: structure, duty, presets, and events made like others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from server.access import Badge
from server.protocol.messages import Done, Refused
from tests.hub.test_events import own_preset, wish
from tests.rig import Rig

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.rig import Peer

MINUTE = 60_000
SATURDAY = "star-brisbane-saturday"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the folder of the venue's own presets, where the hub looks by default."""
    monkeypatch.chdir(tmp_path)
    own = tmp_path / "presets"
    own.mkdir()
    return own


@pytest.fixture
def rig(folder: Path) -> Iterator[Rig]:
    """Start a hub without any event."""
    assert folder.exists()
    with Rig() as rig:
        yield rig


def follow(peer: Peer, topic: str) -> Any:
    """Give the newest document of any topic."""
    if topic not in peer.session.topics:
        peer.follow(topic)
    peer.rig.run(300)
    shown = peer.session.documents.get(topic)
    return None if shown is None else shown.doc


# ── structure ────────────────────────────────────────────────────────────────────────────────────


def test_the_structure_is_published_when_it_changes_and_not_at_every_tap(rig: Rig) -> None:
    """A phone that shows the next levels hears of edits and levels, not of hands and busts."""
    rig.create(SATURDAY, {7: 3})
    phone, director = rig.peer(), rig.director()
    assert follow(phone, "t/1/structure")["steps"][0]["state"] == "now"
    rev = phone.session.documents["t/1/structure"].rev
    for do, args in (("hand.start", {"table": 7}), ("player.bust", {"player": "7-3"})):
        assert isinstance(director.do(do, **args), Done)
    rig.run(1_000)
    assert phone.session.documents["t/1/structure"].rev == rev
    assert isinstance(director.do("level.next"), Done)
    assert follow(phone, "t/1/structure")["step"] == 1
    steps = [{"small": 5, "big": 10, "minutes": 7}, {"phase": "break", "minutes": 3}]
    assert isinstance(director.do("structure.set", steps=steps), Done)
    found = follow(phone, "t/1/structure")
    assert [(step["phase"], step["minutes"]) for step in found["steps"]] == [
        ("level", 20),
        ("level", 7),
        ("break", 3),
    ]


# ── who is on duty ───────────────────────────────────────────────────────────────────────────────


def test_duty_says_who_works_a_table_and_who_has_fallen_silent(rig: Rig) -> None:
    """A tablet that is heard no more is told to the director, and told again when it is back."""
    rig.create(SATURDAY, {7: 3, 8: 3})
    director, dealer = rig.director(), rig.dealer(table=7)
    wish(director, "staff.add", name="Ana", pin="1234")
    wish(dealer, "dealer.sign_on", pin="1234")
    assert isinstance(dealer.do("hand.start", table=7), Done)
    row = follow(director, "t/1/duty")["tables"]["7"]
    assert (row["name"], row["dealer"], row["live"], row["silent_since"]) == (
        "Dan",
        "Ana",
        True,
        None,
    )
    assert "8" not in follow(director, "t/1/duty")["tables"]
    last = rig.now
    dealer.cut = True
    rig.run(4_000)
    assert follow(director, "t/1/duty")["tables"]["7"]["silent_since"] is None
    rig.run(3_000)
    since = follow(director, "t/1/duty")["tables"]["7"]["silent_since"]
    assert since is not None
    assert abs(since - last) <= 1_500
    dealer.cut = False
    dealer.probe()
    rig.run(2_000)
    assert follow(director, "t/1/duty")["tables"]["7"]["silent_since"] is None


def test_duty_says_who_asks_for_a_table(rig: Rig) -> None:
    """The director sees a second tablet that would like the table."""
    rig.create(SATURDAY, {7: 3})
    rig.dealer(table=7)
    second = rig.peer(Badge("dealer", "Eve", "1", 7))
    director = rig.director()
    wish(second, "lease.ask")
    asking = follow(director, "t/1/duty")["tables"]["7"]["asking"]
    assert [row["name"] for row in asking] == ["Eve"]


# ── presets ──────────────────────────────────────────────────────────────────────────────────────


def test_presets_are_listed_with_a_line_each_and_problems_are_told(rig: Rig, folder: Path) -> None:
    """Shipped ones and the venue's own, which appear while somebody looks; mistakes in words."""
    director = rig.director()
    found = follow(director, "presets")
    rows = {row["id"]: row for row in found["presets"]}
    assert rows[SATURDAY]["summary"] == "26 levels of 20 min, 20 s + 4 × 20 s, starts 12:30"  # noqa: RUF001
    assert rows["selkirk-main"]["summary"].endswith("starts 19:00, ends by 00:45")
    assert (rows["apl"]["action"], rows["apl"]["own"]) == (None, False)
    assert found["problems"] == []
    own_preset(folder, "mine", **{"Consolation Sit-and-Go": "Mine"})
    (folder / "broken.toml").write_text("name = 5", "utf-8")
    (folder / "apl.toml").write_text("name = 5", "utf-8")
    rig.run(5_000)
    found = follow(director, "presets")
    own = [row for row in found["presets"] if row["own"]]
    assert [(row["id"], row["name"]) for row in own] == [("mine", "Mine")]
    assert len(found["problems"]) == 2
    assert any("broken.toml" in problem for problem in found["problems"])
    assert any("apl.toml: a shipped preset" in problem for problem in found["problems"])


@pytest.mark.parametrize("topic", ["presets", "t/1/journal"])
def test_presets_and_journal_are_for_the_floor_and_the_director(rig: Rig, topic: str) -> None:
    """Dealers and viewers are told that it is not for them."""
    rig.create(SATURDAY, {7: 3})
    for peer in (rig.peer(), rig.dealer(table=7)):
        peer.follow(topic)
        rig.run(10)
        assert [said.code for said in peer.farewells() if hasattr(said, "code")] == ["forbidden"]
    for peer in (rig.floor(), rig.director()):
        assert follow(peer, topic)["now"]


# ── yesterday's again ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("archived", [False, True])
def test_an_event_is_played_again_with_the_structure_that_it_ended_with(
    rig: Rig, archived: bool
) -> None:
    """Duplicate yesterday's: same preset, edited structure, a name and a start of its own."""
    director = rig.director()
    wish(director, "event.create", preset=SATURDAY)
    steps = [{"small": 5, "big": 10, "minutes": 7}, {"small": 10, "big": 20, "hands": 9}]
    assert isinstance(director.do("structure.set", steps=steps), Done)
    if archived:
        assert isinstance(wish(director, "event.archive", event="1"), Done)
        rig.crash()
        director.connect()
        rig.run(5)
    assert isinstance(wish(director, "event.create", like="1", name="Again"), Done)
    document = director.doc("", "2")
    assert document["name"] == "Again"
    assert document["action_clock"]["seconds"] == 20
    found = follow(director, "t/2/structure")["steps"]
    assert [(step["big"], step["minutes"], step["hands"]) for step in found] == [
        (10, 7, None),
        (20, None, 9),
    ]
    past = follow(director, "presets")["past"]
    assert [(row["event"], row["preset"], row["archived"]) for row in past] == [
        ("2", SATURDAY, False),
        ("1", SATURDAY, archived),
    ]
    rig.crash()  # what was created is still so after a restart
    director.connect()
    rig.run(5)
    again = follow(director, "t/2/structure")["steps"]
    assert [(step["big"], step["minutes"]) for step in again] == [(10, 7), (20, None)]


@pytest.mark.parametrize(
    ("args", "code"),
    [
        ({"like": "9"}, "unknown_event"),
        ({}, "bad_value"),
        ({"like": "1", "preset": SATURDAY}, "bad_value"),
    ],
)
def test_an_event_is_made_from_one_thing(rig: Rig, args: dict[str, str], code: str) -> None:
    """A preset or an event, one of them, and one that exists."""
    director = rig.director()
    wish(director, "event.create", preset=SATURDAY)
    answer = wish(director, "event.create", **args)
    assert isinstance(answer, Refused)
    assert answer.code == code
