"""The wall: from an event's document and an instant to everything that is written on a screen.

One function for both worlds. The terminal paints what `wall` returns; the browser's twin is
`web/scenes.js`, and both are held to `tests/vectors/wall.json`. Nothing here knows a rule of poker,
and nothing is invented: what the hub does not say stays empty, and a renderer leaves it out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from display import words
from display.words import Fact, Zone
from server.protocol.countdown import ahead, digits, next_flip, remaining

LAST_MINUTE = 60_000
HOUR = 3_600_000

OVERDUE = 400
"""So long after a level's end a screen waits for the hub before it takes the announced step itself:
longer than any document takes in a room, shorter than anybody looks at 0:00."""

HARD_STOP_SHOWN = 2 * HOUR
"""From here on a hard stop is worth a place on the wall."""

BACK_SHOWN = 24 * HOUR
"""From here on a suspended event counts down to its return."""

PLACED = 3
"""Names under the winner's: more cannot be read from afar."""

ENDLESS = ("LAST LEVEL", "it goes on without end")
"""The band when the time of the last level is over: nothing stands still, nothing follows."""

Event = Mapping[str, Any]
"""An event's document, as topic `t/<id>` brings it."""

Clock = Mapping[str, Any]

STATES = (
    "waiting",
    "playing",
    "last-minute",
    "paused",
    "hard-stop",
    "break",
    "hand-for-hand",
    "suspended",
    "finished",
)
"""What a room can be in; each is told by words, shape and colour."""


@dataclass(frozen=True, slots=True)
class Wall:
    """What a wall says. Text that is empty, and a fact that is None, is not shown."""

    state: (
        str  # waiting playing last-minute paused hard-stop break hand-for-hand suspended finished
    )
    title: str
    house: str = ""
    time: str = ""  # of day
    phase: str = "level"
    level: int = 0
    band: str = ""
    band_detail: str = ""
    hero: str = ""  # the one thing that is biggest
    hero_kind: str = "word"  # time count word name
    hero_label: str = ""
    under: str = ""  # a line below the hero
    digits: str = ""  # of the level clock, whatever the hero is
    held: bool = False  # the clock stands
    progress: int | None = None  # thousandths of the level or break that are left
    blinds: str = ""
    ante: str = ""
    stage: Fact | None = None  # the level, or the one after the break
    next: Fact | None = None
    break_in: Fact | None = None
    entry: Fact | None = None
    players: Fact | None = None
    average: Fact | None = None
    tables: Fact | None = None
    money: Fact | None = None
    hard_stop: Fact | None = None
    chips: tuple[int, ...] = ()  # to take out of play on this break
    done: int = 0  # tables that have finished the hand, of so many
    total: int = 0
    winners: tuple[str, ...] = ()
    placed: tuple[Fact, ...] = ()  # the best of those who are out, when it is over
    announcement: str = ""
    footer: str = ""
    repaint_in: int | None = None  # milliseconds until anything above changes by itself


# ── the clock while the hub is away ──────────────────────────────────────────────────────────────


def standing(event: Event, now: int | None, *, away: bool) -> Clock:
    """Give the clock as it must stand at an instant, whether or not the hub has said so."""
    clock: Clock = event["clock"]
    if now is None:
        return clock
    starts_at, left = clock["starts_at"], clock["remaining_ms"]
    if clock["status"] == "waiting" and _due(starts_at, now, away) and left is not None:
        clock = {**clock, "status": "running", "starts_at": None, "ends_at": starts_at + left}
    if clock["status"] != "running":
        return clock
    stop, ends_at = clock["hard_stop_at"], clock["ends_at"]
    if _due(stop, now, away) and (ends_at is None or stop < ends_at):
        return _stopped(clock, stop)
    # In hand-for-hand what is due may wait for a table, or for the cap: only the hub knows.
    if _due(ends_at, now, away) and event["h4h"]["status"] == "off":
        clock = ahead(clock, now)
        if _due(stop, now, away):
            return _stopped(clock, stop)
    return clock


