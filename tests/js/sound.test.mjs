// Which sounds and words are due, and how they are made: never twice, and never without saying why not.

import assert from "node:assert/strict";
import test from "node:test";

import { chosen, Heard, moment, signals, Speaker, Speech, stepSentence } from "../../display/web/sound.js";

const NOW = 1_789_000_000_000;
const END = NOW + 754_000;
const clock = (change = {}) => ({ phase: "level", level: 7, small: 400, big: 800, ante: 800, ends_at: END, ...change });
const table = (action) => ({ table: 7, action });
const at = (now, change = {}) => moment(now, clock(change));
const sounds = (was, is) => signals(was, is).map(({ sound }) => sound);

// ── which are due ───────────────────────────────────────────────────────────────────────────────

test("AP-23: the end of a level is signalled as time passes it, and only then", () => {
  assert.deepEqual(sounds(at(END - 500), at(END)), ["level"]);
  assert.deepEqual(sounds(at(END - 20), at(END - 5, { level: 8, ends_at: END + 1_200_000 })), ["level"]);
  assert.deepEqual(sounds(at(END - 500), at(END - 100, { ends_at: END + 60_000 })), []); // time was added
  assert.deepEqual(sounds(at(NOW), at(NOW + 500, { level: 6, ends_at: NOW + 9_000 })), []); // an undo
  assert.deepEqual(sounds(null, at(END)), []); // a reload
  assert.deepEqual(sounds(at(END - 9_000), at(END + 1)), []); // a screen that slept
});

test("one minute before and the end of a break are heard", () => {
  assert.deepEqual(sounds(at(END - 60_500), at(END - 60_000)), ["minute"]);
  assert.deepEqual(sounds(at(END - 500, { phase: "break" }), at(END, { phase: "break" })), ["break"]);
});

test("nothing is heard twice, also after a reload", () => {
  const kept = new Map();
  const storage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
  const due = () => signals(at(END - 500), at(END));
  assert.equal(new Heard(storage).fresh(due(), END).length, 1);
  assert.equal(new Heard(storage).fresh(due(), END + 1_000).length, 0);
  assert.equal(new Heard({ getItem: () => "{", setItem() { throw new Error("full"); } }).fresh(due(), END).length, 1);
});

test("an action clock is heard at ten, in the last five seconds and at zero", () => {
  const action = (now, change) => moment(now, null, table({ status: "running", seat: 2, ends_at: END, ...change }));
  assert.deepEqual(sounds(action(END - 10_500), action(END - 10_000)), ["ten"]);
  assert.deepEqual(sounds(action(END - 5_500), action(END - 5_000)), ["tick"]);
  assert.deepEqual(sounds(action(END - 1), action(END, { status: "expired", ends_at: null })), ["zero"]);
  assert.deepEqual(sounds(action(END - 500), action(END + 10, { ends_at: END + 20_000 })), []); // a chip burned
  assert.deepEqual(sounds(action(END - 5_500), action(END - 5_000, { seat: 3 })), []);
});

test("an announcement is heard when it is made", () => {
  const said = (now, text) => moment(now, clock(), null, text);
  assert.deepEqual(sounds(said(NOW, null), said(NOW + 100, "Dinner")), ["announcement"]);
  assert.deepEqual(sounds(said(NOW, "Dinner"), said(NOW + 100, "Dinner")), []);
  assert.deepEqual(sounds(said(NOW, "Dinner"), said(NOW + 100, null)), []);
});

test("sounds are chosen by name; speech is asked for by itself", () => {
  assert.equal(chosen("all").size, 5);
  assert.equal(chosen("all,speech").size, 6);
  assert.deepEqual([...chosen("level, minute,confetti")], ["level", "minute"]);
  assert.deepEqual([...chosen("speech")], ["speech"]);
  assert.deepEqual([chosen(null).size, chosen("none").size, chosen("").size], [0, 0, 0]);
});

// ── words ───────────────────────────────────────────────────────────────────────────────────────

test("a step is said as over a loudspeaker", () => {
  assert.equal(stepSentence(clock({ level: 8, small: 500, big: 1_000, ante: 0 }), NOW), "Level 8. Blinds 500, 1,000.");
  assert.equal(stepSentence(clock(), NOW), "Level 7. Blinds 400, 800. Ante 800.");
  assert.equal(stepSentence(clock({ phase: "break", ends_at: NOW + 900_000 }), NOW), "Break. 15 minutes.");
  assert.equal(stepSentence(clock({ phase: "break", ends_at: NOW + 60_000 }), NOW), "Break. 1 minute.");
  assert.equal(stepSentence(clock({ phase: "break", ends_at: null }), NOW), "Break.");
});

