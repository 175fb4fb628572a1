"""The wall: from an event's document and an instant to everything that is written on a screen.

One function for both worlds. The terminal paints what `wall` returns; the browser's twin is
`scenes.js`, and both are held to `tests/vectors/wall.json`. Nothing here knows a rule of poker, and
nothing is invented: what the hub does not say stays empty, and a renderer leaves it out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from display import words
from server.protocol.countdown import ahead, digits, next_flip, remaining

LAST_MINUTE = 60_000
OVERDUE = 250
"""So long after a level's end a screen waits for the hub before it takes the announced step itself:
longer than any document takes in a room, shorter than anybody looks at 0:00."""

Event = Mapping[str, Any]
"""An event's document, as topic `t/<id>` brings it."""


@dataclass(frozen=True, slots=True)
class Wall:
    """What a wall says. Text that is empty is not shown."""

    state: str  # waiting playing last_minute paused break hand_for_hand suspended finished
    freshness: str  # fresh coasting stale
    badge: str
    icon: str
    title: str
    house: str
    time: str  # of day
    hero: str  # the one thing that is biggest: digits, a number or a word
    hero_label: str
    under: str  # a line below the hero
    digits: str  # of the level clock, whatever the hero is
    held: bool  # the clock stands
    progress: int  # of the level or break, in thousandths
    band: str
    band_detail: str
    level: str
    blinds: str
    ante: str
    next_title: str
    next_line: str
    break_in: str
    entry_label: str
    entry: str
    players: str
    entries: str
    tables: str
    average: str
    average_bb: str
    money: str
    chips: tuple[str, ...]  # to take out of play on this break
    hard_stop: str
    winner: str
    placed: tuple[str, ...]  # the best of those who are out, when it is over
    announcement: str
    footer: str
    repaint_in: int  # milliseconds until anything above changes by itself


def shown_clock(event: Event, now: int, freshness: str) -> Mapping[str, Any]:
    """Give the clock to show: the hub's, or the announced step if the hub does not say."""
    clock: Mapping[str, Any] = event["clock"]
    ends_at = clock["ends_at"]
    # In hand-for-hand what is due may wait for a table: only the hub knows.
    if ends_at is None or event["h4h"]["status"] != "off":
        return clock
    if freshness == "fresh" and now < ends_at + OVERDUE:
        return clock
    return ahead(clock, now)


def state_of(event: Event, clock: Mapping[str, Any], now: int) -> str:
    """Say which of the eight states the room is in."""
    status: str = clock["status"]
    if status in ("finished", "suspended", "waiting"):
        return status
    stopped = status == "paused" and clock["reason"] not in words.HELD_BY_RULES
    if stopped or clock["reason"] == "hard_stop":
        return "paused"
    if event["h4h"]["status"] != "off":
        return "hand_for_hand"
    if status == "paused":
        return "paused"
    if clock["phase"] == "break":
        return "break"
    left = remaining(clock, now)
    return "last_minute" if left is not None and left <= LAST_MINUTE else "playing"


def wall(event: Event | None, now: int, freshness: str, offset: int = 0) -> Wall:
    """Say what a wall shows at an instant; `offset` is local time minus UTC in minutes."""
    if event is None:
        return _nothing(now, freshness, offset)
    clock = shown_clock(event, now, freshness)
    state = state_of(event, clock, now)
    left = _left(clock, state, now)
    hero, hero_label, under = _hero(event, clock, state, left)
    band, band_detail = _band(event, clock, state, now, offset)
    field = event["field"]
    stepped = clock is not event["clock"]
    break_in = None if stepped else clock["next_break_ms"]
    if break_in is not None and clock["phase"] == "level":
        break_in = max(0, break_in - _ran(event, now))
    entry_label, entry, closes_in = _entry(event, clock, now, stepped=stepped)
    next_title, next_line = words.following(clock["next"])
    last = "last_level" in event["notices"] and not stepped
    on_break = clock["phase"] == "break"
    open_ = event["registration"]["open"]  # who may still come makes the money another one
    finished = state == "finished"
    idle = state in ("waiting", "suspended", "finished")
    counting = clock["ends_at"] is not None or state in ("waiting", "suspended")
    # A break counts only itself down: the playing time until the next one stands still.
    others = [closes_in, None if on_break else break_in] if clock["ends_at"] is not None else []
    if clock["ends_at"] is not None and not left:
        others.append(clock["ends_at"] + OVERDUE - now)  # then the announced step is taken
    return Wall(
        state=state,
        freshness=freshness,
        badge=words.BADGES[freshness],
        icon=words.ICONS[state],
        title=event["name"],
        house=event["house"],
        time=words.time_of_day(now, offset),
        hero=hero,
        hero_label=hero_label,
        under=under,
        digits="" if left is None else digits(left),
        held=clock["status"] == "paused",
        progress=_progress(clock, state, left),
        band=band,
        band_detail=band_detail,
        level=str(clock["level"]),
        blinds=words.blinds(clock),
        ante=words.ante(clock),
        next_title="" if finished else "LAST LEVEL" if last else next_title,
        next_line="" if finished else next_line,
        break_in="" if break_in is None or on_break or idle else digits(break_in),
        entry_label="" if finished else entry_label,
        entry="" if finished else entry,
        players=words.grouped(field["left"]),
        entries=words.grouped(field["entries"]),
        tables=words.counted(field["tables"], "table", "tables") if field["tables"] else "",
        average="" if field["average_stack"] is None else words.grouped(field["average_stack"]),
        average_bb=_in_big_blinds(field["average_stack"], clock["big"]),
        money="" if finished or open_ else words.from_the_money(field["to_money"]),
        chips=tuple(words.grouped(chip) for chip in clock["colour_up"]) if on_break else (),
        hard_stop=_hard_stop(event, clock, now, offset),
        winner=_winner(event) if finished else "",
        placed=_placed(event) if finished else (),
        announcement=event["announcement"] or "",
        footer=words.hand_for_hand(event["h4h"]) or words.action_clock(event["action_clock"]),
        repaint_in=_repaint_in(now, [left if counting else None, *others]),
    )


