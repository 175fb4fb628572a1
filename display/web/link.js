// A page's side of the conversation with the hub.
//
// `Session` mirrors server/protocol/session.py and has no socket in it; it is held to the vectors
// of tests/vectors/session.json. `Link` keeps a session on a WebSocket for ever.

import { HubClock } from "./clock.js";
import { Doubt } from "./doubt.js";
import { ASK_FOR, Reconnect } from "./reconnect.js";

export const VERSION = 1;

/**
 * How often a client asks the time, which is also its heartbeat. A wall's badge must be up within
 * 3 s of a dead link, and an idle wall must cost no more than 1.5 KB a minute.
 */
export const PROBE_EVERY = { dealer: 1_000, wall: 2_300, phone: 10_000 };

/** An answer that takes longer is missed: the link may be down. */
export const ANSWER_WITHIN = 650;

/** So long a level clock may go on by itself; then nobody should trust it. */
export const COASTS_FOR = 300_000;

/** Topics in one message, so that it stays below what a viewer may send. */
export const AT_ONCE = 10;

/** Documents that a hello may say it has; of more, the hub sends what it need not. */
export const MOST_KNOWN = 64;

// ── reading ─────────────────────────────────────────────────────────────────────────────────────

const text = (value) => typeof value === "string";
const whole = Number.isInteger;
const flag = (value) => typeof value === "boolean";
const given = (value) => value !== undefined;
const orNull = (is) => (value) => value === null || is(value);

/** What the hub says, and what each field must be. Fields beyond these are a newer hub's. */
const TO_CLIENT = new Map([
  ["welcome", {
    version: whole, hub: text, build: text, role: text, name: text,
    event: orNull(text), table: orNull(whole), now: whole,
  }],
  ["code", { code: text, secret: text, until: whole }],
  ["admitted", { token: text }],
  ["doc", { topic: text, rev: whole, doc: given }],
  ["done", { id: text, at: whole, again: flag }],
  ["refused", { id: text, code: text, text }],
  ["probed", { sent: whole, at: whole, held: whole }],
  ["problem", { code: text, text }],
  ["bye", { reason: text, retry_ms: orNull(whole) }],
]);

const DEFAULTS = new Map([["done", { again: false }], ["probed", { held: 0 }]]);

/** Read what the hub said; throws where it is not in the contract, and says why. */
export function readToClient(frame) {
  const said = JSON.parse(frame);
  const fields = TO_CLIENT.get(said?.type);
  if (fields === undefined) throw new TypeError("not a message to a client");
  const message = { ...DEFAULTS.get(said.type), ...said };
  for (const [name, is] of Object.entries(fields)) {
    if (!is(message[name])) throw new TypeError(`${said.type}: ${name} is missing or malformed`);
  }
  return message;
}

const encode = (type, fields) => JSON.stringify({ type, ...fields });

/** Say something about topics, in as many messages as it takes. */
function encodeTopics(type, topics) {
  const frames = [];
  for (let from = 0; from < topics.length; from += AT_ONCE) {
    frames.push(encode(type, { topics: topics.slice(from, from + AT_ONCE) }));
  }
  return frames;
}

// ── the session ─────────────────────────────────────────────────────────────────────────────────

/**
 * What a client knows, and what it still waits for.
 *
 * Commands that were not answered are sent again with their ids after every reconnect; an old
 * document is never given out after a newer one; liveness is decided by the oldest question that
 * the hub has not answered. `own` is our own clock in whole milliseconds.
 */
export class Session {
  topics = new Set(); // in the order they were asked for
  documents = new Map(); // topic -> {type: "shown", topic, rev, doc}
  pending = new Map(); // id -> command without an answer
  welcome = null;
  clock = new HubClock();
  connected = false;
  answeredAt = null; // our own time at which the hub last said what time it is
  code = null; // what is shown to be let in: {code, secret, until}
  _wantsIn = false;
  _guessed = false; // the time is what this browser remembered, not what the hub said
  _unanswered = [];
  _cutOff = null; // since when no connection has stood

  constructor(device, token = null, kind = "") {
    Object.assign(this, { device, token, kind });
  }

  // What the shell tells.

