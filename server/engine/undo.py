"""Undo: the night as it would have been without one command, clocks advanced to now.

Undoing takes the slices that the command wrote back to before it, and decides again what was
commanded in those slices since, each command at its own instant, in the world as the room saw it
then. What a later command entangled with other slices comes along. Undoing an undo is a redo: what
was before it exactly, or, if more has happened since, the command decided again at its old instant.

What was commanded elsewhere stands as it was: a hand that was dealt at the wrong level stays at
that level, because its blinds are on the felt.
"""

from dataclasses import dataclass, replace

from server.engine import commands as c
from server.engine import events as e
from server.engine.facts import Due, room_fact, table_fact
from server.engine.flow import at
from server.engine.history import ROOM, Entry, History
from server.engine.refusals import Code, Refusal, refuse
from server.engine.room import HandForHand, Room
from server.engine.silence import tap_undone
from server.engine.state import State
from server.engine.story import DECIDERS, Story, applies, decides, expect
from server.engine.trie import NEVER

Slices = frozenset[str]


@dataclass(frozen=True, slots=True)
class Switch:
    """A command whose effect is turned off, or by undoing the undo on again."""

    entry: Entry[State]  # what is undone: the command itself, or an undo of it
    root: Entry[State]  # the command itself

    @property
    def turned(self) -> frozenset[int]:
        """The entries that change between done and undone."""
        return frozenset({self.entry.number, self.root.number})


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Some slices as they would have been, and the history that led to them."""

    state: State  # only the slices count
    entries: tuple[Entry[State], ...]
    written: Slices


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


def _next_fact(state: State, slices: Slices, history: History[State]) -> Due | None:
    """Find what comes due next in some slices alone.

    What fell into a silence is never told, nor what ran while the hub was away: it is for the hub
    to hold that.
    """
    found = [room_fact(state)] if ROOM in slices else []
    for key in sorted(slices):
        kind, _, name = key.partition("/")
        table = state.tables.get(int(name)) if kind == "table" else None
        due = None if table is None else table_fact(state, table)
        if table is None or due is None or history.wait(table.number, due.zero) is not None:
            continue
        if not history.ran_unseen(table.runs_since, due.zero):
            found.append(due)
    return min((due for due in found if due is not None), key=lambda due: due.order, default=None)


def _rewrite(history: History[State], switch: Switch, slices: Slices) -> Rewrite | None:
    """Decide again what was commanded in some slices; None if not all of it is remembered."""
    chapter = _since(history, switch.root, slices)
    if chapter is None:
        return None
    undone = history.undone ^ switch.turned
    past = chapter[0].before
    entries: list[Entry[State]] = []
    written = slices.union(*(o.slices for o in chapter if o.fact is None or ROOM in slices))
    for old in chapter:
        if old.undoes is not None:
            continue
        world = _copy(past, old.before, slices)
        while (due := _next_fact(world, slices, history)) is not None and due.order < at(old.at):
            story = due.happen(world, history.silent)
            world, written = story.state, written.union(*(o.slices() for o in story.events))
        entries.append(replace(old, before=replace(world, history=History())))
        if old.number in undone:
            past = world
        else:
            story = _again(world, old, slices)
            past, written = story.state, written.union(*(o.slices() for o in story.events))
    return Rewrite(past, tuple(entries), written)


def _since(
    history: History[State], entry: Entry[State], slices: Slices
) -> list[Entry[State]] | None:
    """List an entry and what followed in some slices; None if some of it is forgotten.

    An undo that followed may have rewritten what came before the entry: then begin there.
    """
    while True:
        later = history.since(entry.number, slices)
        if later is None:
            return None
        targets = {o.undoes for o in later if o.undoes is not None and o.undoes < entry.number}
        if not targets:
            return [entry, *later]
        earlier = history.numbered(min(targets))
        if earlier is None:
            return None
        entry = earlier


def _again(world: State, old: Entry[State], slices: Slices) -> Story:
    """Decide a command once more; one that makes no sense any more has no effect."""
    story = Story(world, old.at)
    if old.command is not None:
        try:
            DECIDERS[type(old.command)](story, old.command)
        except Refusal:
            return Story(world, old.at)
    elif isinstance(old.fact, e.ChipsGranted) and ROOM not in slices:  # else time tells it anew
        here = {key for key in old.fact.slices() if key in slices}
        tables = tuple(n for n in old.fact.tables if e.table_slice(n) in here and n in world.tables)
        waiting = tuple(p for p in old.fact.waiting if e.player_slice(p) in here)
        story.tell(replace(old.fact, tables=tables, waiting=waiting))
    return story


def _rewound(history: History[State], switch: Switch, slices: Slices) -> Rewrite | None:
    """Find what an undo is to bring about.

    Taking back an undo that nothing has followed gives exactly what was before it; everything else
    is decided again.
    """
    undo = switch.entry
    if undo is not switch.root and history.since(undo.number, undo.slices) == []:
        return Rewrite(undo.before, undo.replaced, undo.slices)
    return _rewrite(history, switch, slices)


def _entangled(state: State, switch: Switch) -> Slices | None:
    """Find all slices that a command's effect has reached, or would have; None if too many."""
    slices = switch.root.slices
    while (rewrite := _rewound(state.history, switch, slices)) is not None:
        if rewrite.state is switch.entry.before:
            return rewrite.written
        wider = slices | rewrite.written
        if ROOM in slices and _moves_tables(rewrite.state.room, state.room):
            wider |= _moved(state, switch.root)
        if wider == slices:
            return slices
        slices = wider
    return None


