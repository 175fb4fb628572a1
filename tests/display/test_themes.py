"""Themes: complete, readable from afar, and strict about what a venue writes."""

import os
import re
from pathlib import Path

import pytest

from themes import BUILT_IN, BadTheme, Shelf, built_in, css, load
from themes.contrast import contrast, pairs, too_faint
from themes.loading import FOLDER
from themes.terminal import textual_theme, variables

OWN = 'like = "midnight"\nname = "Club Nine"\nlogo = "nine.svg"\n[colours]\naccent = "#ffffff"\n'


@pytest.mark.parametrize("name", BUILT_IN)
def test_text_can_be_read(name: str) -> None:
    """Every pair of text and ground has the contrast that its distance needs."""
    assert too_faint(built_in()[name]) == []


def test_every_colour_is_in_a_pair() -> None:
    """No colour that carries text escapes the check of contrast."""
    theme = built_in()["classic"]
    named = " ".join(name.replace("_", "-") for name, *_ in pairs(theme))
    missing = {name for name, _ in theme.palette() if name.split("-")[0] not in named}
    assert missing == {"line"}


@pytest.mark.parametrize("sheet", ["wall.css", "screen.css", "index.css"])
def test_what_pages_write_on_what_is_checked(sheet: str) -> None:
    """Every text that a page writes on a colour of a theme is a pair whose contrast is checked."""
    theme = built_in()["classic"]
    known = {frozenset((ink, ground)) for _, ink, ground, _ in pairs(theme)}
    colours = dict(theme.palette())
    text = (FOLDER.parent / "display" / "web" / sheet).read_text("utf-8")
    found = 0
    for selector, rule in re.findall(r"([^{}]+)\{([^{}]*)\}", text):
        ground = re.search(r"background(?:-color)?: *var\(--rb-([a-z-]+)\)", rule)
        ink = re.search(r"(?<![-\w])color: *var\(--rb-([a-z-]+)\)", rule)
        if ground is None or ink is None or ground[1] not in colours:
            continue
        found += 1
        pair = frozenset((colours[ink[1]], colours[ground[1]]))
        assert pair in known, f"{selector.strip()}: {ink[1]} on {ground[1]}"
    assert found


def test_contrast_is_wcags() -> None:
    """Black on white is 21, a colour on itself 1, and the order does not matter."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert contrast("#123456", "#123456") == 1
    assert contrast("#ffffff", "#777777") == contrast("#777777", "#ffffff")


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_theme_is_whole(name: str) -> None:
    """Railbird's own themes say everything themselves, and are like no other."""
    text = (FOLDER / f"{name}.toml").read_text("utf-8")
    assert "like" not in re.findall(r"^(\w+) =", text, re.MULTILINE)
    assert built_in()[name].id == name


def test_states_differ() -> None:
    """In no theme do two states that stop play wear the same band."""
    for theme in built_in().values():
        bands = theme.bands
        grounds = [
            band.ground
            for band in (bands.paused, bands.break_, bands.hand_for_hand, bands.suspended)
        ]
        assert len(set(grounds)) == 4


def test_same_names_in_both_worlds() -> None:
    """What CSS calls --rb-ground, Textual calls $rb-ground."""
    theme = built_in()["midnight"]
    sheet = css(theme)
    for name, colour in variables(theme).items():
        assert f"--{name}:{colour};" in sheet
    made = textual_theme(theme)
    assert made.variables["rb-ground"] == theme.colours.ground == made.background
    assert made.name == "railbird-midnight"


def test_css_is_one_block() -> None:
    """Nothing in a theme can end the block of variables."""
    sheet = css(built_in()["classic"])
    assert sheet.count("{") == sheet.count("}") == 1
    assert "color-scheme:dark;" in sheet
    assert "--rb-logo:none;" in sheet
    assert '--rb-mark:"\\2660 ";' in sheet


def test_own_theme_is_like_another(tmp_path: Path) -> None:
    """A venue says only what is different."""
    (tmp_path / "nine.toml").write_text(OWN, "utf-8")
    theme = Shelf(tmp_path).themes["nine"]
    assert theme.colours.accent == "#ffffff"
    assert theme.colours.ground == built_in()["midnight"].colours.ground
    assert '--rb-logo:url("/themes/nine.svg");' in css(theme)


