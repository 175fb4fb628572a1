"""The books of the room: who owes chips, which tables are waited for, who finished where."""

from __future__ import annotations

from tests.night import Night, given, minutes, rules_of, seconds

STAR = "star-brisbane-saturday"


def finishes(night: Night) -> dict[str, tuple[int, int]]:
    """Give who is out, with their place and how many share it."""
    found = night.event()["field"]["finishes"]
    return {finish["player"]: (finish["place"], finish["shared"]) for finish in found}


# ── chips owed ───────────────────────────────────────────────────────────────────────────────────


def owing() -> Night:
    """Give a room in which seat 2 of table 1 owes two chips."""
    night = given(STAR, {1: 4, 2: 4})
    night.do("hand.start", table=1, button=1)
    night.do("action.start", table=1, seat=2)
    night.do("action.bank", table=1, seat=2, chips=2)
    night.do("action.stop", table=1)
    assert night.table(1)["collect"] == [{"seat": 2, "chips": 2}]
    return night


def test_chips_owed_go_along_with_a_move() -> None:
    """The debt is collected where the player sits now, and paid it is paid."""
    night = owing()
    night.do("seat.move", player="1-2", table=2, seat=7)
    assert night.table(1)["collect"] == []
    assert night.table(2)["collect"] == [{"seat": 7, "chips": 2}]
    assert night.refused("collect.done", table=1, seat=2) == "no_chips"
    night.do("collect.done", table=2, seat=7)
    assert night.table(2)["collect"] == []


def test_chips_owed_go_with_who_is_out() -> None:
    """The next one in that seat owes nothing, and neither does who enters again."""
    night = owing()
    night.do("player.bust", player="1-2")
    assert night.table(1)["collect"] == []
    night.do("seat.put", player="late", table=1, seat=2)
    assert night.table(1)["collect"] == []
    night.do("seat.put", player="1-2", table=1, seat=9)
    assert night.table(1)["collect"] == []
    assert night.table(1)["seats"]["9"]["bank"] == 4


def test_chips_owed_wait_for_who_has_no_seat() -> None:
    """Without a seat for a while, a player still owes what was spent."""
    night = owing()
    night.do("seat.clear", player="1-2")
    night.do("seat.put", player="1-2", table=2, seat=5)
    assert night.table(2)["collect"] == [{"seat": 5, "chips": 2}]


def test_undoing_a_collection_brings_the_debt_back() -> None:
    """The tap was wrong: the chips are owed again."""
    night = owing()
    night.do("collect.done", table=1, seat=2)
    night.do("undo")
    assert night.table(1)["collect"] == [{"seat": 2, "chips": 2}]


# ── tables that nobody sits at ───────────────────────────────────────────────────────────────────


def h4h(night: Night) -> tuple[str, int, dict[str, str]]:
    """Give the status of hand-for-hand, for how many tables it waits, and what each does."""
    found = night.event()["h4h"]
    return found["status"], found["pending"], found["tables"]


def test_an_empty_table_does_not_hold_up_hand_for_hand() -> None:
    """Nobody will ever finish a hand there."""
    night = given("apl", {1: 4, 2: 4, 3: 0})
    night.do("h4h.announce")
    night.do("h4h.next")
    assert h4h(night) == ("playing", 2, {"1": "playing", "2": "playing", "3": "done"})
    night.do("h4h.done", table=1)
    night.do("h4h.done", table=2)
    assert h4h(night)[:2] == ("holding", 0)
    night.do("h4h.next")
    assert night.event()["h4h"]["hand"] == 2


def test_a_table_that_empties_is_done() -> None:
    """Its last player moves away in the middle of the hand: the room waits no longer."""
    night = given("apl", {1: 4, 2: 1})
    night.do("h4h.announce")
    night.do("h4h.next")
    night.do("h4h.done", table=1)
    assert h4h(night)[:2] == ("playing", 1)
    night.do("seat.move", player="2-1", table=1, seat=9)
    assert h4h(night) == ("holding", 0, {"1": "done", "2": "done"})


