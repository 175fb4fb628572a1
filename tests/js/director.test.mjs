// What the director's console works out by itself: words, needs, costs, drafts of a structure.

import assert from "node:assert/strict";
import { register } from "node:module";
import test from "node:test";

register("./paths.mjs", import.meta.url);
const from = (name) => import(`../../dealer_console/web/director/${name}.js`);
const { age, change, readLength, signed, spell } = await from("amounts");
const { KNOWN, nextRedo, nextUndo, tale, undoTale } = await from("tales");
const { found } = await from("search");
const { Ledger, LOST, SLOW } = await from("sent");
const { needs, screenTrouble, silence, spoken, truths, unansweredWords } = await from("needs");
const { bubbleLine, releaseWords, tableHand } = await from("cost");
const plan = await from("plan");
const { bustHands, changes, houseStart, offering, startArgs } = await from("changes");
const { matches } = await from("journallines");
const { allowed } = await from("rights");

const NOW = 1_789_000_000_000;

test("lengths are read as people type them", () => {
  for (const [text, ms] of [["12:30", 750_000], ["5", 300_000], ["1:02:03", 3_723_000], [" 0:45 ", 45_000], ["12.30", 750_000]]) {
    assert.equal(readLength(text), ms, text);
  }
  for (const text of ["", "abc", "1:75", "1:2:3:4", "-5", "1e3", "99999"]) assert.equal(readLength(text), null, text);
});

test("lengths and ages are written shortly", () => {
  assert.equal(change(60_000), "+1:00");
  assert.equal(change(-30_000), "−0:30");
  assert.equal(age(48_999), "0:48");
  assert.equal(age(-5), "0:00");
  assert.equal(age(3_723_000), "1:02:03");
  assert.equal(spell(245), "4 h 05");
  assert.equal(signed(-4), "−4");
});

