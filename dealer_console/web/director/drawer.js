// One table, opened: everything that its dealer could do, and what only the floor may.

import { actionWords, blinds, ante, remaining, seconds } from "./tablewords.js";
import { age, paceWords } from "./amounts.js";
import { bustHands } from "./changes.js";
import * as forms from "./forms.js";
import { button, choice, el, field, input, mark, put, relabel, rows, show } from "./parts.js";

/** What a dealer does, by the state of the table: words, key, command, when. */
const DEALS = [
  ["New hand", "o", "hand.start", (t) => !t.hand.in_progress],
  ["Clock on", "ArrowRight", "action.start", (t) => t.hand.in_progress && t.action.status === "idle"],
  ["Next player", "ArrowRight", "action.next", (t) => ["running", "expired"].includes(t.action.status)],
  ["Go on", "ArrowRight", "action.release", (t) => t.action.status === "held"],
  ["Fold", "x", "action.fold", (t) => t.action.status === "running"],
  ["All-in", "", "action.all_in", (t) => t.action.status === "running"],
  ["Count", "k", "action.hold", (t) => t.action.status === "running"],
  ["Hold the clock", "", "action.hold", (t) => t.action.status === "running", { acted: false }],
  ["Time bank +1", "i", "action.bank", (t) => t.action.seat !== null && t.action.status !== "expired"],
  ["Stop the clock", "", "action.stop", (t) => ["running", "held"].includes(t.action.status)],
  ["Street", "s", "street.next", (t) => t.hand.in_progress],
  ["All-in and call", "", "h4h.all_in", (t) => t.h4h === "playing"],
  ["Hand done", "", "h4h.done", (t) => ["playing", "runout"].includes(t.h4h) && !t.hand.in_progress],
  ["Hand over", "o", "hand.end", (t) => t.hand.in_progress],
  ["Push", "", "dealer.push", () => true],
];

/** Say whether time has run out at a table, so that the floor may rule. */
const isOver = (table) => table.action.status === "expired" || table.called.status === "expired";

/** What the floor does. */
const RULES = [
  ["Dead hand", "action.ruling", { outcome: "dead" }, (t) => isOver(t)],
  ["Check", "action.ruling", { outcome: "check" }, (t) => isOver(t)],
  ["Player acted", "called.stop", {}, (t) => t.called.status !== "off"],
  ["Answer the floor call", "floor.clear", {}, (t) => t.floor !== null],
  ["Run the board out", "h4h.runout", {}, (t) => t.h4h === "all_in"],
];

/** The drawer of the page. */
export class Drawer {
  table = null;

  constructor(app, host) {
    this._app = app;
    this._host = host;
    this._build();
  }

  /** Open a table. */
  open(table) {
    const { room } = this._app;
    this.table = table;
    room.want("drawer", [`t/${room.event}/table/${table}`, `t/${room.event}/lease/${table}`, `t/${room.event}/table/${table}/floor`]);
    show(this._host, true);
    document.documentElement.dataset.drawer = "open";
    this.paint(room.now());
    this._host.querySelector(".close").focus();
  }

  close() {
    if (this.table === null) return;
    this.table = null;
    this._app.room.want("drawer", []);
    show(this._host, false);
    delete document.documentElement.dataset.drawer;
  }

  /** Do what a dealer's key does; says whether there was one. */
  press(key) {
    const made = [...this._deals.children].find((each) => each.dataset.key === key && !each.hidden && !each.disabled);
    made?.click();
    return made !== undefined;
  }

  get _doc() {
    return this._app.room.of(`table/${this.table}`);
  }

  _act(what, args = {}, options = {}) {
    return this._app.room.act(what, { table: this.table, ...args }, options);
  }

