// The scene `payouts`: who has finished where, and how far the money is; nothing that is not known.

import { wallWords } from "../scenes.js";
import { place } from "../words.js";
import { page, pageFlip, head } from "./lobby.js";
import { el, fit, mark, paintFacts, put, show } from "./parts.js";

const LINES = 10;

/** Show the places of an event, the best first. Prizes come when the hub knows them. */
export function payoutsScene(host, { event }) {
  const top = head("PLACES");
  const facts = el("div", "cards");
  const lines = el("ol", "places");
  const empty = el("p", "empty", "Nobody is out yet.");
  host.append(el("section", "payouts", top.root, facts, el("div", "stage", lines, empty)));
  return {
    topics: [`t/${event}`],
    badge: top.badge,
    sounds: { event: `t/${event}` },
    paint({ read, now, zone, away, time }) {
      put(top.clock, time);
      const doc = read(`t/${event}`);
      if (!doc) return null;
      const words = wallWords(doc, now, { zone, away });
      fit(top.title, `${doc.name} · places`);
      const out = [...doc.field.finishes].sort((a, b) => a.place - b.place);
      const { shown, number, pages } = page(out, LINES, now);
      put(top.note, pages > 1 ? `${number} of ${pages}` : "");
      const how = { label: words.band ? "the clock" : `level ${words.level}`, value: words.band || words.digits, note: words.band ? words.digits : words.blinds };
      paintFacts(facts, [how, words.players, words.money].filter(Boolean), "card");
      mark(facts, "state", words.state);
      show(empty, out.length === 0);
      mark(lines, "count", shown.length <= LINES / 2 ? "few" : "many");
      while (lines.childElementCount > shown.length) lines.lastElementChild.remove();
      while (lines.childElementCount < shown.length) lines.append(el("li", "line", el("span", "rank"), el("span", "who"), el("span", "shared")));
      for (const [index, each] of shown.entries()) paintLine(lines.children[index], each);
      return [words.repaint_in, pageFlip(pages, now)].filter((flip) => flip !== null).reduce((a, b) => Math.min(a, b), Infinity);
    },
  };
}

function paintLine(made, finish) {
  const [rank, who, shared] = made.children;
  mark(made, "first", finish.place === 1);
  put(rank, place(finish.place));
  fit(who, finish.name || finish.player);
  put(shared, finish.shared > 1 ? `shared by ${finish.shared}` : "");
}
