"""Text that can be shown: one definition for what is taken in and for what goes out.

A stranger's text must not command a terminal, turn the text around it, or hide in it. So control
and format characters, broken Unicode and characters that show nothing are not taken; and outlets
(logs, terminals) leave them out or write their code, because old journals may have them.

Some characters that show nothing are needed to write real names and pictures: joiners in Persian,
in the scripts of India and between the parts of an emoji; one variation selector after a character;
accents on a letter. They are good where they are needed, and only there.
"""

import unicodedata
from functools import lru_cache
from itertools import chain

ZERO_WIDTH_NON_JOINER, JOINER = "\u200c", "\u200d"
JOINERS = (ZERO_WIDTH_NON_JOINER, JOINER)

NEEDS_JOINERS = range(0x0600, 0x1D00)
"""Arabic to the scripts of India and South-East Asia: between letters of others a joiner hides."""

SELECTORS = frozenset(
    map(chr, chain(range(0x180B, 0x1810), range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0)))
) - {"\u180e"}
"""They choose how the character before them is drawn: a red heart, a form of a Japanese name."""

BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U00016fe4\U0001d159")
"""Letters, marks and symbols by their category that show nothing: fillers and the like."""

COMMANDS = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Categories of characters that move, turn or hide others, or mean nothing to anybody else."""

VARIES_FROM = 0x1800
VARIES_BELOW = frozenset("0123456789#*©®")
"""What a selector may follow: Mongolian and all above it, and what becomes an emoji below it."""

PICTURES_FROM = 0x2000
"""Symbols from here on may be parts of one emoji."""

IGNORED = (range(0x2060, 0x2070), range(0xFFF0, 0xFFF9), range(0xE0000, 0xE1000))
"""Code points that show nothing, assigned or not."""

MOST_MARKS = 6
"""Accents on one letter: every language needs fewer, and towers of them cover other lines."""

ASTRAL = 0x10000

CONTROL, BLANK, MARK = (
    "must not contain control characters",
    "must not contain invisible characters",
    f"must not have an accent without a letter, or more than {MOST_MARKS} on one",
)


@lru_cache(4_096)
def _kind(sign: str) -> str:
    """Say what a character is by itself: `bad`, `blank`, `selector`, `joiner`, or its category.

    What this Python does not know yet is taken for a new picture.
    """
    code, category = ord(sign), unicodedata.category(sign)
    if sign in JOINERS:
        return "joiner"
    if sign in SELECTORS:
        return "selector"
    if sign in BLANKS:
        return "blank"
    no_character = code & 0xFFFE == 0xFFFE or code in range(0xFDD0, 0xFDF0)  # noqa: PLR2004
    if category in COMMANDS or no_character:
        return "bad"
    if any(code in codes for codes in IGNORED):
        return "blank"
    return "So" if category == "Cn" else category


def _joined(sign: str) -> str:
    """Say what of a character can be joined: a letter that needs it, a picture, or nothing."""
    kind = _kind(sign) if sign else ""
    if kind[:1] == "L" and ord(sign) in NEEDS_JOINERS:
        return "letters"
    return "pictures" if kind in ("So", "Sk", "Sm") and ord(sign) >= PICTURES_FROM else ""


def _varies(sign: str) -> bool:
    return sign in VARIES_BELOW or (sign != "" and ord(sign) >= VARIES_FROM)


class _Before:
    """What stands before a character: the last one, and the one that its accents are on."""

    def __init__(self) -> None:
        self.last, self.base, self.marks = "", "", 0

    def why_not(self, sign: str, following: str) -> str:
        """Say why a character cannot be shown here; empty if it can."""
        kind, why = _kind(sign), ""
        if kind == "bad":
            return CONTROL
        if kind == "selector":
            why = "" if self.last == self.base and _varies(self.base) else BLANK
        elif kind == "joiner":
            both = {_joined(self.base), _joined(following)}
            alone = self.last not in JOINERS and both in ({"letters"}, {"pictures"})
            why = "" if alone else BLANK
        elif kind[0] == "M":
            why = "" if self.base and self.marks < MOST_MARKS else MARK
        return BLANK if kind == "blank" else why

    def step(self, sign: str, *, good: bool) -> None:
        """Go on to the next character; nothing belongs to what cannot be shown."""
        kind = _kind(sign)
        if not good or kind == "Zs":
            self.last, self.base, self.marks = "", "", 0
        elif kind[0] == "M":
            self.last, self.marks = sign, self.marks + 1
        elif kind in ("selector", "joiner"):
            self.last = sign
        else:
            self.last, self.base, self.marks = sign, sign, 0


def faults(text: str) -> list[tuple[int, str]]:
    """Find the characters that cannot be shown where they are: each one's place, and why not."""
    if text.isascii() and text.isprintable():
        return []
    found: list[tuple[int, str]] = []
    before = _Before()
    for place, sign in enumerate(text):
        why = before.why_not(sign, text[place + 1 : place + 2])
        before.step(sign, good=not why)
        if why:
            found.append((place, why))
    return found


def is_visible(text: str) -> bool:
    """Say whether a text that has no faults shows anything."""
    return any(_kind(sign)[0] in "LNPS" for sign in text)


def why_not(text: str) -> str | None:
    """Say why a text cannot be shown; None if it can."""
    wrong = faults(text)
    if wrong:
        place, why = wrong[0]
        return f"{why} (U+{ord(text[place]):04X} at place {place + 1}): type it, do not paste it"
    return None if is_visible(text) else "must not be invisible"


def stripped(text: str) -> str:
    """Leave out of a text what cannot be shown."""
    wrong = {place for place, _ in faults(text)}
    if not wrong:
        return text
    return "".join(sign for place, sign in enumerate(text) if place not in wrong)


def escaped(text: str) -> str:
    """Write the codes of what cannot be shown, as JSON does: inside of JSON it means the same."""
    wrong = {place for place, _ in faults(text)}
    if not wrong:
        return text
    return "".join(_code(s) if place in wrong else s for place, s in enumerate(text))


def _code(sign: str) -> str:
    code = ord(sign)
    if code < ASTRAL:
        return f"\\u{code:04x}"
    high, low = divmod(code - ASTRAL, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
