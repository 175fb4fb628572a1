// The board: every table at a glance, and hand-for-hand above it.

import { act } from "./acts.js";
import { age, paceWords } from "./amounts.js";
import { actionWords, remaining } from "./clockface.js";
import { bubbleLine, policyWords, releaseWords, tableHand } from "./cost.js";
import { floorCall, silence, unansweredWords } from "./needs.js";
import { button, el, mark, put, relabel, rows, show } from "./parts.js";

/** Say the one thing that matters about a table now: how it is marked, and in what words. */
export function tileState(row, now) {
  const call = floorCall(row);
  if (row.action?.outcome === "needs_ruling") return { look: "ruling", words: row.action.seat === null ? "RULING" : `RULING · seat ${row.action.seat}`, does: "Rule" };
  if (call) return { look: "floor", words: `⚑ floor called ${now === null ? "" : age(now - call.since)}`, does: "Answer" };
  if (row.paused) return { look: "paused", words: `❚❚ ${row.paused === true ? "paused" : row.paused}`, does: "Resume" };
  if (row.h4h === "all_in") return { look: "allin", words: tableHand(row, now), does: "Run out" };
  if (row.called) return { look: "called", words: "clock called", does: "" };
  if (row.h4h) return { look: ["done", "ahead_done"].includes(row.h4h) ? "done" : "playing", words: tableHand(row, now), does: "" };
  return { look: row.in_progress ? "playing" : "idle", words: row.in_progress ? `hand ${row.hand}` : row.hand > 0 ? "between hands" : "no hand yet", does: "" };
}

/** Say for how long a table's tablet has not been heard. */
export function quietWords(quiet, now) {
  if (!quiet) return "";
  return quiet.since === null || now === null ? "◌ tablet silent" : `◌ tablet silent ${age(now - quiet.since)}`;
}

/** Say whose time runs at a table, and how much of it is left. */
export function tileClock(row, now) {
  const clock = row.called ?? row.action;
  if (!clock) return null;
  const left = clock.ends_at === null || now === null ? null : remaining(clock, now);
  return {
    whose: clock.seat === null ? "to act" : `seat ${clock.seat}${clock.name ? ` ${clock.name}` : ""}`,
    time: actionWords(clock, now),
    chips: "●".repeat(Math.min(clock.bank ?? 0, 8)),
    look: left !== null && left <= 5_000 ? "five" : "",
  };
}

/** Say what else is known: the level of the hand, players, dealer, pace. */
export function tileFoot(row, level, dealer = "") {
  return [
    row.level !== null && (row.level === level ? `L${row.level}` : `still L${row.level}`),
    `${row.players}/${row.size}`,
    row.collect > 0 && `collect ${row.collect}`,
    dealer,
    paceWords(row.pace_ms),
  ].filter(Boolean).join(" · ");
}

function paintTurn(node, chips, clock) {
  show(node, clock !== null);
  put(chips, clock?.chips ? `${clock.chips} ` : "");
  if (clock === null) return;
  put(node.firstChild, clock.whose);
  put(node.lastChild, clock.time);
  mark(node, "look", clock.look);
}

function quickAct(app, table, look) {
  if (look === "floor") app.room.act("floor.clear", { table });
  else if (look === "paused") app.room.act("table.resume", { table });
  else if (look === "allin") app.room.act("h4h.runout", { table });
  else app.drawer.open(table);
}

/** Make the band of hand-for-hand. */
export function bubbleBand(app) {
  const end = button("End", () => act("endbubble").run(app), { key: "H" });
  const next = button("", () => act("release").run(app), { kind: "primary", key: "h" });
  const title = el("b");
  const host = el("section", "bubble", el("p", "", title, el("span")), el("p", "policy"), el("div", "does", end, next));
  host.paint = (doc, now) => {
    const on = doc !== null && doc.h4h.status !== "off";
    show(host, on);
    if (!on) return;
    const { words, cost } = releaseWords(doc, now);
    put(title, doc.h4h.unit === "round" ? "ROUND FOR ROUND" : "HAND FOR HAND");
    put(title.nextSibling, ` · ${bubbleLine(doc)}`);
    put(host.querySelector(".policy"), [policyWords(doc.h4h.policy), doc.h4h.reason].filter(Boolean).join(" · "));
    const holding = doc.h4h.status === "holding";
    relabel(next, holding || doc.h4h.status === "playing" ? `${words} (${cost})` : "Wait for the tables");
    next.disabled = !holding || doc.clock.phase === "break" || !app.room.may("h4h.next");
    end.disabled = !app.room.may("h4h.end");
    mark(host, "ready", !next.disabled);
  };
  return host;
}

/** Make the board. */
export function tablesView(app) {
  const band = bubbleBand(app);
  const grid = el("div", "grid");
  const why = el("p");
  const seat = button("Open tables and seat players", () => app.show("players"), { kind: "primary" });
  const create = button("Create an event", () => act("create").run(app), { kind: "primary", key: "E" });
  const empty = el("div", "empty", why, seat, create);
  const host = el("div", "tables", band, grid, empty);

  function make([number]) {
    const table = Number(number);
    const tile = el("article", "tile", el("h3"), el("p", "now"), el("p", "turn", el("span"), el("b")), el("p", "quiet"), el("p", "foot", el("span", "chips"), el("span")));
    tile.tabIndex = 0;
    put(tile.firstChild, number);
    const does = button("", (event) => { event.stopPropagation(); quickAct(app, table, tile.dataset.look); }, { kind: "small" });
    tile.append(does);
    tile.addEventListener("click", () => app.drawer.open(table));
    tile.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && event.target === tile) app.drawer.open(table);
    });
    return tile;
  }

  return {
    host,
    paint(now) {
      const doc = app.room.of();
      const board = app.room.of("tables");
      const duty = app.room.of("duty");
      const devices = app.room.read("devices")?.devices ?? [];
      band.paint(doc, now);
      const all = Object.entries(board?.tables ?? {}).sort(([a], [b]) => Number(a) - Number(b));
      show(empty, all.length === 0);
      put(why, doc === null ? "No event yet. Pick a preset and a name; everything else has a default." : "No table is open yet.");
      show(seat, doc !== null && app.room.may("table.open"));
      show(create, doc === null && app.room.may("event.create"));
      mark(grid, "many", all.length > 30 ? "very" : all.length > 15 ? "yes" : "no");
      rows(grid, all, ([number]) => number, make, (tile, [number, row]) => {
        const quiet = silence(Number(number), duty, devices, app.room.event, app.room.gone);
        const { look, words, does } = tileState(row, now);
        const [, said, turn, silent, foot, quick] = tile.children;
        mark(tile, "quiet", quiet !== null);
        put(silent, quietWords(quiet, now) || unansweredWords(duty?.tables[number], now));
        mark(tile, "look", look);
        put(said, words);
        paintTurn(turn, foot.firstChild, tileClock(row, now));
        put(foot.lastChild, tileFoot(row, doc?.clock.level ?? null, duty?.tables[number]?.dealer));
        const right = { floor: "floor.clear", paused: "table.resume", allin: "h4h.runout", ruling: "action.ruling" }[look];
        show(quick, does !== "" && app.room.may(right));
        relabel(quick, does);
        // A board is run only when nobody is playing any more: the hub would refuse it.
        quick.disabled = look === "allin" && all.some(([, each]) => each.h4h === "playing");
        tile.setAttribute("aria-label", `Table ${number}: ${words}`);
        mark(tile, "open", app.drawer.table === Number(number));
      });
    },
  };
}