def test_fonts_of_the_venue_are_loaded_from_beside_the_theme(tmp_path: Path) -> None:
    """A font's file is declared by the name that the stacks use; nothing else can be declared."""
    path = tmp_path / "nine.toml"
    path.write_text(OWN + '[fonts]\nfiles = { "Nine Sans" = "nine.woff2" }\n', "utf-8")
    sheet = css(load(path))
    assert sheet.startswith('@font-face{font-family:"Nine Sans";src:url("/themes/nine.woff2");')
    for wrong in ('Nine = "nine.exe"', 'Nine = "../nine.woff2"', '"Ni\\"ne" = "nine.woff2"'):
        path.write_text(OWN + f"[fonts]\nfiles = {{ {wrong} }}\n", "utf-8")
        with pytest.raises(BadTheme, match=r"fonts\.files"):
            load(path)


def test_old_televisions_wear_classic() -> None:
    """The page for old televisions, which know no variables, has the colours of a theme."""
    known = {colour for _, colour in built_in()["classic"].palette()}
    sheet = (FOLDER.parent / "display" / "web" / "legacy.css").read_text("utf-8")
    assert set(re.findall(r"#[0-9a-f]{6}\b", sheet)) <= known


def test_chips_have_the_venues_colours(tmp_path: Path) -> None:
    """A venue's chips are drawn in their colours."""
    path = tmp_path / "nine.toml"
    path.write_text(OWN + '[chips]\n25 = "#00aa00"\n', "utf-8")
    assert "--rb-chip-25:#00aa00;" in css(load(path))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('like = "midnight"\ncolour = 1\n', "colour"),
        ('like = "midnight"\n[colours]\nacent = "#ffffff"\n', "acent"),
        ('like = "midnight"\n[colours]\naccent = "gold"\n', "accent"),
        ('like = "midnight"\n[bands]\npaused = { ground = "#ffffff", ik = "#000000" }\n', "ik"),
        ('like = "midnight"\n[fonts]\ntext = "x;}body{display:none"\n', "fonts.text"),
        ('like = "midnight"\nlogo = "../secret"\n', "logo"),
        ('like = "midnight"\nlogo = "..secret"\n', "logo"),
        ('like = "midnight"\n[chips]\nred = "#ff0000"\n', "chips"),
        ('like = "nobody"\n', "like"),
        ('name = "Bare"\n', "dark"),
        ("name = \n", "line 1"),
        ("#" * 70_000, "too large"),
    ],
)
def test_mistakes_are_named_with_the_file(tmp_path: Path, text: str, said: str) -> None:
    """A theme with a mistake is refused in words that name the file and the key."""
    path = tmp_path / "nine.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(BadTheme, match=r"nine\.toml") as refused:
        load(path)
    assert said in str(refused.value)


def test_reload(tmp_path: Path) -> None:
    """A changed file is taken, a broken one is named while the good one stays, a lost one goes."""
    path = tmp_path / "nine.toml"
    path.write_text(OWN, "utf-8")
    shelf = Shelf(tmp_path)
    assert shelf.reload() == set()

    _write(path, OWN.replace("#ffffff", "#eeeeee"))
    assert shelf.reload() == {"nine"}
    assert shelf.themes["nine"].colours.accent == "#eeeeee"

    _write(path, OWN.replace("#ffffff", "white"))
    assert shelf.reload() == set()
    assert shelf.themes["nine"].colours.accent == "#eeeeee"
    assert "nine.toml" in shelf.problems["nine.toml"]

    path.unlink()
    assert shelf.reload() == {"nine"}
    assert "nine" not in shelf.themes
    assert shelf.problems == {}


def test_own_classic_replaces_ours_and_gives_it_back(tmp_path: Path) -> None:
    """A venue's file may have the name of one of Railbird's; without it ours is back."""
    path = tmp_path / "classic.toml"
    path.write_text(OWN, "utf-8")
    shelf = Shelf(tmp_path)
    assert shelf.themes["classic"].name == "Club Nine"
    path.unlink()
    assert shelf.reload() == {"classic"}
    assert shelf.themes["classic"] == built_in()["classic"]


def _write(path: Path, text: str) -> None:
    """Write a file so that it is newer for certain."""
    before = path.stat().st_mtime_ns
    path.write_text(text, "utf-8")
    os.utime(path, ns=(before + 1_000_000_000, before + 1_000_000_000))
