// The sheets: what needs a few words before it is done.

import { readLength } from "./amounts.js";
import { blinds, clockTime, digits, remaining } from "./clockface.js";
import { policyWords } from "./cost.js";
import { button, choice, el, field, input, mark, put, rows, show } from "./parts.js";
import { isTap, nextRedo, undoTale } from "./tales.js";

const chips = (words, press) => el("div", "chips", ...words.map((each) => button(each, () => press(each), { kind: "chip" })));

/** Ask once more before something that everybody would notice. */
export function confirm(app, { title, text, does, done, hold = false, kind = "primary" }) {
  app.sheet.open({ title, body: [el("p", "", text)], does, done, hold, kind });
}

const REASONS = ["Fire alarm", "Dispute at a table", "Technical trouble", "Seating the late players", "Medical help"];

/** Pause the room, with a reason that the walls show. */
export function pause(app) {
  const reason = input("", { placeholder: "Shown on every screen; may be empty", wide: true, most: 200 });
  const done = () => { app.room.act("clock.pause", reason.value.trim() ? { reason: reason.value.trim() } : {}); };
  app.sheet.open({
    title: "Pause the room", body: [field("Reason", reason), chips(REASONS, (words) => { reason.value = words; reason.focus(); })], does: "Pause", done,
  });
}

/** Set the time that is left. */
export function setClock(app) {
  const doc = app.room.of();
  const left = remaining(doc.clock, app.room.now());
  const time = input(left === null ? "" : digits(left), { placeholder: "12:30" });
  const done = () => {
    const ms = readLength(time.value);
    if (ms === null) {
      time.setCustomValidity("Minutes and seconds, such as 12:30, or minutes alone");
      time.reportValidity();
      return false;
    }
    app.room.act("clock.set", { remaining_ms: ms });
  };
  time.addEventListener("input", () => time.setCustomValidity(""));
  app.sheet.open({ title: "Set the clock", body: [field("Time left", time)], does: "Set", done });
  time.select();
}

/** Go to another level. */
export function goTo(app) {
  const level = input("", { type: "number", placeholder: "level" });
  level.min = 1;
  level.required = true;
  const preview = el("p", "note");
  const paint = () => {
    const step = app.room.of("structure")?.steps.find((each) => each.phase === "level" && each.level === Number(level.value));
    put(preview, step ? `Level ${step.level}: ${blinds(step)}${step.ante ? ` (${step.ante})` : ""}, with its full time` : "It starts with its full time.");
  };
  level.addEventListener("input", paint);
  app.sheet.open({ title: "Go to a level", body: [field("Level", level), preview], does: "Go there", done: () => { app.room.act("level.goto", { level: Number(level.value) }); }, paint });
}

/** Call a break now. */
export function callBreak(app) {
  const minutes = input("10", { type: "number" });
  minutes.min = 1;
  minutes.max = 600;
  const done = () => { app.room.act("break.call", minutes.value ? { minutes: Number(minutes.value) } : {}); };
  app.sheet.open({
    title: "Break now",
    body: [
      field("Minutes; empty: until you end it", minutes),
      chips(["5", "10", "15", "20", "60"], (words) => { minutes.value = words; }),
      el("p", "note", "The level clock stops, and goes on after the break. Hands in progress are finished."),
    ],
    does: "Start the break",
    done,
  });
}

const TEMPLATES = [
  "Please take your seats: play resumes in two minutes.",
  "Last hand before the break.",
  "Entry closes at the end of this level.",
  "Please keep your highest chips in front.",
  "Phones off the table while you are in a hand, please.",
  "Tables are being balanced: please wait for the floor.",
  "Would the owner of the car in the driveway please see the desk.",
];
const FOR = [["", "until cleared"], ["15", "15 s"], ["30", "30 s"], ["60", "1 min"], ["300", "5 min"]];

/** Put words on every screen. */
export function announce(app, text = "") {
  const words = el("textarea", "wide");
  words.rows = 3;
  words.maxLength = 500;
  words.value = text;
  words.placeholder = "Words for every screen";
  words.required = true;
  words.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      words.form.requestSubmit();
    }
  });
  const long = choice(FOR, "60");
  const done = () => {
    const args = { text: words.value.trim().replace(/\s*\n\s*/g, " ") };
    if (long.value) args.seconds = Number(long.value);
    app.room.act("announce", args);
  };
  const shown = app.room.of()?.announcement;
  const clear = button("Clear what is shown", () => { app.room.act("announce.clear"); app.sheet.close(); }, { kind: "quiet" });
  show(clear, Boolean(shown));
  app.sheet.open({
    title: "Announce", name: "broad", body: [words, field("For", long), chips(TEMPLATES, (each) => { words.value = each; words.focus(); })], does: "Announce", done, buttons: [clear],
  });
}

