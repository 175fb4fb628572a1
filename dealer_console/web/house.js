// The tablet itself: theme, brightness, sound, vibration. What `settings.js` keeps is done here.

import { Speaker } from "/web/sound.js";
import { mark } from "/web/scenes/parts.js";

import { ALARMS } from "./alarms.js";

/** A tap is felt, too: short, so that eight hours of it do not tire. */
const TOUCH = 12;

const THEME = document.querySelector("#theme");
const DIM = document.querySelector("#dim");

/** Makes the tablet look, sound and feel as it is set. */
export class House {
  constructor(settings, root) {
    this._settings = settings;
    this._root = root;
    this._speaker = new Speaker(new Set(["action", "minute"]));
    addEventListener("pointerdown", () => { if (settings.get("sound") === "on") this._speaker.unblock(); });
  }

  /** Whether sounds are wanted and the browser waits for a touch. */
  get isMute() {
    return this._settings.get("sound") === "on" && this._speaker.blocked;
  }

  /** Do as the settings say. */
  arrange() {
    const { theme, bright, side, mirror } = this._settings.chosen;
    const address = `/themes/${theme}.css`;
    if (THEME.getAttribute("href") !== address) THEME.setAttribute("href", address);
    DIM.style.opacity = String(1 - Number(bright) / 100);
    DIM.hidden = bright === "100";
    mark(this._root, "side", side);
    mark(this._root, "mirror", mirror);
  }

  /** Give an alarm, by sound and by hand. */
  alarm(name) {
    const { sound, buzz } = ALARMS[name];
    mark(this._root, "alarmed", name);
    if (sound !== null && this._settings.get("sound") === "on") this._speaker.play(sound);
    this._vibrate(buzz);
  }

  /** Let a tap be felt. */
  touched() {
    this._vibrate(TOUCH);
  }

  _vibrate(pattern) {
    // Before the first touch a browser refuses, and says so in its console.
    if (this._settings.get("buzz") === "on" && navigator.userActivation?.hasBeenActive) navigator.vibrate?.(pattern);
  }
}
