// One table's console: paints the face, and sends what is tapped.

import { newId } from "/web/link.js";
import { el, mark, put, show } from "/web/scenes/parts.js";

import { alarm, glance } from "./alarms.js";
import { Controls, KEYS } from "./controls.js";
import { face } from "./face.js";
import { Felt } from "./felt.js";
import {
  allInSheet, floorSheet, levelSheet, menuSheet, PinPad, seatSheet, settingsSheet, syncSeatsSheet, syncSheet,
} from "./menus.js";
import { unconfirmed } from "./offline.js";
import { press } from "./press.js";
import { synced } from "./resync.js";
import { Sheet } from "./sheet.js";
import { Taps } from "./taps.js";
import { Waiting } from "./waiting.js";

/** What a state looks like, beside its words: the tone of the felt, and how the big button calls. */
const TONES = {
  paused: "paused", room_paused: "paused", clock_held: "paused", interrupted: "paused", break: "break",
  expired_dead: "stale", expired_check: "stale", expired_time: "stale", called_dead: "stale", called_check: "stale",
  needs_ruling: "stale", taken: "stale",
  h4h_playing: "hand-for-hand", h4h_done: "hand-for-hand", h4h_all_in: "hand-for-hand", h4h_hold: "hand-for-hand",
};

/** States whose word is the largest thing on the felt. */
const LARGE = new Set([
  "expired_dead", "expired_check", "expired_time", "called_dead", "called_check", "needs_ruling", "h4h_hold", "h4h_all_in",
]);

/** States in which the big button begins something: it is green, and NEXT is not. */
const BEGINS = new Set(["between_hands", "replay", "round_over", "run_out", "to_start", "held", "clock_held", "interrupted", "idle", "waiting"]);

/** What the keys of a pedal, a clicker or a keyboard tap: the same as in the terminal. */
const PEDALS = {
  " ": "big", Enter: "big", PageDown: "big", f: "fold", x: "next", c: "count", b: "bank", s: "street", a: "all_in",
  h: "over", p: "push", u: "undo", l: "floor", m: "menu", r: "sync",
};

/** A hub that was away for longer is told of when it is back. */
const AWAY = 2_000;

/** What is tapped behind another button: it is not in the menu, and what becomes of it is seen there. */
const BEHIND = { all_in: ["all_in_raise", "all_in_call"], street: ["sync"] };

/** A table being worked. */
export class Console {
  _face = null;
  _table = null; // the document that is shown
  _was = null; // the last glance, for alarms
  _nudged = ""; // the reminder that was last heard
  _picked = null; // the seat whose sheet is open
  _awaySince = null; // since when the hub has not been heard
  _wasOpen = false; // the table was open while we looked
  _slides = false; // a finger may slide over the seats

  constructor(root, { link, session, event, table, settings, house, awake, repaint, kept }) {
    Object.assign(this, { root, link, session, event, table, settings, house, awake, repaint, kept });
    const of = `t/${event}`;
    this.topics = [of, `${of}/table/${table}`, `${of}/lease/${table}`];
    this.taps = new Taps();
    this.waiting = new Waiting(session, event, table);
    this._build();
  }

  /** Whether nothing runs and no tap waits: a moment at which the page may be loaded anew. */
  get isCalm() {
    return this.taps.waiting(this.link.now()).count === 0 && (this._face?.stands ?? true);
  }

  /** The link is closed for good. */
  abandoned() {
    this.taps.abandoned(this.link.now());
    this.kept.clear(); // the dealer is told, and looks after them
  }

  _build() {
    this.felt = new Felt({ tap: (seat, own) => this._tapSeat(seat, own), hold: (seat) => this._openSeat(seat) });
    this.controls = new Controls({
      tap: (key, own) => this._tapButton(key, own), hold: (key) => this._holdButton(key), holds: ["bank", "street", "all_in"],
    });
    this.sheet = new Sheet(this.repaint);
    this.at = {
      title: el("h1", "title"),
      badge: el("p", "badge"),
      hand: el("p", "fact", el("span", "", "this hand"), el("b")),
      nexthand: el("p", "fact nexthand", el("span", "", "next hand"), el("b")),
      notice: el("p", "notice"),
      gap: el("span", "gap"),
      mini: el("p", "mini"),
      who: el("div", "who", el("span", "dealing"), el("span", "sleep")),
    };
    this.collect = el("button", "collect", el("span"), el("span", "more"));
    this.felt.root.append(this.collect);
    this.words = el("div");
    this.words.id = "words";
    this.words.setAttribute("role", "alert");
    press(this.words, { tap: () => { this.taps.hush(); this.repaint(); } });
    press(this.collect, { tap: (own) => this._collect(own) });
    const { title, badge, ...rest } = this.at;
    const top = el("header", "top", el("div", "name", title, badge), ...Object.values(rest));
    this.root.replaceChildren(top, this.felt.root, this.controls.root, this.sheet.root, this.words);
  }