def _due(instant: int | None, now: int, away: bool) -> bool:
    return instant is not None and now >= instant + (0 if away else OVERDUE)


def _stopped(clock: Clock, stop: int) -> Clock:
    ends_at = clock["ends_at"]
    left = clock["remaining_ms"] if ends_at is None else max(0, ends_at - stop)
    how = {"status": "paused", "reason": "hard_stop", "ends_at": None, "remaining_ms": left}
    return {**clock, **how}


def state_of(clock: Clock, h4h: Mapping[str, Any], left: int | None) -> str:
    """Name the one state that the whole room must recognise."""
    status, reason = clock["status"], clock["reason"]
    if status in ("finished", "suspended", "waiting"):
        return str(status)
    if status == "paused":
        if reason == "hard_stop":
            return "hard-stop"
        return "hand-for-hand" if reason in words.HELD_BY_RULES else "paused"
    if clock["phase"] == "break":
        return "break"
    if h4h["status"] != "off":
        return "hand-for-hand"
    return "last-minute" if left is not None and left <= LAST_MINUTE else "playing"


# ── everything that is written ───────────────────────────────────────────────────────────────────


def wall(event: Event, now: int | None, zone: Zone, *, away: bool) -> Wall:
    """Say what a wall shows at an instant; `now` is None while hub time is not known."""
    clock = standing(event, now, away=away)
    left = None if now is None and clock["ends_at"] is not None else _remaining(clock, now)
    endless = _endless(event, clock, left)
    state = state_of(clock, event["h4h"], None if endless else left)
    band, band_detail = _band(event, clock, state, now, zone)
    if endless and state == "playing":
        band, band_detail = ENDLESS
    shown = _shown(clock, state, left, now)
    hero, hero_kind, hero_label, under = _hero(event, clock, state, shown, now)
    if endless and state == "playing":
        hero_label = "time is up"
    stepped = clock is not event["clock"]
    over, on_break = state == "finished", clock["phase"] == "break"
    break_ms = None if stepped or on_break else _counted(event, clock["next_break_ms"], now)
    closes_ms = _closes_in(event, clock, state, now, stepped=stepped)
    idle = state in ("waiting", "suspended", "finished")
    field = event["field"]
    playing = not over and not on_break
    return Wall(
        state=state,
        title=event["name"],
        house=event["house"],
        time="" if now is None else words.time_of_day(now, zone),
        phase=clock["phase"],
        level=clock["level"],
        band=band,
        band_detail=band_detail,
        hero=hero,
        hero_kind=hero_kind,
        hero_label=hero_label,
        under=under,
        digits=_time(clock, shown, now),
        held=clock["status"] == "paused",
        progress=_progress(clock, state, left),
        blinds=words.blinds(clock) if playing else "",
        ante=words.ante(clock) if playing else "",
        stage=None if over else _stage(clock),
        next=None if over else _next(event, clock, stepped=stepped),
        break_in=None if break_ms is None or idle else Fact("break in", digits(break_ms)),
        entry=None if over else _entry(event, closes_ms, stepped=stepped),
        players=_players(field),
        average=None if over else _average(field["average_stack"], clock["big"]),
        tables=Fact("tables", words.grouped(field["tables"]))
        if field["tables"] and not over
        else None,
        money=None if over else _money(event, state),
        hard_stop=None if idle else _hard_stop(clock, now, zone),
        chips=tuple(clock["colour_up"]) if on_break and not idle else (),
        **_tables_done(event["h4h"], state),
        winners=_winners(event) if over else (),
        placed=_placed(event) if over else (),
        announcement=event["announcement"] or "",
        footer="" if over else _footer(event, state),
        repaint_in=_repaint_in(event, clock, shown, (break_ms, closes_ms), now, away=away),
    )


def _endless(event: Event, clock: Clock, left: int | None) -> bool:
    """Say whether the time of the last level is over, and so the level goes on."""
    said = "last_level" in event["notices"] and clock is event["clock"]
    return said and left == 0 and clock["phase"] == "level"


