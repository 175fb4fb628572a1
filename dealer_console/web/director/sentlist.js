// What was asked of the hub, at the bottom of the page: sent, confirmed, or refused in words.

import { button, el, mark, put, rows } from "./parts.js";

const WORDS = { sent: "sent", slow: "not confirmed yet", lost: "not confirmed: it will be sent again", done: "confirmed", refused: "refused" };

/** Make the list. */
export function sentView(app, host) {
  return function paint(own) {
    rows(host, app.room.ledger.shown(own), ({ number }) => number, ({ number }) => {
      const away = button("×", () => { app.room.ledger.dismiss(number); app.paint(); }, { kind: "quiet", hint: "Put it away" });
      return el("p", "act", el("b"), el("span", "how"), el("span", "text"), away);
    }, (node, { words, state, text }) => {
      mark(node, "state", state);
      put(node.children[0], words);
      put(node.children[1], WORDS[state]);
      put(node.children[2], text);
    });
  };
}
