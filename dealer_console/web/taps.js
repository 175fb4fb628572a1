// What became of every tap: sent → confirmed, and in words where it took long or was refused.
//
// Pure: nothing here reads a clock, sends or paints. `own` is this device's own clock in
// milliseconds. A tap is kept and sent again by the session; here is only what the dealer sees of it.

/**
 * The same button within this time counts once, unless it is about another player of the same street
 * by then: that counts however quick the dealer is. What begins something else, such as the hand or
 * the flop, nobody taps twice in a breath.
 */
export const SAME_WITHIN = 400;

/** A button that is touched again within this time has bounced, whatever it asks by then. */
export const BOUNCE = 60;

/** Not confirmed for so long, a tap is shown amber; then red. */
export const AMBER = 500;
export const RED = 2_000;

/** So long a confirmed tap keeps its tick, and a refused one its cross. */
const TICK_SHOWN = 450;
const CROSS_SHOWN = 2_500;

/** So long words stay up: a dealer looks at the cards, not here. */
export const WORDS_SHOWN = 6_000;

/** So long it is told that a touch did not count. */
export const ONCE_SHOWN = 1_500;

/** A tap that counted so much later than it was made is told: the dealer may have to explain it. */
const LATE = 500;

/** Words that are kept; more could not be read. */
const MOST_WORDS = 3;

const STAGES = [[RED, "red"], [AMBER, "amber"], [0, "sent"]];
const WORST = ["red", "amber", "sent"];

const duration = (ms) => (ms < 10_000 ? `${(Math.round(ms / 100) / 10).toFixed(1)} s` : `${Math.round(ms / 1_000)} s`);

/** Say what an answer means to who tapped; null where the button's tick says enough. */
export function verdict({ label, at }, answer) {
  if (answer.type === "refused") return { kind: "refused", text: `${label} did not count: ${answer.text}` };
  const late = at === null ? 0 : answer.at - at;
  return late > LATE ? { kind: "late", text: `${label} counted, ${duration(late)} after the tap` } : null;
}

/** Say whether two questions are about different players of one street. */
function anotherPlayer(asked, was) {
  const [one, other] = [asked, was].map((question) => /^(.*)\/(\d+)$/.exec(question));
  return one !== null && other !== null && one[1] === other[1] && one[2] !== other[2];
}

/** Say that a touch did not count: it was about the same player, or the button bounced. */
export function once(label, asked, was) {
  return asked === was && /\/\d+$/.test(asked) ? `${label} once: same player` : `${label} once`;
}

/** All taps of a console that are not settled, and what is left to say of those that are. */
export class Taps {
  _counted = new Map(); // button -> when it was last tapped so that it counted, and what it asked
  _open = new Map(); // number -> {button, label, own, at}
  _marks = new Map(); // button -> {mark, until}
  _words = []; // {kind, text, until}
  _number = 0;

  /**
   * Say whether a touch of a button is a tap, or the same one once more, which is told. `asked` is
   * what the button asks at this instant (see `question` of offline.js).
   */
  counts(button, label, own, asked = "") {
    const last = this._counted.get(button);
    const since = own - (last?.own ?? -Infinity);
    if (since < (anotherPlayer(asked, last?.asked ?? "") ? BOUNCE : SAME_WITHIN)) {
      this.swallowed(once(label, asked, last.asked), own);
      return false;
    }
    this._counted.set(button, { own, asked });
    return true;
  }

  /** Say that a touch did not count. */
  swallowed(text, own) {
    this._words = this._words.filter(({ kind }) => kind !== "once");
    this.say({ kind: "once", text }, own, ONCE_SHOWN);
  }

  /** Take note of a tap that was sent, or kept to be sent; `at` is its instant in hub time. */
  made(button, label, own, at = null) {
    this._number += 1;
    this._open.set(this._number, { button, label, own, at });
    this._marks.delete(button);
    return this._number;
  }

  /** Take note of what the hub answered. */
  answered(number, answer, own) {
    const tap = this._open.get(number);
    if (tap === undefined) return;
    this._open.delete(number);
    const refused = answer.type === "refused";
    const shown = refused ? CROSS_SHOWN : TICK_SHOWN;
    this._marks.set(tap.button, { mark: refused ? "refused" : "confirmed", until: own + shown });
    const words = verdict(tap, answer);
    if (words !== null) this.say(words, own);
  }

  /** Take note that no answer will ever come: the link is closed for good. */
  abandoned(own) {
    if (this._open.size === 0) return;
    const labels = [...this._open.values()].map(({ label }) => label);
    this._open.clear();
    this.say({ kind: "refused", text: `Not known whether it counted: ${labels.join(", ")}` }, own);
  }

  /** Say something to the dealer for a while; what is said again stays longer. */
  say({ kind, text }, own, shown = WORDS_SHOWN) {
    this._words = this._words.filter((each) => each.text !== text);
    this._words.push({ kind, text, until: own + shown });
    if (this._words.length > MOST_WORDS) this._words.shift();
  }

  /** Take the words down: the dealer has read them. */
  hush() {
    this._words = [];
  }

  /** Say how a button's taps stand: "", "sent", "amber", "red", "confirmed" or "refused". */
  stage(button, own) {
    const open = [...this._open.values()].filter((tap) => tap.button === button);
    if (open.length > 0) {
      const age = Math.max(...open.map((tap) => own - tap.own));
      return STAGES.find(([from]) => age >= from)?.[1] ?? "sent";
    }
    const mark = this._marks.get(button);
    return mark !== undefined && own < mark.until ? mark.mark : "";
  }

  /** Say how many taps wait for an answer, and how bad the oldest is. */
  waiting(own) {
    const stages = new Set([...this._open.values()].map(({ button }) => this.stage(button, own)));
    return { count: this._open.size, stage: WORST.find((stage) => stages.has(stage)) ?? "" };
  }

  /** List what there is to say, the newest last. */
  words(own) {
    this._words = this._words.filter(({ until }) => own < until);
    return this._words.map(({ kind, text }) => ({ kind, text }));
  }

  /** Say in how many milliseconds something here looks different; null where nothing will. */
  flip(own) {
    const ages = [...this._open.values()].flatMap((tap) => [tap.own + AMBER, tap.own + RED]);
    const ends = [...this._marks.values(), ...this._words].map(({ until }) => until);
    const coming = [...ages, ...ends].filter((at) => at > own);
    return coming.length > 0 ? Math.min(...coming) - own : null;
  }
}