def _remaining(clock: Clock, now: int | None) -> int | None:
    return remaining(clock, 0 if now is None else now)


def _shown(clock: Clock, state: str, left: int | None, now: int | None) -> int | None:
    """Say what is being counted: the level, the break, or the time until play begins."""
    if state == "finished":
        return None
    if state == "waiting":
        at = clock["starts_at"]
        return None if at is None or now is None else max(0, at - now)
    back = _back_in(clock, now) if state == "suspended" else None
    return left if back is None else back


def _back_in(clock: Clock, now: int | None) -> int | None:
    """Say how long until a suspended event goes on, once that is worth counting."""
    at: int | None = clock["resumes_at"]
    if at is None or now is None or not 0 < at - now <= BACK_SHOWN:
        return None
    return at - now


def _time(clock: Clock, shown: int | None, now: int | None) -> str:
    """Write what is being counted; that it runs is known before the time is."""
    if shown is not None:
        return digits(shown)
    return words.UNKNOWN if now is None and clock["ends_at"] is not None else ""


Hero = tuple[str, str, str, str]


def _hero(event: Event, clock: Clock, state: str, shown: int | None, now: int | None) -> Hero:
    """Choose what is biggest: it, its kind, a label above and a line below."""
    time = _time(clock, shown, now)
    on_break = clock["phase"] == "break"
    if state == "finished":
        winners = _winners(event)
        label = "winners" if len(winners) > 1 else "winner"
        return (" · ".join(winners), "name", label, "") if winners else ("FINISHED", "word", "", "")
    if state == "waiting":
        return (time, "time", "starts in", "") if time else ("WELCOME", "word", "", "")
    if state == "suspended":
        label = "clock held at" if _back_in(clock, now) is None else "back in"
        return (time, "time", label, "") if time else ("SUSPENDED", "word", "", "")
    if state == "hand-for-hand":
        return _hand_for_hand_hero(event, clock, time)
    hands = clock["hands"]
    if not time and hands is not None and not on_break:
        to_go = f"{words.counted(hands['tables_left'], 'table')} to go"
        return str(hands["each"]), "count", "hands at each table", to_go
    if clock["status"] == "paused":
        label = "break held at" if on_break else "clock held at"
        return (time, "time", label, "") if time else ("PAUSED", "word", "", "")
    if on_break:
        return (time, "time", "play resumes in", "") if time else ("BREAK", "word", "", "")
    if time:
        return time, "time", "time left in level", ""
    return f"LEVEL {clock['level']}", "word", "", ""


def _hand_for_hand_hero(event: Event, clock: Clock, time: str) -> Hero:
    h4h = event["h4h"]
    held = clock["status"] == "paused"
    at = (f"clock held at {time}" if held else f"clock runs: {time}") if time else ""
    cost = ""
    if h4h["cost_ms"] and h4h["policy"] != "run_on":
        verb = "costs" if h4h["policy"] == "run_to_cap" else "takes"
        cost = f"each {h4h['unit']} {verb} {digits(h4h['cost_ms'])}"
    if h4h["to_money"]:
        return str(h4h["to_money"]), "count", "from the money", words.joined(at, cost)
    label = "clock held at" if held else "time left in level"
    return (time, "time", label, cost) if time else ("HOLD" if held else "PLAY", "word", "", cost)


def _band(event: Event, clock: Clock, state: str, now: int | None, zone: Zone) -> tuple[str, str]:
    """Write the band across the screen: what the state is, and why or until when."""
    match state:
        case "waiting":
            return _waiting_band(clock["starts_at"], now, zone)
        case "last-minute":
            return "LAST MINUTE", f"of level {clock['level']}"
        case "paused":
            on_break = "on break" if clock["phase"] == "break" else ""
            return "PAUSED", words.joined(clock["reason"] or "", on_break)
        case "hard-stop":
            return "HARD STOP", words.HELD_BY_RULES["hard_stop"]
        case "break":
            return "BREAK", _back(clock, zone)
        case "hand-for-hand":
            return _hand_for_hand_band(event["h4h"], clock)
        case "suspended":
            at = clock["resumes_at"]
            back = (
                ""
                if at is None
                else f"back {words.day_and_time(at, at if now is None else now, zone)}"
            )
            return "SUSPENDED", back or clock["reason"] or "to be continued"
        case "finished":
            entries = event["field"]["entries"]
            count = words.counted(entries, "player") if entries else ""
            return "FINISHED", words.joined(count, "thank you for playing")
        case _:
            return "", ""


