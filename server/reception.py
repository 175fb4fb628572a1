"""The reception: who is let in, as what, and who works which table.

It carries out the hub's own orders about devices, leases and staff. What must last (devices, PINs)
is kept beside the journal; who did what is in the journal.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from server.access import Badge, new_token
from server.devices import Device, Devices
from server.leases import Leases, Place
from server.orders import Answer, Order, Outcome
from server.orders import No as _No
from server.pairing import Pairing
from server.protocol import messages as m
from server.registry import NOT_STORED
from server.screens import Screens
from server.staff import Staff
from server.wishes import (
    DealerSignOff,
    DealerSignOn,
    DeviceAssign,
    DevicePair,
    DeviceRename,
    DeviceRevoke,
    LeaseAsk,
    LeaseGrant,
    ScreenIdentify,
    ScreenReload,
    ScreenSet,
    StaffAdd,
    StaffRemove,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from server.hub import Hub
    from server.visitor import Visitor

Door = (
    DevicePair
    | DeviceRename
    | DeviceAssign
    | DeviceRevoke
    | LeaseAsk
    | LeaseGrant
    | DealerSignOn
    | DealerSignOff
    | StaffAdd
    | StaffRemove
    | ScreenSet
    | ScreenIdentify
    | ScreenReload
)


class Reception:
    """The hub's door."""

    def __init__(self, hub: "Hub") -> None:
        self._hub = hub
        self.devices = Devices(hub.journal)
        self.staff = Staff(hub.journal)
        self.pairing = Pairing()
        self.leases = Leases()
        self.screens = Screens(hub, self._device)
        self.dealers: dict[str, str] = {}  # who has signed on with which device
        self._invitation: str | None = None
        self._silent: dict[str, set[int]] = {}  # tables of each event that cannot be heard
        self._deeds: dict[type[Door], Callable[[Order, Any, int], Outcome]] = {
            DevicePair: self._pair,
            DeviceRename: self._rename,
            DeviceAssign: self._assign,
            DeviceRevoke: self._revoke,
            LeaseAsk: self._ask_for_table,
            LeaseGrant: self._grant_table,
            DealerSignOn: self._sign_on,
            DealerSignOff: self._sign_off,
            StaffAdd: self._add_staff,
            StaffRemove: self._remove_staff,
            ScreenSet: self.screens.set,
            ScreenIdentify: self.screens.identify,
            ScreenReload: self.screens.reload,
        }

    # ── coming in ────────────────────────────────────────────────────────────────────────────────

    def invite(self) -> str:
        """Make a secret that lets one director in, once."""
        self._invitation = new_token()
        return self._invitation

    def accept(self, token: str, kind: str) -> tuple[Device, str] | None:
        """Let in who brings the invitation, with a token of their own."""
        if self._invitation is None or token != self._invitation:
            return None
        self._invitation = None
        fresh = new_token()
        about = {"kind": kind, "paired_by": "the hub's console", "paired_at": self._hub.time.now()}
        device = self.devices.new(Badge("director", "director"), fresh, **about)
        self.devices.put(device)
        self._keep(self.devices.kept(device))
        self._note({"event": "device.paired", "device": device.id, "role": "director"})
        return device, fresh

    def ask(self, visitor: "Visitor", kind: str) -> m.Code:
        """Give a device a code to show."""
        asking = self.pairing.ask(visitor, kind, visitor.address, self._hub.time.now())
        self._hub.press.publish_soon("devices")  # a crowd that asks costs no more than one
        return m.Code(asking.code, asking.secret, asking.until)

    def arrived(self, visitor: "Visitor") -> None:
        """Take note that somebody is connected."""
        place = visitor.place
        if place is not None:
            self.leases.arrive(visitor.device, place, self._hub.time.now())
            self._show_lease(place)
        self._hub.press.publish_soon("devices")

    def left(self, visitor: "Visitor") -> None:
        """Take note that somebody is gone."""
        self.pairing.withdraw(visitor)
        place = visitor.place
        if place is not None and not self._hub.visitors_of(visitor.device):
            self.leases.leave(visitor.device, place, self._hub.time.now())
            self._show_lease(place)
        self._hub.press.publish_soon("devices")

    def look(self, now: int) -> None:
        """Pass on tables whose device has been away for too long; called every second."""
        for place in self.leases.expired(now):
            self._show_lease(place)
        self._silence(now)

    def answers_changed(self, visitor: "Visitor") -> None:
        """Take note that a device does not answer the hub's pings any more, or again."""
        self._hub.press.publish_soon("devices")
        for event, _ in self._hub.watch.places(visitor.device):
            self._hub.press.publish_soon(f"t/{event}/duty")

    def may_watch(self, role: str, device: str) -> bool:
        """Say whether somebody may watch at all: it may not be open to everybody."""
        viewing = self._hub.config.viewing
        if viewing == "open" or role != "viewer":
            return True
        known = self.devices.by_id(device)
        return known is not None and (viewing == "token" or bool(known.paired_by))

    def why_not(self, order: Order) -> str | None:
        """Say why a dealer's device may not work its table now; None if it may."""
        badge = order.badge
        if badge.role != "dealer" or badge.event is None or badge.table is None:
            return None
        if self.leases.holds(order.device, (badge.event, badge.table)):
            return None
        lease = self.leases.at((badge.event, badge.table))
        other = None if lease is None else self.devices.by_id(lease.holder)
        name = other.badge.name if other is not None else "another device"
        return f"Table {badge.table} is worked by {name}: ask the floor for the table."

    # ── orders ───────────────────────────────────────────────────────────────────────────────────

    def order(self, order: Order, wish: Door, settle: Answer) -> None:
        """Carry an order out."""
        try:
            record, kept, effect = self._deeds[type(wish)](order, wish, self._hub.time.now())
        except _No as no:
            settle(m.Refused(order.id, no.code, no.text))
            return
        line = self._hub.office.line(record, order)

        def done(seq: int) -> None:
            effect()
            self._hub.stored_line(seq)
            self._hub.press.publish("devices")
            settle(m.Done(order.id, order.at))

        def failed() -> None:
            settle(m.Refused(order.id, "storage", NOT_STORED))

        self._keep(kept)
        self._hub.writer.write([line], done, failed)

    def _keep(self, kept: list[tuple[str, Any]]) -> None:
        for key, value in kept:
            self._hub.writer.keep(key, value)

    def _note(self, record: dict[str, Any]) -> None:
        line = self._hub.office.line(record)
        self._hub.writer.write([line], self._hub.stored_line, lambda: None)

    def _rename(self, order: Order, wish: DeviceRename, _now: int) -> Outcome:
        device = self._device(wish.device, order)
        return self._changed(device, replace(device.badge, name=wish.name))

    def _assign(self, order: Order, wish: DeviceAssign, _now: int) -> Outcome:
        device = self._device(wish.device, order)
        return self._changed(device, self._badge(order, wish, device.badge.name))

    def _revoke(self, order: Order, wish: DeviceRevoke, _now: int) -> Outcome:
        device = self._device(wish.device, order)

        def effect() -> None:
            self.devices.drop(device)
            self.screens.drop(device.id)
            self._release(device)
            for visitor in self._hub.visitors_of(device.id):
                visitor.dismiss("this device was shown out", None)

        record = {"event": "device.revoked", "device": device.id}
        kept = [*self.devices.forgotten(device), *self.screens.forgotten(device.id)]
        return record, kept, effect

    def _sign_off(self, order: Order, _wish: DealerSignOff, _now: int) -> Outcome:
        record = {"event": "dealer.signed_off", "device": order.device}
        return record, [], lambda: self._set_dealer(order, "")

    def _add_staff(self, _order: Order, wish: StaffAdd, _now: int) -> Outcome:
        kept = self.staff.added(wish.name, wish.pin)
        if kept is None:
            raise _No("bad_value", "Somebody else has this PIN: choose another.")
        record = {"event": "staff.added", "name": wish.name}
        return record, kept, lambda: self.staff.take_in(kept)

    def _remove_staff(self, _order: Order, wish: StaffRemove, _now: int) -> Outcome:
        kept = self.staff.removed(wish.name)
        if not kept:
            raise _No("bad_value", f"{wish.name} has no PIN.")
        record = {"event": "staff.removed", "name": wish.name}
        return record, kept, lambda: self.staff.take_in(kept)

    def _pair(self, order: Order, wish: DevicePair, now: int) -> Outcome:
        badge = self._badge(order, wish, wish.name)
        if not self.pairing.may_try(order.device, now):
            raise _No("slow_down", "Too many wrong codes: wait a minute.")
        asking = self.pairing.take(wish.code, order.device, now)
        if asking is None:
            raise _No("bad_value", "No device shows this code, or it is too old.")
        who = order.badge.name or order.badge.role
        about = {"kind": asking.kind, "paired_by": who, "paired_at": now}
        device = self.devices.new(badge, asking.secret, **about)
        if not badge.name:
            device = replace(device, badge=replace(badge, name=device.id))

        def effect() -> None:
            self.devices.put(device)
            for visitor in list(self._hub.visitors):
                if visitor is asking.visitor:
                    visitor.admit(device)

        record = {
            "event": "device.paired",
            "device": device.id,
            "role": badge.role,
            "name": device.badge.name,
            "at_event": badge.event,
            "at_table": badge.table,
            "kind": asking.kind,
            "address": asking.address,
        }
        return record, self.devices.kept(device), effect

    def _badge(self, order: Order, wish: DevicePair | DeviceAssign, name: str | None) -> Badge:
        if wish.role in ("floor", "director") and order.badge.role != "director":
            raise _No("forbidden", f"Only a director may make a device a {wish.role}'s.")
        if wish.role != "dealer":
            return Badge(wish.role, name or "")
        if wish.event is None or wish.table is None:
            raise _No("bad_value", "A dealer's device needs an event and a table.")
        if wish.event not in self._hub.desks:
            raise _No("unknown_event", f"There is no event {wish.event}.")
        return Badge("dealer", name or f"Table {wish.table}", wish.event, wish.table)

    def _device(self, device: str, order: Order) -> Device:
        found = self.devices.by_id(device)
        if found is None:
            raise _No("unknown_device", f"There is no device {device}.")
        if found.badge.role in ("floor", "director") and order.badge.role != "director":
            raise _No("forbidden", f"Only a director may change a {found.badge.role}'s device.")
        return found

    def _changed(self, device: Device, badge: Badge) -> Outcome:
        changed = replace(device, badge=badge)
        same = replace(device.badge, name=badge.name) == badge

        def effect() -> None:
            self.devices.put(changed)
            if not same:
                self._release(device)
            for visitor in self._hub.visitors_of(device.id):
                if same:
                    visitor.rename(badge)
                else:
                    visitor.admit(changed)
            self.screens.show(device.id)
            if badge.event is not None and badge.table is not None:
                self._show_lease((badge.event, badge.table))

        record = {
            "event": "device.changed",
            "device": device.id,
            "role": badge.role,
            "name": badge.name,
            "at_event": badge.event,
            "at_table": badge.table,
        }
        return record, self.devices.kept(changed), effect

    def _release(self, device: Device) -> None:
        """Let the next one in line have the table that a device was bound to."""
        self.dealers.pop(device.id, None)
        if device.badge.event is not None and device.badge.table is not None:
            place = device.badge.event, device.badge.table
            self.leases.release(device.id, place)
            self._show_lease(place)

    # ── leases and dealers ───────────────────────────────────────────────────────────────────────

    def _ask_for_table(self, order: Order, _wish: LeaseAsk, _now: int) -> Outcome:
        badge = order.badge
        if badge.event is None or badge.table is None:
            raise _No("not_allowed", "This device has no table.")
        place = badge.event, badge.table
        if not self.leases.ask(order.device, place):
            raise _No("not_allowed", f"Table {badge.table} is this device's already.")
        record = {"event": "lease.asked", "device": order.device, "table": badge.table}
        return record, [], lambda: self._show_lease(place)

    def _grant_table(self, order: Order, wish: LeaseGrant, _now: int) -> Outcome:
        badge = self._device(wish.device, order).badge
        if badge.event is None or badge.table is None:
            raise _No("bad_value", "That device has no table.")
        place = badge.event, badge.table
        lease = self.leases.at(place)

        def effect() -> None:
            live = bool(self._hub.visitors_of(wish.device))
            self.leases.give(wish.device, place, None if live else self._hub.time.now())
            self._show_lease(place)

        record = {"event": "lease.granted", "device": wish.device, "table": badge.table}
        return {**record, "instead_of": lease and lease.holder}, [], effect

    def _sign_on(self, order: Order, wish: DealerSignOn, now: int) -> Outcome:
        if not self.staff.may_try(order.device, now):
            raise _No("slow_down", "Too many wrong PINs: wait a minute.")
        name = self.staff.who(wish.pin, order.device, now)
        if name is None:
            raise _No("bad_value", "Nobody has this PIN.")
        record = {"event": "dealer.signed_on", "device": order.device, "name": name}
        return record, [], lambda: self._set_dealer(order, name)

    def pushed(self, order: Order) -> None:
        """Sign the old dealer off: taps before the next one signs on are not theirs."""
        place = order.event, int(order.args["table"])
        lease = self.leases.at(place)
        if lease is None or not self.dealers.get(lease.holder):
            return
        self.dealers[lease.holder] = ""
        self._note({"event": "dealer.signed_off", "device": lease.holder, "table": place[1]})
        self._show_lease(place)

    def _set_dealer(self, order: Order, name: str) -> None:
        self.dealers[order.device] = name
        if order.badge.event is not None and order.badge.table is not None:
            self._show_lease((order.badge.event, order.badge.table))

    def _show_lease(self, place: Place) -> None:
        event, table = place
        self._hub.press.publish(f"t/{event}/lease/{table}")
        self._hub.press.publish_soon(f"t/{event}/duty")
        self._hub.press.publish_soon("devices")

    def _silence(self, now: int) -> None:
        """Tell the director when a table's device falls silent, or is heard again."""
        for event, desk in self._hub.desks.items():
            if not self._hub.press.fanout.followers(f"t/{event}/duty"):
                continue
            numbers = desk.shown.tables.keys()
            silent = {n for n in numbers if self._hub.watch.silent_since(event, n, now) is not None}
            if silent != self._silent.get(event, set()):
                self._silent[event] = silent
                self._hub.press.publish_soon(f"t/{event}/duty")

    # ── documents ────────────────────────────────────────────────────────────────────────────────

    def duty_document(self, event: str) -> dict[str, Any]:
        """Say who works each table, and since when its device has been silent."""
        now = self._hub.time.now()
        found = {}
        for number in self._hub.desks[event].shown.tables.keys():  # noqa: SIM118 - no dictionary
            lease = self.lease_document(event, number)
            silent = self._hub.watch.silent_since(event, number, now)
            unanswered = self._unanswered_since(self._hub.watch.worker(event, number))
            if lease is not None or silent is not None or unanswered is not None:
                found[str(number)] = {
                    "device": None if lease is None else lease["device"],
                    "name": None if lease is None else lease["name"],
                    "dealer": "" if lease is None else lease["dealer"],
                    "live": lease is not None and lease["live"],
                    "asking": [] if lease is None else [w for w in lease["waiting"] if w["asks"]],
                    "silent_since": silent,
                    "unanswered_since": unanswered,
                }
        return {"now": now, "tables": found}

    def _unanswered_since(self, device: str | None) -> int | None:
        """Say since when a device that talks has not answered the hub's pings; None if it does."""
        found = [] if device is None else self._hub.visitors_of(device)
        return max((v.unanswered_since for v in found if v.unanswered_since), default=None)

    def lease_document(self, event: str, table: int) -> dict[str, Any] | None:
        """Say who works a table, and who would like to: both devices see the same."""
        lease = self.leases.at((event, table))
        if lease is None:
            return None
        dealer = self.dealers.get(lease.holder, "")

        def named(device: str) -> dict[str, Any]:
            known = self.devices.by_id(device)
            name = device if known is None else known.badge.name
            return {"device": device, "name": name, "asks": device in lease.asking}

        return {
            "now": self._hub.time.now(),
            "table": table,
            "device": lease.holder,
            "name": named(lease.holder)["name"],
            "dealer": dealer,
            "live": lease.gone_at is None,
            "waiting": [named(device) for device in lease.waiting],
        }

    def document(self) -> dict[str, Any]:
        """List all devices, for the floor and the director."""
        now = self._hub.time.now()
        live = {visitor.device: visitor for visitor in self._hub.visitors if visitor.greeted}
        return {
            "now": now,
            "asking": [
                {
                    "code": asking.code,
                    "kind": asking.kind,
                    "address": asking.address,
                    "until": asking.until,
                }
                for asking in self.pairing.waiting(now)
            ],
            "devices": [self._row(device, live.get(device.id)) for device in self.devices],
            "staff": self.staff.names(),
            "skew": self._skew(live),
        }

    def _skew(self, live: "dict[str, Visitor]") -> dict[str, Any] | None:
        """Say how far apart the screens of the room can be: the worst of them, and which it is."""
        found = []
        for device in self.devices:
            visitor = live.get(device.id)
            report = None if visitor is None else visitor.report
            if device.badge.role != "viewer" or report is None or report["uncertainty"] is None:
                continue
            found.append((report["uncertainty"] + abs(report["skew"] or 0), device.id))
        if not found:
            return None
        worst, which = max(found)
        return {"screens": len(found), "worst_ms": worst, "device": which}

    def _row(self, device: Device, visitor: "Visitor | None") -> dict[str, Any]:
        badge = device.badge
        place = None
        if badge.event is not None and badge.table is not None:
            place = badge.event, badge.table
        return {
            "id": device.id,
            "name": badge.name,
            "role": badge.role,
            "event": badge.event,
            "table": badge.table,
            "kind": device.kind,
            "paired_by": device.paired_by,
            "paired_at": device.paired_at,
            "live": visitor is not None,
            "address": None if visitor is None else visitor.address,
            "last_seen": None if visitor is None else visitor.heard_at,
            "unanswered_since": self._unanswered_since(device.id),
            "dealer": self.dealers.get(device.id, ""),
            "works": place is not None and self.leases.holds(device.id, place),
            "report": None if visitor is None else visitor.report,
            "screen": self.screens.settings(device),
        }
