"""What a theme says: colours by role, never by place, so that one file fits every screen."""

from collections.abc import Iterator
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

Colour = Annotated[str, Meta(pattern="^#[0-9a-fA-F]{6}$")]
"""Six digits and no names: the same in CSS, in Textual and in the test of contrast."""

Stack = Annotated[str, Meta(pattern=r'^[A-Za-z0-9 ,"\'_-]{1,200}$')]
"""A CSS font stack. Nothing that could end a declaration is allowed."""

Picture = Annotated[str, Meta(pattern=r"^([A-Za-z0-9_-][A-Za-z0-9._-]{0,98})?$")]
"""A file beside the theme's; empty where there is none. No folders, so nobody reads elsewhere."""

FontFile = Annotated[
    str, Meta(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9._-]{0,90}\.(woff2|woff|ttf|otf)$")
]
Family = Annotated[str, Meta(pattern=r"^[A-Za-z0-9 _-]{1,60}$")]

Name = Annotated[str, Meta(min_length=1, max_length=60)]


class Band(Struct, frozen=True, forbid_unknown_fields=True):
    """A band across the screen: what it is painted with, and what is written on it."""

    ground: Colour
    ink: Colour


class Bands(Struct, frozen=True, forbid_unknown_fields=True, rename={"break_": "break"}):
    """A band for every state that stops or changes play."""

    waiting: Band
    last_minute: Band
    paused: Band
    break_: Band
    hand_for_hand: Band
    suspended: Band
    finished: Band
    stale: Band


class Colours(Struct, frozen=True, forbid_unknown_fields=True):
    """Colours by role."""

    ground: Colour  # the whole screen
    panel: Colour  # boxes on it
    line: Colour  # the empty part of a bar, and lines between things
    ink: Colour  # digits, and everything that matters
    soft: Colour  # labels
    accent: Colour  # the blinds, the bar of a running level
    running: Colour  # what is alive
    warning: Colour  # the last minute
    standing: Colour  # digits of a clock that stands
    trouble: Colour  # what cannot be trusted
    felt: Colour  # a table
    felt_ink: Colour  # what is written on it
    turn: Colour  # whose turn it is at the table


class Fonts(Struct, frozen=True, forbid_unknown_fields=True):
    """Fonts of the pages; a terminal has its own."""

    text: Stack
    digits: Stack
    files: dict[Family, FontFile] = {}
    """Fonts that the venue has as files beside the theme's, by the name that the stacks use."""


class Theme(Struct, frozen=True, forbid_unknown_fields=True):
    """A theme, as its file says it."""

    name: Name
    dark: bool
    colours: Colours
    bands: Bands
    fonts: Fonts
    mark: Annotated[str, Meta(max_length=2)] = ""  # a sign before the title where there is no logo
    logo: Picture = ""
    background: Picture = ""
    chips: dict[Annotated[str, Meta(pattern="^[1-9][0-9]{0,8}$")], Colour] = {}
    """The colours of the venue's chips by denomination, for colour-ups; others are plain."""
    id: str = ""  # the name of its file

    def palette(self) -> Iterator[tuple[str, str]]:
        """Give every colour with its name, as CSS and Textual know it."""
        for role in msgspec.structs.fields(self.colours):
            yield role.encode_name.replace("_", "-"), getattr(self.colours, role.name)
        for role in msgspec.structs.fields(self.bands):
            band: Band = getattr(self.bands, role.name)
            name = role.encode_name.replace("_", "-")
            yield f"{name}-band", band.ground
            yield f"{name}-ink", band.ink
