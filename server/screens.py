"""Screens: what each wall shows is chosen at the director's console, not on the wall.

A device that was let in as a viewer may be a screen. Its settings are kept beside the journal, so
that a screen is what it was after any restart; who changed them is in the journal.
"""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from server.devices import Device
from server.engine import BadInput
from server.engine.commands import TABLE
from server.engine.reading import Kind, flag, nullable, text, whole
from server.orders import No, Order, Outcome

if TYPE_CHECKING:
    from server.hub import Hub
    from server.wishes import ScreenIdentify, ScreenReload, ScreenSet

SCENES = ("clock", "break", "tables", "payouts", "table", "lobby", "grid")
SOUNDS = ("level", "minute", "break", "action", "announcement", "speech", "all", "none")
TURNS = (0, 90, 180, 270)
MOST_EVENTS = 8
IDENTIFY_FOR = 10_000
"""Long enough to walk along a wall and find the screen that says its name."""

_PREFIX = "screen/"
SAME: Any = object()
"""The value of a setting that a command does not mention: it stays as it is."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a screen shows; None leaves it to the page."""

    scene: str | None = None  # one, or several with commas that take turns
    event: str | None = None  # its id; several with commas for a grid
    table: int | None = None  # for the scene `table`
    theme: str | None = None
    sound: str | None = None  # names with commas
    rotate: int = 0  # degrees, clockwise
    blackout: bool = False
    trim: int = 0  # milliseconds by which the panel lags
    turn: int | None = None  # seconds that each of several scenes is shown


DEFAULTS = asdict(Settings())


def listed(words: Iterable[str], most: int) -> Kind:
    """Accept some of these words, with commas between them, each once."""
    known = tuple(words)

    def read(value: Any, where: str) -> str:
        found = [word.strip() for word in text(100)(value, where).split(",")]
        for word in found:
            if word not in known:
                raise BadInput(where, f"must be of {', '.join(known)}, not {word[:40]!r}")
        if len(set(found)) != len(found) or len(found) > most:
            raise BadInput(where, f"must name at most {most}, each once")
        return ",".join(found)

    return read


def events(value: Any, where: str) -> str:
    """Accept the ids of events, with commas between them."""
    found = [event.strip() for event in text(64)(value, where).split(",")]
    if not all(found) or len(found) > MOST_EVENTS:
        raise BadInput(where, f"must be the id of an event, or up to {MOST_EVENTS} with commas")
    return ",".join(found)


def turned(value: Any, where: str) -> int:
    """Accept how a monitor hangs."""
    if type(value) is not int or value not in TURNS:
        raise BadInput(where, f"must be one of {', '.join(map(str, TURNS))}")
    return value


KINDS: dict[str, Kind] = {
    key: nullable(kind)
    for key, kind in {
        "scene": listed(SCENES, len(SCENES)),
        "event": events,
        "table": TABLE,
        "theme": text(60),
        "sound": listed(SOUNDS, len(SOUNDS)),
        "rotate": turned,
        "blackout": flag,
        "trim": whole(-1_000, 2_000),
        "turn": whole(3, 3_600),
    }.items()
}
"""How each setting is read; null puts it back to what it was at first."""


@dataclass(frozen=True, slots=True)
class Screen:
    """What is kept of a screen."""

    settings: Settings = Settings()
    reloads: int = 0  # how often it was told to load its page again