  _build() {
    const close = button("Close", () => this.close(), { kind: "quiet close", key: "Escape" });
    this._title = el("h2");
    this._level = el("p", "level");
    this._clock = document.createElement("rb-digits");
    this._whose = el("p", "whose");
    this._band = el("p", "band");
    this._seats = el("div", "seats");
    this._collect = el("div", "chips collect");
    this._deals = el("div", "deals", ...DEALS.map(([words, key, what, , args]) => {
      const made = button(words, () => this._deal(what, args), { key, kind: key === "ArrowRight" ? "primary" : "" });
      made.dataset.do = what;
      made.dataset.key = key;
      return made;
    }));
    this._rules = el("div", "deals", ...RULES.map(([words, what, args]) => button(words, () => this._act(what, args), { kind: "rule" })));
    this._void = button("Void the ruling…", () => this._voidIt(), { kind: "rule" });
    this._pause = button("Pause this table…", () => this._pauseIt(), { kind: "" });
    this._call = button("Call the clock…", () => forms.callClock(this._app, this.table), { key: "c" });
    this._floor = button("Call the floor…", () => this._callFloor());
    this._undo = button("Undo at this table", () => this._act("undo"), { kind: "quiet" });
    this._shut = button("Close the table", () => this._act("table.close"), { kind: "quiet" });
    this._sit = button("Seat a player…", () => this._app.seatPlayer({ table: this.table }));
    this._lease = el("div", "lease");
    this._pace = el("p", "note");
    this._host.replaceChildren(
      el("header", "", this._title, this._level, close),
      el("div", "now", this._clock, this._whose),
      this._band, this._collect, this._deals, this._rules,
      this._seats,
      el("div", "deals", this._void, this._call, this._pause, this._floor, this._sit, this._undo, this._shut),
      this._lease, this._pace,
    );
  }

  _deal(what, args = {}) {
    const doc = this._doc;
    if (what === "action.start") return this._act(what, { seat: doc.hand.turn ?? Number(Object.keys(doc.seats)[0]) });
    if (what === "action.bank") return this._act(what, { seat: doc.action.seat, chips: 1 });
    return this._act(what, args);
  }

  _pauseIt() {
    if (this._doc.paused !== null) return this._act("table.resume");
    const reason = input("", { placeholder: "may be empty", wide: true, most: 200 });
    return this._app.sheet.open({
      title: `Pause table ${this.table}`, body: [field("Reason", reason)], does: "Pause it", done: () => { this._act("table.pause", reason.value.trim() ? { reason: reason.value.trim() } : {}); },
    });
  }

  _voidIt() {
    const reason = input("", { placeholder: "Written into the journal", wide: true, most: 200 });
    this._app.sheet.open({
      title: `Void what was ruled at table ${this.table}`,
      body: [el("p", "", "The player is restored, as if time had not run out."), field("Reason", reason)],
      does: "Void it",
      done: () => { this._act("action.ruling", reason.value.trim() ? { outcome: "void", reason: reason.value.trim() } : { outcome: "void" }); },
    });
  }

  _callFloor() {
    const reason = input("", { placeholder: "may be empty", wide: true, most: 200 });
    this._app.sheet.open({ title: `Floor to table ${this.table}`, body: [field("Reason", reason)], does: "Call", done: () => { this._act("floor.call", reason.value.trim() ? { reason: reason.value.trim() } : {}); } });
  }

  /** Open what can be done with one player. */
  _player(seat) {
    const taken = this._doc?.seats[seat];
    if (taken) playerSheet(this._app, { ...taken, table: this.table, seat: Number(seat) });
    else this._app.seatPlayer({ table: this.table, seat: Number(seat) });
  }