test("every command has words, and those at a table name it", () => {
  for (const what of KNOWN) {
    const args = { ms: 1, remaining_ms: 1, text: "x", player: "p", chips: 1, level: 2, seat: 3, seconds: 10, places: 3, outcome: "check", code: "KTRMWD", name: "Kim", preset: "apl", role: "dealer", steps: [] };
    assert.equal(typeof tale(what, args), "string");
    assert.doesNotMatch(tale(what, args), /undefined|NaN|\[object/, what);
  }
  assert.equal(tale("action.fold", { table: 7 }), "T7: fold");
  assert.equal(tale("clock.pause", { reason: "fire" }), "pause the room: fire");
  assert.equal(tale("something.new", {}), "something.new");
});

test("an undo means the newest command that holds; a redo the newest undo", () => {
  const undo = [
    { command: "c", do: "undo", args: {}, undone: false },
    { command: "b", do: "clock.pause", args: {}, undone: true },
    { command: "a", do: "clock.start", args: {}, undone: false, text: "start the clock" },
  ];
  assert.equal(nextUndo({ undo }).command, "a");
  assert.equal(undoTale(nextUndo({ undo })), "start the clock");
  assert.equal(nextRedo({ undo }).command, "c");
  // What this page has just done may not be in the list yet; what it has just undone may still be.
  const newest = { command: "d", text: "+1:00 on the clock", do: "clock.add", args: { ms: 60_000 } };
  assert.equal(nextUndo({ undo }, { newest, undone: new Set() }).command, "d");
  assert.equal(nextUndo({ undo }, { newest, undone: new Set(["d"]) }).command, "a");
  assert.equal(nextUndo({ undo }, { newest, undone: new Set(["d", "a"]) }), null);
  assert.equal(nextUndo({ undo: [] }), null);
  assert.equal(nextUndo(null), null);
  // A dealer's tap is another one every second: it is not what a director's undo means.
  const taps = [{ command: "t", do: "action.next", args: { table: 3 }, undone: false, by: "dealer" }, ...undo];
  assert.equal(nextUndo({ undo: taps }).command, "a");
  assert.equal(nextRedo({ undo: taps }).command, "c");
  assert.equal(nextRedo({ undo: undo.slice(1) }), null);
});

test("a few letters find what is meant", () => {
  const all = ["Pause the room", "Announce", "Announce hand-for-hand", "Break now", "Table 12", "Table 2"];
  const best = (query) => found(query, all, (each) => each)[0];
  assert.equal(best("ann"), "Announce");
  assert.equal(best("ann hand"), "Announce hand-for-hand");
  assert.equal(best("table 2"), "Table 2");
  assert.equal(best("brk"), "Break now");
  assert.equal(found("zzz", all, (each) => each).length, 0);
  assert.deepEqual(found("", all, (each) => each), all);
});

test("an act is sent, slow, lost, then confirmed or refused in words", () => {
  const ledger = new Ledger();
  const entry = ledger.add("pause", 1_000);
  assert.equal(ledger.state(entry, 1_000 + SLOW - 1), "sent");
  assert.equal(ledger.state(entry, 1_000 + SLOW), "slow");
  assert.equal(ledger.state(entry, 1_000 + LOST), "lost");
  ledger.settle(entry, "refused", "No clock is running.", 4_000);
  const other = ledger.add("start", 4_000);
  ledger.settle(other, "done", "", 4_100);
  assert.deepEqual(ledger.shown(5_000).map(({ state }) => state), ["done", "refused"]);
  assert.deepEqual(ledger.shown(9_000).map(({ text }) => text), ["No clock is running."]);
  ledger.dismiss(entry.number);
  assert.equal(ledger.shown(9_000).length, 0);
});

const row = (change = {}) => ({ players: 6, size: 9, level: 7, hand: 3, in_progress: true, action: null, called: null, collect: 0, paused: null, floor: null, floor_reason: null, h4h: null, h4h_since: null, ...change });
const device = (change = {}) => ({ id: "d1", name: "T7", role: "dealer", event: "1", table: 7, live: true, last_seen: NOW, report: null, ...change });

test("what needs the director comes by urgency, with how long it has waited", () => {
  const list = needs({
    event: "1",
    doc: { h4h: { status: "off" }, clock: { phase: "level" } },
    tables: { tables: { 4: row({ action: { seat: 5, outcome: "needs_ruling", status: "expired" } }), 9: row({ floor: NOW - 48_000, floor_reason: "string bet" }), 7: row() } },
    duty: { tables: { 7: { name: "T7", silent_since: NOW - 9_000, asking: [] } } },
    devices: { asking: [{ code: "KTRMWD", kind: "wall" }], devices: [device({ live: false }), device({ id: "d2", name: "Bar TV", role: "viewer", table: null, live: false, last_seen: NOW - 12_000 })] },
    hub: { plain: true, build: "1" },
    now: NOW,
  });
  assert.deepEqual(list.map(({ kind }) => kind), ["ruling", "floor", "silent", "code", "screen", "plain"]);
  assert.deepEqual(list[1], { kind: "floor", table: 9, text: "Table 9 floor call", note: "string bet", since: NOW - 48_000, act: "answer", age: 48_000 });
  assert.equal(list[2].age, 9_000);
  assert.equal(list[3].text, "New device KTR-MWD");
  assert.equal(list[4].age, 12_000);
});

test("a device that sends and does not answer the hub is told", () => {
  const odd = device({ unanswered_since: NOW - 12_000 });
  assert.equal(unansweredWords(odd, NOW), "does not answer 0:12");
  for (const well of [device(), undefined, { unanswered_since: null }]) assert.equal(unansweredWords(well, NOW), "");
  const list = needs({ event: "1", devices: { asking: [], devices: [odd, device({ id: "d2" })] }, now: NOW });
  assert.deepEqual(list.map(({ kind, text, age }) => [kind, text, age]), [["unanswered", "T7 does not answer", 12_000]]);
});

test("what was assumed of a silent tablet is told once, with what can be done", () => {
  const assumed = { since: NOW - 20_000, until: NOW - 6_000, taps: 1, tap: "c7", held: 2, text: "tablet silent for 0:14: 1 tap counted from when made and the clock of seat 2 held" };
  const held = { seat: 2, outcome: null, status: "held", interrupted: true };
  const list = needs({ event: "1", doc: null, devices: null, hub: null, now: NOW, tables: { tables: { 7: row({ assumed, action: held }), 8: row({ assumed: null, action: held }) } } });
  assert.deepEqual(list.map(({ kind, table }) => [kind, table]), [["assumed", 7], ["interrupted", 8]]);
  assert.deepEqual(list[0], { kind: "assumed", table: 7, text: "Table 7: seen this?", note: assumed.text, since: NOW - 6_000, act: "seen", tap: "c7", age: 6_000 });
});

test("nothing is needed of an empty room, and many silent tablets are one line", () => {
  assert.deepEqual(needs({ event: null, doc: null, tables: null, devices: null, hub: null, now: null }), []);
  const numbers = [1, 2, 3, 4, 5];
  const list = needs({
    event: "1", doc: null, devices: null, hub: null, now: NOW,
    tables: { tables: Object.fromEntries(numbers.map((each) => [each, row()])) },
    duty: { tables: Object.fromEntries(numbers.map((each) => [each, { name: `T${each}`, silent_since: NOW - each * 1_000, asking: [] }])) },
  });
  assert.equal(list.length, 1);
  assert.equal(list[0].text, "5 tablets silent");
  assert.equal(list[0].age, 5_000);
});

test("a tablet that was let in and is not there is missed even where the hub never heard it", () => {
  const gone = new Map([["d1", NOW - 3_000]]);
  assert.deepEqual(silence(7, null, [device({ live: false })], "1", gone), { name: "T7", since: NOW - 3_000 });
  assert.equal(silence(7, null, [device()], "1", gone), null);
  assert.equal(silence(8, null, [device({ live: false })], "1", gone), null);
});

test("a screen that is late, unsure or old says so", () => {
  const screen = (report) => device({ role: "viewer", report });
  assert.equal(screenTrouble(screen({ skew: 4, uncertainty: 3, build: "1" }), "1"), "");
  assert.equal(screenTrouble(screen({ skew: 180, uncertainty: 3, build: "1" }), "1"), "paints 180 ms late");
  assert.equal(screenTrouble(screen({ skew: 0, uncertainty: 900, build: "1" }), "1"), "time unsure, ±900 ms");
  assert.equal(screenTrouble(screen({ skew: 0, uncertainty: 3, build: "0" }), "1"), "old page");
  assert.equal(spoken("KTRMWD"), "KTR-MWD");
});

test("the banner says what happened, what was assumed, and what can be done", () => {
  const gap = { id: 3, kind: "restart", ms: 12_000, text: "The hub was restarted: 12.0 s are missing.", given: ["2"] };
  const events = [{ id: "1", name: "Main", status: "running" }, { id: "2", name: "Side", status: "running" }, { id: "3", name: "Old", status: "finished" }];
  const list = truths({ hub: { storage: "disk full", gaps: [gap, { ...gap, id: 4, kind: "step", given: [] }] }, events, freshness: "coasting", silentFor: 4_000 });
  assert.deepEqual(list.map(({ key }) => key), ["link", "storage", "gap-3", "gap-4"]);
  assert.deepEqual(list[2].acts, [{ event: "1", name: "Main", ms: 12_000 }]);
  assert.deepEqual(list[3].acts, []);
  assert.deepEqual(truths({ hub: { storage: null, gaps: [] }, freshness: "fresh" }), []);
});

const bubble = (h4h = {}, clock = {}) => ({
  h4h: { status: "holding", hand: 4, tables: { 1: "done", 2: "all_in", 3: "playing" }, unit: "hand", policy: "run_to_cap", cost_ms: 180_000, next_cost_ms: 180_000, after: null, soft: false, to_money: 2, ...h4h },
  clock: { ends_at: null, remaining_ms: 378_000, level: 7, ...clock },
  field: { to_money: 2 },
});

test("SB-19: releasing a hand says what it costs and what the clock will read", () => {
  assert.deepEqual(releaseWords(bubble(), NOW), { words: "Release hand 5", cost: "−3:00 → 03:18" });
  assert.equal(releaseWords(bubble({ after: { phase: "level", level: 8, remaining_ms: 1_140_000 } }), NOW).cost, "−3:00 → L8 19:00");
  assert.equal(releaseWords(bubble({}, { remaining_ms: 60_000 }), NOW).cost, "−3:00 → next level");
  assert.equal(releaseWords(bubble({}, { remaining_ms: null, ends_at: NOW + 200_000 }), NOW).cost, "−3:00 → 00:20");
  assert.equal(releaseWords(bubble({}, { remaining_ms: null, ends_at: NOW }), null).cost, "−3:00");
});

test("AT-3.11.3: where the clock runs on, nothing is taken off", () => {
  assert.equal(releaseWords(bubble({ policy: "run_on" }), NOW).cost, "no time is taken off");
});

test("AT-3.11.4: a round costs what its longest orbit costs", () => {
  const said = releaseWords(bubble({ unit: "round", policy: "deduct", cost_ms: 120_000, next_cost_ms: 360_000, after: { phase: "level", level: 7, remaining_ms: 18_000 } }), NOW);
  assert.deepEqual(said, { words: "Release round 5", cost: "−6:00 → 00:18" });
});

test("SB-30: hand-for-hand in a line counts what is done and what is held", () => {
  assert.equal(bubbleLine(bubble()), "hand 4 · 1 of 3 done · 1 all-in held · 2 from the money");
  assert.equal(bubbleLine(bubble({ hand: 0, to_money: 0, soft: true })), "finish this hand, then hold · 1 of 3 done · 1 all-in held · in the money · soft");
  assert.equal(tableHand(row({ h4h: "playing", h4h_since: NOW - 102_000 }), NOW), "… playing 1:42");
  assert.equal(tableHand(row({ h4h: "done", h4h_since: NOW - 9_000 }), NOW), "✓ done");
});

const structure = {
  step: 1,
  editable_from: 1,
  steps: [
    { phase: "level", level: 1, small: 100, big: 100, ante: 100, minutes: 20, hands: null, colour_up: [], state: "past" },
    { phase: "level", level: 2, small: 100, big: 200, ante: 200, minutes: 20, hands: null, colour_up: [], state: "now" },
    { phase: "break", level: 2, small: null, big: null, ante: null, minutes: 15, hands: null, colour_up: [25], state: "ahead" },
    { phase: "level", level: 3, small: 200, big: 400, ante: 400, minutes: 20, hands: null, colour_up: [], state: "ahead" },
  ],
};

test("the journal is looked through by table, seat, person and words", () => {
  const line = { what: "action.bank", kind: "command", places: [[7, 5], [3, null]], who: "Ana", device: "d4", text: "Table 7, seat 5: 1 time-bank chip played" };
  for (const [wanted, expected] of [
    [{}, true], [{ table: "7" }, true], [{ table: "3" }, true], [{ table: "4" }, false], [{ seat: "5" }, true], [{ seat: "6" }, false],
    [{ who: "ana" }, true], [{ who: "D4" }, true], [{ who: "bob" }, false], [{ words: "BANK" }, true], [{ words: "fold" }, false], [{ calm: true }, false],
  ]) assert.equal(matches(line, wanted), expected, JSON.stringify(wanted));
  assert.equal(matches({ ...line, what: "action.ruling" }, { calm: true }), true);
  assert.equal(matches({ ...line, what: "action.expired", kind: "time" }, { calm: true }), true);
});

test("a draft has the steps from the current one on, and goes back as the hub takes it", () => {
  const steps = plan.draft(structure);
  assert.deepEqual(plan.command(steps), [
    { small: 100, big: 200, ante: 200, minutes: 20 },
    { phase: "break", colour_up: [25], minutes: 15 },
    { small: 200, big: 400, ante: 400, minutes: 20 },
  ]);
  assert.equal(plan.wrong(steps), "");
  assert.equal(plan.same(steps, plan.draft(structure)), true);
});

test("the current step stays first; others are moved, added and taken out", () => {
  const steps = plan.draft(structure);
  assert.equal(plan.moved(steps, 0, 2), steps);
  assert.equal(plan.moved(steps, 1, 0), steps);
  assert.deepEqual(plan.moved(steps, 1, 2).map(({ phase }) => phase), ["level", "level", "break"]);
  assert.equal(plan.removed(steps, 0), steps);
  assert.equal(plan.removed(steps, 1).length, 2);
  const more = plan.levelAfter(steps, 0);
  assert.deepEqual([more[1].small, more[1].big, more[1].ante], [150, 300, 300]);
  const last = plan.levelAfter(steps, 2).at(-1);
  assert.deepEqual([last.small, last.big], [300, 600]);
  assert.equal(new Set(plan.breakAfter(more, 1).map(({ id }) => id)).size, 5);
});

test("EP-L: the end is worked out as lengths are changed, what was played being kept", () => {
  const steps = plan.draft(structure);
  const { rows, ends_at: end } = plan.timeline(steps, 2, 300_000, NOW);
  assert.deepEqual(rows.map(({ level }) => level), [2, null, 3]);
  assert.deepEqual(rows.map(({ starts_at: at }) => at), [null, NOW + 900_000, NOW + 1_800_000]);
  assert.equal(end, NOW + 3_000_000);
  assert.equal(plan.timeline(plan.changed(steps, 0, { minutes: 30 }), 2, 300_000, NOW).ends_at, NOW + 3_600_000);
  assert.equal(plan.timeline(plan.changed(steps, 1, { minutes: null }), 2, 0, NOW).ends_at, null);
});

test("a level may count hands, and its minutes are there again when it does not", () => {
  const steps = plan.draft(structure);
  const counted = plan.withHands(steps, 2, 12);
  assert.deepEqual(plan.command(counted)[2], { small: 200, big: 400, ante: 400, hands: 12 });
  assert.equal(plan.timeline(counted, 2, 0, NOW).ends_at, null);
  assert.equal(counted[2].minutes, 20);
  assert.deepEqual(plan.command(plan.withHands(counted, 2, null)), plan.command(steps));
  // Minutes that are typed into a level of hands are meant: it lasts for minutes from then on.
  assert.deepEqual(plan.command(plan.withMinutes(counted, 2, 25))[2], { small: 200, big: 400, ante: 400, minutes: 25 });
  assert.deepEqual(plan.command(plan.withMinutes(counted, 2, null))[2].hands, 12);
  assert.deepEqual(plan.command(plan.withMinutes(steps, 1, null))[1], { phase: "break", colour_up: [25] });
  assert.match(plan.wrong(plan.withHands(steps, 2, 0)), /hands are counted from 1/);
  assert.match(plan.wrong(plan.changed(counted, 2, { hands: null, minutes: null })), /needs minutes or hands/);
});

test("a form that nobody touched changes nothing", () => {
  const opened = { scene: "clock,tables", event: null, table: null, rotate: 90, sound: null, blackout: false };
  assert.equal(changes(opened, { ...opened }), null);
  assert.deepEqual(changes(opened, { ...opened, blackout: true, scene: null }), { scene: null, blackout: true });
  assert.deepEqual(offering([["", "none"], ["clock", "clock"]], "clock,tables").at(-1), ["clock,tables", "clock,tables"]);
  assert.equal(offering([["", "none"], ["clock", "clock"]], "clock").length, 2);
  assert.equal(offering([["", "none"]], "").length, 1);
});

test("the house's own start is shown, kept, changed or cleared", () => {
  const noon = new Date(2026, 8, 9, 12, 0).getTime();
  assert.equal(houseStart("12:30", noon), "2026-09-09T12:30");
  assert.equal(houseStart("11:30", noon), ""); // half an hour late: the director starts by hand
  assert.equal(houseStart("05:30", noon), "2026-09-10T05:30");
  assert.equal(houseStart(null, noon), "");
  assert.deepEqual(startArgs("2026-09-09T12:30", "2026-09-09T12:30"), {});
  assert.deepEqual(startArgs("2026-09-09T12:30", ""), { starts_at: null });
  assert.deepEqual(startArgs("", "2026-09-09T13:00"), { starts_at: noon + 3_600_000 });
  assert.deepEqual(startArgs("", ""), {});
});

test("a bust may be of the hand-for-hand hand before this one", () => {
  assert.deepEqual(bustHands({ status: "off", hand: 0 }), []);
  assert.deepEqual(bustHands({ status: "announced", hand: 0 }), []);
  assert.deepEqual(bustHands({ status: "playing", hand: 1 }), [["", "this hand (1)"], ["0", "previous hand (the announced one)"]]);
  assert.deepEqual(bustHands({ status: "holding", hand: 3 }), [["", "this hand (3)"], ["2", "previous hand (2)"]]);
});

test("a draft that the hub would refuse says why", () => {
  const steps = plan.draft(structure);
  assert.match(plan.wrong(plan.changed(steps, 2, { small: 900 })), /line 3.*small blind/);
  assert.match(plan.wrong(plan.changed(steps, 2, { minutes: null })), /needs minutes/);
  assert.match(plan.wrong(plan.changed(steps, 2, { big: null })), /needs blinds/);
  assert.equal(plan.wrong(plan.changed(steps, 1, { minutes: null })), "");
});

test("a director may do everything, the floor what it is allowed, others nothing", () => {
  assert.equal(allowed("director", "event.create"), true);
  assert.equal(allowed("floor", "clock.pause"), true);
  assert.equal(allowed("floor", "level.next"), false);
  assert.equal(allowed("dealer", "action.next"), false);
});
