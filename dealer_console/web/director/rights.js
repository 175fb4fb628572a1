// What each role may do, so that no button is offered that the hub would refuse.
//
// Held to server/access.py and server/wishes.py by a test: the hub decides, this only shows it.

const FLOOR = new Set([
  "action.all_in", "action.bank", "action.fold", "action.hold", "action.next", "action.release", "action.ruling", "action.start",
  "action.stop", "announce", "announce.clear", "button.set", "called.start", "called.stop", "clock.pause", "clock.resume",
  "collect.done", "dealer.push", "floor.call", "floor.clear", "h4h.all_in", "h4h.done", "h4h.runout", "hand.end",
  "hand.level", "hand.misdeal", "hand.start", "hand.sync", "player.bust", "player.limit", "seat.clear", "seat.move", "seat.put", "silence.seen", "street.next", "table.close",
  "table.open", "table.pause", "table.resume", "undo",
  "device.assign", "device.pair", "device.rename", "device.revoke", "lease.grant",
  "screen.identify", "screen.reload", "screen.set",
]);

/** What floor staff may do. */
export const floorMay = () => [...FLOOR].sort();

/** Say whether a role may do something. */
export function allowed(role, what) {
  return role === "director" || (role === "floor" && FLOOR.has(what));
}
