// Finding anything that can be done, by a few letters; and the sheet of all keys.

import { ACTS, possible } from "./acts.js";
import { button, el, input, keycap, put } from "./parts.js";
import { found } from "./search.js";

/** Search and keys. */
export class Palette {
  constructor(app) {
    this._app = app;
  }

  /** List what can be done now: every act, and every table. */
  _all() {
    const app = this._app;
    const acts = ACTS.filter((each) => possible(app, each)).map((each) => ({ words: each.words(app), key: each.key, run: () => each.run(app) }));
    const tables = Object.keys(app.room.of("tables")?.tables ?? {}).map((table) => ({ words: `Table ${table}`, key: "", run: () => app.drawer.open(Number(table)) }));
    const events = app.room.events.map(({ id, name }) => ({ words: `Event ${name}`, key: "", run: () => app.room.look(id) }));
    return [...acts, ...tables, ...events];
  }

  open() {
    const all = this._all();
    const query = input("", { placeholder: "pause, announce, table 7 …", wide: true });
    const list = el("div", "list finds");
    let shown = [];
    let at = 0;
    const paint = () => {
      shown = found(query.value, all, ({ words }) => words).slice(0, 9);
      at = Math.min(at, Math.max(0, shown.length - 1));
      list.replaceChildren(...shown.map((each, index) => {
        const made = button(each.words, () => choose(each), { kind: "find" });
        if (each.key) made.append(keycap(each.key));
        made.setAttribute("aria-selected", String(index === at));
        made.tabIndex = -1;
        return made;
      }));
    };
    const choose = (each) => {
      this._app.sheet.close();
      each.run();
    };
    query.addEventListener("input", () => { at = 0; paint(); });
    query.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step !== undefined) {
        event.preventDefault();
        at = (at + step + shown.length) % Math.max(1, shown.length);
        paint();
      } else if (event.key === "Enter") {
        event.preventDefault();
        if (shown[at]) choose(shown[at]);
      }
    });
    this._app.sheet.open({ title: "Do anything", name: "broad palette", body: [query, list] });
    paint();
  }

  /** Show every key. */
  keys() {
    const groups = new Map();
    for (const each of ACTS.filter(({ key, right }) => key !== "" && (right === "" || this._app.room.may(right)))) {
      groups.set(each.group, [...(groups.get(each.group) ?? []), each]);
    }
    const line = (words, key) => el("p", "line", keycap(key), el("span", "grow", words));
    const table = [["→", "start the clock, next player, go on"], ["x", "fold"], ["k", "count a bet"], ["i", "time bank +1"], ["s", "next street"], ["o", "hand over, new hand"], ["c", "call the clock"], ["esc", "close"]];
    const body = [...groups].map(([name, acts]) => el("section", "", el("h3", "label", name), ...acts.map((each) => line(words(each, this._app), each.key))));
    body.push(el("section", "", el("h3", "label", "With a table open"), ...table.map(([key, said]) => line(said, key))));
    const sheet = this._app.sheet.open({ title: "Keys", name: "broad keys", body });
    put(sheet.querySelector(".close .words") ?? el("i"), "Close");
  }
}

/** Say an act for the sheet of keys: without what it happens to mean just now. */
function words(each, app) {
  const plain = { start: "start, pause, resume", undo: "undo the last command", break: "break now, or end it", bubble: "announce hand-for-hand", release: "release the next hand" };
  return plain[each.id] ?? each.words(app).toLowerCase();
}