def test_a_table_that_a_bust_empties_is_done() -> None:
    """In the announced hand as well, and with an all-in that nobody is left for."""
    night = given("apl", {1: 4, 2: 2})
    for table in (1, 2):
        night.do("hand.start", table=table)
    night.do("h4h.announce")
    night.do("h4h.all_in", table=2)
    night.do("player.bust", player="2-1")
    night.do("player.bust", player="2-2")
    assert h4h(night) == ("announced", 1, {"1": "playing", "2": "done"})
    night.do("hand.end", table=1)
    assert h4h(night)[0] == "holding"
    assert finishes(night) == {"2-1": (5, 2), "2-2": (5, 2)}


def test_an_all_in_waits_for_no_empty_table() -> None:
    """A board is run when all tables are done at which anybody sits."""
    night = given("apl", {1: 4, 2: 4, 3: 0})
    night.do("h4h.announce")
    night.do("h4h.next")
    night.do("h4h.all_in", table=1)
    assert night.refused("h4h.runout", table=1) == "not_allowed"
    night.do("h4h.done", table=2)
    night.do("h4h.runout", table=1)


def test_a_table_that_gets_players_waits_for_the_next_hand() -> None:
    """As one does that is opened in the middle of a hand."""
    night = given("apl", {1: 4, 2: 4, 3: 0})
    night.do("h4h.announce")
    night.do("h4h.next")
    night.do("seat.move", player="1-4", table=3, seat=1)
    assert h4h(night)[2]["3"] == "done"
    assert night.refused("hand.start", table=3) == "not_allowed"
    night.do("h4h.done", table=1)
    night.do("h4h.done", table=2)
    night.do("h4h.next")
    assert h4h(night)[1:] == (3, {"1": "playing", "2": "playing", "3": "playing"})


def test_soft_hand_for_hand_does_not_run_away_in_an_empty_room() -> None:
    """The last table empties: the hand is over, and no next one is released to nobody."""
    night = given("apl", {1: 1})
    night.do("h4h.announce", soft=True)
    night.do("h4h.next")
    night.do("seat.clear", player="1-1")
    assert h4h(night)[0] == "holding"
    assert night.refused("h4h.next") == "not_allowed"


def test_without_names_every_table_is_waited_for() -> None:
    """Where nobody has entered, the room plays without names: tables report all the same."""
    night = given("apl", {1: 0, 2: 0})
    night.do("h4h.announce")
    night.do("h4h.next")
    night.do("h4h.done", table=1)
    assert h4h(night)[:2] == ("playing", 1)
    night.do("h4h.done", table=2)
    assert h4h(night)[0] == "holding"


def test_a_table_that_deals_without_names_is_waited_for() -> None:
    """Only the feature table keeps names: the others deal hands, and are in use."""
    night = given("apl", {1: 4, 2: 0})
    night.do("hand.start", table=2)
    night.do("h4h.announce")
    assert h4h(night) == ("announced", 1, {"1": "done", "2": "playing"})


def test_undoing_a_move_that_emptied_a_table_undoes_what_followed() -> None:
    """The hand was over because of it; so it is not."""
    night = given("apl", {1: 4, 2: 1})
    night.do("h4h.announce")
    night.do("h4h.next")
    night.do("h4h.done", table=1)
    night.do("seat.move", player="2-1", table=1, seat=9)
    night.do("undo")
    assert h4h(night) == ("playing", 1, {"1": "done", "2": "playing"})


COUNTED = rules_of("""
name = "Counted"
house = "Test"
registration = { closes_at_level = 3 }
[[structure.steps]]
small = 100
big = 200
hands = 1
[[structure.steps]]
small = 200
big = 400
minutes = 20
""")


def test_an_empty_table_does_not_hold_up_hands_per_level() -> None:
    """One hand each at the tables where anybody sits, and the level is over."""
    night = given(COUNTED, {1: 3, 2: 3, 3: 0})
    assert night.clock()["hands"] == {"each": 1, "tables_left": 2}
    for table in (1, 2):
        assert night.clock()["level"] == 1
        night.do("hand.start", table=table)
        night.do("hand.end", table=table)
    assert night.clock()["level"] == 2


def test_a_table_that_empties_has_played_its_hands() -> None:
    """The last table that the level waited for is broken: the level is over."""
    night = given(COUNTED, {1: 3, 2: 1})
    night.do("hand.start", table=1)
    night.do("hand.end", table=1)
    assert night.clock()["level"] == 1
    night.do("seat.move", player="2-1", table=1, seat=9)
    assert night.clock()["level"] == 2