test("a level is said when it is known, once, and not long after", () => {
  const was = at(END - 500);
  const after = clock({ level: 8, small: 500, big: 1_000, ends_at: END + 1_200_000 });
  const speech = new Speech();
  assert.deepEqual(speech.due(["level"], was, clock(), null, END), []); // the hub has not said it yet
  assert.deepEqual(speech.due([], at(END), after, null, END + 80), ["Level 8. Blinds 500, 1,000. Ante 800."]);
  assert.deepEqual(speech.due([], at(END + 80), after, null, END + 500), []);
  assert.deepEqual(speech.due(["level"], was, clock(), null, END), []);
  assert.deepEqual(speech.due([], at(END), clock(), null, END + 5_001), []);
  assert.deepEqual(speech.due([], at(END), after, null, END + 6_000), []);
  assert.deepEqual(speech.due(["minute", "announcement"], was, clock(), "Dinner", NOW), ["One minute.", "Dinner"]);
});

test("nothing is said that was not heard: a level that a director changes is silent", () => {
  assert.deepEqual(new Speech().due([], at(NOW), clock({ level: 9 }), null, NOW + 100), []);
});

// ── making them ─────────────────────────────────────────────────────────────────────────────────

/** A browser's loudspeaker: it notes what is played, and may be blocked. */
function browser({ state = "running", voices = 1, files = {} } = {}) {
  const log = [];
  class Context {
    state = state;
    currentTime = 0;
    destination = "loudspeaker";
    createOscillator() { return { frequency: {}, connect: (to) => to, start: () => log.push("tone"), stop() {} }; }
    createGain() {
      const gain = { setValueAtTime() {}, linearRampToValueAtTime() {}, exponentialRampToValueAtTime() {} };
      return { gain, connect: (to) => to };
    }
    createBufferSource() { return { connect() {}, start() { log.push(`recording ${this.buffer}`); } }; }
    async decodeAudioData(data) {
      if (data === "noise") throw new Error("not a sound");
      return data;
    }
    async resume() { this.state = "running"; }
  }
  class Utterance {
    constructor(words) { this.words = words; }
  }
  const speech = {
    getVoices: () => Array(voices).fill({}),
    speak: (spoken) => { log.push(spoken.words); speech.last = spoken; },
    cancel() {},
  };
  const fetch = async (url) => {
    log.push(url);
    const found = files[url.split("?")[0]];
    return { ok: found !== undefined, arrayBuffer: async () => found };
  };
  return { log, options: { Context, Utterance, speech, fetch, setTimeout: (call) => call() } };
}

test("only chosen sounds are made", () => {
  const { log, options } = browser();
  const speaker = new Speaker(chosen("level,action"), options);
  assert.equal(speaker.state, "on");
  assert.deepEqual([speaker.play("level"), speaker.play("tick"), speaker.play("minute")], [true, true, false]);
  assert.equal(log.filter((each) => each === "tone").length, 5);
  speaker.choose(chosen("minute"));
  assert.deepEqual([speaker.play("level"), speaker.play("minute")], [false, true]);
  speaker.choose(chosen("none"));
  assert.deepEqual([speaker.state, speaker.play("minute")], ["off", false]);
});

test("a block by the browser is known, and ends with a touch", async () => {
  const { options } = browser({ state: "suspended" });
  const speaker = new Speaker(chosen("level"), options);
  assert.deepEqual([speaker.state, speaker.play("level")], ["blocked", false]);
  await speaker.unblock();
  assert.deepEqual([speaker.state, speaker.play("level")], ["on", true]);
  assert.equal(new Speaker(chosen("level"), { ...options, Context: undefined }).state, "unable");
});

test("a venue's recording is played instead; one that is no sound is not", async () => {
  const { log, options } = browser({ files: { "/sounds/level.ogg": "gong", "/sounds/minute.ogg": "noise" } });
  const speaker = new Speaker(chosen("all"), options);
  const listed = { level: { file: "level.ogg", version: "1" }, minute: { file: "minute.ogg", version: "1" }, zero: { file: "zero.ogg", version: "1" } };
  await speaker.record(listed);
  await speaker.record(listed); // the same versions are not fetched again
  assert.deepEqual(log.splice(0), ["/sounds/level.ogg?v=1", "/sounds/minute.ogg?v=1", "/sounds/zero.ogg?v=1"]);
  speaker.play("level");
  assert.deepEqual(log.splice(0), ["recording gong"]);
  for (const sound of ["minute", "zero"]) speaker.play(sound);
  assert.deepEqual([...new Set(log.splice(0))], ["tone"]);
  await speaker.record({});
  speaker.play("level");
  assert.deepEqual([...new Set(log)], ["tone"]);
});

test("speech is only said where it was chosen, and its troubles are known", async () => {
  const { log, options } = browser();
  assert.equal(new Speaker(chosen("all"), options).say("Level 8."), false);
  const speaker = new Speaker(chosen("speech"), options);
  assert.equal(speaker.say("Level 8."), true);
  assert.deepEqual([log, speaker.state], [["Level 8."], "on"]);
  options.speech.last.onerror({ error: "not-allowed" });
  assert.equal(speaker.state, "blocked");
  await speaker.unblock();
  assert.equal(speaker.state, "on");
  const voiceless = browser({ voices: 0 });
  const mute = new Speaker(chosen("speech"), voiceless.options);
  mute.say("Level 8.");
  assert.equal(mute.state, "unable");
});
