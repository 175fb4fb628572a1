// The list of what needs the director, with the one thing to do about each.

import { act, possible } from "./acts.js";
import { age } from "./amounts.js";
import { digits, remaining } from "./clockface.js";
import { needs } from "./needs.js";
import { button, el, mark, put, relabel, rows, show } from "./parts.js";

/** What each kind's button says, what it does, and the right it needs. */
const DOES = {
  rule: ["Rule", (app, need) => app.drawer.open(need.table), "action.ruling"],
  answer: ["Answer", (app, need) => app.room.act("floor.clear", { table: need.table }), "floor.clear"],
  open: ["Look", (app, need) => app.drawer.open(need.table), "floor.clear"],
  seen: ["Seen", (app, need) => app.room.act("silence.seen", { table: need.table }), "silence.seen"],
  runout: ["Run out", (app, need) => app.room.act("h4h.runout", { table: need.table }), "h4h.runout"],
  release: ["Release", (app) => { if (possible(app, act("release"))) act("release").run(app); }, "h4h.next"],
  approve: ["Approve", (app, need) => app.approve(need.code), "device.pair"],
  devices: ["Look", (app) => app.show("devices"), "device.rename"],
};

/** The other thing that can be done about a kind: what was assumed is taken back. */
const TAKES_BACK = (app, need) => app.room.act("undo", { command: need.tap }, { words: `table ${need.table}: undo the last tap of the silence` });

const MARKS = { floor: "⚑", ruling: "!", called: "!", code: "+", ask: "?", silent: "◌", unanswered: "◌", screen: "◌", release: "▸", runout: "▸", interrupted: "❚❚", assumed: "◌", timer: "⏱", plain: "△" };

/** List what needs the director in this room, now. */
export function roomNeeds(app, now) {
  const { room } = app;
  return needs({
    event: room.event, doc: room.of(), tables: room.of("tables"), duty: room.of("duty"), floor: room.of("floor"), devices: room.read("devices"), hub: room.read("hub"), gone: room.gone, now,
  });
}

/** Make the list. */
export function needList(app) {
  const list = el("div", "needs");
  const calm = el("p", "calm", "Nothing. All is well.");
  const host = el("div", "", list, calm);
  host.paint = (now, most = 12) => {
    const all = roomNeeds(app, now);
    const shown = all.slice(0, most);
    show(calm, all.length === 0);
    rows(list, shown, (need) => [need.kind, need.table, need.code, need.device, need.kind === "timer" && need.text].join("/"), () => {
      const node = el("div", "need", el("b"), el("span", "what", el("span"), el("small")), el("time"));
      node.append(button("Undo tap", () => TAKES_BACK(app, node.need), { kind: "small" }));
      node.append(button("", () => DOES[node.need.act]?.[1](app, node.need), { kind: "small" }));
      return node;
    }, (node, need) => {
      node.need = need;
      mark(node, "kind", need.kind);
      const [sign, what, time, back, does] = node.children;
      show(back, Boolean(need.tap) && app.room.may("undo"));
      put(sign, MARKS[need.kind] ?? "·");
      put(what.firstChild, need.text);
      put(what.lastChild, need.note);
      put(time, need.left && now !== null ? digits(remaining(need.left, now)) : need.age === null || need.age === undefined ? "" : age(need.age));
      const [words, , right] = DOES[need.act] ?? ["", null, ""];
      show(does, words !== "" && app.room.may(right));
      relabel(does, words);
    });
    return all.length;
  };
  return host;
}
