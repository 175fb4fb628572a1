"""The house as rows: its devices, its events, and what needs the director."""

from collections.abc import Iterable

from dealer_console.terminal.td_deeds import Ask, Deed, hour, house_start, role, text
from dealer_console.terminal.td_rows import Doc, Room, Row, head, nothing
from server.protocol.countdown import digits

SILENT = 15_000
"""Milliseconds after which a connected device is said to be silent."""

SKEWED = 100
"""Milliseconds by which a screen may be off before the director is told."""

# ── devices ──────────────────────────────────────────────────────────────────────────────────────


def devices(room: Room) -> list[Row]:
    """List who asks to be let in, and every device that was, and how each is doing."""
    doc = room.docs.get("devices")
    if doc is None:
        return nothing("Devices are for the floor and the director.")
    rows = [head("ASKING TO BE LET IN   (Enter lets it in)")] if doc["asking"] else []
    for asking in doc["asking"]:
        left = digits(max(0, asking["until"] - room.now))
        line = f"  {asking['code']}   {asking['kind'] or 'a device'} at {asking['address']}, {left}"
        rows.append(Row(line, "warn", f"code/{asking['code']}", {"enter": approve(room, asking)}))
    rows.append(head(f"{'NAME':<16}{'ROLE':<15}{'HEARD':<9}{'CLOCK':<13}BUILD / SCREEN"))
    listed = sorted(doc["devices"], key=lambda d: (not d["live"], d["role"], d["name"]))
    return rows + [_device(room, device) for device in listed]


def approve(room: Room, asking: Doc) -> Deed:
    """Let a device in: as what, and by which name."""
    asks = (
        Ask("as", "As viewer, floor, director or dealer 7", role, "viewer"),
        Ask("name", "Its name (may be empty)", text, optional=True),
    )
    args = {"code": asking["code"], "event": room.event}
    return Deed("device.pair", args, asks, hub=True)


def _heard(room: Room, device: Doc) -> str:
    """Say whether a device is there; one that is connected may still be silent."""
    if not device["live"]:
        return "away"
    silence: int = room.docs["devices"]["now"] - device["last_seen"]
    return "live" if silence < SILENT else f"{digits(silence)} ago"


def _device(room: Room, device: Doc) -> Row:
    place = f" t{device['table']}" if device["table"] is not None else ""
    heard = _heard(room, device)
    report = device["report"] or {}
    skew = report.get("skew")
    sure = report.get("uncertainty")
    clock = "" if sure is None else f"±{sure} ms"
    if skew is not None:
        clock += f" {skew:+} ms"
    screen = device.get("screen") or {}
    unanswered = device.get("unanswered_since")
    told = "" if unanswered is None else f"does not answer for {room.ago(unanswered)}"
    parts = (told, report.get("build", ""), screen.get("scene", ""))
    what = " ".join(str(part) for part in parts if part)
    bad = unanswered is not None or (skew is not None and abs(skew) > SKEWED)
    tone = "dim" if not device["live"] else "warn" if bad else ""
    name = str(device["dealer"] or device["name"])[:15]
    args = {"device": device["id"]}
    asks = Ask("as", "As viewer, floor, director or dealer 7", role)
    question = f"Show {device['name']} out?"
    deeds = {
        "enter": Deed(
            "device.rename", args, (Ask("name", "Its name", text, device["name"]),), hub=True
        ),
        "m": Deed("device.assign", {**args, "event": room.event}, (asks,), hub=True),
        "d": Deed("device.revoke", args, confirm=question, hub=True),
        "i": Deed("screen.identify", args, hub=True),
        "r": Deed("screen.reload", args, hub=True),
        "l": Deed("lease.grant", args, hub=True),
    }
    line = f"{name:<16}{device['role'] + place:<15}{heard:<9}{clock:<13}{what}"
    return Row(line, tone, f"device/{device['id']}", deeds)


# ── events ───────────────────────────────────────────────────────────────────────────────────────

STATUS_WORDS = {
    "waiting": "waits for its start",
    "running": "running",
    "paused": "paused",
    "suspended": "suspended",
    "finished": "finished",
}


def events(room: Room) -> list[Row]:
    """List the events of the room, and what another one can be made from."""
    doc, presets = room.docs.get("events"), room.docs.get("presets")
    rows = [head("EVENTS   (Enter shows it)")]
    for event in () if doc is None else doc["events"]:
        here = "▶" if event["id"] == room.event else " "
        status = STATUS_WORDS.get(event["status"], event["status"])
        field = f"{event['left']}/{event['entries']}"
        line = f"{here} {event['id']:>3}  {event['name']}, {status}, {field}"
        deeds = {
            "d": Deed(
                "event.archive", {"event": event["id"]}, confirm="Put this event away?", hub=True
            )
        }
        rows.append(
            Row(
                line,
                "now" if here == "▶" else "",
                f"event/{event['id']}",
                deeds,
                go=f"event/{event['id']}",
            )
        )
    if presets is None:
        return rows
    rows.append(head("NEW, FROM A PRESET   (Enter creates it)"))
    for preset in presets["presets"]:
        deed = create(room, {"preset": preset["id"]}, preset["name"], preset["start"])
        line = f"  {preset['name']}, {preset['house']}: {preset['summary']}"
        rows.append(Row(line, "", f"preset/{preset['id']}", {"enter": deed}))
    rows += [Row(f"  {told}", "bad", f"problem/{told[:40]}") for told in presets["problems"]]
    if presets["past"]:
        rows.append(head("AGAIN, AS IT ENDED   (Enter creates it)"))
    for past in presets["past"]:
        deed = create(room, {"like": past["event"]}, past["name"], past["start"])
        line = f"  {past['name']}, {past['house']}, event {past['event']}"
        rows.append(
            Row(line, "dim" if past["archived"] else "", f"past/{past['event']}", {"enter": deed})
        )
    return rows


