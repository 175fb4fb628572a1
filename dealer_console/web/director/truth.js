// The banner of truth: what happened to the hub, what was assumed, what can be done.

import { age, change } from "./amounts.js";
import { truths } from "./needs.js";
import { button, el, mark, put, rows, show } from "./parts.js";

/** Make the banner. */
export function truthView(app, host) {
  function make(truth) {
    const node = el("section", "truth", el("b"), el("span", "text"), el("span", "does"));
    if (truth.gap !== undefined) {
      node.lastChild.append(el("span", "gives"), button("Understood", () => app.room.wish("gap.clear", { gap: truth.gap }), { kind: "small" }));
    }
    return node;
  }
  return function paint(now, fresh, silentFor) {
    const { room } = app;
    const all = truths({ hub: room.read("hub"), events: room.events, freshness: fresh, silentFor, closed: room.closed });
    show(host, all.length > 0);
    rows(host, all, ({ key }) => key, make, (node, truth) => {
      mark(node, "tone", truth.tone);
      const [title, text, does] = node.children;
      put(title, truth.silentFor ? `${truth.title} for ${age(truth.silentFor)}` : truth.title);
      put(text, truth.text);
      if (truth.gap === undefined) return;
      const [gives, clear] = does.children;
      show(clear, room.may("gap.clear"));
      const givable = room.may("gap.give_back") ? truth.acts : [];
      rows(gives, givable, ({ event }) => event, ({ event }) => button("", () => room.wish("gap.give_back", { event, gap: truth.gap }), { kind: "small" }), (made, { name, ms }) => {
        put(made.firstChild, `Give ${change(ms)} back${truth.acts.length > 1 ? ` to ${name}` : ""}`);
      });
    });
  };
}
