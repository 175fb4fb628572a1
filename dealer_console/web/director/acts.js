// Everything that can be done, once: its words, its key, who may do it and when it makes sense.
//
// Buttons, keys, the command search and the `?` sheet are all made from this table.

import * as forms from "./forms.js";
import { nextRedo, undoTale } from "./tales.js";

const clock = (app) => app.room.of()?.clock ?? null;
const status = (app) => clock(app)?.status ?? "";
const live = (app) => ["running", "paused"].includes(status(app));
const h4h = (app) => app.room.of()?.h4h.status ?? "off";
const onBreak = (app) => clock(app)?.phase === "break";
const tables = (app) => app.room.of("tables")?.tables ?? {};

/** Start, pause or resume: one key for what the room needs next. */
export function startOrPause(app) {
  switch (status(app)) {
    case "waiting":
      forms.confirm(app, { title: "Start the clock?", text: "Level 1 begins now on every screen.", does: "Start", done: () => { app.room.act("clock.start"); } });
      break;
    case "running":
      app.room.act("clock.pause");
      break;
    case "paused":
      // What hand-for-hand or a hard stop holds is not resumed like a pause.
      app.room.act("clock.resume");
      break;
    case "suspended":
      app.room.act("event.resume");
      break;
  }
}

/** Say what the one key would do now. */
export function startWords(app) {
  const held = ["hand_for_hand", "break_waits"].includes(clock(app)?.reason);
  return { waiting: "Start", running: "Pause", paused: held ? "Held" : "Resume", suspended: "Resume" }[status(app)] ?? "Over";
}

function moveLevel(app, what) {
  const next = clock(app)?.next;
  const where = what === "level.back" ? "The step before begins again, with its full time." : next ? `${next.phase === "break" ? "The break" : `Level ${next.level}`} begins now on every screen.` : "";
  forms.confirm(app, { title: what === "level.back" ? "Previous level?" : "Next level?", text: where, does: what === "level.back" ? "Go back" : "Go on", done: () => { app.room.act(what); } });
}

function endBubble(app) {
  forms.confirm(app, { title: "End hand-for-hand?", text: "Back to ordinary play; the clock goes on.", does: "End it", done: () => { app.room.act("h4h.end"); } });
}

function answerOldest(app) {
  const calls = Object.entries(tables(app)).filter(([, row]) => row.floor !== null && row.floor !== undefined);
  calls.sort(([, a], [, b]) => a.floor - b.floor);
  if (calls.length > 0) app.drawer.open(Number(calls[0][0]));
}

const add = (ms) => (app) => app.room.act("clock.add", { ms });
const view = (name) => (app) => app.show(name);

