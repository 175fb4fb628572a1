"""What must hold of every night, whatever is commanded and whenever: Hypothesis plays the night.

A plan is a preset, a small room and a list of steps: how long to wait, then what to command. The
plan is played as a hub plays it: time first (`tick` up to the instant before), then the command.
A plan on which the engine raises or never comes back ends there; the first test alone demands that
none does, so that one fault does not hide behind another.

`RAILBIRD_EXAMPLES=20` plays twenty times as many plans, and different ones each time.
"""

from __future__ import annotations

import json
import os
import signal
import tomllib
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from server import presets
from server.engine import (
    COMMANDS,
    BadInput,
    Refused,
    Rules,
    State,
    decide,
    due,
    event_document,
    evolve,
    floor_document,
    parse,
    table_document,
    tick,
)
from server.engine.events import EVENTS, Undone
from server.engine.handforhand import PENDING, status_of
from server.engine.reading import build
from server.engine.records import read_event, read_state, write_event, write_state
from server.engine.room import Out, Seated, Waiting
from server.engine.structure import Level
from server.engine.table import Called, Held, Player, Running
from tests import night

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from server.engine import Command, Event

TIMES = int(os.environ.get("RAILBIRD_EXAMPLES", "1"))

COUNTED = """
name = "Counted in hands"
house = "Test"
stack = 5_000
seats = 4
push_keeps_level = true
[registration]
closes_at_level = 3
[action]
seconds = 15
chips = 2
chip_seconds = 10
introduce = "level"
introduce_level = 2
grants = [{ chips = 1, stage = "level", level = 3 }, { chips = 2, stage = "money" }]
[hand_for_hand]
policy = "deduct"
seconds = 120
[notices]
hold_push_seconds = 90
prepare_decks_seconds = 60
[[places]]
entries = 20
places = 2
[structure]
steps = [
  { small = 1, big = 2, hands = 2 },
  { small = 2, big = 4, hands = 1 },
  { phase = "break", minutes = 5 },
  { small = 3, big = 6, minutes = 4 },
  { small = 4, big = 8, hands = 3 },
]
continuation = { small = 1, big = 2, minutes = 3 }
"""

STAGED = """
name = "Short levels with grants"
house = "Test"
start = "20:00"
stack = 5_000
seats = 4
[registration]
closes_at_level = 2
closes_on_broken_table = true
[hard_stop]
at = "21:00"
warn_minutes = 5
[action]
seconds = 20
chips = 3
chip_seconds = 10
introduce = "level"
introduce_level = 2
grants = [{ chips = 2, stage = "level", level = 3, mode = "set" }]
[hand_for_hand]
policy = "run_to_cap"
seconds = 60
[structure]
minutes = 2
steps = [
  { small = 1, big = 2 },
  { small = 2, big = 4 },
  { phase = "break", minutes = 3 },
  { small = 3, big = 6 },
  { phase = "break" },
  { small = 4, big = 8 },
]
"""


@cache
def rules(name: str) -> Rules:
    """Read the rules of a house, shipped or made for these tests."""
    own = {"counted": COUNTED, "staged": STAGED}
    return build(Rules, tomllib.loads(own[name])) if name in own else presets.load(name)


HOUSES = ("star-brisbane-saturday", "selkirk-main", "apl-tour", "888pl", "counted", "staged")
MOST_SECONDS = 90  # more than any action or called clock here can ever be given
MOST_CHIP_SECONDS = 30

# ── what may be commanded ────────────────────────────────────────────────────────────────────────

