// The door: what a tablet shows until the floor has let it in, and whenever it may not work.

import { digits } from "/web/clock.js";
import { el, mark, put, show } from "/web/scenes/parts.js";

import { press } from "./press.js";

/** What keeps a tablet outside, in words: a title and what to do. */
const TROUBLES = {
  insecure: [
    "THIS PAGE IS NOT SECURE",
    "The hub gives no table to a page that was opened by http. Ask the director: the hub needs https, or --plain.",
  ],
  paired: ["THIS DEVICE ONLY WATCHES", "The floor has let it in, but not to a table: ask for one."],
  busy: ["TOO MANY DEVICES ASK", "Wait a moment: this one asks again by itself."],
  version: ["THIS PAGE IS TOO OLD", "The hub has been renewed. Load the page again."],
  closed: ["SHOWN OUT", "The hub has closed the connection."],
};

/** The screen before the table. */
export class Door {
  constructor(root, { again, choose }) {
    this.root = root;
    this._choose = choose;
    this.at = {
      title: el("h1", "title"),
      code: el("p", "code"),
      detail: el("p", "detail"),
      tables: el("div", "tables"),
      again: el("button", "again", "TRY AGAIN"),
    };
    this.at.code.setAttribute("role", "img");
    press(this.at.again, { tap: again });
    root.replaceChildren(el("p", "brand", "Railbird · dealer"), ...Object.values(this.at));
  }

  _say(kind, title, detail, { code = "", again = false, tables = [] } = {}) {
    const { at } = this;
    mark(this.root, "kind", kind);
    put(at.title, title);
    put(at.detail, detail);
    show(at.again, again);
    show(at.code, code !== "");
    if (at.code.getAttribute("aria-label") !== code) {
      at.code.setAttribute("aria-label", code);
      at.code.replaceChildren(...[...code].map((letter) => el("span", "", letter)));
    }
    this._offer(tables);
    show(this.root, true);
  }

  /** Looking for the hub. */
  waiting(freshness) {
    const lost = freshness === "stale";
    this._say("waiting", lost ? "LOOKING FOR THE HUB" : "ONE MOMENT", lost ? `No answer from ${location.host} yet.` : "");
  }

  /** Show the code that the floor has to type. */
  code(code, left) {
    const rest = left === null ? "" : `This code is good for another ${digits(left)}. A new one comes by itself.`;
    this._say("code", "Show this code to the floor", rest, { code });
  }

  /** Say what keeps the tablet outside. */
  trouble(kind, reason = "") {
    const [title, detail] = TROUBLES[kind] ?? TROUBLES.closed;
    this._say("trouble", title, [reason, detail].filter(Boolean).join(" · "), { again: kind !== "busy" });
  }

  /** This browser belongs to the floor: which table should it work? */
  tables(role, found) {
    const detail = found.length > 0 ? "Taps from here count as the floor's." : "No table is open.";
    this._say("tables", `This is the ${role}'s device. Work which table?`, detail, { tables: found });
  }

  _offer(tables) {
    const { at } = this;
    const form = JSON.stringify(tables);
    if (at.tables.dataset.form === form) return;
    at.tables.dataset.form = form;
    at.tables.replaceChildren(...tables.map(({ event, table, label }) => {
      const made = el("button", "", label);
      press(made, { tap: () => this._choose(event, table), release: true });
      return made;
    }));
  }

  hide() {
    show(this.root, false);
  }
}