/** What a hand may cost on the level clock, in seconds, and the most where the house names none (AP-RP8b). */
const COSTS = [60, 90, 120, 150, 180];
const LONGEST_HAND = 180;
const minutes = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

/** Announce hand-for-hand. */
export function bubble(app) {
  const house = app.room.of();
  const unit = choice([["hand", "hand for hand"], ["round", "round for round"]], "hand");
  const policy = choice([["", "as the house does"], ["run_to_cap", policyWords("run_to_cap")], ["deduct", policyWords("deduct")], ["run_on", policyWords("run_on")]], "");
  const { house_s: usual, most_s: most } = house.h4h;
  const longer = COSTS.filter((seconds) => seconds !== usual && seconds <= (most ?? LONGEST_HAND));
  const cost = choice([["", `${minutes(usual)}, as the house does`], ...longer.map((seconds) => [String(seconds), minutes(seconds)])], "");
  const soft = input("", { type: "checkbox" });
  const away = house.field.to_money;
  const reason = input(away > 0 ? `${away} from the money` : "", { placeholder: "may be empty", most: 200 });
  const done = () => {
    const args = { unit: unit.value };
    if (policy.value) args.policy = policy.value;
    if (cost.value) args.seconds = Number(cost.value);
    if (soft.checked) args.soft = true;
    if (reason.value.trim()) args.reason = reason.value.trim();
    app.room.act("h4h.announce", args);
  };
  app.sheet.open({
    title: "Hand-for-hand",
    body: [
      el("p", "", "“Finish this hand, then hold.” From now on players who bust in one hand share their places."),
      field("By", unit), field("The clock", policy), field("A hand costs", cost), field("Reason", reason),
      el("label", "check", soft, el("span", "", "soft: a table that is done may lead by one hand")),
    ],
    does: "Announce it",
    done,
  });
}

/** Call the clock on a seat: a table, then one of its seats. */
export function callClock(app, table = null) {
  const { room } = app;
  const number = input(table === null ? "" : String(table), { type: "number", placeholder: "table" });
  number.min = 1;
  const seats = el("div", "seats");
  const facing = choice([["", "as the table says"], ["yes", "faces a bet"], ["no", "no bet"]], "");
  const doc = room.of();
  const times = doc?.called_clock ? [doc.called_clock.seconds, ...(doc.called_clock.choices ?? [])] : [];
  const seconds = choice([...new Set(times)].map((each, at) => [at === 0 ? "" : String(each), `${each} s`]), "");
  let followed = null;
  const paint = () => {
    const at = Number(number.value) || null;
    if (at !== followed) {
      followed = at;
      room.want("clock", at === null ? [] : [`t/${room.event}/table/${at}`]);
    }
    const found = at === null ? null : room.of(`table/${at}`);
    rows(seats, Object.entries(found?.seats ?? {}), ([seat]) => `${at}/${seat}`, ([seat]) => {
      const made = button("", () => {
        const args = { table: at, seat: Number(seat) };
        if (facing.value) args.facing_bet = facing.value === "yes";
        if (seconds.value) args.seconds = Number(seconds.value);
        room.act("called.start", args);
        app.sheet.close();
      }, { kind: "seat" });
      made.append(el("b"), el("i"));
      return made;
    }, (made, [seat, taken]) => {
      put(made.querySelector("b"), seat);
      put(made.querySelector("i"), taken.name || taken.player);
      mark(made, "out", found.hand.in_progress && !taken.in_hand);
    });
    if (at !== null && !found) seats.replaceChildren(el("p", "note", "No such table is open."));
    else seats.querySelector("p")?.remove();
  };
  number.addEventListener("input", paint);
  const open = Object.keys(room.of("tables")?.tables ?? {});
  const picks = el("div", "chips pick", ...open.slice(0, 40).map((each) => button(each, () => { number.value = each; paint(); }, { kind: "chip" })));
  app.sheet.open({
    title: "Call the clock on a seat", name: "broad", body: [field("Table", number), picks, seats, el("div", "pair", field("The player", facing), field("Time", seconds))], paint,
  });
}