def _waiting_band(at: int | None, now: int | None, zone: Zone) -> tuple[str, str]:
    if at is None:
        return "NOT STARTED", ""
    if now is not None and at <= now:
        return "STARTS ANY MOMENT", f"was due at {words.time_of_day(at, zone)}"
    return f"STARTS {words.day_and_time(at, at if now is None else now, zone).upper()}", ""


def _back(clock: Clock, zone: Zone) -> str:
    following = clock["next"]
    level = following is not None and following["phase"] == "level"
    ends_at = clock["ends_at"]
    back = (
        "the director will call you back"
        if ends_at is None
        else f"play resumes at {words.time_of_day(ends_at, zone)}"
    )
    return words.joined(back, f"level {following['level']}" if level else "")


def _hand_for_hand_band(h4h: Mapping[str, Any], clock: Clock) -> tuple[str, str]:
    unit, total = h4h["unit"], len(h4h["tables"])
    number = f"{unit} {words.grouped(h4h['hand'])}" if h4h["hand"] else "after this hand"
    count = f"{total - h4h['pending']} of {words.counted(total, 'table')} done" if total else ""
    waits = words.HELD_BY_RULES["break_waits"] if clock["reason"] == "break_waits" else ""
    near = words.from_the_money(h4h["to_money"])
    return f"{unit} for {unit}".upper(), words.joined(number, count, near, waits)


# ── facts ────────────────────────────────────────────────────────────────────────────────────────


def _stage(clock: Clock) -> Fact | None:
    level, following = words.grouped(clock["level"]), clock["next"]
    if clock["phase"] == "level":
        return Fact("level", level)
    if following is None or following["phase"] != "level":
        return None
    same = following["level"] == clock["level"]
    return Fact("back to level" if same else "next level", words.grouped(following["level"]))


def _next(event: Event, clock: Clock, *, stepped: bool) -> Fact | None:
    following = clock["next"]
    if following is None:
        last = "last_level" in event["notices"] and not stepped and clock["phase"] == "level"
        return Fact("now playing", "Last level") if last else None
    if following["phase"] == "break":
        minutes, chips = following["minutes"], following["colour_up"]
        length = "" if minutes is None else words.counted(minutes, "minute")
        removed = f"remove {', '.join(map(words.grouped, chips))}" if chips else ""
        return Fact("next", "Break", words.joined(length, removed))
    same = clock["phase"] == "break" and following["level"] == clock["level"]
    label = f"{'back to' if same else 'next ·'} level {following['level']}"
    return Fact(label, words.blinds(following), words.short_ante(following))


def _closes_in(
    event: Event, clock: Clock, state: str, now: int | None, *, stepped: bool
) -> int | None:
    """Say what is counted down until entry closes: only while a clock runs towards it."""
    registration = event["registration"]
    ends_at = clock["ends_at"]
    lost = stepped and (ends_at is None or now is None or now >= ends_at)
    if not registration["open"] or lost or state in ("waiting", "suspended"):
        return None
    return _counted(event, registration["closes_in_ms"], now)


def _entry(event: Event, left: int | None, *, stepped: bool) -> Fact:
    registration = event["registration"]
    # At zero in a step that the hub has not confirmed, it is the announced level that closes entry.
    if not registration["open"] or (stepped and left == 0):
        return Fact("entry", "closed")
    if left is not None:
        return Fact("entry closes", digits(left))
    level = registration["closes_at_level"]
    return Fact("entry", "open") if level is None else Fact("entry closes", f"level {level}")


