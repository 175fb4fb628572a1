"""Pages of results: everybody who is out, best place first."""

from __future__ import annotations

from server.engine import pages_of, results_document, results_view
from tests.night import given

SATURDAY = "star-brisbane-saturday"


def test_all_finishers_are_there_best_place_first() -> None:
    """Nine play, four go out one after the other; the event is over with five left."""
    night = given(SATURDAY, {1: 9})
    for seat in (3, 7, 1, 9):
        night.do("player.bust", player=f"1-{seat}")
    page = results_document(night.state, 1, night.now)
    assert page is not None
    assert [(row["place"], row["player"]) for row in page["rows"]] == [
        (6, "1-9"),
        (7, "1-1"),
        (8, "1-7"),
        (9, "1-3"),
    ]
    assert (page["page"], page["pages"], page["total"]) == (1, 1, 4)


def test_a_page_that_does_not_exist_is_none() -> None:
    """The first page is always there, also when nobody is out."""
    night = given(SATURDAY, {1: 2})
    first = results_document(night.state, 1, night.now)
    assert first is not None
    assert first["rows"] == []
    assert results_document(night.state, 2, night.now) is None
    assert results_document(night.state, 0, night.now) is None


def test_a_hundred_rows_fill_a_page() -> None:
    """The hundred and first is on the second."""
    assert [pages_of(number) for number in (0, 1, 100, 101, 200, 201)] == [1, 1, 1, 2, 2, 3]


def test_results_change_when_somebody_goes_out_or_enters_late() -> None:
    """So the hub publishes them then, and only then."""
    night = given(SATURDAY, {1: 4})
    before = results_view(night.state)
    night.do("clock.pause")
    assert results_view(night.state) == before
    night.do("player.bust", player="1-1")
    after = results_view(night.state)
    assert after != before
    night.do("seat.put", player="late", table=1, seat=9)
    assert results_view(night.state) != after
