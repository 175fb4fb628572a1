// The room as this console knows it: the link to the hub, the event that is looked at, and acts.

import { device, forgetToken, hubAddress, keepToken, token } from "/web/identity.js";
import { Link, Session } from "/web/link.js";

import { allowed } from "./rights.js";
import { Ledger } from "./sent.js";
import { nextUndo, tale } from "./tales.js";

/** Acts that depend on what was seen: refused where another director changed it meanwhile. */
const DEPENDS = /^(clock\.|level\.|break\.|structure\.|h4h\.(announce|next|end)|event\.|undo|announce)/;

/** The hub, its documents, and what is being asked of it. */
export class Room {
  ledger = new Ledger();
  welcome = null;
  closed = null; // why the hub does not want this console, in words
  problem = ""; // why no code is given
  event = null; // the id of the event that is looked at
  gone = new Map(); // device -> since when this page has missed it
  own = new Map(); // event -> what this page did that the list of undos may not tell yet
  basis = null; // the revisions that a sheet was opened on, while it is being done
  _last = null; // the last message, which may be why the link was closed
  _wanted = new Map(); // view -> topics that it follows

  constructor(changed) {
    this._changed = changed;
    this._begin(token());
  }

  _begin(secret) {
    this.session = new Session(device(), secret, "Director's console");
    this.link = new Link(hubAddress(), this.session, {
      kind: "dealer", // action clocks are shown here, too
      onnews: (news) => this._news(news),
      onclosed: (reason) => this._shut(String(reason?.message ?? reason)),
    });
    this.link.follow("events");
    this.link.start();
  }

  /** The hub has closed the link for good: find out why, and begin again where that makes sense. */
  _shut(reason) {
    this.closed ??= reason; // the first reason is the one that explains the rest
    this.welcome = null;
    // The message that closed it is told just after this.
    queueMicrotask(() => {
      const knew = this.session.token;
      if (this._last?.code === "unauthorised" && knew !== null) {
        forgetToken(); // what the hub does not know is worth nothing: show a code, as a stranger
        this._begin(null);
      } else if (this._last?.type === "bye" && knew !== null) {
        this._begin(knew); // shown out, or for saying too much: the hub will tell
      }
      this._changed();
    });
  }

  _news(news) {
    this._last = news;
    switch (news.type) {
      case "admitted":
        keepToken(news.token);
        break;
      case "welcome":
        this._welcomed(news);
        break;
      case "problem":
        if (["insecure", "busy", "viewing_closed"].includes(news.code)) this.problem = news.text;
        break;
      case "code":
        this.problem = "";
        break;
      case "shown":
        if (news.topic === "events") this._choose();
        if (news.topic === "devices") this._miss(news.doc);
        break;
    }
    this._changed(news);
  }

  _welcomed(welcome) {
    const build = this.welcome?.build ?? welcome.build;
    this.welcome = welcome;
    if (build !== welcome.build) location.reload(); // a newer hub has newer pages
    if (!this.mayWork) {
      if (this.session.code === null && welcome.role === "viewer") this.link.pair();
      return;
    }
    this.closed = null;
    this.want("hub", ["hub", "devices", "presets", "themes"]);
  }

  /** Whether this browser was let in as floor or director. */
  get mayWork() {
    return ["floor", "director"].includes(this.welcome?.role);
  }

  get role() {
    return this.welcome?.role ?? "viewer";
  }

  /** Say whether this role may give a command, or have a wish of the hub itself. */
  may(what) {
    return allowed(this.role, what);
  }

  // ── time and documents ────────────────────────────────────────────────────────────────────────

  /** Hub time; null while it is not known. */
  now() {
    return this.session.clock.known ? this.session.clock.now(this.link.now()) : null;
  }

  read(topic) {
    return this.session.documents.get(topic)?.doc ?? null;
  }

  /** Read a document of the event that is looked at: "" is its own, "tables" the board. */
  of(name = "", event = this.event) {
    return event === null ? null : this.read(name ? `t/${event}/${name}` : `t/${event}`);
  }

  get events() {
    return this.read("events")?.events ?? [];
  }

  /** Follow the topics that a view needs, and leave those that nobody needs any more. */
  want(view, topics) {
    const before = this._wanted.get(view) ?? [];
    if (before.length === topics.length && before.every((topic, at) => topic === topics[at])) return;
    this._wanted.set(view, topics);
    const all = new Set(["events", ...[...this._wanted.values()].flat()]);
    const fresh = topics.filter((topic) => !this.session.topics.has(topic));
    const old = before.filter((topic) => !all.has(topic));
    if (fresh.length > 0) this.link.follow(...fresh);
    if (old.length > 0) this.link.leave(...old);
  }

