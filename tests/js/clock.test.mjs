// The shared vectors against clock.js; tests/protocol/test_vectors.py runs them on the Python.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import {
  HubClock, ahead, digits, nextFlip, remaining, sample, seconds,
} from "../../display/web/clock.js";

const vectors = (name) =>
  JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), "utf-8"));

// A negative zero is a zero, on the wire and on a screen.
const same = (found, expected, message) => assert.equal(found + 0, expected, message);

for (const { name, probe, offset, round_trip } of vectors("sync").samples) {
  test(`sample: ${name}`, () => {
    assert.deepEqual(sample(...probe), { offset, roundTrip: round_trip });
  });
}

for (const { name, steps } of vectors("sync").clocks) {
  test(`clock: ${name}`, () => {
    const clock = new HubClock();
    for (const step of steps) {
      const said = JSON.stringify(step);
      if (step.answered) clock.answered(...step.answered);
      for (const look of ["now", "offset", "uncertainty"]) {
        if (look in step) same(clock[look](step.own), step[look], said);
      }
      if ("known" in step) assert.equal(clock.known, step.known, said);
    }
  });
}

for (const { name, clock, now, expect } of vectors("countdown").remaining) {
  test(`remaining: ${name}`, () => assert.equal(remaining(clock, now), expect));
}

for (const shown of vectors("countdown").shown) {
  test(`shown: ${shown.ms} ms`, () => {
    assert.equal(seconds(shown.ms), shown.seconds);
    assert.equal(digits(shown.ms), shown.digits);
    assert.equal(nextFlip(shown.ms), shown.next_flip);
  });
}

for (const { name, clock, now, expect } of vectors("countdown").ahead) {
  test(`ahead: ${name}`, () => {
    const before = structuredClone(clock);
    const found = ahead(clock, now);
    if (expect === null) assert.equal(found, clock);
    else assert.deepEqual(found, expect);
    assert.deepEqual(clock, before);
  });
}
