// The scenes `lobby` (all events, one line each) and `grid` (two to four clocks).

import { lobbyWords, wallWords } from "../scenes.js";
import { face } from "./face.js";
import { el, fit, mark, put, shape, show } from "./parts.js";

const ROWS = 6;
const CELLS = 4;

/** Milliseconds that a page of a longer list stays; by hub time, so that all walls turn together. */
export const PAGE = 10_000;

/** Give the page of a list that is to be seen now. */
export function page(list, size, now) {
  const pages = Math.max(1, Math.ceil(list.length / size));
  const number = Math.floor((now ?? 0) / PAGE) % pages;
  return { shown: list.slice(number * size, (number + 1) * size), number: number + 1, pages };
}

/** Milliseconds until the page turns. */
export function pageFlip(pages, now) {
  return pages > 1 && now !== null ? PAGE - (now % PAGE) : null;
}

const soonest = (...flips) => flips.filter((flip) => flip !== null).reduce((a, b) => Math.min(a, b), Infinity);
const orNull = (flip) => (flip === Infinity ? null : flip);

/** The events wanted, or all that are not over; those over only when nothing else is there. */
function wanted(read, events) {
  const all = read("events")?.events ?? [];
  if (events.length > 0) return events;
  const open = all.filter(({ status }) => status !== "finished");
  return (open.length > 0 ? open : all).map(({ id }) => id);
}

/** Make the head that scenes without a face of their own have. */
export function head(title) {
  const at = { title: el("h1", "name"), note: el("p", "page"), clock: el("time", "tod"), badge: el("p", "badge") };
  put(at.title, title);
  return { ...at, root: el("header", "head", el("span", "mark"), at.title, at.note, at.clock, at.badge) };
}

/** List all events. */
export function lobbyScene(host) {
  const top = head("EVENTS");
  const rows = el("div", "rows");
  const empty = el("p", "empty", "No event yet.");
  host.append(el("section", "lobby", top.root, rows, empty));
  return {
    topics: ["events"],
    badge: top.badge,
    more: ({ read }) => (read("events")?.events ?? []).slice(0, 40).map(({ id }) => `t/${id}`),
    paint({ read, now, zone, away, time }) {
      put(top.clock, time);
      const docs = (read("events")?.events ?? []).map(({ id }) => read(`t/${id}`)).filter(Boolean);
      show(empty, docs.length === 0 && Boolean(read("events")));
      const { shown, number, pages } = page(docs, ROWS, now);
      put(top.note, pages > 1 ? `${number} of ${pages}` : "");
      mark(rows, "count", shown.length <= 4 ? "few" : "many");
      while (rows.childElementCount > shown.length) rows.lastElementChild.remove();
      while (rows.childElementCount < shown.length) rows.append(row());
      const flips = shown.map((doc, index) => paintRow(rows.children[index], lobbyWords(doc, now, { zone, away })));
      return orNull(soonest(pageFlip(pages, now), ...flips));
    },
  };
}

function row() {
  const say = el("p", "say", el("strong", "status"), el("span", "detail"));
  return el("article", "row", shape("playing"), el("h2", "name"), say, el("p", "line"), el("p", "players"), document.createElement("rb-digits"));
}

function paintRow(made, words) {
  const [mine, name, say, line, players, digits] = made.children;
  mark(made, "state", words.state);
  mine.redraw(words.state);
  fit(name, words.title);
  put(say.firstElementChild, words.status);
  put(say.lastElementChild, words.detail);
  fit(line, words.line);
  put(players, words.count);
  digits.text = words.digits;
  return words.repaint_in;
}

/** Show up to four clocks side by side; more take turns. */
export function gridScene(host, { events }) {
  const top = head("");
  const cells = el("div", "cells");
  const empty = el("p", "empty", "No event yet.");
  host.append(el("section", "grid", top.root, cells, empty));
  const faces = [];
  return {
    topics: ["events"],
    badge: top.badge,
    more: ({ read }) => wanted(read, events).slice(0, 40).map((id) => `t/${id}`),
    paint({ read, now, zone, away, time }) {
      put(top.clock, time);
      const docs = wanted(read, events).map((id) => read(`t/${id}`)).filter(Boolean);
      const { shown, number, pages } = page(docs, CELLS, now);
      put(top.note, pages > 1 ? `${number} of ${pages}` : "");
      fit(top.title, docs.length > 0 && docs.every(({ house }) => house === docs[0].house) ? docs[0].house : "CLOCKS");
      show(empty, docs.length === 0 && Boolean(read("events")));
      mark(cells, "count", shown.length);
      while (faces.length > shown.length) faces.pop().cell.remove();
      while (faces.length < shown.length) {
        const cell = el("div", "cell");
        cells.append(cell);
        faces.push({ cell, face: face(cell, { small: true }) });
      }
      const flips = shown.map((doc, index) => {
        const words = wallWords(doc, now, { zone, away });
        faces[index].face.paint(words);
        return words.repaint_in;
      });
      return orNull(soonest(pageFlip(pages, now), ...flips));
    },
  };
}
