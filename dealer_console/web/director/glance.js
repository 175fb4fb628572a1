// The side: what needs the director, how the screens are, what just happened.

import { clockTime } from "./clockface.js";
import { deviceWords } from "./devices.js";
import { lineTime, lineWhat } from "./journallines.js";
import { needList } from "./needlist.js";
import { button, card, el, mark, put, rows, show } from "./parts.js";

/** Make the side. */
export function glanceView(app, host) {
  const needs = needList(app);
  const screens = el("div", "lines");
  const lines = el("div", "lines");
  const next = el("div", "lines");
  const open = (view) => button("open ▸", () => app.show(view), { kind: "link" });
  const head = (words, view) => el("header", "", el("h2", "label", words), open(view));
  const needCard = card("Needs you", "need-card", needs);
  host.append(
    needCard,
    el("section", "card", head("Coming up", "structure"), next),
    el("section", "card", head("Screens and devices", "devices"), screens),
    el("section", "card", head("Journal", "journal"), lines),
  );
  const line = () => el("p", "line", el("span", "grow"), el("span", "note"));

  function paintScreens(now) {
    const doc = app.room.read("devices");
    const build = app.room.read("hub")?.build;
    const all = doc?.devices ?? [];
    const walls = all.filter(({ role }) => role === "viewer");
    const tablets = all.filter(({ role }) => role === "dealer");
    const shown = walls.slice(0, 5).map((each) => ({ key: each.id, name: each.name, ...deviceWords(each, build, app.room.gone, now) }));
    if (walls.length > 5) shown.push({ key: "more", name: `${walls.length - 5} more screens`, words: "", tone: "" });
    if (tablets.length > 0) {
      const live = tablets.filter((each) => each.live).length;
      shown.push({ key: "tablets", name: `${tablets.length} dealer tablet${tablets.length === 1 ? "" : "s"}`, words: `${live} live`, tone: live < tablets.length ? "warn" : "" });
    }
    if (shown.length === 0) shown.push({ key: "none", name: "No screens yet: open /wall on one", words: "", tone: "" });
    rows(screens, shown, ({ key }) => key, line, (node, { name, words, tone }) => {
      put(node.firstChild, name);
      put(node.lastChild, words);
      mark(node, "tone", tone);
    });
  }

  function paintNext(now) {
    const steps = (app.room.of("structure")?.steps ?? []).filter(({ state }) => state !== "past").slice(0, 5);
    show(next.parentElement, steps.length > 0);
    rows(next, steps, (step) => `${step.phase}${step.level}${step.starts_at}`, line, (node, step) => {
      const name = step.phase === "break" ? "Break" : `L${step.level} · ${step.small.toLocaleString("en")} / ${step.big.toLocaleString("en")}`;
      put(node.firstChild, name);
      put(node.lastChild, step.state === "now" ? "now" : [step.starts_at && now !== null && clockTime(step.starts_at), step.minutes && `${step.minutes} min`].filter(Boolean).join(" · "));
      mark(node, "tone", step.state === "now" ? "good" : "");
    });
  }

  return function paint(now) {
    const count = needs.paint(now, 8);
    mark(needCard, "count", count > 0 ? "some" : "none");
    paintNext(now);
    paintScreens(now);
    const told = (app.room.of("journal")?.entries ?? []).slice(0, 8);
    show(lines.parentElement, told.length > 0);
    rows(lines, told, ({ seq }) => seq, () => el("p", "line tale", el("time"), el("span", "grow"), el("span", "note")), (node, each) => {
      put(node.children[0], lineTime(each));
      put(node.children[1], lineWhat(each));
      put(node.children[2], each.who ?? "");
    });
  };
}
