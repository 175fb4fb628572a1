// The top: events side by side, the event's clock as the wall shows it, and what rules it.

import { act, possible, startWords, undoWords } from "./acts.js";
import { ante, blinds, clockTime, grouped, label, lineWords, wallWords } from "./clockface.js";
import { button, el, mark, put, relabel, rows, show } from "./parts.js";

/** Make the strip of events and the header; `paint` gives in how many ms a digit changes. */
export function topView(app, strip, host) {
  const chips = el("div", "events");
  const time = el("span", "tod");
  const badge = el("span", "badge");
  const who = el("span", "who");
  const keys = button("Keys", () => act("keys").run(app), { kind: "quiet", key: "?" });
  const search = button("Search", () => act("search").run(app), { kind: "quiet", key: "/", hint: "Do anything, by a few letters" });
  const plus = button("+", () => act("create").run(app), { kind: "quiet new", key: "E", hint: "Create an event" });
  strip.append(chips, plus, el("span", "grow"), search, keys, app.themes.control, who, time, badge);

  const state = el("p", "state");
  const digits = document.createElement("rb-digits");
  const bar = el("div", "bar", el("i"));
  const line = el("p", "blinds", el("b"), el("span", "ante"), el("span", "next"));
  const said = el("p", "said");
  const counts = el("p", "count", el("b"), el("span"));
  const money = el("p", "money");
  const more = el("p", "more");
  const buttons = el("div", "buttons");
  host.append(el("div", "clock", state, digits, bar), el("div", "rule", line, buttons, said), el("div", "field", counts, money, more));

  const made = new Map();
  const press = (id, words, kind = "") => {
    const each = act(id);
    const one = button(words ?? "", () => each.run(app), { key: each.key, kind, hint: `${each.words(app)} (${each.key === " " ? "space" : each.key})` });
    one.dataset.act = id;
    made.set(id, one);
    return one;
  };
  buttons.append(
    press("start", "Pause", "big"), press("reason", "reason…", "narrow"), press("minus", "−1:00", "step"), press("minus30", "−0:30", "step"),
    press("plus30", "+0:30", "step"), press("plus", "+1:00", "step"), press("set", "Set", "step"), press("break", "Break now"), press("back", "◂ Level"),
    press("next", "Level ▸"), press("goto", "Go to"), press("bubble", "Hand-for-hand"), press("announce", "Announce"),
    press("undo", "Undo", "undo"), press("undos", "List", "narrow"),
  );

  function paintEvents(now, away) {
    rows(chips, app.room.events, ({ id }) => id, ({ id }) => {
      const chip = button("", () => app.room.look(id), { kind: "event" });
      chip.append(el("span", "digits"), el("span", "how"));
      return chip;
    }, (chip, event) => {
      const doc = app.room.of("", event.id);
      const words = doc ? lineWords(doc, now, away) : null;
      relabel(chip, event.name);
      put(chip.children[1], words?.digits ?? "");
      put(chip.children[2], words ? [words.band.toLowerCase(), words.count].filter(Boolean).join(" · ") : "");
      mark(chip, "state", words?.state ?? "");
      chip.setAttribute("aria-pressed", String(event.id === app.room.event));
    });
    show(plus, app.room.may("event.create"));
  }

  function paintButtons(doc) {
    for (const [id, one] of made) {
      const can = possible(app, act(id));
      if (one.disabled === can) one.disabled = !can;
    }
    const words = startWords(app);
    relabel(made.get("start"), words === "Pause" ? "❚❚ Pause" : words === "Held" ? "Held" : `▶ ${words}`);
    made.get("start").disabled ||= words === "Held" || words === "Over";
    relabel(made.get("break"), act("break").words(app));
    relabel(made.get("undo"), `↶ ${undoWords(app)}`);
    made.get("undo").title = undoWords(app);
    show(made.get("bubble"), doc.h4h.status === "off");
    for (const one of made.values()) show(one, one.dataset.act === "bubble" ? doc.h4h.status === "off" : app.room.may(act(one.dataset.act).right));
  }

  return function paint(now, away, link) {
    paintEvents(now, away);
    put(time, now === null ? "" : clockTime(now));
    put(who, app.room.welcome ? `${app.room.welcome.name || app.room.role}` : "");
    put(badge, link);
    const doc = app.room.of();
    show(host, doc !== null);
    if (doc === null) return null;
    const words = wallWords(doc, now, away);
    mark(host, "state", words.state);
    mark(host, "held", words.held);
    put(state, label(words) || words.band.toLowerCase());
    digits.text = words.digits || "–:––";
    show(bar, words.progress !== null);
    bar.firstChild.style.setProperty("--part", String((words.progress ?? 0) / 1_000));
    const { clock } = doc;
    const [now_, ante_, next_] = line.children;
    put(now_, words.blinds || (words.phase === "break" ? "Break" : words.band));
    put(ante_, words.blinds ? ante(clock) : "");
    const next = clock.next;
    put(next_, next ? `→ ${next.phase === "break" ? `break${next.minutes ? ` ${next.minutes} min` : ""}` : [blinds(next), ante(next)].filter(Boolean).join(" ")}` : "");
    const goesOn = words.state === "playing" && words.band !== ""; // the last level, and its time is up
    const notes = [goesOn && `${words.band}: ${words.band_detail}`, clock.status === "paused" && words.state === "paused" && clock.reason, doc.announcement && `On the walls: “${doc.announcement}”`];
    put(said, notes.filter(Boolean).join(" · "));
    const { entries, left, average_stack: average, to_money: away_, tables } = doc.field;
    put(counts.firstChild, grouped(left));
    put(counts.lastChild, ` of ${grouped(entries)}`);
    put(money, away_ === null || away_ === undefined ? "" : away_ === 0 ? "in the money" : `${grouped(away_)} from the money`);
    put(more, [average !== null && `avg ${grouped(average)}`, `${tables} table${tables === 1 ? "" : "s"}`, words.break_in && `break in ${words.break_in.value}`].filter(Boolean).join(" · "));
    paintButtons(doc);
    return words.repaint_in;
  };
}
