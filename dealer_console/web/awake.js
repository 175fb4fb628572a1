// Keeping the tablet awake, and saying honestly where the browser does not let us.

/** Asks for the screen to stay on, again whenever the page comes back. */
export class Awake {
  _lock = null;

  /** `onchange` is called whenever the answer may be another one. */
  constructor(onchange) {
    this._onchange = onchange;
    document.addEventListener("visibilitychange", () => this.ask());
    document.addEventListener("pointerdown", () => this.ask()); // some browsers want a touch first
    this.ask();
  }

  /** Whether the screen stays on. */
  get stays() {
    return this._lock !== null;
  }

  /** Say what the dealer must know; empty while all is well. */
  get words() {
    if (this.stays) return "";
    return navigator.wakeLock ? "☾ screen may sleep" : "☾ screen may sleep: needs https";
  }

  async ask() {
    if (this.stays || !navigator.wakeLock || document.visibilityState !== "visible") return;
    try {
      const lock = await navigator.wakeLock.request("screen");
      lock.addEventListener("release", () => { this._lock = null; this._onchange(); });
      this._lock = lock;
    } catch {
      this._lock = null; // low battery, or a policy: said in words
    }
    this._onchange();
  }
}