  /** Begin: who speaks, what it has and wants, what it still waits for. */
  opened(own) {
    this.connected = true;
    this.code = null; // the hub forgot it with the connection
    this._unanswered = [];
    const topics = [...this.topics];
    const known = topics.filter((topic) => this.documents.has(topic)).slice(0, MOST_KNOWN);
    const have = Object.fromEntries(known.map((topic) => [topic, this.documents.get(topic).rev]));
    const { token, device, kind } = this;
    const hub = this.welcome?.hub ?? "";
    const hello = encode("hello", { version: VERSION, token, device, kind, hub, have });
    const asking = this._wantsIn ? [encode("pair", {})] : [];
    const commands = [...this.pending.values()].map((command) => encode("do", command));
    return [hello, ...asking, ...encodeTopics("subscribe", topics), this.probe(own), ...commands];
  }

  /** Take in a frame and give what is news to the client; throws if it cannot be read. */
  received(frame, own) {
    const message = readToClient(frame);
    switch (message.type) {
      case "welcome":
        return this._welcomed(message);
      case "doc":
        return this._shown(message);
      case "probed":
        this._answered(message, own);
        return [];
      case "done":
      case "refused":
        return this.pending.delete(message.id) ? [message] : [];
      case "admitted":
        this.token = message.token; // the link was good once: this one is for every reconnect
        return [message];
      case "code":
        this.code = message;
        return [message];
      default: // problem, bye
        return [message];
    }
  }

  /** Take note that the connection is gone. */
  lost(own) {
    this.connected = false;
    this._cutOff ??= Math.min(...this._unanswered, own);
    this._unanswered = [];
  }

  /**
   * Begin with what was known before a reload: who we are to the hub, its documents, commands that
   * wait for an answer, and about what time it is there; it was last heard `age` milliseconds ago.
   * The hub's own word takes the place of all of it.
   */
  restore({ welcome, documents, pending, now, age }, own) {
    this.welcome = welcome;
    for (const { topic, rev, doc } of documents) this.documents.set(topic, { type: "shown", topic, rev, doc });
    for (const command of pending) this.pending.set(command.id, command);
    this.clock.answered(own, now, now, own);
    this._guessed = true;
    this._cutOff = own - age;
  }

  // What the shell asks for.

  /** Follow topics, now and after every reconnect. */
  follow(...topics) {
    const fresh = topics.filter((topic) => !this.topics.has(topic));
    for (const topic of fresh) this.topics.add(topic);
    return this.connected ? encodeTopics("subscribe", fresh) : [];
  }

  /** Follow topics no more. */
  leave(...topics) {
    const old = [...new Set(topics)].filter((topic) => this.topics.has(topic));
    for (const topic of old) {
      this.topics.delete(topic);
      this.documents.delete(topic);
    }
    return this.connected ? encodeTopics("unsubscribe", old) : [];
  }

  /** Command something, at the instant of the tap; kept until it is answered. */
  do(id, event, what, args, own, seen = null) {
    const at = this.clock.known ? this.clock.now(own) : null;
    const made = { id, event, do: what, args, at, ...(seen === null ? {} : { seen }) };
    this.pending.set(id, made);
    return this.connected ? [encode("do", made)] : [];
  }

  /** Ask to be let in, now and after every reconnect, until the hub has done so. */
  pair() {
    this._wantsIn = true;
    return this.connected ? [encode("pair", {})] : [];
  }

  /** Say whether the code that is shown is not good any more: time to ask for another. */
  codeIsOver(own) {
    return this.code !== null && this.clock.known && this.clock.now(own) >= this.code.until;
  }

  /** Ask what time it is, and thereby whether the hub is there. */
  probe(own) {
    this._unanswered.push(own);
    return encode("probe", { sent: own });
  }

  /** When the oldest question was asked that has no answer on this connection yet, or null. */
  get askedAt() {
    return this._unanswered[0] ?? null;
  }

  /** Say since when the hub has owed an answer, or been away; null while all is well. */
  waitingSince(own) {
    if (this._cutOff !== null) return this._cutOff;
    const oldest = this.askedAt;
    return oldest !== null && own - oldest > ANSWER_WITHIN ? oldest : null;
  }

  /** Say how much the documents can be trusted: "fresh", "coasting" or "stale". */
  freshness(own) {
    const since = this.waitingSince(own);
    if (since === null && this.connected) return "fresh";
    const reached = this.clock.known || this.documents.size > 0;
    if (since === null || !reached || own - since > COASTS_FOR) return "stale";
    return "coasting";
  }

  // Inside.

  _welcomed(welcome) {
    // Other data: its revisions say nothing about these.
    if (this.welcome !== null && this.welcome.hub !== welcome.hub) this.documents.clear();
    this.welcome = welcome;
    if (this.code === null) return [welcome];
    // Somebody let this device in: what came with the code is its token from now on.
    const admitted = { type: "admitted", token: this.code.secret };
    this.token = admitted.token;
    this.code = null;
    this._wantsIn = false;
    return [admitted, welcome];
  }

