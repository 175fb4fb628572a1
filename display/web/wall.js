// A wall screen: one scene of one hub, painted when a shown second changes and at no other time.
//
//     /wall                                a screen that shows its code, and then what the floor wants
//     /wall?event=1&scene=clock&sound=all  a screen that nobody manages, where watching is open
//
// Once let in, a screen keeps its token and shows what the hub says, whatever its address says.

import { dress } from "./dress.js";
import { device, forgetToken, hubAddress, keepToken, SCREEN, store, token } from "./identity.js";
import { ANSWER_WITHIN, Link, Session } from "./link.js";
import { pairingScene } from "./pairing.js";
import { clockScene } from "./scenes/clock.js";
import { gridScene, lobbyScene } from "./scenes/lobby.js";
import { mark, put, refit, show } from "./scenes/parts.js";
import { payoutsScene } from "./scenes/payouts.js";
import { tableScene } from "./scenes/table.js";
import { tablesScene } from "./scenes/tables.js";
import { standing } from "./scenes.js";
import { choice, fromAddress, isBare, mayReload, sameScenes } from "./screen.js";
import { chosen, Heard, moment, signals, Speaker, Speech } from "./sound.js";
import { linkWords, timeOfDay } from "./words.js";

const REPORT_EVERY = 60_000;
const REPORT_SOON = 2_000;
const HINTS_STAY = 6_000;
const ASK_AGAIN = 5_000;
const ASK_AT_ONCE = 300;

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

const ALL_EVENTS = ["lobby", "grid"];

const params = new URLSearchParams(location.search);
const overlay = params.get("overlay") === "1";
const page = document.documentElement;
const wall = document.querySelector("#wall");
const trust = document.querySelector("#trust");
const hints = document.querySelector("#hints");
const identify = document.querySelector("#identify");
const blackout = document.querySelector("#blackout");
const zone = (instant) => -new Date(instant).getTimezoneOffset();

const speaker = new Speaker();
const speech = new Speech();
const heard = new Heard(store());

let session = null;
let link = null;
let waits = isBare(params); // for somebody to let this screen in
let shows = choice(fromAddress(params), Object.keys(SCENES));
let own = ""; // the topic with this screen's settings, once it is managed
let shownScene = null; // {name, event, made}
let build = null;
let reloads = null; // as the hub counted them when this page was loaded
let outdated = false;
let reloading = false;
let welcome = false; // since the last time that the hub showed us out
let closed = null;
let trouble = ""; // why there is no code
let before = new Map(); // event -> its last moment, for sounds
let timer = 0;
let reporting = 0;
let hintsUntil = 0;
let aimed = null; // our own time at which the next digit is to change
let late = 0; // by how many ms the latest since the last report was painted late

// ── who this screen is ──────────────────────────────────────────────────────────────────────────

/** Talk to the hub, as who the token says, or as anybody. */
function connect(known) {
  const mine = new Session(device(), known, `wall ${innerWidth}×${innerHeight}`);
  const made = new Link(hubAddress(), mine, {
    kind: pace(),
    onnews: (news) => { if (link === made) onnews(news); },
    onclosed: (reason, code) => { if (link === made) onclosed(reason, code); },
  });
  const old = link;
  [session, link, own, shownScene, closed] = [mine, made, "", null, null];
  old?.stop();
  link.follow("events", "themes");
  link.start();
  if (known === null && waits) link.pair();
  paint();
}

function onnews(news) {
  switch (news.type) {
    case "admitted": // somebody let this screen in: now it is managed
      keepToken(news.token, SCREEN);
      connect(news.token);
      return;
    case "welcome":
      welcomed(news);
      break;
    case "shown":
      if (news.topic === own) managed(news.doc);
      if (news.topic === "themes") dressed();
      break;
    case "code":
      trouble = "";
      break;
    case "problem":
      told(news);
      break;
  }
  paint();
}

function welcomed({ build: running, device: known = "" }) {
  // A newer hub has newer pages. What is shown stays up until it is safe to load them.
  if (build !== null && running !== build) outdated = true;
  build ??= running;
  welcome = true;
  if (session.token !== null && known !== "") {
    own = `screens/${known}`;
    link.follow(own);
  }
  reportSoon();
}

function told({ code, text }) {
  if (code === "insecure") waits = false; // no code can be had here: be useful without
  if (code === "busy") setTimeout(() => { if (waits && !session.code) link.pair(); }, ASK_AGAIN);
  if (code === "busy" || code === "insecure") trouble = text;
}

function onclosed(reason, code) {
  if (code === "unauthorised") { // shown out, or another hub: begin again as a new screen
    forgetToken(SCREEN);
    reloads = null;
    shows = choice(fromAddress(params), Object.keys(SCENES));
    apply();
    setTimeout(() => connect(null), 0);
    return;
  }
  closed = String(reason?.message ?? reason);
  if (code === "version") outdated = true;
  else setTimeout(() => connect(session.token), welcome ? ASK_AT_ONCE : ASK_AGAIN); // nobody is here to press a button
  welcome = false;
  paint();
}

// ── what it is to show ──────────────────────────────────────────────────────────────────────────

