// While walking: the five things that a director needs on a phone, under the thumb.

import { act, possible, startWords, undoWords } from "./acts.js";
import { bubbleLine, releaseWords } from "./cost.js";
import { needList } from "./needlist.js";
import { button, el, mark, put, relabel, show } from "./parts.js";

/** Make the view: pause, floor calls, the clock on a seat, hand-for-hand, announce and undo. */
export function walkView(app) {
  const needs = needList(app);
  const run = (id) => () => act(id).run(app);
  const pause = button("Pause", run("start"), { kind: "huge" });
  const clock = button("Call the clock", run("clockon"), { kind: "huge" });
  const h4h = button("Hand-for-hand", () => act(holding() ? "release" : "bubble").run(app), { kind: "huge h4h" });
  const said = el("p", "bubbleline");
  const end = button("End hand-for-hand", run("endbubble"), { kind: "huge" });
  const announce = button("Announce", run("announce"), { kind: "huge" });
  const undo = button("Undo", run("undo"), { kind: "huge undo" });
  const holding = () => app.room.of()?.h4h.status !== "off";
  const thumb = el("section", "thumb", said, h4h, clock, announce, undo, end);
  const host = el("div", "walk", pause, el("section", "card", el("h2", "label", "Needs you"), needs), thumb);
  return {
    host,
    paint(now) {
      needs.paint(now);
      const doc = app.room.of();
      show(host, doc !== null);
      if (doc === null) return;
      const words = startWords(app);
      relabel(pause, words === "Pause" ? "❚❚ Pause the room" : words === "Held" ? "Clock held" : words === "Over" ? "Finished" : `▶ ${words}`);
      pause.disabled = words === "Held" || !possible(app, act("start"));
      mark(pause, "state", words);
      const on = doc.h4h.status !== "off";
      show(said, on);
      mark(thumb, "on", on);
      show(end, on && app.room.may("h4h.end"));
      if (on) {
        const { words: release, cost } = releaseWords(doc, now);
        put(said, `HAND FOR HAND · ${bubbleLine(doc)}`);
        relabel(h4h, doc.h4h.status === "holding" ? `${release} (${cost})` : "Waiting for the tables");
        h4h.disabled = doc.h4h.status !== "holding" || !app.room.may("h4h.next");
      } else {
        relabel(h4h, "Hand-for-hand");
        h4h.disabled = !possible(app, act("bubble"));
      }
      mark(h4h, "ready", doc.h4h.status === "holding");
      clock.disabled = !possible(app, act("clockon"));
      relabel(undo, `↶ ${undoWords(app)}`);
      undo.disabled = !possible(app, act("undo"));
    },
  };
}