def _counted(event: Event, ms: int | None, now: int | None) -> int | None:
    """Count down what the document gave as a length at its own instant."""
    if ms is None or now is None or event["clock"]["ends_at"] is None:
        return ms
    return max(0, ms - max(0, now - int(event["now"])))


def _players(field: Mapping[str, Any]) -> Fact | None:
    if not field["entries"]:
        return None
    return Fact("players", words.grouped(field["left"]), f"of {words.grouped(field['entries'])}")


def _average(average: int | None, big: int | None) -> Fact | None:
    if average is None:
        return None
    deep = words.divided(average, big) if big else 0
    return Fact("average", words.grouped(average), words.counted(deep, "big blind") if deep else "")


def _money(event: Event, state: str) -> Fact | None:
    away = event["field"]["to_money"]
    # Who may still come makes the money another one; in hand-for-hand the band says it already.
    if away is None or event["registration"]["open"] or state == "hand-for-hand":
        return None
    if not away:
        return Fact("the money", "reached")
    return Fact("from the money", words.grouped(away), "player" if away == 1 else "players")


def _hard_stop(clock: Clock, now: int | None, zone: Zone) -> Fact | None:
    at = clock["hard_stop_at"]
    if at is None or now is None or at - now > HARD_STOP_SHOWN:
        return None
    note = f"in {digits(at - now)}" if at > now else "reached"
    return Fact("hard stop", words.time_of_day(at, zone), note)


def _progress(clock: Clock, state: str, left: int | None) -> int | None:
    length: int | None = clock["length_ms"]
    if left is None or not length or state in ("waiting", "suspended", "finished"):
        return None
    return min(1000, -(-left * 1000 // length))


def _tables_done(h4h: Mapping[str, Any], state: str) -> dict[str, int]:
    total = len(h4h["tables"]) if state == "hand-for-hand" else 0
    return {"done": total - h4h["pending"] if total else 0, "total": total}


def _winners(event: Event) -> tuple[str, ...]:
    finishes = event["field"]["finishes"]
    return tuple(each["name"] or each["player"] for each in finishes if each["place"] == 1)


def _placed(event: Event) -> tuple[Fact, ...]:
    out = [finish for finish in event["field"]["finishes"] if finish["place"] > 1]
    best = sorted(out, key=lambda finish: int(finish["place"]))[:PLACED]
    return tuple(Fact(words.place(each["place"]), each["name"] or each["player"]) for each in best)


def _footer(event: Event, state: str) -> str:
    if state == "hard-stop":
        return ""
    if state == "hand-for-hand" and words.hand_for_hand(event["h4h"]):
        return words.hand_for_hand(event["h4h"])
    return words.notices(event["notices"]) or words.action_clock(event["action_clock"])


def _repaint_in(  # noqa: PLR0913 - everything that can change by itself
    event: Event,
    clock: Clock,
    shown: int | None,
    others: tuple[int | None, ...],
    now: int | None,
    *,
    away: bool,
) -> int | None:
    """Say when the next digit changes; the time of day changes with the minute."""
    if now is None:
        return None
    flips: list[int] = [words.MINUTE - now % words.MINUTE]
    running = clock["ends_at"] is not None
    counts = running or clock["status"] in ("waiting", "suspended")
    stop = clock["hard_stop_at"]
    counting = [shown if counts else None]
    if event["clock"]["ends_at"] is not None:
        counting += others
    if stop is not None and stop - now <= HARD_STOP_SHOWN:
        counting.append(stop - now)
    flips += [flip for ms in counting if ms is not None and (flip := next_flip(ms)) is not None]
    wait = 0 if away else OVERDUE
    # Instants at which a step is taken, or at which something begins to be shown.
    instants = (
        (clock["ends_at"], wait),
        (clock["starts_at"], wait),
        (stop, wait),
        (stop, -HARD_STOP_SHOWN),
        (clock["resumes_at"], -BACK_SHOWN),
    )
    at: list[int] = [i + later - now for i, later in instants if i is not None]
    return min(flips + [ms for ms in at if ms > 0])
