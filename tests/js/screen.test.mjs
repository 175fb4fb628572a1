// What a screen is to show, from the hub or from its address, and when it may load itself again.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";

import { choice, fromAddress, isBare, mayReload, sameScenes, THEME } from "../../display/web/screen.js";

const KNOWN = ["clock", "break", "tables", "table", "lobby", "grid"];
const address = (query) => new URLSearchParams(query);
const shown = (query) => choice(fromAddress(address(query)), KNOWN);
const NOW = 1_789_000_000_000;

test("an address that names nothing to show is bare", () => {
  assert.equal(isBare(address("")), true);
  assert.equal(isBare(address("theme=midnight&sound=all")), true);
  for (const query of ["event=1", "scene=clock", "table=7", "overlay=1"]) assert.equal(isBare(address(query)), false);
});

test("an address says what the hub could say", () => {
  assert.deepEqual(shown(""), {
    scenes: ["clock"], events: [], table: 1, theme: THEME, sound: null, rotate: 0, blackout: false, trim: 0, turn: 20_000,
  });
  assert.deepEqual(shown("event=1,3&scene=clock, tables&turn=15&rotate=270&trim=-40&theme=midnight&sound=all"), {
    scenes: ["clock", "tables"], events: ["1", "3"], table: 1, theme: "midnight", sound: "all", rotate: 270, blackout: false,
    trim: -40, turn: 15_000,
  });
  assert.deepEqual([shown("table=7").scenes, shown("table=7").table], [["table"], 7]);
  assert.deepEqual([shown("scene=table=9").scenes, shown("scene=table=9").table], [["table"], 9]);
});

test("what makes no sense is left out", () => {
  const odd = shown("scene=bingo,tables&theme=../x&rotate=45&turn=0.1&trim=much");
  assert.deepEqual([odd.scenes, odd.theme, odd.rotate, odd.turn, odd.trim], [["tables"], THEME, 0, 3_000, 0]);
  assert.deepEqual(shown("scene=bingo").scenes, ["clock"]);
});

test("settings of the hub are taken as they are", () => {
  const settings = { scene: "lobby", event: null, table: null, theme: null, sound: "level", rotate: 90, blackout: true, trim: 12, turn: null };
  const found = choice(settings, KNOWN);
  assert.deepEqual([found.scenes, found.events, found.rotate, found.blackout, found.trim], [["lobby"], [], 90, true, 12]);
});

test("only other scenes, events or tables build a screen anew", () => {
  assert.equal(sameScenes(shown("event=1"), shown("event=1&theme=midnight&rotate=90&sound=all")), true);
  for (const query of ["event=2", "event=1&scene=lobby", "event=1&scene=clock,tables"]) {
    assert.equal(sameScenes(shown("event=1"), shown(query)), false);
  }
});

test("a page loads itself again only when nobody waits for a clock", () => {
  const clock = (ms) => ({ ends_at: ms === null ? null : NOW + ms });
  assert.equal(mayReload([clock(60_000), clock(null)], NOW, 60_000), true);
  assert.equal(mayReload([], NOW, 60_000), true);
  assert.equal(mayReload([clock(60_000), clock(15_000)], NOW, 60_000), false); // the last seconds
  assert.equal(mayReload([clock(-1_000)], NOW, 60_000), false); // the signal is still ringing
  assert.equal(mayReload([clock(-4_000)], NOW, 60_000), true);
  assert.equal(mayReload([], NOW, 5_000), false); // it has just been loaded: never in a circle
});

test("no page ever interprets a name as markup or code", () => {
  const folder = new URL("../../display/web/", import.meta.url);
  const scripts = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".js"));
  assert.ok(scripts.length > 10);
  for (const name of scripts) {
    const source = readFileSync(new URL(name, folder), "utf-8");
    assert.doesNotMatch(source, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function/, name);
  }
});
