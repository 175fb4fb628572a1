// A stage: the wall's own scenes, given documents and an instant by a test. No hub, no clock, no link.

import { clockScene } from "/web/scenes/clock.js";
import { gridScene, lobbyScene } from "/web/scenes/lobby.js";
import { mark, put, refit, show } from "/web/scenes/parts.js";
import { payoutsScene } from "/web/scenes/payouts.js";
import { tableScene } from "/web/scenes/table.js";
import { tablesScene } from "/web/scenes/tables.js";
import { linkWords, timeOfDay } from "/web/words.js";

const SCENES = {
  clock: clockScene, break: clockScene, payouts: payoutsScene, tables: tablesScene, table: tableScene, lobby: lobbyScene, grid: gridScene,
};
const wall = document.querySelector("#wall");
const trust = document.querySelector("#trust");
let last = null;

/** Put a scene up, as it looks at an instant. */
window.play = async ({ scene, documents, now, offset = 0, overlay = false, theme = "classic", since = null, freshness = "fresh" }) => {
  const sheet = document.querySelector("#theme");
  if (!sheet.href.endsWith(`/${theme}.css`)) {
    await new Promise((done) => { sheet.onload = done; sheet.href = `/themes/${theme}.css`; });
  }
  document.documentElement.classList.toggle("overlay", overlay);
  wall.replaceChildren();
  mark(wall, "scene", scene);
  const made = SCENES[scene](wall, { scene, event: "1", events: [], table: 1 });
  const zone = () => offset;
  const link = linkWords(freshness, since, { action: made.action });
  mark(document.documentElement, "freshness", link.freshness);
  show(trust, link.title !== "");
  put(trust.firstElementChild, link.title);
  put(trust.lastElementChild, link.detail);
  last = () => {
    const read = (topic) => documents[topic] ?? null;
    put(made.badge, link.badge);
    made.paint({ read, heard: () => true, now, zone, away: freshness !== "fresh", time: timeOfDay(now, zone) });
  };
  last();
  await window.settle();
};

/** Lay the scene out again, as the wall does when its screen has another size. */
window.settle = async () => {
  await document.fonts.ready;
  await Promise.all(Array.from(document.images, (image) => image.decode()));
  refit(document);
  last?.();
};
window.ready = true;
