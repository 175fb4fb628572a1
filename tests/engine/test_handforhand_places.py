"""Places in hand-for-hand: shared between tables, by stack on one table; the way to the money."""

import pytest

from tests.night import Night, given


def playing(tables: dict[int, int]) -> Night:
    """Give a room in its first hand-for-hand hand, a hand in progress at every table."""
    night = given("apl", tables)
    night.do("h4h.announce")
    night.do("h4h.next")
    for table in tables:
        night.do("hand.start", table=table)
    return night


def finishes(night: Night) -> dict[str, tuple[int, int]]:
    """Give the place of every player who is out, and how many share from that place on."""
    found = night.event()["field"]["finishes"]
    return {finish["player"]: (finish["place"], finish["shared"]) for finish in found}


def over(night: Night, *tables: int) -> None:
    """End the hand at some tables and release the next."""
    for table in tables:
        night.do("hand.end", table=table)
    night.do("h4h.next")


# ── who shares ───────────────────────────────────────────────────────────────────────────────────


def test_busts_on_different_tables_share_whatever_their_stacks() -> None:
    """Of fifteen, one at each of three tables: all three share 13th to 15th."""
    night = playing({1: 5, 2: 5, 3: 5})
    night.do("player.bust", player="1-1", stack=9_000)
    night.do("player.bust", player="2-1", stack=10)
    night.do("player.bust", player="3-1", stack=500)
    assert finishes(night) == {"1-1": (13, 3), "2-1": (13, 3), "3-1": (13, 3)}


@pytest.mark.parametrize("order", [("1-1", "1-2"), ("1-2", "1-1")])
def test_on_one_table_the_larger_stack_places_higher(order: tuple[str, str]) -> None:
    """4,000 before the hand is 9th and 300 is 10th, in whichever order they are told."""
    night = playing({1: 5, 2: 5})
    stacks = {"1-1": 4_000, "1-2": 300}
    for player in order:
        night.do("player.bust", player=player, stack=stacks[player])
    assert finishes(night) == {"1-1": (9, 1), "1-2": (10, 1)}


def test_equal_stacks_on_one_table_share() -> None:
    """Nobody had more, so the place is shared."""
    night = playing({1: 5, 2: 5})
    night.do("player.bust", player="1-1", stack=300)
    night.do("player.bust", player="1-2", stack=300)
    assert finishes(night) == {"1-1": (9, 2), "1-2": (9, 2)}


@pytest.mark.parametrize(
    "order", [("1-1", "1-2", "2-1"), ("1-2", "2-1", "1-1"), ("2-1", "1-2", "1-1")]
)
def test_two_on_one_table_and_one_on_another(order: tuple[str, str, str]) -> None:
    """The best of each table share 8th and 9th; the smaller stack of table 1 is 10th."""
    night = playing({1: 5, 2: 5})
    stacks = {"1-1": 4_000, "1-2": 300, "2-1": 900}
    for player in order:
        night.do("player.bust", player=player, stack=stacks[player])
    assert finishes(night) == {"1-1": (8, 2), "2-1": (8, 2), "1-2": (10, 1)}


def test_two_on_each_of_two_tables() -> None:
    """The larger stacks share 7th and 8th, the smaller ones 9th and 10th."""
    night = playing({1: 5, 2: 5})
    for player, stack in (("1-1", 4_000), ("2-1", 90), ("1-2", 300), ("2-2", 80)):
        night.do("player.bust", player=player, stack=stack)
    assert finishes(night) == {"1-1": (7, 2), "2-1": (7, 2), "1-2": (9, 2), "2-2": (9, 2)}


# ── what belongs to one hand ─────────────────────────────────────────────────────────────────────


def test_busts_of_two_hands_do_not_share() -> None:
    """Out in hand 1 is 10th, out in hand 2 is 9th, though on different tables."""
    night = playing({1: 5, 2: 5})
    night.do("player.bust", player="1-1")
    over(night, 1, 2)
    night.do("player.bust", player="2-1")
    assert finishes(night) == {"1-1": (10, 1), "2-1": (9, 1)}


def test_a_bust_told_while_the_room_holds_belongs_to_the_hand_just_played() -> None:
    """The dealers end the hand first and the floor enters the busts after it: they share."""
    night = playing({1: 5, 2: 5})
    night.do("player.bust", player="1-1")
    night.do("hand.end", table=1)
    night.do("hand.end", table=2)
    assert night.event()["h4h"]["status"] == "holding"
    night.do("player.bust", player="2-1")
    assert finishes(night) == {"1-1": (9, 2), "2-1": (9, 2)}


