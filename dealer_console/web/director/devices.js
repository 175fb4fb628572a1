// Screens and devices: who was let in, who asks to be, and how each is doing.

import { age, signed } from "./amounts.js";
import { changes, offering } from "./changes.js";
import { clockTime } from "./clockface.js";
import { screenTrouble, spoken, unansweredWords } from "./needs.js";
import { button, choice, el, field, input, mark, put, relabel, rows, show } from "./parts.js";

const ROLES = [["viewer", "screen"], ["dealer", "dealer's tablet"], ["floor", "floor"], ["director", "director"]];
const ROLE_WORDS = Object.fromEntries(ROLES);
const SCENES = ["clock", "break", "tables", "payouts", "table", "lobby", "grid"];

/** Say in a few words how a device is doing. */
export function deviceWords(device, build, gone, now) {
  const since = device.last_seen ?? gone.get(device.id) ?? null;
  if (!device.live) return { words: since === null || now === null ? "away" : `stale ${age(now - since)}`, tone: "warn" };
  const trouble = unansweredWords(device, now) || screenTrouble(device, build);
  const how = device.report;
  const sure = how && how.uncertainty !== null && how.uncertainty !== undefined ? `${signed(how.skew ?? 0)} ±${how.uncertainty} ms` : "live";
  return { words: trouble || sure, tone: trouble ? "warn" : "good" };
}

/** Let a device in that shows a code. */
export function approve(app, code = "") {
  const { room } = app;
  const asking = room.read("devices")?.asking.find((each) => each.code === code);
  const typed = input(spoken(code), { placeholder: "KTR-MWD", most: 12 });
  typed.required = true;
  const wall = /wall|screen/i.test(asking?.kind ?? "");
  const role = choice(room.role === "director" ? ROLES : ROLES.slice(0, 2), wall || !asking ? "viewer" : /director/i.test(asking.kind) ? "director" : /dealer|tablet/i.test(asking.kind) ? "dealer" : "viewer");
  if (!role.value) role.value = "viewer";
  const name = input("", { placeholder: "Main wall, Table 7 …", wide: true });
  const event = choice(room.events.map((each) => [each.id, each.name]), room.event ?? "");
  const table = input("", { type: "number", placeholder: "table" });
  const place = el("div", "pair", field("Event", event), field("Table", table));
  const paint = () => {
    show(place, role.value === "dealer");
    table.required = role.value === "dealer";
  };
  role.addEventListener("change", paint);
  app.sheet.open({
    title: "Let a device in",
    body: [
      el("p", "note", asking ? `${asking.kind || "A device"} at ${asking.address}` : "Type the six letters that the device shows."),
      field("Code", typed), field("It is a", role), field("Name", name), place,
    ],
    does: "Let it in",
    paint,
    done: async () => {
      const args = { code: typed.value.replace(/[^A-Za-z]/g, "").toUpperCase(), role: role.value };
      if (name.value.trim()) args.name = name.value.trim();
      if (role.value === "dealer") Object.assign(args, { event: event.value, table: Number(table.value) });
      const answer = await room.wish("device.pair", args);
      if (answer.type !== "done") return false;
      return true;
    },
    first: asking ? name : typed,
  });
}

function change(app, device) {
  const { room } = app;
  const name = input(device.name, { wide: true });
  const role = choice(room.role === "director" ? ROLES : ROLES.slice(0, 2), device.role);
  const event = choice(room.events.map((each) => [each.id, each.name]), device.event ?? room.event ?? "");
  const table = input(device.table === null ? "" : String(device.table), { type: "number" });
  const place = el("div", "pair", field("Event", event), field("Table", table));
  const paint = () => show(place, role.value === "dealer");
  role.addEventListener("change", paint);
  const revoke = button("Show it out", () => { room.wish("device.revoke", { device: device.id }, `show ${device.name} out`); app.sheet.close(); }, { kind: "danger", hold: true });
  app.sheet.open({
    title: `${device.name}`,
    body: [field("Name", name), field("It is a", role), place, el("p", "note", `let in by ${device.paired_by || "the hub"}${device.paired_at ? ` at ${clockTime(device.paired_at)}` : ""}`)],
    does: "Save",
    paint,
    buttons: [revoke],
    done: async () => {
      const same = role.value === device.role && (role.value !== "dealer" || (event.value === device.event && Number(table.value) === device.table));
      if (name.value.trim() && name.value.trim() !== device.name) await room.wish("device.rename", { device: device.id, name: name.value.trim() });
      if (!same) await room.wish("device.assign", { device: device.id, role: role.value, ...(role.value === "dealer" ? { event: event.value, table: Number(table.value) } : {}) });
    },
  });
}

