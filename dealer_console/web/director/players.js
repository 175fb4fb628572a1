// The field: who sits where, who is out, and new ones to be seated.

import { grouped, ordinal } from "./clockface.js";
import { playerSheet } from "./drawer.js";
import { button, choice, el, field, input, mark, put, rows, show } from "./parts.js";

/** Seating many takes its time: the hub reads only so many messages in a breath. */
const BETWEEN = 70;

/**
 * Make an id for a new player. The journal tells players by their ids, so the name is in it; two
 * people may have one name, so something else is, too.
 */
function newId(name) {
  const bytes = crypto.getRandomValues(new Uint8Array(2));
  return `${name.slice(0, 50)} #${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** List the free seats, at the table with the fewest players first. */
export function freeSeats(tables) {
  const found = [];
  const load = new Map(tables.map(({ table, seats }) => [table, Object.keys(seats).length]));
  const free = new Map(tables.map(({ table, size, seats }) => [table, Array.from({ length: size }, (_, at) => at + 1).filter((seat) => !seats[seat])]));
  for (;;) {
    const open = [...free].filter(([, seats]) => seats.length > 0);
    if (open.length === 0) return found;
    const [table] = open.reduce((best, each) => (load.get(each[0]) < load.get(best[0]) ? each : best));
    found.push({ table, seat: free.get(table).shift() });
    load.set(table, load.get(table) + 1);
  }
}

/** Make the view. */
export function playersView(app) {
  const { room } = app;
  const query = input("", { placeholder: "name, table …" });
  const list = el("div", "lines people");
  const outs = el("div", "lines outs");
  const summary = el("p", "summary");
  const open = button("Open tables…", () => openTables(), { kind: "primary" });
  const one = button("Seat a player…", () => seatPlayer(), {});
  const many = button("Seat many…", () => seatMany(), {});
  const none = el("p", "empty", "Nobody is seated yet. Open tables, then seat players: one by one, or a whole list of names.");
  const outHead = el("h2", "label", "Out");
  const host = el("div", "players", el("div", "tools", open, one, many, el("span", "grow"), summary, query), none, el("div", "columns", el("section", "", list), el("section", "", outHead, outs)));
  query.addEventListener("input", () => app.paint());

  const numbers = () => Object.keys(room.of("tables")?.tables ?? {}).map(Number).sort((a, b) => a - b);
  const known = () => numbers().map((table) => room.of(`table/${table}`)).filter(Boolean);

  function openTables() {
    const from = input("1", { type: "number" });
    const to = input(String(Math.max(1, numbers().length || 3)), { type: "number" });
    const seats = input("9", { type: "number" });
    const next = (numbers().at(-1) ?? 0) + 1;
    from.value = String(next);
    to.value = String(next + (next === 1 ? 2 : 0));
    app.sheet.open({
      title: "Open tables",
      body: [el("div", "pair", field("From", from), field("To", to), field("Seats at each", seats))],
      does: "Open them",
      done: async () => {
        for (let table = Number(from.value); table <= Number(to.value); table += 1) {
          await room.act("table.open", { table, seats: Number(seats.value) });
        }
      },
    });
  }

  /** Seat one player: new, or back again. */
  function seatPlayer({ table = null, seat = null, player = null, name = "" } = {}) {
    const free = freeSeats(known().filter((each) => table === null || each.table === table));
    const first = seat === null ? free[0] ?? { table: table ?? "", seat: "" } : { table, seat };
    const who = input(name, { placeholder: "name", wide: true });
    who.required = true;
    const at = input(String(first.table ?? ""), { type: "number" });
    const place = input(String(first.seat ?? ""), { type: "number" });
    at.required = true;
    place.required = true;
    app.sheet.open({
      title: player ? `${name} comes back` : "Seat a player",
      body: [field("Name", who), el("div", "pair", field("Table", at), field("Seat", place))],
      does: "Seat",
      done: async () => {
        const args = { player: player ?? newId(who.value.trim()), name: who.value.trim(), table: Number(at.value), seat: Number(place.value) };
        const answer = await room.act("seat.put", args);
        if (answer.type !== "done") return false;
        return true;
      },
    });
  }
  app.seatPlayer = seatPlayer;

  function seatMany() {
    const names = el("textarea", "wide");
    names.rows = 8;
    names.placeholder = "One name a line. Seats are filled evenly over the open tables.";
    const order = choice([["draw", "drawn at random"], ["listed", "in the order of the list"]], "draw");
    app.sheet.open({
      title: "Seat many", name: "broad", body: [names, field("Seats", order)], does: "Seat them", done: async () => {
        const wanted = names.value.split("\n").map((each) => each.trim()).filter(Boolean);
        const free = freeSeats(known());
        if (wanted.length > free.length) {
          room.say("seat many", `${wanted.length} names, but only ${free.length} free seats: open more tables.`);
          return false;
        }
        const seats = free.slice(0, wanted.length);
        if (order.value === "draw") shuffle(seats);
        for (const [index, name] of wanted.entries()) {
          await room.act("seat.put", { player: newId(name), name, ...seats[index] });
          await new Promise((resolve) => setTimeout(resolve, BETWEEN));
        }
        return true;
      },
    });
  }

  function paintOuts() {
    const finishes = room.of()?.field.finishes ?? [];
    show(outHead, finishes.length > 0);
    rows(outs, finishes, ({ player }) => player, ({ player, name }) => {
      const again = button("again", () => seatPlayer({ player, name: name || player }), { kind: "tiny", hint: "Comes back: seat this player again" });
      return el("p", "line", el("b"), el("span", "grow"), again);
    }, (node, { place, name, player }) => {
      put(node.children[0], ordinal(place));
      put(node.children[1], name || player);
      show(node.children[2], room.may("seat.put"));
    });
  }

  return {
    host,
    topics: () => numbers().map((table) => `t/${room.event}/table/${table}`),
    paint() {
      const event = room.of();
      const words = query.value.trim().toLowerCase();
      const people = known().flatMap((doc) => Object.entries(doc.seats).map(([seat, taken]) => ({ ...taken, table: doc.table, seat: Number(seat) })));
      const shown = people.filter(({ name, player, table, seat }) => `${name} ${player} table ${table} seat ${seat}`.toLowerCase().includes(words));
      show(open, room.may("table.open"));
      show(one, room.may("seat.put") && numbers().length > 0);
      show(many, room.may("seat.put") && numbers().length > 0);
      show(none, people.length === 0);
      const stack = event?.field.average_stack ?? null;
      put(summary, event ? [`${grouped(event.field.left)} of ${grouped(event.field.entries)}`, stack !== null && `average ${grouped(stack)}`].filter(Boolean).join(" · ") : "");
      rows(list, shown, ({ player }) => player, () => {
        const node = el("p", "line person", el("b"), el("span", "grow"), el("span", "note"), button("…", () => playerSheet(app, node.person), { kind: "tiny", hint: "Move, limit, chips, out" }));
        node.addEventListener("dblclick", () => playerSheet(app, node.person));
        return node;
      }, (node, person) => {
        node.person = person;
        put(node.children[0], `T${person.table} · ${person.seat}`);
        put(node.children[1], person.name || person.player);
        put(node.children[2], `${"●".repeat(Math.min(8, person.bank))}${person.limit_s === null ? "" : ` limit ${person.limit_s} s`}`);
        mark(node, "out", false);
      });
      paintOuts();
    },
  };
}

function shuffle(list) {
  for (let at = list.length - 1; at > 0; at -= 1) {
    const other = crypto.getRandomValues(new Uint32Array(1))[0] % (at + 1);
    [list[at], list[other]] = [list[other], list[at]];
  }
}
