// The words of a wall, and which sounds are due: what every screen must say and never say twice.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { chosen, Heard, moment, signals } from "../../display/web/sound.js";
import {
  boardWords, eventWords, grouped, linkWords, lobbyWords, ordinal, standing, tableWords, timeOfDay, when,
} from "../../display/web/words.js";

const NOW = 1_789_000_000_000;
const NEXT = {
  phase: "level", level: 8, small: 500, big: 1_000, ante: 1_000, minutes: 20, length_ms: 1_200_000, colour_up: [],
};
const BREAK = {
  phase: "break", level: 7, small: null, big: null, ante: null, minutes: 15, length_ms: 900_000, colour_up: [100],
};

const clock = (change = {}) => ({
  status: "running", phase: "level", level: 7, small: 400, big: 800, ante: 800, ends_at: NOW + 754_000,
  remaining_ms: 754_000, length_ms: 1_200_000, next: NEXT, next_break_ms: 4_354_000, colour_up: [], hands: null,
  reason: null, starts_at: null, resumes_at: null, hard_stop_at: null, ...change,
});
const OFF = {
  status: "off", hand: 0, tables: {}, pending: 0, policy: null, cost_ms: 0, unit: "hand", soft: false, reason: null, to_money: null,
};
const event = (change = {}, rest = {}) => ({
  now: NOW, name: "Saturday", house: "Star", clock: clock(change), notices: [], h4h: OFF, announcement: null,
  registration: { open: true, closes_at_level: 11, closes_in_ms: 5_254_000 },
  field: { entries: 84, left: 61, tables: 7, average_stack: 55_082, chips_in_play: 1, to_money: 50, finishes: [] },
  action_clock: { seconds: 20, chips: 4, chip_seconds: 20 }, called_clock: { seconds: 30, countdown: 5, choices: [] }, ...rest,
});
const stood = (change = {}) => event({ status: "paused", ends_at: null, ...change });

test("playing says all that a player looks for", () => {
  const words = eventWords(event(), NOW);
  assert.deepEqual(
    [words.state, words.title, words.digits, words.blinds, words.ante],
    ["playing", "", "12:34", "400 / 800", "ante 800"],
  );
  assert.deepEqual(words.left.map(({ label, value }) => [label, value]), [
    ["level", "7"], ["break in", "1:12:34"], ["entry closes", "1:27:34"],
  ]);
  assert.deepEqual(words.right[1], { label: "average", value: "55,082", note: "69 big blinds" });
  assert.deepEqual(words.cards[0], { label: "next · level 8", value: "500 / 1,000", note: "ante 1,000" });
  assert.equal(words.foot.text, "Action clock: 20 seconds · 4 time-bank chips of 20 seconds");
});

test("everything that counts down counts down together", () => {
  const words = eventWords(event(), NOW + 1_000);
  assert.equal(words.digits, "12:33");
  assert.deepEqual(words.left.slice(1).map(({ value }) => value), ["1:12:33", "1:27:33"]);
  assert.equal(eventWords(event(), NOW + 1_400).flip, 600);
});

for (const [name, doc, state, title, detail, digits] of [
  ["last minute", event({ ends_at: NOW + 60_000 }), "last-minute", "LAST MINUTE", "level 7", "1:00"],
  ["a second before it", event({ ends_at: NOW + 60_001 }), "playing", "", "", "1:01"],
  ["paused", stood({ reason: "table 9" }), "paused", "PAUSED", "table 9", "12:34"],
  ["hard stop", stood({ reason: "hard_stop" }), "hard-stop", "HARD STOP", "the clock stands", "12:34"],
  ["break", event({ phase: "break" }), "break", "BREAK", "play resumes at 00:39 · level 8", "12:34"],
  ["a break without a length", event({ phase: "break", ends_at: null, remaining_ms: null, length_ms: null }),
    "break", "BREAK", "until the director calls · level 8", "BREAK"],
  ["not started", event({ status: "waiting", ends_at: null }), "waiting", "NOT STARTED", "", ""],
  ["waiting", event({ status: "waiting", ends_at: null, starts_at: NOW + 600_000 }), "waiting", "STARTS AT 00:36", "", "10:00"],
  ["suspended", event({ status: "suspended", ends_at: null, resumes_at: NOW + 86_400_000 }),
    "suspended", "SUSPENDED", "back tomorrow 00:26", "24:00:00"],
  ["finished", event({ status: "finished", ends_at: null }), "finished", "FINISHED", "84 players", ""],
]) {
  test(`state: ${name}`, () => {
    const words = eventWords(doc, NOW);
    assert.deepEqual([words.state, words.title, words.detail, words.digits], [state, title, detail, digits]);
  });
}