  // ── tapping ───────────────────────────────────────────────────────────────────────────────────

  /** Send what a target stands for, once, with the instant of the touch. */
  send(target, label, command, own) {
    if (!command || this._isGone(target, label, command, own)) return null;
    if (!this.taps.counts(target, label, own, this.waiting.asks(target, own))) {
      this.repaint();
      return null;
    }
    this.house.touched();
    const id = newId();
    const at = this.session.clock.known ? this.session.clock.now(own) : null;
    const to = command.to === "hub" ? "" : this.event;
    // Written down before it is sent; what goes to the hub itself may be a PIN, and is not.
    if (to !== "") this.kept.put({ command: { id, event: to, do: command.do, args: command.args, at }, target, label });
    const sent = this.link.do(to, command.do, command.args, { own, id });
    const answer = this._settle(id, this.taps.made(target, label, own, at), sent);
    this.repaint();
    return answer;
  }

  /** Show what becomes of a tap, when the hub has answered it. */
  _settle(id, number, sent) {
    const settled = (answer) => {
      this.kept.drop(id);
      this.taps.answered(number, answer, this.link.now());
      if (answer.type === "refused") this.house.alarm("refused");
      this.repaint();
      return answer;
    };
    return sent.then(settled, () => null);
  }

  /** Wait for the answers to taps that were made before the page was loaded. */
  resume() {
    const own = this.link.now();
    const now = this.session.clock.known ? this.session.clock.now(own) : 0;
    for (const { command: { id, at }, target, label } of this.kept.all()) {
      if (!this.session.pending.has(id)) continue;
      const made = this.taps.made(target, label, own - Math.max(0, now - (at ?? now)), at);
      this._settle(id, made, this.link.answerTo(id));
    }
  }

  /**
   * Whether a button has come to mean something else by a tap that is not shown yet: what the dealer
   * saw is done already, and what it means now was not meant.
   */
  _isGone(target, label, command, own) {
    const table = this.waiting.atOnce(own);
    if (this._button(target) === null || !table?.assumed) return false;
    const then = this._button(target, this._look(table, own));
    if (then?.command?.do === command.do) return false;
    this.taps.swallowed(`${label} once`, own);
    this.repaint();
    return true;
  }

  /** Tap what a key stands for; says whether it stands for anything. */
  key(name, own) {
    if (name === "Escape" && this.sheet.isOpen) this.sheet.close();
    else if (name in PEDALS && !this.sheet.isOpen) this._tapButton(PEDALS[name], own);
    else return false;
    return true;
  }

  /** Find one of the face's buttons. */
  _button(id, shown = this._face) {
    if (id === "big") return shown?.big ?? null;
    return shown?.buttons.find((button) => button.id === id) ?? null;
  }

  _tapButton(key, own) {
    if (key === "menu") {
      this._openMenu();
      return;
    }
    const { label, command } = this._button(key) ?? {};
    if (key === "floor" && command?.do === "floor.call") this._openFloor();
    else if (key === "sync") this._openSync();
    else if (key === "all_in" && this._asksAllIn(command)) this._openAllIn();
    else {
      const answer = this.send(key, label, command, own);
      if (key === "push") answer?.then((said) => this._pushed(said));
    }
  }

  /** What lies behind a button that is held. */
  _holdButton(key) {
    if (key === "street") this._openSync();
    else if (key === "all_in") this._openAllIn();
    else this._openTurn();
  }

  /** Whether an all-in must be told apart: a raise from a call, or from what the floor is told. */
  _asksAllIn(command) {
    const acts = (this._button("all_in_raise")?.command ?? null) !== null;
    return acts && (!command || command.do === "h4h.all_in");
  }

