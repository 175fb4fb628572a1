// A wall screen: one scene of one hub, painted when a shown second changes and at no other time.
//
//     /wall?event=1&scene=clock&sound=level,minute
//
// `scene` is clock, break, tables, table (with table=7), lobby or grid; several, with commas, take
// turns by hub time, `turn` seconds each. `overlay=1` leaves the ground out, for a live stream.

import { device, hubAddress, store } from "./identity.js";
import { ANSWER_WITHIN, Link, Session } from "./link.js";
import { clockScene } from "./scenes/clock.js";
import { gridScene, lobbyScene } from "./scenes/lobby.js";
import { mark, put, refit, show } from "./scenes/parts.js";
import { payoutsScene } from "./scenes/payouts.js";
import { tableScene } from "./scenes/table.js";
import { tablesScene } from "./scenes/tables.js";
import { chosen, Heard, moment, signals, Speaker } from "./sound.js";
import { standing } from "./scenes.js";
import { linkWords, timeOfDay } from "./words.js";

const REPORT_EVERY = 60_000;
const HINTS_STAY = 6_000;

/**
 * Look at least so often, though no digit changes: the badge of a lost link must be up within 3 s.
 * An unchanged screen costs nothing to look at.
 */
const LOOK = 500;

/** Until the hub's time is known there is nothing true to show: look more often. */
const IMPATIENT = 30;

const SCENES = {
  clock: clockScene, break: clockScene, payouts: payoutsScene, tables: tablesScene, table: tableScene, lobby: lobbyScene, grid: gridScene,
};

const asked = new URLSearchParams(location.search);
const events = (asked.get("event") ?? "").split(",").filter(Boolean);
const sceneNames = named(asked.get("scene"));
const turn = Math.max(3, Number(asked.get("turn")) || 20) * 1_000;
const trim = Number(asked.get("trim")) || 0; // ms by which this panel lags: painted so much earlier
const wall = document.querySelector("#wall");
const trust = document.querySelector("#trust");
const hints = document.querySelector("#hints");
const zone = (instant) => -new Date(instant).getTimezoneOffset();

function named(wanted) {
  if (!wanted) return [asked.has("table") ? "table" : "clock"];
  const names = wanted.split(",").map((name) => name.split("=")[0].trim()).filter((name) => name in SCENES);
  return names.length > 0 ? names : ["clock"];
}

function tableNumber() {
  const inScene = /table=(\d+)/.exec(asked.get("scene") ?? "");
  return Number(inScene?.[1] ?? asked.get("table") ?? 1);
}

// An action clock must say within 2 s that it is not heard: a feature table asks more often.
const kind = sceneNames.includes("table") ? "dealer" : "wall";
const session = new Session(device(), null, `wall ${sceneNames.join(",")}`);
const link = new Link(hubAddress(), session, { kind, onnews, onclosed });
const speaker = new Speaker(chosen(asked.get("sound")));
const heard = new Heard(store());

let shownScene = null; // {name, event, made}
let build = null;
let closed = null;
let before = null; // the last moment, for sounds
let timer = 0;
let hintsUntil = 0;
let aimed = null; // our own time at which the next digit is to change
let late = 0; // by how many ms the last one was painted late

// ── what the hub says ───────────────────────────────────────────────────────────────────────────

function onnews(news) {
  if (news.type === "welcome") {
    // A newer hub has newer pages. What is shown stays up until the new page has been loaded.
    if (build !== null && news.build !== build) location.reload();
    build = news.build;
  }
  paint();
}

function onclosed(reason) {
  closed = String(reason?.message ?? reason);
  paint();
}

const read = (topic) => session.documents.get(topic)?.doc ?? null;
const heardOf = (topic) => session.documents.has(topic);

/** The event asked for; else the first that is not over. */
function event() {
  if (events.length > 0) return events[0];
  const all = read("events")?.events ?? [];
  return (all.find(({ status }) => status !== "finished") ?? all[0])?.id ?? null;
}

// ── scenes ──────────────────────────────────────────────────────────────────────────────────────

/** Put up the scene whose turn it is. */
function scene(now) {
  const name = sceneNames[Math.floor((now ?? 0) / turn) % sceneNames.length];
  const of = event();
  if (shownScene && shownScene.name === name && shownScene.event === of) return shownScene.made;
  if (of === null && name !== "lobby" && name !== "grid") return null;
  wall.replaceChildren();
  mark(wall, "scene", name);
  const made = SCENES[name](wall, { scene: name, event: of, events, table: tableNumber() });
  shownScene = { name, event: of, made };
  link.follow(...made.topics);
  return made;
}

// ── painting ────────────────────────────────────────────────────────────────────────────────────

