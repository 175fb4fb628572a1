// The dealer page's pure parts: what becomes of a tap, which alarm is due, where the seats are.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { alarm, ALARMS, glance } from "../../dealer_console/web/alarms.js";
import { form, places, rows } from "../../dealer_console/web/places.js";
import { AMBER, ONCE_SHOWN, RED, Taps, WORDS_SHOWN } from "../../dealer_console/web/taps.js";

// ── taps ────────────────────────────────────────────────────────────────────────────────────────

const done = (at = 0) => ({ type: "done", at, again: false });
const refused = (text) => ({ type: "refused", code: "no_chips", text });

const vectors = JSON.parse(readFileSync(new URL("../vectors/taps.json", import.meta.url), "utf-8"));

for (const { name, touches } of vectors.cases) {
  test(`taps: ${name}`, () => {
    const taps = new Taps();
    for (const [button, label, own, asked, said] of touches) {
      const counts = taps.counts(button, label, own, asked);
      assert.equal(counts, said === null, `${button} at ${own}`);
      if (said !== null) assert.equal(taps.words(own).at(-1).text, said);
    }
  });
}

test("that a touch did not count is told for a moment", () => {
  const taps = new Taps();
  taps.counts("bank", "TIME BANK +1", 0, "bank/3/flop/5");
  taps.counts("bank", "TIME BANK +1", 200, "bank/3/flop/5");
  assert.deepEqual(taps.words(200), [{ kind: "once", text: "TIME BANK +1 once: same player" }]);
  assert.deepEqual(taps.words(200 + ONCE_SHOWN), []);
});

test("a tap is sent, then amber, then red, then confirmed for a moment", () => {
  const taps = new Taps();
  const tap = taps.made("big", "NEXT PLAYER", 1_000);
  assert.equal(taps.stage("big", 1_000), "sent");
  assert.equal(taps.stage("big", 1_000 + AMBER - 1), "sent");
  assert.equal(taps.stage("big", 1_000 + AMBER), "amber");
  assert.equal(taps.stage("big", 1_000 + RED), "red");
  assert.equal(taps.stage("fold", 1_000 + RED), "");
  taps.answered(tap, done(), 4_000);
  assert.equal(taps.stage("big", 4_000), "confirmed");
  assert.equal(taps.stage("big", 5_000), "");
});

test("several taps wait together, and the oldest says how bad it is", () => {
  const taps = new Taps();
  const first = taps.made("big", "NEXT PLAYER", 0);
  taps.made("big", "NEXT PLAYER", 1_900);
  taps.made("fold", "FOLD", 1_950);
  assert.deepEqual(taps.waiting(2_000), { count: 3, stage: "red" });
  taps.answered(first, done(), 2_000);
  assert.deepEqual(taps.waiting(2_000), { count: 2, stage: "sent" });
  assert.equal(taps.stage("big", 2_000), "sent", "one of two is still open");
});

test("a refusal is said plainly for a few seconds, with what it was about", () => {
  const taps = new Taps();
  taps.answered(taps.made("bank", "TIME BANK +1", 0), refused("Seat 5 has no chips left."), 40);
  assert.equal(taps.stage("bank", 100), "refused");
  assert.deepEqual(taps.words(100), [
    { kind: "refused", text: "TIME BANK +1 did not count: Seat 5 has no chips left." },
  ]);
  assert.deepEqual(taps.words(40 + WORDS_SHOWN), []);
});

test("what the hub ruled on a tap that was kept is said with how late it counted", () => {
  const taps = new Taps();
  taps.answered(taps.made("big", "NEXT PLAYER", 0, 50_000), done(54_200), 4_300);
  assert.deepEqual(taps.words(4_300), [{ kind: "late", text: "NEXT PLAYER counted, 4.2 s after the tap" }]);
  taps.hush();
  taps.answered(taps.made("big", "NEXT PLAYER", 9_000, 60_000), done(60_040), 9_050);
  assert.deepEqual(taps.words(9_050), [], "an ordinary tap needs no words");
  taps.answered(taps.made("fold", "FOLD", 9_000, 60_000), done(83_000), 33_000);
  assert.equal(taps.words(33_000)[0].text, "FOLD counted, 23 s after the tap");
});

test("a link that is closed for good says which taps are uncertain", () => {
  const taps = new Taps();
  const tap = taps.made("fold", "FOLD", 0);
  taps.abandoned(10);
  assert.deepEqual(taps.words(10), [{ kind: "refused", text: "Not known whether it counted: FOLD" }]);
  assert.equal(taps.stage("fold", 3_000), "");
  taps.answered(tap, done(), 20); // too late to matter
  assert.equal(taps.stage("fold", 20), "");
});

test("words do not pile up, and the same words are not said twice", () => {
  const taps = new Taps();
  for (const text of ["a", "b", "a", "c", "d"]) taps.say({ kind: "refused", text }, 0);
  assert.deepEqual(taps.words(0).map(({ text }) => text), ["a", "c", "d"]);
});

