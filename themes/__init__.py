"""Themes: one TOML file each, feeding the web pages and the terminal alike.

Imports no other part but `server.bounded_toml`, which every TOML text passes.

from themes import Shelf, css

    shelf = Shelf(Path("my-themes"))        # Railbird's own, and a venue's
    css(shelf.themes["midnight"])           # :root{--rb-ground:#0b1330;…}
"""

from themes.css import css
from themes.loading import BUILT_IN, BadTheme, Shelf, built_in, load
from themes.theme import Band, Bands, Colours, Fonts, Theme

__all__ = [
    "BUILT_IN",
    "BadTheme",
    "Band",
    "Bands",
    "Colours",
    "Fonts",
    "Shelf",
    "Theme",
    "built_in",
    "css",
    "load",
]