/** Paint everything, and come back at the instant at which the first digit changes. */
function paint() {
  clearTimeout(timer);
  const own = link.now();
  if (aimed !== null && own >= aimed) late = own - aimed;
  const now = session.clock.known ? session.clock.now(own) + trim : null;
  const fresh = session.freshness(own);
  const made = scene(now);
  let flip = null;
  if (made) {
    const time = now === null ? "" : timeOfDay(now, zone);
    const seen = { read, heard: heardOf, now, zone, away: fresh !== "fresh", time };
    const more = made.more?.(seen).filter((topic) => !session.topics.has(topic)) ?? [];
    if (more.length > 0) link.follow(...more);
    flip = made.paint(seen);
    listen(made, now, fresh);
  } else {
    const waiting = wall.querySelector(".opening");
    if (waiting && read("events")) put(waiting, "Railbird · no event yet");
  }
  paintTrust(made, own, fresh);
  paintHints(own);
  // A timer may come a little early; then this paints once more, and nobody can see it.
  const soon = Math.min(flip ?? LOOK, turnFlip(now), lateIn(own), now === null ? IMPATIENT : LOOK);
  aimed = flip === soon ? own + soon : null;
  timer = setTimeout(paint, Math.max(4, soon));
}

/** Milliseconds until an answer that is awaited now would be late. */
function lateIn(own) {
  const asked = session.waitingSince(own) === null ? session.waitingSince(own + ANSWER_WITHIN + 1) : null;
  return asked === null ? LOOK : asked + ANSWER_WITHIN + 1 - own;
}

/** Milliseconds until the next scene's turn. */
function turnFlip(now) {
  return sceneNames.length > 1 && now !== null ? turn - (now % turn) : LOOK;
}

function paintTrust(made, own, fresh) {
  const since = session.waitingSince(own);
  const reached = session.clock.known || session.documents.size > 0;
  const connecting = !reached && own < 4_000; // the page has only just been opened
  const words = linkWords(fresh, since === null ? null : own - since, { closed, reached, action: made?.action });
  mark(document.documentElement, "freshness", connecting ? "connecting" : words.freshness);
  show(trust, words.title !== "" && !connecting);
  put(trust.firstElementChild, words.title);
  put(trust.lastElementChild, words.detail);
  if (made) put(made.badge, connecting ? "connecting" : words.badge);
}

/** Make the sounds that are due. */
function listen(made, now, fresh) {
  if (!made.sounds || now === null) return;
  const doc = read(made.sounds.event);
  if (!doc) return;
  const table = made.sounds.table ? read(made.sounds.table) : null;
  const is = moment(now, standing(doc, now, fresh !== "fresh"), table, doc.announcement);
  for (const { sound } of heard.fresh(signals(before, is), now)) {
    mark(document.documentElement, "sounded", sound);
    speaker.play(sound);
  }
  before = is;
}

function paintHints(own) {
  const said = [];
  if (speaker.blocked) said.push("Sound is blocked by the browser: touch the screen once");
  if (speaker.unable) said.push("This browser cannot make sounds");
  if (own < hintsUntil) {
    said.push("f: full screen");
    if (!awake) said.push("this browser may let the screen sleep");
  }
  put(hints, said.join(" · "));
  show(hints, said.length > 0 && !document.documentElement.classList.contains("overlay"));
}

// ── the screen itself ───────────────────────────────────────────────────────────────────────────

let awake = null;

async function stayAwake() {
  try {
    awake = (await navigator.wakeLock?.request("screen")) ?? null;
    awake?.addEventListener("release", () => { awake = null; });
  } catch {
    awake = null; // said in the hints
  }
}

/** Tell the hub how well this screen knows the time and how late it paints, where the link can. */
function report() {
  setTimeout(report, REPORT_EVERY);
  if (typeof link.report !== "function" || !session.clock.known) return;
  const own = link.now();
  const uncertainty = Math.ceil(session.clock.uncertainty(own));
  link.report({ offset: Math.round(session.clock.offset(own)), uncertainty, skew: late, build: build ?? "" });
}

addEventListener("resize", () => { refit(document); paint(); });
addEventListener("pointermove", () => { hintsUntil = link.now() + HINTS_STAY; });
addEventListener("pointerdown", () => { speaker.unblock().then(paint); });
addEventListener("keydown", ({ key }) => {
  speaker.unblock().then(paint);
  if (key === "f") document.documentElement.requestFullscreen?.().catch(() => {});
});
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState !== "visible") return;
  stayAwake();
  paint();
});

document.documentElement.classList.toggle("overlay", asked.get("overlay") === "1");
if (events.length === 0) link.follow("events");
link.start();
stayAwake();
paint();
report();
document.fonts?.ready.then(() => { refit(document); paint(); });
