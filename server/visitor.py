"""A visitor: the hub's side of one conversation, without any socket.

Frames come in by `receive`, frames go out through an `Outlet`; so the same visitor serves a real
websocket and a test in memory. Everything that it asks for is authorised here or at a desk.
"""

import itertools
import logging
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec

from server import __version__
from server.access import Badge
from server.credit import credited
from server.devices import Device
from server.engine.visible import stripped
from server.fanout import Client, Direct, Outlet, farewell, frame
from server.hub import Hub
from server.leases import Place
from server.limits import Bucket
from server.logs import log
from server.orders import Order
from server.protocol import messages as m
from server.watch import DEALERS, OTHERS

PING, PONG = 0x9, 0xA
HELLO_WITHIN = 5_000
"""Who has not said who they are by then is shown out."""

TOO_MANY = 100
"""Messages beyond the rate after which somebody is shown out."""

INSECURE = "Commands are taken over https only: see docs/install.md, or set plain = true."

HURRIED = "Too many messages: this one was not read."

RETRY = 1_000
"""Milliseconds after which somebody who was shown out may come back."""

PING_EVERY = {"dealer": 4_000, "floor": 10_000, "director": 10_000, "viewer": 20_000}
"""Who was let in is pinged whatever they say: every library answers by itself, so who goes on
talking and does not answer is no device of ours, or one that is broken. A viewer, who may command
nothing, is pinged when silent."""

GONE_AFTER = 2.5
"""Somebody who was silent for so many pings is gone. Who talks, but has not answered a ping for as
long, is told to the floor: it is as unlike a device that works, and one lost ping is not enough."""

MOST_PINGS = 8
"""Pings without an answer that are remembered: the oldest tells nothing that these do not."""

MOST_BYTES = {"viewer": 1 << 10, "dealer": 4 << 10, "floor": 64 << 10, "director": 64 << 10}
HELLO_BYTES = 16 << 10
MOST_TOPICS = {"viewer": 64, "dealer": 64, "floor": 5_000, "director": 5_000}

_numbers = itertools.count(1)