test("hand-for-hand says the hand, the tables and the money, and that the clock is held", () => {
  const tables = Object.fromEntries(Array.from({ length: 14 }, (_, n) => [n + 1, n < 11 ? "done" : "playing"]));
  const h4h = { ...OFF, status: "playing", hand: 4, tables, to_money: 2 };
  const held = eventWords({ ...stood({ reason: "hand_for_hand" }), h4h }, NOW);
  assert.deepEqual([held.state, held.title, held.caption], ["hand-for-hand", "HAND FOR HAND", "clock held"]);
  assert.equal(held.detail, "hand 4 · 11 of 14 tables done · 2 from the money");
  assert.equal(eventWords({ ...event(), h4h }, NOW).caption, "");
  assert.equal(eventWords({ ...stood({ reason: "fire" }), h4h }, NOW).state, "paused");
  const round = { ...h4h, unit: "round", hand: 0, to_money: 0 };
  assert.match(eventWords({ ...event(), h4h: round }, NOW).detail, /^after this hand · .* · in the money$/);
});

test("a winner is named only where one is known", () => {
  const field = (left, finishes) => ({ ...event().field, left, finishes });
  const over = (left, finishes) => event({ status: "finished", ends_at: null }, { field: field(left, finishes) });
  const second = { player: "p2", name: "Bo", place: 2, shared: 1 };
  assert.deepEqual(eventWords(over(1, [second]), NOW).winners, []);
  assert.deepEqual(eventWords(over(1, [second]), NOW, { last: "Ana" }).winners, ["Ana"]);
  assert.deepEqual(eventWords(over(2, [second]), NOW, { last: "Ana" }).winners, []);
  assert.deepEqual(eventWords(over(1, [second]), NOW).cards, [{ label: "2nd", value: "Bo", note: "" }]);
});

test("a screen without the hub takes the announced step, once, and guesses nothing", () => {
  const end = NOW + 754_000;
  const away = { away: true };
  const next = eventWords(event(), end + 1_000, away);
  assert.deepEqual([next.level, next.digits, next.blinds, next.next], [8, "19:59", "500 / 1,000", null]);
  assert.deepEqual(next.left.map(({ label }) => label), ["level", "entry closes"]);
  const broken = eventWords(event({ next: BREAK }), end, away);
  assert.deepEqual([broken.state, broken.digits, broken.chips], ["break", "15:00", [100]]);
  assert.equal(eventWords(event(), end + 1_300_000, away).digits, "0:00");
  assert.equal(eventWords(event(), end).digits, "0:00"); // the hub is there and will say
  assert.equal(eventWords(event(), end + 400).level, 8); // it did not
});

test("a break that waits for a hand is not taken by the screen", () => {
  const h4h = { ...OFF, status: "playing", hand: 1 };
  assert.equal(standing({ ...event({ next: BREAK }), h4h }, NOW + 800_000, true).phase, "level");
});

test("a scheduled start and a hard stop come on time without the hub", () => {
  const doc = event({ status: "waiting", ends_at: null, starts_at: NOW + 5_000 });
  assert.equal(eventWords(doc, NOW + 6_000, { away: true }).digits, "12:33");
  const stop = eventWords(event({ hard_stop_at: NOW + 4_000 }), NOW + 9_000, { away: true });
  assert.deepEqual([stop.state, stop.digits], ["hard-stop", "12:30"]);
  const ahead = eventWords(event({ hard_stop_at: NOW + 600_000 }), NOW).cards[1];
  assert.deepEqual(ahead, { label: "hard stop", value: "00:36", note: "in 10:00" });
});

test("until hub time is known a running clock has no digits", () => {
  assert.equal(eventWords(event(), null).digits, "–:––");
  assert.equal(eventWords(stood(), null).digits, "12:34");
});

test("an announcement comes before everything else at the foot", () => {
  assert.deepEqual(eventWords(event({}, { announcement: "Dinner" }), NOW).foot, { text: "Dinner", announced: true });
  assert.equal(eventWords(event({}, { notices: ["last_level"] }), NOW).foot.text, "Last level");
});

test("numbers, places and times of day", () => {
  assert.deepEqual([0, 999, 1_000, 1_234_567_890].map(grouped), ["0", "999", "1,000", "1,234,567,890"]);
  assert.deepEqual([1, 2, 3, 4, 11, 12, 13, 21, 111].map(ordinal), ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "111th"]);
  assert.equal(timeOfDay(NOW, () => 600), "10:26");
  assert.equal(timeOfDay(NOW, () => -60), "23:26");
  assert.equal(when(NOW + 86_400_000 * 3, NOW), "in 3 days, 00:26");
});

