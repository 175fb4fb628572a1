// The structure: what was played stands, what is to come can be changed, and when it would all end.

import { blinds, clockDay, clockTime, grouped, remaining } from "./clockface.js";
import { button, choice, el, input, keycap, mark, put, rows, show } from "./parts.js";
import * as plan from "./plan.js";

/** Make the view. */
export function structureView(app) {
  const past = el("div", "past");
  const list = el("div", "steps");
  const ends = el("p", "ends");
  const stop = el("p", "stop");
  const wrong = el("p", "wrong");
  const save = button("Save the changes", () => keep(), { kind: "primary" });
  const drop = button("Discard", () => { edited = null; app.paint(); }, { kind: "quiet" });
  const head = el("div", "steprow head", ...["", "level", "small", "big", "ante", "minutes", "hands", "begins", ""].map((words) => el("span", "label", words)));
  const format = choice([["toml", "TOML"], ["csv", "CSV"]], "toml");
  const tools = el("div", "tools",
    button("Export", () => exportIt(), { kind: "quiet" }), format, button("Import…", () => importIt(), { kind: "quiet" }),
    el("span", "grow"), el("span", "note", "in a line:"), keycap("alt ↑↓"), el("span", "note", "move"), keycap("alt enter"), el("span", "note", "level after"), keycap("alt b"), el("span", "note", "break after"), keycap("alt del"), el("span", "note", "remove"));
  const bar = el("div", "savebar", el("div", "grow", ends, stop, wrong), drop, save);
  const none = el("p", "empty", "The hub has not sent the structure.");
  const host = el("div", "structure", tools, past, head, list, bar, none);

  let edited = null; // the draft, or null where nothing is changed
  let of = null; // the event that the draft belongs to
  let base = null; // what was seen when the editing began
  let dragged = null;

  const doc = () => app.room.of("structure");
  const steps = () => edited ?? plan.draft(doc());
  const frozen = () => doc().editable_from === null;

  function set(next) {
    if (edited === null) base = app.room.seen();
    edited = plan.same(next, plan.draft(doc())) ? null : next;
    app.paint();
  }

  async function keep() {
    const answer = await app.room.act("structure.set", { steps: plan.command(edited) }, { seen: base });
    if (answer.type === "done") edited = null;
    app.paint();
  }

  function fieldOf(made, at, name) {
    const node = made.querySelector(`[name=${name}]`);
    const value = node.value.trim() === "" ? null : Number(node.value);
    if (name === "colour_up") {
      const chips = node.value.split(/[\s,]+/).filter(Boolean).map(Number).filter(Number.isInteger);
      return set(plan.changed(steps(), at, { colour_up: chips }));
    }
    if (name === "minutes") return set(plan.withMinutes(steps(), at, value));
    if (name === "hands") return set(plan.withHands(steps(), at, value));
    return set(plan.changed(steps(), at, { [name]: name === "ante" ? value ?? 0 : value }));
  }

  function make(step) {
    const made = el("div", "steprow");
    const at = () => [...list.children].indexOf(made);
    const box = (name, type = "number") => {
      const control = input("", { type });
      control.name = name;
      control.setAttribute("aria-label", name.replace("_", " "));
      control.addEventListener("change", () => fieldOf(made, at(), name));
      return control;
    };
    const handle = el("span", "handle", "⠿");
    handle.draggable = true;
    handle.title = "Drag to move";
    handle.addEventListener("dragstart", (event) => { dragged = at(); event.dataTransfer.effectAllowed = "move"; event.dataTransfer.setData("text/plain", ""); });
    made.addEventListener("dragover", (event) => { if (dragged !== null) event.preventDefault(); });
    made.addEventListener("drop", (event) => {
      event.preventDefault();
      if (dragged !== null) set(plan.moved(steps(), dragged, at()));
      dragged = null;
    });
    const mid = step.phase === "break" ? [el("span", "breakname", "Break"), box("colour_up", "text")] : [box("small"), box("big"), box("ante")];
    if (step.phase === "break") mid[1].placeholder = "chips to remove";
    made.append(handle, el("span", "number"), ...mid, box("minutes"), step.phase === "break" ? el("span") : box("hands"), el("time"), el("span", "row-does",
      button("▲", () => set(plan.moved(steps(), at(), at() - 1)), { kind: "tiny", hint: "Earlier" }),
      button("▼", () => set(plan.moved(steps(), at(), at() + 1)), { kind: "tiny", hint: "Later" }),
      button("+ level", () => set(plan.levelAfter(steps(), at())), { kind: "tiny", hint: "A level after this" }),
      button("+ break", () => set(plan.breakAfter(steps(), at())), { kind: "tiny", hint: "A break after this" }),
      button("×", () => set(plan.removed(steps(), at())), { kind: "tiny", hint: "Remove" })));
    made.addEventListener("keydown", (event) => {
      if (!event.altKey) return;
      const index = at();
      const does = { ArrowUp: () => plan.moved(steps(), index, index - 1), ArrowDown: () => plan.moved(steps(), index, index + 1), Enter: () => plan.levelAfter(steps(), index), b: () => plan.breakAfter(steps(), index), Delete: () => plan.removed(steps(), index), Backspace: () => plan.removed(steps(), index) }[event.key];
      if (!does) return;
      event.preventDefault();
      event.stopPropagation();
      set(does());
      list.children[Math.min(index, list.childElementCount - 1)]?.querySelector("input")?.focus();
    });
    return made;
  }

  function put_(node, value) {
    const said = value === null || value === undefined ? "" : String(value);
    if (document.activeElement !== node && node.value !== said) node.value = said;
  }

  async function exportIt() {
    const response = await app.room.ask(`/api/v1/structure?event=${encodeURIComponent(app.room.event)}&format=${format.value}`, { words: "export the structure" });
    if (response) app.download(await response.text(), `structure.${format.value}`);
  }

  function importIt() {
    const file = input("", { type: "file" });
    file.accept = ".toml,.csv,text/plain";
    const text = el("textarea", "wide");
    text.rows = 8;
    text.placeholder = "Choose a file, or paste TOML or CSV here";
    file.addEventListener("change", async () => { text.value = (await file.files[0]?.text()) ?? ""; });
    app.sheet.open({
      title: "Import what is to come", name: "broad", body: [file, text, el("p", "note", "It is shown here from the current step on; nothing is changed until you save.")], does: "Read it", done: async () => {
        const kind = text.value.includes("=") ? "toml" : "csv";
        const asked = `/api/v1/structure?event=${encodeURIComponent(app.room.event)}&format=${kind}`;
        const response = await app.room.ask(asked, { method: "POST", body: text.value, words: "import a structure" });
        if (response === null) return false;
        set(plan.imported((await response.json()).ahead));
        return true;
      },
    });
  }

  return {
    host,
    paint(now) {
      const known = doc();
      for (const node of [past, head, list, bar, tools]) show(node, known !== null);
      show(none, known === null);
      if (known === null) return;
      if (of !== app.room.event) {
        of = app.room.event;
        edited = null;
      }
      const may = app.room.may("structure.set") && !frozen();
      const event = app.room.of();
      const all = steps();
      const from = known.editable_from ?? known.step;
      const played = known.steps.slice(0, from);
      put(past, played.length > 0 ? `Played: ${played.map((step) => (step.phase === "break" ? "break" : blinds(step))).join(" · ")}` : "");
      const clock = event?.clock;
      const left = clock && now !== null ? remaining(clock, now) : null;
      const length = clock?.length_ms ?? null;
      const elapsed = left === null || length === null ? 0 : Math.max(0, length - left);
      const first = played.filter(({ phase }) => phase === "level").length + 1;
      const begins = clock?.status === "waiting" && clock.starts_at ? Math.max(now ?? 0, clock.starts_at) : now;
      const { rows: times, ends_at: end } = plan.timeline(all, first, elapsed, begins);
      rows(list, all.map((step, at) => ({ step, at })), ({ step }) => `${step.id}/${step.phase}`, ({ step }) => make(step), (node, { step, at }) => {
        mark(node, "phase", step.phase);
        mark(node, "now", at === 0 && known.steps[from]?.state === "now");
        put(node.querySelector(".number"), step.phase === "break" ? "" : String(times[at].level ?? ""));
        for (const name of step.phase === "break" ? ["minutes"] : ["small", "big", "ante"]) put_(node.querySelector(`[name=${name}]`), step[name]);
        const counted = step.phase === "level" && step.hands !== null;
        const minutes = node.querySelector("[name=minutes]");
        put_(minutes, counted ? null : step.minutes);
        minutes.placeholder = counted ? String(step.minutes ?? "–") : step.phase === "break" ? "until ended" : "";
        if (step.phase === "level") put_(node.querySelector("[name=hands]"), step.hands);
        if (step.phase === "break") put_(node.querySelector("[name=colour_up]"), step.colour_up.join(", "));
        put(node.querySelector("time"), at === 0 ? "now" : times[at].starts_at === null ? "" : clockTime(times[at].starts_at));
        for (const control of node.querySelectorAll("input, button")) control.disabled = !may;
      });
      if (list.firstChild) for (const one of [...list.firstChild.querySelectorAll(".row-does button")].filter((_, at) => [0, 1, 4].includes(at))) one.disabled = true;
      const trouble = plan.wrong(all);
      const before = known.ends_at ?? null;
      const changed = edited !== null;
      put(ends, end === null ? "The end is not known: a step has no length." : `Estimated end ${clockDay(end, now ?? end)}${changed && before !== null && Math.abs(before - end) >= 60_000 ? ` (before: ${clockTime(before)})` : ""}`);
      const hard = known.hard_stop_at ?? null;
      put(stop, hard === null ? "" : end !== null && end > hard ? `Hard stop ${clockTime(hard)}: ${grouped(Math.round((end - hard) / 60_000))} min too long` : `Hard stop ${clockTime(hard)}`);
      mark(stop, "over", hard !== null && end !== null && end > hard);
      put(wrong, changed ? trouble : known.editable_from === null ? "It cannot be edited now: end the break first." : "");
      show(save, changed);
      show(drop, changed);
      save.disabled = trouble !== "" || !may;
      mark(bar, "changed", changed);
    },
  };
}
