// Link on a fake WebSocket and fake timers: every instant is exact, and nothing is waited for.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { Doubt } from "../../display/web/doubt.js";
import { Closed, Link, Session } from "../../display/web/link.js";
import { Reconnect } from "../../display/web/reconnect.js";

/** A device and its network, in virtual time. */
class World {
  now = 1_000;
  timers = [];
  sockets = [];
  news = [];
  closed = [];
  random = 1;
  scouts = [];

  link(session = new Session("tablet-1"), options = {}) {
    const world = this;
    class FakeSocket {
      sent = [];
      closes = 0;
      open = false;

      constructor(url) {
        this.url = url;
        world.sockets.push(this);
      }

      send(frame) {
        assert.ok(this.open, "sent before it was open");
        assert.equal(typeof frame, "string");
        this.sent.push(JSON.parse(frame));
      }

      close() {
        this.closes += 1;
      }
    }
    return new Link("ws://hub/ws", session, {
      WebSocket: FakeSocket,
      now: () => this.now,
      setTimeout: (call, ms) => this.timers.push({ at: this.now + ms, call }),
      random: () => this.random,
      scout: (url) => {
        const sent = { url, at: this.now };
        this.scouts.push(sent);
        return new Promise((resolve) => { sent.back = resolve; });
      },
      onnews: (news) => this.news.push(news),
      onclosed: (reason) => this.closed.push(reason),
      ...options,
    }).start();
  }

  /** The newest socket. */
  get socket() {
    return this.sockets.at(-1);
  }

  /** Let time pass, and everything happen that comes due. */
  advance(ms) {
    const until = this.now + ms;
    for (;;) {
      const due = this.timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.timers.splice(this.timers.indexOf(due), 1);
      this.now = Math.max(this.now, due.at);
      due.call();
    }
    this.now = until;
  }

  /** The newest socket opens. */
  open() {
    this.socket.open = true;
    this.socket.onopen({});
    return this.socket;
  }

  /** The hub says something. */
  say(message, socket = this.socket) {
    socket.onmessage({ data: JSON.stringify(message) });
  }

  /** The hub answers every probe so far. */
  answer() {
    const { sent } = this.sent("probe").at(-1);
    this.say({ type: "probed", sent, at: 1_000_000 + this.now });
  }

  /** The oldest scout comes back. */
  async back(there = true) {
    this.scouts.shift().back(there);
    await null;
    await null;
  }

  /** Wait for so long, and let the hub answer whoever asks by then whether it is there. */
  async comes(ms) {
    this.advance(ms);
    for (const { back } of this.scouts.splice(0)) back(true);
    await null;
    await null;
  }

  /** A connection breaks. */
  breaks(socket = this.socket) {
    socket.onclose({});
  }

  /** What was sent of a type on the newest socket. */
  sent(type) {
    return this.socket.sent.filter((message) => message.type === type);
  }

  welcome() {
    this.say({
      type: "welcome", version: 1, hub: "h1", build: "1", role: "viewer", name: "", event: null,
      table: null, now: 0,
    });
  }
}

const doubts = JSON.parse(
  readFileSync(new URL("../vectors/doubt.json", import.meta.url), "utf-8"),
).cases;

const reconnects = JSON.parse(
  readFileSync(new URL("../vectors/reconnect.json", import.meta.url), "utf-8"),
).cases;

const types = (socket) => socket.sent.map(({ type }) => type);

test("it connects and speaks first", () => {
  const world = new World();
  const link = world.link();
  link.follow("events"); // before it is open: asked for at the opening
  assert.equal(world.socket.url, "ws://hub/ws");
  assert.deepEqual(types(world.open()), ["hello", "subscribe", "probe"]);
  link.follow("t/1");
  link.leave("events");
  assert.deepEqual(types(world.socket).slice(3), ["subscribe", "unsubscribe"]);
});

test("to start twice is to start once", () => {
  const world = new World();
  world.link().start();
  assert.equal(world.sockets.length, 1);
});

test("news comes to the page as it comes", () => {
  const world = new World();
  const link = world.link();
  link.follow("t/1");
  world.open();
  world.welcome();
  world.say({ type: "doc", topic: "t/1", rev: 2, doc: { name: "Main" } });
  world.say({ type: "doc", topic: "t/1", rev: 1, doc: { name: "older" } });
  assert.deepEqual(world.news.map(({ type }) => type), ["welcome", "shown"]);
  assert.deepEqual(world.news[1].doc, { name: "Main" });
});

