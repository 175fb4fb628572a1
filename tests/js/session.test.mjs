// The shared vectors against the Session of link.js, and what the vectors cannot say.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import {
  ANSWER_WITHIN, AT_ONCE, COASTS_FOR, MOST_KNOWN, PROBE_EVERY, Session, VERSION,
} from "../../display/web/link.js";

const read = (path) => readFileSync(new URL(path, import.meta.url), "utf-8");
const parsed = (frames) => frames.map((frame) => JSON.parse(frame));

const CALLS = {
  opened: (session, { own }) => parsed(session.opened(own)),
  received: (session, { own, frame, text }) =>
    session.received(text ?? JSON.stringify(frame), own),
  lost: (session, { own }) => session.lost(own) ?? null,
  follow: (session, { topics }) => parsed(session.follow(...topics)),
  leave: (session, { topics }) => parsed(session.leave(...topics)),
  do: (session, { id, event, do: what, args, own }) =>
    parsed(session.do(id, event, what, args, own)),
  pair: (session) => parsed(session.pair()),
  code_is_over: (session, { own }) => session.codeIsOver(own),
  token: (session) => session.token,
  probe: (session, { own }) => JSON.parse(session.probe(own)),
  waiting_since: (session, { own }) => session.waitingSince(own),
  freshness: (session, { own }) => session.freshness(own),
  now: (session, { own }) => session.clock.now(own),
  known: (session) => session.clock.known,
  documents: (session) =>
    Object.fromEntries([...session.documents].map(([topic, { rev }]) => [topic, rev])),
  pending: (session) => [...session.pending.keys()],
};

// As text with sorted keys: their order does not matter, and __proto__ is a key like any other.
const sorted = (value) =>
  JSON.stringify(value, (_, inner) =>
    inner && typeof inner === "object" && !Array.isArray(inner)
      ? Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))
      : inner,
  );

for (const { name, session: who, steps } of JSON.parse(read("../vectors/session.json")).scenarios) {
  test(`session: ${name}`, () => {
    const session = new Session(who.device, who.token, who.kind);
    for (const [number, step] of steps.entries()) {
      const run = () => CALLS[step.call](session, step);
      const said = `step ${number}: ${JSON.stringify(step)}`;
      if (step.error) assert.throws(run, said);
      else assert.equal(sorted(run()), sorted(step.expect), said);
    }
  });
}

test("the figures are those of the Python", () => {
  const python = read("../../server/protocol/session.py");
  const figure = (name) => python.match(new RegExp(`^${name} = (.*)$`, "m"))[1].replaceAll("_", "");
  assert.equal(ANSWER_WITHIN, Number(figure("ANSWER_WITHIN")));
  assert.equal(COASTS_FOR, Number(figure("COASTS_FOR")));
  assert.equal(AT_ONCE, Number(figure("AT_ONCE")));
  assert.equal(MOST_KNOWN, Number(figure("MOST_KNOWN")));
  assert.deepEqual(PROBE_EVERY, JSON.parse(figure("PROBE_EVERY")));
  const messages = read("../../server/protocol/messages.py");
  assert.equal(VERSION, Number(messages.match(/^VERSION = (\d+)$/m)[1]));
});

test("nothing is ever interpreted as markup or code", () => {
  for (const file of ["clock.js", "link.js"]) {
    const source = read(`../../display/web/${file}`);
    assert.doesNotMatch(source, /innerHTML|outerHTML|\beval\b|new Function/);
  }
});

test("after a reload a session goes on with what was known, and sends what waits by its old id", () => {
  const session = new Session("page-1", "t");
  const welcome = { type: "welcome", hub: "h1", role: "dealer", event: "1", table: 7 };
  const tap = { id: "a1", event: "1", do: "action.fold", args: { table: 7 }, at: 50_000 };
  const documents = [{ topic: "t/1", rev: 4, doc: { name: "Main" } }];
  session.restore({ welcome, documents, pending: [tap], now: 60_000, age: 8_000 }, 100);
  session.follow("t/1");
  assert.equal(session.freshness(100), "coasting");
  assert.equal(session.waitingSince(100), -7_900);
  assert.equal(session.clock.now(350), 60_250, "about what time it is at the hub");
  const [made] = session.do("b2", "1", "action.fold", { table: 7 }, 350);
  assert.equal(made, undefined);
  const frames = parsed(session.opened(400));
  assert.deepEqual([frames[0].hub, frames[0].have], ["h1", { "t/1": 4 }]);
  assert.deepEqual(frames.filter(({ type }) => type === "do").map(({ id, at }) => [id, at]), [["a1", 50_000], ["b2", 60_250]]);
  session.received(JSON.stringify({ type: "probed", sent: 400, at: 61_000, held: 0 }), 420);
  assert.equal(session.clock.now(420), 61_010, "the hub's word at once, without slewing");
  assert.equal(session.freshness(420), "fresh");
  assert.equal(session.received(JSON.stringify({ type: "done", id: "a1", at: 50_000, again: true }), 430).length, 1);
  assert.deepEqual([...session.pending.keys()], ["b2"]);
});
