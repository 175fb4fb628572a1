// What a tablet keeps through a reload, in a store that is only a map.

import assert from "node:assert/strict";
import test from "node:test";

import "./pages.mjs";

const { forgetLast, Kept, KEPT_FOR, keepLast, last, SEEN_FOR } = await import("../../dealer_console/web/kept.js");

class Store {
  items = new Map();

  getItem(key) {
    return this.items.get(key) ?? null;
  }

  setItem(key, value) {
    this.items.set(key, value);
  }

  removeItem(key) {
    this.items.delete(key);
  }
}

const PLACE = { hub: "h1", device: "page-1", event: "1", table: 7 };
const tap = (id) => ({ command: { id, event: "1", do: "action.fold", args: { table: 7 }, at: 5 }, target: "fold", label: "FOLD" });
const ids = (kept, wall) => kept.all(wall).map(({ command }) => command.id);

test("a tap is kept until it is answered, in the order of the taps", () => {
  const store = new Store();
  const kept = new Kept(PLACE, store);
  kept.put(tap("a"), 1_000);
  kept.put(tap("b"), 1_100);
  assert.deepEqual(ids(new Kept(PLACE, store), 2_000), ["a", "b"]);
  kept.drop("a", 2_000);
  assert.deepEqual(ids(kept, 2_000), ["b"]);
  kept.drop("b", 2_000);
  assert.equal(store.items.size, 0);
});

test("taps of another hub, device or table are none of this one's", () => {
  const store = new Store();
  new Kept(PLACE, store).put(tap("a"), 0);
  for (const other of [{ hub: "h2" }, { device: "page-2" }, { event: "2" }, { table: 8 }]) {
    assert.deepEqual(ids(new Kept({ ...PLACE, ...other }, store), 0), []);
  }
});

test("what is older than ten minutes is dropped", () => {
  const kept = new Kept(PLACE, new Store());
  kept.put(tap("a"), 0);
  kept.put(tap("b"), 5_000);
  assert.deepEqual(ids(kept, KEPT_FOR - 1), ["a", "b"]);
  assert.deepEqual(ids(kept, KEPT_FOR), ["b"]);
  kept.clear();
  assert.deepEqual(ids(kept, 5_000), []);
});

test("a browser that keeps nothing, or something else, is no trouble", () => {
  const full = { getItem: () => "{", setItem: () => { throw new Error("full"); }, removeItem: () => { throw new Error("no"); } };
  for (const store of [null, full]) {
    const kept = new Kept(PLACE, store);
    kept.put(tap("a"), 0);
    kept.drop("a", 0);
    assert.deepEqual(ids(kept, 0), []);
    assert.equal(last({ storage: store, wall: 0 }), null);
  }
});

test("what was seen last is given with the hub's time by now", () => {
  const storage = new Store();
  const place = { event: "1", table: 7 };
  keepLast({ welcome: { hub: "h1" }, place, documents: [], now: 90_000, age: 2_000 }, { storage, wall: 10_000 });
  const found = last({ storage, wall: 15_000 });
  assert.deepEqual([found.now, found.age, found.place, found.welcome.hub], [95_000, 7_000, place, "h1"]);
  assert.equal(last({ storage, wall: 10_000 + SEEN_FOR }), null);
  forgetLast(storage);
  assert.equal(last({ storage, wall: 15_000 }), null);
});
