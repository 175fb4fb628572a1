// Which sounds are due: what every screen must sound, and never twice.

import assert from "node:assert/strict";
import test from "node:test";

import { chosen, Heard, moment, signals } from "../../display/web/sound.js";

const NOW = 1_789_000_000_000;
const clock = (change = {}) => ({ status: "running", phase: "level", level: 7, ends_at: NOW + 754_000, ...change });
const table = (action) => ({ table: 7, action });

// ── sounds ──────────────────────────────────────────────────────────────────────────────────────

const END = NOW + 754_000;
const at = (now, change = {}) => moment(now, clock(change));
const sounds = (was, is) => signals(was, is).map(({ sound }) => sound);

test("one minute and the end of a level are heard as time passes them, and only then", () => {
  assert.deepEqual(sounds(at(END - 60_500), at(END - 60_000)), ["minute"]);
  assert.deepEqual(sounds(at(END - 500), at(END)), ["level"]);
  assert.deepEqual(sounds(at(END - 20), at(END - 5, { level: 8, ends_at: END + 1_200_000 })), ["level"]);
  assert.deepEqual(sounds(at(END - 500, { phase: "break" }), at(END, { phase: "break" })), ["break"]);
  assert.deepEqual(sounds(null, at(END)), []); // a reload
  assert.deepEqual(sounds(at(END - 9_000), at(END + 1)), []); // a screen that slept
  assert.deepEqual(sounds(at(END - 500), at(END - 100, { ends_at: END + 60_000 })), []); // time was added
  assert.deepEqual(sounds(at(NOW), at(NOW + 500, { level: 6, ends_at: NOW + 9_000 })), []); // an undo
});

test("nothing is heard twice, also after a reload", () => {
  const kept = new Map();
  const storage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
  const due = () => signals(at(END - 500), at(END));
  assert.equal(new Heard(storage).fresh(due(), END).length, 1);
  assert.equal(new Heard(storage).fresh(due(), END + 1_000).length, 0);
  assert.equal(new Heard({ getItem: () => "{", setItem() { throw new Error("full"); } }).fresh(due(), END).length, 1);
});

test("an action clock is heard at ten, in the last five seconds and at zero", () => {
  const action = (now, change) => moment(now, null, table({ status: "running", seat: 2, ends_at: END, ...change }));
  assert.deepEqual(sounds(action(END - 10_500), action(END - 10_000)), ["ten"]);
  assert.deepEqual(sounds(action(END - 5_500), action(END - 5_000)), ["tick"]);
  assert.deepEqual(sounds(action(END - 1), action(END, { status: "expired", ends_at: null })), ["zero"]);
  assert.deepEqual(sounds(action(END - 500), action(END + 10, { ends_at: END + 20_000 })), []); // a chip burned
  assert.deepEqual(sounds(action(END - 5_500), action(END - 5_000, { seat: 3 })), []);
});

test("an announcement is heard when it is made", () => {
  const said = (now, text) => moment(now, clock(), null, text);
  assert.deepEqual(sounds(said(NOW, null), said(NOW + 100, "Dinner")), ["announcement"]);
  assert.deepEqual(sounds(said(NOW, "Dinner"), said(NOW + 100, "Dinner")), []);
  assert.deepEqual(sounds(said(NOW, "Dinner"), said(NOW + 100, null)), []);
});

test("sounds are chosen by name", () => {
  assert.equal(chosen("all").size, 5);
  assert.deepEqual([...chosen("level, minute,confetti")], ["level", "minute"]);
  assert.deepEqual([chosen(null).size, chosen("none").size], [0, 0]);
});
