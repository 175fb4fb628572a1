"""Records: events and states as plain data that JSON can say, and back again.

Written from the types of the fields, so that a new event or a new field needs nothing here. A value
whose type leaves several classes open carries the name of its class under `is`. Reading is for our
own journal and snapshots: it trusts their shape, and fails loudly where it is not what was written.
A name that this version does not know is never dropped: whoever wrote it meant something by it.
"""

import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, Union, get_args, get_origin, get_type_hints

from server.engine.commands import COMMANDS, Command, arguments
from server.engine.events import EVENTS, Event
from server.engine.history import History
from server.engine.room import Finish
from server.engine.rules import Rules
from server.engine.state import State
from server.engine.structure import Break, Level
from server.engine.table import Table
from server.engine.trie import Trie

Codec = tuple[Callable[[Any], Any], Callable[[Any], Any]]
"""How to write a value of a type, and how to read it."""


class Unknown(ValueError):  # noqa: N818 - what a record says, not what went wrong
    """Something in a record that this version does not know, in words."""


def _same(value: Any) -> Any:
    return value


_PLAIN: Codec = (_same, _same)


def write_event(event: Event) -> dict[str, Any]:
    """Write an event as a record: its name under `event`, then its fields."""
    return {"event": event.name, **_codec(type(event))[0](event)}


def read_event(record: Mapping[str, Any]) -> Event:
    """Read an event from its record."""
    name = record["event"]
    if name not in EVENTS:
        raise Unknown(f'the fact "{name}"')
    body = {key: value for key, value in record.items() if key != "event"}
    made: Event = _codec(EVENTS[name])[1](body)
    return made


def write_state(state: State) -> dict[str, Any]:
    """Write a state without its rules, which are the preset's.

    Of its history only that is written in which time rules nothing.
    """
    return next(record for record in write_state_in_steps(state) if record is not None)


STEP = 20
"""Tables or players that are written in one step."""

_UNRULED = ("silences", "waits", "missed")
"""What an undo must know, which lets time pass again."""

ROWS = 10
"""Finishes that take as long as a table."""


def write_state_in_steps(
    state: State, pack: Callable[[Any], Any] = _same
) -> Iterator[dict[str, Any] | None]:
    """Write a state a few tables at a time: gives nothing again and again, and at last the record.

    Writing a thousand tables in one go would hold up every tap of the room. What is written of each
    of them is packed at once: whoever encodes it there has no large record to encode at the end.
    """
    record: dict[str, Any] = {"count": state.history.count}
    field = state.room.field
    short = replace(state.room, field=replace(field, finishes=()))
    record["room"] = _codec(_STATE["room"])[0](short)
    finishes = record["room"]["field"]["finishes"]
    for number, finish in enumerate(field.finishes, start=1):
        finishes.append(pack(_codec(Finish)[0](finish)))
        if number % (STEP * ROWS) == 0:
            yield None
    for key in ("tables", "players"):
        write, part = _codec(get_args(_STATE[key])[1])[0], {}
        for number, (name, item) in enumerate(getattr(state, key).items(), start=1):
            part[str(name)] = pack(write(item))
            if number % STEP == 0:
                yield None
        record[key] = part
    if state.assumed:
        record["assumed"] = _codec(_STATE["assumed"])[0](state.assumed)
    # Of the history, only what later verdicts ask for: what can be undone is played again.
    for key in _UNRULED:
        if getattr(state.history, key):
            record[key] = list(map(list, getattr(state.history, key)))
    yield record


def read_state(record: Mapping[str, Any], rules: Rules) -> State:
    """Read a state; what can be undone begins anew."""
    if record.keys() - _SNAPSHOT:
        raise Unknown(f"{_named(record.keys() - _SNAPSHOT)} of a snapshot")
    parts = {key: _codec(_STATE[key])[1](record.get(key, {})) for key in _STATE}
    tables: Trie[int, Table] = Trie(Table.wake)
    for number, table in parts["tables"].items():
        tables = tables.put(number, table)
    unruled: dict[str, Any] = {key: tuple(map(tuple, record.get(key, ()))) for key in _UNRULED}
    history: History[State] = History(record["count"], **unruled)
    return State(rules, parts["room"], tables, parts["players"], history, parts["assumed"])


def _named(unknown: Iterable[str]) -> str:
    """Name fields that are not known."""
    return "the field " + ", ".join(f'"{name}"' for name in sorted(unknown))


_STATE = {
    key: hint
    for key, hint in get_type_hints(State).items()
    if key in ("room", "tables", "players", "assumed")
}
_SNAPSHOT = _STATE.keys() | {"count", *_UNRULED}


_CODECS: dict[Any, Codec] = {}


def _codec(hint: Any) -> Codec:
    """Find out, once, how values of a type are written and read."""
    if hint not in _CODECS:
        _CODECS[hint] = _made(hint)
    return _CODECS[hint]


