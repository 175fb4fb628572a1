// The betting round's vectors, written by hand, against the browser's face; tests/dealer_console/test_round_vectors.py
// runs them on the Python.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import "./pages.mjs";

const { face } = await import("../../dealer_console/web/face.js");
const { synced } = await import("../../dealer_console/web/resync.js");
const file = JSON.parse(readFileSync(new URL("../vectors/dealer_round.json", import.meta.url), "utf-8"));

/** The documents of a case: the file's own, with what the case changes. */
function documents({ gone = false, table = {}, hand = {}, action = {}, event = {}, live = [1, 2, 3, 4, 5, 6] }) {
  if (gone) return { table: null, event: file.event };
  const made = { ...file.table, ...table };
  made.hand = { ...made.hand, ...hand };
  made.action = { ...made.action, ...action };
  const seats = Object.entries(made.seats);
  made.seats = Object.fromEntries(seats.map(([seat, taken]) => [seat, { ...taken, in_hand: live.includes(Number(seat)) }]));
  return { table: made, event: { ...file.event, ...event } };
}

/** A button as the file writes it. */
function written({ label, note, command }) {
  if (command === null) return [label, note, null, null];
  const { table: _, ...args } = command.args;
  return [label, note, command.do, args];
}

/** Write what is seen as far as the case says what to expect. */
function seen({ expect, look = {}, ...change }) {
  const shown = face({ number: 7, now: 100_000, me: "d-1", ...documents(change), ...look });
  const buttons = Object.fromEntries(shown.buttons.map((button) => [button.id, button]));
  const picked = (from, like) => Object.fromEntries(Object.keys(like).map((key) => [key, from[key]]));
  const special = {
    big: () => written(shown.big),
    on: () => file.plays.filter((id) => buttons[id]?.command),
    buttons: (like) => Object.fromEntries(Object.keys(like).map((id) => [id, written(buttons[id])])),
    seats: (like) => Object.fromEntries(Object.entries(like).map(([seat, of]) => [seat, picked(shown.seats[seat - 1], of)])),
    levels: () => shown.levels.map(({ id, label, note, command }) => [id, label, note, command?.args.level ?? null]),
    sync: () => shown.sync.map((each) => [each.id, each.label, each.note, written(each)[3]]),
    reasons: () => shown.reasons.map(({ reason, note }) => [reason, note]),
  };
  return Object.fromEntries(Object.entries(expect).map(([key, like]) => [key, special[key]?.(like) ?? shown[key]]));
}

for (const { name, path, folded = [], expect } of file.paths) {
  test(`round: ${name}`, () => {
    const seats = [1, 2, 3, 4, 5, 6, 7, 8].map((seat) => ({
      seat, name: seat > 6 ? "" : `p${seat}`, folded: folded.includes(seat),
    }));
    const command = { do: "hand.sync", args: { table: 7 }, to: "event" };
    assert.deepEqual(synced(command, seats, path), { ...command, args: { table: 7, ...expect } });
  });
}

for (const each of file.cases) {
  test(`round: ${each.name}`, () => assert.deepEqual(seen(each), each.expect));
}
