"""The bubble: what a director does in hand-for-hand, from the documents alone."""

from server.robots.pace import Doc, Tap

CLOSE = 3
"""So many from the money hand-for-hand begins: more than one may go in one hand."""


def bubble(event: Doc) -> Tap | None:
    """Say what hand-for-hand needs from the director now."""
    h4h, field, clock = event["h4h"], event["field"], event["clock"]
    distance, playing = field["to_money"], clock["phase"] == "level"
    on = distance is not None and 0 < distance <= CLOSE and field["tables"] > 1
    match h4h["status"]:
        case "off" if on and playing and clock["status"] == "running":
            places = "place" if distance == 1 else "places"
            return Tap("h4h.announce", {"reason": f"{distance} {places} from the money"}, 5)
        case "announced" | "playing":
            waiting = [int(table) for table, how in h4h["tables"].items() if how == "all_in"]
            if waiting and "playing" not in h4h["tables"].values():
                return Tap("h4h.runout", {"table": waiting[0]}, 5)
        case "holding" if not on:
            return Tap("h4h.end", {}, 5)
        case "holding" if playing:
            return Tap("h4h.next", {}, 8)
        case _:
            pass
    return None
