"""Undo: the night as it would have been without one command, clocks advanced to now.

Undoing takes the slices that the command wrote back to before it, and decides again what was
commanded in those slices since, each command at its own instant, in the world as the room saw it
then. What a later command entangled with other slices comes along. Undoing an undo decides the
command again at its old instant: a redo.

What was commanded elsewhere stands as it was: a hand that was dealt at the wrong level stays at
that level, because its blinds are on the felt.
"""

from dataclasses import replace

from server.engine import commands as c
from server.engine import events as e
from server.engine.facts import Fact, room_fact, table_fact
from server.engine.history import ROOM, Entry, History
from server.engine.refusals import Code, Refusal, refuse
from server.engine.state import State
from server.engine.story import DECIDERS, Story, applies, decides

Slices = frozenset[str]


def _copy(source: State, target: State, slices: Slices) -> State:
    """Put some slices of one state into another."""
    tables, players, room = target.tables, target.players, target.room
    for key in slices:
        kind, _, name = key.partition("/")
        if kind == ROOM:
            room = source.room
        elif kind == "table":
            table = source.tables.get(int(name))
            tables = tables.drop(int(name)) if table is None else tables.put(int(name), table)
        else:
            player = source.players.get(name)
            players = players.drop(name) if player is None else players.put(name, player)
    return replace(target, room=room, tables=tables, players=players)


def _next_fact(state: State, slices: Slices) -> tuple[int, Fact] | None:
    """Find what comes due next in some slices alone."""
    found = [room_fact(state)] if ROOM in slices else []
    for key in slices:
        kind, _, name = key.partition("/")
        table = state.tables.get(int(name)) if kind == "table" else None
        if table is not None:
            found.append(table_fact(state, table))
    return min((fact for fact in found if fact is not None), key=lambda f: f[0], default=None)


def _catch_up(state: State, slices: Slices, now: int) -> State:
    while (fact := _next_fact(state, slices)) is not None and fact[0] < now:
        story = Story(state, fact[0], timed=True)
        fact[1](story)
        state = story.state
    return state


def entangled(
    history: History[State], entry: Entry[State]
) -> tuple[Slices, list[Entry[State]]] | None:
    """Find all slices that a command's effect reached, and what was commanded in them since."""
    slices = entry.slices
    while True:
        later = history.since(entry.number, slices)
        if later is None:
            return None
        wider = slices.union(*(o.slices for o in later if o.fact is None or ROOM in slices))
        if wider == slices:
            return slices, later
        slices = wider


@decides(c.Undo)
def _(story: Story, command: c.Undo) -> None:
    history = story.state.history
    if command.command is not None:
        entry = history.named(command.command)
    elif command.table is not None:
        # The table's own: what the director gave to everybody is not for a dealer to undo.
        at_table = history.commands(e.table_slice(command.table))
        own = (o for o in at_table if getattr(o.command, "table", None) == command.table)
        entry = next(own, None)
    else:
        entry = next(iter(history.commands()), None)
    if entry is None:
        refuse(Code.NOTHING_TO_UNDO, "There is nothing to undo, or it was too long ago.")
    root = entry if entry.undoes is None else history.entries.get(entry.undoes)
    found = None if root is None else entangled(history, root)
    if root is None or found is None:
        refuse(Code.NOTHING_TO_UNDO, "Too much has happened since.")
    if entry.undoes is None and entry.number in history.undone:
        refuse(Code.NOTHING_TO_UNDO, "That has been undone already.")
    if entry.undoes is not None and entry.number in history.undone:
        refuse(Code.NOTHING_TO_UNDO, "That undo has been undone already.")
    story.tell(e.Undone(at=story.now, command=command, target=entry.number, written=found[0]))


@applies(e.Undone)
def _(state: State, event: e.Undone) -> State:
    history = state.history
    entry = history.entries[event.target]
    root = entry if entry.undoes is None else history.entries[entry.undoes]
    slices, later = event.written, history.since(root.number, event.written) or []
    undone = (
        (history.undone | {entry.number})
        if entry is root
        else history.undone ^ {entry.number, root.number}
    )
    past = replace(root.before, history=History())
    again: list[Entry[State]] = []
    for old in [root, *later]:
        if old.undoes is not None:
            continue
        world = _catch_up(_copy(past, old.before, slices), slices, old.at)
        again.append(replace(old, before=world))
        past = world if old.number in undone else _again(world, old, slices)
    number = history.count + 1
    restored = replace(_copy(past, state, slices), history=history.replace(again, undone))
    mark = Entry(number, event.at, slices, past, event.command, undoes=root.number)
    return replace(restored, history=restored.history.add(mark))


def _again(world: State, old: Entry[State], slices: Slices) -> State:
    """Decide a command once more; one that makes no sense any more has no effect."""
    story = Story(world, old.at)
    if old.command is not None:
        try:
            DECIDERS[type(old.command)](story, old.command)
        except Refusal:
            return world
    elif old.fact is not None and ROOM not in slices:
        story.tell(old.fact)
    return story.state


@applies(e.Accepted)
def _(state: State, event: e.Accepted) -> State:
    return state.remember(event.at, event.written, command=event.command)