/** Go by what the hub says about this screen. */
function managed(doc) {
  if (doc === null) return; // it is somebody's tablet now, or shown out: the hub will say so
  if (reloads !== null && doc.reloads !== reloads) reload(true);
  reloads ??= doc.reloads;
  const wanted = choice(doc.settings, Object.keys(SCENES));
  const same = sameScenes(wanted, shows);
  shows = wanted;
  if (!same) {
    link.leave(...[...session.topics].filter((topic) => topic.startsWith("t/")));
    shownScene = null;
    before = new Map();
  }
  apply();
  reportSoon();
}

/** Make the screen itself what was chosen. */
function apply() {
  // An action clock must say within 2 s that it is not heard: a feature table asks more often.
  link?.pace(pace());
  speaker.choose(chosen(shows.sound));
  if (page.dataset.rotate !== String(shows.rotate)) {
    mark(page, "rotate", shows.rotate);
    refit(document);
  }
  show(blackout, shows.blackout);
  dressed();
}

const pace = () => (shows.scenes.includes("table") ? "dealer" : "wall");

/** Wear the theme, and have the sounds, in the versions that the hub has now. */
function dressed() {
  const known = session && read("themes");
  dress(shows.theme, known, () => { refit(document); paint(); });
  if (known) speaker.record(known.sounds ?? {});
}

const read = (topic) => session.documents.get(topic)?.doc ?? null;
const heardOf = (topic) => session.documents.has(topic);

/** The event asked for; else the first that is not over. */
function event() {
  if (shows.events.length > 0) return shows.events[0];
  const all = read("events")?.events ?? [];
  return (all.find(({ status }) => status !== "finished") ?? all[0])?.id ?? null;
}

/** Whether this screen has nothing to show but its code. */
const isNew = () => waits && session.token === null;

/** Put up the scene whose turn it is. */
function scene(now) {
  if (isNew()) return putUp("new", null, () => pairingScene(wall, {
    session: () => session, address: location.origin, trouble: () => trouble,
  }));
  // A managed screen that does not know what it is to show waits for that.
  if (session.token !== null && read(own) === null) return null;
  const name = shows.scenes[Math.floor((now ?? 0) / shows.turn) % shows.scenes.length];
  const of = event();
  if (!ALL_EVENTS.includes(name) && (of === null || isGone(of))) return null;
  return putUp(name, of, () => SCENES[name](wall, { scene: name, event: of, events: shows.events, table: shows.table }));
}

function putUp(name, of, make) {
  if (shownScene && shownScene.name === name && shownScene.event === of) return shownScene.made;
  wall.replaceChildren();
  mark(wall, "scene", name);
  shownScene = { name, event: of, made: make() };
  link.follow(...shownScene.made.topics);
  return shownScene.made;
}

// ── painting ────────────────────────────────────────────────────────────────────────────────────

/** Paint everything, and come back at the instant at which the first digit changes. */
function paint() {
  clearTimeout(timer);
  const mine = link.now();
  if (aimed !== null && mine >= aimed) late = Math.max(late, mine - aimed);
  const now = session.clock.known ? session.clock.now(mine) + shows.trim : null;
  const fresh = session.freshness(mine);
  const made = scene(now);
  let flip = null;
  if (made) {
    const time = now === null ? "" : timeOfDay(now, zone);
    const seen = { read, heard: heardOf, now, zone, away: fresh !== "fresh", time };
    const more = made.more?.(seen).filter((topic) => !session.topics.has(topic)) ?? [];
    if (more.length > 0) link.follow(...more);
    flip = made.paint(seen);
  } else {
    paintOpening();
  }
  listen(made, now, fresh);
  paintTrust(made, mine, fresh);
  paintHints(mine);
  paintName(now);
  reloadIfOutdated(now, mine);
  // A timer may come a little early; then this paints once more, and nobody can see it.
  const soon = Math.min(flip ?? LOOK, turnFlip(now), lateIn(mine), now === null ? IMPATIENT : LOOK);
  aimed = flip === soon ? mine + soon : null;
  timer = setTimeout(paint, Math.max(4, soon));
}

/** Whether the hub said that there is no such event, or none any more. */
const isGone = (id) => heardOf(`t/${id}`) && read(`t/${id}`) === null;

/** Say what is waited for where there is no scene to show. */
function paintOpening() {
  const of = event();
  const none = of !== null && isGone(of) ? `There is no event ${of}` : "Railbird · no event yet";
  const words = read("events") ? none : "Railbird";
  let opening = wall.querySelector(".opening");
  if (!opening) {
    shownScene = null;
    opening = document.createElement("p");
    opening.className = "opening";
    wall.replaceChildren(opening);
  }
  put(opening, own !== "" && heardOf(own) && read(own) === null ? "This device is not a screen any more" : words);
}

/** Milliseconds until an answer that is awaited now would be late. */
function lateIn(mine) {
  const asked = session.waitingSince(mine) === null ? session.waitingSince(mine + ANSWER_WITHIN + 1) : null;
  return asked === null ? LOOK : asked + ANSWER_WITHIN + 1 - mine;
}

