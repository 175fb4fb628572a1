"""Messages: one union for each direction, strictly typed.

A message is a JSON object in one text frame; `type` says which. Times are whole milliseconds of hub
time unless said otherwise.
"""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

VERSION = 1

Text = Annotated[str, Meta(max_length=200)]
Id = Annotated[str, Meta(min_length=1, max_length=64)]
Topic = Annotated[str, Meta(min_length=1, max_length=80)]
Instant = Annotated[int, Meta(ge=0, le=1 << 53)]
Topics = Annotated[list[Topic], Meta(max_length=64)]


class Hello(Struct, tag="hello", forbid_unknown_fields=True):
    """The first message: who speaks, and what documents it already has."""

    version: Annotated[int, Meta(ge=0, le=1_000)]
    token: Annotated[str, Meta(max_length=128)] | None = None
    device: Annotated[str, Meta(max_length=64)] = ""  # its own name for itself, kept for ever
    kind: Text = ""  # what it is, in words for the floor
    hub: Annotated[str, Meta(max_length=64)] = ""  # whose documents it has
    have: Annotated[dict[Topic, Instant], Meta(max_length=64)] = {}


class Subscribe(Struct, tag="subscribe", forbid_unknown_fields=True):
    """Follow topics: each one's document comes now, and again whenever it changes."""

    topics: Topics


class Unsubscribe(Struct, tag="unsubscribe", forbid_unknown_fields=True):
    """Follow topics no more."""

    topics: Topics


class Do(Struct, tag="do", forbid_unknown_fields=True):
    """A command. Sent again with the same id it is never applied twice."""

    id: Id
    event: Annotated[str, Meta(max_length=64)]
    do: Annotated[str, Meta(max_length=64)]
    args: dict[str, Any] = {}
    at: Instant | None = None  # when the tap was made
    seen: Instant | UnsetType | None = UNSET  # the event's revision that it is based on


class Probe(Struct, tag="probe", forbid_unknown_fields=True):
    """What time is it? `sent` is the client's own clock, in its own milliseconds."""

    sent: Annotated[int, Meta(ge=-(1 << 53), le=1 << 53)]


class Pair(Struct, tag="pair", forbid_unknown_fields=True):
    """Let me in: a code, please, for the floor to read off this device."""


class Report(Struct, tag="report", forbid_unknown_fields=True):
    """How a client is doing: the hub's time on its clock, how sure of it, how late it paints.

    And for a screen: what it shows, how old that is, and whether it can be heard.
    """

    offset: Annotated[int, Meta(ge=-(1 << 53), le=1 << 53)] | None = None
    uncertainty: Annotated[int, Meta(ge=0, le=1 << 53)] | None = None
    skew: Annotated[int, Meta(ge=-(1 << 53), le=1 << 53)] | None = None
    build: Annotated[str, Meta(max_length=64)] = ""
    scene: Annotated[str, Meta(max_length=64)] = ""
    age: Annotated[int, Meta(ge=0, le=1 << 53)] | None = None  # ms since the hub last answered
    sound: Annotated[str, Meta(max_length=16)] = ""  # off, on, blocked or unable


ToHub = Hello | Subscribe | Unsubscribe | Do | Probe | Pair | Report


class Welcome(Struct, tag="welcome", omit_defaults=True):
    """The hub knows who speaks. Revisions are of this hub's data; another's mean nothing."""

    version: int
    hub: str
    build: str
    role: str
    name: str
    event: str | None
    table: int | None
    now: int
    device: str = ""  # what the hub calls this device; left out for one that was not let in


class Code(Struct, tag="code"):
    """Show this code; when the floor has let the device in, the secret is its token."""

    code: str
    secret: str
    until: int


class Admitted(Struct, tag="admitted"):
    """A one-time link was used: from now on this is the token."""

    token: str


class Document(Struct, tag="doc"):
    """The newest document of a topic; null where there is none (any more)."""

    topic: str
    rev: int
    doc: Raw


class Done(Struct, tag="done"):
    """A command is durable. `again` says that it had been before, and nothing happened now."""

    id: str
    at: int  # the instant that counted
    again: bool = False


class Refused(Struct, tag="refused"):
    """A command had no effect; the code is for programs, the text for people."""

    id: str
    code: str
    text: str


class Probed(Struct, tag="probed", omit_defaults=True):
    """When a probe was received, in hub time, and for how long the answer was held back.

    Short, because an idle wall is sent nothing else.
    """

    sent: int
    at: int
    held: int = 0


class Problem(Struct, tag="problem"):
    """A message could not be understood; the connection goes on unless it is closed."""

    code: str
    text: str


class Bye(Struct, tag="bye"):
    """The hub closes the connection; come back after so many milliseconds, or not at all."""

    reason: str
    retry_ms: int | None


ToClient = Welcome | Code | Admitted | Document | Done | Refused | Probed | Problem | Bye

_to_hub: msgspec.json.Decoder[ToHub] = msgspec.json.Decoder(ToHub)
_to_client: msgspec.json.Decoder[ToClient] = msgspec.json.Decoder(ToClient)
encode = msgspec.json.Encoder().encode


def read_to_hub(frame: str | bytes) -> ToHub:
    """Read what a client said; raises msgspec.DecodeError with the key and the reason."""
    try:
        return _to_hub.decode(frame)
    except RecursionError:
        raise msgspec.DecodeError("the message is nested too deeply") from None
    except UnicodeDecodeError:
        raise msgspec.DecodeError("the message is not UTF-8") from None


def read_to_client(frame: str | bytes) -> ToClient:
    """Read what the hub said; raises msgspec.DecodeError like its counterpart."""
    try:
        return _to_client.decode(frame)
    except (RecursionError, UnicodeDecodeError) as error:
        raise msgspec.DecodeError(str(error)) from None


def schema() -> dict[str, Any]:
    """Describe both directions as a JSON schema."""
    (to_hub, to_client), definitions = msgspec.json.schema_components(
        (ToHub, ToClient), ref_template="#/$defs/{name}"
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Railbird wire protocol",
        "version": VERSION,
        "to_hub": to_hub,
        "to_client": to_client,
        "$defs": definitions,
    }
