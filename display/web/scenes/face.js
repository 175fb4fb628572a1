// The face of one event's clock: used by a whole screen and, smaller, by a grid of events.

import { counted, grouped } from "../words.js";
import { chip, el, fit, mark, paintFacts, put, shape, show } from "./parts.js";

const MOST_SEGMENTS = 48;
const MOST_CHIPS = 4;

/** States that say by themselves what their digits are. */
const PLAIN = new Set(["playing", "last-minute", "paused", "hard-stop", "break"]);

/** States in which people have time for their phones, and room is left for a code to scan. */
const SCANNED = new Set(["playing", "waiting", "break", "suspended", "finished"]);

/** Make a face in a host; `paint` shows an event's words on it, and a QR code to it if `event` is given. */
export function face(host, { small = false, event = null } = {}) {
  const at = {
    root: el("section", small ? "face small" : "face"),
    name: el("h1", "name"),
    clock: el("time", "tod"),
    badge: el("p", "badge"),
    band: el("div", "band"),
    shape: shape("paused"),
    title: el("strong", "title"),
    detail: el("span", "detail"),
    left: el("div", "side left"),
    right: el("div", "side right"),
    caption: el("p", "caption"),
    digits: document.createElement("rb-digits"),
    winner: el("p", "winner"),
    under: el("p", "under"),
    bar: el("div", "bar"),
    fill: el("i", "fill"),
    segments: el("div", "segments"),
    blinds: el("p", "blinds"),
    ante: el("p", "ante"),
    chips: el("div", "chips"),
    cards: el("div", "cards"),
    foot: el("p", "foot"),
    code: event === null ? null : code(event),
  };
  at.bar.append(at.fill, at.segments);
  at.band.append(at.shape, at.title, at.detail);
  at.root.append(
    el("header", "head", el("span", "mark"), at.name, at.clock, at.badge),
    at.band,
    at.left,
    el("div", "mid", at.caption, at.digits, at.winner, at.under, at.bar, at.blinds, at.ante),
    at.right,
    at.chips,
    at.cards,
    at.foot,
  );
  if (at.code) at.root.append(at.code);
  host.append(at.root);
  return { root: at.root, paint: (words) => paint(at, words) };
}

/** Make the code that leads a phone to this event. */
function code(event) {
  const image = el("img");
  image.alt = "";
  image.src = `/qr.svg?to=${encodeURIComponent(`/phone?event=${event}`)}`;
  return el("figure", "code", image, el("figcaption", "label", "on your phone"));
}

function paint(at, words) {
  mark(at.root, "state", words.state);
  mark(at.root, "held", words.held);
  mark(at.name, "long", words.title.length > 28);
  fit(at.name, words.title);
  put(at.clock, words.time);
  paintBand(at, words);
  paintChips(at, words.chips); // first: they take room from the others
  paintFacts(at.left, words.state === "finished" ? [] : known(words.stage, words.break_in, words.entry));
  const scanned = at.code !== null && SCANNED.has(words.state) && words.chips.length === 0;
  mark(at.root, "code", scanned);
  if (at.code) show(at.code, scanned);
  paintFacts(at.right, words.state === "finished" ? [] : known(...right(words, scanned)));
  paintMiddle(at, words);
  paintFacts(at.cards, cards(words), "card");
  put(at.foot, words.announcement || words.footer);
  mark(at.foot, "announced", words.announcement !== "");
  mark(at.foot, "long", words.announcement.length > 90);
}

/** What stands at the right: beside a code there is room for less. */
function right({ players, average, tables }, scanned) {
  if (!scanned || !players || !tables) return scanned ? [players, average] : [players, average, tables];
  return [{ ...players, note: `${players.note} · ${counted(Number(tables.value.replaceAll(",", "")), "table")}` }, average];
}

const known = (...facts) => facts.filter(Boolean);

/** Choose what stands in the cards: what comes next, or who came next to the winner. */
function cards(words) {
  if (words.state === "finished") return words.placed;
  const onBreak = words.phase === "break";
  return known(!onBreak && words.next, words.hard_stop, onBreak && words.chips.length > 0 && words.players, words.money);
}

function paintBand(at, words) {
  show(at.band, words.band !== "");
  mark(at.root, "band", words.band !== "");
  if (at.band.dataset.shape !== words.state) {
    at.band.dataset.shape = words.state;
    at.shape.redraw(words.state);
  }
  put(at.title, words.band);
  // What is the largest thing on the screen already is not said again above it.
  const detail = words.band_detail.split(" · ").filter((part) => part !== `${words.hero} ${words.hero_label}`).join(" · ");
  put(at.detail, detail);
  mark(at.band, "long", detail.length > 46 ? (detail.length > 110 ? "very" : "yes") : "no");
}

function paintMiddle(at, words) {
  const timed = words.hero_kind === "time";
  const named = words.hero_kind === "name";
  const caption = words.caption ?? (timed && PLAIN.has(words.state) ? "" : words.hero_label);
  put(at.caption, caption);
  show(at.caption, caption !== "");
  mark(at.root, "caption", caption !== "");
  mark(at.root, "hero", words.hero_kind);
  at.digits.text = named ? "" : words.hero;
  show(at.digits, !named && words.hero !== "");
  show(at.winner, named);
  if (named) fit(at.winner, words.hero);
  fit(at.under, words.under);
  show(at.under, words.under !== "");
  mark(at.root, "under", words.under !== "");
  paintBar(at, words);
  const next = words.phase === "break" ? words.next : null;
  fit(at.blinds, next ? next.value : words.blinds);
  fit(at.ante, next ? [next.label, next.note].filter(Boolean).join(" · ") : words.ante);
  show(at.blinds, at.blinds.textContent !== "");
  show(at.ante, at.ante.textContent !== "");
}

function paintBar(at, { progress, done, total }) {
  const count = total <= MOST_SEGMENTS ? total : 0;
  while (at.segments.childElementCount > count) at.segments.lastElementChild.remove();
  while (at.segments.childElementCount < count) at.segments.append(el("i"));
  for (const [index, each] of [...at.segments.children].entries()) mark(each, "done", index < done);
  show(at.segments, count > 0);
  show(at.fill, count === 0);
  show(at.bar, progress !== null || count > 0);
  if (progress !== null) at.fill.style.setProperty("--part", String(progress / 1_000));
}

function paintChips(at, chips) {
  const drawn = chips.slice(0, MOST_CHIPS);
  mark(at.root, "chips", chips.length > 0);
  if (at.chips.dataset.shown === drawn.join(" ")) return;
  at.chips.dataset.shown = drawn.join(" ");
  at.chips.replaceChildren();
  if (chips.length === 0) return;
  const row = el("div", "drawn", ...drawn.map((value) => chip(value, grouped(value))));
  mark(row, "count", drawn.length);
  at.chips.append(
    el("p", "label", "remove from play"),
    row,
    el("p", "value", `${chips.map(grouped).join(", ")} chips`),
    el("p", "note", "colour-up at your table"),
  );
}