  /** A new dealer has come: where dealers sign on, the pad for the PIN comes by itself. */
  _pushed(answer) {
    if (answer?.type === "done" && this._face.dealer !== "") this._openPin();
  }

  _tapSeat(seat, own) {
    const found = this._face?.seats[seat - 1];
    // Where seats are not followed, they are a pad for chips.
    const chip = this.settings.get("simple") === "on" ? found?.bank ?? null : null;
    if (found?.tap) this.send(`seat-${seat}`, `Seat ${seat}`, found.tap, own);
    else if (chip !== null) this.send(`seat-${seat}`, `Chip of seat ${seat}`, chip, own);
    else this._openSeat(seat);
  }

  _collect(own) {
    const first = this._face?.collect[0];
    if (first) this.send(`collect-${first.seat}`, first.words, first.command, own);
  }

  // ── sheets ────────────────────────────────────────────────────────────────────────────────────

  /** What an item of a sheet does: it is sent, and the buttons are back. */
  _acts(target) {
    return (label, command, own) => {
      this.sheet.close();
      this.send(target, label, command, own);
    };
  }

  _openTurn() {
    if (this._face?.seat) this._openSeat(this._face.seat);
  }

  _openSeat(seat) {
    const opens = (found) => found !== undefined && (found.name !== "" || found.here !== null);
    if (!opens(this._face?.seats[seat - 1])) return;
    this._picked = seat;
    this.house.touched();
    const act = (label, command, own) => this._acts(`seat-${seat}`)(`${label}, seat ${seat}`, command, own);
    this.sheet.open("seat", () => {
      const found = this._face.seats[seat - 1];
      const floor = this._button("floor")?.command ?? null;
      return opens(found) ? seatSheet(found, { buttons: this._face.buttons, floor }, act) : null;
    });
  }

  _openFloor() {
    this.sheet.open("floor", () => {
      const command = this._button("floor")?.command ?? null;
      return command?.do === "floor.call" ? floorSheet(command, this._face.reasons, this._acts("floor")) : null;
    });
  }

  _openAllIn() {
    const which = () => ["all_in_raise", "all_in_call", "all_in"].map((id) => this._button(id))
      .filter((button) => button?.command && (button.id !== "all_in" || button.command.do === "h4h.all_in"));
    if (which().length > 0) this.sheet.open("all-in", () => (which().length > 0 ? allInSheet(which(), (id) => this._acts(id)) : null));
  }

  _openLevels() {
    this.sheet.open("level", () => (this._face.levels.length > 0 ? levelSheet(this._face.levels, this._acts("menu")) : null));
  }

  // ── re-sync: street and bet, then one touch over the seats ────────────────────────────────────

  _openSync() {
    if (!this._face || this._face.sync.length === 0) return;
    this.house.touched();
    this.sheet.open("sync", () => (this._face.sync.length > 0 ? syncSheet(this._face.sync, (button) => this._openSyncSeats(button)) : null));
  }

  _openSyncSeats(chosen) {
    let path = [];
    this.sheet.open("sync-seats", () => (this._face.sync.length > 0 ? syncSeatsSheet(chosen, path) : null));
    this.felt.slide({
      moved: (seats) => { path = seats; this.repaint(); },
      ended: (seats, own) => {
        this.felt.slide(null);
        this.sheet.close();
        this.send("sync", "RE-SYNC", synced(chosen.command, this._face.seats, seats), own);
      },
    });
    this._slides = true;
  }

  _openMenu() {
    const changed = () => { this.house.arrange(); this.repaint(); };
    const simple = () => {
      this.settings.set("simple", this.settings.get("simple") === "on" ? "off" : "on");
      this.sheet.close();
    };
    let sure = false; // a misdeal asks once
    const misdeal = (button) => ({
      key: "misdeal",
      label: sure ? "YES, MISDEAL" : button.label,
      note: sure ? "tap again: the hand is played again" : button.note,
      tone: sure ? "main" : "",
      off: button.command === null,
      act: (own) => { if (sure) this._acts("menu")(button.label, button.command, own); else sure = true; },
    });
    this.sheet.open("menu", () => {
      const more = this._face.buttons.filter(({ id }) => !KEYS.includes(id) && !BEHIND.all_in.includes(id) && id !== "misdeal");
      const own = [
        misdeal(this._button("misdeal")),
        { key: "sync", label: "RE-SYNC", note: "street, bet, seats, turn", off: this._face.sync.length === 0, act: () => this._openSync() },
        { key: "level", label: "THIS HAND'S LEVEL", note: "dealt at another one", off: this._face.levels.length === 0, act: () => this._openLevels() },
        { key: "sign-on", label: "SIGN ON", note: "by PIN", act: () => this._openPin() },
        { key: "simple", label: this.settings.get("simple") === "on" ? "FOLLOW THE SEATS" : "SIMPLE MODE", note: "this tablet", act: simple },
        { key: "settings", label: "SETTINGS", note: "hand, sound, light", act: () => this.sheet.open("settings", () => settingsSheet(this.settings, changed)) },
      ];
      return menuSheet({ ...this._face, more }, own, this._acts("menu"));
    });
  }

