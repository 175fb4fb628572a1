// The hub's front page: every event's clock, live. It stands on the same two modules as all pages.

import { digits, nextFlip, remaining } from "./clock.js";
import { device, forgetToken, hubAddress, keepToken, token } from "./identity.js";
import { Link, Session } from "./link.js";

const session = new Session(device(), token(), "front page");
const link = new Link(hubAddress(), session, { kind: "wall", onnews, onclosed });
const cards = new Map();
let closed = "";
let timer = 0;

function onnews(news) {
  if (news.type === "admitted") keepToken(news.token);
  if (news.type === "welcome") {
    const who = news.name ? `${news.name}, ${news.role}` : news.role;
    document.querySelector("#who").textContent = `You are here as ${who}.`;
  }
  if (news.type === "shown" && news.topic === "events") follow(news.doc.events);
  paint();
}

function onclosed(reason) {
  closed = String(reason?.message ?? reason);
  forgetToken(); // what the hub does not know is worth nothing
  paint();
}

function follow(events) {
  const wanted = new Set(events.map((event) => event.id));
  for (const id of cards.keys()) {
    if (!wanted.has(id)) {
      cards.get(id).remove();
      cards.delete(id);
      link.leave(`t/${id}`);
    }
  }
  for (const id of wanted) {
    if (!cards.has(id)) {
      cards.set(id, card());
      link.follow(`t/${id}`);
    }
  }
  document.querySelector(".empty").hidden = cards.size > 0;
}

function card() {
  const made = document.createElement("article");
  for (const [tag, name] of [["h2", "name"], ["p", "house"], ["p", "digits"], ["p", "phase"], ["p", "next"]]) {
    const part = document.createElement(tag);
    part.className = name;
    made.append(part);
  }
  document.querySelector("#events").append(made);
  return made;
}

function put(made, name, text) {
  const part = made.querySelector(`.${name}`);
  if (part.textContent !== text) part.textContent = text;
}

const number = new Intl.NumberFormat("en");
const blinds = (o) => `${number.format(o.small)} / ${number.format(o.big)}` + (o.ante ? ` (${number.format(o.ante)})` : "");

function phase(clock) {
  if (clock.status === "waiting") return "Not started";
  if (clock.status === "finished") return "Finished";
  const what = clock.phase === "break" ? "Break" : `Level ${clock.level}: ${blinds(clock)}`;
  const why = { paused: "PAUSED", suspended: "SUSPENDED" }[clock.status];
  return why ? `${why} · ${what}` : what;
}

function next(clock) {
  if (!clock.next || clock.status === "finished") return "";
  return clock.next.phase === "break" ? "Next: break" : `Next: level ${clock.next.level}, ${blinds(clock.next)}`;
}

/** Paint everything, and come back when the first digit changes. */
function paint() {
  clearTimeout(timer);
  const own = link.now();
  const now = session.clock.known ? session.clock.now(own) : null;
  let soon = 500;
  for (const [id, made] of cards) {
    const doc = session.documents.get(`t/${id}`)?.doc;
    if (!doc) continue;
    // Until the hub's time is known, a running clock has no digits that could be true.
    const left = now === null && doc.clock.ends_at !== null ? null : remaining(doc.clock, now);
    made.dataset.status = doc.clock.status;
    put(made, "name", doc.name);
    put(made, "house", doc.house);
    put(made, "digits", left === null ? "–:––" : digits(left));
    made.querySelector(".digits").classList.toggle("long", left >= 3_600_000);
    put(made, "phase", phase(doc.clock));
    put(made, "next", next(doc.clock));
    const flip = doc.clock.ends_at === null || left === null ? null : nextFlip(left);
    if (flip !== null) soon = Math.min(soon, Math.max(flip, 4));
  }
  const fresh = closed ? "stale" : session.freshness(own);
  const state = document.querySelector("#state");
  const words = { fresh: "live", coasting: "reconnecting; the clock goes on by itself", stale: "no hub" };
  state.dataset.freshness = fresh;
  state.textContent = closed || words[fresh];
  timer = setTimeout(paint, soon);
}

link.follow("events");
link.start();
paint();
