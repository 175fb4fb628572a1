// Commands in words: what a button did, what an undo would take back. Pure.

import { change } from "./amounts.js";

const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
const why = (words, reason) => (reason ? `${words}: ${reason}` : words);
const seat = (args) => (args.seat === undefined || args.seat === null ? "" : ` seat ${args.seat}`);
const clock = (ms) => `${Math.floor(ms / 60_000)}:${String(Math.ceil(ms / 1_000) % 60).padStart(2, "0")}`;

/** What each command does; those at a table are given without it. */
const TALES = {
  "clock.start": () => "start the clock",
  "clock.pause": ({ reason }) => why("pause the room", reason),
  "clock.resume": () => "resume play",
  "clock.add": ({ ms }) => `${change(ms)} on the clock`,
  "clock.set": ({ remaining_ms: ms }) => `set the clock to ${clock(ms)}`,
  "level.next": () => "next level",
  "level.back": () => "previous level",
  "level.goto": ({ level }) => `go to level ${level}`,
  "break.call": ({ minutes }) => (minutes ? `break of ${minutes} min` : "break now"),
  "break.end": () => "end the break",
  "structure.set": () => "change the structure",
  "event.schedule": ({ starts_at: at }) => (at === null ? "start by hand" : "set the start time"),
  "event.suspend": () => "suspend to another day",
  "event.resume": () => "resume the event",
  "event.finish": () => "finish the event",
  announce: ({ text }) => `announce “${short(text)}”`,
  "announce.clear": () => "clear the announcement",
  "table.open": () => "open",
  "table.close": () => "close",
  "seat.put": (args) => `${who(args)} to${seat(args)}`,
  "seat.move": (args) => `move ${who(args)} to${seat(args)}`,
  "seat.clear": (args) => (args.player ? `take ${who(args)} off the seat` : `empty${seat(args)}`),
  "player.bust": (args) => `${who(args)} is out`,
  "player.limit": (args) => (args.seconds === null ? `lift ${who(args)}'s limit` : `limit ${who(args)} to ${args.seconds} s`),
  "places.set": ({ places }) => (places === null ? "places by the house's table" : `pay ${count(places, "place")}`),
  "table.pause": ({ reason }) => why("pause the table", reason),
  "table.resume": () => "resume the table",
  "floor.call": ({ reason }) => why("floor called", reason),
  "floor.clear": () => "floor call answered",
  "silence.seen": () => "seen what was assumed",
  "hand.start": () => "new hand",
  "hand.end": () => "hand over",
  "dealer.push": () => "dealer push",
  "action.start": (args) => `clock on${seat(args)}`,
  "action.next": () => "next player",
  "action.all_in": () => "all-in",
  "action.fold": () => "fold",
  "action.stop": () => "stop the action clock",
  "action.hold": ({ acted }) => (acted === false ? "hold the clock" : "count a bet"),
  "action.release": () => "count is over",
  "action.bank": (args) => `${count(args.chips, "time-bank chip")},${seat(args)}`,
  "action.ruling": ({ outcome, reason }) => why(`ruling: ${outcome === "dead" ? "dead hand" : outcome}`, reason),
  "collect.done": (args) => `collected from${seat(args)}`,
  "street.next": () => "next street",
  "bank.grant": (args) => `${args.mode === "add" ? change_chips(args.chips) : `set ${count(args.chips, "chip")}`} for ${args.player ? who(args) : "everybody"}`,
  "shotclock.introduce": () => "introduce the shot clock",
  "called.start": (args) => `call the clock on${seat(args)}`,
  "called.stop": () => "stop the called clock",
  "h4h.announce": ({ unit }) => `announce ${unit === "round" ? "round" : "hand"}-for-${unit === "round" ? "round" : "hand"}`,
  "h4h.done": () => "hand done",
  "h4h.all_in": () => "all-in and call",
  "h4h.runout": () => "run the board out",
  "h4h.next": ({ hand }) => (hand ? `release hand ${hand}` : "release the next hand"),
  "h4h.end": () => "end hand-for-hand",
  undo: () => "undo",
  "event.create": ({ name, preset }) => `create ${name ?? preset ?? "an event"}`,
  "event.archive": () => "archive the event",
  "gap.give_back": () => "give the lost time back",
  "gap.clear": () => "put the notice away",
  "device.pair": ({ name, code }) => `let ${name ?? code} in`,
  "device.rename": ({ name }) => `rename to ${name}`,
  "device.assign": ({ role, table: at }) => `make it ${role}${at ? ` of table ${at}` : ""}`,
  "device.revoke": () => "show the device out",
  "lease.grant": () => "give the table to the other device",
  "screen.set": ({ scene }) => (scene ? `show ${scene}` : "change the screen"),
  "screen.identify": () => "identify the screen",
  "screen.reload": () => "reload the screen",
  "staff.add": ({ name }) => `PIN for ${name}`,
  "staff.remove": ({ name }) => `no PIN for ${name}`,
};

const change_chips = (chips) => (chips < 0 ? `−${-chips} chips` : `+${count(chips, "chip")}`);
const who = ({ name, player }) => name || player;
const short = (text) => (text.length > 40 ? `${text.slice(0, 39)}…` : text);

/** Say a command in words; `T7: fold` where it is about a table. */
export function tale(what, args = {}) {
  const said = TALES[what]?.(args) ?? what;
  const table = args.table ?? null;
  return table === null || what === "device.assign" || what === "device.pair" ? said : `T${table}: ${said}`;
}

/** All commands that have words. */
export const KNOWN = Object.keys(TALES);

/** Say what an entry of the list of undos was: in the hub's words, where it gives some. */
export const undoTale = (entry) => entry.text || tale(entry.do, entry.args);

/** Say whether an entry is a dealer's tap: theirs to take back, at their own table. */
export const isTap = (entry) => entry.by === "dealer";

/**
 * Give the newest command that an undo would take back: neither an undo, nor undone, nor a dealer's
 * tap. In a busy room the newest of all is another one every second, and nobody could aim at it.
 *
 * The list comes a moment after the answer to a command. `own` is what this page has done since: the
 * newest command {command, text}, and the ids of those that it has undone. So a quick press of undo
 * takes back what was just done, and not what was done before.
 */
export function nextUndo(floor, own = null) {
  const listed = floor?.undo ?? [];
  const known = new Set(listed.map(({ command }) => command));
  const fresh = own?.newest && !known.has(own.newest.command) && !own.undone.has(own.newest.command);
  if (fresh) return own.newest;
  return listed.find((entry) => !entry.undone && entry.do !== "undo" && !isTap(entry) && !own?.undone.has(entry.command)) ?? null;
}

/** Give the undo that could be undone: the newest that is no dealer's, if it is one and still holds. */
export function nextRedo(floor) {
  const newest = floor?.undo.find((entry) => !isTap(entry)) ?? null;
  return newest !== null && newest.do === "undo" && !newest.undone ? newest : null;
}