/** Milliseconds until the next scene's turn. */
function turnFlip(now) {
  return shows.scenes.length > 1 && now !== null ? shows.turn - (now % shows.turn) : LOOK;
}

function paintTrust(made, mine, fresh) {
  const since = session.waitingSince(mine);
  const reached = session.clock.known || session.documents.size > 0;
  const connecting = !reached && mine < 4_000; // the page has only just been opened
  const words = linkWords(fresh, since === null ? null : mine - since, { closed, reached, action: made?.action });
  mark(page, "freshness", connecting ? "connecting" : words.freshness);
  show(trust, words.title !== "" && !connecting);
  put(trust.firstElementChild, words.title);
  put(trust.lastElementChild, words.detail);
  if (made) put(made.badge, connecting ? "connecting" : words.badge);
}

/** Say this screen's name and number, huge, for as long as the floor looks for it. */
function paintName(now) {
  const doc = own === "" ? null : read(own);
  const asked = doc !== null && doc.identify_until !== null && now !== null && now < doc.identify_until;
  show(identify, asked);
  if (!asked) return;
  put(identify.firstElementChild, doc.number);
  identify.style.setProperty("--digits", String(Math.max(2, doc.number.length)));
  put(identify.lastElementChild, doc.name);
}

function paintHints(mine) {
  const said = [];
  if (speaker.blocked) said.push("Sound is blocked by the browser: touch the screen once");
  else if (speaker.unable) said.push("This browser cannot make the sounds that were chosen");
  if (trouble && !isNew()) said.push(trouble);
  if (mine < hintsUntil) {
    said.push("f: full screen");
    if (!awake) said.push("this browser may let the screen sleep");
  }
  put(hints, said.join(" · "));
  show(hints, said.length > 0 && !overlay && !shows.blackout);
}

// ── sounds ──────────────────────────────────────────────────────────────────────────────────────

/** Make the sounds that are due: of every event chosen, whichever scene is up just now. */
function listen(made, now, fresh) {
  if (isNew() || now === null || speaker.choice.size === 0) return;
  const first = event();
  const events = shows.events.length > 0 ? shows.events : first === null ? [] : [first];
  link.follow(...events.map((id) => `t/${id}`)); // in as few messages as it takes: they are counted
  for (const id of events) {
    const doc = read(`t/${id}`);
    if (!doc) continue;
    const clock = standing(doc, now, fresh !== "fresh");
    const table = id === first && made?.sounds?.table ? read(made.sounds.table) : null;
    const was = before.get(id) ?? null;
    const is = moment(now, clock, table, doc.announcement);
    const sounds = heard.fresh(signals(was, is), now).map(({ sound }) => sound);
    for (const sound of sounds) {
      mark(page, "sounded", sound);
      speaker.play(sound);
    }
    for (const words of speech.due(sounds, was, clock, doc.announcement, now)) {
      if (speaker.say(words, { afterSound: speaker.choice.size > 1 })) mark(page, "said", words);
    }
    before.set(id, is);
  }
}

// ── loading the page again ──────────────────────────────────────────────────────────────────────

/** Load a newer page where there is one, when nobody can mind. */
function reloadIfOutdated(now, mine) {
  if (!outdated || now === null) return;
  const clocks = [...session.documents.values()].map(({ doc }) => doc?.clock ?? doc?.action).filter(Boolean);
  if (mayReload(clocks, now, mine)) reload();
}

/** Load the page again, if the hub is there to give it: an error page would stay for ever. */
async function reload(wished = false) {
  if (reloading) return;
  reloading = true;
  const answer = await fetch(location.pathname, { method: "HEAD", cache: "no-store" }).catch(() => null);
  if (answer?.ok) location.reload();
  else setTimeout(() => { reloading = false; if (wished) reload(true); }, ASK_AGAIN);
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

/** Tell the hub what this screen shows, how well it knows the time, how late it paints. */
function report() {
  reporting = setTimeout(report, REPORT_EVERY);
  if (!session.clock.known) return;
  const mine = link.now();
  link.report({
    offset: Math.round(session.clock.offset(mine)),
    uncertainty: Math.ceil(session.clock.uncertainty(mine)),
    skew: late,
    build: build ?? "",
    scene: shows.blackout ? "blackout" : shownScene?.name ?? "",
    age: mine - session.answeredAt,
    sound: speaker.state,
  });
  late = 0;
}

function reportSoon() {
  clearTimeout(reporting);
  reporting = setTimeout(report, REPORT_SOON);
}

addEventListener("resize", () => { refit(document); paint(); });
addEventListener("pointermove", () => { hintsUntil = link.now() + HINTS_STAY; });
addEventListener("pointerdown", () => { speaker.unblock().then(paint); });
addEventListener("keydown", ({ key }) => {
  speaker.unblock().then(paint);
  if (key === "f") page.requestFullscreen?.().catch(() => {});
});
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState !== "visible") return;
  stayAwake();
  paint();
});

page.classList.toggle("overlay", overlay);
connect(token(SCREEN));
apply();
stayAwake();
reportSoon();
document.fonts?.ready.then(() => { refit(document); paint(); });
