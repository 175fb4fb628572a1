// A player's phone: /phone?event=1. The clock, what comes next, and where one sits. It only reads.
//
// It follows the event and its structure, never the tables: who looks for a seat asks for that alone.

import { device, hubAddress, token } from "./identity.js";
import { Link, Session } from "./link.js";
import { wallWords } from "./scenes.js";
import { blinds, counted, linkWords, place, shortAnte, timeOfDay } from "./words.js";

/** Look at least so often, though no digit changes. */
const LOOK = 500;

/** Rows of what comes next: as many as a hand can scroll past without meaning to. */
const AHEAD = 8;

/** Milliseconds without a key before a name is looked for. */
const TYPED = 350;
const SHORTEST = 2;

const at = (id) => document.getElementById(id);
const page = document.documentElement;
const zone = (instant) => -new Date(instant).getTimezoneOffset();
const wanted = new URLSearchParams(location.search).get("event");
const session = new Session(device(), token(), "phone");
const link = new Link(hubAddress(), session, { kind: "phone", onnews: paint, onclosed });
const read = (topic) => session.documents.get(topic)?.doc ?? null;

let closed = null;
let timer = 0;
let followed = null;

function onclosed(reason) {
  closed = String(reason?.message ?? reason);
  paint();
}

function el(tag, text = "", name = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  if (name) made.className = name;
  return made;
}

