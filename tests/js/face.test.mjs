// The shared vectors against the dealer's face.js; tests/dealer_console/test_face.py runs them on the Python.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import "./pages.mjs";

const { face } = await import("../../dealer_console/web/face.js");
const { cases } = JSON.parse(readFileSync(new URL("../vectors/dealer.json", import.meta.url), "utf-8"));

for (const { name, table = null, event = null, lease = null, look, expect } of cases) {
  test(`dealer: ${name}`, () => {
    assert.deepEqual(face({ table, event, lease, ...look }), expect);
  });
}