/** List what can be undone, the newest first; each can be taken back, or brought back. */
export function undoList(app) {
  const list = el("div", "list");
  const taps = input("", { type: "checkbox" });
  const paint = () => {
    const entries = (app.room.of("floor")?.undo ?? []).filter((entry) => taps.checked || !isTap(entry)).slice(0, 50);
    rows(list, entries, (entry) => entry.command, (entry) => {
      const press = button("", () => app.room.act("undo", { command: entry.command }, { words: `undo “${undoTale(entry)}”` }), { kind: "small" });
      return el("div", "line", el("time"), el("span", "what"), el("span", "note"), press);
    }, (node, entry) => {
      put(node.children[0], clockTime(entry.at));
      put(node.children[1], undoTale(entry));
      put(node.children[2], entry.who ?? entry.by ?? "");
      mark(node, "undone", entry.undone);
      node.children[3].querySelector(".words").textContent = entry.undone ? "undone" : entry.do === "undo" ? "bring back" : "undo";
      node.children[3].disabled = entry.undone;
    });
  };
  taps.addEventListener("change", paint);
  app.sheet.open({ title: "What can be undone", name: "broad", body: [list, el("label", "check", taps, el("span", "", "dealers' taps, too"))], paint });
}

/** Undo the newest command; the words of the button say which. */
export function undo(app) {
  const last = app.room.nextUndo();
  if (last) app.room.act("undo", { command: last.command }, { words: `undo “${undoTale(last)}”` });
}

/** Bring back what the last undo took. */
export function redo(app) {
  const last = nextRedo(app.room.of("floor"));
  if (last) app.room.act("undo", { command: last.command }, { words: "bring back what was undone" });
}

/** Open a table by its number. */
export function openTable(app) {
  const number = input("", { type: "number", placeholder: "table" });
  number.min = 1;
  number.required = true;
  app.sheet.open({ title: "Look at a table", body: [field("Table", number)], does: "Look", done: () => { app.drawer.open(Number(number.value)); } });
}

/** Put the action clock in play. */
export function shotClock(app) {
  const seconds = input("", { type: "number", placeholder: "as the house" });
  const bank = input("", { type: "number", placeholder: "as the house" });
  const value = input("", { type: "number", placeholder: "as the house" });
  const done = () => {
    const args = {};
    for (const [key, control] of [["seconds", seconds], ["chips", bank], ["chip_seconds", value]]) {
      if (control.value) args[key] = Number(control.value);
    }
    app.room.act("shotclock.introduce", args);
  };
  app.sheet.open({
    title: "Introduce the shot clock",
    body: [el("p", "note", "A house without one is given its figures here. Once introduced it stays to the end."), field("Seconds to act", seconds), field("Time-bank chips each", bank), field("Seconds a chip", value)],
    does: "Introduce it",
    done,
  });
}

/** Give time-bank chips to everybody. */
export function grantAll(app) {
  const number = input("1", { type: "number" });
  const mode = choice([["add", "add"], ["set", "set to"]], "add");
  app.sheet.open({
    title: "Time-bank chips for everybody", body: [el("div", "pair", field("Way", mode), field("Chips", number))], does: "Give", done: () => { app.room.act("bank.grant", { chips: Number(number.value), mode: mode.value }); },
  });
}

/** Say how many places are paid, where the house's table does not. */
export function places(app) {
  const number = input("", { type: "number", placeholder: "by the house's table" });
  app.sheet.open({ title: "Places paid", body: [field("Places", number)], does: "Set", done: () => { app.room.act("places.set", { places: number.value ? Number(number.value) : null }); } });
}

/** Suspend to another day. */
export function suspend(app) {
  const back = input("", { type: "datetime-local" });
  const done = () => { app.room.act("event.suspend", back.value ? { resumes_at: new Date(back.value).getTime() } : {}); };
  app.sheet.open({
    title: "Suspend to another day", body: [el("p", "", "Every clock and every seat stands, and comes back exactly so."), field("Back at; may be empty", back)], does: "Hold to suspend", hold: true, kind: "danger", done,
  });
}

/** Finish the event. */
export function finish(app) {
  const { left, entries } = app.room.of().field;
  confirm(app, {
    title: "Finish the event", text: left > 1 ? `${left} of ${entries} players are still in. The event is over for every screen.` : "The event is over for every screen.", does: "Hold to finish", hold: true, kind: "danger", done: () => { app.room.act("event.finish"); },
  });
}

/** Set when the clock starts by itself. */
export function schedule(app) {
  const at = input("", { type: "datetime-local" });
  app.sheet.open({
    title: "Start time", body: [field("The clock starts by itself at; empty: by hand", at)], does: "Set", done: () => { app.room.act("event.schedule", { starts_at: at.value ? new Date(at.value).getTime() : null }); },
  });
}

