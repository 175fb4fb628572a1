"""The keys of the director's console, and the sheet that lists them."""

from dealer_console.terminal.td_rows import Row, head

VIEWS = ("tables", "hands", "structure", "undo", "devices", "journal", "events", "needs")
"""The views, by the digit that shows each."""

SHEET = (
    ("THE CLOCK", ""),
    ("space", "start, pause (with a reason), resume"),
    ("+ -", "one minute more, or less"),
    ("] [", "half a minute more, or less"),
    ("=", "set the time that is left"),
    ("n p g", "next step, previous step, go to a level"),
    ("b", "break now, or end the break"),
    ("h H", "hand-for-hand: announce, release the next hand; end it"),
    ("a A", "announce; take the announcement away"),
    ("u", "undo the last thing decided for the room, by its name"),
    ("VIEWS", ""),
    ("1 2 3 4", "tables, hand-for-hand, structure, undo"),
    ("5 6 7 8", "devices, journal, events, what needs you"),
    ("e", "the next event"),
    ("Enter", "what the line is for: open, approve, undo, create, explain"),
    ("Escape", "back, or never mind"),
    ("TABLES", "o call the clock   x pause or resume it   k the floor was there   t open a table"),
    ("HANDS", "Enter a table is done, or runs its board   i it has an all-in"),
    ("A SEAT", "o call the clock   s start   c give a chip   t play a chip   m move   l limit"),
    ("", "v out   d take off the seat"),
    ("STRUCTURE", "left right length   i level after   j break after   w blinds   d remove"),
    ("", "l minutes or hands   Enter sends the draft, Escape drops it"),
    ("DEVICES", "Enter let in, rename   m give another role   l give it the table   i identify"),
    ("", "r reload   d show out"),
    ("JOURNAL", "/ look for words   v void"),
    ("EVENTS", "d put away   S suspend   F finish   I introduce the shot clock"),
    ("NEEDS YOU", "Enter give time back, let in, grant   x has read it   k floor was there"),
    ("q", "quit; the room goes on"),
)
"""Keys and what they do; without words it is a heading."""


def rows() -> list[Row]:
    """List all keys."""
    found = [head("ALL KEYS   (any digit leaves)")]
    for number, (keys, words) in enumerate(SHEET):
        line = Row(f"  {keys:<10} {words}", "", f"key/{number}")
        found.append(line if words else head(keys))
    return found
