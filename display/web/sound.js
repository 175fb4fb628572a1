// Sounds of a wall: which are due is a pure question, and each is made by WebAudio without files.
//
// Only time that passes before this screen's eyes makes a sound. A reload starts with nothing to
// compare, a reconnect or an undo brings back instants that were heard already: both are silent.

const MINUTE = 60_000;

/** A screen that has not looked for longer slept: what happened meanwhile is over. */
const GAP = 3_000;

/** The hub may say that a level is over a moment before this screen's own clock would. */
const EARLY = 1_000;

/** The same sound for the same thing is not made again within this time. */
const REMEMBERED = 600_000;

export const SOUNDS = ["level", "minute", "break", "action", "announcement"];

/** Take from words and documents what sounds are decided by. */
export function moment(now, clock, table = null, announcement = null) {
  const action = table?.action ?? null;
  return {
    now,
    endsAt: clock?.ends_at ?? null,
    phase: clock?.phase ?? null,
    step: clock ? `${clock.phase} ${clock.level}` : null,
    announcement,
    table: table?.table ?? null,
    seat: action?.seat ?? null,
    action: action?.status ?? null,
    actionEndsAt: action?.ends_at ?? null,
  };
}

const crossed = (end, ms, was, is) => end - was.now > ms && end - is.now <= ms;

function levelSignals(was, is) {
  const end = was.endsAt;
  if (end === null || was.now >= end) return [];
  const same = is.endsAt === end;
  const ended = same ? is.now >= end : is.step !== was.step && is.now >= end - EARLY;
  const found = [];
  if (same && crossed(end, MINUTE, was, is)) found.push({ sound: "minute", key: `minute ${end}` });
  if (ended) {
    const sound = was.phase === "break" ? "break" : "level";
    found.push({ sound, key: `${sound} ${end}` });
  }
  return found;
}

function actionSignals(was, is) {
  const end = was.actionEndsAt;
  if (end === null || was.seat !== is.seat || was.table !== is.table) return [];
  const of = `${is.table} ${is.seat} ${end}`;
  if (is.action === "expired") return [{ sound: "zero", key: `zero ${of}` }];
  if (is.actionEndsAt !== end) return [];
  if (crossed(end, 10_000, was, is)) return [{ sound: "ten", key: `ten ${of}` }];
  for (const second of [1, 2, 3, 4, 5]) {
    if (crossed(end, second * 1_000, was, is)) return [{ sound: "tick", key: `${second} ${of}` }];
  }
  return [];
}

/** List what is to be heard between two moments of a screen. */
export function signals(was, is) {
  if (was === null || is.now < was.now || is.now - was.now > GAP) return [];
  const said = is.announcement !== null && is.announcement !== was.announcement;
  const words = said ? [{ sound: "announcement", key: `announcement ${is.announcement}` }] : [];
  return [...levelSignals(was, is), ...actionSignals(was, is), ...words];
}

/** What was heard already, also before a reload. */
export class Heard {
  constructor(storage = null) {
    this._storage = storage;
    this._at = new Map(read(storage));
  }

  /** Give the signals that were not heard lately, and remember them. */
  fresh(found, now) {
    const made = found.filter(({ key }) => !(now - this._at.get(key) < REMEMBERED));
    if (made.length === 0) return made;
    for (const { key } of made) this._at.set(key, now);
    for (const [key, at] of this._at) if (now - at >= REMEMBERED) this._at.delete(key);
    try {
      this._storage?.setItem("railbird-heard", JSON.stringify([...this._at]));
    } catch { /* a full or forbidden store: this page still remembers */ }
    return made;
  }
}

function read(storage) {
  try {
    const found = JSON.parse(storage?.getItem("railbird-heard") ?? "[]");
    return found.filter((each) => Array.isArray(each) && each.length === 2);
  } catch {
    return [];
  }
}

// ── making them ─────────────────────────────────────────────────────────────────────────────────

/** Each sound as notes: [frequency, begins after s, lasts s, loudness, shape]. */
const NOTES = {
  level: [[880, 0, 0.5, 0.9, "triangle"], [659, 0.45, 0.5, 0.9, "triangle"], [880, 0.9, 1.4, 1, "triangle"], [440, 0.9, 1.4, 0.5, "sine"]],
  minute: [[988, 0, 0.25, 0.7, "sine"], [988, 0.35, 0.45, 0.7, "sine"]],
  break: [[523, 0, 0.3, 0.8, "triangle"], [659, 0.25, 0.3, 0.8, "triangle"], [784, 0.5, 0.3, 0.8, "triangle"], [1047, 0.75, 1, 0.9, "triangle"]],
  announcement: [[784, 0, 0.35, 0.7, "sine"], [1047, 0.25, 0.7, 0.7, "sine"]],
  ten: [[1319, 0, 0.12, 0.6, "sine"], [1319, 0.18, 0.18, 0.6, "sine"]],
  tick: [[1568, 0, 0.08, 0.6, "square"]],
  zero: [[220, 0, 0.8, 0.8, "sawtooth"], [208, 0, 0.8, 0.6, "square"]],
};

/** Which choice of `?sound=` a sound belongs to. */
const CHOICE = { ten: "action", tick: "action", zero: "action" };

/** Read `?sound=`: nothing, all, or a list of names. */
export function chosen(wanted) {
  if (!wanted || wanted === "none" || wanted === "off") return new Set();
  const names = wanted === "all" || wanted === "on" ? SOUNDS : wanted.split(",").map((name) => name.trim());
  return new Set(names.filter((name) => SOUNDS.includes(name)));
}

/** Makes the chosen sounds, and knows whether the browser lets it. */
export class Speaker {
  constructor(choice, { Context = globalThis.AudioContext } = {}) {
    this.choice = choice;
    this._context = choice.size > 0 && Context ? new Context() : null;
    this.unable = choice.size > 0 && !Context;
  }

  /** Whether sounds are wanted and the browser waits for somebody to touch the screen first. */
  get blocked() {
    return this._context !== null && this._context.state === "suspended";
  }

  /** Ask the browser to let sounds be made: after a touch it will. */
  async unblock() {
    if (this.blocked) await this._context.resume();
  }

  play(sound) {
    if (this._context === null || this.blocked || !this.choice.has(CHOICE[sound] ?? sound)) return false;
    const context = this._context;
    for (const [frequency, after, lasts, loud, shape] of NOTES[sound]) {
      const at = context.currentTime + 0.02 + after;
      const tone = new OscillatorNode(context, { type: shape, frequency });
      const volume = new GainNode(context, { gain: 0 });
      volume.gain.setValueAtTime(0, at);
      volume.gain.linearRampToValueAtTime(0.35 * loud, at + 0.01);
      volume.gain.exponentialRampToValueAtTime(0.001, at + lasts);
      tone.connect(volume).connect(context.destination);
      tone.start(at);
      tone.stop(at + lasts + 0.05);
    }
    return true;
  }
}