FINAL = rules_of("""
name = "Final"
house = "Test"
registration = { closes_at_level = 1 }
[[structure.steps]]
small = 100
big = 200
minutes = 20
[action]
seconds = 30
chips = 2
introduce = "final_table"
""")


def test_an_empty_table_is_no_table_at_the_final() -> None:
    """The last but one table is empty though still open: the rest sit at the final table."""
    night = given(FINAL, {1: 4, 2: 1})
    assert night.event()["action_clock"] is None
    night.do("seat.move", player="2-1", table=1, seat=9)
    assert night.event()["action_clock"] is not None
    assert night.table(1)["seats"]["9"]["bank"] == 2


# ── places ───────────────────────────────────────────────────────────────────────────────────────


def test_a_late_entry_moves_who_is_out_one_place_down() -> None:
    """Ten entered and one went out, tenth; with an eleventh entry that is the eleventh place."""
    night = given("apl", {1: 5, 2: 5})
    night.do("player.bust", player="1-1")
    assert finishes(night) == {"1-1": (10, 1)}
    night.do("seat.put", player="late", table=1, seat=1)
    assert finishes(night) == {"1-1": (11, 1)}
    night.do("player.bust", player="2-1")
    assert finishes(night) == {"1-1": (11, 1), "2-1": (10, 1)}
    night.do("undo")
    night.do("undo", command="c15")
    assert finishes(night) == {"1-1": (10, 1)}


def test_a_late_entry_moves_a_round_that_still_grows() -> None:
    """Who busted in the same hand as one told after the entry still shares with them."""
    night = given("apl", {1: 5, 2: 5})
    night.do("hand.start", table=1)
    night.do("player.bust", player="1-1")
    night.do("seat.put", player="late", table=2, seat=9)
    night.do("player.bust", player="1-2")
    assert finishes(night) == {"1-1": (10, 2), "1-2": (10, 2)}


def test_who_enters_again_gives_the_place_up() -> None:
    """Who went out before keeps the place, who went out later is one lower."""
    night = given("apl", {1: 5, 2: 5})
    for player in ("1-1", "1-2", "1-3"):
        night.do("player.bust", player=player)
    assert finishes(night) == {"1-1": (10, 1), "1-2": (9, 1), "1-3": (8, 1)}
    night.do("seat.put", player="1-2", table=1, seat=2)
    assert finishes(night) == {"1-1": (10, 1), "1-3": (9, 1)}
    night.do("player.bust", player="1-2")
    assert finishes(night) == {"1-1": (10, 1), "1-3": (9, 1), "1-2": (8, 1)}


def test_who_shared_a_place_has_it_alone_when_the_other_enters_again() -> None:
    """Two shared ninth and tenth; one enters again, the other was tenth."""
    night = given("apl", {1: 5, 2: 5})
    night.do("hand.start", table=1)
    night.do("player.bust", player="1-1")
    night.do("player.bust", player="1-2")
    assert finishes(night) == {"1-1": (9, 2), "1-2": (9, 2)}
    night.do("seat.put", player="1-1", table=1, seat=1)
    assert finishes(night) == {"1-2": (10, 1)}


def test_places_stay_right_when_the_hand_is_long_forgotten() -> None:
    """An entry again after sixty more busts: everybody since is one place lower."""
    night = given("apl", dict.fromkeys(range(1, 9), 9))
    out = [f"{table}-{seat}" for table in range(1, 9) for seat in range(1, 9)]
    for player in out:
        night.do("player.bust", player=player)
    night.do("seat.put", player=out[1], table=1, seat=1)
    places = {finish.player: finish.place for finish in night.state.room.field.placed()}
    assert len(places) == 63
    assert places[out[0]] == 72
    assert [places[player] for player in out[2:]] == list(range(71, 9, -1))


def test_all_finishers_are_kept_and_the_newest_are_shown() -> None:
    """The event's document shows twelve of them."""
    night = given("apl", {1: 9, 2: 9})
    for number in range(1, 10):
        night.do("player.bust", player=f"1-{number}")
        night.do("player.bust", player=f"2-{number}") if number < 9 else None
    assert len(finishes(night)) == 12
    assert len(night.state.room.field.finishes) == 17


# ── which hand ───────────────────────────────────────────────────────────────────────────────────