def test_the_announced_hand_and_the_first_one_do_not_share() -> None:
    """The announced hand is a hand of its own."""
    night = given("apl", {1: 5, 2: 5})
    night.do("hand.start", table=1)
    night.do("h4h.announce")
    night.do("player.bust", player="1-1")
    over(night, 1)
    night.do("player.bust", player="2-1")
    assert finishes(night) == {"1-1": (10, 1), "2-1": (9, 1)}


def test_outside_hand_for_hand_tables_do_not_share() -> None:
    """In ordinary play, and again after the end, who goes out first is placed lower."""
    night = given("apl", {1: 5, 2: 5})
    night.do("hand.start", table=1)
    night.do("hand.start", table=2)
    night.do("player.bust", player="1-1", stack=9_000)
    night.do("player.bust", player="2-1", stack=10)
    assert finishes(night) == {"1-1": (10, 1), "2-1": (9, 1)}
    for table in (1, 2):
        night.do("hand.end", table=table)
        night.do("hand.start", table=table)
    night.do("h4h.announce")
    night.do("h4h.end")
    night.do("player.bust", player="1-2")
    night.do("player.bust", player="2-2")
    assert finishes(night)["1-2"] == (8, 1)
    assert finishes(night)["2-2"] == (7, 1)


def test_outside_hand_for_hand_one_tables_hand_is_settled_by_stack() -> None:
    """Two out on one hand of one table: the larger stack is placed higher, however told."""
    night = given("apl", {1: 5, 2: 5})
    night.do("hand.start", table=1)
    night.do("player.bust", player="1-1", stack=900)
    night.do("player.bust", player="1-2", stack=100)
    assert finishes(night) == {"1-1": (9, 1), "1-2": (10, 1)}


def test_a_bust_at_another_table_in_between_does_not_part_a_hand() -> None:
    """Two out on one hand of table 1: the larger stack is higher, whoever else was told between."""
    night = given("apl", {1: 5, 2: 5})
    night.do("hand.start", table=1)
    night.do("hand.start", table=2)
    night.do("player.bust", player="1-1", stack=900)
    night.do("player.bust", player="2-1", stack=500)
    night.do("player.bust", player="1-2", stack=100)
    assert finishes(night)["1-1"][0] < finishes(night)["1-2"][0]


def test_a_bust_in_between_does_not_take_a_place_twice() -> None:
    """Equal stacks of one hand share two of the three places; the third is the other's alone."""
    night = given("apl", {1: 5, 2: 5})
    night.do("hand.start", table=1)
    night.do("hand.start", table=2)
    night.do("player.bust", player="1-1", stack=100)
    night.do("player.bust", player="2-1", stack=500)
    night.do("player.bust", player="1-2", stack=100)
    found = finishes(night)
    assert found["1-1"] == found["1-2"]
    place, shared = found["1-1"]
    taken = [*range(place, place + shared), found["2-1"][0]]
    assert sorted(taken) == [8, 9, 10]


def test_a_table_that_is_opened_again_has_new_hands() -> None:
    """Hand 1 of the new table 2 is not hand 1 of the old one: the busts do not belong together."""
    night = given("apl", {1: 6, 2: 3})
    night.do("hand.start", table=2)
    night.do("player.bust", player="2-1", stack=100)
    night.do("hand.end", table=2)
    night.do("seat.move", player="2-2", table=1, seat=7)
    night.do("seat.move", player="2-3", table=1, seat=8)
    night.do("table.close", table=2)
    night.do("table.open", table=2)
    night.do("seat.move", player="2-2", table=2, seat=2)
    night.do("hand.start", table=2)
    night.do("player.bust", player="2-2", stack=100)
    assert finishes(night) == {"2-1": (9, 1), "2-2": (8, 1)}


def test_a_player_who_comes_back_joins_no_busts_together() -> None:
    """One goes out and enters again; whoever goes out next is not of the same hand."""
    night = given("apl", {1: 5})
    night.do("player.bust", player="1-1")
    night.do("seat.put", player="1-1", table=1, seat=1)
    night.do("player.bust", player="1-2")
    assert finishes(night)["1-2"] == (5, 1)