for (const [kind, every] of [["dealer", 1_000], ["wall", 2_300], ["phone", 10_000], ["?", 2_300]]) {
  test(`a ${kind} probes every ${every} ms`, () => {
    const world = new World();
    world.link(undefined, { kind });
    world.open();
    const asked = [1_000];
    for (let beat = 1; beat <= 4; beat += 1) {
      world.answer();
      world.advance(every - 1);
      assert.deepEqual(world.sent("probe").map(({ sent }) => sent), asked);
      world.advance(1);
      asked.push(1_000 + beat * every);
      assert.deepEqual(world.sent("probe").map(({ sent }) => sent), asked);
    }
    assert.equal(world.sockets.length, 1);
  });
}

for (const { name, shaken, steps } of reconnects) {
  test(`reconnect: ${name}`, () => {
    const reconnect = new Reconnect(() => shaken);
    for (const { lost, gave_up: gaveUp, tried, welcomed, look } of steps) {
      if (lost) reconnect.lost(...lost);
      if (gaveUp !== undefined) reconnect.gaveUp(gaveUp);
      if (tried) reconnect.tried();
      if (welcomed) reconnect.welcomed();
      if (look) assert.deepEqual([reconnect.look(look[0]), reconnect.nextLook], look.slice(1));
    }
  });
}

test("a socket is tried only when the hub has answered, and never two", async () => {
  const world = new World();
  world.link();
  world.breaks();
  world.advance(180_000); // three minutes of refused connections
  assert.equal(world.sockets.length, 1);
  assert.ok(world.scouts.length > 115);
  const open = world.scouts.splice(0);
  for (const { back } of open.slice(0, -2)) back(false);
  for (const { back } of open.slice(-2)) back(true);
  await null;
  await null;
  assert.equal(world.sockets.length, 2);
  world.advance(900);
  assert.equal(world.sockets.length, 2);
  assert.equal(world.scouts.length, 0, "nothing is asked while a connection is tried");
});

test("it asks again after 0.25 s, doubling to 1.5 s", async () => {
  const world = new World();
  world.link();
  for (const wait of [250, 500, 1_000, 1_500, 1_500, 1_500]) {
    const before = world.sockets.length;
    world.breaks();
    await world.comes(wait - 1);
    assert.equal(world.sockets.length, before);
    await world.comes(1);
    assert.equal(world.sockets.length, before + 1);
  }
});

test("an answer to a question from before the last connection counts no more", async () => {
  const world = new World();
  world.link();
  world.breaks();
  world.advance(250);
  world.advance(500);
  const [old] = world.scouts;
  await world.comes(0);
  world.open();
  world.say({ type: "bye", reason: "busy", retry_ms: 9_000 });
  old.back(true);
  await world.comes(5_000);
  assert.equal(world.sockets.length, 2);
});

test("waits are shaken between half and all of it", async () => {
  const world = new World();
  world.random = 0;
  world.link();
  world.breaks();
  await world.comes(124);
  assert.equal(world.sockets.length, 1);
  await world.comes(1);
  assert.equal(world.sockets.length, 2);
});

test("a welcome makes the next wait short again, an opening alone does not", async () => {
  const world = new World();
  world.link();
  for (const wait of [250, 500, 1_000]) {
    world.open();
    world.breaks();
    await world.comes(wait);
  }
  world.open();
  world.welcome();
  world.breaks();
  const before = world.sockets.length;
  await world.comes(250);
  assert.equal(world.sockets.length, before + 1);
});

test("a command is settled with done", async () => {
  const world = new World();
  const link = world.link();
  world.open();
  world.answer();
  const answer = link.do("1", "action.next", { table: 7 });
  const [command] = world.sent("do");
  assert.match(command.id, /^[0-9a-f]{16}$/);
  assert.deepEqual({ ...command, id: "" }, {
    type: "do", id: "", event: "1", do: "action.next", args: { table: 7 }, at: 1_001_000,
  });
  world.say({ type: "done", id: command.id, at: 1_001_000, again: false });
  assert.equal((await answer).type, "done");
  assert.equal(world.news.at(-1).type, "done");
});

test("a command is settled with refused, and arguments may be left out", async () => {
  const world = new World();
  const link = world.link();
  world.open();
  const answer = link.do("1", "clock.pause");
  const [command] = world.sent("do");
  assert.deepEqual(command.args, {});
  world.say({ type: "refused", id: command.id, code: "not_running", text: "It stands." });
  assert.equal((await answer).text, "It stands.");
});

test("a command is settled over any number of reconnects, by the same id and time", async () => {
  const world = new World();
  const link = world.link();
  world.open();
  world.answer();
  world.advance(10);
  const first = link.do("1", "action.next", { table: 7 });
  const made = world.sent("do");
  world.breaks();
  world.advance(100);
  const second = link.do("1", "action.hold", { table: 7 }); // while nothing is there to hear it
  for (let time = 0; time < 3; time += 1) {
    await world.comes(2_000);
    world.open();
    assert.deepEqual(world.sent("do")[0], made[0]);
    assert.equal(world.sent("do").length, 2);
    assert.equal(world.sent("do")[1].at, 1_001_110);
    world.breaks();
  }
  await world.comes(2_000);
  world.open();
  const [again, held] = world.sent("do");
  world.say({ type: "done", id: again.id, at: 1, again: true });
  world.say({ type: "done", id: held.id, at: 2 });
  assert.deepEqual([(await first).again, (await second).again], [true, false]);
  world.breaks();
  await world.comes(2_000);
  assert.deepEqual(types(world.open()), ["hello", "probe"]);
});