def test_busts_long_after_a_hand_share_with_nobody() -> None:
    """The last tapped hand is over for a while: nobody knows which hands these were."""
    night = given("apl", {1: 5, 2: 5})
    night.do("hand.start", table=1)
    night.do("hand.end", table=1)
    night.later(minutes(2) + 1)
    night.do("player.bust", player="1-1")
    night.do("player.bust", player="1-2")
    assert finishes(night) == {"1-1": (10, 1), "1-2": (9, 1)}


def test_busts_told_soon_after_a_hand_are_of_it() -> None:
    """The pot is pushed, then the floor takes down who is out."""
    night = given("apl", {1: 5, 2: 5})
    night.do("hand.start", table=1)
    night.do("player.bust", player="1-1")
    night.do("hand.end", table=1)
    night.later(minutes(2))
    night.do("player.bust", player="1-2")
    assert finishes(night) == {"1-1": (9, 2), "1-2": (9, 2)}


def test_a_bust_told_in_the_next_hand_is_of_that_one() -> None:
    """Unless the hand is named."""
    night = given("apl", {1: 5, 2: 5})
    night.do("hand.start", table=1)
    night.do("player.bust", player="1-1")
    night.do("hand.start", table=1)
    night.do("player.bust", player="1-2")
    assert finishes(night) == {"1-1": (10, 1), "1-2": (9, 1)}
    night.do("player.bust", player="1-3", hand=1)
    assert finishes(night) == {"1-1": (9, 2), "1-3": (9, 2), "1-2": (8, 1)}


def test_a_hand_that_is_not_known_is_refused() -> None:
    """One that was not dealt yet, and one of long ago in which nobody went out."""
    night = given("apl", {1: 5, 2: 5})
    assert night.refused("player.bust", player="1-1", hand=1) == "bad_value"
    for _ in range(3):
        night.do("hand.start", table=1)
    assert night.refused("player.bust", player="1-1", hand=0) == "bad_value"
    assert night.refused("player.bust", player="1-1", hand=1) == "bad_value"
    assert night.refused("player.bust", player="1-1", hand=4) == "bad_value"
    night.do("player.bust", player="1-1", hand=2)


def test_a_bust_told_after_the_next_hand_names_its_own() -> None:
    """In hand-for-hand: three tables, and the third tells its bust when hand 2 is released."""
    night = given("apl", {1: 5, 2: 5, 3: 5})
    night.do("h4h.announce")
    night.do("h4h.next")
    night.do("player.bust", player="1-1")
    for table in (1, 2, 3):
        night.do("h4h.done", table=table)
    night.do("h4h.next")
    night.do("player.bust", player="2-1")
    night.do("player.bust", player="3-1", hand=1)
    assert finishes(night) == {"1-1": (14, 2), "3-1": (14, 2), "2-1": (13, 1)}
    assert night.refused("player.bust", player="3-2", hand=3) == "bad_value"
    night.do("player.bust", player="3-2", hand=0)
    assert finishes(night)["3-2"] == (15, 1)


def test_a_table_that_leads_may_name_the_next_hand() -> None:
    """In the soft form it plays the next hand already."""
    night = given("apl", {1: 5, 2: 5})
    night.do("h4h.announce", soft=True)
    night.do("h4h.next")
    night.do("hand.start", table=1)
    night.do("hand.end", table=1)
    night.do("hand.start", table=1)
    night.do("player.bust", player="1-1", hand=2)
    assert night.refused("player.bust", player="2-1", hand=2) == "bad_value"
    night.do("player.bust", player="2-1")
    assert finishes(night) == {"2-1": (10, 1), "1-1": (9, 1)}


def test_a_hand_for_hand_hand_of_long_ago_is_refused() -> None:
    """More than fifty hands with a bust since: its place cannot be found any more."""
    night = given("apl", dict.fromkeys(range(1, 9), 9))
    night.do("h4h.announce", policy="run_on")
    for number in range(52):
        night.do("h4h.next")
        night.do("player.bust", player=f"{number // 8 + 1}-{number % 8 + 1}")
        for table in range(1, 9):
            night.do("h4h.done", table=table)
        night.later(seconds(1))
    assert night.refused("player.bust", player="8-8", hand=1) == "bad_value"
    night.do("player.bust", player="8-8", hand=40)
