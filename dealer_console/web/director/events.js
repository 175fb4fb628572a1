// Events: several side by side; created from a preset or like another, suspended, finished, put away.

import { houseStart, startArgs } from "./changes.js";
import { clockDay, lineWords } from "./clockface.js";
import * as forms from "./forms.js";
import { button, choice, el, field, input, mark, put, rows, show } from "./parts.js";

/** Stands before the id of an event that is to be duplicated. */
const LIKE = "like ";

/** Create an event: pick a preset, give it a name; everything else has a default. */
export function create(app, like = null) {
  const { room } = app;
  const listed = room.read("presets")?.presets ?? [];
  const options = listed.map(({ id, name, house }) => [id, house && !name.includes(house) ? `${house}: ${name}` : name]);
  for (const each of room.read("presets")?.past ?? []) options.push([LIKE + each.event, `As ${each.name}, ${each.archived ? "put away" : "event"} ${each.event}`]);
  const preset = options.length > 0 ? choice(options, options[0][0]) : input("", { placeholder: "preset" });
  const name = input(like?.name ?? "", { placeholder: "as the preset says", wide: true });
  const start = input("", { type: "datetime-local" });
  const starts = field("Start time", start);
  const about = el("p", "note");
  let shown = ""; // the house's own start, as the form shows it while nobody has touched it
  const past = room.read("presets")?.past ?? [];
  const paint = () => {
    const found = listed.find(({ id }) => id === preset.value);
    put(about, found?.summary ?? "");
    if (found && !like) name.placeholder = found.name;
    const again = like?.id ?? (preset.value.startsWith(LIKE) ? preset.value.slice(LIKE.length) : null);
    const house = (again === null ? found : past.find(({ event }) => event === again))?.start ?? null;
    put(starts.firstChild, `Start time (optional${house ? `; house default ${house}` : ""}; empty: by hand)`);
    const own = houseStart(house, room.now() ?? Date.now());
    if (start.value === shown && own !== shown) start.value = own;
    if (start.value === own) shown = own;
  };
  preset.addEventListener("change", paint);
  app.sheet.open({
    title: like ? `Another one like ${like.name}` : "Create an event",
    name: "broad",
    body: [...(like ? [] : [field("Preset", preset), about]), field("Name", name), starts],
    does: "Create",
    paint,
    done: async () => {
      const args = like ? { like: like.id } : preset.value.startsWith(LIKE) ? { like: preset.value.slice(LIKE.length) } : { preset: preset.value };
      if (name.value.trim()) args.name = name.value.trim();
      Object.assign(args, startArgs(shown, start.value));
      const before = new Set(room.events.map(({ id }) => id));
      const answer = await room.wish("event.create", args, `create ${name.value.trim() || name.placeholder}`);
      if (answer.type !== "done") return false;
      const made = room.events.find(({ id }) => !before.has(id));
      if (made) room.look(made.id);
      else app.lookAtNew = before;
      return true;
    },
  });
}

/** Make the view. */
export function eventsView(app) {
  const { room } = app;
  const list = el("div", "eventlist");
  const make_ = button("Create an event…", () => create(app), { kind: "primary", key: "E" });
  const none = el("p", "empty", "No event yet. Create one: pick a preset and a name, everything else has a default.");
  const problems = el("div", "lines");
  const host = el("div", "eventsview", el("div", "tools", make_), none, list, problems);

  function make({ id }) {
    const on = (run) => (event) => { event.stopPropagation(); room.look(id); run(app); };
    const node = el("article", "eventcard", el("h3"), el("p", "digits"), el("p", "how"), el("p", "note"), el("div", "row-does",
      button("Look at it", () => { room.look(id); app.show("tables"); }, { kind: "primary" }),
      button("Duplicate…", () => create(app, node.event)),
      button("Suspend…", on(forms.suspend)),
      button("Resume", on(() => room.act("event.resume")), { kind: "primary" }),
      button("Finish…", on(forms.finish)),
      button("Put away", () => room.wish("event.archive", { event: id }, `put ${node.event.name} away`), { kind: "danger", hold: true })));
    return node;
  }

  return {
    host,
    paint(now) {
      show(make_, room.may("event.create"));
      show(none, room.events.length === 0);
      rows(list, room.events, ({ id }) => id, make, (node, event) => {
        node.event = event;
        const doc = room.of("", event.id);
        const words = doc ? lineWords(doc, now, false) : null;
        const [title, digits, how, note, does] = node.children;
        put(title, event.name);
        put(digits, words?.digits ?? "");
        put(how, words ? [words.status, words.detail, words.line, words.count].filter(Boolean).join(" · ") : event.status);
        put(note, [event.house, event.preset, doc?.clock.starts_at && event.status === "waiting" && now !== null && `starts ${clockDay(doc.clock.starts_at, now)}`].filter(Boolean).join(" · "));
        mark(node, "state", words?.state ?? "");
        mark(node, "looked", event.id === room.event);
        const may = (what, when) => room.may(what) && when;
        const live = ["running", "paused"].includes(event.status);
        show(does.children[1], may("event.create", true));
        show(does.children[2], may("event.suspend", live));
        show(does.children[3], may("event.resume", event.status === "suspended"));
        show(does.children[4], may("event.finish", live || event.status === "suspended"));
        show(does.children[5], may("event.archive", !live));
      });
      const bad = room.read("presets")?.problems ?? [];
      rows(problems, bad, (each) => JSON.stringify(each), (each) => el("p", "line", el("span", "grow", typeof each === "string" ? each : `${each.file ?? each.id}: ${each.text ?? each.problem}`)), () => {});
    },
  };
}

