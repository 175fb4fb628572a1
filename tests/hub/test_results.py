"""The results and the end of the last level: published as they change, for everybody."""

from __future__ import annotations

import json

from server import presets
from server.access import ROLES, Badge
from server.protocol.messages import Done
from server.rehearsal import rehearse
from tests.hub.test_director_documents import follow
from tests.rig import Rig


def test_a_phone_follows_the_results() -> None:
    """A bust and a late entry are there without asking again; a page beyond the last is null."""
    with Rig() as rig:
        rig.create("apl", {7: 4})
        phone, director = rig.peer(), rig.director()
        page = follow(phone, "t/1/results/1")
        assert (page["page"], page["pages"], page["total"], page["rows"]) == (1, 1, 0, [])
        assert follow(phone, "t/1/results/2") is None
        assert isinstance(director.do("player.bust", player="7-3"), Done)
        row = {"place": 4, "shared": 1, "player": "7-3", "name": "7-3"}
        assert follow(phone, "t/1/results/1")["rows"] == [row]
        director.do("seat.put", player="late", table=7, seat=9)
        assert follow(phone, "t/1/results/1")["rows"] == [row | {"place": 5}]


def test_a_tap_that_changes_no_place_publishes_no_results() -> None:
    """A phone that shows the results is not woken by hands."""
    with Rig() as rig:
        rig.create("apl", {7: 4})
        phone, director = rig.peer(), rig.director()
        follow(phone, "t/1/results/1")
        rev = phone.session.documents["t/1/results/1"].rev
        assert isinstance(director.do("hand.start", table=7), Done)
        follow(phone, "t/1/results/1")
        assert phone.session.documents["t/1/results/1"].rev == rev


def test_everybody_may_see_the_results() -> None:
    """They hang on the wall, after all."""
    assert all(Badge(role).may_see("t/1/results/3") for role in ROLES)


def test_a_topic_has_one_spelling() -> None:
    """Page 01 and page 0 are no pages."""
    with Rig() as rig:
        rig.create("apl", {7: 4})
        phone = rig.peer()
        for topic in ("t/1/results/01", "t/1/results/0", "t/1/results/x", "t/1/results"):
            assert follow(phone, topic) is None


def rehearsed(lines: list[dict[str, object]]) -> list[dict[str, object]]:
    """Play a script and give what it prints."""
    script = [json.dumps(line).encode() for line in lines]
    return [json.loads(line) for line in rehearse(presets.load("apl"), script)]


def test_a_rehearsal_shows_pages_of_a_hundred() -> None:
    """Best place first; the winner is there when the event is over."""
    lines: list[dict[str, object]] = [{"at": 0, "do": "clock.start"}]
    seats = [(table, seat) for table in range(1, 14) for seat in range(1, 10)]
    for table, seat in seats:
        args = {"player": f"{table}-{seat}", "table": table, "seat": seat}
        lines.append({"at": 0, "do": "seat.put", "args": args})
    lines += [
        {"at": 1, "do": "player.bust", "args": {"player": f"{table}-{seat}"}}
        for table, seat in seats[1:]
    ]
    lines.append({"at": 2, "do": "event.finish"})
    lines.append({"at": 3, "show": ["results/1", "results/2", "results/3"]})
    first, second, third = [line["doc"] for line in rehearsed(lines)]
    assert isinstance(first, dict)
    assert isinstance(second, dict)
    assert third is None
    assert (first["now"], first["page"], first["pages"], first["total"]) == (3, 1, 2, 117)
    places = [row["place"] for row in (*first["rows"], *second["rows"])]
    assert places == list(range(1, 118))
    assert first["rows"][0] == {"place": 1, "shared": 1, "player": "1-1", "name": "1-1"}
    assert len(first["rows"]) == 100


def test_the_hub_says_by_itself_that_the_last_level_is_over() -> None:
    """Nobody taps: at zero the room is told why the clock stands there."""
    with Rig() as rig:
        rig.create("home-poker-tourney", {7: 4})
        director, phone = rig.director(), rig.peer()
        steps = [{"small": 100, "big": 200, "minutes": 2}]
        assert isinstance(director.do("structure.set", steps=steps), Done)
        assert "last_level_over" not in follow(phone, "t/1")["notices"]
        rig.run(3 * 60_000)
        event = follow(phone, "t/1")
        assert event["clock"]["remaining_ms"] == 0
        assert "last_level_over" in event["notices"]