test("a line of the lobby", () => {
  const words = lobbyWords(event(), NOW);
  assert.deepEqual([words.status, words.line, words.players], ["PLAYING", "level 7 · 400 / 800 · ante 800", "61 of 84"]);
});

// ── a table ─────────────────────────────────────────────────────────────────────────────────────

const IDLE = {
  status: "idle", seat: null, remaining_ms: null, ends_at: null, on_bank: 0, used: 0, facing_bet: null, outcome: null, interrupted: false,
};
const table = (action = {}, rest = {}) => ({
  now: NOW, table: 7, level: 7, small: 400, big: 800, ante: 800, next_hand: null,
  hand: { number: 12, in_progress: true, button: 1, street: "flop", facing_bet: true, turn: 5 }, size: 3,
  seats: {
    1: { player: "a", name: "Paz", bank: 4, in_hand: true, limit_s: null },
    2: { player: "b", name: "Ng", bank: 1, in_hand: false, limit_s: null },
  },
  action: { ...IDLE, ...action }, called: { status: "off", seat: null, remaining_ms: null, ends_at: null, outcome: null },
  collect: [], paused: false, floor: null, h4h: null, ...rest,
});

for (const [name, action, word, digits, urgent] of [
  ["running", { status: "running", seat: 1, ends_at: NOW + 14_000 }, "", "0:14", ""],
  ["ten", { status: "running", seat: 1, ends_at: NOW + 10_000 }, "", "0:10", "ten"],
  ["five, on the bank", { status: "running", seat: 1, ends_at: NOW + 5_000, on_bank: 1 }, "TIME BANK", "0:05", "five"],
  ["zero", { status: "running", seat: 1, ends_at: NOW }, "TIME", "0:00", "zero"],
  ["held", { status: "held", seat: 1, remaining_ms: 14_000 }, "HELD", "0:14", ""],
  ["dead", { status: "expired", seat: 1, remaining_ms: 0, outcome: "dead" }, "DEAD HAND", "", "zero"],
  ["check", { status: "expired", seat: 1, remaining_ms: 0, outcome: "check" }, "CHECK", "", "zero"],
  ["unheard", { status: "expired", seat: 1, remaining_ms: 0, outcome: "needs_ruling" }, "FLOOR RULES", "", "zero"],
]) {
  test(`action clock: ${name}`, () => {
    const { clock: found } = tableWords(table(action), NOW);
    assert.deepEqual([found.word, found.digits, found.urgent], [word, digits, urgent]);
  });
}

test("seats with their time banks", () => {
  const { seats, clock: found, whose } = tableWords(table(), NOW, { chips: 4 });
  assert.deepEqual(seats.map(({ bank, spent, empty, folded }) => [bank, spent, empty, folded]), [
    [4, 0, false, false], [1, 3, false, true], [undefined, undefined, true, undefined],
  ]);
  assert.deepEqual([found, whose], [null, ""]);
});

test("the board of tables", () => {
  const row = { players: 8, size: 9, floor: null, paused: false, h4h: null };
  const words = boardWords({ tables: { 10: row, 9: { ...row, players: 9, h4h: "playing" } } });
  assert.deepEqual(words.map(({ table: number, free, word }) => [number, free, word]), [[9, "full", "playing"], [10, "1 seat free", ""]]);
});

test("a screen says how far it can be trusted", () => {
  assert.equal(linkWords("fresh", null).badge, "live");
  assert.equal(linkWords("coasting", 12_900).badge, "hub away · 0:12");
  assert.equal(linkWords("coasting", 1_999, { action: true }).title, "");
  assert.equal(linkWords("coasting", 2_000, { action: true }).title, "HUB NOT HEARD");
  assert.equal(linkWords("stale", 300_000).title, "DO NOT TRUST THIS CLOCK");
  assert.equal(linkWords("stale", null, { reached: false }).title, "NO HUB");
  assert.equal(linkWords("fresh", null, { closed: "revoked" }).detail, "revoked");
});

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

test("nothing on a wall is ever interpreted as markup or code", () => {
  const files = ["wall.js", "words.js", "sound.js", "legacy.js", ...["parts", "face", "clock", "lobby", "tables", "table"].map((name) => `scenes/${name}.js`)];
  for (const file of files) {
    const source = readFileSync(new URL(`../../display/web/${file}`, import.meta.url), "utf-8");
    assert.doesNotMatch(source, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function/);
  }
});
