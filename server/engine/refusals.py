"""Refusals: one domain error with a code for programs and words for floor staff."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NoReturn


class Code(StrEnum):
    """Why a command was refused."""

    UNKNOWN_EVENT = "unknown_event"
    UNKNOWN_TABLE = "unknown_table"
    NO_PLAYER = "no_player"
    NO_CHIPS = "no_chips"
    NOT_RUNNING = "not_running"
    ON_BREAK = "on_break"
    NOT_ALLOWED = "not_allowed"
    BAD_VALUE = "bad_value"
    OUT_OF_TURN = "out_of_turn"
    NEEDS_RULING = "needs_ruling"
    SEAT_TAKEN = "seat_taken"
    NOTHING_TO_UNDO = "nothing_to_undo"


@dataclass(frozen=True, slots=True)
class Refused:
    """The answer to a command that was refused: nothing has changed."""

    code: Code
    text: str


class Refusal(Exception):  # noqa: N818 - not a fault: the ordinary way to say no inside the engine
    """Raised by the rules, turned into Refused before it leaves the engine."""

    def __init__(self, code: Code, text: str) -> None:
        self.refused = Refused(code, text)
        super().__init__(text)


def refuse(code: Code, text: str) -> NoReturn:
    """Refuse the command that is being decided."""
    raise Refusal(code, text)
