"""The scene at a table: in which of its states the play is, and what the big button does in it.

    between_hands ─NEW HAND─▶ to_start ─START─▶ running ─NEXT─▶ running … ─▶ round_over
          ▲                                       │ ▲                       FLOP │
          │                                       │ └─NEXT── held ◀─COUNT─       ├─▶ running …
          │                                       │                              ├─▶ run_out
          └──────────HAND OVER────────────────────┴── hand_ends, showdown ◀──────┘

The big button is what comes next, as the hub says it (`hand.next`). Its place never changes, so
that a dealer taps it without looking; its words do.
"""

from collections.abc import Callable
from dataclasses import replace

from dealer_console import phrases
from dealer_console.rounds import count_words, last_to_act, onward, over, posts, round_scene
from dealer_console.sight import SECOND, Button, Document, Look, Scene, Sight
from server.protocol.countdown import remaining

__all__ = ["SCENES", "scene"]


def scene(look: Look) -> Scene:
    """Say which scene it is: the first that fits."""
    table, event = look.table, look.event
    if table is None or event is None:
        away = look.freshness != "fresh"
        shut = "is closed" if look.was_open else "is not open yet"
        detail = "looking for the hub" if away else f"table {look.number} {shut}"
        label = "NO HUB" if away else "NO TABLE"
        return Scene("no_table", word=label, detail=detail, big=Button("big", label))
    sight = Sight(look, table, event)
    for find in SCENES:
        found = find(sight)
        if found is not None:
            return found
    return _between_hands(sight)


# ── the room ─────────────────────────────────────────────────────────────────────────────────────


def _closed(sight: Sight) -> Scene | None:
    clock = sight.event["clock"]
    now = sight.look.now
    match clock["status"]:
        case "waiting" | "suspended" as status:
            at = clock["starts_at"] if status == "waiting" else clock["resumes_at"]
            label = "NOT STARTED" if status == "waiting" else "SUSPENDED"
            detail = "" if at is None else "play begins in"
            left = None if at is None else max(0, at - now)
            big = sight.button("WAIT", "the director starts the clock")
            return Scene(status, None, label, detail, left, stands=not left, big=big)
        case "finished":
            return Scene("finished", word="FINISHED", big=sight.button("FINISHED"))
        case _:
            return None


def _paused(sight: Sight) -> Scene | None:
    """Say that the table stands, or that the whole room does."""
    clock, table = sight.event["clock"], sight.table
    by_rule = clock["reason"] in phrases.HELD_BY_RULES
    if table["paused"] is not None:
        state, word, reason = "paused", "TABLE PAUSED", table["paused"]
        reason = "" if reason == "paused" else reason
    elif clock["status"] == "paused" and not by_rule:
        state, word, reason = "room_paused", "ROOM PAUSED", clock["reason"] or ""
    else:
        return None
    action, called = table["action"], table["called"]
    shown = action if action["remaining_ms"] is not None else called
    big = sight.button("PAUSED", "the floor resumes play")
    if state == "paused" and sight.look.role != "dealer":
        big = sight.button("GO ON", "table resumes", sight.look.to("table.resume"))
    return Scene(
        state,
        shown["seat"],
        word,
        reason,
        shown["remaining_ms"],
        span=sight.base(shown["seat"]) or 0,
        big=big,
    )


# ── clocks ───────────────────────────────────────────────────────────────────────────────────────


def _called(sight: Sight) -> Scene | None:
    called, look = sight.table["called"], sight.look
    if called["status"] == "off":
        return None
    seat = called["seat"]
    if called["status"] == "expired":
        return _ran_out(sight, "called", seat, called["outcome"])
    left = remaining(called, look.now)
    counting = called["status"] == "countdown"
    return Scene(
        "called_countdown" if counting else "called",
        seat,
        "COUNT DOWN" if counting else "CLOCK CALLED",
        "",
        left,
        stands=called["ends_at"] is None,
        span=sight.event["called_clock"]["seconds"] * SECOND,
        big=sight.button("PLAYER ACTED", sight.name(seat), look.to("called.stop")),
    )


def _action(sight: Sight) -> Scene | None:
    action = sight.table["action"]
    match action["status"]:
        case "idle":
            return None
        case "expired":
            return _ran_out(sight, "expired", action["seat"], action["outcome"])
        case "held" if action["acted"] and sight.comes not in (None, "act"):
            return None  # a bet that nobody can answer: the round is over
        case "held":
            return _held(sight, action)
        case _:
            return _running(sight, action)


