// The journal: what happened, told live; filtered, explained, exported, and voided with a reason.

import { lineTime, lineWhat, matches } from "./journallines.js";
import { button, el, field, input, mark, put, rows, show } from "./parts.js";

/** Make the view. */
export function journalView(app) {
  const { room } = app;
  const table = input("", { type: "number", placeholder: "table" });
  const seat = input("", { type: "number", placeholder: "seat" });
  const who = input("", { placeholder: "who" });
  const words = input("", { placeholder: "words" });
  const calm = input("", { type: "checkbox" });
  const list = el("div", "journal-list");
  const more = button("Older", () => older(), { kind: "quiet" });
  const csv = button("Export CSV", () => exportIt("csv"), { kind: "quiet" });
  const json = button("JSON", () => exportIt("jsonl"), { kind: "quiet" });
  const none = el("p", "empty", "Nothing has happened yet.");
  const host = el("div", "journal", el("div", "tools", table, seat, who, words, el("label", "check", calm, el("span", "", "without dealers' taps")), el("span", "grow"), csv, json), list, none, more);
  let fetched = []; // older lines, or those of a filter
  let of = null;
  let cursor = null; // where the next older ones begin
  let ended = false;

  const wanted = () => ({ table: table.value, seat: seat.value, who: who.value.trim(), words: words.value.trim(), calm: calm.checked });
  for (const control of [table, seat, who]) control.addEventListener("change", () => { fetched = []; cursor = null; ended = false; older(); });
  for (const control of [table, seat, who, words, calm]) control.addEventListener("input", () => app.paint());

  function all() {
    const live = room.of("journal")?.entries ?? [];
    const known = new Map([...live, ...fetched].map((line) => [line.seq, line]));
    return [...known.values()].sort((a, b) => b.seq - a.seq).filter((line) => matches(line, wanted()));
  }

  async function older() {
    const asked = new URLSearchParams({ event: room.event, limit: "100" });
    if (cursor !== null) asked.set("before", String(cursor));
    for (const [name, control] of [["table", table], ["seat", seat], ["who", who]]) {
      if (control.value.trim()) asked.set(name, control.value.trim());
    }
    const response = await room.ask(`/api/v1/journal?${asked}`, { words: "read the journal" });
    if (!response) return;
    const { entries, before } = await response.json();
    cursor = before;
    ended = before === null;
    fetched = [...fetched, ...entries];
    app.paint();
  }

  async function exportIt(format) {
    const response = await room.ask(`/api/v1/export?event=${encodeURIComponent(room.event)}&format=${format}`, { words: "export the journal" });
    if (response) app.download(await response.text(), `journal-${room.event}.${format}`);
  }

  function explain(line) {
    const facts = [
      [line.kind === "time" ? "It was due at" : "It counted at", line.at], ["The tap was made at", line.tapped], ["The hub took it up at", line.received],
    ].filter(([, at]) => typeof at === "number");
    const exact = (at) => `${lineTime({ at })}.${String(((at % 1_000) + 1_000) % 1_000).padStart(3, "0")}`;
    const undoable = room.of("floor")?.undo.find((entry) => entry.command === line.command && !entry.undone);
    const reason = input("", { placeholder: "why; written into the journal", wide: true, most: 200 });
    app.sheet.open({
      title: lineWhat(line),
      name: "broad",
      body: [
        ...(line.then ?? []).map((each) => el("p", "", `→ ${each}`)),
        ...(line.explain ? [el("p", "explain", line.explain)] : []),
        el("p", "note", `line ${line.seq} · ${line.who ?? ""}${line.device ? ` · ${line.device}` : ""}`),
        ...facts.map(([said, at]) => el("p", "line", el("span", "grow", said), el("b", "", exact(at)))),
        ...(undoable && room.may("undo") ? [field("Void it, because", reason)] : []),
      ],
      does: undoable && room.may("undo") ? "Void it" : "",
      kind: "danger",
      done: () => {
        const why = reason.value.trim();
        room.act("undo", { command: line.command, ...(why ? { reason: why } : {}) }, { words: `void “${lineWhat(line)}”${why ? `: ${why}` : ""}` });
      },
    });
  }

  return {
    host,
    paint() {
      if (of !== room.event) {
        of = room.event;
        fetched = [];
        cursor = null;
        ended = false;
      }
      const shown = all();
      show(none, shown.length === 0);
      show(more, !ended && (shown.length >= 20 || calm.checked));
      rows(list, shown, ({ seq }) => seq, () => {
        const node = el("div", "entry", el("time"), el("span", "what"), el("span", "who"));
        node.tabIndex = 0;
        node.addEventListener("click", () => explain(node.line));
        node.addEventListener("keydown", ({ key }) => { if (key === "Enter") explain(node.line); });
        return node;
      }, (node, line) => {
        node.line = line;
        put(node.children[0], lineTime(line));
        put(node.children[1], lineWhat(line));
        put(node.children[2], line.who ?? "");
        mark(node, "undone", Boolean(line.undone));
      });
    },
  };
}

