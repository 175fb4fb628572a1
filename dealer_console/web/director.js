// The director's console: the room from one screen, or from a phone while walking.
//
//     /director
//
// Everything on it is painted from the hub's documents; everything that can be done is in
// director/acts.js. The clock on top is the wall's, and nothing that opens ever hides it.

import { press } from "./director/acts.js";
import { tablesView } from "./director/board.js";
import { approve, devicesView } from "./director/devices.js";
import { Drawer } from "./director/drawer.js";
import { create, eventsView } from "./director/events.js";
import { gateView } from "./director/gate.js";
import { glanceView } from "./director/glance.js";
import { journalView } from "./director/journal.js";
import { Palette } from "./director/palette.js";
import { button, el, mark, put, show } from "./director/parts.js";
import { playersView } from "./director/players.js";
import { Room } from "./director/room.js";
import { sentView } from "./director/sentlist.js";
import { Sheet } from "./director/sheet.js";
import { structureView } from "./director/structure.js";
import { tale } from "./director/tales.js";
import { Themes } from "./director/themes.js";
import { topView } from "./director/top.js";
import { truthView } from "./director/truth.js";
import { roomNeeds } from "./director/needlist.js";
import { walkView } from "./director/walk.js";

/** Look at least so often, though no digit of the clock changes: ages and action clocks count. */
const LOOK = 200;

/** A screen so narrow is a phone in the hand of somebody who walks. */
const NARROW = "(max-width: 760px)";

const at = (id) => document.getElementById(id);

/** What all views share. */
const app = {
  themes: new Themes(),
  lookAtNew: null, // events that were known when one was created
  tale,
  paint: () => soon(),

  create: () => create(app),
  approve: (code) => approve(app, code),
  seatPlayer: () => {},
  download,
};
app.show = showView;
app.room = new Room(changed);
app.sheet = new Sheet(at("sheet"), app.room);
app.drawer = new Drawer(app, at("drawer"));
app.palette = new Palette(app);

const VIEWS = {
  walk: ["Walk", walkView(app)],
  tables: ["Tables", tablesView(app)],
  structure: ["Structure", structureView(app)],
  players: ["Players", playersView(app)],
  devices: ["Screens", devicesView(app)],
  journal: ["Journal", journalView(app)],
  events: ["Events", eventsView(app)],
};

const paintTop = topView(app, at("strip"), at("top"));
const paintGlance = glanceView(app, at("glance"));
const paintTruth = truthView(app, at("truth"));
const paintGate = gateView(app, at("gate"));
const paintSent = sentView(app, at("sent"));
const tabs = new Map(Object.entries(VIEWS).map(([name, [words]], index) => {
  const tab = button(words, () => showView(name), { kind: "tab", key: String(index) });
  tab.dataset.view = name;
  tab.append(el("em"));
  return [name, tab];
}));
at("views").append(...tabs.values());

let shown = null;
let timer = 0;
let drawn = 0;

// ── views ───────────────────────────────────────────────────────────────────────────────────────

function showView(name) {
  if (shown !== name) {
    shown = name;
    at("view").replaceChildren(VIEWS[name][1].host);
    mark(document.documentElement, "view", name);
  }
  for (const [each, tab] of tabs) tab.setAttribute("aria-current", each === name ? "page" : "false");
  paint();
}

function download(text, name) {
  const link = el("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1_000);
}

// ── painting ────────────────────────────────────────────────────────────────────────────────────

function changed(news) {
  if (news?.type === "shown" && news.topic === "events" && app.lookAtNew) {
    const made = app.room.events.find(({ id }) => !app.lookAtNew.has(id));
    if (made) {
      app.lookAtNew = null;
      app.room.look(made.id);
    }
  }
  soon();
}

/** Paint once for all that has just come in. */
function soon() {
  cancelAnimationFrame(drawn);
  drawn = requestAnimationFrame(paint);
}

/** Paint everything, and come back when the first digit changes. */
function paint() {
  clearTimeout(timer);
  const { room } = app;
  if (!app.sheet) return; // not built yet
  const own = room.link.now();
  const now = room.now();
  const fresh = room.session.freshness(own);
  const since = room.session.waitingSince(own);
  const connecting = !room.session.clock.known && own < 4_000;
  let flip = null;
  paintGate();
  show(at("console"), room.mayWork);
  if (room.mayWork) {
    const away = fresh !== "fresh";
    mark(document.documentElement, "freshness", connecting ? "connecting" : fresh);
    flip = paintTop(now, away, linkWords(fresh, own, connecting));
    paintTruth(now, connecting ? "fresh" : fresh, since === null ? null : own - since);
    room.want("view", VIEWS[shown][1].topics?.() ?? []);
    VIEWS[shown][1].paint(now);
    if (!matchMedia(NARROW).matches) paintGlance(now);
    app.drawer.paint(now);
    app.sheet.paint();
    app.themes.paint(room.read("themes"));
    paintSent(own);
    const count = roomNeeds(app, now).length;
    put(tabs.get("walk").lastChild, count > 0 ? String(count) : "");
    put(tabs.get("devices").lastChild, String(room.read("devices")?.asking.length || ""));
    document.title = `${room.of()?.name ?? "Railbird"} · director`;
  }
  timer = setTimeout(paint, Math.max(4, Math.min(flip ?? LOOK, LOOK)));
}

function linkWords(fresh, own, connecting) {
  if (connecting) return "connecting";
  if (fresh !== "fresh") return fresh === "stale" ? "no hub" : "hub away";
  return `live ±${Math.ceil(app.room.session.clock.uncertainty(own))} ms`;
}

// ── keys ────────────────────────────────────────────────────────────────────────────────────────

const typing = (target) => target instanceof HTMLElement && (target.matches("input:not([type=checkbox]), textarea, select"));

addEventListener("keydown", (event) => {
  if (!app.room.mayWork) return;
  if (event.key === "Escape") {
    if (app.sheet.isOpen) app.sheet.close();
    else app.drawer.close();
    return;
  }
  if (event.key === "k" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    app.palette.open();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target) || event.repeat) return;
  // A focused button is pressed by its own keys; while a sheet is open nothing else is.
  if (event.target instanceof HTMLButtonElement && (event.key === "Enter" || (event.key === " " && app.sheet.isOpen))) return;
  if (app.sheet.isOpen) return;
  if (app.drawer.table !== null && app.drawer.press(event.key)) event.preventDefault();
  else if (press(app, event.key)) event.preventDefault();
});

// The space bar is the room's: on a focused button it would press that one as well.
addEventListener("keyup", (event) => {
  if (event.key === " " && !app.sheet.isOpen && event.target instanceof HTMLButtonElement && !event.target.classList.contains("hold")) event.preventDefault();
});

addEventListener("resize", soon);
document.addEventListener("visibilitychange", soon);
showView(matchMedia(NARROW).matches ? "walk" : "tables");
