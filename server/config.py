"""Config: one TOML file, every key with a default; a mistake is told with the file and the key."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from server import bounded_toml

Count = Annotated[int, Meta(ge=1, le=1_000_000)]
Viewing = Literal["open", "token", "off"]


class BadConfig(Exception):  # noqa: N818 - the file's error, told in words for who wrote it
    """A config file that cannot be used."""


class Limits(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """How many connections there may be."""

    connections: Count = 12_000
    """In all."""

    per_address: Count = 400
    """From one address, but for this machine: a venue's phones may all come from one router."""

    strangers: Count = 5_000
    """That have not said who they are yet."""

    rate: Count = 1
    """How many times the usual number of messages everybody may send."""


class Tls(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Where the hub's certificate is; `railbird tls init` makes one."""

    certificate: str
    key: str


class Config(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What can be set; `docs/install.md` explains each key."""

    data: str = "data"
    """Folder for the journal, its backups and the director's token."""

    host: str = "127.0.0.1"
    """Address to listen on: this machine only, or 0.0.0.0 for the whole room."""

    port: int = 8080
    """Port for pages, the API and the websocket; 0 takes any that is free."""

    url: str | None = None
    """How the hub is reached from the room, where it cannot know that itself."""

    presets: str = "presets"
    """Folder with the venue's own presets."""

    themes: str = "themes"
    """Folder with the venue's own themes and their pictures."""

    sounds: str = "sounds"
    """Folder with the venue's own sounds: level.ogg and so on."""

    viewing: Viewing = "open"
    """Who may watch: `open` is everybody, `token` who has a token, `off` only paired devices."""

    hosts: list[str] = []
    """More names that the hub is called by; numeric addresses and its own name are known."""

    plain: bool = False
    """Take commands over plain http from other machines. Secrets can be overheard then."""

    tls: Tls | None = None
    """Serve https with this certificate."""

    limits: Limits = Limits()
    """How much anybody may ask of the hub."""

    log: str = "info"
    """How much is logged: debug, info, warning or error."""

    def checked(self, where: str) -> "Config":
        """Insist on values that make sense."""
        if not 0 <= self.port <= 65_535:  # noqa: PLR2004 - what a port can be
            raise BadConfig(f"{where}: port: must be from 0 to 65535")
        if self.log not in ("debug", "info", "warning", "error"):
            raise BadConfig(f"{where}: log: must be debug, info, warning or error")
        if not self.host:
            raise BadConfig(f"{where}: host: must not be empty")
        return self


@dataclass(frozen=True, slots=True)
class Places:
    """Where a hub's things lie."""

    folder: Path
    journal: Path = field(init=False)
    head: Path = field(init=False)
    token: Path = field(init=False)
    address: Path = field(init=False)
    backups: Path = field(init=False)
    archive: Path = field(init=False)

    def __post_init__(self) -> None:
        for name, file in (
            ("journal", "railbird.db"),
            ("head", "railbird.head"),
            ("token", "director.token"),
            ("address", "address"),
            ("backups", "backups"),
            ("archive", "archive"),
        ):
            object.__setattr__(self, name, self.folder / file)


def read(path: Path | None) -> Config:
    """Read a config file; without one everything has its default."""
    if path is None:
        return Config()
    try:
        raw = bounded_toml.load(path)
    except OSError as error:
        raise BadConfig(f"{path}: {error.strerror or error}") from None
    except bounded_toml.BadToml as error:
        raise BadConfig(f"{path}: not TOML: {error}") from None
    try:
        return msgspec.convert(raw, Config).checked(str(path))
    except msgspec.ValidationError as error:
        raise BadConfig(f"{path}: {_named(str(error))}") from None


def _named(error: str) -> str:
    """Put the key first, as all our errors do."""
    text, _, place = error.partition(" - at `$.")
    return f"{place.rstrip('`')}: {text}" if place else text
