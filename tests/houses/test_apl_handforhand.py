"""AP and AT: hand-for-hand in the Australian Poker League and on its Poker Tour.

The documents give no structure, so both houses play Railbird's own: levels of 15 minutes, 10/20
and then 15/30.
"""

from tests.night import Night, given, minutes, seconds

FIFTY_TWO = {1: 9, 2: 9, 3: 9, 4: 9, 5: 8, 6: 8}


def finishes(night: Night) -> dict[str, tuple[int, int]]:
    """Give the place of every player who is out, and how many share from that place on."""
    found = night.event()["field"]["finishes"]
    return {finish["player"]: (finish["place"], finish["shared"]) for finish in found}


def play_hand(night: Night, tables: int, ms: int) -> None:
    """Release a hand-for-hand hand that takes some time, and let every table report it."""
    night.do("h4h.next")
    night.later(ms)
    for table in range(1, tables + 1):
        night.do("h4h.done", table=table)


# ── AP-RP8: hand-for-hand ────────────────────────────────────────────────────────────────────────


def test_AP_RP8a_busts_on_the_announced_hand_share_the_place() -> None:
    """Paying 50, 52 left, 3 bust on the hand of the announcement: the three share 50th."""
    night = given("apl", FIFTY_TWO)
    night.do("places.set", places=50)
    for table in FIFTY_TWO:
        night.do("hand.start", table=table)
    night.do("h4h.announce")
    assert night.event()["field"]["to_money"] == 2
    night.do("player.bust", player="1-1", stack=900)
    night.do("player.bust", player="3-4", stack=100)
    night.do("player.bust", player="6-8", stack=5_000)
    assert finishes(night) == {"1-1": (50, 3), "3-4": (50, 3), "6-8": (50, 3)}
    field = night.event()["field"]
    assert (field["left"], field["to_money"]) == (49, 0)


def test_AP_RP8a_a_bust_before_the_announcement_does_not_share() -> None:
    """Eligibility starts with the announcement, not with the hand."""
    night = given("apl", FIFTY_TWO)
    for table in FIFTY_TWO:
        night.do("hand.start", table=table)
    night.do("player.bust", player="2-2")
    night.do("h4h.announce")
    night.do("player.bust", player="1-1")
    night.do("player.bust", player="3-4")
    assert finishes(night) == {"2-2": (52, 1), "1-1": (50, 2), "3-4": (50, 2)}


def test_AP_RP8b_a_hand_costs_two_minutes_however_long_it_takes() -> None:
    """Hands of twenty seconds and of ten minutes both take 2:00 off, under the limit of 3:00."""
    night = given("apl", {1: 4, 2: 4})
    night.do("h4h.announce")
    play_hand(night, 2, seconds(20))
    assert night.clock()["remaining_ms"] == minutes(13)
    play_hand(night, 2, minutes(10))
    assert night.clock()["remaining_ms"] == minutes(11)


def test_AP_RP8b_never_more_than_three_minutes_under_another_policy() -> None:
    """A director who lets the clock run still loses no more than 3:00 to a hand of ten minutes."""
    night = given("apl", {1: 4, 2: 4})
    night.do("h4h.announce", policy="run_to_cap")
    play_hand(night, 2, minutes(10))
    assert minutes(12) <= night.clock()["remaining_ms"] <= minutes(13)


def test_AP_RP8c_the_time_is_taken_off_hand_by_hand() -> None:
    """The clock shows 13:00, 11:00, 9:00 after one, two and three hands."""
    night = given("apl", {1: 4, 2: 4})
    night.do("h4h.announce")
    shown = []
    for _ in range(3):
        play_hand(night, 2, seconds(50))
        shown.append(night.clock()["remaining_ms"])
    assert shown == [minutes(13), minutes(11), minutes(9)]


def test_AP_RP8d_blinds_go_up_as_that_time_elapses() -> None:
    """With 1:00 left a hand costs 1:00 of this level and 1:00 of the next, which is dealt next."""
    night = given("apl", {1: 4, 2: 4})
    night.do("h4h.announce")
    night.do("clock.set", remaining_ms=minutes(1))
    night.do("h4h.next")
    night.do("hand.start", table=1)
    night.do("hand.end", table=1)
    night.do("h4h.done", table=2)
    clock = night.clock()
    assert (clock["level"], clock["small"], clock["big"]) == (2, 15, 30)
    assert clock["remaining_ms"] == minutes(14)
    night.do("h4h.next")
    night.do("hand.start", table=1)
    assert night.table(1)["level"] == 2


def test_AP_RP8f_an_all_in_waits_for_the_other_tables() -> None:
    """The all-in table can neither finish nor run its board before the others are done."""
    night = given("apl", {1: 4, 2: 4})
    night.do("h4h.announce")
    night.do("h4h.next")
    night.do("hand.start", table=1)
    night.do("hand.start", table=2)
    night.do("h4h.all_in", table=1)
    assert night.event()["h4h"]["tables"] == {"1": "all_in", "2": "playing"}
    assert night.refused("h4h.runout", table=1) == "not_allowed"
    assert night.refused("hand.end", table=1) == "not_allowed"
    assert night.refused("h4h.done", table=1) == "not_allowed"
    night.do("hand.end", table=2)
    night.do("h4h.runout", table=1)
    assert night.event()["h4h"]["tables"] == {"1": "runout", "2": "done"}
    night.do("hand.end", table=1)
    assert night.event()["h4h"]["status"] == "holding"


