"""When a dealer's console rings: at ten seconds, at five and at zero.

A bell belongs to a player's deadline. A reconnect, a document that comes again or an undo bring no
deadline back, so nothing rings twice; and what was there at the first look is silent.
"""

from dealer_console.face import Face

STAGES = ("none", "ten", "five", "zero")


class Bells:
    """What has been seen, and what has rung."""

    def __init__(self) -> None:
        self._before: tuple[int | None, int] | None = None  # whose time, and how urgent it was
        self._rung: set[tuple[int | None, int | None, str]] = set()
        self._deadline: int | None = None

    def look(self, face: Face, deadline: int | None) -> str | None:
        """Look at what is shown, and say which bell rings now, if any."""
        stage = STAGES.index(face.alarm)
        before, self._before = self._before, (face.seat, stage)
        if deadline is not None:
            self._deadline = deadline
        if before is None or before[0] != face.seat or stage <= before[1]:
            return None
        key = face.seat, self._deadline, face.alarm
        if key in self._rung:
            return None
        self._rung.add(key)
        return face.alarm
