"""Text that can be shown: what names need is taken, and what commands, turns or hides is not."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.engine.reading import BadInput, text
from server.engine.visible import MOST_MARKS, escaped, faults, stripped, why_not

GOOD = [
    "Ann",
    "Zoë Ångström",
    "Zoe\u0308 A\u030angstro\u0308m",  # the same, with the accents by themselves
    "Nguyễn Thị Ánh",
    "李小龙",
    "葛\U000e0100城",  # a form of a name that Japanese registers insist on
    "김철수",
    "\u110b\u1175\u11a8",  # Korean in parts
    "محمد رضا",
    "می\u200cخواهم",  # noqa: RUF001 - Persian: a joiner that keeps two letters apart
    "क्\u200dष",  # an Indian half letter
    "ශ්\u200dරී ලංකා",
    "สมชาย ใจดี่",
    "שָׁלוֹם",
    "❤\ufe0f",
    "1\ufe0f\u20e3",
    "👩\u200d💻",
    "👩🏽\u200d💻 🏴\u200d☠\ufe0f",
    "❤\ufe0f\u200d🔥",
    "🙂\u200d↔\ufe0f",
    "🇦🇺",
    "O'Neill-Žižek, Jr. #7 (*)",
    "Ann\u00a0Lee",
    "李\u3000小",
    "e\u0301" * 30,
    "[/] <script>",
    "\U0001fae8",  # a picture that is newer than this Python may be
]

HOSTILE = {
    "the next line of a terminal": "\x85",
    "C1, the beginning of a terminal's command": "\x9b31m",
    "DEL": "Ann\x7f",
    "escape": "\x1b[2J",
    "a bell": "Ann\x07",
    "a line end": "Ann\nBob",
    "a tab": "Ann\tBob",
    "right to left from here": "Ann\u202eBob",
    "an isolate": "\u2066Ann",
    "a mark of direction": "Ann\u200e",
    "an Arabic mark of direction": "Ann\u061c",
    "a line separator": "Ann\u2028Bob",
    "a paragraph separator": "Ann\u2029Bob",
    "a space without width": "Ann\u200b",
    "a byte order mark": "\ufeffAnn",
    "a word joiner": "Ann\u2060",
    "a soft hyphen": "An\u00adn",
    "an invisible plus": "a\u2064b",
    "half a character": "Ann\ud83c",
    "private use": "Ann\ue000",
    "no character": "Ann\ufffe",
    "no character either": "Ann\ufdd0",
    "one of a higher plane": "Ann\U0001ffff",
    "tags": "Ann\U000e0041",
    "a code that shows nothing": "Ann\U000e0080",
    "a Hangul filler": "\u3164",
    "another": "\u115f",
    "one for vowels": "\u1160",
    "one of half width": "\uffa0",
    "one inside a name": "An\u3164n",
    "an empty Braille cell": "\u2800",
    "an invisible vowel": "ក\u17b4",
    "a joiner of graphemes": "A\u034fnn",
    "an empty note": "\U0001d159",
    "a selector alone": "\ufe0f",
    "a selector after a Latin letter": "Ann\ufe0f",
    "a selector after a space": "Ann \ufe0f",
    "two selectors": "❤\ufe0f\ufe0f",
    "a joiner alone": "\u200d",
    "a joiner between Latin letters": "An\u200dn",
    "a joiner at the end": "علی\u200c",
    "a joiner at the beginning": "\u200cعلی",
    "two joiners": "ع\u200c\u200cل",
    "a joiner before a space": "ع\u200c ل",
    "an accent alone": "\u0301",
    "an accent on a space": "Ann \u0301",
    "a tower of accents": "A" + "\u0301" * (MOST_MARKS + 1),
    "nothing but spaces": " \u00a0\u3000",
    "nothing": "",
}


@pytest.mark.parametrize("words", GOOD)
def test_real_names_and_pictures_are_taken_as_they_are(words: str) -> None:
    """No language loses its names, and no emoji its parts."""
    assert text(80)(words, "name") == words
    assert stripped(words) == escaped(words) == words


@pytest.mark.parametrize("words", HOSTILE.values(), ids=HOSTILE)
def test_what_commands_turns_or_hides_is_refused(words: str) -> None:
    """Whatever it is and wherever it stands, it is refused in words that can be shown."""
    with pytest.raises(BadInput) as refused:
        text(80)(words, "name")
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("words", HOSTILE.values(), ids=HOSTILE)
def test_what_is_shown_all_the_same_is_harmless(words: str) -> None:
    """What an old journal has is left out, or written as its code, and the rest stays."""
    for shown in (stripped(words), escaped(words)):
        assert faults(shown) == []
        assert shown.startswith("Ann") or not words.startswith("Ann")


def test_the_refusal_says_which_character_it_is_and_what_to_do() -> None:
    """Who has pasted a name is told what is in it."""
    told = "must not contain control characters (U+202E at place 4): type it, do not paste it"
    assert why_not("Ann\u202e") == told
    told = "must not contain invisible characters (U+3164 at place 1): type it, do not paste it"
    assert why_not("\u3164") == told
    assert why_not(" \u00a0") == "must not be invisible"


def test_escapes_mean_the_same_inside_of_json() -> None:
    """A log or a document with escapes in it is read back as it was."""
    words = "".join(HOSTILE.values()).replace("\ud83c", "")
    line = escaped(json.dumps({"name": words}, ensure_ascii=False))
    assert faults(line) == []
    assert json.loads(line) == {"name": words}


@given(st.text())
def test_any_text_is_made_harmless(words: str) -> None:
    """What is left out or escaped leaves nothing to be left out, and what is good is untouched."""
    assert faults(stripped(words)) == []
    assert faults(escaped(words)) == []
    if why_not(words) is None:
        assert stripped(words) == escaped(words) == words


def test_every_character_by_itself() -> None:
    """Of all characters, no control, no format character and no blank is ever shown."""
    for code in range(0x110000):
        sign = chr(code)
        if unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp"):
            assert faults(f"A{sign}B"), f"U+{code:04X}"
        if unicodedata.category(sign)[0] == "L" and sign not in "\u115f\u1160\u3164\uffa0":
            assert not faults(sign), f"U+{code:04X}"