def _made(hint: Any) -> Codec:
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return _union(tuple(arg for arg in args if arg is not type(None)))
    if origin is tuple or origin is frozenset:
        return _sequence(origin, _codec(args[0])) if _uniform(origin, args) else _PAIR
    if isinstance(origin, type) and issubclass(origin, Mapping | Trie):
        return _mapping(origin, args)
    if isinstance(hint, type) and issubclass(hint, Command):
        return write_command, _read_command
    return _record(hint) if is_dataclass(hint) else _PLAIN


def _uniform(origin: Any, args: tuple[Any, ...]) -> bool:
    return origin is frozenset or args[-1] is Ellipsis


_PAIR: Codec = (list, tuple)


def _sequence(make: Any, item: Codec) -> Codec:
    write, read = item
    if make is frozenset:
        return (lambda found: sorted(map(write, found)), lambda raw: frozenset(map(read, raw)))
    return (lambda found: [write(v) for v in found], lambda raw: tuple(read(v) for v in raw))


def _mapping(origin: type, args: tuple[Any, ...]) -> Codec:
    write, read = _codec(args[1])
    key = int if args[0] is int else str

    def reader(raw: Mapping[str, Any]) -> Any:
        found = {key(k): read(v) for k, v in raw.items()}
        if not issubclass(origin, Trie):
            return found
        trie: Trie[Any, Any] = Trie()
        for k, v in found.items():
            trie = trie.put(k, v)
        return trie

    return (lambda found: {str(k): write(v) for k, v in found.items()}, reader)


def _record(cls: Any) -> Codec:
    hints = get_type_hints(cls)
    codecs = [(f.name, *_codec(hints[f.name])) for f in fields(cls) if f.init]

    def write(value: Any) -> dict[str, Any]:
        return {name: out(getattr(value, name)) for name, out, _ in codecs}

    def read(raw: Mapping[str, Any]) -> Any:
        found = {name: back(raw[name]) for name, _, back in codecs if name in raw}
        if len(found) != len(raw):
            raise Unknown(f'{_named(raw.keys() - found.keys())} of "{_kind(cls)}"')
        return cls(**found)

    return write, read


def _kind(cls: Any) -> str:
    """Name what a record is of: as the journal says it, where it does."""
    return str(getattr(cls, "name", cls.__name__) if cls in _FACTS else cls.__name__)


_FACTS = frozenset(EVENTS.values())


def _union(members: tuple[Any, ...]) -> Codec:
    if not any(is_dataclass(member) for member in members):
        codec = _codec(members[0]) if len(members) == 1 else _PLAIN
        return _nullable(codec)
    if len(members) == 1:
        return _nullable(_codec(members[0]))
    if set(members) == {Level, Break}:
        return _write_step, _read_step
    classes = {member.__name__: member for member in members}

    def write(value: Any) -> dict[str, Any]:
        return {"is": type(value).__name__, **_codec(type(value))[0](value)}

    def read(raw: Mapping[str, Any]) -> Any:
        if raw["is"] not in classes:
            raise Unknown(f'a value of the kind "{raw["is"]}"')
        return _codec(classes[raw["is"]])[1]({k: v for k, v in raw.items() if k != "is"})

    return _nullable((write, read))


def _nullable(codec: Codec) -> Codec:
    write, read = codec
    if codec is _PLAIN:
        return codec
    return (
        lambda value: None if value is None else write(value),
        lambda raw: None if raw is None else read(raw),
    )


def _write_step(step: Level | Break) -> dict[str, Any]:
    """Write a step as a preset and `structure.set` say it."""
    body: dict[str, Any] = _codec(type(step))[0](step)
    return {"phase": "break", **body} if isinstance(step, Break) else body


def _read_step(raw: Mapping[str, Any]) -> Level | Break:
    cls = Break if raw.get("phase") == "break" else Level
    made: Level | Break = _codec(cls)[1]({k: v for k, v in raw.items() if k != "phase"})
    return made


_HINTS = {cls: get_type_hints(cls) for cls in COMMANDS.values()}


def write_command(command: Command) -> dict[str, Any]:
    """Write a command as the wire says it: its name, its id, its arguments."""
    hints = _HINTS[type(command)]
    args = {name: _codec(hints[name])[0](value) for name, value in arguments(command).items()}
    by = {"by": command.by} if command.by else {}
    return {"do": command.do, "id": command.id, **by, "args": args}


def _read_command(raw: Mapping[str, Any]) -> Command:
    cls = COMMANDS.get(raw["do"])
    if cls is None:
        raise Unknown(f'the command "{raw["do"]}"')
    hints = _HINTS[cls]
    unknown = (raw.keys() - _COMMAND) | (raw["args"].keys() - hints.keys())
    if unknown:
        raise Unknown(f'{_named(unknown)} of the command "{cls.do}"')
    args = {name: _codec(hints[name])[1](value) for name, value in raw["args"].items()}
    return cls(id=raw["id"], by=raw.get("by", ""), **args)


_COMMAND = frozenset(("do", "id", "by", "args"))
