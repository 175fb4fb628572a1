"""The tables of the room as rows: the board, one table, and hand-for-hand."""

from collections.abc import Iterable

from dealer_console.terminal.td_deeds import REASON, Ask, Deed, number, numbers, text
from dealer_console.terminal.td_rows import Doc, Room, Row, head, nothing
from server.protocol.countdown import digits, remaining

PENDING = {"playing": 0, "all_in": 1, "runout": 2, "ahead": 3}
H4H_WORDS = {
    "playing": "PLAYING",
    "all_in": "ALL-IN, cards down",
    "runout": "RUNNING THE BOARD",
    "done": "done",
    "ahead": "one hand ahead",
    "ahead_done": "ahead and done",
}


# ── tables ───────────────────────────────────────────────────────────────────────────────────────


def tables(room: Room) -> list[Row]:
    """List all tables: who is on the clock, who needs somebody, who works there."""
    board = room.doc("tables")
    if not board or not board["tables"]:
        return nothing("No table is open. Seat players, or open tables with `o`.")
    duty = (room.doc("duty") or {"tables": {}})["tables"]
    rows = [head(f"{'TABLE':<6}{'SEATS':<6}{'HAND':<11}{'ON THE CLOCK':<26}WHAT")]
    for name, row in sorted(board["tables"].items(), key=lambda item: int(item[0])):
        rows.append(_table(room, name, row, duty.get(name)))
    return rows


def _table(room: Room, name: str, row: Doc, works: Doc | None) -> Row:
    table = int(name)
    level = "" if row["level"] is None else f"L{row['level']} "
    hand = f"{level}#{row['hand']}" + ("" if row["in_progress"] else " –")  # noqa: RUF001
    words, tone = _state(room, row, works)
    deeds = {
        "k": Deed("floor.clear", {"table": table}),
        "x": Deed("table.resume", {"table": table})
        if row["paused"] is not None
        else Deed("table.pause", {"table": table}, (REASON,)),
        "o": Deed(
            "called.start", {"table": table}, (Ask("seat", "Call the clock on seat", number),)
        ),
    }
    left = f"{name:>4}  {row['players']}/{row['size']:<4}{hand:<11}"
    return Row(
        f"{left}{_on_clock(room, row):<26}{words}", tone, f"table/{name}", deeds, go=f"table/{name}"
    )


def _on_clock(room: Room, row: Doc) -> str:
    """Say whose time runs, and how much is left of it."""
    for key, what in (("called", "CALLED "), ("action", "")):
        clock = row[key]
        if clock is None:
            continue
        left = remaining(clock, room.now)
        time = "" if left is None else digits(left)
        if clock["status"] == "expired":
            time = {"dead": "DEAD", "check": "CHECK"}.get(clock["outcome"], "RULING")
        chips = "●" * min(clock.get("bank") or 0, 8)
        name = str(clock.get("name") or "")[:10]
        return f"{what}{time:>5} seat {clock['seat']} {name} {chips}".strip()[:25]
    return ""


def _unheard(room: Room, works: Doc) -> Iterable[str]:
    """Say for how long a table's device is silent, or talks and does not answer the hub."""
    for key, words in (("silent_since", "silent"), ("unanswered_since", "does not answer")):
        since = works.get(key)
        if since is not None:
            yield f"{words} {room.ago(since)}"


def _state(room: Room, row: Doc, works: Doc | None) -> tuple[str, str]:
    """Say what a director must know about a table, the most urgent first."""
    found: list[tuple[str, str]] = []
    if row["floor"] is not None:
        reason = f" {row['floor_reason']}" if row["floor_reason"] else ""
        found.append((f"FLOOR {room.ago(row['floor'])}{reason}", "bad"))
    action = row["action"]
    if action is not None and action["outcome"] == "needs_ruling":
        found.append(("NEEDS RULING", "bad"))
    if row["paused"] is not None:
        found.append((f"PAUSED {row['paused']}".rstrip(), "warn"))
    found += [(words, "warn") for words in _unheard(room, works or {})]
    if works is not None and works["asking"]:
        found.append((f"{works['asking'][0]['name']} asks for it", "warn"))
    if row["h4h"] is not None:
        words = H4H_WORDS.get(row["h4h"], str(row["h4h"]))
        found.append((words, "" if row["h4h"] == "done" else "now"))
    if row["collect"]:
        found.append((f"collect {row['collect']}", ""))
    if row.get("pace_ms") is not None:
        found.append((f"{round(row['pace_ms'] / 1_000)} s a decision", ""))
    if works is not None and (works["dealer"] or works["name"]):
        found.append((str(works["dealer"] or works["name"]), ""))
    told = " · ".join(words for words, _ in found)
    return told, found[0][1] if found else "dim"


