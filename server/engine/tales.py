"""Tales: what was asked and what happened, in the words of the floor.

One table for commands and one for events, so that the journal, the list of what can be undone and a
refusal all say the same. Records come as the journal keeps them: plain data, names and all. Nobody
but the reader's eyes is to interpret them.
"""

from collections.abc import Callable, Mapping
from typing import Any

from server.engine.flow import SECOND

Record = Mapping[str, Any]
Words = Callable[[Record], str]


def said(do: str, args: Record) -> str:
    """Say what a command asks for: `pause the room (fire alarm)`."""
    return _told(COMMAND_WORDS.get(do), args, do)


def happened(record: Record) -> str:
    """Say what an event of the journal tells: `table 7: seat 5 is out of time, dead hand`."""
    name = str(record["event"])
    return _told(EVENT_WORDS.get(name), record, name)


def _told(words: Words | None, record: Record, name: str) -> str:
    """Tell a record; one of an older or newer Railbird by its name rather than not at all."""
    try:
        return name if words is None else words(record)
    except (KeyError, TypeError):
        return name


# ── how things are put ───────────────────────────────────────────────────────────────────────────


def time_words(ms: int) -> str:
    """Write a length of time as a clock would: 0:20, 20:00, 1:05:00."""
    total = -(-ms // SECOND)
    hours, minutes, seconds = total // 3_600, total // 60 % 60, total % 60
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def number(count: int, one: str, many: str = "") -> str:
    """Count something in words: 1 chip, 2 chips."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def blinds_words(blinds: Record) -> str:
    """Write blinds: level 7, 400/800 (800)."""
    ante = f" ({blinds['ante']:,})" if blinds.get("ante") else ""
    return f"level {blinds['level']}, {blinds['small']:,}/{blinds['big']:,}{ante}"


def _why(args: Record) -> str:
    return f" ({args['reason']})" if args.get("reason") else ""


def _at(record: Record) -> str:
    """Name the table, and the seat where there is one."""
    seat = f", seat {record['seat']}" if record.get("seat") else ""  # 0 is whoever is to act
    return f"table {record['table']}{seat}"


def _plain(words: str) -> Words:
    return lambda _: words


def _there(words: str) -> Words:
    return lambda record: f"{_at(record)}: {words}"


def _there_why(words: str) -> Words:
    return lambda record: f"{_at(record)}: {words}{_why(record)}"


def _left(record: Record) -> str:
    left = record.get("remaining_ms")
    return "" if left is None else f", {time_words(left)} on the clock"


def _facing(record: Record) -> str:
    known = record.get("facing_bet")
    return "" if known is None else ", facing a bet" if known else ", no bet to face"


def _player(args: Record) -> str:
    """Name a player as well as a command can."""
    return str(args.get("name") or args["player"])


OUTCOMES: dict[str, str] = {
    "dead": "a dead hand",
    "check": "a check",
    "void": "void, the player goes on",
    "needs_ruling": "for the floor to decide: the table could not be heard",
}


# ── what is asked ────────────────────────────────────────────────────────────────────────────────


def _add(args: Record) -> str:
    return f"{'take' if args['ms'] < 0 else 'give'} {time_words(abs(args['ms']))}"


def _break(args: Record) -> str:
    minutes = args.get("minutes")
    return "break now" if minutes is None else f"break now, {number(minutes, 'minute')}"


def _announce(args: Record) -> str:
    seconds = args.get("seconds")
    how_long = "" if seconds is None else f" for {time_words(seconds * SECOND)}"
    return f"announce{how_long}: {args['text']}"


def _clear_seat(args: Record) -> str:
    who = args.get("name") or args.get("player")
    return f"take {who} off the seat" if who is not None else f"clear {_at(args)}"


def _limit(args: Record) -> str:
    if args["seconds"] is None:
        return f"lift the limit of {args['player']}"
    return f"limit {args['player']} to {number(args['seconds'], 'second')}"


def _next(args: Record) -> str:
    seat = args.get("seat")
    to = "next player" if seat is None else f"on to seat {seat}"
    to = f"checked or called, {to}" if args.get("acted") else to
    return f"table {args['table']}: {to}{_facing(args)}"


def _hold(args: Record) -> str:
    acted = args.get("acted", True)
    return f"table {args['table']}: " + ("count a bet" if acted else "hold the clock")


def _all_in(args: Record) -> str:
    raises = args.get("raises")
    how = "" if raises is None else ", a raise" if raises else ", a call"
    return f"table {args['table']}: all-in{how}"


def _sync(args: Record) -> str:
    street = args.get("street")
    where = "the hand is put right" if street is None else f"put right: {street}"
    return f"table {args['table']}: {where}, seat {args['seat']} is to act"


def _bank(args: Record) -> str:
    return f"{_at(args)}: {number(args['chips'], 'time-bank chip')} played"


def _grant(args: Record) -> str:
    who = args.get("player")
    to = "everybody" if who is None else who
    if args["mode"] == "set":
        return f"set {to} to {number(args['chips'], 'time-bank chip')}"
    return f"give {to} {number(args['chips'], 'time-bank chip')}"


def _introduce(args: Record) -> str:
    seconds = args.get("seconds")
    return "introduce the shot clock" + ("" if seconds is None else f", {seconds} s")


def _called(args: Record) -> str:
    seconds = args.get("seconds")
    how_long = "" if seconds is None else f", {seconds} s"
    return f"{_at(args)}: call the clock{how_long}{_facing(args)}"


def _h4h(args: Record) -> str:
    soft = "soft " if args.get("soft") else ""
    unit = "round-for-round" if args.get("unit") == "round" else "hand-for-hand"
    policy = f", {args['policy'].replace('_', ' ')}" if args.get("policy") else ""
    cost = f", {time_words(args['seconds'] * SECOND)} a hand" if args.get("seconds") else ""
    return f"{soft}{unit}{policy}{cost}{_why(args)}"


def _undo(args: Record) -> str:
    at = f" at table {args['table']}" if args.get("table") is not None else ""
    return f"undo{at}{_why(args)}"


def _open(args: Record) -> str:
    seats = args.get("seats")
    return f"open table {args['table']}" + ("" if seats is None else f" with {seats} seats")


COMMAND_WORDS: dict[str, Words] = {
    "clock.start": _plain("start the clock"),
    "clock.pause": lambda a: f"pause the room{_why(a)}",
    "clock.resume": lambda a: f"resume the room{_why(a)}",
    "clock.add": _add,
    "clock.set": lambda a: f"set the clock to {time_words(a['remaining_ms'])}",
    "level.next": _plain("next level"),
    "level.back": _plain("previous level"),
    "level.goto": lambda a: f"go to level {a['level']}",
    "break.call": _break,
    "break.end": _plain("end the break"),
    "structure.set": lambda a: f"edit the structure, {number(len(a['steps']), 'step')} to come",
    "event.schedule": lambda a: "start by hand" if a["starts_at"] is None else "set the start",
    "event.suspend": _plain("suspend to another day"),
    "event.resume": _plain("resume the event"),
    "event.finish": _plain("finish the event"),
    "announce": _announce,
    "announce.clear": _plain("take the announcement away"),
    "table.open": _open,
    "table.close": lambda a: f"close table {a['table']}",
    "seat.put": lambda a: f"seat {_player(a)} at {_at(a)}",
    "seat.move": lambda a: f"move {_player(a)} to {_at(a)}",
    "seat.clear": _clear_seat,
    "player.bust": lambda a: f"{a['player']} is out",
    "player.limit": _limit,
    "places.set": lambda a: (
        "places as the house pays them"
        if a["places"] is None
        else f"pay {number(a['places'], 'place')}"
    ),
    "table.pause": _there_why("pause"),
    "table.resume": _there_why("go on"),
    "table.interrupt": lambda a: (
        f"{_at(a)}: held while the "
        + ("hub was away" if a.get("away") or a.get("since") is None else "tablet was silent")
    ),
    "silence.seen": _there("seen what was assumed while the tablet was silent"),
    "floor.call": _there_why("call the floor"),
    "floor.clear": _there_why("the floor was there"),
    "hand.start": _there("new hand"),
    "hand.misdeal": _there("misdeal, dealt once more"),
    "hand.level": lambda a: f"table {a['table']}: this hand is at level {a['level']}",
    "hand.sync": _sync,
    "button.set": _there("button here"),
    "dealer.push": _there("dealer push"),
    "hand.end": _there("hand over"),
    "action.start": lambda a: f"{_at(a)}: start the clock{_facing(a)}",
    "action.next": _next,
    "action.fold": _there("fold"),
    "action.all_in": _all_in,
    "action.stop": _there("stop the clock"),
    "action.hold": _hold,
    "action.release": _there("counted, clock on"),
    "action.bank": _bank,
    "action.ruling": lambda a: f"{_at(a)}: ruled {OUTCOMES[a['outcome']]}{_why(a)}",
    "collect.done": _there("chips collected"),
    "street.next": _there("next street"),
    "bank.grant": _grant,
    "shotclock.introduce": _introduce,
    "called.start": _called,
    "called.stop": _there("has acted, called clock off"),
    "h4h.announce": _h4h,
    "h4h.done": _there("hand done"),
    "h4h.all_in": _there("all-in and call"),
    "h4h.runout": _there("run the board"),
    "h4h.next": _plain("release the next hand"),
    "h4h.end": _plain("end hand-for-hand"),
    "undo": _undo,
}


# ── what happened ────────────────────────────────────────────────────────────────────────────────


def _accepted(record: Record) -> str:
    command = record["command"]
    return said(command["do"], command["args"])


def _break_started(record: Record) -> str:
    left = record["remaining_ms"]
    return "break" if left is None else f"break of {time_words(left)}"


def _notices(record: Record) -> str:
    return "reminder: " + ", ".join(name.replace("_", " ") for name in record["notices"])


def _busted(record: Record) -> str:
    found = [finish for finish in record["finishes"] if finish["player"] == record["player"]]
    if not found:
        return f"{_at(record)}: {record['player']} is out"
    finish = found[0]
    last = finish["place"] + finish["shared"] - 1
    place = f"place {finish['place']}"
    if finish["shared"] > 1:
        place = f"places {finish['place']} to {last}, shared by {finish['shared']}"
    return f"{_at(record)}: {finish['name']} is out, {place}"


def _action_ended(record: Record) -> str:
    how = "folded" if record.get("folded") else "is all-in" if record.get("all_in") else "has acted"
    return f"{_at(record)}: {how}"


def _held(record: Record) -> str:
    why = "the hub was away" if record.get("interrupted") else "chips are counted"
    why = "the tablet was silent" if record.get("silent") else why
    return f"{_at(record)}: the clock stands at {time_words(record['ms'])}, {why}"


def _silence(record: Record) -> str:
    return time_words(record["until"] - record["since"])


def _ran_out(clock: str) -> Words:
    return lambda r: f"{_at(r)}: {clock} ran out, {OUTCOMES[r['outcome']]}"


def _granted(record: Record) -> str:
    chips = number(record["chips"], "time-bank chip")
    return f"everybody is set to {chips}" if record["mode"] == "set" else f"{chips} for everybody"


def _given(record: Record) -> str:
    chips = number(record["chips"], "time-bank chip")
    return f"{_at(record)}: " + (f"set to {chips}" if record["mode"] == "set" else f"given {chips}")


def _announced(record: Record) -> str:
    form = "round-for-round" if record["unit"] == "round" else "hand-for-hand"
    words = f"soft {form}" if record["soft"] else form
    cost = time_words(record["cost_ms"])
    policies = {
        "run_to_cap": f"the clock runs to {cost} a hand",
        "deduct": f"{cost} are taken off a hand",
        "run_on": "the clock runs on",
    }
    return f"{words}: finish this hand, then hold; {policies[record['policy']]}"


def _reported(record: Record) -> str:
    status = record["status"].replace("_", " ")
    return f"table {record['table']}: {status}"


def _shot_clock(record: Record) -> str:
    action = record["action"]
    chips = number(action["chips"], "chip")
    return f"shot clock in play: {action['seconds']} s, {chips} of {action['chip_seconds']} s"


def _late(record: Record) -> str:
    return f"too late: {said(record['do'], record['args'])}"


EVENT_WORDS: dict[str, Words] = {
    "command.accepted": _accepted,
    "command.undone": _accepted,
    "clock.started": _plain("the event began"),
    "clock.paused": lambda r: f"everything stands{_why(r)}",
    "clock.resumed": _plain("everything goes on"),
    "time.set": lambda r: f"{time_words(r['remaining_ms'])} on the clock",
    "level.started": lambda r: blinds_words(r["blinds"]) + _left(r),
    "break.started": _break_started,
    "break.waits": _plain("the break waits for the hand to be over everywhere"),
    "break.called": _break_started,
    "break.ended": _plain("the break is over, the level goes on"),
    "structure.changed": lambda r: f"{number(len(r['steps']), 'step')} to come{_left(r)}",
    "level.hands_played": _there("has played the hands of this level"),
    "hard_stop.reached": _plain("hard stop: play ends with the hands in progress"),
    "notices.raised": _notices,
    "event.scheduled": lambda r: "starts by hand" if r["starts_at"] is None else "the start is set",
    "event.suspended": _plain("suspended to another day"),
    "event.resumed": _plain("everything goes on where it stood"),
    "event.finished": _plain("the event is over"),
    "announcement.made": lambda r: f"on every screen: {r['text']}",
    "announcement.cleared": _plain("the announcement is gone"),
    "table.opened": lambda r: f"table {r['table']} opened with {r['seats']} seats",
    "table.closed": lambda r: f"table {r['table']} closed",
    "table.emptied": _there("nobody sits there any more"),
    "table.occupied": _there("players sit there again"),
    "registration.closed": _plain("registration closed: a table was broken"),
    "player.seated": lambda r: f"{_at(r)}: {r['display']}" + (", new entry" if r["entry"] else ""),
    "player.moved": lambda r: f"{r['player']} to table {r['to_table']}, seat {r['to_seat']}",
    "player.unseated": lambda r: f"{_at(r)}: {r['player']} has no seat for now",
    "player.busted": _busted,
    "player.limited": lambda r: (
        f"{_at(r)}: "
        + ("no limit" if r["seconds"] is None else f"{r['seconds']} s for every action")
    ),
    "places.changed": lambda r: (
        "places as the house pays them"
        if r["places"] is None
        else f"{number(r['places'], 'place')} paid"
    ),
    "tap.kept": lambda r: (
        f"{_at(r)}: counted from the tap, the tablet was silent for {_silence(r)}"
    ),
    "silence.ended": lambda r: (
        f"table {r['table']}: the {'hub was away' if r.get('away') else 'tablet was silent'} "
        f"for {_silence(r)}"
    ),
    "time.missed": lambda r: f"the hub missed {_silence(r)}: nobody loses time by that",
    "silence.seen": _there("the floor has seen what was assumed"),
    "called.set": lambda r: f"{_at(r)}: the called clock stands at {time_words(r['ms'])}",
    "table.paused": _there_why("its clocks stand"),
    "table.resumed": _there("its clocks go on"),
    "floor.called": _there_why("waits for the floor"),
    "floor.cleared": _there("the floor has been there"),
    "hand.started": lambda r: f"table {r['table']}: hand at {blinds_words(r['blinds'])}",
    "hand.ended": _there("hand over"),
    "hand.misdealt": _there("misdeal: the hand is dealt once more"),
    "hand.level_set": lambda r: f"table {r['table']}: this hand is at {blinds_words(r['blinds'])}",
    "hand.synced": lambda r: (
        f"table {r['table']}: {r['street']}, seat {r['turn']} is to act, "
        f"{number(len(r['live']), 'live seat')}"
    ),
    "button.placed": _there("the button is here"),
    "seat.folded": _there("folded out of turn"),
    "dealer.pushed": _there("a new dealer"),
    "street.dealt": lambda r: f"table {r['table']}: {r['street']}",
    "action.started": lambda r: f"{_at(r)}: {time_words(r['ms'])} to act{_facing(r)}",
    "action.ended": _action_ended,
    "action.held": _held,
    "bet.counted": _there("bet counted"),
    "action.released": _there("the clock goes on"),
    "chips.spent": lambda r: (
        f"{_at(r)}: {number(r['chips'], 'chip')} spent, +{time_words(r['ms'])}"
    ),
    "chip.forfeited": lambda r: f"{_at(r)}: a chip forfeited at zero, +{time_words(r['ms'])}",
    "chips.collected": _there("chips collected"),
    "action.expired": _ran_out("time"),
    "action.ruled": lambda r: f"table {r['table']}: ruled {OUTCOMES[r['outcome']]}",
    "called.started": lambda r: f"{_at(r)}: clock called, {time_words(r['ms'])}{_facing(r)}",
    "called.counting": _there("counting down"),
    "called.expired": _ran_out("the called clock"),
    "called.stopped": _there("acted in time"),
    "shotclock.introduced": _shot_clock,
    "chips.granted": _granted,
    "chips.given": _given,
    "h4h.announced": _announced,
    "h4h.reported": _reported,
    "h4h.capped": _plain("the hand has had its time: the clock stands"),
    "h4h.over": lambda r: f"hand {r['hand']} is over at every table",
    "h4h.released": lambda r: f"hand {r['hand']} released to {number(r['pending'], 'table')}",
    "h4h.ended": _plain("back to ordinary play"),
    "tap.late": _late,
}