/** Choose what a screen shows. */
function screen(app, device) {
  const { room } = app;
  const now = device.screen ?? {};
  const picked = (options, value) => choice(offering(options, value), value); // what a form does not know stays
  const scene = picked([["", "as the screen was opened"], ...SCENES.map((each) => [each, each])], now.scene ?? "");
  const event = picked([["", "the first that is played"], ...room.events.map((each) => [each.id, each.name])], now.event ?? "");
  const table = input(now.table ? String(now.table) : "", { type: "number", placeholder: "for the table scene" });
  const theme = picked([["", "as the venue's"], ...app.themes.known], now.theme ?? "");
  const rotate = choice([["0", "not turned"], ["90", "90°"], ["180", "180°"], ["270", "270°"]], String(now.rotate ?? 0));
  const sound = input(now.sound ?? "", { placeholder: "level, minute …" });
  const dark = input("", { type: "checkbox" });
  dark.checked = Boolean(now.blackout);
  const chosen = () => ({
    scene: scene.value || null, event: event.value || null, table: table.value ? Number(table.value) : null, theme: theme.value || null, rotate: Number(rotate.value), sound: sound.value.trim() || null, blackout: dark.checked,
  });
  const opened = chosen();
  app.sheet.open({
    title: `What ${device.name} shows`,
    name: "broad",
    body: [el("div", "pair", field("Scene", scene), field("Event", event), field("Table", table)), el("div", "pair", field("Theme", theme), field("Turned", rotate), field("Sounds", sound)), el("label", "check", dark, el("span", "", "black"))],
    does: "Show it",
    done: () => {
      const touched = changes(opened, chosen());
      if (touched === null) return;
      room.wish("screen.set", { device: device.id, ...touched }, `${device.name}: ${dark.checked ? "black" : scene.value || "as it was opened"}`);
    },
  });
}

/** Give dealers PINs to sign on with. */
function staff(app) {
  const { room } = app;
  const name = input("", { placeholder: "name" });
  const pin = input("", { placeholder: "4 to 8 digits", most: 8 });
  name.required = true;
  pin.required = true;
  pin.inputMode = "numeric";
  const list = el("div", "lines");
  const paint = () => rows(list, room.read("devices")?.staff ?? [], (each) => each, (each) => el("p", "line", el("span", "grow", each), button("remove", () => room.wish("staff.remove", { name: each }), { kind: "tiny" })), () => {});
  app.sheet.open({
    title: "Dealers and their PINs", body: [list, el("div", "pair", field("Dealer", name), field("PIN", pin))], does: "Add", paint, done: async () => {
      await room.wish("staff.add", { name: name.value.trim(), pin: pin.value }, `PIN for ${name.value.trim()}`);
      name.value = "";
      pin.value = "";
      return false;
    },
  });
}

/** Make the view. */
export function devicesView(app) {
  const { room } = app;
  const asking = el("div", "askings");
  const list = el("div", "devices-list");
  const approveIt = button("Approve a code…", () => approve(app), { kind: "primary" });
  const pins = button("Dealers' PINs…", () => staff(app));
  const summary = el("p", "summary");
  const head = el("div", "device head", ...["device", "is", "shows", "time", "", ""].map((words) => el("span", "label", words)));
  const none = el("p", "empty", "No device was let in yet. Open /wall on a screen or /dealer on a tablet: it shows a code to approve here.");
  const host = el("div", "devices", el("div", "tools", approveIt, pins, el("span", "grow"), summary), asking, none, head, list);

  function make(first) {
    const node = el("div", "device", el("span", "name", el("b"), el("small")), el("span", "is"), el("span", "shows"), el("span", "how"), el("span", "age"), el("span", "row-does"));
    const own = () => node.device;
    node.lastChild.append(
      button("change", () => change(app, own()), { kind: "tiny" }),
      button("show…", () => screen(app, own()), { kind: "tiny" }),
      button("identify", () => room.wish("screen.identify", { device: own().id }, `identify ${own().name}`), { kind: "tiny" }),
      button("reload", () => room.wish("screen.reload", { device: own().id }, `reload ${own().name}`), { kind: "tiny" }),
    );
    node.device = first;
    return node;
  }

  return {
    host,
    paint(now) {
      const doc = room.read("devices");
      const build = room.read("hub")?.build;
      const all = [...(doc?.devices ?? [])].sort((a, b) => ROLES.findIndex(([role]) => role === a.role) - ROLES.findIndex(([role]) => role === b.role) || (a.table ?? 0) - (b.table ?? 0) || a.name.localeCompare(b.name));
      show(pins, room.may("staff.add"));
      show(none, all.length === 0);
      show(head, all.length > 0);
      const live = all.filter((each) => each.live).length;
      put(summary, `${all.length} device${all.length === 1 ? "" : "s"}, ${live} live`);
      rows(asking, doc?.asking ?? [], ({ code }) => code, ({ code }) => el("div", "asking", el("b", "code", spoken(code)), el("span", "grow"), button("Approve", () => approve(app, code), { kind: "primary" })), (node, each) => {
        put(node.children[1], `${each.kind || "a device"} · ${each.address}${now === null ? "" : ` · good for ${age(each.until - now)}`}`);
      });
      rows(list, all, ({ id }) => id, make, (node, device) => {
        node.device = device;
        const [name, is, shows, how, old, does] = node.children;
        put(name.firstChild, device.name);
        put(name.lastChild, [device.kind, device.address].filter(Boolean).join(" · "));
        put(is, `${ROLE_WORDS[device.role] ?? device.role}${device.table ? ` · T${device.table}` : ""}${device.works ? " ✓" : ""}`);
        const scene = device.screen?.blackout ? "black" : device.screen?.scene ?? device.report?.scene ?? "";
        put(shows, device.role === "dealer" ? device.dealer : Array.isArray(scene) ? scene.join(", ") : scene);
        const words = deviceWords(device, build, room.gone, now);
        put(how, words.words);
        mark(how, "tone", words.tone);
        put(old, device.report?.build ?? "");
        const wall = device.role === "viewer" && device.screen !== undefined;
        show(does.children[0], room.may("device.rename") && (room.role === "director" || ["viewer", "dealer"].includes(device.role)));
        for (const index of [1, 2, 3]) show(does.children[index], wall && room.may("screen.set"));
        relabel(does.children[0], "change");
        mark(node, "live", device.live);
      });
    },
  };
}
