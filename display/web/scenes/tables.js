// The scene `tables`: every table of an event with its free seats, as far as the hub knows them.

import { wallWords } from "../scenes.js";
import { boardWords } from "../table.js";
import { page, pageFlip, head } from "./lobby.js";
import { el, fit, mark, put, show } from "./parts.js";

const TILES = 24;

/** Show the tables of an event. */
export function tablesScene(host, { event }) {
  const top = head("TABLES");
  const summary = el("p", "summary");
  const tiles = el("div", "tiles");
  const empty = el("p", "empty", "No table is open.");
  host.append(el("section", "tables", top.root, summary, tiles, empty));
  return {
    topics: [`t/${event}`, `t/${event}/tables`],
    badge: top.badge,
    sounds: { event: `t/${event}` },
    paint({ read, now, zone, away, time }) {
      put(top.clock, time);
      const doc = read(`t/${event}`);
      const board = read(`t/${event}/tables`);
      if (!doc) return null;
      const words = wallWords(doc, now, { zone, away });
      fit(top.title, doc.name);
      const list = board ? boardWords(board) : [];
      const { shown, number, pages } = page(list, TILES, now);
      put(top.note, pages > 1 ? `${number} of ${pages}` : "");
      const status = [words.band, words.band ? words.band_detail : `level ${words.level} · ${words.blinds}`, words.digits];
      fit(summary, status.filter(Boolean).join(" · "));
      mark(summary, "state", words.state);
      show(empty, Boolean(board) && list.length === 0);
      mark(tiles, "count", shown.length <= 6 ? "few" : shown.length <= 12 ? "some" : "many");
      while (tiles.childElementCount > shown.length) tiles.lastElementChild.remove();
      while (tiles.childElementCount < shown.length) {
        tiles.append(el("article", "tile", el("h2", "number"), el("p", "players"), el("p", "free"), el("p", "word")));
      }
      for (const [index, each] of shown.entries()) paintTile(tiles.children[index], each);
      const flips = [words.repaint_in, pageFlip(pages, now)].filter((flip) => flip !== null);
      return flips.length > 0 ? Math.min(...flips) : null;
    },
  };
}

function paintTile(made, { table, players, free, word, mark: kind }) {
  const [number, count, seats, state] = made.children;
  put(number, String(table));
  fit(count, players);
  fit(seats, free);
  put(state, word);
  show(state, word !== "");
  mark(made, "mark", kind);
}
