"""Stages of an event, and what a house does when one is reached: clock introduced, chips granted.

A stage is the start, a level, the money, or the final table (SB-47a, SL-42). `reach` is asked after
everything that may have brought the event to a new one; what a stage gives, it gives once.
"""

from dataclasses import replace
from itertools import islice

from server.engine import commands as c
from server.engine import events as e
from server.engine.refusals import Code, refuse
from server.engine.room import Waiting
from server.engine.rules import ActionClock, Streets
from server.engine.state import State
from server.engine.story import Story, applies, decides


def registration_open(state: State) -> bool:
    """Say whether new players may still enter."""
    room, rules = state.room, state.rules.registration
    if room.registration_closed or room.finished:
        return False
    return room.level < rules.closes_at_level or not room.started


def to_money(state: State) -> int | None:
    """Say how many must still go before the money, where the places paid are known."""
    field = state.room.field
    places = field.places_paid
    if places is None:
        places = state.rules.places_paid(field.entries)
    return None if places is None or field.entries == 0 else max(0, field.left - places)


def at_final_table(state: State) -> bool:
    """Say whether one table is left that anybody plays at, and no other can open any more."""
    room = state.room
    decided = room.table_broken or not registration_open(state)
    if not (room.started and decided):
        return False
    played = list(islice(state.tables_in_use(), 2))
    return len(played) == 1 and room.field.left <= played[0].size


def _reached(state: State, stage: str, level: int | None) -> bool:
    room = state.room
    match stage:
        case "level":
            return room.started and level is not None and room.level >= level
        case "money":
            return room.field.left < room.field.entries and to_money(state) == 0
        case "final_table":
            return at_final_table(state)
        case _:
            return False  # by hand, or at the start, which needs no waiting for


def reach(story: Story) -> None:
    """Give what the stages reached by now give."""
    action = story.state.rules.action
    if action is None:
        return
    if story.state.room.action is None and _reached(
        story.state, action.introduce, action.introduce_level
    ):
        introduce(story, action)
    for i, grant in enumerate(action.grants):
        key = f"grant {i}"
        if key not in story.state.room.stages and _reached(story.state, grant.stage, grant.level):
            grant_all(story, grant.chips, grant.mode, key)


def introduce(story: Story, action: ActionClock) -> None:
    """Put the action clock in play, with the house's chips for everybody."""
    story.tell(e.ShotclockIntroduced(at=story.now, action=action))
    grant_all(story, action.chips, "set")


def grant_all(story: Story, chips: int, mode: str, stage: str | None = None) -> None:
    """Give chips to everybody, seated or not."""
    state = story.state
    story.tell(
        e.ChipsGranted(
            at=story.now,
            chips=chips,
            mode=mode,
            stage=stage,
            timed=story.timed,
            tables=tuple(number for number, _ in state.tables.items()),
            waiting=tuple(id_ for id_, who in state.players.items() if isinstance(who, Waiting)),
        )
    )


@decides(c.ShotclockIntroduce)
def _(story: Story, command: c.ShotclockIntroduce) -> None:
    state = story.state
    if state.room.action is not None:
        refuse(Code.NOT_ALLOWED, "The action clock is in play already.")
    house = state.rules.action
    if house is None:
        if command.seconds is None:
            refuse(Code.NOT_ALLOWED, "This house has no action clock: give its seconds.")
        house = ActionClock(seconds=command.seconds, chip_seconds=command.seconds)
    if command.seconds is not None:  # one time for all streets
        house = replace(house, seconds=command.seconds, streets=Streets())
    if command.chips is not None:
        house = replace(house, chips=command.chips)
    if command.chip_seconds is not None:
        house = replace(house, chip_seconds=command.chip_seconds)
    introduce(story, house)


@applies(e.ShotclockIntroduced)
def _(state: State, event: e.ShotclockIntroduced) -> State:
    return state.with_room(action=event.action)