  paint(now) {
    if (this.table === null) return;
    const doc = this._doc;
    const { room } = this._app;
    put(this._title, `Table ${this.table}`);
    mark(this._host, "known", doc !== null);
    if (doc === null) {
      put(this._level, "not open");
      return;
    }
    put(this._level, [doc.hand.in_progress ? `hand ${doc.hand.number}${doc.hand.street ? `, ${doc.hand.street}` : ""}` : "between hands", blinds(doc), ante(doc), doc.next_hand && `next hand ${blinds(doc.next_hand)}`].filter(Boolean).join(" · "));
    const called = doc.called.status !== "off";
    const clock = called ? doc.called : doc.action;
    const outcome = clock.status === "expired";
    const idle = clock.status === "idle";
    this._clock.text = idle ? "–:––" : outcome ? actionWords(clock, now) : seconds(remaining(clock, now));
    mark(this._clock, "look", idle ? "idle" : outcome ? "over" : clock.ends_at === null ? "stands" : remaining(clock, now) <= 5_000 ? "five" : "runs");
    const taken = doc.seats[clock.seat];
    put(this._whose, idle ? (doc.hand.turn ? `seat ${doc.hand.turn} is next` : "nobody's time runs") : [called ? "clock called on" : "", clock.seat === null ? "whoever is to act" : `seat ${clock.seat}`, taken && (taken.name || taken.player), clock.status === "held" ? (clock.interrupted ? "· interrupted" : "· held") : clock.status === "paused" ? "· paused" : ""].filter(Boolean).join(" "));
    const band = doc.paused !== null ? `PAUSED${doc.paused && doc.paused !== true ? `: ${doc.paused}` : ""}` : doc.floor ? `⚑ FLOOR CALLED${doc.floor.reason ? `: ${doc.floor.reason}` : ""}` : doc.h4h ? { playing: "hand-for-hand: playing", done: "hand-for-hand: done, holding", all_in: "ALL-IN, cards face down", runout: "running the board out", ahead: "a hand ahead", ahead_done: "a hand ahead, done" }[doc.h4h] : "";
    put(this._band, band);
    show(this._band, band !== "");
    DEALS.forEach(([, , what, when], at) => show(this._deals.children[at], when(doc) && room.may(what)));
    RULES.forEach(([, what, , when], at) => show(this._rules.children[at], when(doc) && room.may(what)));
    show(this._void, isOver(doc) && room.may("action.ruling"));
    relabel(this._pause, doc.paused !== null ? "Resume this table" : "Pause this table…");
    show(this._floor, doc.floor === null);
    show(this._call, room.may("called.start"));
    show(this._shut, Object.keys(doc.seats).length === 0 && room.may("table.close"));
    const undo = doc.undo ?? null;
    relabel(this._undo, undo ? `↶ Undo “${this._app.tale(undo.do, { ...undo.args, table: undefined })}”` : "↶ Undo at this table");
    rows(this._collect, doc.collect, ({ seat }) => seat, ({ seat }) => button("", () => this._act("collect.done", { seat }), { kind: "chip" }), (made, { seat, chips }) => relabel(made, `collect ${chips} from seat ${seat} ✓`));
    this._paintSeats(doc);
    this._paintLease();
    this._paintPace();
  }

  _paintSeats(doc) {
    const all = Array.from({ length: doc.size }, (_, at) => at + 1);
    const turn = doc.action.seat ?? doc.hand.turn;
    rows(this._seats, all, (seat) => seat, (seat) => {
      const made = button("", () => this._player(seat), { kind: "seat" });
      made.append(el("b"), el("i"), el("span", "bank"), el("span", "pace"));
      return made;
    }, (made, seat) => {
      const taken = doc.seats[seat];
      put(made.querySelector("b"), String(seat));
      mark(made, "dealer", seat === doc.hand.button);
      put(made.querySelector("i"), taken ? taken.name || taken.player : "empty");
      if (!taken) put(made.querySelector(".pace"), "");
      put(made.querySelector(".bank"), taken ? `${"●".repeat(Math.min(8, taken.bank))}${taken.limit_s === null ? "" : ` ${taken.limit_s} s`}` : "");
      mark(made, "out", !taken || (doc.hand.in_progress && !taken.in_hand));
      mark(made, "turn", seat === turn && Boolean(taken));
    });
  }

  /** Say how long decisions take here, and how soon the floor came when it was called. */
  _paintPace() {
    const seen = this._app.room.of(`table/${this.table}/floor`);
    const came = (seen?.visits ?? []).slice(-3).map(({ took }) => age(took));
    put(this._pace, [
      seen?.decisions > 0 && `${paceWords(seen.pace_ms)} over ${seen.decisions}`,
      came.length > 0 && `the floor came after ${came.join(", ")}`,
    ].filter(Boolean).join(" · "));
    show(this._pace, this._pace.textContent !== "");
    for (const [seat, { pace_ms: pace }] of Object.entries(seen?.seats ?? {})) {
      const node = this._seats.children[Number(seat) - 1];
      if (node) put(node.querySelector(".pace"), pace === null ? "" : `${Math.round(pace / 1_000)} s`);
    }
  }

