// Sounds of a wall: which are due is a pure question, and each is made by WebAudio without files,
// unless the venue has a recording of its own. The end of a level is the room's official signal.
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
export const SPEECH = "speech";

/** The new level may be known a moment after the old one's end is heard; later nobody wants to be told. */
const SPOKEN_WITHIN = 5_000;

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

/** Read a choice of sounds: nothing, or names with commas; `all` is every sound, but no speech. */
export function chosen(wanted) {
  const names = (wanted ?? "").split(",").map((name) => name.trim());
  const every = names.includes("all") || names.includes("on");
  const known = [...SOUNDS, SPEECH].filter((name) => names.includes(name) || (every && name !== SPEECH));
  return new Set(names.includes("none") || names.includes("off") ? [] : known);
}

// ── words for who does not look up ──────────────────────────────────────────────────────────────

const number = new Intl.NumberFormat("en");

/** Say a clock's new step, as a floor person would over the loudspeaker. */
export function stepSentence(clock, now) {
  if (clock.phase === "break") {
    const minutes = clock.ends_at === null ? 0 : Math.round((clock.ends_at - now) / MINUTE);
    return minutes > 0 ? `Break. ${minutes} ${minutes === 1 ? "minute" : "minutes"}.` : "Break.";
  }
  const ante = clock.ante ? ` Ante ${number.format(clock.ante)}.` : "";
  return `Level ${clock.level}. Blinds ${number.format(clock.small)}, ${number.format(clock.big)}.${ante}`;
}

/**
 * Knows what to say and when: a sound's words come with it, but those of a new level only when the
 * level itself is known.
 */
export class Speech {
  _waiting = null; // {step, until}: which step's end was heard

  /** List the sentences that are due, given what was heard and how the clock stands. */
  due(sounds, was, clock, announcement, now) {
    const said = [];
    for (const sound of sounds) {
      if (sound === "minute") said.push("One minute.");
      if (sound === "announcement") said.push(announcement);
      if (sound === "level" || sound === "break") this._waiting = { step: was.step, until: now + SPOKEN_WITHIN };
    }
    if (this._waiting && `${clock.phase} ${clock.level}` !== this._waiting.step) {
      said.push(stepSentence(clock, now));
      this._waiting = null;
    }
    if (this._waiting && now > this._waiting.until) this._waiting = null;
    return said;
  }
}

// ── the loudspeaker ─────────────────────────────────────────────────────────────────────────────

/** Words follow a sound when it has rung out, in milliseconds. */
const AFTER_SOUND = 2_400;

/** Makes the chosen sounds, and knows whether the browser lets it. */
export class Speaker {
  _context = null;
  _buffers = new Map(); // sound -> {version, buffer} of the venue's own recordings
  _hushed = false; // the browser does not let us speak before somebody touches the screen
  _voiceless = false;

  constructor(choice = new Set(), {
    Context = globalThis.AudioContext,
    speech = globalThis.speechSynthesis,
    Utterance = globalThis.SpeechSynthesisUtterance,
    fetch = (...what) => globalThis.fetch(...what),
    setTimeout = (call, ms) => globalThis.setTimeout(call, ms),
  } = {}) {
    Object.assign(this, { _Context: Context, _speech: speech, _Utterance: Utterance, _fetch: fetch, _setTimeout: setTimeout });
    this.choose(choice);
  }

  /** Make these sounds from now on. */
  choose(choice) {
    this.choice = choice;
    const sounds = [...choice].some((name) => name !== SPEECH);
    if (sounds && this._Context) this._context ??= new this._Context();
    const speaks = choice.has(SPEECH);
    this.unable = (sounds && !this._Context) || (speaks && (!this._speech || this._voiceless));
    if (!speaks) this._speech?.cancel();
  }

  /** Whether sounds are wanted and the browser waits for somebody to touch the screen first. */
  get blocked() {
    if (this.choice.size === 0) return false;
    return this._context?.state === "suspended" || (this._hushed && this.choice.has(SPEECH));
  }

  /** How it is with sound here, in a word for the floor. */
  get state() {
    if (this.choice.size === 0) return "off";
    return this.blocked ? "blocked" : this.unable ? "unable" : "on";
  }

  /** Ask the browser to let sounds be made: after a touch it will. */
  async unblock() {
    if (!this.blocked) return;
    this._hushed = false;
    if (this._context?.state === "suspended") await this._context.resume();
  }

  /** Fetch the venue's own recordings, as the hub's document lists them; one that fails is synthesised. */
  async record(sounds) {
    for (const name of this._buffers.keys()) if (!(name in sounds)) this._buffers.delete(name);
    if (this._context === null) return;
    for (const [name, { file, version }] of Object.entries(sounds)) {
      if (this._buffers.get(name)?.version === version) continue;
      this._buffers.set(name, { version, buffer: null });
      try {
        const answer = await this._fetch(`/sounds/${file}?v=${version}`);
        const buffer = answer.ok ? await this._context.decodeAudioData(await answer.arrayBuffer()) : null;
        if (this._buffers.get(name)?.version === version) this._buffers.set(name, { version, buffer });
      } catch { /* no sound file, whatever its name says */ }
    }
  }

  play(sound) {
    if (this._context === null || this._context.state === "suspended" || !this.choice.has(CHOICE[sound] ?? sound)) return false;
    const recording = this._buffers.get(sound)?.buffer;
    if (recording) this._playRecording(recording);
    else this._synthesise(NOTES[sound]);
    return true;
  }

  _playRecording(buffer) {
    const source = this._context.createBufferSource();
    source.buffer = buffer;
    source.connect(this._context.destination);
    source.start();
  }

  _synthesise(notes) {
    const context = this._context;
    for (const [frequency, after, lasts, loud, shape] of notes) {
      const at = context.currentTime + 0.02 + after;
      const tone = context.createOscillator();
      tone.type = shape;
      tone.frequency.value = frequency;
      const volume = context.createGain();
      volume.gain.setValueAtTime(0, at);
      volume.gain.linearRampToValueAtTime(0.35 * loud, at + 0.01);
      volume.gain.exponentialRampToValueAtTime(0.001, at + lasts);
      tone.connect(volume).connect(context.destination);
      tone.start(at);
      tone.stop(at + lasts + 0.05);
    }
  }

  /** Say a sentence, after the sound that it goes with. */
  say(words, { afterSound = false } = {}) {
    if (!this.choice.has(SPEECH) || !this._speech || !this._Utterance) return false;
    const spoken = new this._Utterance(words);
    spoken.lang = "en";
    spoken.onerror = ({ error }) => {
      if (error === "not-allowed") this._hushed = true;
      if (error === "synthesis-unavailable" || error === "voice-unavailable") this._voiceless = this.unable = true;
    };
    const speak = () => {
      // A browser without a single voice takes the words and says nothing: better to know.
      if (this._speech.getVoices().length === 0) this._voiceless = this.unable = true;
      this._speech.speak(spoken);
    };
    if (afterSound) this._setTimeout(speak, AFTER_SOUND);
    else speak();
    return true;
  }
}
