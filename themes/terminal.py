"""A theme as Textual knows it: the same names as the pages' variables, `$rb-ground` and so on."""

from textual.theme import Theme as TextualTheme

from themes.theme import Theme


def variables(theme: Theme) -> dict[str, str]:
    """Give every colour by the name that a Textual style sheet uses."""
    return {f"rb-{name}": colour for name, colour in theme.palette()}


def textual_theme(theme: Theme) -> TextualTheme:
    """Give the theme for `App.register_theme`."""
    colours = theme.colours
    return TextualTheme(
        name=f"railbird-{theme.id}",
        primary=colours.accent,
        secondary=colours.soft,
        accent=colours.accent,
        warning=colours.warning,
        error=colours.trouble,
        success=colours.running,
        foreground=colours.ink,
        background=colours.ground,
        surface=colours.ground,
        panel=colours.panel,
        dark=theme.dark,
        variables=variables(theme),
    )