  _paintLease() {
    const lease = this._app.room.of(`lease/${this.table}`);
    const lines = [];
    if (lease) {
      lines.push({ key: "holder", words: `Worked by ${lease.name}${lease.dealer ? `, dealer ${lease.dealer}` : ""}${lease.live ? "" : " (away)"}`, device: null });
      for (const each of lease.waiting) lines.push({ key: each.device, words: `${each.name} ${each.asks ? "asks for the table" : "waits"}`, device: each.device });
    } else lines.push({ key: "none", words: "No tablet works this table.", device: null });
    rows(this._lease, lines, ({ key }) => key, ({ device }) => {
      const give = button("Give it the table", () => this._app.room.wish("lease.grant", { device }), { kind: "small" });
      return el("p", "line", el("span", "grow"), give);
    }, (node, { words, device }) => {
      put(node.firstChild, words);
      show(node.lastChild, device !== null && this._app.room.may("lease.grant"));
    });
  }
}

/** Open what can be done with one player. */
export function playerSheet(app, { player, name, table, seat, bank, limit_s: limit }) {
  const { room, sheet } = app;
  const title = `${name || player} · table ${table}, seat ${seat}`;
  const stack = input("", { type: "number", placeholder: "chips before the hand" });
  const chips = input("1", { type: "number" });
  const seconds_ = input(limit === null ? "10" : String(limit), { type: "number" });
  const toTable = input("", { type: "number", placeholder: "table" });
  const toSeat = input("", { type: "number", placeholder: "seat" });
  const does = (what, args, words) => () => {
    room.act(what, args(), words ? { words } : {});
    sheet.close();
  };
  const part = (right, ...nodes) => (room.may(right) ? [el("div", "pair", ...nodes)] : []);
  const called = name || player;
  const hands = bustHands(room.of()?.h4h);
  const hand = choice(hands, "");
  const busted = () => ({ player, ...(stack.value ? { stack: Number(stack.value) } : {}), ...(hands.length > 0 && hand.value !== "" ? { hand: Number(hand.value) } : {}) });
  sheet.open({
    title,
    name: "broad",
    body: [
      ...part("action.start", button("It is their turn", does("action.start", () => ({ table, seat }))), button("Call the clock", does("called.start", () => ({ table, seat }))), button("Off the seat", does("seat.clear", () => ({ player }), `take ${called} off the seat`))),
      ...part("action.bank", button(`Spend chips (${bank} left)`, does("action.bank", () => ({ table, seat, chips: Number(chips.value) }))), ...(room.may("bank.grant") ? [button("Grant", does("bank.grant", () => ({ player, chips: Number(chips.value), mode: "add" }), `+${chips.value} for ${called}`)), button("Set to", does("bank.grant", () => ({ player, chips: Number(chips.value), mode: "set" }), `set chips of ${called}`))] : []), field("chips", chips)),
      ...part("player.limit", button("Limit to", does("player.limit", () => ({ player, seconds: Number(seconds_.value) }), `limit ${called}`)), field("seconds an action", seconds_), button("Lift the limit", does("player.limit", () => ({ player, seconds: null }), `lift ${called}'s limit`))),
      ...part("seat.move", button("Move to", does("seat.move", () => ({ player, table: Number(toTable.value), seat: Number(toSeat.value) }), `move ${called} to T${toTable.value} seat ${toSeat.value}`)), field("table", toTable), field("seat", toSeat)),
      ...part("player.bust", button("Is out", does("player.bust", busted, `${called} is out`), { kind: "danger" }), field("chips before the hand", stack), ...(hands.length > 0 ? [field("in", hand)] : [])),
    ],
  });
}