function put(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Put new children where what they say has changed. */
function fill(host, key, children) {
  if (host.dataset.key === key) return;
  host.dataset.key = key;
  host.replaceChildren(...children());
}

/** The event asked for; else the first that is not over. */
function event() {
  const all = read("events")?.events ?? [];
  return wanted ?? (all.find(({ status }) => status !== "finished") ?? all[0])?.id ?? null;
}

function paint() {
  clearTimeout(timer);
  const own = link.now();
  const now = session.clock.known ? session.clock.now(own) : null;
  const freshness = session.freshness(own);
  const since = session.waitingSince(own);
  const reached = session.clock.known || session.documents.size > 0;
  const said = linkWords(freshness, since === null ? null : own - since, { closed, reached });
  put(at("badge"), !reached && closed === null ? "connecting" : said.badge);
  page.dataset.freshness = reached || closed !== null ? said.freshness : "";
  const id = event();
  if (id !== null && id !== followed) {
    followed = id;
    link.follow(`t/${id}`, `t/${id}/structure`);
  }
  paintEvents(id);
  const doc = id === null ? null : read(`t/${id}`);
  const words = doc ? wallWords(doc, now, { zone, away: freshness !== "fresh" }) : null;
  at("clock").hidden = at("seats").hidden = words === null;
  at("empty").hidden = words !== null;
  put(at("empty"), closed ?? (id !== null && session.documents.has(`t/${id}`) ? "There is no such event." : read("events") ? "No event yet." : ""));
  if (words) paintClock(doc, words, now, id);
  timer = setTimeout(paint, Math.max(4, Math.min(words?.repaint_in ?? LOOK, LOOK)));
}

function paintEvents(id) {
  const all = read("events")?.events ?? [];
  at("events").hidden = all.length < 2;
  fill(at("events"), JSON.stringify([id, all.map((each) => [each.id, each.name])]), () => all.map((each) => {
    const made = el("a", each.name || `event ${each.id}`);
    made.href = `/phone?event=${encodeURIComponent(each.id)}`;
    if (each.id === id) made.setAttribute("aria-current", "true");
    return made;
  }));
}

function paintClock(doc, words, now, id) {
  put(at("name"), words.title);
  document.title = words.digits ? `${words.digits} · ${words.title}` : words.title;
  page.dataset.state = words.state;
  page.dataset.held = words.held;
  at("band").hidden = words.band === "";
  put(at("band").firstElementChild, words.band);
  put(at("band").lastElementChild, words.band_detail);
  put(at("label"), words.hero_label);
  put(at("hero"), words.hero);
  at("hero").dataset.kind = words.hero_kind;
  at("hero").dataset.long = words.hero.length > 5;
  put(at("under"), words.under);
  at("bar").hidden = words.progress === null;
  at("bar").firstElementChild.style.setProperty("--part", String((words.progress ?? 0) / 1_000));
  put(at("blinds"), words.blinds);
  at("blinds").dataset.long = words.blinds.length > 16;
  put(at("ante"), words.ante);
  put(at("announced"), words.announcement);
  const facts = [words.stage, words.players, words.average, words.break_in, words.entry, words.money, words.hard_stop].filter(Boolean);
  fill(at("facts"), JSON.stringify(facts), () => facts.map(({ label, value, note }) => {
    const box = el("div");
    box.append(el("dt", label), el("dd", value), ...(note ? [el("dd", note)] : []));
    return box;
  }));
  paintPlaces(doc);
  paintNext(doc, read(`t/${id}/structure`), now);
}

/** The best places that are known: when all is over, or once somebody is out. */
function paintPlaces({ field, clock }) {
  const best = [...field.finishes].sort((a, b) => a.place - b.place).slice(0, AHEAD);
  at("places").hidden = best.length === 0 || clock.status !== "finished";
  fill(at("places").lastElementChild, JSON.stringify(best), () => best.map((each) => row(place(each.place), each.name || each.player, "")));
}

/** What comes next: all that is written in the structure, or at least the next step. */
function paintNext(doc, structure, now) {
  const late = structure?.stands && now !== null ? Math.max(0, now - structure.now) : 0;
  const known = structure ? structure.steps.filter(({ state }) => state === "ahead").slice(0, AHEAD) : doc.clock.next ? [doc.clock.next] : [];
  at("next").hidden = known.length === 0 || doc.clock.status === "finished";
  const rows = known.map((step) => {
    const long = step.hands ? counted(step.hands, "hand") : step.minutes === null ? "" : `${step.minutes} min`;
    const starts = step.starts_at ? timeOfDay(step.starts_at + late, zone) : "";
    const what = step.phase === "break" ? "Break" : [blinds(step), shortAnte(step)].filter(Boolean).join(" · ");
    return [step.phase === "break" ? "" : `level ${step.level}`, what, [starts && `≈ ${starts}`, long].filter(Boolean).join(" · ")];
  });
  fill(at("next").lastElementChild, JSON.stringify(rows), () => rows.map((each) => row(...each)));
}

function row(what, main, when) {
  const made = el("li");
  made.append(el("span", what, "what"), el("strong", main), el("span", when, "when"));
  return made;
}

// ── where one sits ──────────────────────────────────────────────────────────────────────────────

let asking = 0;

async function search() {
  const name = at("who").value.trim();
  const mine = (asking += 1);
  if (name.length < SHORTEST) return found("", []);
  const asked = new URLSearchParams({ event: event() ?? "", name });
  const answer = await fetch(`/api/v1/seats?${asked}`).catch(() => null);
  const body = await answer?.json().catch(() => null);
  if (mine !== asking) return null; // a later question is under way
  if (!answer?.ok) return found(body?.text ?? "The hub does not answer just now.", []);
  return found(body.seats.length > 0 ? "" : "Nobody of that name has a seat.", body.seats);
}

function found(words, seats) {
  at("found").replaceChildren(...(words ? [el("li", words)] : []), ...seats.map(({ name, table, seat }) => {
    const made = el("li");
    made.append(el("span", name), el("b", `table ${table} · seat ${seat}`));
    return made;
  }));
}

let typed = 0;
at("who").addEventListener("input", () => {
  clearTimeout(typed);
  typed = setTimeout(search, TYPED);
});

// ── staying awake ───────────────────────────────────────────────────────────────────────────────

let awake = null;
let stays = false;

async function stayAwake() {
  try {
    awake = stays ? await navigator.wakeLock.request("screen") : (await awake?.release(), null);
  } catch {
    awake = null; // such as a battery that is low
  }
  at("awake").setAttribute("aria-pressed", String(awake !== null));
  at("asleep").hidden = !stays || awake !== null;
  put(at("asleep"), "The phone does not allow it just now: is its battery low?");
}

at("awake").addEventListener("click", () => {
  stays = !stays;
  stayAwake();
});
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState !== "visible") return;
  if (stays) stayAwake();
  paint();
});
if (!navigator.wakeLock) {
  at("awake").disabled = true;
  at("asleep").hidden = false;
  put(at("asleep"), "Browsers keep the screen on only for pages that come by https.");
}

link.follow("events");
link.start();
paint();