def test_a_player_who_comes_back_in_the_same_hand_has_no_place() -> None:
    """Of five, one goes out and enters again before the other bust of the hand is told: 5th."""
    night = given("star-brisbane-saturday", {1: 5})
    night.do("hand.start", table=1)
    night.do("player.bust", player="1-1", stack=100)
    night.do("seat.put", player="1-1", table=1, seat=1)
    night.do("player.bust", player="1-2", stack=100)
    assert night.event()["field"]["left"] == 4
    assert finishes(night) == {"1-2": (5, 1)}


# ── soft ─────────────────────────────────────────────────────────────────────────────────────────


def test_soft_a_bust_of_the_lead_is_of_the_next_hand() -> None:
    """1-1 goes out in hand 2 at the leading table, 2-1 later in hand 1: 2-1 is 10th, 1-1 9th."""
    night = given("apl", {1: 5, 2: 5})
    night.do("h4h.announce", soft=True)
    night.do("h4h.next")
    night.do("hand.start", table=2)
    night.do("hand.start", table=1)
    night.do("hand.end", table=1)
    night.do("hand.start", table=1)
    night.do("player.bust", player="1-1", stack=50)
    night.do("player.bust", player="2-1", stack=50)
    assert finishes(night) == {"2-1": (10, 1), "1-1": (9, 1)}


def test_soft_the_same_hand_is_shared_though_played_at_different_times() -> None:
    """Both go out in hand 2, one at the lead and one after the others caught up: they share."""
    night = given("apl", {1: 5, 2: 5})
    night.do("h4h.announce", soft=True)
    night.do("h4h.next")
    night.do("hand.start", table=2)
    night.do("hand.start", table=1)
    night.do("hand.end", table=1)
    night.do("hand.start", table=1)
    night.do("player.bust", player="1-1")
    night.do("hand.end", table=2)
    night.do("hand.start", table=2)
    night.do("player.bust", player="2-1")
    assert finishes(night) == {"1-1": (9, 2), "2-1": (9, 2)}


# ── the way to the money ─────────────────────────────────────────────────────────────────────────


def test_the_count_to_the_money_goes_down_with_every_bust() -> None:
    """Ten left and eight paid: two to go, one, none; and none it stays."""
    night = given("apl", {1: 5, 2: 5})
    assert night.event()["field"]["to_money"] is None  # nobody has said how many are paid
    night.do("places.set", places=8)
    night.do("h4h.announce")
    counted = [night.event()["field"]["to_money"]]
    for player in ("1-1", "2-1", "1-2"):
        night.do("player.bust", player=player)
        counted.append(night.event()["field"]["to_money"])
    assert counted == [2, 1, 0, 0]


def test_the_count_follows_the_houses_table_of_places() -> None:
    """Brisbane pays two places for 9 to 16 entries: of twelve, ten must go."""
    night = given("star-brisbane-friday", {1: 6, 2: 6})
    assert night.event()["field"]["to_money"] == 10
    night.do("places.set", places=3)
    assert night.event()["field"]["to_money"] == 9
    night.do("places.set", places=None)
    assert night.event()["field"]["to_money"] == 10


def test_more_busts_than_places_before_the_money_share_into_it() -> None:
    """One to go, two bust on different tables in one hand: both share the last paid place."""
    night = playing({1: 5, 2: 5})
    night.do("places.set", places=9)
    night.do("player.bust", player="1-1")
    night.do("player.bust", player="2-1")
    assert finishes(night) == {"1-1": (9, 2), "2-1": (9, 2)}


def test_the_last_one_seated_has_won_when_it_is_over() -> None:
    """Nobody busts the winner: first place is theirs once the event is finished, not before."""
    night = given("selkirk-main", {1: 3, 2: 1})
    for player in ("1-2", "2-1", "1-3"):
        night.do("player.bust", player=player)
    assert "1-1" not in finishes(night)
    night.do("event.finish")
    assert finishes(night)["1-1"] == (1, 1)
    night.do("undo")
    assert "1-1" not in finishes(night)


def test_a_deal_has_no_winner() -> None:
    """Where several are left, or the last one has no seat, nobody is given the first place."""
    night = given("selkirk-main", {1: 3})
    night.do("player.bust", player="1-1")
    night.do("event.finish")
    assert finishes(night) == {"1-1": (3, 1)}
    night = given("selkirk-main", {1: 2})
    night.do("player.bust", player="1-1")
    night.do("seat.clear", player="1-2")
    night.do("event.finish")
    assert 1 not in {place for place, _ in finishes(night).values()}