/** All acts: group, id, words, key, what it does, the right it needs, and when it makes sense. */
export const ACTS = [
  ["Clock", "start", (app) => `${startWords(app)} the clock`, " ", startOrPause, "clock.pause", (app) => status(app) !== "finished" && status(app) !== ""],
  ["Clock", "reason", "Pause with a reason", "p", forms.pause, "clock.pause", (app) => status(app) === "running"],
  ["Clock", "plus30", "+0:30 on the clock", "]", add(30_000), "clock.add", live],
  ["Clock", "minus30", "−0:30 on the clock", "[", add(-30_000), "clock.add", live],
  ["Clock", "plus", "+1:00 on the clock", "+", add(60_000), "clock.add", live],
  ["Clock", "minus", "−1:00 on the clock", "-", add(-60_000), "clock.add", live],
  ["Clock", "set", "Set the clock", "=", forms.setClock, "clock.set", live],
  ["Clock", "next", "Next level", "n", (app) => moveLevel(app, "level.next"), "level.next", live],
  ["Clock", "back", "Previous level", "N", (app) => moveLevel(app, "level.back"), "level.back", live],
  ["Clock", "goto", "Go to a level", "g", forms.goTo, "level.goto", live],
  ["Clock", "break", (app) => (onBreak(app) ? "End the break" : "Break now"), "b", (app) => (onBreak(app) ? app.room.act("break.end") : forms.callBreak(app)), "break.call", live],
  ["Clock", "announce", "Announce", "a", (app) => forms.announce(app), "announce", (app) => app.room.event !== null],
  ["Clock", "unannounce", "Clear the announcement", "A", (app) => app.room.act("announce.clear"), "announce.clear", (app) => Boolean(app.room.of()?.announcement)],
  ["Undo", "undo", (app) => undoWords(app), "u", forms.undo, "undo", (app) => app.room.nextUndo() !== null],
  ["Undo", "redo", "Bring back what was undone", "R", forms.redo, "undo", (app) => nextRedo(app.room.of("floor")) !== null],
  ["Undo", "undos", "List what can be undone", "U", forms.undoList, "undo", (app) => app.room.event !== null],
  ["Hand-for-hand", "bubble", "Announce hand-for-hand", "h", forms.bubble, "h4h.announce", (app) => live(app) && h4h(app) === "off"],
  ["Hand-for-hand", "release", "Release the next hand", "h", (app) => app.room.act("h4h.next", {}, { words: `release hand ${app.room.of().h4h.hand + 1}` }), "h4h.next", (app) => h4h(app) === "holding"],
  ["Hand-for-hand", "endbubble", "End hand-for-hand", "H", endBubble, "h4h.end", (app) => h4h(app) !== "off"],
  ["Tables", "table", "Look at a table", "t", forms.openTable, "floor.clear", (app) => app.room.event !== null],
  ["Tables", "clockon", "Call the clock on a seat", "c", (app) => forms.callClock(app, app.drawer.table), "called.start", (app) => app.room.event !== null],
  ["Tables", "answer", "Go to the oldest floor call", "f", answerOldest, "floor.clear", (app) => Object.values(tables(app)).some(({ floor }) => floor !== null && floor !== undefined)],
  ["Tables", "shot", "Introduce the shot clock", "", forms.shotClock, "shotclock.introduce", (app) => live(app) && !app.room.of()?.action_clock],
  ["Tables", "grantall", "Time-bank chips for everybody", "", forms.grantAll, "bank.grant", (app) => Boolean(app.room.of()?.action_clock)],
  ["Tables", "places", "Places paid", "", forms.places, "places.set", (app) => app.room.event !== null],
  ["Event", "switch", "Switch to the next event", "e", (app) => app.room.switchEvent(), "", (app) => app.room.events.length > 1],
  ["Event", "create", "Create an event", "E", (app) => app.create(), "event.create", () => true],
  ["Event", "schedule", "Set the start time", "", forms.schedule, "event.schedule", (app) => status(app) === "waiting"],
  ["Event", "suspend", "Suspend to another day", "", forms.suspend, "event.suspend", live],
  ["Event", "finish", "Finish the event", "", forms.finish, "event.finish", (app) => app.room.event !== null && status(app) !== "finished"],
  ["Views", "walk", "While walking", "0", view("walk"), "", () => true],
  ["Views", "tables", "Tables", "1", view("tables"), "", () => true],
  ["Views", "structure", "Structure", "2", view("structure"), "", () => true],
  ["Views", "players", "Players", "3", view("players"), "", () => true],
  ["Views", "devices", "Screens and devices", "4", view("devices"), "", () => true],
  ["Views", "journal", "Journal", "5", view("journal"), "", () => true],
  ["Views", "events", "Events", "6", view("events"), "", () => true],
  ["Page", "search", "Search everything that can be done", "/", (app) => app.palette.open(), "", () => true],
  ["Page", "keys", "All keys", "?", (app) => app.palette.keys(), "", () => true],
  ["Page", "theme", "Another theme", "", (app) => app.themes.next(), "", () => true],
].map(([group, id, words, key, run, right, when]) => ({
  group, id, key, run, right, when, words: typeof words === "function" ? words : () => words,
}));

/** Say which command an undo would take back. */
export function undoWords(app) {
  const last = app.room.nextUndo();
  return last ? `Undo “${undoTale(last)}”` : "Nothing to undo";
}

/** Find an act. */
export const act = (id) => ACTS.find((each) => each.id === id);

/** Say whether an act may be done by this role, and makes sense now. */
export const possible = (app, each) => (each.right === "" || app.room.may(each.right)) && each.when(app);

/** Do the act of a key; says whether there was one. */
export function press(app, key) {
  const found = ACTS.find((each) => each.key === key && possible(app, each));
  found?.run(app);
  return found !== undefined;
}
