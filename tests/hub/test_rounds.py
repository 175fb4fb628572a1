"""Rounds: everybody is looked at in the second in which something may be due, and only then."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from server.access import Badge
from server.rounds import Rounds
from server.visitor import PING_EVERY, Visitor
from tests.hub.test_trust_kit import guest
from tests.rig import Rig


def test_everybody_is_found_in_the_second_after() -> None:
    """A second that has come is taken out once, in the order in which it was filled."""
    rounds: Rounds[str] = Rounds()
    for who, at in (("b", 1_500), ("a", 1_999), ("c", 2_000), ("d", 90_000)):
        rounds.plan(who, at)
    assert rounds.due(1_999) == []
    assert rounds.due(2_000) == ["b", "a"]
    assert rounds.due(2_999) == []
    assert rounds.due(89_000) == ["c"]


def test_a_new_plan_takes_the_place_of_the_old() -> None:
    """Nobody is looked at twice, and who was forgotten is not looked at."""
    rounds: Rounds[str] = Rounds()
    rounds.plan("a", 5_000)
    rounds.plan("a", 1_000)
    rounds.plan("b", 1_000)
    rounds.forget("b")
    rounds.forget("nobody")
    assert rounds.due(60_000) == ["a"]
    assert rounds.due(60_000) == []


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9_000) | st.none()), max_size=40))
def test_the_newest_plan_of_everybody_is_kept(plans: list[tuple[int, int | None]]) -> None:
    """Whatever is planned and forgotten, each is found once, in its second and not before."""
    rounds: Rounds[int] = Rounds()
    wanted: dict[int, int] = {}
    for who, at in plans:
        if at is None:
            rounds.forget(who)
            wanted.pop(who, None)
        else:
            rounds.plan(who, at)
            wanted[who] = at // 1_000 + 1
    for second in range(11):
        found = rounds.due(second * 1_000)
        assert sorted(found) == sorted(who for who, page in wanted.items() if page == second)


def test_a_viewer_who_only_watches_is_looked_at_seldom() -> None:
    """As often as there is a ping to send, not every second."""
    looks: list[int] = []
    look = Visitor.look

    def counted(visitor: Visitor, now: int) -> None:
        looks.append(now)
        look(visitor, now)

    with Rig() as rig:
        viewer = guest(rig)
        Visitor.look = counted  # type: ignore[method-assign]
        try:
            rig.run(10 * PING_EVERY["viewer"])
        finally:
            Visitor.look = look  # type: ignore[method-assign]
        assert not viewer.closed
        assert 9 <= len(looks) <= 21


def test_who_becomes_a_dealer_is_pinged_like_one() -> None:
    """A plan made for a viewer does not outlive the role."""
    with Rig() as rig:
        rig.create()
        device = guest(rig, Badge("viewer", "Tab"))
        director = guest(rig, Badge("director", "Dora"))
        director.done(
            "device.assign", device=device.visitor.device, role="dealer", event="1", table=7
        )
        before = device.visitor._pinged_at  # noqa: SLF001 - what is measured is when
        rig.run(PING_EVERY["dealer"] + 1_100)
        assert device.visitor._pinged_at > before  # noqa: SLF001
