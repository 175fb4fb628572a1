// The shared vectors against offline.js: what is assumed while taps wait, and what a button asks.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { assumed, question, Unanswered } from "../../dealer_console/web/offline.js";

const vectors = JSON.parse(readFileSync(new URL("../vectors/offline.json", import.meta.url), "utf-8"));

const at = (document, path) => path.split(".").reduce((found, name) => found[name], document);

function changed(document, changes = {}) {
  const made = JSON.parse(JSON.stringify(document));
  for (const [path, value] of Object.entries(changes)) {
    const way = path.split(".");
    const last = way.pop();
    way.reduce((found, name) => found[name], made)[last] = value;
  }
  return made;
}

const tableOf = ({ table, change }) => changed(vectors.tables[table], change);

for (const vector of vectors.cases) {
  test(`assumed: ${vector.name}`, () => {
    const table = tableOf(vector);
    const found = assumed(table, changed(vectors.event, vector.event), vector.taps, vector.now ?? 0);
    assert.deepEqual(table, tableOf(vector), "the hub's document was changed");
    if (vector.expect === null) {
      assert.equal(found, table);
      return;
    }
    assert.equal(found.assumed, true);
    for (const [path, value] of Object.entries(vector.expect)) assert.deepEqual(at(found, path), value, path);
  });
}

for (const vector of vectors.questions) {
  test(`question: ${vector.name}`, () => {
    assert.equal(question(vector.button, tableOf(vector)), vector.expect);
  });
}

for (const { name, steps } of vectors.looks) {
  test(`unanswered: ${name}`, () => {
    const unanswered = new Unanswered();
    const told = ({ table, taps }) => [table.rev, taps.map(({ id }) => id)];
    for (const { own, rev, fresh, taps, shows, asks, changes_in: flip } of steps) {
      const shown = { rev, doc: { rev } };
      const waiting = taps.map((id) => ({ id }));
      assert.deepEqual(told(unanswered.look(own, shown, waiting, fresh)), shows, `shown at ${own}`);
      assert.deepEqual(told(unanswered.afterAll(own, shown, waiting, fresh)), asks, `asked at ${own}`);
      assert.equal(unanswered.changesIn(own), flip, `changes at ${own}`);
    }
  });
}

test("nothing is assumed of nothing", () => {
  assert.equal(assumed(null, {}, [], 0), null);
  const table = vectors.tables.nine;
  assert.equal(assumed(table, null, [{ do: "hand.end", args: { table: 7 }, at: 1 }], 0), table);
  assert.equal(question("big", null), "big");
});