def _running(sight: Sight, action: Document) -> Scene:
    look, seat = sight.look, action["seat"]
    left = remaining(action, look.now) or 0
    rule, on_bank = sight.event["action_clock"], action["on_bank"]
    span = sight.base(seat) or 0
    if on_bank and rule is not None:
        span = on_bank * rule["chip_seconds"] * SECOND
    state, word, detail = ("on_bank", "TIME BANK", "") if on_bank else ("running", "", "")
    if left == 0 or action["status"] == "expiring":
        state, word = "expiring", "TIME"
        detail = "" if look.freshness == "fresh" else "the hub rules when it is back"
    following = sight.after(seat)
    if look.simple:
        big = sight.button(
            "RESTART", "full time for the next player", look.to("action.start", seat=None)
        )
    elif following is None and sight.comes == "act" and seat is not None:
        big = last_to_act(sight)
    elif following is None:
        note = "tap the seat that is next" if seat is None else "nobody is left to act"
        big = sight.button("DONE", note, look.to("action.next"))
    else:
        big = sight.button("NEXT PLAYER", sight.name(following), look.to("action.next"))
    stands = action["ends_at"] is None
    return Scene(state, seat, word, detail, left, stands=stands, span=span, big=big)


def _held(sight: Sight, action: Document) -> Scene:
    look, seat, left = sight.look, action["seat"], action["remaining_ms"]
    held = Scene("held", seat, "COUNTING", "", left, span=sight.base(seat) or 0)
    if action["acted"]:
        note = f"full time for {sight.name(seat)}"
        big = sight.button("NEXT PLAYER", note, look.to("action.next"))
        return replace(held, detail=count_words(sight, seat), big=big)
    big = sight.button("GO ON", sight.name(seat), look.to("action.release"))
    if action["interrupted"]:
        detail = "the link was lost: nobody lost time"
        return replace(held, state="interrupted", word="INTERRUPTED", detail=detail, big=big)
    return replace(held, state="clock_held", word="CLOCK HELD", big=big)


OUTCOMES = {
    "dead": ("DEAD HAND", "time ran out facing a bet"),
    "check": ("CHECK", "time ran out, no bet to face"),
    "time": ("TIME", "dead if facing a bet, else check; a chip: tap the seat"),
    "needs_ruling": ("FLOOR RULES", "time ran out while this table could not be heard"),
}
"""What the end of a player's time means, in words (SB-47j, AP-29)."""


def _ran_out(sight: Sight, kind: str, seat: int | None, outcome: str) -> Scene:
    look = sight.look
    word, detail = OUTCOMES[outcome]
    state = "needs_ruling" if outcome == "needs_ruling" else f"{kind}_{outcome}"
    if state == "needs_ruling":
        floor = None if sight.table["floor"] is not None else look.to("floor.call")
        big = sight.button("CALL FLOOR" if floor else "FLOOR CALLED", "the floor must rule", floor)
    elif look.simple:
        big = sight.button(
            "RESTART", "full time for the next player", look.to("action.start", seat=None)
        )
    else:
        big = onward(sight) or _goes_on(sight, kind, seat)
    return Scene(state, seat, word, detail, 0, big=big)


def _goes_on(sight: Sight, kind: str, seat: int | None) -> Button:
    """Make the big button after a player's time ran out in a hand that knows no round."""
    if kind == "called":
        return sight.button("GO ON", "the hand goes on", sight.look.to("called.stop"))
    return sight.button("NEXT PLAYER", sight.name(sight.after(seat)), sight.look.to("action.next"))


# ── hand-for-hand, and hands ─────────────────────────────────────────────────────────────────────


