// Reconnect: what a client does while no connection stands.
//
// A browser remembers connections that failed, and delays each new WebSocket by seconds once there
// were many: a screen that tried again and again for three minutes came back half a minute after
// the hub. So a client does not try: it asks, by a small question of its own (`healthz`) that
// nothing delays, and connects as soon as the hub has answered. Several may be asked at once: on a
// way that swallows everything, the newest question is the one that comes back.
//
// Mirrors server/protocol/reconnect.py; both are held to tests/vectors/reconnect.json.

/**
 * Milliseconds before the first question, doubled every time; shaken, so that a room does not come
 * at once. A wall must be right again within 2 s of the hub's return.
 */
export const FIRST_WAIT = 250;
export const LONGEST_WAIT = 1_500;

/**
 * Milliseconds that a question may take: longer, and more than five would be open at once, which is
 * as many as a browser sends to one address.
 */
export const ASK_FOR = 4_000;

/** Decides when to ask whether the hub is there. */
export class Reconnect {
  /** When to look again; null while a connection stands or is tried. */
  nextLook = null;

  _wait = FIRST_WAIT;

  /** `shaken` gives a number between a half and one. */
  constructor(shaken) {
    this._shaken = shaken;
  }

  /** Take note that a connection broke, or did not come; ask, but not before so long. */
  lost(own, atLeast = 0) {
    this.nextLook = own + atLeast + this._pause();
  }

  /** Take note that a connection was given up that nobody had closed: ask at once. */
  gaveUp(own) {
    this.nextLook = own;
  }

  /** Say whether to ask now: "wait" or "ask". */
  look(own) {
    if (this.nextLook === null || own < this.nextLook) return "wait";
    this._wait = Math.min(2 * this._wait, LONGEST_WAIT);
    this.nextLook = own + this._pause();
    return "ask";
  }

  /** Take note that a connection is tried: nothing is asked until it is lost. */
  tried() {
    this.nextLook = null;
  }

  /**
   * Take note that the hub wants this client: the next wait is short again. Not when a connection
   * opens: a hub that turns everybody away opens it, too.
   */
  welcomed() {
    this._wait = FIRST_WAIT;
  }

  _pause() {
    return Math.round(this._wait * this._shaken());
  }
}
