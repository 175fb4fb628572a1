// The words of walls and tables, held to the vectors that display/*.py is held to as well.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { lobbyWords, standing, wallWords } from "../../display/web/scenes.js";
import { boardWords, tableWords } from "../../display/web/table.js";
import { dayAndTime, grouped, linkWords, place, timeOfDay } from "../../display/web/words.js";

const vectors = (name) => JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), "utf-8"));
const wall = vectors("wall");
const tables = vectors("table");
const looked = ({ document, now, away, offset }, later = 0) =>
  wallWords(wall.documents[document], now === null ? null : now + later, { zone: () => offset, away });

for (const each of wall.cases) {
  test(`wall: ${each.name}`, () => assert.deepEqual(looked(each), each.expect));
}
for (const { name, document, now, rule, expect } of tables.cases) {
  test(`table: ${name}`, () => assert.deepEqual(tableWords(document, now, rule), expect));
}
for (const { name, document, expect } of tables.boards) {
  test(`board: ${name}`, () => assert.deepEqual(boardWords(document), expect));
}
for (const { link: { freshness, since, ...rest }, expect } of wall.links) {
  test(`link: ${expect.badge} ${expect.title}`, () => assert.deepEqual(linkWords(freshness, since, rest), expect));
}

test("up to the repaint that is announced nothing on the screen changes", () => {
  const said = ({ repaint_in: _, progress: __, ...words }) => words;
  for (const each of wall.cases.filter(({ now }) => now !== null)) {
    assert.deepEqual(said(looked(each, each.expect.repaint_in - 1)), said(each.expect), each.name);
  }
});

test("a break that waits for a hand is not taken by the screen", () => {
  const doc = wall.documents["h4h playing"];
  assert.equal(standing(doc, doc.clock.ends_at + 60_000, true), doc.clock);
});

test("numbers, places and times of day", () => {
  const instant = 1_789_000_000_000;
  assert.deepEqual([0, 999, 1_000, 1_234_567_890].map(grouped), ["0", "999", "1,000", "1,234,567,890"]);
  assert.deepEqual([1, 2, 3, 4, 11, 12, 13, 21, 111].map(place), ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "111th"]);
  assert.equal(timeOfDay(instant, () => 600), "10:26");
  assert.equal(timeOfDay(instant, () => -60), "23:26");
  assert.equal(dayAndTime(instant + 86_400_000 * 3, instant), "in 3 days at 00:26");
});

test("a line of the lobby", () => {
  const line = (name, at = null) => lobbyWords(wall.documents[name], at ?? wall.documents[name].now);
  const said = ({ status, detail, line: text, count }) => [status, detail, text, count];
  assert.deepEqual(said(line("level 6")), ["PLAYING", "", "level 7 · 400 / 800", "57 of 80"]);
  assert.deepEqual(said(line("paused")), ["PAUSED", "floor decision, table 9", "level 7 · 400 / 800", "57 of 80"]);
  assert.deepEqual(said(line("finished")), ["FINISHED", "1-1", "", "1 of 3"]);
});

test("nothing on a wall is ever interpreted as markup or code", () => {
  const scenes = ["parts", "face", "clock", "lobby", "tables", "table", "payouts"].map((name) => `scenes/${name}.js`);
  for (const file of ["wall.js", "words.js", "scenes.js", "table.js", "sound.js", "legacy.js", "phone.js", "flash.js", ...scenes]) {
    const source = readFileSync(new URL(`../../display/web/${file}`, import.meta.url), "utf-8");
    assert.doesNotMatch(source, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function/);
  }
});
