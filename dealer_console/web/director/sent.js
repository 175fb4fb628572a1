// What was asked of the hub, and what became of it: sent, confirmed, or refused in words. Pure.

/** Unconfirmed for so long it is worth a look; for so long it may not have reached the hub. */
export const SLOW = 500;
export const LOST = 2_000;

/** So long an answer stays to be read. A refusal is read more slowly. */
const STAYS = { done: 4_000, refused: 12_000 };

/** The acts of this page, the newest first. */
export class Ledger {
  entries = [];
  _count = 0;

  /** Take down something that is being sent. */
  add(words, own) {
    const entry = { number: (this._count += 1), words, sent: own, settled: null, answer: "", text: "" };
    this.entries = [entry, ...this.entries].slice(0, 30);
    return entry;
  }

  /** Take down the hub's answer, or that the link was closed for good. */
  settle(entry, answer, text, own) {
    Object.assign(entry, { settled: own, answer, text });
  }

  /** Say how an entry stands: sent, slow, lost, done or refused. */
  state(entry, own) {
    if (entry.settled !== null) return entry.answer;
    const open = own - entry.sent;
    return open >= LOST ? "lost" : open >= SLOW ? "slow" : "sent";
  }

  /** Give the entries that are worth showing, each with how it stands. */
  shown(own) {
    return this.entries
      .filter(({ settled, answer }) => settled === null || own - settled < STAYS[answer])
      .slice(0, 4)
      .map((entry) => ({ ...entry, state: this.state(entry, own) }));
  }

  /** Put an answer away. */
  dismiss(number) {
    this.entries = this.entries.filter((entry) => entry.number !== number);
  }
}