test("a command that was made before a reload is answered to who asks for it", async () => {
  const session = new Session("tablet-1");
  const tap = { id: "old", event: "1", do: "action.fold", args: { table: 7 }, at: 5 };
  session.restore({ welcome: { hub: "h1" }, documents: [], pending: [tap], now: 9, age: 0 }, 1_000);
  const world = new World();
  const link = world.link(session);
  const answer = link.answerTo("old");
  world.open();
  assert.deepEqual(world.sent("do").map(({ id }) => id), ["old"]);
  world.say({ type: "done", id: "old", at: 5, again: true });
  assert.equal((await answer).again, true);
});

test("ids are never the same", () => {
  const world = new World();
  const link = world.link();
  world.open();
  for (let tap = 0; tap < 200; tap += 1) link.do("1", "action.next", { table: 7 });
  assert.equal(new Set(world.sent("do").map(({ id }) => id)).size, 200);
});

for (const { name, shaken, steps } of doubts) {
  test(`doubt: ${name}`, () => {
    const doubt = new Doubt(() => shaken);
    for (const { back, look } of steps) {
      if (back) {
        doubt.cameBack(...back);
        continue;
      }
      const [own, since, advice, nextLook] = look;
      assert.deepEqual([doubt.look(own, since), doubt.nextLook], [advice, nextLook]);
    }
  });
}

test("a link whose probe stays unanswered is given up soon after a scout came back", async () => {
  const world = new World();
  const link = world.link();
  const half = world.open();
  world.answer();
  world.advance(2_300); // the probe that stays unanswered
  world.advance(999);
  assert.equal(world.scouts.length, 0);
  world.advance(1);
  assert.deepEqual(world.scouts.map(({ url }) => url), ["ws://hub/ws"]);
  world.advance(20);
  await world.back();
  world.advance(299);
  assert.equal(half.closes, 0);
  world.advance(1);
  assert.equal(half.closes, 1);
  assert.equal(link.session.connected, false);
  assert.equal(link.session.waitingSince(world.now), 3_300);
  assert.equal(world.sockets.length, 2); // at once: the way is good
});

test("a link that is answered in the last moment is kept", async () => {
  const world = new World();
  world.link();
  world.open();
  world.advance(1_000);
  await world.back();
  world.advance(299);
  world.answer();
  world.advance(2_000);
  assert.equal(world.sockets.length, 1);
});

test("a scout that finds nobody changes nothing", async () => {
  const world = new World();
  world.link();
  const half = world.open();
  world.advance(1_000);
  await world.back(false);
  world.advance(3_999);
  assert.equal(half.closes, 0);
  world.advance(1); // but in the end it is given up, and asked for at once
  assert.equal(half.closes, 1);
  assert.equal(world.sockets.length, 1);
  await world.comes(0);
  assert.equal(world.sockets.length, 2);
});

test("a phone, which asks seldom, notices as soon", () => {
  const world = new World();
  world.link(undefined, { kind: "phone" });
  const half = world.open();
  world.answer();
  world.advance(14_999);
  assert.equal(half.closes, 0);
  world.advance(1);
  assert.equal(half.closes, 1);
});

test("a slow answer within 5 s keeps the link", () => {
  const world = new World();
  world.link(undefined, { kind: "dealer" });
  world.open();
  for (let turn = 0; turn < 10; turn += 1) {
    world.advance(4_900);
    world.answer(); // settles the older ones, too
  }
  assert.equal(world.sockets.length, 1);
});

test("scouts are few, however many questions are open", () => {
  const world = new World();
  world.link(undefined, { kind: "dealer" });
  world.open();
  world.advance(4_999);
  assert.deepEqual(world.scouts.map(({ at }) => at), [2_000, 3_000, 4_000, 5_000]);
});

test("how long the hub was away before does not count against a new socket", async () => {
  const world = new World();
  world.link();
  world.open();
  world.breaks();
  for (let away = 0; away < 20; away += 1) {
    await world.comes(1_500);
    world.breaks();
  }
  await world.comes(1_500);
  const fresh = world.open();
  world.advance(4_999);
  assert.equal(fresh.closes, 0);
  world.answer();
  world.advance(2_000);
  assert.equal(fresh.closes, 0);
});

