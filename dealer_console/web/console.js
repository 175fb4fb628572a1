// One table's console: paints the face, and sends what is tapped.

import { el, mark, put, show } from "/web/scenes/parts.js";

import { alarm, glance } from "./alarms.js";
import { Controls } from "./controls.js";
import { face } from "./face.js";
import { Felt } from "./felt.js";
import { floorSheet, PinPad, seatSheet, settingsSheet } from "./menus.js";
import { press } from "./press.js";
import { Sheet } from "./sheet.js";
import { Taps } from "./taps.js";

/** A table being worked. */
export class Console {
  constructor(root, { link, session, event, table, settings, house, awake, repaint }) {
    Object.assign(this, { root, link, session, event, table, settings, house, awake, repaint });
    const of = `t/${event}`;
    this.topics = [of, `${of}/table/${table}`, `${of}/lease/${table}`];
    this.taps = new Taps();
    this._was = null; // the last glance, for alarms
    this._face = null;
    this._build();
  }

  /** Whether nothing runs and no tap waits: a moment at which the page may be loaded anew. */
  get isCalm() {
    return this.taps.waiting(this.link.now()).count === 0 && !this._face?.runs;
  }

  /** The link is closed for good. */
  abandoned() {
    this.taps.abandoned(this.link.now());
  }

  _build() {
    this.felt = new Felt({ tap: (seat, own) => this._tapSeat(seat, own), hold: (seat) => this._openSeat(seat) });
    this.controls = new Controls({
      tap: (key, own) => this._tapButton(key, own), hold: () => this._openTurn(), holds: ["bank"],
    });
    this.sheet = new Sheet(this.repaint);
    this.at = {
      title: el("h1", "title"), badge: el("p", "badge"),
      hand: el("p", "fact", el("span"), el("b")), nexthand: el("p", "fact nexthand", el("span"), el("b")),
      notice: el("p", "notice"), gap: el("span", "gap"), mini: el("p", "mini"),
      who: el("div", "who", el("span", "name"), el("span", "sleep"))
    };
    this.collect = el("button", "collect", el("span"), el("span", "more"));
    this.felt.root.append(this.collect);
    this.words = el("div");
    this.words.id = "words";
    press(this.words, { tap: () => { this.taps.hush(); this.repaint(); } });
    press(this.collect, { tap: (own) => this._collect(own) });
    const { title, badge, ...rest } = this.at;
    this.root.replaceChildren(el("header", "top", el("div", "name", title, badge), ...Object.values(rest)), this.felt.root, this.controls.root, this.sheet.root, this.words);
  }

  // ── tapping ───────────────────────────────────────────────────────────────────────────────────

  /** Send a command that a target stands for, once, with the instant of the touch. */
  send(button, label, command, own, event = this.event) {
    if (!command || !this.taps.counts(button, own)) return;
    this.house.touched();
    const at = this.session.clock.known ? this.session.clock.now(own) : null;
    const number = this.taps.made(button, label, own, at);
    const settled = (answer) => {
      this.taps.answered(number, answer, this.link.now());
      if (answer.type === "refused") this.house.alarm("refused");
      this.repaint();
    };
    this.link.do(event, command.do, command.args, own).then(settled, () => {});
    this.repaint();
  }

  _tapButton(key, own) {
    if (this._face === null) return;
    if (key === "menu") {
      this._openMenu();
      return;
    }
    if (key === "floor" && this._face.buttons.floor.enabled) {
      this.sheet.open("floor", () => floorSheet(this.table, (command, at) => { this.sheet.close(); this.send("floor", "CALL FLOOR", command, at); }));
      return;
    }
    const { label, command, enabled = true } = key === "big" ? this._face.big : this._face.buttons[key];
    if (enabled) this.send(key, label, command, own);
  }

  _tapSeat(seat, own) {
    const found = this._face?.seats[seat - 1];
    if (found?.tap) this.send(`seat-${seat}`, `seat ${seat}`, found.tap, own);
  }

  _collect(own) {
    const first = this._face?.collect[0];
    if (first) this.send("collect", first.words, first.command, own);
  }

  _openTurn() {
    const turn = this._face?.seats.find((seat) => seat.turn);
    if (turn) this._openSeat(turn.seat);
  }

  _openSeat(seat) {
    if (this._face?.seats[seat - 1]?.empty ?? true) return;
    this._picked = seat;
    this.house.touched();
    const act = (key, label, command, own) => { this.sheet.close(); this.send(`seat-${seat}`, `${label}, seat ${seat}`, command, own); };
    this.sheet.open("seat", () => {
      const found = this._face?.seats[seat - 1];
      return found && !found.empty ? seatSheet(found, act) : null;
    });
  }

  _openMenu() {
    this.sheet.open("menu", () => settingsSheet(this.settings, () => { this.house.arrange(); this.repaint(); }));
  }

  // ── painting ──────────────────────────────────────────────────────────────────────────────────

  /** Paint the console; returns in how many milliseconds something will look different. */
  paint(own) {
    const [of, topic, lease] = this.topics;
    const read = (name) => this.session.documents.get(name)?.doc ?? null;
    const now = this.session.clock.known ? this.session.clock.now(own) : null;
    const table = read(topic);
    if (!table) return null;
    const shown = face({ table, event: read(of), lease: read(lease), now });
    this._face = shown;
    const { at } = this;
    put(at.title, shown.title);
    put(at.hand.children[0], "this hand");
    put(at.hand.children[1], shown.this_hand + " (800)");
    put(at.nexthand.children[0], "next hand"); put(at.nexthand.children[1], "500 / 1,000 (1,000)"); show(at.nexthand, shown.next_hand !== "");
    put(at.notice, shown.notices[0] ?? ""); show(at.notice, shown.notices.length > 0);
    show(at.mini, this.settings.get("mirror") === "on"); put(at.mini, shown.digits);
    show(this.collect, shown.collect.length > 0); put(this.collect.firstChild, shown.collect[0]?.words ?? "");
    put(at.who.children[1], this.awake.words);
    put(at.badge, "12 ms");
    mark(this.root, "alarm", shown.alarm);
    const picked = this.sheet.name === "seat" ? this._picked : null;
    this.felt.paintSeats(shown.seats, picked, (seat) => this.taps.stage(`seat-${seat}`, own));
    this.felt.paintCentre({ burn: null, detail: "", ...shown });
    this.controls.paint("big", { label: shown.big.label, note: shown.big.sublabel }, this.taps.stage("big", own));
    for (const [key, b] of Object.entries(shown.buttons)) this.controls.paint(key, { ...b, off: !b.enabled }, this.taps.stage(key, own));
    this.controls.paint("menu", { label: "MENU" }, "");
    show(this.controls.root, !this.sheet.isOpen);
    this.sheet.paint();
    const words = this.taps.words(own);
    if (this.words.childElementCount !== words.length) this.words.replaceChildren(...words.map(() => el("p")));
    words.forEach(({ kind, text }, i) => { put(this.words.children[i], text); mark(this.words.children[i], "kind", kind); });
    return Math.min(shown.repaint_in ?? 250, this.taps.flip(own) ?? 250);
  }
}