class Screens:
    """All screens that were ever given something to show."""

    def __init__(self, hub: "Hub", device: Callable[[str, Order], Device]) -> None:
        self._hub, self._device = hub, device
        self._shown: dict[str, Screen] = {
            key.removeprefix(_PREFIX): _read(hub.journal.get(key))
            for key in hub.journal.keys(_PREFIX)
        }
        self._head = dict(self._shown)  # with what is being stored: the next wish builds on it
        self._identify: dict[str, int] = {}
        hub.writer.on_rewind(self._rewind)

    def _rewind(self) -> None:
        self._head = dict(self._shown)

    # ── wishes ───────────────────────────────────────────────────────────────────────────────────

    def set(self, order: Order, wish: "ScreenSet", _now: int) -> Outcome:
        """Change what a screen shows; what is not mentioned stays."""
        device = self._screen(wish.device, order)
        given = {key: getattr(wish, key) for key in KINDS}
        changed = {key: value for key, value in given.items() if value is not SAME}
        if not changed:
            raise No("bad_value", f"Nothing to set: {', '.join(KINDS)}.")
        self._check(changed)
        before = self._head.get(device.id, Screen())
        new = {key: DEFAULTS[key] if value is None else value for key, value in changed.items()}
        after = replace(before, settings=replace(before.settings, **new))
        record = {"event": "screen.set", "device": device.id, "settings": new}
        return self._changed(record, device.id, after)

    def _check(self, changed: dict[str, Any]) -> None:
        """Insist on events and themes that there are."""
        for event in (changed.get("event") or "").split(","):
            if event and event not in self._hub.desks:
                raise No("unknown_event", f"There is no event {event}.")
        theme, known = changed.get("theme"), self._hub.gallery.names()
        if theme is not None and theme not in known:
            raise No("bad_value", f"There is no theme {theme}: there are {', '.join(known)}.")

    def reload(self, order: Order, wish: "ScreenReload", _now: int) -> Outcome:
        """Let a screen load its page again."""
        device = self._screen(wish.device, order)
        before = self._head.get(device.id, Screen())
        after = replace(before, reloads=before.reloads + 1)
        return self._changed({"event": "screen.reloaded", "device": device.id}, device.id, after)

    def identify(self, order: Order, wish: "ScreenIdentify", _now: int) -> Outcome:
        """Let a screen say its name, huge, for a while."""
        device = self._screen(wish.device, order)

        def effect() -> None:
            self._identify[device.id] = self._hub.time.now() + IDENTIFY_FOR
            self.show(device.id)

        return {"event": "screen.identified", "device": device.id}, [], effect

    def _screen(self, device: str, order: Order) -> Device:
        found = self._device(device, order)
        if found.badge.role != "viewer":
            raise No("not_allowed", f"{device} is a {found.badge.role}'s device, not a screen.")
        return found

    def _changed(self, record: dict[str, Any], device: str, after: Screen) -> Outcome:
        self._head[device] = after

        def effect() -> None:
            self._shown[device] = after
            self.show(device)

        return record, [(_PREFIX + device, asdict(after))], effect

    # ── devices come and go ──────────────────────────────────────────────────────────────────────

    def forgotten(self, device: str) -> list[tuple[str, Any]]:
        """Give what must be kept before a screen is none any more."""
        return [(_PREFIX + device, None)] if device in self._head else []

    def drop(self, device: str) -> None:
        """Forget a screen that was shown out."""
        for known in (self._shown, self._head, self._identify):
            known.pop(device, None)
        self.show(device)

    def show(self, device: str) -> None:
        """Tell a screen what it is."""
        self._hub.press.publish(f"screens/{device}")

    # ── documents ────────────────────────────────────────────────────────────────────────────────

    def settings(self, device: Device) -> dict[str, Any] | None:
        """Give what a device shows; None if it is no screen."""
        if device.badge.role != "viewer":
            return None
        return asdict(self._shown.get(device.id, Screen()).settings)

    def document(self, device: Device | None) -> dict[str, Any] | None:
        """Tell a screen what it shows and how it is called."""
        settings = None if device is None else self.settings(device)
        if device is None or settings is None:
            return None
        now, until = self._hub.time.now(), self._identify.get(device.id, 0)
        return {
            "now": now,
            "device": device.id,
            "number": device.id.removeprefix("d"),
            "name": device.badge.name,
            "settings": settings,
            "identify_until": until if until > now else None,
            "reloads": self._shown.get(device.id, Screen()).reloads,
        }


def _read(raw: dict[str, Any]) -> Screen:
    """Read what was kept; a setting that is not known any more is left out."""
    known = {field.name for field in fields(Settings)}
    settings = {key: value for key, value in raw["settings"].items() if key in known}
    return Screen(Settings(**settings), raw["reloads"])