class Visitor:
    """Somebody who is connected."""

    def __init__(  # noqa: PLR0913 - a connection is what it is
        self,
        hub: Hub,
        outlet: Outlet,
        close: Callable[[bool], None],  # at once, or when the last words are read
        address: str = "",
        *,
        direct: Direct | None = None,
        secure: bool = True,
    ) -> None:
        self._hub, self._close, self.address, self._secure = hub, close, address, secure
        self.client = Client(outlet, self._dropped, direct)
        self.badge = Badge()
        self.device = f"visitor-{next(_numbers)}"
        self.kind = ""
        self.report: dict[str, Any] | None = None
        self.greeted = self._let_in = False
        self.came_at = self.heard_at = hub.time.now()
        self._pinged_at = 0
        self._pings: deque[int] = deque(maxlen=MOST_PINGS)  # that were not answered yet
        self._unanswered: int | None = None  # since when, silences not counted
        self.unanswered_since: int | None = None  # the same, once it is told to the floor
        self._returned: int | None = None  # when it was back after a silence, until it is settled
        self._answered: int | None = None  # the ping after that, once it is answered
        self._have: dict[str, int] = {}
        self._bucket = Bucket.of("viewer", self.came_at, hub.config.limits.rate)
        self._too_many = 0
        hub.visitors.add(self)
        hub.doorman.enter(address)
        hub.rounds.plan(self, self.came_at + HELLO_WITHIN)

    @property
    def place(self) -> Place | None:
        """The table that this device is bound to."""
        if self.badge.role != "dealer" or self.badge.event is None or self.badge.table is None:
            return None
        return self.badge.event, self.badge.table

    # ── what comes in ────────────────────────────────────────────────────────────────────────────

    def receive(self, text: str | bytes) -> None:
        """Take in one message; who was shown out is not listened to any more."""
        now = self._heard()
        message = self._read(text, now)
        if message is None:
            return
        match message:
            case m.Hello():
                self._hello(message)
            case m.Subscribe():
                self._subscribe(message.topics)
            case m.Unsubscribe():
                for topic in message.topics:
                    self._hub.press.fanout.leave(self.client, topic)
            case m.Do():
                self._do(message, now)
            case m.Pair():
                self._pair()
            case m.Report():
                said = msgspec.to_builtins(message)
                words = {key: stripped(said[key]) for key in ("build", "scene", "sound")}
                self.report = {**said, **words, "at": now}
                self._hub.press.publish_soon("devices")
            case m.Probe():
                self._probe(message, now)

    def _read(self, text: str | bytes, now: int) -> m.ToHub | None:
        """Read a message, if it may be sent and can be understood."""
        if self not in self._hub.visitors:
            return None
        most = MOST_BYTES[self.badge.role] if self.greeted else HELLO_BYTES
        if len(text) > most:
            self.dismiss(f"a message of more than {most} bytes", None)
            return None
        in_time = self._bucket.take(now)
        if in_time and self._bucket.is_full:
            self._too_many = 0  # a hurry now and then is forgiven
        try:
            message = m.read_to_hub(text)
        except msgspec.DecodeError as error:
            if in_time:
                self._say(m.Problem("bad_message", str(error)))
            else:
                self._hurried(None)
            return None
        if not in_time:
            self._hurried(message)
            return None
        if not self.greeted and not isinstance(message, m.Hello):
            self._say(m.Problem("hello_first", "Say hello first: who speaks?"))
            return None
        return message

    def _hurried(self, message: m.ToHub | None) -> None:
        """Drop a message of somebody who sends too many; who does not stop is shown out."""
        self._too_many += 1
        if self._too_many > TOO_MANY:
            self.dismiss("too many messages", RETRY)
        elif isinstance(message, m.Do):
            self._refuse(message, "slow_down", HURRIED)
        elif self._too_many == 1:
            self._say(m.Problem("slow_down", HURRIED))

    def ping(self, payload: bytes) -> None:
        """Answer a ping."""
        self._heard()
        self._hub.press.fanout.send(self.client, frame(payload, PONG))

    def pong(self, payload: bytes) -> None:
        """Take in the answer to a ping; it may be the answer to those before as well."""
        asked = int.from_bytes(payload, "big")
        known = asked in self._pings
        while known and self._pings and self._pings[0] <= asked:
            self._pings.popleft()
        if known:
            self._unanswered = self._pings[0] if self._pings else None
        if known and self.unanswered_since is not None:
            self.unanswered_since = None
            self._hub.reception.answers_changed(self)
        self._heard()
        if known and self._returned is not None and asked >= self._returned:
            self._answered = asked

    def gone(self) -> None:
        """Take note that the connection is over."""
        self._hub.press.fanout.forget(self.client)
        if self in self._hub.visitors:
            self._hub.visitors.discard(self)
            self._hub.rounds.forget(self)
            self._hub.doorman.leave(self.address, known=self.greeted)
            self._leave_place()
            self._hub.press.publish_soon("hub")

    def _heard(self) -> int:
        before, now = self.heard_at, self._hub.time.now()
        self.heard_at = now
        if self.badge.role != "viewer" and self in self._hub.visitors:
            arrived = self._hub.pulse.arrived(now)
            patience = DEALERS if self.badge.role == "dealer" else OTHERS
            if self._hub.watch.heard(self.device, arrived, patience):
                if self._unanswered is not None:  # who was not there could not answer
                    self._unanswered = min(now, self._unanswered + now - before)
                self._return(now)
            self._see_answers(arrived)
        return now

    def _see_answers(self, arrived: int) -> None:
        """Tell the floor of a device that talks and does not answer.

        It gains nothing by that: a tap is believed no longer for it. But nobody can say whether it
        is there when a clock runs out, and its library would have answered by itself.
        """
        since, patience = self._unanswered, GONE_AFTER * PING_EVERY[self.badge.role]
        if since is None or self.unanswered_since is not None or arrived - since <= patience:
            return
        self.unanswered_since = since
        about = {"device": self.device, "role": self.badge.role, "address": self.address}
        log("pings not answered", level=logging.WARNING, since=since, **about)
        self._hub.reception.answers_changed(self)

    def _return(self, now: int) -> None:
        """Be back after a silence: what the device kept is on its way, and comes before a pong.

        A page may send it only when it was welcomed, and its browser answers pings by itself; but
        its next question of the time comes after.
        """
        self._returned, self._answered = now, None  # an answer of before tells nothing of now
        self.ask(now)
        self._hub.settle_in_time(self.device)

    def _probe(self, probe: m.Probe, now: int) -> None:
        if self._answered is not None:  # the device has said all that it kept
            self._returned = self._answered = None
            self._hub.settle(self.device)
        self._say(m.Probed(probe.sent, now, self._hub.time.now() - now))

    def _hello(self, hello: m.Hello) -> None:
        if self.greeted:
            self._say(m.Problem("hello_again", "Hello was said already."))
            return
        if hello.version != m.VERSION:
            text = f"This hub speaks version {m.VERSION} of the protocol, not {hello.version}."
            self._turn_away("version", text)
            return
        self.kind = stripped(hello.kind)
        device = self._known(hello)
        if device is None and hello.token is not None:
            self._turn_away("unauthorised", "This token is not known here.")
            return
        self.greeted = True
        self._hub.doorman.known()
        if hello.hub == self._hub.id:
            self._have = dict(hello.have)
        self.admit(device)

    def _known(self, hello: m.Hello) -> Device | None:
        if hello.token is None:
            return None
        reception = self._hub.reception
        accepted = reception.accept(hello.token, self.kind) if self._secure else None
        if accepted is None:
            return reception.devices.by_token(hello.token)
        device, token = accepted
        self._say(m.Admitted(token))
        return device

    def admit(self, device: Device | None) -> None:
        """Welcome somebody: as who the device is, or as anybody."""
        self._leave_place()
        if device is not None:
            self.badge, self.device, self._let_in = device.badge, device.id, True
        own = self._hub.by_device.setdefault(self.device, set())
        now, badge = self._heard(), self.badge
        fresh = Bucket.of(badge.role, now, self._hub.config.limits.rate)
        self._bucket = next((other.bucket for other in own), fresh)  # the rate is the device's
        own.add(self)
        self._welcome(now)
        for topic in list(self.client.topics):
            if not badge.may_see(topic, self.device):
                self._hub.press.fanout.leave(self.client, topic)
        if badge.role != "viewer":
            self.ask(now)
        self._plan()
        self._hub.reception.arrived(self)
        self._hub.press.publish_soon("hub")

    def rename(self, badge: Badge) -> None:
        """Go on under another name."""
        self.badge = badge
        self._plan()
        self._welcome(self._hub.time.now())

    @property
    def bucket(self) -> Bucket:
        """How much this device may still say."""
        return self._bucket

    @property
    def dealer(self) -> str:
        """Who has signed on with this device."""
        return self._hub.reception.dealers.get(self.device, "")

    def _welcome(self, now: int) -> None:
        badge = self.badge
        who = (badge.role, badge.name, badge.event, badge.table)
        device = self.device if self._let_in else ""
        self._say(m.Welcome(m.VERSION, self._hub.id, __version__, *who, now, device))

    def _leave_place(self) -> None:
        """Be the device that this was no more."""
        own = self._hub.by_device.get(self.device)
        if own is not None and self in own:
            own.discard(self)
            if not own:
                del self._hub.by_device[self.device]
            self._hub.reception.left(self)

    def _pair(self) -> None:
        if not self._secure:
            self._say(m.Problem("insecure", INSECURE))
        elif self.badge.role == "viewer" and self._hub.reception.devices.by_id(self.device) is None:
            self._say(self._hub.reception.ask(self, self.kind))
        else:
            self._say(m.Problem("paired", "This device has been let in already."))

    def _turn_away(self, code: str, text: str) -> None:
        log("turned away", code=code, address=self.address)
        self._say(m.Problem(code, text))
        self.dismiss(text, None)

    def _subscribe(self, topics: list[str]) -> None:
        if not self._hub.reception.may_watch(self.badge.role, self.device):
            text = "Watching is not open to everybody here: ask the floor to let this device in."
            self._say(m.Problem("viewing_closed", text))
            return
        for topic in topics:
            if len(self.client.topics) >= MOST_TOPICS[self.badge.role]:
                self._say(m.Problem("too_many", "That is more than one device can follow."))
                return
            if self.badge.may_see(topic, self.device):
                self._hub.press.follow(self.client, topic, self._have.pop(topic, None))
            else:
                self._say(m.Problem("forbidden", f"{topic} is for the floor and the director."))

    def _do(self, do: m.Do, now: int) -> None:
        if not self._secure:
            self._refuse(do, "insecure", INSECURE)
            return
        arrived = self._hub.pulse.arrived(now)
        at = credited(do.at, now, arrived)
        kept = self._hub.watch.kept(self.device, do.at)
        if kept is not None and do.at is not None:  # the hub has seen why it comes late
            at = do.at
        badge = replace(self.badge, name=self.dealer) if self.dealer else self.badge
        times, seen = (now, at, do.at), do.seen if isinstance(do.seen, int) else None
        order = Order(do.id, do.event, do.do, do.args, badge, self.device, *times, seen, kept)
        self._hub.order(order, self._say)

    # ── what goes out ────────────────────────────────────────────────────────────────────────────

    def _refuse(self, do: m.Do, code: str, text: str) -> None:
        self._hub.refused(do.do, do.event, code, self.badge.role)
        self._say(m.Refused(do.id, code, text))

    def _say(self, message: m.ToClient) -> None:
        self._hub.press.fanout.send(self.client, frame(m.encode(message)))

    def ask(self, now: int) -> None:
        """Ask whether the device is there; what it sent before the answer has come by then."""
        if now != self._pinged_at:
            self._ping(now)

    def _ping(self, now: int) -> None:
        self._pinged_at = now
        self._pings.append(now)
        if self._unanswered is None:
            self._unanswered = now
        self._hub.press.fanout.send(self.client, frame(now.to_bytes(8, "big"), PING))

    def look(self, now: int) -> None:
        """See whether the visitor is still there; called when something may be due."""
        if not self.greeted:
            if now - self.came_at > HELLO_WITHIN:
                self.dismiss("no hello in time", RETRY)
            else:
                self._hub.rounds.plan(self, self.came_at + HELLO_WITHIN)
            return
        every = PING_EVERY[self.badge.role]
        silent = now - self.heard_at
        if silent > GONE_AFTER * every:
            self._dropped("silent for too long")
            return
        if now - self._pinged_at >= every and (silent >= every or self.badge.role != "viewer"):
            self._ping(now)
        self._plan()

    def _plan(self) -> None:
        """Be looked at again when a ping may be due, or when this one may be gone."""
        every = PING_EVERY[self.badge.role]
        spoken = self.heard_at if self.badge.role == "viewer" else self._pinged_at
        ping_at = max(self._pinged_at, spoken) + every
        self._hub.rounds.plan(self, min(ping_at, self.heard_at + int(GONE_AFTER * every)))

    def dismiss(self, reason: str, retry_ms: int | None) -> None:
        """Say goodbye, and close."""
        self._hub.press.fanout.send(self.client, farewell(reason, retry_ms))
        self._end(reason, at_once=False)

    def _dropped(self, reason: str) -> None:
        """Let go of somebody who would not read why."""
        self._end(reason, at_once=True)

    def _end(self, reason: str, *, at_once: bool) -> None:
        log("closed", reason=reason, role=self.badge.role, address=self.address)
        self.gone()
        self._close(at_once)
