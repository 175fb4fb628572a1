"""Taps, bells, keys and tokens of a dealer's console, without a screen."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dealer_console.face import Face, Look, face
from dealer_console.taps import AMBER, ONCE_TOLD_FOR, RED, SHOWN_FOR, TOLD_FOR, Taps
from dealer_console.terminal.bells import Bells
from dealer_console.terminal.dealer import main
from dealer_console.terminal.keys import KEYS, BadBinding, bound, key_for
from display.terminal.tokens import Tokens
from tests.dealer_console.cases import dealt
from tests.night import seconds

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "taps.json").read_text("utf-8"))


@pytest.mark.parametrize("vector", VECTORS["cases"], ids=lambda vector: str(vector["name"]))
def test_what_counts_as_a_tap(vector: dict[str, Any]) -> None:
    """A touch counts if the question has changed, or after a breath; if it does not, it says so."""
    taps = Taps()
    for button, label, own, asked, said in vector["touches"]:
        number = taps.press(button, label, own, asked)
        assert (number is None) == (said is not None), (button, own)
        assert said is None or taps.look(own).told == said


def test_that_a_touch_did_not_count_is_told_for_a_moment() -> None:
    """A dealer who meant it twice must know at once; later it is in the way."""
    taps = Taps()
    taps.press("bank", "TIME BANK +1", 0, "bank/3/flop/5")
    assert taps.press("bank", "TIME BANK +1", 200, "bank/3/flop/5") is None
    assert taps.look(200).told == "TIME BANK +1 once: same player"
    assert taps.look(200 + ONCE_TOLD_FOR).told == ""


def test_a_tap_is_sent_then_amber_then_red_until_it_is_confirmed() -> None:
    """Unconfirmed for half a second is amber, for two red; what is shown changes by itself."""
    taps = Taps()
    assert taps.look(0).stage == "nothing"
    assert taps.changes_in(0) is None
    number = taps.press("fold", "FOLD", 0)
    assert number is not None
    assert (taps.look(AMBER - 1).stage, taps.changes_in(1)) == ("sent", AMBER - 1)
    assert taps.look(AMBER).stage == "amber"
    assert taps.look(RED).stage == "red"
    taps.press("count", "COUNT", RED)
    assert "FOLD and 1 more" in taps.look(RED).words
    taps.confirmed(number, RED + 10)
    assert taps.look(RED + 10).told == "FOLD: done, at the instant of your tap"
    assert taps.look(RED + 10 + TOLD_FOR).told == ""
    taps.confirmed(2, RED + 20)
    assert taps.look(RED + 20).stage == "confirmed"
    assert taps.look(RED + 20 + SHOWN_FOR).stage == "nothing"
    taps.confirmed(99, 0)
    taps.refused(99, "never mind", 0)


def test_what_the_hub_ruled_is_said_plainly() -> None:
    """A refusal in its words; a tap that counted later than it was made says by how much."""
    taps = Taps()
    taps.press("big", "NEXT PLAYER", 0)
    taps.refused(1, "The floor must rule first.", 50)
    assert taps.look(60).told == "NEXT PLAYER: The floor must rule first."
    taps.press("big", "NEXT PLAYER", 10_000)
    taps.confirmed(2, 14_000, late=3_740)
    assert taps.look(14_000).told == "NEXT PLAYER: done, but it counted 3.7 s after your tap"
    taps.press("big", "NEXT PLAYER", 30_000)
    taps.confirmed(3, 30_090, late=90)
    assert taps.look(30_090).told == ""


def _faces(*lefts: int) -> tuple[list[Face], int]:
    """Look at a running action when so much time is left."""
    night = dealt()
    night.do("bank.grant", chips=0, mode="set")
    night.do("action.next", table=7)
    table, event = night.table(7), night.event()
    ends = table["action"]["ends_at"]
    return [face(Look(7, table, event, None, ends - left)) for left in lefts], ends


def test_bells_ring_at_ten_five_and_zero_once() -> None:
    """Nothing rings at the first look, twice, or again after an undo."""
    faces, ends = _faces(10_500, 9_900, 9_000, 4_900, 0)
    bells = Bells()
    assert [bells.look(found, ends) for found in faces] == [None, "ten", None, "five", "zero"]
    assert [bells.look(found, ends) for found in faces] == [None] * 5, "an undo brings nothing back"
    later = [bells.look(found, ends + seconds(20)) for found in faces]
    assert later == [None, "ten", None, "five", "zero"], "another deadline is another one"
    fresh = Bells()
    assert fresh.look(faces[3], ends) is None
    assert fresh.look(replace(faces[4], seat=1), ends) is None, "somebody else's time"


def test_any_key_can_be_bound() -> None:
    """A pedal is the big button; what is bound is shown; nonsense is refused in words."""
    keys = bound(["pedal=pagedown", "fold=f13"])
    assert (keys["pagedown"], keys["f13"], keys["space"], keys["f"]) == (
        "big",
        "fold",
        "big",
        "fold",
    )
    assert key_for("big", keys) == "pagedown"
    assert key_for("fold", bound(())) == KEYS["fold"]
    assert key_for("nothing", keys) == ""
    for wrong in ("pedal", "pedal=", "dance=x"):
        with pytest.raises(BadBinding, match="WHAT=KEY"):
            bound([wrong])


def test_bad_options_are_said_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing starts with a theme, an address or a key that cannot be."""
    for words in (["--theme", "x"], ["--hub", "http://x"], ["--bind", "x=y"], ["--table", "x"]):
        with pytest.raises(SystemExit) as stopped:
            main(words)
        assert stopped.value.code == 2
    assert "ws://" in capsys.readouterr().err


def test_tokens_are_kept_for_their_owner_alone(tmp_path: Path) -> None:
    """By hub and use, in a file of mode 0600; one that is broken holds nothing."""
    tokens = Tokens(tmp_path / "a" / "b")
    assert tokens.get("ws://hub", "dealer") is None
    tokens.keep("ws://hub", "dealer", "secret")
    tokens.keep("ws://hub", "td", "other")
    assert (tokens.get("ws://hub", "dealer"), tokens.get("ws://hub", "td")) == ("secret", "other")
    file = tmp_path / "a" / "b" / "tokens.json"
    assert file.stat().st_mode & 0o777 == 0o600
    tokens.forget("ws://hub", "dealer")
    tokens.forget("ws://hub", "dealer")
    assert tokens.get("ws://hub", "dealer") is None
    assert sorted(path.name for path in file.parent.iterdir()) == ["tokens.json"]
    for broken in ("{", json.dumps(["x"]), json.dumps({"td ws://hub": 5})):
        file.write_text(broken)
        assert tokens.get("ws://hub", "td") is None
    (tmp_path / "file").write_text("x")
    Tokens(tmp_path / "file").keep("ws://hub", "td", "lost")
