// The dealer's console: one table, one tap per action, hit without looking.
//
//     /dealer                     shows a code until the floor has given this tablet a table
//     /dealer?event=1&table=7     for a device of the floor or the director: works that table
//
// What is shown is decided by face.js, the same as in the terminal; here it is painted, and taps are
// sent with the instant of the touch.

import { device, forgetToken, hubAddress, keepToken, token } from "/web/identity.js";
import { ANSWER_WITHIN, Link, Session } from "/web/link.js";
import { mark, show } from "/web/scenes/parts.js";

import { Awake } from "./awake.js";
import { Console } from "./console.js";
import { Door } from "./door.js";
import { House } from "./house.js";
import { forgetLast, Kept, keepLast, last } from "./kept.js";
import { keepStill } from "./press.js";
import { Settings } from "./settings.js";
import { keepShell, shellIsOf } from "./shell.js";

const REPORT_EVERY = 60_000;

/** Look at least so often: a lost link must be seen, a running bar must move. */
const LOOK = 250;

/** What was seen is written down this long after it has changed: several documents come at once. */
const WRITE_AFTER = 300;

/** So long the words of a hub that closed the door stay up before this tablet knocks again. */
const KNOCK_AFTER = 2_000;

const asked = new URLSearchParams(location.search);
const root = document.querySelector("#dealer");
const settings = new Settings();
const house = new House(settings, root);
const door = new Door(document.querySelector("#door"), { again: () => location.reload(), choose: work });
const awake = new Awake(() => paint());
const kind = `dealer page, ${screen.width}×${screen.height}`;

let session;
let link;
let console_ = null; // the table's console, once there is a table
let place = null; // {event, table}
let chosen = asked.has("table") ? { event: asked.get("event") ?? "1", table: Number(asked.get("table")) } : null;
let trouble = null; // {kind, reason}: why this tablet is outside
let build = null;
let asks = false; // for a code: the session asks again by itself after a reconnect
let timer = 0;
let writing = 0;
let isNew = true; // the page was just loaded

/** Come to the hub: with the token that is kept, or as a stranger who asks to be let in. */
function come() {
  const introduced = location.hash.includes("token="); // by a link: whoever this was before
  session = new Session(device(), token(), kind);
  link = new Link(hubAddress(), session, { kind: "dealer", onnews, onclosed });
  trouble = null;
  asks = false;
  if (introduced) forgetLast();
  else if (session.token !== null && isNew) goOn();
  isNew = false;
  link.start();
}

/** Go on where this tablet was before its page was loaded: the hub may be away. */
function goOn() {
  const seen = last();
  if (seen === null || (chosen !== null && (chosen.event !== seen.place.event || chosen.table !== seen.place.table))) return;
  const pending = keptAt(seen.place, seen.welcome.hub).all().map(({ command }) => command);
  session.restore({ ...seen, pending }, link.now());
  sit(seen.place.event, seen.place.table);
}

function keptAt({ event, table }, hub) {
  return new Kept({ hub, device: session.device, event, table });
}

/** Write down what was seen, for a page that is loaded while the hub is away. */
function write() {
  clearTimeout(writing);
  writing = 0;
  if (place === null || session.welcome === null || !session.clock.known) return;
  const documents = console_.topics.map((topic) => session.documents.get(topic)).filter(Boolean);
  const own = link.now();
  const age = own - (session.waitingSince(own) ?? own);
  keepLast({ welcome: session.welcome, place, documents, now: session.clock.now(own), age });
}

// ── what the hub says ───────────────────────────────────────────────────────────────────────────

function onnews(news) {
  switch (news.type) {
    case "welcome":
      welcomed(news);
      break;
    case "shown":
      writing ||= setTimeout(write, WRITE_AFTER);
      break;
    case "admitted":
      keepToken(news.token);
      break;
    case "code":
      trouble = null;
      break;
    case "problem":
      if (news.code === "unauthorised") { // shown out while it was away: ask again
        forgetToken();
        forgetLast();
      }
      if (news.code === "busy") setTimeout(() => link.pair(), KNOCK_AFTER);
      if (["insecure", "paired", "busy", "version"].includes(news.code)) trouble = { kind: news.code, reason: "" };
      break;
  }
  paint();
}