  _openPin() {
    const pad = new PinPad((pin, own) => {
      const command = { do: "dealer.sign_on", args: { pin }, to: "hub" };
      this.sheet.close();
      this.send("menu", "SIGN ON", command, own)?.then((answer) => {
        if (answer?.type === "done") this.taps.say({ kind: "good", text: "Signed on" }, this.link.now());
      });
    });
    this.sheet.open("pin", () => pad.content(this._face.dealer));
  }

  // ── painting ──────────────────────────────────────────────────────────────────────────────────

  /** Paint the console; returns in how many milliseconds something will look different. */
  paint(own) {
    const since = this.session.waitingSince(own);
    const { known } = this.session.clock;
    const table = this.waiting.shown(own);
    this._wasOpen ||= table !== null;
    const shown = this._look(table, own);
    this._table = table;
    this._face = shown;
    this._greet(since, own);
    this._paintRoot(shown);
    flag(this.root, "assumed", table?.assumed ? "yes" : undefined);
    this._paintTop(shown, own);
    this._paintFelt(shown, own);
    this._paintButtons(shown, own);
    this._paintWords(own);
    if (this._slides && this.sheet.name !== "sync-seats") this._stopSliding();
    if (table !== null && known) this._listen(table, shown, own);
    return soonest(shown.repaint_in, this.taps.flip(own), this.sheet.paint(), this.waiting.changesIn(own));
  }

  /** Say what a table's document looks like now. */
  _look(table, own) {
    const [of, , lease] = this.topics;
    const read = (name) => this.session.documents.get(name)?.doc ?? null;
    const since = this.session.waitingSince(own);
    const { known } = this.session.clock;
    return face({
      number: this.table,
      table,
      event: read(of),
      lease: read(lease),
      now: known ? this.session.clock.now(own) : table?.now ?? 0,
      freshness: this.session.freshness(own),
      away: since === null ? null : own - since,
      me: this.session.welcome?.device ?? "",
      role: this.session.welcome?.role ?? "dealer",
      simple: this.settings.get("simple") === "on",
      was_open: this._wasOpen,
    });
  }

  /** The sheet is gone: seats are seats again. */
  _stopSliding() {
    this._slides = false;
    this.felt.slide(null);
  }

  /** Say that the hub is back, where the dealer had to do without it. */
  _greet(since, own) {
    if (since !== null) this._awaySince ??= since;
    else if (this._awaySince !== null) {
      const away = own - this._awaySince;
      this._awaySince = null;
      if (away > AWAY) this.taps.say({ kind: "good", text: `The hub is back after ${Math.round(away / 1_000)} s` }, own);
    }
  }

  _paintRoot({ state, play, alarm: stage, stands, freshness, nudge }) {
    mark(this.root, "state", state);
    mark(this.root, "alarm", stage);
    mark(this.root, "link", freshness);
    mark(this.root, "simple", this.settings.get("simple"));
    flag(this.root, "tone", TONES[state] ?? TONES[play]);
    flag(this.root, "stands", stands ? "yes" : undefined);
    flag(this.root, "large", LARGE.has(state) ? "yes" : undefined);
    flag(this.root, "nudge", nudge === "" ? undefined : "yes");
  }