# ── one table ────────────────────────────────────────────────────────────────────────────────────


def table(room: Room, number_: int) -> list[Row]:
    """Show one table, and everything that its dealer could do there."""
    doc = room.doc(f"table/{number_}")
    if doc is None:
        return nothing(f"Table {number_} is not open. Escape goes back.")
    hand = doc["hand"]
    blinds = "" if doc["level"] is None else f"level {doc['level']} {doc['small']:,}/{doc['big']:,}"
    state = f"hand {hand['number']} {hand['street']}" if hand["in_progress"] else "between hands"
    rows = [head(f"TABLE {number_}  {blinds}  {state}   (Enter does it, Escape goes back)")]
    rows += [_line(label, deed) for label, deed in _dealer_deeds(doc)]
    rows.append(head(f"SEAT  {'NAME':<20}CHIPS   o clock  s start  t play chip  c give  ? more"))
    for seat, taken in sorted(doc["seats"].items(), key=lambda item: int(item[0])):
        rows.append(_seat(room, number_, int(seat), taken, doc))
    return rows


def _line(label: str, deed: Deed) -> Row:
    return Row(f"  {label}", "", f"deed/{label}", {"enter": deed})


def _dealer_deeds(doc: Doc) -> Iterable[tuple[str, Deed]]:
    """List what can be done at a table as it stands, the most urgent first."""
    here = {"table": doc["table"]}
    yield from _rulings(doc, here)
    if doc["called"]["status"] != "off":
        yield "Called clock: the player has acted", Deed("called.stop", here)
    yield from _hand(doc, here)
    yield from _reports(doc, here)
    for owed in doc["collect"]:
        words = f"Collected {owed['chips']} from seat {owed['seat']}"
        yield words, Deed("collect.done", {**here, "seat": owed["seat"]})
    if doc["floor"] is not None:
        yield "The floor was there", Deed("floor.clear", here)
    if doc["paused"] is None:
        yield "Pause this table", Deed("table.pause", here, (REASON,))
    else:
        yield "Resume this table", Deed("table.resume", here)
    yield "Dealer push", Deed("dealer.push", here)
    yield "Seat a player", _seating(here)
    if not doc["seats"]:
        yield "Close the table", Deed("table.close", here, confirm="Close this table?")


def _rulings(doc: Doc, here: Doc) -> Iterable[tuple[str, Deed]]:
    action = doc["action"]
    if action["status"] == "expired":
        for outcome in ("dead", "check", "void"):
            question = f"Rule seat {action['seat']}: {outcome}?"
            deed = Deed("action.ruling", {**here, "outcome": outcome}, confirm=question)
            yield f"Rule: {outcome}", deed


def _hand(doc: Doc, here: Doc) -> Iterable[tuple[str, Deed]]:
    if not doc["hand"]["in_progress"]:
        yield "New hand", Deed("hand.start", here)
        return
    status = doc["action"]["status"]
    if status == "held":
        yield "Counted: clock on", Deed("action.release", here)
    elif status != "idle":
        yield "Next player", Deed("action.next", here)
        yield "Fold", Deed("action.fold", here)
        yield "Count a bet", Deed("action.hold", here)
        yield "Stop the clock", Deed("action.stop", here)
    yield "Next street", Deed("street.next", here)
    yield "Hand over", Deed("hand.end", here)


def _reports(doc: Doc, here: Doc) -> Iterable[tuple[str, Deed]]:
    if doc["h4h"] in ("playing", "runout"):
        yield "Hand-for-hand: hand done", Deed("h4h.done", here)
    if doc["h4h"] == "playing":
        yield "Hand-for-hand: all-in and call", Deed("h4h.all_in", here)
    if doc["h4h"] == "all_in":
        yield "Hand-for-hand: run the board", Deed("h4h.runout", here)


def _seating(here: Doc) -> Deed:
    asks = (Ask("player", "Player's name", text), Ask("seat", "Seat", number))
    return Deed("seat.put", here, asks)


