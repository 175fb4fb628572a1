"""What is on paper as rows: the structure, what can be undone, and the journal."""

from dealer_console.terminal.td_deeds import Deed
from dealer_console.terminal.td_draft import Draft
from dealer_console.terminal.td_rows import Doc, Room, Row, head, nothing

# ── structure ────────────────────────────────────────────────────────────────────────────────────


def structure(room: Room, draft: Draft | None) -> list[Row]:
    """Show the structure, or a draft of it, with when it will end."""
    doc = room.doc("structure")
    if doc is None:
        return nothing("No event.")
    rows = draft.rows if draft is not None else doc["steps"]
    numbers_ = draft.numbered() if draft is not None else [row["level"] for row in rows]
    times = [row["starts_at"] for row in rows] + [doc["ends_at"]]
    if draft is not None:
        times = draft.times(doc)
    ends = times[-1]
    late = room.now - doc["now"] if doc["stands"] else 0  # nobody knows when play goes on
    parts = ["DRAFT, not sent: Enter sends it, Escape drops it"] if draft and draft.changed else []
    parts.append("ends about " + room.time(ends + late) if ends is not None else "no known end")
    if doc["hard_stop_at"] is not None:
        over = ends is not None and ends + late > doc["hard_stop_at"]
        stop = f"hard stop {room.time(doc['hard_stop_at'])}"
        parts.append(f"{stop} COMES FIRST" if over else stop)
    if doc["editable_from"] is None:
        parts.append("may not be edited now")
    found = [head("  ".join(parts))]
    for index, row in enumerate(rows):
        shown = {**row, "starts_at": times[index]}
        found.append(_step(room, shown, index, numbers_[index], late))
    more = doc["continuation"]
    if more is not None:
        adds = f"+{more['small']:,}/+{more['big']:,} every {more['minutes']} min"
        found.append(Row(f"     and so on: {adds}", "dim"))
    return found


def _step(room: Room, row: Doc, index: int, level: int, late: int) -> Row:
    starts = "" if row["starts_at"] is None else room.time(row["starts_at"] + late)
    how_long = "open" if row["minutes"] is None else f"{row['minutes']} min"
    if row["hands"] is not None:
        how_long = f"{row['hands']} hands"
    if row["phase"] == "break":
        what = "BREAK" + "".join(f"  remove {chip:,}s" for chip in row["colour_up"])
    else:
        ante = f" ({row['ante']:,})" if row["ante"] else ""
        what = f"Level {level:<3} {row['small']:,} / {row['big']:,}{ante}"
    tone = {"past": "dim", "now": "now"}.get(row["state"], "")
    mark = "▶" if row["state"] == "now" else " "
    return Row(f"{mark} {starts:>5}  {how_long:>8}  {what}", tone, f"step/{index}")


# ── undo, journal ────────────────────────────────────────────────────────────────────────────────


def undo(room: Room) -> list[Row]:
    """List what can be undone, the newest first, with who did it."""
    floor = room.doc("floor")
    if floor is None or not floor["undo"]:
        return nothing("There is nothing to undo.")
    rows = [head(f"{'AT':<10}{'WHO':<12}WHAT   (Enter undoes it)")]
    for entry in floor["undo"]:
        undone = entry["undone"]
        words = f"{'undone: ' if undone else ''}{entry['text']}"
        who = str(entry.get("who") or entry["by"])[:11]
        deed = Deed("undo", {"command": entry["command"]}, confirm=f"Undo: {entry['text']}?")
        rows.append(
            Row(
                f"{room.exact(entry['at']):<10}{who:<12}{words}",
                "dim" if undone else "",
                f"undo/{entry['command']}",
                {} if undone else {"enter": deed},
            )
        )
    return rows


def last_undo(room: Room) -> Deed | None:
    """Find what `u` takes back: the newest thing that was decided for the room, not a dealer's."""
    floor = room.doc("floor")
    for entry in () if floor is None else floor["undo"]:
        if not entry["undone"] and entry["by"] != "dealer" and entry["do"] != "undo":
            return Deed("undo", {"command": entry["command"]}, confirm=f"Undo: {entry['text']}?")
    return None


def journal(room: Room, wanted: str = "") -> list[Row]:
    """Show what happened lately; with words to look for, only what has them."""
    doc = room.doc("journal")
    if doc is None:
        return nothing("No event.")
    hint = f"only “{wanted}” (/ changes it)" if wanted else "(Enter explains, / looks for words)"
    rows = [head(f"{'AT':<10}{'WHO':<12}WHAT   {hint}")]
    for entry in doc["entries"]:
        then = "; ".join(entry["then"])
        words = entry["text"] + (f"  → {then}" if then else "")
        who = str(entry["who"])[:11]
        line = f"{room.exact(entry['at']):<10}{who:<12}{words}"
        if wanted.casefold() in line.casefold():
            more = " ".join(part for part in (words, entry["explain"] or "") if part)
            deeds = {}
            if entry["kind"] == "command" and entry["what"] != "undo":
                question = f"Void: {entry['text']}?"
                deeds["v"] = Deed("undo", {"command": entry["command"]}, confirm=question)
            tone = {"time": "now", "note": "warn"}.get(entry["kind"], "")
            rows.append(Row(line, tone, f"line/{entry['seq']}", deeds, more))
    return rows