test("a connection that does not open is tried anew soon after a scout came back", async () => {
  const world = new World();
  world.link();
  const [hung] = world.sockets;
  world.advance(1_000);
  await world.back();
  world.advance(299);
  assert.equal(hung.closes, 0);
  world.advance(1);
  assert.equal(hung.closes, 1);
  assert.equal(world.sockets.length, 2);
});

test("a connection that does not open within 5 s is tried anew when the hub answers", async () => {
  const world = new World();
  world.link();
  const [hung] = world.sockets;
  world.advance(4_999);
  assert.equal(hung.closes, 0);
  world.advance(1);
  assert.equal(hung.closes, 1);
  assert.equal(world.sockets.length, 1);
  await world.comes(0);
  assert.equal(world.sockets.length, 2);
});

test("whatever a socket says that was given up is ignored", async () => {
  const world = new World();
  const link = world.link();
  link.follow("t/1");
  const [hung] = world.sockets;
  world.advance(5_000);
  await world.comes(0);
  world.open();
  const sockets = world.sockets.length;
  hung.open = true;
  hung.onopen({});
  world.say({ type: "doc", topic: "t/1", rev: 99, doc: {} }, hung);
  world.breaks(hung);
  world.advance(2_000);
  assert.deepEqual(hung.sent, []);
  assert.deepEqual(world.news, []);
  assert.equal(world.sockets.length, sockets);
  assert.equal(link.session.connected, true);
});

test("only one heart beats, however often it reconnected", async () => {
  const world = new World();
  world.link(undefined, { kind: "dealer" });
  for (let time = 0; time < 5; time += 1) {
    world.open();
    world.welcome();
    world.breaks();
    await world.comes(250);
  }
  world.open();
  world.answer();
  world.advance(1_000);
  assert.equal(world.sent("probe").length, 2);
});

test("a farewell with a time is obeyed", async () => {
  const world = new World();
  world.link();
  const old = world.open();
  world.welcome();
  world.say({ type: "bye", reason: "restarting", retry_ms: 3_000 });
  assert.equal(old.closes, 1);
  assert.equal(world.news.at(-1).reason, "restarting");
  await world.comes(3_249);
  assert.equal(world.sockets.length, 1);
  await world.comes(1);
  assert.equal(world.sockets.length, 2);
  assert.deepEqual(world.closed, []);
});

for (const [name, message, reason] of [
  ["a farewell for good", { type: "bye", reason: "revoked", retry_ms: null }, "revoked"],
  ["an unknown token", { type: "problem", code: "unauthorised", text: "Pair it." }, "Pair it."],
  ["another version", { type: "problem", code: "version", text: "Reload." }, "Reload."],
]) {
  test(`${name} ends it`, async () => {
    const world = new World();
    const link = world.link();
    world.open();
    const waiting = assert.rejects(link.do("1", "clock.pause"), (error) => error instanceof Closed);
    world.say(message);
    await waiting;
    assert.deepEqual([link.closed, ...world.closed], [reason, reason]);
    assert.equal(world.news.at(-1).type, message.type);
    assert.equal(world.socket.closes, 1);
    world.advance(60_000);
    link.start();
    assert.equal(world.sockets.length, 1);
    await assert.rejects(link.do("1", "clock.pause"), { name: "Closed", message: reason });
    link.follow("t/1"); // quietly: there is nobody to tell
  });
}

test("other problems are the page's business", () => {
  const world = new World();
  world.link();
  world.open();
  world.say({ type: "problem", code: "bad_message", text: "?" });
  assert.equal(world.news.at(-1).code, "bad_message");
  assert.deepEqual(world.closed, []);
  assert.equal(world.socket.closes, 0);
});

test("what cannot be read is told and survived", () => {
  const world = new World();
  const link = world.link();
  link.follow("t/1");
  world.open();
  for (const data of ["{", '{"type":"confetti"}', new Uint8Array(3)]) {
    world.socket.onmessage({ data });
  }
  assert.deepEqual(world.news.map(({ code }) => code), ["unreadable", "unreadable", "unreadable"]);
  world.say({ type: "doc", topic: "t/1", rev: 1, doc: 1 });
  assert.equal(world.news.at(-1).type, "shown");
});

test("a page may stop by itself, once", () => {
  const world = new World();
  const link = world.link();
  world.open();
  world.breaks();
  link.stop();
  link.stop("again");
  world.advance(60_000);
  assert.equal(world.sockets.length, 1);
  assert.deepEqual(world.closed, ["stopped"]);
});

test("the browser's own timers and clock will do", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const world = new World();
  const link = world.link(undefined, { now: undefined, setTimeout: undefined, random: undefined });
  assert.ok(Number.isInteger(link.now()));
  world.breaks();
  assert.ok(Number.isInteger(link._reconnect.nextLook));
  context.mock.timers.tick(123);
  assert.equal(world.scouts.length, 0);
});
