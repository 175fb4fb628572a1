// The table as a dealer should see it while taps wait for their answers.

import { assumed, question, Unanswered } from "./offline.js";

/** What is shown of a table, and what its buttons ask: the hub's document, and the taps on top. */
export class Waiting {
  _unanswered = new Unanswered();

  constructor(session, event, table) {
    Object.assign(this, { session, event, table });
  }

  /** Give the table's document to show now; `assumed` where the hub has not confirmed it. */
  shown(own) {
    return this._played(own, (shown, taps, fresh) => this._unanswered.look(own, shown, taps, fresh));
  }

  /** Give the table's document as it is with everything that was tapped, shown already or not. */
  atOnce(own) {
    return this._played(own, (shown, taps, fresh) => this._unanswered.afterAll(own, shown, taps, fresh));
  }

  /** Say what a button asks now. */
  asks(button, own) {
    return question(button, this.atOnce(own));
  }

  /** Say in how many milliseconds something may look different by itself; null where nothing will. */
  changesIn(own) {
    return this._unanswered.changesIn(own);
  }

  _played(own, choose) {
    const { clock, documents, pending } = this.session;
    const shown = documents.get(`t/${this.event}/table/${this.table}`);
    if (!shown?.doc) return null;
    const ours = ({ event, args }) => event === this.event && args.table === this.table;
    const fresh = this.session.freshness(own) === "fresh";
    const { table, taps } = choose(shown, [...pending.values()].filter(ours), fresh);
    const now = clock.known ? clock.now(own) : table.now;
    return assumed(table, documents.get(`t/${this.event}`)?.doc ?? null, taps, now);
  }
}