test("a console knows when to look again", () => {
  const taps = new Taps();
  assert.equal(taps.flip(0), null);
  const tap = taps.made("big", "START", 100);
  assert.equal(taps.flip(100), AMBER);
  assert.equal(taps.flip(100 + AMBER), RED - AMBER);
  assert.equal(taps.flip(100 + RED), null);
  taps.answered(tap, done(), 3_000);
  assert.ok(taps.flip(3_000) > 0);
  assert.equal(taps.flip(60_000), null);
});

// ── alarms ──────────────────────────────────────────────────────────────────────────────────────

const table = (action, called = { status: "off", seat: null, ends_at: null }) => ({
  hand: { number: 3 },
  action: { status: "running", seat: 5, ends_at: 100_000, used: 0, ...action },
  called,
});

/** Look at one table at several instants, and list the alarms in between. */
function heard(...looks) {
  let was = null;
  return looks.map(([now, doc]) => {
    const is = glance(doc, now);
    const due = alarm(was, is);
    was = is;
    return due;
  }).slice(1);
}

test("ten, five and the last seconds are alarms, each once", () => {
  const doc = table({});
  const looks = [89_000, 90_000, 90_001, 93_000, 95_000, 95_100, 96_000, 97_000, 98_000, 99_000, 99_500];
  assert.deepEqual(
    heard(...looks.map((now) => [now, doc])),
    ["ten", null, null, "five", null, "tick", "tick", "tick", "tick", null],
  );
  for (const name of ["ten", "five", "tick", "burn", "zero"]) assert.ok(ALARMS[name].buzz.length > 0);
});

test("SB-47h a chip that goes by itself at zero is an alarm; one pushed forward in time is not", () => {
  const burnt = table({ ends_at: 120_000, used: 1 });
  assert.deepEqual(heard([99_900, table({})], [100_020, burnt]), ["burn"]);
  assert.deepEqual(heard([92_000, table({})], [92_500, burnt]), [null]);
});

test("SB-47j zero is an alarm once", () => {
  const over = table({ status: "expired", ends_at: null });
  assert.deepEqual(heard([99_900, table({})], [100_100, over], [100_200, over]), ["zero", null]);
});

test("zero is heard also where the hub is away, and not again when it rules", () => {
  const doc = table({});
  const over = table({ status: "expired", ends_at: null });
  assert.deepEqual(
    heard([99_500, doc], [100_100, doc], [100_800, doc], [102_000, doc], [103_000, over]),
    [null, "zero", null, null],
  );
});

test("AP-29 a called clock has the same alarms", () => {
  const called = { status: "running", seat: 2, ends_at: 100_000 };
  const idle = { status: "idle", seat: null, ends_at: null };
  assert.deepEqual(heard([89_900, table(idle, called)], [90_000, table(idle, called)]), ["ten"]);
});

test("no alarm after a sleep, for another player, or where a clock stood", () => {
  const doc = table({});
  assert.deepEqual(heard([80_000, doc], [95_500, doc]), [null], "slept");
  assert.deepEqual(heard([89_900, doc], [90_100, table({ seat: 6 })]), [null], "another seat");
  assert.deepEqual(heard([89_900, table({ ends_at: null })], [90_100, doc]), [null], "released");
  assert.deepEqual(heard([90_500, doc], [89_900, doc], [90_000, doc]), [null, "ten"], "back in time");
});

// ── places ──────────────────────────────────────────────────────────────────────────────────────

const FORMS = { wide: [1_252, 300, 152, 74], tall: [772, 440, 152, 74], narrow: [374, 280, 90, 64] };

/** Lay the seats out in pixels. */
function laidOut(size, as) {
  const [wide, high, w, h] = FORMS[as];
  const room = as === "narrow" ? Math.max(high, rows(size) * 68) : high;
  return places(size, as).map(({ x, y }) => ({ left: x * (wide - w), top: y * (room - h), w, h, wide, room }));
}

test("every table's seats are on the felt, in order, and none covers another", () => {
  for (const as of Object.keys(FORMS)) {
    for (let size = 2; size <= 12; size += 1) {
      const boxes = laidOut(size, as);
      assert.equal(boxes.length, size);
      for (const [index, one] of boxes.entries()) {
        assert.ok(one.left >= 0 && one.left + one.w <= one.wide && one.top >= 0 && one.top + one.h <= one.room + 0.01);
        for (const other of boxes.slice(index + 1)) {
          const apart = Math.abs(one.left - other.left) >= one.w || Math.abs(one.top - other.top) >= one.h;
          assert.ok(apart, `${as}, ${size} seats: seat ${index + 1} is covered`);
        }
      }
      if (size > 2) assert.ok(boxes[0].left < boxes.at(-1).left, "seat 1 is at the dealer's left");
    }
  }
});

test("the felt's form follows its shape", () => {
  assert.equal(form(1_252, 300), "wide");
  assert.equal(form(772, 440), "tall");
  assert.equal(form(374, 280), "narrow");
});