def _hand_for_hand(sight: Sight) -> Scene | None:
    """Say what hand-for-hand asks; where a clock is in play, it goes on (SB-47k)."""
    status, h4h, look = sight.h4h, sight.event["h4h"], sight.look
    unit = h4h["unit"]
    match status:
        case "":
            return None
        case "all_in":
            big = sight.button("WAIT", "cards face down, no more cards")
            return Scene("h4h_all_in", None, "ALL-IN", "cards stay face down until told", big=big)
        case "runout":
            return Scene(
                "h4h_runout", None, "RUN THE BOARD", "then report the hand", big=over(sight)
            )
        case "playing" | "ahead":
            return _released(sight)
        case _:
            if sight.event["clock"]["phase"] == "break":
                return None
            if status == "done" and h4h["soft"] and h4h["status"] == "playing":
                big = sight.button("NEW HAND", "may lead by one hand", look.to("hand.start"))
                return Scene("h4h_done", None, "HAND DONE", "one more hand may be dealt", big=big)
            if h4h["status"] == "holding":
                hold = sight.button("HOLD", f"wait for the next {unit}")
                return Scene("h4h_hold", None, "HOLD", "every table is done", big=hold)
            others = phrases.counted(h4h["pending"], "table plays", "tables play")
            hold = sight.button("HOLD", "wait for the other tables")
            return Scene("h4h_done", None, "HAND DONE", f"{others} on", big=hold)


def _released(sight: Sight) -> Scene | None:
    """Say what a table does whose hand is released: it deals, plays as ever, and reports."""
    h4h, look, turn = sight.event["h4h"], sight.look, sight.hand["turn"]
    if not sight.hand["in_progress"]:
        released = f"{h4h['unit']} {h4h['hand']} is released"
        note = REPLAYED if sight.hand.get("misdealt") else released
        big = sight.button("NEW HAND", note, look.to("hand.start"))
        return Scene("h4h_deal", None, "DEAL", note, big=big)
    if sight.base(turn) is not None and (turn is not None or look.simple):
        return None
    if sight.comes is not None:
        return round_scene(sight)
    return Scene("h4h_playing", None, "", "report when the hand is over", big=over(sight))


def _in_hand(sight: Sight) -> Scene | None:
    """Say what a hand waits for in which nobody's time runs."""
    look, turn = sight.look, sight.hand["turn"]
    idle = sight.event["clock"]["phase"] == "break" and not sight.hand["in_progress"]
    if look.simple and sight.base(None) is not None and not idle:
        note = "time for whoever is to act"
        return Scene(
            "to_start", big=sight.button("START", note, look.to("action.start", seat=None))
        )
    if not sight.hand["in_progress"]:
        return None
    if turn is not None and sight.base(turn) is not None:
        big = sight.button("START", sight.name(turn), look.to("action.next"))
        left = sight.base(turn)
        return Scene("to_start", turn, "TO ACT", posts(sight), left, span=1, big=big)
    found = round_scene(sight)
    if found is not None:
        return found
    detail = "" if sight.event["action_clock"] is None else "tap the seat that is to act"
    return Scene("idle", None, "HAND IN PLAY", detail, big=over(sight))


def _break(sight: Sight) -> Scene | None:
    clock = sight.event["clock"]
    if clock["reason"] == "hard_stop" and clock["status"] == "paused":
        big = sight.button("NO NEW HAND", "play has ended for tonight")
        return Scene("hard_stop", None, "TIME IS UP", "no new hand tonight", big=big)
    if clock["phase"] != "break":
        return None
    left = remaining(clock, sight.look.now)
    detail = "the director calls you back" if left is None else "play goes on in"
    return Scene(
        "break",
        None,
        "BREAK",
        detail,
        left,
        stands=clock["ends_at"] is None,
        span=clock["length_ms"] or 0,
        big=sight.button("BREAK", "no new hand"),
    )


REPLAYED = "replay: same button, same level"
"""What the next hand is after a misdeal (AP-35C)."""


def _between_hands(sight: Sight) -> Scene:
    following = phrases.blinds(sight.table["next_hand"] or sight.table)
    start = sight.look.to("hand.start")
    if sight.hand.get("misdealt"):
        big = sight.button("REPLAY HAND", phrases.blinds(sight.table), start)
        return Scene("replay", None, "MISDEAL", REPLAYED, big=big)
    big = sight.button("NEW HAND", following, start)
    return Scene("between_hands", None, "BETWEEN HANDS", "tap as the hand begins", big=big)


SCENES: tuple[Callable[[Sight], Scene | None], ...] = (
    _closed,
    _paused,
    _called,
    _action,
    _hand_for_hand,
    _in_hand,
    _break,
)
"""What to look for, in this order; otherwise it is between hands."""