function onclosed(reason) {
  console_?.abandoned();
  trouble ??= { kind: "closed", reason };
  leave();
  paint();
  // Whether it may come back is for the hub to say: the token may still be good, or not.
  setTimeout(() => { if (trouble?.kind !== "version") come(); }, KNOCK_AFTER);
}

function welcomed({ role, event, table, build: theirs }) {
  if ((build !== null && theirs !== build) || !shellIsOf(theirs)) renew();
  build ??= theirs;
  keepShell(theirs);
  trouble = null;
  if (role === "viewer") {
    leave();
    if (!asks) link.pair();
    asks = true;
  } else if (role === "dealer" && table !== null) {
    sit(event, table);
  } else if (chosen !== null) {
    sit(chosen.event, chosen.table);
  } else {
    leave();
    link.follow("events");
  }
}

/** A newer hub has newer pages: load them when no tap could be lost by it. */
function renew() {
  if (console_ === null || console_.isCalm) location.reload();
  else setTimeout(renew, LOOK);
}

// ── the table ───────────────────────────────────────────────────────────────────────────────────

/** Work a table. */
function sit(event, table) {
  if (place !== null && place.event === event && place.table === table) return;
  leave();
  place = { event, table };
  const kept = keptAt(place, session.welcome.hub);
  console_ = new Console(root, { link, session, event, table, settings, house, awake, repaint: paint, kept });
  link.follow(...console_.topics);
  console_.resume();
}

/** Work it no more. */
function leave() {
  if (place === null) return;
  if (link.closed === null) link.leave(...console_.topics);
  place = null;
  console_ = null;
  root.replaceChildren();
}

/** The floor's own device: work the table that was chosen. */
function work(event, table) {
  chosen = { event, table };
  sit(event, table);
  paint();
}

/** List the tables that a device of the floor may choose from. */
function tables() {
  const events = session.documents.get("events")?.doc?.events ?? [];
  const open = events.filter(({ status }) => status !== "finished");
  link.follow(...open.map(({ id }) => `t/${id}/tables`).filter((topic) => !session.topics.has(topic)));
  return open.flatMap(({ id, name }) => {
    const board = session.documents.get(`t/${id}/tables`)?.doc?.tables ?? {};
    const label = (table) => (open.length > 1 ? `${name} · table ${table}` : `Table ${table}`);
    return Object.keys(board).map((table) => ({ event: id, table: Number(table), label: label(table) }));
  });
}

// ── painting ────────────────────────────────────────────────────────────────────────────────────

/** Paint everything, and come back when something will look different. */
function paint() {
  clearTimeout(timer);
  const own = link.now();
  const inside = console_ !== null && trouble === null;
  show(root, inside);
  if (inside) door.hide();
  else paintDoor(own);
  const soon = Math.min((inside ? console_.paint(own) : null) ?? LOOK, lateIn(own), LOOK);
  timer = setTimeout(paint, Math.max(8, soon));
}

function paintDoor(own) {
  const role = session.welcome?.role ?? null;
  if (trouble !== null) door.trouble(trouble.kind, trouble.reason);
  else if (session.code !== null) {
    door.code(session.code.code, session.clock.known ? Math.max(0, session.code.until - session.clock.now(own)) : null);
  } else if (role === "floor" || role === "director") door.tables(role, tables());
  else door.waiting(session.freshness(own));
}

/** Milliseconds until an answer that is awaited now would be late. */
function lateIn(own) {
  const since = session.waitingSince(own) === null ? session.waitingSince(own + ANSWER_WITHIN + 1) : null;
  return since === null ? LOOK : since + ANSWER_WITHIN + 1 - own;
}

/** Tell the hub how well this tablet knows the time. */
function report() {
  setTimeout(report, REPORT_EVERY);
  if (!session.clock.known || link.closed !== null) return;
  const own = link.now();
  link.report({ offset: Math.round(session.clock.offset(own)), uncertainty: Math.ceil(session.clock.uncertainty(own)), build: build ?? "" });
}

// A foot pedal or a clicker is a keyboard, too.
addEventListener("keydown", (event) => {
  const typing = event.target instanceof Element && event.target.closest("input");
  if (!typing && !event.repeat && console_?.key(event.key, link.now())) event.preventDefault();
});
addEventListener("resize", () => paint());
document.addEventListener("visibilitychange", () => paint());
addEventListener("pagehide", () => write());
keepStill(document);
house.arrange();
mark(document.documentElement, "page", "dealer");
come();
paint();
report();
