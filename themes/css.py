"""A theme as CSS variables, for every page."""

from themes.theme import Theme


def css(theme: Theme, pictures: str = "/themes/") -> str:
    """Give a style sheet of variables; `pictures` is where the folder of themes is served."""
    said = {f"--rb-{name}": colour for name, colour in theme.palette()}
    said |= {f"--rb-chip-{chip}": colour for chip, colour in theme.chips.items()}
    said |= {
        "--rb-font": theme.fonts.text,
        "--rb-font-digits": theme.fonts.digits,
        "--rb-mark": _string(theme.mark),
        "--rb-logo": _url(pictures, theme.logo),
        "--rb-background": _url(pictures, theme.background),
        "color-scheme": "dark" if theme.dark else "light",
    }
    faces = "".join(
        f'@font-face{{font-family:"{family}";src:url("{pictures}{file}");font-display:swap}}\n'
        for family, file in theme.fonts.files.items()
    )
    return faces + ":root{" + "".join(f"{key}:{value};" for key, value in said.items()) + "}\n"


def _url(pictures: str, name: str) -> str:
    return f'url("{pictures}{name}")' if name else "none"


def _string(text: str) -> str:
    """Write text as CSS, every sign by its number: nothing of it can be read as CSS."""
    return '"' + "".join(f"\\{ord(sign):x} " for sign in text) + '"'
