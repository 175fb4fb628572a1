"""A running hub, as the command line on the same machine talks to it.

The hub leaves its address and a director's token in its data folder. Its journal is locked while it
runs, so what wants to read it asks for a backup first.
"""

import json
import ssl
import typing
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from server import certificates
from server.config import Places
from server.engine import COMMANDS, BadInput
from server.wishes import WISHES


class Unreachable(Exception):  # noqa: N818 - a hub that is not there is no fault of this program
    """No hub answers for this data folder."""


class NotDone(Exception):  # noqa: N818 - the hub's refusal, in its own words
    """The hub refused."""


class Remote:
    """A hub on this machine."""

    def __init__(self, data: Path) -> None:
        self._places = Places(data)

    def do(self, do: str, event: str, args: Mapping[str, Any]) -> dict[str, Any]:
        """Command something, and give the answer."""
        return self._call("/api/v1/commands", {"do": do, "event": event, "args": args})

    def document(self, topic: str) -> dict[str, Any]:
        """Give the newest document of a topic."""
        return self._call(f"/api/v1/documents/{urllib.parse.quote(topic)}")

    def structure(self, event: str, kind: str) -> str:
        """Give an event's structure as a file."""
        return self._text(f"/api/v1/structure?{_query(event, kind)}")

    def read_structure(self, event: str, kind: str, text: str) -> list[dict[str, Any]]:
        """Have a file read, and give its steps from the event's current one on."""
        told = self._text(f"/api/v1/structure?{_query(event, kind)}", text.encode())
        found: list[dict[str, Any]] = json.loads(told)["ahead"]
        return found

    def backup(self) -> Path:
        """Ask for a backup, and say where it is."""
        return Path(self._call("/api/v1/backups", {})["path"])

    def way_in(self) -> tuple[str, str, ssl.SSLContext | None]:
        """Give the hub's websocket, the director's token, and whom to trust, for a console here."""
        address, token = self._known()
        scheme, _, place = address.partition("://")
        trusted = certificates.trust(self._places.folder) if scheme == "https" else None
        return f"{'wss' if trusted else 'ws'}://{place}/ws", token, trusted

    def _known(self) -> tuple[str, str]:
        """Read what the hub has left in its data folder."""
        try:
            address = self._places.address.read_text(encoding="ascii").strip()
            token = self._places.token.read_text(encoding="ascii").strip()
        except OSError:
            raise Unreachable(f"no hub has been started with {self._places.folder}") from None
        return address, token

    def _call(self, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(
            self._text(path, None if body is None else json.dumps(body).encode())
        )
        return found

    def _text(self, path: str, data: bytes | None = None) -> str:
        address, token = self._known()
        request = urllib.request.Request(  # noqa: S310 - our own hub's address
            address + path,
            data,
            {"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
        )
        direct = urllib.request.ProxyHandler({})
        trusting = urllib.request.HTTPSHandler(context=certificates.trust(self._places.folder))
        opener = urllib.request.build_opener(direct, trusting)
        try:
            with opener.open(request, timeout=60) as answer:
                return str(answer.read().decode("utf-8"))
        except urllib.error.HTTPError as error:
            raise NotDone(_told(error)) from None
        except (urllib.error.URLError, ConnectionError, TimeoutError) as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, ssl.SSLCertVerificationError):  # no token for a stranger
                why = reason.verify_message
                raise NotDone(f"the hub at {address} is not trusted: {why}") from None
            raise Unreachable(f"no hub answers at {address}; is it running?") from None


def _query(event: str, kind: str) -> str:
    return urllib.parse.urlencode({"event": event, "format": kind})


def _told(error: urllib.error.HTTPError) -> str:
    """Say in words what the hub answered."""
    body = error.read()
    try:
        told = json.loads(body)
        return f"{told['code']}: {told['text']}"
    except (ValueError, KeyError, TypeError):
        return f"{error.code}: {body.decode('utf-8', 'replace').strip() or error.reason}"


def arguments(do: str, words: Sequence[str]) -> dict[str, Any]:
    """Read `--key value` pairs; numbers and lists are JSON, and words that are meant as words."""
    found: dict[str, Any] = {}
    rest = list(words)
    while rest:
        name = rest.pop(0)
        if not name.startswith("--") or not rest:
            raise BadInput(name, "arguments are given as --name value")
        key = name[2:].replace("-", "_")
        found[key] = _value(do, key, rest.pop(0))
    return found


def _value(do: str, key: str, word: str) -> Any:
    command = COMMANDS.get(do) or WISHES.get(do)
    hint = typing.get_type_hints(command).get(key) if command is not None else None
    if hint is str or str in typing.get_args(hint):
        return word
    try:
        return json.loads(word)
    except ValueError:
        return word