def _nothing(now: int, freshness: str, offset: int) -> Wall:
    there = freshness == "fresh"
    return Wall(
        state="waiting",
        freshness=freshness,
        badge=words.BADGES[freshness],
        icon=words.ICONS["waiting"],
        title="Railbird",
        house="",
        time=words.time_of_day(now, offset),
        hero="",
        hero_label="",
        under="",
        digits="",
        held=False,
        progress=0,
        band="NO EVENT" if there else "NO HUB",
        band_detail="nothing is being played here yet" if there else "looking for it",
        level="",
        blinds="",
        ante="",
        next_title="",
        next_line="",
        break_in="",
        entry_label="",
        entry="",
        players="",
        entries="",
        tables="",
        average="",
        average_bb="",
        money="",
        chips=(),
        hard_stop="",
        winner="",
        placed=(),
        announcement="",
        footer="",
        repaint_in=_repaint_in(now, []),
    )


def _left(clock: Mapping[str, Any], state: str, now: int) -> int | None:
    """Say what is being counted: the level, the break, or the time until play begins."""
    if state == "finished":
        return None
    if state == "waiting" or (state == "suspended" and clock["resumes_at"] is not None):
        at = clock["starts_at"] if state == "waiting" else clock["resumes_at"]
        return None if at is None else max(0, at - now)
    return remaining(clock, now)


def _hero(
    event: Event, clock: Mapping[str, Any], state: str, left: int | None
) -> tuple[str, str, str]:
    """Choose what is biggest, with a label above and a line below."""
    time = "" if left is None else digits(left)
    on_break = clock["phase"] == "break"
    match state:
        case "finished":
            winner = _winner(event)
            return (winner, "WINNER", "") if winner else ("FINISHED", "", "")
        case "waiting":
            return (time, "STARTS IN", "") if time else ("WELCOME", "", "")
        case "suspended":
            if not time:
                return "SUSPENDED", "", ""
            return time, "CLOCK HELD AT" if clock["resumes_at"] is None else "BACK IN", ""
        case "hand_for_hand":
            return _hand_for_hand_hero(event, clock, time)
        case _:
            pass
    hands = clock["hands"]
    if not time and hands is not None and not on_break:
        to_go = words.counted(hands["tables_left"], "table", "tables")
        return str(hands["each"]), "HANDS AT EACH TABLE", f"{to_go} to go"
    if state == "paused":
        if not time:
            return "PAUSED", "", ""
        return time, "BREAK HELD AT" if on_break else "CLOCK HELD AT", ""
    if on_break:
        return time or "BREAK", "PLAY RESUMES IN" if time else "", ""
    return (time, "TIME LEFT IN LEVEL", "") if time else (f"LEVEL {clock['level']}", "", "")


def _hand_for_hand_hero(event: Event, clock: Mapping[str, Any], time: str) -> tuple[str, str, str]:
    h4h = event["h4h"]
    held = clock["status"] == "paused"
    at = f"clock held at {time}" if held else f"clock runs: {time}"
    cost = ""
    if h4h["cost_ms"] and h4h["policy"] != "run_on":
        verb = "costs" if h4h["policy"] == "run_to_cap" else "takes"
        cost = f"each {h4h['unit']} {verb} {digits(h4h['cost_ms'])}"
    if h4h["to_money"]:
        return str(h4h["to_money"]), "FROM THE MONEY", words.joined(at if time else "", cost)
    label = "CLOCK HELD AT" if held else "TIME LEFT IN LEVEL"
    return (time, label, cost) if time else ("HOLD" if held else "PLAY", "", cost)