PLAYERS = [f"{table}-{seat}" for table in (1, 2, 3) for seat in (1, 2, 3)] + ["new", "late"]
TABLE = st.sampled_from([1, 2, 1, 3, 4])
SEAT = st.sampled_from([1, 2, 3, 4, 9])
PLAYER = st.sampled_from(PLAYERS)
LENGTHS = [1, 1_000, 59_999, 60_000, 5 * 60_000, 45 * 60_000]
FLAG = st.booleans()
STEPS = st.lists(
    st.sampled_from(
        [
            {"small": 5, "big": 10, "minutes": 3},
            {"small": 6, "big": 12, "minutes": 30},
            {"small": 7, "big": 14, "hands": 1},
            {"small": 8, "big": 16, "hands": 2},
            {"phase": "break", "minutes": 2},
            {"phase": "break"},
        ]
    ),
    max_size=3,
)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "table": TABLE,
    "seat": SEAT,
    "button": SEAT,
    "player": PLAYER,
    "name": st.just("Ann"),
    "text": st.just("Seats, please"),
    "reason": st.just("dispute"),
    "ms": st.sampled_from([sign * ms for ms in LENGTHS for sign in (1, -1)] + [0]),
    "remaining_ms": st.sampled_from([0, *LENGTHS]),
    "level": st.integers(1, 6),
    "minutes": st.integers(1, 5),
    "steps": STEPS,
    "starts_at": st.sampled_from([None, 60_000, 20 * 60_000]),
    "resumes_at": st.sampled_from([None, 3_600_000]),
    "seconds": st.sampled_from([1, 10, 25]),
    "chip_seconds": st.sampled_from([5, 30]),
    "chips": st.sampled_from([1, 1, 2, 4, 0]),
    "seats": st.sampled_from([2, 4]),
    "stack": st.sampled_from([100, 200]),
    "places": st.sampled_from([None, 1, 3]),
    "facing_bet": FLAG,
    "acted": FLAG,
    "outcome": st.sampled_from(["dead", "check", "void"]),
    "mode": st.sampled_from(["set", "add"]),
    "policy": st.sampled_from(["run_to_cap", "deduct", "run_on"]),
    "unit": st.sampled_from(["hand", "round"]),
    "soft": FLAG,
    "command": st.integers(1, 40).map(lambda number: f"c{number}"),
}
NULL = {"player.limit": "seconds"}  # null is a value of its own here: it lifts the limit
SOME = {"action.bank": "chips"}  # at least one chip is pushed forward


def arguments(do: str) -> st.SearchStrategy[dict[str, Any]]:
    """Give the arguments of a command, those with a default now and then left out."""
    known = {name: f for name, f in COMMANDS[do].__dataclass_fields__.items() if f.metadata}
    values = {n: VALUES[n] | st.none() if NULL.get(do) == n else VALUES[n] for n in known}
    if do in SOME:
        values[SOME[do]] = values[SOME[do]].map(lambda number: max(1, number))
    must = {n: s for n, s in values.items() if known[n].default is known[n].default_factory}
    may = {n: s for n, s in values.items() if n not in must}
    return st.fixed_dictionaries(must, optional=may)


DEALER = [do for do in COMMANDS if do.partition(".")[0] in ("hand", "action", "h4h", "street")]
CALLS = st.sampled_from([*COMMANDS, *DEALER, *DEALER, "hand.start", "undo", "undo"]).flatmap(
    lambda do: st.tuples(st.just(do), arguments(do))
)
WAITS = st.one_of(
    st.tuples(st.just("wait"), st.sampled_from([0, 1, 1_000, 5_000])),
    st.tuples(st.just("due"), st.sampled_from([0, 1])),
    st.tuples(st.just("wait"), st.integers(0, 30_000)),
    st.tuples(st.just("wait"), st.sampled_from([60_000, 3 * 60_000, 20 * 60_000, 6 * 3_600_000])),
)

Wait = tuple[str, int]
Call = tuple[str, dict[str, Any]]
Steps = list[tuple[Wait, Call]]


