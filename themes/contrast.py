"""Contrast as WCAG 2 measures it, and which pairs of a theme must have how much of it."""

from collections.abc import Iterator

from themes.theme import Theme

FAR, NEAR = 7.0, 4.5
"""AAA for what is read across a room, AA for what is read from a chair."""

_LINEAR_BELOW = 0.04045


def luminance(colour: str) -> float:
    """Say how bright a colour is, from 0 to 1."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= _LINEAR_BELOW else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Say how well two colours can be told apart, from 1 to 21."""
    darker, brighter = sorted((luminance(one), luminance(other)))
    return (brighter + 0.05) / (darker + 0.05)


def pairs(theme: Theme) -> Iterator[tuple[str, str, str, float]]:
    """Give every pair that carries text: its name, the text's colour, what is behind, the least."""
    c = theme.colours
    for role in ("ink", "soft", "accent", "warning", "standing", "trouble"):
        yield f"{role} on ground", getattr(c, role), c.ground, FAR
    for role in ("ink", "soft", "accent", "warning", "trouble"):
        yield f"{role} on panel", getattr(c, role), c.panel, FAR
    for name in ("panel", "ground"):
        yield f"running on {name}", c.running, getattr(c, name), NEAR
    yield "felt_ink on felt", c.felt_ink, c.felt, FAR
    yield "turn on felt", c.turn, c.felt, NEAR
    colours = dict(theme.palette())
    for name, ground in colours.items():
        if name.endswith("-band"):
            state = name.removesuffix("-band")
            yield f"{state} band", colours[f"{state}-ink"], ground, FAR


def too_faint(theme: Theme) -> list[str]:
    """Say in words which pairs of a theme cannot be read well enough."""
    return [
        f"{name}: {contrast(ink, ground):.1f}, needs {least}"
        for name, ink, ground, least in pairs(theme)
        if contrast(ink, ground) < least
    ]