  /** Look at an event; at none, the first that is not over. */
  look(event) {
    this.event = event;
    const each = this.events.map(({ id }) => `t/${id}`);
    const own = event === null ? [] : ["tables", "floor", "structure", "journal", "duty"].map((name) => `t/${event}/${name}`);
    this.want("event", [...each, ...own]);
    this._changed();
  }

  _choose() {
    const known = this.events.some(({ id }) => id === this.event);
    const first = this.events.find(({ status }) => status !== "finished") ?? this.events[0];
    this.look(known ? this.event : first?.id ?? null);
  }

  /** Look at the next event. */
  switchEvent() {
    const at = this.events.findIndex(({ id }) => id === this.event);
    const next = this.events[(at + 1) % this.events.length];
    if (next) this.look(next.id);
  }

  /** Remember since when a device has been away, where the hub does not say. */
  _miss(doc) {
    for (const { id, live } of doc?.devices ?? []) {
      if (live) this.gone.delete(id);
      else if (!this.gone.has(id)) this.gone.set(id, doc.now);
    }
  }

  // ── acts ──────────────────────────────────────────────────────────────────────────────────────

  /** Command something of the event that is looked at; gives the hub's answer, which is also shown. */
  act(what, args = {}, { words = tale(what, args), event = this.event, seen = this.seen(event) } = {}) {
    return this._send(event, what, args, words, DEPENDS.test(what) ? seen : null);
  }

  /** Wish something of the hub itself. */
  wish(what, args = {}, words = tale(what, args)) {
    return this._send("", what, args, words, null);
  }

  async _send(event, what, args, words, seen) {
    const entry = this.ledger.add(words, this.link.now());
    this._changed();
    let answer;
    try {
      answer = await this.link.do(event, what, args, { seen });
    } catch (error) {
      answer = { type: "refused", code: "closed", text: String(error.message) };
    }
    if (answer.type === "done") this._remember(event, what, args, answer.id, words);
    this.ledger.settle(entry, answer.type, answer.text ?? "", this.link.now());
    this._changed();
    return answer;
  }

  _remember(event, what, args, id, words) {
    const before = this.own.get(event) ?? { newest: null, undone: new Set() };
    if (what !== "undo") this.own.set(event, { ...before, newest: { command: id, text: words, do: what, args } });
    else if (args.command) before.undone.add(args.command);
  }

  /** Give the command that an undo would take back now. */
  nextUndo() {
    const floor = this.of("floor");
    const own = this.own.get(this.event) ?? null;
    // What the list tells as undone need not be remembered; it may be brought back.
    for (const { command, undone } of floor?.undo ?? []) if (undone) own?.undone.delete(command);
    return nextUndo(floor, own);
  }

  /**
   * The revision that an act is based on, for the hub to see whether it is stale: what was seen when
   * a sheet was opened, not what has come since.
   */
  seen(event = this.event) {
    return this.basis?.get(event) ?? this.session.documents.get(`t/${event}`)?.rev ?? null;
  }

  /** Take down what is seen now of every event. */
  snapshot() {
    return new Map(this.events.map(({ id }) => [id, this.session.documents.get(`t/${id}`)?.rev ?? null]));
  }

  /** Do something on the basis of what was seen before. */
  on(basis, does) {
    this.basis = basis;
    try {
      return does();
    } finally {
      this.basis = null;
    }
  }

  /** Say something about this page itself where acts are told. */
  say(words, text, answer = "refused") {
    const own = this.link.now();
    this.ledger.settle(this.ledger.add(words, own), answer, text, own);
    this._changed();
  }

  /** Ask the hub's HTTP interface, with our token; gives the response, or says what was wrong. */
  async ask(path, options = {}) {
    const headers = { ...options.headers, Authorization: `Bearer ${this.session.token}` };
    try {
      const response = await fetch(path, { ...options, headers });
      if (response.ok) return response;
      const said = await response.json().catch(() => ({}));
      this.say(options.words ?? "ask the hub", said.text ?? `the hub answered ${response.status}`);
    } catch (error) {
      this.say(options.words ?? "ask the hub", String(error.message));
    }
    return null;
  }
}