def _band(
    event: Event, clock: Mapping[str, Any], state: str, now: int, offset: int
) -> tuple[str, str]:
    """Write the band across the screen: what the state is, and why or until when."""
    match state:
        case "waiting":
            return _waiting_band(clock["starts_at"], now, offset)
        case "last_minute":
            return "LAST MINUTE", f"of level {clock['level']}"
        case "paused":
            reason = clock["reason"] or ""
            name = "HARD STOP" if reason == "hard_stop" else "PAUSED"
            return name, words.HELD_BY_RULES.get(reason, reason)
        case "break":
            ends_at = clock["ends_at"]
            if ends_at is None:
                return "BREAK", "the director will call you back"
            return "BREAK", f"play resumes at {words.time_of_day(ends_at, offset)}"
        case "hand_for_hand":
            return _hand_for_hand_band(event, clock)
        case "suspended":
            at = clock["resumes_at"]
            back = "" if at is None else f"back {words.day_and_time(at, now, offset)}"
            return "SUSPENDED", back or clock["reason"] or ""
        case "finished":
            return "FINISHED", "thank you for playing"
        case _:
            return "", ""


def _waiting_band(at: int | None, now: int, offset: int) -> tuple[str, str]:
    if at is None:
        return "NOT STARTED", ""
    if at <= now:
        return "STARTS ANY MOMENT", f"was due at {words.time_of_day(at, offset)}"
    return f"STARTS {words.day_and_time(at, now, offset).upper()}", ""


def _hand_for_hand_band(event: Event, clock: Mapping[str, Any]) -> tuple[str, str]:
    h4h = event["h4h"]
    unit = h4h["unit"]
    total = len(h4h["tables"])
    done = total - h4h["pending"]
    count = f"{done} of {words.counted(total, 'table', 'tables')} done"
    number = f"{unit} {h4h['hand']}" if h4h["hand"] else ""
    waits = words.HELD_BY_RULES["break_waits"] if clock["reason"] == "break_waits" else ""
    near = words.from_the_money(h4h["to_money"])
    return f"{unit} for {unit}".upper(), words.joined(number, count, near, waits)


def _entry(
    event: Event, clock: Mapping[str, Any], now: int, *, stepped: bool
) -> tuple[str, str, int | None]:
    """Write when entry closes: its label, its words, and what is counted down."""
    registration = event["registration"]
    if not registration["open"]:
        return "ENTRY", "closed", None
    closes_in, level = registration["closes_in_ms"], registration["closes_at_level"]
    lost = stepped and (clock["ends_at"] is None or now >= clock["ends_at"])
    idle = clock["status"] in ("waiting", "suspended")  # no clock runs towards it yet
    if closes_in is None or lost or idle:
        return (
            ("ENTRY", "open", None) if level is None else ("ENTRY CLOSES", f"level {level}", None)
        )
    left = max(0, closes_in - _ran(event, now))
    # At zero in a step that the hub has not confirmed, it is the announced level that closes entry.
    return (
        ("ENTRY", "closed", None) if stepped and not left else ("ENTRY CLOSES", digits(left), left)
    )


def _ran(event: Event, now: int) -> int:
    """Say how long the clock has run since the hub wrote the document."""
    written: int = event["now"]
    return max(0, now - written) if event["clock"]["ends_at"] is not None else 0


def _progress(clock: Mapping[str, Any], state: str, left: int | None) -> int:
    length: int | None = clock["length_ms"]
    if left is None or not length or state in ("waiting", "suspended"):
        return 0
    return min(1000, max(0, (length - left) * 1000 // length))


def _in_big_blinds(average: int | None, big: int | None) -> str:
    if average is None or not big:
        return ""
    return f"{words.grouped((2 * average + big) // (2 * big))} BB"


def _hard_stop(event: Event, clock: Mapping[str, Any], now: int, offset: int) -> str:
    at = clock["hard_stop_at"]
    if at is None or at <= now or "hard_stop" not in event["notices"]:
        return ""
    return f"play ends at {words.time_of_day(at, offset)}"


def _winner(event: Event) -> str:
    first = [finish["name"] for finish in event["field"]["finishes"] if finish["place"] == 1]
    return " & ".join(first)


PLACED = 3
"""Names under the winner's: more cannot be read from afar."""


def _placed(event: Event) -> tuple[str, ...]:
    out = [finish for finish in event["field"]["finishes"] if finish["place"] > 1]
    best = sorted(out, key=lambda finish: finish["place"])[:PLACED]
    return tuple(f"{words.place(finish['place'])}  {finish['name']}" for finish in best)


def _repaint_in(now: int, counted: list[int | None]) -> int:
    """Say when the next digit changes; the time of day changes with the minute."""
    flips = [words.MINUTE - now % words.MINUTE]
    for left in counted:
        flip = None if left is None else next_flip(left)
        if flip is not None:
            flips.append(flip)
    return min(flips)
