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
import tomllib
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, example, given, note, settings
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
    table_view,
    tick,
)
from server.engine.events import EVENTS, Undone
from server.engine.handforhand import pending, status_of
from server.engine.levels import hands_counted, hands_pending
from server.engine.reading import build
from server.engine.records import (
    read_event,
    read_state,
    write_command,
    write_event,
    write_state,
)
from server.engine.room import Out, Seated, Waiting
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
#
# A step is a few numbers. They choose a command, or if it is refused another one, and arguments out
# of what makes sense at that moment: an open table, the seat whose turn it is, a player who sits
# somewhere. The last of the choices make no sense, so that every refusal is met as well.

LENGTHS = [60_000, 1, 1_000, 59_999, 5 * 60_000, 45 * 60_000]
STEPS = [
    {"small": 5, "big": 10, "minutes": 3},
    {"small": 6, "big": 12, "minutes": 30},
    {"small": 7, "big": 14, "hands": 1},
    {"small": 8, "big": 16, "hands": 2},
    {"phase": "break", "minutes": 2},
    {"phase": "break"},
]
VALUES: dict[str, list[Any]] = {
    "name": ["Ann"],
    "text": ["Seats, please"],
    "reason": ["dispute"],
    "ms": [sign * ms for ms in LENGTHS for sign in (-1, 1)] + [0],
    "remaining_ms": [*LENGTHS, 0],
    "level": [2, 1, 3, 5, 10, 99],
    "minutes": [1, 5],
    "steps": [[one, *rest] for one in STEPS for rest in ([], STEPS[:2], STEPS[2:])] + [[]],
    "starts_at": [60_000, 20 * 60_000, None],
    "resumes_at": [3_600_000, None],
    "seconds": [10, 1, 25],
    "chip_seconds": [5, 30],
    "chips": [1, 2, 4],
    "seats": [4, 2],
    "stack": [100, 200],
    "hand": [None, 0, 1, 2],
    "places": [1, 3, None],
    "facing_bet": [True, False],
    "acted": [True, False],
    "outcome": ["dead", "check", "void"],
    "mode": ["add", "set"],
    "policy": ["run_to_cap", "deduct", "run_on"],
    "unit": ["hand", "round"],
    "soft": [True, False],
    "raises": [True, False],
    "start": [True, False],
    "bet": [True, False],
    "street": ["flop", "turn", "river"],
    "since": [0, 5_000, None],
    "until": [10_000, None],
    "unseen": [5_000, 0, None],
}
MORE = {("player.limit", "seconds"): [None], ("bank.grant", "chips"): [0]}

Wait = tuple[str, int]
Choices = tuple[int, ...]
Call = Choices | tuple[str, dict[str, Any]]


def seats_of(state: State, number: int) -> list[int]:
    """List seats worth naming at a table: on the clock, in turn, taken, free, not there."""
    table = state.tables.get(number)
    if table is None:
        return [1]
    clocks = [getattr(table.action, "seat", None), getattr(table.called, "seat", None), table.turn]
    named = [seat for seat in clocks if seat]  # 0 is whoever is to act
    free = [seat for seat in range(1, table.size + 1) if seat not in table.seats]
    return [*named, *sorted(table.seats), *free[:1], 99]


def options(state: State, do: str, name: str, table: int) -> list[Any]:
    """List what an argument of a command may be, the most sensible first."""
    match name:
        case "table":
            return [*state.tables.keys(), 4]
        case "seat" if do in ("seat.put", "seat.move"):
            return [seat for seat in (4, 3, 2, 1, 9) if seat not in seats_of(state, table)] + [1]
        case "seat" | "button" | "straddle" | "bettor":
            return seats_of(state, table)
        case "live":
            seats = sorted(state.tables[table].seats) if table in state.tables else [1]
            return [seats, seats[:-1], seats[1:], []]
        case "player":
            seated = [who for who, where in state.players.items() if isinstance(where, Seated)]
            others = [who for who in state.players.keys() if who not in seated]  # noqa: SIM118
            first = [*others, "new"] if do == "seat.put" else seated
            return [*first, *others, *seated, "nobody"]
        case "command":
            return [entry.id for entry in state.history.commands()[:12]] + ["nobody"]
        case _:
            return VALUES[name] + MORE.get((do, name), [])


