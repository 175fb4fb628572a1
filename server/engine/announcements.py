"""Words on every screen, and the reminders that time itself raises."""

from server.engine import commands as c
from server.engine import events as e
from server.engine.flow import SECOND
from server.engine.refusals import Code, refuse
from server.engine.state import State
from server.engine.story import Story, applies, decides


@decides(c.Announce)
def _(story: Story, command: c.Announce) -> None:
    until = None if command.seconds is None else story.now + command.seconds * SECOND
    story.tell(e.AnnouncementMade(at=story.now, text=command.text, until=until))


@applies(e.AnnouncementMade)
def _(state: State, event: e.AnnouncementMade) -> State:
    return state.with_room(announcement=event.text, announced_until=event.until)


@decides(c.AnnounceClear)
def _(story: Story, _command: c.AnnounceClear) -> None:
    if story.state.room.announcement is None:
        refuse(Code.NOT_ALLOWED, "There is no announcement to clear.")
    story.tell(e.AnnouncementCleared(at=story.now))


@applies(e.AnnouncementCleared)
def _(state: State, _event: e.AnnouncementCleared) -> State:
    return state.with_room(announcement=None, announced_until=None)


@applies(e.NoticesRaised)
def _(state: State, event: e.NoticesRaised) -> State:
    return state.with_room(noticed_at=event.at)
