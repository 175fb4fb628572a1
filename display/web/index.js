// The hub's front page: every event's clock, live, and the way to every other page.
//
// A director who comes by the link that the hub printed is shown on to the console, where there is one.

import { next, phase } from "./brief.js";
import { digits, nextFlip, remaining } from "./clock.js";
import { device, forgetToken, hubAddress, keepToken, token } from "./identity.js";
import { Link, Session } from "./link.js";

/** Where people go from here, in the order in which they look for it. */
const WAYS = [
  ["/director", "Director", "run the room: clocks, tables, screens"],
  ["/dealer", "Dealer", "the action clock of one table"],
  ["/wall", "Wall screen", "open it on a TV; it shows a code"],
  ["/phone", "Phone", "the clock and your seat, to look at"],
  ["/flash", "Flash test", "do two screens change at once?"],
  ["/legacy", "Old TV", "for browsers of ten years ago"],
];
const CONSOLE = "/director";

const invited = location.hash.includes("token="); // read before the token is taken out of the address
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
    if (invited && ["floor", "director"].includes(news.role)) showOn();
  }
  if (news.type === "shown" && news.topic === "events") follow(news.doc.events);
  paint();
}

function onclosed(reason) {
  closed = String(reason?.message ?? reason);
  forgetToken(); // what the hub does not know is worth nothing
  paint();
}

/** The pages that this hub has. */
const pages = fetch("/pages.json").then((answer) => answer.json()).catch(() => []);

/** Go on to the console: its token has been kept by now. */
async function showOn() {
  if ((await pages).includes(CONSOLE)) location.replace(CONSOLE);
}

/** Offer the way to every page that there is. */
async function offerWays() {
  const there = await pages;
  const ways = WAYS.filter(([address]) => there.includes(address)).map(([address, name, what]) => {
    const way = document.createElement("a");
    const [title, words] = ["strong", "span"].map((tag) => document.createElement(tag));
    way.href = address;
    title.textContent = name;
    words.textContent = what;
    way.append(title, words);
    return way;
  });
  document.querySelector("#ways").replaceChildren(...ways);
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
  for (const id of wanted) if (!cards.has(id)) cards.set(id, card());
  link.follow(...[...wanted].map((id) => `t/${id}`)); // in as few messages as it takes: they are counted
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

// The director's link, opened where this page is open already, only changes the fragment.
addEventListener("hashchange", () => { if (location.hash.includes("token=")) location.reload(); });

link.follow("events");
link.start();
offerWays();
paint();