def arguments(state: State, do: str, choices: Choices) -> dict[str, Any]:
    """Choose the arguments of a command; one with a default is given at every odd choice."""
    found: dict[str, Any] = {}
    known = {name: f for name, f in COMMANDS[do].__dataclass_fields__.items() if f.metadata}
    for (name, f), choice in zip(
        sorted(known.items(), key=lambda item: item[0] != "table"), choices, strict=False
    ):
        must = f.default is f.default_factory
        if must or choice % 2:
            may = options(state, do, name, found.get("table", 1))
            found[name] = may[(choice if must else choice // 2) % len(may)]
    return found


DEALER = [do for do in COMMANDS if do.partition(".")[0] in ("hand", "action", "street", "collect")]
ROUND = [do for do in COMMANDS if do.startswith("h4h")]
WISHES = [*COMMANDS, *DEALER, *DEALER, *ROUND, "called.start", "undo", "undo", "undo"]
INSTEAD = ["clock.resume", "h4h.next", "hand.start", *(d for d in DEALER if d != "hand.start")]
TRIES = 6
"""How many wishes are tried at a step, so that most steps do something."""

CALLS = st.tuples(st.integers(0, len(WISHES) - 1), *[st.integers(0, 15)] * 4)


def wish(number: int, attempt: int) -> str:
    """Give the command that is wished for, and what keeps the hands going if it is refused."""
    return INSTEAD[(number + attempt) % len(INSTEAD)] if attempt else WISHES[number]


WAITS = st.one_of(
    st.tuples(st.just("wait"), st.sampled_from([0, 1, 1_000, 5_000])),
    st.tuples(st.just("due"), st.sampled_from([0, 1])),
    st.tuples(st.just("wait"), st.integers(0, 30_000)),
    st.tuples(st.just("wait"), st.sampled_from([60_000, 3 * 60_000, 20 * 60_000, 6 * 3_600_000])),
)
STORIES = st.lists(
    st.lists(st.tuples(WAITS, CALLS), min_size=1, max_size=16), min_size=1, max_size=9
).map(lambda parts: tuple(step for part in parts for step in part))


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
    st.lists(st.sampled_from([2, 3, 1, 0]), min_size=1, max_size=4).map(tuple),
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
    for (kind, ms), call in plan.steps:
        since, before = now, state
        target = due(state) if kind == "due" else now
        now = max(now, (now if target is None else target) + ms)
        waited = tick(state, now - 1)
        ready = evolved(state, waited)
        for command in wanted(ready, call, count):
            count += 1
            outcome = decide(ready, command, now)
            state = ready if isinstance(outcome, Refused) else evolved(ready, outcome)
            note(f"{now:>9} {write_command(command)}{' refused' * (state is ready)}")
            yield Moment(since, now, before, waited, ready, command, outcome, state)
            since, before, waited = now, ready, ()
            if state is not ready:
                break


def wanted(state: State, call: Call, count: int) -> Iterator[Command]:
    """Give the command of a step, and what to try instead of it."""
    first, *rest = call
    if isinstance(first, str):
        yield parse(first, rest[0], id=f"c{count + 1}")
        return
    for attempt in range(TRIES):
        do = wish(first, attempt)
        choices = tuple(map(int, rest))
        yield parse(do, arguments(state, do, choices), id=f"c{count + attempt + 1}")


def played(plan: Plan) -> Iterator[Moment]:
    """Play a plan up to where the engine breaks down, which is for the first test to tell."""
    try:
        yield from moments(plan)
    except (RuntimeError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError):
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
    plan_of(
        "staged",
        (2, 0),
        "hand.start table=1",
        "@121000",
        'undo command="c4"',
        "undo table=1",
    ),
)
def test_the_engine_always_answers(plan: Plan) -> None:
    """Every command gives events or a refusal in words, and the engine neither raises nor hangs."""
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


@plays(70)
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
            assert not last or left.keys() <= last.keys()
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
def test_a_round_asks_only_who_can_act(plan: Plan) -> None:
    """Who has to act is in the hand and not all-in; a clock runs only on the first of them."""
    for moment in played(plan):
        shown = seen(moment.after, moment.now)
        for doc in documents(shown, moment.now)["tables"].values():
            hand, action = doc["hand"], doc["action"]
            if hand["next"] is None:
                assert hand["to_act"] == []
                continue
            live = [int(seat) for seat, taken in doc["seats"].items() if taken["in_hand"]]
            asked = [seat for seat in live if seat not in hand["all_in"]]
            assert set(hand["to_act"]) <= set(asked)
            assert len(set(hand["to_act"])) == len(hand["to_act"])
            assert (hand["next"] == "act") == bool(hand["to_act"])
            assert hand["turn"] in (None, *hand["to_act"][:1])
            if action["status"] in ("running", "held", "paused") and action["seat"] is not None:
                assert hand["to_act"][:1] == [action["seat"]]


@plays(60)
def test_a_table_shows_nothing_of_the_room_beyond_its_view(plan: Plan) -> None:
    """While a table and the room's view stay the same, the table's document stays the same."""
    for moment in played(plan):
        before = moment.before
        for event in moment.happened:
            after = evolve(before, event)
            if table_view(before.room) == table_view(after.room):
                for number, table in after.tables.items():
                    if before.tables.get(number) is table:
                        old = table_document(before, number, moment.now)
                        assert table_document(after, number, moment.now) == old
            before = after


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
    plan_of("star-brisbane-saturday", (2,), "hand.start table=1", 'undo command="c4"'),
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
        assert (h4h.status == "holding") == (pending(state) == 0), found


@plays(
    200,
    plan_of("counted", (2,), *(["hand.start table=1", "hand.end table=1"] * 2), "level.back"),
)
def test_a_level_in_hands_counts_its_tables(plan: Plan) -> None:
    """A level of so many hands goes on exactly while a table in use may still deal."""
    for moment in played(plan):
        state = seen(moment.after, moment.now)
        room = state.room
        used = list(state.tables_in_use())
        if hands_counted(room) and used and not room.finished:
            more = room.structure.step(room.step + 1) is not None
            assert not more or hands_pending(state) > 0, used


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


@settings(max_examples=200 * TIMES, deadline=None, derandomize=TIMES == 1, database=None)
@given(CALLS, st.none() | st.integers(0, 3), JUNK)
def test_whatever_comes_in_is_read_or_told_to_be_wrong(
    call: Choices, place: int | None, junk: Any
) -> None:
    """Junk in the place of an argument is bad input, or a command that the engine answers."""
    state = opened("star-brisbane-saturday", (2, 2), started=True).state
    do = wish(call[0], 0)
    args = arguments(state, do, call[1:])
    if place is not None and args:
        args[sorted(args)[place % len(args)]] = junk
    try:
        command = parse(do, args)
    except BadInput:
        assert place is not None, "what makes sense is never malformed"
        return
    outcome = decide(state, command, 5_000)
    assert isinstance(outcome, Refused) or outcome