@st.composite
def scenes(draw: st.DrawFn) -> Steps:
    """Give a few steps that belong together, so that plans come deep enough into a night."""
    at, other = {"table": draw(TABLE)}, {"table": draw(TABLE)}
    first, second = {**at, "seat": 1}, {**at, "seat": 2}
    nobody = {"chips": 0, "mode": "set"}
    scene: list[Call] = draw(
        st.sampled_from(
            [
                [("hand.start", at), ("action.next", at), ("action.fold", at)],
                [("hand.start", at), ("action.start", first), ("action.hold", at)],
                [("hand.start", at), ("hand.end", at), ("hand.start", at), ("hand.end", at)],
                [("hand.start", at), ("hand.end", at), ("level.back", {})],
                [("hand.start", at), ("hand.start", other), ("h4h.announce", {}), ("undo", at)],
                [("h4h.announce", {}), ("hand.end", at), ("h4h.done", other)],
                [("h4h.announce", {"soft": True}), ("h4h.next", {}), ("hand.start", at)],
                [("h4h.next", {}), ("h4h.done", at), ("h4h.done", other)],
                [("h4h.next", {}), ("hand.start", at), ("h4h.all_in", at), ("h4h.runout", at)],
                [("h4h.next", {}), ("level.next", {}), ("level.next", {})],
                [("seat.clear", first), ("table.close", at), ("h4h.done", other)],
                [("shotclock.introduce", {}), ("action.start", first), ("action.next", at)],
                [("bank.grant", nobody), ("action.start", first), ("called.start", second)],
                [("clock.pause", {}), ("undo", {}), ("undo", {})],
                [("clock.pause", {}), ("clock.resume", {}), ("action.start", first)],
                [("called.start", second), ("action.next", at), ("called.stop", at)],
            ]
        )
    )
    waits = st.sampled_from([("wait", 1_000), ("wait", 0)]) | WAITS
    return [(draw(waits), call) for call in scene]


ONE = st.tuples(WAITS, CALLS).map(lambda one: [one])
CHAPTERS = st.lists(ONE | ONE | scenes(), min_size=1, max_size=8)
STORIES = st.lists(CHAPTERS, min_size=1, max_size=4).map(
    lambda chapters: tuple(one for chapter in chapters for scene in chapter for one in scene)
)


@dataclass(frozen=True)
class Plan:
    """A night to be played."""

    house: str
    tables: tuple[int, ...]
    started: bool
    steps: tuple[tuple[Wait, Call], ...]


PLANS = st.builds(
    Plan,
    st.sampled_from(HOUSES),
    st.lists(st.sampled_from([2, 3, 1, 0]), min_size=1, max_size=3).map(tuple),
    st.sampled_from([True, True, True, True, False]),
    STORIES,
)