def _seat(room: Room, table_: int, seat: int, taken: Doc, doc: Doc) -> Row:
    here, player = {"table": table_, "seat": seat}, taken["player"]
    turn = doc["action"]["seat"] == seat or doc["hand"]["turn"] == seat
    marks = [
        "◀" if turn else "",
        "BUTTON" if doc["hand"]["button"] == seat else "",
        "folded" if doc["hand"]["in_progress"] and not taken["in_hand"] else "",
        f"limit {taken['limit_s']} s" if taken["limit_s"] is not None else "",
    ]
    clock = remaining(doc["action"], room.now) if doc["action"]["seat"] == seat else None
    name = str(taken["name"])[:18]
    chips = "●" * min(taken["bank"], 10) if taken["bank"] <= 10 else str(taken["bank"])  # noqa: PLR2004
    words = " ".join(mark for mark in marks if mark)
    time = "" if clock is None else digits(clock)
    where = Ask("to", "Move to table and seat", numbers("table", "seat"))
    stack = Ask("stack", "Chips before the hand (may be empty)", number, optional=True)
    busts = (stack, *_bust_hand(room.doc("")))
    limit = Ask("seconds", "Seconds for every action (empty: no limit)", number, optional=True)
    deeds = {
        "o": Deed("called.start", here),
        "s": Deed("action.start", here),
        "c": Deed("bank.grant", {"player": player, "mode": "add", "chips": 1}),
        "m": Deed("seat.move", {"player": player}, (where,)),
        "l": Deed("player.limit", {"player": player, "seconds": None}, (limit,)),
        "v": Deed("player.bust", {"player": player}, busts, f"{taken['name']} is out?"),
        "d": Deed("seat.clear", {"player": player}, confirm=f"Take {taken['name']} off the seat?"),
        "t": Deed("action.bank", {**here, "chips": 1}),
    }
    line = f"{seat:>4}  {name:<20}{chips:<11}{time:>5} {words}"
    return Row(line, "now" if turn else "", f"seat/{seat}", deeds)


def _bust_hand(event: Doc | None) -> tuple[Ask, ...]:
    """Ask in which hand, where hand-for-hand has gone on and the bust may be told late."""
    h4h = None if event is None else event["h4h"]
    if h4h is None or h4h["status"] == "off" or h4h["hand"] < 1:
        return ()
    now, before = h4h["hand"], h4h["hand"] - 1
    words = f"In which hand (empty: this one, {now}; {before}: the previous hand)"
    return (Ask("hand", words, number, optional=True),)


# ── hand-for-hand ────────────────────────────────────────────────────────────────────────────────


def hand_for_hand(room: Room) -> list[Row]:
    """Show which tables are still playing, for how long, and what a hand costs."""
    event, board = room.doc(""), room.doc("tables")
    if event is None or board is None:
        return nothing("No event.")
    h4h = event["h4h"]
    distance = event["field"]["to_money"]
    money = "" if distance is None or distance <= 0 else f"{distance} from the money"
    if h4h["status"] == "off":
        notices = "round_for_round" in event["notices"]
        hint = "The house may go round-for-round now." if notices else "`h` announces it."
        return [head(f"HAND-FOR-HAND is off.  {money}"), Row(hint, "dim")]
    rows = [head(_h4h_line(event, money))]
    if h4h["status"] == "holding":
        rows.append(Row("Everybody has finished: `h` releases the next hand.", "good"))
    # The event's own document is the first to know; the board follows a moment later.
    names = {
        name: {**row, "h4h": h4h["tables"].get(name, row["h4h"])}
        for name, row in board["tables"].items()
    }
    order = sorted(
        names,
        key=lambda n: (PENDING.get(names[n]["h4h"], 9), names[n]["h4h_since"] or 0, int(n)),
    )
    return rows + [_h4h_table(room, name, names[name]) for name in order]


def _h4h_line(event: Doc, money: str) -> str:
    h4h = event["h4h"]
    count = len(h4h["tables"])
    unit = {"hand": "HAND", "round": "ROUND"}[h4h["unit"]]
    parts = [
        f"{'SOFT ' if h4h['soft'] else ''}{unit} {h4h['hand']} {h4h['status'].upper()}",
        f"{count - h4h['pending']} of {count} done",
        money,
        "the clock runs on"
        if h4h["policy"] == "run_on"
        else f"costs {digits(h4h['next_cost_ms'])}",
    ]
    after = h4h["after"]
    if after is not None and after["remaining_ms"] is not None:
        where = "break" if after["phase"] == "break" else f"level {after['level']}"
        parts.append(f"then {digits(after['remaining_ms'])} of {where}")
    return " · ".join(part for part in parts if part)


def _h4h_table(room: Room, name: str, row: Doc) -> Row:
    status = row["h4h"]
    since = "" if row["h4h_since"] is None else room.ago(row["h4h_since"])
    words = H4H_WORDS.get(status, str(status))
    tone = {"playing": "now", "all_in": "warn", "runout": "warn"}.get(status, "dim")
    here = {"table": int(name)}
    deeds = {"enter": Deed("h4h.done", here, confirm=f"Table {name} has finished its hand?")}
    if status == "all_in":
        deeds = {"enter": Deed("h4h.runout", here, confirm=f"Table {name} runs its board?")}
    deeds |= {"i": Deed("h4h.all_in", here)} if status == "playing" else {}
    if status == "done":
        deeds = {}
    return Row(f"{name:>4}  {since:>7}  {words}", tone, f"table/{name}", deeds)
