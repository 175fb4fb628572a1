"""Managed screens: the floor decides what a wall shows; the wall is told, and nobody else may."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from server.access import Badge
from server.screens import IDENTIFY_FOR, SCENES
from tests.hub.test_trust_kit import Guest, guest, paired
from tests.rig import MemoryJournal, Rig

if TYPE_CHECKING:
    from collections.abc import Iterator

FLOOR, DIRECTOR = Badge("floor", "Fred"), Badge("director", "Dora")
FRESH = {
    "scene": None,
    "event": None,
    "table": None,
    "theme": None,
    "sound": None,
    "rotate": 0,
    "blackout": False,
    "trim": 0,
    "turn": None,
}


@pytest.fixture(scope="module")
def played() -> MemoryJournal:
    """Play the beginning of an event, to start from."""
    with Rig() as rig:
        rig.create()
        return rig.journal


@pytest.fixture
def rig(played: MemoryJournal) -> Iterator[Rig]:
    """Start a hub with one event."""
    with Rig(MemoryJournal(played.stored, played.kept)) as rig:
        yield rig


def _screen(rig: Rig, by: Guest, name: str = "Bar") -> tuple[Guest, str]:
    """Let a screen in that follows what it is to show; give it and its token."""
    screen, token = paired(rig, by, "viewer", name=name)
    screen.follow(_topic(screen))
    return screen, token


def _topic(screen: Guest) -> str:
    return f"screens/{screen.welcome['device']}"


def _shown(screen: Guest) -> dict[str, Any]:
    found: dict[str, Any] = screen.docs[_topic(screen)]
    return found


def _records(rig: Rig, kind: str) -> list[dict[str, Any]]:
    found = (msgspec.json.decode(stored.line.body) for stored in rig.journal.stored)
    return [record for record in found if record.get("event") == kind]


def test_a_screen_is_told_what_it_shows(rig: Rig) -> None:
    """A new screen leaves everything to its page; what is set comes at once, and only that."""
    floor = guest(rig, FLOOR)
    screen, _ = _screen(rig, floor)
    device = screen.welcome["device"]
    assert _shown(screen)["settings"] == FRESH
    assert _shown(screen)["name"] == "Bar"
    assert _shown(screen)["number"] == device.removeprefix("d")
    floor.done("screen.set", device=device, scene="clock, tables", turn=15, event="1")
    wanted = {**FRESH, "scene": "clock,tables", "turn": 15, "event": "1"}
    assert _shown(screen)["settings"] == wanted
    floor.done("screen.set", device=device, theme="midnight", sound="level,speech", rotate=90)
    wanted |= {"theme": "midnight", "sound": "level,speech", "rotate": 90}
    assert _shown(screen)["settings"] == wanted
    floor.done("screen.set", device=device, turn=None, rotate=None, blackout=True, trim=-40)
    wanted |= {"turn": None, "rotate": 0, "blackout": True, "trim": -40}
    assert _shown(screen)["settings"] == wanted


def test_two_wishes_on_their_way_are_both_kept(rig: Rig) -> None:
    """A second setting that comes before the first is durable does not undo it."""
    director = rig.director()
    screen, _ = _screen(rig, guest(rig, FLOOR))
    device = screen.welcome["device"]
    director.tap("screen.set", event="", device=device, scene="lobby")
    director.do("screen.set", event="", device=device, theme="daylight")
    assert _shown(screen)["settings"] == {**FRESH, "scene": "lobby", "theme": "daylight"}


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"scene": "bingo"}, "bad_value"),
        ({"scene": "clock,clock"}, "bad_value"),
        ({"scene": ""}, "bad_value"),
        ({"scene": ["clock"]}, "bad_value"),
        ({"event": "99"}, "unknown_event"),
        ({"event": "1,99"}, "unknown_event"),
        ({"event": "1,"}, "bad_value"),
        ({"event": 1}, "bad_value"),
        ({"table": 0}, "bad_value"),
        ({"theme": "nowhere"}, "bad_value"),
        ({"theme": "../classic"}, "bad_value"),
        ({"sound": "shout"}, "bad_value"),
        ({"rotate": 45}, "bad_value"),
        ({"rotate": True}, "bad_value"),
        ({"blackout": 1}, "bad_value"),
        ({"trim": 5_000}, "bad_value"),
        ({"trim": 1.5}, "bad_value"),
        ({"turn": 1}, "bad_value"),
        ({"brightness": 3}, "bad_value"),
        ({}, "bad_value"),
    ],
)
def test_a_wrong_setting_changes_nothing(rig: Rig, wrong: dict[str, Any], code: str) -> None:
    """What makes no sense is refused in words, with everything else in the same command."""
    floor = guest(rig, FLOOR)
    screen, _ = _screen(rig, floor)
    more = {"trim": 7} if wrong and "trim" not in wrong else {}
    answer = floor.do("screen.set", device=screen.welcome["device"], **wrong, **more)
    assert answer["code"] == code
    assert answer["text"]
    assert _shown(screen)["settings"] == FRESH
    assert _records(rig, "screen.set") == []


@pytest.mark.parametrize("do", ["screen.set", "screen.identify", "screen.reload"])
def test_only_viewers_are_screens(rig: Rig, do: str) -> None:
    """A dealer's tablet cannot be blacked out by mistake, nor can a device that is not there."""
    director = guest(rig, DIRECTOR)
    tablet, _ = paired(rig, director, "dealer", event="1", table=7)
    more = {"blackout": True} if do == "screen.set" else {}
    answer = director.do(do, device=tablet.welcome["device"], **more)
    assert answer["code"] == "not_allowed"
    assert director.do(do, device="d99", **more)["code"] == "unknown_device"