def _moves_tables(was: Room, now: Room) -> bool:
    """Say whether tables would have fared otherwise: their clocks, or their hand-for-hand hands."""
    return was.flow != now.flow or _hand(was.h4h) != _hand(now.h4h)


def _hand(h4h: HandForHand) -> tuple[str, int]:
    return h4h.status, h4h.epoch


def _moved(state: State, root: Entry[State]) -> Slices:
    """Find the tables at which something ran or was done since a command."""
    found = set()
    for number in state.tables.keys():  # noqa: SIM118 - not a dictionary
        key = e.table_slice(number)
        before = root.before.tables.get(number)
        entries = state.history.log(key).entries
        tapped = bool(entries) and entries[-1].number > root.number
        if tapped or (before is not None and before.due() != NEVER):
            found.add(key)
    return frozenset(found)


def _switch(history: History[State], entry: Entry[State] | None) -> Switch | None:
    if entry is None:
        return None
    root = entry if entry.undoes is None else history.numbered(entry.undoes)
    return None if root is None else Switch(entry, root)


def _wanted(history: History[State], command: c.Undo) -> Entry[State] | None:
    """Find what is to be undone: the named command or the last one, of all or of a table."""
    if command.command is not None:
        named = history.named(command.command)
        found = [] if named is None else [named]
    else:
        table = command.table
        found = history.commands(None if table is None else e.table_slice(table))
    if command.table is not None:
        # The table's own: what the director gave to everybody is not for a dealer to undo.
        found = [o for o in found if getattr(o.command, "table", None) == command.table]
    found = [entry for entry in found if entry.command is None or entry.command.undoable]
    if command.by == "dealer":
        found = [entry for entry in found if entry.command and entry.command.by == "dealer"]
    return found[0] if found else None


def switched(history: History[State], command: c.Undo) -> Switch | None:
    """Say what an undo would turn off or on now; None where there is nothing."""
    switch = _switch(history, _wanted(history, command))
    return None if switch is None or switch.entry.number in history.undone else switch


@decides(c.Undo)
def _(story: Story, command: c.Undo) -> None:
    history = story.state.history
    switch = _switch(history, _wanted(history, command))
    if switch is None:
        refuse(Code.NOTHING_TO_UNDO, "There is nothing to undo, or it was too long ago.")
    if switch.entry.number in history.undone:
        refuse(Code.NOTHING_TO_UNDO, "That has been undone already.")
    slices = _entangled(story.state, switch)
    if slices is None:
        refuse(Code.NOTHING_TO_UNDO, "Too much has happened since to undo that.")
    target = switch.entry.number
    story.tell(e.Undone(at=story.now, command=command, target=target, written=slices))


@applies(e.Undone)
def _(state: State, event: e.Undone) -> State:
    history, slices = state.history, event.written
    switch = expect(Switch, _switch(history, history.numbered(event.target)))
    rewrite = expect(Rewrite, _rewound(history, switch, slices))
    numbers = {entry.number for entry in rewrite.entries}
    mark = Entry(
        number=history.count + 1,
        at=event.at,
        slices=slices,
        before=replace(state, history=History()),
        command=event.command,
        undoes=switch.root.number,
        replaced=tuple(o for o in history.remembered(slices) if o.number in numbers),
    )
    history = history.replace(rewrite.entries, history.undone ^ switch.turned)
    state = replace(_copy(rewrite.state, state, slices), history=history.add(mark))
    return tap_undone(state, switch.root.id)


@applies(e.Accepted)
def _(state: State, event: e.Accepted) -> State:
    return state.remember(event.at, event.written, command=event.command)
