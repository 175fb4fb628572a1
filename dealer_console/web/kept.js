// What a tablet keeps through a reload: taps that wait for an answer, and what it last saw.
//
// A dealer whose page is reloaded, or whose tablet ran out of power, has tapped all the same. Each
// tap is written down before it is sent and struck out when it was answered; after a reload it is
// sent once more by the same id, so that the hub carries it out once. A PIN is never written down.

import { store } from "/web/identity.js";

/** Older taps are nobody's any more: the floor has put that hand right long since. */
export const KEPT_FOR = 600_000;

/** What was seen is shown for a night: it says that it is not live. */
export const SEEN_FOR = 6 * 3_600_000;

const LAST = "railbird-last";

function read(storage, key) {
  try {
    return JSON.parse(storage?.getItem(key) ?? "null");
  } catch {
    return null; // forbidden, or not ours
  }
}

function write(storage, key, value) {
  try {
    if (value === null) storage?.removeItem(key);
    else storage?.setItem(key, JSON.stringify(value));
  } catch { /* full, or forbidden: a page must work without */ }
}

/** The taps of one device at one table of one hub. */
export class Kept {
  constructor({ hub, device, event, table }, storage = store()) {
    this._key = `railbird-kept/${hub}/${device}/${event}/${table}`;
    this._storage = storage;
  }

  /** Write a tap down: its command, and what the dealer saw of it. */
  put(tap, wall = Date.now()) {
    write(this._storage, this._key, [...this.all(wall), { ...tap, wall }]);
  }

  /** Strike a tap out: the hub has answered it. */
  drop(id, wall = Date.now()) {
    const left = this.all(wall).filter(({ command }) => command.id !== id);
    write(this._storage, this._key, left.length > 0 ? left : null);
  }

  /** Strike them all out. */
  clear() {
    write(this._storage, this._key, null);
  }

  /** List the taps that wait, in the order they were made; those that are too old are none. */
  all(wall = Date.now()) {
    const found = read(this._storage, this._key);
    const recent = ({ wall: made }) => Math.abs(wall - made) < KEPT_FOR;
    return Array.isArray(found) ? found.filter(recent) : [];
  }
}

/**
 * Keep what the tablet last saw: who it was to the hub, its place, the documents, the hub's time, and
 * for how many milliseconds the hub has not been heard.
 */
export function keepLast({ welcome, place, documents, now, age }, { storage = store(), wall = Date.now() } = {}) {
  write(storage, LAST, { welcome, place, documents, ahead: now - wall, heard: wall - age });
}

/** Forget it: this tablet has no table any more. */
export function forgetLast(storage = store()) {
  write(storage, LAST, null);
}

/** Give what the tablet last saw, with the hub's time by now; null where that is too long ago. */
export function last({ storage = store(), wall = Date.now() } = {}) {
  const found = read(storage, LAST);
  const age = wall - (found?.heard ?? 0);
  if (found === null || !found.place || !(Math.abs(age) < SEEN_FOR)) return null;
  return { ...found, now: wall + found.ahead, age: Math.max(0, age) };
}