def test_a_screen_says_its_name_for_a_while(rig: Rig) -> None:
    """Who is asked to identify itself knows until when; a restart forgets it."""
    floor = guest(rig, FLOOR)
    screen, _ = _screen(rig, floor)
    assert _shown(screen)["identify_until"] is None
    floor.done("screen.identify", device=screen.welcome["device"])
    assert _shown(screen)["identify_until"] - rig.now == pytest.approx(IDENTIFY_FOR, abs=50)
    rig.run(IDENTIFY_FOR + 1)
    floor.done("screen.set", device=screen.welcome["device"], trim=1)
    assert _shown(screen)["identify_until"] is None


def test_a_screen_is_what_it_was_after_a_restart(rig: Rig) -> None:
    """Settings, name and the count of reloads outlive the hub; so does who set them."""
    screen, token = _screen(rig, guest(rig, FLOOR))
    device, floor = screen.welcome["device"], guest(rig, FLOOR)
    floor.done("screen.set", device=device, scene="payouts", trim=40)
    for _ in range(2):
        floor.done("screen.reload", device=device)
    rig.crash(away=500)
    back = Guest(rig).hello(token)
    back.follow(_topic(back))
    assert back.welcome["device"] == device
    assert _shown(back)["settings"] == {**FRESH, "scene": "payouts", "trim": 40}
    assert _shown(back)["reloads"] == 2
    who = [
        (stored.line.actor, msgspec.json.decode(stored.line.body)["settings"])
        for stored in rig.journal.stored
        if b'"screen.set"' in stored.line.body
    ]
    assert who == [("Fred", {"scene": "payouts", "trim": 40})]


def test_a_setting_that_was_not_stored_is_not_shown(rig: Rig) -> None:
    """While nothing can be stored a screen stays as it is; what was refused is not half kept."""
    floor = guest(rig, FLOOR)
    screen, _ = _screen(rig, floor)
    device = screen.welcome["device"]
    rig.journal.broken = True
    assert floor.do("screen.set", device=device, scene="lobby")["code"] == "storage"
    rig.journal.broken = False
    floor.done("screen.set", device=device, trim=9)
    assert _shown(screen)["settings"] == {**FRESH, "trim": 9}


def test_a_screen_sees_its_own_settings_and_nobody_elses(rig: Rig) -> None:
    """A screen follows its own topic; other screens' are the floor's, and a stranger sees none."""
    floor = guest(rig, FLOOR)
    (bar, _), (door, _) = _screen(rig, floor), _screen(rig, floor, "Door")
    bar.follow(_topic(door))
    assert bar.codes() == ["forbidden"]
    stranger = guest(rig)
    stranger.follow(_topic(bar))
    assert stranger.codes() == ["forbidden"]
    assert "device" not in stranger.welcome
    floor.follow(_topic(bar), _topic(door))
    assert floor.docs[_topic(door)]["name"] == "Door"
    for do in ("screen.set", "screen.identify", "screen.reload"):
        assert bar.do(do, device=bar.welcome["device"])["code"] == "forbidden"


def test_a_screen_that_is_something_else_now(rig: Rig) -> None:
    """A new name is told; who was made a dealer's tablet, or shown out, is no screen any more."""
    director = guest(rig, DIRECTOR)
    screen, token = _screen(rig, director)
    device = screen.welcome["device"]
    director.done("screen.set", device=device, scene="lobby")
    director.done("device.rename", device=device, name="Door")
    assert _shown(screen)["name"] == "Door"
    director.done("device.assign", device=device, role="dealer", event="1", table=7)
    assert _shown(screen) is None
    director.done("device.assign", device=device, role="viewer")
    assert _shown(screen)["settings"]["scene"] == "lobby"
    director.done("device.revoke", device=device)
    assert screen.closed
    assert Guest(rig).hello(token).codes() == ["unauthorised"]
    assert not [key for key in rig.journal.kept if key.startswith("screen/")]


def test_the_floor_sees_what_each_screen_shows_and_how_well(rig: Rig) -> None:
    """The list of devices has settings and reports, and says how far apart the screens can be."""
    floor = guest(rig, FLOOR)
    (bar, _), (door, _) = _screen(rig, floor), _screen(rig, floor, "Door")
    floor.done("screen.set", device=bar.welcome["device"], scene="grid")
    floor.follow("devices")
    assert floor.docs["devices"]["skew"] is None
    bar.say("report", offset=5, uncertainty=4, skew=3, scene="grid", age=12, sound="blocked")
    door.say("report", offset=-9, uncertainty=2, skew=16, build="1")
    rig.run(300)
    found = floor.docs["devices"]
    rows = {row["name"]: row for row in found["devices"]}
    assert rows["Bar"]["screen"]["scene"] == "grid"
    assert rows["Fred"]["screen"] is None
    assert rows["Bar"]["report"]["sound"] == "blocked"
    assert rig.now - rows["Bar"]["report"]["at"] < 1_000
    assert found["skew"] == {"screens": 2, "worst_ms": 18, "device": door.welcome["device"]}


def test_every_scene_that_the_page_has_can_be_given(rig: Rig) -> None:
    """The hub knows the scenes by the same names as the pages do."""
    floor = guest(rig, FLOOR)
    screen, _ = _screen(rig, floor)
    for scene in SCENES:
        floor.done("screen.set", device=screen.welcome["device"], scene=scene)
        assert _shown(screen)["settings"]["scene"] == scene
