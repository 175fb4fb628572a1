// The face of one event's clock: used by a whole screen and, smaller, by a grid of events.

import { grouped } from "../words.js";
import { chip, el, fit, mark, paintFacts, put, shape, show } from "./parts.js";

const MOST_SEGMENTS = 48;

/** Make a face in a host; `paint` shows an event's words on it. */
export function face(host, { small = false } = {}) {
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
    bar: el("div", "bar"),
    fill: el("i", "fill"),
    segments: el("div", "segments"),
    blinds: el("p", "blinds"),
    ante: el("p", "ante"),
    chips: el("div", "chips"),
    cards: el("div", "cards"),
    foot: el("p", "foot"),
  };
  at.bar.append(at.fill, at.segments);
  at.band.append(at.shape, at.title, at.detail);
  at.root.append(
    el("header", "head", shape("spade"), at.name, at.clock, at.badge),
    at.band,
    at.left,
    el("div", "mid", at.caption, at.digits, at.winner, at.bar, at.blinds, at.ante),
    at.right,
    at.chips,
    at.cards,
    at.foot,
  );
  host.append(at.root);
  return { root: at.root, paint: (words, time) => paint(at, words, time) };
}

function paint(at, words, time) {
  mark(at.root, "state", words.state);
  mark(at.root, "held", words.held);
  mark(at.name, "long", words.name.length > 28);
  fit(at.name, words.name);
  put(at.clock, time);
  paintBand(at, words);
  paintFacts(at.left, words.left);
  paintFacts(at.right, words.right);
  paintMiddle(at, words);
  paintChips(at, words.chips);
  paintFacts(at.cards, words.cards, "card");
  put(at.foot, words.foot.text);
  mark(at.foot, "announced", words.foot.announced);
  mark(at.foot, "long", words.foot.text.length > 90);
}

function paintBand(at, words) {
  show(at.band, words.title !== "");
  mark(at.root, "band", words.title !== "");
  if (at.band.dataset.shape !== words.state) {
    at.band.dataset.shape = words.state;
    at.shape.redraw(words.state);
  }
  put(at.title, words.title);
  put(at.detail, words.detail);
  mark(at.band, "long", words.detail.length > 46 ? (words.detail.length > 110 ? "very" : "yes") : "no");
}

function paintMiddle(at, words) {
  const won = words.winners.join(" · ");
  const caption = won ? (words.winners.length > 1 ? "winners" : "winner") : words.caption;
  put(at.caption, caption);
  show(at.caption, caption !== "");
  mark(at.root, "caption", caption !== "");
  at.digits.text = words.digits;
  show(at.digits, words.digits !== "");
  show(at.winner, won !== "");
  if (won) fit(at.winner, won);
  paintBar(at, words);
  const next = words.phase === "break" && words.next ? words.next : null;
  fit(at.blinds, next ? next.value : words.blinds);
  fit(at.ante, next ? [next.label, next.note].filter(Boolean).join(" · ") : words.ante);
  show(at.blinds, at.blinds.textContent !== "");
  show(at.ante, at.ante.textContent !== "");
}

function paintBar(at, { progress, tablesDone }) {
  const count = tablesDone && tablesDone.tables <= MOST_SEGMENTS ? tablesDone.tables : 0;
  while (at.segments.childElementCount > count) at.segments.lastElementChild.remove();
  while (at.segments.childElementCount < count) at.segments.append(el("i"));
  for (const [index, each] of [...at.segments.children].entries()) mark(each, "done", index < tablesDone.done);
  show(at.segments, count > 0);
  show(at.fill, count === 0);
  show(at.bar, progress !== null || count > 0);
  if (progress !== null) at.fill.style.setProperty("--part", String(Math.ceil(progress * 1_000) / 1_000));
}

function paintChips(at, chips) {
  const shown = chips.slice(0, 4).join(" ");
  mark(at.root, "chips", chips.length > 0);
  if (at.chips.dataset.shown === shown) return;
  at.chips.dataset.shown = shown;
  at.chips.replaceChildren();
  if (chips.length === 0) return;
  const drawn = el("div", "drawn", ...chips.slice(0, 4).map((value) => chip(value, grouped(value))));
  mark(drawn, "count", Math.min(4, chips.length));
  at.chips.append(
    el("p", "label", "remove from play"),
    drawn,
    el("p", "value", `${chips.map(grouped).join(", ")} chips`),
    el("p", "note", "colour-up at your table"),
  );
}