  _shown({ topic, rev, doc }) {
    if (!this.topics.has(topic) || this.documents.get(topic)?.rev >= rev) return [];
    const shown = { type: "shown", topic, rev, doc };
    this.documents.set(topic, shown);
    return [shown];
  }

  _answered({ sent, at, held }, own) {
    // Answers come in order: what was asked before this one is settled too.
    while (this._unanswered.length > 0 && this._unanswered[0] <= sent) this._unanswered.shift();
    this._cutOff = null;
    this.answeredAt = own;
    if (this._guessed) this.clock = new HubClock(); // a guess is not slewed away from: it is dropped
    this._guessed = false;
    this.clock.answered(sent, at, at + held, own);
  }
}

// ── the link ────────────────────────────────────────────────────────────────────────────────────

/** The hub does not want this client back, or the page itself has stopped; the message says why. */
export class Closed extends Error {
  name = "Closed";
}

/** Ask the hub on a connection of its own whether it is there. */
async function askHub(url) {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), ASK_FOR);
  try {
    const healthz = new URL("healthz", url.replace(/^ws/, "http"));
    const { status } = await fetch(healthz, { cache: "no-store", signal: abort.signal });
    return status === 200 || status === 503; // the second says that it cannot store
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

// crypto.randomUUID exists only on https and localhost; a hub on the LAN is plain http.
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A session that is connected whenever it can be. */
export class Link {
  /** Why the link is closed for good; null while it is not. */
  closed = null;

  _socket = null; // the one that counts; whatever an earlier one still says is ignored
  _lost = 0; // how many sockets were let go of: an answer to an older question counts no more
  _answers = new Map(); // id -> {resolve, reject}
  _dialled = 0; // when the socket was asked for
  _lookAt = Infinity; // when the next look is, and for which socket
  _looking = null;

  /**
   * `onnews` is called with each piece of news of the session, and `onclosed` with a reason and a
   * code when the link is closed for good. The rest of the options is for tests.
   */
  constructor(url, session, {
    kind = "wall",
    onnews = () => {},
    onclosed = () => {},
    WebSocket = globalThis.WebSocket,
    now = () => Math.round(performance.now()),
    setTimeout = (call, ms) => globalThis.setTimeout(call, ms), // insists on being the window's own
    random = Math.random,
    scout = askHub,
  } = {}) {
    Object.assign(this, { url, session, now, onnews, onclosed });
    this.pace(kind);
    this._WebSocket = WebSocket;
    this._setTimeout = setTimeout;
    this._random = random;
    this._scout = scout;
    this._doubt = new Doubt(() => 0.75 + random() / 4);
    this._reconnect = new Reconnect(() => 0.5 + random() / 2);
  }

  /** Connect, and connect again, until told to stop. */
  start() {
    if (this._socket === null && this.closed === null) this._connect();
    return this;
  }

  /** Ask the hub as often as this kind of client must. */
  pace(kind) {
    this._probeEvery = PROBE_EVERY[kind] ?? PROBE_EVERY.wall; // no number would mean no pause
  }

  /** Stop for good; who still waits for an answer is told. */
  stop(reason = "stopped", code = "stopped") {
    if (this.closed !== null) return;
    this.closed = reason;
    this._drop();
    for (const { reject } of this._answers.values()) reject(new Closed(reason));
    this._answers.clear();
    this.onclosed(reason, code);
  }

  /** Ask to be let in; the code to show comes as news, and another when it is over. */
  pair() {
    this._send(this.session.pair());
  }

  /** Follow topics. */
  follow(...topics) {
    this._send(this.session.follow(...topics));
  }

  /** Follow topics no more. */
  leave(...topics) {
    this._send(this.session.leave(...topics));
  }

  /** Tell the hub how this client is doing: offset, uncertainty and skew in ms, and its build. */
  report(how) {
    if (this.session.connected) this._send([encode("report", how)]);
  }

  /**
   * Command something; the promise gives the hub's `done` or `refused`, however often the
   * connection breaks, and fails with `Closed` only when the link is closed for good. `own` is when
   * it was tapped, where that was before now; `id` its name, where somebody has to know it before.
   */
  do(event, what, args = {}, { seen = null, own = this.now(), id = newId() } = {}) {
    const answer = this.answerTo(id);
    if (this.closed === null) this._send(this.session.do(id, event, what, args, own, seen));
    return answer;
  }

  /** Wait for the answer to a command that was made, perhaps before a reload. */
  answerTo(id) {
    if (this.closed !== null) return Promise.reject(new Closed(this.closed));
    return new Promise((resolve, reject) => this._answers.set(id, { resolve, reject }));
  }

  _send(frames) {
    // A socket that is just closing swallows what it is given: it is sent again after a reconnect.
    for (const frame of frames) this._socket.send(frame);
  }

  _connect() {
    this._reconnect.tried();
    const socket = new this._WebSocket(this.url);
    this._socket = socket;
    const ifCurrent = (call) => (event) => {
      if (this._socket === socket) call(event);
    };
    socket.onopen = ifCurrent(() => this._opened(socket));
    socket.onmessage = ifCurrent((event) => this._received(event.data));
    socket.onclose = ifCurrent(() => this._retry()); // follows every error, too
    this._dialled = this.now();
    this._look(socket);
  }

  /** Do something later, unless the socket has been given up by then. */
  _later(socket, ms, call) {
    this._setTimeout(() => {
      if (this._socket === socket) call();
    }, ms);
  }

  _opened(socket) {
    this._send(this.session.opened(this.now()));
    this._look(socket);
    this._beat(socket);
  }

  _beat(socket) {
    this._later(socket, this._probeEvery, () => {
      this._send([this.session.probe(this.now())]);
      if (this.session.codeIsOver(this.now())) this.pair();
      this._look(socket);
      this._beat(socket);
    });
  }

  /** Look whether what is waited for still may come; if not, connect anew, at once. */
  _look(socket) {
    const own = this.now();
    const since = this.session.connected ? this.session.askedAt : this._dialled;
    switch (this._doubt.look(own, since)) {
      case "scout":
        this._scout(this.url).then((there) => {
          if (!there || this._socket !== socket) return;
          this._doubt.cameBack(own, this.now());
          this._lookLater(socket);
        });
        break;
      case "renew":
        this._drop();
        this.start();
        return;
      case "give_up":
        this._drop();
        this._reconnect.gaveUp(own);
        this._ask();
        return;
    }
    this._lookLater(socket);
  }

  /** Look again when the doubt says so: however often it is asked for, once. */
  _lookLater(socket) {
    const at = this._doubt.nextLook;
    if (at === null || this._lookAt <= at && this._looking === socket) return;
    [this._lookAt, this._looking] = [at, socket];
    this._later(socket, Math.max(1, at - this.now()), () => {
      if (this._lookAt !== at) return; // an earlier one was asked for since
      this._lookAt = Infinity;
      this._look(socket);
    });
  }

  _received(frame) {
    let news;
    try {
      news = this.session.received(frame, this.now());
    } catch (error) {
      // One strange word is no reason to let go of the hub; the page may say it or not.
      news = [{ type: "problem", code: "unreadable", text: String(error) }];
    }
    for (const each of news) {
      this._settle(each);
      this.onnews(each);
    }
  }

  _settle(news) {
    switch (news.type) {
      case "welcome":
        this._reconnect.welcomed();
        break;
      case "done":
      case "refused":
        this._answers.get(news.id)?.resolve(news);
        this._answers.delete(news.id);
        break;
      case "bye":
        if (news.retry_ms === null) this.stop(news.reason, "bye");
        else this._retry(news.retry_ms);
        break;
      case "problem":
        if (news.code === "unauthorised" || news.code === "version") this.stop(news.text, news.code);
        break;
    }
  }

  /** Let go of the socket, now: a half-open one would take long to close by itself. */
  _drop() {
    const socket = this._socket;
    this._socket = null;
    this._lost += 1;
    this.session.lost(this.now());
    socket?.close();
  }

  /** Connect again as soon as the hub is there, not before `atLeast` milliseconds are over. */
  _retry(atLeast = 0) {
    this._drop();
    this._reconnect.lost(this.now(), atLeast);
    this._askLater();
  }

  _askLater() {
    const at = this._reconnect.nextLook;
    this._setTimeout(() => {
      if (this._reconnect.nextLook === at) this._ask(); // else a connection was tried since
    }, Math.max(1, at - this.now()));
  }

  /** Ask whether the hub is there; the first answer that comes makes the connection. */
  _ask() {
    if (this.closed !== null) return;
    const lost = this._lost;
    if (this._reconnect.look(this.now()) === "ask") {
      this._scout(this.url).then((there) => { if (there && this._lost === lost) this.start(); });
    }
    this._askLater();
  }
}
