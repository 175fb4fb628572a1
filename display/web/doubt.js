// Doubt: what a client does while an answer, or a connection, does not come.
//
// A connection may be dead though nobody has said so. To give it up too soon breaks what is only
// slow; too late, and a wall stands still in front of a room. So the client sends a scout: a
// question on a connection of its own. A scout that comes back, while what was asked before it
// still has no answer, says that the way is good and the connection is not. (A second WebSocket
// would not do: a browser opens only one at a time to an address.)
//
// Mirrors server/protocol/doubt.py; both are held to tests/vectors/doubt.json.

/**
 * Milliseconds to wait before a scout is sent, and between two; shaken, so that a room whose switch
 * was restarted does not send them all at once.
 */
export const HURRY = 1_000;

/** Milliseconds that an answer has, at the least, after a scout has come back. */
export const GRACE = 300;

/** Milliseconds after which a connection is given up, whatever scouts say. */
export const GIVE_UP = 5_000;

/** Decides when to send a scout, and when to let go of a connection. */
export class Doubt {
  _since = null;
  _scoutAt = 0;
  _renewAt = 0;
  _wayIsGood = false; // a scout came back

  /** `shaken` gives a number between three quarters and one. */
  constructor(shaken) {
    this._hurry = () => Math.round(HURRY * shaken());
  }

  /**
   * Say what to do if something has been waited for since then: "wait", "scout", "renew" (connect
   * anew at once: the way is good) or "give_up" (ask first whether it is).
   */
  look(own, since) {
    if (since === null) {
      this._since = null;
      return "wait";
    }
    if (since !== this._since) {
      this._since = since;
      this._scoutAt = since + this._hurry();
      this._renewAt = since + GIVE_UP;
      this._wayIsGood = false;
    }
    if (own >= this._renewAt) {
      this._since = null;
      return this._wayIsGood ? "renew" : "give_up";
    }
    if (own < this._scoutAt) return "wait";
    this._scoutAt = own + this._hurry();
    return "scout";
  }

  /** Take note of a scout that came back: what was asked before it has a little longer. */
  cameBack(sent, own) {
    if (this._since !== null && this._since <= sent) {
      const grace = Math.max(GRACE, 2 * (own - sent)); // on a slow way, everything is slow
      this._renewAt = Math.min(this._renewAt, own + grace);
      this._wayIsGood = true;
    }
  }

  /** When to look again; null while nothing is waited for. */
  get nextLook() {
    return this._since === null ? null : Math.min(this._scoutAt, this._renewAt);
  }
}