def plays(examples: int, *found: Plan) -> Callable[[Callable[[Plan], None]], Callable[[], None]]:
    """Play plans in which a fault was once found, then so many others, the same ones every time."""

    def wrap(test: Callable[[Plan], None]) -> Callable[[], None]:
        chosen = settings(
            max_examples=examples * TIMES,
            deadline=None,
            derandomize=TIMES == 1,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        made: Any = given(PLANS)(test)
        for plan in found:
            made = example(plan)(made)
        return chosen(made)  # type: ignore[no-any-return]

    return wrap


def plan_of(house: str, tables: tuple[int, ...], *calls: str, started: bool = True) -> Plan:
    """Write a plan in short: `@5000` waits, `hand.start table=1` commands."""
    steps, wait = [], 0
    for call in calls:
        if call.startswith("@"):
            wait += int(call[1:])
            continue
        do, *rest = call.split()
        pairs = (word.partition("=") for word in rest)
        args = {key: json.loads(value) for key, _, value in pairs}
        steps.append((("wait", wait), (do, args)))
        wait = 0
    return Plan(house, tables, started, tuple(steps))


# ── playing a plan ───────────────────────────────────────────────────────────────────────────────


class EndlessError(Exception):
    """The engine did not come back."""


@contextmanager
def patience(seconds: float) -> Iterator[None]:
    """Interrupt an engine that never comes back."""

    def ring(*_: object) -> None:
        raise EndlessError("the engine did not come back")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@dataclass(frozen=True)
class Moment:
    """One step of a plan, as it was played."""

    since: int  # the instant of the step before
    now: int
    before: State  # at `since`, with what had been commanded then
    waited: tuple[Event, ...]  # what time did before `now`
    ready: State  # just before the command
    command: Command
    outcome: tuple[Event, ...] | Refused
    after: State

    @property
    def happened(self) -> tuple[Event, ...]:
        """Everything that happened in the step."""
        commanded = () if isinstance(self.outcome, Refused) else self.outcome
        return (*self.waited, *commanded)


def evolved(state: State, events: tuple[Event, ...]) -> State:
    """Give the state after some events."""
    for event in events:
        state = evolve(state, event)
    return state


def seen(state: State, now: int) -> State:
    """Give the state as a screen sees it: with everything that is due by now."""
    return evolved(state, tick(state, now))


def documents(state: State, now: int) -> dict[str, Any]:
    """Give what all screens show of a state."""
    tables = {str(n): table_document(state, n, now) for n, _ in state.tables.items()}
    return {"event": event_document(state, now), "tables": tables}


@cache
def opened(house: str, tables: tuple[int, ...], *, started: bool) -> night.Night:
    """Give a room as it is when play begins."""
    size = rules(house).seats
    people = {number: min(players, size) for number, players in enumerate(tables, start=1)}
    return night.given(rules(house), people, started=started)


def moments(plan: Plan) -> Iterator[Moment]:
    """Play a plan step by step."""
    opening = opened(plan.house, plan.tables, started=plan.started)
    state, now, count = opening.state, opening.now, opening.count
    commands = [parse(do, args, id=f"c{i}") for i, (_, (do, args)) in enumerate(plan.steps, count)]
    for ((kind, ms), _), command in zip(plan.steps, commands, strict=True):
        since, before = now, state
        target = due(state) if kind == "due" else now
        now = max(now, (now if target is None else target) + ms)
        waited = tick(state, now - 1)
        ready = evolved(state, waited)
        outcome = decide(ready, command, now)
        state = ready if isinstance(outcome, Refused) else evolved(ready, outcome)
        yield Moment(since, now, before, waited, ready, command, outcome, state)


def played(plan: Plan) -> Iterator[Moment]:
    """Play a plan up to where the engine breaks down, which is for the first test to tell."""
    with patience(1):
        try:
            yield from moments(plan)
        except (EndlessError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError):
            return


# ── the invariants ───────────────────────────────────────────────────────────────────────────────


@plays(
    250,
    plan_of(
        "star-brisbane-saturday",
        (2,),
        "h4h.announce",
        "level.goto level=5",
        "h4h.next",
        "level.next",
        "@180001",
        "announce.clear",
    ),
    plan_of(
        "star-brisbane-saturday",
        (2,),
        "level.goto level=5",
        "h4h.announce soft=true",
        "h4h.next",
        "clock.set remaining_ms=1000",
        "@2000",
        "h4h.done table=1",
        "@180001",
        "announce.clear",
    ),
)
def test_the_engine_always_answers(plan: Plan) -> None:
    """Every command gives events or a refusal in words, and the engine neither raises nor hangs."""
    with patience(4):
        for moment in moments(plan):
            if isinstance(moment.outcome, Refused):
                assert moment.outcome.text
            else:
                assert moment.outcome
                assert all(type(event) in EVENTS.values() for event in moment.outcome)
            seen(moment.after, moment.now)


@plays(60)
def test_everything_that_is_published_is_plain_json(plan: Plan) -> None:
    """Documents, records of events and snapshots survive a trip through JSON unchanged."""
    for moment in played(plan):
        shown = seen(moment.after, moment.now)
        published = {
            **documents(shown, moment.now),
            "floor": floor_document(shown, moment.now),
            "events": [write_event(event) for event in moment.happened],
            "state": write_state(shown),
        }
        trip = json.loads(json.dumps(published))
        assert trip == published
        assert tuple(map(read_event, trip["events"])) == moment.happened
        back = read_state(trip["state"], shown.rules)
        assert (back.room, back.tables, back.players) == (shown.room, shown.tables, shown.players)
        assert due(back) == due(shown)


@plays(60)
def test_a_refusal_changes_nothing(plan: Plan) -> None:
    """A refused command leaves the state alone, and is refused again in the same words."""
    for moment in played(plan):
        if isinstance(moment.outcome, Refused):
            assert moment.after == moment.ready
            assert decide(moment.ready, moment.command, moment.now) == moment.outcome


def everybody(state: State) -> Iterator[tuple[str, Player]]:
    """List all players, wherever they are."""
    for number, who in state.players.items():
        match who:
            case Seated(table, seat):
                yield number, state.tables[table].seats[seat].player
            case Waiting(player) | Out(player):
                yield number, player


@plays(150)
def test_time_bank_chips_are_conserved(plan: Plan) -> None:
    """Every chip that a player was granted is in the bank or spent, and no bank is negative."""
    for moment in played(plan):
        for _, player in everybody(seen(moment.after, moment.now)):
            assert player.granted == player.bank + player.spent, player
            assert player.bank >= 0, player
            assert player.spent >= 0, player


COUNTDOWNS = ("remaining_ms", "next_break_ms", "closes_in_ms")


def countdowns(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], int]]:
    """Find every countdown in a document."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in COUNTDOWNS and inner is not None:
                yield (*path, key), inner
            yield from countdowns(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from countdowns(inner, (*path, str(index)))


@plays(150)
def test_no_countdown_is_negative_or_rises_by_itself(plan: Plan) -> None:
    """While nothing happens every countdown falls or stands, down to zero and never below."""
    for moment in played(plan):
        shown = seen(moment.after, moment.now)
        nothing_until = due(shown) or moment.now + 7_200_000
        last: dict[tuple[str, ...], int] = {}
        for now in (moment.now, (moment.now + nothing_until) // 2, nothing_until - 1):
            found = {**documents(shown, now), "floor": floor_document(shown, now)}
            left = dict(countdowns(found))
            assert all(ms >= 0 for ms in left.values()), left
            assert not last or left.keys() == last.keys() - ({("floor",)} & last.keys())
            assert all(ms <= last.get(path, ms) for path, ms in left.items()), (last, left)
            last = left


@plays(60)
def test_a_running_countdown_and_its_end_agree(plan: Plan) -> None:
    """Where a document says when a clock ends, that is now and what is left, and no more."""
    for moment in played(plan):
        found = documents(seen(moment.after, moment.now), moment.now)
        clocks = [found["event"]["clock"]]
        for table in found["tables"].values():
            clocks += [table["action"], table["called"]]
        for clock in clocks:
            if clock["ends_at"] is not None:
                assert clock["remaining_ms"] == max(0, clock["ends_at"] - moment.now)


@plays(
    200,
    plan_of(
        "star-brisbane-saturday",
        (3,),
        'bank.grant chips=0 mode="set"',
        "hand.start table=1",
        "action.start table=1 seat=1",
        "@20002",
        "called.start table=1 seat=2",
        "action.next table=1",
    ),
    plan_of(
        "star-brisbane-saturday",
        (2,),
        "clock.pause",
        "@3600000",
        "clock.resume",
        "@600000",
        "action.start table=1 seat=1",
        'undo command="c5"',
    ),
)
def test_at_most_one_clock_runs_on_a_table(plan: Plan) -> None:
    """One player at a time is on the clock, sits there, and has no time but what was given."""
    for moment in played(plan):
        shown = seen(moment.after, moment.now)
        for number, table in shown.tables.items():
            both = isinstance(table.action, Running | Held) and isinstance(table.called, Called)
            assert not both, f"two clocks at table {number}"
            found = table_document(shown, number, moment.now)
            assert found is not None
            for clock in (found["action"], found["called"]):
                if clock["seat"] is not None:
                    assert str(clock["seat"]) in found["seats"], clock
                    most = MOST_SECONDS + clock.get("used", 0) * MOST_CHIP_SECONDS
                    assert clock["remaining_ms"] <= most * 1_000, clock


@plays(60)
def test_a_replay_gives_the_live_state(plan: Plan) -> None:
    """Evolving all events of the night from the beginning gives exactly the live state."""
    opening = opened(plan.house, plan.tables, started=plan.started)
    events, live = list(opening.events), opening.state
    for moment in played(plan):
        events += moment.happened
        live = moment.after
    assert evolved(opening.first, tuple(events)) == live


@plays(120)
def test_many_small_ticks_are_one_big_tick(plan: Plan) -> None:
    """Whether the engine is woken often, late, or only by the command makes no difference."""
    for moment in played(plan):
        state, small = moment.before, []
        while (wake := due(state)) is not None and wake < moment.now:
            events = tick(state, wake)
            assert events, "woken for nothing"
            small += events
            state = evolved(state, events)
            middle = max(wake, (wake + moment.now) // 2)
            events = tick(state, min(middle, moment.now - 1))
            small += events
            state = evolved(state, events)
        assert tuple(small) == moment.waited
        assert state == moment.ready
        late = decide(moment.before, moment.command, moment.now)
        if isinstance(moment.outcome, Refused):
            assert late == moment.outcome
        else:
            assert late == (*moment.waited, *moment.outcome)


@plays(150)
def test_time_is_caught_up_in_order(plan: Plan) -> None:
    """What was due comes in the order it was due, and after a tick nothing is left over."""
    for moment in played(plan):
        caught_up = tick(moment.after, moment.now)
        instants = [event.at for event in (*moment.waited, *caught_up)]
        parts = instants[: len(moment.waited)], instants[len(moment.waited) :]
        assert all(part == sorted(part) for part in parts), parts
        left = due(evolved(moment.after, caught_up))
        assert left is None or left > moment.now


@plays(
    200,
    plan_of(
        "star-brisbane-saturday",
        (2,),
        'bank.grant chips=0 mode="set"',
        "action.start table=1 seat=1",
        "@20001",
        'bank.grant chips=1 mode="add"',
    ),
    plan_of("selkirk-main", (2,), "@21600000", "clock.start", started=False),
)
def test_the_journal_never_goes_back_in_time(plan: Plan) -> None:
    """Only an undo brings up what was due before the last event."""
    last = 0
    for moment in played(plan):
        undone = isinstance(moment.command, COMMANDS["undo"])
        if undone and not isinstance(moment.outcome, Refused):
            return  # from here on restored clocks may be overdue, and rightly so
        for event in (*moment.happened, *tick(moment.after, moment.now)):
            assert event.at >= last, (event, last)
            last = event.at


@plays(
    150,
    plan_of(
        "star-brisbane-saturday",
        (2,),
        "action.start table=1 seat=1",
        "@10000",
        "clock.pause",
        "@50000",
        "announce.clear",
    ),
)
def test_undoing_an_undo_changes_nothing_but_time(plan: Plan) -> None:
    """Undo, and undo again at once: all screens show what they would have shown without."""
    final: Moment | None = None
    for moment in played(plan):
        final = moment
    if final is None:
        return
    state, now = final.after, final.now
    targets = [entry.id for entry in state.history.commands()]
    for target in [None, *targets[:6]]:
        args = {} if target is None else {"command": target}
        first = decide(state, parse("undo", args, id="first"), now)
        if isinstance(first, Refused):
            continue
        assert isinstance(first[-1], Undone)
        undone = evolved(state, first)
        again = decide(undone, parse("undo", id="again"), now)
        assert not isinstance(again, Refused), (target, again)
        restored = seen(evolved(undone, again), now)
        twin = seen(state, now)
        assert documents(restored, now) == documents(twin, now), target


@plays(
    250,
    plan_of(
        "star-brisbane-saturday",
        (2, 2),
        "hand.start table=1",
        "hand.start table=2",
        "h4h.announce",
        "undo table=1",
    ),
    plan_of(
        "star-brisbane-saturday",
        (2, 2),
        "hand.start table=1",
        "hand.start table=2",
        "hand.end table=1",
        "h4h.announce",
        "undo table=1",
    ),
    plan_of(
        "star-brisbane-saturday",
        (2, 2),
        "hand.start table=1",
        "h4h.announce",
        "h4h.end",
        "hand.end table=1",
        'undo command="c9"',
    ),
    plan_of(
        "star-brisbane-saturday",
        (2, 0),
        "h4h.announce soft=true",
        "h4h.next",
        "h4h.done table=1",
        "table.close table=2",
    ),
)
def test_hand_for_hand_counts_its_tables(plan: Plan) -> None:
    """The room waits for exactly the tables that are not done, and holds when there is none."""
    for moment in played(plan):
        state = seen(moment.after, moment.now)
        h4h = state.room.h4h
        if h4h.status == "off":
            continue
        found = [status_of(state, table) for _, table in state.tables.items()]
        assert h4h.pending == sum(status in PENDING for status in found), found
        assert h4h.live == sum(status == "playing" for status in found), found
        assert h4h.ahead == sum(status == "ahead_done" for status in found), found
        assert (h4h.status == "holding") == (h4h.pending == 0), found


@plays(
    200,
    plan_of("counted", (2,), *(["hand.start table=1", "hand.end table=1"] * 2), "level.back"),
)
def test_a_level_in_hands_counts_its_tables(plan: Plan) -> None:
    """In a level of so many hands the room waits for exactly the tables that may still deal."""
    for moment in played(plan):
        state = seen(moment.after, moment.now)
        room = state.room
        if isinstance(room.now_step, Level) and room.now_step.hands is not None:
            open_ = [
                number
                for number, table in state.tables.items()
                if not table.has_played(room.visit, room.now_step)
            ]
            assert room.hands_pending == len(open_), open_


@plays(150)
def test_the_field_is_made_of_the_players(plan: Plan) -> None:
    """Entries, players left, seats and tables say the same of the same people."""
    for moment in played(plan):
        state = seen(moment.after, moment.now)
        field = state.room.field
        kinds = [type(who) for _, who in state.players.items()]
        assert field.left == len(kinds) - kinds.count(Out)
        assert field.entries - field.left >= kinds.count(Out)
        seats = {
            taken.player.id: Seated(number, seat)
            for number, table in state.tables.items()
            for seat, taken in table.seats.items()
        }
        found = {who: where for who, where in state.players.items() if isinstance(where, Seated)}
        assert seats == found
        doc = event_document(state, moment.now)
        assert doc["field"]["tables"] == len(state.tables)
        assert doc["field"]["chips_in_play"] == field.entries * state.rules.stack
        registration = doc["registration"]
        late = state.room.started and state.room.level >= registration["closes_at_level"]
        assert not (late and registration["open"])
        assert registration["open"] or registration["closes_in_ms"] is None


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=4,
)


@settings(max_examples=150 * TIMES, deadline=None, derandomize=TIMES == 1, database=None)
@given(st.sampled_from([*COMMANDS]), st.data())
def test_whatever_comes_in_is_read_or_told_to_be_wrong(do: str, data: st.DataObject) -> None:
    """Junk in the place of an argument is bad input, or a command that the engine answers."""
    args = {name: data.draw(strategy) for name, strategy in ARGUMENTS[do].items()}
    try:
        command = parse(do, args)
    except BadInput:
        return
    state = opened("star-brisbane-saturday", (2, 2), started=True).state
    outcome = decide(state, command, 5_000)
    assert isinstance(outcome, Refused) or outcome


ARGUMENTS = {
    do: {
        name: st.one_of(VALUES[name], VALUES[name], VALUES[name], JUNK)
        for name, f in cls.__dataclass_fields__.items()
        if f.metadata
    }
    for do, cls in COMMANDS.items()
}