def test_AP_RP8f_no_more_cards_until_told() -> None:
    """An all-in table deals no street until the director lets it run its board."""
    night = given("apl", {1: 4, 2: 4})
    night.do("h4h.announce")
    night.do("h4h.next")
    night.do("hand.start", table=1)
    night.do("h4h.all_in", table=1)
    assert night.refused("street.next", table=1) == "not_allowed"
    night.do("h4h.done", table=2)
    night.do("h4h.runout", table=1)
    night.do("street.next", table=1)
    assert night.table(1)["hand"]["street"] == "flop"


def test_AP_V_j_busts_on_different_tables_share_and_on_one_table_the_smaller_goes_first() -> None:
    """Ten left, a bust at each of two tables shares 9th; two at one table do not share."""
    night = given("apl", {1: 5, 2: 5})
    night.do("h4h.announce")
    night.do("h4h.next")
    night.do("player.bust", player="1-1", stack=700)
    night.do("player.bust", player="2-1", stack=3_000)
    assert finishes(night) == {"1-1": (9, 2), "2-1": (9, 2)}
    night.do("h4h.done", table=1)
    night.do("h4h.done", table=2)
    night.do("h4h.next")
    night.do("player.bust", player="1-2", stack=4_000)
    night.do("player.bust", player="1-3", stack=400)
    assert finishes(night)["1-2"] == (7, 1)
    assert finishes(night)["1-3"] == (8, 1)


# ── AT-3.11: hand-for-hand on the Poker Tour ─────────────────────────────────────────────────────


def test_AT_3_11_2_eight_hands_remove_sixteen_minutes() -> None:
    """More than 50 left: the clock stands, and eight hands of 2:00 reach 1:00 into level 2."""
    night = given("apl-tour", FIFTY_TWO)
    night.do("h4h.announce")
    assert night.event()["h4h"]["status"] == "holding"
    night.later(minutes(5))
    assert night.clock()["remaining_ms"] == minutes(15)
    for _ in range(7):
        play_hand(night, 6, minutes(4))
    assert (night.clock()["level"], night.clock()["remaining_ms"]) == (1, minutes(1))
    play_hand(night, 6, minutes(4))
    assert (night.clock()["level"], night.clock()["remaining_ms"]) == (2, minutes(14))


def test_AT_3_11_2_the_clock_is_paused_during_the_hand() -> None:
    """With 51 left nothing runs off while the hand is played."""
    night = given("apl-tour", {**FIFTY_TWO, 6: 7})
    night.do("h4h.announce")
    night.do("h4h.next")
    night.later(minutes(9))
    clock = night.clock()
    assert (clock["status"], clock["ends_at"]) == ("paused", None)
    assert clock["remaining_ms"] == minutes(15)


def test_AT_3_11_3_under_50_left_the_clock_runs_on() -> None:
    """With 49 left the clock runs while hands are played and between them; nothing is removed."""
    night = given("apl-tour", {**FIFTY_TWO, 6: 5})
    assert night.event()["field"]["left"] == 49
    night.do("h4h.announce")
    play_hand(night, 6, minutes(4))
    assert (night.clock()["status"], night.clock()["remaining_ms"]) == ("running", minutes(11))
    night.later(minutes(1))
    assert night.clock()["remaining_ms"] == minutes(10)


def test_AT_3_11_3_either_way_is_at_the_directors_discretion() -> None:
    """The director may deduct with 49 left, and let the clock run with 52."""
    few = given("apl-tour", {**FIFTY_TWO, 6: 5})
    few.do("h4h.announce", policy="deduct")
    play_hand(few, 6, minutes(4))
    assert few.clock()["remaining_ms"] == minutes(13)
    many = given("apl-tour", FIFTY_TWO)
    many.do("h4h.announce", policy="run_on")
    play_hand(many, 6, minutes(4))
    assert many.clock()["remaining_ms"] == minutes(11)


def test_AT_3_11_4_round_for_round_two_from_the_money() -> None:
    """Twelve left and ten paid: round-for-round is offered, and released as whole rounds."""
    night = given("apl-tour", {1: 6, 2: 6})
    night.do("places.set", places=10)
    assert "round_for_round" in night.event()["notices"]
    night.do("h4h.announce", unit="round")
    assert night.event()["h4h"]["unit"] == "round"
    assert "round_for_round" not in night.event()["notices"]


def test_AT_3_11_4_not_three_from_the_money() -> None:
    """Twelve left and nine paid is too early for rounds, though not for hands."""
    night = given("apl-tour", {1: 6, 2: 6})
    night.do("places.set", places=9)
    assert "round_for_round" not in night.event()["notices"]
    assert night.refused("h4h.announce", unit="round") == "not_allowed"
    night.do("h4h.announce")
    assert night.event()["h4h"]["unit"] == "hand"