  _paintTop({ table, badge, this_hand: hand, next_hand: following, level_changes: changes, notices, h4h, floor, digits, dealer, freshness }, own) {
    const { at } = this;
    put(at.title, table);
    const fresh = freshness === "fresh" && this.session.clock.known;
    const { count, stage } = this.taps.waiting(own);
    const kept = stage === "red" ? ` · ${count} tap${count === 1 ? "" : "s"} kept` : "";
    put(at.badge, fresh && !kept ? `${Math.round(this.session.clock.best.roundTrip)} ms` : badge + kept);
    put(at.hand.lastChild, hand);
    show(at.hand, hand !== "");
    put(at.nexthand.lastChild, following);
    mark(at.nexthand, "changes", changes);
    show(at.nexthand, following !== "");
    const said = [...notices, h4h, floor].filter((text) => text !== "").join(" · ");
    put(at.notice, said);
    show(at.notice, said !== "");
    put(at.mini, digits);
    show(at.mini, this.settings.get("mirror") === "on" && digits !== "");
    put(at.who.children[0], dealer);
    const sleep = [this.awake.words, this.house.isMute ? "♪ touch once for sound" : ""].filter(Boolean).join(" · ");
    put(at.who.children[1], sleep);
    show(at.who.children[1], sleep !== "");
  }

  _paintFelt(shown, own) {
    const { seats, seat, progress, collect, word, title, street, facing, digits, detail, stands, link, nudge, taken, asked } = shown;
    const part = progress / 1_000;
    const burning = seats.some((each) => each.burning);
    const picked = this.sheet.name === "seat" ? this._picked : null;
    this.felt.paintSeats(seats, { picked, part, stage: (number) => this.taps.stage(`seat-${number}`, own) });
    const said = [taken, asked, this._table?.assumed ? unconfirmed(link) : link, nudge].filter(Boolean).join(" · ");
    // Where the word is all that counts, zeros beside it say nothing.
    const time = LARGE.has(shown.state) ? "" : digits;
    const runs = time !== "" && seat !== null && (!stands || progress > 0);
    this.felt.paintCentre({ word, title, street, facing, digits: time, progress: part, runs, burning, detail, said });
    const [first, ...others] = collect;
    show(this.collect, first !== undefined);
    put(this.collect.children[0], first?.words ?? "");
    put(this.collect.children[1], others.length > 0 ? `and ${others.length} more` : "");
    show(this.collect.children[1], others.length > 0);
    mark(this.collect, "stage", first ? this.taps.stage(`collect-${first.seat}`, own) : "");
  }

  _paintButtons({ state, play, floor, h4h, big }, own) {
    for (const key of KEYS) {
      const button = key === "menu" ? { label: "MENU", note: "", command: {} } : this._button(key);
      const { label = "", note = "", command = null } = button ?? {};
      const tone = key === "big" && command !== null ? bigTone(state, play, command) : "";
      const stage = [key, ...(BEHIND[key] ?? [])].map((target) => this.taps.stage(target, own)).find(Boolean) ?? "";
      const off = command === null && !(key === "all_in" && this._asksAllIn(command));
      this.controls.paint(key, { label, note, off, tone, on: (key === "floor" && floor !== "") || (key === "over" && h4h !== "" && !off && big.label !== label) }, stage);
    }
    show(this.controls.root, !this.sheet.isOpen);
  }

  _paintWords(own) {
    const words = this.taps.words(own);
    const { words: host } = this;
    if (host.childElementCount !== words.length) host.replaceChildren(...words.map(() => el("p")));
    for (const [index, { kind, text }] of words.entries()) {
      put(host.children[index], text);
      mark(host.children[index], "kind", kind);
    }
    show(host, words.length > 0);
  }

  /** Give the alarms that are due. */
  _listen(table, { nudge }, own) {
    const is = glance(table, this.session.clock.now(own));
    const due = alarm(this._was, is);
    if (due !== null) this.house.alarm(due);
    if (nudge !== "" && this._nudged === "" && this._was !== null) this.house.alarm("nudge");
    this._nudged = nudge;
    this._was = is;
  }
}

function bigTone(state, play, command) {
  if (state === "taken") return "trouble";
  if (TONES[play] === "hand-for-hand") return "hand-for-hand";
  return BEGINS.has(play) || command.do === "street.next" ? "go" : "";
}

/** Set data that is there or not. */
function flag(node, name, value) {
  if (value === undefined) delete node.dataset[name];
  else mark(node, name, value);
}

function soonest(...waits) {
  const known = waits.filter((wait) => wait !== null && wait !== undefined);
  return known.length > 0 ? Math.min(...known) : null;
}