def create(room: Room, args: Doc, name: str, start: str | None) -> Deed:
    """Create an event: everything but what it is made from has a default."""
    house = f"; house default {start}" if start else ""
    label = f"Start time (19:30{house}; empty: by hand)"
    own = house_start(start, room.now)
    asks = (
        Ask("name", "Name", text, name),
        Ask("starts_at", label, hour(room.now), own, optional=True),
    )
    return Deed("event.create", args, asks, hub=True)


# ── what needs the director ──────────────────────────────────────────────────────────────────────


def needs(room: Room) -> list[Row]:
    """List everything that waits for the director, the gravest first: the banner of truth."""
    rows = [*_hub_trouble(room), *_table_trouble(room), *_device_trouble(room)]
    return rows or [Row("Nothing needs you.", "good")]


def _hub_trouble(room: Room) -> Iterable[Row]:
    hub = room.docs.get("hub")
    if hub is None:
        return
    if hub["storage"]:
        yield Row(
            f"NOTHING CAN BE STORED: {hub['storage']}. Clocks go on; commands do not.",
            "bad",
            "storage",
        )
    for gap in hub["gaps"]:
        given = room.event in gap["given"]
        after = "given back, x" if given else "Enter gives it back, x"
        clear = Deed("gap.clear", {"gap": gap["id"]}, hub=True)
        deeds = {"x": clear}
        if gap["kind"] != "step" and not given and room.event is not None:
            time = digits(abs(gap["ms"]))
            back = f"Give {time} back to this event?"
            args = {"gap": gap["id"], "event": room.event}
            deeds["enter"] = Deed("gap.give_back", args, confirm=back, hub=True)
        elif gap["kind"] == "step":
            after = "x"
        yield Row(
            f"{room.time(gap['until'])} ({after}) {gap['text']}",
            "warn",
            f"gap/{gap['id']}",
            deeds,
            gap["text"],
        )
    if hub["plain"]:
        yield Row(
            "Plain http: tokens can be overheard in this room. See docs/tls.md.", "warn", "plain"
        )


def _table_trouble(room: Room) -> Iterable[Row]:
    board = room.doc("tables")
    duty = (room.doc("duty") or {"tables": {}})["tables"]
    found = [] if board is None else board["tables"].items()
    calls = [(row["floor"], name, row) for name, row in found if row["floor"] is not None]
    for since, name, row in sorted(calls, key=lambda call: call[0]):
        reason = f": {row['floor_reason']}" if row["floor_reason"] else ""
        deed = Deed("floor.clear", {"table": int(name)})
        line = f"Table {name} calls the floor since {room.ago(since)}{reason}"
        yield Row(line, "bad", f"table/{name}", {"k": deed}, go=f"table/{name}")
    for name, row in found:
        if row["action"] is not None and row["action"]["outcome"] == "needs_ruling":
            line = f"Table {name}, seat {row['action']['seat']}: time ran out unheard, rule it"
            yield Row(line, "bad", f"rule/{name}", go=f"table/{name}")
    for name, row in found:
        assumed = row.get("assumed")
        if assumed is not None:
            deeds = {"k": Deed("silence.seen", {"table": int(name)})}
            keys = "k: seen"
            if assumed["tap"] is not None:
                deeds["u"] = Deed("undo", {"command": assumed["tap"]})
                keys += ", u: undo the last tap"
            line = f"Table {name}: {assumed['text']} ({keys})"
            yield Row(line, "warn", f"assumed/{name}", deeds, go=f"table/{name}")
    for name, works in duty.items():
        if works["silent_since"] is not None:
            since = room.ago(works["silent_since"])
            line = f"Table {name}: {works['name'] or 'its device'} has been silent for {since}"
            yield Row(line, "warn", f"silent/{name}", go=f"table/{name}")
        for asking in works["asking"]:
            deed = Deed(
                "lease.grant",
                {"device": asking["device"]},
                hub=True,
                confirm=f"Give table {name} to {asking['name']}?",
            )
            yield Row(
                f"{asking['name']} asks for table {name} (Enter gives it)",
                "warn",
                f"asks/{name}",
                {"enter": deed},
            )


def _device_trouble(room: Room) -> Iterable[Row]:
    doc = room.docs.get("devices")
    if doc is None:
        return
    for asking in doc["asking"]:
        line = f"{asking['code']}: {asking['kind'] or 'a device'} asks to be let in (Enter)"
        yield Row(line, "warn", f"code/{asking['code']}", {"enter": approve(room, asking)})
    for device in doc["devices"]:
        unanswered = device.get("unanswered_since")
        if unanswered is not None:
            since = room.ago(unanswered)
            line = f"{device['name']} sends, but has not answered the hub for {since}: look at it"
            yield Row(line, "warn", f"unanswered/{device['id']}")
        skew = (device["report"] or {}).get("skew")
        if device["live"] and skew is not None and abs(skew) > SKEWED:
            yield Row(f"{device['name']} paints {skew:+} ms off", "warn", f"skew/{device['id']}")
